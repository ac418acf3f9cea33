"""Hints for words and signs of other languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kibitz.syntax.sexpr import Atom, Form, Node, Token
from kibitz.syntax.source import Source, Span

_IF = "A condition needs no word: (CONDITION BODY)."
_ELSE = "What is done otherwise has a condition of its own: ((not CONDITION) BODY)."
_LOOP = (
    "A stage goes on until its end holds: (stage player (end CONDITION) ...); so many times is"
    " (repeat NUMBER ACTION)."
)
_FOR = (
    "For each element is (all COLLECTION 'NAME BODY): (all player 'P ...); so many times is"
    " (repeat NUMBER ACTION)."
)
_DEFINE = (
    "A number or name with a name is declared at the beginning: (declare VALUE 'NAME); what"
    " changes is set: (set (game sto NAME) VALUE)."
)
_FUNCTION = (
    "A function is (define (NAME 'A) BODY); a number or name with a name is (declare VALUE 'NAME),"
    " inside a statement (let VALUE 'NAME BODY)."
)
_RETURN = "Nothing is returned: a form stands where its value is wanted."
_BLOCK = "Several steps stand in a do: (do (STEP ...))."
_STOP = "A stage stops when its end holds: (end CONDITION)."
_SET = "To store a number or name, write (set (game sto NAME) VALUE); to compare, (== A B)."
_INC = "Write (inc (game sto NAME) NUMBER)."
_DEC = "Write (dec (game sto NAME) NUMBER)."
_TRUE = "There is no word for it; (== 1 1) always holds, (== 1 2) never."
_ME = "The player whose turn it is, is (current player)."
_OTHERS = "All but the current player are (other player)."
COMMENT = "A comment begins with ;; and goes on to the end of the line."

HINTS = {
    **dict.fromkeys(("if", "when", "case", "switch", "cond"), f"{_IF} {_ELSE}"),
    **dict.fromkeys(("else", "elif", "elseif", "elsif", "otherwise", "default"), _ELSE),
    "unless": _ELSE,
    "then": "Nothing stands between a condition and its body: (CONDITION BODY).",
    **dict.fromkeys(("while", "until", "loop", "dotimes"), _LOOP),
    "again": f"Another turn of the same player is (cycle next current). {_LOOP}",
    **dict.fromkeys(("for", "foreach", "for-each", "forall", "each", "every"), _FOR),
    **dict.fromkeys(("define", "const", "constant", "var", "val", "variable"), _DEFINE),
    **dict.fromkeys(("def", "defun", "function", "func", "fn", "lambda", "macro"), _FUNCTION),
    "return": _RETURN,
    **dict.fromkeys(("begin", "progn", "block", "{", "}"), _BLOCK),
    **dict.fromkeys(("break", "continue", "stop", "exit", "goto"), _STOP),
    **dict.fromkeys(("=", ":=", "<-"), _SET),
    **dict.fromkeys(("+=", "++"), _INC),
    **dict.fromkeys(("-=", "--"), _DEC),
    **dict.fromkeys(("true", "false"), _TRUE),
    **dict.fromkeys(("me", "myself", "self", "you", "active"), _ME),
    **dict.fromkeys(("opponent", "opponents", "others"), _OTHERS),
    **dict.fromkeys(("length", "len", "count"), "How many there are is (size COLLECTION)."),
    "first": "The first card of a location is (bottom LOCATION), the last one (top LOCATION).",
    "last": "The last card of a location is (top LOCATION), the first one (bottom LOCATION).",
    **dict.fromkeys(
        ("draw", "deal", "discard", "take", "give", "place"),
        "A card is moved: (move (top LOCATION) (top LOCATION)). Did you mean move?",
    ),
    "pass": "Did you mean (turn pass)?",
    **dict.fromkeys(("skip", "nothing"), "To do nothing is (turn pass)."),
    **dict.fromkeys(("print", "say", "echo"), "Nothing is printed; kibitz record tells a game."),
    "show": "To show a card is (reveal CARD).",
}
"""Hints for words of other languages, by the word in lower case."""

_SIGNS = ("//", "/*", "#", "--")
"""The signs that begin comments in other languages."""
_ASSIGNMENTS = {"=": "set", ":=": "set", "<-": "set", "+=": "inc", "-=": "dec"}
"""The first words of actions, by the operators that other languages use for them."""
_OPERATORS = {
    **{word: word for word in ("==", "!=", "<", ">", "<=", ">=", "and", "or")},
    **{word: word for word in ("+", "-", "*", "//", "%", "^")},
    "=": "==",
    "===": "==",
    "<>": "!=",
    "=<": "<=",
    "=>": ">=",
    "&&": "and",
    "||": "or",
    "/": "//",
    "mod": "%",
    "div": "//",
}
"""The first words of expressions, by the operators that other languages use for them."""


def prefixed(form: Form, statement: bool) -> tuple[Atom, str] | None:
    """The operator between the two other items of a form, and the first word to write instead.

    Args:
        form: A form that may have an infix operator.
        statement: Whether the form should be a statement, so that ``=`` means an assignment.
    """
    if len(form.items) != 3:
        return None
    first, operator, _ = form.items
    if not isinstance(operator, Atom):
        return None
    if isinstance(first, Atom) and first.text in _OPERATORS:
        return None
    word = (_ASSIGNMENTS if statement else _OPERATORS).get(operator.text)
    return None if word is None else (operator, word)


def hint_for(node: Node) -> str:
    """The hint for a word of another language; empty for anything else."""
    return HINTS.get(node.text.lower(), "") if isinstance(node, Atom) else ""


def without_comments(
    source: Source, tokens: Sequence[Token]
) -> tuple[list[Token], list[tuple[Span, str]]]:
    """Removes the comments of other languages.

    ``//`` begins a comment unless a parenthesis opens directly before it, which makes it the
    operator. ``#`` and ``--`` begin one at the beginning of a line or as separate words. ``/*``
    begins one that ends with ``*/``.

    Returns:
        The tokens outside of comments, and the span and the initial sign of each comment.
    """
    kept: list[Token] = []
    comments: list[tuple[Span, str]] = []
    end = 0
    for number, token in enumerate(tokens):
        start = token.span.start
        if start < end:
            continue
        before = tokens[number - 1].span.end if number else 0
        sign = next((candidate for candidate in _SIGNS if token.text.startswith(candidate)), "")
        alone = token.text == sign or not number or "\n" in source.text[before:start]
        called = number > 0 and tokens[number - 1].text == "(" and before == start
        if not sign or (called and token.text == sign) or (sign in ("#", "--") and not alone):
            kept.append(token)
            continue
        close = source.text.find("*/", start + 2) if sign == "/*" else -1
        line, column = source.position(start)
        end = close + 2 if close >= 0 else start + len(source.line(line)) - (column - 1)
        comments.append((Span(start, end), sign))
    return kept, comments


def report_comments(
    report: Callable[[Span, str, str, str], object], comments: Sequence[tuple[Span, str]]
) -> None:
    """Reports the first comment of another language and the number of the others."""
    if not comments:
        return
    span, sign = comments[0]
    more = f"; there are {len(comments) - 1} more of the kind" if len(comments) > 1 else ""
    report(span, "comment", f"'{sign}' does not begin a comment{more}.", COMMENT)
