"""``kibitz learn``."""

from __future__ import annotations

import importlib.util
import json
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
