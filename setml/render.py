"""The sets drawn on the photo: outlines by color and number, a legend, a contact sheet where there are many."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from setml.photo import BGR, check_image
from setml.sets import Trio
from setml.solution import Solution

#: The colors of the sets, red, green, blue. Any two differ by at least 30 in CIELAB, also as seen by protanopes,
#: deuteranopes and tritanopes (Machado, Oliveira and Fernandes 2009), and from the three inks by as much.
SET_COLORS: Final = (
    (255, 128, 0),
    (128, 255, 255),
    (170, 0, 255),
    (255, 255, 128),
    (0, 0, 0),
    (170, 170, 255),
    (213, 170, 128),
    (43, 85, 85),
)
#: More sets than there are colors are shown on a contact sheet, a small picture each.
MOST_ON_ONE_PHOTO: Final = len(SET_COLORS)
#: A contact sheet ends here; the rest is counted in a line below.
MOST_ON_A_SHEET: Final = 60

_CELL: Final = 420
_GAP: Final = 8
_DARK: Final = (24, 24, 24)
_LIGHT: Final = (238, 238, 238)


def draw_sets(image: BGR, solution: Solution) -> BGR:
    """Draw every set of a solution on a copy of its photo.

    Parameters
    ----------
    image : ndarray
        The photo the solution is of, at any size: BGR, uint8, H x W x 3.
    solution : Solution
        What was found in it.

    Returns
    -------
    ndarray
        BGR, uint8, H x W x 3: the photo with the outlines of up to eight sets and a legend below,
        or with more sets a contact sheet.
    """
    check_image(image)
    if len(solution.sets) > MOST_ON_ONE_PHOTO:
        return _contact_sheet(image, solution)
    picture = draw_outlines(image, solution)
    rows = [
        (_number(solution, place), SET_COLORS[place], _cards_of(solution, trio))
        for place, trio in enumerate(solution.sets)
    ]
    if not rows:
        rows = [("", _DARK, summary(solution))]
    return np.vstack([picture, _legend(rows, picture.shape[1])])


def draw_outlines(image: BGR, solution: Solution) -> BGR:
    """Outline the cards of up to eight sets on a copy of a photo, with no legend.

    Parameters
    ----------
    image : ndarray
        BGR, uint8, H x W x 3.
    solution : Solution
        What was found in it.

    Returns
    -------
    ndarray
        BGR, uint8, H x W x 3, of the same size.
    """
    check_image(image)
    return _outline(image, solution, list(enumerate(solution.sets[:MOST_ON_ONE_PHOTO])))


def summary(solution: Solution) -> str:
    """Say in a few words what was found: ``12 cards, 3 sets``."""
    cards, sets = len(solution.cards), len(solution.sets)
    told_cards = f"{cards} card{'s' if cards != 1 else ''}" if cards else "no card"
    told_sets = f"{sets} set{'s' if sets != 1 else ''}" if sets else "no set"
    return f"{told_cards}, {told_sets}"


def _number(solution: Solution, place: int) -> str:
    """Return a set's number; a question mark tells that it rests on an uncertain card."""
    return f"{place + 1}" + ("" if solution.is_certain(solution.sets[place]) else "?")


def _cards_of(solution: Solution, trio: Trio) -> str:
    return ",  ".join(str(solution.cards[place].card) for place in trio)


