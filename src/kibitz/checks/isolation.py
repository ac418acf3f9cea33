"""Runs work that might crash or never end in a process of its own."""

from __future__ import annotations

import faulthandler
import multiprocessing
import signal
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from kibitz.core.interrupt import SIGNALS, deferred, forget_signals

T = TypeVar("T")


class Crashed(Exception):
    """The isolated process did not finish; the message says why, as ``crashed (...)``."""


def isolated(work: Callable[[], Iterable[T]], seconds: float) -> Iterator[T]:
    """Runs `work` in a forked process, and yields its items one by one.

    Where the system cannot fork, the work is done in this process.

    Args:
        work: makes something iterable whose items can be pickled.
        seconds: how long it may take from one item to the next.

    Raises:
        Crashed: the process crashed, or took too long.
    """
    can_fork = "fork" in multiprocessing.get_all_start_methods()
    if not can_fork or multiprocessing.current_process().daemon:
        yield from work()
        return
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def answer() -> None:
        faulthandler.disable()  # a crash is an answer here
        forget_signals()
        for number in SIGNALS:
            if number != signal.SIGTERM:
                signal.signal(number, signal.SIG_IGN)  # the parent stops this process
        for item in work():
            sender.send((item,))
        sender.send(())

    process = context.Process(target=answer)
    try:
        with deferred(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # other threads do not matter here
            process.start()
            sender.close()
        while True:
            if not receiver.poll(seconds):
                raise Crashed(f"had not come to an end after {seconds:.0f} seconds")
            item = receiver.recv()
            if not item:
                return
            yield item[0]
    except EOFError:
        process.join()
        code = process.exitcode or 0
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        raise Crashed(f"crashed ({how})") from None
    finally:
        with deferred():
            if process.pid is not None:
                process.kill()
                process.join()
            receiver.close()
