"""What all players of Love Letter can infer about hidden hands, and deals that agree with it.

``ruled_out`` has for each player the cards that the kept card cannot be. A tied duel shows that
two players keep the same card. Each of them is a *side* of the tie: after the player has discarded
a card that may be the tied one, it is either that discard or the kept card. So all players know
that two sets have a card in common: for each side, the discards that may be the card, and the kept
card if it may be the card.
"""

from __future__ import annotations

from typing import Any

from kibitz.authoring import knows_card, random_below
from kibitz.library.loveletter.table import LoveLetterState

DEALS = 2_000
"""The maximum number of deals of the hidden hands that are tried for a consistent one."""


# --- notes of what all players see --------------------------------------------------------


def rule_out(state: LoveLetterState, player: int, cards: int) -> None:
    """Notes that the kept card of a player is not among `cards`, a bit mask."""
    state.ruled_out[player].values[0] |= cards
    for side in range(2 * state.ties.values[0]):
        if state.tied.values[side] == player + 1:
            state.tied_ruled_out.values[side] |= cards


def note_tie(state: LoveLetterState, player: int, target: int) -> None:
    """Notes that two players keep the same card."""
    rule_out(state, player, state.ruled_out[target].values[0])
    rule_out(state, target, state.ruled_out[player].values[0])
    side = 2 * state.ties.values[0]
    if side == len(state.tied.values):
        return
    state.ties.values[0] += 1
    state.tied.values[side] = player + 1
    state.tied.values[side + 1] = target + 1
    state.tied_ruled_out.values[side] = state.ruled_out[player].values[0]
    state.tied_ruled_out.values[side + 1] = state.ruled_out[player].values[0]


def forget_ties(state: LoveLetterState) -> None:
    """Forgets all ties, since the cards are dealt anew."""
    for side in range(2 * state.ties.values[0]):
        state.tied.values[side] = 0
        state.tied_discards.values[side] = 0
        state.tied_ruled_out.values[side] = 0
    state.ties.values[0] = 0


def note_discard(state: LoveLetterState, player: int, card: int) -> None:
    """Notes that a player discards one of two cards."""
    for side in range(2 * state.ties.values[0]):
        if state.tied.values[side] == player + 1:
            state.tied_discards.values[side] |= 1 << card & ~state.tied_ruled_out.values[side]


def note_last_discard(state: LoveLetterState, player: int, card: int) -> None:
    """Notes that a player discards the kept card."""
    note_discard(state, player, card)
    for side in range(2 * state.ties.values[0]):
        if state.tied.values[side] == player + 1:
            state.tied.values[side] = 0


def trade_ties(state: LoveLetterState, player: int, target: int) -> None:
    """Notes that two players trade hands."""
    for side in range(2 * state.ties.values[0]):
        if state.tied.values[side] == player + 1:
            state.tied.values[side] = target + 1
        elif state.tied.values[side] == target + 1:
            state.tied.values[side] = player + 1


# --- deals that agree ---------------------------------------------------------------------


def agrees(state: LoveLetterState, player: int) -> bool:
    """Whether the hands hidden from a player agree with what all players have seen."""
    for p in range(state.players):
        if hides_kept(state, p, player):
            if state.ruled_out[p].values[0] >> state.hands[p].cards[0] & 1:
                return False
    for tie in range(state.ties.values[0]):
        if tie_cards(state, 2 * tie) & tie_cards(state, 2 * tie + 1) == 0:
            return False
    return True


def hides_kept(state: LoveLetterState, owner: int, player: int) -> bool:
    """Whether the card that `owner` keeps is hidden from `player`."""
    hand = state.hands[owner]
    return owner != player and hand.count > 0 and not knows_card(hand, 0, player)


def tie_cards(state: LoveLetterState, side: int) -> int:
    """The cards, one bit each, that a side may have held when it tied.

    Its later discards are among them, and the card that it still holds, if that is not ruled out.
    """
    cards = state.tied_discards.values[side]
    owner = state.tied.values[side] - 1
    if owner >= 0 and state.hands[owner].count > 0:
        kept_card = 1 << state.hands[owner].cards[0]
        cards |= kept_card & ~state.tied_ruled_out.values[side]
    return int(cards)


def deal_to_fit(state: LoveLetterState, player: int) -> None:
    """Deals the hands hidden from a player until they agree with what all players have seen."""
    for _ in range(DEALS):
        if agrees(state, player):
            return
        for owner in range(state.players):
            if hides_kept(state, owner, player):
                exchange_kept(state, owner, player)


def exchange_kept(state: LoveLetterState, owner: int, player: int) -> None:
    """Exchanges a hidden kept card for a random one of the remaining cards hidden from `player`.

    These are the card itself, the kept cards of later players, a card just drawn, the deck, and
    the cards set aside.
    """
    mover = state.hands[state.player]
    drawn = int(state.player != player and mover.count > 1)
    count = drawn + state.deck.count + state.set_aside.count
    for p in range(owner, state.players):
        count += hides_kept(state, p, player)
    at = random_below(state.rng, count)
    for p in range(owner, state.players):
        if hides_kept(state, p, player):
            if at == 0:
                exchange(state.hands[owner], 0, state.hands[p], 0)
                return
            at -= 1
    if at < drawn:
        exchange(state.hands[owner], 0, mover, 1)
    elif at - drawn < state.deck.count:
        exchange(state.hands[owner], 0, state.deck, at - drawn)
    else:
        exchange(state.hands[owner], 0, state.set_aside, at - drawn - state.deck.count)


def exchange(first: Any, i: int, second: Any, j: int) -> None:
    """Exchanges a card of one deck for a card of another."""
    card = first.cards[i]
    first.cards[i] = second.cards[j]
    second.cards[j] = card
