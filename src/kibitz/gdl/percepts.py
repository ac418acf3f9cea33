"""32-bit numbers of percepts and of sets of percepts.

A percept's number depends on its words alone, so it is the same in every process and whatever
else the rules say; the number of a set of percepts does not depend on their order. Two sets
that differ have the same number with a probability of 2**-32.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from kibitz.gdl.rules import Term, kif


def percept_number(percept: Term) -> int:
    """The number of one percept, of 32 bits with a sign."""
    digest = hashlib.sha256(kif(percept).encode()).digest()
    return int.from_bytes(digest[:4], "little", signed=True)


def percepts_number(percepts: Iterable[Term]) -> int:
    """The number of a set of percepts; 0 for none."""
    total = 0
    for percept in set(percepts):
        total ^= percept_number(percept)
    return total
