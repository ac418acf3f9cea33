"""Runs played by several processes: the same rows as by one, also where some of them die."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.runs.mortal_agents import MARKS, Mortal, Raising
from tests.studies.tiny_games import fails

import kibitz
from kibitz.core.agent import Agent, make_agents
from kibitz.core.errors import FileError, KibitzError, ParameterError
from kibitz.core.game import Table
from kibitz.core.registry import load
from kibitz.runs import Experiment, ProcessRunner, Rows, Run, ThreadRunner, runner_for
from kibitz.runs.messages import Job, rows_from_bytes, rows_to_bytes

UNCOMPILED = load("love-letter", compiled=False).table(3, tokens_to_win=1)
ALL = ("decisions", "events", "successors")


def tables_of(every: list[Rows]) -> list[object]:
    names = ("games", "seats", "options", "decisions", "events")
    tables: list[object] = [[getattr(rows, name)() for name in names] for rows in every]
    return [*tables, *((rows.shard, rows.explanations, rows.exceptions) for rows in every)]


def by_threads(table: Table, agents: list[Agent], games: int, *record: str) -> list[Rows]:
    rows: list[Rows] = []
    experiment = Experiment.of(table, agents, games, seed=3, record=record)
    ThreadRunner(experiment, table, agents).play(rows.append)
    return rows


def processes(
    table: Table, agents: list[Agent], games: int, *record: str, workers: int = 2
) -> ProcessRunner:
    experiment = Experiment.of(table, agents, games, seed=3, record=record)
    runner = runner_for(experiment, table, agents, workers=workers)
    assert isinstance(runner, ProcessRunner)
    return runner


def by_processes(table: Table, agents: list[Agent], games: int, *record: str) -> list[Rows]:
    rows: list[Rows] = []
    processes(table, agents, games, *record).play(rows.append)
    return rows


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which agents find out when to die."""
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv(MARKS, str(folder))
    return folder


def test_rows_of_uncompiled_rules_are_those_of_threads() -> None:
    agents = make_agents(["osla", "random", "first-legal"], 3)
    shards = by_processes(UNCOMPILED, agents, 4, *ALL)
    assert tables_of(shards) == tables_of(by_threads(UNCOMPILED, agents, 4, *ALL))
    assert sum(rows.results["nanoseconds"].sum() for rows in shards) > 0
    assert any((rows.results["seats"]["nanoseconds"] > 0).any() for rows in shards)


def test_rows_of_agents_in_python_are_those_of_threads() -> None:
    """Games that agents break off, and their words, included."""
    table, agents = load("tic-tac-toe").table(), [Raising(), Mortal(milliseconds=0)]
    shards = by_processes(table, agents, 130)
    assert tables_of(shards) == tables_of(by_threads(table, agents, 130))
    assert {words for rows in shards for words in rows.exceptions.values()} == {
        "ZeroDivisionError: too late"
    }


@pytest.mark.parametrize("name", ["agram", "gdl-tic-tac-toe"])
def test_a_game_in_a_text_travels_with_it(name: str) -> None:
    table = load(name).table()
    agents = make_agents([Mortal()], table.players)
    shards = by_processes(table, agents, 3)
    assert tables_of(shards) == tables_of(by_threads(table, agents, 3))


def test_the_shard_of_a_process_that_was_killed_is_played_again(
    marks: Path, tmp_path: Path
) -> None:
    table, agents = load("tic-tac-toe").table(), make_agents([Mortal()], 2)
    expected = tables_of(by_threads(table, agents, 128))
    for lived in marks.iterdir():
        lived.unlink()
    (marks / "kill").touch()
    runner = processes(table, agents, 128)
    with Run.create(tmp_path / "run", runner.experiment) as run:
        rows: list[Rows] = []

        def take(shard: Rows) -> None:
            rows.append(shard)
            run.add(shard)

        runner.play(take)
    assert tables_of(rows) == expected
    assert run.complete
    assert runner.played == 128
    assert len(list(marks.glob("lived-*"))) == 3


def test_a_shard_that_kills_every_process_is_reported(marks: Path) -> None:
    table, agents = load("tic-tac-toe").table(), make_agents([Mortal()], 2)
    for number in range(40):
        (marks / f"kill-{number}").touch()
    with pytest.raises(KibitzError, match=r"games 0 to 0 ended by itself, 2 times.*signal 9"):
        processes(table, agents, 1).play(lambda rows: None)
    assert len(list(marks.glob("kill*"))) == 38


