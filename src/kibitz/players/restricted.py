"""Restricted play: another agent for which some actions are forbidden or forced.

The value of a card or an action shows in how well an agent plays without it, or when forced to use
it: Jaffe, Miller, Andersen, Liu, Karlin and Popović, "Evaluating Competitive Game Balance with
Restricted Play" (2012).

Comparing patterns with words is slow, so it is done once for each action. The verdicts are in a
hash table that compiled code reads; it calls Python only for an action that is not in the table.
"""

from __future__ import annotations

import ctypes
import fnmatch
import functools
import re
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import (
    AGENT,
    AgentOptions,
    Binding,
    NativeAgent,
    NativeBinding,
    agent_from_text,
)
from kibitz.core.game import Table
from kibitz.core.interrupt import allowed
from kibitz.core.memory import INT64, array_at, call_int_3, call_int_5, call_void_3, record_at
from kibitz.core.native import Export
from kibitz.core.parameters import Text
from kibitz.core.randomness import random_below
from kibitz.core.rules import Rules
from kibitz.core.state import State

NEVER, ALWAYS = 1, 2
"""The bits of a verdict on an action; 0: the action is neither forbidden nor forced."""

FAILED = -1
"""The verdict when the rules raised an exception."""

PLACES = 1 << 10
"""The initial number of places of the hash table, a power of 2; it grows when it is half full."""

MOST_PLACES = 1 << 20
"""The most places of the hash table; when these are half full, the table is emptied."""

RESTRICTION = np.dtype(
    [
        ("base", np.int64),  # address of the base agent's AGENT record
        ("free", np.int64),  # whether nothing is forbidden or forced
        ("left", np.int64),  # room for an ACTION_LIST: the actions left to it
        ("ask", np.int64),  # int64 (observation, action, 0): the verdict on an action
        ("actions", np.int64),  # the hash table: an action each, or -1,
        ("verdicts", np.int64),  # and its verdict, 0 to 3,
        ("mask", np.int64),  # and the number of places, less 1
    ]
)
"""The record that ``act`` reads as the options of the agent."""


class RestrictedOptions(AgentOptions):
    """Options of restricted play."""

    base = Text("random", "who chooses among the actions that are left: an agent, in quotes")
    never = Text("", 'what it never does: patterns such as "play Guard*", with | between')
    always = Text("", "what it does whenever it can, likewise")


class RestrictedAgent(NativeAgent):
    """Another agent, with some actions forbidden or forced.

    Actions are matched by their words, as ``kibitz record`` shows them: ``*`` stands for any
    letters, ``?`` for one, brackets for themselves, and case does not matter. If any action
    matches ``always``, only such actions are left. Then actions that match ``never`` are removed,
    unless no other is left. A search still considers every action; only its final choice is
    restricted. Without patterns it plays the same games as its base.
    """

    name = "restrict"
    Options = RestrictedOptions
    learns = True  # its base may
    compiled_as = "restricted play"

    def __init__(self, /, **options: object) -> None:
        super().__init__(**options)
        self.base = agent_from_text(self.options.base)
        self._never = matching(self.options.never)
        self._always = matching(self.options.always)
        self._unmatched = {
            pattern: _expression(pattern)
            for pattern in (*_patterns(self.options.never), *_patterns(self.options.always))
        }
        self._looked = False
        self._known: weakref.WeakKeyDictionary[Rules, dict[int, int]] = weakref.WeakKeyDictionary()

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The patterns that no action has matched so far."""
        return tuple(self._unmatched)

    @property
    def files(self) -> tuple[str, ...]:
        """The files that its base reads."""
        return self.base.files

    def remarks(self) -> Iterator[str]:
        """Warnings about patterns that no action has matched so far."""
        for pattern in self._unmatched if self._looked else ():
            yield (
                f"{self.label}: no action was ever called {pattern!r}; "
                "'kibitz record' shows words."
            )
        yield from self.base.remarks()

    def decides_in_python(self, table: Table) -> bool:
        """Whether its base decides in Python."""
        return self.base.decides_in_python(table)

    def check_game(self, table: Table) -> None:
        """Raises AgentError when the base agent cannot play this game."""
        super().check_game(table)
        self.base.check_game(table)

    def bind(self, table: Table) -> Binding:
        """Binds the agent and its base to a table."""
        self.check_game(table)
        return _RestrictedBinding(self, table)

    def memory_size(self, table: Table) -> int:
        """The size of one word, which marks a new game."""
        return 8

    def record(self, table: Table) -> bytes:
        """Room for a ``RESTRICTION``, which its binding fills."""
        return bytes(RESTRICTION.itemsize)

    def known(self, rules: Rules) -> dict[int, int]:
        """The verdicts so far on actions at tables with these rules, shared by all threads."""
        return self._known.setdefault(rules, {})

    def verdict(self, words: Sequence[str]) -> int:
        """``NEVER``, ``ALWAYS``, both or 0, for an action with these words.

        Args:
            words: all wordings of the action.
        """
        self._looked = True
        for pattern, expression in list(self._unmatched.items()):
            if any(map(expression.fullmatch, words)):
                self._unmatched.pop(pattern, None)  # another thread may have done so
        verdict = 0
        if self._never is not None and any(map(self._never.fullmatch, words)):
            verdict |= NEVER
        if self._always is not None and any(map(self._always.fullmatch, words)):
            verdict |= ALWAYS
        return verdict

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """The base agent's choice among the actions that are left."""
        me = record_at(agent, AGENT)
        own = record_at(me.options, RESTRICTION)
        legal = record_at(actions, ACTION_LIST)
        remaining = record_at(own.left, ACTION_LIST)
        number = count
        listed = actions
        if own.free == 0:
            number = leave(own, observation, legal, remaining, count)
            listed = own.left
        if number <= 1:
            return int(record_at(listed, ACTION_LIST).items[0]) if number == 1 else -1
        base = hand_over(me, own)
        shown = observation if base.sees != 0 else 0
        action = call_int_5(base.act, own.base, rules, shown, listed, number)
        for i in range(4):
            me.rng[i] = base.rng[i]
        if action < 0 or own.free != 0:  # it failed, or may do what it likes
            return action
        for i in range(number):
            if remaining.items[i] == action:
                return action
        return int(remaining.items[random_below(me.rng, number)])

    @staticmethod
    def watch(agent: int, rules: int, observation: int) -> None:
        """Shows its base what its seat sees."""
        me = record_at(agent, AGENT)
        own = record_at(me.options, RESTRICTION)
        base = hand_over(me, own)
        for i in range(4):
            base.watch_rng[i] = me.watch_rng[i]
        call_void_3(base.watch, own.base, rules, observation)

    def watches(self, table: Table) -> bool:
        """Whether its base follows the game."""
        player = self.base.player_at(table)
        return isinstance(player, NativeAgent) and player.watches(table)


