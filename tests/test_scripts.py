"""The scripts work from any folder; relative paths are those of the caller's folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import against, match_against, versions

SCRIPTS = Path(__file__).parents[1] / "scripts"

TELLTALE = '#!/usr/bin/env bash\necho "$PWD"\nprintf "%s\\n" "$@"\n'
"""Stands for a program of ``.venv``: tells where it runs, and with what."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that is fully set up, in a folder with a space in its name."""
    root = tmp_path / "my checkout"
    shutil.copytree(SCRIPTS, root / "scripts")
    (root / "pyproject.toml").write_text("")
    programs = root / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("kibitz", "python"):
        (programs / name).write_text(TELLTALE)
        (programs / name).chmod(0o755)
    checksum = subprocess.check_output(["cksum"], input=b"")
    for mark in (".installed", ".installed-dev"):
        (root / ".venv" / mark).write_bytes(checksum)
    return root


def run(script: Path | str, *arguments: str, folder: Path) -> list[str]:
    """The lines that a script writes when it is called in a folder."""
    done = subprocess.run(
        [str(script), *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_kibitz_runs_in_the_folder_of_whoever_calls_it(checkout: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "games"
    elsewhere.mkdir()
    typed = ("playtest", "my game.rcy", "--json", "out/results.json")
    for script in (checkout / "scripts" / "kibitz", "../my checkout/scripts/kibitz"):
        assert run(script, *typed, folder=elsewhere) == [str(elsewhere), *typed]


def test_the_tests_are_those_of_the_checkout(checkout: Path, tmp_path: Path) -> None:
    words = run(checkout / "scripts" / "test", "tests/games", folder=tmp_path)
    assert words == [str(checkout), "-m", "pytest", "tests/games"]


@pytest.mark.parametrize(
    ("typed", "passed"),
    [
        ([], []),
        (["--fast", "tests/games"], ["-m", "not slow", "tests/games"]),
    ],
)
def test_the_tests_run_on_all_cores(
    typed: list[str], passed: list[str], checkout: Path, tmp_path: Path
) -> None:
    words = run(checkout / "scripts" / "test", *typed, folder=tmp_path)
    assert words[1:] == ["-m", "pytest", "-n", "auto", "--dist", "worksteal", *passed]


def test_two_versions_play_each_other_in_the_same_deals() -> None:
    """A version against itself draws each deal, since who sits where is all that differs."""
    for number, case in enumerate(match_against.CASES):
        if case.game in ("tic-tac-toe", "love-letter"):
            pair = match_against.Pair(number, match_against.ROOT)
            try:
                assert next(pair.deals([30, 30], seed=3)) == 0.5
            finally:
                pair.close()


def test_the_strength_of_a_single_deal_has_no_interval() -> None:
    case = match_against.CASES[0]
    assert "50.0 % of 2 games" in match_against.row(case, [9, 9], [0.5])
    assert "50.0 % ± 49.0 of 4 games" in match_against.row(case, [9, 9], [0.25, 0.75])


def test_a_version_that_git_does_not_know_is_named() -> None:
    unpacked = versions.unpacked("no-such-version")
    with pytest.raises(SystemExit, match="no-such-version: no version that Git knows"):
        unpacked.__enter__()


def test_two_versions_are_measured_in_turns() -> None:
    """A version against itself: each side answers, and the ratio lies in its interval."""
    mean, low, high = against.ratio("tic-tac-toe 2 random", against.ROOT, pairs=3, seconds=0.01)
    assert 0 < low <= mean <= high
    with pytest.raises(SystemExit, match="no-such-game 2 random: a version cannot be measured"):
        against.ratio("no-such-game 2 random", against.ROOT, pairs=1, seconds=0.01)
