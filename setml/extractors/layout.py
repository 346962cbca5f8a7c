"""Which way up a card lies, as its symbols tell it."""

from __future__ import annotations

from typing import Final

import numpy as np

from setml.extractors.rectify import Corners, order_corners, rectify
from setml.photo import BGR
from setml.symbols import find_symbols, layout_error, reflectance

#: How far the symbols may stand from where a card has them, in its short sides.
MOST_LAYOUT_ERROR: Final = 0.16
#: The aspect ratio beyond which the longer sides are the card's own long ones, however slanted the view.
MOST_FORESHORTENED: Final = 1.45


def read_layout(image: BGR, quad: Corners) -> tuple[Corners, float]:
    """Turn a quadrilateral so that its symbols lie across, and tell how far they are from their places.

    A slanted view can make a card's long side look the shorter, so that both ways are tried where the sides are
    not too different for that.

    Parameters
    ----------
    image : ndarray
        BGR, uint8, H x W x 3.
    quad : ndarray, (4, 2)
        Corners in pixels, in any order.

    Returns
    -------
    corners : ndarray, float32, (4, 2)
        Clockwise, the edge above the symbols first.
    error : float
        As :func:`setml.symbols.layout_error` gives it; infinite if no layout of symbols was seen.
    """
    ordered = order_corners(quad)
    error = _layout_error_of(image, ordered)
    sides = np.linalg.norm(np.roll(ordered, -1, axis=0) - ordered, axis=1)
    if error <= MOST_LAYOUT_ERROR / 2 or sides[1] + sides[3] > MOST_FORESHORTENED * (sides[0] + sides[2]):
        return ordered, error
    turned = np.roll(ordered, -1, axis=0)
    error_turned = _layout_error_of(image, turned)
    return (turned, error_turned) if error_turned < error else (ordered, error)


def _layout_error_of(image: BGR, quad: Corners) -> float:
    # Half the size of a crop shows where symbols stand in a quarter of the time.
    symbols, _ = find_symbols(reflectance(rectify(image, quad, scale=0.5)))
    return layout_error(symbols)
