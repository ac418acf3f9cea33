"""How agents are written on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kibitz.cli.options import player_count, split_agents
from kibitz.core.errors import AgentError


@pytest.mark.parametrize(
    ("values", "agents"),
    [
        (None, ["random"]),
        (["mcts"], ["mcts"]),
        (["mcts random"], ["mcts", "random"]),
        (
            ["mcts:iterations=100,c=0.7 random random"],
            ["mcts:iterations=100,c=0.7"] + ["random"] * 2,
        ),
        (["osla + random"], ["osla", "random"]),
        (["osla;random"], ["osla", "random"]),
        (["osla+random", "mcts"], ["osla", "random", "mcts"]),
        (["mcts:c=1e+1+random"], ["mcts:c=1e+1", "random"]),
    ],
)
def test_agents_are_separated(values: list[str] | None, agents: list[str]) -> None:
    assert split_agents(values) == agents


def test_a_file_with_spaces_in_its_name_is_one_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my agent.json").write_text("{}")
    assert split_agents(["my agent.json"]) == ["my agent.json"]


def test_no_agent_at_all_is_refused() -> None:
    with pytest.raises(AgentError, match="at least one"):
        split_agents([" "])


def test_several_agents_make_as_many_players() -> None:
    assert player_count(["random"], None) is None
    assert player_count(["random"], 4) == 4
    assert player_count(["random", "osla", "osla"], None) == 3
