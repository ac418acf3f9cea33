"""Training a network to play a game: ``kibitz learn``. It needs PyTorch (``kibitz[learn]``).

The training is kept in a folder, whose files are written atomically:

- ``network.npz``: the network, for ``neural:file=...``.
- ``checkpoint.pt``: the data to resume from: networks, optimiser, random numbers.
- ``curve.jsonl``: the learning curve, a line for each point; ``curve.svg`` is its plot
  (``kibitz[plots]``).
- ``learning.json``: the game, its parameters and the settings.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz import studies
from kibitz.core.agent import Agent, Lineup, agents_in, make_agent
from kibitz.core.errors import FileError, MissingExtraError, ParameterError
from kibitz.core.files import write_bytes, write_text
from kibitz.core.game import Table
from kibitz.core.interrupt import deferred
from kibitz.core.parameters import read_json_object
from kibitz.core.progress import Progress
from kibitz.core.randomness import derive_seed
from kibitz.core.sides import fair_share
from kibitz.core.statistics import Interval
from kibitz.core.utility import utility_at
from kibitz.core.wording import counted
from kibitz.loading import Playable, find_table
from kibitz.players.network import LANES, MOST_LAYERS, MOST_UNITS, new_network
from kibitz.reports.notebook import Reported
from kibitz.rl.settings import LearningSettings
from kibitz.rl.vector import VectorTables
from kibitz.runs import folder_at

if TYPE_CHECKING:
    from kibitz.rl.ppo import SelfPlay

NETWORK, CHECKPOINT, CURVE, WHAT = "network.npz", "checkpoint.pt", "curve.jsonl", "learning.json"

DRAWING = "curve.svg"

POINTS = 20
"""Number of points of a learning curve."""
POINT = ("seconds", "games", "decisions", "against random", "low", "high")
"""The fields of each point of a learning curve, besides losses."""
POINT_GAMES = 200
"""Number of games against ``random`` at each point of a learning curve."""
SAVED_EVERY = 60.0
"""Maximum time between two checkpoints, in seconds."""
PROBED = 2000
"""Minimum number of random actions from which the scale of rewards is estimated."""

MOST_ENTROPY = 1000.0
"""Maximum weight of the entropy."""

AGAINST = ("random", "osla", "ismcts:iterations=300")
"""The default opponents of the final matches of a trained network."""

PARTS = 1000
"""Number of units in which the progress of a training is reported."""


@dataclass(frozen=True)
class Meeting:
    """Games of the network, in one seat, against an agent in the others.

    Attributes:
        opponent: the label of the agent.
        games: the number of finished games.
        share: the network's share of wins; a first place shared by k players counts 1/k.
        interval: the 95 % interval of the share.
        fair: the expected share of one of several equal players.
    """

    opponent: str
    games: int
    share: float
    interval: Interval
    fair: float


@dataclass(frozen=True)
class Learning(Reported):
    """The results of a training.

    Attributes:
        folder: the folder of the training.
        seconds: the time of training, earlier runs in the folder included.
        games: the number of games learned from, earlier runs included.
        decisions: the number of decisions in them.
        curve: the points of the learning curve, with the fields ``POINT`` and losses.
        meetings: the final matches with other agents.
        interrupted: whether the training was stopped early.
        device: the device of PyTorch.
    """

    table: Table
    folder: Path
    seconds: float
    games: int
    decisions: int
    curve: tuple[Mapping[str, float], ...]
    meetings: tuple[Meeting, ...]
    interrupted: bool
    device: str

    @property
    def network(self) -> Path:
        """The file of the network."""
        return self.folder / NETWORK

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types."""
        return {
            "game": self.table.game.name,
            "players": self.table.players,
            "parameters": self.table.parameters.to_json(),
            "network": str(self.network),
            "seconds": self.seconds,
            "games": self.games,
            "decisions": self.decisions,
            "device": self.device,
            "interrupted": self.interrupted,
            "curve": [dict(point) for point in self.curve],
            "against": [asdict(meeting) for meeting in self.meetings],
        }


def require_torch() -> None:
    """Checks that PyTorch is installed.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """
    if find_spec("torch") is None:
        raise MissingExtraError("Networks that learn", "learn")


