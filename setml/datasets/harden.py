"""Labelled photographs made harder: under a colored lamp, overexposed, out of focus, from far away."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import cv2
import numpy as np

from setml.datasets.truth import Truth
from setml.files import write_file, write_picture
from setml.photo import BGR, read_photo

#: The longer side of what is written, at most, in pixels.
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
        Of lamps.
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
    for place, truth in enumerate(truths):
        way = ways[place % len(ways)]
        photo = read_photo(truth.path)
        factor = min(1.0, LONGER_SIDE / max(photo.image.shape))
        image = np.asarray(cv2.resize(photo.image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
        image = WAYS[way](image, rng)
        name = f"{truth.source}/{way}-{truth.path.stem}.jpg"
        write_picture(folder / name, image, overwrite=overwrite)
        labels[name] = _label(truth, way, image)
    write_file(folder / "labels.json", json.dumps({"photos": labels}, indent=1).encode(), overwrite=overwrite)


def _label(truth: Truth, way: str, image: BGR) -> dict[str, Any]:
    """Put the truth in the form of ``labels.json``, in pixels of the written image; the way stands for the edition."""
    height, width = image.shape[:2]
    scale = np.array([width / truth.width, height / truth.height])
    return {
        "source": truth.source,
        "split": truth.split,
        "edition": way,
        "width": width,
        "height": height,
        "cards": [
            {**card.to_dict(), "corners": np.round(quad * scale, 1).tolist()}
            for card, quad in zip(truth.cards, truth.corners, strict=True)
        ],
        "ignore": np.round(truth.ignore * np.tile(scale, 2), 1).tolist(),
    }


def _lamp(image: BGR, rng: np.random.Generator) -> BGR:
    """Light by a lamp of strong color that the camera does not make up for."""
    warmth = rng.choice([-1, 1]) * rng.uniform(0.35, 0.6)
    gains = np.exp([-warmth, 0.1 * rng.normal(), warmth])
    lit = (image / 255.0) ** rng.uniform(0.85, 1.25) * (gains / gains.max())
    return np.asarray(np.clip(lit * 255, 0, 255), np.uint8)


def _overexpose(image: BGR, rng: np.random.Generator) -> BGR:
    """Light by a lamp of any color, so bright that paper and inks reach the end of some channels."""
    gains = np.exp(rng.normal(0, 0.35, 3))
    paper = max(float(np.percentile(image.max(axis=2), 90)), 1.0)
    return np.asarray(np.clip(image * (rng.uniform(0.9, 1.5) * 255 / paper * gains / gains.mean()), 0, 255), np.uint8)


def _blur(image: BGR, rng: np.random.Generator) -> BGR:
    """Take the picture out of focus."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), max(image.shape) * rng.uniform(0.0015, 0.003)), np.uint8)


def _shrink(image: BGR, rng: np.random.Generator) -> BGR:
    """Take the picture with half as many pixels a side, or fewer."""
    factor = rng.uniform(0.35, 0.5)
    return np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)


#: In what ways a photograph is made harder, by name.
WAYS: Final[Mapping[str, Callable[[BGR, np.random.Generator], BGR]]] = MappingProxyType(
    {"lamp": _lamp, "overexposed": _overexpose, "blur": _blur, "small": _shrink}
)
