"""The contract: a record of rule functions, and the functions by which any game is played.

A table (a game with its parameters and number of players) is one ``RULES`` record. Every language
fills in the addresses of its rule functions; agents and the match loop call the functions below,
which are compiled once for all games. ``rules`` is the record, ``state`` an address.

===================  ==========================================================================
``new_game``         sets up a game from a seed; ``set_up`` does so in a prepared state
``new_deal``         sets up a game from one seed, with the chance of another one afterwards
``legal_actions``    lists the legal actions of the player to move
``apply_action``     plays one; ``play`` refuses one that is not legal
``heuristic``        estimates how a player stands; ``score_so_far`` is their score
``redeterminize``    resamples what a player cannot know; ``determinize`` does so in a copy
``is_consistent``    tells whether a player may believe in a sample
===================  ==========================================================================

``core/hidden.py`` makes observations (``mask_hidden``) and samples what components hide.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.chance import renew_chance, start_shuffles
from kibitz.core.hidden import obeys_facts, open_hands, redeal_slots
from kibitz.core.layout import HEADER
from kibitz.core.memory import (
    Address,
    call_float_3,
    call_int_3,
    call_void_2,
    call_void_3,
    copy_bytes,
    record_at,
)
from kibitz.core.randomness import GAME_STREAM, Stream, start_stream
from kibitz.core.status import Status

RULES = np.dtype(
    [
        (name, np.int64)
        for name in (
            # the rules: addresses of functions, of which those marked "or 0" may be missing
            "setup",  # void (context, state): from a blank state to the first decision
            "legal_actions",  # int64 (context, state, actions): how many, -1 when too many
            "apply_action",  # void (context, state, action): to the next decision or the end
            "heuristic",  # double (context, state, player): -1 .. 1, higher is better
            "redeterminize",  # void (context, state, player): after slots are redealt; or 0
            "is_consistent",  # int64 (context, state, player): whether a deal is possible; or 0
            "score_so_far",  # double (context, state, player); or 0: it is in the header
            "winning_action",  # int64 (context, state, player to move): it wins now, or -1; or 0
            "winning_reply",  # int64 (context, state, action): of another player after it; or 0
            "context",  # the first argument of the functions: the parameters, or tables
            # the state
            "blank",  # the state before setup
            "state_size",  # bytes
            "players",
            "deal_count",  # offset of the 32-bit number of deals that are over
            # how it is played
            "max_ticks",  # a game of this many actions is broken off
            "score_sign",  # 1: the highest score wins; -1: the lowest
            "timed",  # whether the length of the game decides anything by itself
            "open",  # whether every seat sees what any seat sees
            # what is hidden: see core/hidden.py
            "slots",  # SLOT records, those of one pool together
            "slot_count",
            "has_facts",  # whether some slot keeps which values cannot be there
            "open_pieces",  # number of pieces that are never hidden
            "backs",  # the back of each value that slots hold, as 16-bit numbers from 0
            "back_count",  # number of different backs; 0: all are the same
            "scratch",  # 64-bit integers of working memory; so a record serves one thread
            "actions",  # an ACTION_LIST to work with
        )
    ]
)

Rules = Any
"""A ``RULES`` record."""

REDEAL_ATTEMPTS = 200
"""The maximum number of deals tried until one is consistent; then the last one is accepted."""


def new_game(rules: Rules, state: Address, seed: int) -> None:
    """Sets up a game in the memory at `state`."""
    copy_bytes(state, rules.blank, rules.state_size)
    start_stream(record_at(state, HEADER).rng, seed, GAME_STREAM)
    set_up(rules, state)


def new_deal(rules: Rules, state: Address, seed: int, chance: int) -> None:
    """Sets up the game of a seed; all chance from then on follows from the seed `chance`."""
    new_game(rules, state, seed)
    header = record_at(state, HEADER)
    start_stream(header.rng, chance, GAME_STREAM)
    renew_chance(header.rng, header)


def set_up(rules: Rules, state: Address) -> None:
    """Sets up a game in a blank state whose random stream has been started."""
    start_shuffles(record_at(state, HEADER))
    call_void_2(rules.setup, rules.context, state)
    if rules.open != 0:
        open_hands(rules, state)
    refuse_nonsense(rules, record_at(state, HEADER))


def refuse_nonsense(rules: Rules, header: Any) -> None:
    """Breaks the game off if its rules have set an invalid player or status."""
    if header.player < 0 or header.player >= rules.players:
        header.status = Status.RULES_ERROR
    if header.status < Status.PLAYING or header.status > Status.ENDLESS:
        header.status = Status.RULES_ERROR


def legal_actions(rules: Rules, state: Address, actions: Address) -> int:
    """Fills the ``ACTION_LIST`` at `actions`; returns how many there are, 0 on failure.

    A list that is empty or too long ends the game with its status.
    """
    count = call_int_3(rules.legal_actions, rules.context, state, actions)
    if count <= 0:
        header = record_at(state, HEADER)
        if header.status == Status.PLAYING:
            header.status = Status.FULL_BUFFER if count < 0 else Status.DEAD_END
        return 0
    return count


def apply_action(rules: Rules, state: Address, action: int) -> None:
    """Plays a legal action."""
    header = record_at(state, HEADER)
    header.tick += 1
    call_void_3(rules.apply_action, rules.context, state, action)
    if rules.open != 0:
        open_hands(rules, state)
    refuse_nonsense(rules, header)
    if header.tick >= rules.max_ticks and header.status == Status.PLAYING:
        header.status = Status.LIMIT


PLAYED, ENDED, REFUSED = 0, 1, 2
"""Results of ``play``: the game goes on, it is over, or nothing was played."""


def play(rules: Rules, state: Address, action: int) -> int:
    """Plays an action if it is legal; returns ``PLAYED``, ``ENDED`` or ``REFUSED``.

    Nothing is played in an observation. Where the rules break off the game the result is
    ``ENDED``, also if they do so before the action.
    """
    header = record_at(state, HEADER)
    if header.status != Status.PLAYING or is_observation(header):
        return REFUSED
    count = legal_actions(rules, state, rules.actions)
    if count == 0:
        return REFUSED if header.status == Status.FINISHED else ENDED
    if place_of(record_at(rules.actions, ACTION_LIST), count, action) < 0:
        return REFUSED
    apply_action(rules, state, action)
    return PLAYED if header.status == Status.PLAYING else ENDED


def place_of(legal: Any, count: int, action: int) -> int:
    """The index of an action in the list, or -1."""
    for i in range(count):
        if legal.items[i] == action:
            return i
    return -1


def is_observation(header: Any) -> bool:
    """Whether a state is an observation, whose random stream is zeros."""
    rng = header.rng
    return bool(rng[0] | rng[1] | rng[2] | rng[3] == 0)


def heuristic(rules: Rules, state: Address, player: int) -> float:
    """The heuristic value of a state for `player`, -1 to 1; in a finished game the returns."""
    header = record_at(state, HEADER)
    if header.status == Status.FINISHED:
        return float(header.seat[player].returns)
    return call_float_3(rules.heuristic, rules.context, state, player)


def score_so_far(rules: Rules, state: Address, player: int) -> float:
    """The present score of `player`, in the game's own units."""
    header = record_at(state, HEADER)
    if rules.score_so_far == 0 or header.status == Status.FINISHED:
        return float(header.seat[player].score)
    return call_float_3(rules.score_so_far, rules.context, state, player)


def determinize(rules: Rules, state: Address, player: int, target: Address, rng: Stream) -> None:
    """Writes a determinization of `state` for `player` to `target`.

    All future chance of the copy is drawn from `rng`; nothing of the true chance remains.
    """
    copy_bytes(target, state, rules.state_size)
    redeterminize(rules, target, player, rng)


def redeterminize(rules: Rules, state: Address, player: int, rng: Stream) -> None:
    """Resamples in place what `player` cannot know, future chance included."""
    renew_chance(rng, record_at(state, HEADER))
    if rules.slot_count == 0 and rules.redeterminize == 0:
        return
    for _ in range(REDEAL_ATTEMPTS):
        if rules.slot_count > 0:
            redeal_slots(rules, state, player)
        if rules.redeterminize != 0:
            call_void_3(rules.redeterminize, rules.context, state, player)
        if is_consistent(rules, state, player):
            return


def is_consistent(rules: Rules, state: Address, player: int) -> bool:
    """Whether `player` may believe that this is the true state."""
    if rules.has_facts != 0 and not obeys_facts(rules, state, player):
        return False
    return rules.is_consistent == 0 or bool(
        call_int_3(rules.is_consistent, rules.context, state, player)
    )
