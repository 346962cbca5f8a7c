"""The interface of all extractors, and what they return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from setml.cores import share
from setml.extractors.pyramid import Pyramid
from setml.extractors.rectify import CROP_SIZES, rectify
from setml.photo import BGR, check_image


@dataclass(frozen=True)
class Detections:
    """The cards found in one image.

    Attributes
    ----------
    corners : ndarray, float32, (n, 4, 2)
        In pixels of the image, clockwise, the first edge a short one; some may lie outside.
    scores : ndarray, float32, (n,)
        How sure the extractor is that each is a card, 0 to 1.
    crops : ndarray, uint8, (n, 280, 180, 3)
        BGR, each card upright and flat.
    """

    corners: npt.NDArray[np.float32]
    scores: npt.NDArray[np.float32]
    crops: npt.NDArray[np.uint8]

    def __post_init__(self) -> None:
        n = len(self.corners)
        width, height = CROP_SIZES["card"]
        for name, shape in (("corners", (n, 4, 2)), ("scores", (n,)), ("crops", (n, height, width, 3))):
            found = getattr(self, name).shape
            if found != shape:
                raise ValueError(f"{name} has shape {found}; expected {shape}")

    def __len__(self) -> int:
        return len(self.corners)


class Extractor(ABC):
    """Finds the cards in an image; a subclass says how in :meth:`find`."""

    #: The name by which the command line and the comparison know it.
    name: ClassVar[str]
    #: Pixels of a photo's longer side that suffice to find cards.
    enough: ClassVar[int] = 800

    @abstractmethod
    def find(self, pyramid: Pyramid) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Find the cards.

        Parameters
        ----------
        pyramid : Pyramid
            The image, at its own size and at halves of it.

        Returns
        -------
        corners : ndarray, float32, (n, 4, 2)
            Clockwise, the first edge a short one, in pixels of the image at its own size.
        scores : ndarray, float32, (n,)
            0 to 1.
        """

    def load(self) -> None:
        """Wait until what was learned is loaded, and raise ModelError if it is damaged; rules have nothing to load."""
        return

    def extract(self, image: BGR) -> Detections:
        """Find the cards and cut them out; `image` is BGR, uint8, H x W x 3.

        The cards come in reading order: by rows from above, each from the left.
        """
        check_image(image)
        pyramid = Pyramid(image)
        corners, scores = self.find(pyramid)
        order = reading_order(corners)
        return cut(pyramid, corners[order], scores[order])


def cut(pyramid: Pyramid, corners: npt.NDArray[np.float32], scores: npt.NDArray[np.float32]) -> Detections:
    """Cut cards out of a photo; parameters are as the attributes of :class:`Detections`."""
    width, height = CROP_SIZES["card"]
    crops = np.empty((len(corners), height, width, 3), np.uint8)

    def cut_some(part: slice) -> None:
        for crop, quad in zip(crops[part], corners[part], strict=True):
            source, scale = pyramid.level(_halvings(quad, height))
            rectify(source, quad * scale, out=crop)

    share(cut_some, len(corners))
    return Detections(corners, scores, crops)


def _halvings(quad: npt.NDArray[np.float32], height: int) -> int:
    """Tell how often a photo can be halved and still show a card with about as many pixels as its crop has."""
    longest = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1).max()
    return max(0, round(float(np.log2(max(longest / height, 1)))))


def reading_order(corners: npt.NDArray[np.floating]) -> npt.NDArray[np.intp]:
    """Order quadrilaterals as one reads: by rows from above, each row from the left.

    Parameters
    ----------
    corners : ndarray, (n, 4, 2)

    Returns
    -------
    ndarray, int, (n,)
        Places in `corners`.
    """
    if not len(corners):
        return np.empty(0, np.intp)
    centers = corners.mean(axis=1)
    # Not np.median, which imports numpy.ma: 9 ms of a process that solves one photo.
    height = np.quantile(np.ptp(corners[..., 1], axis=1), 0.5)
    by_height = np.argsort(centers[:, 1], kind="stable")
    # A new row begins where the next card lies half a card lower than the one before it.
    steps = np.diff(centers[by_height, 1], prepend=centers[by_height[0], 1])
    rows = np.empty(len(corners), np.intp)
    rows[by_height] = np.cumsum(steps > height / 2)
    return np.lexsort((centers[:, 0], rows))
