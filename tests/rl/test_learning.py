"""Training: that it learns, keeps what it has, goes on, and says what is wrong."""

from __future__ import annotations

import importlib.util
import json
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kibitz
from kibitz.cli.learn import hidden_of, seconds_of
from kibitz.core.agent import make_agent
from kibitz.core.errors import AgentError, FileError, MissingExtraError, ParameterError
from kibitz.core.game import Table
from kibitz.players.network import load_network
from kibitz.rl import learning, make_vec
from kibitz.rl.learning import Learning, learn
from kibitz.rl.settings import LearningSettings, for_average, for_teacher

torch = pytest.importorskip("torch") if importlib.util.find_spec("torch") else None
needs_torch = pytest.mark.skipif(torch is None, reason="needs kibitz[learn]")

SMALL = LearningSettings(
    hidden=(16,), tables=64, steps=16, batch=512, entropy=0.02, last_entropy=0.002
)


@pytest.fixture
def table() -> Table:
    return kibitz.load("tic-tac-toe").table(2)


def train(table: Table, folder: Path, games: int, settings: LearningSettings = SMALL) -> Learning:
    return learn(table, folder, games=games, settings=settings, against=(), seed=3)


@needs_torch
def test_it_learns_tic_tac_toe(table: Table, tmp_path: Path) -> None:
    training = train(table, tmp_path / "net", 4000)
    meeting = learning.meet(table, training.network, "random", 300, seed=9)
    assert meeting.games == 300
    assert meeting.interval[0] > 0.62  # random play wins half of the games
    assert training.games >= 4000
    assert [point["games"] for point in training.curve] == sorted(
        p["games"] for p in training.curve
    )


@needs_torch
def test_the_compiled_network_is_the_trained_one(table: Table, tmp_path: Path) -> None:
    from kibitz.rl.ppo import SelfPlay

    tables = make_vec(table.game, 8, players=2)
    play = SelfPlay(tables, SMALL, 1.0, 5, "cpu")
    play.update(0.0)
    arrays = play.network.arrays()
    logits, values = play.network(torch.from_numpy(np.array(tables.observations)))
    x = np.maximum(tables.observations @ arrays["weights.0"] + arrays["biases.0"], 0)
    assert np.allclose(
        x @ arrays["policy"].T + arrays["policy_bias"], logits.detach().numpy(), atol=1e-5
    )
    assert np.allclose(
        x @ arrays["value"].T + arrays["value_bias"], values.detach().numpy(), atol=1e-5
    )
    other = SelfPlay(tables, SMALL, 1.0, 6, "cpu")
    other.network.take(arrays)
    assert all(np.array_equal(a, arrays[n]) for n, a in other.network.arrays().items())


@needs_torch
def test_the_same_seed_gives_the_same_network(table: Table, tmp_path: Path) -> None:
    first, second = (train(table, tmp_path / name, 800) for name in ("a", "b"))
    network, other = load_network(first.network), load_network(second.network)
    assert all(np.array_equal(network.arrays[name], other.arrays[name]) for name in network.arrays)


