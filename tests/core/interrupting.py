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
"""Seconds within which work of minutes ends that is interrupted, on a machine under load."""


@contextlib.contextmanager
def caught_signals() -> Iterator[None]:
    """Signals are caught as in a command; afterwards all is as it was."""
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
    """A signal comes in a moment, from outside of the main thread, and ends the work soon."""
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
    """Does some work again and again, with a signal at the 1st, 2nd, ... line that it runs.

    Args:
        work: what to do.
        modules: whose lines count.
        number: of the signal. Some twenty lines after the first one comes a second.
        step: so many lines on for each time.

    Yields:
        What was raised, each time.
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
