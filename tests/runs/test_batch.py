import threading
import time

import numpy as np
import pytest
from tests.studies import tiny_games
from tests.studies.tiny_games import Broken, Left, Stopping

import kibitz
from kibitz.arena.match import result_dtype
from kibitz.arena.worker import Worker
from kibitz.core.agent import make_agents
from kibitz.core.errors import AgentError
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.core.status import Status


def tic_tac_toe(**parameters):
    return load("tic-tac-toe").table(**parameters)


def without_times(results):
    results = results.copy()
    results["nanoseconds"] = 0
    results["seats"]["nanoseconds"] = 0
    return results.tobytes()


def test_results_do_not_depend_on_workers_nor_on_how_many_games_follow():
    table = load("love-letter").table(3, tokens_to_win=1)
    agents = make_agents(["osla", "random", "ismcts:iterations=20"], 3)
    single = kibitz.play(table, agents, 40, 9, workers=1).results
    assert without_times(kibitz.play(table, agents, 40, 9, workers=3).results) == without_times(
        single
    )
    fewer = kibitz.play(table, agents, 15, 9, workers=2).results
    assert without_times(fewer) == without_times(single[:15])


def test_uncompiled_rules_give_the_same_results():
    batches = [
        kibitz.play(
            load("tic-tac-toe", compiled=compiled).table(), make_agents(["random"], 2), 20, 3
        )
        for compiled in (True, False)
    ]
    assert without_times(batches[0].results) == without_times(batches[1].results)


def test_agents_move_on_by_one_seat():
    table = load("love-letter").table(3, tokens_to_win=1)
    agents = make_agents(["random"], 3)
    seats = kibitz.play(table, agents, 4).results["seats"]["agent"].tolist()
    assert seats == [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 1, 2]]
    seats = kibitz.play(table, agents, 2, rotate=False).results["seats"]["agent"].tolist()
    assert seats == [[0, 1, 2], [0, 1, 2]]


def test_a_keyboard_interrupt_in_an_agent_keeps_what_is_done():
    uninterrupted = kibitz.play(tic_tac_toe(), [Left(), Left()], 20, 4)
    batch = kibitz.play(tic_tac_toe(), [Stopping(), Left()], 20, 4)
    assert batch.interrupted
    assert (len(batch.results), batch.experiment.games) == (5, 20)
    assert batch.results["seed"].tolist() == uninterrupted.results["seed"][:5].tolist()
    assert (batch.results["status"] == Status.FINISHED).all()
    assert not batch.exceptions


def test_a_keyboard_interrupt_in_the_main_thread_keeps_what_is_done():
    def press(stage, played, total):
        if played:
            raise KeyboardInterrupt

    table = tic_tac_toe(size=7)
    batch = kibitz.play(table, make_agents(["mcts:iterations=50"], 2), 100_000, progress=press)
    assert 0 < len(batch.results) < 100_000
    assert (batch.results["status"] == Status.FINISHED).all()


def test_setting_stop_ends_the_run_within_a_decision():
    stop = np.zeros(1, np.int64)
    timer = threading.Timer(0.3, lambda: stop.__setitem__(0, 1))
    timer.start()
    began = time.monotonic()
    agents = make_agents(["mcts:iterations=100000000"], 2)
    batch = kibitz.play(tic_tac_toe(size=7), agents, 1000, stop=stop)
    assert time.monotonic() - began < 60  # of minutes for each decision
    assert batch.interrupted
    assert len(batch.results) == 0  # a hurried decision does not count
    timer.join()


def test_games_played_before_a_stop_are_the_games_of_the_whole_run():
    table = tic_tac_toe()
    agents = make_agents(["mcts:iterations=300"], 2)
    uninterrupted = kibitz.play(table, agents, 60, 8).results
    stop = np.zeros(1, np.int64)

    def press(stage, played, total):
        if played > 3:
            stop[0] = 1

    batch = kibitz.play(table, agents, 60_000, 8, stop=stop, progress=press)
    assert batch.interrupted
    by_seed = {game["seed"].item(): game for game in without_clock(batch.results)}
    for game in without_clock(uninterrupted):
        if game["seed"].item() in by_seed:
            assert game == by_seed[game["seed"].item()]
    assert set(by_seed) & set(uninterrupted["seed"].tolist())


def without_clock(results):
    return np.frombuffer(without_times(results), results.dtype)


def test_progress_reports_the_number_of_games():
    counts = []
    agents = make_agents(["random"], 2)
    kibitz.play(tic_tac_toe(), agents, 500, progress=lambda *count: counts.append(count))
    assert counts[-1] == ("games", 500, 500)
    assert counts == sorted(counts)


def test_an_exception_in_progress_stops_the_run():
    def fail(*_):
        raise RuntimeError("no screen")

    began = time.monotonic()
    with pytest.raises(RuntimeError, match="no screen"):
        kibitz.play(
            tic_tac_toe(size=7), make_agents(["mcts:iterations=100"], 2), 10**6, progress=fail
        )
    assert time.monotonic() - began < 60  # of an hour


def test_an_agents_exception_is_an_outcome_and_is_kept():
    batch = kibitz.play(tic_tac_toe(), [Left(), Broken()], 6)
    assert (batch.results["status"] == Status.AGENT_ERROR).all()
    assert batch.results["culprit"].tolist() == [1, 0, 1, 0, 1, 0]
    assert isinstance(batch.exceptions[Status.AGENT_ERROR], ValueError)


def test_an_agent_may_leave_the_program():
    class Leaving(Left):
        def choose(self, state):
            raise SystemExit(3)

    with pytest.raises(SystemExit):
        kibitz.play(tic_tac_toe(), [Leaving(), Left()], 5)


def test_an_exception_that_a_rule_raises_in_an_agents_thoughts_is_a_fault_of_the_rules():
    class Moody(tiny_games.Tiny):
        heuristic = staticmethod(lambda state, params, player: 1 // 0)

    table = Moody(compiled=False).table()
    batch = kibitz.play(table, make_agents(["osla"], 2), 3)
    assert (batch.results["status"] == Status.RULES_ERROR).all()
    assert isinstance(batch.exceptions[Status.RULES_ERROR], ZeroDivisionError)


def test_the_last_agent_fills_the_remaining_seats():
    seats = kibitz.play("love-letter", ["osla", "random"], 1, players=4).results["seats"]
    assert seats["agent"].tolist() == [[0, 1, 2, 3]]
    with pytest.raises(AgentError, match="3 agents for 2 players: give at most one each"):
        kibitz.play(tic_tac_toe(), ["random"] * 3, 5)


def test_games_in_which_nobody_looks_are_the_same_without_notes_on_hidden_cards():
    table = load("uno").table(3)
    ended = []
    for pause_at in (-1, table.game.max_ticks):  # a game that may pause may be looked at
        worker = Worker(table, make_agents("random", 3), np.zeros(1, np.int64), 0)
        results = np.zeros(5, result_dtype(3))
        worker.match["results"] = results.ctypes.data
        worker.match["result_size"] = results.itemsize
        worker.match["pause_at"] = pause_at
        assert worker.play(0, 5) == 5
        header = State(table, worker.state_bytes()).view
        ended.append((without_times(results), header.unsampled))
    assert [unsampled for _, unsampled in ended] == [1, 0]
    assert ended[0][0] == ended[1][0]
