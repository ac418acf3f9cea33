"""Environments of Gymnasium pass its checker, and play the games that states play."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest
from tests.arena.circling_games import Walk

import kibitz
from kibitz.core.errors import AgentError, IllegalActionError, ParameterError

gymnasium = pytest.importorskip("gymnasium", exc_type=ImportError)

from gymnasium.utils.env_checker import check_env  # noqa: E402

from kibitz.rl.gymnasium import KibitzEnv, KibitzVectorEnv  # noqa: E402


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("love-letter", {"players": 3, "seat": 1}),
        ("kuhn-poker", {"agents": "osla"}),
        ("connect-four", {"illegal": "lose"}),
    ],
)
def test_the_checker_of_gymnasium_finds_nothing(game: str, options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        # observations have no bounds, and the environment is not registered
        warnings.filterwarnings("ignore", message=".*infinity.*", category=UserWarning)
        warnings.filterwarnings("ignore", message=".*having a spec.*", category=UserWarning)
        check_env(KibitzEnv(game, **options))


@pytest.mark.parametrize("game", ["agram", "kuhn-poker", "love-letter"])
def test_a_game_goes_as_the_state_goes(game: str) -> None:
    env = KibitzEnv(game, seat=1, agents="first-legal")
    rng = random.Random(1)
    games = 0
    observation, info = env.reset(seed=3)
    state = env.table.new_state(env._game.state.seed)

    def follow() -> None:
        while not state.is_terminal and state.current_player != 1:
            state.apply(state.legal_actions()[0])

    follow()
    while games < 20:
        encoder = env.table.encoder
        assert np.array_equal(observation, encoder.encode(state, 1))
        assert np.array_equal(info["action_mask"], encoder.mask(state))
        index = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
        state.apply(encoder.action(index, state))
        follow()
        observation, reward, terminated, truncated, info = env.step(index)
        assert terminated == state.is_terminal
        assert not truncated
        assert reward == (state.returns()[1] if terminated else 0)
        if terminated:
            games += 1
            assert not info["action_mask"].any()
            assert np.array_equal(observation, encoder.encode(state, 1))
            with pytest.raises(gymnasium.error.ResetNeeded):
                env.step(index)
            observation, info = env.reset()
            state = env.table.new_state(env._game.state.seed)
            follow()


def test_the_seed_decides_what_happens() -> None:
    def history(seed: int) -> list[bytes]:
        env = KibitzEnv("love-letter", players=2, agents="random")
        observation, info = env.reset(seed=seed)
        found = [observation.tobytes()]
        for _ in range(30):
            step = env.step(int(info["action_mask"].argmax()))
            found.append(step[0].tobytes())
            info = step[4]
            if step[2]:
                observation, info = env.reset()
                found.append(observation.tobytes())
        return found

    assert history(1) == history(1)
    assert history(1) != history(2)


def test_an_illegal_action_loses_or_is_an_error() -> None:
    env = KibitzEnv("love-letter", players=2)
    _, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert "legal" in info["illegal"]
    assert not info["action_mask"].any()
    strict = KibitzEnv("love-letter", players=2, illegal="error")
    strict.reset(seed=1)
    before = bytes(strict._game.state)
    for wrong in (illegal, -1, 10**6):
        with pytest.raises(IllegalActionError):
            strict.step(wrong)
    assert bytes(strict._game.state) == before


def test_a_game_that_breaks_off_is_truncated() -> None:
    env = KibitzEnv(Walk(), players=2)
    _, info = env.reset(seed=1)
    truncated = terminated = False
    for _ in range(10_000):
        _, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        if terminated or truncated:
            break
    assert truncated
    assert not terminated
    assert reward == 0
    assert info["status"] not in ("playing", "finished")


def test_agents_that_decide_in_python_can_sit_here() -> None:
    class Last(kibitz.Agent):
        name = "last"

        def choose(self, state: kibitz.State) -> int:
            return state.legal_actions()[-1]

    env = KibitzEnv("connect-four", agents=Last())
    env.reset(seed=1)
    env.step(0)
    last = env.table.new_state(0)
    last.apply(last.table.encoder.action(0, last))
    last.apply(last.legal_actions()[-1])
    assert np.array_equal(env._game.observation(0), last.table.encoder.encode(last, 0))


def test_wrong_values_are_named() -> None:
    with pytest.raises(AgentError, match="seat 7"):
        KibitzEnv("kuhn-poker", seat=7)
    with pytest.raises(AgentError, match="learner has seat 0"):
        KibitzEnv("kuhn-poker", agents=["random", None])
    with pytest.raises(ParameterError, match="illegal"):
        KibitzEnv("kuhn-poker", illegal="ignore")
    with pytest.raises(ParameterError, match="render_mode"):
        KibitzEnv("kuhn-poker", render_mode="human")


def test_many_tables_step_as_gymnasium_wants() -> None:
    envs = KibitzVectorEnv("love-letter", 8, players=2, seat=1, threads=2)
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    observations, infos = envs.reset(seed=5)
    first = observations.copy()
    finished = 0
    for _ in range(60):
        assert observations in envs.observation_space
        actions = np.array([np.flatnonzero(mask)[0] for mask in infos["action_mask"]])
        assert actions in envs.action_space
        observations, rewards, terminations, truncations, infos = envs.step(actions)
        assert not rewards[~terminations].any()
        assert not truncations.any()
        finished += int(terminations.sum())
    assert finished > 8
    assert np.array_equal(envs.reset(seed=5)[0], first)
    assert not np.array_equal(envs.reset(seed=6)[0], first)
    with pytest.raises(IllegalActionError):
        envs.step(np.full(8, -1))
    envs.close()
