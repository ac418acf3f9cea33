"""Runs on a Ray cluster: the same rows as by threads, also where machines are lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.runs.mortal_agents import MARKS, Mortal, Raising

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import KibitzError, ParameterError
from kibitz.core.registry import load
from kibitz.runs import Experiment, Rows, Run, ThreadRunner, cluster, runner_for
from kibitz.runs.randomized import names_to_draw
from kibitz.studies.tuning import AgentProblem, tune

ray = pytest.importorskip("ray", reason="it needs kibitz[ray]")


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder in which agents find out when to die; a cluster that knows it is started."""
    folder = tmp_path_factory.mktemp("marks")
    patch = pytest.MonkeyPatch()
    patch.setenv(MARKS, str(folder))
    yield folder
    ray.shutdown()
    patch.undo()


def tables_of(every: list[Rows]) -> list[object]:
    names = ("games", "seats", "options", "decisions")
    tables: list[object] = [[getattr(rows, name)() for name in names] for rows in every]
    return [*tables, *((rows.shard, rows.explanations, rows.exceptions) for rows in every)]


@pytest.mark.parametrize("name", ["love-letter", "agram", "gdl-tic-tac-toe"])
def test_rows_are_those_of_threads(marks: Path, name: str) -> None:
    table = load(name).table()
    agents = make_agents(["osla", "random"], table.players)
    experiment = Experiment.of(table, agents, 700, seed=3, record=("decisions",))
    local: list[Rows] = []
    remote: list[Rows] = []
    ThreadRunner(experiment, table, agents).play(local.append)
    runner = runner_for(experiment, table, agents, workers="ray")
    runner.play(remote.append)
    assert tables_of(remote) == tables_of(local)
    assert runner.played == 700


def test_agents_in_python_and_a_process_that_is_killed(marks: Path) -> None:
    table, agents = load("tic-tac-toe").table(), [Raising(), Mortal(milliseconds=0)]
    experiment = Experiment.of(table, agents, 130, seed=3)
    local: list[Rows] = []
    remote: list[Rows] = []
    ThreadRunner(experiment, table, agents).play(local.append)
    for lived in marks.iterdir():
        lived.unlink()
    (marks / "kill").touch()
    runner_for(experiment, table, agents, workers="ray").play(remote.append)
    assert tables_of(remote) == tables_of(local)
    assert not (marks / "kill").exists()


def test_a_run_that_is_stopped_is_resumed_without_the_cluster(marks: Path, tmp_path: Path) -> None:
    table, agents = load("agram").table(3), make_agents(["osla"], 3)
    experiment = Experiment.of(table, agents, 64_000, seed=1)
    runner = runner_for(experiment, table, agents, workers="ray")
    with Run.create(tmp_path / "run", experiment) as run:

        def take(rows: Rows) -> None:
            run.add(rows)
            if run.played >= 5_000:
                runner.stop[0] = 1

        runner.play(take)
        assert 0 < run.played < 64_000
        ThreadRunner(experiment, table, agents).play(run.add, run.missing())
    uninterrupted = kibitz.playtest("agram", players=3, agents="osla", games=64_000, seed=1)
    again = kibitz.playtest(
        "agram", players=3, agents="osla", games=64_000, seed=1, out=tmp_path / "run"
    )
    assert again.to_json()["fairness"] == uninterrupted.to_json()["fairness"]


def test_tournaments_and_searches_are_those_of_threads(marks: Path) -> None:
    table = load("tic-tac-toe").table()
    tables, agents = {"toe": table}, ["random", "osla"]
    sizes = {"toe": names_to_draw(table.game)}
    local, remote = (
        kibitz.tournament(tables, agents, games=40, workers=workers, randomize=sizes).tables[0]
        for workers in (1, "ray")
    )
    assert remote.matches == local.matches
    tuned = [
        tune(
            AgentProblem(table, "mcts:iterations=4", against="random", narrowed={"c": ""}),
            games=60,
            workers=workers,
        ).to_json()
        for workers in (1, "ray")
    ]
    assert tuned[0] == tuned[1]


def test_other_places_are_refused() -> None:
    table, agents = load("agram").table(2), make_agents(["random"], 2)
    experiment = Experiment.of(table, agents, 10)
    with pytest.raises(ParameterError, match="'spark' is no cluster; write ray or ray:ADDRESS"):
        runner_for(experiment, table, agents, workers="spark")


