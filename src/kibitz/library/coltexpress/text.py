"""States of Colt Express as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kibitz.authoring import (
    EVERYONE,
    Status,
    counted,
    known_cards,
    player_name,
    tallied,
)
from kibitz.library.coltexpress.data import (
    ACTION_CARDS,
    BANDITS,
    FEW_BANDITS,
    FIRST_JEWEL,
    FIRST_STRONGBOX,
    JEWEL_VALUE,
    KINDS,
    MOST_BANDITS,
    PURSE_VALUES,
    PURSES,
    ROUND_CARDS,
    STRONGBOX_VALUE,
    SYMBOLS,
    TOKEN_NAMES,
    TurnSymbol,
)
from kibitz.library.coltexpress.loot import token_value
from kibitz.library.coltexpress.table import HELD, MARSHAL, Phase

if TYPE_CHECKING:
    from kibitz.core.state import State

SYMBOL_WORDS = {
    TurnSymbol.STANDARD: "standard",
    TurnSymbol.TUNNEL: "tunnel",
    TurnSymbol.SPEEDING_UP: "speeding-up",
    TurnSymbol.SWITCHING: "switching",
}
TURN_TEXTS = {
    "Standard": "Everyone plays a card face up, or draws.",
    "Tunnel": "Everyone plays a card face down, or draws.",
    "Speeding-up": "Everyone has two turns in a row.",
    "Switching": "In the opposite direction.",
}


def describe_table(state: State, observer: int | None) -> str:
    """The table as `observer` sees it, or with everything open for ``None``."""
    return "\n".join(
        [
            *_round(state, observer),
            *_train(state),
            *_gang(state, observer),
            f"Neutral bullets left: {state.view.neutral_bullets.value}.",
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


def _round(state: State, observer: int | None) -> Iterator[str]:
    view = state.view
    card = ROUND_CARDS[state.view.round_card.value]
    rounds = state.table.parameters.as_dict()["rounds"]
    headline = state.headline()
    if view.status == Status.PLAYING:
        phase = Phase(view.phase).name.lower()
        headline = f"Turn of {player_name(view.player, observer)}, {phase}."
    yield f"Round {_round_number(state) + 1} of {rounds}: {card.name}. {headline}"
    turns = [SYMBOL_WORDS[TurnSymbol(symbol)] for symbol in _symbols(state)]
    scheming = view.phase == Phase.SCHEMING and view.status != Status.FINISHED
    if scheming:
        turns[view.symbol.value] = f"[{turns[view.symbol.value]}]"
    text = f" At the end: {card.text}" if card.properties["event"] != "none" else ""
    first = player_name(view.first_player, observer)
    yield f"Turns: {', '.join(turns)}; {first} begins.{text}"


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
    """The bandits and the loot at a place."""
    view = state.view
    bandits = [_name(view, b) for b in range(view.bandits.value) if view.where.values[b] == place]
    return ", ".join([*bandits, *_tokens(view, place)])


def _tokens_at(view: Any, place: int) -> list[int]:
    return [t for t in range(len(TOKEN_NAMES)) if view.token_at.values[t] == place]


def _tokens(view: Any, place: int) -> list[str]:
    """The loot at a place, beginning with the purses whose value the observer knows."""
    tokens = _tokens_at(view, place)
    purses = [token for token in tokens if token < FIRST_JEWEL]
    known = [token for token in purses if view.purses.cards[token] >= 0]
    shown = [f"{TOKEN_NAMES[t]} ({PURSES.word(view.purses.cards[t])})" for t in known]
    shown += _numbered("purse", [token + 1 for token in purses if token not in known])
    jewels = [token for token in tokens if FIRST_JEWEL <= token < FIRST_STRONGBOX]
    shown += _numbered("jewel", [token - FIRST_JEWEL + 1 for token in jewels])
    return shown + [TOKEN_NAMES[token] for token in tokens if token >= FIRST_STRONGBOX]


def _numbered(noun: str, numbers: list[int]) -> list[str]:
    """The tokens of a kind by their numbers: ``purses 7, 9-12``; empty without tokens."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [f"{r[0]}-{r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in runs]
    return [f"{noun}{'s' * (len(numbers) > 1)} {', '.join(words)}"] if words else []


def _name(view: Any, bandit: int) -> str:
    return BANDITS.word(view.character.values[bandit])


# --- the gang -----------------------------------------------------------------------------


