"""The compiled rules of a game in RECYCLE, for one number of players and one set of parameters."""

from __future__ import annotations

import ctypes
import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kibitz.core import state as states
from kibitz.core.actions import KIND_BITS, OPERAND_BITS, ActionCode, Digit
from kibitz.core.layout import Layout, header_offset
from kibitz.core.native import Export, compile_text
from kibitz.core.parameters import GameParameters
from kibitz.recycle import options, phrases, primitives, tree
from kibitz.recycle.codegen import loops
from kibitz.recycle.codegen.choices import PICKS_WRITTEN
from kibitz.recycle.codegen.compiler import (
    EXPORTS,
    TRACED_EXPORTS,
    Compiled,
    compile_program,
    trace_program,
)
from kibitz.recycle.codegen.flow import choices_with_depth
from kibitz.recycle.codegen.tracing import LOGGED, MOST_TRACED
from kibitz.recycle.dependence import has_common_score
from kibitz.recycle.layout import Places
from kibitz.recycle.options import Path, Picks
from kibitz.recycle.tree import Program, Type

NO_OPTION = "no option: pass"
"""The words for the action of a player who has no option and passes."""


class Effect(NamedTuple):
    """An effect of the rules: a card was moved or shown, a pile shuffled or a number set."""

    action: tree.Action
    numbers: tuple[int, ...]
    """The numbers in the log after that of the action; see ``trace_program``."""

    @property
    def card(self) -> int:
        """The card that was moved or shown; -1 for other effects."""
        return self.numbers[0] if isinstance(self.action, _TO_CARDS) else -1

    @property
    def seen(self) -> int:
        """The players, as bits, who knew the card after the effect."""
        return self.numbers[1] if isinstance(self.action, _TO_CARDS) else 0


_TO_CARDS = tree.Move | tree.Remember | tree.Swap | tree.Reveal


class Effects(NamedTuple):
    """The effects of an action, in order."""

    option: list[Effect]
    """The effects of the option itself."""
    rules: list[Effect]
    """The effects of the automatic steps that follow the option."""


