"""Recorded decisions: those that were made, whoever plays, however small the log."""

from __future__ import annotations

from pathlib import Path

import pytest

import kibitz
from kibitz.arena import worker
from kibitz.core.agent import make_agents
from kibitz.core.errors import FileError, ParameterError
from kibitz.core.registry import load
from kibitz.core.state import new_state
from kibitz.runs import Experiment, Rows, Run, Shard, ThreadRunner
from kibitz.runs.experiment import MOST_RECORDED

TABLE = load("love-letter").table(3, tokens_to_win=1)
AGENTS = make_agents(["mcts:iterations=20", "random", "first-legal"], 3)


def experiment(games: int = 60, *record: str) -> Experiment:
    return Experiment.of(TABLE, AGENTS, games, seed=4, record=record or ("decisions",))


def played(games: int = 60, workers: int = 1, *record: str) -> list[Rows]:
    rows: list[Rows] = []
    plan = experiment(games, *record)
    ThreadRunner(plan, TABLE, AGENTS, workers=workers).play(rows.append)
    return rows


def test_they_are_those_of_the_games() -> None:
    for rows in played(12):
        [game] = rows.games().to_pylist()
        record = kibitz.record(TABLE, _seated(game["game"]), game["seed"])
        state = new_state(TABLE, game["seed"])
        expected = []
        for number, move in enumerate(record.moves, 1):
            legal = state.legal_actions()
            if len(legal) > 1:
                place = legal.index(move.action) + 1
                expected.append((number, state.current_player + 1, len(legal), place, move.action))
            state.apply(move.action)
        columns = ("action", "seat", "options", "chosen", "code")
        made = rows.decisions().to_pylist()
        assert [tuple(row[name] for name in columns) for row in made] == expected
        assert {row["game"] for row in made} == {game["game"]}


def _seated(game: int) -> list[object]:
    """The agents from the first seat on."""
    return [AGENTS[(seat + game) % 3] for seat in range(3)]


def test_they_come_with_what_the_agent_thought() -> None:
    for rows in played(6):
        agents = {row["seat"]: row["agent"] for row in rows.seats().to_pylist()}
        for row in rows.decisions().to_pylist():
            if agents[row["seat"]] != 1:
                assert row["opinions"] == []
                continue
            assert len(row["opinions"]) == row["options"]
            assert sum(opinion["weight"] for opinion in row["opinions"]) >= 19
            best = max(row["opinions"], key=lambda opinion: opinion["weight"])
            own = next(o for o in row["opinions"] if o["code"] == row["code"])
            assert own["weight"] == best["weight"]


@pytest.mark.parametrize(("workers", "room"), [(2, 1 << 14), (1, 1), (2, 11)])
def test_they_do_not_depend_on_workers_or_the_size_of_the_log(
    workers: int, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [(r.games(), r.seats(), r.options(), r.decisions()) for r in played()]
    monkeypatch.setattr(worker, "DECISION_ROOM", room)
    shards = played(workers=workers)
    assert [(r.games(), r.seats(), r.options(), r.decisions()) for r in shards] == expected


def test_recording_changes_nothing_else() -> None:
    plain: list[Rows] = []
    plan = Experiment.of(TABLE, AGENTS, 60, seed=4)
    ThreadRunner(plan, TABLE, AGENTS, workers=1).play(plain.append)
    for without, rows in zip(plain, played(60, 1, "decisions", "successors"), strict=True):
        assert without.games().drop(["successors"]) == rows.games().drop(["successors"])
        assert without.seats() == rows.seats()
        assert without.options() == rows.options()
        assert not len(without.decisions_made)


def test_they_are_kept_and_come_back(tmp_path: Path) -> None:
    plan = experiment()
    run = Run.create(tmp_path / "run", plan)
    runner = ThreadRunner(plan, TABLE, AGENTS, workers=1)
    with run:
        runner.play(run.add, [Shard(0, 1), *list(run.missing())[1:5]])
        runner.play(run.add, list(run.missing()))
    expected = [row for rows in played() for row in rows.decisions().to_pylist()]
    assert Run.open(tmp_path / "run").table("decisions").to_pylist() == expected


def test_the_parts_of_a_shard_are_put_together() -> None:
    plan = experiment(64 * 40)
    runner = ThreadRunner(plan, TABLE, AGENTS, workers=1)
    every: list[Rows] = []
    runner.play(every.append, [Shard(40, 40), Shard(40, 13), Shard(53, 27)])
    joined = every[1].then(every[2])
    assert joined.decisions() == every[0].decisions()


def test_shards_with_decisions_are_small() -> None:
    assert max(s.games for s in experiment(10**6).shards()) == MOST_RECORDED["decisions"]


def test_what_cannot_be_recorded_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'moves' cannot be recorded; decisions, ev"):
        experiment(1, "moves")
    with pytest.raises(ParameterError, match="kept in a folder"):
        kibitz.playtest("tic-tac-toe", games=10, record=["events"])
    document = experiment().to_json()
    assert Experiment.from_json(document, "x") == experiment()
    with pytest.raises(FileError, match='x: the member "record" should list names'):
        Experiment.from_json(document | {"record": [1]}, "x")
