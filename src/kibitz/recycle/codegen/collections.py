"""Code for collections: loops over them, lists of their elements, and their sizes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from kibitz.recycle import primitives, tree
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen import loops, piles, subsets, wanted_sets
from kibitz.recycle.codegen.function import Value
from kibitz.recycle.codegen.scope import (
    CardValue,
    ListValue,
    NumbersValue,
    Scope,
    SetsValue,
)
from kibitz.recycle.tree import Expression, Type

NUMBERS_ROOM = 4096
"""The maximum number of elements of a list of numbers."""


# --- loops --------------------------------------------------------------------------------


def each(s: Scope, e: Expression, body: loops.Body) -> None:
    """Emits a loop over the elements of a collection, in order.

    The body must not change the collection.
    """
    match e:
        case tree.Variable():
            each_of(s, s.variables[e.binding], body)
        case tree.Pile():
            each_in_pile(s, ex.place(s, e), body, e.kind == "mem")
        case tree.Filter() if e.type is Type.SETS:
            _each_wanted_set(s, e, body)
        case tree.Filter():
            each(s, e.collection, lambda element: _if_wanted(s, e, element, body))
        case tree.Combined(how="union") if len(e.parts) == 1:
            each_part(s, e.parts[0], body)
        case tree.Players() if s.places.eliminates:
            loops.count_up(s, "0", str(s.places.players), lambda p: _if_in(s, e, p, body))
        case tree.Players():
            loops.count_up(s, "0", str(s.places.players), lambda p: _if_other(s, e, p, body))
        case tree.Teams():
            loops.count_up(s, "0", _team_count(s), lambda t: _if_other(s, e, t, body))
        case tree.Members():
            _each_member(s, e, body)
        case tree.Range():
            _each_number(s, e, body)
        case tree.Texts() | tree.Numbers():
            _each_constant(s, e, body)
        case tree.Along():
            _each_along(s, e, body)
        case tree.Each():
            each(s, e.collection, lambda element: _mapped(s, e, element, body))
        case tree.Indexed():
            _each_index(s, e, body)
        case tree.Pick() if e.type is Type.PILE:
            each_in_pile(s, ex.place(s, e), body)
        case tree.Several():
            _each_of_several(s, e, body)
        case tree.Subsets():
            subsets.each_subset(s, e, gathered(s, e.cards), body)
        case tree.Partition() | tree.Tuples() | tree.Runs():
            _each_set(s, e, body)
        case _:
            loops.each_in_list(s, gathered(s, e), body)


def each_of(s: Scope, held: Any, body: loops.Body) -> None:
    """Emits a loop over the elements of a variable's value: a place or a list."""
    match held:
        case ListValue():
            loops.each_in_list(s, held, body)
        case NumbersValue():
            each_of_numbers(s, held, body)
        case SetsValue():
            each_of_sets(s, held, body)
        case _:
            each_in_pile(s, held, body)


def each_part(s: Scope, collection: Expression, body: loops.Body) -> None:
    """Emits a loop over the cards of an argument of a union: one or several piles or lists."""
    if collection.type in (Type.PILES, Type.SETS):
        each(s, collection, lambda group: each_of(s, group, body))
    else:
        each(s, collection, body)


def each_in_pile(s: Scope, place: Value, body: loops.Body, virtual: bool | None = None) -> None:
    """Emits a loop over the cards at a place, bottom first.

    The place may be a memory (`virtual`), whose cards lie elsewhere.
    """
    f = s.function
    pile = s.pile(place)
    found_at = None if (s.places.has_memory if virtual is None else virtual) else place

    def visit(i: Value) -> None:
        body(CardValue(f.load(piles.card_at(s, pile, i), "i16"), found_at))

    loops.count_up(s, "0", f.load(pile, "i16"), visit)


def refers(s: Scope, e: Expression) -> bool:
    """Whether a location may be a memory, whose cards lie elsewhere."""
    return e.kind == "mem" if isinstance(e, tree.Pile) else s.places.has_memory


def _if_wanted(s: Scope, e: tree.Filter, element: Any, body: loops.Body) -> None:
    """Emits the body for an element under the condition of a filter."""
    f = s.function
    with s.bound(e.binding, element):
        holds = ex.condition(s, e.body)
    if e.type is Type.SETS:
        holds = f.get(f"and i1 {holds}, {f.test('sgt', loops.bounds(s, element)[1], 0)}")
    yes, no = f.label("wanted"), f.label("next")
    f.branch(holds, yes, no)
    f.place(yes)
    body(element)
    f.place(no)


