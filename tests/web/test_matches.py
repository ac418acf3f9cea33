"""Matches of the game manager that are watched: what grows in the workspace, and bad records."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.web.played_matches import played
from typer.testing import CliRunner

from kibitz.cli.app import app
from kibitz.core.errors import KibitzError
from kibitz.ggp.record import MatchRecord
from kibitz.web.matches import Follower, matches, said
from kibitz.web.workspace import MATCHES, Workspace

NAME = "gdl-tic-tac-toe"


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "work")


def grow(place: Workspace, record: MatchRecord, steps: int) -> None:
    """Stores the record as of a number of steps, with a time of change that grows with it."""
    document = record.until(steps).to_json()
    if steps < len(record.moves):
        document |= {"isCompleted": False, "goalValues": []}
    place.write(MATCHES, "grows.json", json.dumps(document))
    os.utime(place.path(MATCHES, "grows.json"), (1000 + steps, 1000 + steps))


def test_a_match_is_followed_step_by_step(place: Workspace) -> None:
    record = played(NAME)
    assert record.completed
    grow(place, record, 0)
    follower = Follower(place, "grows.json")
    assert len(follower.states) == 1
    assert "Nothing yet" in follower.log(0)
    assert not follower.look()
    last = len(record.moves)
    for steps in (1, 3, last):
        grow(place, record, steps)
        assert follower.look()
        assert len(follower.states) == steps + 1
        assert follower.log(steps).count("<li") == steps
    assert follower.is_over
    assert follower.states[-1].is_terminal
    assert follower.names == ["white (legal)", "black (legal)"]
    assert said(follower.record).startswith(f"over after {last} steps")


def test_what_was_wrong_is_told_and_nothing_is_html(place: Workspace) -> None:
    record = played(NAME)
    record.errors[1][0] = "IL <b>"
    grow(place, record, 2)
    html = Follower(place, "grows.json").log(2)
    assert "IL &lt;b&gt;" in html
    assert "<b>" not in html


def test_matches_are_listed_and_damaged_ones_are_not(place: Workspace) -> None:
    record = played(NAME)
    for name, text in (("a.json", "{"), ("b.json", "[" * 5000), ("c.json", '{"moves": 3}')):
        place.write(MATCHES, name, text)
        with pytest.raises(KibitzError):
            Follower(place, name)
    grow(place, record, len(record.moves))
    [match] = matches(place)
    assert match.title == "gdl-tic-tac-toe: legal, legal"
    assert match.said == said(record)


def test_a_record_that_contradicts_the_rules_is_refused(place: Workspace) -> None:
    record = played(NAME)
    record.moves[1] = record.moves[0]
    grow(place, record, 2)
    with pytest.raises(KibitzError):
        Follower(place, "grows.json")


def test_the_manager_keeps_every_match_where_it_is_watched(place: Workspace) -> None:
    command = ["ggp", "match", NAME, "--players", "legal,legal", "--start", "5", "--play", "5"]
    watch = ["--watch", str(place.folder), "--games", "2"]
    result = CliRunner().invoke(app, [*command, *watch])
    assert result.exit_code == 0, result.output
    listed = matches(place)
    assert len(listed) == 2
    assert {match.title for match in listed} == {"gdl-tic-tac-toe: legal, legal"}
    assert all(Follower(place, match.name).is_over for match in listed)
