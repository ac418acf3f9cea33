"""Drawing from the deck, putting kittens into it, shuffling it, looking at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.components import place_card, shuffle_deck, take_card
from kibitz.core.layout import EVERYONE
from kibitz.core.randomness import random_below
from kibitz.core.status import Status, fail
from kibitz.games.explodingkittens.cards import MOST_KITTENS, Card
from kibitz.games.explodingkittens.pile import MOST_LOOKS, MOST_SEEN, NOTHING

if TYPE_CHECKING:
    from kibitz.games.explodingkittens.table import KittensState


def deck_size(state: KittensState) -> int:
    """How many cards the deck has, kittens included."""
    return state.deck.count + state.kittens.count


# --- kittens in the deck ------------------------------------------------------------------


def top_kitten(state: KittensState, cards: int, older: int, gone: int) -> int:
    """The place in the list of the kitten that lies on top; -1: no kitten does.

    Of the deck only its lowest `cards` cards that are no kittens count, and the first `older`
    kittens without those whose bits are set in `gone`, which have been on top of the rest.
    """
    kittens = state.kittens
    rank = cards + older
    for i in range(older):
        rank -= gone >> i & 1
    for i in range(older - 1, -1, -1):
        if gone >> i & 1 == 0:
            rank -= 1  # as many are there besides the younger ones
            if kittens.below[i] == rank:
                return i
    return -1


def put_kitten(state: KittensState, kitten: int, below: int, known_to: int) -> None:
    """Puts a kitten into the deck above `below` cards; the players of a mask know where."""
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
    """Takes a kitten off the top of the deck, and returns it."""
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
    """The place of a kitten in the list, or -1."""
    for i in range(state.kittens.count):
        if state.kittens.label[i] == kitten:
            return i
    return -1


def shuffle_all(state: KittensState) -> None:
    """Shuffles the deck; nobody knows anything of it afterwards."""
    shuffle_deck(state, state.deck)
    forget_looks(state)
    kittens = state.kittens
    for i in range(kittens.count):
        kittens.below[i] = random_below(state.rng, state.deck.count + i + 1)
        kittens.seen[i] = 0


# --- the top card -------------------------------------------------------------------------


def draw_top_card(state: KittensState, player: int) -> int:
    """A player draws the top card: into the hand, unless it is a kitten.

    Returns the kitten's number, or -1. Who had seen the card knows what is in the hand.
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
    """Brings looks up to date when the top card is gone; returns who had seen it, as a mask.

    `index` is the place that a kitten had in the list; -1: the card is no kitten.
    """
    looks = state.looks
    known_to = 0
    i = 0
    while i < looks.count:
        if index < looks.older[i]:
            known_to |= 1 << looks.owner[i]
            if index >= 0:
                looks.older[i] -= 1
            drop_first(state, i)
            if cards_in_look(state, i) == 0:
                remove_look(state, i)
                i -= 1
        i += 1
    return known_to


# --- looks --------------------------------------------------------------------------------


def cards_in_look(state: KittensState, look: int) -> int:
    """How many of the cards seen in a look are still in the deck."""
    looks = state.looks
    return state.deck.count + looks.older[look] - looks.below[look]


def drop_first(state: KittensState, look: int) -> None:
    """Removes the first card of a look, which is no longer in the deck."""
    looks = state.looks
    first = look * MOST_SEEN
    last = first + MOST_SEEN - 1
    for i in range(first, last):
        looks.cards[i] = looks.cards[i + 1]
        looks.seen[i] = looks.seen[i + 1]
    looks.cards[last] = NOTHING
    looks.seen[last] = EVERYONE


def remove_look(state: KittensState, look: int) -> None:
    """Forgets a look."""
    looks = state.looks
    last = looks.count - 1
    for i in range(look, last):
        looks.owner[i] = looks.owner[i + 1]
        looks.older[i] = looks.older[i + 1]
        looks.below[i] = looks.below[i + 1]
    looks.owner[last] = 0
    looks.older[last] = 0
    looks.below[last] = 0
    for i in range(look * MOST_SEEN, last * MOST_SEEN):
        looks.cards[i] = looks.cards[i + MOST_SEEN]
        looks.seen[i] = looks.seen[i + MOST_SEEN]
    for i in range(last * MOST_SEEN, looks.used):
        looks.cards[i] = 0
        looks.seen[i] = 0
    looks.count = last
    looks.used = last * MOST_SEEN


def forget_looks(state: KittensState) -> None:
    """Forgets all looks."""
    while state.looks.count > 0:
        remove_look(state, state.looks.count - 1)


def look_at_top(state: KittensState, player: int, cards: int) -> int:
    """A player sees the top cards of the deck, at most so many; returns how many."""
    looks = state.looks
    size = deck_size(state)
    shown = cards if cards < size else size
    forget_surpassed(state, player, size - shown)
    if looks.count == MOST_LOOKS:
        remove_look(state, 0)
    look = looks.count
    looks.owner[look] = player
    looks.older[look] = state.kittens.count
    looks.below[look] = size - shown
    looks.count = look + 1
    looks.used = looks.count * MOST_SEEN
    for d in range(MOST_SEEN):
        looks.seen[look * MOST_SEEN + d] = 1 << player if d < shown else EVERYONE
    fill_look(state, look)
    return shown


def forget_surpassed(state: KittensState, player: int, below: int) -> None:
    """Removes a player's looks that a new one covers, as it reaches down to `below` cards.

    Unless a kitten came into the deck since, the new one reaches at least as deep.
    """
    looks = state.looks
    for i in range(looks.count - 1, -1, -1):
        if looks.owner[i] == player and looks.older[i] == state.kittens.count:
            if looks.below[i] >= below:
                remove_look(state, i)


def fill_look(state: KittensState, look: int) -> None:
    """Fills a look with the cards of the deck."""
    looks = state.looks
    older = looks.older[look]
    shown = cards_in_look(state, look)
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
        looks.cards[look * MOST_SEEN + d] = card
