"""Recorded events: each seat's events in each game, for all agents and after interruptions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.studies.known_games import Nim, take
from tests.studies.tiny_games import Broken, Left, Stopping

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.registry import load
from kibitz.runs import Experiment, Rows, Run, Shard, ThreadRunner
from kibitz.runs.events import event_rows
from kibitz.sessions.session import Session

TABLES = [
    load("love-letter").table(3, tokens_to_win=1),
    load("agram").table(2),
    load("kriegspiel-tic-tac-toe").table(),
]
AGENTS = make_agents(["random", "first-legal"], 2)


def runner(table: Table, games: int, workers: int = 1, *record: str) -> ThreadRunner:
    agents = make_agents(AGENTS, table.players)
    experiment = Experiment.of(table, agents, games, seed=4, record=record or ("events",))
    return ThreadRunner(experiment, table, agents, workers=workers)


def played(
    table: Table, games: int, workers: int = 1, *record: str, shards: Any = None
) -> list[Rows]:
    rows: list[Rows] = []
    runner(table, games, workers, *record).play(rows.append, shards)
    return rows


@pytest.mark.parametrize(
    ("heap", "chosen", "outcomes"),
    [
        (3, [2], [(1, "Player 1: take 2"), (2, "Player 2: take 1")]),  # the last one has to
        (4, [2, 2], [(1, "Player 1: take 2"), (2, "Player 2: take 2")]),
        (4, [1], [(1, "Player 1: take 1")]),  # then an agent failed
    ],
)
def test_a_game_is_replayed_from_its_choices(
    heap: int, chosen: list[int], outcomes: list[tuple[int, str]]
) -> None:
    table = Nim(compiled=False).table(2, heap=heap)
    rows = event_rows(table, 7, 1, map(take, chosen), np.zeros(1, np.int64))
    assert rows is not None
    actions = [row for row in rows.to_pylist() if row["kind"] == "action"]
    assert {row["game"] for row in actions} == {7}
    assert [(row["action"], row["words"]) for row in actions if row["seat"] is None] == outcomes
    own = [(row["seat"], row["action"]) for row in actions if row["words"].startswith("You")]
    assert sorted(own, key=lambda entry: entry[1]) == [(1, 1), (2, 2)][: len(outcomes)]
    assert event_rows(table, 7, 1, map(take, chosen), np.ones(1, np.int64)) is None


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_they_are_what_a_session_tells(table: Table) -> None:
    [rows] = played(table, 1)
    [game] = rows.games().to_pylist()
    record = kibitz.record(table, make_agents(AGENTS, table.players), game["seed"])
    session = Session(table, [None] * table.players, game["seed"])
    expected: list[tuple[object, ...]] = []
    listeners = [None, *range(table.players)]

    def note(action: int, seat: int | None, events: Any) -> None:
        for number, event in enumerate(events, 1):
            shown = None if seat is None else seat + 1
            expected.append((0, action, shown, number, event.kind, event.text, dict(event.data)))

    for seat in listeners:
        note(0, seat, session.opening(seat))
    for number, move in enumerate(record.moves, 1):
        update = session.apply(move.action)
        for seat in listeners:
            note(number, seat, update.events(seat))
    columns = ("game", "action", "seat", "number", "kind", "words")
    recorded = [
        (*(row[name] for name in columns), json.loads(row["data"]))
        for row in rows.events().to_pylist()
    ]
    assert recorded == expected
    assert len({row[1] for row in recorded}) > 3


def test_a_seat_is_not_told_what_it_may_not_know() -> None:
    """The cards that are dealt are named to who gets them, and to nobody else."""
    deals = [
        row
        for rows in played(TABLES[1], 8)
        for row in rows.events().to_pylist()
        if row["kind"] == "deal" and row["action"] == 0
    ]
    assert {row["seat"] for row in deals} == {None, 1, 2}
    for row in deals:
        for move in json.loads(row["data"])["moves"]:
            own = move["to"].get("player") == row["seat"]
            assert all((card is not None) == own for card in move["cards"])


def test_they_do_not_depend_on_workers_or_on_what_else_is_recorded() -> None:
    expected = [(r.games(), r.options(), r.events()) for r in played(TABLES[0], 40)]
    shards = played(TABLES[0], 40, 3, "events", "decisions")
    assert [(r.games(), r.options(), r.events()) for r in shards] == expected
    assert all(len(r.decisions_made) for r in shards)
    assert not any(len(r.decisions_made) for r in played(TABLES[0], 4))


def test_a_run_has_the_same_bytes_after_an_interruption(tmp_path: Path) -> None:
    table = TABLES[0]
    files = []
    for name, spans in {"whole": (), "parts": ((0, 1), (1, 1), (16, 5))}.items():
        playing = runner(table, 64 * 16, 2)
        with Run.create(tmp_path / name, playing.experiment) as run:
            for first, games in spans:
                playing.play(run.add, [Shard(first, games)])
            playing.play(run.add, list(run.missing())[:2])
        files.append([f.read_bytes() for f in sorted((tmp_path / name / "events").iterdir())])
    assert files[0] == files[1]
    assert len(files[0]) == 2
    events = Run.open(tmp_path / "parts").table("events")
    assert set(events["game"].to_pylist()) == set(range(32))


def test_a_game_that_is_stopped_while_it_is_told_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither does it in the sums of options."""
    playing = runner(TABLES[0], 8)
    rows: list[Rows] = []
    playing.play(rows.append, [Shard(0, 3)])
    original = Session.apply

    def stop_in_the_fourth_game(session: Session, action: int | str) -> Any:
        if session.seed == seeds[3]:
            playing.stop[0] = 1
        return original(session, action)

    seeds = [g["seed"] for r in played(TABLES[0], 8) for g in r.games().to_pylist()]
    monkeypatch.setattr(Session, "apply", stop_in_the_fourth_game)
    playing.play(rows.append, [Shard(0, 8)])
    assert rows[1].games() == rows[0].games()
    assert rows[1].options() == rows[0].options()
    assert rows[1].events() == rows[0].events()


def test_they_end_where_a_game_was_broken_off() -> None:
    table = load("tic-tac-toe").table()
    experiment = Experiment.of(table, [Left(), Broken()], 1, record=["events"])
    rows: list[Rows] = []
    ThreadRunner(experiment, table, [Left(), Broken()]).play(rows.append)
    assert rows[0].games()["status"].to_pylist() == ["agent_error"]
    assert set(rows[0].events()["action"].to_pylist()) == {1}
    experiment = Experiment.of(table, [Stopping(), Left()], 20, record=["events"])
    rows.clear()
    ThreadRunner(experiment, table, [Stopping(), Left()]).play(rows.append)
    games = {game for r in rows for game in r.events()["game"].to_pylist()}
    assert games == set(range(sum(len(r.results) for r in rows)))


def test_uncompiled_rules_tell_the_same() -> None:
    game = load("love-letter", compiled=False)
    [plain], [compiled] = (
        played(game.table(3, tokens_to_win=1), 1),
        played(TABLES[0], 1),
    )
    assert plain.events() == compiled.events()


def test_they_are_kept_in_a_folder() -> None:
    with pytest.raises(ParameterError, match="Events are kept in a folder"):
        kibitz.playtest("tic-tac-toe", games=10, record=["events"])
