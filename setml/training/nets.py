"""The nets, whole: a small convolutional net for each attribute, and one net for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import keras
from keras import layers, ops

from setml.cards import ATTRIBUTES
from setml.classifiers.views import VIEWS

#: Filters of each stage of a net; every stage halves height and width.
STAGES: Final[Mapping[str, tuple[int, ...]]] = MappingProxyType(
    {
        "card": (12, 24, 32, 48),
        "count": (12, 24, 32),
        "color": (12, 24, 32, 48),
        "shading": (12, 24, 32, 48, 48),
        "shape": (12, 24, 32, 48),
        "all": (16, 24, 32, 48, 64),
    }
)
#: Of the pixels of a card's middle, those with the most ink that are taken as one color.
INK_SHARES: Final = (0.01, 0.03, 0.08, 0.2)


def make_net(name: str) -> keras.Model:
    """Make a net that knows nothing yet.

    Parameters
    ----------
    name : str
        "card", an attribute, or "all".

    Returns
    -------
    keras.Model
        From (n, H, W, C), as :data:`setml.classifiers.views.VIEWS` has it, to probabilities: (n, 1) that it
        is a card; (n, 3) of an attribute's values; for "all" a dict of both, by name.
    """
    seen = layers.Input(VIEWS[name].shape, name="crop")  # (n, H, W, C)
    x = seen
    for stage, filters in enumerate(STAGES[name]):
        x = _convolve(x, filters, 5 if stage == 0 else 3, strides=2)  # (n, H / 2^(stage + 1), ..., filters)
        if stage >= 2:
            x = _convolve(x, filters, 3, strides=1)
    x = layers.Flatten()(x)  # (n, h * w * filters): where something is matters, as much as what
    x = layers.Dropout(0.3)(x)
    if name == "color":
        x = layers.Concatenate()([x, _describe_ink(seen)])
    if name == "all":
        return keras.Model(seen, {head: _head(x, head) for head in ("card", *ATTRIBUTES)}, name=name)
    return keras.Model(seen, _head(x, name), name=name)


def _convolve(x: keras.KerasTensor, filters: int, size: int, strides: int) -> keras.KerasTensor:
    x = layers.Conv2D(filters, size, strides, padding="same", use_bias=False)(x)
    # Quicker than by default: an epoch is only some hundred batches.
    x = layers.BatchNormalization(momentum=0.95)(x)
    return layers.ReLU()(x)


def _describe_ink(seen: keras.KerasTensor) -> keras.KerasTensor:
    """Describe the ink as a whole, wherever it is: what a camera makes of an ink is plainest in its mean color."""
    _, height, width, _ = seen.shape
    middle = layers.Cropping2D((height // 10, width // 7))(seen)
    colors = layers.Reshape((-1, 3))(middle[..., :3])  # (n, pixels, 3), BGR, by the card's paper
    ink = 1 - ops.min(colors, axis=-1)  # (n, pixels)
    pixels = colors.shape[1]
    strongest = ops.top_k(ink, round(INK_SHARES[-1] * pixels))[0]
    least = ops.stack([strongest[:, round(share * pixels) - 1] for share in INK_SHARES], axis=1)
    counted = ops.cast(ink[:, None] >= least[..., None], "float32")  # (n, shares, pixels)
    # A product of matrices is much quicker than sums over what is counted.
    mean = ops.matmul(counted, colors) / ops.sum(counted, axis=2, keepdims=True)  # (n, shares, 3)
    mean = ops.clip(mean, 0.02, 0.999)
    absorbed = -ops.log(mean)
    described = ops.concatenate([absorbed / ops.sum(absorbed, axis=2, keepdims=True), mean], axis=2)
    x = layers.BatchNormalization(momentum=0.98)(layers.Flatten()(described))  # (n, 6 * shares)
    for _ in range(2):
        x = layers.Dense(64, activation="relu")(x)
    return layers.Dropout(0.2)(x)


def _head(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
    if name == "card":
        return layers.Dense(1, activation="sigmoid", name=name)(x)  # (n, 1)
    return layers.Dense(3, activation="softmax", name=name)(x)  # (n, 3)
