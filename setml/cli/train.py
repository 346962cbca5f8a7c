"""``setml train``: from labelled crops to models."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import click

_from = click.option(
    "--from",
    "root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="SETML_DATA",
    help="Labelled crops, or a folder with crops/ and tables/; without it cards are drawn.",
)
_output = click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("models"),
    show_default=True,
    help="Where the models go, a folder for each method.",
)
_work = click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("runs/train"),
    show_default=True,
    help="Checkpoints and caches; a run that was stopped goes on from them.",
)


@click.command(
    epilog="""\b
Examples:
  setml train                                   from cards drawn by program
  setml train --from my-crops/ --output mine/   from one's own: my-crops/2RTD/anything.jpg
  setml train --quick --method svm              a trial of one method"""
)
@_from
@_output
@_work
@click.option("--method", "methods", multiple=True, help="Train only this; may be given several times.")
@click.option("--quick", is_flag=True, help="A trial in a few minutes, from a fraction of the crops.")
@click.option("--fresh", is_flag=True, help="Forget what an earlier run has left in --work.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all that is left to chance.")
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Processes at a time.")
def train(
    root: Path | None,
    output: Path,
    work: Path,
    methods: tuple[str, ...],
    quick: bool,
    fresh: bool,
    seed: int,
    jobs: int,
) -> None:
    """Fit KNN, SVM and nets to labelled crops, and export them as ONNX."""
    from setml.classifiers import LEARNED
    from setml.datasets.truth import TruthError
    from setml.photo import PhotoError

    unknown = sorted(set(methods) - set(LEARNED))
    if unknown:
        raise click.UsageError(f"there is no method {unknown[0]!r} to train; expected one of {', '.join(LEARNED)}")
    if root is not None:
        _check_labels(root)
    need_training()
    from setml.training.data import Plan
    from setml.training.run import forget
    from setml.training.run import train as run

    plan = Plan(root, output, work, methods or LEARNED, quick=quick, seed=seed, jobs=jobs)
    if fresh:
        forget(plan)
    started = time.monotonic()
    try:
        run(plan, lambda line: click.echo(f"{time.monotonic() - started:6.0f} s  {line}"))
    except TruthError as error:
        raise click.UsageError(str(error)) from None
    except PhotoError as error:
        raise click.ClickException(str(error)) from None


@click.command(
    "train-extractor",
    epilog="""\b
Examples:
  setml train-extractor                          from scenes drawn by program
  setml train-extractor --from ../photographs    and from labelled photographs""",
)
@_from
@_output
@_work
@click.option("--quick", is_flag=True, help="A trial in a few minutes.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all that is left to chance.")
def train_extractor(root: Path | None, output: Path, work: Path, quick: bool, seed: int) -> None:
    """Train the net that finds cards, and export it as ONNX."""
    from setml.photo import PhotoError

    if root is not None:
        _check_labels(root)
    need_training()
    from setml.training.data import Plan
    from setml.training.fit_extractor import train_extractor as train

    started = time.monotonic()
    try:
        train(
            Plan(root, output, work, quick=quick, seed=seed),
            lambda line: click.echo(f"{time.monotonic() - started:6.0f} s  {line}"),
        )
    except PhotoError as error:
        raise click.ClickException(str(error)) from None


def need_training() -> None:
    """Make sure that what training needs is installed, and quieten what it would say besides.

    Raises
    ------
    UsageError
        If something is missing.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        with _silent():
            import skl2onnx  # noqa: F401
            import tensorflow as tf
    except ImportError as error:
        raise click.UsageError(f"training needs {error.name}; install it by: pip install 'setml[train]'") from None
    tf.get_logger().setLevel("ERROR")


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Close standard error for a while: what TensorFlow writes there as it starts heeds no level."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _check_labels(root: Path) -> None:
    """Find out about labels that cannot be understood before TensorFlow is loaded."""
    from setml.datasets.crops import list_crops
    from setml.datasets.truth import TruthError, read_truth

    try:
        if (root / "tables").is_dir():
            read_truth(root / "tables")
        else:
            list_crops(root)
    except TruthError as error:
        raise click.UsageError(str(error)) from None
