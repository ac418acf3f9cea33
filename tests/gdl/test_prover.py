"""The prover: agreement with the least model, queries, limits."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.gdl import naive
from tests.shared import SHARED

from kibitz.core.errors import GameDefinitionError
from kibitz.core.interrupt import StoppedError, run_until_stopped
from kibitz.gdl import prover_rules
from kibitz.gdl.game import GdlGame
from kibitz.gdl.prover import Prover, ProverState, TooMuchError
from kibitz.gdl.reader import description
from kibitz.gdl.rules import Description, Sentence, Term
from kibitz.gdl.steps import Steps
from kibitz.syntax.source import Source

CONSTANTS = "abc"


def read(text: str) -> Description:
    return description(Source("own.kif", text))


def asked(rules: Description) -> set[Term]:
    """The facts after the first step by the prover; each role makes its first move."""
    proof = Prover(rules)
    state = proof.state(proof.initial())
    moves = {role: min(m, key=proof.terms.words) for role, m in proof.legal(state).items()}
    return {proof.terms.term(fact) for fact in proof.after(proof.step(state, moves))}


def expected(rules: Description) -> set[Term]:
    """The facts after the first step by the least model; each role makes its first move."""
    holds = naive.model(rules.rules, [])
    true = [Sentence("true", s.arguments) for s in holds if s.name == "init"]
    holds = naive.model(rules.rules, true)
    does = [
        Sentence("does", (role, min((s.arguments[1] for s in holds if _legal(s, role)), key=str)))
        for role in rules.roles
    ]
    holds = naive.model(rules.rules, [*true, *does])
    return {s.arguments[0] for s in holds if s.name == "next"}


def _legal(sentence: Sentence, role: str) -> bool:
    return sentence.name == "legal" and sentence.arguments[0] == role


# -- random programs -----------------------------------------------------------------------------


class Programs:
    """Valid rules at random: relations in an order, each of rules about earlier ones.

    A relation may also need itself and the one before it in the order, if not negated.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.arity = {"p": 2, "q": 1, "true": 1}

    def text(self) -> str:
        r = self.random
        lines = ["(role r)", "(legal r go)", *self.facts()]
        names: list[str] = []
        for number in range(r.randint(2, 6)):
            name = f"s{number}"
            self.arity[name] = r.randint(0, 2)
            recursive = r.random() < 0.6
            allowed = [*names, "p", "q", "true"]
            for i in range(r.randint(1, 4)):
                own = [name] if recursive and i else []
                lines.append(self.rule(name, allowed, own))
            names.append(name)
        for name in names:
            variables = " ".join(f"?x{i}" for i in range(self.arity[name]))
            body = f"({name} {variables})" if variables else name
            lines.append(f"(<= (next (holds {name} {variables})) {body})")
        r.shuffle(lines)
        return "\n".join(["(role r)", *lines])

    def facts(self) -> Iterator[str]:
        r = self.random
        for _ in range(r.randint(4, 9)):
            yield f"(p {r.choice(CONSTANTS)} {r.choice(CONSTANTS)})"
            yield f"(init (at {r.choice(CONSTANTS)} {r.choice(CONSTANTS)}))"
        for _ in range(2):
            yield f"(q {r.choice(CONSTANTS)})"
        yield "(init flag)"
        yield "(q (f a)) (p b (f b))"

    def rule(self, name: str, allowed: list[str], own: list[str]) -> str:
        r = self.random
        variables = [f"?{v}" for v in "wxyz"[: r.randint(1, 4)]]
        body, bound = self.positive(allowed + own * 2, variables, r.randint(1, 3))
        if own and not any(self.said(own[0]) in c for c in body):
            body.append(self.literal(own[0], sorted(bound) or ["a"]))
        tests = [self.test(allowed, sorted(bound)) for _ in range(r.choice([0, 0, 1, 2]))]
        if r.random() < 0.4:
            tests.append(self.either(allowed + own, variables, bound))
        # a term that grows is kept out of recursions
        terms = [*sorted(bound), *CONSTANTS[:1]]
        if not own and bound and r.random() < 0.2:
            terms.append(f"(f {r.choice(sorted(bound))})")
        arguments = " ".join(r.choice(terms) for _ in range(self.arity[name]))
        conditions = [*body, *tests]
        r.shuffle(conditions)
        head = f"({name} {arguments})" if arguments else name
        return f"(<= {head} {' '.join(conditions)})"

    def said(self, name: str) -> str:
        return f"({name}"

    def positive(
        self, names: list[str], variables: list[str], count: int
    ) -> tuple[list[str], set[str]]:
        literals, bound = [], set[str]()
        for _ in range(count):
            literal = self.literal(self.random.choice(names), variables)
            literals.append(literal)
            bound |= {v for v in variables if v in literal}
        return literals, bound

    def literal(self, name: str, terms: list[str]) -> str:
        r = self.random

        def term() -> str:
            return r.choice(terms) if r.random() < 0.95 else r.choice(CONSTANTS)

        if name == "true":
            return r.choice([f"(true (at {term()} {term()}))", "(true flag)"])
        arguments = [term() for _ in range(self.arity[name])]
        if arguments and name in "pq" and r.random() < 0.2:
            arguments[-1] = f"(f {arguments[-1]})"
        return f"({name} {' '.join(arguments)})" if arguments else name

    def test(self, names: list[str], bound: list[str]) -> str:
        r = self.random
        terms = [*bound, "a"]
        if r.random() < 0.5:
            return f"(distinct {r.choice(terms)} {r.choice(terms)})"
        return f"(not {self.literal(r.choice(names), terms)})"

    def either(self, names: list[str], variables: list[str], bound: set[str]) -> str:
        r = self.random
        alternatives = []
        for _ in range(r.randint(1, 3)):
            if r.random() < 0.4:
                alternatives.append(self.test([n for n in names if n != names[-1]], sorted(bound)))
            else:
                body, _ = self.positive(names, variables, r.randint(1, 2))
                alternatives.append(body[0] if len(body) == 1 else f"(and {' '.join(body)})")
        return f"(or {' '.join(alternatives)})"


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32))
def test_random_rules_have_their_least_model(seed: int) -> None:
    rules = read(Programs(seed).text())
    assert asked(rules) == expected(rules)


