"""The interface of all classifiers: scikit-learn's, for the four attributes at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from setml.cards import ATTRIBUTES, VALUES, Card

#: Crops of cards as an extractor cuts them: BGR, uint8, (n, H, W, 3), upright.
Crops = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Readings:
    """What a classifier says of n crops.

    Attributes
    ----------
    values : ndarray, float32, (n, 4, 3)
        The probability of each value, by crop and attribute; each row of three sums to 1.
    is_card : ndarray, float32, (n,)
        The probability that the crop shows a whole card at all.
    """

    values: npt.NDArray[np.float32]
    is_card: npt.NDArray[np.float32]


class Classifier(ABC):
    """Reads the four attributes of crops; a subclass says how in :meth:`read`.

    Attributes
    ----------
    classes_ : tuple of four tuples
        The values of each attribute, in the order of the probabilities.
    """

    #: The name by which the command line and the comparison know it.
    name: ClassVar[str]

    classes_: Final = tuple(VALUES[attribute] for attribute in ATTRIBUTES)

    def fit(self, crops: Crops, cards: Sequence[Card]) -> Self:
        """Learn from labelled crops; a method whose learning is done elsewhere returns itself as it is.

        Parameters
        ----------
        crops : ndarray, (n, H, W, 3)
            BGR, uint8, upright.
        cards : sequence of Card
            What each shows.
        """
        return self

    @abstractmethod
    def read(self, crops: Crops) -> Readings:
        """Tell what each crop shows, and whether it is a card; `crops` are BGR, uint8, (n, H, W, 3)."""

    def load(self) -> None:
        """Wait until what was learned is loaded, and raise ModelError if it is damaged; rules have nothing to load."""
        return

    def predict_proba(self, crops: Crops) -> npt.NDArray[np.float32]:
        """Give the probability of each value of each attribute.

        Parameters
        ----------
        crops : ndarray, (n, H, W, 3)
            BGR, uint8, upright.

        Returns
        -------
        ndarray, float32, (n, 4, 3)
            By crop, attribute and value, in the order of `classes_`; each row of three sums to 1.
        """
        return self.read(crops).values

    def predict(self, crops: Crops) -> list[Card]:
        """Read each crop as its likeliest card; `crops` are BGR, uint8, (n, H, W, 3)."""
        return [likeliest(probabilities) for probabilities in self.predict_proba(crops)]


def likeliest(probabilities: npt.NDArray[np.floating]) -> Card:
    """Return the card of greatest probability; `probabilities` are (4, 3)."""
    return Card(*(VALUES[a][place] for a, place in zip(ATTRIBUTES, probabilities.argmax(axis=1), strict=True)))
