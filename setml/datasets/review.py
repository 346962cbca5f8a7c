"""Crops that others have labelled, looked through before anything learns from them: the doubtful first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from setml.cards import ATTRIBUTES, VALUES, Card
from setml.classifiers.base import Classifier
from setml.datasets.crops import CropFile, read_crops
from setml.photo import BGR

#: Width and height of a crop on a page, and the height of the text below it, in pixels.
_CELL: Final = (135, 210)
_TEXT: Final = 46


@dataclass(frozen=True)
class Opinion:
    """What a classifier thinks of a label.

    Attributes
    ----------
    file : CropFile
        The crop, and what it is said to be.
    read : Card or None
        What it is read as; None for what seems to be no card.
    agrees : float
        The probability that the label is right.
    """

    file: CropFile
    read: Card | None
    agrees: float


def review(files: Sequence[CropFile], classifier: Classifier) -> list[Opinion]:
    """Compare labels with what a classifier reads; the least likely labels come first.

    Raises
    ------
    PhotoError
        If a crop cannot be read.
    """
    if not files:
        return []
    readings = classifier.read(read_crops(files).images)
    opinions = []
    for file, values, is_card in zip(files, readings.values, readings.is_card, strict=True):
        places = values.argmax(axis=1)
        read = Card(*(VALUES[name][place] for name, place in zip(ATTRIBUTES, places, strict=True)))
        right = (
            float(is_card * values[np.arange(4), list(file.card.places)].prod()) if file.card else 1 - float(is_card)
        )
        opinions.append(Opinion(file, read if is_card >= 0.5 else None, right))
    return sorted(opinions, key=lambda opinion: opinion.agrees)


def draw_review(opinions: Sequence[Opinion], columns: int = 8) -> BGR:
    """Draw the crops of some opinions side by side, with their label and, if it differs, what is read.

    Returns
    -------
    ndarray
        BGR, uint8, H x W x 3.
    """
    images = read_crops([opinion.file for opinion in opinions], _CELL).images
    rows = -(-len(opinions) // columns)
    width, height = _CELL[0] + 8, _CELL[1] + _TEXT
    page = Image.new("RGB", (columns * width, rows * height), "white")
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(17)
    for place, (opinion, image) in enumerate(zip(opinions, images, strict=True)):
        x, y = place % columns * width, place // columns * height
        page.paste(Image.fromarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB)), (x, y))
        draw.text((x + 2, y + _CELL[1] + 2), f"{place + 1}: {opinion.file.card.code}", "black", font)
        if opinion.read != opinion.file.card:
            draw.text(
                (x + 2, y + _CELL[1] + 22), f"read {opinion.read.code if opinion.read else 'no card'}", "red", font
            )
    return np.asarray(cv2.cvtColor(np.asarray(page), cv2.COLOR_RGB2BGR), np.uint8)


def drop(folder: Path, names: Sequence[str]) -> Path:
    """Move crops out of a folder into the one beside it that is named after it, ``-dropped``; nothing is deleted.

    Raises
    ------
    FileNotFoundError
        If the folder has no crop of that name.
    FileExistsError
        If one of that name was dropped before.
    """
    dropped = folder.with_name(f"{folder.name}-dropped")
    inside = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    for name in names:
        if name not in inside:
            raise FileNotFoundError(2, "there is no such crop", name)
    for name in names:
        target = dropped / name
        target.parent.mkdir(parents=True, exist_ok=True)
        # Unlike a rename, a link never replaces a file.
        os.link(inside[name], target)
        inside[name].unlink()
    return dropped
