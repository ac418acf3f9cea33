"""Records of games: every action and the result, and their JSON.

The JSON has the seed and a line for each move; it is read member by member.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import kibitz
from kibitz.core.errors import FileError, ParameterError
from kibitz.core.files import write_text
from kibitz.core.game import Table
from kibitz.core.parameters import json_object, read_json_object
from kibitz.core.randomness import check_game_seed
from kibitz.core.status import MAX_PLAYERS, Status
from kibitz.loading import Playable, find_table, load
from kibitz.sessions.kept_rules import KeptRules

FORMAT = 2
"""Version of the JSON; it changes when a member changes its meaning, or a seed its chance."""
MOST_OF_STREAM = 1000
"""Numbers that tell where an agent is in its random stream."""
Streams: TypeAlias = tuple[tuple[int, ...], ...]
"""Where the agent of each seat is in its random stream; empty for people."""


class Move(NamedTuple):
    """One action of a game."""

    player: int
    """Who played it, from 0."""
    action: int
    words: str
    forced: bool
    """Whether nothing else was legal."""


@dataclass(frozen=True)
class Result:
    """How a game ended.

    Attributes:
        status: ``finished``, or the name of the ``Status`` that says why it was not.
        places: each player's place, 1 being first; 0 in a game that was not finished.
        scores: each player's score at the end, by seat.
        culprit: the player, from 0, whose agent chose an illegal action or failed.
        refused: the illegal action, in words.
    """

    status: str
    places: tuple[int, ...]
    scores: tuple[float, ...]
    culprit: int | None = None
    refused: str | None = None


@dataclass(frozen=True)
class Record:
    """A game that was played.

    Attributes:
        game: the name of the game, as ``kibitz games`` lists it.
        parameters: the values of its parameters by name, as JSON.
        players: how many sat at the table.
        agents: who played, seat by seat.
        seed: of the game itself.
        moves: all actions, those without a choice included.
        result: how the game ended, with places and scores.
        final_state: SHA-256 of the bytes of the last state.
        rules: by which it was played.
        streams: of a game that is to be gone on with, where each agent is in its random stream.
        restarts: after how many moves the agents forgot what they had learned, since moves were
            taken back or the game was resumed.
        detours: after how many moves the agents' random streams went on from elsewhere, and from
            where: moves of an earlier sitting had been taken back.
        version: of Kibitz, which wrote the record.
        source: where it was read from, for messages.
    """

    game: str
    parameters: dict[str, Any]
    players: int
    agents: tuple[str, ...]
    seed: int
    moves: tuple[Move, ...]
    result: Result
    final_state: str
    rules: KeptRules = field(compare=False)
    streams: Streams = ()
    restarts: tuple[int, ...] = field(default=(), compare=False)
    detours: tuple[tuple[int, Streams], ...] = field(default=(), compare=False)
    version: str = field(default_factory=lambda: kibitz.__version__)
    source: str = field(default="the record", compare=False)

    @property
    def actions(self) -> list[int]:
        """The actions as numbers."""
        return [move.action for move in self.moves]

    @property
    def words(self) -> list[str]:
        """The actions in words."""
        return [move.words for move in self.moves]

    def table(self, game: Playable | None = None) -> Table:
        """The table it was played at.

        Args:
            game: the one it is of; of a table, that one.  [default: that of the text in the
                record, else the one that is registered by its name; no file or code that a record
                names is looked for, since it may be anybody's]

        Raises:
            UnknownGameError: no game of that name is registered.
            ParameterError: the game does not allow these players or parameters.
        """
        if isinstance(game, Table):
            return game
        if game is not None:
            chosen = load(game)
        else:
            chosen = self.rules.game(self.game)
        try:
            return find_table(chosen, self.players, self.parameters)
        except ParameterError as problem:
            raise ParameterError(f"{self.source}: {problem}") from None

    def to_json(self) -> dict[str, Any]:
        """The record as JSON; players are numbered from 1."""
        result = self.result
        rules = {"language": self.rules.language, "fingerprint": self.rules.fingerprint}
        rules |= {"file": self.rules.file} if self.rules.file else {}
        rules |= {"text": self.rules.text} if self.rules.text else {}
        document: dict[str, Any] = {
            "format": FORMAT,
            "kibitz": self.version,
            "game": self.game,
            "players": self.players,
            "parameters": self.parameters,
            "agents": list(self.agents),
            "seed": self.seed,
            "moves": [
                {"player": m.player + 1, "action": m.action, "words": m.words}
                | ({"forced": True} if m.forced else {})
                for m in self.moves
            ],
            "result": {
                "status": result.status,
                "places": list(result.places),
                "scores": list(result.scores),
                "culprit": None if result.culprit is None else result.culprit + 1,
                "refused": result.refused,
            },
            "final_state": self.final_state,
            "rules": rules,
        }
        if self.streams:
            document["streams"] = [list(stream) for stream in self.streams]
        if self.restarts:
            document["restarts"] = list(self.restarts)
        if self.detours:
            document["detours"] = [
                {"moves": moves, "streams": [list(stream) for stream in streams]}
                for moves, streams in self.detours
            ]
        return document

    @classmethod
    def from_json(cls, document: dict[str, Any] | str, source: str = "the record") -> Record:
        """The record that ``to_json`` described.

        Whether its moves are legal is only known when it is replayed.

        Args:
            document: a JSON object or its text.
            source: what error messages call it.

        Raises:
            FileError: it is not such a description; names the place or the member.
        """
        if isinstance(document, str):
            document = json_object(document, source)
        return _Reader(document, source).record()

    def write(self, path: Path | str) -> None:
        """Writes the record to a file, a move to a line; whole, or not at all.

        Raises:
            FileError: it cannot be written.
        """
        write_text(path, record_to_text(self))

    @classmethod
    def read(cls, path: Path | str) -> Record:
        """The record in a file.

        Raises:
            FileError: the file cannot be read or is no record; names the place or the member.
        """
        return cls.from_json(read_json_object(path), str(path))


def record_to_text(record: Record) -> str:
    """The record as JSON text, a move to a line."""
    lines = []
    for name, value in record.to_json().items():
        if name == "moves" and value:
            moves = ",\n".join("  " + json.dumps(move, ensure_ascii=False) for move in value)
            text = f"[\n{moves}\n ]"
        else:
            text = json.dumps(value, ensure_ascii=False)
        lines.append(f' "{name}": {text}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


class _Reader:
    """Reads a record's JSON, member by member."""

    def __init__(self, document: Any, source: str) -> None:
        self.document = document
        self.source = source

    def record(self) -> Record:
        """Reads the record."""
        self.check(isinstance(self.document, dict), "", "a JSON object")
        top = self.document
        version = self.member(top, "format", "", int)
        if version != FORMAT:
            raise FileError(
                f"{self.source}: format {version} cannot be read; this Kibitz reads {FORMAT}."
            )
        players = self.member(top, "players", "", int)
        self.check(1 <= players <= MAX_PLAYERS, "players", "a number of players")
        agents = self.items(top, "agents", "", str, players)
        parameters = self.member(top, "parameters", "", dict)
        for name, value in parameters.items():
            valid = isinstance(value, int | float | str)
            self.check(valid, f"parameters.{name}", "a number, a word, true or false")
        moves = self.member(top, "moves", "", list)
        return Record(
            game=self.member(top, "game", "", str),
            parameters=parameters,
            players=players,
            agents=tuple(agents),
            seed=self.seed(top),
            moves=tuple(self.move(m, f"moves[{i}]", players) for i, m in enumerate(moves)),
            result=self.result(self.member(top, "result", "", dict), players),
            final_state=self.member(top, "final_state", "", str),
            rules=self.rules(self.member(top, "rules", "", dict)),
            streams=self.streams(top, players) if "streams" in top else (),
            restarts=self.restarts(top, len(moves)) if "restarts" in top else (),
            detours=self.detours(top, players, len(moves)) if "detours" in top else (),
            version=self.member(top, "kibitz", "", str),
            source=self.source,
        )

    def seed(self, top: dict[str, Any]) -> int:
        """Reads the member ``seed``."""
        self.check("seed" in top, "seed", "there", "is missing")
        seed = top["seed"]
        self.check(type(seed) is int, "seed", "a whole number")
        try:
            check_game_seed(seed)
        except ParameterError as problem:
            raise FileError(f"{self.source}: {problem}") from None
        return int(seed)

    def move(self, document: Any, path: str, players: int) -> Move:
        """One entry of ``moves``."""
        self.check(isinstance(document, dict), path, "an object")
        player = self.member(document, "player", path, int)
        self.check(1 <= player <= players, f"{path}.player", f"from 1 to {players}")
        action = self.member(document, "action", path, int)
        words = self.member(document, "words", path, str)
        forced = document.get("forced", False)
        self.check(isinstance(forced, bool), f"{path}.forced", "true or false")
        return Move(player - 1, action, words, forced)

    def streams(self, document: dict[str, Any], players: int, path: str = "") -> Streams:
        """The ``streams``, or those of a detour."""
        streams = self.items(document, "streams", path, list, players)
        path = f"{path}.streams" if path else "streams"
        for p, numbers in enumerate(streams):
            self.check(len(numbers) <= MOST_OF_STREAM, f"{path}[{p}]", "no longer")
            for i, number in enumerate(numbers):
                self.kind(number, f"{path}[{p}][{i}]", int)
        return tuple(map(tuple, streams))

    def detours(
        self, top: dict[str, Any], players: int, moves: int
    ) -> tuple[tuple[int, Streams], ...]:
        """Reads the member ``detours``."""
        detours = []
        for i, detour in enumerate(self.member(top, "detours", "", list)):
            path = f"detours[{i}]"
            self.check(isinstance(detour, dict), path, "an object")
            number = self.member(detour, "moves", path, int)
            self.check(0 <= number <= moves, f"{path}.moves", f"from 0 to {moves}")
            detours.append((number, self.streams(detour, players, path)))
        return tuple(detours)

    def restarts(self, top: dict[str, Any], moves: int) -> tuple[int, ...]:
        """Reads the member ``restarts``."""
        restarts = self.member(top, "restarts", "", list)
        for i, number in enumerate(restarts):
            self.kind(number, f"restarts[{i}]", int)
            self.check(0 <= number <= moves, f"restarts[{i}]", f"from 0 to {moves}")
        return tuple(restarts)

    def rules(self, document: dict[str, Any]) -> KeptRules:
        """Reads the member ``rules``."""
        known = {name: document.get(name, "") for name in ("file", "text")}
        for name, value in known.items():
            self.kind(value, f"rules.{name}", str)
        return KeptRules(
            fingerprint=self.member(document, "fingerprint", "rules", str),
            language=self.member(document, "language", "rules", str),
            **known,
        )

    def result(self, document: dict[str, Any], players: int) -> Result:
        """Reads the member ``result``."""
        status = self.member(document, "status", "result", str)
        names = [s.name.lower() for s in Status if s != Status.PLAYING]
        self.check(status in names, "result.status", f"one of {', '.join(names)}")
        culprit = document.get("culprit")
        if culprit is not None:
            self.member(document, "culprit", "result", int)
            self.check(1 <= culprit <= players, "result.culprit", f"from 1 to {players}")
        refused = document.get("refused")
        if refused is not None:
            self.member(document, "refused", "result", str)
        return Result(
            status=status,
            places=tuple(self.items(document, "places", "result", int, players)),
            scores=tuple(map(float, self.items(document, "scores", "result", float, players))),
            culprit=None if culprit is None else culprit - 1,
            refused=refused,
        )

    def member(self, document: dict[str, Any], name: str, path: str, kind: type) -> Any:
        """A member that must be there and of a kind."""
        path = f"{path}.{name}" if path else name
        self.check(name in document, path, "there", "is missing")
        self.kind(document[name], path, kind)
        return document[name]

    def items(
        self, document: dict[str, Any], name: str, path: str, kind: type, length: int
    ) -> list[Any]:
        """A list of values of a kind, one for each player."""
        values: list[Any] = self.member(document, name, path, list)
        path = f"{path}.{name}" if path else name
        self.check(len(values) == length, path, f"of {length} values, one for each player")
        for i, value in enumerate(values):
            self.kind(value, f"{path}[{i}]", kind)
        return values

    def kind(self, value: Any, path: str, kind: type) -> None:
        """Checks a value's type; whole numbers must fit into 64 bits."""
        words = {int: "a whole number", float: "a number", str: "a text"}
        words |= {list: "a list", dict: "an object"}
        allowed = (int, float) if kind is float else kind
        valid = isinstance(value, allowed) and not isinstance(value, bool)
        if valid and isinstance(value, int):
            self.check(-(2**63) <= value < 2**63, path, "a whole number of 64 bits")
        elif valid and isinstance(value, float):
            valid = math.isfinite(value)
        self.check(valid, path, words[kind])

    def check(self, valid: bool, path: str, description: str, problem: str = "") -> None:
        """Raises FileError, naming the member, unless `valid`."""
        if not valid:
            place = f"{self.source}: {path}" if path else f"{self.source}:"
            raise FileError(
                f"{place} {problem}." if problem else f"{place} should be {description}."
            )


def check_record(value: object) -> None:
    """Checks that an argument is a record.

    Raises:
        ParameterError: it is something else, such as the name of a file.
    """
    if not isinstance(value, Record):
        raise ParameterError(f"record = {value!r} should be a record; Record.read reads a file.")
