"""The rectifier that all extractors share: from four corners to an upright crop."""

from __future__ import annotations

from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from setml.photo import BGR

#: Corners: float, (..., 4, 2), each (x, y); (0, 0) is the upper left corner of the photo, not the middle
#: of its first pixel.
Corners = npt.NDArray[np.floating]

#: Width and height of a crop, in pixels, by its form.
CROP_SIZES: Final = {"card": (180, 280), "square": (224, 224)}


def order_corners(corners: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Order four corners clockwise as seen, the first edge a short one.

    Parameters
    ----------
    corners : array_like, (4, 2)
        The corners of a convex quadrilateral in any order, in pixels.

    Returns
    -------
    ndarray, float32, (4, 2)
        Of the two orders that fit, which differ by half a turn, the one whose first edge is the upper.

    Examples
    --------
    >>> order_corners([[0, 0], [0, 10], [16, 10], [16, 0]]).tolist()
    [[16.0, 0.0], [16.0, 10.0], [0.0, 10.0], [0.0, 0.0]]
    """
    points = np.asarray(corners, np.float32).reshape(4, 2)
    spokes = points - points.mean(axis=0)
    # y points down, so that rising angles turn clockwise.
    points = points[np.argsort(np.arctan2(spokes[:, 1], spokes[:, 0]), kind="stable")]
    edges = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
    if edges[0] + edges[2] > edges[1] + edges[3]:
        points = np.roll(points, -1, axis=0)
    first, third = points[:2].mean(axis=0), points[2:].mean(axis=0)
    # For a card that lies exactly flat, the right-hand edge counts as the upper.
    if (third[1], -third[0]) < (first[1], -first[0]):
        points = np.roll(points, -2, axis=0)
    return points


def rectify(
    image: BGR,
    corners: Corners,
    form: Literal["card", "square"] = "card",
    scale: float = 1.0,
    out: BGR | None = None,
) -> BGR:
    """Cut one card out of a photo, upright and flat.

    Where a pixel of the crop covers several of the photo it is their mean, so that stripes finer than a pixel turn
    to a tint, as the eye sees them, and not to moire.

    Parameters
    ----------
    image : ndarray
        BGR, uint8, H x W x 3.
    corners : ndarray, (4, 2)
        Clockwise, the first edge a short one; they may lie outside the photo.
    form : {"card", "square"}
        The crop's form: 180 x 280 pixels as a card is, or 224 x 224.
    scale : float
        Multiplies the crop's size.
    out : ndarray, optional
        Where to write the crop: BGR, uint8, of its size.

    Returns
    -------
    ndarray
        BGR, uint8, H x W x 3; card-shaped ones have the short edges above and below. What lies outside the
        photo is filled with the color of the card's paper.
    """
    width, height = (round(side * scale) for side in CROP_SIZES[form])
    quad = np.asarray(corners, np.float32).reshape(4, 2)
    edges = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    # Sample about as finely as the photo does, then average whole blocks; linear sampling is a mean of two by itself.
    across, along = max(edges[0], edges[2]) / width, max(edges[1], edges[3]) / height
    fine = min(8, max(1, int(np.ceil(max(across, along) - 0.45))))
    size = (width * fine, height * fine)
    warp = _homography(quad, *size)
    way, edge = cv2.INTER_LINEAR, cv2.BORDER_REPLICATE
    if fine == 1:
        crop = cv2.warpPerspective(image, warp, size, dst=out, flags=way, borderMode=edge)
    else:
        finer = cv2.warpPerspective(image, warp, size, flags=way, borderMode=edge)
        crop = cv2.resize(finer, (width, height), dst=out, interpolation=cv2.INTER_AREA)
    if quad.min() < 0 or (quad.max(axis=0) > image.shape[1::-1]).any():
        inside = np.full(image.shape[:2], 255, np.uint8)
        seen = cv2.warpPerspective(inside, _homography(quad, width, height), (width, height)) == 255
        if seen.any():
            crop[~seen] = np.percentile(crop[seen], 75, axis=0)
    return np.asarray(crop, np.uint8)


def _homography(quad: Corners, width: int, height: int) -> npt.NDArray[np.float64]:
    """Map a quadrilateral to a rectangle, in OpenCV's coordinates, whose zero is a pixel's middle."""
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    shift = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    return np.asarray(np.linalg.inv(shift) @ cv2.getPerspectiveTransform(quad, target) @ shift)
