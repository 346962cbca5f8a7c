"""The extractor that has learned where cards are: a small net, then the card's own symbols."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Final

import cv2
import numpy as np
import numpy.typing as npt

from setml.extractors.base import Extractor
from setml.extractors.quads import decode
from setml.files import project_file
from setml.photo import BGR

Quads = npt.NDArray[np.float32]

#: Pixels of the longer side at which the net sees a photo.
LONGER_SIDE: Final = 320
#: A peak of less heat is no card.
LEAST_HEAT: Final = 0.3
#: Two quadrilaterals that share more than this, intersection over union, are one card.
MOST_OVERLAP: Final = 0.35


class Finder(Extractor):
    """Finds cards with a net that sees the whole photo at once.

    Parameters
    ----------
    folder : Path, optional
        Where the model is, in place of the one that ships.
    """

    name: ClassVar[str] = "finder"

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or project_file("models") / "finder"

    def find(self, image: BGR) -> tuple[Quads, npt.NDArray[np.float32]]:
        """Find the cards; see :meth:`setml.extractors.base.Extractor.find`."""
        scale = LONGER_SIDE / max(image.shape[:2])
        size = [max(32, round(side * scale / 32) * 32) for side in image.shape[1::-1]]
        seen = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        heat, numbers = self._run(seen.astype(np.float32)[None] / 255)
        ys, xs = _peaks(heat)
        found = numbers[ys, xs].astype(float)
        found[:, 0] += xs + 0.5
        found[:, 1] += ys + 0.5
        corners = decode(found) * 4 * np.array(image.shape[1::-1]) / size
        scores = heat[ys, xs]
        kept = _suppress(corners.astype(np.float32), scores)
        return corners[kept].astype(np.float32), scores[kept].astype(np.float32)
