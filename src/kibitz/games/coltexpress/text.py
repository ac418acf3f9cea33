"""How a state of Colt Express is told to people: the round, the train, the gang, the pile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kibitz.core.actions import kind
from kibitz.core.status import Status
from kibitz.games.coltexpress.data import (
    ACTION_CARDS,
    BANDITS,
    FEW_BANDITS,
    FIRST_JEWEL,
    KINDS,
    MOST_BANDITS,
    PURSES,
    ROUND_CARDS,
    SYMBOLS,
    TOKEN_NAMES,
    Symbol,
)
from kibitz.games.coltexpress.table import HELD, MARSHAL, Move, Phase

if TYPE_CHECKING:
    from kibitz.core.state import State

SYMBOL_WORDS = {
    Symbol.STANDARD: "standard",
    Symbol.TUNNEL: "tunnel",
    Symbol.SPEEDING_UP: "speeding-up",
    Symbol.SWITCHING: "switching",
}


def told_of_move(before: State, action: int, after: State, observer: int, words: str) -> str:
    """What `observer` is told of an action: what was done, and what came of it.

    Of a card that others play face down no more than that; and who was hit by the Marshal or a
    passenger, and which event has ended the round.
    """
    told = [words]
    if kind(action) == Move.HIDE and before.current_player != observer:
        tunnel = _symbols(before)[before.view.symbol.value] == Symbol.TUNNEL
        told = ["play a card face down" if tunnel else "play a card of Ghost's face down"]
    if event := _event_held(before, after):
        told.append(f"at the end of the round: {event}")
    for bandit in range(after.view.bandits.value):
        shot = bandit * (MOST_BANDITS + 1) + MARSHAL
        if after.view.hits.values[shot] > before.view.hits.values[shot]:
            told.append(f"{_name(after.view, bandit)} is hit by the Marshal's side")
    return "; ".join(told)


def _event_held(before: State, after: State) -> str:
    """The name of the round card whose event has taken place; empty if none has."""
    card = ROUND_CARDS[before.view.round_card.value]
    over = after.view.round > before.view.round or after.view.phase == Phase.PICKPOCKETING
    held = over and before.view.phase != Phase.PICKPOCKETING
    return card.name if held and card.properties["event"] != "none" else ""


def describe_table(state: State, observer: int | None) -> str:
    """The table as `observer` sees it (``None``: everything)."""
    return "\n".join(
        [
            *_round(state),
            *_train(state),
            *_gang(state, observer),
            *_pile(state),
        ]
    )


# --- the round ----------------------------------------------------------------------------


def _round_number(state: State) -> int:
    view = state.view
    return int(min(view.round, state.table.parameters.as_dict()["rounds"] - 1))


def _symbols(state: State) -> list[int]:
    table = 0 if state.view.bandits.value <= FEW_BANDITS else 1
    return [int(s) for s in SYMBOLS[table, state.view.round_card.value] if s >= 0]


def _round(state: State) -> Iterator[str]:
    view = state.view
    card = ROUND_CARDS[state.view.round_card.value]
    rounds = state.table.parameters.as_dict()["rounds"]
    yield f"Round {_round_number(state) + 1} of {rounds}: {card.name}. {state.headline()}"
    turns = [SYMBOL_WORDS[Symbol(symbol)] for symbol in _symbols(state)]
    scheming = view.phase == Phase.SCHEMING and view.status != Status.FINISHED
    if scheming:
        turns[view.symbol.value] = f"[{turns[view.symbol.value]}]"
    text = f" At the end: {card.text}" if card.properties["event"] != "none" else ""
    yield f"Turns: {', '.join(turns)}.{text}"


# --- the train ----------------------------------------------------------------------------


def _train(state: State) -> Iterator[str]:
    view = state.view
    cars = view.bandits.value
    for car in range(cars + 1):
        name = "Locomotive" if car == 0 else "Caboose" if car == cars else "Car"
        number = f" (car {car})" if car == cars else f" {car}" if car else ""
        roof = _place(state, 2 * car + 1)
        marshal = "Marshal" if view.marshal.value == car else ""
        inside = ", ".join(filter(None, [marshal, _place(state, 2 * car)])) or "empty"
        yield f"  {name}{number}: {inside}{'; on the roof: ' if roof else ''}{roof}"


def _place(state: State, place: int) -> str:
    """Who and what is at a place."""
    view = state.view
    bandits = [_name(view, b) for b in range(view.bandits.value) if view.where.values[b] == place]
    return ", ".join([*bandits, *_tokens(view, place)])


def _tokens(view: Any, place: int) -> list[str]:
    return [
        _token(view, token)
        for token in range(len(TOKEN_NAMES))
        if view.token_at.values[token] == place
    ]


def _token(view: Any, token: int) -> str:
    """A token, with its value if the one who is told knows it."""
    if token < FIRST_JEWEL and view.purses.cards[token] >= 0:
        return f"{TOKEN_NAMES[token]} ({PURSES.word(view.purses.cards[token])})"
    return TOKEN_NAMES[token]


def _name(view: Any, bandit: int) -> str:
    return BANDITS.word(view.character.values[bandit])


# --- the gang -----------------------------------------------------------------------------


def _gang(state: State, observer: int | None) -> Iterator[str]:
    """A line for each bandit; where players run several, their hands follow."""
    view = state.view
    alone = view.bandits.value == state.players
    scheming = view.phase == Phase.SCHEMING and view.status != Status.FINISHED
    for bandit in range(view.bandits.value):
        player = bandit % state.players
        hand = f"; {_hand(view, player, alone)}" if alone and scheming else ""
        yield f"{_who(player, observer)}: {_bandit(view, bandit)}{hand}."
    if scheming and not alone:
        for player in range(state.players):
            yield f"{_who(player, observer)} {_hand(view, player, alone)}."


def _who(player: int, observer: int | None) -> str:
    return f"Player {player + 1}" + (" (you)" if player == observer else "")


def _bandit(view: Any, bandit: int) -> str:
    """What everyone can see of a bandit, and their loot."""
    loot = _tokens(view, HELD + bandit)
    if view.cash.values[bandit]:
        loot.append(f"${view.cash.values[bandit]}")
    left = view.bullets.values[bandit]
    bullets = "1 bullet" if left == 1 else f"{left} bullets"
    hits = _hits(view, bandit)
    shot = f"; hit by {hits}" if hits else ""
    return f"{_name(view, bandit)}; {bullets}; has {', '.join(loot) or 'nothing'}{shot}"


def _hits(view: Any, bandit: int) -> str:
    """Who has hit a bandit how often."""
    words = []
    for shooter in range(MOST_BANDITS + 1):
        number = view.hits.values[bandit * (MOST_BANDITS + 1) + shooter]
        name = "the Marshal's side" if shooter == MARSHAL else ""
        if number:
            name = name or _name(view, shooter)
            words.append(f"{name} {number}" if number > 1 else name)
    return ", ".join(words)


# --- cards --------------------------------------------------------------------------------


def _hand(view: Any, player: int, alone: bool) -> str:
    """A hand, and how much is left of the deck; whose cards they are goes without saying."""
    hand = view.hands[player]
    cards = sorted(hand.cards[i] for i in range(hand.count))
    if hand.count == 0 or cards[0] < 0:
        held = "1 card" if hand.count == 1 else f"{hand.count} cards"
    elif alone:
        held = ", ".join(ACTION_CARDS.word(card % KINDS) for card in cards)
    else:
        held = ", ".join(str(_card(view, card)) for card in cards)
    return f"holds {held}; {view.decks[player].count} left in the deck"


def _pile(state: State) -> Iterator[str]:
    """The cards that were played and not carried out yet."""
    view = state.view
    names = []
    for i in range(view.next_card.value, view.pile.count):
        card = view.pile.cards[i]
        names.append(_card(view, card) or f"face down, of player {-card}")
    if names and view.phase == Phase.STEALING:
        names[0] = f"[{names[0]}]"
    if names:
        yield f"Pile: {', '.join(names)}."


def _card(view: Any, card: int) -> str | None:
    """A card by its bandit and kind; ``None`` for a hidden one."""
    if card < 0:
        return None
    kind_of_card = ACTION_CARDS.word(card % KINDS)
    return f"{_name(view, card // KINDS)}'s {kind_of_card}"
