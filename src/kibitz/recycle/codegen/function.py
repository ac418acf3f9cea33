"""A writer of the instructions of one LLVM function as text.

A value is the text of an LLVM operand: ``%v3``, or a number. Integers have 64 bits except in
memory, conditions are ``i1``, addresses are ``ptr``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

Value = str
"""An LLVM operand as text."""

MOST_INLINED = 4096
"""The maximum stack memory, in bytes, of a function that may be inlined."""
_BYTES = {"i8": 1, "i16": 2, "i64": 8, "ptr": 8}


class Function:
    """An LLVM function whose instructions are being written.

    Args:
        name: The name of the function within the module.
        result: The LLVM type of the result.
        parameters: Types and names of the parameters, such as ``("ptr", "%state")``.
        exported: Whether the function is called from outside the module.
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
        """Whether the next instruction can be reached: no jump or return precedes it."""
        self.stack = 0
        """The stack memory of the function, in bytes."""

    def text(self) -> str:
        """The text of the whole function."""
        # the memory of a function that is inlined is added to that of each function that calls it
        head = self._head + (" noinline" if self.stack > MOST_INLINED else "") + " {\nentry:"
        return "\n".join([head, *self._slots, *self._lines, "}\n"])

    # -- plain instructions ----------------------------------------------------------------

    def do(self, instruction: str) -> None:
        """Writes an instruction without a result, unless it is unreachable behind a jump."""
        if self.open:
            self._lines.append("  " + instruction)

    def get(self, instruction: str) -> Value:
        """Writes an instruction and returns its result."""
        name = f"%v{next(self._numbers)}"
        self.do(f"{name} = {instruction}")
        return name

    def slot(self, kind: str = "i64", count: int = 1) -> Value:
        """The address of stack memory that is allocated on entry to the function."""
        name = f"%s{next(self._numbers)}"
        shown = kind if count == 1 else f"[{count} x {kind}]"
        self._slots.append(f"  {name} = alloca {shown}, align 8")
        self.stack += -(-count * _BYTES[kind] // 8) * 8
        return name

    def slots_init(self, slot: Value, value: int) -> None:
        """Stores a number in a slot on entry to the function."""
        self._slots.append(f"  store i64 {value}, ptr {slot}")

    # -- control ---------------------------------------------------------------------------

    def label(self, hint: str = "b") -> str:
        """A new label, which ``place`` puts in front of a block."""
        return f"{hint}{next(self._numbers)}"

    def place(self, label: str) -> None:
        """Begins the block of a label; an open block before it continues into it."""
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
        """Writes a jump to the label of a case, or to the default label."""
        listed = " ".join(f"i64 {number}, label %{label}" for number, label in cases)
        self.do(f"switch i64 {value}, label %{default} [{listed}]")
        self.open = False

    # -- memory ----------------------------------------------------------------------------

    def at(self, base: Value, offset: Value | int) -> Value:
        """The address `offset` bytes behind `base`."""
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
        """An address as an integer, as calls pass it."""
        return self.get(f"ptrtoint ptr {address} to i64")

    def opaque(self, value: Value) -> Value:
        """A copy of a number that the optimiser cannot recognise as a constant.

        Otherwise it computes the numbers of iterations of nested loops, which takes too long.
        """
        slot = self.slot()
        self.store(value, slot)
        return self.get(f"load volatile i64, ptr {slot}")

    # -- arithmetic ------------------------------------------------------------------------

    def add(self, a: Value | int, b: Value | int) -> Value:
        """The sum of two numbers."""
        if _constant(a) and _constant(b):
            return str(int(a) + int(b))
        return self.get(f"add i64 {a}, {b}")

    def sub(self, a: Value | int, b: Value | int) -> Value:
        """The difference of two numbers."""
        if _constant(a) and _constant(b):
            return str(int(a) - int(b))
        return self.get(f"sub i64 {a}, {b}")

    def mul(self, a: Value | int, b: Value | int) -> Value:
        """The product of two numbers."""
        if _constant(a) and _constant(b):
            return str(int(a) * int(b))
        return self.get(f"mul i64 {a}, {b}")

    def both(self, a: Value, b: Value | int) -> Value:
        """The bitwise and of two numbers."""
        return self.get(f"and i64 {a}, {b}")

    def either(self, a: Value, b: Value | int) -> Value:
        """The bitwise or of two numbers."""
        return self.get(f"or i64 {a}, {b}")

    def shift(self, a: Value, by: Value | int) -> Value:
        """A number shifted left."""
        return self.get(f"shl i64 {a}, {by}")

    def test(self, operator: str, a: Value | int, b: Value | int) -> Value:
        """A comparison of two numbers by ``eq``, ``ne``, ``slt``, ``sgt``, ``sle`` or ``sge``."""
        return self.get(f"icmp {operator} i64 {a}, {b}")

    def choose(self, condition: Value, a: Value | int, b: Value | int) -> Value:
        """`a` if the condition holds, else `b`."""
        return self.get(f"select i1 {condition}, i64 {a}, i64 {b}")

    def increase(self, slot: Value, by: Value | int = 1, opaque: bool = False) -> Value:
        """Adds to a number in memory; returns the new value.

        With `opaque`, the optimiser cannot compute the value in advance.
        """
        old = self.get(f"load volatile i64, ptr {slot}") if opaque else self.load(slot)
        value = self.add(old, by)
        self.store(value, slot)
        return value


def _constant(value: Value | int) -> bool:
    """Whether a value is a literal number."""
    return isinstance(value, int) or not value.startswith("%")
