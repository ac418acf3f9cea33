"""Tournaments: every player in every role of every game, equally often."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import FileError
from kibitz.core.files import write_text
from kibitz.core.parameters import read_json_object
from kibitz.core.statistics import Summary
from kibitz.gdl.game import GdlGame
from kibitz.ggp.manager import Manager, MatchSettings
from kibitz.ggp.position import is_random
from kibitz.ggp.record import MatchRecord
from kibitz.ggp.table import Players, played_roles
from kibitz.studies.moments import Moments
from kibitz.studies.tournament.ratings import Rating, Ratings, pooled, rate

MOST_PERMUTED = 3
"""Maximum number of roles for which players take the seats in every order."""
LOST = -1
"""The goal, for ratings, of a player whose move was replaced: less than any real goal."""
PLAN = "tournament.json"


def assignments(roles: int, players: int) -> list[tuple[int, ...]]:
    """The matches of a round: for each, the index of the player in each role.

    Every player has every role equally often. With up to three roles there is a match for each
    order of each choice of players; with more, only for each rotation. With more roles than
    players, some players have several roles.
    """
    if roles <= players:
        groups: Iterator[tuple[int, ...]] = itertools.combinations(range(players), roles)
    else:
        groups = iter([tuple(i % players for i in range(roles))])
    seatings: dict[tuple[int, ...], None] = {}
    for group in groups:
        if roles <= MOST_PERMUTED:
            seatings.update(dict.fromkeys(itertools.permutations(group)))
        else:
            turned = (group[i:] + group[:i] for i in range(roles))
            seatings.update(dict.fromkeys(turned))
    return sorted(seatings)


@dataclass(frozen=True)
class Fixture:
    """A match of a tournament: the game, the round, and the player in each role."""

    game: str
    round: int
    players: tuple[int, ...]

    @property
    def file(self) -> str:
        """The name of the file of the match's record."""
        stem = re.sub(r"[^A-Za-z0-9_-]", "-", self.game)
        return f"{stem}.{self.round + 1}.{'-'.join(str(p + 1) for p in self.players)}.json"


