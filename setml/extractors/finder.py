"""The extractor that has learned where cards are: a small net that sees the whole photo at once."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.extractors.base import Extractor
from setml.extractors.quads import decode
from setml.model import Model, models_folder
from setml.photo import BGR

Quads = npt.NDArray[np.float32]

#: Pixels of the longer side at which the net sees a photo, and of which both sides are multiples.
LONGER_SIDE: Final = 320
COARSEST: Final = 32
#: Pixels of what the net sees to one of its answer.
STRIDE: Final = 4
#: A peak of less heat is no card.
LEAST_HEAT: Final = 0.3
#: Two quadrilaterals that share more than this, intersection over union, are one card.
MOST_OVERLAP: Final = 0.35


class Finder(Extractor):
    """Finds cards with a net.

    The net gives for each place of the photo how likely the middle of a card lies there, and the card's corners as
    numbers that half a turn does not change (see :mod:`setml.extractors.quads`); its peaks are the cards.

    Parameters
    ----------
    path : Path, optional
        Of the model, in place of the one that ships.

    Raises
    ------
    ModelError
        If the model is missing or damaged.
    """

    name: ClassVar[str] = "finder"

    def __init__(self, path: Path | None = None) -> None:
        self.model = Model.load(path or models_folder() / "finder" / "finder.onnx")

    def find(self, image: BGR) -> tuple[Quads, npt.NDArray[np.float32]]:
        """Find the cards; see :meth:`setml.extractors.base.Extractor.find`."""
        seen = reduce(image)
        said = self.model.run(seen.astype(np.float32)[None] / 255)
        corners, scores = decode_peaks(said["heat"][0, ..., 0], said["quad"][0])
        scale = np.array(image.shape[1::-1]) / seen.shape[1::-1]
        return (corners * scale).astype(np.float32), scores


def reduce(image: BGR) -> BGR:
    """Reduce a photo to what the net sees: BGR, uint8, (H, W, 3) to one 320 pixels long, sides multiples of 32."""
    scale = LONGER_SIDE / max(image.shape[:2])
    size = [max(COARSEST, round(side * scale / COARSEST) * COARSEST) for side in image.shape[1::-1]]
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def decode_peaks(
    heat: npt.NDArray[np.float32], numbers: npt.NDArray[np.float32]
) -> tuple[Quads, npt.NDArray[np.float32]]:
    """Turn the net's answer to cards.

    Parameters
    ----------
    heat : ndarray, float32, (h, w)
        How likely a card's middle lies there.
    numbers : ndarray, float32, (h, w, 8)
        What its corners are, if so.

    Returns
    -------
    corners : ndarray, float32, (n, 4, 2)
        In pixels of what the net saw.
    scores : ndarray, float32, (n,)
        The heats.
    """
    highest = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= highest) & (heat >= LEAST_HEAT))
    found = numbers[ys, xs].astype(float)
    found[:, 0] += xs + 0.5
    found[:, 1] += ys + 0.5
    corners = (decode(found) * STRIDE).astype(np.float32)
    scores = heat[ys, xs]
    kept: list[int] = []
    for place in np.argsort(-scores, kind="stable"):
        if all(_overlap(corners[place], corners[other]) <= MOST_OVERLAP for other in kept):
            kept.append(int(place))
    return corners[kept].reshape(-1, 4, 2), scores[kept]


def _overlap(a: Quads, b: Quads) -> float:
    """Intersection over union of two convex quadrilaterals."""
    both, _ = cv2.intersectConvexConvex(a, b)
    return float(both / max(cv2.contourArea(a) + cv2.contourArea(b) - both, 1e-6))
