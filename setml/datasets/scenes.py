"""Small pictures of tables, drawn fast and made hard, for a net to learn where cards are.

Cards lie apart, in rows without gaps, overlapping and in heaps, cut by the picture's edge, tilted away; on tables of
any texture and as white as the cards; among papers, keyboards, boxes, card backs and cards of other games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.datasets.cards import card_mask
from setml.datasets.grounds import UNIT_SQUARE, Grounds
from setml.photo import BGR
from setml.symbols import ASPECT

Quads = npt.NDArray[np.float32]

#: Of a card's area, the share that must be seen for it to count as found, and as nothing at all.
SEEN_AS_CARD: Final = 0.4
SEEN_AS_NONE: Final = 0.15


@dataclass(frozen=True, eq=False)
class Scene:
    """A picture, where its cards are, and what is neither a card nor none.

    Attributes
    ----------
    image : ndarray, uint8, (H, W, 3)
        BGR.
    corners : ndarray, float32, (n, 4, 2)
        Of the cards that can be seen, in pixels, clockwise, the first edge a short one.
    unscored : ndarray, float32, (m, 4, 2)
        Of what is mostly covered or cut off.
    decoys : ndarray, float32, (k, 4, 2)
        Of what is no card; some may be covered.
    """

    image: BGR
    corners: Quads
    unscored: Quads
    decoys: Quads


@dataclass(frozen=True)
class _Rim:
    """How cards end: the radius of their corners, the dark line of an edge, the shadow under and beside them.

    Lengths are in short sides of a card; edge and shadow are what they take of the light.
    """

    corner: float
    edge: float
    shadow: float
    cast: tuple[float, float] = (0.0, 0.0)


class SceneMaker:
    """Draws scenes.

    Parameters
    ----------
    cards : sequence of ndarray, uint8, (n, H, W, 3)
        Decks: upright crops of cards, BGR, on white paper; one deck a scene.
    decoys : sequence of ndarray, uint8, (n, H, W, 3)
        What is no card, upright, by kind.
    seed : int
        Of all that is left to chance.
    """

    def __init__(
        self, cards: Sequence[npt.NDArray[np.uint8]], decoys: Sequence[npt.NDArray[np.uint8]], seed: int = 0
    ) -> None:
        self.cards = cards
        self.decoys = decoys
        self.rng = np.random.default_rng(seed)
        self._grounds = Grounds(self.rng)
        self._masks = {corner: card_mask(cards[0].shape[2], corner) for corner in (0.03, 0.065, 0.1)}

    def draw(self, width: int, height: int) -> Scene:
        """Draw one scene of a size in pixels."""
        rng = self.rng
        deck = self.cards[int(rng.integers(len(self.cards)))]
        count = int(rng.choice([0, 1, 2, 3, *range(4, 31)], p=[0.04, 0.06, 0.04, 0.04, *[0.82 / 27] * 27]))
        quads = self._photograph(self._lay_out(count), width, height)
        paper = np.array([255, 255, 255]) * rng.uniform(0.88, 1)
        canvas = self._grounds.draw(width, height, paper)
        framed = rng.random() < 0.25
        if framed:
            self._grounds.print_frames(canvas, quads, paper)
        # Some places hold no card, or none does: a printed one is bare, on any other lies something else.
        share = rng.choice([0.0, rng.uniform(0, 1), 1.0], p=[0.55, 0.35, 0.1] if framed else [0.86, 0.1, 0.04])
        other = rng.random(len(quads)) < share
        decoys, quads = list(quads[other]), quads[~other]
        if decoys and not framed:
            kind = self.decoys[int(rng.integers(len(self.decoys)))]
            for quad in decoys:
                self._lay_thing(canvas, kind, quad)
        owners = np.full((height, width), -1, np.int16)
        below = rng.poisson(1.2) if rng.random() < 0.6 else 0
        decoys += [self._lay_decoy(canvas, quads, width, height) for _ in range(below)]
        areas = np.zeros(len(quads))
        rim = self._rim()
        for place, quad in enumerate(quads):
            card = deck[rng.integers(len(deck))]
            areas[place] = self._lay(canvas, owners, place, card, quad, rim)
        decoys += [self._lay_decoy(canvas, quads, width, height, owners) for _ in range(rng.poisson(0.25))]
        seen = np.bincount(owners[owners >= 0], minlength=len(quads))[: len(quads)] / np.maximum(areas, 1)
        return Scene(
            canvas,
            quads[seen >= SEEN_AS_CARD],
            quads[(seen < SEEN_AS_CARD) & (seen >= SEEN_AS_NONE)],
            np.array(decoys, np.float32).reshape(-1, 4, 2),
        )

    def _lay_out(self, count: int) -> npt.NDArray[np.float64]:
        """Lay cards on a plane, in units of a short side: (n, 4, 2)."""
        rng = self.rng
        if rng.random() < 0.2:
            # A heap, or scattered.
            spread = np.sqrt(max(count, 1)) * rng.uniform(0.5, 1.6)
            centers = rng.uniform(-spread, spread, (count, 2))
            turns = rng.uniform(0, 2 * np.pi, count)
        else:
            gap = rng.choice(
                [rng.uniform(-0.25, 0), 0.0, rng.uniform(0.01, 0.1), rng.uniform(0.1, 0.7)], p=[0.13, 0.2, 0.3, 0.37]
            )
            gaps = np.array([gap, gap if rng.random() < 0.6 else rng.uniform(0, 0.8)])
            step = np.array([1, ASPECT]) + gaps
            if rng.random() < 0.16:
                # A cascade: each covers up to half of the one before.
                axis = rng.integers(2)
                step[axis] = (1, ASPECT)[axis] * rng.uniform(0.42, 0.8)
            # No row or column much longer than the picture.
            columns = int(np.clip(rng.integers(1, 10), np.ceil(count / 8), max(count, 1)))
            places = np.array([(place % columns, place // columns) for place in range(count)], float).reshape(-1, 2)
            sway = rng.choice([0.0, 0.02, 0.1])
            centers = places * step + rng.normal(0, sway, (count, 2))
            turns = rng.normal(0, rng.choice([0.0, 1.0, 6.0]), count) * np.pi / 180
        half = UNIT_SQUARE * (1, ASPECT)
        cos, sin = np.cos(turns), np.sin(turns)
        rotations = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
        return np.asarray(np.einsum("nij,kj->nki", rotations, half) + centers[:, None]).reshape(-1, 4, 2)

    def _photograph(self, corners: npt.NDArray[np.float64], width: int, height: int) -> Quads:
        """See the plane through a camera that leans and is turned; some cards may lie outside the picture."""
        rng = self.rng
        if not len(corners):
            return np.empty((0, 4, 2), np.float32)
        points = corners - (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1))) / 2
        turn = rng.choice([0, np.pi / 2, np.pi, -np.pi / 2]) + rng.normal(0, 0.12)
        # Turned on a leaning plane, cards are far from rectangles.
        if rng.random() < 0.4:
            turn = rng.uniform(0, 2 * np.pi)
        lean = np.deg2rad(np.abs(rng.normal(0, 24)).clip(0, 62) if rng.random() < 0.8 else rng.uniform(40, 76))
        direction = rng.choice([0.0, rng.uniform(0, 2 * np.pi)], p=[0.55, 0.45])
        points = _turn(points, turn - direction)
        extent = max(np.ptp(points[..., 0]), np.ptp(points[..., 1]), 2.0)
        distance = extent * rng.uniform(1.1, 3)
        depth = distance - points[..., 1] * np.sin(lean)
        seen = (
            np.stack([points[..., 0], points[..., 1] * np.cos(lean)], -1) / np.maximum(depth, 0.1 * extent)[..., None]
        )
        seen = _turn(seen, direction)
        low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
        fit = min(width / (high[0] - low[0]), height / (high[1] - low[1]))
        side = np.median(np.linalg.norm(seen[:, 1] - seen[:, 0], axis=1))
        # All of it with some room or far away, or so near that some is cut off; seldom does one card fill the picture.
        fill = rng.choice([rng.uniform(0.25, 0.55), rng.uniform(0.55, 1), rng.uniform(0.9, 1.4)], p=[0.1, 0.65, 0.25])
        scale = min(fit * fill, rng.choice([0.42, 0.62], p=[0.7, 0.3]) * max(width, height) / side)
        room = np.maximum(np.array([width, height]) - (high - low) * scale, 0) / 2
        middle = np.array([width, height]) / 2 + rng.uniform(-1, 1, 2) * room
        return np.asarray((seen - (low + high) / 2) * scale + middle, np.float32)

    def _lay(
        self,
        canvas: BGR,
        owners: npt.NDArray[np.int16],
        place: int,
        card: BGR,
        quad: Quads,
        rim: _Rim,
    ) -> float:
        """Lay one card; return its whole area in pixels, also of what lies outside the picture."""
        fine = 2
        cast = np.array(rim.cast) * np.linalg.norm(quad[1] - quad[0])
        around = 3 + int(np.abs(cast).max())
        left, top = np.floor(quad.min(axis=0)).astype(int) - around
        right, bottom = np.ceil(quad.max(axis=0)).astype(int) + around
        x0, y0, x1, y1 = max(left, 0), max(top, 0), min(right, canvas.shape[1]), min(bottom, canvas.shape[0])
        if x1 - x0 < 2 or y1 - y0 < 2:
            return float(abs(cv2.contourArea(quad)))
        height, width = card.shape[:2]
        size = ((x1 - x0) * fine, (y1 - y0) * fine)
        source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        warp = cv2.getPerspectiveTransform(source, (quad - (x0, y0)).astype(np.float32) * fine)
        small = (x1 - x0, y1 - y0)
        seen = cv2.warpPerspective(card, warp, size, borderMode=cv2.BORDER_REPLICATE)
        seen = cv2.resize(seen, small, interpolation=cv2.INTER_AREA).astype(np.float32)
        mask = cv2.warpPerspective(self._masks[rim.corner], warp, size)
        cover = cv2.resize(mask, small, interpolation=cv2.INTER_AREA).astype(np.float32)[..., None] / 255
        patch = canvas[y0:y1, x0:x1].astype(np.float32)
        if rim.shadow:
            shade = cv2.warpAffine(cover, np.array([[1, 0, cast[0]], [0, 1, cast[1]]]), small)
            patch *= 1 - rim.shadow * cv2.GaussianBlur(shade, (0, 0), 1.5)[..., None]
        if rim.edge:
            # Where light falls past it.
            line = cover[..., 0] - cv2.erode(cover[..., 0], np.ones((3, 3)))
            seen *= (1 - rim.edge * line[..., None]).astype(np.float32)
        canvas[y0:y1, x0:x1] = patch * (1 - cover) + seen * cover
        owners[y0:y1, x0:x1][cover[..., 0] > 0.5] = place
        return float(abs(cv2.contourArea(quad)))

    def _lay_decoy(
        self, canvas: BGR, quads: Quads, width: int, height: int, owners: npt.NDArray[np.int16] | None = None
    ) -> Quads:
        """Lay something that is no card, as large as a card or several times as large; return its corners."""
        rng = self.rng
        side = np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)) if len(quads) else max(width, height) / 8
        times = rng.choice([1.0, rng.uniform(0.5, 3.5), rng.uniform(3, 9)], p=[0.4, 0.4, 0.2])
        size = side * np.array([1, ASPECT]) * times
        middle = rng.uniform(0, (width, height))
        skew = rng.normal(0, 0.04, (4, 2))
        quad = (_turn((UNIT_SQUARE + skew) * size, rng.uniform(0, 2 * np.pi)) + middle).astype(np.float32)
        self._lay_thing(canvas, self.decoys[int(rng.integers(len(self.decoys)))], quad, owners)
        return quad

    def _lay_thing(
        self,
        canvas: BGR,
        kind: npt.NDArray[np.uint8],
        quad: Quads,
        owners: npt.NDArray[np.int16] | None = None,
    ) -> None:
        """Lay one of a kind that is no card."""
        belongs = np.full(canvas.shape[:2], -1, np.int16) if owners is None else owners
        thing = kind[self.rng.integers(len(kind))]
        self._lay(canvas, belongs, -1, thing, quad, _Rim(0.03, 0, self.rng.uniform(0, 0.4)))

    def _rim(self) -> _Rim:
        """Choose how the cards of a scene end."""
        rng = self.rng
        corner = list(self._masks)[rng.integers(len(self._masks))]
        edge = rng.choice([0.0, rng.uniform(0, 0.3)])
        if rng.random() < 0.65:
            return _Rim(corner, edge, rng.uniform(0, 0.5))
        # Cards that do not lie flat, under a lamp from one side.
        x, y = rng.normal(0, 0.05, 2).clip(-0.12, 0.12)
        return _Rim(corner, edge, rng.uniform(0.2, 0.75), (x, y))


def _turn(points: npt.NDArray[np.float64], angle: float) -> npt.NDArray[np.float64]:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.asarray(points @ np.array([[cos, sin], [-sin, cos]]))
