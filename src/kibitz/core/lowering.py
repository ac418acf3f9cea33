"""What the primitives of ``core/memory.py`` are in compiled code.

Imported only when something has to be compiled: it imports Numba, which takes a while.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba import carray, types
from numba.core import cgutils, codegen, cpu
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typing.context import BaseContext
from numba.extending import intrinsic, lower_builtin, overload, type_callable
from numba.np import arrayobj

from kibitz.core import memory


@contextlib.contextmanager
def rule_mode() -> Iterator[None]:
    """Lets Numba translate rule functions in the way that suits them.

    Only their LLVM text is wanted, which is optimised as a whole when it has been linked: so
    Numba neither optimises each function by itself nor makes machine code of it, and compiling
    takes half the time. What it keeps of the functions meanwhile cannot be called from Python,
    and never is; other functions may still be compiled from it.

    Indices of a state's arrays are never negative, as their uncompiled form checks, and are not
    tested for it; those of constant arrays may be, as in Numpy.

    Integers are passed with 64 bits, however narrow the field they come from, so that a function
    is not translated once for each width.

    A Numba that is built otherwise inside is left to do all its work.
    """
    library = codegen.CPUCodeLibrary
    only_text: list[tuple[Any, str, Any]] = [
        (library, "_optimize_functions", lambda self, module: None),
        (library, "_optimize_final_module", lambda self: None),
        (codegen.JITCPUCodegen, "_add_module", lambda self, module: None),
        (codegen.JITCodeLibrary, "_finalize_specific", lambda self: None),
        (cpu.CPUContext, "get_executable", _no_entry_point),
    ]
    plain_indices = [(arrayobj, "basic_indexing", _index_plainly)]
    one_width = [(BaseContext, "resolve_function_type", _resolve_widely)]
    with global_compiler_lock, contextlib.ExitStack() as undo:
        if not hasattr(library, "_ensure_finalized"):
            only_text.clear()  # by which the last of these has a library linked
        for changes in (only_text, plain_indices, one_width):
            if all(hasattr(owner, name) for owner, name, _ in changes):
                for owner, name, change in changes:
                    undo.callback(setattr, owner, name, getattr(owner, name))
                    setattr(owner, name, change)
        yield


def _no_entry_point(context: Any, library: Any, description: Any, environment: Any) -> Any:
    """In place of a function's address, by which Numba tells them apart, a builtin like no other.

    The library is linked with everything that it calls, which is not done otherwise.
    """
    library._ensure_finalized()
    return [].append


_index: Any = getattr(arrayobj, "basic_indexing", None)


def _index_plainly(
    context: Any,
    builder: Any,
    array_type: Any,
    array: Any,
    index_types: Sequence[Any],
    indices: Sequence[Any],
    boundscheck: Any = None,
) -> Any:
    """Finds an element of an array that can be written to, where -1 is not the last one.

    Constant arrays are left as they are: uncompiled they are Numpy's, where -1 is the last.
    """
    kinds, values = list(index_types), list(indices)
    for i, kind in enumerate(kinds):
        if array_type.mutable and isinstance(kind, types.Integer) and kind.signed:
            kinds[i] = types.uintp
            values[i] = context.cast(builder, values[i], kind, types.intp)
    return _index(context, builder, array_type, array, tuple(kinds), values, boundscheck)


_resolve: Any = getattr(BaseContext, "resolve_function_type", None)


def _resolve_widely(context: Any, function: Any, arguments: Sequence[Any], named: Any) -> Any:
    """Finds the form of a function for some arguments, narrow integers among them widened."""
    if isinstance(function, types.Function):
        arguments = tuple(_widened(argument) for argument in arguments)
    return _resolve(context, function, arguments, named)


def _widened(kind: Any) -> Any:
    narrow = isinstance(kind, types.Integer) and not isinstance(kind, types.Literal)
    return types.int64 if narrow and kind.signed else kind


@intrinsic
def _record(typing_context: Any, address: Any, dtype: Any) -> Any:
    record = dtype.dtype

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(record))

    return record(types.int64, dtype), generate


@overload(memory.record_at)
def _record_at(address, dtype):  # type: ignore[no-untyped-def]
    def build(address, dtype):  # type: ignore[no-untyped-def]
        return _record(address, dtype)

    return build


@type_callable(memory.stack_record)
def _type_stack_record(context: Any) -> Any:
    return lambda dtype: dtype.dtype if isinstance(dtype, types.DType) else None


@lower_builtin(memory.stack_record, types.DType)
def _stack_record(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """No function of its own, whose stack would be gone when it returns."""
    with builder.goto_entry_block():
        place = builder.alloca(context.get_data_type(signature.return_type))
    place.align = 16
    return place


@intrinsic
def _pointer(typing_context: Any, address: Any, dtype: Any) -> Any:
    pointer = types.CPointer(dtype.dtype)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(pointer))

    return pointer(types.int64, dtype), generate


@overload(memory.array_at)
def _array_at(address, dtype, length):  # type: ignore[no-untyped-def]
    def build(address, dtype, length):  # type: ignore[no-untyped-def]
        return carray(_pointer(address, dtype), (length,))

    return build


@intrinsic
def _copy(typing_context: Any, target: Any, source: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        to, start = (builder.inttoptr(a, byte) for a in arguments[:2])
        cgutils.raw_memcpy(builder, to, start, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@overload(memory.copy_bytes)
def _copy_bytes(target, source, count):  # type: ignore[no-untyped-def]
    def build(target, source, count):  # type: ignore[no-untyped-def]
        _copy(target, source, count)

    return build


@intrinsic
def _clear(typing_context: Any, target: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        cgutils.memset(builder, start, arguments[1], 0)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@overload(memory.clear_bytes)
def _clear_bytes(target, count):  # type: ignore[no-untyped-def]
    def build(target, count):  # type: ignore[no-untyped-def]
        _clear(target, count)

    return build


def _make_call(result: Any, count: int) -> Any:
    """An intrinsic that calls a C function of `count` 64-bit integers at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        returned = context.get_value_type(result) if result is not types.void else ir.VoidType()
        function = ir.FunctionType(returned, [word] * count)
        pointer = builder.inttoptr(arguments[0], function.as_pointer())
        value = builder.call(pointer, arguments[1:])
        return context.get_dummy_value() if result is types.void else value

    return result(*[types.int64] * (count + 1)), generate


