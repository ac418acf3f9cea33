"""Sources, spans and diagnostics."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import FileError
from kibitz.core.fingerprint import text_fingerprint
from kibitz.syntax.source import Diagnostic, Severity, Source, SourceError, Span, render, to_json

SOURCE = Source("game.rcy", "(game\n  (shufle (game iloc STOCK))\n)")
WRONG = Diagnostic(
    Severity.ERROR,
    "unknown-word",
    "There is no 'shufle'.",
    Span(9, 15),
    "Did you mean shuffle?",
    ((Span(0, 1), "The game."),),
)


def test_positions_count_from_one() -> None:
    assert SOURCE.position(0) == (1, 1)
    assert SOURCE.position(9) == (2, 4)
    assert SOURCE.position(10_000) == (3, 2)
    assert SOURCE.line(2) == "  (shufle (game iloc STOCK))"
    assert SOURCE.offset(2, 4) == 9
    assert SOURCE.piece(Span(9, 15)) == "shufle"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_ends_of_lines(end: str) -> None:
    source = Source("x", f"a{end}bc{end}{end}d")
    assert [source.line(number) for number in (1, 2, 3, 4)] == ["a", "bc", "", "d"]
    assert source.position(source.text.index("d")) == (4, 1)
    assert source.position(source.text.index("c")) == (2, 2)


@given(st.text("ab\n\r", max_size=30), st.integers(0, 30))
def test_offsets_and_positions_agree(text: str, offset: int) -> None:
    source = Source("x", text)
    line, column = source.position(offset)
    assert source.offset(line, column) == min(offset, len(text))


def test_a_diagnostic_shows_the_place() -> None:
    assert render(WRONG, SOURCE).splitlines() == [
        "game.rcy:2:4: error: There is no 'shufle'. [unknown-word]",
        "    2 |   (shufle (game iloc STOCK))",
        "      |    ^^^^^^",
        "       = Did you mean shuffle?",
        "game.rcy:1:1: note: The game.",
        "    1 | (game",
        "      | ^",
    ]
    assert "\x1b[31m" in render(WRONG, SOURCE, color=True)


def test_a_diagnostic_for_editors() -> None:
    assert to_json(WRONG, SOURCE) == {
        "severity": "error",
        "code": "unknown-word",
        "message": "There is no 'shufle'.",
        "hint": "Did you mean shuffle?",
        "file": "game.rcy",
        "line": 2,
        "column": 4,
        "end_line": 2,
        "end_column": 10,
        "notes": [
            {"message": "The game.", "line": 1, "column": 1, "end_line": 1, "end_column": 2}
        ],
    }


def test_the_caret_of_a_long_line_is_shown() -> None:
    source = Source("x", "a" * 500 + "HERE" + "b" * 500)
    _, line, caret = render(
        Diagnostic(Severity.WARNING, "x", "x", Span(500, 504)), source
    ).splitlines()
    assert len(line) < 120
    assert line[caret.index("^") : caret.rindex("^") + 1] == "HERE"


def test_nothing_reaches_the_terminal_raw() -> None:
    source = Source("x", "\x1b[31mred\x00\t(")
    shown = render(Diagnostic(Severity.ERROR, "x", "x", Span(0, 1)), source)
    assert "\x1b" not in shown
    assert "\x00" not in shown


def test_an_error_shows_everything() -> None:
    error = SourceError(SOURCE, [WRONG, WRONG])
    assert isinstance(error, FileError)
    assert str(error).count("Did you mean shuffle?") == 2
    assert error.diagnostics == [WRONG, WRONG]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "x.rcy"
    path.write_bytes(b"\xef\xbb\xbf(\xff)")
    assert Source.load(path).text == "(\N{REPLACEMENT CHARACTER})"
    with pytest.raises(FileError, match="cannot be read: No such file"):
        Source.load(tmp_path / "none.rcy")
    path.write_bytes(b" " * 1_000_001)
    with pytest.raises(FileError, match="longer than 1,000,000 bytes"):
        Source.load(path)


def test_a_text_with_half_a_character_has_a_fingerprint() -> None:
    assert text_fingerprint("(role \ud800)") != text_fingerprint("(role ?)")
