"""Calls of native functions from Python, through CPython's own calling convention.

``ctypes`` takes a microsecond for a call, several times as long as a move in a small game. Here a
*caller* is a few lines of LLVM for each signature: it converts the arguments, calls the function
and converts the result. A callable is a built-in function of CPython whose code is a caller and
whose ``self`` has the function's address and the first arguments, if they are always the same.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.actions import FIRST_ITEM

LLVM_TYPES = {"v": "void", "i": "i64", "p": "i64", "a": "i64", "l": "i64", "f": "double"}
"""The types of a signature's letters: nothing, an integer, the address of a buffer, of an array
or of a list, a number."""

_BUFFER_SIZE = 10 * ctypes.sizeof(ctypes.c_void_p)
"""The size of a ``Py_buffer``."""
_FASTCALL = 0x0080

_DECLARATIONS = {
    "PyErr_BadArgument": "i32 ()",
    "PyErr_Occurred": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyEval_SaveThread": "ptr ()",
    "PyBuffer_Release": "void (ptr)",
    "PyBytes_AsString": "ptr (ptr)",
    "PyFloat_AsDouble": "double (ptr)",
    "PyFloat_FromDouble": "ptr (double)",
    "PyList_New": "ptr (i64)",
    "PyList_SetItem": "i32 (ptr, i64, ptr)",
    "PyLong_AsUnsignedLongLongMask": "i64 (ptr)",
    "PyLong_FromLongLong": "ptr (i64)",
    "PyObject_GetBuffer": "i32 (ptr, ptr, i32)",
    "PyType_IsSubtype": "i32 (ptr, ptr)",
    "Py_DecRef": "void (ptr)",
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


class Form(NamedTuple):
    """How functions are called.

    Attributes:
        signature: the letters of the result and of the arguments, as in ``Export``.
        bound: how many of the first arguments, all integers, belong to the callable.
        brief: whether the GIL is kept during a call.
    """

    signature: str
    bound: int = 0
    brief: bool = False

    @property
    def caller(self) -> str:
        """The name of the function that ``caller_text`` defines."""
        return f"call_{self.signature}_{self.bound}_{self.brief:d}"


class Caller:
    """Makes Python callables of native functions that are called alike.

    Args:
        form: how they are called.
        code: the address of the compiled ``caller_text``.
    """

    def __init__(self, form: Form, code: int) -> None:
        self._method = _Method(f"native {form.signature}".encode(), code, _FASTCALL, None)

    def callable_at(self, address: int, *bound: int) -> Callable[..., Any]:
        """A callable for the function at an address, with its first arguments."""
        target = struct.pack(f"={1 + len(bound)}q", address, *bound)
        function: Callable[..., Any] = _new_function(ctypes.addressof(self._method), target, None)
        return function


def interpreter_symbols() -> dict[str, int]:
    """The addresses of what callers use of CPython and NumPy, by name."""
    functions = {
        name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0
        for name in _DECLARATIONS
    }
    return {**functions, "_Py_NoneStruct": id(None), "PyArray_Type": id(np.ndarray)}


_POINTER = ctypes.sizeof(ctypes.c_void_p)
_TYPE = object.__basicsize__ - _POINTER
"""The offset of the type of an object, in bytes."""
_DATA = object.__basicsize__
"""The offset of the address of the data of a NumPy array, as ``PyArray_DATA`` reads it."""
_FLAGS = object.__basicsize__ + 6 * _POINTER
"""The offset of the flags of a NumPy array, as ``PyArray_FLAGS`` reads them."""
_USABLE = 0x0401
"""The flags of an array that is contiguous and writable."""

_ARRAY_DATA = f"""
define internal i64 @array_data(ptr %object) {{
  %type_place = getelementptr i8, ptr %object, i64 {_TYPE}
  %type = load ptr, ptr %type_place
  %subtype = call i32 @PyType_IsSubtype(ptr %type, ptr @PyArray_Type)
  %is_array = icmp ne i32 %subtype, 0
  br i1 %is_array, label %array, label %wrong
array:
  %flags_place = getelementptr i8, ptr %object, i64 {_FLAGS}
  %flags = load i32, ptr %flags_place
  %present = and i32 %flags, {_USABLE}
  %usable = icmp eq i32 %present, {_USABLE}
  br i1 %usable, label %read, label %wrong
read:
  %data_place = getelementptr i8, ptr %object, i64 {_DATA}
  %data = load i64, ptr %data_place
  ret i64 %data
wrong:
  call i32 @PyErr_BadArgument()
  ret i64 0
}}
"""

_LIST_OF = f"""
define internal ptr @list_of(i64 %address) {{
  %missing = icmp eq i64 %address, 0
  br i1 %missing, label %none, label %begin
none:
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct
begin:
  %words = inttoptr i64 %address to ptr
  %count = load i64, ptr %words
  %list = call ptr @PyList_New(i64 %count)
  %no_list = icmp eq ptr %list, null
  br i1 %no_list, label %failed, label %next
next:
  %i = phi i64 [0, %begin], [%more, %put]
  %over = icmp eq i64 %i, %count
  br i1 %over, label %done, label %make
make:
  %index = add i64 %i, {FIRST_ITEM}
  %place = getelementptr i64, ptr %words, i64 %index
  %value = load i64, ptr %place
  %item = call ptr @PyLong_FromLongLong(i64 %value)
  %no_item = icmp eq ptr %item, null
  br i1 %no_item, label %drop, label %put
put:
  call i32 @PyList_SetItem(ptr %list, i64 %i, ptr %item)
  %more = add i64 %i, 1
  br label %next
done:
  ret ptr %list
drop:
  call void @Py_DecRef(ptr %list)
  ret ptr null
failed:
  ret ptr null
}}
"""


def caller_text(form: Form) -> str:
    """The LLVM module with the caller of a form.

    A wrong number of arguments, or one that cannot be converted, raises TypeError or BufferError.
    Integers are taken modulo 2**64, as ``ctypes`` does. A buffer cannot be resized during a call.
    """
    result, letters = form.signature[0], form.signature[1:]
    given = [*enumerate(letters)][form.bound :]
    buffers = [i for i, letter in given if letter == "p"]
    views = [
        f"  %view{i} = alloca [{_BUFFER_SIZE} x i8], align 16\n"
        f"  store [{_BUFFER_SIZE} x i8] zeroinitializer, ptr %view{i}"
        for i in buffers
    ]
    converted = []
    for i, letter in given:
        converted.append(
            f"  %place{i} = getelementptr ptr, ptr %arguments, i64 {i - form.bound}\n"
            f"  %object{i} = load ptr, ptr %place{i}"
        )
        if letter == "p":  # 1: writable
            converted.append(
                f"  call i32 @PyObject_GetBuffer(ptr %object{i}, ptr %view{i}, i32 1)"
            )
        else:
            convert = {"a": "i64 @array_data", "f": "double @PyFloat_AsDouble"}.get(
                letter, "i64 @PyLong_AsUnsignedLongLongMask"
            )
            converted.append(f"  %a{i} = call {convert}(ptr %object{i})")
    loaded = [f"  %a{i} = load i64, ptr %view{i}" for i in buffers]
    for i in range(form.bound):
        loaded.append(f"  %bound{i} = getelementptr i64, ptr %target, i64 {i + 1}")
        loaded.append(f"  %a{i} = load i64, ptr %bound{i}")
    release = [f"  call void @PyBuffer_Release(ptr %view{i})" for i in buffers]
    passed = ", ".join(f"{LLVM_TYPES[letter]} %a{i}" for i, letter in enumerate(letters))
    call = f"call {LLVM_TYPES[result]} %function({passed})"
    if result == "v":
        call, ending = f"  {call}", ["  call void @Py_IncRef(ptr @_Py_NoneStruct)"]
        ending.append("  ret ptr @_Py_NoneStruct")
    else:
        make = {"f": "PyFloat_FromDouble(double", "l": "list_of(i64"}.get(
            result, "PyLong_FromLongLong(i64"
        )
        call, ending = f"  %result = {call}", [f"  %object = call ptr @{make} %result)"]
        ending.append("  ret ptr %object")
    unlocked = [] if form.brief else ["  %thread = call ptr @PyEval_SaveThread()"]
    locked = [] if form.brief else ["  call void @PyEval_RestoreThread(ptr %thread)"]
    declarations = []
    for name, kind in _DECLARATIONS.items():
        returned, _, taken = kind.partition(" ")
        declarations.append(f"declare {returned} @{name}{taken}")
    return "\n".join(
        [
            *declarations,
            "@_Py_NoneStruct = external global i8",
            "@PyArray_Type = external global i8",
            *([_ARRAY_DATA] if "a" in letters else []),
            *([_LIST_OF] if result == "l" else []),
            f"define ptr @{form.caller}(ptr %self, ptr %arguments, i64 %count) {{",
            *views,
            f"  %complete = icmp eq i64 %count, {len(given)}",
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
            "  %target = call ptr @PyBytes_AsString(ptr %self)",
            *loaded,
            "  %function = load ptr, ptr %target",
            *unlocked,
            call,
            *locked,
            *release,
            *ending,
            "}",
        ]
    )
