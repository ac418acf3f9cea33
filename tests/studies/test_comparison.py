"""Comparisons: intervals that hold, no false alarms, and planted differences that are found."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reporting import as_text

import kibitz
from kibitz.core.errors import ParameterError
from kibitz.core.statistics import holm
from kibitz.studies.comparison import Comparison, Measured, compare, difference_of


def row(comparison: Comparison, title: str) -> kibitz.studies.comparison.Row:
    return next(row for row in comparison.rows if row.title == title)


# --- real games ---------------------------------------------------------------------------


def test_the_same_game_twice_differs_in_nothing() -> None:
    agram = kibitz.load("agram")
    comparison = compare({"one": agram.table(3), "other": agram.table(3)}, games=100)
    assert comparison.rows
    for line in comparison.rows:
        [difference] = line.differences
        assert difference is not None
        assert difference.value == 0
        assert difference.p_value == 1
        assert not difference.is_significant
    assert "No difference seen between other and one in 100 games of each" in as_text(comparison)


def test_values_are_those_of_playtests() -> None:
    letters = kibitz.load("love-letter")
    comparison = compare({"two": letters.table(2), "three": letters.table(3)}, games=300, seed=5)
    for place, players in enumerate((2, 3)):
        alone = kibitz.playtest("love-letter", players=players, games=300, seed=5)
        values = {line.title: line.values[place] for line in comparison.rows}
        assert values["seat 1 wins"] == pytest.approx(alone.seats[0].win_rate)
        assert values["seat 2 scores"] == pytest.approx(alone.seats[1].score.mean)
        assert values["decisions a game"] == pytest.approx(alone.decisions_per_game.mean)
        assert values["options a decision"] == pytest.approx(alone.options_per_decision.mean)
        assert values["hidden from who decides"] == pytest.approx(alone.hidden_share)


def test_a_shorter_game_is_noticed() -> None:
    agram = kibitz.load("agram")
    comparison = compare({"6": agram.table(hand=6), "4": agram.table(hand=4)}, games=200)
    [difference] = row(comparison, "decisions a game").differences
    assert difference is not None
    assert difference.is_significant
    assert difference.value < 0
    assert "\N{BLACK DOWN-POINTING TRIANGLE}" in as_text(comparison)


def test_measures_that_say_the_same_are_told_once() -> None:
    agram = kibitz.load("agram")  # one point for the winner, nobody else has any
    comparison = compare({"6": agram.table(2, hand=6), "4": agram.table(2, hand=4)}, games=50)
    titles = [line.title for line in comparison.rows]
    assert "seat 1 wins" in titles
    assert "seat 1 scores" not in titles


def test_agents_are_compared_where_there_are_several() -> None:
    board = kibitz.load("tic-tac-toe")
    tables = {"3": board.table(size=3), "5": board.table(size=5)}
    comparison = compare(tables, agents=["osla", "random"], games=100)
    assert {"osla wins", "random wins"} <= {line.title for line in comparison.rows}


def test_games_that_break_off() -> None:
    text = """(game (setup (create players 2) (create deck (game iloc STOCK) (deck (RANK (A, B)))))
      (do ((shuffle (game iloc STOCK))))
      (choice ((inc ((current player) sto WON)) (turn pass)))
      {}
      (scoring max ((current player) sto WON)))"""
    broken = """(do (((== (cardatt RANK (top (game iloc STOCK))) A)
      (set ((0 player) sto WON) (// 1 (game sto NONE))))))"""
    sound = kibitz.load(text.format(""), language="recycle").table(2)
    half = kibitz.load(text.format(broken), language="recycle").table(2)
    comparison = compare({"sound": sound, "half": half}, games=400)
    unfinished = row(comparison, "games unfinished")
    assert unfinished.values[0] == 0
    assert unfinished.values[1] == pytest.approx(0.5, abs=0.1)
    [difference] = unfinished.differences
    assert difference is not None
    assert difference.is_significant
    [wins] = row(comparison, "seat 1 wins").differences  # of the games that were finished
    assert wins is not None
    assert not wins.is_significant


def test_workers_make_no_difference() -> None:
    agram = kibitz.load("agram")
    tables = {"6": agram.table(hand=6), "4": agram.table(hand=4)}
    single, parallel = (compare(tables, games=300, workers=workers) for workers in (1, 2))
    assert single.to_json() == parallel.to_json()


def test_one_variant_is_nothing_to_compare() -> None:
    with pytest.raises(ParameterError, match="2 to 20"):
        compare({"one": kibitz.load("agram").table()})


# --- statistics ---------------------------------------------------------------------------


def measured(rng: np.random.Generator, shared: np.ndarray, mean: float) -> Measured:
    """The number of options per decision in games that share part of their luck with others."""
    decisions = rng.poisson(10, len(shared)) + 1
    options = decisions * (mean + 0.5 * shared + 0.5 * rng.standard_normal(len(shared)))
    return Measured(False, options, decisions.astype(np.float64))


def test_intervals_hold_the_truth() -> None:
    """In 95 of 100 repetitions; with luck in common they are narrower, and hold it as often."""
    rng = np.random.default_rng(1)
    held = {True: 0, False: 0}
    gains = []
    for _ in range(1000):
        luck = rng.standard_normal(200)
        other = {True: luck, False: rng.standard_normal(200)}
        for paired in held:
            difference = difference_of(measured(rng, luck, 3.0), measured(rng, other[paired], 3.2))
            assert difference is not None
            assert difference.interval is not None
            held[paired] += difference.interval[0] <= 0.2 <= difference.interval[1]
            if paired:
                gains.append(difference.gain)
    assert held[True] == pytest.approx(950, abs=21)  # three standard deviations
    assert held[False] == pytest.approx(950, abs=21)
    assert np.mean(gains) == pytest.approx(2.0, abs=0.2)  # half of the variance is shared


def test_false_alarms_are_rare() -> None:
    """Of 500 comparisons of 20 measures without any difference, at most 5 % say there is one."""
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(500):
        p_values = []
        for _ in range(20):
            luck = rng.standard_normal(100)
            difference = difference_of(measured(rng, luck, 3.0), measured(rng, luck, 3.0))
            assert difference is not None
            p_values.append(difference.p_value)
        alarms += min(holm(p_values)) < 0.05
    assert alarms <= 25 + 3 * 5


def test_a_few_games_prove_nothing() -> None:
    """Five games that all say the same may do so by chance, one time in 16; two, every other."""
    for games, p_value in ((2, 0.5), (5, 1 / 16), (20, 2.0**-19)):
        zeros, weights = np.zeros(games), np.ones(games)
        difference = difference_of(
            Measured(True, zeros, weights), Measured(True, weights, weights)
        )
        assert difference is not None
        assert difference.value == 1
        assert difference.p_value == pytest.approx(p_value)


def test_few_games_are_tested_as_strictly_as_they_are_told() -> None:
    """A difference alone is significant if its interval does not reach 0, and only then."""
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(2000):
        weights = np.ones(8)
        first, other = (Measured(False, rng.standard_normal(8), weights) for _ in range(2))
        difference = difference_of(first, other)
        assert difference is not None
        assert difference.interval is not None
        low, high = difference.interval
        if min(abs(low), abs(high)) > 0.01:
            assert difference.is_significant == (low > 0 or high < 0)
        alarms += difference.is_significant
    assert alarms == pytest.approx(100, abs=30)  # three standard deviations


def test_holm() -> None:
    """The example of Holm's procedure by hand: times 4, 3, 2, 1, and never decreasing."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_what_an_interrupt_leaves_of_all_variants_is_compared() -> None:
    """Though the games of the last variant would be the last ones."""
    board = kibitz.load("tic-tac-toe")
    variants = {f"{size}": board.table(size=size) for size in (3, 4, 5)}
    counts: list[int] = []

    def stop(stage: str, played: int, total: int) -> None:
        assert (stage, total) == ("games", 6000)
        counts.append(played)
        if played > 1500:
            raise KeyboardInterrupt

    comparison = compare(variants, games=2000, progress=stop, workers=1)
    assert comparison.interrupted
    assert 300 <= comparison.games < 1000
    assert counts == sorted(counts)
    uninterrupted = compare(variants, games=comparison.games, workers=1)
    assert comparison.rows == uninterrupted.rows


# --- luck that is taken out ---------------------------------------------------------------


def test_who_wins_needs_fewer_games_where_luck_is_taken_out() -> None:
    """And the numbers stay the same, but for what chance made of them."""
    agram = kibitz.load("agram")
    tables = {"6": agram.table(2, hand=6), "5": agram.table(2, hand=5)}
    plain = compare(tables, games=150)
    controlled = compare(tables, games=150, record=["judgements"], judge="rollouts:samples=4")
    assert (plain.controlled, controlled.controlled) == (False, True)
    assert "is taken out of the differences" in " ".join(as_text(controlled).split())
    [before], [after] = (
        row(comparison, "seat 1 wins").differences for comparison in (plain, controlled)
    )
    assert before.gain is not None
    assert after.gain is not None
    assert after.gain > 1.5 * before.gain
    assert row(plain, "seat 1 wins").values == row(controlled, "seat 1 wins").values
    error = (before.interval[1] - before.interval[0]) / 4
    assert abs(after.value - before.value) < 4 * error


@pytest.mark.parametrize("games", [40, 200])
def test_intervals_without_luck_hold(games: int) -> None:
    rng = np.random.default_rng(games)
    held, gains, weights = 0, list[float](), np.ones(games)
    for _ in range(500):
        luck = rng.normal(size=(games, 3))
        measured = Measured(False, luck @ [1, 2, 0] + rng.normal(size=games), weights)
        other = Measured(False, 0.5 + rng.normal(size=games), weights)
        estimate = difference_of(measured, other, luck)
        held += estimate.interval[0] <= 0.5 <= estimate.interval[1]
        gains.append(estimate.gain)
    assert 0.915 < held / 500 < 0.985  # 0.95, with 3.6 standard errors
    assert np.median(gains) == pytest.approx(3.5, rel=0.15)  # (1 + 4 + 1 + 1) / (1 + 1)


def test_only_rollouts_to_the_end_of_the_game_say_what_is_luck() -> None:
    board = kibitz.load("tic-tac-toe")
    tables = {"3": board.table(), "4": board.table(size=4)}
    with pytest.raises(ParameterError, match="rollouts to the end"):
        compare(tables, games=10, record=["judgements"], judge="rollouts:rollout=deal")
