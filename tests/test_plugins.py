"""Agents and languages of other packages that cannot be imported, or are none."""

from __future__ import annotations

import importlib.metadata
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import kibitz
from kibitz import loading
from kibitz.core import plugins
from kibitz.core.errors import AgentError, GameDefinitionError, UnknownAgentError

MODULES = {
    "leaving": "raise SystemExit(4)",
    "raising": "raise RuntimeError('kaboom')",
    "strange": """
from kibitz import Agent
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

NUMBERS = Numbers()
""",
}

Declare = Callable[[str, str, str], None]


@pytest.fixture
def declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Declare]:
    """Declares an entry point, as (group, name, value), of one of the modules."""
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    more: list[importlib.metadata.EntryPoint] = []
    every = importlib.metadata.entry_points

    def entry_points(*, group: str) -> object:
        return [*every(group=group), *(entry for entry in more if entry.group == group)]

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
    ("value", "said"),
    [
        ("leaving:Agent", "registered as leaving:Agent, which cannot be loaded: SystemExit: 4"),
        ("raising:Agent", "cannot be loaded: RuntimeError: kaboom"),
        ("strange:Number", "is no subclass of Agent"),
    ],
)
def test_an_agent_that_cannot_be_used_is_told_and_left_out(
    declare: Declare, value: str, said: str
) -> None:
    declare("kibitz.agents", "odd", value)
    with pytest.raises(UnknownAgentError, match=said):
        kibitz.make_agent("odd")
    left_out: list[Exception] = []
    agents = kibitz.agents(left_out=left_out.append)
    assert said in str(left_out[0])
    assert "mcts" in [agent.name for agent in agents]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("leaving:LANGUAGE", "cannot be loaded: SystemExit: 4"),
        ("raising:LANGUAGE", "cannot be loaded: RuntimeError: kaboom"),
        ("strange:Number", "is no Language"),
    ],
)
def test_a_language_that_cannot_be_used_leaves_the_others(
    declare: Declare, caplog: pytest.LogCaptureFixture, value: str, said: str
) -> None:
    declare("kibitz.languages", "odd", value)
    with caplog.at_level(logging.WARNING):
        assert sorted(loading.languages()) == ["gdl", "python", "recycle"]
    assert f"Left out: the language odd is registered as {value}, which {said}" in caplog.text


def test_a_language_that_makes_no_game_is_named(declare: Declare) -> None:
    declare("kibitz.languages", "numbers", "strange:NUMBERS")
    Path("my.number").write_text("1")
    with pytest.raises(GameDefinitionError, match="numbers made 42, which is no game"):
        kibitz.load("my.number")
    with pytest.raises(GameDefinitionError, match="numbers made 42, which is no game"):
        kibitz.load("1", language="numbers")


def test_an_agent_that_chooses_by_unknown_words_is_named(declare: Declare) -> None:
    declare("kibitz.agents", "talker", "strange:Talker")
    with pytest.raises(AgentError, match=r"Player 1 \(talker\) failed in move 1 .*'hello' is not"):
        kibitz.record_game("tic-tac-toe", agents="talker")
