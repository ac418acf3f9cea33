"""Code that lists the options of a choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from kibitz.core.actions import KIND_BITS, MAX_ACTIONS, MAX_KINDS
from kibitz.recycle import tree
from kibitz.recycle.codegen import actions, digests, loops, occurrences
from kibitz.recycle.codegen import collections as lists
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen.digests import Digest
from kibitz.recycle.codegen.function import Function, Value
from kibitz.recycle.codegen.scope import ListValue, Mode, NumbersValue, Scope
from kibitz.recycle.dependence import forks_below, needs_trial
from kibitz.recycle.option_list import COLLISION, LISTED, RECORD_SIZE
from kibitz.recycle.options import ACTION_BITS, NUMBER_BITS, Path, PickPoint
from kibitz.recycle.tree import Type
from kibitz.syntax.source import Diagnostic, Severity, SourceError

COPIED_AT_ONCE = 64
"""The number of bytes of a state that are restored in the time of one iteration of a loop."""
PICKS_WRITTEN = -2
"""The result of a function that lists options, if it has written the picks of an action."""
MOST_UNROLLED = 16
"""The maximum number of iterations of a loop that contains forks; it must be constant."""


@dataclass(frozen=True)
class CardNames:
    """A picked set of cards: the array of their operands, their number and their digest."""

    names: Value
    count: Value
    digest: Digest


@dataclass(frozen=True)
class Route:
    """The first part of an option: its forks so far, and the picks at them."""

    forks: tuple[PickPoint, ...] = ()
    operands: Value = "0"
    """The operands of the picks, in the bits of the action."""
    bits: int = KIND_BITS
    """The number of bits of the action that are in use."""
    digest: Digest | None = None
    """The digest of the picks, which replaces the operands if these do not fit."""
    picks: tuple[Value | CardNames, ...] = ()
    done: tuple[tree.Action | PickPoint, ...] = ()
    """The actions and forks so far."""
    repeats: bool = False
    """Whether several options may have the same operands."""
    met: int = 0
    """The number of forks so far, including those that had nothing to pick from."""
    empty: int = 0
    """The forks that had nothing to pick from, as bits from the first fork."""

    @property
    def acts(self) -> bool:
        """Whether the route contains an action."""
        return any(isinstance(step, tree.Action) for step in self.done)


Then = Callable[[Route], None]
"""A function that emits the code for the rest of an option."""


class Enumerator:
    """Writes the function that lists the options of one choice.

    The arguments of the function are the state and the buffer for the actions. To decode a digest,
    it also takes the action and the address for its picks, and returns `PICKS_WRITTEN`.
    """

    def __init__(self, s: Scope, number: int, first_clause: int) -> None:
        self.s = s
        self.choice = number
        self.clause = self.first_clause = first_clause
        self.paths: list[Path] = []
        self.clauses: tuple[tree.Statement, ...] = ()
        f = s.function
        self.count = f.slot()
        """The slot with the number of options so far."""
        self._record: Value | None = None
        """The memory that ``record_option`` uses, if it is called."""
        f.slots_init(self.count, 0)
        s.done = f.slot()

    def write(self, choice: tree.Choice) -> None:
        """Writes the body for all clauses."""
        s, f = self.s, self.s.function
        self.clauses = choice.clauses
        for clause in choice.clauses:
            self._clause(clause)
            self.clause += 1
        items = f.load(self.count)
        if s.module.pass_when_stuck:
            listed, none = f.label("some"), f.label("none")
            f.branch(f.test("eq", items, 0), none, listed)
            f.place(none)
            f.store(0, f.at("%actions", 16))
            f.leave("i64 1")
            f.place(listed)
        f.leave(f"i64 {items}")

    def _clause(self, clause: tree.Statement) -> None:
        """Writes the code that lists the options of a clause."""
        s, f = self.s, self.s.function
        assert s.done is not None
        trial = needs_trial(clause)
        s.mode = Mode.TRY if trial else Mode.LOOK
        self._outermost = None
        s.begin_region()
        f.store(0, s.done)
        saved = self._save() if trial else None
        s.before = saved or s.state
        if trial:
            s.call("start_scratch", s.state)
        s.drop = f.label("dropped")
        drop = s.drop
        self._go(clause, Route(), self._leaf)
        f.place(drop)
        if saved is not None:
            self._restore(saved)

    # -- the walk --------------------------------------------------------------------------

    def _go(self, node: tree.Statement, route: Route, proceed: Then) -> None:
        """Emits code that tries a statement and proceeds with each option that it opens."""
        s = self.s
        s.span = node.span
        if not forks_below(node):
            actions.execute(s, node)
            proceed(replace(route, done=route.done + tuple(_chosen_actions(node))))
            return
        match node:
            case tree.Cases():
                self._cases(node, route, proceed)
            case tree.Do():
                self._steps(list(node.steps), route, proceed)
            case tree.When():
                self._when(node, route, proceed)
            case tree.Fork():
                self._fork(node, route, proceed)
            case tree.ForEach():
                self._unrolled(node, node.span, self._elements(node), route, proceed)
            case tree.Let():
                s.note_hidden(node.binding, node.value)
                with s.bound(node.binding, actions.let_value(s, node.value)):
                    self._go(node.body, route, proceed)
            case tree.Repeat():
                times = node.times.value if isinstance(node.times, tree.Number) else -1
                if not 0 <= times <= MOST_UNROLLED:
                    self._refuse(node)
                self._unrolled(node, node.span, [None] * max(0, times), route, proceed)

    def _steps(self, steps: list[tree.Statement], route: Route, proceed: Then) -> None:
        """Emits code that tries steps one after the other."""
        if not steps:
            proceed(route)
        elif len(steps) == 1:
            self._go(steps[0], route, proceed)
        else:
            self._go(steps[0], route, lambda r: self._steps(steps[1:], r, proceed))

    def _when(self, node: tree.When, route: Route, proceed: Then) -> None:
        s, f = self.s, self.s.function
        yes, no, end = f.label("when"), f.label("else"), f.label("on")
        holds = ex.condition(s, node.condition)
        f.branch(holds, yes, no)
        f.place(yes)
        self._go(node.body, route, proceed)
        f.jump(end)
        f.place(no)
        proceed(route)
        f.place(end)

    def _cases(self, node: tree.Cases, route: Route, proceed: Then) -> None:
        """Emits code that tries the case of a value, and proceeds from each case by itself."""
        f = self.s.function
        _, labels, other = actions.branch_by_value(self.s, node)
        end = f.label("end")
        for case, label in zip(node.cases, labels, strict=True):
            f.place(label)
            self._go(case.body, route, proceed)
            f.jump(end)
        f.place(other)
        proceed(route)
        f.place(end)

    def _unrolled(
        self,
        node: tree.ForEach | tree.Repeat,
        span: Any,
        elements: list[Any],
        route: Route,
        proceed: Then,
    ) -> None:
        """Emits the body of a loop once for each element."""
        s = self.s
        if not elements:
            proceed(route)
            return

        def following(r: Route) -> None:
            self._unrolled(node, span, elements[1:], r, proceed)

        if isinstance(node, tree.ForEach):
            with s.bound(node.binding, elements[0]):
                self._go(node.body, route, following)
        else:
            self._go(node.body, route, following)

    def _elements(self, node: tree.ForEach) -> list[Any]:
        """The elements of a short constant collection; another one is reported as an error."""
        s = self.s
        numbers: Iterable[Any] | None = None
        match node.collection:
            case tree.Players(others=False) if not s.places.eliminates:
                numbers = range(s.places.players)
            case tree.Texts(values=values):
                numbers = [s.places.word[word] for word in values]
            case tree.Numbers(values=values):
                numbers = values
            case tree.Range(low=tree.Number(value=low), high=tree.Number(value=high)):
                numbers = range(low, min(high, low + MOST_UNROLLED) + 1)
        elements = [str(element) for element in numbers] if numbers is not None else None
        if elements is None or len(elements) > MOST_UNROLLED:
            self._refuse(node)
            return []
        return elements

    def _refuse(self, node: tree.Node) -> None:
        """Reports a loop around forks that is not constant or too long."""
        self.s.module.refuse(
            node.span,
            "unbounded-forks",
            "An `any` inside this loop would make options of any length; loops around an `any` "
            f"must be over players, listed names or a fixed range of at most {MOST_UNROLLED}.",
        )

    def _fork(self, node: tree.Fork, route: Route, proceed: Then) -> None:
        """Emits code that tries the body of a fork for each element of its collection."""
        s, f = self.s, self.s.function
        assert s.done is not None
        s.note_hidden(node.binding, node.collection)
        fork = s.fork(node)
        if proceed == self._leaf and self._is_plain(node, fork, route):
            self._fork_plainly(node, fork, route)
            return
        saved = self._save() if s.mode is Mode.TRY else None
        lists_held = [
            value
            for value in s.variables.values()
            if isinstance(value, ListValue) and value.mutable
        ]
        held = [(v, f.load(v.first), f.load(v.count)) for v in lists_held]
        copies = self._copied_lists(lists_held) if saved is not None else []
        done = f.load(s.done)
        outer_drop = s.drop
        chooser = s.current_player()

        visited = f.slot() if self._may_be_left_out(node, route, proceed) else None
        if visited is not None:
            f.store(0, visited)

        def visit(element: Any) -> None:
            if visited is not None:
                f.store(1, visited)
            s.drop = f.label("dropped")
            drop = s.drop
            with (
                actions.taken(s, node.binding, element) as value,
                s.bound(node.binding, value),
            ):
                repeats = route.repeats or may_repeat(node.collection)
                further = self._picked(route, fork, node, element, chooser)
                self._go(node.body, replace(further, repeats=repeats), proceed)
            f.place(drop)
            f.store(done, s.done or "")
            if saved is not None:
                s.count_work(s.places.layout.dtype.itemsize // COPIED_AT_ONCE)
                self._restore(saved)
                for list_value, first, count in held:
                    f.store(first, list_value.first)
                    f.store(count, list_value.count)
                for cards, copy in copies:
                    self._copy_list(cards, copy)

        with occurrences.noted(s, node):
            lists.each(s, node.collection, visit)
        s.drop = outer_drop
        if visited is not None:
            none, on = f.label("empty"), f.label("after")
            f.branch(f.test("eq", f.load(visited), 0), none, on)
            f.place(none)
            proceed(replace(route, met=route.met + 1, empty=route.empty | 1 << route.met))
            f.place(on)

    def _may_be_left_out(self, node: tree.Fork, route: Route, proceed: Then) -> bool:
        """Whether an option can exist in which a fork has nothing to pick from."""
        return self._may_be_empty(node.collection) and (route.acts or proceed != self._leaf)

    def _may_be_empty(self, e: tree.Expression) -> bool:
        """Whether a collection may be empty, as far as the rules show."""
        match e:
            case tree.Players(others=True):
                return self.s.places.players < 2 or self.s.places.eliminates
            case tree.Players() | tree.Teams(others=False):
                return False
            case tree.Texts(values=values) | tree.Numbers(values=values):
                return not values
            case tree.Along(relation=relation):
                return relation in ("neighbours", "around")
            case tree.Range(low=tree.Number(value=low), high=tree.Number(value=high)):
                return low > high
        return True

    def _is_plain(self, node: tree.Fork, fork: PickPoint, route: Route) -> bool:
        """Whether the options are exactly the cards that pass a filter."""
        if self.s.mode is not Mode.LOOK or not isinstance(node.collection, tree.Filter):
            return False
        if fork.hidden or node.binding.type is not Type.CARD or route.acts:
            return False
        if route.repeats or may_repeat(node.collection) or not fits(route, fork):
            return False
        steps = node.body.steps if isinstance(node.body, tree.Do) else (node.body,)
        done = [step for step in steps if isinstance(step, tree.Action)]
        places = [step.card for step in done if isinstance(step, tree.Move)]
        return len(done) == len(steps) > 0 and all(isinstance(p, tree.Variable) for p in places)

    def _fork_plainly(self, node: tree.Fork, fork: PickPoint, route: Route) -> None:
        """Emits code that lists the cards of a filter without a branch for its condition.

        Every card is written, and counted only if it passes, so no branch can be mispredicted.
        """
        s, f, filtered = self.s, self.s.function, node.collection
        assert isinstance(filtered, tree.Filter)
        chooser = s.current_player()
        done = tuple(n for n in tree.walk(node.body) if isinstance(n, tree.Action))
        kind = self._new_path(
            replace(
                route,
                forks=(*route.forks, fork),
                done=(*route.done, fork, *done),
                met=route.met + 1,
            )
        )

        def visit(element: Any) -> None:
            with s.bound(filtered.binding, element):
                holds = ex.condition(s, filtered.body)
            operand = f.shift(self._operand(fork, node, element, chooser), route.bits)
            count = f.load(self.count)
            room, full, over, on = (f.label(hint) for hint in ("room", "full", "over", "next"))
            f.branch(f.test("slt", count, MAX_ACTIONS), room, full)
            f.place(full)
            f.branch(holds, over, on)
            f.place(over)
            f.leave("i64 -1")
            f.place(room)
            action = f.either(f.either(route.operands, operand), kind)
            f.store(action, f.at(f.at("%actions", 16), f.shift(count, 3)))
            f.store(f.add(count, f.get(f"zext i1 {holds} to i64")), self.count)
            f.place(on)

        lists.each(s, filtered.collection, visit)

    def _copied_lists(self, held: list[ListValue]) -> list[tuple[Value, Value]]:
        """Copies the arrays of mutable lists, and returns each array with its copy.

        Only if a clause takes the card at a computed place of a list, which moves the cards behind
        it: a card taken from an end leaves the array unchanged, so nothing is to be restored.
        """
        midst = any(
            isinstance(n, tree.CardAt)
            and isinstance(n.cards, tree.Variable)
            and not isinstance(n.which, str)
            for clause in self.clauses
            for n in tree.walk(clause)
        )
        if not midst:
            return []
        copies = [(value.cards, loops.buffer(self.s)) for value in held]
        for cards, copy in copies:
            self._copy_list(copy, cards)
        return copies

    def _copy_list(self, target: Value, source: Value) -> None:
        size = 2 * loops.room(self.s)
        arguments = f"ptr {target}, ptr {source}, i64 {size}, i1 false"
        self.s.function.do(f"call void @llvm.memcpy.p0.p0.i64({arguments})")

    def _picked(
        self, route: Route, fork: PickPoint, node: tree.Fork, element: Any, chooser: Value
    ) -> Route:
        """The route after the pick of an element."""
        s, f = self.s, self.s.function
        pick: Value | CardNames
        if fork.binding.type is Type.CARDS:
            pick = self._names(element, chooser, fork.hidden)
        elif fork.binding.type is Type.CARD:
            pick = actions.card_token(s, element, chooser, fork.hidden)
        else:
            pick = str(element)
        further = replace(
            route,
            forks=(*route.forks, fork),
            picks=(*route.picks, pick),
            done=(*route.done, fork),
            met=route.met + 1,
        )
        if fork.bits is not None and fits(route, fork):
            operand = f.shift(self._operand(fork, node, element, chooser), route.bits)
            return replace(
                further, operands=f.either(route.operands, operand), bits=route.bits + fork.bits
            )
        before = route.digest or digests.of_number(route.operands)
        own = pick.digest if isinstance(pick, CardNames) else digests.of_number(pick)
        return replace(further, digest=digests.fold(s, before, own))

    def _operand(self, fork: PickPoint, node: tree.Fork, element: Any, chooser: Value) -> Value:
        """The operand of a pick in a packed action."""
        s, f = self.s, self.s.function
        match node.binding.type:
            case Type.CARD:
                return actions.card_token(s, element, chooser, fork.hidden)
            case Type.INT:
                limit = 1 << (NUMBER_BITS - 1)
                beyond = f.get(f"icmp uge i64 {f.add(element, limit)}, {2 * limit}")
                s.fail_if(beyond, node.span, f"a number to choose is beyond {limit:,}")
                return f.both(element, 2 * limit - 1)
        return str(element)

    def _names(self, cards: ListValue, chooser: Value, hidden: bool) -> CardNames:
        """The operands of the cards of a set."""
        f, s = self.s.function, self.s
        names, count = s.array("i64", loops.room(s)), f.slot()
        digest = digests.SetDigest(s)
        f.store(0, count)

        def note(c: Any) -> None:
            token = actions.card_token(s, c, chooser, hidden)
            n = f.load(count)
            f.store(token, f.at(names, f.shift(n, 3)))
            f.store(f.add(n, 1), count)
            digest.add(token)

        loops.each_in_list(s, cards, note)
        return CardNames(names, f.load(count), digest.result())

    # -- the end of an option --------------------------------------------------------------

    def _leaf(self, route: Route) -> None:
        """Emits code that lists the action of a complete option, if the option does anything."""
        if not (route.acts if route.empty else route.done):
            return  # this route never does anything
        s, f = self.s, self.s.function
        assert s.done is not None
        kind = self._new_path(route)
        yes, no = f.label("option"), f.label("none")
        f.branch(f.test("ne", f.load(s.done), 0), yes, no)
        f.place(yes)
        if route.digest is not None:
            action = digests.action(s, route.digest, kind)
            self._skip_if_listed(action, route.digest.check, no)
            self._write_picks(route, action)
        else:
            action = f.either(route.operands, kind)
            if route.repeats:
                self._skip_if_listed(action, "0", no)
        count = f.load(self.count)
        room, full = f.label("room"), f.label("full")
        f.branch(f.test("slt", count, MAX_ACTIONS), room, full)
        f.place(full)
        self._undo_trial()
        f.leave("i64 -1")
        f.place(room)
        f.store(action, f.at(f.at("%actions", 16), f.shift(count, 3)))
        f.store(f.add(count, 1), self.count)
        f.place(no)

    def _new_path(self, route: Route) -> int:
        """Registers the path of a route through the clause; returns the kind of its actions."""
        module = self.s.module
        kind = module.path_count + len(self.paths) + 1
        if kind >= MAX_KINDS:
            raise SourceError(  # immediately, since every further path would cause the same error
                module.places.program.source,
                [
                    Diagnostic(
                        Severity.ERROR,
                        "too-many-clauses",
                        f"With this clause the choices have more than {MAX_KINDS - 1}.",
                        self.clauses[self.clause - self.first_clause].span,
                    )
                ],
            )
        packed = route.digest is None
        path = Path(kind, self.choice, self.clause, route.forks, route.done, packed, route.empty)
        self.paths.append(path)
        return kind

    def _skip_if_listed(self, action: Value, check: Value, skip: str) -> None:
        """Emits code that skips an option listed before, or fails if another has its action."""
        f, s = self.s.function, self.s
        if self._record is None:
            self._record = f.slot("i8", RECORD_SIZE)
        listed = f.number_of(f.at("%actions", 16))
        record = f.number_of(self._record)
        outcome = s.call("record_option", listed, record, f.load(self.count), action, check)
        bad, on, new = f.label("collision"), f.label("differs"), f.label("new")
        f.branch(f.test("eq", outcome, COLLISION), bad, on)
        f.place(bad)
        self._undo_trial()
        message = "two options with many picks have the same digest, by a rare chance"
        s.fail(s.module.site(self.clauses[self.clause - self.first_clause].span, message))
        f.place(on)
        f.branch(f.test("eq", outcome, LISTED), skip, new)
        f.place(new)

    def _write_picks(self, route: Route, action: Value) -> None:
        """Emits code that writes the picks of the option to be decoded, and ends the listing."""
        f, s = self.s.function, self.s
        yes, no = f.label("asked"), f.label("add")
        f.branch(f.test("eq", action, "%asked"), yes, no)
        f.place(yes)
        at = f.slot()
        f.store(0, at)

        def write(number: Value) -> None:
            f.store(number, f.at("%picks", f.shift(f.increase(at), 3)))

        for pick in route.picks:
            if isinstance(pick, CardNames):
                write(pick.count)
                lists.each_of_numbers(s, NumbersValue(pick.names, pick.count), write)
            else:
                write(pick)
        f.store(f.load(at), "%picks")
        self._undo_trial()
        f.leave(f"i64 {PICKS_WRITTEN}")
        f.place(no)

    # -- undoing ---------------------------------------------------------------------------

    _outermost: Value | None = None

    def _undo_trial(self) -> None:
        """Emits code that restores the state before the function returns."""
        if self.s.mode is Mode.TRY and self._outermost is not None:
            self._restore(self._outermost)

    def _save(self) -> Value:
        """Emits code that copies the state; returns the address of the copy."""
        copy = self.s.copied_state()
        if self._outermost is None:
            self._outermost = copy
        return copy

    def _restore(self, copy: Value) -> None:
        """Emits code that restores the state from a copy."""
        f, s = self.s.function, self.s
        size = s.places.layout.dtype.itemsize
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {s.state}, ptr {copy}, i64 {size}, i1 false)")


def _chosen_actions(node: tree.Node) -> Iterator[tree.Action]:
    """The actions of a statement that its choice names; effects of cards tell themselves."""
    if isinstance(node, tree.Action):
        yield node
    elif not isinstance(node, tree.Cases):
        for child in tree.children(node):
            yield from _chosen_actions(child)


def fits(route: Route, fork: PickPoint) -> bool:
    """Whether the action of a route has room for the operand of another pick."""
    if fork.bits is None or route.digest is not None:
        return False
    return route.bits + fork.bits <= ACTION_BITS


def may_repeat(e: tree.Expression) -> bool:
    """Whether two elements of a collection may have the same operand."""
    match e:
        case tree.Pile(kind="mem"):
            return True
        case tree.Pile() | tree.Players() | tree.Teams() | tree.Members() | tree.Range():
            return False
        case tree.Along():
            return False
        case tree.Indexed():
            return False
        case tree.Texts() | tree.Numbers():
            return len(set(e.values)) < len(e.values)
        case tree.Filter():
            return may_repeat(e.collection)
        case tree.Several() | tree.Subsets() | tree.Tuples() | tree.Runs() | tree.Sorted():
            return may_repeat(e.cards)
        case tree.RunAt():
            return may_repeat(e.cards)
        case tree.Combined(
            parts=(tree.Each(collection=collection, binding=each, body=tree.Pile(owner=owner)),)
        ):
            # every player's own pile: these piles are distinct
            own = isinstance(owner, tree.Variable) and owner.binding is each
            return not own or may_repeat(collection)
        case tree.Combined(parts=(part,)) if part.type in (Type.CARDS, Type.PILE):
            return may_repeat(part)
        case tree.Partition(parts=(part,)) if part.type in (Type.CARDS, Type.PILE):
            return may_repeat(part)
    return True


def new_function(number: int) -> Function:
    """The function that lists the options of a choice."""
    return Function(
        f"options_{number}",
        "i64",
        [
            ("ptr noalias", "%state"),
            ("ptr noalias", "%actions"),
            ("i64", "%asked"),
            ("ptr noalias", "%picks"),
        ],
    )
