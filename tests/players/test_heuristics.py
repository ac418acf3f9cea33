"""Heuristics that a user writes: called back, or compiled as rules are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.core.agent import agent_from_text, make_agent
from kibitz.core.errors import AgentError, AgentOptionError
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.players.mcts import MctsAgent
from kibitz.players.simple import OslaAgent
from kibitz.sessions.session import play_again

RANDOM = "random"


def low_card(state: State, player: int) -> float:
    """Worth the more, the lower the card in the hand is."""
    return -float(state.view.hands[player].cards[0]) / 10


def low_card_compiled(state: Any, params: Any, player: int) -> float:
    """The same, as a rule function."""
    return -state.hands[player].cards[0] / 10


class LowCard:
    """The same, as an object."""

    def __call__(self, state: State, player: int) -> float:
        return low_card(state, player)


def failing(state: State, player: int) -> float:
    """Raises an exception."""
    raise RuntimeError("no idea")


def results(agent: Any, games: int = 8, **options: Any) -> Any:
    batch = kibitz.play(
        kibitz.load("love-letter").table(2), [agent, make_agent(RANDOM)], games, 4, **options
    )
    seats = batch.results["seats"]
    return batch.results["ticks"].tolist(), seats["score"].tolist(), set(batch.results["status"])


def test_functions_objects_and_rule_functions_evaluate_alike() -> None:
    expected = results(OslaAgent(heuristic=low_card))
    assert expected[2] == {Status.FINISHED}
    assert results(OslaAgent(heuristic=low_card_compiled)) == expected
    assert results(OslaAgent(heuristic=LowCard())) == expected
    assert results(make_agent(f"osla:heuristic={__name__}:low_card")) == expected
    assert results(OslaAgent()) != expected
    search = [
        MctsAgent(iterations=30, rollout_length=2, heuristic=h)
        for h in (low_card, low_card_compiled)
    ]
    assert results(search[0]) == results(search[1])


def test_a_function_evaluates_any_game() -> None:
    def few_cards(state: State, player: int) -> float:
        return float(state.tick % 2)

    for game in ("agram", "connect-four"):
        batch = kibitz.play(game, [OslaAgent(heuristic=few_cards), RANDOM], 2, 4)
        assert set(batch.results["status"]) == {Status.FINISHED}
    with pytest.raises(AgentError, match=r"not in Python.*\(state, player\)"):
        kibitz.play("agram", [OslaAgent(heuristic=low_card_compiled), RANDOM], 2, 4)


def test_what_it_raises_is_an_error_of_the_agent() -> None:
    agent = OslaAgent(heuristic=failing)
    assert results(agent, 2)[2] == {Status.AGENT_ERROR}
    session = kibitz.Session("love-letter", [agent, RANDOM], 4)
    with pytest.raises(RuntimeError, match="no idea"):
        session.decide()


def test_it_plays_in_other_processes_where_they_can_import_it() -> None:
    assert results(OslaAgent(heuristic=low_card), workers=2) == results(
        OslaAgent(heuristic=low_card)
    )


def test_a_text_of_strangers_imports_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "mine_of_strangers.py").write_text("raise SystemExit('it ran')")
    monkeypatch.chdir(tmp_path)
    text = "osla:heuristic=mine_of_strangers:value"
    with pytest.raises(AgentOptionError, match="does not run from here"):
        agent_from_text(text)
    with pytest.raises(AgentOptionError, match="does not run from here"):
        make_agent(f'restrict:base="{text}"')
    with pytest.raises(
        AgentOptionError, match=re.escape("cannot be imported: SystemExit: it ran")
    ):
        make_agent(text)
    label = OslaAgent(heuristic=low_card).label
    assert label == f"osla:heuristic={__name__}:low_card"
    record = kibitz.record("love-letter", [OslaAgent(heuristic=low_card), RANDOM], seed=1)
    assert record.agents == (label, RANDOM)
    with pytest.raises(AgentOptionError, match="does not run from here"):
        play_again(record)
