"""``Game``, and ``Table``: a game with players and parameters chosen."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import functools
import inspect
import math
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from kibitz.core import contract, hidden
from kibitz.core.action_index import ActionIndex
from kibitz.core.actions import ACTION_LIST
from kibitz.core.chance import ONE_DEAL, pile_number
from kibitz.core.contract import RULES
from kibitz.core.declarations import RULES_AND_TEXTS, GameDeclarations
from kibitz.core.encoder import Encoder
from kibitz.core.errors import GameDefinitionError, ParameterError
from kibitz.core.fingerprint import rules_fingerprint
from kibitz.core.hidden import FORGOTTEN, REDRAWN, SLOT
from kibitz.core.interrupt import allowed, deferred
from kibitz.core.layout import HEADER, MEMORY, OWN_POOL, Slots, header_offset
from kibitz.core.memory import INT64, array_at, record_at
from kibitz.core.native import Export, compile_native
from kibitz.core.parameters import GameParameters, by_name
from kibitz.core.plugins import canonical
from kibitz.core.python_rules import PythonRules, features_export, heuristic_export
from kibitz.core.randomness import OBSERVATION_STREAM, start_stream
from kibitz.core.registry import Origin, remade
from kibitz.core.rules import Rules
from kibitz.core.sides import checked_sides
from kibitz.core.state import State, new_state
from kibitz.core.status import MAX_PLAYERS, Status
from kibitz.core.table_wording import TableWording
from kibitz.core.view import view_at
from kibitz.core.wording import counted, listed

"""The index of the first action among the 64-bit words of an ``ACTION_LIST``."""

COMMON_HEURISTICS = ("own", "score", "rank")
"""The heuristics of every game: its own, the lead in score, the rank by score.

