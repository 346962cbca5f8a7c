"""The work on one photo is shared among the cores."""

import threading

import cv2
import numpy as np
import pytest

from setml import Solver
from setml.cores import MOST, cores, one_core, share
from setml.datasets.tables import draw_table

pytestmark = pytest.mark.usefixtures("four_threads")


@pytest.fixture
def four_threads():
    before = cv2.getNumThreads()
    cv2.setNumThreads(4)
    yield
    cv2.setNumThreads(before)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 12, 81])
def test_every_thing_is_worked_on_once_and_in_order(count):
    parts = share(lambda part: list(range(count))[part], count)
    assert [thing for part in parts for thing in part] == list(range(count))
    assert 1 <= len(parts) <= MOST


def test_parts_are_worked_on_by_several_threads():
    together = threading.Barrier(4)
    # None could go on if they came one after the other.
    assert len(share(lambda _: together.wait(timeout=20), 12)) == 4


def test_on_one_core_nothing_is_shared_and_afterwards_it_is_again():
    with one_core():
        assert cores() == 1
        assert share(lambda part: part, 81) == [slice(0, 81)]
    assert cores() == 4


def test_an_error_in_any_part_is_told():
    def fail(part: slice) -> None:
        if part.start:
            raise ValueError("of a later part")

    with pytest.raises(ValueError, match="of a later part"):
        share(fail, 12)


def test_a_photo_is_read_alike_on_one_core_and_on_several():
    image = draw_table(12, seed=8).image
    several = Solver().solve(image)
    with one_core():
        one = Solver().solve(image)
    assert [found.card for found in one.cards] == [found.card for found in several.cards]
    for ours, theirs in zip(one.cards, several.cards, strict=True):
        assert np.abs(ours.corners - theirs.corners).max() < 0.1
        assert ours.confidence == pytest.approx(theirs.confidence, abs=1e-3)
