"""Environments of PettingZoo pass its tests, and play the games that states play."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.components.secret_games import SecretVote
from tests.rl.paying import paid

from kibitz.core.errors import IllegalActionError, ParameterError

pytest.importorskip("pettingzoo", exc_type=ImportError)

import gymnasium

with warnings.catch_warnings():  # their tests import what they themselves warn of
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from kibitz.rl.pettingzoo import KibitzAECEnv, KibitzParallelEnv


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
            observation, reward, terminated, truncated, _ = env.last()
            totals[agent] += reward
            seat = env.possible_agents.index(agent)
            assert np.array_equal(observation["observation"], encoder.encode(state, seat))
            assert not truncated
            assert terminated == state.is_terminal
            if terminated:
                assert not observation["action_mask"].any()
                env.step(None)
                continue
            assert seat == state.current_player
            assert np.array_equal(observation["action_mask"], encoder.mask(state))
            index = rng.choice(np.flatnonzero(observation["action_mask"]).tolist())
            state.apply(encoder.action(index, state))
            env.step(index)
        assert state.is_terminal
        assert list(totals.values()) == paid(state)


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


@pytest.mark.parametrize("game", ["hearts", "kuhn-poker", "love-letter"])
def test_their_tests_of_parallel_environments_pass(game: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(KibitzParallelEnv(game), num_cycles=100)
        parallel_seed_test(lambda: KibitzParallelEnv(game), num_cycles=20)


def test_in_parallel_the_seat_acts_whose_turn_it_is() -> None:
    env = KibitzParallelEnv("love-letter", players=3)
    encoder, rng = env.table.encoder, random.Random(1)
    for number in range(4):
        observations, _ = env.reset(seed=number)
        state = env.table.new_state(env._game.state.seed)
        rewards = {}
        while env.agents:
            for seat, agent in enumerate(env.possible_agents):
                observation = observations[agent]
                assert np.array_equal(observation["observation"], encoder.encode(state, seat))
                mask = (
                    encoder.mask(state)
                    if seat == state.current_player
                    else 0 * encoder.mask(state)
                )
                assert np.array_equal(observation["action_mask"], mask)
            mover = env.possible_agents[state.current_player]
            index = rng.choice(np.flatnonzero(observations[mover]["action_mask"]).tolist())
            actions = dict.fromkeys(env.agents, -7) if number % 2 else {}
            state.apply(encoder.action(index, state))
            observations, rewards, ended, cut, infos = env.step({**actions, mover: index})
            assert set(ended.values()) == {state.is_terminal}
            assert not any(cut.values())
        assert list(rewards.values()) == paid(state)
        assert infos["player_0"] == {"status": "finished"}


SKULL = Path(__file__).parent.parent / "checks" / "cases" / "skull.rcy"
SIMULTANEOUS = ("vote", str(SKULL), "light-cycles")
"""Games of simultaneous choices in Python, RECYCLE and GDL."""


def simultaneous(name: str) -> KibitzParallelEnv:
    return KibitzParallelEnv(SecretVote(compiled=False) if name == "vote" else name)


@pytest.mark.parametrize("name", SIMULTANEOUS, ids=["python", "recycle", "gdl"])
def test_in_parallel_those_who_choose_at_the_same_time_act_in_one_step(name: str) -> None:
    env, rng = simultaneous(name), random.Random(2)
    observations, _ = env.reset(seed=3)
    state = env.table.new_state(env._game.state.seed)
    together = 0
    while env.agents:
        choosing = [a for a in env.agents if observations[a]["action_mask"].any()]
        assert [env.possible_agents.index(a) for a in choosing] == sorted(state.choosing)
        together += len(choosing) > 1
        actions = {
            agent: rng.choice(np.flatnonzero(observations[agent]["action_mask"]).tolist())
            for agent in choosing
        }
        for _ in choosing:  # one after the other, as a table asks them
            mover = env.possible_agents[state.current_player]
            assert np.array_equal(
                observations[mover]["action_mask"], env.table.encoder.mask(state)
            )
            state.apply(env.table.encoder.action(actions[mover], state))
        observations, rewards, *_ = env.step(actions)
        assert bytes(env._game.state) == bytes(state)
    assert together > 0
    assert list(rewards.values()) == paid(state)


def test_in_parallel_an_illegal_choice_loses_though_others_choose_first() -> None:
    env = simultaneous("vote")
    observations, _ = env.reset(seed=1)
    legal = [int(np.flatnonzero(o["action_mask"])[0]) for o in observations.values()]
    with pytest.raises(ParameterError, match="It is the turn of player_1"):
        env.step({"player_0": legal[0]})
    before = bytes(env._game.state)
    _, rewards, *_, infos = env.step({"player_0": legal[0], "player_1": 0})
    assert rewards == {"player_0": 0, "player_1": -1}
    assert list(infos) == ["player_0", "player_1"]
    assert infos["player_1"]["illegal"].startswith("'choose 0' is not legal here; legal: choose")
    assert bytes(env._game.state) == before


def test_in_parallel_what_is_wrong_is_said() -> None:
    env = KibitzParallelEnv("love-letter", players=2)
    with pytest.raises(ParameterError, match="No game is in play"):
        env.step({})
    observations, _ = env.reset(seed=1)
    with pytest.raises(ParameterError, match="It is the turn of player_"):
        env.step({})
    mover = next(
        agent for agent, observation in observations.items() if observation["action_mask"].any()
    )
    illegal = int(np.flatnonzero(observations[mover]["action_mask"] == 0)[0])
    _, rewards, ended, _, infos = env.step({mover: illegal})
    assert sorted(rewards.values()) == [-1, 0]
    assert rewards[mover] == -1
    assert all(ended.values())
    assert "legal" in infos[mover]["illegal"]
    assert not env.agents
    strict = KibitzParallelEnv("love-letter", players=2, illegal="error")
    strict.reset(seed=1)
    with pytest.raises(IllegalActionError):
        strict.step({mover: illegal})
    with pytest.raises(ParameterError, match="illegal = 'ignore'"):
        KibitzParallelEnv("love-letter", illegal="ignore")


@pytest.mark.parametrize("make", [KibitzAECEnv, KibitzParallelEnv])
def test_before_the_first_reset_it_says_so(make: Any) -> None:
    env = make("kuhn-poker", render_mode="ansi")
    assert env.agents == []
    for ask in (lambda: env.step(0), lambda: env.observe("player_0"), env.render):
        with pytest.raises(ParameterError, match=r"call reset\(\)"):
            ask()
    with pytest.raises(ParameterError, match="Did you mean 'player_0'"):
        env.action_space("player 0")


def test_before_and_after_a_game_nobody_is_asked() -> None:
    env = KibitzAECEnv("kuhn-poker")
    for ask in (env.last, env.agent_iter):
        with pytest.raises(ParameterError, match="No game is in play"):
            ask()
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, _, over, _, _ = env.last()
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
    with pytest.raises(ParameterError, match="No game is in play"):
        env.step(0)


def test_actions_are_whole_numbers() -> None:
    env, together = KibitzAECEnv("kuhn-poker"), KibitzParallelEnv("kuhn-poker")
    env.reset(seed=1)
    together.reset(seed=1)
    for wrong in (1.7, "x"):
        with pytest.raises(ParameterError, match="should be a whole number"):
            env.step(wrong)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="should be a whole number"):
            together.step({"player_0": wrong})  # type: ignore[dict-item]
    with pytest.raises(ParameterError, match="one for each agent"):
        together.step(1)  # type: ignore[arg-type]
    with pytest.raises(gymnasium.error.Error, match=r"[Ss]eed"):
        env.reset(seed="a")  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [KibitzAECEnv, KibitzParallelEnv])
def test_an_unpickled_environment_is_new_with_the_same_arguments(make: Any) -> None:
    env = make("leduc-poker")
    env.reset(seed=5)
    twin = pickle.loads(pickle.dumps(env))
    assert twin.agents == []
    twin.reset(seed=5)
    _see_the_same(env, twin)


@pytest.mark.parametrize("make", [KibitzAECEnv, KibitzParallelEnv])
def test_a_deep_copy_plays_on_independently(make: Any) -> None:
    env = make("leduc-poker")
    env.reset(seed=5)
    twin = copy.deepcopy(env)
    untouched = copy.deepcopy(env)
    while env.agents and any(env.observe(agent)["action_mask"].any() for agent in env.agents):
        mover = next(agent for agent in env.agents if env.observe(agent)["action_mask"].any())
        for either in (env, twin):
            action = int(either.observe(mover)["action_mask"].argmax())
            either.step({mover: action} if make is KibitzParallelEnv else action)
        _see_the_same(env, twin)
    assert untouched._game.state.tick == 0
    env.reset()
    twin.reset()
    _see_the_same(env, twin)


def _see_the_same(env: Any, twin: Any) -> None:
    assert env.agents == twin.agents
    for agent in env.agents:
        mine, other = env.observe(agent), twin.observe(agent)
        assert np.array_equal(mine["observation"], other["observation"])
        assert np.array_equal(mine["action_mask"], other["action_mask"])
