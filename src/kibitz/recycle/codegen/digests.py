"""Digests: hashes of picks that do not fit into an action.

A digest consists of two 64-bit hashes of the same picks. The first one becomes the action; the
second one shows whether two options with the same action are the same option.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kibitz.core.actions import KIND_BITS
from kibitz.recycle import options
from kibitz.recycle.codegen.function import Function, Value

if TYPE_CHECKING:
    from kibitz.recycle.codegen.scope import Scope

_FACTORS = (0x9E3779B97F4A7C15, 0xD1342543DE82EF95)
_FINAL_FACTOR = 0xBF58476D1CE4E5B9
_OFFSET = 0x632BE59BD9B4E019


@dataclass(frozen=True)
class Digest:
    """Two hashes of the same picks: `number` for the action, `check` to detect collisions."""

    number: Value
    check: Value


def of_number(value: Value) -> Digest:
    """The digest of a pick that is a number."""
    return Digest(value, value)


class SetDigest:
    """The digest of a set of cards, which does not depend on their order."""

    def __init__(self, s: Scope) -> None:
        self.s = s
        self._sums = [s.function.slot() for _ in _FACTORS]
        for total in self._sums:
            s.function.store(0, total)

    def add(self, token: Value) -> None:
        """Adds the operand of a card."""
        for total, factor in zip(self._sums, _FACTORS, strict=True):
            self.s.function.increase(total, _fold(self.s, "0", token, factor))

    def result(self) -> Digest:
        """The digest of all added cards."""
        return Digest(*map(self.s.function.load, self._sums))


def fold(s: Scope, digest: Digest, pick: Digest) -> Digest:
    """The digest of some picks and one more."""
    number, check = _FACTORS
    return Digest(
        _fold(s, digest.number, pick.number, number), _fold(s, digest.check, pick.check, check)
    )


def action(s: Scope, digest: Digest, kind: int) -> Value:
    """The action of a kind that stands for the picks."""
    f = s.function
    bits = f.get(f"lshr i64 {digest.number}, {64 - options.DIGEST_BITS}")
    return f.either(f.shift(bits, KIND_BITS), kind)


def _fold(s: Scope, before: Value, value: Value, factor: int) -> Value:
    """Writes the computation of a hash with one more value; returns the result."""
    s.module.need("fold", _fold_function)
    return s.function.get(f"call i64 @fold(i64 {before}, i64 {value}, i64 {_signed(factor)})")


def _fold_function(_: object) -> str:
    """The text of the hash function, which is similar to the finaliser of SplitMix64."""
    f = Function("fold", "i64", [("i64", "%before"), ("i64", "%value"), ("i64", "%factor")])
    moved = f.add(f.mul("%before", _signed(_FACTORS[0])), _signed(_OFFSET))
    x = f.mul(f.add(moved, "%value"), "%factor")
    x = f.get(f"xor i64 {x}, {f.get(f'lshr i64 {x}, 30')}")
    x = f.mul(x, _signed(_FINAL_FACTOR))
    x = f.get(f"xor i64 {x}, {f.get(f'lshr i64 {x}, 27')}")
    f.leave(f"i64 {x}")
    return f.text()


def _signed(number: int) -> int:
    """An unsigned 64-bit number as the signed number with the same bits."""
    return number - (1 << 64) if number >> 63 else number
