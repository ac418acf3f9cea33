"""Whether a sample contradicts what its observer has seen: its past is looked for by playing.

A sample is possible if some set-up, and some actions of the others, lead to it under the eyes of
the observer. To list all set-ups is rarely possible, and for one sample it is not needed. Cards
are followed along the true game: where one lay at the set-up that is still hidden, or that was
then shown, is known. So most places of the set-up are settled, by the sample or by what was
shown, and only the others are tried in every way.

Nothing is claimed where others may have moved hidden cards in ways that would settle other places
(``None``), or where there are too many ways.
"""

from __future__ import annotations

import difflib
import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kibitz.arena.conformance.contents import (
    Place,
    exchangeable,
    places,
    slot_length,
    slotted,
    uncertain,
)
from kibitz.certificates.worlds import (
    Bytes,
    SeenPath,
    WorldFinder,
    deal_count,
    deals,
)
from kibitz.core.layout import MEMORY
from kibitz.core.state import State

MOST_DEALS = 3_000
"""How many ways to fill the places that are not settled are tried at most,"""
MOST_STEPS = 60_000
"""and how many times their number is the length of the game."""


NEAR = 2
"""How far from where something changed an equal card may have been meant."""


class Recall(NamedTuple):
    """Whether a sample agrees with all that its observer has seen.

    Attributes:
        possible: ``None``: it cannot be told.
        action: if it is impossible, the number of the action since the last draw, from 0, after
            which no deal agrees any more with what was seen.
    """

    possible: bool | None
    action: int = 0


@dataclass(frozen=True)
class Row:
    """The values of a component that may be hidden, and who sees each.

    Attributes:
        pool: within which values are exchanged.
        start: where the values begin: the index of a 16-bit number of the state.
    """

    pool: str | None
    start: int
    values: list[int]
    seen: list[int]


Rows = dict[str, Row]
"""The rows of a state, by component."""


