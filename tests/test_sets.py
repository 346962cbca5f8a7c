from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from setml import DECK, Card, complete, explain, find_sets, is_set, set_key
from setml.sets import find_sets_by_triples

cards = st.sampled_from(DECK)


def test_the_whole_deck_holds_1080_sets_by_both_methods():
    assert len(find_sets(DECK)) == 1080
    assert find_sets(DECK) == find_sets_by_triples(DECK)


@given(st.lists(cards, min_size=3, max_size=21))
def test_both_methods_agree_also_on_equal_cards(table):
    assert find_sets(table) == find_sets_by_triples(table)


@given(st.lists(cards, min_size=22, max_size=81, unique=True))
def test_both_methods_agree_on_large_tables_which_always_hold_a_set(table):
    found = find_sets(table)
    assert found
    assert found == find_sets_by_triples(table)


@given(cards, cards)
def test_two_cards_have_exactly_one_key(a, b):
    keys = [c for c in DECK if is_set(a, b, c)]
    assert keys == [set_key(a, b)] == [set_key(b, a)]


@given(cards, cards, cards)
def test_a_set_is_what_no_attribute_spoils(a, b, c):
    verdicts = explain(a, b, c)
    assert is_set(a, b, c) == all(verdict.kind != "spoiled" for verdict in verdicts)
    for verdict in verdicts:
        assert len(set(verdict.values)) == {"equal": 1, "spoiled": 2, "different": 3}[verdict.kind]


@given(st.lists(cards, max_size=12))
def test_each_completion_makes_a_set_and_is_not_there_yet(table):
    completions = complete(table)
    assert list(completions) == sorted(completions)
    assert not set(completions) & set(table)
    told = {pair for pairs in completions.values() for pair in pairs}
    for card, pairs in completions.items():
        assert all(is_set(table[i], table[j], card) for i, j in pairs)
    # Every other two are completed by a card that lies there.
    for i, j in itertools.combinations(range(len(table)), 2):
        assert ((i, j) in told) != (set_key(table[i], table[j]) in table)


def test_a_table_without_a_set():
    table = [card for card in DECK if max(card.places) < 2]
    assert len(table) == 16
    assert find_sets(table) == []


def test_equal_cards_are_cards_of_their_own():
    a, b, c = map(Card.from_code, ("1RSD", "2RSD", "3RSD"))
    assert find_sets([a, b, c, a]) == [(0, 1, 2), (1, 2, 3)]
    assert find_sets([a, a, b]) == []
