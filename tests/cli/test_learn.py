"""``kibitz learn``."""

from __future__ import annotations

import importlib.util
import json
import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import Run

needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="needs kibitz[learn]"
)


@needs_torch
def test_it_learns_and_goes_on(kibitz: Run, tmp_path: Path) -> None:
    out = tmp_path / "net"
    options = ("--out", out, "--hidden", "16", "--test-games", 20, "-a", "random")
    shown = kibitz("learn", "tic-tac-toe", "--games", 300, *options).stdout
    assert "2 players: learned from" in shown
    assert f'neural:file="{out}/network.npz"' in shown
    document = json.loads(
        kibitz("learn", "tic-tac-toe", "--games", 300, *options, "--json", "-").stdout
    )
    assert document["against"][0]["games"] == 20
    assert document["games"] >= 300
    played = kibitz(
        "playtest", "tic-tac-toe", "-a", f"neural:file={out}/network.npz", "--games", 20
    )
    assert played.code == 0


@needs_torch
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--time", "10"), "such as 10m"),
        (("--hidden", "ten"), "whole numbers"),
        (("--hidden", "7"), "in steps of 8"),
        (("--games", 10, "-a", "nobody"), "no agent 'nobody'"),
    ],
)
def test_slips_are_explained(
    arguments: tuple[object, ...], message: str, kibitz: Run, tmp_path: Path
) -> None:
    done = kibitz("learn", "tic-tac-toe", "--out", tmp_path / "net", *arguments)
    assert done.code == 2
    assert message in done.flat


@needs_torch
def test_the_commands_of_the_page_lead_to_a_trained_agent(
    kibitz: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/learning.md has them, with fewer games."""
    page = (Path(__file__).parents[2] / "docs" / "learning.md").read_text("utf-8")
    section = page.partition("## From nothing to a trained agent")[2]
    lines = section.split("```")[1].strip().splitlines()
    install, learn, playtest, play = (shlex.split(line) for line in lines)
    assert install == ["pip", "install", "kibitz[learn]"]
    monkeypatch.chdir(tmp_path)
    at = learn.index("--time")
    short = ["--games", "1", "--hidden", "8", "--against", "random", "--test-games", "2"]
    assert "learned from" in kibitz(*learn[1:at], *short).stdout
    shown = kibitz(*playtest[1:], "--games", 4)
    assert shown.code == 0
    assert "neural" in shown.stdout
    shown = kibitz(*play[1:], "--seat", 1, "--quick", input="1\n1\n")
    assert "neural" in shown.flat
