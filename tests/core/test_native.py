"""Compiling: the cache's keys, damage and absence, and the errors of refused functions."""

from __future__ import annotations

import asyncio
import enum
import itertools
import logging
import math
import os
import subprocess
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core import native
from kibitz.core.errors import CompileError, GameDefinitionError
from kibitz.core.game import usual_rules
from kibitz.core.memory import record_at
from kibitz.core.native import Export, cache_folder, compile_native, reachable
from kibitz.core.registry import load
from kibitz.core.view import view_at

# --- keys ---------------------------------------------------------------------------------

RULES = """
import math, tools
LIMIT = 3
RATE = 0.5
TABLE = (1, 2, 3)
ARRAY = make_array(4, 5)
UNUSED = 1
def helper(x):
    '''Adds one.'''
    return x + 1
def rule(x, y=2):
    return helper(x) + LIMIT + RATE + TABLE[0] + ARRAY[1] + Kind.B + tools.SIZE + math.pi + y
"""


class Kind(enum.IntEnum):
    A = 0
    B = 1


def array(*values: int, dtype: Any = np.int64) -> np.ndarray[Any, Any]:
    return np.array(values, dtype)


def key(source: str, signature: str = "ii", size: int = 6, **changed: Any) -> str:
    """The cache's key for the function ``rule`` of a module with that source."""
    module = types.ModuleType("rules_of_a_test")
    tools = types.ModuleType("tools")
    vars(tools).update(SIZE=size, inner=types.ModuleType("tools.inner"))
    vars(tools.inner)["DEPTH"] = changed.pop("depth", 1)
    vars(module).update({"make_array": array, "Kind": Kind} | changed)
    sys.modules["tools"] = tools
    try:
        exec(source, vars(module))
    finally:
        del sys.modules["tools"]
    return native._fingerprint({"rule": Export(module.rule, signature)})


def test_the_same_code_has_the_same_key() -> None:
    assert key(RULES) == key(RULES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("LIMIT = 3", "LIMIT = 3.0"),
        ("LIMIT = 3", "LIMIT = True"),
        ("RATE = 0.5", "RATE = 0.25"),
        ("(1, 2, 3)", "(1, 3, 2)"),
        ("make_array(4, 5)", "make_array(4, 6)"),
        ("make_array(4, 5)", "make_array(4, 5, dtype='int32')"),
        ("return x + 1", "return x + 2"),
        ("return x + 1", "return x - 1"),
        ("return x + 1", "return x + LIMIT"),
        ("y=2", "y=3"),
        ("+ y", "+ y * 1"),
        ("TABLE[0]", "TABLE[1]"),
        ("Kind.B", "Kind.A"),
        ("math.pi", "math.e"),
    ],
)
def test_a_change_that_matters_changes_the_key(old: str, new: str) -> None:
    assert old in RULES
    assert key(RULES.replace(old, new)) != key(RULES)


def test_the_signature_changes_the_key() -> None:
    assert key(RULES, "fi") != key(RULES, "ii")


def test_a_constant_of_another_module_changes_the_key() -> None:
    assert key(RULES, size=7) != key(RULES)


@pytest.mark.parametrize("members", [{"A": 0, "B": 2}, {"B": 0, "A": 1}, {"C": 0, "B": 1}])
def test_a_changed_enumeration_changes_the_key(members: dict[str, int]) -> None:
    # also when its members have only changed places: Kind.B is another number then
    assert key(RULES, Kind=enum.IntEnum("Kind", members)) != key(RULES)


def test_a_constant_of_a_module_in_a_module_changes_the_key() -> None:
    source = "import tools\ndef rule(x):\n    return x + tools.inner.DEPTH\n"
    assert key(source) == key(source)
    assert key(source, depth=2) != key(source)


def test_the_layout_of_a_record_changes_the_key() -> None:
    def rule_over(capacity: int) -> dict[str, Export]:
        record = np.dtype([("count", np.int16), ("cards", np.int16, (capacity,))])

        def rule(address: int) -> int:
            return int(record_at(address, record).count)

        return {"rule": Export(rule, "ii")}

    assert native._fingerprint(rule_over(3)) == native._fingerprint(rule_over(3))
    assert native._fingerprint(rule_over(3)) != native._fingerprint(rule_over(4))


