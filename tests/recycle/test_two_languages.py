"""The same game in RECYCLE and in Python has the same statistics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.components import (
    CardSet,
    CardType,
    Counter,
    Deck,
    draw_card,
    end_turn,
    move_card,
    put_card,
    shuffle_deck,
    start_round,
)
from kibitz.core.actions import Action, ActionKinds, ActionList, add, kind, operand, pack
from kibitz.core.agent import make_agents
from kibitz.core.game import Game, Table
from kibitz.core.layout import GameState, Visibility, per_player
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.results import finish_by_score
from kibitz.core.status import Status
from kibitz.runs import Batch

GAMES = 10_000


# --- Kuhn poker -----------------------------------------------------------------------------

THREE = CardSet("Kuhn's cards", [CardType(name, 1) for name in ("J", "Q", "K")])


class Bet(ActionKinds):
    """The actions of Kuhn poker."""

    CHECK = Action("check")
    BET = Action("bet")
    CALL = Action("call")
    FOLD = Action("fold")


class KuhnState(GameState):
    """The cards and the stakes."""

    stock = Deck(THREE)
    hands = per_player(Deck(THREE, Visibility.OWNER, capacity=1))
    stake = per_player(Counter(1, 2))
    checks = Counter(0, 2)


class Kuhn(Game):
    """Kuhn poker."""

    name = "python-kuhn"
    players = (2, 2)
    State = KuhnState
    Actions = Bet

    @staticmethod
    def setup(state: KuhnState, params: Any) -> None:
        for card in range(3):
            put_card(state, state.stock, card)
        shuffle_deck(state, state.stock)
        for p in range(2):
            draw_card(state, state.stock, state.hands[p])
            state.stake[p].value = 1

    @staticmethod
    def legal_actions(state: KuhnState, params: Any, actions: ActionList) -> None:
        if state.stake[1 - state.player].value == 2:
            add(actions, pack(Bet.CALL))
            add(actions, pack(Bet.FOLD))
        else:
            add(actions, pack(Bet.CHECK))
            add(actions, pack(Bet.BET))

    @staticmethod
    def apply_action(state: KuhnState, params: Any, action: int) -> None:
        me = state.player
        if kind(action) == Bet.FOLD:
            settle(state, 1 - me)
            return
        if kind(action) == Bet.CHECK:
            state.checks.value += 1
        else:
            state.stake[me].value = 2
        if kind(action) == Bet.CALL or state.checks.value == 2:
            settle(state, 0 if state.hands[0].cards[0] > state.hands[1].cards[0] else 1)
        else:
            end_turn(state)

    @staticmethod
    def heuristic(state: KuhnState, params: Any, player: int) -> float:
        return 0.0


def settle(state: KuhnState, winner: int) -> None:
    """The loser's stake goes to the winner."""
    lost = state.stake[1 - winner].value
    state.seat[winner].score = lost
    state.seat[1 - winner].score = -lost
    finish_by_score(state)


# --- Agram ----------------------------------------------------------------------------------

RANKS = 9
"""Three to ten, and the ace."""
SUITS = ("clubs", "diamonds", "hearts", "spades")
AGRAM = CardSet(
    "Agram's cards",
    [CardType(f"{rank} {suit}", 1) for suit in SUITS for rank in (*range(3, 11), "A")][:-1],
)
"""All but the ace of spades, which would be the last. By suits, the higher ranks later."""


class Play(ActionKinds):
    """The only thing to do."""

    PLAY = Action("play {card}", card=AGRAM)


class AgramParameters(GameParameters):
    """The parameters of Agram."""

    hand = Tunable(6, range(1, 7), "cards dealt to each player")


class AgramState(GameState):
    """Hands and the trick."""

    stock = Deck(AGRAM)
    hands = per_player(Deck(AGRAM, Visibility.OWNER, capacity=6))
    trick = per_player(Deck(AGRAM, Visibility.EVERYONE, capacity=1))
    discard = Deck(AGRAM, Visibility.EVERYONE)
    leader = Counter(0, 4)


