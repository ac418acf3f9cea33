"""Loops: games that repeat are broken off, and those that only seem to are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.checks.circling_games import Silent, Timed, Walk, Watched

import kibitz
from kibitz.arena.match import LOOP_FROM, MATCH, matches_mark, same_chance
from kibitz.core.agent import make_agents
from kibitz.core.contract import RULES
from kibitz.core.errors import ParameterError
from kibitz.core.game import Game
from kibitz.core.memory import record_at
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.runs import Batch
from kibitz.sessions.recording import verify
from kibitz.sessions.records import Record


def played(
    game: type[Game] = Walk, games: int = 1, loops: int | None = None, **parameters: Any
) -> Batch:
    table = game(compiled=False).table(**parameters)
    return kibitz.play(table, make_agents(["random"], table.players), games, 5, loops=loops)


def ending(*arguments: Any, **parameters: Any) -> tuple[Status, int]:
    result = played(*arguments, **parameters).results[0]
    return Status(result["status"]), int(result["ticks"])


def test_a_ring_without_choice_or_chance_is_a_loop() -> None:
    assert ending() == (Status.LOOP, LOOP_FROM + 7)
    assert ending(size=1) == (Status.LOOP, LOOP_FROM + 1)


@pytest.mark.parametrize("size", [1, 50, 700, 1900])
@pytest.mark.parametrize("approach", [0, 499, 501, 3000])
def test_a_loop_is_found_however_late_it_begins(approach: int, size: int) -> None:
    status, ticks = ending(approach=approach, size=size)
    assert status == Status.LOOP
    assert ticks < 2 * max(LOOP_FROM, approach, 5 * size) + 2 * size


def test_a_long_circle_takes_a_long_game() -> None:
    class Long(Walk):
        max_ticks = 100_000

    assert ending(size=9000) == (Status.LIMIT, 10_000)
    assert ending(Long, size=9000)[0] == Status.LOOP


@pytest.mark.parametrize("reason", [{"options": 2}, {"random": 1}, {"choice_at": 3}])
def test_with_choice_or_chance_there_is_only_a_suspicion(reason: dict[str, int]) -> None:
    assert ending(**reason) == (Status.LIMIT, 10_000)
    assert ending(Watched, **reason) == (Status.SUSPECTED_LOOP, LOOP_FROM + 3 * 7)
    assert ending(Watched, loops=0, **reason) == (Status.LIMIT, 10_000)
    assert ending(loops=2, **reason) == (Status.SUSPECTED_LOOP, LOOP_FROM + 7)


def test_a_choice_made_long_ago_is_no_doubt() -> None:
    assert ending(approach=100, choice_at=50)[0] == Status.LOOP


def test_short_games_are_watched_from_half_their_limit_on() -> None:
    class Short(Walk):
        max_ticks = 60

    assert ending(Short) == (Status.LOOP, 37)


def test_a_game_may_say_that_time_matters() -> None:
    assert ending(end=200) == (Status.LOOP, LOOP_FROM + 7)
    assert ending(Timed, end=200) == (Status.FINISHED, 1400)


@pytest.mark.parametrize("loops", [-1, 1, 10**9])
def test_a_loop_cannot_be_suspected_at_the_first_visit(loops: int) -> None:
    with pytest.raises(ParameterError, match=f"loops = {loops} should be 2 to 1,000,000, or 0"):
        played(loops=loops)


def test_games_do_not_remember_one_another() -> None:
    batch = played(Watched, games=30, approach=400, size=101, random=1)
    assert set(batch.results["ticks"].tolist()) == {LOOP_FROM + 3 * 101}
    batch = played(games=3, size=11)
    assert set(batch.results["ticks"].tolist()) == {LOOP_FROM + 11}


def test_compiled_rules_go_round_like_those_in_python() -> None:
    results = [
        kibitz.play(Walk(compiled=c).table(size=11), make_agents(["random"], 2), 4).results
        for c in (True, False)
    ]
    for name in ("status", "ticks", "turns"):
        assert results[0][name].tolist() == results[1][name].tolist()
    assert set(results[0]["status"].tolist()) == {Status.LOOP}


def test_all_but_chance_and_the_counters_makes_a_state_another() -> None:
    state = Walk(compiled=False).new_state()
    rules = record_at(state.table.address, RULES)
    match = np.zeros(1, MATCH)
    view = record_at(match.ctypes.data, MATCH)

    def same(other: State, word: int = 8) -> bool:
        view.state, view.mark, view.mark_word = other.address, state.address, word
        return matches_mark(view, rules)

    assert same(state.clone())
    for name in ("turn", "round", "tick"):
        other = state.clone()
        setattr(other.view, name, 77)
        assert same(other)
    other = state.clone()
    other.view.rng[3] += 1
    assert same(other)
    assert not same_chance(view)
    names = ("players", "player", "status", "phase", "turn_owner", "first_player", "skip")
    for name in (*names, "direction"):
        other = state.clone()
        setattr(other.view, name, getattr(other.view, name) + 1)
        assert not same(other), name
        assert not same(other, view.mark_word), name
    other = state.clone()
    other.view.seat[3].score = 1.0
    assert not same(other)
    other = state.clone()
    other.view.at.values[0] = 1
    assert not same(other)


# --- what is told of them -----------------------------------------------------------------


def test_records_of_loops_replay() -> None:
    table = Watched(compiled=False).table(random=1)
    record = kibitz.record(table, make_agents(["random"], 2), 3)
    assert record.result.status == "suspected_loop"
    assert "suspected loop (it seems to go round in circles)" in kibitz.transcript(record, table)
    again = Record.from_json(record.to_json())
    verify(again, table)
    assert kibitz.record(table, make_agents(["random"], 2), 3, loops=0).result.status == "limit"
    table = Walk(compiled=False).table()
    record = kibitz.record(table, make_agents(["random"], 2), 3)
    assert (record.result.status, len(record.moves)) == ("loop", LOOP_FROM + 7)
    verify(record, table)


def test_records_of_loops_that_rules_notice_replay() -> None:
    class Honest(Walk):
        @staticmethod
        def apply_action(state: Any, params: Any, action: int) -> None:
            state.status = Status.LOOP

    table = Honest(compiled=False).table()
    record = kibitz.record(table, make_agents(["random"], 2), 3)
    assert record.result.status == "loop"
    verify(record, table)


def test_a_playtest_counts_loops_apart() -> None:
    result = kibitz.playtest(Watched(compiled=False), games=3, parameters={"random": 1})
    document = result.to_json()
    assert document["outcomes"]["suspected_loop"] == 3
    assert document["loops"] == 4
    assert (result.finished, result.seats[0].games) == (0, 0)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_playtest_tells_what_the_rules_say_of_their_faults(workers: int) -> None:
    game = Silent(compiled=True)
    result = kibitz.playtest(game, games=400, seed=2, workers=workers)
    assert [fault.cause for fault in result.faults] == ["rules_error", "endless"]
    assert [fault.explanation for fault in result.faults] == [
        "line 11: the stage ends nowhere",
        "line 10: the stage ends nowhere",
    ]
    assert sum(fault.games for fault in result.faults) == 400
    for fault, unfinished in zip(result.faults, result.unfinished, strict=True):
        assert (fault.cause, fault.games, fault.seed) == (
            (unfinished.cause, unfinished.games, unfinished.seed)
        )
        state = game.new_state(seed=fault.seed)
        with pytest.raises(Exception, match=fault.explanation):
            state.apply(state.legal_actions()[0])
    assert result.to_json()["faults"][0]["explanation"] == result.faults[0].explanation
