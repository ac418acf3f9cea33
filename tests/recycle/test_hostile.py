"""Texts meant to exhaust the reader, the compiler or the engine: each ends with an error.

Nothing is timed: a text that causes unbounded work would not finish at all.
"""

from __future__ import annotations

import pytest

import kibitz
from kibitz.core.agent import make_agents
from kibitz.languages.recycle_trial import try_out
from kibitz.recycle.checker import diagnose
from kibitz.recycle.game import RecycleGame
from kibitz.recycle.parser import parse
from kibitz.sessions.recording import attempt_game
from kibitz.syntax.source import Source, render

HAND = "((current player) iloc HAND)"
STOCK = "(game iloc STOCK)"
PLAY = f"(any {HAND} 'C (move 'C (top (game vloc WON))))"
DECK = "(deck (RANK (A, B, C, D, E, F)) (SUIT (X, Y, Z, U)))"
COUNT = "(inc (game sto X) 1)"
MOST_SAID = 20_000
"""Greatest total length of the rendered diagnostics of a text."""


def game(
    before: str = "",
    choice: str = PLAY,
    end: str = "(all player 'P (== (size ('P iloc HAND)) 0))",
    deck: str = DECK,
    cards: int = 3,
    players: int = 2,
) -> str:
    """A small game with something in front of its only choice."""
    return f"""(game
  (setup
    (create players {players})
    (create deck {STOCK} {deck}))
  (do ((all player 'P (repeat {cards} (move (top {STOCK}) (top ('P iloc HAND)))))))
  {before}
  (stage player
    (end {end})
    (choice ({choice})))
  (scoring max (size {HAND})))
"""


def nested(form: str, depth: int, inside: str) -> str:
    """A form that has one parenthesis open and a ``#`` for its number, inside itself."""
    opened = "".join(form.replace("#", str(number)) for number in range(depth))
    return opened + inside + ")" * (depth * (form.count("(") - form.count(")")))


def do(*steps: str) -> str:
    return f"(do ({' '.join(steps)}))"


UNREADABLE = {
    "nothing but parentheses": ("(" * 200_000, "too-large"),
    "deep conditions": (game(end=nested("(not ", 5_000, "(== 1 1)")), "too-deep"),
    "a number of thousands of digits": (
        game(do(f"(repeat {'9' * 5_000} {COUNT})")),
        "large-number",
    ),
    "a million cards": (game(deck="(deck 1000000 (RANK (A)))"), "too-many-cards"),
    "a deck of all combinations": (
        game(deck=f"(deck {' '.join(f'(A{i} (A, B, C, D, E, F, G, H))' for i in range(12))})"),
        "too-many-cards",
    ),
    "a name of 400,000 letters": (game(do(f"(set (game sto {'N' * 400_000}) 1)")), "long-word"),
    "a variable of 300,000 letters": (
        game(end=f"(all player '{'n' * 300_000} (== 1 1))"),
        "long-word",
    ),
    "a million quotation marks": ("(game " + "'" * 900_000, "long-word"),
    "a text of megabytes": (";" * 2_000_000 + "\n" + game(), "too-large"),
    "a thousand million players": (game(players=999_999_999), "players"),
    "ten thousand steps": (
        game(do(*[f"(set (game sto X{i}) 1)" for i in range(9_000)])),
        "too-large",
    ),
}
"""Texts that the reader refuses, with the code of the first diagnostic."""


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_text_that_is_not_read_is_told_why(name: str) -> None:
    text, code = UNREADABLE[name]
    source = Source("hostile.rcy", text)
    program, diagnostics = parse(source)
    assert program is None
    assert diagnostics[0].code == code
    shown = [render(diagnostic, source) for diagnostic in diagnostics]
    assert shown[0].startswith("hostile.rcy:")
    assert sum(map(len, shown)) < MOST_SAID


TWELVE = "(any ((current player) iloc HAND) 'C# "
UNPLAYABLE = {
    "loops that never end": (
        game("(stage player (end (== (game sto N) 1)) (do ((inc (game sto M) 1))))"),
        "endless",
        6,
    ),
    "thousands of millions of repetitions": (
        game(do(nested("(repeat 999999999 ", 2, COUNT))),
        "endless",
        6,
    ),
    "a number that squares itself": (
        game(
            do(
                "(set (game sto X) 3)",
                "(repeat 99 (set (game sto X) (* (game sto X) (game sto X))))",
            )
        ),
        "rules_error",
        6,
    ),
    "loops over cards in loops over cards": (
        game(do(nested(f"(all {STOCK} 'C# ", 12, COUNT))),
        "endless",
        6,
    ),
    "loops over players in loops over players": (
        game(do(nested("(all player 'P# (do (", 30, COUNT)), players=8),
        "endless",
        6,
    ),
    "loops over numbers in loops over numbers": (
        game(do(nested("(all (range 0 .. 900) 'P# (do (", 25, COUNT))),
        "endless",
        6,
    ),
    "subsets of subsets": (
        game(do(nested(f"(all (subsets {STOCK}) 'S# ", 2, COUNT)), cards=2),
        "endless",
        6,
    ),
    "a product of choices": (
        game(choice=nested(TWELVE, 12, "(move 'C0 (top (game vloc WON)))"), cards=12),
        "full_buffer",
        9,
    ),
    "a product of numbers": (
        game(choice=nested("(any (range 0 .. 1000) 'N# ", 2, "(set (game sto X) (+ 'N0 'N1))")),
        "full_buffer",
        9,
    ),
    "a product of numbers that lead to nothing": (
        game(choice=nested("(any (range 0 .. 1000) 'N# ", 3, "((== 'N2 9999) (turn pass))")),
        "endless",
        9,
    ),
}
"""Texts, how a game of them ends, and the line at which it does."""


@pytest.mark.parametrize("name", UNPLAYABLE)
def test_a_text_that_cannot_be_played_breaks_off_with_its_line(name: str) -> None:
    text, status, line = UNPLAYABLE[name]
    source = Source("hostile.rcy", text)
    read = diagnose(source)
    assert not any(diagnostic.is_error for diagnostic in read)
    played = [
        diagnostic
        for diagnostic in try_out(RecycleGame(source), games=1).diagnostics
        if diagnostic.is_error
    ]
    assert [source.position(diagnostic.span.start)[0] for diagnostic in played] == [line]
    shown = [render(diagnostic, source) for diagnostic in (*read, *played)]
    assert sum(map(len, shown)) < MOST_SAID

    table = RecycleGame(source).table()
    record, raised = attempt_game(table, make_agents(["random"], table.players), 1)
    assert raised is None
    assert record.result.status == status
    assert f"hostile.rcy:{line}:" in kibitz.transcript(record, table).splitlines()[-1]
