"""Compiles the search and the judge in a second process while a study plays its first part.

With an empty cache a study spends most of its time compiling: the rules and the match loop before
the first game, then the search and the judge. The second process compiles the latter two.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator

from kibitz.arena.judging import native_judge
from kibitz.arena.worker import available_cores
from kibitz.core.agent import NativeAgent, make_agent
from kibitz.core.native import compile_listeners
from kibitz.loading import load
from kibitz.players.kibitz import KibitzAgent


@contextlib.contextmanager
def compiling_ahead() -> Iterator[None]:
    """Starts a second process for the search and the judge once the block compiles anything."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(_: str) -> None:
        if not processes:
            # -P: nothing is imported from the folder in which the user happens to be
            command = [sys.executable, "-P", "-m", __name__]
            silent = subprocess.DEVNULL
            processes.append(subprocess.Popen(command, stdin=silent, stdout=silent, stderr=silent))

    if available_cores() < 2:
        yield
        return
    compile_listeners.append(start)
    try:
        yield
    finally:
        compile_listeners.remove(start)
        for process in processes:
            process.kill()  # complete entries stay in the cache
            process.wait()


def main() -> None:
    """Compiles the searches and the judge, the slowest first."""
    agents = [KibitzAgent().player_at(load("tic-tac-toe").table()), make_agent("osla")]
    for agent in agents:
        if isinstance(agent, NativeAgent):
            agent.compile()
    native_judge()


if __name__ == "__main__":
    main()
