"""Tournaments of agents, and ratings with intervals.

A match is a run. ``formats`` says who meets whom and who sits where, ``budgets`` gives all
agents equal effort. ``ratings`` and ``alpharank`` read the results; ``race`` and ``sequential``
end a tournament when its order is sure. ``curves`` repeats it with several budgets.
"""

from kibitz.studies.tournament import report as report  # registers how its results are reported
from kibitz.studies.tournament.alpharank import alpha_rank
from kibitz.studies.tournament.budgets import DecisionBudget
from kibitz.studies.tournament.curves import Curves, tournaments_by_budget
from kibitz.studies.tournament.formats import Format
from kibitz.studies.tournament.playing import tournament
from kibitz.studies.tournament.race import StoppingRule
from kibitz.studies.tournament.ratings import Rating, Ratings, rate
from kibitz.studies.tournament.results import Match, TableResult, Tournament

__all__ = [
    "Curves",
    "DecisionBudget",
    "Format",
    "Match",
    "Rating",
    "Ratings",
    "StoppingRule",
    "TableResult",
    "Tournament",
    "alpha_rank",
    "rate",
    "tournament",
    "tournaments_by_budget",
]
