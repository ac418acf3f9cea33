"""The heuristic of Exploding Kittens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.library.explodingkittens.cards import Card
from kibitz.library.explodingkittens.deck import deck_size

if TYPE_CHECKING:
    from kibitz.library.explodingkittens.table import KittensState


def evaluate(state: KittensState, player: int) -> float:
    """The expected win of `player`: -1/(n - 1) when out, up to 1 for the last player.

    The players who are not out are assumed to win with probabilities proportional to strength.
    """
    loss = -1.0 / (state.players - 1)
    if state.seat[player].out:
        return loss
    total = 0.0
    for p in range(state.players):
        if state.seat[p].out == 0:
            total += strength(state, p)
    return loss + (1.0 - loss) * strength(state, player) / total


def strength(state: KittensState, player: int) -> float:
    """An estimate of a player's chances to survive, by the cards in hand and the next draw."""
    hand = state.hands[player]
    value = 1.0
    defuses = 0
    for i in range(hand.count):
        card = hand.cards[i]
        if card == Card.DEFUSE:
            defuses += 1
        else:
            value += worth(card)
    value += 2.0 * defuses
    if player == state.turn_owner and defuses == 0:
        risk = state.turns_left.values[0] * state.kittens.count / (1.0 + deck_size(state))
        value *= 1.0 - 0.7 * min(1.0, risk)
    return value


def worth(card: int) -> float:
    """The value of a card other than Defuse, in units of a player's life."""
    if card == Card.NOPE or card == Card.ATTACK or card == Card.SKIP:
        return 0.35
    if card == Card.SEE_THE_FUTURE or card == Card.SHUFFLE or card == Card.FAVOR:
        return 0.2
    return 0.1
