"""A share of the slow tests: another one for each commit."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

SHARE = 8
"""Of a function's sets of parameters one in so many is run, and one at least."""

SINGLE_SHARE = 2
"""Of the functions without parameters one in so many is run."""


def commit(folder: Path) -> str:
    """The hash of the commit that is checked out, short; empty outside of a repository."""
    git = ["git", "-C", str(folder), "rev-parse", "--short=12", "HEAD"]
    try:
        return subprocess.run(git, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def left_out(
    tests: Iterable[str], seed: str, function_of: Callable[[str], str], slow: set[str]
) -> set[str]:
    """The slow tests, by name, that a sample leaves out.

    Whether a test is in depends on the seed and its name only, so that all processes agree.
    """
    sets: dict[str, list[tuple[int, str]]] = {}
    for name in tests:
        if function_of(name) in slow:
            drawn = int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:4])
            sets.setdefault(function_of(name), []).append((drawn, name))
    out = set()
    for drawn in sets.values():
        if len(drawn) == 1:
            out |= {name for number, name in drawn if number % SINGLE_SHARE}
        else:
            least = min(drawn)
            out |= {name for number, name in drawn if number % SHARE and (number, name) != least}
    return out
