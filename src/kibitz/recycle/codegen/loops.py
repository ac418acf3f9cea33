"""Code for loops over numbers, and over lists of cards outside the state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kibitz.recycle import tree
from kibitz.recycle.codegen.function import Value
from kibitz.recycle.codegen.scope import CardValue, ListValue, Scope

Body = Callable[[Any], object]
"""A function that emits the body of a loop for an element."""
SHALLOW = 3
"""The depth of nesting from which loops of constant length, as over players, count as work."""
DEEP = 6
"""The depth of nesting from which the lengths of loops are hidden from the optimiser, which would
follow them through one another in time exponential in the depth."""


def count_up(
    s: Scope, low: Value, high: Value, body: Callable[[Value], object], step: int = 1
) -> None:
    """Emits a loop over the numbers from `low` to `high` - 1.

    With `step` -1, the loop goes from `low` - 1 down to `high`.
    """
    f = s.function
    if s.loops > 0:
        _count_elements(s, low, high, step)
    if s.loops >= DEEP:
        high = f.opaque(high)
    slot = f.slot()
    f.store(low, slot)
    head, inside, end = f.label("loop"), f.label("do"), f.label("end")
    s.loops += 1
    f.place(head)
    i = f.load(slot)
    f.branch(f.test("slt" if step > 0 else "sgt", i, high), inside, end)
    f.place(inside)
    if step < 0:
        i = f.sub(i, 1)
        f.store(i, slot)
    body(i)
    if step > 0:
        f.store(f.add(i, 1), slot)
    f.jump(head)
    f.place(end)
    s.loops -= 1


def _count_elements(s: Scope, low: Value, high: Value, step: int) -> None:
    """Emits code that counts the iterations of a nested loop as work, unless they are few."""
    f = s.function
    iterations = f.sub(high, low) if step > 0 else f.sub(low, high)
    if iterations.startswith("%"):
        s.count_work(f.choose(f.test("sgt", iterations, 0), iterations, 0))
    elif s.loops >= SHALLOW:
        s.count_work(max(0, int(iterations)))


def room(s: Scope) -> int:
    """The maximum number of cards in a list; a union may contain a card several times."""
    return room_for(len(s.places.program.cards))


def room_for(cards: int) -> int:
    """The maximum number of cards in a list, by the number of cards in the game."""
    return 2 * cards + 8


def buffer(s: Scope) -> Value:
    """The address of memory for a list of cards."""
    return s.array("i16", room(s))


def check_room(s: Scope, count: Value, e: tree.Node) -> None:
    """Emits code that breaks the game off if a list is full."""
    full = s.function.test("sge", count, room(s))
    s.fail_if(full, e.span, "a list of cards names cards too many times")


def append_card(s: Scope, cards: Value, count: Value, card: Value, e: tree.Node) -> None:
    """Emits code that adds a card to a list, whose length is in the slot `count`."""
    f = s.function
    n = f.load(count)
    check_room(s, n, e)
    f.store(card, f.at(cards, f.shift(n, 1)), "i16")
    f.store(f.add(n, 1), count)


def each_in_list(s: Scope, cards: ListValue, body: Body) -> None:
    """Emits a loop over the cards of a list."""
    f = s.function
    first, count = bounds(s, cards)

    def visit(i: Value) -> None:
        body(CardValue(f.load(f.at(cards.cards, f.shift(i, 1)), "i16"), cards.place))

    count_up(s, first, f.add(first, count), visit)


def bounds(s: Scope, cards: ListValue) -> tuple[Value, Value]:
    """The index of a list's first card in its array, and the number of cards."""
    if not cards.mutable:
        return cards.first, cards.count
    return s.function.load(cards.first), s.function.load(cards.count)