# -- what is asked, and what is kept -------------------------------------------------------------


def proof_of(text: str) -> Prover:
    return Prover(read(text))


def terminal(text: str) -> bool:
    proof = proof_of(f"(role r) (legal r go) (init now) {text}")
    return proof.terminal(proof.state(proof.initial()))


def test_a_term_may_grow_where_another_condition_limits_it() -> None:
    assert terminal("""
        (number 0) (<= (number (s 0)) (true now)) (number (s (s 0)))
        (<= (even 0) (true now))
        (<= (even (s (s ?x))) (number (s (s ?x))) (even ?x))
        (<= (pair ?x (f ?x)) (even ?x))
        (<= (small ?x) (pair ?x ?y) (pair (s (s 0)) ?y))
        (<= terminal (small (s (s 0))) (not (small 0)))
    """)


def test_a_recursion_asks_for_a_compound_only_once_it_is_confirmed() -> None:
    assert terminal("""
        (<= (tower (on a (on b floor))) (true now)) (<= (tower (on b floor)) (true now))
        (<= (high ?x) (high (on a ?x)) (tower (on a ?x)))
        (<= (high (on a (on b floor))) (true now))
        (<= terminal (high (on b floor)))
    """)


def test_an_or_whose_parts_need_each_other_is_written_out() -> None:
    assert (
        terminal("""
        (<= (p 1 2) (true now)) (<= (q 3) (true now)) (<= (r 4 3) (true now)) (s 5)
        (<= (both ?x ?y)
            (or (p ?x ?y) (and (q ?x) (distinct ?y 1)))
            (or (r ?y ?x) (and (s ?y) (distinct ?x 2))))
        (<= terminal (both 3 4) (both 3 5) (both 1 2))
    """)
        is False
    )
    assert terminal("""
        (<= (p 1 5) (true now)) (<= (q 3) (true now)) (<= (r 4 3) (true now)) (s 5)
        (<= (both ?x ?y)
            (or (p ?x ?y) (and (q ?x) (distinct ?y 1)))
            (or (r ?y ?x) (and (s ?y) (distinct ?x 2))))
        (<= terminal (both 3 4) (both 3 5) (both 1 5) (not (both 1 4)))
    """)