def _if_other(s: Scope, e: tree.Players | tree.Teams, element: Value, body: loops.Body) -> None:
    """Emits the body for a player or team, except for the current one if `e` excludes it."""
    if not e.others:
        body(element)
        return
    f = s.function
    current = (
        s.current_player()
        if isinstance(e, tree.Players)
        else ex.team(s, tree.CurrentTeam(e.span, "current"))
    )
    yes, no = f.label("other"), f.label("next")
    f.branch(f.test("ne", element, current), yes, no)
    f.place(yes)
    body(element)
    f.place(no)


def _if_in(s: Scope, e: tree.Players, player: Value, body: loops.Body) -> None:
    """Emits the body for a player, with a test that skips eliminated ones."""
    f = s.function
    yes, no = f.label("in"), f.label("out")
    f.branch(ex.is_in(s, player), yes, no)
    f.place(yes)
    _if_other(s, e, player, body)
    f.place(no)


def _mapped(s: Scope, e: tree.Each, element: Any, body: loops.Body) -> None:
    with s.bound(e.binding, element):
        element = value(s, e.body)
    body(element)


def _team_count(s: Scope) -> Value:
    assignments = s.places.assignments
    if len(assignments) == 1:
        return str(len(assignments[0]))
    table = s.module.table("i8", [len(teams) for teams in assignments])
    return s.function.load(s.function.at(table, ex.team_list(s)), "i8")


def _each_member(s: Scope, e: tree.Members, body: loops.Body) -> None:
    f, n = s.function, s.places.players
    rows = [
        [len(team), *team, *[0] * (n - len(team))]
        for teams in s.places.assignments
        for team in [*teams, *[()] * (s.places.teams - len(teams))]
    ]
    table = s.module.table("i8", [cell for row in rows for cell in row])
    index = ex.team(s, e.team)
    if len(s.places.assignments) > 1:
        index = f.add(index, f.mul(ex.team_list(s), s.places.teams))
    row = f.at(table, f.mul(index, n + 1))
    loops.count_up(s, "1", f.add(f.load(row, "i8"), 1), lambda i: body(f.load(f.at(row, i), "i8")))


def _each_number(s: Scope, e: tree.Range, body: loops.Body) -> None:
    def visit(i: Value) -> None:
        s.count_step(e.span)
        body(i)

    loops.count_up(s, ex.number(s, e.low), s.function.add(ex.number(s, e.high), 1), visit)


def _each_constant(s: Scope, e: tree.Texts | tree.Numbers, body: loops.Body) -> None:
    f = s.function
    table = ex.constants(s, e)
    count = str(len(e.values))
    loops.count_up(s, "0", count, lambda i: body(f.load(f.at(table, f.shift(i, 2)), "i32")))


def _each_along(s: Scope, e: tree.Along, body: loops.Body) -> None:
    f = s.function
    lists, first, end = _along(s, e)
    loops.count_up(s, first, end, lambda i: body(f.load(f.at(lists, f.shift(i, 1)), "i16")))


def _along(s: Scope, e: tree.Along) -> tuple[Value, Value, Value]:
    """The address of a table with the places in a relation to each, and the part for a place."""
    f, count = s.function, len(e.grid.values)
    related = [e.places(place) for place in e.grid.values]
    ends = [0, *itertools.accumulate(map(len, related))]
    lists = s.module.table("i16", [place for places in related for place in places] or [0])
    parts = s.module.table("i16", ends)
    place = ex.number(s, e.place)
    message = f"the grid has places 0 .. {count - 1} only"
    s.fail_if(f.get(f"icmp uge i64 {place}, {count}"), e.span, message)
    first = f.at(parts, f.shift(place, 1))
    return lists, f.load(first, "i16"), f.load(f.at(first, 2), "i16")


