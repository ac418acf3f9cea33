"""Compiles Python functions to native functions, called by address, with a disk cache.

``compile_native`` takes *rule functions* (plain Python in the subset that Numba compiles,
working on records and addresses) and returns the addresses of their machine code:

1. Numba translates the functions and all functions that they reach through their globals, without
   decorators.
2. They are linked into one module with C entry points, where all else is internal, and optimised
   as a whole. The result may call only a few functions of the C library, so a rule that
   allocates memory or raises an exception is refused by name.
3. The object file is cached under a hash of the functions' code, the constants they read, the
   versions of the tools and the processor. Loading it needs llvmlite only, not Numba.
"""

from __future__ import annotations

import contextlib
import ctypes
import dis
import functools
import gc
import hashlib
import importlib.metadata
import logging
import os
import platform
import re
import stat
import sys
import tempfile
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core import memory
from kibitz.core.calls import LLVM_TYPES, Caller, Form, caller_text, interpreter_symbols
from kibitz.core.errors import CompileError
from kibitz.core.files import is_trusted
from kibitz.core.trace import note
from kibitz.core.view import DECLARED_OPEN, HIDEABLE

logger = logging.getLogger("kibitz.compile")

_ALLOWED_SYMBOLS = frozenset(
    ("memcpy", "memset", "memmove", "memcmp", "bcmp", "clock_gettime", "log", "log2", "log10")
    + ("exp", "exp2", "pow", "sqrt", "sin", "cos", "tan", "atan", "atan2", "tanh", "floor")
    + ("ceil", "fmod", "round", "rint", "fmin", "fmax", "logf", "expf", "powf", "sqrtf")
)
_C_TYPES: dict[str, Any] = {"v": None, "i": ctypes.c_int64, "f": ctypes.c_double}
"""The types of what native code calls back; nothing there is a buffer."""
_COMPONENTS = str(Path(__file__).parent.parent / "components")
_PRIMITIVES = frozenset(
    [note, *(v for v in vars(memory).values() if isinstance(v, types.FunctionType))]
)


@dataclass(frozen=True)
class Export:
    """A function to be called by address.

    Attributes:
        function: a function in Python.
        signature: its C type: the result, then the arguments, each ``v`` (void), ``i``
            (64-bit integer), ``f`` (double), ``p`` (the address of a writable buffer, which Python
            callers pass), ``a`` (of an array, of a brief function) or, as a result, ``l`` (of an
            ``ACTION_LIST``, which callers get as a list; 0: ``None``). ``"iii"`` takes two
            integers and returns one.
        brief: whether a call takes microseconds at most, so that Python callers keep the GIL.
        failure: where to report a failure, such as an index outside a constant tuple: the number
            of an argument that is an address, an offset from it in bytes, and the 32-bit integer
            to write there.
    """

    function: Callable[..., Any]
    signature: str
    failure: tuple[int, int, int] | None = None
    brief: bool = False

    def bind(self, address: int, *bound: int) -> Callable[..., Any]:
        """A Python callable for the native function; it releases the GIL unless it is brief.

        Args:
            address: of the function.
            bound: its first arguments, if they are always the same.
        """
        return _caller(Form(self.signature, len(bound), self.brief)).callable_at(address, *bound)

    def callback(self, function: Callable[..., Any]) -> Any:
        """A native function that calls `function`, for rules and agents in Python."""
        return _prototype(self.signature)(function)


@functools.cache
def _prototype(signature: str) -> Any:
    return ctypes.CFUNCTYPE(*[_C_TYPES[letter] for letter in signature])


@functools.cache
def _caller(form: Form) -> Caller:
    """What makes Python callables of functions that are called in this form."""
    code = compile_text(
        form.caller, caller_text(form), [form.caller], interpreter_symbols(), False
    )
    return Caller(form, code[form.caller])


