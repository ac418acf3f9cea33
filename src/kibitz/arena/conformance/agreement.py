"""Whether compiled rules do the same as uncompiled ones, on games that were already played.

Only what has been found sound uncompiled is repeated compiled, where a wild index would not be
noticed but act. To be safe even from rules that behave differently compiled, the comparison
runs in a process of its own where the system can fork one.
"""

from __future__ import annotations

import faulthandler
import math
import multiprocessing
import pickle
import signal
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kibitz.arena.conformance.contents import show_differences
from kibitz.arena.conformance.findings import Finding, Law, Spot
from kibitz.arena.conformance.knowledge import SAMPLE_SEEDS
from kibitz.arena.conformance.watched import explain
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game, Table
from kibitz.core.registry import game_class
from kibitz.core.state import State

Located = tuple[Finding, Spot]

CURE = (
    "keep whole numbers within 64 bits, beyond which compiled ones wrap around, and do not read "
    "global variables that change, which compiled rules take for constants."
)


@dataclass
class Trace:
    """One game as uncompiled rules played it.

    Attributes:
        table: of the uncompiled game.
        seed: of the game.
        actions: what was played.
        offers: a hash of the legal actions before each of these.
        digests: a hash of the state before the first action, and after each.
        kept: a few of the states: after how many actions, and their bytes.
    """

    table: Table
    seed: int
    actions: list[int] = field(default_factory=list)
    offers: list[int] = field(default_factory=list)
    digests: list[int] = field(default_factory=list)
    kept: list[tuple[int, bytes]] = field(default_factory=list)

    def spot(self, tick: int | None = None) -> Spot:
        """Where the game was after `tick` actions, by default after all."""
        actions = tuple(self.actions if tick is None else self.actions[:tick])
        return Spot(self.table.players, self.table.parameters.to_json(), self.seed, actions)

    def state_at(self, tick: int) -> State:
        """The state after `tick` actions, played again."""
        state = self.table.new_state(self.seed)
        for action in self.actions[:tick]:
            state.apply(action)
        return state


def replay_differs(trace: Trace, table: Table) -> tuple[int, str] | None:
    """Plays the game again at `table`; the first tick at which it differs, and how."""
    state = table.new_state(trace.seed)
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
    shown = show_differences(trace.table.game.layout, bytes(before), bytes(state))
    return shown or "the state, differently each time"


def compare(traces: list[Trace], game: Game) -> Iterator[Located]:
    """Repeats games with `game`, which is compiled, until one shows a difference."""
    pickled: set[int] = set()
    for trace in traces:
        found: list[Located] = []
        try:
            table = twin(trace.table, game)
            if table.players not in pickled and _known(type(game)):
                pickled.add(table.players)
                found += _pickle_law(trace, table)
            found += _compare_game(trace, table)
        except Exception as problem:
            message = f"only compiled: {explain(problem).message}"
            found.append((Finding(Law.SAME_COMPILED, message, cure=CURE), trace.spot()))
        yield from found
        if found:
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
    """The same table of another instance of the game."""
    return game.table(table.players, **table.parameters.as_dict())


def _compare_state(trace: Trace, table: Table, tick: int, content: bytes) -> Iterator[Located]:
    plain, native = State(trace.table, content), State(table, content)
    for p in range(table.players):
        values = plain.heuristic(p), native.heuristic(p)
        if not math.isclose(*values, rel_tol=1e-9, abs_tol=1e-12):
            message = f"for player {p + 1} it is {values[0]} uncompiled, {values[1]} compiled"
            yield Finding(Law.SAME_COMPILED, message, "heuristic", CURE), trace.spot(tick)
        for seed in SAMPLE_SEEDS:
            yield from _compare_samples(plain, native, p, seed, trace.spot(tick))


def _pickle_law(trace: Trace, table: Table) -> Iterator[Located]:
    """A state survives being sent to another process."""
    tick, content = trace.kept[-1]
    state = State(table, content)
    if pickle.loads(pickle.dumps(state)) != state:
        yield Finding(Law.SERIALISE, "pickle gives back another state"), trace.spot(tick)


def _compare_samples(
    plain: State, native: State, player: int, seed: int, spot: Spot
) -> Iterator[Located]:
    first, second = plain.observe(player, seed), native.observe(player, seed)
    shown = show_differences(plain.game.layout, bytes(first), bytes(second))
    if not shown and first.legal_actions() != second.legal_actions():
        shown = "the legal actions"
    if shown:
        message = f"state.observe({player}, seed={seed}) differs uncompiled and compiled: {shown}"
        yield Finding(Law.SAME_COMPILED, message, "redeterminize", CURE), spot


def _known(game: type[Game]) -> bool:
    """Whether a name leads to this very class, so that pickle can find it."""
    try:
        return game_class(game.name) is game
    except KibitzError:
        return False


# --- in a process of its own ----------------------------------------------------------------


def isolated(work: Callable[[], list[Located]], seconds: float) -> list[Located]:
    """Does `work` in a forked process, where possible; a crash there becomes a finding."""
    can_fork = "fork" in multiprocessing.get_all_start_methods()
    if not can_fork or multiprocessing.current_process().daemon:
        return work()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def answer() -> None:
        faulthandler.disable()  # a crash is an answer here
        sender.send(work())

    process = context.Process(target=answer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads do not matter here
        process.start()
    sender.close()
    try:
        if receiver.poll(seconds):
            return receiver.recv()
        how = f"had not come to an end after {seconds:.0f} seconds"
    except EOFError:
        process.join()
        code = process.exitcode or 0
        how = f"crashed ({signal.Signals(-code).name if code < 0 else f'exit code {code}'})"
    finally:
        process.kill()
        process.join()
        receiver.close()
    return [(Finding(Law.SAME_COMPILED, f"the compiled rules {how}", cure=CURE), Spot())]
