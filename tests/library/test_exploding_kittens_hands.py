"""Hidden hands in Exploding Kittens: samples against all possible hands."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.library.exploding_kittens_table import (
    DEFUSE,
    FAVOR,
    KITTEN,
    NOPE,
    SKIP,
    arrange,
    cards,
    compiled_game,
    hand,
    play,
)
from tests.library.worlds import Deal, Deals, bag, compare, plus, whose_cards, without

from kibitz.checks.swaps import accepts
from kibitz.core.actions import kind, operand
from kibitz.core.layout import EVERYONE
from kibitz.core.state import State
from kibitz.library.explodingkittens.hands import discard
from kibitz.library.explodingkittens.limits import set_limit
from kibitz.library.explodingkittens.locations import rows_used
from kibitz.library.explodingkittens.phases import Phase
from kibitz.library.explodingkittens.table import ROW, Move

CANCELLED = 8
"""In what the stack reports of an action: a Nope has cancelled it."""


def deal_of(state: State) -> Deal:
    hands = tuple(bag(cards(state.view.hands[p])) for p in range(state.players))
    return Deal(hands, bag(cards(state.view.deck)))


class Watcher(Deals):
    """The beliefs about all hands of a player who watches a game from its beginning."""

    def __init__(self, state: State, player: int) -> None:
        deal = deal_of(state)
        others = [p for p in range(state.players) if p != player]
        unseen = bag([*deal.stock, *(card for p in others for card in deal.hands[p])])
        dealt = state.table.parameters.defuses_each
        later = state.table.parameters.defuses_in_deck
        for _ in range(unseen.count(DEFUSE)):
            unseen = without(unseen, DEFUSE) or ()
        sizes = [len(hand) - dealt for hand in deal.hands]
        super().__init__(player, deal.hands[player], sizes, unseen)
        self.named: int | None = None
        for p in others:
            self.gain(p, *[DEFUSE] * dealt)
        self.restock((DEFUSE,) * later)

    def watch(self, before: State, action: int, after: State) -> None:
        player, move = before.current_player, Move(kind(action))
        old, new = deal_of(before), deal_of(after)
        thrown = Counter(cards(after.view.discards)) - Counter(cards(before.view.discards))
        self.play(player, *thrown.elements())
        if move == Move.TAKE:
            self.gain(player, operand(action, 0))
            return
        if move == Move.DRAW:
            self.watch_draw(before, after)
            return
        if move == Move.FIVE:
            self.require(lambda deal: len(set(deal.hands[player])) >= 5)
        self.watch_three(before, after)
        change = [len(new.hands[p]) - len(old.hands[p]) for p in range(before.players)]
        change[player] += thrown.total()
        if any(change):
            giver, taker = change.index(-1), change.index(1)
            before_gain = Counter(old.hands[taker]) - (thrown if taker == player else Counter())
            (card,) = (Counter(new.hands[taker]) - before_gain).elements()
            if self.named is not None or self.player in (giver, taker):
                self.play(giver, card)
                self.gain(taker, card)
            else:
                self.pass_on(giver, taker)

    def watch_draw(self, before: State, after: State) -> None:
        player = before.current_player
        hand = cards(after.view.hands[player])
        if after.view.kittens.count < before.view.kittens.count:
            defused = after.view.phase == Phase.DEFUSE or DEFUSE in hand
            self.require(lambda deal: (DEFUSE in deal.hands[player]) == defused)
        elif player == self.player:
            self.draw_openly(player, [hand[-1]])
        else:
            self.draw(player, 1)

    def watch_three(self, before: State, after: State) -> None:
        """Three of a kind that are not cancelled show whether the card is there."""
        self.named = None
        stack = before.view.reactions
        if not stack.depth or after.view.reactions.depth >= stack.depth:
            return
        action, report = (stack.data[stack.depth - 1][i] for i in range(2))
        if before.view.phase == Phase.NOPE and kind(action) == Move.THREE:
            noped = after.view.discards.count > before.view.discards.count
            if bool(report & CANCELLED) == noped:
                self.named, target = report >> 4, operand(action, 1)
                present = self.named in deal_of(before).hands[target]
                self.require(lambda deal: (self.named in deal.hands[target]) == present)

    def pass_on(self, giver: int, taker: int) -> None:
        """A card, each with the same chance, goes from one hand to another in secret."""

        def step(deal: Deal) -> Iterator[tuple[Deal, float]]:
            for card, copies in Counter(deal.hands[giver]).items():
                remaining = without(deal.hands[giver], card)
                assert remaining is not None
                after = deal.with_hand(giver, remaining)
                yield after.with_hand(taker, plus(deal.hands[taker], card)), copies

        self.follow(step)


SMALL: dict[str, Any] = {
    "cards_each": 2,
    "see_the_futures": 0,
    "attacks": 1,
    "favors": 3,
    "nopes": 1,
    "shuffles": 0,
    "skips": 1,
}
"""Few cards, and no peeks into the deck."""


def watched(players: int, seed: int, **parameters: Any) -> Iterator[tuple[State, Watcher]]:
    """States of a random game, in which more is played than drawn, as the first player sees it."""
    rng = random.Random(seed)
    state = compiled_game().new_state(players=players, seed=seed, **{**SMALL, **parameters})
    watcher = Watcher(state, 0)
    yield state, watcher
    for _ in range(40):
        legal = state.legal_actions()
        active = [action for action in legal if kind(action) != Move.DRAW]
        action = rng.choice(active if active and rng.random() < 0.7 else legal)
        before = state.clone()
        state.apply(action)
        if state.is_terminal:
            return
        watcher.watch(before, action, state)
        if len(watcher) > 4000:
            return
        yield state, watcher


@pytest.mark.parametrize("cats", [0, 1])
def test_samples_of_two_hands_are_all_that_can_be(cats: int) -> None:
    compared = 0
    for seed in range(12):
        for state, watcher in watched(2, seed, cats=cats):
            samples = (deal_of(state.determinize(0, s)) for s in range(100))
            verdict = compare(watcher.worlds, samples, whose_cards)
            assert not verdict.impossible, (seed, state.tick, verdict)
            assert not verdict.missing, (seed, state.tick, verdict)
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("cats", [0, 1])
def test_samples_of_three_hands_leave_nothing_out(cats: int) -> None:
    """Knowledge of third players is kept approximately, so a few samples are impossible."""
    impossible = compared = 0
    for seed in range(15):
        for state, watcher in watched(3, seed, cats=cats, cards_each=2 - cats):
            deals = [deal_of(state.determinize(0, s)) for s in range(80)]
            verdict = compare(watcher.worlds, deals, whose_cards)
            assert not verdict.missing, (seed, state.tick, verdict)
            impossible += sum(deal not in watcher.worlds for deal in deals)
            compared += len(deals)
    assert compared > 7_500
    assert impossible < 0.03 * compared


# --- rules --------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 5])
def test_everyone_begins_with_one_defuse_as_all_know(players: int) -> None:
    state = compiled_game().new_state(players=players, seed=3)
    for seed in range(40):
        for player in range(players):
            hands = deal_of(state.determinize(player, seed)).hands
            assert [hand.count(DEFUSE) for hand in hands] == [1] * players


def test_who_explodes_has_no_defuse() -> None:
    state = arrange(
        compiled_game(), (SKIP, SKIP), (SKIP,), (SKIP,), deck=(DEFUSE, DEFUSE, NOPE, KITTEN)
    )
    play(state, "draw a card")
    assert state.view.seat[0].out
    for seed in range(60):
        assert DEFUSE not in hand(state.determinize(1, seed), 0)


def test_a_defuse_that_was_not_used_is_seen() -> None:
    state = arrange(
        compiled_game(), (DEFUSE, SKIP), (SKIP,), (SKIP,), deck=(DEFUSE, DEFUSE, NOPE, KITTEN)
    )
    play(state, "draw a card", "explode")
    assert state.view.seat[0].out
    for seed in range(60):
        assert DEFUSE in hand(state.determinize(1, seed), 0)


def test_a_hand_can_have_one_more_defuse_for_each_card_drawn() -> None:
    state = compiled_game().new_state(players=2, seed=5, defuses_in_deck=6, kittens=1)
    view = state.view
    while state.current_player == 1 or view.hands[1].count < 9:
        state.apply("draw a card")
    defuses = {hand(state.determinize(0, seed), 1).count(DEFUSE) for seed in range(200)}
    assert defuses == {1, 2}


def known_defuse() -> State:
    """The first player asks the second for a Favor, whose Defuse all have seen."""
    deck = (DEFUSE, DEFUSE, KITTEN, NOPE, NOPE)
    state = arrange(compiled_game(), (FAVOR, SKIP), (DEFUSE, SKIP, SKIP, NOPE), (SKIP,), deck=deck)
    state.view.hands[1].seen[0] = EVERYONE
    for p in range(3):
        set_limit(state.view, p, DEFUSE, int(p == 1))
    return state


def test_a_card_that_all_knew_is_in_one_of_two_hands_after_one_went_in_secret() -> None:
    state = known_defuse()
    play(state, "play Favor on player 2", "give Skip")
    samples = [deal_of(state.determinize(2, seed)).hands for seed in range(600)]
    assert all(hands[0].count(DEFUSE) + hands[1].count(DEFUSE) == 1 for hands in samples)
    gone = sum(DEFUSE in hands[0] for hands in samples)
    assert 0.17 < gone / len(samples) < 0.33
    for player in range(2):  # these two have seen what went
        for seed in range(40):
            hands = deal_of(state.determinize(player, seed)).hands
            assert DEFUSE in hands[1]
            assert DEFUSE not in hands[0]


def test_who_got_the_card_that_all_knew_knows_that_the_giver_has_none() -> None:
    state = known_defuse()
    play(state, "play Favor on player 2", "give Defuse")
    for player in range(2):
        for seed in range(60):
            hands = deal_of(state.determinize(player, seed)).hands
            assert DEFUSE in hands[0]
            assert DEFUSE not in hands[1]


def test_a_hand_that_has_shown_its_other_cards_has_the_one_that_is_left() -> None:
    state = known_defuse()
    play(state, "play Favor on player 2", "give Skip", "play Skip")
    play(state, "play Skip")
    assert state.current_player == 2
    state.view.player = state.view.turn_owner = 0
    play(state, "play Skip")
    for seed in range(60):  # the first player has no card left that it could be
        assert DEFUSE in deal_of(state.determinize(2, seed)).hands[1]
    assert "has a Defuse, as all know" not in state.describe(2)


def test_the_table_tells_in_whose_hands_a_card_may_be() -> None:
    state = known_defuse()
    play(state, "play Favor on player 2", "give Skip")
    assert "One of player 1 and player 2 has a Defuse, as all know." in state.describe(2)


def test_a_card_of_that_title_that_is_played_may_have_been_the_one() -> None:
    state = known_defuse()
    play(state, "play Favor on player 2", "give Skip", "draw a card", "draw a card")
    state.view.player = state.view.turn_owner = 1
    play(state, "draw a card", "defuse the kitten", "put the kitten back on top")
    has_defuse = {DEFUSE in deal_of(state.determinize(2, seed)).hands[1] for seed in range(60)}
    assert False in has_defuse


def test_a_card_that_is_played_and_can_only_be_the_one_is_nowhere_else() -> None:
    state = known_defuse()
    play(state, "play Favor on player 2", "give Skip")
    discard(state.view, 1, DEFUSE)
    assert rows_used(state.view) == 0
    for seed in range(60):
        hands = deal_of(state.determinize(2, seed)).hands
        assert DEFUSE not in hands[0] + hands[1]


@pytest.mark.parametrize("variant", [{}, {"combos": "cat-pairs"}, {"ask_holders_only": True}])
def test_each_card_tracked_is_in_a_hand_where_it_may_be(variant: dict[str, Any]) -> None:
    tracked = 0
    for seed in range(5):
        rng = random.Random(seed)
        state = compiled_game().new_state(players=3 + seed % 3, seed=seed, **variant)
        while not state.is_terminal:
            numbers = state.view.locations.values
            for first in range(0, ROW * rows_used(state.view), ROW):
                holders = [p for p in range(state.players) if numbers[first + 1 + p] > 0]
                if numbers[first] > 0:
                    tracked += 1
                    assert len(holders) > 1
                    assert any(numbers[first] - 1 in hand(state, p) for p in holders)
            player = state.tick % state.players
            assert accepts(state, player)
            sample = state.determinize(player, state.tick)
            assert accepts(sample, player)
            assert bytes(sample.observation(player)) == bytes(state.observation(player))
            legal = state.legal_actions()
            active = [a for a in legal if kind(a) not in (Move.DRAW, Move.EXPLODE)]
            state.apply(rng.choice(active if active and rng.random() < 0.6 else legal))
    assert tracked > 50
