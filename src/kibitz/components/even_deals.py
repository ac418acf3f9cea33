"""Sampling deals under constraints, each as likely as any other, in packs of any size.

The places of ``PLACES`` with the same barred classes form a *group*, the cards that the same
groups can hold a *kind*. Each card, but for those of the commonest kind, goes to one of its groups
at random; the commonest kind fills what remains. A deal is accepted with a probability in
proportion to the number of ways to fill it, divided by the probability to draw it, which makes all
deals equally likely. That holds whatever the weights of the groups are. They are chosen so that
each group gets, on average, as many cards as it has places, as in iterative proportional fitting
(W. E. Deming, F. F. Stephan, "On a least squares adjustment of a sampled frequency table", Annals
of Mathematical Statistics 11, 1940): then most drawn deals fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.dealing import MOST_PLACES, Places
from kibitz.core.memory import stack_record
from kibitz.core.randomness import Stream, random_below, random_unit, shuffle

MOST_GROUPS = 16
"""The maximum number of different sets of barred classes."""
TRIES = 100
"""The maximum number of deals drawn until one is accepted."""
ROUNDS = 4
"""The number of rounds in which the weights of groups are fitted."""

TABLE = np.dtype(
    [
        ("groups", np.int64),
        ("barred", np.int64, (MOST_GROUPS,)),
        ("size", np.int64, (MOST_GROUPS,)),  # number of places
        ("weight", np.float64, (MOST_GROUPS,)),
        ("gain", np.float64, (MOST_GROUPS,)),  # of one more place left, in probability
        ("left", np.int64, (MOST_GROUPS,)),  # places without a card
        ("likeliest", np.int64, (MOST_GROUPS,)),  # the number left that is accepted in any case
        ("next", np.int64, (MOST_GROUPS,)),  # index in `order` of the next place to be filled
        ("group", np.int64, (MOST_PLACES,)),  # of each place
        ("kinds", np.int64),
        ("able", np.int64, (MOST_PLACES,)),  # the groups, as bits, that can hold a kind
        ("copies", np.int64, (MOST_PLACES,)),  # number of cards of a kind
        ("total", np.float64, (MOST_PLACES,)),  # weight of the groups that can hold a kind
        ("kind", np.int64, (MOST_PLACES,)),  # of each card
        ("taker", np.int64, (MOST_PLACES,)),  # the group that a card goes to
        ("order", np.int64, (MOST_PLACES,)),  # places by group
        ("card", np.int64, (MOST_PLACES,)),  # the cards and their classes as they were
        ("classes", np.int64, (MOST_PLACES,)),
    ]
)

Table = Any
"""A ``TABLE`` record."""


def deal_evenly(places: Places, rng: Stream) -> bool:
    """Deals the cards to places that can hold them; all deals are equally likely.

    Places that are ``settled`` keep their cards.

    Returns:
        Whether a deal was accepted; if not, the cards lie where they were.
    """
    if places.settled == places.count:  # there is no commonest kind
        return True
    table = stack_record(TABLE)
    if not group_places(places, table) or not sort_by_kind(places, table):
        return False
    common = commonest(table)
    fit_weights(table)
    find_likeliest(table, common)
    for _ in range(TRIES):
        if draw_takers(places, table, common, rng):
            fill_places(places, table, common, rng)
            return True
    return False


def group_places(places: Places, table: Table) -> bool:
    """Groups the places by their barred classes; returns whether there is room for all groups."""
    present = 0
    for i in range(places.settled, places.count):
        present |= places.classes[i]
    table.groups = 0
    for i in range(places.settled, places.count):
        barred = places.barred[i] & present
        g = 0
        while g < table.groups and table.barred[g] != barred:
            g += 1
        if g == table.groups:
            if g == MOST_GROUPS:
                return False
            table.barred[g] = barred
            table.size[g] = 0
            table.groups = g + 1
        table.size[g] += 1
        table.group[i] = g
    return True


def sort_by_kind(places: Places, table: Table) -> bool:
    """Finds the kind of each card; returns whether each has a group that can hold it."""
    table.kinds = 0
    for i in range(places.settled, places.count):
        able = 0
        for g in range(table.groups):
            able |= (1 if places.classes[i] & table.barred[g] == 0 else 0) << g
        if able == 0:
            return False
        k = 0
        while k < table.kinds and table.able[k] != able:
            k += 1
        if k == table.kinds:
            table.able[k] = able
            table.copies[k] = 0
            table.kinds = k + 1
        table.copies[k] += 1
        table.kind[i] = k
    return True


def commonest(table: Table) -> int:
    """The kind with the most cards."""
    best = 0
    for k in range(1, table.kinds):
        if table.copies[k] > table.copies[best]:
            best = k
    return best


def fit_weights(table: Table) -> None:
    """Chooses weights by which each group gets about as many cards as it has places."""
    for g in range(table.groups):
        table.weight[g] = table.size[g]
    for _ in range(ROUNDS if table.kinds > 1 else 0):
        add_weights(table)
        for k in range(table.kinds):
            table.total[k] = table.copies[k] / table.total[k]
        for g in range(table.groups):
            share = 0.0
            for k in range(table.kinds):
                share += table.total[k] if table.able[k] >> g & 1 else 0.0
            if share > 0.0:
                table.weight[g] = table.size[g] / share
    add_weights(table)


def add_weights(table: Table) -> None:
    """Adds up the weights of the groups that can hold each kind."""
    for k in range(table.kinds):
        total = 0.0
        for g in range(table.groups):
            total += table.weight[g] if table.able[k] >> g & 1 else 0.0
        table.total[k] = total


def find_likeliest(table: Table, common: int) -> None:
    """Finds the numbers of places left for the commonest kind that are accepted in any case."""
    for g in range(table.groups):
        table.likeliest[g] = 0
        table.gain[g] = table.weight[g] if table.able[common] >> g & 1 else -1.0
    for _ in range(table.copies[common]):
        best = 0
        for g in range(1, table.groups):
            if table.gain[g] > table.gain[best]:
                best = g
        table.likeliest[best] += 1
        table.gain[best] = table.weight[best] / (table.likeliest[best] + 1)


def draw_takers(places: Places, table: Table, common: int, rng: Stream) -> bool:
    """Draws a group for each card that is not of the commonest kind.

    Returns whether the draw is accepted.
    """
    for g in range(table.groups):
        table.left[g] = table.size[g]
    for i in range(places.settled, places.count):
        if table.kind[i] != common:
            g = draw_group(table, table.kind[i], rng)
            if table.left[g] == 0:
                return False
            table.left[g] -= 1
            table.taker[i] = g
    chance = 1.0
    for g in range(table.groups):
        left = table.left[g]
        if left > 0 and table.able[common] >> g & 1 == 0:
            return False
        for n in range(table.likeliest[g], left):
            chance *= table.weight[g] / (n + 1)
        for n in range(left, table.likeliest[g]):
            chance *= (n + 1) / table.weight[g]
    return chance >= 1.0 or random_unit(rng) < chance


def draw_group(table: Table, kind: int, rng: Stream) -> int:
    """Draws a group that can hold a kind of cards, by the weights."""
    at = random_unit(rng) * table.total[kind]
    drawn = 0
    for g in range(table.groups):
        if table.able[kind] >> g & 1 and at >= 0.0:
            drawn = g
            at -= table.weight[g]
    return drawn


def fill_places(places: Places, table: Table, common: int, rng: Stream) -> None:
    """Puts each card into a random place of its group, the commonest kind into those left."""
    start = 0
    for g in range(table.groups):
        table.next[g] = start
        start += table.size[g]
    for i in range(places.settled, places.count):
        table.card[i] = places.card[i]
        table.classes[i] = places.classes[i]
        table.order[table.next[table.group[i]]] = i
        table.next[table.group[i]] += 1
    for g in range(table.groups):
        table.next[g] -= table.size[g]
    for i in range(places.settled, places.count):
        if table.kind[i] != common:
            put_at_random(places, table, i, rng)
    waiting = 0
    for g in range(table.groups):
        for n in range(table.next[g], table.next[g] + table.left[g]):
            places.queue[waiting] = table.order[n]
            waiting += 1
    shuffle(rng, places.queue, waiting)
    for i in range(places.settled, places.count):
        if table.kind[i] == common:
            waiting -= 1
            put_card_at(places, table, i, places.queue[waiting])


def put_at_random(places: Places, table: Table, i: int, rng: Stream) -> None:
    """Puts a card into a random empty place of its group."""
    g = table.taker[i]
    first = table.next[g]
    last = table.size[g] - 1
    for other in range(g):
        last += table.size[other]
    at = first + random_below(rng, last - first + 1)
    place = table.order[at]
    table.order[at] = table.order[first]
    table.next[g] = first + 1
    put_card_at(places, table, i, place)


def put_card_at(places: Places, table: Table, i: int, place: int) -> None:
    """Puts a card, with its classes, into a place."""
    places.card[place] = table.card[i]
    places.classes[place] = table.classes[i]
