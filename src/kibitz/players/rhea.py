"""RHEA: rolling horizon evolution of a short plan of the searching player's actions.

An individual is a sequence of actions for the searching player; the opponents' actions between
them are random. With ``plan=team`` it is a sequence of all players' actions, which suits a game
that all win or lose together. Its fitness is the discounted sum of the changes of the heuristic
along the way. A child keeps its parent's genes up to a random place and is random from there on;
genes that are not legal when they are played are replaced by random legal ones. With a population
of one this is the random mutation hill climber that TAG calls RHEA. Where most random actions do
harm, no child with a random tail beats a mature plan; then ``tries`` fills each gap with the best
of a few random actions, by the heuristic one step ahead.

A plan has a number of actions (``length``), or ends earlier after a number of turns, counted over
all players (``turns``). With ``plan=team`` all plans are then judged at the beginning of a turn,
and offers to play cards at any time do not make them shorter. With ``plan=own`` a plan ends at the
player's first decision after these turns.

Each plan is judged once, in a sample of its own; so a lucky one may stay. With ``samples`` all
plans of a decision are judged in the same few samples (common random numbers): then hidden
information and the game's own chance are the same for all. Opponents' actions and those that fill
gaps are drawn anew for each plan.

Sources: Perez et al., "Rolling horizon evolution versus tree search for navigation in
single-player real-time games", GECCO 2013; Gaina et al., "TAG", EXAG 2020.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import AGENT, NativeAgent
from kibitz.core.contract import RULES, Rules, apply_action, legal_actions, redeterminize
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, Address, array_at, copy_bytes, record_at
from kibitz.core.parameters import Tunable
from kibitz.core.randomness import random_below
from kibitz.core.status import Status
from kibitz.players.evaluation import value_of
from kibitz.players.playouts import best_of
from kibitz.players.search import (
    SEARCH,
    Budgeted,
    acting_player,
    advise,
    after_states,
    begin,
    is_stopped,
    may_go_on,
    padded,
    search_memory,
    state_address,
)

MAX_LENGTH = 100
INDIVIDUAL = np.dtype(
    [
        ("fitness", np.float64),
        ("played", np.int64),  # number of genes played before the plan, or the game, ended
        ("genes", np.int64, (MAX_LENGTH,)),
    ]
)
INDIVIDUAL_SIZE = INDIVIDUAL.itemsize
NO_GENE = -1
NO_FITNESS = -1e300
STATES = 2
"""The number of working states besides the samples: one played on, and one to look ahead in."""


class Plan(enum.IntEnum):
    """The players whose actions are planned."""

    OWN = 0
    """The searching player's actions; the others play at random."""
    TEAM = 1
    """All players' actions."""


class RheaOptions(Budgeted):
    """Options of ``rhea``."""

    length = Tunable(
        10,
        range(1, MAX_LENGTH + 1),
        "actions planned ahead, at most",
        tune=(1, 2, 3, 5, 7, 10, 15, 20),
    )
    turns = Tunable(
        0,
        range(101),
        "turns of any players after which a plan ends; 0: its length alone ends it",
        tune=(0, 1, 2),
    )
    plan = Tunable(Plan.OWN, doc="own: the others play at random; team: everybody's actions")
    tries = Tunable(
        1,
        range(1, 101),
        "random actions of which the best one fills a gap; if several, each costs a call",
        tune=(1, 2, 3, 5),
    )
    samples = Tunable(
        0,
        range(101),
        "samples to judge all plans in; 0: a fresh one for each plan",
        tune=(0, 1, 2, 5, 10, 20),
    )
    discount = Tunable(
        0.9, (0.0, 1.0), "weight of each further step", tune=(0.5, 0.7, 0.8, 0.9, 0.95, 1.0)
    )
    population = Tunable(1, range(1, 1001), "individuals kept", tune=(1, 2, 5, 10, 20))
    elites = Tunable(
        1, range(1001), "best individuals that compete with their children", tune=(0, 1, 2, 5)
    )
    shift_buffer = Tunable(True, doc="begin with the last plan, moved on by one action")


RHEA_OPTIONS = RheaOptions.dtype()


