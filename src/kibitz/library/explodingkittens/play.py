"""A turn of Exploding Kittens: played cards, Nopes, and the effects of cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kibitz.components import (
    eliminate,
    find_card,
    interrupt,
    next_player,
    players_left,
    resume,
)
from kibitz.core.actions import kind, operand
from kibitz.core.randomness import random_below
from kibitz.core.results import finish_by_score
from kibitz.core.trace import announce
from kibitz.library.explodingkittens.cards import Card
from kibitz.library.explodingkittens.deck import (
    deck_size,
    draw_top_card,
    peek_at_top,
    put_kitten,
    shuffle_all,
)
from kibitz.library.explodingkittens.hands import (
    discard,
    hand_over,
    note_defuse,
    note_none,
    show_and_hand_over,
)
from kibitz.library.explodingkittens.limits import note_gained
from kibitz.library.explodingkittens.phases import Phase
from kibitz.library.explodingkittens.table import FIVE, PAIR, THREE, Attack, Move, Say

if TYPE_CHECKING:
    from kibitz.library.explodingkittens.table import KittensState


# --- Nope ---------------------------------------------------------------------------------
#
# Played cards wait on the stack: their action, and a number with the player who acted last
# (3 bits), whether they are cancelled (1 bit), and the named card.


def ask_for_nopes(state: KittensState, params: Any, action: int, named: int) -> None:
    """Lets the others cancel the played cards before they take effect."""
    player = state.player
    first = next_asked(state, params, player, player)
    if first == player:
        carry_out(state, params, action, named)
    else:
        interrupt(state, state.reactions, first, Phase.NOPE, action, player | named << 4)


def next_asked(state: KittensState, params: Any, player: int, last: int) -> int:
    """The player to ask after `player`, or `last`, who acted last, after all others."""
    asked = next_player(state, player)
    if params.ask_holders_only:
        while asked != last and find_card(state.hands[asked], Card.NOPE) < 0:
            note_none(state, asked, Card.NOPE)  # all players know it now
            asked = next_player(state, asked)
    while asked != last and state.hands[asked].count == 0:
        asked = next_player(state, asked)
    return asked


def react(state: KittensState, params: Any, cancels: bool) -> None:
    """Carries out the answer of the player to move: a Nope, or letting the last card pass."""
    player = state.player
    top = state.reactions.depth - 1
    report = state.reactions.data[top, 1]
    if cancels:
        discard(state, player, Card.NOPE)
        report = (report ^ 8) & ~7 | player
        state.reactions.data[top, 1] = report
    asked = next_asked(state, params, player, report & 7)
    if asked != report & 7:
        state.player = asked
        return
    action = state.reactions.data[top, 0]
    resume(state, state.reactions)
    announce(Say.EFFECT if report & 8 == 0 else Say.CANCEL, played(action))
    if report & 8 == 0:
        carry_out(state, params, action, report >> 4)


def played(action: int) -> int:
    """What an action plays, as an index in ``PLAYS``."""
    move = kind(action)
    if move == Move.PAIR:
        return PAIR
    if move == Move.THREE:
        return THREE
    return FIVE if move == Move.FIVE else operand(action, 0)


# --- what cards do ------------------------------------------------------------------------


def carry_out(state: KittensState, params: Any, action: int, named: int) -> None:
    """Carries out played cards that were not cancelled."""
    move = kind(action)
    player = state.player
    target = operand(action, 1)
    if move == Move.PLAY:
        play_card(state, params, operand(action, 0))
    elif move == Move.PLAY_ON and operand(action, 0) == Card.ATTACK:
        attack(state, params, target)
    elif move == Move.FIVE:
        state.phase = Phase.TAKE
    elif move == Move.THREE:
        if find_card(state.hands[target], named) >= 0:
            show_and_hand_over(state, target, named, player)
        else:
            announce(Say.NONE, target, named)
            note_none(state, target, named)
    elif state.hands[target].count > 0:  # the last card may have been a Nope
        if move == Move.PAIR:
            hand_over(state, target, random_below(state.rng, state.hands[target].count), player)
        else:
            interrupt(state, state.reactions, target, Phase.GIVE)


def play_card(state: KittensState, params: Any, card: int) -> None:
    """Carries out a card without a target: Attack, Skip, Shuffle, See the Future."""
    if card == Card.ATTACK:
        attack(state, params, next_player(state, state.player))
    elif card == Card.SKIP:
        finish_turn(state)
    elif card == Card.SHUFFLE:
        shuffle_all(state)
    else:
        shown = peek_at_top(state, state.player, params.future_cards)
        if params.alter_future and shown > 1:
            state.phase = Phase.ARRANGE


def attack(state: KittensState, params: Any, target: int) -> None:
    """Ends the turns of the player to move; `target` has two turns, perhaps more."""
    turns = 2
    if params.attack == Attack.STACK and state.attacked.values[0] == 1:
        turns += state.turns_left.values[0]
    announce(Say.ATTACK, target, turns)
    begin_turns(state, target, turns, 1)


def give(state: KittensState, card: int) -> None:
    """Moves a card from the target of a Favor to the player who asked for it."""
    giver = state.player
    resume(state, state.reactions)
    hand_over(state, giver, find_card(state.hands[giver], card), state.player)


# --- turns --------------------------------------------------------------------------------


def draw(state: KittensState, params: Any) -> None:
    """Draws a card for the player to move, which ends the turn unless it is a kitten to defuse."""
    player = state.player
    kitten = draw_top_card(state, player)
    if kitten < 0:
        note_gained(state, player)
        finish_turn(state)
        return
    announce(Say.KITTEN, player)
    state.drawn.values[0] = kitten
    if find_card(state.hands[player], Card.DEFUSE) < 0:
        explode(state)
    elif params.forced_defuse:
        defuse(state)
    else:
        state.phase = Phase.DEFUSE


def defuse(state: KittensState) -> None:
    """Discards a Defuse; then the player puts the kitten back."""
    discard(state, state.player, Card.DEFUSE)
    state.phase = Phase.PLACE


def place(state: KittensState, above: int) -> None:
    """Puts the kitten back with `above` cards on top of it, which ends the turn."""
    put_kitten(state, state.drawn.values[0], deck_size(state) - above, 1 << state.player)
    state.drawn.values[0] = 0
    state.phase = Phase.TURN
    finish_turn(state)


def explode(state: KittensState) -> None:
    """Eliminates the player to move; their hand and the kitten leave the game."""
    player = state.player
    state.drawn.values[0] = 0
    state.phase = Phase.TURN
    note_defuse(state, player)
    eliminate(state, player)
    survivors = players_left(state)
    state.seat[player].score = state.players - survivors - 1
    if survivors > 1:
        begin_turns(state, next_player(state, player), 1, 0)
        return
    state.turn += 1
    state.seat[next_player(state, player)].score = state.players - 1
    finish_by_score(state)


def finish_turn(state: KittensState) -> None:
    """Ends a turn of the player to move; after an Attack, another one may follow."""
    if state.turns_left.values[0] > 1:
        state.turns_left.values[0] -= 1
        state.turn += 1
    else:
        begin_turns(state, next_player(state, state.player), 1, 0)


def begin_turns(state: KittensState, player: int, turns: int, attacked: int) -> None:
    """Begins `turns` turns of `player`; `attacked` is 1 if an Attack causes them."""
    state.turn += 1
    state.turn_owner = player
    state.player = player
    state.turns_left.values[0] = turns
    state.attacked.values[0] = attacked
