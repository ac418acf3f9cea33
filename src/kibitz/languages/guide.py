"""The page that explains a language, as a reference: its forms with a line of help, and as HTML.

What editors say about a form is what the page says. So there is one list of forms: the tables of
the page, whose examples the tests run and whose words the tests compare with the readers'.
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
"""Letters of a line of help."""
MOST_FOUND = 40
"""Forms that a search finds."""

_FORM = re.compile(r"\(+\s*([^\s()]+)(?:\s+([^\s()]+))?")
_PLACEHOLDER = re.compile(r"'?[A-Z][A-Z0-9_]*(\.\.\.)?")
_ANYTHING = re.compile(r"[0-9]+|\.\.\.|'?[A-Z][A-Za-z0-9_]*|\?.*")
_SLUG = re.compile(r"[^\w\- ]")
_FORM_COLUMNS = ("form", "declarations and setup", "word")
"""What the first column of a table of forms is called."""


@dataclass(frozen=True)
class Entry:
    """A form of the language.

    Attributes:
        word: by which it is found; ``vloc`` of ``(OWNER vloc NAME)``.
        form: how it looks.
        help: what it is or does, in a line.
        section: the heading under which it stands.
        chapter: the heading of the second level above that.
        anchor: the id of its place in the HTML.
        leads: whether the word is the first one of the form.
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
        """Whether new texts are written so: not in an older dialect."""
        return not self.section.startswith("Dialect")


