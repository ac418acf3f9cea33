"""Blocks: parts of a picture that know their size before they are drawn, and rows of them."""
# ruff: noqa: D102 (documented once, on Block)

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from kibitz.pictures.pen import Pen
from kibitz.pictures.text import shortened, text_width, wrapped

GAP = 10.0
"""The pixels between blocks."""


class Block(Protocol):
    """A part of a picture. Sizes are in pixels of the picture."""

    @property
    def width(self) -> float:
        """The width in pixels."""

    @property
    def height(self) -> float:
        """The height in pixels."""

    def draw(self, pen: Pen, x: float, y: float) -> None:
        """Draws it with its upper left corner at (x, y)."""


Fit = Callable[[float], Block]
"""A function that makes a block of at most a given width in pixels."""


@dataclass(frozen=True)
class Row:
    """Blocks side by side, centred or with their upper edges in line."""

    blocks: Sequence[Block]
    gap: float = GAP
    centred: bool = False

    @property
    def width(self) -> float:
        return sum(b.width for b in self.blocks) + self.gap * max(0, len(self.blocks) - 1)

    @property
    def height(self) -> float:
        return max((b.height for b in self.blocks), default=0)

    def draw(self, pen: Pen, x: float, y: float) -> None:
        for block in self.blocks:
            block.draw(pen, x, y + (self.height - block.height) / 2 * self.centred)
            x += block.width + self.gap


@dataclass(frozen=True)
class Column:
    """Blocks one below the other, at the left or centred in the widest's width, or in `least`."""

    blocks: Sequence[Block]
    gap: float = GAP
    least: float = 0
    centred: bool = True

    @property
    def width(self) -> float:
        return max([self.least, *(b.width for b in self.blocks)])

    @property
    def height(self) -> float:
        return sum(b.height for b in self.blocks) + self.gap * max(0, len(self.blocks) - 1)

    def draw(self, pen: Pen, x: float, y: float) -> None:
        width = self.width
        for block in self.blocks:
            block.draw(pen, x + (width - block.width) / 2 * self.centred, y)
            y += block.height + self.gap


def flow(blocks: Sequence[Block], width: float, gap: float = GAP, centred: bool = True) -> Column:
    """Blocks in rows of at most this width, like words in a paragraph."""
    rows: list[list[Block]] = []
    used = 0.0
    for block in blocks:
        if rows and used + gap + block.width <= width:
            rows[-1].append(block)
            used += gap + block.width
        else:
            rows.append([block])
            used = block.width
    return Column([Row(row, gap) for row in rows], gap, centred=centred)