@intrinsic
def _call_void_2(typing_context: Any, f: Any, a: Any, b: Any) -> Any:
    return _make_call(types.void, 2)


@intrinsic
def _call_void_3(typing_context: Any, f: Any, a: Any, b: Any, c: Any) -> Any:
    return _make_call(types.void, 3)


@intrinsic
def _call_int_3(typing_context: Any, f: Any, a: Any, b: Any, c: Any) -> Any:
    return _make_call(types.int64, 3)


@intrinsic
def _call_int_5(typing_context: Any, f: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    return _make_call(types.int64, 5)


@intrinsic
def _call_float_3(typing_context: Any, f: Any, a: Any, b: Any, c: Any) -> Any:
    return _make_call(types.float64, 3)


@overload(memory.call_void_2)
def _void_2(function, a, b):  # type: ignore[no-untyped-def]
    return lambda function, a, b: _call_void_2(function, a, b)


@overload(memory.call_void_3)
def _void_3(function, a, b, c):  # type: ignore[no-untyped-def]
    return lambda function, a, b, c: _call_void_3(function, a, b, c)


@overload(memory.call_int_3)
def _int_3(function, a, b, c):  # type: ignore[no-untyped-def]
    return lambda function, a, b, c: _call_int_3(function, a, b, c)


@overload(memory.call_int_5)
def _int_5(function, a, b, c, d, e):  # type: ignore[no-untyped-def]
    return lambda function, a, b, c, d, e: _call_int_5(function, a, b, c, d, e)


@overload(memory.call_float_3)
def _float_3(function, a, b, c):  # type: ignore[no-untyped-def]
    return lambda function, a, b, c: _call_float_3(function, a, b, c)


@intrinsic
def _clock(typing_context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        module = builder.module
        function = cgutils.get_or_insert_function(
            module,
            ir.FunctionType(ir.IntType(32), [ir.IntType(32), word.as_pointer()]),
            "clock_gettime",
        )
        time = cgutils.alloca_once(builder, word, size=2)
        builder.call(function, [ir.IntType(32)(_CLOCK_MONOTONIC), time])
        seconds = builder.load(time)
        nanoseconds = builder.load(builder.gep(time, [ir.IntType(32)(1)]))
        return builder.add(builder.mul(seconds, word(1_000_000_000)), nanoseconds)

    return types.int64(), generate


@overload(memory.monotonic_ns)
def _monotonic_ns():  # type: ignore[no-untyped-def]
    return lambda: _clock()


def _clock_number() -> int:
    import time

    return getattr(time, "CLOCK_MONOTONIC", 1)


_CLOCK_MONOTONIC = _clock_number()
