"""Progress of long work: one callback for everything that takes a while."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Receives the stage of the work, the units done, and the units in all; 0 in all: not known.

It is called in the thread that began the work, first before anything is done, and may raise
``KeyboardInterrupt`` to end the work early, which keeps what it has.
"""


def part_of(
    progress: Progress | None, before: int, total: int, stage: str | None = None
) -> Progress | None:
    """The progress of a part of some work, reported as that of the whole.

    Args:
        before: units that were done before this part.
        total: units of the whole.
        stage: what the part is called; by default as it calls itself.
    """
    if progress is None:
        return None
    return lambda name, done, _: progress(stage or name, before + done, total)
