"""Formatting of KIF: it changes only white space, and is idempotent."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shared import SHARED

from kibitz.gdl import library
from kibitz.gdl.formatter import format_text
from kibitz.gdl.reader import LEXICON
from kibitz.syntax.layout import WIDTH
from kibitz.syntax.sexpr import tokenize
from kibitz.syntax.source import Source, SourceError

LIBRARY = sorted(Path(library.__file__).parent.glob("*.kif"))
CORPUS = sorted((SHARED / "corpus" / "gdl").glob("*/*.kif"))

UNTIDY = """;; Nim, begun
(role   a)(role b)


  (init (heap 3))
(<= (legal ?r (take ?n)) (true (control ?r)) ; whose turn
 (true (heap ?h))   (smaller ?n ?h) (or (distinct ?n 4) (true (some_long_name_of_fact ?n ?h ?r))))
(<= terminal
   (true (heap 0)))
"""
TIDY = """;; Nim, begun
(role a)
(role b)

(init (heap 3))
(<= (legal ?r (take ?n))
    (true (control ?r))  ; whose turn
    (true (heap ?h))
    (smaller ?n ?h)
    (or (distinct ?n 4) (true (some_long_name_of_fact ?n ?h ?r))))
(<= terminal (true (heap 0)))
"""


def words(text: str) -> list[str]:
    return [token.text for token in tokenize(Source("text", text), LEXICON)]


def test_an_example() -> None:
    assert format_text(UNTIDY) == TIDY
    assert format_text(TIDY) == TIDY


@pytest.mark.parametrize("file", LIBRARY, ids=lambda f: f.stem)
def test_the_library_is_formatted(file: Path) -> None:
    text = file.read_text()
    assert format_text(text) == text


@pytest.mark.parametrize("file", CORPUS, ids=lambda f: f.stem)
def test_only_white_space_changes(file: Path) -> None:
    text = file.read_bytes().decode()
    new = format_text(text)
    assert words(new) == words(text)
    assert format_text(new) == new
    assert all(len(line) <= WIDTH for line in new.splitlines() if ";" not in line)


_TEXTS = st.recursive(
    st.sampled_from(["a", "?x", "role", "<=", "or", "a,b", "not", "very-long-" * 4]),
    lambda texts: st.lists(texts, max_size=6).map(lambda items: f"({' '.join(items)})"),
)


@given(st.lists(st.tuples(_TEXTS, st.sampled_from([" ", "\n", "\n\n", " ; said\n"]))))
def test_any_forms(forms: list[tuple[str, str]]) -> None:
    text = "(role a)\n" + "".join(form + gap for form, gap in forms)
    new = format_text(text)
    assert words(new) == words(text)
    assert format_text(new) == new
    assert text.count("; said") == new.count("; said")


def test_parentheses_must_match() -> None:
    with pytest.raises(SourceError, match="never closed"):
        format_text("(role a)\n(<= (legal a b)\n")


def test_infix_is_refused_with_the_way_out() -> None:
    with pytest.raises(SourceError, match="kibitz translate"):
        format_text("role(a)\nlegal(a,b) :- true(c)\n")
