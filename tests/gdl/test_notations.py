"""KIF and the infix notation of the book: read, written, and the same either way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shared import SHARED

from kibitz.gdl.reader import description, parse, read_term
from kibitz.gdl.rules import (
    Compound,
    Condition,
    Description,
    Distinct,
    Literal,
    Or,
    Rule,
    Sentence,
    Variable,
    kif,
)
from kibitz.gdl.writer import infix, to_infix, to_kif
from kibitz.syntax.source import Source, Span

CORPUS = sorted((SHARED / "corpus" / "gdl").glob("*/*.kif"))
NOWHERE = Span(0, 0)


def rules(text: str) -> tuple[Rule, ...]:
    return description(Source("test", text)).rules


def complaints(text: str) -> list[tuple[str, str]]:
    source = Source("test", text)
    return [(diagnostic.code, source.piece(diagnostic.span)) for diagnostic in parse(source)[1]]


def canonical(rule: Rule) -> Any:
    """A rule with its variables numbered."""
    numbers: dict[str, str] = {}

    def renamed(item: Any) -> Any:
        match item:
            case Variable():
                return Variable(numbers.setdefault(item.name, str(len(numbers))))
            case Compound() | Sentence():
                return type(item)(item.name, tuple(map(renamed, item.arguments)))
            case Literal():
                return Literal(renamed(item.sentence), item.negated, NOWHERE)
            case Distinct():
                return Distinct(renamed(item.left), renamed(item.right), item.negated, NOWHERE)
            case Or():
                return Or(
                    tuple(tuple(map(renamed, alternative)) for alternative in item.parts), NOWHERE
                )
        return item

    return renamed(rule.head), tuple(map(renamed, rule.body))


def both_ways(original: Description) -> None:
    again = description(Source("kif", to_kif(original)))
    assert again.rules == original.rules
    assert again.spelling == original.spelling
    other = description(Source("infix", to_infix(original)))
    assert list(map(canonical, other.rules)) == list(map(canonical, original.rules))
    assert other.spelling == original.spelling
    assert other.roles == again.roles == original.roles


# --- reading ------------------------------------------------------------------------------


def test_the_books_rule_in_both_notations() -> None:
    prefix = """
        (<= (legal ?w (mark ?x ?y)) (true (cell ?x ?y b)) (true (control ?w)))
        (<= (legal white noop) (not (true (control white))) (distinct a b))
    """
    infixed = """
        legal(W,mark(X,Y)) :-
          true(cell(X,Y,b)) &
          true(control(W))

        legal(white,noop) :- ~true(control(white)) & distinct(a,b)
    """
    assert rules(prefix) == rules(infixed)


def test_infix_of_all_kinds() -> None:
    text = """
        role(x).  % a comment
        p() :- q(A,_) & (r | ~s(A) & distinct(A, b)) & q(_, 'Big one'.
    """
    assert complaints(text) == [("letter", "'Big one'")]
    text = text.replace("Big one'", "+-')")
    assert rules(text) == rules(
        """
        (role x)
        (<= p (q ?a ?1) (or r (and (not (s ?a)) (distinct ?a b))) (q ?2 +-))
    """.replace("?1", "?_1").replace("?2", "?_2")
    )


def test_lists_of_rules() -> None:
    plain = rules("(role x) (<= p q) terminal")
    assert rules("((role x) (<= p q) terminal)") == plain
    assert rules("[role(x), p :- q, terminal]") == plain
    assert rules("role(x) p :- q terminal") == plain


def test_case_does_not_matter_but_the_first_spelling_is_kept() -> None:
    parsed = description(Source("test", "(ROLE xPlayer) (<= (Legal XPLAYER ?M) (P ?m))"))
    assert parsed.roles == ("xplayer",)
    assert parsed.spelling["xplayer"] == "xPlayer"
    assert "(<= (Legal xPlayer ?m)" in to_kif(parsed)


def test_old_line_ends_and_empty_arguments() -> None:
    old = "(p);comment\r(<= (q)\t(p))\r\n"
    assert rules(old) == rules("((p) (<= q p))") == rules("p() q :- p")


@pytest.mark.parametrize(
    ("text", "code", "piece"),
    [
        ("(role x)\n(<= (p ?x) (q ?x)", "unbalanced", "("),
        ("(role x))", "unbalanced", ")"),
        ("(<=)", "arguments", "(<=)"),
        ("(<= p (not q r))", "arguments", "(not q r)"),
        ("(<= p (not (or q r)))", "negated-form", "(or q r)"),
        ("(<= p (distinct ?x))", "arguments", "(distinct ?x)"),
        ("(<= p (or))", "empty-or", "(or)"),
        ("(<= ?x p)", "variable-sentence", "?x"),
        ("(<= p (?x y))", "variable-name", "?x"),
        ("(role x) ((a b) c)", "no-name", "((a b) c)"),
        ("(<= p (<= q r))", "misplaced-word", "(<= q r)"),
        ("(<= (not p) q)", "misplaced-word", "(not p)"),
        ("p(a :- q", "unbalanced", ":-"),
        ("p :- q, r", "comma", ","),
        ("p :- q &", "expected-term", ""),
        ("p & q", "unexpected", "&"),
        ("p :- q('open", "quotation", "'open"),
        ("[p, q", "unbalanced", "["),
        ("p(é)", "expected-term", "é"),
        ("p :- " + "(" * 200 + "q" + ")" * 200, "too-deep", "("),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, code: str, piece: str) -> None:
    assert (code, piece) in complaints(text)


def test_one_mistake_in_infix_does_not_hide_the_next() -> None:
    text = "p :- & q\nr(a)\ns :- (t\nu :- ~\n"
    assert [code for code, _ in complaints(text)] == [
        "expected-term",
        "unbalanced",
        "expected-term",
    ]


def test_terms_of_messages() -> None:
    assert read_term("( mark 1 2 )") == read_term("mark(1,2)") == Compound("mark", ("1", "2"))
    assert read_term("NOOP") == "noop"
    assert read_term("+-") == "+-"
    for wrong in ("", "?x", "(mark ?x)", "mark(X)", "(a) b", "(a", "a b", "()", "a("):
        assert read_term(wrong) is None, wrong


# --- both ways ------------------------------------------------------------------------------

names = st.from_regex(r"[a-z0-9][a-z0-9_]{0,4}", fullmatch=True) | st.sampled_from(
    ["+", "-1", "a-b", "'", "a\\", "_", "_x", "%", "é", "x.y", ":-", "&", "[]"]
)
words = names.filter(lambda name: name not in ("not", "or", "and", "distinct", "role"))
terms: Any = st.recursive(
    words | st.builds(Variable, names),
    lambda inner: st.builds(Compound, words, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=6,
)
sentences = st.builds(Sentence, words, st.lists(terms, max_size=3).map(tuple))
plain = st.builds(Literal, sentences, st.booleans(), st.just(NOWHERE)) | st.builds(
    Distinct, terms, terms, st.booleans(), st.just(NOWHERE)
)
conditions: st.SearchStrategy[Condition] = st.recursive(
    plain,
    lambda inner: st.builds(
        Or,
        st.lists(st.lists(inner, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple),
        st.just(NOWHERE),
    ),
    max_leaves=5,
)
made = st.lists(
    st.builds(Rule, sentences, st.lists(conditions, max_size=3).map(tuple), st.just(NOWHERE)),
    max_size=4,
).map(tuple)


@given(made)
def test_written_and_read_again_it_is_the_same(rules: tuple[Rule, ...]) -> None:
    original = Description(Source("made", ""), rules, (), {})
    prefix = description(Source("kif", f"((role x)\n{to_kif(original)})"))
    assert prefix.rules[1:] == rules
    infixed = description(Source("infix", f"role(x)\n{to_infix(original)}"))
    assert list(map(canonical, infixed.rules[1:])) == list(map(canonical, rules))


@given(terms)
def test_terms_written_and_read_again(term: Any) -> None:
    if "?" not in kif(term):
        assert read_term(kif(term)) == term
        assert isinstance(term, str) or read_term(infix(term)) == term


@given(st.text("abXY_?'\\ \n()[]:-&|~.,;%<=0", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    parsed, problems = parse(Source("fuzz", text))
    assert (parsed is None) == any(problem.is_error for problem in problems)
    if parsed is not None:
        both_ways(parsed)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_corpus_both_ways(path: Path) -> None:
    both_ways(description(Source.load(path)))
