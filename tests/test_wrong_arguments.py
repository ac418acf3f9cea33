"""Every public function names an argument of a wrong kind, instead of failing within."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import kibitz
from kibitz.core.errors import KibitzError

TOE = "tic-tac-toe"

CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "play": lambda: {"game": TOE},
    "playtest": lambda: {"game": TOE, "games": 2},
    "playtest_variants": lambda: {"game": TOE, "vary": {"size": [3]}, "games": 2},
    "record": lambda: {"game": TOE},
    "compare": lambda: {"variants": {"one": TOE, "other": TOE}, "games": 2},
    "ladder": lambda: {"game": TOE, "agents": "random osla", "games": 2},
    "tournament": lambda: {"tables": TOE, "agents": "random osla", "games": 2},
    "exploitability": lambda: {"game": "kuhn-poker", "iterations": 1},
    "certify": lambda: {"game": "kuhn-poker", "states": 1, "swaps": 1, "outputs": 0, "sets": 0},
    "check": lambda: {"game": "nim", "games": 1},
    "study": lambda: {"game": TOE, "budget": "random=5,iterations=2,skilled=0"},
    "tune": lambda: {"problem": problem(), "games": 50},
    "AgentProblem": lambda: {"game": TOE, "agent": "mcts:iterations=2"},
    "GameProblem": lambda: {"game": TOE, "goals": ["fairness<=1"]},
    "Session": lambda: {"table": TOE, "seats": ["random", None]},
    "draw": lambda: {"state": kibitz.load(TOE).new_state(), "seat": 0},
    "perft": lambda: {"state": kibitz.load(TOE).new_state(), "depth": 1},
    "replay": lambda: {"record": recorded()},
    "transcript": lambda: {"record": recorded()},
    "load": lambda: {"what": TOE},
    "games": dict,
    "agents": dict,
    "make_agent": lambda: {"spec": "osla"},
}
"""The arguments of a quick call of each function."""

WRONG = (object, 1.5, {3: 3}, "?")

ANY_TEXT_OR_NUMBER = {
    ("games", "word"),
    ("games", "category"),
    ("games", "mechanic"),
    ("agents", "word"),
    ("study", "seconds"),
}

OF_OTHER_KINDS = {"progress", "left_out", "out", "stop"}
"""Callbacks, folders and the word that stops games in another thread."""


@cache
def problem() -> kibitz.AgentProblem:
    return kibitz.AgentProblem(TOE, "mcts:iterations=2")


@cache
def recorded() -> kibitz.Record:
    return kibitz.record(TOE)


@pytest.mark.parametrize("verb", CALLS)
def test_a_wrong_argument_is_an_error_of_ours(verb: str) -> None:
    function = getattr(kibitz, verb)
    for name in inspect.signature(function).parameters:
        if name in OF_OTHER_KINDS or (verb, name) in ANY_TEXT_OR_NUMBER:
            continue
        for value in WRONG:
            call = f"{verb}({name}={value!r})"
            try:
                result = function(**CALLS[verb]() | {name: value})
                list(result) if inspect.isgenerator(result) else None
            except KibitzError:
                continue
            except Exception as problem:
                pytest.fail(f"{call} raised {problem!r}")
            pytest.fail(f"{call} was accepted")


@pytest.mark.parametrize("verb", CALLS)
def test_an_unknown_keyword_is_named(verb: str) -> None:
    with pytest.raises(TypeError, match="gmaes"):
        getattr(kibitz, verb)(**CALLS[verb](), gmaes=3)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: kibitz.draw(TOE, 0), "state = 'tic-tac-toe' should be a state"),
        (lambda: kibitz.tune("agram"), "problem = 'agram' should be an AgentProblem"),
        (lambda: kibitz.study(TOE, budget=100), "budget = 100 should be a text such as 'random="),
        (lambda: kibitz.playtest(TOE, record=True), "record = True should be a name, or a list"),
        (lambda: kibitz.playtest(TOE, rotate="no"), "rotate = 'no' should be True or False"),
        (
            lambda: kibitz.tournament(TOE, "osla random", games=2, randomize={"toe": "size"}),
            "There is no table 'toe'",
        ),
        (
            lambda: kibitz.tournament(TOE, "osla random", games=2, randomize={TOE: ["sice"]}),
            "no parameter 'sice'. Did you mean 'size'",
        ),
        (
            lambda: kibitz.load(TOE).table(parameters={"size": 4}, size=5),
            "size is given twice: in parameters, and by keyword",
        ),
        (lambda: kibitz.load(kibitz.load(TOE), language="gdl"), "language = 'gdl' is for a text"),
        (lambda: kibitz.check("agram", games=0, actions=-1), "actions = -1 should be 1 or more"),
        (lambda: kibitz.check("agram", games=0, seed="1"), "seed = '1' should be"),
        (lambda: kibitz.check("agram", games=0, players="2"), "players = '2' should be"),
    ],
)
def test_a_mistake_is_named_with_its_cure(call: Callable[[], object], says: str) -> None:
    with pytest.raises(KibitzError, match=re.escape(says)):
        call()


def test_judged_games_are_recorded() -> None:
    assert kibitz.playtest(TOE, games=4, judged=3)["judged_games"] == 3
    assert kibitz.playtest(TOE, games=2, judge="rollouts:samples=2")["judged_games"] == 2


def test_a_game_is_loaded_from_an_object_of_it() -> None:
    game = kibitz.load(TOE)
    assert kibitz.load(game) is kibitz.load(game.table()) is game
    assert not kibitz.load(game, compiled=False).compiled
