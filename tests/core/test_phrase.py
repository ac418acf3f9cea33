import random

import pytest

import kibitz
from kibitz.core import registry
from kibitz.core.phrase import ANY, Phrase, things_among
from kibitz.players.restricted import matching


def test_groups_of_an_action_from_the_largest_to_itself():
    phrase = Phrase(("", " to own TRICK"), ("TEN HEARTS",))
    assert phrase.words == "TEN HEARTS to own TRICK"
    assert list(phrase.patterns()) == [
        "* to own TRICK",
        "TEN * to own TRICK",
        "* HEARTS to own TRICK",
        "TEN HEARTS to own TRICK",
    ]


def test_numbers_seats_and_any_name_no_thing():
    values = ["Guard", "12", "player 2", ANY, "team 1", "seat 10", "player", "a1", "seat x"]
    assert list(things_among(values)) == ["Guard", "player", "a1", "seat x"]


def test_a_seat_is_no_group_and_an_action_without_operands_is_one():
    phrase = Phrase(("play Guard on ", " guessing ", ""), ("player 2", "King"))
    assert list(phrase.patterns()) == [
        "play Guard on * guessing *",
        "play Guard on * guessing King",
        "play Guard on player 2 guessing King",
    ]
    assert list(Phrase(("pass",), ()).patterns()) == ["pass"]


@pytest.mark.parametrize("name", sorted(registry.names()))
def test_every_group_of_an_action_matches_its_words(name):
    """In the library of all three languages; ``restrict`` takes the same patterns."""
    game = kibitz.load(name)
    table = game.table()
    chance = random.Random(name)
    state = table.new_state(1)
    for _ in range(40):
        if state.is_terminal:
            break
        legal = state.legal_actions()
        for action in legal[:12]:
            for pattern in table.wording.phrase(action).patterns():
                assert matching(pattern).fullmatch(state.action_words(action)), pattern
        state.apply(chance.choice(legal))
