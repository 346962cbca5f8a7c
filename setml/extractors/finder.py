"""The extractor that has learned where cards are: a glance at the whole photo, then a few looks at each card."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.cores import cores
from setml.extractors.base import Extractor
from setml.extractors.pyramid import Pyramid
from setml.extractors.quads import areas_of, decode, may_overlap, overlap
from setml.extractors.refiner import Refiner
from setml.model import Model, models_folder
from setml.photo import BGR
from setml.symbols import ASPECT

Quads = npt.NDArray[np.float32]

#: Pixels of the longer side at which the net sees a photo, and of which both sides are multiples.
LONGER_SIDE: Final = 320
COARSEST: Final = 32
#: Pixels of the longer side from which a larger photo is reduced to that; until then it is halved, which is quicker.
WORKING_SIDE: Final = 1400
#: Pixels of what the net sees to one of its answer.
STRIDE: Final = 4
#: Where half of the cards are less wide than this, in pixels of what the net sees, it sees the part of the photo that
#: holds them once more, in which they are this wide, or as wide as so many pixels of the part's longer side allow.
SMALL: Final = 24
NEAR: Final = 32
MOST_PIXELS_NEAR: Final = 480
#: A peak of this heat may tell where cards lie, if not that there is one.
HINT: Final = 0.1
#: A peak of less heat is no card.
LEAST_HEAT: Final = 0.45
#: Looked at from near, only what is surely no card is dropped: a classifier sees it from nearer still.
LEAST_SCORE: Final = 0.02
#: A card of which the second look moves a corner by more than this, in its short sides, is looked at again; so many
#: looks at most.
STEP: Final = 0.08
MOST_LOOKS: Final = 4
#: Two quadrilaterals that share more than this, intersection over union, are one card.
MOST_OVERLAP: Final = 0.35


class Glance(Extractor):
    """Finds cards by one net that sees the whole photo.

    It gives for each place of the photo how likely the middle of a card lies there, and the card's corners as numbers
    that half a turn does not change (see :mod:`setml.extractors.quads`); its peaks are the cards. After Zhou, Wang and
    Kraehenbuehl, "Objects as points", 2019. Where the cards turn out small, it sees their part of the photo larger.

    Parameters
    ----------
    folder : Path, optional
        Of the models, in place of the one that ships.
    least_heat : float
        What is less likely to be a card is none.

    Raises
    ------
    ModelError
        If the model is missing or damaged.
    """

    name: ClassVar[str] = "glance"

    def __init__(self, folder: Path | None = None, least_heat: float = LEAST_HEAT) -> None:
        self.least_heat = least_heat
        self._loading = Model.load_soon([(folder or models_folder() / "finder") / "finder.onnx"], min(2, cores()))

    @property
    def model(self) -> Model:
        """The net, as soon as it is loaded; a damaged one raises ModelError here."""
        (model,) = self._loading.result()
        return model

    def load(self) -> None:
        """Wait for the model; see :meth:`setml.extractors.base.Extractor.load`."""
        _ = self.model

    def find(self, pyramid: Pyramid) -> tuple[Quads, npt.NDArray[np.float32]]:
        """Find the cards; see :meth:`setml.extractors.base.Extractor.find`."""
        image, scale = pyramid.at_most(WORKING_SIDE)
        corners, heats = self._see(image, LONGER_SIDE)
        if heats.max(initial=0) < LEAST_HEAT:
            # One card may fill the picture.
            corners, heats = self._see(image, LONGER_SIDE / 2)
        sure = corners[heats >= LEAST_HEAT]
        if len(sure):
            width = float(np.quantile(np.sqrt(areas_of(sure) / ASPECT), 0.5))
            if width * LONGER_SIDE / max(image.shape) < SMALL:
                near, heats_near = self._see_nearer(image, corners, width)
                corners, heats = np.concatenate([near, corners]), np.concatenate([heats_near, heats])
        kept = suppress(corners, heats, self.least_heat)
        return (corners[kept] / scale).astype(np.float32), heats[kept]

    def _see_nearer(self, image: BGR, corners: Quads, width: float) -> tuple[Quads, npt.NDArray[np.float32]]:
        """See the part of an image that holds cards about so wide, larger; parameters in the image's own pixels."""
        around = 1.6 * float(np.sqrt(areas_of(corners).max() / ASPECT))
        left, top = np.maximum(corners.min(axis=(0, 1)) - around, 0).astype(int)
        right, bottom = np.minimum(corners.max(axis=(0, 1)) + around, image.shape[1::-1]).astype(int)
        part = image[top:bottom, left:right]
        near, heats = self._see(part, min(max(part.shape) * NEAR / width, MOST_PIXELS_NEAR))
        return near + np.array([left, top], np.float32), heats

    def _see(self, image: BGR, longer_side: float) -> tuple[Quads, npt.NDArray[np.float32]]:
        """Run the net on an image, so many pixels long; return what may be cards, in the image's own pixels."""
        seen = reduce(image, longer_side)
        said = self.model.run(seen.astype(np.float32)[None] / 255)
        least = min(self.least_heat, HINT)
        corners, heats = decode_peaks(said["heat"][0, ..., 0], said["quad"][0], least)
        return (corners * (np.array(image.shape[1::-1]) / seen.shape[1::-1])).astype(np.float32), heats


