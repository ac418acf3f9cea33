"""The entry points of installed packages: games, agents, languages."""

from __future__ import annotations

import functools
import importlib.metadata

OUTSIDE_QUOTES = r'(?=(?:[^"]*"[^"]*")*[^"]*$)'
"""The end of a regular expression for what separates agents or options: not within quotes."""


def canonical(name: str) -> str:
    """The form in which names are compared and listed."""
    return name.strip().lower().replace("_", "-").replace(" ", "-")


@functools.cache
def installed(group: str) -> dict[str, importlib.metadata.EntryPoint]:
    """The entry points of a group, from all packages, by their canonical names."""
    return {canonical(entry.name): entry for entry in importlib.metadata.entry_points(group=group)}
