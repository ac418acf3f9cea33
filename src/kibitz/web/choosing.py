"""Choosing an action by clicking one thing after another, until only one action is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """The actions that are still meant.

    Attributes:
        legal: the legal actions.
        meant: those that everything clicked so far stands for.
        clicked: what was clicked, in order.
    """

    legal: tuple[int, ...]
    meant: tuple[int, ...]
    clicked: tuple[str, ...] = ()

    @classmethod
    def of(cls, legal: Sequence[int]) -> Choice:
        """The choice before anything was clicked."""
        return cls(tuple(legal), tuple(legal))

    @property
    def is_begun(self) -> bool:
        """Whether something was clicked."""
        return bool(self.clicked)

    @property
    def action(self) -> int | None:
        """The only action that is meant, once something was clicked."""
        return self.meant[0] if self.clicked and len(self.meant) == 1 else None

    def click(self, target: str, targets: Mapping[str, Sequence[int]]) -> Choice:
        """The choice after a click on a thing.

        A thing that fits nothing clicked before begins anew; one clicked twice takes it back.

        Args:
            target: the name of the thing in the picture.
            targets: the actions that each thing stands for.
        """
        stands_for = set(targets.get(target, ()))
        if not stands_for:
            return self
        if self.clicked and self.clicked[-1] == target:
            return Choice.of(self.legal)
        meant = tuple(action for action in self.meant if action in stands_for)
        if meant:
            return Choice(self.legal, meant, (*self.clicked, target))
        anew = tuple(action for action in self.legal if action in stands_for)
        return Choice(self.legal, anew, (target,)) if anew else self
