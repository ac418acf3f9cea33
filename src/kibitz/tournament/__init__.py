"""Tournaments of agents, and ratings with intervals."""

from kibitz.tournament import report as report  # registers how its results are reported
from kibitz.tournament.alpharank import alpha_rank
from kibitz.tournament.budgets import Budget
from kibitz.tournament.curves import Curves, play_curves
from kibitz.tournament.formats import Format
from kibitz.tournament.race import StoppingRule
from kibitz.tournament.ratings import Rating, Ratings, rate
from kibitz.tournament.results import Match, TableResult, Tournament
from kibitz.tournament.tournament import Arrangement, play_tournament

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
