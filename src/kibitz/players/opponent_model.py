"""A model of the other players: a policy for each information set, from a small search.

Each action is tried in a few determinizations for the mover, who knows no more than they see: it
is played, followed by ``opponent_length`` random actions. The policy is a softmax over the mean
values; with a small probability, ``doubt``, the mover acts at random. It is computed once for all
particles that the mover cannot distinguish. If the search has a guide (``guide.py``), the guide is
asked instead, without any playouts. Once all ``opponent_calls`` are used up, as in long games with
thousands of information sets, all actions are taken to be equally likely.
"""

from __future__ import annotations

import math
from typing import Any

from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import Rules, apply_action, determinize
from kibitz.core.memory import FLOAT64, INT64, Address, array_at, copy_bytes, record_at
from kibitz.core.status import MAX_PLAYERS
from kibitz.players.evaluation import begin_deal, evaluate
from kibitz.players.graph import observation_key
from kibitz.players.guide import ask_guide
from kibitz.players.playouts import play_out
from kibitz.players.policies import POLICIES
from kibitz.players.search import SEARCH, Utility, acting_player, begin, is_stopped

UNLIMITED = 1 << 60
TIMED = 10
"""The most playouts by which ``share_looks`` estimates the calls that a playout takes."""
COUNTED = 100
"""The most particles by which the number of information sets is estimated."""
ASKED = 4
"""The number of times that the guide, which may act at random, is asked in an information set."""
CALIBRATING = 100
"""The most playouts by which the range of scores is estimated."""


def begin_model(belief: Any, agent: Any, rules: Rules) -> None:
    """Clears the model for another decision."""
    policies = record_at(agent.options, POLICIES)
    search = record_at(belief.search, SEARCH)
    begin(search, agent, UNLIMITED, 0, 0)
    search.actions = belief.others
    search.ahead = belief.shown
    search.rollout_length = policies.opponent_length
    search.by = policies.by
    begin_deal(rules, search, belief.seen, policies.rollout)
    belief.policies = 0
    belief.samples = 0
    if policies.by != Utility.SCORE:
        belief.least = 0.0
        belief.most = 1.0
    elif belief.least > belief.most:
        for i in range(min(belief.count, CALIBRATING)):
            note_range(belief, agent, rules, i)


def policy_of(belief: Any, agent: Any, rules: Rules, particle: Address, count: int) -> Any:
    """The probabilities with which the player to move takes each action, as an array.

    Args:
        belief: the ``BELIEF`` record, with the policies computed for this decision.
        agent: the ``AGENT`` record: its random stream, its guide, and its options, which have the
            parameters of the model.
        particle: the state before the action.
        count: the number of legal actions.
    """
    policies = record_at(agent.options, POLICIES)
    mover = acting_player(particle)
    room = belief.room // count
    key = observation_key(rules, particle, belief.shown, mover)
    keys = array_at(belief.keys, INT64, belief.count)
    if belief.samples == 0 and agent.guide == 0:
        share_looks(belief, agent, rules, mover, count)
    for i in range(belief.policies):
        if keys[i] == key:
            return array_at(belief.memo + 8 * i * count, FLOAT64, count)
    number = belief.policies
    if number >= min(room, belief.count):
        number = 0  # no room is left: the first policy is overwritten
    else:
        belief.policies += 1
    keys[number] = key
    likely = array_at(belief.memo + 8 * number * count, FLOAT64, count)
    if agent.guide != 0:
        sample_guide(belief, agent, rules, particle, likely)
        return likely
    if record_at(belief.search, SEARCH).calls >= policies.opponent_calls:
        for i in range(count):
            likely[i] = 1.0 / count
        return likely
    rate_actions(belief, agent, rules, particle, likely)
    softmax(belief, policies, likely)
    return likely


