"""Whether anything is hidden from anybody, found out by sampling.

Rules that allow for hidden information need not have any: a game in which several players may
move in one step may turn out to be one of taking turns. Where nothing is hidden, outcomes can be
proven.
"""

from __future__ import annotations

from typing import Any

from kibitz.agents.graph import empty
from kibitz.agents.memory import SearchMemory
from kibitz.agents.search import acting_player
from kibitz.core.contract import Rules, redeterminize
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, Address, array_at, copy_bytes

SAMPLES = 8
"""Determinizations that must all be alike for nothing to count as hidden."""

_AFTER_STREAM = HEADER.fields["rng"][0].itemsize // 8  # type: ignore[index]
"""Words of the random stream, with which a state begins and which every sample changes."""


def can_hide(game: Rules) -> bool:
    """Whether the rules allow for hidden information."""
    return bool(game.slot_count != 0 or game.redeterminize != 0)


def look_for_hidden_information(memory: SearchMemory, me: Any, game: Rules, count: int) -> None:
    """Finds out by samples whether anything is hidden from any player in the current state.

    If so, that holds for the rest of the game, and what was learned as if all were known is
    forgotten.

    Args:
        memory: the search memory.
        me: the agent.
        game: the rules.
        count: how many actions the one who thinks may choose from.
    """
    if memory.hidden != 0 or not can_hide(game):
        return
    mover = acting_player(memory.observation)
    # where others have a choice before the one who thinks has, they do not know each other's
    found = memory.player != mover and count > 1
    found = found or is_hidden(memory, me, game, memory.observation, mover)
    if found or is_hidden(memory, me, game, memory.observation, memory.player):
        memory.hidden = 1
        empty(memory.graph)


def is_hidden(memory: SearchMemory, me: Any, game: Rules, state: Address, player: int) -> bool:
    """Whether anything in a state is hidden from `player`.

    If so, one of ``SAMPLES`` determinizations differs from it almost certainly; and if none does,
    one of another state of the same game will.
    """
    if not can_hide(game):
        return False
    copy_bytes(memory.aside, state, game.state_size)
    words = array_at(state, INT64, game.state_size >> 3)
    others = array_at(memory.aside, INT64, game.state_size >> 3)
    for _ in range(SAMPLES):
        redeterminize(game, memory.aside, player, me.rng)
        for i in range(_AFTER_STREAM, len(words)):
            if words[i] != others[i]:
                return True
    return False
