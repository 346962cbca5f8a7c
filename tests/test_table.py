from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.optimize import linear_sum_assignment

from setml.cards import DECK
from setml.table import IDENTITIES, assign, read_alone, read_together


def readings(rng: np.random.Generator, identities: np.ndarray, doubt: float) -> np.ndarray:
    """Probabilities of cards that are these, with so much doubt."""
    values = rng.dirichlet(np.ones(3), (len(identities), 4)) * doubt
    np.put_along_axis(values, identities[..., None], 1 - doubt, axis=2)
    return values / values.sum(axis=2, keepdims=True)


@given(arrays(float, array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9), elements=st.floats(-9, 9)))
def test_assignment_is_the_cheapest(costs):
    costs = costs if costs.shape[0] <= costs.shape[1] else costs.T
    columns = assign(costs)
    assert len(set(columns.tolist())) == len(costs)
    rows, best = linear_sum_assignment(costs)
    assert np.isclose(costs[rows, columns].sum(), costs[rows, best].sum())


@given(st.integers(0, 2**32 - 1), st.integers(1, 81))
def test_cards_that_differ_are_left_as_they_were_read(seed, count):
    rng = np.random.default_rng(seed)
    dealt = rng.permutation(81)[:count]
    values = readings(rng, IDENTITIES[dealt], 0.2)
    table = read_together(values)
    assert table.cards == tuple(DECK[place] for place in dealt)
    assert np.allclose(table.confidence, values.max(axis=2).prod(axis=1))


def test_of_two_equal_readings_the_less_sure_one_gives_way():
    values = readings(np.random.default_rng(0), IDENTITIES[[4, 4, 60]], 0.001)
    values[0, 1] = (0.55, 0.45, 0.0)
    table = read_together(values)
    assert table.cards == (replace(DECK[4], color="green"), DECK[4], DECK[60])
    assert table.confidence[0] > 0.9


def test_a_card_that_could_be_either_is_not_certain():
    values = readings(np.random.default_rng(0), IDENTITIES[[4, 4]], 0.0)
    values[:, 1] = (0.5, 0.5, 0.0)
    table = read_together(values)
    assert len(set(table.cards)) == 2
    assert (table.confidence < 0.6).all()


def test_two_that_are_surely_equal_stay_equal_and_are_not_certain():
    table = read_together(readings(np.random.default_rng(0), IDENTITIES[[4, 4, 9]], 0.0))
    assert table.cards[:2] == (DECK[4], DECK[4])
    assert (table.confidence[:2] <= 0.5).all()


def test_more_cards_than_a_deck_has_are_read_one_by_one():
    table = read_together(readings(np.random.default_rng(0), IDENTITIES[[*range(81), 0, 1, 2]], 0.1))
    assert table.cards == (*DECK, *DECK[:3])
    assert (table.confidence[[0, 1, 2, 81, 82, 83]] <= 0.5).all()


def test_no_card_at_all():
    assert read_together(np.empty((0, 4, 3))).cards == ()


def test_each_card_alone_is_what_it_looks_most_like_whatever_the_others_are():
    values = readings(np.random.default_rng(0), IDENTITIES[[4, 4, 60]], 0.001)
    values[0, 1] = (0.55, 0.45, 0.0)
    table = read_alone(values)
    assert table.cards == (DECK[4], DECK[4], DECK[60])
    assert table.confidence[0] == pytest.approx(values[0].max(axis=1).prod())
    assert read_alone(np.empty((0, 4, 3))).cards == ()
