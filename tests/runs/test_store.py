"""Runs in folders: complete after any interruption, with the same bytes as without it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import FileError
from kibitz.core.files import write_bytes
from kibitz.core.registry import load
from kibitz.runs import Experiment, Rows, Run, Shard, ThreadRunner, store
from kibitz.runs.ledger import LEDGER
from kibitz.studies import resume_run
from kibitz.studies.kept import kept_run

GAMES = 400

TABLE = load("tic-tac-toe").table()
AGENTS = make_agents(["random"], 2)
EXPERIMENT = Experiment.of(TABLE, AGENTS, GAMES, seed=5)


def go_on(run: Run, most: int | None = None) -> None:
    """Plays the missing shards, at most ``most`` of them."""
    runner = ThreadRunner(EXPERIMENT, TABLE, AGENTS, workers=1)
    with run:
        runner.play(run.add, list(run.missing())[:most])


def content(folder: Path) -> dict[str, bytes]:
    """The rows' files."""
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.glob("*/*")}


@pytest.fixture(scope="module")
def complete_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    go_on(Run.create(folder, EXPERIMENT))
    return folder


def test_a_run_comes_back_as_it_was(complete_run: Path) -> None:
    run = Run.open(complete_run)
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


def test_a_run_goes_on_where_it_ended(complete_run: Path, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", EXPERIMENT)
    for most in (1, 0, 5):
        go_on(run, most)
        run = Run.open(tmp_path / "run")
    assert run.played == 6 * EXPERIMENT.shard_games
    go_on(run)
    assert content(run.folder) == content(complete_run)


def test_half_a_shard_is_kept_and_completed(complete_run: Path, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", EXPERIMENT)
    runner = ThreadRunner(EXPERIMENT, TABLE, AGENTS)
    shard = next(run.missing())
    with run:
        runner.play(run.add, [shard._replace(games=3)])
    run = Run.open(run.folder)
    assert run.played == 3
    assert next(run.missing()) == (3, shard.games - 3)
    go_on(run)
    assert content(run.folder) == content(complete_run)


def test_a_run_cut_into_other_shards_goes_on(tmp_path: Path) -> None:
    """As those were that began under a version with larger shards."""
    experiment = replace(EXPERIMENT, shard_games=150)
    with Run.create(tmp_path / "run", experiment) as run:
        ThreadRunner(experiment, TABLE, AGENTS).play(run.add, [Shard(0, 100)])
    playtest = kibitz.playtest(TABLE, games=GAMES, seed=5, out=tmp_path / "run")
    assert playtest.games == GAMES
    run = Run.open(tmp_path / "run")
    assert sorted(run.entries) == [0, 150, 300]
    assert run.table("games")["game"].to_pylist() == list(range(GAMES))


def test_a_run_knows_which_games_are_missing(tmp_path: Path) -> None:
    experiment = Experiment.of(TABLE, AGENTS, 10, seed=5, shard_games=4)
    runner = ThreadRunner(experiment, TABLE, AGENTS, workers=1)
    with Run.create(tmp_path / "run", experiment) as run:
        assert (run.played, run.complete) == (0, False)
        runner.play(run.add, [Shard(0, 4), Shard(8, 1)])
        assert list(run.missing()) == [(4, 4), (9, 1)]
        assert (run.played, run.complete) == (5, False)
        runner.play(run.add, list(run.missing()))
        assert list(run.missing()) == []
        assert (run.played, run.complete) == (10, True)


def test_a_ledger_that_is_missing_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Run.create(tmp_path / "run", EXPERIMENT):
        pass
    (tmp_path / "run" / LEDGER).unlink()
    assert Run.open(tmp_path / "run").played == 0
    [message] = caplog.messages
    assert message.endswith("ledger.jsonl: is missing; all games are to be played again.")


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("moment", range(16))
def test_the_end_of_the_process_at_any_write_loses_one_shard_and_doubles_nothing(
    moment: int, complete_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file is written and renamed; the process may end before and after each of these."""
    writes = moment

    def watched(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            nonlocal writes
            if writes == 0:
                raise Killed
            writes -= 1
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
    assert content(run.folder) == content(complete_run)


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


def test_a_killed_process_leaves_a_run_that_goes_on(complete_run: Path, tmp_path: Path) -> None:
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
    assert content(folder) == content(complete_run)


def test_a_run_that_was_killed_while_it_was_begun_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, rules = tmp_path / "run", (".rcy", "(game)")

    def killed(last: str, place: Path, content: bytes) -> None:
        if place.name == last:
            raise KeyboardInterrupt
        write_bytes(place, content)

    for last in ("rules.rcy", store.RUN):
        with monkeypatch.context() as patched:
            patched.setattr(store, "write_whole", partial(killed, last))
            with pytest.raises(KeyboardInterrupt):
                Run.create(folder, EXPERIMENT, rules)
    (folder / "rules.rcy").write_text("; somebody's own")
    with pytest.raises(FileError, match=r"holds 'rules\.rcy'"):
        Run.create(folder, EXPERIMENT, rules)
    (folder / "rules.rcy").write_text(rules[1])
    Run.create(folder, EXPERIMENT, rules)
    assert Run.open(folder).experiment == EXPERIMENT


def test_two_processes_cannot_play_the_same_run(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", EXPERIMENT)
    other = Run.open(run.folder)
    with run, pytest.raises(FileError, match="another process"), other:
        pass
    with other:
        pass


def test_a_line_of_the_ledger_that_was_cut_off_is_left_out(
    complete_run: Path, tmp_path: Path
) -> None:
    run = Run.create(tmp_path / "run", EXPERIMENT)
    go_on(run, 3)
    ledger = run.folder / LEDGER
    lines = ledger.read_bytes()
    for cut in range(1, len(lines.splitlines()[-1]) + 1):
        ledger.write_bytes(lines[:-cut])
        assert Run.open(run.folder).played == 2 * EXPERIMENT.shard_games
    go_on(Run.open(run.folder))
    assert content(run.folder) == content(complete_run)


def test_what_is_damaged_is_named(complete_run: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no run"):
        Run.open(tmp_path)
    run = Run.create(tmp_path / "run", EXPERIMENT)
    with pytest.raises(FileError, match="not an empty folder"):
        Run.create(run.folder, EXPERIMENT)
    go_on(run, 3)
    (run.folder / "games" / "0-7.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(FileError, match=r"games/0-7\.parquet: cannot be read"):
        list(Run.open(run.folder).rows())
    (run.folder / store.RUN).write_text("{")
    with pytest.raises(FileError, match=r"run\.json: is damaged"):
        Run.open(run.folder)
    (run.folder / store.RUN).write_text(json.dumps({"format": 99}))
    with pytest.raises(FileError, match="no run of this version"):
        Run.open(run.folder)


def flipped(content: bytes, place: int) -> bytes:
    """The same bytes with one bit flipped."""
    return content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :]


def test_a_flipped_bit_is_found_wherever_it_is(complete_run: Path, tmp_path: Path) -> None:
    shutil.copytree(complete_run, tmp_path / "run")
    run = Run.open(tmp_path / "run")
    first = range(1)
    file = run.folder / "games" / "0-7.parquet"
    sound = file.read_bytes()
    for place in range(0, len(sound), 7):
        file.write_bytes(flipped(sound, place))
        with pytest.raises(FileError, match=r"0-7\.parquet: cannot be read: it is damaged"):
            list(run.rows(first))
    file.write_bytes(sound)
    assert list(run.rows(first))


def test_a_missing_file_is_named_with_the_cure(complete_run: Path, tmp_path: Path) -> None:
    shutil.copytree(complete_run, tmp_path / "run")
    run = Run.open(tmp_path / "run")
    first = range(1)
    file = run.folder / "games" / "0-7.parquet"
    file.unlink()
    with pytest.raises(FileError, match=r"directory\. To play its games again: kib"):
        list(run.rows(first))


@pytest.mark.parametrize("harm", ["flipped", "missing", "swapped", "folder", "partial"])
def test_what_is_damaged_is_named_and_played_again_first(
    harm: str, complete_run: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = Run.create(tmp_path / "run", EXPERIMENT)
    go_on(run, 40)
    files = [run.folder / "games" / name for name in ("70-77.parquet", "140-147.parquet")]
    if harm == "flipped":
        files[0].write_bytes(flipped(files[0].read_bytes(), 30))
    elif harm == "missing":
        files[0].unlink()
    elif harm == "swapped":
        files[0].write_bytes((run.folder / "seats" / "70-77.parquet").read_bytes())
    elif harm == "folder":
        shutil.rmtree(run.folder / "options")
    else:
        runner = ThreadRunner(EXPERIMENT, TABLE, AGENTS, workers=1)
        with run:
            runner.play(run.add, [Shard(280, 3)])
        (run.folder / "games" / "280-283.parquet").write_bytes(b"PAR1")
    firsts: list[int] = []
    add = Run.add

    def noted(run: Run, rows: Rows) -> None:
        firsts.append(rows.shard.first)
        add(run, rows)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Run, "add", noted)
        resume_run(run.folder, workers=1)
    assert content(run.folder) == content(complete_run)
    assert Run.open(run.folder).complete
    again = {"folder": list(range(0, 280, 7)), "partial": [280]}.get(harm, [70])
    assert firsts[: len(again)] == again
    assert firsts[len(again) :] == [first for first in range(280, 400, 7) if first not in again]
    assert f"Games {again[0]} to {again[0] + (2 if harm == 'partial' else 6)} are" in caplog.text


def test_a_damaged_line_of_the_ledger_is_named_and_its_games_are_played_again(
    complete_run: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(complete_run, tmp_path / "run")
    ledger = tmp_path / "run" / LEDGER
    lines = ledger.read_text().splitlines(keepends=True)
    ledger.write_text("".join([*lines[:3], "{}\n", *lines[4:]]))
    assert Run.open(tmp_path / "run").played == GAMES - 7
    assert f"{ledger}:4: is damaged; the games of this line" in caplog.text
    resume_run(tmp_path / "run")
    assert content(tmp_path / "run") == content(complete_run)
    ledger.unlink()
    resume_run(tmp_path / "run")
    assert f"{ledger}: is missing; all games" in caplog.text
    assert content(tmp_path / "run") == content(complete_run)


@pytest.mark.parametrize("wrong", ['"first": 22, "played": 7', '"first": 21, "played": 0'])
def test_a_line_of_the_ledger_with_a_wrong_number_counts_for_nothing(
    wrong: str, complete_run: Path, tmp_path: Path
) -> None:
    """The line is still valid JSON, but its shard counts as missing."""
    shutil.copytree(complete_run, tmp_path / "run")
    ledger = tmp_path / "run" / LEDGER
    right = '"first": 21, "played": 7'
    assert right in ledger.read_text()
    ledger.write_text(ledger.read_text().replace(right, wrong))
    run = Run.open(tmp_path / "run")
    assert run.played == GAMES - 7
    assert not run.complete
    resume_run(tmp_path / "run")
    assert content(tmp_path / "run") == content(complete_run)


@pytest.mark.parametrize("begun", [None, 1, 3])
def test_a_run_is_asked_for_more_games(begun: int | None, tmp_path: Path) -> None:
    """Also one that was not complete; then for more again, and stopped in between."""
    folder = tmp_path / "run"
    few = Experiment.of(TABLE, AGENTS, 70, seed=5)
    runner = ThreadRunner(few, TABLE, AGENTS, workers=1)
    with Run.create(folder, few) as run:
        runner.play(run.add, list(run.missing())[:begun])
    before = content(folder)
    with kept_run(folder, EXPERIMENT, TABLE) as run:
        assert run.experiment == EXPERIMENT
        runner.play(run.add, [*run.missing()][:40])
    assert kibitz.playtest(TABLE, games=1000, seed=5, out=folder).games == 1000
    run = Run.open(folder)
    assert run.complete
    if begun is None:
        assert before.items() <= content(folder).items()
    shards = [*run.shards()]
    assert shards[0] == (0, 2)
    assert (70, 7) in shards
    assert sum(shard.games for shard in shards) == 1000
    straight = kibitz.playtest(TABLE, games=1000, seed=5, out=tmp_path / "straight")
    assert straight.games == 1000
    other = Run.open(tmp_path / "straight")
    for name in ("games", "seats"):
        assert run.table(name) == other.table(name)
    with pytest.raises(FileError, match="with games = 1000, not 400"):
        kept_run(folder, EXPERIMENT, TABLE)


def test_a_run_that_grows_within_a_shard_has_the_rows_of_one_played_at_once(
    tmp_path: Path,
) -> None:
    """5 games in shards of 4, then 16 in shards of 7, then 22 in shards of 5."""
    folder = tmp_path / "run"
    for games, size, played in (
        (5, 4, [(0, 3), (4, 1)]),
        (16, 7, [(5, 1), (14, 2)]),
        (22, 5, [(3, 1), (6, 1), (7, 7), (16, 4), (20, 2)]),
    ):
        experiment = Experiment.of(TABLE, AGENTS, games, 5, shard_games=size)
        runner = ThreadRunner(experiment, TABLE, AGENTS, workers=1)
        with kept_run(folder, experiment, TABLE) as run:
            if games == 22:
                assert list(run.missing()) == played
            runner.play(run.add, map(Shard._make, played))
    undivided: list[Rows] = []
    runner.play(undivided.append, [Shard(0, 22)])
    run = Run.open(folder)
    shards = [(0, 4), (4, 1), (5, 2), (7, 7), (14, 2), (16, 4), (20, 2)]
    assert list(run.shards()) == shards
    assert sorted((entry.first, entry.played) for entry in run.entries.values()) == shards
    rows = reduce(Rows.then, run.rows())
    for name in run.tables:
        assert getattr(rows, name)() == getattr(undivided[0], name)()
    stored = sorted(file.stem for file in (folder / "games").iterdir())
    assert stored == sorted(f"{first}-{first + games}" for first, games in shards)


def test_only_hidden_files_may_be_in_the_folder_of_a_new_run(tmp_path: Path) -> None:
    (tmp_path / ".DS_Store").touch()
    Run.create(tmp_path, EXPERIMENT)
    other = tmp_path / "other"
    other.mkdir()
    for name in ("d", "b", "a", "c"):
        (other / name).touch()
    with pytest.raises(FileError, match="it holds 'a', 'b', 'c' and more; choose another"):
        Run.create(other, EXPERIMENT)
    with pytest.raises(FileError, match="is not a folder"):
        Run.create(other / "a", EXPERIMENT)


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
