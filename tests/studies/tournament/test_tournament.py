"""Tournaments: matches, seats, deals, folders, reports."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reporting import as_markdown, as_page

import kibitz
from kibitz.core.agent import make_agents
from kibitz.core.errors import AgentError, FileError, ParameterError
from kibitz.core.game import Table
from kibitz.reports import document_of
from kibitz.runs import Experiment
from kibitz.studies.tournament import (
    DecisionBudget,
    Format,
    Match,
    Rating,
    Ratings,
    StoppingRule,
    TableResult,
    Tournament,
    rate,
    tournaments_by_budget,
)
from kibitz.studies.tournament.formats import Pair, knock_out_round
from kibitz.studies.tournament.playing import number_of_games
from kibitz.studies.tournament.sentences import best_by_time, sentences
from kibitz.studies.tournament.tables import ranking

DASH = "\N{EN DASH}"
AGENTS = ["random", "osla", "first-legal"]


@pytest.fixture(scope="module")
def tables() -> dict[str, Table]:
    return {"toe": kibitz.load("tic-tac-toe").table(), "agram": kibitz.load("agram").table(2)}


@pytest.fixture(scope="module")
def cup(tables: dict[str, Table]) -> Tournament:
    return kibitz.tournament(tables, AGENTS, games=101, seed=2)


def test_each_pair_meets_as_often_in_each_seat(cup: Tournament) -> None:
    for table in cup.tables:
        assert [(match.one, match.other) for match in table.matches] == [(0, 1), (0, 2), (1, 2)]
        assert {match.games for match in table.matches} == {102}
        assert [rating.games for rating in table.ratings.players] == [204] * 3
    assert cup.overall is not None
    assert [rating.games for rating in cup.overall.players] == [408] * 3


def test_shares_are_seen_from_both_sides(cup: Tournament) -> None:
    table = cup.tables[0]
    for player, other in ((0, 1), (1, 2)):
        mine, theirs = table.share(player, other), table.share(other, player)
        assert mine is not None
        assert theirs is not None
        assert mine[0] + theirs[0] == pytest.approx(1)
        assert mine[1][0] == pytest.approx(1 - theirs[1][1])


def test_one_look_ahead_is_the_strongest_at_tic_tac_toe(cup: Tournament) -> None:
    elo = [rating.elo for rating in cup.tables[0].ratings.players]
    assert elo[1] == max(elo)
    assert sum(elo) == pytest.approx(0)


def test_with_more_players_one_meets_several_of_the_other_kind() -> None:
    table = kibitz.load("agram").table(3)
    result = kibitz.tournament({"agram": table}, ["random", "first-legal"], games=9).tables[0]
    assert [(match.one, match.other) for match in result.matches] == [(0, 1), (1, 0)]
    assert number_of_games(table, 2, 9) == sum(match.games for match in result.matches)
    assert result.fair == pytest.approx(1 / 3)


def test_a_tournament_in_a_folder_goes_on(
    tables: dict[str, Table], cup: Tournament, tmp_path: Path
) -> None:
    stored = kibitz.tournament(tables, AGENTS[:2], games=101, seed=2, out=tmp_path)
    files = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.parquet")}
    again = kibitz.tournament(tables, AGENTS[:2], games=101, seed=2, out=tmp_path)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.parquet")} == files
    for original, other, direct in zip(stored.tables, again.tables, cup.tables, strict=True):
        assert original.matches == other.matches
        assert original.matches[0] == direct.matches[0]  # the same games


@pytest.mark.parametrize("sure", [None, StoppingRule(0.99, 0.01)])
def test_a_kept_tournament_is_asked_for_more_games(
    sure: StoppingRule | None, tables: dict[str, Table], tmp_path: Path
) -> None:
    out = tmp_path / "cup"
    toe = {"toe": next(iter(tables.values()))}
    kibitz.tournament(toe, ["random", "first-legal"], games=24, out=out, sure=sure)
    files = {file: file.read_bytes() for file in out.rglob("*.parquet")}
    more = kibitz.tournament(toe, ["random", "first-legal"], games=120, out=out, sure=sure)
    assert files.items() <= {file: file.read_bytes() for file in out.rglob("*.parquet")}.items()
    straight = kibitz.tournament(toe, ["random", "first-legal"], games=120, sure=sure)
    assert more.tables[0].matches == straight.tables[0].matches
    with pytest.raises(FileError, match="with games = 120, not 24"):
        kibitz.tournament(toe, ["random", "first-legal"], games=24, out=out, sure=sure)


def test_a_tournament_is_kept_apart_from_other_files(
    tables: dict[str, Table], tmp_path: Path
) -> None:
    toe = {"toe": next(iter(tables.values()))}
    (tmp_path / ".hidden").touch()
    kibitz.tournament(toe, ["random", "first-legal"], games=4, out=tmp_path)
    kibitz.tournament(toe, ["random", "osla"], games=4, out=tmp_path)  # one of its own
    (tmp_path / "notes.txt").touch()
    with pytest.raises(FileError, match=r"not an empty folder, it holds 'notes\.txt'; choose"):
        kibitz.tournament(toe, ["random", "first-legal"], games=4, out=tmp_path)
    [match, *_] = (place for place in tmp_path.iterdir() if place.is_dir())
    with pytest.raises(FileError, match=r"it holds 'games', 'ledger\.jsonl', 'options' and more"):
        kibitz.tournament(toe, ["random", "first-legal"], games=4, out=match)
    with pytest.raises(FileError, match=r"it holds 'notes\.txt'"):
        tournaments_by_budget(toe, ["mcts", "osla"], ["2it"], games=4, out=tmp_path)


def test_an_interrupt_keeps_complete_tables(
    tables: dict[str, Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    def progress(match: str, games: int, total: int) -> None:
        assert games <= total == sum(number_of_games(t, 3, 10) for t in tables.values())
        if match.startswith("agram"):
            raise KeyboardInterrupt

    tournament = kibitz.tournament(tables, AGENTS, games=10, progress=progress)
    assert tournament.interrupted
    assert [table.label for table in tournament.tables] == ["toe"]
    assert "Stopped after 1 table." in as_markdown(tournament)


def test_what_cannot_be_played_is_refused(tables: dict[str, Table]) -> None:
    with pytest.raises(ParameterError, match="two agents or more"):
        kibitz.tournament(tables, ["random"])
    with pytest.raises(ParameterError, match="each of them once"):
        kibitz.tournament(tables, ["random", "random"])
    with pytest.raises(AgentError, match="plays love-letter only"):
        kibitz.tournament(tables, ["random", "love-letter-reflex"])
    with pytest.raises(ParameterError, match="format = 'swiss' should be round-robin"):
        kibitz.tournament(tables, AGENTS, format="swiss")  # type: ignore[arg-type]
    alone = {"puzzle": kibitz.load("sliding-puzzle").table()}
    with pytest.raises(ParameterError, match="nobody to compete with"):
        kibitz.tournament(alone, AGENTS)


def test_json_and_markdown_have_everything(cup: Tournament) -> None:
    document = json.loads(json.dumps(cup.to_json()))
    assert [len(table["matches"]) for table in document["tables"]] == [3, 3]
    assert len(document["overall"]) == 3
    text = as_markdown(cup)
    assert text.count("### ") == 3
    assert all(text.count(agent) >= 3 for agent in AGENTS)


def test_circles_are_told() -> None:
    flat = Ratings(
        tuple(Rating(0.0, (-50.0, 50.0), 200, 100.0) for _ in range(3)),
        0.0, None, 1e-9, np.ones(1), np.zeros((1, 3)), np.eye(3)[None] * 600,
    )  # fmt: skip
    matches = (Match(0, 1, 100, 80.0, 0), Match(1, 2, 100, 80.0, 0), Match(0, 2, 100, 20.0, 3))
    table = TableResult("rps", "Scissors", 2, {}, matches, flat, (None, None, None))
    texts = [text for text, _ in sentences(Tournament(("a", "b", "c"), 100, 0, (table,), False))]
    assert "Scissors: in circles: a beats b, that beats c, and that beats a." in texts
    assert any("who wins depends on the opponent" in text for text in texts)
    assert any("3 games were not finished" in text for text in texts)


def test_partners_are_the_same_agent_in_a_tournament_of_teams() -> None:
    table = kibitz.load("whist").table(4)
    assert {frozenset(team) for team in table.sides} == {frozenset({0, 2}), frozenset({1, 3})}
    tournament = kibitz.tournament(
        {"whist": table}, ["random", "first-legal"], games=30, format=Format.TEAMS
    )
    result = tournament.tables[0]
    [match] = result.matches  # one tells both
    assert match.games == 32
    assert result.fair == 0.5
    assert result.sides == 2
    assert 0 < match.share < 1
    mine, theirs = result.share(0, 1), result.share(1, 0)
    assert mine is not None
    assert theirs is not None
    assert mine[0] + theirs[0] == pytest.approx(1)
    assert sum(rating.wins for rating in result.ratings.players) == pytest.approx(32)
    assert "Partners are the same agent." in as_markdown(tournament)


def test_a_deal_of_teams_is_played_as_often_as_they_can_change_seats() -> None:
    """Else the third game of a deal would be the first one again."""
    table = kibitz.load("whist").table(4)
    agent, other = make_agents(["random", "first-legal"], 2)
    for seated, games in (
        ([agent, other, agent, other], 2),
        ([agent, other, other, other], 4),
        ([agent, agent, agent, agent], 4),
    ):
        experiment = Experiment.of(table, seated, 8, duplicate=True)
        assert experiment.deal_games == games
        seeds = kibitz.play(table, seated, 8, 0).results["seed"]
        assert len(set(seeds.tolist())) == 8  # without duplicates each game has its own


def test_teams_need_a_game_that_has_them(tables: dict[str, Table]) -> None:
    with pytest.raises(ParameterError, match="no fixed teams"):
        kibitz.tournament(tables, AGENTS, format=Format.TEAMS)


@pytest.mark.parametrize(
    ("chosen", "pairs"),
    [(Format.FIELD, [(0, 1), (0, 2)]), (Format.LADDER, [(0, 1), (1, 2)])],
)
def test_who_meets_whom(tables: dict[str, Table], chosen: Format, pairs: list[Pair]) -> None:
    toe = {"toe": tables["toe"]}
    result = kibitz.tournament(toe, AGENTS, games=10, format=chosen).tables[0]
    assert [(match.one, match.other) for match in result.matches] == pairs
    assert result.alpha_rank == ()  # not all have met
    three = {"agram": kibitz.load("agram").table(3)}
    both = kibitz.tournament(three, AGENTS, games=6, format=chosen).tables[0]
    assert {(m.one, m.other) for m in both.matches} == {*pairs, *((b, a) for a, b in pairs)}
    assert number_of_games(three["agram"], 3, 6, chosen) == sum(m.games for m in both.matches)


@pytest.mark.parametrize("sure", [None, StoppingRule(0.9)])
def test_a_knock_out(tables: dict[str, Table], sure: StoppingRule | None) -> None:
    """One look ahead beats the others."""
    entered = ["first-legal", "random", "osla", "osla:samples=2"]
    table = {"toe": tables["toe"]}
    result = kibitz.tournament(
        table, entered, games=60, format=Format.KNOCK_OUT, sure=sure
    ).tables[0]
    assert [len(pairs) for pairs in result.rounds] == [2, 1]
    assert result.rounds[-1][0][0] in (2, 3)
    losers = [loser for pairs in result.rounds for _, loser in pairs]
    assert len(set(losers)) == 3  # everybody but the winner loses once
    assert result.rounds[-1][0][0] not in losers
    assert "wins the knock-out" in as_markdown(
        Tournament(tuple(entered), 60, 0, (result,), False, sure, Format.KNOCK_OUT)
    )


@given(st.integers(2, 40), st.randoms(use_true_random=False))
def test_a_knock_out_of_any_size_leaves_one(agents: int, rng: random.Random) -> None:
    alive = list(range(agents))
    played = 0
    while len(alive) > 1:
        through, pairs = knock_out_round(alive)
        assert sorted([*through, *(k for pair in pairs for k in pair)]) == alive
        assert played == 0 or not through  # only in the first round somebody is free
        played += len(pairs)
        alive = sorted([*through, *(rng.choice(pair) for pair in pairs)])
    assert played == agents - 1


def test_tables_of_other_sizes_have_an_overall_rating(tables: dict[str, Table]) -> None:
    mixed = {"toe": tables["toe"], "agram": kibitz.load("agram").table(3)}
    tournament = kibitz.tournament(mixed, AGENTS, games=30)
    assert tournament.overall is not None
    for k, rating in enumerate(tournament.overall.players):
        ratings = [table.ratings.players[k] for table in tournament.tables]
        assert rating.elo == pytest.approx(sum(by_table.elo for by_table in ratings) / 2, abs=1e-6)
        assert rating.games == sum(by_table.games for by_table in ratings)


def test_ratings_of_kinds_are_means_over_their_tables() -> None:
    def result(label: str, kinds: tuple[str, ...], wins: int) -> TableResult:
        seats = np.array([[0, 1]] * 100)
        won = np.array([[1.0, 0.0]] * wins + [[0.0, 1.0]] * (100 - wins))
        rated = rate(seats, won, 2)
        return TableResult(label, label, 2, {}, (), rated, (None, None), kinds=kinds)

    results = (result("a", ("cards", "x"), 80), result("b", ("x",), 60), result("c", ("x",), 20))
    tournament = Tournament(("one", "two"), 100, 0, results, False)
    assert tournament.kinds == {}  # all have x, and only one has cards
    more = Tournament(("one", "two"), 100, 0, (*results, result("d", ("cards",), 50)), False)
    assert set(more.kinds) == {"cards", "x"}
    points = [table.ratings.players[0].elo for table in results]
    twins = [replace(table, kinds=(*table.kinds, "y")) for table in results]
    assert set(replace(more, tables=(*twins, more.tables[-1])).kinds) == {"cards", "x, y"}
    assert "By kind of game" in as_markdown(more)
    assert more.kinds["x"].players[0].elo == pytest.approx(np.mean(points))
    errors = [table.ratings.covariances[0][0][0] for table in results]
    assert more.kinds["x"].covariances[0][0][0] == pytest.approx(sum(errors) / 9)


def test_luck_is_taken_out_of_shares() -> None:
    """Fewer games give the same certainty, in either order of the agents."""
    table = {"kuhn": kibitz.load("kuhn-poker").table()}
    agents = ["random", "osla"]
    back = kibitz.tournament(table, agents[::-1], games=200, control=True).tables[0].matches[0]
    assert back.controlled is not None
    assert back.controlled.gain > 1.5
    plain = kibitz.tournament(table, agents, games=200).tables[0].matches[0]
    judged = kibitz.tournament(table, agents, games=200, control=True).tables[0].matches[0]
    assert judged.wins == plain.wins  # the same games
    assert judged.controlled is not None
    assert judged.share == pytest.approx(judged.controlled.share)
    assert judged.interval[1] - judged.interval[0] < plain.interval[1] - plain.interval[0]
    assert plain.interval[0] - 0.05 < judged.share < plain.interval[1] + 0.05
    with pytest.raises(ParameterError, match="not both"):
        kibitz.tournament(table, agents, control=True, sure=StoppingRule())


def test_strength_against_time(tables: dict[str, Table], tmp_path: Path) -> None:
    toe = {"toe": tables["toe"]}
    budgets = [DecisionBudget.of("40it"), DecisionBudget.of("2it")]
    agents = ["mcts", "osla", "random"]
    by_budget = tournaments_by_budget(toe, agents, budgets, games=20, out=tmp_path)
    assert [str(budget) for budget in by_budget.budgets] == ["2 iterations", "40 iterations"]
    [table] = by_budget.tables()
    assert [result.played_as[0] for result in table] == ["mcts:iterations=2", "mcts:iterations=40"]
    assert by_budget.anchor(table) == 1  # the strongest of those that do not search
    assert by_budget.points(table[0], 1, 1)[0] == 0
    points, (low, high) = by_budget.points(table[1], 0, 1)
    assert low < points < high
    # osla and random meet with both budgets: the same games
    assert table[0].matches[-1] == table[1].matches[-1]
    again = tournaments_by_budget(toe, agents, budgets, games=20, out=tmp_path)
    assert [t.matches for t in again.tables()[0]] == [t.matches for t in table]
    document = json.loads(json.dumps(by_budget.to_json()))
    assert len(document["strength"][0]["budgets"]) == 2
    assert "mcts" in as_markdown(by_budget)


def test_budgets_of_time_become_iterations_that_are_kept(
    tables: dict[str, Table], tmp_path: Path
) -> None:
    budget = DecisionBudget.of("0.2ms")
    [mcts, osla] = make_agents(["mcts", "osla"], 2)
    assert budget.given(osla, "toe", tables["toe"]) is osla
    given_once = budget.given(mcts, "toe", tables["toe"], tmp_path)
    assert given_once.label.startswith("mcts:iterations=")
    assert budget.given(mcts, "toe", tables["toe"], tmp_path).label == given_once.label
    [limited] = make_agents(["mcts:iterations=5"], 1)
    with pytest.raises(AgentError, match="budget of its own"):
        budget.given(limited, "toe", tables["toe"])
    for text in ("", "x", "-1", "0", "1.5it"):
        with pytest.raises(ParameterError, match="is no time"):
            DecisionBudget.of(text)
    with pytest.raises(ParameterError, match="all milliseconds, or all iterations"):
        tournaments_by_budget(tables, ["mcts", "osla"], ["1", "1it"])


def test_where_nobody_has_a_choice_that_is_said() -> None:
    """And agents that search have a budget all the same: there is nothing to measure it by."""
    table = kibitz.load("pairs-round").table(2)
    [mcts] = make_agents(["mcts"], 1)
    assert DecisionBudget.of("1").given(mcts, "pairs", table).label == "mcts:iterations=1"
    by_budget = tournaments_by_budget(
        {"pairs": table}, ["random", "mcts"], [DecisionBudget.of("1")], games=10
    )
    [tournament] = by_budget.tournaments
    assert not tournament.tables[0].decided
    words = "nobody had a choice, so that luck decided all games"
    assert words in as_markdown(tournament)
    assert [text for text, _ in best_by_time(by_budget)] == [
        f"{tournament.tables[0].title}, 2 players: {words}."
    ]


def test_short_times_for_a_decision_have_a_small_unit(cup: Tournament) -> None:
    table = replace(cup.tables[0], seconds=(2.38e-7, 0.0123, None))
    assert sorted(row[-1] for row in ranking(cup, table).rows) == ["12 ms", "238 ns", DASH]


def test_nobody_leads_by_nothing() -> None:
    rated = rate(np.array([[0, 1]] * 20), np.array([[1.0, 0.0], [0.0, 1.0]] * 10), 2)
    table = TableResult("toe", "Toe", 2, {}, (Match(0, 1, 20, 10.0, 0),), rated, (None, None))
    [(text, _)] = sentences(Tournament(("a", "b"), 20, 0, (table,), False))
    assert text.startswith("Toe, 2 players: a and b are level; one may lead by ")


def test_pages_have_all_plots(cup: Tournament) -> None:
    pytest.importorskip("altair")
    page = as_page(cup)
    names = [plot.name for plot in document_of(cup).plots()]
    assert names == ["ratings-1", "cross-1", "ratings-2", "cross-2", "overall", "by-table"]
    assert page.count('role="img"') == 6
    for name in ("table-1", "table-2", "overall"):
        assert page.count(f'id="{name}"') == page.count(f'href="#{name}"') == 1
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_alpha_rank_is_there_where_agents_go_in_circles() -> None:
    wins = {(0, 1): 80.0, (1, 2): 80.0, (0, 2): 20.0}
    matches = tuple(Match(a, b, 100, won, 0) for (a, b), won in wins.items())
    seats = np.array([[a, b] for a, b in wins for _ in range(100)])
    won = np.array(
        [[1.0, 0.0] if k < w else [0.0, 1.0] for w in wins.values() for k in range(100)]
    )
    table = TableResult("rps", "Rps", 2, {}, matches, rate(seats, won, 3), (None,) * 3)
    assert [rank.share for rank in table.alpha_rank] == pytest.approx([1 / 3] * 3, abs=0.01)
    tournament = Tournament(("a", "b", "c"), 100, 0, (table,), False)
    assert "Alpha-rank" in as_markdown(tournament)
    pytest.importorskip("altair")
    assert 'aria-label="Rps, 2 players: alpha-rank"' in as_page(tournament)
