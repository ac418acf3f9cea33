"""Code for the piles of cards in a state: small functions of the module, and calls of them."""

from __future__ import annotations

from collections.abc import Callable

from kibitz.core.layout import EVERYONE
from kibitz.recycle.codegen import loops
from kibitz.recycle.codegen.function import Function, Value
from kibitz.recycle.codegen.module import Module
from kibitz.recycle.codegen.scope import CardValue, Scope


def card_at(s: Scope, pile: Value, index: Value) -> Value:
    """The address at which a pile holds the card with an index."""
    return _cell(s, pile, index, "cards")


def seen_at(s: Scope, pile: Value, index: Value) -> Value:
    """The address at which a pile holds the players, as bits, who know a card."""
    return _cell(s, pile, index, "seen")


def facts_at(s: Scope, pile: Value, index: Value) -> Value:
    """The address at which a pile holds the cards, as bits, that a card cannot be."""
    f = s.function
    return f.at(pile, f.add(s.places.pile_field["ruled_out"], f.shift(index, 3)))


def facts_of(s: Scope, place: Value, index: Value, openly: bool | Value) -> Value | None:
    """The facts about a card that is taken from a place; ``None`` in games without facts.

    If not everybody sees which card it is, only what is known of all cards there remains, also of
    those that stay.
    """
    if not s.places.tells:
        return None
    f = s.function
    s.module.need("facts", _facts)
    counted = s.module.table("i8", s.places.counted_places())
    exact = f.load(f.at(counted, place), "i8")
    if openly is not False:
        exact = "1" if openly is True else f.choose(openly, 1, exact)
    return f.get(f"call i64 @facts(ptr {s.pile(place)}, i64 {index}, i64 {exact})")


def blend_facts(s: Scope, pile: Value) -> None:
    """Emits code that keeps of the facts about cards of a pile what is known of all of them."""
    if s.places.tells:
        s.module.need("facts", _facts)
        s.function.get(f"call i64 @facts(ptr {pile}, i64 0, i64 0)")


def _cell(s: Scope, pile: Value, index: Value, field: str) -> Value:
    f = s.function
    return f.at(pile, f.add(s.places.pile_field[field], f.shift(index, 1)))


def take(s: Scope, pile: Value, index: Value) -> Value:
    """Emits code that removes a card; returns it and, from bit 16 on, who knows it."""
    s.module.need("take", _take)
    return s.function.get(f"call i64 @take(ptr {pile}, i64 {index})")


def put(
    s: Scope, pile: Value, index: Value, card: Value, seen_by: Value, facts: Value | None
) -> None:
    """Emits code that inserts a card at an index of a pile."""
    s.module.need("put", _put)
    f = s.function
    f.do(f"call void @put(ptr {pile}, i64 {index}, i64 {card}, i64 {seen_by})")
    if facts is not None:
        f.store(facts, facts_at(s, pile, index))


def find(s: Scope, pile: Value, card: Value) -> Value:
    """The index of a card in a pile, or -1."""
    s.module.need("find", _find)
    return s.function.get(f"call i64 @find(ptr {pile}, i64 {card})")


def locate(s: Scope, card: Value) -> Value:
    """The place where a card lies."""
    s.module.need("find", _find)
    s.module.need("locate", _locate)
    return s.function.get(f"call i64 @locate(ptr {s.state}, i64 {card})")


def knows(s: Scope, state: Value, card: Value, player: Value) -> Value:
    """1 if a player knows a card in a state, else 0."""
    s.module.need("find", _find)
    s.module.need("locate", _locate)
    s.module.need("knows", _knows)
    return s.function.get(f"call i64 @knows(ptr {state}, i64 {card}, i64 {player})")


def place_and_index(s: Scope, card: CardValue) -> tuple[Value, Value]:
    """The place and the index of a card; the place where it was found is tried first."""
    f = s.function
    if card.place is None:
        place = locate(s, card.card)
        return place, find(s, s.pile(place), card.card)
    where, index = f.slot(), f.slot()
    f.store(card.place, where)
    f.store(find(s, s.pile(card.place), card.card), index)
    gone, present = f.label("gone"), f.label("there")
    f.branch(f.test("slt", f.load(index), 0), gone, present)
    f.place(gone)
    place = locate(s, card.card)
    f.store(place, where)
    f.store(find(s, s.pile(place), card.card), index)
    f.place(present)
    return f.load(where), f.load(index)


def viewers_of_both(s: Scope, first: Value, second: Value) -> Value:
    """The players, as bits, to whom one of two places is visible."""
    f = s.function
    shown_to = s.places.pile_field["shown_to"]
    masks = [f.load(f.at(s.pile(place), shown_to), "i16") for place in (first, second)]
    return f.either(*masks)


def forget_unseen(s: Scope, pile: Value, keep: Value) -> None:
    """Emits code for a pile from which a hidden card was taken.

    Only the players in `keep`, and those to whom the pile is visible, still know its cards.
    """
    s.module.need("forget", _forget)
    s.function.do(f"call void @forget(ptr {pile}, i64 {keep})")


# --- the functions ------------------------------------------------------------------------


def _pile_function(
    module: Module, name: str, result: str, arguments: list[tuple[str, str]]
) -> Scope:
    """The scope of a new function."""
    return Scope(module, Function(name, result, arguments))


