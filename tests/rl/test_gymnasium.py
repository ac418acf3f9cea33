"""Environments of Gymnasium pass its checker, and play the games that states play."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from typing import Any

import numpy as np
import pytest
from tests.checks.circling_games import Walk
from tests.rl.paying import paid

import kibitz
from kibitz.core import registry
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
        assert reward == (paid(state)[1] if terminated else 0)
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
        observations = [observation.tobytes()]
        for _ in range(30):
            step = env.step(int(info["action_mask"].argmax()))
            observations.append(step[0].tobytes())
            info = step[4]
            if step[2]:
                observation, info = env.reset()
                observations.append(observation.tobytes())
        return observations

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
    with pytest.raises(ParameterError, match=r"seat = 0\.5 should be a whole number"):
        KibitzEnv("kuhn-poker", seat=0.5)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"num_envs = 2\.5 should be a whole number"):
        KibitzVectorEnv("kuhn-poker", 2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("illegal", ["lose", "error"])
def test_an_action_is_a_whole_number(illegal: str) -> None:
    env = KibitzEnv("kuhn-poker", illegal=illegal)
    first, _ = env.reset(seed=1)
    for wrong in (1.7, "1", None):
        with pytest.raises(ParameterError, match=r"action = .* should be a whole number"):
            env.step(wrong)  # type: ignore[arg-type]
    assert np.array_equal(env._game.observation(0), first)
    env.step(np.int64(1))


def test_an_unpickled_environment_is_new_with_the_same_arguments() -> None:
    env = KibitzEnv(kibitz.load("leduc-poker"), seat=1, agents="first-legal")
    env.reset(seed=3)
    env.step(env._game.mask(1).argmax())
    twin = pickle.loads(pickle.dumps(env))
    with pytest.raises(gymnasium.error.ResetNeeded):
        twin.step(0)
    for seed in range(4):
        observation, info = env.reset(seed=seed)
        again, info_again = twin.reset(seed=seed)
        assert np.array_equal(observation, again)
        assert np.array_equal(info["action_mask"], info_again["action_mask"])


class Counting(kibitz.Agent):
    """Remembers how often it was asked, and draws at random."""

    def start(self, table: kibitz.Table) -> None:
        self.asked = 0

    def choose(self, state: kibitz.State) -> int:
        self.asked += 1
        legal = state.legal_actions()
        return legal[(self.asked + self.random.randrange(2)) % len(legal)]


@pytest.mark.parametrize(
    "agent",
    [
        Counting(),
        "random",
        "ismcts:iterations=20",
        "ggp:iterations=20",
        "ismcts:iterations=20,belief=actions",
    ],
    ids=str,
)
def test_a_deep_copy_plays_on_as_the_original_and_independently(agent: Any) -> None:
    env = KibitzEnv("love-letter", seat=1, players=3, agents=agent)
    _, info = env.reset(seed=3)
    _, _, over, _, info = env.step(info["action_mask"].argmax())
    assert not over
    twin = copy.deepcopy(env)
    ahead = copy.deepcopy(env)
    _play(ahead, info["action_mask"])
    assert _play(env, info["action_mask"]) == _play(twin, info["action_mask"])


def _play(env: KibitzEnv, mask: Any) -> list[Any]:
    """Plays a game to its end and half of the next; returns observations, rewards and masks."""
    shown: list[Any] = []
    for _ in range(12):
        observation, reward, over, _, info = env.step(int(np.flatnonzero(mask)[-1]))
        if over:
            _, info = env.reset()
        mask = info["action_mask"]
        shown += [observation.tobytes(), reward, mask.tobytes()]
    return shown


def test_a_copy_of_many_tables_is_new_with_the_same_arguments() -> None:
    envs = KibitzVectorEnv("kuhn-poker", 3, seat=1, agents="first-legal")
    observation, info = envs.reset(seed=3)
    twin = pickle.loads(pickle.dumps(envs))
    again, _ = twin.reset(seed=3)
    assert np.array_equal(observation, again)
    actions = info["action_mask"].argmax(axis=1)
    assert np.array_equal(envs.step(actions)[0], twin.step(actions)[0])


def test_a_deep_copy_of_many_tables_plays_on() -> None:
    envs = KibitzVectorEnv("kuhn-poker", 3, seat=1, agents="random")
    _, info = envs.reset(seed=3)
    twin = copy.deepcopy(envs)
    for _ in range(10):
        actions = info["action_mask"].argmax(axis=1)
        (observation, gained, *_, info), (again, gained_again, *_) = (
            envs.step(actions),
            twin.step(actions),
        )
        assert np.array_equal(observation, again)
        assert np.array_equal(gained, gained_again)


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


def test_what_is_told_of_ended_games_is_what_gymnasium_tells() -> None:
    """Their ``SyncVectorEnv`` of single environments tells the same things in the same form."""
    ours = KibitzVectorEnv("love-letter", 6, players=2, seat=1, agents="first-legal")
    theirs = gymnasium.vector.SyncVectorEnv(
        [lambda: KibitzEnv("love-letter", players=2, seat=1, agents="first-legal")] * 6,
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
    )
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.action_space == theirs.action_space
    forms = []
    for envs in (ours, theirs):
        _, infos = envs.reset(seed=3)
        ended = {}
        for _ in range(20):
            actions = infos["action_mask"].argmax(axis=1)
            step = envs.step(actions)
            infos = step[4]
            assert ("final_obs" in infos) == bool((step[2] | step[3]).any())
            if "final_obs" in infos:
                ended = infos
                assert np.array_equal(infos["_final_obs"], step[2])
                assert [final is not None for final in infos["final_obs"]] == step[2].tolist()
        last = next(final for final in ended["final_obs"] if final is not None)
        forms.append(
            (
                [(array.shape, array.dtype) for array in step[:4]],
                (last.shape, last.dtype, ended["final_obs"].dtype),
                {ended["final_info"]["status"][i] for i in np.flatnonzero(ended["_final_info"])},
            )
        )
        envs.close()
    assert forms[0] == forms[1]


def test_the_last_observation_of_a_game_is_of_its_end() -> None:
    envs = KibitzVectorEnv("love-letter", 4, players=2, agents="first-legal")
    _, infos = envs.reset(seed=3)
    ended = 0
    for _ in range(60):
        states = [envs._tables.state(t) for t in range(4)]
        actions = infos["action_mask"].argmax(axis=1)
        infos = envs.step(actions)[4]
        for t in np.flatnonzero(infos.get("_final_obs", [])):
            state = states[t]
            state.apply(envs._tables.actions.action(int(actions[t]), state))
            while not state.is_terminal:
                state.apply(state.legal_actions()[0])
            assert np.array_equal(infos["final_obs"][t], envs.table.encoder.encode(state, 0))
            ended += 1
    assert ended > 4


def test_wrappers_of_gymnasium_take_the_tables() -> None:
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        KibitzVectorEnv("tic-tac-toe", 8, randomize=True)
    )
    _, infos = envs.reset(seed=1)
    lengths = []
    for _ in range(60):
        observations, _, _, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        assert observations in envs.observation_space
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert min(lengths) >= 2
    assert max(lengths) > 5  # on larger boards


def test_action_masks_are_those_of_the_info() -> None:
    env = KibitzEnv("love-letter", players=2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.action_masks()
    _, info = env.reset(seed=1)
    over = False
    while not over:
        masks = env.action_masks()
        assert masks.dtype == np.bool_
        assert np.array_equal(masks, info["action_mask"] == 1)
        _, _, terminated, truncated, info = env.step(int(masks.argmax()))
        over = terminated or truncated
    assert not env.action_masks().any()


def test_installed_games_are_registered() -> None:
    assert all(f"kibitz/{name}" in gymnasium.registry for name in registry.names())
    env = gymnasium.make("kibitz/love-letter", players=3, seat=2, agents="first-legal")
    assert isinstance(env.unwrapped, KibitzEnv)
    assert (env.unwrapped.table.players, env.unwrapped.seat) == (3, 2)
    _, info = env.reset(seed=1)
    assert env.get_wrapper_attr("action_masks")().sum() == info["action_mask"].sum()
    envs = gymnasium.make_vec(
        "kibitz/kuhn-poker", num_envs=3, vectorization_mode="vector_entry_point"
    )
    assert isinstance(envs, KibitzVectorEnv)
    assert envs.reset(seed=1)[0].shape[0] == 3
