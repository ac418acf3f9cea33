"""A seat's belief about hidden information: particles, each a state that may be the true one.

They are kept from one action to the next (``particle_filter.py``); a search begins each of its
iterations in one of them. Likely states have several particles, so all particles count the same.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from kibitz.core.actions import MAX_ACTIONS
from kibitz.core.chance import renew_chance
from kibitz.core.contract import Rules
from kibitz.core.hidden import mask_hidden
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, Address, array_at, copy_bytes, record_at
from kibitz.core.parameters import Tunable
from kibitz.core.randomness import Stream, random_below
from kibitz.core.status import MAX_PLAYERS
from kibitz.players.graph import BEFORE_COUNTERS
from kibitz.players.search import ACTION_LIST_SIZE, SEARCH_SIZE, RolloutOptions, padded
from kibitz.players.unseen import can_exchange, shuffle_unseen

MOST_DRAWN = 16
"""The most cards that chance may reveal in one action; with more the belief begins anew."""


class Belief(enum.IntEnum):
    """How likely the states that agree with an observation are taken to be."""

    UNIFORM = 0
    """All states that agree with the observation are equally likely."""
    ACTIONS = 1
    """States count by how likely the others' actions were in them."""


class BelievingOptions(RolloutOptions):
    """Options of searches that may infer the others' hidden cards from their actions."""

    belief = Tunable(
        Belief.UNIFORM,
        doc="uniform: all states that agree with the observation are equally likely;"
        " actions: those in which the others' actions were good for them are likelier",
    )
    particles = Tunable(
        1000,
        range(1, 100_001),
        "states in the particle filter of belief=actions",
        tune=(),
    )
    temperature = Tunable(
        0.05,
        (0.001, 100.0),
        "how randomly the others are taken to choose: a softmax of values one step ahead",
        tune=(),
    )
    opponent_calls = Tunable(
        20_000,
        range(1, 2_000_000_001),
        "forward-model calls after an action, spent on modelling the others",
        tune=(),
    )
    opponent_length = Tunable(
        -1,
        range(-1, 100_001),
        "length of the rollouts by which the others are modelled; -1: as in the search",
        tune=(),
    )
    doubt = Tunable(
        0.1,
        (0.0, 1.0),
        "probability that the others choose at random",
        tune=(),
    )


BELIEF = np.dtype(
    [
        ("games", np.int64),  # which game it is about, as the agent counts them,
        ("tick", np.int64),  # actions played when it was last updated,
        ("deal", np.int64),  # and deals
        ("count", np.int64),  # number of particles; 0: it knows nothing
        ("particles", np.int64),  # addresses: of the particles,
        ("successors", np.int64),  # of what they become by an action,
        ("weights", np.int64),  # FLOAT64[]: of the successors,
        ("chances", np.int64),  # FLOAT64[MAX_ACTIONS]: of the mover's actions
        ("values", np.int64),  # FLOAT64[MAX_PLAYERS]: of a state behind one
        ("legal", np.int64),  # of an ACTION_LIST: what the mover can do,
        ("others", np.int64),  # of another one
        ("search", np.int64),  # of a SEARCH record for the model of the others
        ("keys", np.int64),  # INT64[]: information sets of the mover,
        ("memo", np.int64),  # FLOAT64[room]: and the policies there
        ("room", np.int64),
        ("policies", np.int64),  # number of policies in the memo
        ("samples", np.int64),  # rollouts for each action of a policy; 0: not yet known
        ("least", np.float64),  # the range of values in this game
        ("most", np.float64),
        ("seen", np.int64),  # of the last observation, with what is hidden masked
        ("base", np.int64),  # of states to work with: before an action,
        ("trial", np.int64),  # and after it,
        ("shown", np.int64),  # as it is seen
        ("stride", np.int64),  # bytes from one state to the next
        ("settled", np.int64),  # places that an action's chance was settled for,
        ("settled_at", np.int64, (MOST_DRAWN,)),  # where the cards turned up,
        ("settled_from", np.int64, (MOST_DRAWN,)),  # and where they were before
        ("drawn", np.int64),  # places where cards turned up by chance in any particle,
        ("drawn_at", np.int64, (MOST_DRAWN,)),
    ]
)

