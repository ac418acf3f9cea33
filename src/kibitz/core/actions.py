"""Actions: one 64-bit integer each, a kind and up to five small operands.

A game declares its kinds as an enumeration; a member's number is the kind::

    class Move(ActionKinds):
        MARK = Action("mark {x} {y}", x=range(7), y=range(7))

    add(actions, pack(Move.MARK, 2, 1))        # in legal_actions
    if kind(action) == Move.MARK:              # in apply_action
        x = operand(action, 0)

Operands lie in 0 .. 2047. ``pack``, ``kind``, ``operand``, ``add`` and ``add_if`` are rule
functions.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from kibitz.core.action_parts import ActionParts, Operand
from kibitz.core.errors import GameDefinitionError
from kibitz.core.phrase import ANY, Phrase, Vocabulary, things_among

KIND_BITS = 8
OPERAND_BITS = 11
MAX_OPERANDS = 5
MAX_KINDS = 1 << KIND_BITS
OPERAND_MASK = (1 << OPERAND_BITS) - 1
MAX_ACTIONS = 4096
"""The maximum number of legal actions in a state."""

ACTION_LIST = np.dtype(
    [("count", np.int64), ("overflow", np.int64), ("items", np.int64, (MAX_ACTIONS,))]
)
"""The buffer that ``legal_actions`` fills."""
FIRST_ITEM = ACTION_LIST.fields["items"][1] // 8  # type: ignore[index]
"""The index of the first action among the 64-bit words of an ``ACTION_LIST``."""


class ActionList(Protocol):
    """The action buffer as rule functions see it."""

    count: int
    overflow: int
    items: list[int]


def pack(kind: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0) -> int:
    """The action of `kind` with the given operands, each in 0 .. 2047."""
    return kind | (a << 8) | (b << 19) | (c << 30) | (d << 41) | (e << 52)


def kind(action: int) -> int:
    """The kind of an action: compare it with a member of the game's ``ActionKinds``."""
    return action & 255


def operand(action: int, index: int) -> int:
    """Operand number `index` (0 .. 4) of an action."""
    return (action >> (8 + 11 * index)) & 2047


def add(actions: ActionList, action: int) -> None:
    """Appends a legal action; a full list sets a flag that the engine reports."""
    if actions.count < MAX_ACTIONS:
        actions.items[actions.count] = action
        actions.count += 1
    else:
        actions.overflow = 1


def add_if(condition: bool, actions: ActionList, action: int) -> None:
    """Appends an action if `condition` holds, without branching on it.

    It is meant for long loops in which the condition is unpredictable.
    """
    if actions.count < MAX_ACTIONS:
        actions.items[actions.count] = action
        actions.count += condition
    elif condition:
        actions.overflow = 1


def add_marked(
    actions: ActionList, move: int, values: Sequence[int], number: int, marked: int
) -> None:
    """Appends an action for each distinct value that is marked in a bit mask.

    It is meant for hands of cards: the count is a local variable, which is faster than ``add_if``.

    Args:
        actions: the list to append to.
        move: the kind of the actions, with their other operands if any.
        values: the first operands, each below 63.
        number: the number of `values`.
        marked: a bit mask of the values to list, each once.
    """
    count = actions.count
    if count + number > MAX_ACTIONS - 1:
        actions.overflow = 1
        return
    for i in range(number):
        value = values[i]
        actions.items[count] = pack(move, value)
        count += marked >> value & 1
        marked &= ~(1 << value)
    actions.count = count


MOST_DIRECT = 1 << 16
"""The maximum number of actions of a kind with indices of their own; more are hashed."""


class Digit(NamedTuple):
    """A group of bits in an action that is a digit of the action's index."""

    shift: int
    """The position of the lowest bit."""
    bits: int
    size: int
    """The base of the digit, which lies in 0 .. size - 1."""


