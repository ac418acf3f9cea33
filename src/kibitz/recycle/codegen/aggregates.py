"""Code for expressions that loop over a collection: sums, quantifiers, the best card."""

from __future__ import annotations

from typing import Any

from kibitz.recycle import tree
from kibitz.recycle.codegen import collections as lists
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen import loops, piles
from kibitz.recycle.codegen.function import Value
from kibitz.recycle.codegen.scope import CardValue, Scope
from kibitz.recycle.tree import Type


@ex.of_collection.register
def _size(e: tree.Size, s: Scope) -> Value:
    return lists.size(s, e.collection)


@ex.of_collection.register
def _sum(e: tree.Sum, s: Scope) -> Value:
    f = s.function
    total = ex.new_slot(s, 0)
    score_card = ex.scorer(s, e.points)
    lists.each(s, e.cards, lambda c: f.increase(total, score_card(c.card)))
    return f.load(total)


@ex.of_collection.register
def _pick(e: tree.Pick, s: Scope) -> Any:
    return lists.picked(s, e)


@ex.of_collection.register
def _total(e: tree.Total, s: Scope) -> Value:
    f = s.function
    total = ex.new_slot(s, 0)

    def add(element: Any) -> None:
        with s.bound(e.binding, element):
            f.increase(total, ex.number(s, e.body))

    lists.each(s, e.collection, add)
    return f.load(total)


@ex.of_collection.register
def _best_score(e: tree.BestScore, s: Scope) -> Value:
    f = s.function
    none = -(1 << 40) if e.highest else 1 << 40
    best = ex.new_slot(s, none)
    score_card = ex.scorer(s, e.points)

    def compare(c: CardValue) -> None:
        score = score_card(c.card)
        better = f.test("sgt" if e.highest else "slt", score, (old := f.load(best)))
        f.store(f.choose(better, score, old), best)

    lists.each(s, e.cards, compare)
    result = f.load(best)
    s.fail_if(f.test("eq", result, none), e.span, "the best score among no cards")
    return result


@ex.of_collection.register
def _quantified(e: tree.Quantified, s: Scope) -> Value:
    f = s.function
    result = ex.new_slot(s, int(e.every))
    end = f.label("known")

    def test(element: Any) -> None:
        with s.bound(e.binding, element):
            holds = ex.condition(s, e.body)
        further, settled = f.label("next"), f.label("settled")
        f.branch(holds, *((further, settled) if e.every else (settled, further)))
        f.place(settled)
        f.store(int(not e.every), result)
        f.jump(end)
        f.place(further)

    lists.each(s, e.collection, test)
    f.place(end)
    return f.get(f"trunc i64 {f.load(result)} to i1")


@ex.of_collection.register
def _card_at(e: tree.CardAt, s: Scope, nothing: str | None = None) -> CardValue:
    f = s.function
    if e.cards.type is Type.PILE:
        where = ex.place(s, e.cards)
        pile = s.pile(where)
        index = ex.position(s, e.which, f.load(pile, "i16"), e, nothing)
        found_at = None if lists.refers(s, e.cards) else where
        return CardValue(f.load(piles.card_at(s, pile, index), "i16"), found_at)
    cards = lists.gathered(s, e.cards)
    first, count = loops.bounds(s, cards)
    index = f.add(first, ex.position(s, e.which, count, e, nothing))
    return CardValue(f.load(f.at(cards.cards, f.shift(index, 1)), "i16"), cards.place)


@ex.of_collection.register
def _best(e: tree.Best, s: Scope, nothing: str | None = None) -> CardValue:
    """The card with the best score; chance decides among equals."""
    f = s.function
    best, count = ex.new_slot(s, 0), ex.new_slot(s, 0)
    tied, tied_places = loops.buffer(s), loops.buffer(s)
    placed = True
    score_card = ex.scorer(s, e.points)

    def compare(c: CardValue) -> None:
        nonlocal placed
        score = score_card(c.card)
        n = f.load(count)
        first = f.test("eq", n, 0)
        old = f.load(best)
        better = f.get(f"or i1 {first}, {f.test('sgt' if e.highest else 'slt', score, old)}")
        equal = f.test("eq", score, old)
        take, skip = f.label("take"), f.label("skip")
        f.branch(f.get(f"or i1 {better}, {equal}"), take, skip)
        f.place(take)
        at = f.choose(better, 0, n)
        loops.check_room(s, at, e)
        f.store(score, best)
        f.store(c.card, f.at(tied, f.shift(at, 1)), "i16")
        if c.place is None:
            placed = False
        else:
            f.store(c.place, f.at(tied_places, f.shift(at, 1)), "i16")
        f.store(f.add(at, 1), count)
        f.place(skip)

    lists.each(s, e.cards, compare)
    n = f.load(count)
    word = "highest" if e.highest else "lowest"
    s.go_or_fail(f.test("eq", n, 0), nothing, e.span, f"the {word} card among no cards")
    index = ex.new_slot(s, 0)
    several, single = f.label("several"), f.label("single")
    f.branch(f.test("sgt", n, 1), several, single)
    f.place(several)
    key = f.number_of(s.tie_key)
    f.store(s.call("break_tie", s.state, f.number_of(tied), n, key), index)
    f.place(single)
    at = f.shift(f.load(index), 1)
    chosen = f.load(f.at(tied, at), "i16")
    return CardValue(chosen, f.load(f.at(tied_places, at), "i16") if placed else None)
