"""Agents without a search: random, first legal, and one-step look-ahead (OSLA)."""

from __future__ import annotations

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, EvaluatingOptions, NativeAgent
from kibitz.core.contract import RULES, apply_action, redeterminize
from kibitz.core.game import Table
from kibitz.core.memory import INT64, array_at, copy_bytes, record_at
from kibitz.core.parameters import Tunable
from kibitz.core.randomness import random_below
from kibitz.players.evaluation import value_of
from kibitz.players.search import (
    SEARCH,
    Utility,
    acting_player,
    advise,
    search_memory,
    state_address,
)


class RandomAgent(NativeAgent):
    """Chooses uniformly among the legal actions."""

    name = "random"
    takes_long = False
    sees = False

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """A uniformly random action."""
        pick = random_below(record_at(agent, AGENT).rng, count)
        return int(record_at(actions, ACTION_LIST).items[pick])


class FirstLegalAgent(NativeAgent):
    """Always chooses the first legal action."""

    name = "first-legal"
    takes_long = False
    sees = False

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """The first action of the list."""
        return int(record_at(actions, ACTION_LIST).items[0])


class OslaOptions(EvaluatingOptions):
    """Options of OSLA."""

    samples = Tunable(
        1, range(1, 10_001), "samples of what is hidden to average over", tune=(1, 3, 10, 30)
    )


OSLA_OPTIONS = OslaOptions.dtype()


class OslaAgent(NativeAgent):
    """One-step look-ahead: the action after which the heuristic is best; ties at random.

    Source: Gaina et al., "TAG: A Tabletop Games Framework", EXAG 2020.
    """

    name = "osla"
    Options = OslaOptions

    def memory_size(self, table: Table) -> int:
        return search_memory(table, 1)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """Tries every action in each sample."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        samples = record_at(me.options, OSLA_OPTIONS).samples
        legal = record_at(actions, ACTION_LIST)
        player = acting_player(observation)
        search = record_at(me.memory, SEARCH)
        search.heuristic = me.heuristic
        search.by = Utility.PLACE
        work = state_address(me.memory, game, 0)
        best = 0
        best_value = -1.0
        ties = 0
        for i in range(count):
            total = 0.0
            for _ in range(samples):
                if array_at(me.stop, INT64, 1)[0] != 0:
                    break
                copy_bytes(work, observation, game.state_size)
                if samples > 1:
                    redeterminize(game, work, player, me.rng)
                apply_action(game, work, legal.items[i])
                total += value_of(game, search, work, player)
            value = total / samples
            advise(me, legal.items[i], samples, value)
            if value > best_value:
                best, best_value, ties = i, value, 1
            elif value == best_value:
                ties += 1
                if random_below(me.rng, ties) == 0:
                    best = i
            me.best = legal.items[best]
        return int(legal.items[best])
