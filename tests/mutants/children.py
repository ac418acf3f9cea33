"""Runs jobs in processes of their own, forked from this one, with limits; Linux only.

So a crash, an endless loop or a lack of memory is attributed to its job. Processes are
killed with this one, and Ctrl-C reaches only this one.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import itertools
import json
import os
import re
import resource
import selectors
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.mutants.doors import Stage

from kibitz.core.native import compile_seconds

SLOW_SECONDS = 2.0
"""Processor time beyond which a job is slow."""
MOST_SECONDS = 20
"""Processor time beyond which a job is killed as hanging."""
MOST_WAIT = 300.0
"""Seconds by the clock beyond which a job is killed as hanging, even on a busy machine."""
MOST_MEGABYTES = 500
"""Memory of a job beyond that of an idle process."""
ADDRESSABLE = 2 << 30
"""Bytes that a process can address beyond those of an idle process."""

Work = Callable[[Stage], str]
"""A job: announces its stages and returns a word for the result."""


@dataclass
class Outcome:
    """The result of a job.

    Attributes:
        kind: the word of the job itself, or ``traceback``, ``crash``, ``hang``, ``slow``,
            ``memory``.
        cause: what tells failures apart: the place of an exception, the stage that took long.
        detail: the traceback, or the stack at which a process ended.
        seconds: processor time in seconds, compilation excluded.
        megabytes: peak memory beyond that of an idle process.
        stages: seconds of processor time spent in each stage.
    """

    kind: str
    cause: str = ""
    detail: str = ""
    seconds: float = 0.0
    megabytes: float = 0.0
    stages: Mapping[str, float] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether it is a failure."""
        return self.kind in FAILURES


SLOW = "slow"
FAILURES = (SLOW, "memory", "traceback", "crash", "hang")


@dataclass
class _Child:
    """A process that does a job."""

    pid: int
    log: IO[bytes]
    """File that receives the stack of Python at a fault or a limit."""
    output: bytes = b""
    began: float = field(default_factory=time.monotonic)
    overdue: bool = False


def outcomes(jobs: Iterable[tuple[Any, Work]], workers: int) -> Iterator[tuple[Any, Outcome]]:
    """Runs jobs, at most `workers` at a time; yields key and outcome of each when it ends.

    Closing the iterator kills the running jobs.
    """
    waiting = iter(jobs)
    running: dict[int, tuple[Any, _Child]] = {}
    selector = selectors.DefaultSelector()
    try:
        while True:
            for key, work in itertools.islice(waiting, workers - len(running)):
                end, child = _forked(work)
                running[end] = key, child
                selector.register(end, selectors.EVENT_READ)
            if not running:
                return
            for ready, _ in selector.select(1.0):
                key, child = running[ready.fd]
                chunk = os.read(ready.fd, 1 << 16)
                child.output += chunk
                if not chunk:
                    selector.unregister(ready.fd)
                    os.close(ready.fd)
                    del running[ready.fd]
                    _, status, usage = os.wait4(child.pid, 0)
                    with child.log:
                        yield key, _judged(child, status, usage)
            for _, child in running.values():
                if not child.overdue and time.monotonic() - child.began > MOST_WAIT:
                    child.overdue = True
                    os.kill(child.pid, signal.SIGXCPU)
    finally:
        for end, (_, child) in running.items():
            os.close(end)
            child.log.close()
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)
            os.waitpid(child.pid, 0)
        selector.close()


def outcome(work: Work) -> Outcome:
    """The outcome of a single job."""
    ((_, result),) = outcomes([(None, work)], 1)
    return result


def _forked(work: Work) -> tuple[int, _Child]:
    """The end of a pipe that a new process writes to, and the process."""
    ours, theirs = os.pipe()
    log = tempfile.TemporaryFile()  # noqa: SIM115
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(ours)
            _live(work, theirs, log)
            status = 0
        finally:
            os._exit(status)
    os.close(theirs)
    return ours, _Child(pid, log)


