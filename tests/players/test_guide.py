"""A search with a guide: an agent without a search that predicts what players do."""

from __future__ import annotations

from typing import Any

import pytest
from tests.players.asking import ask

import kibitz
from kibitz.core.actions import Action, ActionKinds, add, operand, pack
from kibitz.core.agent import make_agent
from kibitz.core.errors import AgentError, AgentOptionError, UnknownAgentError
from kibitz.core.game import Game
from kibitz.core.registry import load
from kibitz.core.results import draw_game, win
from kibitz.core.state import State

WAYS = 8


class Move(ActionKinds):
    """What can be done."""

    TAKE = Action("take {way}", way=range(WAYS))


class Offer(Game):
    """A draw, or the other player may choose: their way 0 loses, all others win."""

    name = "offer"
    players = (2, 2)
    Actions = Move

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        """Nothing is to be done."""

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        """Two ways, then eight."""
        for way in range(WAYS if state.player == 1 else 2):
            add(actions, pack(Move.TAKE, way))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        """It ends with the offer, or with the answer."""
        if state.player == 1:
            win(state, 0 if operand(action, 0) == 0 else 1)
        elif operand(action, 0) == 0:
            draw_game(state)
        else:
            state.player = 1


ACCEPT, LEAVE = pack(Move.TAKE, 0), pack(Move.TAKE, 1)


@pytest.fixture(scope="module")
def offer() -> State:
    """The first decision, with uncompiled rules."""
    return Offer(compiled=False).table(2).new_state(seed=1)


def worth_of_leaving(state: State, options: str) -> float:
    """The first player's value of leaving the choice to the other player."""
    agent = make_agent(f"ismcts:iterations=400,{options}")
    return next(advice.value for advice in agent.advise(state) if advice.action == LEAVE)


def test_rollouts_play_as_the_guide_would(offer: State) -> None:
    assert worth_of_leaving(offer, "depth=1,guide=first-legal,epsilon=0") == 1.0


@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_a_share_of_the_actions_of_a_guided_rollout_is_random(
    offer: State, epsilon: float
) -> None:
    exact = 1.0 - epsilon * (WAYS - 1) / WAYS
    worth = worth_of_leaving(offer, f"depth=1,c=5,guide=first-legal,epsilon={epsilon}")
    assert worth == pytest.approx(exact, abs=0.15)  # of 150 samples or more


def test_with_trust_the_others_do_as_the_guide_would_in_the_tree(offer: State) -> None:
    assert worth_of_leaving(offer, "guide=first-legal,epsilon=0,trust=1") == 1.0
    trusting = make_agent("ismcts:iterations=400,guide=first-legal,epsilon=0,trust=1")
    wary = make_agent("ismcts:iterations=400,guide=first-legal,epsilon=0")
    assert ask(trusting, offer).action == LEAVE
    assert ask(wary, offer).action == ACCEPT  # the other finds out how to win


def test_trust_is_a_share_of_the_choices(offer: State) -> None:
    """Half of them lose, of the others nearly none."""
    worth = worth_of_leaving(offer, "c=5,guide=first-legal,epsilon=0,trust=0.5")
    assert 0.45 < worth < 0.75


def test_the_same_seed_gives_the_same_choice() -> None:
    state = load("love-letter").table(3).new_state(seed=4)
    text = "ismcts:guide=love-letter-reflex,trust=0.5,iterations=60"
    for seed in range(6):
        assert ask(make_agent(text), state, seed=seed) == ask(make_agent(text), state, seed=seed)


def test_compiled_and_uncompiled_rules_give_the_same_choice() -> None:
    chosen = []
    for compiled in (True, False):
        state = load("love-letter", compiled=compiled).table(2).new_state(seed=2)
        agent = make_agent("ismcts:guide=osla,trust=0.5,iterations=40")
        chosen.append(ask(agent, state, seed=5))
    assert chosen[0] == chosen[1]


def test_a_search_improves_its_guide() -> None:
    """By rollouts and beliefs; it won 58 ± 1 % of 6,000 rounds with two thousand iterations."""
    table = load("love-letter").table(2, {"tokens_to_win": 1})
    guided = "ismcts:iterations=300,guide=love-letter-counting,epsilon=0,belief=actions"
    agents = [make_agent(f"{guided},particles=200,trust=1,trees=many,doubt=0.02")]
    agents.append(make_agent("love-letter-counting"))
    seats = kibitz.play(table, agents, 1500, seed=3, workers=1).results["seats"]
    assert (seats["place"][seats["agent"] == 0] == 1).mean() > 0.52


def test_a_guide_has_to_be_compiled_without_a_search_and_for_this_game() -> None:
    table = load("tic-tac-toe").table()
    with pytest.raises(AgentError, match="without a search"):
        make_agent("ismcts:guide=mcts").bind(table)
    with pytest.raises(AgentError, match="without a search"):
        make_agent("ismcts:guide=kibitz").bind(table)
    with pytest.raises(AgentError, match="plays love-letter only"):
        make_agent("ismcts:guide=love-letter-counting").bind(table)
    with pytest.raises(UnknownAgentError, match="osla"):
        make_agent("ismcts:guide=olsa").bind(table)
    with pytest.raises(AgentOptionError, match="needs a guide"):
        make_agent("ismcts:trust=1")
