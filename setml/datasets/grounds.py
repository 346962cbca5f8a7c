"""What cards lie on in drawn scenes: tables of any texture, sheets with printed frames, and things that are no card."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.datasets.decoys import KINDS
from setml.datasets.tables import SURFACES, draw_surface
from setml.photo import BGR

Quads = npt.NDArray[np.float32]

#: Width and height of a ground before it is turned and zoomed, in pixels.
SIDE: Final = 700
UNIT_SQUARE: Final = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


class Grounds:
    """Draws what cards lie on.

    Parameters
    ----------
    rng : Generator
        Of all that is left to chance.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        drawing = np.random.default_rng(0)
        self._surfaces = [
            np.clip(draw_surface(SURFACES[place % len(SURFACES)], SIDE, SIDE, drawing), 0, 255).astype(np.uint8)
            for place in range(30)
        ]
        self._things = [draw(SIDE, SIDE, drawing) for draw in KINDS.values() for _ in range(5)]

    def draw(self, width: int, height: int, paper: npt.NDArray[np.float64]) -> BGR:
        """Draw a ground: textured, plain, patched, as white as the cards, or covered by one thing that is no card.

        Parameters
        ----------
        width, height : int
            In pixels.
        paper : ndarray, (3,)
            The white of the cards, BGR.

        Returns
        -------
        ndarray
            BGR, uint8, H x W x 3.
        """
        rng = self.rng
        kind = rng.random()
        plain = rng.uniform(0, 255) + rng.normal(0, rng.choice([8, 50]), 3)
        table = np.empty((height, width, 3), np.float32)
        if kind < 0.4:
            seen = self._turn(self._surfaces[rng.integers(len(self._surfaces))], width, height, rng.uniform(0.7, 2))
            table[:] = seen * (rng.uniform(0.3, 1.5) * rng.uniform(0.7, 1.3, 3))
        elif kind < 0.47:
            # So large that its letters, keys or pips are about as large as cards.
            zoom = max(width, height) / SIDE * rng.uniform(0.4, 2.5)
            table[:] = self._turn(self._things[rng.integers(len(self._things))], width, height, zoom)
        elif kind < 0.66:
            # As white as the cards, or nearly: of another white.
            table[:] = paper * rng.uniform(0.82, 1.0) * (1 + rng.choice([0.0, 0.03]) * rng.normal(0, 1, 3))
        elif kind < 0.86:
            table[:] = plain
        else:
            table[:] = plain
            self._patch(table)
        if rng.random() < 0.3:
            table += rng.normal(0, rng.uniform(1, 14), (height, width, 1)).astype(np.float32)
        return np.clip(table, 0, 255).astype(np.uint8)

    def _patch(self, table: npt.NDArray[np.float32]) -> None:
        """Draw spots, strokes and sheets of any color on a table: BGR, H x W x 3."""
        rng = self.rng
        height, width = table.shape[:2]
        for _ in range(rng.integers(3, 40)):
            at, reach = rng.uniform(0, (width, height)), rng.uniform(5, 80)
            color = rng.uniform(0, 255, 3).tolist()
            shape = rng.integers(3)
            center = (int(at[0]), int(at[1]))
            if shape == 0:
                cv2.circle(table, center, int(reach / 2), color, int(rng.choice([-1, 2])))
            elif shape == 1:
                end = (int(at[0] + rng.normal(0, reach)), int(at[1] + rng.normal(0, reach)))
                cv2.line(table, center, end, color, int(rng.integers(1, 8)))
            else:
                box = cv2.boxPoints((at.tolist(), (reach, reach * rng.uniform(0.4, 1.8)), rng.uniform(0, 180)))
                cv2.fillPoly(table, [box.astype(np.int32)], color)

    def _turn(self, ground: BGR, width: int, height: int, zoom: float) -> BGR:
        """Turn and zoom a ground, mirrored at its borders: BGR, uint8, H x W x 3."""
        warp = cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), self.rng.uniform(0, 360), zoom)
        warp[:, 2] = warp[:, 2] + (width / 2 - SIDE / 2, height / 2 - SIDE / 2)
        return np.asarray(cv2.warpAffine(ground, warp, (width, height), borderMode=cv2.BORDER_REFLECT), np.uint8)

    def print_frames(self, canvas: BGR, quads: Quads, paper: npt.NDArray[np.float64]) -> None:
        """Print a frame around the place of each card, as on the sheets that some lay cards out on.

        Parameters
        ----------
        canvas : ndarray
            BGR, uint8, H x W x 3; printed on.
        quads : ndarray, float32, (n, 4, 2)
            The places, in pixels.
        paper : ndarray, (3,)
            The white of the cards, BGR.
        """
        rng = self.rng
        room, shift = 1 + rng.uniform(0.02, 0.45, 2), rng.normal(0, 0.04, 2)
        ink = (canvas[0, 0] * rng.uniform(0.1, 0.95)).tolist()
        if rng.random() < 0.6:
            # Often so white that a card on it ends in next to nothing, and the frame is the plainest line.
            sheet = paper * rng.choice([rng.uniform(0.7, 0.95), rng.uniform(0.94, 1.0)]) * rng.uniform(0.97, 1.0, 3)
            canvas[:] = np.clip(canvas * 0.06 + sheet * 0.94, 0, 255).astype(np.uint8)
        thickness = 1 if rng.random() < 0.7 else 2
        for quad in quads:
            places = (UNIT_SQUARE * room + shift + rng.normal(0, 0.02, 2) + 0.5).astype(np.float32)
            warp = cv2.getPerspectiveTransform((UNIT_SQUARE + 0.5).astype(np.float32), quad)
            frame = cv2.perspectiveTransform(places[None], warp)[0]
            cv2.polylines(canvas, [np.round(frame * 8).astype(np.int32)], True, ink, thickness, cv2.LINE_AA, shift=3)
