"""The game files of the language's authors, where they are at hand: 1,000 random games of each.

The files and the table of what the authors' own engine measured are no part of this project.
"""

from __future__ import annotations

import ctypes
import math
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.recycle.native import mean_and_error, misplaced, options_and_error, play
from tests.shared import SHARED

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.contract import RULES
from kibitz.core.memory import record_at
from kibitz.core.state import components_in_play
from kibitz.core.status import Status
from kibitz.recycle.game import RecycleGame, load
from kibitz.syntax.source import Source, SourceError

CORPUS = SHARED / "corpus" / "recycle"
REFERENCE = SHARED / "reference" / "recycle_corpus.md"
CURRENT = sorted(CORPUS.glob("current/*.rcy"))
PAPER = sorted(CORPUS.glob("paper2016/*"))
pytestmark = pytest.mark.skipif(
    not (CURRENT and PAPER and REFERENCE.is_file()), reason="the corpus is not here"
)

GAMES = 1000
CUT = 500
"""Number of actions after which the original engine ended a game."""

WITHOUT_END = {"Rummy2"}
"""Games that random players hardly ever finish, because of a slip in the name of a location."""

DIFFERENT = {
    "Coup4": "their engine executes options in another order",
    "GoFish2": "their engine passes one card where all of the rank are meant",
    "Poker5": "their engine executes options in another order",
    "Rummy2": "nearly all games are cut off",
    "Spades4": "their engine executes options in another order",
}
"""Files that our engine plays in another way than the original one, and why."""

ILL_FORMED = {"Agram.gdl", "Blackjack.gdl", "NoThanks.gdl"}
"""Files of 2016 that are refused."""


class Measured(NamedTuple):
    """Averages over random games of the original engine."""

    games: int
    actions: float
    options: float


def measured() -> dict[str, list[Measured]]:
    """The reference measurements of each file."""
    by_file: dict[str, list[Measured]] = {}
    for line in REFERENCE.read_text().splitlines() if REFERENCE.is_file() else ():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 7 and re.fullmatch(r"[\d.]+", cells[3]):
            games, row = 40, cells[3:5]
        elif len(cells) == 9 and re.fullmatch(r"\d+", cells[1]):
            games, row = int(cells[1]), cells[2:4]
        else:
            continue
        by_file.setdefault(cells[0], []).append(Measured(games, *map(float, row)))
    return by_file


MEASURED = measured()


def within(value: float, deviation: float, other: float, games: int, digits: int) -> bool:
    """Whether two means are within four standard errors, theirs being rounded."""
    error = deviation * math.sqrt(1 / GAMES + 1 / games)
    return abs(value - other) <= 4 * error + 0.51 * 10**-digits


@pytest.mark.parametrize("file", CURRENT, ids=[file.stem for file in CURRENT])
def test_file(file: Path) -> None:
    played = play(load(file).table(), GAMES)
    assert not played["misplaced"].any()
    ends = set(played["status"].tolist())
    assert ends <= {Status.FINISHED, *([Status.LIMIT] if file.stem in WITHOUT_END else [])}
    if file.stem in DIFFERENT:
        return
    agrees_with_theirs(file.stem, played)


def agrees_with_theirs(name: str, played: np.ndarray) -> None:
    """Their means of actions in a game and of options at an action are ours."""
    options, options_deviation = options_and_error(played)
    assert MEASURED[name]
    for games, their_actions, their_options in MEASURED[name]:
        # the larger samples were not cut off
        actions = np.minimum(played["actions"], CUT) if games == 40 else played["actions"]
        mean, deviation = mean_and_error(actions)
        assert within(mean, deviation, their_actions, games, 2), (mean, their_actions)
        assert within(options, options_deviation, their_options, games, 3), (
            options,
            their_options,
        )


def test_go_fish_with_one_card_passed() -> None:
    """The original engine plays Go Fish in this way."""
    text = (CORPUS / "current" / "GoFish2.rcy").read_text()
    move = r"\(move \(top 'THEIRRANK\)\s*\(top \(game vloc PASSING\)\)\)"
    changed, count = re.subn(rf"\(repeat all\s*({move})\s*\)", r"\1", text)
    assert count == 1
    agrees_with_theirs("GoFish2", play(RecycleGame(Source("GoFish2.rcy", changed)).table(), GAMES))


def test_a_card_that_is_twice_is_noticed() -> None:
    state = load(CURRENT[0]).table().new_state(1)
    marks = (ctypes.c_int64 * 1000)()
    rules = record_at(state.table.address, RULES)
    assert misplaced(rules, state.address, ctypes.addressof(marks)) == 0
    deck = next(view for _, view in components_in_play(state) if getattr(view, "count", 0) > 1)
    deck.cards[0] = deck.cards[1]
    assert misplaced(rules, state.address, ctypes.addressof(marks)) == 2


def test_all_files_are_measured() -> None:
    assert {file.stem for file in CURRENT} <= set(MEASURED)


# --- the dialect of the paper ---------------------------------------------------------------


@pytest.mark.parametrize("file", PAPER, ids=[file.name for file in PAPER])
def test_file_of_the_paper(file: Path) -> None:
    if file.name in ILL_FORMED:
        with pytest.raises(SourceError):
            load(file).table()
        return
    played = play(load(file).table(), 200 if file.stem == "War" else GAMES)
    assert not played["misplaced"].any()
    endless = {"War": {Status.LIMIT}, "DuckSoup": {Status.LIMIT}}
    assert set(played["status"].tolist()) <= {Status.FINISHED, *endless.get(file.stem, ())}


def test_agram_of_the_paper_with_its_slip_mended() -> None:
    text = (CORPUS / "paper2016" / "Agram.gdl").read_text()
    game = RecycleGame(Source("Agram.gdl", text.replace("6 7", "6, 7")))
    played = play(game.table(), GAMES)
    options, deviation = options_and_error(played)
    assert (played["actions"] == 12).all()
    theirs = next(row for row in MEASURED["Agram2"])
    assert within(options, deviation, theirs.options, theirs.games, 3)


def war(name: str, games: int) -> np.ndarray:
    """Results of the paper's War."""
    table = load(CORPUS / "paper2016" / name).table()
    return kibitz.play(table, make_agents(["random"], 2), games, seed=1).results


def test_war_in_fixed_order_goes_round_in_circles() -> None:
    """In 16.8 % of games, the paper says; and 36 of 200 of their engine's."""
    results = war("War.gdl", 2000)
    circular = np.isin(results["status"], (Status.LOOP, Status.LIMIT)).mean()
    error = math.sqrt(0.168 * 0.832 * (1 / 2000 + 1 / 1000))
    assert circular == pytest.approx(0.168, abs=4 * error)
    assert (results["status"] == Status.LOOP).sum() > 0.85 * circular * len(results)
    mean, deviation = mean_and_error(results["ticks"][results["status"] == Status.FINISHED])
    assert mean == pytest.approx(859, abs=4 * deviation * math.sqrt(1 / 1600 + 1 / 200))


def test_war_with_shuffling_does_not() -> None:
    results = war("War2.gdl", 2000)
    assert (results["status"] == Status.FINISHED).all()
    mean, deviation = mean_and_error(results["ticks"])
    assert mean == pytest.approx(266, abs=4 * deviation * math.sqrt(1 / 2000 + 1 / 200))
