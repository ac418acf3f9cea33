"""The playouts of searches: random actions from a state to the end of the game or a limit."""

from __future__ import annotations

from typing import Any

from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import Rules, apply_action, legal_actions
from kibitz.core.layout import HEADER
from kibitz.core.memory import INT64, Address, array_at, call_int_3, copy_bytes, record_at
from kibitz.core.randomness import random_below
from kibitz.core.status import Status
from kibitz.players.averages import best_by_average, note_action
from kibitz.players.decisive import NONE, UNKNOWN, is_deterministic, winning_action
from kibitz.players.evaluation import is_deal_over, value_of
from kibitz.players.guide import guided_action
from kibitz.players.search import Learn, acting_player, is_out_of_time

MOST_FORCED = 100
"""The most forced actions that ``advance`` plays."""


def play_out(rules: Rules, search: Any, state: Address, rng: Any) -> bool:
    """Plays on from `state` in place: random actions, the best of a few, by averages or a guide.

    It ends with the deal in which the search began.

    Args:
        search: the ``SEARCH`` record, which says how playouts choose and how long they are.

    Returns:
        Whether the playout was completed; ``False`` when the time ran out.
    """
    header = record_at(state, HEADER)
    header.unsampled = int(search.guide == 0)  # a guide may sample from what it sees
    search.winning = UNKNOWN
    actions = search.actions
    legal = record_at(actions, ACTION_LIST)
    learns = search.averages.learn != Learn.NONE
    at_random = search.guide == 0 and not learns and search.tries == 1
    noted = learns or search.trace_room > 0
    length = search.rollout_length
    while header.status == Status.PLAYING and length != 0 and not is_deal_over(search, state):
        count = legal_actions(rules, state, actions)
        if count == 0:
            break
        if search.decisive != 0:
            play_decisively(rules, search, state, count, rng)
        else:
            if count == 1:
                action = legal.items[0]
            elif at_random:  # mostly: without the call
                action = legal.items[random_below(rng, count)]
            else:
                action = choose(rules, search, state, count, rng)
            if noted and count > 1:
                note(search, action, header.player)
            apply_action(rules, state, action)
            search.calls += 1
        length -= 1
        if is_out_of_time(search):
            return False
    return True


def choose(rules: Rules, search: Any, state: Address, count: int, rng: Any) -> int:
    """The next action of a playout, from the first `count` of the list."""
    legal = record_at(search.actions, ACTION_LIST)
    if count == 1:
        return int(legal.items[0])
    if search.guide != 0:
        return guided_action(search, state, count, rng)
    if search.averages.learn == Learn.NONE:
        return best_of(rules, search, state, count, rng)
    return best_by_average(search.averages, acting_player(state), legal, count, rng)


def play_decisively(rules: Rules, search: Any, state: Address, count: int, rng: Any) -> None:
    """Plays an action that wins immediately, else one after which the next player has no such win.

    An action that lets the next player win is taken back as long as there is another one. So
    playouts see threats and answer them: these *decisive* and *anti-decisive* moves (Teytaud and
    Teytaud, "On the Huge Benefit of Decisive Moves in Monte-Carlo Tree Search Algorithms", IEEE
    CIG 2010) amount to the two-ply searches in playouts of Baier and Winands ("MCTS-Minimax
    Hybrids", IEEE TCIAIG 2015).

    Args:
        search: the ``SEARCH`` record; its ``winning`` is about the player to move, before and
            after.
        count: the number of legal actions.
    """
    header = record_at(state, HEADER)
    legal = record_at(search.actions, ACTION_LIST)
    mover = header.player
    winning = search.winning
    search.winning = UNKNOWN
    if winning == UNKNOWN:
        winning = winning_action(rules, search, state)
    if winning >= 0:
        if count > 1:
            note(search, winning, mover)
        apply_action(rules, state, winning)
        search.calls += 1
        return
    foresees = rules.winning_reply != 0
    if not foresees and count > 1:
        copy_bytes(search.before, state, rules.state_size)
    remaining = count
    while True:
        action = choose(rules, search, state, remaining, rng)
        search.calls += 1
        if foresees and remaining > 1:
            if call_int_3(rules.winning_reply, rules.context, state, action) >= 0:
                remaining -= 1
                drop(legal, action, remaining)
                continue
        apply_action(rules, state, action)
        if header.status != Status.PLAYING or header.player == mover or remaining == 1:
            break
        if foresees:
            search.winning = NONE
            break
        if is_deal_over(search, state) or not is_deterministic(state, search.before):
            break
        winning = winning_action(rules, search, state)
        if winning < 0 or is_out_of_time(search):
            search.winning = winning
            break
        remaining -= 1
        drop(legal, action, remaining)
        copy_bytes(state, search.before, rules.state_size)
    if count > 1:
        note(search, action, mover)


def drop(legal: Any, action: int, size: int) -> None:
    """Removes an action from a list; `size` actions remain."""
    for i in range(size):
        if legal.items[i] == action:
            legal.items[i] = legal.items[size]


def note(search: Any, action: int, mover: int) -> None:
    """Records a choice for the averages and in the trace, where these are in use."""
    if search.averages.learn != Learn.NONE and search.guide == 0:
        note_action(search.averages, action, mover)
    note_choice(search, action)


def note_choice(search: Any, action: int) -> None:
    """Appends a choice to the trace of the playout, if there is room."""
    if search.trace_length < search.trace_room:
        array_at(search.trace, INT64, search.trace_room)[search.trace_length] = action
        search.trace_length += 1


def best_of(rules: Rules, search: Any, state: Address, count: int, rng: Any) -> int:
    """The best of ``search.tries`` random legal actions, by the value one step ahead."""
    legal = record_at(search.actions, ACTION_LIST)
    best = legal.items[random_below(rng, count)]
    if search.tries == 1 or count == 1:
        return int(best)
    best_value = value_ahead(rules, search, state, best)
    for _ in range(1, search.tries):
        action = legal.items[random_below(rng, count)]
        if action != best:
            value = value_ahead(rules, search, state, action)
            if value > best_value:
                best, best_value = action, value
    return int(best)


def value_ahead(rules: Rules, search: Any, state: Address, action: int) -> float:
    """The value of the state after an action to the player who takes it."""
    copy_bytes(search.ahead, state, rules.state_size)
    apply_action(rules, search.ahead, action)
    search.calls += 1
    return value_of(rules, search, search.ahead, acting_player(state))


def advance(rules: Rules, search: Any, state: Address, action: int) -> None:
    """Plays an action in place, and then forced actions up to the next choice."""
    apply_action(rules, state, action)
    search.calls += 1
    header = record_at(state, HEADER)
    actions = search.actions
    for _ in range(MOST_FORCED):
        if header.status != Status.PLAYING or legal_actions(rules, state, actions) != 1:
            return
        apply_action(rules, state, record_at(actions, ACTION_LIST).items[0])
        search.calls += 1