class RecycleRules:
    """The rules of a program, which are compiled when they are first needed.

    A program belongs to one number of players and one set of parameters; the layout of the state
    and the machine code depend on both.

    Args:
        name: The name of the game, for messages.
        program: The rules as a tree.
        passes_when_stuck: Whether a player without an option passes.
        optimised: Whether the machine code is optimised; unoptimised code is compiled faster.
    """

    compiled = True  # the rules have no uncompiled form
    compares_scores = True
    exports: Mapping[str, Export] = {}

    def __init__(
        self, name: str, program: Program, passes_when_stuck: bool, optimised: bool = True
    ) -> None:
        self.name = name
        self.program = program
        self.passes_when_stuck = passes_when_stuck
        self.lowest_score_wins = not program.highest_wins
        self.places = Places(program)
        self.layout: Layout = self.places.layout
        self.deal_count = header_offset("players")
        if program.deals != "":
            self.deal_count = self.places.stored("game", "sto", program.deals)[0]
        self._optimised = optimised

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The sides: all players where they share one score, else the teams.

        Teams that change during the game, and those of one player each, are none.
        """
        if has_common_score(self.program):
            return (tuple(range(self.program.players)),)
        alone = all(len(team) < 2 for team in self.program.teams)
        return () if alone or len(self.places.assignments) > 1 else self.program.teams

    @property
    def uses_chance(self) -> bool:
        """Whether something is shuffled or drawn, or ties are broken at random."""
        program = self.program
        return any(
            isinstance(node, tree.Random | tree.Best)
            or (isinstance(node, tree.Shuffle) and not node.faro)
            for part in (*program.items, *program.scoring)
            for node in tree.walk(part)
        )

    @functools.cached_property
    def translation(self) -> Compiled:
        """The rules as the text of an LLVM module."""
        return compile_program(self.places, self.passes_when_stuck)

    @functools.cached_property
    def phase_names(self) -> tuple[str, ...]:
        """The names of the choices, with their lines in the text."""
        source = self.program.source
        return tuple(
            f"choice {number + 1} (line {source.position(choice.span.start)[0]})"
            for number, choice in enumerate(self.translation.choices)
        )

    @functools.cached_property
    def endings(self) -> dict[int, str]:
        """The conditions that end the game or its last deal, as text, by phase."""
        first = len(self.translation.choices)
        source = self.program.source
        return {
            first + number: source.in_a_line(condition.span)
            for number, condition in enumerate(self.translation.endings)
        }

    @functools.cached_property
    def actions(self) -> RecycleActions:
        """All possible actions."""
        return RecycleActions(self)

    @functools.cached_property
    def _native(self) -> Mapping[str, int]:
        names = set(EXPORTS)
        if not self.places.samples:
            names.remove("redeterminize")
        if not self.places.fact_places:
            names.remove("is_consistent")
        externals = primitives.addresses()
        text = self.translation.text
        return compile_text(self.name, text, sorted(names), externals, self._optimised)

    def addresses(self) -> dict[str, int]:
        """The addresses of the functions that the contract of a game names."""
        return {name: address for name, address in self._native.items() if name != "picks"}

    kept_bytes = 0

    def context(self, parameters: GameParameters) -> Any:
        """The parameters, which are not read: they are constants in the machine code."""
        return ctypes.create_string_buffer(parameters.record())

    def stop_by(self, context: Any, stop: np.ndarray[Any, Any] | None) -> None:
        """Does nothing: the steps of every function are bounded."""

    def backs(self, players: int, parameters: GameParameters) -> Sequence[int]:
        """The index of the deck of every card; empty if there is only one deck."""
        if len(self.places.backs) < 2:
            return ()
        return [self.places.backs.index(card.deck) for card in self.program.cards]

    # -- options ---------------------------------------------------------------------------

    @functools.cached_property
    def clauses(self) -> list[tree.Statement]:
        """The clauses of all choices, in the order of the source."""
        return [clause for choice in self.translation.choices for clause in choice.clauses]

    def path(self, action: int) -> Path | None:
        """The path of an action; ``None`` for the action of a player without an option.

        Raises:
            ValueError: No path has the kind of the action.
        """
        kind = options.kind_of(action)
        if kind == options.PASS_KIND:
            return None
        if kind > len(self.translation.paths):
            raise ValueError(f"{action} is no action of {self.name}")
        return self.translation.paths[kind - 1]

    def decode(self, state: states.State, action: int) -> tuple[int, tuple[Any, ...]]:
        """The number of the clause that an action chooses, and its picks.

        A set of cards is a tuple; a card that the chooser does not know is ``Hidden``.
        """
        path = self.path(action)
        if path is None:
            return -1, ()
        return path.clause, tuple(self.picks(state, action))

    def picks(self, state: states.State, action: int) -> Picks:
        """The picks of a legal action, as the chooser knows them.

        Raises:
            ValueError: The action is not possible.
        """
        path = self.path(action)
        if path is None:
            return []
        if path.packed:
            picks = options.unpack(path, action)
            if not all(map(self._is_possible, path.forks, picks)):
                raise ValueError(f"{action} is no action of {self.name}")
            return picks
        numbers = (ctypes.c_int64 * path.room(loops.room_for(len(self.program.cards))))()
        write_picks = Export(print, EXPORTS["picks"]).bind(self._native["picks"])
        copy = state.clone()
        if write_picks(0, copy.address, action, ctypes.addressof(numbers)) != PICKS_WRITTEN:
            raise ValueError(f"{action} is no option of {self.name} here")
        return options.decode_picks(path, list(numbers))

    def _is_possible(self, fork: options.PickPoint, pick: Any) -> bool:
        """Whether a pick of a packed action is in range."""
        if isinstance(pick, options.Hidden):
            return 0 <= pick.place < self.places.place_count
        count = self.counted(fork.binding.type)
        return count is None or pick < count

    def counted(self, kind: Type) -> int | None:
        """The number of different picks of a type; ``None`` for numbers."""
        places = self.places
        counts = {
            Type.CARD: len(places.card_names),
            Type.PLAYER: places.players,
            Type.TEAM: places.teams,
            Type.STR: len(places.words),
            Type.PILE: places.place_count,
        }
        return counts.get(kind)

    def choosing(self, state: states.State) -> tuple[int, ...]:
        """The players who have yet to choose in a simultaneous stage, or the current one."""
        current = state.current_player
        if not self.is_simultaneous(state):
            return (current,)
        others = ((current + turn) % state.players for turn in range(1, state.players))
        waiting = (p for p in others if not state.view.commitment[p].length)
        return (current, *waiting)

    def is_simultaneous(self, state: states.State) -> bool:
        """Whether all players make the next choice of a state at the same time."""
        return self._is_simultaneous[state.view.phase]

    def asking(self, state: states.State, player: int) -> states.State:
        """The state in which a player chooses in the current simultaneous round.

        Between two choices of a round, only the current player, commitments and the number of
        actions change. Random numbers in options depend on the number of actions played before.
        """
        other = state.clone()
        view = other.view
        first, players = view.first_player, state.players
        view.tick += (player - first) % players - (view.player - first) % players
        view.turns.current[self._depths[view.phase]] = view.player = player
        return other

    @functools.cached_property
    def _depths(self) -> list[int]:
        """The number of stages of players around each choice."""
        return [depth for _, depth, _, _ in choices_with_depth(self.program)]

    @functools.cached_property
    def _is_simultaneous(self) -> list[bool]:
        """Whether each choice is made by all players at the same time."""
        return [simultaneous for _, _, _, simultaneous in choices_with_depth(self.program)]

    @functools.cached_property
    def worded_alike(self) -> dict[int, set[int]]:
        """The kinds of actions of other clauses with the same words, by kind."""
        kinds: dict[tuple[int, str], list[Path]] = {}
        for path in self.translation.paths:
            template = phrases.template(self.places, path, self.clauses[path.clause])
            kinds.setdefault((path.choice, re.sub(r"{[^}]*}", "{}", template)), []).append(path)
        return {
            path.kind: {other.kind for other in alike if other.clause != path.clause}
            for alike in kinds.values()
            for path in alike
        }

    # -- effects of actions ----------------------------------------------------------------

    @functools.cached_property
    def _trace(self) -> tuple[Callable[..., Any], tuple[tree.Action, ...]]:
        """The function that applies an action and logs its effects, and the logged actions."""
        traced = trace_program(self.places, self.passes_when_stuck)
        names = list(TRACED_EXPORTS)
        native = compile_text(
            self.name, traced.text, names, primitives.addresses(), optimised=False
        )
        trace = Export(print, TRACED_EXPORTS["trace"]).bind(native["trace"])
        return trace, traced.traced

    def traced(self, before: states.State, action: int) -> tuple[states.State, Effects]:
        """The state after an action, and the effects of the action."""
        key = bytes(before), action
        if self._last_traced[0] != key:
            trace, actions = self._trace
            log = (ctypes.c_int64 * (LOGGED * (MOST_TRACED + 1)))()
            after = before.clone()
            after.view.tick += 1
            trace(0, after.address, action, ctypes.addressof(log))
            effects = [
                Effect(actions[log[at]], tuple(log[at + 1 : at + LOGGED]))
                for at in range(LOGGED, LOGGED * (log[0] + 1), LOGGED)
            ]
            self._last_traced = key, (after, Effects(effects[: log[1]], effects[log[1] :]))
        return self._last_traced[1]

    _last_traced: tuple[Any, Any] = (None, None)
    """The last state and action that were traced, and the result; each observer asks for it."""


@dataclass(frozen=True)
class OptionKind:
    """A path through a clause of a choice, as a kind of action.

    Attributes:
        name: The line of the choice in the text.
        template: The words of its options, with a placeholder for the pick at each fork.
        sizes: The number of possible picks at each fork, or the number of digests.
    """

    name: str
    template: str
    sizes: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of possible actions of this kind."""
        return math.prod(self.sizes)

    @property
    def action(self) -> OptionKind:
        """The kind itself, as ``ActionKinds`` has it for games in Python."""
        return self


