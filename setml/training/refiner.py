"""The nets that look at each card from near: what they are, what they are asked for, and how they learn."""

from __future__ import annotations

from typing import Any, Final

import keras
import numpy as np
import numpy.typing as npt
from keras import layers, ops

from setml.datasets.crops import shake
from setml.datasets.scenes import Scene
from setml.extractors.pyramid import Pyramid
from setml.extractors.quads import overlap
from setml.extractors.refiner import LOOK_SIZE, PLANE, from_plane, look_at, to_plane

Quads = npt.NDArray[np.float32]

#: Pixels of the longer side of the scenes that are looked at.
LONGER_SIDE: Final = 640
#: What overlaps a card by less is none, what overlaps one by more is it, intersection over union.
OVERLAP_OF_NONE: Final = 0.2
OVERLAP_OF_CARD: Final = 0.35
#: Corrections are learned in this unit, short sides of a card, so that they are about 1.
UNIT: Final = 0.1


def make_refiner() -> keras.Model:
    """Make the net.

    Returns
    -------
    keras.Model
        From looks (n, H, W, 3), BGR, 0 to 1, to "corners", (n, 8), how far the corners are from where the look
        has them, in a card's short sides, and "score", (n, 1), how likely it is a card.
    """
    seen = layers.Input((LOOK_SIZE[1], LOOK_SIZE[0], 3), name="look")
    x = _convolve(seen, 16, size=5, strides=2)  # (n, 44, 32, 16)
    x = _convolve(x, 32, strides=2)  # (n, 22, 16, 32)
    x = layers.Add()([x, _convolve(x, 32)])
    x = _convolve(x, 64, strides=2)  # (n, 11, 8, 64)
    x = layers.Add()([x, _convolve(x, 64)])
    x = _convolve(x, 32, size=1)  # (n, 11, 8, 32)
    # Where an edge is matters to a hundredth of a card: no pooling, each place has weights of its own.
    x = layers.Flatten()(x)
    x = layers.Dense(128, activation="relu")(x)
    corners = layers.Rescaling(UNIT, name="corners")(layers.Dense(8)(x))
    return keras.Model(seen, {"corners": corners, "score": layers.Dense(1, activation="sigmoid", name="score")(x)})


def _convolve(x: Any, filters: int, size: int = 3, strides: int = 1) -> Any:
    x = layers.Conv2D(filters, size, strides, padding="same", use_bias=False)(x)
    return layers.ReLU()(layers.BatchNormalization(momentum=0.98)(x))


def corner_loss(truth: Any, said: Any) -> Any:
    """Mean distance of the corners from the true ones, of cards alone; truth is (n, 9), the last whether it is one."""
    away = ops.sum(ops.abs(truth[:, :8] - said), axis=1) / UNIT
    return ops.sum(away * truth[:, 8]) / ops.maximum(ops.sum(truth[:, 8]), 1.0) / 8


def score_loss(truth: Any, said: Any) -> Any:
    """Cross-entropy of the score; truth is (n, 2), the last whether it counts."""
    said = ops.clip(said[:, 0], 1e-6, 1 - 1e-6)
    is_card = truth[:, 0]
    surprise = -is_card * ops.log(said) - (1 - is_card) * ops.log(1 - said)
    return ops.sum(surprise * truth[:, 1]) / ops.maximum(ops.sum(truth[:, 1]), 1.0)