def _each_index(s: Scope, e: tree.Indexed, body: loops.Body) -> None:
    f, places = s.function, s.places
    sort = tree.owner_sort(e.owner)
    count = max(places.indices[sort, e.kind, word] for word in places.names(e.name))
    first = ex.first_place(s, e)
    whose = ex.owner_number(s, e.owner)
    if whose is not None:
        first = f.add(first, whose)
    step = places.players if sort == "player" else 1

    def visit(i: Value) -> None:
        place = f.add(first, f.mul(i, step))
        yes, no = f.label("used"), f.label("next")
        f.branch(f.test("sgt", f.load(s.pile(place), "i16"), 0), yes, no)
        f.place(yes)
        body(place)
        f.place(no)

    loops.count_up(s, "0", str(count), visit)


def _each_of_several(s: Scope, e: tree.Several, body: loops.Body) -> None:
    f = s.function
    if e.cards.type is Type.PILE:
        place = ex.place(s, e.cards)
        pile = s.pile(place)
        first, have = "0", f.load(pile, "i16")

        def visit(i: Value) -> None:
            found_at = None if refers(s, e.cards) else place
            body(CardValue(f.load(piles.card_at(s, pile, i), "i16"), found_at))
    else:
        cards = gathered(s, e.cards)
        first, have = loops.bounds(s, cards)

        def visit(i: Value) -> None:
            body(CardValue(f.load(f.at(cards.cards, f.shift(i, 1)), "i16")))

    requested = ex.number(s, e.count)
    requested = f.choose(f.test("slt", requested, 0), 0, requested)
    count = f.choose(f.test("slt", requested, have), requested, have)
    end = f.add(first, have)
    if e.which == "top":
        loops.count_up(s, end, f.sub(end, count), visit, step=-1)
    else:
        loops.count_up(s, first, f.add(first, count), visit)


# --- lists --------------------------------------------------------------------------------


def value(s: Scope, e: Expression) -> Any:
    """The value of an expression; of cards, a list outside the state."""
    return gathered(s, e) if e.type is Type.CARDS else ex.value(s, e)


def gathered(s: Scope, e: Expression) -> ListValue:
    """The cards of an expression as a list outside the state."""
    match e:
        case tree.Variable() if e.type is Type.CARDS:
            cards: ListValue = s.variables[e.binding]
            return cards
        case tree.Pick() if e.type is Type.CARDS:
            picked_list: ListValue = picked(s, e)
            return picked_list
        case tree.Combined(how="union"):
            return _of_parts(s, e, e.parts)
        case tree.Combined():
            return _combined(s, e)
        case tree.Sorted():
            cards = _copied(s, e.cards)
            _sort(s, cards, e.points)
            return cards
        case tree.RunAt():
            return _run_at(s, e)
    return _collect(s, e, [lambda body: each(s, e, body)])


def _collect(s: Scope, e: Expression, sources: list[Callable[[loops.Body], None]]) -> ListValue:
    """A list of all cards over which the sources loop."""
    f = s.function
    cards, count = loops.buffer(s), f.slot()
    f.store(0, count)

    for source in sources:
        source(lambda c: loops.append_card(s, cards, count, c.card, e))
    return ListValue(cards, "0", f.load(count))


def _of_parts(s: Scope, e: Expression, collections: tuple[Expression, ...]) -> ListValue:
    """A list of the cards of several collections, one after the other."""

    def source(collection: Expression) -> Callable[[loops.Body], None]:
        return lambda body: each_part(s, collection, body)

    return _collect(s, e, [source(collection) for collection in collections])


def _copied(s: Scope, e: Expression) -> ListValue:
    """A copy of a list, which can be sorted in place."""
    return _collect(s, e, [lambda body: each(s, e, body)])


def snapshot(s: Scope, e: Expression) -> ListValue:
    """A mutable copy of a list of cards."""
    f = s.function
    place = only_place(s, e)
    copy = _copied(s, e)
    first, count = f.slot(), f.slot()
    f.store(0, first)
    f.store(copy.count, count)
    return ListValue(copy.cards, first, count, mutable=True, place=place)


def only_place(s: Scope, e: Expression) -> Value | None:
    """The place of all cards of an expression, if its form shows that they share one."""
    while isinstance(e, tree.Filter):
        e = e.collection
    if isinstance(e, tree.Variable) and isinstance(s.variables[e.binding], ListValue):
        held: ListValue = s.variables[e.binding]
        return held.place
    if not isinstance(e, tree.Pile) or e.kind == "mem":
        return None
    if any(isinstance(node, tree.Random | tree.Best) for node in tree.walk(e)):
        return None
    return ex.place(s, e)


