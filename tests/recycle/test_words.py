"""The words that a text gives to its options, cards, places and numbers."""

from __future__ import annotations

import pytest
from tests.recycle.programs import choice, game

from kibitz.recycle.formatter import format_text
from kibitz.recycle.game import RecycleGame
from kibitz.recycle.parser import parse
from kibitz.sessions import Session
from kibitz.syntax.source import Source

DECK = "(create deck (game iloc STOCK) (deck (ROLE (DUKE, H5, BARON))))"
STEAL = """(option "steal a coin from {P} and [look] innocent"
  (any (other player) 'P (do ((inc ((current player) sto COINS) 1) (dec ('P sto COINS) 1)))))"""
SERVE = "(any (game iloc STOCK) 'C (move 'C (top (game vloc CAFE))))"
NAMES = '(names (DUKE "Duke") (H5 "5♥") (CAFE "café" "serve") (COINS "gold coins"))'


def text_of(*clauses: str, names: str = NAMES) -> str:
    return game(choice(*clauses), before=names, deck=DECK, players=2)


def session_of(text: str) -> Session:
    table = RecycleGame(Source("words.rcy", text), optimised=False).table()
    return Session(table, [None] * 2, 1)


def test_options_and_names_have_the_words_of_the_text() -> None:
    session = session_of(text_of(STEAL, SERVE))
    state = session.state
    words = [state.action_words(action) for action in state.legal_actions()]
    assert words[0] == "steal a coin from player 2 and look innocent"
    assert [state.action(text) for text in words] == state.legal_actions()
    update = session.apply(words[0])
    assert [event.text for event in update.events(1)] == [
        "Player 1 steals a coin from player 2 and looks innocent.",
        "Gold coins: player 1 now 1 (+1), you now -1 (-1).",
    ]
    assert update.events(0)[0].text == "You steal a coin from player 2 and look innocent."
    assert "Café: empty" in state.describe(0)


def test_moves_into_a_place_have_its_verb() -> None:
    serve = "(move (bottom ((current player) iloc HAND)) (top (game vloc CAFE)))"
    text = text_of(serve, names='(names (DUKE "Duke") (CAFE "café" "serve"))')
    text = text.replace("(game iloc STOCK) (deck", "((0 player) iloc HAND) (deck")
    update = session_of(text).advance()
    assert update.events(1)[0].text == "Player 1 serves Duke."


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (text_of(STEAL.replace("{P}", "{Q}")), "unknown-variable", "{Q} stands for nothing"),
        (text_of("(option steal (turn pass))"), "expected-text", "a text in quotes is wanted"),
        (text_of('(option "steal\n (turn pass))'), "open-text", "This text is not closed."),
        (text_of('(option "" (turn pass))'), "no-text", "no words in this text"),
        (text_of('(option "a {" (turn pass))'), "open-brace", "has no partner"),
        (text_of('(do ((option "a" (turn pass))))'), "misplaced", "outermost"),
        (text_of(f'(option "{"a" * 200}" (turn pass))'), "long-word", "202 letters"),
        (text_of(SERVE, names='(names (DUK "Duke"))'), "unknown-name", "is called DUK"),
        (
            text_of(SERVE, names='(names (DUKE "a") (DUKE "b"))'),
            "named-twice",
            "DUKE has its words already",
        ),
        (text_of(SERVE, names='(names (DUKE "\u202eekud"))'), "no-text", "can be printed"),
        (text_of(SERVE, names="(names DUKE)"), "wrong-shape", "names"),
    ],
)
def test_what_is_wrong_with_words_is_said(text: str, code: str, message: str) -> None:
    program, problems = parse(Source("words.rcy", text))
    assert program is None
    assert any(p.code == code and message in f"{p.message} {p.hint}" for p in problems), [
        (p.code, p.message) for p in problems
    ]


def test_words_are_kept_by_the_formatter() -> None:
    once = format_text(text_of(STEAL, SERVE))
    assert format_text(once) == once
    for words in ('"5♥"', '"steal a coin from {P} and [look] innocent"', '"café" "serve"'):
        assert words in once
