"""Other versions of this project beside this checkout: unpacked from Git, run in processes.

The dependencies of another version are those of this environment.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
"""This checkout."""


@contextlib.contextmanager
def unpacked(revision: str) -> Iterator[Path]:
    """The folder with the sources of another version, as Git names it, until the block ends.

    Raises:
        SystemExit: there is no such version.
    """
    git = ["git", "-C", str(ROOT), "archive", revision, "src"]
    done = subprocess.run(git, check=False, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"{revision}: no version that Git knows: {done.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as packed:
            packed.extractall(folder, filter="data")
        yield Path(folder)


class Worker:
    """A process in which one of this checkout's benchmarks imports a version of Kibitz.

    Args:
        checkout: the folder of the version.
        module: the benchmark.
        arguments: of its command line.
        measured: what is measured, for messages.
    """

    def __init__(
        self, checkout: Path, module: str, arguments: Sequence[str], measured: str
    ) -> None:
        self._measured = measured
        found = [str(checkout / "src"), str(ROOT), *os.environ.get("PYTHONPATH", "").split(":")]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, found))},
        )

    def send(self, line: str) -> None:
        """Sends a line to the process."""
        assert self._process.stdin is not None
        print(line, file=self._process.stdin, flush=True)

    def receive(self) -> str:
        """The next line that the process prints.

        Raises:
            SystemExit: the process has ended; its own error is on the terminal.
        """
        assert self._process.stdout is not None
        if line := self._process.stdout.readline():
            return line.rstrip("\n")
        raise SystemExit(f"{self._measured}: a version cannot be measured; its error is above")

    def ask(self, line: str) -> str:
        """Sends a line and returns the answer."""
        self.send(line)
        return self.receive()

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()
