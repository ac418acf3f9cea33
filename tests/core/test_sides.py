"""Sides: who wins and loses together, declared once in every language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.studies.tiny_games import is_won_by

import kibitz
from kibitz.core.errors import GameDefinitionError
from kibitz.core.game import Table
from kibitz.core.utility import utilities, utility_at
from kibitz.loading import from_text
from kibitz.syntax.source import Source

HANABI = Path(__file__).parents[1] / "recycle" / "data" / "hanabi.rcy"


def sides_of(table: Table) -> list[int]:
    state = table.new_state()
    return [state.view.seat[p].side for p in range(table.players)]


def test_each_seat_is_a_side_by_default() -> None:
    table = kibitz.load("love-letter").table(3)
    assert table.sides == ((0,), (1,), (2,))
    assert (table.has_rivals, table.has_teams, table.is_cooperative) == (True, False, False)
    assert sides_of(table) == [0, 1, 2]


def test_games_in_python_declare_their_sides() -> None:
    pairs = is_won_by(5, 2, 5, 2, sides=lambda self, players, parameters: [(0, 2), (1, 3)])
    table = pairs.table(4)
    assert (table.sides, sides_of(table)) == (((0, 2), (1, 3)), [0, 1, 0, 1])
    assert (table.has_rivals, table.has_teams, table.is_cooperative) == (True, True, False)


def test_a_seat_that_is_left_out_is_a_side_of_its_own() -> None:
    game = is_won_by(5, 2, 5, sides=lambda self, players, parameters: [(1, 2)])
    assert game.table(3).sides == ((1, 2), (0,))


@pytest.mark.parametrize("sides", [[(0, 1), (1, 2)], [(0, 7)]])
def test_wrong_sides_are_refused(sides: list[tuple[int, ...]]) -> None:
    game = is_won_by(1, 2, 3, sides=lambda self, players, parameters: sides)
    with pytest.raises(GameDefinitionError, match="each seat, from 0 to 2, should be in one side"):
        game.table(3)


def test_recycle_takes_teams_and_a_common_score() -> None:
    assert kibitz.load("whist").table().sides == ((0, 2), (1, 3))
    table = kibitz.load(HANABI).table(3)
    assert (table.sides, table.played_for, table.is_cooperative) == (((0, 1, 2),), "score", True)
    assert kibitz.load("agram").table(3).sides == ((0,), (1,), (2,))


def test_a_category_declares_a_cooperative_game_in_gdl() -> None:
    text = (
        "; Together\n; Source: nowhere\n; Categories: cooperative\n\n"
        "(role ann) (role bob) (init run) (<= (legal ?r go) (role ?r) (true run))\n"
        "(<= (next done) (true run)) (<= terminal (true done)) (<= (goal ?r 100) (role ?r))"
    )
    table = from_text(Source("together.kif", text)).table()
    assert (table.sides, table.played_for) == (((0, 1),), "place")


def test_utilities_are_what_the_table_is_played_for() -> None:
    table = kibitz.load(HANABI).table(2)
    state = table.new_state(3)
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    assert utilities(state, utility_at(table)) == state.scores()
    assert 0 <= state.returns()[0] < 1


@pytest.mark.parametrize(
    ("scores", "sides", "played_for", "words"),
    [
        ((5, 2, 5, 2), [(0, 2), (1, 3)], "place", "Players 1 and 3 have won."),
        ((5, 5, 2, 2), [], "place", "Players 1 and 2 share the victory."),
        ((3, 3, 3, 3), [range(4)], "score", "The game is over with a score of 3."),
    ],
)
def test_the_headline_tells_which_side_has_won(
    scores: tuple[float, ...], sides: list[Any], played_for: str, words: str
) -> None:
    game = is_won_by(*scores, played_for=played_for, sides=lambda self, players, parameters: sides)
    state = game.new_state(4, seed=1, chance=100)
    while not state.is_terminal:
        state.apply(state.legal_actions()[0])
    assert state.headline() == words
