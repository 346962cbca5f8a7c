"""``setml data``: labelled pictures drawn by program."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.group()
def data() -> None:
    """Make labelled data."""


@data.command(
    epilog="""\b
Examples:
  setml data draw tables/ --tables 100 --seed 7
  setml data draw data/samples --samples --overwrite"""
)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--tables", type=click.IntRange(min=1), default=10, show_default=True, help="How many photographs.")
@click.option("--cards", type=click.IntRange(0, 81), default=12, show_default=True, help="Cards on each.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of all that is left to chance.")
@click.option("--samples", is_flag=True, help="Draw the project's own samples instead.")
@click.option("--overwrite", is_flag=True, help="Replace files that are there.")
def draw(folder: Path, tables: int, cards: int, seed: int, samples: bool, overwrite: bool) -> None:
    """Draw photographs of tables into FOLDER, with their truth in labels.json."""
    from setml.datasets.cards import Edition
    from setml.datasets.samples import SAMPLES
    from setml.datasets.tables import draw_table
    from setml.files import write_file, write_picture

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
    try:
        for name, table in drawn.items():
            write_picture(folder / name, table.image, overwrite=overwrite)
        write_file(folder / "labels.json", json.dumps(truth, indent=1).encode() + b"\n", overwrite=overwrite)
    except FileExistsError as error:
        raise click.UsageError(f"{error.filename2} exists; name an empty folder, or add --overwrite") from None
    click.echo(f"{len(drawn)} tables in {folder}")
