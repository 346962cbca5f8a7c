from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setml.classifiers import CLASSIFIERS
from setml.datasets.catalogue import read_catalogue
from setml.datasets.crops import cut_crops
from setml.evaluation.compare import fit_confidence
from setml.evaluation.crops import calibration_error, interval, read_all, summarize_crops
from setml.evaluation.run import load_benchmark
from setml.extractors import EXTRACTORS
from setml.solver import DEFAULT_CLASSIFIER
from tests.conftest import ROOT
from tests.test_cli import run


def test_an_interval_is_by_photograph_and_not_by_crop():
    # Ten photographs of a hundred crops each, all right or all wrong, are ten observations.
    right = np.repeat([1, 1, 1, 1, 1, 1, 1, 1, 0, 0], 100)
    rows = pd.DataFrame({"photo": np.repeat(np.arange(10), 100), "right": right})
    low, high = interval(rows, "right")
    assert low <= 0.6
    assert high == pytest.approx(1)
    single = rows.assign(photo=np.arange(1000))
    low, high = interval(single, "right")
    assert 0.76 < low < 0.8 < high < 0.84


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=30))
def test_an_interval_holds_the_mean_and_lies_within_what_was_seen(counts):
    rows = pd.DataFrame(
        [{"photo": i, "right": min(right, total), "cards": total} for i, (right, total) in enumerate(counts)]
    )
    low, high = interval(rows, "right", "cards", draws=400)
    rates = rows["right"] / rows["cards"]
    assert rates.min() - 1e-9 <= low <= high <= rates.max() + 1e-9


def test_calibration_error_of_honest_and_of_boastful_confidence():
    right = pd.Series([True] * 90 + [False] * 10)
    assert calibration_error(pd.Series([0.9] * 100), right) == pytest.approx(0)
    assert calibration_error(pd.Series([1.0] * 100), right) == pytest.approx(0.1)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_the_fit_of_confidence_never_makes_it_worse(told):
    cards = pd.DataFrame(told * 20, columns=["confidence", "right"])
    slope, offset = fit_confidence(cards)

    def cost(slope: float, offset: float) -> float:
        likely = cards["confidence"].clip(1e-6, 1 - 1e-6)
        odds = slope * np.log(likely / (1 - likely)) + offset
        surprise = np.logaddexp(0, np.where(cards["right"], -odds, odds)).sum()
        return float(surprise + ((slope - 1) ** 2 + offset**2) / 2)

    assert cost(slope, offset) <= cost(1, 0) + 1e-6


def test_the_comparison_is_written_in_every_form(tmp_path):
    result = run("eval", ROOT / "data/samples", "--classifier", "heuristics", "--output", tmp_path, "--by", "edition")
    assert result.returncode == 0, result.stderr
    assert "| heuristics" in result.stdout
    assert "rectangle" in result.stdout
    page = (tmp_path / "report.html").read_text()
    assert "<svg" in page
    # One file that asks no other host for anything.
    assert 'src="http' not in page
    assert "<link" not in page
    assert "SHA-256" in page
    rows = pd.read_csv(tmp_path / "crops.csv")
    assert rows["is card"].sum() == 132
    assert rows[rows["is card"]]["right"].all()
    assert len(pd.read_csv(tmp_path / "photos.csv")) == 5 * len(EXTRACTORS)
    assert len(pd.read_csv(tmp_path / "cards.csv")) >= 132 * len(EXTRACTORS) * 0.8
    assert "## Certainty by split" in (tmp_path / "comparison.md").read_text()
    assert "## Crops by split" in (tmp_path / "comparison.md").read_text()


def test_reading_each_card_alone_is_a_row_of_its_own(tmp_path):
    result = run(
        "eval", ROOT / "data/samples", "--classifier", "heuristics", "--alone", "--by", "edition", "--output", tmp_path
    )
    assert result.returncode == 0, result.stderr
    photos = pd.read_csv(tmp_path / "photos.csv")
    assert set(photos["classifier"]) == {"heuristics", "heuristics, each alone"}
    boards = photos.groupby("classifier")["boards"].sum()
    assert boards["heuristics"] >= boards["heuristics, each alone"]


