"""Cards, fans of cards and piles as blocks."""
# ruff: noqa: D102 (documented once, on Block)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.pictures.blocks import Block
from kibitz.pictures.faces import Face
from kibitz.pictures.pen import Pen
from kibitz.pictures.symbols import PIPS, SYMBOLS
from kibitz.pictures.text import BOLD, fitting_size, text_width, wrapped

RATIO = 1.4
"""The height of a card divided by its width."""
SMALL, MIDDLE, LARGE = 34.0, 54.0, 72.0
"""The widths of cards: in others' hands, on the table, in the observer's own hand."""
CORNER = 0.36
"""The minimum visible share of the width of a covered card: its corner with the index."""


@dataclass(frozen=True)
class Card:
    """A card that lies somewhere.

    Attributes:
        thing_id: its id in the picture.
        face: its printed side; ``None`` if only its back is visible.
        back: the number of its back, from 0.
        facts: what all players know about it in part, in words.
    """

    thing_id: str
    face: Face | None
    back: int = 0
    facts: str = ""

    @property
    def label(self) -> str:
        """The card in words."""
        name = self.face.name if self.face else "hidden card"
        return f"{name} ({self.facts})" if self.facts else name


def draw_card(pen: Pen, card: Card, x: float, y: float, width: float) -> None:
    """Draws a card of this width with its upper left corner at (x, y)."""
    with pen.thing(card.thing_id, card.label, card.face.text if card.face else "", "kz-card"):
        height = width * RATIO
        if card.face is None:
            _back(pen, card.back, x, y, width)
        else:
            _front(pen, card.face, x, y, width)
        if card.facts and width >= MIDDLE:
            _facts(pen, card.facts, x, y, width)
        pen.ring(x, y, width, height, width * 0.1)


def _facts(pen: Pen, facts: str, x: float, y: float, width: float) -> None:
    """Draws what is known about a card as a label across its lower edge."""
    longest = max(facts.split(), key=lambda word: text_width(word, 1))
    size = fitting_size(longest, width * 0.9, width * 0.18, width * 0.12)
    lines = wrapped(facts, width * 0.94, size, 4)
    height = len(lines) * size * 1.15 + 4
    low = y + width * RATIO - height
    pen.rect(x, low, width, height, "kz-count", width * 0.08)
    for number, line in enumerate(lines, 1):
        pen.text(x + width / 2, low + number * size * 1.15, line, size, "kz-counted", "middle")


def _back(pen: Pen, back: int, x: float, y: float, width: float) -> None:
    height, edge = width * RATIO, width * 0.09
    pen.rect(x, y, width, height, f"kz-back kz-back-{back % 4}", width * 0.1)
    pen.rect(x + edge, y + edge, width - 2 * edge, height - 2 * edge, "kz-lace", width * 0.06)
    if width >= 24:
        pen.path(SYMBOLS["diamonds"], "kz-knot", x + width / 2, y + height / 2, width * 0.2)


def _front(pen: Pen, face: Face, x: float, y: float, width: float) -> None:
    height = width * RATIO
    surface = "kz-face kz-filled" if face.filled else "kz-face"
    pen.rect(x, y, width, height, f"{surface} kz-h-{face.hue}", width * 0.1)
    if face.suit:
        _suited(pen, face, x, y, width)
    elif face.filled or (face.index and not face.text):
        _numbered(pen, face, x, y, width)
    else:
        _worded(pen, face, x, y, width)


def _corner(pen: Pen, face: Face, x: float, y: float, width: float) -> float:
    """Draws the index in the upper left corner; returns its lower edge."""
    size = fitting_size(face.index, width * 0.32, width * 0.34, width * 0.16)
    ink = f"kz-ink kz-h-{face.hue}"
    pen.text(x + width * 0.2, y + width * 0.36, face.index, size, f"{ink} kz-bold", "middle")
    return width * 0.36


