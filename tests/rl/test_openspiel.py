"""Games of Kibitz pass OpenSpiel's simulations, and its algorithms play them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from tests.rl.paying import paid

from kibitz.core.errors import ParameterError
from kibitz.core.randomness import derive_seed

pyspiel = pytest.importorskip("pyspiel", exc_type=ImportError)

from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402

from kibitz.rl.openspiel import load_game  # noqa: E402


def dealt(game: Any, deal: int) -> Any:
    state = game.new_initial_state()
    assert state.is_chance_node()
    state.apply_action(deal)
    return state


@pytest.mark.parametrize("name", ["connect-four", "kuhn-poker", "love-letter"])
def test_simulations_of_openspiel_pass(name: str) -> None:
    game = load_game(name, deals=16)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", ["agram", "love-letter"])
def test_a_game_goes_as_our_state_goes(name: str) -> None:
    game = load_game(name, players=2, deals=8, seed=3)
    rng = random.Random(1)
    for deal in range(8):
        state = dealt(game, deal)
        table = state.state.table
        ours = table.new_state(derive_seed([0] * 4, 3, deal))
        while not ours.is_terminal:
            assert state.current_player() == ours.current_player
            assert state.legal_actions() == np.flatnonzero(table.encoder.mask(ours)).tolist()
            for player in range(2):
                expected = table.encoder.encode(ours, player)
                assert np.array_equal(state.observation_tensor(player), expected)
                assert state.observation_string(player) == ours.describe(player)
            index = rng.choice(state.legal_actions())
            words = ours.action_words(table.encoder.action(index, ours))
            assert state.action_to_string(index) == words
            ours.apply(table.encoder.action(index, ours))
            state = state.child(index)
        assert state.is_terminal()
        assert state.returns() == paid(ours)


def test_mccfr_finds_the_twelve_information_sets_of_kuhn_poker() -> None:
    from open_spiel.python.algorithms import external_sampling_mccfr

    game = load_game("kuhn-poker", deals=64)
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(200):
        solver.iteration()
    assert len(solver._infostates) == 12
    compiled = pyspiel.ExternalSamplingMCCFRSolver(game)
    for _ in range(20):
        compiled.run_iteration()


def test_a_resampled_state_has_the_same_information_and_other_hidden_cards() -> None:
    state = dealt(load_game("love-letter", players=2), 5)
    before = bytes(state.state)
    rng = np.random.default_rng(1)
    observations = set()
    for _ in range(20):
        other = state.resample_from_infostate(0, rng.random)
        assert other.information_state_string(0) == state.information_state_string(0)
        assert other.observation_string(0) == state.observation_string(0)
        copy = other.clone()
        assert bytes(copy.state) == bytes(other.state)
        assert copy.history() == state.history()
        copy.apply_action(copy.legal_actions()[0])
        assert bytes(copy.state) != bytes(other.state)
        observations.add(other.observation_string(1))
    assert len(observations) > 1
    assert bytes(state.state) == before


def test_information_is_what_the_player_saw_and_did() -> None:
    """In Kuhn poker a player's information is the card held and the bids."""
    game = load_game("kuhn-poker", deals=64)
    by_card: dict[str, set[str]] = {}
    assert len(game.outcomes) == 6
    for deal in range(6):
        state = dealt(game, deal)
        observation = state.observation_string(0)
        by_card.setdefault(observation, set()).add(state.information_state_string(0))
    assert len(by_card) == 3
    assert all(len(digests) == 1 for digests in by_card.values())
    assert len(set.union(*by_card.values())) == 3


def test_ismcts_of_openspiel_plays() -> None:
    game = load_game("love-letter", players=2, deals=16)
    random_state = np.random.RandomState(1)
    rollouts = mcts.RandomRolloutEvaluator(1, random_state)
    bot = ismcts.ISMCTSBot(game, rollouts, 1.4, 20, random_state=random_state)
    state = dealt(game, 3)
    assert bot.step(state) in state.legal_actions()


def test_wrong_parameters_are_named() -> None:
    game = load_game("hearts", parameters={"rounds": 1, "pass": 0})
    assert game.num_players() == 4
    state = dealt(game, 0)
    assert state.state.table.parameters.as_dict()["rounds"] == 1
    from kibitz.rl.openspiel import KibitzGame

    with pytest.raises(ParameterError, match="colon"):
        KibitzGame({"game": "hearts", "parameters": "rounds=1"})
    with pytest.raises(ParameterError, match="at least one"):
        KibitzGame({"game": "hearts", "deals": 0})
