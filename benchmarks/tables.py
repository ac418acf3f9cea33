"""Many tables at once: how long a click takes, and whether memory grows with games.

``python -m benchmarks.tables [--tables N] [--clicks N] [--games N]``. The tables are those of the
server, in its event loop, with an agent each and with a page's work for each viewer: the picture,
the options and the log as HTML. Thinking is left out: agents have one iteration, and wait for
nothing. A click is answered when its viewer's HTML is there. The network and the browser are not
measured.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Check, verdict
from kibitz.web import showing
from kibitz.web.choosing import Choice
from kibitz.web.games import GameChoice
from kibitz.web.hall import Hall, LiveTable
from kibitz.web.scene import Scene
from kibitz.web.tables import HostedTable
from kibitz.web.workspace import TABLES, Workspace

GAMES = ("love-letter", "hearts", "tic-tac-toe", "connect-four", "uno")
AGENT = "kibitz:iterations=1"
LIMIT = 200.0
"""Milliseconds in which 95 of 100 clicks are promised to be answered."""
GROWTH = 10.0
"""Megabytes by which a server may grow over the games of the second half."""
WIDTH = 960
THINKS = 1.5
"""Seconds between two clicks of a person."""


class Person:
    """Somebody who plays one game after the other, and looks at the table after every change."""

    def __init__(self, hall: Hall, number: int, game: str) -> None:
        self.hall, self.game = hall, game
        self.chance = random.Random(number)
        self.answers: list[float] = []
        self.games = 0
        self.scene = Scene()
        self.live: LiveTable | None = None
        self.changed = asyncio.Event()
        self.view: showing.View | None = None
        self.is_stale = False
        self.looking: asyncio.Task[None] | None = None

    async def sit_down(self) -> None:
        """Opens a table, and leaves the last one."""
        if self.live is not None:
            self.live.listeners.discard(self.look)
        choice = GameChoice(self.game)
        players = choice.game().players[0]
        seats = [None, *[AGENT] * (players - 1)]
        seed = self.chance.randrange(10**6)
        self.live = await self.hall.open(
            choice, HostedTable.open, choice, players, {}, seats, seed=seed
        )
        self.live.set_pace(0.0)
        self.live.listeners.add(self.look)
        self.scene = Scene()

    def look(self) -> None:
        """What a page does at every change: it looks again, once it has looked."""
        self.is_stale = True
        if self.looking is None or self.looking.done():
            self.looking = asyncio.create_task(self.keep_up())

    async def keep_up(self) -> None:
        """Makes the HTML of the table, until it is that of the latest position."""
        while self.is_stale:
            self.is_stale = False
            assert self.live is not None
            view = await self.live.look(showing.View.of, 0)
            choice = Choice.of(view.legal)
            picture = await self.live.look(showing.picture, 0, view.tick, choice, WIDTH)
            if picture is not None:
                self.scene.show(picture, 450)
            showing.options(view, choice)
            self.view = view
        self.changed.set()

    async def click(self) -> None:
        """Plays a random action, when it is one's turn; notes how long the answer took."""
        assert self.live is not None
        live = self.live
        while live.standing.awaits is None and not live.standing.is_over:
            self.changed.clear()
            await self.changed.wait()
        if live.standing.is_over:
            self.games += 1
            await self.sit_down()
            return
        if self.view is None or self.view.tick != live.standing.tick:
            self.look()
        if self.looking is not None:
            await self.looking
        assert self.view is not None
        began = time.perf_counter()
        await live.play(0, self.chance.choice(self.view.legal), self.view.tick)
        if self.looking is not None:
            await self.looking
        self.answers.append(1000 * (time.perf_counter() - began))


async def clicks(people: list[Person], number: int) -> float:
    """Lets everybody click so often, now and then; returns the CPU milliseconds for each."""

    async def play(person: Person) -> None:
        for _ in range(number):
            await asyncio.sleep(person.chance.uniform(0, 2 * THINKS))
            await person.click()

    began = time.process_time()
    await asyncio.gather(*map(play, people))
    return 1000 * (time.process_time() - began) / sum(len(p.answers) for p in people)


def resident() -> float:
    """Megabytes of memory in use."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / 1e6


async def games(hall: Hall, number: int) -> float:
    """Plays so many games at tables one after the other; the growth over the second half."""
    person = Person(hall, 1, "tic-tac-toe")
    await person.sit_down()
    marks: list[float] = []
    while person.games < number:
        if person.games in (number // 2, 0) and len(marks) < 1 + (person.games > 0):
            marks.append(resident())
            print(f"after {person.games} games: {marks[-1]:.1f} MB", flush=True)
        await person.click()
        for name in hall.workspace.names(TABLES, ".json")[:-100]:
            hall.workspace.remove(TABLES, name)
    marks.append(resident())
    print(f"after {person.games} games: {marks[-1]:.1f} MB", flush=True)
    return marks[-1] - marks[-2]


async def measure(tables: int, number: int, played: int) -> list[Check]:
    """Measures both."""
    with tempfile.TemporaryDirectory() as folder:
        hall = Hall(Workspace(Path(folder)))
        people = [Person(hall, n, GAMES[n % len(GAMES)]) for n in range(tables)]
        for person in people:
            await person.sit_down()
        cpu = await clicks(people, number)
        answers = sorted(answer for person in people for answer in person.answers)
        within = answers[int(0.95 * len(answers))]
        print(
            f"{tables} tables, {len(answers)} clicks: median {answers[len(answers) // 2]:.0f} ms, "
            f"95 % {within:.0f} ms, longest {answers[-1]:.0f} ms; {cpu:.1f} ms of CPU time for a "
            "click with the agents' answers",
            flush=True,
        )
        for person in people:
            assert person.live is not None
            person.live.listeners.discard(person.look)
        found = [
            Check(f"milliseconds of 95 of 100 clicks at {tables} tables", within, LIMIT, False)
        ]
        if played:
            grown = await games(hall, played)
            found.append(
                Check(f"megabytes more after {played // 2} more games", grown, GROWTH, False)
            )
        hall.close()
        return found


def main() -> int:
    """Measures; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--clicks", type=int, default=20)
    parser.add_argument("--games", type=int, default=1000)
    options = parser.parse_args()
    return verdict(asyncio.run(measure(options.tables, options.clicks, options.games)))


if __name__ == "__main__":
    sys.exit(main())
