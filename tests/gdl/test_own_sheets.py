"""Sheets of our own that are hard to ground: proved, and where they are grounded both agree."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from kibitz.gdl.game import GdlGame
from kibitz.gdl.limits import MEMORY
from kibitz.gdl.prover import Prover, ProverState
from kibitz.gdl.reader import description
from kibitz.gdl.steps import Steps
from kibitz.syntax.source import Source

DATA = Path(__file__).parent / "data"

KINDS = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}


def chess(fen: str) -> Source:
    """The rules of chess from a position in Forsyth-Edwards notation."""
    board, turn, castling, passed, *_ = fen.split()
    true = [f"turn {'white' if turn == 'w' else 'black'}"]
    for rank, row in zip(range(8, 0, -1), board.split("/"), strict=True):
        file = 1
        for letter in row:
            if letter.isdigit():
                file += int(letter)
                continue
            owner = "white" if letter.isupper() else "black"
            true.append(f"cell {file} {rank} {owner} {KINDS[letter.lower()]}")
            file += 1
    sides = {"K": "white king", "Q": "white queen", "k": "black king", "q": "black queen"}
    true += [f"may_castle {sides[letter]}" for letter in castling.strip("-")]
    if passed != "-":
        true.append(f"passed {'abcdefgh'.index(passed[0]) + 1} {passed[1]}")
    facts = " ".join(f"(init ({fact}))" for fact in true)
    return Source("chess.kif", (DATA / "chess.kif").read_text() + facts)


def perft(proof: Prover, depth: int, state: ProverState | None = None) -> int:
    """The number of sequences of `depth` moves."""
    state = state or proof.state(proof.initial())
    if depth == 0:
        return 1
    if proof.terminal(state):
        return 0
    legal = proof.legal(state)
    first, second = proof.roles
    if depth == 1:
        return len(legal[first]) * len(legal[second])
    return sum(
        perft(proof, depth - 1, proof.state(proof.after(proof.step(state, {first: a, second: b}))))
        for a in legal[first]
        for b in legal[second]
    )


POSITIONS = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (20, 400, 8_902),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (48, 2_039),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (14, 191, 2_812),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": (6, 264, 9_467),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (44, 1_486),
}
"""Positions and how many ways there are to make one, two and three moves: *Perft results* of the
chess programming wiki."""


@pytest.mark.parametrize("fen", POSITIONS)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_chess_has_the_published_numbers_of_moves(fen: str, depth: int) -> None:
    counts = POSITIONS[fen]
    if depth > len(counts):
        pytest.skip("not counted so far")
    if counts[depth - 1] > 500 and "KIBITZ_SLOW" not in os.environ:
        pytest.skip("takes long: KIBITZ_SLOW=1 counts it")
    assert perft(Prover(description(chess(fen))), depth) == counts[depth - 1]


def test_chess_without_a_network_says_so_and_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, "60")
    game = GdlGame(chess(next(iter(POSITIONS))))
    assert game.slowness is not None
    assert game.slowness.startswith("chess is played rule by rule, which is slow: chess.kif:")
    chance, state = random.Random(1), game.new_state()
    assert len(state.legal_actions()) == 20
    for ply in range(16):
        assert state.current_player == ply % 2
        state.apply(chance.choice(state.legal_actions()))
    assert not state.is_terminal
    assert state.view.turn == 16


# -- others --------------------------------------------------------------------------------------


def count_up(name: str, size: int, around: bool = False) -> str:
    """Numbers from 1, and which follows which; after the last comes the first if `around`."""
    pairs = [(i, i + 1) for i in range(1, size)] + ([(size, 1)] if around else [])
    return " ".join(f"({name} {a} {b})" for a, b in pairs) + "".join(
        f" (index {i})" for i in range(1, size + 1)
    )


TWO_PLAYERS = """
(role red) (role blue) (init (turn red)) (other red blue) (other blue red)
(<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
(<= (next (turn ?p)) (true (turn ?q)) (other ?q ?p))
"""

HEX = f"""{TWO_PLAYERS} {count_up("then", 6)}
(<= (empty ?x ?y) (index ?x) (index ?y) (not (true (stone ?x ?y red)))
    (not (true (stone ?x ?y blue))))
(<= (legal ?p (put ?x ?y)) (true (turn ?p)) (empty ?x ?y))
(<= (next (stone ?x ?y ?p)) (does ?p (put ?x ?y)))
(<= (next (stone ?x ?y ?p)) (true (stone ?x ?y ?p)))
(<= (near ?x ?y ?u ?y) (then ?x ?u) (index ?y))
(<= (near ?x ?y ?x ?v) (then ?y ?v) (index ?x))
(<= (near ?x ?y ?u ?v) (then ?x ?u) (then ?v ?y))
(<= (beside ?x ?y ?u ?v) (near ?x ?y ?u ?v))
(<= (beside ?x ?y ?u ?v) (near ?u ?v ?x ?y))
(<= (linked red 1 ?y) (true (stone 1 ?y red)))
(<= (linked blue ?x 1) (true (stone ?x 1 blue)))
(<= (linked ?p ?u ?v) (linked ?p ?x ?y) (beside ?x ?y ?u ?v) (true (stone ?u ?v ?p)))
(<= (wins red) (linked red 6 ?y)) (<= (wins blue) (linked blue ?x 6))
(<= terminal (wins ?p)) (<= (goal ?p 100) (wins ?p)) (<= (goal ?p 0) (other ?p ?q) (wins ?q))
(<= (goal ?p 50) (role ?p) (not terminal))
"""

AMAZONS = f"""{TWO_PLAYERS} {count_up("then", 5, around=True)}
(init (on 1 2 red)) (init (on 3 1 red)) (init (on 5 4 blue)) (init (on 3 5 blue))
(<= (go east ?x ?y ?u ?y) (then ?x ?u) (index ?y))
(<= (go west ?x ?y ?u ?y) (then ?u ?x) (index ?y))
(<= (go south ?x ?y ?x ?v) (then ?y ?v) (index ?x))
(<= (go north ?x ?y ?x ?v) (then ?v ?y) (index ?x))
(<= (go ?d ?x ?y ?u ?v) (slanted ?d ?a ?b) (go ?a ?x ?y ?u ?y) (go ?b ?u ?y ?u ?v))
(slanted ne east north) (slanted se east south) (slanted nw west north) (slanted sw west south)
(<= (taken ?x ?y) (true (on ?x ?y ?p))) (<= (taken ?x ?y) (true (burnt ?x ?y)))
(<= (clear ?x ?y) (index ?x) (index ?y) (not (taken ?x ?y)))
(<= (flies ?d ?x ?y ?u ?v) (go ?d ?x ?y ?u ?v) (clear ?u ?v))
(<= (flies ?d ?x ?y ?u ?v) (go ?d ?x ?y ?a ?b) (clear ?a ?b) (flies ?d ?a ?b ?u ?v))
(<= (legal ?p (move ?x ?y ?u ?v)) (true (turn ?p)) (not shooting) (true (on ?x ?y ?p))
    (flies ?d ?x ?y ?u ?v))
(<= shooting (true (moved ?x ?y)))
(<= (legal ?p (shoot ?u ?v)) (true (turn ?p)) (true (moved ?x ?y)) (flies ?d ?x ?y ?u ?v))
(<= (next (moved ?u ?v)) (does ?p (move ?x ?y ?u ?v)))
(<= (next (on ?u ?v ?p)) (does ?p (move ?x ?y ?u ?v)))
(<= (left ?x ?y) (does ?p (move ?x ?y ?u ?v)))
(<= (next (on ?x ?y ?p)) (true (on ?x ?y ?p)) (not (left ?x ?y)))
(<= (next (burnt ?x ?y)) (true (burnt ?x ?y)))
(<= (next (burnt ?x ?y)) (does ?p (shoot ?x ?y)))
(<= (can ?p) (true (on ?x ?y ?p)) (flies ?d ?x ?y ?u ?v))
(<= terminal (true (turn ?p)) (not shooting) (not (can ?p)))
(<= (goal ?p 0) (true (turn ?p))) (<= (goal ?p 100) (role ?p) (not (true (turn ?p))))
""".replace(
    "(<= (next (turn ?p)) (true (turn ?q)) (other ?q ?p))",
    """
(<= (next (turn ?p)) (true (turn ?q)) (other ?q ?p) shooting)
(<= (next (turn ?p)) (true (turn ?p)) (not shooting))""",
)

RACER = f"""(role one) (role two) {count_up("then", 90)}
(init (at one 1)) (init (at two 1)) (init (fuel one 40)) (init (fuel two 40)) (init (clock 1))
(speed walk 1) (speed run 3) (speed fly 7)
(<= (legal ?p (drive ?s)) (speed ?s ?n) (true (fuel ?p ?f)) (minus ?f ?n ?g))
(<= (legal ?p rest) (role ?p))
(<= (plus ?a 0 ?a) (index ?a))
(<= (plus ?a ?m ?c) (then ?n ?m) (small ?m) (plus ?a ?n ?b) (then ?b ?c))
(<= (plus ?a 1 ?b) (then ?a ?b))
(small 2) (small 3) (small 4) (small 5) (small 6) (small 7)
(<= (minus ?c ?n ?a) (plus ?a ?n ?c) (speed ?s ?n))
(<= (next (at ?p ?y)) (true (at ?p ?x)) (does ?p (drive ?s)) (speed ?s ?n) (plus ?x ?n ?y))
(<= (next (at ?p ?x)) (true (at ?p ?x)) (does ?p rest))
(<= (next (fuel ?p ?g)) (true (fuel ?p ?f)) (does ?p (drive ?s)) (speed ?s ?n) (minus ?f ?n ?g))
(<= (next (fuel ?p ?g)) (true (fuel ?p ?f)) (does ?p rest) (then ?f ?g))
(<= (next (clock ?d)) (true (clock ?c)) (then ?c ?d))
(<= (less ?x ?y) (then ?x ?y)) (<= (less ?x ?z) (less ?x ?y) (then ?y ?z))
(<= (first ?p) (true (at ?p ?x)) (true (at ?q ?y)) (less ?y ?x))
(<= terminal (true (clock 60))) (<= terminal (true (at ?p ?x)) (less 80 ?x))
(<= (goal ?p 100) (first ?p)) (<= (goal ?p 50) (role ?p) (not (first one)) (not (first two)))
(<= (goal one 0) (first two)) (<= (goal two 0) (first one))
"""

LINES = (
    *("a1 d1 g1", "b2 d2 f2", "c3 d3 e3", "a4 b4 c4", "e4 f4 g4", "c5 d5 e5", "b6 d6 f6"),
    *("a7 d7 g7", "a1 a4 a7", "b2 b4 b6", "c3 c4 c5", "d1 d2 d3", "d5 d6 d7", "e3 e4 e5"),
    *("f2 f4 f6", "g1 g4 g7"),
)
MILLS = f"""{TWO_PLAYERS} {" ".join(f"(line {line})" for line in LINES)} {count_up("then", 60)}
(init (hand red 9)) (init (hand blue 9)) (init (clock 1)) (then 0 1)
(<= (link ?a ?b) (line ?a ?b ?c)) (<= (link ?b ?c) (line ?a ?b ?c))
(<= (beside ?a ?b) (link ?a ?b)) (<= (beside ?a ?b) (link ?b ?a))
(<= (point ?a) (beside ?a ?b))
(<= (free ?a) (point ?a) (not (true (man ?a red))) (not (true (man ?a blue))))
(<= placing (true (turn ?p)) (true (hand ?p ?n)) (distinct ?n 0))
(<= taking (true (closed ?p)))
(<= (legal ?p (place ?a)) (true (turn ?p)) (not taking) placing (free ?a))
(<= (legal ?p (slide ?a ?b)) (true (turn ?p)) (not taking) (not placing) (true (man ?a ?p))
    (beside ?a ?b) (free ?b))
(<= (legal ?p (take ?a)) (true (closed ?p)) (other ?p ?q) (true (man ?a ?q)))
(<= (moved ?a) (does ?p (slide ?a ?b))) (<= (moved ?a) (does ?p (take ?a)))
(<= (comes ?p ?b) (does ?p (slide ?a ?b))) (<= (comes ?p ?a) (does ?p (place ?a)))
(<= (next (man ?a ?p)) (true (man ?a ?p)) (not (moved ?a)))
(<= (next (man ?a ?p)) (comes ?p ?a))
(<= (holds ?p ?a) (true (man ?a ?p)) (not (moved ?a)))
(<= (trio ?a ?b ?c) (line ?a ?b ?c)) (<= (trio ?b ?a ?c) (line ?a ?b ?c))
(<= (trio ?c ?a ?b) (line ?a ?b ?c))
(<= (mill ?p) (comes ?p ?a) (trio ?a ?b ?c) (holds ?p ?b) (holds ?p ?c))
(<= (next (closed ?p)) (mill ?p))
(<= (next (hand ?p ?m)) (true (hand ?p ?n)) (does ?p (place ?a)) (then ?m ?n))
(<= (placed ?p) (does ?p (place ?a)))
(<= (next (hand ?p ?n)) (true (hand ?p ?n)) (not (placed ?p)))
(<= (next (clock ?d)) (true (clock ?c)) (then ?c ?d))
(<= (can ?p) (true (man ?a ?p)) (beside ?a ?b) (free ?b))
(<= stuck (true (turn ?p)) (not taking) (not placing) (not (can ?p)))
(<= terminal stuck) (<= terminal (true (clock 60)))
(<= (goal ?p 0) stuck (true (turn ?p))) (<= (goal ?p 100) stuck (true (turn ?q)) (other ?q ?p))
(<= (goal ?p 50) (role ?p) (not stuck))
""".replace(
    "(<= (next (turn ?p)) (true (turn ?q)) (other ?q ?p))",
    """
(<= change (mill ?p)) (<= (next (turn ?p)) (true (turn ?p)) change)
(<= (next (turn ?p)) (true (turn ?q)) (other ?q ?p) (not change))""",
)

SHEETS = {
    "hex": (HEX, [36, 1]),
    "amazons on a torus": (AMAZONS, [29, 1]),
    "a racer": (RACER, [4, 4]),
    "nine men's morris": (MILLS, [24, 1]),
}


@pytest.mark.parametrize(("text", "first"), SHEETS.values(), ids=SHEETS)
def test_prover_and_network_agree(text: str, first: list[int]) -> None:
    source = Source("own.kif", text)
    game = GdlGame(source)
    assert game.rules.refusal is None
    network, proved = Steps(game.table()), Steps(proved_only(source).table())
    chance = random.Random(1)
    for number in range(3):
        network_state, prover_state = network.table.new_state(), proved.table.new_state()
        for step in range(70):
            facts = game.rules.facts.true(network_state.view.facts)
            assert set(facts) == set(proved.rules.facts.true(prover_state.view.facts))
            assert network.terminal(network_state) == proved.terminal(prover_state)
            if network.terminal(network_state):
                for role in range(2):
                    assert set(network.goals(network_state, role)) == set(
                        proved.goals(prover_state, role)
                    )
                break
            moves = [named(network, network_state, role) for role in range(2)]
            also = [named(proved, prover_state, role) for role in range(2)]
            assert [set(legal) for legal in moves] == [set(legal) for legal in also]
            if not number and not step:
                assert [len(legal) for legal in moves] == first
            chosen = [chance.choice(sorted(legal)) for legal in moves]
            network.play(network_state, [legal[c] for legal, c in zip(moves, chosen, strict=True)])
            proved.play(prover_state, [legal[c] for legal, c in zip(also, chosen, strict=True)])


def proved_only(source: Source) -> GdlGame:
    """A game that is not grounded."""
    return GdlGame(source, grounded=False)


def named(steps: Steps, state: object, role: int) -> dict[str, int]:
    """The legal moves of a role by their words."""
    names = steps.rules.actions.names
    return {names[move]: move for move in steps.legal(state, role)}  # type: ignore[arg-type]
