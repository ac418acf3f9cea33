"""The outline and the names of a text in RECYCLE, for editors; the text may have errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from kibitz.core.wording import counted, listed
from kibitz.recycle.words import KINDS, LEXICON, MOST_TOKENS, NAME, STORES, VARIABLE
from kibitz.syntax.outline import MOST_SYMBOLS, Name, Symbol, comment_above
from kibitz.syntax.sexpr import Atom, Form, Node, arrange, forms, tokenize, words
from kibitz.syntax.source import Source

_SHORT = 60
"""The maximum length of a piece of the text that is shown."""

_BINDERS = {"any": 3, "all": 3, "filter": 3, "let": 3, "declare": 3}


def _top(source: Source) -> tuple[Node, ...]:
    return arrange(tokenize(source, LEXICON, MOST_TOKENS)).forms


def outline(source: Source) -> list[Symbol]:
    """The declarations, the setup, the stages, choices and steps, and the scoring."""
    symbols: list[Symbol] = []
    for node in _top(source):
        if isinstance(node, Form) and node.head == "game":
            for item in node.items[1:]:
                _item(source, item, 0, symbols)
    return symbols[:MOST_SYMBOLS]


def _item(source: Source, node: Node, depth: int, symbols: list[Symbol]) -> None:
    """Adds the symbols of an item and of the items within it."""
    if not isinstance(node, Form):
        return
    inner: tuple[Node, ...] = ()
    last = node.items[-1] if node.items else None
    match node.head:
        case "setup":
            name, detail, inner = "Setup", "", node.items[1:]
        case "declare":
            name = last.text.strip("'") if _is_variable(last) else "declare"
            detail = _piece(source, node.items[1]) if len(node.items) > 2 else ""
        case "define" | "effects":
            name, detail = _defined(source, node)
        case "names":
            name, detail = "Names", listed([i.head for i in node.items[1:] if isinstance(i, Form)])
        case "create":
            name, detail = _created(source, node)
        case "repeat" if depth:
            name, detail, inner = "repeat", _piece(source, node.items[1:2]), node.items[2:]
        case "stage":
            name, detail, inner = *_stage(source, node), node.items[1:]
        case "choice":
            name, detail = "Choice", counted(len(_steps(node)), "clause")
            inner = tuple(_worded(node))
        case "respond":
            name, detail = "Responses", _piece(source, node.items[1:2])
            inner = (*_worded(node), *node.items[3:])
        case "option":
            name, detail = "Option", _piece(source, node.items[1:2]).strip('"')
        case "scoring":
            name, detail = "Scoring", _piece(source, node.items[1:])
        case "do" | "comp":
            name, detail = "Steps", _first_words(node)
        case "end":
            return
        case _:
            name, detail = "Step", _piece(source, node)
    comment = comment_above(source, node.span.start)
    symbols.append(Symbol(name, comment or detail, node.span, depth))
    for item in inner:
        _item(source, item, depth + 1, symbols)


def _defined(source: Source, form: Form) -> tuple[str, str]:
    """The name of a function, and what calls of it look like."""
    head = form.items[1] if len(form.items) > 1 else form
    name = head.head if isinstance(head, Form) else ""
    return name or form.head, _piece(source, head)


def _is_variable(node: Node | None) -> TypeGuard[Atom]:
    return isinstance(node, Atom) and bool(VARIABLE.fullmatch(node.text))


def _steps(form: Form) -> Sequence[Node]:
    """The steps of a ``do`` or ``choice``, which the dialects B and C put in inner parentheses."""
    second = form.items[1] if len(form.items) > 1 else None
    inner = isinstance(second, Form) and all(isinstance(item, Form) for item in second.items)
    return second.items if isinstance(second, Form) and inner else form.items[1:]


def _worded(form: Form) -> Iterator[Form]:
    """The clauses of a choice or of responses that have words."""
    for item in form.items[1:3]:
        for clause in item.items if isinstance(item, Form) else ():
            if isinstance(clause, Form) and clause.head == "option":
                yield clause


def _created(source: Source, form: Form) -> tuple[str, str]:
    noun = form.items[1].text if len(form.items) > 1 and isinstance(form.items[1], Atom) else ""
    if noun != "deck":
        return noun.capitalize() or "create", _piece(source, form.items[2:])
    where = next((item for item in form.items[2:] if isinstance(item, Form)), None)
    return "Deck", "" if where is None else _piece(source, where)


def _stage(source: Source, form: Form) -> tuple[str, str]:
    kind = " ".join(item.text for item in form.items[1:3] if isinstance(item, Atom))
    end = next((i for i in form.items if isinstance(i, Form) and i.head == "end"), None)
    until = "" if end is None else f"until {_piece(source, end.items[1:])}"
    return f"Stage: {kind}" if kind else "Stage", until


def _first_words(form: Form) -> str:
    """The first words of the steps of a form, separated by commas."""
    heads = dict.fromkeys(s.head or "if" for s in _steps(form) if isinstance(s, Form))
    return ", ".join(heads)


def _piece(source: Source, nodes: Node | tuple[Node, ...]) -> str:
    """The text of adjacent nodes in one line, shortened."""
    nodes = nodes if isinstance(nodes, tuple) else (nodes,)
    if not nodes:
        return ""
    text = " ".join(source.text[nodes[0].span.start : nodes[-1].span.end].split())
    return text if len(text) <= _SHORT else text[: _SHORT - 3] + "..."


def names(source: Source) -> list[Name]:
    """The names of locations, storages, attributes and values of cards, and the variables."""
    by_text: dict[str, Name] = {}
    top = _top(source)
    for node in top:
        for form in forms(node):
            for name in _named(source, form):
                by_text.setdefault(name.text, name)
    for node in top:
        for atom in words(node):
            if NAME.fullmatch(atom.text) or VARIABLE.fullmatch(atom.text):
                by_text.setdefault(atom.text, Name(atom.text, "a name"))
    return list(by_text.values())


def _named(source: Source, form: Form) -> Iterator[Name]:
    """The names that a form introduces or uses."""
    items = form.items
    if len(items) >= 3 and isinstance(items[1], Atom) and items[1].text in (*KINDS, *STORES):
        if isinstance(items[2], Atom) and NAME.fullmatch(items[2].text):
            yield Name(items[2].text, _piece(source, form), items[1].text)
    if form.head in ("define", "effects") and len(items) > 1 and isinstance(items[1], Form):
        if items[1].head:
            yield Name(items[1].head, _piece(source, items[1]), form.head)
        for parameter in items[1].items[1:]:
            if _is_variable(parameter):
                yield Name(parameter.text, f"a parameter of {items[1].head}", form.head)
    if form.head == "deck":
        for attribute in items[1:]:
            yield from _attribute(attribute)
    place = _BINDERS.get(form.head, 0)
    variable = items[2] if place and len(items) > 2 else None
    if isinstance(variable, Atom) and VARIABLE.fullmatch(variable.text):
        declared = form.head in ("declare", "let")
        piece = _piece(source, items[1])
        yield Name(variable.text, f"is {piece}" if declared else f"each of {piece}", form.head)


def _attribute(node: Node) -> Iterator[Name]:
    """The names of an attribute of cards, of its values, and of nested attributes."""
    if not isinstance(node, Form) or not node.head:
        return
    yield Name(node.head, "an attribute of cards", "deck")
    for values in node.items[1:]:
        for value in values.items if isinstance(values, Form) else ():
            if isinstance(value, Atom):
                yield Name(value.text, f"a value of {node.head}", "deck")
            elif value.head:
                yield Name(value.head, f"a value of {node.head}", "deck")
                for inner in value.items[1:]:
                    yield from _attribute(inner)
