"""Classifiers that learned: models in ONNX, run by onnxruntime, one batch a photo and core."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from setml.cards import ATTRIBUTES
from setml.classifiers.base import Classifier, Crops, Readings
from setml.classifiers.views import View, look
from setml.cores import share
from setml.model import Model, ModelError, models_folder

#: What models say: whether it is a card, then the attributes.
HEADS: Final = ("card", *ATTRIBUTES)


class Learned(Classifier):
    """A classifier whose models lie in one folder.

    Parameters
    ----------
    name : str
        Of the folder in ``models/``: "knn", "svm", "cnn", ...
    folder : Path, optional
        Another folder to take the models from.

    Raises
    ------
    ModelError
        If there are no models; if one is damaged, at the first reading.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.name = name  # type: ignore[misc]
        folder = folder or models_folder() / name
        paths = sorted(folder.glob("*.onnx"))
        if not paths:
            raise ModelError(f"{folder}: has no models; train them by: make train")
        self.folder = folder
        self._loading = Model.load_soon(paths)

    @cached_property
    def models(self) -> list[Model]:
        """The models, as soon as they are loaded; a damaged one raises ModelError here."""
        models = self._loading.result()
        heads = sorted(head for model in models for head in model.facts["outputs"])
        if heads != sorted(HEADS):
            read = ", ".join(heads)
            raise ModelError(f"{self.folder}: its models read {read}; expected one each for {', '.join(HEADS)}")
        return models

    def load(self) -> None:
        """Wait for the models; see :meth:`setml.classifiers.base.Classifier.load`."""
        _ = self.models

    def read(self, crops: Crops) -> Readings:
        """Run all models on all crops; see :meth:`setml.classifiers.base.Classifier.read`."""
        if not len(crops):
            return Readings(np.empty((0, 4, 3), np.float32), np.empty(0, np.float32))
        models = self.models
        parts = share(lambda part: self._read(models, crops[part]), len(crops))
        return Readings(*(np.concatenate(said) for said in zip(*parts, strict=True)))

    def _read(self, models: list[Model], crops: Crops) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Read one batch: (n, 4, 3) and (n,)."""
        given = [model.facts["input"] for model in models]
        views = {str(facts): View(tuple(facts["size"]), facts["channels"]) for facts in given if "size" in facts}
        seen: dict[str, npt.NDArray[Any]] = dict(look(crops, views))
        if any("features" in facts for facts in given):
            from setml.classifiers.features import describe  # nets need none

            described = describe(crops)
            seen |= {str(facts): described[facts["features"]] for facts in given if "features" in facts}
        said: dict[str, npt.NDArray[np.float32]] = {}
        for facts, model in zip(given, models, strict=True):
            said |= model.run(seen[str(facts)])
        return np.stack([said[name] for name in ATTRIBUTES], axis=1), said["card"][:, -1]
