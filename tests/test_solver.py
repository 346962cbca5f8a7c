from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest

import setml
from setml import DECK, Solution, Solver, draw_table
from setml.classifiers import Heuristics
from setml.classifiers.base import Classifier, Readings
from setml.datasets.samples import SAMPLES
from setml.datasets.truth import read_truth
from setml.evaluation.measures import score
from setml.extractors import Contours
from setml.extractors.base import Detections
from setml.photo import Photo
from setml.solution import FoundCard
from setml.solver import CERTAIN, correct
from tests.conftest import ROOT


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_are_solved_whole(name):
    truths = {truth.path.stem: truth for truth in read_truth(ROOT / "data" / "samples")}
    counts = score(truths[name], setml.solve(truths[name].path))
    assert (counts.boards, counts.lists) == (1, 1)


@pytest.mark.parametrize("seed", range(6))
def test_random_tables_are_read_right(seed):
    count = (3, 7, 12, 15, 18, 27)[seed]
    table = draw_table(count, seed=seed, surface=("dark", "wood")[seed % 2])
    solution = Solver().solve(table.image)
    assert sorted(found.card for found in solution.cards) == sorted(table.cards)


def test_the_solution_goes_to_json_and_back(table):
    solution = Solver().solve(table.image)
    back = Solution.from_json(solution.to_json())
    assert back.to_dict() == solution.to_dict()
    assert [found.card for found in back.cards] == [found.card for found in solution.cards]
    line = json.loads(solution.to_json())
    assert list(line) == ["image", "width", "height", "cards", "sets", "certain_sets", "warnings", "seconds"]
    assert list(line["cards"][0]) == ["count", "color", "shading", "shape", "corners", "confidence", "certain"]
    assert list(line["seconds"]) == ["read", "extract", "classify", "total"]


def test_found_cards_carry_probabilities_and_crops(table):
    for found in Solver().solve(table.image).cards:
        assert found.probabilities.shape == (4, 3)
        assert found.crop.shape == (280, 180, 3)
        assert 0 <= found.confidence <= 1
        assert found.certain == (found.confidence >= CERTAIN)


def test_methods_and_parts_can_be_named_or_given(table):
    by_name = Solver("contours", "heuristics", "triples").solve(table.image)
    given = Solver(Contours(), Heuristics()).solve(table.image)
    assert by_name.sets == given.sets


def test_confidence_is_corrected_in_order_and_stays_a_probability():
    corrected = correct(np.linspace(0, 1, 101))
    assert (np.diff(corrected) >= 0).all()
    assert 0 < corrected[0] < 0.01
    assert 0.99 < corrected[-1] < 1


def test_small_cards_are_worth_more_of_the_photo(tmp_path):
    import cv2

    few, many = (tmp_path / name for name in ("few.jpg", "many.jpg"))
    for path, count in ((few, 6), (many, 60)):
        table = draw_table(count, seed=6, size=(4000, 3000), surface="dark")
        cv2.imwrite(str(path), table.image)
    solver = Solver()
    large, small = solver.find(few), solver.find(many)
    assert max(large[0].image.shape) == 1000
    assert max(small[0].image.shape) == 1500
    assert (small[0].width, small[0].height) == (4000, 3000)
    read = [found.card for found in solver.read(*small).cards]
    assert sorted(read) == sorted(table.cards)


@pytest.mark.parametrize(
    "names", [("none", "heuristics", "key"), ("contours", "none", "key"), ("contours", "heuristics", "none")]
)
def test_unknown_names_are_refused(names):
    with pytest.raises(ValueError, match=r"there is no .* 'none'; expected one of"):
        Solver(*names)


def test_corners_are_in_pixels_of_the_full_photo(tmp_path):
    import cv2

    table = draw_table(4, seed=2, size=(3600, 2700))
    path = tmp_path / "large.jpg"
    cv2.imwrite(str(path), table.image)
    solution = setml.solve(path)
    assert (solution.width, solution.height) == (3600, 2700)
    for found in solution.cards:
        distance = np.abs(found.corners.mean(axis=0) - table.corners.mean(axis=1)).sum(axis=1).min()
        assert distance < 12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sets": [[0, 0, 1]]}, "is no set"),
        ({"sets": [[0, 1, 99]]}, "is no set"),
        ({"width": None}, "cannot be read"),
        ({"cards": [{"count": 1}]}, "has no 'color'"),
    ],
)
def test_damaged_solutions_are_refused(table, change, message):
    data = {**Solver().solve(table.image).to_dict(), **change}
    with pytest.raises(ValueError, match=message):
        Solution.from_dict(data)