@dataclass(frozen=True)
class Tournament:
    """The players, the games and the settings of a tournament.

    Attributes:
        games: the games, by the names that the user gave.
        players: the descriptions of the players.
        rounds: how often each game is played with each assignment of roles.
        settings: the settings of all matches; the seed of each is derived from their seed.
        folder: the folder of the records.
    """

    games: dict[str, GdlGame]
    players: list[str]
    rounds: int
    settings: MatchSettings
    folder: Path

    def fixtures(self) -> list[Fixture]:
        """All matches, in the order in which they are played."""
        return [
            Fixture(name, number, seated)
            for number in range(self.rounds)
            for name, game in self.games.items()
            for seated in assignments(len(played_roles(game)), len(self.players))
        ]

    # -- the folder --------------------------------------------------------------------------

    def _plan(self) -> dict[str, Any]:
        """The settings that must be the same to continue a tournament."""
        return {
            "games": list(self.games),
            "players": self.players,
            "startClock": self.settings.startclock,
            "playClock": self.settings.playclock,
            "replace": self.settings.replace.value,
            "scrambled": self.settings.scramble,
        }

    def open(self) -> dict[Fixture, MatchRecord]:
        """Creates the folder, or reads the records of the matches that have been played.

        Raises:
            FileError: the folder cannot be used, or contains another tournament.
        """
        plan = self.folder / PLAN
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not plan.exists():
                if any(self.folder.iterdir()):
                    raise FileError(f"{self.folder}: has other files in it; take a new folder.")
                _write(plan, self._plan())
                return {}
        except OSError as problem:
            raise FileError(f"{self.folder}: cannot be used: {problem.strerror}.") from None
        recorded = read_json_object(plan)
        for name, value in self._plan().items():
            if recorded.get(name) != value:
                raise FileError(
                    f"{self.folder}: has another tournament in it: {name} was "
                    f"{_listed(recorded.get(name))}, "
                    f"not {_listed(value)}. "
                    "Take a new folder, or the same options."
                )
        played = {}
        for fixture in self.fixtures():
            if (self.folder / fixture.file).exists():
                played[fixture] = MatchRecord.read(self.folder / fixture.file)
        return played

    async def play(
        self,
        played: dict[Fixture, MatchRecord],
        stopped: asyncio.Event,
        tell: Callable[[int, Fixture, Manager], None] = lambda number, fixture, manager: None,
    ) -> None:
        """Plays the remaining matches, until it is stopped.

        Args:
            played: the records of the matches played so far; new ones are added.
            stopped: ends the tournament when it is set.
            tell: called after each match with its number, from 1.
        """
        ours = Players(self.players, self.settings.seed % 2**32)
        stopping = asyncio.ensure_future(stopped.wait())
        try:
            for number, fixture in enumerate(self.fixtures(), 1):
                if fixture in played:
                    continue
                if stopped.is_set():
                    return
                manager = await self._manager(number, fixture, ours)
                running = asyncio.ensure_future(manager.run())
                waiting: list[asyncio.Future[Any]] = [running, stopping]
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if stopping.done():
                    manager.stop()
                record = await running
                if stopped.is_set() and record.aborted:
                    return
                played[fixture] = record
                _write(self.folder / fixture.file, record.to_json())
                tell(number, fixture, manager)
        finally:
            stopping.cancel()
            await ours.close()

    async def _manager(self, number: int, fixture: Fixture, ours: Players) -> Manager:
        game, base = self.games[fixture.game], self.settings
        seed = random.Random(f"{base.seed} {fixture}").getrandbits(60)
        settings = MatchSettings(
            base.startclock, base.playclock, base.replace, base.scramble, seed, base.most_steps
        )
        seats = await ours.seats([self.players[p] for p in fixture.players])
        name = f"kibitz.{game.name}-{int(time.time() * 1000)}.{number}"
        return Manager(name, game, seats, settings)

    # -- results ----------------------------------------------------------------------------

    def scores(self, played: dict[Fixture, MatchRecord]) -> list[Score]:
        """The results of all players, ordered by their mean goal, the highest first."""
        goals: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        errors: dict[int, int] = defaultdict(int)
        for fixture, record in played.items():
            for player, role in zip(fixture.players, self._roles(fixture.game), strict=True):
                errors[player] += sum(bool(step[role]) for step in record.errors)
                if record.completed:
                    goals[player][fixture.game].append(record.goals[role])
        ratings = self.ratings(played)
        scores = [
            Score(
                name,
                _summary([goal for own in goals[player].values() for goal in own]),
                {game: _summary(goals[player][game]) for game in self.games},
                errors[player],
                None if ratings is None else ratings.players[player],
            )
            for player, name in enumerate(self.players)
        ]
        return sorted(scores, key=lambda score: -(score.total.mean or 0.0))

    def _roles(self, game: str) -> list[int]:
        """The indices of the roles that have a player."""
        roles = self.games[game].description.roles
        return [role for role, name in enumerate(roles) if not is_random(name)]

    def ratings(self, played: dict[Fixture, MatchRecord]) -> Ratings | None:
        """Elo ratings, averaged over the games of at least two roles.

        The highest goal wins a match; players with equal goals share the win. A player loses every
        match in which one of its moves was replaced. ``None`` until every player has completed a
        match in such a game.
        """
        tables = []
        for game in self.games:
            seats, wins = [], []
            for fixture, record in played.items():
                if fixture.game != game or not record.completed or len(fixture.players) < 2:
                    continue
                goals = np.array(
                    [
                        LOST if record.replaced(role) else record.goals[role]
                        for role in self._roles(game)
                    ]
                )
                seats.append(fixture.players)
                wins.append((goals == goals.max()) / (goals == goals.max()).sum())
            if len({player for seated in seats for player in seated}) == len(self.players) > 1:
                rows = np.array(seats), np.array(wins)
                tables.append(rate(*rows, len(self.players), with_luck=False))
        return pooled(tables) if tables else None


@dataclass(frozen=True)
class Score:
    """A player's results.

    Attributes:
        player: the description of the player.
        total: the summary of its goals in all matches.
        games: the summary of its goals in each game.
        errors: the number of its late, missing or illegal answers, START included.
        rating: its rating in Elo points above the mean of the players; ``None`` if unknown.
    """

    player: str
    total: Summary
    games: dict[str, Summary]
    errors: int
    rating: Rating | None = None


def _summary(goals: Sequence[int]) -> Summary:
    """A summary of goals, with the interval of the mean clipped to 0 .. 100."""
    summary = Moments.of(np.array(goals, float)).summary(whole=True)
    if summary.interval is None:
        return summary
    low, high = summary.interval
    return dataclasses.replace(summary, interval=(max(0.0, low), min(100.0, high)))


def _write(file: Path, document: Any) -> None:
    write_text(file, json.dumps(document, indent=1) + "\n")


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


__all__ = ["Fixture", "Score", "Tournament", "assignments"]