def compile_native(
    name: str, exports: Mapping[str, Export], long_loops: bool = True
) -> dict[str, int]:
    """Compiles functions, or finds them in the cache, and returns their addresses.

    Args:
        name: the name of the compiled code in messages.
        exports: the functions by name.
        long_loops: whether to unroll and vectorise loops; if not, the code is half as large and
            compiles in half the time.

    Raises:
        CompileError: a function is outside the subset that can be compiled.
    """
    with compile_lock:
        key = _fingerprint(exports, long_loops)
        if key not in _loaded:
            image = _cached(name, key, lambda: _build(name, exports, long_loops))
            _loaded[key] = _load(image, exports)
        return _loaded[key]


def compile_text(
    name: str,
    text: str,
    exports: Sequence[str],
    externals: Mapping[str, int],
    optimised: bool = True,
) -> dict[str, int]:
    """Compiles an LLVM module, or finds it in the cache, and returns its functions' addresses.

    Args:
        name: the name of the compiled code in messages.
        text: the module; it is trusted.
        exports: the names of the functions whose addresses are returned.
        externals: addresses of the functions that it calls by name.
        optimised: if not, it compiles in a tenth of the time, without a message or a cached
            file, and runs several times slower, which suits a few games.

    Raises:
        CompileError: it calls a function that is neither in `externals` nor allowed.
    """
    with compile_lock:
        digest = hashlib.sha256(_environment().encode() + bytes([optimised]) + text.encode())
        key = digest.hexdigest()[:24]
        if key not in _loaded:
            from llvmlite import binding

            def build() -> bytes:
                return _build_text(name, text, exports, externals, optimised)

            image = _cached(name, key, build) if optimised else build()
            for symbol, address in externals.items():
                binding.add_symbol(symbol, address)
            _loaded[key] = _load(image, exports)
        return _loaded[key]


def _cached(name: str, key: str, build: Callable[[], bytes]) -> bytes:
    """The machine code cached under a key, which one process builds if it is not there yet."""
    folder = cache_folder()
    safe = re.sub(r"[^A-Za-z0-9]+", "-", name)[:60]
    file = folder / f"{safe}-{key}.o"
    image = _fetch(file)
    if image is None:
        began, worked = time.perf_counter(), time.thread_time()
        for listener in compile_listeners:
            listener(name)
        with _build_lock(folder, key):
            image = _fetch(file)  # another process may have built it meanwhile
            if image is None:
                logger.info("compiling %s", name)
                with _no_collection():
                    image = build()
                _store(file, image)
        global _compile_seconds, _compile_work
        _compile_seconds += time.perf_counter() - began
        _compile_work += time.thread_time() - worked
    return image


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Switches the garbage collector off, since Numba makes hardly any garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def compile_seconds() -> float:
    """The seconds that this process spent compiling, or waiting for another one to compile.

    Estimates of the time for a run leave them out: no run needs them once the cache is filled.
    """
    return _compile_seconds


def compile_work() -> float:
    """The processor time that this process spent compiling, in seconds."""
    return _compile_work


@contextlib.contextmanager
def _build_lock(folder: Path, key: str) -> Iterator[None]:
    """Locks a key against other processes, on systems with file locks.

    All keys share one file, of which each locks a byte; the system unlocks it when the process
    ends.
    """
    try:
        import fcntl

        lock = (folder / ".lock").open("ab")
    except (ImportError, OSError):
        yield
        return
    with lock:
        fcntl.lockf(lock, fcntl.LOCK_EX, 1, int(key[:12], 16))
        yield


compile_listeners: list[Callable[[str], None]] = []
"""Functions that are called with the name of code before it is compiled, here or elsewhere."""

_compile_seconds = _compile_work = 0.0
_loaded: dict[str, dict[str, int]] = {}
_engines: list[Any] = []  # machine code lives as long as its engine
compile_lock = threading.RLock()
"""The lock that a thread holds while it compiles."""


def cache_folder() -> Path:
    """The folder of cached machine code: ``KIBITZ_CACHE``, or the user's cache folder.

    The machine code there is run, so a folder that other users can write to is not used, even if
    ``KIBITZ_CACHE`` names it; one in the temporary folder takes its place. A folder that this user
    cannot write to may be shared: it is only read.
    """
    chosen = os.environ.get("KIBITZ_CACHE")
    if chosen:
        folder = Path(chosen)
    else:
        import platformdirs

        folder = Path(platformdirs.user_cache_dir("kibitz"))
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        trusted = is_trusted(folder.stat())
    except OSError:
        return _temporary_folder()
    if trusted:
        return folder
    _warn_of(folder)
    return _temporary_folder()


