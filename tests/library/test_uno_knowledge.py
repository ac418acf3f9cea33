"""Hidden information in Uno: samples against every possible deal."""

from __future__ import annotations

import copy
import functools
import itertools
import random
from collections import Counter
from typing import Any

import pytest
from tests.library.test_uno import arrange, random_states
from tests.library.worlds import Deal, Deals, bag, compare, whose_cards, without

from kibitz.components.batch_sampling import not_taken
from kibitz.components.batches import (
    BATCHES,
    BITS,
    MOST_CARDS,
    ONES,
    sum_copies,
)
from kibitz.components.deals import count_able
from kibitz.core.actions import kind, operand
from kibitz.core.game import Game
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.library.uno.cards import CARDS, Card, colour_of, symbol_of
from kibitz.library.uno.table import Move, WildDrawFour

SMALL: dict[str, Any] = {
    "target": 0,
    "cards_each": 3,
    "numbers": 2,
    "copies": 1,
    "skips": 0,
    "reverses": 0,
    "draw_twos": 0,
    "wilds": 0,
    "wild_draw_fours": 2,
    "uno_call": False,
}
"""Few cards, so that the stock is soon renewed."""


@functools.cache
def game() -> Game:
    return load("uno")


def cards(deck: Any) -> list[int]:
    return list(itertools.islice(deck.cards, deck.count))


def deal_of(state: State) -> Deal:
    hands = tuple(bag(cards(state.view.hands[p])) for p in range(state.players))
    return Deal(hands, bag(cards(state.view.stock)))


class Watcher(Deals):
    """The beliefs about all hands of a player who watches a round from its beginning."""

    def __init__(self, state: State, player: int) -> None:
        deal = deal_of(state)
        unseen = [card for p, hand in enumerate(deal.hands) if p != player for card in hand]
        sizes = [len(hand) for hand in deal.hands]
        super().__init__(player, deal.hands[player], sizes, bag([*deal.stock, *unseen]))
        self.renewals = 0
        """The number of times that discards have become the stock."""
        self.unsettled: int | None = None
        """The player with the option to play a card just drawn, which is still unknown."""

    def settled(self) -> Watcher:
        """A copy in which a card just drawn belongs to the hand."""
        other = copy.copy(self)
        if other.unsettled is not None:
            other.draw(other.unsettled, 1)
        return other

    def watch(self, before: State, action: int, after: State) -> None:
        player, move = before.current_player, Move(kind(action))
        pile = cards(before.view.pile)
        if move <= Move.NAME_AND_CALL:
            card = operand(action, 0)
            pile.append(card)
            if self.unsettled is not None:  # it is the one just drawn, of several alike
                self.draw_openly(player, [card])
                self.unsettled = None
                self.follow(lambda d: [(d.with_hand(player, without(d.hands[player], card)), 1.0)])
            else:
                self.play(player, card)
            strict = before.table.parameters.wild_draw_four == WildDrawFour.STRICT
            if card == Card.WILD_DRAW_FOUR and strict:
                self.require_colour(player, before.view.colour.value, False)
        elif move == Move.KEEP and self.unsettled is not None:
            self.draw(player, 1)
            self.unsettled = None
        elif move == Move.CHALLENGE:
            self.watch_challenge(before)
        elif move == Move.PASS or (
            move == Move.DRAW and not before.table.parameters.voluntary_draw
        ):
            self.require_stuck(before, player)
        self.watch_draws(before, action, after, pile)

    def require_colour(self, player: int, colour: int, present: bool) -> None:
        self.require(lambda d: any(colour_of(c) == colour for c in d.hands[player]) == present)

    def require_stuck(self, before: State, player: int) -> None:
        """A hand has nothing that can be played."""
        top = before.view.pile.cards[before.view.pile.count - 1]
        colour = before.view.colour.value

        def plays(card: int) -> bool:
            if card >= Card.WILD:
                return True
            same = top < Card.WILD and symbol_of(card) == symbol_of(top)
            return colour_of(card) == colour or same

        self.require(lambda deal: not any(map(plays, deal.hands[player])))

    def watch_challenge(self, before: State) -> None:
        owner = before.view.turn_owner
        hand = bag(cards(before.view.hands[owner]))
        if before.current_player == self.player:
            self.show(owner, hand)
        colour = before.view.matched.value
        guilty = any(colour_of(card) == colour for card in hand)
        self.require_colour(owner, colour, guilty)

    def watch_draws(self, before: State, action: int, after: State, pile: list[int]) -> None:
        """Cards drawn, and the stock renewed before, between or after them."""
        player, move = before.current_player, Move(kind(action))
        renewed = after.view.pile.count < len(pile)
        stock_count = before.view.stock.count
        drawer, drawn = -1, []
        for p in range(before.players):
            gone = p == player and move <= Move.NAME_AND_CALL
            retained = before.view.hands[p].count - gone
            if after.view.hands[p].count > retained:
                drawer, drawn = p, cards(after.view.hands[p])[retained:]
        self.take(drawer, drawn[:stock_count], move)
        if renewed:
            self.renewals += 1
            self.restock(bag(pile[:-1]))
            self.take(drawer, drawn[stock_count:], move)

    def take(self, player: int, drawn: list[int], move: Move) -> None:
        if player == self.player:
            self.draw_openly(player, drawn)
        elif move == Move.DRAW and drawn:
            self.unsettled = player
        else:
            self.draw(player, len(drawn))


