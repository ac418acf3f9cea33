"""The players of matches: the book's, and all of Kibitz's agents."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from kibitz import gdl
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import ADVICE, NO_ACTION, Agent, Binding, agent_names, make_agent
from kibitz.core.errors import AgentError, FileError, UnknownAgentError, did_you_mean
from kibitz.core.game import Table
from kibitz.core.interrupt import StoppedError, run_until_stopped
from kibitz.core.randomness import start_stream
from kibitz.core.view import view_at
from kibitz.gdl.game import GdlGame
from kibitz.gdl.prover_rules import ProverRules
from kibitz.gdl.reader import read_term
from kibitz.ggp.handlers import run_file
from kibitz.ggp.lookahead import Lookahead
from kibitz.ggp.position import Position
from kibitz.players.ggp import GgpAgent
from kibitz.players.search import BUDGET_RECORD, Budgeted

LONGEST = 3_600.0
"""Maximum time for a move, in seconds."""

CLOCK = {"milliseconds": int(1000 * LONGEST), "determinizations": 0}
"""Options under which only the clock limits an agent's search."""


class Player:
    """Base class of players, one object for each match; a subclass needs only ``choose``.

    ::

        class Greedy(kibitz.ggp.Player):
            def choose(self, state, seconds):
                return min(gdl.findlegals(self.role, state, self.game), key=len)

    Attributes:
        name: the name of the player on the command line.
        role: the name of its role.
        game: the rules, for the subroutines of ``kibitz.gdl``.
        random: the player's source of randomness.
        stop: an array of one word that turns 1 when the player should return its best move now.
        best: the best move so far, which ``choose`` may set while it thinks; it is made if the
            clock runs out.
    """

    name: ClassVar[str] = ""
    rule_by_rule: ClassVar[bool] = False
    """Whether the player can play by the prover while the rules are still being compiled."""

    def __init__(self) -> None:
        self.role = ""
        self.game: GdlGame
        self.random = random.Random()
        self.stop = np.zeros(1, np.int64)
        self.best: str | None = None
        self.value: float | None = None
        """The player's estimate of the result of its last move, 0 to 1; ``None``: no estimate."""

    def start(self, seconds: float) -> None:
        """Prepares for a match, in at most this number of seconds."""

    def choose(self, state: list[str], seconds: float) -> str:
        """Chooses a move, in KIF, in at most this number of seconds.

        Args:
            state: the true propositions; in a game of imperfect information those of a sampled
                state that is consistent with all percepts.
            seconds: the time for the decision.
        """
        raise AgentError(f"{type(self).__name__} does not define choose.")

    # -- for the match loop ---------------------------------------------------------------

    def begin(self, position: Position, role: int, seconds: float) -> None:
        """Sets the game and the role, and calls ``start``."""
        self.game = position.game
        self.role = position.role_name(role)
        self.start(seconds)

    def decide(self, position: Position, role: int, seconds: float) -> str:
        """The move to make in a position, in KIF."""
        return self.choose(position.facts(), seconds)

    def best_so_far(self, position: Position, role: int) -> str | None:
        """The best move so far of the current decision; ``None``: no move yet."""
        return self.best

    def ponder(self, position: Position, role: int, seconds: float) -> None:
        """Thinks about a position while no answer is due."""


class LegalPlayer(Player):
    """The book's legal player: makes the first legal move."""

    name = "legal"

    def choose(self, state: list[str], seconds: float) -> str:  # noqa: D102
        return gdl.findlegalx(self.role, state, self.game)


class RandomPlayer(Player):
    """The book's random player: makes any legal move."""

    name = "random"

    def choose(self, state: list[str], seconds: float) -> str:  # noqa: D102
        return self.random.choice(gdl.findlegals(self.role, state, self.game))


class AgentPlayer(Player):
    """Plays by an agent of Kibitz, whose budget is the clock.

    The agent keeps its working memory during the match.

    Attributes:
        agent: the agent; from ``begin`` on with its options for this table and role.
    """

    def __init__(self, agent: Agent) -> None:
        super().__init__()
        self.agent = agent
        self._table: Table | None = None
        self._binding: Binding | None = None
        self._advice = np.zeros(1, ADVICE)
        self._actions = np.zeros(1, ACTION_LIST)

    def begin(self, position: Position, role: int, seconds: float) -> None:  # noqa: D102
        deadline = time.monotonic() + seconds
        super().begin(position, role, seconds)
        self._table = position.table.fork()
        chosen = with_defaults(self.agent, CLOCK).player_at(self._table)
        self.agent = with_defaults(chosen, CLOCK | {"role": role})
        self._binding = self.agent.bind(self._table)
        # an agent that is abandoned while it thinks must not share memory that is still used
        self.stop = getattr(self._binding, "stop", self.stop)
        record = self._binding.record
        record["games"] = 1
        record["advice"] = self._advice.ctypes.data
        rng = [0, 0, 0, 0]
        start_stream(rng, self.random.getrandbits(60), 0)
        record["rng"] = rng
        self.ponder(position, role, deadline - time.monotonic())

    @property
    def thinks_ahead(self) -> bool:
        """Whether the agent keeps its search tree, so that pondering is useful."""
        return "role" in self.agent.Options.tunables

    def ponder(self, position: Position, role: int, seconds: float) -> None:  # noqa: D102
        if self.thinks_ahead and not position.over:
            self._ask(position, role, seconds)

    def decide(self, position: Position, role: int, seconds: float) -> str:  # noqa: D102
        chosen = self._ask(position, role, seconds)
        if chosen not in position.legal(role):
            raise AgentError(f"the agent {self.agent} chose what is not legal")
        return position.words(chosen)

    def best_so_far(self, position: Position, role: int) -> str | None:  # noqa: D102
        if self._binding is None:
            return None
        action = int(self._binding.record["best"][0])
        return position.words(action) if action in position.legal(role) else None

    def _ask(self, position: Position, role: int, seconds: float) -> int:
        assert self._binding is not None
        self._binding.record["best"] = NO_ACTION
        assert self._table is not None
        self.value = None
        legal = position.legal(role)
        state = position.observation(role) if self.thinks_ahead else position.turn_of(role)
        if state is None:
            return legal[0]
        if isinstance(self.agent.options, Budgeted):
            most = int(self.agent.options.as_dict()["milliseconds"])
            budget = max(1, min(most, int(1000 * seconds)))
            view_at(int(self._binding.record["options"][0]), BUDGET_RECORD).milliseconds = budget
        self._actions["count"] = len(legal)
        self._actions["items"][0, : len(legal)] = legal
        self._advice["count"] = 0
        actions = int(self._actions.ctypes.data)
        chosen = self._binding.ask(self._table.address, state.address, actions, len(legal))
        if self._binding.exception is not None:
            problem, self._binding.exception = self._binding.exception, None
            raise AgentError(f"the agent {self.agent} failed: {problem!r}")
        self._table.raise_pending()
        self._binding.record["best"] = chosen
        advice = self._advice["items"][0, : int(self._advice["count"][0])]
        for item in advice[advice["action"] == chosen]:
            self.value = float(item["value"])
        return int(chosen)


