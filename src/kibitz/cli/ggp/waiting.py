"""Players that were started elsewhere are asked who they are before anything begins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kibitz.cli import terminal
from kibitz.core.errors import KibitzError

if TYPE_CHECKING:
    from kibitz.ggp.manager import Seat


async def greet_all(seats: Sequence[Seat], patience: float, show: Callable[[str], None]) -> None:
    """Asks the players that were started elsewhere who they are, and shows it.

    Raises:
        KibitzError: one of them is not there, in spite of all patience.
    """
    from kibitz.ggp.manager import greet
    from kibitz.ggp.table import address_of

    others = list(dict.fromkeys(seat for seat in seats if address_of(seat.name)))
    greetings = await asyncio.gather(*(greet(seat, patience, terminal.say) for seat in others))
    absent = []
    for seat, greeting in zip(others, greetings, strict=True):
        if greeting.absent:
            absent.append(f"{seat.name} {greeting}")
        else:
            show(f"{seat.name}: {greeting}")
    if absent:
        raise KibitzError(
            f"{'; '.join(absent)}. No match is begun without a player: start it, or look at its "
            f"address. One that does not listen yet is waited for {patience:g} s; --wait sets it."
        )
