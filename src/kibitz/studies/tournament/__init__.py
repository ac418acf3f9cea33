"""Tournaments of agents, and ratings with intervals."""

from kibitz.studies.tournament import report as report  # registers how its results are reported
from kibitz.studies.tournament.alpharank import alpha_rank
from kibitz.studies.tournament.budgets import Budget
from kibitz.studies.tournament.curves import Curves, play_curves
from kibitz.studies.tournament.formats import Format
from kibitz.studies.tournament.race import StoppingRule
from kibitz.studies.tournament.ratings import Rating, Ratings, rate
from kibitz.studies.tournament.results import Match, TableResult, Tournament
from kibitz.studies.tournament.tournament import Arrangement, play_tournament

__all__ = [
    "Arrangement",
    "Budget",
    "Curves",
    "Format",
    "Match",
    "Rating",
    "Ratings",
    "StoppingRule",
    "TableResult",
    "Tournament",
    "alpha_rank",
    "play_curves",
    "play_tournament",
    "rate",
]
