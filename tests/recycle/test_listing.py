"""Listing 1 of the paper, put right, is the library's Agram.

The paper is no part of this project; the tests are skipped where it is not at hand.
"""

from __future__ import annotations

import pytest
from tests.recycle.agreement import play_table
from tests.recycle.native import options_and_error, play
from tests.recycle.test_parser_diagnostics import corrected
from tests.recycle.test_two_languages import batch_of, options_at, same_games

import kibitz
from kibitz.core.game import Table
from kibitz.recycle.game import RecycleGame
from kibitz.syntax.source import Source


def listing(players: int = 4, hand: int = 6) -> Table:
    """The game of the listing, perhaps with other numbers of players and cards."""
    text = corrected().text
    for old, new in (
        ("(create players 4)", f"(create players {players})"),
        ("(0) (1) (2) (3)", " ".join(f"({player})" for player in range(players))),
        ("iloc HAND)) 6)", f"iloc HAND)) {hand})"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    return RecycleGame(Source("listing1.gdl", text)).table()


@pytest.mark.parametrize(("players", "hand"), [(4, 6), (2, 6), (5, 6), (2, 3), (3, 1)])
def test_same_as_the_library(players: int, hand: int) -> None:
    same_games(listing(players, hand), kibitz.load("agram").table(players, hand=hand))


def test_options_of_leader_and_followers() -> None:
    """The numbers are those of the paper's engine for the corrected listing."""
    batch = batch_of(listing())
    for trick, (leader, follower) in enumerate(
        [(6, 2.47), (5, 2.49), (4, 2.36), (3, 2.13), (2, 1.67), (1, 1.00)]
    ):
        assert options_at(batch, 4 * trick) == (leader, 0.0)
        means, errors = zip(
            *(options_at(batch, 4 * trick + seat) for seat in (1, 2, 3)), strict=True
        )
        # theirs are of 1,000 games
        error = max(errors) * (1 + len(batch.results) / 1000) ** 0.5 / 3**0.5
        assert sum(means) / 3 == pytest.approx(follower, abs=4 * error + 0.005)


def test_cards_are_conserved() -> None:
    played = play(listing(), 1000)
    assert not played["misplaced"].any()
    assert (played["actions"] == 24).all()
    mean, deviation = options_and_error(played)
    assert mean == pytest.approx(2.398, abs=4 * deviation * (2 / 1000) ** 0.5)


def test_compiled_as_the_oracle_plays_it() -> None:
    for seed in range(3):
        play_table(listing(), seed)
