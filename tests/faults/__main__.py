"""``scripts/mutants PACKAGE`` plants faults in a package's source, one at a time, and runs tests.

A fault (a mutant) is a small edit by rule: a comparison, an operator, a constant or a condition
is another one, operands are swapped, a statement or an event is missing. It is killed if a test
fails, crashes or takes too long, and survives otherwise: then a test is missing, or it is
equivalent and gets an entry with the reason in ``equivalent.toml``. Each fault runs the test
modules that most likely find it, in a copy of the checkout, until the first failure.

Ctrl-C ends the run with a report of what is done. The folder keeps the results; a later run
repeats a fault only if its module, the test that killed it, or for survivors a test, has changed.
The mutants of ``python -m tests.mutants`` are others: texts of games, as strangers might send.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path

from tests.faults.campaign import ROOT, SOURCES, attempts, sample
from tests.faults.planting import Fault
from tests.faults.trial import FAST, SLOW


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/mutants", description=(__doc__ or "").splitlines()[0].replace("``", "")
    )
    parser.add_argument("package", help="a package or module in src/kibitz, as arena/conformance")
    parser.add_argument("--sample", type=int, metavar="N", help="plant N faults, not all")
    parser.add_argument("--seed", default="0", help="draws another sample: a number or a word")
    parser.add_argument("--fast", action="store_true", help="run no slow tests")
    parser.add_argument("--whole", action="store_true", help="run all tests for each fault")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / ".pytest_cache" / "faults", help="keeps the results"
    )
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell's background job ignores them
        signal.signal(number, signal.default_int_handler)
    place = ROOT / SOURCES / options.package
    if not place.exists():
        parser.error(f"there is no {place.relative_to(ROOT)}")
    planted, equivalent = sample(place, options.sample, options.seed)
    tried: dict[Fault, str] = {}
    interrupted = False
    tiers = [FAST] if options.fast else [FAST, SLOW]
    tries = attempts(planted, options.folder, options.workers, options.whole, tiers)
    try:
        for fault, killer in tries:
            tried[fault] = killer
            print(f"{len(tried)} of {len(planted)}: {fault.file}:{fault.line} {fault.rule}: "
                  f"{killer or 'SURVIVED'}", file=sys.stderr, flush=True)  # fmt: skip
    except KeyboardInterrupt:
        interrupted = True
    report(options.package, tried, equivalent, options.json)
    sys.exit(130 if interrupted else 0)


def report(package: str, tried: dict[Fault, str], equivalent: int, as_json: bool) -> None:
    """Prints the share that was killed, and the survivors."""
    survivors = [fault for fault, killer in tried.items() if not killer]
    survivors.sort(key=lambda fault: (fault.file, fault.start))
    killed = len(tried) - len(survivors)
    if as_json:
        shown = ("file", "line", "function", "rule", "before", "after")
        faults = [{name: getattr(fault, name) for name in shown} for fault in survivors]
        counts = {"planted": len(tried), "killed": killed, "equivalent": equivalent}
        print(json.dumps({"package": package, **counts, "survivors": faults}, indent=2))
        return
    for fault in survivors:
        print(f"{fault.file}:{fault.line}: {fault.rule} in {fault.function or 'the module'}")
        print(f"    - {fault.before}\n    + {fault.after}")
    share = f" ({killed / len(tried):.0%})" if tried else ""
    print(f"{package}: {killed} of {len(tried)} faults killed{share}; "
          f"{equivalent} are marked as equivalent and left out")  # fmt: skip


if __name__ == "__main__":
    main()
