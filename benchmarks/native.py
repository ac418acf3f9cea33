"""Loops in native code, for measuring the contract's functions without Python in between."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import kibitz
from kibitz.arena.random_returns import playout
from kibitz.core import contract
from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import RULES
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, array_at, copy_bytes, record_at
from kibitz.core.native import Export, compile_native


def playouts(rules: int, state: int, actions: int, rng: int, count: int) -> int:
    """Sets up and plays `count` random games; returns the number of actions."""
    game = record_at(rules, RULES)
    stream = array_at(rng, INT64, 4)
    moves = 0
    for number in range(count):
        contract.new_game(game, state, number)
        moves += playout(game, state, actions, stream, 1_000_000)
    return moves


def copies(rules: int, state: int, target: int, count: int) -> int:
    """Copies a state `count` times."""
    game = record_at(rules, RULES)
    for _ in range(count):
        copy_bytes(target, state, game.state_size)
    return count


def plain_copies(size: int, state: int, target: int, count: int) -> int:
    """Copies `size` bytes `count` times: what a copy cannot be quicker than."""
    for _ in range(count):
        copy_bytes(target, state, size)
    return count


def observations(rules: int, state: int, target: int, rng: int, count: int) -> int:
    """Copies and redeterminizes a state `count` times."""
    game = record_at(rules, RULES)
    stream = array_at(rng, INT64, 4)
    player = record_at(state, HEADER).player
    for _ in range(count):
        contract.determinize(game, state, player, target, stream)
    return count


_EXPORTS = {
    "playouts": Export(playouts, "iiiiii"),
    "copies": Export(copies, "iiiii"),
    "plain_copies": Export(plain_copies, "iiiii"),
    "observations": Export(observations, "iiiiii"),
}


class Bench:
    """A game at a table, and native loops over it."""

    def __init__(self, game: str | Table, players: int | None = None, **parameters: Any) -> None:
        if isinstance(game, str):
            game = kibitz.load(game).table(players, **parameters)
        self.table = game
        self.rooms = [
            ctypes.create_string_buffer(size)
            for size in (self.table.state_size, self.table.state_size, ACTION_LIST.itemsize, 32)
        ]
        self.state, self.target, self.actions, self.rng = map(ctypes.addressof, self.rooms)
        (ctypes.c_int64 * 4).from_address(self.rng)[:] = [1, 2, 3, 4]
        addresses = compile_native("the benchmarks", _EXPORTS)
        self._call = {name: e.bind(addresses[name]) for name, e in _EXPORTS.items()}
        self.midgame()

    def midgame(self) -> None:
        """Puts a state up to four actions into a game, if that is no end, into the first room."""
        state = self.table.new_state(1)
        for _ in range(4):
            self.rooms[0].raw = bytes(state)
            state.apply(state.legal_actions()[0])
            if state.is_terminal:
                return
        self.rooms[0].raw = bytes(state)

    def playouts(self, count: int) -> Callable[[], int]:
        """Work: `count` random games."""

        def work() -> int:
            self._call["playouts"](self.table.address, self.state, self.actions, self.rng, count)
            return count

        return work

    def copies(self, count: int) -> Callable[[], int]:
        """Work: `count` copies of the state."""
        return lambda: self._call["copies"](self.table.address, self.state, self.target, count)

    def plain_copies(self, count: int) -> Callable[[], int]:
        """Work: as many bare copies of the same size."""
        size = self.table.state_size
        return lambda: self._call["plain_copies"](size, self.state, self.target, count)

    def observations(self, count: int) -> Callable[[], int]:
        """Work: `count` observations."""
        return lambda: self._call["observations"](
            self.table.address, self.state, self.target, self.rng, count
        )
