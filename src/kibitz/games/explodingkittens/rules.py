"""Exploding Kittens (Elan Lee, Matthew Inman, Shane Small, 2015): do not draw a kitten.

Source: the rules of the original edition in their later printings. In a turn a player plays any
number of cards and then draws one. Who draws an Exploding Kitten is out, unless they play a
Defuse: then they put the kitten back into the deck wherever they like, in secret. The last player
wins. Every card but kittens and Defuses can be cancelled with a Nope, by anybody at any time, and
a Nope with another one. The special combinations belong together: any two cards alike steal a
random card from another player, any three a card that is named, and five different cards fetch
one from the discard pile. Without them only two cats alike steal: ``combos=cat-pairs``.

The first printing, ``printing=first``, dealt four cards, gave the next player two turns however
many an attacked player had left, had pairs of cats only, and shuffled all Defuses that were left
into the deck but with two players.

Where the rules are silent or leave it to the table:

* after a card has been played everyone else who has cards is asked in turn order whether they
  say Nope, also those who have none: they can only let it pass. After a Nope everyone but who
  said it is asked;
* a Defuse need not be used;
* an attacked player who attacks passes on the turns they have left, the present one included, and
  two more; who was not attacked passes on two;
* who explodes takes their hand along, face down, and the turns they had left are gone;
* the kittens have different pictures; so everybody sees which one was drawn;
* cards can be stolen from, and Favors asked of, players who have cards. If their last one was the
  Nope that somebody cancelled, nothing happens;
* a card named is shown when it changes hands. If the player has none, everybody knows;
* five different cards may fetch one of themselves.

Parameters: see ``Parameters``.
"""

from __future__ import annotations

from typing import Any

from kibitz.components import draw_card, place_card, put_copies, shuffle_deck
from kibitz.core import state as states
from kibitz.core.actions import ActionList, kind, operand
from kibitz.core.game import Game
from kibitz.core.layout import EVERYONE
from kibitz.core.parameters import GameParameters
from kibitz.games.explodingkittens.arrange import choose_next
from kibitz.games.explodingkittens.cards import Card
from kibitz.games.explodingkittens.choices import add_choices
from kibitz.games.explodingkittens.combos import (
    add_to_five,
    name_card,
    play_alike,
    play_three,
    take_from_pile,
)
from kibitz.games.explodingkittens.deck import put_kitten, shuffle_all
from kibitz.games.explodingkittens.deck_sampling import resample
from kibitz.games.explodingkittens.evaluation import evaluate
from kibitz.games.explodingkittens.hand_sampling import resample_cards
from kibitz.games.explodingkittens.hands import agrees
from kibitz.games.explodingkittens.limits import note_unlimited, set_limit
from kibitz.games.explodingkittens.phases import Phase
from kibitz.games.explodingkittens.play import defuse, draw, explode, give, place, react
from kibitz.games.explodingkittens.table import KittensState, Move, Parameters
from kibitz.games.explodingkittens.text import describe_table, tell_outcome


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
    source = "Elan Lee, Matthew Inman and Shane Small, 2015"
    phases = Phase
    max_ticks = 5_000
    Parameters = Parameters
    State = KittensState
    Actions = Move

    @classmethod
    def problem(cls, players: int, parameters: GameParameters) -> str | None:
        """There must be cards for all hands, and kittens for all but one player."""
        v = parameters.as_dict()
        names = ("attacks", "favors", "nopes", "shuffles", "skips", "see_the_futures")
        cards = sum(v[name] for name in names) + 5 * v["cats"]
        if cards < players * v["cards_each"]:
            return f"{cards} cards are too few to deal {v['cards_each']} to {players} players."
        if v["kittens"] < players - 1:
            return f"{players} players need at least {players - 1} kittens, not {v['kittens']}."
        return None

    def event_text(
        self, before: states.State, action: int, after: states.State, observer: int | None
    ) -> str:
        """The action and its outcome; cards that move in secret only to those who see them."""
        watcher = before.players if observer is None else observer  # a seat that nobody has
        words = self.words(before, action)
        return tell_outcome(words, action, before.view, after.view, watcher)

    @classmethod
    def describe(cls, state: states.State, observer: int | None) -> str:
        """The deck and what is known of it, the discard pile, and a line for each player."""
        return describe_table(state.view, state.headline(), observer)

    @staticmethod
    def setup(state: KittensState, params: Any) -> None:
        """Deals without kittens, then shuffles them and the Defuses left into the deck."""
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
    """Plays cards, or chooses what they ask for."""
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
