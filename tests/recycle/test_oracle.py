"""The oracle itself: small programs whose course is known, chance, knowledge."""

from __future__ import annotations

import pytest
from tests.recycle.oracle import Oracle
from tests.recycle.oracle_chance import Chance
from tests.recycle.programs import DARK, EXAMPLES, Example, choice, do, game
from tests.shared import SHARED

from kibitz.core.randomness import GAME_STREAM, random_below
from kibitz.recycle.parser import program
from kibitz.recycle.tree import Program
from kibitz.syntax.source import Source


def read(text: str, name: str = "test.rcy") -> Program:
    return program(Source(name, text))


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_example(example: Example) -> None:
    oracle = Oracle(read(example.text), seed=1)
    counts, players = [], []
    plays = iter(example.plays)
    while oracle.status == "playing":
        options = oracle.options()
        if example.values is not None and not counts:
            assert tuple(option.values for option in options) == example.values
        counts.append(len(options))
        players.append(oracle.player)
        oracle.play(next(plays, 0))
    assert (oracle.status, oracle.problem if example.status == "finished" else None) == (
        example.status,
        None,
    )
    if example.status == "finished":
        assert tuple(oracle.scores) == example.scores
    if example.counts is not None:
        assert tuple(counts) == example.counts
    if example.players is not None:
        assert tuple(players) == example.players


# -- chance ----------------------------------------------------------------------------------

THREE_TIED = game(
    do("(set (game points T) (((RANK : A) 5) ((RANK : B) 5) ((SUIT : Y) (- 0 1))))"),
    do(
        "(move (bottom (game vloc STOCK)) (top ((0 player) vloc T)))",
        "(move (1 (game vloc STOCK)) (top ((1 player) vloc T)))",
        "(move (1 (game vloc STOCK)) (top ((2 player) vloc T)))",
        "(set (game points T) (((RANK : A) 5) ((RANK : B) 5) ((RANK : C) 5)))",
    ),
    do(
        "(inc ((owner (max (union (all player 'P ('P vloc T))) using (game points T))) sto A) 1)",
        "(inc ((owner (max (union (all player 'P ('P vloc T))) using (game points T))) sto A) 1)",
    ),
    do("(inc ((owner (min (union (all player 'P ('P vloc T))) using (game points T))) sto B) 1)"),
    score="(+ (* 10 ((current player) sto A)) ((current player) sto B))",
)


