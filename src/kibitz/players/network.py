"""Neural networks of agents: their files, and their evaluation by compiled code.

A network is a multilayer perceptron on the observation of a seat (``core/encoder.py``). Behind
its hidden layers with rectifiers it has two heads. The *policy head* gives a logit for each action
index; only legal actions count. The *value head* gives the expected value of each seat, beginning
with the observer. An evaluation allocates nothing, skips inputs that are zero, as most are, and
computes the logits of legal actions only.

A file is a ``.npz`` of 32-bit floats with a JSON header that says which table it was made for. It
holds numbers only: a stranger's file is checked before it is read, and can run no code.
"""

from __future__ import annotations

import functools
import io
import json
import lzma
import math
import os
import stat
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.action_index import TAKEN, clear_taken, hashed_place, index_of
from kibitz.core.actions import ACTION_LIST
from kibitz.core.contract import RULES
from kibitz.core.encoder import ENCODER, encode
from kibitz.core.errors import AgentError, FileError, GameDefinitionError
from kibitz.core.files import write_bytes
from kibitz.core.fingerprint import text_fingerprint
from kibitz.core.game import Table
from kibitz.core.memory import (
    FLOAT32,
    FLOAT64,
    Address,
    array_at,
    call_int_5,
    copy_bytes,
    record_at,
    stack_record,
)
from kibitz.core.native import Export, compile_native
from kibitz.core.status import MAX_PLAYERS

Array = np.ndarray[Any, Any]

FORMAT = "kibitz network 1"
"""The value of ``format`` in the header of a network file."""

MOST_LAYERS = 8
"""The most hidden layers of a network."""
MOST_UNITS = 4096
"""The most units of a hidden layer."""
MOST_BYTES = 256 * 1024 * 1024
"""The most bytes of a network file, unpacked."""
MOST_HEADER = 64 * 1024
"""The most bytes of the header of a network file."""
UNPACKING = (zlib.error, lzma.LZMAError, struct.error, tokenize.TokenError)
"""The further exceptions that ``zipfile`` and NumPy raise for damaged files."""

_ZERO = np.float32(0.0)
LANES = 8
"""The number that divides the widths of hidden layers, for the processor's vectors."""

UTILITIES = ("place", "score")
"""The quantities that the value head may predict."""

NETWORK = np.dtype(
    [
        ("run", np.int64),  # int64 (network, rules, state, player, room): see `run_network`
        ("share", np.int64),  # int64 (network, last, actions, count, shares): see `write_policy`
        ("encoder", np.int64),  # address of the ENCODER record
        ("players", np.int64),
        ("inputs", np.int64),
        ("layers", np.int64),  # how many hidden layers there are
        ("widths", np.int64, (MOST_LAYERS,)),
        ("weights", np.int64, (MOST_LAYERS,)),  # addresses: FLOAT32[inputs of the layer][width]
        ("biases", np.int64, (MOST_LAYERS,)),  # FLOAT32[width]
        ("policy", np.int64),  # FLOAT32[actions][width]
        ("policy_bias", np.int64),
        ("value", np.int64),  # FLOAT32[players][width]
        ("value_bias", np.int64),
        ("room", np.int64),  # address of `network_room` bytes, where a search evaluates it; or 0
        ("scale", np.float64),  # factor from the value head's output to the search's utility
    ]
)
"""The record of a network at a table, for compiled code."""


