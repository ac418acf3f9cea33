"""Limits on what a browser may ask of the server."""

from __future__ import annotations

from kibitz.core.agent import Agent, agent_from_text
from kibitz.core.errors import AgentOptionError, KibitzError
from kibitz.core.game import Table

MOST_TABLES = 64
"""Tables in memory; the rest are in the workspace."""
MOST_KEPT = 2000
"""Tables in the workspace."""
MOST_TEXTS = 1000
"""Texts in the workspace."""
MOST_CHARACTERS = 200_000
"""Characters of a text in the workshop."""
MOST_REQUEST = 1_000_000
"""Bytes of a request or of a message."""
MOST_WAITING = 32
"""Searches that run or wait; more are refused."""
MOST_SECONDS = 60.0
"""For one decision of an agent."""
MEGABYTES = 1000
"""Of memory that a game from a text may need."""
MOST_GAMES = 100_000
"""Games of a playtest."""

MOST_OF_OPTIONS = {
    "iterations": 200_000,
    "calls": 20_000_000,
    "milliseconds": 30_000,
    "max_nodes": 1_000_000,
}
"""The largest values of options with which an agent thinks longer or needs more memory."""


class LimitReachedError(KibitzError):
    """Too many requests of one kind are in progress."""


def check_length(name: str, text: str) -> None:
    """Checks the length of rules.

    Raises:
        LimitReachedError: they are too long.
    """
    if len(text) > MOST_CHARACTERS:
        raise LimitReachedError(
            f"{name}: has {len(text):,} characters; {MOST_CHARACTERS:,} are allowed here."
        )


def checked_agent(text: str, table: Table) -> Agent:
    """The agent that a browser asks for, by its name and options.

    Raises:
        UnknownAgentError: no agent has this name.
        AgentError: it cannot play at this table.
        AgentOptionError: an option is wrong, or above the limit.
    """
    agent = agent_from_text(text)
    if agent.files:
        raise AgentOptionError(f"{text}: agents that read files cannot be chosen in a browser.")
    values = agent.options.as_dict()
    for name, most in MOST_OF_OPTIONS.items():
        if values.get(name, 0) > most:
            raise AgentOptionError(
                f"{text}: {name} = {values[name]:,} is more than this server allows: {most:,}."
            )
    if "base" in values:  # the agent whose choice is restricted
        checked_agent(values["base"], table)
    agent.check_game(table)
    return agent
