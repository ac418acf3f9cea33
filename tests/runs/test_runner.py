"""Runs cut into shards: the same rows whoever plays them, in order, in constant memory."""

from __future__ import annotations

import numpy as np
import pytest
from tests.studies.tiny_games import Broken, Left, Stopping

from kibitz.core.agent import Agent, make_agents
from kibitz.core.errors import AgentError, FileError, ParameterError
from kibitz.core.game import Table
from kibitz.core.registry import load
from kibitz.runs import Experiment, Rows, Shard, ThreadRunner
from kibitz.runs.experiment import USUAL_GAMES_A_SHARD
from kibitz.runs.runner import AHEAD


def tic_tac_toe() -> Table:
    return load("tic-tac-toe").table()


def runner(
    table: Table, agents: list[Agent], games: int, workers: int | None = None, **options: int
) -> ThreadRunner:
    return ThreadRunner(
        Experiment.of(table, agents, games, **options), table, agents, workers=workers
    )


def played(runner: ThreadRunner, shards: list[Shard] | None = None) -> list[Rows]:
    """The rows that a runner hands over."""
    rows: list[Rows] = []
    runner.play(rows.append, shards)
    return rows


def tables_of(every: list[Rows]) -> list[list[dict[str, object]]]:
    return [
        [row for r in every for row in getattr(r, name)().to_pylist()]
        for name in ("games", "seats", "options")
    ]


def test_an_experiment_is_cut_into_shards_that_cover_it() -> None:
    table, agents = tic_tac_toe(), make_agents(["random"], 2)
    for games in (1, 63, 64, 65, 1000, 10**7):
        experiment = Experiment.of(table, agents, games)
        shards = list(experiment.shards())
        assert len(shards) == experiment.shard_count
        assert [s.first for s in shards[1:]] == [s.first + s.games for s in shards[:-1]]
        assert (shards[0].first, shards[-1].first + shards[-1].games) == (0, games)
        assert max(s.games for s in shards) <= USUAL_GAMES_A_SHARD


def test_an_experiment_is_the_same_after_json() -> None:
    table, agents = load("love-letter").table(3), make_agents(["osla", "random", "ismcts:c=1"], 3)
    experiment = Experiment.of(table, agents, 10, 2**63 - 1)
    assert Experiment.from_json(experiment.to_json(), "x") == experiment
    assert experiment.agents == ("osla", "random", "ismcts:c=1.0")
    for name, value in {"games": "10", "agents": [1], "rotate": 1, "players": None}.items():
        with pytest.raises(FileError, match=f'run.json: .*"{name}"'):
            Experiment.from_json(experiment.to_json() | {name: value}, "run.json")
    with pytest.raises(FileError, match="games = 0"):
        Experiment.from_json(experiment.to_json() | {"games": 0}, "run.json")
    with pytest.raises(FileError, match="object"):
        Experiment.from_json([], "run.json")


def test_rows_do_not_depend_on_the_number_of_workers() -> None:
    table, agents = (
        load("love-letter").table(3, tokens_to_win=1),
        make_agents(["osla", "random", "random"], 3),
    )
    single, two, eight = (
        tables_of(played(runner(table, agents, 500, w, seed=4))) for w in (1, 2, 8)
    )
    assert single == two == eight
    assert [len(rows) for rows in single[:2]] == [500, 1500]


def test_any_shard_can_be_played_alone() -> None:
    table, agents = tic_tac_toe(), make_agents(["random"], 2)
    playing = runner(table, agents, 1000, seed=3)
    every = {rows.shard: rows for rows in played(playing)}
    shard = list(playing.experiment.shards())[7]
    [alone] = played(runner(table, agents, 1000, seed=3), [shard])
    assert alone.games().equals(every[shard].games())
    assert alone.seats().equals(every[shard].seats())
    assert alone.options().equals(every[shard].options())


def test_rows_are_the_same_after_having_been_tables() -> None:
    table, agents = load("pairs").table(4), make_agents(["random"], 4)
    for rows in played(runner(table, agents, 300)):
        tables = {"games": rows.games(), "seats": rows.seats(), "options": rows.options()}
        again = Rows.from_tables(rows.shard, 4, tables)
        assert again.games().equals(rows.games())
        assert again.seats().equals(rows.seats())
        assert again.options().equals(rows.options())


