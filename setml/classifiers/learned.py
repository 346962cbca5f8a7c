"""Classifiers that learned: models in ONNX, run by onnxruntime, one batch a photo."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from setml.cards import ATTRIBUTES
from setml.classifiers.base import Classifier, Crops, Readings
from setml.classifiers.features import describe
from setml.classifiers.views import View, look
from setml.files import project_file

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

#: The key of a model's metadata under which all of setml's is, as JSON.
METADATA: Final = "setml"
#: What models say: whether it is a card, then the attributes.
HEADS: Final = ("card", *ATTRIBUTES)


class ModelError(ValueError):
    """A model is missing or cannot be used; the message is one line."""


@dataclass(frozen=True, eq=False)
class Model:
    """One ONNX file.

    Attributes
    ----------
    session : InferenceSession
        Its onnxruntime.
    facts : dict
        Its metadata: "input" (a view's size and channels, or which features), "classes", "version", "data",
        "figures".
    """

    session: InferenceSession
    facts: dict[str, Any]

    @classmethod
    def load(cls, path: Path) -> Model:
        """Load a model.

        Raises
        ------
        ModelError
            If it is missing, damaged, or no model of setml.
        """
        import onnxruntime
        from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidGraph, InvalidProtobuf

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        try:
            session = onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
            facts = json.loads(session.get_modelmeta().custom_metadata_map[METADATA])
        except OSError:
            raise ModelError(f"{path}: there is no such model; train it by: make train") from None
        except (Fail, InvalidGraph, InvalidProtobuf, KeyError, ValueError) as error:
            reason = str(error).splitlines()[0][:120]
            raise ModelError(f"{path}: cannot be loaded ({reason}); expected a model that setml exported") from None
        return cls(session, facts)

    @cached_property
    def view(self) -> View | None:
        """What it looks at; None if it takes features."""
        given = self.facts["input"]
        return View(tuple(given["size"]), given["channels"]) if "size" in given else None

    def run(self, inputs: npt.NDArray[np.floating]) -> dict[str, npt.NDArray[np.float32]]:
        """Return what it says, by head: (n, 3) of the values; for "card" (n, 1) or, after "not a card", (n, 2)."""
        names = [output.name for output in self.session.get_outputs()]
        said = dict(zip(names, self.session.run(None, {self.session.get_inputs()[0].name: inputs}), strict=True))
        return {head: np.asarray(said[name], np.float32) for head, name in self.facts["outputs"].items()}


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
        If a model is missing or damaged.
    """

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.name = name  # type: ignore[misc]
        folder = folder or project_file("models") / name
        paths = sorted(folder.glob("*.onnx"))
        if not paths:
            raise ModelError(f"{folder}: has no models; train them by: make train")
        self.models = [Model.load(path) for path in paths]
        heads = sorted(head for model in self.models for head in model.facts["outputs"])
        if heads != sorted(HEADS):
            raise ModelError(f"{folder}: its models read {', '.join(heads)}; expected one each for {', '.join(HEADS)}")

    def read(self, crops: Crops) -> Readings:
        """Run all models on all crops; see :meth:`setml.classifiers.base.Classifier.read`."""
        if not len(crops):
            return Readings(np.empty((0, 4, 3), np.float32), np.empty(0, np.float32))
        views = {str(place): model.view for place, model in enumerate(self.models) if model.view}
        seen: dict[str, npt.NDArray[Any]] = dict(look(crops, views)) if views else {}
        if len(views) < len(self.models):
            described = describe(crops)
            for place, model in enumerate(self.models):
                if model.view is None:
                    seen[str(place)] = described[model.facts["input"]["features"]]
        said: dict[str, npt.NDArray[np.float32]] = {}
        for place, model in enumerate(self.models):
            said |= model.run(seen[str(place)])
        return Readings(np.stack([said[name] for name in ATTRIBUTES], axis=1), said["card"][:, -1])
