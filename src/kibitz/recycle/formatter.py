"""The layout of texts in RECYCLE, for ``kibitz fmt``.

The items of a stage, the clauses of a choice, the steps of a ``do`` and the awards of a point map
get lines of their own. Other forms are broken if they do not fit.
"""

from __future__ import annotations

from kibitz.recycle.words import LEXICON
from kibitz.syntax import layout
from kibitz.syntax.layout import Item, Style

_ALWAYS_BROKEN = frozenset(("setup", "stage", "choice", "comp", "effects", "names", "respond"))
"""The first words of forms that always need several lines."""
_LOOPS = frozenset(("all", "any", "let", "repeat"))
_SHORT = 50
"""The maximum width of a condition or loop that shares a line with the step in it."""
_TESTS = frozenset(("and", "or", "not", "==", "!=", "<", ">", "<=", ">="))
_ALIGNED = (
    _TESTS
    | {"+", "-", "*", "//", "%", "^", "union", "intersect", "disjunction", "max", "min", "sum"}
    | {"score", "scoremax", "scoremin", "sort", "move", "remember", "swap"}
)
"""The first words of forms whose arguments are aligned below the first one."""
_ON_FIRST_LINE = {
    **dict.fromkeys(("any", "all", "let", "filter", "tell"), 2),
    **dict.fromkeys(("set", "inc", "dec", "repeat", "define", "option"), 1),
}
"""The number of arguments on the line of the first word; of other forms, only words stay there."""


class RecycleStyle(Style):
    """The layout of texts in RECYCLE."""

    lexicon = LEXICON

    def prepare(self, node: Item) -> None:
        if node.head in ("comp", "choice") and not self.hugs(node):
            for clause in node.forms[1:]:
                if len(clause.items) > 2:
                    clause.width = None

    def breaks(self, node: Item) -> bool:
        forms = node.forms
        return (
            node.head in _ALWAYS_BROKEN
            or (node.head == "game" and len(forms) > 1 and forms[1].is_list)
            or ((node.width or 0) > _SHORT and _is_nested(node))
            or (self.hugs(node) and len(forms[-1].items) > 1)
        )

    def hugs(self, node: Item) -> bool:
        """Whether the last form is a list of steps, clauses or awards."""
        forms = node.forms
        if len(forms) < 2 or not forms[-1].forms:
            return False
        last = forms[-1].forms
        if node.head in ("do", "choice"):
            is_clause = not last[0].items or last[0].head in _TESTS
            return len(forms) == 2 and last[0].is_list and not is_clause
        return node.head in ("set", "initialize", "put") and all(item.is_list for item in last)

    def beside(self, node: Item) -> int:
        forms, words = node.forms, node.words
        if node.head in ("effects", "respond"):
            return 3 if node.head == "effects" else 2
        if node.head in _ALWAYS_BROKEN or node.head == "deck":
            return words
        if node.head == "create":
            return min(len(forms) - 1, 5)
        if node.head in _ALIGNED or (node.head and words == 1 and len(forms) == 2):
            return 2
        if node.head == "cardatt":
            return min(len(forms), 3)
        if node.head in ("any", "all") and not (len(forms) > 2 and forms[2].text.startswith("'")):
            return words  # not a loop
        return max(words, 1 + _ON_FIRST_LINE.get(node.head, 0))

    def aligns(self, node: Item) -> bool:
        return node.head in _ALIGNED

    def joins(self, node: Item, item: Item, previous: Item) -> bool:
        return previous.text == "using" or (node.head == "move" and not item.is_list)


def _is_nested(node: Item) -> bool:
    """Whether a list is a condition with a step, or a loop around one or around another loop."""
    forms = node.forms
    if node.head in _LOOPS:
        return forms[-1].head in _LOOPS or _is_nested(forms[-1])
    return len(forms) == 2 and all(form.is_list and form.head for form in forms)


def format_text(text: str, name: str = "text") -> str:
    """Formats a text in RECYCLE: see ``kibitz.syntax.layout.format_text``."""
    return layout.format_text(text, name, RecycleStyle())
