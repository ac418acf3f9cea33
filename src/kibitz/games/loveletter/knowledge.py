"""What everyone at a table of Love Letter can infer about hidden hands, and deals that agree.

``ruled_out`` has for each player the cards that the kept one cannot be. A tied duel tells that two
players kept the same card. Each is a *side* of the tie: once the player has discarded a card that
may be it, nobody else knows whether it is still in hand, but it is that discard or the kept card.
So all know that two sets have a card in common: for each side its discards that may be the card,
and the kept card if it may be it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kibitz.authoring import knows_card, random_below

if TYPE_CHECKING:
    from kibitz.games.loveletter.rules import LoveLetterState

DEALS = 2_000
"""How many deals of the hidden hands are tried for one that agrees."""


# --- what is seen -------------------------------------------------------------------------


def rule_out(state: LoveLetterState, player: int, cards: int) -> None:
    """Everyone sees that the kept card of a player is none of some cards, one bit each."""
    state.ruled_out[player].values[0] |= cards
    for side in range(2 * state.ties.values[0]):
        if state.tied.values[side] == player + 1:
            state.tied_ruled_out.values[side] |= cards


def note_tie(state: LoveLetterState, player: int, target: int) -> None:
    """Everyone sees that two players keep the same card."""
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
    """All cards are dealt anew."""
    for side in range(2 * state.ties.values[0]):
        state.tied.values[side] = 0
        state.tied_discards.values[side] = 0
        state.tied_ruled_out.values[side] = 0
    state.ties.values[0] = 0


def note_discard(state: LoveLetterState, player: int, card: int) -> None:
    """Everyone sees a player discard one of two cards."""
    for side in range(2 * state.ties.values[0]):
        if state.tied.values[side] == player + 1:
            state.tied_discards.values[side] |= 1 << card & ~state.tied_ruled_out.values[side]


def note_last_discard(state: LoveLetterState, player: int, card: int) -> None:
    """Everyone sees a player discard the kept card."""
    note_discard(state, player, card)
    for side in range(2 * state.ties.values[0]):
        if state.tied.values[side] == player + 1:
            state.tied.values[side] = 0


def trade_ties(state: LoveLetterState, player: int, target: int) -> None:
    """Two players trade hands."""
    for side in range(2 * state.ties.values[0]):
        if state.tied.values[side] == player + 1:
            state.tied.values[side] = target + 1
        elif state.tied.values[side] == target + 1:
            state.tied.values[side] = player + 1


# --- deals that agree ---------------------------------------------------------------------


def agrees(state: LoveLetterState, player: int) -> bool:
    """Whether the hands hidden from a player agree with what everyone has seen."""
    for p in range(state.players):
        if hides_kept(state, p, player):
            if state.ruled_out[p].values[0] >> state.hands[p].cards[0] & 1:
                return False
    for tie in range(state.ties.values[0]):
        if tie_cards(state, 2 * tie) & tie_cards(state, 2 * tie + 1) == 0:
            return False
    return True


def hides_kept(state: LoveLetterState, owner: int, player: int) -> bool:
    """Whether a player cannot know the card that another one keeps."""
    hand = state.hands[owner]
    return owner != player and hand.count > 0 and not knows_card(hand, 0, player)


def tie_cards(state: LoveLetterState, side: int) -> int:
    """A bit for each card that, for one side of a tie, may be the one that was tied."""
    cards = state.tied_discards.values[side]
    owner = state.tied.values[side] - 1
    if owner >= 0 and state.hands[owner].count > 0:
        kept = 1 << state.hands[owner].cards[0]
        cards |= kept & ~state.tied_ruled_out.values[side]
    return int(cards)


def deal_to_fit(state: LoveLetterState, player: int) -> None:
    """Deals the hands hidden from a player until they agree with what everyone has seen."""
    for _ in range(DEALS):
        if agrees(state, player):
            return
        for owner in range(state.players):
            if hides_kept(state, owner, player):
                exchange_kept(state, owner, player)


def exchange_kept(state: LoveLetterState, owner: int, player: int) -> None:
    """Exchanges a hidden kept card for one of those hidden from `player` that are left.

    These are itself, the kept cards of later players, a card just drawn, and those that nobody
    holds.
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
    """Exchanges a card of one deck for one of another."""
    card = first.cards[i]
    first.cards[i] = second.cards[j]
    second.cards[j] = card
