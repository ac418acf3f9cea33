"""Who is strongest: tournaments of agents, and ratings with intervals."""

from kibitz.tournament.ratings import Rating, Ratings, rate
from kibitz.tournament.tournament import Match, TableResult, Tournament, play_tournament

__all__ = ["Match", "Rating", "Ratings", "TableResult", "Tournament", "play_tournament", "rate"]
