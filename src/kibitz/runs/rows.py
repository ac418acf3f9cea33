"""The recorded data of games: rows, as arrays and as Arrow tables.

Every run has three tables. ``games`` has a row for each game, ``seats`` one for each game and
seat, and ``options`` the sums for the mean number of options at each of the first actions. If
they are recorded, ``decisions`` has a row for each decision, ``events`` one for each event and
each listener that observed it, and ``judgements`` one for each step of a judged game. No row
depends on the clock, so the same experiment gives the same rows everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz.arena.decisions import DECISION
from kibitz.arena.judging import OPTION, step_dtype
from kibitz.arena.match import result_dtype
from kibitz.core.agent import ADVICE_ITEM
from kibitz.core.records import joined
from kibitz.core.status import Status
from kibitz.runs.events import joined_events
from kibitz.runs.experiment import Experiment, Shard

if TYPE_CHECKING:
    import pyarrow as pa

Array = np.ndarray[Any, Any]

TABLES = ("games", "seats", "options")
"""The tables that every run has."""

MORE_TABLES = ("decisions", "events", "judgements")
"""The tables of runs that record them."""


def tables_of(experiment: Experiment) -> tuple[str, ...]:
    """The names of the tables of a run."""
    return (*TABLES, *(name for name in MORE_TABLES if name in experiment.record))


GAME_COLUMNS = {
    "seed": ("seed", "int64"),
    "actions": ("ticks", "int32"),
    "decisions": ("decisions", "int32"),
    "turns": ("turns", "int32"),
    "rounds": ("rounds", "int32"),
    "options": ("options", "int64"),
    "options_squared": ("options_squared", "int64"),
    "fewest_options": ("fewest_options", "int32"),
    "most_options": ("most_options", "int32"),
    "phase": ("phase", "int32"),
    "hidden": ("hidden", "float64"),
}
"""Columns of ``games`` that are fields of a match's result: the field, and the Arrow type."""

SEAT_COLUMNS = {
    "place": ("place", "int32"),
    "score": ("score", "float64"),
    "returns": ("returns", "float64"),
    "decisions": ("decisions", "int32"),
}
"""Columns of ``seats`` that are fields of a match's result: the field, and the Arrow type."""


