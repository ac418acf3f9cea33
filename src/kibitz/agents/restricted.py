"""Restricted play: another agent for which some actions are forbidden or forced.

How much a card or an action is worth shows in how an agent fares without it, or with no choice
but to use it: Jaffe, Miller, Andersen, Liu, Karlin and Popović, "Evaluating Competitive Game
Balance with Restricted Play" (2012).

Patterns are compared with words, which is slow; so each action is compared once. What was found
is in a hash table that compiled code reads; only for an action that is not in it Python is asked.
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
"""The bits of a verdict on an action; 0: it is like any other."""

FAILED = -1
"""The verdict when the rules raised an exception."""

PLACES = 1 << 10
"""Of the hash table at first, a power of 2; it grows when it is half full."""

MOST_PLACES = 1 << 20
"""Then it is emptied, and begins anew."""

RESTRICTION = np.dtype(
    [
        ("base", np.int64),  # address of the AGENT record of who chooses
        ("free", np.int64),  # whether nothing is forbidden or forced
        ("left", np.int64),  # room for an ACTION_LIST: what is left to it
        ("ask", np.int64),  # int64 (observation, action, 0): the verdict on an action
        ("actions", np.int64),  # the hash table: an action each, or -1,
        ("verdicts", np.int64),  # and its verdict, 0 to 3,
        ("mask", np.int64),  # and the number of places, less 1
    ]
)
"""What ``act`` reads as the options of the agent."""


class RestrictedOptions(AgentOptions):
    """Options of restricted play."""

    base = Text("random", "who chooses among the actions that are left: an agent, in quotes")
    never = Text("", 'what it never does: patterns such as "play Guard*", with | between')
    always = Text("", "what it does whenever it can, likewise")


class RestrictedAgent(NativeAgent):
    """Another agent, with some actions forbidden or forced.

    Actions are matched by their words, as ``kibitz record`` shows them: ``*`` stands for any
    letters, ``?`` for one, brackets for themselves, and case does not matter. What it does
    ``always`` is all that is left wherever it is possible; then what it does ``never`` is taken
    away, unless nothing else is left. A search looks at every action nevertheless; only what is
    done is restricted. Without patterns it plays the same games as its base.
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
            part: _expression(part)
            for part in (*_parts(self.options.never), *_parts(self.options.always))
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
        for part in self._unmatched if self._looked else ():
            yield f"{self.label}: no action was ever called {part!r}; 'kibitz record' shows words."
        yield from self.base.remarks()

    def decides_in_python(self, table: Table) -> bool:
        """Whether its base does."""
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
        """The bytes of one word, which says whether a game has begun."""
        return 8

    def record(self, table: Table) -> bytes:
        """Room for a ``RESTRICTION``, which its binding fills."""
        return bytes(RESTRICTION.itemsize)

    def known(self, rules: Rules) -> dict[int, int]:
        """The verdicts so far on actions at tables with these rules, for all threads."""
        return self._known.setdefault(rules, {})

    def verdict(self, words: Sequence[str]) -> int:
        """``NEVER``, ``ALWAYS``, both or 0 for an action with this text.

        Args:
            words: all that the action is called.
        """
        self._looked = True
        for part, expression in list(self._unmatched.items()):
            if any(map(expression.fullmatch, words)):
                self._unmatched.pop(part, None)  # another thread may have done so
        found = 0
        if self._never is not None and any(map(self._never.fullmatch, words)):
            found |= NEVER
        if self._always is not None and any(map(self._always.fullmatch, words)):
            found |= ALWAYS
        return found

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """The base agent's choice among the actions that are left."""
        me = record_at(agent, AGENT)
        own = record_at(me.options, RESTRICTION)
        legal = record_at(actions, ACTION_LIST)
        left = record_at(own.left, ACTION_LIST)
        number = count
        listed = actions
        if own.free == 0:
            number = leave(own, observation, legal, left, count)
            listed = own.left
        if number <= 1:
            return int(left.items[0]) if number == 1 else -1
        base = hand_over(me, own)
        shown = observation if base.sees != 0 else 0
        action = call_int_5(base.act, own.base, rules, shown, listed, number)
        for i in range(4):
            me.rng[i] = base.rng[i]
        if action < 0 or own.free != 0:  # it failed, or may do what it likes
            return action
        for i in range(number):
            if left.items[i] == action:
                return action
        return int(left.items[random_below(me.rng, number)])

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
    """Gives the base what the match loop gave to the agent; returns the base's record."""
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


def leave(own: Any, observation: int, legal: Any, left: Any, count: int) -> int:
    """Lists the actions left to the agent; returns their number, or -1 on a failure."""
    forced = 0
    banned = 0
    for i in range(count):
        verdict = verdict_on(own, observation, legal.items[i])
        if verdict < 0:
            return -1
        left.items[i] = verdict
        forced += verdict >= ALWAYS
        banned += verdict & NEVER
    if forced > 0:
        banned = 0
        for i in range(count):
            banned += left.items[i] == (ALWAYS | NEVER)
        if banned == forced:
            banned = 0  # nothing else is left
    elif banned == count:
        banned = 0
    number = 0
    for i in range(count):
        verdict = left.items[i]
        stays = forced == 0 or verdict >= ALWAYS
        if stays and (banned == 0 or verdict & NEVER == 0):
            left.items[number] = legal.items[i]
            number += 1
    left.count = number
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
    """The slot of an action in the hash table; products fit into 63 bits, also in Python."""
    low = (action & 0xFFFFFFFF) * 0x1E3779B1
    high = (action >> 32 & 0x7FFFFFFF) * 0x5EBCA77
    return (low + high) >> 20


class _RestrictedBinding(NativeBinding):
    """Restricted play at a table: the base, bound to the table, too, and the hash table."""

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
        asks = not free and table.game.words_need_state(table)
        self.record["sees"] = int(asks or self.base.record["sees"][0])
        self._count = 0
        self._make_room(PLACES)

    @property
    def exception(self) -> BaseException | None:
        """The exception that its base, or a rule that words an action, raised."""
        return self._exception or self.base.exception

    @exception.setter
    def exception(self, problem: BaseException | None) -> None:
        self._exception = problem
        if problem is None:
            self.base.exception = None

    def mark(self) -> Any:
        """The base's mark: the agent's own stream is the same."""
        self.base.record["rng"] = self.record["rng"]
        return self.base.mark()

    def go_back(self, mark: Any) -> None:
        """Returns to a mark, and so does its base."""
        super().go_back(mark[0] if len(mark) == 2 else mark)
        self.base.go_back(mark)
        self._memory[0] = 1  # the base knows itself whether it has begun

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
        """The verdict on an action, which is kept if it is the same in all states."""
        table = self._table
        verdict = self._known.get(action)
        if verdict is not None:
            return self._keep(action, verdict)
        state = None
        if observation:
            state = State(table, ctypes.string_at(observation, table.state_size))
        words = table.game.possible_words(table, action, state)
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
        """Doubles the room, or empties it."""
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
    """What matches any of several patterns; ``None`` where there are none."""
    parts = _parts(text)
    return _expression("|".join(parts)) if parts else None


def _parts(text: str) -> list[str]:
    """The patterns in a text, with ``|`` between."""
    return [part.strip() for part in text.split("|") if part.strip()]


@functools.lru_cache(maxsize=256)
def _expression(text: str) -> re.Pattern[str]:
    """What matches any of several patterns."""
    expressions = (fnmatch.translate(part.replace("[", "[[]")) for part in _parts(text))
    return re.compile("|".join(expressions), re.IGNORECASE)
