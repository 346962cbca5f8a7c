"""Quadrilaterals as numbers that half a turn of the card does not change.

The corners of a card are c + s a + t b + s t k, for s and t of -1 and 1: c is their mean, a and b are half of its
short and of its long axis, k is what perspective adds; all are complex numbers here, x + iy. A card that is turned
by half has -a and -b for a and b, and the same k: a^2/|a|, b^2/|b| and k are the same for both.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


def encode(corners: npt.NDArray[np.floating]) -> Numbers:
    """Turn corners to numbers.

    Parameters
    ----------
    corners : ndarray, (n, 4, 2)
        Clockwise, the first edge a short one of the card.

    Returns
    -------
    ndarray, float64, (n, 8)
        c, a^2/|a|, b^2/|b| and k, each as x and y.

    Examples
    --------
    >>> quad = np.array([[[0, 0], [2, 0], [2, 3], [0, 3]]], float)
    >>> np.allclose(decode(encode(quad)), quad) or np.allclose(decode(encode(quad)), np.roll(quad, 2, axis=1))
    True
    """
    points = np.asarray(corners, float)
    one, two, three, four = np.moveaxis(points[..., 0] + 1j * points[..., 1], -1, 0)
    c = (one + two + three + four) / 4
    a = (two + three - one - four) / 4
    b = (three + four - one - two) / 4
    k = (one + three - two - four) / 4
    parts = (c, a**2 / np.maximum(np.abs(a), 1e-9), b**2 / np.maximum(np.abs(b), 1e-9), k)
    return np.stack([side for part in parts for side in (part.real, part.imag)], axis=-1)


def decode(numbers: npt.NDArray[np.floating]) -> Numbers:
    """Turn numbers back to corners: (n, 8) to (n, 4, 2), clockwise, the first edge a short one."""
    parts = np.asarray(numbers, float)
    c, a, b, k = (parts[..., place] + 1j * parts[..., place + 1] for place in (0, 2, 4, 6))
    # The root of a complex number of the same length: half its angle.
    a, b = (z * np.exp(-0.5j * np.angle(z)) for z in (a, b))
    # Of the two roots of b, the one that lies clockwise of a as y points down.
    b = np.where((np.conj(a) * b).imag < 0, -b, b)
    corners = np.stack([c - a - b + k, c + a - b - k, c + a + b + k, c - a + b - k], axis=-1)
    return np.stack([corners.real, corners.imag], axis=-1)


def areas_of(corners: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Return the areas of quadrilaterals, (n, 4, 2), in square pixels: (n,).

    Examples
    --------
    >>> areas_of(np.array([[[0, 0], [2, 0], [2, 3], [0, 3]]], float)).tolist()
    [6.0]
    """
    across, along = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    return np.asarray(np.abs(across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0]) / 2)


def overlap(a: npt.NDArray[np.floating], b: npt.NDArray[np.floating]) -> float:
    """Intersection over union of two convex quadrilaterals, (4, 2) each.

    Examples
    --------
    >>> square = np.array([[0, 0], [2, 0], [2, 2], [0, 2]])
    >>> overlap(square, square), round(overlap(square, square + (1, 0)), 3), overlap(square, square + 5)
    (1.0, 0.333, 0.0)
    """
    a, b = np.asarray(a, np.float32), np.asarray(b, np.float32)
    if (a.max(axis=0) < b.min(axis=0)).any() or (b.max(axis=0) < a.min(axis=0)).any():
        return 0.0
    both, _ = cv2.intersectConvexConvex(a, b)
    return float(both / max(cv2.contourArea(a) + cv2.contourArea(b) - both, 1e-6))


def may_overlap(corners: npt.NDArray[np.floating], least: float) -> npt.NDArray[np.bool_]:
    """Tell, fast, which pairs of quadrilaterals can share more than so much; all others surely do not.

    Parameters
    ----------
    corners : ndarray, (n, 4, 2)
        Convex.
    least : float
        Intersection over union.

    Returns
    -------
    ndarray, bool, (n, n)
        Whether more than `least` is possible, as far as the boxes around both tell.

    Examples
    --------
    >>> square = np.array([[0, 0], [2, 0], [2, 2], [0, 2]], float)
    >>> may_overlap(np.stack([square, square + 0.5, square + 1.5]), 0.3).astype(int).tolist()
    [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    """
    low, high = corners.min(axis=1), corners.max(axis=1)
    sides = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    both = np.maximum(sides, 0).prod(axis=2)
    areas = areas_of(corners)
    # The intersection is no larger than that of the boxes, nor than either quadrilateral.
    both = np.minimum(both, np.minimum(areas[:, None], areas))
    return np.asarray(both > least * (areas[:, None] + areas - both))
