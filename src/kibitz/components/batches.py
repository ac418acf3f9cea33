"""Batches: which cards were shuffled together, as far as players can tell.

The whole pack is the first batch. When the stock is empty and the discards, which everybody has
seen, are reshuffled into it, they form the next batch; all cards drawn until the next reshuffle
belong to it. A game with ``hands`` declares the components that these functions update:

* ``newest``, a ``NewestBatch``: the batch of the cards in the stock;
* ``barred``, ``BarredClasses`` per player: the cards and the batches, one bit each, that each
  place of a hand cannot hold (see ``deals.py``). A place holds a card of one batch, or of one of
  several batches after cards were played and nobody saw from which places;
* ``batches``, ``SamplingNumbers``: the number of copies of each card, by batch, that can be in
  hands and stock as far as everybody knows;
* ``taken``, ``DrawnCopies`` per player: the copies among them that the player has drawn.

A played copy that may belong to several batches, as far as others know, is not subtracted: so
these numbers are upper bounds. Nothing is updated until there is a second batch. When there would
be more than ``BATCHES``, the two batches whose merger loses the least information are merged;
then each place of a hand bars the cards that its batch did not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.components.deals import bar_classes, leave_place
from kibitz.components.numbers import Counter, Note
from kibitz.core.features import Feature, TableDescription
from kibitz.core.layout import MEMORY, Slots, Visibility
from kibitz.core.memory import stack_record
from kibitz.core.parameters import GameParameters

if TYPE_CHECKING:
    from kibitz.components.deck import Deck

    State = Any
    """A state with the components above."""

BATCHES = 5
"""The maximum number of batches."""
BITS = 3
"""The bits of a number of copies; the numbers of all batches are packed into 16 bits."""
ONES = 7
"""The bit mask of a number of copies, which is also the largest one."""
EACH_BATCH = 0o11111
"""The packed numbers for one copy of each batch."""
MOST_CARDS = 58
"""The maximum number of different cards, whose bits are below those of the batches."""
ANY_BATCH = (1 << BATCHES) - 1 << MOST_CARDS
"""The classes of all batches."""
HELD = np.dtype([("copies", np.int64, (MOST_CARDS,))])
"""The number of copies of each card in all hands."""


class NewestBatch(Counter):
    """Declares the number of the newest batch, which everybody sees."""

    def __init__(self) -> None:
        super().__init__(0, BATCHES - 1)

    def pieces(self, view: Any) -> int:
        """Returns 0: the number of a batch is not a piece."""
        return 0

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields no features: only the sampling of hidden cards reads the number."""
        return iter(())


