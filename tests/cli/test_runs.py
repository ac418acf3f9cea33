"""``kibitz playtest --out`` and ``kibitz runs``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.test_loading import OWN

import kibitz as package
from kibitz.runs import Run as KeptRun
from kibitz.studies import measure_run, resume_run

TIMES = ("seconds", "games_per_second", "seconds_per_decision")


def without_times(document: object) -> object:
    if isinstance(document, dict):
        return {k: without_times(v) for k, v in document.items() if k not in TIMES}
    if isinstance(document, list):
        return [without_times(item) for item in document]
    return document


@pytest.fixture
def folder(tmp_path: Path, kibitz: Run) -> Path:
    """A run of 130 games."""
    place = tmp_path / "run"
    assert kibitz("playtest", "tic-tac-toe", "--games", 130, "--out", place).code == 0
    return place


def shorten(folder: Path, shards: int) -> None:
    """Cuts the ledger as if the process had ended after ``shards`` shards."""
    ledger = folder / "ledger.jsonl"
    lines = ledger.read_text().splitlines(keepends=True)
    ledger.write_text("".join(lines[:shards]))


def test_a_kept_run_shows_what_was_shown(folder: Path, kibitz: Run) -> None:
    shown = kibitz("playtest", "tic-tac-toe", "--games", 130, "--json", "-").json()
    assert without_times(kibitz("runs", "show", folder, "--json").json()) == without_times(shown)
    assert "Tic-Tac-Toe: 130 games of 2 players" in kibitz("runs", "show", folder).stdout
    again = kibitz("playtest", "tic-tac-toe", "--games", 130, "--out", folder, "--json", "-")
    assert without_times(again.json()) == without_times(shown)


def test_a_run_that_ended_early_is_shown_and_resumed(folder: Path, kibitz: Run) -> None:
    uninterrupted = measure_run(folder).to_json()
    shorten(folder, 4)
    assert "12 of 130" in kibitz("runs", "list", folder).stdout
    assert "Stopped after 12 of 130 games" in kibitz("runs", "show", folder).flat
    assert "All 130 games" in kibitz("runs", "resume", folder).flat
    assert without_times(measure_run(folder).to_json()) == without_times(uninterrupted)
    assert "12 of 130" not in kibitz("runs", "list", folder).stdout


def test_runs_are_listed(folder: Path, kibitz: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    assert re.search(r"^run +tic-tac-toe +2 +random +130 ", kibitz("runs", "list").stdout, re.M)
    [document] = kibitz("runs", "list", folder.parent, "--json").json()
    assert document["played"] == 130
    assert document["experiment"]["game"] == "tic-tac-toe"
    (folder / "run.json").write_text("{")
    damaged = kibitz("runs", "list", folder.parent)
    assert "run.json: is damaged" in damaged.flat
    assert "There is no run in" in damaged.flat
    assert "no such folder" in kibitz("runs", "list", folder / "absent").flat


@pytest.mark.parametrize("table", ["games", "seats", "options"])
def test_tables_are_exported(table: str, folder: Path, tmp_path: Path, kibitz: Run) -> None:
    import pyarrow.csv as csv
    import pyarrow.parquet as pq

    rows = KeptRun.open(folder).table(table)
    for suffix in (".csv", ".parquet"):
        file = tmp_path / f"{table}{suffix}"
        assert kibitz("runs", "export", folder, file, "--table", table).code == 0
        exported = csv.read_csv(file) if suffix == ".csv" else pq.read_table(file)
        assert exported.column_names == rows.column_names
        assert exported.num_rows == rows.num_rows
    assert [path.name for path in tmp_path.glob("*.part")] == []


def test_exports_that_cannot_be(folder: Path, tmp_path: Path, kibitz: Run) -> None:
    for words, message in (
        ([folder, tmp_path / "x.txt"], "should end in .csv or .parquet"),
        ([folder, tmp_path / "x.csv", "--table", "moves"], "games, seats, options"),
        ([folder, tmp_path / "no" / "x.csv"], "there is no folder"),
        ([folder, min(folder.glob("games/*.parquet"))], "is among the run's own files"),
        ([tmp_path, tmp_path / "x.csv"], "holds no run"),
    ):
        refused = kibitz("runs", "export", *words)
        assert refused.code == 2
        assert message in refused.flat
    shorten(folder, 0)
    assert "nothing has been played" in kibitz("runs", "export", folder, tmp_path / "x.csv").flat
    assert list(tmp_path.glob("x.csv*")) == []


def test_queries(folder: Path, kibitz: Run) -> None:
    pytest.importorskip("duckdb")
    asked = "select status, count(*) as n, avg(actions) as length from games group by status"
    [row] = kibitz("runs", "query", folder, asked, "--json").json()
    assert (row["status"], row["n"]) == ("finished", 130)
    assert 5 < row["length"] < 9
    assert "finished" in kibitz("runs", "query", folder, asked).stdout
    assert kibitz("runs", "query", folder, "select sum(score) s from seats", "--json").code == 0
    refused = kibitz("runs", "query", folder, "select nonsense from games")
    assert refused.code == 2
    assert "nonsense" in refused.flat


FOREIGN = [
    "from read_csv('/etc/passwd')",
    "from '/etc/passwd'",
    "from read_text('/etc/passwd')",
    "from read_blob('/etc/passwd')",
    "from glob('/etc/*')",
    "from read_parquet('{folder}/games/*.parquet')",
    "copy (select 1) to '{folder}/stolen.csv'",
    "copy games to '{folder}/stolen.parquet'",
    "export database '{folder}/stolen'",
    "attach '{folder}/stolen.db'",
    "install httpfs",
    "load httpfs",
    "set enable_external_access = true",
    "reset enable_external_access",
    "pragma enable_external_access",
    "create persistent secret s (type s3)",
]
"""Statements that would read or write what is no table of the run."""


def test_a_query_reads_the_run_and_nothing_else(folder: Path, kibitz: Run) -> None:
    pytest.importorskip("duckdb")
    before = sorted(folder.rglob("*"))
    for sql in FOREIGN:
        refused = kibitz("runs", "query", folder, sql.format(folder=folder))
        assert refused.code == 2, sql
        assert "root:" not in refused.flat, sql
    assert sorted(folder.rglob("*")) == before


def test_every_answer_of_a_query_is_json(folder: Path, kibitz: Run) -> None:
    pytest.importorskip("duckdb")
    asked = "select 1/0 i, 'nan'::double n, [1, 2] l, {'a': [-1/0]} s, date '2020-01-01' d"
    shown = kibitz("runs", "query", folder, asked, "--json")
    assert shown.json() == [
        {"i": None, "n": None, "l": [1, 2], "s": {"a": [None]}, "d": "2020-01-01"}
    ]


def test_an_answer_too_wide_for_a_table_has_a_column_in_a_line(folder: Path, kibitz: Run) -> None:
    narrow = kibitz("runs", "query", folder, "select seed, actions from games limit 2").stdout
    assert narrow.splitlines()[0].split() == ["seed", "actions"]
    lines = kibitz("runs", "query", folder, "from games limit 2").stdout.splitlines()
    columns = lines[: lines.index("")]
    assert [line.split()[0] for line in columns].count("actions") == 1
    assert [line.split()[0] for line in lines[len(columns) + 1 :]] == [
        line.split()[0] for line in columns
    ]


@pytest.mark.parametrize("sql", ["", ";"])
def test_a_query_that_asks_nothing_is_refused(folder: Path, kibitz: Run, sql: str) -> None:
    pytest.importorskip("duckdb")
    refused = kibitz("runs", "query", folder, sql)
    assert refused.code == 2
    assert "There is no query" in refused.flat


def test_a_query_for_what_was_not_recorded_is_told_the_tables(folder: Path, kibitz: Run) -> None:
    pytest.importorskip("duckdb")
    refused = kibitz("runs", "query", folder, "from decisions")
    assert refused.code == 2
    assert "this run has games, seats, options" in refused.flat


def test_a_query_of_a_damaged_run_names_the_folder(folder: Path, kibitz: Run) -> None:
    pytest.importorskip("duckdb")
    for file in folder.glob("games/*.parquet"):
        file.write_bytes(b"??")
    refused = kibitz("runs", "query", folder, "select 1")
    assert refused.code == 2
    assert "a part of the run cannot be read" in refused.flat
    assert "To play its games again: kibitz runs resume" in refused.flat


def test_a_part_that_is_damaged_or_missing_is_told_in_words(folder: Path, kibitz: Run) -> None:
    file = min(folder.glob("games/*.parquet"))
    file.write_bytes(b"??")
    assert "cannot be read: it is damaged." in kibitz("runs", "show", folder).flat
    file.unlink()
    shown = kibitz("runs", "show", folder).flat
    assert "cannot be read: No such file or directory." in shown
    assert "Errno" not in shown


@pytest.mark.parametrize("description", ["{", '{"format": 1}'])
def test_a_run_that_cannot_be_read_is_deleted_if_meant(
    folder: Path, kibitz: Run, description: str
) -> None:
    (folder / "run.json").write_text(description)
    refused = kibitz("runs", "delete", folder, input="n\n")
    assert "with a run that cannot be read?" in refused.flat
    assert folder.exists()
    assert kibitz("runs", "delete", folder, "--yes").code == 0
    assert not folder.exists()


def test_a_run_is_deleted_only_if_meant(folder: Path, kibitz: Run) -> None:
    assert kibitz("runs", "delete", folder, input="n\n").code != 0
    assert folder.exists()
    assert kibitz("runs", "delete", folder.parent).code == 2
    assert kibitz("runs", "delete", folder, "--yes").code == 0
    assert not folder.exists()


def test_another_experiment_does_not_mix_with_a_run(folder: Path, kibitz: Run) -> None:
    refused = kibitz("playtest", "tic-tac-toe", "--games", 129, "--out", folder)
    assert refused.code == 2
    assert "holds another run, with games = 130, not 129. Give the same options" in refused.flat
    varied = kibitz("playtest", "tic-tac-toe", "--vary", "size=3,4", "--out", folder)
    assert "without --vary" in varied.flat


def test_more_games_are_added_to_a_run(folder: Path, kibitz: Run) -> None:
    more = kibitz("playtest", "tic-tac-toe", "--games", 140, "--out", folder)
    assert more.code == 0
    assert kibitz("runs", "list", folder, "--json").json()[0]["played"] == 140


def test_a_game_in_a_text_is_kept_with_its_run(tmp_path: Path, kibitz: Run) -> None:
    """The run goes on although the file has changed; a playtest of the file notices."""
    file, place = tmp_path / "mine.rcy", tmp_path / "the run"
    assert kibitz("new", file).code == 0
    assert kibitz("playtest", file, "--games", 70, "--out", place).code == 0
    text = file.read_text()
    assert (place / "rules.rcy").read_text() == text
    file.unlink()
    shorten(place, 10)
    assert resume_run(place).games == 70
    file.write_text(text + "\n; another remark\n")
    changed = kibitz("playtest", file, "--games", 70, "--out", place)
    assert "holds another run, with rules =" in changed.flat
    assert f"kibitz runs resume '{place}'" in changed.flat
    (place / "rules.rcy").write_text(text.replace("game", "game ", 1))
    shown = kibitz("runs", "show", place)
    assert shown.code == 0
    assert "The rules have changed since these games were played." in shown.flat
    assert "70 games" in shown.flat
    assert "other rules" in kibitz("runs", "resume", place).flat


def test_the_code_of_an_own_game_is_given_after_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_code: None, kibitz: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("walk_of_mine.py").write_text(
        OWN.format(name="mine", apply="state.player = 1 - state.player").replace("walk-", "steps-")
    )
    assert kibitz("playtest", "walk_of_mine.py", "--games", 2, "--out", "run").code == 0
    monkeypatch.setattr("kibitz.core.registry._added", {})
    shown = kibitz("runs", "show", "run")
    assert shown.code == 2
    assert "give it after the folder, FILE.py" in shown.flat
    assert "2 games of 2 players" in kibitz("runs", "show", "run", "walk_of_mine.py").flat
    assert kibitz("runs", "resume", "run", "walk_of_mine.py").code == 0


def test_the_folder_of_a_stranger_runs_no_code(folder: Path, tmp_path: Path, kibitz: Run) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    description = folder / "run.json"
    document = json.loads(description.read_text())
    for name, value in (
        ("game", str(bad)),
        ("game", f"{bad}:Game"),
        ("game", "bad:Game"),
        ("agents", [str(bad), "random"]),
        ("agents", ["bad:Agent", "random"]),
    ):
        changed = document["experiment"] | {name: value}
        description.write_text(json.dumps(document | {"experiment": changed}))
        assert kibitz("runs", "show", folder).code == 2
        assert kibitz("runs", "resume", folder).code == 2
    assert not (tmp_path / "ran").exists()


def test_runs_from_python(tmp_path: Path) -> None:
    reports: list[tuple[str, int, int]] = []
    playtest = package.playtest(
        "tic-tac-toe",
        games=100,
        out=tmp_path / "run",
        progress=lambda *counts: reports.append(counts),
    )
    assert reports[-1] == ("games", 100, 100)
    assert without_times(playtest.to_json()) == without_times(
        package.playtest("tic-tac-toe", games=100).to_json()
    )


def test_a_run_in_an_object_store(kibitz: Run) -> None:
    pytest.importorskip("upath", reason="it needs kibitz[store]")
    place = "memory://letters/run"
    kibitz("playtest", "tic-tac-toe", "--games", 40, "--out", place)
    assert kibitz("runs", "list", "memory://letters", "--json").json()[0]["played"] == 40
    query = kibitz("runs", "query", place, "select count(*) as n from games", "--json")
    assert query.json() == [{"n": 40}]
    kibitz("runs", "delete", place, "--yes")
    assert "holds no run" in kibitz("runs", "show", place).flat
