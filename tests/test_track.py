from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from setml import DECK, Card
from setml.solution import FoundCard, Solution
from setml.track import PATIENCE, Tracker

SQUARE = np.array([[0, 0], [100, 0], [100, 155], [0, 155]], float)


def found(card: Card, x: float = 0, confidence: float = 0.99) -> FoundCard:
    values = np.full((4, 3), (1 - confidence) / 2)
    values[np.arange(4), list(card.places)] = confidence
    return FoundCard(card, SQUARE + np.array([x, 0]), confidence, confidence > 0.9, values)


def seen(*cards: FoundCard) -> Solution:
    return Solution("camera", 640, 480, cards, (), {})


def test_a_card_appears_with_the_second_picture_and_is_told_once():
    tracker = Tracker()
    assert tracker.update(seen(found(DECK[0])), 0.0).solution.cards == ()
    second = tracker.update(seen(found(DECK[0])), 0.1)
    assert [card.card for card in second.solution.cards] == [DECK[0]]
    assert second.has_changed
    assert not tracker.update(seen(found(DECK[0])), 0.2).has_changed


def test_one_wrong_picture_changes_nothing():
    tracker = Tracker()
    for place in range(10):
        tracker.update(seen(found(DECK[5])), place / 10)
    told = tracker.update(seen(found(DECK[6], confidence=0.8)), 1.0)
    assert [card.card for card in told.solution.cards] == [DECK[5]]


def test_two_about_equal_readings_do_not_take_turns():
    tracker, told = Tracker(), set()
    for place in range(40):
        card = DECK[10 + place % 2]
        shown = tracker.update(seen(found(card, confidence=0.7)), place / 10).solution.cards
        told |= {found.card for found in shown}
    assert len(told) == 1


def test_another_card_in_the_same_place_is_read_anew():
    tracker = Tracker()
    for place in range(30):
        tracker.update(seen(found(DECK[0])), place / 10)
    for place in range(30, 60):
        told = tracker.update(seen(found(DECK[80])), place / 10)
    assert [card.card for card in told.solution.cards] == [DECK[80]]


def test_a_hand_over_a_card_is_waited_for_and_a_card_that_is_gone_is_not():
    tracker = Tracker()
    for place in range(5):
        tracker.update(seen(found(DECK[0]), found(DECK[1], 200)), place / 10)
    covered = tracker.update(seen(found(DECK[1], 200)), 1.0)
    assert len(covered.solution.cards) == 2
    gone = tracker.update(seen(found(DECK[1], 200)), 1.0 + PATIENCE)
    assert [card.card for card in gone.solution.cards] == [DECK[1]]
    assert gone.has_changed


def test_a_card_that_was_moved_is_not_there_twice():
    tracker = Tracker()
    for place in range(5):
        tracker.update(seen(found(DECK[0])), place / 10)
    for place in range(5, 8):
        told = tracker.update(seen(found(DECK[0], 300)), place / 10)
    assert [card.card for card in told.solution.cards] == [DECK[0]]
    assert told.solution.cards[0].corners[0, 0] == 300


def test_outlines_hold_still_and_names_stay():
    tracker, rng = Tracker(), np.random.default_rng(0)
    places, names = [], set()
    for place in range(60):
        card = found(DECK[0])
        # Shaken, and by chance begun at the other end, as half a turn of a card is no other card.
        corners = np.roll(card.corners + rng.normal(0, 1.5, (4, 2)), 2 * int(rng.integers(2)), axis=0)
        told = tracker.update(seen(dataclasses.replace(card, corners=corners)), place / 10)
        names |= set(told.names)
        places += [found.corners for found in told.solution.cards]
    assert names == {0}
    assert np.std(places[20:], axis=0).max() < 1.0
    mean = np.mean(places[20:], axis=0)
    assert min(np.abs(mean - SQUARE).max(), np.abs(mean - np.roll(SQUARE, 2, axis=0)).max()) < 1.0


def test_sets_are_those_of_the_cards_that_are_shown():
    trio = [Card.from_code(code) for code in ("1RSD", "2RSD", "3RSD")]
    tracker = Tracker()
    for now in (0.0, 0.1):
        told = tracker.update(seen(*(found(card, 200 * place) for place, card in enumerate(trio))), now)
    assert told.solution.sets == ((0, 1, 2),)


@pytest.mark.parametrize("count", [0, 1])
def test_an_empty_table(count):
    assert Tracker().update(seen(*[found(DECK[0])] * count), 0.0).solution.cards == ()