@functools.cache
def _warn_of(folder: Path) -> None:
    """Logs, once, that a folder is not used."""
    logger.warning(
        "%s is no cache for machine code: others can write to it, or own it. "
        "'chmod go-w' makes a folder of yours one.",
        folder,
    )


def _temporary_folder() -> Path:
    """A folder in the shared temporary folder that only this user can write to.

    A folder of that name may be another user's, made to have their machine code run.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"kibitz-{user}"
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or not is_trusted(status):
            return _private_folder(tempfile.gettempdir())
    return folder


@functools.cache
def _private_folder(parent: str) -> Path:
    """A new folder for this process."""
    return Path(tempfile.mkdtemp(prefix="kibitz-", dir=parent))


def _fetch(file: Path) -> bytes | None:
    """The machine code in a file; ``None`` if the file is missing, damaged or untrusted."""
    try:
        with file.open("rb") as opened:
            trusted = is_trusted(os.fstat(opened.fileno()))
            content = opened.read() if trusted else b""
    except OSError:
        return None
    if not trusted:
        logger.warning("%s is not used, since others can write to it or own it", file)
        return None
    size = hashlib.sha256().digest_size
    image = content[size:]
    if hashlib.sha256(image).digest() == content[:size]:
        return image
    logger.warning("%s is damaged; it is compiled anew", file)
    return None


def _store(file: Path, image: bytes) -> None:
    """Writes a file of the cache atomically; a failure is only logged."""
    if file.parent.is_dir() and not os.access(file.parent, os.W_OK):
        logger.info("%s is read only: the compiled code is not kept", file.parent)
        return
    partial = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        with open(partial, "wb", opener=_open_for_us) as opened:
            opened.write(hashlib.sha256(image).digest() + image)
        os.replace(partial, file)
    except OSError as problem:
        logger.warning("the compiled code cannot be kept in %s: %s", file.parent, problem)
        with contextlib.suppress(OSError):
            partial.unlink()


def _open_for_us(path: str, flags: int) -> int:
    """Opens a new file that only this user may write, whatever the umask allows."""
    return os.open(path, flags, 0o644)


# --- what a function depends on -----------------------------------------------------------


def reachable(function: Callable[..., Any]) -> Iterator[types.FunctionType]:
    """The function and all Python functions that it can call, except the primitives."""
    waiting = [function]
    visited: set[Any] = set()
    while waiting:
        f = waiting.pop()
        if f in visited or not isinstance(f, types.FunctionType):
            continue
        visited.add(f)
        yield f
        for value in constants(f).values():
            if isinstance(value, types.FunctionType) and value not in _PRIMITIVES:
                waiting.append(value)  # noqa: PERF401 (reads better)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def constants(function: types.FunctionType) -> dict[str, Any]:
    """The values of the global and enclosing names in a function's code.

    They include names inside modules, such as ``deck.MAX_CARDS``.
    """
    read, attributes = _names(function.__code__)
    known = function.__globals__
    values: dict[str, Any] = {name: known[name] for name in read if name in known}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        values[name] = cell.cell_contents
    modules = [value for value in values.values() if isinstance(value, types.ModuleType)]
    while modules:
        module = modules.pop()
        for name in attributes & vars(module).keys():
            full_name = f"{module.__name__}.{name}"
            if full_name not in values:
                values[full_name] = vars(module)[name]
                if isinstance(values[full_name], types.ModuleType):
                    modules.append(values[full_name])
    return values


def names_in(function: types.FunctionType) -> frozenset[str]:
    """All names in a function's code, those of attributes included."""
    return _names(function.__code__)[1]


@functools.cache
def _names(code: types.CodeType) -> tuple[tuple[str, ...], frozenset[str]]:
    """The global names that a code object reads, and all names in it, attributes included."""
    read: dict[str, None] = {}
    names: set[str] = set()
    for inner in _codes(code):
        names.update(inner.co_names)
        for step in dis.get_instructions(inner):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                read[step.argval] = None
    return tuple(read), frozenset(names)


