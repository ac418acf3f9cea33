"""Shared parts of all pages: the frame, clicks on drawn things, messages."""

from __future__ import annotations

import contextlib
import inspect
import logging
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from nicegui import Client, events, ui

from kibitz.core.errors import KibitzError
from kibitz.web import compilations

logger = logging.getLogger("kibitz")

SECTIONS = {"Games": "/", "Workshop": "/workshop", "Runs": "/runs"}

THEMES = {"auto": "Auto", "light": "Light", "dark": "Dark"}
"""The colour themes of pages: that of the system, or a chosen one (``static/theme.js``)."""

SLOW_PAGE = 60.0
"""Maximum time for a page that may have to compile a game, in seconds."""

LOOK_EVERY = 0.5
"""Seconds between two checks whether something is being compiled."""

_CLICKED = """(event) => {
  const thing = event.target.closest("[data-target], [data-act]");
  if (thing) emit(thing.dataset.target ?? thing.dataset.act);
}"""
_PRESSED = """(event) => {
  const thing = event.target.closest("[data-target]");
  if (thing && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    emit(thing.dataset.target);
  }
}"""


@contextlib.contextmanager
def frame(title: str, section: str = "", wide: bool = False) -> Iterator[None]:
    """The frame of a page, with the common header; the page's content goes into the block.

    Args:
        title: the title of the browser's window.
        section: the entry of the header to which the page belongs.
        wide: whether the content takes the full width.
    """
    ui.page_title(f"{title} · Kibitz")
    ui.colors(primary="#2a8f6b")
    ui.add_head_html(
        '<link rel="stylesheet" href="/static/style.css"><script src="/static/theme.js"></script>'
        '<script src="/static/motion.js" defer></script>'
    )
    links = "".join(
        f'<a href="{address}"{" aria-current=page" if name == section else ""}>{name}</a>'
        for name, address in SECTIONS.items()
    )
    themes = "".join(f'<option value="{name}">{words}</option>' for name, words in THEMES.items())
    shown(
        '<a class="skip" href="#content">To the content</a><header class="top">'
        '<a class="brand" href="/"><img src="/static/favicon.svg" alt="">Kibitz</a>'
        f'<nav aria-label="Main">{links}</nav>'
        f'<select class="theme" aria-label="Light or dark">{themes}</select></header>'
    )
    waiting = shown("").classes("compiling").props('role="status"')
    ui.timer(LOOK_EVERY, lambda: waiting.set_content(escape(compilations.words())))
    with ui.element("div").classes("page wide" if wide else "page").props('id="content"'):
        yield


def shown(html: str, tag: str = "div") -> ui.html:
    """An element of trusted HTML, in which all foreign text has been escaped."""
    return ui.html(html, sanitize=False, tag=tag)


def clickable(element: ui.html, act: Callable[[str], Any]) -> ui.html:
    """Has `act` called with the name of the item in a picture or a list that the user selects.

    A ``KibitzError`` that it raises is shown as a message.
    """

    async def answer(event: events.GenericEventArguments) -> None:
        with explained():
            answered = act(str(event.args))
            if inspect.isawaitable(answered):
                await answered

    element.on("click", answer, js_handler=_CLICKED)
    element.on("keydown", answer, js_handler=_PRESSED)
    return element


def button(text: str, act: Callable[[], Any], *, main: bool = False) -> ui.html:
    """A button with a text."""
    made = shown(escape(text), "button").classes("btn main" if main else "btn")
    made.props('type="button"')
    made.on("click", lambda: act())
    return made


def gauge(done: int, total: int, label: str) -> str:
    """A progress bar, as HTML."""
    return f"<progress max='{total}' value='{done}' aria-label='{escape(label)}'></progress>"


def alarm(problem: Exception | str) -> None:
    """Shows an error in the page."""
    shown(escape(str(problem))).classes("alarm").props('role="alert"')


def missing(message: str) -> None:
    """The page for an address that leads nowhere, with the status 404."""
    ui.context.client.status_code = 404
    with frame("Nothing here"):
        shown(f"<h1>Nothing here</h1><p class='lead'>{escape(message)}</p>")
        ui.link("To the games", "/")


@contextlib.contextmanager
def explained() -> Iterator[Client]:
    """Shows the text of a ``KibitzError`` as a message instead of raising it.

    It yields the page's client, whose ``open`` works even if the clicked element was removed.
    """
    page = ui.context.client
    try:
        yield page
    except KibitzError as problem:
        with page:
            ui.notify(
                str(problem), type="warning", multi_line=True, close_button="Close", timeout=8000
            )
