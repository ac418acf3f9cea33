"""``ActionParts``: an action as data, beside its integer and its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from kibitz.core.errors import FileError

Operand: TypeAlias = int | str | tuple[str, ...]
"""A number, the word for a thing, or the words for a set of cards."""


@dataclass(frozen=True, init=False, repr=False)
class ActionParts:
    """The kind of an action and its operands by name, as ``State.action_parts`` returns them.

    An operand that a game declares as a range is a number. Any other is the word for a card, a
    player or a place that the action's sentence has, too.

    >>> guess = ActionParts("GUESS", target="player 2", guess="Priest")
    >>> guess
    ActionParts('GUESS', target='player 2', guess='Priest')
    >>> guess.kind, guess.operands["guess"]
    ('GUESS', 'Priest')
    >>> ActionParts.from_json(guess.to_json()) == guess
    True
    """

    kind: str
    operands: Mapping[str, Operand]

    def __init__(self, kind: str, /, **operands: Operand) -> None:
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "operands", MappingProxyType(operands))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.kind, dict(self.operands))

    def __hash__(self) -> int:
        return hash((self.kind, frozenset(self.operands.items())))

    def __repr__(self) -> str:
        named = [f"{name}={value!r}" for name, value in self.operands.items()]
        return f"ActionParts({', '.join([repr(self.kind), *named])})"

    def to_json(self) -> dict[str, Any]:
        """The parts as JSON.

        >>> ActionParts("MARK", x=2, y=0).to_json()
        {'kind': 'MARK', 'operands': {'x': 2, 'y': 0}}
        """
        operands = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.operands.items()
        }
        return {"kind": self.kind, "operands": operands}

    @classmethod
    def from_json(cls, document: Any) -> ActionParts:
        """The parts that ``to_json`` wrote.

        Raises:
            FileError: the document is not of that form.
        """
        match document:
            case {"kind": str(kind), "operands": dict(operands), **others} if not others:
                values = {
                    name: tuple(value) if isinstance(value, list) else value
                    for name, value in operands.items()
                }
                if all(_is_operand(value) for value in values.values()):
                    return cls(kind, **values)
        raise FileError(
            "An action has a kind and operands, such as "
            '{"kind": "MARK", "operands": {"x": 2, "y": 0}}; an operand is a whole number, a word '
            "or a list of words."
        )


def _restored(kind: str, operands: dict[str, Operand]) -> ActionParts:
    """Parts that were pickled."""
    return ActionParts(kind, **operands)


def _is_operand(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(word, str) for word in value)
    return isinstance(value, int | str) and not isinstance(value, bool)
