"""Whether planted flaws are found and named, and sound games left alone.

``python -m benchmarks.flaws [WORD ...]``: only what has one of these words in its name. Each
mutant of ``tests/studies/mutants`` is studied as ``kibitz playtest GAME`` does it, with fewer
games than it plays by default in all but the longest games: the numbers are in ``looking.py``.
Prints a table by kind of flaw. Exits with 1 when a promise is not kept.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict

from tests.studies.mutants.catalogue import SOUND, TRUE, Mutant, mutants
from tests.studies.mutants.looking import is_named, look

import kibitz
from kibitz.core.wording import counted

LEAST_FOUND = 0.95
MOST_BLAMED = 0.05


def study_mutants(words: tuple[str, ...]) -> tuple[int, int]:
    """Looks for the planted flaws, and prints what is missed and a table by kind.

    Returns:
        How many were found and named, and of how many.
    """
    found, planted = Counter[str](), Counter[str]()
    seconds: dict[str, float] = defaultdict(float)
    for mutant in mutants():
        if not _is_asked_for(mutant.name, words):
            continue
        began = time.process_time()
        told = look(mutant.make())
        spent = time.process_time() - began
        named = is_named(mutant, told)
        kind = _title(mutant)
        planted[kind] += 1
        found[kind] += named
        seconds[kind] += spent
        besides = [flaw.sentence for flaw in told if not is_named(mutant, (flaw,))]
        print(f"{'found ' if named else 'MISSED'} {spent:5.1f} s  {mutant.name}", flush=True)
        for sentence in besides:
            print(f"                 besides: {sentence}", flush=True)
    for kind, count in sorted(planted.items()):
        took = f"{seconds[kind] / count:.1f} s of CPU each"
        print(f"{found[kind]:4} of {count:3} found and named, {took}: {kind}")
    return found.total(), planted.total()


def study_sound_games(words: tuple[str, ...]) -> tuple[int, int]:
    """Looks at games as they are, and prints what is said of them.

    Returns:
        How many were blamed for what is not true of them, and of how many.
    """
    blamed = count = 0
    for name in SOUND:
        if not _is_asked_for(name, words):
            continue
        count += 1
        began = time.process_time()
        told = look(kibitz.load(name))
        false = [flaw for flaw in told if (flaw.kind, flaw.subject) not in TRUE.get(name, ())]
        blamed += bool(false)
        print(f"{'BLAMED' if false else 'clear '} {time.process_time() - began:5.1f} s  {name}")
        for flaw in told:
            word = "false" if flaw in false else "true"
            print(f"                 {word}: {flaw.sentence} ({flaw.agents})", flush=True)
    return blamed, count


def _is_asked_for(name: str, words: tuple[str, ...]) -> bool:
    return not words or any(word in name for word in words)


def _title(mutant: Mutant) -> str:
    return " or ".join(kind.value for kind in mutant.kinds)


def main() -> int:
    """Looks at mutants and at sound games; 1: a promise is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="only what has one in its name")
    words = tuple(parser.parse_args().words)
    found, planted = study_mutants(words)
    blamed, sound = study_sound_games(words)
    print(f"{found} of {counted(planted, 'planted flaw')} found and named.")
    print(f"Something false is said of {blamed} of {counted(sound, 'game')} as they are.")
    return int(found < LEAST_FOUND * planted or blamed > MOST_BLAMED * sound)


if __name__ == "__main__":
    sys.exit(main())
