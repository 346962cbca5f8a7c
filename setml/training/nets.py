"""The nets, whole: a small convolutional net for each attribute, and one net for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import keras
from keras import layers

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
    if name == "all":
        return keras.Model(seen, {head: _head(x, head) for head in ("card", *ATTRIBUTES)}, name=name)
    return keras.Model(seen, _head(x, name), name=name)


def _convolve(x: keras.KerasTensor, filters: int, size: int, strides: int) -> keras.KerasTensor:
    x = layers.Conv2D(filters, size, strides, padding="same", use_bias=False)(x)
    # Quicker than by default: an epoch is only some hundred batches.
    x = layers.BatchNormalization(momentum=0.95)(x)
    return layers.ReLU()(x)


def _head(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
    if name == "card":
        return layers.Dense(1, activation="sigmoid", name=name)(x)  # (n, 1)
    return layers.Dense(3, activation="softmax", name=name)(x)  # (n, 3)
