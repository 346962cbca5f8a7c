"""The cards of the game: four attributes of three values each, and the deck of 81."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

ATTRIBUTES: Final = ("count", "color", "shading", "shape")

#: The three values of each attribute, in the order of :data:`ATTRIBUTES` and of the deck.
VALUES: Final[Mapping[str, tuple[int | str, ...]]] = MappingProxyType(
    {
        "count": (1, 2, 3),
        "color": ("red", "green", "purple"),
        "shading": ("solid", "striped", "open"),
        "shape": ("diamond", "oval", "squiggle"),
    }
)

_LETTERS: Final = {
    "color": {"R": "red", "G": "green", "P": "purple"},
    "shading": {"S": "solid", "T": "striped", "O": "open"},
    "shape": {"D": "diamond", "O": "oval", "Q": "squiggle"},
}
_LETTER_OF: Final = {a: {word: letter for letter, word in names.items()} for a, names in _LETTERS.items()}

# The integers 1, 2, 3 of the article, whose vector of a card is (shape, shading, color, count).
_INTEGERS: Final = {
    "shape": ("diamond", "oval", "squiggle"),
    "shading": ("open", "striped", "solid"),
    "color": ("red", "green", "purple"),
    "count": (1, 2, 3),
}


@dataclass(frozen=True, slots=True)
@functools.total_ordering
class Card:
    """One card of the deck; immutable, hashable, and ordered as the deck is.

    Parameters
    ----------
    count : int
        How many symbols: 1, 2 or 3.
    color : str
        ``"red"``, ``"green"`` or ``"purple"``.
    shading : str
        ``"solid"``, ``"striped"`` or ``"open"``.
    shape : str
        ``"diamond"``, ``"oval"`` or ``"squiggle"``.

    Raises
    ------
    ValueError
        If a value is none of these.

    Examples
    --------
    >>> card = Card(2, "red", "striped", "diamond")
    >>> str(card), card.code, card.integers
    ('2 striped red diamonds', '2RTD', (1, 2, 1, 2))
    >>> Card.from_code("2RTD") == Card.from_sentence("2 striped red diamonds") == card
    True
    """

    count: int
    color: str
    shading: str
    shape: str

    def __post_init__(self) -> None:
        for attribute in ATTRIBUTES:
            value = getattr(self, attribute)
            # True == 1, but a card has no True symbols.
            if isinstance(value, bool) or value not in VALUES[attribute]:
                expected = ", ".join(map(str, VALUES[attribute]))
                raise ValueError(f"{attribute} is {value!r}; expected one of {expected}")

    @classmethod
    def from_code(cls, code: str) -> Card:
        """Read a code such as ``2RTD``: count, color, shading, shape.

        Raises
        ------
        ValueError
            If `code` is not the code of a card.
        """
        letters = code.strip().upper()
        try:
            count, color, shading, shape = list(letters)
            return cls(
                int(count),
                _LETTERS["color"][color],
                _LETTERS["shading"][shading],
                _LETTERS["shape"][shape],
            )
        except (ValueError, KeyError):
            raise ValueError(
                f"{code!r} is not the code of a card; expected a count 1-3, then R, G or P, "
                "then S, T or O (open), then D, O (oval) or Q, as in 2RTD"
            ) from None

    @classmethod
    def from_sentence(cls, sentence: str) -> Card:
        """Read a sentence such as ``2 striped red diamonds``.

        Raises
        ------
        ValueError
            If `sentence` does not have that form.
        """
        words = sentence.split()
        if len(words) == 4 and words[0] in ("1", "2", "3"):
            count, shading, color, shape = words
            if int(count) > 1:
                shape = shape.removesuffix("s")
            try:
                return cls(int(count), color, shading, shape)
            except ValueError:
                pass
        raise ValueError(
            f"{sentence!r} does not name a card; expected count, shading, color and shape, "
            "as in '2 striped red diamonds'"
        )

    @classmethod
    def from_integers(cls, integers: tuple[int, int, int, int]) -> Card:
        """Read the article's vector ``(shape, shading, color, count)``, each 1 to 3.

        Raises
        ------
        ValueError
            If `integers` are not four numbers from 1 to 3.
        """
        if len(integers) != 4 or any(number not in (1, 2, 3) for number in integers):
            raise ValueError(f"{integers!r} is no card; expected four integers from 1 to 3")
        words = {a: _INTEGERS[a][number - 1] for a, number in zip(_INTEGERS, integers, strict=True)}
        return cls(**words)  # type: ignore[arg-type]

    @classmethod
    def from_index(cls, index: int) -> Card:
        """Return the card at place `index` (0 to 80) of the deck."""
        if not 0 <= index < 81:
            raise ValueError(f"{index!r} is no place in the deck; expected 0 to 80")
        return DECK[index]

    @property
    def code(self) -> str:
        """The card as four characters: ``2RTD``."""
        return f"{self.count}" + "".join(_LETTER_OF[a][getattr(self, a)] for a in ATTRIBUTES[1:])

    @property
    def integers(self) -> tuple[int, int, int, int]:
        """The article's vector ``(shape, shading, color, count)``, each 1 to 3."""
        shape, shading, color, count = (_INTEGERS[a].index(getattr(self, a)) + 1 for a in _INTEGERS)
        return shape, shading, color, count

    @property
    def places(self) -> tuple[int, int, int, int]:
        """The place, 0 to 2, of each attribute's value in :data:`VALUES`."""
        count, color, shading, shape = (VALUES[a].index(getattr(self, a)) for a in ATTRIBUTES)
        return count, color, shading, shape

    @property
    def index(self) -> int:
        """The card's place in the deck, 0 to 80: `places` read as a number to base 3."""
        return _INDEX[self]

    def to_dict(self) -> dict[str, int | str]:
        """Return the four attributes by name, in order."""
        return {attribute: getattr(self, attribute) for attribute in ATTRIBUTES}

    def __lt__(self, other: Card) -> bool:
        if not isinstance(other, Card):
            return NotImplemented
        return self.index < other.index

    def __str__(self) -> str:
        plural = "s" if self.count > 1 else ""
        return f"{self.count} {self.shading} {self.color} {self.shape}{plural}"


#: All 81 cards, in order.
DECK: Final[tuple[Card, ...]] = tuple(
    Card(*values)  # type: ignore[arg-type]
    for values in itertools.product(*VALUES.values())
)
_INDEX: Final = {card: index for index, card in enumerate(DECK)}