class RheaAgent(NativeAgent):
    """Evolves a plan, plays its first action, and keeps the rest for the next decision."""

    name = "rhea"
    learns = True
    Options = RheaOptions

    def record(self, table: Table) -> bytes:
        """The options, with the utility that counts at this table."""
        chosen = self.options.as_dict() | {"by": self.options.utility_at(table)}
        record: bytes = self.Options(**chosen).record()
        return record

    def memory_size(self, table: Table) -> int:
        individuals = 2 * self.options.population  # and as many children
        states = STATES + max(1, self.options.samples)
        return search_memory(table, states) + padded(individuals * INDIVIDUAL_SIZE + 8)

    @staticmethod
    def act(agent: int, rules: int, observation: int, actions: int, count: int) -> int:
        """The first action of the fittest plan."""
        me = record_at(agent, AGENT)
        game = record_at(rules, RULES)
        options = record_at(me.options, RHEA_OPTIONS)
        search = record_at(me.memory, SEARCH)
        states = STATES + max(1, options.samples)
        base = after_states(me.memory, game, states)
        pool = array_at(base, INDIVIDUAL, 2 * options.population)
        last = array_at(base + 2 * options.population * INDIVIDUAL_SIZE, INT64, 1)
        tick = record_at(observation, HEADER).tick
        if search.in_use == 0 or not options.shift_buffer:
            forget(pool[0], options.length)
        else:
            shift(pool[0], options.length, tick - last[0] if options.plan == Plan.TEAM else 1)
        last[0] = tick
        begin(search, me, options.iterations, options.milliseconds, options.calls)
        search.by = options.by
        search.actions = state_address(me.memory, game, states)
        search.ahead = state_address(me.memory, game, 1)
        search.tries = options.tries
        for sample in range(options.samples):
            draw_sample(me, game, observation, sample)
        judge(me, game, search, observation, pool[0])
        first_generation(me, game, search, observation, pool)
        me.best = legal_gene(actions, count, pool[0].genes[0])
        while may_go_on(search):
            next_generation(me, game, search, observation, pool)
            me.best = legal_gene(actions, count, pool[0].genes[0])
        chosen = legal_gene(actions, count, pool[0].genes[0])
        if chosen == NO_GENE:  # what was legal in the sample is not in the observation
            chosen = record_at(actions, ACTION_LIST).items[random_below(me.rng, count)]
        advise(me, chosen, 1.0, 0.5 + 0.5 * min(1.0, max(-1.0, pool[0].fitness)))
        return chosen


def forget(plan: Any, length: int) -> None:
    """Clears a plan."""
    for g in range(length):
        plan.genes[g] = NO_GENE


def shift(plan: Any, length: int, played: int) -> None:
    """Drops the first `played` actions of a plan, and leaves gaps at its end."""
    for g in range(length):
        plan.genes[g] = plan.genes[g + played] if g + played < length else NO_GENE


def vary(parent: Any, child: Any, length: int, rng: Any) -> None:
    """Makes a child: the parent's genes up to a random one that was played, then gaps."""
    place = random_below(rng, max(1, parent.played))
    for g in range(length):
        child.genes[g] = parent.genes[g] if g < place else NO_GENE


def first_generation(me: Any, game: Rules, search: Any, observation: Address, pool: Any) -> None:
    """Fills the population with children of the first plan; evaluates those within the budget."""
    options = record_at(me.options, RHEA_OPTIONS)
    for i in range(1, options.population):
        vary(pool[0], pool[i], options.length, me.rng)
        pool[i].fitness = NO_FITNESS
        if may_go_on(search):
            judge(me, game, search, observation, pool[i])
    sort_by_fitness(pool, options.population)


def next_generation(me: Any, game: Rules, search: Any, observation: Address, pool: Any) -> None:
    """Makes a generation of children; the best of them and of the elites survive."""
    options = record_at(me.options, RHEA_OPTIONS)
    size = options.population
    born = 0
    while born < size and may_go_on(search):
        # the population is sorted: of two drawn, the one with the lower index is fitter
        parent = min(random_below(me.rng, size), random_below(me.rng, size))
        child = pool[size + born]
        vary(pool[parent], child, options.length, me.rng)
        judge(me, game, search, observation, child)
        born += 1
    for i in range(options.elites, size):
        pool[i].fitness = NO_FITNESS
    sort_by_fitness(pool, size + born)


