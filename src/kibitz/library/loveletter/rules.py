"""Love Letter (Seiji Kanai, AEG 2012): sixteen cards, rounds, tokens of affection.

Source: the rules of the AEG edition of 2012. In each round one card is set aside face down (with
two players three more face up). Each player has one card in hand, draws one on their turn and
plays one of the two. The last player in the round, or the one with the highest hand when the deck
is empty, takes a token; a tie goes to the higher total of discards. The first player with 7, 5 or
4 tokens (2, 3, 4 players) wins; the winner of a round begins the next.

Where the rules are silent: players who are still tied after the discards each take a token, the
first of them in turn order begins the next round, and players who reach the last token together
share the victory.

Parameters: the number of each card, ``tokens_to_win`` (1 makes it a game of one round),
``set_aside``, ``face_up`` and ``tie_rule``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from kibitz.authoring import (
    ActionList,
    Game,
    GameParameters,
    add,
    announce,
    clear_deck,
    draw_card,
    eliminate,
    end_round,
    end_turn,
    finish_by_score,
    kind,
    lead,
    move_copy,
    next_player,
    operand,
    pack,
    players_left,
    put_copies,
    restore_players,
    show_card,
    show_deck,
    shuffle_deck,
    start_round,
    trade_decks,
)
from kibitz.core import state as states
from kibitz.core.parameters import read_json_object
from kibitz.library.loveletter.knowledge import (
    agrees,
    deal_to_fit,
    forget_ties,
    note_discard,
    note_last_discard,
    note_tie,
    rule_out,
    trade_ties,
)
from kibitz.library.loveletter.table import (
    CARDS,
    Card,
    LoveLetterState,
    Move,
    Parameters,
    Say,
    TieRule,
)
from kibitz.library.loveletter.text import describe_table


class LoveLetter(Game):
    """Get your letter to the Princess: outlast or outrank the others, round after round."""

    name = "love-letter"
    look = "kibitz.pictures.looks.loveletter:LoveLetterLook"
    title = "Love Letter"
    players = (2, 4)
    categories = ("card game", "deduction")
    mechanics = ("hand management", "player elimination", "hidden information", "rounds")
    zero_sum = True
    source = "Seiji Kanai, AEG 2012"
    max_ticks = 2_000
    several_deals = True
    endings: ClassVar[Mapping[int, str]] = {0: "somebody has as many tokens as it takes"}
    how_to_play = read_json_object(Path(__file__).with_name("how_to_play.json"))
    Parameters = Parameters
    State = LoveLetterState
    Actions = Move
    Announcements = Say

    @classmethod
    def problem(cls, players: int, parameters: GameParameters) -> str | None:
        """Why the deck is too small for the first turn; ``None`` if it is not."""
        values = parameters.as_dict()
        cards = sum(list(values.values())[:8])
        needed = players + 1 + values["set_aside"] + values["face_up"]
        if cards < needed:
            return f"{cards} cards are too few: {players} players need at least {needed}."
        return None

    @classmethod
    def describe(cls, state: states.State, observer: int | None) -> str:
        """Describes the table in a line, and each player in another."""
        return describe_table(state.view, state.headline(), CARDS, observer)

    @staticmethod
    def setup(state: LoveLetterState, params: Any) -> None:
        """Deals the first round; the first player begins."""
        deal_round(state, params, 0)

    @staticmethod
    def legal_actions(state: LoveLetterState, params: Any, actions: ActionList) -> None:
        """Adds each card in hand, with each target and guess that it allows."""
        hand = state.hands[state.player]
        first = hand.cards[0]
        second = hand.cards[1]
        if must_play_countess(first, second):
            add(actions, pack(Move.PLAY, Card.COUNTESS))
            return
        add_plays(state, actions, first)
        if second != first:
            add_plays(state, actions, second)

    @staticmethod
    def apply_action(state: LoveLetterState, params: Any, action: int) -> None:
        """Plays a card, carries out its effect, and moves on to the next turn or round."""
        player = state.player
        if kind(action) == Move.GUESS:
            leave_hand(state, player, Card.GUARD)
            guess_card(state, operand(action, 0), operand(action, 1))
        else:
            card = operand(action, 0)
            leave_hand(state, player, card)
            if kind(action) == Move.PLAY_ON:
                play_on(state, player, card, operand(action, 1))
            elif card == Card.HANDMAID:
                state.protected[player].value = 1
                announce(Say.PROTECT, player)
            elif card == Card.PRINCESS:
                knock_out(state, player)
            elif card != Card.COUNTESS:
                announce(Say.NO_TARGET, card)
        if players_left(state) == 1 or state.deck.count == 0:
            score_round(state, params)
        else:
            end_turn(state)
            begin_turn(state)

    @staticmethod
    def heuristic(state: LoveLetterState, params: Any, player: int) -> float:
        """The lead in tokens towards victory, and with less weight in the value of the hand."""
        return lead(state, params, player, standing)

    @staticmethod
    def redeterminize(state: LoveLetterState, params: Any, player: int) -> None:
        """Deals the hidden hands again until they agree with what all players have seen."""
        deal_to_fit(state, player)

    @staticmethod
    def is_consistent(state: LoveLetterState, params: Any, player: int) -> bool:
        """Whether no hidden hand contradicts a failed guess, a duel or a kept Countess."""
        return agrees(state, player)


# --- rounds and turns ---------------------------------------------------------------------


def deal_round(state: LoveLetterState, params: Any, first: int) -> None:
    """Gathers and shuffles all cards, deals the hands, and begins the turn of `first`."""
    clear_deck(state.deck)
    clear_deck(state.set_aside)
    clear_deck(state.face_up)
    for p in range(state.players):
        clear_deck(state.hands[p])
        clear_deck(state.discards[p])
        state.protected[p].value = 0
        state.ruled_out[p].values[0] = 0
    forget_ties(state)
    restore_players(state)
    put_copies(state, state.deck, Card.GUARD, params.guards)
    put_copies(state, state.deck, Card.PRIEST, params.priests)
    put_copies(state, state.deck, Card.BARON, params.barons)
    put_copies(state, state.deck, Card.HANDMAID, params.handmaids)
    put_copies(state, state.deck, Card.PRINCE, params.princes)
    put_copies(state, state.deck, Card.KING, params.kings)
    put_copies(state, state.deck, Card.COUNTESS, params.countesses)
    put_copies(state, state.deck, Card.PRINCESS, params.princesses)
    shuffle_deck(state, state.deck)
    for _ in range(params.set_aside):
        draw_card(state, state.deck, state.set_aside)
    for _ in range(params.face_up):
        draw_card(state, state.deck, state.face_up)
    for p in range(state.players):
        draw_card(state, state.deck, state.hands[p])
    start_round(state, first)
    begin_turn(state)


def begin_turn(state: LoveLetterState) -> None:
    """Ends the protection of the player to move, and draws a card."""
    state.protected[state.player].value = 0
    draw_card(state, state.deck, state.hands[state.player])


def score_round(state: LoveLetterState, params: Any) -> None:
    """Awards the tokens of the round, and ends the game or deals the next round."""
    best = -1
    for p in range(state.players):
        best = max(best, rank(state, params, p))
    show_hands(state, params)
    end_round(state)
    starter = -1
    over = False
    for step in range(state.players):
        p = (state.first_player + step) % state.players
        if rank(state, params, p) == best:
            state.tokens[p].value += 1
            state.seat[p].score = state.tokens[p].value
            announce(Say.TOKEN, p, state.tokens[p].value, params.tokens_to_win)
            over = over or state.tokens[p].value >= params.tokens_to_win
            if starter < 0:
                starter = p
    if over:
        finish_by_score(state)
    else:
        deal_round(state, params, starter)


def show_hands(state: LoveLetterState, params: Any) -> None:
    """Announces why the round ends; if several players are left, they show their hands."""
    if players_left(state) == 1:
        announce(Say.ALONE, next_player(state, state.player))
        return
    announce(Say.EMPTY)
    highest = -1
    for p in range(state.players):
        if state.seat[p].out == 0 and state.hands[p].count > 0:
            highest = max(highest, state.hands[p].cards[0])
    with_highest = 0
    for p in range(state.players):
        if state.seat[p].out == 0 and state.hands[p].count > 0:
            announce(Say.SHOW, p, state.hands[p].cards[0])
            for observer in range(state.players):
                show_card(state.hands[p], 0, observer)
            with_highest += 1 if state.hands[p].cards[0] == highest else 0
    if with_highest > 1 and params.tie_rule == TieRule.DISCARDS:
        announce(Say.DISCARDS)


def rank(state: LoveLetterState, params: Any, player: int) -> int:
    """A player's rank when the round ends: by hand, then by discards; -1 when out."""
    if state.seat[player].out:
        return -1
    hand = state.hands[player]
    value = (hand.cards[0] + 1) * 1000 if hand.count > 0 else 0
    if params.tie_rule == TieRule.DISCARDS:
        for i in range(state.discards[player].count):
            value += state.discards[player].cards[i] + 1
    return value


