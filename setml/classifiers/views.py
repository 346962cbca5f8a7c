"""What each net looks at: a crop's ink or its colors, at the size that an attribute needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from setml.classifiers.base import Crops
from setml.symbols import least_channel, reflectance

#: Width and height to which every crop is brought first: stripes are just under three pixels apart.
WORKING_SIZE: Final = (112, 174)

Channels = Literal["ink", "color", "hue"]


@dataclass(frozen=True)
class View:
    """The input of a net.

    Attributes
    ----------
    size : (int, int)
        Width and height in pixels.
    channels : {"ink", "color", "hue"}
        "ink": one channel, how much of the light the darkest color channel loses, 0 on the card's own paper;
        "color": six, the crop divided by its paper, then the crop as it is, both in BGR, 0 to 1;
        "hue": six, the crop divided by its paper, 0 to 1, then by how much each of its channels is above their
        mean, in units of the card's strongest color, so that weak color looks like strong.
    """

    size: tuple[int, int]
    channels: Channels

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of one crop as the net sees it: (H, W, C)."""
        return (self.size[1], self.size[0], 1 if self.channels == "ink" else 6)


#: By net. Shading needs every stripe; color needs no detail but the light on the paper; "card" tells cards
#: from what is none; "all" is the one net with five answers.
VIEWS: Final[Mapping[str, View]] = MappingProxyType(
    {
        "card": View((56, 87), "color"),
        "count": View((28, 44), "ink"),
        "color": View((56, 87), "hue"),
        "shading": View((112, 174), "ink"),
        "shape": View((56, 87), "ink"),
        "all": View((112, 174), "hue"),
    }
)


#: Takes the mean of the three channels from each.
_FROM_MEAN: Final = np.eye(3, dtype=np.float32) - np.float32(1 / 3)


def look(crops: Crops, views: Mapping[str, View]) -> dict[str, npt.NDArray[np.float32]]:
    """Turn crops to what nets look at.

    Parameters
    ----------
    crops : ndarray, (n, H, W, 3)
        BGR, uint8, upright, of any size.
    views : mapping of str to View
        What is wanted, by name.

    Returns
    -------
    dict of ndarray, float32, (n, *view.shape)
        By the same names; names of equal views share one array.
    """
    arrays = {view: np.empty((len(crops), *view.shape), np.float32) for view in set(views.values())}
    reflected = np.empty((WORKING_SIZE[1], WORKING_SIZE[0], 3), np.float32)
    for place, crop in enumerate(crops):
        if crop.shape[1::-1] != WORKING_SIZE:
            # Seven times as fast as the mean over areas, and what is read is the same.
            crop = np.asarray(cv2.resize(crop, WORKING_SIZE, interpolation=cv2.INTER_LINEAR), np.uint8)
        reflectance(crop, out=reflected)
        ink = 1 - least_channel(reflected)
        small = {view.size: _reduce(reflected, view.size) for view in arrays if view.channels != "ink"}
        for view, array in arrays.items():
            if view.channels == "ink":
                array[place, :, :, 0] = _reduce(ink, view.size)
            else:
                colors = small[view.size]
                array[place, :, :, :3] = colors
                others = array[place, :, :, 3:]
                if view.channels == "color":
                    np.multiply(_reduce(crop, view.size), np.float32(1 / 255), out=others)
                else:
                    others[:] = _hue(colors)
    return {name: arrays[view] for name, view in views.items()}


def _hue(reflected: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """How much each channel is above the mean of the three, by the strongest color of the card's middle: (H, W, 3)."""
    away = cv2.blur(cv2.transform(reflected, _FROM_MEAN), (3, 3))
    height, width = away.shape[:2]
    middle = away[height // 8 : -(height // 8), width // 8 : -(width // 8)]
    strength = np.sort(-least_channel(-np.abs(middle)), axis=None)
    # The mean of its strongest hundredth, for no single pixel counts; paper without ink has only noise.
    strongest = float(strength[-(len(strength) // 100) :].mean())
    return np.asarray(np.clip(away * np.float32(1 / max(strongest, 0.01)), -2, 2), np.float32)


def _reduce(image: npt.NDArray[Any], size: tuple[int, int]) -> npt.NDArray[Any]:
    if image.shape[1::-1] == size:
        return image
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA))
