"""``certify``: looks for leaks at a table, and writes down what was tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kibitz.checks.certificate import Certificate
from kibitz.checks.certifier import Certifier, Extent, place_of
from kibitz.core.agent import Lineup, agents_in
from kibitz.core.parameters import whole_number
from kibitz.core.progress import Progress
from kibitz.core.randomness import check_seed
from kibitz.loading import Playable, find_table

STATES = 100
SWAPS = 100
OUTPUTS = 40
SETS = 8
AGENTS = ("osla", "ismcts:iterations=30")
"""Agents whose hints are compared. Their choice must depend on nothing hidden."""


def certify(
    game: Playable,
    *,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    states: int = STATES,
    swaps: int = SWAPS,
    outputs: int = OUTPUTS,
    sets: int = SETS,
    agents: Lineup = AGENTS,
    seed: int = 0,
    at: str | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Tests whether anything that a seat is given depends on what is hidden from it.

    The rules of a game in Python are checked first, as ``check_game`` does. Where they break a law
    that does not concern hidden information, nothing else is tested.

    >>> certify("kuhn-poker", states=20, swaps=10, outputs=4, sets=2).ok
    True

    Args:
        game: a name, a file, a game or a table.
        players: at the table; by default the usual number.
        parameters: values by name; the rest keep their defaults.
        states: number of states to examine.
        swaps: number of samples that each state is compared with, for each seat.
        outputs: number of states in which texts, pictures, hints and events are compared, too.
        sets: number of information sets to list and compare with samples, at most.
        agents: advisers whose hints are compared.
        seed: of the games, and of everything drawn in them.
        at: the spot of a leak, such as ``"2:20:2:3"``: only this state, seat and sample are
            examined, and `states`, `swaps` and `sets` have no effect.

    Raises:
        UnknownGameError: there is no such game.
        ParameterError: the number of players or a parameter is not allowed, a number is too
            small, or `at` is no spot of this table's games.
    """
    extent = Extent(
        whole_number("states", states, 1),
        whole_number("swaps", swaps, 1),
        whole_number("outputs", outputs),
        whole_number("sets", sets),
    )
    table = find_table(game, players, parameters)
    check_seed(seed)
    place = None if at is None else place_of(at, table.players)
    certifier = Certifier(table, seed, agents_in(agents), progress)
    if certifier.check_rules():
        if place is None:
            certifier.run(extent)
        else:
            certifier.examine(*place)
    return certifier.certificate
