"""Uno (Merle Robbins, Mattel): get rid of your cards before the others do, to 500 points.

Source: the instruction sheet 42001 of Mattel. A card is played on one of the same colour, number
or symbol; a Wild goes on any card, and its player names a colour. Players who cannot or do not
want to play draw a card, and may play it immediately. Skip, Reverse and Draw Two act on the next
player. So does a Wild Draw Four, which may be played only from a hand without the colour that
counts: the next player may challenge it, and sees the hand. Players with one card left must have
called "Uno". The winner of a round scores the cards of all others, and the first player with 500
points wins.

Where the rules are silent or leave a choice:

* calling is a choice in playing the last card but one. If the player did not call, the others are
  asked in turn order, after the effect of the card and before the next turn, whether they catch
  it; the first who does makes the player draw. A hand that is longer again is safe;
* after a successful challenge, the named colour stays. A Wild Draw Four that is the last card
  cannot be a bluff, so nobody is asked, and the next player draws;
* no colour is named for a wild card that is the last card;
* if the stock is empty when a card is to be drawn or a turn begins, the discards are shuffled into
  it. If it is still empty, players who cannot play pass, and players who can must play. When all
  players have passed in a row, the round is over: the player with the fewest cards, then the
  fewest points, wins it;
* the effect of the last card comes before scoring; the deal goes round the table;
* in the two ways of scoring where points are bad, a player's score is shown as negative.

Parameters: see ``Parameters``. ``target=0`` makes it a game of one round.
"""

from __future__ import annotations

from typing import Any

from kibitz.components import cards_in, lead, players_left
from kibitz.core import state as states
from kibitz.core.actions import ActionList, add, add_marked, kind, operand, pack
from kibitz.core.features import seat_name
from kibitz.core.game import Game
from kibitz.core.parameters import GameParameters
from kibitz.core.trace import announce
from kibitz.library.uno.cards import KINDS, WILD_CARDS, Card, Colour
from kibitz.library.uno.deductions import agrees, resample
from kibitz.library.uno.phases import Phase
from kibitz.library.uno.play import (
    answer_missing_call,
    begin_turn,
    can_play,
    challenge,
    close_turn,
    draw_instead,
    drawn_card,
    hit_next,
    note_nothing,
    pass_on,
    play_card,
    playable_cards,
)
from kibitz.library.uno.rounds import deal_round, finish_round, hand_points
from kibitz.library.uno.table import MOST_CARDS, Move, Parameters, Say, Scoring, UnoState
from kibitz.library.uno.text import describe_table


