"""``kibitz record`` and ``kibitz replay``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_record_tells_a_game(kibitz: Run) -> None:
    shown = kibitz("record", "tic-tac-toe", "--seed", 3)
    assert shown.code == 0
    assert "Tic-Tac-Toe" in shown.stdout
    assert "Seed 3" in shown.stdout
    assert "1. Player 1: mark " in shown.stdout
    assert shown.stdout == kibitz("record", "tic-tac-toe", "--seed", 3).stdout
    assert shown.stdout != kibitz("record", "tic-tac-toe", "--seed", 4).stdout


def test_record_as_json_only(kibitz: Run) -> None:
    shown = kibitz(
        *("record", "love-letter", "-a", "osla random random", "-s", "tokens_to_win=1"),
        *("--json", "-"),
    )
    document = shown.json()
    assert document["agents"] == ["osla", "random", "random"]
    assert document["parameters"]["tokens_to_win"] == 1
    assert document["result"]["status"] == "finished"


def test_record_and_replay_tell_the_same(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    recorded = kibitz("record", "love-letter", "--players", 3, "--json", file)
    assert kibitz("replay", file).stdout == recorded.stdout


def test_the_transcript_goes_to_a_file(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    assert kibitz("record", "tic-tac-toe", "--out", file).stdout == ""
    assert file.read_text() == kibitz("record", "tic-tac-toe").stdout


def test_out_keeps_a_record_when_its_name_says_json(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    recorded = kibitz("record", "tic-tac-toe", "--out", file)
    assert "1. Player 1: mark " in recorded.stdout
    assert kibitz("replay", file).stdout == recorded.stdout


def test_a_team_has_no_places(kibitz: Run) -> None:
    recorded = kibitz("record", "pandemic", "--agents", "first-legal", "--seed", 1).stdout
    assert recorded.endswith("\nNobody has won.\n")


def test_replay_notices_an_edited_record(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    kibitz("record", "tic-tac-toe", "--json", file)
    document = json.loads(file.read_text())
    document["moves"][1]["action"] = document["moves"][0]["action"]
    document["moves"][1]["words"] = document["moves"][0]["words"]
    file.write_text(json.dumps(document))
    shown = kibitz("replay", file)
    assert shown.code == 2
    assert "move 2" in shown.stderr
    assert "is not legal" in shown.stderr


def test_replay_step_by_step(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    moves = kibitz("record", "tic-tac-toe", "--json", "-").json()["moves"]
    kibitz("record", "tic-tac-toe", "--json", file)
    shown = kibitz("replay", file, "--step", input="\n" * len(moves))
    assert shown.code == 0
    assert f"1. Player 1: {moves[0]['words']}\n" in shown.stdout
    assert shown.stdout.count("Board:") == len(moves) + 1
    assert shown.stdout.endswith("The record ends here: finished.\n")


def test_steps_can_be_left(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    kibitz("record", "tic-tac-toe", "--json", file)
    for entries in ("\nq\n", "\n"):  # by q, and where nothing more comes
        shown = kibitz("replay", file, "--step", input=entries)
        assert shown.code == 0
        assert shown.stdout.count("Board:") == 2
        assert shown.stderr == ""


def test_a_game_of_ones_own(kibitz: Run, tmp_path: Path, own_code: None) -> None:
    kibitz("new", "tide-race", "--dir", tmp_path)
    rules = tmp_path / "tide-race" / "src" / "tide_race" / "rules.py"
    file = tmp_path / "game.json"
    recorded = kibitz("record", rules, "--json", file)
    assert kibitz("replay", file, rules).stdout == recorded.stdout
    other = kibitz("replay", file, "tic-tac-toe")
    assert "is a game of tide-race, not of tic-tac-toe" in other.stderr


def test_an_unknown_game_of_ones_own(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    kibitz("record", "tic-tac-toe", "--json", file)
    file.write_text(file.read_text().replace("tic-tac-toe", "tic-tac-toes"))
    shown = kibitz("replay", file)
    assert "There is no game 'tic-tac-toes'" in shown.stderr
    assert "give it after the record" in shown.flat