def hand_over(me: Any, own: Any) -> Any:
    """Copies what the match loop gave to the agent into the base's record, and returns that."""
    base = record_at(own.base, AGENT)
    begun = array_at(me.memory, INT64, 1)
    if begun[0] == 0:
        begun[0] = 1
        base.games += 1
        if base.memory_size > 0:
            array_at(base.memory, INT64, 1)[0] = 0
    base.seat = me.seat
    base.advice = me.advice
    base.stop = me.stop
    for i in range(4):
        base.rng[i] = me.rng[i]
    return base


def leave(own: Any, observation: int, legal: Any, remaining: Any, count: int) -> int:
    """Writes the permitted actions to `remaining`; returns their number, or -1 on failure."""
    forced = 0
    banned = 0
    for i in range(count):
        verdict = verdict_on(own, observation, legal.items[i])
        if verdict < 0:
            return -1
        remaining.items[i] = verdict
        forced += verdict >= ALWAYS
        banned += verdict & NEVER
    if forced > 0:
        banned = 0
        for i in range(count):
            banned += remaining.items[i] == (ALWAYS | NEVER)
        if banned == forced:
            banned = 0  # nothing else is left
    elif banned == count:
        banned = 0
    number = 0
    for i in range(count):
        verdict = remaining.items[i]
        stays = forced == 0 or verdict >= ALWAYS
        if stays and (banned == 0 or verdict & NEVER == 0):
            remaining.items[number] = legal.items[i]
            number += 1
    remaining.count = number
    return number


def verdict_on(own: Any, observation: int, action: int) -> int:
    """Whether an action is banned, forced or neither: from the cache, or by asking Python."""
    mask = own.mask
    known = array_at(own.actions, INT64, mask + 1)
    place = hash_of(action) & mask
    while known[place] != -1:
        if known[place] == action:
            return int(array_at(own.verdicts, INT64, mask + 1)[place])
        place = (place + 1) & mask
    return call_int_3(own.ask, observation, action, 0)


def hash_of(action: int) -> int:
    """A hash of an action; its products fit into 63 bits, also in Python."""
    low = (action & 0xFFFFFFFF) * 0x1E3779B1
    high = (action >> 32 & 0x7FFFFFFF) * 0x5EBCA77
    return (low + high) >> 20


