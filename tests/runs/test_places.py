"""Runs in an object store: the same rows as in a folder, complete after any interruption."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

import pytest

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import FileError, MissingExtraError, ParameterError
from kibitz.core.registry import load
from kibitz.runs import Experiment, Run, Shard, ThreadRunner, folder_at, place_at
from kibitz.studies import resume_run

pytest.importorskip("upath", reason="it needs kibitz[store]")

TABLE = load("tic-tac-toe").table()
AGENTS = make_agents(["random"], 2)
EXPERIMENT = Experiment.of(TABLE, AGENTS, 60, seed=5, shard_games=20)
NUMBERS = itertools.count()


@pytest.fixture
def address() -> Iterator[str]:
    """The address of an empty place in the object store."""
    where = f"memory://tests-{next(NUMBERS)}/run"
    yield where
    place: Any = place_at(where)
    if place.exists():
        place.fs.rm(place.path, recursive=True)


def go_on(run: Run, shards: list[Shard] | None = None) -> None:
    """Plays the given shards, or all missing ones."""
    with run:
        runner = ThreadRunner(EXPERIMENT, TABLE, AGENTS, workers=1)
        runner.play(run.add, run.missing() if shards is None else shards)


def rows_in(folder: Path) -> dict[str, bytes]:
    """The files of rows."""
    names = ("games", "seats", "options")
    return {
        f"{name}/{file.name}": file.read_bytes()
        for name in names
        for file in folder.glob(name + "/*")
    }


def test_rows_are_those_of_a_folder(address: str, tmp_path: Path) -> None:
    local = Run.create(tmp_path / "run", EXPERIMENT)
    remote = Run.create(place_at(address), EXPERIMENT, (".kif", "(rules)"))
    for run in (local, remote):
        go_on(run)
    assert len(rows_in(local.folder)) == 9
    assert rows_in(remote.folder) == rows_in(local.folder)
    reopened = Run.open(place_at(address))
    assert reopened.complete
    assert reopened.table("games") == local.table("games")
    assert reopened.rules == (f"{address}/rules.kif", "(rules)")
    with pytest.raises(FileError, match="not an empty folder"):
        Run.create(place_at(address), EXPERIMENT)


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("moment", range(9))
def test_the_end_of_the_process_at_any_write_loses_one_shard_and_doubles_nothing(
    moment: int, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uninterrupted = Run.create(tmp_path / "run", EXPERIMENT)
    go_on(uninterrupted)
    place: Any = place_at(address)
    run = Run.create(place, EXPERIMENT)
    writes, write = moment, type(place).write_bytes

    def watched(*arguments: Any) -> Any:
        nonlocal writes
        if writes == 0:
            raise Killed
        writes -= 1
        return write(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(type(place), "write_bytes", watched)
        with pytest.raises(Killed):
            go_on(run)
    run = Run.open(place)
    assert run.played == moment // 4 * 20
    go_on(run)
    assert Run.open(place).complete
    assert rows_in(place) == rows_in(uninterrupted.folder)


def test_the_rest_of_a_shard_takes_the_place_of_its_part(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = Run.create(place_at(address), EXPERIMENT)
    go_on(run, [Shard(0, 7)])
    assert [file.name for file in (run.folder / "ledger").iterdir()] == ["0-7.json"]
    go_on(run)
    names = {file.name for file in (run.folder / "ledger").iterdir()}
    assert names == {"0-20.json", "20-40.json", "40-60.json"}
    assert not (run.folder / "games" / "0-7.parquet").exists()
    (run.folder / "ledger" / "0-7.json").write_text(
        (run.folder / "ledger" / "0-20.json").read_text()
    )
    assert Run.open(run.folder).played == 60
    (run.folder / "ledger" / "0-7.json").write_text("{")
    assert Run.open(run.folder).played == 60
    assert "0-7.json: is damaged; its games are to be played again" in caplog.text


def test_an_object_that_is_lost_is_played_again(address: str) -> None:
    kibitz.playtest(TABLE, games=40, seed=5, out=address)
    place = place_at(address)
    before = rows_in(place)
    (place / "games" / "7-8.parquet").unlink()
    (place / "ledger" / "9-10.json").write_text("{")
    assert resume_run(address).games == 40
    assert rows_in(place) == before


def test_a_playtest_goes_on_where_it_was(address: str) -> None:
    first = kibitz.playtest(TABLE, games=40, seed=5, out=address)
    again = kibitz.playtest(TABLE, games=40, seed=5, out=address)
    assert again.to_json()["fairness"] == first.to_json()["fairness"]


def test_what_was_played_before_is_told_at_once(address: str) -> None:
    kibitz.playtest(TABLE, games=40, seed=5, out=address)
    counts: list[tuple[str, int, int]] = []
    resume_run(address, progress=lambda *count: counts.append(count))
    assert counts == [("games", 40, 40)]


def test_whoever_is_told_first_may_interrupt(address: str) -> None:
    def interrupt(stage: str, played: int, total: int) -> None:
        raise KeyboardInterrupt

    playtest = kibitz.playtest(TABLE, games=4000, seed=5, out=address, progress=interrupt)
    assert playtest.games < 4000
    assert playtest.interrupted
    again = resume_run(address, progress=interrupt)
    assert again.interrupted


def test_what_is_no_store_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match="cannot be reached"):
        place_at("klingon://bucket/run")
    monkeypatch.setitem(__import__("sys").modules, "upath", None)
    with pytest.raises(MissingExtraError, match=r"kibitz\[store\]"):
        place_at("s3://bucket/run")


@pytest.mark.parametrize("where", [3, b"folder", ["folder"], Path, PurePath("folder")])
def test_what_is_no_folder_is_told(where: Any) -> None:
    with pytest.raises(ParameterError, match=r"should be a folder: a path, or its text"):
        kibitz.playtest(TABLE, games=4, out=where)
    with pytest.raises(ParameterError, match=r"should be a folder: a path, or its text"):
        folder_at(where)


@pytest.mark.parametrize("where", ["", " "])
def test_an_empty_path_is_told(where: str) -> None:
    for at in (place_at, folder_at):
        with pytest.raises(ParameterError, match=r"is empty; the current one is '\.'"):
            at(where)


def test_an_object_store_is_no_folder_of_this_machine() -> None:
    for where in ("s3://bucket/tuned", "file:///tmp/tuned", place_at("memory://tuned")):
        with pytest.raises(ParameterError, match="a folder of this machine, no address"):
            folder_at(where)
