"""States of Exploding Kittens with given hands and decks."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

from kibitz.components import clear_deck, knows_card, put_card
from kibitz.core.state import State
from kibitz.library.explodingkittens.cards import CARDS, Card
from kibitz.library.explodingkittens.limits import note_unlimited
from kibitz.library.explodingkittens.rules import ExplodingKittens

(DEFUSE, ATTACK, FAVOR, NOPE, SHUFFLE, SKIP, FUTURE) = range(7)
(TACO, MELON, POTATO, BEARD, RAINBOW) = range(7, 12)
KITTEN = int(Card.KITTEN)
"""The first kitten; ``KITTEN + 1`` is the second one."""


@functools.cache
def compiled_game() -> ExplodingKittens:
    return ExplodingKittens(compiled=True)


def fill(state: State, deck: Any, cards: Sequence[int]) -> None:
    """Puts exactly these cards into a deck, the last one on top, known to whom it shows them."""
    clear_deck(deck)
    for card in cards:
        put_card(state.view, deck, card)


def arrange(
    game: ExplodingKittens,
    *hands: Sequence[int],
    deck: Sequence[int] = (KITTEN, *[SKIP] * 9),
    discards: Sequence[int] = (),
    seed: int = 1,
    **parameters: Any,
) -> State:
    """The first player's turn with these hands and this deck, the last card of it on top."""
    state = game.new_state(players=len(hands), seed=seed, **parameters)
    view = state.view
    fill(state, view.deck, [card for card in deck if card < KITTEN])
    fill(state, view.discards, discards)
    for p, cards in enumerate(hands):
        fill(state, view.hands[p], cards)
        note_unlimited(view, p)
    kittens = view.kittens
    for i in range(kittens.count):
        kittens.label[i] = kittens.below[i] = kittens.seen[i] = 0
    kittens.count = 0
    for place, card in enumerate(deck):
        if card >= KITTEN:  # from below, so that all that is below is there already
            kittens.label[kittens.count] = card - KITTEN
            kittens.below[kittens.count] = place
            kittens.count += 1
    return state


def cards(deck: Any) -> list[int]:
    return list(itertools.islice(deck.cards, deck.count))


def hand(state: State, player: int) -> list[int]:
    return sorted(cards(state.view.hands[player]))


def whole_deck(state: State) -> list[int]:
    """The deck with its kittens, the last card on top."""
    deck = cards(state.view.deck)
    kittens = state.view.kittens
    for i in range(kittens.count):
        deck.insert(kittens.below[i], KITTEN + kittens.label[i])
    return deck


def seen(state: State, player: int) -> list[list[int]]:
    """For each look of a player at the deck, the cards that are still in it, from the top."""
    peeks = state.view.peeks
    rows = []
    for i in range(peeks.count):
        if peeks.owner[i] == player:
            row = [peeks.cards[4 * i + d] for d in range(4)]
            rows.append([card for card in row if card < KITTEN + 6])
    return rows


def knowers(state: State, player: int, index: int) -> list[int]:
    """The players who know a card of a hand."""
    return [p for p in range(state.players) if knows_card(state.view.hands[player], index, p)]


def moves(state: State) -> list[str]:
    return [state.action_words(action) for action in state.legal_actions()]


def play(state: State, *actions: str) -> None:
    """Plays actions; nobody answers with a Nope unless the action says so."""
    for action in actions:
        state.apply(action)
        if action != "say Nope":
            let_pass(state)


def let_pass(state: State) -> None:
    """Nobody says Nope."""
    while not state.is_terminal and "let it pass" in moves(state):
        state.apply("let it pass")


def out(state: State) -> list[int]:
    return [p for p in range(state.players) if state.view.seat[p].out]


def name(card: int) -> str:
    return CARDS.word(min(card, KITTEN))