def columns(fits: Sequence[Fit], width: float, least: float, gap: float = GAP) -> Column:
    """Blocks in rows of equal shares of the width, each block at least `least` wide."""
    if not fits:
        return Column([])
    most = max(1, min(len(fits), int((width + gap) // (least + gap))))
    rows = -(-len(fits) // most)
    each = -(-len(fits) // rows)
    share = (width - gap * (each - 1)) / each
    made = [fit(share) for fit in fits]
    return Column([Row(_level(made[i : i + each]), gap) for i in range(0, len(made), each)], gap)


def _level(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a row, with all panels as high as the highest block."""
    high = max(block.height for block in blocks)
    return [replace(b, least=high) if isinstance(b, Panel) else b for b in blocks]


@dataclass(frozen=True)
class Label:
    """A line of text."""

    text: str
    size: float = 13
    kind: str = "kz-text"

    @property
    def width(self) -> float:
        return text_width(self.text, self.size)

    @property
    def height(self) -> float:
        return self.size * 1.3

    def draw(self, pen: Pen, x: float, y: float) -> None:
        pen.text(x + self.width / 2, y + self.size, self.text, self.size, self.kind, "middle")


@dataclass(frozen=True)
class TextBlock:
    """Lines of text, aligned to the left."""

    lines: Sequence[str]
    size: float = 12
    kind: str = "kz-text"

    @property
    def width(self) -> float:
        return max((text_width(line, self.size) for line in self.lines), default=0)

    @property
    def height(self) -> float:
        return len(self.lines) * self.size * 1.35

    def draw(self, pen: Pen, x: float, y: float) -> None:
        for line in self.lines:
            pen.text(x, y + self.size, line, self.size, self.kind)
            y += self.size * 1.35


def paragraph(text: str, width: float, most: int = 8, size: float = 12) -> TextBlock:
    """A text in at most `most` lines of at most this width."""
    lines: list[str] = []
    for line in text.strip("\n").split("\n"):
        lines += wrapped(line, width, size, most)
    return TextBlock(lines[:most], size)


@dataclass(frozen=True)
class Chip:
    """A number or word with its name, in a rounded box: ``outbreaks 2``."""

    name: str
    value: str
    thing_id: str = ""
    hue: str = ""

    @property
    def width(self) -> float:
        return text_width(self.name, 12) + text_width(self.value, 13) * 1.08 + 22

    @property
    def height(self) -> float:
        return 24

    def draw(self, pen: Pen, x: float, y: float) -> None:
        if self.thing_id:
            with pen.thing(self.thing_id, f"{self.name} {self.value}"):
                self._draw(pen, x, y)
        else:
            self._draw(pen, x, y)

    def _draw(self, pen: Pen, x: float, y: float) -> None:
        pen.rect(x, y, self.width, self.height, f"kz-chip {self.hue}".strip(), 12)
        pen.text(x + 8, y + 16, self.name, 12, "kz-quiet")
        pen.text(x + self.width - 8, y + 16.5, self.value, 13, "kz-strong", "end")
        if self.thing_id:
            pen.ring(x, y, self.width, self.height, 12)


@dataclass(frozen=True)
class Titled:
    """A block with its title above it."""

    title: str
    body: Block

    _SIZE = 12.0
    _MOST = 150.0  # a longer name makes the block no wider
    _LINE = 21.0  # with room for a clickable card, which is raised

    @property
    def width(self) -> float:
        return max(self.body.width, min(text_width(self.title, self._SIZE), self._MOST))

    @property
    def height(self) -> float:
        return self.body.height + self._LINE

    def draw(self, pen: Pen, x: float, y: float) -> None:
        title = shortened(self.title, self.width + 1, self._SIZE)
        pen.text(x + self.width / 2, y + 12, title, self._SIZE, "kz-quiet", "middle")
        self.body.draw(pen, x + (self.width - self.body.width) / 2, y + self._LINE)


@dataclass(frozen=True)
class Panel:
    """A frame of a given width with a heading, remarks at its right, and a block inside.

    Attributes:
        thing_id: the id of a panel that can be clicked.
        kind: further CSS classes: ``kz-turn`` for the player to move, ``kz-out`` for one that is
            out.
        marks: short remarks beside the heading.
    """

    title: str
    body: Block
    frame: float
    thing_id: str = ""
    kind: str = ""
    marks: tuple[str, ...] = ()
    least: float = 0

    PADDING = 8.0

    @property
    def width(self) -> float:
        return self.frame

    @property
    def height(self) -> float:
        inside = self.body.height
        return max(self.least, inside + 3 * self.PADDING + 16 if inside else 32.0)

    def draw(self, pen: Pen, x: float, y: float) -> None:
        if self.thing_id:
            with pen.thing(self.thing_id, self.title):
                self._frame(pen, x, y)
        else:
            self._frame(pen, x, y)
        inside = x + (self.width - self.body.width) / 2
        self.body.draw(pen, inside, y + 2 * self.PADDING + 16)

    def _frame(self, pen: Pen, x: float, y: float) -> None:
        pen.rect(x, y, self.width, self.height, f"kz-panel {self.kind}".strip(), 12)
        right = x + self.width - self.PADDING
        for mark in self.marks:
            wide = text_width(mark, 12) + 14
            if right - wide < x + 2 * self.PADDING + text_width(self.title, 14) * 1.05:
                break
            pen.rect(right - wide, y + 6, wide, 20, "kz-mark", 10)
            pen.text(right - wide / 2, y + 20, mark, 12, "kz-marked", "middle")
            right -= wide + 5
        title = shortened(self.title, right - x - 2 * self.PADDING, 14)
        pen.text(x + self.PADDING + 3, y + 21, title, 14, "kz-heading")
        if self.thing_id:
            pen.ring(x, y, self.width, self.height, 12)
