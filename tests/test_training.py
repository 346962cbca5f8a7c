from __future__ import annotations

import json

import cv2
import numpy as np
import onnx
import pytest

from setml.cards import ATTRIBUTES
from setml.classifiers import Learned
from setml.classifiers.learned import HEADS
from setml.classifiers.views import VIEWS, look
from setml.datasets.crops import LabelledCrops
from setml.datasets.decoys import draw_negatives
from setml.datasets.drawn import draw_crops
from setml.model import METADATA, Model, ModelError
from setml.training import fit_classical as classical
from setml.training import run as running
from setml.training.augmentation import Augmenter
from setml.training.data import SHARES, Plan, TrainingData, gather
from setml.training.export import ExportError, export_net
from setml.training.fit_nets import Schedule, fit_nets, measure, predict
from setml.training.nets import make_net
from setml.training.run import train
from setml.training.sources import SCALE
from setml.training.stream import stream
from tests.conftest import ROOT
from tests.test_cli import run

# What TensorFlow, its exporters and scikit-learn say to each other about their next versions.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.fixture(scope="module")
def small() -> TrainingData:
    """A few drawn crops to learn from."""
    cards, others = draw_crops(3, seed=1, scale=SCALE), draw_negatives(48, seed=1, scale=SCALE)
    kinds = np.array(["drawn"] * len(cards) + ["not a card"] * len(others))
    val = LabelledCrops.join([draw_crops(1, seed=2, scale=SCALE), draw_negatives(24, seed=2, scale=SCALE)])
    return TrainingData(LabelledCrops.join([cards, others]), kinds, val)


def test_augmentation_is_the_same_each_time_and_differs_by_seed():
    crop = draw_crops(1, scale=SCALE).images[40]
    first, again, other = (np.stack([augment(crop) for _ in range(20)]) for augment in map(Augmenter, (1, 1, 2)))
    assert first.shape == (20, *crop.shape)
    assert first.dtype == np.uint8
    assert (first == again).all()
    assert (first != other).any()
    assert (Augmenter(1, strength=0)(crop) == crop).all()


def test_a_page_of_augmented_crops_is_written(tmp_path):
    result = run("data", "augment", tmp_path / "page.png", "--rows", 2, "--columns", 3)
    assert result.returncode == 0, result.stderr
    assert cv2.imread(str(tmp_path / "page.png")).shape == (2 * 174, 3 * 112, 3)


def test_an_epoch_has_of_each_kind_its_share_and_none_twice_before_all(small):
    chosen = small.draw_epoch(200, np.random.default_rng(0))
    kinds = small.kinds[chosen]
    expected = 200 * SHARES["drawn"] / (SHARES["drawn"] + SHARES["not a card"])
    assert (kinds == "drawn").sum() == round(expected)
    assert np.unique(chosen[kinds == "drawn"], return_counts=True)[1].max() == 1


def test_the_stream_repeats_with_its_seed(small):
    (crops, places), (again, _) = (next(iter(stream(small, 2, seed=7))) for _ in range(2))
    assert (crops == again).all()
    assert crops.dtype == np.uint8
    assert set(small.train.values[places][:, 0]) <= {-1, 0, 1, 2}


@pytest.mark.parametrize("name", VIEWS)
def test_a_net_is_small_and_gives_probabilities(name):
    net = make_net(name)
    if name != "all":
        assert net.count_params() <= 150_000
    said = predict(net, name, draw_crops(1, scale=SCALE).images[:4])
    assert list(said) == (list(HEADS) if name == "all" else [name])
    for head, probabilities in said.items():
        assert probabilities.shape == (4, 1 if head == "card" else 3)
        assert ((probabilities >= 0) & (probabilities <= 1)).all()


class StoppedError(Exception):
    """Stands for whatever ends a run."""


def test_training_that_was_stopped_goes_on_and_ends_as_if_it_had_not(small, tmp_path):
    schedule = Schedule(epochs=3, crops=192)
    whole = fit_nets(["count"], small, tmp_path / "whole", schedule, tell=lambda _: None)
    told: list[str] = []

    def stop(line: str) -> None:
        told.append(line)
        raise StoppedError

    for _ in range(2):
        with pytest.raises(StoppedError):
            fit_nets(["count"], small, tmp_path / "stopped", schedule, tell=stop)
    resumed = fit_nets(["count"], small, tmp_path / "stopped", schedule, tell=told.append)
    assert [line.split(":")[0] for line in told] == [f"epoch {n} of 3" for n in (1, 2, 3)]
    histories = [json.loads((tmp_path / name / "history.json").read_text()) for name in ("whole", "stopped")]
    assert [row["epoch"] for row in histories[1]] == [1, 2, 3]
    for one, other in zip(*histories, strict=True):
        assert one["loss"] == pytest.approx(other["loss"], abs=1e-3)
    figures = [measure("count", nets["count"], small.val)["loss"] for nets in (whole, resumed)]
    assert figures[0] == pytest.approx(figures[1], abs=1e-3)
    # Another schedule is another training, which starts anew.
    told.clear()
    fit_nets(["count"], small, tmp_path / "stopped", Schedule(epochs=1, crops=96), tell=told.append)
    assert len(told) == 1


