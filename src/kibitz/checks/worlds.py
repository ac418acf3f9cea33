"""Information sets by enumeration: every hidden content that agrees with all observations.

A *world* is a state that agrees with what a player has seen from the beginning: with the
observation of every state on the way, and with the player's own actions and options. Worlds are
found by playing: from each way in which the hidden cards of the set-up can lie, everything that
the others might have done is tried, and what the player would have seen otherwise is left out.
This knows nothing of how a game samples what is hidden, so that both can be compared.

There may be too many set-ups. Late in a game most cards were seen. As long as nobody has drawn a
card unseen, whoever showed a card had it from the beginning, and the order of a hand does not
matter: so it is enough to permute the cards that are still hidden.

Where the rules draw random numbers after the set-up, worlds begin with the state after the last
draw, and agree with what was seen since then. If that draw dealt everything anew that is hidden
from the player, as a new round does, all of them had the same chance. If it left hidden cards
where they were, as discards shuffled into the stock do, what was seen before may speak for some
worlds and against others: then they are not ``equal``.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.checks.contents import (
    Place,
    exchangeable,
    places,
    slot_length,
    slotted,
    uncertain,
)
from kibitz.checks.expansion import STEP, step_worlds
from kibitz.checks.kernel import Kernel
from kibitz.checks.swaps import accepts
from kibitz.core.actions import ACTION_LIST
from kibitz.core.game import Table
from kibitz.core.layout import CHANCE, MEMORY
from kibitz.core.state import State

MOST_WORLDS = 5_000
"""Information sets with more worlds are not compared."""
MOST_SET_UPS = 20_000
"""The greatest number of set-ups that are played on; with more no worlds are listed."""
MOST_SET_UP_STEPS = 200_000
"""The greatest product of the number of set-ups and the length of the game."""
MOST_FRONTIER = 40_000
"""The greatest number of worlds at any step between the set-up and the state."""
REPLAYS = 24
"""The number of times the last draw is repeated, to see which places it deals to."""

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True)
class Worlds:
    """The information set of a player in a state.

    Attributes:
        state: the true state, which the player cannot tell from the others.
        player: the seat, from 0.
        since: the number of the action after which the worlds begin: 0, or the last one after
            which a random number was drawn.
        keys: the key of each world (``WorldFinder.key_of``), the true one among them.
        states: the bytes of a state for each key.
        equal: whether all had the same chance when they began: at the set-up, or at a draw that
            dealt everything anew that is hidden from the player.
        odd: an earlier state in which the player had other options than in truth, if there is
            any: its bytes, and the number of actions before it.
    """

    state: State
    player: int
    since: int
    keys: tuple[bytes, ...]
    states: tuple[bytes, ...]
    equal: bool
    odd: tuple[bytes, int] | None

    def nearest(self, content: bytes) -> bytes:
        """The world that differs from a state in the fewest values."""
        sample = np.frombuffer(content, np.int16)
        return min(
            self.states,
            key=lambda world: np.count_nonzero(np.frombuffer(world, np.int16) != sample),
        )


class WorldFinder:
    """Enumerates information sets at a table.

    Attributes:
        hides_without_deals: whether something is hidden that no deal tells, so that worlds can
            begin at the set-up only.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._true = np.zeros(1, ACTION_LIST)
        self._after = np.zeros((MOST_FRONTIER, table.state_size), np.uint8)
        self._step = Kernel(
            table,
            "worlds",
            step_worlds,
            STEP,
            true_list=self._true,
            list=np.zeros(1, ACTION_LIST),
            other=np.zeros(table.state_size, np.uint8),
            after=self._after,
        )
        self._forgotten = _forgotten(table)
        self._masks = [
            (instance.offset + s.seen) // 2 + i
            for instance, s in slotted(table.layout, table.players)
            for i in range(s.capacity)
        ]
        self._has_consistent = int(table.record["is_consistent"][0]) != 0
        self.hides_without_deals = any(
            s.pool is None and s.high == s.low for _, s in slotted(table.layout, table.players)
        )

    def find(self, path: Sequence[State], actions: Sequence[int], player: int) -> Worlds | None:
        """The information set of a player in the last state of a game.

        Args:
            path: all states of the game so far, the set-up first.
            actions: the actions between the states.
            player: the seat, from 0.

        Returns:
            the worlds; ``None`` if they cannot be listed: there are too many of them or of
            set-ups, or what was drawn is hidden.
        """
        since = last_draw(path)
        if since and self.hides_without_deals:
            return None
        equal = since == 0 or deals_anew(path[since - 1], actions[since - 1], player)
        path, actions = path[since:], actions[since:]
        game = SeenPath(path, actions, player)
        unsure = uncertain(path[0], player)
        most = min(MOST_SET_UPS, MOST_SET_UP_STEPS // len(path))
        if deal_count(path[0], unsure) > most:
            unsure = [] if drew_unseen(path, player) else still_hidden(path, unsure, player)
            if not unsure or deal_count(path[0], unsure) > most:
                return None
        possible = deals(path[0], unsure)
        if _told_in_private(path[0], player):
            equal = equal and self._has_consistent
            possible = (deal for deal in possible if accepts(State(self.table, deal), player))
        roots = np.array([np.frombuffer(deal, np.uint8) for deal in possible])
        result = self._follow(game, roots)
        if result is None:
            return None
        worlds, odd = result
        keys: dict[bytes, bytes] = {}
        for world in worlds:
            content = world.tobytes()
            keys.setdefault(self.key_of(content, player), content)
        if len(keys) > MOST_WORLDS:
            return None
        return Worlds(
            path[-1],
            player,
            since,
            tuple(keys),
            tuple(keys.values()),
            equal,
            None if odd is None else (odd[0], odd[1] + since),
        )

    def key_of(self, content: bytes, player: int) -> bytes:
        """The bytes that identify a world.

        All but the random stream, the others' memories, and who else sees which card.
        """
        array = np.frombuffer(content, np.uint8).copy()
        numbers = array.view(np.int16)
        for values, masks, count in self._forgotten:
            hidden = numbers[masks : masks + count] >> player & 1 == 0
            numbers[values : values + count][hidden] = 0
        numbers[self._masks] &= 1 << player
        return array[CHANCE.stop :].tobytes()

    def deal_of(self, key: bytes) -> bytes:
        """The bytes of a world's key that identify its deal: all but what is drawn for itself.

        That are secret choices, and numbers that are hidden one by one, such as dice.
        """
        array = np.frombuffer(key, np.uint8).copy()
        for instance, slots in slotted(self.table.layout, self.table.players):
            if slots.choice or (slots.pool is None and slots.high > slots.low):
                start = instance.offset + slots.values - CHANCE.stop
                array[start : start + 2 * slots.capacity] = 0
        return array.tobytes()

    def _follow(
        self, game: SeenPath, worlds: Bytes
    ) -> tuple[Bytes, tuple[bytes, int] | None] | None:
        """Plays worlds on from the beginning of a path to its end; ``None``: too many result."""
        odd = None
        for step in range(len(game.actions)):
            after = self.step(game, step, np.ascontiguousarray(worlds))
            if after is None:
                return None
            if odd is None and self._odd >= 0:
                odd = worlds[self._odd].tobytes(), step
            worlds = after
            if not len(worlds):
                break
        return worlds, odd

    def step(self, game: SeenPath, number: int, worlds: Bytes) -> Bytes | None:
        """Plays an action of a game, by its number, in worlds; ``None``: too many result."""
        options = game.options[number]
        self._true["count"] = len(options)
        self._true["items"][0, : len(options)] = options
        job = self._step.run(
            player=game.player,
            worlds=worlds.ctypes.data,
            count=len(worlds),
            action=game.actions[number],
            seen=game.observations[number + 1].address,
            room=MOST_FRONTIER,
            kept=0,
            at=0,
            odd=-1,
        )
        self._odd, count = int(job["odd"]), int(job["kept"])
        if count < 0:
            return None
        after: Bytes = self._after[:count]
        if count > 1:
            rows = after[:, CHANCE.stop :]
            contents = np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").ravel()
            _, first = np.unique(contents, return_index=True)
            return after[np.sort(first)].copy()
        return after.copy()


class SeenPath:
    """A game with what a player has seen of it: an observation of each state, and the options."""

    def __init__(self, path: Sequence[State], actions: Sequence[int], player: int) -> None:
        self.path = path
        self.actions = actions
        self.player = player
        self.observations = [state.observation(player) for state in path]
        self.options = [
            state.legal_actions() if state.current_player == player else () for state in path[:-1]
        ]


def last_draw(path: Sequence[State]) -> int:
    """The number of the last state before which a random number was drawn; 0: the set-up."""
    stream = bytes(path[-1])[CHANCE]
    for number in range(len(path) - 1, 0, -1):
        before = bytes(path[number - 1])[CHANCE]
        if before != stream:
            return number
        stream = before
    return 0


def deals_anew(state: State, action: int, player: int) -> bool:
    """Whether an action deals everything anew that is hidden from `player` after it.

    The action is repeated with other random streams: a place that holds the same card each time
    was left alone. Where nearly all cards are alike, one that was dealt anew may be taken for it.
    """
    after = _applied(state, bytes(state), action)
    unchanged = {place.path: place for place in uncertain(after, player)}
    truth = bytes(after)
    for seed in range(REPLAYS):
        content = bytearray(bytes(state))
        content[CHANCE] = bytes(state.determinize(player, seed))[CHANCE]
        other = bytes(_applied(state, bytes(content), action))
        unchanged = {
            path: place
            for path, place in unchanged.items()
            if other[place.span] == truth[place.span]
        }
        if not unchanged:
            return True
    return not unchanged


def _applied(state: State, content: bytes, action: int) -> State:
    """The state after an action, played in a state with other hidden content."""
    after = State(state.table, content)
    after.table.call("apply_action", after.address, action)
    return after


def _told_in_private(state: State, player: int) -> bool:
    """Whether a player remembers something that not all have seen, such as who else is a spy.

    Not every deal agrees with that; only ``is_consistent`` can decide which deals do.
    """
    content = bytes(state)
    everyone = (1 << state.players) - 1
    for instance, slots in slotted(state.table.layout, state.players):
        if slots.pool == MEMORY:
            length = slot_length(content, instance, slots)
            masks = np.frombuffer(content, np.int16, length, instance.offset + slots.seen)
            if any(mask >> player & 1 and mask & everyone != everyone for mask in masks.tolist()):
                return True
    return False


def drew_unseen(path: Sequence[State], player: int) -> bool:
    """Whether a card unknown to `player` has come to a component that did not hold it before."""
    before: Counter[tuple[str, int]] = Counter()
    for number, state in enumerate(path):
        unseen = Counter(
            (p.instance.path, p.value) for p in places(state) if not p.seen >> player & 1
        )
        if number and unseen - before:
            return True
        before = unseen
    return False


def still_hidden(path: Sequence[State], unsure: Sequence[Place], player: int) -> list[Place]:
    """The places of the first state whose cards are hidden in the last one, too.

    If a copy of a card is hidden, the places of all its copies are returned.
    """
    hidden = {
        (exchangeable(path[-1], place), place.value)
        for place in places(path[-1])
        if not place.seen >> player & 1
    }
    return [place for place in unsure if (exchangeable(path[0], place), place.value) in hidden]


def deal_count(state: State, unsure: Sequence[Place]) -> int:
    """The number of ways in which the hidden values of some places can lie."""
    total = 1
    for group in _groups(state, unsure):
        if exchangeable(state, group[0]) is None:
            total *= group[0].slots.high - group[0].slots.low + 1
        else:
            total *= math.factorial(len(group))
            for number in Counter(place.value for place in group).values():
                total //= math.factorial(number)
    return total


def deals(state: State, unsure: Sequence[Place]) -> Iterator[bytes]:
    """The bytes of the state for each way in which the hidden values of some places can lie."""
    groups = _groups(state, unsure)
    ways: list[list[tuple[int, ...]]] = []
    for group in groups:
        if exchangeable(state, group[0]) is None:
            slots = group[0].slots
            ways.append([(value,) for value in range(slots.low, slots.high + 1)])
        else:
            ways.append(list(arrangements([place.value for place in group])))
    for way in itertools.product(*ways):
        content = bytearray(bytes(state))
        for group, values in zip(groups, way, strict=True):
            for place, value in zip(group, values, strict=True):
                content[place.span] = value.to_bytes(2, "little", signed=True)
        yield bytes(content)


def arrangements(values: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The distinct orders of some values.

    Knuth, "The Art of Computer Programming" 4A, algorithm L of section 7.2.1.2.
    """
    order = sorted(values)
    while True:
        yield tuple(order)
        i = len(order) - 2
        while i >= 0 and order[i] >= order[i + 1]:
            i -= 1
        if i < 0:
            return
        j = len(order) - 1
        while order[j] <= order[i]:
            j -= 1
        order[i], order[j] = order[j], order[i]
        order[i + 1 :] = order[:i:-1]


def _groups(state: State, unsure: Sequence[Place]) -> list[list[Place]]:
    """Groups of places whose values may be exchanged with each other."""
    groups: dict[object, list[Place]] = {}
    for place in unsure:
        mates = exchangeable(state, place)
        groups.setdefault(place.path if mates is None else mates, []).append(place)
    return list(groups.values())


def _forgotten(table: Table) -> list[tuple[int, int, int]]:
    """For each list of remembered cards the offsets of its values and masks, and its capacity.

    Offsets are in 16-bit words from the beginning of the state.
    """
    return [
        ((instance.offset + s.values) // 2, (instance.offset + s.seen) // 2, s.capacity)
        for instance, s in slotted(table.layout, table.players)
        if s.pool == MEMORY
    ]
