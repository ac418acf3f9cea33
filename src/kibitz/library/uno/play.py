"""A turn of Uno: the cards that may be played, and their effects."""

from __future__ import annotations

from typing import Any

from kibitz.components import (
    Deck,
    cards_in,
    draw_card,
    end_turn,
    move_all,
    move_copy,
    next_player,
    place_card,
    players_left,
    reverse_order,
    show_deck,
    shuffle_deck,
    skip_players,
    take_card,
)
from kibitz.components.batches import begin_batch, note_drawn
from kibitz.core.layout import EVERYONE
from kibitz.core.trace import announce
from kibitz.library.uno.cards import (
    ALIKE_CARDS,
    COLOUR_CARDS,
    WILD_CARDS,
    Card,
    CardSymbol,
    Colour,
    colour_of,
    symbol_of,
)
from kibitz.library.uno.deductions import note_none, note_not, note_play, note_some
from kibitz.library.uno.phases import Phase
from kibitz.library.uno.table import Say, UnoState, WildDrawFour

# --- playable cards -----------------------------------------------------------------------


def playable_cards(state: UnoState, params: Any) -> int:
    """The cards that the player to move may play from their hand, one bit each."""
    playable = fitting_cards(state, params)
    if params.wild_draw_four == WildDrawFour.STRICT:
        playable &= ~barred_cards(state)
    return playable


def fitting_cards(state: UnoState, params: Any) -> int:
    """The cards that may follow the top of the pile, whatever else a hand holds, one bit each."""
    top = state.pile.cards[state.pile.count - 1]
    alike = ALIKE_CARDS[2 * params.match_symbols + params.wild_numbers][top]
    return int(COLOUR_CARDS[state.colour.value] | alike | WILD_CARDS)


def barred_cards(state: UnoState) -> int:
    """The mask of a Wild Draw Four if the hand has a card of the colour that counts; else 0."""
    barred = has_colour(state.hands[state.player], state.colour.value)
    return 1 << Card.WILD_DRAW_FOUR if barred else 0


def can_play(state: UnoState, params: Any, card: int) -> bool:
    """Whether the player to move may play a card of their hand."""
    return playable_cards(state, params) >> card & 1 == 1


def has_colour(hand: Deck, colour: int) -> bool:
    """Whether a hand has a card of a colour; false for ``Colour.NONE``."""
    return bool(cards_in(hand) & COLOUR_CARDS[colour] != 0)


def drawn_card(state: UnoState) -> int:
    """The card that the player to move has just drawn."""
    hand = state.hands[state.player]
    return hand.cards[hand.count - 1]


# --- playing a card -----------------------------------------------------------------------


def play_card(state: UnoState, params: Any, card: int, colour: int, called: bool) -> bool:
    """Plays a card and carries out its effect; returns whether the turn is over.

    `colour` is the named colour of a wild card, `called` says whether Uno was called. If the turn
    is not over, another player has to decide first.
    """
    player = state.player
    hand = state.hands[player]
    just_drawn = state.phase == Phase.DRAWN
    if just_drawn:
        draw_card(state, hand, state.pile)
    else:
        move_copy(state, hand, card, state.pile)
    note_play(state, player, card, just_drawn)
    state.passes.value = 0
    state.uncalled.value = 1 if params.uno_call == 1 and hand.count == 1 and not called else 0
    state.matched.value = state.colour.value
    state.colour.value = colour_of(card) if card < Card.WILD else colour
    if card == Card.WILD_DRAW_FOUR:
        return play_wild_draw_four(state, params)
    if card < Card.WILD:
        play_action_card(state, symbol_of(card))
    return close_turn(state)


def play_action_card(state: UnoState, symbol: int) -> None:
    """Carries out Skip, Reverse and Draw Two; other symbols have no effect."""
    if symbol == CardSymbol.REVERSE:
        reverse_order(state)
        announce_direction(state)
    if symbol == CardSymbol.SKIP or (symbol == CardSymbol.REVERSE and players_left(state) == 2):
        skip_next(state)
    elif symbol == CardSymbol.DRAW_TWO:
        hit_next(state, 2)


def play_wild_draw_four(state: UnoState, params: Any) -> bool:
    """Wild Draw Four: the next player draws, or may challenge it unless the hand is empty."""
    if params.wild_draw_four == WildDrawFour.CHALLENGE:
        if state.hands[state.turn_owner].count > 0:
            state.phase = Phase.CHALLENGE
            state.player = next_player(state, state.turn_owner)
            return False
    elif params.wild_draw_four == WildDrawFour.STRICT:
        note_no_colour(state, state.turn_owner)
    if params.wild_draw_four != WildDrawFour.NOTHING:
        hit_next(state, 4)
    return close_turn(state)


