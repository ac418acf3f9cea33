"""Agents that fail in a tournament lose those games, and the report names the failures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.reporting import as_markdown

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import AgentError, UnratedError
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.runs import Experiment, Rows, ThreadRunner
from kibitz.studies.tournament import Tournament, tournaments_by_budget
from kibitz.studies.tournament.forfeits import Failure, forfeited, note_failures
from kibitz.studies.tournament.report import failure_commands
from kibitz.studies.tournament.sentences import sentences


class Failing(kibitz.Agent):
    """An agent that raises in its third decision or later."""

    name = "failing"

    def choose(self, state: State) -> int:
        if state.tick > 3:
            raise ValueError("no idea")
        return state.legal_actions()[0]


class Cheating(kibitz.Agent):
    """An agent that chooses an illegal action."""

    name = "cheating"

    def choose(self, state: State) -> int:
        return 1 << 40


@pytest.fixture(scope="module")
def toe() -> Table:
    return kibitz.load("tic-tac-toe").table()


@pytest.fixture(scope="module")
def cup(toe: Table) -> Tournament:
    return kibitz.tournament({"toe": toe}, ["osla", "random", Failing(), Cheating()], games=20)


def test_whoever_fails_loses(cup: Tournament) -> None:
    [table] = cup.tables
    assert all(match.games == 20 and match.unfinished == 0 for match in table.matches)
    against_cheating = [match for match in table.matches if match.other == 3]
    assert [match.wins for match in against_cheating] == [20, 20, 20]
    assert table.ratings.players[3].elo == min(rating.elo for rating in table.ratings.players)


def test_failures_are_told_with_their_cause_and_a_command(cup: Tournament) -> None:
    urgent_sentences = [text for text, urgent in sentences(cup) if urgent]
    assert any(t.startswith("Tic-Tac-Toe: failing broke off ") for t in urgent_sentences)
    assert any(t.endswith("games, which it lost: ValueError: no idea.") for t in urgent_sentences)
    assert any(
        t.startswith("Tic-Tac-Toe: cheating broke off 60 games, which it lost: ille")
        for t in urgent_sentences
    )
    commands = [*failure_commands(cup)]
    assert len(commands) == 2
    assert all(
        command.startswith("kibitz record tic-tac-toe --players 2 ") for command in commands
    )
    assert f"    {commands[0]}" in as_markdown(cup)
    document = json.loads(json.dumps(cup.to_json()))
    assert [failure["agent"] for failure in document["tables"][0]["failures"]] == [2, 3]


def test_the_first_failure_is_reproduced_by_its_seed(cup: Tournament, toe: Table) -> None:
    failure = cup.tables[0].failures[0]
    agents = [["osla", "random", Failing(), Cheating()][number] for number in failure.seated]
    with pytest.raises(AgentError, match=r"\(failing\) failed in move \d .*no idea"):
        kibitz.record("tic-tac-toe", agents=agents, seed=failure.seed)


def test_an_agent_that_forgets_to_return_is_told_so(toe: Table) -> None:
    class Forgetful(kibitz.Agent):
        """An agent whose ``choose`` returns nothing."""

        name = "forgetful"

        def choose(self, state: State) -> int:  # type: ignore[return]
            state.legal_actions()

    tournament = kibitz.tournament({"toe": toe}, ["random", Forgetful()], games=2)
    [failure] = tournament.tables[0].failures
    assert "forgetful returned None" in failure.cause


def test_what_is_kept_gives_the_same(toe: Table, tmp_path: Path) -> None:
    tournaments = [
        kibitz.tournament({"toe": toe}, ["random", Failing()], games=20, out=tmp_path / "cup")
        for _ in range(2)
    ]
    assert tournaments[0].tables[0].matches == tournaments[1].tables[0].matches
    assert tournaments[0].tables[0].failures == tournaments[1].tables[0].failures


def test_with_more_players_the_other_side_wins() -> None:
    """One of three agents fails; the agents that differ from it share first place."""
    table = kibitz.load("agram").table(3)
    agents = make_agents(["random", "random", "random"], 3)
    experiment = Experiment.of(table, agents, 6, seed=1, duplicate=True, shard_games=6)
    shards: list[Rows] = []
    ThreadRunner(experiment, table, agents).play(shards.append)
    [rows] = shards
    for number, agent in ((0, 0), (1, 1), (2, 2)):
        rows.results["status"][number] = Status.AGENT_ERROR
        seated = rows.results["seats"]["agent"][number]
        rows.results["culprit"][number] = int(np.flatnonzero(seated == agent)[0])
    settled = forfeited(rows, [0])
    for number in range(3):
        seats = settled.results["seats"][number]
        lost = (seats["agent"] == 0) == (number == 0)
        assert (seats["place"] == np.where(lost, 2, 1)).all()
    assert (settled.results["status"] == Status.FINISHED).all()
    assert (settled.results[3:] == rows.results[3:]).all()
    assert rows.results["status"][0] == Status.AGENT_ERROR
    seats = [tuple(rows.results["seats"]["agent"][number].tolist()) for number in range(3)]
    names = [tuple(5 if seat == 0 else 7 for seat in row) for row in seats]
    seeds = [int(seed) for seed in rows.results["seed"][:2]]
    failures: dict[int, Failure] = {}
    note_failures(failures, rows, [5, 7, 7])
    assert [*failures.values()] == [
        Failure(5, 1, "agent error", seeds[0], names[0]),
        Failure(7, 2, "agent error", seeds[1], names[1]),
    ]


UNENDING = 0
"""With this seed a game of War does not end."""


def test_a_table_at_which_nothing_ends_hides_no_other(toe: Table) -> None:
    endless = kibitz.load("war").table(2)
    with pytest.raises(UnratedError, match="endless: no game"):
        kibitz.tournament({"endless": endless}, ["random", "first-legal"], games=2, seed=UNENDING)
    tables = {"endless": endless, "toe": toe}
    tournament = kibitz.tournament(tables, ["random", "first-legal"], games=2, seed=UNENDING)
    assert [table.label for table in tournament.tables] == ["toe"]
    assert tournament.left_out == ("endless: no game could be finished.",)
    assert ("Left out: endless: no game could be finished.", True) in [*sentences(tournament)]
    curves = tournaments_by_budget(
        tables,
        ["random", "mcts"],
        ["1it", "2it"],
        games=2,
        seed=UNENDING,
    )
    assert [[result.label for result in table] for table in curves.tables()] == [["toe", "toe"]]
