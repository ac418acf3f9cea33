"""PIMC: perfect information Monte Carlo, flat, as the RECYCLE paper's PIPMC player does it.

For every legal action the hidden is sampled a number of times; each sample is played to the
end by random players; the action of the best average outcome is chosen. In a long game
``rollout_length`` ends playouts sooner, and they count by the heuristic, or by the score so far.
Source: Bell, Goadrich, "Automated Playtesting with RECYCLED CARDSTOCK", 2016. Its player takes 20
samples of each action, as here, and gains as much in Agram against random players: 15 to 18
points more than its share of wins (``tests/recycle/test_pimc.py``).
"""

from __future__ import annotations

from typing import Any

from kibitz.agents.evaluation import Measure, measured_value
from kibitz.agents.playouts import play_out
from kibitz.agents.search import (
    SEARCH,
    Budgeted,
    acting_player,
    advise,
    after_states,
    begin,
    may_go_on,
    search_memory,
    state_address,
)
from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.agent import AGENT, NativeAgent
from kibitz.core.contract import RULES, Rules, apply_action, redeterminize
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import FLOAT64, Address, array_at, copy_bytes, record_at
from kibitz.core.parameters import Tunable
from kibitz.core.randomness import random_below, split_stream


class PimcOptions(Budgeted):
    """Options of ``pimc``; an iteration is one sample of one action."""

    determinizations = Tunable(
        20, range(100_001), "samples of the hidden for each action; 0: until a limit is met"
    )
    playouts = Tunable(1, range(1, 10_001), "random playouts of each sample")
    rollout_length = Tunable(-1, range(-1, 100_001), "actions of a playout; -1: to the end")
    by = Tunable(Measure.RANK, doc="what counts of an outcome: the rank, or the score")


PIMC_OPTIONS = PimcOptions.dtype()
STATES = 2
"""Working states: a sample after the action, and the one it is played out in."""
NOWHERE = 0
"""Room for looking ahead, which these playouts do not."""


class PimcAgent(NativeAgent):
    """Averages random playouts over samples of the hidden, for each action."""

    name = "pimc"
    Options = PimcOptions

    def memory_size(self, table: Table) -> int:
        return search_memory(table, STATES) + 8 * MAX_ACTIONS

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """The action of the best average outcome; ties at random."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        options = record_at(me.options, PIMC_OPTIONS)
        search = record_at(me.memory, SEARCH)
        begin(search, me, options.iterations, options.milliseconds, options.calls)
        wanted = options.determinizations * count
        if wanted > 0 and options.iterations == 0:
            search.iteration_limit = wanted
        legal = record_at(actions, ACTION_LIST)
        totals = array_at(after_states(me.memory, game, STATES), FLOAT64, count)
        for i in range(count):
            totals[i] = 0.0
        samples = 0
        while (wanted == 0 or samples < wanted) and may_go_on(search):
            i = samples % count  # by turns, so that a budget is shared out evenly
            outcome = sample_outcome(me, game, search, observation, legal.items[i], options)
            if outcome != outcome:
                break
            totals[i] += outcome
            samples += 1
            search.iterations += 1
        return best_on_average(me, legal, count, totals, samples)


def sample_outcome(
    me: Any, game: Rules, search: Any, observation: Address, action: int, options: Any
) -> float:
    """The average outcome of playouts after `action` in a fresh determinization.

    When the time runs out it is that of the playouts so far; NaN when there are none.
    """
    sample = state_address(me.memory, game, 0)
    work = state_address(me.memory, game, 1)
    buffer = state_address(me.memory, game, STATES)
    player = acting_player(observation)
    copy_bytes(sample, observation, game.state_size)
    redeterminize(game, sample, player, me.rng)
    apply_action(game, sample, action)
    search.calls += 1
    total = 0.0
    for number in range(options.playouts):
        copy_bytes(work, sample, game.state_size)
        split_stream(me.rng, record_at(work, HEADER).rng)
        if not play_out(game, search, work, NOWHERE, buffer, me.rng, options.rollout_length, 1):
            return total / number  # NaN without any
        total += measured_value(game, work, player, options.by)
    return total / options.playouts


def best_on_average(me: Any, legal: Any, count: int, totals: Any, samples: int) -> int:
    """The action of the best mean, when `samples` were dealt to the actions by turns."""
    best = 0
    best_mean = -1e300
    ties = 0
    for i in range(count):
        trials = (samples - i + count - 1) // count
        mean = totals[i] / max(1, trials)
        advise(me, legal.items[i], trials, min(1.0, max(0.0, mean)))
        if trials == 0:
            mean = -1e299
        if mean > best_mean:
            best, best_mean, ties = i, mean, 1
        elif mean == best_mean:
            ties += 1
            if random_below(me.rng, ties) == 0:
                best = i
    return int(legal.items[best])
