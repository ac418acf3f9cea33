"""How a state of Love Letter is told to people: a line for the table and one for each player."""

from __future__ import annotations

from typing import Any

from kibitz.components import CardSet
from kibitz.core.status import Status


def describe_table(view: Any, headline: str, cards: CardSet, observer: int | None) -> str:
    """The table as `observer` sees it (``None``: everything).

    Args:
        view: the state's records, hidden cards being -1.
        headline: whose turn it is, or who has won.
        cards: the game's cards.
        observer: who is told, marked as "you".
    """
    aside = f", {view.set_aside.count} set aside" if view.set_aside.count else ""
    number = view.round if view.status == Status.FINISHED else view.round + 1
    lines = [f"Round {number}. {headline}", f"Deck: {view.deck.count} cards{aside}."]
    if view.face_up.count:
        lines.append(f"Set aside face up: {_names(view.face_up, cards)}.")
    lines += [_player(view, p, cards, observer) for p in range(view.players)]
    return "\n".join(lines)


def _player(view: Any, player: int, cards: CardSet, observer: int | None) -> str:
    tokens = view.tokens[player].value
    name = f"Player {player + 1}" + (" (you)" if player == observer else "")
    state = "out of the round" if view.seat[player].out else _hand(view, player, cards)
    if view.protected[player].value:
        state += ", protected"
    played = _names(view.discards[player], cards) or "nothing yet"
    return f"{name}: {tokens} token{'' if tokens == 1 else 's'}; {state}; played {played}."


def _hand(view: Any, player: int, cards: CardSet) -> str:
    held = f"holds {_names(view.hands[player], cards)}"
    ruled_out = view.ruled_out[player].values[0]
    barred = [cards.word(card) for card in range(len(cards)) if ruled_out >> card & 1]
    if barred and view.hands[player].cards[0] < 0:
        held += f" (kept, and not {' or '.join(barred)})"
    return held


def _names(deck: Any, cards: CardSet) -> str:
    shown = [cards.word(deck.cards[i]) for i in range(deck.count) if deck.cards[i] >= 0]
    hidden = deck.count - len(shown)
    if hidden:
        shown.append("1 hidden card" if hidden == 1 else f"{hidden} hidden cards")
    return ", ".join(shown)
