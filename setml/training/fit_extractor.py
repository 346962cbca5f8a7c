"""Training of the extractor: the net that finds cards, then the two that look at each from near, in a cascade."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import keras
import numpy as np
import numpy.typing as npt

from setml.extractors.finder import Glance
from setml.extractors.pyramid import Pyramid
from setml.training.checkpoint import load_state, save_checkpoint
from setml.training.data import Plan
from setml.training.export import export_extractor
from setml.training.finder import heat_loss, make_finder, quad_loss, targets
from setml.training.refiner import LONGER_SIDE, corner_loss, draw_looks, make_refiner, score_loss
from setml.training.scenes import SceneFlow, Scenes
from setml.training.sources import labelled

#: What a glance gives less heat than this is not looked at from near, not even to learn from.
LEAST_GLANCED: Final = 0.1

#: What a net takes and what it should answer.
Batch = tuple[npt.NDArray[np.float32], dict[str, npt.NDArray[np.float32]]]


@dataclass(frozen=True)
class Lesson:
    """What one net learns, how long and how fast.

    Attributes
    ----------
    make : callable
        Makes the net.
    losses : mapping of str to callable
        By the names of its answers.
    longer_side : int
        Of the scenes it learns from, in pixels.
    draw : callable
        Draws a batch from the flow of scenes.
    epochs, batches : int
        How many epochs, and how many batches each has.
    rate : float
        The learning rate at its highest; it falls to nothing as a cosine does.
    """

    make: Callable[[], keras.Model]
    losses: Mapping[str, Callable[[Any, Any], Any]]
    longer_side: int
    draw: Callable[..., Batch]
    epochs: int
    batches: int
    rate: float = 2e-3


def draw_scenes(flow: SceneFlow) -> Batch:
    """Draw a batch for the finder: eight scenes of one size."""
    scenes = flow.take(8)
    return _floats([scene.image[None] for scene in scenes]), targets(scenes)


def draw_looks_from_near(flow: SceneFlow, glance: Glance | None = None) -> Batch:
    """Draw a batch for a refiner: 96 looks of several scenes, there too where a glance errs if one is given."""
    looks: list[npt.NDArray[np.uint8]] = []
    truths: list[dict[str, Any]] = []
    while sum(map(len, looks)) < 96:
        scene = flow.take(1)[0]
        found = glance.find(Pyramid(scene.image))[0] if glance else None
        seen, truth = draw_looks(scene, flow.rng, found)
        looks.append(seen)
        truths.append(truth)
    answers = {name: np.concatenate([truth[name] for truth in truths])[:96] for name in truths[0]}
    return _floats(looks)[:96], answers


def _floats(images: Sequence[npt.NDArray[np.uint8]]) -> npt.NDArray[np.float32]:
    return np.asarray(np.concatenate(images), np.float32) / np.float32(255)


_LOOKING: Final = Lesson(
    make_refiner,
    {"corners": corner_loss, "score": score_loss},
    longer_side=LONGER_SIDE,
    draw=draw_looks_from_near,
    epochs=26,
    batches=200,
)
LESSONS: Final = {
    "finder": Lesson(
        make_finder,
        {"heat": heat_loss, "quad": quad_loss},
        longer_side=320,
        draw=draw_scenes,
        epochs=60,
        batches=220,
    ),
    "refiner-1": _LOOKING,
    "refiner-2": _LOOKING,
}


def train_extractor(plan: Plan, tell: Callable[[str], None] = print) -> None:
    """Train the nets of the extractor and export them, as a plan says; its methods are not heeded."""
    scenes = Scenes(*labelled(plan.root, "train"), plan.seed)
    tell(f"{sum(map(len, scenes.decks))} cards, {len(scenes.photographs)} photographs")
    folder = plan.output / "finder"
    for name, lesson in LESSONS.items():
        if plan.quick:
            lesson = replace(lesson, epochs=2, batches=60)
        if name == "refiner-1":
            # It learns from the errors of the net before it, which is finished by now. The next learns from corners
            # that are off by chance: from those that this one leaves in drawn scenes it learned worse.
            lesson = replace(lesson, draw=partial(lesson.draw, glance=Glance(folder, LEAST_GLANCED)))
        net = fit(name, lesson, scenes, plan.work / name, plan.seed, tell)
        inputs, _ = lesson.draw(scenes.flow(lesson.longer_side, plan.seed + lesson.epochs))
        path = folder / f"{name}.onnx"
        export_extractor(net, path, inputs, {"data": {"decks": [len(deck) for deck in scenes.decks]}})
        tell(f"{path}: {net.count_params()} weights")


def fit(
    name: str,
    lesson: Lesson,
    scenes: Scenes,
    folder: Path,
    seed: int = 0,
    tell: Callable[[str], None] = print,
) -> keras.Model:
    """Train one net; stopped at any moment, it goes on from the last epoch.

    Parameters
    ----------
    name : str
        Of the net.
    lesson : Lesson
        What it learns.
    scenes : Scenes
        From what.
    folder : Path
        For checkpoints.
    seed : int
        Of weights and scenes.
    tell : callable
        Is told a line after each epoch.
    """
    keras.utils.set_random_seed(seed)
    last = folder / "last"
    plain = [lesson.longer_side, lesson.epochs, lesson.batches, lesson.rate]
    of = json.dumps([plain, seed, [len(deck) for deck in scenes.decks], len(scenes.photographs)])
    state = load_state(last, of) or {"epoch": 0}
    if state["epoch"]:
        known = {loss.__name__: loss for loss in lesson.losses.values()}
        net = keras.models.load_model(last / f"{name}.keras", custom_objects=known)
    else:
        net = lesson.make()
        rate = keras.optimizers.schedules.CosineDecay(
            lesson.rate / 20,
            lesson.epochs * lesson.batches,
            warmup_target=lesson.rate,
            warmup_steps=lesson.batches,
        )
        net.compile(keras.optimizers.AdamW(rate, weight_decay=0.01, clipnorm=10.0), dict(lesson.losses))
    for epoch in range(state["epoch"], lesson.epochs):
        batches = _ahead(lesson, scenes.flow(lesson.longer_side, seed + epoch))
        losses = [np.ravel(net.train_on_batch(images, truth)) for images, truth in batches]
        save_checkpoint(last, {name: net}, {"of": of, "epoch": epoch + 1})
        tell(f"{name}, epoch {epoch + 1} of {lesson.epochs}: loss {_told(losses)}")
    return net


def _ahead(lesson: Lesson, flow: SceneFlow) -> Iterator[Batch]:
    """Draw the batches of an epoch; while one is learned from, the next is drawn."""
    with ThreadPoolExecutor(1) as ahead:
        coming = ahead.submit(lesson.draw, flow)
        for batch in range(lesson.batches):
            drawn = coming.result()
            if batch + 1 < lesson.batches:
                coming = ahead.submit(lesson.draw, flow)
            yield drawn


def _told(losses: Sequence[npt.NDArray[np.float32]]) -> str:
    return ", ".join(f"{value:.3f}" for value in np.mean(losses, axis=0))
