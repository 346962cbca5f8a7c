"""Crops drawn by program: cards of many decks as an extractor would cut them."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.cards import DECK, Card
from setml.datasets.cards import Edition, card_mask, draw_card, vary_style
from setml.datasets.crops import LabelledCrops, shake
from setml.datasets.tables import SURFACES, draw_surface
from setml.extractors.rectify import CROP_SIZES, rectify
from setml.photo import BGR
from setml.symbols import ASPECT

#: One drawn card in this many is of the edition with rectangles.
RECTANGLES: Final = 5

# The card's own share of the little table it is drawn on, beside and above which its neighbours lie.
_SHARE: Final = 0.62


def draw_crops(copies: int, seed: int = 0, scale: float = 1.0) -> LabelledCrops:
    """Draw every card of the deck so many times, each from a deck of its own print.

    Parameters
    ----------
    copies : int
        Of each of the 81 cards.
    seed : int
        Of all that is left to chance.
    scale : float
        Of the crops' size, 1 for 180 x 280 pixels.
    """
    rng = np.random.default_rng(seed)
    cards = [card for _ in range(copies) for card in DECK]
    editions: list[Edition] = ["rectangle" if rng.random() < 1 / RECTANGLES else "classic" for _ in cards]
    images = [draw_crop(card, edition, rng, scale) for card, edition in zip(cards, editions, strict=True)]
    return LabelledCrops.of(images, cards, "drawn", "drawn", editions)


def draw_crop(card: Card, edition: Edition, rng: np.random.Generator, scale: float = 1.0) -> BGR:
    """Draw one card on a table, with or without neighbours, and cut it out as an extractor errs.

    Returns
    -------
    ndarray
        BGR, uint8, H x W x 3; 180 x 280 pixels times `scale`.
    """
    short = round(CROP_SIZES["card"][0] * scale)
    table, corners = _little_table(short, rng)
    style = vary_style(edition, rng)
    for shift in _neighbours(rng):
        other = DECK[rng.integers(len(DECK))]
        _lay(table, draw_card(other, short, edition, style), corners[0] + shift * (short, short * ASPECT))
    _lay(table, draw_card(card, short, edition, style, seed=int(rng.integers(2**31))), corners[0])
    image = np.clip(table, 0, 255).astype(np.uint8)
    return rectify(image, shake(corners, 0.02, rng), scale=scale)


def _little_table(short: int, rng: np.random.Generator) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Draw a bare piece of table, and tell the corners of the place for a card in its middle."""
    width, height = round(short / _SHARE), round(short * ASPECT / _SHARE)
    surface = SURFACES[rng.integers(len(SURFACES))]
    table = draw_surface(surface, width, height, rng)
    left, top = round((width - short) / 2), round((height - short * ASPECT) / 2)
    right, bottom = left + short, top + round(short * ASPECT)
    return table, np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def _neighbours(rng: np.random.Generator) -> list[npt.NDArray[np.float64]]:
    """Choose where other cards lie, in cards' widths and heights; often they touch."""
    sides = np.array([[-1, 0], [1, 0], [0, -1], [0, 1]], float)
    gap = rng.choice([0.0, 0.01, 0.05, 0.12]) + 1
    return [side * gap for side in sides if rng.random() < 0.35]


def _lay(table: npt.NDArray[np.float32], card: BGR, corner: npt.NDArray[np.floating]) -> None:
    """Lay a drawn card on a table, with a soft shadow along its edge; `corner` is its upper left one."""
    mask = card_mask(card.shape[1])
    warp = np.array([[1, 0, corner[0]], [0, 1, corner[1]]], float)
    size = table.shape[1::-1]
    cover = cv2.warpAffine(mask, warp, size).astype(np.float32)[..., None] / 255
    seen = cv2.warpAffine(card, warp, size, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    shade = cv2.GaussianBlur(cover[..., 0], (0, 0), 0.02 * card.shape[1])[..., None]
    table *= 1 - 0.35 * shade
    table *= 1 - cover
    table += seen * cover
