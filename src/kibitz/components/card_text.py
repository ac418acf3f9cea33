"""Cards in words for people; no rule calls these functions."""

from __future__ import annotations

from typing import Any

from kibitz.components.deck import CardSet
from kibitz.core.wording import counted


def known_cards(deck: Any) -> list[int]:
    """The cards of a deck that are not hidden, from the bottom up."""
    return [int(deck.cards[i]) for i in range(deck.count) if deck.cards[i] >= 0]


def name_cards(deck: Any, cards: CardSet) -> str:
    """The names of the cards, hidden ones last: ``Guard, King, 1 hidden card``."""
    known = known_cards(deck)
    names = [cards.word(card) for card in known]
    if hidden := deck.count - len(known):
        names.append(counted(hidden, "hidden card"))
    return ", ".join(names)


def counted_cards(deck: Any, names: str) -> str:
    """The number of cards, and the `names` of those that are not hidden.

    For instance ``3 cards: 2 Nope, Skip``, or ``3 cards, among them Skip`` if some are hidden.
    """
    text = counted(deck.count, "card")
    known = len(known_cards(deck))
    if known == 0:
        return text
    return f"{text}: {names}" if known == deck.count else f"{text}, among them {names}"
