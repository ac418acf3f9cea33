"""Tables for learners do what states, stepped one by one, do."""

from __future__ import annotations

import copy
import ctypes
import pickle
import random
import signal
from typing import Any

import numpy as np
import pytest
from tests.checks.circling_games import Walk
from tests.core.interrupting import caught_signals, pressed
from tests.rl.paying import paid

import kibitz
from kibitz.checks.contents import slotted
from kibitz.core import interrupt
from kibitz.core.errors import (
    AgentError,
    GameDefinitionError,
    IllegalActionError,
    KibitzError,
    ParameterError,
    PlayError,
)
from kibitz.core.interrupt import Interrupted, StoppedError, deferred
from kibitz.core.randomness import derive_seed
from kibitz.rl import VectorTables, make_vec, vector
from kibitz.rl.variants import Variants

ARRAYS = ("observations", "masks", "rewards", "to_act", "done", "status")


def choices(tables: VectorTables, rng: random.Random) -> list[int]:
    return [rng.choice(np.flatnonzero(mask).tolist()) for mask in tables.masks]


def content(tables: VectorTables) -> tuple[bytes, ...]:
    return tuple(getattr(tables, name).tobytes() for name in ARRAYS)


def history(steps: int = 40, **options: Any) -> list[tuple[bytes, ...]]:
    tables = make_vec(options.pop("game"), 7, **options)
    rng = random.Random(1)
    contents = [content(tables)]
    for _ in range(steps):
        tables.step(choices(tables, rng))
        contents.append(content(tables))
    tables.close()
    return contents


@pytest.mark.parametrize(
    "game", ["agram", "connect-four", "kuhn-poker", "love-letter", "president"]
)
def test_tables_are_states_stepped_one_by_one(game: str) -> None:
    n, rng = 3, random.Random(4)
    tables = make_vec(game, n, seed=9)
    encoder = tables.table.encoder
    numbers = list(range(n))
    states = [tables.table.new_state(derive_seed([0] * 4, 9, k)) for k in numbers]
    ended = 0
    for _ in range(60):
        for t, state in enumerate(states):
            player = state.current_player
            assert tables.to_act[t] == player
            assert tables.observations[t].tolist() == encoder.encode(state, player).tolist()
            assert tables.masks[t].astype(bool).tolist() == encoder.mask(state).tolist()
            assert tables.state(t) == state
        chosen = choices(tables, rng)
        tables.step(chosen)
        for t, state in enumerate(states):
            state.apply(encoder.action(chosen[t], state))
            assert tables.done[t] == state.is_terminal
            expected = np.float32(paid(state)) if state.is_terminal else [0] * state.players
            assert tables.rewards[t].tolist() == list(expected)
            if state.is_terminal:
                ended += 1
                assert tables.status[t] == kibitz.Status.FINISHED
                numbers[t] += n
                seed = derive_seed([0] * 4, 9, numbers[t])
                assert tables.game_seed(t) == seed
                states[t] = tables.table.new_state(seed)
    assert ended > 0 or game == "president"  # which is longer


def test_agents_play_between_the_learners_decisions() -> None:
    """First-legal agents, replayed with states."""
    tables = make_vec("love-letter", 2, players=3, agents=["first-legal", None, "first-legal"])
    encoder, rng = tables.table.encoder, random.Random(2)
    state, number, ended = tables.table.new_state(tables.game_seed(0)), 0, 0

    def until_the_learner_decides() -> None:
        while not state.is_terminal and state.current_player != 1:
            state.apply(state.legal_actions()[0])

    until_the_learner_decides()
    for _ in range(80):
        while state.is_terminal:
            number += 2
            state = tables.table.new_state(derive_seed([0] * 4, 0, number))
            until_the_learner_decides()
        assert tables.state(0) == state
        chosen = choices(tables, rng)
        tables.step(chosen)
        state.apply(encoder.action(chosen[0], state))
        until_the_learner_decides()
        assert tables.done[0] == state.is_terminal
        if state.is_terminal:
            ended += 1
            assert tables.rewards[0].tolist() == np.float32(paid(state)).tolist()
    assert ended >= 3


