"""Faults are planted by rule, tried with the tests that concern them, and reported once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.faults import campaign
from tests.faults.campaign import ROOT, SOURCES, attempts, equivalents, identity, sample
from tests.faults.planting import changes_code, faults
from tests.faults.relevance import Relevance

PLANTED = {
    "a < b": {("comparison", "a <= b")},
    "a is not None": {("comparison", "a is None")},
    "a not  in b": {("comparison", "a in b")},
    "a and b and c": {("and/or", "a or b and c")},
    "a - b": {("operator", "a + b"), ("swapped operands", "b - a")},
    "(a) + (b)": {("operator", "(a) - (b)")},
    "a[-1]": {("off by one", "a[-2]")},
    "a = 0.25": {("constant", "a = 0.5")},
    "a = True": {("constant", "a = False")},
    "a = move(b, c[d])": {("swapped operands", "a = move(c[d], b)")},
    "a = isinstance(b, c)": set(),
    "a.b = c": {("dropped statement", "pass")},
    "a += b": {("dropped statement", "pass")},
    "shuffle(a)": {("dropped statement", "pass")},
    "game.announce(a)": {("lost event", "pass")},
    "if a: b": {("negated condition", "if (not (a)): b")},
    "if not a: b": {("negated condition", "if (a): b")},
    "if a == b: c": {("comparison", "if a != b: c")},
    "[a for a in b if a]": {("negated condition", "[a for a in b if (not (a))]")},
    'f.test("slt", a, b)': {
        ("swapped operands", 'f.test("slt", b, a)'),
        ("machine code", 'f.test("sle", a, b)'),
        ("dropped statement", "pass"),
    },
    'a = f"%x = icmp uge i64 {b}, 1"': {("machine code", 'a = f"%x = icmp ugt i64 {b}, 1"')},
    'a = "é %x = shl nsw i64 %y, 1; and i1 %y, %z"': {
        ("machine code", 'a = "é %x = shl nsw i64 %y, 1; or i1 %y, %z"')
    },
    "a: tuple[Literal[3]]": set(),
    "if TYPE_CHECKING: a += b": set(),
    "logger.debug(a)": set(),
    '"""a < b"""': set(),
}


@pytest.mark.parametrize("source", PLANTED)
def test_the_rules_plant_faults(source: str) -> None:
    planted = faults("module.py", source.encode())
    assert {(fault.rule, fault.after) for fault in planted} == PLANTED[source]
    assert {fault.planted(source.encode()).decode() for fault in planted} == {
        fault.after for fault in planted
    }


def test_a_fault_knows_its_place() -> None:
    source = "class Deck:\n    def draw(self):\n        if (a and\n b):\n            pass\n"
    (fault,) = [f for f in faults("module.py", source.encode()) if f.rule == "and/or"]
    assert (fault.function, fault.line) == ("Deck.draw", 3)
    assert (fault.before, fault.after) == ("if (a and", "if (a or")
    (moved,) = [f for f in faults("module.py", b"\n" + source.encode()) if f.rule == "and/or"]
    assert moved.key == fault.key


def test_what_leaves_the_bytecode_as_it_is_is_no_fault() -> None:
    source = b"a = b + 0 * 0"
    changing = [fault.after for fault in faults("a.py", source) if changes_code(fault, source)]
    assert changing == ["a = b - 0 * 0", "a = b + 0 + 0"]


def test_the_mirrored_tests_come_first_and_then_those_close_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.faults.relevance.CLOSE", 0.3)
    texts = {
        "src/kibitz/__init__.py": "",
        "src/kibitz/rules/dice.py": "",
        "src/kibitz/rules/cards/deck.py": "",
        "src/kibitz/rules/turns.py": "from kibitz.rules import dice",
        "tests/rules/test_all.py": "import kibitz.rules.turns",
        "tests/rules/test_dice.py": "",
        "tests/rules/test_other.py": "",
        "tests/play/test_direct.py": "def test() -> None:\n    from kibitz.rules.dice import roll",
        "tests/play/test_indirect.py": "import kibitz.rules.turns",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    relevance = Relevance(tmp_path)
    closeness = relevance.closeness(tmp_path / "src/kibitz/rules/dice.py")
    assert {path.stem: share for path, share in closeness.items()} == {
        "dice": 1.0,
        "turns": 0.5,
        "test_direct": 0.5,
        "test_all": 0.25,
        "test_indirect": 0.25,
    }
    tests = relevance.tests_for(tmp_path / "src/kibitz/rules/dice.py")
    assert [test.stem for test in tests] == ["test_dice", "test_all", "test_other", "test_direct"]
    every = relevance.tests_for(tmp_path / "src/kibitz/rules/dice.py", all_tests=True)
    assert every == [*tests, tmp_path / "tests/play/test_indirect.py"]
    tests = relevance.tests_for(tmp_path / "src/kibitz/rules/cards/deck.py")
    assert [test.stem for test in tests] == ["test_all", "test_dice", "test_other"]


def test_each_fault_that_is_marked_as_equivalent_can_be_planted() -> None:
    marked = equivalents()
    every = {
        identity(fault)
        for file in {entry["file"] for entry in marked}
        for path in (ROOT / SOURCES).glob(f"*/{file}")
        for fault in faults(str(path.relative_to(ROOT)), path.read_bytes())
    }
    for entry in marked:
        assert entry["reason"]
        assert tuple(entry[name] for name in campaign.IDENTITY) in every, entry


def test_faults_are_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    root, folder = tmp_path / "root", Path("results")
    module = root / "src/kibitz/dice/sums.py"
    test = root / "tests/dice/test_sums.py"
    for path in (module, test):
        path.parent.mkdir(parents=True)
    (root / "src/kibitz/__init__.py").touch()
    module.write_text("def most(a, b):\n    if a < b:\n        a = b\n    return a\n")
    test.write_text(
        "import pytest\nfrom kibitz.dice.sums import most\n"
        "@pytest.mark.parametrize('a', [1], ids=['1 and 4'])\n"
        "def test_most(a: int) -> None:\n    assert most(a, 4) == 4\n"
        "def test_fails_anyway() -> None:\n    assert False\n"
    )
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '-q'\n")
    subprocess.run(["git", "init", "-q", root], check=True)
    monkeypatch.setattr(campaign, "ROOT", root)

    planted, marked = sample(module, None, "0")
    assert marked == 0
    tried = {fault.after: killer for fault, killer in attempts(planted, folder)}
    assert tried == {
        "if a <= b:": "",
        "if (not (a < b)):": "tests/dice/test_sums.py::test_most[1 and 4]",
    }

    monkeypatch.setattr(campaign, "Copy", None)  # nothing has changed, so nothing runs
    assert {fault.after: killer for fault, killer in attempts(planted, folder)} == tried