def learn(
    game: Playable,
    folder: str | Path,
    *,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    seconds: float | None = None,
    games: int | None = None,
    settings: LearningSettings | None = None,
    seed: int = 0,
    workers: int = 1,
    against: Lineup = AGAINST,
    test_games: int = 400,
    progress: Progress | None = None,
) -> Learning:
    """Trains a network by self-play or from a teacher, or resumes the training in a folder.

    >>> import kibitz
    >>> learning = kibitz.learn("kuhn-poker", "network", games=2_000)  # doctest: +SKIP
    >>> kibitz.play("kuhn-poker", [f"neural:{learning.network}"])  # doctest: +SKIP

    An interrupt ends the training after the current update, and everything is saved. The games in
    progress at the end of a run are not resumed.

    Args:
        game: a game or a table, with compiled rules.
        folder: the folder of the training; it is created if it does not exist.
        players: number of players; by default the usual number of the game.
        parameters: the game's parameters by name; the rest keep their defaults.
        seconds: the time of training, earlier runs in the folder included.
        games: the number of games, earlier runs included; one of the two limits is needed, and
            the first that is reached ends the training.
        seed: the seed of initial weights, games and choices.
        workers: the number of threads for the tables, the teacher and PyTorch.
        against: the opponents of the final matches, each at all other seats.
        test_games: the number of games against each of them.
        progress: gets thousandths of the training, then the number of opponents played.

    Raises:
        MissingExtraError: PyTorch is not installed.
        ParameterError: a number is out of range, or the path is not a local folder.
        FileError: the folder contains something else.
        KibitzError: the game cannot be learned, or an agent cannot play it.
    """
    require_torch()
    table = find_table(game, players, parameters)
    if seconds is None and games is None:
        raise ParameterError("How long should it learn? Give seconds, games, or both.")
    opponents = agents_in(against, "against")
    taught = [settings.teacher] if settings is not None and settings.teacher else []
    for agent in (*opponents, *agents_in(taught, "teacher")):
        agent.check_game(table)
    training = _Training(
        table, folder_at(folder), settings or LearningSettings(), seed, workers, seconds, games
    )
    interrupted = False
    meetings: list[Meeting] = []
    try:
        training.run(progress)
        for number, opponent in enumerate(opponents):
            if progress is not None:
                progress(f"Playing against {opponent}", number, len(opponents))
            meeting = meet(table, training.folder / NETWORK, opponent, test_games, seed, workers)
            meetings.append(meeting)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        training.close()
    play = training.play
    return Learning(
        table,
        training.folder,
        training.seconds,
        play.games,
        play.decisions,
        tuple(training.curve),
        tuple(meetings),
        interrupted,
        play.device,
    )


def meet(
    table: Table,
    network: str | Path,
    opponent: str | Agent,
    games: int,
    seed: int,
    workers: int = 1,
) -> Meeting:
    """Plays a network against an agent at all other seats; the network changes seats.

    Raises:
        KeyboardInterrupt: the games were interrupted.
        KibitzError: the network or the agent cannot play this game.
    """
    agent = f'neural:file="{network}"'
    agents = [agent, *[opponent] * (table.players - 1)]
    playtest = studies.playtest(table, agents=agents, games=games, seed=seed, workers=workers)
    if playtest.interrupted:
        raise KeyboardInterrupt
    mine = playtest.agents[0]
    return Meeting(
        make_agent(opponent).label,
        playtest.finished,
        mine.win_rate or 0.0,
        mine.win_interval or (0.0, 1.0),
        fair_share(table.sides),
    )


