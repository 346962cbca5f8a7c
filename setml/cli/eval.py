"""``setml eval``: the comparison of all methods."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    "eval",
    epilog="""\b
Examples:
  setml eval data/samples
  setml eval ../photographs --by source --split val --output reports
  setml eval ../photographs --quick --classifier cnn --classifier heuristics""",
)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--by",
    type=click.Choice(["split", "source", "edition"]),
    default="split",
    show_default=True,
    help="What each row is for.",
)
@click.option("--split", "splits", multiple=True, help="Only this split; may be given several times.")
@click.option("--classifier", "names", multiple=True, help="Only this classifier; may be given several times.")
@click.option("--quick", is_flag=True, help="A fifth of the data, in under two minutes.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder for the report, the tables, and a row for every crop and photo.",
)
@click.option(
    "--leaderboard", type=click.Path(path_type=Path, dir_okay=False), help="A file for the ranking of the classifiers."
)
@click.option("--alone", is_flag=True, help="Also read each card for itself, to show what reading them together gains.")
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Photos solved at a time.")
def evaluate(
    folder: Path,
    by: str,
    splits: tuple[str, ...],
    names: tuple[str, ...],
    quick: bool,
    output: Path | None,
    leaderboard: Path | None,
    alone: bool,
    jobs: int,
) -> None:
    """Compare every extractor and classifier on FOLDER, which has labelled photographs and a labels.json."""
    from setml.classifiers import CLASSIFIERS

    unknown = [name for name in names if name not in CLASSIFIERS]
    if unknown:
        raise click.UsageError(f"there is no classifier {unknown[0]!r}; expected one of {', '.join(CLASSIFIERS)}")
    try:
        from setml.evaluation.run import load_benchmark, run
    except ImportError as error:
        raise click.UsageError(f"the comparison needs {error.name}; install it by: pip install 'setml[eval]'") from None
    from setml.datasets.truth import TruthError
    from setml.photo import PhotoError

    try:
        benchmark = load_benchmark(folder, splits, quick)
    except TruthError as error:
        raise click.UsageError(str(error)) from None
    except PhotoError as error:
        raise click.ClickException(str(error)) from None
    run(benchmark, names or tuple(CLASSIFIERS), by, jobs, output, leaderboard, click.echo, alone=alone)
