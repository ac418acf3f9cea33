"""States of Virus! as text."""

from __future__ import annotations

from typing import Any

from kibitz.components import known_cards, name_cards
from kibitz.core import state as states
from kibitz.core.status import Status
from kibitz.core.wording import counted, player_name, tallied
from kibitz.library.virus.bodies import CARDS, COLOURS, Class, class_of, laid_on

NEXT_SHOWN = 6
"""The maximum number of known cards that are listed as the next of the deck."""
CLASS_NOUNS = {
    Class.ORGAN: ("organ", "organs"),
    Class.VIRUS: ("virus", "viruses"),
    Class.MEDICINE: ("medicine", "medicines"),
    Class.TREATMENT: ("treatment", "treatments"),
}
"""The singular and the plural of the noun for each class of cards."""


def describe_table(state: states.State, question: str, observer: int | None) -> str:
    """The table as `observer` sees it, or with everything open for ``None``.

    `question` is the one to the player to move, or empty.
    """
    view, parameters = state.view, state.table.parameters.as_dict()
    headline = state.headline()
    if view.status == Status.PLAYING:
        headline = f"Turn of {player_name(view.player, observer)}."
    lines = [f"Round {view.round + 1}. {headline}", question]
    for p in range(view.players):
        body, name = view.bodies[p], player_name(p, observer).capitalize()
        healthy = f"{body.healthy} of {parameters['organs_to_win']}"
        hand = name_cards(view.hands[p], CARDS) or "nothing"
        lines.append(f"{name}, {healthy} healthy: {_body(body)}; holds {hand}.")
    lines += [_deck(view, bool(parameters["reshuffle"])), f"Discards: {_discards(view.discard)}."]
    return "\n".join(line for line in lines if line)


def exchange_question(view: Any, observer: int | None) -> str:
    """The question of the second step of a Transplant."""
    owner, organ = view.step.values
    name = player_name(owner, observer)
    return f"For which organ is the {CARDS.word(organ)} of {name} exchanged?"


# --- bodies -------------------------------------------------------------------------------


def _body(body: Any) -> str:
    organs = [
        CARDS.word(body.cards[i]) + _condition(body, i)
        for i in range(body.count)
        if class_of(body.cards[i]) == Class.ORGAN
    ]
    return ", ".join(organs) or "no organs"


def _condition(body: Any, at: int) -> str:
    """The condition of an organ, with the card on it if its colour is another; empty if free."""
    laid = laid_on(body, at)
    if laid == 0:
        return ""
    if laid == 2:
        return " (immune)"
    organ, card = body.cards[at], body.cards[at + 1]
    condition = "infected" if class_of(card) == Class.VIRUS else "vaccinated"
    return f" ({condition})" if card % COLOURS == organ else f" ({condition}: {CARDS.word(card)})"


# --- the deck and the pile ----------------------------------------------------------------


def _deck(view: Any, reshuffled: bool) -> str:
    """The deck, and the cards that will be drawn next, as far as the observer remembers them."""
    deck, pile = view.deck, view.discard
    text = f"Deck: {counted(deck.count, 'card')}"
    known = []
    for i in range(deck.count - 1, max(-1, deck.count - 1 - NEXT_SHOWN), -1):
        if deck.cards[i] < 0:
            break
        known.append(CARDS.word(deck.cards[i]))
    if known:
        text += f", the next being {', '.join(known)}"
    after = min(pile.count, NEXT_SHOWN - deck.count)
    if after > 0 and not reshuffled:
        first = ", ".join(CARDS.word(pile.cards[i]) for i in range(after))
        text += f"; after that the discards, beginning with {first}"
    return f"{text}."


def _discards(pile: Any) -> str:
    """The discard pile by classes of cards: nothing of it is hidden."""
    if pile.count == 0:
        return "none"
    cards = known_cards(pile)
    groups = []
    for card_class, (singular, plural) in CLASS_NOUNS.items():
        names = [CARDS.word(card) for card in sorted(cards) if class_of(card) == card_class]
        if names:
            short = tallied(name.removesuffix(f" {singular}") for name in names)
            groups.append(f"{counted(len(names), singular, plural)} ({short})")
    return f"{CARDS.word(pile.cards[pile.count - 1])} on top; {', '.join(groups)}"
