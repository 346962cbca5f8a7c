"""Extractors: from a photo to the cards in it. All share one interface, so that any can be chosen by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from setml.extractors.base import Detections, Extractor, reading_order
from setml.extractors.contours import Contours
from setml.extractors.finder import Finder, Glance
from setml.extractors.rectify import order_corners, rectify

#: All extractors, by name.
EXTRACTORS: Final[Mapping[str, type[Extractor]]] = MappingProxyType(
    {extractor.name: extractor for extractor in (Contours, Glance, Finder)}
)

__all__ = [
    "EXTRACTORS",
    "Contours",
    "Detections",
    "Extractor",
    "Finder",
    "Glance",
    "order_corners",
    "reading_order",
    "rectify",
]
