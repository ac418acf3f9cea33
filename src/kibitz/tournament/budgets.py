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

from kibitz.agents.search import Budgeted
from kibitz.agents.seat import AgentSeat
from kibitz.core.agent import Agent, make_agent
from kibitz.core.errors import AgentError, ParameterError
from kibitz.core.game import Table
from kibitz.core.parameters import read_json_object
from kibitz.core.state import State
from kibitz.core.wording import counted

POSITIONS = 24
"""Over which the time of an iteration is averaged."""
GUIDE = "osla"
"""Who plays to these positions."""
LEAST_MILLISECONDS = 4.0
"""Decisions by which it is measured take so long: calling an agent from Python takes time, too."""
ONE, FIRST_PROBE, MOST_PROBED = 1, 64, 4000
"""Iterations by which the time of one is measured: by the difference between few and many."""
FILE = "budgets.json"
"""In the folder of a tournament: what was measured, so that it goes on with the same agents."""
LIMITS = ("iterations", "milliseconds", "calls")


@dataclass(frozen=True)
class Budget:
    """The effort of a searching agent for a decision.

    >>> [str(Budget.of(text)) for text in ("10", "0.5ms", "200it")]
    ['10 ms', '0.5 ms', '200 iterations']
    >>> str(Budget.of("1it"))
    '1 iteration'

    Attributes:
        amount: how much, above 0.
        in_iterations: whether of iterations; else of milliseconds of CPU time.
    """

    amount: float
    in_iterations: bool = False

    @classmethod
    def of(cls, text: str) -> Budget:
        """Reads a budget: ``10`` or ``10ms`` for milliseconds, ``200it`` for iterations.

        Raises:
            ParameterError: it is none.
        """
        found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|it|iterations)?", text)
        amount = float(found[1]) if found else 0.0
        iterations = found is not None and found[2] in ("it", "iterations")
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
        """An agent with this budget at a table; one that does not search as it is.

        Args:
            agent: without a budget.
            label: of the table.
            table: where it plays.
            folder: where what is measured is kept for the next time.

        Raises:
            AgentError: it has a budget of its own.
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


def check_budget(budget: object) -> None:
    """Checks what was given as a budget.

    Raises:
        ParameterError: it is none.
    """
    if not isinstance(budget, Budget):
        raise ParameterError(f"budget = {budget!r} should be a Budget, such as Budget.of('10ms').")


def _limited(agent: Agent, iterations: int) -> Agent:
    return type(agent)(**(agent.options.as_dict() | {"iterations": max(1, iterations)}))


def positions(table: Table, count: int = POSITIONS) -> list[State]:
    """States with a choice, from a few games; none where nobody ever has one."""
    rng = random.Random(5)
    guide = make_agent(GUIDE)
    found: list[State] = []
    for seed in range(3):
        state = table.new_state(seed)
        for _ in range(3000):
            if state.is_terminal:
                break
            legal = state.legal_actions()
            if len(legal) > 1:
                found.append(state.clone())
            state.apply(guide.choose(state) if len(legal) > 1 else legal[0])
    return rng.sample(found, min(count, len(found)))


def seconds_of_an_iteration(agent: Agent, states: Sequence[State], milliseconds: float) -> float:
    """The CPU time of an iteration of an agent where a decision takes about so long.

    What a decision takes besides its iterations is not in it.
    """
    begin = _seconds_of_a_decision(agent, states, ONE)
    iterations = FIRST_PROBE
    for last in (False, True):
        whole = _seconds_of_a_decision(agent, states, iterations)
        seconds = max(whole - begin, 0.05 * whole) / (iterations - ONE)
        if last:
            break
        wanted = int(max(LEAST_MILLISECONDS, 0.5 * milliseconds) / 1000 / seconds)
        iterations = min(MOST_PROBED, max(FIRST_PROBE, wanted))
    return seconds


def _seconds_of_a_decision(agent: Agent, states: Sequence[State], iterations: int) -> float:
    """The CPU time of a decision with so many iterations, on average."""
    seat = AgentSeat(_limited(agent, iterations), states[0].table, 0)
    seat.begin(0)
    seat.decide(states[0], states[0].legal_actions())  # touches the memory
    began = time.process_time()
    for number, state in enumerate(states):
        seat.begin(number)
        seat.decide(state, state.legal_actions())
    return (time.process_time() - began) / len(states)


def iterations_within(agent: Agent, table: Table, milliseconds: float) -> int:
    """How many iterations of an agent take so long for a decision, on average.

    One, where nobody ever has a choice, so that nobody thinks.
    """
    states = positions(table)
    if not states:
        return 1
    seconds = seconds_of_an_iteration(agent, states, milliseconds)
    return max(1, round(milliseconds / 1000 / seconds))
