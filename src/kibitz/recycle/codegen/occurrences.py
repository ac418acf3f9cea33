"""Faster tests of whether a location has a card of some value, when many values are tried.

The values that occur are noted beforehand, as where a player may ask for any rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kibitz.recycle import tree
from kibitz.recycle.codegen import collections as lists
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen.function import Value
from kibitz.recycle.codegen.scope import CardValue, Mode, Occurrence, Scope

MOST_VALUES = 63
"""Of an attribute: each is a bit of a number, and one bit is for values that no card has."""


@contextmanager
def noted(s: Scope, node: tree.Fork) -> Iterator[None]:
    """Notes the values that occur, while the options of a fork are listed.

    Nothing moves in the meantime: what is done on trial is only looked at.
    """
    found: list[tree.Quantified] = []
    if s.mode is Mode.LOOK:
        for inner in tree.walk(node):
            if isinstance(inner, tree.Fork) and isinstance(inner.collection, tree.Texts):
                found += [q for q in tree.walk(inner.body) if _note(s, q)]  # type: ignore[misc]
    try:
        yield
    finally:
        for q in found:
            del s.occurrences[q]


def _note(s: Scope, node: tree.Node) -> bool:
    """Notes the values that a condition tests, if it has the right form and is not noted yet."""
    match node:
        case tree.Quantified(
            every=False,
            collection=tree.Pile(owner=owner, name=tree.Text(), index=None),
            binding=card,
            body=tree.Same(
                equal=True,
                left=tree.Attribute(
                    name=tree.Text(value=attribute), card=tree.Variable(binding=asked)
                ),
                right=tree.Text() | tree.Variable() as wanted,
            ),
        ) if asked is card and node not in s.occurrences:
            pass
        case _:
            return False
    steady = isinstance(owner, tree.Table | tree.CurrentPlayer)
    bound = isinstance(owner, tree.Variable) and owner.binding in s.variables
    bits = s.module.value_bits(attribute)
    if bits is None or not (steady or bound):
        return False
    f = s.function
    values = f.slot()
    f.store(0, values)

    def add(c: CardValue) -> None:
        bit = f.shift("1", f.load(f.at(bits.of_card, c.card), "i8"))
        f.store(f.either(f.load(values), bit), values)

    lists.each(s, node.collection, add)
    s.occurrences[node] = Occurrence(f.load(values), bits.of_word, wanted)
    return True


def occurs(s: Scope, q: tree.Quantified) -> Value:
    """The value of a condition whose result was noted."""
    f = s.function
    noted = s.occurrences[q]
    bit = f.load(f.at(noted.bit_of_word, ex.name(s, noted.word)), "i8")
    there = f.both(f.get(f"lshr i64 {noted.values}, {bit}"), 1)
    return f.test("ne", there, 0)
