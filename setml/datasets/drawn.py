"""Crops drawn by program: cards of many decks as an extractor would cut them, and what is no card."""

from __future__ import annotations

from collections.abc import Callable
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


def draw_negatives(count: int, seed: int = 0, scale: float = 1.0, halves: bool = True) -> LabelledCrops:
    """Draw crops that show no card: table, paper, keys, boxes, card backs, playing cards, frames, half cards.

    Parameters
    ----------
    count : int
        How many.
    seed : int
        Of all that is left to chance.
    scale : float
        Of the crops' size, 1 for 180 x 280 pixels.
    halves : bool
        With parts of cards among them, a quarter of all.
    """
    rng = np.random.default_rng(seed)
    kinds: list[Callable[[int, int, np.random.Generator], BGR]] = [
        _bare,
        _paper,
        _keys,
        _box,
        _back,
        _playing_card,
        _frames,
    ]
    if halves:
        kinds += [_half_card, _half_card]
    width, height = (round(side * scale) for side in CROP_SIZES["card"])
    images = [kinds[place % len(kinds)](width, height, rng) for place in range(count)]
    return LabelledCrops.of(images, [None] * count, "drawn", "drawn", "classic")


def _bare(width: int, height: int, rng: np.random.Generator) -> BGR:
    return np.clip(draw_surface(SURFACES[rng.integers(len(SURFACES))], width, height, rng), 0, 255).astype(np.uint8)


def _paper(width: int, height: int, rng: np.random.Generator) -> BGR:
    """Draw a blank or a written sheet."""
    image = np.full((height, width, 3), rng.integers(215, 256), np.uint8)
    image[:] = np.clip(image + rng.integers(-12, 6, 3), 0, 255)
    if rng.random() < 0.3:
        return image
    ink = rng.integers(0, 120, 3).tolist()
    size = rng.uniform(0.25, 1.4) * width / 180
    step = max(6, round(size * rng.uniform(26, 44)))
    for y in range(int(rng.integers(4, 40)), height + step, step):
        text = "".join(map(chr, rng.integers(65, 122, 40)))
        cv2.putText(image, text, (int(rng.integers(-20, 20)), y), int(rng.integers(0, 8)), size, ink, 1, cv2.LINE_AA)
    return image


def _keys(width: int, height: int, rng: np.random.Generator) -> BGR:
    """Draw a keyboard, near or far, or a printed grid."""
    dark = rng.random() < 0.6
    image = np.full((height, width, 3), rng.integers(10, 70) if dark else rng.integers(150, 255), np.uint8)
    key = rng.integers(20, 110, 3) if dark else rng.integers(210, 256, 3)
    letter = (230, 230, 230) if dark else (40, 40, 40)
    pitch = int(width * rng.uniform(0.2, 1.1))
    left, top = rng.integers(-pitch, 0, 2)
    for x in range(int(left), width, pitch):
        for y in range(int(top), height, pitch):
            cv2.rectangle(image, (x, y), (x + round(pitch * 0.86), y + round(pitch * 0.86)), key.tolist(), -1)
            sign = chr(rng.integers(65, 91))
            at = (x + round(pitch * 0.3), y + round(pitch * 0.6))
            cv2.putText(image, sign, at, cv2.FONT_HERSHEY_SIMPLEX, pitch / 60, letter, 1, cv2.LINE_AA)
    return image


