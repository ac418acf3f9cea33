"""Playtests: thousands of games turned into measures, statistics and a report."""

from kibitz.playtest.measures import playtest_game, summarize
from kibitz.playtest.results import Playtest

__all__ = ["Playtest", "playtest_game", "summarize"]