def _fingerprint(exports: Mapping[str, Export], long_loops: bool = True) -> str:
    digest = hashlib.sha256(_environment().encode() + bytes([long_loops]))
    functions: dict[types.FunctionType, None] = {}
    for name, export in exports.items():
        declared = f"{name} {export.signature} {export.failure} {export.function.__qualname__}\n"
        digest.update(declared.encode())
        functions.update(dict.fromkeys(reachable(export.function)))
    for function in functions:
        digest.update(f"{function.__module__}.{function.__qualname__}\n".encode())
        for code in _codes(function.__code__):
            plain = [c for c in code.co_consts if not _is_code_or_docstring(c, function)]
            digest.update(code.co_code)
            digest.update(repr((plain, code.co_names, code.co_varnames)).encode())
        digest.update(repr((function.__defaults__, function.__kwdefaults__)).encode())
        for name, value in sorted(constants(function).items()):
            digest.update(f"{name}={describe(value)}\n".encode())
    return digest.hexdigest()[:24]


def _is_code_or_docstring(constant: Any, function: types.FunctionType) -> bool:
    if isinstance(constant, str):
        return constant == function.__doc__
    return isinstance(constant, types.CodeType)


def describe(value: Any) -> str:
    """A text that identifies the value of a constant."""
    if isinstance(value, types.FunctionType | types.ModuleType):
        return value.__name__
    if isinstance(value, np.dtype):
        return f"{value.descr} {value.itemsize}" if value.names else value.str
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, tuple):
        return f"({', '.join(map(describe, value))})"
    if isinstance(value, type):
        members = getattr(value, "__members__", {})
        return f"{value.__qualname__} {[(name, m.value) for name, m in members.items()]}"
    return repr(value)


@functools.cache
def _environment() -> str:
    from llvmlite import binding

    folder = Path(__file__).parent
    own = [(folder / name).read_bytes() for name in ("lowering.py", "native.py")]
    versions = [importlib.metadata.version(n) for n in ("numba", "llvmlite", "numpy")]
    processor = [platform.machine(), binding.get_host_cpu_name(), _features()]
    texts = [sys.version, *processor, *versions]
    return "\n".join(texts) + hashlib.sha256(b"".join(own)).hexdigest()


# --- compiling and loading ----------------------------------------------------------------


@functools.cache
def _features() -> str:
    from llvmlite import binding

    return str(binding.get_host_cpu_features().flatten())


@functools.cache
def _target() -> Any:
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple()


def _machine(jit: bool, level: int = 3) -> Any:
    from llvmlite import binding

    return _target().create_target_machine(
        cpu=binding.get_host_cpu_name(), features=_features(), opt=level, reloc="pic", jit=jit
    )


_JIT_OPTIONS = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_registered: set[types.FunctionType] = set()


def _build(name: str, exports: Mapping[str, Export], long_loops: bool) -> bytes:
    """The object file with each export as a C function of its name."""
    from llvmlite import binding

    from kibitz.core.lowering import llvm_texts

    machine = _machine(jit=False)
    linked = binding.parse_assembly("")
    linked.triple = str(_target().triple)
    linked.data_layout = str(machine.target_data)
    shims: list[str] = []
    texts: dict[str, None] = {}  # of all functions, each once
    for export_name, export in exports.items():
        compiled = _compile(name, export_name, export)
        texts.update(dict.fromkeys(llvm_texts(compiled.library)))
        shims.append(_shim(export_name, export, compiled.fndesc.llvm_func_name))
    for text in texts:
        linked.link_in(binding.parse_assembly(text))
    linked.link_in(binding.parse_assembly("\n".join([*shims, _NO_DESTRUCTOR])))
    rounds = 2 if long_loops else 1  # the second finds what unrolled loops leave dead
    _optimise(linked, exports, machine, rounds, long_loops)
    _refuse_calls(name, linked)
    return bytes(machine.emit_object(linked))