def gathered_numbers(s: Scope, e: Expression) -> NumbersValue:
    """The elements of a collection of numbers, names, players, teams or places, as a list."""
    f = s.function
    if isinstance(e, tree.Variable):
        held: NumbersValue = s.variables[e.binding]
        return held
    items, count = s.array("i64", NUMBERS_ROOM, e.span), f.slot()
    f.store(0, count)

    def append(element: Value) -> None:
        n = f.load(count)
        s.fail_if(f.test("sge", n, NUMBERS_ROOM), e.span, "too many elements")
        f.store(element, f.at(items, f.shift(n, 3)))
        f.store(f.add(n, 1), count)

    each(s, e, append)
    return NumbersValue(items, f.load(count))


def each_of_numbers(s: Scope, held: NumbersValue, body: loops.Body) -> None:
    """Emits a loop over the elements of a list of numbers."""
    f = s.function
    loops.count_up(s, "0", held.count, lambda i: body(f.load(f.at(held.items, f.shift(i, 3)))))


def gathered_sets(s: Scope, e: Expression) -> SetsValue:
    """The sets of cards that an expression gives, as a list outside the state."""
    f = s.function
    if isinstance(e, tree.Variable):
        held: SetsValue = s.variables[e.binding]
        return held
    cards, ends = _room_for_sets(s, e)
    filled, count = f.slot(), f.slot()
    f.store(0, filled)
    f.store(0, count)

    def keep(subset: ListValue) -> None:
        def copy(c: CardValue) -> None:
            n = f.load(filled)
            full = f.test("sge", n, primitives.SETS_ROOM)
            s.fail_if(full, e.span, "too many cards in sets of cards")
            f.store(c.card, f.at(cards, f.shift(n, 1)), "i16")
            f.store(f.add(n, 1), filled)

        each_of(s, subset, copy)
        n = f.load(count)
        s.fail_if(f.test("sge", n, primitives.MOST_SETS), e.span, "too many sets of cards")
        f.store(f.load(filled), f.at(ends, f.shift(n, 3)))
        f.store(f.add(n, 1), count)

    each(s, e, keep)
    return SetsValue(cards, ends, f.load(count))


def _room_for_sets(s: Scope, e: Expression) -> tuple[Value, Value]:
    """The addresses of arrays for the cards of sets and for the end of each set."""
    ends = s.array("i64", primitives.MOST_SETS, e.span)
    return s.array("i16", primitives.SETS_ROOM, e.span), ends


def each_of_sets(s: Scope, held: SetsValue, body: loops.Body) -> None:
    """Emits a loop over the sets of a list of sets."""
    f = s.function
    start = f.slot()
    f.store(0, start)

    def visit(i: Value) -> None:
        first = f.load(start)
        end = f.load(f.at(held.ends, f.shift(i, 3)))
        f.store(end, start)
        body(ListValue(f.at(held.cards, f.shift(first, 1)), "0", f.sub(end, first)))

    loops.count_up(s, "0", held.count, visit)


def _keys(s: Scope, cards: ListValue, points: tree.Points) -> Value:
    """The address of the scores of the cards of a list, in an array twice as large as a list."""
    f = s.function
    keys = s.array("i64", 2 * loops.room(s))
    score = ex.scorer(s, points)
    first, count = loops.bounds(s, cards)

    def fill(i: Value) -> None:
        card = f.load(f.at(cards.cards, f.shift(f.add(first, i), 1)), "i16")
        f.store(score(card), f.at(keys, f.shift(i, 3)))

    loops.count_up(s, "0", count, fill)
    return keys


def _sort(s: Scope, cards: ListValue, points: tree.Points) -> None:
    f = s.function
    keys = _keys(s, cards, points)
    s.count_work(f.mul(cards.count, cards.count))
    s.call("sort_cards", f.number_of(cards.cards), f.number_of(keys), cards.count)


