"""The recorded data of games: rows, as arrays and as Arrow tables.

Two tables describe every run. ``games`` has a row for each game, ``seats`` one for each game
and seat. A third one, ``options``, has for each of the first actions of a game the sums from
which follows how many options there were. Where they are recorded, ``decisions`` has a row for
each decision, ``events`` one for each event and each listener who was told of it, and
``judgements`` one for each step of a game that was judged. No row depends on the clock, so the
same experiment gives the same rows everywhere.
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
"""Those of runs that record them."""


def tables_of(experiment: Experiment) -> tuple[str, ...]:
    """The tables of a run."""
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
"""The same for ``seats``."""


@dataclass
class Rows:
    """The rows of a shard, as far as it was played.

    Attributes:
        shard: which part of the run.
        results: a record (``kibitz.arena.match.result_dtype``) for each game, in order.
        branching: for each of the first actions of a game how many options there were, summed
            over the finished games; then the sums of the squares.
        seconds: how long it took, on one thread.
        explanations: why rules broke games off, in their own words, by status and phase; with
            the number of the first such game.
        exceptions: what rules or agents written in Python raised first, by status, in words.
        decisions_made: a record (``kibitz.arena.decisions.DECISION``) for each decision, in order,
            where they are recorded.
        opinions: what the agents thought of options, for one decision after the other.
        event_table: what ``events`` gives, where events are recorded.
        steps: a record (``kibitz.arena.judging.step_dtype``) for each step of each finished game,
            where they are judged. The last step of a game is its end.
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
        """These rows, followed by those of the next games."""
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
            joined([part.steps for part in (self, more) if len(part.steps)] or [self.steps]),
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
        """The nanoseconds that each game took, and each seat in it. No run stores them, since they
        depend on the clock.
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
        """A row for each decision: the action's number in the game, how many were legal, which
        of them was chosen, its code, and what the agent thought of each, if it thinks.
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
        """A row for each event of a game, and for each listener who was told of it: after which
        action (0: before the first), which seat (null: the reader of the record, who is told all
        that was chosen and what everybody knows), the event's number among these, its kind, its
        words, and its data as JSON.
        """
        return joined_events([] if self.event_table is None else [self.event_table])

    def judgements(self) -> pa.Table:
        """A row for each step that was judged, the end of a game included.

        It has the number of the action; who was to move (null: nobody); which of the judged
        options was chosen; whether chance had a part since the last step; how many actions were
        legal; how many of the judged options were drawn from them, or are all; how many
        rollouts came to no end; and how many options were judged. For each seat the mean of all
        options and the value of the chosen one; for each option its code, and its value to the
        mover, seen and open. Each value is there twice, from each half of the rollouts.
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
            shard: whose rows they are.
            players: at the table.
            tables: by name; all of ``TABLES``, and others as far as they were recorded.
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
"""Columns of ``judgements`` that are members of a step."""
_HALVES = [(name, half) for name in ("seen", "open") for half in range(2)]
_SEAT_HALVES = [(name, half) for name in ("before", "after") for half in range(2)]
"""The values of options and of seats, in both halves of the rollouts."""
