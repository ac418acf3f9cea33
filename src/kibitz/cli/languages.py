"""Which games are texts in a language for rules, rather than Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.core.errors import UnknownGameError

if TYPE_CHECKING:
    from kibitz.syntax.source import Source

SUFFIXES = (".rcy", ".gdl", ".rkt")
"""Of files in RECYCLE: today's, and those of old."""


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
    """The language of a text by what stands in it: ``recycle``, or empty if it is none of ours."""
    from kibitz.recycle.words import LEXICON
    from kibitz.syntax.sexpr import Form, arrange, tokenize

    for form in arrange(tokenize(source, LEXICON)).forms:
        return "recycle" if isinstance(form, Form) and form.head == "game" else ""
    return ""