def _suited(pen: Pen, face: Face, x: float, y: float, width: float) -> None:
    """Draws a playing card: index and suit in the corner, then pips or a large symbol."""
    ink = f"kz-ink kz-h-{face.hue}"
    shape = SYMBOLS[face.suit]
    low = _corner(pen, face, x, y, width)
    pen.path(shape, ink, x + width * 0.2, y + low + width * 0.19, width * 0.12)
    middle, centre = x + width * 0.62, y + width * RATIO * 0.52
    if width >= LARGE and face.index.isdigit() and 1 <= int(face.index) <= 10:
        for dx, dy in PIPS[int(face.index)]:
            at = centre + dy * width * 0.47
            pen.path(shape, ink, middle + dx * width * 0.19, at, width * 0.11, 180 * (dy > 0))
    elif width >= LARGE and not face.index.isdigit() and face.index != "A":
        pen.rect(
            middle - width * 0.28, y + width * 0.12, width * 0.56, width * 1.16, "kz-court", 5
        )
        pen.path(SYMBOLS["crown"], "kz-gilt", middle, y + width * 0.3, width * 0.15)
        pen.text(middle, y + width * 0.86, face.index, width * 0.52, f"{ink} kz-serif", "middle")
        pen.path(shape, ink, middle, y + width * 1.08, width * 0.13)
    else:
        pen.path(shape, ink, middle, centre + width * 0.1, width * 0.26)


def _numbered(pen: Pen, face: Face, x: float, y: float, width: float) -> None:
    """Draws a card with a number or a symbol, small in the corner and large in the middle."""
    ink = f"kz-ink kz-h-{face.hue}"
    if face.index:
        _corner(pen, face, x, y, width)
    elif face.symbol:
        pen.path(SYMBOLS[face.symbol], ink, x + width * 0.18, y + width * 0.2, width * 0.1)
    middle, centre = x + width / 2, y + width * RATIO * 0.6
    if face.symbol:
        pen.path(SYMBOLS[face.symbol], ink, middle, centre - width * 0.08, width * 0.3)
    elif face.index:
        size = fitting_size(face.index, width * 0.7, width * 0.6, width * 0.3)
        pen.text(middle, centre + size * 0.3, face.index, size, f"{ink} kz-bold", "middle")
    else:
        name = face.note or face.name  # from the corner, so that it shows in a fan
        longest = max(name.split(), key=lambda word: text_width(word, 1))
        size = fitting_size(longest, width * 0.8, width * 0.17, width * 0.1)
        for number, line in enumerate(wrapped(name, width * 0.86, size, 4)):
            low = y + width * 0.25 + number * size * 1.15
            pen.text(x + width * 0.09, low, line, size, f"{ink} kz-bold")
    if face.note and not face.index.isdigit() and width >= MIDDLE and (face.index or face.symbol):
        size = fitting_size(face.note, width * 0.9, width * 0.15, width * 0.1)
        pen.text(middle, y + width * 1.32, face.note, size, ink, "middle")


