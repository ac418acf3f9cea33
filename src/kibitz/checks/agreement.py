"""Repeats games with compiled rules, which must do the same as uncompiled ones.

Only games without problems are repeated compiled, where an index out of range would not be noticed
but touch foreign memory.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kibitz.checks.case import observers
from kibitz.checks.contents import show_differences
from kibitz.checks.findings import Finding, Law, Spot
from kibitz.checks.information import SAMPLE_SEEDS
from kibitz.checks.watched import explain
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game, Table
from kibitz.core.state import State
from kibitz.loading import load_installed

Located = tuple[Finding, Spot]

CURE = (
    "keep whole numbers within 64 bits, beyond which compiled ones wrap around, and do not read "
    "global variables that change, which compiled rules take for constants."
)


@dataclass
class Trace:
    """A game, or a stretch of one, as uncompiled rules played it.

    Attributes:
        table: of the uncompiled game.
        seed: the seed of the game.
        path: the actions of the game up to the stretch, or further.
        tick: how many of these lead to the stretch; 0 for the start of a game.
        start: the bytes of the state in which a stretch begins.
        actions: the actions from there on.
        offers: a hash of the legal actions before each of these.
        digests: a hash of the state before the first action, and after each.
        kept: a few of the states: after how many of the actions, and their bytes.
    """

    table: Table
    seed: int
    path: Sequence[int] = ()
    tick: int = 0
    start: bytes | None = None
    actions: list[int] = field(default_factory=list)
    offers: list[int] = field(default_factory=list)
    digests: list[int] = field(default_factory=list)
    kept: list[tuple[int, bytes]] = field(default_factory=list)

    def begin(self, table: Table) -> State:
        """The first state of the trace, at its own table or at the twin, given as `table`."""
        if self.start is None:
            return table.new_state(self.seed)
        return State(table, self.start, self.seed)

    def spot(self, tick: int | None = None) -> Spot:
        """The spot after `tick` of the actions, by default after all."""
        actions = (*self.path[: self.tick], *self.actions[:tick])
        return Spot(self.table.players, self.table.parameters.to_json(), self.seed, actions)

    def state_at(self, tick: int) -> State:
        """The state after `tick` of the actions, played again."""
        state = self.begin(self.table)
        for action in self.actions[:tick]:
            state.apply(action)
        return state


def replay_differs(trace: Trace, table: Table) -> tuple[int, str] | None:
    """Repeats a trace at `table`; returns the tick of the first difference, and what differs."""
    state = trace.begin(table)
    for tick in range(len(trace.actions) + 1):
        if hash(bytes(state)) != trace.digests[tick]:
            return tick, _state_difference(trace, tick, state)
        if tick == len(trace.actions):
            break
        legal = state.legal_actions()
        if hash(tuple(legal)) != trace.offers[tick]:
            return tick, f"the list of legal actions; now it has {len(legal)}"
        state.apply(trace.actions[tick])
    return None


def _state_difference(trace: Trace, tick: int, state: State) -> str:
    try:
        before = trace.state_at(tick)
    except KibitzError as problem:
        return f"the state ({problem})"
    shown = show_differences(trace.table.layout, bytes(before), bytes(state))
    return shown or "the state, differently each time"


def compare(traces: list[Trace], game: Game) -> Iterator[Located]:
    """Repeats games with the compiled `game`, until one shows a difference."""
    pickled: set[int] = set()
    for trace in traces:
        located: list[Located] = []
        try:
            table = twin(trace.table, game)
            if trace.kept and table.players not in pickled and _known(type(game)):
                pickled.add(table.players)
                located += _pickle_law(trace, table)
            located += _compare_game(trace, table)
        except Exception as problem:
            message = f"only compiled: {explain(problem).message}"
            located.append((Finding(Law.SAME_COMPILED, message, cure=CURE), trace.spot()))
        yield from located
        if located:
            return


def _compare_game(trace: Trace, table: Table) -> Iterator[Located]:
    differs = replay_differs(trace, table)
    if differs is not None:
        tick, shown = differs
        message = f"uncompiled and compiled rules disagree on {shown}"
        yield Finding(Law.SAME_COMPILED, message, cure=CURE), trace.spot(tick)
        return
    for tick, content in trace.kept:
        yield from _compare_state(trace, table, tick, content)


def twin(table: Table, game: Game) -> Table:
    """The same table, of another instance of the game."""
    return game.table(table.players, table.parameters.as_dict())


def _compare_state(trace: Trace, table: Table, tick: int, content: bytes) -> Iterator[Located]:
    plain, native = State(trace.table, content), State(table, content)
    for p in range(table.players):
        values = plain.heuristic(p), native.heuristic(p)
        if not math.isclose(*values, rel_tol=1e-9, abs_tol=1e-12):
            message = f"for player {p + 1} it is {values[0]} uncompiled, {values[1]} compiled"
            yield Finding(Law.SAME_COMPILED, message, "heuristic", CURE), trace.spot(tick)
        for seed in SAMPLE_SEEDS if p in observers(plain) else ():
            yield from _compare_samples(plain, native, p, seed, trace, tick)


def _pickle_law(trace: Trace, table: Table) -> Iterator[Located]:
    """Law: a state survives being sent to another process."""
    tick, content = trace.kept[-1]
    state = State(table, content)
    if pickle.loads(pickle.dumps(state)) != state:
        yield Finding(Law.SERIALISE, "pickle restores a different state"), trace.spot(tick)


def _compare_samples(
    plain: State, native: State, player: int, seed: int, trace: Trace, tick: int
) -> Iterator[Located]:
    first, second = plain.determinize(player, seed), native.determinize(player, seed)
    shown = show_differences(plain.table.layout, bytes(first), bytes(second))
    if not shown and first.legal_actions() != second.legal_actions():
        shown = "the legal actions"
    if shown:
        message = (
            f"state.determinize({player}, seed={seed}) differs uncompiled and compiled: {shown}"
        )
        yield Finding(Law.SAME_COMPILED, message, "redeterminize", CURE), trace.spot(tick)


def _known(game: type[Game]) -> bool:
    """Whether the game's name loads this very class, so that pickle can find it."""
    try:
        return type(load_installed(game.name)) is game
    except KibitzError:
        return False