@dataclass(frozen=True)
class Network:
    """A network: the table it was made for, and its numbers.

    Attributes:
        game: the name of the game.
        observation: fingerprint of the names of the features of an observation.
        actions: fingerprint of the index of actions.
        hidden: the widths of the hidden layers.
        by: the quantity that its values predict: ``"place"``, as -1 to 1, or ``"score"``.
        scale: the points of a score that make 1 of its values.
        arrays: float32 arrays by name: for each hidden layer ``weights.N`` (inputs, width) and
            ``biases.N``; ``policy`` (actions, width), ``policy_bias``, ``value`` (players, width)
            and ``value_bias``.
        notes: how it was trained, for people.
    """

    game: str
    players: int
    observation: str
    actions: str
    hidden: tuple[int, ...]
    arrays: Mapping[str, Array] = field(repr=False)
    by: str = "place"
    scale: float = 1.0
    notes: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def inputs(self) -> int:
        """The number of features of its observation."""
        return int(self.arrays["weights.0"].shape[0])

    @property
    def outputs(self) -> int:
        """The number of actions that it has logits for."""
        return int(self.arrays["policy"].shape[0])

    def to_bytes(self) -> bytes:
        """The content of its file; equal networks give equal bytes."""
        header = {
            "format": FORMAT,
            "game": self.game,
            "players": self.players,
            "observation": self.observation,
            "actions": self.actions,
            "inputs": self.inputs,
            "outputs": self.outputs,
            "hidden": list(self.hidden),
            "by": self.by,
            "scale": self.scale,
            "notes": dict(self.notes),
        }
        text = np.frombuffer(json.dumps(header, indent=1).encode(), np.uint8)
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            for name, array in {"header": text, **self.arrays}.items():
                member = io.BytesIO()
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
        return target.getvalue()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file completely, or not at all.

        Raises:
            FileError: it cannot be written.
        """
        write_bytes(path, self.to_bytes())

    def check_table(self, table: Table) -> None:
        """Raises AgentError when it was made for another game, other parameters or other rules."""
        if (self.game, self.players) != (table.game.name, table.players):
            raise AgentError(
                f"The network plays {self.game} with {self.players} players, not "
                f"{table.game.name} with {table.players}: train one for this table."
            )
        for subject, own, required in (
            ("observations", self.observation, observation_fingerprint(table)),
            ("actions", self.actions, actions_fingerprint(table)),
        ):
            if own != required:
                raise AgentError(
                    f"The network was trained at another table of {self.game}: its {subject} are "
                    f"not those of this one. Other parameters, or changed rules, need another "
                    f"network."
                )


def observation_fingerprint(table: Table) -> str:
    """The fingerprint of the features of observations at a table."""
    return text_fingerprint("\n".join(table.encoder.names))


def actions_fingerprint(table: Table) -> str:
    """The fingerprint of the index of a table's actions."""
    codes = table.encoder.actions.codes
    return text_fingerprint(
        "\n".join(
            f"{c.kind} {c.size or 'hash'} {[tuple(d) for d in c.digits or ()]}" for c in codes
        )
    )


def array_shapes(
    inputs: int, hidden: Sequence[int], outputs: int, players: int
) -> dict[str, tuple[int, ...]]:
    """The shapes of a network's arrays by name."""
    shapes: dict[str, tuple[int, ...]] = {}
    for i, (below, width) in enumerate(zip((inputs, *hidden), hidden, strict=False)):
        shapes[f"weights.{i}"] = (below, width)
        shapes[f"biases.{i}"] = (width,)
    shapes |= {"policy": (outputs, hidden[-1]), "policy_bias": (outputs,)}
    return shapes | {"value": (players, hidden[-1]), "value_bias": (players,)}


def new_network(
    table: Table, arrays: Mapping[str, Array], by: str = "place", scale: float = 1.0, **notes: Any
) -> Network:
    """A network for a table, from its arrays.

    Args:
        arrays: as ``Network.arrays``.
        by: the quantity that its values predict: ``"place"`` or ``"score"``.
        scale: the points of a score that make 1 of its values.
        notes: how it was trained.
    """
    count = sum(name.startswith("weights.") for name in arrays)
    return Network(
        table.game.name,
        table.players,
        observation_fingerprint(table),
        actions_fingerprint(table),
        tuple(arrays[f"weights.{i}"].shape[1] for i in range(count)),
        {name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()},
        by,
        scale,
        notes,
    )


# --- files ----------------------------------------------------------------------------------


def load_network(path: str | os.PathLike[str]) -> Network:
    """Reads a network from its file, or from a cache if the file was read before and is unchanged.

    Raises:
        FileError: there is no such file, or it is not a network.
    """
    place = Path(path).expanduser()
    try:
        status = place.stat()
    except OSError as problem:
        raise FileError(f"{path}: cannot be read: {problem.strerror}.") from None
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise FileError(f"{path}: is not a network of Kibitz, but a device or a pipe.")
    return _load(str(place.resolve()), str(path), status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=16)
