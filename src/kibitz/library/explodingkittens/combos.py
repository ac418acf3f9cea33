"""Playing cards from a hand: single cards, two or three alike, five different ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kibitz.components import interrupt, resume
from kibitz.core.actions import kind, operand, pack
from kibitz.core.trace import announce
from kibitz.library.explodingkittens.hands import bits, discard, take_discarded
from kibitz.library.explodingkittens.phases import Phase
from kibitz.library.explodingkittens.play import ask_for_nopes
from kibitz.library.explodingkittens.table import Move, Say

if TYPE_CHECKING:
    from kibitz.library.explodingkittens.table import KittensState


def play_alike(state: KittensState, params: Any, action: int) -> None:
    """Plays a single card, or two alike."""
    discard(state, state.player, operand(action, 0))
    if kind(action) == Move.PAIR:
        announce(Say.COPY, operand(action, 0))
        discard(state, state.player, operand(action, 0))
    ask_for_nopes(state, params, action, 0)


def play_three(state: KittensState, action: int) -> None:
    """Plays three cards alike; then the player names a card."""
    for _ in range(3):
        announce(Say.COPY, operand(action, 0))
        discard(state, state.player, operand(action, 0))
    interrupt(state, state.reactions, state.player, Phase.NAME, action)


def name_card(state: KittensState, params: Any, card: int) -> None:
    """Names the card that three of a kind ask for."""
    action = state.reactions.data[state.reactions.depth - 1, 0]
    resume(state, state.reactions)
    ask_for_nopes(state, params, action, card)


def add_to_five(state: KittensState, params: Any, card: int) -> None:
    """Plays one of five different cards; the fifth completes the combination."""
    discard(state, state.player, card)
    chosen = state.chosen.values[0] | 1 << card
    state.chosen.values[0] = chosen
    if bits(chosen) == 5:
        state.chosen.values[0] = 0
        state.phase = Phase.TURN
        ask_for_nopes(state, params, pack(Move.FIVE), 0)


def take_from_pile(state: KittensState, card: int) -> None:
    """Takes a card from the discard pile into the hand, as five different cards allow."""
    take_discarded(state, state.player, card)
    state.phase = Phase.TURN
