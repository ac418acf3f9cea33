"""Tournaments: pairings, records, and resuming."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from kibitz import gdl
from kibitz.core.errors import FileError
from kibitz.gdl import library
from kibitz.ggp.manager import Manager, MatchSettings
from kibitz.ggp.record import MatchRecord
from kibitz.ggp.replaying import contradiction
from kibitz.ggp.tournament import Fixture, Tournament, assignments

THREE = gdl.load(
    """(role a) (role b) (role c) (init s) (legal a x) (legal b x) (legal c x)
    (goal a 10) (goal b 50) (goal c 90) (<= terminal (not (true s)))"""
)


def test_two_players_change_sides() -> None:
    assert assignments(2, 2) == [(0, 1), (1, 0)]


def test_everybody_meets_everybody() -> None:
    assert assignments(2, 3) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]


def test_one_role_is_played_by_each() -> None:
    assert assignments(1, 3) == [(0,), (1,), (2,)]


def test_with_fewer_players_than_roles_some_have_several() -> None:
    assert assignments(2, 1) == [(0, 0)]
    assert assignments(3, 2) == [(0, 0, 1), (0, 1, 0), (1, 0, 0)]


@pytest.mark.parametrize("roles", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("extra", [0, 1, 2])
def test_every_player_has_every_role_equally_often(roles: int, extra: int) -> None:
    seated = assignments(roles, roles + extra)
    counts = Counter((player, role) for match in seated for role, player in enumerate(match))
    assert len(counts) == roles * (roles + extra)
    assert len(set(counts.values())) == 1
    assert all(len(set(match)) == roles for match in seated)


def tournament(folder: Path, **changes: object) -> Tournament:
    options = {
        "games": {"ttt": library.gdl_tic_tac_toe.fork(), "monty": library.monty_hall.fork()},
        "players": ["legal", "random"],
        "rounds": 1,
        "settings": MatchSettings(20, 10, seed=1),
        "folder": folder,
    }
    return Tournament(**(options | changes))  # type: ignore[arg-type]


def play(planned: Tournament, most: int | None = None) -> tuple[dict[Fixture, MatchRecord], int]:
    """Plays at most ``most`` matches; returns all records and the number of new ones."""
    played = planned.open()
    before = len(played)

    async def run() -> None:
        stopped = asyncio.Event()

        def tell(number: int, fixture: Fixture, manager: Manager) -> None:
            if most is not None and len(played) - before >= most:
                stopped.set()

        await planned.play(played, stopped, tell)

    asyncio.run(run())
    return played, len(played) - before


def test_a_tournament_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "results"
    first, new = play(tournament(folder), most=1)
    assert new == 1
    done, new = play(tournament(folder))
    assert new == 3
    assert all(done[fixture] == record for fixture, record in first.items())
    more, new = play(tournament(folder, rounds=2), most=1)
    assert new == 1
    assert len(more) == 5
    scores = tournament(folder).scores(done)
    assert {score.player for score in scores} == {"legal", "random"}
    assert [score.total.count for score in scores] == [3, 3]
    assert sum(score.total.mean or 0 for score in scores) > 0
    assert [score.games["ttt"].count for score in scores] == [2, 2]
    assert scores[0].total.mean >= scores[1].total.mean  # type: ignore[operator]


def test_another_tournament_in_the_folder_is_not_continued(tmp_path: Path) -> None:
    tournament(tmp_path).open()
    with pytest.raises(FileError, match="players was"):
        tournament(tmp_path, players=["legal", "mcts"]).open()
    with pytest.raises(FileError, match="playClock was 10, not 5"):
        tournament(tmp_path, settings=MatchSettings(20, 5)).open()
    (tmp_path / "tournament.json").write_text("[")
    with pytest.raises(FileError, match="is not JSON"):
        tournament(tmp_path).open()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileError, match="other files"):
        tournament(tmp_path).open()
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(FileError, match="cannot be used"):
        tournament(file).open()


def record(goals: list[int], errors: int = 0) -> MatchRecord:
    wrong = [["TO"] + [""] * (len(goals) - 1)] * errors + [[""] * len(goals)] * (2 - errors)
    return MatchRecord(
        "m", "g", [], 1, 1, 0, [[], []], [["x"] * len(goals)], wrong, [0, 0], goals, True
    )


def test_scores_are_means_of_goals_with_intervals_and_errors(tmp_path: Path) -> None:
    planned = tournament(tmp_path, games={"three": THREE}, players=["p", "q", "r"])
    assert len(planned.fixtures()) == 6
    played = {fixture: record([10, 50, 90], 1) for fixture in planned.fixtures()}
    scores = planned.scores(played)
    assert [score.total.mean for score in scores] == [50.0] * 3
    assert [score.errors for score in scores] == [2] * 3
    low, high = scores[0].total.interval or (0, 0)
    assert 0 <= low < 50 < high <= 100


def test_ratings_say_who_wins(tmp_path: Path) -> None:
    """Of six matches p wins all its four, q and r share those between them."""
    planned = tournament(
        tmp_path, games={"ttt": library.gdl_tic_tac_toe.fork()}, players=["p", "q", "r"], rounds=20
    )
    played = {}
    for fixture in planned.fixtures():
        first = fixture.players[0] == 0 or (0 not in fixture.players and fixture.round % 2 == 0)
        played[fixture] = record([100, 0] if first else [0, 100])
    scores = {score.player: score for score in planned.scores(played)}
    ratings = [scores[name].rating for name in "pqr"]
    assert None not in ratings
    elo = [rating.elo for rating in ratings if rating]
    assert elo[0] > 200 > elo[1]
    assert elo[1] == pytest.approx(elo[2], abs=1)
    assert sum(elo) == pytest.approx(0, abs=1e-6)
    assert [rating.games for rating in ratings if rating] == [80, 80, 80]
    tied = {fixture: record([50, 50]) for fixture in planned.fixtures()}
    assert all(abs(score.rating.elo) < 1 for score in planned.scores(tied) if score.rating)
    alone = tournament(tmp_path, games={"monty": library.monty_hall.fork()})
    records = {fixture: record([100, 0]) for fixture in alone.fixtures()}
    assert alone.ratings(records) is None  # nobody competes


def test_a_match_with_a_move_that_is_not_the_players_own_is_lost(tmp_path: Path) -> None:
    """The first role gets all goals, but by moves of the manager: the second wins every time."""
    planned = tournament(
        tmp_path, games={"ttt": library.gdl_tic_tac_toe.fork()}, players=["p", "q"], rounds=20
    )
    replaced = {fixture: record([100, 0], 2) for fixture in planned.fixtures()}
    only_start = {fixture: record([100, 0], 1) for fixture in planned.fixtures()}
    assert [match.replaced(0) for match in (record([1, 1], 2), record([1, 1], 1))] == [1, 0]
    for played, first_wins in ((replaced, False), (only_start, True)):
        one_sided = {
            fixture: match for fixture, match in played.items() if fixture.players == (0, 1)
        }
        ratings = planned.ratings(one_sided)
        assert ratings is not None
        assert (ratings.players[0].elo > ratings.players[1].elo) == first_wins


def test_chance_has_no_seat(tmp_path: Path) -> None:
    planned = tournament(tmp_path, games={"monty": library.monty_hall.fork()})
    fixtures = planned.fixtures()
    assert [fixture.players for fixture in fixtures] == [(0,), (1,)]
    scores = planned.scores({fixtures[0]: record([100, 0]), fixtures[1]: record([0, 0])})
    assert [(score.player, score.total.mean) for score in scores] == [
        ("legal", 100.0),
        ("random", 0.0),
    ]


def test_records_of_the_matches_are_kept_and_are_true(tmp_path: Path) -> None:
    planned = tournament(tmp_path, games={"three": THREE}, players=["legal"])
    play(planned)
    document = json.loads((tmp_path / "three.1.1-1-1.json").read_text())
    record = MatchRecord.from_json(document)
    assert record.goals == [10, 50, 90]
    assert contradiction(record, THREE) is None
