"""What a player can do in each phase of Exploding Kittens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kibitz.components import find_card
from kibitz.core.actions import ActionList, add, pack
from kibitz.games.explodingkittens.arrange import add_order
from kibitz.games.explodingkittens.cards import TITLES, Card
from kibitz.games.explodingkittens.deck import deck_size
from kibitz.games.explodingkittens.hands import bits, titles_in
from kibitz.games.explodingkittens.phases import Phase
from kibitz.games.explodingkittens.table import Attack, Combos, Move

if TYPE_CHECKING:
    from kibitz.games.explodingkittens.table import KittensState

CATS = (1 << Card.KITTEN) - (1 << Card.FIRST_CAT)
"""All cats, as a mask of cards."""


def add_choices(state: KittensState, params: Any, actions: ActionList) -> None:
    """What the player who decides can do."""
    phase = state.phase
    if phase == Phase.NOPE:
        add(actions, pack(Move.PASS))
        if find_card(state.hands[state.player], Card.NOPE) >= 0:
            add(actions, pack(Move.NOPE))
    elif phase == Phase.TURN:
        add_turn(state, params, actions)
    elif phase == Phase.GIVE:
        add_titles(actions, Move.GIVE, titles_in(state.hands[state.player]))
    elif phase == Phase.FIVE:
        rest = ~state.chosen.values[0]
        add_titles(actions, Move.ADD, titles_in(state.hands[state.player]) & rest)
    elif phase == Phase.TAKE:
        add_titles(actions, Move.TAKE, titles_in(state.discards))
    elif phase == Phase.NAME:
        add_titles(actions, Move.NAME, (1 << TITLES) - 1)
    elif phase == Phase.DEFUSE:
        add(actions, pack(Move.DEFUSE))
        add(actions, pack(Move.EXPLODE))
    elif phase == Phase.PLACE:
        for above in range(deck_size(state) + 1):
            add(actions, pack(Move.PLACE, above))
    else:
        add_order(state, actions)


def add_titles(actions: ActionList, move: int, titles: int) -> None:
    """Adds a move with each card of a mask."""
    for card in range(TITLES):
        if titles >> card & 1:
            add(actions, pack(move, card))


def add_turn(state: KittensState, params: Any, actions: ActionList) -> None:
    """To draw, each single card that does something, and combinations."""
    add(actions, pack(Move.DRAW))
    hand = state.hands[state.player]
    once = 0
    twice = 0
    thrice = 0
    for i in range(hand.count):
        bit = 1 << hand.cards[i]
        thrice |= twice & bit
        twice |= once & bit
        once |= bit
    add_single(state, params, actions, once)
    if params.combos == Combos.NONE:
        return
    alike = (1 << TITLES) - 1 if params.any_pairs else 0 + CATS
    add_on_others(state, actions, Move.PAIR, twice & alike)
    if params.combos == Combos.ALL:
        add_on_others(state, actions, Move.THREE, thrice & alike)
        if bits(once) >= 5:
            add(actions, pack(Move.FIVE))


def add_single(state: KittensState, params: Any, actions: ActionList, titles: int) -> None:
    """Single cards: those that ask for a player come last."""
    for card in range(Card.SHUFFLE, Card.FIRST_CAT):
        if titles >> card & 1:
            add(actions, pack(Move.PLAY, card))
    if titles >> Card.ATTACK & 1:
        if params.attack == Attack.CHOSEN:
            add_attacks(state, actions)
        else:
            add(actions, pack(Move.PLAY, Card.ATTACK))
    add_on_others(state, actions, Move.PLAY_ON, titles & (1 << Card.FAVOR))


def add_attacks(state: KittensState, actions: ActionList) -> None:
    """An Attack on any other player."""
    for p in range(state.players):
        if p != state.player and state.seat[p].out == 0:
            add(actions, pack(Move.PLAY_ON, Card.ATTACK, p))


def add_on_others(state: KittensState, actions: ActionList, move: int, titles: int) -> None:
    """A move with each card of a mask on each other player who has cards."""
    if titles == 0:
        return
    for card in range(TITLES):
        if titles >> card & 1:
            for p in range(state.players):
                if p != state.player and state.seat[p].out == 0 and state.hands[p].count > 0:
                    add(actions, pack(move, card, p))
