"""Export of fitted models to ONNX, with all that is needed to run them, and the proof that they say the same."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import keras
import numpy as np
import numpy.typing as npt
import onnx
from skl2onnx import to_onnx
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

from setml import __version__
from setml.cards import ATTRIBUTES, VALUES
from setml.classifiers.learned import HEADS
from setml.classifiers.views import VIEWS
from setml.files import write_file
from setml.model import METADATA, Model

#: How far a probability may be from the original's, or any other number in its own measure where it is above 1.
TOLERANCE: Final = 1e-4

Outputs = Mapping[str, npt.NDArray[np.floating]]


class ExportError(RuntimeError):
    """An exported model does not say what the original says."""


def export_net(
    net: keras.Model, name: str, path: Path, inputs: npt.NDArray[np.float32], said: Outputs, facts: Mapping[str, Any]
) -> None:
    """Export one net.

    Parameters
    ----------
    net : keras.Model
        As :func:`setml.training.nets.make_net` makes it.
    name : str
        Which of the nets.
    path : Path
        Where to write it.
    inputs : ndarray, float32, (n, H, W, C)
        Crops as it sees them, on which both must agree.
    said : mapping of str to ndarray
        What the original says of them, by head.
    facts : mapping
        For the metadata: data, figures.

    Raises
    ------
    ExportError
        If they differ by more than 1e-4.
    """
    model = _convert(net, inputs)
    view = VIEWS[name]
    given = {
        "size": list(view.size),
        "channels": view.channels,
        "layout": "float32, (n, H, W, C), 0 to 1; ink: 1 - least channel of the crop by its paper; "
        "color: the crop by its paper, then the crop, both BGR; hue: the crop by its paper, then its channels "
        "above their mean, in units of the card's strongest color, -2 to 2",
    }
    heads = sorted(said) if len(said) > 1 else list(said)
    _finish(model, path, dict(zip(heads, _outputs(model), strict=True)), given, inputs, said, facts)


def export_extractor(net: keras.Model, path: Path, inputs: npt.NDArray[np.float32], facts: Mapping[str, Any]) -> None:
    """Export a net of the extractor; parameters are as those of :func:`export_net`."""
    said = {head: np.asarray(values) for head, values in net(inputs, training=False).items()}
    given = {
        "layout": "float32, (n, H, W, 3), BGR, 0 to 1; those of photos with sides that are multiples of 32",
        "longer side": max(inputs.shape[1:3]),
    }
    _finish(_convert(net, inputs), path, {head: head for head in said}, given, inputs, said, facts)


def _convert(net: keras.Model, inputs: npt.NDArray[np.float32]) -> onnx.ModelProto:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        # Its converter still asks numpy for names that are gone.
        warnings.simplefilter("ignore", FutureWarning)
        exported = Path(folder, "net.onnx")
        # It exports only what was called before.
        net(inputs[:1])
        net.export(exported, format="onnx", verbose=False)
        return onnx.load(exported)


def export_pipeline(
    pipeline: Pipeline, head: str, path: Path, inputs: npt.NDArray[np.float64], facts: Mapping[str, Any]
) -> None:
    """Export a fitted pipeline; parameters are as those of :func:`export_net`, `inputs` are features (n, k)."""
    said = pipeline.predict_proba(inputs)
    # In double precision, since the rank of two neighbours that are nearly as far hangs on the last digits.
    options: dict[Any, Any] = {"zipmap": False}
    if isinstance(pipeline[-1], KNeighborsClassifier):
        options = {KNeighborsClassifier: {"zipmap": False, "optim": "cdist"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model = to_onnx(pipeline, inputs[:1], options=options, target_opset={"": 18, "ai.onnx.ml": 3})
    given = {"features": head, "layout": "float64, (n, k), as setml.classifiers.features.describe gives them"}
    _finish(model, path, {head: _outputs(model)[1]}, given, inputs, {head: said}, facts)


def _outputs(model: onnx.ModelProto) -> list[str]:
    return [output.name for output in model.graph.output]


def _finish(
    model: onnx.ModelProto,
    path: Path,
    outputs: Mapping[str, str],
    given: Mapping[str, Any],
    inputs: npt.NDArray[Any],
    said: Outputs,
    facts: Mapping[str, Any],
) -> None:
    """Write the metadata, compare the written model with the original, and rename it into place."""
    classes = {head: ["card"] if head == "card" else list(VALUES[head]) for head in HEADS if head in outputs}
    everything = {
        "input": dict(given),
        "outputs": dict(outputs),
        "classes": classes,
        "version": __version__,
        "attributes": list(ATTRIBUTES),
        **facts,
    }
    onnx.helper.set_model_props(model, {METADATA: json.dumps(everything)})
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, path.name)
        onnx.save(model, written)
        answered = Model.load(written).run(inputs)
        for head, expected in said.items():
            # A pipeline of two classes tells both.
            theirs = expected[:, -1:] if head == "card" else expected
            ours = answered[head][:, -1:] if head == "card" else answered[head]
            # Of numbers above 1, in units of the largest: rounding is as large as what was summed up.
            off = float(np.abs(ours - theirs).max(initial=0) / np.abs(theirs).max(initial=1))
            if not off <= TOLERANCE:
                raise ExportError(f"{path.name}: {head} is off by {off:.2g} from the original; expected {TOLERANCE}")
        write_file(path, written.read_bytes(), overwrite=True)
