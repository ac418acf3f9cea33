"""An iterative search for subsets of cards that meet conditions; compiled once for all games.

Subsets come in the order of binary counting, with the first card as the lowest bit. Every card has
weights, and keys of several sorts. A condition is that the sum of a weight over the cards lies
within bounds, or that all cards except wild ones have the same key of a sort. A subset is wanted
if it meets all conditions of one of several ways. The search decides about one card after the
other, the last card first. It turns back if no further cards can bring a sum within its bounds, or
if two keys differ, so it skips subsets that cannot be wanted.

If every way requires the same sort of key and no card is wild, the search goes from a card
directly to the next one with the same key (`GROUPED`).

A search works in an array of 64-bit integers. It contains the head; the fields of each card; for
each weight two bounds, a sum and three fields for each card; for each sort of keys two fields and
the keys; and for each way its conditions, as bits.
"""

from __future__ import annotations

from collections.abc import Callable

from kibitz.core.memory import INT16, INT64, Address, array_at

COUNT, GROUPED, EMPTY, WEIGHTS, SORTS, SORTS_AT, WAYS, WAYS_AT, LEADER, LAST, STEPS, HEAD = range(
    12
)
"""The fields of the head: the number of cards; whether the search goes by keys; whether the empty
set is included; the number of weights; the number and the index of the sorts of keys; the number
and the index of the ways; the last card of the current subset; the card of the last decision; and
the number of decisions. ``HEAD`` is the size of the head."""
KEY, BELOW, ABOVE, TAKEN, CARD_FIELDS = range(5)
"""The fields of each card: its key; the previous and the next card with the same key; whether it
is in the subset. ``CARD_FIELDS`` is their number."""
LOW, HIGH, SUM, BOUNDS = range(4)
"""The fields of each weight: its bounds and its sum over the subset; ``BOUNDS`` counts them."""
FIRST, DIFFERENT, SORT_FIELDS = range(3)
"""The fields of each sort of keys: the first card that was taken and is not wild, or -1; and the
number of taken cards with another key. ``SORT_FIELDS`` is their number."""
WILD = -(1 << 62)
"""The key of a wild card, which equals all keys."""
FIRST_SORT_BIT = 31
"""The bit of the first sort of keys in a way; lower bits stand for weights."""
NOT_BEGUN = -2
"""The value of ``LEADER`` before the first subset."""
NO_MORE, TOO_LONG = -1, -2
"""The results of a search that is finished, or that takes too long."""
MOST_STEPS = 1 << 20
"""The maximum number of decisions between two subsets."""


def size_of_sorts(cards: int, sorts: int) -> int:
    """The size of some sorts of keys, in numbers of the array."""
    return sorts * (SORT_FIELDS + cards)


def bounds_at(cards: int, weight: int) -> int:
    """The index of the bounds of a weight; behind the last weight, that of the sorts of keys."""
    return HEAD + CARD_FIELDS * cards + weight * (BOUNDS + 3 * (cards + 1))


def weights_at(cards: int, weight: int) -> int:
    """The index of the weights of the cards.

    The minimum and maximum sums over the cards that are still undecided follow them.
    """
    return bounds_at(cards, weight) + BOUNDS


def begin_subsets(search_at: Address, room: int) -> None:
    """Begins a search, after keys, weights, bounds, ways and the head up to `WAYS_AT` were set."""
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
    """Whether all sums can still meet their bounds.

    Args:
        search_at: The array of the search.
        room: The maximum number of cards.
        added: A card to be added to those taken; -1 for none.
        undecided: The last undecided card; those below it are undecided, too.
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
    """Whether all conditions of one of the ways can still be met; see ``can_be_wanted``."""
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
    """Adds a card to the subset, or removes it if `taken` is 0."""
    array_at(search_at + 8 * HEAD, INT64, CARD_FIELDS * room)[TAKEN * room + card] = taken
    for w in range(array_at(search_at, INT64, HEAD)[WEIGHTS]):
        weight = array_at(search_at + 8 * weights_at(room, w), INT64, room)[card]
        bounds = array_at(search_at + 8 * bounds_at(room, w), INT64, BOUNDS)
        bounds[SUM] += weight if taken != 0 else -weight


def take_with_keys(search_at: Address, room: int, card: int, taken: int) -> None:
    """Adds a card to the subset, or removes it, and updates the fields of the sorts of keys."""
    take(search_at, room, card, taken)
    head = array_at(search_at, INT64, HEAD)
    for k in range(head[SORTS]):
        at = search_at + 8 * (head[SORTS_AT] + k * (SORT_FIELDS + room))
        sort = array_at(at, INT64, SORT_FIELDS)
        keys = array_at(at + 8 * SORT_FIELDS, INT64, room)
        if keys[card] == WILD:
            continue
        if sort[FIRST] == card:  # the card was taken first, so it is removed last
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
    """Writes the cards of the subset and the position of the search; returns the subset's size."""
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
    """Makes a search from a test that prunes it and a function that adds or removes cards.

    There are two searches, compiled separately, because most filters need only sums.
    """

    def next_subset(search_at: Address, room: int, cards_at: Address, subset_at: Address) -> int:
        """Writes the next wanted subset; returns its size.

        The result is `NO_MORE` after the last subset, and `TOO_LONG` if the search exceeds
        `MOST_STEPS`.
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
            if turned_back and at == leader:  # all subsets with this last card are finished
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
"""The search for conditions that are all sums, in one way, perhaps `GROUPED` by a key."""
next_subset_in_ways = searching(some_way_is_open, take_with_keys)
"""The search for several ways or sorts of keys."""
