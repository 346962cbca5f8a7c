"""``setml data``: labelled pictures, listed, fetched, verified, cut and drawn."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

_FOLDER = click.Path(path_type=Path, file_okay=False)
_OLD_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)


@click.group()
def data() -> None:
    """Get, check and make labelled data."""


@data.command(
    "list",
    epilog="""\b
Example:
  setml data list --split train""",
)
@click.option("--split", type=click.Choice(["train", "val", "test"]), help="Only the sources of this split.")
def list_sources(split: str | None) -> None:
    """List the public sources of photographs and crops: licence, split, edition, address."""
    from setml.datasets.catalogue import read_catalogue

    for source in read_catalogue().values():
        if split in (None, source.split):
            kinds = [*(["crops"] if source.crops else []), *(["tables"] if source.tables else [])]
            click.echo(
                f"{source.name:20}{source.split:7}{source.edition:11}{source.licence:14}{'+'.join(kinds):14}"
                f"{source.repository}@{source.commit[:7]}"
            )


@data.command(
    epilog="""\b
Examples:
  setml data fetch
  setml data fetch --from ../photographs"""
)
@click.argument("folder", type=_FOLDER, default=Path("data/downloads"))
@click.option("--from", "copy", type=_OLD_FOLDER, envvar="SETML_DATA", help="Use this local copy; fetch nothing.")
def fetch(folder: Path, copy: Path | None) -> None:
    """Download the crops that may be learned from into FOLDER (data/downloads); what is there is only verified."""
    from setml.datasets.catalogue import read_catalogue

    if copy is not None:
        _verify(copy)
        return
    try:
        from setml.datasets.fetch import FetchError, fetch
    except ImportError:
        raise click.UsageError("fetching needs pooch; install it by: pip install 'setml[train]'") from None

    sources = [source for source in read_catalogue().values() if source.split == "train"]
    try:
        count = fetch(sources, folder, click.echo, progress=sys.stderr.isatty())
    except FetchError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{count} crops in {folder}")


@data.command(
    epilog="""\b
Example:
  setml data verify ../photographs"""
)
@click.argument("folder", type=_OLD_FOLDER, envvar="SETML_DATA")
def verify(folder: Path) -> None:
    """Tell whether FOLDER holds the labelled copy of each source that the catalogue knows, unchanged."""
    _verify(folder)


def _verify(folder: Path) -> None:
    from setml.datasets.catalogue import digest_of, read_catalogue

    changed = []
    for source in read_catalogue().values():
        digest = digest_of(folder, source.name)
        state = "not there" if digest is None else "as it should be" if digest == source.copy_sha256 else "changed"
        if state == "changed":
            changed.append(source.name)
        click.echo(f"{source.name:20}{state}")
    if changed:
        raise click.ClickException(
            f"{folder}: {', '.join(changed)}: other files than those the catalogue knows; copy them anew"
        )


@data.command(
    epilog="""\b
Example:
  setml data cut tables/ crops/ --split train --copies 4 --jitter 0.02"""
)
@click.argument("tables", type=_OLD_FOLDER)
@click.argument("folder", type=_FOLDER)
@click.option("--split", help="Only the photographs of this split.")
@click.option("--copies", type=click.IntRange(min=1), default=1, show_default=True, help="Crops of each card.")
@click.option("--jitter", type=click.FloatRange(0, 0.2), default=0.0, help="How far corners are off, in short sides.")
@click.option("--negatives", type=click.IntRange(min=0), default=0, help="Crops of no card, from each photograph.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all that is left to chance.")
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
def cut(
    tables: Path,
    folder: Path,
    split: str | None,
    copies: int,
    jitter: float,
    negatives: int,
    seed: int,
    overwrite: bool,
) -> None:
    """Cut the cards of TABLES, a folder of labelled photographs, out by their true corners, into FOLDER."""
    from setml.datasets.crops import LabelledCrops, cut_crops
    from setml.datasets.export import write_crops
    from setml.datasets.negatives import cut_negatives
    from setml.datasets.truth import read_truth

    with _errors_in_a_line():
        truths = read_truth(tables, split)
        crops = cut_crops(truths, copies=copies, jitter=jitter, seed=seed)
        if negatives:
            crops = LabelledCrops.join([crops, cut_negatives(truths, each=negatives, seed=seed)])
        write_crops(crops, folder, overwrite=overwrite)
    click.echo(f"{len(crops)} crops in {folder}")


@data.command(
    epilog="""\b
Example:
  setml data harden tables/ harder/ --split val
  setml eval harder/ --by edition"""
)
@click.argument("tables", type=_OLD_FOLDER)
@click.argument("folder", type=_FOLDER)
@click.option("--split", help="Only the photographs of this split.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all that is left to chance.")
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
def harden(tables: Path, folder: Path, split: str | None, seed: int, overwrite: bool) -> None:
    """Write the labelled photographs of TABLES anew into FOLDER, each made harder, as by a lamp or from far away."""
    from setml.datasets.harden import harden as make_harder
    from setml.datasets.truth import read_truth

    with _errors_in_a_line():
        truths = read_truth(tables, split)
        make_harder(truths, folder, seed, overwrite=overwrite)
    click.echo(f"{len(truths)} photographs in {folder}")


@data.command(
    epilog="""\b
