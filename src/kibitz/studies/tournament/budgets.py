"""Budgets: equal effort for all agents, whatever the load of the machine.

Limits of time make results depend on the machine and its load. So the CPU time of an iteration
is measured once, over positions of real games, and agents play with as many iterations as fit.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.core.agent import Agent, make_agent
from kibitz.core.errors import AgentError, ParameterError
from kibitz.core.game import Table
from kibitz.core.parameters import read_json_object
from kibitz.core.state import State
from kibitz.core.wording import counted
from kibitz.players.search import Budgeted
from kibitz.players.seat import AgentSeat

POSITIONS = 24
"""Number of positions over which the time of an iteration is averaged."""

GUIDE = "osla"
"""The agent whose games supply these positions."""

LEAST_MILLISECONDS = 4.0
"""Minimum time of a measured decision, so that the call from Python hardly counts."""

ONE, FIRST_PROBE, MOST_PROBED = 1, 64, 4000
"""Iterations of the measured decisions: the reference, the first probe and the maximum.

The time of an iteration is computed from the difference between a probe and the reference."""

FILE = "budgets.json"
"""File in the folder of a tournament that stores measured budgets, for resuming it."""

LIMITS = ("iterations", "milliseconds", "calls")
"""The options by which agents limit their own effort."""


@dataclass(frozen=True)
class DecisionBudget:
    """The effort of a searching agent for a decision.

    >>> [str(DecisionBudget.of(text)) for text in ("10", "0.5ms", "200it")]
    ['10 ms', '0.5 ms', '200 iterations']
    >>> str(DecisionBudget.of("1it"))
    '1 iteration'

    Attributes:
        amount: number of iterations, or of milliseconds of CPU time, above 0.
        in_iterations: whether the amount is in iterations.
    """

    amount: float
    in_iterations: bool = False

    @classmethod
    def of(cls, text: str) -> DecisionBudget:
        """Reads a budget: ``10`` or ``10ms`` for milliseconds, ``200it`` for iterations.

        Raises:
            ParameterError: the text is not a budget.
        """
        match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|it|iterations)?", text)
        amount = float(match[1]) if match else 0.0
        iterations = match is not None and match[2] in ("it", "iterations")
        if amount <= 0 or (iterations and amount != int(amount)):
            raise ParameterError(
                f"{text!r} is no time for a decision: 10 or 10ms are milliseconds, 200it are "
                "iterations."
            )
        return cls(amount, iterations)

    def __str__(self) -> str:
        if self.in_iterations:
            return counted(int(self.amount), "iteration")
        return f"{self.amount:,g} ms"

    def given(self, agent: Agent, label: str, table: Table, folder: Path | None = None) -> Agent:
        """The agent with this budget at a table; an agent that does not search is unchanged.

        Args:
            label: label of the table in the tournament.
            folder: folder in which a measured number of iterations is stored, and looked up.

        Raises:
            AgentError: the agent has a budget of its own.
        """
        if not isinstance(agent.options, Budgeted):
            return agent
        values = agent.options.as_dict()
        if any(values[name] for name in LIMITS):
            raise AgentError(
                f"{agent.label} has a budget of its own. Leave it out: all agents get the same."
            )
        if self.in_iterations:
            return _limited(agent, int(self.amount))
        file = None if folder is None else folder / FILE
        known: dict[str, Any] = {}
        if file is not None and file.exists():
            known = dict(read_json_object(file))
        key = f"{label}: {agent.label}, {self}"
        if not isinstance(known.get(key), int):
            known[key] = iterations_within(agent, table, self.amount)
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")
        return _limited(agent, known[key])


def budget_in(name: str, value: object) -> DecisionBudget:
    """The budget that an argument stands for: a ``DecisionBudget``, or its text.

    Raises:
        ParameterError: the argument, which the message calls `name`, is neither.
    """
    if isinstance(value, str):
        return DecisionBudget.of(value)
    if not isinstance(value, DecisionBudget):
        raise ParameterError(f"{name} = {value!r} should be a text such as '10ms' or '200it'.")
    return value


def _limited(agent: Agent, iterations: int) -> Agent:
    return type(agent)(**(agent.options.as_dict() | {"iterations": max(1, iterations)}))


def positions(table: Table, count: int = POSITIONS) -> list[State]:
    """Up to `count` states with a choice, from a few games."""
    rng = random.Random(5)
    guide = make_agent(GUIDE)
    states: list[State] = []
    for seed in range(3):
        state = table.new_state(seed)
        for _ in range(3000):
            if state.is_terminal:
                break
            legal = state.legal_actions()
            if len(legal) > 1:
                states.append(state.clone())
            state.apply(guide.choose(state) if len(legal) > 1 else legal[0])
    return rng.sample(states, min(count, len(states)))


def seconds_of_an_iteration(agent: Agent, states: Sequence[State], milliseconds: float) -> float:
    """The CPU time of an iteration in decisions that take about half the given milliseconds.

    The fixed cost of a decision is not included.
    """
    begin = _seconds_of_a_decision(agent, states, ONE)
    iterations = FIRST_PROBE
    for last in (False, True):
        decision = _seconds_of_a_decision(agent, states, iterations)
        seconds = max(decision - begin, 0.05 * decision) / (iterations - ONE)
        if last:
            break
        needed = int(max(LEAST_MILLISECONDS, 0.5 * milliseconds) / 1000 / seconds)
        iterations = min(MOST_PROBED, max(FIRST_PROBE, needed))
    return seconds


def _seconds_of_a_decision(agent: Agent, states: Sequence[State], iterations: int) -> float:
    """The mean CPU time of a decision with a number of iterations."""
    seat = AgentSeat(_limited(agent, iterations), states[0].table, 0)
    seat.begin(0)
    seat.decide(states[0], states[0].legal_actions())  # touches the memory
    began = time.process_time()
    for number, state in enumerate(states):
        seat.begin(number)
        seat.decide(state, state.legal_actions())
    return (time.process_time() - began) / len(states)


def iterations_within(agent: Agent, table: Table, milliseconds: float) -> int:
    """The number of iterations that take the given milliseconds of CPU time, on average.

    It is 1 for games without decisions.
    """
    states = positions(table)
    if not states:
        return 1
    seconds = seconds_of_an_iteration(agent, states, milliseconds)
    return max(1, round(milliseconds / 1000 / seconds))
