"""The rule of the game: which three cards make a set, and all sets of some cards."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from setml.cards import ATTRIBUTES, DECK, Card

#: Three places in a sequence of cards, in rising order.
Trio = tuple[int, int, int]

#: So many cards of one deck always hold a set: Pellegrino, "Sul massimo ordine delle calotte in S4,3", 1971.
ALWAYS_A_SET: Final = 21


def is_set(a: Card, b: Card, c: Card) -> bool:
    """Tell whether three cards make a set.

    In a set, each attribute is equal on all three cards or different on all three. With the values
    as integers that is so exactly where their sum is divisible by three, which is how the article tests it.
    """
    return all(sum(places) % 3 == 0 for places in zip(a.places, b.places, c.places, strict=True))


def set_key(a: Card, b: Card) -> Card:
    """Return the one card that makes a set with `a` and `b`: their SET key.

    Examples
    --------
    >>> str(set_key(Card.from_code("1RSD"), Card.from_code("2GSD")))
    '3 solid purple diamonds'
    """
    return DECK[_key_table()[a.index][b.index]]


@functools.cache
def _key_table() -> list[list[int]]:
    """For each two cards, by their places in the deck, the place of their SET key (81 x 81)."""
    places = [card.places for card in DECK]
    # Values x and y are completed by the z for which x + y + z is divisible by three.
    third = [[(-x - y) % 3 for y in range(3)] for x in range(3)]
    return [
        [27 * third[a[0]][b[0]] + 9 * third[a[1]][b[1]] + 3 * third[a[2]][b[2]] + third[a[3]][b[3]] for b in places]
        for a in places
    ]


def find_sets(cards: Sequence[Card]) -> list[Trio]:
    """Find all sets among `cards` by the SET key, in time O(n^2).

    Parameters
    ----------
    cards : sequence of Card
        The cards on the table. Equal cards are allowed: each is a card of its own.

    Returns
    -------
    list of (int, int, int)
        The places in `cards` of the three cards of each set, ``i < j < k``; each set once, in rising order.

    Examples
    --------
    >>> find_sets([Card.from_code(code) for code in ("1RSD", "1GTO", "2RSD", "3RSD")])
    [(0, 2, 3)]
    """
    indices = [card.index for card in cards]
    where: defaultdict[int, list[int]] = defaultdict(list)
    for place, index in enumerate(indices):
        where[index].append(place)
    keys, none = _key_table(), ()
    sets = []
    for i, a in enumerate(indices):
        row = keys[a]
        for j in range(i + 1, len(indices)):
            for k in where.get(row[indices[j]], none):
                if k > j:
                    sets.append((i, j, k))
    return sets


def find_sets_by_triples(cards: Sequence[Card]) -> list[Trio]:
    """Find all sets among `cards` by trying every three of them, in time O(n^3).

    The article's first method; the result is that of :func:`find_sets`.
    """
    return [(i, j, k) for (i, a), (j, b), (k, c) in itertools.combinations(enumerate(cards), 3) if is_set(a, b, c)]


#: The ways to find all sets, by the name that the command line takes.
METHODS: Final[Mapping[str, Callable[[Sequence[Card]], list[Trio]]]] = MappingProxyType(
    {"key": find_sets, "triples": find_sets_by_triples}
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one attribute says of three cards.

    Attributes
    ----------
    attribute : str
        One of :data:`~setml.cards.ATTRIBUTES`.
    kind : {"equal", "different", "spoiled"}
        All three equal, all three different, or two equal and one not, which spoils the set.
    values : tuple
        The attribute's value on each of the three cards.
    """

    attribute: str
    kind: Literal["equal", "different", "spoiled"]
    values: tuple[int | str, int | str, int | str]

    def __str__(self) -> str:
        if self.kind == "equal":
            return f"{self.attribute}: all {self.values[0]}"
        if self.kind == "different":
            return f"{self.attribute}: all different"
        two = max(self.values, key=self.values.count)
        one = min(self.values, key=self.values.count)
        return f"{self.attribute}: two {two}, one {one}"


def explain(a: Card, b: Card, c: Card) -> tuple[Verdict, Verdict, Verdict, Verdict]:
    """Say, attribute by attribute, why three cards make a set or what spoils it.

    Returns
    -------
    tuple of Verdict
        One for each attribute, in order; the cards make a set where none is ``"spoiled"``.

    Examples
    --------
    >>> for verdict in explain(*map(Card.from_code, ("1RSD", "2RTD", "3GOD"))):
    ...     print(verdict)
    count: all different
    color: two red, one green
    shading: all different
    shape: all diamond
    """
    kinds: dict[int, Literal["equal", "different", "spoiled"]] = {1: "equal", 2: "spoiled", 3: "different"}

    def verdict(attribute: str) -> Verdict:
        values = (getattr(a, attribute), getattr(b, attribute), getattr(c, attribute))
        return Verdict(attribute, kinds[len(set(values))], values)

    count, color, shading, shape = map(verdict, ATTRIBUTES)
    return count, color, shading, shape


def complete(cards: Sequence[Card]) -> dict[Card, list[tuple[int, int]]]:
    """Find the cards that would make a set with two of those on the table.

    Returns
    -------
    dict of Card to list of (int, int)
        Each card that is not among `cards` but would make a set with two of them, in the order of
        the deck, with the places of every such two.

    Examples
    --------
    >>> for card, pairs in complete([Card.from_code(code) for code in ("1RSD", "2RSD", "1GSD")]).items():
    ...     print(card, pairs)
    1 solid purple diamond [(0, 2)]
    3 solid red diamonds [(0, 1)]
    3 solid purple diamonds [(1, 2)]
    """
    present = set(cards)
    found: defaultdict[Card, list[tuple[int, int]]] = defaultdict(list)
    for (i, a), (j, b) in itertools.combinations(enumerate(cards), 2):
        key = set_key(a, b)
        if key not in present:
            found[key].append((i, j))
    return dict(sorted(found.items()))
