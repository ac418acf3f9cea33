"""The compilations in progress, for pages that wait for them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass

from kibitz.core import native

FIRST_GAME = 25
"""Seconds that the first game against an agent takes to compile, on an idle core (Love Letter with
an empty cache: 24 s of the processor; a game in RECYCLE after it: 4 s)."""
LONGEST = 300.0
"""Seconds after which a compilation counts as failed, since failures are not reported."""


@dataclass(frozen=True, eq=False)
class _Begun:
    name: str
    at: float
    spent: float | None  # on earlier compilations here; ``None``: it is that of another process

    @property
    def is_over(self) -> bool:
        late = time.monotonic() - self.at > LONGEST
        return late or self.spent not in (None, native.compile_seconds())


_begun: list[_Begun] = []


def follow() -> None:
    """Begins to record what this process compiles, or waits for while another one does."""
    if _begin not in native.compile_listeners:
        native.compile_listeners.append(_begin)


def _begin(name: str) -> None:
    _begun.append(_Begun(name, time.monotonic(), native.compile_seconds()))


@contextlib.contextmanager
def noted(name: str) -> Iterator[None]:
    """Records that one of our processes compiles something, for as long as the block lasts."""
    begun = _Begun(name, time.monotonic(), None)
    _begun.append(begun)
    try:
        yield
    finally:
        _begun[:] = [compilation for compilation in _begun if compilation is not begun]


def words() -> str:
    """The compilations in progress, with their durations; empty without any."""
    _begun[:] = [compilation for compilation in _begun if not compilation.is_over]
    if not _begun:
        return ""
    last = _begun[-1]
    return (
        f"Compiling {last.name}, which is done once on this machine: "
        f"{time.monotonic() - last.at:.0f} s so far. "
        f"All for a first game takes about {FIRST_GAME} s."
    )
