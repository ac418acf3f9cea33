"""The log of Exploding Kittens is true."""

from __future__ import annotations

import re

from tests.library.log_truth import WHO, Check, Reading, check_log, played

from kibitz.components import find_card
from kibitz.core.actions import kind, operand
from kibitz.library.explodingkittens.cards import CARDS, Card
from kibitz.library.explodingkittens.pile import seen_cards
from kibitz.library.explodingkittens.table import Move
from kibitz.sessions import Session

PLACES = ("top", "second", "third", "fourth")


def resolved(reading: Reading, play: str) -> bool:
    """Whether the cards with this name wait for a Nope before the action."""
    stack = reading.before.reactions
    action = stack.data[stack.depth - 1, 0]
    names = {
        Move.PAIR: "pair",
        Move.THREE: "three of a kind",
        Move.FIVE: "combination of five",
    }
    single = CARDS.word(operand(action, 0))
    return names.get(Move(kind(action)), single) == play  # type: ignore[arg-type]


def is_cancelled(reading: Reading) -> bool:
    """Whether the cards on the stack are cancelled after the action."""
    stack = reading.before.reactions
    return bool(stack.data[stack.depth - 1, 1] & 8) ^ (reading.words == "say Nope")


def has_none(reading: Reading, match: re.Match[str]) -> bool:
    hand = reading.after.hands[reading.seat(match[1])]
    return find_card(hand, CARDS.find(match[2])) < 0


def sees(reading: Reading, match: re.Match[str]) -> bool:
    peeks = reading.after.peeks
    cards = seen_cards(peeks, peeks.count - 1)
    card = min(cards[PLACES.index(match[1])], Card.KITTEN)
    return peeks.owner[peeks.count - 1] == reading.reader and CARDS.word(card) == match[2]


def draws_kitten(reading: Reading, match: re.Match[str]) -> bool:
    fewer = reading.after.kittens.count == reading.before.kittens.count - 1
    return fewer and reading.seat(match[1]) == reading.mover and reading.words == "draw a card"


def attacked(reading: Reading, match: re.Match[str]) -> bool:
    after = reading.after
    return [after.turn_owner, after.turns_left.values[0]] == [
        reading.seat(match[1]),
        int(match[2]),
    ]


SENTENCES: dict[str, Check] = {
    r"The (.+) is cancelled\.": lambda r, m: resolved(r, m[1]) and is_cancelled(r),
    r"The (.+) takes effect\.": lambda r, m: resolved(r, m[1]) and not is_cancelled(r),
    rf"{WHO} ha(?:s|ve) no (.+)\.": has_none,
    r"The (\w+) card of the deck is the (.+)\.": sees,
    rf"{WHO} draws? an Exploding Kitten\.": draws_kitten,
    rf"{WHO} ha(?:s|ve) (\d+) turns to take\.": attacked,
}


def test_a_draw_is_told_once() -> None:
    session = Session(played("exploding-kittens", 4), [None] * 4, 3)
    while "draw a card" not in map(session.state.action_words, session.state.legal_actions()):
        session.apply(session.state.legal_actions()[0])
    update = session.apply("draw a card")
    for seat in {None, *range(4)} - {update.move.player}:
        assert "from the deck" not in " ".join(event.text for event in update.events(seat))


def test_every_sentence_is_true() -> None:
    cats = {"nopes": 1, "cats": 5, "favors": 0, "shuffles": 0, "attacks": 0, "skips": 0}
    tables = (
        played("exploding-kittens", 4),
        played("exploding-kittens", 3, alter_future=True, ask_holders_only=True),
        played("exploding-kittens", 2, cards_each=8, **cats),
    )
    occurred = {sentence for table in tables for sentence in check_log(table, range(2), SENTENCES)}
    assert SENTENCES.keys() - occurred == set()
