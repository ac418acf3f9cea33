"""Agents and languages of other packages, with those that cannot be imported or used."""

from __future__ import annotations

import importlib.metadata
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import kibitz
from kibitz import loading
from kibitz.cli import app
from kibitz.core import plugins
from kibitz.core.errors import AgentError, GameDefinitionError, UnknownAgentError
from kibitz.syntax.source import Source, SourceError

MODULES = {
    "leaving": "raise SystemExit(4)",
    "raising": "raise RuntimeError('kaboom')",
    "strange": """
from kibitz import Agent, Game
from kibitz.syntax.language import Language

class Number:
    pass

class Talker(Agent):
    name = "talker"
    def choose(self, state):
        return "hello"

class Numbers(Language):
    name = "numbers"
    title = "Numbers"
    suffixes = (".number",)
    def recognizes(self, source):
        return source.text == "1"
    def load(self, source, name=None, compiled=None):
        return 42

class Mute(Numbers):
    title = ""

class Word(Numbers):
    suffixes = ".number"

class Idle(Language):
    name = "idle"
    title = "Idle"

class Confused(Numbers):
    def recognizes(self, source):
        return source.no_such_thing
    def names_code(self, spec):
        return 1 / 0
    def load(self, source, name=None, compiled=None):
        return {}[source.name]

class Clumsy(Numbers):
    def check(self, spec, source, options):
        return 1 / 0
    def format(self, source):
        return {}[source.name]

class Unwilling(Game):
    name = "unwilling"
    def __init__(self, compiled=None):
        raise RuntimeError("not today")

NUMBERS, MUTE, WORD, IDLE, CONFUSED = Numbers(), Mute(), Word(), Idle(), Confused()
CLUMSY = Clumsy()
""",
    "heaps": """
from pathlib import Path
from kibitz.authoring import (
    Action, ActionKinds, Counter, Game, GameParameters, GameState, Tunable, add, end_turn, operand,
    pack, win,
)
from kibitz.core.fingerprint import text_fingerprint
from kibitz.syntax.language import Language
from kibitz.syntax.source import Diagnostic, Severity, SourceError, Span

class Take(ActionKinds):
    TAKE = Action("take {stones}", stones=range(4))

class HeapState(GameState):
    heap = Counter(0, 99)

class HeapGame(Game):
    language = "heaps"
    State = HeapState
    Actions = Take

    def __init__(self, source, name=None, compiled=None):
        word, _, number = source.text.strip().partition(" ")
        if word != "heap" or not number.isdecimal() or not 0 < int(number[:3]) < 100:
            message, span = "This is no heap of 1 to 99 stones.", Span(0, len(source.text))
            raise SourceError(source, [Diagnostic(Severity.ERROR, "heap", message, span)])

        class Parameters(GameParameters):
            heap = Tunable(int(number), range(1, 100), "stones at the beginning")

        self.text = source
        self.name = name or Path(source.name).stem
        self.Parameters = Parameters
        super().__init__(compiled)

    @property
    def rules_text(self):
        return ".heap", self.text.text

    @property
    def fingerprint(self):
        return text_fingerprint(self.text.text)

    def fork(self, compiled=None):
        return HeapGame(self.text, self.name, compiled)

    @staticmethod
    def setup(state, params):
        state.heap.value = params.heap

    @staticmethod
    def legal_actions(state, params, actions):
        for stones in range(1, 4):
            if stones <= state.heap.value:
                add(actions, pack(Take.TAKE, stones))

    @staticmethod
    def apply_action(state, params, action):
        player = state.player
        state.heap.value -= operand(action, 0)
        end_turn(state)
        if state.heap.value == 0:
            win(state, player)

    @staticmethod
    def heuristic(state, params, player):
        return 0.0

class Heaps(Language):
    name = "heaps"
    title = "Heaps"
    suffixes = (".heap",)
    def recognizes(self, source):
        return source.text.startswith("heap ")
    def load(self, source, name=None, compiled=None):
        return HeapGame(source, name, compiled)
    def source_of(self, game):
        return game.text

HEAPS = Heaps()
""",
}

