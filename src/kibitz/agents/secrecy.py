"""Whether anything is hidden from anybody, found out by sampling.

Rules that allow for secrets need not have any: a game in which several may move in one step
may turn out to be one of taking turns. Where nothing is hidden a search can do more.
"""

from __future__ import annotations

from typing import Any

from kibitz.agents.graph import empty
from kibitz.agents.mind import Mind
from kibitz.agents.search import acting_player
from kibitz.core.contract import Rules, redeterminize
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, Address, array_at, copy_bytes

SAMPLES = 8
"""So many samples that are all alike mean that nothing is hidden."""

_AFTER_STREAM = HEADER.fields["rng"][0].itemsize // 8  # type: ignore[index]
"""A state begins with its random stream, which every sample changes: so many words."""


def can_have_secrets(game: Rules) -> bool:
    """Whether the rules allow for any."""
    return bool(game.slot_count != 0 or game.redeterminize != 0)


def look_for_secrets(mind: Mind, me: Any, game: Rules, count: int) -> None:
    """Finds out whether anything is hidden from anybody in the state at hand.

    If so, that holds for the rest of the game, and what was learned as if all were known is
    forgotten.

    Args:
        mind: what is kept in mind.
        me: the agent.
        game: the rules.
        count: how many actions the one who thinks may choose from.
    """
    if mind.secret != 0 or not can_have_secrets(game):
        return
    mover = acting_player(mind.observation)
    # where others have a choice before the one who thinks has, they do not know each other's
    found = mind.player != mover and count > 1
    found = found or is_secret(mind, me, game, mind.observation, mover)
    if found or is_secret(mind, me, game, mind.observation, mind.player):
        mind.secret = 1
        empty(mind.graph)


def is_secret(mind: Mind, me: Any, game: Rules, state: Address, player: int) -> bool:
    """Whether a state may be another one, for all that `player` knows.

    If so, some of so many samples differ from it, almost certainly; and if this one does not,
    another one of the same game will.
    """
    if not can_have_secrets(game):
        return False
    copy_bytes(mind.aside, state, game.state_size)
    words = array_at(state, INT64, game.state_size >> 3)
    others = array_at(mind.aside, INT64, game.state_size >> 3)
    for _ in range(SAMPLES):
        redeterminize(game, mind.aside, player, me.rng)
        for i in range(_AFTER_STREAM, len(words)):
            if words[i] != others[i]:
                return True
    return False
