"""An iterative search for subsets of cards that meet bounds; compiled once.

Subsets come in the order of binary counting, the first card as the lowest bit. Every card has
weights, and keys of several sorts. A condition is that the sum of a weight over the cards lies
within bounds, or that all cards have the same key of a sort, wild cards aside. A subset is wanted
if it meets all conditions of one of several ways. The search decides about one card after the
other, the last card first, and turns back where no further card can bring a sum within its bounds,
or where two keys differ already; so it passes by all that cannot be wanted.

Where every way asks for the same sort of key and no card is wild, the search goes from a card to
the next one with the same key, past all others (`GROUPED`).

A search works in an array of 64-bit integers: its head, then for each card the fields below, then
for each weight two bounds and a sum, and three fields for each card; then for each sort of keys
two fields and the keys; then for each way its conditions, as bits.
"""

from __future__ import annotations

from collections.abc import Callable

from kibitz.core.memory import INT16, INT64, Address, array_at

COUNT, GROUPED, EMPTY, WEIGHTS, SORTS, SORTS_AT, WAYS, WAYS_AT, LEADER, LAST, STEPS, HEAD = range(
    12
)
"""The head: how many cards there are, whether the search goes by keys, whether the empty set is
one; how many weights and sorts of keys there are, and where the latter lie; how many ways there
are, and where; then the last card of the subset at hand, the first card that was decided about,
and how many decisions there have been."""
KEY, BELOW, ABOVE, TAKEN, CARD_FIELDS = range(5)
"""Of each card: its key; the cards before and after it with the same one; whether it is taken."""
LOW, HIGH, SUM, BOUNDS = range(4)
FIRST, DIFFERENT, SORT_FIELDS = range(3)
"""Of each sort of keys: the card that was taken first, of those that are not wild (-1: none); how
many of the others have another key."""
WILD = -(1 << 62)
"""The key of a card that is like all others."""
FIRST_SORT_BIT = 31
"""The bit of a condition in a way: the number of its weight, or from here on that of its sort."""
NOT_BEGUN = -2
NO_MORE, TOO_LONG = -1, -2
MOST_STEPS = 1 << 20
"""Decisions between two subsets."""


def size_of_sorts(cards: int, sorts: int) -> int:
    """How many numbers so many sorts of keys have."""
    return sorts * (SORT_FIELDS + cards)


def bounds_at(cards: int, weight: int) -> int:
    """Where the bounds of a weight lie, and its sum; behind the last weight, the sorts of keys."""
    return HEAD + CARD_FIELDS * cards + weight * (BOUNDS + 3 * (cards + 1))


def weights_at(cards: int, weight: int) -> int:
    """Where the cards' weights lie; the least and the most that is still to come follow."""
    return bounds_at(cards, weight) + BOUNDS


