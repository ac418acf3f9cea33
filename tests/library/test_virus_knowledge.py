"""Hidden information in Virus!: samples against every possible deal."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from tests.library.worlds import Bag, Deal, Deals, bag, compare, whose_cards

from kibitz.core.actions import kind, operand
from kibitz.core.game import Game
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.library.virus.bodies import Card
from kibitz.library.virus.rules import Move

SMALL: dict[str, Any] = {
    "organs": 4,
    "viruses": 2,
    "wild_viruses": 0,
    "medicines": 2,
    "wild_medicines": 0,
    "transplants": 1,
    "thieves": 1,
    "contagions": 1,
    "hand_size": 2,
}
"""Parameters with the fewest possible cards, so that the deck is soon used up."""
TREATMENTS = {
    Move.TRANSPLANT: Card.TRANSPLANT,
    Move.STEAL: Card.ORGAN_THIEF,
    Move.CONTAGION: Card.CONTAGION,
    Move.GLOVE: Card.LATEX_GLOVE,
    Move.GLOVE_ON: Card.LATEX_GLOVE,
    Move.ERROR: Card.MEDICAL_ERROR,
}


@functools.cache
def game() -> Game:
    return load("virus")


def cards(deck: Any) -> list[int]:
    return list(itertools.islice(deck.cards, deck.count))


def hands(state: State) -> list[Bag]:
    return [bag(cards(state.view.hands[p])) for p in range(state.players)]


def deal_of(state: State) -> Deal:
    return Deal(tuple(hands(state)), bag(cards(state.view.deck)))


def laid_down(state: State, action: int) -> dict[int, list[int]]:
    """The cards that an action takes out of each hand, for all to see."""
    player, move = state.current_player, Move(kind(action))
    gone: dict[int, list[int]] = {}
    if move == Move.ORGAN:
        gone[player] = [operand(action, 0)]
    elif move == Move.TREAT:
        gone[player] = [operand(action, 1)]
    elif move in TREATMENTS:
        gone[player] = [TREATMENTS[move]]
    elif Move.DISCARD <= move <= Move.DISCARD_THREE:
        gone[player] = [operand(action, i) for i in range(move - Move.DISCARD + 1)]
    for p in range(state.players):
        gloved = move == Move.GLOVE or (move == Move.GLOVE_ON and operand(action, 0) == p)
        if p != player and gloved:
            gone[p] = cards(state.view.hands[p])
    return gone


class Watcher(Deals):
    """The beliefs about all hands of a player who watches a game from its beginning."""

    def __init__(self, state: State, player: int) -> None:
        deal = deal_of(state)
        unseen = [card for p, hand in enumerate(deal.hands) if p != player for card in hand]
        sizes = [len(hand) for hand in deal.hands]
        super().__init__(player, deal.hands[player], sizes, bag([*deal.stock, *unseen]))
        self.open_deck = False

    def watch(self, before: State, action: int, after: State) -> None:
        """Follows an action: cards laid down, then cards drawn, with the deck as it becomes."""
        player = before.current_player
        gone = laid_down(before, action)
        for p, laid in gone.items():
            self.play(p, *laid)
        retained = len(cards(before.view.hands[player])) - len(gone.get(player, ()))
        drawn = cards(after.view.hands[player])[retained:]
        first = min(len(drawn), before.view.deck.count)
        self.take(player, drawn[:first])
        if first < len(drawn):
            new_deck = [*cards(after.view.deck), *reversed(drawn[first:])]
            self.restock(bag(new_deck))
            self.open_deck = not before.table.parameters.reshuffle
            self.take(player, drawn[first:])

    def take(self, player: int, drawn: list[int]) -> None:
        """A player draws; who turned a pile over without a shuffle has seen its order."""
        if player == self.player or self.open_deck:
            self.draw_openly(player, drawn)
        else:
            self.draw(player, len(drawn))


def watched(
    players: int, seed: int, moments: Sequence[int], **parameters: Any
) -> Iterator[tuple[State, list[Watcher]]]:
    """States of a random game, and what the first two players can believe in.

    They are those after so many actions, and the last one if the game is over before.
    """
    rng = random.Random(seed)
    state = game().new_state(players=players, seed=seed, **{**SMALL, **parameters})
    watchers = [Watcher(state, p) for p in range(2)]
    for number in range(moments[-1]):
        action = rng.choice(state.legal_actions())
        after = state.clone()
        after.apply(action)
        if after.is_terminal or number in moments:
            yield state, watchers
        if after.is_terminal:
            return
        for watcher in watchers:
            watcher.watch(state, action, after)
        state = after
    yield state, watchers


@pytest.mark.parametrize(("hand_size", "seeds"), [(2, range(16)), (3, range(16, 20))])
def test_samples_are_all_that_can_be_each_as_often_as_it_is(hand_size: int, seeds: range) -> None:
    known = 0
    for seed in seeds:
        for state, watchers in watched(2, seed, (3, 20, 30), hand_size=hand_size):
            for watcher in watchers:
                samples = (state.determinize(watcher.player, s) for s in range(150))
                verdict = compare(watcher.worlds, map(deal_of, samples), whose_cards)
                assert verdict.fair, (seed, state.tick, watcher.player, verdict)
                known += watcher.open_deck
    assert known > len(seeds)


@pytest.mark.parametrize(("hand_size", "seeds"), [(2, range(12)), (3, range(2))])
def test_samples_know_which_cards_were_shuffled_together(hand_size: int, seeds: range) -> None:
    """No card of the deck of former discards can be in a hand that was dealt before."""
    shuffled = 0
    for seed in seeds:
        for state, watchers in watched(2, seed, (20, 30, 45), hand_size=hand_size, reshuffle=True):
            for watcher in watchers if state.view.newest.value else ():
                samples = (state.determinize(watcher.player, s) for s in range(150))
                verdict = compare(watcher.worlds, map(deal_of, samples), whose_cards)
                assert verdict.fair, (seed, state.tick, watcher.player, verdict)
                shuffled += 1
    assert shuffled > len(seeds)
