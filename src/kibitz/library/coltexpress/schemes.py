"""The scheming phase: players play cards onto the common pile, face up or down, or draw."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import (
    EVERYONE,
    ActionList,
    Deck,
    add,
    add_if,
    announce,
    cards_in,
    clear_deck,
    find_card,
    kind,
    next_player,
    operand,
    pack,
    place_card,
    put_card,
    put_copies,
    random_below,
)
from kibitz.library.coltexpress.data import (
    FEW_BANDITS,
    KINDS,
    SYMBOLS,
    TURNS,
    Card,
    Character,
    TurnSymbol,
)
from kibitz.library.coltexpress.table import ColtExpressState, Move, Say, owner


def symbol_now(state: ColtExpressState) -> int:
    """The ``TurnSymbol`` of the current turn."""
    table = 0 if state.bandits.value <= FEW_BANDITS else 1
    return int(SYMBOLS[table, state.round_card.value, state.symbol.value])


# --- cards --------------------------------------------------------------------------------


def fill_decks(state: ColtExpressState, params: Any) -> None:
    """Gives each player the cards of their bandits."""
    for bandit in range(state.bandits.value):
        deck = state.decks[owner(state, bandit)]
        first = bandit * KINDS
        put_copies(state, deck, first + Card.MOVE, params.moves)
        put_copies(state, deck, first + Card.FLOOR_CHANGE, params.floor_changes)
        put_copies(state, deck, first + Card.FIRE, params.fires)
        put_copies(state, deck, first + Card.ROBBERY, params.robberies)
        put_copies(state, deck, first + Card.PUNCH, params.punches)
        put_copies(state, deck, first + Card.MARSHAL, params.marshals)


def draw_cards(state: ColtExpressState, player: int, number: int) -> None:
    """Draws `number` cards, or as many as the deck has.

    A random card of an unordered deck is equivalent to the top card of a shuffled one.
    """
    deck = state.decks[player]
    for _ in range(min(number, deck.count)):
        place = random_below(state.rng, deck.count)
        card = deck.cards[place]
        announce(Say.DRAW, player, state.character.values[card // KINDS], card % KINDS)
        put_card(state, state.hands[player], card)
        take_out(deck, place)


def take_out(deck: Deck, place: int) -> None:
    """Removes a card from an unordered deck or hand: the last card takes its place."""
    last = deck.count - 1
    deck.cards[place] = deck.cards[last]
    deck.cards[last] = 0
    deck.seen[last] = 0
    deck.count = last


def deal_hands(state: ColtExpressState, params: Any) -> None:
    """Draws the hands of all players; Doc draws more cards."""
    for player in range(state.players):
        draw_cards(state, player, params.hand_size)
    doc = state.bandit_of.values[Character.DOC]
    if doc >= 0:
        draw_cards(state, owner(state, doc), params.doc_draws)


def gather_cards(state: ColtExpressState) -> None:
    """Returns all cards, played or not, to the decks; nobody knows them any more."""
    pile = state.pile
    for i in range(pile.count):
        player = owner(state, pile.cards[i] // KINDS)
        put_card(state, state.decks[player], pile.cards[i])
    clear_deck(pile)
    for player in range(state.players):
        hand = state.hands[player]
        for i in range(hand.count):
            put_card(state, state.decks[player], hand.cards[i])
        clear_deck(hand)
        deck = state.decks[player]
        for i in range(deck.count):
            deck.seen[i] = 0


# --- turns --------------------------------------------------------------------------------


def add_schemes(state: ColtExpressState, params: Any, actions: ActionList) -> None:
    """Adds a play for each distinct card in hand except bullets, and drawing cards."""
    hand = state.hands[state.player]
    held = cards_in(hand)
    tunnel = symbol_now(state) == TurnSymbol.TUNNEL
    add_own(state, params, actions, state.player, held, tunnel)
    partner = state.player + state.players
    if partner < state.bandits.value:
        add_own(state, params, actions, partner, held, tunnel)
    add(actions, pack(Move.DRAW))


def add_own(
    state: ColtExpressState,
    params: Any,
    actions: ActionList,
    bandit: int,
    held: int,
    tunnel: bool,
) -> None:
    """Adds the plays of a bandit's cards: face up, face down, or both for Ghost."""
    cards = held >> bandit * KINDS
    haunted = is_first_turn(state) and state.character.values[bandit] == Character.GHOST
    if not tunnel and not (haunted and params.ghost_must_hide):
        add_plays(state, actions, Move.PLAY, bandit, cards)
    if tunnel or haunted:
        add_plays(state, actions, Move.HIDE, bandit, cards)


def add_plays(
    state: ColtExpressState, actions: ActionList, move: int, bandit: int, cards: int
) -> None:
    """Adds a play for each card of a bandit that has a bit in `cards`."""
    for card in range(Card.BULLET):
        add_if(cards >> card & 1 == 1, actions, pack(move, state.character.values[bandit], card))


def is_first_turn(state: ColtExpressState) -> bool:
    """Whether it is a player's first turn of the round."""
    return state.symbol.value == 0 and state.sped_up.value == 0


def scheme(state: ColtExpressState, params: Any, action: int) -> None:
    """Puts a card onto the pile, or draws."""
    player = state.player
    if kind(action) == Move.DRAW:
        draw_cards(state, player, params.cards_drawn)
        return
    card = state.bandit_of.values[operand(action, 0)] * KINDS + operand(action, 1)
    hand = state.hands[player]
    take_out(hand, find_card(hand, card))
    if kind(action) == Move.PLAY:
        place_card(state, state.pile, card, EVERYONE)
        return
    place_card(state, state.pile, card, 1 << player)
    if symbol_now(state) != TurnSymbol.TUNNEL:
        announce(Say.GHOST)
        state.hidden_by_ghost.value = state.pile.count


def next_schemer(state: ColtExpressState) -> bool:
    """Goes on to the next player who schemes; returns whether there is one."""
    symbol = symbol_now(state)
    if symbol == TurnSymbol.SPEEDING_UP and state.sped_up.value == 0:
        state.sped_up.value = 1
        return True
    state.sped_up.value = 0
    state.schemed.value += 1
    if state.schemed.value < state.players:
        state.player = next_player(state, state.player)
    else:
        state.symbol.value += 1
        table = 0 if state.bandits.value <= FEW_BANDITS else 1
        if state.symbol.value >= TURNS[table, state.round_card.value]:
            return False
        state.turn += 1
        begin_turn(state)
    state.turn_owner = state.player
    return True


def begin_turn(state: ColtExpressState) -> None:
    """Begins a turn with the first player, in reverse order if its symbol says so."""
    state.schemed.value = 0
    state.direction = -1 if symbol_now(state) == TurnSymbol.SWITCHING else 1
    state.player = state.first_player
    state.turn_owner = state.first_player