def note_range(belief: Any, agent: Any, rules: Rules, number: int) -> None:
    """Widens the range of values by a random playout from particle `number`."""
    values = array_at(belief.values, FLOAT64, MAX_PLAYERS)
    source = belief.particles + number * belief.stride
    copy_bytes(belief.trial, source, rules.state_size)
    roll_out_trial(belief, agent, rules, values)
    for p in range(rules.players):
        belief.least = min(belief.least, values[p])
        belief.most = max(belief.most, values[p])


def share_looks(belief: Any, agent: Any, rules: Rules, mover: int, count: int) -> None:
    """Sets the rollouts per action, such that the calls suffice for all information sets.

    The number of information sets and the length of a rollout are estimated from a few particles.
    """
    search = record_at(belief.search, SEARCH)
    for i in range(min(belief.count, TIMED)):
        note_range(belief, agent, rules, i)
    calls = search.calls / min(belief.count, TIMED) + 1.0
    keys = array_at(belief.keys, INT64, belief.count)
    tried = min(belief.count, COUNTED)
    different = 0
    for i in range(tried):
        particle = belief.particles + i * belief.stride
        key = observation_key(rules, particle, belief.shown, mover)
        keys[different] = key
        place = 0
        while keys[place] != key:
            place += 1
        different += place == different
    if 2 * different > tried:  # the other particles have further information sets
        different = different * belief.count // tried
    budget = record_at(agent.options, POLICIES).opponent_calls
    belief.samples = max(1, int(budget / (calls * different * count)))
    search.calls = 0


def rate_actions(belief: Any, agent: Any, rules: Rules, particle: Address, means: Any) -> None:
    """Writes the mean value of each action to the mover; of some only, if it is stopped."""
    mover = acting_player(particle)
    search = record_at(belief.search, SEARCH)
    legal = record_at(belief.legal, ACTION_LIST)
    values = array_at(belief.values, FLOAT64, MAX_PLAYERS)
    for i in range(len(means)):
        means[i] = 0.0
    for _ in range(belief.samples):
        determinize(rules, particle, mover, belief.base, agent.watch_rng)
        for i in range(len(means)):
            if is_stopped(search):
                return
            copy_bytes(belief.trial, belief.base, rules.state_size)
            apply_action(rules, belief.trial, legal.items[i])
            search.calls += 1
            roll_out_trial(belief, agent, rules, values)
            means[i] += values[mover] / belief.samples


def sample_guide(belief: Any, agent: Any, rules: Rules, particle: Address, likely: Any) -> None:
    """Writes the probability with which the guide takes each action for the mover."""
    mover = acting_player(particle)
    doubt = record_at(agent.options, POLICIES).doubt
    search = record_at(belief.search, SEARCH)
    legal = record_at(belief.legal, ACTION_LIST)
    for i in range(len(likely)):
        likely[i] = doubt / len(likely)
    for _ in range(ASKED):
        determinize(rules, particle, mover, belief.base, agent.watch_rng)
        action = ask_guide(search, belief.base, belief.legal, len(likely))
        for i in range(len(likely)):
            if legal.items[i] == action:
                likely[i] += (1.0 - doubt) / ASKED


def roll_out_trial(belief: Any, agent: Any, rules: Rules, values: Any) -> None:
    """Runs a random playout from ``trial``, and writes its value to each player."""
    search = record_at(belief.search, SEARCH)
    play_out(rules, search, belief.trial, agent.watch_rng)
    evaluate(rules, search, belief.trial, values)


def softmax(belief: Any, policies: Any, values: Any) -> None:
    """Turns values into probabilities by a softmax, scaled by their range in this game."""
    unit = 1.0 / (policies.temperature * max(belief.most - belief.least, 1e-9))
    best = values[0]
    for i in range(1, len(values)):
        best = max(best, values[i])
    total = 0.0
    for i in range(len(values)):
        values[i] = math.exp((values[i] - best) * unit)
        total += values[i]
    for i in range(len(values)):
        anything = policies.doubt / len(values)
        values[i] = (1.0 - policies.doubt) * values[i] / total + anything
