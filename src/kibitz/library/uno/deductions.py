"""Public deductions about hands in Uno, for sampling.

The set of players who know a card moves with it. Beyond that the rules keep in the open

* what each card of a hand cannot be (``barred``; see ``components/deals.py``): it follows from a
  failed challenge, a Wild Draw Four under the strict rule, a pass, and a drawn card under the rule
  that only players who cannot play may draw;
* the colours of which a hand holds a card (``proved``), after a bluff was detected;
* the shuffles from which the cards of a hand and of the stock can be (``components/batches.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.components import Deck, cards_in
from kibitz.components.batch_sampling import barred_anywhere, gather_places, is_any_barred
from kibitz.components.batches import ANY_BATCH, forget_batches, note_gone
from kibitz.components.deals import bar_classes, count_able, deal_again
from kibitz.library.uno.cards import COLOUR_CARDS, KINDS, Colour, colour_of

if TYPE_CHECKING:
    from kibitz.core.dealing import Places
    from kibitz.library.uno.table import UnoState

# --- notes of what all players see --------------------------------------------------------


def note_deal(state: UnoState) -> None:
    """Begins the notes of a round, after the deal."""
    forget_batches(state)
    for p in range(state.players):
        state.proved[p].values[0] = 0
        values = state.barred[p].values
        for i in range(len(values)):
            values[i] = 0


def note_play(state: UnoState, player: int, card: int, just_drawn: bool) -> None:
    """Notes that a card has left a hand."""
    note_gone(state, player, card, just_drawn)
    if not just_drawn:
        state.proved[player].values[0] &= ~(1 << colour_of(card))


def note_none(state: UnoState, player: int, cards: int) -> None:
    """Notes that a hand has none of some cards, one bit each."""
    bar_classes(state.barred[player].values, state.hands[player].count, cards)


def note_not(state: UnoState, player: int, cards: int) -> None:
    """Notes that the card just drawn to a hand is none of some cards, one bit each.

    Its place moves before those of the same shuffle that can hold more, so that places that can
    hold the same cards stay together.
    """
    values = state.barred[player].values
    at = state.hands[player].count - 1
    if at < len(values):
        barred = values[at] | cards
        while at > 0 and (values[at - 1] ^ barred) & ANY_BATCH == 0 and values[at - 1] < barred:
            values[at] = values[at - 1]
            at -= 1
        values[at] = barred


def note_some(state: UnoState, player: int, colour: int) -> None:
    """Notes that a hand has a card of a colour."""
    state.proved[player].values[0] |= 1 << colour


def most_of(state: UnoState, player: int, kind: int) -> int:
    """The maximum number of cards of a kind (of ``KINDS``) in a hand, as all players know."""
    return count_able(state.barred[player].values, state.hands[player].count, kind)


# --- samples ------------------------------------------------------------------------------


def resample(state: UnoState, player: int) -> None:
    """Deals the hidden cards consistently with what `player` knows."""
    if is_any_barred(state, player):
        deal_again(state, player, state.stock, gather)


def gather(state: UnoState, player: int, places: Places) -> None:
    """Gathers all places that are hidden from `player`."""
    gather_places(state, player, state.stock, places)


# --- consistency of a deal ----------------------------------------------------------------


def agrees(state: UnoState, player: int) -> bool:
    """Whether the hands of all players but `player` agree with the public deductions."""
    for p in range(state.players):
        if p != player and state.seat[p].out == 0:
            barred = barred_anywhere(state, p)
            for k in range(len(KINDS)):
                if barred & KINDS[k] == KINDS[k]:
                    if count_kind(state.hands[p], KINDS[k]) > most_of(state, p, KINDS[k]):
                        return False
            if state.proved[p].values[0] != 0 and not has_proved(state, p):
                return False
    return True


def has_proved(state: UnoState, player: int) -> bool:
    """Whether a hand has a card of each colour that it is known to have."""
    for colour in range(Colour.NONE):
        if state.proved[player].values[0] >> colour & 1:
            if cards_in(state.hands[player]) & COLOUR_CARDS[colour] == 0:
                return False
    return True


def count_kind(hand: Deck, kind: int) -> int:
    """The number of cards of a kind (of ``KINDS``) in a hand."""
    number = 0
    for i in range(hand.count):
        number += kind >> hand.cards[i] & 1
    return number
