"""The words that a text gives to its options, cards, places and numbers."""

from __future__ import annotations

import pytest
from tests.recycle.programs import choice, game

from kibitz.recycle.formatter import format_text
from kibitz.recycle.game import RecycleGame
from kibitz.recycle.parser import parse
from kibitz.recycle.rules import RecycleRules
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


def card_names(deck: str, names: str = "") -> list[str]:
    text = game(choice("(turn pass)"), before=names, deck=deck, players=2)
    rules = RecycleGame(Source("words.rcy", text)).table().rules
    assert isinstance(rules, RecycleRules)
    return [*dict.fromkeys(rules.places.card_names)]


def test_numbers_of_french_cards_are_their_ranks() -> None:
    deck = "(create deck (game iloc STOCK) (deck 'N (RANK 10 .. 14) (SUIT (SPADES, HEARTS))))"
    copies = "(declare 2 'N)"
    ranks = ["10", "jack", "queen", "king", "ace"]
    assert card_names(deck, copies)[::2] == [f"{rank} of spades" for rank in ranks]
    assert card_names(deck, f'{copies} (names (11 "knave"))')[2] == "knave of spades"
    assert card_names(deck.replace("SPADES", "CUPS"), copies)[2] == "11 of cups"


def test_all_ranks_keep_their_letters_where_one_must() -> None:
    deck = "(create deck (game iloc STOCK) (deck (COLOR (RED, BLUE)) (RANK (FIVE, SEVEN))))"
    assert card_names(deck)[:2] == ["red 5", "red 7"]
    other = "(create deck (game iloc STOCK) (deck (SIZE 7 .. 8)))"
    assert card_names(deck + other)[:2] == ["red five", "red seven"]


def test_the_effect_of_a_card_is_told_behind_the_option() -> None:
    """Another player draws for a fox, which the words of the option do not say."""
    play = "(any ((current player) iloc HAND) 'C (do ((move 'C (top (game vloc PILE))) (act 'C))))"
    effects = """(effects (act 'C) ROLE
      (FOX (all (other player) 'P (move (top (game iloc STOCK)) (top ('P iloc HAND))))))"""
    cards = """(create deck ((0 player) iloc HAND) (deck (ROLE (FOX, HEN))))
      (create deck (game iloc STOCK) (deck (ROLE (OWL))))"""
    text = game(choice(play), before=effects, deck=cards, players=2)
    for card, after in (("fox", ["You get the owl from the stock."]), ("hen", [])):
        session = session_of(text)
        state = session.state
        (action,) = (a for a in state.legal_actions() if card in state.action_words(a))
        events = session.apply(action).events(1)
        assert [event.text for event in events[1:]] == after


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
