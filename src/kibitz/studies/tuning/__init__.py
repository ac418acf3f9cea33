"""Searches for the options of an agent, or the parameters of a game, that meet goals best.

A ``Space`` has an axis for each option or parameter; a point is a tuple of numbers of values. A
``Problem`` plays a point: ``agents`` and ``games``. Games come in *blocks*, whose means are
pooled, so that ``goals`` that are no means of games, such as fairness, stay unbiased. An
``Optimiser`` asks for points and is told values, and draws on nothing else: a search is resumed
by running it again with the blocks of the ``ledger``. ``tuner`` has the parts (search, race,
simplification, confirmation, steps), ``plan`` their games. ``ntuples`` is what NTBEA learns, and
tells which settings mattered.
"""

from kibitz.studies.tuning import report as report  # registers how its results are reported
from kibitz.studies.tuning.agents import AgentProblem
from kibitz.studies.tuning.catalogue import make_optimiser, optimisers
from kibitz.studies.tuning.games import GameProblem
from kibitz.studies.tuning.optimiser import Optimiser, Search
from kibitz.studies.tuning.problem import Order, Problem
from kibitz.studies.tuning.results import Tuning
from kibitz.studies.tuning.space import Axis, Space, read_space
from kibitz.studies.tuning.tuner import tune

__all__ = [
    "AgentProblem",
    "Axis",
    "GameProblem",
    "Optimiser",
    "Order",
    "Problem",
    "Search",
    "Space",
    "Tuning",
    "make_optimiser",
    "optimisers",
    "read_space",
    "tune",
]