def _load(place: str, path: str, changed: int, size: int) -> Network:
    if size > MOST_BYTES:
        raise FileError(f"{path}: has {size:,} bytes; a network has at most {MOST_BYTES:,}.")
    try:
        return _read(Path(place).read_bytes())
    except OSError as problem:
        raise FileError(f"{path}: cannot be read: {problem.strerror}.") from None
    except KeyError as problem:  # of zipfile; as text it would be in quotes
        raise FileError(
            f"{path}: is not a network of Kibitz ({problem.args[0]}); 'kibitz learn' makes one."
        ) from None
    except (ValueError, TypeError, RecursionError, zipfile.BadZipFile) as problem:
        raise FileError(
            f"{path}: is not a network of Kibitz ({problem}); 'kibitz learn' makes one."
        ) from None
    except (NotImplementedError, RuntimeError, EOFError, *UNPACKING) as problem:  # of zipfile
        raise FileError(f"{path}: is not a network of Kibitz: {problem}.") from None


def _read(content: bytes) -> Network:
    """The network in the content of a file; raises ValueError, or what ``zipfile`` raises.

    Nothing is unpacked before its size is known to be allowed.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > MOST_BYTES:
            raise ValueError(f"unpacked it has more than {MOST_BYTES:,} bytes")
        if archive.getinfo("header.npy").file_size > MOST_HEADER:
            raise ValueError("its header is too long")
        header = _Header.read(_member(archive, "header", np.uint8, None).tobytes())
        arrays = {
            name: _member(archive, name, np.float32, shape)
            for name, shape in header.shapes().items()
        }
    return Network(
        header.game,
        header.players,
        header.observation,
        header.actions,
        header.hidden,
        arrays,
        header.by,
        header.scale,
        header.notes,
    )


@dataclass(frozen=True)
class _Header:
    """The header of a file, checked."""

    game: str
    players: int
    observation: str
    actions: str
    inputs: int
    outputs: int
    hidden: tuple[int, ...]
    by: str
    scale: float
    notes: Mapping[str, Any]

    @classmethod
    def read(cls, text: bytes) -> _Header:
        """Parses and checks it; raises ValueError where it is wrong."""
        members = json.loads(text.decode())
        if not isinstance(members, dict) or members.get("format") != FORMAT:
            raise ValueError(f"its header does not say {FORMAT!r}")

        def member(name: str, kind: type, least: float = 0, most: float = 0) -> Any:
            value: Any = members.get(name)
            right = type(value) is kind or (kind is float and type(value) is int)
            if not right or (most > 0 and not least <= value <= most):
                raise ValueError(f"{name} = {value!r} in its header is wrong")
            return value

        hidden = member("hidden", list)
        widths = range(LANES, MOST_UNITS + 1, LANES)
        if not 1 <= len(hidden) <= MOST_LAYERS or any(
            type(width) is not int or width not in widths for width in hidden
        ):
            raise ValueError(f"hidden = {hidden!r} in its header is wrong")
        if members.get("by") not in UTILITIES:
            raise ValueError(f"by = {members.get('by')!r} in its header is wrong")
        return cls(
            member("game", str),
            member("players", int, 1, MAX_PLAYERS),
            member("observation", str),
            member("actions", str),
            member("inputs", int, 1, MOST_BYTES),
            member("outputs", int, 1, MOST_BYTES),
            tuple(hidden),
            members["by"],
            float(member("scale", float, 1e-9, 1e9)),
            member("notes", dict),
        )

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the arrays by name."""
        return array_shapes(self.inputs, self.hidden, self.outputs, self.players)


