"""A player follows a match, whether its rules are ready or not."""

from __future__ import annotations

import time

import pytest

from kibitz.core.errors import KibitzError
from kibitz.gdl import library
from kibitz.gdl.game import GdlGame
from kibitz.ggp.messages import Joint
from kibitz.ggp.players import make_player
from kibitz.ggp.playing import Answer, Playing, Rules


def test_the_first_answer_is_prepared_while_rules_that_take_long_are_grounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules = Rules(library.gdl_tic_tac_toe.text.text)  # no thread grounds them
    playing = Playing("white", rules, make_player("random"), seed=1)
    assert "rule by rule" in playing.get_ready(time.monotonic() + 0.01)

    def too_late(_: Rules) -> GdlGame:
        raise AssertionError("the first position was not prepared")

    monkeypatch.setattr(Rules, "rule_by_rule", too_late)
    suggested: list[Answer] = []
    answer = playing.answer(Joint(None), time.monotonic() + 0.01, suggested.append)
    assert answer.move.startswith("(mark ")
    assert suggested


def test_rules_that_cannot_be_played_on_are_told_of_at_the_first_play() -> None:
    rules = Rules(
        """((role a) (role b) (init s) (legal b x) (<= terminal (not (true s)))
        (<= (legal a x) (not (true s))) (goal a 1) (goal b 2))"""
    )
    playing = Playing("a", rules, make_player("random"), seed=1)
    playing.get_ready(time.monotonic() + 0.01)
    with pytest.raises(KibitzError, match="role a has no legal move"):
        playing.answer(Joint(None), time.monotonic() + 0.01, lambda _: None)
