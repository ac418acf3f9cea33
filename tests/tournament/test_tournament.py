"""Tournaments: matches, seats, deals, folders, reports."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import AgentError, ParameterError
from kibitz.core.game import Table
from kibitz.tournament import Tournament, play_tournament
from kibitz.tournament.ratings import Rating, Ratings
from kibitz.tournament.report import render_markdown, sentences
from kibitz.tournament.tournament import Match, TableResult, number_of_matches

AGENTS = ["random", "osla", "first-legal"]


@pytest.fixture(scope="module")
def tables() -> dict[str, Table]:
    return {"toe": kibitz.load("tic-tac-toe").table(), "agram": kibitz.load("agram").table(2)}


@pytest.fixture(scope="module")
def cup(tables: dict[str, Table]) -> Tournament:
    return play_tournament(tables, AGENTS, games=101, seed=2)


def test_each_pair_meets_as_often_in_each_seat(cup: Tournament) -> None:
    for table in cup.tables:
        assert [(match.one, match.other) for match in table.matches] == [(0, 1), (0, 2), (1, 2)]
        assert {match.games for match in table.matches} == {102}
        assert [rating.games for rating in table.ratings.players] == [204] * 3
    assert cup.overall is not None
    assert [rating.games for rating in cup.overall.players] == [408] * 3


def test_shares_are_seen_from_both_sides(cup: Tournament) -> None:
    table = cup.tables[0]
    for one, other in ((0, 1), (1, 2)):
        mine, theirs = table.share(one, other), table.share(other, one)
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
    found = play_tournament({"agram": table}, ["random", "first-legal"], games=9).tables[0]
    assert [(match.one, match.other) for match in found.matches] == [(0, 1), (1, 0)]
    assert number_of_matches(3, 2) == len(found.matches)
    assert found.fair == pytest.approx(1 / 3)


def test_a_tournament_in_a_folder_goes_on(
    tables: dict[str, Table], cup: Tournament, tmp_path: Path
) -> None:
    kept = play_tournament(tables, AGENTS[:2], games=101, seed=2, out=tmp_path)
    files = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.parquet")}
    again = play_tournament(tables, AGENTS[:2], games=101, seed=2, out=tmp_path)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.parquet")} == files
    for one, other, direct in zip(kept.tables, again.tables, cup.tables, strict=True):
        assert one.matches == other.matches
        assert one.matches[0] == direct.matches[0]  # the same games


def test_an_interrupt_keeps_complete_tables(
    tables: dict[str, Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    def tell(match: str, games: int) -> None:
        if match.startswith("agram"):
            raise KeyboardInterrupt

    found = play_tournament(tables, AGENTS, games=10, tell=tell)
    assert found.interrupted
    assert [table.label for table in found.tables] == ["toe"]
    assert "Stopped after 1 table." in render_markdown(found)


def test_what_cannot_be_played_is_refused(tables: dict[str, Table]) -> None:
    with pytest.raises(ParameterError, match="two agents or more"):
        play_tournament(tables, ["random"])
    with pytest.raises(ParameterError, match="each of them once"):
        play_tournament(tables, ["random", "random"])
    with pytest.raises(AgentError, match="plays love-letter only"):
        play_tournament(tables, ["random", "love-letter-reflex"])
    alone = {"puzzle": kibitz.load("sliding-puzzle").table()}
    with pytest.raises(ParameterError, match="nobody to compete with"):
        play_tournament(alone, AGENTS)


def test_json_and_markdown_have_everything(cup: Tournament) -> None:
    document = json.loads(json.dumps(cup.to_json()))
    assert [len(table["matches"]) for table in document["tables"]] == [3, 3]
    assert len(document["overall"]) == 3
    text = render_markdown(cup)
    assert text.count("### ") == 3
    assert all(text.count(agent) >= 3 for agent in AGENTS)


def test_circles_are_told() -> None:
    flat = Ratings(
        tuple(Rating(0.0, (-50.0, 50.0), 200, 100.0) for _ in range(3)),
        0.0, None, 1e-9, np.ones(1), np.zeros((1, 3)), np.eye(3)[None] * 600,
    )  # fmt: skip
    matches = (Match(0, 1, 100, 80.0, 0), Match(1, 2, 100, 80.0, 0), Match(0, 2, 100, 20.0, 3))
    table = TableResult("rps", "Scissors", 2, {}, matches, flat, (None, None, None))
    said = [
        text for _, text in sentences(Tournament(("a", "b", "c"), 100, 0, (table,), None, False))
    ]
    assert "Scissors: in circles: a beats b, that beats c, and that beats a." in said
    assert any("who wins depends on the opponent" in text for text in said)
    assert any("3 games were not finished" in text for text in said)
