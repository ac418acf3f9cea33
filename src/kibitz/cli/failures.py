"""Mistakes in the code of authors: the line of a game or agent that raised an exception."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from kibitz.core.failures import frame_of_mistake
from kibitz.core.registry import Registrable


def place_of_mistake(problem: BaseException) -> str:
    """Where code of an author raised an exception, as ``FILE:LINE, in NAME``; empty: nowhere.

    That is the innermost frame in a module that defines a game or an agent, of those that do not
    come with Kibitz.
    """
    frame = frame_of_mistake(problem, set(_files_of_authors()))
    return f"{frame.filename}:{frame.lineno}, in {frame.name}" if frame is not None else ""


def _files_of_authors() -> Iterator[str]:
    bases: list[type] = [Registrable]
    agents = sys.modules.get("kibitz.core.agent")
    if agents is not None:
        bases.append(agents.Agent)
    while bases:
        cls = bases.pop()
        bases += cls.__subclasses__()
        if not cls.__module__.startswith("kibitz."):
            yield getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
