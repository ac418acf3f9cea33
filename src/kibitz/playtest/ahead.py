"""A second process compiles what a study needs later, while its first part is compiled and played.

Where nothing is in the cache yet, a study compiles for most of its time: the rules and the match
loop before the first game, then the search and the judge. The second process begins with those.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator

from kibitz.agents.kibitz import KibitzAgent
from kibitz.arena.judging import native_judge
from kibitz.arena.worker import available_cores
from kibitz.core.agent import NativeAgent, make_agent
from kibitz.core.native import compile_listeners
from kibitz.loading import load


@contextlib.contextmanager
def compiling_ahead() -> Iterator[None]:
    """If anything is compiled within the block, a second process compiles search and judge."""
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
            process.kill()  # what is in the cache by then is whole
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
