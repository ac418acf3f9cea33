"""Environments of PettingZoo pass its tests, and play the games that states play."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

from kibitz.core.errors import IllegalActionError, ParameterError

pytest.importorskip("pettingzoo", exc_type=ImportError)

from pettingzoo.test import api_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from kibitz.rl.pettingzoo import KibitzAECEnv


@pytest.mark.parametrize("game", ["hearts", "kuhn-poker", "love-letter"])
def test_its_own_tests_pass(game: str) -> None:
    with warnings.catch_warnings():
        # an observation with a mask is a dictionary, to which the test is not used
        warnings.filterwarnings("ignore", message="Observation", category=UserWarning)
        api_test(KibitzAECEnv(game), num_cycles=30)
        seed_test(lambda: KibitzAECEnv(game), num_cycles=20)


@pytest.mark.parametrize("game", ["agram", "love-letter", "president"])
def test_a_game_goes_as_the_state_goes(game: str) -> None:
    env = KibitzAECEnv(game)
    encoder = env.table.encoder
    rng = random.Random(1)
    for number in range(5):
        env.reset(seed=number)
        state = env.table.new_state(env._game.state.seed)
        totals = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            totals[agent] += reward
            seat = env.possible_agents.index(agent)
            assert np.array_equal(seen["observation"], encoder.encode(state, seat))
            assert not truncated
            assert terminated == state.is_terminal
            if terminated:
                assert not seen["action_mask"].any()
                env.step(None)
                continue
            assert seat == state.current_player
            assert np.array_equal(seen["action_mask"], encoder.mask(state))
            index = rng.choice(np.flatnonzero(seen["action_mask"]).tolist())
            state.apply(encoder.action(index, state))
            env.step(index)
        assert state.is_terminal
        assert list(totals.values()) == state.returns()


def test_an_illegal_action_is_an_error_or_by_their_wrapper_a_loss() -> None:
    env = KibitzAECEnv("love-letter", players=2)
    env.reset(seed=1)
    mask = env.last()[0]["action_mask"]
    illegal = int(np.flatnonzero(mask == 0)[0])
    before = bytes(env._game.state)
    with pytest.raises(IllegalActionError):
        env.step(illegal)
    with pytest.raises(ParameterError, match="goes on"):
        env.step(None)
    assert bytes(env._game.state) == before
    wrapped = TerminateIllegalWrapper(KibitzAECEnv("love-letter", players=2), illegal_reward=-1)
    wrapped.reset(seed=1)
    loser = wrapped.agent_selection
    wrapped.last()
    wrapped.step(illegal)
    assert wrapped.rewards[loser] == -1
    assert all(wrapped.terminations.values())


def test_a_text_shows_what_the_seat_to_act_sees() -> None:
    env = KibitzAECEnv("kuhn-poker", render_mode="ansi")
    env.reset(seed=1)
    state = env._game.state
    assert env.render() == state.describe(state.current_player)
    with pytest.raises(ParameterError, match="render_mode"):
        KibitzAECEnv("kuhn-poker", render_mode="human")
