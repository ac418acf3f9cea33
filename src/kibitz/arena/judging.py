"""The judge's compiled code: values of options and states at each step of a finished game.

The game is replayed from its seed. At each decision, and after each forced action that involved
chance, every option is followed by rollouts. A value is a share of wins, 0 to 1, as playtests
count them: a first place shared by k players is 1/k for each.

*Seen*: from the mover's view. Each sample is a determinization of the mover's observation, in
which all options are tried. *Open*: with everything open that any player knows. Each sample
draws what nobody knows anew, such as the order of the deck. So the mean of open values over all
outcomes of chance is the value before chance, if the players play as the rollouts do: with
uniformly random actions that is exact, and what the values gain or lose by chance is luck
without bias. In a game of several deals rollouts may end with the deal; then the scores are
valued as in searches (``players/evaluation.py``): far faster, with less noise, and only as
right as that estimate.

*Followed*: rollouts may also be played by agents, one for each seat, who see what that seat may
know. Then a state has two values, in the same samples: with the choice of its agent, and with the
chosen action; single options have no values. Where the agents of the match play in rollouts as
well, the gain of their choices over their average choice is luck, too.

Rollouts are counted in two halves that share no random number; their difference shows the error.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from kibitz.core.actions import ACTION_LIST
from kibitz.core.agent import ADVICE, AGENT
from kibitz.core.chance import chance_mark, renew_chance
from kibitz.core.contract import (
    REDEAL_ATTEMPTS,
    RULES,
    Rules,
    apply_action,
    determinize,
    is_consistent,
    legal_actions,
    new_game,
)
from kibitz.core.hidden import SLOT, redeal_slots, slot_length
from kibitz.core.layout import EVERYONE, HEADER
from kibitz.core.memory import (
    FLOAT64,
    INT16,
    INT64,
    Address,
    array_at,
    call_int_5,
    call_void_3,
    copy_bytes,
    record_at,
)
from kibitz.core.native import Export, compile_native
from kibitz.core.randomness import next_uint32, random_below, start_stream
from kibitz.core.sides import count_sides, leads_side
from kibitz.core.status import MAX_PLAYERS, Status
from kibitz.players.evaluation import begin_deal, evaluate_deal, is_deal_over
from kibitz.players.search import SEARCH, Utility

JUDGE_STREAM = 2000
"""The index of the judge's random stream among those of a game's seed."""

MOST_OPTIONS = 64
"""The most options of a decision that are judged; of more options, this number is drawn."""

SEAT_VALUE = np.dtype(
    [
        ("before", np.float64, (2,)),  # the mean over the options, in each half of the rollouts
        ("after", np.float64, (2,)),  # the option that was chosen
    ]
)


def step_dtype(players: int) -> np.dtype[Any]:
    """The type of a step: a state of a game in which options were judged."""
    return np.dtype(
        [
            ("game", np.int64),  # its number in the run
            ("action", np.int32),  # the action's number in the game, from 0
            ("seat", np.int32),  # the player to move; -1 at the end of the game
            ("options", np.int32),  # number of legal actions; 0 at the end of the game
            ("judged", np.int32),  # number of its OPTION records
            ("drawn", np.int32),  # number of these, from the first, that are all options or a draw
            ("chosen", np.int32),  # index of the chosen option among the judged ones, or -1
            ("chance", np.int32),  # whether chance was involved since the last step
            ("cut", np.int32),  # rollouts that broke off or became too long: equal shares for all
            ("seats", SEAT_VALUE, (players,)),  # open values for every player
        ]
    )


STEP = step_dtype(MAX_PLAYERS)
"""The type by which code for all games reads a step; only ``players`` seats exist."""

OPTION = np.dtype(
    [
        ("code", np.int64),  # the action
        ("seen", np.float64, (2,)),  # its value to the mover, in each half; NaN: unknown
        ("open", np.float64, (2,)),
    ]
)
"""The record of an option. Options are in a separate array, in the order of the steps."""

JUDGE = np.dtype(
    [
        ("rules", np.int64),  # address of the RULES record
        ("agent", np.int64),  # address of the AGENT record for *seen* values; 0: rollouts
        ("start", np.int64),  # address of the first state; 0: the seed makes it
        ("state", np.int64),  # room for the state,
        ("sample", np.int64),  # for what may be hidden in it,
        ("work", np.int64),  # for a rollout,
        ("observation", np.int64),  # for what an agent sees of it,
        ("actions", np.int64),  # and for an ACTION_LIST of each
        ("buffer", np.int64),
        ("chosen", np.int64),  # the actions chosen at decisions, in order
        ("chosen_count", np.int64),  # and their number
        ("steps", np.int64),  # STEP records,
        ("step_size", np.int64),  # their size in bytes,
        ("step_room", np.int64),  # the number that fit
        ("step_count", np.int64),  # and the number there
        ("options", np.int64),  # OPTION records, likewise
        ("option_room", np.int64),
        ("option_count", np.int64),
        ("outcome", np.int64),  # FLOAT64[players]: of a rollout
        ("search", np.int64),  # a SEARCH record for rollouts
        ("rollout", np.int64),  # a Rollout: whether they end with the deal
        ("samples", np.int64),  # for each option and half
        ("seated", np.int64),  # INT64[players]: addresses of AGENT records that play rollouts, by
        # seat; 0: they are played at random
        ("length", np.int64),  # actions of a rollout at most
        ("hides", np.int64),  # whether *seen* values may differ from *open* ones
        ("repairs", np.int64),  # whether the rules repair a deal of the slots
        ("stop", np.int64),  # address of a word that turns non-zero to give up
        ("rng", np.int64, (4,)),
    ]
)

DONE, FULL, STOPPED, DIFFERENT = 0, 1, 2, 3
"""The results of judging: done; no room left; stopped; the actions are not those of the game."""


def judge_game(judge_address: int, game: int, seed: int) -> int:
    """Replays game number `game` and judges each step; returns how that ended."""
    judge = record_at(judge_address, JUDGE)
    rules = record_at(judge.rules, RULES)
    header = record_at(judge.state, HEADER)
    start_stream(judge.rng, seed, JUDGE_STREAM)
    if judge.agent != 0:
        start_stream(record_at(judge.agent, AGENT).rng, seed, JUDGE_STREAM + 1)
    if judge.start != 0:
        copy_bytes(judge.state, judge.start, rules.state_size)
    else:
        new_game(rules, judge.state, seed)
    begin_rollouts(judge)
    chance = 1
    decisions = 0
    while header.status == Status.PLAYING:
        if is_stopped(judge):
            return STOPPED
        count = legal_actions(rules, judge.state, judge.actions)
        if count == 0:
            break
        action = record_at(judge.actions, ACTION_LIST).items[0]
        if count > 1:
            if decisions == judge.chosen_count:
                return DIFFERENT
            action = array_at(judge.chosen, INT64, judge.chosen_count)[decisions]
            decisions += 1
        if count > 1 or chance != 0:
            ended = judge_step(judge, rules, game, count, action, chance)
            if ended != DONE:
                return ended
            chance = 0
        drawn = chance_mark(header)
        unknown = unknown_to_all(rules, judge.state)
        apply_action(rules, judge.state, action)
        if chance_mark(header) != drawn:
            chance = 1
        if unknown_to_all(rules, judge.state) != unknown:
            chance = 1
    return end_game(judge, rules, game, chance)


def judge_step(judge: Any, rules: Rules, game: int, count: int, action: int, chance: int) -> int:
    """Judges the options of a state, `action` among them; returns how that ended."""
    drawn, judged, chosen = count, 0, -1
    if judge.seated == 0:
        drawn = draw_options(judge, count)
        judged = drawn
        chosen = place_among(judge, drawn, action)
        if chosen < 0:  # it was not drawn
            record_at(judge.actions, ACTION_LIST).items[drawn] = action
            chosen = drawn
            judged += 1
    if judge.step_count == judge.step_room or judge.option_count + judged > judge.option_room:
        return FULL
    header = record_at(judge.state, HEADER)
    step = record_at(judge.steps + judge.step_count * judge.step_size, STEP)
    step.game = game
    step.action = header.tick
    step.seat = header.player
    step.options = count
    step.judged = judged
    step.drawn = drawn
    step.chosen = chosen
    step.chance = chance
    step.cut = 0
    clear_step(judge, rules, step)
    note_deal(judge, rules)
    if judge.seated != 0:
        for half in range(2):
            if not try_followed(judge, rules, step, half, count, action):
                return STOPPED
        judge.step_count += 1
        return DONE
    for half in range(2):
        if not try_open(judge, rules, step, half):
            return STOPPED
    if count > 1 and judge.hides != 0:
        for half in range(2):
            well = (
                ask(judge, rules, step, half)
                if judge.agent != 0
                else try_seen(judge, rules, step, half)
            )
            if not well:
                return STOPPED
    else:
        options = array_at(judge.options, OPTION, judge.option_room)
        for i in range(judge.option_count, judge.option_count + judged):
            for half in range(2):
                options[i].seen[half] = options[i].open[half]
    judge.step_count += 1
    judge.option_count += judged
    return DONE


def draw_options(judge: Any, count: int) -> int:
    """Moves the options that are judged to the front of their list; returns their number."""
    if count <= MOST_OPTIONS:
        return count
    legal = record_at(judge.actions, ACTION_LIST)
    for i in range(MOST_OPTIONS):
        j = i + random_below(judge.rng, count - i)
        item = legal.items[i]
        legal.items[i] = legal.items[j]
        legal.items[j] = item
    return MOST_OPTIONS


def place_among(judge: Any, count: int, action: int) -> int:
    """The index of an action among the first `count` of the list, or -1."""
    legal = record_at(judge.actions, ACTION_LIST)
    for i in range(count):
        if legal.items[i] == action:
            return i
    return -1


def clear_step(judge: Any, rules: Rules, step: Any) -> None:
    """Writes the codes of the options, and values of zero."""
    legal = record_at(judge.actions, ACTION_LIST)
    options = array_at(judge.options, OPTION, judge.option_room)
    for half in range(2):
        for i in range(step.judged):
            option = options[judge.option_count + i]
            option.code = legal.items[i]
            option.seen[half] = 0.0
            option.open[half] = 0.0
        for p in range(rules.players):
            step.seats[p].before[half] = 0.0
            step.seats[p].after[half] = 0.0


def try_open(judge: Any, rules: Rules, step: Any, half: int) -> bool:
    """Runs rollouts with everything open; returns whether all were played."""
    legal = record_at(judge.actions, ACTION_LIST)
    options = array_at(judge.options, OPTION, judge.option_room)
    outcome = array_at(judge.outcome, FLOAT64, MAX_PLAYERS)
    for _ in range(judge.samples):
        open_sample(judge, rules)
        if is_stopped(judge):
            return False
        for i in range(step.judged):
            step.cut += roll_out(judge, rules, legal.items[i])
            options[judge.option_count + i].open[half] += outcome[step.seat]
            for p in range(rules.players):
                if i < step.drawn:
                    step.seats[p].before[half] += outcome[p]
                if i == step.chosen:
                    step.seats[p].after[half] += outcome[p]
    for i in range(step.judged):
        options[judge.option_count + i].open[half] /= judge.samples
    for p in range(rules.players):
        step.seats[p].before[half] /= judge.samples * step.drawn
        step.seats[p].after[half] /= judge.samples
    return True


def try_followed(judge: Any, rules: Rules, step: Any, half: int, count: int, chosen: int) -> bool:
    """Runs rollouts by agents, with everything open; returns whether all were played.

    The rollouts after the agent's choice and after the chosen action share all random numbers, so
    that equal actions have equal values.
    """
    outcome = array_at(judge.outcome, FLOAT64, MAX_PLAYERS)
    for _ in range(judge.samples):
        open_sample(judge, rules)
        if is_stopped(judge):
            return False
        start_agents(judge, rules, next_uint32(judge.rng))
        action = next_action(judge, rules, judge.sample, judge.actions, count)
        seed = next_uint32(judge.rng)
        start_agents(judge, rules, seed)  # both rollouts below use the same random numbers
        step.cut += roll_out(judge, rules, action)
        for p in range(rules.players):
            step.seats[p].before[half] += outcome[p]
        if action != chosen:
            start_agents(judge, rules, seed)
            step.cut += roll_out(judge, rules, chosen)
        for p in range(rules.players):
            step.seats[p].after[half] += outcome[p]
    for p in range(rules.players):
        step.seats[p].before[half] /= judge.samples
        step.seats[p].after[half] /= judge.samples
    return True


def try_seen(judge: Any, rules: Rules, step: Any, half: int) -> bool:
    """Runs rollouts from samples of what the mover sees; returns whether all were played."""
    legal = record_at(judge.actions, ACTION_LIST)
    options = array_at(judge.options, OPTION, judge.option_room)
    outcome = array_at(judge.outcome, FLOAT64, MAX_PLAYERS)
    for _ in range(judge.samples):
        determinize(rules, judge.state, step.seat, judge.sample, judge.rng)
        if is_stopped(judge):
            return False
        for i in range(step.judged):
            step.cut += roll_out(judge, rules, legal.items[i])
            options[judge.option_count + i].seen[half] += outcome[step.seat]
    for i in range(step.judged):
        options[judge.option_count + i].seen[half] /= judge.samples
    return True


def ask(judge: Any, rules: Rules, step: Any, half: int) -> bool:
    """Asks the agent for advice on the options; returns whether it was not stopped."""
    agent = record_at(judge.agent, AGENT)
    advice = record_at(agent.advice, ADVICE)
    options = array_at(judge.options, OPTION, judge.option_room)
    count = legal_actions(rules, judge.state, judge.buffer)
    advice.count = 0
    if agent.memory_size > 0:
        array_at(agent.memory, INT64, 1)[0] = 0  # it forgets the other half
    determinize(rules, judge.state, step.seat, judge.sample, agent.rng)
    call_int_5(agent.act, judge.agent, judge.rules, judge.sample, judge.buffer, count)
    for i in range(step.judged):
        option = options[judge.option_count + i]
        option.seen[half] = np.nan
        for k in range(advice.count):
            if advice.items[k].action == option.code and advice.items[k].weight > 0:
                option.seen[half] = advice.items[k].value
    return not is_stopped(judge)


def is_stopped(judge: Any) -> bool:
    """Whether the judge was stopped."""
    return bool(array_at(judge.stop, INT64, 1)[0] != 0)


def roll_out(judge: Any, rules: Rules, action: int) -> int:
    """Plays an action in the sample and then a rollout; returns 1 if the game did not finish."""
    search = record_at(judge.search, SEARCH)
    copy_bytes(judge.work, judge.sample, rules.state_size)
    apply_action(rules, judge.work, action)
    play_on(judge, rules, search)
    if record_at(judge.work, HEADER).status == Status.PLAYING and is_deal_over(search, judge.work):
        return write_estimate(judge, rules, search)
    return write_outcome(judge, rules, judge.work)


def play_on(judge: Any, rules: Rules, search: Any) -> None:
    """Plays on to the end of the game, or of the deal if rollouts end there."""
    header = record_at(judge.work, HEADER)
    remaining = judge.length
    while (
        header.status == Status.PLAYING and remaining > 0 and not is_deal_over(search, judge.work)
    ):
        count = legal_actions(rules, judge.work, judge.buffer)
        if count == 0 or is_stopped(judge):
            break
        apply_action(rules, judge.work, next_action(judge, rules, judge.work, judge.buffer, count))
        remaining -= 1


def next_action(judge: Any, rules: Rules, state: Address, actions: Address, count: int) -> int:
    """The next action of a rollout: a random one, or the choice of the agent in that seat."""
    legal = record_at(actions, ACTION_LIST)
    if judge.seated == 0:
        return int(legal.items[random_below(judge.rng, count)])
    if count == 1:
        return int(legal.items[0])
    player = record_at(state, HEADER).player
    address = array_at(judge.seated, INT64, MAX_PLAYERS)[player]
    agent = record_at(address, AGENT)
    if agent.sees == 0:
        return call_int_5(agent.act, address, judge.rules, 0, actions, count)
    determinize(rules, state, player, judge.observation, agent.rng)
    return call_int_5(agent.act, address, judge.rules, judge.observation, actions, count)


def start_agents(judge: Any, rules: Rules, seed: int) -> None:
    """Starts the random streams of the agents that play a rollout; they forget earlier games."""
    for p in range(rules.players):
        agent = record_at(array_at(judge.seated, INT64, MAX_PLAYERS)[p], AGENT)
        start_stream(agent.rng, seed, p)
        if agent.memory_size > 0:
            array_at(agent.memory, INT64, 1)[0] = 0


def begin_rollouts(judge: Any) -> None:
    """Prepares the ``SEARCH`` record for rollouts, at the start of a game."""
    search = record_at(judge.search, SEARCH)
    search.by = Utility.PLACE
    search.heuristic = 0
    search.gain_spreads = 0.0
    search.deals = 0


def note_deal(judge: Any, rules: Rules) -> None:
    """Stores the deal and the scores of the state; keeps the spreads of gains measured so far."""
    search = record_at(judge.search, SEARCH)
    spreads = search.gain_spreads
    deals = search.deals
    begin_deal(rules, search, judge.state, judge.rollout)
    search.gain_spreads = spreads
    search.deals = deals


def write_estimate(judge: Any, rules: Rules, search: Any) -> int:
    """Writes each player's share of the win, by the scores at the end of a deal; returns 0."""
    outcome = array_at(judge.outcome, FLOAT64, MAX_PLAYERS)
    evaluate_deal(rules, search, judge.work, outcome)
    sides = max(2, count_sides(record_at(judge.work, HEADER)))
    for p in range(rules.players):  # from values between those of winning and of losing
        outcome[p] = ((2.0 * outcome[p] - 1.0) * (sides - 1.0) + 1.0) / sides
    return 0


