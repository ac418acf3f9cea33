"""Game parameters: named, typed, ranged and documented numbers that the rules read.

A game declares them once::

    class Parameters(GameParameters):
        size = Tunable(3, range(3, 8), "side of the board")
        tokens = Tunable({2: 7, 3: 5, 4: 4}, range(1, 14), "tokens that win, by players")

Rules read ``params.size``. Since the values are a record that rules are handed, another value
never needs another compilation.
"""

from __future__ import annotations

import enum
import inspect
import itertools
import json
import numbers
import operator
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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


def whole_number(name: str, value: object, least: int = 0, most: int | None = None) -> int:
    """A number that counts something, given as a whole number of any type, NumPy's included.

    Args:
        name: of what is counted, for the error.
        value: what was given.
        least: what it has to be at least.
        most: what it may be at most.  [default: no limit]

    Raises:
        ParameterError: it is no whole number, too small, or too large.
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
    """What was given as a text.

    Args:
        name: of the argument, for the error.
        value: what was given.

    Raises:
        ParameterError: it is none.
    """
    if not isinstance(value, str):
        raise ParameterError(f"{name} = {value!r} should be a text.")
    return value


def real_number(name: str, value: object) -> float:
    """A number, whole or not.

    Args:
        name: of the argument, for the error.
        value: what was given.

    Raises:
        ParameterError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ParameterError(f"{name} = {value!r} should be a number.")
    return float(value)


def by_name(name: str, value: object) -> Mapping[str, Any]:
    """What was given by name, as a mapping; nothing, if it was left out.

    Args:
        name: of the argument, for the error.
        value: what was given.

    Raises:
        ParameterError: it is no mapping.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ParameterError(f"{name} = {value!r} should be a dict, such as {{'name': value}}.")
    return value


def in_list(name: str, value: object, what: str) -> Sequence[Any]:
    """What was given as a list or a tuple; a text is none, though Python would take its letters.

    Args:
        name: of the argument, for the error.
        value: what was given.
        what: is in it, in the plural.

    Raises:
        ParameterError: it is no list.
    """
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ParameterError(f"{name} = {value!r} should be a list of {what}.")
    return value


def check_keywords(
    given: Mapping[str, object], kind: type, function: Callable[..., object]
) -> None:
    """Checks that a function was given no keywords but its own and those of a ``TypedDict``.

    Args:
        given: what it was given beside its own.
        kind: the ``TypedDict`` of these.
        function: whose own keywords are suggested, too.

    Raises:
        TypeError: there is no such keyword; the message lists all that there are.
    """
    for name in given:
        if name not in kind.__annotations__:
            own = inspect.signature(function).parameters.values()
            known = [one.name for one in own if one.kind is not one.VAR_KEYWORD]
            raise TypeError(did_you_mean(name, [*known, *kind.__annotations__], "keyword"))


class Tunable:
    """One parameter of a game or an agent.

    Args:
        default: an integer, a float, a boolean or a member of an ``IntEnum`` (a choice by
            name); or a mapping from the number of players to one of these.
        values: the values allowed: a ``range``, a sequence, or for floats a pair
            ``(low, high)``. Booleans and enumerations need none.
        doc: one line for people.
        tune: the values that a tuner tries, in order, where not all that are allowed are worth
            a try. ``()``: none, since it is a budget, or does nothing unless another one has
            some value. ``None``: all of them, or of many a few.
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
        """A value that is drawn uniformly from the range."""
        if self.is_continuous:
            return rng.uniform(self.values[0], self.values[-1])
        return rng.choice(self.values)

    def parse(self, value: Any) -> Any:
        """Converts a value, also from JSON or the command line, to the parameter's type.

        Raises:
            ParameterError: it is not allowed; the message lists what is.
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
        return "one of " + ", ".join(self.show(v) for v in self.values)


class Name(Tunable):
    """An option whose value is a name, which is looked up later.

    Compiled code does not receive it.
    """

    def __init__(self, default: Any, doc: str = "") -> None:
        super().__init__(default, (default,), doc, tune=())

    def allows(self, value: Any) -> bool:
        """Whether it can be a name at all."""
        return isinstance(value, str) and value != ""

    def _convert(self, value: Any) -> Any:
        return canonical(value) if isinstance(value, str) else None

    def describe(self) -> str:
        """What it should be, in words."""
        return "a name"


class Text(Name):
    """An option whose value is a text, in quotes if there are not only letters in it."""

    def allows(self, value: Any) -> bool:
        """Whether it can be written in quotes."""
        return isinstance(value, str) and '"' not in value

    def _convert(self, value: Any) -> Any:
        return value

    def show(self, value: Any) -> str:
        """The text, in quotes where it needs them."""
        return value if re.fullmatch(r"[\w.:-]*", value) else f'"{value}"'

    def describe(self) -> str:
        """What it should be, in words."""
        return "a text"


class FileName(Text):
    """An option that names a file, which is read when it is needed.

    Who offers agents to strangers leaves them out: see ``Agent.files``.
    """

    def describe(self) -> str:
        """What it should be, in words."""
        return "the name of a file, in quotes if there are not only letters in it"


class Preset:
    """Several parameters set at once by one word, such as those of an edition of a game.

    Only the parameters are kept, so that there is one way to write down what was chosen::

        class Parameters(GameParameters):
            cards = Tunable(7, range(1, 9), "cards dealt to each player")
            printing = Preset({"later": {}, "first": {"cards": 4}}, "whose rules hold")

    Args:
        choices: for each word what is not as by default, by parameter: a value, or a mapping from
            numbers of players. The first word stands for the defaults.
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
        """What a word sets at a table of so many players.

        Raises:
            ParameterError: there is no such word; the message lists those that there are.
        """
        if word not in self.choices:
            raise ParameterError(f"{self.name} = {word} is not allowed: {self.describe()}.")
        found = {}
        for name, value in self.choices[word].items():
            if not isinstance(value, Mapping):
                found[name] = value
            elif players in value:
                found[name] = value[players]
        return found

    def check(self, tunables: Mapping[str, Tunable]) -> None:
        """Checks that the parameters exist and allow these values.

        Raises:
            ParameterError: one does not.
        """
        for values in self.choices.values():
            check_names(values, tunables)
            for name, value in values.items():
                for one in value.values() if isinstance(value, Mapping) else (value,):
                    tunables[name].parse(one)

    def describe(self) -> str:
        """The choices in words."""
        return "one of " + ", ".join(self.choices)


