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
    """Checks in random games that event texts depend only on what their observer knows.

    Before each action a random player is the observer. The action is tried in the true state and
    in a determinization for the observer; there also every other action of its kind is tried, if
    the kind is `secret`. Where the observations afterwards are equal, so must be the event texts.

    Returns:
        The number of comparisons.
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
        text, observation = _outcome(state, action, observer)
        for other in sample.legal_actions():
            if other == action or (hides and kind(other) == kind(action)):
                other_text, other_observation = _outcome(sample, other, observer)
                if observation == other_observation:
                    compared += 1
                    assert text == other_text
        state.apply(action)
    return compared


def _outcome(state: State, action: int, observer: int) -> tuple[str, bytes]:
    """The event text of an action for the observer, and their observation after it."""
    after = state.clone()
    after.apply(action)
    return state.table.wording.event_text(state, action, after, observer), bytes(
        after.observation(observer)
    )