def _live(work: Work, end: int, log: IO[bytes]) -> None:
    """The main function of a forked process."""
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    faulthandler.enable(log)
    faulthandler.register(signal.SIGXCPU, log, chain=True)
    compiled = compile_seconds()  # before this process began
    pages = [int(number) for number in Path("/proc/self/statm").read_text().split()]
    addressed, resident = (number * resource.getpagesize() for number in pages[:2])
    resource.setrlimit(resource.RLIMIT_AS, (addressed + ADDRESSABLE,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(end, "wb", 0) as pipe:

        def say(**members: object) -> None:
            used = resource.getrusage(resource.RUSAGE_SELF)
            busy = used.ru_utime + used.ru_stime - (compile_seconds() - compiled)
            peak = used.ru_maxrss / 1024 - resident / 2**20
            members |= {"at": max(0.0, busy), "peak": peak}
            pipe.write(json.dumps(members).encode() + b"\n")

        try:
            result = work(lambda stage: say(stage=stage))
        except BaseException as problem:
            say(kind="traceback", cause=_place(problem), detail=traceback.format_exc()[-6000:])
        else:
            say(kind=result)


def _place(problem: BaseException) -> str:
    """An exception and the function of Kibitz that it came from."""
    kind = type(problem).__name__
    last = ""
    for frame, _ in traceback.walk_tb(problem.__traceback__):
        if "kibitz" in frame.f_code.co_filename or "mutants" in frame.f_code.co_filename:
            name = frame.f_code.co_filename.rpartition("kibitz/")[2].rpartition("mutants/")[2]
            last = f"{name}:{frame.f_lineno} {frame.f_code.co_name}"
    return f"{kind} in {last}"


def _judged(child: _Child, status: int, usage: resource.struct_rusage) -> Outcome:
    reports = [json.loads(line) for line in child.output.splitlines()]
    last: dict[str, Any] = reports[-1] if reports else {}
    seconds = last["at"] if "kind" in last else usage.ru_utime + usage.ru_stime
    result = Outcome(last.get("kind", ""), seconds=seconds, stages=_growth(reports, "at"))
    result.megabytes = max((report["peak"] for report in reports), default=0.0)
    child.log.seek(0)
    if result.kind:
        result.cause, result.detail = last.get("cause", ""), last.get("detail", "")
        if result.cause.startswith("MemoryError"):
            result.kind = "memory"
        elif result.kind != "traceback" and result.megabytes > MOST_MEGABYTES:
            result.kind, result.cause = "memory", _greatest(_growth(reports, "peak"))
        elif result.kind != "traceback" and seconds > SLOW_SECONDS:
            result.kind, result.cause = "slow", _greatest(result.stages)
        return result
    result.detail = child.log.read().decode(errors="replace")[-6000:]
    code = os.waitstatus_to_exitcode(status)
    hangs = child.overdue or code in (-signal.SIGXCPU, -signal.SIGKILL)
    result.kind = "hang" if hangs else "crash"
    frames = re.findall(r'File ".*?kibitz/([^"]*)", line \d+ in (\w+)', result.detail)
    where = f" in {':'.join(frames[0])}" if frames else ""
    stage = last.get("stage", "start")
    result.cause = f"{'' if hangs else f'exit code {code}, '}stage {stage}{where}"
    return result


def _growth(reports: list[dict[str, Any]], measure: str) -> dict[str, float]:
    """The growth of a measure in each stage."""
    growth: dict[str, float] = {}
    for report, following in itertools.pairwise(reports):
        growth[report["stage"]] = (
            growth.get(report["stage"], 0.0) + following[measure] - report[measure]
        )
    return growth


def _greatest(growth: Mapping[str, float]) -> str:
    """The stage in which a number grew most."""
    return f"stage {max(growth, key=lambda stage: growth[stage])}"
