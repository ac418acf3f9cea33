"""``python -m tests.interrupts 1000`` interrupts commands at as many random moments.

Each time a command runs in a folder and a session of its own, on a terminal or on pipes; at a
moment of its life a signal comes (now and then another one after it), or its terminal, its input
or the reader of its output goes. Then it has to end by itself soon, with the exit code that says
why, without a traceback, leaving no process and no file that is not whole.

Most commands are forked from this process, which has imported and loaded what they need, so that
a moment takes a second; one in six is a new Python, and one in forty of those that compile finds
no machine code kept. Each failure is printed with the number of its moment, which
``--only NUMBER`` repeats; ``--seed`` draws other ones; there are as many ``--workers`` as cores.
Do not change Kibitz's files meanwhile: modules that are imported late would not fit. Linux only.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import faulthandler
import fcntl
import json
import os
import pty
import random
import select
import shutil
import signal
import sys
import tempfile
import termios
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kibitz.sessions.recording import verify
from kibitz.sessions.records import Record

PATIENCE = 30.0
"""Seconds in which a command, and then its processes, must end; the machine may be busy."""
LONGEST = 1.5
"""Seconds after the start of a command in which moments may lie."""
START = 0.3
"""Seconds after the start of a command in which most of the moments lie."""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
BAD = ("Traceback", "Segmentation fault", "Fatal Python error", "Exception ignored")

THINKS = "ismcts:iterations=100000000"
TYPED = b"1\n" * 300
PASSED = b"1\n" * 3
"""Input for a game whose other players think without end; input typed ahead is still read."""


@dataclass(frozen=True)
class Command:
    """A command to interrupt.

    Attributes:
        words: The words of the command line.
        typed: Bytes written to its input as it starts.
        service: Whether it runs until it is interrupted, so that an interrupt is no failure.
    """

    words: tuple[str, ...]
    typed: bytes = b""
    service: bool = False


def command(line: str, typed: bytes = b"", service: bool = False) -> Command:
    return Command(tuple(line.split()), typed, service)


COMMANDS = (
    command(
        "play tic-tac-toe --seat 2 --against mcts:iterations=20000 --quick --out kept.json", TYPED
    ),
    command(f"play hearts --against {THINKS} --quick --out kept.json", PASSED),
    command("play uno --players 4 --against random --quick --out kept.json", TYPED),
    command("play colt-express --players 3 --against random --quick --out kept.json", TYPED),
    command("record hearts --agents ismcts:iterations=300 --out kept.json"),
    command("record love-letter --players 3 --agents ismcts:iterations=2000 --out kept.json"),
    command("record tic-tac-toe --agents mcts:loop=closed,iterations=20000 --out kept.json"),
    command("record uno --players 3 --agents random --json kept.json --out kept.txt"),
    command("playtest love-letter --games 60000 --agents random --json kept.json"),
    command("playtest hearts --games 3 --agents rhea:iterations=40 --json kept.json"),
    command("playtest tic-tac-toe --vary size=3,4 --games 50000 --agents random --json kept.json"),
    command("playtest hearts --games 3 --agents pimc:iterations=20"),
    command("check tic-tac-toe"),
    command("check love-letter --games 2"),
    command("check copy.rcy"),
    command("check copy.kif"),
    command("ggp player --agent mcts --port 0", service=True),
    command("ggp match nim --players random,mcts --start 1 --play 1 --out kept.json"),
    command("ggp match copy.kif --players legal,ggp --start 2 --play 1 --states --out kept.json"),
)


@dataclass(frozen=True)
class Moment:
    """When and how a command is interrupted.

    Attributes:
        number: The number of the moment, which determines the other attributes with the seed.
        command: The command that is interrupted.
        cold: Whether a new Python runs the command, and not a fork of this process.
        cache: Whether the command finds machine code.
        terminal: Whether the command runs on a terminal, and not on pipes.
        when: Seconds from the start of the command.
        what: A signal, or the stream that is closed: ``terminal``, ``input`` or ``output``.
        group: Whether the signal goes to all processes of the session, as from a terminal.
        again: Another signal and the seconds after the first, or ``None``.
    """

    number: int
    command: Command
    cold: bool
    cache: bool
    terminal: bool
    when: float
    what: signal.Signals | str
    group: bool
    again: tuple[signal.Signals, float] | None

    def __str__(self) -> str:
        how = ["cold" if self.cold else "forked", "terminal" if self.terminal else "pipes"]
        how += ["" if self.cache else "compiles", "group" if self.group else ""]
        event = f"{self.what}" if isinstance(self.what, str) else self.what.name
        if self.again:
            event += f" and {self.again[0].name} {self.again[1]:.3f} s after it"
        words = " ".join(self.command.words)
        return (
            f"{self.number}: {words} ({', '.join(filter(None, how))}): {self.when:.3f} s: {event}"
        )


def drawn(seed: int, number: int, lives: Callable[[Command, bool], float]) -> Moment:
    """Draws the moment with this number."""
    chance = random.Random(f"{seed} {number}")
    chosen = COMMANDS[number % len(COMMANDS)]
    cold = chance.random() < 1 / 6
    cache = not (cold and chance.random() < 1 / 7)
    terminal = chance.random() < 0.5
    life = 3 * LONGEST if not cache else lives(chosen, cold)
    when = chance.uniform(0, START if chance.random() < 0.2 else 1.05 * life)
    event: signal.Signals | str = chance.choice(SIGNALS)
    if chance.random() < 0.2:
        closing = ["terminal"] if terminal else ["input", "output"]
        event = chance.choice(closing)
    again = None
    if isinstance(event, signal.Signals) and chance.random() < 0.25:
        again = chance.choice(SIGNALS), chance.choice([0.0, chance.uniform(0, 0.3), 1.1])
    return Moment(number, chosen, cold, cache, terminal, when, event, chance.random() < 0.5, again)


@dataclass
class Running:
    """A process that runs a command, and this side of its ends."""

    pid: int
    inputs: int
    outputs: list[int]
    began: float = field(default_factory=time.monotonic)
    said: bytes = b""
    status: int | None = None
    interrupted: float | None = None
    """When it was interrupted; ``None``: it had ended before."""
    ended: float = 0.0

    def wait(self, until: float) -> bool:
        """Reads what it says until it has ended, or until a time; whether it has ended."""
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                self.ended = time.monotonic()
            seconds = until - time.monotonic()
            if self.status is None and seconds <= 0:
                return False
            self._read(0.0 if self.status is not None else min(0.01, seconds))
        return True

    def _read(self, seconds: float) -> None:
        ready, _, _ = select.select(self.outputs, [], [], seconds)
        for end in ready:
            chunk = b""
            with contextlib.suppress(OSError):  # a terminal without a process
                chunk = os.read(end, 1 << 16)
            self.said += chunk
            if not chunk:
                self.outputs.remove(end)
                if end != self.inputs:
                    os.close(end)

    def close(self, streams: str) -> None:
        """Closes this side of its terminal, its input or its output; ``all`` of them."""
        if streams in ("terminal", "input", "all") and self.inputs >= 0:
            os.close(self.inputs)
            if self.inputs in self.outputs:
                self.outputs.remove(self.inputs)
            self.inputs = -1
        if streams == "output" and self.outputs:
            os.close(self.outputs.pop(0))
        if streams == "all":
            while self.outputs:
                os.close(self.outputs.pop())

    def kill(self, number: signal.Signals, group: bool) -> None:
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.pid, number)


class Forked(BaseException):
    """Raised in a forked process: the command that it has become is to be run."""


def begin(moment: Moment, folder: Path) -> Running:
    """Has a new process run a command.

    Raises:
        Forked: this is the process.
    """
    shutil.copy(COPIES / "whist.rcy", folder / "copy.rcy")
    shutil.copy(COPIES / "gdl-tic-tac-toe.kif", folder / "copy.kif")
    sys.stdout.flush()
    sys.stderr.flush()
    if moment.terminal:
        ours, theirs = pty.openpty()
        ends, mine = [theirs] * 3, (ours, [ours])
    else:
        (in_read, in_write), (out_read, out_write), (error_read, error_write) = (
            os.pipe() for _ in range(3)
        )
        ends, mine = [in_read, out_write, error_write], (in_write, [out_read, error_read])
    pid = os.fork()
    if pid == 0:
        for end in (mine[0], *mine[1]):
            with contextlib.suppress(OSError):
                os.close(end)
        _become(moment, folder, ends)
        raise Forked
    for end in set(ends):
        os.close(end)
    os.write(mine[0], moment.command.typed)
    return Running(pid, *mine)


def _become(moment: Moment, folder: Path, ends: list[int]) -> None:
    os.setsid()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if moment.terminal:
        with contextlib.suppress(OSError):  # it was closed already
            fcntl.ioctl(ends[0], termios.TIOCSCTTY, 0)
    for descriptor, end in enumerate(ends):
        os.dup2(end, descriptor)
    for end in set(ends):
        os.close(end)
    os.chdir(folder)
    os.environ["COLUMNS"] = "80"
    if not moment.cache:
        os.environ["KIBITZ_CACHE"] = str(folder / ".cache")
    if moment.cold:
        os.environ["PYTHONFAULTHANDLER"] = "1"
        os.execv(sys.executable, [sys.executable, "-m", "kibitz", *moment.command.words])
    faulthandler.enable(2)
    faulthandler.register(signal.SIGUSR1, 2)  # for one that hangs
    buffering = 1 if moment.terminal else -1
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", buffering, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, closefd=False)  # noqa: SIM115
    sys.argv = ["kibitz", *moment.command.words]


COPIES = Path()
"""The folder from which rules are copied."""


def interrupted(moment: Moment, folder: Path) -> tuple[Running, list[str]]:
    """Interrupts a command once; returns its process and what went wrong."""
    running = begin(moment, folder)
    wrong = []
    if not running.wait(running.began + moment.when):
        running.interrupted = time.monotonic()
        if isinstance(moment.what, str):
            running.close(moment.what)
        else:
            running.kill(moment.what, moment.group)
        if moment.again:
            number, after = moment.again
            running.wait(time.monotonic() + after)
            if running.status is None:
                running.kill(number, moment.group)
    reads = bool(moment.command.typed) and moment.cache  # while it compiles it does not
    waits = moment.what == "output" or (moment.what == "input" and not reads)  # it may go on
    if not running.wait(time.monotonic() + (PATIENCE / 10 if waits else PATIENCE)):
        if not waits:
            wrong.append(f"goes on after {PATIENCE:g} s")
            running.kill(signal.SIGUSR1, False)
            running.wait(time.monotonic() + 0.5)
        running.kill(signal.SIGTERM if waits else signal.SIGKILL, False)
        if not running.wait(time.monotonic() + PATIENCE):
            wrong.append("does not end at SIGTERM either")
            running.kill(signal.SIGKILL, False)
            running.wait(time.monotonic() + PATIENCE)
    wrong += _wrong_processes()
    running.close("all")
    expected = {0}
    for number in _signals_of(moment, waits):
        expected |= {128 + number, -number}
    text = running.said.decode(errors="replace")
    if moment.cold and "KeyboardInterrupt" in text and "kibitz" not in text:
        return running, wrong_files(folder)  # Python had not come as far as Kibitz
    if running.status not in expected:
        wrong.append(f"exit code {running.status}, not one of {sorted(expected)}")
    wrong += [f"says {bad!r}" for bad in BAD if bad in text]
    wrong += wrong_files(folder)
    return running, wrong


def _signals_of(moment: Moment, waits: bool) -> Iterator[int]:
    """The signals that may have ended the command."""
    if isinstance(moment.what, signal.Signals):
        yield moment.what
    else:
        yield {"output": signal.SIGPIPE}.get(moment.what, signal.SIGHUP)
    if moment.again:
        yield moment.again[0]
    if waits:
        yield signal.SIGTERM


def _wrong_processes() -> list[str]:
    """Waits for all processes that a command has started; names and kills those that remain."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.01)
        except ChildProcessError:
            return []
    faults = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int((place / "stat").read_text().rpartition(")")[2].split()[1]) == os.getpid():
                words = (place / "cmdline").read_text().replace("\0", " ")
                faults.append(f"leaves the process {place.name}: {words}")
                os.kill(int(place.name), signal.SIGKILL)
    return faults


