"""How a state of Virus! is told to people: the table, and each player's body and hand."""

from __future__ import annotations

from typing import Any

from kibitz.games.virus.bodies import CARDS, Class, class_of, laid_on

NEXT_SHOWN = 3
"""So many known cards on top of the deck are told."""


def describe_table(view: Any, headline: str, exchanging: bool, observer: int | None) -> str:
    """The table as `observer` sees it (``None``: everything).

    Args:
        view: the state's records, hidden cards being -1.
        headline: whose turn it is, or who has won.
        exchanging: whether a Transplant is half done.
        observer: who is told, marked as "you".
    """
    lines = [
        f"Round {view.round + 1}. {headline}",
        f"Deck: {_count(view.deck)}{_next(view.deck)}. Discarded: {_pile(view.discard)}.",
    ]
    if exchanging:
        owner, organ = view.step.values
        lines.append(f"To be exchanged: the {CARDS.word(organ)} of player {owner + 1}.")
    for p in range(view.players):
        name = f"Player {p + 1}" + (" (you)" if p == observer else "")
        lines.append(f"{name}: {_body(view.bodies[p])}; holds {_hand(view.hands[p])}.")
    return "\n".join(lines)


def _count(deck: Any) -> str:
    return "1 card" if deck.count == 1 else f"{deck.count} cards"


def _next(deck: Any) -> str:
    """The cards that will be drawn next, as far as the observer remembers them."""
    top = [deck.cards[i] for i in range(deck.count - 1, -1, -1)][:NEXT_SHOWN]
    known = [CARDS.word(card) for card in top if card >= 0]
    return ", the next being " + ", ".join(known) if known and len(known) == len(top) else ""


def _pile(pile: Any) -> str:
    if pile.count == 0:
        return "nothing"
    return f"{_count(pile)}, {CARDS.word(pile.cards[pile.count - 1])} on top"


def _body(body: Any) -> str:
    organs = []
    i = 0
    while i < body.count:
        laid = laid_on(body, i)
        organs.append(CARDS.word(body.cards[i]) + _health(body, i, laid))
        i += 1 + laid
    return ", ".join(organs) or "no organs"


def _health(body: Any, at: int, laid: int) -> str:
    if laid == 2:
        return " (immune)"
    if laid == 0:
        return ""
    card = body.cards[at + 1]
    state = "infected" if class_of(card) == Class.VIRUS else "vaccinated"
    return f" ({state}: {CARDS.word(card)})"


def _hand(hand: Any) -> str:
    shown = [CARDS.word(hand.cards[i]) for i in range(hand.count) if hand.cards[i] >= 0]
    hidden = hand.count - len(shown)
    if hidden:
        shown.append("1 hidden card" if hidden == 1 else f"{hidden} hidden cards")
    return ", ".join(shown) or "nothing"
