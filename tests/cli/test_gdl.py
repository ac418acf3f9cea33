"""Games in GDL on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.gdl.test_gate import WRONG

from kibitz.gdl.library import FOLDER

SOUND = """
(role white)
(init (step 1))
(succ 1 2)
(succ 2 3)
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (legal white (go ?n)) (true (step ?n)))
(<= (legal white wait) (true (step 1)))
(<= terminal (true (step 3)))
(goal white 50)
"""
UNSAFE = SOUND + "(<= (goal white ?x) (not (succ ?x 1)))\n"
INFIX = """
role(white)
init(step(1))
next(step(2)) :- true(step(1)) & does(white,go)
legal(white,go)
terminal :- true(step(2))
goal(white,100)
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sound.kif").write_text(SOUND)
    (tmp_path / "sound.gdl").write_text(SOUND)
    (tmp_path / "unsafe.kif").write_text(UNSAFE)
    (tmp_path / "infix.gdl").write_text(INFIX)
    return tmp_path


def test_check(kibitz: Run, files: Path) -> None:
    for name in ("sound.kif", "sound.gdl", "infix.gdl"):
        shown = kibitz("check", name)
        assert shown.code == 0, shown.flat
        played, *rest = shown.stdout.splitlines()
        assert re.fullmatch(r"Played \d+ random games of \d+ steps\.", played)
        assert rest == [f"{name}: no problems."]
    shown = kibitz("check", "unsafe.kif")
    assert shown.code == 1
    assert "unsafe.kif:11:21: error: No condition gives ?x in `not` a value." in shown.stdout
    assert shown.stdout.endswith("unsafe.kif: 2 errors.\n")


def test_check_plays(kibitz: Run, files: Path) -> None:
    stuck = SOUND.replace("(true (step ?n)))", "(true (step 1)) (succ ?n 2))")
    (files / "stuck.kif").write_text(stuck)
    shown = kibitz("check", "stuck.kif", "--json")
    assert shown.code == 1
    assert [diagnostic["code"] for diagnostic in shown.json()["diagnostics"]] == ["no-move"]


def test_check_has_no_settings(kibitz: Run, files: Path) -> None:
    shown = kibitz("check", "sound.kif", "--players", "2")
    assert shown.code == 2
    assert "its rules say who plays" in shown.flat


def test_show_says_how_it_is_run(kibitz: Run, files: Path) -> None:
    shown = kibitz("show", "sound.kif")
    assert shown.code == 0
    assert "Evaluation a network of" in shown.flat
    assert kibitz("show", "connect-four", "--json").json()["evaluation"]
    assert kibitz("show", "tic-tac-toe", "--json").json()["evaluation"] is None


def test_playtest_and_record(kibitz: Run, files: Path) -> None:
    shown = kibitz("playtest", "sound.kif", "--games", "10")
    assert shown.code == 0, shown.flat
    shown = kibitz("record", str(FOLDER / "nim.kif"), "--seed", "1")
    assert shown.code == 0
    assert "take " in shown.stdout


def test_slow_play_is_told_with_its_reason(
    kibitz: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIBITZ_GDL_MEMORY", "1")
    variables = " ".join(f"?{letter}" for letter in "abcdefgh")
    steps = " ".join(f"(true (step ?{letter}))" for letter in "abcdefgh")
    (files / "wide.kif").write_text(SOUND + f"(<= (next (seen {variables})) {steps})")
    for command in ("playtest", "record", "perft"):
        more = {"playtest": ["--games", "1"], "perft": ["--depth", "1"]}.get(command, [])
        shown = kibitz(command, "wide.kif", *more)
        assert "wide is played rule by rule, which is slow: wide.kif:11:1: the rul" in shown.stderr
    assert "rule by rule" not in kibitz("playtest", "sound.kif", "--games", "1").stderr


def test_translate(kibitz: Run, files: Path) -> None:
    infix = kibitz("translate", "sound.kif", "--to", "infix")
    assert "next(step(N)) :-\n  true(step(M)) &\n  succ(M,N)" in infix.stdout
    (files / "again.gdl").write_text(infix.stdout)
    kif = kibitz("translate", "sound.kif", "--to", "kif").stdout
    assert kibitz("translate", "again.gdl", "--to", "kif").stdout == kif
    network = kibitz("translate", "sound.kif")
    assert network.stdout.startswith("3 facts, ")
    assert "goal white 50 = always" in network.stdout
    assert "legal white wait = [true (step 1)]" in network.stdout
    assert kibitz("translate", "pairs", "--to", "kif").code == 2
    assert kibitz("translate", "nim", "--llvm").code == 2


@pytest.mark.parametrize(
    "command",
    [
        "playtest FILE --games 1",
        "record FILE --agents random",
        "certify FILE",
        "exploitability FILE",
        "picture FILE --out x.svg",
        "perft FILE --depth 1",
        "show FILE",
        "ggp match FILE --players legal",
        "ggp tournament --games FILE --players legal,random --out t",
    ],
)
def test_commands_refuse_rules_with_errors_as_check_does(
    kibitz: Run, files: Path, command: str
) -> None:
    for number, (kind, rules) in enumerate(WRONG.items()):
        (files / f"wrong{number}.kif").write_text(rules)
        checked = kibitz("check", f"wrong{number}.kif")
        assert checked.code == 1
        (first, *_) = checked.stdout.splitlines()
        assert "error: " in first
        assert kind.partition(",")[0] in checked.stdout
        refused = kibitz(*command.replace("FILE", f"wrong{number}.kif").split())
        assert refused.code == 2
        assert " ".join(first.split()) in refused.flat