class ActionCode(NamedTuple):
    """How the actions of a kind are numbered."""

    kind: int | None
    """The low bits of the actions; ``None``: all are of one kind, and have no such bits."""
    digits: tuple[Digit, ...] | None
    """The digits, the most significant first; ``None``: the actions are too many for numbers."""

    @property
    def size(self) -> int | None:
        """The number of actions; ``None``: they have no indices of their own, but hashes."""
        if self.digits is None:
            return None
        size = math.prod(digit.size for digit in self.digits)
        return size if size <= MOST_DIRECT else None


class Domain:
    """The values an operand can take, and the words for them."""

    is_range = False
    """Whether the values are numbers rather than names."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} values>"

    def word(self, value: int) -> str:
        """The word for `value`; a value outside the domain is shown as a number."""
        return self.words[value] if 0 <= value < len(self.words) else f"#{value}"

    def operand(self, value: int) -> Operand:
        """The value as the parts of an action have it: a number of a range, or a word."""
        return value if self.is_range else self.word(value)

    def find(self, text: str) -> int:
        """The value that `text` is the word for; case matters only where words differ by it.

        Raises:
            ValueError: `text` is not one of the words.
        """
        if text in self.words:
            return self.words.index(text)
        for value, word in enumerate(self.words):
            if re.fullmatch(re.escape(word), text, re.IGNORECASE):
                return value
        raise ValueError(f"{text!r} is none of {', '.join(self.words)}")


class Action:
    """Declares one kind of action: a sentence with a place for each operand.

    Args:
        template: the words, such as ``"guess {guess} of {target}"``.
        secret: whether events tell other players only that a choice was made: its kind and
            operands become known when a ``Commitment`` that holds it is revealed, if ever.
        otherwise: the words that other players read, for an action that they cannot see in full;
            they may name some of the operands. Empty: others read nothing of it.
        operands: for each place a ``range``, a sequence of words, or a ``Domain``; their
            order is the order of the operands in ``pack``.
    """

    def __init__(
        self,
        template: str,
        *,
        secret: bool = False,
        otherwise: str | None = None,
        **operands: range | Sequence[str] | Domain,
    ) -> None:
        self.template = template
        self.secret = secret
        self.otherwise = otherwise
        self.domains = {name: domain_of(values) for name, values in operands.items()}
        if len(operands) > MAX_OPERANDS:
            raise GameDefinitionError(f"{template!r} has more than {MAX_OPERANDS} operands.")
        places = re.findall(r"{(\w+)}", template)
        if sorted(places) != sorted(operands):
            raise GameDefinitionError(
                f"The places of {template!r} must be its operands: {', '.join(operands)}."
            )
        if not {*re.findall(r"{(\w+)}", otherwise or "")} <= {*operands}:
            raise GameDefinitionError(
                f"The places of {otherwise!r} must be operands of {template!r}: "
                f"{', '.join(operands)}."
            )
        segments = re.split(r"{(\w+)}", template)
        pattern = "".join(
            re.escape(segment)
            if i % 2 == 0
            else f"(?P<{segment}>{'|'.join(_longest_first(self.domains[segment].words))})"
            for i, segment in enumerate(segments)
        )
        self.pattern = re.compile(pattern, re.IGNORECASE)
        self.size = math.prod(len(domain) for domain in self.domains.values())
        for name, domain in self.domains.items():
            if len(domain) > OPERAND_MASK + 1:
                raise GameDefinitionError(
                    f"{name} of {template!r} has {len(domain)} values, and an operand holds "
                    f"at most {OPERAND_MASK + 1}."
                )


def domain_of(values: range | Sequence[str] | Domain) -> Domain:
    """The domain of an operand, from what its author declares.

    Raises:
        GameDefinitionError: a range does not count from 0 by ones.
    """
    if isinstance(values, Domain):
        return values
    if isinstance(values, range):
        if values != range(len(values)):  # since the value itself is the operand
            raise GameDefinitionError(f"An operand's {values} must count from 0 by ones.")
        domain = Domain([str(v) for v in values])
        domain.is_range = True
        return domain
    return Domain(list(values))


def _longest_first(words: Sequence[str]) -> list[str]:
    return [re.escape(word) for word in sorted(words, key=len, reverse=True)]


K = TypeVar("K", bound=enum.IntEnum)


def next_kind(cls: type[K], kinds: str) -> K:
    """Makes the next member of an enumeration of kinds, whose numbers count from 0.

    Args:
        kinds: what the kinds are, in words, for the error.

    Raises:
        GameDefinitionError: there are ``MAX_KINDS`` members already.
    """
    number = len(cls.__members__)
    if number == MAX_KINDS:
        raise GameDefinitionError(f"A game can have at most {MAX_KINDS} {kinds}.")
    member = int.__new__(cls, number)
    member._value_ = number
    return member


def unpacked(domains: Mapping[str, Domain], action: int) -> dict[str, int]:
    """The operands of a packed action by name; `domains` are those of its kind, in order."""
    return {name: operand(action, i) for i, name in enumerate(domains)}


class ActionKinds(enum.IntEnum):
    """Base of a game's enumeration of action kinds; members are ``Action`` declarations."""

    action: Action

    def __new__(cls, action: Action) -> ActionKinds:  # noqa: D102
        member = next_kind(cls, "kinds of action")
        member.action = action
        return member

    @classmethod
    def words(cls, action: int) -> str:
        """The action as a sentence."""
        declared = cls(kind(action)).action  # type: ignore[arg-type]
        return cls._filled(declared.template, action)

    @classmethod
    def words_for_others(cls, action: int) -> str | None:
        """The action as other players read it; ``None`` if they read the same words."""
        declared = cls(kind(action)).action  # type: ignore[arg-type]
        return None if declared.otherwise is None else cls._filled(declared.otherwise, action)

    @classmethod
    def _filled(cls, template: str, action: int) -> str:
        """A sentence with the operands of an action in their places."""
        domains = cls(kind(action)).action.domains  # type: ignore[arg-type]
        values = unpacked(domains, action)
        return template.format(**{name: domains[name].word(values[name]) for name in domains})

    @classmethod
    def parts(cls, action: int) -> ActionParts:
        """The action as its kind and its operands by name."""
        member = cls(kind(action))  # type: ignore[arg-type]
        domains = member.action.domains
        values = unpacked(domains, action)
        operands = {name: domains[name].operand(values[name]) for name in domains}
        return ActionParts(member.name, **operands)

    @classmethod
    def phrase(cls, action: int) -> Phrase:
        """The words of an action in parts: the texts of its template, and its operands."""
        declared = cls(kind(action)).action  # type: ignore[arg-type]
        segments = re.split(r"{(\w+)}", declared.template)
        values = unpacked(declared.domains, action)
        words = [declared.domains[name].word(values[name]) for name in segments[1::2]]
        return Phrase(tuple(segments[::2]), tuple(words))

    @classmethod
    def vocabulary(cls) -> Vocabulary:
        """All kinds, and the words of all operands."""
        kinds = frozenset(re.sub(r"{\w+}", ANY, member.action.template) for member in cls)
        domains = [domain for member in cls for domain in member.action.domains.values()]
        operands = frozenset(things_among(word for domain in domains for word in domain.words))
        return Vocabulary(kinds, operands)

    @classmethod
    def parse(cls, text: str) -> int | None:
        """The action that a sentence describes, or ``None``; case does not matter."""
        for member in cls:
            match = member.action.pattern.fullmatch(" ".join(text.split()))
            if match:
                domains = member.action.domains.items()
                return pack(member, *[domain.find(match[name]) for name, domain in domains])
        return None

    @classmethod
    def codes(cls) -> list[ActionCode]:
        """How the actions of each kind are numbered."""
        return [
            ActionCode(
                member.value,
                tuple(
                    Digit(KIND_BITS + OPERAND_BITS * i, OPERAND_BITS, len(domain))
                    for i, domain in enumerate(member.action.domains.values())
                ),
            )
            for member in cls
        ]
