"""Suspicions become findings only if other games show them, and nobody is blamed for a choice."""

from __future__ import annotations

import pytest
from tests.recycle.programs import choice, do, game, stage
from tests.studies.known_games import Coin
from tests.studies.test_verdicts import studied

import kibitz
from kibitz.studies.comparison_verdict import Judgement, verdict
from kibitz.studies.flaws import Flaw, FlawKind, confirmed
from kibitz.studies.questions import answers
from kibitz.studies.study import own_seed

SMALL = (
    "random=600,skilled=60,contest=0,ladder=0,iterations=60,judged=60,samples=4,policies=0,"
    "confirmed=60"
)

COINS = "((current player) sto COINS)"
RED = "(== (cardatt C (top (game vloc PILE))) RED)"


def say(words: str) -> str:
    return f"(any ({words}) 'X (set ((current player) str D) 'X))"


FORCED = game(
    do("(shuffle (game iloc STOCK))", "(all player 'P (set ('P sto COINS) 3))"),
    stage(
        "(any player 'P (== ('P sto COINS) 0))",
        do("(move (top (game iloc STOCK)) (top (game vloc PILE)))"),
        choice(
            f"((and {RED} (== {COINS} 1)) (do ({say('BEG, CRY')} (dec {COINS}))))",
            f"((and {RED} (> {COINS} 1)) (do ({say('PAY, SIGH')} (dec {COINS}))))",
            f"((!= (cardatt C (top (game vloc PILE))) RED) {say('LAUGH, SING')})",
        ),
    ),
    do("(all player 'P (inc ('P sto SCORE) ('P sto COINS)))"),
    players=4,
    deck="(repeat 60 (create deck (game iloc STOCK) (deck (C (RED, W, X, Y)))))",
)
"""A card says who pays a coin; what that player says with it has no effect."""


def flaw(kind: FlawKind, subject: str, size: float) -> Flaw:
    return Flaw(kind, subject, f"{size}", "random", size)


def test_a_suspicion_that_other_games_do_not_show_is_no_finding() -> None:
    suspected = [flaw(FlawKind.SEAT, "1", 0.2), flaw(FlawKind.TRAP, "play A", 0.3)]
    again = [flaw(FlawKind.TRAP, "play A", 0.1), flaw(FlawKind.TRAP, "play B", 0.2)]
    assert confirmed(suspected, again) == (again[0],)


def test_each_version_of_a_game_is_confirmed_by_its_own_games() -> None:
    board = kibitz.load("tic-tac-toe")
    seeds = {own_seed(board.table(size=size), seed) for size in (3, 4) for seed in (0, 1)}
    assert len(seeds) == 4


def test_who_is_forced_to_choose_is_not_blamed_for_it() -> None:
    study = studied(FORCED, SMALL)
    options = (FlawKind.TOO_STRONG, FlawKind.TOO_WEAK, FlawKind.TRAP, FlawKind.UNUSED)
    assert not [flaw for flaw in study.flaws if flaw.kind in options]


def test_what_would_have_been_found_is_told() -> None:
    study = kibitz.study(Coin(compiled=False), budget=SMALL, seed=1)
    [attention] = [answer for answer in answers(study) if answer.name == "attention"]
    [sentence] = [text for text, _ in attention.sentences if "was found in" in text]
    assert "They would show a seat that wins" in sentence
    assert "points against the others" in sentence


def test_gains_stay_within_a_win() -> None:
    """Rare options once gained more than a whole win."""
    result = kibitz.playtest("spades", games=25, record=["decisions"])
    gains = [choice for choice in result["choices"] if choice.gain is not None]
    assert gains
    for choice_ in gains:
        low, high = choice_.gain_interval
        assert -1 <= low <= choice_.gain <= high <= 1


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [((3, 3), Judgement.SAME), ((3, 4), Judgement.DIFFERENT)],
)
def test_a_comparison_ends_with_a_verdict(sizes: tuple[int, int], expected: Judgement) -> None:
    board = kibitz.load("tic-tac-toe")
    boards = {f"board {i}": board.table(size=size) for i, size in enumerate(sizes)}
    comparison = kibitz.compare(boards, games=300)
    result = verdict(comparison, 0, comparison.labels)
    assert result.judgement is expected, result.sentence
