"""A photo at its own size and at halves of it, each made when it is first asked for."""

from __future__ import annotations

from threading import Lock

import cv2
import numpy as np
import numpy.typing as npt

from setml.photo import BGR


class Pyramid:
    """A photo at several sizes.

    Parameters
    ----------
    image : ndarray
        BGR, uint8, H x W x 3.

    Examples
    --------
    >>> pyramid = Pyramid(np.zeros((301, 400, 3), np.uint8))
    >>> half, scale = pyramid.level(1)
    >>> half.shape, scale.round(3).tolist()
    ((150, 200, 3), [0.5, 0.498])
    """

    def __init__(self, image: BGR) -> None:
        self.image = image
        self._levels = [image]
        self._halving = Lock()

    def level(self, halvings: int) -> tuple[BGR, npt.NDArray[np.float64]]:
        """Return the photo halved so many times, and what coordinates are to be multiplied with, (x, y)."""
        with self._halving:
            while len(self._levels) <= halvings:
                size = [max(1, side // 2) for side in self._levels[-1].shape[1::-1]]
                # Halving is the one reduction that OpenCV has a quick way for.
                half = cv2.resize(self._levels[-1], size, interpolation=cv2.INTER_AREA)
                self._levels.append(np.asarray(half, np.uint8))
        level = self._levels[halvings]
        return level, np.array(level.shape[1::-1]) / self.image.shape[1::-1]

    def at_most(self, longer_side: int) -> tuple[BGR, npt.NDArray[np.float64]]:
        """Return the largest level of at most so many pixels, and its scale."""
        return self.level(max(0, int(np.ceil(np.log2(max(self.image.shape[:2]) / longer_side)))))
