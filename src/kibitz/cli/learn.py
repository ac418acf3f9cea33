"""``kibitz learn``: trains a network that plays a game."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli import terminal
from kibitz.cli.groups import OptionGroup
from kibitz.cli.options import (
    GameName,
    ParameterOptions,
    PlayerCount,
    Seed,
    find_game,
    json_file,
    local_folder,
)
from kibitz.cli.results import deliver
from kibitz.core.errors import ParameterError

if TYPE_CHECKING:
    from kibitz.rl.settings import LearningSettings

USUAL_SECONDS = 600.0
UNITS = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True)
class TrainingOptions(OptionGroup):
    """How long the network learns in all, and where it is kept."""

    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            show_default=False,
            parser=local_folder,
            help="Keep everything in this folder: the same command goes on with it.  "
            "[default: NAME.learned]",
        ),
    ] = None
    time: Annotated[
        str | None,
        typer.Option(
            "--time",
            "-t",
            metavar="TIME",
            show_default=False,
            help="How long to learn in all: 90s, 10m, 2h.  [default: 10m, or what --games says]",
        ),
    ] = None
    games: Annotated[
        int | None,
        typer.Option(
            "--games",
            "-g",
            metavar="G",
            min=1,
            show_default=False,
            help="Learn from so many games in all.",
        ),
    ] = None

    @property
    def seconds(self) -> float | None:
        """The time in seconds; ``None`` if only the number of games counts.

        Raises:
            ParameterError: the time is wrong.
        """
        if self.time is not None:
            return seconds_of(self.time)
        return None if self.games is not None else USUAL_SECONDS


@dataclass(frozen=True)
class MethodOptions(OptionGroup):
    """The network, and how it learns."""

    hidden: Annotated[
        str,
        typer.Option("--hidden", metavar="N,N", help="Units of the network's hidden layers."),
    ] = "128,128"
    entropy: Annotated[
        float,
        typer.Option(
            "--entropy",
            metavar="E",
            min=1e-6,
            help="Weight of the policy's entropy at first; it falls to a tenth. More where hidden "
            "information makes players bluff.",
        ),
    ] = 0.05
    average: Annotated[
        bool,
        typer.Option(
            "--average",
            help="Keep a network that imitates the average of all play while it learned, which "
            "bluffs as it should even where self-play circles: for games such as poker, with "
            "--entropy 0.2. Let the agent play with choose=mix.",
        ),
    ] = False
    teacher: Annotated[
        str | None,
        typer.Option(
            "--teacher",
            metavar="AGENT",
            show_default=False,
            help="Learn from this search instead of from own play: from what it looks at, and "
            "from how its games end.",
        ),
    ] = None

    def settings(self) -> LearningSettings:
        """The settings of the learner.

        Raises:
            ParameterError: a value is wrong, or two do not go together.
        """
        from kibitz.rl.settings import LearningSettings, for_average, for_teacher

        if self.average and self.teacher is not None:
            raise ParameterError("--average is about own play: leave it or --teacher out.")
        settings = LearningSettings(
            hidden=hidden_of(self.hidden), entropy=self.entropy, last_entropy=self.entropy / 10
        )
        if self.teacher is not None:
            return for_teacher(settings, self.teacher)
        return for_average(settings) if self.average else settings


@dataclass(frozen=True)
class OpponentOptions(OptionGroup):
    """The games that the network plays in the end."""

    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            "-a",
            metavar="AGENT",
            show_default=False,
            help="Who the network plays against in the end.  [default: random, osla and "
            "ismcts:iterations=300]",
        ),
    ] = None
    test_games: Annotated[
        int,
        typer.Option("--test-games", metavar="G", min=1, help="Games against each of them."),
    ] = 400


def learn(
    game: GameName,
    *,
    training: TrainingOptions,
    method: MethodOptions,
    opponents: OpponentOptions,
    workers: Annotated[
        int, typer.Option("--workers", "-w", metavar="W", min=1, help="Threads that learn.")
    ] = 1,
    players: PlayerCount = None,
    parameters: ParameterOptions,
    seed: Seed = 0,
    json: Annotated[
        str | None,
        json_file("Write the result here as JSON; '-' for standard output, without the report."),
    ] = None,
) -> None:
    """Train a network that plays a game, by self-play.

    The network sees what a seat may see, as 'state.table.encoder' writes it, and plays as the
    agent neural:file=DIR/network.npz. It learns by PPO on PyTorch, which 'kibitz[learn]' installs;
    to play needs nothing more. Ctrl-C stops early, and keeps everything; the same command goes on.
    In the end it meets other agents.

    Examples:
      kibitz learn love-letter --players 2 --time 10m
      kibitz learn mygame.rcy --games 100000 --out mine
      kibitz learn agram --teacher ismcts:iterations=300 --time 20m
      kibitz learn kuhn-poker --average --entropy 0.2 --games 700000
      kibitz playtest agram -a "neural:file=agram.learned/network.npz random"
    """
    from kibitz.rl.learning import AGAINST, learn, require_torch
    from kibitz.rl.report import document

    require_torch()
    terminal.check_writable(json)
    seconds, settings = training.seconds, method.settings()
    table = parameters.table(find_game(game), players)
    with terminal.progress("", stages=True) as progress:
        results = learn(
            table,
            training.out or Path(f"{table.game.name}.learned"),
            seconds=seconds,
            games=training.games,
            settings=settings,
            seed=seed,
            workers=workers,
            against=opponents.against or AGAINST,
            test_games=opponents.test_games,
            progress=progress,
        )
    deliver(results, document(results), json)


def seconds_of(text: str) -> float:
    """The seconds of a time such as ``10m``.

    Raises:
        ParameterError: the text is not a time above 0.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh])", text.strip().lower())
    if match is None or float(match[1]) <= 0:
        raise ParameterError(f"--time {text} should be a number with s, m or h, such as 10m.")
    return float(match[1]) * UNITS[match[2]]


def hidden_of(text: str) -> tuple[int, ...]:
    """The widths of hidden layers such as ``128,128``.

    Raises:
        ParameterError: the text is not a list of whole numbers.
    """
    widths = text.split(",")
    if not all(width.strip().isdecimal() for width in widths):
        raise ParameterError(f"--hidden {text} should be whole numbers such as 128,128.")
    return tuple(int(width) for width in widths)
