"""Writing the instructions of one LLVM function as text.

Values are written as LLVM does: ``%3``, or a number. Integers are 64 bits wide unless they lie
in memory, conditions are ``i1``, addresses are ``ptr``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

Value = str

MOST_INLINED = 4096
"""Bytes of memory of a function that may be inlined."""
_BYTES = {"i8": 1, "i16": 2, "i64": 8, "ptr": 8}


class Function:
    """One function in the making.

    Args:
        name: as the linker will know it.
        result: its LLVM type.
        parameters: types and names, such as ``("ptr", "%state")``.
        exported: whether it is needed outside the module.
    """

    def __init__(
        self,
        name: str,
        result: str,
        parameters: Sequence[tuple[str, str]],
        exported: bool = False,
    ) -> None:
        shown = ", ".join(f"{kind} {value}" for kind, value in parameters)
        linkage = "" if exported else "internal "
        self._head = f"define {linkage}{result} @{name}({shown})"
        self._slots: list[str] = []
        self._lines: list[str] = []
        self._numbers: Iterator[int] = itertools.count()
        self.open = True
        self.stack = 0
        """Bytes of its memory."""

    def text(self) -> str:
        """The whole function."""
        # the memory of a function that is inlined is added to that of each function that calls it
        head = self._head + (" noinline" if self.stack > MOST_INLINED else "") + " {\nentry:"
        return "\n".join([head, *self._slots, *self._lines, "}\n"])

    # -- plain instructions ----------------------------------------------------------------

    def do(self, instruction: str) -> None:
        """Writes an instruction without a result; behind a jump it is dropped as unreachable."""
        if self.open:
            self._lines.append("  " + instruction)

    def get(self, instruction: str) -> Value:
        """Writes an instruction and returns its result."""
        name = f"%v{next(self._numbers)}"
        self.do(f"{name} = {instruction}")
        return name

    def slot(self, kind: str = "i64", count: int = 1) -> Value:
        """Memory of the function's own, made on entry."""
        name = f"%s{next(self._numbers)}"
        shown = kind if count == 1 else f"[{count} x {kind}]"
        self._slots.append(f"  {name} = alloca {shown}, align 8")
        self.stack += -(-count * _BYTES[kind] // 8) * 8
        return name

    def slots_init(self, slot: Value, value: int) -> None:
        """Gives a slot a number on entry."""
        self._slots.append(f"  store i64 {value}, ptr {slot}")

    # -- control ---------------------------------------------------------------------------

    def label(self, hint: str = "b") -> str:
        """A new label, to be placed later."""
        return f"{hint}{next(self._numbers)}"

    def place(self, label: str) -> None:
        """Begins the block of a label; the block before continues into it."""
        self.jump(label)
        self._lines.append(f"{label}:")
        self.open = True

    def jump(self, label: str) -> None:
        """Writes a jump to a label."""
        self.do(f"br label %{label}")
        self.open = False

    def branch(self, condition: Value, yes: str, no: str) -> None:
        """Writes a conditional jump to one of two labels."""
        self.do(f"br i1 {condition}, label %{yes}, label %{no}")
        self.open = False

    def leave(self, result: str = "void") -> None:
        """Writes a return."""
        self.do(f"ret {result}")
        self.open = False

    def switch(self, value: Value, cases: Sequence[tuple[int, str]], default: str) -> None:
        """Writes a jump to the label of a number."""
        listed = " ".join(f"i64 {number}, label %{label}" for number, label in cases)
        self.do(f"switch i64 {value}, label %{default} [{listed}]")
        self.open = False

    # -- memory ----------------------------------------------------------------------------

    def at(self, base: Value, offset: Value | int) -> Value:
        """An address so many bytes further on."""
        if str(offset) == "0":
            return base
        return self.get(f"getelementptr i8, ptr {base}, i64 {offset}")

    def load(self, address: Value, kind: str = "i64") -> Value:
        """Loads a value from an address, as a 64-bit integer."""
        value = self.get(f"load {kind}, ptr {address}")
        return value if kind == "i64" else self.get(f"sext {kind} {value} to i64")

    def store(self, value: Value | int, address: Value, kind: str = "i64") -> None:
        """Stores a 64-bit integer, narrowed to the type of the memory."""
        if kind != "i64" and str(value).startswith("%"):
            value = self.get(f"trunc i64 {value} to {kind}")
        self.do(f"store {kind} {value}, ptr {address}")

    def number_of(self, address: Value) -> Value:
        """An address as an integer, for calls."""
        return self.get(f"ptrtoint ptr {address} to i64")

    def opaque(self, value: Value) -> Value:
        """A number that the optimiser does not know to be constant.

        It tries to work out how often loops within loops run, which takes it for ever.
        """
        slot = self.slot()
        self.store(value, slot)
        return self.get(f"load volatile i64, ptr {slot}")

    # -- arithmetic ------------------------------------------------------------------------

    def add(self, a: Value | int, b: Value | int) -> Value:
        """Their sum."""
        if _constant(a) and _constant(b):
            return str(int(a) + int(b))
        return self.get(f"add i64 {a}, {b}")

    def sub(self, a: Value | int, b: Value | int) -> Value:
        """Their difference."""
        if _constant(a) and _constant(b):
            return str(int(a) - int(b))
        return self.get(f"sub i64 {a}, {b}")

    def mul(self, a: Value | int, b: Value | int) -> Value:
        """Their product."""
        if _constant(a) and _constant(b):
            return str(int(a) * int(b))
        return self.get(f"mul i64 {a}, {b}")

    def both(self, a: Value, b: Value | int) -> Value:
        """Their bitwise and."""
        return self.get(f"and i64 {a}, {b}")

    def either(self, a: Value, b: Value | int) -> Value:
        """Their bitwise or."""
        return self.get(f"or i64 {a}, {b}")

    def shift(self, a: Value, by: Value | int) -> Value:
        """The number shifted left."""
        return self.get(f"shl i64 {a}, {by}")

    def test(self, operator: str, a: Value | int, b: Value | int) -> Value:
        """A comparison: ``eq ne slt sgt sle sge``."""
        return self.get(f"icmp {operator} i64 {a}, {b}")

    def choose(self, condition: Value, a: Value | int, b: Value | int) -> Value:
        """`a` where the condition holds, else `b`."""
        return self.get(f"select i1 {condition}, i64 {a}, i64 {b}")

    def increase(self, slot: Value, by: Value | int = 1, opaque: bool = False) -> Value:
        """Adds to a number in memory; returns the new one.

        Of an `opaque` one the optimiser is not to work out what it comes to.
        """
        old = self.get(f"load volatile i64, ptr {slot}") if opaque else self.load(slot)
        value = self.add(old, by)
        self.store(value, slot)
        return value


def _constant(value: Value | int) -> bool:
    return isinstance(value, int) or not value.startswith("%")
