"""All cards of a photo read together: a deck has each card once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from setml.cards import DECK, Card

Floats = npt.NDArray[np.float64]

#: The places of the four values of each of the 81 cards: (81, 4).
IDENTITIES: Final = np.array([card.places for card in DECK])

#: No probability is taken for less than this: a classifier that has never seen a case is no witness against it.
LEAST: Final = 1e-5
#: A reading that is so many times less likely than a card's own is no reading of it: the two are really equal.
MOST_UNLIKELY: Final = 1e4


@dataclass(frozen=True, eq=False)
class TableReading:
    """What n cards are when they are read together.

    Attributes
    ----------
    cards : tuple of Card
        All of them; those that are surely equal stay so.
    confidence : ndarray, float, (n,)
        The probability that all four are right, given that no card is there twice; a half for what stays equal.
    """

    cards: tuple[Card, ...]
    confidence: Floats


def read_alone(values: npt.NDArray[np.floating]) -> TableReading:
    """Take the likeliest reading of each card for itself; two may be equal.

    Parameters
    ----------
    values : ndarray, (n, 4, 3)
        The probability of each value of each attribute, card by card, as a classifier tells it.
    """
    places = values.argmax(axis=2) @ (27, 9, 3, 1) if len(values) else np.empty(0, np.intp)
    confidence = np.asarray(values.max(axis=2).prod(axis=1), float)
    return TableReading(tuple(DECK[place] for place in places), confidence)


def read_together(values: npt.NDArray[np.floating]) -> TableReading:
    """Find the likeliest readings of all cards of a table of which no two are equal.

    Where two cards would be read alike, the best joint assignment of identities decides which of them is another card;
    how sure that is, is told by the best assignment in which that card is something else (a max-marginal).

    Parameters
    ----------
    values : ndarray, (n, 4, 3)
        The probability of each value of each attribute, card by card, as a classifier tells it.

    Examples
    --------
    >>> sure, unsure = np.full((2, 4, 3), (1.0, 0.0, 0.0))
    >>> unsure[1] = (0.6, 0.4, 0.0)
    >>> [str(card) for card in read_together(np.stack([unsure, sure])).cards]
    ['1 solid green diamond', '1 solid red diamond']
    """
    alone = read_alone(values)
    confidence = alone.confidence
    # (n, 81): how likely each card is each of the deck.
    each = np.log(np.maximum(values, LEAST))
    scores = sum(each[:, attribute, IDENTITIES[:, attribute]] for attribute in range(4))
    scores = np.asarray(scores, float).reshape(-1, len(IDENTITIES))
    own = scores.argmax(axis=1)
    unique, counts = np.unique(own, return_counts=True)
    shared = counts > 1
    if not shared.any():
        return alone
    chosen = own.copy()
    if len(own) <= len(IDENTITIES):
        chosen = assign(-scores)
    rows = np.arange(len(own))
    # Those that cannot be told apart stay equal, which is said.
    chosen = np.where(scores[rows, own] - scores[rows, chosen] > np.log(MOST_UNLIKELY), own, chosen)
    _, inverse, counts = np.unique(chosen, return_inverse=True, return_counts=True)
    doubled = counts[inverse] > 1
    disputed = np.isin(own, unique[shared]) | (chosen != own)
    for card in np.flatnonzero(disputed):
        confidence[card] = 0.5 if doubled[card] else _confidence(scores, chosen, int(card))
    return TableReading(tuple(DECK[place] for place in chosen), confidence)


def _confidence(scores: Floats, chosen: npt.NDArray[np.intp], card: int) -> float:
    """Compare the best assignment with the best one in which a card is something else."""
    rows = np.arange(len(scores))
    other = scores.copy()
    other[card, chosen[card]] = -1e9
    best, second = scores[rows, chosen].sum(), other[rows, assign(-other)].sum()
    return float(1 / (1 + np.exp(np.clip(second - best, -50, 50))))


def assign(costs: Floats) -> npt.NDArray[np.intp]:
    """Assign a column of its own to each row so that the costs add up to the least.

    Shortest augmenting paths: Jonker and Volgenant, "A shortest augmenting path algorithm for dense and sparse linear
    assignment problems", Computing 38, 1987.

    Parameters
    ----------
    costs : ndarray, float, (n, m)
        Finite, n at most m.

    Returns
    -------
    ndarray, int, (n,)
        The column of each row.

    Examples
    --------
    >>> assign(np.array([[1.0, 2.0], [1.0, 5.0]])).tolist()
    [1, 0]
    """
    n, m = costs.shape
    of_row, of_column = np.zeros(n), np.zeros(m)
    owner = np.full(m, -1)
    for row in range(n):
        least, before = np.full(m, np.inf), np.full(m, -1)
        seen = np.zeros(m, bool)
        current, column = row, -1
        while True:
            reduced = costs[current] - of_row[current] - of_column
            nearer = ~seen & (reduced < least)
            least[nearer], before[nearer] = reduced[nearer], column
            column = int(np.where(seen, np.inf, least).argmin())
            step = least[column]
            of_row[row] += step
            of_row[owner[seen]] += step
            of_column[seen] -= step
            least[~seen] -= step
            seen[column] = True
            if owner[column] < 0:
                break
            current = owner[column]
        while column >= 0:
            earlier = before[column]
            owner[column] = row if earlier < 0 else owner[earlier]
            column = earlier
    columns = np.empty(n, np.intp)
    columns[owner[owner >= 0]] = np.flatnonzero(owner >= 0)
    return columns