class _RestrictedBinding(NativeBinding):
    """Restricted play at a table: the base, bound to the table as well, and the hash table."""

    def __init__(self, agent: RestrictedAgent, table: Table) -> None:
        self.base = agent.base.bind(table)
        super().__init__(agent, table)
        self._agent = agent
        self._table = table
        self._known = agent.known(table.rules)
        self._left = np.zeros(1, ACTION_LIST)
        self._callback = _ASK.callback(self._asked)
        self._restriction = np.frombuffer(self._options, RESTRICTION, 1)  # type: ignore[call-overload]
        self._restriction["base"] = self.base.address
        self._restriction["left"] = self._left.ctypes.data
        self._restriction["ask"] = ctypes.cast(self._callback, ctypes.c_void_p).value
        free = not (agent.options.never or agent.options.always)
        self._restriction["free"] = free
        asks = not free and table.wording.needs_state
        self.record["sees"] = int(asks or self.base.record["sees"][0])
        if self.base.record["end"][0]:
            self.hear_ends()
        self._count = 0
        self._make_room(PLACES)

    def end(self, address: int, rules: int, observation: int) -> None:
        """Tells its base, which may not have been asked in this game."""
        own = record_at(int(self.record["options"][0]), RESTRICTION)
        hand_over(record_at(address, AGENT), own)
        self.base.end(self.base.address, rules, observation)

    @property
    def exception(self) -> BaseException | None:
        """The exception that its base, or a rule that words an action, has raised."""
        return self._exception or self.base.exception

    @exception.setter
    def exception(self, problem: BaseException | None) -> None:
        self._exception = problem
        if problem is None:
            self.base.exception = None

    def mark(self) -> Any:
        """The base's mark, which includes the agent's own random stream."""
        self.base.record["rng"] = self.record["rng"]
        return self.base.mark()

    def go_back(self, mark: Any) -> None:
        """Returns itself and its base to a mark."""
        super().go_back(mark[0] if len(mark) == 2 else mark)
        self.base.go_back(mark)
        self._memory[0] = 1  # the base's own memory says whether a game has begun

    def mark_to_json(self, mark: Any) -> list[int]:
        """The base's mark as whole numbers."""
        return self.base.mark_to_json(mark)

    def mark_from_json(self, numbers: Sequence[int]) -> Any:
        """The mark that ``mark_to_json`` wrote."""
        return self.base.mark_from_json(numbers)

    def _asked(self, observation: int, action: int, _: int) -> int:
        try:
            return allowed(self._verdict, observation, action)
        except BaseException as problem:  # native code cannot pass it on
            self._exception = self._exception or problem
            return FAILED

    def _verdict(self, observation: int, action: int) -> int:
        """The verdict on an action, which is stored if it is the same in all states."""
        table = self._table
        verdict = self._known.get(action)
        if verdict is not None:
            return self._keep(action, verdict)
        state = None
        if observation:
            state = State(table, ctypes.string_at(observation, table.state_size))
        words = table.wording.possible_words(action, state)
        if words is None:
            assert state is not None
            return self._agent.verdict((state.action_words(action),))
        verdict = self._known[action] = self._agent.verdict(words)
        return self._keep(action, verdict)

    def _keep(self, action: int, verdict: int) -> int:
        """Puts a verdict into the table; returns it."""
        if 2 * self._count >= len(self._actions):
            self._grow()
        self._put(action, verdict)
        return verdict

    def _put(self, action: int, verdict: int) -> None:
        mask = len(self._actions) - 1
        place = hash_of(action) & mask
        while self._actions[place] != -1:
            place = (place + 1) & mask
        self._verdicts[place] = verdict
        self._actions[place] = action
        self._count += 1

    def _grow(self) -> None:
        """Doubles the room for verdicts, or empties it."""
        known = self._actions != -1
        before = self._actions[known].tolist(), self._verdicts[known].tolist()
        size = 2 * len(self._actions)
        self._make_room(min(size, MOST_PLACES))
        if size <= MOST_PLACES:
            for action, verdict in zip(*before, strict=True):
                self._put(action, verdict)

    def _make_room(self, places: int) -> None:
        self._actions = np.full(places, -1, np.int64)
        self._verdicts = np.zeros(places, np.int64)
        self._count = 0
        self._restriction["actions"] = self._actions.ctypes.data
        self._restriction["verdicts"] = self._verdicts.ctypes.data
        self._restriction["mask"] = places - 1


_ASK = Export(lambda *_: 0, "iiii")


def matching(text: str) -> re.Pattern[str] | None:
    """The expression that matches any of the patterns in a text; ``None`` without patterns."""
    patterns = _patterns(text)
    return _expression("|".join(patterns)) if patterns else None


def _patterns(text: str) -> list[str]:
    """The patterns in a text that separates them by ``|``."""
    return [pattern.strip() for pattern in text.split("|") if pattern.strip()]


@functools.lru_cache(maxsize=256)
def _expression(text: str) -> re.Pattern[str]:
    """The expression that matches any of the patterns in a text."""
    expressions = (fnmatch.translate(pattern.replace("[", "[[]")) for pattern in _patterns(text))
    return re.compile("|".join(expressions), re.IGNORECASE)
