"""The path of one photograph, in one place: read, extract, classify, find the sets."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from setml import light
from setml.cards import ATTRIBUTES
from setml.classifiers import CLASSIFIERS, Classifier
from setml.extractors import EXTRACTORS, Detections, Extractor
from setml.extractors.base import cut
from setml.extractors.layout import MOST_LAYOUT_ERROR
from setml.extractors.pyramid import Pyramid
from setml.photo import BGR, Photo, Source, read_photo
from setml.plane import judge_sizes
from setml.sets import METHODS
from setml.solution import FoundCard, Solution
from setml.symbols import find_symbols, layout_error, reflectance
from setml.table import read_alone, read_together

#: What is used where none is named.
DEFAULT_EXTRACTOR: Final = "finder"
DEFAULT_CLASSIFIER: Final = "cnn"
DEFAULT_METHOD: Final = "key"

#: What makes confidence mean what it says: a slope and an offset of its odds' logarithm, fitted on the cards that
#: are reported on split `val` (:func:`setml.evaluation.compare.fit_confidence`).
SLOPE, OFFSET = 1.56, -0.08
#: A card of less confidence is said to be uncertain. On split `val`, 98.6 % of what is reported has more, and
#: 99.85 % of that is right.
CERTAIN: Final = 0.92

#: What is less likely than this to be a card at all, or could be any card, is not reported.
LEAST_IS_CARD: Final = 0.5
LEAST_CONFIDENCE: Final = 0.08
#: What is read less surely than this is reported only if its symbols stand where a card has them,
SURE: Final = 0.3
#: or if it is a card more surely than this.
SURELY_CARD: Final = 0.7

#: Pixels of a card's short side from which its stripes can be told: two to each.
FINE: Final = 60

COLOR: Final = ATTRIBUTES.index("color")

Part = TypeVar("Part", Extractor, Classifier)


class Solver:
    """Reads photos of cards and finds every set.

    Parameters
    ----------
    extractor : str or Extractor
        How cards are found; a name of :data:`setml.extractors.EXTRACTORS`.
    classifier : str or Classifier
        How cards are read; a name of :data:`setml.classifiers.CLASSIFIERS`.
    method : {"key", "triples"}
        How sets are found; both find the same.
    together : bool
        Read the cards of a photo together: in one plane, in one light, of one deck. Else each for itself, to show
        what that is worth.

    Raises
    ------
    ValueError
        If there is none of that name.

    Examples
    --------
    >>> from setml import draw_table
    >>> table = draw_table(["1RSD", "2RSD", "3RSD", "1GTO"], seed=1)
    >>> solution = Solver().solve(table.image)
    >>> [str(solution.cards[place].card) for place in solution.sets[0]]
    ['1 solid red diamond', '2 solid red diamonds', '3 solid red diamonds']
    """

    def __init__(
        self,
        extractor: str | Extractor = DEFAULT_EXTRACTOR,
        classifier: str | Classifier = DEFAULT_CLASSIFIER,
        method: str = DEFAULT_METHOD,
        *,
        together: bool = True,
    ) -> None:
        self.together = together
        self.extractor = _make(EXTRACTORS, extractor, "extractor")
        self.classifier = _make(CLASSIFIERS, classifier, "classifier")
        if method not in METHODS:
            raise ValueError(f"there is no method {method!r}; expected one of {', '.join(METHODS)}")
        self.find_sets = METHODS[method]

    def load(self) -> None:
        """Wait until all models are loaded, which otherwise the first photo does.

        Raises
        ------
        ModelError
            If one is damaged.
        """
        self.extractor.load()
        self.classifier.load()

    def solve(self, photo: Source | Photo | BGR) -> Solution:
        """Find all cards and all sets of a photo.

        Parameters
        ----------
        photo : path, bytes, binary file, Photo or ndarray
            An array is an image: BGR, uint8, H x W x 3.

        Raises
        ------
        PhotoError
            If the photo cannot be read.
        """
        return self.read(*self.find(photo))

    def find(self, photo: Source | Photo | BGR) -> tuple[Photo, Detections, float]:
        """Find the cards of a photo, which is decoded with as many pixels as that needs.

        Parameters
        ----------
        photo : path, bytes, binary file, Photo or ndarray
            As :meth:`solve` takes it.

        Returns
        -------
        photo : Photo
            As it was decoded.
        found : Detections
            The cards, in pixels of ``photo.image``.
        seconds : float
            How long it took to find them.
        """
        if isinstance(photo, np.ndarray):
            photo = Photo.from_image(photo)
        elif not isinstance(photo, Photo):
            photo = read_photo(photo, enough=self.extractor.enough)
        started = time.perf_counter()
        found = self.extractor.extract(photo.image)
        if len(found) and photo.file:
            side = float(np.quantile(np.linalg.norm(found.corners[:, 1] - found.corners[:, 0], axis=1), 0.5))
            if side < FINE:
                # Small cards are worth more of the photo's pixels.
                enough = round(max(photo.image.shape) * FINE / side)
                finer = read_photo(photo.file, enough=enough, name=photo.name)
                corners = (found.corners * photo.scale / finer.scale).astype(np.float32)
                found = cut(Pyramid(finer.image), corners, found.scores)
                photo = replace(finer, seconds=photo.seconds + finer.seconds)
                started += finer.seconds
        return photo, found, time.perf_counter() - started

    def read(self, photo: Photo, found: Detections, seconds: float = 0.0) -> Solution:
        """Read cards that were found before, and find all sets.

        Parameters
        ----------
        photo : Photo
            Where they were found.
        found : Detections
            The cards, in pixels of ``photo.image``.
        seconds : float
            How long it took to find them.
        """
        started = time.perf_counter()
        readings = self.classifier.read(found.crops)
        is_card = found.scores * readings.is_card
        if self.together:
            ratios = judge_sizes(found.corners, is_card)
            is_card = is_card * ratios / (is_card * ratios + 1 - is_card)
        alone = is_card * readings.values.max(axis=2).prod(axis=1)
        likely = (readings.is_card >= LEAST_IS_CARD) & (alone >= LEAST_CONFIDENCE)
        kept = [
            place
            for place in np.flatnonzero(likely)
            if alone[place] >= SURE or is_card[place] >= SURELY_CARD or _has_symbols(found.crops[place])
        ]
        values = readings.values[kept]
        if self.together and len(kept) and values[:, COLOR].max(axis=1).min() < light.SURE:
            values[:, COLOR] = light.judge_colors(values[:, COLOR], light.inks_of(found.crops[kept]))
        table = read_together(values) if self.together else read_alone(values)
        sure = correct(is_card[kept] * table.confidence)
        cards = [
            FoundCard(
                card=card,
                corners=found.corners[place] * photo.scale,
                confidence=float(confidence),
                certain=bool(confidence >= CERTAIN),
                probabilities=probabilities,
                crop=found.crops[place],
            )
            for place, card, confidence, probabilities in zip(kept, table.cards, sure, values, strict=True)
        ]
        sets = self.find_sets([found.card for found in cards])
        took = {"read": photo.seconds, "extract": seconds, "classify": time.perf_counter() - started}
        took["total"] = sum(took.values())
        return Solution(photo.name, photo.width, photo.height, tuple(cards), tuple(sets), took)


def correct(confidence: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Turn a product of probabilities, (n,), to one that is right as often as it says, as far as split `val` tells."""
    likely = np.clip(confidence, 1e-6, 1 - 1e-6)
    return np.asarray(1 / (1 + np.exp(-SLOPE * np.log(likely / (1 - likely)) - OFFSET)))


def _has_symbols(crop: BGR) -> bool:
    """Tell whether one to three symbols stand where a card has them: the rule has other faults than nets have."""
    symbols, _ = find_symbols(reflectance(crop))
    return layout_error(symbols) <= MOST_LAYOUT_ERROR


def _make(parts: Mapping[str, Callable[[], Part]], part: str | Part, kind: str) -> Part:
    """Return a part that was given, or make the one that was named."""
    if not isinstance(part, str):
        return part
    if part not in parts:
        raise ValueError(f"there is no {kind} {part!r}; expected one of {', '.join(parts)}")
    return parts[part]()


def solve(
    photo: Source | Photo | BGR,
    *,
    extractor: str | Extractor = DEFAULT_EXTRACTOR,
    classifier: str | Classifier = DEFAULT_CLASSIFIER,
) -> Solution:
    """Find all cards and all sets of a photo, in one line; see :class:`Solver`.

    Examples
    --------
    >>> import setml
    >>> solution = setml.solve("table.jpg")  # doctest: +SKIP
    >>> print(solution.to_json())  # doctest: +SKIP
    """
    return Solver(extractor, classifier).solve(photo)
