"""The match loop: agents play games, whose results are recorded.

There is one loop, compiled, for every kind of agent: a Python agent or a person is a function
at an address like any other. It takes one ``MATCH`` record and fills a ``RESULT`` record for
each game. A game's result depends only on its seed and its agents, never on the thread or the
time of play.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from kibitz.arena.decisions import DECISION_LOG, distinct_successors, log_decision
from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import ADVICE, AGENT
from kibitz.core.chance import chance_mark
from kibitz.core.contract import (
    RULES,
    apply_action,
    determinize,
    legal_actions,
    new_deal,
    new_game,
    place_of,
)
from kibitz.core.hidden import hidden_share
from kibitz.core.layout import HEADER
from kibitz.core.memory import (
    INT64,
    array_at,
    call_int_5,
    copy_bytes,
    monotonic_ns,
    record_at,
)
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import AGENT_STREAM, derive_seed, start_stream
from kibitz.core.status import MAX_PLAYERS, Status
from kibitz.players.watching import show, show_end

INT32 = np.dtype(np.int32)

MATCH = np.dtype(
    [
        ("rules", np.int64),  # address of the RULES record
        ("agents", np.int64, (MAX_PLAYERS,)),  # addresses of the AGENT records
        ("state", np.int64),  # room for the state,
        ("observation", np.int64),  # for what an agent sees of it,
        ("actions", np.int64),  # and for an ACTION_LIST
        ("results", np.int64),  # a RESULT record for each game of the run
        ("result_size", np.int64),  # the size of each in bytes
        ("stop", np.int64),  # address of a word that turns non-zero to stop the run
        ("seed", np.int64),  # of the run
        ("rotate", np.int64),  # whether agents change seats from game to game
        ("deal_games", np.int64),  # number of consecutive games with the same seed
        ("exact_seed", np.int64),  # whether `seed` is that of the game itself
        ("seeds", np.int64),  # SEEDS of each game of the run; 0: they follow from `seed`
        ("pause_at", np.int64),  # before this action a game pauses; -1: never
        ("resume", np.int64),  # whether to go on with the game that paused
        ("rng", np.int64, (4,)),  # to derive seeds with
        ("log", np.int64),  # room for the actions of a game, a refused one included; or 0
        ("log_size", np.int64),  # number of actions that fit
        ("trace", np.int64),  # room for the numbers of options of a game, TRACED 32-bit integers
        ("branching", np.int64),  # sums of these over finished games, then of their squares
        ("loop_from", np.int64),  # the action from which on games are watched for loops
        ("loop_visits", np.int64),  # visits of a state that make a suspected loop; 0: never
        ("mark", np.int64),  # room for the state that is watched for,
        ("mark_until", np.int64),  # up to this action;
        ("mark_word", np.int64),  # a word in which the last state differed
        ("mark_visits", np.int64),  # number of visits of the marked state
        ("mark_decisions", np.int64),  # decisions made before its last visit
        ("broken", np.int64),  # room for states in which games broke off, the number of the
        # game before each
        ("broken_room", np.int64),  # number of states that fit
        ("broken_kept", np.int64),  # number of states there
        ("decision_log", np.int64),  # a DECISION_LOG record, or 0
        ("successor", np.int64),  # room for a successor of the state, or 0: they are not counted;
        ("seen", np.int64),  # and a SEEN record
    ]
)

SEEDS = np.dtype(
    [
        ("deal", np.int64),  # of the game until its first decision
        ("chance", np.int64),  # of all that chance decides afterwards
        ("agents", np.int64),  # of the agents' random streams; it is that of the result
    ]
)
"""The seeds of a game whose deal, later chance and agents are chosen separately."""
SEEDS_SIZE = SEEDS.itemsize
"""The size of such a record in bytes."""

TRACED = 512
"""The number of actions, from the start of a game, for which numbers of options are recorded."""

LOOP_FROM = 500
"""The action from which on games are watched for loops; a loop that began earlier goes on."""

SEAT_RESULT = np.dtype(
    [
        ("agent", np.int32),  # number of the agent in this seat
        ("place", np.int32),  # 1 is first
        ("decisions", np.int32),
        ("unused", np.int32),  # keeps what follows aligned
        ("score", np.float64),
        ("returns", np.float64),
        ("nanoseconds", np.int64),  # spent deciding
    ]
)


@functools.cache
def result_dtype(players: int) -> np.dtype[Any]:
    """The type of a game's result with this number of players."""
    return np.dtype(
        [
            ("seed", np.int64),  # reproduces the game
            ("status", np.int32),  # a Status
            ("culprit", np.int32),  # the seat whose agent failed, or -1
            ("ticks", np.int32),  # actions applied
            ("decisions", np.int32),  # of these, with a choice
            ("turns", np.int32),
            ("rounds", np.int32),
            ("options", np.int64),  # sum of the numbers of actions over decisions
            ("options_squared", np.int64),  # sum of their squares
            ("successors", np.int64),  # sum of the numbers of distinct states that they lead to
            ("fewest_options", np.int32),
            ("most_options", np.int32),
            ("phase", np.int32),  # as the rules left it
            ("unused", np.int32),  # keeps what follows aligned
            ("hidden", np.float64),  # sum over decisions of the share of pieces unseen
            ("nanoseconds", np.int64),
            ("seats", SEAT_RESULT, (players,)),
        ]
    )


