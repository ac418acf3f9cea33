"""Small games that pin the meaning of each construct, for whatever plays them.

An ``Example`` says how a game has to go when certain options are chosen. ``EXAMPLES`` is the
list of all; those of ``NUMBERS``, ``CONDITIONS``, ``CARDS`` and ``SETS`` are made from
expressions that are all evaluated in the same position.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A game and how it goes."""

    name: str
    text: str
    scores: tuple[int, ...] = ()
    """Scores of the players at the end."""
    plays: tuple[int, ...] = ()
    """The options chosen; when there are no more of these, always the first."""
    counts: tuple[int, ...] | None = None
    """The number of options at each decision."""
    players: tuple[int, ...] | None = None
    """The player of each decision."""
    values: tuple[tuple[object, ...], ...] | None = None
    """What each ``any`` can pick in the options of the first decision."""
    status: str = "finished"


def game(
    *items: str,
    players: int = 3,
    deck: str = "(create deck (game vloc STOCK) (deck (RANK (A, B, C, D)) (SUIT (X, Y))))",
    score: str = "((current player) sto SCORE)",
    before: str = "",
) -> str:
    """The text of a game with these items in its body."""
    body = "\n ".join(items)
    return (
        f"(game {before}\n (setup (create players {players}) {deck})\n {body}\n"
        f" (scoring max {score}))\n"
    )


def do(*steps: str) -> str:
    """An automatic block."""
    return f"(do ({' '.join(steps)}))"


def choice(*clauses: str) -> str:
    """A choice."""
    return f"(choice ({' '.join(clauses)}))"


def stage(end: str, *items: str, kind: str = "player") -> str:
    """A stage."""
    return f"(stage {kind} (end {end}) {' '.join(items)})"


def score(player: int, value: str) -> str:
    """The action that gives a player a score."""
    return f"(set (({player} player) sto SCORE) {value})"


def log(value: str) -> str:
    """The action that appends a digit to the first player's score."""
    return f"(set ((0 player) sto SCORE) (+ (* 10 ((0 player) sto SCORE)) {value}))"


CURRENT = "(pid (current player))"
VALUE = "(score 'C using (game points Q))"
"""The digit of the card 'C: see POINTS."""
LOG_I, LOG_J, LOG_N, LOG_SIZE = log("'I"), log("'J"), log("'N"), log("(size 'L)")

POINTS = """(set (game points P) (((RANK : A) 1) ((RANK : B) 2) ((RANK : C) 3) ((RANK : D) 4)))
  (set (game points Q) (((RANK : A) (SUIT : X) 1) ((RANK : A) (SUIT : Y) 2)
                        ((RANK : B) (SUIT : X) 3) ((RANK : B) (SUIT : Y) 4)
                        ((RANK : C) (SUIT : X) 5) ((RANK : C) (SUIT : Y) 6)
                        ((RANK : D) (SUIT : X) 7) ((RANK : D) (SUIT : Y) 8)))"""
"""P scores the rank, 1 to 4; Q gives each of the eight cards its own number, 1 to 8."""

SITUATION = (
    POINTS,
    "(all (game vloc STOCK) 'C ((== (cardatt SUIT 'C) X) (move 'C (top (game vloc L)))))",
    "(move (bottom (game vloc STOCK)) (top ((1 player) vloc M)))",
    "(move (bottom (game vloc STOCK)) (top ((1 player) vloc M)))",
    "(move (bottom (game vloc STOCK)) (top ((2 player) vloc M)))",
    "(set (game sto FIVE) 5)",
    "(set (game sto MINUS) (- 0 7))",
    "(set (game str WORD) B)",
    "(set (game str (cardatt RANK (top (game vloc L)))) L)",
    "(set ((1 player) sto N) 10)",
    "(set ((2 player) sto N) 20)",
    "(set (game points E) (((RANK : A) 1) ((RANK : B) 2) ((RANK : C) 4) ((RANK : D) 5)))",
    "(cycle current (1 player))",
)
"""L: AX BX CX DX. M of player 1: AY BY, of player 2: CY. STOCK: DY. The current player is 1."""

L, M1, M2, STOCK = (
    "(game vloc L)",
    "((1 player) vloc M)",
    "((2 player) vloc M)",
    "(game vloc STOCK)",
)
ALL_M = "(all player 'P ('P vloc M))"

NUMBERS: tuple[tuple[str, int], ...] = (
    ("7", 7),
    ("(game sto FIVE)", 5),
    ("(game sto NEVERSET)", 0),
    ("((2 player) sto N)", 20),
    ("((next player) sto N)", 20),
    ("(((game sto NEVERSET) player) sto N)", 0),
    ("(+ 3 4)", 7),
    ("(- 3 4)", -1),
    ("(* 3 (game sto MINUS))", -21),
    ("(// 7 2)", 3),
    ("(// (game sto MINUS) 2)", -3),
    ("(// 7 (- 0 2))", -3),
    ("(// (- 0 6) (- 0 2))", 3),
    ("(% 7 3)", 1),
    ("(% (game sto MINUS) 3)", -1),
    ("(% 7 (- 0 3))", 1),
    ("(^ 2 10)", 1024),
    ("(^ 5 0)", 1),
    ("(^ 0 0)", 1),
    ("(^ (- 0 1) 1001)", -1),
    ("(tri 4)", 10),
    ("(tri 0)", 0),
    ("(fib 0)", 0),
    ("(fib 1)", 1),
    ("(fib 2)", 1),
    ("(fib 10)", 55),
    ("(random 4 .. 4)", 4),
    ("(random 0)", 0),
    ("(pid (current player))", 1),
    ("(pid (next player))", 2),
    ("(pid (previous player))", 0),
    ("(pid (owner (top ((2 player) vloc M))))", 2),
    (f"(size {L})", 4),
    ("(size (game iloc L))", 0),
    ("(size (game vloc NOWHERE))", 0),
    ("(size player)", 3),
    ("(size team)", 3),
    ("(size (other player))", 2),
    ("(all (other (1 player)) 'P ('P sto N))", 20),
    ("(all player 'P (all (other 'P) 'Q (size ('Q vloc M))))", 6),
    ("(size (other (0 team)))", 2),
    ("(size (range 2 .. 5))", 4),
    ("(size (range 5 .. 2))", 0),
    ("(size (A, B, C))", 3),
    (f"(size {ALL_M})", 3),
    (f"(size (union {ALL_M}))", 3),
    (f"(sum {L} using (game points P))", 10),
    (f"(sum {L} using (game points NEVERSET))", 0),
    ("(sum (game vloc NOWHERE) using (game points P))", 0),
    (f"(sum (union {L} {L}) using (game points P))", 20),
    (f"(score (top {L}) using (game points P))", 4),
    (f"(score (bottom {L}) using (game points P))", 1),
    (f"(score (1 {L}) using (game points P))", 2),
    (f"(score (top {L}) using (game points Q))", 7),
    (f"(score (max {L} using (game points P)) using (game points P))", 4),
    (f"(score (min {L} using (game points P)) using (game points P))", 1),
    (f"(scoremax {L} using (game points P))", 4),
    (f"(scoremin (union {L} {STOCK}) using (game points Q))", 1),
    (f"(size (subsets {L}))", 16),
    ("(size (subsets (game vloc NOWHERE)))", 1),
    ("(all player 'P ('P sto N))", 30),
    ("(size (filter player 'P (> ('P sto N) 5)))", 2),
    (f"(size (partition RANK {L} {M1} {M2}))", 4),
    (f"(size (filter (partition RANK {L} {M1}) 'G (> (size 'G) 1)))", 2),
    (f"(size (tuples 2 (union {L} {M1} {M2}) using (game points P)))", 3),
    (f"(size (runs all 2 {L} using (game points E)))", 2),
    (f"(size (runs all 2 {L} using (game points P)))", 6),
    (f"(size (runs largest 2 {L} using (game points P)))", 1),
    (f"(size (runs largest 5 {L} using (game points P)))", 0),
)
"""Numbers, in the situation."""

