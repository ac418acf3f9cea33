"""``python -m tests.playtest.mutants [WORD]``: has the report look at the mutants.

It tells which planted flaws are found and named, and what is said of the same games as they are.
WORD: only those with this word in their names.
"""

from __future__ import annotations

import sys
import time

from tests.playtest.mutants.catalogue import SOUND, mutants
from tests.playtest.mutants.looking import is_named, look

import kibitz
from kibitz.core.wording import counted


def main(word: str = "") -> None:
    """Looks at them one after the other."""
    missed = found = 0
    for mutant in mutants():
        if word not in mutant.name:
            continue
        began = time.process_time()
        told = look(mutant.make())
        named = is_named(mutant, told)
        found += named
        missed += not named
        print(
            f"{'found ' if named else 'MISSED'} {time.process_time() - began:5.1f} s  "
            f"{mutant.name}  {'' if named else [flaw.sentence for flaw in told]}",
            flush=True,
        )
    print(f"{found} of {counted(found + missed, 'planted flaw')} found and named.\n")
    told_of = 0
    for name in SOUND:
        if word not in name:
            continue
        told = look(kibitz.load(name))
        told_of += bool(told)
        print(f"{name}: {[flaw.sentence for flaw in told]}", flush=True)
    print(f"Something is said of {told_of} of {counted(len(SOUND), 'game')} as they are.")


if __name__ == "__main__":
    main(*sys.argv[1:2])