In an agent's record they are numbers, their indices here; any other heuristic is an address.
"""

MOST_TABLES = 64
"""The maximum number of tables that a game caches."""


_CALLED_BY_TABLES = {*RULES_AND_TEXTS, "rules_for", "Wording", "origin"}


class Game(GameDeclarations):
    """A tabletop game, of which tables and states are made.

    Games written in Python are subclasses that declare the attributes, rules and texts of
    ``GameDeclarations``; games in other languages are objects of the language's subclass.
    """

    # -- playing ----------------------------------------------------------------------------

    def table(
        self,
        /,
        players: int | None = None,
        parameters: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> Table:
        """The table for this number of players and these parameters.

        Args:
            players: by default ``usual_players``.
            parameters: values by name, whatever the name; all others keep their defaults.
            named: further values, for parameters without the name of an argument here.

        Raises:
            ParameterError: a name, a value or a combination is not allowed.
            FileError: a text that describes the rules cannot be used.
        """
        players = checked_players(self, players)
        given = by_name("parameters", parameters)
        if twice := given.keys() & named.keys():
            raise ParameterError(f"{min(twice)} is given twice: in parameters, and by keyword.")
        values = self.Parameters(players, **given, **named)
        if problem := self.problem(players, values):
            raise ParameterError(f"{self.name}: {problem}")
        key = (players, values)
        if len(self._tables) >= MOST_TABLES:
            self._tables.clear()
        if key not in self._tables:
            table = Table(self, players, values, self.rules_for(players, values))
            if self.origin.before_play is not None:
                self.origin.before_play(table)
            self._tables[key] = table
        return self._tables[key]

    def new_state(
        self,
        /,
        players: int | None = None,
        seed: int = 0,
        parameters: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> State:
        """A new game, set up: ``game.new_state(players=4, seed=1, tokens_to_win=3)``.

        Args:
            players: by default ``usual_players``.
            seed: the seed of the game's random stream.
            parameters: values by name; all others keep their defaults.
            named: further values, for parameters without the name of an argument here.
        """
        return self.table(players, parameters, **named).new_state(seed)

    @property
    def usual_players(self) -> int:
        """The default number of players: the smallest."""
        return self.players[0]

    # -- what it is -------------------------------------------------------------------------

    def about(self) -> str:
        """A description of the game in one or two sentences: the beginning of its docstring."""
        text = inspect.getdoc(self) or ""
        return " ".join(text.split("\n\n")[0].split())

    language: str = "python"
    """The name of the language in which the game is written."""
    compiled: bool
    """Whether its rules are machine code; if not, a debugger can step through them."""

    @property
    def evaluation(self) -> str | None:
        """How the rules are evaluated, in words, if the language has several ways.

        Reading it prepares the rules, which may take a while.
        """
        return None

    @property
    def slowness(self) -> str | None:
        """Why playing is slow, in a sentence; ``None`` if it is not.

        Reading it prepares the rules, which may take a while.
        """
        return None

    @property
    def rules_text(self) -> tuple[str, str] | None:
        """The suffix of a file with the rules, and its text; ``None`` for rules in Python."""
        return None

    @functools.cached_property
    def fingerprint(self) -> str:
        """A hash that changes when the rules may have changed; runs keep it."""
        return rules_fingerprint(self._python_rules.exports)

    # -- for languages, threads and processes -----------------------------------------------

    def rules_for(self, players: int, parameters: GameParameters) -> Rules:
        """The native rules for this number of players and these parameters.

        Raises:
            FileError: a text that describes them cannot be used.
        """
        return self._python_rules

    Wording: ClassVar[type[TableWording]] = TableWording
    """The class of ``Table.wording``: the words for actions, events and states."""
    origin: Origin
    """How the game was loaded, for other processes."""

    def fork(self, compiled: bool | None = None) -> Game:
        """A copy of the game, for another thread."""
        game = type(self)(self.compiled if compiled is None else compiled)
        game.origin.where = self.origin.where
        if game.compiled == self.compiled:
            game.origin.recipe = self.origin.recipe
        return game

    def __init__(self, compiled: bool | None = None) -> None:
        """
        Args:
            compiled: ``False`` leaves the rules in Python, so that a debugger can step
                through them; by default ``KIBITZ_COMPILE`` decides (``0`` means the same).
        """
        if compiled is None:
            compiled = os.environ.get("KIBITZ_COMPILE", "1") != "0"
        self.compiled = compiled
        for name in self.heuristics:
            if name != canonical(name) or name in COMMON_HEURISTICS:
                raise GameDefinitionError(
                    f"{type(self).__name__} cannot call a heuristic {name!r}: a name has small "
                    f"letters and no spaces, and {listed(COMMON_HEURISTICS)} are taken."
                )
        if self.played_for not in ("place", "score"):
            raise GameDefinitionError(
                f"{self.name}: played_for = {self.played_for!r} should be 'place' or 'score'."
            )
        low, high = self.players
        if not 1 <= low <= high <= MAX_PLAYERS:
            raise GameDefinitionError(
                f"{self.name}: players = {self.players} should be a pair within "
                f"1 .. {MAX_PLAYERS}."
            )
        _ = self._python_rules  # reports wrong declarations at once

    def __new__(cls, *arguments: Any, **named: Any) -> Self:
        """Keeps the arguments as the recipe, with which another process makes the game again."""
        game = super().__new__(cls)
        game.origin = Origin((cls, arguments, named))
        return game

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles a game as its recipe: machine code and addresses belong to one process."""
        return remade, (pickle.dumps(self.origin.recipe), self.origin.where)

    def __copy__(self) -> Self:
        """A new object with the same members, which does not run the recipe."""
        game = super().__new__(type(self))
        vars(game).update(vars(self))
        game.origin = dataclasses.replace(self.origin)
        return game

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """The game itself, which never changes."""
        return self

    def __repr__(self) -> str:
        return f"kibitz.load({self.name!r})"

    def __dir__(self) -> list[str]:
        """The names that ``dir`` lists: without the rules and texts, which only tables call."""
        return [name for name in super().__dir__() if name not in _CALLED_BY_TABLES]

    @functools.cached_property
    def _python_rules(self) -> PythonRules:
        """The rules of a game in Python, which all its tables share."""
        return PythonRules(self, self.compiled)

    @functools.cached_property
    def _tables(self) -> dict[tuple[int, GameParameters], Table]:
        return {}


def checked_players(game: Game, players: int | None) -> int:
    """A number of players that a game allows; ``None`` becomes the usual one.

    Raises:
        ParameterError: the game does not allow this number.
    """
    low, high = game.players
    players = game.usual_players if players is None else players
    if not isinstance(players, int) or not low <= players <= high:
        span = str(low) if low == high else f"{low} to {high}"
        raise ParameterError(f"{game.name} is for {span} players, not {players!r}.")
    return players


