"""States of Hanabi as text: the fireworks, the tokens, and a line for each hand."""

from __future__ import annotations

from typing import Any

from kibitz.authoring import Status, counted, player_name, tallied
from kibitz.core import state as states
from kibitz.library.hanabi.table import CARDS, COLOURS, HAND, Rainbow


def describe_table(state: states.State, observer: int | None) -> str:
    """The table as `observer` sees it, or with everything open for ``None``."""
    view, values = state.view, state.table.parameters.as_dict()
    colours = COLOURS[: values["colours"]]
    if values["rainbow"] != Rainbow.NONE:
        colours.append(COLOURS[-1])
    heights = [f"{colour} {view.heights.values[COLOURS.index(colour)]}" for colour in colours]
    tokens = f"{counted(view.clues.value, 'clue')}, {counted(view.fuses.value, 'fuse')}"
    deck = counted(view.deck.count, "card") + " in the deck"
    if view.turns_left.values[0] and view.status != Status.FINISHED:
        deck = f"no card in the deck, {counted(view.turns_left.values[0], 'turn')} left"
    lines = [state.headline(), f"Fireworks: {', '.join(heights)}.", f"{tokens}; {deck}."]
    if view.discards.count:
        gone = sorted(view.discards.cards[i] for i in range(view.discards.count))
        lines.append(f"Discarded: {tallied(CARDS.word(card) for card in gone)}.")
    lines += [_hand(view, p, observer) for p in range(view.players)]
    return "\n".join(lines)


def _hand(view: Any, player: int, observer: int | None) -> str:
    """The cards of a player from the oldest on, each with what its owner knows in brackets."""
    hand = view.hands[player]
    return f"{player_name(player, observer).capitalize()}: {', '.join(_cards(hand))}."


def _cards(hand: Any) -> list[str]:
    cards = []
    for i in range(hand.count):
        word = CARDS.word(hand.cards[i]) if hand.cards[i] >= 0 else "?"
        cards.append(f"{word} ({known})" if (known := HAND.known_in_part(hand, i)) else word)
    return cards
