"""Retracing: replays recorded games to list all options, scores and heuristics at each step.

The match loop records only the chosen actions. Compiled code replays a game from its seed and its
decisions, without its agents, about as fast as random play, and records on the way what measures
need. So a run that nobody measures this way costs nothing extra.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import (
    RULES,
    apply_action,
    heuristic,
    legal_actions,
    new_game,
    score_so_far,
)
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, INT64, array_at, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.status import Status

Array = np.ndarray[Any, Any]

STEP = np.dtype(
    [
        ("code", np.int64),  # the action played
        ("game", np.int32),  # its place among the games retraced, from 0
        ("tick", np.int32),  # the action's number in the game, from 0
        ("seat", np.int32),  # the player who played it
        ("options", np.int32),  # number of legal actions
        ("phase", np.int32),  # of the rules, before it
        ("turn", np.int32),  # turns completed before it
        ("round", np.int32),  # rounds completed before it
        ("out", np.int32),  # the seats that were eliminated before it, as bits
    ]
)
"""The record of an action in a retraced game, forced or chosen."""

RETRACE = np.dtype(
    [
        (name, np.int64)
        for name in (
            "rules",  # address of the RULES record
            "state",  # room for a state,
            "actions",  # and for an ACTION_LIST
            "seeds",  # of the games, 64-bit integers
            "lengths",  # number of decisions of each, 64-bit integers
            "chosen",  # codes of the chosen actions, one game after the other
            "first",  # the game to begin with
            "games",  # the number of games
            "steps",  # STEP records
            "room",  # number of steps that fit
            "count",  # number of steps
            "standings",  # for each step, two doubles for each seat: score and heuristic
            "offered",  # codes of the legal actions of decisions, one after the other
            "offered_room",  # number of codes that fit
            "offered_count",  # number of codes
            "at_decision",  # number of the decision, over all games
        )
    ]
)


@dataclass(frozen=True)
class Traces:
    """Retraced games: everything is in the order of the games and of their actions.

    Attributes:
        steps: a ``STEP`` for each action.
        scores: the score of each seat before each action; higher is better.
        heuristics: the game's heuristic of each seat before each action, -1 to 1.
        offered: the codes of the legal actions at decisions: as many for each step with a choice
            as it has options.
        games: the number of games.
    """

    steps: Array
    scores: Array
    heuristics: Array
    offered: Array
    games: int

    @functools.cached_property
    def is_choice(self) -> Array:
        """Whether each step had more than one legal action."""
        return np.asarray(self.steps["options"] > 1)

    @functools.cached_property
    def starts(self) -> Array:
        """The index of each game's first step; at the end, the number of steps."""
        return np.searchsorted(self.steps["game"], np.arange(self.games + 1))


def retrace_games(job_address: int) -> int:
    """Retraces games until all are done or a buffer is full; returns the number of the next one.

    A game that does not fit leaves nothing in the buffers.
    """
    job = record_at(job_address, RETRACE)
    game = job.first
    while game < job.games:
        before, offered, decision = job.count, job.offered_count, job.at_decision
        if not retrace_game(job, game):
            job.count = before
            job.offered_count = offered
            job.at_decision = decision
            break
        job.at_decision = decision + array_at(job.lengths, INT64, job.games)[game]
        game += 1
    return game


def retrace_game(job: Any, game: int) -> bool:
    """Retraces a game; returns whether it fitted."""
    rules = record_at(job.rules, RULES)
    header = record_at(job.state, HEADER)
    legal = record_at(job.actions, ACTION_LIST)
    end = job.at_decision + array_at(job.lengths, INT64, job.games)[game]
    decision = job.at_decision
    new_game(rules, job.state, array_at(job.seeds, INT64, job.games)[game])
    while header.status == Status.PLAYING:
        count = legal_actions(rules, job.state, job.actions)
        if count == 0:
            break
        action = legal.items[0]
        if count > 1:
            if decision == end:  # the game was interrupted here
                break
            action = array_at(job.chosen, INT64, decision + 1)[decision]
            decision += 1
        if not write_step(job, game, count, action):
            return False
        apply_action(rules, job.state, action)
    return True


