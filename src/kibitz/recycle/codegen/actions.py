"""Code for statements, which are executed, or tried while options are listed.

In ``Mode.PLAY`` a fork takes the pick of the chosen action. In ``Mode.TRY`` the effects are made
and undone later. In ``Mode.LOOK``, used where nothing that follows depends on the effects, the
code only tests whether moves are possible.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from kibitz.core.actions import OPERAND_BITS, OPERAND_MASK
from kibitz.core.layout import EVERYONE
from kibitz.recycle import tree
from kibitz.recycle.codegen import collections as lists
from kibitz.recycle.codegen import conclusions, loops, piles, tracing
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen.function import Value
from kibitz.recycle.codegen.scope import (
    SEAT_SIZE,
    SEATS_AT,
    CardValue,
    ListValue,
    Mode,
    PickNumbers,
    Scope,
)
from kibitz.recycle.options import NUMBER_BITS, PickPoint
from kibitz.recycle.tree import Type
from kibitz.syntax.source import Span


def execute(s: Scope, node: tree.Statement) -> None:
    """Emits code that executes or tries a statement, depending on the mode of the scope."""
    with conclusions.noted_around(s, node):
        _execute(s, node)


def _execute(s: Scope, node: tree.Statement) -> None:
    f = s.function
    s.span = node.span
    match node:
        case tree.Do():
            for step in node.steps:
                execute(s, step)
        case tree.When():
            yes, no = f.label("when"), f.label("on")
            f.branch(ex.condition(s, node.condition), yes, no)
            f.place(yes)
            execute(s, node.body)
            f.place(no)
        case tree.Cases():
            _, labels, on = branch_by_value(s, node)
            for case, label in zip(node.cases, labels, strict=True):
                f.place(label)
                execute(s, case.body)
                f.jump(on)
            f.place(on)
        case tree.Fork() if s.mode is Mode.PLAY and s.operands is not None:
            s.note_hidden(node.binding, node.collection)
            with unless_empty(s), s.bound(node.binding, chosen(s, node)):
                execute(s, node.body)
        case tree.ForEach() | tree.Fork():
            for_each(s, node)
        case tree.Let():
            s.note_hidden(node.binding, node.value)
            with s.bound(node.binding, let_value(s, node.value)):
                execute(s, node.body)
        case tree.Repeat():

            def again(_: Value) -> None:
                s.count_step(node.span)
                execute(s, node.body)

            loops.count_up(s, "0", f.opaque(ex.number(s, node.times)), again)
        case _:
            act(s, node)


def branch_by_value(s: Scope, node: tree.Cases) -> tuple[Value, list[str], str]:
    """Emits a branch to the case of a value.

    Returns:
        The value, the label of each case, and the label for any other value.
    """
    f = s.function
    value = ex.name(s, node.key)
    labels, other = [f.label("case") for _ in node.cases], f.label("on")
    words = [s.places.word[case.value] for case in node.cases]
    f.switch(value, list(zip(words, labels, strict=True)), other)
    return value, labels, other


@contextlib.contextmanager
def unless_empty(s: Scope) -> Iterator[None]:
    """A context for the code of a fork, which is skipped if there was nothing to pick from."""
    if s.empty is None:
        yield
        return
    f = s.function
    bits = f.load(s.empty)
    f.store(f.get(f"lshr i64 {bits}, 1"), s.empty)
    picked, on = f.label("picked"), f.label("on")
    f.branch(f.test("eq", f.both(bits, 1), 0), picked, on)
    f.place(picked)
    yield
    f.place(on)


def let_value(s: Scope, e: tree.Expression) -> Any:
    """The value that ``let`` binds; a collection is copied with its present elements."""
    match e.type:
        case Type.CARDS | Type.PILE:
            return lists.snapshot(s, e)
        case Type.SETS:
            return lists.gathered_sets(s, e)
        case kind if kind.is_collection:
            return lists.gathered_numbers(s, e)
    return lists.value(s, e)


def for_each(s: Scope, node: tree.ForEach | tree.Fork) -> None:
    """Emits the body of a loop over the elements that its collection has at the start."""

    def visit(element: Any) -> None:
        with taken(s, node.binding, element) as value, s.bound(node.binding, value):
            execute(s, node.body)

    if s.mode is Mode.LOOK:
        lists.each(s, node.collection, visit)
    else:
        frozen(s, node.collection, visit)


class taken:
    """A context that gives an element for the body of a loop.

    A set of cards becomes a mutable list, because cards may be taken out of it.
    """

    def __init__(self, s: Scope, binding: tree.Binding, element: Any) -> None:
        self.value = element
        if binding.type is Type.CARDS and isinstance(element, ListValue) and not element.mutable:
            f = s.function
            first, count = f.slot(), f.slot()
            f.store(element.first, first)
            f.store(element.count, count)
            self.value = ListValue(element.cards, first, count, mutable=True)

    def __enter__(self) -> Any:
        return self.value

    def __exit__(self, *_: object) -> None:
        pass


_STEADY = (
    tree.Texts,
    tree.Numbers,
    tree.Range,
    tree.Partition,
    tree.Tuples,
    tree.Runs,
    tree.Subsets,
)
"""Collections that are computed before the first iteration of a loop."""


def frozen(s: Scope, e: tree.Expression, body: Callable[[Any], object]) -> None:
    """Emits `body` for the elements that a collection has before the first iteration."""
    element = e.type.element
    everybody = isinstance(e, tree.Players) and not (e.others or s.places.eliminates)
    if everybody or isinstance(e, _STEADY):
        lists.each(s, e, body)
    elif element is Type.CARD:
        loops.each_in_list(s, lists.snapshot(s, e), body)
    elif element is Type.CARDS:
        lists.each_of_sets(s, lists.gathered_sets(s, e), body)
    else:
        lists.each_of_numbers(s, lists.gathered_numbers(s, e), body)


# --- picks of the chosen action -----------------------------------------------------------


def chosen(s: Scope, node: tree.Fork) -> Any:
    """The pick of the chosen action at a fork."""
    fork = s.fork(node)
    if s.picks is not None:
        number = read_pick(s, s.picks, node.span)
        if node.binding.type is Type.CARDS:
            return _chosen_set(s, s.picks, fork, number, node.span)
    else:
        number = _operand(s, fork)
    return _chosen_card(s, node, fork, number) if node.binding.type is Type.CARD else number


def read_pick(s: Scope, picks: PickNumbers, span: Span) -> Value:
    """Emits code that reads the next number of encoded picks."""
    f = s.function
    read = f.increase(picks.read)
    none = f.test("sgt", read, f.load(picks.numbers))
    s.fail_if(none, span, "when the option was chosen nothing was picked for this")
    return f.load(f.at(picks.numbers, f.shift(read, 3)))


def _operand(s: Scope, fork: PickPoint) -> Value:
    """The operand of the next fork, in an action that holds all picks."""
    f = s.function
    assert s.operands is not None
    assert fork.bits is not None
    remaining = f.load(s.operands)
    f.store(f.get(f"lshr i64 {remaining}, {fork.bits}"), s.operands)
    return operand_value(s, fork, remaining)


def operand_value(s: Scope, fork: PickPoint, operands: Value) -> Value:
    """The operand of a fork, from the lowest bits of the remaining operands."""
    f = s.function
    if fork.binding.type is Type.INT:
        up = f.shift(operands, 64 - NUMBER_BITS)
        return f.get(f"ashr i64 {up}, {64 - NUMBER_BITS}")
    assert fork.bits is not None
    return f.both(operands, (1 << fork.bits) - 1)


def _chosen_card(s: Scope, node: tree.Fork, fork: PickPoint, operand: Value) -> CardValue:
    """The card that an operand encodes."""
    if not fork.hidden:
        return CardValue(operand, lists.only_place(s, node.collection))
    return CardValue(card_of_operand(s, fork, operand, node.span))


def card_of_operand(s: Scope, fork: PickPoint, operand: Value, span: Span) -> Value:
    """The card that an operand encodes by its number or by its place and position."""
    f = s.function
    low = f.both(operand, OPERAND_MASK)
    place = f.sub(f.get(f"lshr i64 {operand}, {OPERAND_BITS}"), 1)
    card = f.slot()
    f.store(low, card)
    yes, no = f.label("unknown"), f.label("known")
    f.branch(f.test("sge", place, 0), yes, no)
    f.place(yes)
    pile = s.pile(place)
    gone = f.test("sge", low, f.load(pile, "i16"))
    s.fail_if(gone, span, "the card that was picked is not there any more")
    f.store(f.load(piles.card_at(s, pile, low), "i16"), card)
    f.place(no)
    return f.load(card)


def _chosen_set(
    s: Scope, picks: PickNumbers, fork: PickPoint, size: Value, span: Span
) -> ListValue:
    """The set of cards that encoded picks contain next."""
    f = s.function
    cards, first, count = loops.buffer(s), f.slot(), f.slot()
    f.store(0, first)
    f.store(size, count)

    def fill(i: Value) -> None:
        card = read_pick(s, picks, span)
        if fork.hidden:
            card = card_of_operand(s, fork, card, span)
        f.store(card, f.at(cards, f.shift(i, 1)), "i16")

    loops.count_up(s, "0", size, fill)
    return ListValue(cards, first, count, mutable=True)


def card_token(s: Scope, c: CardValue, chooser: Value, hidden: bool) -> Value:
    """The operand for a card: its number, or its place and index if the chooser did not know it.

    The chooser may not know cards that are `hidden`.
    """
    if not hidden:
        return c.card
    f = s.function
    place, index = piles.place_and_index(s, c)
    known = piles.knows(s, s.before, c.card, chooser)
    unknown = f.either(f.shift(f.add(place, 1), OPERAND_BITS), index)
    return f.choose(f.test("ne", known, 0), c.card, unknown)


# --- actions ------------------------------------------------------------------------------


def act(s: Scope, node: tree.Action) -> None:
    """Emits code for one action."""
    f = s.function
    if s.done is not None:
        f.store(1, s.done)
    if s.mode is Mode.LOOK:
        if isinstance(node, tree.Move):
            _look_at_move(s, node)
        return
    match node:
        case tree.Move():
            _move(s, node)
        case tree.Remember():
            _remember(s, node)
        case tree.Forget():
            _forget(s, node)
        case tree.Shuffle():
            _shuffle(s, node)
        case tree.SetNumber():
            _set_number(s, node)
        case tree.SetText():
            value = ex.name(s, node.value)
            target = ex.storage(s, node.target.owner, "str", node.target.name)
            f.store(value, target, "i16")
        case tree.SetPoints():
            _set_points(s, node)
        case tree.Cycle():
            slot = "queued" if node.which == "next" else "current"
            f.store(ex.player(s, node.player), s.cycle(False, slot, s.depth), "i16")
        case tree.Swap():
            _swap(s, node)
        case tree.MakeTeams():
            address = f.at(s.state, s.places.offset["team_list"])
            f.store(s.places.assignment[node], address, "i32")
        case tree.Reveal():
            _reveal(s, node)
        case tree.Eliminate():
            each_player(s, node.players, lambda p: f.store(1, ex.out_at(s, p), "i16"))
        case tree.Announce():
            _announce(s, node)
        case tree.Pass():
            pass
        case _:
            raise AssertionError(node)


def each_player(s: Scope, players: tree.Expression, body: loops.Body) -> None:
    """Emits the body for a player, or for each of a collection."""
    if players.type is Type.PLAYER:
        body(ex.player(s, players))
    else:
        frozen(s, players, body)


def _announce(s: Scope, node: tree.Announce) -> None:
    """Emits code that ends the game with a result; on trial it does nothing."""
    f, players = s.function, s.places.players
    if s.mode is not Mode.PLAY:
        return
    named = f.slot()
    f.store((1 << players) - 1 if node.players is None else 0, named)
    if node.players is not None:
        each_player(
            s,
            node.players,
            lambda p: f.store(f.either(f.load(named), f.get(f"shl i64 1, {p}")), named),
        )
    store_scores(s)
    s.call("announce", s.state, f.load(named), str(int(node.won)))
    if s.module.traced and s.operands is not None:
        f.store(f.load("%log"), f.at("%log", 8))
    f.leave()
    f.place(f.label("on"))


def store_scores(s: Scope) -> None:
    """Emits code that stores the score of each player."""
    f = s.function
    for player in range(s.places.players):
        score = f.get(f"call i64 @score(ptr {s.state}, i64 {player})")
        as_float = f.get(f"sitofp i64 {score} to double")
        f.do(f"store double {as_float}, ptr {f.at(s.state, SEATS_AT + player * SEAT_SIZE)}")


def _look_at_move(s: Scope, node: tree.Move) -> None:
    """Emits the test of whether there is a card to be moved."""
    match node.card:
        case tree.CardAt(which=position, cards=cards):
            _leave_if_missing(s, position, lists.size(s, cards))
        case tree.Best(cards=cards):
            _leave_if_missing(s, "top", lists.size(s, cards))


def _leave_if_missing(s: Scope, position: tree.Which, count: Value) -> Value | None:
    """Emits code that drops an option on trial if it moves a missing card.

    Returns:
        The index of the card if it is given by a number, else ``None``.
    """
    f = s.function
    assert s.drop is not None
    index = None
    if position in ("top", "bottom"):
        missing = f.test("eq", count, 0)
    else:
        index = ex.number(s, position)  # type: ignore[arg-type]
        missing = f.get(f"icmp uge i64 {index}, {count}")
    present = f.label("there")
    f.branch(missing, s.drop, present)
    f.place(present)
    return index


def _index(s: Scope, position: tree.Which, count: Value, node: tree.Node) -> Value:
    """The index of the card to be moved; if it is missing, the game or the option ends."""
    if s.mode is Mode.PLAY:
        return ex.position(s, position, count, node)
    index = _leave_if_missing(s, position, count)
    if index is not None:
        return index
    return s.function.sub(count, 1) if position == "top" else "0"


def _move(s: Scope, node: tree.Move) -> None:
    """Emits a move of a card, and updates who knows the cards."""
    f = s.function
    end = f.label("moved")
    if node.lenient and isinstance(node.card, tree.CardAt) and s.mode is Mode.PLAY:
        nonempty = f.label("some")
        f.branch(f.test("sgt", lists.size(s, node.card.cards), 0), nonempty, end)
        f.place(nonempty)
    target = ex.place(s, node.pile)
    source, index, openly = find_card(s, node.card)
    pile = s.pile(source)
    keep = _witnesses(s, openly, piles.viewers_of_both(s, source, target))
    taken_card = piles.take(s, pile, index)
    card = f.both(taken_card, 0xFFFF)
    seen_by = f.get(f"lshr i64 {taken_card}, 16")
    if keep is not None:
        seen_by = f.both(seen_by, keep)
        piles.forget_unseen(s, pile, keep)
    known_to = _put(s, node.where, target, card, seen_by, node)
    conclusions.card_moved(s, node, source, target, card, known_to)
    tracing.log_card(s, node, card, source)
    f.place(end)


def _witnesses(s: Scope, openly: bool | Value, viewers: Value) -> Value | None:
    """The players, as bits, who know which card of a place was moved; ``None`` for all."""
    if isinstance(openly, str):
        return s.function.choose(openly, EVERYONE, viewers)
    return None if openly else viewers


def find_card(s: Scope, e: tree.Expression) -> tuple[Value, Value, bool | Value]:
    """The place and the index of a card, and whether its index is public."""
    f = s.function
    if isinstance(e, tree.CardAt) and e.cards.type is Type.PILE:
        named = ex.place(s, e.cards)
        count = f.load(s.pile(named), "i16")
        index = _index(s, e.which, count, e)
        if not lists.refers(s, e.cards):
            return named, index, True
        # the location may be a memory, whose cards lie elsewhere
        card = f.load(piles.card_at(s, s.pile(named), index), "i16")
        place = piles.locate(s, card)
        openly = f.test("eq", place, named)
        return place, piles.find(s, s.pile(place), card), openly
    variable = e.cards if isinstance(e, tree.CardAt) else None
    held = s.variables.get(variable.binding) if isinstance(variable, tree.Variable) else None
    if isinstance(e, tree.CardAt) and isinstance(held, ListValue) and held.mutable:
        card_value = CardValue(_take_from_list(s, e, held), held.place)
    else:
        card_value = ex.card(s, e, None if s.mode is Mode.PLAY else s.drop)
    return *piles.place_and_index(s, card_value), False


def _take_from_list(s: Scope, e: tree.CardAt, held: ListValue) -> Value:
    """Emits code that takes a card out of a list that a variable holds."""
    f = s.function
    first, count = loops.bounds(s, held)
    index = _index(s, e.which, count, e)
    card = f.load(f.at(held.cards, f.shift(f.add(first, index), 1)), "i16")
    if e.which not in ("top", "bottom"):
        last = f.add(first, f.sub(count, 1))

        def close(i: Value) -> None:
            further = f.load(f.at(held.cards, f.shift(f.add(i, 1), 1)), "i16")
            f.store(further, f.at(held.cards, f.shift(i, 1)), "i16")

        loops.count_up(s, f.add(first, index), last, close)
    f.store(f.sub(count, 1), held.count)
    if e.which == "bottom":
        f.store(f.add(first, 1), held.first)
    return card


def _put(
    s: Scope, where: tree.Which, target: Value, card: Value, seen_by: Value, node: tree.Node
) -> Value:
    """Emits code that puts a card into a place; those who look there learn the card, too.

    Returns:
        The players, as bits, who know the card now.
    """
    f = s.function
    pile = s.pile(target)
    count = f.load(pile, "i16")
    if where == "top":
        index = count
    elif where == "bottom":
        index = "0"
    else:
        index = ex.number(s, where)
        s.fail_if(
            f.get(f"icmp ugt i64 {index}, {count}"), node.span, "no card can be put at that number"
        )
    known = f.either(seen_by, f.load(f.at(pile, s.places.pile_field["shown_to"]), "i16"))
    piles.put(s, pile, index, card, known)
    return known


def _remember(s: Scope, node: tree.Remember) -> None:
    f = s.function
    card = ex.card(s, node.card).card
    memory = ex.place(s, node.memory)
    count = f.load(s.pile(memory), "i16")
    full = f.test("sge", count, len(s.places.program.cards))
    s.fail_if(full, node.span, "the memory is full")
    _put(s, node.where, memory, card, str(EVERYONE), node)
    _show(s, card, str(EVERYONE))
    tracing.log_card(s, node, card)


def _show(s: Scope, card: Value, mask: Value) -> None:
    """Emits code that makes a card known to some players, given as bits."""
    f = s.function
    pile = s.pile(piles.locate(s, card))
    address = piles.seen_at(s, pile, piles.find(s, pile, card))
    f.store(f.either(f.load(address, "i16"), mask), address, "i16")


def _forget(s: Scope, node: tree.Forget) -> None:
    f = s.function
    pile = s.pile(ex.place(s, node.memory))
    nonempty, end = f.label("some"), f.label("forgot")
    count = f.load(pile, "i16")
    f.branch(f.test("sgt", count, 0), nonempty, end)
    f.place(nonempty)
    piles.take(s, pile, ex.position(s, node.which, count, node))
    f.place(end)


def _shuffle(s: Scope, node: tree.Shuffle) -> None:
    f = s.function
    place = ex.place(s, node.pile)
    pile = f.number_of(s.pile(place))
    capacity = str(len(s.places.program.cards))
    tracing.log(s, node, place)
    if node.faro:
        work = s.array("i64", loops.room(s))
        s.call("riffle", pile, capacity, f.number_of(work))
    else:
        s.call("shuffle", s.state, pile, capacity, _deal_number(s))


def _deal_number(s: Scope) -> Value:
    """The number of the deal by the table's number that counts deals; 0 without one."""
    offset = s.places.stored("game", "sto", s.places.program.deals)[0]
    return s.function.load(s.function.at(s.state, offset), "i32") if offset >= 0 else "0"