CONDITIONS: tuple[tuple[str, bool], ...] = (
    ("(== 1 1)", True),
    ("(!= 1 1)", False),
    ("(< 1 2)", True),
    ("(> 1 2)", False),
    ("(<= 2 2)", True),
    ("(>= 1 2)", False),
    ("(not (== 1 2))", True),
    ("(and (== 1 1) (== 2 2) (== 3 4))", False),
    ("(or (== 1 2) (== 2 3) (== 3 3))", True),
    # what comes after the part that decides is not looked at
    ("(and (== 1 2) (== (// 1 0) 0))", False),
    ("(or (== 1 1) (== (// 1 0) 0))", True),
    ("(== (game str WORD) B)", True),
    ("(!= (game str WORD) B)", False),
    ("(== (game str NEVERSET) B)", False),
    ("(== (game str NEVERSET) (game str NORTHIS))", True),
    (f"(== (cardatt RANK (top {L})) D)", True),
    (f"(== (cardatt SUIT (top {L})) (cardatt SUIT (bottom {L})))", True),
    (f"(== (cardatt COLOR (top {L})) (game str NEVERSET))", True),
    # where there is no card, there is no attribute
    ("(== (cardatt RANK (top (game vloc NOWHERE))) A)", False),
    ("(== (cardatt RANK (top (game vloc NOWHERE))) (game str NEVERSET))", True),
    ("(== (size (game vloc (cardatt RANK (top (game vloc NOWHERE))))) 0)", True),
    ("(== (game sto (cardatt RANK (top (game vloc NOWHERE)))) 0)", True),
    # a storage whose own name is computed
    ("(== (size (game vloc (game str D))) 4)", True),
    (f"(== (top {L}) (3 {L}))", True),
    (f"(== (top {L}) (top {STOCK}))", False),
    (f"(!= (top {L}) (top {STOCK}))", True),
    ("(== (current player) (1 player))", True),
    ("(== (current player) (next player))", False),
    ("(!= (current player) (owner (top ((2 player) vloc M))))", True),
    ("(== (team (current player)) (1 team))", True),
    # the current team is not that of the current player
    ("(== (current team) (team (current player)))", False),
    ("(any player 'P (== ('P sto N) 20))", True),
    ("(any player 'P (== ('P sto N) 21))", False),
    ("(all player 'P (< ('P sto N) 21))", True),
    ("(all player 'P (< ('P sto N) 20))", False),
    ("(any (game vloc NOWHERE) 'C (== 1 1))", False),
    ("(all (game vloc NOWHERE) 'C (== 1 2))", True),
    (f"(any {L} 'C (== (cardatt RANK 'C) C))", True),
    ("(any (range 1 .. 9) 'I (== (* 'I 'I) 49))", True),
    ("(any (A, B) 'N (== (game str WORD) 'N))", True),
    (f"(any {ALL_M} 'S (== (size 'S) 2))", True),
    (f"(all (partition SUIT {L} {M1}) 'G (>= (size 'G) 2))", True),
    ("(all (other player) 'P (!= 'P (current player)))", True),
    ("(any player 'P (all (other 'P) 'Q (> ('P sto N) ('Q sto N))))", True),
    ("(any player 'P (any player 'Q (== (+ ('P sto N) ('Q sto N)) 40)))", True),
)
"""Conditions, in the situation."""

CARDS: tuple[tuple[str, str], ...] = (
    (L, "1357"),
    (f"(filter {L} 'C (!= (cardatt RANK 'C) C))", "137"),
    (f"(filter {L} 'C (== (cardatt RANK 'C) Z))", ""),
    (f"(filter {L} 'C (== 'C (top {L})))", "7"),
    (f"(union {L} {M1})", "135724"),
    (f"(union {M1} {L})", "241357"),
    (f"(union {M1} {M1})", "2424"),
    (f"(union {ALL_M})", "246"),
    (f"(intersect {L} (filter {L} 'C (>= (score 'C using (game points P)) 3)))", "57"),
    (f"(intersect {L} {M1})", ""),
    (f"(intersect (union {M1} {M1}) {M1})", "24"),
    (
        f"(intersect (all (range 1 .. 2) 'I"
        f" (filter {L} 'C (> (score 'C using (game points P)) 'I))))",
        "57",
    ),
    (f"(disjunction {L} (filter {L} 'C (>= (score 'C using (game points P)) 3)))", "13"),
    (f"(disjunction {M1} {M2})", "246"),
    (f"(disjunction (union {M1} {M1}) {M2})", "6"),
    (f"(sort (union {M1} {L}) using (game points P))", "21" + "43" + "57"),
    (f"(sort (union {L} {M1}) using (game points Q))", "123457"),
    (f"(top 2 {L})", "75"),
    (f"(bottom 2 {L})", "13"),
    (f"(top 9 {L})", "7531"),
    (f"(top 0 {L})", ""),
    (f"(run top 2 {L} using (game points P))", "1357"),
    (f"(run top 2 {L} using (game points E))", "57"),
    (f"(run bottom 2 {L} using (game points E))", "13"),
    (f"(run bottom 3 {L} using (game points E))", ""),
    (f"(run top 2 (union {L} {STOCK}) using (game points P))", ""),
    (f"(run top 3 (union {M1} {M2}) using (game points P))", "246"),
    (f"(run top 2 (top 3 {L}) using (game points P))", "357"),
    (f"(top (partition SUIT {L} {M1}))", "24"),
    (f"(bottom (partition SUIT {L} {M1}))", "1357"),
    (f"(1 (partition RANK {L} {M1}))", "34"),
    (f"(top (tuples 2 (union {L} {M1}) using (game points P)))", "34"),
    (f"(top {ALL_M})", "6"),
)
"""Lists of cards, in the situation; each card as the digit that it scores by Q."""

