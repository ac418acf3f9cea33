"""Lists of games and agents: ``kibitz.games`` and ``kibitz.agents``."""

from __future__ import annotations

import logging

import pytest

import kibitz
from kibitz.core import registry
from kibitz.library.tictactoe import TicTacToe


class Solitaire(TicTacToe):
    name = "My Solitaire_Game"
    title = "Quite Alone"
    players = (2, 2)
    categories = ("patience",)
    mechanics = ("staring",)


pytestmark = pytest.mark.usefixtures("unchanged_registry")


def test_words_are_looked_for_in_names_titles_categories_and_mechanics() -> None:
    kibitz.register(Solitaire)
    for word in ("my solitaire", "quite ALONE", "patience", "STAR"):
        assert [game.title for game in kibitz.games(word)] == ["Quite Alone"]
    assert kibitz.games("no such thing") == []
    assert len(kibitz.games()) == len(registry.names())


def test_games_by_players_category_and_mechanic() -> None:
    every = kibitz.games()
    for players in (1, 2, 4):
        matches = kibitz.games(players=players)
        assert matches == [g for g in every if g.players[0] <= players <= g.players[1]]
        assert 0 < len(matches) < len(every)
    tricks = kibitz.games(mechanic="trick-taking", players=4)
    assert tricks == [g for g in kibitz.games(players=4) if "trick-taking" in g.mechanics]
    assert {"hearts", "whist"} <= {game.name for game in tricks}
    assert "love-letter" not in {game.name for game in tricks}
    together = kibitz.games(category="cooperative")
    assert together == [game for game in every if "cooperative" in game.categories] != []
    assert kibitz.games("card", mechanic="cooperative", players=2) == []


def test_every_game_says_what_it_is() -> None:
    for game in kibitz.games():
        assert game.mechanics, game.name
        assert game.categories, game.name


def test_a_listed_game_can_be_played() -> None:
    game = next(game for game in kibitz.games("nim") if game.name == "nim")
    assert not game.new_state(seed=1).is_terminal


def test_agents_by_word_and_game() -> None:
    names = [agent.name for agent in kibitz.agents()]
    assert names == sorted(names)
    assert {"mcts", "random", "love-letter-reflex"} <= set(names)
    assert "love-letter-reflex" in [agent.name for agent in kibitz.agents(game="love-letter")]
    assert "love-letter-reflex" not in [agent.name for agent in kibitz.agents(game="uno")]
    assert [a.name for a in kibitz.agents(game=kibitz.load("uno"))] == [
        a.name for a in kibitz.agents(game="uno")
    ]
    assert "mcts" in [agent.name for agent in kibitz.agents("Monte Carlo")]


def test_a_broken_entry_point_does_not_hide_the_other_games(
    entries: list[tuple[str, str]], caplog: pytest.LogCaptureFixture
) -> None:
    entries.append(("broken", "no_such_module:Game"))
    entries.append(("fine", f"{TicTacToe.__module__}:TicTacToe"))
    with caplog.at_level(logging.WARNING):
        assert [type(game) for game in kibitz.games()] == [TicTacToe]
    assert "no_such_module" in caplog.text
