"""Simple policies, in games where one of them is best, or none is."""

import pytest
from tests.studies import tiny_games

import kibitz
from kibitz.core.randomness import random_below
from kibitz.core.results import win
from kibitz.studies.dominance import try_policies
from kibitz.studies.flaws import FlawKind, flaws


class RightWins(tiny_games.Tiny):
    """A player who goes right wins immediately, in any turn."""

    @staticmethod
    def apply_action(state, params, action):
        if action >> 8 & 1:
            win(state, state.player)
        else:
            state.player = (state.player + 1) % state.players


def tried(game, skilled, games=60):
    table = game.table(2)
    chance = kibitz.playtest(table, games=200, record=["decisions"])
    return chance, try_policies(table, chance, skilled, games=games)


def test_the_policy_that_wins_is_found_and_beats_an_agent_that_does_not_think():
    chance, dominance = tried(RightWins(compiled=False), "random")
    best = dominance.best
    assert best.words in ("always go right", "never go left")
    assert best.win_rate == pytest.approx(0.75, abs=0.15)  # it moves second in every other game
    assert dominance.dominates
    [flaw] = [flaw for flaw in flaws(chance, None, dominance) if flaw.kind is FlawKind.DOMINANT]
    assert flaw.subject == best.pattern


def test_no_policy_dominates_tic_tac_toe():
    """The middle is a good square, but not the whole game."""
    _, dominance = tried(kibitz.load("tic-tac-toe"), "mcts:iterations=100")
    assert "1" in dominance.best.pattern
    assert dominance.best.win_rate > 0.6
    assert dominance.win_rate < 0.5
    assert not dominance.dominates
    assert dominance.to_json()["dominates"] is False


def test_games_that_are_won_together_have_no_rivals():
    chance = kibitz.playtest(tiny_games.is_won_together(), games=20, record=["decisions"])
    assert try_policies(tiny_games.is_won_together().table(2), chance, "random") is None


def test_policies_that_say_nothing_are_seldom_called_better():
    """Left and right are the same: of nine policies one in twenty is better by chance alone."""
    table = Indifferent(compiled=False).table(2)
    chance = kibitz.playtest(table, games=200, record=["decisions"])
    better = 0
    for seed in range(10):
        dominance = try_policies(table, chance, "random", games=40, seed=seed)
        assert all(policy.games == 40 for policy in dominance.policies)
        better += any(policy.is_significant for policy in dominance.policies)
    assert better <= 3  # by chance alone more come up in 1 of 1,000 runs


class Indifferent(tiny_games.Tiny):
    """After four moves somebody has won, whatever they were."""

    @staticmethod
    def apply_action(state, params, action):
        if state.tick == 4:
            win(state, random_below(state.rng, state.players))
        else:
            state.player = (state.player + 1) % state.players
