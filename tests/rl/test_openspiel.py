"""Games of Kibitz pass OpenSpiel's simulations, and its algorithms play them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from tests.rl.paying import paid

import kibitz
from kibitz.core.errors import ParameterError
from kibitz.core.randomness import derive_seed

pyspiel = pytest.importorskip("pyspiel", exc_type=ImportError)

from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import exploitability, ismcts, mcts, minimax  # noqa: E402

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


TYPES: list[tuple[str, dict[str, Any], str, str, str, tuple[float, float]]] = [
    ("kuhn-poker", {}, "EXPLICIT_STOCHASTIC", "IMPERFECT", "ZERO_SUM", (-2, 2)),
    ("leduc-poker", {}, "EXPLICIT_STOCHASTIC", "IMPERFECT", "ZERO_SUM", (-13, 13)),
    ("love-letter", {"players": 3}, "EXPLICIT_STOCHASTIC", "IMPERFECT", "ZERO_SUM", (-1, 1)),
    ("tic-tac-toe", {}, "DETERMINISTIC", "PERFECT", "ZERO_SUM", (-1, 1)),
    ("light-cycles", {}, "DETERMINISTIC", "IMPERFECT", "GENERAL_SUM", (-1, 1)),
    ("pandemic", {}, "EXPLICIT_STOCHASTIC", "IMPERFECT", "IDENTICAL", (-1, 1)),
]
"""Games with their options, and what their types say: chance, information, utility, its range."""


@pytest.mark.parametrize(("name", "options", "chance", "knowledge", "utility", "span"), TYPES)
def test_the_type_of_a_game_says_what_holds(
    name: str,
    options: dict[str, Any],
    chance: str,
    knowledge: str,
    utility: str,
    span: tuple[float, float],
) -> None:
    game = load_game(name, **options)
    kind = game.get_type()
    assert kind.chance_mode.name == chance
    assert kind.information.name == f"{knowledge}_INFORMATION"
    assert kind.utility.name == utility
    assert (game.min_utility(), game.max_utility()) == span
    assert game.utility_sum() == (0 if utility == "ZERO_SUM" else None)
    assert game.new_initial_state().is_chance_node() == (chance != "DETERMINISTIC")


def test_small_games_are_dealt_exactly() -> None:
    game = load_game("kuhn-poker")
    assert [chance for _, chance in game.outcomes] == pytest.approx([1 / 6] * 6)
    assert game.max_game_length() == 3
    with pytest.raises(ParameterError, match=r"There is no deal 6: .* has 6 here"):
        dealt(game, 6)
    assert len(load_game("kuhn-poker", deals=5).outcomes) == 5  # sampled: not all six fit


def test_minimax_accepts_a_game_without_chance() -> None:
    game = load_game("tic-tac-toe")
    state = game.new_initial_state()
    for words in ("mark 0 0", "mark 1 1", "mark 2 2", "mark 0 2"):
        index = {state.action_to_string(a).lower(): a for a in state.legal_actions()}
        state.apply_action(index[words])
    value, best = minimax.alpha_beta_search(game, state=state)
    assert value == 1
    assert state.action_to_string(best).lower() == "mark 2 0"  # it blocks, and threatens twice


def test_exploitability_accepts_a_zero_sum_game() -> None:
    game = load_game("kuhn-poker")
    uniform = policy.UniformRandomPolicy(game)
    ours = kibitz.exploitability("kuhn-poker").policies[1]
    assert ours.policy == "uniform"
    assert exploitability.exploitability(game, uniform) == pytest.approx(ours.exploitability)


@pytest.mark.parametrize("name", ["kuhn-poker", "leduc-poker"])
def test_information_state_tensors_tell_apart_what_strings_do(name: str) -> None:
    game = load_game(name)
    assert game.get_type().provides_information_state_tensor
    rows, _ = game.information_state_tensor_shape()
    assert rows == game.max_game_length() + 1
    rng = random.Random(2)
    tensors: dict[str, tuple[float, ...]] = {}
    for _ in range(60):
        state = dealt(game, rng.choice(game.new_initial_state().legal_actions()))
        while not state.is_terminal():
            for player in range(2):
                tensor = tuple(state.information_state_tensor(player))
                text = state.information_state_string(player)
                assert tensors.setdefault(text, tensor) == tensor
                other = state.resample_from_infostate(player, rng.random)
                assert tuple(other.information_state_tensor(player)) == tensor
            state.apply_action(rng.choice(state.legal_actions()))
    assert len(set(tensors.values())) == len(tensors) > 12


def test_a_row_of_an_information_state_is_an_observation_and_an_own_action() -> None:
    game = load_game("kuhn-poker")
    state = dealt(game, 0)
    observed = state.observation_tensor(0)
    (action, *_) = state.legal_actions()
    state.apply_action(action)
    rows = np.reshape(state.information_state_tensor(0), game.information_state_tensor_shape())
    size = len(observed)
    assert rows[0].tolist() == [1.0, *observed, *[0.0] * game.num_distinct_actions()]
    assert rows[1, 1 : 1 + size].tolist() == state.observation_tensor(0)
    assert np.flatnonzero(rows[1, 1 + size :]).tolist() == [action]
    assert not rows[2:].any()


def test_a_long_game_has_no_information_state_tensor() -> None:
    assert not load_game("love-letter").get_type().provides_information_state_tensor
