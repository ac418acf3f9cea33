"""Playtests of variants of a game, such as several hand sizes or numbers of players.

Every variant is played from a seed of its own, the run's seed and those after it. So an accident
of one seed does not appear in all of them and look like their common nature.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import kibitz
from kibitz.arena.judge import Judge
from kibitz.core.agent import Lineup, agents_at
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.parameters import by_name
from kibitz.core.progress import Progress, part_of
from kibitz.core.randomness import check_seed
from kibitz.loading import Playable, find_table
from kibitz.reports.notebook import Reported
from kibitz.runs import Experiment, Workers
from kibitz.studies.playing import play_and_measure
from kibitz.studies.results import FORMAT, Playtest

PLAYERS = "players"
"""The name that stands for the number of players among the names of parameters."""

MOST_VARIANTS = 200
"""Maximum number of variants of a playtest."""


@dataclass(frozen=True)
class Variant:
    """A variant of a game and its playtest.

    Attributes:
        values: values of the varied parameters by name, as JSON types.
        shown: the same values in words.
    """

    values: dict[str, Any]
    shown: dict[str, str]
    playtest: Playtest

    def to_json(self) -> dict[str, Any]:
        """The values, and the playtest as its own ``to_json`` gives it."""
        return {"values": self.values, "playtest": self.playtest.to_json()}


@dataclass(frozen=True)
class Variants(Reported):
    """The results of the variants of a game, side by side.

    Attributes:
        title: the name of the game as printed on its box.
        varied: names of the varied parameters, or ``players``.
        seed: seed of the first variant's run; each later one has the next seed.
        wanted: number of variants requested; fewer are played if the run is stopped.
        variants: the variants played; the last one may be incomplete.
    """

    game: str
    title: str
    varied: tuple[str, ...]
    seed: int
    wanted: int
    variants: tuple[Variant, ...]
    version: str = field(default_factory=lambda: kibitz.__version__)

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before all games of all variants were played."""
        stopped = any(variant.playtest.interrupted for variant in self.variants)
        return stopped or len(self.variants) < self.wanted

    @property
    def games(self) -> int:
        """How many games were played, of all variants together."""
        return sum(variant.playtest.games for variant in self.variants)

    def to_json(self) -> dict[str, Any]:
        """Everything as JSON types; ``docs/playtest-json.md`` explains it."""
        return {
            "format": FORMAT,
            "kibitz": self.version,
            "game": self.game,
            "varied": list(self.varied),
            "seed": self.seed,
            "wanted": self.wanted,
            "interrupted": self.interrupted,
            "variants": [variant.to_json() for variant in self.variants],
        }


def playtest_variants(
    game: Playable,
    vary: Mapping[str, Iterable[Any]],
    *,
    players: int | None = None,
    agents: Lineup = "random",
    games: int = 1000,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    rotate: bool = True,
    loops: int | None = None,
    record: str | Collection[str] = (),
    judge: Judge | str | None = None,
    judged: int = 0,
    duplicate: bool = False,
    randomize: str | Collection[str] = (),
    workers: Workers = None,
    progress: Progress | None = None,
) -> Variants:
    """Plays many games of each variant and measures them.

    >>> results = playtest_variants("tic-tac-toe", {"size": [3, 4]}, games=100)
    >>> [variant.playtest.ticks_per_game.max for variant in results.variants]
    [9, 16]

    All values are checked before the first game. A keyboard interrupt ends the run early, and the
    results so far are returned.

    Args:
        vary: values to be tried, by the name of a parameter or ``players``; every combination of
            the values is a variant.
        players: number of players; by default the usual number of the game.
        agents: one for each seat; the last one fills the remaining seats.
        games: number of games of each variant.
        seed: seed of the first variant's run; each later one has the next seed.
        parameters: the game's other parameters by name; the rest keep their defaults.
        rotate, loops, record, judge, judged, duplicate, randomize: see ``playtest``.
        workers: see ``playtest``.

    Raises:
        KibitzError: a name or a value is wrong; the message lists the right ones.
    """
    check_seed(seed)
    settings = combinations(vary)
    fixed = by_name("parameters", parameters)
    tables = [_table(game, values, players, fixed) for values in settings]
    seated = [agents_at(table, agents) for table in tables]
    variants: list[Variant] = []
    played = 0
    stop = np.zeros(1, np.int64)  # set by an interrupt, also by one after the last game of a run
    try:
        for table, sitting in zip(tables, seated, strict=True):
            experiment = Experiment.of(
                table,
                sitting,
                games,
                seed + len(variants),
                rotate=rotate,
                loops=loops,
                record=record,
                judge=judge,
                judged=judged,
                duplicate=duplicate,
                randomize=randomize,
            )
            playtest = play_and_measure(
                experiment,
                table,
                sitting,
                workers=workers,
                progress=part_of(progress, played, games * len(tables)),
                stop=stop,
            )
            variants.append(_variant(table, tuple(vary), playtest))
            played += playtest.games
            if stop[0]:
                break
    except KeyboardInterrupt:
        if not variants:
            raise
    first = tables[0].game
    return Variants(
        game=first.name or type(first).__name__,
        title=first.title or first.name or type(first).__name__,
        varied=tuple(vary),
        seed=seed,
        wanted=len(tables),
        variants=tuple(variants),
    )


