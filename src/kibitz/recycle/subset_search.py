"""Going through subsets of cards within bounds, one by one: compiled once, for all games.

Subsets come in the order of binary counting, the first card as the lowest bit. Every card has
weights, and a subset is wanted if the sum of each weight over its cards lies within bounds.
Cards may also have keys; then those of a subset have the same one. The search decides about one
card after the other, the last card first, and turns back where no further card can bring a sum
within its bounds; so it passes by all that cannot be wanted.

A search works in an array of 64-bit integers: its head, then for each card the fields below, then
for each weight two bounds and a sum, and three fields for each card.
"""

from __future__ import annotations

from kibitz.core.memory import INT16, INT64, Address, array_at

COUNT, WEIGHTS, GROUPED, EMPTY, LEADER, LAST, STEPS, HEAD = range(8)
"""The head: how many cards and weights there are, whether the keys count, whether the empty set is
one; then the last card of the subset at hand, the first card that was decided about, and how many
decisions there have been."""
KEY, BELOW, ABOVE, TAKEN, CARD_FIELDS = range(5)
"""Of each card: its key; the cards before and after it with the same one; whether it is taken."""
LOW, HIGH, SUM, BOUNDS = range(4)
NOT_BEGUN = -2
NO_MORE, TOO_LONG = -1, -2
MOST_STEPS = 1 << 20
"""Decisions between two subsets."""


def size_of_search(cards: int, weights: int) -> int:
    """How many numbers a search works with, of at most so many cards."""
    return HEAD + CARD_FIELDS * cards + weights * (BOUNDS + 3 * (cards + 1))


def bounds_at(cards: int, weight: int) -> int:
    """Where the bounds of a weight lie, and its sum."""
    return HEAD + CARD_FIELDS * cards + weight * (BOUNDS + 3 * (cards + 1))


def weights_at(cards: int, weight: int) -> int:
    """Where the cards' weights lie; the least and the most that is still to come follow."""
    return bounds_at(cards, weight) + BOUNDS


def begin_subsets(search_at: Address, room: int) -> None:
    """Begins a search of which the first four of the head, keys, weights and bounds are set."""
    head = array_at(search_at, INT64, HEAD)
    fields = array_at(search_at + 8 * HEAD, INT64, CARD_FIELDS * room)
    count = head[COUNT]
    head[LEADER] = NOT_BEGUN
    for i in range(count):
        before = i - 1
        if head[GROUPED] != 0:
            while before >= 0 and fields[KEY * room + before] != fields[KEY * room + i]:
                before -= 1
        fields[BELOW * room + i] = before
        if before >= 0:
            fields[ABOVE * room + before] = i
        fields[TAKEN * room + i] = 0
    for w in range(head[WEIGHTS]):
        array_at(search_at + 8 * bounds_at(room, w), INT64, BOUNDS)[SUM] = 0
        sums = array_at(search_at + 8 * weights_at(room, w), INT64, 3 * (room + 1))
        least = room + 1
        most = 2 * (room + 1)
        sums[least] = 0
        sums[most] = 0
        for i in range(count):
            before = fields[BELOW * room + i]
            sums[least + i + 1] = sums[least + before + 1] + min(sums[i], 0)
            sums[most + i + 1] = sums[most + before + 1] + max(sums[i], 0)


def can_be_wanted(search_at: Address, room: int, added: int, undecided: int) -> bool:
    """Whether all sums can come within their bounds, with a card (-1: none) and some of those
    from `undecided` down.
    """
    for w in range(array_at(search_at, INT64, HEAD)[WEIGHTS]):
        bounds = array_at(search_at + 8 * bounds_at(room, w), INT64, BOUNDS)
        sums = array_at(search_at + 8 * weights_at(room, w), INT64, 3 * (room + 1))
        total = bounds[SUM]
        if added >= 0:
            total += sums[added]
        if total + sums[room + 1 + undecided + 1] > bounds[HIGH]:
            return False
        if total + sums[2 * (room + 1) + undecided + 1] < bounds[LOW]:
            return False
    return True


def take(search_at: Address, room: int, card: int, taken: int) -> None:
    """Takes a card into the subset, or out of it."""
    array_at(search_at + 8 * HEAD, INT64, CARD_FIELDS * room)[TAKEN * room + card] = taken
    for w in range(array_at(search_at, INT64, HEAD)[WEIGHTS]):
        weight = array_at(search_at + 8 * weights_at(room, w), INT64, room)[card]
        bounds = array_at(search_at + 8 * bounds_at(room, w), INT64, BOUNDS)
        bounds[SUM] += weight if taken != 0 else -weight


def next_subset(search_at: Address, room: int, cards_at: Address, subset_at: Address) -> int:
    """Writes the next wanted subset; returns how many cards it has.

    `NO_MORE` if there is none, `TOO_LONG` if none was found in `MOST_STEPS`.
    """
    head = array_at(search_at, INT64, HEAD)
    fields = array_at(search_at + 8 * HEAD, INT64, CARD_FIELDS * room)
    leader = head[LEADER]
    at = head[LAST]
    if leader == NOT_BEGUN:
        head[LEADER] = -1
        leader = -1
        at = -1
        if head[EMPTY] != 0 and can_be_wanted(search_at, room, -1, -1):
            head[LAST] = -1
            return 0
    last = at
    turned_back = True
    steps = 0
    while steps <= MOST_STEPS:
        if turned_back and at == leader:  # all subsets up to this card have been looked at
            if leader >= 0:
                take(search_at, room, leader, 0)
            leader += 1
            if leader >= head[COUNT]:
                return NO_MORE
            take(search_at, room, leader, 1)
            at = leader
            below = fields[BELOW * room + leader]
            if can_be_wanted(search_at, room, -1, below):
                turned_back = False
                last = leader
                at = below
        elif turned_back:
            if fields[TAKEN * room + at] != 0:
                take(search_at, room, at, 0)
                at = fields[ABOVE * room + at]
            elif can_be_wanted(search_at, room, at, fields[BELOW * room + at]):
                take(search_at, room, at, 1)
                turned_back = False
                last = at
                at = fields[BELOW * room + at]
            else:
                at = fields[ABOVE * room + at]
        elif at < 0:
            return written_subset(search_at, room, leader, last, steps, cards_at, subset_at)
        else:
            below = fields[BELOW * room + at]
            last = at
            if can_be_wanted(search_at, room, -1, below):
                at = below
            elif can_be_wanted(search_at, room, at, below):
                take(search_at, room, at, 1)
                at = below
            else:
                turned_back = True
                at = fields[ABOVE * room + at]
        steps += 1
    return TOO_LONG


def written_subset(
    search_at: Address,
    room: int,
    leader: int,
    last: int,
    steps: int,
    cards_at: Address,
    subset_at: Address,
) -> int:
    """Writes the cards that are taken, and where the search stands; returns how many they are."""
    head = array_at(search_at, INT64, HEAD)
    head[LEADER] = leader
    head[LAST] = last
    head[STEPS] += steps
    taken = array_at(search_at + 8 * (HEAD + TAKEN * room), INT64, room)
    cards = array_at(cards_at, INT16, room)
    subset = array_at(subset_at, INT16, room)
    size = 0
    for i in range(leader + 1):
        if taken[i] != 0:
            subset[size] = cards[i]
            size += 1
    return size
