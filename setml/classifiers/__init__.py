"""Classifiers: from crops of cards to probabilities. All share one interface, so that any can be chosen by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from setml.classifiers.base import Classifier, Readings, likeliest
from setml.classifiers.heuristics import Heuristics
from setml.classifiers.learned import Learned

#: The classifiers that learned: each a folder of ``models/``.
LEARNED: Final = ("knn", "svm", "cnn", "multihead", "cnn-drawn")

#: All classifiers, by name: what makes each.
CLASSIFIERS: Final[Mapping[str, Callable[[], Classifier]]] = MappingProxyType(
    {Heuristics.name: Heuristics, **{name: partial(Learned, name) for name in LEARNED}}
)

__all__ = ["CLASSIFIERS", "Classifier", "Heuristics", "LEARNED", "Learned", "Readings", "likeliest"]
