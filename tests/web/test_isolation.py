"""Texts that take too long, too much memory, or crash: their processes end, all others go on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.fork_servers import kept_fork_servers
from tests.web import hostile

import kibitz
from kibitz.core.errors import KibitzError
from kibitz.sessions.taking_back import NotTakenBackError
from kibitz.web import actors
from kibitz.web import hall as hall_module
from kibitz.web.actors import CHECK, Actor, CallLimit, GameEndedError
from kibitz.web.games import GameChoice
from kibitz.web.hall import Hall, LiveTable, PendingRun
from kibitz.web.limits import LimitReachedError
from kibitz.web.live_playtests import LivePlaytest, Setup
from kibitz.web.tables import HostedTable, Request, Role
from kibitz.web.workspace import TABLES, Workspace

__all__ = ["kept_fork_servers"]

pytestmark = pytest.mark.usefixtures("kept_fork_servers")

_, KUHN = kibitz.load("kuhn-poker").rules_text or ("", "")
CHOICE = GameChoice("kuhn.rcy", KUHN)
OPEN = GameChoice(
    "open.rcy",
    """(game
 (setup (create players 3) (create deck (game vloc STOCK) (deck (NAME (A, B, C, D, E, F, G)))))
 (stage player (end (== (size (game vloc STOCK)) 0))
  (choice ((any (game vloc STOCK) 'C (move 'C (top ((current player) vloc WON)))))))
 (scoring max (size ((current player) vloc WON))))""",
)
"""A game without chance and secrets, in which every choice may be taken back."""
SOON = CallLimit("this test", 0.5)
NICER = os.nice(0) + 10
"""The least niceness of a process that plays the rules of a stranger."""


def in_hall(folder: Path, course: Callable[[Hall], Awaitable[None]]) -> None:
    async def all_of_it() -> None:
        hall = Hall(Workspace(folder))
        try:
            await course(hall)
        finally:
            hall.close()

    asyncio.run(asyncio.wait_for(all_of_it(), 300))  # the first time machine code is compiled


async def opened(hall: Hall) -> LiveTable:
    return await hall.open(CHOICE, HostedTable.open, CHOICE, 2, {}, [None, None], seed=1)


def test_what_takes_too_much_ends_with_its_cause(tmp_path: Path) -> None:
    async def course(hall: Hall) -> None:
        run = hall.processes.run
        assert await run(CHECK, hostile.niceness) >= NICER
        for work, effort, cause in (
            (hostile.spin, SOON, "took more than 0.5 seconds for this test"),
            (hostile.eat, CHECK, "need more than 1,000 MB"),
            (hostile.die, CHECK, "has ended by itself"),
            (hostile.not_plain, CHECK, "is no plain data"),
        ):
            with pytest.raises(GameEndedError, match=cause):
                await run(effort, work)
        assert await run(CHECK, hostile.niceness) >= NICER
        assert len(hall.processes) == 0

    in_hall(tmp_path, course)


def test_a_game_that_never_answers_ends_alone(tmp_path: Path) -> None:
    async def course(hall: Hall) -> None:
        bad, good = await opened(hall), await opened(hall)
        calls: list[int] = []
        bad.listeners.add(lambda: calls.append(1))
        first = bad.standing.awaits
        assert first is not None
        [action, *_] = await bad.look(_legal)
        await bad.play(first, action, 0)
        with pytest.raises(GameEndedError):
            await bad.actor.call(SOON, hostile.spin)
        with pytest.raises(GameEndedError):
            await bad.look(HostedTable.record_text)
        assert "took more than 0.5 seconds" in bad.trouble
        assert "Load the page again" in bad.trouble
        assert len(calls) > 1
        assert not bad.is_thinking

        assert "kuhn" in await good.look(HostedTable.record_text)
        [action, *_] = await good.look(_legal)
        await good.play(good.standing.awaits or 0, action, 0)
        assert good.standing.tick > 0

        again = await hall.find(bad.card.id)  # as it was when it was last changed
        assert again is not None
        assert again is not bad
        assert again.standing.tick == bad.standing.tick > 0
        assert not again.trouble
        assert await hall.find(good.card.id) is good

    in_hall(tmp_path, course)


def _legal(hosted: HostedTable) -> list[int]:
    return list(hosted.session.state.legal_actions())


def test_taking_back_and_asking_for_it_go_through_the_process(tmp_path: Path) -> None:
    seats = [None, None, "random"]
    first, second = Role((0,)), Role((1,))

    async def course(hall: Hall) -> None:
        live = await hall.open(OPEN, HostedTable.open, OPEN, 3, {}, seats, seed=1)
        live.set_pace(None)
        with pytest.raises(KibitzError, match="you have not chosen yet"):
            await live.take_back(first)
        for seat in (0, 1):
            [action, *_] = await live.look(_legal)
            await live.play(seat, action, seat)
        assert live.is_thinking
        assert not await live.take_back(first)
        assert live.standing.request == Request((0,), 2, frozenset({1}))
        assert not live.is_thinking  # agents wait for the answer
        with pytest.raises(KibitzError, match="nobody asks"):
            await live.answer(Role(), accepts=True)  # who looks on has no say
        assert not await live.answer(second, accepts=False)
        assert live.standing.request is None
        assert live.is_thinking
        assert not await live.take_back(first)
        assert await live.answer(second, accepts=True)
        assert live.standing.tick == 0
        assert live.standing.request is None

    in_hall(tmp_path, course)


def test_why_nothing_is_taken_back_comes_from_the_process(tmp_path: Path) -> None:
    async def course(hall: Hall) -> None:
        live = await opened(hall)
        mover = Role((live.standing.awaits or 0,))
        [action, *_] = await live.look(_legal)
        await live.play(mover.seats[0], action, 0)
        [action, *_] = await live.look(_legal)
        await live.play(live.standing.awaits or 0, action, live.standing.tick)
        assert "hidden" in live.standing.obstacle(mover) or live.standing.is_over
        with pytest.raises(NotTakenBackError):
            await live.take_back(mover)

    in_hall(tmp_path, course)


def test_opinions_come_from_the_process_of_the_table(tmp_path: Path) -> None:
    async def course(hall: Hall) -> None:
        live = await opened(hall)
        shown: list[tuple[float, ...]] = []
        watching = asyncio.create_task(
            live.watch(0, lambda opinion: shown.append(opinion.chances))
        )
        while len(shown) < 2:
            await asyncio.sleep(0.01)
        watching.cancel()
        assert all(sum(chances) == pytest.approx(1) for chances in shown)

    in_hall(tmp_path, course)


def test_rules_that_cannot_be_set_up_in_time_open_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actors, "OPEN", CallLimit("setting up the game", 1.0))
    choice = GameChoice("closure.kif", hostile.closure(6000))

    async def course(hall: Hall) -> None:
        with pytest.raises(GameEndedError, match="more than 1 seconds for setting up the game"):
            await hall.open(choice, HostedTable.open, choice, 2, {}, [None, None], seed=1)
        assert len(hall.processes) == 0
        assert hall.workspace.names(TABLES, ".json") == []

    in_hall(tmp_path, course)


def test_who_leaves_ends_a_check_at_once(tmp_path: Path) -> None:
    async def course(hall: Hall) -> None:
        mark = tmp_path / "mark"
        checking = [asyncio.create_task(hall.processes.run(CHECK, hostile.spin)) for _ in range(6)]
        await asyncio.sleep(0.3)
        for task in checking:
            task.cancel()
        await asyncio.gather(*checking, return_exceptions=True)
        mark.write_text("there")
        assert await hall.processes.run(CHECK, hostile.wait_for, mark) == "there"

    in_hall(tmp_path, course)


def test_processes_are_limited_and_idle_tables_give_theirs_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hall_module, "most_processes", lambda: 2)

    async def course(hall: Hall) -> None:
        tables = [await opened(hall) for _ in range(3)]
        assert [bool(table.actor.problem) for table in tables] == [True, False, False]
        for table in tables[1:]:
            table.listeners.add(lambda: None)
        with pytest.raises(LimitReachedError, match="2 games from texts are open"):
            await opened(hall)
        tables[1].listeners.clear()
        again = await hall.find(tables[0].card.id)
        assert again is not None
        assert tables[1].actor.problem

    in_hall(tmp_path, course)


def test_a_run_in_which_no_game_ends_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hall_module, "STALLED", 1.0)
    monkeypatch.setattr(hall_module, "_run", hostile.spin)

    async def course(hall: Hall) -> None:
        async def begin() -> Actor[LivePlaytest]:
            return await hall.start_actor(True, LivePlaytest.open, Setup(CHOICE), ["random"], 100)

        async def keep(actor: Actor[LivePlaytest]) -> str:
            return await actor.call(actors.REPORT, LivePlaytest.report)

        with pytest.raises(GameEndedError, match="No game ended within 1 seconds"):
            await hall.play(PendingRun("Kuhn", "/", 100), begin, keep)
        monkeypatch.setattr(hall_module, "_run", LivePlaytest.run)
        monkeypatch.setattr(hall_module, "STALLED", 60.0)
        run = PendingRun("Kuhn", "/", 100)
        page = await hall.play(run, begin, keep)  # the next one has its turn
        assert "Kuhn poker" in page
        assert run.progress.played == 100
        assert run.progress.verdicts
        assert not hall.pending
        assert len(hall.processes) == 0

    in_hall(tmp_path, course)


def test_descriptions_are_the_same_wherever_they_are_made(tmp_path: Path) -> None:
    async def course(hall: Hall) -> None:
        assert await hall.describe(CHOICE) == CHOICE.describe()
        with pytest.raises(KibitzError, match="not a file with rules"):
            await hall.describe(GameChoice("x.py", "import os"))

    in_hall(tmp_path, course)


def test_an_end_of_the_fork_server_is_survived(tmp_path: Path) -> None:
    async def course(hall: Hall) -> None:
        live = await opened(hall)
        process = hall.processes._fork_server._process
        assert process is not None
        process.kill()
        process.wait()
        assert await hall.processes.run(CHECK, hostile.niceness) >= NICER
        del live

    in_hall(tmp_path, course)


def get(address: str, seconds: float) -> str:
    with urllib.request.urlopen(address, timeout=seconds) as answer:
        return str(answer.read().decode())


def lay_hostile(place: Workspace, number: int, sheet: str, seats: int) -> str:
    """A file with hostile rules, and a table of it; returns the address of the table."""
    hosted = HostedTable.open(CHOICE, 2, {}, [None, None], seed=1)
    document = hosted.to_json()
    document["game"] = {"name": "bad.kif", "text": sheet}
    document["record"].update(
        {"game": "bad", "parameters": {}, "players": seats, "agents": ["human"] * seats}
    )
    document["record"].update(streams=[[]] * seats)
    document["record"]["result"].update(places=[0] * seats, scores=[0.0] * seats)
    place.keep_text(f"bad{number}.kif", sheet)
    place.write(TABLES, f"bad{number}.json", json.dumps(document))
    return f"/table/bad{number}/{hosted.keys.watch}"


def test_a_server_answers_while_twenty_hostile_texts_are_open_and_ends_quietly(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = Workspace(tmp_path)
    errors = tmp_path_factory.mktemp("server") / "errors"
    sheets = ((hostile.LOOP, 1), (hostile.closure(9000), 2))
    tables = [lay_hostile(place, number, *sheets[number % 2]) for number in range(20)]
    command = [sys.executable, "-m", "kibitz", "serve", "--port", "0"]
    with errors.open("w") as stderr:
        server = subprocess.Popen(
            [*command, "--workspace", str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    answers: list[str] = []
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[3]
        get(address, 60)  # imports and lists what there is
        for page in [*tables, *(f"/file/bad{number}.kif" for number in range(20))]:
            threading.Thread(target=visit, args=(address + page, answers), daemon=True).start()
        for _ in range(20):
            assert "Play anything" in get(address, 20)
        assert len(answers) < 40  # the games are still being set up
        status = Path(f"/proc/{server.pid}/status")
        if status.exists():  # Linux has it
            [size] = [line for line in status.read_text().splitlines() if "VmRSS" in line]
            assert int(size.split()[1]) < 1_000_000
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=30)
    assert server.returncode == 130
    lines = errors.read_text().splitlines()
    assert [line for line in lines if not line.startswith("Compiling ")] == ["", "Stopped."]


def visit(page: str, answers: list[str]) -> None:
    with contextlib.suppress(OSError):
        answers.append(get(page, 100))
