"""The particle filter that updates a belief after every action of a player.

After every action the seat gets its observation, and nothing else. For each particle:

1. Each action that the mover could have taken is played in it. It fits if it leads to what the
   seat observes. Where a card was revealed that lies elsewhere in the particle, but nobody has
   seen either of the two cards, they are exchanged before (``unseen.py``).
2. The particle's weight is the probability that the mover takes an action that fits, by the
   model of the others (``opponent_model.py``).
3. The weight is multiplied by the probability that chance drew the cards that were revealed.

Then particles are drawn by weight (systematic resampling). If hardly any fits, the others are
replaced by determinizations of the current observation.

Sources: Gordon, Salmond, Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state
estimation", 1993 (the filter); Silver, Veness, "Monte-Carlo planning in large POMDPs", 2010
(particles in a tree search); Richards, Amir, "Opponent modeling in Scrabble", 2007, and
Cowling, Whitehouse, Powley, "Emergent bluffing and inference with Monte Carlo tree search",
2015 (beliefs from the actions of others).
"""

from __future__ import annotations

import math
from typing import Any

from kibitz.core.actions import ACTION_LIST, MAX_ACTIONS
from kibitz.core.contract import (
    Rules,
    apply_action,
    determinize,
    is_consistent,
    legal_actions,
)
from kibitz.core.layout import HEADER
from kibitz.core.memory import (
    FLOAT64,
    INT32,
    Address,
    array_at,
    copy_bytes,
    record_at,
)
from kibitz.core.randomness import Stream, random_unit
from kibitz.core.status import Status
from kibitz.players.belief import MOST_DRAWN, is_seen, note_seen
from kibitz.players.opponent_model import begin_model, policy_of
from kibitz.players.policies import POLICIES
from kibitz.players.search import acting_player, is_stopped
from kibitz.players.unseen import (
    NO_PLACE,
    OTHER_SHAPE,
    can_exchange,
    count_unseen,
    look_alike,
    nth_unseen,
    pool_at,
    random_unseen,
    set_value,
    value_at,
    wrong_place,
)

ENOUGH = 10.0
"""The effective number of particles that suffices to draw all others from."""
MOST_CANDIDATES = 8
"""The most places that are tried as the origin of a card that was revealed."""


def follow(belief: Any, agent: Any, rules: Rules, observation: Address) -> None:
    """Updates the belief by the seat's observation after another action.

    Where the agent is stopped the belief knows nothing, and begins anew with the next action.

    Args:
        belief: its ``BELIEF`` record.
        agent: the ``AGENT`` record; its options are ``POLICIES``.
        rules: of the game.
        observation: a determinization of the game for the seat.
    """
    particles = record_at(agent.options, POLICIES).particles
    header = record_at(observation, HEADER)
    deal = int(array_at(observation + rules.deal_count, INT32, 1)[0])
    follows = belief.count > 0 and belief.games == agent.games and belief.tick + 1 == header.tick
    note_seen(belief, rules, observation, agent.seat)
    fitting = 0
    if belief.games != agent.games:
        belief.least = math.inf
        belief.most = -math.inf
    if follows and belief.deal == deal and header.status == Status.PLAYING:
        weigh_all(belief, agent, rules)
        fitting = resample(belief, rules, agent.watch_rng)
    for i in range(fitting, particles):
        if is_stopped(agent):
            break
        place = belief.particles + i * belief.stride
        determinize(rules, observation, agent.seat, place, agent.watch_rng)
    if is_stopped(agent):
        belief.count = 0
        return
    belief.count = particles
    belief.games = agent.games
    belief.tick = header.tick
    belief.deal = deal


def resample(belief: Any, rules: Rules, rng: Stream) -> int:
    """Draws particles from their successors by weight; returns how many.

    They are as many as before, unless few have nearly all the weight. The successors are visited
    once, in even steps (J. Carpenter, P. Clifford, P. Fearnhead, "Improved particle filter for
    nonlinear problems", 1999).
    """
    weights = array_at(belief.weights, FLOAT64, belief.count)
    total = 0.0
    squares = 0.0
    for i in range(belief.count):
        total += weights[i]
        squares += weights[i] * weights[i]
    if total <= 0.0:
        return 0
    target = belief.count
    effective = total * total / squares
    if effective < min(ENOUGH, 0.5 * belief.count):
        target = int(belief.count * effective / ENOUGH)
    step = total / max(1, target)
    reached = step * random_unit(rng)
    drawn = 0
    for i in range(belief.count):
        reached -= weights[i]
        while reached < 0.0 and drawn < target:
            source = belief.successors + i * belief.stride
            copy_bytes(belief.particles + drawn * belief.stride, source, rules.state_size)
            drawn += 1
            reached += step
    return drawn


def weigh_all(belief: Any, agent: Any, rules: Rules) -> None:
    """Writes the successor of each particle that agrees with the observation, and its weight."""
    weights = array_at(belief.weights, FLOAT64, belief.count)
    belief.drawn = 0
    begin_model(belief, agent, rules)
    for i in range(belief.count):
        if is_stopped(agent):
            return
        particle = belief.particles + i * belief.stride
        successor = belief.successors + i * belief.stride
        weights[i] = play_particle(belief, agent, rules, particle, successor)
    if belief.drawn > 0:
        for i in range(belief.count):
            if weights[i] > 0.0:
                weights[i] *= chance_of_drawn(belief, rules, belief.particles + i * belief.stride)


