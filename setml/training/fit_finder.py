"""Training of the net that finds cards, on drawn scenes and on photographs of split `train`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import keras
import numpy as np
import numpy.typing as npt

from setml.datasets.crops import LabelledCrops
from setml.datasets.drawn import draw_crops, draw_negatives
from setml.datasets.scenes import Scene, SceneMaker
from setml.datasets.truth import Truth
from setml.extractors.layout import read_layout
from setml.photo import read_photo
from setml.symbols import reflectance
from setml.training.augmentation import Augmenter
from setml.training.checkpoint import load_state, save_checkpoint
from setml.training.data import SCALE, Plan, labelled
from setml.training.export import export_finder
from setml.training.finder import heat_loss, make_finder, quad_loss, targets

BATCH: Final = 8
#: Of all scenes, how many are photographs where there are some.
PHOTOGRAPHS: Final = 0.15
#: About how wide a card is in a scene, in pixels.
CARD_WIDTH: Final = 45
#: Widths and heights of scenes, in pixels: multiples of the coarsest stride.
SIZES: Final = ((320, 256), (256, 320), (320, 192), (224, 320), (320, 224))


@dataclass(frozen=True)
class FinderSchedule:
    """How long and how fast the finder learns: epochs, batches of each, the learning rate at its highest."""

    epochs: int = 22
    batches: int = 220
    rate: float = 2e-3


QUICK_SCHEDULE: Final = FinderSchedule(epochs=2, batches=60)


class Scenes:
    """Batches of augmented scenes and of what the finder should answer.

    Parameters
    ----------
    root : Path or None
        The labelled crops and tables; None for drawn cards alone.
    seed : int
        Of drawing.
    """

    def __init__(self, root: Path | None, seed: int = 0) -> None:
        crops, tables = labelled(root, "train") if root else ([], [])
        rng = np.random.default_rng(seed)
        drawn = draw_crops(12, seed, SCALE)
        classic = drawn.editions == "classic"
        decks = [_whiten(drawn.take(classic)), _whiten(drawn.take(~classic))]
        for part in crops:
            if len(part) > 300:
                chosen = rng.choice(len(part), min(len(part), 1200), replace=False)
                # Most photographs are of the classic edition.
                decks += [_whiten(part.take(chosen))] * (4 if part.editions[0] == "classic" else 1)
        self.decks = decks
        self.decoys = draw_negatives(300, seed, SCALE, halves=False).images
        self.photographs = [_load(truth) for truth in tables]

    def batches(self, count: int, seed: int) -> Iterator[tuple[npt.NDArray[np.float32], dict[str, Any]]]:
        """Yield so many batches; while one is learned from, the next is made."""
        rng = np.random.default_rng(seed)
        maker, augment = SceneMaker(self.decks, self.decoys, seed), Augmenter(seed)

        def make() -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
            size = SIZES[rng.integers(len(SIZES))]
            scenes = []
            for _ in range(BATCH):
                if self.photographs and rng.random() < PHOTOGRAPHS:
                    scene = _move(self.photographs[rng.integers(len(self.photographs))], size, rng)
                else:
                    scene = maker.draw(*size)
                scenes.append(Scene(augment.photograph(scene.image, CARD_WIDTH), scene.corners, scene.unscored))
            images = np.stack([scene.image for scene in scenes]).astype(np.float32) / np.float32(255)
            return images, targets(scenes)

        with ThreadPoolExecutor(1) as ahead:
            coming = ahead.submit(make)
            for batch in range(count):
                made = coming.result()
                if batch + 1 < count:
                    coming = ahead.submit(make)
                yield made


def _whiten(crops: LabelledCrops) -> npt.NDArray[np.uint8]:
    """Take the light out of crops, so that all cards of a scene can be lit as one."""
    return np.stack([(reflectance(image) * 255).astype(np.uint8) for image in crops.images])


def _load(truth: Truth) -> Scene:
    """Load a photograph, at most 900 pixels long, with its cards upright."""
    photo = read_photo(truth.path)
    factor = min(1.0, 900 / max(photo.image.shape))
    image = cv2.resize(photo.image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    corners = [read_layout(photo.image, quad / photo.scale)[0] * factor for quad in truth.corners]
    boxes = truth.ignore.reshape(-1, 2, 2) / photo.scale * factor
    unscored = [[low, (high[0], low[1]), high, (low[0], high[1])] for low, high in boxes]
    return Scene(
        np.asarray(image, np.uint8),
        np.array(corners, np.float32).reshape(-1, 4, 2),
        np.array(unscored, np.float32).reshape(-1, 4, 2),
    )


def _move(scene: Scene, size: tuple[int, int], rng: np.random.Generator) -> Scene:
    """Turn, mirror, tilt and zoom a photograph into a scene of another size."""
    height, width = scene.image.shape[:2]
    target = np.array(size, float)
    fit = min(target / (width, height)) if rng.random() < 0.5 else max(target / (width, height))
    zoom = fit * rng.uniform(0.6, 1.6)
    angle = rng.choice([0, np.pi / 2, np.pi, -np.pi / 2]) + rng.normal(0, 0.1)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
    corners = square / 2 * (width, height) * zoom * (1 + rng.normal(0, 0.04, (4, 2)))
    if rng.random() < 0.5:
        corners[:, 0] *= -1
    cos, sin = np.cos(angle), np.sin(angle)
    corners = corners @ np.array([[cos, sin], [-sin, cos]])
    room = np.abs(np.ptp(corners, axis=0) - target) / 2
    corners = corners + target / 2 + rng.uniform(-1, 1, 2) * room
    source = (square + 1) / 2 * (width, height)
    warp = cv2.getPerspectiveTransform(source.astype(np.float32), corners.astype(np.float32))
    fill = int(rng.integers(0, 256))
    image = cv2.warpPerspective(scene.image, warp, size, flags=cv2.INTER_AREA, borderValue=(fill, fill, fill))
    quads, unscored = (
        cv2.perspectiveTransform(quads.reshape(1, -1, 2), warp).reshape(-1, 4, 2) if len(quads) else quads
        for quads in (scene.corners, scene.unscored)
    )
    quads = np.array(
        [quad if cv2.contourArea(quad, oriented=True) > 0 else quad[[1, 0, 3, 2]] for quad in quads], np.float32
    )
    frame = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    shares = np.array([cv2.intersectConvexConvex(quad, frame)[0] / max(cv2.contourArea(quad), 1) for quad in quads])
    small = np.array([np.linalg.norm(quad[1] - quad[0]) < 6 for quad in quads], bool)
    whole = (shares >= 0.75) & ~small if len(quads) else np.zeros(0, bool)
    part = ((shares > 0.1) & ~whole) if len(quads) else np.zeros(0, bool)
    quads = quads.reshape(-1, 4, 2)
    return Scene(np.asarray(image, np.uint8), quads[whole], np.concatenate([unscored.reshape(-1, 4, 2), quads[part]]))


def train_finder(plan: Plan, tell: Callable[[str], None] = print) -> None:
    """Train the finder and export it, as a plan says; its methods are not heeded."""
    scenes = Scenes(plan.root, plan.seed)
    tell(f"{sum(map(len, scenes.decks))} cards, {len(scenes.photographs)} photographs")
    schedule = QUICK_SCHEDULE if plan.quick else FinderSchedule()
    net = fit_finder(scenes, plan.work / "finder", schedule, plan.seed, tell)
    inputs, _ = next(scenes.batches(1, plan.seed + schedule.epochs))
    path = plan.output / "finder" / "finder.onnx"
    export_finder(net, path, inputs, {"data": {"decks": [len(deck) for deck in scenes.decks]}})
    tell(f"{path}: {net.count_params()} weights")


def fit_finder(
    scenes: Scenes, folder: Path, schedule: FinderSchedule, seed: int = 0, tell: Callable[[str], None] = print
) -> keras.Model:
    """Train the finder; stopped at any moment, it goes on from the last epoch.

    Parameters
    ----------
    scenes : Scenes
        What it learns from.
    folder : Path
        For checkpoints.
    schedule : FinderSchedule
        How long.
    seed : int
        Of weights and scenes.
    tell : callable
        Is told a line after each epoch.
    """
    keras.utils.set_random_seed(seed)
    last = folder / "last"
    of = json.dumps([asdict(schedule), seed, [len(deck) for deck in scenes.decks], len(scenes.photographs)])
    state = load_state(last, of) or {"epoch": 0}
    if state["epoch"]:
        known = {"heat_loss": heat_loss, "quad_loss": quad_loss}
        net = keras.models.load_model(last / "finder.keras", custom_objects=known)
    else:
        net = make_finder()
        steps = schedule.epochs * schedule.batches
        rate = keras.optimizers.schedules.CosineDecay(
            schedule.rate / 20, steps, warmup_target=schedule.rate, warmup_steps=schedule.batches
        )
        net.compile(
            keras.optimizers.AdamW(rate, weight_decay=0.01, clipnorm=10.0), {"heat": heat_loss, "quad": quad_loss}
        )
    for epoch in range(state["epoch"], schedule.epochs):
        losses = [
            np.ravel(net.train_on_batch(images, truth))
            for images, truth in scenes.batches(schedule.batches, seed + epoch)
        ]
        save_checkpoint(last, {"finder": net}, {"of": of, "epoch": epoch + 1})
        tell(f"epoch {epoch + 1} of {schedule.epochs}: loss {_told(losses)}")
    return net


def _told(losses: Sequence[npt.NDArray[np.float32]]) -> str:
    return ", ".join(f"{value:.3f}" for value in np.mean(losses, axis=0))
