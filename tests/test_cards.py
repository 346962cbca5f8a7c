from __future__ import annotations

import pytest

from setml import DECK, Card


def test_deck_holds_each_card_once_in_order():
    assert len(DECK) == len(set(DECK)) == 81
    by_name = sorted(DECK, key=str)
    assert by_name != list(DECK)
    assert sorted(by_name) == list(DECK)
    assert [card.index for card in DECK] == list(range(81))


@pytest.mark.parametrize("card", DECK[::5], ids=str)
def test_every_form_reads_back(card):
    assert Card.from_code(card.code) == card
    assert Card.from_sentence(str(card)) == card
    assert Card.from_integers(card.integers) == card
    assert Card.from_index(card.index) == card
    assert Card(**card.to_dict()) == card


def test_forms_of_the_design():
    card = Card(2, "purple", "open", "diamond")
    assert card.integers == (1, 1, 3, 2)
    assert str(card) == "2 open purple diamonds"
    assert str(Card.from_code("1RTQ")) == "1 striped red squiggle"


def test_cards_are_immutable():
    with pytest.raises(AttributeError):
        DECK[0].count = 2


@pytest.mark.parametrize("code", ["", "2RT", "2RTDD", "4RTD", "0RTD", "2BTD", "2RXD", "2RTX", "RTD2"])
def test_what_is_no_code_is_refused(code):
    with pytest.raises(ValueError, match="expected a count"):
        Card.from_code(code)


@pytest.mark.parametrize(
    "sentence", ["", "2 red striped diamonds", "1 striped red diamonds", "two striped red diamonds"]
)
def test_what_is_no_sentence_is_refused(sentence):
    with pytest.raises(ValueError, match="expected count"):
        Card.from_sentence(sentence)


@pytest.mark.parametrize(
    "values", [(True, "red", "solid", "oval"), (4, "red", "solid", "oval"), (1, "blue", "solid", "oval")]
)
def test_what_is_no_card_is_refused(values):
    with pytest.raises(ValueError, match="expected one of"):
        Card(*values)
