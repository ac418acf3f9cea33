"""Hanabi (Antoine Bauza, 2010): build fireworks of cards that you alone do not see.

Source: the rules of Abacusspiele, 2012, and of R&R Games, 2013. Each of five colours has cards
from 1 to 5: three, two, two, two and one. Players hold their cards so that all others see them.
On a turn a player tells another one which of their cards have a colour or a rank, for a clue
token; or discards a card, for which a token comes back; or plays a card. It must continue the
firework of its colour, otherwise it is discarded and a fuse burns. A 5 brings back a token, too.
The third fuse loses the game, complete fireworks end it, and so does the round after the last
card was drawn. The score is the number of cards in the fireworks.

The variants with a sixth colour are the parameter ``rainbow``. Where editions differ: players
cannot tell that there is no such card (``tell_nothing``), and who loses has no points
(``keep_score``). The first player at the table begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from kibitz.authoring import (
    ActionList,
    Game,
    GameParameters,
    add,
    cards_in,
    count_card,
    draw_card,
    end_turn,
    finish_by_score,
    kind,
    move_card,
    operand,
    pack,
    point_out,
    put_copies,
    shuffle_deck,
)
from kibitz.core import state as states
from kibitz.core.parameters import read_json_object
from kibitz.library.hanabi.table import (
    COPIES,
    RAINBOW,
    RANKS,
    SUITS,
    HanabiState,
    Move,
    Parameters,
    Rainbow,
)
from kibitz.library.hanabi.text import describe_table

COMPLETE, LAST_ROUND, BURNT = 1, 2, 3
"""The ways in which a game ends, as phases."""
ONE_COLOUR = (1 << RANKS) - 1
"""The kinds of cards of the first colour, one bit each."""
ONE_RANK = sum(1 << RANKS * colour for colour in range(SUITS))
"""The kinds of cards of the first rank, one bit each."""


class Hanabi(Game):
    """Build fireworks of cards that you alone do not see, by what the others tell you."""

    name = "hanabi"
    look = "kibitz.pictures.looks.hanabi:HanabiLook"
    title = "Hanabi"
    players = (2, 5)
    categories = ("cooperative", "card game", "deduction")
    mechanics = ("communication limits", "hand management", "hidden information", "set collection")
    source = "Antoine Bauza, Abacusspiele 2012"
    played_for = "score"
    max_ticks = 500
    logs_rounds = False
    endings: ClassVar[Mapping[int, str]] = {
        COMPLETE: "all fireworks are complete",
        LAST_ROUND: "the last round is over",
        BURNT: "the last fuse is burnt",
    }
    how_to_play = read_json_object(Path(__file__).with_name("how_to_play.json"))
    Parameters = Parameters
    State = HanabiState
    Actions = Move

    def sides(self, players: int, parameters: GameParameters) -> Sequence[Sequence[int]]:
        """One side of all players."""
        return [range(players)]

    def score_range(self, players: int, parameters: GameParameters) -> tuple[float, float]:
        """From nothing to a complete firework of each colour."""
        values = parameters.as_dict()
        return 0, RANKS * (values["colours"] + (values["rainbow"] != Rainbow.NONE))

    @classmethod
    def problem(cls, players: int, parameters: GameParameters) -> str | None:
        """Why there are too few cards for the hands; ``None`` if there are enough."""
        values = parameters.as_dict()
        cards = values["colours"] * sum(COPIES)
        if values["rainbow"] != Rainbow.NONE:
            cards += RANKS if values["rainbow"] == Rainbow.FEW else sum(COPIES)
        needed = players * values["hand_size"] + 1
        if cards < needed:
            return f"{cards} cards are too few: {players} players need at least {needed}."
        return None

    @classmethod
    def describe(cls, state: states.State, observer: int | None) -> str:
        """Describes the fireworks, the tokens, and each hand with what its owner knows."""
        return describe_table(state, observer)

    @staticmethod
    def setup(state: HanabiState, params: Any) -> None:
        """Shuffles the cards and deals the hands."""
        for colour in range(SUITS):
            for rank in range(RANKS):
                copies = COPIES[rank]
                if colour == RAINBOW:
                    copies = rainbow_copies(params, rank)
                elif colour >= params.colours:
                    copies = 0
                put_copies(state, state.deck, RANKS * colour + rank, copies)
        shuffle_deck(state, state.deck)
        for p in range(state.players):
            for _ in range(params.hand_size):
                draw_card(state, state.deck, state.hands[p])
        state.clues.value = params.clues
        state.fuses.value = params.fuses

    @staticmethod
    def legal_actions(state: HanabiState, params: Any, actions: ActionList) -> None:
        """Adds each card to play and to discard, and the clues for each other player."""
        for i in range(state.hands[state.player].count):
            add(actions, pack(Move.PLAY, i))
        if state.clues.value < params.clues:
            for i in range(state.hands[state.player].count):
                add(actions, pack(Move.DISCARD, i))
        if state.clues.value > 0:
            for p in range(state.players):
                if p != state.player:
                    add_clues(state, params, actions, p)

    @staticmethod
    def apply_action(state: HanabiState, params: Any, action: int) -> None:
        """Carries out an action, draws a card for one that left the hand, and ends the turn."""
        if kind(action) == Move.TELL_COLOUR:
            state.clues.value -= 1
            kinds = kinds_of_colour(params, operand(action, 1))
            point_out(state, state.hands[operand(action, 0)], kinds)
        elif kind(action) == Move.TELL_RANK:
            state.clues.value -= 1
            point_out(state, state.hands[operand(action, 0)], ONE_RANK << operand(action, 1))
        else:
            hand = state.hands[state.player]
            if kind(action) == Move.PLAY:
                play_card(state, params, operand(action, 0))
            else:
                move_card(state, hand, operand(action, 0), state.discards)
                state.clues.value += 1
            if state.deck.count > 0:
                draw_card(state, state.deck, hand)
                if state.deck.count == 0:
                    state.turns_left.values[0] = state.players + 1
        finish_turn(state, params)

    @staticmethod
    def heuristic(state: HanabiState, params: Any, player: int) -> float:
        """The score to be expected, in proportion as the returns: less with burnt fuses."""
        built = 0
        possible = 0
        for colour in range(SUITS):
            if rank_copies(params, colour, 0) > 0:
                built += state.heights.values[colour]
                possible += reachable(state, params, colour)
        burnt = (params.fuses - state.fuses.value) / params.fuses
        score = built + 0.1 * (possible - built) + 0.2 * state.clues.value / params.clues
        score *= 1.0 - 0.5 * burnt * burnt
        return score / (1.0 + score)


# --- cards --------------------------------------------------------------------------------


def rainbow_copies(params: Any, rank: int) -> int:
    """The number of rainbow cards of a rank."""
    if params.rainbow == Rainbow.NONE:
        return 0
    return 1 if params.rainbow == Rainbow.FEW else COPIES[rank]


def rank_copies(params: Any, colour: int, rank: int) -> int:
    """The number of cards of a colour and rank."""
    if colour == RAINBOW:
        return rainbow_copies(params, rank)
    return COPIES[rank] if colour < params.colours else 0


def kinds_of_colour(params: Any, colour: int) -> int:
    """The kinds of cards that are pointed at for a colour, one bit each."""
    kinds = ONE_COLOUR << RANKS * colour
    if params.rainbow == Rainbow.WILD:
        kinds |= ONE_COLOUR << RANKS * RAINBOW
    return kinds


def reachable(state: HanabiState, params: Any, colour: int) -> int:
    """The highest rank that a firework can reach with the cards that are not discarded."""
    height = state.heights.values[colour]
    for rank in range(height, RANKS):
        copies = rank_copies(params, colour, rank)
        if copies <= count_card(state.discards, RANKS * colour + rank):
            return rank
    return RANKS


# --- turns --------------------------------------------------------------------------------


def add_clues(state: HanabiState, params: Any, actions: ActionList, target: int) -> None:
    """Adds the clues for a player: each colour and each rank among their cards."""
    held = cards_in(state.hands[target])
    colours = params.colours
    for colour in range(colours):
        if params.tell_nothing or held & kinds_of_colour(params, colour) != 0:
            add(actions, pack(Move.TELL_COLOUR, target, colour))
    if params.rainbow == Rainbow.SIXTH or params.rainbow == Rainbow.FEW:
        if params.tell_nothing or held & kinds_of_colour(params, RAINBOW) != 0:
            add(actions, pack(Move.TELL_COLOUR, target, RAINBOW))
    for rank in range(RANKS):
        if params.tell_nothing or held & ONE_RANK << rank != 0:
            add(actions, pack(Move.TELL_RANK, target, rank))


def play_card(state: HanabiState, params: Any, index: int) -> None:
    """Adds a card of the player to move to its firework, or burns a fuse."""
    hand = state.hands[state.player]
    card = hand.cards[index]
    colour, rank = card // RANKS, card % RANKS
    if state.heights.values[colour] != rank:
        move_card(state, hand, index, state.discards)
        state.fuses.value -= 1
        return
    move_card(state, hand, index, state.fireworks)
    state.heights.values[colour] = rank + 1
    if rank + 1 == RANKS and state.clues.value < params.clues:
        state.clues.value += 1
    set_score(state, state.fireworks.count)


def finish_turn(state: HanabiState, params: Any) -> None:
    """Ends the turn, and the game if this was the last one."""
    colours = params.colours + (params.rainbow != Rainbow.NONE)
    last = state.turns_left.values[0]
    if last > 0:
        state.turns_left.values[0] = last - 1
    if state.fuses.value == 0:
        if params.keep_score == 0:
            set_score(state, 0)
        state.phase = BURNT
    elif state.fireworks.count == RANKS * colours:
        state.phase = COMPLETE
    elif last == 1:
        state.phase = LAST_ROUND
    if state.phase != 0:
        finish_by_score(state)
    else:
        end_turn(state)


def set_score(state: HanabiState, score: int) -> None:
    """Gives all players the same score."""
    for p in range(state.players):
        state.seat[p].score = score