def _set_number(s: Scope, node: tree.SetNumber) -> None:
    f = s.function
    value = ex.number(s, node.value)
    target = ex.storage(s, node.target.owner, "sto", node.target.name)
    if node.operator == "inc":
        value = f.add(f.load(target, "i32"), value)
    elif node.operator == "dec":
        value = f.sub(f.load(target, "i32"), value)
    value = ex.within(s, node, value)
    tracing.log_number(s, node, target, value)
    f.store(value, target, "i32")


def _set_points(s: Scope, node: tree.SetPoints) -> None:
    f = s.function
    site = s.places.sites[node]
    values: list[Value] = []
    for award in node.awards:
        values += [
            ex.name(s, value) for _, value in award.conditions if not isinstance(value, tree.Text)
        ]
        if not isinstance(award.value, tree.Number):
            values.append(ex.within(s, award, ex.number(s, award.value)))
    target = ex.storage(s, node.target.owner, "points", node.target.name)
    f.store(site.number, target, "i32")
    for i, value in enumerate(values):
        f.store(value, f.at(target, 4 + 4 * i), "i32")


def _swap(s: Scope, node: tree.Swap) -> None:
    f, places = s.function, s.places
    if node.first.type is Type.PILE:
        named = [ex.place(s, e) for e in (node.first, node.second)]
        both = [f.number_of(s.pile(place)) for place in named]
        s.call("trade", *both, str(len(places.program.cards)))
        for place in named:
            conclusions.forget(s, place)
        return
    cards = [find_card(s, e) for e in (node.first, node.second)]
    viewers = piles.viewers_of_both(s, cards[0][0], cards[1][0])
    cells = []
    for place, index, openly in cards:
        pile = s.pile(place)
        card_at, seen_at = piles.card_at(s, pile, index), piles.seen_at(s, pile, index)
        card, seen_by = f.load(card_at, "i16"), f.load(seen_at, "i16")
        cells.append((card_at, seen_at, card, seen_by, pile, _witnesses(s, openly, viewers)))
    for _, _, _, _, pile, keep in cells:
        if keep is not None:
            piles.forget_unseen(s, pile, keep)
    for mine, theirs in (cells, reversed(cells)):
        _, _, card, seen_by, _, keep = mine
        card_at, seen_at, _, _, pile, _ = theirs
        lookers = f.load(f.at(pile, places.pile_field["shown_to"]), "i16")
        known = seen_by if keep is None else f.both(seen_by, keep)
        f.store(card, card_at, "i16")
        f.store(f.either(known, lookers), seen_at, "i16")
    for place, _, _ in cards:
        conclusions.forget(s, place)
    for (_, _, card, _, _, _), (place, _, _) in zip(cells, cards, strict=True):
        tracing.log_card(s, node, card, place)


def _reveal(s: Scope, node: tree.Reveal) -> None:
    f = s.function
    card = ex.card(s, node.card).card
    if node.players is None:
        _show(s, card, str(EVERYONE))
    elif node.players.type is Type.PLAYER:
        _show(s, card, f.shift("1", ex.player(s, node.players)))
    else:
        lists.each(s, node.players, lambda p: _show(s, card, f.shift("1", p)))
    tracing.log_card(s, node, card)
