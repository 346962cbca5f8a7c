"""``setml eval``: the comparison of all methods."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    "eval",
    epilog="""\b
Examples:
  setml eval data/samples
  setml eval tables/ --by source --split val --output reports""",
)
@click.argument("tables", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--by",
    type=click.Choice(["split", "source", "edition"]),
    default="split",
    show_default=True,
    help="What each row is for.",
)
@click.option("--split", help="Only the photographs of this split.")
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), help="A folder for the table and every photo."
)
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Photos solved at a time.")
def evaluate(tables: Path, by: str, split: str | None, output: Path | None, jobs: int) -> None:
    """Compare every extractor and classifier on TABLES, a folder of labelled photographs with a labels.json."""
    try:
        import pandas  # noqa: F401
        import tabulate  # noqa: F401
    except ImportError:
        raise click.UsageError("the comparison needs pandas; install it by: pip install 'setml[eval]'") from None
    from setml.evaluation.compare import compare, summarize
    from setml.evaluation.truth import TruthError, read_truth
    from setml.files import write_file

    try:
        truths = read_truth(tables, split)
    except TruthError as error:
        raise click.UsageError(str(error)) from None
    rows = compare(truths, jobs)
    table = summarize(rows, by)
    text = table.to_markdown(floatfmt=".2f", index=False)
    click.echo(text)
    if output is not None:
        # A report is made anew each time.
        write_file(output / "comparison.md", f"{text}\n".encode(), overwrite=True)
        write_file(output / "photos.csv", rows.to_csv(index=False).encode(), overwrite=True)
