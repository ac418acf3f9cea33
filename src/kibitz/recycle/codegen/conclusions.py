"""Code that notes what everybody may conclude, and keeps it true when cards are moved."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from kibitz.recycle import tree
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen import loops
from kibitz.recycle.codegen.function import Value
from kibitz.recycle.codegen.module import Module
from kibitz.recycle.codegen.scope import CardValue, Mode, Scope
from kibitz.recycle.conclusions import Conclusion, Rival, pile_name
from kibitz.recycle.layout import FACTS
from kibitz.recycle.tree import Binding, Expression, Type

# --- noting ---------------------------------------------------------------------------------


@contextlib.contextmanager
def noted_around(s: Scope, node: tree.Statement) -> Iterator[None]:
    """A context for the code of a statement, which adds the conclusions before and after it."""
    conclusions = s.places.conclusions
    playing = s.mode is Mode.PLAY
    for conclusion in conclusions.before.get(node, ()) if playing else ():
        _note(s, conclusion)
    yield
    for conclusion in conclusions.after.get(node, ()) if playing else ():
        _note(s, conclusion)


def _note(s: Scope, conclusion: Conclusion) -> None:
    """Emits code that notes a conclusion, unless another clause may have led to the same."""
    f = s.function
    skip = f.label("unknown")
    for rival in conclusion.rivals:
        _leave_if_possible(s, rival, conclusion.picked, skip)
    with s.failing_to(skip):
        for condition in conclusion.unless:
            go = f.label("go")
            f.branch(ex.condition(s, condition), skip, go)
            f.place(go)
        cards = _card_set(s, conclusion)
        _keep(s, conclusion, ex.place(s, conclusion.pile), cards)
    f.place(skip)


def _leave_if_possible(s: Scope, rival: Rival, picked: Binding | None, end: str) -> None:
    """Emits code that jumps to a label if another clause may have led to the same."""
    f = s.function
    impossible = f.label("impossible")
    with contextlib.ExitStack() as variables, s.failing_to(end):
        for binding in rival.bindings:
            assert picked is not None
            variables.enter_context(s.bound(binding, s.variables[picked]))
        for condition in rival.conditions:
            go = f.label("go")
            f.branch(ex.condition(s, condition), go, impossible)
            f.place(go)
    f.jump(end)
    f.place(impossible)


def _keep(s: Scope, conclusion: Conclusion, place: Value, cards: Value) -> None:
    """Emits code that adds a conclusion to the facts about a place."""
    f, places = s.function, s.places
    name = pile_name(conclusion.pile)
    assert name is not None
    first = places.place(*name)
    fact = f.add(place, places.fact_of_place[first] - first)
    if not conclusion.some:
        address = _absent(s, fact)
        f.store(f.either(f.load(address), cards), address)
        return
    cells = [_some(s, fact, k) for k in range(places.facts_of_some)]
    sets = [f.load(cell) for cell in cells]
    known, new = f.label("known"), f.label("new")
    same = f.test("eq", sets[0], cards)
    for held in sets[1:]:
        same = f.get(f"or i1 {same}, {f.test('eq', held, cards)}")
    f.branch(same, known, new)
    f.place(new)
    for cell, held in zip(cells, [cards, *sets], strict=False):
        f.store(held, cell)
    f.place(known)


def _absent(s: Scope, fact: Value) -> Value:
    """The address of the set of cards that are not in a location."""
    f = s.function
    return f.at(s.state, f.add(s.places.offset[FACTS], f.shift(fact, 3)))


def _some(s: Scope, fact: Value, number: int) -> Value:
    """The address of a set of cards that has at least one card in a location."""
    f, places = s.function, s.places
    start = places.offset[FACTS] + 8 * (len(places.fact_places) + number)
    return f.at(s.state, f.add(start, f.mul(fact, 8 * places.facts_of_some)))


# --- sets of cards --------------------------------------------------------------------------


def _card_set(s: Scope, conclusion: Conclusion) -> Value:
    """The cards that a conclusion is about, as bits."""
    f = s.function
    cards = _all_cards(s)
    for condition, holds in conclusion.parts:
        passing = _passing(s, condition, conclusion.bindings)
        cards = f.both(passing if holds else f.get(f"xor i64 {passing}, -1"), cards)
    return cards


def passing_cards(s: Scope, condition: Expression, binding: Binding) -> Value:
    """The cards for which a condition holds, as bits."""
    return s.function.both(_passing(s, condition, (binding,)), _all_cards(s))


def all_but(s: Scope, cards: Value) -> Value:
    """The cards of the game but some, as bits."""
    return s.function.get(f"xor i64 {cards}, {_all_cards(s)}")


def _all_cards(s: Scope) -> Value:
    return str((1 << len(s.places.program.cards)) - 1)


def _passing(s: Scope, e: Expression, of: tuple[Binding, ...]) -> Value:
    """The cards for which a condition holds, as bits; further bits may be set."""
    f = s.function
    if not _mentions(e, of):
        return f.choose(ex.condition(s, e), -1, 0)
    match e:
        case tree.Not():
            return f.get(f"xor i64 {_passing(s, e.condition, of)}, -1")
        case tree.Logic():
            masks = [_passing(s, part, of) for part in e.parts]
            total = masks[0]
            for mask in masks[1:]:
                total = f.both(total, mask) if e.operator == "and" else f.either(total, mask)
            return total
        case tree.Same(left=left, right=right) if left.type is Type.STR:
            for own, other in ((left, right), (right, left)):
                if _is_own_attribute(own, of) and not _mentions(other, of):
                    assert isinstance(own, tree.Attribute)
                    assert isinstance(own.name, tree.Text)
                    table = _cards_by_word(s.module, own.name.value)
                    passing = f.load(f.at(table, f.shift(ex.name(s, other), 3)))
                    return passing if e.equal else f.get(f"xor i64 {passing}, -1")
    return _tested_one_by_one(s, e, of)


def _tested_one_by_one(s: Scope, e: Expression, of: tuple[Binding, ...]) -> Value:
    """The cards for which any condition holds, as bits."""
    f = s.function
    passing = ex.new_slot(s, 0)

    def test(card: Value) -> None:
        with contextlib.ExitStack() as variables:
            for binding in of:
                variables.enter_context(s.bound(binding, CardValue(card)))
            holds = f.get(f"zext i1 {ex.condition(s, e)} to i64")
        f.store(f.either(f.load(passing), f.shift(holds, card)), passing)

    loops.count_up(s, "0", str(len(s.places.program.cards)), test)
    return f.load(passing)


def _mentions(e: Expression, of: tuple[Binding, ...]) -> bool:
    return any(isinstance(n, tree.Variable) and n.binding in of for n in tree.walk(e))


def _is_own_attribute(e: Expression, of: tuple[Binding, ...]) -> bool:
    """Whether an expression is a named attribute of the card."""
    if not isinstance(e, tree.Attribute) or not isinstance(e.name, tree.Text):
        return False
    return isinstance(e.card, tree.Variable) and e.card.binding in of


def _cards_by_word(module: Module, attribute: str) -> Value:
    """The address of a table of the cards, as bits, with a word as the value of an attribute."""
    sets = [0] * len(module.places.words)
    for card in range(len(module.places.program.cards)):
        sets[module.places.card_word(attribute, card)] |= 1 << card
    return module.table("i64", sets)


# --- moves ----------------------------------------------------------------------------------


def card_moved(
    s: Scope, node: tree.Move, source: Value, target: Value, card: Value, known_to: Value
) -> None:
    """Emits code that keeps the facts true after a move.

    Args:
        known_to: the players, as bits, who know the card after the move.
    """
    f, places = s.function, s.places
    if s.mode is not Mode.PLAY or not places.fact_places:
        return
    everyone = (1 << places.players) - 1
    open_to_all = f.test("eq", f.both(known_to, everyone), everyone)
    comes = may_have_facts(s, node.pile)
    goes = not isinstance(node.card, tree.CardAt) or may_have_facts(s, node.card.cards)
    from_fact = _fact_of(s, source) if goes else "-1"
    if goes and places.facts_of_some:
        with _if_fact(s, from_fact):
            for k in range(places.facts_of_some):
                cell = _some(s, from_fact, k)
                held = f.load(cell)
                met = f.both(f.get(f"lshr i64 {held}, {card}"), 1)
                stays = f.get(f"and i1 {open_to_all}, {f.test('eq', met, 0)}")
                f.store(f.choose(stays, held, 0), cell)
    if comes:
        to_fact = _fact_of(s, target)
        with _if_fact(s, to_fact):
            absent_before: Value = "0"
            if goes:
                known = f.test("sge", from_fact, 0)
                held = f.load(_absent(s, f.choose(known, from_fact, 0)))
                absent_before = f.choose(known, held, 0)
            others = f.get(f"xor i64 {f.shift('1', card)}, -1")
            still = f.choose(open_to_all, others, absent_before)
            address = _absent(s, to_fact)
            f.store(f.both(f.load(address), still), address)
            # a card that comes now is not the one that was there
            earlier = f.choose(open_to_all, others, -1)
            for k in range(places.facts_of_some):
                cell = _some(s, to_fact, k)
                f.store(f.both(f.load(cell), earlier), cell)


def forget(s: Scope, place: Value) -> None:
    """Emits code that forgets the facts about a place, whose cards are exchanged."""
    if s.mode is not Mode.PLAY or not s.places.fact_places:
        return
    f = s.function
    fact = _fact_of(s, place)
    with _if_fact(s, fact):
        f.store(0, _absent(s, fact))
        for k in range(s.places.facts_of_some):
            f.store(0, _some(s, fact, k))


def may_have_facts(s: Scope, e: Expression) -> bool:
    """Whether there may be facts about a collection of cards."""
    name = pile_name(e)
    return name is None or s.places.fact_of_place[s.places.place(*name)] >= 0


def _fact_of(s: Scope, place: Value) -> Value:
    """The number of the facts about a place, or -1."""
    f = s.function
    return f.load(f.at(s.module.table("i16", s.places.fact_of_place), f.shift(place, 1)), "i16")


@contextlib.contextmanager
def _if_fact(s: Scope, fact: Value) -> Iterator[None]:
    """A context for code that is executed if there are facts about a place."""
    f = s.function
    yes, on = f.label("noted"), f.label("on")
    f.branch(f.test("sge", fact, 0), yes, on)
    f.place(yes)
    yield
    f.place(on)


# --- sampling -------------------------------------------------------------------------------


def specification(module: Module) -> Value:
    """The address of a table that describes the piles and facts of a state (``primitives``)."""
    places = module.places
    cards = places.program.cards
    cells = [
        places.place_count,
        places.piles_at,
        places.pile_size,
        len(cards),
        places.offset[FACTS],
        len(places.fact_places),
        places.facts_of_some,
        places.pile_field["ruled_out"] if places.tells else 0,
    ]
    virtual = places.virtual_places()
    cells += [-2 if virtual[p] else fact for p, fact in enumerate(places.fact_of_place)]
    cells += places.fact_places
    for card in cards:
        cells.append(sum(1 << i for i, other in enumerate(cards) if other.deck != card.deck))
    return module.table("i64", cells)
