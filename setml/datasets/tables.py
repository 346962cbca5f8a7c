"""Photographs of tables drawn by program, with their truth: texture, perspective, light, shadow, blur, noise, JPEG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from setml.cards import DECK, Card
from setml.datasets.cards import Edition, card_mask, draw_card
from setml.extractors.rectify import order_corners
from setml.photo import BGR
from setml.symbols import ASPECT

Surface = Literal["wood", "cloth", "dark", "white", "stone"]

#: What a table may be made of.
SURFACES: Final[tuple[Surface, ...]] = ("wood", "cloth", "dark", "white", "stone")

# Red, green, blue of each surface.
_TONES: Final = {
    "wood": (140, 92, 56),
    "cloth": (52, 84, 70),
    "dark": (40, 38, 38),
    "white": (214, 212, 208),
    "stone": (150, 150, 156),
}


@dataclass(frozen=True, eq=False)
class Table:
    """A drawn photograph and its truth.

    Attributes
    ----------
    image : ndarray
        BGR, uint8, H x W x 3.
    cards : tuple of Card
        What lies on the table, by rows from above.
    corners : ndarray, float32, (n, 4, 2)
        In pixels, clockwise, the first edge a short one.
    edition : {"classic", "rectangle"}
        How the cards are printed.
    """

    image: BGR
    cards: tuple[Card, ...]
    corners: npt.NDArray[np.float32]
    edition: Edition

    def to_dict(self) -> dict[str, Any]:
        """Return the truth in the form in which labelled photographs have it."""
        return {
            "source": "drawn",
            "split": "drawn",
            "edition": self.edition,
            "licence": "MIT",
            "width": self.image.shape[1],
            "height": self.image.shape[0],
            "cards": [
                {**card.to_dict(), "corners": np.round(quad, 1).tolist()}
                for card, quad in zip(self.cards, self.corners.astype(float), strict=True)
            ],
            "ignore": [],
        }


def draw_table(
    cards: Sequence[Card | str] | int,
    *,
    seed: int = 0,
    size: tuple[int, int] = (1440, 1080),
    edition: Edition = "classic",
    surface: Surface | None = None,
    tilt: float = 20.0,
    gap: float | None = None,
) -> Table:
    """Draw a photograph of cards on a table.

    Parameters
    ----------
    cards : sequence of Card or code, or int
        The cards, or how many to deal from a shuffled deck.
    seed : int
        Of all that is left to chance; the same seed draws the same photo.
    size : (int, int)
        Width and height in pixels.
    edition : {"classic", "rectangle"}
        How the cards are printed.
    surface : {"wood", "cloth", "dark", "white", "stone"}, optional
        What the table is made of; by chance if it is not named.
    tilt : float
        How far the camera may lean from straight above, in degrees.
    gap : float, optional
        How far apart cards lie, in short sides; 0 for cards that touch, less for cards that overlap.

    Returns
    -------
    Table
        The photo and its truth.

    Raises
    ------
    ValueError
        If more than 81 cards are to be dealt.
    """
    rng = np.random.default_rng(seed)
    if isinstance(cards, int):
        if not 0 <= cards <= len(DECK):
            raise ValueError(f"cannot deal {cards} cards; expected 0 to {len(DECK)}")
        dealt = [DECK[place] for place in rng.permutation(len(DECK))[:cards]]
    else:
        dealt = [Card.from_code(card) if isinstance(card, str) else card for card in cards]
    surface = surface or SURFACES[rng.integers(len(SURFACES))]
    width, height = size
    canvas = draw_surface(surface, width, height, rng)
    quads = _project(_lay_out(len(dealt), width / height, rng, gap), width, height, tilt, rng)
    for card, quad in zip(dealt, quads, strict=True):
        _put_card(canvas, card, quad, edition, int(rng.integers(2**31)))
    image = _photograph(canvas, rng)
    return Table(image, tuple(dealt), np.stack([order_corners(q) for q in quads]) if dealt else quads, edition)


def _lay_out(count: int, aspect: float, rng: np.random.Generator, gap: float | None) -> npt.NDArray[np.float64]:
    """Lay cards in rows with some disorder: corners in units of a short side, around (0, 0), (n, 4, 2)."""
    if not count:
        return np.empty((0, 4, 2))
    upright = rng.random() < 0.5
    step = np.array([1.32, ASPECT + 0.3]) if upright else np.array([ASPECT + 0.32, 1.3])
    disorder = 1.0
    if gap is not None:
        step = (np.array([1, ASPECT]) if upright else np.array([ASPECT, 1])) + gap
        # What lies close lies straight.
        disorder = float(np.clip(gap / 0.3, 0, 1))
    columns = int(np.clip(round(np.sqrt(count * aspect * step[1] / step[0])), 1, count))
    places = np.array([(place % columns, place // columns) for place in range(count)], float)
    centers = (places - places.max(axis=0) / 2) * step + disorder * rng.uniform(-0.07, 0.07, (count, 2))
    half = np.array([0.5, ASPECT / 2])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    turns = np.deg2rad(disorder * rng.normal(0, 3, count) + (0 if upright else 90))
    cos, sin = np.cos(turns), np.sin(turns)
    rotations = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
    return np.asarray(np.einsum("nij,kj->nki", rotations, corners) + centers[:, None])


def _project(
    corners: npt.NDArray[np.float64], width: int, height: int, tilt: float, rng: np.random.Generator
) -> npt.NDArray[np.float32]:
    """See the table through a leaning camera, so that all of it fits the photo: (n, 4, 2) in pixels."""
    if not len(corners):
        return np.empty((0, 4, 2), np.float32)
    lean, turn = np.deg2rad(rng.uniform(0, tilt)), np.deg2rad(rng.normal(0, 3))
    x, y = corners[..., 0], corners[..., 1]
    x, y = x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)
    # The eye stands two table lengths away.
    distance = 2.2 * max(np.ptp(x), np.ptp(y))
    depth = distance - y * np.sin(lean)
    seen = np.stack([x, y * np.cos(lean)], axis=-1) / depth[..., None]
    low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    scale = min(0.9 * width / (high[0] - low[0]), 0.9 * height / (high[1] - low[1]), 0.36 * height * distance)
    shift = np.array([width, height]) / 2 + rng.uniform(-0.02, 0.02, 2) * (width, height)
    return np.asarray((seen - (low + high) / 2) * scale + shift, np.float32)


def draw_surface(surface: Surface, width: int, height: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Draw a bare table: BGR, float32, 0 to 255, (H, W, 3)."""
    tone = np.array(_TONES[surface][::-1], np.float32) * rng.uniform(0.85, 1.15)
    if surface == "wood":
        # Grain is noise drawn out along the boards.
        grain = _noise(rng, width, height, max(2, width // 6), max(2, height // 2)) * 0.12
        grain += _noise(rng, width, height, max(2, width // 24), max(2, height // 3)) * 0.06
    elif surface == "cloth":
        ys, xs = np.mgrid[:height, :width]
        grain = (0.05 * (np.sin(xs * 1.3) + np.sin(ys * 1.3))).astype(np.float32)
        grain += _noise(rng, width, height, max(2, width // 4), max(2, height // 4)) * 0.08
    elif surface == "stone":
        # Veins run where smooth noise passes through zero.
        veins = _noise(rng, width, height, 5, 4) + 0.5 * _noise(rng, width, height, 17, 13)
        grain = -0.35 * np.exp(-((veins / 0.06) ** 2)) + 0.12 * _noise(rng, width, height, 7, 6)
        grain += _noise(rng, width, height, max(2, width // 4), max(2, height // 4)) * 0.03
    else:
        grain = _noise(rng, width, height, max(2, width // 3), max(2, height // 3)) * 0.03
    return np.asarray(np.clip(tone * (1 + grain[..., None]), 0, 255), np.float32)


def _noise(rng: np.random.Generator, width: int, height: int, columns: int, rows: int) -> npt.NDArray[np.float32]:
    """Smooth noise of about -1 to 1, of so many waves across and down: (H, W)."""
    coarse = rng.normal(0, 0.5, (rows, columns)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC))


def _put_card(
    canvas: npt.NDArray[np.float32], card: Card, quad: npt.NDArray[np.float32], edition: Edition, seed: int
) -> None:
    """Lay one card on the table, its shadow first."""
    side = float(np.linalg.norm(quad[1] - quad[0]))
    # Cards are printed finer than they are seen; the warp below averages by halves.
    short = max(24, round(side * 1.5))
    printed = draw_card(card, short, edition, seed=seed).astype(np.float32)
    mask = card_mask(short).astype(np.float32) / 255
    pad = max(4, round(0.08 * side))
    left, top = np.maximum(np.floor(quad.min(axis=0)).astype(int) - pad, 0)
    right, bottom = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + pad, canvas.shape[1::-1])
    if right <= left or bottom <= top:
        return
    fine = 2
    size = ((right - left) * fine, (bottom - top) * fine)
    corners = np.array([[0, 0], [short, 0], [short, mask.shape[0]], [0, mask.shape[0]]], np.float32)
    warp = cv2.getPerspectiveTransform(corners, (quad - (left, top)).astype(np.float32) * fine)
    small = (right - left, bottom - top)
    seen = cv2.warpPerspective(printed, warp, size, borderMode=cv2.BORDER_REPLICATE)
    seen = cv2.resize(seen, small, interpolation=cv2.INTER_AREA)
    cover = cv2.resize(cv2.warpPerspective(mask, warp, size), small, interpolation=cv2.INTER_AREA)[..., None]
    shade = np.roll(cv2.GaussianBlur(cover[..., 0], (0, 0), max(1.0, 0.02 * side)), pad // 3, axis=(0, 1))
    patch = canvas[top:bottom, left:right]
    patch *= 1 - 0.4 * shade[..., None]
    patch *= 1 - cover
    patch += seen * cover


def _photograph(canvas: npt.NDArray[np.float32], rng: np.random.Generator) -> BGR:
    """Light the table and take its picture: BGR, uint8, (H, W, 3)."""
    height, width = canvas.shape[:2]
    ys, xs = np.mgrid[:height, :width].astype(np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    along = (xs / width - 0.5) * np.cos(angle) + (ys / height - 0.5) * np.sin(angle)
    light = 0.9 + rng.uniform(0, 0.25) * along
    if rng.random() < 0.4:
        # Somebody's shadow, with a soft edge, over a part of the table.
        edge = np.clip((along - rng.uniform(0.1, 0.4)) * rng.uniform(6, 30), 0, 1)
        light = light * (1 - rng.uniform(0.15, 0.4) * edge)
    lamp = np.array([rng.uniform(0.8, 1.0), rng.uniform(0.93, 1.0), 1.0])[:: rng.choice([1, -1])]
    seen = canvas * (light[..., None] * lamp).astype(np.float32)
    seen = cv2.GaussianBlur(seen, (0, 0), rng.uniform(0.3, 0.9) * width / 1440 + 0.2)
    seen += rng.normal(0, rng.uniform(0.5, 3), seen.shape).astype(np.float32)
    image = np.clip(seen, 0, 255).astype(np.uint8)
    _, jpeg = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(80, 96))])
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)
