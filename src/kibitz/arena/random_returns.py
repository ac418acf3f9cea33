"""Each player's expected return in random playouts, over determinizations of one player."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import RULES, Rules, apply_action, determinize, legal_actions
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, INT64, Address, array_at, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import Stream, random_below, start_stream
from kibitz.core.state import State
from kibitz.core.status import MAX_PLAYERS, Status

RETURNS_WORK = np.dtype(
    [
        ("rules", np.int64),  # a RULES record
        ("state", np.int64),  # in which playouts begin
        ("player", np.int64),  # whose knowledge is kept in samples
        ("sample", np.int64),  # room for a state
        ("actions", np.int64),  # room for a list of actions
        ("rng", np.int64, (4,)),
        ("finished", np.int64),  # playouts that came to an end
        ("returns", np.float64, (MAX_PLAYERS,)),  # sums over these
    ]
)
"""The record that ``play_out`` reads and writes."""

LIMIT = 5_000
"""The most actions of a playout; a longer one does not count."""


def play_out(work_address: Address, playouts: int) -> None:
    """Plays `playouts` samples of a state to the end, and adds up the returns."""
    work = record_at(work_address, RETURNS_WORK)
    rules = record_at(work.rules, RULES)
    rng = array_at(work_address + _RNG, INT64, 4)
    sums = array_at(work_address + _RETURNS, FLOAT64, MAX_PLAYERS)
    header = record_at(work.sample, HEADER)
    for _ in range(playouts):
        determinize(rules, work.state, work.player, work.sample, rng)
        playout(rules, work.sample, work.actions, rng, LIMIT)
        if header.status == Status.FINISHED:
            work.finished += 1
            for p in range(rules.players):
                sums[p] += header.seat[p].returns


def playout(rules: Rules, state: Address, actions: Address, rng: Stream, limit: int) -> int:
    """Plays at most `limit` uniformly random actions, until the end; returns their number."""
    header = record_at(state, HEADER)
    buffer = record_at(actions, ACTION_LIST)
    moves = 0
    while header.status == Status.PLAYING and moves < limit:
        count = legal_actions(rules, state, actions)
        if count == 0:
            break
        apply_action(rules, state, buffer.items[random_below(rng, count)])
        moves += 1
    return moves


_RNG = RETURNS_WORK.fields["rng"][1]  # type: ignore[index]
_RETURNS = RETURNS_WORK.fields["returns"][1]  # type: ignore[index]


@functools.cache
def _native() -> Callable[[int, int], None]:
    export = Export(play_out, "vii")
    return export.bind(compile_native("playouts from a state", {"play_out": export})["play_out"])


def random_returns(state: State, player: int, playouts: int, seed: int) -> list[float] | None:
    """The mean return of each player, -1 to 1, in random playouts.

    Args:
        state: the state in which playouts begin.
        player: the player whose hidden information is sampled anew for each playout.
        seed: the seed of the samples and playouts.

    Returns:
        The means; ``None`` if no playout was finished.
    """
    work: Any = np.zeros(1, RETURNS_WORK)
    sample = np.zeros((state.table.state_size + 7) // 8, np.int64)
    actions = np.zeros(1, ACTION_LIST)
    start_stream(work["rng"][0], seed, player)
    work["state"], work["player"] = state.address, player
    work["sample"], work["actions"] = sample.ctypes.data, actions.ctypes.data
    with state.table.borrowed() as rules:
        work["rules"] = rules.address
        _native()(int(work.ctypes.data), playouts)
    state.table.raise_pending()
    count = int(work["finished"][0])
    if count == 0:
        return None
    return [float(work["returns"][0, p]) / count for p in range(state.players)]