def rows(state: State) -> Rows:
    """The components of a state that may be hidden."""
    content = bytes(state)
    found: Rows = {}
    for instance, slots in slotted(state.table.layout, state.players):
        if slots.pool != MEMORY:
            start = instance.offset + slots.values
            length = slot_length(content, instance, slots)
            values = np.frombuffer(content, np.int16, length, start).tolist()
            seen = np.frombuffer(content, np.int16, length, instance.offset + slots.seen)
            found[instance.path] = Row(slots.pool, start // 2, values, seen.tolist())
    return found


@dataclass
class _Card:
    """A card, or another hidden value, of the first state, and what became of it.

    Attributes:
        first: its place there.
        now: the component and index where it is in the last state so far; ``None``: nowhere.
        shown: whether the observer has seen it.
        mixed: whether it may be another one that was there, too, by what the observer sees.
        hidden: for each state, where it lay hidden: the index of a 16-bit number, or -1.
    """

    first: Place
    now: tuple[str, int] | None
    shown: bool = False
    mixed: bool = False
    hidden: list[int] = field(default_factory=list)


class Past:
    """What a seat has seen of a game since the last random draw.

    Args:
        finder: of the table.
        path: all states since that draw.
        contents: the rows of each.
        actions: those between the states.
        player: the seat, from 0.
    """

    def __init__(
        self,
        finder: WorldFinder,
        path: Sequence[State],
        contents: Sequence[Rows],
        actions: Sequence[int],
        player: int,
    ) -> None:
        self._finder = finder
        self._player = player
        self._path = path
        self._actions = actions
        self._most = min(MOST_DEALS, MOST_STEPS // len(path))
        cards = [_Card(p, (p.instance.path, p.index)) for p in uncertain(path[0], player)]
        self._known = self._follow(cards, contents)
        self._open = [card for card in cards if card.mixed]
        self._settled = [card for card in cards if not card.mixed]
        self._unordered = [
            [row.start + i for i, seen in enumerate(row.seen) if not seen >> player & 1]
            for row in contents[-1].values()
            if row.pool is not None
        ]

    def _follow(self, cards: list[_Card], contents: Sequence[Rows]) -> bool:
        """Follows cards; whether few enough of them are mixed."""
        trail = _Trail(cards, contents[0], self._player)
        for content in contents[1:]:
            if trail.step(content):
                mixed = [card.first for card in cards if card.mixed]
                if deal_count(self._path[0], mixed) > self._most:
                    return False
        return True

    def recall(self, sample: State) -> Recall:
        """Whether a sample of the last state can have come about as the seat has seen it."""
        roots = self._roots(sample)
        if roots is None:
            return Recall(None)
        result = self._play(roots, sample)
        if result.possible is False:
            for shown_first in (True, False):
                again = self._play(self._rearranged(roots, shown_first), sample)
                if again.possible:
                    return again
        return result

    def _play(self, worlds: Bytes, sample: State) -> Recall:
        """Whether some of the first states lead to a sample as the seat has seen it."""
        seen = SeenPath(self._path, self._actions, self._player)
        wanted = self._keys(np.frombuffer(bytes(sample), np.uint8)[None])
        spots = np.array([card.hidden for card in self._settled], int).reshape(-1, len(self._path))
        settled = worlds[0].view(np.int16)[spots[:, 0]]
        strayed = False
        for step in range(len(self._actions)):
            after = self._finder.step(seen, step, worlds)
            if after is None:
                return Recall(None)
            kept = spots[:, step + 1] >= 0
            held = after.view(np.int16)[:, spots[kept, step + 1]]
            strayed = strayed or bool((held != settled[kept]).any())
            worlds = after
            if not len(worlds):
                break
        if wanted <= self._keys(worlds):
            return Recall(True)
        return Recall(None if strayed else False, step)

    def _keys(self, states: Bytes) -> set[bytes]:
        """What tells states apart, but for the order in which a component holds hidden cards."""
        states = states.copy()
        numbers = states.view(np.int16)
        for spots in self._unordered:
            numbers[:, spots] = np.sort(numbers[:, spots], axis=1)
        return {self._finder.key_of(state.tobytes(), self._player) for state in states}

    def _rearranged(self, roots: Bytes, shown_first: bool) -> Bytes:
        """First states in which the cards that were then shown lie before the others, or behind.

        Nobody else sees where in a hand a card lay; the order of the others is the sample's.
        """
        roots = roots.copy()
        numbers = roots.view(np.int16)
        homes: dict[str, list[_Card]] = defaultdict(list)
        for card in self._settled:
            homes[card.first.instance.path].append(card)
        for cards in homes.values():
            order = sorted(cards, key=lambda card: card.shown != shown_first)
            spots = [card.first.span.start // 2 for card in cards]
            numbers[:, spots] = numbers[:, [card.first.span.start // 2 for card in order]]
        return roots

    def _roots(self, sample: State) -> Bytes | None:
        """The first states from which the sample may have come; ``None``: they are too many."""
        if not self._known or not self._actions:
            return None
        first = self._path[0]
        content, sampled = bytearray(bytes(first)), np.frombuffer(bytes(sample), np.int16)
        numbers = np.frombuffer(content, np.int16)
        left: dict[Any, Counter[int]] = defaultdict(Counter)
        for card in (*self._settled, *self._open):
            left[exchangeable(first, card.first)][card.first.value] += 1
        for card in self._settled:
            spot = card.first.span.start // 2
            if card.hidden[-1] >= 0:
                numbers[spot] = sampled[card.hidden[-1]]
            left[exchangeable(first, card.first)][int(numbers[spot])] -= 1
        for card in self._open:
            mates = exchangeable(first, card.first)
            if mates is not None:
                rest = +left[mates]
                if not rest:
                    return None
                numbers[card.first.span.start // 2] = value = min(rest)
                left[mates][value] -= 1
        if any(-counts for mates, counts in left.items() if mates is not None):
            return None
        root = State(first.table, bytes(content))
        paths = {card.first.path for card in self._open}
        unsure = [place for place in places(root) if place.path in paths]
        if deal_count(root, unsure) > self._most:
            return None
        return np.array([np.frombuffer(deal, np.uint8) for deal in deals(root, unsure)])


class _Trail:
    """Follows cards from state to state by where equal values leave and come.

    A card is settled as long as what the observer sees tells where it goes. It is mixed where it
    moves unseen, where cards come unseen to a component that cards leave, and where an equal one
    may have moved instead.
    """

    def __init__(self, cards: list[_Card], first: Rows, player: int) -> None:
        self._cards = cards
        self._player = player
        self._rows = first
        self._at: dict[str, dict[int, _Card]] = defaultdict(dict)  # by component and index
        self._homes: dict[str, list[_Card]] = defaultdict(list)  # all that ever lay there hidden
        self._entered: set[str] = set()  # where a card has come that is hidden,
        self._left: set[str] = set()  # and that a card has left, or where one was shown
        for card in cards:
            self._at[card.first.instance.path][card.first.index] = card
            self._homes[card.first.instance.path].append(card)
            card.hidden.append(card.first.span.start // 2)

    def step(self, now: Rows) -> bool:
        """Follows the cards into the next state; whether any has become mixed."""
        mixed = sum(card.mixed for card in self._cards)
        pairs = {
            name: _pairs(row.values, now[name].values)
            for name, row in self._rows.items()
            if row.values != now[name].values
        }
        came = [
            (name, i)
            for name, kept in pairs.items()
            for i in sorted(set(range(len(now[name].values))) - set(kept.values()))
        ]
        moved = {now[name].values[i] for name, i in came}
        for name, kept in pairs.items():
            values = self._rows[name].values
            moved.update(value for i, value in enumerate(values) if i not in kept)
            if len(kept) < len(values):
                self._left.add(name)
        self._mark_alike(now, moved)
        self._entered.update(n for n, i in came if not now[n].seen[i] >> self._player & 1)
        gone = []
        for name, kept in pairs.items():
            gone += [card for i, card in self._at[name].items() if i not in kept]
            self._at[name] = {kept[i]: c for i, c in self._at[name].items() if i in kept}
            for i, card in self._at[name].items():
                card.now = name, i
        for card in gone:
            self._move(card, came, now)
        self._show(now)
        for name in self._entered & self._left:
            for card in self._homes[name]:
                card.mixed = True
        self._rows = now
        return sum(card.mixed for card in self._cards) > mixed

    def _move(self, card: _Card, came: list[tuple[str, int]], now: Rows) -> None:
        """Finds out where a card has gone that has left its component."""
        card.now = next(
            (
                (name, i)
                for name, i in came
                if now[name].values[i] == card.first.value
                and now[name].pool == card.first.slots.pool is not None
            ),
            None,
        )
        if card.now is None:
            card.mixed = True
            return
        came.remove(card.now)
        name, i = card.now
        self._at[name][i] = card
        if not now[name].seen[i] >> self._player & 1:
            card.mixed = True
            self._homes[name].append(card)

    def _show(self, now: Rows) -> None:
        """Notes which cards are shown to the observer, and where the others are."""
        for card in self._cards:
            spot = -1
            if card.now is not None and not card.shown:
                name, i = card.now
                card.shown = bool(now[name].seen[i] >> self._player & 1)
                if card.shown:
                    self._left.add(name)
                else:
                    spot = now[name].start + i
            card.hidden.append(spot)

    def _mark_alike(self, now: Rows, moved: set[int]) -> None:
        """Marks cards that are equal to one that was moved, and may have been moved instead.

        They are where components change, or at the end of others.
        """
        counts, others = Counter[int](), Counter[int]()
        near: list[_Card] = []
        for name, row in self._rows.items():
            values, after = row.values, now[name].values
            if values == after:
                start = max(0, len(values) - NEAR)
                ends = [
                    value
                    for value, seen in zip(values[start:], row.seen[start:], strict=True)
                    if not seen >> self._player & 1
                ]
                counts.update(ends)
                others.update(ends)
            else:
                both = zip(values, after, strict=False)
                same = sum(1 for _ in itertools.takewhile(lambda two: two[0] == two[1], both))
                start = max(0, same - NEAR)
                counts.update(values[start:])
                others.update(after[start:])
            near += [card for i, card in self._at[name].items() if i >= start]
        for card in near:
            value = card.first.value
            if value in moved and (counts[value] > 1 or others[value] > 1):
                card.mixed = True


def _pairs(before: Sequence[int], after: Sequence[int]) -> dict[int, int]:
    """Which indices of a list have become which, if some values have left it and others come."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    blocks = matcher.get_matching_blocks()
    return {block.a + i: block.b + i for block in blocks for i in range(block.size)}
