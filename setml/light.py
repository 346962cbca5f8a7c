"""The light on a table is one: what color an ink is, is told by the inks of all its cards together."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.cores import share
from setml.symbols import reflectance

Floats = npt.NDArray[np.floating]

#: A table of which every color is surer than this needs no such judgement.
SURE: Final = 0.99
#: Of a card's middle, the share of pixels with the most ink, which tell its color.
STRONGEST: Final = 0.03
#: By how much the inks of one color differ on one table at least, in shares of what is absorbed.
LEAST_SPREAD: Final = 0.06
#: As far from a color that the table does not show, in such spreads, is every ink taken to be.
DISTANCE_OF_UNSEEN: Final = 2.0
#: A color of fewer cards than this is not shown by the table.
LEAST_CARDS: Final = 0.8
#: However far it is from a color's other inks, an ink is not taken to be further, in spreads.
MOST_DISTANCE: Final = 5.0
ROUNDS: Final = 3


def inks_of(crops: npt.NDArray[np.uint8]) -> Floats:
    """Measure what the ink of each card absorbs of blue, green and red, as shares of all it absorbs.

    Parameters
    ----------
    crops : ndarray, uint8, (n, H, W, 3)
        BGR, upright.

    Returns
    -------
    ndarray, float, (n, 3)
    """
    return np.concatenate(share(lambda part: np.array([_ink_of(crop) for crop in crops[part]]), len(crops)))


def _ink_of(crop: npt.NDArray[np.uint8]) -> Floats:
    small = cv2.resize(crop, (56, 87), interpolation=cv2.INTER_AREA)
    reflected = cv2.blur(reflectance(np.asarray(small, np.uint8)), (3, 3))[10:-10, 7:-7].reshape(-1, 3)
    count = int(STRONGEST * len(reflected))
    darkest = reflected.min(axis=1).argpartition(count)[:count]
    absorbed = -np.log(np.clip(reflected[darkest].mean(axis=0), 0.02, 0.999))
    return np.asarray(absorbed / absorbed.sum())


def judge_colors(colors: Floats, inks: Floats) -> Floats:
    """Weigh each card's color by how near its ink is to those of the other cards of that color.

    A color whose cards were all read from the same light draws in what was doubtful, whatever the lamp makes of it:
    expectation and maximization of a mixture with one spread for all colors, each card judged by the others alone.

    Parameters
    ----------
    colors : ndarray, (n, 3)
        The probabilities of each card's color as it was read alone.
    inks : ndarray, (n, 3)
        As :func:`inks_of` measures them.

    Returns
    -------
    ndarray, float, (n, 3)
        The probabilities when all are read in one light.

    Examples
    --------
    >>> colors = np.array([[0.99, 0, 0.01], [0.99, 0, 0.01], [0.01, 0, 0.99], [0.01, 0, 0.99], [0.55, 0, 0.45]])
    >>> inks = np.array([[0.5, 0.4, 0.1]] * 2 + [[0.2, 0.5, 0.3]] * 3)
    >>> judge_colors(colors, inks)[-1].round(2).tolist()
    [0.0, 0.0, 1.0]
    """
    alone = np.log(np.maximum(colors, 1e-5))
    judged = np.asarray(colors, float)
    for _ in range(ROUNDS):
        total = judged.sum(axis=0)
        cards = total - judged
        # The mean ink of each color without the card that is judged: (n, 3, 3).
        sums = np.einsum("nc,nk->ck", judged, inks) - judged[:, :, None] * inks[:, None]
        means = sums / np.maximum(cards, 1e-6)[..., None]
        away = ((inks[:, None] - means) ** 2).sum(axis=2)
        spread = (judged * away).sum() / max(len(inks), 1) + LEAST_SPREAD**2
        distance = np.minimum(away / spread, MOST_DISTANCE**2)
        distance[cards < LEAST_CARDS] = DISTANCE_OF_UNSEEN**2
        weighed = alone - distance / 2
        judged = np.exp(weighed - weighed.max(axis=1, keepdims=True))
        judged /= judged.sum(axis=1, keepdims=True)
    return judged
