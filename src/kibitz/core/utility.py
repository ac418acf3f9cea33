"""What players maximize, derived from what their game is played for."""

from __future__ import annotations

import math

from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.core.wording import listed

UTILITIES = ("place", "score")
"""The returns of a place, from -1 to 1, or the score in the game's own unit."""


def utility_at(table: Table, by: str | None = None) -> str:
    """The utility at a table: `by`, or by default what the game is played for.

    Raises:
        ParameterError: there is no such utility.
    """
    by = by or table.played_for
    if by not in UTILITIES:
        raise ParameterError(f"by = {by!r} should be {listed(UTILITIES, 'or')}.")
    return by


def utilities(state: State, by: str) -> list[float]:
    """The utility of each player in a state: zeros unless the game is finished.

    Args:
        by: "place", the returns, or "score", negated if the lowest score wins.
    """
    if state.status != Status.FINISHED:
        return [0.0] * state.players
    if by == "place":
        return state.returns()
    sign = int(state.table.record["score_sign"][0])
    return [sign * score for score in state.scores()]


def utility_range(table: Table, by: str) -> tuple[float, float]:
    """The least and the greatest utility at a table, by "place" or "score".

    The range of scores is infinite if the rules declare none.
    """
    if by == "place":
        return -1.0, 1.0
    if table.score_range is None:
        return -math.inf, math.inf
    low, high = table.score_range
    return (-high, -low) if table.rules.lowest_score_wins else (low, high)


def is_zero_sum(table: Table) -> bool:
    """Whether the utilities at a table add up to zero at every end, as the game declares.

    The returns of sides do so only if the sides have the same size.
    """
    sizes = {len(side) for side in table.sides}
    return table.game.zero_sum and len(table.sides) > 1 and len(sizes) < 2
