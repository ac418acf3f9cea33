"""What the server logs: a failure is traced once, however often a stranger repeats it."""

from __future__ import annotations

import collections
import logging
from types import TracebackType

LOGGERS = ("kibitz", "nicegui", "socketio.server", "engineio.server", "uvicorn.error", "asyncio")
"""Of the server and of what it is made of."""

Place = tuple[type[BaseException], str, int]
"""The type of an exception, and the line that raised it."""


class TracedOnce(logging.Filter):
    """Passes the traceback of the first failure at each line of code, and then only a count.

    The count is logged at the 10th, the 100th, the 1,000th failure and so on: what a browser
    sends, forged events too, fills no disk.
    """

    def __init__(self) -> None:
        super().__init__()
        self._failures: collections.Counter[Place] = collections.Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged; a repeated one without its traceback."""
        if not isinstance(record.exc_info, tuple) or record.exc_info[1] is None:
            return True
        place = _place(record.exc_info[1])
        self._failures[place] += 1
        failures = self._failures[place]
        if failures == 1:
            return True
        if str(failures).strip("0") != "1":
            return False
        kind, file, line = place
        record.msg = f"{kind.__name__} in {file}:{line}, {failures:,} times by now"
        record.args, record.exc_info, record.exc_text = (), None, None
        return True


def _place(problem: BaseException) -> Place:
    last: TracebackType | None = problem.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return type(problem), "", 0
    return type(problem), last.tb_frame.f_code.co_filename, last.tb_lineno


def trace_once() -> None:
    """Has the loggers of the server trace each failure once."""
    once = TracedOnce()
    for name in LOGGERS:
        logging.getLogger(name).addFilter(once)


__all__ = ["TracedOnce", "trace_once"]
