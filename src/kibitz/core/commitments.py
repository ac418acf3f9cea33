"""Choices made in secret, and decisions of several players at the same time.

A ``Commitment`` of each player holds an action that only they know until it is revealed. ``ask``
has several players choose at the same time: rules list the legal actions of each in turn, and
``commit`` keeps what each chooses, so that nobody sees an earlier choice::

    ask(state, state.bid, everyone(state))              # in setup, or where a round begins

    if commit(state, state.bid, action):                # in apply_action: all have chosen
        for p in range(state.players):
            bid = operand(reveal(state.bid[p]), 0)

In samples for a player the hidden commitments of others are drawn from the actions that were
legal for them: ``legal_actions`` is called for their player, in the phase in which they chose. So
until a commitment is revealed, rules must not change what its player's legal actions depend on; a
card that is played face down, for instance, stays in the hand until then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from kibitz.core.actions import (
    MAX_KINDS,
    MAX_OPERANDS,
    ActionKinds,
    kind,
    operand,
    pack,
)
from kibitz.core.errors import GameDefinitionError
from kibitz.core.features import Feature, TableDescription, flags, numbers, one_hot
from kibitz.core.layout import EVERYONE, Component, Slots, Visibility
from kibitz.core.parameters import GameParameters
from kibitz.core.randomness import Stream, random_below
from kibitz.core.state import components_in_play

if TYPE_CHECKING:
    from kibitz.core.layout import GameState, Layout
    from kibitz.core.state import State

PARTS = 1 + MAX_OPERANDS
"""The numbers of a commitment: the kind of its action, and the operands."""

COMMITMENT = np.dtype(
    [
        ("action", np.int16, (PARTS,)),  # its kind, then its operands
        ("seen", np.int16, (PARTS,)),
        ("count", np.int16),  # PARTS if there is an action, else 0
        ("asked", np.int16),  # 1 while its player has yet to choose
        ("phase", np.int32),  # in which the action was legal
    ]
)


_AT = {name: field[1] for name, field in (COMMITMENT.fields or {}).items()}
"""The offsets of the fields, in bytes."""


class Commitment(Component):
    """Declares an action that a player chooses in secret: to be declared ``per_player``.

    Everybody sees whether it was made. The action stays in it, open, after it was revealed, until
    the player commits to another one or ``clear_commitment``.

    Args:
        kinds: the kinds of actions that can be chosen, all of them declared with ``secret=True``.

    Raises:
        GameDefinitionError: there is no kind, or the events of one would tell what was chosen.
    """

    action: list[int]
    seen: list[int]
    count: int
    asked: int
    phase: int
    visible_to = Visibility.OWNER

    def __init__(self, *kinds: ActionKinds) -> None:
        self.kinds = kinds
        if not kinds or not all(isinstance(member, ActionKinds) for member in kinds):
            raise GameDefinitionError(
                "Commitment needs the kinds of actions that it can hold, such as Move.BID."
            )
        for member in kinds:
            if not member.action.secret:
                raise GameDefinitionError(
                    f"{member.name} can be committed to in secret, and everyone would read it: "
                    f"declare Action({member.action.template!r}, ..., secret=True)."
                )

    def dtype(self, parameters: type[GameParameters]) -> np.dtype[Any]:
        return COMMITMENT

    def slots(self, dtype: np.dtype[Any]) -> Slots:
        return Slots(_AT["action"], _AT["seen"], _AT["count"], PARTS, None, choice=True)

    def pieces(self, view: Any) -> int:
        return 0

    def problem(self, view: Any) -> str | None:
        if view.count not in (0, PARTS) or view.asked not in (0, 1):
            return f"it has {view.count} of {PARTS} numbers of an action"
        if view.count and view.action[0] not in (-1, *self.kinds):
            return (
                f"it holds an action of kind {view.action[0]}, and is declared for "
                f"{', '.join(member.name for member in self.kinds)}"
            )
        return None

    def words(self, view: Any) -> str | None:
        """The action in words; ``None`` before it is chosen or while it is hidden."""
        return type(self.kinds[0]).words(committed(view)) if self.is_known(view) else None

    def is_known(self, view: Any) -> bool:
        """Whether an observer knows the action, if this is their view."""
        return bool(view.count > 0 and view.action[0] >= 0)

    def to_json(self, view: Any) -> Any:
        return {"asked": bool(view.asked), "made": view.count > 0, "action": self.words(view)}

    def describe(self, view: Any) -> str:
        if view.asked:
            return "to be made"
        return (self.words(view) or "made") if view.count else "none"

    def features(self, dtype: np.dtype[Any], table: TableDescription) -> Iterator[Feature]:
        """Yields whether its player is asked, whether they have chosen, and the known action."""
        lowest = min(self.kinds)
        order = [-1] * (max(self.kinds) - lowest + 1)
        for index, member in enumerate(self.kinds):
            order[member - lowest] = index
        known: Any = {"seen": _AT["seen"], "count": _AT["count"], "per_place": 1}
        yield flags(_AT["asked"], ("asked",))
        yield flags(_AT["count"], ("made",))
        names = [member.name.lower() for member in self.kinds]
        yield one_hot(_AT["action"], names, ("action",), low=lowest, slots=order, **known)
        most = max(len(member.action.domains) for member in self.kinds)
        if most:
            known["seen"] += 2
            domains = [d for member in self.kinds for d in member.action.domains.values()]
            labels = [f"operand {i + 1}" for i in range(most)]
            high = max(1, max(map(len, domains)) - 1)
            yield numbers(_AT["action"] + 2, labels, length=most, high=high, **known)


# --- operations of rules ------------------------------------------------------------------


def everyone(state: GameState) -> int:
    """The set of all players who are not out, one bit each."""
    players = 0
    for p in range(state.players):
        if state.seat[p].out == 0:
            players |= 1 << p
    return players


def ask(state: GameState, commitments: list[Commitment], players: int) -> None:
    """Has some players choose at the same time, which makes the first of them decide.

    `players` has a bit for each. What they chose before stays open if it was revealed, and is
    taken back otherwise.
    """
    for p in range(state.players - 1, -1, -1):
        if players >> p & 1:
            if commitments[p].seen[0] != EVERYONE:
                clear_commitment(commitments[p])
            commitments[p].asked = 1
            state.player = p


def commit(state: GameState, commitments: list[Commitment], action: int) -> bool:
    """Keeps the action of the player to move in secret; returns whether all asked have chosen.

    If not, the next of them decides.
    """
    mine = commitments[state.player]
    set_commitment(mine, action)
    for i in range(PARTS):
        mine.seen[i] = 1 << state.player
    mine.asked = 0
    mine.phase = state.phase
    for p in range(state.players):
        if commitments[p].asked:
            state.player = p
            return False
    return True


def reveal(commitment: Commitment) -> int:
    """Shows the action to everyone; returns it, or -1 if the player has not chosen."""
    if commitment.count == 0:
        return -1
    for i in range(PARTS):
        commitment.seen[i] = EVERYONE
    return committed(commitment)


def committed(commitment: Commitment) -> int:
    """The action, without showing it; -1 if the player has not chosen."""
    if commitment.count == 0:
        return -1
    parts = commitment.action
    return pack(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5])


def clear_commitment(commitment: Commitment) -> None:
    """Removes the action; what was not revealed before stays secret."""
    for i in range(PARTS):
        commitment.action[i] = 0
        commitment.seen[i] = 0
    commitment.count = 0
    commitment.phase = 0


def set_commitment(commitment: Commitment, action: int) -> None:
    """Writes an action, without changing who sees it."""
    commitment.action[0] = kind(action)
    for i in range(MAX_OPERANDS):
        commitment.action[1 + i] = operand(action, i)
    commitment.count = PARTS


# --- what an action reveals -----------------------------------------------------------------


def revealed_by(before: State, action: int, after: State, observer: int) -> list[tuple[int, int]]:
    """The players whose hidden choices `observer` sees after an action, and these choices.

    They include the player who acted if the rules reveal the choice with the same action.
    """
    choices: list[tuple[int, int]] = []
    if not any(isinstance(i.component, Commitment) for i in after.table.layout.instances):
        return choices
    seen_before, seen_after = before.observation(observer), after.observation(observer)
    old_views = {instance.path: view for instance, view in components_in_play(seen_before)}
    for instance, view in components_in_play(seen_after):
        if isinstance(instance.component, Commitment) and instance.component.is_known(view):
            owner, choice = cast("int", instance.owner), committed(view)
            old = old_views[instance.path]
            was_hidden = old.count > 0 and not instance.component.is_known(old)
            if was_hidden or (owner == before.current_player and choice == action):
                choices.append((owner, choice))
    return choices


# --- for the engine -----------------------------------------------------------------------


def asked_in(state: State) -> tuple[int, ...]:
    """The players who have yet to choose at the same time, the current one first.

    The tuple is empty while a player who was not asked decides.
    """
    current = state.current_player
    asked = {
        cast("int", instance.owner)
        for instance, view in components_in_play(state)
        if isinstance(instance.component, Commitment) and view.asked
    }
    return (current, *sorted(asked - {current})) if current in asked else ()


class Places(NamedTuple):
    """The commitments in a state, as the rule functions of a table read them."""

    owned: np.ndarray[Any, np.dtype[np.int64]]
    """The offset and the owner of each: shape (commitments, 2)."""
    allowed: np.ndarray[Any, np.dtype[np.int64]]
    """Whether each can hold an action of each kind: shape (commitments, ``MAX_KINDS``)."""


def places_of(layout: Layout) -> Places | None:
    """The commitments in a state; ``None`` in a game without commitments.

    Raises:
        GameDefinitionError: one has no owner.
    """
    instances = [i for i in layout.instances if isinstance(i.component, Commitment)]
    if not instances:
        return None
    for instance in instances:
        if instance.owner is None:
            raise GameDefinitionError(f"{instance.path} has no owner: declare it per_player.")
    allowed = np.zeros((len(instances), MAX_KINDS), np.int64)
    for i, instance in enumerate(instances):
        allowed[i, list(instance.component.kinds)] = 1  # type: ignore[attr-defined]
    owned = np.array([(i.offset, i.owner) for i in instances], np.int64)
    return Places(owned, allowed)


def draw_commitment(commitment: Commitment, actions: Any, allowed: Any, rng: Stream) -> None:
    """Replaces a commitment by one of the listed actions whose kinds it can hold."""
    count = 0
    for i in range(actions.count):
        if allowed[kind(actions.items[i])]:
            actions.items[count] = actions.items[i]
            count += 1
    set_commitment(commitment, actions.items[random_below(rng, count)] if count > 0 else 0)