def write_outcome(judge: Any, rules: Rules, state: Address) -> int:
    """Writes the share of the win of each player's side; returns 1 if the game is not finished.

    Unfinished, it gives all the same share. If all players win together, each share is 1.
    """
    header = record_at(state, HEADER)
    outcome = array_at(judge.outcome, FLOAT64, MAX_PLAYERS)
    winners = 0
    together = rules.players > 1
    for p in range(rules.players):
        if header.seat[p].place == 1 and leads_side(header, p):
            winners += 1
        if header.seat[p].place != 1 or header.seat[p].returns <= 0:
            together = False
    finished = header.status == Status.FINISHED
    for p in range(rules.players):
        if not finished:
            outcome[p] = 1.0 / max(2, count_sides(header))
        elif header.seat[p].place == 1:
            outcome[p] = 1.0 if together else 1.0 / winners
        else:
            outcome[p] = 0.0
    return 0 if finished else 1


def end_game(judge: Any, rules: Rules, game: int, chance: int) -> int:
    """Appends the last step, with the outcome; returns how that ended."""
    if judge.step_count == judge.step_room:
        return FULL
    write_outcome(judge, rules, judge.state)
    outcome = array_at(judge.outcome, FLOAT64, MAX_PLAYERS)
    step = record_at(judge.steps + judge.step_count * judge.step_size, STEP)
    step.game = game
    step.action = record_at(judge.state, HEADER).tick
    step.seat = -1
    step.options = 0
    step.judged = 0
    step.drawn = 0
    step.chosen = -1
    step.chance = chance
    step.cut = 0
    for p in range(rules.players):
        for half in range(2):
            step.seats[p].before[half] = outcome[p]
            step.seats[p].after[half] = outcome[p]
    judge.step_count += 1
    return DONE


