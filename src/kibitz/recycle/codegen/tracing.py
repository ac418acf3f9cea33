"""Code that logs the effects of actions, in a traced module; see ``compiler.trace_program``."""

from __future__ import annotations

from kibitz.recycle import tree
from kibitz.recycle.codegen import piles
from kibitz.recycle.codegen.function import Function, Value
from kibitz.recycle.codegen.module import Module
from kibitz.recycle.codegen.scope import Mode, Scope

LOGGED = 5
"""The number of 64-bit numbers in an entry of a log."""
MOST_TRACED = 4000
"""The maximum number of entries of a log."""


def log(s: Scope, node: tree.Action, *values: Value) -> None:
    """Emits code that logs an action with up to four numbers, in a traced module."""
    if s.module.traced and s.mode is Mode.PLAY:
        s.module.need("note", _note)
        numbers = s.module.traced_actions
        number = numbers.setdefault(node, len(numbers))
        listed = ", ".join(f"i64 {value}" for value in (number, *values, *["0"] * 4)[:5])
        s.function.do(f"call void @note(ptr %log, {listed})")


def log_card(s: Scope, node: tree.Action, card: Value, source: Value | None = None) -> None:
    """Emits code that logs a card, the players who know it, its former and its new place."""
    if s.module.traced and s.mode is Mode.PLAY:
        place = piles.locate(s, card)
        pile = s.pile(place)
        seen_by = s.function.load(piles.seen_at(s, pile, piles.find(s, pile, card)), "i16")
        log(s, node, card, seen_by, place if source is None else source, place)


def log_number(s: Scope, node: tree.Action, address: Value, value: Value) -> None:
    """Emits code that logs the offset of a number in the state, its old and its new value."""
    if s.module.traced and s.mode is Mode.PLAY:
        f = s.function
        where = f.sub(f.number_of(address), f.number_of(s.state))
        log(s, node, where, f.load(address, "i32"), value)


def _note(module: Module) -> str:
    """The text of the function that adds an entry to a log."""
    numbers = [f"%n{i}" for i in range(LOGGED)]
    arguments = [("ptr", "%log"), *(("i64", number) for number in numbers)]
    f = Function("note", "void", arguments)
    count = f.load("%log")
    room, full = f.label("room"), f.label("full")
    f.branch(f.test("slt", count, MOST_TRACED), room, full)
    f.place(room)
    entry = f.at("%log", f.mul(f.add(count, 1), 8 * LOGGED))
    for i, number in enumerate(numbers):
        f.store(number, f.at(entry, 8 * i))
    f.store(f.add(count, 1), "%log")
    f.jump(full)
    f.place(full)
    f.leave()
    return f.text()
