"""Interrupts: signals, and the loss of the terminal, stop work at safe points.

By default Python raises ``KeyboardInterrupt`` between any two bytecodes of the main thread: in
the middle of saving a game, or while native code in another thread still uses memory that the
exception frees. Here an interrupt takes effect at chosen places only:

- ``with deferred(stop):`` a signal sets the stop word and is raised when the block ends;
  ``take_pending()`` returns it instead.
- ``allowed(work, ...)`` runs Python code inside such a block in which a signal is raised at once:
  rules and agents in Python that native code calls, and the commands of the command line.
- ``run_interruptibly(work, stop)`` runs a native call in the calling thread. Its memory belongs to
  the caller's frame, which cannot be left before the call returns; a thread beside it sets the
  stop word when a signal comes or an end is lost.
- ``run_until_stopped(work, stop)`` runs Python code in another thread, which ends when it looks at
  the stop word (``thread_stop``, ``StoppedError``).
- ``with first_signal_calls(act):`` the first signal calls a function instead: event loops stop.
- ``catch_signals()`` makes SIGTERM and SIGHUP interrupts like SIGINT, for a command line.

All but ``run_until_stopped`` concerns the main thread, the only one in which Python handles
signals; in other threads the functions only call.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")

StopWord: TypeAlias = "list[int] | np.ndarray[Any, Any]"
"""A number that is 0 until long work should end, and then 1."""

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""The signals that end a command."""

BURST = 1.0
"""Signals that follow one within so many seconds are part of it: a closing terminal sends two."""

SWALLOWED_AGAIN = 0.005
"""An interrupt that Python could not raise where it came is raised again after so many seconds."""


NEVER_STOPPED = ctypes.c_int64()
"""A stop word that nobody sets: of rules that are called outside of long work."""


class Interrupted(KeyboardInterrupt):
    """A signal, or the loss of the terminal, asks for an end.

    Attributes:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class StoppedError(Exception):
    """Work in a thread has ended because its stop word was set."""


class _Thread(threading.local):
    """The stop word of each thread."""

    def __init__(self) -> None:
        self.stop: StopWord = [0]


_thread = _Thread()


@dataclass
class _Signals:
    """The state of signal handling in the main thread."""

    raising: bool = True
    """Whether a signal is raised at once."""
    forbidden: bool = False
    """Whether this holds within ``allowed``, too."""
    pending: int = 0
    """The signal that came and is still to be raised, or 0."""
    latest: int = 0
    """The last one that came, or 0."""
    noted: int = 0
    """How many have come."""
    when: float = float("-inf")
    """When that was, on the monotonic clock."""
    stops: list[np.ndarray[Any, Any]] = field(default_factory=list)
    """The stop words of the native code that is running."""
    ends: dict[int, tuple[Any, int]] = field(default_factory=dict)
    """By descriptor the streams whose other end may be lost, and the signals that this is like."""
    replaced: Any = None
    """The handler of SIGINT that ``deferred`` has put aside, or ``None``."""
    act: Callable[[], Any] | None = None
    """What the next signal calls instead of being raised, or ``None``."""


_signals = _Signals()


def catch_signals() -> None:
    """Makes SIGINT, SIGTERM and SIGHUP raise ``Interrupted``.

    Those that the process was told to ignore stay ignored, as under ``nohup``. An interrupt that
    is raised where Python has to swallow it, as in a destructor, is raised again a moment later.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _on_signal)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _raise_again)
        sys.unraisablehook = _on_unraisable


def forget_signals() -> None:
    """Restores the default handling of signals, in a forked process."""
    global _signals
    _signals = _Signals()
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.set_wakeup_fd(-1)
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)


def raise_only_where_allowed() -> None:
    """Makes signals raise within ``allowed`` only, as if all else was ``deferred``."""
    _signals.raising = False


def exit_code(otherwise: int = signal.SIGINT) -> int:
    """The exit code of a process that was interrupted: 128 and the number of the last signal.

    Args:
        otherwise: the number where there was none.
    """
    return 128 + (_signals.latest or otherwise)


def was_signalled() -> bool:
    """Whether a signal has asked for an end, or the terminal was lost."""
    return _signals.latest != 0


