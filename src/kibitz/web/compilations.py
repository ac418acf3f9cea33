"""The compilations in progress, for pages that wait for them."""

from __future__ import annotations

import time
from typing import NamedTuple

from kibitz.core import native

FIRST_GAME = 25
"""Seconds that the first game against an agent takes to compile, on an idle core (Love Letter with
an empty cache: 24 s of the processor; a game in RECYCLE after it: 4 s)."""
LONGEST = 300.0
"""Seconds after which a compilation has failed, of which nobody hears otherwise."""


class _Begun(NamedTuple):
    name: str
    at: float
    spent: float  # on earlier compilations: it grows when this one is over


_last: _Begun | None = None


def follow() -> None:
    """Begins to record what this process compiles, or waits for while another one does."""
    if _begin not in native.compile_listeners:
        native.compile_listeners.append(_begin)


def _begin(name: str) -> None:
    global _last
    _last = _Begun(name, time.monotonic(), native.compile_seconds())


def words() -> str:
    """The compilations in progress, with their durations, in words; empty if there are none."""
    if _last is None or native.compile_seconds() != _last.spent:
        return ""
    seconds = time.monotonic() - _last.at
    if seconds > LONGEST:
        return ""
    return (
        f"Compiling {_last.name}, which is done once on this machine: {seconds:.0f} s so far. "
        f"All for a first game takes about {FIRST_GAME} s."
    )
