"""Signals at a chosen line, so that a test can try every one."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

from kibitz.core import interrupt

SOON = 5.0
"""Seconds within which interrupted work of minutes has to end, even on a machine under load."""


@contextlib.contextmanager
def caught_signals() -> Iterator[None]:
    """Catches signals as a command does; restores all handlers afterwards."""
    numbers = [*interrupt.SIGNALS, signal.SIGALRM]
    handlers = {number: signal.getsignal(number) for number in numbers}
    hook, signals = sys.unraisablehook, interrupt._signals
    interrupt._signals = interrupt._Signals()
    interrupt.catch_signals()
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook, interrupt._signals = hook, signals


@contextlib.contextmanager
def pressed(number: int = signal.SIGINT) -> Iterator[None]:
    """Sends a signal after a moment from another thread; the work has to end soon after it."""
    came = []

    def press() -> None:
        came.append(time.perf_counter())
        os.kill(os.getpid(), number)

    with caught_signals():
        timer = threading.Timer(0.3, press)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            assert time.perf_counter() - came[0] < SOON


def interrupted_at_each_line(
    work: Callable[[], Any],
    modules: list[ModuleType],
    number: int = signal.SIGINT,
    step: int = 1,
) -> Iterator[BaseException | None]:
    """Repeats `work`, with a signal at a later line each time, until it ends before the signal.

    Args:
        modules: the modules whose lines are counted.
        number: the signal, which is sent a second time twenty lines later.
        step: the number of lines by which the signal comes later each time.

    Yields:
        The exception that each run raised, or None.
    """
    files = {module.__file__ for module in modules}
    line, last = 1, False
    while not last:
        count = 0

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal count
            if frame.f_code.co_filename not in files:
                return None
            if event == "line":
                count += 1
                if count in (line, line + 20):  # noqa: B023 - it is called in this round only
                    signal.raise_signal(number)
            return trace

        raised: BaseException | None = None
        with caught_signals():
            sys.settrace(trace)
            try:
                work()
            except BaseException as problem:
                raised = problem
            finally:
                sys.settrace(None)
        last = count < line
        line += step
        yield raised
