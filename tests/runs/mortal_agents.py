"""Agents in Python whose processes end in the middle of a game; other processes import them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from kibitz.core.agent import Agent, AgentOptions
from kibitz.core.parameters import Tunable
from kibitz.core.state import State

MARKS = "KIBITZ_TEST_MARKS"
"""The variable that names a folder. A process that finds a file ``kill...`` in it removes the file
and dies; one that lives leaves a file ``lived-PID``."""


class Mortal(Agent):
    """Plays the last legal action, if its process lives."""

    name = "mortal"

    class Options(AgentOptions):
        """The time that the agent thinks."""

        milliseconds = Tunable(0, range(100_000), "that it thinks of every action")

    def choose(self, state: State) -> int:
        """The last action."""
        if folder := os.environ.get(MARKS):
            (Path(folder) / f"lived-{os.getpid()}").touch()
            for mark in Path(folder).glob("kill*"):
                with contextlib.suppress(FileNotFoundError):  # another process dies of it
                    mark.unlink()
                    os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(self.options.milliseconds / 1000)
        return state.legal_actions()[-1]


class Raising(Agent):
    """Fails as the game goes on."""

    name = "raising"

    def choose(self, state: State) -> int:
        """The first action, or an exception."""
        if state.tick > 2:
            raise ZeroDivisionError("too late")
        return state.legal_actions()[0]
