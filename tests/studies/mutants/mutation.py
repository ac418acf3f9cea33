"""Flaws that are planted into any game, whatever its language: native rules around its own.

The functions of a game are called by address. A mutant has functions of its own, the same ones for
all mutants, that call the game's and change what they do; what to change stands in front of the
game's own context.
"""

from __future__ import annotations

import copy
import ctypes
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.game import Game
from kibitz.core.layout import HEADER
from kibitz.core.memory import (
    call_float_3,
    call_int_3,
    call_void_2,
    call_void_3,
    copy_bytes,
    record_at,
)
from kibitz.core.native import Export, compile_native
from kibitz.core.parameters import GameParameters
from kibitz.core.randomness import random_below
from kibitz.core.status import Status

MOST_CODES = 4096

MUTATION = np.dtype(
    [
        ("context", np.int64),  # of the game itself
        ("setup", np.int64),  # its functions
        ("legal_actions", np.int64),
        ("apply_action", np.int64),
        ("heuristic", np.int64),
        ("redeterminize", np.int64),
        ("is_consistent", np.int64),
        ("score_so_far", np.int64),
        ("seat", np.int64),  # the seat that wins by itself, from 0; -1 if none does
        ("won", np.int64),  # the percentage of games that it wins so
        ("wins", np.int64),  # the chance in percent that playing one of the codes wins the game
        ("loses", np.int64),  # the chance in percent that playing one of the codes loses it
        ("hidden", np.int64),  # whether the codes can never be chosen
        ("king", np.int64),  # seat 1 never wins; chance in percent that its first action decides
        ("refused", np.int64),  # the chance in percent that the end of the game is not accepted
        ("saved", np.int64),  # the address of a buffer for a state
        ("state_size", np.int64),  # the size of that buffer
        ("players", np.int64),
        ("count", np.int64),  # the number of codes
        ("codes", np.int64, (MOST_CODES,)),
    ]
)
"""The functions of the unchanged game and the changes planted into it."""


def is_marked(mutation: Any, action: int) -> bool:
    """Whether an action is one of the codes."""
    for i in range(mutation.count):
        if mutation.codes[i] == action:
            return True
    return False


def setup(context: int, state: int) -> None:
    """The game's own."""
    mutation = record_at(context, MUTATION)
    call_void_2(mutation.setup, mutation.context, state)


def legal_actions(context: int, state: int, actions: int) -> int:
    """The game's legal actions without the hidden ones; the first one where all are hidden."""
    mutation = record_at(context, MUTATION)
    count = call_int_3(mutation.legal_actions, mutation.context, state, actions)
    if not mutation.hidden or count <= 1:
        return count
    items = record_at(actions, ACTION_LIST).items
    allowed = 0
    for i in range(count):
        if not is_marked(mutation, items[i]):
            allowed += 1
    if allowed == 0:
        return 1  # it is no choice
    if allowed == count:
        return count
    place = 0
    for i in range(count):
        if not is_marked(mutation, items[i]):
            items[place] = items[i]
            place += 1
    return allowed


def apply_action(context: int, state: int, action: int) -> None:
    """Applies the game's own action, and then the planted flaw."""
    mutation = record_at(context, MUTATION)
    header = record_at(state, HEADER)
    mover = header.player
    marked = not mutation.hidden and is_marked(mutation, action)
    if mutation.refused > 0:
        copy_bytes(mutation.saved, state, mutation.state_size)
    call_void_3(mutation.apply_action, mutation.context, state, action)
    if mutation.king > 0 and mover == 0 and header.skip == 0:
        header.skip = 1 + (action >> 8) % (mutation.players - 1)
    if header.status != Status.PLAYING and header.status != Status.FINISHED:
        return
    if marked:
        if random_below(header.rng, 100) < mutation.wins:
            end(mutation, header, mover, True)
        elif random_below(header.rng, 100) < mutation.loses:
            end(mutation, header, mover, False)
    elif header.status == Status.FINISHED:
        finish(mutation, state, header)


