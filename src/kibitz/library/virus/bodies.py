"""The cards of Virus!, and bodies: rows of organs with the cards on each.

A body is an open deck. Its organs lie in the order of ``CARDS``, each followed by the cards on it:
nothing (free), a virus (infected), a medicine (vaccinated) or two medicines (immune). A player
never has two organs of a kind, so the kind identifies an organ. A set of organs is a number with a
bit for each kind. Properties of a body that rules need often are stored with it; ``take_stock``
computes them after a change.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.components import CardSet, Deck, find_card, place_card, take_card
from kibitz.core.features import Feature, TableDescription, one_hot
from kibitz.core.layout import GameState, Visibility
from kibitz.core.parameters import GameParameters

CARDS = CardSet.from_json(Path(__file__).with_name("cards.json"))

COLOURS = 5
"""The number of kinds in each class of cards: four colours, and wild cards as the fifth."""
WILD = COLOURS - 1
ORGANS = [CARDS.word(card) for card in range(COLOURS)]
ORGAN_CARDS: Any = np.arange(COLOURS)
"""The cards that are organs, which come first in ``CARDS``."""
EVERY_ORGAN = (1 << COLOURS) - 1
MOST_ON_BODY = 3 * COLOURS


class Class(enum.IntEnum):
    """The classes of cards, in the order of ``CARDS``."""

    ORGAN = 0
    VIRUS = 1
    MEDICINE = 2
    TREATMENT = 3


class Card(enum.IntEnum):
    """The cards, as indices in ``CARDS``."""

    HEART = 0
    STOMACH = 1
    BRAIN = 2
    BONE = 3
    WILD_ORGAN = 4
    HEART_VIRUS = 5
    STOMACH_VIRUS = 6
    BRAIN_VIRUS = 7
    BONE_VIRUS = 8
    WILD_VIRUS = 9
    HEART_MEDICINE = 10
    STOMACH_MEDICINE = 11
    BRAIN_MEDICINE = 12
    BONE_MEDICINE = 13
    WILD_MEDICINE = 14
    TRANSPLANT = 15
    ORGAN_THIEF = 16
    CONTAGION = 17
    LATEX_GLOVE = 18
    MEDICAL_ERROR = 19


class Body(Deck):
    """Declares a player's organs and the cards on them."""

    held: int
    """The set of organs in the body."""
    movable: int
    """The set of organs that are not immune."""
    free: int
    """The set of organs without a card on them."""
    healthy: int
    """The number of organs without a virus."""

    def __init__(self) -> None:
        super().__init__(CARDS, Visibility.EVERYONE, capacity=MOST_ON_BODY)

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        """The record of a deck, and the summary of the body."""
        stock = [(name, np.int16) for name in STOCK]
        return np.dtype([*super().dtype(parameters).descr, *stock])

    def problem(self, view: Any) -> str | None:
        """What is wrong with the cards, the order of the row, or the summary, in words."""
        if problem := super().problem(view) or _problem_of_row(view):
            return problem
        stored = tuple(getattr(view, name) for name in STOCK)
        right = stock_of(view)
        return None if stored == right else f"its {', '.join(STOCK)} are {stored}, not {right}"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields the card at each place of the row, one-hot."""
        offset: Any = {name: dtype.fields[name][1] for name in dtype.names or ()}  # type: ignore[index]
        yield one_hot(
            offset["cards"], CARDS.words, ("card",), length=MOST_ON_BODY, count=offset["count"]
        )


STOCK = ("held", "movable", "free", "healthy")
"""The fields of a body's summary."""


def _problem_of_row(view: Any) -> str | None:
    """What is wrong with the order of a body's cards, in words."""
    last = -1
    i = 0
    while i < view.count:
        organ = view.cards[i]
        if class_of(organ) != Class.ORGAN or organ <= last:
            return f"place {i} holds {CARDS.word(organ)}, where the next organ should be"
        laid = laid_on(view, i)
        classes = [class_of(view.cards[i + 1 + n]) for n in range(laid)]
        if classes not in ([], [Class.VIRUS], [Class.MEDICINE], [Class.MEDICINE] * 2):
            return f"{CARDS.word(organ)} has cards on it that cannot lie there together"
        last = organ
        i += 1 + laid
    return None


def class_of(card: int) -> int:
    """The class of a card: organ, virus, medicine or treatment."""
    return card // COLOURS


def organs_matching(card: int) -> int:
    """The set of organs that match a card: of its colour, and wild; all for a wild card."""
    colour = card % COLOURS
    return EVERY_ORGAN if colour == WILD else 1 << colour | 1 << WILD


def same_colour(a: int, b: int) -> bool:
    """Whether two cards have the same colour, or one of them is wild."""
    return a % COLOURS == b % COLOURS or a % COLOURS == WILD or b % COLOURS == WILD


def laid_on(body: Body, at: int) -> int:
    """The number of cards on the organ at place `at`; two make it immune."""
    laid = 0
    while at + laid + 1 < body.count and body.cards[at + laid + 1] >= COLOURS:
        laid += 1
    return laid


def stock_of(body: Body) -> tuple[int, int, int, int]:
    """The summary of a body: the sets held, movable and free, and the number of healthy organs."""
    held = 0
    movable = 0
    free = 0
    healthy = 0
    i = 0
    while i < body.count:
        laid = laid_on(body, i)
        organ = 1 << body.cards[i]
        held |= organ
        if laid == 0:
            free |= organ
        if laid < 2:
            movable |= organ
        if laid != 1 or class_of(body.cards[i + 1]) == Class.MEDICINE:
            healthy += 1
        i += 1 + laid
    return held, movable, free, healthy


def take_stock(body: Body) -> None:
    """Updates the summary of a body after a change."""
    body.held, body.movable, body.free, body.healthy = stock_of(body)


def lay_card(state: GameState, body: Body, at: int, card: int) -> None:
    """Puts a card at place `at` of the row; the cards from there on move up."""
    place_card(state, body, card, 0)
    for i in range(body.count - 1, at, -1):
        body.cards[i] = body.cards[i - 1]
    body.cards[at] = card


def add_organ(state: GameState, body: Body, organ: int) -> int:
    """Puts an organ at its place in the row; returns the place."""
    at = 0
    while at < body.count and (body.cards[at] < organ or body.cards[at] >= COLOURS):
        at += 1
    lay_card(state, body, at, organ)
    return at


def move_organ(state: GameState, source: Body, target: Body, organ: int) -> None:
    """Moves an organ, with the cards on it, to another body."""
    at = find_card(source, organ)
    laid = laid_on(source, at)
    to = add_organ(state, target, take_card(source, at))
    for n in range(laid):
        lay_card(state, target, to + 1 + n, take_card(source, at))


def exchange_laid(state: GameState, a: Body, b: Body, organ: int) -> None:
    """Exchanges the organs of a kind of two bodies; each has at most one card on it."""
    i = find_card(a, organ) + 1
    j = find_card(b, organ) + 1
    from_a = take_card(a, i) if laid_on(a, i - 1) > 0 else -1
    from_b = take_card(b, j) if laid_on(b, j - 1) > 0 else -1
    if from_a >= 0:
        lay_card(state, b, j, from_a)
    if from_b >= 0:
        lay_card(state, a, i, from_b)