def write_step(job: Any, game: int, count: int, action: int) -> bool:
    """Records an action before it is played; returns whether it fitted.

    Args:
        count: the number of legal actions.
    """
    header = record_at(job.state, HEADER)
    if job.count == job.room:
        return False
    if count > 1:
        if job.offered_count + count > job.offered_room:
            return False
        legal = record_at(job.actions, ACTION_LIST)
        offered = array_at(job.offered, INT64, job.offered_room)
        for i in range(count):
            offered[job.offered_count + i] = legal.items[i]
        job.offered_count += count
    step = array_at(job.steps, STEP, job.room)[job.count]
    step.code = action
    step.game = game
    step.tick = header.tick
    step.seat = header.player
    step.options = count
    step.phase = header.phase
    step.turn = header.turn
    step.round = header.round
    write_standings(job, step)
    job.count += 1
    return True


def write_standings(job: Any, step: Any) -> None:
    """Writes each player's score and heuristic, and whether they are eliminated."""
    rules = record_at(job.rules, RULES)
    header = record_at(job.state, HEADER)
    players = rules.players
    room = array_at(job.standings, FLOAT64, (job.count + 1) * 2 * players)
    start = job.count * 2 * players
    out = 0
    for p in range(players):
        room[start + p] = rules.score_sign * score_so_far(rules, job.state, p)
        room[start + players + p] = heuristic(rules, job.state, p)
        if header.seat[p].out != 0:
            out |= 1 << p
    step.out = out


def retrace(table: Table, seeds: Array, lengths: Array, chosen: Array) -> Traces:
    """Replays games from their seeds and choices, and records every step.

    Args:
        seeds: the seed of each game.
        lengths: the number of decisions of each game.
        chosen: the codes of the actions chosen at these, game after game.

    Raises:
        ValueError: the numbers of choices and decisions differ, so native code would read beyond.
    """
    if int(lengths.sum()) != len(chosen):
        raise ValueError(f"{int(lengths.sum())} decisions, but {len(chosen)} choices")
    batches = list(_parts(table, seeds, lengths, chosen))
    steps, standings, offered = (np.concatenate(arrays) for arrays in zip(*batches, strict=True))
    return Traces(steps, standings[:, 0], standings[:, 1], offered, len(seeds))


STEPS_AT_ONCE = 1 << 12
"""The steps, with eight options each, that one native call retraces; an interrupt waits for it."""


def _parts(
    table: Table, seeds: Array, lengths: Array, chosen: Array
) -> Iterator[tuple[Array, Array, Array]]:
    """The retraced games, as many at a time as fit; too small a buffer is enlarged."""
    players = table.players
    yield np.zeros(0, STEP), np.zeros((0, 2, players)), np.zeros(0, np.int64)
    inputs = [np.ascontiguousarray(array, np.int64) for array in (seeds, lengths, chosen)]
    state = np.zeros(table.state_size, np.uint8)
    actions = np.zeros(1, ACTION_LIST)
    job = np.zeros(1, RETRACE)
    for name, array in zip(("seeds", "lengths", "chosen"), inputs, strict=True):
        job[name] = array.ctypes.data
    job["state"], job["actions"] = state.ctypes.data, actions.ctypes.data
    job["games"] = len(seeds)
    room = STEPS_AT_ONCE
    play = native_retrace()
    while job["first"][0] < len(seeds):
        steps = np.zeros(room, STEP)
        standings = np.zeros((room, 2, players))
        offered = np.zeros(8 * room, np.int64)
        job["steps"], job["standings"] = steps.ctypes.data, standings.ctypes.data
        job["offered"], job["room"], job["offered_room"] = offered.ctypes.data, room, 8 * room
        job["count"] = job["offered_count"] = 0
        with table.borrowed() as rules:
            job["rules"] = rules.address
            done = play(int(job.ctypes.data))
        table.raise_pending()
        if done == job["first"][0]:
            room *= 2
            continue
        job["first"] = done
        count, offers = int(job["count"][0]), int(job["offered_count"][0])
        yield steps[:count].copy(), standings[:count].copy(), offered[:offers].copy()


@functools.cache
def native_retrace() -> Callable[[int], int]:
    """``retrace_games``, compiled; it runs without the GIL."""
    export = Export(retrace_games, "ii")
    address = compile_native("retracing games", {"retrace_games": export})["retrace_games"]
    return export.bind(address)