def test_a_method_with_a_damaged_model_is_left_out_of_the_comparison(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "models/finder", tmp_path / "finder")
    (tmp_path / "finder/refiner-2.onnx").write_bytes(b"no model")
    monkeypatch.setenv("SETML_MODELS", str(tmp_path))
    result = run("eval", ROOT / "data/samples", "--quick", "--classifier", "heuristics", "--classifier", "cnn")
    assert result.returncode == 0, result.stderr
    left_out = [line for line in result.stdout.splitlines() if "left out" in line]
    assert [any(name in line for line in left_out) for name in ("refiner-2.onnx", "cnn")] == [True, True]
    assert "| glance" in result.stdout
    assert "| finder" not in result.stdout
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(("--classifier", "magic"), "magic"), (("--split", "val"), "val")],
)
def test_misuse_of_the_comparison_is_one_line(arguments, complaint):
    result = run("eval", ROOT / "data/samples", *arguments)
    assert result.returncode == 2
    assert complaint in result.stderr
    assert len(result.stderr.splitlines()) == 1


@cache
def rows_of(root: Path) -> pd.DataFrame:
    benchmark = load_benchmark(root)
    return read_all(
        {name: CLASSIFIERS[name]() for name in ("heuristics", "svm", "knn", "cnn", "cnn-drawn")}, benchmark.crops
    )


@pytest.fixture
def rows(real_tables) -> pd.DataFrame:
    """What the methods read on all crops of photographs of splits val and test."""
    return rows_of(real_tables.parent)


def whole(rows: pd.DataFrame, **where: str) -> float:
    cards = rows[rows["is card"]]
    for column, value in where.items():
        cards = cards[cards[column] == value]
    assert len(cards) > 0
    return 100 * float(cards["right"].mean())


@pytest.mark.parametrize(
    ("where", "least"),
    [
        ({"split": "val"}, 99.5),
        ({"split": "test"}, 97.9),
        ({"source": "wangtian24"}, 94),
        ({"source": "cire694"}, 99.5),
    ],
    ids=str,
)
def test_the_nets_read_photographed_cards_no_worse_than_they_did(rows, where, least):
    assert whole(rows, classifier="cnn", **where) >= least


def test_nets_that_saw_only_drawn_cards_read_photographed_ones(rows):
    assert whole(rows, classifier="cnn-drawn", split="val") >= 97


@pytest.mark.parametrize("method", ["knn", "svm"])
@pytest.mark.parametrize("attribute", ["count", "color", "shading", "shape"])
def test_what_is_learned_reads_every_attribute_better_than_the_rules(rows, method, attribute):
    cards = rows[rows["is card"] & (rows["split"] == "val")]
    right = (cards[attribute] == cards[f"{attribute} said"]).groupby(cards["classifier"]).mean()
    assert right[method] > right["heuristics"]


@pytest.mark.parametrize("method", ["knn", "svm", "cnn"])
def test_what_is_no_card_is_told_from_cards(rows, method):
    of = rows[rows["classifier"] == method]
    assert ((of["card said"] >= 0.5) == of["is card"]).mean() > 0.95


def test_the_default_is_the_best_on_val(rows):
    table = summarize_crops(rows[rows["split"] == "val"])
    assert table.set_index("classifier")["whole"].idxmax() == DEFAULT_CLASSIFIER


def test_photographs_without_a_licence_are_not_shown_in_reports(real_tables):
    labels = json.loads((real_tables / "labels.json").read_text())["photos"]
    unlicensed = {photo["source"] for photo in labels.values() if photo["licence"] == "none stated"}
    assert unlicensed.isdisjoint(read_catalogue())


def test_true_corners_give_upright_crops_whatever_the_label_begins_with(real_tables):
    # Labels may begin at a long edge; the symbols tell which way up a card lies.
    benchmark = load_benchmark(real_tables, ["val"])
    koff = [truth for truth in benchmark.truths if truth.source == "koff"]
    crops = cut_crops(koff)
    read = CLASSIFIERS["heuristics"]().predict(crops.images)
    assert np.mean([said == true for said, true in zip(read, crops.cards, strict=True)]) > 0.98