def test_ties_are_broken_evenly_and_once_in_a_block() -> None:
    parsed = read(THREE_TIED)
    games = 900
    both = [tuple(Oracle(parsed, seed).scores) for seed in range(games)]
    first = [[s // 10 for s in scores].index(2) for scores in both]  # the same one twice
    second = [[s % 10 for s in scores].index(1) for scores in both]
    for drawn in (first, second):
        for player in range(3):
            assert abs(drawn.count(player) - games / 3) < 4 * (games * 2 / 9) ** 0.5
    same = sum(a == b for a, b in zip(first, second, strict=True))
    assert abs(same - games / 3) < 4 * (games * 2 / 9) ** 0.5


def test_one_card_twice_is_no_tie() -> None:
    """Choosing the card draws no random number, so the next draw is unchanged."""
    draw = do("(set ((0 player) sto SCORE) (random 1000000))")
    twice = do(
        "(set (game points T) (((RANK : A) (SUIT : X) 5)))",
        "(set (game sto X) (score (max (union (game vloc STOCK) (game vloc STOCK))"
        " using (game points T)) using (game points T)))",
    )
    plain, tied = (Oracle(read(game(*items)), 3).scores for items in ([draw], [twice, draw]))
    assert plain == tied


def test_random_numbers_and_shuffles_are_those_of_the_engine() -> None:
    chance = Chance.started(12345, GAME_STREAM)
    cards = chance.shuffled(list(range(8)), 0, 0)
    number = 3 + random_below(chance.rng, 5)
    text = game(
        do("(shuffle (game vloc STOCK))", "(set ((0 player) sto SCORE) (random 3 .. 7))"),
        choice("(turn pass)"),
    )
    oracle = Oracle(read(text), 12345)
    assert oracle.piles["game", "vloc", "STOCK", 0] == cards
    oracle.play(0)
    assert oracle.scores == [number, 0, 0]


def test_trying_options_leaves_the_game_s_luck_alone() -> None:
    luck = do("(set ((0 player) sto SCORE) (random 1000000))")
    tried = choice(
        "(turn pass)",
        "(do ((shuffle (game vloc STOCK)) (set (game sto X) (random 6))))",
        "(any (range 1 .. 3) 'I (inc (game sto X) (random 'I)))",
    )
    plain, trying = (read(game(choice("(turn pass)"), luck)), read(game(tried, luck)))
    for seed in range(5):
        scores = []
        for parsed in (plain, trying):
            oracle = Oracle(parsed, seed)
            oracle.play(0)
            scores.append(oracle.scores)
        assert scores[0] == scores[1]


def test_what_is_drawn_on_trial_is_not_what_comes() -> None:
    """An option to shuffle and draw is one option, whatever was drawn on trial."""
    text = game(
        choice(
            "(do ((shuffle (game hloc S)) (any (game hloc S) 'C (move 'C (top (game vloc T))))))"
        ),
        deck="(create deck (game hloc S) (deck (RANK (A, B, C, D))))",
    )
    parsed = read(text)
    drawn = []
    for seed in range(60):
        oracle = Oracle(parsed, seed)
        assert [option.values for option in oracle.options()] == [
            (("hidden", ("game", "hloc", "S", 0), i),) for i in range(4)
        ]
        oracle.play(2)
        drawn += oracle.piles["game", "vloc", "T", 0]
    assert set(drawn) == {0, 1, 2, 3}


# -- knowledge -------------------------------------------------------------------------------

DEAL = "(all player 'P (repeat 2 (move (top (game iloc STOCK)) (top ('P iloc HAND)))))"
"""Player 0 gets cards 7 and 6, player 1 gets 5 and 4, player 2 gets 3 and 2."""
OPEN = "(all ((1 player) iloc HAND) 'C (reveal 'C))"
FIRST_FIVE = "(filter ((1 player) iloc HAND) 'C (== (cardatt SUIT 'C) Y))"

KNOWLEDGE: list[tuple[str, list[str], dict[int, set[int]]]] = [
    ("dealt cards", [DEAL], {7: {0}, 6: {0}, 5: {1}, 3: {2}, 1: set()}),
    ("shown to all", [DEAL, OPEN], {5: {0, 1, 2}, 4: {0, 1, 2}}),
    (
        "shown to one",
        [DEAL, "(reveal (top ((1 player) iloc HAND)) (2 player))"],
        {4: {1, 2}, 5: {1}},
    ),
    (
        "kinds of locations",
        [
            "(move (top (game iloc STOCK)) (top (game vloc A)))",
            "(move (top (game iloc STOCK)) (top (game oloc A)))",
            "(move (top (game iloc STOCK)) (top (game hloc A)))",
            "(move (top (game iloc STOCK)) (top ((1 player) vloc A)))",
            "(move (top (game iloc STOCK)) (top ((1 player) oloc A)))",
            "(move (top (game iloc STOCK)) (top ((1 player) hloc A)))",
            "(move (top (game iloc STOCK)) (top ((1 player) iloc A)))",
        ],
        {7: {0, 1, 2}, 6: {0, 1, 2}, 5: set(), 4: {0, 1, 2}, 3: {0, 2}, 2: set(), 1: {1}},
    ),
    (
        "turned over in the open, then face down",
        [
            "(move (top (game iloc STOCK)) (top (game vloc A)))",
            "(move (top (game vloc A)) (top (game hloc A)))",
        ],
        {7: {0, 1, 2}},
    ),
    (
        "passed on by place: who knew it still does",
        [DEAL, OPEN, "(move (top ((1 player) iloc HAND)) (bottom ((2 player) iloc HAND)))"],
        {4: {0, 1, 2}, 5: {0, 1, 2}},
    ),
    (
        "picked and passed on: others no longer know which",
        [DEAL, OPEN, f"(all {FIRST_FIVE} 'C (move 'C (top ((2 player) iloc HAND))))"],
        {5: {1, 2}, 4: {1, 2}, 7: {0}},
    ),
    (
        "the best card passed on",
        [
            DEAL,
            OPEN,
            "(move (max ((1 player) iloc HAND) using (game points P)) (top (game hloc Z)))",
        ],
        {5: {1}, 4: {1}},
    ),
    (
        "picked and laid open: all see it, and the other one is still known",
        [DEAL, OPEN, f"(all {FIRST_FIVE} 'C (move 'C (top (game vloc Z))))"],
        {5: {0, 1, 2}, 4: {0, 1, 2}},
    ),
    ("shuffled", [DEAL, OPEN, "(shuffle ((1 player) iloc HAND))"], {4: {1}, 5: {1}}),
    (
        "shuffled in the open",
        [
            "(repeat 3 (move (top (game iloc STOCK)) (top (game vloc Z))))",
            "(shuffle (game vloc Z))",
        ],
        {7: {0, 1, 2}, 5: {0, 1, 2}},
    ),
    ("riffled", [DEAL, OPEN, "(shuffle faro ((1 player) iloc HAND))"], {4: {0, 1, 2}}),
    (
        "remembered",
        [DEAL, "(remember (top ((1 player) iloc HAND)) (top (game mem M)))"],
        {4: {0, 1, 2}, 5: {1}},
    ),
    (
        "swapped by place",
        [DEAL, OPEN, "(swap (top ((1 player) iloc HAND)) (top ((2 player) iloc HAND)))"],
        {4: {0, 1, 2}, 2: {1, 2}, 5: {0, 1, 2}, 3: {2}},
    ),
    (
        "swapped by what it is",
        [DEAL, OPEN, f"(all {FIRST_FIVE} 'C (swap 'C (top (game iloc STOCK))))"],
        {5: {1}, 4: {1}, 1: {1}},
    ),
    (
        "locations swapped",
        [DEAL, OPEN, "(swap ((1 player) iloc HAND) ((2 player) iloc HAND))"],
        {4: {0, 1, 2}, 5: {0, 1, 2}, 3: {1, 2}, 2: {1, 2}},
    ),
    (
        "out of a list of what lies there",
        [DEAL, OPEN, "(let ((1 player) iloc HAND) 'L (move (top 'L) (top (game hloc Z))))"],
        {4: {1}, 5: {1}},
    ),
]


@pytest.mark.parametrize(
    ("actions", "known"), [k[1:] for k in KNOWLEDGE], ids=[k[0] for k in KNOWLEDGE]
)
def test_knowledge(actions: list[str], known: dict[int, set[int]]) -> None:
    text = game(do(*actions), choice("(turn pass)"), deck=DARK)
    oracle = Oracle(read(text), 0)
    assert oracle.status == "playing"
    assert {card: set(oracle.knowers(card)) for card in known} == known


# -- the files of the language's authors -----------------------------------------------------

MICRO = SHARED / "corpus" / "recycle" / "micro"
"""Not part of this project; the tests are skipped where it is not."""

MICRO_SCORES = {
    "T1a": (1, 0),
    "T2": (104, 0, 0, 0),
    "T2b": (101, 1, 0, 0),
    "T3": (3, 3),
    "T4": (1, 0, 0),
    "T7": (1, 1),
    "T9": (2, 16),
    "T10": (6, 16),
    "T12": (300, 0),
    "T15": (2, 3, 1),
    "T16": (1, 0),
}


def micro(name: str) -> Program:
    path = MICRO / f"{name}.rcy"
    if not path.exists():
        pytest.skip("the corpus is not here")
    return read(path.read_text(), path.name)


@pytest.mark.parametrize("name", MICRO_SCORES)
def test_micro(name: str) -> None:
    """Whatever is chosen, the result is the same."""
    parsed = micro(name)
    for seed in range(5):
        oracle = Oracle(parsed, seed)
        while oracle.status == "playing":
            oracle.play(seed % len(oracle.options()))
        assert (oracle.status, tuple(oracle.scores)) == ("finished", MICRO_SCORES[name])


def test_micro_all_options_lead_somewhere() -> None:
    assert len(Oracle(micro("T1a"), 1).options()) == 4


def test_micro_cards_moved_while_going_through_them() -> None:
    for option in range(4):
        oracle = Oracle(micro("T13"), 1)
        oracle.play(option)
        assert oracle.status == "finished"
        assert oracle.piles["game", "vloc", "Y", 0] == [option]
        assert ("game", "vloc", "Z", 0) not in oracle.piles


def test_micro_dead_end() -> None:
    oracle = Oracle(micro("T14"), 1)
    assert oracle.status == "dead end"
    assert oracle.problem is not None


def test_micro_ties() -> None:
    parsed, games, wins = micro("T5"), 900, [0, 0, 0]
    for seed in range(games):
        oracle = Oracle(parsed, seed)
        oracle.play(0)
        wins[oracle.scores.index(1)] += 1
    assert all(abs(count - games / 3) < 4 * (games * 2 / 9) ** 0.5 for count in wins)


def test_micro_shuffle_in_an_option() -> None:
    """Drawn for real when the option is played: each draws the ace a quarter of the time."""
    parsed, games, aces = micro("T8"), 900, [0, 0]
    for seed in range(games):
        oracle = Oracle(parsed, seed)
        while oracle.status == "playing":
            assert len(oracle.options()) == 1
            oracle.play(0)
        aces = [count + score for count, score in zip(aces, oracle.scores, strict=True)]
    assert all(abs(count - games / 4) < 4 * (games * 3 / 16) ** 0.5 for count in aces)
