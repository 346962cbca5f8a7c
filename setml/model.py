"""Trained models: ONNX files with all that is needed to run them in their metadata."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from setml.files import project_file

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

#: The key of a model's metadata under which all of setml's is, as JSON.
METADATA: Final = "setml"


_LOADER: Final = ThreadPoolExecutor(1, thread_name_prefix="models")


class ModelError(ValueError):
    """A model is missing or cannot be used; the message is one line."""


def models_folder() -> Path:
    """Return where models are looked for: the folder that SETML_MODELS names, or the one that ships."""
    named = os.environ.get("SETML_MODELS")
    return Path(named) if named else project_file("models")


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
    def load(cls, path: Path, threads: int = 1) -> Model:
        """Load a model.

        Parameters
        ----------
        path : Path
            Of the file.
        threads : int
            Among which the work on one input is shared: only a large one is worth more than one.

        Raises
        ------
        ModelError
            If it is missing, damaged, or no model of setml.
        """
        import onnxruntime
        from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidGraph, InvalidProtobuf

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = threads
        # Threads that wait for each other by spinning take the cores from whatever comes next.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            session = onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])
            facts = json.loads(session.get_modelmeta().custom_metadata_map[METADATA])
        except OSError:
            raise _missing(path) from None
        except (Fail, InvalidGraph, InvalidProtobuf, KeyError, ValueError) as error:
            reason = str(error).splitlines()[0][:120]
            raise ModelError(f"{path}: cannot be loaded ({reason}); expected a model that setml exported") from None
        return cls(session, facts)

    @classmethod
    def load_soon(cls, paths: Sequence[Path], threads: int = 1) -> Future[list[Model]]:
        """Load models while other work goes on, as a photo's reading; parameters are as those of :meth:`load`.

        Raises
        ------
        ModelError
            If one is missing. If one is damaged, the future raises it.
        """
        missing = next((path for path in paths if not path.is_file()), None)
        if missing is not None:
            raise _missing(missing)
        return _LOADER.submit(lambda: [cls.load(path, threads) for path in paths])

    def run(self, inputs: npt.NDArray[np.floating]) -> dict[str, npt.NDArray[np.float32]]:
        """Return what it says, by head: (n, 3) of the values; for "card" (n, 1) or, after "not a card", (n, 2)."""
        names = [output.name for output in self.session.get_outputs()]
        said = dict(zip(names, self.session.run(None, {self.session.get_inputs()[0].name: inputs}), strict=True))
        return {head: np.asarray(said[name], np.float32) for head, name in self.facts["outputs"].items()}


def _missing(path: Path) -> ModelError:
    return ModelError(f"{path}: there is no such model; train it by: make train, or make train-extractor")
