"""Measures work in a unit that is the same on every machine."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

from kibitz.core.native import compile_text

TRACER = """
define i32 @count_line(ptr %counter, ptr %frame, i32 %event, ptr %argument) {
  %is_line = icmp eq i32 %event, 2
  %more = zext i1 %is_line to i64
  %place = getelementptr i8, ptr %counter, i64 16
  %at = load ptr, ptr %place
  %count = load i64, ptr %at
  %sum = add i64 %count, %more
  store i64 %sum, ptr %at
  ret i32 0
}
"""
"""A ``Py_tracefunc``: one in Python takes most of the time. Its object is a ctypes integer, which
keeps the address of its value behind its head."""

_set_trace = ctypes.pythonapi.PyEval_SetTrace
_set_trace.restype = None
_set_trace.argtypes = (ctypes.c_void_p, ctypes.py_object)


def lines_run(work: Callable[[], object]) -> int:
    """The lines of Python that run, here and in all that is called, while ``work`` does."""
    tracer = compile_text("the tests' count of lines", TRACER, ["count_line"], {})["count_line"]
    count = ctypes.c_int64(0)
    before = sys.gettrace()
    _set_trace(tracer, count)
    try:
        work()
    finally:
        sys.settrace(before)
    return count.value
