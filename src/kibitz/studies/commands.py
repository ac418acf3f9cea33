"""Command lines that replay games of a playtest."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from kibitz.core import registry
from kibitz.studies.measures.examples import Example
from kibitz.studies.results import Playtest
from kibitz.studies.values import Fault, Unfinished


def record_command(playtest: Playtest, row: Unfinished | Fault | Example) -> str:
    """The command that shows a game move by move: an example, or the first that broke off."""
    return _command_line(playtest, "record", row.agents, row.seed)


def playtest_command(playtest: Playtest) -> str:
    """The command that plays the same games again."""
    agents = list(playtest.lineup)
    while len(agents) > 1 and agents[-1] == agents[-2]:
        agents.pop()  # the last one fills the seats that are left
    words = ["--games", str(playtest.wanted), *([] if playtest.rotated else ["--no-rotate"])]
    return _command_line(playtest, "playtest", agents, playtest.seed, words)


def game_name(playtest: Playtest) -> str:
    """The name of the game on a command line."""
    known = playtest.game in registry.names()
    return playtest.where or (playtest.game if known else "GAME")


def _command_line(
    playtest: Playtest, command: str, who: Sequence[str], seed: int, more: Sequence[str] = ()
) -> str:
    agents = who if len(set(who)) > 1 else who[:1]
    words = ["kibitz", command, game_name(playtest), "--players", str(playtest.players)]
    words += ["--agents", " ".join(agents), "--seed", str(seed), *more]
    parameters = playtest.parameters if playtest.randomized else playtest.changed
    for name, value in parameters.items():
        if name not in playtest.randomized:
            words += ["--set", f"{name}={value}"]
    words += ["--randomize"] * bool(playtest.randomized)
    if playtest.loops != playtest.usual_loops:
        words += ["--loops", str(playtest.loops)]
    return shlex.join(words)
