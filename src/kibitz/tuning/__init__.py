"""Searches for the options of an agent, or the parameters of a game, that meet goals best."""

from kibitz.tuning import report as report  # registers how its results are reported
from kibitz.tuning.agents import AgentProblem
from kibitz.tuning.games import GameProblem
from kibitz.tuning.optimiser import Optimiser, Search, make_optimiser, optimisers
from kibitz.tuning.problem import Order, Problem
from kibitz.tuning.results import Tuning
from kibitz.tuning.space import Axis, Space, read_space
from kibitz.tuning.tuner import tune

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
