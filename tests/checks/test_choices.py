"""The laws of choices that are made in secret: small games that keep or break them."""

from __future__ import annotations

from collections import Counter as Counts
from typing import Any

import pytest
from tests.components.secret_games import Quests, SecretVote

from kibitz.authoring import (
    Action,
    ActionKinds,
    CardSet,
    CardType,
    Commitment,
    Counter,
    Deck,
    Game,
    GameState,
    Visibility,
    add,
    ask,
    commit,
    committed,
    draw_card,
    end_turn,
    everyone,
    finish_by_score,
    hide_value,
    move_copy,
    operand,
    pack,
    per_player,
    put_copies,
    reveal,
    show_value_to_all,
    shuffle_deck,
    start_round,
    take_card,
)
from kibitz.checks.check import check_game
from kibitz.checks.laws import Law
from kibitz.checks.uniformity import compare
from kibitz.checks.worlds import WorldFinder


class OpenMove(ActionKinds):
    CHOOSE = Action("choose {n}", n=range(4))


class SecretMove(ActionKinds):
    CHOOSE = Action("choose {n}", n=range(4), secret=True)


class ExactSheet(GameState):
    choice = per_player(Counter(1, 3, visible_to=Visibility.OWNER))


class LooseSheet(GameState):
    choice = per_player(Counter(0, 3, visible_to=Visibility.OWNER))


class Kept(Game):
    """Players choose in secret, one after the other, in counters of their own."""

    name = "kept"
    title = "Kept"
    players = (2, 3)
    State: type[GameState] = ExactSheet
    Actions: type[ActionKinds] = SecretMove
    max_ticks = 20

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        for p in range(state.players):
            show_value_to_all(state.choice[p])
        start_round(state, 0)

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        for n in range(1, 4):
            add(actions, pack(0, n))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        p = state.player
        state.choice[p].value = operand(action, 0)
        hide_value(state.choice[p], p)
        if p + 1 < state.players:
            end_turn(state)
            return
        for q in range(state.players):
            show_value_to_all(state.choice[q])
            state.seat[q].score = state.choice[q].value
        finish_by_score(state)


class Told(Kept):
    """The log tells what the counters hide."""

    name = "told"
    Actions = OpenMove


class Loose(Kept):
    """Samples have a choice that nobody can make."""

    name = "loose"
    State = LooseSheet


CARDS = CardSet("cards", [CardType(name, 1) for name in "ABCDEFGH"])


def deal(state: Any) -> None:
    """Deals three cards to each player, the first of whom begins."""
    for card in range(8):
        put_copies(state, state.deck, card, 1)
    shuffle_deck(state, state.deck)
    for p in range(state.players):
        for _ in range(3):
            draw_card(state, state.deck, state.hand[p])
    start_round(state, 0)


class FaceDownMove(ActionKinds):
    LAY = Action("lay {card}", secret=True, card=CARDS)


class FaceDownSheet(GameState):
    deck = Deck(CARDS, Visibility.NOBODY)
    hand = per_player(Deck(CARDS, Visibility.OWNER, capacity=3))
    laid = per_player(Commitment(FaceDownMove.LAY))


class FaceDown(Game):
    """All lay a card of their hand face down; the highest scores."""

    name = "face-down"
    title = "Face down"
    players = (2, 2)
    State: type[GameState] = FaceDownSheet
    Actions: type[ActionKinds] = FaceDownMove
    max_ticks = 20
    conserved = False

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        deal(state)
        ask(state, state.laid, everyone(state))

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        hand = state.hand[state.player]
        for i in range(hand.count):
            add(actions, pack(FaceDownMove.LAY, hand.cards[i]))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        if commit(state, state.laid, action):
            for p in range(state.players):
                state.seat[p].score = operand(reveal(state.laid[p]), 0)
            finish_by_score(state)


class Spent(FaceDown):
    """The card leaves the hand at once, so that what was legal is forgotten."""

    name = "spent"

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        hand = state.hand[state.player]
        for i in range(hand.count):
            if hand.cards[i] == operand(action, 0):
                take_card(hand, i)
                break
        FaceDown.apply_action(state, params, action)


@pytest.mark.parametrize("game", [Kept, FaceDown, SecretVote, Quests])
def test_secrets_that_are_kept_are_in_order(game: type[Game]) -> None:
    report = check_game(game, games=2, seed=1, players=game.players[0], compiled=False)
    assert report.ok, str(report)


@pytest.mark.parametrize(
    ("game", "law", "message"),
    [
        (Told, Law.CHOICES, "player 2 reads 'Player 1: choose 1' or 'Player 1: choose 2'"),
        (Loose, Law.COMMITMENTS, "it is 0, which no action of player 1 leaves there"),
        (Spent, Law.COMMITMENTS, "which is no longer legal for them"),
    ],
)
def test_a_broken_law_is_named(game: type[Game], law: Law, message: str) -> None:
    report = check_game(game, games=4, seed=1, players=2, compiled=False)
    findings = [finding for finding in report.findings if finding.law == law]
    assert any(message in finding.message for finding in findings), str(report)
    assert {finding.law for finding in report.findings} == {law}, str(report)
    assert findings[0].cure


def test_samples_are_uniform_over_deals_and_over_choices_in_each() -> None:
    """Whoever is evil may succeed or fail: such a deal has two worlds, not twice the chance."""
    table = Quests().table(5)
    finder = WorldFinder(table)
    state = table.new_state(6)
    path, actions = [state.clone()], []
    for words in ("propose 1 2", *["approve"] * 5, "succeed"):
        actions.append(state.action(words))
        state.apply(actions[-1])
        path.append(state.clone())
    observer = next(p for p in (2, 3, 4) if not state.view.knows[p].values[0])
    worlds = finder.find(path, actions, observer)
    assert worlds is not None
    deals = Counts(finder.deal_of(key) for key in worlds.keys)
    assert set(deals.values()) == {1, 2}
    found = compare(finder, worlds, "6:7", 1)
    assert found.p is not None
    assert found.p > 0.001
    assert (found.missing, found.impossible) == (0, 0)


def test_commitments_keep_what_is_chosen() -> None:
    state = FaceDown(compiled=False).new_state(2, 1)
    card = state.view.hand[0].cards[1]
    state.apply(pack(FaceDownMove.LAY, card))
    samples = [state.determinize(1, seed).view for seed in range(60)]
    laid = [operand(committed(view.laid[0]), 0) for view in samples]
    assert all(card in list(view.hand[0].cards) for view, card in zip(samples, laid, strict=True))
    assert len(set(laid)) == 5  # all cards but those of the observer


class LaidMove(ActionKinds):
    LAY = Action("lay {card}", card=CARDS)


class LaidSheet(GameState):
    deck = Deck(CARDS, Visibility.NOBODY)
    hand = per_player(Deck(CARDS, Visibility.OWNER, capacity=3))
    laid = per_player(Deck(CARDS, Visibility.OWNER, capacity=1))


class LaidOpenly(FaceDown):
    """The cards lie face down on the table, and the log tells what they are."""

    name = "laid-openly"
    State: type[GameState] = LaidSheet
    Actions: type[ActionKinds] = LaidMove

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        deal(state)

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        p = state.player
        move_copy(state, state.hand[p], operand(action, 0), state.laid[p])
        state.player = 1
        if p == 1:
            finish_by_score(state)


def test_a_card_that_is_laid_face_down_is_a_secret_choice() -> None:
    report = check_game(LaidOpenly, games=2, seed=1, compiled=False)
    assert {finding.law for finding in report.findings} == {Law.CHOICES}, str(report)