def play_particle(
    belief: Any, agent: Any, rules: Rules, particle: Address, successor: Address
) -> float:
    """The probability that the mover takes an action in a particle that leads to the observation.

    It is 1 where the mover has no choice or is the seat itself. Writes to `successor` the state
    after one of these actions, drawn by the model.
    """
    legal = record_at(belief.legal, ACTION_LIST)
    chances = array_at(belief.chances, FLOAT64, MAX_ACTIONS)
    count = legal_actions(rules, particle, belief.legal)
    fitting = 0
    last = -1
    for i in range(count):
        if is_stopped(agent):
            return 0.0
        fits = leads_to(belief, agent, rules, particle, legal.items[i])
        chances[i] = 1.0 if fits else 0.0
        if fits:
            copy_bytes(successor, belief.trial, rules.state_size)
            fitting += 1
            last = i
    if fitting == 0:
        return 0.0
    if count == 1 or acting_player(particle) == agent.seat:
        return 1.0
    likely = policy_of(belief, agent, rules, particle, count)
    total = 0.0
    for i in range(count):
        chances[i] *= likely[i]
        total += chances[i]
    if fitting > 1:
        chosen = draw_action(chances, count, total, agent.watch_rng)
        if chosen != last and leads_to(belief, agent, rules, particle, legal.items[chosen]):
            copy_bytes(successor, belief.trial, rules.state_size)
    return total


def draw_action(chances: Any, count: int, total: float, rng: Stream) -> int:
    """The index of an action, drawn in proportion to the chances, whose sum is `total`."""
    remaining = total * random_unit(rng)
    chosen = -1
    for i in range(count):
        if chances[i] > 0.0:
            chosen = i
            remaining -= chances[i]
            if remaining < 0.0:
                break
    return chosen


# --- results of an action ------------------------------------------------------------------


def leads_to(belief: Any, agent: Any, rules: Rules, particle: Address, action: int) -> bool:
    """Whether an action in a particle leads to the observation, in a consistent state.

    Cards that nobody has seen are exchanged until it does. The state is in ``trial``.
    """
    copy_bytes(belief.base, particle, rules.state_size)
    play_trial(belief, rules, action)
    belief.settled = 0
    wrong = wrong_place(rules, belief.trial, belief.seen, agent.seat)
    while wrong >= 0:
        if not exchange_unseen(belief, agent, rules, action, wrong):
            return False
        wrong = wrong_place(rules, belief.trial, belief.seen, agent.seat)
    if wrong == OTHER_SHAPE or not is_seen(belief, rules, belief.trial, agent.seat):
        return False
    if not is_consistent(rules, belief.trial, agent.seat):
        return False
    for i in range(belief.settled):
        note_drawn(belief, belief.settled_at[i])
    return True


def play_trial(belief: Any, rules: Rules, action: int) -> None:
    """Plays an action in a copy of ``base``."""
    copy_bytes(belief.trial, belief.base, rules.state_size)
    apply_action(rules, belief.trial, action)


def exchange_unseen(belief: Any, agent: Any, rules: Rules, action: int, place: int) -> bool:
    """Exchanges unseen cards in ``base`` so that the action reveals the observed card at a place.

    Returns:
        Whether it succeeded; if so, ``trial`` is the state after the action.
    """
    if belief.settled == MOST_DRAWN or not can_exchange(rules):
        return False
    pool = pool_at(rules, place)
    value = value_at(rules, belief.trial, place)
    observed = value_at(rules, belief.seen, place)
    if pool < 0 or not look_alike(rules, value, observed):
        return False
    for number in range(MOST_CANDIDATES):
        source = nth_unseen(rules, belief.base, pool, value, number)
        if source == NO_PLACE:
            return False
        other = random_unseen(rules, belief.base, pool, observed, agent.watch_rng)
        if other == NO_PLACE:
            return False
        if is_placed(belief, source) or is_placed(belief, other):
            continue
        set_value(rules, belief.base, source, observed)
        set_value(rules, belief.base, other, value)
        play_trial(belief, rules, action)
        wrong = wrong_place(rules, belief.trial, belief.seen, agent.seat)
        if wrong != OTHER_SHAPE and wrong != place:
            belief.settled_at[belief.settled] = place
            belief.settled_from[belief.settled] = source
            belief.settled += 1
            return True
        set_value(rules, belief.base, source, value)
        set_value(rules, belief.base, other, observed)
    return False


def is_placed(belief: Any, place: int) -> bool:
    """Whether an exchange has already put a card at this place."""
    for i in range(belief.settled):
        if belief.settled_from[i] == place:
            return True
    return False


# --- chance ---------------------------------------------------------------------------------


def note_drawn(belief: Any, place: int) -> None:
    """Records that the card revealed at a place was drawn by chance."""
    for i in range(belief.drawn):
        if belief.drawn_at[i] == place:
            return
    if belief.drawn < MOST_DRAWN:
        belief.drawn_at[belief.drawn] = place
        belief.drawn += 1


def chance_of_drawn(belief: Any, rules: Rules, particle: Address) -> float:
    """The probability that chance drew the revealed cards from those that nobody has seen."""
    chance = 1.0
    for i in range(belief.drawn):
        pool = pool_at(rules, belief.drawn_at[i])
        value = value_at(rules, belief.seen, belief.drawn_at[i])
        copies = count_unseen(rules, particle, pool, value)
        cards = count_unseen(rules, particle, pool, -1)
        for k in range(i):
            if pool_at(rules, belief.drawn_at[k]) == pool:
                cards -= 1
                copies -= value_at(rules, belief.seen, belief.drawn_at[k]) == value
        chance *= max(0, copies) / max(1, cards)
    return chance