@dataclass(frozen=True)
class Guide:
    """The page of a language.

    Attributes:
        title: of the page.
        html: all of it; every entry's anchor is the id of an element in it.
        entries: its forms, in order.
        contents: its headings: level, words, id.
    """

    title: str
    html: str
    entries: tuple[Entry, ...]
    contents: tuple[tuple[int, str, str], ...]

    @functools.cached_property
    def by_word(self) -> Mapping[str, tuple[Entry, ...]]:
        """The forms of each word."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.word, []).append(entry)
        return {word: tuple(entries) for word, entries in found.items()}

    def search(self, wanted: str) -> list[Entry]:
        """The forms that have all these words, those that begin with the first one before."""
        words = wanted.lower().split()
        if not words:
            return []
        found = [
            entry
            for entry in self.entries
            if all(w in f"{entry.form} {entry.help} {entry.section}".lower() for w in words)
        ]
        found.sort(key=lambda entry: not entry.word.startswith(words[0]))
        return found[:MOST_FOUND]

    def form_at(self, text: str, offset: int) -> Entry | None:
        """The innermost form around a place in a text that the page explains.

        Args:
            text: of a game in the language.
            offset: the place.
        """
        before = text[:offset]
        word = re.search(r"[^\s(),;]*\Z", before)
        start = word.start() if word else offset
        rest = re.match(r"[^\s(),;]*", text[offset:])
        here = text[start : offset + (rest.end() if rest else 0)]
        if _in_comment(before):
            return None
        at = _opening(before)
        if here in self.by_word and not (here == _head(text, at) and _is_inner(text, at)):
            return self._best(here, _head(text, at))
        while at is not None:
            for known in _first_words(text, at):
                if known in self.by_word:
                    return self._best(known, _head(text, at))
            at = _opening(text[:at])
        return None

    def _best(self, word: str, head: str) -> Entry:
        """The entry of a word that stands first in its form, or behind something."""
        entries = self.by_word[word]
        return next((e for e in entries if e.leads == (word == head)), entries[0])


def _in_comment(before: str) -> bool:
    return ";" in before.rpartition("\n")[2]


def _opening(before: str) -> int | None:
    """Where the innermost parenthesis is that is still open, comments aside."""
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
    found = None if at is None else re.match(r"\(\s*([^\s()]*)", text[at:])
    return found[1] if found else ""


def _is_inner(text: str, at: int | None) -> bool:
    """Whether a form lies in another one and is known by its second word: ``(game vloc X)``."""
    return at is not None and _opening(text[:at]) is not None and _head(text, at) == "game"


def _first_words(text: str, at: int) -> Iterator[str]:
    """The words by which a form is known: its first one, or the second of ``('P iloc HAND)``."""
    found = re.match(
        r"\(\s*(?:([^\s()]+)|\([^()]*(?:\([^()]*\)[^()]*)*\))\s*([^\s()]*)", text[at:]
    )
    if found:
        inner = _is_inner(text, at)
        if found[1] and not inner:
            yield found[1]
        if found[2] and (inner or not found[1] or found[1][0] == "'" or found[1].isdecimal()):
            yield found[2]


# --- reading the page -----------------------------------------------------------------------


def guide_of(language: Language) -> Guide:
    """The page of a language.

    Raises:
        FileError: it has none, or it is missing from this installation.
    """
    return _read(page_text(language))


def page_text(language: Language) -> str:
    """The text of a language's page, in Markdown: from the package, else from the checkout.

    Raises:
        FileError: it has none, or it is missing from this installation.
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
    """Goes once through the tokens of a page, gives headings and forms ids, and lists them."""

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
        for at, self._section, self._chapter in fences:  # what no table has
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
            # of "word | where | meaning" the last column is the help
            told = cells[-1] if _plain(rows[0][1][0]).lower() == "word" else cells[1]
            self._add(row, codes, _plain(told))

    def _fence(self, at: int) -> None:
        """Adds a form that is a code block; the sentence after it is its explanation."""
        token = self._tokens[at]
        form = " ".join(token.content.split())
        inline = next((t for t in self._tokens[at + 1 :] if t.type == "inline"), None)
        if not form.startswith("(") or inline is None or _known(form, self.entries):
            return
        self._add(token, [form], _plain(inline))

    def _add(self, token: Token, forms: Sequence[str], told: str) -> None:
        help = _line(told)
        found = False
        anchor = f"form-{len(self.entries)}"
        for form in forms:
            for word, leads in _words(form):
                place = (self._section, self._chapter, anchor)
                self.entries.append(Entry(word, form, help, *place, leads))
                found = True
        if found:
            token.attrs["id"] = anchor


def _known(form: str, entries: Sequence[Entry]) -> bool:
    words = [word for word, _ in _words(form)]
    return not words or any(entry.word == words[0] for entry in entries)


def _outside(attrs: dict[str, Any], href: str) -> None:
    """A link that leads to another page of the documentation: that page is not here."""
    if "://" in href:
        attrs["target"], attrs["rel"] = "_blank", "noopener"
    else:
        attrs["href"] = "#"
        attrs["title"] = f"In docs/{href}"


def _rows(tokens: Sequence[Token], at: int) -> Iterator[tuple[Token, list[Token]]]:
    """The rows of a table, with the contents of their cells."""
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
    return "".join(
        child.content if child.type != "softbreak" else " " for child in inline.children or ()
    )


def _line(text: str) -> str:
    """A text as one line: its first sentence, no longer than a line is."""
    text = text.strip().removesuffix(": see below").removesuffix(":")
    first = re.match(r"(.+?[.;:])(\s|$)", text)
    if first and len(text) > MOST_HELP // 2:
        text = first[1]
    text = text if len(text) <= MOST_HELP else text[: MOST_HELP - 3].rsplit(" ", 1)[0] + " ..."
    return text if text.endswith("...") else text.rstrip(".:;, ")


def _words(form: str) -> list[tuple[str, bool]]:
    """The words by which a form is found, and whether each stands first in it."""
    form = form.strip()
    if not form.startswith("("):
        return [] if _ANYTHING.fullmatch(form) or not form or " " in form else [(form, False)]
    if form.startswith("(("):
        return []  # (CONDITION STATEMENT) and the like
    found = _FORM.match(form)
    if found is None:
        return []
    first, second = found[1].strip(","), (found[2] or "").strip(",")
    if not _PLACEHOLDER.fullmatch(first) and not _ANYTHING.fullmatch(first):
        return [(first, True)]
    return [] if not second or _ANYTHING.fullmatch(second) else [(second, False)]