SETS: tuple[tuple[str, str], ...] = (
    (f"(partition RANK {M1} {L})", "219439597" + "9"),
    (f"(partition COLOR {M1})", "249"),
    (f"(partition SUIT {M1} {M2} {STOCK})", "24689"),
    (f"(tuples 2 (union {L} {M1}) using (game points P))", "129349"),
    (f"(tuples 3 (union {L} {M1}) using (game points P))", ""),
    (f"(tuples 1 (union {M2} {M1}) using (game points P))", "294969"),
    (f"(subsets {M1})", "929492" + "49"),
    (f"(runs all 2 (union {M1} {M2}) using (game points P))", "249246" + "9469"),
    (f"(runs largest 2 (union {M1} {M2}) using (game points P))", "2469"),
    (f"(runs largest 2 {L} using (game points E))", "139579"),
    (f"(runs largest 2 (union {M1} (bottom 2 {L})) using (game points P))", "249239149139"),
    (f"(filter (subsets {M1}) 'S (== 1 1))", "2949249"),
    (f"(all (range 1 .. 2) 'I (filter {M1} 'C (== (score 'C using (game points P)) 'I)))", "2949"),
    (ALL_M, "92" + "4969"),
)
"""Sets of cards, in the situation: the cards of each as digits, then a 9."""


def number_example(expression: str, expected: int) -> Example:
    """The number is the first player's score."""
    text = game(do(*SITUATION, score(0, expression)))
    return Example(f"number {expression}", text, (expected, 0, 0))


def condition_example(expression: str, expected: bool) -> Example:
    """The first player scores if it is true."""
    text = game(do(*SITUATION, f"({expression} {score(0, '1')})"))
    return Example(f"condition {expression}", text, (int(expected), 0, 0))


def _digits(digits: str) -> tuple[int, ...]:
    """The players' scores for digits logged, split where a number could become too large."""
    return (int(digits[:9] or "0"), int(digits[9:] or "0"), len(digits))


def _log_digits(value: str) -> str:
    """Logs a digit for the first player, or, from the tenth on, for the second."""
    target = "(((// ((2 player) sto SCORE) 9) player) sto SCORE)"
    return f"(do ((set {target} (+ (* 10 {target}) {value})) (inc ((2 player) sto SCORE) 1)))"


def cards_example(expression: str, expected: str) -> Example:
    """The digits are logged."""
    loop = f"(all {expression} 'C {_log_digits(VALUE)})"
    return Example(f"cards {expression}", game(do(*SITUATION, loop)), _digits(expected))


def sets_example(expression: str, expected: str) -> Example:
    """The digits are logged."""
    inner = f"(all 'S 'C {_log_digits(VALUE)})"
    loop = f"(all {expression} 'S (do ({inner} {_log_digits('9')})))"
    return Example(f"sets {expression}", game(do(*SITUATION, loop)), _digits(expected))


EXPRESSIONS = [
    *[number_example(*pair) for pair in NUMBERS],
    *[condition_example(*pair) for pair in CONDITIONS],
    *[cards_example(*pair) for pair in CARDS],
    *[sets_example(*pair) for pair in SETS],
]

COUNT = "(inc (game sto N) 1)"
"""An action that lets a stage with ``until(n)`` come to its end."""


def until(n: int, counter: str = "N") -> str:
    """The condition that ends a stage after `n` rounds."""
    return f"(>= (game sto {counter}) {n})"


PASS = choice("(turn pass)")
HANDS = "(all player 'P (repeat 2 (move (bottom (game vloc STOCK)) (top ('P iloc HAND)))))"
"""Player 0 gets AX AY, 1 BX BY, 2 CX CY; DX and DY remain."""
DARK = "(create deck (game iloc STOCK) (deck (RANK (A, B, C, D)) (SUIT (X, Y))))"
"""A deck of eight cards, face down."""
DARK_HANDS = HANDS.replace("vloc", "iloc")
HAND = "((current player) iloc HAND)"
TRICK = "(game vloc TRICK)"
PLAY = f"(move 'C (top {TRICK}))"

