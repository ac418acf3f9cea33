"""``kibitz rules``: the rules of a game in words."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_rules_of_a_text_are_those_of_the_table(kibitz: Run) -> None:
    out = kibitz("rules", "agram", "--players", "3", "--set", "hand=4").stdout
    assert "These are the rules for 3." in out
    assert "Deal 4 cards from the stock to each player's hand." in out
    assert "usually 6; here 4" in out


def test_rules_of_a_game_in_python_are_those_written_for_people(kibitz: Run) -> None:
    out = kibitz("rules", "love-letter").stdout
    assert "The first player with 7 tokens" in out
    assert "Priest: Look at another player's hand." in out
    assert "tokens_to_win: tokens that win the game (usually 7)." in out


def test_rules_as_json_and_markdown(kibitz: Run, tmp_path: Path) -> None:
    file = tmp_path / "rules.md"
    book = json.loads(kibitz("rules", "whist", "--json", "-", "--markdown", str(file)).stdout)
    assert book["title"] == "Whist"
    titles = [chapter["title"] for chapter in book["chapters"]]
    assert titles[:2] == ["Players", "Cards"]
    markdown = file.read_text(encoding="utf-8")
    assert "### Course of the game\n\n- “You”" in markdown
    assert "\n    - There is no led suit now.\n" in markdown


def test_an_unknown_parameter_is_refused(kibitz: Run) -> None:
    assert kibitz("rules", "agram", "--set", "hands=4").code == 2
