"""Example games: a typical one, and the extremes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.studies.measures.base import Measure
from kibitz.studies.sample import Array, RunMetadata, Sample

LOOKED_AT = 1000
"""Number of games, from the first one, among which the typical game is chosen."""


@dataclass(frozen=True)
class Example:
    """An example game; its seed and its agents reproduce it.

    Attributes:
        kind: ``typical``, ``shortest``, ``longest``, ``closest`` or ``clearest``.
        game: its number in the run, from 0.
        seed: the seed of this game, not of the run.
        agents: labels, seat by seat.
        scores: final scores, seat by seat.
    """

    kind: str
    game: int
    seed: int
    agents: tuple[str, ...]
    decisions: int
    scores: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "kind": self.kind,
            "game": self.game,
            "seed": self.seed,
            "agents": list(self.agents),
            "decisions": self.decisions,
            "scores": list(self.scores),
        }


class Examples(Measure):
    """Chooses the example games of a run."""

    members: ClassVar[dict[str, str]] = {
        "examples": "a list of games to look at; none is in it twice",
        "examples[].kind": f"`typical`: of the first {LOOKED_AT} games the one whose decisions, "
        "lead and best score are nearest to their medians, in units of the quartiles' distance; "
        "`shortest` and `longest`, by decisions; `closest` and `clearest`, by the lead: the "
        "points between the first place and the nearest score of another player. Of equal games "
        "it is the first one",
        "examples[].game": "its number in the run, from 0",
        "examples[].seed": "the seed of the game itself",
        "examples[].agents": "who sat in it, seat by seat",
        "examples[].decisions": "how many decisions it had",
        "examples[].scores": "the scores at its end, seat by seat",
    }

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._first: list[Array] = []
        self._extremes: dict[str, tuple[float, Array]] = {}

    def add(self, sample: Sample) -> None:
        games = sample.finished
        if len(games) == 0:
            return
        looked_at = _looked_at(sample)
        decisions = looked_at["decisions"].astype(np.float64)
        self._consider("shortest", -decisions, looked_at)
        self._consider("longest", decisions, looked_at)
        if not np.isnan(looked_at["lead"]).all():
            lead = np.nan_to_num(looked_at["lead"], nan=-1.0)
            self._consider("closest", np.where(lead < 0, -np.inf, -lead), looked_at)
            self._consider("clearest", lead, looked_at)
        self._keep(looked_at)

    def _consider(self, kind: str, extent: Array, games: Array) -> None:
        best = int(np.argmax(extent))
        self._include(kind, float(extent[best]), games[best].copy())

    def _include(self, kind: str, extent: float, game: Array) -> None:
        if kind not in self._extremes or extent > self._extremes[kind][0]:
            self._extremes[kind] = extent, game

    def _keep(self, games: Array) -> None:
        room = LOOKED_AT - sum(map(len, self._first))
        if room > 0:
            self._first.append(games[:room].copy())

    def finish(self) -> dict[str, Any]:
        examples: dict[int, Example] = {}
        if self._first:
            games = np.concatenate(self._first)
            chosen = {"typical": games[_most_typical(games)]}
            chosen |= {kind: game for kind, (_, game) in self._extremes.items()}
            for kind, game in chosen.items():
                examples.setdefault(int(game["game"]), self._example(kind, game))
        return {"examples": tuple(examples.values())}

    def _example(self, kind: str, game: Array) -> Example:
        return Example(
            kind=kind,
            game=int(game["game"]),
            seed=int(game["seed"]),
            agents=tuple(self.metadata.agents[agent] for agent in game["agents"].ravel()),
            decisions=int(game["decisions"]),
            scores=tuple(game["scores"].ravel().tolist()),
        )


def _looked_at(sample: Sample) -> Array:
    """A record per finished game, by which examples are chosen and described."""
    games, players = sample.finished, sample.metadata.players
    dtype = [
        ("game", np.int64),
        ("seed", np.int64),
        ("decisions", np.int64),
        ("lead", np.float64),  # NaN where all seats or none are in first place
        ("best", np.float64),
        ("agents", np.int32, (players,)),
        ("scores", np.float64, (players,)),
    ]
    records = np.zeros(len(games), dtype)
    records["game"] = sample.rows.shard.first + np.flatnonzero(sample.is_finished)
    records["seed"] = games["seed"]
    records["decisions"] = games["decisions"]
    records["agents"] = games["seats"]["agent"].reshape(-1, players)
    scores = games["seats"]["score"].reshape(-1, players)
    records["scores"] = scores
    first = sample.first
    winners = first.sum(axis=1)
    best = np.where(first, scores, 0.0).sum(axis=1) / np.maximum(winners, 1)
    apart = np.where(first, np.inf, np.abs(scores - best[:, None])).min(axis=1)
    decided = (winners > 0) & (winners < players)
    records["best"] = best
    records["lead"] = np.where(decided, apart, np.nan)
    return records


def _most_typical(games: Array) -> int:
    """The index of the game that is nearest to the medians of all games."""
    distance = np.zeros(len(games))
    for name in ("decisions", "lead", "best"):
        values = games[name].astype(np.float64)
        known = values[np.isfinite(values)]
        if len(known):
            low, middle, high = np.percentile(known, (25, 50, 75))
            apart = np.abs(values - middle) / (high - low or 1.0)
            distance += np.nan_to_num(apart, nan=np.nanmax(apart))
    return int(np.argmin(distance))