def test_an_interrupt_keeps_what_was_played(marks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, agents = load("tic-tac-toe").table(), make_agents([Mortal(milliseconds=2)], 2)
    games = 64 * 100
    rows: list[Rows] = []

    def press(stage: str, played: int, total: int) -> None:
        if len(list(marks.iterdir())) == 2:  # both processes play
            time.sleep(0.5)  # a shard takes 1.4 s at least; the later process plays some games
            raise KeyboardInterrupt

    processes(table, agents, games).play(rows.append, progress=press)
    assert any(0 < len(shard.results) < shard.shard.games for shard in rows)
    assert sum(len(shard.results) for shard in rows) < games
    monkeypatch.delenv(MARKS)
    played = [shard.shard._replace(games=len(shard.results)) for shard in rows]
    again: list[Rows] = []
    experiment = Experiment.of(table, agents, games, seed=3)
    ThreadRunner(experiment, table, make_agents([Mortal()], 2)).play(again.append, played)
    assert [shard.games() for shard in again] == [shard.games() for shard in rows]


def test_an_error_of_whoever_takes_rows_ends_the_processes(marks: Path) -> None:
    table, agents = load("tic-tac-toe").table(), make_agents([Mortal(milliseconds=1)], 2)

    def fill_the_disk(rows: Rows) -> None:
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        processes(table, agents, 640).play(fill_the_disk)
    for lived in marks.iterdir():
        assert not Path(f"/proc/{lived.name.partition('-')[2]}").exists()


def test_a_process_says_why_it_cannot_play() -> None:
    table, agents = load("tic-tac-toe").table(), make_agents([Mortal()], 2)
    experiment = Experiment.of(table, agents, 4)
    job = Job.of(experiment, table, agents)
    assert job is not None
    other = Job(
        experiment, job.game, [{"class": "tests.runs.mortal_agents:Gone", "options": {}}] * 2
    )
    with pytest.raises(KibitzError, match="has no attribute 'Gone'"):
        ProcessRunner(other, workers=2).play(lambda rows: None)
    changed = Job(experiment, {"rules": ["x.rcy", load("agram").rules_text[1]]}, job.agents)
    with pytest.raises(FileError, match="rules of tic-tac-toe have changed"):
        changed.seated()


def test_who_plays_is_chosen_by_what_is_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    """Threads for native code, processes for several workers in Python that can be found."""
    table, agents = load("tic-tac-toe").table(), make_agents([Mortal()], 2)

    def kind(table: Table, agents: list[Agent], workers: int | None) -> type:
        experiment = Experiment.of(table, agents, 4)
        return type(runner_for(experiment, table, agents, workers=workers))

    assert kind(table, agents, 2) is ProcessRunner
    assert kind(table, agents, 1) is kind(table, agents, None) is ThreadRunner
    assert kind(table, make_agents(["random"], 2), 2) is ThreadRunner
    assert not caplog.records

    class Hidden(Mortal):
        """An agent that no other process can import."""

    with caplog.at_level(logging.WARNING):
        assert kind(table, [Hidden(), Hidden()], 2) is ThreadRunner
        assert kind(fails().table(2), make_agents(["random"], 2), 2) is ThreadRunner
    assert "tiny or an agent is Python code that other processes cannot" in caplog.text
    with pytest.raises(ParameterError, match="workers = 0"):
        kind(table, agents, 0)


def test_a_playtest_by_processes_says_how_long_agents_think() -> None:
    playtest = kibitz.playtest(
        "tic-tac-toe", agents=[Mortal(milliseconds=1)] * 2, games=8, workers=2
    )
    assert playtest.games == 8
    assert all(seat.seconds_per_decision > 0.0009 for seat in playtest.seats)


def test_rows_travel_whole() -> None:
    [rows] = by_threads(UNCOMPILED, make_agents(["random"], 3), 1, *ALL)
    experiment = Experiment.of(UNCOMPILED, make_agents(["random"], 3), 1, seed=3, record=ALL)
    chunks = iter(list(rows_to_bytes(rows, experiment)))
    again = rows_from_bytes(lambda: next(chunks), rows.shard, experiment)
    assert tables_of([again]) == tables_of([rows])
    assert again.times() == rows.times()
    nobody = Rows.none(rows.shard, 3)
    chunks = iter(list(rows_to_bytes(nobody, experiment)))
    assert not len(rows_from_bytes(lambda: next(chunks), rows.shard, experiment).results)


PARENT = """
import sys
sys.path.insert(0, {tests!r})
from tests.runs.test_processes import Mortal, load, make_agents, processes
table, agents = load("tic-tac-toe").table(), make_agents([Mortal(milliseconds=50)], 2)
processes(table, agents, 10_000).play(lambda rows: None)
"""


def test_processes_end_with_the_one_that_began_them(marks: Path) -> None:
    """Even if that is killed, and they are in the middle of a shard; or this test never ends."""
    code = PARENT.format(tests=str(Path(__file__).parents[2]))
    parent = subprocess.Popen([sys.executable, "-c", code])
    while len(list(marks.iterdir())) < 2:
        assert parent.poll() is None
        time.sleep(0.01)
    parent.kill()
    parent.wait()
    for lived in marks.iterdir():
        while is_alive(lived.name.partition("-")[2]):
            time.sleep(0.01)


def is_alive(pid: str) -> bool:
    """Whether the process exists and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_jobs_at_the_same_table_share_it() -> None:
    """A search has a job for each evaluation: the rules are read and compiled once."""
    game = load("agram")

    def seated(players: int, agent: str, seed: int) -> Table:
        table, agents = game.table(players), make_agents([agent], players)
        job = Job.of(Experiment.of(table, agents, 4, seed=seed), table, agents)
        assert job is not None
        return Job.from_bytes(job.to_bytes()).seated()[0]

    first = seated(2, "random", 1)
    assert seated(2, "osla", 2) is first
    assert seated(3, "osla", 2) is not first