def test_a_run_fits_exports_and_the_models_solve(small, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "gather", lambda *_, **__: small)
    monkeypatch.setattr(running, "QUICK_SCHEDULE", Schedule(epochs=1, crops=192))
    monkeypatch.setattr(classical, "CROPS", {"knn": 800, "svm": 800})
    told: list[str] = []
    methods = ("knn", "svm", "cnn", "multihead")
    train(Plan(None, tmp_path / "models", tmp_path / "work", methods, quick=True, jobs=1), told.append)
    for method in methods:
        classifier = Learned(method, tmp_path / "models" / method)
        readings = classifier.read(small.val.images)
        assert readings.values.shape == (len(small.val), 4, 3)
        assert np.allclose(readings.values.sum(axis=2), 1, atol=1e-4)
        assert readings.is_card.shape == (len(small.val),)
        if method in ("knn", "svm"):
            cards = small.val.is_card
            right = readings.values[cards].argmax(axis=2) == small.val.values[cards]
            assert right.mean() > 0.9, method
    assert (tmp_path / "work/nets/curves.svg").read_text().startswith("<svg")
    facts = Model.load(tmp_path / "models/svm/shape.onnx").facts
    assert facts["data"]["train"] == small.train.digest
    assert facts["input"]["features"] == "shape"
    assert facts["classes"] == {"shape": ["diamond", "oval", "squiggle"]}
    # One method alone is trained without the others.
    train(Plan(None, tmp_path / "alone", tmp_path / "work", ("svm",), quick=True, jobs=1), lambda _: None)
    assert {path.parent.name for path in (tmp_path / "alone").rglob("*.onnx")} == {"svm"}
    # A second run takes what the first has left: it fits nothing anew and says the same.
    again: list[str] = []
    train(Plan(None, tmp_path / "models", tmp_path / "work", methods, quick=True, jobs=1), again.append)
    assert [line for line in again if "wrong on val" in line and "epoch" not in line] == [
        line for line in told if "wrong on val" in line and "epoch" not in line
    ]


def test_an_export_that_says_something_else_is_refused(small, tmp_path):
    net = make_net("count")
    crops = small.val.images[:8]
    inputs, said = look(crops, {"count": VIEWS["count"]})["count"], predict(net, "count", crops)
    export_net(net, "count", tmp_path / "count.onnx", inputs, said, {})
    assert (tmp_path / "count.onnx").exists()
    wrong = {"count": said["count"][:, ::-1] + 0.01}
    with pytest.raises(ExportError, match="count is off by"):
        export_net(net, "count", tmp_path / "wrong.onnx", inputs, wrong, {})
    assert not (tmp_path / "wrong.onnx").exists()


def test_without_photographs_cards_are_drawn(monkeypatch):
    monkeypatch.setattr("setml.training.data.draw_crops", lambda *_: draw_crops(1, scale=SCALE))
    data = gather(None, quick=True)
    assert set(data.kinds) == {"drawn", "not a card"}
    assert set(data.val.sources) == {"drawn"}


def test_real_data_is_gathered_by_its_split(real_tables, monkeypatch):
    monkeypatch.setattr("setml.training.sources.list_crops", lambda _: [])
    data = gather(real_tables.parent, quick=True)
    assert set(data.train.splits) == {"train", "drawn"}
    assert set(data.val.splits) == {"val"}
    assert {"tables", "drawn", "not a card", "mistaken"} == set(data.kinds)


def test_what_cannot_be_trained_is_refused_in_one_line(tmp_path):
    unknown = run("train", "--method", "magic")
    assert unknown.returncode == 2
    assert "magic" in unknown.stderr
    empty = run("train", "--from", tmp_path, "--work", tmp_path / "w", "--output", tmp_path / "m", "--method", "svm")
    assert empty.returncode == 2
    assert "has no crops" in empty.stderr
    assert len(empty.stderr.splitlines()) == 1


def test_models_of_ones_own_are_taken_instead(tmp_path, monkeypatch):
    monkeypatch.setenv("SETML_MODELS", str(tmp_path))
    result = run("solve", ROOT / "data/samples/wood.jpg", "--classifier", "cnn")
    assert result.returncode == 2
    assert str(tmp_path) in result.stderr
    assert "make train" in result.stderr


def test_a_model_that_is_missing_or_damaged_is_refused_in_one_line(tmp_path):
    with pytest.raises(ModelError, match="make train"):
        Learned("cnn", tmp_path)
    (tmp_path / "card.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match=r"card\.onnx") as refused:
        Learned("cnn", tmp_path).read(draw_crops(1).images[:1])
    assert "\n" not in str(refused.value)


MODELS = sorted((ROOT / "models").glob("*/*.onnx"))
EXTRACTING = sorted((ROOT / "models/finder").glob("*.onnx"))


def test_the_models_that_ship_are_small():
    assert len(MODELS) == 21 + len(EXTRACTING)
    assert sum(path.stat().st_size for path in MODELS) <= 12e6


@pytest.mark.parametrize("path", EXTRACTING, ids=lambda path: path.stem)
def test_a_net_of_the_extractor_says_what_it_takes_and_gives(path):
    facts = Model.load(path).facts
    assert facts["version"]
    assert sum(facts["data"]["decks"]) > 1000
    assert "layout" in facts["input"]
    assert set(facts["outputs"]) in ({"heat", "quad"}, {"corners", "score"})


@pytest.mark.parametrize("path", sorted({*MODELS} - {*EXTRACTING}), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_model_that_ships_says_all_that_is_needed_to_run_it(path):
    model = onnx.load(path)
    facts = json.loads({prop.key: prop.value for prop in model.metadata_props}[METADATA])
    assert facts["version"]
    assert len(facts["data"]["train"]) == len(facts["data"]["val"]) == 64
    assert "layout" in facts["input"]
    assert set(facts["outputs"]) == set(facts["classes"])
    assert facts["attributes"] == list(ATTRIBUTES)
    assert 0 <= facts["figures"]["error on val"] < 0.05
