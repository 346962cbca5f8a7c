"""Crops of photographs that show no card: the table, what lies on it, and parts of cards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from setml.datasets.crops import LabelledCrops
from setml.datasets.truth import Truth
from setml.extractors.quads import overlap
from setml.extractors.rectify import rectify
from setml.photo import BGR, read_photo
from setml.symbols import ASPECT

#: A place that shares more than this with a card, intersection over union, is neither a card nor none.
MOST_IOU = 0.4


def cut_negatives(truths: Sequence[Truth], scale: float = 1.0, each: int = 8, seed: int = 0) -> LabelledCrops:
    """Cut card-shaped places by chance out of labelled photographs.

    Parameters
    ----------
    truths : sequence of Truth
        The photographs.
    scale : float
        Of the crops' size, 1 for 180 x 280 pixels.
    each : int
        How many of each photograph, half of them on the borders of cards.
    seed : int
        Of all that is left to chance.

    Raises
    ------
    PhotoError
        If a photograph cannot be read.
    """
    rng = np.random.default_rng(seed)
    parts = []
    for truth in truths:
        photo = read_photo(truth.path)
        size = np.array(photo.image.shape[1::-1], float)
        cards = truth.corners / photo.scale
        ignore = truth.ignore.reshape(-1, 2, 2) / photo.scale
        images: list[BGR] = []
        # A crowded photograph may have no free place; it is left after a while.
        for attempt in range(8 * each):
            quad = _place(cards, size, rng, near=attempt % 2 == 0)
            if len(images) < each and _is_free(quad, cards, ignore, size):
                images.append(rectify(photo.image, quad, scale=scale))
        if images:
            names = [truth.name] * len(images)
            nothing = [None] * len(images)
            parts.append(LabelledCrops.of(images, nothing, truth.source, truth.split, truth.edition, names, names))
    return LabelledCrops.join(parts) if parts else LabelledCrops.of([], [], "", "", "classic")


def _place(
    cards: npt.NDArray[np.float64], size: npt.NDArray[np.float64], rng: np.random.Generator, near: bool
) -> npt.NDArray[np.float64]:
    """Choose a card-shaped place, over the border of some card or anywhere: (4, 2)."""
    sides = np.linalg.norm(cards[:, 1] - cards[:, 0], axis=1) if len(cards) else np.array([size.min() / 6])
    if near and len(cards):
        card = cards[rng.integers(len(cards))]
        middle = card.mean(axis=0) + rng.uniform(-0.8, 0.8, 2) @ np.stack([card[1] - card[0], card[3] - card[0]])
        side = np.linalg.norm(card[1] - card[0]) * rng.choice([1.0, 1.0, rng.uniform(0.35, 0.6), rng.uniform(1.5, 2.5)])
        angle = np.arctan2(*(card[1] - card[0])[::-1])
    else:
        middle, side = rng.uniform(0.1, 0.9, 2) * size, float(np.median(sides)) * rng.uniform(0.5, 1.6)
        angle = rng.uniform(0, np.pi)
    corners = np.array([[-0.5, -ASPECT / 2], [0.5, -ASPECT / 2], [0.5, ASPECT / 2], [-0.5, ASPECT / 2]]) * side
    cos, sin = np.cos(angle), np.sin(angle)
    return np.asarray(corners @ np.array([[cos, sin], [-sin, cos]]) + middle)


def _is_free(
    quad: npt.NDArray[np.float64],
    cards: npt.NDArray[np.float64],
    ignore: npt.NDArray[np.float64],
    size: npt.NDArray[np.float64],
) -> bool:
    """Tell whether a place is surely no card: in the photo, off the boxes that are not scored, on no whole card."""
    if (quad < 0).any() or (quad > size).any() or any(overlap(quad, card) > MOST_IOU for card in cards):
        return False
    low, high = quad.min(axis=0), quad.max(axis=0)
    return not any((low < box[1]).all() and (high > box[0]).all() for box in ignore)
