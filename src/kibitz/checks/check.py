"""``check_game``: checks whether a game keeps the contract.

Random games are played with uncompiled rules, which notice every index out of range, and looked at
in every state; in a few states of each game the laws are tried that need playing on: samples,
copies, every legal action. Then the same games are repeated compiled. Of games that are longer
than the actions to be looked at allow, the beginning, the end and stretches between are looked at,
to which compiled rules lead. The laws are listed in ``Law``.
"""

from __future__ import annotations

import functools
import itertools
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kibitz.checks.agreement import CURE, Trace, compare
from kibitz.checks.case import CheckState
from kibitz.checks.checked_game import CheckedGame
from kibitz.checks.contents import slotted
from kibitz.checks.isolation import Crashed, isolated
from kibitz.checks.laws import QUICK_LAWS, Law
from kibitz.checks.secrets import SecretFinder
from kibitz.checks.watched import Watch, explain
from kibitz.core.errors import GameDefinitionError, ParameterError
from kibitz.core.game import Game, Table, checked_players, usual_rules
from kibitz.core.native import reachable
from kibitz.core.parameters import GameParameters, Tunable, whole_number
from kibitz.core.randomness import check_seed
from kibitz.core.view import RecordView
from kibitz.core.wording import counted, listed
from kibitz.loading import Playable, load
from kibitz.syntax.findings import CheckResult, Finding, Spot

GAMES = 12
"""The default number of games for each number of players."""
GAMES_REPEATED = 2
"""How many games with each number of players are repeated uncompiled; compiled, all are."""

ACTIONS = 5_000
LEAST_ACTIONS = 40
"""How many actions are looked at one by one: in all, and at least in each game."""

STATES = 200
LEAST_STATES, MOST_STATES = 2, 4
"""The number of states examined closely: about 200 in all, and 2 to 4 in each game."""

OPENINGS = 30
OPENING_LENGTH = 8
"""How many games are begun, and their length, only to find open numbers that reveal hidden ones.

It is done with the least number of players, the greatest, and one between.
"""

ENOUGH_GAMES = 8
"""The number of games with each number of players after which rules have probably read all
parameters that they ever read."""

_PLAYED = ("games", "actions", "actions looked at", "games looked at in full")
"""The counts of the first sentence of a report."""

MOST_BROKEN_OFF = 2
"""The number of games that broke off after which no more are played with as many players."""

COMPILED_SECONDS = 300.0
"""The time limit for repeating all games with compiled rules."""


def check_game(
    game: Playable,
    *,
    games: int = GAMES,
    seed: int = 0,
    players: int | Iterable[int] | None = None,
    parameters: Mapping[str, Any] | None = None,
    actions: int = ACTIONS,
    compiled: bool = True,
    on_game: Callable[[CheckResult], None] | None = None,
) -> CheckResult:
    """Plays random games and checks whether the game keeps the contract.

    Half of the games have default parameters, the others random or extreme ones, unless
    `parameters` are given. All are played to their end; of long games only parts are looked at
    action by action.

    >>> import kibitz
    >>> kibitz.check_game("tic-tac-toe", games=2).ok
    True

    Args:
        game: what is checked, at all its tables.
        games: how many to play with each number of players.
        seed: of the check: the same seed, the same games.
        players: the numbers of players to check; by default all that the game allows.
        parameters: the values that differ from the defaults in every game, by name.
        actions: about how many to look at one by one, in all games together; some of each
            game are looked at anyway.
        compiled: whether the rules are compiled, and the games repeated with them.
        on_game: is called with the report so far, before the first game and after each; so it is
            still there after a keyboard interrupt.

    Returns:
        The result: ``result.ok``, ``result.findings``, ``print(result)``.

    Raises:
        UnknownGameError: no game has that name.
        ParameterError: the number of players is not allowed, or `games` or `actions` is no whole
            number of 1 or more.
    """
    games, actions = whole_number("games", games, 1), whole_number("actions", actions, 1)
    check_seed(seed)
    kind = game if isinstance(game, type) else type(load(game))
    if not has_python_rules(kind):
        raise GameDefinitionError(
            f"{load(game).name} is written in {kind.language}, not in Python: 'kibitz check' "
            "with its file checks it."
        )
    report = CheckResult(kind.name or kind.__name__, laws=len(QUICK_LAWS))
    began = time.monotonic()
    try:
        check = _Check(kind, report, seed, parameters, compiled)
        check.run(players, games, actions, on_game or (lambda *_: None))
        report.complete = True
    finally:
        report.seconds = time.monotonic() - began
        report.played = _coverage(report)
    return report