def _run_at(s: Scope, e: tree.RunAt) -> ListValue:
    f = s.function
    cards = _copied(s, e.cards)
    keys = _keys(s, cards, e.points)
    s.count_work(f.mul(cards.count, cards.count))
    work = s.array("i64", loops.room(s))
    length = s.call(
        "run_length",
        f.number_of(cards.cards),
        f.number_of(keys),
        cards.count,
        ex.number(s, e.least),
        "1" if e.which == "top" else "0",
        f.number_of(work),
    )
    first = f.sub(cards.count, length) if e.which == "top" else "0"
    run = ListValue(f.at(cards.cards, f.shift(first, 1)), "0", length)
    _sort(s, run, e.points)
    return run


def _combined(s: Scope, e: tree.Combined) -> ListValue:
    """The cards of an intersection, or of a disjunction: those that occur exactly once."""
    f = s.function
    cards = len(s.places.program.cards)
    times, last = s.array("i16", cards), s.array("i16", cards)
    order, count, groups = loops.buffer(s), f.slot(), f.slot()
    for address in (times, last):
        f.do(f"call void @llvm.memset.p0.i64(ptr {address}, i8 0, i64 {2 * cards}, i1 false)")
    f.store(0, count)
    f.store(0, groups)

    def see(c: CardValue) -> None:
        at = f.shift(c.card, 1)
        times_seen = f.load(f.at(times, at), "i16")
        group = f.load(groups)
        new, old, done = f.label("new"), f.label("old"), f.label("next")
        f.branch(f.test("eq", times_seen, 0), new, old)
        f.place(new)
        loops.append_card(s, order, count, c.card, e)
        f.place(old)
        # an intersection counts the arguments that contain a card, a disjunction its occurrences
        again = f.test("eq", f.load(f.at(last, at), "i16"), group)
        more = f.choose(again, 0, 1) if e.how == "intersect" else "1"
        f.store(f.add(times_seen, more), f.at(times, at), "i16")
        f.store(group, f.at(last, at), "i16")
        f.place(done)

    for collection in e.parts:
        if collection.type in (Type.PILES, Type.SETS):

            def visit(group: Any) -> None:
                f.increase(groups)
                each_of(s, group, see)

            each(s, collection, visit)
        else:
            f.increase(groups)
            each(s, collection, see)
    required = f.load(groups) if e.how == "intersect" else "1"
    all_seen = ListValue(order, "0", f.load(count))

    def keep(body: loops.Body) -> None:
        def judge(c: CardValue) -> None:
            yes, no = f.label("kept"), f.label("next")
            times_seen = f.load(f.at(times, f.shift(c.card, 1)), "i16")
            f.branch(f.test("eq", times_seen, required), yes, no)
            f.place(yes)
            body(c)
            f.place(no)

        loops.each_in_list(s, all_seen, judge)

    return _collect(s, e, [keep])


# --- sets ---------------------------------------------------------------------------------


def _each_wanted_set(s: Scope, e: tree.Filter, body: loops.Body) -> None:
    """Emits a loop over the sets that pass a filter, or several nested filters."""
    want = wanted_sets.wanted(e)

    def test(filters: tuple[tree.Filter, ...]) -> loops.Body:
        if not filters:
            return body
        return lambda subset: _if_wanted(s, filters[0], subset, test(filters[1:]))

    match want.base:
        case tree.Subsets() as base:
            subsets.each_subset(s, base, gathered(s, base.cards), test(want.filters), want)
        case tree.Runs() as base:
            _each_set(s, base, test(want.filters), want.key)
        case _:
            each(s, want.base, test(want.filters))


def _each_set(
    s: Scope,
    e: tree.Partition | tree.Tuples | tree.Runs,
    body: loops.Body,
    alike: wanted_sets.Alike | None = None,
) -> None:
    """Emits a loop over the sets that a primitive computes."""
    f = s.function
    sets, ends = _room_for_sets(s, e)
    if isinstance(e, tree.Partition):
        cards = _of_parts(s, e, e.parts)
        keys = s.array("i64", loops.room(s))

        def fill(i: Value) -> None:
            card = f.load(f.at(cards.cards, f.shift(i, 1)), "i16")
            f.store(ex.attribute(s, e.attribute, card), f.at(keys, f.shift(i, 3)))

        loops.count_up(s, "0", cards.count, fill)
    else:
        cards = _copied(s, e.cards)
        keys = _keys(s, cards, e.points)
    s.count_work(f.mul(cards.count, cards.count))
    arguments = [f.number_of(cards.cards), f.number_of(keys), cards.count]
    if isinstance(e, tree.Tuples):
        arguments.append(ex.number(s, e.size))
    elif isinstance(e, tree.Runs):
        arguments += [ex.number(s, e.least), "1" if e.longest else "0"]
        groups = "0" if alike is None else _groups(s, cards, alike)
        arguments += [groups, f.number_of(s.array("i64", 2 * loops.room(s) + 1))]
    primitive = {tree.Partition: "partition", tree.Tuples: "tuples", tree.Runs: "runs"}[type(e)]
    count = s.call(primitive, *arguments, f.number_of(sets), f.number_of(ends))
    message = f"more than {primitives.MOST_SETS} sets of cards, or too large ones"
    s.fail_if(f.test("slt", count, 0), e.span, message)
    each_of_sets(s, SetsValue(sets, ends, count), body)


