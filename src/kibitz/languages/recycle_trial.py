"""Trials: random games in RECYCLE with the extreme settings that a file declares.

Reading rules shows what cannot be right; only play shows what happens: a hand that no deck is
large enough for, a player without an option, a clause that nobody can ever choose. ``try_out``
plays with every declared number of players and with the least and greatest value of every
declared parameter, alone and together, and reports diagnostics with their places.

The rules are compiled without optimising them, in a few hundredths of a second a table, and the
numbers of tables, games and actions are bounded: so a trial takes a second or two.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kibitz.agents.simple import FirstLegalAgent, OslaAgent, RandomAgent
from kibitz.arena.match import result_dtype
from kibitz.arena.worker import Worker, checked_loops
from kibitz.core.actions import MAX_ACTIONS, MAX_KINDS
from kibitz.core.agent import Agent
from kibitz.core.game import Table
from kibitz.core.progress import Progress
from kibitz.core.status import Status
from kibitz.core.wording import counted, listed
from kibitz.recycle import tree
from kibitz.recycle.checks.choices import is_conditional
from kibitz.recycle.game import RecycleGame, telling
from kibitz.recycle.header import read_comment
from kibitz.recycle.rules import RecycleRules
from kibitz.syntax.source import Diagnostic, Severity, SourceError, Span

GAMES = 40
"""The default number of random games at a table."""
MORE_GAMES = 5
"""The factor for the first table, that of the defaults."""
MOST_ACTIONS = 20_000
"""After so many actions no further game is started at a table."""
MOST_CODE = 1_500_000
"""After so many characters of code, about a second of compiling, no further table is tried."""
OTHERS = ((FirstLegalAgent, "always take the first option"), (OslaAgent, "look one action ahead"))
"""The agents that play where random games do not end, and what they do."""
OTHERS_GAMES = 5
"""The number of games that they play."""

ENDLESS_GAMES = 3
"""After so many games in which the rules did not end between two decisions, which take seconds
each, no further game is started."""

SELDOM = 100
"""Who reached a choice fewer times than this has hardly shown that there is always an option."""

_BROKEN = (Status.RULES_ERROR, Status.FULL_BUFFER, Status.DEAD_END, Status.ENDLESS)
"""Mistakes in the rules, whoever plays; the other ways may be the players' doing."""
_ANYBODY = {
    Status.DEAD_END: "the player to choose has no option",
    Status.FULL_BUFFER: f"the player to choose has more than {MAX_ACTIONS:,} options",
}
_CODES = {
    Status.DEAD_END: "dead-end",
    Status.FULL_BUFFER: "too-many-options",
    Status.LIMIT: "never-ends",
    Status.LOOP: "loop",
    Status.SUSPECTED_LOOP: "loop",
}
_UNENDED = (Status.LIMIT, Status.SUSPECTED_LOOP)
"""Ways that random play may be to blame for."""
_HINTS = {
    Status.DEAD_END: "A clause that is always possible helps, such as (turn pass); "
    "--set pass_when_stuck=yes lets whoever has no option pass.",
    Status.LIMIT: "Games of this length are broken off. Does each turn bring the end nearer?",
}


@dataclass(frozen=True)
class TableSettings:
    """The number of players at a table, and its parameters that are not defaults."""

    players: int
    values: Mapping[str, int]

    def __str__(self) -> str:
        settings = [f"{name}={value}" for name, value in self.values.items()]
        return listed([counted(self.players, "player"), *settings])

    def command(self, file: str, seed: int) -> str:
        """The command that shows one of its games."""
        words = ["kibitz", "record", file, "--players", str(self.players), "--seed", str(seed)]
        for name, value in self.values.items():
            words += ["--set", f"{name}={value}"]
        return shlex.join(words)


