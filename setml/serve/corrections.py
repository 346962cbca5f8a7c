"""Crops of the cards that players corrected, kept in the form that training takes: ``2RTD/NAME.png``."""

from __future__ import annotations

import uuid
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from setml.cards import Card
from setml.extractors.rectify import rectify
from setml.files import write_picture
from setml.photo import PhotoError, read_photo

#: A card with fewer pixels than this, in its short side, teaches nothing.
LEAST_SIDE = 16.0


def keep_crop(folder: Path, data: bytes, card: Card, corners: npt.NDArray[np.float32]) -> Path:
    """Cut one card out of a photo and keep it under its code; nothing else of the photo is kept.

    Parameters
    ----------
    folder : Path
        Of all that is kept.
    data : bytes
        The photo.
    card : Card
        What it really is.
    corners : ndarray, float32, (4, 2)
        In pixels of the photo as seen, clockwise, the first edge a short one.

    Returns
    -------
    Path
        The file, ``folder/2RTD/NAME.png``, of a name made up here.

    Raises
    ------
    PhotoError
        If the photo cannot be read, or has no card's size at those corners.
    """
    photo = read_photo(data)
    height, width = photo.image.shape[:2]
    inside = np.isfinite(corners).all() and (np.abs(corners) < 2 * max(width, height)).all()
    if not inside or not cv2.isContourConvex(corners) or np.linalg.norm(corners[1] - corners[0]) < LEAST_SIDE:
        raise PhotoError(f"the corners are {corners.round().tolist()}; expected those of a card in {width} x {height}")
    path = folder / card.code / f"{uuid.uuid4().hex}.png"
    write_picture(path, rectify(photo.image, corners))
    return path
