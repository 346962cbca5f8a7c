"""Features designed by hand, for the classifiers that learn from few numbers: KNN and SVM.

What each attribute is told by:

- count: how much ink there is from top to bottom, and how badly one, two and three symbols would fit;
- shape: histograms of oriented gradients (Dalal and Triggs, "Histograms of oriented gradients for human
  detection", 2005) of the mean symbol, and how its contour fills its hull and its smallest rectangle;
- shading: the ink inside against that of the outline, and the energy of stripes at several scales, against that
  of the paper beside;
- color: what the strongest ink absorbs of each channel, against the card's own paper;
- card: all that tells a card from what is none: fit of the layout, share of ink, evenness of the paper.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.classifiers.base import Crops
from setml.classifiers.views import WORKING_SIZE
from setml.photo import BGR
from setml.symbols import ASPECT, SPACING, find_symbols, layout_error, least_channel, reflectance

Floats = npt.NDArray[np.float64]
#: Left, top, width and height in pixels.
Box = tuple[int, int, int, int]

#: Width and height of the mean symbol, in pixels.
PATCH: Final = (64, 32)
#: Standard deviations, in pixels of the patch, between which stripes are looked for.
SCALES: Final = (0.6, 1.0, 1.6, 2.6, 4.2)

# Columns and rows of cells in which gradients are counted by their direction, and how many directions.
_CELLS: Final = (4, 4)
_DIRECTIONS: Final = 8
# A symbol's box, in the card's short sides.
_BOX: Final = (0.66, 0.32)


@dataclass(frozen=True, eq=False)
class _Seen:
    """One crop, and where its symbols are."""

    crop: BGR
    reflected: npt.NDArray[np.float32]
    ink: npt.NDArray[np.float32]
    profile: Floats
    fits: Floats
    boxes: list[Box]
    contours: list[npt.NDArray[np.int32]]
    error: float


def describe(crops: Crops) -> dict[str, npt.NDArray[np.float64]]:
    """Describe crops by numbers.

    Parameters
    ----------
    crops : ndarray, (n, H, W, 3)
        BGR, uint8, upright, of any size.

    Returns
    -------
    dict of ndarray, float64, (n, number of features)
        By attribute, and "card".
    """
    rows: dict[str, list[Floats]] = {name: [] for name in ("card", "count", "color", "shading", "shape")}
    for crop in crops:
        seen = _see(crop)
        patch, solid = _mean_symbol(seen)
        count = np.concatenate([seen.profile, seen.fits, [len(seen.contours), min(seen.error, 1)]])
        shading = _shading(seen, patch)
        rows["count"].append(count)
        rows["shape"].append(_shape(seen, solid))
        rows["shading"].append(shading)
        rows["color"].append(_color(seen))
        rows["card"].append(np.concatenate([count, shading, _whole(seen)]))
    return {name: np.array(row, np.float64) for name, row in rows.items()}


def _see(crop: BGR) -> _Seen:
    """Find the symbols by their contours or, where those fail, by the ink from top to bottom."""
    if crop.shape[1::-1] != WORKING_SIZE:
        crop = np.asarray(cv2.resize(crop, WORKING_SIZE, interpolation=cv2.INTER_LINEAR), np.uint8)
    width, height = WORKING_SIZE
    reflected = reflectance(crop)
    ink = 1 - least_channel(reflected)
    middle = ink[:, round(0.2 * width) : round(0.8 * width)].mean(axis=1)
    rows = cv2.resize(middle[:, None], (1, 44), interpolation=cv2.INTER_AREA)[:, 0].astype(float)
    profile = rows / max(rows.max(), 0.02)
    fits, shifts = _fit_layouts(profile)
    symbols, _ = find_symbols(reflected)
    error = layout_error(symbols)
    if error < 0.16:
        boxes = [_box_of(symbol.contour) for symbol in symbols]
        contours = [symbol.contour for symbol in symbols]
    else:
        count = int(fits.argmin()) + 1
        contours = []
        w, h = (round(side * width) for side in _BOX)
        boxes = []
        for place in range(count):
            y = height / 2 + ((place - (count - 1) / 2) * SPACING + shifts[count - 1]) * width
            boxes.append(((width - w) // 2, int(np.clip(y - h / 2, 0, height - h)), w, h))
    return _Seen(crop, reflected, ink, profile, fits, boxes, contours, error)


def _box_of(contour: npt.NDArray[np.int32]) -> Box:
    x, y, w, h = cv2.boundingRect(contour)
    return x, y, w, h


def _fit_layouts(profile: Floats) -> tuple[Floats, Floats]:
    """Tell how badly one, two and three symbols explain where the ink is, and how far each would be off: (3,), (3,)."""
    y = (np.arange(len(profile)) + 0.5) / len(profile) * ASPECT - ASPECT / 2
    shifts = np.linspace(-0.12, 0.12, 9)
    fits, best = np.empty(3), np.empty(3)
    for count in (1, 2, 3):
        centers = SPACING * (np.arange(count) - (count - 1) / 2)
        away = np.abs(y[None, :, None] - shifts[:, None, None] - centers).min(axis=2)
        expected = (away < _BOX[1] / 2).astype(float)
        outside = (profile * (1 - expected)).sum(axis=1)
        missing = ((1 - np.minimum(profile * 2, 1)) * expected).sum(axis=1)
        costs = (outside + missing) / len(profile)
        fits[count - 1], best[count - 1] = costs.min(), shifts[costs.argmin()]
    return fits, best


def _mean_symbol(seen: _Seen) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Average the symbols at one size, the ink and the filled contour: twice (32, 64)."""
    inks, fills = [], []
    for place, (x, y, w, h) in enumerate(seen.boxes):
        patch = cv2.resize(seen.ink[y : y + h, x : x + w], PATCH, interpolation=cv2.INTER_LINEAR)
        inks.append(patch)
        if seen.contours:
            filled = np.zeros((h, w), np.float32)
            cv2.drawContours(filled, [seen.contours[place]], -1, 1, -1, offset=(-x, -y))
            fills.append(cv2.resize(filled, PATCH, interpolation=cv2.INTER_LINEAR))
    ink = np.mean(inks, axis=0)
    return ink, np.mean(fills, axis=0) if fills else np.minimum(ink / max(float(ink.max()), 0.02), 1)