FLOW = [
    Example("items in order", game(do(log("1")), do(log("2")), do(log("3"))), (123, 0, 0)),
    Example(
        "a stage goes round the table",
        game(stage(until(5), PASS, do(COUNT, log(CURRENT)))),
        (1201, 0, 0),  # 0 1 2 0 1
        counts=(1,) * 5,
        players=(0, 1, 2, 0, 1),
    ),
    Example(
        "a stage whose end holds at once", game(stage("(== 1 1)", PASS), do(log("7"))), (7, 0, 0)
    ),
    Example(
        "an empty inner stage leaves the cycle alone",
        game(stage(until(2), stage("(== 1 1)", PASS), do(COUNT, log(CURRENT))), do(log(CURRENT))),
        (10, 0, 0),
    ),
    Example(
        "the end is tested before the cycle advances",
        game(
            stage(
                "(== ((current player) sto DONE) 1)",
                do("(set ((current player) sto DONE) 1)", log("5")),
            )
        ),
        (5, 0, 0),
    ),
    Example(
        "an inner stage begins with the outer stage's player and leaves it current",
        game(
            stage(
                until(2),
                do("(set (game sto K) 0)"),
                stage(until(2, "K"), do("(inc (game sto K) 1)", log(CURRENT))),
                do(COUNT, log(CURRENT)),
            )
        ),
        (10121, 0, 0),  # 0 1, 0; 1 2, 1
    ),
    Example(
        "cycle next is for once",
        game(
            stage(until(5), PASS, do(COUNT, "((== (game sto N) 1) (cycle next (2 player)))")),
        ),
        (0, 0, 0),
        players=(0, 2, 0, 1, 2),
    ),
    Example(
        "cycle next previous",
        game(stage(until(4), PASS, do(COUNT, "(cycle next previous)"))),
        (0, 0, 0),
        players=(0, 2, 1, 0),
    ),
    Example(
        "cycle next current",
        game(stage(until(4), PASS, do(COUNT, "((== (game sto N) 2) (cycle next current))"))),
        (0, 0, 0),
        players=(0, 1, 1, 2),
    ),
    Example(
        "cycle current next skips",
        game(stage(until(4), PASS, do(COUNT, "(cycle current next)"))),
        (0, 0, 0),
        players=(0, 2, 1, 0),
    ),
    Example(
        "cycle current is at once",
        game(do("(cycle current (2 player))"), PASS, PASS),
        (0, 0, 0),
        players=(2, 2),
    ),
    Example(
        "the next player is the queued one, the previous the seat before",
        game(
            do(
                "(cycle next (0 player))",
                log("(pid (next player))"),
                log("(pid (previous player))"),
            )
        ),
        (2, 0, 0),
    ),
    Example(
        "one who was queued in an inner stage is not in the outer one",
        game(
            stage(
                until(2),
                do("(set (game sto K) 0)"),
                stage(until(1, "K"), do("(inc (game sto K) 1)", "(cycle next (2 player))")),
                PASS,
                do(COUNT),
            )
        ),
        (0, 0, 0),
        players=(0, 1),
    ),
    Example(
        "one who is queued outside is not queued inside",
        game(
            stage(
                until(2),
                do("(set (game sto K) 0)", "(cycle next (2 player))"),
                stage(until(2, "K"), PASS, do("(inc (game sto K) 1)")),
                do(COUNT),
            )
        ),
        (0, 0, 0),
        players=(0, 1, 2, 0),
    ),
    Example(
        "a variable player can be next",
        game(
            stage(
                until(3),
                PASS,
                do(
                    COUNT,
                    "(all player 'P (cycle next 'P))",
                ),
            )
        ),
        (0, 0, 0),
        players=(0, 2, 2),
    ),
    Example(
        "team stages turn the teams and leave the players",
        game(
            stage(
                until(3),
                do(COUNT, "(inc ((current team) sto T) (game sto N))", log(CURRENT)),
                kind="team",
            ),
            do("(all team 'T " + log("('T sto T)") + ")"),
            players=4,
            deck="(create teams (0, 2) (1, 3)) (create deck (game vloc STOCK) (deck (RANK (A))))",
        ),
        (42, 0, 0, 0),  # 0 0 0, then 1 + 3 and 2
    ),
    Example(
        "teams",
        game(
            do(
                log("(pid (current player))"),
                "(all (team (1 player)) 'P " + log("(pid 'P)") + ")",
                "(inc ((team (3 player)) sto T) 5)",
                log("((1 team) sto T)"),
                log("(size (other team))"),
                "(inc ((next team) sto T) 1)",
                log("((1 team) sto T)"),
            ),
            players=4,
            deck="(create teams (0, 2) (3, 1)) (create deck (game vloc STOCK) (deck (RANK (A))))",
        ),
        (31516, 0, 0, 0),
    ),
    Example(
        "teams can change",
        game(
            do(
                "(create teams (0, 1) (2))",
                "(inc ((team (1 player)) sto T) 3)",
                log("((0 team) sto T)"),
                log("(size team)"),
            )
        ),
        (32, 0, 0),
    ),
    Example(
        "300 automatic rounds",
        game(stage(until(300), do(COUNT)), do(log("(game sto N)"))),
        (300, 0, 0),
    ),
    Example("an endless stage", game(stage("(== 1 2)", do(COUNT))), status="endless"),
    Example("an endless repetition", game(do(f"(repeat 200000 {COUNT})")), status="endless"),
    Example(
        "an endless range", game(do(f"(all (range 1 .. 200000) 'I {COUNT})")), status="endless"
    ),
    Example(
        "a dead end",
        game(choice("((== 1 2) (turn pass))", f"(any {TRICK} 'C {PLAY})")),
        status="dead end",
    ),
    Example(
        "simultaneous: all choose in the same state, then it is done for each",
        game(
            do(HANDS, "(cycle current (1 player))"),
            stage(
                until(3),
                choice(f"(any (filter {HAND} 'C (== (size {TRICK}) 0)) 'C {PLAY})"),
                do(COUNT, log(f"(size {TRICK})"), log(CURRENT)),
                kind="player simultaneous",
            ),
        ),
        (112230, 0, 0),
        plays=(1, 0, 1),
        counts=(2, 2, 2),
        players=(1, 2, 0),
    ),
    Example(
        "simultaneous: every round begins with the same player",
        game(
            do(HANDS),
            stage(
                until(6),
                choice(f"(any {HAND} 'C {PLAY})"),
                do(COUNT, log(CURRENT)),
                kind="player simultaneous",
            ),
        ),
        (12012, 0, 0),
        counts=(2, 2, 2, 1, 1, 1),
        players=(0, 1, 2, 0, 1, 2),
    ),
]


def hand_card(player: int, position: int) -> tuple[str, tuple[object, ...], int]:
    """The value that stands for a card in a player's hand which the chooser does not know."""
    return ("hidden", (("player", player), "iloc", "HAND", 0), position)


def top_of(pile: str) -> str:
    """The action that logs which card, by Q, lies at the top of a pile."""
    return log(f"(score (top {pile}) using (game points Q))")


SHOW_TRICK = f"(all {TRICK} 'C " + log(VALUE) + ")"