def watched(
    players: int, seed: int, actions: int, most: int = 10**9, **parameters: Any
) -> tuple[State, list[Watcher]]:
    """A state of random play, and what the first two players can believe in."""
    rng = random.Random(seed)
    state = game().new_state(players=players, seed=seed, **{**SMALL, **parameters})
    watchers = [Watcher(state, p) for p in range(2)]
    for _ in range(actions):
        action = rng.choice(state.legal_actions())
        after = state.clone()
        after.apply(action)
        if after.is_terminal or max(map(len, watchers)) > most:
            break
        for watcher in watchers:
            watcher.watch(state, action, after)
        state = after
    return state, [watcher.settled() for watcher in watchers]


VARIANTS: dict[str, dict[str, Any]] = {
    "two": {},
    "two, strict": {"wild_draw_four": "strict"},
    "two, forced": {"voluntary_draw": False},
    "two, more cards": {"draw_twos": 1},
    "two, with doubles": {"copies": 2, "wild_draw_fours": 0},
    "three": {"players": 3, "cards_each": 2, "wild_draw_four": "free"},
    "three, strict": {"players": 3, "cards_each": 2, "wild_draw_four": "strict"},
    "three, forced": {"players": 3, "cards_each": 2, "voluntary_draw": False},
    "three, with doubles": {"players": 3, "cards_each": 2, "copies": 2, "wild_draw_fours": 0},
    "four": {"players": 4, "cards_each": 2, "wild_draw_four": "free"},
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS.keys())
def test_samples_are_all_that_can_be_each_as_often_as_it_is(variant: dict[str, Any]) -> None:
    """With more than two players this holds as long as each batch has its own number."""
    parameters = dict(variant)
    players = parameters.pop("players", 2)
    compared = renewed = 0
    for seed in range(12):
        for actions in (2, 6, 12, 18):
            state, watchers = watched(players, seed, actions, most=600, **parameters)
            for watcher in watchers:
                if watcher.renewals < BATCHES or players == 2:
                    samples = (state.determinize(watcher.player, s) for s in range(150))
                    verdict = compare(watcher.worlds, map(deal_of, samples), whose_cards)
                    assert verdict.fair, (seed, actions, watcher.player, verdict)
                    compared += 1
                    renewed += watcher.renewals > 0
    assert compared > 15
    assert renewed > 5


@pytest.mark.parametrize("challenge", [False, True])
def test_whatever_happens_few_samples_of_three_players_cannot_be(challenge: bool) -> None:
    """Small decks give more batches than have a number of their own; bluffs are found out."""
    compared = samples = impossible = 0
    rule = "challenge" if challenge else "free"
    for seed in range(12):
        for actions in (12, 18):
            state, watchers = watched(3, seed, actions, 600, cards_each=2, wild_draw_four=rule)
            for watcher in watchers if state.view.newest.value else ():
                deals = [deal_of(state.determinize(watcher.player, s)) for s in range(300)]
                verdict = compare(watcher.worlds, deals, whose_cards)
                assert not verdict.missing, (seed, actions, watcher.player, verdict)
                impossible += sum(deal not in watcher.worlds for deal in deals)
                samples += len(deals)
                compared += 1
    assert compared > 15
    assert impossible < 0.1 * samples


