"""Lowers the primitives of ``core/memory.py``, and ``note``, to LLVM instructions.

The module is imported only for compilation, since importing Numba takes a while.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from types import CodeType
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils, codegen, cpu, lowering
from numba.core.compiler import DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typing.context import BaseContext
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template
from numba.np import arrayobj

from kibitz.core import memory, trace


@contextlib.contextmanager
def rule_mode(functions: Collection[Any]) -> Iterator[None]:
    """Numba's compiler, adapted to rule functions while the context lasts.

    Numba only generates LLVM texts, which ``llvm_texts`` collects, to be linked and optimised
    together: it neither links nor optimises single functions, nor makes machine code of them. So
    its dispatchers cannot be called from Python, but compiled functions can call them.

    The `functions` pass through fewer stages than Numba's own: they contain no functions, raise
    nothing, and do not calculate with whole arrays. Arrays are views of memory without an owner,
    so references to them are not counted.

    Indices of a state's arrays are not tested for negative values, which the uncompiled form
    refuses; those of constant arrays may be negative, as in NumPy.

    Integers are passed with 64 bits, however narrow the field they come from, so that a function
    is not translated once for each width.

    An adaptation is left out if this version of Numba lacks the attribute that it replaces.
    """
    only_text: list[tuple[Any, str, Any]] = [
        (codegen.JITCPUCodegen, "_library_class", RuleLibrary),
        (cpu.CPUContext, "get_executable", _no_entry_point),
        (cpu.CPUContext, "create_cfunc_wrapper", _nothing),
    ]
    fewer_stages = [(DefaultPassBuilder, "define_nopython_pipeline", _staged_for(functions))]
    no_counting = [(lowering.Lower, "incref", _nothing), (lowering.Lower, "decref", _nothing)]
    plain_indices = [(arrayobj, "basic_indexing", _index_plainly)]
    one_width = [(BaseContext, "resolve_function_type", _resolve_widely)]
    one_text = [(types.Record, "__repr__", _text_of_record)]
    with global_compiler_lock, contextlib.ExitStack() as undo:
        for changes in (only_text, fewer_stages, no_counting, plain_indices, one_width, one_text):
            if all(hasattr(owner, name) for owner, name, _ in changes):
                for owner, name, change in changes:
                    undo.callback(setattr, owner, name, inspect.getattr_static(owner, name))
                    setattr(owner, name, change)
        yield


class RuleLibrary(codegen.JITCodeLibrary):
    """The LLVM text of a function, and the libraries of the functions that it calls.

    They are linked only if Numba asks for their module.
    """

    def __init__(self, owner: Any, name: str) -> None:
        codegen.CodeLibrary.__init__(self, owner, name)
        self._linking_libraries: list[Any] = []
        self._shared_module = None
        self._texts: list[str] = []

    def add_ir_module(self, ir_module: Any) -> None:
        """Adds the text of a part of the function."""
        self._texts.append(cgutils.normalize_ir_text(str(ir_module)))

    def finalize(self) -> None:
        """Closes the library."""
        self._finalized = True

    @functools.cached_property
    def _final_module(self) -> Any:
        module = binding.parse_assembly("")
        for text in llvm_texts(self):
            module.link_in(binding.parse_assembly(text))
        return module


def llvm_texts(library: Any) -> Iterator[str]:
    """The LLVM texts of a compiled function and of all that it calls, each once."""
    waiting = [library]
    visited = set()
    while waiting:
        library = waiting.pop()
        if library in visited:
            continue
        visited.add(library)
        if isinstance(library, RuleLibrary):
            yield from library._texts
            waiting.extend(library._linking_libraries)
        else:  # it was compiled in the usual way, with the functions that it calls
            yield library.get_llvm_str()


def _no_entry_point(context: Any, library: Any, description: Any, environment: Any) -> Any:
    """A distinct builtin in place of an entry point, by which Numba distinguishes functions."""
    library._ensure_finalized()
    return [].append


_NEEDLESS = frozenset(
    ("WithLifting", "InlineClosureLikes", "RewriteDynamicRaises", "MakeFunctionToJitFunction")
    + ("InlineInlinables", "FindLiterallyCalls", "LiteralUnroll")
    + ("LiteralPropagationSubPipelinePass", "InlineOverloads", "NopythonRewrites")
)
"""Stages of Numba's compiler that do nothing in a plain rule function."""


def _staged_for(functions: Collection[Any]) -> Any:
    """Numba's list of stages, without the needless ones for functions that contain no others."""
    define = DefaultPassBuilder.define_nopython_pipeline

    def chosen(state: Any, name: str = "nopython") -> Any:
        manager = define(state, name)
        code = state.func_id.func.__code__
        plain = not any(isinstance(c, CodeType) for c in code.co_consts)
        if plain and state.func_id.func in functions:
            manager.passes = [p for p in manager.passes if p[0].__name__ not in _NEEDLESS]
        return manager

    return staticmethod(chosen)


def _nothing(*_: Any) -> None:
    """Does nothing, in place of the wrapper for C and the counting of references to arrays."""


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
    """Indexes an array; in a writable array negative indices do not count from the end.

    Constant arrays are indexed as in NumPy, where -1 is the last element.
    """
    kinds, values = list(index_types), list(indices)
    for i, kind in enumerate(kinds):
        if array_type.mutable and isinstance(kind, types.Integer) and kind.signed:
            kinds[i] = types.uintp
            values[i] = context.cast(builder, values[i], kind, types.intp)
    return _index(context, builder, array_type, array, tuple(kinds), values, boundscheck)


_resolve: Any = getattr(BaseContext, "resolve_function_type", None)


_resolved: dict[Any, Any] = {}


