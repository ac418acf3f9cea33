"""The pages about RECYCLE are true: their games play, their commands print what they show."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs import desk, page
from tests.docs.page import COMPACT, PAGE, TUTORIAL, Command, Fenced, Row

import kibitz
from kibitz.core import agent, registry
from kibitz.core.status import Status
from kibitz.recycle import library
from kibitz.recycle.checker import check
from kibitz.recycle.game import RecycleGame
from kibitz.recycle.parser import parse
from kibitz.syntax.source import Source

TEXT = PAGE.read_text("utf-8")
TEXTS = {file.stem: file.read_text("utf-8") for file in (PAGE, TUTORIAL, COMPACT)}
FILES = {
    f"{name}, line {block.line}: {block.file}": (block, contents[block.file])
    for name, text in TEXTS.items()
    for block, contents in page.files(text)
    if block.language == "recycle" and block.file
}
COMMANDS = [
    pytest.param(command, id=f"{name}: {' '.join(command.words)}")
    for name, text in TEXTS.items()
    for command in page.commands(text)
]
DESK = next(text for block, text in FILES.values() if block.file == "desk.rcy")
EXAMPLES = page.rows(TEXT, "example", "gives")
EFFECTS = page.rows(TEXT, "example", "then")
FAULTS = page.rows(TEXT, "example", "breaks off with")
TURNS = page.rows(TEXT, "example", "who decides")
SOURCES = Path(library.__file__).parents[2]


def named(block: Fenced) -> str:
    return f"line {block.line}: {block.file}"


@pytest.mark.parametrize(("block", "text"), FILES.values(), ids=FILES)
def test_games_play(block: Fenced, text: str) -> None:
    """There are no errors and, unless the block says so, no warnings and no games broken off."""
    if "wrong" in block.words:
        return
    program, problems = parse(Source(block.file, text))
    assert program is not None, [diagnostic.message for diagnostic in problems]
    if "warned" not in block.words:
        assert [diagnostic.message for diagnostic in [*problems, *check(program)]] == []
    table = RecycleGame(Source(block.file, text)).table()
    batch = kibitz.play(table, [agent.make_agent("random")] * table.players, 50, workers=1)
    statuses = {Status(int(status)) for status in batch.results["status"]}
    assert statuses == {Status.FINISHED} or "stuck" in block.words


@pytest.fixture(autouse=True)
def _forget_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_added", dict(registry._added))


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_print_what_is_shown(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    printed = page.run(command, tmp_path)
    assert page.agrees(printed, command.output), printed


def test_expressions_give_what_is_said() -> None:
    examples = [row for row in EXAMPLES if row.code("example")]
    results = desk.values(DESK, [("(turn pass)", row.code("example")) for row in examples])
    wrong = [
        f"line {row.line}: {row.code('example')} gives {value}, not {row.code('gives')}"
        for row, value in zip(examples, results, strict=True)
        if value != row.code("gives")
    ]
    assert len(examples) > 60
    assert not wrong, "\n".join(wrong)


def test_actions_do_what_is_said() -> None:
    effects = [row for row in EFFECTS if row.code("example")]
    asked = [_question(row) for row in effects]
    examples = [(row.code("example"), ask) for row, (ask, _) in zip(effects, asked, strict=True)]
    wrong = [
        f"line {row.line}: after {row.code('example')} it is {value}, not {expected}"
        for row, value, (_, expected) in zip(
            effects, desk.values(DESK, examples), asked, strict=True
        )
        if value != expected
    ]
    assert len(effects) > 20
    assert not wrong, "\n".join(wrong)


def _question(row: Row) -> tuple[str, str]:
    """An expression to evaluate after an action, and its expected value."""
    asked, expected = re.findall(r"`([^`]+)`", row.cells["then"])
    return asked, expected


def test_faults_are_told_as_is_said() -> None:
    explanations = list(desk.faults(DESK, [row.code("example") for row in FAULTS]))
    assert explanations == [row.code("breaks off with") for row in FAULTS]


@pytest.mark.parametrize("row", TURNS, ids=[f"line {row.line}" for row in TURNS])
def test_turns_go_as_is_said(row: Row) -> None:
    assert desk.turns(DESK, row.code("example")) == row.code("who decides")


def test_choices_offer_what_is_said() -> None:
    pairs = [
        (choice, options)
        for choice, options in itertools.pairwise(page.blocks(TEXT))
        if choice.words == ("choice",)
    ]
    assert len(pairs) > 5
    offered = desk.offered(DESK, [choice.text for choice, _ in pairs])
    for (choice, options), texts in zip(pairs, offered, strict=True):
        assert texts == options.text.splitlines(), named(choice)


def test_every_recycle_block_is_tested() -> None:
    for block in (block for text in TEXTS.values() for block in page.blocks(text)):
        if block.language == "recycle":
            assert block.file or block.words == ("choice",), named(block)


def test_links_within_the_page_lead_somewhere() -> None:
    headings = re.findall(r"^#+ (.*)$", TEXT, re.M)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]*)\)", TEXT)) <= anchors


# -- what is listed ------------------------------------------------------------------------

GAMES = sorted(file.stem for file in Path(library.__file__).parent.glob("*.rcy"))


def test_all_games_of_the_library_are_listed() -> None:
    listed = page.rows(TEXT, "game", "players", "parameters")
    assert [row.code("game") for row in listed] == GAMES
    for row in listed:
        game = getattr(library, row.code("game"))
        players = [int(number) for number in re.findall("[0-9]+", row.cells["players"])]
        assert (players[0], players[-1]) == game.players, row
        assert re.findall(r"`(\w+)`", row.cells["parameters"]) == list(game.own_parameters), row
    other = (PAGE.parent / "games.md").read_text("utf-8")
    assert {*GAMES} <= {row.code("game") for row in page.rows(other, "game", "tested")}


def test_all_codes_are_listed() -> None:
    listed = {
        code
        for column in ("warning", "errors")
        for row in page.rows(TEXT, column)
        for code in re.findall(r"`([a-z-]+)`", row.cells[column])
    }
    missing = set(_codes()) - listed
    assert not missing, f"{PAGE.name} does not list {', '.join(sorted(missing))}"


def _codes() -> Iterator[str]:
    """The codes of all diagnostics: the first plain word that a complaint is made with."""
    for file in [*(SOURCES / "recycle").rglob("*.py"), *(SOURCES / "syntax").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _name(node.func) in _COMPLAINTS:
                words = [
                    inner.value
                    for argument in node.args
                    for inner in ast.walk(argument)
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
                ]
                if words and re.fullmatch(r"[a-z]+(-[a-z]+)*", words[0]):
                    yield words[0]


_COMPLAINTS = ("error", "warn", "refuse", "_refusal", "Diagnostic")


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", None) or getattr(function, "id", "")