CHOICES = [
    Example(
        "names that some card has, or that none has",
        game(
            do(f"(move (top {STOCK}) (top ((1 player) vloc M)))"),  # DY
            choice(
                "(any (Z, D, A) 'R (any player 'P ((any ('P vloc M) 'C (== (cardatt RANK 'C) 'R))"
                f" {log('1')})))",
                "(any (Y, X) 'R ((any (game vloc STOCK) 'C (== (cardatt SUIT 'C) 'R))"
                f" {log('2')}))",
                "(any (C, Z, D) 'R ((any (game vloc STOCK) 'C (== (cardatt RANK 'C) 'R))"
                f" {log('3')}))",
            ),
        ),
        (1, 0, 0),
        counts=(5,),
        values=(("D", 1), ("Y",), ("X",), ("C",), ("D",)),
    ),
    Example(
        "any picks each card in order",
        game(do(POINTS, HANDS), choice(f"(any {HAND} 'C {PLAY})"), do(top_of(TRICK))),
        (2, 0, 0),
        plays=(1,),
        counts=(2,),
        values=((0,), (1,)),
    ),
    Example(
        "what follows an any happens in each of its options",
        game(
            do(POINTS, HANDS),
            choice(
                f"(do ((any {HAND} 'C {PLAY}) (set (game str R) (cardatt SUIT (top {TRICK})))))"
            ),
            do(f"((== (game str R) Y) {top_of(TRICK)})"),
        ),
        (2, 0, 0),
        plays=(1,),
        counts=(2,),
    ),
    Example(
        "options are in the order of clauses, outer and inner elements",
        game(
            choice(
                f"(any (range 1 .. 2) 'I (any (range 3 .. 4) 'J (do ({LOG_I} {LOG_J}))))",
                log("9"),
                "(do ((any (range 5 .. 6) 'I " + log("'I") + ") (any (A, B) 'N (turn pass))))",
            )
        ),
        (6, 0, 0),
        plays=(7,),
        counts=(9,),
        values=((1, 3), (1, 4), (2, 3), (2, 4), (), (5, "A"), (5, "B"), (6, "A"), (6, "B")),
    ),
    Example(
        "later steps of an option see what earlier ones did",
        game(
            do(HANDS),
            choice(f"(do ((any {HAND} 'C {PLAY}) (any {HAND} 'D (move 'D (top {TRICK})))))"),
            do(POINTS, SHOW_TRICK),
        ),
        (21, 0, 0),
        plays=(1,),
        counts=(2,),
        values=((0, 1), (1, 0)),
    ),
    Example(
        "conditions see what earlier steps did",
        game(
            choice(
                "(do ((inc (game sto X) 1) ((== (game sto X) 1) " + log("1") + ")"
                " ((== (game sto X) 2) (any (range 1 .. 9) 'I " + log("'I") + "))))"
            )
        ),
        (1, 0, 0),
        counts=(1,),
    ),
    Example(
        "what was tried is undone",
        game(
            do(HANDS, "(set (game str W) A)"),
            choice(
                f"(any {HAND} 'C (do ({PLAY} (set (game str W) B) (inc (game sto X) 1)"
                " (set (game points P) (((RANK : A) 9))) (cycle current next))))",
                "(turn pass)",
            ),
            do(
                log(f"(size {HAND})"),
                log("(game sto X)"),
                log(f"(score (top {HAND}) using (game points P))"),
                f"((== (game str W) A) {log('1')})",
                log(CURRENT),
            ),
        ),
        (20010, 0, 0),
        plays=(2,),
        counts=(3,),
    ),
    Example(
        "a false condition, and an any of nothing, make no option",
        game(
            choice(
                f"((== 1 2) {log('1')})",
                f"(any {TRICK} 'C {PLAY})",
                f"(do (((== 1 2) {log('2')})))",
                f"((== 1 1) {log('3')})",
            )
        ),
        (3, 0, 0),
        counts=(1,),
        values=((),),
    ),
    Example(
        "an any of nothing leaves out its body after an action",
        game(choice(f"(do ({log('1')} (any {TRICK} 'C {PLAY})))", log("2"))),
        (1, 0, 0),
        counts=(2,),
    ),
    Example(
        "a move from an empty place makes no option",
        game(
            do(HANDS),
            choice(
                f"(do ({log('1')} (move (top {TRICK}) (top (game vloc Z)))))",
                f"(any {HAND} 'C (do ({PLAY} (move (1 {TRICK}) (top (game vloc Z))))))",
                f"(move (bottom {TRICK}) (top (game vloc Z)))",
                f"(move (max {TRICK} using (game points P)) (top (game vloc Z)))",
                f"(move (top {HAND}) (top (game vloc Z)))",
            ),
        ),
        (0, 0, 0),
        counts=(1,),
    ),
    Example(
        "a mistake in an option is one of the game",
        game(choice("(turn pass)", log("(// 1 (game sto X))"))),
        status="error",
    ),
    Example(
        "any over players, teams, names, locations",
        game(
            do(HANDS),
            choice("(any (other player) 'P (any team 'T (any (A, B) 'N (turn pass))))"),
            choice("(any (all player 'P ('P iloc HAND)) 'H (move (top 'H) (top (game vloc Z))))"),
            do(POINTS, top_of("(game vloc Z)")),
        ),
        (4, 0, 0),
        plays=(0, 1),
        counts=(12, 3),
        values=tuple((p, t, n) for p in (1, 2) for t in (0, 1, 2) for n in ("A", "B")),
    ),
    Example(
        "any over sets of cards",
        game(
            do(POINTS, HANDS),
            choice(f"(any (filter (subsets {HAND}) 'S (> (size 'S) 0)) 'S (all 'S 'C {PLAY}))"),
            do(SHOW_TRICK),
        ),
        (12, 0, 0),
        plays=(2,),
        counts=(3,),
        values=((frozenset({0}),), (frozenset({1}),), (frozenset({0, 1}),)),
    ),
    Example(
        "cards are taken out of a set that was picked",
        game(
            do(POINTS, HANDS),
            choice(
                f"(any (subsets {HAND}) 'L (do ((turn pass)"
                f" (repeat all (move (top 'L) (top {TRICK}))) {LOG_SIZE})))"
            ),
            do(SHOW_TRICK),
        ),
        (21, 0, 0),
        plays=(3,),
        counts=(4,),
    ),
    Example(
        "options that nobody can tell apart are one",
        game(do(HANDS), choice(f"(any (union {HAND} {HAND}) 'C {PLAY})")),
        (0, 0, 0),
        counts=(2,),
        values=((0,), (1,)),
    ),
    Example(
        "cards one does not know are told apart by where they lie",
        game(
            do(POINTS, DARK_HANDS),
            choice(f"(any ((next player) iloc HAND) 'C {PLAY})"),
            do(top_of(TRICK)),
            deck=DARK,
        ),
        (4, 0, 0),
        plays=(1,),
        counts=(2,),
        values=((hand_card(1, 0),), (hand_card(1, 1),)),
    ),
    Example(
        "what one would draw in an option is not known before",
        game(
            do(
                POINTS,
                HANDS,
                "(repeat all (move (top (game vloc STOCK)) (top (game hloc S))))",
                "(shuffle (game hloc S))",
            ),
            choice(
                f"(do ((move (top (game hloc S)) (top {HAND}))"
                f" (any {HAND} 'C (move 'C (top {TRICK})))))"
            ),
            do(log(f"(size {HAND})"), top_of(TRICK)),
        ),
        (21, 0, 0),
        counts=(3,),
        values=((0,), (1,), (hand_card(0, 2),)),
    ),
    Example(
        "a card that lay open is known in the dark",
        game(
            do("(move (top (game vloc STOCK)) (top (game hloc S)))"),
            choice(f"(any (game hloc S) 'C {PLAY})"),
        ),
        (0, 0, 0),
        values=((7,),),
    ),
    Example(
        "loops, repetitions and variables in an option",
        game(
            do(POINTS, HANDS),
            choice(
                f"(do ((repeat 2 (move (bottom {HAND}) (top {TRICK})))"
                f" (let (size {TRICK}) 'N (all (range 1 .. 'N) 'I {LOG_I}))"
                f" (let (top {TRICK}) 'C (move 'C (bottom {TRICK})))))"
            ),
            do(SHOW_TRICK),
        ),
        (1221, 0, 0),
        counts=(1,),
    ),
    Example(
        "a move by position is looked up again",
        game(
            do(POINTS),
            choice(
                "(do ((shuffle (game vloc STOCK)) (all (game vloc STOCK) 'C"
                " ((== (score 'C using (game points Q)) 5) (move 'C (top (game vloc STOCK)))))"
                f" (move (top (game vloc STOCK)) (top {TRICK}))))"
            ),
            do(top_of(TRICK)),
        ),
        (5, 0, 0),
        counts=(1,),
    ),
    Example(
        "several choices in a row",
        game(choice(log("1"), log("2")), choice(log("3"), log("4")), choice(log("5"))),
        (235, 0, 0),
        plays=(1, 0, 0),
        counts=(2, 2, 1),
    ),
    Example(
        "clauses without actions to do are no options",
        game(
            do("(set (game sto X) 1)"), choice("((== (game sto X) 0) (turn pass))", "(turn pass)")
        ),
        (0, 0, 0),
        counts=(1,),
    ),
]

