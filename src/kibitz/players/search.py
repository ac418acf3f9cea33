"""Parts shared by the search agents: budgets, the layout of working memory, advice.

An agent's working memory begins with a ``SEARCH`` record; behind it lie the states it works
in, a list of actions, and then whatever the search itself needs.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import ADVICE, EvaluatingOptions
from kibitz.core.contract import Rules
from kibitz.core.game import Table
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, Address, array_at, monotonic_ns, record_at
from kibitz.core.parameters import Tunable
from kibitz.core.status import MAX_PLAYERS
from kibitz.core.utility import utility_at

AVERAGES = np.dtype(
    [
        ("table", np.int64),  # address: AVERAGE[PLACES]
        ("notes", np.int64),  # address: NOTE[MOST_NOTES], the choices of an iteration
        ("count", np.int64),  # of notes
        ("learn", np.int64),  # Learn
        ("epsilon", np.float64),  # probability of a random action
        ("before", np.int64),  # the choice before
    ]
)
"""The averages that rollouts learn (``players/averages.py``)."""

SEARCH = np.dtype(
    [
        ("in_use", np.int64),  # 0 at the start of a game
        ("iterations", np.int64),  # done
        ("calls", np.int64),  # of the forward model, done
        ("deadline", np.int64),  # on the monotonic clock; 0: none
        ("iteration_limit", np.int64),
        ("call_limit", np.int64),
        ("stop", np.int64),  # address of a word that turns non-zero when it should give up
        ("last_look", np.int64),  # at the clock, in nanoseconds
        ("next_look", np.int64),  # is due at this number of calls and iterations
        ("interval", np.int64),  # calls and iterations from one look to the next
        ("last_told", np.int64),  # the look at which the best action so far was published
        ("heuristic", np.int64),  # as the agent's record has it
        ("guide", np.int64),  # address of the AGENT record of the guide; 0: there is none
        ("rules", np.int64),  # address of the RULES record, for the guide
        ("by", np.int64),  # what players want: a Utility, but not GAME
        ("actions", np.int64),  # addresses: of the ACTION_LIST of the state that is played on,
        ("ahead", np.int64),  # of a state for looking one step ahead,
        ("before", np.int64),  # of the state before a choice that may be taken back,
        ("trial", np.int64),  # of one to try actions in,
        ("replies", np.int64),  # of an ACTION_LIST; these three are for decisive playouts only
        ("rollout_length", np.int64),  # the most actions of a playout; -1: no limit
        ("tries", np.int64),  # random actions of which playouts take the best; 1: a random one
        ("averages", AVERAGES),  # if playouts learn, by which they choose; then tries are ignored
        ("decisive", np.int64),  # whether playouts are decisive
        ("winning", np.int64),  # in these: an action that wins immediately, NONE or UNKNOWN
        ("deal_count", np.int64),  # offset of a number that changes at the end of the deal,
        ("deal", np.int64),  # and what it is now
        ("scores", np.float64, (MAX_PLAYERS,)),  # now
        ("spread", np.float64),  # of these scores: their mean deviation from their mean
        ("gains", np.float64, (MAX_PLAYERS,)),  # since then, at the end of the deal
        ("gain_spreads", np.float64),  # what the spreads of the gains met so far add up to
        ("deals", np.int64),  # number of these spreads
        ("trace", np.int64),  # address of INT64[trace_room]: choices of a playout to note
        ("trace_length", np.int64),  # number of choices noted
        ("trace_room", np.int64),  # the most choices that are noted
    ]
)

WITHOUT_LIMIT = 1_000
"""The number of iterations of a decision without any limit."""
LOOK_NO_SOONER = 50_000
"""The nanoseconds between two looks at the clock below which looks become rarer."""
LOOK_NO_LATER = 200_000
"""The nanoseconds between two looks at the clock above which looks become more frequent."""
MOST_UNWATCHED = 4096
"""The most calls and iterations between two looks at the clock."""


class Utility(enum.IntEnum):
    """The utility that a search maximises."""

    GAME = 0
    """What the game is played for, as ``Table.played_for`` has it: the place or the score."""
    PLACE = 1
    """The returns at the end of a game, the heuristic before it, as 0 to 1."""
    SCORE = 2
    """The final or present score in the game's own unit; negated where the lowest wins."""
    RANK = 3
    """The share of opponents left behind: 1 for the sole first, 0 for the last."""


class Budgeted(EvaluatingOptions):
    """Options of every agent that searches: it stops at the first limit that it reaches.

    The record of such an agent (``NativeAgent.record``) begins with ``BUDGET_RECORD``.
    """

    iterations = Tunable(
        0,
        range(100_000_001),
        "iterations for a decision; 0: no such limit (1,000 without any)",
        tune=(),
    )
    milliseconds = Tunable(
        0, range(3_600_001), "thinking time for a decision; 0: no such limit", tune=()
    )
    calls = Tunable(
        0, range(2_000_000_001), "forward-model calls for a decision; 0: no limit", tune=()
    )
    by = Tunable(
        Utility.GAME,
        doc="what counts: place, score, rank (the share of opponents left behind), or game:"
        " the score in a game that is played for points, else the place",
    )

    def utility_at(self, table: Table) -> Utility:
        """The utility at this table: never ``Utility.GAME``."""
        chosen = Utility(self.as_dict()["by"])
        if chosen != Utility.GAME:
            return chosen
        return Utility[utility_at(table).upper()]


BUDGET = ("iterations", "milliseconds", "calls")
"""The options that limit a decision; 0 stands for no limit."""
BUDGET_RECORD = np.dtype([(name, np.int64) for name in BUDGET])


