"""Words for counts, lists and players."""

from __future__ import annotations

import pytest

from kibitz.core.wording import (
    addressed,
    by_players,
    counted,
    done_by,
    listed,
    player_name,
    printable,
    tallied,
    wrapped,
)


def test_numbers_have_their_plural() -> None:
    assert [counted(n, "card") for n in (0, 1, 2, 1000)] == [
        "0 cards",
        "1 card",
        "2 cards",
        "1,000 cards",
    ]
    assert counted(2, "box", "boxes") == "2 boxes"


def test_lists_end_with_a_word() -> None:
    assert [listed("abc"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert listed("abc", "or") == "a, b or c"


def test_words_are_tallied_in_the_order_in_which_they_come() -> None:
    assert tallied(["Nope", "Skip", "Nope"]) == "2 Nope, Skip"
    assert tallied([]) == ""


def test_players_count_from_one_and_the_observer_is_addressed() -> None:
    assert [player_name(1), player_name(1, 0), player_name(1, 1)] == [
        "player 2",
        "player 2",
        "player 2 (you)",
    ]
    assert [addressed(1, 0), addressed(1, 1)] == ["player 2", "you"]
    assert [done_by(1, 0, "draw"), done_by(1, 1, "draw")] == ["player 2 draws", "you draw"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({2: 2, 3: 1}, "2 with 2 players, else 1"),
        ({2: 7, 3: 5, 4: 4}, "7 with 2 players, 5 with 3, else 4"),
        ({2: 2, 3: 3, 4: 2, 5: 1}, "2 with 2 or 4 players, 3 with 3, else 1"),
        ({1: 0, 2: 5}, "0 with 1 player, else 5"),
        ({2: 3, 3: 3}, "3"),
    ],
)
def test_what_depends_on_the_players(values: dict[int, int], words: str) -> None:
    assert by_players(values) == words


def test_long_lines_are_wrapped_and_set_in() -> None:
    text = "short\n  one two three four\n\nunbreakable-words-stay-whole"
    assert wrapped(text, 11) == (
        "short\n  one two\n      three\n      four\n\nunbreakable-words-stay-whole"
    )


def test_short_lines_keep_their_spaces() -> None:
    board = ". X  .\n.    O"
    assert wrapped(board, 10) == board


def test_what_controls_a_terminal_is_replaced() -> None:
    assert printable("a\x1b[2Jb\x9bc\r\n\td\u202e\ud800\u200b") == "a?[2Jb?c?\n\td???"
    assert printable("é ♥ \u00a0👩\u200d🚀") == "é ♥ \u00a0👩\u200d🚀"


def test_a_quoted_text_is_one_line_of_limited_length() -> None:
    assert printable("a\nb\tc", 5) == "a?b?c"
    assert printable("a" * 11, 10) == "a" * 7 + "..."
    assert printable("a" * 10**6, 10) == "a" * 7 + "..."
