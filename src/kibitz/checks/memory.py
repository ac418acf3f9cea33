"""Whether a sample contradicts what its observer has seen: its past is looked for by playing.

A sample is possible if some set-up, and some actions of the others, lead to it under the eyes of
the observer. To list all set-ups is rarely possible, and for one sample it is not needed. Cards
are followed along the true game: where a card lay at the set-up is known if it is still hidden
now, or was shown later. So most places of the set-up are settled, by the sample or by what was
shown, and only the others are tried in every way.

Nothing is claimed (``None``) where others may have moved hidden cards in ways that would settle
other places, or where too many ways remain.
"""

from __future__ import annotations

import difflib
import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from kibitz.checks.contents import (
    Place,
    exchangeable,
    places,
    slot_length,
    slotted,
    uncertain,
)
from kibitz.checks.explanations import hands_in_order, observation_differences
from kibitz.checks.worlds import (
    Bytes,
    SeenPath,
    WorldFinder,
    deal_count,
    deals,
)
from kibitz.core.layout import MEMORY
from kibitz.core.state import State

MOST_FILLINGS = 3_000
"""The greatest number of ways to fill the places that are not settled; with more nothing is
claimed."""
MOST_FILLING_STEPS = 60_000
"""The greatest product of the number of these ways and the length of the game."""
NEAR = 2
"""The distance from a change within which an equal card may have been moved instead."""
WORLDS_EXPLAINED = 16
"""The number of contradicted pasts in which the cause of the contradiction is looked for."""


class Recall(NamedTuple):
    """Whether a sample agrees with all that its observer has seen.

    Attributes:
        possible: whether some past leads to the sample; ``None``: unknown.
        action: the number of the action since the last draw, from 0, after which no past of an
            impossible sample agrees with what was seen.
        reason: what differs there, in words.
    """

    possible: bool | None
    action: int = 0
    reason: str = ""


class Course(NamedTuple):
    """What became of the possible first states of a sample, played on as the seat has seen it.

    Attributes:
        possible: whether some of them lead to the sample; ``None``: unknown.
        action: the number of the last action that was played.
        before: the worlds before this action.
        after: the worlds after it that agree with what was seen.
    """

    possible: bool | None
    action: int
    before: Bytes
    after: Bytes


@dataclass(frozen=True)
class Row:
    """The values of a component that may be hidden, and who sees each.

    Attributes:
        pool: the pool within which values are exchanged.
        start: the index in the state of the first value, in 16-bit numbers.
        values: the values in use, in order.
        masks: for each value a mask of the seats that see it.
    """

    pool: str | None
    start: int
    values: list[int]
    masks: list[int]


Rows = dict[str, Row]
"""The rows of a state, by component."""