def _resolve_widely(context: Any, function: Any, arguments: Sequence[Any], named: Any) -> Any:
    """Resolves an overloaded function, with narrow integer arguments widened to 64 bits.

    The results are cached: Numba asks repeatedly, and tries all overloads of an operator.
    """
    if not isinstance(function, types.Function):
        return _resolve(context, function, arguments, named)
    arguments = tuple(_widened(argument) for argument in arguments)
    key = (context, function, arguments, tuple(named.items()))
    signature = _resolved.get(key)
    if signature is None:
        signature = _resolve(context, function, arguments, named)
        if signature is not None:
            _resolved[key] = signature
    return signature


def _widened(kind: Any) -> Any:
    narrow = isinstance(kind, types.Integer) and not isinstance(kind, types.Literal)
    return types.int64 if narrow and kind.signed else kind


_write_record: Any = types.Record.__repr__


def _text_of_record(record: Any) -> str:
    """The text of a record's type, which Numba needs at every stage of every function.

    It is cached in the type, since the record of a state has hundreds of fields.
    """
    try:
        text: str = record.kept_text
    except AttributeError:
        text = record.kept_text = _write_record(record)
    return text


def _primitive(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], None]:
    """Declares the signature of a primitive and the instructions that replace its calls.

    It is an ``intrinsic`` of Numba under the name that rules call, without a wrapper.
    """

    def declare(definition: Callable[..., Any]) -> None:
        template = make_intrinsic_template(function, definition, function.__name__)
        infer(template)
        infer_global(function, types.Function(template))

    return declare


@_primitive(memory.record_at)
def _record_at(typing_context: Any, address: Any, dtype: Any) -> Any:
    record = dtype.dtype

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(record))

    return record(types.int64, dtype), generate


@_primitive(memory.stack_record)
def _stack_record(typing_context: Any, dtype: Any) -> Any:
    """Allocates on the caller's stack, as the primitive is inlined."""
    record = dtype.dtype

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        with builder.goto_entry_block():
            place = builder.alloca(context.get_data_type(record))
        place.align = 16
        return place

    return record(dtype), generate


@_primitive(memory.array_at)
def _array_at(typing_context: Any, address: Any, dtype: Any, length: Any) -> Any:
    array_type = types.Array(dtype.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(array_type)(context, builder)
        item_size = context.get_constant(
            types.intp, context.get_abi_sizeof(context.get_data_type(dtype.dtype))
        )
        arrayobj.populate_array(
            array,
            data=builder.inttoptr(arguments[0], array.data.type),
            shape=[arguments[2]],
            strides=[item_size],
            itemsize=item_size,
            meminfo=None,
        )
        return array._getvalue()

    return array_type(types.int64, dtype, types.int64), generate


@_primitive(trace.note)
def _note(typing_context: Any, operation: Any, deck: Any, value: Any, knew: Any, know: Any) -> Any:
    """Nothing: machine code makes no traces."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_dummy_value()

    return types.void(operation, deck, value, knew, know), generate


@_primitive(memory.copy_bytes)
def _copy_bytes(typing_context: Any, target: Any, source: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        to, start = (builder.inttoptr(a, byte) for a in arguments[:2])
        cgutils.raw_memcpy(builder, to, start, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@_primitive(memory.clear_bytes)
def _clear_bytes(typing_context: Any, target: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        cgutils.memset(builder, start, arguments[1], 0)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


def _make_call(result: Any, count: int) -> Any:
    """The signature and instructions of a call of a C function of `count` 64-bit integers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        returned = context.get_value_type(result) if result is not types.void else ir.VoidType()
        function = ir.FunctionType(returned, [word] * count)
        pointer = builder.inttoptr(arguments[0], function.as_pointer())
        value = builder.call(pointer, arguments[1:])
        return context.get_dummy_value() if result is types.void else value

    return result(*[types.int64] * (count + 1)), generate


@_primitive(memory.call_void_2)
def _call_void_2(typing_context: Any, function: Any, a: Any, b: Any) -> Any:
    return _make_call(types.void, 2)


@_primitive(memory.call_void_3)
def _call_void_3(typing_context: Any, function: Any, a: Any, b: Any, c: Any) -> Any:
    return _make_call(types.void, 3)


@_primitive(memory.call_int_3)
def _call_int_3(typing_context: Any, function: Any, a: Any, b: Any, c: Any) -> Any:
    return _make_call(types.int64, 3)


@_primitive(memory.call_int_5)
def _call_int_5(typing_context: Any, function: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
    return _make_call(types.int64, 5)


@_primitive(memory.call_float_3)
def _call_float_3(typing_context: Any, function: Any, a: Any, b: Any, c: Any) -> Any:
    return _make_call(types.float64, 3)


def _make_atomic(operation: str) -> Any:
    """The signature and the instruction of an atomic change of a 64-bit number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw(operation, place, arguments[1], "seq_cst")

    return types.int64(types.int64, types.int64), generate


@_primitive(memory.atomic_add)
def _atomic_add(typing_context: Any, address: Any, amount: Any) -> Any:
    return _make_atomic("add")


@_primitive(memory.atomic_swap)
def _atomic_swap(typing_context: Any, address: Any, value: Any) -> Any:
    return _make_atomic("xchg")


@_primitive(memory.atomic_min)
def _atomic_min(typing_context: Any, address: Any, value: Any) -> Any:
    return _make_atomic("min")


@_primitive(memory.monotonic_ns)
def _monotonic_ns(typing_context: Any) -> Any:
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


def _clock_number() -> int:
    import time

    return getattr(time, "CLOCK_MONOTONIC", 1)


_CLOCK_MONOTONIC = _clock_number()