def combinations(vary: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Every combination of the values, the last name's changing fastest.

    Raises:
        ParameterError: there is nothing to vary, or too much.
    """
    axes: dict[str, list[Any]] = {}
    for name, values in by_name("vary", vary).items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ParameterError(f"{name} = {values!r} should be a list of values to be played.")
        axes[name] = list(values)
    for name, values in axes.items():
        if not values:
            raise ParameterError(f"{name}: which values should be played?")
    if not axes:
        raise ParameterError("What should be varied? Give a parameter's name and its values.")
    number = 1
    for values in axes.values():
        number *= len(values)
    if number > MOST_VARIANTS:
        raise ParameterError(f"These are {number:,} variants; {MOST_VARIANTS} are the most.")
    return [dict(zip(axes, chosen, strict=True)) for chosen in itertools.product(*axes.values())]


def read_variations(words: Iterable[str]) -> dict[str, list[str]]:
    """Reads variations such as ``["hand=1..6", "ties=yes,no"]``, as ``--vary`` takes them.

    >>> read_variations(["hand=1..3,6"])
    {'hand': ['1', '2', '3', '6']}

    Raises:
        ParameterError: a word is not of this form.
    """
    variations: dict[str, list[str]] = {}
    for word in words:
        name, equals, text = word.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name or not text.strip():
            raise ParameterError(
                f"{word!r} should be of the form NAME=LOW..HIGH or NAME=VALUE,VALUE,..."
            )
        values = [value for item in text.split(",") for value in _values(word, item.strip())]
        variations[name] = list(dict.fromkeys([*variations.get(name, ()), *values]))
    return variations


def _values(word: str, item: str) -> list[str]:
    """The value in a part of a variation, or all whole numbers of a range."""
    low, dots, high = item.partition("..")
    if not dots:
        return [item] if item else []
    try:
        first, last = int(low), int(high)
    except ValueError:
        raise ParameterError(f"{word!r}: a range goes from one whole number to another.") from None
    if not first <= last < first + MOST_VARIANTS:
        problem = "is empty" if last < first else f"is of more than {MOST_VARIANTS} numbers"
        raise ParameterError(f"{word!r}: the range {problem}.")
    return [str(number) for number in range(first, last + 1)]


def split_players(
    values: Mapping[str, Any], players: int | None
) -> tuple[int | None, dict[str, Any]]:
    """The number of players of a variant, and its parameters.

    Raises:
        ParameterError: the number of players is no number.
    """
    parameters = dict(values)
    if PLAYERS in parameters:
        text = parameters.pop(PLAYERS)
        try:
            players = int(text)
        except (TypeError, ValueError):
            raise ParameterError(f"{PLAYERS} = {text} should be a whole number.") from None
    return players, parameters


def _table(
    game: Playable,
    values: Mapping[str, Any],
    players: int | None,
    parameters: Mapping[str, Any],
) -> Table:
    seats, own = split_players(values, players)
    return find_table(game, seats, {**parameters, **own})


def _variant(table: Table, varied: Sequence[str], playtest: Playtest) -> Variant:
    parameters = table.parameters
    defaults = {name: tunable.default for name, tunable in parameters.common.items()}
    words = {name: parameters.chosen(name, table.players) for name in parameters.presets}
    document = {**defaults, **parameters.to_json(), **words, PLAYERS: table.players}
    declared = parameters.common | parameters.tunables
    values = defaults | parameters.as_dict()
    shown = {
        name: declared[name].show(values[name]) if name in declared else str(document[name])
        for name in varied
    }
    return Variant({name: document[name] for name in varied}, shown, playtest)
