"""A server in a process of its own, and browsers that look at its pages, driven by Playwright."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kibitz.web.games import GameChoice
from kibitz.web.tables import HostedTable
from kibitz.web.workspace import Workspace

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None
)

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
PATIENCE = 60_000
"""Milliseconds: on a busy machine a game may have to be compiled first."""


class Server:
    """A server in a process of its own, and its workspace."""

    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace(folder)
        self.address = ""
        self.start(0)

    def start(self, port: int) -> None:
        command = [sys.executable, "-m", "kibitz", "serve", "--port", str(port)]
        self._process = subprocess.Popen(
            [*command, "--workspace", str(self.workspace.folder)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.address = line.split()[3]
        assert self.address.startswith("http://127.0.0.1:"), line

    def kill(self) -> None:
        self._process.kill()
        self.ended()

    def stop(self) -> int:
        self._process.send_signal(signal.SIGINT)
        return self.ended()

    def ended(self) -> int:
        self._process.communicate(timeout=20)
        return self._process.returncode

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def lay(self, choice: GameChoice, *seats: str | None, **values: object) -> HostedTable:
        """A new table in the workspace."""
        hosted = HostedTable.open(choice, len(seats), dict(values), seats, seed=5)
        hosted.save(self.workspace)
        return hosted

    def link(self, hosted: HostedTable, key: str) -> str:
        return f"{self.address}/table/{hosted.id}/{key}"


DESK = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}


class Visitor:
    """A browser of somebody's own, which notes errors and every byte that it is sent.

    Nothing moves in it, unless `motion` says so: a click waits until its target stands still.
    """

    def __init__(
        self, chromium: sync_api.Browser, width: int = 1280, *, motion: bool = False
    ) -> None:
        self._context = chromium.new_context(
            viewport={"width": width, "height": 900},
            reduced_motion="no-preference" if motion else "reduce",
        )
        self.page = self._context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.errors: list[str] = []
        self.frames: list[str] = []
        self.pages: list[sync_api.Response] = []
        self.expect_loss = False
        self.clicks = 0
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("websocket", self._listen)
        self.page.on("response", lambda response: self.pages.append(response))

    def _note(self, message: sync_api.ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not self.expect_loss:
            self.errors.append(message.text)

    def _listen(self, socket: sync_api.WebSocket) -> None:
        socket.on("framereceived", lambda data: self.frames.append(str(data)))

    def open_missing(self, address: str) -> str:
        """Opens an address with the status 404, which the browser notes; returns its words."""
        with self.page.expect_console_message(lambda message: "404" in message.text):
            answer = self.page.goto(address)
        assert answer is not None
        assert answer.status == 404
        self.errors = [error for error in self.errors if "404" not in error]
        return str(self.page.inner_text("main"))

    def received(self) -> str:
        """Everything but the libraries that came from the server."""
        documents = [p.text() for p in self.pages if "/_nicegui/" not in p.url]
        return "".join([*documents, *self.frames])

    def close(self) -> None:
        self._context.close()
        assert not self.errors, self.errors


def status(visitor: Visitor) -> str:
    return visitor.page.locator(".status").inner_text()


def hurry(visitor: Visitor) -> None:
    """Has agents play without a pause."""
    page = visitor.page
    fast = page.get_by_role("option", name="fast")
    for _ in range(5):  # a page that is being laid out closes a menu again
        page.get_by_role("combobox", name="Pace").click()
        with contextlib.suppress(sync_api.TimeoutError):
            fast.click(timeout=5_000)
            return
    raise AssertionError("the paces do not show")


def settle(page: sync_api.Page) -> None:
    """Waits until the page is painted: it comes piece by piece."""
    last = ""
    while (content := page.content()) != last:
        last = content
        page.wait_for_timeout(150)


LOOK = """async ([chance, patience]) => {
    if (window.painted === undefined) {  // counts what a click may change
        window.painted = 0;
        const parts = ".board, .options, .status, .log";
        new MutationObserver((records) => {
            const inside = ({ target }) => target.nodeType === 1 && target.closest(parts);
            if (records.some(inside)) window.painted += 1;
        }).observe(document, { childList: true, characterData: true, subtree: true });
    }
    const text = (name) => document.querySelector(name)?.textContent ?? "";
    const settled = () => document.querySelector(".board svg")
        && /Your turn|won|draw|victory|Waiting|lost|Broken|over/i.test(text(".status"));
    const until = performance.now() + patience;
    while (window.painted === window.clicked || !settled()) {
        if (performance.now() > until) return null;
        await new Promise((resolve) => setTimeout(resolve, 4));
    }
    const said = text(".status");
    const listed = [...document.querySelectorAll(".option")];
    if (!/Your turn/.test(said) || listed.length === 0) return { said };
    const lit = [...document.querySelectorAll(".board [data-target]:not(.kz-chosen)")];
    const asked = /Which one/.test(text(".side h2"));
    const things = lit.length === 0 || (asked && chance < 0.5) ? listed : lit;
    const thing = things[Math.floor(((2 * chance) % 1) * things.length)];
    thing.scrollIntoView({ block: "nearest", inline: "nearest" });
    const box = thing.getBoundingClientRect();
    for (const down of [0.5, 0.1, 0.9, 0.3, 0.7, 0.02, 0.98]) {
        for (const right of [0.5, 0.1, 0.9, 0.3, 0.7, 0.02, 0.98]) {
            const x = box.left + right * box.width;
            const y = box.top + down * box.height;
            if (document.elementFromPoint(x, y)?.closest("[data-target], .option") === thing) {
                window.clicked = window.painted;
                return { said, x, y };
            }
        }
    }
    return { said, buried: thing.outerHTML.slice(0, 200) };
}"""
"""Waits for the answer to the last click; then where to click next: something lit in the picture,
an option in words where nothing is, or one of both while a choice is under way."""


def click(visitor: Visitor, chance: float = 0.99) -> str:
    """Clicks once the page has answered the last click, if it is the visitor's turn.

    The page may be painted again between the choice of the target and the click, so a click that
    changes nothing is repeated.

    Args:
        chance: Chooses among the elements that can be clicked, from 0 to 1.

    Returns:
        The status before the click.
    """
    page = visitor.page
    for _ in range(4):
        target = page.evaluate(LOOK, [chance, PATIENCE / 4])
        if target is not None:
            break
        page.evaluate("window.clicked = null")
    assert target is not None, f"no click did anything: {status(visitor)}"
    assert "buried" not in target, target["buried"]
    if "x" in target:
        page.mouse.click(target["x"], target["y"])
        visitor.clicks += 1
    return str(target["said"])


def act(visitor: Visitor) -> None:
    """Clicks until an action is played."""
    log = visitor.page.locator(".log")
    before = log.inner_text()
    while log.inner_text() == before:
        assert "turn" in click(visitor)
        with contextlib.suppress(sync_api.TimeoutError):
            visitor.page.wait_for_function("painted !== clicked", timeout=5000)


def play_on(*visitors: Visitor, most: int = 3000, seed: int = 1) -> bool:
    """Plays by clicking until the game is over, each visitor at the seat of their number.

    Args:
        visitors: The visitors in the order of their seats.
        most: Maximum number of clicks of all visitors together.
        seed: The seed for choosing what to click.

    Returns:
        Whether the game is over.
    """
    chance = random.Random(seed)
    at = 0
    while sum(visitor.clicks for visitor in visitors) < most:
        status_text = click(visitors[at], chance.random())
        if waiting := re.search(r"Waiting for player (\d+)", status_text):
            at = int(waiting[1]) - 1
        elif "Your turn" not in status_text:
            return True
    visitors[at].page.wait_for_function("painted !== clicked")
    return False
