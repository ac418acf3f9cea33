"""Code for expressions: numbers, conditions, names, players, teams, cards and locations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from kibitz.recycle import tree
from kibitz.recycle.codegen import loops, piles
from kibitz.recycle.codegen.function import Value
from kibitz.recycle.codegen.scope import OUT_AT, SEAT_SIZE, SEATS_AT, CardValue, Scope
from kibitz.recycle.tree import Expression, Type

_COMPARISONS = {"==": "eq", "!=": "ne", "<": "slt", ">": "sgt", "<=": "sle", ">=": "sge"}
LARGEST = 1 << 31
"""The bound of numbers: a stored number has a smaller absolute value."""


@functools.singledispatch
def of_collection(e: Expression, s: Scope, nothing: str | None = None) -> Any:
    """The value of an expression that loops over a collection; ``aggregates`` registers each kind.

    Args:
        nothing: of a card, the label for a missing one, as of ``card``.
    """
    raise AssertionError(e)


def value(s: Scope, e: Expression) -> Any:
    """The value of an expression that is no list of cards; see ``collections.value``.

    A card is a ``CardValue``, a location its place. Any other value is a number or, of a
    condition, an ``i1``.
    """
    if isinstance(e, tree.Variable):
        return s.variables[e.binding]
    match e.type:
        case Type.INT:
            return number(s, e)
        case Type.BOOL:
            return condition(s, e)
        case Type.STR:
            return name(s, e)
        case Type.CARD:
            return card(s, e)
        case Type.PLAYER:
            return player(s, e)
        case Type.TEAM:
            return team(s, e)
        case Type.PILE:
            return place(s, e)
    raise AssertionError(e.type)


# --- numbers ------------------------------------------------------------------------------


def number(s: Scope, e: Expression) -> Value:
    """Emits the computation of a number; returns the value."""
    f = s.function
    match e:
        case tree.Number():
            return str(e.value)
        case tree.Variable():
            return str(s.variables[e.binding])
        case tree.Stored():
            return f.load(storage(s, e.owner, "sto", e.name), "i32")
        case tree.Size() | tree.Total() | tree.Sum() | tree.BestScore():
            return str(of_collection(e, s))
        case tree.Score():
            return scorer(s, e.points)(card(s, e.card).card)
        case tree.Arithmetic():
            return _arithmetic(s, e)
        case tree.Triangular():
            n = number(s, e.number)
            s.fail_if(f.test("sgt", n, 60_000), e.span, "the number is too large for tri")
            n = f.choose(f.test("slt", n, 0), 0, n)
            return f.get(f"sdiv i64 {f.mul(n, f.add(n, 1))}, 2")
        case tree.Fibonacci():
            return _fibonacci(s, e)
        case tree.Random():
            low, high = number(s, e.low), number(s, e.high)
            span = f.add(f.sub(high, low), 1)
            s.fail_if(f.test("slt", span, 1), e.span, "a random number from an empty range")
            s.fail_if(f.test("sge", span, LARGEST), e.span, "the range is too large")
            return f.add(low, s.call("draw_below", s.state, span))
        case tree.SeatNumber():
            return player(s, e.player)
        case tree.Entry():
            return entry(s, e)
    raise AssertionError(e)


def entry(s: Scope, e: tree.Entry) -> Value:
    """The entry of a constant list at an index, whose bounds are checked."""
    f, count = s.function, len(e.table.values)
    index = number(s, e.index)
    message = f"the list has entries 0 .. {count - 1} only"
    s.fail_if(f.get(f"icmp uge i64 {index}, {count}"), e.span, message)
    return f.load(f.at(constants(s, e.table), f.shift(index, 2)), "i32")


def constants(s: Scope, e: tree.Texts | tree.Numbers) -> Value:
    """The address of a table with the elements of a literal list."""
    if isinstance(e, tree.Texts):
        return s.module.table("i32", [s.places.word[word] for word in e.values])
    return s.module.table("i32", e.values)


def new_slot(s: Scope, start: Value | int) -> Value:
    """A new slot with an initial value."""
    slot = s.function.slot()
    s.function.store(start, slot)
    return slot


def _arithmetic(s: Scope, e: tree.Arithmetic) -> Value:
    f = s.function
    left, right = number(s, e.left), number(s, e.right)
    match e.operator:
        case "+":
            return f.add(left, right)
        case "-":
            return f.sub(left, right)
        case "*":
            product = f.mul(left, right)
            # the factors are about as small as stored numbers, so 64 bits hold the product
            return within(s, e, product)
        case "^":
            return _power(s, e, left, right)
    s.fail_if(f.test("eq", right, 0), e.span, "a division by zero")
    return f.get(f"{'sdiv' if e.operator == '//' else 'srem'} i64 {left}, {right}")


def within(s: Scope, e: tree.Node, result: Value) -> Value:
    """Returns a number after a check that it fits into a storage."""
    f = s.function
    if result.lstrip("-").isdigit() and abs(int(result)) < LARGEST:
        return result
    shifted = f.add(result, LARGEST)
    s.fail_if(
        f.get(f"icmp uge i64 {shifted}, {2 * LARGEST}"), e.span, "a number beyond 2,147,483,647"
    )
    return result


def _power(s: Scope, e: tree.Arithmetic, base: Value, exponent: Value) -> Value:
    f = s.function
    s.fail_if(f.test("slt", exponent, 0), e.span, "a negative exponent")
    result = new_slot(s, 1)

    def multiply(_: Value) -> None:
        f.store(within(s, e, f.mul(f.load(result), base)), result)

    # powers of 0, 1 and -1 do not grow: a large exponent becomes a small one of equal parity
    large = f.test("sgt", exponent, 40)
    lowered = f.add(40, f.get(f"srem i64 {exponent}, 2"))
    loops.count_up(s, "0", f.choose(large, lowered, exponent), multiply)
    return f.load(result)


def _fibonacci(s: Scope, e: tree.Fibonacci) -> Value:
    f = s.function
    n = number(s, e.number)
    s.fail_if(f.test("sgt", n, 46), e.span, "the number is too large for fib")
    a, b = new_slot(s, 0), new_slot(s, 1)

    def step(_: Value) -> None:
        total = f.add(old := f.load(a), new := f.load(b))
        assert old
        f.store(new, a)
        f.store(total, b)

    loops.count_up(s, "0", n, step)
    return f.load(a)


# --- conditions ---------------------------------------------------------------------------


def condition(s: Scope, e: Expression) -> Value:
    """Emits the evaluation of a condition; returns an ``i1``."""
    f = s.function
    match e:
        case tree.Variable():
            return str(s.variables[e.binding])
        case tree.Not():
            return f.get(f"xor i1 {condition(s, e.condition)}, true")
        case tree.Compare():
            left = number(s, e.left)
            return f.test(_COMPARISONS[e.operator], left, number(s, e.right))
        case tree.Same():
            if e.left.type is Type.CARD:
                return _same_card(s, e)
            left, right = (value(s, side) for side in (e.left, e.right))
            return f.test("eq" if e.equal else "ne", left, right)
        case tree.Logic():
            return _logic(s, e)
        case tree.Quantified() if e in s.occurrences:
            return _occurs(s, e)
        case tree.Quantified():
            return str(of_collection(e, s))
    raise AssertionError(e)


def _same_card(s: Scope, e: tree.Same) -> Value:
    """A comparison of two cards, in which a missing card equals no card."""
    f = s.function
    result, nothing = new_slot(s, int(not e.equal)), f.label("nothing")
    left, right = (card(s, side, nothing).card for side in (e.left, e.right))
    same = f.get(f"zext i1 {f.test('eq' if e.equal else 'ne', left, right)} to i64")
    f.store(same, result)
    f.place(nothing)
    return f.get(f"trunc i64 {f.load(result)} to i1")


def _logic(s: Scope, e: tree.Logic) -> Value:
    f = s.function
    settled = e.operator == "or"
    result = new_slot(s, int(settled))
    end = f.label("known")
    for operand in e.parts:
        holds = condition(s, operand)
        further = f.label("part")
        f.branch(holds, *((end, further) if settled else (further, end)))
        f.place(further)
    f.store(int(not settled), result)
    f.place(end)
    return f.get(f"trunc i64 {f.load(result)} to i1")


def _occurs(s: Scope, q: tree.Quantified) -> Value:
    """The value of a condition for which the values that occur were collected."""
    f = s.function
    occurrence = s.occurrences[q]
    bit = f.load(f.at(occurrence.bit_of_word, name(s, occurrence.word)), "i8")
    present = f.both(f.get(f"lshr i64 {occurrence.values}, {bit}"), 1)
    return f.test("ne", present, 0)


# --- names --------------------------------------------------------------------------------


def name(s: Scope, e: Expression) -> Value:
    """Emits the computation of a name; returns its number in the vocabulary."""
    f = s.function
    match e:
        case tree.Text():
            return str(s.places.word[e.value])
        case tree.Variable():
            return str(s.variables[e.binding])
        case tree.StoredText():
            return f.load(storage(s, e.owner, "str", e.name), "i16")
        case tree.Attribute():
            return _attribute_or_nothing(s, e)
        case tree.Entry():
            return entry(s, e)
    raise AssertionError(e)


def _attribute_or_nothing(s: Scope, e: tree.Attribute) -> Value:
    """The value of an attribute of a card; the empty name for a missing card."""
    if isinstance(e.card, tree.Variable):
        return attribute(s, e.name, s.variables[e.card.binding].card)
    f = s.function
    result, nothing = new_slot(s, 0), f.label("nothing")
    f.store(attribute(s, e.name, card(s, e.card, nothing).card), result)
    f.place(nothing)
    return f.load(result)


def attribute(s: Scope, attribute_name: Expression, of: Value) -> Value:
    """The value of an attribute of a card."""
    f = s.function
    if isinstance(attribute_name, tree.Text):
        table = s.module.attribute_table(attribute_name.value)
        return f.load(f.at(table, f.shift(of, 1)), "i16") if table else "0"
    word = name(s, attribute_name)
    row = f.load(f.at(s.module.attribute_rows(), f.shift(word, 1)), "i16")
    index = f.add(f.mul(row, len(s.places.program.cards)), of)
    return f.load(f.at(s.module.all_attributes(), f.shift(index, 1)), "i16")


# --- storages -----------------------------------------------------------------------------


def storage(s: Scope, owner: tree.Owner, kind: str, storage_name: Expression) -> Value:
    """The address of a storage."""
    f, places = s.function, s.places
    sort = tree.owner_sort(owner)
    whose = owner_number(s, owner)
    if isinstance(storage_name, tree.Text):
        offset, stride = places.stored(sort, kind, storage_name.value)
        return f.at(s.state, f.add(offset, f.mul(whose, stride)) if whose else offset)
    names = sorted(places.names(storage_name))
    entries = {word: places.stored(sort, kind, word) for word in names}
    stride = next(iter(entries.values()))[1]
    table = s.module.word_table({word: offset for word, (offset, _) in entries.items()})
    place_of = f.load(f.at(table, f.shift(name(s, storage_name), 2)), "i32")
    return f.at(s.state, f.add(place_of, f.mul(whose, stride)) if whose else place_of)


def owner_number(s: Scope, owner: tree.Owner) -> Value | None:
    """The number of the player or team that owns something; ``None`` for the table."""
    if isinstance(owner, tree.Table):
        return None
    return team(s, owner) if owner.type is Type.TEAM else player(s, owner)


def place(s: Scope, e: Expression) -> Value:
    """Emits the computation of a location; returns its place."""
    f, places = s.function, s.places
    match e:
        case tree.Variable():
            return str(s.variables[e.binding])
        case tree.Pick():
            return str(of_collection(e, s))
        case tree.Pile():
            sort = tree.owner_sort(e.owner)
            result = first_place(s, e)
            whose = owner_number(s, e.owner)
            if whose is not None:
                result = f.add(result, whose)
            if e.index is not None:
                index = number(s, e.index)
                if not isinstance(e.index, tree.Number):
                    count = min(places.indices[sort, e.kind, n] for n in places.names(e.name))
                    s.fail_if(
                        f.get(f"icmp uge i64 {index}, {count}"),
                        e.span,
                        f"the index of a location is outside 0 .. {count - 1}",
                    )
                result = f.add(result, f.mul(index, places.players if sort == "player" else 1))
            return result
    raise AssertionError(e)


def first_place(s: Scope, e: tree.Pile | tree.Indexed) -> Value:
    """The place of a location of the first owner, with index 0."""
    f, places = s.function, s.places
    sort = tree.owner_sort(e.owner)
    if isinstance(e.name, tree.Text):
        return str(places.place(sort, e.kind, e.name.value))
    table = s.module.word_table({w: places.place(sort, e.kind, w) for w in places.names(e.name)})
    return f.load(f.at(table, f.shift(name(s, e.name), 2)), "i32")


# --- players and teams --------------------------------------------------------------------


def player(s: Scope, e: Expression) -> Value:
    """Emits the computation of a player; returns the number."""
    f, n = s.function, s.places.players
    match e:
        case tree.Variable():
            return str(s.variables[e.binding])
        case tree.CurrentPlayer(which="current"):
            return s.current_player()
        case tree.CurrentPlayer(which="previous"):
            return seat_beside(s, s.current_player(), n - 1)
        case tree.CurrentPlayer():
            after = seat_beside(s, s.current_player(), 1)
            if s.current is not None:
                return after  # no player is queued while scores are computed
            queued = f.load(s.cycle(False, "queued", s.depth), "i16")
            return f.choose(f.test("sge", queued, 0), queued, after)
        case tree.Seat():
            return _numbered(s, e, n)
        case tree.OwnerOf():
            where, _ = piles.place_and_index(s, card(s, e.card))
            owner = f.load(f.at(s.module.owner_table(), where), "i8")
            s.fail_if(
                f.test("slt", owner, 0), e.span, "the card lies in a place that no player owns"
            )
            return owner
    raise AssertionError(e)


def seat_beside(s: Scope, player: Value, step: int) -> Value:
    """The next player in steps of seats, without eliminated ones; the same player if all are."""
    f, n = s.function, s.places.players
    if not s.places.eliminates:
        return f.get(f"urem i64 {f.add(player, step)}, {n}")
    slot = new_slot(s, player)
    head, end = f.label("seat"), f.label("seated")
    f.place(head)
    beside = f.get(f"urem i64 {f.add(f.load(slot), step)}, {n}")
    f.store(beside, slot)
    settled = f.get(f"or i1 {f.test('eq', beside, player)}, {is_in(s, beside)}")
    f.branch(settled, end, head)
    f.place(end)
    return f.load(slot)


def is_in(s: Scope, player: Value) -> Value:
    """Whether a player is not eliminated."""
    f = s.function
    return f.test("eq", f.load(out_at(s, player), "i16"), 0)


def out_at(s: Scope, player: Value) -> Value:
    """The address of the mark of whether a player is eliminated."""
    f = s.function
    return f.at(s.state, f.add(SEATS_AT + OUT_AT, f.mul(player, SEAT_SIZE)))


def _numbered(s: Scope, e: tree.Seat | tree.TeamNumber, count: int) -> Value:
    """The player or team with a number, after a check that the number is in range."""
    index = number(s, e.number)
    if not (isinstance(e.number, tree.Number) and 0 <= e.number.value < count):
        s.fail_if(
            s.function.get(f"icmp uge i64 {index}, {count}"),
            e.span,
            f"there is no {e.type.value} of that number; they are 0 .. {count - 1}",
        )
    return index


def team(s: Scope, e: Expression) -> Value:
    """Emits the computation of a team; returns the number."""
    f, n = s.function, s.places.teams
    match e:
        case tree.Variable():
            return str(s.variables[e.binding])
        case tree.CurrentTeam():
            current = f.load(s.cycle(True, "current", s.team_depth), "i16")
            if e.which == "current":
                return current
            if e.which == "previous":
                return f.get(f"urem i64 {f.add(current, n - 1)}, {n}")
            after = f.get(f"urem i64 {f.add(current, 1)}, {n}")
            queued = f.load(s.cycle(True, "queued", s.team_depth), "i16")
            return f.choose(f.test("sge", queued, 0), queued, after)
        case tree.TeamNumber():
            return _numbered(s, e, n)
        case tree.TeamOf():
            own_team = team_number(s, player(s, e.player))
            s.fail_if(f.test("slt", own_team, 0), e.span, "the player belongs to no team")
            return own_team
    raise AssertionError(e)


def team_number(s: Scope, index: Value) -> Value:
    """The number of a player's team; -1 for a player without a team."""
    f = s.function
    if len(s.places.assignments) > 1:
        index = f.add(index, f.mul(team_list(s), s.places.players))
    return f.load(f.at(s.module.team_table(), index), "i8")