def draw_looks(
    scene: Scene, rng: np.random.Generator, found: Quads | None = None
) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
    """Look at a scene's cards, and at what is none, as wrongly as a finder might.

    Parameters
    ----------
    scene : Scene
        What is looked at.
    rng : Generator
        Chooses where.
    found : ndarray, float32, (k, 4, 2), optional
        What a glance takes for cards here, rightly or wrongly; these are looked at besides.

    Returns
    -------
    looks : ndarray, uint8, (n, H, W, 3)
        BGR.
    truth : dict of ndarray
        What the net should answer, as its losses take it.
    """
    guesses = [shift(quad, rng) for quad in scene.corners]
    # Of no card: what lies about, places on the edges of cards, and any place.
    guesses += [shift(quad, rng) for quad in scene.decoys[:6]]
    guesses += [_anywhere(scene.image.shape, rng) for _ in range(2)]
    for quad in scene.corners[rng.permutation(len(scene.corners))[:5]]:
        away = rng.uniform(0.5, 1.1) * np.exp(1j * rng.uniform(0, 2 * np.pi))
        step = np.array([away.real, away.imag]) * (1, PLANE[2, 1] * 2)
        scale = rng.choice([1.0, rng.uniform(0.4, 0.6), rng.uniform(1.5, 2)])
        guesses.append(from_plane((PLANE * scale + step)[None], quad[None])[0])
    corners = np.array(guesses, np.float32).reshape(-1, 4, 2)
    if found is not None:
        corners = np.concatenate([found, corners])
    # Half a turn or a mirror is another look at the same card.
    turned = rng.random(len(corners)) < 0.5
    corners[turned] = np.roll(corners[turned], 2, axis=1)
    return look_at(Pyramid(scene.image), corners), answers(corners, scene)


def _anywhere(shape: tuple[int, ...], rng: np.random.Generator) -> Quads:
    """Choose a card-shaped place of a picture, of any size and turn."""
    angle, side = rng.uniform(0, np.pi), max(shape) * rng.uniform(0.04, 0.3)
    cos, sin = np.cos(angle), np.sin(angle)
    quad = (PLANE * side) @ np.array([[cos, sin], [-sin, cos]]) + rng.uniform(0, 1, 2) * shape[1::-1]
    return shift(quad.astype(np.float32), rng)


def shift(quad: Quads, rng: np.random.Generator) -> Quads:
    """Move, turn, stretch, shear and bend a quadrilateral, a little or by as much as a finder errs."""
    much = rng.choice([0.25, 0.8, 2.0], p=[0.45, 0.4, 0.15])
    scale = np.exp(rng.normal(0, 0.06 * much, 2))
    if rng.random() < 0.15:
        # A frame around the card, or its neighbour's edge, was taken for its own.
        scale = scale * rng.uniform(1, 1.35, 2)
    # Each axis by itself: of a card on a leaning plane, a finder has the axes nearer to a right angle than they are.
    turns = rng.normal(0, 0.05 * much) + rng.normal(0, 0.06 * much, 2)
    axes = np.array([[np.cos(turns[0]), np.sin(turns[0])], [-np.sin(turns[1]), np.cos(turns[1])]])
    plane = (PLANE * scale) @ axes + rng.normal(0, 0.06 * much, 2)
    return shake(from_plane(plane[None], quad[None])[0], 0.03 * much, rng).astype(np.float32)


def answers(guesses: Quads, scene: Scene) -> dict[str, npt.NDArray[np.float32]]:
    """Say what the net should answer of guesses, (n, 4, 2), at a scene."""
    corners = np.zeros((len(guesses), 9), np.float32)
    scores = np.zeros((len(guesses), 2), np.float32)
    for place, guess in enumerate(guesses):
        overlaps = np.array([overlap(guess, quad) for quad in scene.corners])
        unscored = max((overlap(guess, quad) for quad in scene.unscored), default=0.0)
        best = overlaps.max(initial=0)
        if best >= OVERLAP_OF_CARD and best > unscored:
            quad = scene.corners[overlaps.argmax()]
            mapped = to_plane(np.stack([quad, np.roll(quad, 2, axis=0)]), np.stack([guess, guess]))
            off = (mapped - PLANE).reshape(2, 8)
            corners[place, :8] = off[np.abs(off).sum(axis=1).argmin()]
            # A guess a quarter turn off, or bent beyond use, teaches no corners.
            corners[place, 8] = np.abs(corners[place, :8]).max() < 0.7
            scores[place] = 1, 1
        elif max(best, unscored) < OVERLAP_OF_NONE:
            scores[place] = 0, 1
    return {"corners": corners, "score": scores}