class GameParameters:
    """Base of a game's ``Parameters``; an instance holds the values and is immutable.

    ``Parameters(4, size=5)``, for four players, takes the defaults for the rest. A value is an
    attribute, ``parameters.size``, unless it has the name of a method; ``parameters["size"]``
    always works.
    """

    tunables: ClassVar[dict[str, Tunable]] = {}
    presets: ClassVar[dict[str, Preset]] = {}

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
        for name, value in own.items():
            if not hasattr(GameParameters, name):
                vars(self).setdefault(name, value)

    @classmethod
    def known_names(cls) -> list[str]:
        """What can be set: the parameters, and the presets."""
        return [*cls.tunables, *cls.presets]

    def chosen(self, preset: str, players: int) -> str:
        """The word of a preset that stands for these values; empty if none does."""
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
        return ", ".join(f"{n}={self.tunables[n].show(v)}" for n, v in self.as_dict().items())

    def as_dict(self) -> dict[str, Any]:
        """Name to value, in the order of declaration."""
        return dict(vars(self)["_values"])

    def changed(self, players: int) -> dict[str, str]:
        """The values that differ from the defaults for this number of players, in words."""
        return {
            name: self.tunables[name].show(value)
            for name, value in self.as_dict().items()
            if value != self.tunables[name].default_for(players)
        }

    def to_json(self) -> dict[str, Any]:
        """Name to value as JSON types; enumerations by name."""
        return {
            name: self.tunables[name].show(value) if isinstance(value, enum.IntEnum) else value
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
        """The values laid out as ``dtype()`` says."""
        block = np.zeros(1, self.dtype())
        for name, tunable in self.tunables.items():
            if not isinstance(tunable, Name):
                block[name] = self[name]
        return block.tobytes()

    @classmethod
    def randomize(cls, players: int, rng: random.Random) -> GameParameters:
        """Draws every parameter uniformly from its range."""
        return cls(players, **{name: t.draw(rng) for name, t in cls.tunables.items()})

    @classmethod
    def enumerate(cls, players: int, *names: str, steps: int = 5) -> Iterator[GameParameters]:
        """Every combination of the named parameters' values, the rest at their defaults.

        An interval of real numbers is walked in `steps` equal steps.
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
    """``["size=4", "tokens=2"]`` as a dictionary: what ``--set`` takes.

    Raises:
        ParameterError: a word is not of the form ``name=value``, or a name is given twice.
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
    """A JSON object.

    Raises:
        ValueError: a member is in it twice.
    """
    found: dict[str, Any] = {}
    for name, value in members:
        if name in found:
            raise ValueError(f"{name!r} is in it twice")
        found[name] = value
    return found


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
