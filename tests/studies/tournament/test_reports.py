"""Reports of tournaments: the sentence on the leader, notes, commands that repeat failures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.reporting import as_markdown

from kibitz.reports import document_of
from kibitz.studies.tournament import Format, Rating, Ratings, TableResult, Tournament
from kibitz.studies.tournament.forfeits import Failure
from kibitz.studies.tournament.report import failure_commands
from kibitz.studies.tournament.sentences import sentences

SEVERAL = "With more than two players one agent plays against agents of the other kind."


def rated(*elo: float, error: float) -> Ratings:
    """Ratings with independent errors."""
    players = tuple(Rating(points, (points, points), 10, 5.0) for points in elo)
    return Ratings(
        players, 0.0, None, None, np.ones(1), np.array([elo]), np.eye(len(elo))[None] * error**2
    )


def tournament(ratings: Ratings, players: int = 2) -> Tournament:
    agents = ("amy", "bob", "cid")[: len(ratings.players)]
    seconds = (None,) * len(agents)
    table = TableResult("it", "It", players, {}, (), ratings, seconds)
    return Tournament(agents, 100, 0, (table,), False)


@pytest.mark.parametrize(
    ("elo", "words"),
    [
        (
            (-80.0, 120.0, -40.0),
            "bob is the strongest, by 160 Elo points (132 to 188) before ",
        ),
        ((2.0, -2.0, -9.0), "amy leads, but bob may be as strong: they are 4 Elo points apart "),
        ((0.2, -0.2, -9.0), "amy and bob are level; one may lead by 28 Elo points."),
    ],
)
def test_the_leader_is_compared_with_the_next_strongest(
    elo: tuple[float, ...], words: str
) -> None:
    ratings = rated(*elo, error=10)  # an interval of 1.96 times 10, times the root of 2
    [(text, _)] = sentences(tournament(ratings))
    assert text.startswith(f"It, 2 players: {words}")


@pytest.mark.parametrize(("players", "noted"), [(2, False), (3, True)])
def test_how_more_than_two_players_meet_is_noted(players: int, noted: bool) -> None:
    ratings = rated(50.0, -50.0, error=10)
    assert (SEVERAL in as_markdown(tournament(ratings, players))) is noted


def test_each_table_has_a_section_with_its_number() -> None:
    played = tournament(rated(50.0, -50.0, error=10))
    two = replace(played, tables=(*played.tables, replace(played.tables[0], label="b", title="B")))
    sections = [(section.title, section.name) for section in document_of(two).sections]
    assert sections[1:] == [
        ("It, 2 players", "table-1"),
        ("B, 2 players", "table-2"),
        ("All tables together", "overall"),
    ]


def test_partners_are_noted_instead() -> None:
    teams = replace(tournament(rated(50.0, -50.0, error=10), 4), format=Format.TEAMS)
    assert SEVERAL not in as_markdown(teams)
    assert "Partners are the same agent." in as_markdown(teams)


def test_a_failure_is_repeated_with_the_parameters_of_its_table() -> None:
    played = tournament(rated(50.0, -50.0, error=10), 3)
    table = replace(
        played.tables[0],
        game="love-letter",
        changed={"tokens_to_win": 2, "spies": 1},
        played_as=("mcts:iterations=40", "random"),
        failures=(Failure(0, 3, "no idea", 77, (1, 0, 1)),),
    )
    words = "kibitz record love-letter --players 3 --agents 'random mcts:iterations=40 random'"
    [command] = failure_commands(replace(played, tables=(table,)))
    assert command == f"{words} --seed 77 --set tokens_to_win=2 --set spies=1"
    drawn = replace(table, randomized=("spies",), game="no-such-game")
    [command] = failure_commands(replace(played, tables=(drawn,)))
    words = words.replace("love-letter", "GAME")
    assert command == f"{words} --seed 77 --set tokens_to_win=2 --randomize"