def with_defaults(agent: Agent, defaults: Mapping[str, int]) -> Agent:
    """An agent with other defaults for those of the options that it has."""
    values = {name: n for name, n in defaults.items() if name in agent.Options.tunables}
    return type(agent)(**(values | agent.options.changed(0)))


class GgpPlayer(AgentPlayer):
    """Plays by the agent ``ggp``, or by ``Lookahead`` where the prover evaluates the rules."""

    rule_by_rule = True

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self._lookahead: Lookahead | None = None

    def begin(self, position: Position, role: int, seconds: float) -> None:
        if not self._looks_ahead(position):
            self._lookahead = None
            super().begin(position, role, seconds)
            return
        Player.begin(self, position, role, seconds)
        if self._lookahead is None:
            rules = ProverRules(position.game.description)
            self._lookahead = Lookahead(rules, role, self.random)
        self.ponder(position, role, seconds)

    @staticmethod
    def _looks_ahead(position: Position) -> bool:
        return position.game.rules.proved is not None and not position.steps.imperfect

    def ponder(self, position: Position, role: int, seconds: float) -> None:
        ahead = self._lookahead
        if ahead is None:
            super().ponder(position, role, seconds)
            return
        until = time.monotonic() + seconds
        with contextlib.suppress(StoppedError):
            run_until_stopped(lambda: ahead.learn(_facts(ahead, position), until), self.stop)

    def decide(self, position: Position, role: int, seconds: float) -> str:
        ahead = self._lookahead
        if ahead is None:
            return super().decide(position, role, seconds)
        until = time.monotonic() + seconds
        with contextlib.suppress(StoppedError):
            run_until_stopped(lambda: ahead.choose(_facts(ahead, position), until), self.stop)
        self.value = ahead.value
        if ahead.best is None:
            raise AgentError("there was no time for any move")
        return ahead.rules.move_names[ahead.best]

    def best_so_far(self, position: Position, role: int) -> str | None:
        ahead = self._lookahead
        if ahead is None:
            return super().best_so_far(position, role)
        return None if ahead.best is None else ahead.rules.move_names[ahead.best]


def _facts(ahead: Lookahead, position: Position) -> frozenset[int]:
    """The facts of a position as numbers of the search's own terms."""
    terms = (read_term(text) for text in position.facts())
    return frozenset(ahead.rules.terms.number(term) for term in terms if term is not None)


OWN: dict[str, type[Player]] = {cls.name: cls for cls in (LegalPlayer, RandomPlayer)}
"""The built-in players that are not agents, by name."""


def make_player(description: str) -> Player:
    """Makes a player from its description.

    Args:
        description: ``legal`` or ``random``; an agent with its options, such as
            ``mcts:c=0.7``; or ``FILE.py:CLASS``, a subclass of ``Player``.

    Raises:
        UnknownAgentError: no player has that name.
        AgentOptionError: an option's name or value is wrong.
        FileError: the file cannot be used.
    """
    if ".py" in description:
        return own_class(description)()
    if description.lower() in OWN:
        return OWN[description.lower()]()
    name = description.partition(":")[0].lower().replace("_", "-").strip()
    if name not in agent_names() and not description.endswith(".json"):
        known = sorted({*OWN, *agent_names()})
        raise UnknownAgentError(did_you_mean(name, known, "player"))
    agent = make_agent(description)
    return GgpPlayer(agent) if agent.name == GgpAgent.name else AgentPlayer(agent)


def own_class(description: str) -> type[Player]:
    """The class that ``FILE.py:CLASS`` names; ``:CLASS`` is optional if there is only one.

    Raises:
        FileError: there is no such file, it cannot be run, or it has no such class.
    """
    place, _, name = description.partition(".py")
    path, name = Path(f"{place}.py"), name.lstrip(":")
    module = run_file(path)
    classes: dict[str, Any] = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Player) and value is not Player
        if value.__module__ == module.__name__
    }
    if name in classes:
        return classes[name]
    if name or len(classes) != 1:
        known = ", ".join(classes) or "none"
        raise FileError(f"{path}: which class is the player? It has {known}.")
    return next(iter(classes.values()))


__all__ = ["AgentPlayer", "LegalPlayer", "Player", "RandomPlayer", "make_player", "own_class"]
