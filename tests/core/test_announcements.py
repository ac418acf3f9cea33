"""Announcements: who reads which sentence, and how verbs agree."""

from __future__ import annotations

from typing import Any

import pytest

from kibitz.core.actions import Action, ActionKinds, pack
from kibitz.core.announcements import SEAT, Announcement, AnnouncementKinds
from kibitz.core.errors import GameDefinitionError

CARDS = ("Guard", "Priest")


class Say(AnnouncementKinds):
    OUT = Announcement("{player} {is} out and {discards} the {card}", player=SEAT, card=CARDS)
    SEE = Announcement(
        "{player} {sees} {target's} hand: {card}",
        otherwise="{player} {sees} {target's} hand",
        to="player",
        shows="card",
        player=SEAT,
        target=SEAT,
        card=CARDS,
    )
    DUEL = Announcement("{a} and {b} compare", to=("a", "b"), a=SEAT, b=SEAT)
    KEEP = Announcement("{a} {has} {points} points and {a's} turn", a=SEAT, points=range(9))


def read(observer: int | None, kind: int, *operands: int) -> str | None:
    event = Say.event(pack(kind, *operands), observer)
    return None if event is None else event.text


def test_verbs_and_possessives_agree_with_the_reader() -> None:
    assert read(0, Say.OUT, 1, 0) == "Player 2 is out and discards the Guard."
    assert read(1, Say.OUT, 1, 0) == "You are out and discard the Guard."
    assert read(None, Say.OUT, 1, 1) == "Player 2 is out and discards the Priest."
    assert read(1, Say.KEEP, 1, 3) == "You have 3 points and your turn."
    assert read(0, Say.KEEP, 1, 3) == "Player 2 has 3 points and their turn."


def test_others_read_the_other_sentence_or_nothing() -> None:
    assert read(0, Say.SEE, 0, 2, 1) == "You see player 3's hand: Priest."
    assert read(2, Say.SEE, 0, 2, 1) == "Player 1 sees your hand."
    assert read(1, Say.SEE, 0, 2, 1) == "Player 1 sees player 3's hand."
    assert read(None, Say.SEE, 0, 2, 1) == "Player 1 sees player 3's hand."
    assert read(2, Say.DUEL, 0, 1) is None
    assert read(None, Say.DUEL, 0, 1) is None
    assert read(1, Say.DUEL, 0, 1) == "Player 1 and you compare."


def test_the_data_of_an_event_has_what_its_reader_may_know() -> None:
    seen, other = (Say.event(pack(Say.SEE, 0, 2, 1), observer) for observer in (0, 1))
    assert seen is not None
    assert other is not None
    assert seen.data == {"announcement": "see", "player": 1, "target": 3, "card": "Priest"}
    assert other.data == {"announcement": "see", "player": 1, "target": 3}


class Move(ActionKinds):
    GIVE = Action("give {card} to {target}", otherwise="give to {target}", card=CARDS, target=SEAT)
    PASS = Action("pass", otherwise="")
    DRAW = Action("draw")


def test_an_action_may_have_other_words_for_others() -> None:
    give = pack(Move.GIVE, 1, 2)
    assert Move.words(give) == "give Priest to player 3"
    assert Move.words_for_others(give) == "give to player 3"
    assert Move.words_for_others(pack(Move.PASS)) == ""
    assert Move.words_for_others(pack(Move.DRAW)) is None
    with pytest.raises(GameDefinitionError, match=r"must be operands of 'give \{card\}': card"):
        Action("give {card}", otherwise="give {piece}", card=CARDS)


@pytest.mark.parametrize(
    ("template", "options", "message"),
    [
        ("{player} {win}", {}, "{win} in .* is neither an operand"),
        ("{wins}", {}, "{wins} in .* is neither an operand"),
        ("{card's} hand", {}, "should be a SEAT operand"),
        ("{player} {wins}", {"to": "card"}, "to='card'"),
        ("{player} {wins}", {"otherwise": "somebody wins"}, "no `to`"),
        ("{player} {wins}", {"moves": "piece"}, "no operand 'piece'"),
        ("{player} {wins}", {"shows": "piece"}, "no operand 'piece'"),
    ],
)
def test_mistakes_in_declarations_are_named(
    template: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(GameDefinitionError, match=message):
        Announcement(template, **options, player=SEAT, card=CARDS)
