"""Networks: their evaluation against NumPy, their files, and the agent that plays by them."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.players.asking import ask
from tests.players.networks import random_network
from tests.players.test_honesty import positions

import kibitz
from kibitz.core.agent import Agent, agent_from_text, make_agent
from kibitz.core.errors import AgentError, AgentOptionError, FileError
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.players import network as network_files
from kibitz.players.network import Network, load_network
from kibitz.web.limits import checked_agent


def neural(network: Network, folder: Path, options: str = "") -> Agent:
    """The agent that plays by a network."""
    path = folder / "network.npz"
    network.save(path)
    return make_agent(f'neural:file="{path}"{options}')


def by_numpy(network: Network, state: State) -> tuple[Any, Any]:
    """Probabilities of the legal actions and values of the seats, calculated with NumPy."""
    encoder = state.table.encoder
    x = encoder.encode(state, state.current_player).astype(np.float64)
    for i in range(len(network.hidden)):
        x = np.maximum(x @ network.arrays[f"weights.{i}"] + network.arrays[f"biases.{i}"], 0)
    logits = network.arrays["policy"] @ x + network.arrays["policy_bias"]
    legal = [encoder.index(action, state) for action in state.legal_actions()]
    odds = np.exp(logits[legal] - logits[legal].max())
    return odds / odds.sum(), network.arrays["value"] @ x + network.arrays["value_bias"]


@pytest.mark.parametrize(
    ("game", "hidden", "fewest"),
    [("love-letter", (16, 8), 2), ("hearts", (24,), 3), ("scopa", (8, 16, 8), 2)],
)
def test_compiled_evaluation_agrees_with_numpy(
    game: str, hidden: tuple[int, ...], fewest: int, tmp_path: Path
) -> None:
    networks: dict[int, tuple[Network, Agent]] = {}
    states = 0
    for state in positions(3, game, fewest):
        table = state.table
        if table.players not in networks:
            network = random_network(table, hidden, seed=table.players)
            folder = tmp_path / str(table.players)
            folder.mkdir()
            networks[table.players] = network, neural(network, folder)
        network, agent = networks[table.players]
        shares, values = by_numpy(network, state)
        advice = {a.action: a for a in agent.advise(state)}
        legal = state.legal_actions()
        assert [advice[a].share for a in legal] == pytest.approx(shares, abs=1e-4)
        expected = 0.5 + 0.5 * np.clip(values[0], -1, 1)
        assert advice[legal[0]].value == pytest.approx(expected, abs=1e-4)
        best = ask(agent, state, seed=1).action
        assert shares[legal.index(best)] == pytest.approx(shares.max(), abs=1e-4)
        states += 1
    assert states > 10


def test_a_mix_is_drawn_by_the_policy(tmp_path: Path) -> None:
    state = kibitz.load("love-letter").new_state(players=2, seed=3)
    network = random_network(state.table, seed=2)
    agent = neural(network, tmp_path, ",choose=mix")
    shares, _ = by_numpy(network, state)
    legal = state.legal_actions()
    drawn = np.array([ask(agent, state, seed=k).action for k in range(2000)])
    for action, share in zip(legal, shares, strict=True):
        spread = np.sqrt(share * (1 - share) / 2000)
        assert abs((drawn == action).mean() - share) < 5 * spread + 1e-9
    assert agent.mixes


def test_the_choice_ignores_what_is_hidden(tmp_path: Path) -> None:
    agents: dict[int, Agent] = {}
    differed = 0
    for number, state in enumerate(positions(6)):
        players = state.table.players
        if players not in agents:
            (tmp_path / str(players)).mkdir()
            agents[players] = neural(random_network(state.table), tmp_path / str(players))
        other = state.determinize(state.current_player, seed=1000 + number)
        differed += other != state
        agent = agents[players]
        assert ask(agent, other, seed=number) == ask(agent, state, seed=number)
        agent.random.seed(number)
        opinion = agent.advise(state)
        assert agent.advise(other) == opinion
    assert differed > 10


def test_it_plays_whole_games_alike_in_threads(tmp_path: Path) -> None:
    table = kibitz.load("love-letter").table(2)
    agent = neural(random_network(table), tmp_path, ",choose=mix")
    results = [
        kibitz.playtest(table, agents=[agent, "random"], games=60, seed=5, workers=workers)
        for workers in (1, 2)
    ]
    assert results[0].finished == 60
    wins = [[agent["sole_wins"] for agent in r.to_json()["agents"]] for r in results]
    assert wins[0] == wins[1]
    assert results[0].ticks_per_game == results[1].ticks_per_game


# --- tables ---------------------------------------------------------------------------------


def test_another_table_is_refused(tmp_path: Path) -> None:
    agent = neural(random_network(kibitz.load("love-letter").table(2)), tmp_path)
    with pytest.raises(AgentError, match="love-letter with 2 players, not love-letter with 3"):
        agent.check_game(kibitz.load("love-letter").table(3))
    with pytest.raises(AgentError, match="not hearts with 4"):
        agent.check_game(kibitz.load("hearts").table())
    changed = replace(random_network(kibitz.load("love-letter").table(2)), actions="0123")
    with pytest.raises(AgentError, match=r"its actions are not .*changed rules"):
        neural(changed, tmp_path).check_game(kibitz.load("love-letter").table(2))


def test_without_a_file_it_says_what_to_do() -> None:
    with pytest.raises(AgentError, match="kibitz learn GAME"):
        make_agent("neural").check_game(kibitz.load("love-letter").table(2))


def test_browsers_cannot_have_files_read(tmp_path: Path) -> None:
    table = kibitz.load("love-letter").table(2)
    path = tmp_path / "network.npz"
    random_network(table).save(path)
    text = f'neural:file="{path}"'
    assert agent_from_text(text).files == (str(path),)
    with pytest.raises(AgentOptionError, match="cannot be chosen in a browser"):
        checked_agent(text, table)
    with pytest.raises(AgentOptionError, match="cannot be chosen in a browser"):
        checked_agent(f"restrict:base=neural:file={path}", table)


# --- files ----------------------------------------------------------------------------------


@pytest.fixture
def network() -> Network:
    return random_network(kibitz.load("tic-tac-toe").table(2), (8,))


def test_a_file_holds_the_whole_network(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "network.npz"
    network.save(path)
    read = load_network(path)
    assert read.to_bytes() == network.to_bytes() == path.read_bytes()
    assert (read.game, read.players, read.hidden) == ("tic-tac-toe", 2, (8,))
    with np.load(path, allow_pickle=False) as archive:
        assert np.array_equal(archive["policy"], network.arrays["policy"])


def test_a_file_that_changes_is_read_again(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "network.npz"
    network.save(path)
    assert load_network(path) is load_network(path)
    random_network(kibitz.load("tic-tac-toe").table(2), (16,)).save(path)
    assert load_network(path).hidden == (16,)


def members(network: Network) -> dict[str, bytes]:
    """The members of a network's file."""
    with zipfile.ZipFile(io.BytesIO(network.to_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def npy(array: Any, pickled: bool = False) -> bytes:
    target = io.BytesIO()
    np.save(target, array, allow_pickle=pickled)
    return target.getvalue()


def with_header(archive: dict[str, bytes], **changes: Any) -> None:
    header = json.loads(np.load(io.BytesIO(archive["header.npy"])).tobytes())
    archive["header.npy"] = npy(np.frombuffer(json.dumps(header | changes).encode(), np.uint8))


class Hostile:
    """An object that would run code when it is unpickled."""

    def __reduce__(self) -> Any:
        return pytest.fail, ("code of a stranger has run",)


def claim_more(archive: dict[str, bytes]) -> None:
    """The header of an array declares petabytes."""
    row = np.zeros((1, 8), np.float32)
    target = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        target, {"descr": "<f4", "fortran_order": False, "shape": (10**15, 8)}
    )
    archive["weights.0.npy"] = target.getvalue() + row.tobytes()


def spoil(archive: dict[str, bytes], name: str, content: bytes) -> None:
    archive[name] = content


WRONG: dict[str, tuple[Callable[[dict[str, bytes]], object], str]] = {
    "no header": (lambda f: f.pop("header.npy"), "header"),
    "no array": (lambda f: f.pop("policy.npy"), "policy"),
    "pickled": (lambda f: spoil(f, "policy.npy", npy(np.array([Hostile()]), True)), "policy is"),
    "pickled header": (
        lambda f: spoil(f, "header.npy", npy(np.array([Hostile()]), True)),
        "header is",
    ),
    "another type": (lambda f: spoil(f, "value.npy", npy(np.zeros((2, 8)))), "value is float64"),
    "another shape": (
        lambda f: spoil(f, "value.npy", npy(np.zeros((3, 8), np.float32))),
        r"value is float32 of shape \(3, 8\)",
    ),
    "not finite": (
        lambda f: spoil(f, "value.npy", npy(np.full((2, 8), np.nan, np.float32))),
        "not finite",
    ),
    "cut off": (lambda f: spoil(f, "value.npy", f["value.npy"][:-1]), "size that it declares"),
    "too much": (lambda f: spoil(f, "value.npy", f["value.npy"] + b"x"), "size that it declares"),
    "petabytes": (claim_more, r"weights\.0 is float32 of shape \(1000000000000000, 8\)"),
    "a text": (lambda f: spoil(f, "header.npy", b"hello"), "not a network"),
    "another format": (lambda f: with_header(f, format="kibitz network 9"), "does not say"),
    "odd width": (lambda f: with_header(f, hidden=[7]), r"hidden = \[7\]"),
    "no layers": (lambda f: with_header(f, hidden=[]), r"hidden = \[\]"),
    "too many layers": (lambda f: with_header(f, hidden=[8] * 9), "hidden"),
    "huge layers": (lambda f: with_header(f, hidden=[10**9]), "hidden"),
    "negative": (lambda f: with_header(f, inputs=-1), "inputs = -1"),
    "true": (lambda f: with_header(f, players=True), "players = True"),
    "another utility": (lambda f: with_header(f, by="fun"), "by = 'fun'"),
    "no scale": (lambda f: with_header(f, scale=0), "scale = 0"),
    "deep notes": (lambda f: with_header(f, notes=[]), "notes"),
    "long header": (lambda f: with_header(f, notes={"x": "y" * 100_000}), "too long"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_file_is_refused(fault: str, network: Network, tmp_path: Path) -> None:
    change, message = WRONG[fault]
    contents = members(network)
    change(contents)
    path = tmp_path / "wrong.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    with pytest.raises(FileError, match=message) as problem:
        load_network(path)
    assert "wrong.npz" in str(problem.value)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04" + bytes(100)])
def test_what_is_no_archive_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "wrong.npz"
    path.write_bytes(content)
    with pytest.raises(FileError, match="not a network of Kibitz"):
        load_network(path)


def test_a_file_that_unpacks_to_gigabytes_is_refused(
    network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb.npz"
    contents = members(network)
    contents["more.npy"] = bytes(5_000_000)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    monkeypatch.setattr(network_files, "MOST_BYTES", 4_000_000)
    assert path.stat().st_size < 100_000
    with pytest.raises(FileError, match="unpacked it has more than"):
        load_network(path)


@pytest.mark.parametrize("way", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_to_what_is_packed_is_refused(way: int, network: Network, tmp_path: Path) -> None:
    path = tmp_path / "packed.npz"
    with zipfile.ZipFile(path, "w", way) as archive:
        for name, content in members(network).items():
            archive.writestr(name, content)
    original = path.read_bytes()
    rng = np.random.default_rng(2)
    for number in range(40):
        changed = bytearray(original)
        for at in rng.integers(50, len(original) // 2, 3):
            changed[at] = int(rng.integers(256))
        place = tmp_path / f"{number}.npz"
        place.write_bytes(changed)
        with contextlib.suppress(FileError):  # what is unharmed is read
            load_network(place)


def test_what_a_foreign_archive_lacks_is_said_plainly(tmp_path: Path) -> None:
    np.savez(tmp_path / "foreign.npz", other=np.zeros(3))
    with pytest.raises(FileError, match=r"Kibitz \(There is no item named 'header.npy'"):
        load_network(tmp_path / "foreign.npz")


def test_every_cut_is_refused(network: Network, tmp_path: Path) -> None:
    original = network.to_bytes()
    for number, length in enumerate(range(0, len(original), 97)):
        path = tmp_path / f"{number}.npz"
        path.write_bytes(original[:length])
        with pytest.raises(FileError):
            load_network(path)


def test_every_changed_byte_is_refused_or_harmless(network: Network, tmp_path: Path) -> None:
    original = network.to_bytes()
    rng = np.random.default_rng(1)
    for number in range(300):
        content = bytearray(original)
        content[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        path = tmp_path / f"{number}.npz"
        path.write_bytes(content)
        try:
            read = load_network(path)
        except FileError:
            continue
        assert read.inputs == network.inputs
        assert read.outputs == network.outputs


def test_a_device_is_not_read() -> None:
    with pytest.raises(FileError, match="a device or a pipe"):
        load_network("/dev/null")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.npz: cannot be read: No such file"):
        load_network(tmp_path / "none.npz")


# --- in the search --------------------------------------------------------------------------


def with_prior(network: Network, folder: Path, options: str) -> Agent:
    path = folder / "network.npz"
    network.save(path)
    return make_agent(f'ismcts:prior="{path}",{options}')


def constant_network(table: Table, favourite: int | None = None, value: float = 0.0) -> Network:
    """A network that prefers one action's index everywhere, and expects the same everywhere."""
    network = random_network(table, (8,))
    arrays = {name: np.zeros_like(array) for name, array in network.arrays.items()}
    if favourite is not None:
        arrays["policy_bias"][favourite] = 8.0
    arrays["value_bias"][0] = value
    return replace(network, arrays=arrays)


def test_a_search_begins_with_what_its_prior_prefers(tmp_path: Path) -> None:
    state = kibitz.load("tic-tac-toe").new_state(players=2)
    encoder = state.table.encoder
    for action in state.legal_actions():
        network = constant_network(state.table, encoder.index(action))
        agent = with_prior(network, tmp_path, "iterations=40")
        advice = agent.advise(state)
        assert advice[0].action == action
        assert advice[0].share > 0.8


def test_values_are_learned_from_the_network(tmp_path: Path) -> None:
    """With a prior that says the same everywhere, so do the values of all that are tried."""
    state = kibitz.load("tic-tac-toe").new_state(players=2)
    network = constant_network(state.table, value=0.5)  # to whoever is to move
    agent = with_prior(network, tmp_path, "iterations=9")
    tried = [advice for advice in agent.advise(state) if advice.visits]
    # the opponent is to move after one action: 0 for the other seat is a half
    assert [advice.value for advice in tried] == [pytest.approx(0.5)] * len(tried)
    assert len(tried) == 9


def test_a_search_with_a_useless_prior_still_finds_a_win(tmp_path: Path) -> None:
    table = kibitz.load("tic-tac-toe").table(2)
    state = table.new_state()
    for square in (0, 3, 1, 4):  # the first player wins at square 2
        state.apply(state.legal_actions()[_place(state, square)])
    winning = state.legal_actions()[_place(state, 2)]
    for leaf in (0.0, 0.5, 1.0):
        agent = with_prior(constant_network(table), tmp_path, f"iterations=300,leaf={leaf}")
        best = agent.advise(state)[0]
        assert best.action == winning
        assert best.value == pytest.approx(1.0)


def _place(state: State, square: int) -> int:
    """The position of the action that marks a square in the list of legal actions."""
    for place, action in enumerate(state.legal_actions()):
        after = state.clone()
        after.apply(action)
        if after.view.board.cells[square] != state.view.board.cells[square]:
            return place
    raise AssertionError(square)


def test_a_search_with_a_prior_ignores_what_is_hidden(tmp_path: Path) -> None:
    agents: dict[int, Agent] = {}
    differed = 0
    for number, state in enumerate(positions(3)):
        players = state.table.players
        if players not in agents:
            (tmp_path / str(players)).mkdir()
            network = random_network(state.table)
            agents[players] = with_prior(network, tmp_path / str(players), "iterations=40")
        other = state.determinize(state.current_player, seed=1000 + number)
        differed += other != state
        agent = agents[players]
        assert ask(agent, other, seed=number) == ask(agent, state, seed=number)
    assert differed > 5


def test_a_prior_counts_in_its_own_unit(tmp_path: Path) -> None:
    table = kibitz.load("kuhn-poker").table(2)
    agent = with_prior(random_network(table), tmp_path, "iterations=10")
    with pytest.raises(AgentError, match=r"about the place, and the search is by score: say by="):
        agent.check_game(table)
    make_agent(f"{agent.label},by=place").check_game(table)
    points = replace(random_network(table, scale=2.0), by="score")
    agent = with_prior(points, tmp_path, "iterations=30")
    state = table.new_state(1)
    shares = [advice.share for advice in agent.advise(state)]
    assert sum(shares) == pytest.approx(1.0)


def test_a_prior_is_refused_where_players_mix() -> None:
    with pytest.raises(AgentOptionError, match="weighs the values of a network: name one"):
        make_agent("ismcts:leaf=0.5")
    with pytest.raises(AgentOptionError, match="turns into PUCT"):
        make_agent("ismcts:trees=many,selection=regret,prior=x.npz")
