"""The scenes that extractors learn from: drawn tables, and photographs of split `train` turned and zoomed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.datasets.crops import LabelledCrops
from setml.datasets.decoys import KINDS, draw_negatives
from setml.datasets.drawn import draw_crops
from setml.datasets.scenes import SEEN_AS_CARD, SEEN_AS_NONE, Scene, SceneMaker
from setml.datasets.truth import Truth
from setml.extractors.layout import read_layout
from setml.photo import read_photo
from setml.symbols import reflectance
from setml.training.augmentation import Augmenter
from setml.training.lighting import reflect, shade_by_hand
from setml.training.sources import SCALE

#: Of all scenes, how many are photographs where there are some.
PHOTOGRAPHS: Final = 0.15
#: How many lie in the shadow of a hand, and on how many a window or a lamp is mirrored.
SHADED, REFLECTING = 0.12, 0.1
#: About how wide a card is, as a share of a scene's longer side.
CARD_WIDTH: Final = 0.14
#: Widths and heights of scenes, as shares of the longer side.
FORMS: Final = ((1.0, 0.8), (0.8, 1.0), (1.0, 0.6), (0.7, 1.0), (1.0, 0.7))


class Scenes:
    """What scenes are made of.

    Parameters
    ----------
    crops : sequence of LabelledCrops
        By source; drawn cards are made besides.
    tables : sequence of Truth
        Labelled photographs.
    seed : int
        Of drawing.
    """

    def __init__(self, crops: Sequence[LabelledCrops], tables: Sequence[Truth], seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        drawn = draw_crops(12, seed, SCALE)
        classic = drawn.editions == "classic"
        decks = [_whiten(drawn.take(classic)), _whiten(drawn.take(~classic))]
        for part in crops:
            if len(part) > 300:
                chosen = rng.choice(len(part), min(len(part), 1200), replace=False)
                # Most photographs are of the classic edition.
                decks += [_whiten(part.take(chosen))] * (4 if part.editions[0] == "classic" else 1)
        self.decks = decks
        things = draw_negatives(300 * len(KINDS), seed, SCALE, halves=False).images
        self.decoys = [things[kind :: len(KINDS)] for kind in range(len(KINDS))]
        self.photographs = [_load(truth) for truth in tables]

    def flow(self, longer_side: int, seed: int) -> SceneFlow:
        """Begin a flow of scenes that are so many pixels long."""
        return SceneFlow(self, longer_side, seed)


class SceneFlow:
    """An endless flow of augmented scenes; the same seed gives the same.

    Parameters
    ----------
    scenes : Scenes
        What they are made of.
    longer_side : int
        Pixels of the longer side; both sides are multiples of a tenth of it.
    seed : int
        Of all that is left to chance.
    """

    def __init__(self, scenes: Scenes, longer_side: int, seed: int) -> None:
        self._photographs = scenes.photographs
        self._longer_side = longer_side
        self.rng = np.random.default_rng(seed)
        self._maker, self._augment = SceneMaker(scenes.decks, scenes.decoys, seed), Augmenter(seed)

    def take(self, count: int) -> list[Scene]:
        """Make the next scenes, all of one size."""
        form = FORMS[self.rng.integers(len(FORMS))]
        size = (round(form[0] * self._longer_side), round(form[1] * self._longer_side))
        return [self._draw(size) for _ in range(count)]

    def _draw(self, size: tuple[int, int]) -> Scene:
        if self._photographs and self.rng.random() < PHOTOGRAPHS:
            scene = _move(self._photographs[self.rng.integers(len(self._photographs))], size, self.rng)
        else:
            scene = self._maker.draw(*size)
        image, card_width = scene.image, CARD_WIDTH * self._longer_side
        if self.rng.random() < SHADED:
            image = shade_by_hand(image, card_width, self.rng)
        if self.rng.random() < REFLECTING:
            image = reflect(image, card_width, self.rng)
        image = self._augment.photograph(image, card_width)
        return Scene(image, scene.corners, scene.unscored, scene.decoys)


def _whiten(crops: LabelledCrops) -> npt.NDArray[np.uint8]:
    """Take the light out of crops, so that all cards of a scene can be lit as one."""
    return np.stack([(reflectance(image) * 255).astype(np.uint8) for image in crops.images])


def _load(truth: Truth) -> Scene:
    """Load a photograph, at most 900 pixels long, with its cards upright."""
    photo = read_photo(truth.path)
    factor = min(1.0, 900 / max(photo.image.shape))
    image = cv2.resize(photo.image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    corners = [read_layout(photo.image, quad / photo.scale)[0] * factor for quad in truth.corners]
    boxes = truth.ignore.reshape(-1, 2, 2) / photo.scale * factor
    unscored = [[low, (high[0], low[1]), high, (low[0], high[1])] for low, high in boxes]
    return Scene(
        np.asarray(image, np.uint8),
        np.array(corners, np.float32).reshape(-1, 4, 2),
        np.array(unscored, np.float32).reshape(-1, 4, 2),
        np.empty((0, 4, 2), np.float32),
    )


def _move(scene: Scene, size: tuple[int, int], rng: np.random.Generator) -> Scene:
    """Turn, mirror, tilt and zoom a photograph into a scene of another size."""
    height, width = scene.image.shape[:2]
    target = np.array(size, float)
    fit = min(target / (width, height)) if rng.random() < 0.5 else max(target / (width, height))
    zoom = fit * rng.uniform(0.6, 1.6)
    angle = rng.choice([0, np.pi / 2, np.pi, -np.pi / 2]) + rng.normal(0, 0.1)
    if rng.random() < 0.3:
        angle = rng.uniform(0, 2 * np.pi)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
    corners = square / 2 * (width, height) * zoom * (1 + rng.normal(0, 0.04, (4, 2)))
    if rng.random() < 0.5:
        corners[:, 0] *= -1
    cos, sin = np.cos(angle), np.sin(angle)
    corners = corners @ np.array([[cos, sin], [-sin, cos]])
    room = np.abs(np.ptp(corners, axis=0) - target) / 2
    corners = corners + target / 2 + rng.uniform(-1, 1, 2) * room
    source = (square + 1) / 2 * (width, height)
    warp = cv2.getPerspectiveTransform(source.astype(np.float32), corners.astype(np.float32))
    fill = int(rng.integers(0, 256))
    image = cv2.warpPerspective(scene.image, warp, size, flags=cv2.INTER_AREA, borderValue=(fill, fill, fill))
    quads, unscored = (
        cv2.perspectiveTransform(quads.reshape(1, -1, 2), warp).reshape(-1, 4, 2) if len(quads) else quads
        for quads in (scene.corners, scene.unscored)
    )
    quads = np.array(
        [quad if cv2.contourArea(quad, oriented=True) > 0 else quad[[1, 0, 3, 2]] for quad in quads], np.float32
    )
    frame = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    shares = np.array([cv2.intersectConvexConvex(quad, frame)[0] / max(cv2.contourArea(quad), 1) for quad in quads])
    small = np.array([np.linalg.norm(quad[1] - quad[0]) < 6 for quad in quads], bool)
    whole = (shares >= SEEN_AS_CARD) & ~small if len(quads) else np.zeros(0, bool)
    part = ((shares > SEEN_AS_NONE) & ~whole) if len(quads) else np.zeros(0, bool)
    quads = quads.reshape(-1, 4, 2)
    unscored = np.concatenate([unscored.reshape(-1, 4, 2), quads[part]]).astype(np.float32)
    return Scene(np.asarray(image, np.uint8), quads[whole], unscored, scene.decoys)
