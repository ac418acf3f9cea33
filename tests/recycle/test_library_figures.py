"""Figures of thousands of games of the library, compared with earlier measurements.

The numbers are those of the paper (Bell, Goadrich 2016), measured anew with its engine where the
paper has them in pictures only. Theirs come from 1,000 games each unless stated otherwise: a
figure agrees if it is within four standard errors of the difference.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import pytest

import kibitz
from kibitz.core.game import Game
from kibitz.studies import Playtest

GAMES = 20_000
THEIR_GAMES = 1000


@functools.cache
def _game(name: str) -> Game:
    return kibitz.load(name)


def played(name: str, players: int | None = None, games: int = GAMES, **values: Any) -> Playtest:
    """Plays random games; all of them have to finish."""
    result = kibitz.playtest(_game(name), players=players, games=games, seed=1, parameters=values)
    assert result.finished == games
    return result


def share(value: float, games: int = THEIR_GAMES) -> float:
    """Four standard errors between a share of theirs and ours."""
    deviation = math.sqrt(value * (1 - value))
    return 4 * deviation * math.hypot(1 / math.sqrt(games), 1 / math.sqrt(GAMES))


def mean(deviation: float | None) -> float:
    """Four standard errors between a mean of theirs and ours."""
    assert deviation is not None
    return 4 * deviation * math.hypot(1 / math.sqrt(THEIR_GAMES), 1 / math.sqrt(GAMES))


# --- Agram --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "wins"), [(2, 0.732), (3, 0.602), (4, 0.540), (5, 0.520), (6, 0.495)]
)
def test_agram_with_smaller_hands(hand: int, wins: float) -> None:
    result = played("agram", 2, hand=hand)
    assert result.seats[0].win_rate == pytest.approx(wins, abs=share(wins, 5000))


def test_agram_with_one_card_is_known_exactly() -> None:
    wins = 1 - 136 / 1190  # the second player needs a higher card of the suit
    result = played("agram", 2, hand=1)
    error = math.sqrt(wins * (1 - wins) / GAMES)
    assert result.seats[0].win_rate == pytest.approx(wins, abs=4 * error)


@pytest.mark.parametrize(
    ("decider", "wins"),
    [(1, 0.602), (2, 0.539), (3, 0.526), (4, 0.518), (5, 0.508), (6, 0.500)],
)
def test_agram_decided_by_another_trick(decider: int, wins: float) -> None:
    result = played("agram", 2, decider=decider)
    assert result.seats[0].win_rate == pytest.approx(wins, abs=share(wins, 5000))
    assert result.ticks_per_game.mean == 2 * decider


def test_agram_options() -> None:
    """The leader has all cards to choose from, the others have to follow suit."""
    options = played("agram", 4).options_at
    assert [options[4 * trick].mean for trick in range(6)] == [6, 5, 4, 3, 2, 1]
    for trick, theirs in enumerate([2.47, 2.49, 2.36, 2.13, 1.67, 1.00]):
        followers = options[4 * trick + 1 : 4 * trick + 4]
        deviation = max(follower.sd or 0 for follower in followers)
        ours = sum(follower.mean for follower in followers) / 3
        # rounded to hundredths; of one game they are three that hardly depend on each other
        assert ours == pytest.approx(theirs, abs=0.005 + mean(deviation) / math.sqrt(3))


# --- Pairs --------------------------------------------------------------------------------


def test_pairs_is_fair() -> None:
    seats = played("pairs", 4).seats
    for seat, theirs in zip(seats, [9.17, 9.69, 8.77, 9.63], strict=True):
        assert seat.score.mean == pytest.approx(theirs, abs=mean(seat.score.sd))
        assert 9 < seat.score.mean < 9.6


@pytest.mark.parametrize(("players", "decisions"), [(2, 17.2), (3, 16.2), (4, 15.9), (5, 15.0)])
def test_pairs_takes_as_long_with_more_players(players: int, decisions: float) -> None:
    length = played("pairs", players).decisions_per_game
    assert length.mean == pytest.approx(decisions, abs=mean(length.sd))


def test_another_card_for_a_tie_hardly_matters() -> None:
    lot, card = (played("pairs", 4, ties=ties) for ties in (0, 1))
    assert lot.decisions_per_game.mean is not None
    assert card.decisions_per_game.mean == pytest.approx(lot.decisions_per_game.mean, abs=0.5)


@pytest.mark.parametrize(
    ("start", "points"),
    [(0, [1.74, 2.55, 2.01, 1.57]), (1, [2.70, 2.20, 1.65, 1.41])],
    ids=["lowest first", "any first"],
)
def test_a_round_of_pairs_without_stopping(start: int, points: list[float]) -> None:
    seats = played("pairs-round", 4, start=start).seats
    for seat, theirs in zip(seats, points, strict=True):
        assert seat.score.mean == pytest.approx(theirs, abs=mean(seat.score.sd))


def test_continuous_pairs() -> None:
    for seat in played("continuous-pairs", 4).seats:
        assert seat.score.mean == pytest.approx(11.5, abs=mean(seat.score.sd))


# --- War ----------------------------------------------------------------------------------


def test_war_in_fixed_order_goes_in_circles() -> None:
    games = 5000
    result = kibitz.playtest("war", games=games, seed=1)
    causes = {unfinished.cause: unfinished.games for unfinished in result.unfinished}
    assert set(causes) <= {"loop", "limit"}
    circles = causes["loop"] / games
    assert circles == pytest.approx(0.168, abs=share(0.168))
    assert circles == pytest.approx(36 / 200, abs=share(0.18, 200))


def test_war_with_cards_shuffled_comes_to_an_end() -> None:
    result = played("war", games=5000, shuffled=1)
    assert result.loops > 0


# --- others -------------------------------------------------------------------------------


def test_kuhn_poker() -> None:
    result = played("kuhn-poker")
    assert result.seats[0].win_rate == pytest.approx(9 / 16, abs=4 * 0.5 / math.sqrt(GAMES))


EARLIER = [
    # decisions a game and the first seat's mean score in 400 games of the earlier engine, which
    # played from other descriptions of the same rules
    ("gops", 2, {"carry": 1}, 26.0, 45.76),
    ("ninety-eight", 4, {}, 11.79, 0.21),
    ("golf", 4, {"holes": 1}, 67.36, 31.73),
    ("stealing-bundles", 3, {}, 48.0, 16.27),
]


@pytest.mark.parametrize(
    ("name", "players", "values", "length", "score"), EARLIER, ids=[row[0] for row in EARLIER]
)
def test_as_in_the_earlier_engine(
    name: str, players: int, values: dict[str, int], length: float, score: float
) -> None:
    result = played(name, players, games=4000, **values)
    for ours, theirs in (
        (result.ticks_per_game, length),
        (result.seats[0].score, score),
    ):
        assert ours.sd is not None
        error = ours.sd * math.hypot(1 / math.sqrt(400), 1 / math.sqrt(4000))
        assert ours.mean == pytest.approx(theirs, abs=4 * error)
