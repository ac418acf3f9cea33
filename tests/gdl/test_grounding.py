"""Grounding: what rules are rewritten to, and texts that are made to explode."""

from __future__ import annotations

import gc
import itertools
import tracemalloc
from typing import Any

import numpy as np
import pytest

from kibitz.core.errors import KibitzError
from kibitz.gdl import relations, tables
from kibitz.gdl.demand import inlined, restricted
from kibitz.gdl.game import GdlGame
from kibitz.gdl.grounder import Ground, ground
from kibitz.gdl.limits import CURE, MEMORY, Ledger, Limits
from kibitz.gdl.reader import description
from kibitz.gdl.rules import Description, Literal, Rule, kif
from kibitz.gdl.simulation import simulate
from kibitz.gdl.splitting import GroundingError, split, with_rigid, written_out
from kibitz.syntax.source import Source

SMALL = Limits(2)

GAME = """
(role robot) (init (at 0))
(<= (next (at ?x)) (does robot (go ?x)))
(<= terminal (true (at 3)))
(<= (goal robot 100) (true (at 3)))
"""

NUMBERS = " ".join(f"(digit {i}) (succ {i} {i + 1})" for i in range(10))


def read(text: str) -> Description:
    return description(Source("own.kif", text))


def rules(text: str) -> tuple[Rule, ...]:
    return read(text).rules


def names(ground: Ground, relation: str) -> set[str]:
    return {kif(sentence) for sentence in ground.names if sentence.name == relation}


# --- rewriting ------------------------------------------------------------------------------


def test_a_relation_is_worked_out_only_for_what_it_is_asked() -> None:
    far = " ".join(f"(succ {i} {i + 1})" for i in range(60))
    text = f"""{GAME} {far}
    (<= (less ?x ?y) (succ ?x ?y))
    (<= (less ?x ?y) (succ ?x ?z) (less ?z ?y))
    (square 1) (square 2) (square 3)
    (<= (legal robot (go ?y)) (square ?x) (square ?y) (less ?x ?y))
    """
    asked = [
        rule
        for rule in restricted(rules(text))
        if rule.head.name.startswith("asked") and not rule.body
    ]
    assert {rule.head.arguments[0] for rule in asked} <= {str(i) for i in range(61)}
    assert any(len(r.body) > 1 for r in restricted(rules(text)) if r.head.name == "less")
    assert names(ground(read(text), SMALL), "does") == {
        "(does robot (go 2))",
        "(does robot (go 3))",
    }


def test_facts_that_never_change_count_as_known() -> None:
    text = f"""{GAME} (init (wall 1)) (init (wall 2)) (step 1) (step 2) (step 3)
    (<= (next (wall ?x)) (true (wall ?x)))
    (<= (legal robot (go ?x)) (step ?x) (not (true (wall ?x))))
    """
    rewritten = with_rigid(rules(text))
    assert not any("(not (true" in str(kif(r.head)) for r in rewritten)
    assert names(ground(read(text), SMALL), "does") == {"(does robot (go 3))"}
    changing = text + "(<= (next (wall 3)) (true (at 1)))"
    assert len(names(ground(read(changing), SMALL), "does")) == 3


def test_a_relation_too_large_to_list_is_put_into_its_rule() -> None:
    text = f"""{GAME} {NUMBERS}
    (<= (near ?a ?b ?c ?d ?e ?f) (succ ?a ?b) (succ ?c ?d) (succ ?e ?f))
    (<= (legal robot (go ?a)) (digit ?a) (near ?a ?b ?b ?c ?c ?d) (digit ?d))
    """
    remaining = inlined(rules(text))
    assert not any(rule.head.name == "near" for rule in remaining)
    assert len(names(ground(read(text), SMALL), "does")) == 7


