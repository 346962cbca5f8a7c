"""Hard negatives: what the shipped finder takes for a card on scenes, and is none."""

from __future__ import annotations

import numpy as np

from setml.datasets.crops import LabelledCrops
from setml.extractors.finder import Finder
from setml.extractors.pyramid import Pyramid
from setml.extractors.quads import overlap
from setml.extractors.rectify import rectify
from setml.photo import BGR
from setml.training.refiner import LONGER_SIDE, OVERLAP_OF_NONE
from setml.training.scenes import Scenes
from setml.training.sources import SCALE

#: What gets less heat than this is not even looked at.
LEAST_HEAT = 0.1


def mine_negatives(scenes: Scenes, count: int, seed: int = 0) -> LabelledCrops:
    """Cut out of drawn scenes and turned photographs what a glance takes for cards and is none.

    Parameters
    ----------
    scenes : Scenes
        What is glanced at.
    count : int
        At how many.
    seed : int
        Of the scenes.

    Raises
    ------
    ModelError
        If the finder's models are missing or damaged.
    """
    flow = scenes.flow(LONGER_SIDE, seed)
    finder = Finder(least_heat=LEAST_HEAT)
    images: list[BGR] = []
    for _ in range(count):
        (scene,) = flow.take(1)
        pyramid = Pyramid(scene.image)
        glanced, _ = finder.glance.find(pyramid)
        mended, _ = finder.first_look.refine(pyramid, glanced)
        known = np.concatenate([scene.corners, scene.unscored])
        images += [
            rectify(scene.image, quad, scale=SCALE)
            for quad in mended
            if max((overlap(quad, card) for card in known), default=0.0) < OVERLAP_OF_NONE
        ]
    return LabelledCrops.of(images, [None] * len(images), "mined", "drawn", "classic")
