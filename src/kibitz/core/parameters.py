"""Game parameters: named, typed, ranged and documented numbers that the rules read.

A game declares them once::

    class Parameters(GameParameters):
        size = Tunable(3, range(3, 8), "side of the board")
        tokens = Tunable({2: 7, 3: 5, 4: 4}, range(1, 14), "tokens that win, by players")

Rules read ``params.size``. The values are a record that rules receive, so another value never
needs another compilation.
"""

from __future__ import annotations

import enum
import importlib
import itertools
import json
import numbers
import operator
import os
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from kibitz.core.errors import (
    FileError,
    ParameterError,
    check_names,
    did_you_mean,
)
from kibitz.core.files import read_bytes
from kibitz.core.plugins import canonical

Value = int | float | bool

MOST_SHOWN = 20
"""The most values of a parameter that a message lists."""


def whole_number(name: str, value: object, least: int = 0, most: int | None = None) -> int:
    """An argument that is a whole number of any type, NumPy's included, as an ``int``.

    Raises:
        ParameterError: the argument, which the message calls `name`, is not a whole number from
            `least` to `most`.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(f"{name} = {value!r} should be a whole number.") from None
    if number < least or (most is not None and number > most):
        allowed = f"{least} or more" if most is None else f"{least} to {most:,}"
        raise ParameterError(f"{name} = {number} should be {allowed}.")
    return number


def text_given(name: str, value: object) -> str:
    """An argument that is a text.

    Raises:
        ParameterError: the argument, which the message calls `name`, is not a text.
    """
    if not isinstance(value, str):
        raise ParameterError(f"{name} = {value!r} should be a text.")
    return value


def real_number(name: str, value: object) -> float:
    """An argument that is a number, whole or not, as a ``float``.

    Raises:
        ParameterError: the argument, which the message calls `name`, is not a number.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ParameterError(f"{name} = {value!r} should be a number.")
    return float(value)


def truth(name: str, value: object) -> bool:
    """An argument that is ``True`` or ``False``.

    Raises:
        ParameterError: the argument, which the message calls `name`, is neither.
    """
    if not isinstance(value, bool):
        raise ParameterError(f"{name} = {value!r} should be True or False.")
    return value


