from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from setml import DECK, Card
from setml.classifiers import CLASSIFIERS
from setml.datasets.cards import draw_card


@pytest.fixture(scope="module", params=["classic", "rectangle"])
def deck(request) -> np.ndarray:
    return np.stack([draw_card(card, 180, request.param) for card in DECK])


# The SVM takes a few solid cards that are redder than any photograph for green ones.
LEAST_RIGHT = dict.fromkeys(CLASSIFIERS, 1.0) | {"svm": 0.9}


def share_right(name: str, crops: np.ndarray, cards: Sequence[Card]) -> float:
    return float(np.mean([said == true for said, true in zip(CLASSIFIERS[name]().predict(crops), cards, strict=True)]))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_every_card_of_both_editions_is_read(name, deck):
    assert share_right(name, deck, DECK) >= LEAST_RIGHT[name]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_half_turns_and_mirrors_make_no_difference(name, deck):
    for turned in (deck[:, ::-1, ::-1], deck[:, :, ::-1]):
        assert share_right(name, np.ascontiguousarray(turned), DECK) >= LEAST_RIGHT[name]


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("lamp", [(0.55, 0.85, 1.0), (1.0, 0.9, 0.75), (0.4, 0.4, 0.4)])
def test_the_color_of_the_lamp_makes_no_difference(name, lamp, deck, request):
    if name == "svm" and lamp[0] == 0.55 and request.node.callspec.params["deck"] == "rectangle":
        fault = "under a yellow lamp the SVM takes some inks of the rectangle edition for its near-black purple"
        request.applymarker(pytest.mark.xfail(strict=True, reason=fault))
    lit = (deck * np.array(lamp)).astype(np.uint8)
    assert share_right(name, lit, DECK) >= LEAST_RIGHT[name]


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
    readings = CLASSIFIERS[name]().read(blank)
    assert readings.is_card[0] * readings.values.max(axis=2).prod() < 0.5