def _build_text(
    name: str,
    text: str,
    exports: Sequence[str],
    externals: Mapping[str, int],
    optimised: bool,
) -> bytes:
    """The machine code of an LLVM module."""
    from llvmlite import binding

    machine = _machine(jit=False, level=3 if optimised else 0)
    module = binding.parse_assembly(text)
    module.triple = str(_target().triple)
    module.data_layout = str(machine.target_data)
    _optimise(module, exports, machine, int(optimised), False)
    _refuse_calls(name, module, externals)
    return bytes(machine.emit_object(module))


def _compile(name: str, export_name: str, export: Export) -> Any:
    """Compiles one function with Numba, in Numba's calling convention."""
    import numba
    from numba.core.errors import NumbaError, NumbaWarning, UnsupportedBytecodeError
    from numba.extending import register_jitable

    from kibitz.core.lowering import rule_mode  # which teaches Numba the primitives, too

    functions = dict.fromkeys(reachable(export.function))
    for function in functions:
        _refuse_raise(name, function)
        if function not in _registered and function is not export.function:
            register_jitable(function)
            _registered.add(function)
    jit: Any = numba.njit
    types = {"void": numba.void, "i64": numba.int64, "double": numba.float64}
    result, *taken = (types[LLVM_TYPES[letter]] for letter in export.signature)
    signature = result(*taken)
    try:
        with warnings.catch_warnings(), rule_mode(functions):
            warnings.simplefilter("ignore", NumbaWarning)
            dispatcher = jit(signature, **_JIT_OPTIONS)(export.function)
    # KeyError and NameError are about names that do not exist
    except (NumbaError, UnsupportedBytecodeError, KeyError, NameError) as problem:
        raise CompileError(_explain(name, export_name, problem)) from None
    return dispatcher.overloads[signature.args]


def _optimise(
    linked: Any,
    exports: Collection[str],
    machine: Any,
    rounds: int,
    long_loops: bool,
) -> None:
    """Optimises a module as a whole; only the exports stay visible outside.

    Without `long_loops`, loops are neither unrolled nor vectorised: then short loops run faster,
    and compile in half the time.
    """
    from llvmlite import binding

    for function in linked.functions:
        if not function.is_declaration and function.name not in exports:
            function.linkage = "internal"
    for variable in linked.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_unrolling = options.loop_vectorization = long_loops
    builder = binding.create_pass_builder(machine, options)
    for _ in range(rounds):
        builder.getModulePassManager().run(linked, builder)


def _refuse_calls(name: str, linked: Any, externals: Collection[str] = ()) -> None:
    """Raises CompileError if the module calls a function that is not allowed."""
    for function in linked.functions:
        called = function.is_declaration and not function.name.startswith("llvm.")
        if called and function.name not in _ALLOWED_SYMBOLS and function.name not in externals:
            raise CompileError(
                f"The rules of {name} may neither allocate memory nor raise exceptions, but "
                f"their compiled form calls {function.name}. Likely causes: a list, dictionary, "
                "string or array made in a rule function, or a raise statement (use fail)."
            )


def _refuse_raise(name: str, function: types.FunctionType) -> None:
    """Raises CompileError if a rule function raises an exception, which native code cannot do."""
    for code in _codes(function.__code__):
        for step in dis.get_instructions(code):
            if step.opname == "RAISE_VARARGS":
                line = step.positions.lineno if step.positions else code.co_firstlineno
                raise CompileError(
                    f"{name}: {code.co_filename}:{line}: the rule function {code.co_name} raises "
                    "an exception (or asserts), which native code cannot do; use fail(state)."
                )


_NUMBA_WORDINGS = (
    "No implementation",
    "Unknown attribute",
    "Cannot unify",
    "Untyped global",
    "NameError",
) + ("Use of unsupported", "Undefined variable", "non-precise", "Invalid use")