@dataclass
class _Training:
    """A training, which is new or resumed from its folder."""

    table: Table
    folder: Path
    settings: LearningSettings
    seed: int
    threads: int
    wanted_seconds: float | None
    wanted_games: int | None
    seconds: float = 0.0
    curve: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        import torch

        self._check()
        torch.set_num_threads(self.threads)
        before = self._read()
        self._tables = self._new_tables(before)
        self.play: SelfPlay = self._new_play(self._scale(before))
        if before is None:
            write_text(self.folder / WHAT, json.dumps(self._what(), indent=1) + "\n")
        else:
            self._go_on(before)

    def _new_tables(self, before: Mapping[str, Any] | None) -> VectorTables:
        """The tables for play; a resumed training plays other games than before."""
        seed = derive_seed([0] * 4, self.seed, 1 + int(before["counts"][1]) if before else 0)
        learners = [None] * self.table.players
        return VectorTables(self.table, self.settings.tables, learners, seed, threads=self.threads)

    def _scale(self, before: Mapping[str, Any] | None) -> float:
        """The divisor of rewards."""
        if utility_at(self.table) == "place":
            return 1.0
        return float(before["scale"]) if before else self._spread()

    def _new_play(self, scale: float) -> SelfPlay:
        """A learner with initial weights."""
        import torch

        from kibitz.rl.ppo import SelfPlay

        device = "cuda" if torch.cuda.is_available() else "cpu"
        arguments = self._tables, self.settings, scale, self.seed, device
        if not self.settings.teacher:
            return SelfPlay(*arguments)
        from kibitz.rl.apprentice import Apprentice

        return Apprentice(*arguments, make_agent(self.settings.teacher), self.threads)

    def _go_on(self, before: Mapping[str, Any]) -> None:
        """Resumes from the checkpoint in the folder."""
        try:
            self.play.go_on(before)
        except (RuntimeError, ValueError, KeyError, TypeError) as problem:
            raise self._spoilt(CHECKPOINT, problem) from None
        self.seconds = float(before["seconds"])

    def _check(self) -> None:
        if self.threads < 1:
            raise ParameterError(f"workers = {self.threads} should be 1 or more.")
        for name, value in (("seconds", self.wanted_seconds), ("games", self.wanted_games)):
            if value is not None and value <= 0:
                raise ParameterError(f"{name} = {value} should be more than 0.")
        hidden = self.settings.hidden
        right = [w for w in hidden if LANES <= w <= MOST_UNITS and w % LANES == 0]
        for name in ("entropy", "last_entropy"):
            value = getattr(self.settings, name)
            if not 0 <= value <= MOST_ENTROPY:
                raise ParameterError(f"{name} = {value} should be from 0 to {MOST_ENTROPY:g}.")
        if not 1 <= len(hidden) <= MOST_LAYERS or len(right) < len(hidden):
            raise ParameterError(
                f"hidden = {','.join(map(str, hidden))}: 1 to {MOST_LAYERS} layers of {LANES} to "
                f"{MOST_UNITS} units, in steps of {LANES}."
            )

    def _what(self) -> dict[str, Any]:
        """The description of a training: game, table and settings."""
        return {
            "game": self.table.game.name,
            "players": self.table.players,
            "parameters": self.table.parameters.to_json(),
            "seed": self.seed,
            "settings": json.loads(json.dumps(asdict(self.settings))),
        }

    def _read(self) -> dict[str, Any] | None:
        """The checkpoint of this training in the folder; ``None`` without one."""
        import torch

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise FileError(f"{self.folder}: cannot be made: {problem.strerror}.") from None
        file = self.folder / WHAT
        if not file.exists():
            if any(self.folder.iterdir()):
                raise FileError(
                    f"{self.folder}: holds something else than a training; name a new folder."
                )
            return None
        recorded, expected = _flat(read_json_object(file)), _flat(self._what())
        for name, value in expected.items():
            if recorded.get(name) != value:
                raise FileError(
                    f"{self.folder}: holds a training with another {name} "
                    f"({recorded.get(name)}, not {value}): name a new folder, or give what it had."
                )
        if not (self.folder / CHECKPOINT).exists():
            return None
        try:
            content = (self.folder / CHECKPOINT).read_bytes()
            state: dict[str, Any] = torch.load(io.BytesIO(content), weights_only=True)
            lines = (self.folder / CURVE).read_text("utf-8").splitlines()
            self.curve = [json.loads(line) for line in lines]
            missing = [name for name in ("counts", "scale", "seconds") if name not in state]
            missing += [name for name in POINT for point in self.curve if name not in point]
            if missing:
                raise ValueError(f"without {missing[0]}")
        except Exception as problem:  # a damaged checkpoint fails in many ways
            raise self._spoilt(CHECKPOINT, problem) from None
        return state

    def _spoilt(self, name: str, problem: Exception) -> FileError:
        text = " ".join(str(problem).split())[:200]
        return FileError(
            f"{self.folder / name}: cannot be gone on with ({text}): remove the folder, or name "
            f"another."
        )

    def _spread(self) -> float:
        """The standard deviation of rewards in random play."""
        tables = VectorTables(
            self.table, 64, [None] * self.table.players, seed=self.seed, by="score"
        )
        rng = np.random.default_rng(self.seed)
        scores: list[np.ndarray[Any, Any]] = []
        for step in range(100 * PROBED):
            masks = tables.masks * rng.random(tables.masks.shape, np.float32)
            tables.step(masks.argmax(axis=1))
            scores.extend(tables.rewards[tables.done])
            if step * tables.n >= PROBED and len(scores) >= PROBED // 10:
                break
        return max(1e-6, float(np.std(scores))) if scores else 1.0

    def run(self, progress: Progress | None) -> None:
        """Learns until the budget is spent or it is interrupted, and saves everything."""
        point = len(self.curve) / POINTS
        saved = time.monotonic()
        try:
            while (share := self._progress()) < 1.0:
                start = time.monotonic()
                with deferred():  # an interrupt waits for the end of the update
                    losses = self.play.update(share)
                    self.seconds += time.monotonic() - start
                if progress is not None:
                    progress(self._news(), round(PARTS * share), PARTS)
                if self._progress() >= point:
                    self._add_point(losses)
                    point = len(self.curve) / POINTS
                    saved = time.monotonic()
                    self.save()
                elif time.monotonic() - saved > SAVED_EVERY:
                    saved = time.monotonic()
                    self.save()
        finally:
            with deferred():
                self.save()
                self.draw()

    def _news(self) -> str:
        """The name of the stage, with the result of the last point of the curve."""
        if not self.curve:
            return "Learning"
        last = self.curve[-1]
        wins = f"{100 * last['against random']:.0f} % against random"
        return f"Learning: {wins} after {last['games']:,} games"

    def _progress(self) -> float:
        shares = [0.0]
        if self.wanted_seconds is not None:
            shares.append(self.seconds / self.wanted_seconds)
        if self.wanted_games is not None:
            shares.append(self.play.games / self.wanted_games)
        return min(1.0, max(shares))

    def _add_point(self, losses: Mapping[str, float]) -> None:
        self._save_network()
        meeting = meet(self.table, self.folder / NETWORK, "random", POINT_GAMES, 1 + self.seed)
        low, high = meeting.interval
        self.curve.append(
            {
                "seconds": round(self.seconds, 3),
                "games": self.play.games,
                "decisions": self.play.decisions,
                "entropy": round(losses["entropy"], 5),
                "value loss": round(losses["value loss"], 5),
                "against random": meeting.share,
                "low": low,
                "high": high,
            }
        )

    def save(self) -> None:
        """Writes the network, the curve and the checkpoint."""
        import torch

        self._save_network()
        lines = [json.dumps(point) + "\n" for point in self.curve]
        write_text(self.folder / CURVE, "".join(lines))
        target = io.BytesIO()
        torch.save({**self.play.state(), "seconds": self.seconds}, target)
        write_bytes(self.folder / CHECKPOINT, target.getbuffer())

    def draw(self) -> None:
        """Draws the curve, if the packages for plots are installed."""
        if not self.curve or find_spec("altair") is None or find_spec("vl_convert") is None:
            return
        from kibitz.rl.curve import curve_plot

        game, players = self.table.game, self.table.players
        title = f"{game.title or game.name}, {counted(players, 'player')}"
        plot = curve_plot(self.curve, title, fair_share(self.table.sides))
        write_text(self.folder / DRAWING, plot.svg())

    def _save_network(self) -> None:
        notes = {
            "games": self.play.games,
            "decisions": self.play.decisions,
            "seconds": round(self.seconds, 1),
            "parameters": self.table.parameters.to_json(),
            "seed": self.seed,
        }
        arrays = self.play.average.arrays()
        by = utility_at(self.table)
        network = new_network(self.table, arrays, by, self.play.scale, **notes)
        network.save(self.folder / NETWORK)

    def close(self) -> None:
        """Ends the threads."""
        self._tables.close()


def _flat(description: Mapping[str, Any]) -> dict[str, Any]:
    """The description of a training with the settings at its top level."""
    flat = dict(description)
    settings = flat.pop("settings", None)
    return flat | settings if isinstance(settings, dict) else flat


__all__ = ["AGAINST", "Learning", "LearningSettings", "Meeting", "learn", "meet", "require_torch"]
