"""Records keep the rules, so that games of one's own are replayed and changes are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kibitz
from kibitz.core.errors import FileError, IllegalActionError, UnknownGameError
from kibitz.sessions.kept_rules import KeptRules
from kibitz.sessions.recording import verify
from kibitz.sessions.records import Record
from kibitz.sessions.session import Session

COIN = """
(role you) (init (step 1))
(<= (legal you (take ?n)) (true (step ?s)) (number ?n)) (number 1) (number 2)
(<= (next (step 2)) (true (step 1))) (<= (next (took ?n)) (does you (take ?n)))
(<= (next (took ?n)) (true (took ?n))) (<= terminal (true (step 2)))
(<= (goal you 100) (true (took 1))) (<= (goal you 50) (true (took 2)))
"""
PYTHON = """
from kibitz.library.tictactoe import TicTacToe

class Mine(TicTacToe):
    name = "mine-in-python"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "coin-of-mine.kif"
    place.write_text(COIN)
    return place


@pytest.fixture
def record(file: Path) -> Record:
    return kibitz.record(kibitz.load(file), "random", 1)


def reread(record: Record) -> Record:
    return Record.from_json(json.dumps(record.to_json()), "game.json")


def test_a_record_has_the_text_of_a_file_and_is_replayed_without_it(
    record: Record, file: Path
) -> None:
    file.unlink()
    again = reread(record)
    assert again.rules.text == COIN
    assert again.rules.file == str(file)
    assert again.rules.language == "gdl"
    verify(again)


def test_sessions_keep_the_rules_as_well(file: Path) -> None:
    session = Session(kibitz.load(file), ["random"], 1)
    while not session.is_over:
        session.advance()
    rules = reread(session.record()).rules
    assert rules.text == COIN


@pytest.mark.parametrize("name", ["tic-tac-toe", "kuhn-poker"])
def test_of_an_installed_game_the_fingerprint_is_kept(name: str) -> None:
    rules = kibitz.record(name, "random", 1).rules
    assert rules.fingerprint == kibitz.load(name).fingerprint
    assert (rules.file, rules.text) == ("", "")


def test_a_file_with_the_name_of_an_installed_game_is_replayed_by_its_own_rules(
    tmp_path: Path,
) -> None:
    place = tmp_path / "kuhn-poker.kif"
    place.write_text(COIN)
    verify(reread(kibitz.record(kibitz.load(place), "random", 1)))


def test_code_is_named_and_not_run(tmp_path: Path) -> None:
    document = kibitz.record("tic-tac-toe", "random", 1).to_json()
    trap, ran = tmp_path / "trap.py", tmp_path / "ran"
    trap.write_text(f"open({str(ran)!r}, 'w')\n{PYTHON}")
    document["game"] = "no-such-game-here"
    document["rules"] = {"language": "python", "fingerprint": "0" * 16, "file": str(trap)}
    with pytest.raises(UnknownGameError, match=r"never runs.*after the record, .*trap\.py"):
        verify(Record.from_json(document))
    document["rules"]["text"] = trap.read_text()
    with pytest.raises(FileError, match="not run from here"):
        verify(Record.from_json(document))
    assert not ran.exists()


def test_a_move_that_other_rules_refuse_names_the_changed_line(record: Record) -> None:
    changed = COIN.replace("(number 1) (number 2)", "(number 3)")
    game = kibitz.load(changed, language="gdl")
    with pytest.raises(
        IllegalActionError, match=r"(?s)changed.*line 3: - .*line 3: \+ .*number 3"
    ):
        verify(record, game)


def test_an_edited_record_is_not_blamed_on_the_rules(record: Record) -> None:
    document = record.to_json()
    document["result"]["scores"] = [7.0]
    with pytest.raises(FileError, match="the record was edited") as it:
        verify(Record.from_json(document))
    assert "The rules of" not in str(it.value)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (7, "rules should be an object"),
        ({"language": "gdl"}, "rules.fingerprint is missing"),
        ({"language": "gdl", "fingerprint": "0", "text": 7}, "rules.text should be a text"),
    ],
)
def test_damaged_rules_are_named(record: Record, rules: object, message: str) -> None:
    with pytest.raises(FileError, match=message):
        Record.from_json({**record.to_json(), "rules": rules})


def test_a_byte_order_mark_is_read_over(record: Record, tmp_path: Path) -> None:
    place = tmp_path / "game.json"
    place.write_text(json.dumps(record.to_json()), encoding="utf-8-sig")
    assert Record.read(place) == record
    assert Record.from_json(place.read_text(encoding="utf-8")) == record


@pytest.mark.parametrize("where", ["beside the record", "in the current folder"])
def test_a_relative_path_is_looked_for_beside_the_record_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    folder, current = tmp_path / "records", tmp_path / "current"
    for place in (folder, current):
        place.mkdir()
    monkeypatch.chdir(current)
    kept = KeptRules("", "gdl", "coin.kif", COIN)
    assert kept.changed_file(folder) == ""
    (current / "coin.kif").write_text(COIN + "(number 3)\n")
    if where == "beside the record":
        (folder / "coin.kif").write_text(COIN + "(number 4)\n")
        assert f"{folder / 'coin.kif'} has changed" in kept.changed_file(folder)
        assert "+ (number 4)" in kept.changed_file(folder)
    else:
        assert kept.changed_file(folder).startswith("coin.kif has changed")
        assert "+ (number 3)" in kept.changed_file(folder)


def test_texts_that_repeat_a_line_are_compared_at_once(tmp_path: Path) -> None:
    """Only what lies between the first and the last difference is looked at, and not too much."""
    line, file = "; the same\n", tmp_path / "x.rcy"
    kept = KeptRules("", "recycle", str(file), line * 4_000 + "(a)\n" + line * 900)
    file.write_text(line * 4_000 + "(b)\n" + line * 900)
    assert kept.changed_file(tmp_path).endswith(":\n  line 4001: - (a)\n  line 4001: + (b)")
    file.write_text("(b)\n" * 4_901)
    assert kept.changed_file(tmp_path).endswith("recorded, from line 1 on.")
