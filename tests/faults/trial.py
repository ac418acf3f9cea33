"""Runs tests in a copy of the checkout in which a fault is planted."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.faults.planting import Fault

TIMES = 3
"""Tests may take this many times as long as without a fault ..."""
MORE_SECONDS = 20.0
"""... and this much more, in processor time. A wait may last three times as long again."""
MEMORY = 6 << 30
"""Bytes that a process of the tests may allocate."""
FIRST = 1
"""Number of test modules that run before all others: the likeliest one finds most faults."""

FAST, SLOW = "not slow", "slow"
"""The tiers of tests, as pytest's option ``-m`` selects them."""
TIME, CRASH = "time", "crash"
"""What ended the tests, if it was no failure of a test."""

_FAILURE = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """The end of a run of tests: what failed, and the seconds that it took."""

    failures: tuple[str, ...]
    processor: float
    wall: float


Usual = Mapping[tuple[str, str], Run]
"""How each test module ends without a fault, by its path and the tier."""


class Copy:
    """A copy of the checkout, with machine code of its own, in which one thread plants faults."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.folder = root, folder.resolve()
        self.cache = self.folder / ".pytest_cache" / "kibitz"
        self.cache.mkdir(parents=True, exist_ok=True)
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False
        self._update()

    def _update(self) -> None:
        """Makes the files the same as those of the checkout that git does not ignore."""
        git = ["git", "-C", self.root, "ls-files", "-z", "--cached", "--others"]
        listed = subprocess.run([*git, "--exclude-standard"], check=True, capture_output=True)
        names = {Path(os.fsdecode(name)) for name in listed.stdout.split(b"\0") if name}
        names = {name for name in names if (self.root / name).is_file()}
        for name in names:
            source, target = self.root / name, self.folder / name
            if not (target.exists() and _stamp(source) == _stamp(target)):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        for package in ("src", "tests"):
            for path in list((self.folder / package).rglob("*.*")):
                if path.suffix != ".pyc" and path.relative_to(self.folder) not in names:
                    path.unlink()
        for path in (self.root / ".pytest_cache" / "kibitz").glob("*.o"):
            if not (self.cache / path.name).exists():
                shutil.copy2(path, self.cache)
        if not (self.folder / ".venv").is_symlink():
            (self.folder / ".venv").symlink_to(self.root / ".venv")

    def stop(self) -> None:
        """Ends the tests that run, and lets no others begin."""
        self._stopped = True
        if self._process is not None:
            _kill(self._process)

    def measure(self, test: str, tier: str) -> Run:
        """Runs the tests of a module and a tier without a fault."""
        return self._run(["-m", tier, test])

    def attempt(
        self, fault: Fault, tests: Sequence[str], tiers: Sequence[str], usual: Usual
    ) -> tuple[str, Sequence[str]]:
        """Plants a fault and runs tests until one fails.

        Args:
            tests: the test modules, in the order in which they run.
            tiers: which of their tests run, one tier after the other.
            usual: how each test module ends without a fault; what fails then is left out.

        Returns:
            The test that failed, ``"time"``, ``"crash"``, or ``""`` if the fault survived; and the
            test modules on which this depends.
        """
        path = self.folder / fault.file
        source, stamp = path.read_bytes(), path.stat()
        compiled = self._compiled()
        try:
            path.write_bytes(fault.planted(source))
            os.utime(path, (0, 0))  # else it might pass for the source of the original's bytecode
            for tier in tiers:
                for modules in (tests[:FIRST], tests[FIRST:]):
                    failures = self._limited(modules, tier, usual) if modules else ()
                    if failures:
                        module = failures[0].partition("::")[0]
                        return failures[0], [module] if module in modules else modules
            return "", tests
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
            for name in self._compiled() - compiled:
                (self.cache / name).unlink()

    def _limited(self, tests: Sequence[str], tier: str, usual: Usual) -> tuple[str, ...]:
        """Runs tests within limits; once more if time ran out while machine code was compiled."""
        runs = [usual[test, tier] for test in tests]
        processor = TIMES * sum(run.processor for run in runs) + MORE_SECONDS
        wall = TIMES * (sum(run.wall for run in runs) + processor)
        left_out = [f"--deselect={failure}" for run in runs for failure in run.failures]
        while True:
            compiled = self._compiled()
            run = self._run(["-x", "-m", tier, *left_out, *tests], (processor, wall))
            if run.failures != (TIME,) or compiled == self._compiled():
                return run.failures

    def _compiled(self) -> set[str]:
        """The names of the files of machine code."""
        return {path.name for path in self.cache.glob("*.o")}

    def _run(self, arguments: Sequence[str], limits: tuple[float, float] | None = None) -> Run:
        """Runs pytest, within limits of processor time and of time."""
        if self._stopped:
            raise KeyboardInterrupt
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.folder / "src"),
            "KIBITZ_CACHE": str(self.cache),
            "PYTHONDONTWRITEBYTECODE": "1" if limits else "",
        }

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            if limits:
                seconds = int(limits[0])
                resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))

        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-n", "0", "-rfE", "--tb=no", *arguments],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            preexec_fn=limit,
        )
        try:
            output = process.communicate(timeout=limits[1] if limits else None)[0]
        except subprocess.TimeoutExpired:
            output = ""
        finally:
            _kill(process)
        if self._stopped:
            raise KeyboardInterrupt
        failures = tuple(_FAILURE.findall(output))
        if process.returncode not in (0, 5) and not failures:  # 5: there are no tests
            ran_out = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
            failures = (TIME,) if ran_out else (CRASH,)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Run(failures, processor, time.monotonic() - began)


def _stamp(path: Path) -> tuple[int, int]:
    stamp = path.stat()
    return stamp.st_mtime_ns, stamp.st_size


def _kill(process: subprocess.Popen[str]) -> None:
    """Ends a run of tests and all processes that it has left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
