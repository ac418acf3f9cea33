"""Configuration of all tests: hypothesis, the cache of machine code, slow tests."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from kibitz.core import plugins, registry

settings.register_profile("same", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("other", deadline=None)
settings.load_profile("same")
"""Examples are the same in each run, so what they compile is in the cache.

``--hypothesis-profile=other`` draws others.
"""

SLOW = Path(__file__).parent / "slow.txt"
"""The test functions that ``scripts/test --fast`` leaves out."""

SLOW_SECONDS = 0.1
"""A test that takes longer than this, with machine code in the cache, is slow."""

SLOW_TOGETHER = 0.5
"""A function is slow, too, if its tests take longer than this together, in seconds."""

HEARD = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
"""The handlers of signals as Python installs them where the signals are not ignored."""

_seconds: Counter[str] = Counter()
"""How long each test took, its fixtures included."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--note-slow", action="store_true", help="Write anew which tests are slow: tests/slow.txt."
    )
    parser.addoption(
        "--whole", action="store_true", help="Play games in the browser from their first move on."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Keeps the machine code of test games out of the user's own cache, and hears signals.

    What a shell starts in the background, or ``nohup`` does, ignores signals, and so do the
    processes that it starts: tests that interrupt them would wait without end.
    """
    for number, handler in HEARD.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    os.environ.setdefault("KIBITZ_CACHE", str(config.rootpath / ".pytest_cache" / "kibitz"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores, as slow tests wait for browsers and other processes."""
    waits = config.option.markexpr != "not slow"
    return (os.cpu_count() or 1) + waits


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Of several workers each begins with other modules, where all tests are collected.

    All need all modules. In the same order all of them would rewrite the same assertions at the
    same time, and wait for the same machine code; so each finds most of it done by another.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker and session.config.args == session.config.getini("testpaths"):
        tests = Path(__file__).parent
        modules = sorted(tests.rglob("test_*.py"))
        first, step = int(worker.removeprefix("gw")), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        for module in modules[first::step]:
            name = ".".join(module.relative_to(tests.parent).with_suffix("").parts)
            # collecting the module shows what is wrong with it
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(name)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = set(SLOW.read_text("utf-8").splitlines())
    for item in items:
        if _function(item.nodeid) in slow:
            item.add_marker("slow")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("note_slow") and not hasattr(session.config, "workerinput"):
        together: Counter[str] = Counter()
        for test, time in _seconds.items():
            together[_function(test)] += time
        slow = {_function(test) for test, time in _seconds.items() if time > SLOW_SECONDS}
        slow |= {function for function, time in together.items() if time > SLOW_TOGETHER}
        SLOW.write_text("\n".join(sorted(slow)) + "\n", "utf-8")


def _function(test: str) -> str:
    """A test's name without its parameters."""
    return test.partition("[")[0]


@pytest.fixture(scope="session", autouse=True)
def no_waiting_for_the_disk() -> Iterator[None]:
    """Files are not forced onto the disk, which only a failure of power would show."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield


@pytest.fixture
def unchanged_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that a test registers are forgotten after it."""
    monkeypatch.setattr(registry, "_added", {})


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str]]]:
    """A list of (name, value): what packages have declared as entry points of games."""
    declared: list[tuple[str, str]] = []
    every = importlib.metadata.entry_points

    def entry_points(*, group: str) -> object:
        if group != registry.ENTRY_POINTS:
            return every(group=group)
        return [importlib.metadata.EntryPoint(name, value, group) for name, value in declared]

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    plugins.installed.cache_clear()
    yield declared
    plugins.installed.cache_clear()
