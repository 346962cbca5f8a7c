"""Classifiers: from crops of cards to probabilities. All share one interface, so that any can be chosen by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from setml.classifiers.base import Classifier, likeliest
from setml.classifiers.heuristics import Heuristics

#: All classifiers, by name.
CLASSIFIERS: Final[Mapping[str, type[Classifier]]] = MappingProxyType({Heuristics.name: Heuristics})

__all__ = ["CLASSIFIERS", "Classifier", "Heuristics", "likeliest"]