def hit_next(state: UnoState, cards: int) -> None:
    """Makes the next player draw `cards` cards and miss a turn."""
    draw_cards(state, next_player(state, state.turn_owner), cards)
    skip_next(state)


def skip_next(state: UnoState) -> None:
    """Makes the next player miss a turn."""
    announce(Say.MISS, next_player(state, state.turn_owner))
    skip_players(state, 1)


def announce_direction(state: UnoState) -> None:
    """Announces to which side play goes, where that makes a difference."""
    if players_left(state) > 2:
        announce(Say.TURN_ROUND, 1 if state.direction > 0 else 0)


def challenge(state: UnoState) -> bool:
    """Challenge: shows the hand to the challenger; with a card of the colour its owner draws four.

    Otherwise the challenger draws six and misses a turn.
    """
    owner = state.turn_owner
    show_deck(state.hands[owner], state.player)
    if has_colour(state.hands[owner], state.matched.value):
        announce(Say.BLUFF, owner, state.matched.value)
        note_some(state, owner, state.matched.value)
        draw_cards(state, owner, 4)
    else:
        announce(Say.NO_BLUFF, owner, state.matched.value)
        note_no_colour(state, owner)
        hit_next(state, 6)
    return close_turn(state)


def note_no_colour(state: UnoState, player: int) -> None:
    """Notes that a player has no card of the colour on which the Wild Draw Four was played."""
    note_none(state, player, COLOUR_CARDS[state.matched.value])


def close_turn(state: UnoState) -> bool:
    """Ends the turn after a card's effect, unless a missing call may be caught."""
    owner = state.turn_owner
    if state.uncalled.value == 0 or state.hands[owner].count != 1:
        return True
    announce(Say.NO_CALL, owner)
    state.uncalled.value = 0
    state.phase = Phase.CATCH
    state.player = next_player(state, owner)
    return False


def answer_missing_call(state: UnoState, params: Any, caught: bool) -> bool:
    """Catches the player who did not call, or asks the next one; returns if the turn is over."""
    owner = state.turn_owner
    if caught:
        draw_cards(state, owner, params.uno_penalty)
        return True
    state.player = next_player(state, state.player)
    return state.player == owner


# --- drawing ------------------------------------------------------------------------------


def draw_instead(state: UnoState, params: Any) -> bool:
    """Draws a card for the player to move instead of a play; returns whether the turn is over."""
    player = state.player
    state.passes.value = 0
    if params.voluntary_draw == 0:
        note_nothing(state, params)
    announce(Say.DRAW, player, state.stock.cards[state.stock.count - 1])
    draw_cards(state, player, 1)
    state.phase = Phase.DRAWN
    if params.must_play_drawn == 0:
        return False  # even without a choice: others must not see whether the card could go
    card = drawn_card(state)
    if not can_play(state, params, card):
        announce(Say.NO_PLAY)
        note_unplayable(state, params)
        return True
    if card >= Card.WILD and params.colourless_drawn == 0:
        return False  # a colour is to be named
    if params.uno_call == 1 and state.hands[player].count == 2:
        return False  # there is a choice whether to call
    announce(Say.PLAY, player, card)
    return play_card(state, params, card, Colour.NONE, True)


def note_nothing(state: UnoState, params: Any) -> None:
    """Notes that the player to move has no card that can be played."""
    note_none(state, state.player, fitting_cards(state, params))


def note_unplayable(state: UnoState, params: Any) -> None:
    """Notes that the card just drawn cannot be played."""
    cards = fitting_cards(state, params)
    if params.wild_draw_four == WildDrawFour.STRICT:
        cards &= ~(1 << Card.WILD_DRAW_FOUR)
    note_not(state, state.player, cards)


def draw_cards(state: UnoState, player: int, cards: int) -> None:
    """Makes a player draw `cards` cards, or as many as there are."""
    for _ in range(cards):
        renew_stock(state)
        if state.stock.count > 0:
            note_drawn(state, player, draw_card(state, state.stock, state.hands[player]))


def renew_stock(state: UnoState) -> None:
    """Shuffles the cards below the top of the pile into the stock if it is empty."""
    if state.stock.count > 0 or state.pile.count < 2:
        return
    top = take_card(state.pile, state.pile.count - 1)
    move_all(state, state.pile, state.stock)
    shuffle_deck(state, state.stock)
    place_card(state, state.pile, top, EVERYONE)
    begin_batch(state, state.stock)


# --- from turn to turn --------------------------------------------------------------------


def begin_turn(state: UnoState) -> None:
    """Begins a turn, and renews an empty stock."""
    state.phase = Phase.TURN
    renew_stock(state)


def pass_on(state: UnoState) -> None:
    """Ends the turn and begins that of the next player."""
    end_turn(state)
    begin_turn(state)