def test_long_chains_of_rules_are_no_deeper_than_short_ones() -> None:
    chain = " ".join(f"(<= (p{i + 1} ?x) (p{i} ?x) (true now))" for i in range(1_200))
    assert terminal(f"(p0 a) {chain} (<= terminal (p1200 ?x))")


CELLS = " ".join(f"(index {i})" for i in range(20))
STEPS = " ".join(f"(next_to {i} {i + 1})" for i in range(19))


def answers(text: str) -> int:
    """The number of answers needed to decide whether the game is over."""
    proof = proof_of(f"(role r) (legal r go) (init (at 0 0)) {CELLS} {STEPS} {text}")
    state = proof.state(proof.initial())
    assert proof.terminal(state)
    return state.answers


def test_only_what_is_asked_is_worked_out() -> None:
    count = answers("""
        (<= (line ?x ?y ?z ?y) (next_to ?x ?z) (index ?y) (not (true (at ?z ?y))))
        (<= (line ?x ?y ?z ?y)
            (next_to ?x ?w) (not (true (at ?w ?y))) (line ?w ?y ?z ?y))
        (<= terminal (true (at ?x ?y)) (line ?x ?y 19 ?w))
    """)
    assert count < 2 * 20 + 10  # of 20 * 190 lines


def test_a_question_is_answered_once_in_a_state() -> None:
    # every cell is reached in as many ways as there are paths: 35,345,263,800 for the last
    count = answers("""
        (<= (path 0 0) (true (at 0 0)))
        (<= (path ?x ?y) (next_to ?w ?x) (index ?y) (path ?w ?y))
        (<= (path ?x ?y) (next_to ?w ?y) (index ?x) (path ?x ?w))
        (<= terminal (path 19 19))
    """)
    assert count <= 2 * 400 + 2


class StopsAt(list[int]):
    """A stop word that is set when it is looked at for the n-th time."""

    def __init__(self, looks: int) -> None:
        super().__init__([0])
        self.left = looks

    def __getitem__(self, index: Any) -> Any:
        self.left -= 1
        return int(self.left <= 0)


def test_a_question_that_was_stopped_has_all_its_answers_when_it_is_asked_again() -> None:
    """Wherever it stopped: in a recursion, in what a negation asks, or in what never changes."""

    def asked() -> tuple[Callable[[], set[str]], Callable[[], bool]]:
        proof = proof_of(f"""
            (role r) (init (at 0)) (init (wall 3)) {" ".join(f"(index {i})" for i in range(6))}
            {" ".join(f"(next_to {i} {i + 1})" for i in range(5))}
            (<= (joined ?x ?y) (next_to ?x ?y))
            (<= (joined ?x ?z) (joined ?x ?y) (next_to ?y ?z))
            (<= (free ?x) (index ?x) (not (blocked ?x)))
            (<= (blocked ?x) (true (wall ?y)) (joined ?y ?x))
            (<= (near ?x ?y) (true (at ?x)) (next_to ?x ?y) (free ?y))
            (<= (near ?x ?z) (near ?x ?y) (far ?y ?z))
            (<= (far ?y ?z) (near ?x ?y) (next_to ?y ?z) (free ?z))
            (<= (legal r (go ?y)) (true (at ?x)) (near ?x ?y))
            (<= terminal (free 4))
        """)
        state = proof.state(proof.initial())
        words = proof.terms.words
        return (
            lambda: {words(move) for (moves,) in [proof.legal(state).values()] for move in moves},
            lambda: proof.terminal(state),
        )

    looks = 0
    stopped = True
    while stopped:
        looks += 1
        legal, terminal = asked()
        try:
            run_until_stopped(legal, StopsAt(looks))
            stopped = False
        except StoppedError:
            pass
        assert legal() == {"(go 1)", "(go 2)", "(go 3)"}
        assert not terminal()
    assert looks > 10


