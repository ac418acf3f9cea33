"""A formatter for texts made of S-expressions, which changes only white space.

A form that fits on its line stays on it, unless the language's ``Style`` breaks it. Comments stay
beside the items they follow, and blank lines between groups are kept.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field

from kibitz.syntax.sexpr import Lexicon, read
from kibitz.syntax.source import Source, SourceError

WIDTH = 88
"""The width of a line in columns; a line is longer only if it cannot be broken."""

_DEEP = 60
"""In a form that starts right of this column, a list that does not fit begins a new line."""

_MARK = "\ufeff"
"""The byte order mark."""


@dataclass(eq=False)
class Item:
    """A word, a list, or a comment on a line of its own."""

    text: str = ""
    blank: bool = False
    """Whether a blank line precedes the item."""
    comma: bool = False
    """Whether a comma follows the item."""
    comments: list[str] = field(default_factory=list)
    """The comment that follows on the same line, if there is one. While a text is read, a list
    also holds the comments of its last item, of that item's last item, and so on, the innermost
    first."""
    width: int | None = 0
    """The width of the item on one line; ``None`` if it needs several lines."""
    items: list[Item] = field(default_factory=list)
    opening: str = ""
    """The comment directly after the opening parenthesis of a list."""
    is_list: bool = False

    @property
    def is_comment(self) -> bool:
        """Whether the item is a comment on a line of its own."""
        return self.text.startswith(";")

    @functools.cached_property
    def head(self) -> str:
        """The first word of a list; empty if the list is empty or begins with a list."""
        return self.forms[0].text if self.forms else ""

    @functools.cached_property
    def forms(self) -> list[Item]:
        """The items of a list, without the comments."""
        return [item for item in self.items if not item.is_comment]

    @property
    def words(self) -> int:
        """The number of forms that a list begins with: the first one, and the words after it."""
        count = 1
        while count < len(self.forms) and not self.forms[count].is_list:
            count += 1
        return count


class Style:
    """The layout of a language; this base class breaks only forms that are too long."""

    lexicon = Lexicon()
    indent = 2

    def prepare(self, node: Item) -> None:
        """Marks parts of a list that need several lines, by setting their width to ``None``."""

    def breaks(self, node: Item) -> bool:
        """Whether a list needs several lines even if it would fit."""
        return False

    def hugs(self, node: Item) -> bool:
        """Whether the last form is a list that opens on the line of the first word."""
        return False

    def beside(self, node: Item) -> int:
        """How many forms of a list that needs several lines begin on its first line."""
        return node.words

    def aligns(self, node: Item) -> bool:
        """Whether arguments are aligned below the first one, which follows the first word."""
        return False

    def joins(self, node: Item, item: Item, previous: Item) -> bool:
        """Whether an item stays on the line of the previous one, from the second line on."""
        return not item.is_list

    @functools.cached_property
    def tokens(self) -> re.Pattern[str]:
        """The tokens of a text: line ends, comments, parentheses, words."""
        commas = re.escape(self.lexicon.separators)
        single = rf"[(){commas}]" if commas else "[()]"
        return re.compile(rf"\n|;[^\n]*|{single}|[^\s();{commas}\ufeff]+")


def format_text(text: str, name: str, style: Style) -> str:
    """Formats the text of a game, or of a part of one.

    The result uses the kind of line end of the first line, and keeps a byte order mark.

    Args:
        text: The text to be formatted.
        name: The name of the file, for messages.
        style: The layout of the text's language.

    Raises:
        SourceError: The parentheses do not match.
    """
    source = Source(name, text)
    if problems := read(source, style.lexicon).diagnostics:
        raise SourceError(source, problems)
    first, end, _ = text.partition("\n")
    plain = text.removeprefix(_MARK).replace("\r\n", "\n").replace("\r", "\n")
    lines = _Layout(_read(plain, style), style).lines
    mark = _MARK if text.startswith(_MARK) else ""
    end = "\r\n" if end and first.endswith("\r") else "\n"
    return mark + "".join(line + end for line in lines)


def _read(text: str, style: Style) -> list[Item]:
    """The items of a text whose parentheses match."""
    stack = [Item(is_list=True)]
    latest = stack[0]
    """The last item read: a word, a comment, a closed list, or the list just opened."""
    closed: list[Item] = []
    newlines = 1
    for match in style.tokens.finditer(text):
        token, around = match.group().rstrip(), stack[-1]
        if not token:
            newlines += 1
            continue
        blank = newlines > 1 and bool(around.items)
        if token == "(":
            latest = Item(blank=blank, is_list=True)
            around.items.append(latest)
            stack.append(latest)
        elif token == ")":
            latest = stack.pop()
            closed.append(latest)
            if latest.items:
                latest.comments, latest.items[-1].comments = latest.items[-1].comments, []
        elif token in style.lexicon.separators and _takes_comma(latest, around):
            latest.comma = True
        elif token.startswith(";") and newlines == 0:
            if latest is around:
                latest.opening = token
            else:
                latest.comments.append(token)
        else:
            latest = Item(token, blank, width=len(token))
            around.items.append(latest)
        newlines = 0
    for node in reversed(closed):
        if len(node.comments) > 1:
            node.items[-1].comments, node.comments = node.comments[:-1], node.comments[-1:]
    for node in closed:
        _measure(node, style)
    return stack[0].items


def _takes_comma(item: Item, around: Item) -> bool:
    return item is not around and not (item.comma or item.comments or item.is_comment)


def _measure(node: Item, style: Style) -> None:
    """Computes the width of a list, ``None`` if it needs several lines."""
    forms = node.forms
    style.prepare(node)
    node.width = sum((form.width or 0) + form.comma + 1 for form in forms) + 1 + (not forms)
    if (
        node.opening
        or len(forms) < len(node.items)
        or style.breaks(node)
        or any(form.width is None or form.comments for form in forms)
    ):
        node.width = None


# --- writing ------------------------------------------------------------------------------


def _flat(item: Item) -> str:
    """An item on one line."""
    text = f"({' '.join(map(_flat, item.items))})" if item.is_list else item.text
    return text + "," * item.comma


def _words(items: list[Item], number: int, end: int) -> int:
    """The width of the words that follow the list at an index on the same line."""
    width = 0
    if items[number].is_list:
        for following in range(number + 1, min(end, len(items))):
            if items[following].is_list or items[following].is_comment:
                break
            width += len(items[following].text) + 1
    return width


class _Layout:
    """Writes items as lines."""

    def __init__(self, items: list[Item], style: Style) -> None:
        self.style = style
        self.lines: list[str] = []
        self._line = ""
        for number, item in enumerate(items):
            if number:
                self._new_line(0, item.blank)
            self._put(item, 0)
            self._put_comment(item)
        if items:
            self._new_line(0)

    def _new_line(self, indent: int, blank: bool = False) -> None:
        self.lines.append(self._line.rstrip())
        if blank:
            self.lines.append("")
        self._line = " " * indent

    def _put_comment(self, item: Item) -> None:
        for comment in item.comments:
            self._line += f"  {comment}"

    def _fits(self, item: Item, closing: int) -> bool:
        """Whether an item and `closing` parentheses after it fit on the line."""
        room = WIDTH - len(self._line) - closing - item.comma
        return item.width is not None and item.width <= room

    def _put(self, item: Item, closing: int) -> None:
        """Writes an item; `closing` parentheses will follow it on its last line."""
        if not item.is_list or self._fits(item, closing):
            self._line += _flat(item)
        else:
            self._put_list(item, closing + 1)
            self._line += ")" + "," * item.comma

    def _put_list(self, node: Item, closing: int) -> None:
        """Writes a list over several lines, without its closing parenthesis."""
        start = len(self._line)
        first_line = len(self.lines)
        words_only = not any(form.is_list for form in node.forms)
        indent = start + (1 if words_only else self.style.indent)
        beside = self.style.beside(node) if node.forms else 0
        body = node.forms[-1] if self.style.hugs(node) else None
        self._line += "("
        self._put_opening(node)
        previous, placed, broke = None, 0, False
        for number, item in enumerate(node.items):
            final = number == len(node.items) - 1
            last = closing if final else _words(node.items, number, beside)
            if previous is None:
                broken = bool(node.opening) or item.is_comment
            elif previous.is_comment or previous.comments or item.is_comment:
                broken = True
            elif item is body:
                broken = False
            elif words_only:
                broken = not self._fits(item, last + 1)
            elif placed >= beside:
                broken = not self.style.joins(node, item, previous)
            else:
                crowded = start > _DEEP or first_line < len(self.lines)
                broken = item.is_list and crowded and not self._fits(item, last + 1)
            if broken:
                self._new_line(indent, item.blank and broke)
                broke = True
            elif previous is not None:
                self._line += " "
            if placed == 1 and not broken and self.style.aligns(node):
                indent = len(self._line)
            if item is body:
                self._put_body(item, len(self._line) if broken else start, last)
            else:
                self._put(item, last)
            self._put_comment(item)
            placed += not item.is_comment
            previous = item
        self._put_end(node, start)

    def _put_body(self, node: Item, start: int, closing: int) -> None:
        """Writes a list of steps, clauses or awards, each on a line of its own."""
        self._line += "("
        self._put_opening(node)
        for item in node.items:
            self._new_line(start + self.style.indent, item.blank and item is not node.items[0])
            self._put(item, closing + 1 if item is node.items[-1] else 0)
            self._put_comment(item)
        self._put_end(node, start)
        self._line += ")"

    def _put_opening(self, node: Item) -> None:
        if node.opening:
            self._line += f" {node.opening}"

    def _put_end(self, node: Item, indent: int) -> None:
        """Begins a new line if a closing parenthesis would become part of a comment."""
        last = node.items[-1] if node.items else None
        if last.is_comment or last.comments if last else node.opening:
            self._new_line(indent)