@pytest.mark.parametrize("recall", [3, 80])
@pytest.mark.parametrize("game", ["agram", "love-letter"])
def test_a_seat_remembers_what_it_saw(game: str, recall: int) -> None:
    """As a player who notes after every action what it sees, and what it did itself."""
    n, rng = 3, random.Random(4)
    tables = make_vec(game, n, seed=9, recall=recall)
    encoder = tables.table.encoder
    states = [tables.table.new_state(derive_seed([0] * 4, 9, k)) for k in range(n)]
    notes: list[list[tuple[list[float], int]]] = [[] for _ in range(n * tables.players)]

    def note(t: int, actor: int, action: int) -> None:
        for p in range(tables.players):
            observation = encoder.encode(states[t], p).tolist()
            notes[t * tables.players + p].insert(0, (observation, action if p == actor else -1))

    for t in range(n):
        note(t, -1, -1)
    longest = 0
    for _ in range(60):
        for t in range(n):
            noted = notes[t * tables.players + states[t].current_player]
            longest = max(longest, len(noted))
            for i in range(recall):
                observation, action = noted[i] if i < len(noted) else ([0.0] * encoder.size, -1)
                assert tables.history[t, i].tolist() == observation
                assert tables.own_actions[t, i] == action
        chosen = choices(tables, rng)
        actors = tables.to_act.tolist()
        tables.step(chosen)
        for t, state in enumerate(states):
            state.apply(encoder.action(chosen[t], state))
            note(t, actors[t], chosen[t])
            if tables.done[t]:
                states[t] = tables.table.new_state(tables.game_seed(t))
                for p in range(tables.players):
                    notes[t * tables.players + p].clear()
                note(t, -1, -1)
    assert 3 < longest < 80


def test_a_seat_remembers_what_agents_did_before_it_acts() -> None:
    tables = make_vec("agram", 5, agents=["random", None, "random", "random"], recall=2)
    rng = random.Random(2)
    assert tables.own_actions.tolist() == [[-1, -1]] * 5
    for _ in range(30):
        assert np.array_equal(tables.history[:, 0], tables.observations)
        assert (tables.history[:, 0] != tables.history[:, 1]).any(axis=1).all()
        tables.step(choices(tables, rng))


@pytest.mark.parametrize("options", [{}, {"agents": [None, "random"]}, {"threads": 2}])
def test_critics_see_what_is_hidden(options: dict[str, Any]) -> None:
    tables = make_vec("love-letter", 6, players=2, privileged=True, seed=4, **options)
    plain = make_vec("love-letter", 6, players=2, seed=4, **options)
    assert plain.privileged.shape == (0, tables.observations.shape[1])
    encoder, rng = tables.table.encoder, random.Random(3)
    differed = 0
    for _ in range(40):
        for t in range(tables.n):
            state = tables.state(t)
            assert np.array_equal(tables.observations[t], plain.observations[t])
            player = int(tables.to_act[t])
            for place, slots in slotted(state.table.layout, 2):
                seen_by = state.address + place.offset + slots.seen
                ctypes.memset(seen_by, 0xFF, 2 * slots.capacity)
            assert np.array_equal(tables.privileged[t], encoder.encode(state, player))
            differed += not np.array_equal(tables.privileged[t], tables.observations[t])
        actions = choices(tables, rng)
        tables.step(actions)
        plain.step(actions)
    assert differed > 100
    hidden = [i for i, name in enumerate(tables.names) if name.endswith("hidden")]
    assert not tables.privileged[:, hidden].any()
    copied = copy.deepcopy(tables)
    assert np.array_equal(copied.privileged, tables.privileged)


def test_nothing_is_remembered_unless_asked_for() -> None:
    tables = make_vec("agram", 2)
    assert tables.history.shape == (2, 0, tables.observations.shape[1])
    with pytest.raises(ParameterError, match="recall = -1 should be 0 or more"):
        make_vec("agram", 2, recall=-1)


@pytest.mark.parametrize(
    "options",
    [
        {"game": "agram"},
        {"game": "love-letter", "players": 3, "agents": [None, "random", "osla"]},
        {"game": "connect-four", "agents": ["mcts:iterations=20", None], "steps": 15},
    ],
    ids=["alone", "among simple agents", "against a search"],
)
def test_the_seed_decides_and_threads_do_not(options: dict[str, Any]) -> None:
    once = history(**options, seed=3)
    assert once == history(**options, seed=3)
    assert once == history(**options, seed=3, threads=2)
    assert once == history(**options, seed=3, threads=20)
    assert once != history(**options, seed=4)


def test_reset_begins_again() -> None:
    tables = make_vec("agram", 5, players=2, agents=[None, "random"])
    first, rng = content(tables), random.Random(0)
    for _ in range(9):
        tables.step(choices(tables, rng))
    assert content(tables) != first
    tables.reset()
    assert content(tables) == first


def test_an_illegal_action_is_named_and_nothing_is_played() -> None:
    tables = make_vec("tic-tac-toe", 3)
    tables.step([8, 0, 16])
    before = content(tables)
    with pytest.raises(IllegalActionError, match=r"Table 1: action 0 .* legal are 1, 2, 7"):
        tables.step([0, 0, 0])
    for wrong in (-1, 3, 2**40):
        with pytest.raises(IllegalActionError, match=rf"Table 2: action {wrong}\b.* is not legal"):
            tables.step([0, 1, wrong])
    for shape in ([1, 1], [[1, 1, 1]], [1.0, 1.0, 1.0]):
        with pytest.raises(ValueError, match="3 whole numbers"):
            tables.step(shape)  # type: ignore[arg-type]
    assert content(tables) == before
    with pytest.raises(ValueError, match="read-only"):
        tables.masks[:] = 1