def _member(archive: zipfile.ZipFile, name: str, dtype: Any, shape: Any) -> Array:
    """An array of a file; ValueError if it has another type or shape, or is not finite."""
    with archive.open(f"{name}.npy") as file:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError(f"{name} is of an unknown version")
        declared, by_column, kind = np.lib.format.read_array_header_1_0(file)
        right = len(declared) == 1 if shape is None else declared == shape
        if kind != np.dtype(dtype) or by_column or not right:
            raise ValueError(f"{name} is {kind} of shape {declared}, and should have {shape}")
        size = int(np.prod(declared)) * kind.itemsize
        content = file.read(size + 1)
    if len(content) != size:
        raise ValueError(f"{name} has not the size that it declares")
    array = np.frombuffer(content, kind).reshape(declared)
    if kind.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} has numbers that are not finite")
    return array


# --- at a table -----------------------------------------------------------------------------


def network_at(network: Network, table: Table) -> Array:
    """The ``NETWORK`` record of a network at a table; both must outlive it.

    Raises:
        AgentError: the network was made for another table, or the game cannot be encoded.
    """
    try:
        network.check_table(table)
    except GameDefinitionError as problem:
        message = f"{table.game.name} has no observations for a network: {problem}"
        raise AgentError(message) from None
    record = np.zeros(1, NETWORK)
    compiled = evaluating()
    record["run"] = compiled["run"]
    record["share"] = compiled["share"]
    record["encoder"] = table.encoder.address
    record["players"] = network.players
    record["inputs"] = table.encoder.size
    record["layers"] = len(network.hidden)
    for i, width in enumerate(network.hidden):
        record["widths"][0, i] = width
        record["weights"][0, i] = network.arrays[f"weights.{i}"].ctypes.data
        record["biases"][0, i] = network.arrays[f"biases.{i}"].ctypes.data
    for name in ("policy", "policy_bias", "value", "value_bias"):
        record[name] = network.arrays[name].ctypes.data
    record["scale"] = network.scale
    return record


def network_room(network: Network) -> int:
    """The bytes of working memory for an evaluation."""
    return 4 * (network.inputs + sum(network.hidden) + network.players) + 64


def run_network(
    network: Address, rules: Address, state: Address, player: int, room: Address
) -> Address:
    """Runs the layers of a network on what a player sees; heads are read from the last layer.

    Args:
        network: address of the ``NETWORK`` record.
        rules: address of the ``RULES`` record.
        state: a state, in which what is hidden from the player is not read.
        room: address of ``network_room`` bytes.

    Returns:
        The address of the last layer, for ``write_policy`` and ``seat_value``.
    """
    return call_int_5(record_at(network, NETWORK).run, network, rules, state, player, room)


def write_policy(
    network: Address, last: Address, actions: Address, count: int, shares: Address
) -> None:
    """Writes the probability of each legal action: a softmax over their logits.

    Args:
        network: address of the ``NETWORK`` record.
        last: the result of ``run_network``.
        actions: address of an ``ACTION_LIST`` with `count` actions.
        shares: address where `count` 64-bit floats are written.
    """
    call_int_5(record_at(network, NETWORK).share, network, last, actions, count, shares)


def seat_value(network: Any, last: Address, seat: int) -> float:
    """The value of a state to a seat, in the unit of the search's utility. Compiled.

    Args:
        network: the ``NETWORK`` record.
        last: the result of ``run_network``.
        seat: counted from the observer on.
    """
    width = network.widths[network.layers - 1]
    values = array_at(last + 4 * width, FLOAT32, network.players)
    return float(network.scale * values[seat])


# --- compiled with loops for the processor's vectors, apart from the agents -----------------


@functools.cache
def evaluating() -> Mapping[str, int]:
    """The addresses of ``run`` and ``share``, compiled."""
    exports = {"run": Export(run, "iiiiii"), "share": Export(share, "iiiiii")}
    return compile_native("networks", exports)


