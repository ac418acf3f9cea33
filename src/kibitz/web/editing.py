"""Data for the editor of the workshop: a language's forms, and a text's names and parts."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from kibitz.core.errors import KibitzError
from kibitz.languages.guide import Entry, Guide, guide_of
from kibitz.syntax.language import Language
from kibitz.syntax.outline import Symbol
from kibitz.syntax.source import Source
from kibitz.web.checks import Finding, find_errors, language_of_file

MOST_NAMES = 1000
"""Names of a text that are offered."""


def guide_for(language: Language) -> Guide:
    """The reference beside the editor; an empty one where an installation has none."""
    try:
        return guide_of(language)
    except KibitzError as problem:
        return Guide(language.title, f"<p>{escape(str(problem))}</p>", (), ())


def tables(guide: Guide) -> dict[str, Any]:
    """The forms of a language for the editor's script, as JSON.

    ``words`` has for each word of the language the number of its chapter, which gives its colour;
    ``forms`` what is offered while typing.
    """
    chapters = list(dict.fromkeys(entry.chapter for entry in guide.entries))
    words: dict[str, int] = {}
    for entry in guide.entries:
        words.setdefault(entry.word, chapters.index(entry.chapter))
    current = [entry for entry in guide.entries if entry.is_current]
    forms = {
        (one.word, one.form): {
            "word": one.word,
            "rest": _rest(one),
            "help": one.help or one.section,
            "leads": one.leads,
        }
        for one in current
    }
    return {"words": words, "forms": list(forms.values())}


def _rest(entry: Entry) -> str:
    """The rest of a form behind its word; the whole form where the word does not begin it."""
    if not entry.leads:
        return entry.form if entry.form != entry.word else ""
    suffix = entry.form.removeprefix("(").removesuffix(")").strip()[len(entry.word) :].strip()
    return suffix if len(suffix) <= 48 else suffix[:45] + "..."


def names(language: Language, guide: Guide, source: Source) -> list[dict[str, str]]:
    """The names in a text with a line of help, as JSON."""
    completions = []
    for name in language.names(source)[:MOST_NAMES]:
        explained = guide.by_word.get(name.word)
        known = explained is not None and not explained[0].leads
        help = f"{explained[0].help}: {name.help}" if explained and known else name.help
        completions.append({"text": name.text, "help": help})
    return completions


@dataclass(frozen=True)
class Reading:
    """What the editor shows of a text without a check by play.

    Attributes:
        errors: the errors that need no play; warnings take longer.
        parts: the entries of the outline.
        names: the names to complete, as JSON.
    """

    errors: list[Finding]
    parts: list[Symbol]
    names: list[dict[str, str]]


def read(name: str, text: str) -> Reading:
    """Reads a text for the editor.

    Raises:
        KibitzError: it is in no language that is edited here.
    """
    source, language = Source(name, text), language_of_file(name)
    errors = find_errors(name, text)
    return Reading(errors, language.outline(source), names(language, guide_for(language), source))


def formatted(source: Source) -> str:
    """A text as ``kibitz fmt`` lays it out.

    Raises:
        KibitzError: it cannot be read, or is in no language that is edited here.
    """
    return language_of_file(source.name).format(source)


def outline_html(symbols: Sequence[Symbol]) -> str:
    """The parts of a text as a list of buttons that lead to them."""
    rows = "".join(
        f'<li style="padding-left: {0.9 * min(symbol.depth, 5):.1f}rem">'
        f'<button type="button" data-act="part {number}">{escape(symbol.name)}'
        f"{f'<span>{escape(symbol.detail)}</span>' if symbol.detail else ''}</button></li>"
        for number, symbol in enumerate(symbols)
    )
    return f"<ol>{rows}</ol>" if rows else '<p class="quiet">Nothing yet.</p>'


def help_html(entry: Entry | None) -> str:
    """The form at the cursor, and its explanation."""
    if entry is None:
        return '<span class="quiet">Ctrl-Space offers forms and names.</span>'
    return (
        f"<code>{escape(entry.form if len(entry.form) <= 80 else entry.form[:77] + '...')}</code>"
        f"<span>{escape(entry.help)}</span>"
    )


def hits_html(entries: Sequence[Entry], query: str) -> str:
    """The results of a search in the reference, as a list of buttons."""
    if not query.strip():
        return ""
    rows = "".join(
        f'<li><button type="button" data-act="form {escape(entry.anchor)}"><code>'
        f"{escape(entry.form)}</code>{escape(entry.help or entry.section)}</button></li>"
        for entry in entries
    )
    return f'<ul class="hits">{rows}</ul>' if rows else "<p class='quiet'>No form has this.</p>"


def digest(text: str) -> int:
    """The number by which the browser recognizes that its text is kept."""
    return zlib.adler32(text.encode("utf-8", "surrogatepass"))
