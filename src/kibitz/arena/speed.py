"""The speed of rules: calls per second of set-up, actions, legal actions, copies, observations.

TAG calls this the execution speed of a game (Gaina et al., "TAG: A Tabletop Games Framework", EXAG
2020). Each kind of call is made in a loop in native code over states of random games, on one
thread; the CPU time of the thread is measured.
"""

from __future__ import annotations

import ctypes
import random
import statistics
import time
from dataclasses import asdict, dataclass

from kibitz.core import contract
from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import RULES
from kibitz.core.errors import KibitzError
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, array_at, copy_bytes, record_at
from kibitz.core.native import Export, compile_native

STATES = 400
MOST_GAMES = 1000
"""The number of games after which a batch remains smaller, as in games with a single action."""


def batch_setup(rules: int, state: int, count: int) -> int:
    """Sets up `count` games."""
    game = record_at(rules, RULES)
    for number in range(count):
        contract.new_game(game, state, number)
    return count


def batch_legal(rules: int, states: int, actions: int, count: int) -> int:
    """Lists the legal actions of `count` states, which are contiguous in memory."""
    game = record_at(rules, RULES)
    for i in range(count):
        contract.legal_actions(game, states + i * game.state_size, actions)
    return count


def batch_apply(rules: int, states: int, chosen: int, count: int) -> int:
    """Plays an action in each of `count` states."""
    game = record_at(rules, RULES)
    codes = array_at(chosen, INT64, count)
    for i in range(count):
        contract.apply_action(game, states + i * game.state_size, codes[i])
    return count


def batch_copy(rules: int, states: int, target: int, count: int) -> int:
    """Copies `count` states, one after the other."""
    game = record_at(rules, RULES)
    for i in range(count):
        copy_bytes(target, states + i * game.state_size, game.state_size)
    return count


def batch_observe(rules: int, states: int, target: int, rng: int, count: int) -> int:
    """Observes `count` states as their current players."""
    game = record_at(rules, RULES)
    stream = array_at(rng, INT64, 4)
    for i in range(count):
        state = states + i * game.state_size
        contract.determinize(game, state, record_at(state, HEADER).player, target, stream)
    return count


_EXPORTS = {
    "setup": Export(batch_setup, "iiii"),
    "legal_actions": Export(batch_legal, "iiiii"),
    "apply": Export(batch_apply, "iiiii"),
    "copy": Export(batch_copy, "iiiii"),
    "observe": Export(batch_observe, "iiiiii"),
}
KINDS = tuple(_EXPORTS)
"""The kinds of calls."""


@dataclass(frozen=True)
class Speed:
    """Calls per second of CPU time on one core.

    Attributes:
        setup: set-ups of a game.
        legal_actions: lists of legal actions.
        apply: actions played.
        copy: copies of a state.
        observe: determinizations of a state, as agents get them.
    """

    setup: float
    legal_actions: float
    apply: float
    copy: float
    observe: float

    def to_json(self) -> dict[str, float]:
        """All fields by name, as JSON types."""
        return asdict(self)


class Batch:
    """States from random games, and the calls that can be made with all of them.

    Args:
        size: the most states.

    Raises:
        KibitzError: the rules break off.
    """

    def __init__(self, table: Table, size: int = STATES) -> None:
        states: list[bytes] = []
        chosen: list[int] = []
        pick = random.Random(1)
        for number in range(1, MOST_GAMES):
            state = table.new_state(number)
            while (
                len(states) < size and not state.is_terminal and (legal := state.legal_actions())
            ):
                action = pick.choice(legal)
                states.append(bytes(state))
                chosen.append(action)
                state.apply(action)
            if len(states) == size:
                break
        self.table = table
        self.size = len(states)
        self._kept = b"".join(states)
        room = table.state_size
        sizes = (len(self._kept) or 1, room, room, ACTION_LIST.itemsize)
        self._rooms = [ctypes.create_string_buffer(size) for size in sizes]
        self._chosen = (ctypes.c_int64 * max(1, len(chosen)))(*chosen)
        self._stream = (ctypes.c_int64 * 4)(1, 2, 3, 4)
        addresses = compile_native("the loops over states", _EXPORTS)
        self._call = {name: e.bind(addresses[name]) for name, e in _EXPORTS.items()}

    def seconds(self, kind: str) -> float:
        """The CPU time of a pass over all states, of one of ``KINDS``."""
        states, state, target, actions = map(ctypes.addressof, self._rooms)
        rules, n = self.table.address, self.size
        arguments = {
            "setup": (rules, state, n),
            "legal_actions": (rules, states, actions, n),
            "apply": (rules, states, ctypes.addressof(self._chosen), n),
            "copy": (rules, states, target, n),
            "observe": (rules, states, target, ctypes.addressof(self._stream), n),
        }[kind]
        ctypes.memmove(states, self._kept, len(self._kept))
        began = time.thread_time_ns()
        self._call[kind](*arguments)
        return (time.thread_time_ns() - began) / 1e9

    def rate(self, kind: str, seconds: float) -> float:
        """Calls per second: the median of passes that take `seconds` together."""
        self.seconds(kind)  # which loads code and memory
        passes = [max(self.seconds(kind), 1e-9)]
        while sum(passes) < seconds:
            passes.append(max(self.seconds(kind), 1e-9))
        return self.size / statistics.median(passes)


def measure_speed(table: Table, seconds: float = 0.01) -> Speed | None:
    """Measures the speed of the rules at a table.

    Args:
        seconds: the CPU time for each kind of call.

    Returns:
        Calls per second; ``None`` if the rules are not compiled, or break off.
    """
    if not table.rules.compiled:
        return None
    try:
        batch = Batch(table)
    except KibitzError:
        return None
    if not batch.size:
        return None
    return Speed(**{kind: batch.rate(kind, seconds) for kind in KINDS})
