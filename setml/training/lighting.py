"""What falls on a table besides the lamp: the shadow of a hand, and the reflection of a window or a lamp."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from setml.photo import BGR


def shade_by_hand(image: BGR, card_width: float, rng: np.random.Generator) -> BGR:
    """Let the shadow of an arm, a hand and its fingers fall on a scene.

    Parameters
    ----------
    image : ndarray
        BGR, uint8, H x W x 3.
    card_width : float
        How wide a card is in it, in pixels; a hand is about as wide.
    rng : Generator
        Of all that is left to chance.

    Returns
    -------
    ndarray
        BGR, uint8, H x W x 3.
    """
    height, width = image.shape[:2]
    shadow = np.zeros((height, width), np.float32)
    hand = rng.uniform(0, (width, height))
    angle = rng.uniform(0, 2 * np.pi)
    _line(shadow, hand, angle + np.pi, 2 * max(width, height), card_width * rng.uniform(0.6, 2.2))
    for finger in angle + np.linspace(-0.5, 0.5, 5)[: rng.integers(0, 6)]:
        _line(shadow, hand, finger, card_width * rng.uniform(0.8, 2.2), card_width * rng.uniform(0.15, 0.5))
    shadow = cv2.GaussianBlur(shadow, (0, 0), card_width * rng.uniform(0.02, 0.5)) * rng.uniform(0.25, 0.75)
    # What light is left comes from the sky or the walls.
    tint = np.array([rng.uniform(0.8, 1), 1, 1])
    return np.asarray(image * (1 - shadow[..., None] * tint), np.uint8)


def _line(shadow: npt.NDArray[np.float32], start: npt.ArrayLike, angle: float, length: float, wide: float) -> None:
    first = np.asarray(start, float)
    last = first + length * np.array([np.cos(angle), np.sin(angle)])
    cv2.line(shadow, first.astype(int).tolist(), last.astype(int).tolist(), 1.0, max(1, round(wide)), cv2.LINE_AA)


def reflect(image: BGR, card_width: float, rng: np.random.Generator) -> BGR:
    """Let cards and table mirror a window with its panes, or a lamp.

    Parameters
    ----------
    image, card_width, rng
        As those of :func:`shade_by_hand`.

    Returns
    -------
    ndarray
        BGR, uint8, H x W x 3.
    """
    height, width = image.shape[:2]
    mirrored = np.zeros((height, width), np.float32)
    middle, size = rng.uniform(0, (width, height)), card_width * rng.uniform(0.5, 5, 2)
    angle = rng.uniform(0, 180)
    if rng.random() < 0.4:
        cv2.ellipse(mirrored, (middle.tolist(), size.tolist(), angle), 1.0, -1, cv2.LINE_AA)
    else:
        panes = int(rng.integers(1, 4))
        axis = np.array([np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))])
        for pane in range(panes):
            at = middle + axis * size[0] * 1.15 * pane
            corners = cv2.boxPoints((at.tolist(), size.tolist(), angle)) + rng.normal(0, 0.08 * card_width, (4, 2))
            cv2.fillPoly(mirrored, [np.round(corners).astype(np.int32)], 1.0, cv2.LINE_AA)
    light = rng.uniform(0.1, 0.7) * cv2.GaussianBlur(mirrored, (0, 0), card_width * rng.uniform(0.02, 0.6))
    return np.asarray(np.clip(image + 255 * light[..., None] * rng.uniform(0.85, 1, 3), 0, 255), np.uint8)
