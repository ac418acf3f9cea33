"""Positions of a match: a move is found by its text, in any spelling."""

from __future__ import annotations

import random

import pytest

from kibitz.gdl import library
from kibitz.gdl.game import GdlGame
from kibitz.gdl.writer import to_kif
from kibitz.ggp import position as position_module
from kibitz.ggp.position import Position
from kibitz.sessions.session import Session
from kibitz.syntax.source import Source


@pytest.mark.parametrize(
    "text", ["(mark 2 3)", "( mark 2 3 )", "(MARK 2 3)", "(mark\n2\t3) ; the right side"]
)
def test_a_move_is_found_whatever_its_spelling(text: str) -> None:
    position = Position(library.game("gdl-tic-tac-toe"))
    move = position.find(0, text)
    assert move is not None
    assert position.words(move) == "(mark 2 3)"


@pytest.mark.parametrize("grounded", [True, False])
@pytest.mark.parametrize("spelling", ["noop", "(noop)"])
def test_moves_without_arguments_are_spelled_as_in_the_rules(
    spelling: str, grounded: bool
) -> None:
    text = library.gdl_tic_tac_toe.text.text.replace(" noop)", f" {spelling})")
    position = Position(GdlGame(Source("own.kif", text), grounded=grounded))
    (move,) = position.legal(1)
    assert position.words(move) == spelling
    assert {position.find(1, word) for word in ("noop", "(noop)", "( NOOP )")} == {move}
    position.step(["(mark 1 1)", "(noop)"])
    assert position.words(position.legal(0)[0]) == spelling
    game = position.game
    again = GdlGame(Source("again.kif", to_kif(game.description)), grounded=grounded)
    assert spelling in again.rules.actions.names or not grounded
    assert position.state.action_words(move) == spelling


@pytest.mark.parametrize("text", ["(mark 4 3)", "(mark 2", "noop", ""])
def test_what_is_no_legal_move_is_not_found(text: str) -> None:
    assert Position(library.game("gdl-tic-tac-toe")).find(0, text) is None


def test_the_own_spelling_is_found_without_reading_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent's choice is looked up after the deadline, at times among thousands of moves."""
    position = Position(library.game("breakthrough"))
    read: list[str] = []
    term = position_module.read_term

    def reading(text: str) -> object:
        read.append(text)
        return term(text)

    monkeypatch.setattr(position_module, "read_term", reading)
    for move in position.legal(0):
        assert position.find(0, position.words(move)) == move
    assert read == []
    assert position.find(0, position.words(position.legal(0)[-1]).upper()) is not None
    assert read


@pytest.mark.parametrize("name", ["light-cycles", "kriegspiel-tic-tac-toe"])
def test_a_match_and_a_session_with_the_same_moves_are_the_same_game(name: str) -> None:
    """Simultaneous moves of a match are made one after the other in a session."""
    rng = random.Random(3)
    position = Position(library.game(name))
    session = Session(position.table, [None] * position.table.players)
    while not position.over:
        assert not session.is_over
        moves = [rng.choice(position.legal(role)) for role in range(len(position.roles))]
        while not session.is_over and session.state.view.turn == position.steps_made:
            session.apply(moves[session.player])
        position.play(moves)
        true = position.steps.rules.facts.true
        assert true(session.state.view.facts) == true(position.state.view.facts)
    assert session.is_over
    assert session.state.scores() == position.goals()