class Uno(Game):
    """Match colour, number or symbol, hit the others, and be the first without a card."""

    name = "uno"
    look = "kibitz.pictures.looks.uno:UnoLook"
    title = "Uno"
    players = (2, 10)
    categories = ("card game",)
    mechanics = ("hand management", "take that", "hidden information", "rounds")
    zero_sum = True
    source = "Merle Robbins, 1971; Mattel, instruction sheet 42001"
    phases = Phase
    max_ticks = 200_000
    several_deals = True
    timed = True
    Parameters = Parameters
    State = UnoState
    Actions = Move
    Announcements = Say

    @classmethod
    def problem(cls, players: int, parameters: GameParameters) -> str | None:
        """Why the pack is too small for the hands and the first card, or rounds may never end."""
        v = parameters.as_dict()
        coloured = v["zeros"] + (v["numbers"] - 1) * v["copies"]
        coloured += v["skips"] + v["reverses"] + v["draw_twos"]
        cards = 4 * coloured + v["wilds"] + v["wild_draw_fours"]
        needed = players * v["cards_each"] + 1
        if cards < needed:
            return f"{cards} cards are too few: {players} players need at least {needed}."
        if v["colourless_drawn"] and v["must_play_drawn"] and not v["turn_limit"]:
            follows = (
                v["wild_numbers"] and v["zeros"] and (v["numbers"] > 4 or not v["wild_draw_fours"])
            )
            if not follows:
                return (
                    "a wild card that must be played when drawn, without a colour that anything"
                    " could follow, goes round for ever: set turn_limit, or wild_numbers=yes"
                    " with 0s and 4s."
                )
        return None

    @staticmethod
    def features(state: Any, params: Any, player: int, values: Any) -> None:
        """Writes for each seat, from the observer on, the share of places that bar each kind."""
        for p in range(state.players):
            seat = (player + p) % state.players
            for i in range(state.hands[seat].count):
                barred = state.barred[seat].values[i]
                for k in range(len(KINDS)):
                    none = barred & KINDS[k] == KINDS[k]
                    values[p * len(KINDS) + k] += none / MOST_CARDS

    def feature_names(self, players: int, parameters: GameParameters) -> list[str]:
        """The names of the features: seats as an observer counts them, kinds by number."""
        return [
            f"barred[{seat_name(p)}]: kind {k + 1}"
            for p in range(players)
            for k in range(len(KINDS))
        ]

    @classmethod
    def describe(cls, state: states.State, observer: int | None) -> str:
        """Two lines for the table and one for each player."""
        return describe_table(state.view, state.headline(), observer)

    @staticmethod
    def setup(state: UnoState, params: Any) -> None:
        """Deals the first round; the first player begins."""
        deal_round(state, params, 0)

    @staticmethod
    def legal_actions(state: UnoState, params: Any, actions: ActionList) -> None:
        """Adds the legal actions in this phase."""
        if state.phase == Phase.TURN:
            add_turn(state, params, actions)
        elif state.phase == Phase.DRAWN:
            card = drawn_card(state)
            if can_play(state, params, card):
                add_drawn(state, params, actions, card)
            if actions.count == 0 or params.must_play_drawn == 0:
                add(actions, pack(Move.KEEP))
        elif state.phase == Phase.COLOUR:
            for colour in range(Colour.NONE):
                add(actions, pack(Move.COLOUR, colour))
        elif state.phase == Phase.CHALLENGE:
            add(actions, pack(Move.ACCEPT))
            add(actions, pack(Move.CHALLENGE))
        else:
            add(actions, pack(Move.CATCH))
            add(actions, pack(Move.OVERLOOK))

    @staticmethod
    def apply_action(state: UnoState, params: Any, action: int) -> None:
        """Carries out an action; then the turn, the round and the game may be over."""
        if kind(action) == Move.COLOUR:
            state.colour.value = operand(action, 0)
            begin_turn(state)
        elif act(state, params, action):
            after_turn(state, params)

    @staticmethod
    def heuristic(state: UnoState, params: Any, player: int) -> float:
        """The lead in points towards victory and in the shortness of the hand."""
        return lead(state, params, player, standing)

    @staticmethod
    def redeterminize(state: UnoState, params: Any, player: int) -> None:
        """Deals the hidden cards consistently with what all players have seen."""
        resample(state, player)

    @staticmethod
    def is_consistent(state: UnoState, params: Any, player: int) -> bool:
        """Whether the hands agree with what all players have seen."""
        return agrees(state, player)


# --- legal actions ------------------------------------------------------------------------


def add_turn(state: UnoState, params: Any, actions: ActionList) -> None:
    """Adds each distinct playable card, drawing, and passing if nothing else is possible."""
    hand = state.hands[state.player]
    options = cards_in(hand) & playable_cards(state, params)
    if state.stock.count > 0:
        if options == 0 or params.voluntary_draw == 1:
            add(actions, pack(Move.DRAW))
    elif options == 0:
        add(actions, pack(Move.PASS))
    if options != 0:
        add_plays(state, params, actions, options)


def add_plays(state: UnoState, params: Any, actions: ActionList, options: int) -> None:
    """Adds the ways to play each card of `options`, a bit mask of cards in hand."""
    hand = state.hands[state.player]
    if is_last_but_one(state, params):
        for i in range(hand.count):
            if options >> hand.cards[i] & 1:
                options &= ~(1 << hand.cards[i])
                add_card(state, params, actions, hand.cards[i])
        return
    add_marked(actions, Move.PLAY, hand.cards, hand.count, options & ~WILD_CARDS)
    for card in range(Card.WILD, Card.WILD_DRAW_FOUR + 1):
        if options >> card & 1:
            add_card(state, params, actions, card)