def _take(module: Module) -> str:
    s = _pile_function(module, "take", "i64", [("ptr", "%pile"), ("i64", "%index")])
    f = s.function
    last = f.sub(f.load("%pile", "i16"), 1)
    removed = [f.load(address(s, "%pile", "%index"), "i16") for address in (card_at, seen_at)]

    def shift_down(i: Value) -> None:
        for address, kind in _rows(module):
            f.store(f.load(address(s, "%pile", f.add(i, 1)), kind), address(s, "%pile", i), kind)

    loops.count_up(s, "%index", last, shift_down)
    for address, kind in _rows(module):
        f.store(0, address(s, "%pile", last), kind)
    f.store(last, "%pile", "i16")
    f.leave(f"i64 {f.either(removed[0], f.shift(removed[1], 16))}")
    return f.text()


def _put(module: Module) -> str:
    arguments = [("ptr", "%pile"), ("i64", "%index"), ("i64", "%card"), ("i64", "%seen")]
    s = _pile_function(module, "put", "void", arguments)
    f = s.function
    count = f.load("%pile", "i16")

    def shift_up(i: Value) -> None:
        for address, kind in _rows(module):
            f.store(f.load(address(s, "%pile", i), kind), address(s, "%pile", f.add(i, 1)), kind)

    loops.count_up(s, count, "%index", shift_up, step=-1)
    f.store("%card", card_at(s, "%pile", "%index"), "i16")
    f.store("%seen", seen_at(s, "%pile", "%index"), "i16")
    f.store(f.add(count, 1), "%pile", "i16")
    f.leave()
    return f.text()


def _rows(module: Module) -> list[tuple[Callable[[Scope, Value, Value], Value], str]]:
    """The addresses of what a pile holds for each card, and the types of the numbers there."""
    facts = [(facts_at, "i64")] if module.places.tells else []
    return [(card_at, "i16"), (seen_at, "i16"), *facts]


def _facts(module: Module) -> str:
    arguments = [("ptr", "%pile"), ("i64", "%index"), ("i64", "%exact")]
    s = _pile_function(module, "facts", "i64", arguments)
    f = s.function
    exact, blend = f.label("exact"), f.label("blend")
    f.branch(f.test("ne", "%exact", 0), exact, blend)
    f.place(exact)
    f.leave(f"i64 {f.load(facts_at(s, '%pile', '%index'))}")
    f.place(blend)
    common = f.slot()
    f.store(-1, common)
    count = f.load("%pile", "i16")

    def meet(i: Value) -> None:
        f.store(f.both(f.load(common), f.load(facts_at(s, "%pile", i))), common)

    loops.count_up(s, "0", count, meet)
    kept = f.load(common)
    loops.count_up(s, "0", count, lambda i: f.store(kept, facts_at(s, "%pile", i)))
    f.leave(f"i64 {kept}")
    return f.text()


def _find(module: Module) -> str:
    s = _pile_function(module, "find", "i64", [("ptr", "%pile"), ("i64", "%card")])
    f = s.function

    def compare(i: Value) -> None:
        yes, no = f.label("here"), f.label("next")
        current = f.load(card_at(s, "%pile", i), "i16")
        f.branch(f.test("eq", current, "%card"), yes, no)
        f.place(yes)
        f.leave(f"i64 {i}")
        f.place(no)

    loops.count_up(s, "0", f.load("%pile", "i16"), compare)
    f.leave("i64 -1")
    return f.text()


def _locate(module: Module) -> str:
    s = _pile_function(module, "locate", "i64", [("ptr noalias", "%state"), ("i64", "%card")])
    f, places = s.function, module.places
    table = module.table("i8", places.virtual_places())

    def look(place: Value) -> None:
        real, match, no = f.label("real"), f.label("here"), f.label("next")
        f.branch(f.test("eq", f.load(f.at(table, place), "i8"), 0), real, no)
        f.place(real)
        f.branch(f.test("sge", find(s, s.pile(place), "%card"), 0), match, no)
        f.place(match)
        f.leave(f"i64 {place}")
        f.place(no)

    loops.count_up(s, "0", str(places.place_count), look)
    f.leave("i64 0")
    return f.text()


def _knows(module: Module) -> str:
    arguments = [("ptr noalias", "%state"), ("i64", "%card"), ("i64", "%player")]
    s = _pile_function(module, "knows", "i64", arguments)
    f = s.function
    pile = s.pile(locate(s, "%card"))
    seen_by = f.load(seen_at(s, pile, find(s, pile, "%card")), "i16")
    f.leave(f"i64 {f.both(f.get(f'lshr i64 {seen_by}, %player'), 1)}")
    return f.text()


def _forget(module: Module) -> str:
    s = _pile_function(module, "forget", "void", [("ptr", "%pile"), ("i64", "%keep")])
    f = s.function
    limited, end = f.label("some"), f.label("end")
    f.branch(f.test("eq", f.both("%keep", EVERYONE), EVERYONE), end, limited)
    f.place(limited)
    shown = f.load(f.at("%pile", module.places.pile_field["shown_to"]), "i16")
    keep = f.either("%keep", shown)

    def mask(i: Value) -> None:
        address = seen_at(s, "%pile", i)
        f.store(f.both(f.load(address, "i16"), keep), address, "i16")

    loops.count_up(s, "0", f.load("%pile", "i16"), mask)
    f.place(end)
    f.leave()
    return f.text()
