"""``kibitz study``, and ``kibitz playtest`` without options of a plain run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

BUDGET = "random=40,skilled=6,contest=4,ladder=0,iterations=4,judged=2,samples=2,deal=0"


def results(study: dict[str, Any]) -> list[Any]:
    """The seed, budget, agent and wins of a study, which do not depend on the clock."""
    playtests = (study["parts"][name] for name in ("random", "skilled", "contest"))
    wins = [[seat["wins"] for seat in playtest["seats"]] for playtest in playtests]
    return [study["seed"], study["budget"], study["agent"], wins]


def test_a_playtest_without_options_of_a_run_is_the_same_study(kibitz: Run) -> None:
    words = ("tic-tac-toe", "--seed", 3, "--budget", BUDGET, "--json", "-")
    studied, playtested = (kibitz(command, *words).json() for command in ("study", "playtest"))
    assert results(studied) == results(playtested)
    assert studied["seed"] == 3
    assert studied["parts"]["random"]["games"] == 40


@pytest.mark.parametrize(
    "option",
    [
        "--games 3",
        "--agents random",
        "--no-rotate",
        "--randomize",
        "--vary size=3,4",
        "--loops 0",
        "--branching",
        "--out kept",
        "--record decisions",
        "--measure waiting",
        "--on ray",
    ],
)
def test_options_of_a_run_and_of_a_study_do_not_go_together(kibitz: Run, option: str) -> None:
    shown = kibitz("playtest", "tic-tac-toe", *option.split(), "--time", 1)
    assert shown.code == 2
    assert "--time, --budget and --csv are for a study; it takes no " in shown.flat
    assert option.split()[0] in shown.flat


@pytest.mark.parametrize("command", ["study", "playtest"])
def test_several_games_are_refused(kibitz: Run, command: str) -> None:
    shown = kibitz(command, "nim", "my game.rcy")
    assert shown.code == 2
    assert f"{command} takes one game at a time. To lay them side by side:" in shown.stderr
    assert "\n  kibitz compare nim 'my game.rcy'\n" in shown.stderr


@pytest.mark.parametrize("option", ["--budget", "--judge"])
def test_a_mistake_is_reported_before_anything_is_played(kibitz: Run, option: str) -> None:
    shown = kibitz("study", "tic-tac-toe", option, "nonsense")
    assert shown.code == 2
    assert "nonsense" in shown.stderr


def test_the_tables_of_a_study_are_written(kibitz: Run, tmp_path: Path) -> None:
    shown = kibitz("study", "tic-tac-toe", "--budget", BUDGET, "--csv", tmp_path / "tables")
    assert shown.code == 0
    assert "The same study again, with --full in detail:" in shown.stdout
    assert list((tmp_path / "tables").glob("*.csv"))
