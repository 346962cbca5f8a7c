"""The net that finds cards: what it is, what it is asked for, and how it learns."""

from __future__ import annotations

from typing import Any, Final

import keras
import numpy as np
import numpy.typing as npt
from keras import layers, ops

from setml.datasets.scenes import Scene
from setml.extractors.quads import encode

#: Pixels of the picture to one of the answer.
STRIDE: Final = 4
#: Filters at strides 4, 8, 16 and 32.
FILTERS: Final = (32, 48, 64, 96)


def make_finder() -> keras.Model:
    """Make the net: a residual body down to stride 32, a pyramid back to stride 4, and two heads.

    Returns
    -------
    keras.Model
        From (n, H, W, 3), BGR, 0 to 1, sides multiples of 32, to "heat", (n, H/4, W/4, 1), how likely a card's
        middle lies there, and "quad", (n, H/4, W/4, 8), its numbers, of c the offset from there, in strides.
    """
    seen = layers.Input((None, None, 3), name="photo")
    x = _convolve(seen, 24, strides=2)
    stages = []
    for filters in FILTERS:
        x = _convolve(x, filters, strides=2)
        for _ in range(2):
            x = layers.ReLU()(layers.Add()([x, _normalize(_conv(_convolve(x, filters), filters))]))
        stages.append(x)
    for stage, filters in zip(stages[-2::-1], FILTERS[-2::-1], strict=True):
        x = layers.UpSampling2D()(_convolve(x, filters, size=1))
        x = _convolve(layers.Add()([x, _convolve(stage, filters, size=1)]), filters)
    heat = layers.Conv2D(1, 1, activation="sigmoid", bias_initializer=keras.initializers.Constant(-4.0), name="heat")(
        _convolve(x, 32)
    )
    quad = layers.Conv2D(8, 1, name="quad")(_convolve(x, 48))
    return keras.Model(seen, {"heat": heat, "quad": quad}, name="finder")


def _conv(x: Any, filters: int, size: int = 3, strides: int = 1) -> Any:
    return layers.Conv2D(filters, size, strides, padding="same", use_bias=False)(x)


def _normalize(x: Any) -> Any:
    return layers.BatchNormalization(momentum=0.98)(x)


def _convolve(x: Any, filters: int, size: int = 3, strides: int = 1) -> Any:
    return layers.ReLU()(_normalize(_conv(x, filters, size, strides)))


def targets(scenes: list[Scene]) -> dict[str, npt.NDArray[np.float32]]:
    """Say what the net should answer on scenes of one size.

    Returns
    -------
    dict of ndarray, float32
        "heat", (n, h, w, 2): the heat, 1 at the middle of a card and a hill around, and where it counts;
        "quad", (n, h, w, 9): the numbers, and how much they count.
    """
    height, width = (side // STRIDE for side in scenes[0].image.shape[:2])
    heats = np.zeros((len(scenes), height, width, 2), np.float32)
    quads = np.zeros((len(scenes), height, width, 9), np.float32)
    heats[..., 1] = 1
    ys, xs = np.mgrid[:height, :width] + 0.5
    for heat, quad, scene in zip(heats, quads, scenes, strict=True):
        for corners in scene.unscored / STRIDE:
            low, high = corners.min(axis=0), corners.max(axis=0)
            heat[(xs > low[0]) & (xs < high[0]) & (ys > low[1]) & (ys < high[1]), 1] = 0
        for corners in scene.corners / STRIDE:
            numbers = encode(corners)
            reach = float(np.hypot(numbers[2], numbers[3]))
            away = (xs - numbers[0]) ** 2 + (ys - numbers[1]) ** 2
            hill = np.exp(-away / (2 * max(0.3 * reach, 0.6) ** 2))
            x, y = int(np.clip(numbers[0], 0, width - 1)), int(np.clip(numbers[1], 0, height - 1))
            hill[y, x] = 1
            heat[..., 0] = np.maximum(heat[..., 0], hill)
            heat[hill > 0.3, 1] = 1
            near = (away < max(0.5 * reach, 1.0) ** 2) & (hill >= heat[..., 0] - 1e-6)
            near[y, x] = True
            quad[near, 0] = numbers[0] - xs[near]
            quad[near, 1] = numbers[1] - ys[near]
            quad[near, 2:8] = numbers[2:]
            quad[near, 8] = 1 / max(reach, 1)
    return {"heat": heats, "quad": quads}


def heat_loss(truth: Any, said: Any) -> Any:
    """Focal loss of heat, by the number of cards: Law and Deng, "CornerNet", 2018."""
    hill, counts = truth[..., :1], truth[..., 1:]
    said = ops.clip(said, 1e-5, 1 - 1e-5)
    is_middle = ops.cast(hill >= 1, "float32")
    middle = -is_middle * (1 - said) ** 2 * ops.log(said)
    other = -(1 - is_middle) * (1 - hill) ** 4 * said**2 * ops.log(1 - said)
    return ops.sum((middle + other) * counts) / ops.maximum(ops.sum(is_middle), 1.0)


def quad_loss(truth: Any, said: Any) -> Any:
    """Mean distance of the numbers from the true ones, in units of each card's size."""
    weight = truth[..., 8:]
    return (
        0.5
        * ops.sum(ops.abs(truth[..., :8] - said) * weight)
        / ops.maximum(ops.sum(ops.cast(weight > 0, "float32")), 1.0)
    )