Examples:
  setml data draw tables/ --tables 100 --seed 7
  setml data draw crops/ --crops 4
  setml data draw data/samples --samples --overwrite"""
)
@click.argument("folder", type=_FOLDER)
@click.option("--tables", type=click.IntRange(min=1), default=10, show_default=True, help="How many photographs.")
@click.option("--cards", type=click.IntRange(0, 81), default=12, show_default=True, help="Cards on each.")
@click.option("--crops", type=click.IntRange(min=1), help="Draw single cards instead: so many of each of the 81.")
@click.option("--samples", is_flag=True, help="Draw the project's own samples instead.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all that is left to chance.")
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
def draw(folder: Path, tables: int, cards: int, crops: int | None, samples: bool, seed: int, overwrite: bool) -> None:
    """Draw photographs of tables, with their truth in labels.json, or single cards into FOLDER."""
    from setml.datasets.cards import Edition
    from setml.datasets.drawn import draw_crops
    from setml.datasets.export import write_crops
    from setml.datasets.samples import SAMPLES
    from setml.datasets.tables import draw_table
    from setml.files import write_file, write_picture

    with _errors_in_a_line():
        if crops is not None:
            write_crops(draw_crops(crops, seed), folder, overwrite=overwrite)
            click.echo(f"{81 * crops} crops in {folder}")
            return
        if samples:
            drawn = {f"{name}.jpg": make() for name, make in SAMPLES.items()}
        else:
            # One table in four is of the other edition.
            editions: tuple[Edition, ...] = ("classic", "classic", "classic", "rectangle")
            drawn = {
                f"table-{seed + place}.jpg": draw_table(cards, seed=seed + place, edition=editions[place % 4])
                for place in range(tables)
            }
        truth = {"photos": {name: table.to_dict() for name, table in drawn.items()}}
        for name, table in drawn.items():
            write_picture(folder / name, table.image, overwrite=overwrite)
        write_file(folder / "labels.json", json.dumps(truth, indent=1).encode() + b"\n", overwrite=overwrite)
    click.echo(f"{len(drawn)} tables in {folder}")


@data.command(
    epilog="""\b
Example:
  setml data augment augmented.png --from crops/ --rows 10"""
)
@click.argument("picture", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--from", "folder", type=_OLD_FOLDER, help="Labelled crops; drawn ones are taken without it.")
@click.option("--rows", type=click.IntRange(1, 100), default=8, show_default=True, help="Crops, one a row.")
@click.option("--columns", type=click.IntRange(1, 40), default=12, show_default=True, help="Ways each is spoiled.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all that is left to chance.")
@click.option("--overwrite", is_flag=True, help="Replace a picture that is there.")
def augment(picture: Path, folder: Path | None, rows: int, columns: int, seed: int, overwrite: bool) -> None:
    """Write a page of crops as training sees them, each row one crop, first as it is."""
    from setml.cli.train import need_training
    from setml.files import write_picture

    need_training()
    from setml.training.augmentation import draw_page

    with _errors_in_a_line():
        write_picture(picture, draw_page(folder, rows, columns, seed), overwrite=overwrite)
    click.echo(f"{picture}: {rows} crops, {columns} times each")


@data.command(
    epilog="""\b
Examples:
  setml data review corrections/ -o review.png
  setml data review corrections/ --drop 2RTD/5f1c.png
  setml train --from corrections/"""
)
@click.argument("folder", type=_OLD_FOLDER)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write a page of the crops here.")
@click.option(
    "--drop", "names", multiple=True, metavar="CROP", help="Move this crop out of FOLDER, into FOLDER-dropped."
)
@click.option("--most", type=click.IntRange(min=1), default=80, show_default=True, help="Crops that are shown.")
@click.option("--overwrite", is_flag=True, help="Replace a page that is there.")
def review(folder: Path, output: Path | None, names: tuple[str, ...], most: int, overwrite: bool) -> None:
    """List the labelled crops of FOLDER, such as players' corrections; those that seem wrong come first."""
    from setml.classifiers import CLASSIFIERS
    from setml.datasets.crops import list_crops
    from setml.datasets.review import draw_review, drop
    from setml.datasets.review import review as look_through
    from setml.files import write_picture
    from setml.solver import DEFAULT_CLASSIFIER

    with _errors_in_a_line():
        if names:
            if (folder / "crops.csv").exists():
                raise click.UsageError(f"{folder} has a crops.csv, which says what counts; take the row out of it")
            try:
                dropped = drop(folder, names)
            except FileNotFoundError as error:
                raise click.UsageError(f"{folder} has no crop {error.filename}; name it as it is listed") from None
            click.echo(f"{len(names)} crops moved to {dropped}")
        opinions = look_through(list_crops(folder), CLASSIFIERS[DEFAULT_CLASSIFIER]())
        for place, opinion in enumerate(opinions[:most], 1):
            told = "" if opinion.read == opinion.file.card else f"  read as {opinion.read or 'no card'}"
            click.echo(
                f"{place:4}  {opinion.file.path.relative_to(folder)}  {opinion.file.card}  {opinion.agrees:.3f}{told}"
            )
        if output is not None and opinions:
            write_picture(output, draw_review(opinions[:most]), overwrite=overwrite)
    click.echo(
        f"{len(opinions)} crops, {sum(opinion.read != opinion.file.card for opinion in opinions)} read otherwise"
    )


@contextmanager
def _errors_in_a_line() -> Iterator[None]:
    """Say in one line which labels or photo could not be read, or which file is in the way."""
    from setml.datasets.truth import TruthError
    from setml.photo import PhotoError

    try:
        yield
    except TruthError as error:
        raise click.UsageError(str(error)) from None
    except PhotoError as error:
        raise click.ClickException(str(error)) from None
    except FileExistsError as error:
        taken = error.filename2 or error.filename
        raise click.UsageError(f"{taken} exists; name another place, or add --overwrite") from None