class SamplingNumbers(Note):
    """Declares numbers that only the sampling of hidden cards reads."""

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields no features."""
        return iter(())


class BarredClasses(SamplingNumbers):
    """Declares what each place of a hand cannot hold: cards and batches, one bit each.

    Args:
        length: the number of places, from the first, of which this is kept.
    """

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        """One number of 64 bits for each place."""
        return np.dtype([("values", np.int64, (self.length,))])


class DrawnCopies(SamplingNumbers):
    """Declares the copies of each card that a player has drawn, which only the owner sees.

    Args:
        cards: the number of different cards.
    """

    count: int
    """The number of values in use, which is 0 until there is a second batch."""

    def __init__(self, cards: int) -> None:
        super().__init__(cards, Visibility.OWNER)

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        """The layout of a private note, and the number of values in use."""
        return np.dtype([*super().dtype(parameters).descr, ("count", np.int16)])

    def slots(self, dtype: np.dtype[Any]) -> Slots | None:
        """The values in use, which are hidden from others."""
        fields: Any = dtype.fields
        count = fields["count"][1]
        return Slots(fields["values"][1], fields["seen"][1], count, self.length, MEMORY)


# --- updates ------------------------------------------------------------------------------


def forget_batches(state: State) -> None:
    """Forgets all batches, when all cards are shuffled together."""
    if state.newest.value > 0:
        state.newest.value = 0
        for card in range(len(state.batches.values)):
            state.batches.values[card] = 0
        for p in range(state.players):
            for card in range(len(state.batches.values)):
                state.taken[p].values[card] = 0
            state.taken[p].count = 0


def begin_batch(state: State, stock: Deck) -> None:
    """Makes the stock, which was empty and has been reshuffled, the newest batch."""
    if state.unsampled != 0:
        return
    if state.newest.value == 0:
        for p in range(state.players):
            hand = state.hands[p]
            state.taken[p].count = len(state.batches.values)
            bar_classes(state.barred[p].values, hand.count, all_but(0))
            for i in range(hand.count):
                state.batches.values[hand.cards[i]] += 1
                state.taken[p].values[hand.cards[i]] += 1
    else:
        cap_copies(state)
    if state.newest.value == BATCHES - 1:
        merge_batches(state, cheapest_merger(state))
        cap_copies(state)
    else:
        state.newest.value += 1
    for i in range(stock.count):
        state.batches.values[stock.cards[i]] += 1 << BITS * state.newest.value


def cap_copies(state: State) -> None:
    """Limits the copies of each batch to those in hands, which everybody can count now."""
    held = stack_record(HELD)
    for card in range(len(state.batches.values)):
        held.copies[card] = 0
    for p in range(state.players):
        for i in range(state.hands[p].count):
            held.copies[state.hands[p].cards[i]] += 1
    for card in range(len(state.batches.values)):
        if sum_copies(state.batches.values[card]) > held.copies[card]:
            cap_card(state, card, held.copies[card])


def cap_card(state: State, card: int, most: int) -> None:
    """Limits the copies of a card to `most` in each batch, and the drawn copies accordingly."""
    if most == 0:
        state.batches.values[card] = 0
        for p in range(state.players):
            state.taken[p].values[card] = 0
        return
    for shift in range(0, BITS * BATCHES, BITS):
        excess = (state.batches.values[card] >> shift & ONES) - most
        if excess > 0:
            state.batches.values[card] -= excess << shift
            for p in range(state.players):
                taken = state.taken[p].values
                taken[card] -= min(taken[card] >> shift & ONES, excess) << shift


def cheapest_merger(state: State) -> int:
    """The batch to merge with the next one: their numbers of copies have the smallest product.

    If the oldest two were always merged, at least twice as many samples would be impossible in
    small packs of Uno for three and four players.
    """
    cheapest, fewest, before = 0, -1, 0
    for batch in range(BATCHES):
        copies = 0
        for card in range(len(state.batches.values)):
            copies += state.batches.values[card] >> BITS * batch & ONES
        if batch > 0 and (fewest < 0 or before * copies < fewest):
            cheapest, fewest = batch - 1, before * copies
        before = copies
    return cheapest


def merge_batches(state: State, batch: int) -> None:
    """Merges a batch with the next one; the later ones are renumbered."""
    both = 1 << MOST_CARDS + batch | 1 << MOST_CARDS + batch + 1
    for p in range(state.players):
        values = state.barred[p].values
        for i in range(min(state.hands[p].count, len(values))):
            able = ANY_BATCH & ~values[i]
            if able & both != 0 and able & both != both:
                values[i] |= cards_without(state, able)
            numbers = merge_copies(to_copies(able), BITS * batch, 0)
            values[i] = (values[i] | ANY_BATCH) & ~to_classes(numbers)
    for card in range(len(state.batches.values)):
        copies = state.batches.values[card]
        if copies == 0:  # then nobody has drawn any
            continue
        less = max(sum_copies(copies >> BITS * batch & ONES * (1 + (1 << BITS))) - ONES, 0)
        state.batches.values[card] = merge_copies(copies, BITS * batch, less)
        for p in range(state.players):
            taken = state.taken[p].values
            taken[card] = merge_copies(taken[card], BITS * batch, less)


def cards_without(state: State, classes: int) -> int:
    """The cards, one bit each, of which none of some batches has a copy."""
    without = 0
    for card in range(len(state.batches.values)):
        if copies_of(state.batches.values[card], classes) == 0:
            without |= 1 << card
    return without


def merge_copies(copies: int, shift: int, less: int) -> int:
    """Adds the numbers of a batch and the next one, minus `less`; `shift` is the batch's bit."""
    both = max((copies >> shift & ONES) + (copies >> shift + BITS & ONES) - less, 0)
    after = copies >> shift + 2 * BITS << shift + BITS
    return copies & ((1 << shift) - 1) | both << shift | after


def note_drawn(state: State, player: int, card: int) -> None:
    """Records that a card was drawn from the stock to a hand."""
    if state.unsampled != 0:
        return
    at, newest = state.hands[player].count - 1, state.newest.value
    values = state.barred[player].values
    if at < len(values):
        values[at] = all_but(newest) if newest > 0 else 0
    if newest > 0:
        state.taken[player].values[card] += 1 << BITS * newest


def note_gone(state: State, player: int, card: int, just_drawn: bool) -> None:
    """Records that a card was played from a hand: the card that was just drawn, or any."""
    if state.unsampled != 0:
        return
    count, newest = state.hands[player].count, state.newest.value
    values = state.barred[player].values
    able = to_classes(state.batches.values[card]) if newest > 0 else ANY_BATCH
    if just_drawn:
        able &= 1 << MOST_CARDS + newest
        if count < len(values):
            values[count] = 0
    else:
        able = leave_place(values, 0, count + 1, 1 << card, able)
    if newest > 0 and able & (able - 1) == 0:
        copy = to_copies(able)
        taken = state.taken[player].values
        state.batches.values[card] -= copy
        taken[card] -= copy & copies_once(taken[card])


# --- batches as classes, and as copies ----------------------------------------------------


def all_but(batch: int) -> int:
    """The classes of all batches except `batch`."""
    return ANY_BATCH & ~(1 << MOST_CARDS + batch)


def copies_once(copies: int) -> int:
    """Reduces the copies of each batch to at most one."""
    return (copies | copies >> 1 | copies >> 2) & EACH_BATCH


def to_classes(copies: int) -> int:
    """The classes of the batches with at least one copy."""
    once = copies_once(copies)
    once = once & 1 | once >> 2 & 2 | once >> 4 & 4 | once >> 6 & 8 | once >> 8 & 16
    return once << MOST_CARDS


def to_copies(classes: int) -> int:
    """One copy of each batch among `classes`."""
    once = classes >> MOST_CARDS
    return once & 1 | (once & 2) << 2 | (once & 4) << 4 | (once & 8) << 6 | (once & 16) << 8


def copies_of(copies: int, classes: int) -> int:
    """The copies whose batches are among `classes`."""
    return copies & to_copies(classes) * ONES


def sum_copies(copies: int) -> int:
    """The total of the copies of all batches."""
    pairs = (copies & 0o70707) + (copies >> BITS & 0o707)
    return (pairs * 0o10101 >> 4 * BITS) & 0o77