def by_name(name: str, value: object) -> Mapping[str, Any]:
    """An argument that maps names to values; empty for ``None``.

    Raises:
        ParameterError: the argument, which the message calls `name`, is not a mapping.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ParameterError(f"{name} = {value!r} should be a dict, such as {{'name': value}}.")
    return value


def in_list(name: str, value: object, items: str) -> Sequence[Any]:
    """An argument that is a list or a tuple; a text is refused, though it is a sequence.

    Raises:
        ParameterError: the argument, which the message calls `name`, is not a list of `items`.
    """
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ParameterError(f"{name} = {value!r} should be a list of {items}.")
    return value


class Tunable:
    """One parameter of a game or an agent.

    Args:
        default: an integer, a float, a boolean or a member of an ``IntEnum`` (a choice by
            name); or a mapping from the number of players to one of these.
        values: the allowed values: a ``range``, a sequence, or for floats a pair
            ``(low, high)``. Booleans and enumerations need none.
        doc: one line for people.
        tune: the values that a tuner tries, in order. ``()``: none, for instance for a budget, or
            for an option that has an effect only together with another one. ``None``: all allowed
            values, or a few if there are many.
    """

    def __init__(
        self,
        default: Value | Mapping[int, int],
        values: range | Sequence[Value] | None = None,
        doc: str = "",
        tune: Sequence[Value] | None = None,
    ) -> None:
        self.by_players = dict(default) if isinstance(default, Mapping) else None
        sample = next(iter(self.by_players.values())) if self.by_players else default
        self.default: Any = sample
        self.type: type = type(sample)
        self.doc = doc
        self.name = ""
        if values is None:
            if isinstance(sample, bool):
                values = (False, True)
            elif isinstance(sample, enum.IntEnum):
                values = tuple(type(sample))
            else:
                raise ParameterError("A number needs the values that it may take.")
        self.values: range | Sequence[Value] = values
        for value in self.by_players.values() if self.by_players else (sample,):
            if not self.allows(value):
                raise ParameterError(f"The default {value} is not among {self.describe()}.")
        self.tune = None if tune is None else tuple(tune)
        for value in self.tune or ():
            if not self.allows(value):
                raise ParameterError(f"To try {value} is not allowed: {self.describe()}.")

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def is_continuous(self) -> bool:
        """Whether the values are an interval of real numbers."""
        return self.type is float

    @property
    def largest(self) -> int:
        """The largest allowed whole number, from which components take their sizes."""
        return int(max(self.values))

    def default_for(self, players: int) -> Any:
        """The default for this number of players."""
        if self.by_players is None:
            return self.default
        if players in self.by_players:
            return self.by_players[players]
        return self.by_players[max(self.by_players)]

    def allows(self, value: Any) -> bool:
        """Whether `value` lies in the declared range."""
        if self.is_continuous:
            return bool(self.values[0] <= value <= self.values[-1])
        return value in self.values

    def draw(self, rng: random.Random) -> Any:
        """A value drawn uniformly from the range."""
        if self.is_continuous:
            return rng.uniform(self.values[0], self.values[-1])
        return rng.choice(self.values)

    def parse(self, value: Any) -> Any:
        """Converts a value, also from JSON or the command line, to the parameter's type.

        Raises:
            ParameterError: the value is not allowed; the message lists the allowed ones.
        """
        try:
            parsed = self._convert(value)
        except (ValueError, TypeError, KeyError, OverflowError):
            parsed = None
        if parsed is None or not self.allows(parsed):
            raise ParameterError(f"{self.name} = {value} is not allowed: {self.describe()}.")
        return parsed

    def _convert(self, value: Any) -> Any:
        if self.type is bool:
            if isinstance(value, str):
                words = {"true": True, "yes": True, "1": True, "on": True}
                words |= {"false": False, "no": False, "0": False, "off": False}
                return words[value.lower()]
            if value in (0, 1):
                return bool(value)
            raise ValueError
        if issubclass(self.type, enum.IntEnum):
            if isinstance(value, str):
                return self.type[value.upper().replace("-", "_")]
            return self.type(value)
        if self.type is int:
            if isinstance(value, float) and not value.is_integer():
                raise ValueError
            return int(value)
        return float(value)

    def show(self, value: Any) -> str:
        """The value as a person would write it, and as ``parse`` reads it."""
        if isinstance(value, enum.IntEnum):
            return value.name.lower().replace("_", "-")
        return str(value).lower() if isinstance(value, bool) else str(value)

    def describe(self) -> str:
        """The allowed values in words."""
        if self.is_continuous:
            return f"a number from {self.values[0]} to {self.values[-1]}"
        if isinstance(self.values, range) and self.values.step == 1:
            return f"a whole number from {self.values[0]} to {self.values[-1]}"
        shown = [self.show(value) for value in self.values[:MOST_SHOWN]]
        if len(self.values) > MOST_SHOWN:
            shown[3:] = ["...", self.show(self.values[-1])]
        return "one of " + ", ".join(shown)


class Name(Tunable):
    """An option whose value is a name, which is looked up later.

    Compiled code does not receive it.
    """

    def __init__(self, default: Any, doc: str = "") -> None:
        super().__init__(default, (default,), doc, tune=())

    def allows(self, value: Any) -> bool:
        """Whether `value` is a text that is not empty."""
        return isinstance(value, str) and value != ""

    def _convert(self, value: Any) -> Any:
        return canonical(value) if isinstance(value, str) else None

    def describe(self) -> str:
        """The allowed values in words."""
        return "a name"


class Text(Name):
    """An option whose value is a text, written in quotes unless it consists of letters."""

    def allows(self, value: Any) -> bool:
        """Whether `value` is a text that can be written in quotes."""
        return isinstance(value, str) and '"' not in value

    def _convert(self, value: Any) -> Any:
        return value

    def show(self, value: Any) -> str:
        """The text, in quotes if it needs them."""
        return value if re.fullmatch(r"[\w.:-]*", value) else f'"{value}"'

    def describe(self) -> str:
        """The allowed values in words."""
        return "a text"


class Code(Name):
    """An option whose value is a name, or code: a callable, or ``MODULE:NAME``, which imports it.

    ``agent_from_text`` refuses such a text, which anybody may have written.
    """

    def allows(self, value: Any) -> bool:
        """Whether `value` is a name or can be called."""
        return callable(value) or super().allows(value)

    def _convert(self, value: Any) -> Any:
        if not isinstance(value, str) or ":" not in value:
            return value if callable(value) else super()._convert(value)
        loaded = imported_object(value)
        if not callable(loaded):
            raise ParameterError(
                f"{self.name} = {value} is a {type(loaded).__name__}, no function."
            )
        return loaded

    def show(self, value: Any) -> str:
        """The name, or ``MODULE:NAME`` of what is called."""
        if isinstance(value, str):
            return value
        named = value if hasattr(value, "__qualname__") else type(value)
        return f"{named.__module__}:{named.__qualname__}"

    def describe(self) -> str:
        """The allowed values in words."""
        return "a name, a function, or MODULE:NAME of one"


def imported_object(place: str) -> Any:
    """What ``MODULE:NAME`` names; the module may lie in the current folder.

    Raises:
        ParameterError: it cannot be imported.
    """
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module, _, name = place.partition(":")
    try:
        return operator.attrgetter(name)(importlib.import_module(module))
    except (Exception, SystemExit) as problem:
        cause = f"{type(problem).__name__}: {problem}"
        raise ParameterError(f"{place} cannot be imported: {cause}.") from problem


class FileName(Text):
    """An option that names a file, which is read when it is needed.

    Pages and services that offer agents to strangers refuse such options: see ``Agent.files``.
    """

    def describe(self) -> str:
        """The allowed values in words."""
        return "the name of a file, in quotes if there are not only letters in it"


class Preset:
    """A word that sets several parameters together, such as those of an edition of a game.

    The table keeps only the parameters, so that a choice is recorded in one way::

        class Parameters(GameParameters):
            cards = Tunable(7, range(1, 9), "cards dealt to each player")
            printing = Preset({"later": {}, "first": {"cards": 4}}, "whose rules hold")

    Args:
        choices: for each word the parameters that differ from their defaults: by name a value, or
            a mapping from numbers of players to values. The first word stands for the defaults.
        doc: one line for people.
    """

    def __init__(
        self, choices: Mapping[str, Mapping[str, Value | Mapping[int, int]]], doc: str
    ) -> None:
        self.choices = choices
        self.doc = doc
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def values(self, word: Any, players: int) -> dict[str, Any]:
        """The values that a word sets at a table with this number of players.

        Raises:
            ParameterError: the word is unknown; the message lists the known ones.
        """
        if word not in self.choices:
            raise ParameterError(f"{self.name} = {word} is not allowed: {self.describe()}.")
        values = {}
        for name, value in self.choices[word].items():
            if not isinstance(value, Mapping):
                values[name] = value
            elif players in value:
                values[name] = value[players]
        return values

    def check(self, tunables: Mapping[str, Tunable]) -> None:
        """Checks that the parameters exist and allow the values of all choices.

        Raises:
            ParameterError: a parameter does not exist, or does not allow its value.
        """
        for values in self.choices.values():
            check_names(values, tunables)
            for name, value in values.items():
                for v in value.values() if isinstance(value, Mapping) else (value,):
                    tunables[name].parse(v)

    def describe(self) -> str:
        """The choices in words."""
        return "one of " + ", ".join(self.choices)


class GameParameters:
    """Base of a game's ``Parameters``; an instance holds the values and is immutable.

    ``Parameters(4, size=5)``, for four players, has defaults for all other parameters. A value is
    an attribute, ``parameters.size``, unless a method has its name; ``parameters["size"]`` always
    works.
    """

    tunables: ClassVar[dict[str, Tunable]] = {}
    presets: ClassVar[dict[str, Preset]] = {}
    common: ClassVar[dict[str, Tunable]] = {
        "open": Tunable(False, doc="whether all play with open hands")
    }
    """Parameters of every game, which the engine reads, not the rules: a game that declares one
    of this name has its own instead. They are among the values only where they are no defaults."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declared = {n: value for n, value in vars(cls).items() if isinstance(value, Tunable)}
        for name in declared:
            if name.startswith("__") and name.endswith("__"):
                raise ParameterError(
                    f"A parameter cannot be called {name}: such names belong to Python."
                )
            if hasattr(GameParameters, name):
                delattr(cls, name)  # the method stays what it is
        inherited: dict[str, Tunable] = {}
        for base in reversed(cls.__bases__):
            inherited |= getattr(base, "tunables", {})
        cls.tunables = inherited | declared
        presets = {n: value for n, value in vars(cls).items() if isinstance(value, Preset)}
        cls.presets = {**cls.presets, **presets}
        for preset in presets.values():
            preset.check(cls.tunables)

    def __init__(self, players: int, /, **values: Any) -> None:
        own = {name: tunable.default_for(players) for name, tunable in self.tunables.items()}
        vars(self)["_values"] = own
        for name, preset in self.presets.items():
            if name in values:
                own |= preset.values(values[name], players)
        for name, value in values.items():
            if name not in self.known_names():
                raise ParameterError(did_you_mean(name, self.known_names(), "parameter"))
            if name in self.tunables:
                own[name] = self.tunables[name].parse(value)
            elif name in self.common and self.common[name].parse(value):
                own[name] = True
        for name, value in own.items():
            if not hasattr(GameParameters, name):
                vars(self).setdefault(name, value)

    @classmethod
    def known_names(cls) -> list[str]:
        """The names that can be set: those of the parameters, of the presets, of all games."""
        return list(dict.fromkeys((*cls.tunables, *cls.presets, *cls.common)))

    @property
    def hands_are_open(self) -> bool:
        """Whether every seat sees what any seat sees."""
        return "open" not in self.tunables and "open" in vars(self)["_values"]

    def _declared(self, name: str) -> Tunable:
        return self.tunables[name] if name in self.tunables else self.common[name]

    def chosen(self, preset: str, players: int) -> str:
        """The word of a preset that stands for these values; empty if there is no such word."""
        words = self.presets[preset].choices
        names = {name for values in words.values() for name in values}
        for word in words:
            of_word = type(self)(players, **{preset: word})
            if all(self[name] == of_word[name] for name in names):
                return word
        return ""

    def __getitem__(self, name: str) -> Any:
        values: dict[str, Any] = vars(self)["_values"]
        if name not in values:
            raise KeyError(did_you_mean(str(name), values, "parameter"))
        return values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("Parameters do not change during a game; make new ones.")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash(tuple(self.as_dict().items()))

    def __repr__(self) -> str:
        return ", ".join(f"{n}={self._declared(n).show(v)}" for n, v in self.as_dict().items())

    def as_dict(self) -> dict[str, Any]:
        """The values by name, in the order of declaration."""
        return dict(vars(self)["_values"])

    def changed(self, players: int) -> dict[str, str]:
        """The values that differ from the defaults for this number of players, in words."""
        return {
            name: self._declared(name).show(value)
            for name, value in self.as_dict().items()
            if value != self._declared(name).default_for(players)
        }

    def to_json(self) -> dict[str, Any]:
        """The values by name, as JSON types; members of enumerations, and code, as their names."""
        return {
            name: self._declared(name).show(value)
            if isinstance(value, enum.IntEnum) or callable(value)
            else value
            for name, value in self.as_dict().items()
        }

    @classmethod
    def dtype(cls) -> np.dtype[Any]:
        """The type of the record that rules receive: 64-bit integers and floats."""
        fields = [
            (name, np.float64 if t.is_continuous else np.int64)
            for name, t in cls.tunables.items()
            if not isinstance(t, Name)
        ]
        return np.dtype(fields or [("none", np.int64)])

    def record(self) -> bytes:
        """The values as a record of type ``dtype()``, in bytes."""
        block = np.zeros(1, self.dtype())
        for name, tunable in self.tunables.items():
            if not isinstance(tunable, Name):
                block[name] = self[name]
        return block.tobytes()

    @classmethod
    def randomize(cls, players: int, rng: random.Random) -> GameParameters:
        """Parameters with every value drawn uniformly from its range."""
        return cls(players, **{name: t.draw(rng) for name, t in cls.tunables.items()})

    @classmethod
    def enumerate(cls, players: int, *names: str, steps: int = 5) -> Iterator[GameParameters]:
        """Every combination of the named parameters' values, all others at their defaults.

        An interval of real numbers is represented by `steps` equally spaced values.
        """
        check_names(names, cls.tunables)
        axes = []
        for name in names:
            t = cls.tunables[name]
            axes.append(
                [float(v) for v in np.linspace(t.values[0], t.values[-1], steps)]
                if t.is_continuous
                else list(t.values)
            )
        for combination in itertools.product(*axes):
            yield cls(players, **dict(zip(names, combination, strict=True)))


