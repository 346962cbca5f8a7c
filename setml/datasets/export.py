"""Labelled crops as files: a folder for each card, and a table of them all."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

from setml.datasets.crops import LabelledCrops
from setml.files import write_file, write_picture

COLUMNS: Final = ("path", "card", "source", "split", "edition", "photo")
#: The folder of what shows no card.
NOTHING: Final = "not-a-card"


def write_crops(crops: LabelledCrops, folder: Path, *, overwrite: bool = False) -> None:
    """Write crops as ``2RTD/source-7.png`` and their truth as ``crops.csv``; what shows no card is not in it.

    Raises
    ------
    FileExistsError
        If a file is there already and `overwrite` is not set.
    """
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    for place, card in enumerate(crops.cards):
        name = f"{NOTHING if card is None else card.code}/{crops.sources[place]}-{place}.png"
        write_picture(folder / name, crops.images[place], overwrite=overwrite)
        if card is not None:
            kept = (crops.sources[place], crops.splits[place], crops.editions[place], crops.photos[place])
            table.writerow([name, card.code, *kept])
    write_file(folder / "crops.csv", text.getvalue().encode(), overwrite=overwrite)