def test_who_has_drawn_a_card_knows_that_it_is_not_in_the_stock() -> None:
    """Though there is another one that is alike, and lies in a hand."""
    hands = ["red 2", "blue 8"], ["green 4", "yellow 5"], ["green 7", "blue 3"]
    pile = ["green 7", "red 2"]
    state = arrange(game(), *hands, top="yellow 1", pile=pile, stock=("red 9",))
    for _ in range(2):
        state.apply("draw a card")
        state.apply("keep the card drawn")
    assert state.view.newest.value == 1
    stock = cards(state.view.stock)
    assert len(stock) == 1
    samples = [state.determinize(1, seed) for seed in range(300)]
    assert all(cards(sample.view.stock) == stock for sample in samples)
    assert len({cards(state.determinize(2, seed).view.stock)[0] for seed in range(300)}) == 2
    assert memory(state.observation(0), 1) == {-1}
    assert memory(state.observation(1), 1) == memory(state, 1) > {0}
    assert memory(state.determinize(1, 1), 1) == memory(state, 1)
    assert memory(state.determinize(0, 1), 1) == {0}


def memory(state: State, player: int) -> set[int]:
    """The values in a player's memory of cards drawn, by card type, as `state` shows them."""
    return {state.view.taken[player].values[card] for card in range(len(CARDS))}


# --- batches ---------------------------------------------------------------------------------

PACKS: dict[str, tuple[int, dict[str, Any]]] = {
    "two": (2, {}),
    "three": (3, {}),
    "ten": (10, {"cards_each": 5}),
    "wild": (3, {"wilds": 6, "wild_draw_fours": 6, "numbers": 4, "cards_each": 3}),
}


def books(state: State) -> tuple[list[int], list[list[int]]]:
    """The copies by batch of each card, and what each player has drawn of them."""
    view = state.view
    taken = [list(view.taken[p].values) for p in range(state.players)]
    return list(view.batches.values), taken


def elsewhere(state: State, player: int) -> Counter[int]:
    """The cards that are neither on the pile nor in the player's hand."""
    decks = [state.view.stock, *(state.view.hands[p] for p in range(state.players) if p != player)]
    return Counter(card for deck in decks for card in cards(deck))


def by_batches(copies: int) -> list[int]:
    return [copies >> BITS * batch & ONES for batch in range(BATCHES)]


@pytest.mark.parametrize("pack", PACKS)
def test_the_books_hold_all_cards_that_there_are(pack: str) -> None:
    players, parameters = PACKS[pack]
    looked = 0
    for seed in range(4):
        for state in random_states(game(), players, seed, 3000, target=0, **parameters):
            if state.view.newest.value and state.tick % 7 == 0:
                batches, taken = books(state)
                assert all(0 <= copies < 1 << BITS * BATCHES for copies in batches)
                for p in range(players):
                    unseen = elsewhere(state, p)
                    for card in range(len(CARDS)):
                        own = by_batches(taken[p][card])
                        untaken = [
                            a - b for a, b in zip(by_batches(batches[card]), own, strict=True)
                        ]
                        assert min(untaken) >= 0
                        assert sum(untaken) >= unseen[card]
                        assert sum_copies(not_taken(state.view, p, card)) == sum(untaken)
                looked += 1
    assert looked > 50


@pytest.mark.parametrize("pack", PACKS)
def test_samples_played_on_are_sampled_by_what_shows(pack: str) -> None:
    players, parameters = PACKS[pack]
    looked = 0
    for seed in range(3):
        rng = random.Random(seed)
        state = game().new_state(players=players, seed=seed, target=0, **parameters)
        while not state.is_terminal and state.tick < 1500:
            for _ in range(rng.randrange(1, 60)):
                if not state.is_terminal:
                    state.apply(rng.choice(state.legal_actions()))
            if state.view.newest.value and not state.is_terminal:
                player = rng.randrange(players)
                sample = state.determinize(player, seed)
                assert books(sample)[0] == books(state)[0]
                assert bytes(sample.observation(player)) == bytes(state.observation(player))
                assert sample.determinize(player, 5) == state.determinize(player, 5)
                state = sample
                looked += 1
    assert looked > 20


