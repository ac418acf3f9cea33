"""By which rule games end: each game is ended by the rule that its result shows."""

from __future__ import annotations

import enum
import functools
from typing import ClassVar

import numpy as np
import pytest
from tests.studies import tiny_games

import kibitz
from kibitz.core.randomness import random_below
from kibitz.core.results import draw_game, win
from kibitz.core.state import State
from kibitz.gdl.game import GdlGame
from kibitz.gdl.native import GdlRules
from kibitz.recycle.game import RecycleGame
from kibitz.studies.questions import answers
from kibitz.studies.study_budget import Budget
from kibitz.syntax.source import Source

RACE = """(game
  (declare 2 'NUMP)
  (setup (create players 'NUMP)
    (create deck (game iloc STOCK) (deck (RANK (A, B)))))
  (stage player
    (end (or
      (== (game sto REDS) 3)  ;; three of them
      (or (== (game sto BLUES) 2) (== (game sto BLUES) 9))))
    (choice (
      (inc (game sto REDS) 1)
      (inc (game sto BLUES) 1))))
  (scoring max (game sto REDS)))
"""


def ended_by(game, **options):
    endings = kibitz.playtest(game, games=300, **options)["ended_by"]
    assert sum(ending.share for ending in endings) == pytest.approx(1)
    assert all(ending.interval[0] <= ending.share <= ending.interval[1] for ending in endings)
    return {ending.rule: ending.games for ending in endings}


def test_a_game_in_recycle_names_the_part_of_the_condition_and_its_line():
    game = RecycleGame(Source("race.rcy", RACE))
    table = game.table()
    for seed in range(40):
        state = at_the_end(table, seed)
        rule = table.rules.endings[int(state.view.phase)]
        assert ("REDS" in rule) == (state.view.seat[0].score == 3)  # which is the number of reds
    rules = ended_by(game)
    assert list(rules) == [
        "line 8: (== (game sto BLUES) 2)",
        "line 7: (== (game sto REDS) 3)",
        "line 8: (== (game sto BLUES) 9)",
    ]
    assert rules["line 8: (== (game sto BLUES) 9)"] == 0
    assert rules["line 7: (== (game sto REDS) 3)"] == pytest.approx(300 * 5 / 16, abs=40)


def at_the_end(table, seed, key=None):
    state = table.new_state(seed)
    turn = np.random.default_rng(seed)
    while not state.is_terminal:
        options = sorted(state.legal_actions(), key=key and functools.partial(key, state))
        state.apply(options[turn.integers(len(options))])
    return state


def test_games_in_gdl_name_the_rule_for_terminal():
    playtest = kibitz.playtest("gdl-tic-tac-toe", games=300)
    rules = {ending.rule: ending.games for ending in playtest["ended_by"]}
    draws = round(300 * playtest.tie_rate)
    assert rules == {
        "line 51: (<= terminal (line x))": playtest.seats[0].wins - draws / 2,
        "line 52: (<= terminal (line o))": playtest.seats[1].wins - draws / 2,
        "line 53: (<= terminal (not open))": draws,
    }


def test_the_prover_and_the_network_agree_on_how_games_end():
    game = kibitz.load("gdl-tic-tac-toe")
    slow = GdlGame(game.text)
    slow.rules = GdlRules(game.rules.description, grounded=False)
    for seed in range(5):
        quick, proved = (
            at_the_end(variant.table(), seed, State.action_words) for variant in (game, slow)
        )
        assert quick.view.phase == proved.view.phase > 0


class Ending(enum.IntEnum):
    WON = 7
    DRAWN = 8


class Told(tiny_games.Tiny):
    """A player who goes right wins; the third action is the last one."""

    endings: ClassVar[dict[int, str]] = {
        Ending.WON: "somebody goes right",
        Ending.DRAWN: "nobody does",
    }

    @classmethod
    def apply_action(cls, state, params, action):
        if action >> 8 & 1:
            if random_below(state.rng, 2) == 0:
                state.phase = Ending.WON
            win(state, state.player)
        elif state.tick == 3:
            state.phase = Ending.DRAWN
            draw_game(state)
        else:
            state.player = (state.player + 1) % state.players


def test_games_in_python_have_words_for_phases():
    playtest = kibitz.playtest(Told(compiled=False), games=300)
    rules = {ending.rule: ending.games for ending in playtest["ended_by"]}
    assert set(rules) == {"somebody goes right", "nobody does", "another rule"}
    assert rules["nobody does"] == round(300 * playtest.tie_rate)


def test_games_that_do_not_tell_have_no_list():
    assert kibitz.playtest("tic-tac-toe", games=10)["ended_by"] == ()


def test_a_study_tells_by_which_rule_and_which_never_comes():
    study = kibitz.study("agram", budget=Budget(random=200, skilled=0, contest=0, ladder=0))
    [sentences] = [answer.sentences for answer in answers(study) if answer.name == "end"]
    words = " ".join(sentence.text for sentence in sentences)
    assert "In random play one rule ends every game: line 41: (all player 'P" in words
    assert "In random play no game is ended by: line 42: (and (> 'DECIDER 0)" in words


def test_every_end_of_pandemic_is_told():
    """At random all games are lost, in several ways."""
    rules = ended_by(kibitz.load("pandemic"))
    assert "another rule" not in rules
    assert sum(games > 0 for games in rules.values()) > 1
