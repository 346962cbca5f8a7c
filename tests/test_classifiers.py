from __future__ import annotations

import numpy as np
import pytest

from setml import DECK
from setml.classifiers import CLASSIFIERS
from setml.datasets.cards import draw_card


@pytest.fixture(scope="module", params=["classic", "rectangle"])
def deck(request) -> np.ndarray:
    return np.stack([draw_card(card, 180, request.param) for card in DECK])


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_card_of_both_editions_is_read(name, deck):
    assert CLASSIFIERS[name]().predict(deck) == list(DECK)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_half_turns_and_mirrors_make_no_difference(name, deck):
    classifier = CLASSIFIERS[name]()
    assert classifier.predict(np.ascontiguousarray(deck[::7, ::-1, ::-1])) == list(DECK[::7])
    assert classifier.predict(np.ascontiguousarray(deck[::7, :, ::-1])) == list(DECK[::7])


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("lamp", [(0.55, 0.85, 1.0), (1.0, 0.9, 0.75), (0.4, 0.4, 0.4)])
def test_the_color_of_the_lamp_makes_no_difference(name, lamp, deck):
    lit = (deck[::4] * np.array(lamp)).astype(np.uint8)
    assert CLASSIFIERS[name]().predict(lit) == list(DECK[::4])


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_any_method_gives_probabilities(name, deck):
    noise = np.random.default_rng(0).integers(0, 256, (4, *deck.shape[1:]), np.uint8)
    blank = np.full((1, *deck.shape[1:]), 240, np.uint8)
    classifier = CLASSIFIERS[name]()
    for crops in (deck[:5], noise, blank, deck[:0]):
        probabilities = classifier.predict_proba(crops)
        assert probabilities.shape == (len(crops), 4, 3)
        assert np.allclose(probabilities.sum(axis=2), 1, atol=1e-5)
        assert (probabilities >= 0).all()
    assert [len(values) for values in classifier.classes_] == [3, 3, 3, 3]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_blank_card_is_not_read_with_confidence(name, deck):
    blank = np.full((1, *deck.shape[1:]), 240, np.uint8)
    assert CLASSIFIERS[name]().predict_proba(blank).max(axis=2).prod() < 0.5
