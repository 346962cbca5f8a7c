"""The classical extractor: thresholds, contours and four-cornered polygons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.extractors.base import Extractor
from setml.extractors.layout import MOST_LAYOUT_ERROR, read_layout
from setml.extractors.pyramid import Pyramid
from setml.extractors.quads import overlap
from setml.extractors.rectify import order_corners
from setml.photo import BGR
from setml.symbols import least_channel

Quad = npt.NDArray[np.float32]

#: Pixels of the longer side at which contours are sought.
WORKING_SIDE: Final = 1100
#: The least side of a card, and the least root of its area, as shares of the longer side.
LEAST_SIDE: Final = 0.02
LEAST_ROOT: Final = 0.028


class Contours(Extractor):
    """Grey, blur, threshold, `findContours`, `approxPolyDP`, as the article on solving SET with OpenCV has it.

    What is added to the article's path: besides Otsu's threshold of grey, a few others, among them the gaps
    between Canny's edges, so that a card that one of them loses is found by another; lines fitted to each side,
    so that round corners come out sharp; and as the check that keeps non-cards out, one to three symbols
    where a card has them.
    """

    name: ClassVar[str] = "contours"
    enough: ClassVar[int] = 1500

    def find(self, pyramid: Pyramid) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Find the cards by their contours; see :meth:`setml.extractors.base.Extractor.find`."""
        image = pyramid.image
        scale = min(1.0, WORKING_SIDE / max(image.shape[:2]))
        reduced = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        small = np.asarray(reduced, np.uint8)
        quads = [quad for binary in _binarize(small) for quad in _quads(binary)]
        cards: list[tuple[float, int, Quad]] = []
        groups = [(_medoid(group), len(group)) for group in _groups(quads)]
        for middle, votes in sorted(groups, key=lambda group: -cv2.contourArea(group[0])):
            # A symbol can pass for a small card, which then lies within the true one.
            if any(_lies_within(middle, card) for _, _, card in cards):
                continue
            quad, error = read_layout(small, middle)
            if error <= MOST_LAYOUT_ERROR:
                # Symbols in place say more than the number of thresholds that agree.
                cards.append((error - 0.01 * votes, votes, quad))
        kept: list[tuple[int, Quad]] = []
        for _, votes, quad in sorted(cards, key=lambda card: card[0]):
            if all(overlap(quad, other) < 0.25 for _, other in kept):
                kept.append((votes, quad))
        if not kept:
            return np.empty((0, 4, 2), np.float32), np.empty(0, np.float32)
        size = np.array(small.shape[1::-1]) / image.shape[1::-1]
        corners = np.stack([quad for _, quad in kept]) / size
        scores = [1 - 0.03 / votes for votes, _ in kept]
        return corners.astype(np.float32), np.array(scores, np.float32)