def picked(s: Scope, e: tree.Pick) -> Any:
    """One of several sets, as a list, or one of several locations, as a place."""
    f = s.function
    target = f.slot()
    if e.which == "bottom":
        f.store(0, target)
    elif e.which == "top":
        f.store(f.sub(size(s, e.sets), 1), target)
    else:
        f.store(ex.number(s, e.which), target)
    counter, hit = f.slot(), f.slot()
    f.store(0, counter)
    f.store(-1, hit)
    end = f.label("picked")
    cards, count = loops.buffer(s), f.slot()
    f.store(0, count)

    def visit(element: Any) -> None:
        yes, no = f.label("this"), f.label("next")
        n = f.load(counter)
        f.store(f.add(n, 1), counter)
        f.branch(f.test("eq", n, f.load(target)), yes, no)
        f.place(yes)
        if e.type is Type.PILE:
            f.store(element, hit)
        else:
            f.store(0, hit)

            loops.each_in_list(s, element, lambda c: loops.append_card(s, cards, count, c.card, e))
        f.jump(end)
        f.place(no)

    each(s, e.sets, visit)
    f.place(end)
    place = f.load(hit)
    s.fail_if(f.test("slt", place, 0), e.span, "there is no such set or location")
    return place if e.type is Type.PILE else ListValue(cards, "0", f.load(count))


def _groups(s: Scope, cards: ListValue, alike: wanted_sets.Alike) -> Value:
    """The address of the group keys of the cards of a list, by card number."""
    f = s.function
    groups = s.array("i64", len(s.places.program.cards))
    key = subsets.grouping(s, alike)
    loops.each_in_list(s, cards, lambda c: f.store(key(c.card), f.at(groups, f.shift(c.card, 3))))
    return f.number_of(groups)


# --- sizes --------------------------------------------------------------------------------


def size(s: Scope, e: Expression) -> Value:
    """The number of elements of a collection."""
    f = s.function
    match e:
        case tree.Variable():
            return size_of(s, s.variables[e.binding])
        case tree.Pile():
            return f.load(s.pile(ex.place(s, e)), "i16")
        case tree.Players() if not s.places.eliminates:
            return str(s.places.players - e.others)
        case tree.Texts() | tree.Numbers():
            return str(len(e.values))
        case tree.Range():
            count = f.add(f.sub(ex.number(s, e.high), ex.number(s, e.low)), 1)
            return f.choose(f.test("slt", count, 0), 0, count)
        case tree.Along():
            _, first, end = _along(s, e)
            return f.sub(end, first)
        case tree.Subsets():
            count = size(s, e.cards)
            subsets.check_count(s, e, count)
            return f.sub(f.shift("1", count), 0 if e.empty else 1)
        case tree.Combined(how="union"):
            total = f.slot()
            f.store(0, total)
            for collection in e.parts:
                if collection.type in (Type.PILES, Type.SETS):
                    each(s, collection, lambda group: f.increase(total, size_of(s, group)))
                else:
                    f.increase(total, size(s, collection))
            return f.load(total)
    total = f.slot()
    f.store(0, total)
    each(s, e, lambda _: f.increase(total))
    return f.load(total)


def size_of(s: Scope, held: Any) -> Value:
    """The number of elements of a variable's value."""
    match held:
        case ListValue():
            return loops.bounds(s, held)[1]
        case NumbersValue() | SetsValue():
            return held.count
    return s.function.load(s.pile(held), "i16")