BELIEF_SIZE = padded(BELIEF.itemsize)
CHANCES_SIZE = 8 * MAX_ACTIONS
VALUES_SIZE = padded(8 * MAX_PLAYERS)
ACTIONS_OF_POLICY = 16
"""The actions per policy for which memory is reserved; policies with more leave room for fewer."""
STATES = 4
"""The states of a belief beside its particles: ``seen``, ``base``, ``trial`` and ``shown``."""


def belief_memory(state_size: int, particles: int) -> int:
    """Bytes for a belief of this number of particles."""
    own = BELIEF_SIZE + SEARCH_SIZE + 2 * ACTION_LIST_SIZE
    numbers = 2 * padded(8 * particles) + 8 * memo_room(particles) + CHANCES_SIZE + VALUES_SIZE
    return own + numbers + (2 * particles + STATES) * padded(state_size)


def memo_room(particles: int) -> int:
    """The number of action probabilities that are kept: at least those of one policy."""
    return MAX_ACTIONS + ACTIONS_OF_POLICY * particles


def belief_at(agent: Any, rules: Rules, particles: int) -> Address:
    """The address of the belief: it lies at the end of an agent's memory."""
    return int(agent.memory + agent.memory_size - belief_memory(rules.state_size, particles))


def belief_of(agent: Any, rules: Rules, particles: int) -> Any:
    """The ``BELIEF`` record of an agent, with its addresses set."""
    size = padded(rules.state_size)
    base = belief_at(agent, rules, particles)
    belief = record_at(base, BELIEF)
    belief.stride = size
    belief.legal = base + BELIEF_SIZE
    belief.others = belief.legal + ACTION_LIST_SIZE
    belief.search = belief.others + ACTION_LIST_SIZE
    belief.chances = belief.search + SEARCH_SIZE
    belief.values = belief.chances + CHANCES_SIZE
    belief.weights = belief.values + VALUES_SIZE
    belief.keys = belief.weights + padded(8 * particles)
    belief.room = memo_room(particles)
    belief.memo = belief.keys + padded(8 * particles)
    belief.seen = belief.memo + 8 * belief.room
    belief.base = belief.seen + size
    belief.trial = belief.base + size
    belief.shown = belief.trial + size
    belief.particles = belief.shown + size
    belief.successors = belief.particles + particles * size
    return belief


def note_seen(belief: Any, rules: Rules, observation: Address, player: int) -> None:
    """Stores the observation of `player`: the state with what they cannot see masked."""
    copy_bytes(belief.seen, observation, rules.state_size)
    mask_hidden(rules, belief.seen, player)


def is_seen(belief: Any, rules: Rules, state: Address, player: int) -> bool:
    """Whether `player` sees in a state exactly the observation that was stored."""
    copy_bytes(belief.shown, state, rules.state_size)
    mask_hidden(rules, belief.shown, player)
    words = array_at(belief.shown, INT64, rules.state_size >> 3)
    noted = array_at(belief.seen, INT64, rules.state_size >> 3)
    for i in range(BEFORE_COUNTERS, len(words)):
        if words[i] != noted[i]:
            return False
    return True


def holds(belief: Any, agent: Any, rules: Rules, observation: Address, player: int) -> bool:
    """Whether the belief was updated to this observation of `player`."""
    if belief.count == 0 or belief.games != agent.games or agent.seat != player:
        return False
    return is_seen(belief, rules, observation, player)


def draw_particle(belief: Any, rules: Rules, target: Address, rng: Stream) -> None:
    """Writes a random particle to `target`, with fresh future chance."""
    pick = random_below(rng, belief.count)
    copy_bytes(target, belief.particles + pick * belief.stride, rules.state_size)
    renew_chance(rng, record_at(target, HEADER))
    if can_exchange(rules) and rules.redeterminize == 0:
        shuffle_unseen(rules, target)