def test_what_needs_a_fact_that_does_not_hold_is_not_worked_out() -> None:
    """On an empty board nothing is joined, though the way along the board comes first."""
    proof = proof_of(f"""
        (role r) (init (control r)) (start 0) (legal r (place 3))
        {" ".join(f"(next_to {i} {i + 1})" for i in range(1500))}
        (<= (joined ?x ?y) (next_to ?x ?y) (not (true (wall ?x ?y))))
        (<= (joined ?x ?z) (joined ?x ?y) (joined ?y ?z))
        (<= terminal (start ?x) (joined ?x ?y) (true (stone ?y ?p)))
        (<= (next (stone ?x ?p)) (does ?p (place ?x)))
    """)
    empty = proof.state(proof.initial())
    assert not proof.terminal(empty)
    assert empty.answers == 1


def test_what_depends_on_nothing_is_kept_for_all_states() -> None:
    proof = proof_of(f"""
        (role r) (legal r go) (init (at 0)) {CELLS} {STEPS}
        (<= (before ?x ?y) (next_to ?x ?y))
        (<= (before ?x ?y) (next_to ?x ?z) (before ?z ?y))
        (<= terminal (true (at ?x)) (before ?x 19))
        (<= (next (at ?y)) (true (at ?x)) (next_to ?x ?y))
    """)
    first = proof.state(proof.initial())
    assert proof.terminal(first)
    (role,) = proof.roles
    ((move,),) = proof.legal(first).values()
    second = proof.state(proof.after(proof.step(first, {role: move})))
    assert proof.terminal(second)
    assert second.answers == 2  # that it was asked, and the answer


def test_what_is_kept_of_states_and_steps_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """This includes what a step derives about its state and later steps could reuse."""
    monkeypatch.setattr(prover_rules, "_MOST_ANSWERS", 1_000)
    game = GdlGame(
        Source(
            "own.kif",
            f"""(role r) (init (at 0)) {CELLS} (goal r 50) (<= terminal (true (at 20)))
            (<= (legal r (go ?x)) (index ?x))
            (<= (pair ?x ?y) (index ?x) (index ?y) (true (at ?z)) (distinct ?x ?z))
            (<= (next (at ?x)) (does r (go ?x)) (pair ?x ?y) (pair ?y ?x))""",
        ),
        grounded=False,
    )
    steps = Steps(game.table())
    state = steps.table.new_state()
    sizes = []
    for number in range(12):
        for move in steps.legal(state, 0)[number : number + 5]:
            after = state.clone()
            steps.play(after, [move])
        state = after
        proved = game.rules.proved
        assert proved is not None
        entries = [*proved._kept.values(), *proved._steps.values()]
        tables = {
            id(t): t for entry in entries for level in entry.tables[1:] for t in level.values()
        }
        sizes.append(sum(map(len, tables.values())))
    assert max(sizes) < 1.5 * sizes[2]


HEAVY = sorted((SHARED / "corpus" / "gdl" / "heavy").glob("*.kif"))


@pytest.mark.skipif(not HEAVY, reason="the corpus is not here")
@pytest.mark.parametrize("path", HEAVY, ids=lambda path: path.stem)
def test_games_that_are_hard_to_ground_are_played_with_few_answers(path: Path) -> None:
    proof = Prover(description(Source.load(path)))
    chance = random.Random(1)
    state = proof.state(proof.initial())
    for _ in range(4):
        if proof.terminal(state):
            break
        legal = proof.legal(state)
        assert all(legal.values())
        moves = {role: chance.choice(legal[role]) for role in proof.roles}
        step = proof.step(state, moves)
        after = proof.after(step)
        assert after
        assert state.answers < 20_000  # a relation in full: 10,000 to millions
        state = proof.state(after)
    assert len(proof.goals(state)) == len(proof.roles)


# -- limits --------------------------------------------------------------------------------------