class RecycleActions:
    """The kinds of actions of a game in RECYCLE, with the interface of ``ActionKinds``."""

    def __init__(self, rules: RecycleRules) -> None:
        self._rules = rules
        places = rules.places
        cards = len(places.card_names)
        self._kinds: list[OptionKind] = [OptionKind("stuck", NO_OPTION, ())]
        for path in rules.translation.paths:
            template = phrases.template(places, path, rules.clauses[path.clause])
            line = places.program.source.position(
                rules.translation.choices[path.choice].span.start
            )[0]
            if not path.packed:
                digests = 1 << options.DIGEST_BITS
                self._kinds.append(OptionKind(f"line {line}", template, (digests,)))
                continue
            sizes = []
            for fork in path.forks:
                assert fork.bits is not None
                known = self._size(fork)
                sizes.append(known + fork.hidden * cards * places.place_count)
            self._kinds.append(OptionKind(f"line {line}", template, tuple(sizes)))

    def __iter__(self) -> Iterator[OptionKind]:
        return iter(self._kinds if self._rules.passes_when_stuck else self._kinds[1:])

    def parse(self, text: str) -> int | None:
        """``None``: words alone identify no action; they are compared with the legal actions."""
        return None

    def codes(self) -> list[ActionCode]:
        """The encoding of each kind of action: the digits of its picks, except for digests."""
        codes = [ActionCode(options.PASS_KIND, ())]
        for path in self._rules.translation.paths:
            if not path.packed:
                codes.append(ActionCode(path.kind, None))
                continue
            digits, shift = [], KIND_BITS
            for fork in path.forks:
                digits += self._digits(fork, shift)
                shift += fork.bits or 0
            codes.append(ActionCode(path.kind, tuple(digits)))
        return codes

    def _digits(self, fork: options.PickPoint, shift: int) -> list[Digit]:
        """The digits of the pick at a fork; a card that may be hidden has a place, too."""
        assert fork.bits is not None
        size = self._size(fork)
        if fork.hidden:
            places = Digit(shift + OPERAND_BITS, OPERAND_BITS, self._rules.places.place_count + 1)
            return [places, Digit(shift, OPERAND_BITS, size)]
        return [Digit(shift, fork.bits, size)]

    def _size(self, fork: options.PickPoint) -> int:
        """The number of possible picks at a fork, without hidden cards."""
        assert fork.bits is not None
        count = self._rules.counted(fork.binding.type)
        if count is not None:
            return count
        highest = self._rules.places.bound(fork.binding)
        return 1 << fork.bits if highest is None else highest + 1
