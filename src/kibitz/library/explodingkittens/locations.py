"""Tracked cards: seen by all players, and perhaps passed from hand to hand in secret since.

Third players do not see which card was stolen or given. A card of that hand that all players knew
is then in one of two hands, later perhaps in one of more. ``locations`` keeps in the open for each
such card its title and, for each player, a share of ``WHOLE``: the probability that it is in that
hand, if every card of a hand is equally likely to be the one that goes. When a card of that title
turns up in a hand that may hold the tracked card, it may have been this one, and the card is not
tracked any more.
"""

from __future__ import annotations

from kibitz.core.layout import EVERYONE
from kibitz.library.explodingkittens.copies import most_known
from kibitz.library.explodingkittens.limits import limit_of, note_gained_openly, note_left
from kibitz.library.explodingkittens.table import MOST_TRACKED, ROW, USED, KittensState

WHOLE = 10_000
"""The sum of the shares of a card when its row begins."""


# --- what happens -------------------------------------------------------------------------


def note_passed(state: KittensState, giver: int, taker: int) -> None:
    """Notes that a card is about to go from one hand to another in secret."""
    hand = state.hands[giver]
    values = state.locations.values
    for first in range(0, ROW * rows_used(state), ROW):
        share = values[first + 1 + giver]
        if values[first] > 0 and share > 0:
            moved = share if hand.count == 1 else max(1, share // hand.count)
            values[first + 1 + giver] = 0 if hand.count == 1 else max(1, share - moved)
            values[first + 1 + taker] += moved
    if hand.count > 1:
        for i in range(hand.count):
            if hand.seen[i] == EVERYONE:
                moved = WHOLE // hand.count
                first = free_row(state)
                values[first] = hand.cards[i] + 1
                values[first + 1 + giver] = WHOLE - moved
                values[first + 1 + taker] = moved
                note_left(state, giver, hand.cards[i])


def rows_used(state: KittensState) -> int:
    """The number of rows in use, including free rows before the last card.

    It is a number of the state so that loops over rows are not unrolled, which would take long to
    compile.
    """
    return state.locations.values[USED]


def free_row(state: KittensState) -> int:
    """The offset of a free row for another card; the first row is freed if all are in use."""
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
    """Notes that a card is shown or played from a hand with `unseen` cards that not all know."""
    values = state.locations.values
    for first in range(0, ROW * rows_used(state), ROW):
        share = values[first + 1 + player]
        if values[first] == card + 1 and share > 0:
            if limit_of(state, player, card) == 0 and count_tracked(state, player, card) == 1:
                for p in range(state.players):  # it must have been the tracked card
                    values[first + 1 + p] = share if p == player else 0
            forget(state, first)
        elif values[first] > 0 and share > 0:
            remaining = 0 if unseen == 1 else max(1, share * (unseen - 1) // unseen)
            values[first + 1 + player] = remaining
            deduce_holder(state, first)


def note_not_there(state: KittensState, player: int, card: int) -> None:
    """Notes that a hand has no card of a title, as all players know."""
    values = state.locations.values
    for first in range(0, ROW * rows_used(state), ROW):
        if values[first] == card + 1:
            values[first + 1 + player] = 0
            deduce_holder(state, first)


def deduce_holder(state: KittensState, first: int) -> None:
    """Makes a tracked card known to all if only one hand can hold it."""
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
    """Makes every tracked card known to all that only one hand can hold."""
    for first in range(0, ROW * rows_used(state), ROW):
        deduce_holder(state, first)


def count_tracked(state: KittensState, player: int, card: int) -> int:
    """The number of tracked cards of a title that may be in a hand."""
    values = state.locations.values
    number = 0
    for first in range(0, ROW * rows_used(state), ROW):
        number += values[first] == card + 1 and values[first + 1 + player] > 0
    return number


def count_holders(state: KittensState, first: int) -> int:
    """The number of hands that may hold a tracked card."""
    holders = 0
    for p in range(state.players):
        holders += state.locations.values[first + 1 + p] > 0
    return holders
