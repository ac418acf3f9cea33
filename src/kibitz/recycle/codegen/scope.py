"""The context in which a part of the tree is translated: its function, variables and cycles."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from kibitz.core.layout import HEADER, SEAT
from kibitz.core.status import Status
from kibitz.recycle import primitives, tree
from kibitz.recycle.codegen.function import Function, Value
from kibitz.recycle.codegen.module import Module
from kibitz.recycle.layout import Places
from kibitz.recycle.options import PickPoint
from kibitz.recycle.tree import Binding, Type
from kibitz.syntax.source import Span

_HEADER_FIELDS: Any = HEADER.fields
STATUS_AT = int(_HEADER_FIELDS["status"][1])
PHASE_AT = int(_HEADER_FIELDS["phase"][1])
PLAYER_AT = int(_HEADER_FIELDS["player"][1])
FIRST_PLAYER_AT = int(_HEADER_FIELDS["first_player"][1])
TURN_OWNER_AT = int(_HEADER_FIELDS["turn_owner"][1])
TURN_AT = int(_HEADER_FIELDS["turn"][1])
TICK_AT = int(_HEADER_FIELDS["tick"][1])
SEATS_AT = int(_HEADER_FIELDS["seat"][1])
OUT_AT = int(SEAT.fields["out"][1])  # type: ignore[index]
RETURNS_AT = int(SEAT.fields["returns"][1])  # type: ignore[index]
SEAT_SIZE = int(_HEADER_FIELDS["seat"][0].base.itemsize)


class Mode(enum.Enum):
    """How the code of statements executes them."""

    PLAY = enum.auto()
    """An option is executed for good."""
    TRY = enum.auto()
    """An option is executed on trial; its effects on the state are undone afterwards."""
    LOOK = enum.auto()
    """An option is examined without its effects, because no further pick depends on them."""


MOST_STEPS = 100_000
"""The maximum number of automatic steps between two decisions; with more, the game ends."""
MOST_WORK = 1 << 27
"""The maximum number of iterations of nested loops, and of equally long operations, between two
decisions; with more, the game ends."""


@dataclass(frozen=True)
class CardValue:
    """The number of a card and, if known, the place where it was found.

    The card may have been moved since.
    """

    card: Value
    place: Value | None = None


@dataclass(frozen=True)
class ListValue:
    """A list of cards outside the state: a part of an array of 16-bit numbers.

    Attributes:
        cards: The address of the array.
        first: The index of the first card; of a mutable list, the address of that index.
        count: The number of cards; of a mutable list, the address of that number.
        mutable: Whether cards can be taken out of the list.
        place: The place of all cards when the list was made, if they were in one place.
    """

    cards: Value
    first: Value
    count: Value
    mutable: bool = False
    place: Value | None = None


@dataclass(frozen=True)
class NumbersValue:
    """A list of numbers, names, players, teams or places: an array of 64-bit numbers."""

    items: Value
    count: Value


@dataclass(frozen=True)
class SetsValue:
    """A list of sets of cards: the addresses of all cards and of the end of each set."""

    cards: Value
    ends: Value
    count: Value


@dataclass(frozen=True)
class Occurrence:
    """The values of an attribute that occur in a location, collected for repeated tests.

    Attributes:
        values: The values that occur, as bits.
        bit_of_word: The address of a table with the number of the bit of each word.
        word: The expression for the value to be tested.
    """

    values: Value
    bit_of_word: Value
    word: tree.Expression


@dataclass(frozen=True)
class PickNumbers:
    """The picks of an option as numbers, which ``options.decode_picks`` decodes.

    Attributes:
        numbers: The address of the numbers.
        read: The slot with the count of numbers that have been read.
    """

    numbers: Value
    read: Value


@dataclass
class Scope:
    """The context of the code of a function that is being written.

    Attributes:
        module: The module that contains the function.
        function: The function to which instructions are added.
        depth, team_depth: The indices of the innermost cycles of players and of teams.
        current: A player who counts as the current player, instead of the one of the cycle.
        mode: How statements are executed.
        operands: The slot with the operands of the chosen action that have not been read yet.
        picks: The picks of the chosen action, if they do not fit into the action.
        empty: The slot with a bit for each fork to come, which is 1 if the fork had nothing to
            pick from; ``None`` if there was no such fork.
        done: The slot that is 1 if the option has executed an action.
        drop: The label to which an option on trial jumps that turns out not to exist.
    """

    module: Module
    function: Function
    depth: int = 0
    team_depth: int = 0
    current: Value | None = None
    mode: Mode = Mode.PLAY
    operands: Value | None = None
    picks: PickNumbers | None = None
    empty: Value | None = None
    done: Value | None = None
    drop: str | None = None
    before: Value = "%state"
    """The address of the state before the options are tried."""
    hiding: set[Binding] = field(default_factory=set)
    """Variables for cards that the chooser may not know."""
    variables: dict[Binding, Any] = field(default_factory=dict)
    """The values of the variables that are in scope."""
    occurrences: dict[tree.Quantified, Occurrence] = field(default_factory=dict)
    """Conditions for which the values that occur have been collected."""

    def __post_init__(self) -> None:
        self.places: Places = self.module.places
        self.failure = self.function.label("failure")
        self.failed = False
        self._site = self.function.slot()
        self._status = self.function.slot()
        self._key: Value | None = None
        self._steps: Value | None = None
        self._work: Value | None = None
        self.loops = 0
        """The number of loops around the code that is being written."""
        self.span = self.places.program.items[0].span
        """The source of the statement that is being translated."""

    @property
    def state(self) -> Value:
        """The address of the state."""
        return "%state"

    # -- addresses -------------------------------------------------------------------------

    def cycle(self, team: bool, name: str, depth: int) -> Value:
        """The address of the field ``current`` or ``queued`` of a cycle of teams or players."""
        count = self.places.team_depth if team else self.places.depth
        offset = self.places.offset["team_turns" if team else "turns"]
        return self.function.at(
            self.state, offset + 2 * depth + (2 * count if name == "queued" else 0)
        )

    def pile(self, place: Value) -> Value:
        """The address of the location at a place."""
        f, places = self.function, self.places
        offset = f.add(places.piles_at, f.mul(place, places.pile_size))
        return f.at(self.state, offset)

    def current_player(self) -> Value:
        """The number of the current player."""
        if self.current is not None:
            return self.current
        return self.function.load(self.cycle(False, "current", self.depth), "i16")

    def array(self, kind: str, count: int, span: Span | None = None) -> Value:
        """The address of an array on the stack.

        If there is no room for it, an error is reported at `span`, by default at ``self.span``.
        """
        address = self.function.slot(kind, count)
        self.module.check_stack(self.function, span or self.span)
        return address

    def copied_state(self) -> Value:
        """Copies the state; returns the address of the copy."""
        size = self.places.layout.dtype.itemsize
        copy = self.array("i8", size)
        arguments = f"ptr {copy}, ptr {self.state}, i64 {size}, i1 false"
        self.function.do(f"call void @llvm.memcpy.p0.p0.i64({arguments})")
        return copy

    # -- calls -----------------------------------------------------------------------------

    def call(self, primitive: str, *arguments: Value) -> Value:
        """Emits a call of a primitive; returns the result.

        The address of the state may be given as a pointer, other addresses as integers.
        """
        signature = primitives.EXPORTS[primitive].signature
        self.module.primitives.add(primitive)
        f = self.function
        passed = [f.number_of(a) if a == self.state else a for a in arguments]
        listed = ", ".join(f"i64 {a}" for a in passed)
        if signature[0] == "v":
            f.do(f"call void @kibitz_{primitive}({listed})")
            return ""
        return f.get(f"call i64 @kibitz_{primitive}({listed})")

    # -- failures --------------------------------------------------------------------------

    def fail_if(self, condition: Value, span: Span, message: str) -> None:
        """Writes code that breaks the game off, with a message, if a condition holds."""
        f = self.function
        yes, no = f.label("bad"), f.label("good")
        f.branch(condition, yes, no)
        f.place(yes)
        self.fail(self.module.site(span, message))
        f.place(no)

    def go_or_fail(self, condition: Value, label: str | None, span: Span, message: str) -> None:
        """Writes code that jumps to a label or, without one, fails if a condition holds."""
        if label is None:
            self.fail_if(condition, span, message)
            return
        further = self.function.label("good")
        self.function.branch(condition, label, further)
        self.function.place(further)

    @contextmanager
    def failing_to(self, label: str) -> Iterator[None]:
        """A context in which failures jump to a label instead of breaking the game off."""
        before = self.failure, self.failed
        self.failure = label
        try:
            yield
        finally:
            self.failure, self.failed = before

    def fail(self, site: int, status: Status = Status.RULES_ERROR) -> None:
        """Writes code that breaks the game off at a site of the module."""
        f = self.function
        f.store(site, self._site)
        f.store(int(status), self._status)
        f.jump(self.failure)
        self.failed = True

    def end_of_failures(self, result: str) -> None:
        """Writes the block to which all failures jump; it returns `result`."""
        if not self.failed:
            return
        f = self.function
        f.place(self.failure)
        f.store(f.load(self._status), f.at(self.state, STATUS_AT), "i32")
        f.store(f.load(self._site), f.at(self.state, PHASE_AT), "i32")
        f.leave(result)

    def count_step(self, span: Span, message: str | None = None, opaque: bool = False) -> None:
        """Writes code that counts an automatic step; too many steps end the game.

        With `opaque`, the optimiser does not know the value of the counter. Otherwise it follows
        the counter of a loop of unknown length through all later loops, in time exponential in
        their number.
        """
        f = self.function
        if self._steps is None:
            self._steps = f.slot()
            f.slots_init(self._steps, 0)
        steps = f.increase(self._steps, opaque=opaque)
        yes, no = f.label("endless"), f.label("on")
        f.branch(f.test("sgt", steps, MOST_STEPS), yes, no)
        f.place(yes)
        why = message or f"more than {MOST_STEPS:,} automatic steps without a decision"
        self.fail(self.module.site(span, why), Status.ENDLESS)
        f.place(no)

    def count_work(self, amount: Value | int) -> None:
        """Writes code that counts work before it is done; too much work ends the game.

        This limits nested loops, which may have few steps each.
        """
        f = self.function
        if self._work is None:
            self._work = f.slot()
            f.slots_init(self._work, 0)
        work = f.increase(self._work, amount)
        yes, no = f.label("endless"), f.label("on")
        f.branch(f.test("sgt", work, MOST_WORK), yes, no)
        f.place(yes)
        message = "loops inside loops go through too much without a decision"
        self.fail(self.module.site(self.span, message), Status.ENDLESS)
        f.place(no)

    # -- ties ------------------------------------------------------------------------------

    def begin_region(self) -> None:
        """Writes code that begins a region, in which ties are broken with a new random key."""
        if self._key is None:
            self._key = self.function.slot()
        self.function.store(-1, self._key)

    @property
    def tie_key(self) -> Value:
        """The slot of the random key that breaks ties; -1 before the first tie of a region."""
        if self._key is None:
            self._key = self.function.slot()
            self.function.slots_init(self._key, -1)
        return self._key

    # -- knowledge -------------------------------------------------------------------------

    def may_hide(self, e: tree.Expression) -> bool:
        """Whether a collection may contain cards that the current player does not know."""
        match e:
            case tree.Variable():
                return e.type in (Type.CARDS, Type.PILE) and (
                    e.type is Type.PILE or e.binding in self.hiding
                )
            case tree.Pile(kind="vloc" | "mem"):
                return False
            case tree.Pile(kind="iloc"):
                own = isinstance(e.owner, tree.CurrentPlayer) and e.owner.which == "current"
                return not own
            case tree.Pile() | tree.Indexed():
                return True
            case tree.Filter():
                return self.may_hide(e.collection)
            case tree.Each():
                return self.may_hide(e.body)
            case tree.Combined() | tree.Partition():
                return any(self.may_hide(collection) for collection in e.parts)
            case tree.Several() | tree.Sorted() | tree.RunAt() | tree.Subsets():
                return self.may_hide(e.cards)
            case tree.Tuples() | tree.Runs():
                return self.may_hide(e.cards)
            case tree.Pick():
                return self.may_hide(e.sets)
        return False

    def fork(self, node: tree.Fork) -> PickPoint:
        """The encoding of a fork in actions."""
        hidden = self.may_hide(node.collection) or node in self.module.late_forks
        return PickPoint(node.binding, hidden and node.binding.type in (Type.CARD, Type.CARDS))

    def note_hidden(self, binding: Binding, value: tree.Expression) -> None:
        """Adds a variable to ``hiding`` if the current player may not know its cards."""
        late = isinstance(value, tree.Variable) and value.binding in self.hiding
        if value.type.is_collection and (late or self.may_hide(value)):
            self.hiding.add(binding)

    # -- variables -------------------------------------------------------------------------

    @contextmanager
    def bound(self, binding: Binding, value: Any) -> Iterator[None]:
        """A context in which a variable has a value.

        In an unrolled loop the variable may have another value outside, which is restored.
        """
        before = self.variables.get(binding)
        self.variables[binding] = value
        try:
            yield
        finally:
            if before is None:
                del self.variables[binding]
            else:
                self.variables[binding] = before
