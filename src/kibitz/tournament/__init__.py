"""Who is strongest: tournaments of agents, and ratings with intervals."""

from kibitz.core.renaming import warn_renamed
from kibitz.tournament.alpharank import alpha_rank
from kibitz.tournament.budgets import Budget
from kibitz.tournament.curves import Curves, play_curves
from kibitz.tournament.formats import Format
from kibitz.tournament.race import StoppingRule
from kibitz.tournament.ratings import Rating, Ratings, rate
from kibitz.tournament.results import Match, TableResult, Tournament
from kibitz.tournament.tournament import Arrangement, play_tournament

_RENAMED = {"Sureness": "StoppingRule"}
"""Deprecated names, to be removed in the next release."""


def __getattr__(name: str) -> object:
    """What a deprecated name is called now; warns of it."""
    if name not in _RENAMED:
        raise AttributeError(f"module 'kibitz.tournament' has no attribute {name!r}")
    warn_renamed(f"kibitz.tournament.{name}", _RENAMED[name])
    return globals()[_RENAMED[name]]


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