def begin_subsets(search_at: Address, room: int) -> None:
    """Begins a search; keys, weights, bounds, ways and the head up to `WAYS_AT` are set."""
    head = array_at(search_at, INT64, HEAD)
    fields = array_at(search_at + 8 * HEAD, INT64, CARD_FIELDS * room)
    count = head[COUNT]
    head[LEADER] = NOT_BEGUN
    for k in range(head[SORTS]):
        sort = array_at(search_at + 8 * (head[SORTS_AT] + k * (SORT_FIELDS + room)), INT64, 2)
        sort[FIRST] = -1
        sort[DIFFERENT] = 0
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
    """Whether all sums can meet their bounds by the cards taken, a card, and undecided ones.

    The card is -1 for none; cards from `undecided` down are undecided.
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


def some_way_is_open(search_at: Address, room: int, added: int, undecided: int) -> bool:
    """Whether all conditions of one of the ways can be met, with the same cards."""
    head = array_at(search_at, INT64, HEAD)
    failed = 0
    for w in range(head[WEIGHTS]):
        bounds = array_at(search_at + 8 * bounds_at(room, w), INT64, BOUNDS)
        sums = array_at(search_at + 8 * weights_at(room, w), INT64, 3 * (room + 1))
        total = bounds[SUM] + (sums[added] if added >= 0 else 0)
        least = total + sums[room + 1 + undecided + 1]
        most = total + sums[2 * (room + 1) + undecided + 1]
        if least > bounds[HIGH] or most < bounds[LOW]:
            failed |= 1 << w
    for k in range(head[SORTS]):
        at = search_at + 8 * (head[SORTS_AT] + k * (SORT_FIELDS + room))
        sort = array_at(at, INT64, SORT_FIELDS)
        keys = array_at(at + 8 * SORT_FIELDS, INT64, room)
        differ = sort[DIFFERENT] > 0
        if added >= 0 and sort[FIRST] >= 0 and keys[added] != WILD:
            differ |= keys[added] != keys[sort[FIRST]]
        if differ:
            failed |= 1 << (FIRST_SORT_BIT + k)
    ways = array_at(search_at + 8 * head[WAYS_AT], INT64, head[WAYS])
    for i in range(head[WAYS]):
        if ways[i] & failed == 0:
            return True
    return False


def take(search_at: Address, room: int, card: int, taken: int) -> None:
    """Takes a card into the subset, or out of it."""
    array_at(search_at + 8 * HEAD, INT64, CARD_FIELDS * room)[TAKEN * room + card] = taken
    for w in range(array_at(search_at, INT64, HEAD)[WEIGHTS]):
        weight = array_at(search_at + 8 * weights_at(room, w), INT64, room)[card]
        bounds = array_at(search_at + 8 * bounds_at(room, w), INT64, BOUNDS)
        bounds[SUM] += weight if taken != 0 else -weight


def take_with_keys(search_at: Address, room: int, card: int, taken: int) -> None:
    """Takes a card into the subset, or out of it, and notes its keys."""
    take(search_at, room, card, taken)
    head = array_at(search_at, INT64, HEAD)
    for k in range(head[SORTS]):
        at = search_at + 8 * (head[SORTS_AT] + k * (SORT_FIELDS + room))
        sort = array_at(at, INT64, SORT_FIELDS)
        keys = array_at(at + 8 * SORT_FIELDS, INT64, room)
        if keys[card] == WILD:
            continue
        if sort[FIRST] == card:  # taken out last, as it was taken first
            sort[FIRST] = -1
        elif sort[FIRST] < 0:
            sort[FIRST] = card
        elif keys[card] != keys[sort[FIRST]]:
            sort[DIFFERENT] += 1 if taken != 0 else -1


def written_subset(
    search_at: Address,
    room: int,
    leader: int,
    last: int,
    steps: int,
    cards_at: Address,
    subset_at: Address,
) -> int:
    """Writes the cards taken and the position of the search; returns their number."""
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


def searching(
    can_be: Callable[[Address, int, int, int], bool],
    take_card: Callable[[Address, int, int, int], None],
) -> Callable[[Address, int, Address, Address], int]:
    """Makes a search from a test that prunes it and a function that takes cards.

    Each search is compiled alone, since most have only sums.
    """

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
            if head[EMPTY] != 0 and can_be(search_at, room, -1, -1):
                head[LAST] = -1
                return 0
        last = at
        turned_back = True
        steps = 0
        while steps <= MOST_STEPS:
            if turned_back and at == leader:  # all subsets up to this card have been looked at
                if leader >= 0:
                    take_card(search_at, room, leader, 0)
                leader += 1
                if leader >= head[COUNT]:
                    return NO_MORE
                take_card(search_at, room, leader, 1)
                at = leader
                below = fields[BELOW * room + leader]
                if can_be(search_at, room, -1, below):
                    turned_back = False
                    last = leader
                    at = below
            elif turned_back:
                if fields[TAKEN * room + at] != 0:
                    take_card(search_at, room, at, 0)
                    at = fields[ABOVE * room + at]
                elif can_be(search_at, room, at, fields[BELOW * room + at]):
                    take_card(search_at, room, at, 1)
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
                if can_be(search_at, room, -1, below):
                    at = below
                elif can_be(search_at, room, at, below):
                    take_card(search_at, room, at, 1)
                    at = below
                else:
                    turned_back = True
                    at = fields[ABOVE * room + at]
            steps += 1
        return TOO_LONG

    return next_subset


next_subset = searching(can_be_wanted, take)
"""The next subset where there is one way, and no sort of keys but those that are gone by."""
next_subset_in_ways = searching(some_way_is_open, take_with_keys)
"""The next subset where there are several ways, or sorts of keys."""
