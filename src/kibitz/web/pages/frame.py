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
"""What a page looks like: as the system says, or as chosen (``static/theme.js``)."""

SLOW_PAGE = 60.0
"""Seconds in which a page has to be ready: it may have to compile a game."""

LOOK_EVERY = 0.5
"""Seconds between two looks at whether something is being compiled."""

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
    """A page with the head that all have; its content goes inside.

    Args:
        title: of the browser's window.
        section: which entry of the head it belongs to.
        wide: whether it takes all the room.
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
    """HTML of our own making; what comes from elsewhere is escaped in it already."""
    return ui.html(html, sanitize=False, tag=tag)


def clickable(element: ui.html, act: Callable[[str], Any]) -> ui.html:
    """Calls `act` with the name of the thing in a drawing or a list that is clicked or entered.

    What it raises as a ``KibitzError`` is shown as a message.
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
    """A button with words."""
    made = shown(escape(text), "button").classes("btn main" if main else "btn")
    made.props('type="button"')
    made.on("click", lambda: act())
    return made


def gauge(done: int, wanted: int, what: str) -> str:
    """A bar that says how far something is, as HTML."""
    return f"<progress max='{wanted}' value='{done}' aria-label='{escape(what)}'></progress>"


def alarm(problem: Exception | str) -> None:
    """Says what is wrong, in the page."""
    shown(escape(str(problem))).classes("alarm").props('role="alert"')


def missing(what: str) -> None:
    """The page for an address that leads nowhere, with the status 404."""
    ui.context.client.status_code = 404
    with frame("Nothing here"):
        shown(f"<h1>Nothing here</h1><p class='lead'>{escape(what)}</p>")
        ui.link("To the games", "/")


@contextlib.contextmanager
def explained() -> Iterator[Client]:
    """Shows the text of a ``KibitzError`` as a message instead of raising it.

    It gives the page in the browser, whose ``open`` leads on even if what was clicked is gone.
    """
    page = ui.context.client
    try:
        yield page
    except KibitzError as problem:
        with page:
            ui.notify(
                str(problem), type="warning", multi_line=True, close_button="Close", timeout=8000
            )
