"""GDL games as games: what the contract, the agents and the command line work with."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from kibitz.core import state as states
from kibitz.core.fingerprint import text_fingerprint
from kibitz.core.game import Game, Table
from kibitz.core.layout import HEADER, GameState, Instance, Layout, per_player
from kibitz.core.native import Export, compile_native
from kibitz.core.parameters import GameParameters
from kibitz.core.status import Status
from kibitz.core.view import view_at
from kibitz.gdl import evaluator, histories, telling
from kibitz.gdl.arrays import Arrays
from kibitz.gdl.components import Commitments, Facts, Memory
from kibitz.gdl.grounder import ground
from kibitz.gdl.network import Network, build
from kibitz.gdl.plain import MOST_FACTS, Plain
from kibitz.gdl.reader import description, heading
from kibitz.gdl.rules import RANDOM, Description
from kibitz.gdl.splitting import GroundingError
from kibitz.gdl.steps import Steps, longest_of_random
from kibitz.syntax.source import Source

SAMPLED_GAMES = 20
"""So many random games are played to find out how long a game is."""
MOST_REMEMBERED = 1000
"""Steps that players can remember at most."""
PLAIN_CAPACITY = 250
"""Steps that players can remember where random games would take too long."""


@dataclass(frozen=True)
class MoveKind:
    """A move, as a kind of action."""

    name: str
    template: str
    size: int = 1

    @property
    def action(self) -> MoveKind:
        """Itself: where kinds of actions have their declaration."""
        return self


class GdlActions:
    """The moves of a game in GDL, as ``ActionKinds`` has them for games in Python."""

    def __init__(self, names: list[str], roles: list[str]) -> None:
        self.names = names
        self.roles = roles

    def __iter__(self) -> Iterator[MoveKind]:
        """Moves of one name and role are one kind."""
        kinds: dict[tuple[str, str], list[str]] = {}
        for role, name in zip(self.roles, self.names, strict=True):
            kinds.setdefault((role, name.strip("()").split()[0]), []).append(name)
        for (role, head), names in kinds.items():
            last = f" ... {names[-1]}" if len(names) > 1 else ""
            yield MoveKind(f"{role} {head}", f"{role}: {names[0]}{last}", len(names))

    def words(self, action: int) -> str:
        """The move, as its author spells it."""
        if not 0 <= action < len(self.names):
            raise ValueError(f"there is no move {action}")
        return self.names[action]

    def parse(self, text: str) -> int | None:
        """Moves are recognised among those that are legal."""
        return None

    def total(self) -> int:
        """How many moves there are."""
        return len(self.names)

    def index(self, action: int) -> int:
        """Its place in an RL mask."""
        return action

    def at(self, index: int) -> int:
        """The move at a place of an RL mask."""
        return index


class _Layout(Layout):
    """What the state holds for each role, it holds for chance as well, which has no seat."""

    def in_play(self, players: int) -> Iterator[Instance]:
        return super().in_play(self.max_players)


class GdlGame(Game):
    """A game described in GDL: grounded to a network or, if that cannot be, by its rules."""

    language = "gdl"
    text: ClassVar[Source]
    categories = ("general game", "GDL")
    max_ticks = 10_000

    def __init__(self, compiled: bool | None = None) -> None:
        self._tables: dict[tuple[int, GameParameters], Table] = {}

    @functools.cached_property
    def description(self) -> Description:
        """The rules."""
        return description(self.text)

    @functools.cached_property
    def network(self) -> Network:
        """The rules as a network."""
        return build(self.description, ground(self.description))

    @functools.cached_property
    def refusal(self) -> GroundingError | None:
        """Why the rules cannot be grounded, if they cannot."""
        try:
            _ = self.network
        except GroundingError as problem:
            return GroundingError(str(problem), problem.span)  # that one keeps all the tables
        return None

    @functools.cached_property
    def plain(self) -> Plain | None:
        """The rules themselves, where they cannot be grounded."""
        return Plain(self.description) if self.refusal else None

    @functools.cached_property
    def compiled(self) -> bool:  # type: ignore[override]
        """Whether states are worked out by native code."""
        return self.plain is None

    @functools.cached_property
    def imperfect(self) -> bool:
        """Whether it is a game in GDL-II: players know what they are told, and no more."""
        return self.description.defines("sees")

    @functools.cached_property
    def simultaneous(self) -> bool:
        """Whether several roles may have to decide at once."""
        if self.plain is not None:
            return len(self.description.roles) > 1
        return not self.network.turns

    @property
    def evaluation(self) -> str:
        """How states are worked out, in words."""
        if self.plain is not None:
            return f"rule by rule, slowly: {self.refusal}"
        network = self.network
        return f"a network of {len(network.gates):,} gates over {len(network.facts):,} facts"

    @functools.cached_property
    def facts(self) -> Facts:
        """What may be true."""
        if self.plain is not None:
            return Facts(self.plain.fact_names, MOST_FACTS, self.imperfect)
        names = [self.network.words(term) for term in self.network.facts]
        return Facts(names, hidden=self.imperfect)

    @functools.cached_property
    def capacity(self) -> int:
        """How many steps players can remember, if they do not see all.

        It is by far more than random games take.
        """
        if self.plain is not None:
            return PLAIN_CAPACITY
        open_ = type(self)()
        open_.__dict__.update(description=self.description, network=self.network)
        open_.__dict__.update(plain=None, imperfect=False)
        longest = longest_of_random(open_.table(), SAMPLED_GAMES, MOST_REMEMBERED)
        return min(MOST_REMEMBERED, 16 + 3 * longest)

    @functools.cached_property
    def State(self) -> type[GameState]:  # type: ignore[override]
        """The components of the state."""
        hidden = self.simultaneous or self.imperfect
        members: dict[str, Any] = {
            "facts": self.facts,
            "commitments": Commitments(len(self.description.roles), hidden),
        }
        if self.imperfect:
            members["memories"] = per_player(Memory(self.capacity, self.Actions.names))
        return type("State", (GameState,), members)

    @functools.cached_property
    def layout(self) -> Layout:  # type: ignore[override]
        """The layout of the state."""
        return _Layout(self.State, GameParameters, len(self.description.roles))

    @functools.cached_property
    def arrays(self) -> Arrays:
        """The network as arrays."""
        return Arrays(self.network, self.layout)

    @functools.cached_property
    def Actions(self) -> GdlActions:  # type: ignore[override]
        """The moves."""
        if self.plain is not None:
            return GdlActions(self.plain.move_names, self.plain.move_roles)
        network, roles = self.network, self.description.roles
        return GdlActions(
            [network.words(move.term) for move in network.moves],
            [network.words(roles[move.role]) for move in network.moves],
        )

    def context(self, parameters: GameParameters) -> Any:
        """The network, with a memory of its own."""
        return super().context(parameters) if self.plain else self.arrays.context()

    @functools.cached_property
    def exports(self) -> dict[str, Export]:
        """The rule functions."""
        if self.plain is None:
            if self.imperfect:
                return histories.EXPORTS
            return evaluator.SIMULTANEOUS if self.simultaneous else evaluator.EXPORTS
        self.plain.place(self.layout)
        return self.plain.exports

    @property
    def rules_text(self) -> tuple[str, str]:
        """The text that was read."""
        return ".kif", self.text.text

    @functools.cached_property
    def fingerprint(self) -> str:
        """That of the text."""
        return text_fingerprint(self.text.text)

    def addresses(self) -> dict[str, int]:
        """The evaluator's functions: the same for all games."""
        return compile_native("the GDL evaluator", self.exports)

    def told(self, before: states.State, action: int, after: states.State, observer: int) -> str:
        """What is chosen for a step nobody else is told before all have chosen.

        Nor is it afterwards, where players do not see all: then it is told what they see.
        """
        mine = before.current_player == observer
        made = before.view.turn != after.view.turn
        said = self.words(before, action) if mine or not self.imperfect else "has chosen"
        if made and self.imperfect:
            seen = telling.news(self.steps, before, after, observer)
            return f"{said}; you see {seen}" if seen else said
        return said if mine or made else "has chosen"

    @functools.cached_property
    def steps(self) -> Steps:
        """Joint moves of the game."""
        return Steps(self.table())

    @classmethod
    def describe(cls, state: states.State, observer: int | None) -> str | None:
        """What happened and what is certain, where players do not see all."""
        game: GdlGame = state.game
        if not game.imperfect:
            return None
        return "\n".join([state.headline(), *telling.in_words(game.steps, state, observer)])

    def explain(self, state: states.State) -> str | None:
        """Why the rules broke the game off."""
        if self.imperfect and state.status == Status.FULL_BUFFER:
            if state.view.turn > self.capacity:
                return f"players remember {self.capacity:,} steps, and the game takes more"
        cause, role = divmod(int(view_at(state.address, HEADER).phase), 4)[::-1]
        said = {
            evaluator.NO_GOAL: "has no goal value in a terminal state",
            evaluator.MANY_GOALS: "has several goal values in a terminal state",
            evaluator.NO_MOVE: "has no legal move in a state that is not terminal",
        }.get(cause)
        return f"the role {self.description.roles[role]} {said}" if said else None


def game_class(source: Source, name: str | None = None) -> type[GdlGame]:
    """The class of the game that rules in KIF describe."""
    stem = Path(source.name).stem
    found = description(source)
    said = heading(source)
    # chance needs no seat; but seats are numbered as roles are, so it only can be without if last
    seats = max(1, len(found.roles) - (found.roles[-1:] == (RANDOM,)))
    members = {
        "__doc__": said.about or f"{said.title or stem}, a game described in GDL.",
        "__module__": __name__,
        "name": name or re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-"),
        "title": said.title or stem,
        "source": said.url,
        "categories": (*GdlGame.categories, *said.categories),
        "mechanics": said.mechanics,
        "players": (seats, seats),
        "text": source,
    }
    return type(re.sub(r"\W", "", stem) or "Unnamed", (GdlGame,), members)


def load(path: str | Path) -> GdlGame:
    """The game in a file."""
    return game_class(Source.load(path))()


__all__ = ["Export", "GdlGame", "game_class", "load"]
