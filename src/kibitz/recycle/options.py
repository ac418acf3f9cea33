"""How an option of a choice is written as an action.

An option is a clause and what was picked at each of its forks. As an action it is a *path*
(the kind) and one operand for each fork. A clause has one path unless a fork stands under a
condition. A card is written as its number where the chooser knows it, else as the place and the
position where it lies; a set of cards as a hash of what it consists of. So an option is the same
action in every state that the chooser cannot tell from this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kibitz.core.actions import KIND_BITS, MAX_KINDS, OPERAND_BITS
from kibitz.recycle import tree
from kibitz.recycle.tree import Binding, Type

ACTION_BITS = KIND_BITS + 5 * OPERAND_BITS
SET_BITS = 33
NUMBER_BITS = 22

PASS_KIND = 0
"""The kind of the action that stands for having no option."""


@dataclass(frozen=True)
class Hidden:
    """A card that the chooser does not know, by where it lies."""

    place: int
    position: int


UNSEEN = Hidden(-1, -1)
"""A card of which somebody is not told which one it is, nor where it lay."""

Pick = int | Hidden
"""What was picked at a fork: a card, player, team, place, word or number; or a set's hash."""


@dataclass(frozen=True)
class Fork:
    """A fork of a path."""

    binding: Binding
    hidden: bool
    """Whether the cards may be unknown to the chooser."""

    @property
    def bits(self) -> int:
        """How many bits its operand has."""
        match self.binding.type:
            case Type.CARD:
                return OPERAND_BITS * (1 + self.hidden)
            case Type.CARDS:
                return SET_BITS
            case Type.INT:
                return NUMBER_BITS
        return OPERAND_BITS


@dataclass(frozen=True)
class Path:
    """One way through a clause.

    Attributes:
        kind: of its actions, from 1.
        choice, clause: numbers of both, counted through the program.
        forks: in the order in which they are met.
        steps: what is done, and the forks between, in order, as far as that is the same whenever
            it is taken.
    """

    kind: int
    choice: int
    clause: int
    forks: tuple[Fork, ...]
    steps: tuple[tree.Action | Fork, ...] = field(default=())


def decode(path: Path, action: int) -> list[Pick]:
    """What was picked at the forks of a path."""
    rest = (action & ((1 << 64) - 1)) >> KIND_BITS
    picks: list[Pick] = []
    for fork in path.forks:
        operand = rest & ((1 << fork.bits) - 1)
        rest >>= fork.bits
        if fork.binding.type is Type.CARD:
            picks.append(as_card(operand))
        elif fork.binding.type is Type.INT and operand >> (NUMBER_BITS - 1):
            picks.append(operand - (1 << NUMBER_BITS))
        else:
            picks.append(operand)
    return picks


def as_card(token: int) -> int | Hidden:
    """The card that a number in an action means, or that somebody does not know."""
    low, high = token & ((1 << OPERAND_BITS) - 1), token >> OPERAND_BITS
    return Hidden(high - 1, low) if high else low


def kind_of(action: int) -> int:
    """The kind of an action."""
    return action & (MAX_KINDS - 1)


def forks_below(statement: tree.Node) -> bool:
    """Whether a statement contains a fork."""
    return any(isinstance(node, tree.Fork) for node in tree.walk(statement))


def choices(items: Sequence[tree.Item]) -> list[tree.Choice]:
    """All choices, in the order of the source."""
    found: list[tree.Choice] = []
    for item in items:
        if isinstance(item, tree.Choice):
            found.append(item)
        elif isinstance(item, tree.Stage):
            found += choices(item.items)
    return found
