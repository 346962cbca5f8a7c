"""Labelled photographs made harder: in bad light, out of focus, of fewer pixels, from far away, held askew."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.datasets.truth import Truth
from setml.files import write_file, write_picture
from setml.photo import BGR, read_photo

#: How pixels of a photograph map to those of what is made of it: (2, 3), affine.
Affine = npt.NDArray[np.float64]

#: The longer side of a photograph, at most, in pixels, before it is made harder.
LONGER_SIDE: Final = 1400


def harden(truths: Sequence[Truth], folder: Path, seed: int = 0, *, overwrite: bool = False) -> None:
    """Write photographs anew, each made harder in one way, and their ``labels.json``.

    Parameters
    ----------
    truths : sequence of Truth
        The photographs; the ways take turns.
    folder : Path
        For the photographs, named by the way, and the labels.
    seed : int
        Of all that is left to chance.
    overwrite : bool
        Replace files that are there.

    Raises
    ------
    PhotoError
        If one cannot be read.
    FileExistsError
        If a file is there already and `overwrite` is not set.
    """
    rng = np.random.default_rng(seed)
    ways = list(WAYS)
    labels = {}
    for turn, truth in enumerate(truths):
        way = ways[turn % len(ways)]
        photo = read_photo(truth.path)
        factor = min(1.0, LONGER_SIDE / max(photo.image.shape))
        image = np.asarray(cv2.resize(photo.image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
        scale = np.array(image.shape[1::-1]) / (truth.width, truth.height)
        harder, moved = WAYS[way](image, rng)
        name = f"{truth.source}/{way}-{truth.path.stem}.jpg"
        write_picture(folder / name, harder, overwrite=overwrite)
        labels[name] = _label(truth, way, harder, moved @ np.diag([*scale, 1]))
    write_file(folder / "labels.json", json.dumps({"photos": labels}, indent=1).encode(), overwrite=overwrite)


def _label(truth: Truth, way: str, image: BGR, moved: Affine) -> dict[str, Any]:
    """Put the truth in the form of ``labels.json``, in pixels of the written image; the way stands for the edition."""
    height, width = image.shape[:2]
    boxes = _move(truth.ignore[:, [[0, 1], [2, 1], [2, 3], [0, 3]]], moved)
    return {
        "source": truth.source,
        "split": truth.split,
        "edition": way,
        "width": width,
        "height": height,
        "cards": [
            {**card.to_dict(), "corners": np.round(quad, 1).tolist()}
            for card, quad in zip(truth.cards, _move(truth.corners, moved), strict=True)
        ],
        "ignore": np.round(np.hstack([boxes.min(axis=1), boxes.max(axis=1)]), 1).tolist(),
    }


def _move(quads: npt.NDArray[np.floating], moved: Affine) -> npt.NDArray[np.float64]:
    return np.asarray(quads @ moved[:, :2].T + moved[:, 2]).reshape(-1, 4, 2)


def _in_place(image: npt.NDArray[Any], scale: float = 1.0) -> tuple[BGR, Affine]:
    return np.asarray(image, np.uint8), np.eye(2, 3) * scale


def _lamp(image: BGR, rng: np.random.Generator) -> tuple[BGR, Affine]:
    """Light by a lamp of strong color that the camera does not make up for."""
    warmth = rng.choice([-1, 1]) * rng.uniform(0.35, 0.6)
    gains = np.exp([-warmth, 0.1 * rng.normal(), warmth])
    lit = (image / 255.0) ** rng.uniform(0.85, 1.25) * (gains / gains.max())
    return _in_place(np.clip(lit * 255, 0, 255))


def _overexpose(image: BGR, rng: np.random.Generator) -> tuple[BGR, Affine]:
    """Light by a lamp of any color, so bright that paper and inks reach the end of some channels."""
    gains = np.exp(rng.normal(0, 0.35, 3))
    paper = max(float(np.percentile(image.max(axis=2), 90)), 1.0)
    return _in_place(np.clip(image * (rng.uniform(0.9, 1.5) * 255 / paper * gains / gains.mean()), 0, 255))


def _blur(image: BGR, rng: np.random.Generator) -> tuple[BGR, Affine]:
    """Take the picture out of focus."""
    return _in_place(cv2.GaussianBlur(image, (0, 0), max(image.shape) * rng.uniform(0.0015, 0.003)))


def _shrink(image: BGR, rng: np.random.Generator) -> tuple[BGR, Affine]:
    """Take the picture with half as many pixels a side, or fewer."""
    factor = rng.uniform(0.35, 0.5)
    return _in_place(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), factor)


def _step_back(image: BGR, rng: np.random.Generator) -> tuple[BGR, Affine]:
    """Take the picture from so far that what it showed is half to a third as long; around it, a blurred table."""
    height, width = image.shape[:2]
    times = rng.uniform(2, 3)
    room = (np.array([width, height]) * (times - 1)).astype(int)
    left, top = (int(part) for part in rng.uniform(0, room))
    wide = cv2.copyMakeBorder(image, top, room[1] - top, left, room[0] - left, cv2.BORDER_REPLICATE)
    small = cv2.resize(wide, None, fx=1 / 8, fy=1 / 8, interpolation=cv2.INTER_AREA)
    wide = cv2.resize(cv2.GaussianBlur(small, (0, 0), 0.04 * small.shape[1]), wide.shape[1::-1])
    wide[top : top + height, left : left + width] = image
    return np.asarray(wide, np.uint8), np.array([[1, 0, left], [0, 1, top]], float)


def _turn(image: BGR, rng: np.random.Generator) -> tuple[BGR, Affine]:
    """Hold the camera askew; around the picture, the color of most of the table."""
    height, width = image.shape[:2]
    turn = rng.choice([-1, 1]) * rng.uniform(20, 70)
    moved = np.asarray(cv2.getRotationMatrix2D((0, 0), turn, 1), np.float64)
    outline = _move(np.array([[0, 0], [width, 0], [width, height], [0, height]]), moved)[0]
    moved[:, 2] -= outline.min(axis=0)
    size = np.ceil(np.ptp(outline, axis=0)).astype(int)
    around = np.median(image.reshape(-1, 3), axis=0).tolist()
    return np.asarray(cv2.warpAffine(image, moved, size, flags=cv2.INTER_AREA, borderValue=around), np.uint8), moved


#: In what ways a photograph is made harder, by name.
WAYS: Final[Mapping[str, Callable[[BGR, np.random.Generator], tuple[BGR, Affine]]]] = MappingProxyType(
    {"lamp": _lamp, "overexposed": _overexpose, "blur": _blur, "small": _shrink, "far": _step_back, "turned": _turn}
)