def test_two_parts_of_a_shard_make_the_whole() -> None:
    table, agents = tic_tac_toe(), make_agents(["random"], 2)
    playing = runner(table, agents, 64 * 40)
    [undivided] = played(playing, [Shard(40, 40)])
    [start] = played(playing, [Shard(40, 13)])
    [end] = played(playing, [Shard(53, 27)])
    joined = start.then(end)
    assert joined.shard == undivided.shard
    assert joined.games().equals(undivided.games())
    assert joined.seats().equals(undivided.seats())
    assert joined.options().equals(undivided.options())


def test_rows_say_who_sat_where_and_who_failed() -> None:
    agents = [Left(), Broken()]
    [first, second] = played(runner(tic_tac_toe(), agents, 2))
    assert [(s["seat"], s["agent"]) for s in first.seats().to_pylist()] == [(1, 1), (2, 2)]
    assert [(s["seat"], s["agent"]) for s in second.seats().to_pylist()] == [(1, 2), (2, 1)]
    [game] = first.games().to_pylist()
    assert (game["game"], game["status"], game["culprit"]) == (0, "agent_error", 2)
    assert second.games().to_pylist()[0]["culprit"] == 1
    assert all("Error" in words for words in first.exceptions.values())


def test_an_interrupt_gives_what_was_played() -> None:
    agents = [Stopping(), Left()]
    rows = played(runner(tic_tac_toe(), agents, 20))
    assert sum(len(r.results) for r in rows) == 5


def test_whoever_takes_rows_may_stop_the_run() -> None:
    table, agents = tic_tac_toe(), make_agents(["random"], 2)
    playing = runner(table, agents, 10**9)
    firsts = []

    def take(rows: Rows) -> None:
        firsts.append(rows.shard.first)
        playing.stop[0] = 1

    playing.play(take)
    assert firsts == sorted(firsts)
    assert len(firsts) <= 2 * AHEAD


def test_an_error_of_whoever_takes_rows_ends_the_run() -> None:
    table, agents = tic_tac_toe(), make_agents(["random"], 2)
    with pytest.raises(OSError, match="full"):
        runner(table, agents, 10**9).play(fill_the_disk)


def fill_the_disk(rows: Rows) -> None:
    raise OSError("full")


def test_an_interrupt_of_the_progress_keeps_what_was_played() -> None:
    table, agents = tic_tac_toe(), make_agents(["mcts:iterations=50"], 2)
    rows: list[Rows] = []

    def press(stage: str, games: int, total: int) -> None:
        if games:
            raise KeyboardInterrupt

    runner(table, agents, 100_000).play(rows.append, progress=press)
    assert 0 < sum(len(r.results) for r in rows) < 100_000
    assert rows[0].shard.first == 0


def test_numbers_out_of_range_are_refused() -> None:
    table, agents = tic_tac_toe(), make_agents(["random"], 2)
    with pytest.raises(ParameterError, match="games = 0"):
        Experiment.of(table, agents, 0)
    with pytest.raises(ParameterError, match="workers"):
        runner(table, agents, 5, 0)
    with pytest.raises(AgentError, match="2 seats"):
        Experiment.of(table, agents[:1], 5)
    for games in ("ten", 10.5):
        with pytest.raises(ParameterError, match=f"games = {games!r} should be a whole"):
            Experiment.of(table, agents, games)
    with pytest.raises(ParameterError, match="judged = -1"):
        Experiment.of(table, agents, 5, judged=-1)


def test_a_single_name_may_stand_for_itself() -> None:
    table, agents = load("love-letter").table(2), make_agents("random", 2)
    experiment = Experiment.of(table, agents, 5, record="decisions", randomize="tokens_to_win")
    assert (experiment.record, experiment.randomize) == (("decisions",), ("tokens_to_win",))


def test_rows_agree_with_the_match_loop() -> None:
    table, agents = load("love-letter").table(2, tokens_to_win=1), make_agents(["random"], 2)
    import kibitz

    results = kibitz.play(table, agents, 200, 6).results
    games, seats, _ = tables_of(played(runner(table, agents, 200, seed=6)))
    assert [g["seed"] for g in games] == results["seed"].tolist()
    assert [g["actions"] for g in games] == results["ticks"].tolist()
    places = np.array([s["place"] for s in seats]).reshape(200, 2)
    assert (places == results["seats"]["place"]).all()


def test_visits_that_are_no_number_are_refused() -> None:
    table = tic_tac_toe()
    with pytest.raises(ParameterError, match="loops = 'x' should be 2"):
        Experiment.of(table, make_agents(["random"], 2), 5, loops="x")  # type: ignore[arg-type]
