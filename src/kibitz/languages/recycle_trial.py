"""Trials: random games in RECYCLE with the extreme settings that a file declares.

Some faults show only in play: a hand that no deck is large enough for, a player without an option,
a clause that nobody can ever choose. ``try_out`` plays with every declared number of players and
with the least and greatest value of every declared parameter, alone and together, and reports
diagnostics at places in the text.

A trial takes a second or two: the rules are compiled without optimization, in a few hundredths of
a second a table, and the numbers of tables, games and actions are bounded.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kibitz.arena.match import result_dtype
from kibitz.arena.worker import Worker, checked_loops
from kibitz.core.actions import MAX_ACTIONS, MAX_KINDS
from kibitz.core.agent import Agent
from kibitz.core.game import Table
from kibitz.core.status import Status
from kibitz.core.utility import is_zero_sum
from kibitz.core.wording import counted, listed
from kibitz.players.simple import FirstLegalAgent, OslaAgent, RandomAgent
from kibitz.recycle import tree
from kibitz.recycle.checks.choices import is_conditional
from kibitz.recycle.game import RecycleGame, telling
from kibitz.recycle.header import played_for_span, read_comment
from kibitz.recycle.rules import RecycleRules
from kibitz.syntax.source import Diagnostic, Severity, SourceError, Span

GAMES = 40
"""The default number of random games at a table."""
MORE_GAMES = 5
"""The factor on the number of games at the first table, which has the default settings."""
MOST_ACTIONS = 20_000
"""The number of actions at a table after which no further game is started there."""
MOST_CODE = 1_500_000
"""The number of characters of compiled code, about a second's worth, that ends the trial."""
OTHERS = ((FirstLegalAgent, "always take the first option"), (OslaAgent, "look one action ahead"))
"""Agents that play at tables where random games do not end, each with a description."""
OTHERS_GAMES = 5
"""The number of games that each agent of ``OTHERS`` plays at a table."""

ENDLESS_GAMES = 3
"""The number of games with endless rules between two decisions after which no further game is
started, as each takes seconds."""

SELDOM = 100
"""The number of visits to a choice that suggests that it always has an option."""

_BROKEN = (Status.RULES_ERROR, Status.FULL_BUFFER, Status.DEAD_END, Status.ENDLESS)
"""Statuses that show a mistake in the rules; others may be due to the players."""
_ANYBODY = {
    Status.DEAD_END: "the player to choose has no option",
    Status.FULL_BUFFER: f"the player to choose has more than {MAX_ACTIONS:,} options",
}
"""Reasons for breaking off that are worded alike for all players."""
_CODES = {
    Status.DEAD_END: "dead-end",
    Status.FULL_BUFFER: "too-many-options",
    Status.LIMIT: "never-ends",
    Status.LOOP: "loop",
    Status.SUSPECTED_LOOP: "loop",
}
_UNENDED = (Status.LIMIT, Status.SUSPECTED_LOOP)
"""Statuses of games that go on for long, which may be due to random play."""
_HINTS = {
    Status.DEAD_END: "A clause that is always possible helps, such as (turn pass); "
    "--set pass_when_stuck=yes lets whoever has no option pass.",
    Status.LIMIT: "Games of this length are broken off. Does each turn bring the end nearer?",
}


@dataclass(frozen=True)
class TableSettings:
    """The number of players at a table, and the parameters that differ from their defaults."""

    players: int
    values: Mapping[str, int]

    def __str__(self) -> str:
        settings = [f"{name}={value}" for name, value in self.values.items()]
        return listed([counted(self.players, "player"), *settings])

    def command(self, file: str, seed: int) -> str:
        """The shell command that records one game with these settings."""
        words = ["kibitz", "record", file, "--players", str(self.players), "--seed", str(seed)]
        for name, value in self.values.items():
            words += ["--set", f"{name}={value}"]
        return shlex.join(words)


