"""Hidden information in Colt Express: samples against all possible states."""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

import pytest
from tests.library.worlds import Bag, Beliefs, bag, compare, draws, plus, without

from kibitz.core.actions import kind, operand
from kibitz.core.game import Game
from kibitz.core.registry import load
from kibitz.core.state import State
from kibitz.library.coltexpress.data import KINDS, Card, Character, TurnSymbol
from kibitz.library.coltexpress.schemes import symbol_now
from kibitz.library.coltexpress.table import Move, Phase


@functools.cache
def game() -> Game:
    return load("colt-express")


def cards(deck: Any) -> list[int]:
    return list(itertools.islice(deck.cards, deck.count))


class Cards(NamedTuple):
    """A world: the cards of one player, as another one may imagine them."""

    hand: Bag
    deck: Bag
    face_down: tuple[tuple[int, int], ...] = ()
    """The cards in the pile that the watching player has not seen: place and card."""


def cards_of(state: State, owner: int, watcher: int, truth: State) -> Cards:
    """A world out of a state, with what is face down in the true one."""
    pile = state.view.pile
    down = tuple(
        (i, pile.cards[i])
        for i in range(pile.count)
        if not truth.view.pile.seen[i] >> watcher & 1
        and pile.cards[i] // KINDS % state.players == owner
    )
    view = state.view
    return Cards(bag(cards(view.hands[owner])), bag(cards(view.decks[owner])), down)


class Watcher(Beliefs):
    """The beliefs of a player about the cards of another one."""

    def __init__(self, state: State, player: int, owner: int) -> None:
        self.player, self.owner, self.players = player, owner, state.players
        super().__init__({})
        self.deal(state)

    def deal(self, state: State) -> None:
        """A round begins: everyone has drawn from all their cards."""
        world = cards_of(state, self.owner, self.player, state)
        self.worlds = {Cards((), plus(world.hand, *world.deck)): 1.0}
        self.draw(len(world.hand))

    def draw(self, number: int) -> None:
        def step(world: Cards) -> Iterator[tuple[Cards, float]]:
            for drawn, deck, chance in draws(world.deck, min(number, len(world.deck))):
                yield Cards(plus(world.hand, *drawn), deck, world.face_down), chance

        self.follow(step)

    def watch(self, before: State, action: int, after: State) -> None:
        view = before.view
        mine = before.current_player == self.owner
        if before.view.phase == Phase.SCHEMING and mine:
            self.watch_scheme(before, action)
        if after.view.round != view.round:
            self.deal(after)
            return
        bullets = Counter(cards(after.view.decks[self.owner]))
        if after.view.phase != Phase.SCHEMING:
            bullets -= Counter(cards(view.decks[self.owner]))
            if before.view.phase == Phase.SCHEMING:
                bullets = Counter({c: n for c, n in bullets.items() if c % KINDS == Card.BULLET})
            for card in bullets.elements():
                self.follow(lambda w, c=card: [(w._replace(deck=plus(w.deck, c)), 1.0)])
        for i in range(view.pile.count):
            turned = after.view.pile.seen[i] & ~view.pile.seen[i]
            if turned >> self.player & 1 and i < after.view.pile.count:
                self.turn_up(i, after.view.pile.cards[i])

    def watch_scheme(self, before: State, action: int) -> None:
        move, pile = kind(action), before.view.pile
        if move == Move.DRAW:
            self.draw(before.table.parameters.cards_drawn)
            return
        card = before.view.bandit_of.values[operand(action, 0)] * KINDS + operand(action, 1)
        if move == Move.PLAY:
            possible = {card}
        elif symbol_now(before.view) == TurnSymbol.TUNNEL:
            possible = {c for c in range(6 * KINDS) if c % KINDS != Card.BULLET}
        else:
            ghost = before.view.bandit_of.values[Character.GHOST] * KINDS
            possible = set(range(ghost, ghost + Card.BULLET))

        def step(world: Cards) -> Iterator[tuple[Cards, float]]:
            for played, copies in Counter(world.hand).items():
                if played in possible:
                    hand = without(world.hand, played)
                    assert hand is not None
                    down = world.face_down
                    if move == Move.HIDE:
                        down = (*down, (pile.count, played))
                    yield Cards(hand, world.deck, down), copies

        self.follow(step)

    def turn_up(self, place: int, card: int) -> None:
        def step(world: Cards) -> Iterator[tuple[Cards, float]]:
            if (place, card) in world.face_down:
                face_down = tuple(down for down in world.face_down if down[0] != place)
                yield world._replace(face_down=face_down), 1.0
            elif place not in dict(world.face_down):
                yield world, 1.0

        if card // KINDS % self.players == self.owner:
            self.follow(step)


def marks(world: Cards) -> Iterator[Hashable]:
    """Marks of a world: the cards in the hand with their number, and those face down."""
    for card, copies in Counter(world.hand).items():
        yield "hand", card, copies
    yield from world.face_down


def watched(players: int, seed: int, **parameters: Any) -> Iterator[tuple[State, list[Watcher]]]:
    """The states of a random game, with what players can believe about the cards of others."""
    rng = random.Random(seed)
    state = game().new_state(players=players, seed=seed, **parameters)
    pairs = [(p, q) for p in range(2) for q in range(players) if p != q]
    watchers = [Watcher(state, p, q) for p, q in pairs[:3]]
    while True:
        action = rng.choice(state.legal_actions())
        before = state.clone()
        state.apply(action)
        if state.is_terminal:
            return
        for watcher in watchers:
            watcher.watch(before, action, state)
        yield state, watchers


VARIANTS = [
    (2, 4, {"bandits_each": 1, "bandit_1": "ghost", "hand_size": 3}),
    (3, 4, {"bandit_2": "ghost", "hand_size": 4, "rounds": 2}),
    (2, 4, {"floor_changes": 0, "moves": 1, "fires": 1, "robberies": 0, "hand_size": 3}),
]


@pytest.mark.parametrize(("players", "games", "parameters"), VARIANTS)
def test_samples_of_cards_are_all_that_can_be_each_as_often_as_it_is(
    players: int, games: int, parameters: dict[str, Any]
) -> None:
    compared = 0
    rng = random.Random(1)
    for seed in range(games):
        for state, watchers in watched(players, seed, **parameters):
            for watcher in watchers:
                if len(watcher) > 5000 or rng.random() > 0.1:
                    continue
                player, owner = watcher.player, watcher.owner
                samples = (state.determinize(player, s) for s in range(250))
                worlds = (cards_of(sample, owner, player, state) for sample in samples)
                verdict = compare(watcher.worlds, worlds, marks)
                assert verdict.fair, (seed, state.tick, player, owner, verdict)
                compared += 1
    assert compared > 40


def test_a_bullet_lies_in_the_deck_until_the_round_is_over() -> None:
    known: Counter[int] = Counter()
    for seed in range(6):
        for state, _ in watched(3, seed, hand_size=3):
            phase = Phase(state.view.phase)
            for p in range(3):
                deck = state.view.decks[p]
                visible = [deck.cards[i] for i in range(deck.count) if deck.seen[i]]
                assert all(card % KINDS == Card.BULLET for card in visible)
                assert phase != Phase.SCHEMING or not visible
                known[phase] += len(visible)
    assert known[Phase.STEALING] > 0
