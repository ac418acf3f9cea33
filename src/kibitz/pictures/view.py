"""``View``: the data of a picture."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.core.state import State


class ActionWords(dict[int, str]):
    """The sentences for actions in a state, each made on first use."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self._state = state

    def __missing__(self, action: int) -> str:
        self[action] = self._state.action_words(action)
        return self[action]


@dataclass(frozen=True)
class View:
    """The data of a picture: the observation, the layout, the legal actions and their words.

    Attributes:
        state: the true state, which is used only for what the observer's own actions reveal.
        seen: the observation of the seat, from which everything is drawn.
        seat: the observer; ``None``: everything is open.
        legal: the actions that can be clicked; empty if the seat is not to move.
        names: the names of the players.
    """

    state: State
    seen: State
    seat: int | None
    legal: Sequence[int]
    names: Sequence[str]

    @property
    def actor(self) -> int:
        """The player to move."""
        return self.seen.current_player

    @functools.cached_property
    def words(self) -> ActionWords:
        """The sentence for each legal action."""
        return ActionWords(self.state)
