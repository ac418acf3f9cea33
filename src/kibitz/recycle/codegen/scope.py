"""The context in which a piece of the tree is translated: its function, variables, cycle."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kibitz.core.layout import HEADER
from kibitz.core.status import Status
from kibitz.recycle import tree
from kibitz.recycle.codegen.function import Function, Value
from kibitz.recycle.layout import Places
from kibitz.recycle.options import Fork
from kibitz.recycle.tree import Binding, Type
from kibitz.syntax.source import Span

if TYPE_CHECKING:
    from kibitz.recycle.codegen.module import Module

_HEADER_FIELDS: Any = HEADER.fields
STATUS_AT = int(_HEADER_FIELDS["status"][1])
PHASE_AT = int(_HEADER_FIELDS["phase"][1])
PLAYER_AT = int(_HEADER_FIELDS["player"][1])
FIRST_PLAYER_AT = int(_HEADER_FIELDS["first_player"][1])
TURN_OWNER_AT = int(_HEADER_FIELDS["turn_owner"][1])
TURN_AT = int(_HEADER_FIELDS["turn"][1])
TICK_AT = int(_HEADER_FIELDS["tick"][1])
SEATS_AT = int(_HEADER_FIELDS["seat"][1])
SEAT_SIZE = int(_HEADER_FIELDS["seat"][0].base.itemsize)


class Mode(enum.Enum):
    """How statements are executed."""

    PLAY = enum.auto()
    """In earnest."""
    TRY = enum.auto()
    """On trial: the state is put back afterwards."""
    LOOK = enum.auto()
    """On trial, leaving out what nothing depends on."""


MOST_STEPS = 100_000
"""Automatic steps between two decisions."""
MOST_WORK = 1 << 27
"""Elements that loops inside other loops go through between two decisions, or what takes as
long.
"""


@dataclass(frozen=True)
class CardValue:
    """A card: its number, and, where that is known, the place where it was found.

    It may have been moved since.
    """

    card: Value
    place: Value | None = None


@dataclass(frozen=True)
class ListValue:
    """A list of cards outside the state: a part of an array of 16-bit numbers.

    Both are slots where cards may be taken out of the list, else values. Where all of its cards
    lay in one place when it was made, that is known too.
    """

    cards: Value
    first: Value
    count: Value
    mutable: bool = False
    place: Value | None = None


@dataclass(frozen=True)
class NumbersValue:
    """A list of numbers, names, players, teams or places, of 64 bits each."""

    items: Value
    count: Value


@dataclass(frozen=True)
class SetsValue:
    """A list of sets of cards: all cards, the end of each set, the number of sets."""

    cards: Value
    ends: Value
    count: Value


@dataclass(frozen=True)
class Occurrence:
    """A noted test of whether a location has a card of a value.

    It has all values that occur, as bits, a table with the bit of each word, and the word to test.
    """

    values: Value
    bit_of_word: Value
    word: tree.Expression


@dataclass(frozen=True)
class PickNumbers:
    """The picks of an option as numbers, as ``options.decode_picks`` decodes them.

    It has their address, and the slot that counts how many have been read.
    """

    numbers: Value
    read: Value


@dataclass
class Scope:
    """One function in translation.

    Attributes:
        function: where the instructions go.
        depth, team_depth: which player and team cycle is the innermost.
        current: a player who is the current one instead of the cycle's.
        mode: how statements are done.
        operands: the slot of the chosen action's operands that are yet to be read.
        picks: what was picked, instead, if it is more than an action holds.
        empty: the slot with a bit for each fork that is yet to be met: 1 if it had nothing to
            pick from; ``None``: none has.
        done: the slot that tells whether an option has done anything.
        drop: where an option goes that is none.
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
    """The address of the state as it was before the options were tried out."""
    hiding: set[Binding] = field(default_factory=set)
    """Variables for cards that their chooser may not know."""
    variables: dict[Binding, Any] = field(default_factory=dict)
    occurrences: dict[tree.Quantified, Occurrence] = field(default_factory=dict)
    """Conditions whose answers were noted."""

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
        """How many loops are around what is being translated."""
        self.span = self.places.program.items[0].span
        """What is being translated, roughly."""

    @property
    def state(self) -> Value:
        """The address of the state."""
        return "%state"

    # -- addresses -------------------------------------------------------------------------

    def cycle(self, team: bool, name: str, depth: int) -> Value:
        """The address of an entry of the stack of cycles."""
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
        """The current player."""
        if self.current is not None:
            return self.current
        return self.function.load(self.cycle(False, "current", self.depth), "i16")

    def array(self, kind: str, count: int, span: Span | None = None) -> Value:
        """The address of an array on the stack, for the code at `span` or at the present place.

        Arrays for which there is no room are refused.
        """
        address = self.function.slot(kind, count)
        self.module.check_stack(self.function, span or self.span)
        return address

    def copied_state(self) -> Value:
        """The address of a copy of the state as it is now."""
        size = self.places.layout.dtype.itemsize
        copy = self.array("i8", size)
        arguments = f"ptr {copy}, ptr {self.state}, i64 {size}, i1 false"
        self.function.do(f"call void @llvm.memcpy.p0.p0.i64({arguments})")
        return copy

    # -- trouble ---------------------------------------------------------------------------

    def fail_if(self, condition: Value, span: Span, message: str) -> None:
        """Breaks the game off where the condition holds, with a reason."""
        f = self.function
        yes, no = f.label("bad"), f.label("good")
        f.branch(condition, yes, no)
        f.place(yes)
        self.fail(self.module.site(span, message))
        f.place(no)

    def go_or_fail(self, condition: Value, label: str | None, span: Span, message: str) -> None:
        """Where the condition holds, jumps to a label or, without one, breaks the game off."""
        if label is None:
            self.fail_if(condition, span, message)
            return
        further = self.function.label("good")
        self.function.branch(condition, label, further)
        self.function.place(further)

    @contextmanager
    def failing_to(self, label: str) -> Iterator[None]:
        """Within the ``with`` block, failures jump to `label` instead of breaking off the game."""
        before = self.failure, self.failed
        self.failure = label
        try:
            yield
        finally:
            self.failure, self.failed = before

    def fail(self, site: int, status: Status = Status.RULES_ERROR) -> None:
        """Breaks the game off."""
        f = self.function
        f.store(site, self._site)
        f.store(int(status), self._status)
        f.jump(self.failure)
        self.failed = True

    def end_of_failures(self, result: str) -> None:
        """Writes the block to which all failures lead."""
        if not self.failed:
            return
        f = self.function
        f.place(self.failure)
        f.store(f.load(self._status), f.at(self.state, STATUS_AT), "i32")
        f.store(f.load(self._site), f.at(self.state, PHASE_AT), "i32")
        f.leave(result)

    def count_step(self, span: Span, message: str | None = None, opaque: bool = False) -> None:
        """Counts an automatic step; too many end the game.

        An `opaque` counter stays in memory. That of a loop with an end that cannot be foreseen
        the optimiser would follow through all loops behind, in time exponential in their number.
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
        """Counts work that is about to be done; too much ends the game.

        So loops in loops, which have few steps each, come to an end as well.
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
        """Begins a region in which chance decides ties anew."""
        if self._key is None:
            self._key = self.function.slot()
        self.function.store(-1, self._key)

    @property
    def tie_key(self) -> Value:
        """The slot of the key that ties are broken with; -1 before the first."""
        if self._key is None:
            self._key = self.function.slot()
            self.function.slots_init(self._key, -1)
        return self._key

    # -- knowledge -------------------------------------------------------------------------

    def may_hide(self, e: tree.Expression) -> bool:
        """Whether a collection may have cards that the current player does not know."""
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
                return any(self.may_hide(part) for part in e.parts)
            case tree.Several() | tree.Sorted() | tree.RunAt() | tree.Subsets():
                return self.may_hide(e.cards)
            case tree.Tuples() | tree.Runs():
                return self.may_hide(e.cards)
            case tree.Pick():
                return self.may_hide(e.sets)
        return False

    def fork(self, node: tree.Fork) -> Fork:
        """The encoding of a fork in actions."""
        hidden = self.may_hide(node.collection) or node in self.module.late_forks
        return Fork(node.binding, hidden and node.binding.type in (Type.CARD, Type.CARDS))

    def note_hidden(self, binding: Binding, value: tree.Expression) -> None:
        """Notes whether the cards of a variable may be unknown to the current player."""
        late = isinstance(value, tree.Variable) and value.binding in self.hiding
        if value.type.is_collection and (late or self.may_hide(value)):
            self.hiding.add(binding)

    # -- variables -------------------------------------------------------------------------

    @contextmanager
    def bound(self, binding: Binding, value: Any) -> Iterator[None]:
        """Binds a variable to a value; in an unrolled repetition it may have one already."""
        before = self.variables.get(binding)
        self.variables[binding] = value
        try:
            yield
        finally:
            if before is None:
                del self.variables[binding]
            else:
                self.variables[binding] = before