def add_drawn(state: UnoState, params: Any, actions: ActionList, card: int) -> None:
    """Adds the ways to play the card just drawn."""
    if card >= Card.WILD and params.colourless_drawn == 1:
        add(actions, pack(Move.PLAY, card))
        if is_last_but_one(state, params):
            add(actions, pack(Move.CALL, card))
    else:
        add_card(state, params, actions, card)


def add_card(state: UnoState, params: Any, actions: ActionList, card: int) -> None:
    """Adds the ways to play a card: with each colour, with and without calling Uno."""
    calls = is_last_but_one(state, params)
    if card < Card.WILD or state.hands[state.player].count == 1:
        add(actions, pack(Move.PLAY, card))
        if calls:
            add(actions, pack(Move.CALL, card))
        return
    for colour in range(Colour.NONE):
        add(actions, pack(Move.NAME, card, colour))
        if calls:
            add(actions, pack(Move.NAME_AND_CALL, card, colour))


def is_last_but_one(state: UnoState, params: Any) -> bool:
    """Whether the player to move must call Uno when playing a card."""
    return params.uno_call == 1 and state.hands[state.player].count == 2


# --- effects of actions -------------------------------------------------------------------


def act(state: UnoState, params: Any, action: int) -> bool:
    """Carries out an action; returns whether that ends the turn."""
    move = kind(action)
    if move <= Move.NAME_AND_CALL:
        named = move == Move.NAME or move == Move.NAME_AND_CALL
        colour = operand(action, 1) if named else Colour.NONE
        called = move == Move.CALL or move == Move.NAME_AND_CALL
        return play_card(state, params, operand(action, 0), colour, called)
    if move == Move.DRAW:
        return draw_instead(state, params)
    if move == Move.CHALLENGE:
        return challenge(state)
    if move == Move.ACCEPT:
        hit_next(state, 4)
        return close_turn(state)
    if move == Move.CATCH or move == Move.OVERLOOK:
        return answer_missing_call(state, params, move == Move.CATCH)
    if move == Move.PASS:
        note_nothing(state, params)
        state.passes.value += 1
    return True


def after_turn(state: UnoState, params: Any) -> None:
    """Begins the next player's turn, or ends the round if it is over."""
    if round_is_over(state, params):
        announce_end(state, params)
        finish_round(state, params)
    else:
        pass_on(state)


def announce_end(state: UnoState, params: Any) -> None:
    """Announces why the round is over."""
    if state.hands[state.turn_owner].count == 0:
        announce(Say.OUT_OF_CARDS, state.turn_owner)
    elif state.passes.value > 0 and state.passes.value >= players_left(state):
        announce(Say.STUCK)
    else:
        announce(Say.LIMIT, params.turn_limit)


def round_is_over(state: UnoState, params: Any) -> bool:
    """Whether the player has no card left, all have passed, or the limit of turns is reached."""
    if state.hands[state.turn_owner].count == 0:
        return True
    if params.turn_limit > 0:
        if state.turn + 1 - state.began.values[0] >= params.turn_limit:
            return True
    return state.passes.value > 0 and state.passes.value >= players_left(state)


# --- the heuristic ------------------------------------------------------------------------


def standing(state: UnoState, params: Any, player: int) -> float:
    """The standing of a player, 0 .. 1: points towards victory, and a short hand."""
    if state.seat[player].out:
        return 0.0
    hand = 1.0 / (1.0 + 0.25 * state.hands[player].count)
    if params.target == 0:
        return hand
    score = state.seat[player].score / params.target
    if params.scoring == Scoring.OWN or params.scoring == Scoring.KNOCK_OUT:
        score += 1.0 - hand_points(params, state.hands[player]) / params.target
    return 0.6 * min(1.0, max(0.0, score)) + 0.4 * hand
