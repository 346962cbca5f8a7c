"""From labelled crops to exported models: every step of ``make train``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from setml.cards import ATTRIBUTES
from setml.classifiers.features import describe
from setml.classifiers.learned import HEADS
from setml.classifiers.views import VIEWS, look
from setml.evaluation.plots import draw_curves
from setml.files import write_file
from setml.training.data import Plan, TrainingData, gather
from setml.training.export import export_net, export_pipeline
from setml.training.fit_classical import fit_classical
from setml.training.fit_nets import Schedule, fit_nets, measure, predict

SCHEDULE: Final = Schedule()
#: For nets that learn from drawn cards alone, of which new ones teach less and less.
DRAWN_SCHEDULE: Final = Schedule(epochs=10)
QUICK_SCHEDULE: Final = Schedule(epochs=3, crops=3_500, patience=3)

#: On so many crops of `val` an exported model is compared with its original.
COMPARED: Final = 200


def train(plan: Plan, tell: Callable[[str], None] = print) -> None:
    """Fit and export all methods of a plan.

    Parameters
    ----------
    plan : Plan
        What to do.
    tell : callable
        Is told what is done, line by line.

    Raises
    ------
    TruthError, PhotoError
        If the labelled crops or photographs cannot be read.
    """
    schedule, drawn_schedule = (QUICK_SCHEDULE,) * 2 if plan.quick else (SCHEDULE, DRAWN_SCHEDULE)
    if set(plan.methods) - {"cnn-drawn"}:
        data = _gather(plan, plan.root, tell)
        for method in ("knn", "svm"):
            if method in plan.methods:
                _train_classical(method, plan, data, tell)
        folders = {name: "cnn" for name in HEADS if "cnn" in plan.methods}
        if "multihead" in plan.methods:
            folders["all"] = "multihead"
        if folders:
            _train_nets(folders, plan, data, plan.work / "nets", schedule, tell)
    if "cnn-drawn" in plan.methods:
        data = _gather(plan, None, tell)
        _train_nets(dict.fromkeys(HEADS, "cnn-drawn"), plan, data, plan.work / "nets-drawn", drawn_schedule, tell)


def forget(plan: Plan) -> None:
    """Delete the checkpoints and caches of earlier runs, and nothing else that lies beside them."""
    for name in ("nets", "nets-drawn", "knn", "svm"):
        shutil.rmtree(plan.work / name, ignore_errors=True)


def _gather(plan: Plan, root: Path | None, tell: Callable[[str], None]) -> TrainingData:
    data = gather(root, quick=plan.quick, seed=plan.seed)
    counts = ", ".join(f"{(data.kinds == kind).sum()} {kind}" for kind in dict.fromkeys(data.kinds.tolist()))
    tell(f"to learn from: {counts}; to choose by: {len(data.val)} ({'drawn alone' if root is None else root})")
    return data


def _train_classical(method: str, plan: Plan, data: TrainingData, tell: Callable[[str], None]) -> None:
    pipelines = fit_classical(
        method, data, plan.work / method, quick=plan.quick, seed=plan.seed, jobs=plan.jobs, tell=tell
    )
    described = describe(data.val.images)
    is_card = data.val.is_card
    for head, pipeline in pipelines.items():
        which = np.ones(len(is_card), bool) if head == "card" else is_card
        truth = is_card if head == "card" else data.val.values[:, ATTRIBUTES.index(head)]
        error = float((pipeline.predict(described[head][which]) != truth[which]).mean())
        inputs = described[head][:COMPARED]
        path = plan.output / method / f"{head}.onnx"
        export_pipeline(pipeline, head, path, inputs, _facts(data, {"error on val": error}))
        tell(f"{path}: {100 * error:.2f} % wrong on val")


def _train_nets(
    folders: Mapping[str, str],
    plan: Plan,
    data: TrainingData,
    work: Path,
    schedule: Schedule,
    tell: Callable[[str], None],
) -> None:
    """Train and export nets; `folders` says of each net for which method it is."""
    nets = fit_nets(list(folders), data, work, schedule, seed=plan.seed, tell=tell)
    history = json.loads((work / "history.json").read_text("utf-8"))
    write_file(work / "curves.svg", draw_curves(history).encode(), overwrite=True)
    compared = data.val.images[:COMPARED]
    for name, net in nets.items():
        figures = measure(name, net, data.val)
        inputs = look(compared, {name: VIEWS[name]})[name]
        path = plan.output / folders[name] / f"{name}.onnx"
        facts = _facts(data, {"loss on val": figures["loss"], "error on val": figures["error"]})
        export_net(net, name, path, inputs, predict(net, name, compared), facts)
        tell(f"{path}: {100 * figures['error']:.2f} % wrong on val, {net.count_params()} weights")


def _facts(data: TrainingData, figures: dict[str, float]) -> dict[str, Any]:
    """Say for a model's metadata what it learned from and how well."""
    return {
        "data": {"train": data.train.digest, "val": data.val.digest},
        "figures": {name: round(value, 6) for name, value in figures.items()},
    }
