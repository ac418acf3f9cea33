import functools

import numpy as np
import pytest

import kibitz
from kibitz.arena import retrace as module
from kibitz.arena.retrace import retrace
from kibitz.core.agent import make_agents
from kibitz.runs import Experiment, Rows, ThreadRunner
from kibitz.studies.sample import RunMetadata, Sample


def shards(experiment, table, agents):
    found = []
    ThreadRunner(experiment, table, agents).play(found.append)
    return found


def traced(name, games=6, players=None, **parameters):
    table = kibitz.load(name).table(players, parameters)
    agents = make_agents(["random"], table.players)
    experiment = Experiment.of(table, agents, games, 7, record=["decisions"])
    rows = functools.reduce(Rows.then, shards(experiment, table, agents))
    return table, Sample(RunMetadata.of(table, agents, True), rows)


@pytest.mark.parametrize("name", ["hearts", "love-letter", "gdl-tic-tac-toe", "gops", "cuckoo"])
def test_a_game_retraced_is_the_game_that_was_played(name):
    """Differential: against a state that is played on in Python."""
    table, sample = traced(name)
    traces = sample.traces
    offered = iter(traces.offered.tolist())
    for game, record in enumerate(sample.finished):
        state = table.new_state(int(record["seed"]))
        start, end = traces.starts[game : game + 2]
        assert end - start == record["ticks"]
        for i in range(start, end):
            step = traces.steps[i]
            legal = state.legal_actions()
            assert (step["seat"], step["tick"]) == (state.current_player, state.tick)
            assert step["options"] == len(legal)
            if len(legal) > 1:
                assert [next(offered) for _ in legal] == legal
            if name == "love-letter":  # elsewhere the score so far is a rule of its own
                assert traces.scores[i].tolist() == state.scores()
            for p in range(table.players):
                assert traces.heuristics[i, p] == state.heuristic(p)
            out = [p for p in range(table.players) if state.view.seat[p].out]
            assert step["out"] == sum(1 << p for p in out)
            state.apply(int(step["code"]))
        assert state.is_terminal
    assert next(offered, None) is None


def test_games_that_do_not_fit_are_retraced_with_more_memory(monkeypatch):
    _, sample = traced("love-letter")
    whole = sample.traces
    monkeypatch.setattr(module, "STEPS_AT_ONCE", 4)
    games = sample.finished
    chosen = sample.rows.decisions_made["code"]
    again = retrace(sample.metadata.table, games["seed"], games["decisions"], chosen)
    for name in ("steps", "scores", "heuristics", "offered"):
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))


def test_without_decisions_there_is_nothing_to_retrace():
    """Native code would read beyond what was recorded."""
    table = kibitz.load("tic-tac-toe").table()
    agents = make_agents(["random"], 2)
    for rows in shards(Experiment.of(table, agents, 3), table, agents):
        with pytest.raises(ValueError, match="decisions, but 0 choices"):
            _ = Sample(RunMetadata.of(table, agents, True), rows).traces