def watch_end(stream: Any, number: int) -> None:
    """Makes the loss of a stream's other end interrupt native code like a signal.

    That is a terminal that was closed, a pipe whose reader is gone, or one whose writer is gone
    and from which everything was read: input that was typed ahead is still read.

    Args:
        stream: an open text stream; one without a descriptor is not watched.
        number: of the signal.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):
        _signals.ends[stream.fileno()] = stream, number


class deferred:
    """A block that defers signals: the last one that came is raised when the block ends.

    Args:
        stop: a stop word that a signal sets. It stays set.
        everywhere: signals are deferred within ``allowed``, too.
    """

    def __init__(self, stop: np.ndarray[Any, Any] | None = None, everywhere: bool = False) -> None:
        self._stop = stop
        self._everywhere = everywhere
        self._forbidden = False
        self._main = _in_main_thread()
        self._replaced: Any = None
        self._raising = True

    def __enter__(self) -> deferred:
        if not self._main:
            return self
        self._raising, self._forbidden = _signals.raising, _signals.forbidden
        _signals.raising = False
        _signals.forbidden = self._forbidden or self._everywhere
        try:
            handler = signal.getsignal(signal.SIGINT)
            if handler is not _on_signal and callable(handler):
                self._replaced = _signals.replaced = handler
                signal.signal(signal.SIGINT, _on_signal)
        except BaseException:  # raised by the handler that was to be replaced
            _signals.raising, _signals.forbidden = self._raising, self._forbidden
            raise
        if self._stop is not None:
            _signals.stops.append(self._stop)
            if _signals.pending:
                _stop_native_code()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._main:
            return
        if self._stop is not None:
            _signals.stops.pop()
        handler = _signals.replaced
        try:
            if self._replaced is not None:
                signal.signal(signal.SIGINT, self._replaced)
        finally:
            _signals.raising, _signals.forbidden = self._raising, self._forbidden
            if self._replaced is not None:
                _signals.replaced = None
        if _signals.pending and _signals.raising:
            _raise(handler)


@contextlib.contextmanager
def first_signal_calls(act: Callable[[], Any]) -> Iterator[None]:
    """A block in which the first signal calls a function; later ones are raised as usual.

    Without ``catch_signals`` it does nothing.

    Args:
        act: called between any two bytecodes, so it should only set a flag or wake a loop.
    """
    _signals.act = act
    try:
        yield
    finally:
        _signals.act = None


def take_pending() -> Interrupted | None:
    """Takes the interrupt that would be raised at the end of the ``deferred`` block, if any."""
    number, _signals.pending = _signals.pending, 0
    return Interrupted(number) if number else None


def allowed(work: Callable[..., T], *arguments: Any) -> T:
    """Calls a function in which signals are raised at once, even within ``deferred`` blocks."""
    if not _in_main_thread() or _signals.forbidden:
        return work(*arguments)
    before = _signals.raising
    try:
        _signals.raising = True
        if _signals.pending:
            _raise(_signals.replaced)
        return work(*arguments)
    finally:
        _signals.raising = before


def run_interruptibly(work: Callable[[], T], stop: np.ndarray[Any, Any]) -> T:
    """Runs a native call that an interrupt stops; raises the interrupt when the call has ended.

    Args:
        work: the call; it gives up soon after the stop word is set.
        stop: the stop word that it watches.

    Raises:
        KeyboardInterrupt: it was interrupted.
    """
    if not _in_main_thread():
        return work()
    watch = SignalWatch()
    try:
        with deferred(stop), watch:
            return work()
    finally:
        watch.close()


def run_until_stopped(work: Callable[[], T], stop: StopWord) -> T:
    """Runs Python code that a stop word ends, in a thread that is not the main one.

    Args:
        work: it looks at ``thread_stop`` now and then.
        stop: a list or an array with a number, which somebody sets to 1.

    Raises:
        StoppedError: it was.
    """
    before, _thread.stop = _thread.stop, stop
    try:
        return work()
    finally:
        _thread.stop = before


def thread_stop() -> StopWord:
    """The stop word of this thread: once it is 1, long work raises ``StoppedError``."""
    return _thread.stop


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _on_signal(number: int, frame: FrameType | None) -> None:
    """The signal handler, which Python runs after the current bytecode or native call."""
    try:
        now = time.monotonic()
    except SystemError as problem:
        # Python called this although the exception of an earlier signal was on its way, as it does
        # while it waits for a line: that one goes on.
        if isinstance(problem.__cause__, Interrupted):
            raise problem.__cause__ from None
        raise
    if now - _signals.when < BURST and not _signals.stops and _signals.replaced is None:
        return
    _signals.when = now
    if _signals.act is not None:
        act, _signals.act = _signals.act, None
        _signals.latest = number
        act()
        return
    _note(number)
    if _signals.raising:
        _raise(_signals.replaced)


def _note(number: int) -> None:
    _signals.latest = _signals.pending = number
    _signals.noted += 1
    _stop_native_code()


def _stop_native_code() -> None:
    for stop in _signals.stops:
        stop[0] = 1


def _raise(handler: Any) -> None:
    """Raises the pending signal, or calls the handler that ``deferred`` has replaced.

    While native code is being stopped it stays pending: whatever Python code it still calls ends.
    """
    number = _signals.pending
    if not _signals.stops:
        _signals.pending = 0
    if handler in (None, signal.default_int_handler):
        raise Interrupted(number)
    handler(number, None)


def _on_unraisable(problem: Any) -> None:
    """Raises an interrupt again that was raised where Python had to swallow it."""
    if issubclass(problem.exc_type, Interrupted):
        signal.setitimer(signal.ITIMER_REAL, SWALLOWED_AGAIN)
    else:
        sys.__unraisablehook__(problem)


def _raise_again(number: int, frame: FrameType | None) -> None:
    _note(_signals.latest)
    if _signals.raising:
        _raise(_signals.replaced)


class SignalWatch:
    """A thread that sets the stop words when a signal comes while native code is running.

    Then Python's own handlers have to wait. The system's handler writes the number of the signal
    into a pipe, which the thread reads. ``with watch:`` is a block of native code in the main
    thread. The thread is kept for the next block, since it takes longer to start than short work.
    """

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._before = -1
        self._noted = 0
        self._settled = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def __enter__(self) -> SignalWatch:
        if self._process != os.getpid():  # a fork has no threads
            self._start()
        self._noted = _signals.noted
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._before)
        if _signals.noted != self._noted:  # the thread must not stop what comes next
            os.write(self._write, _SETTLE)
            self._settled.acquire()

    def close(self) -> None:
        """Ends the thread."""
        if self._process == os.getpid():
            os.write(self._write, _END)

    def _watch(self) -> None:
        poll = select.poll()
        poll.register(self._read, select.POLLIN)
        for end in _watched_ends():
            poll.register(end, 0)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor != self._read:
                    poll.unregister(descriptor)
                    stream, number = _signals.ends[descriptor]
                    if not _has_unread(stream):
                        _note(number)
                    continue
                for number in os.read(self._read, 64):
                    if number == _END[0]:
                        os.close(self._read)
                        os.close(self._write)
                        return
                    if number == _SETTLE[0]:
                        self._settled.release()
                        continue
                    if signal.getsignal(number) is _on_signal:
                        _stop_native_code()
                    if self._before != -1:
                        with contextlib.suppress(OSError):
                            os.write(self._before, bytes([number]))


_END, _SETTLE = b"\0", b"\xff"
"""Bytes that end the thread, and ask whether it has read what came before; no signal has these
numbers."""


def _watched_ends() -> list[int]:
    """The descriptors to watch: those that are open pipes or terminals."""
    found = []
    for descriptor in _signals.ends:
        with contextlib.suppress(OSError):
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
                found.append(descriptor)
    return found


def _has_unread(stream: Any) -> bool:
    """Whether a stream whose other end is lost has unread input, which stays where it is.

    A line that another thread begins to read would lack what is moved into the buffer meanwhile:
    the buffer is looked at only when nothing can come into it any more.
    """
    import fcntl
    import termios

    try:
        if not stream.readable():
            return False
        waiting = fcntl.ioctl(stream.fileno(), termios.FIONREAD, bytes(4))
        return any(waiting) or bool(stream.buffer.peek(1))
    except (OSError, ValueError):  # a terminal
        return False
