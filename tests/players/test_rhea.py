"""Plans of RHEA: where they end."""

from __future__ import annotations

from typing import Any

import pytest
from tests.players.asking import ask

from kibitz.authoring import Action, ActionKinds, Counter, Game, GameState, add, end_turn, pack
from kibitz.core.agent import make_agent
from kibitz.core.results import finish_by_score

ACTIONS_IN_A_TURN = 3


class Choice(ActionKinds):
    """What can be done in ``Borrowing``."""

    WAIT = Action("wait")
    BORROW = Action("borrow")


class BorrowingState(GameState):
    """What was borrowed in the present turn."""

    debt = Counter(0, ACTIONS_IN_A_TURN)


class Borrowing(Game):
    """Alone, three actions a turn: what is borrowed counts until the next turn takes more."""

    name = "borrowing"
    players = (1, 1)
    State = BorrowingState
    Actions = Choice

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """Nothing to prepare."""

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        """To borrow or not, always."""
        add(actions, pack(Choice.WAIT))
        add(actions, pack(Choice.BORROW))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        """The first action of a turn costs ten times what was borrowed in the turn before."""
        if state.tick % ACTIONS_IN_A_TURN == 1:
            state.seat[0].score -= 10.0 * state.debt.value
            state.debt.value = 0
        if action == pack(Choice.BORROW):
            state.seat[0].score += 1.0
            state.debt.value += 1
        if state.tick % ACTIONS_IN_A_TURN == 0:
            end_turn(state)
        if state.tick == 10 * ACTIONS_IN_A_TURN:
            finish_by_score(state)

    @staticmethod
    def heuristic(state: Any, params: Any, player: int) -> float:
        """The present score."""
        return state.seat[0].score / 1000.0


@pytest.mark.parametrize(
    ("options", "choice"),
    [
        ("length=3", Choice.BORROW),
        ("length=9", Choice.WAIT),
        ("length=9,turns=1", Choice.BORROW),
        ("length=9,turns=2", Choice.WAIT),
        ("length=3,turns=2", Choice.BORROW),
        ("length=9,turns=1,plan=team,samples=3,tries=2", Choice.BORROW),
    ],
)
def test_a_plan_ends_with_its_turns_or_its_length(options: str, choice: Choice) -> None:
    state = Borrowing().new_state()
    answer = ask(make_agent(f"rhea:iterations=300,discount=1,{options}"), state)
    assert answer.action == pack(choice)


def test_a_plan_in_the_middle_of_a_turn_ends_with_it() -> None:
    state = Borrowing().new_state()
    for decisions in range(1, ACTIONS_IN_A_TURN):
        state.apply("wait")
        agent = make_agent("rhea:iterations=300,discount=1,length=9,turns=1")
        assert ask(agent, state).action == pack(Choice.BORROW), decisions