def test_who_may_sit_there() -> None:
    class Thoughtful(kibitz.Agent):
        name = "thoughtful"

    with pytest.raises(AgentError, match="thoughtful decides in Python"):
        make_vec("tic-tac-toe", 1, agents=[None, Thoughtful()])
    with pytest.raises(AgentError, match="None for a seat of the learner"):
        make_vec("tic-tac-toe", 1, agents=["random", "random"])
    with pytest.raises(AgentError, match="1 agents for 2 seats"):
        make_vec("tic-tac-toe", 1, agents=[None])
    with pytest.raises(AgentError, match="one for each seat, None for the learner"):
        make_vec("tic-tac-toe", 1, agents="random")
    with pytest.raises(GameDefinitionError, match="not compiled"):
        make_vec(kibitz.load("tic-tac-toe", compiled=False), 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n = 0 should be 1 or more"),
        ({"n": 2.5}, "n = 2.5 should be a whole number"),
        ({"n": "4"}, "n = '4' should be a whole number"),
        ({"n": True}, "n = True should be a whole number"),
        ({"threads": 0}, "threads = 0 should be 1 or more"),
        ({"threads": 1.5}, "threads = 1.5 should be a whole number"),
        ({"recall": -1}, "recall = -1 should be 0 or more"),
        ({"recall": 1.5}, "recall = 1.5 should be a whole number"),
        ({"by": 5}, "by = 5 should be place or score"),
        ({"agents": 5}, "agents = 5 should be a list"),
        ({"agents": [None, 5]}, "5 is no agent"),
        ({"game": 3}, "3 names no game"),
    ],
)
def test_wrong_numbers_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(KibitzError, match=message):
        make_vec(**{"game": "tic-tac-toe", "n": 1, **options})


def test_whole_numbers_of_every_type_are_taken() -> None:
    tables = make_vec("tic-tac-toe", np.int32(2), recall=np.int64(1), threads=np.uint8(1))
    assert tables.history.shape[:2] == (2, 1)


def test_a_table_has_a_whole_number() -> None:
    tables = make_vec("tic-tac-toe", 2)
    for ask in (tables.state, tables.game_seed):
        with pytest.raises(IndexError, match=r"0 \.\. 1; got 2"):
            ask(2)
        with pytest.raises(ParameterError, match=r"table = 0\.5 should be a whole number"):
            ask(0.5)  # type: ignore[arg-type]


def test_tables_that_are_played_are_not_pickled() -> None:
    with pytest.raises(TypeError, match="make them with make_vec"):
        pickle.dumps(make_vec("tic-tac-toe", 2))


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("love-letter", {"players": 3, "agents": [None, "random", None], "recall": 3}),
        ("gdl-tic-tac-toe", {"threads": 2}),
        ("pairs", {"randomize": True, "agents": [None, "ismcts:iterations=5"], "players": 2}),
    ],
)
def test_a_deep_copy_plays_on_independently(game: str, options: dict[str, Any]) -> None:
    tables = make_vec(game, 5, seed=7, **options)
    rng = random.Random(0)
    for _ in range(7):
        tables.step(choices(tables, rng))
    twin, ahead = copy.deepcopy(tables), copy.deepcopy(tables)
    for _ in range(3):
        ahead.step(choices(ahead, rng))
    for _ in range(40):
        for name in ("observations", "masks", "rewards", "to_act", "done", "history", "setting"):
            assert np.array_equal(getattr(tables, name), getattr(twin, name)), name
        chosen = choices(tables, rng)
        tables.step(chosen)
        twin.step(chosen)
    assert [tables.state(i) for i in range(5)] == [twin.state(i) for i in range(5)]


class Short(Walk):
    """A walk of the first player that is broken off after seven steps."""

    name = "short-walk-of-a-test"
    max_ticks = 7


def test_a_game_that_breaks_off_has_its_status_and_no_rewards() -> None:
    tables = make_vec(Short(), 2, players=2)
    for number in range(1, 22):
        tables.step(choices(tables, random.Random(0)))
        broken = number % 7 == 0
        assert tables.done.tolist() == [broken] * 2
        assert tables.status.tolist() == [kibitz.Status.LIMIT if broken else 0] * 2
        assert not tables.rewards.any()


def test_a_learner_without_a_decision_is_told_so() -> None:
    with pytest.raises(GameDefinitionError, match="before the learner had a decision"):
        make_vec(Short(), 2, players=2, agents=["random", None])