def test_no_card_and_no_set():
    assert Solver().solve(draw_table(0, seed=1, surface="wood").image).cards == ()
    table = draw_table([card for card in DECK if max(card.places) < 2][:9], seed=1, surface="dark")
    solution = Solver().solve(table.image)
    assert len(solution.cards) == 9
    assert solution.sets == ()


def test_what_cannot_be_so_of_one_deck_is_a_warning():
    card = FoundCard(DECK[0], np.zeros((4, 2)), 1.0, True)
    assert Solution("", 9, 9, (card, dataclasses.replace(card, card=DECK[1])), (), {}).warnings == ()
    (equal,) = Solution("", 9, 9, (card, card), (), {}).warnings
    assert equal == f"{DECK[0]} was read 2 times, but a deck has each card once"
    assert len(Solution("", 9, 9, (card,) * 21, (), {}).warnings) == 2


# None of it may become worse: whole sources of labelled photographs.
def test_real_photographs(real_tables):
    sources = ("errcw", "antingshen", "rotemabend", "marc-micatka")
    truths = [truth for truth in read_truth(real_tables) if truth.source in sources]
    total = sum((score(t, setml.solve(t.path)) for t in truths[1:]), score(truths[0], setml.solve(truths[0].path)))
    figures = total.figures()
    assert (figures["found"], figures["cards"], figures["boards"], figures["false"]) == (100, 100, 100, 0)


def test_our_measures_are_the_referees(real_tables, tmp_path):
    import subprocess
    import sys

    referee = real_tables.parent.parent / "bench" / "score.py"
    if not referee.is_file():
        pytest.skip("the referee is not at hand")
    truths = read_truth(real_tables, "train")[::3]
    answers = tmp_path / "answers.jsonl"
    labels = tmp_path / "labels.json"
    names = {str(truth.path.relative_to(real_tables)) for truth in truths}
    photos = json.loads((real_tables / "labels.json").read_text())["photos"]
    labels.write_text(json.dumps({"photos": {name: photos[name] for name in names}}))
    solutions = [setml.solve(truth.path) for truth in truths]
    answers.write_text("\n".join(solution.to_json() for solution in solutions))
    told = subprocess.run(
        [sys.executable, str(referee), str(labels), str(answers), "--json"], capture_output=True, check=True
    )
    scores = [score(truth, solution) for truth, solution in zip(truths, solutions, strict=True)]
    ours = sum(scores[1:], scores[0]).figures()
    for name, figure in json.loads(told.stdout).items():
        assert math.isclose(ours[name], figure, abs_tol=0.01), name


def test_a_photo_that_failed_counts_as_nothing_found():
    truth = read_truth(ROOT / "data" / "samples")[0]
    counts = score(truth, None)
    assert (counts.photos, counts.found, counts.false, counts.boards) == (1, 0, 0, 0)
    assert dataclasses.astuple(counts + counts)[0] == 2


class Doubtful(Classifier):
    """Reads nothing well, and is as sure as it is told that each crop is a card."""

    name = "doubtful"

    def __init__(self, is_card: float) -> None:
        self.is_card = is_card

    def read(self, crops):
        values = np.tile(np.array([0.6, 0.3, 0.1], np.float32), (len(crops), 4, 1))
        return Readings(values=values, is_card=np.full(len(crops), self.is_card, np.float32))


@pytest.mark.parametrize(("is_card", "shown"), [(0.99, 1), (0.65, 0)])
def test_what_is_surely_a_card_is_shown_uncertain_though_it_can_hardly_be_read(is_card, shown):
    blank = Detections(
        corners=np.array([[[10, 10], [100, 10], [100, 150], [10, 150]]], np.float32),
        scores=np.ones(1, np.float32),
        crops=np.full((1, 280, 180, 3), 250, np.uint8),
    )
    photo = Photo.from_image(np.full((200, 200, 3), 250, np.uint8))
    cards = Solver("contours", Doubtful(is_card)).read(photo, blank).cards
    assert len(cards) == shown
    assert not any(found.certain for found in cards)
