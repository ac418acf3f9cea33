"""Minimizes mutants: deletes everything that a failure does not need."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.mutants.mutation import Mutant, copied, parsed, places

MOST_SECONDS = 120.0
"""Time limit, after which the smallest mutant so far is returned."""


def minimized(mutant: Mutant, fails: Callable[[Mutant], bool]) -> Mutant:
    """A smaller mutant that fails in the same way as `mutant` according to `fails`."""
    until = time.monotonic() + MOST_SECONDS
    if mutant.text != (again := parsed(mutant.name, mutant.text)).text:
        if not fails(again):
            return mutant  # its failure is one of letters
        mutant = again
    for header in ("", "\n".join(line for line in mutant.header.splitlines() if "layers" in line)):
        if fails(smaller := Mutant(mutant.name, header and f"{header}\n", mutant.tree)):
            mutant = smaller
            break
    changed = True
    while changed:
        changed = False
        number = 0
        while True:
            every = list(places(mutant.tree))
            if number >= len(every) or time.monotonic() > until:
                break
            for smaller in _smaller(mutant, number):
                if fails(smaller):
                    mutant, changed = smaller, True
                    break
            else:
                number += 1
        if time.monotonic() > until:
            break
    return mutant


def _smaller(mutant: Mutant, number: int) -> list[Mutant]:
    """The mutants without the item of that number and those after it, or with a part of it."""
    form, at = list(places(mutant.tree))[number]
    item = form[at]
    lengths = [length for length in (8, 3, 1) if at + length <= len(form)]
    shorter_forms = [[*form[:at], *form[at + length :]] for length in lengths]
    if isinstance(item, list):
        shorter_forms += [
            [*form[:at], inner, *form[at + 1 :]] for inner in item if isinstance(inner, list)
        ]
    original = list(form)
    made = []
    for shorter in shorter_forms:
        form[:] = shorter
        tree = copied(mutant.tree)
        assert isinstance(tree, list)
        made.append(Mutant(mutant.name, mutant.header, tree))
    form[:] = original
    return made
