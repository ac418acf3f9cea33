"""Reading the dialects B and C into trees."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.shared import SHARED

from kibitz.core.errors import ParameterError
from kibitz.recycle import tree
from kibitz.recycle.parser import parse, program, read_header
from kibitz.recycle.tree import Type
from kibitz.syntax.source import Source, SourceError, render

CORPUS = SHARED / "corpus" / "recycle"
FILES = sorted([*CORPUS.glob("current/*.rcy"), *CORPUS.glob("micro/*.rcy")])

FRAME = """;; Frame
(game {declare} (setup (create players {players}) {setup}
  (create deck (game iloc STOCK) (deck (RANK (A, B)) (SUIT (X, Y)))))
 {body}
 (scoring max {score}))"""


def frame(
    body: str = "(choice ((turn pass)))",
    declare: str = "",
    setup: str = "",
    players: str = "3",
    score: str = "0",
) -> Source:
    return Source(
        "frame.rcy",
        FRAME.format(body=body, declare=declare, setup=setup, players=players, score=score),
    )


def statement(text: str, **parts: str) -> tree.Statement:
    """The parsed form of a step of a block."""
    (item,) = program(frame(f"(do ({text}))", **parts)).items
    assert isinstance(item, tree.Block)
    assert isinstance(item.body, tree.Do)
    (step,) = item.body.steps
    return step


def value(text: str, **parts: str) -> tree.Expression:
    """The parsed form of a numeric expression."""
    return program(frame(score=text, **parts)).score


def condition(text: str) -> tree.Expression:
    step = statement(f"({text} (turn pass))")
    assert isinstance(step, tree.When)
    return step.condition


def cards(text: str) -> tree.Expression:
    size = value(f"(size {text})")
    assert isinstance(size, tree.Size)
    return size.collection


def errors(source: Source) -> list[str]:
    program, diagnostics = parse(source)
    assert (program is None) == any(diagnostic.is_error for diagnostic in diagnostics)
    return [diagnostic.code for diagnostic in diagnostics if diagnostic.is_error]


# --- the corpus ---------------------------------------------------------------------------


@pytest.mark.skipif(not FILES, reason="the corpus is not here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_corpus_is_read(path: Path) -> None:
    source = Source.load(path)
    parsed, diagnostics = parse(source)
    shown = "\n".join(render(diagnostic, source) for diagnostic in diagnostics)
    assert parsed is not None, shown
    assert parsed.cards
    known = {"StealingBundles2": 1, "StealingBundles3": 1, "StealingBundles4": 1}
    assert len(diagnostics) == {**known, "ContinuousPairs4": 1}.get(path.stem, 0), shown


@pytest.mark.skipif(not FILES, reason="the corpus is not here")
def test_agram_of_the_corpus() -> None:
    agram = program(Source.load(CORPUS / "current" / "Agram3.rcy"))
    assert len(agram.cards) == 35
    assert agram.title == "Agram"
    assert agram.players == 3
    assert (agram.least_players, agram.most_players) == (1, 15)
    assert agram.parameters == ()
    assert agram.teams == ((0,), (1,), (2,))
    assert agram.cards[0].attributes == {"RANK": "THREE", "COLOR": "RED", "SUIT": "HEARTS"}
    assert [card.place for card in agram.cards] == [0] * 32 + [1] * 3
    assert [type(item).__name__ for item in agram.items] == ["Block", "Stage"]


# --- setup --------------------------------------------------------------------------------


def test_decks_are_products_and_values_may_bring_more() -> None:
    source = frame(
        setup="(repeat 2 (create deck BACK (game vloc P)"
        " (deck (N (ONE, TWO)) (C (RED (S (H, D))) (BLACK (S (K)))))))"
    )
    parsed = program(source)
    first = [card for card in parsed.cards if card.place == 0]
    attributes = [tuple(card.attributes.values()) for card in first]
    once = [
        *(("ONE", "RED", "H"), ("ONE", "RED", "D"), ("ONE", "BLACK", "K")),
        *(("TWO", "RED", "H"), ("TWO", "RED", "D"), ("TWO", "BLACK", "K")),
    ]
    assert attributes == once * 2
    assert {card.deck for card in first} == {"BACK"}
    assert [card.deck for card in parsed.cards if card.place == 1] == [""] * 4
    assert [pile.kind for pile in parsed.decks] == ["vloc", "iloc"]


def test_parameters() -> None:
    text = """;; Title
