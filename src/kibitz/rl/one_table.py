"""Plays on at one table until the learner decides: the compiled half of ``seated.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from kibitz.core.action_index import ACTION_INDEX, action_at, hashed_action
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, Binding
from kibitz.core.contract import RULES, apply_action, determinize, legal_actions, place_of
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import Address, call_int_5, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.status import MAX_PLAYERS, Status

SEATED = np.dtype(
    [
        ("agents", np.int64, (MAX_PLAYERS,)),  # of the AGENT records; 0: the learner sits there
        ("observation", np.int64),  # room for what an agent sees
        ("refused", np.int64),  # an action that an agent chose and that is not legal
        ("index", ACTION_INDEX),
    ]
)
"""Who sits at a table, as compiled code knows it."""

DECIDES, OVER, REFUSED, FAILED = 0, 1, 2, 3
"""Results: the learner decides, the game is over, the learner's action is not legal and nothing
was played, or an agent's is not."""


class OneTable:
    """A table where compiled agents that decide at once sit at the other seats.

    Attributes:
        go_on: plays from the state at an address until the learner decides; returns the result.
        step: plays the learner's action with an index first.
        count: the number of indices.

    Args:
        bindings: the agents by seat; they keep no memory and do not follow the game.
    """

    go_on: Callable[[int], int]
    step: Callable[[int, int], int]

    def __init__(self, table: Table, bindings: Mapping[int, Binding]) -> None:
        self._room = np.zeros(table.state_size, np.uint8)
        self._bindings = bindings
        self.count = table.action_index.count
        self._record = np.zeros(1, SEATED)
        for seat, binding in bindings.items():
            self._record["agents"][0, seat] = binding.address
        self._record["observation"] = self._room.ctypes.data
        self._record["index"] = table.action_index.record
        address = int(self._record.ctypes.data)
        native = compile_native("one table", _EXPORTS)
        self.go_on, self.step = (
            table.brief(export, native[name], address) for name, export in _EXPORTS.items()
        )

    @property
    def refused(self) -> int:
        """The action that was not legal."""
        return int(self._record["refused"][0])


def is_quick(table: Table, bindings: Iterable[Binding]) -> bool:
    """Whether compiled code alone can play for agents, which decide at once."""
    return table.rules.compiled and all(binding.is_quick for binding in bindings)


def go_on(rules: Address, seated: Address, state: Address) -> int:
    """Plays the actions of agents until the learner decides. Compiled."""
    record = record_at(rules, RULES)
    seats = record_at(seated, SEATED)
    header = record_at(state, HEADER)
    legal = record_at(record.actions, ACTION_LIST)
    while header.status == Status.PLAYING:
        count = legal_actions(record, state, record.actions)
        if count == 0:
            break
        player = header.player
        address = seats.agents[player]
        if address == 0:
            return DECIDES
        action = legal.items[0]
        if count > 1:
            agent = record_at(address, AGENT)
            seen = 0
            if agent.sees:
                seen = seats.observation
                determinize(record, state, player, seen, agent.rng)
            action = call_int_5(agent.act, address, rules, seen, record.actions, count)
            if place_of(legal, count, action) < 0:
                seats.refused = action
                return FAILED
        apply_action(record, state, action)
    return OVER


def step(rules: Address, seated: Address, state: Address, number: int) -> int:
    """Plays the learner's action with an index, and goes on. Compiled."""
    if record_at(state, HEADER).status != Status.PLAYING:
        return REFUSED
    record = record_at(rules, RULES)
    index = record_at(seated, SEATED).index
    count = legal_actions(record, state, record.actions)
    if number < index.direct:
        action = action_at(index, number)
    else:
        action = hashed_action(index, record.actions, count, number - index.direct)
    if place_of(record_at(record.actions, ACTION_LIST), count, action) < 0:
        return REFUSED
    apply_action(record, state, action)
    return go_on(rules, seated, state)


_EXPORTS = {
    "go_on": Export(go_on, "iiii", brief=True),
    "step": Export(step, "iiiii", brief=True),
}
