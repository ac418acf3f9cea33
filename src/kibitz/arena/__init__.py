"""Matches, many games at once, records of games, and the conformance check."""
