"""The native rules of a game in GDL: a network or, if that cannot be, the rules themselves."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kibitz.core.layout import GameState, Instance, Layout, header_offset, per_player
from kibitz.core.native import Export, compile_native
from kibitz.core.parameters import GameParameters
from kibitz.gdl import evaluator, histories
from kibitz.gdl.arrays import Arrays
from kibitz.gdl.components import Commitments, Facts, Memory
from kibitz.gdl.grounder import ground
from kibitz.gdl.network import Network, build
from kibitz.gdl.plain import MOST_FACTS, Plain
from kibitz.gdl.rules import Description
from kibitz.gdl.splitting import GroundingError

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


class GdlRules:
    """What a description becomes; the same at all tables.

    Args:
        description: the rules.
        grounded: whether they may become a network; else they are evaluated one by one.
        network: the network, where it is known.
        imperfect: whether players know what they are told, and no more; by default as the
            rules say.
        capacity: how many steps players can remember, where they do not see all.
    """

    lowest_score_wins = False
    deal_count = header_offset("players")

    def __init__(
        self,
        description: Description,
        *,
        grounded: bool = True,
        network: Network | None = None,
        imperfect: bool | None = None,
        capacity: Callable[[], int] = lambda: PLAIN_CAPACITY,
    ) -> None:
        self.description = description
        self.imperfect = description.defines("sees") if imperfect is None else imperfect
        self._capacity = capacity
        if network is not None:
            self.__dict__["network"] = network
        if not grounded:
            self.__dict__["plain"] = Plain(description)

    @functools.cached_property
    def network(self) -> Network:
        """The rules as a network.

        Raises:
            GroundingError: they have too many instances.
        """
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
        """The rules themselves, where there is no network."""
        return Plain(self.description) if self.refusal else None

    @functools.cached_property
    def compiled(self) -> bool:
        """Whether states are worked out by native code."""
        return self.plain is None

    @functools.cached_property
    def simultaneous(self) -> bool:
        """Whether several roles may have to decide at once."""
        if self.plain is not None:
            return len(self.description.roles) > 1
        return not self.network.turns

    @functools.cached_property
    def facts(self) -> Facts:
        """What may be true."""
        if self.plain is not None:
            return Facts(self.plain.fact_names, MOST_FACTS, self.imperfect)
        names = [self.network.words(term) for term in self.network.facts]
        return Facts(names, hidden=self.imperfect)

    @functools.cached_property
    def capacity(self) -> int:
        """How many steps players can remember, if they do not see all."""
        return PLAIN_CAPACITY if self.plain is not None else self._capacity()

    @functools.cached_property
    def memory(self) -> Memory:
        """What a role has done and was told, where players do not see all."""
        return Memory(self.capacity, self.actions.names)

    @functools.cached_property
    def layout(self) -> Layout:
        """The layout of the state."""
        hidden = self.simultaneous or self.imperfect
        members: dict[str, Any] = {
            "facts": self.facts,
            "commitments": Commitments(len(self.description.roles), hidden),
        }
        if self.imperfect:
            members["memories"] = per_player(self.memory)
        state = type("State", (GameState,), members)
        return _Layout(state, GameParameters, len(self.description.roles))

    @functools.cached_property
    def arrays(self) -> Arrays:
        """The network as arrays."""
        return Arrays(self.network, self.layout)

    @functools.cached_property
    def actions(self) -> GdlActions:
        """The moves."""
        if self.plain is not None:
            return GdlActions(self.plain.move_names, self.plain.move_roles)
        network, roles = self.network, self.description.roles
        return GdlActions(
            [network.words(move.term) for move in network.moves],
            [network.words(roles[move.role]) for move in network.moves],
        )

    def backs(self, players: int, parameters: GameParameters) -> tuple[int, ...]:
        """There are no cards."""
        return ()

    def context(self, parameters: GameParameters) -> Any:
        """The network, with a memory of its own."""
        if self.plain is not None:
            return ctypes.create_string_buffer(parameters.record())
        return self.arrays.context()

    @functools.cached_property
    def exports(self) -> Mapping[str, Export]:
        """The rule functions."""
        if self.plain is None:
            if self.imperfect:
                return histories.EXPORTS
            return evaluator.SIMULTANEOUS if self.simultaneous else evaluator.EXPORTS
        self.plain.place(self.layout)
        return self.plain.exports

    def addresses(self) -> dict[str, int]:
        """The evaluator's functions: the same for all games."""
        return compile_native("the GDL evaluator", self.exports)
