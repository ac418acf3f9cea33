"""The rules of games in Python in words."""

from __future__ import annotations

import pytest

import kibitz


@pytest.mark.parametrize("game", kibitz.games(language="python"), ids=lambda game: game.name)
def test_rules_of_games_in_python_are_written_for_people(game: kibitz.Game) -> None:
    """Sentences name parameters that exist, at every number of players."""
    assert game.how_to_play
    low, high = game.players
    for players in range(low, high + 1):
        book = kibitz.rules(game, players=players)
        titles = [chapter.title for chapter in book.chapters]
        assert titles[0] == "Players"
        assert titles[1 : 1 + len(game.how_to_play)] == list(game.how_to_play)
        assert "{" not in " ".join(
            line.text for chapter in book.chapters for line in chapter.lines
        )


def test_parameters_are_in_the_sentences() -> None:
    book = kibitz.rules(
        "love-letter", players=4, parameters={"tokens_to_win": 9, "tie_rule": "shared"}
    )
    lines = [line.text for chapter in book.chapters for line in chapter.lines]
    assert any("The first player with 9 tokens wins" in line for line in lines)
    assert "tokens_to_win: tokens that win the game (usually 4; here 9)." in lines
    assert any(line.endswith("are equal (usually discards; here shared).") for line in lines)
    assert "Priest: Look at another player's hand." in lines


def test_without_sentences_the_actions_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = kibitz.load("tic-tac-toe")
    monkeypatch.setattr(type(game), "how_to_play", {})
    chapters = {chapter.title: chapter.lines for chapter in kibitz.rules(game).chapters}
    assert [line.text for line in chapters["What a player may do"]][1:] == ["Mark {x} {y}."]
    assert [line.text for line in chapters["End and winner"]] == [
        "The rules say who has won; no score decides."
    ]