def standing(state: LoveLetterState, params: Any, player: int) -> float:
    """The standing of a player, 0 .. 1: tokens towards victory, and the best card in hand."""
    value = 0.7 * state.tokens[player].value / params.tokens_to_win
    hand = state.hands[player]
    if state.seat[player].out == 0 and hand.count > 0:
        best = hand.cards[0]
        if hand.count > 1 and hand.cards[1] > best:
            best = hand.cards[1]
        value += 0.1 + 0.2 * best / 7.0
    return value


# --- cards --------------------------------------------------------------------------------


def must_play_countess(a: int, b: int) -> bool:
    """Whether a hand of these two cards forces the Countess."""
    return (a == Card.COUNTESS and (b == Card.KING or b == Card.PRINCE)) or (
        b == Card.COUNTESS and (a == Card.KING or a == Card.PRINCE)
    )


def can_choose(state: LoveLetterState, player: int, target: int) -> bool:
    """Whether `player` may choose `target`, as another player, with a card."""
    return target != player and state.seat[target].out == 0 and state.protected[target].value == 0


def add_plays(state: LoveLetterState, actions: ActionList, card: int) -> None:
    """Adds all ways to play a card, which has no effect without a possible target."""
    player = state.player
    before = actions.count
    if card == Card.GUARD:
        for target in range(state.players):
            if can_choose(state, player, target):
                for guess in range(Card.PRIEST, Card.PRINCESS + 1):
                    add(actions, pack(Move.GUESS, target, guess))
    elif card == Card.PRIEST or card == Card.BARON or card == Card.KING or card == Card.PRINCE:
        for target in range(state.players):
            itself = target == player and card == Card.PRINCE
            if itself or can_choose(state, player, target):
                add(actions, pack(Move.PLAY_ON, card, target))
    if actions.count == before:
        add(actions, pack(Move.PLAY, card))