def _worded(pen: Pen, face: Face, x: float, y: float, width: float) -> None:
    """Draws a card with a name, and its text where there is room."""
    hue = f"kz-h-{face.hue}"
    low = y + width * 0.32
    pen.path(_BAND, f"kz-band {hue}", x, y, width)
    if face.index:
        _corner(pen, face, x, y + width * 0.07, width)
        low = y + width * 0.46
    if face.symbol:
        at = x + width * (0.72 if face.index else 0.22)
        pen.path(SYMBOLS[face.symbol], f"kz-ink {hue}", at, y + width * 0.3, width * 0.14)
        low = y + width * 0.46
    low = _name(pen, face.name, x, low, width, f"kz-ink {hue} kz-bold")
    if face.text and width >= LARGE:
        room = y + width * RATIO - low - 4
        for size in (width * 0.105, width * 0.097, width * 0.09):  # the largest that fits
            most = max(0, int(room // (size * 1.19)))
            lines = wrapped(face.text, width * 0.9, size, most + 1) if most else []
            if len(lines) <= most:
                break
        else:
            lines = wrapped(face.text, width * 0.9, size, most) if most else []
        for line in lines:
            low += size * 1.19
            pen.text(x + width / 2, low, line, size, "kz-print", "middle")


_BAND = "M.1 0H.9A.1 .1 0 0 1 1 .1V.12H0V.1A.1 .1 0 0 1 .1 0Z"


def _name(pen: Pen, name: str, x: float, y: float, width: float, kind: str) -> float:
    """Draws a card's name in centred bold lines below `y`; returns their lower edge."""
    room = width * 0.9 / BOLD
    longest = max(name.split() or [""], key=lambda word: text_width(word, 1))
    size = fitting_size(longest, room, width * 0.17, width * 0.09)
    for line in wrapped(name, room, size, 3):
        y += size * 1.12
        pen.text(x + width / 2, y, line, size, kind, "middle")
    return y


@dataclass(frozen=True)
class Fan:
    """Cards side by side, overlapping where there is little room, in one or more rows.

    Attributes:
        card: the width of each card.
        step: the distance from one card to the next.
        each: the number of cards in a row.
    """

    cards: Sequence[Card]
    card: float
    step: float
    each: int

    @property
    def rows(self) -> int:
        """The number of rows."""
        return max(1, -(-len(self.cards) // self.each))

    @property
    def width(self) -> float:
        return self.card + self.step * max(0, min(self.each, len(self.cards)) - 1)

    @property
    def height(self) -> float:
        return self.card * RATIO + (self.rows - 1) * self._below

    @property
    def _below(self) -> float:
        return self.card * 0.85

    def draw(self, pen: Pen, x: float, y: float) -> None:
        for place, card in enumerate(self.cards):
            row, column = divmod(place, self.each)
            draw_card(pen, card, x + column * self.step, y + row * self._below, self.card)


def fan(cards: Sequence[Card], width: float, card: float, corner: float = CORNER) -> Fan:
    """Cards in rows of at most this width: apart if there is room, else overlapping.

    Args:
        cards: at least one card.
        card: the width of a card.
        corner: the minimum visible share of each card's width.
    """
    card = min(card, width)
    closest = card * corner
    most = max(1, 1 + int((width - card) // closest))
    rows = -(-len(cards) // most)
    each = -(-len(cards) // rows)
    room = (width - card) / (each - 1) if each > 1 else 0
    return Fan(cards, card, min(card + 5, room) if each > 1 else card, each)


@dataclass(frozen=True)
class Spread:
    """Cards that can also be clicked as a whole: a frame around them is the target."""

    thing_id: str
    name: str
    body: Block

    MARGIN = 6.0

    @property
    def width(self) -> float:
        return self.body.width + 2 * self.MARGIN

    @property
    def height(self) -> float:
        return self.body.height + 2 * self.MARGIN

    def draw(self, pen: Pen, x: float, y: float) -> None:
        with pen.thing(self.thing_id, self.name):
            pen.rect(x, y, self.width, self.height, "kz-empty", 8)
            pen.ring(x, y, self.width, self.height, 8)
            self.body.draw(pen, x + self.MARGIN, y + self.MARGIN)


@dataclass(frozen=True)
class Pile:
    """Cards on top of each other, with their number.

    Attributes:
        thing_id: the id of the pile, by which it can be clicked as a whole.
        top: the uppermost card; ``None``: the pile is empty.
        card: the width of a card.
    """

    thing_id: str
    name: str
    count: int
    top: Card | None
    card: float

    @property
    def width(self) -> float:
        return self.card + 6

    @property
    def height(self) -> float:
        return self.card * RATIO + 6

    def draw(self, pen: Pen, x: float, y: float) -> None:
        with pen.thing(self.thing_id, f"{self.name}: {self.count} cards"):
            if self.top is None:
                pen.rect(x, y, self.card, self.card * RATIO, "kz-empty", self.card * 0.1)
            for layer in range(min(2, self.count - 1), 0, -1):
                shift = 2.5 * layer
                pen.rect(
                    x + shift, y + shift, self.card, self.card * RATIO, "kz-under", self.card * 0.1
                )
            if self.top is not None and self.top.thing_id == self.thing_id:
                self._top(pen, x, y)
            pen.ring(x, y, self.card, self.card * RATIO, self.card * 0.1)
            if self.top is not None and self.top.thing_id != self.thing_id:
                draw_card(pen, self.top, x, y, self.card)
        if self.count > 1:
            wide = text_width(str(self.count), 12) + 10
            right, low = x + self.width, y + self.height
            pen.rect(right - wide, low - 19, wide, 19, "kz-count", 9)
            pen.text(right - wide / 2, low - 5, str(self.count), 12, "kz-counted", "middle")

    def _top(self, pen: Pen, x: float, y: float) -> None:
        assert self.top is not None
        if self.top.face is None:
            _back(pen, self.top.back, x, y, self.card)
        else:
            _front(pen, self.top.face, x, y, self.card)