class Finder(Extractor):
    """Finds cards at a glance, then looks at each from near: moves its corners to where they are, and judges.

    Two nets of one make do so one after the other, the first of which has learned from the glance's own errors; where
    the second still moves a corner, it looks again. A cascade, after Cai and Vasconcelos, "Cascade R-CNN: delving into
    high quality object detection", 2018.

    Parameters
    ----------
    folder, least_heat
        As those of :class:`Glance`.

    Raises
    ------
    ModelError
        If a model is missing or damaged.
    """

    name: ClassVar[str] = "finder"

    def __init__(self, folder: Path | None = None, least_heat: float = LEAST_HEAT) -> None:
        self.glance = Glance(folder, least_heat)
        folder = folder or models_folder() / "finder"
        self.first_look, self.second_look = (Refiner(folder / f"refiner-{look}.onnx") for look in (1, 2))

    def load(self) -> None:
        """Wait for the models; see :meth:`setml.extractors.base.Extractor.load`."""
        _ = self.glance.model, self.first_look.model, self.second_look.model

    def find(self, pyramid: Pyramid) -> tuple[Quads, npt.NDArray[np.float32]]:
        """Find the cards; see :meth:`setml.extractors.base.Extractor.find`."""
        corners, _ = self.glance.find(pyramid)
        corners, scores = self.first_look.refine(pyramid, corners)
        corners, scores = self._look_until_still(pyramid, corners[scores >= LEAST_SCORE])
        kept = suppress(corners, scores, LEAST_SCORE)
        return corners[kept], scores[kept]

    def _look_until_still(self, pyramid: Pyramid, corners: Quads) -> tuple[Quads, npt.NDArray[np.float32]]:
        """Take the second look, and take it again at those whose corners it still moves."""
        corners, scores = corners.copy(), np.zeros(len(corners), np.float32)
        moving = np.arange(len(corners))
        for _ in range(MOST_LOOKS):
            before = corners[moving]
            corners[moving], scores[moving] = self.second_look.refine(pyramid, before)
            steps = np.linalg.norm(corners[moving] - before, axis=2).max(axis=1)
            moving = moving[steps > STEP * np.linalg.norm(before[:, 1] - before[:, 0], axis=1)]
        return corners, scores


def reduce(image: BGR, longer_side: float = LONGER_SIDE) -> BGR:
    """Reduce a photo to what the net sees: BGR, uint8, (H, W, 3) to one so long, sides multiples of 32."""
    scale = longer_side / max(image.shape[:2])
    width, height = (max(COARSEST, round(side * scale / COARSEST) * COARSEST) for side in image.shape[1::-1])
    # To twice the size, then halved: much quicker than the mean over areas, and what is found is the same.
    twice = cv2.resize(image, (2 * width, 2 * height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(cv2.resize(twice, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def decode_peaks(
    heat: npt.NDArray[np.float32], numbers: npt.NDArray[np.float32], least: float = LEAST_HEAT
) -> tuple[Quads, npt.NDArray[np.float32]]:
    """Turn the net's answer to cards.

    Parameters
    ----------
    heat : ndarray, float32, (h, w)
        How likely a card's middle lies there.
    numbers : ndarray, float32, (h, w, 8)
        What its corners are, if so.
    least : float
        A peak of less heat is none.

    Returns
    -------
    corners : ndarray, float32, (n, 4, 2)
        In pixels of what the net saw.
    heats : ndarray, float32, (n,)
    """
    highest = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    ys, xs = np.nonzero((heat >= highest) & (heat >= least))
    found = numbers[ys, xs].astype(float)
    found[:, 0] += xs + 0.5
    found[:, 1] += ys + 0.5
    corners = (decode(found) * STRIDE).astype(np.float32)
    heats = heat[ys, xs]
    kept = suppress(corners, heats, least)
    return corners[kept], heats[kept]


def suppress(corners: Quads, scores: npt.NDArray[np.float32], least: float) -> npt.NDArray[np.intp]:
    """Choose those of at least some score that share little with any of a higher one.

    Parameters
    ----------
    corners : ndarray, float32, (n, 4, 2)
    scores : ndarray, float32, (n,)
    least : float

    Returns
    -------
    ndarray, int, (m,)
        Their places, the highest score first.
    """
    near = may_overlap(corners, MOST_OVERLAP)
    kept = np.zeros(len(corners), bool)
    order = [place for place in np.argsort(-scores, kind="stable") if scores[place] >= least]
    for place in order:
        others = np.flatnonzero(near[place] & kept)
        kept[place] = all(overlap(corners[place], corners[other]) <= MOST_OVERLAP for other in others)
    return np.array([place for place in order if kept[place]], np.intp)
