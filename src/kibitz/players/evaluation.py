"""The evaluation of a state: its value to each player, at the end of a game or before it.

Before the end of the game the heuristic gives the value. At the end of a deal the scores give it:
the value of a player is their probability of the first place, in a softmax of standings (Bradley
and Terry, "Rank Analysis of Incomplete Block Designs", 1952). So it lies between the values of
winning and losing. Partners, who have the same score, count once. A standing is the score before
the deal plus what the deal added. The former is measured in units of the spread of scores, the
latter in units of the mean spread of what deals added in this search. So a lead counts, but does
not hide the result of the deal.
"""

from __future__ import annotations

import enum
import math
from typing import Any

from kibitz.core.contract import Rules, heuristic, score_so_far
from kibitz.core.layout import HEADER, header_offset
from kibitz.core.memory import INT32, Address, array_at, call_float_3, record_at
from kibitz.core.sides import count_sides, leads_side
from kibitz.core.status import Status
from kibitz.players.search import Rollout, Utility

PLAYERS_AT = header_offset("players")
"""The offset of a number that never changes: the deal number of rollouts that ignore deals."""


class Heuristic(enum.IntEnum):
    """The heuristics of every game, numbered as in ``core.game.COMMON_HEURISTICS``.

    Any other number is the address of a function.
    """

    OWN = 0
    SCORE = 1
    """The lead in score over the average of the other sides' seats; without them the score."""
    RANK = 2
    """The share of the others with a worse score minus the share with a better one."""


def value_of(rules: Rules, search: Any, state: Address, player: int) -> float:
    """The value of `state` to `player`: the score, or 0 to 1 by the returns or the heuristic."""
    if search.by == Utility.SCORE:
        return float(score_so_far(rules, state, player) * rules.score_sign)
    if record_at(state, HEADER).status == Status.FINISHED or search.heuristic == Heuristic.OWN:
        value = heuristic(rules, state, player)
    elif search.heuristic == Heuristic.SCORE:
        value = score_lead(rules, state, player)
    elif search.heuristic == Heuristic.RANK:
        value = rank_by_score(rules, state, player)
    else:
        value = call_float_3(search.heuristic, rules.context, state, player)
    return 0.5 + 0.5 * min(1.0, max(-1.0, value)) if value == value else 0.5  # NaN says nothing


def score_lead(rules: Rules, state: Address, player: int) -> float:
    """The lead in score over the average of the other sides' seats, squeezed into -1 to 1.

    Without another side it is the score.
    """
    header = record_at(state, HEADER)
    others = 0.0
    rivals = 0
    for p in range(rules.players):
        if header.seat[p].side != header.seat[player].side:
            others += score_so_far(rules, state, p)
            rivals += 1
    lead = score_so_far(rules, state, player) - others / max(1, rivals)
    lead *= rules.score_sign
    return float(lead / (1.0 + abs(lead)))


def rank_by_score(rules: Rules, state: Address, player: int) -> float:
    """The share of the others with a worse score minus the share with a better one, -1 to 1."""
    own = score_so_far(rules, state, player) * rules.score_sign
    behind = 0.0
    for p in range(rules.players):
        other = score_so_far(rules, state, p) * rules.score_sign
        if other < own:
            behind += 1.0
        elif other > own:
            behind -= 1.0
    return behind / max(1.0, rules.players - 1.0)


def evaluate(rules: Rules, search: Any, state: Address, values: Any) -> None:
    """Writes the value of `state` to each player, by the search's utility, to `values`."""
    status = record_at(state, HEADER).status
    if status == Status.PLAYING and values_deal(search, state):
        evaluate_deal(rules, search, state, values)
    else:
        for p in range(rules.players):
            if search.by == Utility.RANK and status == Status.FINISHED and rules.players > 1:
                values[p] = rank_of(rules, state, p)
            else:
                values[p] = value_of(rules, search, state, p)


def rank_of(rules: Rules, state: Address, player: int) -> float:
    """The share of opponents placed behind `player` at the end of the game; ties count half."""
    header = record_at(state, HEADER)
    behind = 0.0
    for p in range(rules.players):
        if header.seat[p].place > header.seat[player].place:
            behind += 1.0
        elif p != player and header.seat[p].place == header.seat[player].place:
            behind += 0.5
    return behind / (rules.players - 1.0)


# --- the end of a deal --------------------------------------------------------------------


def begin_deal(rules: Rules, search: Any, observation: Address, rollout: int) -> None:
    """Stores the deal and the scores at a decision, to evaluate the end of the deal."""
    search.deal_count = rules.deal_count if rollout == Rollout.DEAL else PLAYERS_AT
    search.deal = deal_number(search, observation)
    rivals = max(2, rules.players)  # a single player is compared with one without points
    for p in range(rivals):
        search.scores[p] = 0.0
        search.gains[p] = 0.0
    if search.deal_count != PLAYERS_AT:
        for p in range(rules.players):
            search.scores[p] = score_so_far(rules, observation, p) * rules.score_sign
    search.spread = spread_of(search.scores, rivals)
    search.gain_spreads = 0.0
    search.deals = 0


def deal_number(search: Any, state: Address) -> int:
    """The number of deals that are over, or a number that never changes."""
    return int(array_at(state + search.deal_count, INT32, 1)[0])


def is_deal_over(search: Any, state: Address) -> bool:
    """Whether the deal in which the search began is over."""
    return deal_number(search, state) != search.deal


def values_deal(search: Any, state: Address) -> bool:
    """Whether the state is valued by the scores at the end of a deal."""
    if search.by == Utility.SCORE or search.heuristic > Heuristic.SCORE:
        return False
    return is_deal_over(search, state)


def evaluate_deal(rules: Rules, search: Any, state: Address, values: Any) -> None:
    """Writes the value to each player, 0 to 1, by the scores at the end of a deal."""
    rivals = max(2, rules.players)
    for p in range(rules.players):
        score = score_so_far(rules, state, p) * rules.score_sign
        search.gains[p] = score - search.scores[p]
    search.gain_spreads += spread_of(search.gains, rivals)
    search.deals += 1
    unit = search.gain_spreads / search.deals
    score_weight = 1.0 / (search.spread + unit) if search.spread + unit > 0.0 else 0.0
    gain_weight = 1.0 / unit if unit > 0.0 else 0.0
    header = record_at(state, HEADER)
    sides = count_sides(header)
    highest = -1e300 if sides > 1 else 0.0
    for p in range(rules.players):
        values[p] = score_weight * search.scores[p] + gain_weight * search.gains[p]
        highest = max(highest, values[p])
    total = 0.0 if sides > 1 else math.exp(-highest)  # that of a rival without points
    for p in range(rules.players):
        values[p] = math.exp(values[p] - highest)
        if leads_side(header, p):
            total += values[p]
    sides = max(2, sides)
    scale = sides / (total * (sides - 1.0))
    for p in range(rules.players):
        value = 0.5 + 0.5 * (scale * values[p] - 1.0 / (sides - 1.0))
        values[p] = value if value == value else 0.5  # NaN says nothing


def spread_of(numbers: Any, count: int) -> float:
    """The mean deviation of the first `count` numbers from their mean."""
    total = 0.0
    for i in range(count):
        total += numbers[i]
    mean = total / count
    spread = 0.0
    for i in range(count):
        spread += abs(numbers[i] - mean)
    return spread / count
