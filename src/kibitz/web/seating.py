"""The choices for a seat at a table: a person, or agents by thinking time."""

from __future__ import annotations

from kibitz.core.agent import Agent, make_agent
from kibitz.core.game import Game
from kibitz.loading import agents

PERSON = "person"
"""The value of a seat that a person takes."""

STRENGTHS = {"quick": 100, "careful": 500, "thorough": 2000}
"""How long an opponent thinks, in milliseconds."""


def thinking(agent: Agent, milliseconds: int) -> Agent:
    """The agent with a time limit for a decision, or unchanged if it has no such option."""
    values = agent.options.as_dict()
    if "milliseconds" not in values:
        return agent
    limits = {name: 0 for name in ("iterations", "calls") if name in values}
    return type(agent)(**{**values, **limits, "milliseconds": milliseconds})


def choices(game: Game) -> dict[str, str]:
    """The choices for a seat, with words; the first agent is the usual opponent."""
    usual = make_agent(game.default_agent)
    titles = {PERSON: "A person"}
    for word, milliseconds in STRENGTHS.items():
        label = thinking(usual, milliseconds).label
        titles.setdefault(label, f"{usual.name}, {word} ({milliseconds / 1000:g} s)")
    for agent in agents(game=game):
        if agent.name != "restrict":
            titles.setdefault(agent.name, agent.name)
    return titles


def first_opponent(game: Game) -> str:
    """The opponent that a page proposes for a game."""
    return list(choices(game))[1]
