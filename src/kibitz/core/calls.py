"""Calls of native functions from Python, through CPython's own calling convention.

``ctypes`` takes a microsecond for a call, several times as long as a move in a small game. Here a
*caller* is a few lines of LLVM for each signature: it converts the arguments, calls the function
without the GIL and converts the result. A callable is a built-in function of CPython whose code is
a caller and whose ``self`` is the function's address.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

LLVM_TYPES = {"v": "void", "i": "i64", "p": "i64", "f": "double"}
"""The types of a signature's letters: nothing, an integer, the address of a buffer, a number."""

_BUFFER_SIZE = 10 * ctypes.sizeof(ctypes.c_void_p)
"""The size of a ``Py_buffer``."""
_FASTCALL = 0x0080

_DECLARATIONS = {
    "PyErr_BadArgument": "i32 ()",
    "PyErr_Occurred": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyEval_SaveThread": "ptr ()",
    "PyBuffer_Release": "void (ptr)",
    "PyFloat_AsDouble": "double (ptr)",
    "PyFloat_FromDouble": "ptr (double)",
    "PyLong_AsUnsignedLongLongMask": "i64 (ptr)",
    "PyLong_FromLongLong": "ptr (i64)",
    "PyObject_GetBuffer": "i32 (ptr, ptr, i32)",
    "Py_IncRef": "void (ptr)",
}
"""The functions of CPython that callers call; all belong to its stable interface."""


class _Method(ctypes.Structure):
    """A ``PyMethodDef``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype = ctypes.py_object
_new_function.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)


class Caller:
    """Makes Python callables of native functions with one signature.

    Args:
        signature: the letters of the result and of the arguments, as in ``Export``.
        code: the address of the compiled ``caller_text``.
    """

    def __init__(self, signature: str, code: int) -> None:
        self._method = _Method(f"native {signature}".encode(), code, _FASTCALL, None)

    def callable_at(self, address: int) -> Callable[..., Any]:
        """A callable for the function at an address."""
        function: Callable[..., Any] = _new_function(ctypes.addressof(self._method), address, None)
        return function


def caller_name(signature: str) -> str:
    """The name of the function that ``caller_text`` defines."""
    return f"call_{signature}"


def interpreter_symbols() -> dict[str, int]:
    """The addresses of what callers use of CPython, by name."""
    functions = {
        name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
        for name in _DECLARATIONS
    }
    return {**functions, "_Py_NoneStruct": id(None)}


def caller_text(signature: str) -> str:
    """The LLVM module with the caller of a signature.

    A wrong number of arguments, or one that cannot be converted, raises TypeError or BufferError.
    Integers are taken modulo 2**64, as ``ctypes`` does. A buffer cannot be resized during a call.
    """
    result, letters = signature[0], signature[1:]
    buffers = [i for i, letter in enumerate(letters) if letter == "p"]
    views = [
        f"  %view{i} = alloca [{_BUFFER_SIZE} x i8], align 16\n"
        f"  store [{_BUFFER_SIZE} x i8] zeroinitializer, ptr %view{i}"
        for i in buffers
    ]
    converted = []
    for i, letter in enumerate(letters):
        converted.append(
            f"  %place{i} = getelementptr ptr, ptr %arguments, i64 {i}\n"
            f"  %object{i} = load ptr, ptr %place{i}"
        )
        if letter == "p":  # 1: writable
            converted.append(
                f"  call i32 @PyObject_GetBuffer(ptr %object{i}, ptr %view{i}, i32 1)"
            )
        elif letter == "f":
            converted.append(f"  %a{i} = call double @PyFloat_AsDouble(ptr %object{i})")
        else:
            converted.append(f"  %a{i} = call i64 @PyLong_AsUnsignedLongLongMask(ptr %object{i})")
    loaded = [f"  %a{i} = load i64, ptr %view{i}" for i in buffers]
    release = [f"  call void @PyBuffer_Release(ptr %view{i})" for i in buffers]
    passed = ", ".join(f"{LLVM_TYPES[letter]} %a{i}" for i, letter in enumerate(letters))
    call = f"call {LLVM_TYPES[result]} %function({passed})"
    if result == "v":
        call, ending = f"  {call}", ["  call void @Py_IncRef(ptr @_Py_NoneStruct)"]
        ending.append("  ret ptr @_Py_NoneStruct")
    else:
        make = "PyFloat_FromDouble(double" if result == "f" else "PyLong_FromLongLong(i64"
        call, ending = f"  %result = {call}", [f"  %object = call ptr @{make} %result)"]
        ending.append("  ret ptr %object")
    declarations = []
    for name, kind in _DECLARATIONS.items():
        returned, _, taken = kind.partition(" ")
        declarations.append(f"declare {returned} @{name}{taken}")
    return "\n".join(
        [
            *declarations,
            "@_Py_NoneStruct = external global i8",
            f"define ptr @{caller_name(signature)}(ptr %self, ptr %arguments, i64 %count) {{",
            *views,
            f"  %complete = icmp eq i64 %count, {len(letters)}",
            "  br i1 %complete, label %convert, label %incomplete",
            "incomplete:",
            "  call i32 @PyErr_BadArgument()",
            "  ret ptr null",
            "convert:",
            *converted,
            "  %problem = call ptr @PyErr_Occurred()",
            "  %fine = icmp eq ptr %problem, null",
            "  br i1 %fine, label %call, label %wrong",
            "wrong:",
            *release,
            "  ret ptr null",
            "call:",
            *loaded,
            "  %address = call i64 @PyLong_AsUnsignedLongLongMask(ptr %self)",
            "  %function = inttoptr i64 %address to ptr",
            "  %thread = call ptr @PyEval_SaveThread()",
            call,
            "  call void @PyEval_RestoreThread(ptr %thread)",
            *release,
            *ending,
            "}",
        ]
    )