def finish(mutation: Any, state: int, header: Any) -> None:
    """Applies the flaws that concern the end of a game."""
    if mutation.seat >= 0 and random_below(header.rng, 100) < mutation.won:
        end(mutation, header, mutation.seat, True)
    elif mutation.king > 0 and header.skip > 0:
        winner = header.skip
        if random_below(header.rng, 100) >= mutation.king:
            winner = 1 + random_below(header.rng, mutation.players - 1)
        end(mutation, header, winner, True)
    elif mutation.refused > 0:
        drawn = record_at(mutation.saved, HEADER).rng[0] & 1023
        if drawn % 100 < mutation.refused:  # the same whenever it is tried again
            tick = header.tick
            copy_bytes(state, mutation.saved, mutation.state_size)
            header.tick = tick


def end(mutation: Any, header: Any, seat: int, wins: bool) -> None:
    """Ends the game: a seat wins alone, or is alone in the last place."""
    header.status = Status.FINISHED
    for p in range(mutation.players):
        first = (p == seat) == wins
        header.seat[p].place = 1 if first else 2
        header.seat[p].returns = 1.0 if first else -1.0


def heuristic(context: int, state: int, player: int) -> float:
    """The game's own."""
    mutation = record_at(context, MUTATION)
    return call_float_3(mutation.heuristic, mutation.context, state, player)


def redeterminize(context: int, state: int, player: int) -> None:
    """The game's own."""
    mutation = record_at(context, MUTATION)
    call_void_3(mutation.redeterminize, mutation.context, state, player)


def is_consistent(context: int, state: int, player: int) -> int:
    """The game's own."""
    mutation = record_at(context, MUTATION)
    return call_int_3(mutation.is_consistent, mutation.context, state, player)


def score_so_far(context: int, state: int, player: int) -> float:
    """The game's own."""
    mutation = record_at(context, MUTATION)
    return call_float_3(mutation.score_so_far, mutation.context, state, player)


EXPORTS = {
    "setup": Export(setup, "vii"),
    "legal_actions": Export(legal_actions, "iiii"),
    "apply_action": Export(apply_action, "viii"),
    "heuristic": Export(heuristic, "fiii"),
    "redeterminize": Export(redeterminize, "viii"),
    "is_consistent": Export(is_consistent, "iiii"),
    "score_so_far": Export(score_so_far, "fiii"),
}


def mutant(game: Game, *, codes: Any = (), **changes: int) -> Game:
    """A game with a planted flaw.

    Args:
        game: A game of the library; it is not changed.
        codes: The actions that win, lose or are hidden.
        changes: Values for fields of ``MUTATION`` that differ from the defaults.
    """
    changed = copy.copy(game)
    vars(changed).pop("_tables", None)
    changed.rules_for = lambda players, parameters: _rules(  # type: ignore[method-assign]
        game.rules_for(players, parameters), players, codes, changes
    )
    return changed


def _rules(rules: Any, players: int, codes: Any, changes: dict[str, int]) -> Any:
    """The rules of a mutant, an instance of a subclass of the game's own class of rules."""
    # the game's own shortcut to winning actions knows nothing of the flaw
    own = {name: at for name, at in rules.addresses().items() if name in EXPORTS}

    class Mutated(type(rules)):  # type: ignore[misc]
        def addresses(self) -> dict[str, int]:
            mine = compile_native("mutants", EXPORTS)
            return {name: mine[name] for name in own}

        def context(self, parameters: GameParameters) -> Any:
            inner = type(rules).context(self, parameters)
            block = ctypes.create_string_buffer(MUTATION.itemsize)
            record = np.frombuffer(block, MUTATION)  # type: ignore[call-overload]
            record["seat"] = -1
            for name, address in own.items():
                record[name] = address
            for name, value in changes.items():
                record[name] = value
            saved = ctypes.create_string_buffer(self.layout.dtype.itemsize)
            record["context"] = ctypes.addressof(inner)
            record["saved"] = ctypes.addressof(saved)
            record["state_size"] = len(saved)
            record["players"] = players
            record["count"] = len(codes)
            record["codes"][0, : len(codes)] = codes
            block.kept = (inner, saved)  # type: ignore[attr-defined]
            return block

    mutated = object.__new__(Mutated)
    mutated.__dict__.update(vars(rules))
    return mutated