def _shape(seen: _Seen, solid: npt.NDArray[np.float32]) -> Floats:
    """Describe the shape; a mirrored or half-turned symbol is described alike."""
    turned = solid[::-1, ::-1]
    views = [solid, turned, solid[:, ::-1], turned[:, ::-1]]
    gradients = np.mean([_gradients(view) for view in views], axis=0)
    fills = []
    for contour in seen.contours:
        area = cv2.contourArea(contour)
        _, sides, _ = cv2.minAreaRect(contour)
        hull = cv2.convexHull(contour)
        around = cv2.arcLength(contour, True)
        fills.append(
            [area / max(sides[0] * sides[1], 1), area / max(cv2.contourArea(hull), 1), 12 * area / max(around**2, 1)]
        )
    fill = np.mean(fills, axis=0) if fills else np.array([0.8, 0.95, 0.7])
    # How far the contour reaches at the ends and at the middle: a diamond tapers, a squiggle leans.
    columns = solid.mean(axis=0)[::4]
    lean = np.abs(solid[:16].mean(axis=0) - solid[16:].mean(axis=0))[::4]
    return np.concatenate([gradients, fill, (columns + columns[::-1]) / 2, (lean + lean[::-1]) / 2])


def _gradients(image: npt.NDArray[np.float32]) -> Floats:
    """Histograms of the gradients' directions, by cells: (4 * 4 * 8,), of length 1."""
    x, y = cv2.Sobel(image, cv2.CV_32F, 1, 0), cv2.Sobel(image, cv2.CV_32F, 0, 1)
    strength = np.hypot(x, y)
    # A gradient counts towards the two directions it lies between; opposite ones are the same.
    direction = (np.arctan2(y, x) / np.pi * _DIRECTIONS) % _DIRECTIONS
    away = np.abs(direction[..., None] - np.arange(_DIRECTIONS))
    away = np.minimum(away, _DIRECTIONS - away)
    planes = strength[..., None] * np.maximum(1 - away, 0)
    columns, rows = _CELLS
    cells = planes.reshape(rows, PATCH[1] // rows, columns, PATCH[0] // columns, _DIRECTIONS).sum(axis=(1, 3)).ravel()
    cells = np.minimum(cells / max(float(np.linalg.norm(cells)), 1e-6), 0.2)
    return np.asarray(cells / max(float(np.linalg.norm(cells)), 1e-6))


def _shading(seen: _Seen, patch: npt.NDArray[np.float32]) -> Floats:
    """Describe what is inside the symbols, against their outlines and the paper beside them."""
    logs, energies, noises = [], [], []
    for place, (x, y, w, h) in enumerate(seen.boxes):
        ink = seen.ink[y : y + h, x : x + w]
        if seen.contours:
            filled = np.zeros((h + 2, w + 2), np.uint8)
            cv2.drawContours(filled, [seen.contours[place]], -1, 1, -1, offset=(1 - x, 1 - y))
            depth = cv2.distanceTransform(filled, cv2.DIST_L2, 3)[1:-1, 1:-1] / WORKING_SIZE[0]
        else:
            depth = np.zeros((h, w), np.float32)
            depth[h // 4 : -h // 4, w // 4 : -w // 4] = 0.1
            depth[: h // 6] = depth[-h // 6 :] = 0.01
        outline = float(np.percentile(ink[(depth > 0) & (depth < 0.035)], 75)) if (depth > 0).any() else 0.0
        inside = ink[depth > 0.065]
        if not inside.size:
            inside = ink.ravel()
        levels = np.array([inside.mean(), *np.percentile(inside, [10, 50, 90])])
        logs.append([*np.log(np.maximum(levels, 5e-3) / max(outline, 0.02)), np.log(max(outline, 0.02)), inside.mean()])
        rows = ink[h // 3 : -(h // 3) or None]
        energies.append(_stripe_energies(rows[:, w // 4 : -(w // 4)]))
        noises.append(_stripe_energies(seen.ink[max(y - 8, 0) : max(y - 2, 4), x : x + w]))
    energy, noise = np.mean(energies, axis=0), np.mean(noises, axis=0)
    strongest = max(float(np.percentile(patch, 95)), 0.02)
    return np.concatenate([np.mean(logs, axis=0), np.log(energy + 1e-3), np.log((energy + 1e-3) / strongest), noise])


def _stripe_energies(ink: npt.NDArray[np.float32]) -> Floats:
    """Root mean squares of what lies between neighbouring scales across the stripes, then along them."""
    found = []
    for axis in (0, 1):
        # Along the stripes nothing changes, so that averaging there leaves them and takes the noise.
        blurs = [
            cv2.GaussianBlur(ink, (0, 0), sigmaX=s if axis == 0 else 2.5, sigmaY=2.5 if axis == 0 else s)
            for s in SCALES
        ]
        found += [float(np.sqrt(np.mean((fine - coarse) ** 2))) for fine, coarse in itertools.pairwise(blurs)]
    return np.array(found)


def _color(seen: _Seen) -> Floats:
    """Describe what the ink absorbs: of the strongest tenth, and of all of it, with the paper's own color."""
    pieces = [np.s_[y : y + h, x : x + w] for x, y, w, h in seen.boxes]
    ink = np.concatenate([seen.ink[piece].ravel() for piece in pieces])
    reflected = np.concatenate([seen.reflected[piece].reshape(-1, 3) for piece in pieces])
    raw = np.concatenate([seen.crop[piece].reshape(-1, 3) for piece in pieces]) / 255
    rows = []
    for share in (0.03, 0.12, 0.35):
        strongest = ink >= np.quantile(ink, 1 - share)
        mean = np.clip(reflected[strongest].mean(axis=0), 0.02, 0.999)
        absorbed = -np.log(mean)
        rows.append(np.concatenate([absorbed / absorbed.sum(), mean]))
    strongest = ink >= np.quantile(ink, 0.9)
    seen_ink = raw[strongest].mean(axis=0)
    paper = np.percentile(raw[ink <= np.quantile(ink, 0.2)], 60, axis=0)
    return np.concatenate([*rows, seen_ink, paper, np.log((paper + 0.02) / (paper.mean() + 0.02))])


def _whole(seen: _Seen) -> Floats:
    """Describe the crop as a whole: how much is ink, how even the paper, how unlike the border and the middle."""
    raw = seen.crop.astype(np.float32) / 255
    height, width = seen.ink.shape
    border = np.concatenate(
        [seen.ink[:, :8].ravel(), seen.ink[:, -8:].ravel(), seen.ink[:8].ravel(), seen.ink[-8:].ravel()]
    )
    halves = [seen.ink[:, : width // 2].mean(), seen.ink[:, width // 2 :].mean()]
    ends = [seen.ink[: height // 2].mean(), seen.ink[height // 2 :].mean()]
    across = seen.ink.mean(axis=0)[:: width // 16]
    return np.concatenate(
        [
            [
                seen.ink.mean(),
                border.mean(),
                np.percentile(border, 90),
                abs(halves[0] - halves[1]),
                abs(ends[0] - ends[1]),
            ],
            [raw.mean(), raw.std(), np.percentile(raw, 90), *np.ptp(raw.mean(axis=(0, 1)), keepdims=True)],
            (across + across[::-1]) / 2,
        ]
    )
