"""Which components that a game declares as hidden were in truth hidden from somebody."""

from __future__ import annotations

from kibitz.checks.contents import places, slotted, uncertain
from kibitz.core.game import Table
from kibitz.core.layout import MEMORY, Visibility
from kibitz.core.state import State


class Disclosure:
    """Follows the components that are declared as hidden through the states of games.

    A component that never hides anything was not tested, whatever its declaration says: perhaps
    the rules show it too early.
    """

    def __init__(self, table: Table) -> None:
        hiding = (
            {Visibility.NOBODY, Visibility.OWNER} if table.players > 1 else {Visibility.NOBODY}
        )
        self._declared = {
            instance.path
            for instance, slots in slotted(table.layout, table.players)
            if slots.pool != MEMORY and instance.component.visible_to in hiding
        }
        self._held: dict[str, None] = {}  # in the order of the declarations
        self._unseen: set[str] = set()
        self._uncertain: set[str] = set()

    def note(self, state: State) -> None:
        """Notes what the components hold in a state, and who sees it."""
        everyone = (1 << state.players) - 1
        for place in places(state):
            if place.instance.path in self._declared:
                self._held[place.component] = None
                if place.seen & everyone != everyone:
                    self._unseen.add(place.component)
                    if place.slots.pool is None:
                        self._uncertain.add(place.component)
        for seat in range(state.players):
            self._uncertain.update(place.component for place in uncertain(state, seat))

    def expected(self) -> list[str]:
        """The components in which samples should have differed from the true state.

        Those that held nothing, or only cards that cannot be told apart, are left out.
        """
        alike = self._unseen - self._uncertain
        return [name for name in self._held if name not in alike]

    def always_seen(self) -> list[str]:
        """The components whose content everyone has seen in all states."""
        return [name for name in self._held if name not in self._unseen]
