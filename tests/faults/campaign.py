"""Which faults are planted in a package, and what its tests do with each."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import itertools
import json
import queue
import shutil
import sys
import threading
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from tests.faults.planting import Fault, changes_code, faults
from tests.faults.relevance import Relevance
from tests.faults.trial import FAST, SLOW, Copy, Run

ROOT = Path(__file__).parents[2]
SOURCES = Path("src", "kibitz")
EQUIVALENT = Path(__file__).parent / "equivalent.toml"
"""Survivors that no test can kill, each with the reason."""
IDENTITY = ("file", "function", "before", "after")
"""What an entry of ``equivalent.toml`` has beside the reason."""


class Results:
    """What is known about faults and test modules, unmarked in a folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "results.jsonl"
        lines = self._file.read_text("utf-8").splitlines() if self._file.exists() else []
        self._entries = {entry["key"]: entry for entry in map(json.loads, lines)}

    def get(self, key: str) -> dict[str, Any]:
        """What is unmarked under a key; empty if nothing is, or if its files have changed."""
        entry = self._entries.get(key, {})
        return entry if entry and entry["state"] == digest(entry["files"]) else {}

    def put(self, key: str, files: Sequence[str], **values: Any) -> None:
        """Keeps values as long as these files stay as they are."""
        entry = {"key": key, "files": files, "state": digest(files), **values}
        self._entries[key] = entry
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def digest(files: Sequence[str]) -> str:
    """A hash of the contents of files of the checkout, as they were when first asked for."""
    return hashlib.sha256(b"".join(_hash(ROOT / file) for file in files)).hexdigest()[:16]


@functools.cache
def _hash(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes() if path.exists() else b"").digest()


def sample(place: Path, size: int | None, seed: str) -> tuple[list[Fault], int]:
    """Draws faults in a package or module, and counts those that are marked as equivalent.

    A change of the source hardly changes the sample, which has the faults with the least hashes.
    """
    sources = {
        str(path.relative_to(ROOT)): path.read_bytes()
        for path in sorted(place.rglob("*.py") if place.is_dir() else [place])
    }
    every = [fault for file, source in sources.items() for fault in faults(file, source)]
    marked = {tuple(entry[name] for name in IDENTITY) for entry in equivalents()}
    unmarked = [fault for fault in every if identity(fault) not in marked]
    unmarked.sort(key=lambda fault: hashlib.sha256(f"{seed} {fault.key}".encode()).digest())
    drawn: list[Fault] = []
    for fault in unmarked:
        if len(drawn) == size:
            break
        if changes_code(fault, sources[fault.file]):
            drawn.append(fault)
    return drawn, len(every) - len(unmarked)


def equivalents() -> list[dict[str, str]]:
    """The faults that are marked as equivalent."""
    entries: list[dict[str, str]] = tomllib.loads(EQUIVALENT.read_text("utf-8"))["fault"]
    return entries


def identity(fault: Fault) -> tuple[str, ...]:
    """A fault as ``equivalent.toml`` names it, where files have no top-level package."""
    file = "/".join(Path(fault.file).relative_to(SOURCES).parts[1:])
    return file, fault.function, fault.before, fault.after


def attempts(
    planted: Sequence[Fault],
    folder: Path,
    workers: int = 1,
    all_tests: bool = False,
    tiers: Sequence[str] = (FAST, SLOW),
) -> Iterator[tuple[Fault, str]]:
    """Tries faults, each in a copy of the checkout; yields it with the test that killed it.

    Args:
        folder: for results and copies of the checkout.
        workers: number of copies in which tests run at the same time.
        all_tests: whether all test modules run for a fault, not only the likeliest ones.
        tiers: which of their tests run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"Another run uses {folder}: choose another --folder.") from None
        yield from _attempts(planted, folder, workers, all_tests, tiers)


def _attempts(
    planted: Sequence[Fault], folder: Path, workers: int, all_tests: bool, tiers: Sequence[str]
) -> Iterator[tuple[Fault, str]]:
    results = Results(folder)
    relevance = Relevance(ROOT)
    tests_of = {
        file: [str(test.relative_to(ROOT)) for test in relevance.tests_for(ROOT / file, all_tests)]
        for file in {fault.file for fault in planted}
    }
    pending = []
    for fault in planted:
        entry = results.get(fault.key)
        tried = [[fault.file, *tests_of[fault.file]], list(tiers)]
        if entry and (entry["killer"] or [entry["files"], entry["tiers"]] == tried):
            yield fault, entry["killer"]
        else:
            pending.append(fault)
    if not pending:
        return
    copies = [Copy(ROOT, folder / "copy-0")]
    modules = dict.fromkeys(test for fault in pending for test in tests_of[fault.file])
    usual = _measured(list(modules), tiers, copies[0], results)
    for number in range(1, min(workers, len(pending))):
        other = folder / f"copy-{number}"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(copies[0].folder, other, symlinks=True)
        copies.append(Copy(ROOT, other))
    idle: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    for copy in copies:
        idle.put(copy)
    lock = threading.Lock()

    def attempt(fault: Fault) -> str:
        copy = idle.get()
        try:
            killer, tests = copy.attempt(fault, tests_of[fault.file], tiers, usual)
        finally:
            idle.put(copy)
        with lock:
            results.put(fault.key, [fault.file, *tests], killer=killer, tiers=list(tiers))
        return killer

    with ThreadPoolExecutor(len(copies)) as pool:
        futures = {pool.submit(attempt, fault): fault for fault in pending}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for copy in copies:
                copy.stop()


def _measured(
    tests: Sequence[str], tiers: Sequence[str], copy: Copy, results: Results
) -> dict[tuple[str, str], Run]:
    """How the tests of each module and tier end without a fault."""
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / SOURCES).rglob("*.py"))
    version = digest(sources)
    usual = {}
    for test, tier in itertools.product(tests, tiers):
        key = f"{test} {tier} {version}"
        if not results.get(key):
            run = copy.measure(test, tier)
            results.put(key, [test], run=[run.failures, run.processor, run.wall])
        failures, processor, wall = results.get(key)["run"]
        usual[test, tier] = Run(tuple(failures), processor, wall)
        for failure in failures:
            print(f"{failure} fails without a fault and is left out", file=sys.stderr)
    return usual
