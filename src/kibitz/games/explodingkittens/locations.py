"""Tracked cards: seen by all, and perhaps passed from hand to hand in secret since.

Third players do not see which card was stolen or given. A card of that hand that all knew is then
in one of two hands, perhaps later in one of more. ``locations`` keeps in the open for each such
card its title and, for each player, a share of ``WHOLE``: how likely it is to be there, every card
of a hand being as likely as any other to be the one that goes. When a card of that title turns up
where this one may be, it may have been this one, and nothing more is known of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kibitz.core.layout import EVERYONE
from kibitz.games.explodingkittens.copies import most_known
from kibitz.games.explodingkittens.limits import limit_of, note_gained_openly, note_left

if TYPE_CHECKING:
    from kibitz.games.explodingkittens.table import KittensState

MOST_TRACKED = 6
"""So many cards are tracked; for one more the first of them is given up."""
ROW = 6
"""Numbers that are kept for a card: its title plus one, 0 where there is none, and the shares."""
USED = MOST_TRACKED * ROW
"""The place of the number of rows in use, after them."""
LOCATION_NUMBERS = USED + 1
WHOLE = 10_000


# --- what happens -------------------------------------------------------------------------


def note_passed(state: KittensState, giver: int, taker: int) -> None:
    """Notes that a card is about to go from one hand to another in secret."""
    hand = state.hands[giver]
    values = state.locations.values
    for first in range(0, ROW * rows_used(state), ROW):
        share = values[first + 1 + giver]
        if values[first] > 0 and share > 0:
            part = share if hand.count == 1 else max(1, share // hand.count)
            values[first + 1 + giver] = 0 if hand.count == 1 else max(1, share - part)
            values[first + 1 + taker] += part
    if hand.count > 1:
        for i in range(hand.count):
            if hand.seen[i] == EVERYONE:
                part = WHOLE // hand.count
                first = free_row(state)
                values[first] = hand.cards[i] + 1
                values[first + 1 + giver] = WHOLE - part
                values[first + 1 + taker] = part
                note_left(state, giver, hand.cards[i])


def rows_used(state: KittensState) -> int:
    """The number of rows in use, including those of cards about which nothing is known any more.

    It is a number of the state so that loops over rows are not unrolled, which takes long.
    """
    return state.locations.values[USED]


def free_row(state: KittensState) -> int:
    """The offset of a free row for another card; that of the first row if all are in use."""
    for first in range(0, ROW * rows_used(state), ROW):
        if state.locations.values[first] == 0:
            return first
    used = rows_used(state)
    if used < MOST_TRACKED:
        state.locations.values[USED] = used + 1
        return used * ROW
    forget(state, 0)
    return 0


def forget(state: KittensState, first: int) -> None:
    """Stops tracking a card: the limit of its title rises in each hand that may hold it."""
    values = state.locations.values
    for p in range(state.players):
        if values[first + 1 + p] > 0:
            note_gained_openly(state, p, values[first] - 1)
    clear_row(state, first)


def clear_row(state: KittensState, first: int) -> None:
    """Clears the row of a tracked card."""
    values = state.locations.values
    for i in range(first, first + ROW):
        values[i] = 0
    while values[USED] > 0 and values[ROW * (values[USED] - 1)] == 0:
        values[USED] -= 1


def note_turned_up(state: KittensState, player: int, card: int, unseen: int) -> None:
    """Notes that a card of a hand is shown or played, one of so many `unseen` by all."""
    values = state.locations.values
    for first in range(0, ROW * rows_used(state), ROW):
        share = values[first + 1 + player]
        if values[first] == card + 1 and share > 0:
            if limit_of(state, player, card) == 0 and count_tracked(state, player, card) == 1:
                for p in range(state.players):  # it can have been no other one
                    values[first + 1 + p] = share if p == player else 0
            forget(state, first)
        elif values[first] > 0 and share > 0:
            left = 0 if unseen == 1 else max(1, share * (unseen - 1) // unseen)
            values[first + 1 + player] = left
            deduce_holder(state, first)


def note_not_there(state: KittensState, player: int, card: int) -> None:
    """Notes that a hand turns out to have no card of a title."""
    values = state.locations.values
    for first in range(0, ROW * rows_used(state), ROW):
        if values[first] == card + 1:
            values[first + 1 + player] = 0
            deduce_holder(state, first)


def deduce_holder(state: KittensState, first: int) -> None:
    """Makes a card known to all if only one hand can hold it."""
    values = state.locations.values
    if count_holders(state, first) == 1:
        holder = 0
        while values[first + 1 + holder] == 0:
            holder += 1
        card = values[first] - 1
        hand = state.hands[holder]
        hand.seen[most_known(hand, holder, card)] = EVERYONE
        note_gained_openly(state, holder, card)
        clear_row(state, first)


def deduce_holders(state: KittensState) -> None:
    """Makes every tracked card known that only one hand can hold."""
    for first in range(0, ROW * rows_used(state), ROW):
        deduce_holder(state, first)


def count_tracked(state: KittensState, player: int, card: int) -> int:
    """How many tracked cards of a title may be in a hand."""
    values = state.locations.values
    number = 0
    for first in range(0, ROW * rows_used(state), ROW):
        number += values[first] == card + 1 and values[first + 1 + player] > 0
    return number


def count_holders(state: KittensState, first: int) -> int:
    """In how many hands a card may be."""
    holders = 0
    for p in range(state.players):
        holders += state.locations.values[first + 1 + p] > 0
    return holders