def test_a_cluster_is_joined_only_if_there_is_something_to_play(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """So a complete run, or a tournament that is kept, does not wait for one."""
    joined: list[str] = []
    monkeypatch.setattr(cluster, "_join", joined.append)
    table, agents = load("agram").table(2), make_agents(["random"], 2)
    experiment = Experiment.of(table, agents, 10)
    runner = runner_for(experiment, table, agents, workers="ray:there")
    runner.play(lambda rows: None, [])
    assert joined == []
    with Run.create(tmp_path / "run", experiment) as run:
        ThreadRunner(experiment, table, agents).play(run.add)
        runner.play(run.add, run.missing())
    assert joined == []


def test_an_address_without_a_cluster_is_refused() -> None:
    program = [sys.executable, "-m", "kibitz", "playtest", "tic-tac-toe", "--agents", "random"]
    process = subprocess.run(
        [*program, "--games", "10", "--on", "ray:127.0.0.1:9"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert "kibitz: The cluster 127.0.0.1:9 cannot be used: Connection refused. " in process.stderr
    assert "ray start --head" in process.stderr


@pytest.mark.parametrize("present", [True, False])
def test_a_token_is_used_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, present: bool
) -> None:
    """Ray itself uses it where a cluster is started, not where one is joined."""
    token = tmp_path / "token"
    if present:
        token.write_text("secret")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(token))
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    monkeypatch.setenv("RAY_AUTH_MODE", "")
    monkeypatch.delenv("RAY_AUTH_MODE")
    monkeypatch.setattr(ray, "is_initialized", lambda: True)
    cluster._join("127.0.0.1:9")
    assert os.environ.get("RAY_AUTH_MODE") == ("token" if present else None)


def test_a_token_that_comes_too_late_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Ray reads its environment when it is imported."""
    (tmp_path / "token").write_text("secret")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    for mode, late in (("token", False), (None, True)):
        monkeypatch.setenv("RAY_AUTH_MODE", "token")
        if mode is None:
            monkeypatch.delenv("RAY_AUTH_MODE")
        with pytest.raises(KibitzError, match="cannot be used") as error:
            cluster._join("127.0.0.1:9")
        assert ("set RAY_AUTH_MODE=token before Python starts" in str(error.value)) == late


def test_code_that_others_cannot_import_is_refused(marks: Path) -> None:
    class Local(Mortal):
        """An agent that no other process can import."""

    table, agents = load("tic-tac-toe").table(), [Local(), Local()]
    experiment = Experiment.of(table, agents, 10)
    with pytest.raises(KibitzError, match="cannot import; install it there as a module"):
        runner_for(experiment, table, agents, workers="ray")


PROGRAM = """
import sys
import kibitz

def wait(stage, games, total):
    print(games, flush=True)
    sys.stdin.readline()  # whoever reads that says when to go on

kibitz.playtest("agram", agents="pimc:iterations=100", games=3000, seed=2, out=sys.argv[1],
              workers="ray", progress=wait)
"""


def test_a_driver_that_is_killed_loses_only_what_was_being_played(tmp_path: Path) -> None:
    """It is killed while the cluster plays and something is kept, however long that takes."""
    folder = tmp_path / "run"
    program = [sys.executable, "-c", PROGRAM, str(folder)]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as driver:
        assert driver.stdin is not None
        assert driver.stdout is not None
        try:
            for line in driver.stdout:
                if not line.strip().isdecimal():
                    continue  # it is Ray's
                if Run.open(folder).played:
                    break
                driver.stdin.write("go on\n")
                driver.stdin.flush()
        finally:
            driver.kill()
    games = Run.open(folder).played
    assert 0 < games < 3000
    subprocess.run(program, check=True, stdin=subprocess.DEVNULL)
    lines = (folder / "ledger.jsonl").read_text().splitlines()
    firsts = [json.loads(line)["first"] for line in lines]
    assert len(firsts) == len(set(firsts))
    assert Run.open(folder).complete


def test_machines_come_and_go(tmp_path: Path) -> None:
    """In a process of its own, since a process can join one cluster only."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("nodes.py"))],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "RAY_AUTH_MODE": "disabled"},
    )
    assert done.returncode == 0, done.stderr
    assert "the same rows" in done.stdout
