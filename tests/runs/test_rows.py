"""Rows as tables: what each column holds, and that rows come back from their tables."""

from __future__ import annotations

import numpy as np
import pytest

from kibitz.core.agent import ADVICE_ITEM, make_agents
from kibitz.core.registry import load
from kibitz.core.status import Status
from kibitz.runs import Experiment, Rows, Shard, ThreadRunner

TABLE = load("tic-tac-toe").table()
PARTS = ("games", "seats", "options", "decisions", "judgements", "times")


def played(*record: str) -> Rows:
    """The rows of games 4 and 5 of a run, between an agent with opinions and one without."""
    agents = make_agents(["osla", "random"], 2)
    experiment = Experiment.of(TABLE, agents, 6, seed=3, record=record)
    rows: list[Rows] = []
    ThreadRunner(experiment, TABLE, agents, workers=1).play(rows.append, [Shard(4, 2)])
    [shard] = rows
    return shard


@pytest.fixture(scope="module")
def rows() -> Rows:
    """Rows with every kind of entry: the second game is marked as failed."""
    rows = played("decisions", "judgements")
    rows.results["culprit"] = [-1, 1]
    rows.results["successors"] = [-1, 7]
    rows.results["status"][1] = Status.FULL_BUFFER
    return rows


def test_games_and_seats_count_from_the_first_of_the_shard(rows: Rows) -> None:
    games = rows.games().to_pydict()
    assert games["game"] == [4, 5]
    assert games["status"] == ["finished", "full_buffer"]
    assert games["culprit"] == [None, 2]
    assert games["successors"] == [None, 7]
    seats = rows.seats().to_pydict()
    assert seats["game"] == [4, 4, 5, 5]
    assert seats["seat"] == [1, 2, 1, 2]
    assert sorted(seats["agent"]) == [1, 1, 2, 2]
    options = rows.options().to_pydict()
    assert set(options["shard"]) == {4}
    assert options["action"] == list(range(1, len(options["shard"]) + 1))
    assert options["options"][:3] == [18, 16, 14]  # of two games
    assert options["options_squared"][:3] == [162, 128, 98]


def test_decisions_have_the_index_and_the_code_of_the_choice(rows: Rows) -> None:
    made = rows.decisions_made
    table = rows.decisions().to_pydict()
    assert table["action"] == (made["action"] + 1).tolist()
    assert table["seat"] == (made["seat"] + 1).tolist()
    assert table["chosen"] == (made["chosen"] + 1).tolist()
    assert 1 in table["chosen"]  # the first option
    assert [len(opinions) for opinions in table["opinions"]] == made["opinions"].tolist()
    for code, chosen, opinions in zip(
        table["code"], table["chosen"], table["opinions"], strict=True
    ):
        assert not opinions or opinions[chosen - 1]["code"] == code


def test_rows_come_back_from_their_tables(rows: Rows) -> None:
    tables = {name: getattr(rows, name)() for name in PARTS}
    again = Rows.from_tables(rows.shard, 2, tables)
    assert {name: getattr(again, name)() for name in PARTS} == tables
    assert again.results.tobytes() == rows.results.tobytes()
    assert (again.results["nanoseconds"] > 0).all()
    assert again.decisions_made.tobytes() == rows.decisions_made.tobytes()
    assert again.opinions.tobytes() == rows.opinions.tobytes()
    assert again.steps.tobytes() == rows.steps.tobytes()
    assert again.judged_options.tobytes() == rows.judged_options.tobytes()
    assert np.array_equal(again.branching, rows.branching)


def test_only_what_is_recorded_is_there() -> None:
    shard = played()
    assert len(shard.decisions_made) == len(shard.opinions) == len(shard.steps) == 0
    assert shard.opinions.dtype == ADVICE_ITEM
    assert shard.event_table is None