TWELVE = [f"?x{i}" for i in range(12)]
DIGITS = " ".join(f"(digit {i})" for i in range(12))
DIFFERENT = " ".join(f"(distinct {a} {b})" for a, b in itertools.combinations(TWELVE, 2))
ROLES = " ".join(f"(role r{i})" for i in range(12))
EXPLOSIONS = {
    "a product": f"""(role r) {DIGITS}
        (<= (legal r (pick {" ".join(TWELVE)})) {" ".join(f"(digit {x})" for x in TWELVE)})""",
    "permutations": f"""(role r) {DIGITS}
        (<= (legal r (pick {" ".join(TWELVE)}))
            {" ".join(f"(digit {x})" for x in TWELVE)} {DIFFERENT})""",
    "roles": f"""{ROLES} {DIGITS}
        (<= (legal ?r (pick ?d)) (role ?r) (digit ?d))
        (<= (next (made {" ".join(TWELVE)}))
            {" ".join(f"(does ?r{i} (pick {x}))" for i, x in enumerate(TWELVE))}
            {DIFFERENT.replace("?x", "?r")})""",
    "a recursion": """(role r) (init now) (<= (p ?x) (p (s ?x))) (<= (p b) (true now))
        (<= (legal r go) (p a))""",
    "all pairs": f"""(role r) (init now)
        {" ".join(f"(e {i} {i + 1})" for i in range(3000))} (<= (e 3000 0) (true now))
        (<= (p ?x ?y) (e ?x ?y)) (<= (p ?x ?z) (e ?x ?y) (p ?y ?z))
        (<= (legal r (go ?x ?y)) (p ?x ?y))""",
}


@pytest.mark.parametrize("text", EXPLOSIONS.values(), ids=EXPLOSIONS.keys())
def test_rules_that_explode_are_named(text: str) -> None:
    proof = proof_of(text)
    state = proof.state(proof.initial())
    with pytest.raises(TooMuchError, match=r"own.kif, line \d+: .*help") as caught:
        first_step(proof, state)
    remaining_work = proof._work_left
    with pytest.raises(TooMuchError) as again:
        first_step(proof, state)
    assert str(again.value) == str(caught.value)
    assert proof._work_left >= min(
        remaining_work, proof.limits.work // 2
    )  # it is not tried once more
    another = proof.state(proof.initial())
    with pytest.raises(TooMuchError, match=r"own.kif, line \d+: "):  # nothing half done is kept
        first_step(proof, another)


def first_step(proof: Prover, state: ProverState) -> None:
    """Makes a step."""
    moves = {role: legal[0] for role, legal in proof.legal(state).items()}
    proof.after(proof.step(state, moves))


def play_on(proof: Prover, steps: int) -> None:
    """Makes `steps` steps, each with the first legal move of every role."""
    true = proof.initial()
    for _ in range(steps):
        state = proof.state(true)
        moves = {role: legal[0] for role, legal in proof.legal(state).items()}
        true = proof.after(proof.step(state, moves))


def test_a_term_that_doubles_is_given_up_before_it_is_written() -> None:
    proof = proof_of(
        """(role r) (init (at 0)) (legal r go)
        (<= (next (at (f ?x ?x))) (true (at ?x)))"""
    )
    with pytest.raises(TooMuchError, match=r"own.kif, line 2: .* names in it"):
        play_on(proof, steps=20)


MANY_FACTS = """(role r) (init now) (legal r go)
    (<= (next (n ?a ?b ?c ?d)) (d ?a) (d ?b) (d ?c) (d ?d) (does r go))
    (<= terminal (true (n 1 1 1 1))) (goal r 100) """ + " ".join(f"(d {i})" for i in range(14))


def test_too_many_facts_are_told_with_the_line_of_their_rule() -> None:
    game = GdlGame(Source("own.kif", MANY_FACTS), grounded=False)
    steps = Steps(game.table())
    state = steps.table.new_state()
    with pytest.raises(GameDefinitionError, match=r"own.kif, line 2: more than 32,768 facts"):
        steps.play(state, [steps.legal(state, 0)[0]])


def test_too_many_legal_moves_are_told_with_the_line_of_their_rule() -> None:
    digits = " ".join(f"(d {i})" for i in range(17))
    text = f"""(role r) (init now) {digits}
        (<= (legal r (go ?a ?b ?c)) (d ?a) (d ?b) (d ?c))
        (<= (next (at ?a)) (does r (go ?a ?b ?c)))
        (<= terminal (true (at 3))) (goal r 100)"""
    steps = Steps(GdlGame(Source("own.kif", text)).table())
    state = steps.table.new_state()
    with pytest.raises(GameDefinitionError, match=r"own.kif, line 2: .* 4,096 legal moves"):
        steps.legal(state, 0)
