"""The layout of RECYCLE texts: ``kibitz fmt``.

Only white space changes. A form that fits on its line stays on it; what else a person would
break is broken: the items of a stage, the clauses of a choice, the steps of a ``do``, the awards
of a point map. Comments stay where they are, and blank lines keep groups apart.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field

from kibitz.recycle.words import LEXICON
from kibitz.syntax.sexpr import read
from kibitz.syntax.source import Source, SourceError

WIDTH = 88
"""What lines are made to fit into, where that is possible."""

INDENT = 2

_DEEP = 60
"""Where a form that begins here does not fit, its parts are not put beside its first word."""

_TOKEN = re.compile(r"\n|;[^\n]*|[(),]|[^\s(),;\ufeff]+")
_MARK = "\ufeff"

_ALWAYS_BROKEN = frozenset(("setup", "stage", "choice", "comp"))
_LOOPS = frozenset(("all", "any", "let", "repeat"))
_SHORT = 50
"""A step inside a condition or a loop is put on one line with it only if that is no longer."""
_TESTS = frozenset(("and", "or", "not", "==", "!=", "<", ">", "<=", ">="))
_ALIGNED = (
    _TESTS
    | {"+", "-", "*", "//", "%", "^", "union", "intersect", "disjunction", "max", "min", "sum"}
    | {"score", "scoremax", "scoremin", "sort", "move", "remember", "swap"}
)
"""Words whose arguments stand below each other, beginning beside the word."""
_ON_FIRST_LINE = {
    **dict.fromkeys(("any", "all", "let", "filter"), 2),
    **dict.fromkeys(("set", "inc", "dec", "repeat"), 1),
}
"""How many arguments stay on the line of the word; elsewhere it is those that are no forms."""


def format_text(text: str, name: str = "text") -> str:
    """The same text with its lines laid out anew.

    Line ends are kept as they are in the first line; so is a byte order mark.

    Args:
        text: of a game, or of a part of one.
        name: of the file, for messages.

    Raises:
        SourceError: the parentheses do not match, so that nobody can say what belongs together.
    """
    source = Source(name, text)
    if problems := read(source, LEXICON).diagnostics:
        raise SourceError(source, problems)
    first, end, _ = text.partition("\n")
    plain = text.removeprefix(_MARK).replace("\r\n", "\n").replace("\r", "\n")
    lines = _Layout(_read(plain)).lines
    mark = _MARK if text.startswith(_MARK) else ""
    end = "\r\n" if end and first.endswith("\r") else "\n"
    return mark + "".join(line + end for line in lines)


# --- what is laid out ---------------------------------------------------------------------


@dataclass(eq=False)
class _Item:
    """A word, a list, or a comment on a line of its own."""

    text: str = ""
    blank: bool = False
    """Whether a blank line stands before it."""
    comma: bool = False
    """Whether a comma follows."""
    comments: list[str] = field(default_factory=list)
    """What follows on the same line. (While reading, it may be several: those of the last item
    within, of its last item, and so on, the innermost first.)"""
    width: int | None = 0
    """Of the item on one line; ``None`` if it needs several."""
    items: list[_Item] = field(default_factory=list)
    opening: str = ""
    """Of a list: a comment directly after the opening parenthesis."""
    is_list: bool = False

    @property
    def is_comment(self) -> bool:
        return self.text.startswith(";")

    @functools.cached_property
    def head(self) -> str:
        """The first word of a list; empty if it has none or begins with a list."""
        return self.forms[0].text if self.forms else ""

    @functools.cached_property
    def forms(self) -> list[_Item]:
        """What is in a list, without the comments."""
        return [item for item in self.items if not item.is_comment]


def _read(text: str) -> list[_Item]:
    """The items of a text whose parentheses match."""
    stack = [_Item(is_list=True)]
    latest = stack[0]
    """What was read last: a word, a comment, a closed list, or the list just opened."""
    closed: list[_Item] = []
    newlines = 1
    for match in _TOKEN.finditer(text):
        token, around = match.group().rstrip(), stack[-1]
        if not token:
            newlines += 1
            continue
        blank = newlines > 1 and bool(around.items)
        if token == "(":
            latest = _Item(blank=blank, is_list=True)
            around.items.append(latest)
            stack.append(latest)
        elif token == ")":
            latest = stack.pop()
            closed.append(latest)
            if latest.items:
                latest.comments, latest.items[-1].comments = latest.items[-1].comments, []
        elif token == "," and _takes_comma(latest, around):
            latest.comma = True
        elif token.startswith(";") and newlines == 0:
            if latest is around:
                latest.opening = token
            else:
                latest.comments.append(token)
        else:
            latest = _Item(token, blank, width=len(token))
            around.items.append(latest)
        newlines = 0
    for node in reversed(closed):
        if len(node.comments) > 1:
            node.items[-1].comments, node.comments = node.comments[:-1], node.comments[-1:]
    for node in closed:
        _measure(node)
    return stack[0].items


def _takes_comma(item: _Item, around: _Item) -> bool:
    return item is not around and not (item.comma or item.comments or item.is_comment)


def _measure(node: _Item) -> None:
    """Finds out how wide a list is, or that it needs several lines."""
    forms = node.forms
    if node.head in ("comp", "choice") and not _hugs(node):
        for clause in forms[1:]:
            if len(clause.items) > 2:
                clause.width = None
    node.width = sum((form.width or 0) + form.comma + 1 for form in forms) + 1 + (not forms)
    if (
        node.opening
        or len(forms) < len(node.items)
        or node.head in _ALWAYS_BROKEN
        or (node.head == "game" and len(forms) > 1 and forms[1].is_list)
        or (node.width > _SHORT and _is_nested(node))
        or (_hugs(node) and len(forms[-1].items) > 1)
        or any(form.width is None or form.comments for form in forms)
    ):
        node.width = None


def _is_nested(node: _Item) -> bool:
    """Whether a list is a condition with a step, or a loop of loops."""
    forms = node.forms
    if node.head in _LOOPS:
        return forms[-1].head in _LOOPS or _is_nested(forms[-1])
    return len(forms) == 2 and all(form.is_list and form.head for form in forms)


def _hugs(node: _Item) -> bool:
    """Whether the last argument is a list of steps, clauses or awards, which is opened on the
    line of the word.
    """
    forms = node.forms
    if len(forms) < 2 or not forms[-1].forms:
        return False
    last = forms[-1].forms
    if node.head in ("do", "choice"):
        is_clause = not last[0].items or last[0].head in _TESTS
        return len(forms) == 2 and last[0].is_list and not is_clause
    return node.head in ("set", "initialize", "put") and all(item.is_list for item in last)


# --- laying it out ------------------------------------------------------------------------


def _flat(item: _Item) -> str:
    """An item on one line."""
    text = f"({' '.join(map(_flat, item.items))})" if item.is_list else item.text
    return text + "," * item.comma


def _on_first_line(node: _Item) -> int:
    """How many forms of a list that needs several lines begin on the first of them."""
    forms = node.forms
    words = 1
    while words < len(forms) and not forms[words].is_list:
        words += 1
    if node.head in _ALWAYS_BROKEN or node.head == "deck":
        return words
    if node.head == "create":
        return min(len(forms) - 1, 5)
    if node.head in _ALIGNED or (node.head and words == 1 and len(forms) == 2):
        return 2
    if node.head == "cardatt":
        return min(len(forms), 3)
    if node.head in ("any", "all") and not (len(forms) > 2 and forms[2].text.startswith("'")):
        return words  # they are no loop
    return max(words, 1 + _ON_FIRST_LINE.get(node.head, 0))


def _words(items: list[_Item], number: int, end: int) -> int:
    """How much room the words take that follow a list on the same line."""
    width = 0
    if items[number].is_list:
        for following in range(number + 1, min(end, len(items))):
            if items[following].is_list or items[following].is_comment:
                break
            width += len(items[following].text) + 1
    return width


class _Layout:
    """The lines of a text."""

    def __init__(self, items: list[_Item]) -> None:
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

    def _put_comment(self, item: _Item) -> None:
        for comment in item.comments:
            self._line += f"  {comment}"

    def _fits(self, item: _Item, closing: int) -> bool:
        """Whether an item, and so many parentheses behind it, fit on the line."""
        room = WIDTH - len(self._line) - closing - item.comma
        return item.width is not None and item.width <= room

    def _put(self, item: _Item, closing: int) -> None:
        """Writes an item; `closing` parentheses will follow it on its last line."""
        if not item.is_list or self._fits(item, closing):
            self._line += _flat(item)
        else:
            self._put_list(item, closing + 1)
            self._line += ")" + "," * item.comma

    def _put_list(self, node: _Item, closing: int) -> None:
        """Writes a list over several lines, without its closing parenthesis."""
        start = len(self._line)
        first_line = len(self.lines)
        words_only = not any(form.is_list for form in node.forms)
        indent = start + (1 if words_only else INDENT)
        beside = _on_first_line(node) if node.forms else 0
        body = node.forms[-1] if _hugs(node) else None
        self._line += "("
        self._put_opening(node)
        previous, placed, many = None, 0, False
        for number, item in enumerate(node.items):
            final = number == len(node.items) - 1
            last = closing if final else _words(node.items, number, beside)
            if previous is None:
                broken = bool(node.opening) or item.is_comment
            elif previous.is_comment or previous.comments or item.is_comment:
                broken = True
            elif item is body or previous.text == "using":
                broken = False
            elif words_only:
                broken = not self._fits(item, last + 1)
            elif placed >= beside:
                broken = item.is_list or node.head != "move"
            else:
                crowded = start > _DEEP or first_line < len(self.lines)
                broken = item.is_list and crowded and not self._fits(item, last + 1)
            if broken:
                self._new_line(indent, item.blank and many)
                many = True
            elif previous is not None:
                self._line += " "
            if placed == 1 and not broken and node.head in _ALIGNED:
                indent = len(self._line)
            if item is body:
                self._put_body(item, len(self._line) if broken else start, last)
            else:
                self._put(item, last)
            self._put_comment(item)
            placed += not item.is_comment
            previous = item
        self._put_end(node, start)

    def _put_body(self, node: _Item, start: int, closing: int) -> None:
        """Writes a list of steps, clauses or awards, each on a line of its own."""
        self._line += "("
        self._put_opening(node)
        for item in node.items:
            self._new_line(start + INDENT, item.blank and item is not node.items[0])
            self._put(item, closing + 1 if item is node.items[-1] else 0)
            self._put_comment(item)
        self._put_end(node, start)
        self._line += ")"

    def _put_opening(self, node: _Item) -> None:
        if node.opening:
            self._line += f" {node.opening}"

    def _put_end(self, node: _Item, indent: int) -> None:
        """Makes sure that a closing parenthesis does not become part of a comment."""
        last = node.items[-1] if node.items else None
        if last.is_comment or last.comments if last else node.opening:
            self._new_line(indent)