S, Z = "(game vloc STOCK)", "(game vloc Z)"


def shown(*piles: str) -> str:
    """The action that logs the cards of piles, bottom first, a 9 after each pile."""
    each = [f"(all {pile} 'C {log(VALUE)}) {log('9')}" for pile in piles]
    return " ".join(each)


def three(pile: str) -> str:
    """The action that puts the cards 1, 2, 3 there."""
    return f"(repeat 3 (move (bottom {S}) (top {pile})))"


ACTIONS = [
    Example(
        "move to the top",
        game(do(POINTS, three(Z), f"(move (bottom {S}) (top {Z}))", shown(Z))),
        (12349, 0, 0),
    ),
    Example(
        "move to the bottom",
        game(do(POINTS, three(Z), f"(move (bottom {S}) (bottom {Z}))", shown(Z))),
        (41239, 0, 0),
    ),
    Example(
        "move to a number",
        game(do(POINTS, three(Z), f"(move (bottom {S}) (1 {Z}))", shown(Z))),
        (14239, 0, 0),
    ),
    Example(
        "move to the end by number",
        game(do(POINTS, three(Z), f"(move (bottom {S}) (3 {Z}))", shown(Z))),
        (12349, 0, 0),
    ),
    Example(
        "move from a number",
        game(do(POINTS, three(Z), f"(move (1 {Z}) (top {Z}))", shown(Z))),
        (1329, 0, 0),
    ),
    Example(
        "move within a location",
        game(do(POINTS, three(Z), f"(move (top {Z}) (bottom {Z}))", shown(Z))),
        (3129, 0, 0),
    ),
    Example(
        "move a card by what it is",
        game(
            do(
                POINTS,
                three(Z),
                f"(move (max {Z} using (game points Q)) (bottom {Z}))",
                f"(let (bottom {Z}) 'C (move 'C (1 {Z})))",
                shown(Z),
            )
        ),
        (1329, 0, 0),
    ),
    Example(
        "repeat all takes as many as there are",
        game(
            do(
                POINTS,
                three(Z),
                f"(repeat all (move (top {Z}) (top (game vloc Y))))",
                shown(Z, "(game vloc Y)"),
            )
        ),
        (93219, 0, 0),
    ),
    Example(
        "repeat all of nothing",
        game(do("(repeat all (move (top (game vloc Y)) (top (game vloc Z))))", log("7"))),
        (7, 0, 0),
    ),
    Example(
        "repeat adds each time", game(do("(repeat 3 (inc ((0 player) sto SCORE) 2))")), (6, 0, 0)
    ),
    Example(
        "repeat a negative number of times",
        game(do("(repeat (- 1 3) (inc ((0 player) sto SCORE) 2))")),
        (0, 0, 0),
    ),
    Example(
        "repeat counts once, before the first",
        game(
            do(
                "(set (game sto X) 3)",
                "(repeat (game sto X) (inc (game sto X) 1))",
                log("(game sto X)"),
            )
        ),
        (6, 0, 0),
    ),
    Example(
        "inc and dec",
        game(do("(inc (game sto X) 5)", "(dec (game sto X) 7)", log("(game sto X)"))),
        (-2, 0, 0),
    ),
    Example(
        "inc and dec by one",
        game(
            do(
                "(inc (game sto X))",
                "(inc (game sto X))",
                "(dec (game sto X))",
                log("(game sto X)"),
            )
        ),
        (1, 0, 0),
    ),
    Example(
        "a let is worked out once",
        game(
            do(
                "(set (game sto X) 3)",
                f"(let (game sto X) 'N (do ((set (game sto X) 8) {LOG_N})))",
            )
        ),
        (3, 0, 0),
    ),
    Example(
        "a let of a location is what was there",
        game(
            do(
                POINTS,
                three(Z),
                f"(let {Z} 'L (do ((all 'L 'C (move 'C (top (game vloc Y)))) {LOG_SIZE})))",
                shown(Z, "(game vloc Y)"),
            )
        ),
        (391239, 0, 0),
    ),
    Example(
        "cards are taken out of a let",
        game(
            do(
                POINTS,
                three(Z),
                f"(let (filter {Z} 'C (!= 'C (1 {Z}))) 'L "
                f" (do ((move (top 'L) (top (game vloc Y))) {LOG_SIZE}"
                f" (repeat all (move (bottom 'L) (top (game vloc Y)))) {LOG_SIZE})))",
                shown(Z, "(game vloc Y)"),
            )
        ),
        (1029319, 0, 0),
    ),
    Example(
        "variables end where their form ends",
        game(
            do(
                "(let 1 'A (do ((let 2 'A " + log("'A") + ") " + log("'A") + ")))",
                "(all (range 3 .. 4) 'A (do ((all (range 5 .. 6) 'A "
                + log("'A")
                + ") "
                + log("'A")
                + ")))",
            )
        ),
        (21563564, 0, 0),
    ),
    Example(
        "a loop goes through what there was when it began",
        game(do(POINTS, three(Z), f"(all {Z} 'C (move 'C (bottom {Z})))", shown(Z))),
        (3219, 0, 0),
    ),
    Example(
        "a loop's filter is not tested again",
        game(
            do(
                "(all (filter player 'P (== ('P sto X) 0)) 'P (all player 'Q (inc ('Q sto X) 1)))",
                log("((2 player) sto X)"),
            )
        ),
        (3, 0, 0),
    ),
    Example(
        "any in an automatic block is all",
        game(do(f"(any (range 1 .. 3) 'I {LOG_I})")),
        (123, 0, 0),
    ),
    Example(
        "a block that is a loop or a let",
        game(
            f"(all (range 1 .. 3) 'I {LOG_I})",
            f"(let 4 'I {LOG_I})",
            f"(any (range 5 .. 6) 'I {LOG_I})",
        ),
        (123456, 0, 0),
    ),
    Example(
        "names of locations and storages can be worked out",
        game(
            do(
                f"(all {S} 'C (move 'C (top (game vloc (cardatt RANK 'C)))))",
                "(all (A, B) 'N (do ((inc ((0 player) sto 'N) 2)"
                " (inc ((0 player) sto 'N) (size (game vloc 'N))))))",
                log("((0 player) sto A)"),
                log("((0 player) sto B)"),
                log("(size (game vloc D))"),
            )
        ),
        (442, 0, 0),
    ),
    Example(
        "names are kept",
        game(
            do(
                "(set (game str W) D)",
                "(set ((1 player) str W) (game str W))",
                f"((== ((1 player) str W) D) {log('1')})",
                f"((== ((2 player) str W) D) {log('2')})",
            )
        ),
        (1, 0, 0),
    ),
    Example(
        "a point map is worked out when it is set",
        game(
            do(
                POINTS,
                "(set (game str W) B)",
                "(set (game points R) (((RANK : (game str W)) (game sto X)) ((SUIT : X) 2)))",
                "(set (game str W) C)",
                "(set (game sto X) 7)",
                log(f"(sum {S} using (game points R))"),
                "(set (game points R) (((RANK : (game str W)) (game sto X)) ((SUIT : X) 2)))",
                log(f"(sum {S} using (game points R))"),
            )
        ),
        (8 * 10 + 22, 0, 0),
    ),
    Example(
        "awards add up, and all conditions of one have to hold",
        game(
            do(
                "(set (game points R) (((RANK : A) 1) ((RANK : A) (SUIT : X) 2) ((SUIT : X) 3)"
                " ((RANK : A) 10)))",
                f"(all (bottom 3 {S}) 'C (set ((0 player) sto SCORE)"
                " (+ (* 100 ((0 player) sto SCORE)) (score 'C using (game points R)))))",
            )
        ),
        (161103, 0, 0),
    ),
    Example(
        "point maps have owners",
        game(
            do(
                "(set ((1 player) points R) (((RANK : A) 1)))",
                log(f"(sum {S} using ((1 player) points R))"),
                log(f"(sum {S} using ((2 player) points R))"),
            )
        ),
        (20, 0, 0),
    ),
    Example(
        "points may be negative",
        game(
            do(
                "(set (game points R) (((RANK : A) (- 0 3)) ((RANK : B) 1)))",
                f"(set ((0 player) sto SCORE) (sum {S} using (game points R)))",
            )
        ),
        (-4, 0, 0),
    ),
    Example(
        "a memory refers to cards that lie elsewhere",
        game(
            do(
                POINTS,
                f"(remember (top {S}) (top (game mem M)))",
                f"(remember (bottom {S}) (top (game mem M)))",
                log("(size (game mem M))"),
                log(f"(size {S})"),
                shown("(game mem M)"),
                "(forget (top (game mem M)))",
                shown("(game mem M)"),
            )
        ),
        (2881989, 0, 0),
    ),
    Example(
        "what a memory refers to can be moved",
        game(
            do(
                POINTS,
                f"(remember (top {S}) (top (game mem M)))",
                f"(remember (1 {S}) (bottom (game mem M)))",
                f"(move (actual (top (game mem M))) (top {Z}))",
                log(f"(size {S})"),
                shown(Z, "(game mem M)"),
            )
        ),
        (789289, 0, 0),
    ),
    Example(
        "a card picked from a memory is moved from where it lies",
        game(
            do(
                POINTS,
                f"(remember (top {S}) (top (game mem M)))",
                f"(remember (bottom {S}) (top (game mem M)))",
            ),
            choice(f"(any (game mem M) 'C (move 'C (top {Z})))"),
            do(log(f"(size {S})"), shown(Z, "(game mem M)")),
        ),
        (789819, 0, 0),
        counts=(2,),
    ),
    Example("forgetting nothing", game(do("(forget (top (game mem M)))", log("1"))), (1, 0, 0)),
    Example(
        "a location of a kind is not that of another kind",
        game(
            do(
                f"(move (top {S}) (top (game iloc STOCK)))",
                log(f"(size {S})"),
                log("(size (game iloc STOCK))"),
            )
        ),
        (71, 0, 0),
    ),
    Example(
        "locations with numbers",
        game(
            do(
                POINTS,
                f"(move (bottom {S}) (top (game vloc Z 0)))",
                f"(move (bottom {S}) (top (game vloc Z 2)))",
                "(set (game sto X) 2)",
                f"(move (bottom {S}) (top (game vloc Z (game sto X))))",
                log("(size (indexed game vloc Z))"),
                shown(Z, "(game vloc Z 1)", "(top (indexed game vloc Z))"),
            )
        ),
        (2199239, 0, 0),
    ),
    Example(
        "swapping cards",
        game(do(POINTS, three(Z), f"(swap (1 {Z}) (top {S}))", shown(Z, f"(top 1 {S})"))),
        (183929, 0, 0),
    ),
    Example(
        "swapping cards of one location",
        game(do(POINTS, three(Z), f"(swap (bottom {Z}) (top {Z}))", shown(Z))),
        (3219, 0, 0),
    ),
    Example(
        "swapping locations",
        game(
            do(POINTS, three(Z), "(swap (game vloc Y) (game vloc Z))", shown(Z, "(game vloc Y)"))
        ),
        (91239, 0, 0),
    ),
    Example(
        "a perfect riffle",
        game(
            do(
                POINTS,
                "(repeat 3 (move (top (game vloc STOCK)) (top (game vloc Y))))",
                f"(shuffle faro {S})",
                shown(S),
            )
        ),
        (142539, 0, 0),
    ),
    Example(
        "revealing does not move",
        game(
            do(
                HANDS,
                "(reveal (top ((1 player) iloc HAND)))",
                "(reveal (bottom ((1 player) iloc HAND)) (2 player))",
                log("(size ((1 player) iloc HAND))"),
            )
        ),
        (2, 0, 0),
    ),
    Example(
        "what was revealed is known",
        game(
            do(
                DARK_HANDS,
                "(reveal (top ((1 player) iloc HAND)))",
                "(reveal (bottom ((1 player) iloc HAND)) (2 player))",
            ),
            choice(f"(any ((1 player) iloc HAND) 'C {PLAY})"),
            deck=DARK,
        ),
        (0, 0, 0),
        values=((hand_card(1, 0),), (3,)),
    ),
    Example(
        "telling of cards does not show them",
        game(
            do(
                DARK_HANDS,
                "(tell RANK (top ((1 player) iloc HAND)))",
                "(tell ((1 player) iloc HAND) 'C (== (cardatt RANK 'C) A))",
            ),
            choice(f"(any ((1 player) iloc HAND) 'C {PLAY})"),
            deck=DARK,
        ),
        (0, 0, 0),
        values=((hand_card(1, 0),), (hand_card(1, 1),)),
    ),
    Example(
        "turn pass and awards of nothing",
        game(
            do(
                "(turn pass)",
                "(set (game points P) (((RANK : Z) 5)))",
                log(f"(sum {S} using (game points P))"),
            )
        ),
        (0, 0, 0),
    ),
    Example(
        "the score is that of each player as the current one",
        game(
            do("(set ((2 player) sto SCORE) 5)", "(cycle current (1 player))"),
            score="(+ (* 10 ((current player) sto SCORE)) (pid (current player)))",
        ),
        (0, 1, 52),
    ),
    Example(
        "many copies of a card, and decks one after the other",
        game(
            do(
                log("(size (game vloc STOCK))"),
                log("(size (game vloc OTHER))"),
                "((== (cardatt RANK (top (game vloc STOCK))) B)" + log("1") + ")",
                "((== (cardatt COLOR (bottom (game vloc STOCK))) RED)" + log("2") + ")",
                "((== (cardatt SUIT (1 (game vloc STOCK))) D)" + log("3") + ")",
            ),
            deck="(create deck (game vloc STOCK) (deck (RANK (A))"
            " (COLOR (RED (SUIT (H, D))) (BLACK (SUIT (C))))))"
            " (repeat 2 (create deck BACK (game vloc STOCK) (deck (RANK (B)))))"
            " (create deck (game vloc OTHER) (deck (RANK (A))))",
        ),
        (51123, 0, 0),
    ),
    Example(
        "a declared number",
        game(do(log("'N")), before="(declare 7 'N) (declare (+ 1 1) 'TWO)"),
        (7, 0, 0),
    ),
]

