"""The position of a match, as the manager or one of its players knows it."""

from __future__ import annotations

import random
from collections.abc import Sequence

from kibitz.core.errors import KibitzError, PlayError
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.gdl.game import GdlGame
from kibitz.gdl.reader import read_term
from kibitz.gdl.rules import RANDOM, Term, kif
from kibitz.gdl.steps import Steps
from kibitz.ggp.messages import Joint, Percepts, Report, plain


class ReportError(KibitzError):
    """A report describes an impossible step."""


class Position:
    """A position of a game in GDL: the true one, or one role's knowledge of it.

    Args:
        role: the index of the role that knows it; ``None``: nothing is hidden.
        seed: the seed of chance and of determinizations.

    Attributes:
        steps_made: the number of steps made so far.
    """

    def __init__(self, game: GdlGame, role: int | None = None, seed: int = 0) -> None:
        self.game = game
        self.table = game.table()
        self.steps = Steps(self.table)
        self.roles = list(game.description.roles)
        self.role = role
        self.steps_made = 0
        self._random = random.Random(seed)
        self._terms: dict[int, Term | None] = {}
        self._secret = self.steps.imperfect and role is not None
        if self._secret:
            assert role is not None
            self._state = self.steps.information(role)
            self._sample: State | None = None
        else:
            self._state = self.table.new_state(self._random.getrandbits(60))

    # -- knowledge ---------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """The state; a determinization of it where information is hidden from the role."""
        if not self._secret:
            return self._state
        assert self.role is not None
        if self._sample is None:
            self._sample = self._state.determinize(self.role, self._random.getrandbits(60))
        return self._sample

    @property
    def over(self) -> bool:
        """Whether the game has ended or was broken off."""
        return self.state.status != Status.PLAYING or self.steps.terminal(self.state)

    def legal(self, role: int) -> list[int]:
        """The legal moves of a role, sorted."""
        return sorted(self.steps.legal(self.state, role))

    def words(self, move: int) -> str:
        """The text of a move in KIF, spelled as in the rules."""
        return plain(self.steps.rules.actions.words(move))

    def find(self, role: int, text: str) -> int | None:
        """The legal move of a role that a text means, in any spelling, or ``None``."""
        legal = self.legal(role)
        same = next((move for move in legal if self.words(move) == text), None)
        if same is not None:  # saves parsing thousands of moves
            return same
        term = read_term(text)
        if term is None:
            return None
        return next((move for move in legal if self._term(move) == term), None)

    def _term(self, move: int) -> Term | None:
        if move not in self._terms:
            self._terms[move] = read_term(self.words(move))
        return self._terms[move]

    def facts(self) -> list[str]:
        """The true propositions, in KIF."""
        return [plain(text) for text in self.steps.rules.facts.true(self.state.view.facts)]

    def goals(self) -> list[int | None]:
        """The goal of each role; ``None`` if the rules give it no goal or several."""
        values = [set(self.steps.goals(self.state, role)) for role in range(len(self.roles))]
        return [goals.pop() if len(goals) == 1 else None for goals in values]

    def role_name(self, role: int) -> str:
        """The name of a role, spelled as in the rules."""
        return kif(self.roles[role], self.game.description.spelling)

    # -- steps -------------------------------------------------------------------------------

    def advance(self, report: Report, own: str | None = None) -> None:
        """Makes the step that a report describes, if it describes one.

        Args:
            report: the report to the role.
            own: the role's last answer, for managers that do not report its move.

        Raises:
            ReportError: the step is impossible; the position is unchanged.
        """
        if not self._secret:
            if isinstance(report, Percepts):
                if report.turn == 0 and not self.steps_made:
                    return
                raise ReportError("in this game players are told the moves, not percepts")
            if report.moves is not None:
                self.step(report.moves)
            elif self.steps_made:
                raise ReportError("the moves are missing")
            return
        if isinstance(report, Joint):
            if report.moves is None and own is None:
                return
            report = Percepts(self.steps_made + 1, own, report.moves or ())
        elif report.turn == 0 and not self.steps_made:
            return
        self._perceive(report)

    def step(self, texts: Sequence[str]) -> None:
        """Makes a step with one move for each role, in their order.

        Raises:
            ReportError: there is not one move for each role, or one is not legal.
        """
        if self.over:
            raise ReportError("the game is over")
        if len(texts) != len(self.roles):
            raise ReportError(
                f"{len(self.roles)} moves are wanted, one for each role: {len(texts)}"
            )
        moves = [self._found(role, text) for role, text in enumerate(texts)]
        self.play(moves)

    def play(self, moves: Sequence[int]) -> None:
        """Makes a step with these legal moves, one for each role."""
        self.steps.play(self._state, moves)
        self.steps_made += 1

    def _perceive(self, report: Percepts) -> None:
        assert self.role is not None
        if report.turn != self.steps_made + 1 or report.own is None:
            raise ReportError(f"turn {report.turn} does not follow turn {self.steps_made}")
        if self.over:
            raise ReportError("the game is over")
        move = self._found(self.role, report.own)
        try:
            self.steps.perceive(self._state, self.role, move, report.seen)
        except KibitzError as problem:
            raise ReportError(str(problem)) from None
        self.steps_made += 1
        self._sample = None

    def _found(self, role: int, text: str) -> int:
        move = self.find(role, text)
        if move is None:
            raise ReportError(f"{text[:80]} is not legal for {self.role_name(role)}")
        return move

    # -- for agents --------------------------------------------------------------------------

    def observation(self, role: int) -> State:
        """A determinization, for a role, of the state at the beginning of the step."""
        return self._state.determinize(role, self._random.getrandbits(60))

    def turn_of(self, role: int) -> State | None:
        """A determinization of the state in which a role decides; ``None`` if it has no choice.

        Roles that decide earlier in the step make any legal move, which the determinization
        replaces.
        """
        state = self.state.clone()
        turn = state.view.turn
        try:
            while state.current_player != role:
                state.apply(state.legal_actions()[0])
                if state.is_terminal or state.view.turn != turn:
                    return None
        except (PlayError, IndexError):
            return None
        return state.determinize(role, self._random.getrandbits(60))


def is_random(name: str) -> bool:
    """Whether the name of a role is that of chance, which has no player."""
    return name.lower() == RANDOM


__all__ = ["Position", "ReportError", "is_random"]
