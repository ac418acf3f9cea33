"""States of games in GDL as text: the board as a grid of symbols, and the other facts."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_letters

from kibitz.core.state import State
from kibitz.core.wording import bare
from kibitz.pictures.facts import NAMES, Board, Fact
from kibitz.pictures.gdl import GdlLook, edges
from kibitz.pictures.pieces import split
from kibitz.pictures.view import View

EMPTY = "."
NO_CELL = " "
WHOLE = 2
"""The most letters of a content that serves as its own symbol."""


class TextBoards:
    """Writes states of one game as text, with the same symbols in all of them.

    Args:
        width: columns of the text.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._symbols: dict[str, str] = {}

    def lines(self, state: State) -> Iterator[str]:
        """The board with everything open, a key to new symbols, and the other facts."""
        look = GdlLook(View(state, state, None, (), ()))
        drawn: set[Fact] = set()
        known = len(self._symbols)
        if look.board is not None:
            yield from self._grid(look, look.board, drawn)
        new = list(self._symbols.items())[known:]
        key = [f"{symbol} {name}" for name, symbol in new if symbol != name]
        yield from self._wrapped(key, "   ")
        others = [
            f"({' '.join(fact)})" if len(fact) > 1 else fact[0]
            for fact in look.facts
            if fact not in drawn
        ]
        if not look.facts:
            yield "nothing is true"
        yield from self._wrapped(others, " ")

    def _grid(self, look: GdlLook, board: Board, drawn: set[Fact]) -> Iterator[str]:
        """The rows of the board; adds the facts that they show to `drawn`."""
        columns, rows = board.size
        grid = [[self._symbol(look, (x, y), drawn) for x in range(columns)] for y in range(rows)]
        across, down = edges(board)
        margin = max((len(word) for word in down), default=0)
        width = max(len(word) for line in (*grid, across) for word in line)
        if margin + 2 + columns * (width + 1) > self._width and not board.columns.lettered:
            across = [word.lstrip("_" + ascii_letters) for word in across]
            width = max(len(word) for line in (*grid, across) for word in line)
        for y, line in enumerate(grid):
            name = down[y].rjust(margin) + "  " if down else ""
            yield (name + " ".join(word.ljust(width) for word in line)).rstrip()
        if across:
            yield " " * (margin + 2) + " ".join(word.ljust(width) for word in across).rstrip()

    def _symbol(self, look: GdlLook, place: tuple[int, int], drawn: set[Fact]) -> str:
        """The symbol of a cell; a piece takes precedence over trails and marks."""
        if place not in look.cells:
            return NO_CELL
        facts = [fact for fact in look.held.get(place, ()) if look.lies(fact)]
        contents = [(fact, content) for fact in facts if (content := look.content(fact))]
        drawn.update(fact for fact in facts if not look.content(fact) and not look.line(fact))
        if not contents:
            return EMPTY
        fact, content = min(contents, key=lambda item: item[0][0].lower() not in NAMES)
        drawn.add(fact)
        named = fact[0].lower() in NAMES or content == (fact[0],)
        words = content if named else (fact[0], *content)
        return self._symbol_of(" ".join(map(bare, words)))

    def _symbol_of(self, name: str) -> str:
        """A short, unique symbol for a content of cells."""
        if name not in self._symbols:
            words = [piece for word in name.split() for piece in split(word)]
            initials = "".join(word[0] for word in words)
            joined = "".join(words)
            short = [name] if len(name) <= WHOLE else [initials, initials.upper()]
            longer = [joined[:length] for length in range(2, len(joined))]
            taken = self._symbols.values()
            free = (symbol for symbol in (*short, *longer, name) if symbol not in taken)
            self._symbols[name] = next(free, name)
        return self._symbols[name]

    def _wrapped(self, entries: list[str], gap: str) -> Iterator[str]:
        """The entries in lines of the width; an entry is not broken, even if it is longer."""
        line = ""
        for entry in entries:
            if line and len(line) + len(gap) + len(entry) > self._width:
                yield line
                line = ""
            line += gap * bool(line) + entry
        if line:
            yield line


__all__ = ["TextBoards"]