MISTAKES = [
    Example(f"mistake {action}", game(do(action)), status="error")
    for action in (
        f"(move (top {Z}) (top {S}))",
        f"(move (9 {S}) (top {Z}))",
        f"(move (top {S}) (1 {Z}))",
        f"(set (game sto X) (score (top {Z}) using (game points P)))",
        f"(set (game sto X) (scoremax {Z} using (game points P)))",
        f"(move (max {Z} using (game points P)) (top {S}))",
        f"(cycle next (owner (top {S})))",
        "(inc (((game sto X) player) sto X) (// 1 0))",
        "(set (game sto X) (% 1 (game sto X)))",
        "(set (game sto X) (^ 2 (- 0 1)))",
        "(set (game sto X) (^ 10 10))",
        "(set (game sto X) (* 1000000 1000000))",
        "(set (game sto X) (random 5 .. 4))",
        "(repeat 40 (do ((inc (game sto X) 1) (inc (game sto X) (game sto X)))))",
        "(cycle next ((- (game sto X) 1) player))",
        "(inc (((+ (game sto X) 3) player) sto X) 1)",
        f"(remember (top {Z}) (top (game mem M)))",
        f"(move (top (top (tuples 2 {Z} using (game points P)))) (top {Z}))",
    )
]
MISTAKES.append(
    Example(
        "mistake subsets of 21",
        game(
            do("(set (game sto X) (size (subsets (game vloc STOCK))))"),
            deck="(repeat 21 (create deck (game vloc STOCK) (deck (RANK (A)))))",
        ),
        status="error",
    )
)

EXAMPLES = [*EXPRESSIONS, *FLOW, *CHOICES, *ACTIONS, *MISTAKES]
