"""What players get at the end of a game, as its rules say, for tests of all doors."""

from __future__ import annotations

from kibitz import State

FOR_CHIPS = {"kuhn-poker", "leduc-poker"}
"""Games of these tests that are played for chips; the others are played for the place."""


def paid(state: State) -> list[float]:
    """The chips of each player where these count, and else the returns."""
    return state.scores() if state.table.game.name in FOR_CHIPS else state.returns()
