"""Signals to commands that run in an event loop: the first one stops them gracefully."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from kibitz.core.interrupt import first_signal_calls

T = TypeVar("T")


async def unless(stopped: asyncio.Event, work: Coroutine[Any, Any, T]) -> T | None:
    """Waits for the result of some work; ``None`` if ``stopped`` is set before."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stopped.wait())
    either: list[asyncio.Future[Any]] = [working, stopping]
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        return await working if working.done() else None
    finally:
        for future in either:
            future.cancel()


def on_interrupt(stop: Callable[[], Any]) -> contextlib.AbstractContextManager[None]:
    """A block in which the first interrupt calls ``stop``; a second one ends the command."""
    loop = asyncio.get_running_loop()
    return first_signal_calls(lambda: loop.call_soon_threadsafe(stop))