def wrong_files(folder: Path) -> list[str]:
    """Problems of the files that a command left: incomplete records and temporary files."""
    wrong = []
    for file in folder.iterdir():
        try:
            if file.name == "kept.json":
                document = json.loads(file.read_text())
                if "final_state" in document:
                    verify(Record.read(file))
            elif file.name.startswith(".") and file.is_file():
                wrong.append(f"leaves {file.name}")
        except Exception as problem:
            wrong.append(f"{file.name}: {problem}")
            shutil.copy(file, Path(tempfile.gettempdir()) / f"wrong-{folder.name}-{file.name}")
    return wrong


def warm() -> None:
    """Imports and loads what commands need, so that their forks have it."""
    import readline  # noqa: F401

    import kibitz
    import kibitz.__main__
    from kibitz import checks as conformance  # noqa: F401
    from kibitz.cli import app  # noqa: F401
    from kibitz.core.agent import make_agent
    from kibitz.gdl import simulation  # noqa: F401
    from kibitz.ggp import manager, players, service, tournament  # noqa: F401
    from kibitz.sessions import recording, session, transcript  # noqa: F401
    from kibitz.studies import report, variants  # noqa: F401

    for name, agents in {
        "tic-tac-toe": ["random", "mcts", "mcts:loop=closed"],
        "hearts": ["ismcts", "rhea", "pimc", "random"],
        "love-letter": ["ismcts", "random"],
        "uno": ["random"],
        "colt-express": ["random"],
        "gdl-tic-tac-toe": ["random", "mcts", "ggp"],
        "nim": ["random", "mcts"],
    }.items():
        table = kibitz.load(name).table()
        for agent in agents:
            make_agent(agent).bind(table)
        table.new_state(1)


