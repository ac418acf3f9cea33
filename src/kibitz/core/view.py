"""Records of a state as plain Python objects, which uncompiled rules work on.

A view reads and writes the bytes of a block of memory as its dtype says. Unlike compiled code
it checks everything: fields that do not exist, indices out of range (negative ones too),
values that do not fit. Views show themselves readably in a debugger.
"""

from __future__ import annotations

import ctypes
import functools
import operator
import struct
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

DECLARED_OPEN = "it is declared open, so it can be neither hidden nor shown"
"""The message where rules ask for the field ``seen`` of a component that everybody sees."""
HIDEABLE = "declare it with visible_to=Visibility.OWNER, and show it to all where it is open"
"""The cure for that."""

_COMPOUND = "V"
"""NumPy's type code of records and arrays; its codes of numbers are also those of ``struct``."""


def memory_at(address: int, size: int) -> memoryview:
    """The `size` bytes at `address`, writable, not owned."""
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B")


def view_at(address: int, dtype: np.dtype[Any]) -> Any:
    """A view of the record of type `dtype` at `address`; the memory must outlive it."""
    return RecordView(memory_at(address, dtype.itemsize), 0, dtype)


class RecordView:
    """One record; its fields are attributes."""

    __slots__ = ("_dtype", "_fields", "_memory", "_offset", "_reads")

    def __init__(
        self,
        memory: memoryview,
        offset: int,
        dtype: np.dtype[Any],
        reads: set[str] | None = None,
    ) -> None:
        object.__setattr__(self, "_memory", memory)
        object.__setattr__(self, "_offset", offset)
        object.__setattr__(self, "_dtype", dtype)
        object.__setattr__(self, "_reads", reads)
        object.__setattr__(self, "_fields", _fields(dtype))

    def _no_field(self, name: str) -> AttributeError:
        fields = f"this record has no field {name!r}; it has: {', '.join(self._fields)}"
        return AttributeError(DECLARED_OPEN if name == "seen" else fields, name=name)

    def __getattr__(self, name: str) -> Any:
        try:
            offset, read, _ = self._fields[name]
        except KeyError:
            raise (
                AttributeError(name) if name.startswith("__") else self._no_field(name)
            ) from None
        if self._reads is not None:
            self._reads.add(name)
        return read(self._memory, self._offset + offset)

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            offset, _, dtype = self._fields[name]
        except KeyError:
            raise self._no_field(name) from None
        _set(self._memory, self._offset + offset, dtype, value, name)

    def __dir__(self) -> list[str]:
        return list(self._dtype.names or ())

    def __repr__(self) -> str:
        inside = ", ".join(f"{n}={getattr(self, n)!r}" for n in self._dtype.names or ())
        return f"({inside})"


def noting_reads(view: RecordView, reads: set[str]) -> RecordView:
    """A view of the same record that adds the name of each field it reads to `reads`."""
    return RecordView(view._memory, view._offset, view._dtype, reads)


def get_bytes(view: RecordView) -> bytes:
    """The bytes of a record."""
    return bytes(view._memory[view._offset : view._offset + view._dtype.itemsize])


def set_bytes(view: RecordView, content: bytes) -> None:
    """Overwrites the bytes of a record."""
    view._memory[view._offset : view._offset + len(content)] = content


class ArrayView:
    """An array of numbers or records; indices are checked."""

    __slots__ = ("_dtype", "_memory", "_offset", "_shape")

    def __init__(
        self, memory: memoryview, offset: int, dtype: np.dtype[Any], shape: tuple[int, ...]
    ) -> None:
        self._memory = memory
        self._offset = offset
        self._dtype = dtype
        self._shape = shape

    def _at(self, index: Any) -> tuple[int, tuple[int, ...]]:
        offset, shape = self._offset, self._shape
        if type(index) is int and len(shape) == 1 and 0 <= index < shape[0]:  # nearly always
            return offset + index * self._dtype.itemsize, ()
        path = index if isinstance(index, tuple) else (index,)
        for i in map(operator.index, path):
            if not shape:
                raise IndexError("too many indices")
            if not 0 <= i < shape[0]:
                raise IndexError(f"index {i} is outside 0 .. {shape[0] - 1}")
            shape = shape[1:]
            stride = self._dtype.itemsize
            for side in shape:
                stride *= side
            offset += i * stride
        return offset, shape

    def __getitem__(self, index: Any) -> Any:
        offset, shape = self._at(index)
        if shape:
            return ArrayView(self._memory, offset, self._dtype, shape)
        return _reader(self._dtype)(self._memory, offset)

    def __setitem__(self, index: Any, value: Any) -> None:
        offset, shape = self._at(index)
        if shape:
            raise IndexError("only one element can be assigned at a time")
        _set(self._memory, offset, self._dtype, value, f"element {index}")

    def __len__(self) -> int:
        return self._shape[0]

    def __iter__(self) -> Iterator[Any]:
        dtype = self._dtype
        if len(self._shape) == 1 and dtype.char != _COMPOUND:
            end = self._offset + self._shape[0] * dtype.itemsize
            numbers: Any = self._memory[self._offset : end]
            return iter(numbers.cast(dtype.char))
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return repr(list(self))


_Reader = Callable[[memoryview, int], Any]


@functools.cache
def _reader(dtype: np.dtype[Any]) -> _Reader:
    """The function that reads a value of this type at an offset."""
    if dtype.char != _COMPOUND:
        unpack = struct.Struct(dtype.char).unpack_from
        return lambda memory, offset: unpack(memory, offset)[0]
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return lambda memory, offset: ArrayView(memory, offset, base, shape)
    return lambda memory, offset: RecordView(memory, offset, dtype)


@functools.cache
def _fields(dtype: np.dtype[Any]) -> dict[str, tuple[int, _Reader, np.dtype[Any]]]:
    """The offset, the reader and the type of each field of a record, by name."""
    fields: Any = dtype.fields
    return {name: (at, _reader(kind), kind) for name, (kind, at, *_) in fields.items()}


def _set(memory: memoryview, offset: int, dtype: np.dtype[Any], value: Any, name: str) -> None:
    code = dtype.char
    if code == _COMPOUND:
        raise TypeError(f"{name} cannot be assigned as a whole; assign its parts")
    try:
        struct.pack_into(code, memory, offset, value)
    except struct.error as problem:
        raise OverflowError(f"{name} = {value!r} does not fit: {problem}") from None