def team_list(s: Scope) -> Value:
    """The number of the current assignment of players to teams."""
    offset = s.places.offset["team_list"]
    return s.function.load(s.function.at(s.state, offset), "i32")


# --- cards --------------------------------------------------------------------------------


def card(s: Scope, e: Expression, nothing: str | None = None) -> CardValue:
    """Emits the computation of a card.

    If the card is missing, the code jumps to the label `nothing` or, without one, breaks the game
    off.
    """
    match e:
        case tree.Variable():
            held: CardValue = s.variables[e.binding]
            return held
        case tree.CardAt() | tree.Best():
            of_cards: CardValue = of_collection(e, s, nothing)
            return of_cards
    raise AssertionError(e)


def position(
    s: Scope, which: tree.Which, count: Value, e: tree.Node, nothing: str | None = None
) -> Value:
    """The index of an element of a list or place with `count` elements.

    If the element is missing, the code jumps to the label `nothing` or, without one, breaks the
    game off.
    """
    f = s.function
    if which in ("top", "bottom"):
        index = f.sub(count, 1) if which == "top" else "0"
        missing, message = f.test("eq", count, 0), f"the {which} card of an empty place"
    else:
        index = number(s, which)  # type: ignore[arg-type]
        missing = f.get(f"icmp uge i64 {index}, {count}")
        message = "there is no card of that number"
    s.go_or_fail(missing, nothing, e.span, message)
    return index


# --- scores -------------------------------------------------------------------------------


def scorer(s: Scope, points: tree.Points) -> Callable[[Value], Value]:
    """Emits the address of a point map; returns a function that emits the score of a card."""
    f = s.function
    address = storage(s, points.owner, "points", points.name)
    function = s.module.score_function(points)

    def score(of: Value) -> Value:
        return f.get(f"call i64 @{function}(ptr {address}, i64 {of})")

    return score
