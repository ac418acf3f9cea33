"""Runs in folders: complete after any interruption, with the same bytes as without it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kibitz.core.agent import make_agents
from kibitz.core.errors import FileError
from kibitz.core.registry import load
from kibitz.playtest import playtest_game
from kibitz.runs import Experiment, Rows, Run, Shard, ThreadRunner, store
from kibitz.runs.ledger import LEDGER

GAMES = 400

TABLE = load("tic-tac-toe").table()
AGENTS = make_agents(["random"], 2)
EXPERIMENT = Experiment.of(TABLE, AGENTS, GAMES, seed=5)


def go_on(run: Run, most: int | None = None) -> None:
    """Plays what is missing, or so many shards of it."""
    runner = ThreadRunner(EXPERIMENT, TABLE, AGENTS, workers=1)
    with run:
        runner.play(run.add, list(run.missing())[:most])


def content(folder: Path) -> dict[str, bytes]:
    """The rows' files."""
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.glob("*/*")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    go_on(Run.create(folder, EXPERIMENT))
    return folder


def test_a_run_comes_back_as_it_was(whole: Path) -> None:
    run = Run.open(whole)
    assert run.experiment == EXPERIMENT
    assert run.complete
    assert run.played == GAMES
    assert list(run.missing()) == []
    games = run.table("games")
    assert games["game"].to_pylist() == list(range(GAMES))
    assert run.table("seats").num_rows == 2 * GAMES
    rows: list[Rows] = []
    ThreadRunner(EXPERIMENT, TABLE, AGENTS).play(rows.append)
    assert [r.games() for r in rows] == list(run.batches("games"))


def test_a_run_goes_on_where_it_ended(whole: Path, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", EXPERIMENT)
    for most in (1, 0, 5):
        go_on(run, most)
        run = Run.open(tmp_path / "run")
    assert run.played == 6 * EXPERIMENT.shard_games
    go_on(run)
    assert content(run.folder) == content(whole)


def test_half_a_shard_is_kept_and_completed(whole: Path, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", EXPERIMENT)
    runner = ThreadRunner(EXPERIMENT, TABLE, AGENTS)
    shard = next(run.missing())
    with run:
        runner.play(run.add, [shard._replace(games=3)])
    run = Run.open(run.folder)
    assert run.played == 3
    assert next(run.missing()) == (3, shard.games - 3)
    go_on(run)
    assert content(run.folder) == content(whole)


def test_a_run_cut_into_other_shards_goes_on(tmp_path: Path) -> None:
    """As those were that began under a version with larger shards."""
    what = replace(EXPERIMENT, shard_games=150)
    with Run.create(tmp_path / "run", what) as run:
        ThreadRunner(what, TABLE, AGENTS).play(run.add, [Shard(0, 100)])
    found = playtest_game(TABLE, games=GAMES, seed=5, out=tmp_path / "run")
    assert found.games == GAMES
    run = Run.open(tmp_path / "run")
    assert sorted(run.entries) == [0, 150, 300]
    assert run.table("games")["game"].to_pylist() == list(range(GAMES))


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("moment", range(16))
def test_the_end_of_the_process_at_any_write_loses_one_shard_and_doubles_nothing(
    moment: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file is written and renamed; the process may end before and after each of these."""
    left = moment

    def watched(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            nonlocal left
            if left == 0:
                raise Killed
            left -= 1
            return function(*arguments)

        return call

    run = Run.create(tmp_path / "run", EXPERIMENT)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", watched(os.fsync))
        patched.setattr(os, "replace", watched(os.replace))
        with pytest.raises(Killed):
            go_on(run)
    run = Run.open(run.folder)
    assert run.played >= moment // 7 * EXPERIMENT.shard_games
    go_on(run)
    assert Run.open(run.folder).complete
    assert content(run.folder) == content(whole)


PLAYING = """
import sys
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, {tests!r})
from tests.runs.test_store import EXPERIMENT, Run, go_on
folder = Path({folder!r})
run = Run.open(folder) if (folder / "run.json").exists() else Run.create(folder, EXPERIMENT)
print("playing", flush=True)
go_on(run)
print("done", flush=True)
"""


def test_a_killed_process_leaves_a_run_that_goes_on(whole: Path, tmp_path: Path) -> None:
    """The real thing, at moments that the clock chooses; ``python -m tests.runs.killing`` does
    it many times."""
    folder = tmp_path / "run"
    code = PLAYING.format(tests=str(Path(__file__).parents[2]), folder=str(folder))
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"playing\n"
        process.send_signal(signal.SIGKILL)
        process.communicate()
    go_on(Run.open(folder))
    assert content(folder) == content(whole)


def test_two_processes_cannot_play_the_same_run(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", EXPERIMENT)
    other = Run.open(run.folder)
    with run, pytest.raises(FileError, match="another process"), other:
        pass
    with other:
        pass


def test_a_line_of_the_ledger_that_was_cut_off_is_left_out(whole: Path, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", EXPERIMENT)
    go_on(run, 3)
    ledger = run.folder / LEDGER
    lines = ledger.read_bytes()
    for cut in range(1, len(lines.splitlines()[-1]) + 1):
        ledger.write_bytes(lines[:-cut])
        assert Run.open(run.folder).played == 2 * EXPERIMENT.shard_games
    go_on(Run.open(run.folder))
    assert content(run.folder) == content(whole)


def test_what_is_damaged_is_named(whole: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no run"):
        Run.open(tmp_path)
    run = Run.create(tmp_path / "run", EXPERIMENT)
    with pytest.raises(FileError, match="not an empty folder"):
        Run.create(run.folder, EXPERIMENT)
    go_on(run, 3)
    (run.folder / "games" / "0-7.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(FileError, match=r"games/0-7\.parquet: cannot be read"):
        list(Run.open(run.folder).rows())
    ledger = run.folder / LEDGER
    ledger.write_text("{}\n" + ledger.read_text())
    with pytest.raises(FileError, match=r"ledger\.jsonl:1: is damaged"):
        Run.open(run.folder)
    (run.folder / store.RUN).write_text("{")
    with pytest.raises(FileError, match=r"run\.json: is damaged"):
        Run.open(run.folder)
    (run.folder / store.RUN).write_text(json.dumps({"format": 99}))
    with pytest.raises(FileError, match="no run of this version"):
        Run.open(run.folder)


def test_what_went_wrong_is_kept(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", EXPERIMENT)
    runner = ThreadRunner(EXPERIMENT, TABLE, AGENTS)
    with run:
        rows: list[Rows] = []
        runner.play(rows.append, [next(run.missing())])
        rows[0].explanations[3, 17] = 5, "line 3: \N{EM DASH}"
        rows[0].exceptions[7] = "ValueError: no"
        run.add(rows[0])
    [entry] = Run.open(run.folder).entries.values()
    assert entry.explanations == {(3, 17): (5, "line 3: \N{EM DASH}")}
    assert entry.exceptions == {7: "ValueError: no"}
