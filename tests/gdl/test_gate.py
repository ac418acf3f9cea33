"""Rules that ``kibitz check`` calls wrong make no table, through any entrance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.shared import SHARED

import kibitz
from kibitz import gdl
from kibitz.core.errors import GameDefinitionError
from kibitz.gdl.checker import check, diagnose, playable
from kibitz.gdl.game import GdlGame
from kibitz.gdl.reader import parse
from kibitz.ggp.playing import RefusedError, Rules
from kibitz.syntax.collecting import MOST
from kibitz.syntax.source import Source, SourceError

CORPUS = sorted((SHARED / "corpus" / "gdl").glob("*/*.kif"))

WRONG = {
    "unstratified": "(role a) (role random) (init (s 0)) (legal a x) (legal random x)"
    " (<= (next (s 0)) (true (s 0))) (<= found (true (s 0)) (not found))"
    " (<= terminal found) (goal a 0)",
    "unstratified, with percepts": "(role a) (role random) (init (s 0)) (legal a x)"
    " (legal random x) (<= (sees a y) (does random x)) (<= (next (s 0)) (true (s 0)))"
    " (<= found (true (s 0)) (not found)) (<= terminal found) (goal a 0)",
    "misplaced-word": "(role a) (init (s 0)) (legal a x) (<= (next (s 1)) (does b (mark ?m)))"
    " (does ?w (move ?x ?y)) (<= terminal (true (s 1))) (goal a 50)",
    "misplaced-word, a fact": "(role a) (init (s 0)) (legal a x) (true (crashed ?w))"
    " (<= (next (s 1)) (true (s 0))) (<= terminal (true (s 1))) (goal a 50)",
    "unsafe": "(role a) (init (slides 1)) (legal a x) (after ?a ?b)"
    " (<= (base (slides ?n)) (after ?m ?n)) (<= terminal (true (slides 2))) (goal a 50)",
    "unsafe, in a negation": "(role a) (init p) (<= (legal a x) (not (true (q ?x))))"
    " (<= terminal (true q)) (goal a 50)",
    "goal-value": "(role a) (init (s 0)) (legal a x) (<= (next (s 1)) (true (s 0)))"
    " (<= terminal (true (s 1))) (goal a 2147483648)",
    "goal-value, of many digits": "(role a) (init (s 0)) (legal a x)"
    f" (<= (next (s 1)) (true (s 0))) (<= terminal (true (s 1))) (goal a {'9' * 4301})",
    "too-many-roles": " ".join(f"(role r{i}) (legal r{i} x) (goal r{i} 0)" for i in range(16))
    + " (init (s 0)) (<= (next (s 1)) (true (s 0))) (<= terminal (true (s 1)))",
    "bad-role": "(role (role (role 0))) (init p) (<= (legal ?r x) (role ?r))"
    " (<= terminal (true p)) (<= (goal ?r 50) (role ?r))",
    "nobody-plays": "(role random) (init p) (legal random x) (<= (next q) (true p))"
    " (<= terminal (true q)) (goal random 50)",
    "missing": "(init p) (legal a x) (<= terminal (true p)) (goal a 50)",
    "context": "(role a) (init p) (legal a x) (<= terminal (does a x)) (goal a 50)",
}
"""Rules with an error, by its code."""

every_error = pytest.mark.parametrize("kind", WRONG)


@every_error
@pytest.mark.parametrize(
    "enter",
    [
        lambda path: kibitz.load(path),
        lambda path: kibitz.load(path.read_text(), language="gdl"),
        lambda path: GdlGame(Source.load(path), grounded=False),
        lambda path: gdl.load(path),
        lambda path: gdl.findroles(path.read_text()),
    ],
)
def test_rules_with_errors_make_no_game(
    kind: str, enter: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "wrong.kif"
    path.write_text(WRONG[kind])
    with pytest.raises(SourceError) as caught:
        enter(path)
    code = kind.partition(",")[0]
    assert caught.value.diagnostics == [d for d in diagnose(caught.value.source) if d.is_error]
    assert code in {problem.code for problem in caught.value.diagnostics}
    assert ":1:" in str(caught.value)


@every_error
def test_a_player_refuses_a_match_with_such_rules(kind: str) -> None:
    with pytest.raises(RefusedError, match=r"the rules are wrong: .*\(line 1, column"):
        Rules(WRONG[kind])


@pytest.mark.parametrize("text", ["(role a) (init \ud800)", "role(a).\ninit(b) :- true(\udcff)."])
def test_a_lone_surrogate_is_refused_at_its_place(text: str) -> None:
    with pytest.raises(SourceError, match="half of a character") as caught:
        GdlGame(Source("text", text))
    [problem] = caught.value.diagnostics
    assert problem.code == "no-character"
    assert not caught.value.source.piece(problem.span).isprintable()
    str(caught.value).encode()


def test_warnings_do_not_crowd_out_errors() -> None:
    harmless = " ".join(f"(<= (legal ?r m{i}) (true p))" for i in range(2 * MOST))
    text = f"{harmless} (role a) (init p) (<= p (not p)) (<= terminal p) (goal a 0)"
    with pytest.raises(SourceError, match="unstratified"):
        GdlGame(Source("text", text))


def test_a_goal_out_of_range_that_rules_derive_is_named() -> None:
    text = """(role a) (init p) (legal a x) (<= terminal (true q)) (<= (next q) (true p))
        (worth 99999999999) (<= (goal a ?v) (worth ?v))"""
    with pytest.raises(GameDefinitionError, match="line 2: 99999999999 is out of range"):
        GdlGame(Source("text", text)).new_state()
    state = GdlGame(Source("text", text), grounded=False).new_state()
    with pytest.raises(GameDefinitionError, match="line 2: 99999999999 is out of range"):
        state.apply(state.legal_actions()[0])


TURNS = """(role a) (role b) (init (s 0)) (succ 0 1) (succ 1 2) (<= (legal a x) (true (s 0)))
    (<= (legal b x) (true (s 1))) (<= (next (s ?y)) (true (s ?x)) (succ ?x ?y))
    (<= terminal (true (s 2))) (<= (turn a) (true (s 0))) (<= (turn b) (true (s 1)))"""
PASSES = "(<= (legal a noop) (true (s 1))) (<= (legal b noop) (true (s 0)))"


@pytest.mark.parametrize(
    ("code", "rules"),
    [
        ("unsafe", "(<= (legal ?r noop) (not (turn ?r)))"),
        ("misplaced-word", f"(<= (past ?x) (init (s ?x))) (<= (next t) (next (s 1))) {PASSES}"),
        ("keyword-arity", f"(base 1 2) (sees 1 2 3) (percept 1) {PASSES}"),
        ("recursion", f"(f (g (g 0))) (<= (f ?x) (f (g ?x))) {PASSES}"),
    ],
)
def test_harmless_breaches_are_warnings_and_play_the_same_both_ways(code: str, rules: str) -> None:
    source = Source("text", f"{TURNS} {rules} (<= (goal ?r 50) (true (s 2)))")
    errors_by_code = {problem.code: problem.is_error for problem in diagnose(source)}
    assert errors_by_code[code] is False
    assert not any(errors_by_code.values())
    assert _played(GdlGame(source)) == _played(GdlGame(source, grounded=False))


def _played(game: GdlGame) -> list[object]:
    state = game.new_state(seed=1)
    steps: list[object] = []
    while not state.is_terminal:
        steps.append(sorted(state.action_words(action) for action in state.legal_actions()))
        state.apply(state.legal_actions()[0])
    return [*steps, state.scores()]


def test_large_sheets_are_separated_by_their_arguments() -> None:
    steps = " ".join(f"(<= (q {i + 1}) (not (q {i})))" for i in range(2100))
    source = Source(
        "text", f"(role a) (init p) (legal a x) (<= terminal (q 7)) (goal a 0) {steps}"
    )
    assert playable(source).roles == ("a",)


@pytest.mark.skipif(not CORPUS, reason="the corpus is not here")
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_sheets_of_the_corpus_have_no_errors(path: Path) -> None:
    source = Source.load(path)
    rules = playable(source)
    read, _ = parse(source)
    assert read is not None
    assert not [diagnostic for diagnostic in check(read) if diagnostic.is_error]
    assert len(rules.rules) == len(read.rules)
