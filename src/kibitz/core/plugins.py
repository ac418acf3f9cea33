"""The entry points of installed packages: games, agents, languages."""

from __future__ import annotations

import functools
import importlib.metadata
import logging
from typing import Any

from kibitz.core.errors import KibitzError

logger = logging.getLogger("kibitz")

OWN = "kibitz"
"""The distribution whose entry points are ours."""

OUTSIDE_QUOTES = r'(?=(?:[^"]*"[^"]*")*[^"]*$)'
"""The end of a regular expression for what separates agents or options: not within quotes."""


def canonical(name: str) -> str:
    """The form in which names are compared and listed."""
    return name.strip().lower().replace("_", "-").replace(" ", "-")


@functools.cache
def installed(group: str) -> dict[str, importlib.metadata.EntryPoint]:
    """The entry points of a group, from all packages, by their canonical names.

    A name that two packages register is that of the game, agent or language of Kibitz, or else of
    the first; the other is left out, with a warning.
    """
    found: dict[str, importlib.metadata.EntryPoint] = {}
    entries = importlib.metadata.entry_points(group=group)
    for entry in sorted(entries, key=lambda entry: not _is_own(entry.dist)):
        kept = found.setdefault(canonical(entry.name), entry)
        if kept.value != entry.value:
            logger.warning(
                "Left out: %s registers the name %r, which is taken by %s.",
                entry.value,
                entry.name,
                kept.value,
            )
    return found


@functools.cache  # the name is in a file, which all entry points of a distribution share
def _is_own(distribution: importlib.metadata.Distribution | None) -> bool:
    """Whether a distribution is Kibitz."""
    return distribution is not None and distribution.name == OWN


def imported(entry: importlib.metadata.EntryPoint, said: str, error: type[KibitzError]) -> Any:
    """What an entry point names.

    Args:
        entry: of the group of games, agents or languages.
        said: what it is, for the message.
        error: raised where the code of another package fails, or leaves the program.
    """
    try:
        return entry.load()
    except (Exception, SystemExit) as problem:
        cause = f"{type(problem).__name__}: {problem}"
        raise error(f"{said} cannot be loaded: {cause}") from problem
