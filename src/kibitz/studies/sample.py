"""The input of measures: the metadata of a run, and its games shard by shard."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.arena.retrace import Traces, retrace
from kibitz.core.agent import Agent
from kibitz.core.errors import KibitzError
from kibitz.core.game import Table
from kibitz.core.records import selected
from kibitz.core.sides import fair_share
from kibitz.core.state import count_pieces
from kibitz.core.status import Status
from kibitz.runs.rows import Rows
from kibitz.studies.judged import Judged

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class RunMetadata:
    """The properties of a run that measures need besides its rows.

    Attributes:
        agents: labels of the agents, in the order of the seats of the first game.
        timed: for each agent, whether its thinking time is measured.
        rotated: whether the agents move on by one seat from game to game.
        hides: whether the game can hide anything.
        pieces: number of pieces after setup; 0 if the game cannot be set up.
    """

    players: int
    agents: tuple[str, ...]
    timed: tuple[bool, ...]
    rotated: bool
    hides: bool
    pieces: int
    table: Table

    @property
    def fair_share(self) -> float:
        """The share of wins of each side if all are equally good; 0 where nobody can win.

        Where all can only win together it is one player's share among all.
        """
        if self.table.is_only_scored:
            return 0.0
        return fair_share(self.table.sides) if self.table.has_rivals else 1 / self.players

    @classmethod
    def of(cls, table: Table, agents: Sequence[Agent], rotated: bool) -> RunMetadata:
        """The metadata of a run of `agents` at `table`."""
        return cls(
            players=table.players,
            agents=tuple(agent.label or type(agent).__name__ for agent in agents),
            timed=tuple(bool(getattr(agent, "sees", True)) for agent in agents),
            rotated=rotated,
            hides=bool(table.record["slot_count"][0]),
            pieces=_pieces(table),
            table=table,
        )


def _pieces(table: Table) -> int:
    try:
        return count_pieces(table.new_state(0))
    except KibitzError:  # the measure of endings reports why setup fails
        return 0


class Sample:
    """The games of a shard, prepared for measures.

    Attributes:
        games: a record (``kibitz.arena.match.result_dtype``) for each game.
        is_finished: for each game, whether it was finished.
        finished: the records of the finished games only.
    """

    def __init__(self, metadata: RunMetadata, rows: Rows) -> None:
        self.metadata = metadata
        self.rows = rows
        self.games: Array = rows.results
        self.is_finished: Array = self.games["status"] == Status.FINISHED
        self.finished: Array = selected(self.games, self.is_finished)

    @functools.cached_property
    def traces(self) -> Traces:
        """The finished games, replayed in order from their recorded decisions.

        Raises:
            ValueError: decisions were not recorded.
        """
        made = self.rows.decisions_made
        games = self.finished
        first = self.rows.shard.first
        chosen = made["code"][self.is_finished[made["game"] - first]]
        return retrace(self.metadata.table, games["seed"], games["decisions"], chosen)

    @functools.cached_property
    def judged(self) -> Judged | None:
        """The data of judged games; ``None`` if none were judged."""
        if not len(self.rows.steps):
            return None
        return Judged(self.rows.steps, self.rows.judged_options, self.metadata.fair_share)

    @functools.cached_property
    def places(self) -> Array:
        """The place of each seat in each finished game."""
        return self.finished["seats"]["place"].reshape(-1, self.metadata.players)

    @functools.cached_property
    def first(self) -> Array:
        """Whether each seat came first in each finished game; never where it is only scored."""
        return np.logical_and(not self.metadata.table.is_only_scored, self.places == 1)

    @functools.cached_property
    def leaders(self) -> Array:
        """The first seat of each side; partners have the same place."""
        return np.array([side[0] for side in self.metadata.table.sides])

    @functools.cached_property
    def winners(self) -> Array:
        """How many sides came first in each finished game."""
        return self.first[:, self.leaders].sum(axis=1)

    @functools.cached_property
    def won_together(self) -> Array:
        """Whether each finished game was won by everybody, as in a cooperative game."""
        won = self.finished["seats"]["returns"].reshape(self.places.shape) > 0
        return np.logical_and(self.metadata.players > 1, self.first.all(axis=1) & won.all(axis=1))

    @functools.cached_property
    def lost_together(self) -> Array:
        """Whether each finished game was lost by everybody."""
        return np.logical_and(self.metadata.players > 1, (self.places > 1).all(axis=1))

    @functools.cached_property
    def wins(self) -> Array:
        """The share of the win of each seat's side in each finished game.

        It is 1 / k where k sides share the first place, and 1 for each where all win together.
        """
        share = np.where(self.won_together, 1.0, 1.0 / np.maximum(self.winners, 1))
        return self.first * share[:, None]

    @functools.cached_property
    def tied(self) -> Array:
        """Whether the first place was shared in each finished game that was not won together."""
        return (self.winners > 1) & ~self.won_together

    @functools.cached_property
    def non_losses(self) -> Array:
        """Whether each seat was better than last in each finished game."""
        last = self.places.max(axis=1, initial=1)[:, None]
        return (self.places < last) | (self.places <= 1)