def _box(width: int, height: int, rng: np.random.Generator) -> BGR:
    """Draw a box or a book's cover: colored fields and a word or two."""
    image = np.full((height, width, 3), 0, np.uint8)
    image[:] = rng.integers(0, 256, 3)
    for _ in range(rng.integers(0, 5)):
        (x, y), (w, h) = rng.integers(0, (width, height)), rng.integers(8, (width, height))
        cv2.rectangle(image, (int(x), int(y)), (int(x + w), int(y + h)), rng.integers(0, 256, 3).tolist(), -1)
    for _ in range(rng.integers(1, 4)):
        at = (int(rng.integers(0, width // 2)), int(rng.integers(20, height)))
        word = "".join(map(chr, rng.integers(65, 91, rng.integers(2, 9))))
        size = rng.uniform(0.5, 3) * width / 180
        cv2.putText(image, word, at, int(rng.integers(0, 8)), size, rng.integers(0, 256, 3).tolist(), 2, cv2.LINE_AA)
    return image


def _back(width: int, height: int, rng: np.random.Generator) -> BGR:
    """Draw a card's back: a pattern that repeats, within a frame or without."""
    tile = int(rng.integers(6, max(8, width // 3)))
    colors = rng.integers(0, 256, (2, 3)).tolist()
    image = np.full((height, width, 3), colors[0], np.uint8)
    for x in range(0, width + tile, tile):
        for y in range(0, height + tile, tile):
            center = (x + (tile // 2 if (y // tile) % 2 else 0), y)
            if rng.integers(2):
                cv2.circle(image, center, max(2, tile // 3), colors[1], -1, cv2.LINE_AA)
            else:
                cv2.line(image, center, (x + tile, y + tile), colors[1], max(1, tile // 8), cv2.LINE_AA)
    if rng.random() < 0.6:
        frame = round(width * rng.uniform(0.04, 0.12))
        cv2.rectangle(image, (0, 0), (width, height), (245, 248, 250), 2 * frame)
    return image


def _playing_card(width: int, height: int, rng: np.random.Generator) -> BGR:
    """Draw a card of another game: signs in two corners, pips in rows."""
    image = np.full((height, width, 3), rng.integers(225, 256), np.uint8)
    ink = (30, 30, 200) if rng.random() < 0.5 else (25, 20, 20)
    sign, size = "A23456789JQK"[rng.integers(12)], width / 180 * rng.uniform(0.7, 1.2)
    half = np.zeros_like(image)
    cv2.putText(half, sign, (width // 16, height // 8), cv2.FONT_HERSHEY_COMPLEX, size, (255, 255, 255), 2, cv2.LINE_AA)
    columns, rows = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    radius = round(width * rng.uniform(0.05, 0.1))
    for column in range(columns):
        for row in range(rows):
            x, y = (column + 1) * width // (columns + 1), (row + 1) * height // (rows + 1)
            if rng.random() < 0.5:
                cv2.circle(half, (x, y), radius, (255, 255, 255), -1, cv2.LINE_AA)
            else:
                heart = np.array([[x - radius, y], [x, y - radius // 2], [x + radius, y], [x, y + 2 * radius]])
                cv2.fillPoly(half, [heart], (255, 255, 255), cv2.LINE_AA)
    cover = np.maximum(half, half[::-1, ::-1]).astype(np.float32) / 255
    return np.asarray(image * (1 - cover) + np.array(ink) * cover, np.uint8)


def _frames(width: int, height: int, rng: np.random.Generator) -> BGR:
    """Draw a sheet with frames for cards printed on it, or one blank card's outline."""
    image = np.full((height, width, 3), rng.integers(190, 256), np.uint8)
    image[:] = np.clip(image + rng.integers(-14, 8, 3), 0, 255)
    columns = int(rng.integers(1, 5))
    pitch = np.array([width, height]) / columns * rng.uniform(0.9, 1.1, 2)
    gap = rng.choice([0.0, rng.uniform(0.02, 0.2)])
    ink = (image[0, 0] * rng.uniform(0.2, 0.92)).astype(int).tolist()
    start = rng.uniform(-0.3, 0.3, 2) * pitch
    thickness = int(rng.integers(1, 4))
    for column in range(-1, columns + 1):
        for row in range(-1, columns + 1):
            low = start + pitch * (column, row) + gap * pitch / 2
            high = low + (1 - gap) * pitch
            cv2.rectangle(image, low.astype(int).tolist(), high.astype(int).tolist(), ink, thickness, cv2.LINE_AA)
    return image


def _half_card(width: int, height: int, rng: np.random.Generator) -> BGR:
    """Cut half a card, two halves, or a piece of one, out of a drawn table."""
    crop = draw_crop(DECK[rng.integers(len(DECK))], "classic", rng, width / CROP_SIZES["card"][0] * 1.5)
    return cut_wrongly(crop, (width, height), rng)


def cut_wrongly(image: BGR, size: tuple[int, int], rng: np.random.Generator) -> BGR:
    """Cut a crop that is no whole card out of the image of one.

    Parameters
    ----------
    image : ndarray
        BGR, uint8, H x W x 3: one card fills it.
    size : (int, int)
        Width and height of what is cut.
    rng : Generator
        Chooses by how much the cut is off, or how small a part of the card it holds.

    Returns
    -------
    ndarray
        BGR, uint8, H x W x 3. What lies beyond the image is one color or its own mirror image.
    """
    height, width = image.shape[:2]
    if rng.random() < 0.6:
        # Moved by nearly half a card or more.
        part = np.ones(2)
        away = rng.uniform(0.42, 0.75) * rng.choice([-1, 1])
        shift = np.array([away, rng.uniform(-0.3, 0.3)]) if rng.random() < 0.5 else np.array([0, away])
    else:
        part = rng.uniform(0.25, 0.55, 2)
        shift = rng.uniform(-0.3, 0.3, 2)
    middle = (0.5 + shift) * (width, height)
    half = part / 2 * (width, height)
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    quad = (middle + signs * half).astype(np.float32)
    target = ((signs + 1) / 2 * size).astype(np.float32)
    warp = cv2.getPerspectiveTransform(quad, target)
    color = rng.integers(0, 256, 3).tolist()
    mode = cv2.BORDER_CONSTANT if rng.random() < 0.5 else cv2.BORDER_REFLECT
    return np.asarray(cv2.warpPerspective(image, warp, size, borderMode=mode, borderValue=color), np.uint8)