def _explain(name: str, export_name: str, problem: Exception) -> str:
    """The place and the cause from Numba's error message."""
    if isinstance(problem, KeyError):
        return f"{name}: {_line_of(problem)}{export_name} {_without_field(problem.args[0])}"
    text = _without_records(str(problem))
    lines = [line.strip() for line in text.splitlines()]
    places = [line for line in lines if line.startswith('File "') and ", line " in line]
    causes = [
        " ".join(lines[i : i + 2])
        for i, line in enumerate(lines)
        if any(wording in line for wording in _NUMBA_WORDINGS)
    ]
    # the innermost cause is the last of the causes, its place the first of the places
    cause = causes[-1] if causes else next((line for line in lines if line), "")
    place = f" {places[0].rstrip(':')}:" if places else ""
    return (
        f"{name}: its function {export_name} cannot be compiled.{place} {cause} "
        "(Rule functions may use numbers, records, loops and other rule functions only. "
        "Whether the rules work at all can be tried with KIBITZ_COMPILE=0.)"
    )


def _without_field(field: str) -> str:
    if field == "seen":
        return f"hides or shows what it cannot: {DECLARED_OPEN}. Cure: {HIDEABLE}."
    return f"reads a field {field!r} that no record has."


def _line_of(problem: Exception) -> str:
    """The innermost line of the author's rules that Numba was typing when it raised `problem`."""
    typed = (frame.f_locals.get("self") for frame, _ in traceback.walk_tb(problem.__traceback__))
    places = (getattr(constraint, "loc", None) for constraint in typed)
    lines = [
        f"{p.filename}:{p.line}" for p in places if p and not p.filename.startswith(_COMPONENTS)
    ]
    return f"{lines[-1]}: " if lines else ""


def _without_records(text: str) -> str:
    """The text with each ``Record(...)``, which lists all of its fields, shortened."""
    shortened: list[str] = []
    while (start := text.find("Record(")) >= 0:
        depth = 0
        end = start
        for end in range(start, len(text)):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if depth == 0 and text[end] == ")":
                break
        shortened.append(text[:start] + "record")
        text = text[end + 1 :]
    return "".join(shortened) + text


def _shim(name: str, export: Export, target: str) -> str:
    """The LLVM text of a C function that calls a function compiled by Numba.

    Numba's function returns a status, 0 or -2 for success. On any other, the C function writes
    the export's `failure` and returns -1 or 0.0: no action, or no legal actions.
    """
    result, arguments = export.signature[0], export.signature[1:]
    slot = "ptr" if result == "v" else LLVM_TYPES[result]
    kinds = [LLVM_TYPES[a] for a in arguments]
    declared = ", ".join(["ptr", "ptr", *kinds])
    named = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(kinds))
    passed = ", ".join(["ptr %slot", "ptr %error", *(f"{k} %a{i}" for i, k in enumerate(kinds))])
    ending = "ret void" if result == "v" else f"%r = load {slot}, ptr %slot\n  ret {slot} %r"
    argument, offset, value = export.failure or (0, 0, 0)
    report = (
        f"""
  %place = add i64 %a{argument}, {offset}
  %pointer = inttoptr i64 %place to ptr
  store i32 {value}, ptr %pointer"""
        if export.failure
        else ""
    )
    return f"""
declare i32 @"{target}"({declared})
define {LLVM_TYPES[result]} @"{name}"({named}) {{
  %slot = alloca {slot}
  %error = alloca ptr
  store {slot} {"null" if slot == "ptr" else "-1" if slot == "i64" else "0.0"}, ptr %slot
  %status = call i32 @"{target}"({passed})
  %odd = icmp ne i32 %status, 0
  %other = icmp ne i32 %status, -2
  %failed = and i1 %odd, %other
  br i1 %failed, label %failure, label %done
failure:{report}
  br label %done
done:
  {ending}
}}
"""


# Arrays here are views of memory without an owner: Numba's destructor has nothing to do, and an
# empty one lets the reference counting vanish. An allocation would still be detected.
_NO_DESTRUCTOR = """
define void @NRT_MemInfo_call_dtor(ptr %info) {
  ret void
}
"""


def _load(image: bytes, exports: Collection[str]) -> dict[str, int]:
    from llvmlite import binding

    machine = _machine(jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.ObjectFileRef.from_data(image))
    engine.finalize_object()
    _engines.append(engine)
    return {name: int(engine.get_function_address(name)) for name in exports}
