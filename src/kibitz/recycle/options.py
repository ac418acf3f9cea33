"""How options of a choice are encoded as actions: 64-bit integers.

An option is a clause and what was picked at each of its forks. As an action it is a *path*
(the kind) and what was picked there. A clause has one path unless a fork stands under a
condition. A card is named by its number where the chooser knows it, else by the place and the
position where it lies. So an option is the same action in every state that the chooser cannot
tell from this one.

Where all picks fit into an action they are *packed*: an operand for each fork. Where they do not,
and always where a set of cards is picked, the action holds a *digest* of the picks, whatever
their number. What a digest stands for is found by listing the options again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kibitz.core.actions import KIND_BITS, MAX_KINDS, OPERAND_BITS
from kibitz.recycle import tree
from kibitz.recycle.tree import Binding, Type

ACTION_BITS = KIND_BITS + 5 * OPERAND_BITS
DIGEST_BITS = ACTION_BITS - KIND_BITS
"""Of 4,096 options two have the same digest in one of 2**32 choices. That is noticed while they
are listed (``option_list.record_option``), and the game breaks off."""
NUMBER_BITS = 22

PASS_KIND = 0
"""The kind of the action that stands for having no option."""


@dataclass(frozen=True)
class Hidden:
    """A card unknown to the chooser, given by its location and position."""

    place: int
    position: int


UNSEEN = Hidden(-1, -1)
"""A card of which somebody is not told which one it is, nor where it lay."""

Pick = int | Hidden
"""What was picked at a fork: a card, player, team, place, word or number."""
Picks = list[Pick | tuple[Pick, ...]]
"""What was picked at all forks; a set of cards is a tuple."""


@dataclass(frozen=True)
class Fork:
    """A point of a path where something is picked: a card, a player, a value, a set of cards."""

    binding: Binding
    hidden: bool
    """Whether the cards may be unknown to the chooser."""

    @property
    def bits(self) -> int | None:
        """The bits of its operand; ``None``: they have no bound."""
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
    """One way through a clause of a choice: what is done, and what is picked on the way.

    Attributes:
        kind: of its actions, from 1.
        choice, clause: numbers of both, counted through the program.
        forks: in the order in which they are met.
        steps: what is done, and the forks between, in order, as far as that is the same whenever
            it is taken.
        packed: whether its actions hold all picks; else they hold a digest.
        empty: which of the forks that are met, as bits from the first, have nothing to pick from.
            Their bodies are left out; they are none of `forks`.
    """

    kind: int
    choice: int
    clause: int
    forks: tuple[Fork, ...]
    steps: tuple[tree.Action | Fork, ...] = field(default=())
    packed: bool = True
    empty: int = 0

    def room(self, cards: int) -> int:
        """How many numbers the enumerator needs to report picks, for lists of so many cards."""
        return 1 + sum(1 + cards * (fork.bits is None) for fork in self.forks)


def operands(path: Path, action: int) -> list[int]:
    """The operand of each fork in an action of a packed path."""
    rest = (action & ((1 << 64) - 1)) >> KIND_BITS
    found = []
    for fork in path.forks:
        assert fork.bits is not None
        found.append(rest & ((1 << fork.bits) - 1))
        rest >>= fork.bits
    return found


def unpack(path: Path, action: int) -> Picks:
    """Decodes an action of a packed path: the picks at its forks."""
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
    """Decodes the picks that the enumerator reports for a digest.

    These are numbers: how many follow; then of each fork its pick, of a set how many cards it
    has and each of them.
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
    """The kind of an action: which path it belongs to."""
    return action & (MAX_KINDS - 1)
