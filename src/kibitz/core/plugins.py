"""The entry points of installed packages: games, agents, languages."""

from __future__ import annotations

import functools
import importlib.metadata
import logging
from typing import Any

from kibitz.core.errors import KibitzError

logger = logging.getLogger("kibitz")

OWN = "kibitz"
"""The name of the distribution of Kibitz itself."""

OUTSIDE_QUOTES = r'(?=(?:[^"]*"[^"]*")*[^"]*$)'
"""The end of a regular expression for a separator that is not within quotes."""


def canonical(name: str) -> str:
    """The form of a name in comparisons and lists: small letters, with hyphens for spaces."""
    return name.strip().lower().replace("_", "-").replace(" ", "-")


@functools.cache
def installed(group: str) -> dict[str, importlib.metadata.EntryPoint]:
    """The entry points of a group, from all packages, by their canonical names.

    If two packages register a name, it belongs to Kibitz, or else to the first; the other entry
    is left out, with a warning.
    """
    by_name: dict[str, importlib.metadata.EntryPoint] = {}
    entries = importlib.metadata.entry_points(group=group)
    for entry in sorted(entries, key=lambda entry: not _is_own(entry.dist)):
        first = by_name.setdefault(canonical(entry.name), entry)
        if first.value != entry.value:
            logger.warning(
                "Left out: %s registers the name %r, which is taken by %s.",
                entry.value,
                entry.name,
                first.value,
            )
    return by_name


@functools.cache  # the name is in a file, which all entry points of a distribution share
def _is_own(distribution: importlib.metadata.Distribution | None) -> bool:
    """Whether a distribution is Kibitz."""
    return distribution is not None and distribution.name == OWN


def imported(entry: importlib.metadata.EntryPoint, subject: str, error: type[KibitzError]) -> Any:
    """The object that an entry point names.

    Args:
        entry: a game, agent or language.
        subject: the subject of the error's message.
        error: the error to raise if the code of the package fails, or exits the program.
    """
    try:
        return entry.load()
    except (Exception, SystemExit) as problem:
        cause = f"{type(problem).__name__}: {problem}"
        raise error(f"{subject} cannot be loaded: {cause}") from problem