def run(address: Address, rules: Address, state: Address, player: int, room: Address) -> int:
    """Evaluates the hidden layers and the value head, for ``run_network``."""
    network = record_at(address, NETWORK)
    encode(record_at(network.encoder, ENCODER), record_at(rules, RULES), state, player, room)
    source = room
    count = network.inputs
    target = room + 4 * count
    for layer in range(network.layers):
        width = network.widths[layer]
        rectify(source, count, network.weights[layer], network.biases[layer], target, width)
        source = target
        count = width
        target += 4 * width
    values = array_at(target, FLOAT32, network.players)
    for seat in range(network.players):
        values[seat] = output(source, count, network.value, network.value_bias, seat)
    return source


def rectify(
    source: Address, count: int, weights: Address, biases: Address, target: Address, width: int
) -> None:
    """One hidden layer: the positive part of weighted sums. Inputs of zero are skipped. Compiled.

    Args:
        source: address of `count` inputs.
        weights: address of a row of `width` numbers for each input.
        biases: address of `width` numbers.
        target: address where `width` outputs are written.
    """
    copy_bytes(target, biases, 4 * width)
    inputs = array_at(source, FLOAT32, count)
    outputs = array_at(target, FLOAT32, width)
    for i in range(count):
        x = inputs[i]
        if x != 0.0:
            row = array_at(weights + 4 * width * i, FLOAT32, width)
            for k in range(width):
                outputs[k] += x * row[k]
    for k in range(width):
        outputs[k] = max(outputs[k], _ZERO)


def output(last: Address, width: int, weights: Address, biases: Address, number: int) -> float:
    """One output of a head: a weighted sum of the last layer, whose width is a multiple of 8.

    Compiled. It keeps eight sums, so that the processor can add them in parallel.
    """
    x = array_at(last, FLOAT32, width)
    w = array_at(weights + 4 * width * number, FLOAT32, width)
    a, b, c, d = x[0] * w[0], x[1] * w[1], x[2] * w[2], x[3] * w[3]
    e, f, g, h = x[4] * w[4], x[5] * w[5], x[6] * w[6], x[7] * w[7]
    for k in range(8, width, 8):
        a += x[k] * w[k]
        b += x[k + 1] * w[k + 1]
        c += x[k + 2] * w[k + 2]
        d += x[k + 3] * w[k + 3]
        e += x[k + 4] * w[k + 4]
        f += x[k + 5] * w[k + 5]
        g += x[k + 6] * w[k + 6]
        h += x[k + 7] * w[k + 7]
    total = ((a + e) + (c + g)) + ((b + f) + (d + h))
    return float(total + array_at(biases + 4 * number, FLOAT32, 1)[0])


def share(address: Address, last: Address, actions: Address, count: int, shares: Address) -> int:
    """Writes the policy, for ``write_policy``."""
    network = record_at(address, NETWORK)
    width = network.widths[network.layers - 1]
    index = record_at(network.encoder, ENCODER).index
    legal = record_at(actions, ACTION_LIST)
    probabilities = array_at(shares, FLOAT64, count)
    taken = stack_record(TAKEN)
    if index.direct < index.count:
        clear_taken(taken)
    highest = -math.inf
    for i in range(count):
        at = index_of(index, legal.items[i])
        if at < 0:
            at = index.direct + hashed_place(legal.items[i], taken)
        probabilities[i] = output(last, width, network.policy, network.policy_bias, at)
        highest = max(highest, probabilities[i])
    total = 0.0
    for i in range(count):
        probabilities[i] = math.exp(probabilities[i] - highest)
        total += probabilities[i]
    for i in range(count):
        probabilities[i] = probabilities[i] / total if total > 0.0 else 1.0 / count
    return 0


def write_values(network: Any, last: Address, player: int, by_score: bool, values: Any) -> None:
    """Writes the value of the state to each seat: points, or 0 to 1 by the place. Compiled.

    Args:
        network: the ``NETWORK`` record.
        last: the result of ``run_network``.
        by_score: whether values are points.
        values: the array to write to, by seat.
    """
    for k in range(network.players):
        seat = player + k
        seat = seat if seat < network.players else seat - network.players
        value = seat_value(network, last, k)
        values[seat] = value if by_score else 0.5 + 0.5 * min(1.0, max(-1.0, value))


__all__ = [
    "Network",
    "load_network",
    "network_at",
    "network_room",
    "new_network",
]