def _outline(image: BGR, solution: Solution, numbered: Sequence[tuple[int, Trio]]) -> BGR:
    """Outline the cards of some sets; those of a card in several grow outward, ring by ring."""
    picture = image.copy()
    if not solution.cards:
        return picture
    scale = np.array(image.shape[1::-1]) / (solution.width, solution.height)
    quads = np.stack([card.corners for card in solution.cards]) * scale
    short_side = float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))
    width = max(2, round(min(max(image.shape[:2]) / 220, short_side / 14)))
    rings: Counter[int] = Counter()
    for number, trio in numbered:
        for place in trio:
            ring = _grow(quads[place], width * (0.9 + 1.9 * rings[place]))
            first = rings[place]
            rings[place] += 1
            red, green, blue = SET_COLORS[number % len(SET_COLORS)]
            points = [np.round(ring * 8).astype(np.int32)]
            # A dark and a light rim, so that any color shows on any table.
            for rim, color in (
                (width + 2 * max(1, width // 4), _LIGHT if (red, green, blue) == (0, 0, 0) else (0, 0, 0)),
                (width, (blue, green, red)),
            ):
                cv2.polylines(picture, points, True, color, rim, cv2.LINE_AA, shift=3)
            _tag(picture, ring, first, _number(solution, number), (red, green, blue), 3.2 * width)
    return picture


def _grow(quad: npt.NDArray[np.floating], by: float) -> npt.NDArray[np.floating]:
    """Move the sides of a clockwise quadrilateral outward by some pixels."""
    edges = np.roll(quad, -1, axis=0) - quad
    along = edges / np.maximum(np.linalg.norm(edges, axis=1, keepdims=True), 1e-6)
    outward = np.stack([along[:, 1], -along[:, 0]], axis=1)
    before = np.roll(outward, 1, axis=0)
    # Both sides that meet in a corner move, so it moves along their bisector, further the sharper it is.
    turn = np.maximum(1 + (before * outward).sum(axis=1, keepdims=True), 0.3)
    return np.asarray(quad + by * (before + outward) / turn)


def _tag(
    picture: BGR, ring: npt.NDArray[np.floating], place: int, text: str, color: tuple[int, int, int], size: float
) -> None:
    """Write a set's number on its ring, each ring's further along the card's upper side."""
    size = max(size, 13)
    start, end = ring[0], ring[1]
    length = max(float(np.linalg.norm(end - start)), 1e-6)
    x, y = start + (end - start) * min(0.95, (0.6 + 1.15 * place) * size / length)
    half = round(size / 2) + 1
    left, top = round(x) - half, round(y) - half
    if left < 0 or top < 0 or left + 2 * half > picture.shape[1] or top + 2 * half > picture.shape[0]:
        return
    patch = picture[top : top + 2 * half, left : left + 2 * half]
    tile = Image.fromarray(cv2.cvtColor(patch, cv2.COLOR_BGR2RGB))
    draw = ImageDraw.Draw(tile)
    ink = _readable_on(color)
    draw.ellipse((0, 0, 2 * half - 1, 2 * half - 1), fill=color, outline=ink)
    draw.text((half, half), text, fill=ink, font=_font(size * 0.72), anchor="mm")
    patch[:] = cv2.cvtColor(np.asarray(tile), cv2.COLOR_RGB2BGR)


def _legend(rows: Sequence[tuple[str, tuple[int, int, int], str]], width: int) -> BGR:
    """Draw a strip of text, a row for each set: its number on its color, then its cards."""
    longest = max((text for _, _, text in rows), key=len)
    size = min(36.0, max(10.0, width / 42))
    needed = _font(size).getlength(longest) + 3.5 * size
    size = max(7.0, size * min(1.0, width / needed))
    step = math.ceil(size * 1.7)
    strip = Image.new("RGB", (width, step * len(rows) + step // 2), _DARK)
    draw, font = ImageDraw.Draw(strip), _font(size)
    for place, (number, color, text) in enumerate(rows):
        middle = step * place + step * 3 // 4
        if number:
            box = (0.5 * size, middle - 0.65 * size, 2.3 * size, middle + 0.65 * size)
            draw.rounded_rectangle(box, 0.3 * size, fill=color, outline=_LIGHT)
            draw.text((1.4 * size, middle), number, fill=_readable_on(color), font=font, anchor="mm")
        draw.text((2.8 * size, middle), text, fill=_LIGHT, font=font, anchor="lm")
    return np.asarray(cv2.cvtColor(np.asarray(strip), cv2.COLOR_RGB2BGR), np.uint8)


def _contact_sheet(image: BGR, solution: Solution) -> BGR:
    """Draw one small picture for each set, in rows."""
    scale = min(1.0, _CELL / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
    shown = list(enumerate(solution.sets))[:MOST_ON_A_SHEET]
    cells = []
    for number, trio in shown:
        drawn = _outline(small, solution, [(number, trio)])
        row = (_number(solution, number), SET_COLORS[number % len(SET_COLORS)], _cards_of(solution, trio))
        cell = np.vstack([drawn, _legend([row], drawn.shape[1])])
        cells.append(np.pad(cell, ((0, _GAP), (0, _GAP), (0, 0)), constant_values=_DARK[0]))
    height, width = (max(cell.shape[side] for cell in cells) for side in (0, 1))
    columns = max(1, round(math.sqrt(len(cells) * height / width)))
    rows = math.ceil(len(cells) / columns)
    sheet = np.full((rows * height, columns * width, 3), _DARK, np.uint8)
    for place, cell in enumerate(cells):
        top, left = place // columns * height, place % columns * width
        sheet[top : top + cell.shape[0], left : left + cell.shape[1]] = cell
    text = summary(solution)
    if len(shown) < len(solution.sets):
        text += f"; the first {len(shown)} are shown"
    return np.vstack([sheet, _legend([("", _DARK, text)], sheet.shape[1])])


def _readable_on(color: tuple[int, int, int]) -> tuple[int, int, int]:
    red, green, blue = color
    return _DARK if 0.299 * red + 0.587 * green + 0.114 * blue > 120 else _LIGHT


@functools.lru_cache(maxsize=16)
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
