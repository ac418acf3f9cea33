"""The law of event texts: they depend on nothing but what the observer has seen."""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import Any

from kibitz.core.actions import kind
from kibitz.core.game import Game
from kibitz.core.state import State


def compare_tellings(
    game: Game,
    players: int,
    seed: int,
    secret: Collection[int] = (),
    most: int = 150,
    **parameters: Any,
) -> int:
    """Plays at random, and compares what is told with what would be were hidden things otherwise.

    Before each action some player is the observer. In the true state and in one that looks the
    same to them, the same action is tried, or another one of a kind that is `secret`; if
    what follows looks the same, too, then the same must have been told and shown.

    Returns:
        How often it could be compared.
    """
    state = game.new_state(players, seed=seed, **parameters)
    rng = random.Random(seed)
    compared = 0
    while not state.is_terminal and state.tick < most:
        observer = rng.randrange(players)
        action = rng.choice(state.legal_actions())
        sample = state.determinize(observer, rng.getrandbits(40))
        assert sample.describe(observer) == state.describe(observer)
        hides = kind(action) in secret and observer != state.current_player
        told, seen = _outcome(state, action, observer)
        for other in sample.legal_actions():
            if other == action or (hides and kind(other) == kind(action)):
                told_then, seen_then = _outcome(sample, other, observer)
                if seen == seen_then:
                    compared += 1
                    assert told == told_then
        state.apply(action)
    return compared


def _outcome(state: State, action: int, observer: int) -> tuple[str, bytes]:
    """What the observer is told of an action, and what they see then."""
    after = state.clone()
    after.apply(action)
    return state.table.wording.event_text(state, action, after, observer), bytes(
        after.observation(observer)
    )
