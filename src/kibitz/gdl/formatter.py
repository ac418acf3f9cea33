"""Lays out rules in KIF, for ``kibitz fmt``.

A long rule has each condition on its own line.
"""

from __future__ import annotations

from kibitz.gdl.infix import is_infix
from kibitz.gdl.reader import LEXICON
from kibitz.syntax import layout
from kibitz.syntax.layout import Item, Style
from kibitz.syntax.source import Diagnostic, Severity, Source, SourceError, Span

_SHORT = 60
"""The longest line for a rule with several conditions; a longer rule is broken."""


class KifStyle(Style):
    """The layout of rules in KIF."""

    lexicon = LEXICON
    indent = 4

    def breaks(self, node: Item) -> bool:
        """Breaks rules with several conditions that are longer than ``_SHORT``."""
        return node.head == "<=" and len(node.forms) > 3 and (node.width or 0) > _SHORT

    def beside(self, node: Item) -> int:  # noqa: D102
        return min(2, len(node.forms)) if node.head == "<=" or self.aligns(node) else node.words

    def aligns(self, node: Item) -> bool:  # noqa: D102
        return node.head.lower() in ("or", "and", "not")


def format_text(text: str, name: str = "text") -> str:
    """Lays out the rules of a text.

    Raises:
        SourceError: the parentheses do not match, or the rules are in infix notation.
    """
    source = Source(name, text)
    if is_infix(source):
        problem = Diagnostic(
            Severity.ERROR,
            "infix",
            "These rules are in infix notation; only KIF is laid out.",
            Span(0, 0),
            "`kibitz translate FILE --to kif` turns them into KIF.",
        )
        raise SourceError(source, [problem])
    return layout.format_text(text, name, KifStyle())
