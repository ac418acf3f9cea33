"""Replays of match records: the states of a match, step by step, by the rules of its game."""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.core.errors import KibitzError
from kibitz.core.state import State
from kibitz.core.wording import printable
from kibitz.gdl.game import GdlGame
from kibitz.ggp.position import Position, ReportError
from kibitz.ggp.record import MatchRecord, game_goals

MOST_SHOWN = 80
"""Maximum length of a fact in an error message, in characters."""


class ContradictionError(KibitzError):
    """A match record contradicts the rules of its game.

    Attributes:
        reason: the contradiction, with the number of the step.
    """

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(f"{source}: contradicts the rules: {reason}.")
        self.reason = reason


class MatchReplay:
    """Makes the joint moves of a match record by the rules of its game, and checks them.

    The match may still be in progress: ``follow`` continues with the longer record.

    Attributes:
        position: the position after the last step that was made; nothing is hidden.
        reached: the number of states of the record that have been reached.
    """

    def __init__(self, game: GdlGame) -> None:
        self.position = Position(game)
        self.reached = 0

    def follow(self, record: MatchRecord) -> Iterator[State]:
        """Yields a copy of each state that has not been reached yet, the first one included.

        Raises:
            ContradictionError: a move is not legal, or leads to another state.
        """
        while self.reached < len(record.states):
            number = self.reached
            if number:
                try:
                    self.position.step(record.moves[number - 1])
                except ReportError as problem:
                    raise ContradictionError(record.source, f"step {number}: {problem}") from None
            self._compare(record, number)
            self.reached += 1
            yield self.position.state.clone()

    def _compare(self, record: MatchRecord, number: int) -> None:
        """Compares the facts with those in the record, ignoring case and order."""
        facts = {fact.lower() for fact in self.position.facts()}
        in_record = {fact.lower() for fact in record.states[number]}
        if facts == in_record:
            return
        fact = min(facts ^ in_record)
        truth = "true" if fact in facts else "not true"
        step = f"step {number}" if number else "the first state"
        raise ContradictionError(
            record.source,
            f"{step}: state {number} does not follow from the rules, by which "
            f"{printable(fact, MOST_SHOWN)} is {truth}",
        )

    def check_end(self, record: MatchRecord) -> None:
        """Checks the end of a completed match, after ``follow``.

        Raises:
            ContradictionError: the game is not over, or the goals are different.
        """
        if not record.completed:
            return
        if not self.position.over:
            raise ContradictionError(record.source, "it is completed, and the game is not over")
        try:
            goals = game_goals(self.position)
        except ReportError as problem:
            raise ContradictionError(record.source, str(problem)) from None
        if goals != record.goals:
            raise ContradictionError(record.source, f"the goals are {goals}, not {record.goals}")


def contradiction(record: MatchRecord, game: GdlGame) -> str | None:
    """The first contradiction between a record and the rules, in words; ``None`` without one."""
    try:
        for _ in replay(record, game):
            pass
    except ContradictionError as problem:
        return problem.reason
    return None


def replay(record: MatchRecord, game: GdlGame) -> Iterator[State]:
    """The states of a recorded match: the first one, and the one after each step.

    Each state is checked before it is yielded; the end and the goals are checked after the last.

    Raises:
        ContradictionError: a move is not legal or leads to another state, or the end of the match
            contradicts the rules.
    """
    replayed = MatchReplay(game)
    yield from replayed.follow(record)
    replayed.check_end(record)


__all__ = ["ContradictionError", "MatchReplay", "contradiction", "replay"]