def test_the_name_of_a_field_changes_the_key() -> None:
    source = "def rule(x):\n    return x['a']\n"
    assert key(source.replace("'a'", "'b'")) != key(source)


def test_a_number_deep_in_a_table_of_tables_changes_the_key() -> None:
    def rule_over(number: int) -> dict[str, Export]:
        tables = (np.arange(5000), np.full(5000, 7))
        tables[0][2500] = number

        def rule(x: int) -> int:
            return int(tables[0][x])

        return {"rule": Export(rule, "ii")}

    assert native._fingerprint(rule_over(3)) == native._fingerprint(rule_over(3))
    assert native._fingerprint(rule_over(3)) != native._fingerprint(rule_over(4))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("UNUSED = 1", "UNUSED = 2"),
        ("    return helper", "    # a comment\n\n    return helper"),
        ("Adds one.", "Adds 1."),
        ("def helper", "def another(x):\n    return 5\ndef helper"),
    ],
)
def test_a_change_that_does_not_matter_leaves_the_key(old: str, new: str) -> None:
    assert old in RULES
    assert key(RULES.replace(old, new)) == key(RULES)


def test_an_attribute_that_is_called_like_a_function_is_not_that_function() -> None:
    source = "def rule(record):\n    return record.helper\ndef helper():\n    return 1\n"
    assert key(source) == key(source.replace("return 1", "return 2"))


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_key_is_the_same_in_another_process() -> None:
    code = (
        "from kibitz.core import native\n"
        "from kibitz.core.game import usual_rules\n"
        "from kibitz.core.registry import load\n"
        "print(native._fingerprint(usual_rules(load('love-letter')).exports), end='')"
    )
    key = native._fingerprint(usual_rules(load("love-letter")).exports)
    assert [run(code, PYTHONHASHSEED=seed) for seed in ("1", "2")] == [key, key]


def test_what_a_function_can_reach_is_found_once_and_without_primitives() -> None:
    functions = list(reachable(usual_rules(load("love-letter")).exports["apply_action"].function))
    names = [function.__name__ for function in functions]
    assert {"apply_action", "play_on", "trade_decks", "shuffle_deck", "shuffle_pile"} <= set(names)
    assert len(functions) == len(set(functions))
    assert not set(functions) & native._PRIMITIVES


# --- the cache on disk --------------------------------------------------------------------

_numbers = itertools.count(1000)


def fresh_rule() -> dict[str, Export]:
    """A rule that nobody compiled before; it adds its own number."""
    number = next(_numbers)

    def rule(x: int) -> int:
        return x + number

    return {"rule": Export(rule, "ii")}


def result_of(exports: dict[str, Export]) -> int:
    """Compiles (or finds) the rule, and takes from its result at 0 what it should be."""
    address = compile_native("a test", exports)["rule"]
    return int(exports["rule"].bind(address)(0)) - exports["rule"].function(0)


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """An empty cache; the list tells what was compiled."""
    monkeypatch.setenv("KIBITZ_CACHE", str(tmp_path / "cache"))
    names: list[str] = []
    native.compile_listeners.append(names.append)
    yield names
    native.compile_listeners.remove(names.append)


def forget() -> None:
    """Forgets loaded code, as if a new process began."""
    native._loaded.clear()


@pytest.fixture(autouse=True)
def _own_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_loaded", {})


def test_a_rule_is_compiled_once_and_then_found(compiled: list[str]) -> None:
    exports = fresh_rule()
    before = native.compile_seconds()
    assert result_of(exports) == 0
    assert compiled == ["a test"]
    spent = native.compile_seconds()
    assert spent > before
    assert result_of(exports) == 0
    forget()
    assert result_of(exports) == 0
    assert compiled == ["a test"]
    assert len(list(cache_folder().glob("*.o"))) == 1
    assert native.compile_seconds() == spent


COMPILING = """
import logging, time
from kibitz.core import native

class Told(logging.Handler):
    def emit(self, record):
        print("compiling", flush=True)
        time.sleep(1)  # so that the others surely come meanwhile

def rule(x):
    return x + 5

native.logger.addHandler(Told())
native.logger.setLevel("INFO")
exports = {"rule": native.Export(rule, "ii")}
address = native.compile_native("a test", exports)["rule"]
print(exports["rule"].bind(address)(2))
"""


