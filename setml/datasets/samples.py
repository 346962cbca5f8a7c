"""The sample tables that come with the project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from setml.cards import DECK
from setml.datasets.tables import Table, draw_table

# Cards of which two values of each attribute appear hold no set: 16 of the deck.
_NO_SET: Final = [card for card in DECK if max(card.places) < 2][:12]

#: What draws each sample, by name.
SAMPLES: Final[Mapping[str, Callable[[], Table]]] = MappingProxyType(
    {
        "wood": partial(draw_table, 12, seed=3, surface="wood"),
        "dark": partial(draw_table, 15, seed=11, surface="dark"),
        "rectangle": partial(draw_table, 12, seed=5, surface="cloth", edition="rectangle"),
        "no-set": partial(draw_table, _NO_SET, seed=8, surface="wood"),
        "deck": partial(draw_table, 81, seed=4, surface="dark", size=(2000, 1500), tilt=8.0),
    }
)