def main() -> None:
    global COPIES
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("moments", type=int, nargs="?", default=1000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, action="append", help="a number of a moment")
    arguments = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="interrupts-"))
    COPIES = place / "rules"
    _copy_rules(COPIES)
    warm()
    known: dict[tuple[Command, bool], float] = {}

    def life(chosen: Command, cold: bool) -> float:
        if (chosen, cold) not in known:
            folder = place / f"life-{os.getpid()}-{len(known)}"
            folder.mkdir()
            uninterrupted = Moment(
                -1, chosen, cold, True, True, LONGEST, signal.SIGKILL, True, None
            )
            running, _ = interrupted(uninterrupted, folder)
            known[chosen, cold] = min(LONGEST, time.monotonic() - running.began)
        return known[chosen, cold]

    def tried(number: int) -> Result:
        moment = drawn(arguments.seed, number, life)
        folder = place / str(number)
        folder.mkdir()
        running, wrong = interrupted(moment, folder)
        if wrong or arguments.only:
            output = running.said.decode(errors="replace").replace("1\r\n", "")  # an echo
            shown = "    | " + output[-3000:].replace("\n", "\n    | ")
            print(f"{moment}\n  " + "\n  ".join(wrong) + f"\n{shown}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        event = moment.what if isinstance(moment.what, str) else moment.what.name
        late = running.interrupted is None or moment.what in ("input", "output")
        seconds = None if late else running.ended - float(running.interrupted or 0)
        return {
            "command": " ".join(moment.command.words[: 2 + (moment.command.words[0] == "ggp")]),
            "what": event,
            "status": "wrong" if wrong else str(running.status),
            "seconds": seconds,
        }

    numbers = list(arguments.only or range(arguments.moments))
    results = in_processes(tried, numbers, place, arguments.workers)
    shutil.rmtree(place, ignore_errors=True)
    print(summary(results))
    sys.exit(len(results) < len(numbers) or any(result["status"] == "wrong" for result in results))


Result = dict[str, Any]
"""A moment's result: the command, what happened to it, its exit code, seconds to its end."""


def in_processes(
    tried: Callable[[int], Result], numbers: list[int], place: Path, workers: int
) -> list[Result]:
    """Tries moments in several processes forked from this one and returns their results."""
    pids = []
    for worker in range(workers):
        pid = os.fork()
        if pid == 0:
            ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come to us
            with (place / f"results-{worker}").open("w") as file:
                for number in numbers[worker::workers]:
                    result = tried(number)
                    file.write(json.dumps(result) + "\n")
                    file.flush()
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)
    files = place.glob("results-*")
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def summary(results: list[Result]) -> str:
    """How many moments there were, by command, by what happened, by result; the slowest end."""
    lines = [f"{len(results)} moments"]
    for key in ("command", "what", "status"):
        counts = Counter(result[key] for result in results)
        lines.append(f"  {key}: " + ", ".join(f"{k} {n}" for k, n in sorted(counts.items())))
    timed = sorted(
        (result["seconds"], result["command"]) for result in results if result["seconds"]
    )
    if timed:
        seconds, worst = timed[-1]
        median = timed[len(timed) // 2][0]
        lines.append(f"  seconds to the end: median {median:.2f}, worst {seconds:.2f} ({worst})")
    wrong = sum(result["status"] == "wrong" for result in results)
    return "\n".join([*lines, f"{wrong} wrong"])


def _copy_rules(folder: Path) -> None:
    import kibitz.gdl.library
    import kibitz.recycle.library

    folder.mkdir()
    for module, name in (
        (kibitz.recycle.library, "whist.rcy"),
        (kibitz.gdl.library, "gdl-tic-tac-toe.kif"),
    ):
        shutil.copy(Path(str(module.__file__)).parent / name, folder / name)


if __name__ == "__main__":
    try:
        main()
    except Forked:
        pass
    else:
        sys.exit()
    from kibitz.__main__ import main as run

    run()
