"""Play with open hands: all see what any seat sees; what nobody sees, and chance, stay hidden."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

import kibitz
from kibitz.core.actions import Action, ActionKinds, add, pack
from kibitz.core.commitments import Commitment, ask, commit, everyone
from kibitz.core.game import Game
from kibitz.core.layout import GameState, per_player
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.state import State

CARDS = ["love-letter", "exploding-kittens", "uno", "go-fish", "whist"]
FACTS = ["kriegspiel-tic-tac-toe", "monty-hall"]


def positions(game: str, seed: int) -> list[tuple[State, State]]:
    """States of a random game with open hands, each with that of the usual game."""
    loaded = kibitz.load(game)
    opened, usual = loaded.table(open=True).new_state(seed), loaded.new_state(seed=seed)
    choices = random.Random(seed)
    states = []
    while not opened.is_terminal and len(states) < 60:
        states.append((opened.clone(), usual.clone()))
        assert opened.legal_actions() == usual.legal_actions()
        action = choices.choice(opened.legal_actions())
        opened.apply(action)
        usual.apply(action)
    return states


@pytest.mark.parametrize("game", CARDS)
def test_all_seats_see_the_same_and_samples_keep_it(game: str) -> None:
    for opened, _ in positions(game, 3):
        [seen] = {bytes(opened.observation(p)) for p in range(opened.players)}
        for p in range(opened.players):
            sample = opened.determinize(p, 5)
            assert bytes(sample.observation(p)) == seen
            assert bytes(sample)[:32] != bytes(opened)[:32]  # the random stream


@pytest.mark.parametrize("game", FACTS)
def test_all_roles_see_the_facts(game: str) -> None:
    for opened, _ in positions(game, 3):
        for p in range(opened.players):
            for view in (opened.observation(p).view, opened.determinize(p, 5).view):
                assert list(view.facts.bits) == list(opened.view.facts.bits)


@pytest.mark.parametrize("game", [*CARDS, *FACTS])
def test_what_is_open_is_what_somebody_sees(game: str) -> None:
    def share(state: State, player: int) -> float:
        return float(state.table.call("hidden_share", state.address, player))

    more = 0
    for opened, usual in positions(game, 4):
        before = [share(usual, p) for p in range(usual.players)]
        after = {share(opened, p) for p in range(opened.players)}
        assert len(after) == 1
        assert max(after) <= min(before)
        more += max(after) < max(before)
    assert more


def test_the_cards_to_be_drawn_stay_hidden() -> None:
    state = kibitz.load("love-letter").table(open=True).new_state(1)
    decks = {tuple(state.determinize(0, seed).view.deck.cards) for seed in range(20)}
    assert len(decks) > 10
    hands = {tuple(state.determinize(0, seed).view.hands[1].cards) for seed in range(20)}
    assert len(hands) == 1


class Bid(ActionKinds):
    """The only kind of action."""

    BID = Action("bid {coins}", coins=range(4), secret=True)


class BidsState(GameState):
    """Of two players who bid once, at the same time."""

    bid = per_player(Commitment(Bid.BID))


class Bids(Game):
    """Two players bid at the same time."""

    name = "bids"
    players = (2, 2)
    State = BidsState
    Actions = Bid

    @staticmethod
    def setup(state: BidsState, params: object) -> None:
        ask(state, state.bid, everyone(state))

    @staticmethod
    def legal_actions(state: BidsState, params: object, actions: object) -> None:
        for coins in range(4):
            add(actions, pack(Bid.BID, coins))

    @staticmethod
    def apply_action(state: BidsState, params: object, action: int) -> None:
        commit(state, state.bid, action)


def test_a_choice_made_in_secret_stays_secret() -> None:
    state = kibitz.load(Bids).table(open=True).new_state(1)
    state.apply("bid 3")
    assert state.current_player == 1
    drawn = {state.determinize(1, seed).view.bid[0].action[1] for seed in range(40)}
    assert drawn == {0, 1, 2, 3}


def test_open_hands_are_a_parameter_of_every_game() -> None:
    game = kibitz.load("agram")
    table = game.table(3, open="yes")
    assert table.parameters.to_json()["open"] is True
    assert table.parameters.changed(3) == {"open": "true"}
    assert str(table).endswith(", open=true)")
    assert game.table(3, open=False) is game.table(3)
    record = kibitz.record(table, seed=2)
    assert json.loads(json.dumps(record.to_json()))["parameters"]["open"] is True
    assert sum(1 for _ in kibitz.replay(record)) == 1 + len(record.moves)
    assert record.table().parameters.hands_are_open


def test_a_game_may_have_a_parameter_of_this_name() -> None:
    class Parameters(GameParameters):
        open = Tunable(2, range(5), "cards that lie open")

    parameters = Parameters(2, open=3)
    assert parameters["open"] == 3
    assert not parameters.hands_are_open


def test_who_sees_all_plays_better() -> None:
    agents = ["ismcts:iterations=50", "random", "random"]
    usual = kibitz.playtest("agram", players=3, agents=agents, games=400)
    seeing = kibitz.playtest(
        "agram", players=3, agents=agents, games=400, parameters={"open": True}
    )
    rates = np.array([usual.agents[0].win_rate, seeing.agents[0].win_rate])
    assert rates[1] - rates[0] > 0.1