@dataclass
class Rows:
    """The rows of the games of a shard that were played.

    Attributes:
        results: a record (``kibitz.arena.match.result_dtype``) for each game, in order.
        branching: for each of the first actions of a game, the number of options summed over the
            finished games, and the sum of the squares.
        seconds: duration on one thread.
        explanations: explanations of the rules for games that they broke off, by status and
            phase, each with the number of the first such game.
        exceptions: message of the first exception of rules or agents in Python, by status.
        decisions_made: a record (``kibitz.arena.decisions.DECISION``) for each decision, in order,
            if they are recorded.
        opinions: the agents' evaluations of options, for one decision after the other.
        event_table: the table ``events``, if events are recorded.
        steps: a record (``kibitz.arena.judging.step_dtype``) for each step of each judged game.
            The last step of a game is its end.
        judged_options: a record (``kibitz.arena.judging.OPTION``) for each option that was judged,
            for one step after the other.
    """

    shard: Shard
    results: Array
    branching: Array
    seconds: float = 0.0
    explanations: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    exceptions: dict[int, str] = field(default_factory=dict)
    decisions_made: Array = field(default_factory=lambda: np.zeros(0, DECISION))
    opinions: Array = field(default_factory=lambda: np.zeros(0, ADVICE_ITEM))
    event_table: pa.Table | None = None
    steps: Array = field(default_factory=lambda: np.zeros(0, step_dtype(1)))
    judged_options: Array = field(default_factory=lambda: np.zeros(0, OPTION))

    @classmethod
    def none(cls, shard: Shard, players: int) -> Rows:
        """Empty rows: no game of the shard was played."""
        return cls(shard, np.zeros(0, result_dtype(players)), np.zeros((2, 0), np.int64))

    def then(self, more: Rows) -> Rows:
        """These rows followed by those of the next games."""
        longer, shorter = sorted((self.branching, more.branching), key=np.size, reverse=True)
        branching = longer.copy()
        branching[:, : shorter.shape[1]] += shorter
        first = self.shard.first
        tables = [rows.event_table for rows in (self, more) if rows.event_table is not None]
        return Rows(
            Shard(first, more.shard.first + more.shard.games - first),
            joined([self.results, more.results]),
            branching,
            self.seconds + more.seconds,
            more.explanations | self.explanations,
            more.exceptions | self.exceptions,
            joined([self.decisions_made, more.decisions_made]),
            joined([self.opinions, more.opinions]),
            joined_events(tables) if tables else None,
            joined(
                [rows_of_part.steps for rows_of_part in (self, more) if len(rows_of_part.steps)]
                or [self.steps]
            ),
            joined([self.judged_options, more.judged_options]),
        )

    @property
    def complete(self) -> bool:
        """Whether all games of the shard were played."""
        return len(self.results) == self.shard.games

    # -- as tables --------------------------------------------------------------------------

    def games(self) -> pa.Table:
        """A row for each game."""
        import pyarrow as pa

        results = self.results
        n = len(results)
        names = np.array([status.name.lower() for status in Status])
        index = {int(status): i for i, status in enumerate(Status)}
        codes = np.array([index[s] for s in results["status"].tolist()], np.int8)
        columns = {
            "game": pa.array(np.arange(self.shard.first, self.shard.first + n)),
            "status": pa.DictionaryArray.from_arrays(codes, pa.array(names.tolist())),
            "culprit": pa.array(results["culprit"] + 1, mask=results["culprit"] < 0),
            "successors": pa.array(results["successors"], mask=results["successors"] < 0),
        }
        columns |= {
            name: pa.array(np.ascontiguousarray(results[source]), type_)
            for name, (source, type_) in GAME_COLUMNS.items()
        }
        return pa.table(columns)

    def seats(self) -> pa.Table:
        """A row for each game and seat."""
        import pyarrow as pa

        seats = self.results["seats"]
        n, players = seats.shape
        games = np.arange(self.shard.first, self.shard.first + n)
        columns = {
            "game": pa.array(np.repeat(games, players)),
            "seat": pa.array(np.tile(np.arange(1, players + 1, dtype=np.int8), n)),
            "agent": pa.array((seats["agent"] + 1).ravel(), "int8"),
        }
        columns |= {
            name: pa.array(seats[source].ravel(), type_)
            for name, (source, type_) in SEAT_COLUMNS.items()
        }
        return pa.table(columns)

    def times(self) -> pa.Table:
        """The nanoseconds of each game, and of each seat in it.

        Runs do not store them, because they depend on the clock.
        """
        import pyarrow as pa

        seats = self.results["seats"]["nanoseconds"]
        columns = {"game": self.results["nanoseconds"]}
        columns |= {f"seat {p + 1}": seats[:, p] for p in range(seats.shape[1])}
        return pa.table({k: pa.array(np.ascontiguousarray(v)) for k, v in columns.items()})

    def options(self) -> pa.Table:
        """A row for each of the first actions of a game: sums over the shard's games."""
        import pyarrow as pa

        sums, squares = self.branching
        return pa.table(
            {
                "shard": pa.array(np.full(len(sums), self.shard.first, np.int64)),
                "action": pa.array(np.arange(1, len(sums) + 1, dtype=np.int32)),
                "options": pa.array(sums),
                "options_squared": pa.array(squares),
            }
        )

    def decisions(self) -> pa.Table:
        """A row for each decision.

        It has the number of the action in the game, the number of legal actions, the index and
        the code of the chosen one, and the agent's evaluations of the options, if it has any.
        """
        import pyarrow as pa

        made = self.decisions_made
        ends = np.concatenate([[0], np.cumsum(made["opinions"])]).astype(np.int32)
        items = pa.StructArray.from_arrays(
            [np.ascontiguousarray(self.opinions[name]) for name in ("action", "weight", "value")],
            ["code", "weight", "value"],
        )
        return pa.table(
            {
                "game": pa.array(np.ascontiguousarray(made["game"])),
                "action": pa.array(made["action"] + 1),
                "seat": pa.array((made["seat"] + 1).astype(np.int8)),
                "options": pa.array(np.ascontiguousarray(made["options"])),
                "chosen": pa.array(made["chosen"] + 1, mask=made["chosen"] < 0),
                "code": pa.array(np.ascontiguousarray(made["code"])),
                "opinions": pa.ListArray.from_arrays(ends, items),
            }
        )

    def events(self) -> pa.Table:
        """A row for each event of a game and each listener that observed it.

        It has the number of the action before it (0: before the first), the seat (null: the
        reader of the record, who observes all choices and all public events), the event's number
        among these, its kind, its wording, and its data as JSON.
        """
        return joined_events([] if self.event_table is None else [self.event_table])

    def judgements(self) -> pa.Table:
        """A row for each step that was judged, the end of a game included.

        It has the number of the action; the seat to move (null at the end); the index of the
        chosen one among the judged options; whether chance had a part since the last step; the
        number of legal actions; how many of the judged options were drawn from them, or are all;
        the number of rollouts that did not end; and the number of judged options. For each seat
        it has the mean of all options and the value of the chosen one; for each option its code,
        and its value for the seat to move, as that seat sees the state and open. Each value is
        given for both halves of the rollouts.
        """
        import pyarrow as pa

        steps, options = self.steps, self.judged_options
        players = steps["seats"].shape[1]
        ends = np.concatenate([[0], np.cumsum(steps["judged"])]).astype(np.int32)
        items = pa.StructArray.from_arrays(
            [np.ascontiguousarray(options["code"])]
            + [np.ascontiguousarray(options[name][:, half]) for name, half in _HALVES],
            ["code", *(f"{name}_{half + 1}" for name, half in _HALVES)],
        )
        seats = pa.StructArray.from_arrays(
            [steps["seats"][name][:, :, half].ravel() for name, half in _SEAT_HALVES],
            [f"{name}_{half + 1}" for name, half in _SEAT_HALVES],
        )
        seat_ends = np.arange(0, players * len(steps) + 1, players, dtype=np.int32)
        columns = {
            "game": pa.array(np.ascontiguousarray(steps["game"])),
            "action": pa.array(steps["action"] + 1),
            "seat": pa.array((steps["seat"] + 1).astype(np.int8), mask=steps["seat"] < 0),
            "chosen": pa.array(steps["chosen"] + 1, mask=steps["chosen"] < 0),
            "chance": pa.array(steps["chance"] != 0),
        }
        columns |= {name: pa.array(np.ascontiguousarray(steps[name])) for name in _STEP_COUNTS}
        columns["seats"] = pa.ListArray.from_arrays(seat_ends, seats)
        columns["judgements"] = pa.ListArray.from_arrays(ends, items)
        return pa.table(columns)

    @classmethod
    def from_tables(cls, shard: Shard, players: int, tables: Mapping[str, pa.Table]) -> Rows:
        """The rows that were written as these tables.

        Args:
            tables: tables by name: all of ``TABLES``, and others if they were recorded.
        """
        games, seats, options = (tables[name] for name in TABLES)
        n = games.num_rows
        results = np.zeros(n, result_dtype(players))
        for name, (target, _) in GAME_COLUMNS.items():
            results[target] = games[name].to_numpy()
        known = {status.name.lower(): int(status) for status in Status}
        words = games["status"].cast("string").combine_chunks().dictionary_encode()
        codes = np.array([known[word] for word in words.dictionary.to_pylist()], np.int64)
        results["status"] = codes[words.indices.to_numpy()]
        results["culprit"] = games["culprit"].fill_null(0).to_numpy() - 1
        results["successors"] = games["successors"].fill_null(-1).to_numpy()
        for name, (target, _) in SEAT_COLUMNS.items():
            results["seats"][target] = seats[name].to_numpy().reshape(n, players)
        results["seats"]["agent"] = seats["agent"].to_numpy().reshape(n, players) - 1
        branching = np.array(
            [options["options"].to_numpy(), options["options_squared"].to_numpy()], np.int64
        )
        rows = cls(shard, results, branching)
        if "decisions" in tables:
            rows._read_decisions(tables["decisions"])
        if "judgements" in tables:
            rows._read_judgements(tables["judgements"], players)
        rows.event_table = tables.get("events")
        if "times" in tables:
            own, *seats = tables["times"].columns
            results["nanoseconds"] = own.to_numpy()
            for p, column in enumerate(seats):
                results["seats"]["nanoseconds"][:, p] = column.to_numpy()
        return rows

    def _read_decisions(self, table: pa.Table) -> None:
        made = np.zeros(table.num_rows, DECISION)
        for name in ("game", "options", "code"):
            made[name] = table[name].to_numpy()
        for name in ("action", "seat"):
            made[name] = table[name].to_numpy() - 1
        made["chosen"] = table["chosen"].fill_null(0).to_numpy() - 1
        lists = table["opinions"].combine_chunks()
        made["opinions"] = lists.value_lengths().to_numpy(zero_copy_only=False)
        items = lists.flatten()
        self.opinions = np.zeros(len(items), ADVICE_ITEM)
        for name, source in (("action", "code"), ("weight", "weight"), ("value", "value")):
            self.opinions[name] = items.field(source).to_numpy(zero_copy_only=False)
        self.decisions_made = made

    def _read_judgements(self, table: pa.Table, players: int) -> None:
        steps = np.zeros(table.num_rows, step_dtype(players))
        for name in ("game", "chance", *_STEP_COUNTS):
            steps[name] = table[name].to_numpy()
        steps["action"] = table["action"].to_numpy() - 1
        for name in ("seat", "chosen"):
            steps[name] = table[name].fill_null(0).to_numpy() - 1
        seats = table["seats"].combine_chunks().flatten()
        for name, half in _SEAT_HALVES:
            values = seats.field(f"{name}_{half + 1}").to_numpy(zero_copy_only=False)
            steps["seats"][name][:, :, half] = values.reshape(-1, players)
        items = table["judgements"].combine_chunks().flatten()
        options = np.zeros(len(items), OPTION)
        options["code"] = items.field("code").to_numpy(zero_copy_only=False)
        for name, half in _HALVES:
            options[name][:, half] = items.field(f"{name}_{half + 1}").to_numpy(
                zero_copy_only=False
            )
        self.steps, self.judged_options = steps, options


_STEP_COUNTS = ("options", "drawn", "cut", "judged")
"""Columns of ``judgements`` that are fields of a step."""

_HALVES = [(name, half) for name in ("seen", "open") for half in range(2)]
"""The values of an option, in both halves of the rollouts."""

_SEAT_HALVES = [(name, half) for name in ("before", "after") for half in range(2)]
"""The values of a seat, in both halves of the rollouts."""
