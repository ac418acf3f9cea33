"""Functions that compiled RECYCLE games call by name; they are compiled once for all games.

Arguments are addresses and numbers. Cards are in arrays of 16-bit integers, keys and ends in
arrays of 64-bit integers. A list of sets is an array of all cards, set by set, and an array of the
end of each set.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from kibitz.components.deals import exchange_places
from kibitz.components.even_deals import deal_evenly
from kibitz.core.chance import shuffle_pile, start_shuffles
from kibitz.core.dealing import PLACES, Places, add_place, deal_places, exchange_cards
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT16, INT64, Address, array_at, record_at, stack_record
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import (
    MASK32,
    Stream,
    next_uint32,
    random_below,
    random_unit,
    start_stream,
)
from kibitz.core.results import finish_by_place, finish_by_score, lose_together, win_together
from kibitz.core.sides import count_sides
from kibitz.recycle.option_list import record_option
from kibitz.recycle.subset_search import begin_subsets, next_subset, next_subset_in_ways

MOST_SETS = 4096
"""The maximum number of sets of cards that an expression gives."""
SETS_ROOM = 16384
"""The maximum total number of cards in the sets that an expression gives."""
MOST_RUN_STEPS = 1 << 20
"""The maximum number of steps of the search for runs."""
NUMBER_AT, FACTS_AT = 4, 6
"""Where a pile's own number and its facts lie, in bytes, after 4 for each card it has room for."""
SCRATCH_STREAM = 77
"""The number of the random stream for listing options, which is seeded by ``tick``."""


_TIES = 1 << 21
"""How many values a tie-break can have: a score and one of them fit into a double together."""


def finish(state: Address, lowest_wins: int) -> None:
    """Ends the game with the scores in the header."""
    finish_by_score(record_at(state, HEADER), lowest_wins != 0)


