"""The five verdicts of a study, on games whose truth is known."""

from __future__ import annotations

import functools

from tests.recycle.programs import choice, do, game, stage

import kibitz
from kibitz.recycle.game import RecycleGame
from kibitz.reports import Mark
from kibitz.studies.study import Study
from kibitz.studies.study_report import document
from kibitz.studies.verdicts import verdicts
from kibitz.syntax.source import Source

HEAP = "(game vloc HEAP)"
CARDS = "(RANK (A, B, C, D)) (SUIT (W, X, Y, Z))"

NIM = game(
    stage(
        f"(== (size {HEAP}) 0)",
        choice(
            f"(any (range 1 .. 3) 'N ((>= (size {HEAP}) 'N) (do ("
            f"(repeat 'N (move (top {HEAP}) (top (game vloc GONE))))"
            "(set (game sto LAST) (pid (current player)))))))"
        ),
    ),
    do("(inc (((game sto LAST) player) sto SCORE) 1)"),
    players=2,
    deck=f"(create deck {HEAP} (deck {CARDS}))",
)
"""Sixteen matches, of which each player takes one to three: the second player wins."""

HIGHEST = game(
    do(
        "(set (game points V) (((RANK : A) 1) ((RANK : B) 2) ((RANK : C) 3) ((RANK : D) 4)))",
        "(shuffle (game iloc STOCK))",
        "(all player 'P (move (top (game iloc STOCK)) (top ('P iloc HAND))))",
    ),
    stage(
        "(== (game sto TURNS) 4)",
        choice("(any (LEFT, RIGHT) 'X (do ((set (game str X) 'X) (inc (game sto TURNS) 1))))"),
    ),
    do("(all player 'P (inc ('P sto SCORE) (sum ('P iloc HAND) using (game points V))))"),
    players=2,
    deck=f"(create deck (game iloc STOCK) (deck {CARDS}))",
)
"""The higher card wins; what the players choose has no effect."""


@functools.cache
def studied(text: str, budget: str) -> Study:
    table = RecycleGame(Source("game.rcy", text)).table()
    return kibitz.study(table, budget=budget, seed=1)


def marks(study: Study) -> dict[str, Mark]:
    return {verdict.question: verdict.mark for verdict in verdicts(study)}


def texts(study: Study) -> dict[str, str]:
    return {verdict.question: verdict.text for verdict in verdicts(study)}


ENOUGH = (
    "random=400,skilled=120,contest=120,ladder=0,iterations=200,judged=120,samples=4,policies=0"
)


def test_the_second_player_of_nim_wins() -> None:
    study = studied(NIM, ENOUGH)
    assert marks(study) == {
        "Fair?": Mark.LOOK,
        "Length": Mark.GOOD,
        "Choice": Mark.GOOD,
        "Skill": Mark.GOOD,
        "Luck": Mark.GOOD,
    }
    assert texts(study)["Fair?"].startswith("Seat 2 wins 100")
    assert texts(study)["Luck"] == "None: the rules leave nothing to chance."


def test_choices_without_an_effect_are_named() -> None:
    study = studied(HIGHEST, ENOUGH)
    assert marks(study)["Choice"] is Mark.LOOK
    assert (
        texts(study)["Choice"]
        == "2 options a decision, and it does not matter which one is chosen."
    )
    assert marks(study)["Skill"] is Mark.LOOK


def test_few_games_allow_no_verdict() -> None:
    few = "random=40,skilled=6,contest=6,ladder=0,iterations=5,judged=6,samples=2,policies=0"
    study = studied(HIGHEST, few)
    told = marks(study)
    assert {told[name] for name in ("Fair?", "Choice", "Skill", "Luck")} == {Mark.UNKNOWN}
    assert "few" in texts(study)["Fair?"] or "unseen" in texts(study)["Fair?"]


def test_a_group_has_a_success_rate_and_no_rivals() -> None:
    few = "random=30,skilled=6,contest=0,ladder=0,iterations=5,judged=0,samples=2,policies=0"
    study = kibitz.study("pandemic", budget=few, seed=1)
    assert texts(study)["Fair?"].startswith("No rivals: the game is won in ")


def test_the_details_of_a_report_can_be_left_out() -> None:
    report = document(studied(NIM, ENOUGH))
    shown = [section.title for section in report.sections if not section.is_detail]
    assert shown == ["", "What needs attention?"]
    assert len(report.sections) > 8
