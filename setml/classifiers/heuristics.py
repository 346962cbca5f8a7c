"""The classifier written by hand: count, color, shading and shape by rule."""

from __future__ import annotations

from typing import ClassVar, Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.classifiers.base import Classifier, Crops, Readings
from setml.photo import BGR
from setml.symbols import ASPECT, SPACING, Symbol, find_symbols, layout_error, least_channel, reflectance

Floats = npt.NDArray[np.float64]

# The shapes as (area by that of the smallest turned rectangle around, area by that of the convex hull).
# The edition with rectangles has two shapes of its own.
_SHAPES: Final = (
    ("diamond", 0.62, 0.974),
    ("diamond", 0.968, 0.981),
    ("oval", 0.881, 0.989),
    ("oval", 0.784, 0.986),
    ("squiggle", 0.765, 0.857),
)


class Heuristics(Classifier):
    """Rules on contours and on ratios of the color channels, after the article on solving SET with OpenCV.

    Beyond the article's rules, all colors are relative to the card's own paper, the inside of a symbol is
    held against its outline, and the shape is told by how the contour fills its hull and its smallest rectangle.
    Each rule gives a probability: the logistic function of how far a measure is from the rule's threshold.
    """

    name: ClassVar[str] = "heuristics"

    def read(self, crops: Crops) -> Readings:
        """Read each crop by rule; see :meth:`setml.classifiers.base.Classifier.read`."""
        each = [_read(crop) for crop in crops]
        values = np.array([values for values, _ in each], np.float32).reshape(-1, 4, 3)
        return Readings(values, np.array([is_card for _, is_card in each], np.float32))


def _read(crop: BGR) -> tuple[Floats, float]:
    """Read one crop: (4, 3), and how likely it is a card, by where its symbols stand."""
    reflected = reflectance(crop)
    symbols, _ = find_symbols(reflected)
    if not symbols:
        return np.full((4, 3), 1 / 3), 0.02
    each = [_read_symbol(symbol, crop) for symbol in symbols]
    color, shading, shape = np.mean(each, axis=0)
    return np.stack([_count(symbols), color, shading, shape]), _logistic((0.2 - layout_error(symbols)) / 0.03)


def _read_symbol(symbol: Symbol, crop: BGR) -> Floats:
    """Read color, shading and shape of one symbol: (3, 3)."""
    card = crop.shape[1]
    x, y, w, h = cv2.boundingRect(symbol.contour)
    pad = round(0.08 * card)
    left, top = max(x - pad, 0), max(y - pad, 0)
    patch = crop[top : y + h + pad, left : x + w + pad]
    filled = np.zeros(patch.shape[:2], np.uint8)
    cv2.drawContours(filled, [symbol.contour], -1, 1, -1, offset=(-left, -top))
    depth = cv2.distanceTransform(filled, cv2.DIST_L2, 3) / card
    height = cv2.distanceTransform(1 - filled, cv2.DIST_L2, 3) / card
    # The paper right beside the symbol: a shadow that lies on both is no ink.
    paper = np.median(patch[(height > 0.02) & (height < 0.06)], axis=0)
    reflected = np.minimum(patch / np.maximum(paper, 8).astype(np.float32), 1)
    ink = 1 - least_channel(reflected)
    outline = np.percentile(ink[(depth > 0) & (depth < 0.035)], 75)
    inside = ink[depth > 0.07]
    density = inside.mean() / max(outline, 1e-3) if inside.size else 1.0
    strongest = reflected[(filled > 0) & (ink >= np.percentile(ink[filled > 0], 80))]
    return np.stack([_color(strongest.mean(axis=0), paper), _shading(density), _shape(symbol)])


def _count(symbols: list[Symbol]) -> Floats:
    """Count the symbols by the places they stand at, so that one that is hidden counts too."""
    costs = []
    for count in (1, 2, 3):
        places = ASPECT / 2 + SPACING * (np.arange(count) - (count - 1) / 2)
        off = np.array([np.abs(places - symbol.center[1]).min() for symbol in symbols]) / 0.05
        costs.append(np.minimum(off**2 / 2, 8).sum() + 4 * abs(count - len(symbols)))
    return _softmax(-np.array(costs))


def _color(reflected: Floats, paper: Floats) -> Floats:
    """Tell the ink by which channels it absorbs: red lets red pass, green does not, purple stops green most."""
    absorbed = -np.log(np.clip(reflected, 0.02, 0.999))
    # A camera's curve is steeper where it is dark, which exaggerates what the lamp gives least of.
    absorbed *= np.sqrt(np.maximum(paper, 8) / max(paper.max(), 8))
    blue, green, red = absorbed / absorbed.sum()
    is_red = _logistic((blue - red - 0.13) / 0.04)
    is_green = (1 - is_red) * _logistic((red - green - 0.03) / 0.03)
    return np.array([is_red, is_green, 1 - is_red - is_green])


def _shading(density: float) -> Floats:
    """Tell solid, striped and open by the ink inside, as a share of that of the outline."""
    log = float(np.log(max(density, 1e-3)))
    solid = _logistic((log - np.log(0.72)) / 0.08)
    striped = (1 - solid) * _logistic((log - np.log(0.145)) / 0.12)
    return np.array([solid, striped, 1 - solid - striped])


def _shape(symbol: Symbol) -> Floats:
    """Tell the shape by how much of its hull and of its smallest turned rectangle it fills."""
    area = cv2.contourArea(symbol.contour)
    _, (long, short), _ = cv2.minAreaRect(symbol.contour)
    in_box = area / max(long * short, 1)
    in_hull = area / max(cv2.contourArea(cv2.convexHull(symbol.contour)), 1)
    costs = dict.fromkeys(("diamond", "oval", "squiggle"), np.inf)
    for name, box, hull in _SHAPES:
        cost = ((in_box - box) / 0.03) ** 2 / 2 + ((in_hull - hull) / 0.03) ** 2 / 2
        costs[name] = min(costs[name], cost)
    return _softmax(-np.array(list(costs.values())))


def _logistic(x: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(x, -40, 40))))


def _softmax(logits: Floats) -> Floats:
    exponentials = np.exp(logits - logits.max())
    return np.asarray(exponentials / exponentials.sum())
