"""``python -m tests.mutants 100000`` reads, checks and plays mutants of the library's rules.

A mutant is a game in GDL or RECYCLE whose syntax tree was changed: subtrees are exchanged, copied,
deleted and wrapped, numbers become extreme and words get foreign characters. Each passes through
every door that a text of a stranger can take (``doors.py``), in a process of its own with limits
of time and memory. It is refused with errors, played, or broken off by its own rules; anything
else is a failure: a traceback, a crash, a hang, or more than 500 MB. Mutants that take more than
2 s of processor time are shown, too.

A failure is shown with the command that repeats it and writes the mutant, minimized, to a file.
Ctrl-C ends the run with the counts so far. Change no file of Kibitz meanwhile. Linux only.
"""

from __future__ import annotations

import argparse
import functools
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.mutants.children import FAILURES, SLOW, Outcome, Work, outcome, outcomes
from tests.mutants.doors import BROKE_OFF, PLAYED, REFUSED, walk
from tests.mutants.minimal import minimized
from tests.mutants.mutation import LEXICONS, Mutant, mutant, originals

from kibitz.syntax.source import Source

ROOT = Path(__file__).parents[2]
KINDS = (REFUSED, PLAYED, BROKE_OFF, *FAILURES)
FIXED = "0"
"""The default seed."""
WARMING = (
    *("kuhn-poker.rcy", "gdl-tic-tac-toe.kif", "light-cycles.kif", "kriegspiel-tic-tac-toe.kif"),
    "monty-hall.kif",
)
"""Games that need between them all that is compiled."""
SHOWN_EVERY = 10.0
"""Seconds between reports of progress."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("mutants", type=int, nargs="?", default=1000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--seed", default=FIXED, help="a number or a word")
    parser.add_argument("--only", metavar="SEED:NUMBER", help="repeats and minimizes a mutant")
    options = parser.parse_args()
    for signal_number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job ignores them
        signal.signal(signal_number, signal.default_int_handler)
    os.environ.setdefault("KIBITZ_CACHE", str(ROOT / ".pytest_cache" / "kibitz"))
    warm()
    with tempfile.TemporaryDirectory(prefix="mutants-") as cache:
        os.environ["KIBITZ_CACHE"] = cache  # what mutants compile is not kept
        if options.only:
            seed, _, number = options.only.partition(":")
            sys.exit(repeat(seed, int(number)))
        keys = [(options.seed, number) for number in range(options.mutants)]
        sys.exit(run(keys, options.workers))


def warm() -> None:
    """Imports, compiles and loads what mutants need, so that their processes have it."""
    for suffix in LEXICONS:
        for name, text in originals(suffix):
            if name in WARMING:
                walk(Source(name, text), 0, lambda stage: None)


def work(name: str, text: str, seed: int) -> Work:
    """The job of a mutant."""
    return lambda stage: walk(Source(name, text), seed, stage)


def of(mutated: Mutant, seed: str, number: int) -> Work:
    """The job of the mutant of a seed and a number."""
    return work(mutated.name, mutated.text, random.Random(f"{seed} {number} play").getrandbits(32))


def run(keys: list[tuple[str, int]], workers: int) -> int:
    """Runs mutants and prints their outcomes; returns the exit code."""
    counts: Counter[tuple[str, str]] = Counter()
    causes: dict[tuple[str, str], list[str]] = {}
    stages: Counter[str] = Counter()
    slowest = Outcome(""), ""
    largest = Outcome(""), ""
    began = shown = time.monotonic()

    def jobs() -> Iterator[tuple[tuple[str, str], Work]]:
        for seed, number in keys:
            mutated = mutant(seed, number)
            yield (f"{seed}:{number}", mutated.name), of(mutated, seed, number)

    results = outcomes(jobs(), workers)
    interrupted = False
    try:
        for (key, name), result in results:
            counts[name.rpartition(".")[2], result.kind] += 1
            stages.update(result.stages)
            slowest = max(slowest, (result, key), key=lambda item: item[0].seconds)
            largest = max(largest, (result, key), key=lambda item: item[0].megabytes)
            if result.failed:
                print(_failure(key, name, result), flush=True)
                causes.setdefault((result.kind, result.cause), []).append(key)
            if time.monotonic() - shown > SHOWN_EVERY:
                shown = time.monotonic()
                done, failed = counts.total(), sum(map(len, causes.values()))
                rate = done / (shown - began)
                print(f"{done:,} of {len(keys):,}, {rate:.0f} a second, {failed} failed",
                      file=sys.stderr, flush=True)  # fmt: skip
    except KeyboardInterrupt:
        interrupted = True
    finally:
        results.close()  # type: ignore[attr-defined]
    print(
        f"{counts.total():,} mutants in {time.monotonic() - began:.0f} s",
        *_table(counts),
        sep="\n",
    )
    print(f"longest {slowest[0].seconds:.1f} s ({slowest[1]}), "
          f"largest {largest[0].megabytes:.0f} MB ({largest[1]})")  # fmt: skip
    print("seconds: " + ", ".join(f"{stage} {time:.1f}" for stage, time in stages.most_common()))
    for (kind, cause), examples in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"{len(examples):5} {kind}: {cause}: {' '.join(examples[:3])}")
    # processor time depends on what else a machine does: slow mutants are shown, and do not fail
    failed = any(kind != SLOW for kind, _ in causes)
    return 130 if interrupted else int(failed)


def _table(counts: Counter[tuple[str, str]]) -> Iterator[str]:
    """The numbers of mutants by outcome and language."""
    yield f"{'':10}" + "".join(f"{language:>8}" for language in ("rcy", "kif"))
    for kind in KINDS:
        yield f"{kind:10}" + "".join(f"{counts[suffix, kind]:8,}" for suffix in ("rcy", "kif"))


def _failure(key: str, name: str, result: Outcome) -> str:
    amount = f"{result.seconds:.1f} s, {result.megabytes:.0f} MB"
    summary = f"{result.kind}: {name}: {result.cause} ({amount})"
    return f"{summary}\n    python -m tests.mutants --only {key}"


def repeat(seed: str, number: int) -> int:
    """Repeats one mutant and writes it, minimized, to a file; returns the exit code."""
    original = mutant(seed, number)
    first = outcome(of(original, seed, number))
    if not first.failed:
        print(f"{original.name}: {first.kind} ({first.seconds:.1f} s, {first.megabytes:.0f} MB)")
        return 0
    print(first.detail)
    print(_failure(f"{seed}:{number}", original.name, first), flush=True)

    @functools.cache
    def outcome_of(text: str) -> tuple[str, str]:
        play = random.Random(f"{seed} {number} play").getrandbits(32)
        again = outcome(work(original.name, text, play))
        return again.kind, again.cause

    small = minimized(
        original, lambda smaller: outcome_of(smaller.text) == (first.kind, first.cause)
    )
    file = Path(f"mutant-{seed}-{number}{original.suffix}")
    file.write_text(small.text, "utf-8", "surrogatepass")
    print(f"{file}: {len(small.text):,} letters of {len(original.text):,}")
    return 1


if __name__ == "__main__":
    main()