def test_no_hand_has_more_of_a_batch_than_it_has_drawn() -> None:
    """Each card exists once, so everyone knows which batch it belongs to."""
    pack = {"copies": 1, "skips": 1, "reverses": 1, "draw_twos": 1, "wilds": 0, "cards_each": 5}
    looked = 0
    for seed in range(4):
        for state in random_states(game(), 5, seed, 1500, target=0, wild_draw_fours=0, **pack):
            newest = state.view.newest.value
            if newest and state.tick % 5 == 0 and not state.is_terminal:
                batches = books(state)[0]
                sample = state.determinize(state.tick // 5 % 5, seed).view
                for p in range(5):
                    hand = cards(sample.hands[p])
                    drawn = Counter((batches[card].bit_length() - 1) // BITS for card in hand)
                    values = sample.barred[p].values
                    able = [
                        count_able(values, len(hand), 1 << MOST_CARDS + batch)
                        for batch in range(BATCHES)
                    ]
                    assert all(drawn[batch] == able[batch] for batch in range(BATCHES))
                assert all(batches[card] == 1 << BITS * newest for card in cards(sample.stock))
                looked += 1
    assert looked > 50


def test_the_card_that_was_just_drawn_is_one_of_the_stock() -> None:
    hands = ["red 2", "blue 8"], ["green 4", "yellow 5"], ["green 8", "blue 3"]
    pile = ["green 7", "red 3"]
    state = arrange(game(), *hands, top="yellow 1", pile=pile, stock=("red 9",))
    for move in ("draw a card", "keep the card drawn", "draw a card"):
        state.apply(move)
    newest_cards = {
        CARDS.word(cards(state.determinize(observer, seed).view.hands[1])[-1])
        for observer in (0, 2)
        for seed in range(300)
    }
    assert newest_cards == set(pile)


def test_many_copies_are_counted_in_full() -> None:
    assert sum_copies(0o77777) == 35


# --- single rules -------------------------------------------------------------------------


def hands_seen(state: State, observer: int, hand: int, samples: int = 400) -> set[str]:
    """All cards that a hand has in samples of what an observer knows."""
    words: set[str] = set()
    for seed in range(samples):
        words |= {
            CARDS.word(card) for card in cards(state.determinize(observer, seed).view.hands[hand])
        }
    return words


def test_who_passes_has_no_card_of_the_colour_or_the_symbol_and_no_wild_card() -> None:
    hands = ["red 2", "blue 8", "blue 9"], ["green 1", "Wild"], ["red 1", "blue 3"]
    state = arrange(game(), *hands, top="yellow 1", stock=())
    state.apply("pass")
    assert hands_seen(state, 1, 0) == {"red 2", "blue 8", "blue 9", "blue 3"}


def test_who_has_to_draw_has_no_card_of_the_symbol_either() -> None:
    hands = ["red 2", "blue 8"], ["green 4", "yellow 5"], ["red 1", "blue 3"]
    state = arrange(game(), *hands, top="yellow 1", stock=("green 1",), voluntary_draw=False)
    state.apply("draw a card")
    state.apply("keep the card drawn")
    sampled_hands = [
        {CARDS.word(card) for card in cards(state.determinize(1, seed).view.hands[0])}
        for seed in range(400)
    ]
    assert all(len(hand & {"red 1", "green 1"}) <= 1 for hand in sampled_hands)
    assert any("red 1" in hand for hand in sampled_hands)


def test_a_hand_that_has_drawn_nothing_has_no_card_of_the_renewed_stock() -> None:
    hands = ["red 2", "blue 8"], ["green 4", "yellow 5"], ["red 1", "blue 3"]
    pile = ["green 7", "green 9", "blue 7", "blue 9"]
    state = arrange(game(), *hands, top="yellow 1", pile=pile, stock=("red 9",))
    for _ in range(2):
        state.apply("draw a card")
        state.apply("keep the card drawn")
    assert state.view.newest.value
    assert hands_seen(state, 0, 2) == {"green 4", "yellow 5", "red 1", "blue 3"}
    assert hands_seen(state, 0, 1) > set(pile[:3]) | {"red 1"}
