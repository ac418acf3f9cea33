"""Swaps: hidden information is resampled, and nothing that the seat is given may change.

All of it is compiled: a swap is a determinization for the seat, whose observation, options and
further determinizations are compared byte for byte with those of the true state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kibitz.checks.kernel import Kernel
from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import RULES, Rules, is_consistent, legal_actions, redeterminize
from kibitz.core.game import Table
from kibitz.core.hidden import mask_hidden
from kibitz.core.layout import CHANCE, HEADER
from kibitz.core.memory import (
    INT64,
    Address,
    array_at,
    copy_bytes,
    record_at,
)
from kibitz.core.randomness import OBSERVATION_STREAM, start_stream
from kibitz.core.state import State
from kibitz.core.status import Status

LOOK, OPTIONS, BLIND, CONSISTENT = range(4)
"""What may fail: the observation, the legal actions, a sample of the sample, ``is_consistent``."""
CHECKS = 4

AGAIN = 11
"""The seed of the sample of a sample."""

SWAPS = np.dtype(
    [
        (name, np.int64)
        for name in (
            "rules",  # address of the RULES record
            "state",  # the true state,
            "player",  # and who looks at it
            "first",  # the seed of the first swap,
            "count",  # and how many there are to be
            "sample",  # room for a state: the sample,
            "other",  # a copy of it to work in,
            "seen",  # what the player sees of the true state,
            "again",  # and a sample of it
            "legal",  # room for an ACTION_LIST: the true options,
            "offered",  # and those in the sample
            "done",  # how many swaps were made,
            "differed",  # in how many the sample was another state,
            "compared",  # in how many of those options were compared
            "stop",  # address of a word that turns non-zero to give up
        )
    ]
    + [
        ("failures", np.int64, (CHECKS,)),  # how many swaps failed, by what failed,
        ("failed_at", np.int64, (CHECKS,)),  # and the seed of the first of each
    ]
)


def swap_states(job_address: int) -> None:
    """Makes the swaps of a state for a player."""
    job = record_at(job_address, SWAPS)
    rules = record_at(job.rules, RULES)
    size = rules.state_size
    header = record_at(job.state, HEADER)
    stop = array_at(job.stop, INT64, 1)
    copy_bytes(job.seen, job.state, size)
    mask_hidden(rules, job.seen, job.player)
    resample(rules, job.state, job.again, job.player, AGAIN)
    decides = header.status == Status.PLAYING and header.player == job.player
    if decides:
        copy_bytes(job.other, job.state, size)
        list_options(rules, job.other, job.legal)
    while job.done < job.count and stop[0] == 0:
        seed = job.first + job.done
        resample(rules, job.state, job.sample, job.player, seed)
        differs = not same_bytes(job.sample, job.state, CHANCE.stop, size)
        job.differed += int(differs)
        copy_bytes(job.other, job.sample, size)
        mask_hidden(rules, job.other, job.player)
        note(job, LOOK, seed, same_bytes(job.other, job.seen, 0, size))
        note(job, CONSISTENT, seed, is_consistent(rules, job.sample, job.player))
        if decides:
            job.compared += int(differs)
            copy_bytes(job.other, job.sample, size)
            list_options(rules, job.other, job.offered)
            note(job, OPTIONS, seed, same_options(job.legal, job.offered))
        resample(rules, job.sample, job.other, job.player, AGAIN)
        note(job, BLIND, seed, same_bytes(job.other, job.again, 0, size))
        job.done += 1


def resample(rules: Rules, state: Address, target: Address, player: int, seed: int) -> None:
    """Writes a determinization to `target`: the one of ``State.determinize``."""
    copy_bytes(target, state, rules.state_size)
    stream = record_at(target, HEADER).rng
    start_stream(stream, seed, OBSERVATION_STREAM + player)
    redeterminize(rules, target, player, stream)


def list_options(rules: Rules, state: Address, actions: Address) -> None:
    """Lists the legal actions; none where the rules break off."""
    record_at(actions, ACTION_LIST).count = 0
    count = legal_actions(rules, state, actions)
    record_at(actions, ACTION_LIST).count = count


def same_options(first: Address, second: Address) -> bool:
    """Whether two lists have the same actions in the same order."""
    a, b = record_at(first, ACTION_LIST), record_at(second, ACTION_LIST)
    if a.count != b.count:
        return False
    for i in range(a.count):
        if a.items[i] != b.items[i]:
            return False
    return True


def same_bytes(first: Address, second: Address, start: int, end: int) -> bool:
    """Whether two states have the same bytes from `start` to `end`, multiples of 8."""
    a, b = array_at(first, INT64, end >> 3), array_at(second, INT64, end >> 3)
    different = 0
    for i in range(start >> 3, end >> 3):
        different |= a[i] ^ b[i]
    return bool(different == 0)


def note(job: Any, check: int, seed: int, right: bool) -> None:
    """Counts a failure, and keeps the seed of the first."""
    if not right:
        if job.failures[check] == 0:
            job.failed_at[check] = seed
        job.failures[check] += 1


class Swapper:
    """Makes swaps at a table.

    Attributes:
        done: the number of swaps of the last call.
        differed: the number of these in which the sample was another state than the true one.
        compared: the number of those in which the player decides, so that options were compared.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.done = self.differed = self.compared = 0
        rooms = {
            name: np.zeros(table.state_size, np.uint8)
            for name in ("sample", "other", "seen", "again")
        }
        rooms |= {name: np.zeros(1, ACTION_LIST) for name in ("legal", "offered")}
        self._swap = Kernel(table, "swaps", swap_states, SWAPS, **rooms)

    def swap(self, state: State, player: int, first: int, count: int) -> Iterator[tuple[int, int]]:
        """Makes `count` swaps, with seeds from `first` on.

        Yields each check that failed, with the first seed with which it did.
        """
        nothing = dict.fromkeys(("done", "differed", "compared", "failures", "failed_at"), 0)
        job = self._swap.run(
            state=state.address, player=player, first=first, count=count, **nothing
        )
        self.done, self.differed = int(job["done"]), int(job["differed"])
        self.compared = int(job["compared"])
        for check in range(CHECKS):
            if job["failures"][check]:
                yield check, int(job["failed_at"][check])


def accepts(state: State, player: int) -> bool:
    """Whether `player` may believe that this is the true state."""
    with state.table.borrowed() as rules:
        accepted = is_consistent(record_at(rules.address, RULES), state.address, player)
    state.table.raise_pending()
    return accepted
