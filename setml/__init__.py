"""setml reads a photograph of cards of the game SET and shows every valid set on it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from setml.cards import DECK, Card
    from setml.datasets.tables import draw_table
    from setml.photo import Photo, PhotoError, read_photo
    from setml.render import draw_sets
    from setml.sets import complete, explain, find_sets, is_set, set_key
    from setml.solution import FoundCard, Solution
    from setml.solver import Solver, solve

__version__ = "0.1.0"

_HOMES = {
    "Card": "cards",
    "DECK": "cards",
    "FoundCard": "solution",
    "Photo": "photo",
    "PhotoError": "photo",
    "Solution": "solution",
    "Solver": "solver",
    "complete": "sets",
    "draw_sets": "render",
    "draw_table": "datasets.tables",
    "explain": "sets",
    "find_sets": "sets",
    "is_set": "sets",
    "read_photo": "photo",
    "set_key": "sets",
    "solve": "solver",
}

__all__ = [
    "DECK",
    "Card",
    "FoundCard",
    "Photo",
    "PhotoError",
    "Solution",
    "Solver",
    "complete",
    "draw_sets",
    "draw_table",
    "explain",
    "find_sets",
    "is_set",
    "read_photo",
    "set_key",
    "solve",
]


# The rule of the game needs no OpenCV: each name is imported when it is first used (PEP 562).
def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'setml' has no attribute {name!r}")
    return getattr(importlib.import_module(f"setml.{_HOMES[name]}"), name)