def draw_sample(me: Any, game: Rules, observation: Address, number: int) -> None:
    """Draws a determinization, including the chance to come, as sample `number`."""
    sample = state_address(me.memory, game, STATES + number)
    copy_bytes(sample, observation, game.state_size)
    redeterminize(game, sample, acting_player(observation), me.rng)


def judge(me: Any, game: Rules, search: Any, observation: Address, individual: Any) -> None:
    """Sets the fitness of a plan: its mean in the samples, or its value in a fresh sample."""
    samples = record_at(me.options, RHEA_OPTIONS).samples
    if samples == 0:
        draw_sample(me, game, observation, 0)
    number = max(1, samples)
    total = 0.0
    for sample in range(number):
        total += play_plan(me, game, search, individual, sample)
    individual.fitness = total / number
    search.iterations += 1


def play_plan(me: Any, game: Rules, search: Any, individual: Any, sample: int) -> float:
    """Plays a plan in a sample, fills its gaps, and returns its discounted gain of value."""
    options = record_at(me.options, RHEA_OPTIONS)
    work = state_address(me.memory, game, 0)
    actions = search.actions
    copy_bytes(work, state_address(me.memory, game, STATES + sample), game.state_size)
    player = acting_player(work)
    header = record_at(work, HEADER)
    before = value_of(game, search, work, player)
    last_turn = header.turn + options.turns
    fitness = 0.0
    weight = 1.0
    played = 0
    while played < options.length and header.status == Status.PLAYING and not is_stopped(search):
        if options.turns > 0 and header.turn >= last_turn:
            break
        count = legal_actions(game, work, actions)
        if count == 0:
            break
        gene = legal_gene(actions, count, individual.genes[played])
        if gene == NO_GENE:
            gene = best_of(game, search, work, count, me.rng)
        if sample == 0:
            individual.genes[played] = gene
        apply_action(game, work, gene)
        search.calls += 1
        played += 1
        if options.plan == Plan.OWN:
            wait_for_turn(game, search, work, player, me.rng)
        if options.discount < 1.0:
            after = value_of(game, search, work, player)
            fitness += weight * 2.0 * (after - before)
            weight *= options.discount
            before = after
    if sample == 0:
        individual.played = played
    if options.discount == 1.0:  # the changes add up to the total change
        fitness = 2.0 * (value_of(game, search, work, player) - before)
    return fitness


def legal_gene(actions: Address, count: int, gene: int) -> int:
    """The gene if it is a legal action, else ``NO_GENE``."""
    legal = record_at(actions, ACTION_LIST)
    if gene != NO_GENE:
        for i in range(count):
            if legal.items[i] == gene:
                return gene
    return NO_GENE


def wait_for_turn(game: Rules, search: Any, state: Address, player: int, rng: Any) -> None:
    """Plays random actions of the opponents until it is `player`'s turn again."""
    header = record_at(state, HEADER)
    actions = search.actions
    legal = record_at(actions, ACTION_LIST)
    while header.status == Status.PLAYING and header.player != player and not is_stopped(search):
        count = legal_actions(game, state, actions)
        if count == 0:
            return
        apply_action(game, state, legal.items[random_below(rng, count)])
        search.calls += 1


def sort_by_fitness(pool: Any, count: int) -> None:
    """Sorts the first `count` individuals by insertion, stably, the fittest first."""
    for i in range(1, count):
        j = i
        while j > 0 and pool[j].fitness > pool[j - 1].fitness:
            swap(pool, j, j - 1)
            j -= 1


def swap(pool: Any, a: int, b: int) -> None:
    """Swaps two individuals."""
    fitness, played = pool[a].fitness, pool[a].played
    pool[a].fitness, pool[a].played = pool[b].fitness, pool[b].played
    pool[b].fitness, pool[b].played = fitness, played
    for g in range(MAX_LENGTH):
        gene = pool[a].genes[g]
        pool[a].genes[g] = pool[b].genes[g]
        pool[b].genes[g] = gene