ALIKE = f"""{GAME} {NUMBERS} (parity 0 even) (parity 1 odd)
(<= (parity ?z ?p) (parity ?x ?p) (succ ?x ?y) (succ ?y ?z))
(<= (legal robot (go ?x)) (digit ?x))
(<= (alike ?a ?b ?c) (parity ?a ?p) (parity ?b ?p) (parity ?c ?p))
(<= (next (on ?x ?y)) (true (on ?x ?y)))
(<= (next (on ?x ?y)) (digit ?x) (does robot (go ?y)) (true (at ?x)))
(<= (goal robot 50) (true (on 0 ?a)) (true (on 1 ?b)) (true (on 2 ?c)) (alike ?a ?b ?c))
"""


def test_a_relation_that_compares_its_arguments_is_inlined() -> None:
    remaining = inlined(rules(ALIKE))
    assert not any(rule.head.name == "alike" for rule in remaining)
    wide = [rule for rule in remaining if rule.head.name == "goal" and len(rule.body) == 6]
    assert len(wide) == 1
    assert len(ground(read(ALIKE), SMALL).heads) < 300


def test_a_relation_of_neighbours_is_not_inlined() -> None:
    text = ALIKE.replace("(parity ?b ?p)", "(parity ?b ?p) (succ ?a ?b)")
    assert any(rule.head.name == "alike" for rule in inlined(rules(text)))


# --- what explodes --------------------------------------------------------------------------


def join(count: int, variables: int) -> str:
    facts = " ".join(f"(d {i})" for i in range(count))
    bound = " ".join(f"(d ?x{i})" for i in range(variables))
    arguments = " ".join(f"?x{i}" for i in range(variables))
    return f"{facts} (<= (legal robot (go {arguments})) {bound})"


def clique(size: int) -> str:
    """All pairs of many variables are linked, so that no splitting helps."""
    facts = " ".join(f"(e {i} {j})" for i in range(9) for j in range(9) if i != j)
    pairs = " ".join(f"(e ?x{i} ?x{j})" for i in range(size) for j in range(i))
    arguments = " ".join(f"?x{i}" for i in range(size))
    return f"{facts} (<= (legal robot (go {arguments})) {pairs})"


LEGAL = "(<= (legal robot (go ?x)) (true (at ?x)))"


def carrying(places: int) -> str:
    """A decimal counter: each state follows from one other, through a rule for each carry."""
    letters = "abcdefghij"[:places]

    def number(*digits: str) -> str:
        return f"(n {' '.join(digits)})"

    rules = [
        f"(<= (next {number(*'0' * i, '?z', *higher)})"
        f" (true {number(*'9' * i, f'?{letters[i]}', *higher)}) (succ ?{letters[i]} ?z))"
        for i in range(places)
        for higher in [[f"?{letter}" for letter in letters[i + 1 :]]]
    ]
    digits = " ".join(f"(succ {i} {i + 1})" for i in range(9))
    return f"{digits} (init {number(*'0' * places)}) (legal robot wait) {' '.join(rules)}"


def dozen(consequences: str) -> str:
    """A dozen roles that choose digits, and what a step depends on."""
    roles = " ".join(f"(role r{i})" for i in range(12))
    return f"{roles} {NUMBERS} (<= (legal ?r (pick ?x)) (role ?r) (digit ?x)) {consequences}"


PICKED = " ".join(f"?x{i}" for i in range(12))
PICKS = " ".join(f"(does r{i} (pick ?x{i}))" for i in range(12))

