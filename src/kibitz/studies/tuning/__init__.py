"""Searches for the options of an agent, or the parameters of a game, that meet goals best."""

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
