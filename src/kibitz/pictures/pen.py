"""``Pen``: writes an SVG and records which clickable things were drawn."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from kibitz.core.wording import bare


def num(value: float) -> str:
    """A coordinate with at most one decimal."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def slug(text: str) -> str:
    """A text as part of an element's id: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"


class Pen:
    """Writes the elements of a picture in the order in which they are drawn.

    Args:
        targets: the actions that each thing stands for, by the thing's id; such a thing can be
            clicked if it is drawn.
        chosen: ids of things that a person has chosen already.
        words: the sentence for each action.

    Attributes:
        drawn: the ids of everything drawn that has one.
    """

    def __init__(
        self,
        targets: Mapping[str, Sequence[int]],
        chosen: Sequence[str],
        words: Mapping[int, str],
    ) -> None:
        self._targets = targets
        self._chosen = frozenset(chosen)
        self._words = words
        self._out: list[str] = []
        self.drawn: dict[str, None] = {}
        self._ringed = False  # whether the thing being drawn can be clicked, or was chosen

    @property
    def svg(self) -> str:
        """The SVG text of everything drawn so far."""
        return "".join(self._out)

    def is_lit(self, name: str) -> bool:
        """Whether a thing stands for an action."""
        return name in self._targets

    @contextlib.contextmanager
    def thing(self, name: str, label: str, more: str = "", kind: str = "") -> Iterator[None]:
        """Draws what follows as one thing with an id, which can be clicked if it is a target.

        Only the first thing with a given id gets it. Things may contain things: a click on one
        that is not a target counts for the one that contains it.

        Args:
            label: the thing in words, for a screen reader and as a tooltip.
            more: an explanation, for the tooltip.
            kind: a further CSS class.
        """
        classes = f"kz-thing {kind}".rstrip()
        marks = ""
        first = name not in self.drawn
        if first and name in self._targets:
            actions = self._targets[name]
            is_shared = len(actions) > 1
            choice = f"{len(actions)} choices" if is_shared else bare(self._words[actions[0]])
            marks = (
                f' id="{name}" data-target="{name}" role="button" tabindex="0"'
                f' aria-label="{escape(f"{label}: {choice}")}"'
            )
            classes += " kz-lit"
        elif first:
            marks = f' id="{name}"'
        if name in self._chosen:
            classes += " kz-chosen"
        outer = self._ringed
        self._ringed = first and (name in self._targets or name in self._chosen)
        self.drawn[name] = None
        about = f"{label}. {more}" if more else label
        self._out.append(f'<g class="{classes}"{marks}><title>{escape(about)}</title>')
        yield
        self._ringed = outer
        self._out.append("</g>")

    @contextlib.contextmanager
    def piece(self, looks: str) -> Iterator[None]:
        """Draws what follows as a piece, which may move from one thing to another.

        Args:
            looks: a text that is equal for pieces that look the same.
        """
        self._out.append(f'<g data-piece="{escape(looks)}">')
        yield
        self._out.append("</g>")

    def rect(
        self, x: float, y: float, width: float, height: float, kind: str, radius: float = 0
    ) -> None:
        """Draws a rectangle of a CSS class, with round corners if it has a radius."""
        r = f' rx="{num(radius)}"' if radius else ""
        self._out.append(
            f'<rect class="{kind}" x="{num(x)}" y="{num(y)}" width="{num(width)}" '
            f'height="{num(height)}"{r}/>'
        )

    def circle(self, x: float, y: float, radius: float, kind: str) -> None:
        """Draws a circle around a point."""
        self._out.append(f'<circle class="{kind}" cx="{num(x)}" cy="{num(y)}" r="{num(radius)}"/>')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Draws a straight line."""
        self._out.append(
            f'<line class="{kind}" x1="{num(x1)}" y1="{num(y1)}" x2="{num(x2)}" y2="{num(y2)}"/>'
        )

    def path(
        self,
        data: str,
        kind: str,
        x: float = 0,
        y: float = 0,
        scale: float = 1,
        turn: float = 0,
        stretch: float = 1,
    ) -> None:
        """Draws a path, moved to (x, y), scaled, stretched in height, and turned by degrees."""
        moved = f' transform="translate({num(x)} {num(y)})' if x or y or scale != 1 else ""
        if moved:
            moved += f" rotate({num(turn)})" if turn else ""
            if stretch != 1:
                moved += f" scale({scale:.3g} {scale * stretch:.3g})"
            elif scale != 1:
                moved += f" scale({scale:.3g})"
            moved += '"'
        self._out.append(f'<path class="{kind}" d="{data}"{moved}/>')

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        kind: str = "kz-text",
        anchor: str = "start",
    ) -> None:
        """Draws a line of text whose baseline starts, has its middle or ends at (x, y)."""
        at = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self._out.append(
            f'<text class="{kind}" x="{num(x)}" y="{num(y)}" font-size="{num(size)}"{at}>'
            f"{escape(text, quote=False)}</text>"
        )

    def ring(self, x: float, y: float, width: float, height: float, radius: float) -> None:
        """Draws the frame that lights up around a clickable thing; draws nothing for others."""
        if self._ringed:
            self.rect(x, y, width, height, "kz-ring", radius)