RESULT = result_dtype(MAX_PLAYERS)
"""The type by which code for all games reads a result; only ``players`` seats exist."""


def play_games(match_address: int, first: int, count: int) -> int:
    """Plays games number `first` to `first + count - 1` of a run; returns how many it played.

    It ends early when the stop word is set or the log of decisions is full; the game that is
    interrupted does not count.
    """
    match = record_at(match_address, MATCH)
    stop = array_at(match.stop, INT64, 1)
    for number in range(first, first + count):
        if stop[0] != 0:
            return number - first
        result = record_at(match.results + number * match.result_size, RESULT)
        play_game(match, number, result)
        if result.status == Status.INTERRUPTED:
            return number - first
    return count


def play_game(match: Any, number: int, result: Any) -> None:
    """Plays a game and writes its result, or its progress if the game pauses."""
    rules = record_at(match.rules, RULES)
    header = record_at(match.state, HEADER)
    legal = record_at(match.actions, ACTION_LIST)
    stop = array_at(match.stop, INT64, 1)
    trace = array_at(match.trace, INT32, TRACED)
    log = record_at(match.decision_log, DECISION_LOG)
    logged = log.count if match.decision_log != 0 else 0
    opinions = log.opinion_count if match.decision_log != 0 else 0
    watched = somebody_watches(match, rules.players)
    began = monotonic_ns()
    if not match.resume:
        match.mark_until = 0
        seed = match.seed
        if not match.exact_seed:
            seed = derive_seed(match.rng, match.seed, number // match.deal_games)
        if match.seeds == 0:
            seat_agents(match, rules.players, number, seed, result)
            new_game(rules, match.state, seed)
        else:
            seeds = record_at(match.seeds + number * SEEDS_SIZE, SEEDS)
            seat_agents(match, rules.players, number, seeds.agents, result)
            new_deal(rules, match.state, seeds.deal, seeds.chance)
        header.unsampled = int(
            match.pause_at < 0 and not watched and not somebody_sees(match, rules.players)
        )
        if watched:
            show_all(match, rules.players, result)
    while header.status == Status.PLAYING:
        tick = header.tick
        if tick == match.pause_at:
            result.status = Status.PLAYING
            result.ticks = tick
            return
        if tick >= match.loop_from:
            header.status = loop_status(match, rules, tick, result.decisions)
            if header.status != Status.PLAYING:
                break
        count = legal_actions(rules, match.state, match.actions)
        if count == 0:
            break
        if tick < TRACED:
            trace[tick] = count
        action = legal.items[0]
        place = 0
        if count > 1:
            if match.successor != 0:
                result.successors += distinct_successors(
                    rules, match.state, legal, count, match.successor, match.seen
                )
            action = decide(match, rules, header.player, count, result)
            if stop[0] != 0:  # the agent may have stopped early: its action does not count
                break
            place = place_of(legal, count, action)
            if match.decision_log != 0:
                agent = match.agents[result.seats[header.player].agent]
                if not log_decision(log, number, count, place, action, header, agent):
                    break
        if tick < match.log_size:
            array_at(match.log, INT64, match.log_size)[tick] = action
        if place < 0:
            result.culprit = header.player
            failed = action == -1
            header.status = Status.AGENT_ERROR if failed else Status.ILLEGAL_ACTION
            break
        apply_action(rules, match.state, action)
        if watched:
            show_all(match, rules.players, result)
        if stop[0] != 0:
            break
    if header.status == Status.PLAYING:
        header.status = Status.INTERRUPTED
        if match.decision_log != 0:
            log.count = logged
            log.opinion_count = opinions
    if header.status == Status.FINISHED and not has_places(header, rules.players):
        header.status = Status.RULES_ERROR
    if header.status == Status.FINISHED:
        add_trace(match, trace, min(header.tick, TRACED))
        for p in range(rules.players):
            agent = match.agents[result.seats[p].agent]
            show_end(agent, match.rules, match.state, match.observation, result.seed)
    elif header.status != Status.INTERRUPTED:
        keep_broken(match, rules, header, number)
    result.status = header.status
    result.ticks = header.tick
    result.turns = header.turn
    result.rounds = header.round
    result.phase = header.phase
    for p in range(rules.players):
        result.seats[p].place = header.seat[p].place
        result.seats[p].score = header.seat[p].score
        result.seats[p].returns = header.seat[p].returns
    result.nanoseconds = monotonic_ns() - began


def seat_agents(match: Any, players: int, number: int, seed: int, result: Any) -> None:
    """Clears the result, assigns seats, and starts every agent's random stream."""
    result.seed = seed
    result.culprit = -1
    result.decisions = 0
    result.options = 0
    result.options_squared = 0
    result.successors = 0 if match.successor != 0 else -1
    result.fewest_options = 0
    result.most_options = 0
    result.hidden = 0.0
    for p in range(players):
        agent_number = (p + number) % players if match.rotate else p
        seat = result.seats[p]
        seat.agent = agent_number
        seat.decisions = 0
        seat.nanoseconds = 0
        agent = record_at(match.agents[agent_number], AGENT)
        agent.games += 1
        agent.seat = p
        start_stream(agent.rng, seed, AGENT_STREAM + p)
        if agent.memory_size > 0:
            array_at(agent.memory, INT64, 1)[0] = 0


def somebody_sees(match: Any, players: int) -> bool:
    """Whether an agent of the match gets observations when it decides."""
    for p in range(players):
        if record_at(match.agents[p], AGENT).sees:
            return True
    return False


def somebody_watches(match: Any, players: int) -> bool:
    """Whether an agent of the match follows the game."""
    for p in range(players):
        if record_at(match.agents[p], AGENT).watch != 0:
            return True
    return False


def show_all(match: Any, players: int, result: Any) -> None:
    """Shows the state to the agents that follow the game, each by its own observation."""
    for p in range(players):
        agent = match.agents[result.seats[p].agent]
        show(agent, match.rules, match.state, match.observation, result.seed)


def decide(match: Any, rules: Any, player: int, count: int, result: Any) -> int:
    """Asks the agent of a seat for an action, and counts the decision."""
    seat = result.seats[player]
    agent = record_at(match.agents[seat.agent], AGENT)
    result.decisions += 1
    result.options += count
    result.options_squared += count * count
    if result.decisions == 1 or count < result.fewest_options:
        result.fewest_options = count
    if count > result.most_options:
        result.most_options = count
    if rules.slot_count > 0:
        result.hidden += hidden_share(rules, match.state, player)
    seat.decisions += 1
    if agent.advice != 0:
        record_at(agent.advice, ADVICE).count = 0
    if not agent.sees:
        return call_int_5(
            agent.act, match.agents[seat.agent], match.rules, 0, match.actions, count
        )
    determinize(rules, match.state, player, match.observation, agent.rng)
    began = monotonic_ns()
    action = call_int_5(
        agent.act, match.agents[seat.agent], match.rules, match.observation, match.actions, count
    )
    seat.nanoseconds += monotonic_ns() - began
    return action


def loop_status(match: Any, rules: Any, tick: int, decisions: int) -> int:
    """Compares the current state with the marked one; returns the status of the game.

    A game that returns to the marked state without a random number or a choice in between repeats
    itself for ever: a loop. Otherwise it is a suspected loop from the ``loop_visits``-th visit on.

    From time to time another state is marked, because the first may lie before the cycle. The
    intervals grow with the game, so that cycles of any length are found.
    """
    if tick >= match.mark_until:
        match.mark_until = tick + max(match.loop_from, tick // 4)
        match.mark_word = _AFTER_COUNTERS
        match.mark_visits = 0
    elif not matches_mark(match, rules):
        return Status.PLAYING
    elif match.mark_decisions == decisions and same_chance(match):
        return Status.LOOP
    copy_bytes(match.mark, match.state, rules.state_size)  # with its present random stream
    match.mark_decisions = decisions
    match.mark_visits += 1
    if match.mark_visits == match.loop_visits:
        return Status.SUSPECTED_LOOP
    return Status.PLAYING


def matches_mark(match: Any, rules: Any) -> bool:
    """Whether the state equals the marked one in everything that its future depends on.

    This is everything but the random stream and the header's counters of turns, rounds and
    actions. The word in which the last state differed is compared first: it usually differs.
    """
    count = rules.state_size // 8
    state = array_at(match.state, INT64, count)
    mark = array_at(match.mark, INT64, count)
    if state[match.mark_word] != mark[match.mark_word]:
        return False
    for i in range(_AFTER_COUNTERS, count):
        if state[i] != mark[i]:
            match.mark_word = i
            return False
    for i in range(_BEFORE_COUNTERS, _COUNTERS):
        if state[i] != mark[i]:
            match.mark_word = i
            return False
    owner = record_at(match.state, HEADER).turn_owner
    return bool(owner == record_at(match.mark, HEADER).turn_owner)


def same_chance(match: Any) -> bool:
    """Whether chance has decided nothing since the last visit of the marked state."""
    now = chance_mark(record_at(match.state, HEADER))
    return now == chance_mark(record_at(match.mark, HEADER))


_BEFORE_COUNTERS = HEADER.fields["players"][1] // 8  # type: ignore[index]
"""The first word behind the chance of a state."""
_COUNTERS = HEADER.fields["turn"][1] // 8  # type: ignore[index]
"""The first of the words with the counters and the owner of the turn."""
_AFTER_COUNTERS = HEADER.fields["first_player"][1] // 8  # type: ignore[index]
"""The first word behind the counters and the owner of the turn."""


def add_trace(match: Any, trace: Any, length: int) -> None:
    """Adds a game's numbers of options, and their squares, to the sums."""
    options = array_at(match.branching, INT64, TRACED)
    squares = array_at(match.branching + 8 * TRACED, INT64, TRACED)
    for i in range(length):
        options[i] += trace[i]
        squares[i] += trace[i] * trace[i]


def keep_broken(match: Any, rules: Any, header: Any, number: int) -> None:
    """Stores the state if no earlier game broke off with this status in this phase."""
    size = 8 + rules.state_size
    for i in range(match.broken_kept):
        earlier = record_at(match.broken + i * size + 8, HEADER)
        if earlier.status == header.status and earlier.phase == header.phase:
            return
    if match.broken_kept < match.broken_room:
        target = match.broken + match.broken_kept * size
        array_at(target, INT64, 1)[0] = number
        copy_bytes(target + 8, match.state, rules.state_size)
        match.broken_kept += 1


def has_places(header: Any, players: int) -> bool:
    """Whether the rules have set final places; without them a finished game has no result."""
    for p in range(players):
        if header.seat[p].place > 0:
            return True
    return False


@functools.cache
def native_play_games() -> Callable[[int, int, int], int]:
    """``play_games``, compiled; it runs without the GIL."""
    export = Export(play_games, "iiii")
    return export.bind(compile_native("the match loop", {"play_games": export})["play_games"])
