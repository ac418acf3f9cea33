"""Tables of one game with different parameters, which write into arrays of one shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kibitz.core.action_index import ActionIndex
from kibitz.core.actions import ActionCode, Digit
from kibitz.core.agent import Agent, Binding
from kibitz.core.encoder import ENCODER
from kibitz.core.errors import GameDefinitionError
from kibitz.core.game import Table
from kibitz.rl.stepping import VARIANT
from kibitz.runs.randomized import names_to_draw, pool_of

Array = np.ndarray[Any, Any]


def drawn_tables(table: Table, fixed: Mapping[str, Any]) -> tuple[Table, ...]:
    """Tables like this one, with parameters drawn from their ranges.

    The settings do not depend on the seed of a learner, and so neither do the shapes of arrays.

    Args:
        fixed: parameters, by name, that keep their value in `table`.

    Raises:
        ParameterError: there is no parameter to draw, or hardly any setting is allowed.
    """
    game, values = table.game, table.parameters.as_dict()
    names = names_to_draw(game, fixed)
    settings = pool_of(game, table.players, values, names)
    return tuple(game.table(table.players, setting) for setting in settings)


class Variants:
    """Tables of one game, and the shape of arrays with room for any of them.

    Attributes:
        names: the names of all numbers that a seat may observe at any of the tables; those that a
            table does not have are 0 there.
        actions: the index of the actions of all tables.
        state_size: the size of the largest state, in bytes.
        encoders: the ``ENCODER`` record of each table.
        columns: for each table the places of its numbers among `names`; ``None``: in order.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        """
        Args:
            tables: tables of the same game and number of players.

        Raises:
            GameDefinitionError: a table cannot be encoded, or the kinds of their actions differ.
        """
        self.tables = tuple(tables)
        encoders = [table.encoder for table in tables]
        self.names = tuple(dict.fromkeys(name for e in encoders for name in e.names))
        self.actions = encoders[0].actions
        if len(tables) > 1:
            codes = [table.rules.actions.codes() for table in tables]
            self.actions = ActionIndex(_shared_codes(tables[0], codes))
        self.state_size = max(table.state_size for table in tables)
        self.encoders = np.zeros(len(tables), ENCODER)
        self.columns: list[Array | None] = []
        places = {name: place for place, name in enumerate(self.names)}
        for i, encoder in enumerate(encoders):
            self.encoders[i] = encoder.record[0]
            self.encoders[i]["index"] = self.actions.record[0]
            complete = encoder.names == self.names
            columns = None if complete else np.array([places[n] for n in encoder.names], np.int64)
            self.columns.append(columns)

    def seats(self, agents: Sequence[Agent | None], stop: Array) -> Seats:
        """Forks the tables and binds the agents for a thread; `stop` ends it if not 0."""
        return Seats(self, agents, stop)


class Seats:
    """The rules and agents of one thread, for each variant.

    Attributes:
        records: the ``VARIANT`` record of each variant.
    """

    def __init__(self, variants: Variants, agents: Sequence[Agent | None], stop: Array) -> None:
        self.records = np.zeros(len(variants.tables), VARIANT)
        # compiled code knows these by their address only
        self._tables = [table.fork() for table in variants.tables]
        self._bindings: list[list[Binding | None]] = []
        for i, table in enumerate(self._tables):
            table.stop_by(stop)
            bound = [agent.bind(table) if agent else None for agent in agents]
            for binding in filter(None, bound):
                binding.record["stop"] = stop.ctypes.data
            self._bindings.append(bound)
            record = self.records[i]
            record["rules"] = table.address
            record["encoder"] = variants.encoders[i:].ctypes.data
            record["agents"][: len(bound)] = [b.address if b else 0 for b in bound]
            columns = variants.columns[i]
            record["columns"] = 0 if columns is None else columns.ctypes.data


def _shared_codes(table: Table, codes: Sequence[Sequence[ActionCode]]) -> list[ActionCode]:
    """Codes for the actions of all tables, with the largest range of each operand."""
    shared = []
    for same in zip(*codes, strict=False):
        shifts = {tuple((d.shift, d.bits) for d in code.digits or ()) for code in same}
        kinds = {code.kind for code in same}
        if len(shifts) > 1 or len(kinds) > 1:
            raise _unlike(table)
        if any(code.digits is None for code in same):
            shared.append(ActionCode(same[0].kind, None))
            continue
        digits = zip(*[code.digits or () for code in same], strict=True)
        widest = tuple(Digit(d[0].shift, d[0].bits, max(x.size for x in d)) for d in digits)
        shared.append(ActionCode(same[0].kind, widest))
    if len({len(table_codes) for table_codes in codes}) > 1:
        raise _unlike(table)
    return shared


def _unlike(table: Table) -> GameDefinitionError:
    return GameDefinitionError(
        f"{table.game.name}: with other parameters its actions are of other kinds, so that one "
        f"mask cannot hold them. Set the parameters that change what can be done."
    )