# --- cards that nobody has seen ---------------------------------------------------------


def open_sample(judge: Any, rules: Rules) -> None:
    """Writes a sample of the state to ``judge.sample``, with all that any player knows kept.

    For the deal everybody shares their knowledge; afterwards the players know as much as before.
    """
    sample = judge.sample
    copy_bytes(sample, judge.state, rules.state_size)
    renew_chance(judge.rng, record_at(sample, HEADER))
    if rules.slot_count == 0:
        return
    share_knowledge(rules, sample)
    for _ in range(REDEAL_ATTEMPTS):
        redeal_slots(rules, sample, 0)
        if judge.repairs != 0:
            call_void_3(rules.redeterminize, rules.context, sample, 0)
        if is_possible(rules, sample):
            break
    restore_knowledge(rules, judge.state, sample)


def share_knowledge(rules: Rules, state: Address) -> None:
    """Marks everything that any player has seen as seen by all."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    for s in range(rules.slot_count):
        masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
        for i in range(slot_length(slots[s], state)):
            if masks[i] != 0:
                masks[i] = EVERYONE


def restore_knowledge(rules: Rules, state: Address, sample: Address) -> None:
    """Copies the masks of the players who have seen each card from a state to a sample."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    for s in range(rules.slot_count):
        copy_bytes(sample + slots[s].seen, state + slots[s].seen, 2 * slots[s].capacity)


def is_possible(rules: Rules, state: Address) -> bool:
    """Whether a deal is consistent with the knowledge of every player."""
    for p in range(rules.players):
        if not is_consistent(rules, state, p):
            return False
    return True


def unknown_to_all(rules: Rules, state: Address) -> int:
    """The number of values that nobody has seen."""
    slots = array_at(rules.slots, SLOT, rules.slot_count)
    unknown = 0
    for s in range(rules.slot_count):
        masks = array_at(state + slots[s].seen, INT16, slots[s].capacity)
        for i in range(slot_length(slots[s], state)):
            if masks[i] == 0:
                unknown += 1
    return unknown


@functools.cache
def native_judge() -> Callable[[int, int, int], int]:
    """``judge_game``, compiled; it runs without the GIL."""
    export = Export(judge_game, "iiii")
    return export.bind(compile_native("the judge", {"judge_game": export})["judge_game"])
