"""Crops drawn by program of what is no card: papers, keys, boxes, backs, cards of other games, and parts of cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.cards import DECK
from setml.datasets.crops import LabelledCrops
from setml.datasets.drawn import draw_crop
from setml.datasets.tables import SURFACES, draw_surface
from setml.extractors.rectify import CROP_SIZES
from setml.photo import BGR

Floats = npt.NDArray[np.float32]

#: The four suits, and other signs that no card of SET has.
SUITS: Final = ("heart", "spade", "club", "lozenge")
SIGNS: Final = (*SUITS, "circle", "triangle", "square", "pentagon", "hexagon", "star", "cross")


def draw_negatives(count: int, seed: int = 0, scale: float = 1.0, halves: bool = True) -> LabelledCrops:
    """Draw crops that show no card: table, paper, keys, boxes, card backs, cards of other games, frames, half cards.

    Parameters
    ----------
    count : int
        How many.
    seed : int
        Of all that is left to chance.
    scale : float
        Of the crops' size, 1 for 180 x 280 pixels.
    halves : bool
        With parts of cards among them, a fifth of all.
    """
    rng = np.random.default_rng(seed)
    kinds = [*KINDS.values(), *([_half_card] * 2 if halves else [])]
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
    where, size, font = rng.uniform((0.08, 0.4), (0.4, 0.75)), rng.uniform(0.3, 0.9), int(rng.integers(0, 8))
    thick = max(1, round(pitch * rng.uniform(0.01, 0.06)))
    for x in range(int(left), width, pitch):
        for y in range(int(top), height, pitch):
            cv2.rectangle(image, (x, y), (x + round(pitch * 0.86), y + round(pitch * 0.86)), key.tolist(), -1)
            at = (x + round(pitch * where[0]), y + round(pitch * where[1]))
            cv2.putText(image, chr(rng.integers(48, 91)), at, font, pitch * size / 30, letter, thick, cv2.LINE_AA)
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
    """Draw a card of the game of four suits: its value in two corners, pips in columns or a picture in a frame."""
    image = np.full((height, width, 3), rng.integers(225, 256), np.uint8)
    suit = SUITS[rng.integers(len(SUITS))]
    ink = (30, 30, 200) if suit in ("heart", "lozenge") else (25, 20, 20)
    value = int(rng.integers(1, 14))
    cover = np.zeros((height, width), np.float32)
    if value <= 10:
        size = width * rng.uniform(0.15, 0.24) * (rng.uniform(1, 2.2) if value == 1 else 1)
        for x, y in _pips(value):
            sign = draw_sign(suit, size)
            _stamp(cover, sign if y <= 0.5 else sign[::-1], (x * width, y * height))
    else:
        low, high = (round(width * 0.2), round(height * 0.13)), (round(width * 0.8), round(height * 0.87))
        for _ in range(rng.integers(6, 20)):
            at = rng.integers(low, high)
            reach = (at + rng.integers(4, 40, 2)).clip(max=high)
            cv2.rectangle(image, at.tolist(), reach.tolist(), rng.integers(0, 256, 3).tolist(), -1)
        cv2.rectangle(image, low, high, (60, 30, 30), 1, cv2.LINE_AA)
    corner = np.zeros((height, width), np.float32)
    sign = draw_letter("A23456789XJQK"[value - 1], width * rng.uniform(0.14, 0.2))
    _stamp(corner, sign, (width * 0.1, height * 0.08))
    _stamp(corner, draw_sign(suit, width * 0.1), (width * 0.09, height * 0.17))
    cover = np.maximum(cover, np.maximum(corner, corner[::-1, ::-1]))[..., None]
    return np.asarray(image * (1 - cover) + np.array(ink) * cover, np.uint8)


def _pips(value: int) -> list[tuple[float, float]]:
    """Tell where the pips of a value stand, in shares of width and height: two columns, and some in the middle."""
    side = {1: 0, 2: 0, 3: 0, 4: 2, 5: 2, 6: 3, 7: 3, 8: 3, 9: 4, 10: 4}[value]
    columns = [(x, y) for x in (0.3, 0.7) for y in np.linspace(0.17, 0.83, side)]
    middle = {0: [], 1: [0.5], 2: [0.17, 0.83] if value == 2 else [0.28, 0.72], 3: [0.17, 0.5, 0.83]}
    return columns + [(0.5, y) for y in middle[value - 2 * side]]


def _other_game(width: int, height: int, rng: np.random.Generator) -> BGR:
    """Draw a card of some other game: signs that SET does not have, or letters, in a row, in rows or strewn."""
    paper = rng.integers(215, 256, 3) if rng.random() < 0.7 else rng.integers(0, 256, 3)
    cover = np.zeros((height, width), np.float32)
    size = width * rng.choice([rng.uniform(0.12, 0.3), rng.uniform(0.3, 0.8)])
    name = SIGNS[rng.integers(len(SIGNS))]
    sign = draw_sign(name, size) if rng.random() < 0.75 else draw_letter(chr(rng.integers(48, 91)), size)
    if rng.random() < 0.35:
        sign = np.asarray(cv2.morphologyEx(sign, cv2.MORPH_GRADIENT, np.ones((3, 3))), np.float32)
    elif rng.random() < 0.2:
        sign[:: int(rng.integers(2, 5))] = 0
    columns, rows = (1, int(rng.integers(1, 4))) if rng.random() < 0.5 else rng.integers(1, 5, 2).tolist()
    step = np.array([1.15 * size, 1.15 * size]) * rng.uniform(0.9, 1.6)
    strewn = rng.choice([0.0, 0.3])
    for column in range(columns):
        for row in range(rows):
            off = (np.array([column, row]) - (columns - 1, rows - 1) / np.array(2)) * step
            _stamp(cover, sign, np.array([width, height]) / 2 + off + rng.normal(0, strewn * size, 2))
    ink = rng.integers(0, 256, 3)
    seen = paper * (1 - cover[..., None]) + ink * cover[..., None]
    return np.clip(seen, 0, 255).astype(np.uint8)


def draw_sign(name: str, size: float) -> Floats:
    """Draw a sign of :data:`SIGNS`: how much is ink, 0 to 1, float32, (size, size)."""
    side, fine = max(4, round(size)), 4
    t = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    turns = {"triangle": 3, "square": 4, "pentagon": 5, "hexagon": 6}
    heart = np.stack([16 * np.sin(t) ** 3, 5 * np.cos(2 * t) + 2 * np.cos(3 * t) + np.cos(4 * t) - 13 * np.cos(t)], 1)
    parts: list[npt.NDArray[np.floating]]
    stem = np.array([[0, 0], [0.13, 0.48], [-0.13, 0.48]])
    circle = np.stack([np.sin(t), np.cos(t)], 1)
    if name in turns:
        corners = np.arange(turns[name]) * 2 * np.pi / turns[name]
        parts = [np.stack([np.sin(corners), -np.cos(corners)], 1) * 0.5]
    elif name == "star":
        corners = np.arange(10) * np.pi / 5
        parts = [np.stack([np.sin(corners), -np.cos(corners)], 1) * np.where(np.arange(10) % 2, 0.2, 0.5)[:, None]]
    elif name == "cross":
        bar = np.array([[-0.15, -0.5], [0.15, -0.5], [0.15, 0.5], [-0.15, 0.5]])
        parts = [bar, bar[:, ::-1]]
    elif name == "heart":
        parts = [heart / 34]
    elif name == "spade":
        parts = [heart * (1, -1) / 38 - (0, 0.06), stem]
    elif name == "club":
        parts = [circle * 0.2 + at for at in ((0, -0.25), (-0.24, 0.08), (0.24, 0.08))] + [stem]
    elif name == "lozenge":
        parts = [np.array([[0, -0.5], [0.38, 0], [0, 0.5], [-0.38, 0]])]
    else:
        parts = [circle * 0.48]
    mask = np.zeros((side * fine, side * fine), np.uint8)
    for part in parts:
        cv2.fillPoly(mask, [np.round((part + 0.5) * side * fine).astype(np.int32)], 255)
    return np.asarray(cv2.resize(mask, (side, side), interpolation=cv2.INTER_AREA), np.float32) / np.float32(255)


def draw_letter(letter: str, size: float) -> Floats:
    """Draw a letter or a figure: how much is ink, 0 to 1, float32, (size, size)."""
    side = max(4, round(size))
    mask = np.zeros((side, side), np.uint8)
    at, thick = (side // 6, side - side // 6), max(1, side // 10)
    cv2.putText(mask, letter, at, cv2.FONT_HERSHEY_SIMPLEX, side / 30, 255, thick, cv2.LINE_AA)
    return np.asarray(mask, np.float32) / np.float32(255)


def _stamp(cover: Floats, sign: Floats, middle: npt.ArrayLike) -> None:
    """Print a sign, as much of it as lies within the card."""
    height, width = sign.shape
    left, top = np.round(np.asarray(middle, float) - (width / 2, height / 2)).astype(int)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + width, cover.shape[1]), min(top + height, cover.shape[0])
    if x1 > x0 and y1 > y0:
        place = cover[y0:y1, x0:x1]
        np.maximum(place, sign[y0 - top : y1 - top, x0 - left : x1 - left], out=place)


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


#: How each kind is drawn, width and height in pixels; :func:`draw_negatives` draws them in turn.
KINDS: Final[Mapping[str, Callable[[int, int, np.random.Generator], BGR]]] = MappingProxyType(
    {
        "bare": _bare,
        "paper": _paper,
        "keys": _keys,
        "box": _box,
        "back": _back,
        "playing card": _playing_card,
        "frames": _frames,
        "other game": _other_game,
    }
)