EXPLODING = {
    "a join of a dozen variables": join(6, 12),
    "a wide join": join(60, 5),
    "a clique": clique(9),
    "many terms": f"{NUMBERS} (<= (legal robot (go (f ?a ?b ?c ?d ?e ?f ?g ?h))) "
    + " ".join(f"(digit ?{v})" for v in "abcdefgh")
    + ")",
    "terms that grow": f"{LEGAL} (p z) (<= (p (s ?x)) (p ?x)) (<= (next (at ?x)) (p ?x))",
    "terms that double": f"{LEGAL} (p z) (<= (p (f ?x ?y)) (p ?x) (p ?y))"
    "(<= (next (at ?x)) (p ?x))",
    "growing facts": "(<= (legal robot (go (s ?x))) (true (at ?x)))",
    "facts that double": "(<= (legal robot (go (f ?x ?y))) (true (at ?x)) (true (at ?y)))",
    "a relation of all": f"{LEGAL} {NUMBERS} (<= (all ?a ?b ?c ?d ?e ?f ?g) "
    + " ".join(f"(digit ?{v})" for v in "abcdefg")
    + ") (<= (next (at ?a)) (all ?a ?b ?c ?d ?e ?f ?g) (all ?g ?f ?e ?d ?c ?b ?a)"
    " (not (all ?b ?a ?c ?d ?e ?f ?g)))",
    "a negation of all": f"{LEGAL} {NUMBERS} (<= (next (at ?a)) "
    + " ".join(f"(digit ?{v})" for v in "abcdefgh")
    + " (not (true (seen ?a ?b ?c ?d ?e ?f ?g ?h))) (distinct ?a ?h))"
    "(<= (next (seen ?a ?b ?c ?d ?e ?f ?g ?h)) (does robot (go ?a)) "
    + " ".join(f"(digit ?{v})" for v in "bcdefgh")
    + ")",
    "counting in base ten": f"{NUMBERS} (init (n 0 0 0 0 0 0 0 0)) (<= (legal robot (go 0)))"
    "(<= (next (n ?a ?b ?c ?d ?e ?f ?g ?h)) (true (n ?b ?c ?d ?e ?f ?g ?h ?a)))"
    "(<= (next (n ?z ?b ?c ?d ?e ?f ?g ?h)) (true (n ?a ?b ?c ?d ?e ?f ?g ?h)) (succ ?a ?z))",
    "permutations": f"{NUMBERS} (<= (legal robot (go ?a ?b ?c ?d ?e ?f ?g ?h)) "
    + " ".join(f"(digit ?{v})" for v in "abcdefgh")
    + " ".join(f"(distinct ?{v} ?{w})" for v in "abcdefgh" for w in "abcdefgh" if v < w)
    + ")",
    "counting with carries": carrying(10),
    "relations that need each other": f"""{LEGAL} {NUMBERS}
    (<= (p ?a ?b ?c ?d ?e) (q ?b ?c ?d ?e ?a)) (<= (q ?a ?b ?c ?d ?e) (r ?c ?d ?e ?a ?b))
    (<= (r ?a ?b ?c ?d ?e) (p ?b ?a ?c ?d ?f) (digit ?e)) (<= (p ?a ?a ?a ?a ?a) (digit ?a))
    (<= (p ?x ?b ?c ?d ?e) (p ?a ?b ?c ?d ?e) (digit ?x) (true (at ?a)))
    (<= (next (at ?a)) (p ?a ?b ?c ?d ?e))""",
    "triples": f"""{LEGAL} {" ".join(f"(d {i})" for i in range(60))}
    (<= (seen ?x ?y ?z) (d ?x) (d ?y) (d ?z) (true (at ?x)) (distinct ?x ?y))
    (<= (next (at 1)) (seen ?x ?y ?z) (seen ?y ?z ?x) (seen ?z ?x ?y) (not (seen ?x ?z ?y)))
    (<= (next (at ?x)) (d ?x))""",
    "permutations of a dozen roles' moves": dozen(
        f"(<= (next over) {PICKS} "
        + " ".join(f"(distinct ?x{i} ?x{j})" for i in range(12) for j in range(i))
        + ")"
    ),
    "a fact of a dozen roles' moves": dozen(f"(<= (next (was {PICKED})) {PICKS})"),
}


@pytest.mark.parametrize("text", EXPLODING.values(), ids=EXPLODING.keys())
def test_what_explodes_is_given_up_and_named(text: str) -> None:
    source = f"{GAME}\n{text}"
    with pytest.raises(
        GroundingError, match=r"^own\.kif:\d+:\d+: the rules have too many"
    ) as caught:
        ground(read(source), SMALL)
    assert CURE in str(caught.value)
    assert caught.value.span.end > caught.value.span.start