Declare = Callable[[str, str, str], None]


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Declare]:
    """Declares an entry point, as (group, name, value), of a module, before all others."""
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    more: list[importlib.metadata.EntryPoint] = []
    every = importlib.metadata.entry_points

    def entry_points(*, group: str = "") -> object:
        if not group:  # Numba reads all of them
            return every()
        return [*(entry for entry in more if entry.group == group), *every(group=group)]

    def clear() -> None:
        plugins.installed.cache_clear()
        loading.languages.cache_clear()

    def add(group: str, name: str, value: str) -> None:
        more.append(importlib.metadata.EntryPoint(name, value, group))
        clear()

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    yield add
    clear()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("leaving:Agent", "registered as leaving:Agent, which cannot be loaded: SystemExit: 4"),
        ("raising:Agent", "cannot be loaded: RuntimeError: kaboom"),
        ("strange:Number", "is no subclass of Agent"),
    ],
)
def test_an_agent_that_cannot_be_used_is_told_and_left_out(
    declare: Declare, value: str, message: str
) -> None:
    declare("kibitz.agents", "odd", value)
    with pytest.raises(UnknownAgentError, match=message):
        kibitz.make_agent("odd")
    left_out: list[Exception] = []
    agents = kibitz.agents(left_out=left_out.append)
    assert message in str(left_out[0])
    assert "mcts" in [agent.name for agent in agents]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("leaving:LANGUAGE", "cannot be loaded: SystemExit: 4"),
        ("raising:LANGUAGE", "cannot be loaded: RuntimeError: kaboom"),
        ("strange:NOTHING", "cannot be loaded: AttributeError: module 'strange' has no attribute"),
        ("strange:Number", "is no Language"),
        ("strange:MUTE", "has no title"),
        ("strange:WORD", "has suffixes = '.number', which should be a tuple of texts"),
        ("strange:IDLE", "does not define load"),
    ],
)
def test_a_language_that_cannot_be_used_leaves_the_others(
    declare: Declare, caplog: pytest.LogCaptureFixture, value: str, message: str
) -> None:
    declare("kibitz.languages", "odd", value)
    with caplog.at_level(logging.WARNING):
        assert sorted(loading.languages()) == ["gdl", "python", "recycle"]
    assert f"Left out: the language odd is registered as {value}, which {message}" in caplog.text


@pytest.mark.parametrize(
    ("group", "name", "value"),
    [
        ("kibitz.languages", "recycle", "strange:NUMBERS"),
        ("kibitz.games", "Love_Letter", "strange:Unwilling"),
        ("kibitz.agents", "mcts", "strange:Talker"),
        ("kibitz.agents", "mcts", "kibitz.library.strange:Talker"),
    ],
)
def test_a_name_of_kibitz_stays_what_it_is(
    declare: Declare, caplog: pytest.LogCaptureFixture, group: str, name: str, value: str
) -> None:
    own = plugins.installed(group)[plugins.canonical(name)]
    declare(group, name, value)
    with caplog.at_level(logging.WARNING):
        assert plugins.installed(group)[plugins.canonical(name)] == own
    assert f"Left out: {value} registers the name {name!r}, which is taken by" in caplog.text


def test_of_two_packages_with_one_name_the_first_is_taken(
    declare: Declare, caplog: pytest.LogCaptureFixture
) -> None:
    for value in ("strange:NUMBERS", "strange:NUMBERS", "strange:CONFUSED"):
        declare("kibitz.languages", "numbers", value)
    with caplog.at_level(logging.WARNING):
        assert plugins.installed("kibitz.languages")["numbers"].value == "strange:NUMBERS"
    assert caplog.text.count("Left out") == 1


