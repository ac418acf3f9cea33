"""The heuristic: players' money, and the expected value of their plans and places."""

from __future__ import annotations

from typing import Any

from kibitz.library.coltexpress.data import KINDS, TOKENS, Card
from kibitz.library.coltexpress.loot import (
    bullets_received,
    fewest_bullets,
    token_value,
    total_money,
)
from kibitz.library.coltexpress.table import ColtExpressState, owner

BULLET_COST = 30.0
"""The cost of a bullet in one's own deck, in dollars, since it spoils later hands."""
SURE_SHARE = 0.6
"""The worth of a planned Robbery, as a share of the best loot in the same place."""
MOVED_ROBBERY = 150.0
"""The worth of a Robbery that is planned after a move elsewhere, in dollars."""
PLANNED_SHOT = 50.0
"""The worth of a planned Fire or Punch, in dollars."""
NEAR_SHARE = 0.1
"""The worth of a bandit's place, as a share of the best loot there."""


def evaluate(state: ColtExpressState, params: Any, player: int) -> float:
    """The value of a player's money, plans and places, in dollars."""
    worth = total_money(state, params, player) + planned(state, params, player)
    fewest = fewest_bullets(state)
    bonus = params.gunslinger_bonus * (state.round + 1.0) / params.rounds
    for bandit in range(state.bandits.value):
        if owner(state, bandit) == player:
            # A bandit who is behind may catch up, and one who is ahead may be overtaken.
            worth += bonus / (1.0 + state.bullets.values[bandit] - fewest)
            worth -= BULLET_COST * bullets_received(state, bandit)
            worth += NEAR_SHARE * best_loot(state, params, bandit)
    return worth


def planned(state: ColtExpressState, params: Any, player: int) -> float:
    """The value of a player's cards in the pile that were not carried out yet, in dollars."""
    worth = 0.0
    moved = 0
    for i in range(state.next_card.value, state.pile.count):
        bandit = state.pile.cards[i] // KINDS
        card = state.pile.cards[i] % KINDS
        if owner(state, bandit) != player:
            continue
        if card == Card.MOVE or card == Card.FLOOR_CHANGE:
            moved |= 1 << bandit
        elif card == Card.FIRE or card == Card.PUNCH:
            worth += PLANNED_SHOT
        elif card == Card.ROBBERY:
            if moved >> bandit & 1:
                worth += MOVED_ROBBERY
            else:
                worth += SURE_SHARE * best_loot(state, params, bandit)
    return worth


def best_loot(state: ColtExpressState, params: Any, bandit: int) -> int:
    """The value of the best token in the place of a bandit, or 0."""
    place = state.where.values[bandit]
    best = 0
    for token in range(TOKENS):
        if state.token_at.values[token] == place:
            best = max(best, token_value(state, params, token))
    return best
