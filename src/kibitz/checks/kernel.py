"""``Kernel``: a compiled function that works on the states of a table."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from kibitz.core.game import Table
from kibitz.core.interrupt import run_interruptibly
from kibitz.core.native import Export, compile_native


class Kernel:
    """A compiled function, and the record that is its only argument.

    Args:
        table: the table of the states.
        name: the name of the compiled code in messages.
        function: takes the address of the record.
        record: the type of the record. Its field ``rules`` is the address of a ``RULES`` record,
            ``stop`` that of a word that turns non-zero when the function should give up.
        rooms: arrays in which the function works, by the fields that have their addresses.
    """

    def __init__(
        self,
        table: Table,
        name: str,
        function: Callable[[int], None],
        record: np.dtype[Any],
        **rooms: np.ndarray[Any, Any],
    ) -> None:
        self._table = table
        self._compiled = functools.partial(_compiled, name, function)
        self._stop = np.zeros(1, np.int64)
        self._rooms = {**rooms, "stop": self._stop}
        self._record = np.zeros(1, record)
        for field, room in self._rooms.items():
            self._record[field] = room.ctypes.data

    def run(self, **fields: int) -> Any:
        """Sets fields of the record, runs the function, and returns the record.

        Raises:
            BaseException: an exception of uncompiled rules.
        """
        for field, value in fields.items():
            self._record[field] = value
        with self._table.borrowed(self._stop) as rules:
            self._record["rules"] = rules.address
            function = self._compiled()
            run_interruptibly(lambda: function(int(self._record.ctypes.data)), self._stop)
        self._table.raise_pending()
        return self._record[0]


@functools.cache
def _compiled(name: str, function: Callable[[int], None]) -> Callable[[int], None]:
    export = Export(function, "vi")
    return export.bind(compile_native(name, {name: export})[name])