def rows(state: State) -> Rows:
    """The components of a state that may be hidden."""
    content = bytes(state)
    by_component: Rows = {}
    for instance, slots in slotted(state.table.layout, state.players):
        if slots.pool != MEMORY:
            start = instance.offset + slots.values
            length = slot_length(content, instance, slots)
            values = np.frombuffer(content, np.int16, length, start).tolist()
            masks = np.frombuffer(content, np.int16, length, instance.offset + slots.seen)
            by_component[instance.path] = Row(slots.pool, start // 2, values, masks.tolist())
    return by_component


@dataclass
class _Card:
    """A card, or another hidden value, of the first state, and what became of it.

    Attributes:
        first: the place where it lies there.
        current: the component and index where it lies in the latest state; ``None``: nowhere.
        shown: whether the observer has seen it.
        mixed: whether the observer cannot tell it from another card that was there, too.
        hidden: for each state the index, in 16-bit numbers, of where it lay hidden, or -1.
    """

    first: Place
    current: tuple[str, int] | None
    shown: bool = False
    mixed: bool = False
    hidden: list[int] = field(default_factory=list)


class Past:
    """What a seat has seen of a game since the last random draw.

    Args:
        finder: plays worlds on at the table.
        path: all states since that draw.
        contents: the rows of each state.
        actions: the actions between the states.
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
        self._most = min(MOST_FILLINGS, MOST_FILLING_STEPS // len(path))
        cards = [_Card(p, (p.instance.path, p.index)) for p in uncertain(path[0], player)]
        self._known = self._follow(cards, contents)
        self._open = [card for card in cards if card.mixed]
        self._settled = [card for card in cards if not card.mixed]
        self._unordered = [
            [row.start + i for i, mask in enumerate(row.masks) if not mask >> player & 1]
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
        course = self._play(roots, sample)
        if course.possible is not False:
            return Recall(course.possible, course.action)
        for shown_first in (True, False):
            again = self._play(self._rearranged(roots, shown_first), sample)
            if again.possible:
                return Recall(True, again.action)
        reason = self._contradiction(course)
        return Recall(False if reason else None, course.action, reason)

    def _contradiction(self, course: Course) -> str:
        """What no past of a sample agrees with, in words.

        Empty if it is only the order of the cards in a hand: where a known card lies among others
        may exclude some orders of these, but nobody holds cards so that others see that.
        """
        true, action = self._path[course.action], self._actions[course.action]
        player, words = true.current_player, true.action_words(action)
        if len(course.after):
            return f"after {words!r} of player {player + 1} nothing leads to it"
        differing = []
        for content in course.before[:WORLDS_EXPLAINED]:
            world = State(true.table, content.tobytes())
            if world.is_terminal or world.current_player != player:
                continue
            if action in (true.table.legal_actions(world.address) or ()):
                after = world.clone()
                true.table.call("apply_action", after.address, action)
                true_after = self._path[course.action + 1]
                if hands_in_order(after, self._player) == hands_in_order(true_after, self._player):
                    return ""
                differing.append(observation_differences(after, true_after, self._player))
        if not differing:
            return f"player {player + 1} could not have chosen {words!r}"
        return (
            f"after {words!r} of player {player + 1}, player {self._player + 1} would have seen "
            f"something else: {min(differing, key=len)}"
        )

    def _play(self, worlds: Bytes, sample: State) -> Course:
        """Plays first states on as the seat has seen it, and compares the ends with a sample."""
        path = SeenPath(self._path, self._actions, self._player)
        targets = self._keys(np.frombuffer(bytes(sample), np.uint8)[None])
        spots = np.array([card.hidden for card in self._settled], int).reshape(-1, len(self._path))
        settled = worlds[0].view(np.int16)[spots[:, 0]]
        strayed = False
        for step in range(len(self._actions)):
            before = worlds
            after = self._finder.step(path, step, before)
            if after is None:
                return Course(None, step, before, before)
            hidden = spots[:, step + 1] >= 0
            values = after.view(np.int16)[:, spots[hidden, step + 1]]
            strayed = strayed or bool((values != settled[hidden]).any())
            worlds = after
            if not len(worlds):
                break
        if targets <= self._keys(worlds):
            return Course(True, step, before, worlds)
        return Course(None if strayed else False, step, before, worlds)

    def _keys(self, states: Bytes) -> set[bytes]:
        """The keys of worlds, whatever the order in which a component holds hidden cards."""
        states = states.copy()
        numbers = states.view(np.int16)
        for spots in self._unordered:
            numbers[:, spots] = np.sort(numbers[:, spots], axis=1)
        return {self._finder.key_of(state.tobytes(), self._player) for state in states}

    def _rearranged(self, roots: Bytes, shown_first: bool) -> Bytes:
        """First states in which cards that were shown later lie before the others, or behind.

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
        """The first states from which a sample may have come; ``None``: too many, or unknown."""
        if not self._known or not self._actions:
            return None
        first = self._path[0]
        content, sampled = bytearray(bytes(first)), np.frombuffer(bytes(sample), np.int16)
        numbers = np.frombuffer(content, np.int16)
        unplaced: dict[Any, Counter[int]] = defaultdict(Counter)
        for card in (*self._settled, *self._open):
            unplaced[exchangeable(first, card.first)][card.first.value] += 1
        for card in self._settled:
            spot = card.first.span.start // 2
            if card.hidden[-1] >= 0:
                numbers[spot] = sampled[card.hidden[-1]]
            unplaced[exchangeable(first, card.first)][int(numbers[spot])] -= 1
        for card in self._open:
            mates = exchangeable(first, card.first)
            if mates is not None:
                remaining = +unplaced[mates]
                if not remaining:
                    return None
                numbers[card.first.span.start // 2] = value = min(remaining)
                unplaced[mates][value] -= 1
        if any(-counts for mates, counts in unplaced.items() if mates is not None):
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

    def step(self, next_rows: Rows) -> bool:
        """Follows the cards into the next state; returns whether any has become mixed."""
        mixed = sum(card.mixed for card in self._cards)
        staying = {
            name: _pairs(row.values, next_rows[name].values)
            for name, row in self._rows.items()
            if row.values != next_rows[name].values
        }
        arrivals = [
            (name, i)
            for name, indices in staying.items()
            for i in sorted(set(range(len(next_rows[name].values))) - set(indices.values()))
        ]
        moved = {next_rows[name].values[i] for name, i in arrivals}
        for name, indices in staying.items():
            values = self._rows[name].values
            moved.update(value for i, value in enumerate(values) if i not in indices)
            if len(indices) < len(values):
                self._left.add(name)
        self._mark_alike(next_rows, moved)
        self._entered.update(
            n for n, i in arrivals if not next_rows[n].masks[i] >> self._player & 1
        )
        departed = []
        for name, indices in staying.items():
            departed += [card for i, card in self._at[name].items() if i not in indices]
            self._at[name] = {indices[i]: c for i, c in self._at[name].items() if i in indices}
            for i, card in self._at[name].items():
                card.current = name, i
        for card in departed:
            self._move(card, arrivals, next_rows)
        self._show(next_rows)
        for name in self._entered & self._left:
            for card in self._homes[name]:
                card.mixed = True
        self._rows = next_rows
        return sum(card.mixed for card in self._cards) > mixed

    def _move(self, card: _Card, arrivals: list[tuple[str, int]], next_rows: Rows) -> None:
        """Finds out where a card is that has left its component."""
        card.current = next(
            (
                (name, i)
                for name, i in arrivals
                if next_rows[name].values[i] == card.first.value
                and next_rows[name].pool == card.first.slots.pool is not None
            ),
            None,
        )
        if card.current is None:
            card.mixed = True
            return
        arrivals.remove(card.current)
        name, i = card.current
        self._at[name][i] = card
        if not next_rows[name].masks[i] >> self._player & 1:
            card.mixed = True
            self._homes[name].append(card)

    def _show(self, next_rows: Rows) -> None:
        """Notes which cards are shown to the observer, and where the others lie hidden."""
        for card in self._cards:
            spot = -1
            if card.current is not None and not card.shown:
                name, i = card.current
                card.shown = bool(next_rows[name].masks[i] >> self._player & 1)
                if card.shown:
                    self._left.add(name)
                else:
                    spot = next_rows[name].start + i
            card.hidden.append(spot)

    def _mark_alike(self, next_rows: Rows, moved: set[int]) -> None:
        """Marks cards that are equal to a moved card, and may have been moved instead.

        They lie where components change, or at the end of others.
        """
        counts, others = Counter[int](), Counter[int]()
        near: list[_Card] = []
        for name, row in self._rows.items():
            values, after = row.values, next_rows[name].values
            if values == after:
                start = max(0, len(values) - NEAR)
                ends = [
                    value
                    for value, mask in zip(values[start:], row.masks[start:], strict=True)
                    if not mask >> self._player & 1
                ]
                counts.update(ends)
                others.update(ends)
            else:
                both = zip(values, after, strict=False)
                same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], both))
                start = max(0, same - NEAR)
                counts.update(values[start:])
                others.update(after[start:])
            near += [card for i, card in self._at[name].items() if i >= start]
        for card in near:
            value = card.first.value
            if value in moved and (counts[value] > 1 or others[value] > 1):
                card.mixed = True


def _pairs(before: Sequence[int], after: Sequence[int]) -> dict[int, int]:
    """The new index of each value of a list that stays while others leave and arrive."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    blocks = matcher.get_matching_blocks()
    return {block.a + i: block.b + i for block in blocks for i in range(block.size)}