def test_a_language_that_makes_no_game_is_named(
    declare: Declare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare("kibitz.languages", "numbers", "strange:NUMBERS")
    monkeypatch.chdir(tmp_path)
    Path("my.number").write_text("1")
    with pytest.raises(GameDefinitionError, match="numbers made 42, which is no game"):
        kibitz.load("my.number")
    with pytest.raises(GameDefinitionError, match="numbers made 42, which is no game"):
        kibitz.load("1", language="numbers")


@pytest.fixture
def heaps(declare: Declare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A language of another package with the members that the recipe in the docs names."""
    declare("kibitz.languages", "heaps", "heaps:HEAPS")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("heaps")
def test_a_file_in_a_language_of_another_package_is_a_game() -> None:
    Path("my.heap").write_text("heap 2\n")
    game = kibitz.load("my.heap", compiled=False)
    assert (game.name, game.language) == ("my", "heaps")
    state = game.fork(compiled=False).table().new_state()
    assert [state.action_words(action) for action in state.legal_actions()] == ["take 1", "take 2"]


@pytest.mark.usefixtures("heaps")
@pytest.mark.parametrize("text", ["heap nine", "pile 9", "(game (setup))", "(role a) (legal a x)"])
@pytest.mark.parametrize("command", ["check", "playtest"])
def test_a_broken_file_gets_the_error_of_the_only_language_with_its_suffix(
    text: str, command: str
) -> None:
    Path("my.heap").write_text(text)
    ran = CliRunner().invoke(app, [command, "my.heap"])
    assert ran.exit_code == 2
    assert "my.heap:1:1: error: This is no heap of 1 to 99 stones. [heap]" in ran.stderr
    with pytest.raises(SourceError, match="This is no heap"):
        kibitz.load("my.heap")


@pytest.mark.parametrize(
    ("text", "name"), [("(game (setup))", "recycle"), ("(role a)", "gdl"), ("no game", "gdl")]
)
def test_the_content_decides_between_languages_with_one_suffix(text: str, name: str) -> None:
    """If no language recognizes it, it is in the one that lists the suffix earliest."""
    source = Source("my.gdl", text)
    assert loading.language_of(source) is loading.language_called(name)
    only = Source("my.rcy", text)
    assert loading.language_of(only) is loading.language_called("recycle")


def test_a_language_that_fails_is_named_and_stops_no_other(
    declare: Declare,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    declare("kibitz.languages", "confused", "strange:CONFUSED")
    monkeypatch.chdir(tmp_path)
    Path("my.words").write_text("1")
    Path("my.rules").write_text("(role a) (legal a x) (init s) (goal a 70) (<= terminal (true s))")
    assert kibitz.load("tic-tac-toe").name == "tic-tac-toe"
    assert "Left out: The language numbers failed in names_code: ZeroDivision" in caplog.text
    with pytest.raises(GameDefinitionError, match="numbers failed in load: KeyError"):
        kibitz.load("1", language="confused")
    assert loading.language_of(loading.read("my.rules")) is loading.language_called("gdl")
    assert loading.language_of(loading.read("my.words")) is None
    assert "Left out: The language numbers failed in recognizes: AttributeErr" in caplog.text


def test_a_language_that_fails_to_check_or_format_is_named(
    declare: Declare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare("kibitz.languages", "numbers", "strange:CLUMSY")
    monkeypatch.chdir(tmp_path)
    Path("my.number").write_text("1")
    Path("my.kif").write_text("(role   a)")
    checked = CliRunner().invoke(app, ["check", "my.number"])
    assert checked.exit_code == 2
    assert "numbers failed in check: ZeroDivisionError" in checked.stderr
    formatted = CliRunner().invoke(app, ["fmt", "my.number", "my.kif"])
    assert formatted.exit_code == 2
    assert "numbers failed in format: KeyError" in formatted.stderr
    assert Path("my.kif").read_text() == "(role a)\n"


def test_a_game_that_cannot_be_made_leaves_the_others(declare: Declare) -> None:
    declare("kibitz.games", "unwilling", "strange:Unwilling")
    left_out: list[Exception] = []
    games = kibitz.games("toe", left_out=left_out.append)
    assert [str(problem) for problem in left_out] == [
        "unwilling cannot be loaded: RuntimeError: not today"
    ]
    assert "tic-tac-toe" in [game.name for game in games]


def test_an_agent_that_chooses_by_unknown_words_is_named(declare: Declare) -> None:
    declare("kibitz.agents", "talker", "strange:Talker")
    with pytest.raises(AgentError, match=r"Player 1 \(talker\) failed in move 1 .*'hello' is not"):
        kibitz.record("tic-tac-toe", agents="talker")
