"""Training of the nets, all on the same stream of augmented crops; stopped at any moment, it goes on where it was."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import keras
import numpy as np
import numpy.typing as npt

from setml.cards import ATTRIBUTES
from setml.classifiers.learned import HEADS
from setml.classifiers.views import VIEWS, look
from setml.datasets.crops import LabelledCrops
from setml.files import write_file
from setml.training.checkpoint import load_state, save_checkpoint
from setml.training.data import TrainingData
from setml.training.nets import make_net
from setml.training.stream import BATCH, stream

Arrays = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Schedule:
    """How long and how fast nets learn.

    Attributes
    ----------
    epochs, crops : int
        How many epochs, and how many crops each has.
    rate : float
        The learning rate at its highest; it falls to nothing as a cosine does.
    patience : int
        A net that has not become better on `val` for so many epochs has learned enough.
    """

    epochs: int = 20
    crops: int = 12_000
    rate: float = 1.5e-3
    patience: int = 12

    @property
    def batches(self) -> int:
        """Of one epoch."""
        return self.crops // BATCH


@dataclass
class Progress:
    """How far training has come; saved after each epoch, together with the nets.

    Attributes
    ----------
    of : str
        Which training this is: one on other data or by another schedule starts anew.
    epoch : int
        How many are done.
    history : list of dict
        A row for each net and epoch.
    best, since : dict
        Of each net its least loss on `val`, and how many epochs ago that was.
    """

    of: str
    epoch: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)
    best: dict[str, float] = field(default_factory=dict)
    since: dict[str, int] = field(default_factory=dict)


def fit_nets(
    names: Sequence[str],
    data: TrainingData,
    folder: Path,
    schedule: Schedule,
    *,
    seed: int = 0,
    tell: Callable[[str], None] = print,
) -> dict[str, keras.Model]:
    """Train nets side by side, each for itself.

    Parameters
    ----------
    names : sequence of str
        Of :data:`setml.classifiers.views.VIEWS`.
    data : TrainingData
        What to learn from, and what tells when it is enough.
    folder : Path
        For checkpoints and ``history.json``; where it holds some, training goes on from them.
    schedule : Schedule
        How long.
    seed : int
        Of weights, of the order of crops and of augmentation.
    tell : callable
        Is told a line after each epoch.

    Returns
    -------
    dict of keras.Model
        Each as it was when it was best on `val`.
    """
    keras.utils.set_random_seed(seed)
    last = folder / "last"
    of = _fingerprint(names, data, schedule, seed)
    progress = Progress(**(load_state(last, of) or {"of": of}))
    if progress.epoch:
        nets = {name: keras.models.load_model(last / f"{name}.keras") for name in names}
    else:
        nets = {name: _compiled(name, schedule) for name in names}
    for epoch in range(progress.epoch, schedule.epochs):
        learning = [name for name in names if progress.since.get(name, 0) < schedule.patience]
        if not learning:
            break
        # The state of dropout too is a function of the epoch, so that a resumed run is the same run.
        keras.utils.set_random_seed(seed + 1000 + epoch)
        losses: dict[str, list[float]] = {name: [] for name in learning}
        for crops, places in stream(data, schedule.batches, seed + epoch):
            values = data.train.values[places]
            seen = look(crops, {name: VIEWS[name] for name in learning})
            for name in learning:
                targets, weights = answers(name, values)
                losses[name].append(_first(nets[name].train_on_batch(seen[name], targets, sample_weight=weights)))
        figures = {name: measure(name, nets[name], data.val) for name in learning}
        progress.epoch = epoch + 1
        for name, figure in figures.items():
            better = figure["loss"] < progress.best.get(name, math.inf)
            progress.since[name] = 0 if better else progress.since.get(name, 0) + 1
            if better:
                progress.best[name] = figure["loss"]
                _save(nets[name], folder / f"{name}.keras")
            row = {"net": name, "epoch": progress.epoch, "train loss": float(np.mean(losses[name])), **figure}
            progress.history.append(row)
        save_checkpoint(last, nets, asdict(progress))
        wrong = ", ".join(f"{name} {100 * figure['error']:.2f}" for name, figure in figures.items())
        tell(f"epoch {progress.epoch} of {schedule.epochs}: % wrong on val: {wrong}")
    write_file(folder / "history.json", json.dumps(progress.history, indent=1).encode(), overwrite=True)
    return {name: keras.models.load_model(folder / f"{name}.keras") for name in names}


def answers(name: str, values: npt.NDArray[np.int8]) -> tuple[Any, Any]:
    """Turn values (n, 4) to what a net should say, and how much each crop counts: what is no card has no values."""
    if name == "all":
        both = {head: answers(head, values) for head in HEADS}
        return {head: b[0] for head, b in both.items()}, {head: b[1] for head, b in both.items()}
    is_card = (values[:, 0] >= 0).astype(np.float32)
    if name == "card":
        return is_card[:, None], np.ones_like(is_card)
    places = values[:, ATTRIBUTES.index(name)]
    return np.eye(3, dtype=np.float32)[np.maximum(places, 0)], is_card


def predict(net: keras.Model, name: str, crops: npt.NDArray[np.uint8]) -> Arrays:
    """Ask a net about crops: its probabilities by head, (n, 1) or (n, 3); crops are BGR, uint8, (n, H, W, 3)."""
    parts = []
    for start in range(0, len(crops), 256):
        seen = look(crops[start : start + 256], {name: VIEWS[name]})[name]
        said = net(seen, training=False)
        parts.append({k: np.asarray(v) for k, v in said.items()} if name == "all" else {name: np.asarray(said)})
    return {head: np.concatenate([part[head] for part in parts]) for head in parts[0]}


def measure(name: str, net: keras.Model, crops: LabelledCrops) -> dict[str, float]:
    """Measure a net: mean cross-entropy and share of wrong answers, for "all" the sums over its heads."""
    figures = {"loss": 0.0, "error": 0.0}
    for head, said in predict(net, name, crops.images).items():
        targets, weights = answers(head, crops.values)
        counted = weights > 0
        if head == "card":
            said, targets = np.hstack([1 - said, said]), np.hstack([1 - targets, targets])
        likelihood = (said * targets).sum(axis=1)[counted]
        figures["loss"] += float(-np.log(np.maximum(likelihood, 1e-7)).mean())
        figures["error"] += float((said.argmax(axis=1) != targets.argmax(axis=1))[counted].mean())
    return figures


def _compiled(name: str, schedule: Schedule) -> keras.Model:
    net = make_net(name)
    decay = keras.optimizers.schedules.CosineDecay(
        schedule.rate / 10,
        schedule.batches * schedule.epochs,
        warmup_target=schedule.rate,
        warmup_steps=schedule.batches // 2,
    )
    losses = {head: "binary_crossentropy" if head == "card" else "categorical_crossentropy" for head in HEADS}
    loss = losses if name == "all" else losses[name]
    net.compile(keras.optimizers.AdamW(decay, weight_decay=0.01), loss)
    return net


def _first(losses: Any) -> float:
    """Of a net with several heads Keras tells the sum first."""
    return float(np.ravel(losses)[0])


def _save(net: keras.Model, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"beside-{path.name}")
    net.save(beside)
    beside.replace(path)


def _fingerprint(names: Sequence[str], data: TrainingData, schedule: Schedule, seed: int) -> str:
    return json.dumps([list(names), data.train.digest, data.val.digest, asdict(schedule), seed])
