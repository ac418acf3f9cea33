"""The reader of S-expressions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kibitz.syntax.sexpr import (
    MOST_DEPTH,
    Atom,
    Form,
    Lexicon,
    Node,
    arrange,
    forms,
    read,
    suspects,
    tokenize,
    words,
)
from kibitz.syntax.source import Source

RECYCLE = Lexicon(separators=",", marks=("..", ":"))


def plain(node: Node) -> object:
    return node.text if isinstance(node, Atom) else [plain(item) for item in node.items]


def reading(text: str, lexicon: Lexicon = RECYCLE) -> list[object]:
    return [plain(form) for form in read(Source("x", text), lexicon).forms]


def test_words_and_forms() -> None:
    assert reading("(a (b 12) 'C) d") == [["a", ["b", "12"], "'C"], "d"]


def test_comments_separators_and_marks() -> None:
    assert reading("(a, b;(\n c) ;; end") == [["a", "b", "c"]]
    assert reading("(range 1..10) (RANK:ACE)") == [
        ["range", "1", "..", "10"],
        ["RANK", ":", "ACE"],
    ]
    assert reading("(a,b x:y 1..2)", Lexicon()) == [["a,b", "x:y", "1..2"]]
    assert reading("\ufeff(a)") == [["a"]]


def test_spans_are_exact() -> None:
    source = Source("x", "(a\n  (bc 12))")
    (form,) = read(source).forms
    assert isinstance(form, Form)
    assert [source.piece(one.span) for one in forms(form)] == ["(a\n  (bc 12))", "(bc 12)"]
    assert [source.piece(one.span) for one in words(form)] == ["a", "bc", "12"]


def test_too_many_and_too_few() -> None:
    found = read(Source("x", "(a)) (b"))
    assert [plain(form) for form in found.forms] == [["a"], ["b"]]
    assert [(one.code, one.span.start) for one in found.diagnostics] == [
        ("unbalanced", 3),
        ("unbalanced", 5),
    ]


def test_the_indentation_shows_where() -> None:
    text = "(game\n  (setup\n    (a)\n    (b (c))\n  (do\n    (d)))"
    source = Source("x", text)
    assert suspects(source, tokenize(source, RECYCLE), single=True) == [
        (text.index("\n  (do"), "close")
    ]
    (one,) = read(source).diagnostics
    assert "line 4" in one.hint
    text = "(game\n  (stage\n    (a))\n    (b))\n  (do (d)))"
    source = Source("x", text)
    found = suspects(source, tokenize(source, RECYCLE), single=True)
    assert found[0] == (text.index(")\n    (b)"), "remove")


def test_parentheses_at_the_end_of_a_line_do_not_count() -> None:
    source = Source("x", "(game\n  (do (\n     (a)\n     (b)))\n  (stage player (end\n    (c))))")
    assert suspects(source, tokenize(source, RECYCLE), single=True) == []


def test_depth_is_limited() -> None:
    text = "(" * 1000 + ")" * 1000
    (one,) = read(Source("x", text)).diagnostics
    assert one.code == "too-deep"
    assert one.span.start == MOST_DEPTH


def test_size_is_limited() -> None:
    found = read(Source("x", "a" * 1_000_001))
    assert found.forms == ()
    assert [one.code for one in found.diagnostics] == ["too-large"]


@given(
    st.lists(st.sampled_from(["(", ")", "a", "1", " ", "\n", ",", ";", "..", "'X"]), max_size=60)
)
def test_nothing_is_lost(pieces: list[str]) -> None:
    source = Source("x", "".join(pieces))
    tokens = tokenize(source, RECYCLE)
    nesting = arrange(tokens)
    atoms = [atom.text for form in nesting.forms for atom in words(form)]
    assert atoms == [token.text for token in tokens if token.text not in "()"]
    opened = sum(token.text == "(" for token in tokens)
    closed = sum(token.text == ")" for token in tokens)
    assert opened - closed == len(nesting.unclosed) - len(nesting.superfluous)
    found = read(source, RECYCLE)
    assert bool(found.diagnostics) == bool(nesting.unclosed or nesting.superfluous)