@dataclass
class TableTrial:
    """The results of the games at one table.

    Attributes:
        setting: of the table.
        games, actions: how many were played.
        ends: how many games ended in which way.
        decisions: the number of each seat's decisions between several options.
    """

    setting: TableSettings
    games: int = 0
    actions: int = 0
    ends: Counter[Status] = field(default_factory=Counter)
    decisions: list[int] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The results as JSON."""
        return {
            "players": self.setting.players,
            "parameters": dict(self.setting.values),
            "games": self.games,
            "actions": self.actions,
            "ends": {status.name.lower(): count for status, count in self.ends.items()},
            "decisions": self.decisions,
        }


@dataclass
class Trial:
    """The results of all games.

    Attributes:
        tables: those at which games were played, and those whose rules cannot be used.
        left_out: how many settings there was no time for.
        diagnostics: in order of their places in the text.
    """

    tables: list[TableTrial] = field(default_factory=list)
    left_out: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def games(self) -> int:
        """The number of games played."""
        return sum(tried.games for tried in self.tables)

    def new_diagnostics(self, known: Sequence[Diagnostic]) -> list[Diagnostic]:
        """The diagnostics that reading the rules had not given at the same place."""
        spans = {one.span for one in known}
        return [
            one
            for one in self.diagnostics
            if one.is_error
            or one.code != "unreached"
            or not any(one.span.start <= span.start < one.span.end for span in spans)
        ]

    def summary(self) -> str:
        """What was played, in words."""
        seats = sorted({tried.setting.players for tried in self.tables})
        who = f"{seats[0]} to {seats[-1]} players"
        if len(seats) == 1:
            who = counted(seats[0], "player")
        elif len(seats) < seats[-1] - seats[0] + 1:
            who = f"{listed([str(number) for number in seats])} players"
        told = (
            f"{counted(self.games, 'random game')} at {counted(len(self.tables), 'table')}, {who}"
        )
        values: dict[str, set[int]] = {}
        for tried in self.tables:
            for name, value in tried.setting.values.items():
                values.setdefault(name, set()).add(value)
        for name, found in values.items():
            told += f"; {name}={','.join(map(str, sorted(found)))}"
        if self.left_out:
            told += f" ({counted(self.left_out, 'more table')} left out for the time they take)"
        return told

    def to_json(self) -> dict[str, Any]:
        """The results as JSON, without the diagnostics."""
        return {
            "games": self.games,
            "tables": [tried.to_json() for tried in self.tables],
            "tables_left_out": self.left_out,
        }


@dataclass(frozen=True)
class _Fault:
    """Games that broke off for the same reason at one table."""

    setting: TableSettings
    games: int
    of: int
    seed: int
    ended_by: str = ""
    """What the players do who end all games at this table, although random players do not."""


def try_out(
    game: RecycleGame,
    players: int | None = None,
    values: Mapping[str, int | bool] | None = None,
    games: int = GAMES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Trial:
    """Plays random games with the extreme settings of a game that has no errors.

    Args:
        game: to be played.
        players: how many play; by default every number that the text declares.
        values: fixed parameters; the others are varied where the text declares a range.
        games: how many are played at each table; more at the first, that of the defaults.
        seed: of all games.
        progress: called after each table.

    Raises:
        ParameterError: the number of players or a value is not allowed.
    """
    return _TryOut(game, games, seed).run(extreme_settings(game, players, values), progress)


def extreme_settings(
    game: RecycleGame, players: int | None = None, values: Mapping[str, int] | None = None
) -> list[TableSettings]:
    """The settings to try, each once, the most important first.

    The defaults; each number of players; all parameters at their greatest, or all at their
    least, with most and least players; each parameter alone at either, with the default, most
    and least players. A range counts only if the text declares it.
    """
    comment = read_comment(game.text)
    given = {name.lower(): value for name, value in (values or {}).items()}
    low, high = game.players
    usual = game.declared_players
    seats = [players] if players is not None else [usual]
    if players is None and comment.players is not None:
        seats += [high, low, *range(low, high + 1)]
    least, most = {}, {}
    for public, name in game.own_parameters.items():
        if name in comment.ranges and public not in given:
            least[public], most[public], _ = comment.ranges[name]
    found = [TableSettings(n, given) for n in seats]
    for n in seats[:3]:
        found += [TableSettings(n, given | most), TableSettings(n, given | least)]
    for n in seats[:3]:
        for one in least:
            found += [
                TableSettings(n, given | {one: most[one]}),
                TableSettings(n, given | {one: least[one]}),
            ]
    defaults = {name: tunable.default for name, tunable in game.Parameters.tunables.items()}
    unique: dict[tuple[int, tuple[int, ...]], TableSettings] = {}
    for setting in found:
        changed = {
            name: value for name, value in setting.values.items() if value != defaults.get(name)
        }
        key = setting.players, tuple({**defaults, **changed}.values())
        unique.setdefault(key, TableSettings(setting.players, changed))
    return list(unique.values())


class _TryOut:
    """A trial in progress: the parts of the rules that were reached, and the faults."""

    def __init__(self, game: RecycleGame, games: int, seed: int) -> None:
        self.game = game.quickly_made()
        self.games = games
        self.seed = seed
        self.trial = Trial()
        self.endless = 0
        self.reached: Counter[Span] = Counter()
        """The number of actions at each choice and by each clause, by their spans."""
        self.programs: list[tree.Program] = []
        self.faults: dict[tuple[Status, Span, str], list[_Fault]] = {}
        self.file = game.where or game.name

    def run(self, tables: Sequence[TableSettings], progress: Progress | None) -> Trial:
        """Plays at each table, and returns the results."""
        code = 0
        refused: dict[tuple[str, Span], Diagnostic] = {}
        for number, setting in enumerate(tables):
            if code > MOST_CODE or self.endless >= ENDLESS_GAMES:
                self.trial.left_out = len(tables) - number
                break
            try:
                table = self.game.table(setting.players, setting.values)
            except SourceError as problem:
                self.trial.tables.append(TableTrial(setting))
                for one in problem.diagnostics:
                    refused.setdefault((one.code, one.span), _in_setting(one, setting))
                continue
            code += len(_rules(table).translation.text)
            self._play(table, setting, self.games * (1 if number else MORE_GAMES))
            if progress is not None:
                progress("games", self.trial.games, self.games * (len(tables) + MORE_GAMES - 1))
        found = [*refused.values(), *self._broken(), *self._unreached(), *self._undecided()]
        found += self._maybe_stuck()
        self.trial.diagnostics = sorted(found, key=lambda one: one.span)
        return self.trial

    def _play(self, table: Table, setting: TableSettings, games: int) -> None:
        """Plays the random games of one table."""
        worker, played = self._games(table, RandomAgent, games)
        ends = Counter(Status(int(status)) for status in played["status"])
        decisions = played["seats"]["decisions"].sum(axis=0).tolist()
        tried = TableTrial(setting, len(played), int(played["ticks"].sum()), ends, decisions)
        self.trial.tables.append(tried)
        self.programs.append(_rules(table).program)
        ended_by = self._who_ends(table) if any(ends[one] for one in _UNENDED) else ""
        self._note_faults(worker, played, tried, ended_by)

    def _games(
        self, table: Table, kind: type[Agent], games: int
    ) -> tuple[Worker, np.ndarray[Any, Any]]:
        """Plays as many games as there is time for; notes what they reached."""
        rules = _rules(table)
        stop = np.zeros(1, np.int64)
        agents = [kind() for _ in range(table.players)]
        worker = Worker(table, agents, stop, checked_loops(table, None))
        results = np.zeros(games, result_dtype(table.players))
        log = np.zeros(table.game.max_ticks + 1, np.int64)
        settings = {"results": results.ctypes.data, "result_size": results.itemsize}
        settings |= {"seed": self.seed, "log": log.ctypes.data, "log_size": len(log)}
        for name, value in settings.items():
            worker.match[name] = value
        kinds = np.zeros(MAX_KINDS, np.int64)
        number = actions = 0
        while number < games and actions < MOST_ACTIONS and self.endless < ENDLESS_GAMES:
            worker.play(number, 1)
            ticks = int(results[number]["ticks"])
            self.endless += results[number]["status"] == Status.ENDLESS
            kinds += np.bincount(log[:ticks] % MAX_KINDS, minlength=MAX_KINDS)
            number += 1
            actions += ticks
        for path in rules.translation.paths:
            if count := int(kinds[path.kind]):
                self.reached[rules.translation.choices[path.choice].span] += count
                self.reached[rules.clauses[path.clause].span] += count
        return worker, results[:number]

    def _who_ends(self, table: Table) -> str:
        """The agents that end all their games at this table, in words; empty if there are none."""
        for kind, does in OTHERS:
            _, played = self._games(table, kind, OTHERS_GAMES)
            if (played["status"] == Status.FINISHED).all():
                return does
        return ""

    def _note_faults(
        self, worker: Worker, played: np.ndarray[Any, Any], tried: TableTrial, ended_by: str
    ) -> None:
        """Notes the ways in which games broke off, each with the first such game."""
        for number, state in worker.broken_states():
            status = Status(int(state.status))
            place = telling(state).fault(state) or (_end_of(_rules(state.table).program), "")
            if status in _ANYBODY:
                place = place[0], _ANYBODY[status]
            alike = (played["status"] == status) & (played["phase"] == played[number]["phase"])
            if not place[1]:
                alike = played["status"] == status
            seed = int(played[number]["seed"])
            fault = _Fault(tried.setting, int(alike.sum()), tried.games, seed, ended_by)
            known = self.faults.setdefault((status, *place), [])
            if not any(one.setting == tried.setting for one in known):
                known.append(fault)

    def _broken(self) -> Iterator[Diagnostic]:
        """Diagnostics of what breaks games off, each once, with the settings in which it does."""
        for (status, span, why), faults in self.faults.items():
            worst = max(
                faults,
                key=lambda one: (not one.ended_by, one.games / one.of, -len(one.setting.values)),
            )
            many = "all" if worst.games == worst.of else f"{worst.games} of"
            where = f"in {many} {counted(worst.of, 'random game')} with {worst.setting}"
            if len(faults) > 1:
                others = counted(len(faults) - 1, "other setting")
                where += f", and with {others}"
            said = f"The game breaks off: {why}" if why else _NO_END[status]
            severity = Severity.ERROR if status in _BROKEN else Severity.WARNING
            hint = _HINTS.get(status, "")
            if status in _UNENDED and worst.ended_by:
                severity = Severity.REMARK
                where += f"; players who {worst.ended_by} end it"
                hint = "Only random play goes on for so long."
            see = f"To see one: {worst.setting.command(self.file, worst.seed)}"
            yield Diagnostic(
                severity,
                _CODES.get(status, "breaks-off"),
                f"{said}, {where}.",
                span,
                f"{hint}\n{see}".strip(),
            )

    def _unreached(self) -> Iterator[Diagnostic]:
        """Diagnostics of stages, choices and clauses never reached; the outermost only."""
        if not self.programs or (
            self.faults and all(tried.ends[Status.FINISHED] == 0 for tried in self.trial.tables)
        ):
            return  # no game got anywhere
        games = f"in {counted(self.trial.games, 'random game')}"
        for node in _unreached(self.programs[0].items, self.reached):
            if isinstance(node, tree.Stage):
                said = f"No choice of this stage was ever reached, {games}."
            elif isinstance(node, tree.Choice):
                said = f"This choice was never reached, {games}."
            else:
                said = f"Nobody ever chose this, {games}."
            hint = "It is rare, or never possible. If rare, ';; ok: unreached' keeps this quiet."
            yield Diagnostic(Severity.REMARK, "unreached", said, node.span, hint)

    def _maybe_stuck(self) -> Iterator[Diagnostic]:
        """Choices that may have no option, where too little was played to see whether they do."""
        told = {span for _, span, _ in self.faults}
        for choice in _choices(self.programs[0].items if self.programs else ()):
            times = self.reached[choice.span]
            if times < SELDOM and choice.span not in told and is_conditional(choice):
                yield Diagnostic(
                    Severity.REMARK,
                    "maybe-stuck",
                    "Every option here has a condition, and the choice was reached only "
                    f"{counted(times, 'time')}, in {counted(self.trial.games, 'random game')}: "
                    "somebody may have no option.",
                    choice.span,
                    _HINTS[Status.DEAD_END],
                )

    def _undecided(self) -> Iterator[Diagnostic]:
        """A diagnostic for seats that never have a choice although others do."""
        for tried in self.trial.tables:
            idle = [seat for seat, count in enumerate(tried.decisions, 1) if count == 0]
            if idle and any(tried.decisions):
                who = f"Player{'s' * (len(idle) > 1)} {listed([str(seat) for seat in idle])}"
                yield Diagnostic(
                    Severity.WARNING,
                    "no-choice",
                    f"{who} never had a choice, in {counted(tried.games, 'random game')} with "
                    f"{tried.setting}.",
                    _end_of(self.programs[0]),
                )
                return


def _rules(table: Table) -> RecycleRules:
    rules = table.rules
    assert isinstance(rules, RecycleRules)
    return rules


_NO_END = {
    Status.LIMIT: f"The game goes on for more than {RecycleGame.max_ticks:,} actions",
    Status.LOOP: "The game goes round in circles: nobody has a choice, and a state comes back",
    Status.SUSPECTED_LOOP: "The game seems to go round in circles: the same state comes back "
    f"{RecycleGame.loops} times",
}


def _in_setting(diagnostic: Diagnostic, setting: TableSettings) -> Diagnostic:
    """A diagnostic with the setting in which it occurs."""
    message = f"{diagnostic.message.rstrip('.')}: with {setting}."
    return Diagnostic(
        diagnostic.severity,
        diagnostic.code,
        message,
        diagnostic.span,
        diagnostic.hint,
        diagnostic.notes,
    )


def _end_of(program: tree.Program) -> Span:
    """The end condition of the last stage, which says when the game is over."""
    ends = [item.end.span for item in program.items if isinstance(item, tree.Stage)]
    return ends[-1] if ends else Span(0, 0)


def _unreached(
    items: Sequence[tree.Item], reached: Counter[Span]
) -> Iterator[tree.Stage | tree.Choice | tree.Statement]:
    """The items that were never reached, the outermost only."""
    for item in items:
        if isinstance(item, tree.Choice):
            if item.span not in reached:
                yield item
            else:
                yield from (one for one in item.clauses if one.span not in reached)
        elif isinstance(item, tree.Stage):
            choices = list(_choices(item.items))
            if choices and not any(one.span in reached for one in choices):
                yield item
            else:
                yield from _unreached(item.items, reached)


def _choices(items: Sequence[tree.Item]) -> Iterator[tree.Choice]:
    for item in items:
        if isinstance(item, tree.Choice):
            yield item
        elif isinstance(item, tree.Stage):
            yield from _choices(item.items)


__all__ = ["TableSettings", "TableTrial", "Trial", "extreme_settings", "try_out"]
