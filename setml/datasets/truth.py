"""The truth of labelled photographs, as ``labels.json`` holds it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from setml.cards import ATTRIBUTES, Card


class TruthError(ValueError):
    """A folder of labelled photographs could not be read; the message is one line."""


@dataclass(frozen=True, eq=False)
class Truth:
    """What is on one photograph.

    Attributes
    ----------
    path : Path
        Where the photograph is.
    source, split, edition : str
        Who took it, what it may be used for, how the cards are printed.
    width, height : int
        In pixels.
    cards : tuple of Card
        What lies on the table.
    corners : ndarray, float, (n, 4, 2)
        Of each card, in pixels.
    ignore : ndarray, float, (m, 4)
        Boxes (left, top, right, bottom) in which answers are not scored.
    """

    path: Path
    source: str
    split: str
    edition: str
    width: int
    height: int
    cards: tuple[Card, ...]
    corners: npt.NDArray[np.float64]
    ignore: npt.NDArray[np.float64]

    @property
    def name(self) -> str:
        """Of the photograph, with its folder's: what crops and rows of one photograph share."""
        return f"{self.path.parent.name}/{self.path.name}"


def read_truth(folder: Path, split: str | None = None) -> list[Truth]:
    """Read the ``labels.json`` of a folder of photographs.

    Raises
    ------
    TruthError
        If there is none, it is damaged, or it has no photograph of `split`.
    """
    labels = folder / "labels.json"
    try:
        photos = json.loads(labels.read_bytes())["photos"]
        truths = [
            Truth(
                path=folder / name,
                source=photo["source"],
                split=photo["split"],
                edition=photo["edition"],
                width=photo["width"],
                height=photo["height"],
                cards=tuple(Card(*(card[attribute] for attribute in ATTRIBUTES)) for card in photo["cards"]),
                corners=np.array([card["corners"] for card in photo["cards"]], float).reshape(-1, 4, 2),
                ignore=np.array(photo.get("ignore", []), float).reshape(-1, 4),
            )
            for name, photo in photos.items()
        ]
    except FileNotFoundError:
        raise TruthError(f"{labels}: there is no such file; expected the truth of the photographs beside it") from None
    except (ValueError, KeyError, TypeError) as error:
        raise TruthError(f"{labels}: cannot be read ({error}); expected the form that data/README.md shows") from None
    chosen = [truth for truth in truths if split in (None, truth.split)]
    if not chosen:
        splits = ", ".join(sorted({truth.split for truth in truths})) or "none"
        raise TruthError(f"{labels}: has no photograph of split {split!r}; expected one of {splits}")
    return chosen
