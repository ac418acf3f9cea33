"""The conformance check of games that are too long for every action to be inspected."""

from __future__ import annotations

import functools
import json
import random
from typing import Any

import pytest
from tests.checks import long_games as long
from tests.checks.long_games import Long

from kibitz.checks import Law, Report, check_game
from kibitz.checks.case import SMALL_TABLE, observers
from kibitz.checks.stretches import STRETCH, Stretch, choose
from kibitz.checks.watched import Watch
from kibitz.core.errors import ParameterError
from kibitz.core.game import Game

ACTIONS = 200
"""How many actions are looked at in each check."""


@functools.cache
def check(game: type[Game]) -> Report:
    """A short check, always the same."""
    return check_game(game, games=2, seed=1, players=2, actions=ACTIONS)


def test_of_long_games_parts_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    begin = Watch._begin

    def counting(watch: Watch) -> None:
        nonlocal calls
        calls += 1
        begin(watch)

    monkeypatch.setattr(Watch, "_begin", counting)
    few = check_game(Long, games=2, seed=1, players=2, actions=ACTIONS)
    calls_for_few, calls = calls, 0
    assert few.ok, few
    assert few.complete
    assert few.checked["actions"] >= 2 * 2 * long.ROUNDS
    assert ACTIONS // 2 <= few.checked["actions looked at"] <= ACTIONS
    assert "beginning, end and parts between" in str(few)
    whole = check_game(Long, games=2, seed=1, players=2, actions=5_000)
    assert whole.ok, whole
    assert whole.checked["actions looked at"] == whole.checked["actions"]
    assert "all of them one by one" in str(whole)
    assert calls_for_few < calls / 3  # what is left is the same: openings, states in depth


def test_that_a_long_game_does_not_end_is_found() -> None:
    report = check(long.NeverEnds)
    assert report.broken == [Law.ENDS]
    assert "still goes on after 4000 actions" in report.problems[0].message
    assert report.problems[0].tick == long.NeverEnds.max_ticks


def test_the_end_of_a_long_game_is_looked_at() -> None:
    report = check(long.NobodyWins)
    assert report.broken == [Law.RESULTS]
    problem = report.problems[0]
    assert problem.tick is not None
    assert problem.tick > 2 * long.ROUNDS
    assert problem.replay(long.NobodyWins(compiled=False)).is_terminal


def test_what_goes_wrong_between_is_traced_back_to_the_action() -> None:
    report = check(long.LosesCardLate)
    assert Law.CONSERVED in report.broken, report
    problem = next(p for p in report.problems if p.law == Law.CONSERVED)
    assert "1 " in problem.message
    assert "missing" in problem.message
    assert problem.tick == long.LOST_AT
    state = problem.replay(long.LosesCardLate(compiled=False))
    assert sum(deck.count for deck in (state.view.deck, state.view.played)) < 15


def test_a_crash_of_compiled_rules_is_traced_back_to_the_rule() -> None:
    report = check(long.WildIndexLate)
    assert report.broken == [Law.EXCEPTION]
    problem = report.problems[0]
    assert "IndexError" in problem.message
    assert "state.note.values[1 << 40]" in problem.message
    assert problem.tick == long.WILD_AT


def test_long_games_that_cannot_be_compiled_are_left_where_they_are() -> None:
    report = check(long.PrintsLong)
    assert report.broken == [Law.COMPILES]
    assert any("2 games were not played to their end" in remark for remark in report.remarks)
    assert report.checked["actions looked at"] <= ACTIONS


def test_the_same_seed_looks_at_the_same_parts() -> None:
    again = check_game(long.LosesCardLate, games=2, seed=1, players=2, actions=ACTIONS)
    assert again.problems == check(long.LosesCardLate).problems
    assert again.checked == check(long.LosesCardLate).checked


# --- which parts --------------------------------------------------------------------------------


def stretch(tick: int, *kinds: int) -> Stretch:
    """A stretch with actions of these kinds."""
    return Stretch(tick * STRETCH, b"", frozenset((kind, 0, False) for kind in kinds))


def test_the_last_stretch_and_new_sorts_of_steps_come_first() -> None:
    stretches = [stretch(t, 1, 5 if t == 30 else 2, 7 if t == 60 else 1) for t in range(99)]
    known = {(1, 0, False), (2, 0, False)}
    assert choose(stretches, 3, known, random.Random(1)) == [30, 60, 98]
    assert choose(stretches, 1, known, random.Random(1)) == [98]
    more = choose(stretches, 10, known, random.Random(1))
    assert len(more) == 10
    assert {30, 60, 98} < set(more)
    assert choose(stretches[:4], 10, known, random.Random(1)) == [0, 1, 2, 3]


def test_in_time_every_player_at_a_large_table_has_looked() -> None:
    class Table:
        current_player = 2

        def __init__(self, players: int, tick: int) -> None:
            self.players, self.tick = players, tick

    def at(players: int, tick: int) -> list[int]:
        state: Any = Table(players, tick)
        return observers(state)

    assert at(SMALL_TABLE, 5) == list(range(SMALL_TABLE))
    assert {len(at(10, tick)) for tick in range(30)} == {2}
    assert set().union(*(at(10, tick) for tick in range(30))) == set(range(10))
    assert all(2 in at(10, tick) for tick in range(30))


# --- while it goes on ---------------------------------------------------------------------


def test_a_check_that_is_stopped_has_told_what_it_found() -> None:
    seen: list[Report] = []
    games: list[int] = []

    def stop_at_three(report: Report) -> None:
        seen.append(report)
        games.append(report.checked["games"])
        if report.checked["games"] == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_game(Long, games=9, players=2, actions=ACTIONS, on_game=stop_at_three)
    assert games == [0, 1, 2, 3]
    report = seen[-1]
    assert not report.complete
    assert "no law was found broken so far" in str(report)
    assert json.loads(json.dumps(report.to_json()))["complete"] is False


def test_at_least_one_action_is_looked_at() -> None:
    with pytest.raises(ParameterError, match="actions = 0 should be 1 or more"):
        check_game(Long, actions=0)
