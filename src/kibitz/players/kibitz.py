"""``kibitz``, the default agent: the search and the options that play best at each table.

It does not search itself. ``settings.json`` beside this module lists settings: an agent with
options, the games or kinds of games to use it for, and the evidence. The first setting that fits
a table plays. ``python -m benchmarks.settings`` measures candidates and writes that file.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kibitz.core.agent import Advice, Agent, Binding, agent_class
from kibitz.core.game import Game, Table
from kibitz.core.parameters import read_json_object
from kibitz.core.state import State
from kibitz.core.utility import utility_at
from kibitz.players.hidden_information import hides_nothing
from kibitz.players.search import BUDGET, WITHOUT_LIMIT, Budgeted

SETTINGS_FILE = Path(__file__).with_name("settings.json")


class GameKind(enum.StrEnum):
    """Declared properties of a game on which the choice of a search depends."""

    ALONE = "alone"
    """One player."""
    TOGETHER = "together"
    """All win or lose together."""
    OPEN = "open"
    """Nothing is hidden, as far as random games show."""
    POINTS = "points"
    """Something may be hidden, and the game is played for the score."""
    HEURISTIC = "heuristic"
    """Something may be hidden, and the game defines a heuristic."""
    HIDDEN = "hidden"
    """Any other game in which something may be hidden."""


def kind_of(table: Table) -> GameKind:
    """The kind of the game at a table."""
    if table.players == 1:
        return GameKind.ALONE
    if table.is_cooperative:
        return GameKind.TOGETHER
    if hides_nothing(table):
        return GameKind.OPEN
    if utility_at(table) == "score":
        return GameKind.POINTS
    has_heuristic = type(table.game).heuristic is not Game.heuristic
    return GameKind.HEURISTIC if has_heuristic else GameKind.HIDDEN


@dataclass(frozen=True)
class AgentSetting:
    """An agent, and the tables and budgets for which it is used.

    Attributes:
        agent: its name and options, as in an agent's JSON file. A budget among them applies where
            the user gives none.
        games: names of games; empty: any.
        kinds: kinds of games; empty: any.
        languages: languages that games are written in; empty: any.
        parameters: allowed values of game parameters, by name; other parameters may have any
            value.
        least: the smallest budget that it fits, in ``iterations`` and ``milliseconds``. With such
            a minimum it fits no budget in calls.
        evidence: the matches by which it was chosen: opponent, players, milliseconds and
            iterations for a decision, games, share of wins with its 95 % interval, date; or the
            exploitability in a small game, its own and that of another agent.
    """

    agent: dict[str, Any]
    games: tuple[str, ...] = ()
    kinds: tuple[GameKind, ...] = ()
    languages: tuple[str, ...] = ()
    parameters: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    least: Mapping[str, int] = field(default_factory=dict)
    evidence: tuple[dict[str, Any], ...] = ()

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> AgentSetting:
        """Reads an entry of the settings file."""
        return cls(
            agent=dict(entry["agent"]),
            games=tuple(entry.get("games", ())),
            kinds=tuple(GameKind(kind) for kind in entry.get("kinds", ())),
            languages=tuple(entry.get("languages", ())),
            parameters=dict(entry.get("parameters", {})),
            least=dict(entry.get("least", {})),
            evidence=tuple(entry.get("evidence", ())),
        )

    def fits(self, table: Table, budget: Mapping[str, int]) -> bool:
        """Whether it fits this table and budget, in which 0 means no limit."""
        limits = {name: limit for name, limit in budget.items() if limit > 0}
        if not limits:
            limits = {"iterations": self.agent.get("iterations", WITHOUT_LIMIT)}
        if "calls" in limits and self.least:  # calls do not convert to iterations
            return False
        if any(limits.get(name, least) < least for name, least in self.least.items()):
            return False
        if self.games and table.game.name not in self.games:
            return False
        if self.languages and table.game.language not in self.languages:
            return False
        chosen = table.parameters.as_dict()
        if any(chosen.get(name) not in values for name, values in self.parameters.items()):
            return False
        return not self.kinds or kind_of(table) in self.kinds


@functools.cache
def agent_settings() -> Sequence[AgentSetting]:
    """The settings in the file, in order of precedence; the last fits every table."""
    return tuple(
        AgentSetting.from_json(entry) for entry in read_json_object(SETTINGS_FILE)["settings"]
    )


def agent_setting_for(table: Table, budget: Mapping[str, int]) -> AgentSetting:
    """The first setting that fits a table and a budget."""
    return next(setting for setting in agent_settings() if setting.fits(table, budget))


class KibitzAgent(Agent):
    """The default agent: the search and the options that were found to play best at this table."""

    name = "kibitz"
    Options = Budgeted

    def player_at(self, table: Table) -> Agent:
        """The agent that plays at this table, with the options given to this one."""
        own = self.options.changed(table.players)
        values = self.options.as_dict()
        budget = {name: int(values[name]) for name in BUDGET if name in own}
        chosen = dict(agent_setting_for(table, budget).agent)
        if any(name in own for name in BUDGET):
            for name in BUDGET:
                chosen.pop(name, None)
        player = agent_class(chosen.pop("agent"))(**(chosen | own))
        player.random = self.random
        return player

    def decides_in_python(self, table: Table) -> bool:
        """Whether the agent that plays at this table decides in Python."""
        return self.player_at(table).decides_in_python(table)

    def check_game(self, table: Table) -> None:
        """Raises AgentError when the agent that plays at this table cannot play the game."""
        self.player_at(table).check_game(table)

    def bind(self, table: Table) -> Binding:
        """Binds the agent that plays at this table."""
        return self.player_at(table).bind(table)

    def choose(self, state: State) -> int | str:
        """The choice of the agent that plays at this table."""
        return self.player_at(state.table).choose(state)

    def advise(self, state: State) -> list[Advice]:
        """The advice of the agent that plays at this table, best action first."""
        return self.player_at(state.table).advise(state)
