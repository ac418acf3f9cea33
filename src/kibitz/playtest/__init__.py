"""Playtests: thousands of games turned into measures, statistics and a report."""
