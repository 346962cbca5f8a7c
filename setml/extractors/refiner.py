"""A look from near at each card that was found: where its corners are exactly, and whether it is a card at all."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.cores import share
from setml.extractors.pyramid import Pyramid
from setml.model import Model
from setml.symbols import ASPECT

Quads = npt.NDArray[np.float32]

#: Width and height of a look, in pixels.
LOOK_SIZE: Final = (64, 88)
#: What a look shows around the card, in its short sides.
MARGIN: Final = 0.2
#: The corners of a card in its own plane, in short sides, and of what a look shows.
PLANE: Final = np.array([[-0.5, -ASPECT / 2], [0.5, -ASPECT / 2], [0.5, ASPECT / 2], [-0.5, ASPECT / 2]], np.float32)
SHOWN: Final = PLANE + np.sign(PLANE) * np.float32(MARGIN)
#: A look at a card with more pixels than this, in its short side, is taken from a reduced photo.
FINEST: Final = 100.0


class Refiner:
    """Moves corners to where they are, and judges.

    Parameters
    ----------
    path : Path
        Of the model.

    Raises
    ------
    ModelError
        If the model is missing or damaged.
    """

    def __init__(self, path: Path) -> None:
        self._loading = Model.load_soon([path])

    @property
    def model(self) -> Model:
        """The net, as soon as it is loaded; a damaged one raises ModelError here."""
        (model,) = self._loading.result()
        return model

    def refine(self, pyramid: Pyramid, corners: Quads) -> tuple[Quads, npt.NDArray[np.float32]]:
        """Take one look at each card.

        Parameters
        ----------
        pyramid : Pyramid
            The photo.
        corners : ndarray, float32, (n, 4, 2)
            In its pixels, clockwise, the first edge a short one; off by a tenth of a card or so.

        Returns
        -------
        corners : ndarray, float32, (n, 4, 2)
            Where they are.
        scores : ndarray, float32, (n,)
            How likely each is a card.
        """
        if not len(corners):
            return corners, np.empty(0, np.float32)
        parts = share(lambda part: self._refine(pyramid, corners[part]), len(corners))
        mended, scores = (np.concatenate(said) for said in zip(*parts, strict=True))
        return mended, scores

    def _refine(self, pyramid: Pyramid, corners: Quads) -> tuple[Quads, npt.NDArray[np.float32]]:
        said = self.model.run(look_at(pyramid, corners).astype(np.float32) / 255)
        return from_plane(PLANE + said["corners"].reshape(-1, 4, 2), corners), said["score"][:, 0]


def look_at(pyramid: Pyramid, corners: Quads) -> npt.NDArray[np.uint8]:
    """Cut each card out upright, with a margin: BGR, uint8, (n, H, W, 3).

    Parameters
    ----------
    pyramid : Pyramid
        The photo.
    corners : ndarray, float32, (n, 4, 2)
        In its pixels, clockwise, the first edge a short one.
    """
    target = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32) * np.array(LOOK_SIZE, np.float32)
    looks = np.empty((len(corners), LOOK_SIZE[1], LOOK_SIZE[0], 3), np.uint8)
    for look, quad in zip(looks, corners, strict=True):
        side = float(np.linalg.norm(quad[1] - quad[0]))
        source, scale = pyramid.level(max(0, int(np.ceil(np.log2(max(side, 1) / FINEST)))))
        shown = _map(SHOWN, PLANE, quad) * scale
        warp = cv2.getPerspectiveTransform(target, (shown - 0.5).astype(np.float32))
        way = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        cv2.warpPerspective(source, warp, LOOK_SIZE, look, flags=way, borderMode=cv2.BORDER_REPLICATE)
    return looks


def from_plane(points: npt.NDArray[np.floating], corners: Quads) -> Quads:
    """Map points of each card's own plane, (n, k, 2) in short sides, to pixels: (n, k, 2)."""
    pairs = zip(points, corners, strict=True)
    return np.stack([_map(each, PLANE, quad) for each, quad in pairs])


def to_plane(points: npt.NDArray[np.floating], corners: Quads) -> Quads:
    """Map pixels, (n, k, 2), to each card's own plane; the inverse of :func:`from_plane`."""
    pairs = zip(points, corners, strict=True)
    return np.stack([_map(each, quad, PLANE) for each, quad in pairs])


def _map(points: npt.NDArray[np.floating], source: Quads, target: Quads) -> Quads:
    warp = cv2.getPerspectiveTransform(np.asarray(source, np.float32), np.asarray(target, np.float32))
    return np.asarray(cv2.perspectiveTransform(points[None].astype(np.float32), warp)[0], np.float32)