def test_instances_that_nothing_needs_take_no_memory() -> None:
    digits = " ".join(f"(d {i})" for i in range(300))
    ways = " ".join(
        f"(<= (pair ?x ?y) (d ?x) (d ?y) (true (at {i})) (not (true (at {i + 1}))))"
        for i in range(11)
    )
    legal = "(<= (legal robot (go ?x)) (pair ?x ?x))"
    grounded = ground(read(f"{GAME} {digits} {ways} {legal}"), Limits(120))
    assert len(names(grounded, "does")) == 300
    assert len(grounded.heads) < 10_000


def test_a_join_hands_its_rows_on_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    def heads() -> list[int]:
        return sorted(ground(read(f"{GAME} {NUMBERS} {legal}"), SMALL).heads.tolist())

    legal = "(<= (legal robot (go ?x ?y)) (digit ?x) (digit ?y) (not (true (at ?x))))"
    unlimited = heads()
    asked: list[int] = []
    looked_up = relations.Join._looked_up

    def counted(self: Any, step: Any, matches: Any, columns: Any) -> Any:
        columns, count = looked_up(self, step, matches, columns)
        asked.append(count)
        return columns, count

    monkeypatch.setattr(relations, "CHUNK", 3)
    monkeypatch.setattr(relations.Join, "_looked_up", counted)
    assert heads() == unlimited
    assert max(asked) == 3


def test_no_piece_of_work_grows_with_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other threads, such as a match, can run between two pieces."""
    made: list[tuple[int, int]] = []
    looked_up = relations.Join._looked_up

    def counted(self: Any, step: Any, matches: Any, columns: Any) -> Any:
        result, count = looked_up(self, step, matches, columns)
        made.append((count, len(columns)))
        return result, count

    monkeypatch.setattr(relations.Join, "_looked_up", counted)
    with pytest.raises(GroundingError):
        ground(read(f"{GAME}\n{join(6, 12)}"), Limits(60))
    assert max(count for count, _ in made) <= relations.CHUNK
    assert max(count * max(8, columns) for count, columns in made) <= 8 * relations.CHUNK
    assert sum(count for count, _ in made) > 2 * relations.CHUNK


def test_many_small_rounds_count_as_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule takes its time however few rows it finds."""
    applied = [0]
    begin = relations.Join.__iter__

    def counted(self: relations.Join) -> Any:
        applied[0] += 1
        return begin(self)

    monkeypatch.setattr(relations.Join, "__iter__", counted)
    with pytest.raises(GroundingError, match="too many instances"):
        ground(read(f"{GAME}\n{carrying(10)}"), SMALL)
    assert applied[0] < SMALL.rows / 300


def test_what_is_in_order_is_not_sorted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sorted_ = [0]
    sorted_with_order = tables.sorted_with_order

    def counted(keys: tables.Array) -> Any:
        sorted_[0] += len(keys)
        return sorted_with_order(keys)

    monkeypatch.setattr(tables, "sorted_with_order", counted)
    table = tables.RowSet(Ledger(1 << 30), 2)
    random = np.random.default_rng(1)
    numbers: dict[tuple[int, ...], int] = {}
    for size in (900, 40, 4_000, 700, 2_000, 3, 1_500):
        rows = random.integers(0, 120, (size, 2), np.int32)
        row_numbers = table.add(rows)
        assert [
            numbers.setdefault(tuple(row), len(numbers)) for row in rows.tolist()
        ] == row_numbers.tolist()
    assert sorted_[0] == 9_143
    assert table.rows.tolist() == [list(row) for row in numbers]
    assert table.find(table.rows).tolist() == list(range(len(numbers)))
    assert table.find(np.array([[0, 121], [121, 0]], np.int32)).tolist() == [-1, -1]


def test_joint_moves_of_a_dozen_roles_do_not_explode() -> None:
    apart = " ".join(f"(distinct ?x{i} ?x{i + 1})" for i in range(11))
    consequences = f"(<= (next over) {PICKS} {apart}) (<= terminal (true over))"
    text = f"(init start) {dozen(consequences)} (<= (goal ?r 100) (role ?r))"
    grounded = ground(read(text), SMALL)
    assert len(names(grounded, "does")) == 120
    assert len(grounded.heads) < 10_000


