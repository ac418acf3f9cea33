"""The evaluation of a state: what it is worth to a player, at the end of a game or before it."""

from __future__ import annotations

import enum
from typing import Any

from kibitz.core.contract import Rules, heuristic
from kibitz.core.layout import HEADER
from kibitz.core.memory import Address, record_at
from kibitz.core.status import Status


class Measure(enum.IntEnum):
    """What of a state counts as its value."""

    RANK = 0
    """The share of opponents left behind: 1 for the sole first, 0 for the last."""
    SCORE = 1
    """The score, negated where the lowest wins."""
    VALUE = 2
    """The returns at the end of a game, the heuristic before it, as 0 to 1."""


def value_of(rules: Rules, state: Address, player: int) -> float:
    """How good `state` is for `player`, 0 to 1: by the returns at the end, else the heuristic."""
    value = heuristic(rules, state, player)
    return 0.5 + 0.5 * min(1.0, max(-1.0, value)) if value == value else 0.5  # NaN says nothing


def evaluate(rules: Rules, state: Address, measure: int, values: Any) -> None:
    """Writes what `state` is worth to each player, by a ``Measure``, into an array."""
    for p in range(rules.players):
        if measure == Measure.VALUE:
            values[p] = value_of(rules, state, p)
        elif measure == Measure.SCORE:
            values[p] = record_at(state, HEADER).seat[p].score * rules.score_sign
        else:
            values[p] = rank_of(rules, state, p)


def rank_of(rules: Rules, state: Address, player: int) -> float:
    """The share of opponents that `player` has left behind; ``value_of`` before there is any."""
    header = record_at(state, HEADER)
    if header.status != Status.FINISHED or rules.players < 2:
        return value_of(rules, state, player)
    behind = 0.0
    for p in range(rules.players):
        if header.seat[p].place > header.seat[player].place:
            behind += 1.0
        elif p != player and header.seat[p].place == header.seat[player].place:
            behind += 0.5
    return behind / (rules.players - 1.0)