def _binarize(image: BGR) -> Iterator[npt.NDArray[np.uint8]]:
    """Separate cards from table in several ways; 255 where a card may be."""
    grey = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (3, 3), 0)
    _, binary = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    yield np.asarray(binary, np.uint8)
    darkest = cv2.GaussianBlur(least_channel(image), (3, 3), 0)
    otsu, _ = cv2.threshold(darkest, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    for factor in (1.2, 1.5):
        if factor * otsu < 250:
            yield np.asarray(cv2.threshold(darkest, factor * otsu, 255, cv2.THRESH_BINARY)[1], np.uint8)
    window = max(3, max(image.shape[:2]) // 40 | 1)
    yield np.asarray(
        cv2.adaptiveThreshold(darkest, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, window, -2),
        np.uint8,
    )
    # On a white table only the edges show; what lies between them are the cards.
    edges = cv2.dilate(cv2.Canny(grey, 20, 60), np.ones((3, 3), np.uint8))
    yield cv2.bitwise_not(edges).astype(np.uint8, copy=False)


def _quads(binary: npt.NDArray[np.uint8]) -> Iterator[Quad]:
    """Find the contours that are quadrilaterals of a card's size and form."""
    longest = max(binary.shape)
    contours, _ = cv2.findContours(binary, cv2.RETR_TREE, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        if len(contour) < 4 * LEAST_SIDE * longest:
            continue
        area = cv2.contourArea(contour)
        if not (LEAST_ROOT * longest) ** 2 <= area <= 0.5 * binary.size:
            continue
        hull = cv2.convexHull(contour)
        if area < 0.85 * cv2.contourArea(hull):
            continue
        quad = _fit_quad(contour, hull)
        if quad is None or area < 0.88 * cv2.contourArea(quad):
            continue
        sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
        aspect = (sides[1] + sides[3]) / (sides[0] + sides[2])
        if 1 / 2.6 <= aspect <= 2.6 and sides.min() >= LEAST_SIDE * longest:
            # A contour runs through the middle of its pixels.
            yield quad + np.float32(0.5)


def _fit_quad(contour: npt.NDArray[Any], hull: npt.NDArray[Any]) -> Quad | None:
    """Fit a quadrilateral with sharp corners to a contour, or None if it is none."""
    around = cv2.arcLength(hull, True)
    for share in (0.015, 0.02, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1):
        rough = cv2.approxPolyDP(hull, share * around, True).reshape(-1, 2)
        if len(rough) <= 4:
            break
    if len(rough) != 4:
        return None
    rough = rough.astype(np.float32)
    points = contour.reshape(-1, 2).astype(np.float32)
    lines = []
    for start, end in zip(rough, np.roll(rough, -1, axis=0), strict=True):
        length = float(np.hypot(*(end - start)))
        ux, uy = (end - start) / max(length, 1e-6)
        x, y = points[:, 0] - start[0], points[:, 1] - start[1]
        along, off = x * ux + y * uy, np.abs(x * uy - y * ux)
        # The corners are round; only what lies between them is straight.
        side = points[(along > 0.15 * length) & (along < 0.85 * length) & (off < max(2.5, 0.06 * length))]
        if len(side) < 5:
            return None
        lines.append(cv2.fitLine(side, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
    quad = np.empty((4, 2), np.float32)
    for i in range(4):
        (ax, ay, px, py), (bx, by, qx, qy) = lines[i - 1], lines[i]
        cross = ax * by - ay * bx
        if abs(cross) < 0.2:
            return None
        t = ((qx - px) * by - (qy - py) * bx) / cross
        quad[i] = px + t * ax, py + t * ay
    if np.abs(quad - rough).max() > 0.05 * around or not cv2.isContourConvex(quad.astype(np.int32)):
        return None
    return quad


def _groups(quads: list[Quad]) -> Iterator[list[Quad]]:
    """Put quadrilaterals that are nearly the same together."""
    ordered = [order_corners(quad) for quad in quads]
    centers = np.array([quad.mean(axis=0) for quad in ordered]).reshape(-1, 2)
    left = np.arange(len(ordered))
    while left.size:
        first = ordered[left[0]]
        reach = 0.3 * float(np.abs(first[0] - first[2]).sum())
        close = np.abs(centers[left] - centers[left[0]]).sum(axis=1) < reach
        same = np.array([near and overlap(first, ordered[i]) > 0.8 for i, near in zip(left, close, strict=True)])
        yield [ordered[i] for i in left[same]]
        left = left[~same]


def _medoid(group: list[Quad]) -> Quad:
    """Return the member that lies in the middle of its group."""
    # Nearly square ones may start at another corner.
    aligned = np.stack(
        [
            min((np.roll(quad, turn, axis=0) for turn in range(4)), key=lambda q: np.abs(q - group[0]).sum())
            for quad in group
        ]
    )
    distances = np.abs(aligned - np.median(aligned, axis=0)).sum(axis=(1, 2))
    return np.asarray(aligned[distances.argmin()], np.float32)


def _lies_within(inner: Quad, outer: Quad) -> bool:
    """Tell whether a quadrilateral of less than half the area lies in another."""
    x, y = map(float, inner.mean(axis=0))
    smaller = 2 * cv2.contourArea(inner) < cv2.contourArea(outer)
    return smaller and cv2.pointPolygonTest(outer, (x, y), False) > 0
