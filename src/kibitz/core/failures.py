"""Exceptions that code of authors raised: where in their files that was."""

from __future__ import annotations

import traceback
from collections.abc import Collection


def frame_of_mistake(
    problem: BaseException, files: Collection[str]
) -> traceback.FrameSummary | None:
    """The innermost frame in one of the files that an exception passed through, if any."""
    frames = reversed(traceback.extract_tb(problem.__traceback__))
    return next((frame for frame in frames if frame.filename in files), None)