class Rollout(enum.IntEnum):
    """Where a rollout ends at the latest."""

    DEAL = 0
    """The end of the deal in a game of several deals, else the end of the game."""
    END = 1
    """The end of the game."""


class Learn(enum.IntEnum):
    """The averages that rollouts learn; see ``players/averages.py``."""

    NONE = 0
    """Nothing: rollouts are random."""
    MAST = 1
    """The average value of each action."""
    NST = 2
    """The average value of each action, and of each pair of successive actions."""


class RolloutOptions(Budgeted):
    """Options of searches that play on at random."""

    rollout = Tunable(
        Rollout.DEAL, doc="where rollouts end: deal (with the deal), or end (with the game)"
    )
    rollout_length = Tunable(
        -1, range(-1, 100_001), "actions of a rollout; -1: no limit", tune=(-1, 0, 4, 10, 30)
    )
    learn = Tunable(
        Learn.NONE,
        doc="averages that guide rollouts: none; mast: of each action; nst: also of"
        " pairs of successive actions",
    )
    epsilon = Tunable(
        0.2,
        (0.0, 1.0),
        "share of random actions in a rollout that learns or has a guide",
        tune=(0.05, 0.1, 0.2, 0.4),
    )
    decisive = Tunable(
        False,
        doc="whether rollouts take actions that win at once, and avoid those after which the next"
        " player wins at once",
    )
    mix = Tunable(
        0.0,
        (0.0, 1.0),
        "weight of the heuristic where a rollout begins, against its outcome; 0: none",
        tune=(0.0, 0.1, 0.25, 0.5, 0.75),
    )


def padded(size: int) -> int:
    """`size` in bytes, rounded up to whole cache lines."""
    return (size + 63) // 64 * 64


SEARCH_SIZE = padded(SEARCH.itemsize)
ACTION_LIST_SIZE = padded(ACTION_LIST.itemsize)


def search_memory(table: Table, states: int) -> int:
    """Bytes for the ``SEARCH`` record, `states` states, and a list of actions."""
    return SEARCH_SIZE + states * padded(table.state_size) + ACTION_LIST_SIZE


def state_address(memory: Address, rules: Rules, number: int) -> Address:
    """The address of state `number` in the working memory."""
    return memory + SEARCH_SIZE + number * padded(rules.state_size)


def after_states(memory: Address, rules: Rules, states: int) -> Address:
    """The address in the working memory behind `states` states and the list of actions."""
    return state_address(memory, rules, states) + ACTION_LIST_SIZE


def acting_player(state: Address) -> int:
    """The player to move in `state`."""
    return int(record_at(state, HEADER).player)


def begin(search: Any, agent: Any, iterations: int, milliseconds: int, calls: int) -> None:
    """Starts the budget of a decision; without any limit, ``WITHOUT_LIMIT`` iterations.

    Playouts are random and unlimited, unless the search then sets them up otherwise.
    """
    search.in_use = 1
    search.stop = agent.stop
    search.iterations = 0
    search.calls = 0
    # an iteration makes at least one call, unless its tree is full and it has no rollouts:
    # then the number of calls alone would never end the search
    search.iteration_limit = iterations if iterations > 0 else calls
    search.call_limit = calls
    search.deadline = 0
    search.last_look = monotonic_ns()
    search.next_look = 0
    search.interval = 1
    search.last_told = 0
    search.trace_room = 0
    search.heuristic = agent.heuristic
    search.guide = agent.guide
    search.rollout_length = -1
    search.tries = 1
    search.averages.learn = Learn.NONE
    search.averages.epsilon = 0.0
    search.decisive = 0
    if milliseconds > 0:
        search.deadline = search.last_look + milliseconds * 1_000_000
    elif iterations == 0 and calls == 0:
        search.iteration_limit = WITHOUT_LIMIT


def is_stopped(search: Any) -> bool:
    """Whether a search (or an agent) was told to stop at once; then its result is not used."""
    return bool(array_at(search.stop, INT64, 1)[0] != 0)


def may_go_on(search: Any) -> bool:
    """Whether the budget allows another iteration."""
    if search.iteration_limit > 0 and search.iterations >= search.iteration_limit:
        return False
    if search.call_limit > 0 and search.calls >= search.call_limit:
        return False
    return not is_out_of_time(search)


def is_out_of_time(search: Any) -> bool:
    """Whether the deadline has passed, or the search was stopped.

    It may be called after every forward-model call: it looks at the clock and the stop word only
    several times per millisecond, after a number of calls and iterations that adapts to them.
    """
    return bool(search.calls + search.iterations >= search.next_look and look_at_clock(search))


def look_at_clock(search: Any) -> bool:
    """Looks at the clock and the stop word, and schedules the next look."""
    time = monotonic_ns()
    if time - search.last_look < LOOK_NO_SOONER:
        search.interval = min(MOST_UNWATCHED, 2 * search.interval)
    elif time - search.last_look > LOOK_NO_LATER:
        search.interval = max(1, search.interval >> 1)
    search.last_look = time
    if (search.deadline > 0 and time >= search.deadline) or is_stopped(search):
        return True  # next_look stays: the next call looks again
    search.next_look = search.calls + search.iterations + search.interval
    return False


def advise(agent: Any, action: int, weight: float, value: float) -> None:
    """Adds the weight and value of an action to the advice, if the caller wants it."""
    if agent.advice != 0:
        advice = record_at(agent.advice, ADVICE)
        item = advice.items[advice.count]
        item.action = action
        item.weight = weight
        item.value = value
        advice.count += 1
