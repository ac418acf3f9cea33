"""One step of many worlds, in compiled code: those that agree with what a seat sees are kept."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from kibitz.checks.swaps import list_options, same_bytes, same_options
from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import RULES, apply_action
from kibitz.core.hidden import SLOT, mask_hidden
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT16, INT64, Address, array_at, copy_bytes, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.status import Status

STEP = np.dtype(
    [
        (name, np.int64)
        for name in (
            "rules",  # address of the RULES record
            "player",  # the seat whose observations count
            "worlds",  # states, one after the other,
            "count",  # and their number
            "action",  # the player's action, if it was the player's turn
            "true_list",  # ACTION_LIST of the true state, if it was the player's turn
            "seen",  # what the player sees of the true state after the step
            "after",  # room for the worlds after the step,
            "room",  # the number of worlds that fit there,
            "kept",  # and the number of worlds written; -1: too many
            "list",  # room for an ACTION_LIST,
            "other",  # and for a state
            "odd",  # a world in which the player's options are others, or -1
            "at",  # the world that is next
            "stop",  # address of a word that turns non-zero to give up
        )
    ]
)


def step_worlds(job_address: int) -> None:
    """Advances worlds by a step: by each action of another player, or by the player's own."""
    job = record_at(job_address, STEP)
    rules = record_at(job.rules, RULES)
    stop = array_at(job.stop, INT64, 1)
    offered = record_at(job.list, ACTION_LIST)
    forget_others(rules, job.seen, job.player)
    while job.at < job.count and job.kept >= 0 and stop[0] == 0:
        world = job.worlds + job.at * rules.state_size
        header = record_at(world, HEADER)
        if header.status == Status.PLAYING:
            copy_bytes(job.other, world, rules.state_size)
            list_options(rules, job.other, job.list)
            if header.player == job.player:
                if not same_options(job.true_list, job.list) and job.odd < 0:
                    job.odd = job.at
                if has_action(offered, job.action):
                    try_action(rules, job, world, job.action)
            else:
                for i in range(offered.count):
                    try_action(rules, job, world, offered.items[i])
        job.at += 1


def forget_others(rules: Any, state: Address, player: int) -> None:
    """Clears who else sees each hideable value: a player need not know that."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    for i in range(rules.slot_count):
        masks = array_at(state + slots[i].seen, INT16, slots[i].capacity)
        for k in range(slots[i].capacity):
            masks[k] &= 1 << player


def has_action(offered: Any, action: int) -> bool:
    """Whether a list has an action."""
    for i in range(offered.count):
        if offered.items[i] == action:
            return True
    return False


def try_action(rules: Any, job: Any, world: Address, action: int) -> None:
    """Plays an action in a world; keeps the result if the player's observation is the true one."""
    if job.kept < 0:
        return
    if job.kept == job.room:
        job.kept = -1
        return
    after = job.after + job.kept * rules.state_size
    copy_bytes(after, world, rules.state_size)
    apply_action(rules, after, action)
    copy_bytes(job.other, after, rules.state_size)
    mask_hidden(rules, job.other, job.player)
    forget_others(rules, job.other, job.player)
    if same_bytes(job.other, job.seen, 0, rules.state_size):
        job.kept += 1


@functools.cache
def native_step() -> Callable[[int], None]:
    """``step_worlds``, compiled."""
    export = Export(step_worlds, "vi")
    return export.bind(compile_native("worlds", {"step_worlds": export})["step_worlds"])
