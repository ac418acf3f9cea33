"""Memory and calls by address: the few primitives beneath the contract.

In compiled code each of these becomes a handful of instructions (``core/lowering.py`` tells
Numba how); uncompiled they do the same through ctypes, slowly, so that engine code can be
stepped through like rules. Addresses are plain integers.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from kibitz.core.view import ArrayView, RecordView, memory_at, view_at

Address = int

INT8 = np.dtype(np.int8)
INT16 = np.dtype(np.int16)
INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)


def record_at(address: Address, dtype: np.dtype[Any]) -> Any:
    """The record of type `dtype` at `address`."""
    return view_at(address, dtype)


def array_at(address: Address, dtype: np.dtype[Any], length: int) -> Any:
    """The array of `length` numbers or records at `address`."""
    return ArrayView(memory_at(address, max(1, dtype.itemsize * length)), 0, dtype, (length,))


def stack_record(dtype: np.dtype[Any]) -> Any:
    """A temporary record of type `dtype`, which lives until the calling function returns.

    In compiled code it lies on the stack, and its initial content is undefined.
    """
    return RecordView(memoryview(bytearray(dtype.itemsize)), 0, dtype)


def copy_bytes(target: Address, source: Address, count: int) -> None:
    """Copies `count` bytes; the two places must not overlap."""
    ctypes.memmove(target, source, count)


def clear_bytes(target: Address, count: int) -> None:
    """Sets `count` bytes to zero."""
    ctypes.memset(target, 0, count)


_VOID_2 = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 2)
_VOID_3 = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)
_INT_3 = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 3)
_INT_5 = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 5)
_FLOAT_3 = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_int64] * 3)


def call_void_2(function: Address, a: int, b: int) -> None:
    """Calls ``void function(int64, int64)``."""
    _VOID_2(function)(a, b)


def call_void_3(function: Address, a: int, b: int, c: int) -> None:
    """Calls ``void function(int64, int64, int64)``."""
    _VOID_3(function)(a, b, c)


def call_int_3(function: Address, a: int, b: int, c: int) -> int:
    """Calls ``int64 function(int64, int64, int64)``."""
    return int(_INT_3(function)(a, b, c))


def call_int_5(function: Address, a: int, b: int, c: int, d: int, e: int) -> int:
    """Calls ``int64 function(int64, ...)``."""
    return int(_INT_5(function)(a, b, c, d, e))


def call_float_3(function: Address, a: int, b: int, c: int) -> float:
    """Calls ``double function(int64, int64, int64)``."""
    return float(_FLOAT_3(function)(a, b, c))


def atomic_add(address: Address, amount: int) -> int:
    """Adds to the 64-bit number at `address` atomically; returns the old value."""
    return _changed(address, lambda old: old + amount)


def atomic_swap(address: Address, value: int) -> int:
    """Replaces the 64-bit number at `address` atomically; returns the old value."""
    return _changed(address, lambda old: value)


def atomic_min(address: Address, value: int) -> int:
    """Lowers the 64-bit number at `address` to `value` atomically; returns the old value."""
    return _changed(address, lambda old: min(old, value))


_changing = threading.Lock()


def _changed(address: Address, change: Callable[[int], int]) -> int:
    with _changing:
        number = ctypes.c_int64.from_address(address)
        old = number.value
        number.value = change(old)
    return old


def monotonic_ns() -> int:
    """Nanoseconds on a clock that never goes back."""
    return time.monotonic_ns()
