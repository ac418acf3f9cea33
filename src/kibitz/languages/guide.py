"""The reference page of a language: its forms, each with a line of help, and the page as HTML.

The forms come from the tables and code blocks of the page (``docs/recycle.md``, ``docs/gdl.md``),
so editors show the same help as the page. Tests run the examples of the page and compare its words
with those that the readers know.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kibitz
from kibitz.core.errors import FileError
from kibitz.syntax.language import Language

if TYPE_CHECKING:
    from markdown_it.token import Token

MOST_HELP = 160
"""The maximum length of a line of help, in characters."""
MOST_FOUND = 40
"""The maximum number of forms that a search returns."""

_FORM = re.compile(r"\(+\s*([^\s()]+)(?:\s+([^\s()]+))?")
_PLACEHOLDER = re.compile(r"'?[A-Z][A-Z0-9_]*(\.\.\.)?")
_ANYTHING = re.compile(r"[0-9]+|\.\.\.|'?[A-Z][A-Za-z0-9_]*|\?.*")
_SLUG = re.compile(r"[^\w\- ]")
_FORM_COLUMNS = ("form", "declarations and setup", "word")
"""The titles of the first column that mark a table of forms, in lower case."""


@dataclass(frozen=True)
class Entry:
    """A form of a language, as its page explains it.

    Attributes:
        word: The word that identifies the form; ``vloc`` for ``(OWNER vloc NAME)``.
        form: The pattern of the form, such as ``(OWNER vloc NAME)``.
        help: What the form is or does, in one line.
        section: The heading of the section that contains the form.
        chapter: The nearest heading of the first or second level.
        anchor: The id of an element of the page's HTML at which the form is explained.
        leads: Whether the word is the first one of the form.
    """

    word: str
    form: str
    help: str
    section: str
    chapter: str
    anchor: str
    leads: bool

    @property
    def is_current(self) -> bool:
        """Whether the form belongs to the current language, not to an older dialect."""
        return not self.section.startswith("Dialect")


@dataclass(frozen=True)
class Guide:
    """The reference page of a language.

    Attributes:
        title: The text of the first heading.
        html: The whole page; the anchor of each entry is the id of an element in it.
        entries: The forms that the page explains: those in tables, then those in code blocks.
        contents: The level, the text and the id of each heading.
    """

    title: str
    html: str
    entries: tuple[Entry, ...]
    contents: tuple[tuple[int, str, str], ...]

    @functools.cached_property
    def by_word(self) -> Mapping[str, tuple[Entry, ...]]:
        """The entries of each word."""
        by_word: dict[str, list[Entry]] = {}
        for entry in self.entries:
            by_word.setdefault(entry.word, []).append(entry)
        return {word: tuple(entries) for word, entries in by_word.items()}

    def search(self, query: str) -> list[Entry]:
        """The entries that contain all words of a query, at most ``MOST_FOUND``.

        Entries whose word starts with the first word of the query come first.
        """
        words = query.lower().split()
        if not words:
            return []
        matches = [
            entry
            for entry in self.entries
            if all(w in f"{entry.form} {entry.help} {entry.section}".lower() for w in words)
        ]
        matches.sort(key=lambda entry: not entry.word.startswith(words[0]))
        return matches[:MOST_FOUND]

    def form_at(self, text: str, offset: int) -> Entry | None:
        """The entry of the innermost form around an offset in the text of a game.

        It is ``None`` in a comment, and where the page explains none of the forms.
        """
        before = text[:offset]
        word_start = re.search(r"[^\s(),;]*\Z", before)
        start = word_start.start() if word_start else offset
        word_end = re.match(r"[^\s(),;]*", text[offset:])
        word = text[start : offset + (word_end.end() if word_end else 0)]
        if _in_comment(before):
            return None
        at = _opening(before)
        if word in self.by_word and not (word == _head(text, at) and _is_inner(text, at)):
            return self._best(word, _head(text, at))
        while at is not None:
            for known in _first_words(text, at):
                if known in self.by_word:
                    return self._best(known, _head(text, at))
            at = _opening(text[:at])
        return None

    def _best(self, word: str, head: str) -> Entry:
        """The entry of a word for a form with a head, which may be the word itself."""
        entries = self.by_word[word]
        return next((e for e in entries if e.leads == (word == head)), entries[0])


def _in_comment(before: str) -> bool:
    return ";" in before.rpartition("\n")[2]


def _opening(before: str) -> int | None:
    """The offset of the last parenthesis that is still open, ignoring comments."""
    clean = re.sub(r";[^\n]*", lambda comment: " " * len(comment[0]), before)
    depth = 0
    for at in range(len(clean) - 1, -1, -1):
        if clean[at] == ")":
            depth += 1
        elif clean[at] == "(":
            if not depth:
                return at
            depth -= 1
    return None


def _head(text: str, at: int | None) -> str:
    """The first word of the form that opens at an offset; empty if it begins with a form."""
    match = None if at is None else re.match(r"\(\s*([^\s()]*)", text[at:])
    return match[1] if match else ""


def _is_inner(text: str, at: int | None) -> bool:
    """Whether a form within another one is identified by its second word: ``(game vloc X)``."""
    return at is not None and _opening(text[:at]) is not None and _head(text, at) == "game"


def _first_words(text: str, at: int) -> Iterator[str]:
    """The words that may identify a form: its first one, and the second of ``('P iloc HAND)``."""
    match = re.match(
        r"\(\s*(?:([^\s()]+)|\([^()]*(?:\([^()]*\)[^()]*)*\))\s*([^\s()]*)", text[at:]
    )
    if match:
        inner = _is_inner(text, at)
        if match[1] and not inner:
            yield match[1]
        if match[2] and (inner or not match[1] or match[1][0] == "'" or match[1].isdecimal()):
            yield match[2]


# --- reading the page -----------------------------------------------------------------------


def guide_of(language: Language) -> Guide:
    """The reference page of a language.

    Raises:
        FileError: The language has no page, or this installation lacks it.
    """
    return _read(page_text(language))


def page_text(language: Language) -> str:
    """The Markdown of a language's page, from the package or else from the checkout.

    Raises:
        FileError: The language has no page, or this installation lacks it.
    """
    if language.guide:
        inside = files("kibitz").joinpath(language.guide)
        if inside.is_file():
            return inside.read_text("utf-8")
        beside = Path(kibitz.__file__).parents[2] / language.guide
        if beside.is_file():
            return beside.read_text("utf-8")
    raise FileError(f"The page about {language.title} is not in this installation.")


@functools.lru_cache(maxsize=8)
def _read(text: str) -> Guide:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(text)
    pass_ = _Pass(tokens)
    html = reader.renderer.render(tokens, reader.options, {})
    html = html.replace("<table>", '<div class="scrolls"><table>')
    html = html.replace("</table>", "</table></div>")
    title = pass_.contents[0][1] if pass_.contents else ""
    return Guide(title, html, tuple(pass_.entries), tuple(pass_.contents))


class _Pass:
    """One pass over the tokens of a page, which gives headings and forms ids and lists them."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.entries: list[Entry] = []
        self.contents: list[tuple[int, str, str]] = []
        self._tokens = tokens
        self._section = self._chapter = ""
        self._slugs: set[str] = set()
        fences: list[tuple[int, str, str]] = []
        for at, token in enumerate(tokens):
            if token.type == "heading_open":
                self._heading(at)
            elif token.type == "table_open":
                self._table(at)
            elif token.type == "fence" and not token.info.strip():
                fences.append((at, self._section, self._chapter))
            for child in token.children or ():
                href = child.attrs.get("href")
                if child.type == "link_open" and isinstance(href, str) and href[:1] != "#":
                    _outside(child.attrs, href)
        for at, self._section, self._chapter in fences:  # forms that are in no table
            self._fence(at)

    def _heading(self, at: int) -> None:
        words = _plain(self._tokens[at + 1])
        self._section = words
        if self._tokens[at].tag in ("h1", "h2"):
            self._chapter = words
        slug = _SLUG.sub("", words.lower()).replace(" ", "-")
        number = 0
        while slug in self._slugs:
            number += 1
            slug = f"{slug}-{number}"
        self._slugs.add(slug)
        self._tokens[at].attrs["id"] = slug
        self.contents.append((int(self._tokens[at].tag[1]), words, slug))

    def _table(self, at: int) -> None:
        rows = list(_rows(self._tokens, at))
        if not rows or _plain(rows[0][1][0]).lower() not in _FORM_COLUMNS:
            return
        for row, cells in rows[1:]:
            codes = [c.content for c in cells[0].children or () if c.type == "code_inline"]
            # in a table "word | where | meaning", the last column is the help
            help_cell = cells[-1] if _plain(rows[0][1][0]).lower() == "word" else cells[1]
            self._add(row, codes, _plain(help_cell))

    def _fence(self, at: int) -> None:
        """Adds the form in a code block, explained by the first sentence after it."""
        token = self._tokens[at]
        form = " ".join(token.content.split())
        inline = next((t for t in self._tokens[at + 1 :] if t.type == "inline"), None)
        if not form.startswith("(") or inline is None or _known(form, self.entries):
            return
        self._add(token, [form], _plain(inline))

    def _add(self, token: Token, forms: Sequence[str], explanation: str) -> None:
        help = _line(explanation)
        added = False
        anchor = f"form-{len(self.entries)}"
        for form in forms:
            for word, leads in _words(form):
                place = (self._section, self._chapter, anchor)
                self.entries.append(Entry(word, form, help, *place, leads))
                added = True
        if added:
            token.attrs["id"] = anchor


def _known(form: str, entries: Sequence[Entry]) -> bool:
    """Whether a form has no word to identify it, or one that already has an entry."""
    words = [word for word, _ in _words(form)]
    return not words or any(entry.word == words[0] for entry in entries)


def _outside(attrs: dict[str, Any], href: str) -> None:
    """Changes a link to another page: a new tab for an address, a tip for a page of the docs."""
    if "://" in href:
        attrs["target"], attrs["rel"] = "_blank", "noopener"
    else:
        attrs["href"] = "#"
        attrs["title"] = f"In docs/{href}"


def _rows(tokens: Sequence[Token], at: int) -> Iterator[tuple[Token, list[Token]]]:
    """The rows of the table that starts at an index, with the contents of their cells."""
    row, cells = tokens[at], list[Any]()
    for number, token in enumerate(tokens[at:], start=at):
        if token.type == "tr_open":
            row, cells = token, []
        elif token.type in ("th_open", "td_open"):
            cells.append(tokens[number + 1])
        elif token.type == "tr_close":
            yield row, cells
        elif token.type == "table_close":
            return


def _plain(inline: Token) -> str:
    """The text of a token without its markup."""
    return "".join(
        child.content if child.type != "softbreak" else " " for child in inline.children or ()
    )


def _line(text: str) -> str:
    """A text as a line of help: the first sentence of a long text, at most ``MOST_HELP`` long."""
    text = text.strip().removesuffix(": see below").removesuffix(":")
    first = re.match(r"(.+?[.;:])(\s|$)", text)
    if first and len(text) > MOST_HELP // 2:
        text = first[1]
    text = text if len(text) <= MOST_HELP else text[: MOST_HELP - 3].rsplit(" ", 1)[0] + " ..."
    return text if text.endswith("...") else text.rstrip(".:;, ")


def _words(form: str) -> list[tuple[str, bool]]:
    """The words that identify a form, and whether each is the first word of the form."""
    form = form.strip()
    if not form.startswith("("):
        return [] if _ANYTHING.fullmatch(form) or not form or " " in form else [(form, False)]
    if form.startswith("(("):
        return []  # (CONDITION STATEMENT) and the like
    match = _FORM.match(form)
    if match is None:
        return []
    first, second = match[1].strip(","), (match[2] or "").strip(",")
    if not _PLACEHOLDER.fullmatch(first) and not _ANYTHING.fullmatch(first):
        return [(first, True)]
    return [] if not second or _ANYTHING.fullmatch(second) else [(second, False)]
