"""The symbols on one card: its paper, its ink, and the contours of what is printed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.photo import BGR

#: A card's long side, and the distance from symbol to symbol, in units of its short side.
ASPECT: Final = 1.555
SPACING: Final = 0.428


@dataclass(frozen=True)
class Symbol:
    """One printed symbol of a crop.

    Attributes
    ----------
    contour : ndarray, int32, (n, 1, 2)
        Its outer border in pixels of the crop.
    center : (float, float)
        Middle of its bounding box, in units of the card's short side.
    size : (float, float)
        Width and height of its bounding box, in the same unit.
    """

    contour: npt.NDArray[np.int32]
    center: tuple[float, float]
    size: tuple[float, float]


def reflectance(crop: BGR, out: npt.NDArray[np.float32] | None = None) -> npt.NDArray[np.float32]:
    """Divide a crop by the color of its own paper: white balance and shading removal in one.

    Parameters
    ----------
    crop : ndarray
        A card: BGR, uint8, H x W x 3.
    out : ndarray, float32, (H, W, 3), optional
        Where to write it; for many crops, fresh memory takes as long as the work.

    Returns
    -------
    ndarray, float32, (H, W, 3)
        1 where the card is as bright as its paper nearby, 0 where it reflects nothing; at most 1.
    """
    height, width = crop.shape[:2]
    small = cv2.resize(crop, (max(8, width // 5), max(8, height // 5)), interpolation=cv2.INTER_AREA)
    # Closing with more than a symbol's height leaves paper only; the blur makes it a smooth field.
    reach = round(small.shape[1] * 0.42) | 1
    paper = cv2.morphologyEx(small, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    paper = cv2.blur(paper, (reach // 2, reach // 2))
    paper = cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR)
    divided = cv2.divide(crop, np.maximum(paper, 1), dst=out, dtype=cv2.CV_32F)
    # Of OpenCV's ways to cut off at 1, the quickest.
    cv2.threshold(divided, 1, 0, cv2.THRESH_TRUNC, dst=divided)
    return np.asarray(divided, np.float32)


def least_channel(image: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Take the least of the three channels of each pixel: (H, W, 3) to (H, W), of the same type.

    White paper differs from ink, and from a colored table, most in its darkest channel.
    """
    # Five times as fast as numpy's minimum over so short an axis.
    first, second, third = cv2.split(image)
    return cv2.min(cv2.min(first, second), third)


def find_symbols(
    reflected: npt.NDArray[np.float32],
) -> tuple[list[Symbol], npt.NDArray[np.uint8]]:
    """Find what may be symbols on an upright, card-shaped crop.

    Parameters
    ----------
    reflected : ndarray, float32, (H, W, 3)
        A crop as :func:`reflectance` gives it.

    Returns
    -------
    list of Symbol
        From top to bottom: those of a symbol's size, across the card and near its axis.
    ndarray, uint8, (H, W)
        1 where there is ink.
    """
    darkest = least_channel(reflected)
    by_darkness = _threshold_symbols(1 - darkest)
    if layout_error(by_darkness[0]) < 0.1:
        return by_darkness
    # A shadow's edge absorbs every channel alike, which ink does not: where darkness misleads, color may tell.
    by_color = _threshold_symbols(1 - least_channel(1 - reflected) - darkest)
    return min(by_darkness, by_color, key=lambda found: layout_error(found[0]))


def _threshold_symbols(strength: npt.NDArray[np.float32]) -> tuple[list[Symbol], npt.NDArray[np.uint8]]:
    width = strength.shape[1]
    margin = round(width * 0.07)
    inner = cv2.GaussianBlur(strength[margin:-margin, margin:-margin], (3, 3), 0)
    eight_bit = (inner * 255).astype(np.uint8)
    otsu, _ = cv2.threshold(eight_bit, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    # Faint outlines beside strong ink lie under Otsu's threshold, noise of the paper over a low one.
    level = min(max(0.09, 0.8 * otsu / 255), 0.45)
    mask = np.zeros(strength.shape, np.uint8)
    mask[margin:-margin, margin:-margin] = inner > level
    close = round(width * 0.022) | 1
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((close, close), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    found = []
    for contour in contours:
        x, y, w, h = cv2.boundingRect(contour)
        size = (w / width, h / width)
        center = ((x + w / 2) / width, (y + h / 2) / width)
        if 0.45 <= size[0] <= 0.86 and 0.18 <= size[1] <= 0.50 and abs(center[0] - 0.5) <= 0.14:
            found.append(Symbol(np.asarray(contour, np.int32), center, size))
    return sorted(found, key=lambda symbol: symbol.center[1]), mask


def layout_error(symbols: list[Symbol]) -> float:
    """Tell how far symbols stand from where a card has them.

    Returns
    -------
    float
        The greatest distance along or across the card, in its short sides; infinite for no symbol or
        more than three.
    """
    if not 1 <= len(symbols) <= 3:
        return math.inf
    middle = (len(symbols) - 1) / 2
    return max(
        max(abs(symbol.center[0] - 0.5), abs(symbol.center[1] - ASPECT / 2 - (place - middle) * SPACING))
        for place, symbol in enumerate(symbols)
    )
