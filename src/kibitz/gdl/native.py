"""`GdlRules`: the rule functions of a game in GDL, on its network or with the prover."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.actions import ActionCode, Digit
from kibitz.core.errors import FileError
from kibitz.core.interrupt import NEVER_STOPPED
from kibitz.core.layout import GameState, Instance, Layout, header_offset, per_player
from kibitz.core.native import Export, compile_native
from kibitz.core.parameters import GameParameters
from kibitz.core.state import State
from kibitz.gdl import evaluator, histories
from kibitz.gdl.arrays import Arrays
from kibitz.gdl.components import Commitments, Facts, Memory
from kibitz.gdl.evaluator import CONTEXT
from kibitz.gdl.grounder import ground
from kibitz.gdl.network import Network, build
from kibitz.gdl.prover_rules import MOST_FACTS, ProverRules
from kibitz.gdl.rules import RANDOM, Description
from kibitz.gdl.splitting import GroundingError
from kibitz.gdl.winning import Winning, winning_conditions

MOVE_BITS = 32
"""The bits of the number of a move in an action code."""
PLAIN_CAPACITY = 250
"""The steps for which memories have room where random games would take too long."""
_STOP_AT = CONTEXT.fields["stop"][1]  # type: ignore[index]
"""The offset of the address of the stop word in a context."""


@dataclass(frozen=True)
class MoveKind:
    """A kind of action: the moves of one role with the same function or constant."""

    name: str
    template: str
    size: int = 1

    @property
    def action(self) -> MoveKind:
        """The declaration of this kind, which is the kind itself."""
        return self


class GdlActions:
    """The moves of a game in GDL, with the interface of ``ActionKinds`` for games in Python."""

    def __init__(self, names: list[str], roles: list[str]) -> None:
        self.names = names
        self.roles = roles

    def __iter__(self) -> Iterator[MoveKind]:
        """Yields a kind for each role and name of its moves."""
        kinds: dict[tuple[str, str], list[str]] = {}
        for role, name in zip(self.roles, self.names, strict=True):
            kinds.setdefault((role, name.strip("()").split()[0]), []).append(name)
        for (role, head), names in kinds.items():
            last = f" ... {names[-1]}" if len(names) > 1 else ""
            yield MoveKind(f"{role} {head}", f"{role}: {names[0]}{last}", len(names))

    def words(self, action: int) -> str:
        """The words for a move, as the rules spell them."""
        if not 0 <= action < len(self.names):
            raise ValueError(f"there is no move {action}")
        return self.names[action]

    def parse(self, text: str) -> int | None:
        """Returns ``None``, so that a text is compared with the words of the legal moves."""
        return None

    def total(self) -> int:
        """The number of moves."""
        return len(self.names)

    def codes(self) -> list[ActionCode]:
        """The codes of moves, which are their numbers."""
        return [ActionCode(None, (Digit(0, MOVE_BITS, len(self.names)),))]


class _Layout(Layout):
    """A layout in which chance has its components even without a seat."""

    def in_play(self, players: int) -> Iterator[Instance]:
        return super().in_play(self.max_players)


class GdlRules:
    """The rules behind all tables of a game in GDL.

    Args:
        grounded: whether rules may become a network; if not, the prover evaluates them.
        network: the network, if it is known.
        imperfect: whether players know only their moves and percepts; by default whether the rules
            define ``sees``.
        capacity: returns the steps for which memories have room, if `imperfect`.
    """

    lowest_score_wins = False
    phase_names: tuple[str, ...] = ()
    deal_count = header_offset("players")
    teams: tuple[tuple[int, ...], ...] = ()
    compares_scores = False

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
            self.__dict__["proved"] = ProverRules(description)

    @property
    def uses_chance(self) -> bool:
        """Whether chance has a role, ``random``."""
        return RANDOM in self.description.roles

    @functools.cached_property
    def endings(self) -> dict[int, str]:
        """The text of each rule for ``terminal``, by the phase of games that it ended."""
        source, ends = self.description.source, self.description.ends
        first = int(len(ends) > 1)
        return {number: source.in_a_line(rule.span) for number, rule in enumerate(ends, first)}

    @functools.cached_property
    def network(self) -> Network:
        """The rules as a network.

        Raises:
            GroundingError: the rules have too many instances.
            FileError: no role can have a legal move.
        """
        description = self.description.with_endings()
        network = build(description, ground(description))
        if not network.moves:
            name = description.source.name
            raise FileError(f"{name}: no role ever has a legal move: nothing can be played.")
        return network

    @functools.cached_property
    def refusal(self) -> GroundingError | None:
        """The error that grounding raised; ``None`` if there is a network."""
        try:
            _ = self.network
        except GroundingError as problem:
            return GroundingError(str(problem), problem.span)  # a traceback keeps the tables
        return None

    @functools.cached_property
    def proved(self) -> ProverRules | None:
        """The rule functions of the prover; ``None`` where there is a network."""
        return ProverRules(self.description) if self.refusal else None

    @functools.cached_property
    def compiled(self) -> bool:
        """Whether states are evaluated by native code."""
        return self.proved is None

    @functools.cached_property
    def simultaneous(self) -> bool:
        """Whether several roles may have to decide in the same step."""
        if self.proved is not None:
            return len(self.description.roles) > 1
        return not self.network.turns

    @functools.cached_property
    def facts(self) -> Facts:
        """The component for the facts of a state."""
        if self.proved is not None:
            return Facts(self.proved.fact_names, MOST_FACTS, self.imperfect)
        names = [self.network.words(term) for term in self.network.facts]
        return Facts(names, hidden=self.imperfect)

    @functools.cached_property
    def capacity(self) -> int:
        """The steps for which memories have room, in GDL-II."""
        return PLAIN_CAPACITY if self.proved is not None else self._capacity()

    @functools.cached_property
    def memory(self) -> Memory:
        """The component for the memory of a role, in GDL-II."""
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
    def winning(self) -> Winning | None:
        """The conditions under which moves win immediately; ``None`` where they are not simple."""
        return None if self.imperfect or self.simultaneous else winning_conditions(self.network)

    @functools.cached_property
    def arrays(self) -> Arrays:
        """The network as arrays."""
        return Arrays(self.network, self.layout, self.winning)

    @functools.cached_property
    def actions(self) -> GdlActions:
        """The moves of all roles."""
        if self.proved is not None:
            return GdlActions(self.proved.move_names, self.proved.move_roles)
        network, roles = self.network, self.description.roles
        return GdlActions(
            [network.words(move.term) for move in network.moves],
            [network.words(roles[move.role]) for move in network.moves],
        )

    def choosing(self, state: State) -> tuple[int, ...]:
        """The roles that have yet to choose in this step, the current one first."""
        current = state.current_player
        if not self.simultaneous:
            return (current,)
        moves, roles = state.view.commitments.moves, self.description.roles
        others = (role for role in range(len(roles)) if role != current and roles[role] != RANDOM)
        return (current, *(role for role in others if moves[role] == 0))

    def asking(self, state: State, player: int) -> State:
        """The state in which another role decides: a copy with another player to move."""
        copy = state.clone()
        copy.view.player = player
        return copy

    def backs(self, players: int, parameters: GameParameters) -> tuple[int, ...]:
        """Returns an empty tuple, since GDL has no cards."""
        return ()

    @property
    def kept_bytes(self) -> int:
        """The bytes of the network's working memory."""
        return 0 if self.proved is not None else self.arrays.own_bytes

    def context(self, parameters: GameParameters) -> Any:
        """Makes a context for the rule functions: the network with its own scratch memory."""
        if self.proved is not None:
            return ctypes.create_string_buffer(parameters.record())
        return self.arrays.context()

    def stop_by(self, context: Any, stop: np.ndarray[Any, Any] | None) -> None:
        """Sets the stop word at which the search for a consistent history ends."""
        if self.proved is None:
            word = ctypes.c_int64.from_buffer(context, _STOP_AT)
            word.value = ctypes.addressof(NEVER_STOPPED) if stop is None else stop.ctypes.data

    @functools.cached_property
    def exports(self) -> Mapping[str, Export]:
        """The rule functions by their names in the contract."""
        if self.proved is None:
            if self.imperfect:
                return histories.EXPORTS
            if self.simultaneous:
                return evaluator.SIMULTANEOUS
            return evaluator.EXPORTS if self.winning is None else evaluator.WINNING
        self.proved.place(self.layout)
        return self.proved.exports

    def addresses(self) -> dict[str, int]:
        """The addresses of the compiled rule functions, by name."""
        return compile_native("the GDL evaluator", self.exports)
