"""``kibitz replay`` and ``kibitz picture`` of match records, whichever game manager wrote them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.web.played_matches import played

TIC_TAC_TOE = """
(role xplayer) (role oplayer)
(index 1) (index 2) (index 3)
(<= (init (cell ?m ?n b)) (index ?m) (index ?n))
(init (control xplayer))
(<= (next (cell ?m ?n x)) (does xplayer (mark ?m ?n)))
(<= (next (cell ?m ?n o)) (does oplayer (mark ?m ?n)))
(<= (next (cell ?m ?n ?w)) (true (cell ?m ?n ?w)) (distinct ?w b))
(<= (next (cell ?m ?n b)) (does ?w (mark ?j ?k)) (true (cell ?m ?n b)) (distinct ?m ?j))
(<= (next (cell ?m ?n b)) (does ?w (mark ?j ?k)) (true (cell ?m ?n b)) (distinct ?n ?k))
(<= (next (control xplayer)) (true (control oplayer)))
(<= (next (control oplayer)) (true (control xplayer)))
(<= (legal ?w (mark ?x ?y)) (true (cell ?x ?y b)) (true (control ?w)))
(<= (legal xplayer noop) (true (control oplayer)))
(<= (legal oplayer noop) (true (control xplayer)))
(<= terminal (true (cell 2 2 o)))
(goal xplayer 0) (goal oplayer 100)
"""

EMPTY = [f"( cell {m} {n} b )" for m in (1, 2, 3) for n in (1, 2, 3)]


def state(control: str, **cells: str) -> str:
    """A state as ggp-base writes it, in an order of its own; ``_22="o"`` is a piece."""
    facts = [f"( control {control} )", *EMPTY]
    for place, piece in cells.items():
        m, n = place[1], place[2]
        facts[facts.index(f"( cell {m} {n} b )")] = f"( cell {m} {n} {piece} )"
    return f"( {' '.join(reversed(facts))} )"


def foreign(**changes: Any) -> dict[str, Any]:
    """A match record as ggp-base writes it; what Kibitz adds to the format is missing."""
    document = {
        "matchId": "tiltyard.ticTacToe.1390000000000",
        "randomToken": "a8f3",
        "startTime": 1390000000000,
        "matchHostPK": "0MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A",
        "gameMetaURL": "http://games.ggp.org/base/games/ticTacToe/v0/",
        "isCompleted": True,
        "isAborted": False,
        "states": [
            state("xplayer"),
            state("oplayer", _33="x"),
            state("xplayer", _33="x", _22="o"),
        ],
        "moves": [["( mark 3 3 )", "noop"], ["noop", "( mark 2 2 )"]],
        "stateTimes": [1390000000000, 1390000001000, 1390000002500],
        "errors": [["", ""], ["", ""], ["TO", ""]],
        "goalValues": [0, 100],
        "previewClock": -1,
        "startClock": 60,
        "playClock": 15,
        "isPlayerHuman": [False, False],
        "scrambled": True,
        "playerNamesFromHost": ["Sancho", "Galvanise"],
    }
    return document | changes


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, which has the rules and a foreign record."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tictactoe.kif").write_text(TIC_TAC_TOE)
    (tmp_path / "foreign.json").write_text(json.dumps(foreign()))
    return tmp_path


def keep(name: str, file: Path, steps: int | None = None) -> int:
    """Writes a record of a match of first legal moves; returns its number of steps."""
    record = played(name)
    last = len(record.moves) if steps is None else steps
    file.write_text(json.dumps(record.until(last).to_json()))
    return last


# --- foreign records ----------------------------------------------------------------------------


def test_a_foreign_match_is_replayed_board_by_board(kibitz: Run, place: Path) -> None:
    shown = kibitz("replay", "foreign.json", "tictactoe.kif")
    assert shown.code == 0, shown.stderr
    assert shown.stdout.splitlines() == [
        "tictactoe, match tiltyard.ticTacToe.1390000000000; clocks 60 s and 15 s",
        "  xplayer: Sancho, ready",
        "  oplayer: Galvanise, ready",
        "",
        "     3  . . .",
        "     2  . . .",
        "     1  . . .",
        "        1 2 3",
        "     (control xplayer)",
        "",
        "  1. (mark 3 3) 1.00 s   noop 1.00 s",
        "",
        "     3  . . x",
        "     2  . . .",
        "     1  . . .",
        "        1 2 3",
        "     (control oplayer)",
        "",
        "  2. noop 1.50 s [TO]   (mark 2 2) 1.50 s",
        "",
        "     3  . . x",
        "     2  . o .",
        "     1  . . .",
        "        1 2 3",
        "     (control xplayer)",
        "",
        "Role     Player     Goal  Errors  Seconds a move",
        "xplayer  Sancho        0       1            1.25",
        "oplayer  Galvanise   100       0            1.25",
        "The record agrees with the rules of tictactoe.",
    ]


def test_capitals_mean_the_same(kibitz: Run, place: Path) -> None:
    document = foreign()
    document["moves"] = [[move.upper() for move in step] for step in document["moves"]]
    document["states"] = [text.upper() for text in document["states"]]
    (place / "loud.json").write_text(json.dumps(document))
    shown = kibitz("replay", "loud.json", "tictactoe.kif")
    assert shown.code == 0, shown.stderr
    assert "  2. NOOP 1.50 s [TO]   (MARK 2 2)" in shown.stdout
    assert "     2  . o ." in shown.stdout


def test_without_its_rules_a_foreign_match_is_not_replayed(kibitz: Run, place: Path) -> None:
    for command in ("replay", "picture"):
        shown = kibitz(command, "foreign.json")
        assert shown.code == 2
        assert "games.ggp.org/base/games/ticTacToe/v0/', which is no game in GDL" in shown.flat
        assert "Give its rules after the record: foreign.json FILE.kif" in shown.flat


def test_a_game_that_is_not_in_gdl_has_no_match_records(kibitz: Run, place: Path) -> None:
    assert "uno is not in GDL" in kibitz("replay", "foreign.json", "uno").flat


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"moves": [["( mark 3 3 )", "noop"], ["noop", "( mark 3 3 )"]]}, "step 2: (mark 3 3) is"),
        (
            {"states": [state("xplayer"), state("oplayer", _32="x"), state("xplayer")]},
            "step 1: state 1 does not follow from the rules, by which (cell 3 2 b) is true",
        ),
        (
            {"states": [state("oplayer"), state("oplayer", _33="x"), state("xplayer")]},
            "the first state: state 0 does not follow",
        ),
        ({"goalValues": [50, 50]}, "the goals are [0, 100], not [50, 50]"),
        (
            {
                "moves": [["( mark 3 3 )", "noop"]],
                "states": [state("xplayer"), state("oplayer", _33="x")],
                "errors": [["", ""]] * 2,
                "stateTimes": [1, 2],
            },
            "it is completed, and the game is not over",
        ),
    ],
)
def test_a_contradiction_is_named_with_its_step(
    kibitz: Run, place: Path, changes: dict[str, Any], problem: str
) -> None:
    (place / "wrong.json").write_text(json.dumps(foreign(**changes)))
    shown = kibitz("replay", "wrong.json", "tictactoe.kif")
    assert shown.code == 1
    assert f"The record contradicts the rules of tictactoe: {problem}" in shown.stderr
    assert "agrees" not in shown.stdout


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"matchId": "m"', "is not JSON"),
        ('{"matchId": "m"}', "is no match record: it has no moves"),
        (json.dumps(foreign(stateTimes=[1])), "2 steps and 1 stateTimes, not 3"),
        (json.dumps(foreign(moves=[["x", "y", "z"]] * 2)), "not one move and one error for each"),
        (json.dumps(foreign(states=["(", "( )", "( )"])), "a parenthesis is not closed"),
        (json.dumps(foreign(playerNamesFromHost=["one"])), "1 players for 2 roles"),
        ('{"moves": []}', "format is missing"),
    ],
)
def test_damaged_records_are_refused(kibitz: Run, place: Path, text: str, problem: str) -> None:
    (place / "damaged.json").write_text(text)
    for command in ("replay", "picture"):
        shown = kibitz(command, "damaged.json", "tictactoe.kif")
        assert shown.code == 2
        assert problem in shown.flat
        assert "damaged.json" in shown.flat


def test_a_record_that_is_too_long_is_not_read(
    kibitz: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.core.parameters.MOST_JSON_BYTES", 1000)
    kibitz("record", "tic-tac-toe", "--out", "game.json")
    with (place / "game.json").open("a") as file:
        file.write(" " * 1000)
    for command in (
        ("replay", "game.json"),
        ("replay", "foreign.json", "tictactoe.kif"),
        ("picture", "foreign.json", "tictactoe.kif"),
        ("play", "tic-tac-toe", "--resume", "game.json"),
    ):
        shown = kibitz(*command)
        assert shown.code == 2
        assert ".json: is longer than 1,000 bytes" in shown.flat


def test_a_byte_order_mark_is_read_over(kibitz: Run, place: Path) -> None:
    (place / "foreign.json").write_text(json.dumps(foreign()), encoding="utf-8-sig")
    assert kibitz("replay", "foreign.json", "tictactoe.kif").code == 0


def test_nothing_in_a_record_controls_the_terminal(kibitz: Run, place: Path) -> None:
    names = ["\x1b[2J", "\x07\r"]
    document = foreign(matchId="\x1b]0;x\x07", playerNamesFromHost=names, errors=[names] * 3)
    (place / "evil.json").write_text(json.dumps(document))
    shown = kibitz("replay", "evil.json", "tictactoe.kif")
    assert shown.code == 0
    assert not set("\x1b\x07\r") & set(shown.stdout)


# --- kinds of games -----------------------------------------------------------------------------


def test_moves_at_once_and_trails(kibitz: Run, place: Path) -> None:
    last = keep("light-cycles", place / "cycles.json")
    shown = kibitz("replay", "cycles.json")
    assert shown.code == 0, shown.stderr
    assert "     l left   r right\n" in shown.stdout
    assert "     tl trail left   tr trail right\n" in shown.stdout
    assert shown.stdout.count("  1  2  3  4  5  6  7  8\n") == last
    assert "  1. (ride east) 0.10 s   (ride east) 0.10 s\n" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert shown.stdout.endswith("The record agrees with the rules of light-cycles.\n")


def test_imperfect_information_and_chance(kibitz: Run, place: Path) -> None:
    keep("monty-hall", place / "doors.json")
    shown = kibitz("replay", "doors.json")
    assert shown.code == 0, shown.stderr
    assert "  1. noop 0.10 s   (hide 1)\n\n     (car 1) (time 2)\n" in shown.stdout
    assert "random:" not in shown.stdout


def test_a_match_is_stepped_through(kibitz: Run, place: Path) -> None:
    shown = kibitz("replay", "foreign.json", "tictactoe.kif", "--step", input="\nq\n")
    assert shown.code == 0
    assert "[1 of 2] Enter goes on, q stops: " in shown.stdout
    assert "(mark 2 2)" not in shown.stdout
    shown = kibitz("replay", "foreign.json", "tictactoe.kif", "--step", input="\n\n")
    assert "agrees with the rules" in shown.stdout


# --- pictures -----------------------------------------------------------------------------------


def test_any_state_of_a_foreign_match_is_drawn(kibitz: Run, place: Path) -> None:
    command = ("picture", "foreign.json", "tictactoe.kif")
    drawn = {n: kibitz(*command, "--moves", n).stdout for n in (0, 1, 2)}
    assert len({*drawn.values()}) == 3
    for number, svg in drawn.items():
        pieces = re.findall(r">(cell . .): ([xo])[<.]", svg)
        assert pieces == [("cell 3 3", "x"), ("cell 2 2", "o")][:number]
    assert kibitz(*command).stdout == drawn[2]
    assert kibitz(*command, "-m", 9).stdout == drawn[2]


def test_a_seat_of_a_match_sees_what_its_role_knows(kibitz: Run, place: Path) -> None:
    keep("monty-hall", place / "doors.json")
    mine = kibitz("picture", "doors.json", "--moves", 2, "--seat", 1)
    assert mine.code == 0, mine.stderr
    assert "what you can be certain of" in mine.stdout
    assert ">car<" not in mine.stdout
    assert ">car<" in kibitz("picture", "doors.json", "--moves", 2, "--open").stdout


def test_no_picture_beyond_a_contradiction(kibitz: Run, place: Path) -> None:
    moves = [["( mark 3 3 )", "noop"], ["noop", "( mark 3 3 )"]]
    (place / "wrong.json").write_text(json.dumps(foreign(moves=moves)))
    assert kibitz("picture", "wrong.json", "tictactoe.kif", "--moves", 1).code == 0
    shown = kibitz("picture", "wrong.json", "tictactoe.kif")
    assert shown.code == 2
    assert "wrong.json: contradicts the rules: step 2: (mark 3 3) is not legal for" in shown.flat


def test_a_picture_of_the_end_checks_the_goals(kibitz: Run, place: Path) -> None:
    (place / "wrong.json").write_text(json.dumps(foreign(goalValues=[50, 50])))
    assert kibitz("picture", "wrong.json", "tictactoe.kif", "--moves", 1).code == 0
    shown = kibitz("picture", "wrong.json", "tictactoe.kif")
    assert shown.code == 2
    assert "wrong.json: contradicts the rules: the goals are [0, 100]" in shown.flat


def test_a_picture_of_the_end_of_a_game_checks_the_result(kibitz: Run, place: Path) -> None:
    kibitz("record", "tic-tac-toe", "--out", "game.json")
    document = json.loads((place / "game.json").read_text())
    document["result"]["scores"] = [7, 7]
    (place / "game.json").write_text(json.dumps(document))
    assert kibitz("picture", "game.json", "--moves", 1).code == 0
    shown = kibitz("picture", "game.json")
    assert shown.code == 2
    assert "game.json: after its" in shown.flat


def test_a_second_game_is_for_records(kibitz: Run, place: Path) -> None:
    shown = kibitz("picture", "tic-tac-toe", "tictactoe.kif")
    assert shown.code == 2
    assert "a second game is for records" in shown.flat
