"""Finds hidden places whose content reveals nothing, though it is the same in every game.

A game for up to six players may leave the cards of two of them in the box, and deal each player
the same cards, unshuffled. Where they lie in the box or in a hand is no secret if nothing depends
on it: the game stays the same to its end, but for the order in the hand, if they are exchanged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from kibitz.checks.contents import Place, exchangeable
from kibitz.checks.explanations import hidden_places, unordered_observation
from kibitz.checks.positions import Games
from kibitz.core.layout import CHANCE
from kibitz.core.state import State

GAMES = 12
"""The number of games that are played again with exchanged cards."""


def unused_places(games: Games) -> frozenset[str]:
    """The paths of the hidden places whose content has no effect on games."""
    unused: set[str] | None = None
    truth: dict[str, int] = {}
    for number in range(GAMES):
        end = games.position(number)
        path = games.path(end)
        hidden = {place.path: place.value for place in hidden_places(path[0])}
        truth = truth or hidden
        same = {name for name, value in hidden.items() if truth.get(name) == value}
        unused = _without_effect(path, end.actions, same if unused is None else same & unused)
        if not unused:
            break
    return frozenset(unused or ())


def _without_effect(path: Sequence[State], actions: Sequence[int], among: set[str]) -> set[str]:
    """The places among some whose cards can be exchanged without any effect on a game."""
    groups: dict[Any, list[Place]] = defaultdict(list)
    for place in hidden_places(path[0]):
        if place.path in among and (mates := exchangeable(path[0], place)) is not None:
            groups[mates, place.instance.path].append(place)
    return {
        place.path
        for group in groups.values()
        if len({place.value for place in group}) > 1 and _same_game(path, actions, group)
        for place in group
    }


def _same_game(path: Sequence[State], actions: Sequence[int], group: Sequence[Place]) -> bool:
    """Whether a game looks the same if the cards in some places are put in reverse order.

    It is compared as those see it from whom the cards are hidden, until a random number is drawn.
    Actions with the same words are taken for the same.
    """
    content = bytearray(bytes(path[0]))
    for place, other in zip(group, reversed(group), strict=True):
        content[place.span] = other.value.to_bytes(2, "little", signed=True)
    state = State(path[0].table, bytes(content))
    blind = [p for p in range(state.players) if not any(q.seen >> p & 1 for q in group)]
    for true, action in zip(path, (*actions, None), strict=True):
        if bytes(true)[CHANCE] != bytes(path[0])[CHANCE]:
            break
        if any(unordered_observation(state, p) != unordered_observation(true, p) for p in blind):
            return False
        if action is not None:
            again = _same_action(true, action, state)
            if again is None:
                return False
            state.table.call("apply_action", state.address, again)
    return True


def _same_action(true: State, action: int, state: State) -> int | None:
    """The action of another state that has the same words, the very same if possible."""
    words = true.action_words(action)
    legal = state.legal_actions()
    same = [a for a in legal if state.action_words(a) == words]
    return action if action in same else next(iter(same), None)