def _gang(state: State, observer: int | None) -> Iterator[str]:
    """A line for each bandit, with the hand; hands have lines of their own for two bandits."""
    view = state.view
    alone = view.bandits.value == state.players
    scheming = view.phase == Phase.SCHEMING and view.status != Status.FINISHED
    for player in range(state.players):
        name = player_name(player, observer).capitalize()
        hand = _hand(view, player, alone) if scheming else ""
        for bandit in range(player, view.bandits.value, state.players):
            held = f"; {hand}" if alone and hand else ""
            yield f"{name}: {_bandit(state, bandit)}{held}."
        if hand and not alone:
            yield f"{name} {hand}."


def _bandit(state: State, bandit: int) -> str:
    """A bandit's name, bullets, loot and hits."""
    view = state.view
    bullets = counted(view.bullets.values[bandit], "bullet")
    return f"{_name(view, bandit)}; {bullets}; {_loot(state, bandit)}{_hits(view, bandit)}"


def _loot(state: State, bandit: int) -> str:
    """A bandit's loot, with the total value of several tokens if it is known."""
    view = state.view
    tokens, cash = _tokens_at(view, HELD + bandit), view.cash.values[bandit]
    loot = _tokens(view, HELD + bandit) + ([f"${cash}"] if cash else [])
    unknown = any(t < FIRST_JEWEL and view.purses.cards[t] < 0 for t in tokens)
    if unknown or len(tokens) + bool(cash) < 2:
        return f"has {', '.join(loot) or 'nothing'}"
    worth = cash + sum(token_value(view, state.table.parameters, token) for token in tokens)
    return f"has ${worth}: {', '.join(loot)}"


def _hits(view: Any, bandit: int) -> str:
    """The number of bullets that a bandit received from each shooter."""
    words = []
    for shooter in range(MOST_BANDITS + 1):
        number = view.hits.values[bandit * (MOST_BANDITS + 1) + shooter]
        if number:
            neutral = shooter == MARSHAL
            words.append(f"{number} " + ("neutral" if neutral else f"of {_name(view, shooter)}"))
    return f"; bullets received: {', '.join(words)}" if words else ""


# --- cards --------------------------------------------------------------------------------


def _hand(view: Any, player: int, alone: bool) -> str:
    """A player's hand, and the size of the deck."""
    hand = view.hands[player]
    cards = _held(view, known_cards(hand), alone) or counted(hand.count, "card")
    return f"holds {cards}; deck {view.decks[player].count}"


def _held(view: Any, cards: list[int], alone: bool) -> str:
    """The cards of a hand, without the bandit's name if the player runs only one."""
    names = (ACTION_CARDS.word(c % KINDS) if alone else _card(view, c) for c in sorted(cards))
    return tallied(names)


def _pile(state: State) -> Iterator[str]:
    """The played cards that were not carried out yet; hidden ones by their owner."""
    view = state.view
    alone = view.bandits.value == state.players
    names = []
    for i in range(view.next_card.value, view.pile.count):
        card = view.pile.cards[i]
        if card < 0:
            player = -card - 1  # everyone sees whose card it is
            names.append(f"{_name(view, player) if alone else player_name(player)}'s hidden card")
        else:
            hidden = view.pile.seen[i] != EVERYONE
            names.append(_card(view, card) + (" (hidden)" if hidden else ""))
    if names and view.phase == Phase.STEALING:
        names[0] = f"[{names[0]}]"
    if names:
        yield f"Pile: {', '.join(names)}."


def _card(view: Any, card: int) -> str:
    """A card by its bandit and kind."""
    kind_of_card = ACTION_CARDS.word(card % KINDS)
    return f"{_name(view, card // KINDS)}'s {kind_of_card}"


# --- the glossary -------------------------------------------------------------------------


def glossary_texts() -> dict[str, dict[str, str]]:
    """Explanations of bandits, cards, turns, events and loot."""
    events = [card for card in ROUND_CARDS if card.properties["event"] != "none"]
    cheapest, dearest = PURSE_VALUES.min(), PURSE_VALUES.max()
    return {
        "The bandits": {bandit.name: bandit.text for bandit in BANDITS},
        "Their cards": {card.name: card.text for card in ACTION_CARDS},
        "The turns of a round": TURN_TEXTS,
        "At the end of a round": {card.name: card.text for card in events},
        "The loot": {
            "Purse": f"${cheapest} to ${dearest}; who has held one knows it.",
            "Jewel": f"${JEWEL_VALUE}.",
            "Strongbox": f"${STRONGBOX_VALUE}.",
        },
    }