def read_assignments(words: Sequence[str]) -> dict[str, str]:
    """Assignments, as ``--set`` takes them, as a dictionary: ``["size=4", "tokens=2"]``.

    Raises:
        ParameterError: a word is not of the form ``name=value``, or a name occurs twice.
    """
    values: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise ParameterError(f"{word!r} should be of the form name=value.")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        name = name.strip().replace("-", "_")
        if name in values:
            raise ParameterError(
                f"{name} is given twice, as {values[name]} and as {value}; give it once."
            )
        values[name] = value
    return values


MOST_JSON_BYTES = 64 << 20
"""A longer file of JSON is not read."""


def _members_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of a JSON object as a dictionary; raises ValueError if a name occurs twice."""
    document: dict[str, Any] = {}
    for name, value in members:
        if name in document:
            raise ValueError(f"{name!r} is in it twice")
        document[name] = value
    return document


def read_json_object(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The JSON object in a file, which may be anybody's.

    Raises:
        FileError: the file cannot be read, is longer than ``MOST_JSON_BYTES``, does not hold a
            JSON object, or has a member twice in one; names the place.
    """
    try:
        text = read_bytes(path, MOST_JSON_BYTES).decode()
    except UnicodeDecodeError:
        raise FileError(f"{path}: is not a text in UTF-8.") from None
    return json_object(text, str(path))


def json_object(text: str, source: str) -> dict[str, Any]:
    """The JSON object that a text consists of; a byte order mark before it is ignored.

    Args:
        text: of the object.
        source: what error messages call it, such as the name of its file.

    Raises:
        FileError: it is no JSON object, or has a member twice in one; names the place.
    """
    try:
        document = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_members_once)
    except json.JSONDecodeError as problem:
        place = f"{source}:{problem.lineno}:{problem.colno}"
        raise FileError(f"{place}: is not JSON: {problem.msg}.") from None
    except RecursionError:
        raise FileError(f"{source}: is nested too deeply.") from None
    except ValueError as problem:
        raise FileError(f"{source}: is not usable JSON: {problem}.") from None
    if not isinstance(document, dict):
        raise FileError(f"{source}:1:1: expected a JSON object, {{...}}.")
    return document