def _coverage(report: CheckResult) -> str:
    """How much was looked at, in sentences."""
    counts = dict(report.checked)
    games, actions, looked_at, in_full = (counts.pop(name, 0) for name in _PLAYED)
    played = f"Played {counted(games, 'game')} of {counted(actions, 'action')}, "
    if in_full == games:
        played += "and looked at all of them one by one."
    else:
        played += (
            f"and looked at {looked_at:,} of them one by one: all of {counted(in_full, 'game')}, "
            f"and of {games - in_full:,} beginning, end and parts between."
        )
    others = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    return f"{played}\nAlso {others}, in {report.seconds:.1f} s."


def has_python_rules(kind: type[Game]) -> bool:
    """Whether a game's rules are Python functions, which ``check_game`` can check."""
    return kind.setup is not None or kind.language == Game.language


def _numbers_of_players(game: Game, players: int | Iterable[int] | None) -> list[int]:
    """The numbers of players to check."""
    if players is None:
        low, high = game.players
        return list(range(low, high + 1))
    chosen = [*players] if isinstance(players, Iterable) else [players]
    if not chosen:
        raise ParameterError(f"players = {players!r} should be one number of players or more.")
    return [checked_players(game, number) for number in chosen]


class _Check:
    """One run of ``check_game``.

    Attributes:
        watch: records what the rules read, while games are played.
        game: the game with uncompiled rules, which are watched.
    """

    watch: Watch
    game: Game

    def __init__(
        self,
        kind: type[Game],
        report: CheckResult,
        seed: int,
        parameters: Mapping[str, Any] | None,
        compile_rules: bool,
    ) -> None:
        self.kind = kind
        self.compile_rules = compile_rules
        self.parameters = parameters
        self.report = report
        self.rng = random.Random(seed)
        self.shared = CheckState(report, self.rng)
        self.traces: list[Trace] = []
        self.broken_off = 0
        self.left_alone = 0
        self.refusal = ""

    def run(
        self,
        players: int | Iterable[int] | None,
        games: int,
        actions: int,
        on_game: Callable[[CheckResult], None],
    ) -> None:
        """Runs the check, and fills the report."""
        with Watch() as watch:
            try:
                self.game = watch.game(self.kind)
            except Exception as problem:
                self.report.add(explain(problem))
                return
            self.reads = watch.reads
            self.play(_numbers_of_players(self.game, players), games, actions, on_game)
        if self.compile_rules:
            self.compare_compiled()

    def play(
        self,
        numbers_of_players: list[int],
        games: int,
        actions: int,
        on_game: Callable[[CheckResult], None],
    ) -> None:
        """Runs all checks with uncompiled rules."""
        total = games * len(numbers_of_players)
        self.actions_left, self.games_left = actions, total
        self.states = min(MOST_STATES, max(LEAST_STATES, STATES // total))
        chosen = sorted(numbers_of_players)
        self.openings = {chosen[0], chosen[len(chosen) // 2], chosen[-1]}
        on_game(self.report)
        for players in numbers_of_players:
            for _ in self._play_with(players, games):
                on_game(self.report)
        if self.left_alone:
            self.report.not_tried.append(
                f"{self.left_alone} games were not played to their end, since only compiled "
                "rules could do it soon."
            )
        for finding in self.shared.variation.findings():
            self.report.add(finding)
        if self.traces and not self.broken_off:  # else too little was seen of the rules
            self._unread_parameters(numbers_of_players)

    def compare_compiled(self) -> None:
        """Repeats the games with compiled rules, if no problem was found in them."""
        if self.report.findings:
            self.report.not_tried.append(
                "Compiled rules were not run: mend this first, then check again."
            )
            return
        compiled = self.compiled
        if compiled is None:
            self.report.add(
                Finding(
                    Law.COMPILES,
                    self.refusal,
                    cure="rules are plain functions over numbers and records: no lists, "
                    "dictionaries, strings or exceptions.",
                )
            )
            return
        games = sum(trace.start is None for trace in self.traces)
        self.report.checked["games repeated compiled"] = games
        try:
            for finding in isolated(lambda: compare(self.traces, compiled), COMPILED_SECONDS):
                self.report.add(finding)
        except Crashed as problem:
            message = f"the compiled rules {problem}"
            self.report.add(Finding(Law.SAME_COMPILED, message, cure=CURE))

    @functools.cached_property
    def compiled(self) -> Game | None:
        """The game with compiled rules; ``None``: they do not compile, ``refusal`` says why.

        ``None``, too, if they are not to be compiled.
        """
        if not self.compile_rules:
            return None
        try:
            compiled = self.kind(compiled=True)
            usual_rules(compiled).addresses()
        except Exception as problem:
            self.refusal = str(problem)
            return None
        return compiled

    # -- games ------------------------------------------------------------------------------

    def _play_with(self, players: int, games: int) -> Iterator[None]:
        """Plays all games with one number of players; yields after each."""
        broken_off = 0
        secrets = SecretFinder(usual_rules(self.game).layout, players)
        for number, parameters in enumerate(self._settings(players, games)):
            if broken_off >= MOST_BROKEN_OFF:
                self.report.not_tried.append(
                    f"With {players} players {broken_off} games broke off; no more were played."
                )
                break
            trace = self._trace(players, parameters)
            if trace is None or not self._play(trace, secrets, number):
                broken_off += 1
            yield
        self.broken_off += broken_off
        tables = [t.table for t in self.traces if t.table.players == players]
        if tables and not broken_off and slotted(usual_rules(self.game).layout, players):
            if players in self.openings:
                self._play_openings(tables[0], secrets, games)
            for finding in secrets.findings():
                self.report.add(finding, Spot(players))

    def _play(self, trace: Trace, secrets: SecretFinder, number: int) -> bool:
        """Plays a game and examines it; returns whether all went well."""
        game = CheckedGame(trace, number, self.shared, secrets)
        well = game.play(
            max(LEAST_ACTIONS, self.actions_left // max(1, self.games_left)),
            self.states,
            lambda: self.compiled,
            number < GAMES_REPEATED,
        )
        self.actions_left -= game.looked_at
        self.games_left -= 1
        checked = self.report.checked
        checked["games"] += 1
        checked["actions"] += max(game.length, game.looked_at)
        checked["actions looked at"] += game.looked_at
        checked["games looked at in full"] += game.looked_at >= game.length
        if well:
            self.traces += game.traces
            self.left_alone += not game.over
        return well

    def _settings(self, players: int, games: int) -> Iterator[GameParameters]:
        """Yields each game's parameters: those given, or defaults, random and extreme ones."""
        try:
            default = self.game.Parameters(players)
            problem = self.game.problem(players, default)
        except Exception as failure:
            self.report.add(explain(failure), Spot(players))
            return
        if problem:
            message = f"with {players} players the default parameters are refused: {problem}"
            self.report.add(Finding(Law.DECLARATION, message), Spot(players))
        if self.parameters is not None:
            yield from itertools.repeat(self.game.Parameters(players, **self.parameters), games)
            return
        for number in range(games):
            varied = None
            if number % 2 == 1 and default.tunables:
                varied = self._allowed(players, extreme=number % 4 == 3)
            if varied is not None or not problem:
                yield varied or default

    def _allowed(self, players: int, extreme: bool) -> GameParameters | None:
        """Random parameters that the game allows, if they can be found."""
        kind = self.game.Parameters
        for _ in range(100):
            if extreme:
                values = {name: self._extreme(t) for name, t in kind.tunables.items()}
                parameters = kind(players, **values)
            else:
                parameters = kind.randomize(players, self.rng)
            try:
                if self.game.problem(players, parameters) is None:
                    return parameters
            except Exception as failure:
                self.report.add(explain(failure), Spot(players, parameters.to_json()))
                return None
        return None

    def _extreme(self, tunable: Tunable) -> Any:
        """The least value, the greatest, or a random one."""
        values: Any = tunable.values
        if tunable.is_continuous:
            return self.rng.choice(
                (values[0], values[-1], self.rng.uniform(values[0], values[-1]))
            )
        return self.rng.choice((min(values), max(values), self.rng.choice(list(values))))

    def _trace(self, players: int, parameters: GameParameters) -> Trace | None:
        """An empty trace of a new game."""
        seed = self.rng.randrange(1 << 31)
        try:
            table = self.game.table(players, parameters.as_dict())
        except Exception as problem:
            self.report.add(explain(problem), Spot(players, parameters.to_json(), seed))
            return None
        return Trace(table, seed)

    def _play_openings(self, table: Table, secrets: SecretFinder, first: int) -> None:
        """Plays the openings of many more games like the first, for ``SecretFinder``."""
        for number in range(first, first + OPENINGS):
            self.report.checked["openings"] += 1
            trace = Trace(table, self.rng.randrange(1 << 31))
            if not CheckedGame(trace, number, self.shared, secrets).open(OPENING_LENGTH):
                return

    # -- over the whole check ---------------------------------------------------------------

    def _unread_parameters(self, numbers_of_players: list[int]) -> None:
        """CheckResults parameters that no rule and no component reads."""
        read = set(self.reads)
        for players in numbers_of_players:
            read |= self._read_by_components(players)
        unread = [name for name in self.game.Parameters.tunables if name not in read]
        unreached = [name for name in unread if name in self._names_in_rules()]
        for name in unread:
            if name not in unreached:
                message = "no rule reads it, so it changes nothing"
                cure = f"read params.{name} where it matters, or do not declare it."
                self.report.add(Finding(Law.PARAMETER, message, name, cure))
        if not unreached:
            return
        games = self.report.checked["games"]
        if self._saw_everything(numbers_of_players):
            for name in unreached:
                message = f"no rule came to read it in {games} games"
                cure = "look for a condition that is never true."
                self.report.add(Finding(Law.PARAMETER, message, name, cure))
        else:
            self.report.not_tried.append(
                f"What was looked at is too little to say whether a rule ever comes to read "
                f"{listed(unreached)}: check all numbers of players, with more games or actions."
            )

    def _saw_everything(self, numbers_of_players: list[int]) -> bool:
        """Whether enough was played that what no rule has read is probably never read."""
        checked = self.report.checked
        low, high = self.game.players
        return (
            set(numbers_of_players) == set(range(low, high + 1))
            and checked["games"] >= ENOUGH_GAMES * len(numbers_of_players)
            and checked["games looked at in full"] == checked["games"]
        )

    def _read_by_components(self, players: int) -> set[str]:
        recorder = _Recorder(self.game.Parameters(players))
        for instance in usual_rules(self.game).layout.instances:
            block = memoryview(bytearray(instance.dtype.itemsize))
            view: Any = RecordView(block, 0, instance.dtype)
            instance.component.initialize(view, instance.owner, recorder)  # type: ignore[arg-type]
        return recorder.reads

    def _names_in_rules(self) -> set[str]:
        names: set[str] = set()
        for export in usual_rules(self.kind(compiled=False)).exports.values():
            for function in reachable(export.function):
                names.update(function.__code__.co_names)
        return names


class _Recorder:
    """Parameters that record which of them are read."""

    def __init__(self, parameters: GameParameters) -> None:
        self._parameters = parameters
        self.reads: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.reads.add(name)
        return getattr(self._parameters, name)

    def __getitem__(self, name: str) -> Any:
        self.reads.add(name)
        return self._parameters[name]
