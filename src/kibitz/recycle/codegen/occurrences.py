"""Faster tests of whether a location contains a card with some value, for many values.

The values that occur are collected once beforehand, for example where a player may ask for any
rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kibitz.recycle import tree
from kibitz.recycle.codegen import collections as lists
from kibitz.recycle.codegen.scope import CardValue, Mode, Occurrence, Scope


@contextmanager
def noted(s: Scope, node: tree.Fork) -> Iterator[None]:
    """A context for listing the options of a fork, in which values that occur are collected once.

    This is done only in ``Mode.LOOK``, where no card moves meanwhile.
    """
    conditions: list[tree.Quantified] = []
    if s.mode is Mode.LOOK:
        for inner in tree.walk(node):
            if isinstance(inner, tree.Fork) and isinstance(inner.collection, tree.Texts):
                conditions += [q for q in tree.walk(inner.body) if _note(s, q)]  # type: ignore[misc]
    try:
        yield
    finally:
        for q in conditions:
            del s.occurrences[q]


def _note(s: Scope, node: tree.Node) -> bool:
    """Collects the values that a condition tests; returns whether its form allows that."""
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
