"""RHEA: rolling horizon evolution of a short plan of one's own actions.

An individual is a sequence of actions for the searching player; the opponents' actions between
them are random. Its fitness is the discounted sum of the changes of the heuristic along the
way. A child keeps its parent's genes up to a random place and is random from there on; genes
that are not legal when their turn comes are replaced by random legal ones. With a population
of one this is the random mutation hill climber that TAG calls RHEA.

Sources: Perez et al., "Rolling horizon evolution versus tree search for navigation in
single-player real-time games", GECCO 2013; Gaina et al., "TAG", EXAG 2020.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.agents.search import (
    SEARCH,
    Budgeted,
    acting_player,
    advise,
    after_states,
    begin,
    may_go_on,
    padded,
    search_memory,
    state_address,
    value_of,
)
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, NativeAgent
from kibitz.core.contract import RULES, Rules, apply_action, legal_actions, redeterminize
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import Address, array_at, copy_bytes, record_at
from kibitz.core.parameters import Tunable
from kibitz.core.randomness import random_below
from kibitz.core.status import Status

MAX_LENGTH = 100
INDIVIDUAL = np.dtype([("fitness", np.float64), ("genes", np.int64, (MAX_LENGTH,))])
INDIVIDUAL_SIZE = INDIVIDUAL.itemsize
NO_GENE = -1
NO_FITNESS = -1e300


class RheaOptions(Budgeted):
    """Options of ``rhea``."""

    length = Tunable(10, range(1, MAX_LENGTH + 1), "own actions planned ahead")
    discount = Tunable(0.9, (0.0, 1.0), "weight of each further step")
    population = Tunable(1, range(1, 1001), "individuals kept")
    elites = Tunable(1, range(1001), "best individuals that compete with their children")
    shift_buffer = Tunable(True, doc="begin with the last plan, moved on by one action")


RHEA_OPTIONS = RheaOptions.dtype()


class RheaAgent(NativeAgent):
    """Evolves a plan, plays its first action, and keeps the rest for the next decision."""

    name = "rhea"
    Options = RheaOptions

    def memory_size(self, table: Table) -> int:
        individuals = 2 * self.options.population  # and as many children
        return search_memory(table, 1) + padded(individuals * INDIVIDUAL_SIZE)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """The first action of the fittest plan."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        options = record_at(me.options, RHEA_OPTIONS)
        search = record_at(me.memory, SEARCH)
        base = after_states(me.memory, game, 1)
        pool = array_at(base, INDIVIDUAL, 2 * options.population)
        if search.in_use == 0 or not options.shift_buffer:
            forget(pool[0], options.length)
        else:
            shift(pool[0], options.length)
        begin(search, options.iterations, options.milliseconds, options.calls)
        evaluate(me, game, search, observation, pool[0], options)
        first_generation(me, game, search, observation, pool, options)
        while may_go_on(search, me):
            next_generation(me, game, search, observation, pool, options)
        chosen = legal_gene(actions, count, pool[0].genes[0], me.rng)
        advise(me, chosen, 1.0, 0.5 + 0.5 * min(1.0, max(-1.0, pool[0].fitness)))
        return chosen


def forget(plan: Any, length: int) -> None:
    """A plan without any action."""
    for g in range(length):
        plan.genes[g] = NO_GENE


def shift(plan: Any, length: int) -> None:
    """Moves a plan on by the action that was played."""
    for g in range(length - 1):
        plan.genes[g] = plan.genes[g + 1]
    plan.genes[length - 1] = NO_GENE


def vary(parent: Any, child: Any, length: int, rng: Any) -> None:
    """Makes a child: the parent's genes up to a random place, none from there on."""
    place = random_below(rng, length)
    for g in range(length):
        child.genes[g] = parent.genes[g] if g < place else NO_GENE


def first_generation(
    me: Any, game: Rules, search: Any, observation: Address, pool: Any, options: Any
) -> None:
    """Fills the population with children of the first plan, as far as the budget goes."""
    for i in range(1, options.population):
        vary(pool[0], pool[i], options.length, me.rng)
        pool[i].fitness = NO_FITNESS
        if may_go_on(search, me):
            evaluate(me, game, search, observation, pool[i], options)
    sort_by_fitness(pool, options.population)


def next_generation(
    me: Any, game: Rules, search: Any, observation: Address, pool: Any, options: Any
) -> None:
    """As many children as the population has members; the best of them and the elites live."""
    size = options.population
    born = 0
    while born < size and may_go_on(search, me):
        # the population is sorted: of two drawn, the one in the lower place is the fitter
        parent = min(random_below(me.rng, size), random_below(me.rng, size))
        child = pool[size + born]
        vary(pool[parent], child, options.length, me.rng)
        evaluate(me, game, search, observation, child, options)
        born += 1
    for i in range(options.elites, size):
        pool[i].fitness = NO_FITNESS
    sort_by_fitness(pool, size + born)


def evaluate(
    me: Any, game: Rules, search: Any, observation: Address, individual: Any, options: Any
) -> None:
    """Plays a plan in a fresh sample, fills its gaps, and sets its fitness."""
    work = state_address(me.memory, game, 0)
    buffer = state_address(me.memory, game, 1)
    player = acting_player(observation)
    copy_bytes(work, observation, game.state_size)
    redeterminize(game, work, player, me.rng)
    header = record_at(work, HEADER)
    before = value_of(game, work, player)
    fitness = 0.0
    weight = 1.0
    for g in range(options.length):
        if header.status != Status.PLAYING:
            break
        count = legal_actions(game, work, buffer)
        if count == 0:
            break
        individual.genes[g] = legal_gene(buffer, count, individual.genes[g], me.rng)
        apply_action(game, work, individual.genes[g])
        search.calls += 1
        wait_for_turn(game, search, work, buffer, player, me.rng)
        after = value_of(game, work, player)
        fitness += weight * 2.0 * (after - before)
        weight *= options.discount
        before = after
    individual.fitness = fitness
    search.iterations += 1


def legal_gene(actions: Address, count: int, gene: int, rng: Any) -> int:
    """The gene where it is legal, else a random legal action."""
    legal = record_at(actions, ACTION_LIST)
    if gene != NO_GENE:
        for i in range(count):
            if legal.items[i] == gene:
                return gene
    return int(legal.items[random_below(rng, count)])


def wait_for_turn(
    game: Rules, search: Any, state: Address, actions: Address, player: int, rng: Any
) -> None:
    """Lets the opponents play at random until it is `player`'s turn again."""
    header = record_at(state, HEADER)
    legal = record_at(actions, ACTION_LIST)
    while header.status == Status.PLAYING and header.player != player:
        count = legal_actions(game, state, actions)
        if count == 0:
            return
        apply_action(game, state, legal.items[random_below(rng, count)])
        search.calls += 1


def sort_by_fitness(pool: Any, count: int) -> None:
    """Insertion sort, the fittest first; a newcomer goes behind its equals."""
    for i in range(1, count):
        j = i
        while j > 0 and pool[j].fitness > pool[j - 1].fitness:
            swap(pool, j, j - 1)
            j -= 1


def swap(pool: Any, a: int, b: int) -> None:
    """Exchanges two individuals."""
    fitness = pool[a].fitness
    pool[a].fitness = pool[b].fitness
    pool[b].fitness = fitness
    for g in range(MAX_LENGTH):
        gene = pool[a].genes[g]
        pool[a].genes[g] = pool[b].genes[g]
        pool[b].genes[g] = gene