def leave_hand(state: LoveLetterState, player: int, card: int) -> None:
    """Discards the played card, and notes what everyone can infer about the kept one."""
    hand = state.hands[player]
    # A card that the kept one could not be has just been drawn: so the kept one stays.
    keeps_old = state.ruled_out[player].values[0] >> card & 1 == 1
    if not keeps_old:
        state.ruled_out[player].values[0] = 0
    note_discard(state, player, card)
    if card == Card.KING or card == Card.PRINCE:
        rule_out(state, player, 1 << Card.COUNTESS)
    move_copy(state, hand, card, state.discards[player])


def knock_out(state: LoveLetterState, player: int) -> None:
    """Eliminates a player from the round, who discards their hand."""
    eliminate(state, player)
    if state.hands[player].count > 0:
        note_last_discard(state, player, state.hands[player].cards[0])
    while state.hands[player].count > 0:
        announce(Say.DISCARD, player, state.hands[player].cards[state.hands[player].count - 1])
        draw_card(state, state.hands[player], state.discards[player])


def guess_card(state: LoveLetterState, target: int, guess: int) -> None:
    """Guard: eliminates the target if they hold the card; else all know that they do not."""
    if state.hands[target].cards[0] == guess:
        knock_out(state, target)
    else:
        announce(Say.MISS, target, guess)
        rule_out(state, target, 1 << guess)


def play_on(state: LoveLetterState, player: int, card: int, target: int) -> None:
    """Carries out Priest, Baron, Prince or King on a player."""
    if card == Card.PRIEST:
        show_deck(state.hands[target], player)
    elif card == Card.BARON:
        duel(state, player, target)
    elif card == Card.PRINCE:
        discard_hand(state, target)
    else:
        trade_decks(state, state.hands[player], state.hands[target])
        mine = state.ruled_out[player].values[0]
        state.ruled_out[player].values[0] = state.ruled_out[target].values[0]
        state.ruled_out[target].values[0] = mine
        trade_ties(state, player, target)


def duel(state: LoveLetterState, player: int, target: int) -> None:
    """Baron: two players see each other's card, and the one with the lower card is out.

    All players then know that the other card is higher, or after a tie that both are the same.
    """
    mine = state.hands[player].cards[0]
    theirs = state.hands[target].cards[0]
    announce(Say.DUEL, player, target, mine, theirs)
    show_deck(state.hands[target], player)
    show_deck(state.hands[player], target)
    if mine == theirs:
        announce(Say.TIE, player, target)
        note_tie(state, player, target)
        return
    loser = player if mine < theirs else target
    winner = target if mine < theirs else player
    lower = mine if mine < theirs else theirs
    knock_out(state, loser)
    rule_out(state, winner, (1 << (lower + 1)) - 1)


def discard_hand(state: LoveLetterState, target: int) -> None:
    """Prince: the target discards; with the Princess they are out, otherwise they draw.

    If the deck is empty, they take a card that was set aside.
    """
    was_princess = state.hands[target].cards[0] == Card.PRINCESS
    if was_princess:
        knock_out(state, target)
        return
    note_last_discard(state, target, state.hands[target].cards[0])
    announce(Say.DISCARD, target, state.hands[target].cards[0])
    draw_card(state, state.hands[target], state.discards[target])
    state.ruled_out[target].values[0] = 0
    if state.deck.count > 0:
        draw_card(state, state.deck, state.hands[target])
    elif state.set_aside.count > 0:
        draw_card(state, state.set_aside, state.hands[target])
