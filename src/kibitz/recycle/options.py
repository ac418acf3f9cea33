"""The encoding of options as actions, which are 64-bit integers.

An option is a clause of a choice with a pick at each of its forks. An action encodes a *path*
through the clause (its kind) and the picks. A clause has one path unless a fork is under a
condition or may have nothing to pick from. A card is encoded by its number if the chooser knows
it, else by its place and position. So an option is the same action in all states of the chooser's
information set.

If all picks fit into an action, they are *packed*: the action has an operand for each fork. If
they do not fit, or if a set of cards is picked, the action holds a *digest* of the picks. A digest
is decoded by listing the options again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kibitz.core.actions import KIND_BITS, MAX_KINDS, OPERAND_BITS
from kibitz.recycle import tree
from kibitz.recycle.tree import Binding, Type

ACTION_BITS = KIND_BITS + 5 * OPERAND_BITS
DIGEST_BITS = ACTION_BITS - KIND_BITS
"""The number of bits of a digest. Among 4,096 options, two have the same digest in one of 2**32
choices; ``option_list.record_option`` detects that, and the game breaks off."""
NUMBER_BITS = 22
"""The number of bits of the operand for a number."""

PASS_KIND = 0
"""The kind of the action of a player who has no option and passes."""


@dataclass(frozen=True)
class Hidden:
    """A card unknown to the chooser, given by its location and position."""

    place: int
    position: int


UNSEEN = Hidden(-1, -1)
"""A card whose identity and former place are concealed from an observer."""

Pick = int | Hidden
"""The pick at a fork: a card, player, team, place, word or number."""
Picks = list[Pick | tuple[Pick, ...]]
"""The picks at all forks; a set of cards is a tuple."""


@dataclass(frozen=True)
class PickPoint:
    """A fork of a path as actions encode it: a card, a player, a value or a set is picked."""

    binding: Binding
    hidden: bool
    """Whether the cards may be unknown to the chooser."""

    @property
    def bits(self) -> int | None:
        """The number of bits of the operand; ``None`` for a set of cards, which has no bound."""
        match self.binding.type:
            case Type.CARD:
                return OPERAND_BITS * (1 + self.hidden)
            case Type.CARDS:
                return None
            case Type.INT:
                return NUMBER_BITS
        return OPERAND_BITS


@dataclass(frozen=True)
class Path:
    """One way through a clause of a choice: its forks and its actions.

    Attributes:
        kind: The kind of its actions, from 1.
        choice, clause: The numbers of both within the program.
        forks: The forks at which something is picked, in order.
        steps: The actions and forks, in order, that every option of the path has.
        packed: Whether its actions hold all picks; other actions hold a digest.
        empty: The forks that have nothing to pick from, as bits from the first fork of the way.
            Their bodies are skipped, and `forks` does not contain them.
    """

    kind: int
    choice: int
    clause: int
    forks: tuple[PickPoint, ...]
    steps: tuple[tree.Action | PickPoint, ...] = field(default=())
    packed: bool = True
    empty: int = 0

    def room(self, cards: int) -> int:
        """The number of 64-bit numbers that encode picks, for lists of up to `cards` cards."""
        return 1 + sum(1 + cards * (fork.bits is None) for fork in self.forks)


def operands(path: Path, action: int) -> list[int]:
    """The operand of each fork in an action of a packed path."""
    remaining = (action & ((1 << 64) - 1)) >> KIND_BITS
    values = []
    for fork in path.forks:
        assert fork.bits is not None
        values.append(remaining & ((1 << fork.bits) - 1))
        remaining >>= fork.bits
    return values


def unpack(path: Path, action: int) -> Picks:
    """Decodes an action of a packed path: returns the picks at its forks."""
    picks: Picks = []
    for fork, operand in zip(path.forks, operands(path, action), strict=True):
        if fork.binding.type is Type.CARD:
            picks.append(as_card(operand))
        elif fork.binding.type is Type.INT and operand >> (NUMBER_BITS - 1):
            picks.append(operand - (1 << NUMBER_BITS))
        else:
            picks.append(operand)
    return picks


def decode_picks(path: Path, reported: Sequence[int]) -> Picks:
    """Decodes the picks that the native function ``picks`` writes for a digest.

    The first number is the count of the others. They contain the pick of each fork; of a set, the
    number of its cards and the cards.
    """
    picks: Picks = []
    at = 1
    for fork in path.forks:
        number = reported[at]
        at += 1
        match fork.binding.type:
            case Type.CARD:
                picks.append(as_card(number))
            case Type.CARDS:
                picks.append(tuple(map(as_card, reported[at : at + number])))
                at += number
            case _:
                picks.append(number)
    return picks


def as_card(token: int) -> int | Hidden:
    """Decodes a card operand: a card, or a hidden one."""
    low, high = token & ((1 << OPERAND_BITS) - 1), token >> OPERAND_BITS
    return Hidden(high - 1, low) if high else low


def kind_of(action: int) -> int:
    """The kind of an action, which identifies its path."""
    return action & (MAX_KINDS - 1)
