"""Converting the dialect of the paper, with its many-valued references."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.shared import SHARED

from kibitz.recycle import tree
from kibitz.recycle.parser import parse, program
from kibitz.syntax.source import Source, render

CORPUS = SHARED / "corpus" / "recycle" / "paper2016"
OLDER = ("Blackjack", "NoThanks")
FILES = sorted(path for path in CORPUS.glob("*") if path.stem not in (*OLDER, "Agram"))

FRAME = """(game (setup (create players 3) (create teams (0) (1) (2))
  (create deck (game iloc STOCK) (deck 2 (rank (A, 2, 10)) (suit (x, y)))))
 {body}
 (scoring max {score}))"""


def frame(body: str = "(comp (() (turn pass)))", score: str = "0") -> Source:
    return Source("frame.gdl", FRAME.format(body=body, score=score))


def action(text: str) -> tree.Statement:
    """The parsed form of an action of a comp."""
    (item,) = program(frame(f"(comp (() {text}))")).items
    assert isinstance(item, tree.Block)
    assert isinstance(item.body, tree.Do)
    (step,) = item.body.steps
    return step


def condition(text: str) -> tree.Expression:
    (item,) = program(frame(f"(comp ({text} (turn pass)))")).items
    assert isinstance(item, tree.Block)
    assert isinstance(item.body, tree.Do)
    (step,) = item.body.steps
    assert isinstance(step, tree.When)
    return step.condition


def codes(source: Source) -> list[str]:
    return [diagnostic.code for diagnostic in parse(source)[1]]


@pytest.mark.skipif(not FILES, reason="the corpus is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_corpus_is_read(path: Path) -> None:
    source = Source.load(path)
    parsed, diagnostics = parse(source)
    assert parsed is not None, "\n".join(render(diagnostic, source) for diagnostic in diagnostics)
    assert parsed.dialect == "A"
    known = {"AgramClean": ["player-of-player"], "War": ["unbalanced"], "War2": ["unbalanced"]}
    assert [diagnostic.code for diagnostic in diagnostics] == known.get(path.stem, [])


@pytest.mark.skipif(not FILES, reason="the corpus is not here")
def test_the_typing_error_of_2016_is_found() -> None:
    source = Source.load(CORPUS / "Agram.gdl")
    (diagnostic,) = parse(source)[1]
    assert diagnostic.code == "two-names"
    assert source.piece(diagnostic.span) == "6 7"
    assert "6, 7" in diagnostic.hint


def test_decks_with_copies() -> None:
    parsed = program(frame())
    assert len(parsed.cards) == 12
    assert parsed.cards[2].attributes == {"rank": "2", "suit": "x"}


def test_any_is_some_and_all_is_every() -> None:
    for word, every in (("any", False), ("all", True)):
        quantified = condition(f"(== (size (({word} player) iloc HAND)) 0)")
        assert isinstance(quantified, tree.Quantified)
        assert quantified.every is every
        assert isinstance(quantified.collection, tree.Players)
        assert isinstance(quantified.body, tree.Compare)


def test_the_second_number_has_one_value() -> None:
    comparison = condition("(== (game sto X) (size ((all player) iloc HAND)))")
    assert isinstance(comparison, tree.Compare)
    assert isinstance(comparison.right, tree.Size)
    assert isinstance(comparison.right.collection, tree.Pile)
    assert isinstance(comparison.right.collection.owner, tree.Seat)


def test_a_sum_is_of_all_or_of_each() -> None:
    parsed = condition("(>= (sum ((any player) vloc S) using P) 31)")
    assert isinstance(parsed, tree.Quantified)
    assert isinstance(parsed.body, tree.Compare)
    assert isinstance(parsed.body.left, tree.Sum)
    for text in ("(sum ((all player) vloc S) using P)", "(sum ((all player) sto S))"):
        parsed = condition(f"(>= {text} 31)")
        assert isinstance(parsed, tree.Compare)
        assert isinstance(parsed.left, tree.Total)


def test_sets_of_names_are_equal_if_they_meet() -> None:
    quantified = condition(
        "(== (cardatt rank (any (game vloc A))) (cardatt rank (top (game vloc B))))"
    )
    assert isinstance(quantified, tree.Quantified)
    assert not quantified.every
    none = condition("(!= (cardatt rank (any (game vloc A))) 10)")
    assert isinstance(none, tree.Quantified)
    assert none.every
    assert isinstance(none.body, tree.Same)
    assert not none.body.equal


def test_where() -> None:
    comparison = condition(
        "(> (size ((current player) iloc HAND where"
        " (none (== (cardatt suit each) x) (> (score each using P) 3)))) 0)"
    )
    assert isinstance(comparison, tree.Compare)
    assert isinstance(comparison.left, tree.Size)
    filtered = comparison.left.collection
    assert isinstance(filtered, tree.Filter)
    assert isinstance(filtered.body, tree.Not)
    assert isinstance(filtered.body.condition, tree.Logic)
    assert filtered.body.condition.operator == "or"


def test_where_is_applied_to_each_location() -> None:
    quantified = condition(
        "(> (size ((any player) iloc HAND where (all (== (cardatt suit each) x)))) 0)"
    )
    assert isinstance(quantified, tree.Quantified)
    assert isinstance(quantified.body, tree.Compare)
    assert isinstance(quantified.body.left, tree.Size)
    filtered = quantified.body.left.collection
    assert isinstance(filtered, tree.Filter)
    assert isinstance(filtered.collection, tree.Pile)
    assert isinstance(filtered.collection.owner, tree.Variable)
    assert filtered.collection.owner.binding is quantified.binding


def test_dealing_goes_round_the_table() -> None:
    step = action("(move (top (game iloc STOCK)) (top ((all player) iloc HAND)) 6)")
    assert isinstance(step, tree.Repeat)
    assert isinstance(step.body, tree.ForEach)
    assert isinstance(step.body.body, tree.Move)
    assert step.body.body.lenient


def test_from_each_to_each_goes_by_seat() -> None:
    step = action("(move (top ((all player) iloc A)) (top ((all player) iloc B)))")
    assert isinstance(step, tree.ForEach)
    move = step.body
    assert isinstance(move, tree.Move)
    assert isinstance(move.card, tree.CardAt)
    for pile in (move.card.cards, move.pile):
        assert isinstance(pile, tree.Pile)
        assert isinstance(pile.owner, tree.Variable)
        assert pile.owner.binding is step.binding


def test_all_of_one_location() -> None:
    step = action("(move (top (game vloc A)) (bottom (game vloc B)) all)")
    assert isinstance(step, tree.Repeat)
    assert isinstance(step.times, tree.Size)
    step = action(
        "(move (top (game vloc A where (all (== (cardatt suit each) x)))) (top (game vloc B)) all)"
    )
    assert isinstance(step, tree.Let)
    assert isinstance(step.value, tree.Filter)


def test_the_winner_is_found_before_the_trick_is_cleared() -> None:
    winner = "((owner (max (union ((all player) vloc TRICK)) using P)) player)"
    step = action(f"(move (top ((all player) vloc TRICK)) (bottom ({winner} iloc WON)) all)")
    assert isinstance(step, tree.Let)
    assert isinstance(step.value, tree.OwnerOf)
    loop = step.body
    assert isinstance(loop, tree.ForEach)
    best = step.value.card
    assert isinstance(best, tree.Best)
    assert isinstance(best.cards, tree.Combined)
    (each,) = best.cards.parts
    assert isinstance(each, tree.Each)
    assert each.binding is not loop.binding


def test_any_makes_options() -> None:
    (item,) = program(
        frame("(choice (() (move (any (game iloc STOCK)) (top (game vloc A))) (turn pass)))")
    ).items
    assert isinstance(item, tree.Choice)
    (clause,) = item.clauses
    assert isinstance(clause, tree.Do)
    assert isinstance(clause.steps[0], tree.Fork)


def test_players_of_teams_and_teams_of_players() -> None:
    step = action("(set (((current team) player) sto X) 0)")
    assert isinstance(step, tree.ForEach)
    assert isinstance(step.collection, tree.Members)
    score = program(frame(score="(((current player) team) sto X)")).score
    assert isinstance(score, tree.Stored)
    assert isinstance(score.owner, tree.TeamOf)
    score = program(frame(score="(owner (top (game vloc A)))")).score
    assert isinstance(score, tree.SeatNumber)


def test_one_value_is_asked_for() -> None:
    assert codes(frame(score="(size ((all player) iloc HAND))")) == ["many-values"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(remember (top (game iloc STOCK)) (top (game mem M)))", tree.Remember),
        ("(forget (top (game mem M)))", tree.Forget),
        ("(shuffle (game iloc STOCK))", tree.Shuffle),
        ("(shuffle ((all player) iloc HAND))", tree.ForEach),
        ("(cycle next previous)", tree.Cycle),
        ("(cycle current 1)", tree.Cycle),
        ("(cycle next (owner (top (game vloc A))))", tree.Cycle),
        (
            "(initialize points P ((all (rank (A)) (suit (cardatt suit (top (game vloc B)))) 3)))",
            tree.SetPoints,
        ),
        ("(dec ((all player) sto X) (- 3 1))", tree.ForEach),
        ("(create teams (0, 1) (2))", tree.MakeTeams),
        (
            "(move (actual (top (top (tuples 2 (game vloc A) using P)))) (top (game vloc B)))",
            tree.Move,
        ),
    ],
)
def test_actions(text: str, kind: type) -> None:
    assert isinstance(action(text), kind)


@pytest.mark.parametrize(
    ("text", "kind", "piece"),
    [
        ("(move (top ((all player) iloc A)) (top (game vloc B)) 2)", tree.Move, None),
        ("(move (top ((all player) iloc A)) (top (game vloc B)) 2)", tree.Players, "(all player)"),
        ("(move (any (game iloc A)) (top (game vloc B)))", tree.ForEach, None),
        (
            "(set (game sto X) (owner (top (game vloc A))))",
            tree.OwnerOf,
            "(owner (top (game vloc A)))",
        ),
    ],
)
def test_a_node_is_at_the_place_of_its_form(text: str, kind: type, piece: str | None) -> None:
    source = frame(f"(comp (() {text}))")
    (node, *_) = [node for node in tree.everything(program(source)) if isinstance(node, kind)]
    shown = "player" if kind is tree.Players else piece or text
    assert source.piece(node.span) == shown


@pytest.mark.parametrize(
    ("text", "code", "piece"),
    [
        (
            "(comp (() (move (top (game iloc A)) (game vloc B))))",
            "expected-place",
            "(game vloc B)",
        ),
        ("(comp (() (set (game sto X) (size 3))))", "wrong-type", "3"),
        ("(comp (() (shuffle (game lioc A))))", "unknown-word", "lioc"),
        ("(comp ((== each each) (turn pass)))", "unknown-variable", "each"),
        ("(comp ((> (size (game iloc A where x)) 0) (turn pass)))", "where", "x"),
        ("(comp 3)", "clause", "3"),
        (
            "(comp (() (inc ((all player) sto X) (size ((all player) iloc A)))))",
            "many-values",
            "(size ((all player) iloc A))",
        ),
    ],
)
def test_an_error_is_at_its_place_in_the_text(text: str, code: str, piece: str) -> None:
    source = frame(text)
    assert [(diagnostic.code, source.piece(diagnostic.span)) for diagnostic in parse(source)[1]][
        :1
    ] == [(code, piece)]


def test_the_attribute_of_a_missing_card_equals_nothing() -> None:
    for operator, joined, order in (("==", "and", ">"), ("!=", "or", "<=")):
        logic = condition(f"({operator} (cardatt suit (top (game vloc A))) x)")
        assert isinstance(logic, tree.Logic)
        assert logic.operator == joined
        test, same = logic.parts
        assert isinstance(same, tree.Same)
        assert isinstance(test, tree.Compare)
        assert test.operator == order


def test_a_variable_is_bound_where_it_is_meant() -> None:
    """The teams of the source and those of the destination have variables of their own."""
    step = action("(move (top (((all team) player) iloc A)) (top (((all team) player) iloc B)))")
    loops = []
    while isinstance(step, tree.ForEach):
        loops.append(step.binding)
        step = step.body
    assert len(loops) == 4
    assert isinstance(step, tree.Move)
    assert isinstance(step.card, tree.CardAt)
    for pile, binding in ((step.card.cards, loops[1]), (step.pile, loops[3])):
        assert isinstance(pile, tree.Pile)
        assert isinstance(pile.owner, tree.Variable)
        assert pile.owner.binding is binding


def test_words_of_later_dialects_are_names() -> None:
    logic = condition("(== (cardatt range (top (game vloc sort))) run)")
    assert isinstance(logic, tree.Logic)
    assert isinstance(logic.parts[1], tree.Same)
    assert isinstance(logic.parts[1].right, tree.Text)
    assert logic.parts[1].right.value == "run"


def test_too_many_references_are_refused() -> None:
    """Each is a loop around the others."""
    sizes = " ".join(["(size ((any player) iloc A))"] * 100)
    assert codes(frame(f"(comp ((> (+ {sizes}) 0) (turn pass)))")) == ["too-deep"]
