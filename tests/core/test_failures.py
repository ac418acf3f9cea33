"""A fault in the middle of compiled rules is an outcome, not silence."""

from __future__ import annotations

from typing import Any

import pytest

import kibitz
from kibitz import Game, State
from kibitz.checks.watched import explain
from kibitz.components import CardSet, CardType, Deck, draw_card
from kibitz.core.actions import Action, ActionKinds, ActionList, add, pack
from kibitz.core.agent import make_agents
from kibitz.core.errors import EndlessError, LoopError, RulesError
from kibitz.core.layout import GameState, Visibility
from kibitz.core.results import fail
from kibitz.core.status import Status

PRIMES = (2, 3, 5)
CARDS = CardSet("test", [CardType("Ace", 2)])


class Move(ActionKinds):
    STEP = Action("step")


class OneCard(GameState):
    deck = Deck(CARDS, Visibility.NOBODY)
    hand = Deck(CARDS, Visibility.EVERYONE)


class Walk(Game):
    """Reads beyond a constant tuple at its third step."""

    name = "walk"
    State = OneCard
    Actions = Move

    @staticmethod
    def setup(state: OneCard, params: Any) -> None: ...

    @staticmethod
    def legal_actions(state: OneCard, params: Any, actions: ActionList) -> None:
        add(actions, pack(Move.STEP))

    @staticmethod
    def apply_action(state: OneCard, params: Any, action: int) -> None:
        state.seat[0].score += PRIMES[state.tick]
        state.turn += 1


class Drawer(Walk):
    """Draws from an empty deck."""

    name = "drawer"

    @staticmethod
    def apply_action(state: OneCard, params: Any, action: int) -> None:
        draw_card(state, state.deck, state.hand)


def test_an_index_outside_a_constant_breaks_the_game_off() -> None:
    state = Walk(compiled=True).new_state()
    state.apply("step")
    state.apply("step")
    with pytest.raises(RulesError, match="after 3 actions"):
        state.apply("step")
    assert state.scores()[0] == PRIMES[1] + PRIMES[2]


@pytest.mark.parametrize("compiled", [True, False])
def test_drawing_from_an_empty_deck_breaks_the_game_off(compiled: bool) -> None:
    state = Drawer(compiled=compiled).new_state()
    with pytest.raises(RulesError):
        state.apply("step")
    assert state.view.deck.count == 0
    assert state.view.hand.count == 0


class Golf(Drawer):
    """The lowest score wins."""

    name = "golf"
    lowest_score_wins = True


@pytest.mark.parametrize(("game", "sign"), [(Drawer, 1), (Golf, -1)])
def test_the_default_heuristic_follows_the_direction_of_scoring(
    game: type[Game], sign: int
) -> None:
    state = game(compiled=False).new_state()
    state.view.seat[0].score = 3.0
    assert state.heuristic(0) == pytest.approx(sign * 3 / 4)
    assert state.heuristic(1) == pytest.approx(-sign * 3 / 4)


class Explained(Walk):
    """Knows in which line its rules went wrong."""

    name = "explained"

    @staticmethod
    def apply_action(state: OneCard, params: Any, action: int) -> None:
        state.phase = 43
        fail(state)

    def explain(self, state: State) -> str | None:
        return f"line {state.view.phase}: a card is moved from an empty place."


def test_a_game_may_explain_what_went_wrong() -> None:
    state = Explained(compiled=False).new_state(seed=5)
    assert state.table.wording.explanation(state) is None
    why = "line 43: a card is moved from an empty place"
    with pytest.raises(RulesError, match=f"after 1 actions: {why}") as caught:
        state.apply("step")
    assert caught.value.__notes__ == ["The game was set up from seed 5."]
    assert state.table.wording.explanation(state) == why
    assert state.headline() == f"Broken off: rules error: {why}."
    record = kibitz.record(state.table, make_agents(["random"], 2), seed=5)
    assert f"The game was not finished: rules error: {why}.\n" in kibitz.transcript(
        record, state.table
    )


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (Status.LOOP, LoopError),
        (Status.SUSPECTED_LOOP, LoopError),
        (Status.ENDLESS, EndlessError),
    ],
)
def test_rules_may_say_that_a_game_finds_no_end(status: Status, error: type[Exception]) -> None:
    class Circling(Explained):
        @staticmethod
        def apply_action(state: OneCard, params: Any, action: int) -> None:
            fail(state, status)

    state = Circling(compiled=False).new_state()
    with pytest.raises(error, match=r"line 0.*empty place") as raised:
        state.apply("step")
    assert "line 0" in explain(raised.value).message  # type: ignore[arg-type]
