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
from kibitz.gdl.game import GdlGame
from kibitz.ggp.manager import Manager, MatchSettings
from kibitz.ggp.position import is_random
from kibitz.ggp.record import MatchRecord
from kibitz.ggp.table import Players, played_roles
from kibitz.playtest.moments import Moments
from kibitz.playtest.statistics import Summary
from kibitz.tournament.ratings import Rating, Ratings, pooled, rate

MOST_PERMUTED = 3
"""With more roles than this players change seats in a circle, not in every order."""
LOST = -1
"""Stands for the goal of a player that has lost a match whatever its goal: less than any goal."""
PLAN = "tournament.json"


def assignments(roles: int, players: int) -> list[tuple[int, ...]]:
    """Who plays which role in the matches of a round: numbers of players, in the roles' order.

    Every player has every role equally often. With up to three roles there is a match for each
    way to seat the players; with more, one for each choice of players and each turn of the
    circle in which they sit. Where there are more roles than players, some have several.
    """
    if roles <= players:
        groups: Iterator[tuple[int, ...]] = itertools.combinations(range(players), roles)
    else:
        groups = iter([tuple(i % players for i in range(roles))])
    found: dict[tuple[int, ...], None] = {}
    for group in groups:
        if roles <= MOST_PERMUTED:
            found.update(dict.fromkeys(itertools.permutations(group)))
        else:
            turned = (group[i:] + group[:i] for i in range(roles))
            found.update(dict.fromkeys(turned))
    return sorted(found)


@dataclass(frozen=True)
class Fixture:
    """A match that is to be played."""

    game: str
    round: int
    players: tuple[int, ...]

    @property
    def file(self) -> str:
        """The name of the file for its record."""
        stem = re.sub(r"[^A-Za-z0-9_-]", "-", self.game)
        return f"{stem}.{self.round + 1}.{'-'.join(str(p + 1) for p in self.players)}.json"


@dataclass(frozen=True)
class Tournament:
    """The players, the games and the settings of a tournament.

    Attributes:
        games: by the names that people gave.
        players: their descriptions.
        rounds: how often each game is played with each assignment of roles.
        settings: of the matches; their seeds follow from its seed.
        folder: for the records.
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

    # -- what is kept ------------------------------------------------------------------------

    def _plan(self) -> dict[str, Any]:
        """The settings that must not change if a tournament is to be continued."""
        return {
            "games": list(self.games),
            "players": self.players,
            "startClock": self.settings.startclock,
            "playClock": self.settings.playclock,
            "replace": self.settings.replace.value,
            "scrambled": self.settings.scramble,
        }

    def open(self) -> dict[Fixture, MatchRecord]:
        """Makes the folder, or finds in it the matches that have been played.

        Raises:
            FileError: the folder cannot be used, or has another tournament in it.
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
        kept = read_json_object(plan)
        for name, value in self._plan().items():
            if kept.get(name) != value:
                raise FileError(
                    f"{self.folder}: has another tournament in it: {name} was "
                    f"{_listed(kept.get(name))}, "
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
        """Plays the matches that have not been played, until it is stopped.

        Args:
            played: those that have been; new ones are added.
            stopped: set when no more is to be played.
            tell: is told of each match, with its number, counted from 1.
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

    # -- what came out -----------------------------------------------------------------------

    def scores(self, played: dict[Fixture, MatchRecord]) -> list[Score]:
        """The results of all players, the best first."""
        goals: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        errors: dict[int, int] = defaultdict(int)
        for fixture, record in played.items():
            for player, role in zip(fixture.players, self._roles(fixture.game), strict=True):
                errors[player] += sum(bool(step[role]) for step in record.errors)
                if record.completed:
                    goals[player][fixture.game].append(record.goals[role])
        ratings = self.ratings(played)
        found = [
            Score(
                name,
                _summary([goal for own in goals[player].values() for goal in own]),
                {game: _summary(goals[player][game]) for game in self.games},
                errors[player],
                None if ratings is None else ratings.players[player],
            )
            for player, name in enumerate(self.players)
        ]
        return sorted(found, key=lambda score: -(score.total.mean or 0.0))

    def _roles(self, game: str) -> list[int]:
        """The numbers of the roles that are played."""
        roles = self.games[game].description.roles
        return [role for role, name in enumerate(roles) if not is_random(name)]

    def ratings(self, played: dict[Fixture, MatchRecord]) -> Ratings | None:
        """Who wins how often, in Elo points: the mean over games of two roles or more.

        The highest goal wins a match, and who share it share the win; a player has lost a match in
        which another move stood in place of one of its own. Goals say how much was
        gained, ratings who is stronger. ``None`` until everybody has completed a match in such
        a game.
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
        player: its description.
        total: of the goals in all its matches.
        games: of the goals in each game.
        errors: of START and of moves that were late, missing or illegal.
        rating: in Elo points above the mean of the players; ``None`` while it is not known.
    """

    player: str
    total: Summary
    games: dict[str, Summary]
    errors: int
    rating: Rating | None = None


def _summary(goals: Sequence[int]) -> Summary:
    """A summary of goal values, whose mean lies within 0 .. 100."""
    found = Moments.of(np.array(goals, float)).summary(whole=True)
    if found.interval is None:
        return found
    low, high = found.interval
    return dataclasses.replace(found, interval=(max(0.0, low), min(100.0, high)))


def _write(file: Path, document: Any) -> None:
    write_text(file, json.dumps(document, indent=1) + "\n")


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


__all__ = ["Fixture", "Score", "Tournament", "assignments"]
