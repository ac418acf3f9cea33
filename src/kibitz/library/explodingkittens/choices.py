"""The legal actions of each phase of Exploding Kittens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kibitz.components import cards_in, find_card
from kibitz.core.actions import ActionList, add, add_if, pack
from kibitz.library.explodingkittens.arrange import add_order
from kibitz.library.explodingkittens.cards import TITLES, Card
from kibitz.library.explodingkittens.deck import deck_size
from kibitz.library.explodingkittens.phases import Phase
from kibitz.library.explodingkittens.table import Attack, Combos, Move

if TYPE_CHECKING:
    from kibitz.library.explodingkittens.table import KittensState

CATS = (1 << Card.KITTEN) - (1 << Card.FIRST_CAT)
"""The mask of all cats."""
SINGLE = (1 << Card.FIRST_CAT) - 1 & ~(1 << Card.DEFUSE | 1 << Card.NOPE)
"""The mask of cards that can be played singly in a turn."""


def add_choices(state: KittensState, params: Any, actions: ActionList) -> None:
    """Adds the legal actions of the player to move."""
    phase = state.phase
    if phase == Phase.NOPE:
        add(actions, pack(Move.PASS))
        holds = find_card(state.hands[state.player], Card.NOPE) >= 0
        add_if(holds, actions, pack(Move.NOPE))
    elif phase == Phase.TURN:
        add_turn(state, params, actions)
    elif phase == Phase.GIVE:
        add_titles(actions, Move.GIVE, cards_in(state.hands[state.player]))
    elif phase == Phase.FIVE_DIFFERENT:
        unchosen = ~state.chosen.values[0]
        add_titles(actions, Move.ADD, cards_in(state.hands[state.player]) & unchosen)
    elif phase == Phase.TAKE:
        add_titles(actions, Move.TAKE, cards_in(state.discards))
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
    """Adds drawing a card, playing each single card with an effect, and combinations."""
    add(actions, pack(Move.DRAW))
    hand = state.hands[state.player]
    once = 0
    twice = 0
    thrice = 0
    different = 0
    for i in range(hand.count):
        bit = 1 << hand.cards[i]
        different += once & bit == 0
        thrice |= twice & bit
        twice |= once & bit
        once |= bit
    if once & SINGLE:
        add_single(state, params, actions, once)
    if params.combos == Combos.NONE:
        return
    if params.combos == Combos.CAT_PAIRS:
        twice &= CATS
    if twice:
        add_combinations(state, actions, Move.PAIR, twice)
    if params.combos == Combos.SPECIAL:
        if thrice:
            add_combinations(state, actions, Move.THREE, thrice)
        if different >= 5:
            add(actions, pack(Move.FIVE))


def add_single(state: KittensState, params: Any, actions: ActionList, titles: int) -> None:
    """Adds plays of single cards; those with a target come last."""
    for card in range(Card.SHUFFLE, Card.FIRST_CAT):
        add_if(titles >> card & 1 == 1, actions, pack(Move.PLAY, card))
    if params.attack != Attack.CHOSEN:
        add_if(titles >> Card.ATTACK & 1 == 1, actions, pack(Move.PLAY, Card.ATTACK))
    elif titles >> Card.ATTACK & 1:
        add_attacks(state, actions)
    if titles >> Card.FAVOR & 1:
        add_on_others(state, actions, Move.PLAY_ON, Card.FAVOR)


def add_attacks(state: KittensState, actions: ActionList) -> None:
    """Adds an Attack on each other player."""
    for p in range(state.players):
        if p != state.player and state.seat[p].out == 0:
            add(actions, pack(Move.PLAY_ON, Card.ATTACK, p))


def add_combinations(state: KittensState, actions: ActionList, move: int, titles: int) -> None:
    """Adds a combination of each card of a mask, against each other player with cards."""
    card = 0
    while titles >> card > 0:
        if titles >> card & 1:
            add_on_others(state, actions, move, card)
        card += 1


def add_on_others(state: KittensState, actions: ActionList, move: int, card: int) -> None:
    """Adds a move against each other player with cards."""
    for p in range(state.players):
        if p != state.player and state.seat[p].out == 0 and state.hands[p].count > 0:
            add(actions, pack(move, card, p))