@needs_torch
def test_it_goes_on_where_it_was(table: Table, tmp_path: Path) -> None:
    folder = tmp_path / "net"
    first = train(table, folder, 500)
    again = train(table, folder, 500)  # there is nothing left to do
    assert (again.games, again.decisions) == (first.games, first.decisions)
    more = train(table, folder, 2000)
    assert more.games >= 2000
    assert more.decisions > first.decisions
    lines = (folder / "curve.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == list(more.curve)
    assert more.curve[: len(first.curve)] == first.curve


@needs_torch
def test_an_interrupt_keeps_what_there_is(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kibitz.rl.ppo import SelfPlay

    update = SelfPlay.update
    count = 0

    def interrupted(self: SelfPlay, progress: float) -> dict[str, float]:
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt
        return update(self, progress)

    monkeypatch.setattr(SelfPlay, "update", interrupted)
    training = train(table, tmp_path / "net", 100_000)
    assert training.interrupted
    assert training.decisions == 2 * SMALL.tables * SMALL.steps
    assert load_network(training.network).game == "tic-tac-toe"
    more = train(table, tmp_path / "net", training.games + 50)
    assert not more.interrupted
    assert more.decisions > training.decisions


@needs_torch
def test_points_are_learned_where_they_count(tmp_path: Path) -> None:
    table = kibitz.load("kuhn-poker").table(2)
    training = train(table, tmp_path / "net", 600)
    network = load_network(training.network)
    assert network.by == "score"
    assert network.scale == pytest.approx(1.4, abs=0.4)  # 1 or 2 chips are won or lost


@needs_torch
@pytest.mark.parametrize(
    ("settings", "games", "message"),
    [
        (LearningSettings(hidden=(10,)), 10, r"hidden = 10: 1 to 8 layers of 8 to 4096 units"),
        (LearningSettings(hidden=()), 10, "hidden"),
        (replace(SMALL, entropy=float("inf")), 10, "entropy = inf should be from 0 to 1000"),
        (SMALL, 0, "games = 0 should be more than 0"),
    ],
)
def test_wrong_numbers_are_named(
    settings: LearningSettings, games: int, message: str, table: Table, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError, match=message):
        train(table, tmp_path / "net", games, settings)


@needs_torch
def test_another_training_in_the_folder_is_not_overwritten(table: Table, tmp_path: Path) -> None:
    train(table, tmp_path / "net", 100)
    with pytest.raises(FileError, match=r"with another hidden \(\[16\], not \[32\]\)"):
        train(table, tmp_path / "net", 100, LearningSettings(hidden=(32,)))
    with pytest.raises(FileError, match="holds a training with another game"):
        train(kibitz.load("kuhn-poker").table(2), tmp_path / "net", 100)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(FileError, match="holds something else"):
        train(table, tmp_path / "mine", 100)


@needs_torch
@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04" + bytes(50)])
def test_a_spoilt_checkpoint_is_named(content: bytes, table: Table, tmp_path: Path) -> None:
    train(table, tmp_path / "net", 100)
    (tmp_path / "net" / "checkpoint.pt").write_bytes(content)
    with pytest.raises(FileError, match=r"checkpoint\.pt: cannot be gone on with"):
        train(table, tmp_path / "net", 200)


@needs_torch
def test_files_of_something_else_are_named(table: Table, tmp_path: Path) -> None:
    train(table, tmp_path / "net", 100)
    curve, checkpoint = tmp_path / "net" / "curve.jsonl", tmp_path / "net" / "checkpoint.pt"
    points = curve.read_text()
    curve.write_text("{}\n")
    with pytest.raises(FileError, match="cannot be gone on with"):
        train(table, tmp_path / "net", 200)
    curve.write_text(points)
    assert torch is not None
    for other in ({"weights": torch.zeros(3)}, [1]):
        torch.save(other, checkpoint)
        with pytest.raises(FileError, match="cannot be gone on with"):
            train(table, tmp_path / "net", 200)


@needs_torch
def test_unknown_opponents_are_named_before_anything_is_learned(
    table: Table, tmp_path: Path
) -> None:
    with pytest.raises(AgentError, match="plays love-letter only"):
        learn(table, tmp_path / "net", games=10, against=["love-letter-reflex"])
    assert not (tmp_path / "net").exists()


def test_without_torch_it_says_what_to_install(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"kibitz\[learn\]"):
        learn(table, tmp_path, games=1)


def test_times_and_layers_are_read() -> None:
    assert [seconds_of(text) for text in ("90s", "10m", "1.5 h")] == [90, 600, 5400]
    assert hidden_of("128, 64") == (128, 64)
    for text in ("10", "m", "-3s", "0m"):
        with pytest.raises(ParameterError, match="such as 10m"):
            seconds_of(text)
    with pytest.raises(ParameterError, match="such as 128,128"):
        hidden_of("128,x")


def test_scores_are_rewards_where_asked_for() -> None:
    tables = make_vec("kuhn-poker", 16, by="score", seed=4)
    magnitudes = set()
    for _ in range(100):
        tables.step(tables.masks.argmax(axis=1))
        magnitudes |= set(np.abs(tables.rewards[tables.done]).ravel().tolist())
    assert magnitudes <= {1.0, 2.0}
    assert magnitudes
    with pytest.raises(ParameterError, match="by = 'fun' should be place or score"):
        make_vec("kuhn-poker", 1, by="fun")


@needs_torch
def test_the_average_of_a_whole_training_comes_near_an_equilibrium(tmp_path: Path) -> None:
    """In Kuhn poker, where the best answer to uniformly random play gains .458 a seat."""
    from kibitz.studies.solving.play import agent_policy
    from kibitz.studies.solving.policies import average_gain
    from kibitz.studies.solving.tree import grow_tree

    table = kibitz.load("kuhn-poker").table(2)
    settings = for_average(replace(SMALL, entropy=0.2, last_entropy=0.02, rate=4e-3))
    training = train(table, tmp_path / "net", 15_000, settings)
    tree = grow_tree(table)
    policy = agent_policy(tree, [f'neural:file="{training.network}",choose=mix'], samples=1)
    assert average_gain(tree, policy) < 0.38
    stored = decisions_kept(training, "past")
    more = train(table, tmp_path / "net", training.games + 1, settings)
    assert more.decisions > training.decisions
    assert decisions_kept(more, "past") > stored  # and the old ones are among them


def decisions_kept(training: Learning, name: str) -> int:
    """The number of decisions that a reservoir of a checkpoint has received."""
    state = torch.load(training.folder / "checkpoint.pt", weights_only=True)[name]
    assert len(state["columns"][0]) == state["seen"]
    return int(state["seen"])


@needs_torch
def test_a_teacher_is_imitated(table: Table, tmp_path: Path) -> None:
    settings = replace(for_teacher(SMALL, "mcts:iterations=60"), hidden=(32,), rate=5e-3)
    training = learn(table, tmp_path / "net", games=200, settings=settings, against=(), seed=3)
    agent = make_agent(f'neural:file="{training.network}"')
    state = table.new_state()
    after = state.clone()
    after.apply(agent.advise(state)[0].action)  # the search knows the best square to begin with
    assert after.view.board.cells[4] != state.view.board.cells[4]
    meeting = learning.meet(table, training.network, "random", 200, seed=9)
    assert meeting.interval[0] > 0.55
    stored = decisions_kept(training, "lessons")
    more = learn(
        table, tmp_path / "net", games=training.games + 1, settings=settings, against=(), seed=3
    )
    assert more.games > training.games
    assert decisions_kept(more, "lessons") > stored


@needs_torch
def test_the_teacher_is_asked_as_a_player_is(table: Table) -> None:
    from kibitz.rl.apprentice import Teacher

    teacher = Teacher(make_agent("mcts:iterations=200"), table, np.zeros(1, np.int64))
    state = table.new_state()
    for seed in range(7):
        shares = np.zeros(table.encoder.actions_count, np.float32)
        teacher.ask(state, shares, seed)
        legal = table.encoder.mask(state)
        assert shares.sum() == pytest.approx(1.0)
        assert not shares[~legal].any()
        state.apply(state.legal_actions()[0])
        if state.is_terminal:
            break


@needs_torch
def test_in_several_threads_a_teacher_says_the_same(table: Table) -> None:
    from kibitz.rl.apprentice import Apprentice

    arrays = []
    for threads in (1, 3):
        teacher = make_agent("mcts:iterations=30")
        tables = make_vec(table.game, 5, seed=2)
        play = Apprentice(tables, replace(SMALL, tables=5), 1.0, 1, "cpu", teacher, threads)
        before = threading.active_count()
        play.update(0.0)
        assert threading.active_count() == before  # none outlives the update
        arrays.append(play.network.arrays())
    assert all(np.array_equal(array, arrays[1][name]) for name, array in arrays[0].items())


@needs_torch
def test_a_teacher_that_cannot_teach_is_refused(table: Table, tmp_path: Path) -> None:
    kuhn = kibitz.load("kuhn-poker").table(2)
    settings = for_teacher(SMALL, "ismcts:iterations=10,belief=actions")
    with pytest.raises(AgentError, match="follows the game from its beginning"):
        learn(kuhn, tmp_path / "net", games=10, settings=settings, against=())


def test_a_curve_is_drawn() -> None:
    pytest.importorskip("altair")
    from kibitz.rl.curve import curve_plot

    points = [
        {"games": 100 * i, "against random": 0.5 + 0.1 * i, "low": 0.4 + 0.1 * i, "high": 0.9}
        for i in range(4)
    ]
    plot = curve_plot(points, "A game", 0.25)
    svg = plot.svg()
    assert "games learned from" in svg
    assert "A game" in svg
    assert plot.rows[3] == ("300", "80 %", "70 % to 90 %")
