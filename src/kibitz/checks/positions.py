"""The states that a certificate examines: some of each of many games, identified by number.

Games are played by two compiled players in turn: one takes every legal action with the same
probability, the other first picks a kind of action and then an action of that kind, so that rare
kinds come up, too.
"""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import RULES, apply_action, legal_actions, new_game
from kibitz.core.game import Table
from kibitz.core.interrupt import run_interruptibly
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, array_at, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import AGENT_STREAM, derive_seed, random_below, start_stream
from kibitz.core.state import State
from kibitz.core.status import Status

STATES_OF_A_GAME = 4
"""The number of states of each game that are examined."""

GAME = np.dtype(
    [
        (name, np.int64)
        for name in (
            "rules",  # address of the RULES record
            "state",  # room for a state,
            "actions",  # and for an ACTION_LIST
            "seed",  # of the game
            "by_kind",  # whether a kind of action is picked first
            "until",  # the game is left before this action
            "log",  # room for the actions, 64-bit integers,
            "room",  # for so many
            "stop",  # address of a word that turns non-zero to give up
        )
    ]
    + [("rng", np.int64, (4,))]  # of the players
)


@dataclass(frozen=True)
class Position:
    """A state of a game that can be played again.

    Attributes:
        game: the number of the game, from 0.
        tick: the number of actions that lead to it.
        state: the true state, with nothing hidden.
        actions: the actions that lead to it.
        following: the next action; ``None`` if the game was left or over there.
    """

    game: int
    tick: int
    state: State
    actions: tuple[int, ...]
    following: int | None = None


class Games:
    """Random games at a table, by number.

    Args:
        table: the table at which they are played.
        seed: the seed of all games.

    Attributes:
        broken_off: the number of games among the last ``sample`` that the rules broke off.
    """

    def __init__(self, table: Table, seed: int) -> None:
        self.table = table
        self.seed = seed
        self.broken_off = 0
        self._job = np.zeros(1, GAME)
        self._list = np.zeros(1, ACTION_LIST)
        self._log = np.zeros(int(table.game.max_ticks) + 1, np.int64)
        self._stop = np.zeros(1, np.int64)
        self._followed = -1
        self._path: list[State] = []
        self._job["actions"] = self._list.ctypes.data
        self._job["log"] = self._log.ctypes.data
        self._job["room"] = len(self._log)
        self._job["stop"] = self._stop.ctypes.data

    def position(self, game: int, tick: int | None = None) -> Position:
        """A game after `tick` actions, or where it ended or broke off if that is sooner."""
        seed = derive_seed([0, 0, 0, 0], self.seed, game)
        state = State(self.table, seed=seed)
        self._job["state"] = state.address
        self._job["seed"] = seed
        self._job["by_kind"] = game % 2
        self._job["until"] = len(self._log) - 1 if tick is None else tick
        with self.table.borrowed(self._stop) as rules:
            self._job["rules"] = rules.address
            play = native_play()
            run_interruptibly(lambda: play(int(self._job.ctypes.data)), self._stop)
        self.table.raise_pending()
        actions = tuple(int(a) for a in self._log[: state.tick])
        return Position(game, state.tick, state, actions)

    def before(self, end: Position, tick: int) -> Position:
        """The same game after fewer actions."""
        return dataclasses.replace(self.position(end.game, tick), following=end.actions[tick])

    def path(self, end: Position) -> list[State]:
        """All states of a game up to a position, the set-up first; they must not be changed."""
        if end.game != self._followed:
            self._followed = end.game
            self._path = [self.table.new_state(derive_seed([0, 0, 0, 0], self.seed, end.game))]
        for action in end.actions[len(self._path) - 1 :]:
            state = self._path[-1].clone()
            self.table.call("apply_action", state.address, action)
            self._path.append(state)
        return self._path[: end.tick + 1]

    def sample(self, number: int) -> Iterator[Position]:
        """Yields `number` states, or fewer: a few of each game, drawn from its whole length.

        States in which a game broke off are left out.
        """
        game = yielded = self.broken_off = 0
        while yielded < number and game < 2 * number + 16:
            end = self.position(game)
            complete = end.state.status in (Status.PLAYING, Status.FINISHED)
            self.broken_off += not complete
            last = end.tick + int(complete)
            rng = random.Random(f"{self.seed}/{game}")
            ticks = rng.sample(range(last), min(STATES_OF_A_GAME, last, number - yielded))
            for tick in sorted(ticks):
                yield end if tick == end.tick else self.before(end, tick)
            yielded += len(ticks)
            game += 1


def play_until(job_address: int) -> None:
    """Plays a game from its beginning to an action's number."""
    job = record_at(job_address, GAME)
    rules = record_at(job.rules, RULES)
    header = record_at(job.state, HEADER)
    legal = record_at(job.actions, ACTION_LIST)
    log = array_at(job.log, INT64, job.room)
    stop = array_at(job.stop, INT64, 1)
    rng = job.rng
    new_game(rules, job.state, job.seed)
    start_stream(rng, job.seed, AGENT_STREAM)
    while header.status == Status.PLAYING and header.tick < job.until and stop[0] == 0:
        count = legal_actions(rules, job.state, job.actions)
        if count == 0:
            break
        at = random_below(rng, count)
        if job.by_kind != 0:
            at = pick_by_kind(rng, legal, count)
        log[header.tick] = legal.items[at]
        apply_action(rules, job.state, legal.items[at])


def pick_by_kind(rng: Any, legal: Any, count: int) -> int:
    """The index of a random action: first a legal kind is drawn, then an action of this kind."""
    chosen, kinds, alike = 0, 0, 0
    drawn_kind = -1
    for i in range(count):  # a random one of the distinct kinds, each counted where it is first
        kind = legal.items[i] & 255
        first = True
        for j in range(i):
            if legal.items[j] & 255 == kind:
                first = False
                break
        if first:
            kinds += 1
            if random_below(rng, kinds) == 0:
                drawn_kind = kind
    for i in range(count):
        if legal.items[i] & 255 == drawn_kind:
            alike += 1
            if random_below(rng, alike) == 0:
                chosen = i
    return chosen


@functools.cache
def native_play() -> Callable[[int], None]:
    """``play_until``, compiled."""
    export = Export(play_until, "vi")
    return export.bind(compile_native("certified games", {"play": export})["play"])
