"""The review of a game: its positions one by one, and every decision graded.

A decision is graded by what it costs: the chance of the win of the best option less that of the
chosen one, as the player could know at that time. Only what lies outside of the interval counts,
so that no noise is taken for a mistake. An option that the search left aside, after too few
visits for an interval, is looked at more closely: both options are played in the same samples,
and searched on from there.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.sessions.recording import replay
from kibitz.sessions.records import Record
from kibitz.sessions.updates import Update
from kibitz.web.games import GameChoice
from kibitz.web.kibitzer import assess_once, option_words, win_share
from kibitz.web.scene import OpenGame

MILLISECONDS = 160
"""Duration of the search for a decision."""

MOST_TURNS = 5
"""Turning points that are named."""
PAIRS = 4
"""Samples in which two options are compared."""

BEST = "best"
"""The grade of the best option."""
GRADES = {"good": 0.02, "inaccuracy": 0.05, "mistake": 0.10, "blunder": 1.0}
"""Up to which loss of the chance another one has a grade."""


def grade_of(loss: float) -> str:
    """The grade of an option, by its loss of the chance to win, 0 to 1."""
    return next(name for name, most in GRADES.items() if loss <= most)


@dataclass(frozen=True)
class Decision:
    """A decision with its grade.

    Attributes:
        number: of the action, from 1.
        player: the player who chose.
        chosen, best: the options in words.
        loss: how much of the chance to win it cost.
        chances: everybody's chance before it, as the player saw it.
    """

    number: int
    player: int
    chosen: str
    best: str
    loss: float
    chances: tuple[float, ...]

    @property
    def grade(self) -> str:
        """The grade of the decision, by what it lost."""
        return BEST if self.chosen == self.best else grade_of(self.loss)


def turning_points(decisions: Sequence[Decision], most: int = MOST_TURNS) -> list[Decision]:
    """The decisions that cost most, the most expensive first; at least a mistake each."""
    least = GRADES["inaccuracy"]
    costly = [decision for decision in decisions if decision.loss > least]
    return sorted(costly, key=lambda decision: (-decision.loss, decision.number))[:most]


class GameReplay(OpenGame):
    """A recorded game, move by move.

    Args:
        record: the record of the game.
        table: where it was played.

    Attributes:
        states: before the first action, and after each.
        updates: the actions with the states before and after them.
        given_up: one 64-bit integer; non-zero: nobody waits for luck and skill any more.

    Raises:
        KibitzError: the record contradicts itself or the rules.
    """

    def __init__(self, record: Record, table: Table) -> None:
        self.record = record
        self.table = table
        self.states: list[State] = list(replay(record, table))
        self.updates = [
            Update(move, before, after)
            for move, before, after in zip(
                record.moves, self.states, self.states[1:], strict=False
            )
        ]

        self.given_up = np.zeros(1, np.int64)

    @classmethod
    def open(cls, choice: GameChoice, record: Record) -> GameReplay:
        """The replay of a record.

        Raises:
            KibitzError: the record contradicts itself or the rules, or these are wrong.
        """
        return cls(record, record.table(choice.game()))

    def title(self) -> str:
        """The title of the game."""
        game = self.table.game
        return game.title or game.name

    def told(self, number: int) -> list[str]:
        """What everybody may read of an action.

        Args:
            number: of the action, from 1.
        """
        return [event.text for event in self.updates[number - 1].events()]

    def mover(self, at: int) -> int | None:
        """The player to move in a position; ``None``: the game is over."""
        state = self.states[at]
        return None if state.is_terminal else state.current_player

    def decision(self, number: int) -> Decision:
        """The grade of a decision.

        Args:
            number: of the action, from 1.
        """
        return judged(number, self.updates[number - 1])

    def give_up(self) -> None:
        """Ends ``luck_and_skill`` soon."""
        self.given_up[0] = 1


def judged(number: int, update: Update, milliseconds: int = MILLISECONDS) -> Decision:
    """The grade of one decision.

    Args:
        number: of the action, from 1.
        update: the action with the state before it.
        milliseconds: duration of the search.
    """
    state, move = update.before, update.move
    assessment = assess_once(state, move.player, milliseconds)
    options = {item.action: item for item in assessment.options}
    best = assessment.options[0]
    chosen = options.get(move.action)
    loss = 0.0
    if chosen is None or chosen.action != best.action:
        if chosen is not None and chosen.error is not None:
            loss = max(0.0, best.chance - chosen.chance - chosen.error)
        else:
            loss = cost(state, best.action, move.action, milliseconds // (2 * PAIRS))
    return Decision(
        number,
        move.player,
        option_words(state, move.action),
        option_words(state, best.action),
        loss,
        assessment.chances,
    )


def cost(state: State, best: int, chosen: int, milliseconds: int) -> float:
    """What it costs to choose one action instead of another, by searches after both.

    Args:
        state: in which somebody chooses; what they cannot know is sampled, for both alike.
        best: what they could have done.
        chosen: the action that they chose.
        milliseconds: duration of each search.

    Returns:
        The loss of chance that is left after two standard errors; 0 if nothing is.
    """
    player = state.current_player
    losses = []
    for number in range(PAIRS):
        sample = state.determinize(player, number)
        first, second = (_chance_after(sample, a, player, milliseconds) for a in (best, chosen))
        losses.append(first - second)
    error = statistics.stdev(losses) / math.sqrt(PAIRS)
    return max(0.0, statistics.mean(losses) - 2.0 * error)


def _chance_after(sample: State, action: int, player: int, milliseconds: int) -> float:
    """A player's chance after an action."""
    after = sample.clone()
    after.apply(action)
    if after.is_terminal:
        return win_share((after.returns()[player] + 1.0) / 2.0, after.table)
    return assess_once(after, player, milliseconds).chances[player]