@pytest.mark.parametrize(
    ("game", "fixed"), [("tic-tac-toe", {}), ("pairs", {"pass_when_stuck": False})]
)
def test_each_game_draws_its_parameters(game: str, fixed: dict[str, Any]) -> None:
    n, rng = 5, random.Random(4)
    tables = make_vec(game, n, seed=9, parameters=fixed, randomize=True)
    place = {name: i for i, name in enumerate(tables.names)}
    played: set[int] = set()
    states = [tables.state(t) for t in range(n)]
    for _ in range(150):
        for t, state in enumerate(states):
            assert tables.state(t) == state
            assert state.table.parameters.as_dict() == tables.settings[tables.setting[t]]
            encoder = state.table.encoder
            expected = np.zeros(len(place), np.float32)
            for name, number in zip(
                encoder.names, encoder.encode(state, state.current_player), strict=True
            ):
                expected[place[name]] = number
            assert tables.observations[t].tolist() == expected.tolist()
            legal = sorted(tables.actions.index(a, state) for a in state.legal_actions())
            assert np.flatnonzero(tables.masks[t]).tolist() == legal
        chosen = choices(tables, rng)
        tables.step(chosen)
        for t, state in enumerate(states):
            state.apply(tables.actions.action(chosen[t], state))
            assert tables.done[t] == state.is_terminal
            if state.is_terminal:
                played.add(int(tables.setting[t]))
                again = tables.state(t).table.new_state(tables.game_seed(t))
                states[t] = again
    assert len(played) == len(tables.settings) > 1
    assert all(setting[name] == fixed[name] for name in fixed for setting in tables.settings)


def test_after_their_end_threads_do_nothing() -> None:
    tables = make_vec("tic-tac-toe", 4, threads=2)
    tables.close()
    with pytest.raises(RuntimeError, match="have been ended"):
        tables.reset()


def test_drawn_parameters_are_the_same_with_any_number_of_threads() -> None:
    options = {"game": "tic-tac-toe", "randomize": True, "recall": 2, "agents": ["random", None]}
    assert history(threads=1, **options) == history(threads=3, **options)


def test_shapes_do_not_depend_on_the_seed() -> None:
    first, second = (make_vec("tic-tac-toe", 2, seed=s, randomize=True) for s in (1, 2))
    assert first.names == second.names
    assert first.settings == second.settings
    assert {setting["size"] for setting in first.settings} == set(range(3, 8))


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(ParameterError, match="no parameters left to draw"):
        make_vec("connect-four", 2, randomize=True)


def test_masks_that_cannot_be_shared_are_refused() -> None:
    toe, pairs = kibitz.load("tic-tac-toe").table(2), kibitz.load("pairs").table(2)
    with pytest.raises(GameDefinitionError, match="actions are of other kinds"):
        Variants([toe, pairs])


def test_tables_of_a_network_share_a_context_where_memory_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = history(game="connect-four")
    monkeypatch.setattr(vector, "MOST_KEPT", 100)
    assert history(game="connect-four") == expected


# --- interrupts ---------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_a_step_in_which_agents_search(threads: int) -> None:
    """Some tables lack the step: so they begin again."""
    agents = [None, "mcts:iterations=100000000"]
    tables = make_vec("tic-tac-toe", 8, agents=agents, seed=3, threads=threads)
    begun = [tables.state(number) for number in range(8)]
    first = np.zeros(8, np.int64)
    with pressed(), pytest.raises(Interrupted):
        tables.step(first)
    twin = copy.deepcopy(tables)
    for interrupted in (tables, twin):
        with pytest.raises(PlayError, match="interrupted"):
            interrupted.step(first)
        interrupted.reset()
        assert [interrupted.state(number) for number in range(8)] == begun


class Endless(Walk):
    """After the first action only the second player acts, for ever."""

    name = "endless-of-a-test"
    max_ticks = 1 << 40

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        state.player = 1


def test_an_interrupt_ends_a_game_that_never_comes_back_to_the_learner() -> None:
    tables = make_vec(Endless(), 2, agents=[None, "random"])
    with pressed(), pytest.raises(Interrupted):
        tables.step([0, 0])


def test_an_interrupt_that_is_raised_later_ends_a_step_all_the_same() -> None:
    tables = make_vec("tic-tac-toe", 8, agents=[None, "mcts:iterations=100000000"])
    stopped = []

    def step() -> None:
        with deferred():
            try:
                tables.step(np.zeros(8, np.int64))
            except StoppedError:
                stopped.append(True)

    with pressed(), pytest.raises(Interrupted):
        step()
    assert stopped


def test_an_interrupt_between_steps_stops_no_later_step() -> None:
    tables = make_vec("kuhn-poker", 4)
    with caught_signals():
        for _ in range(20):
            tables.step(np.argmax(tables.masks, axis=1))
            with pytest.raises(Interrupted):
                signal.raise_signal(signal.SIGINT)
            interrupt._signals.when -= 2 * interrupt.BURST