def usual_rules(game: Game) -> Rules:
    """The rules for the usual number of players and the default parameters.

    Raises:
        FileError: a text that describes them cannot be used.
    """
    return game.rules_for(game.usual_players, game.Parameters(game.usual_players))


def heuristic_names(game: Game) -> tuple[str, ...]:
    """The names of the heuristics by which an agent can evaluate states of a game."""
    return (*COMMON_HEURISTICS, *game.heuristics)


class RulesRecord:
    """A ``RULES`` record with its working memory, for one call at a time.

    Attributes:
        record: an array of one record.
        address: the address of the record.
        context: the address of the rules' first argument.
        actions: the 64-bit words of its ``ACTION_LIST``.
    """

    def __init__(
        self, rules: Rules, record: np.ndarray[Any, Any], context: Any, scratch: int
    ) -> None:
        self.record = record
        self._native = rules
        self._context = context
        self._scratch = (ctypes.c_int64 * scratch)()
        self.context = ctypes.addressof(context)
        self.actions = (ctypes.c_int64 * (ACTION_LIST.itemsize // 8))()
        record["actions"] = ctypes.addressof(self.actions)
        record["context"] = self.context
        record["scratch"] = ctypes.addressof(self._scratch)
        self.address = int(record.ctypes.data)

    def stop_by(self, stop: np.ndarray[Any, Any] | None) -> None:
        """Has functions that may take long give up once a stop word is set: ``Rules.stop_by``."""
        self._native.stop_by(self._context, stop)


class Table:
    """A game with its number of players and parameters chosen; states belong to it.

    Attributes:
        game, players, parameters: the choices that make up the table.
        rules: the native rules by which it is played.
        sides: for each side, the seats that win and lose together.
        backs: the back of each card; empty if all are the same.
        blank: the bytes of a state before it is set up.
        address: the address of the table's own ``RULES`` record, for one thread at a time.
            Concurrent calls borrow one each: ``with table.borrowed()``.
    """

    def __init__(self, game: Game, players: int, parameters: GameParameters, rules: Rules) -> None:
        self.game = game
        self.players = players
        self.parameters = parameters
        self.rules = rules
        self.layout = rules.layout
        self.state_size = rules.layout.dtype.itemsize
        self.exception: BaseException | None = None
        self.sides = checked_sides(
            game.name, players, rules.teams or game.sides(players, parameters)
        )
        self.blank = self._blank_state()
        self._blank = ctypes.create_string_buffer(self.blank, self.state_size)
        table, span = self._slot_table()
        self._slots = ctypes.create_string_buffer(table.tobytes())
        self.backs = self._checked_backs(table)
        self._backs = (ctypes.c_int16 * len(self.backs))(*self.backs)
        kinds = max(self.backs, default=-1) + 1
        self._scratch_size = max(span + 2 * kinds, -(-self.state_size // 8))
        self._heuristics: dict[str | Callable[..., float], int] = {}
        addresses: Mapping[str, int]
        if rules.compiled:
            addresses = rules.addresses()
        else:
            self._callbacks = {
                name: export.callback(self._guard(name, export))
                for name, export in rules.exports.items()
            }
            addresses = {
                name: ctypes.cast(callback, ctypes.c_void_p).value or 0
                for name, callback in self._callbacks.items()
            }
        record = np.zeros(1, RULES)
        for name, address in addresses.items():
            record[name] = address
        record["blank"] = ctypes.addressof(self._blank)
        record["state_size"] = self.state_size
        record["players"] = players
        record["slots"] = ctypes.addressof(self._slots)
        record["slot_count"] = len(table)
        record["has_facts"] = int((table["ruled_out"] >= 0).any())
        record["open_pieces"] = self._open_pieces()
        record["max_ticks"] = game.max_ticks
        record["score_sign"] = -1 if rules.lowest_score_wins else 1
        record["backs"] = ctypes.addressof(self._backs)
        record["back_count"] = kinds
        record["timed"] = int(game.timed)
        record["open"] = int(parameters.hands_are_open)
        record["deal_count"] = rules.deal_count
        self._rules = RulesRecord(rules, record, rules.context(parameters), self._scratch_size)
        self._idle: list[RulesRecord] = []
        self.record = self._rules.record
        self.address = self._rules.address

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles a table as its game, players and parameters."""
        return _table_of, (self.game, self.players, self.parameters.to_json())

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """The table itself, which never changes."""
        return self

    def __repr__(self) -> str:
        parameters = f" ({self.parameters})" if self.parameters.as_dict() else ""
        return f"{self.game.name} for {counted(self.players, 'player')}{parameters}"

    @property
    def has_rivals(self) -> bool:
        """Whether sides compete: neither one player alone nor all together."""
        return len(self.sides) > 1

    @property
    def is_cooperative(self) -> bool:
        """Whether all players win and lose together."""
        return self.players > 1 and not self.has_rivals

    @property
    def has_teams(self) -> bool:
        """Whether sides compete and at least one of them has several seats."""
        return 1 < len(self.sides) < self.players

    @property
    def played_for(self) -> str:
        """What players want: a good ``"place"``, or the ``"score"``.

        Where nobody competes, a place says nothing that the score does not say better.
        """
        if self.rules.compares_scores and not self.has_rivals:
            return "score"
        return self.game.played_for

    @functools.cached_property
    def score_range(self) -> tuple[float, float] | None:
        """The lowest and the highest score at the end of a game; ``None`` if not declared.

        Raises:
            GameDefinitionError: the declaration is not a pair of finite numbers in order.
        """
        declared = self.game.score_range(self.players, self.parameters)
        if declared is None:
            return None
        low, high = declared
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise GameDefinitionError(
                f"{self.game.name}: score_range gives {declared} and should give two finite "
                "numbers, the lower one first."
            )
        return float(low), float(high)

    @property
    def is_only_scored(self) -> bool:
        """Whether nobody can win or lose: all players together, or the only one, want points."""
        return not self.has_rivals and self.played_for == "score"

    def is_like(self, other: Table) -> bool:
        """Whether another table has the same rules, players and parameters."""
        mine, others = self.game, other.game
        return (
            type(mine) is type(others)
            and mine.rules_text == others.rules_text
            and self.players == other.players
            and self.parameters.as_dict() == other.parameters.as_dict()
        )

    def glossary(self) -> Mapping[str, Mapping[str, str]]:
        """Explanations that a person can look up, by heading and name.

        By default they are the texts of the cards; cards with the same text share an entry.
        """
        own = self.game.glossary(self.players, self.parameters)
        if own is not None:
            return own
        names: dict[str, dict[str, None]] = {}  # by text, each once and in their order
        for instance in self.layout.instances:
            for card in instance.component.card_set or ():
                if card.text:
                    names.setdefault(card.text, {})[card.name] = None
        texts = {listed(list(alike)): text for text, alike in names.items()}
        return {"The cards": texts} if texts else {}

    def fork(self) -> Table:
        """A copy of the table, for another thread."""
        return Table(self.game, self.players, self.parameters, self.rules)

    def stop_by(self, stop: np.ndarray[Any, Any]) -> None:
        """Has rules that are called by the table's own record give up once a stop word is set.

        The record has only the word's address: whoever calls this keeps the array.
        """
        self._rules.stop_by(stop)

    def new_state(self, seed: int = 0) -> State:
        """A new game, set up from `seed`."""
        return new_state(self, seed)

    @functools.cached_property
    def wording(self) -> TableWording:
        """The words for actions, events and states."""
        return self.game.Wording(self)

    @functools.cached_property
    def action_index(self) -> ActionIndex:
        """The index of all actions: their places in a learner's mask."""
        return ActionIndex(self.rules.actions.codes())

    @functools.cached_property
    def encoder(self) -> Encoder:
        """The encoder, which writes observations and masks of actions as numbers.

        Raises:
            GameDefinitionError: a component declares no features, or the components turn up only
                in play.
        """
        return Encoder(self)

    def own_features(self) -> int:
        """The address of the function that writes the game's own features."""
        function = type(self.game).features
        if function is None:
            raise GameDefinitionError(
                f"{self.game.name} names features of its own, and has no function `features`."
            )
        names = self.game.feature_names(self.players, self.parameters)
        export = features_export(
            function, self.layout.dtype, self.game.Parameters.dtype(), len(names)
        )
        if self.rules.compiled:
            return compile_native(f"the features of {self.game.name}", {"features": export})[
                "features"
            ]
        callback = export.callback(self._guard("features", export))
        self._callbacks["features"] = callback
        return ctypes.cast(callback, ctypes.c_void_p).value or 0

    def heuristic(self, name: str | Callable[..., float]) -> int:
        """A heuristic for an agent's record: a function's address, or the number of a common one.

        Args:
            name: of one of the game's heuristics; or a rule function, of a game in Python.

        Raises:
            ParameterError: the game has no heuristic of this name; the message lists all names.
        """
        if callable(name):
            if not isinstance(self.rules, PythonRules):
                raise ParameterError(
                    f"{self.game.name} is not in Python: its heuristic takes (state, player)."
                )
            if name not in self._heuristics:
                self._heuristics[name] = self._heuristic_function(name, name.__name__)
            return self._heuristics[name]
        if name not in heuristic_names(self.game):
            raise ParameterError(
                f"{self.game.name} has no heuristic {name!r}; it offers "
                f"{listed(heuristic_names(self.game))}."
            )
        if name in COMMON_HEURISTICS:
            return COMMON_HEURISTICS.index(name)
        if name not in self._heuristics:
            self._heuristics[name] = self._heuristic_function(self.game.heuristics[name], name)
        return self._heuristics[name]

    def _heuristic_function(self, function: Callable[..., float], name: str) -> int:
        """The address of a heuristic that is a rule function."""
        export = heuristic_export(
            function,
            self.layout.dtype,
            self.game.Parameters.dtype(),
        )
        if self.rules.compiled:
            return compile_native(f"the heuristic {name} of {self.game.name}", {name: export})[
                name
            ]
        callback = export.callback(self._guard(name, export))
        self._callbacks[name] = callback
        return ctypes.cast(callback, ctypes.c_void_p).value or 0

    @contextlib.contextmanager
    def borrowed(self, stop: np.ndarray[Any, Any] | None = None) -> Iterator[RulesRecord]:
        """Lends a ``RULES`` record that nobody else uses meanwhile.

        So a long search blocks no other thread. There are as many records as were ever in use at
        once.

        Args:
            stop: the stop word of the work, which rules that may take long look at, too.
        """
        try:
            rules = self._idle.pop()
        except IndexError:
            rules = self._new_record()
        if stop is not None:
            rules.stop_by(stop)
        try:
            yield rules
        finally:
            if stop is not None:
                rules.stop_by(None)
            self._idle.append(rules)

    def call(self, name: str, *arguments: int) -> Any:
        """Calls one of the engine's functions; threads do not block each other.

        Raises:
            BaseException: an exception of uncompiled rules.
        """
        function = self.engine[name]
        try:
            rules = self._idle.pop()
        except IndexError:
            rules = self._new_record()
        try:
            return function(rules.address, *arguments)
        finally:
            self._idle.append(rules)

    @functools.cached_property
    def legal_actions(self) -> Callable[[int], list[int] | None]:
        """Lists the legal actions of the state at an address; none once the game is over.

        It gives ``None`` for an observation, and if the rules break off the game.
        """
        return self.brief(*_engine("legal_actions"))

    @functools.cached_property
    def play(self) -> Callable[[int, int], int]:
        """Plays an action in the state at an address if it is legal, as ``contract.play`` does."""
        return self.brief(*_engine("play"))

    def brief(self, export: Export, address: int, *bound: int) -> Callable[..., Any]:
        """A brief function (rules, ..., state, ...), to be called with the state and what follows.

        The callable is valid as long as the table lives.

        Compiled rules are called with the GIL, so one record serves all calls. Uncompiled ones let
        other threads run: each call borrows a record, and exceptions of the rules are raised.

        Args:
            export: the function.
            address: its address.
            bound: its arguments between the rules and the state.
        """
        if self.rules.compiled:
            return export.bind(address, self._brief_record.address, *bound)
        function = export.bind(address)

        def call(state: int, *arguments: Any) -> Any:
            with self.borrowed() as rules:
                return self._guarded(state, function, rules.address, *bound, state, *arguments)

        return call

    @functools.cached_property
    def _brief_record(self) -> RulesRecord:
        return self._new_record()

    def _new_record(self) -> RulesRecord:
        """Makes a ``RULES`` record with a context and scratch memory of its own."""
        context = self.rules.context(self.parameters)
        return RulesRecord(self.rules, self.record.copy(), context, self._scratch_size)

    @functools.cached_property
    def engine(self) -> Mapping[str, Callable[..., Any]]:
        """The contract's functions (rules, state, ...), as Python callables over addresses.

        Native code that calls uncompiled rules is interrupted only within the rules; exceptions of
        the rules are raised.
        """
        functions = engine()
        if self.rules.compiled:
            return functions

        def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
            return lambda rules, state, *arguments: self._guarded(
                state, function, rules, state, *arguments
            )

        return {name: guarded(function) for name, function in functions.items()}

    @functools.cached_property
    def address_of(self) -> Callable[[bytearray], int]:
        """The address of the bytes of a buffer; valid until it is resized."""
        return engine()["address_of"]

    @property
    def params(self) -> Any:
        """The record of parameters that rules receive."""
        return view_at(int(self.record["context"][0]), self.parameters.dtype())

    def raise_pending(self) -> None:
        """Raises the exception that uncompiled rules raised inside native code, if any."""
        if self.exception is not None:
            exception, self.exception = self.exception, None
            raise exception

    def _guard(self, name: str, export: Export) -> Callable[..., Any]:
        """Wraps an uncompiled rule to keep its exceptions until native code has returned.

        The changes that an interrupted rule made to the state are undone, with its action.
        """

        def guarded(*arguments: int) -> Any:
            address = arguments[1]
            before = ctypes.string_at(address, self.state_size)
            try:
                return allowed(export.function, *arguments)
            except BaseException as problem:  # native code cannot pass it on
                self.exception = self.exception or problem
                header = view_at(address, HEADER)
                if isinstance(problem, KeyboardInterrupt):
                    ctypes.memmove(address, before, self.state_size)
                    header.tick -= int(name == "apply_action")
                    header.status = header.status or Status.INTERRUPTED
                else:
                    header.status = Status.RULES_ERROR
                return None if export.signature[0] == "v" else 0

        return guarded

    def _guarded(self, state: int, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function of the engine, and raises the exceptions of uncompiled rules in it.

        After an interrupt the state can be played on.
        """
        with deferred():
            result = function(*arguments)
            if self.exception is not None:
                header = view_at(state, HEADER)
                if header.status == Status.INTERRUPTED:
                    header.status = Status.PLAYING
                self.raise_pending()
            return result

    def _blank_state(self) -> bytes:
        block = ctypes.create_string_buffer(self.state_size)
        header = view_at(ctypes.addressof(block), self.layout.dtype)
        header.players = self.players
        header.direction = 1
        if self.rules.deal_count == header_offset("players"):
            header.shuffle_deal = ONE_DEAL
        for number, side in enumerate(self.sides):
            for seat in side:
                header.seat[seat].side = number
        for instance in self.layout.instances:
            view = view_at(ctypes.addressof(block) + instance.offset, instance.dtype)
            instance.component.initialize(view, instance.owner, self.parameters)
            if instance.component.is_shuffled:
                view.shuffled_as = pile_number(instance.path)
        return block.raw

    def _slot_table(self) -> tuple[np.ndarray[Any, Any], int]:
        """The ``SLOT`` records, sorted by pool, and the size of the scratch memory they need."""
        rows: list[tuple[int, ...]] = []
        pools: dict[str, int] = {MEMORY: FORGOTTEN}
        highest: dict[str, int] = {}
        span = 1
        for instance in self.layout.in_play(self.players):
            slots = instance.component.slots(instance.dtype)
            if slots is None:
                continue
            name = instance.path if slots.pool == OWN_POOL else slots.pool
            pool = REDRAWN if name is None else pools.setdefault(name, len(pools))
            count = -1 if slots.count is None else instance.offset + slots.count
            if name is not None and highest.setdefault(name, slots.high) != slots.high:
                raise GameDefinitionError(
                    f"{instance.path} shares the pool {name!r} with components that hold "
                    "other kinds of pieces; name its pool."
                )
            at = instance.offset
            rows.append(
                (at + slots.values, at + slots.seen, count, slots.capacity, pool)
                + (slots.low, slots.high)
                + (-1 if slots.shown_to is None else at + slots.shown_to, _opens(slots))
                + (-1 if slots.ruled_out is None else at + slots.ruled_out,)
            )
            span += slots.capacity + slots.high + 1
        rows.sort(key=lambda row: row[4])
        return np.array(rows, SLOT), span

    def _checked_backs(self, slots: np.ndarray[Any, Any]) -> tuple[int, ...]:
        """The back of each card; empty if all are the same."""
        backs = tuple(self.rules.backs(self.players, self.parameters))
        needed = max((int(slot["high"]) + 1 for slot in slots if slot["pool"] >= 0), default=0)
        if backs and (len(backs) < needed or min(backs) < 0):
            raise GameDefinitionError(
                f"{self.game.name}: backs() should give a number from 0 for each of its "
                f"{needed} kinds of cards."
            )
        return backs

    def _open_pieces(self) -> int:
        total = 0
        for instance in self.layout.in_play(self.players):
            if instance.component.slots(instance.dtype) is None:
                address = ctypes.addressof(self._blank) + instance.offset
                total += instance.component.pieces(view_at(address, instance.dtype))
        return total


def _opens(slots: Slots) -> hidden.Opens:
    """What an open table shows of the values of a component."""
    if slots.choice:
        return hidden.Opens.NOTHING_MORE
    if slots.pool is None and slots.low == slots.high:  # no pieces: the rules sample them
        return hidden.Opens.EVERYTHING
    return hidden.Opens.WHAT_ANYBODY_SEES


def _table_of(game: Game, players: int, parameters: Mapping[str, Any]) -> Table:
    return game.table(players, parameters)


@functools.cache
def engine() -> Mapping[str, Callable[..., Any]]:
    """The contract's functions, compiled, as Python callables over addresses."""
    addresses = compile_native("the engine", _EXPORTS)
    return {name: export.bind(addresses[name]) for name, export in _EXPORTS.items()}


def _engine(name: str) -> tuple[Export, int]:
    """One of the contract's functions, and its address."""
    return _EXPORTS[name], compile_native("the engine", _EXPORTS)[name]


def _set_up(rules: int, state: int) -> None:
    contract.set_up(record_at(rules, RULES), state)


def _new_game(rules: int, state: int, seed: int) -> None:
    contract.new_game(record_at(rules, RULES), state, seed)


def _legal_actions(rules: int, state: int) -> int:
    record = record_at(rules, RULES)
    header = record_at(state, HEADER)
    count = 0
    if header.status == Status.PLAYING:
        if not contract.is_observation(header):
            count = contract.legal_actions(record, state, record.actions)
        if count == 0:
            return 0
    record_at(record.actions, ACTION_LIST).count = count
    return int(record.actions)


def _apply_action(rules: int, state: int, action: int) -> None:
    contract.apply_action(record_at(rules, RULES), state, action)


def _play(rules: int, state: int, action: int) -> int:
    return contract.play(record_at(rules, RULES), state, action)


def _heuristic(rules: int, state: int, player: int) -> float:
    return contract.heuristic(record_at(rules, RULES), state, player)


def _redeterminize(rules: int, state: int, player: int, seed: int) -> None:
    header = record_at(state, HEADER)
    start_stream(header.rng, seed, OBSERVATION_STREAM + player)
    contract.redeterminize(record_at(rules, RULES), state, player, header.rng)


def _determinize(rules: int, state: int, player: int, target: int, stream: int) -> None:
    rng = array_at(stream, INT64, 4)
    contract.determinize(record_at(rules, RULES), state, player, target, rng)


def _mask_hidden(rules: int, state: int, player: int) -> None:
    hidden.mask_hidden(record_at(rules, RULES), state, player)


def _count_pieces(rules: int, state: int) -> int:
    return hidden.count_pieces(record_at(rules, RULES), state)


def _hidden_share(rules: int, state: int, player: int) -> float:
    return hidden.hidden_share(record_at(rules, RULES), state, player)


def _address_of(buffer: int) -> int:
    return buffer


_EXPORTS = {
    "set_up": Export(_set_up, "vii"),
    "new_game": Export(_new_game, "viii"),
    "legal_actions": Export(_legal_actions, "lii", brief=True),
    "apply_action": Export(_apply_action, "viii"),
    "play": Export(_play, "iiii", brief=True),
    "heuristic": Export(_heuristic, "fiii"),
    "redeterminize": Export(_redeterminize, "viiii"),
    "determinize": Export(_determinize, "viiiii"),
    "mask_hidden": Export(_mask_hidden, "viii", brief=True),
    "count_pieces": Export(_count_pieces, "iii", brief=True),
    "hidden_share": Export(_hidden_share, "fiii", brief=True),
    "address_of": Export(_address_of, "ip", brief=True),
}
"""The contract's functions, over addresses."""
