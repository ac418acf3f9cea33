"""The processes in which a player thinks: one for each match, forked by a fork server.

Rules come from strangers, and reading, grounding and searching may take any time and memory. So
each match has a process with a memory limit, which can be ended at any moment, and the service
itself does no long work. The fork server (``kibitz.workers``), started with the service, imports
and compiles everything in advance, so that a new match starts at once.

Run as ``python -m kibitz.ggp.process`` with the file descriptor of a socket, the megabytes that a
match may write to, and the descriptions of the players that will play.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import queue
import socket
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import Any

from kibitz.core.errors import KibitzError
from kibitz.core.native import compile_listeners
from kibitz.gdl import library
from kibitz.ggp.messages import Joint, Percepts, Report
from kibitz.ggp.players import AgentPlayer, make_player
from kibitz.ggp.playing import Answer, Playing, RefusedError, ReportError, Rules
from kibitz.ggp.position import Position
from kibitz.workers.forking import serve_forks

# --- a match ----------------------------------------------------------------------------------


def report_to_json(report: Report) -> Any:
    """A report as JSON, for the process of a match."""
    if isinstance(report, Joint):
        return {"moves": report.moves}
    return {"turn": report.turn, "own": report.own, "seen": report.seen}


def report_from_json(document: Any) -> Report:
    """Reads a report that ``report_to_json`` wrote."""
    if "moves" in document:
        moves = document["moves"]
        return Joint(tuple(moves) if moves is not None else None)
    return Percepts(document["turn"], document["own"], tuple(document["seen"]))


class _Match:
    """Executes the orders of the service in sequence, in the process of a match."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._rules: Rules | None = None
        self._playing: Playing | None = None
        self._sending = threading.Lock()

    def run(self) -> None:
        """Reads orders until the service closes the connection."""
        threading.Thread(target=self._work, daemon=True).start()
        with self._connection.makefile("rb") as orders:
            for line in orders:
                self._orders.put(json.loads(line))

    def _say(self, number: int, kind: str, **content: Any) -> None:
        line = json.dumps({"number": number, "what": kind, **content}) + "\n"
        with self._sending, contextlib.suppress(OSError):
            self._connection.sendall(line.encode())

    def _work(self) -> None:
        while True:
            order = self._orders.get()
            number = order["number"]
            try:
                self._do(order)
            except (RefusedError, ReportError) as problem:
                self._say(number, "refused", why=str(problem))
            except MemoryError:
                self._say(number, "refused", why="out of memory")
            except Exception as problem:  # one message must not end the match
                if os.environ.get("KIBITZ_TRACEBACK"):
                    traceback.print_exc()
                self._say(number, "refused", why=f"{type(problem).__name__}: {problem}"[:300])

    def _do(self, order: dict[str, Any]) -> None:
        number = order["number"]
        if order["do"] in ("preview", "start"):
            if self._rules is None or self._rules.source.text != order["rules"]:
                self._rules = Rules(order["rules"])
                self._rules.prepare()
        if order["do"] == "preview":
            self._say(number, "done")
            return
        if order["do"] == "start":
            self._start(order)
            return
        if self._playing is None:
            raise ReportError("no match has begun")
        report = report_from_json(order["report"])
        if order["do"] == "play":
            answer = self._playing.answer(
                report, order["deadline"], lambda first: self._say(number, "first", **_json(first))
            )
            self._say(number, "done", **_json(answer))
            if order["ponder"]:
                self._playing.ponder()
        else:
            self._say(number, "done", goals=self._playing.finish(report))

    def _start(self, order: dict[str, Any]) -> None:
        assert self._rules is not None
        self._playing = Playing(
            order["role"],
            self._rules,
            make_player(order["player"]),
            order["seed"],
            lambda: not self._orders.empty(),
        )
        playing, number = self._playing, order["number"]
        self._say(number, "accepted", role=playing.role, secret=playing.secret)
        self._say(number, "done", evaluation=playing.get_ready(order["deadline"]))
        playing.look_ahead()


def _json(answer: Answer) -> dict[str, Any]:
    return dataclasses.asdict(answer)


# --- the fork server --------------------------------------------------------------------------

GAMES = ("gdl-tic-tac-toe", "light-cycles", "kriegspiel-tic-tac-toe")
"""Games that together need all code that is compiled for GDL games and agents."""


def warm(descriptions: Sequence[str]) -> None:
    """Compiles and loads what players need, by making a move in each game; starts no threads.

    Raises:
        KibitzError: a player cannot be made from its description.
    """
    games = [library.game(name) for name in GAMES]
    positions = [Position(game, 0) for game in games]
    for description in descriptions:
        for position in positions:
            player = make_player(description)
            if isinstance(player, AgentPlayer):
                player.begin(position, 0, 0.01)
                player.decide(position, 0, 0.01)


def main(descriptions: Sequence[str], descriptor: int, megabytes: int) -> None:
    """Compiles what the players need, and forks a process for each match."""
    control = socket.socket(fileno=descriptor)
    compile_listeners.append(_announce)
    try:
        warm(descriptions)
    except KibitzError as problem:
        control.sendall(str(problem).encode()[:4000])
        return
    serve_forks(control, megabytes, lambda connection: _Match(connection).run())


_announced = set[str]()


def _announce(name: str) -> None:
    """Prints a line at the first compilation of each name: some are compiled several times."""
    if name in _announced:
        return
    _announced.add(name)
    text = f"Compiling {name}, which is done once; players listen after that ..."
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[3:], int(sys.argv[1]), int(sys.argv[2]))
    os._exit(0)  # without the clean-up of imported modules, which takes a fifth of a second
