"""The kibitzer: estimates of options and of everybody's chances, which improve with time.

It knows what one seat knows: searches begin from determinizations of that seat's view. Each step
is a new search with twice the time of the last one, whose values replace those before.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.arena.random_returns import random_returns
from kibitz.core.agent import Advice, Agent, make_agent
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.core.utility import utility_at
from kibitz.core.wording import bare, capitalized
from kibitz.web.seating import thinking

FIRST, LAST = 40, 2560
"""Milliseconds of the first and of the last search."""
SAMPLES = 4
"""Searches of a step from different samples, while others are to act."""
PLAYOUTS = 200
"""Random playouts of the first step, for the players who are not to act; then more."""
MOST_PLAYOUTS = 2000
LINE = 4
"""Decisions of the line that is expected."""
LINE_FROM = 160
"""Milliseconds of a search beside which a line is worth looking for."""
LINE_SAMPLES = 6
"""Samples in which a line is followed."""
LEAST_VISITS = 30
"""Of an option, for an interval."""

_NORMAL = 1.96
"""Standard errors of an interval that holds 95 times in 100."""


@dataclass(frozen=True)
class Opinion:
    """The estimate of an option.

    Attributes:
        action: the number of the action.
        chance: of the win, for whoever chooses, 0 to 1.
        error: half of its 95 % interval, from the number of the search's visits; it does not
            tell what a deeper search would find. ``None`` where there were too few.
        share: of the search's visits.
        words: the option in words.
    """

    action: int
    chance: float
    error: float | None
    share: float
    words: str


@dataclass(frozen=True)
class Assessment:
    """The kibitzer's estimates of a position.

    Attributes:
        tick: how many actions had been played.
        player: the player to move.
        chances: each player's chance of the win.
        options: the estimates of legal actions, the best first, if the observer is to move.
        milliseconds: duration of the search.
        line: the expected line of play: for each action its player and its words.
    """

    tick: int
    player: int
    chances: tuple[float, ...]
    options: tuple[Opinion, ...]
    milliseconds: int
    line: tuple[tuple[int, str], ...] = ()


def adviser(table: Table) -> Agent:
    """The agent that searches.

    It plays out games to their end at random, so that its values are chances of the win. Where all
    win together random play hardly ever does: there it is the game's default agent.
    """
    if table.is_cooperative and utility_at(table) == "place":
        return make_agent(table.game.default_agent)
    return make_agent("ismcts:by=place,rollout=end")


def assess(state: State, seat: int | None, step: int, first: int = FIRST) -> Assessment | None:
    """An assessment of a state; each step takes twice the time of the step before.

    Args:
        state: the true one; what `seat` cannot know of it is sampled.
        seat: the observer; ``None``: the player to move.
        step: the number of the assessment, from 0.
        first: milliseconds of the first one.

    Returns:
        ``None`` after the last one, and where the game is over.
    """
    milliseconds = first << min(step, 20)
    if state.is_terminal or milliseconds > LAST:
        return None
    knower = state.current_player if seat is None else seat
    playouts = min(MOST_PLAYOUTS, PLAYOUTS << min(step, 20))
    assessment = assess_once(state, knower, milliseconds, playouts)
    if milliseconds >= LINE_FROM:
        best = assessment.options[0].action if assessment.options else None
        line = expected_line(state, knower, milliseconds // 10, best)
        assessment = dataclasses.replace(assessment, line=line)
    return assessment


def assess_once(
    state: State, knower: int, milliseconds: int, playouts: int = PLAYOUTS
) -> Assessment:
    """The assessment of a state that is not over, after one search.

    Args:
        state: the true one; what `knower` cannot know of it is sampled.
        knower: the seat of the observer.
        milliseconds: duration of the search.
        playouts: random ones, for the players who are not to act.
    """
    mover = state.current_player
    advice = _searched(adviser(state.table), state, knower, milliseconds)
    best = max(advice, key=lambda item: (item.visits, item.value)).value
    expected = None
    if state.players > 2 and state.table.has_rivals:
        expected = random_returns(state, knower, playouts, milliseconds)
    options: tuple[Opinion, ...] = ()
    if knower == mover:
        options = tuple(_opinion(item, state) for item in advice)
    chances = _chances(state, mover, best, expected)
    return Assessment(state.tick, mover, chances, options, milliseconds)


def expected_line(
    state: State, knower: int, milliseconds: int, first: int | None = None
) -> tuple[tuple[int, str], ...]:
    """The expected line of play, as far as its events are visible to one seat.

    The line is followed in several determinizations for the seat in parallel; the action with the
    most visits in all of them comes next. The line ends at an action that is hidden from the seat,
    and where the player to move or the legal actions differ between determinizations. Beyond, it
    would name cards that only samples have.

    Args:
        state: the true one; what `knower` cannot know of it is sampled.
        knower: the seat of the observer.
        milliseconds: for each decision of the line.
        first: the action with which it begins, if that is known already.

    Returns:
        Who acts, and the words.
    """
    agent = adviser(state.table)
    samples = [state.determinize(knower, number) for number in range(LINE_SAMPLES)]
    line: list[tuple[int, str]] = []
    while len(line) < LINE and len({_choice(sample) for sample in samples}) == 1:
        if samples[0].is_terminal:
            break
        mover = samples[0].current_player
        if first is not None and not line:
            action = first
        else:
            action = _expected(agent, samples, milliseconds)
        before = samples[0].clone()
        for sample in samples:
            sample.apply(action)
        words = before.table.wording.event_text(before, action, samples[0], knower)
        if mover == knower:
            words = before.action_words(action)
        if not words:
            break
        line.append((mover, words))
    return tuple(line)


def _choice(state: State) -> tuple[int, tuple[int, ...]]:
    """The player to act and the legal actions; empty where the game is over."""
    if state.is_terminal:
        return -1, ()
    return state.current_player, tuple(sorted(state.legal_actions()))


def _expected(agent: Agent, samples: Sequence[State], milliseconds: int) -> int:
    """The action that is searched most in some samples together."""
    if all(len(sample.legal_actions()) == 1 for sample in samples[:SAMPLES]):
        return samples[0].legal_actions()[0]
    known = samples[0].current_player
    thinker = thinking(agent, max(10, milliseconds // min(SAMPLES, len(samples))))
    shares: dict[int, float] = {}
    for number, sample in enumerate(samples[:SAMPLES]):
        thinker.random.seed(f"{known} {sample.tick} {number}")
        for item in thinker.advise(sample):
            shares[item.action] = shares.get(item.action, 0.0) + item.share
    return max(shares, key=lambda action: shares[action])


def option_words(state: State, action: int) -> str:
    """An option in words, as the beginning of a sentence."""
    return capitalized(bare(state.action_words(action)))


def win_share(value: float, table: Table) -> float:
    """The share of the win that a value stands for, which is 0 to 1 as searches have it.

    Returns are 1 for the only side that wins, and add up to 0 over the sides that compete.
    """
    sides = len(table.sides)
    if sides == 1:
        return value
    share = ((sides - 1) * (2.0 * value - 1.0) + 1.0) / sides
    return min(1.0, max(0.0, share))


def _searched(agent: Agent, state: State, knower: int, milliseconds: int) -> list[Advice]:
    """Advice by a search from a seat's observation; the mean of several samples if others act."""
    mine = knower == state.current_player
    samples = 1 if mine else SAMPLES
    thinker = thinking(agent, max(10, milliseconds // samples))
    totals: dict[int, tuple[float, float]] = {}  # visits, and the sum of values, by action
    for number in range(samples):
        thinker.random.seed(f"{state.tick} {milliseconds} {number}")
        sample = state.determinize(knower, thinker.random.getrandbits(60))
        for item in thinker.advise(sample):
            weight = max(item.visits, 1e-9)
            visits, total = totals.get(item.action, (0.0, 0.0))
            totals[item.action] = visits + weight, total + weight * item.value
    everything = sum(visits for visits, _ in totals.values())
    advice = [
        Advice(action, visits / everything, total / visits, visits)
        for action, (visits, total) in totals.items()
    ]
    return sorted(advice, key=lambda item: (-item.visits, -item.value))


def _opinion(item: Advice, state: State) -> Opinion:
    """An option's chance, with the interval of a mean of `visits` values from 0 to 1."""
    words = option_words(state, item.action)
    if item.visits < LEAST_VISITS:
        chance = win_share(item.value, state.table)
        return Opinion(item.action, chance, None, item.share, words)
    visits = item.visits
    spread = math.sqrt(max(item.value * (1.0 - item.value), 0.25 / visits) / visits)
    chance = win_share(item.value, state.table)
    upper = win_share(min(1.0, item.value + _NORMAL * spread), state.table)
    lower = win_share(max(0.0, item.value - _NORMAL * spread), state.table)
    error = max(upper - chance, chance - lower)
    return Opinion(item.action, chance, error, item.share, words)


def _chances(
    state: State, mover: int, value: float, expected: list[float] | None
) -> tuple[float, ...]:
    """The chance of everybody's side: the mover's by the search, the rest as in playouts."""
    own = win_share(value, state.table)
    sides = state.table.sides
    if len(sides) == 1:
        return (own,) * state.players
    mine = next(side for side in sides if mover in side)
    others = [side for side in sides if side is not mine]
    shares = [1.0 if expected is None else _by_playouts(expected, s, state) for s in others]
    total = sum(shares)
    chances = dict.fromkeys(mine, own)
    for side, share in zip(others, shares, strict=True):
        part = share / total if total else 1.0 / len(others)
        chances |= dict.fromkeys(side, (1.0 - own) * part)
    return tuple(chances[p] for p in range(state.players))


def _by_playouts(expected: list[float], side: tuple[int, ...], state: State) -> float:
    """A side's share of the win, by the mean returns of playouts."""
    return win_share((expected[side[0]] + 1.0) / 2.0, state.table)
