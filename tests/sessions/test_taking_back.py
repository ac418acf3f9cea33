"""Choices are taken back only where no person knows more than before."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.core.randomness import is_wide
from kibitz.sessions.session import Session
from kibitz.sessions.taking_back import NotTakenBackError

GUESS = """
(role a) (role random) (init (step 1))
(<= (legal a (pick ?n)) (true (step 1)) (number ?n)) (number 1) (number 2)
(<= (legal random noop) (true (step 1)))
(<= (legal random (roll ?n)) (true (step 2)) (number ?n)) (<= (legal a noop) (true (step 2)))
(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
(<= (legal a noop) (true (step 3))) (<= (legal random noop) (true (step 3)))
(<= (next (step 4)) (true (step 3)))
(<= terminal (true (step 4))) (goal a 50)
"""
STONE_PAPER = """
(role a) (role b) (init (step 1)) (sign stone) (sign paper)
(<= (legal ?r ?s) (role ?r) (sign ?s))
(<= (next (shows ?r ?s)) (does ?r ?s))
(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
(<= terminal (true (step 3))) (goal a 50) (goal b 50)
"""


def advance(session: Session, choices: int) -> None:
    """Plays first options until so many choices of people are made, and then what agents do."""
    while not session.is_over:
        if session.awaits is None:
            session.advance()
        elif choices:
            choices -= 1
            session.apply(session.state.legal_actions()[0])
        else:
            return


def test_with_everything_open_every_choice_is_taken_back() -> None:
    session = Session("connect-four", [None, "random"], 1)
    advance(session, 3)
    for left in (4, 2, 0):
        session.take_back((0,))
        assert len(session.moves) == left
    with pytest.raises(NotTakenBackError, match="you have not chosen yet"):
        session.take_back((0,))


def test_turns_of_a_general_game_are_open_though_all_roles_move_in_each() -> None:
    session = Session("gdl-tic-tac-toe", [None, "random"], 1)
    advance(session, 2)
    move = session.take_back((0,))
    assert session.state.legal_actions()[0] == move.action


def test_a_choice_of_the_same_turn_that_reveals_nothing_is_taken_back() -> None:
    session = Session("hearts", [None, "random", "random", "random"], 4)
    session.apply(session.state.legal_actions()[0])
    assert session.awaits == 0  # the first of the cards to pass
    session.take_back((0,))
    assert not session.moves


def test_what_others_choose_with_hidden_cards_stays() -> None:
    session = Session("kuhn-poker", [None, "random"], 1)
    advance(session, 1)
    if not session.is_over:
        with pytest.raises(NotTakenBackError, match="hidden"):
            session.take_back((0,))


def test_what_chance_has_decided_stays() -> None:
    game = kibitz.load(GUESS, language="gdl")
    session = Session(game, [None], 1)
    session.apply(session.state.legal_actions()[0])
    while session.awaits is None and session.state.tick < 2:
        session.advance()
    assert session.obstacle((0,)).startswith("chance")


def test_a_choice_made_at_the_same_time_stays() -> None:
    session = Session(kibitz.load(STONE_PAPER, language="gdl"), [None, "random"], 1)
    session.apply(session.state.legal_actions()[0])
    assert session.obstacle((0,)) == ""  # the other one has not chosen yet
    session.advance()
    assert "hidden" in session.obstacle((0,))


def test_a_wrong_guess_tells_something_too() -> None:
    """A miss with the Guard excludes a card; nothing that lies on the table changes."""
    tried = 0
    for seed in range(40):
        session = Session("love-letter", [None, None], seed)
        options = [session.state.action_words(a) for a in session.state.legal_actions()]
        guesses = [w for w in options if "Guard on player 2 guessing Priest" in w]
        if session.player == 0 and guesses:
            tried += 1
            session.apply(guesses[0])
            assert session.is_over or session.obstacle((0,))
    assert tried


def test_a_session_may_have_a_seed_of_any_size() -> None:
    seed = 2**200 + 5
    sessions = [Session("love-letter", [None, "ismcts:iterations=10"], seed) for _ in range(2)]
    for session in sessions:
        advance(session, 100)
    assert is_wide(seed)
    assert sessions[0].moves == sessions[1].moves
    table = sessions[0].table
    assert table.new_state(seed) != table.new_state(seed + 1)
