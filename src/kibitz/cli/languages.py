"""Which games are texts in a language for rules, rather than Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.core.errors import UnknownGameError

if TYPE_CHECKING:
    from kibitz.syntax.source import Source

SUFFIXES = (".rcy", ".gdl", ".rkt", ".kif")
"""Of files in RECYCLE: today's, and those of old; and in GDL: the second and the last."""

_INFIX = re.compile(r":-|^\s*\[?role\s*\(", re.MULTILINE)
_ENOUGH = 2000
"""Words of a text by which its language is known."""


def rules_text(game: str) -> Source | None:
    """The rules of a game as a text; ``None`` for a game in Python.

    Args:
        game: a file, or the name of a game.

    Raises:
        FileError: the file cannot be read.
    """
    path = Path(game)
    if path.suffix == ".py":
        return None
    if path.is_file() or path.suffix in SUFFIXES:
        from kibitz.syntax.source import Source

        return Source.load(game)
    if ":" in game:
        return None
    from kibitz.core import registry

    try:
        return getattr(registry.game_class(game), "text", None)
    except UnknownGameError:
        return None


def language_of(source: Source) -> str:
    """The language of a text by what stands in it: ``recycle``, ``gdl``, or empty if neither.

    A file in KIF is in GDL, whatever is in it.
    """
    from kibitz.gdl.infix import is_infix
    from kibitz.gdl.rules import KEYWORDS
    from kibitz.recycle.words import LEXICON
    from kibitz.syntax.sexpr import Form, arrange, tokenize

    if source.name.endswith(".kif"):
        return "gdl"
    for form in arrange(tokenize(source, LEXICON, _ENOUGH)).forms:
        if isinstance(form, Form) and form.head == "game":
            return "recycle"
        break
    if is_infix(source):
        return "gdl" if _INFIX.search(source.text) else ""
    for form in arrange(tokenize(source, LEXICON, _ENOUGH)).forms:
        items = form.items if isinstance(form, Form) and not form.head else (form,)
        for item in items:
            if isinstance(item, Form) and item.head.lower() in ("<=", *KEYWORDS):
                return "gdl"
    return ""
