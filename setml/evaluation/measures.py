"""How right an answer is: boards, set lists, cards, each attribute."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from setml.cards import ATTRIBUTES, Card
from setml.datasets.truth import Truth
from setml.extractors.quads import overlap
from setml.sets import find_sets
from setml.solution import Solution

#: A card is found where the bounding boxes of answer and truth overlap by this much, intersection over union.
FOUND_IOU = 0.5


@dataclass(frozen=True)
class Score:
    """Counts over some photographs, which add up; the figures are shares of them.

    Attributes
    ----------
    photos, cards : int
        Of the truth.
    boards : int
        Photographs on which every card was found and read right, and nothing else was reported.
    lists : int
        Photographs whose list of sets, as cards, is exactly right.
    exact, found : int
        Cards found with all attributes right; cards found at all.
    false : int
        Answers that are no card.
    count, color, shading, shape : int
        Cards found with this attribute right.
    iou, off : float
        Over the cards found, sums of how far the outlines agree, intersection over union, and of how far the
        corners are off on average, in the card's short sides.
    """

    photos: int = 0
    cards: int = 0
    boards: int = 0
    lists: int = 0
    exact: int = 0
    found: int = 0
    false: int = 0
    count: int = 0
    color: int = 0
    shading: int = 0
    shape: int = 0
    iou: float = 0.0
    off: float = 0.0

    def __add__(self, other: Self) -> Self:
        return type(self)(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def figures(self) -> dict[str, float]:
        """Return the counts as percentages, by the name that tables give them."""

        def per(part: float, whole: int) -> float:
            return 100 * part / whole if whole else float("nan")

        return {
            "photos": self.photos,
            "boards": per(self.boards, self.photos),
            "set lists": per(self.lists, self.photos),
            "cards": per(self.exact, self.cards),
            "found": per(self.found, self.cards),
            "false": per(self.false, self.cards),
            **{attribute: per(getattr(self, attribute), self.found) for attribute in ATTRIBUTES},
            "IoU": per(self.iou, self.found),
            "corners off": per(self.off, self.found),
        }


@dataclass(frozen=True)
class Told:
    """One card that was reported, and whether it is so; what lies where nothing is scored is left out.

    Attributes
    ----------
    card : str
        As a code.
    confidence : float
    certain : bool
    right : bool
        Whether there is that card.
    """

    card: str
    confidence: float
    certain: bool
    right: bool


def judge(truth: Truth, solution: Solution) -> list[Told]:
    """Tell of each card that was reported on one photograph whether it is so."""
    truth_of, spared = _pair(truth, solution)
    return [
        Told(
            found.card.code,
            found.confidence,
            found.certain,
            place in truth_of and truth.cards[truth_of[place]] == found.card,
        )
        for place, found in enumerate(solution.cards)
        if place not in spared
    ]


def score(truth: Truth, solution: Solution | None) -> Score:
    """Score one photograph; None stands for one that could not be read."""
    if solution is None:
        solution = Solution(truth.name, truth.width, truth.height, (), (), {})
    truth_of, spared = _pair(truth, solution)
    cards = [found.card for found in solution.cards]
    corners = [found.corners for found in solution.cards]
    right = Counter(
        attribute
        for answer, card in truth_of.items()
        for attribute in ATTRIBUTES
        if getattr(truth.cards[card], attribute) == getattr(cards[answer], attribute)
    )
    exact = sum(truth.cards[card] == cards[answer] for answer, card in truth_of.items())
    false = len(cards) - len(truth_of) - len(spared)
    sets = [trio for trio in solution.sets if not spared & set(trio)]
    return Score(
        photos=1,
        cards=len(truth.cards),
        boards=int(exact == len(truth.cards) and not false),
        lists=int(_as_cards(cards, sets) == _as_cards(truth.cards, find_sets(truth.cards))),
        exact=exact,
        found=len(truth_of),
        false=false,
        **{attribute: right[attribute] for attribute in ATTRIBUTES},
        iou=sum(overlap(truth.corners[card], corners[answer]) for answer, card in truth_of.items()),
        off=sum(_corners_off(truth.corners[card], corners[answer]) for answer, card in truth_of.items()),
    )


def _pair(truth: Truth, solution: Solution) -> tuple[dict[int, int], set[int]]:
    """Tell which card each answer is, and which answers lie where nothing is scored."""
    corners = np.array([found.corners for found in solution.cards]).reshape(-1, 4, 2)
    boxes = _boxes(corners, truth)
    truth_of = {answer: card for card, answer in _match(_boxes(truth.corners, truth), boxes)}
    return truth_of, _spared(boxes, truth) - set(truth_of)


def _corners_off(truth: npt.NDArray[np.floating], answer: npt.NDArray[np.floating]) -> float:
    """Mean distance of the corners, whichever is called the first, in short sides of the true card."""
    sides = np.linalg.norm(np.roll(truth, -1, axis=0) - truth, axis=1)
    distances = [np.linalg.norm(truth - np.roll(answer, turn, axis=0), axis=1).mean() for turn in range(4)]
    return float(min(distances) / min(sides[0] + sides[2], sides[1] + sides[3]) * 2)


def _as_cards(cards: list[Card] | tuple[Card, ...], trios: list[tuple[int, int, int]]) -> Counter[tuple[Card, ...]]:
    return Counter(tuple(sorted(cards[place] for place in trio)) for trio in trios)


def _boxes(corners: npt.NDArray[np.floating], truth: Truth) -> npt.NDArray[np.floating]:
    """Bound quadrilaterals within the photo: (n, 4), left, top, right, bottom."""
    size = (truth.width, truth.height)
    low = np.clip(corners.min(axis=1, initial=np.inf), 0, size)
    high = np.clip(corners.max(axis=1, initial=-np.inf), 0, size)
    return np.concatenate([low, high], axis=1)


def _match(truths: npt.NDArray[np.floating], answers: npt.NDArray[np.floating]) -> list[tuple[int, int]]:
    """Pair boxes one to one, best overlaps first."""
    low = np.maximum(truths[:, None, :2], answers[None, :, :2])
    high = np.minimum(truths[:, None, 2:], answers[None, :, 2:])
    both = np.maximum(high - low, 0).prod(axis=2)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(axis=1) for boxes in (truths, answers)]
    overlap = both / np.maximum(areas[0][:, None] + areas[1][None] - both, 1e-9)
    pairs: list[tuple[int, int]] = []
    while overlap.size and overlap.max() >= FOUND_IOU:
        card, answer = np.unravel_index(overlap.argmax(), overlap.shape)
        pairs.append((int(card), int(answer)))
        overlap[card, :] = overlap[:, answer] = 0
    return pairs


def _spared(answers: npt.NDArray[np.floating], truth: Truth) -> set[int]:
    """Find the answers whose middle lies in a box that is not scored."""
    middles = (answers[:, None, :2] + answers[:, None, 2:]) / 2
    inside = (middles >= truth.ignore[None, :, :2]) & (middles <= truth.ignore[None, :, 2:])
    spared = np.logical_and.reduce(inside, axis=2)
    return {int(place) for place in np.flatnonzero(np.logical_or.reduce(spared, axis=1))}