class Agram(Game):
    """Agram."""

    name = "python-agram"
    players = (2, 5)
    Parameters = AgramParameters
    State = AgramState
    Actions = Play

    @staticmethod
    def setup(state: AgramState, params: Any) -> None:
        for card in range(4 * RANKS - 1):
            put_card(state, state.stock, card)
        shuffle_deck(state, state.stock)
        for p in range(state.players):
            for _ in range(params.hand):
                draw_card(state, state.stock, state.hands[p])

    @staticmethod
    def legal_actions(state: AgramState, params: Any, actions: ActionList) -> None:
        hand = state.hands[state.player]
        lead = state.trick[state.leader.value]
        follows = 0
        if lead.count == 1:
            for i in range(hand.count):
                if hand.cards[i] // RANKS == lead.cards[0] // RANKS:
                    add(actions, pack(Play.PLAY, hand.cards[i]))
                    follows += 1
        if follows == 0:
            for i in range(hand.count):
                add(actions, pack(Play.PLAY, hand.cards[i]))

    @staticmethod
    def apply_action(state: AgramState, params: Any, action: int) -> None:
        me = state.player
        hand = state.hands[me]
        for i in range(hand.count):
            if hand.cards[i] == operand(action, 0):
                move_card(state, hand, i, state.trick[me])
                break
        if (me + 1) % state.players != state.leader.value:
            end_turn(state)
            return
        winner = state.leader.value
        for p in range(state.players):
            card, best = state.trick[p].cards[0], state.trick[winner].cards[0]
            if card // RANKS == best // RANKS and card > best:
                winner = p
        for p in range(state.players):
            draw_card(state, state.trick[p], state.discard)
        if hand.count == 0:
            state.seat[winner].score = 1.0
            finish_by_score(state)
        else:
            state.leader.value = winner
            start_round(state, winner)

    @staticmethod
    def heuristic(state: AgramState, params: Any, player: int) -> float:
        return 0.0


# --- comparing ------------------------------------------------------------------------------


def batch_of(table: Table, games: int = GAMES) -> Batch:
    """Games of random players, who keep their seats."""
    agents = make_agents(["random"], table.players)
    batch = kibitz.play(table, agents, games, seed=3, rotate=False)
    assert (batch.results["status"] == Status.FINISHED).all()
    return batch


def same_means(first: np.ndarray, second: np.ndarray) -> None:
    """The means of two samples are within four standard errors of each other."""
    error = math.sqrt(first.var() / len(first) + second.var() / len(second))
    assert abs(first.mean() - second.mean()) <= 4 * error


def same_games(first: Table, second: Table) -> None:
    """Scores of each seat, lengths, and options at each action are alike."""
    ours, theirs = batch_of(first), batch_of(second)
    for value in ("ticks", "decisions", "options", "most_options"):
        same_means(ours.results[value], theirs.results[value])
    for seat in range(first.players):
        for value in ("score", "place", "returns", "decisions"):
            same_means(
                ours.results["seats"][value][:, seat], theirs.results["seats"][value][:, seat]
            )
    assert ours.branching.shape == theirs.branching.shape
    for tick in range(ours.branching.shape[1]):
        (ours_mean, ours_error), (theirs_mean, theirs_error) = (
            options_at(batch, tick) for batch in (ours, theirs)
        )
        error = math.hypot(ours_error, theirs_error)
        assert abs(ours_mean - theirs_mean) <= 4 * error + 1e-12, tick


def options_at(batch: Batch, tick: int) -> tuple[float, float]:
    """The mean number of options at an action, over all games, and its standard error."""
    games = len(batch.results)
    mean, squares = batch.branching[:, tick] / games
    return mean, math.sqrt(max(0.0, squares - mean * mean) / games)


def test_kuhn_poker() -> None:
    same_games(kibitz.load("kuhn-poker").table(), Kuhn().table())


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_agram(players: int) -> None:
    same_games(kibitz.load("agram").table(players), Agram().table(players))


def test_agram_with_fewer_cards() -> None:
    same_games(kibitz.load("agram").table(3, hand=2), Agram().table(3, hand=2))


@pytest.mark.parametrize("language", ["recycle", "python"])
def test_kuhn_poker_exactly(language: str) -> None:
    """With random players the first wins 9/16 of the games."""
    table = kibitz.load("kuhn-poker").table() if language == "recycle" else Kuhn().table()
    results = batch_of(table, 20_000).results
    seats = results["seats"]
    won = (seats["place"][:, 0] == 1).mean()
    assert won == pytest.approx(0.5625, abs=4 * math.sqrt(0.5625 * 0.4375 / 20_000))
    # one eighth: the first checks, the second bets, the first folds; and so on
    shares = {-2: 3 / 16, -1: 1 / 4, 1: 3 / 8, 2: 3 / 16}
    for score, share in shares.items():
        measured = (seats["score"][:, 0] == score).mean()
        assert measured == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 20_000))
    assert (results["ticks"] == 3).mean() == pytest.approx(0.25, abs=0.0125)