def finish_with_ties(state: Address, lowest_wins: int) -> None:
    """Ends the game with the scores in the header; where they are equal, the returns there decide.

    A number beyond a million counts as a million. All seats of one side have no rivals, and
    nothing to decide.
    """
    header = record_at(state, HEADER)
    if count_sides(header) < 2:
        finish_by_score(header, lowest_wins != 0)
        return
    for p in range(header.players):
        tie = max(-_TIES // 2, min(_TIES // 2 - 1, int(header.seat[p].returns)))
        header.seat[p].score = header.seat[p].score * _TIES + tie
    finish_by_score(header, lowest_wins != 0)
    for p in range(header.players):
        header.seat[p].score = (int(header.seat[p].score) + _TIES // 2) // _TIES


def announce(state: Address, players: int, won: int) -> None:
    """Ends the game: `players`, as bits, have won or have lost, and the others the contrary."""
    header = record_at(state, HEADER)
    if players == (1 << header.players) - 1:
        if won != 0:
            win_together(header)
        else:
            lose_together(header)
        return
    for p in range(header.players):
        header.seat[p].place = 2 - (players >> p & 1 if won != 0 else 1 - (players >> p & 1))
    finish_by_place(header)


def draw_below(state: Address, n: int) -> int:
    """A uniform random number in 0 .. n - 1 from the game's stream."""
    return random_below(record_at(state, HEADER).rng, n)


def start_scratch(state: Address) -> None:
    """Replaces the game's chance by that of the scratch stream."""
    header = record_at(state, HEADER)
    start_stream(header.rng, header.tick, SCRATCH_STREAM)
    start_shuffles(header)


def shuffle(state: Address, pile: Address, capacity: int, deal: int) -> None:
    """Shuffles a ``Deck``; only players to whom it is visible still know its cards."""
    head = array_at(pile, INT16, 2)
    cards = array_at(pile + 4, INT16, capacity)
    seen_by = array_at(pile + 4 + 2 * capacity, INT16, capacity)
    number = array_at(pile + NUMBER_AT + 4 * capacity, INT16, 1)[0]
    count = head[0]
    shown_to = head[1]
    shuffle_pile(record_at(state, HEADER), number, deal, cards, count)
    for i in range(count):
        seen_by[i] = shown_to


def riffle(pile: Address, capacity: int, work: Address, facts: int) -> None:
    """Riffles a pile perfectly, so that the bottom card stays at the bottom.

    With `facts` 1, a pile holds a 64-bit number for each card, too.
    """
    count = array_at(pile, INT16, 1)[0]
    half = (count + 1) // 2
    held = array_at(work, INT64, count)
    for field in range(2):
        values = array_at(pile + 4 + 2 * capacity * field, INT16, capacity)
        for i in range(count):
            held[i] = values[i]
        for i in range(count):
            values[i] = held[i // 2] if i % 2 == 0 else held[half + i // 2]
    ruled_out = array_at(pile + FACTS_AT + 4 * capacity, INT64, capacity * facts)
    for i in range(count * facts):
        held[i] = ruled_out[i]
    for i in range(count * facts):
        ruled_out[i] = held[i // 2] if i % 2 == 0 else held[half + i // 2]


def trade(first: Address, second: Address, capacity: int, facts: int) -> None:
    """Exchanges the contents of two piles; players to whom a pile is visible learn its cards.

    With `facts` 1, a pile holds a 64-bit number for each card, too.
    """
    heads = (array_at(first, INT16, 2), array_at(second, INT16, 2))
    cards = (array_at(first + 4, INT16, capacity), array_at(second + 4, INT16, capacity))
    seen_at = 4 + 2 * capacity
    seen_by = (
        array_at(first + seen_at, INT16, capacity),
        array_at(second + seen_at, INT16, capacity),
    )
    counts = (heads[0][0], heads[1][0])
    for i in range(max(counts[0], counts[1])):
        card = cards[0][i]
        known = seen_by[0][i]
        cards[0][i] = cards[1][i]
        seen_by[0][i] = seen_by[1][i] | heads[0][1] if i < counts[1] else 0
        cards[1][i] = card
        seen_by[1][i] = known | heads[1][1] if i < counts[0] else 0
    ruled_out = (
        array_at(first + FACTS_AT + 4 * capacity, INT64, capacity * facts),
        array_at(second + FACTS_AT + 4 * capacity, INT64, capacity * facts),
    )
    for i in range(max(counts[0], counts[1]) * facts):
        known_of = ruled_out[0][i]
        ruled_out[0][i] = ruled_out[1][i]
        ruled_out[1][i] = known_of
    heads[0][0] = counts[1]
    heads[1][0] = counts[0]


def mix(key: int, card: int) -> int:
    """A hash of a card and a random key, with the finaliser of MurmurHash3; it orders cards."""
    x = (key ^ (card * 0x9E3779B1)) & MASK32
    x ^= x >> 16
    x = (x * 0x85EBCA6B) & MASK32
    x ^= x >> 13
    x = (x * 0xC2B2AE35) & MASK32
    return x ^ (x >> 16)


def break_tie(state: Address, cards_at: Address, count: int, key_at: Address) -> int:
    """The index of the card that wins a tie.

    The random key at `key_at` is drawn if it is -1, as before the first tie.
    """
    cards = array_at(cards_at, INT16, count)
    distinct = 0
    for i in range(1, count):
        distinct |= cards[i] != cards[0]
    if not distinct:
        return 0
    key = array_at(key_at, INT64, 1)
    if key[0] < 0:
        key[0] = next_uint32(record_at(state, HEADER).rng)
    best = 0
    best_mix = -1
    for i in range(count):
        value = mix(key[0], cards[i])
        if value > best_mix:
            best_mix = value
            best = i
    return best


def sort_cards(cards_at: Address, keys_at: Address, count: int) -> None:
    """Sorts cards by ascending keys; the order of equal ones is kept."""
    cards = array_at(cards_at, INT16, count)
    keys = array_at(keys_at, INT64, count)
    for i in range(1, count):
        card = cards[i]
        key = keys[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            cards[j] = cards[j - 1]
            keys[j] = keys[j - 1]
            j -= 1
        cards[j] = card
        keys[j] = key


def partition(
    cards_at: Address, keys_at: Address, count: int, sets_at: Address, ends_at: Address
) -> int:
    """Groups cards by their keys; returns the number of groups, or -1 for too many."""
    if count > SETS_ROOM or count > MOST_SETS:
        return -1
    cards = array_at(cards_at, INT16, count)
    keys = array_at(keys_at, INT64, count)
    sets = array_at(sets_at, INT16, SETS_ROOM)
    ends = array_at(ends_at, INT64, MOST_SETS)
    groups = 0
    filled = 0
    for i in range(count):
        first = 1
        for j in range(i):
            if keys[j] == keys[i]:
                first = 0
                break
        if first == 1:
            for j in range(i, count):
                if keys[j] == keys[i]:
                    sets[filled] = cards[j]
                    filled += 1
            ends[groups] = filled
            groups += 1
    return groups


def tuples(
    cards_at: Address, keys_at: Address, count: int, size: int, sets_at: Address, ends_at: Address
) -> int:
    """Writes all sets of `size` cards with the same key; returns their number, or -1 for too many.

    The array at `keys_at` has room for twice `count` numbers.
    """
    if size < 1 or size > count:
        return 0
    sort_cards(cards_at, keys_at, count)
    cards = array_at(cards_at, INT16, count)
    keys = array_at(keys_at, INT64, count)
    picks = array_at(keys_at + 8 * count, INT64, count)
    sets = array_at(sets_at, INT16, SETS_ROOM)
    ends = array_at(ends_at, INT64, MOST_SETS)
    set_count = 0
    first = 0
    while first < count:
        after = first + 1
        while after < count and keys[after] == keys[first]:
            after += 1
        if after - first >= size:
            for i in range(size):
                picks[i] = first + i
            moving = 1
            while moving == 1:
                if set_count == MOST_SETS or (set_count + 1) * size > SETS_ROOM:
                    return -1
                for i in range(size):
                    sets[set_count * size + i] = cards[picks[i]]
                set_count += 1
                ends[set_count - 1] = set_count * size
                i = size - 1
                while i >= 0 and picks[i] == after - size + i:
                    i -= 1
                if i < 0:
                    moving = 0
                else:
                    picks[i] += 1
                    for j in range(i + 1, size):
                        picks[j] = picks[j - 1] + 1
        first = after
    return set_count


def runs(
    cards_at: Address,
    keys_at: Address,
    count: int,
    least: int,
    longest: int,
    groups_at: Address,
    work_at: Address,
    sets_at: Address,
    ends_at: Address,
) -> int:
    """Writes all sets of cards with keys in sequence; returns their number, or -1 for too many.

    Args:
        cards_at: The cards, which are sorted.
        keys_at: The keys of the cards, which are sorted, too.
        count: The number of cards.
        least: The minimum number of cards in a set.
        longest: 1 for only those sets that no further key continues, else 0.
        groups_at: The group of each card of the game, if the cards of a set must have the same
            group, else 0.
        work_at: Room for twice `count` and one more number.
        sets_at: Room for the cards of the sets.
        ends_at: Room for the end of each set.
    """
    sort_cards(cards_at, keys_at, count)
    cards = array_at(cards_at, INT16, count)
    keys = array_at(keys_at, INT64, count)
    picks = array_at(work_at, INT64, count)
    starts = array_at(work_at + 8 * count, INT64, count + 1)
    sets = array_at(sets_at, INT16, SETS_ROOM)
    ends = array_at(ends_at, INT64, MOST_SETS)
    set_count = 0
    filled = 0
    steps = 0
    first = 0
    while first < count:
        begins = first == 0 or keys[first - 1] != keys[first] - 1
        length = 0
        at = first
        extends = longest == 0 or begins
        while extends:
            after = at + 1
            while after < count and keys[after] == keys[at]:
                after += 1
            starts[length] = at
            length += 1
            starts[length] = after
            continued = after < count and keys[after] == keys[at] + 1
            depth = -1
            if length >= least and not (longest != 0 and continued):
                depth = 0
                picks[0] = first - 1
            while depth >= 0:
                picks[depth] += 1
                steps += 1
                if steps > MOST_RUN_STEPS:
                    return -1
                if picks[depth] == starts[depth + 1]:
                    depth -= 1
                elif groups_at != 0 and not same_group(
                    groups_at, cards[picks[depth]], cards[picks[0]]
                ):
                    continue
                elif depth < length - 1:
                    depth += 1
                    picks[depth] = starts[depth] - 1
                else:
                    if set_count == MOST_SETS or filled + length > SETS_ROOM:
                        return -1
                    for i in range(length):
                        sets[filled] = cards[picks[i]]
                        filled += 1
                    ends[set_count] = filled
                    set_count += 1
            at = after
            extends = continued
        after = first + 1
        while after < count and keys[after] == keys[first]:
            after += 1
        first = after
    return set_count


def same_group(groups_at: Address, first: int, second: int) -> bool:
    """Whether two cards have the same group."""
    group = array_at(groups_at + 8 * first, INT64, 1)[0]
    return bool(group == array_at(groups_at + 8 * second, INT64, 1)[0])


def run_length(
    cards_at: Address, keys_at: Address, count: int, least: int, top: int, work_at: Address
) -> int:
    """The length of the longest run at the top or bottom of a list; 0 if it is below `least`.

    The keys of a run are consecutive numbers, each once, in any order.
    """
    keys = array_at(keys_at, INT64, count)
    work = array_at(work_at, INT64, count)
    best = 0
    lowest = 0
    highest = 0
    for length in range(1, count + 1):
        key = keys[count - length] if top != 0 else keys[length - 1]
        for i in range(length - 1):
            if work[i] == key:
                return best
        work[length - 1] = key
        if length == 1 or key < lowest:
            lowest = key
        if length == 1 or key > highest:
            highest = key
        if length >= least and highest - lowest == length - 1:
            best = length
    return best


# --- sampling by what everybody knows -------------------------------------------------------

MOST_DEALS = 20
"""The maximum number of deals tried for a sample; the last is accepted in any case."""
FACTS_HEAD = 8
"""The number of cells of a specification before those of the places.

They are the number of places, the offset of the piles in the state, the size of a pile, the number
of cards, the offset of the facts, the number of locations with facts, the number of sets that each
has, and the offset in a pile of the cards that each of its cards cannot be, or 0. A cell for each
place follows, with the number of its facts, -1 for none, or -2 for a memory; then the place of
each location with facts; then, for each card, the cards of other backs as bits.
"""


def deal_to_fit(state: Address, player: int, specification: Address) -> None:
    """Deals the cards hidden from a player anew, so that they lie as everybody knows.

    All such deals are equally likely where the cards of a set, of which one is in a location, can
    be in the same places.
    """
    head = array_at(specification, INT64, FACTS_HEAD)
    facts = array_at(state + head[4], INT64, head[5] * (1 + head[6]))
    known = 0
    for i in range(head[5] * (1 + head[6])):
        known |= facts[i]
    if known == 0:
        return
    rng = record_at(state, HEADER).rng
    places = stack_record(PLACES)
    for _ in range(MOST_DEALS):
        places.count = places.settled = 0
        gather_hidden(state, player, specification, places)
        settle_sets(state, player, specification, places)
        if not deal_evenly(places, rng):
            deal_places(places, rng, False, True)
        if random_unit(rng) * count_ways(state, player, specification, places) < 1.0:
            break
    for i in range(places.count):
        pile = state + head[1] + (places.where[i] >> 8) * head[2]
        array_at(pile + 4, INT16, head[3])[places.where[i] & 255] = places.card[i]


def settle_sets(state: Address, player: int, specification: Address, places: Places) -> None:
    """Settles a card of each set of which one is hidden in a location."""
    head = array_at(specification, INT64, FACTS_HEAD)
    locations = array_at(specification + 8 * (FACTS_HEAD + head[0]), INT64, head[5])
    some = array_at(state + head[4] + 8 * head[5], INT64, head[5] * head[6])
    for k in range(head[5] * head[6]):
        location = locations[k // head[6]]
        if some[k] != 0 and not is_seen_there(state, player, head, location, some[k]):
            settle_card(places, record_at(state, HEADER).rng, location, some[k])


def settle_card(places: Places, rng: Stream, location: int, cards: int) -> None:
    """Settles a random card, of some, at a random hidden place of a location that can hold it."""
    rooms = 0
    barred = 0
    for i in range(places.settled, places.count):
        if places.where[i] >> 8 == location:
            rooms += 1
            barred = places.barred[i]
    able = 0
    for i in range(places.settled, places.count):
        able += places.classes[i] & cards & ~barred != 0
    if rooms == 0 or able == 0:
        return
    card = random_below(rng, able)
    room = random_below(rng, rooms)
    at = places.settled
    for i in range(at, places.count):
        if places.classes[i] & cards & ~barred != 0:
            if card == 0:
                exchange_cards(places, i, at)
                break
            card -= 1
    for i in range(at, places.count):
        if places.where[i] >> 8 == location:
            if room == 0:
                exchange_places(places, i, at)
                break
            room -= 1
    places.settled = at + 1


def count_ways(state: Address, player: int, specification: Address, places: Places) -> int:
    """The number of ways in which ``settle_sets`` can have led to a deal."""
    head = array_at(specification, INT64, FACTS_HEAD)
    locations = array_at(specification + 8 * (FACTS_HEAD + head[0]), INT64, head[5])
    some = array_at(state + head[4] + 8 * head[5], INT64, head[5] * head[6])
    ways = 1
    for k in range(head[5] * head[6]):
        location = locations[k // head[6]]
        if some[k] != 0 and not is_seen_there(state, player, head, location, some[k]):
            present = 0
            for i in range(places.count):
                inside = places.where[i] >> 8 == location
                present += inside and places.classes[i] & some[k] != 0
            ways *= max(1, present)
    return ways


def is_seen_there(state: Address, player: int, head: Any, location: int, cards: int) -> bool:
    """Whether a player sees one of some cards in a location."""
    pile = state + head[1] + location * head[2]
    held = array_at(pile + 4, INT16, head[3])
    seen_by = array_at(pile + 4 + 2 * head[3], INT16, head[3])
    for i in range(array_at(pile, INT16, 1)[0]):
        if seen_by[i] >> player & 1 and cards >> held[i] & 1:
            return True
    return False


def gather_hidden(state: Address, player: int, specification: Address, places: Places) -> None:
    """Adds the places of cards that a player does not see, as ``place << 8 | index``."""
    head = array_at(specification, INT64, FACTS_HEAD)
    facts = array_at(specification + 8 * FACTS_HEAD, INT64, head[0])
    other_backs = array_at(specification + 8 * (FACTS_HEAD + head[0] + head[5]), INT64, head[3])
    excluded = array_at(state + head[4], INT64, head[5])
    for place in range(head[0]):
        if facts[place] != -2:
            pile = state + head[1] + place * head[2]
            cards = array_at(pile + 4, INT16, head[3])
            seen_by = array_at(pile + 4 + 2 * head[3], INT16, head[3])
            absent = excluded[facts[place]] if facts[place] >= 0 else 0
            ruled_out = array_at(pile + head[7], INT64, head[3])
            for i in range(array_at(pile, INT16, 1)[0]):
                if seen_by[i] >> player & 1 == 0:
                    card = cards[i]
                    barred = absent | other_backs[card] | (ruled_out[i] if head[7] != 0 else 0)
                    add_place(places, place << 8 | i, card, 1 << card, barred)


def fits_facts(state: Address, specification: Address) -> int:
    """1 if the cards lie as everybody knows, else 0."""
    head = array_at(specification, INT64, FACTS_HEAD)
    locations = array_at(specification + 8 * (FACTS_HEAD + head[0]), INT64, head[5])
    excluded = array_at(state + head[4], INT64, head[5])
    some = array_at(state + head[4] + 8 * head[5], INT64, head[5] * head[6])
    for fact in range(head[5]):
        pile = state + head[1] + locations[fact] * head[2]
        cards = array_at(pile + 4, INT16, head[3])
        held = 0
        for i in range(array_at(pile, INT16, 1)[0]):
            held |= 1 << cards[i]
        if held & excluded[fact] != 0:
            return 0
        for k in range(fact * head[6], (fact + 1) * head[6]):
            if some[k] != 0 and held & some[k] == 0:
                return 0
    return 1


EXPORTS = {
    "finish": Export(finish, "vii"),
    "finish_with_ties": Export(finish_with_ties, "vii"),
    "announce": Export(announce, "viii"),
    "draw_below": Export(draw_below, "iii"),
    "start_scratch": Export(start_scratch, "vi"),
    "shuffle": Export(shuffle, "viiii"),
    "riffle": Export(riffle, "viiii"),
    "trade": Export(trade, "viiii"),
    "break_tie": Export(break_tie, "iiiii"),
    "sort_cards": Export(sort_cards, "viii"),
    "partition": Export(partition, "iiiiii"),
    "tuples": Export(tuples, "iiiiiii"),
    "runs": Export(runs, "iiiiiiiiii"),
    "run_length": Export(run_length, "iiiiiii"),
    "record_option": Export(record_option, "iiiiii"),
    "deal_to_fit": Export(deal_to_fit, "viii"),
    "fits_facts": Export(fits_facts, "iii"),
    "begin_subsets": Export(begin_subsets, "vii"),
    "next_subset": Export(next_subset, "iiiii"),
    "next_subset_in_ways": Export(next_subset_in_ways, "iiiii"),
}
"""The functions that compiled games may call, by name."""


@functools.cache
def addresses() -> Mapping[str, int]:
    """The addresses of the primitives, by the names that compiled games use."""
    compiled = compile_native("the card primitives", EXPORTS)
    return {f"kibitz_{name}": address for name, address in compiled.items()}
