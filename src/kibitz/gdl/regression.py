"""Regression over one step: conditions on the state before a move for what holds after it.

This is regression as in planning (Waldinger, "Achieving Several Goals Simultaneously", 1977;
Reiter, "Knowledge in Action", 2001). A condition is a disjunction of conjunctions; what a
conjunction consists of, and how conjunctions combine, is up to the derivation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Generic, TypeVar

from kibitz.gdl.network import Literal, Network

Condition = TypeVar("Condition")


class NotDerivedError(Exception):
    """A condition takes too many conjunctions, or depends on a cycle."""


class Regression(ABC, Generic[Condition]):
    """A derivation of conditions from the gates of a network.

    Attributes:
        most_work: maximum number of conjunctions made in the whole derivation.
        most_alternatives: maximum number of conjunctions in one condition.
        first: the node of the first gate.
        cyclic: the gates of cycles.
    """

    most_work: ClassVar[int]
    most_alternatives: ClassVar[int]

    def __init__(self, network: Network) -> None:
        self.network = network
        self.first = network.first_gate
        self.cyclic = {gate for scc in network.sccs for gate in scc[0] + scc[1]}
        self._work = 0

    @abstractmethod
    def any_of(self, conditions: Iterable[Condition]) -> Condition:
        """The disjunction."""

    @abstractmethod
    def all_of(self, conditions: Iterable[Condition]) -> Condition:
        """The conjunction, as a disjunction of conjunctions."""

    def of_gate(
        self, literal: Literal, gate: Sequence[Literal], of: Callable[[Literal], Condition]
    ) -> Condition:
        """The condition for a gate or its negation.

        Args:
            literal: the gate, negative for its negation.
            gate: the literals of the gate that matter.
            of: gives the condition for each of these literals.
        """
        if literal >= 0:
            return self.all_of(map(of, gate))
        return self.any_of(of(~operand) for operand in gate)

    def spend(self, work: int, size: int) -> None:
        """Counts conjunctions that were made, and those of the condition that they make up.

        Raises:
            NotDerivedError: these are too many.
        """
        self._work += work
        if self._work > self.most_work or size > self.most_alternatives:
            raise NotDerivedError
