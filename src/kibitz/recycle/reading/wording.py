"""The reader of words for people: ``(names ...)`` and ``(option "WORDS" STEP)``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kibitz.core.deeds import verb
from kibitz.core.wording import CONTROLS
from kibitz.recycle import tree
from kibitz.recycle.reading.context import Elaborator
from kibitz.recycle.words import NAME, NUMBER, nearest
from kibitz.syntax.sexpr import Atom, Form, Node

NAMES_SHAPE = '(names (NAME "words") (NAME "words" "verb") ...)'
OPTION_SHAPE = '(option "steal a coin from {P}" STEP)'
_SLOT = re.compile(r"{([^{}]*)}")
_VERB = re.compile(r"\[([^][]*)\]")


def is_text(node: Node) -> bool:
    """Whether a node is a text in quotes."""
    return isinstance(node, Atom) and node.text.startswith('"')


def read_text(reader: Elaborator, node: Node, shape: str) -> str:
    """The text in quotes that a node is; empty, with an error, for anything else."""
    if not is_text(node):
        reader.error(node, "expected-text", "Here a text in quotes is wanted.", f"Write: {shape}.")
        return ""
    assert isinstance(node, Atom)
    text = node.text[1:].removesuffix('"')
    if len(node.text) < 2 or not node.text.endswith('"'):
        reader.error(
            node, "open-text", "This text is not closed.", 'A text ends with " in its line.'
        )
    elif CONTROLS.search(text) or not text.strip():
        reader.error(node, "no-text", "There are no words in this text that can be printed.")
    return " ".join(text.split())


def read_names(reader: Elaborator, form: Form) -> dict[str, tuple[str, str]]:
    """The words, and the verb or an empty text, for each name of ``(names ...)``."""
    names: dict[str, tuple[str, str]] = {}
    for item in form.items[1:]:
        if not isinstance(item, Form) or len(item.items) not in (2, 3):
            reader.unfit(form, NAMES_SHAPE)
            continue
        name = item.items[0]
        if not isinstance(name, Atom) or not (
            NAME.fullmatch(name.text) or NUMBER.fullmatch(name.text)
        ):
            what = "Here a name of the rules, or a number of cards, is wanted."
            reader.error(name, "expected-name", what, NAMES_SHAPE)
            continue
        if name.text in names:
            reader.error(name, "named-twice", f"{name.text} has its words already.")
        texts = [read_text(reader, text, NAMES_SHAPE) for text in item.items[1:]]
        names[name.text] = texts[0], texts[1] if len(texts) > 1 else ""
    return names


def check_names(
    reader: Elaborator, form: Form, names: Mapping[str, tuple[str, str]], program: tree.Program
) -> None:
    """Reports names that the rules do not have."""
    known = {name for card in program.cards for pair in card.attributes.items() for name in pair}
    for node in tree.everything(program):
        if isinstance(node, tree.Text):
            known.add(node.value)
        elif isinstance(node, tree.Texts):
            known.update(node.values)
    for item in form.items[1:]:
        if isinstance(item, Form) and item.head in names and item.head not in known:
            near = nearest(item.head, known)
            reader.error(
                item.items[0],
                "unknown-name",
                f"Nothing in the rules is called {item.head}.",
                f"Is it {near}?" if near else "",
            )


def check_slots(reader: Elaborator, node: Node, text: str, statement: tree.Statement) -> None:
    """Reports braces in the words of an option that stand for no variable of the option."""
    bound = variables(statement)
    for match in _SLOT.finditer(text):
        if match[1] not in bound:
            known = ", ".join(f"{{{name}}}" for name in bound)
            reader.error(
                node,
                "unknown-variable",
                f"{{{match[1]}}} stands for nothing that is picked in this option.",
                f"Picked are {known}." if bound else "Nothing is picked in it.",
            )
    if _SLOT.sub("", text).strip("{} ") != _SLOT.sub("", text).strip():
        reader.error(node, "open-brace", "A brace in this text has no partner.")


def variables(statement: tree.Statement) -> dict[str, None]:
    """The names of the variables that an option picks."""
    return dict.fromkeys(n.binding.name for n in tree.walk(statement) if isinstance(n, tree.Fork))


def filled(text: str, words: Mapping[str, str]) -> str:
    """The words of an option with the picks in their places."""
    return _SLOT.sub(lambda match: words.get(match[1], "nothing"), text)


def without_marks(text: str) -> str:
    """The words of an option without the brackets around verbs."""
    return _VERB.sub(r"\1", text)


def with_verbs(text: str) -> str:
    """The words of an option with marks at its verbs: the first word, and words in brackets."""
    return _VERB.sub(lambda match: verb(match[1]), verb(text))