def test_processes_that_need_the_same_code_compile_it_once(compiled: list[str]) -> None:
    """The others wait for the first, and find what it made."""
    command = [sys.executable, "-c", COMPILING]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate()[0].split() for process in running]
    assert sorted(outputs) == [["7"], ["7"], ["compiling", "7"]]


def test_numba_serves_others_as_before(compiled: list[str]) -> None:
    """Rules leave out what Numba does with a function by itself, but only theirs."""

    def rule(x: int) -> int:
        return max(abs(x - 9), min(x, 3)) + len(np.arange(3)[:2]) - 2

    number = next(_numbers)
    exports = {"rule": Export(lambda x: max(abs(x - number), min(x, 3)), "ii")}
    address = compile_native("a test", exports)["rule"]
    assert exports["rule"].bind(address)(5) == number - 5
    assert numba.njit(rule)(5) == rule(5) == 4
    assert numba.njit("int64(int64)")(lambda x: max(abs(x - 9), min(x, 3)))(5) == 4


def test_a_changed_rule_is_compiled_anew(compiled: list[str]) -> None:
    first, second = fresh_rule(), fresh_rule()
    assert result_of(first) == result_of(second) == result_of(first) == 0
    assert len(compiled) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:20],
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content + b"\0",
        lambda content: bytes(len(content)),
        lambda content: b"\x7fELF" * 500,
        lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
    ],
    ids=["empty", "beginning", "all but a byte", "half", "longer", "zeros", "nonsense", "a bit"],
)
def test_damaged_machine_code_is_never_run(
    compiled: list[str], damage: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    exports = fresh_rule()
    assert result_of(exports) == 0
    [file] = cache_folder().glob("*.o")
    content = file.read_bytes()
    file.write_bytes(damage(content))
    forget()
    with caplog.at_level(logging.WARNING, "kibitz.compile"):
        assert result_of(exports) == 0
    assert str(file) in caplog.text
    assert len(compiled) == 2
    forget()
    assert result_of(exports) == 0
    assert len(compiled) == 2  # the file is whole again


def test_a_cache_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(native, "cache_folder", lambda: tmp_path / "absent")
    with caplog.at_level(logging.WARNING, "kibitz.compile"):
        assert result_of(fresh_rule()) == 0
    assert "cannot be kept" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_breaks_off_leaves_nothing(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert result_of(fresh_rule()) == 0
    assert list(cache_folder().glob("*.o")) == []
    assert len(compiled) == 1


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files, and a cache that cannot be made."""
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv("KIBITZ_CACHE", str(blocked))
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_cache_folder_that_cannot_be_made_is_replaced_by_a_temporary_one(
    temporary: Path,
) -> None:
    exports = fresh_rule()
    assert result_of(exports) == 0
    folder = cache_folder()
    assert folder == cache_folder()
    assert folder.parent == temporary
    assert len(list(folder.glob("*.o"))) == 1
    assert folder.stat().st_mode & 0o077 == 0


def test_a_temporary_folder_that_someone_else_could_have_filled_is_not_used(
    temporary: Path, tmp_path: Path
) -> None:
    usual = cache_folder()
    usual.chmod(0o777)
    assert cache_folder() != usual
    usual.rmdir()
    (tmp_path / "trap").mkdir()
    usual.symlink_to(tmp_path / "trap")
    assert cache_folder().resolve() != tmp_path / "trap"
    usual.unlink()
    usual.write_text("")
    assert cache_folder() != usual
    assert cache_folder().parent == temporary


needs_modes = pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no such modes")


@needs_modes
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_chosen_folder_that_others_can_write_to_is_not_used(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    chosen = tmp_path / "chosen"
    chosen.mkdir()
    monkeypatch.setenv("KIBITZ_CACHE", str(chosen))
    chosen.chmod(mode)
    assert result_of(fresh_rule()) == 0
    assert not list(chosen.iterdir())
    assert cache_folder().parent == temporary
    chosen.chmod(0o755)
    assert cache_folder() == chosen


@needs_modes
def test_the_default_folder_is_checked_as_well(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KIBITZ_CACHE")
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / "user" / name))
    usual = cache_folder()
    assert usual == tmp_path / "user" / "kibitz"
    usual.chmod(0o777)
    assert cache_folder().parent == temporary


@needs_modes
def test_a_folder_of_somebody_else_is_not_used(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = tmp_path / "chosen"
    chosen.mkdir(mode=0o755)
    monkeypatch.setenv("KIBITZ_CACHE", str(chosen))
    monkeypatch.setattr(os, "getuid", lambda: chosen.stat().st_uid + 1)
    used = cache_folder()
    assert (used == chosen) == (chosen.stat().st_uid == 0)  # what root owns is trusted


@needs_modes
def test_a_file_that_others_can_write_is_compiled_anew(
    compiled: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    exports = fresh_rule()
    assert result_of(exports) == 0
    [file] = cache_folder().glob("*.o")
    file.chmod(0o666)
    forget()
    assert result_of(exports) == 0
    assert len(compiled) == 2
    assert "others can write" in caplog.text
    assert file.stat().st_mode & 0o022 == 0


@needs_modes
def test_a_generous_umask_leaves_no_file_that_others_can_write(compiled: list[str]) -> None:
    umask = os.umask(0o000)
    try:
        assert result_of(fresh_rule()) == 0
    finally:
        os.umask(umask)
    [file] = cache_folder().glob("*.o")
    assert file.stat().st_mode & 0o777 == 0o644


@needs_modes
def test_a_shared_folder_is_read_only(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    exports = fresh_rule()
    assert result_of(exports) == 0
    forget()
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    assert result_of(exports) == 0
    assert len(compiled) == 1
    assert result_of(fresh_rule()) == 0  # what is not there is compiled, and not kept
    assert len(list(cache_folder().glob("*.o"))) == 1
    assert not caplog.records


def test_systems_without_file_modes_have_a_cache(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "getuid", raising=False)
    assert result_of(fresh_rule()) == result_of(fresh_rule()) == 0
    assert len(list(cache_folder().glob("*.o"))) == 2


def test_a_game_from_the_cache_is_played_without_numba() -> None:
    load("tic-tac-toe", compiled=True).new_state()  # now it is in the cache
    code = (
        "import sys\n"
        "from kibitz.core.registry import load\n"
        "state = load('tic-tac-toe', compiled=True).new_state()\n"
        "state.apply('mark 1 1')\n"
        "print('numba' in sys.modules, end='')"
    )
    assert run(code) == "False"


# --- what cannot be compiled --------------------------------------------------------------

LETTERS = "abc"


def raises(x: int) -> int:
    if x > 2:
        raise ValueError("too much")
    return x


def asserts(x: int) -> int:
    assert x > 2
    return x


def calls_what_raises(x: int) -> int:
    return raises(x) + 1


def makes_a_list(x: int) -> int:
    numbers = [x]
    numbers.append(x)
    return len(numbers)


def makes_an_array(x: int) -> int:
    return int(np.zeros(x)[0])


def makes_a_dictionary(x: int) -> int:
    return {1: x}[1]


def makes_a_string(x: int) -> int:
    return len(f"{x}")


def adds_a_word(x: int) -> int:
    return x + LETTERS  # type: ignore[operator]


def returns_nothing(x: int) -> int:
    pass  # type: ignore[empty-body]


def returns_now_this_now_that(x: int) -> Any:
    return (x, x) if x > 3 else x


def calls_an_unknown_function(x: int) -> int:
    return no_such_function(x)  # type: ignore[name-defined,no-any-return]  # noqa: F821


def reads_an_unknown_field(x: int) -> int:
    return int(record_at(x, COUNTER).vaule)


def opens_a_file(x: int) -> int:
    with open("secret"):
        return x


def imports(x: int) -> int:
    import math

    return math.floor(x)


def changes_a_global(x: int) -> int:
    global LETTERS
    LETTERS = x  # type: ignore[assignment]
    return x


def tries(x: int) -> int:
    try:
        return x // 0
    except ZeroDivisionError:
        return 0


def generates(x: int) -> Any:
    yield x


COUNTER = np.dtype([("value", np.int16)])


@pytest.mark.parametrize(
    "function",
    [
        raises,
        asserts,
        calls_what_raises,
        makes_a_list,
        makes_an_array,
        makes_a_dictionary,
        makes_a_string,
        adds_a_word,
        returns_nothing,
        returns_now_this_now_that,
        calls_an_unknown_function,
        reads_an_unknown_field,
        opens_a_file,
        imports,
        changes_a_global,
        tries,
        generates,
    ],
    ids=lambda function: function.__name__,
)
def test_what_native_code_cannot_do_is_refused(
    compiled: list[str], function: Callable[[int], Any]
) -> None:
    with pytest.raises(CompileError) as caught:
        compile_native("Some Game", {"legal_actions": Export(function, "ii")})
    assert isinstance(caught.value, GameDefinitionError)
    message = str(caught.value)
    assert "Some Game" in message
    assert len(message) < 1500
    assert compiled == ["Some Game"]
    assert list(cache_folder().glob("*.o")) == []


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (raises, "rule function raises raises an exception"),
        (calls_what_raises, "rule function raises raises an exception"),
        (asserts, "rule function asserts"),
        (makes_a_list, "allocate memory"),
        (adds_a_word, "function legal_actions cannot be compiled"),
        (calls_an_unknown_function, "no_such_function"),
        (reads_an_unknown_field, "vaule"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_refusal_says_what_is_wrong(function: Callable[[int], Any], words: str) -> None:
    with pytest.raises(CompileError, match=words):
        compile_native("Some Game", {"legal_actions": Export(function, "ii")})


def test_a_refusal_names_the_line() -> None:
    line = raises.__code__.co_firstlineno + 2
    with pytest.raises(CompileError, match=rf"test_native\.py:{line}: "):
        compile_native("Some Game", {"legal_actions": Export(calls_what_raises, "ii")})


def test_a_coroutine_is_refused() -> None:
    async def waits(x: int) -> int:
        await asyncio.sleep(0)
        return x

    with pytest.raises(CompileError):
        compile_native("Some Game", {"legal_actions": Export(waits, "ii")})


# --- compiled code does what uncompiled code does -----------------------------------------

NUMBERS = np.dtype(
    [
        ("small", np.int16),
        ("large", np.int64),
        ("part", np.float64),
        ("row", np.int32, (3,)),
        ("grid", np.int16, (2, 3)),
        ("inner", np.dtype([("value", np.int16)]), (2,)),
    ],
    align=True,
)
STEPS = (1, -1, 3)
WEIGHTS = np.array([0.5, 2.0, -1.0])


def arithmetic(address: int, a: int, b: int) -> float:
    """Something of everything that rules do with numbers."""
    record = record_at(address, NUMBERS)
    record.small = a % 1000
    record.large = a * b - (a << 3) + (b >> 2) + (a & b) + (a | b) + (a ^ b) + ~a
    record.part = a / 4 + WEIGHTS[abs(b) % 3] * min(a, b, 7) + max(a, b) ** 2
    for i in range(3):
        record.row[i] = a // STEPS[i] - i
        record.grid[1, i] = record.row[i] % 17
        record.grid[0][i] += record.grid[1, i]
    if b != 0:
        record.row[0] = a // b
        record.row[1] = a % b
    for i in range(2, 0, -1):
        record.inner[i - 1].value = int(a > b) + 2 * int(a == b) - i
    value = math.floor(a / 3) + math.sqrt(abs(a)) + math.log(1 + abs(b)) + 0.5 * (a > 7)
    return value if a < b or not b % 2 else -value


@pytest.fixture(scope="module")
def compiled_arithmetic() -> Callable[[int, int, int], float]:
    export = Export(arithmetic, "fiii")
    return export.bind(compile_native("test arithmetic", {"arithmetic": export})["arithmetic"])


@given(st.integers(-(10**6), 10**6), st.integers(-(10**3), 10**3))
def test_numbers_and_records_are_the_same_compiled_and_uncompiled(
    compiled_arithmetic: Callable[[int, int, int], float], a: int, b: int
) -> None:
    plain, fast = np.zeros(1, NUMBERS), np.zeros(1, NUMBERS)
    value = arithmetic(int(plain.ctypes.data), a, b)
    assert compiled_arithmetic(int(fast.ctypes.data), a, b) == value
    assert repr(view_at(int(fast.ctypes.data), NUMBERS)) == repr(
        view_at(int(plain.ctypes.data), NUMBERS)
    )
