"""Single cards drawn by program: both editions, any size, any ink."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from setml.cards import Card
from setml.photo import BGR
from setml.symbols import ASPECT, SPACING

Points = npt.NDArray[np.float64]
Edition = Literal["classic", "rectangle"]

# Everything is drawn this many times as large, then averaged, so that edges are smooth.
_FINE: Final = 3

# Half a squiggle as cubic Bezier curves in a box from -1 to 1; the other half is its point reflection.
_SQUIGGLE: Final = (
    ((-1.00, 0.42), (-1.03, -0.50), (-0.80, -1.04), (-0.42, -0.97)),
    ((-0.42, -0.97), (-0.05, -0.90), (0.12, -0.42), (0.44, -0.50)),
    ((0.44, -0.50), (0.64, -0.55), (0.74, -1.00), (0.90, -0.94)),
    ((0.90, -0.94), (1.00, -0.90), (1.00, -0.62), (1.00, -0.42)),
)


@dataclass(frozen=True)
class Style:
    """How a deck is printed; lengths are in units of a card's short side.

    Attributes
    ----------
    inks : mapping of str to (int, int, int)
        Red, green, blue of each of the three colors.
    paper : (int, int, int)
        Red, green, blue.
    outline, pitch, stripe : float
        Width of an outline; distance from stripe to stripe, and the share of it that is ink.
    corner : float
        Radius of the card's corners.
    symbol : float
        Multiplies the size of the symbols.
    spacing : float
        Distance from symbol to symbol.
    """

    inks: Mapping[str, tuple[int, int, int]]
    paper: tuple[int, int, int] = (250, 249, 245)
    outline: float = 0.018
    pitch: float = 0.0255
    stripe: float = 0.34
    corner: float = 0.065
    symbol: float = 1.0
    spacing: float = SPACING


#: The two editions as they are printed.
STYLES: Final[Mapping[str, Style]] = MappingProxyType(
    {
        "classic": Style({"red": (226, 32, 40), "green": (0, 146, 70), "purple": (92, 44, 144)}),
        "rectangle": Style({"red": (206, 36, 44), "green": (0, 122, 68), "purple": (46, 34, 84)}, outline=0.014),
    }
)


def vary_style(edition: Edition, rng: np.random.Generator) -> Style:
    """Make up another deck of an edition: as decks of several prints and ages differ, and somewhat more."""
    style = STYLES[edition]
    inks = {}
    for color, ink in style.inks.items():
        hsv = cv2.cvtColor(np.array([[ink]], np.uint8), cv2.COLOR_RGB2HSV)[0, 0].astype(float)
        # In OpenCV a hue is half its degrees. Purple ranges from violet to nearly blue, red towards orange.
        hsv[0] = (hsv[0] + rng.uniform(-7, 7)) % 180
        hsv[1:] *= rng.uniform((0.7, 0.75), (1.05, 1.2))
        rgb = cv2.cvtColor(np.clip(hsv, 0, 255).astype(np.uint8)[None, None], cv2.COLOR_HSV2RGB)[0, 0]
        inks[color] = (int(rgb[0]), int(rgb[1]), int(rgb[2]))
    white = int(rng.integers(232, 256))
    return Style(
        inks=inks,
        paper=(white, white - int(rng.integers(0, 6)), white - int(rng.integers(0, 16))),
        outline=style.outline * rng.uniform(0.65, 1.5),
        pitch=style.pitch * rng.uniform(0.8, 1.35),
        stripe=rng.uniform(0.22, 0.5),
        symbol=rng.uniform(0.93, 1.06),
        spacing=SPACING * rng.uniform(0.94, 1.05),
    )


def draw_card(
    card: Card, short_side: int = 180, edition: Edition = "classic", style: Style | None = None, seed: int = 0
) -> BGR:
    """Draw one card, upright.

    Parameters
    ----------
    card : Card
        What it shows.
    short_side : int
        Its width in pixels; it is 1.555 times as high.
    edition : {"classic", "rectangle"}
        Diamonds, ovals and stripes, or rectangles, ellipses and dots.
    style : Style, optional
        Inks, paper and line widths, in place of the edition's own.
    seed : int
        Where the dots of the rectangle edition fall.

    Returns
    -------
    ndarray
        BGR, uint8, H x W x 3. The round corners are not cut out; see :func:`card_mask`.

    Examples
    --------
    >>> draw_card(Card.from_code("2RTD"), 100).shape
    (156, 100, 3)
    """
    style = style or STYLES[edition]
    width, height = short_side * _FINE, round(short_side * ASPECT) * _FINE
    canvas = np.full((height, width, 3), style.paper[::-1], np.uint8)
    box = (0.648, 0.318) if card.shape != "diamond" else (0.684, 0.336)
    outline = symbol_outline(card.shape, edition) * box * style.symbol
    ink = style.inks[card.color][::-1]
    fill = _shading(card.shading, edition, style, width, height, seed)
    for place in range(card.count):
        center = (0.5, ASPECT / 2 + (place - (card.count - 1) / 2) * style.spacing)
        points = np.round((outline + center) * width * 16).astype(np.int32)
        inside = np.zeros((height, width), np.uint8)
        cv2.fillPoly(inside, [points], 255, cv2.LINE_AA, shift=4)
        canvas[(inside > 127) & fill] = ink
        cv2.polylines(canvas, [points], True, ink, max(1, round(style.outline * width)), cv2.LINE_AA, shift=4)
    size = (short_side, height // _FINE)
    return np.asarray(cv2.resize(canvas, size, interpolation=cv2.INTER_AREA), np.uint8)


def symbol_outline(shape: str, edition: Edition = "classic") -> Points:
    """Return the outline of a symbol, in a box of width and height 1 around (0, 0).

    Returns
    -------
    ndarray, float, (n, 2)
        Points (x, y) along a closed curve.
    """
    if shape == "squiggle":
        half = np.concatenate([_bezier(*curve) for curve in _SQUIGGLE])
        points = np.concatenate([half, -half])
        return np.asarray((points - (points.max(0) + points.min(0)) / 2) / np.ptp(points, axis=0))
    if shape == "diamond":
        if edition == "rectangle":
            return np.array([[-0.5, -0.42], [0.5, -0.42], [0.5, 0.42], [-0.5, 0.42]])
        return np.array([[-0.5, 0.0], [0.0, -0.5], [0.5, 0.0], [0.0, 0.5]])
    angles = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1) / 2
    if edition == "rectangle":
        return circle
    # An oval is a band with round ends; the box it is put in is about twice as wide as high.
    ends = circle * (0.49, 1.0)
    return np.asarray(ends + np.sign(ends) * (0.255, 0.0))


def _bezier(*controls: tuple[float, float]) -> Points:
    t = np.linspace(0, 1, 24, endpoint=False)[:, None]
    a, b, c, d = map(np.array, controls)
    return np.asarray((1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d)


def _shading(shading: str, edition: Edition, style: Style, width: int, height: int, seed: int) -> npt.NDArray[np.bool_]:
    """Where a symbol's inside would be inked, over the whole card: (H, W)."""
    if shading == "solid":
        return np.ones((height, width), bool)
    if shading == "open":
        return np.zeros((height, width), bool)
    if edition == "rectangle":
        rng = np.random.default_rng(seed)
        grain = rng.random((round(height / width * 95), 95), np.float32)
        return np.asarray(cv2.resize(grain, (width, height), interpolation=cv2.INTER_LINEAR) > 0.6)
    across = (np.arange(width) / width / style.pitch) % 1 < style.stripe
    return np.broadcast_to(across, (height, width))


def card_mask(short_side: int, corner: float = 0.065) -> npt.NDArray[np.uint8]:
    """Draw where a card is, round corners cut: 255 inside, (round(1.555 w), w)."""
    width, height = short_side, round(short_side * ASPECT)
    mask = np.zeros((height * _FINE, width * _FINE), np.uint8)
    radius = round(corner * width * _FINE)
    right, bottom = mask.shape[1] - 1, mask.shape[0] - 1
    cv2.rectangle(mask, (radius, 0), (right - radius, bottom), 255, -1)
    cv2.rectangle(mask, (0, radius), (right, bottom - radius), 255, -1)
    for x in (radius, right - radius):
        for y in (radius, bottom - radius):
            cv2.circle(mask, (x, y), radius, 255, -1)
    return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
