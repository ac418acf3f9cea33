"""The deck with its kittens: drawing, putting kittens back, shuffling, peeking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.components import place_card, shuffle_deck, take_card
from kibitz.core.layout import EVERYONE
from kibitz.core.randomness import random_below
from kibitz.core.results import fail
from kibitz.core.status import Status
from kibitz.core.trace import announce
from kibitz.library.explodingkittens.cards import MOST_KITTENS, Card
from kibitz.library.explodingkittens.pile import MOST_PEEKS, MOST_SEEN, NOTHING
from kibitz.library.explodingkittens.table import Say

if TYPE_CHECKING:
    from kibitz.library.explodingkittens.table import KittensState


def deck_size(state: KittensState) -> int:
    """The number of cards in the deck, kittens included."""
    return state.deck.count + state.kittens.count


# --- kittens in the deck ------------------------------------------------------------------


def top_kitten(state: KittensState, cards: int, older: int, gone: int) -> int:
    """The index in the list of the kitten that lies on top, or -1 if the top is another card.

    The deck is reduced to its lowest `cards` cards besides kittens, and to the first `older`
    kittens without those with a bit in `gone`, which were on top of the others.
    """
    kittens = state.kittens
    rank = cards + older
    for i in range(older):
        rank -= gone >> i & 1
    for i in range(older - 1, -1, -1):
        if gone >> i & 1 == 0:
            rank -= 1  # the number of other cards, younger kittens excepted
            if kittens.below[i] == rank:
                return i
    return -1


def put_kitten(state: KittensState, kitten: int, below: int, known_to: int) -> None:
    """Puts a kitten into the deck above `below` cards; the players in `known_to` know where."""
    kittens = state.kittens
    at = kittens.count
    if at >= MOST_KITTENS:
        fail(state, Status.FULL_BUFFER)
        return
    kittens.label[at] = kitten
    kittens.below[at] = below
    kittens.seen[at] = known_to
    kittens.count = at + 1


def take_kitten(state: KittensState, index: int) -> int:
    """Takes the kitten at `index` of the list off the top of the deck; returns its number."""
    kittens = state.kittens
    kitten = kittens.label[index]
    last = kittens.count - 1
    for i in range(index, last):
        kittens.label[i] = kittens.label[i + 1]
        kittens.below[i] = kittens.below[i + 1]
        kittens.seen[i] = kittens.seen[i + 1]
    kittens.label[last] = 0
    kittens.below[last] = 0
    kittens.seen[last] = 0
    kittens.count = last
    return kitten


def find_kitten(state: KittensState, kitten: int) -> int:
    """The index of a kitten in the list, or -1."""
    for i in range(state.kittens.count):
        if state.kittens.label[i] == kitten:
            return i
    return -1


def shuffle_all(state: KittensState) -> None:
    """Shuffles the deck with its kittens; nobody knows any card of it afterwards."""
    shuffle_deck(state, state.deck)
    forget_peeks(state)
    kittens = state.kittens
    for i in range(kittens.count):
        kittens.below[i] = random_below(state.rng, state.deck.count + i + 1)
        kittens.seen[i] = 0


# --- the top card -------------------------------------------------------------------------


def draw_top_card(state: KittensState, player: int) -> int:
    """Draws the top card of the deck; a card that is no kitten goes to the player's hand.

    Returns the kitten's number, or -1. Players who had seen the card know it in the hand.
    """
    kittens = state.kittens
    index = top_kitten(state, state.deck.count, kittens.count, 0)
    if index >= 0:
        kitten = take_kitten(state, index)
        note_top_gone(state, index)
        return kitten
    card = take_card(state.deck, state.deck.count - 1)
    place_card(state, state.hands[player], card, note_top_gone(state, -1))
    return -1


def note_top_gone(state: KittensState, index: int) -> int:
    """Updates the peeks after the top card is gone; returns the mask of players who had seen it.

    `index` is the one that a kitten had in the list; -1: the card is no kitten.
    """
    peeks = state.peeks
    known_to = 0
    i = 0
    while i < peeks.count:
        if index < peeks.older[i]:
            known_to |= 1 << peeks.owner[i]
            if index >= 0:
                peeks.older[i] -= 1
            drop_first(state, i)
            if cards_in_peek(state, i) == 0:
                remove_peek(state, i)
                i -= 1
        i += 1
    return known_to


# --- peeks --------------------------------------------------------------------------------


def cards_in_peek(state: KittensState, peek: int) -> int:
    """The number of cards seen in a peek that are still in the deck."""
    peeks = state.peeks
    return state.deck.count + peeks.older[peek] - peeks.below[peek]


def drop_first(state: KittensState, peek: int) -> None:
    """Removes the first card of a peek, which is no longer in the deck."""
    peeks = state.peeks
    first = peek * MOST_SEEN
    last = first + MOST_SEEN - 1
    for i in range(first, last):
        peeks.cards[i] = peeks.cards[i + 1]
        peeks.seen[i] = peeks.seen[i + 1]
    peeks.cards[last] = NOTHING
    peeks.seen[last] = EVERYONE


def remove_peek(state: KittensState, peek: int) -> None:
    """Forgets a peek."""
    peeks = state.peeks
    last = peeks.count - 1
    for i in range(peek, last):
        peeks.owner[i] = peeks.owner[i + 1]
        peeks.older[i] = peeks.older[i + 1]
        peeks.below[i] = peeks.below[i + 1]
    peeks.owner[last] = 0
    peeks.older[last] = 0
    peeks.below[last] = 0
    for i in range(peek * MOST_SEEN, last * MOST_SEEN):
        peeks.cards[i] = peeks.cards[i + MOST_SEEN]
        peeks.seen[i] = peeks.seen[i + MOST_SEEN]
    for i in range(last * MOST_SEEN, peeks.used):
        peeks.cards[i] = 0
        peeks.seen[i] = 0
    peeks.count = last
    peeks.used = last * MOST_SEEN


def forget_peeks(state: KittensState) -> None:
    """Forgets all peeks."""
    while state.peeks.count > 0:
        remove_peek(state, state.peeks.count - 1)


def peek_at_top(state: KittensState, player: int, cards: int) -> int:
    """Shows at most `cards` top cards of the deck to a player; returns their number."""
    peeks = state.peeks
    size = deck_size(state)
    shown = cards if cards < size else size
    forget_surpassed(state, player, size - shown)
    if peeks.count == MOST_PEEKS:
        remove_peek(state, 0)
    peek = peeks.count
    peeks.owner[peek] = player
    peeks.older[peek] = state.kittens.count
    peeks.below[peek] = size - shown
    peeks.count = peek + 1
    peeks.used = peeks.count * MOST_SEEN
    for d in range(MOST_SEEN):
        peeks.seen[peek * MOST_SEEN + d] = 1 << player if d < shown else EVERYONE
    fill_peek(state, peek)
    for d in range(shown):
        announce(Say.SEE, player, d, peeks.cards[peek * MOST_SEEN + d])
    return shown


def forget_surpassed(state: KittensState, player: int, below: int) -> None:
    """Removes the peeks of a player that a new one covers, with `below` cards below it.

    These are peeks since which no kitten came into the deck, and which reach no deeper.
    """
    peeks = state.peeks
    for i in range(peeks.count - 1, -1, -1):
        if peeks.owner[i] == player and peeks.older[i] == state.kittens.count:
            if peeks.below[i] >= below:
                remove_peek(state, i)


def has_seen(state: KittensState, peek: int, player: int) -> bool:
    """Whether a player knows what a peek showed: whose it is, or everyone with open hands."""
    return bool(state.peeks.seen[peek * MOST_SEEN] >> player & 1)


def fill_peek(state: KittensState, peek: int) -> None:
    """Fills a peek with the cards that the deck has in its places."""
    peeks = state.peeks
    older = peeks.older[peek]
    shown = cards_in_peek(state, peek)
    cards = state.deck.count
    gone = 0
    for d in range(MOST_SEEN):
        card = NOTHING
        if d < shown:
            index = top_kitten(state, cards, older, gone)
            if index >= 0:
                gone |= 1 << index
                card = Card.KITTEN + state.kittens.label[index]
            else:
                cards -= 1
                card = state.deck.cards[cards]
        peeks.cards[peek * MOST_SEEN + d] = card
