"""Exploding Kittens (Elan Lee, Matthew Inman, Shane Small, 2015): do not draw a kitten.

Source: the rules of the original edition in their later printings. In a turn a player plays any
number of cards and then draws one. A player who draws an Exploding Kitten is out, unless they play
a Defuse: then they put the kitten back anywhere into the deck, in secret. The last player wins.
Every card except kittens and Defuses can be cancelled with a Nope, by any player at any time, and
a Nope with another one. Three special combinations belong together: any two cards alike steal a
random card from another player, any three a named card, and five different cards take one from the
discard pile. Without them only two cats alike steal: ``combos=cat-pairs``.

In the first printing, ``printing=first``, four cards are dealt, and the next player has two turns
however many an attacked player had left. Only pairs of cats can be played, and with more than two
players all remaining Defuses are shuffled into the deck.

Where the rules are silent or leave a choice:

* after a card was played all other players with cards are asked in turn order for a Nope, also
  those who have none and can only let it pass. After a Nope all but the player of it are asked;
* a Defuse need not be used;
* an attacked player who attacks passes on their remaining turns, the present one included, and
  two more; a player who was not attacked passes on two;
* players who explode take their hand out of the game, face down, and lose their remaining turns;
* the kittens have different pictures, so all players see which one was drawn;
* cards can be stolen from, and Favors asked of, players who have cards. If their last card was a
  Nope that was cancelled, nothing happens;
* a named card is shown when it changes hands. If the player has none, all players know it;
* five different cards may take one of themselves.

Parameters: see ``Parameters``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kibitz.components import draw_card, place_card, put_copies, shuffle_deck
from kibitz.core import state as states
from kibitz.core.actions import ActionList, kind, operand
from kibitz.core.game import Game
from kibitz.core.layout import EVERYONE
from kibitz.core.parameters import GameParameters, read_json_object
from kibitz.library.explodingkittens.arrange import choose_next
from kibitz.library.explodingkittens.cards import Card
from kibitz.library.explodingkittens.choices import add_choices
from kibitz.library.explodingkittens.combos import (
    add_to_five,
    name_card,
    play_alike,
    play_three,
    take_from_pile,
)
from kibitz.library.explodingkittens.deck import put_kitten, shuffle_all
from kibitz.library.explodingkittens.deck_sampling import resample
from kibitz.library.explodingkittens.evaluation import evaluate
from kibitz.library.explodingkittens.hand_sampling import resample_cards
from kibitz.library.explodingkittens.hands import agrees
from kibitz.library.explodingkittens.limits import note_unlimited, set_limit
from kibitz.library.explodingkittens.phases import Phase
from kibitz.library.explodingkittens.play import defuse, draw, explode, give, place, react
from kibitz.library.explodingkittens.table import KittensState, Move, Parameters, Say
from kibitz.library.explodingkittens.text import describe_table


class ExplodingKittens(Game):
    """Play cards, draw one, and do not explode: the last player wins."""

    name = "exploding-kittens"
    look = "kibitz.pictures.looks.explodingkittens:KittensLook"
    title = "Exploding Kittens"
    players = (2, 5)
    categories = ("card game", "party game")
    mechanics = (
        "hand management",
        "player elimination",
        "push your luck",
        "reactions",
        "take that",
        "hidden information",
    )
    zero_sum = True
    source = "Elan Lee, Matthew Inman and Shane Small, 2015"
    phases = Phase
    max_ticks = 5_000
    how_to_play = read_json_object(Path(__file__).with_name("how_to_play.json"))
    Parameters = Parameters
    State = KittensState
    Actions = Move
    Announcements = Say

    @classmethod
    def problem(cls, players: int, parameters: GameParameters) -> str | None:
        """Why there are too few cards for all hands, or kittens for all but one player."""
        v = parameters.as_dict()
        names = ("attacks", "favors", "nopes", "shuffles", "skips", "see_the_futures")
        cards = sum(v[name] for name in names) + 5 * v["cats"]
        if cards < players * v["cards_each"]:
            return f"{cards} cards are too few to deal {v['cards_each']} to {players} players."
        if v["kittens"] < players - 1:
            return f"{players} players need at least {players - 1} kittens, not {v['kittens']}."
        return None

    @classmethod
    def describe(cls, state: states.State, observer: int | None) -> str:
        """The deck and what is known of it, the discard pile, and a line for each player."""
        return describe_table(state.view, state.headline(), observer)

    @staticmethod
    def setup(state: KittensState, params: Any) -> None:
        """Deals the hands, then shuffles kittens and the remaining Defuses into the deck."""
        put_copies(state, state.deck, Card.ATTACK, params.attacks)
        put_copies(state, state.deck, Card.FAVOR, params.favors)
        put_copies(state, state.deck, Card.NOPE, params.nopes)
        put_copies(state, state.deck, Card.SHUFFLE, params.shuffles)
        put_copies(state, state.deck, Card.SKIP, params.skips)
        put_copies(state, state.deck, Card.SEE_THE_FUTURE, params.see_the_futures)
        for cat in range(Card.FIRST_CAT, Card.KITTEN):
            put_copies(state, state.deck, cat, params.cats)
        shuffle_deck(state, state.deck)
        for p in range(state.players):
            for _ in range(params.defuses_each):
                place_card(state, state.hands[p], Card.DEFUSE, EVERYONE)
            for _ in range(params.cards_each):
                draw_card(state, state.deck, state.hands[p])
            note_unlimited(state, p)
            set_limit(state, p, Card.DEFUSE, params.defuses_each)
        put_copies(state, state.deck, Card.DEFUSE, params.defuses_in_deck)
        for kitten in range(params.kittens):
            put_kitten(state, kitten, 0, 0)
        shuffle_all(state)
        state.turns_left.values[0] = 1

    @staticmethod
    def legal_actions(state: KittensState, params: Any, actions: ActionList) -> None:
        """Adds the legal actions of the phase."""
        add_choices(state, params, actions)

    @staticmethod
    def apply_action(state: KittensState, params: Any, action: int) -> None:
        """Carries out the action."""
        move = kind(action)
        if move == Move.DRAW:
            draw(state, params)
        elif move == Move.PASS or move == Move.NOPE:
            react(state, params, move == Move.NOPE)
        elif move <= Move.TAKE:
            play(state, params, action)
        elif move == Move.GIVE:
            give(state, operand(action, 0))
        elif move == Move.DEFUSE:
            defuse(state)
        elif move == Move.EXPLODE:
            explode(state)
        elif move == Move.PLACE:
            place(state, operand(action, 0))
        else:
            choose_next(state, operand(action, 0))

    @staticmethod
    def heuristic(state: KittensState, params: Any, player: int) -> float:
        """The expected win of a player, by everyone's protection against kittens."""
        return evaluate(state, player)

    @staticmethod
    def redeterminize(state: KittensState, params: Any, player: int) -> None:
        """Resamples hands, kittens and deck consistently with what `player` knows."""
        resample_cards(state, player)
        resample(state, player)

    @staticmethod
    def is_consistent(state: KittensState, params: Any, player: int) -> bool:
        """Whether no hand holds a card that public deductions rule out."""
        return agrees(state, params, player)


def play(state: KittensState, params: Any, action: int) -> None:
    """Plays cards, or makes a choice that they call for."""
    move = kind(action)
    card = operand(action, 0)
    if move <= Move.PAIR:
        play_alike(state, params, action)
    elif move == Move.THREE:
        play_three(state, action)
    elif move == Move.NAME:
        name_card(state, params, card)
    elif move == Move.FIVE:
        state.phase = Phase.FIVE_DIFFERENT
    elif move == Move.ADD:
        add_to_five(state, params, card)
    else:
        take_from_pile(state, card)
