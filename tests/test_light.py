from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setml import DECK, Solver, draw_table
from setml.datasets.cards import draw_card
from setml.light import inks_of, judge_colors


@given(st.integers(0, 12), st.integers(0, 2**32 - 1))
def test_colors_stay_probabilities_and_the_order_of_cards_does_not_matter(count, seed):
    rng = np.random.default_rng(seed)
    colors, inks = rng.dirichlet(np.ones(3), count), rng.dirichlet(np.ones(3), count)
    judged = judge_colors(colors, inks)
    assert judged.shape == (count, 3)
    assert np.allclose(judged.sum(axis=1), 1)
    order = rng.permutation(count)
    assert np.allclose(judge_colors(colors[order], inks[order]), judged[order], atol=1e-6)


@given(st.integers(0, 2**32 - 1))
def test_one_card_alone_is_as_it_was_read(seed):
    rng = np.random.default_rng(seed)
    colors, ink = rng.dirichlet(np.ones(3), 1), rng.dirichlet(np.ones(3), 1)
    assert np.allclose(judge_colors(colors, ink), colors, atol=1e-4)


def test_inks_are_shares_and_nearest_to_those_of_their_color():
    cards = [card for card in DECK if card.shape == "oval"]
    inks = inks_of(np.stack([draw_card(card) for card in cards]))
    assert np.allclose(inks.sum(axis=1), 1)
    colors = np.array([card.color for card in cards])
    means = {color: inks[colors == color].mean(axis=0) for color in ("red", "green", "purple")}
    nearest = [min(means, key=lambda color: np.abs(ink - means[color]).sum()) for ink in inks]
    assert nearest == colors.tolist()


@pytest.mark.parametrize("colors", [("red", "purple"), ("red",), ("green", "purple")])
def test_tables_that_lack_a_color_under_a_yellow_lamp(colors):
    cards = [card for card in DECK if card.color in colors][:: 3 * len(colors)]
    table = draw_table(cards, seed=11, surface="wood")
    lit = np.clip(table.image * np.array([0.35, 0.85, 1.0]), 0, 255).astype(np.uint8)
    assert sorted(found.card for found in Solver().solve(lit).cards) == sorted(table.cards)
