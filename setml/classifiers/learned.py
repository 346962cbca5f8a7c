"""Classifiers that learned: models in ONNX, run by onnxruntime, one batch a photo."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from setml.cards import ATTRIBUTES
from setml.classifiers.base import Classifier, Crops, Readings
from setml.classifiers.views import View, look
from setml.model import Model, ModelError, models_folder

#: What models say: whether it is a card, then the attributes.
HEADS: Final = ("card", *ATTRIBUTES)


_LOADER: Final = ThreadPoolExecutor(1, thread_name_prefix="models")


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
        # While they are loaded the photo is read and its cards are found.
        self._loading = _LOADER.submit(_load, folder, paths)

    @property
    def models(self) -> list[Model]:
        """The models, as soon as they are loaded; a damaged one raises ModelError here."""
        return self._loading.result()

    def read(self, crops: Crops) -> Readings:
        """Run all models on all crops; see :meth:`setml.classifiers.base.Classifier.read`."""
        if not len(crops):
            return Readings(np.empty((0, 4, 3), np.float32), np.empty(0, np.float32))
        models = self.models
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
        return Readings(np.stack([said[name] for name in ATTRIBUTES], axis=1), said["card"][:, -1])


def _load(folder: Path, paths: list[Path]) -> list[Model]:
    models = [Model.load(path) for path in paths]
    heads = sorted(head for model in models for head in model.facts["outputs"])
    if heads != sorted(HEADS):
        raise ModelError(f"{folder}: its models read {', '.join(heads)}; expected one each for {', '.join(HEADS)}")
    return models