@dataclass
class TableTrial:
    """The results of the games at one table.

    Attributes:
        ends: the number of games that ended with each status.
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
        tables: tables where games were played, and those whose settings the rules refuse.
        left_out: the number of tables that were not tried, to save time.
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
        """The diagnostics, without unreached parts where reading the rules gave a diagnostic."""
        spans = {diagnostic.span for diagnostic in known}
        return [
            diagnostic
            for diagnostic in self.diagnostics
            if diagnostic.is_error
            or diagnostic.code != "unreached"
            or not any(diagnostic.span.start <= span.start < diagnostic.span.end for span in spans)
        ]

    def summary(self) -> str:
        """A sentence about the tables and games that were played."""
        seats = sorted({tried.setting.players for tried in self.tables})
        who = f"{seats[0]} to {seats[-1]} players"
        if len(seats) == 1:
            who = counted(seats[0], "player")
        elif len(seats) < seats[-1] - seats[0] + 1:
            who = f"{listed([str(number) for number in seats])} players"
        wording = (
            f"{counted(self.games, 'random game')} at {counted(len(self.tables), 'table')}, {who}"
        )
        values: dict[str, set[int]] = {}
        for tried in self.tables:
            for name, value in tried.setting.values.items():
                values.setdefault(name, set()).add(value)
        for name, tried_values in values.items():
            wording += f"; {name}={','.join(map(str, sorted(tried_values)))}"
        if self.left_out:
            wording += f" ({counted(self.left_out, 'more table')} left out for the time they take)"
        return wording

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
    """What the agents do that end all games at this table; empty if no agents do."""


def try_out(
    game: RecycleGame,
    players: int | None = None,
    values: Mapping[str, int | bool] | None = None,
    games: int = GAMES,
    seed: int = 0,
) -> Trial:
    """Plays random games with the extreme settings of a game that has no errors.

    Args:
        players: the only number of players to try; by default every number that the text declares.
        values: fixed parameters; others vary if the text declares a range for them.
        games: the number of games at each table; the first gets ``MORE_GAMES`` times as many.

    Raises:
        ParameterError: the number of players or a value is not allowed.
    """
    return _TryOut(game, games, seed).run(extreme_settings(game, players, values))


def extreme_settings(
    game: RecycleGame, players: int | None = None, values: Mapping[str, int] | None = None
) -> list[TableSettings]:
    """The settings to try, each once, the most important first.

    These are the defaults; each number of players; all parameters at their greatest or all at
    their least value, and then each parameter alone at either, with the default, greatest and
    least number of players. Only ranges that the text declares count.
    """
    comment = read_comment(game.text)
    fixed = {name.lower(): value for name, value in (values or {}).items()}
    low, high = game.players
    usual = game.declared_players
    seats = [players] if players is not None else [usual]
    if players is None and comment.players is not None:
        seats += [high, low, *range(low, high + 1)]
    least, most = {}, {}
    for public, name in game.own_parameters.items():
        if name in comment.ranges and public not in fixed:
            least[public], most[public], _ = comment.ranges[name]
    settings = [TableSettings(n, fixed) for n in seats]
    for n in seats[:3]:
        settings += [TableSettings(n, fixed | most), TableSettings(n, fixed | least)]
    for n in seats[:3]:
        for parameter in least:
            settings += [
                TableSettings(n, fixed | {parameter: most[parameter]}),
                TableSettings(n, fixed | {parameter: least[parameter]}),
            ]
    defaults = {name: tunable.default for name, tunable in game.Parameters.tunables.items()}
    unique: dict[tuple[int, tuple[int, ...]], TableSettings] = {}
    for setting in settings:
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
        self.misdeclared: dict[str, Diagnostic] = {}
        """What the header declares about scores and games refute, by the message."""
        self.file = game.origin.where or game.name

    def run(self, tables: Sequence[TableSettings]) -> Trial:
        """Plays at each table, within the limits of time, and returns the results."""
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
                for diagnostic in problem.diagnostics:
                    refused.setdefault(
                        (diagnostic.code, diagnostic.span), _in_setting(diagnostic, setting)
                    )
                continue
            code += len(_rules(table).translation.text)
            self._play(table, setting, self.games * (1 if number else MORE_GAMES))
        diagnostics = [*refused.values(), *self._broken(), *self._unreached(), *self._undecided()]
        diagnostics += [*self._maybe_stuck(), *self.misdeclared.values()]
        self.trial.diagnostics = sorted(diagnostics, key=lambda diagnostic: diagnostic.span)
        return self.trial

    def _play(self, table: Table, setting: TableSettings, games: int) -> None:
        """Plays the random games of one table."""
        worker, played = self._games(table, RandomAgent, games)
        ends = Counter(Status(int(status)) for status in played["status"])
        decisions = played["seats"]["decisions"].sum(axis=0).tolist()
        tried = TableTrial(setting, len(played), int(played["ticks"].sum()), ends, decisions)
        self.trial.tables.append(tried)
        self.programs.append(_rules(table).program)
        self._check_scores(table, setting, played)
        ended_by = self._who_ends(table) if any(ends[status] for status in _UNENDED) else ""
        self._note_faults(worker, played, tried, ended_by)

    def _check_scores(
        self, table: Table, setting: TableSettings, played: np.ndarray[Any, Any]
    ) -> None:
        """Compares final scores with the range and the sum that the header declares."""
        finished = played[played["status"] == Status.FINISHED]
        scores = finished["seats"]["score"]
        low, high = table.score_range or (-np.inf, np.inf)
        refuted = {
            f"is not within {low:g} to {high:g}": (scores < low).any(axis=1)
            | (scores > high).any(axis=1)
        }
        if table.game.played_for == "score" and is_zero_sum(table):
            refuted["does not add up to zero"] = scores.sum(axis=1) != 0
        for problem, games in refuted.items():
            if problem not in self.misdeclared and games.any():
                game = finished[np.argmax(games)]
                shown = " to ".join(f"{score:g}" for score in game["seats"]["score"])
                self.misdeclared[problem] = Diagnostic(
                    Severity.ERROR,
                    "scores",
                    f"A game with {setting} ends {shown}, which {problem} as declared here.",
                    played_for_span(self.game.text),
                    f"To see it: {setting.command(self.file, int(game['seed']))}",
                )

    def _games(
        self, table: Table, kind: type[Agent], games: int
    ) -> tuple[Worker, np.ndarray[Any, Any]]:
        """Plays games until a limit is reached; counts the visits to choices and clauses."""
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
        """What agents do that end all their games at this table; empty if no agents do."""
        for kind, does in OTHERS:
            _, played = self._games(table, kind, OTHERS_GAMES)
            if (played["status"] == Status.FINISHED).all():
                return does
        return ""

    def _note_faults(
        self, worker: Worker, played: np.ndarray[Any, Any], tried: TableTrial, ended_by: str
    ) -> None:
        """Records the reasons for which games broke off, each with the first such game."""
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
            if not any(earlier.setting == tried.setting for earlier in known):
                known.append(fault)

    def _broken(self) -> Iterator[Diagnostic]:
        """Diagnostics of reasons for breaking off, each in the setting where it is worst."""
        for (status, span, why), faults in self.faults.items():
            worst = max(
                faults,
                key=lambda fault: (
                    not fault.ended_by,
                    fault.games / fault.of,
                    -len(fault.setting.values),
                ),
            )
            share = "all" if worst.games == worst.of else f"{worst.games} of"
            where = f"in {share} {counted(worst.of, 'random game')} with {worst.setting}"
            if len(faults) > 1:
                others = counted(len(faults) - 1, "other setting")
                where += f", and with {others}"
            message = f"The game breaks off: {why}" if why else _NO_END[status]
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
                f"{message}, {where}.",
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
                message = f"No choice of this stage was ever reached, {games}."
            elif isinstance(node, tree.Choice):
                message = f"This choice was never reached, {games}."
            else:
                message = f"Nobody ever chose this, {games}."
            hint = "It is rare, or never possible. If rare, ';; ok: unreached' keeps this quiet."
            yield Diagnostic(Severity.REMARK, "unreached", message, node.span, hint)

    def _maybe_stuck(self) -> Iterator[Diagnostic]:
        """Diagnostics of choices that may lack an option and were reached too seldom to tell."""
        reported = {span for _, span, _ in self.faults}
        for choice in _choices(self.programs[0].items if self.programs else ()):
            times = self.reached[choice.span]
            if times < SELDOM and choice.span not in reported and is_conditional(choice):
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
        """A diagnostic of the first table where some seats never had a choice and others did."""
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
"""Messages for games that do not end."""


def _in_setting(diagnostic: Diagnostic, setting: TableSettings) -> Diagnostic:
    """A diagnostic that names the setting in which it occurs."""
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
                yield from (clause for clause in item.clauses if clause.span not in reached)
        elif isinstance(item, tree.Stage):
            choices = list(_choices(item.items))
            if choices and not any(choice.span in reached for choice in choices):
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
