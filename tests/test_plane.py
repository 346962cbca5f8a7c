"""Cards of one photo lie in one plane at one size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setml import Solver
from setml.datasets.tables import draw_table
from setml.extractors import Detections
from setml.photo import Photo
from setml.plane import judge_sizes


def photograph(lean: float, turn: float, columns: int, rows: int) -> np.ndarray:
    """See a grid of cards through a camera that leans by some degrees: (n, 4, 2) in pixels."""
    card = np.array([[0, 0], [1, 0], [1, 1.555], [0, 1.555]])
    places = np.array([(x * 1.2, y * 1.75) for y in range(rows) for x in range(columns)])
    points = places[:, None] + card
    points = points - points.mean(axis=(0, 1))
    cos, sin = np.cos(turn), np.sin(turn)
    x, y = points @ [cos, -sin], points @ [sin, cos]
    depth = 12 + y * np.sin(np.deg2rad(lean))
    return np.stack([x / depth, y * np.cos(np.deg2rad(lean)) / depth], axis=-1) * 1000


tables = st.builds(photograph, st.floats(0, 55), st.floats(0, 2 * np.pi), st.integers(2, 5), st.integers(2, 4))


@settings(deadline=None)
@given(tables)
def test_cards_of_one_size_in_one_plane_fit_however_the_camera_leans(corners):
    assert judge_sizes(corners, np.ones(len(corners))).min() == 1


@settings(deadline=None)
@given(tables, st.integers(0, 100), st.sampled_from([0.5, 0.6, 1.7, 2.0]))
def test_what_is_of_another_size_does_not_fit_and_the_others_do(corners, place, times):
    odd = place % len(corners)
    middle = corners[odd].mean(axis=0)
    corners[odd] = middle + (corners[odd] - middle) * times
    ratios = judge_sizes(corners, np.ones(len(corners)))
    assert ratios[odd] < 0.1 or len(corners) < 6
    # A few others could also lie in a plane that leans the other way.
    if len(corners) >= 9:
        assert np.delete(ratios, odd).min() > 0.5


@settings(deadline=None)
@given(tables, st.floats(0.1, 10))
def test_the_unit_of_length_does_not_matter(corners, scale):
    corners[0] *= 1.1
    likely = np.linspace(0.5, 1, len(corners))
    assert judge_sizes(corners * scale, likely) == pytest.approx(judge_sizes(corners, likely), abs=1e-6)


@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_few_cards_tell_no_plane(count):
    corners = photograph(0, 0, 5, 1)[:count] * np.arange(1, count + 1)[:, None, None]
    assert judge_sizes(corners, np.ones(count)).tolist() == [1] * count


def test_a_small_piece_that_is_taken_for_a_card_is_less_sure_beside_whole_cards():
    table = draw_table(9, seed=3)
    solver = Solver()
    photo, found, _ = solver.find(table.image)
    whole = solver.read(photo, found)
    corners = found.corners.copy()
    corners[0] = corners[0].mean(axis=0) + (corners[0] - corners[0].mean(axis=0)) * 0.4
    # The same crops and scores: only where the first lies in the photo differs.
    beside = Detections(corners, np.minimum(found.scores, 0.95), found.crops)
    judged = solver.read(Photo.from_image(table.image), beside)
    assert whole.cards[0].certain
    assert judged.cards[0].card == whole.cards[0].card
    assert not judged.cards[0].certain
    assert all(card.certain for card in judged.cards[1:])
