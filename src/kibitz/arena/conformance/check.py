"""``check_game``: whether a game keeps the contract, in words its author understands.

Random games are played with uncompiled rules, which notice every wild index, and looked at in
every state; in a few states of each game the laws are tried that need playing on: samples of
the hidden, copies, every legal action. Then the same games are repeated compiled. The laws are
listed in ``Law``.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from typing import Any

from kibitz.arena.conformance.agreement import Trace, compare, isolated, replay_differs, twin
from kibitz.arena.conformance.case import Case, Variation
from kibitz.arena.conformance.contents import slotted
from kibitz.arena.conformance.findings import Finding, Law, Report, Spot
from kibitz.arena.conformance.inspector import Inspector
from kibitz.arena.conformance.laws import STATE_LAWS
from kibitz.arena.conformance.secrets import SecretFinder
from kibitz.arena.conformance.watched import Watch, explain
from kibitz.core.errors import ParameterError
from kibitz.core.game import Game, Table
from kibitz.core.native import reachable
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.registry import game_class
from kibitz.core.state import State
from kibitz.core.view import RecordView

STATES_KEPT = 3
"""How many states of each game are examined closely, besides the last."""

GAMES_REPEATED = 2
"""How many games with each number of players are played again at once; compiled, all are."""

OPENINGS = 30
OPENING_LENGTH = 8
"""So many games are begun, and so far, only to look for open numbers that tell hidden ones."""

PATIENCE = 2
"""After so many games that broke off, no more are played with as many players."""

COMPILED_SECONDS = 300.0
"""How long the repetition of all games with compiled rules may take: they are the quick ones."""


def check_game(
    game: Game | type[Game] | str,
    *,
    games: int = 12,
    seed: int = 0,
    players: int | Iterable[int] | None = None,
) -> Report:
    """Plays random games and checks whether the game keeps the contract.

    Half of the games have default parameters, the others random or extreme ones.

    >>> import kibitz
    >>> kibitz.check_game("tic-tac-toe", games=2).ok
    True

    Args:
        game: an instance, a class or a name.
        games: how many to play with each number of players.
        seed: of the check: the same seed, the same games.
        players: the numbers of players to check; by default all that the game allows.

    Returns:
        The report: ``report.ok``, ``report.problems``, ``print(report)``.

    Raises:
        UnknownGameError: no game has that name.
        ParameterError: the game is not for so many players.
        ValueError: `games` is less than 1.
    """
    if games < 1:
        raise ValueError(f"games = {games} should be at least 1")
    kind = game_class(game) if isinstance(game, str) else _class_of(game)
    report = Report(kind.name or kind.__name__)
    began = time.monotonic()
    check = None
    with Watch() as watch:
        try:
            watched = watch.game(kind)
        except Exception as problem:
            report.add(explain(problem))
        else:
            check = _Check(kind, watched, watch, report, seed)
            check.play(_numbers_of_players(watched, players), games)
    if check is not None:
        check.compare_compiled()
    report.seconds = time.monotonic() - began
    return report


def _class_of(game: Game | type[Game]) -> type[Game]:
    return game if isinstance(game, type) else type(game)


def _numbers_of_players(game: Game, players: int | Iterable[int] | None) -> list[int]:
    """The numbers of players to check."""
    low, high = game.players
    if players is None:
        return list(range(low, high + 1))
    chosen = [players] if isinstance(players, int) else list(players)
    for number in chosen:
        if not low <= number <= high:
            raise ParameterError(f"{game.name} is for {low} to {high} players, not {number}.")
    return chosen


class _Check:
    """One run of ``check_game``."""

    def __init__(
        self, kind: type[Game], game: Game, watch: Watch, report: Report, seed: int
    ) -> None:
        self.kind = kind
        self.game = game
        self.watch = watch
        self.report = report
        self.rng = random.Random(seed)
        self.traces: list[Trace] = []
        self.variation = Variation()
        self.lengths: set[int] = set()
        self.noticed: set[tuple[Law, str]] = set()
        self.broken_off = 0

    def play(self, numbers_of_players: list[int], games: int) -> None:
        """Everything that is checked with uncompiled rules."""
        for players in numbers_of_players:
            self._play_with(players, games)
        for finding in self.variation.findings():
            self.report.add(finding)
        if self.traces and not self.broken_off:  # else too little was seen of the rules
            self._unread_parameters(numbers_of_players)

    def compare_compiled(self) -> None:
        """The same games again with compiled rules, if nothing was wrong with them."""
        if not self.report.ok:
            self.report.remarks.append(
                "Compiled rules were not run: mend this first, then check again."
            )
            return
        try:
            compiled = self.kind(compiled=True)
            for trace in self.traces:
                twin(trace.table, compiled)
        except Exception as problem:
            self.report.add(
                Finding(
                    Law.COMPILES,
                    str(problem),
                    cure="rules are plain functions over numbers and records: no lists, "
                    "dictionaries, strings or exceptions.",
                )
            )
            return
        self.report.checked["games repeated compiled"] = len(self.traces)
        for finding, spot in isolated(
            lambda: list(compare(self.traces, compiled)), COMPILED_SECONDS
        ):
            self.report.add(finding, spot)

    # -- games ------------------------------------------------------------------------------

    def _play_with(self, players: int, games: int) -> None:
        """All games with one number of players."""
        broken_off = 0
        secrets = SecretFinder(self.game.layout, players)
        for number, parameters in enumerate(self._settings(players, games)):
            if broken_off >= PATIENCE:
                self.report.remarks.append(
                    f"With {players} players {broken_off} games broke off; no more were played."
                )
                break
            trace = self._trace(players, parameters)
            if trace is None or not self._play(trace, secrets, number):
                broken_off += 1
        self.broken_off += broken_off
        tables = [t.table for t in self.traces if t.table.players == players]
        if tables and not broken_off and slotted(self.game.layout, players):
            self._play_openings(tables[0], secrets, games)
            for finding in secrets.findings():
                self.report.add(finding, Spot(players))

    def _settings(self, players: int, games: int) -> Iterator[GameParameters]:
        """Parameters for so many games: the defaults, random and extreme ones in turn."""
        try:
            default = self.game.Parameters(players)
            problem = self.game.problem(players, default)
        except Exception as failure:
            self.report.add(explain(failure), Spot(players))
            return
        if problem:
            message = f"with {players} players the default parameters are refused: {problem}"
            self.report.add(Finding(Law.DECLARATION, message), Spot(players))
        for number in range(games):
            found = None
            if number % 2 == 1 and default.tunables:
                found = self._allowed(players, extreme=number % 4 == 3)
            if found is not None or not problem:
                yield found or default

    def _allowed(self, players: int, extreme: bool) -> GameParameters | None:
        """Random parameters that the game does not refuse, if they can be found."""
        kind = self.game.Parameters
        for _ in range(100):
            if extreme:
                values = {name: self._extreme(t) for name, t in kind.tunables.items()}
                found = kind(players, **values)
            else:
                found = kind.randomize(players, self.rng)
            try:
                if self.game.problem(players, found) is None:
                    return found
            except Exception as failure:
                self.report.add(explain(failure), Spot(players, found.to_json()))
                return None
        return None

    def _extreme(self, tunable: Tunable) -> Any:
        """The least value, the greatest, or any of them."""
        values: Any = tunable.values
        if tunable.is_continuous:
            return self.rng.choice(
                (values[0], values[-1], self.rng.uniform(values[0], values[-1]))
            )
        return self.rng.choice((min(values), max(values), self.rng.choice(list(values))))

    def _trace(self, players: int, parameters: GameParameters) -> Trace | None:
        """A game about to begin."""
        seed = self.rng.randrange(1 << 31)
        try:
            table = self.game.table(players, **parameters.as_dict())
        except Exception as problem:
            self.report.add(explain(problem), Spot(players, parameters.to_json(), seed))
            return None
        return Trace(table, seed)

    def _play(self, trace: Trace, secrets: SecretFinder, number: int) -> bool:
        """Plays a game and examines it; returns whether it came to a proper end."""
        self.noticed.clear()
        self.report.checked["games"] += 1
        try:
            inspector = self._walk(trace, secrets, number, self.game.max_ticks)
            if inspector is not None:
                if number < GAMES_REPEATED:
                    self._again(trace)
                for tick, content in trace.kept:
                    self._examine(trace, inspector, tick, content)
        except Exception as problem:
            self._add(explain(problem), trace)
            return False
        if inspector is None:
            return False
        self.traces.append(trace)
        return True

    def _walk(
        self, trace: Trace, secrets: SecretFinder, number: int, limit: int
    ) -> Inspector | None:
        """Plays at random, looking at every state; ``None`` where it had to stop.

        Of the states on the way a few are kept, all with the same chance.
        """
        state = trace.table.new_state(trace.seed)
        inspector = Inspector(state)
        while True:
            tick = len(trace.actions)
            self.report.checked["states"] += 1
            if self._add_all(inspector.inspect(state, tick), trace):
                return None
            trace.digests.append(hash(bytes(state)))
            secrets.watch(state, number)
            if state.is_terminal or tick >= limit:
                trace.kept.append((tick, bytes(state)))
                return inspector
            if len(trace.kept) < STATES_KEPT:
                trace.kept.append((tick, bytes(state)))
            elif (at := self.rng.randrange(tick + 1)) < STATES_KEPT:
                trace.kept[at] = (tick, bytes(state))
            legal = self._legal_actions(state, trace)
            trace.offers.append(hash(tuple(legal)))
            trace.actions.append(self.rng.choice(legal))
            state.apply(trace.actions[-1])

    def _legal_actions(self, state: State, trace: Trace) -> list[int]:
        legal = state.legal_actions()
        if len(set(legal)) < len(legal):
            twice = next(action for action in legal if legal.count(action) > 1)
            self._add(
                Finding(
                    Law.DISTINCT,
                    f"{state.action_words(twice)!r} is listed {legal.count(twice)} times among "
                    f"{len(legal)} legal actions",
                    "legal_actions",
                    "for cards that are equal, add the action once.",
                ),
                trace,
            )
        return legal

    def _again(self, trace: Trace) -> None:
        """The game once more: the same seed and actions, the same states."""
        differs = replay_differs(trace, trace.table)
        if differs is None:
            return
        tick, shown = differs
        self._add(
            Finding(
                Law.REPLAY,
                f"played again from the same seed, the game differs in {shown}",
                cure="rules may depend on the state and the parameters only, and on chance by "
                "way of state.rng: not on global variables or on Python's random numbers.",
            ),
            trace,
            tick,
        )

    def _examine(self, trace: Trace, inspector: Inspector, tick: int, content: bytes) -> None:
        """Tries all laws on one state; what a law does not survive is reported, too."""
        state = State(trace.table, content)
        checked = self.report.checked
        checked["states examined closely"] += 1
        case = Case(state, inspector, self.rng, checked, self.lengths, self.variation)
        for law in STATE_LAWS:
            try:
                self._add_all(law(case), trace, tick)
            except Exception as problem:
                self._add(explain(problem), trace, tick)

    def _play_openings(self, table: Table, secrets: SecretFinder, first: int) -> None:
        """Begins many more games like the first, for statistics."""
        for number in range(first, first + OPENINGS):
            trace = Trace(table, self.rng.randrange(1 << 31))
            self.noticed.clear()
            self.report.checked["openings"] += 1
            try:
                self._walk(trace, secrets, number, OPENING_LENGTH)
            except Exception as problem:
                self._add(explain(problem), trace)
                return

    # -- reporting --------------------------------------------------------------------------

    def _add(self, finding: Finding, trace: Trace, tick: int | None = None) -> None:
        """Reports a finding, unless this game has shown the same before."""
        if (finding.law, finding.path) not in self.noticed:
            self.noticed.add((finding.law, finding.path))
            self.report.add(finding, trace.spot(tick))

    def _add_all(self, findings: Iterable[Finding], trace: Trace, tick: int | None = None) -> bool:
        """Reports all; returns whether the game cannot be played on."""
        fatal = False
        for finding in findings:
            self._add(finding, trace, tick)
            fatal = fatal or finding.fatal
        return fatal

    # -- over the whole check ---------------------------------------------------------------

    def _unread_parameters(self, numbers_of_players: list[int]) -> None:
        """Every parameter is read by a rule, or by a component that takes its size from it."""
        read = set(self.watch.reads)
        for players in numbers_of_players:
            read |= self._read_by_components(players)
        for name in self.game.Parameters.tunables:
            if name in read:
                continue
            if name in self._names_in_rules():
                message = f"no rule came to read it in {self.report.checked['games']} games"
                cure = "look for a condition that is never true."
            else:
                message = "no rule reads it, so it changes nothing"
                cure = "read params." + name + " where it matters, or do not declare it."
            self.report.add(Finding(Law.PARAMETER, message, name, cure))

    def _read_by_components(self, players: int) -> set[str]:
        recorder = _Recorder(self.game.Parameters(players))
        for instance in self.game.layout.instances:
            block = memoryview(bytearray(instance.dtype.itemsize))
            view: Any = RecordView(block, 0, instance.dtype)
            instance.component.initialize(view, instance.owner, recorder)  # type: ignore[arg-type]
        return recorder.reads

    def _names_in_rules(self) -> set[str]:
        names: set[str] = set()
        for export in self.kind(compiled=False).exports.values():
            for function in reachable(export.function):
                names.update(function.__code__.co_names)
        return names


class _Recorder:
    """Parameters that note which of them are read."""

    def __init__(self, parameters: GameParameters) -> None:
        self._parameters = parameters
        self.reads: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.reads.add(name)
        return getattr(self._parameters, name)
