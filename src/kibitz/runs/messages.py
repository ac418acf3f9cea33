"""The messages between the processes of a run: jobs and shards as JSON, rows as Arrow streams."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz import loading
from kibitz.core.agent import Agent
from kibitz.core.errors import FileError
from kibitz.core.game import Game, Table
from kibitz.runs.experiment import Experiment, Shard
from kibitz.runs.ledger import Entry
from kibitz.runs.rows import Rows, tables_of
from kibitz.syntax.source import Source

READY = b"ready"
"""The answer of a process that has read its job."""

ROWS = b"rows"
"""The first part of an answer whose other parts are rows."""

PROBLEM = b"problem"
"""The first part of an answer whose other part is an error message."""

TABLES_KEPT = 8
"""Number of tables that a process keeps for later jobs; a search has many at the same table."""


@dataclass(frozen=True)
class Job:
    """An experiment, with all that another process needs to play it.

    Attributes:
        game: source of the game: "rules" (the name and the text of a file) or "code" (as
            ``kibitz.load`` takes it), and whether it is "compiled".
        agents: for each agent its "class" (``MODULE:CLASS``) and its "options".
    """

    experiment: Experiment
    game: dict[str, Any]
    agents: list[dict[str, Any]]

    @classmethod
    def of(cls, experiment: Experiment, table: Table, agents: Sequence[Agent]) -> Job | None:
        """The job of an experiment; ``None`` if other processes cannot make the game or an agent.

        That is the case if its class, or a function among the options of an agent, cannot be
        imported, or if an agent has its own constructor.
        """
        game = _place_of_game(table.game)
        classes = [_place_of(type(agent)) for agent in agents]
        own = any(type(agent).__init__ is not Agent.__init__ for agent in agents)
        values = (value for agent in agents for value in agent.options.as_dict().values())
        functions = [_place_of(value) for value in values if callable(value)]
        if game is None or own or None in classes or None in functions:
            return None
        described = [
            {"class": place, "options": agent.options.to_json()}
            for place, agent in zip(classes, agents, strict=True)
        ]
        return cls(experiment, game, described)

    def to_bytes(self) -> bytes:
        """The job as JSON, with the module search path of this process."""
        document = {
            "experiment": self.experiment.to_json(),
            "game": self.game,
            "agents": self.agents,
            "path": sys.path,
        }
        return json.dumps(document).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> Job:
        """The job that ``to_bytes`` wrote; this process takes over its module search path.

        Raises:
            FileError: the job is of another version of Kibitz.
        """
        document = json.loads(content)
        sys.path[:] = document["path"]
        experiment = Experiment.from_json(document["experiment"], "the job")
        return cls(experiment, document["game"], document["agents"])

    def seated(self) -> tuple[Table, list[Agent]]:
        """The table and the agents.

        Raises:
            FileError: the rules have changed in between.
            KibitzError: the game or an agent cannot be found.
        """
        experiment = self.experiment
        table = _table_of(
            json.dumps([self.game, experiment.game, experiment.rules]),
            experiment.players,
            json.dumps(experiment.parameters),
        )
        return table, [_found(agent["class"])(**agent["options"]) for agent in self.agents]


@functools.lru_cache(TABLES_KEPT)
def _table_of(described: str, players: int, parameters: str) -> Table:
    """The table of a game that is described by JSON, cached."""
    place, name, rules = json.loads(described)
    if "rules" in place:
        game = loading.from_text(Source(*place["rules"]), name=name)
    else:
        game = loading.load(place["code"], compiled=place["compiled"])
    if game.fingerprint != rules:
        raise FileError(f"The rules of {name} have changed since the run began.")
    game.origin.before_play = None  # the sender of the job has tried it
    return game.table(players, json.loads(parameters))


def _place_of_game(game: Game) -> dict[str, Any] | None:
    if game.rules_text is not None:
        suffix, text = game.rules_text
        return {"rules": [game.name + suffix, text]}
    place = game.origin.where or _place_of(type(game))
    return None if place is None else {"code": place, "compiled": game.compiled}


def _place_of(code: Any) -> str | None:
    """``MODULE:NAME`` of a class or function; ``None`` if another process cannot import it."""
    module, name = getattr(code, "__module__", ""), getattr(code, "__name__", "")
    if module == "__main__" or getattr(sys.modules.get(module), name, None) is not code:
        return None
    return f"{module}:{name}"


def _found(place: str) -> Any:
    module, _, name = place.partition(":")
    __import__(module)
    return getattr(sys.modules[module], name)


def shard_to_bytes(shard: Shard) -> bytes:
    """A shard as JSON."""
    return json.dumps(shard._asdict()).encode()


def shard_from_bytes(content: bytes) -> Shard:
    """The shard that ``shard_to_bytes`` wrote."""
    return Shard(**json.loads(content))


def rows_to_bytes(rows: Rows, experiment: Experiment) -> Iterator[bytes]:
    """Rows as a line of the ledger and an Arrow stream for each table, times included."""
    import pyarrow as pa

    yield Entry.of(rows).text().encode()
    for name in _tables(experiment):
        table = getattr(rows, name)()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        yield sink.getvalue().to_pybytes()


def rows_from_bytes(receive: Callable[[], bytes], shard: Shard, experiment: Experiment) -> Rows:
    """The rows of a shard that ``rows_to_bytes`` wrote, received part by part."""
    import pyarrow as pa

    entry = Entry.read(receive().decode())
    tables = {name: pa.ipc.open_stream(receive()).read_all() for name in _tables(experiment)}
    rows = Rows.from_tables(shard, experiment.players, tables)
    entry.describe(rows)
    return rows


def _tables(experiment: Experiment) -> tuple[str, ...]:
    return (*tables_of(experiment), "times")