def test_memory_is_counted_with_indexes_and_what_is_needed_in_passing() -> None:
    digits = " ".join(f"(d {i})" for i in range(200))
    text = f"""{GAME} {digits} {LEGAL}
    (<= (seen ?x ?y ?z) (d ?x) (d ?y) (d ?z) (true (at ?x)) (distinct ?x ?y))
    (<= (next (at 1)) (seen ?x ?y ?z) (seen ?y ?z ?x) (seen ?z ?x ?y) (not (seen ?x ?z ?y)))
    (<= (next (at ?x)) (d ?x))"""
    tracemalloc.start()
    try:
        with pytest.raises(GroundingError, match="they fill more than 60 MB"):
            ground(read(text), Limits(60))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 30 << 20 < peak < 72 << 20


def test_a_refusal_keeps_no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, "2")
    game = GdlGame(Source("own.kif", f"{GAME} {clique(9)}"))
    gc.collect()
    before = tables_alive()
    assert game.rules.refusal is not None
    gc.collect()
    assert tables_alive() == before


def tables_alive() -> int:
    # isinstance would follow weak references, those to what is gone, too
    return sum(type(item) is tables.RowSet for item in gc.get_objects())


def test_moves_are_too_many_before_a_network_is_made() -> None:
    digits = " ".join(f"(d {i})" for i in range(47))
    legal = "(<= (legal robot (go ?x ?y ?z)) (d ?x) (d ?y) (d ?z))"
    with pytest.raises(
        GroundingError, match=r"^own\.kif:7:1: a role has 103,823 moves.*better made one"
    ):
        ground(read(f"{GAME} {digits}\n{legal}"))


def test_too_many_alternatives_are_told_with_their_place() -> None:
    either = " ".join("(or (true (at 1)) (true (at 2)))" for _ in range(10))
    with pytest.raises(GroundingError, match=r"^own\.kif:7:1: the `or` of this rule.*helps"):
        ground(read(f"{GAME}\n(<= (legal robot (go 1)) {either})"))


def test_a_part_of_a_rule_is_kept_small_by_what_never_changes() -> None:
    (rule,) = rules("""(<= (next (at ?m))
        (true (spot ?u)) (left ?u ?x) (right ?u ?y) (near ?x ?y) (mark ?x ?y ?m))""")

    def parts(*fixed: tuple[str, int]) -> list[set[str]]:
        return [
            {c.sentence.name for c in piece.body if isinstance(c, Literal)}
            for piece in split(rule, itertools.count(), fixed)
        ]

    assert parts()[0] == {"true", "left", "right"}
    assert parts(("near", 2), ("mark", 3))[0] == {"true", "left", "right", "near"}


def test_the_limit_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MEMORY, raising=False)
    assert Limits.chosen().megabytes == 500
    monkeypatch.setenv(MEMORY, "2000")
    assert Limits.chosen().megabytes == 2000
    for wrong in ("much", "-1", "0"):
        monkeypatch.setenv(MEMORY, wrong)
        with pytest.raises(KibitzError, match=MEMORY):
            Limits.chosen()


def test_checking_names_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, "1")
    digits = " ".join(f"(d {i})" for i in range(40))
    line = "(<= (q ?a ?b ?c) (d ?a) (d ?b) (d ?c))"
    legal = "(<= (legal robot (go ?a)) (d ?a) (d ?b) (d ?c) (not (q ?a ?b ?c)))"
    source = Source("own.kif", f"{GAME} {digits} {legal}\n(<= (q ?a ?a ?b) (d ?a) (d ?b))\n{line}")
    (reported,) = [
        diagnostic for diagnostic in simulate(source, games=1) if diagnostic.code == "grounding"
    ]
    assert source.piece(reported.span) == line
    assert MEMORY in reported.hint
    game = GdlGame(source)
    assert MEMORY in game.evaluation


def test_a_condition_that_is_repeated_counts_once() -> None:
    (rule,) = rules("(<= (p ?x) (q ?x) (q ?x) (or (q ?x) (r ?x)))")
    assert [len(rewritten.body) for rewritten in written_out(rule)] == [1, 2]
