"""32-bit numbers of percepts and of sets of percepts.

A percept's number depends on its words alone, so it is the same in every process and for all
rules. The number of a set of percepts does not depend on their order. Two different sets have the
same number with a probability of 2**-32.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from kibitz.gdl.rules import Term, kif


def percept_number(percept: Term) -> int:
    """The number of a percept, a signed 32-bit integer."""
    digest = hashlib.sha256(kif(percept).encode()).digest()
    return int.from_bytes(digest[:4], "little", signed=True)


def percepts_number(percepts: Iterable[Term]) -> int:
    """The number of a set of percepts; 0 for the empty set."""
    total = 0
    for percept in set(percepts):
        total ^= percept_number(percept)
    return total
