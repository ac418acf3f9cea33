"""Mutants: rules of the library with changes to their syntax tree.

A mutant is determined by a seed and a number. Its text begins with the comment lines of the
original, in which a RECYCLE game declares its players and parameters.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from kibitz.gdl.reader import LEXICON as GDL
from kibitz.recycle import words
from kibitz.syntax.sexpr import Atom, Lexicon, Node, arrange, tokenize
from kibitz.syntax.source import Source

Tree: TypeAlias = "str | list[Tree]"
"""A word, or a list in parentheses."""
Place: TypeAlias = "tuple[list[Tree], int]"
"""A list, and the index of an item in it."""

RECYCLE = Lexicon(words.LEXICON.comment, marks=(",", *words.LEXICON.marks))
LONG_LINE = 80
LEXICONS: dict[str, Lexicon] = {".rcy": RECYCLE, ".kif": GDL}
FOLDERS = {".rcy": "kibitz.recycle", ".kif": "kibitz.gdl"}

NUMBERS = (
    *("0", "1", "2", "3", "7", "15", "16", "17", "54", "64", "99", "101", "255", "256", "999"),
    *("1000", "1001", "1024", "2048", "32768", "65536", "100000", "2147483647", "2147483648"),
    *("4294967296", "9223372036854775807", "9223372036854775808", "9" * 30),
)
FOREIGN = (
    *("é", "ß", "İ", "ﬁ", "Ω", "漢", "٣", "²", "½", "😀", "e\u0301", "\u202e", "\u200b", "\ufeff"),
    *(
        "\x00",
        "\x1b[31m",
        "\x7f",
        "\x85",
        "\u2028",
        "\ufffd",
        "\ud800",
        "\uff11",
        "\uff1c",
        "&lt;",
    ),
    *("<b>", '"', "\\", "%s", "{0}", "`", "$", "|", ";", "'", ":", "..", ",", "?", "-", "+", "_"),
)
WRAPPERS = {
    ".rcy": (
        *("not #", "do (#)", "do (# #)", "all player 'P #", "any player 'P #", "size #", "top #"),
        *("any (range 0 .. 9) 'N #", "repeat 3 #", "union # #", "+ # #", "- 0 #", "* # #"),
        *("subsets #", "partition RANK #", "sort #", "max #", "random #", "== # #", "or # #"),
        *("// # #", "% # #", "and # #", "fib #", "tri #", "bottom #", "turn #", "^ # #"),
        *("#", "# #"),
    ),
    ".kif": (
        *("not #", "or # #", "and # #", "distinct # #", "<= # #", "f #", "next #", "true #"),
        *("does ?r #", "legal ?r #", "init #", "sees ?r #", "goal ?r #", "#", "# #"),
    ),
}


@dataclass
class Mutant:
    """A changed game.

    Attributes:
        name: the name of its file, whose suffix gives the language.
        header: the comment lines in front of the rules.
        tree: the rules as nested lists of tokens.
        raw: a change to the text that the tree cannot express.
    """

    name: str
    header: str
    tree: list[Tree]
    raw: Callable[[str], str] = str

    @property
    def suffix(self) -> str:
        """The suffix of its file: that of its language."""
        return f".{self.name.rpartition('.')[2]}"

    @property
    def text(self) -> str:
        """The rules as a text."""
        return self.raw(f"{self.header}{written(self.tree)}")


@cache
def originals(suffix: str) -> tuple[tuple[str, str], ...]:
    """The games of the library that are written in a language: their files and their texts."""
    folder = files(FOLDERS[suffix]) / "library"
    texts = [file for file in folder.iterdir() if file.name.endswith(suffix)]
    return tuple(sorted((file.name, file.read_text("utf-8")) for file in texts))


def parsed(name: str, text: str) -> Mutant:
    """A text as a mutant without a change."""
    lexicon = LEXICONS[f".{name.rpartition('.')[2]}"]
    tokens = tokenize(Source(name, text), lexicon)
    header = text[: tokens[0].span.start] if tokens else text
    return Mutant(name, header, [_tree(node) for node in arrange(tokens).forms])


def _tree(node: Node) -> Tree:
    return node.text if isinstance(node, Atom) else [_tree(item) for item in node.items]


def written(tree: list[Tree]) -> str:
    """The text of a tree: its forms in lines of their own, and the parts of long ones."""
    lines = []
    for form in tree:
        line = _flat(form)
        if isinstance(form, list) and len(line) > LONG_LINE:
            line = "(" + "\n ".join(_flat(item) for item in form) + ")"
        lines.append(line)
    return "\n".join(lines) + "\n"


def _flat(tree: Tree) -> str:
    """A tree in one line; without recursion, since mutants may be deep."""
    texts: list[str] = []
    stack: list[Tree] = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            texts.append("(")
            stack += [")", *reversed(item)]
        else:
            texts.append(item)
    return " ".join(texts).replace("( ", "(").replace(" )", ")")


def places(tree: list[Tree]) -> Iterator[Place]:
    """The places of all items in a tree, outermost first."""
    waiting = [tree]
    while waiting:
        form = waiting.pop()
        for at, item in enumerate(form):
            yield form, at
            if isinstance(item, list):
                waiting.append(item)


def copied(tree: Tree) -> Tree:
    """A copy that shares nothing."""
    return [copied(item) for item in tree] if isinstance(tree, list) else tree


# --- changes --------------------------------------------------------------------------------


def mutant(seed: str, number: int) -> Mutant:
    """The mutant of a seed and a number: mostly with one change, sometimes with several."""
    chance = random.Random(f"{seed} {number}")
    suffix = chance.choice(list(LEXICONS))
    changed = parsed(*chance.choice(originals(suffix)))
    changes = 1
    while chance.random() < 0.3:
        changes += 1
    for _ in range(changes):
        chance.choices(CHANGES, WEIGHTS)[0](changed, chance)
    return changed


def _kind(tree: Tree) -> str:
    """A class of trees that may replace each other and often leave the text well-formed."""
    if isinstance(tree, list):
        return f"({tree[0]}" if tree and isinstance(tree[0], str) else "("
    if tree.isdecimal():
        return "1"
    return tree[0] if tree[0] in "'?" else "A" if tree.isupper() else "a"


def _pick(mutant: Mutant, chance: random.Random, forms: bool = False) -> Place | None:
    every = [place for place in places(mutant.tree) if not forms or isinstance(_at(place), list)]
    return chance.choice(every) if every else None


def _at(place: Place) -> Tree:
    return place[0][place[1]]


def _like(mutant: Mutant, chance: random.Random, place: Place) -> Place | None:
    """Another place, mostly with something of the same kind."""
    if chance.random() < 0.3:
        return _pick(mutant, chance)
    kind = _kind(_at(place))
    alike = [
        other for other in places(mutant.tree) if other != place and _kind(_at(other)) == kind
    ]
    return chance.choice(alike) if alike else _pick(mutant, chance)


def exchange(mutant: Mutant, chance: random.Random) -> None:
    """Two subtrees change places."""
    if (place := _pick(mutant, chance)) and (other := _like(mutant, chance, place)):
        first, second = copied(_at(place)), copied(_at(other))
        place[0][place[1]] = second
        other[0][other[1]] = first  # in the discarded part, if one was inside the other


def copy(mutant: Mutant, chance: random.Random) -> None:
    """A subtree replaces another one, or is put beside it."""
    if (place := _pick(mutant, chance)) and (other := _like(mutant, chance, place)):
        end = other[1] + chance.choice((0, 1))
        other[0][other[1] : end] = [copied(_at(place))]


def delete(mutant: Mutant, chance: random.Random) -> None:
    """A subtree goes."""
    if place := _pick(mutant, chance):
        del place[0][place[1]]


def wrap(mutant: Mutant, chance: random.Random) -> None:
    """A subtree becomes part of a new form."""
    if place := _pick(mutant, chance):
        pattern = parsed(mutant.name, f"({chance.choice(WRAPPERS[mutant.suffix])})").tree[0]
        wrapped = copied(_at(place))

        def filled(tree: Tree) -> Tree:
            if isinstance(tree, list):
                return [filled(item) for item in tree]
            return copied(wrapped) if tree == "#" else tree

        place[0][place[1]] = filled(pattern)


def unwrap(mutant: Mutant, chance: random.Random) -> None:
    """The items of a form take its place, or one of them does."""
    if place := _pick(mutant, chance, forms=True):
        items = _at(place)
        assert isinstance(items, list)
        if items and chance.random() < 0.5:
            items = [chance.choice(items)]
        place[0][place[1] : place[1] + 1] = items


def multiply(mutant: Mutant, chance: random.Random) -> None:
    """A subtree is repeated, or nested in copies of the form around it."""
    if place := _pick(mutant, chance):
        times = chance.choice((2, 3, 10, 40))
        if chance.random() < 0.5:
            place[0][place[1] : place[1] + 1] = [copied(_at(place)) for _ in range(times)]
            return
        form, at = place
        if form is mutant.tree or _size(form) * times > 4000:
            return
        for _ in range(times):
            around = copied(form)
            assert isinstance(around, list)
            form[:] = [*around[:at], around, *around[at + 1 :]]
            around[at] = "0"
            form, at = around, at


def _size(tree: Tree) -> int:
    return 1 + sum(map(_size, tree)) if isinstance(tree, list) else 1


def graft(mutant: Mutant, chance: random.Random) -> None:
    """A subtree of another game takes the place of one that is alike."""
    other = parsed(*chance.choice(originals(mutant.suffix)))
    if place := _pick(other, chance):
        kind = _kind(_at(place))
        alike = [candidate for candidate in places(mutant.tree) if _kind(_at(candidate)) == kind]
        target = chance.choice(alike) if alike else _pick(mutant, chance)
        if target:
            target[0][target[1]] = copied(_at(place))


def number(mutant: Mutant, chance: random.Random) -> None:
    """A number, in the rules or in a comment, becomes an extreme one."""
    if chance.random() < 0.1 and (numbers := [*re.finditer(r"\d+", mutant.header)]):
        span = chance.choice(numbers).span()
        new = chance.choice(NUMBERS)
        mutant.header = f"{mutant.header[: span[0]]}{new}{mutant.header[span[1] :]}"
        return
    if numerals := [
        candidate for candidate in places(mutant.tree) if _kind(_at(candidate)) == "1"
    ]:
        form, at = chance.choice(numerals)
        form[at] = chance.choice(NUMBERS)


def rename(mutant: Mutant, chance: random.Random) -> None:
    """A word becomes another one, or is given foreign characters."""
    words = [candidate for candidate in places(mutant.tree) if isinstance(_at(candidate), str)]
    if not words:
        return
    form, at = chance.choice(words)
    word = str(form[at])
    if chance.random() < 0.5:
        form[at] = _at(chance.choice(words))
        return
    cut = chance.randrange(len(word) + 1)
    new = f"{word[:cut]}{chance.choice(FOREIGN)}{word[cut:]}"
    if chance.random() < 0.5:
        form[at] = new
    else:  # everywhere
        for other, place in words:
            if other[place] == word:
                other[place] = new


def shuffle(mutant: Mutant, chance: random.Random) -> None:
    """The items of a form change their order."""
    if place := _pick(mutant, chance, forms=True):
        items = _at(place)
        assert isinstance(items, list)
        chance.shuffle(items)


def damage(mutant: Mutant, chance: random.Random) -> None:
    """A letter is lost, doubled or replaced, or the end of the text is."""
    at, letter = chance.random(), chance.choice(("(", ")", " ", "\n", "\r", *FOREIGN))
    how = chance.choice(("lost", "doubled", "replaced", "end"))

    def damaged(text: str) -> str:
        place = int(at * len(text))
        if how == "end":
            return text[:place]
        new = {"lost": "", "doubled": 2 * text[place : place + 1], "replaced": letter}[how]
        return f"{text[:place]}{new}{text[place + 1 :]}"

    mutant.raw = damaged


CHANGES = (exchange, copy, delete, wrap, unwrap, multiply, graft, number, rename, shuffle, damage)
WEIGHTS = (6, 6, 4, 4, 3, 2, 4, 4, 4, 2, 1)
