"""What was read off a photo, and its form as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from setml.cards import ATTRIBUTES, Card
from setml.photo import BGR
from setml.sets import ALWAYS_A_SET, Trio


@dataclass(frozen=True, eq=False)
class FoundCard:
    """One card found in a photo.

    Attributes
    ----------
    card : Card
        What it was read as.
    corners : ndarray, float, (4, 2)
        In pixels of the photo as seen, clockwise, the first edge a short one; some may lie outside.
    confidence : float
        The probability that all four attributes are right, 0 to 1.
    certain : bool
        Whether the confidence is high enough to rely on.
    probabilities : ndarray, float, (4, 3), or None
        Of each value of each attribute; None where the card was read from JSON.
    crop : ndarray or None
        The card upright and flat: BGR, uint8, H x W x 3; None where the card was read from JSON.
    """

    card: Card
    corners: npt.NDArray[np.floating]
    confidence: float
    certain: bool
    probabilities: npt.NDArray[np.floating] | None = field(default=None, repr=False)
    crop: BGR | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if np.shape(self.corners) != (4, 2) or not np.isfinite(self.corners).all():
            raise ValueError(f"corners are {np.asarray(self.corners).tolist()}; expected four finite points (x, y)")
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence is {self.confidence}; expected 0 to 1")

    def to_dict(self) -> dict[str, Any]:
        """Return the card as JSON has it."""
        return {
            **self.card.to_dict(),
            "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in self.corners],
            "confidence": round(self.confidence, 4),
            "certain": self.certain,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a card back from what :meth:`to_dict` returned."""
        return cls(
            card=Card(*(data[attribute] for attribute in ATTRIBUTES)),
            corners=np.array(data["corners"], float),
            confidence=float(data["confidence"]),
            certain=bool(data["certain"]),
        )


@dataclass(frozen=True, eq=False)
class Solution:
    """All cards and all sets of one photo.

    Attributes
    ----------
    image : str
        The photo's name.
    width, height : int
        Its full size in pixels, as seen.
    cards : tuple of FoundCard
        In reading order.
    sets : tuple of (int, int, int)
        Places in `cards`, each set once.
    seconds : mapping of str to float
        Time by stage: ``read``, ``extract``, ``classify`` and ``total``.
    """

    image: str
    width: int
    height: int
    cards: tuple[FoundCard, ...]
    sets: tuple[Trio, ...]
    seconds: Mapping[str, float]

    def __post_init__(self) -> None:
        for trio in self.sets:
            if len(set(trio)) != 3 or not all(0 <= place < len(self.cards) for place in trio):
                raise ValueError(f"{list(trio)} is no set; expected three places in {len(self.cards)} cards")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What cannot be so of one deck, a line each; empty for most photos.

        Examples
        --------
        >>> Solution("", 1, 1, (), (), {}).warnings
        ()
        """
        told = [
            f"{card} was read {count} times, but a deck has each card once"
            for card, count in Counter(found.card for found in self.cards).items()
            if count > 1
        ]
        if len(self.cards) >= ALWAYS_A_SET and not self.sets:
            told.append(f"{len(self.cards)} cards always hold a set, but none was found: some must have been misread")
        return tuple(told)

    def is_certain(self, trio: Trio) -> bool:
        """Tell whether all three cards of a set are certain."""
        return all(self.cards[place].certain for place in trio)

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON has it; probabilities and crops are left out."""
        return {
            "image": self.image,
            "width": self.width,
            "height": self.height,
            "cards": [card.to_dict() for card in self.cards],
            "sets": [list(trio) for trio in self.sets],
            "certain_sets": [self.is_certain(trio) for trio in self.sets],
            "warnings": list(self.warnings),
            "seconds": {stage: round(seconds, 4) for stage, seconds in self.seconds.items()},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read a solution back from what :meth:`to_dict` returned.

        Raises
        ------
        ValueError
            If something is missing or is not what it should be.
        """
        try:
            return cls(
                image=str(data["image"]),
                width=int(data["width"]),
                height=int(data["height"]),
                cards=tuple(FoundCard.from_dict(card) for card in data["cards"]),
                sets=tuple((int(i), int(j), int(k)) for i, j, k in data["sets"]),
                seconds={str(stage): float(seconds) for stage, seconds in data["seconds"].items()},
            )
        except KeyError as error:
            raise ValueError(f"the solution has no {error}; expected what to_dict() returns") from None
        except (TypeError, AttributeError) as error:
            raise ValueError(f"the solution cannot be read ({error}); expected what to_dict() returns") from None

    def to_json(self) -> str:
        """Return the solution as one line of JSON."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, line: str) -> Self:
        """Read a solution back from a line of JSON; raises ValueError as :meth:`from_dict` does."""
        return cls.from_dict(json.loads(line))