;; What it is,
;; in two lines.
;; Source: https://example.org/x
;; Players: 2-5
;; HAND 1-6: cards dealt to each player

;; This says how the rules are written, and is no description.
(game (declare 4 'NUMP) (declare 3 'HAND) (declare (* 'HAND 2) 'TWICE)
 (setup (create players 'NUMP) (create deck (game iloc STOCK) (deck (RANK (A)))))
 (choice ((turn pass)))
 (scoring max (+ 'HAND 'TWICE)))"""
    source = Source("x.rcy", text)
    header = read_header(source)
    assert header.title == "Title"
    assert header.about == "What it is, in two lines."
    assert header.url == "https://example.org/x"
    assert (header.least_players, header.most_players) == (2, 5)
    (parameter,) = header.parameters
    assert (parameter.name, parameter.default, parameter.low, parameter.high) == ("HAND", 3, 1, 6)
    assert parameter.doc == "cards dealt to each player"

    parsed = program(source, players=2, values={"hand": 5})
    assert parsed.players == 2
    assert parsed.values == {"HAND": 5}
    assert parsed.parameters == header.parameters
    assert isinstance(parsed.score, tree.Arithmetic)
    left, right = parsed.score.left, parsed.score.right
    assert isinstance(left, tree.Number)
    assert isinstance(right, tree.Number)
    assert (left.value, left.parameter) == (5, "HAND")
    assert (right.value, right.parameter) == (10, None)

    for arguments in ({"players": 6}, {"values": {"hand": 7}}, {"values": {"hnad": 1}}):
        with pytest.raises(ParameterError):
            parse(source, **arguments)  # type: ignore[arg-type]


def test_players_without_a_header() -> None:
    assert read_header(frame()).least_players == 3
    open_source = frame(declare="(declare 4 'NUMP)", players="'NUMP")
    assert read_header(open_source).most_players == 15
    assert program(open_source).players == 4
    assert program(open_source, players=2).players == 2
    with pytest.raises(ParameterError, match="for 3 players, not 4"):
        parse(frame(), players=4)


def test_teams() -> None:
    assert program(frame(setup="(create teams (0, 2))")).teams == ((0, 2), (1,))
    parsed, diagnostics = parse(frame(setup="(create teams (1, 3) (2))"))
    assert parsed is not None
    assert parsed.teams == ((0, 2), (1,))
    assert parsed.dialect == "C"
    assert [diagnostic.code for diagnostic in diagnostics] == ["seats-from-one"]


def test_seats_that_count_from_one() -> None:
    teams = "(create teams (1, 3) (2))"
    seat = value("((2 player) sto X)", setup=teams)
    assert isinstance(seat, tree.Stored)
    assert isinstance(seat.owner, tree.Seat)
    assert isinstance(seat.owner.number, tree.Number)
    assert seat.owner.number.value == 1
    number = value("(pid (current player))", setup=teams)
    assert isinstance(number, tree.Arithmetic)
    assert isinstance(value("(pid (current player))"), tree.SeatNumber)
    assert "seat" in errors(frame(setup=teams, score="((0 player) sto X)"))


def test_constants() -> None:
    declared = (
        "(declare (A, B) 'NAMES) (declare (range 1..3) 'NUMBERS) (declare KING 'BEST)"
        " (declare (- (^ 2 3) (tri 3)) 'TWO)"
    )
    step = statement("(all 'NAMES 'N (set (game sto 'N) 'TWO))", declare=declared)
    assert isinstance(step, tree.ForEach)
    assert step.binding.values == ("A", "B")
    assert isinstance(step.body, tree.SetNumber)
    assert isinstance(step.body.value, tree.Number)
    assert step.body.value.value == 2
    total = value("(size 'NUMBERS)", declare=declared)
    assert isinstance(total, tree.Size)
    assert isinstance(total.collection, tree.Range)
    assert "not-constant" in errors(frame(declare="(declare (random 5) 'R)"))


# --- expressions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("7", tree.Number),
        ("(game sto X)", tree.Stored),
        ("((team (current player)) sto X)", tree.Stored),
        ("(size player)", tree.Size),
        ("(size (current team))", tree.Size),
        ("(sum (game iloc STOCK) using (game points P))", tree.Sum),
        ("(score (top (game iloc STOCK)) using ((current player) points P))", tree.Score),
        ("(scoremax (game iloc STOCK) using (game points P))", tree.BestScore),
        ("(+ 1 2 3)", tree.Arithmetic),
        ("(tri 3)", tree.Triangular),
        ("(fib 3)", tree.Fibonacci),
        ("(random 6)", tree.Random),
        ("(random 1..6)", tree.Random),
        ("(pid (owner (top (game iloc STOCK))))", tree.SeatNumber),
        ("(all player 'P ('P sto X))", tree.Total),
        ("(sum (all player 'P ('P sto X)))", tree.Total),
    ],
)
def test_numbers(text: str, kind: type) -> None:
    assert isinstance(value(text), kind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(and (== 1 1) (not (< 1 2)))", tree.Logic),
        ("(== (game sto X) 1)", tree.Compare),
        ("(== (game str X) NONE)", tree.Same),
        ("(!= (current player) (owner (top (game iloc STOCK))))", tree.Same),
        ("(== (top (game iloc STOCK)) (bottom (game iloc STOCK)))", tree.Same),
        ("(== (current team) (team (next player)))", tree.Same),
        ("(any player 'P (== ('P sto X) 1))", tree.Quantified),
        ("(all (range 1..3) 'N (== (game sto X) 'N))", tree.Quantified),
    ],
)
def test_conditions(text: str, kind: type) -> None:
    assert isinstance(condition(text), kind)


@pytest.mark.parametrize(
    ("text", "kind", "type"),
    [
        ("(game iloc STOCK)", tree.Pile, Type.PILE),
        ("((current player) vloc MELD 2)", tree.Pile, Type.PILE),
        ("(indexed (current player) vloc MELD)", tree.Indexed, Type.PILES),
        ("(filter (game iloc STOCK) 'C (== (cardatt RANK 'C) A))", tree.Filter, Type.CARDS),
        ("(filter player 'P (== ('P sto X) 1))", tree.Filter, Type.PLAYERS),
        ("(other player)", tree.Players, Type.PLAYERS),
        ("(other team)", tree.Teams, Type.TEAMS),
        ("(union (all player 'P ('P vloc T)) (game iloc STOCK))", tree.Combined, Type.CARDS),
        ("(all player 'P ('P vloc T))", tree.Each, Type.PILES),
        ("(all player 'P (top 2 ('P vloc T)))", tree.Each, Type.SETS),
        ("(sort (game iloc STOCK) using (game points P))", tree.Sorted, Type.CARDS),
        ("(top 2 (game iloc STOCK))", tree.Several, Type.CARDS),
        ("(run top 3 (game iloc STOCK) using (game points P))", tree.RunAt, Type.CARDS),
        ("(tuples 2 (game iloc STOCK) using (game points P))", tree.Tuples, Type.SETS),
        ("(partition RANK (game iloc STOCK))", tree.Partition, Type.SETS),
        ("(partition (game iloc STOCK) RANK)", tree.Partition, Type.SETS),
        ("(subsets (game iloc STOCK))", tree.Subsets, Type.SETS),
        ("(runs largest 2 (game iloc STOCK) using (game points P))", tree.Runs, Type.SETS),
        ("(top (partition RANK (game iloc STOCK)))", tree.Pick, Type.CARDS),
        ("(0 (indexed game vloc MELD))", tree.Pick, Type.PILE),
        ("(A, B, C)", tree.Texts, Type.STRS),
    ],
)
def test_collections(text: str, kind: type, type: Type) -> None:
    collection = cards(text)
    assert isinstance(collection, kind)
    assert collection.type is type


def test_subsets_of_dialect_c_are_not_empty() -> None:
    subsets = cards("(subsets (game iloc STOCK))")
    assert isinstance(subsets, tree.Subsets)
    assert subsets.empty
    source = frame("(do ((inc (game sto X))))", score="(size (subsets (game iloc STOCK)))")
    score = program(source).score
    assert isinstance(score, tree.Size)
    assert isinstance(score.collection, tree.Subsets)
    assert not score.collection.empty


def test_a_card_by_its_number() -> None:
    step = statement("(move (0 (game iloc STOCK)) (1 (game vloc T)))")
    assert isinstance(step, tree.Move)
    assert isinstance(step.card, tree.CardAt)
    assert isinstance(step.card.which, tree.Number)
    assert isinstance(step.where, tree.Number)


def test_a_player_by_a_number_that_is_computed() -> None:
    stored = value("(((game sto ASKED) player) sto X)")
    assert isinstance(stored, tree.Stored)
    assert isinstance(stored.owner, tree.Seat)


def test_the_members_of_a_team() -> None:
    step = statement("(all (current team) 'P (inc ('P sto X) 1))")
    assert isinstance(step, tree.ForEach)
    assert isinstance(step.collection, tree.Members)


def test_scopes_are_lexical() -> None:
    source = frame(
        "(do ((all player 'X (do ((all (range 1..2) 'X (inc (game sto A) 'X))"
        " (set ('X sto B) 1))))))"
    )
    assert program(source).bindings[0].type is Type.PLAYER
    assert program(source).bindings[1].type is Type.INT
    assert errors(frame("(do ((all player 'P (turn pass)) (set ('P sto X) 1)))")) == [
        "unknown-variable"
    ]


# --- statements ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("(move (top (game iloc STOCK)) (bottom (game vloc T)))", tree.Move),
        (
            "(move (actual (max (game iloc STOCK) using (game points P))) (top (game vloc T)))",
            tree.Move,
        ),
        ("(remember (top (game iloc STOCK)) (top (game mem M)))", tree.Remember),
        ("(forget (top (game mem M)))", tree.Forget),
        ("(shuffle (game iloc STOCK))", tree.Shuffle),
        ("(turn pass)", tree.Pass),
        ("(set (game sto X) 1)", tree.SetNumber),
        ("(set (game str X) A)", tree.SetText),
        ("(inc (game sto X))", tree.SetNumber),
        (
            "(set (game points P) (((RANK : A) (SUIT : (game str X)) 3) ((RANK : B) 1)))",
            tree.SetPoints,
        ),
        ("(set (game points P) (((RANK (A)) 3)))", tree.SetPoints),
        ("(put points 'P (((RANK (A)) 3)))", tree.SetPoints),
        ("(cycle next current)", tree.Cycle),
        ("(cycle next prev)", tree.Cycle),
        ("(cycle current (owner (top (game iloc STOCK))))", tree.Cycle),
        ("(cycle next (1 player))", tree.Cycle),
        ("(repeat 3 (inc (game sto X) 1))", tree.Repeat),
        ("(create teams (0) (1, 2))", tree.MakeTeams),
        ("(swap (top (game iloc STOCK)) (bottom (game iloc STOCK)))", tree.Swap),
        ("(swap (game iloc STOCK) (game vloc T))", tree.Swap),
        ("(reveal (top (game iloc STOCK)))", tree.Reveal),
        ("(reveal (top (game iloc STOCK)) (next player))", tree.Reveal),
        ("((== 1 1) (turn pass))", tree.When),
        ("(let (game iloc STOCK) 'S (shuffle 'S))", tree.Let),
        ("(do ((turn pass)))", tree.Do),
    ],
)
def test_statements(text: str, kind: type) -> None:
    assert isinstance(statement(text), kind)


def test_any_makes_options_only_in_a_choice() -> None:
    loop = "(any player 'P (set (game sto X) 1))"
    assert isinstance(statement(loop), tree.ForEach)
    (item,) = program(frame(f"(choice ({loop}))")).items
    assert isinstance(item, tree.Choice)
    assert isinstance(item.clauses[0], tree.Fork)


def test_repeat_all_counts_what_is_there() -> None:
    step = statement("(repeat all (move (top (game iloc STOCK)) (top (game vloc T))))")
    assert isinstance(step, tree.Repeat)
    assert isinstance(step.times, tree.Size)
    assert isinstance(step.times.collection, tree.Pile)
    step = statement("(repeat all (forget (top (game mem M))))")
    assert isinstance(step, tree.Repeat)
    assert errors(frame("(do ((repeat all (turn pass))))")) == ["repeat-all"]


def test_let_of_a_location_is_a_list_but_still_a_destination() -> None:
    step = statement("(let (game vloc T) 'T (all 'T 'C (move 'C (top 'T))))")
    assert isinstance(step, tree.Let)
    assert step.binding.type is Type.CARDS
    assert isinstance(step.body, tree.ForEach)
    assert isinstance(step.body.body, tree.Move)
    assert isinstance(step.body.body.pile, tree.Pile)
    assert errors(frame("(do ((let (top 1 (game vloc T)) 'T (shuffle 'T))))")) == [
        "not-a-location"
    ]


def test_names_are_expressions() -> None:
    step = statement(
        "(all (A, B) 'C (set ((current player) sto 'C) (size (game vloc (cardatt RANK (top"
        " (game iloc STOCK)))))))"
    )
    assert isinstance(step, tree.ForEach)
    assert isinstance(step.body, tree.SetNumber)
    assert isinstance(step.body.target.name, tree.Variable)


def test_simultaneous_stages() -> None:
    text = (
        "(stage player simultaneous (end (== (game sto X) 1))"
        " (choice ((turn pass))) (do ((set (game sto X) 1))))"
    )
    (item,) = program(frame(text)).items
    assert isinstance(item, tree.Stage)
    assert item.simultaneous
    assert errors(frame(text.replace("(choice ((turn pass)))", ""))) == ["simultaneous"]
    assert errors(frame(text.replace("player", "team"))) == ["simultaneous"]
    assert errors(frame(text.replace("simultaneous", "simultanous"))) == ["unknown-word"]


def test_a_set_of_cards_as_a_card_is_its_top_card() -> None:
    source = frame("(do ((move (top (partition RANK (game iloc STOCK))) (top (game vloc T)))))")
    parsed, diagnostics = parse(source)
    assert parsed is not None
    assert [diagnostic.code for diagnostic in diagnostics] == ["set-for-card"]


def test_parentheses_at_the_end_are_forgiven() -> None:
    text = frame().text
    for wrong in (text + ")", text[:-1], text[:-2]):
        parsed, diagnostics = parse(Source("x", wrong))
        assert parsed is not None
        assert all(
            diagnostic.code == "unbalanced" and not diagnostic.is_error
            for diagnostic in diagnostics
        )
        assert diagnostics


def test_an_error_has_everything_in_its_text() -> None:
    with pytest.raises(SourceError) as caught:
        program(frame("(do ((shufle (game iloc STOCK)) (move (top (game iloc STOCK)))))"))
    assert "Did you mean shuffle?" in str(caught.value)
    assert "(move CARD PLACE)" in str(caught.value)
