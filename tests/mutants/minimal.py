"""Minimizes mutants: deletes whatever a failure does not need."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.mutants.mutation import Mutant, copied, parsed, places

MOST_SECONDS = 120.0
"""After so long the smallest mutant so far is good enough."""


def minimized(found: Mutant, fails: Callable[[Mutant], bool]) -> Mutant:
    """A smaller mutant that fails in the same way.

    Args:
        found: the mutant.
        fails: whether another one does.
    """
    until = time.monotonic() + MOST_SECONDS
    if found.text != (again := parsed(found.name, found.text)).text:
        if not fails(again):
            return found  # its failure is one of letters
        found = again
    for header in ("", "\n".join(line for line in found.header.splitlines() if "layers" in line)):
        if fails(smaller := Mutant(found.name, header and f"{header}\n", found.tree)):
            found = smaller
            break
    changed = True
    while changed:
        changed = False
        number = 0
        while True:
            every = list(places(found.tree))
            if number >= len(every) or time.monotonic() > until:
                break
            for smaller in _smaller(found, number):
                if fails(smaller):
                    found, changed = smaller, True
                    break
            else:
                number += 1
        if time.monotonic() > until:
            break
    return found


def _smaller(found: Mutant, number: int) -> list[Mutant]:
    """The mutants without the item of that number and those after it, or with a part of it."""
    form, at = list(places(found.tree))[number]
    item = form[at]
    lengths = [many for many in (8, 3, 1) if at + many <= len(form)]
    parts = [[*form[:at], *form[at + many :]] for many in lengths]
    if isinstance(item, list):
        parts += [[*form[:at], one, *form[at + 1 :]] for one in item if isinstance(one, list)]
    kept = list(form)
    made = []
    for part in parts:
        form[:] = part
        tree = copied(found.tree)
        assert isinstance(tree, list)
        made.append(Mutant(found.name, found.header, tree))
    form[:] = kept
    return made
