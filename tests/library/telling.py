"""The law of logs: they depend on nothing but what the observer has seen."""

from __future__ import annotations

import random
from typing import Any

from kibitz.core.actions import kind
from kibitz.core.game import Game
from kibitz.core.state import State
from kibitz.sessions import Move, Update


def compare_tellings(
    game: Game,
    players: int,
    seed: int,
    most: int = 150,
    **parameters: Any,
) -> int:
    """Checks in random games that logs depend only on what their observer knows.

    Before each action a random player is the observer. The action is tried in the true state and
    in a determinization for the observer; there also every other action of its kind is tried, if
    others read other words for it. Where the observations afterwards are equal, so must be the
    logs.

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
        hides = observer != state.current_player and has_other_words(game, action)
        text, observation = _outcome(state, action, observer)
        for other in sample.legal_actions():
            if other == action or (hides and kind(other) == kind(action)):
                other_text, other_observation = _outcome(sample, other, observer)
                if observation == other_observation:
                    compared += 1
                    assert text == other_text
        state.apply(action)
    return compared


def has_other_words(game: Game, action: int) -> bool:
    """Whether others read other words for an action than its player."""
    return game.Actions is not None and game.Actions.words_for_others(action) is not None


def _outcome(state: State, action: int, observer: int) -> tuple[list[str], bytes]:
    """The log of an action for the observer, and their observation after it."""
    after = state.clone()
    events = events_of(state.clone(), action, after, observer)
    return events, bytes(after.observation(observer))


def events_of(before: State, action: int, after: State, observer: int | None) -> list[str]:
    """Applies an action to `after`, which is as `before`; returns the log for the observer."""
    after.apply(action)
    move = Move(before.current_player, action, before.action_words(action), forced=False)
    return [event.text for event in Update(move, before, after).events(observer)]


def logged(state: State, words: str, observer: int | None) -> list[str]:
    """Applies an action; returns its log for the observer."""
    return events_of(state.clone(), state.action(words), state, observer)
