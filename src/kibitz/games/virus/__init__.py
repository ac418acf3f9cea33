"""Virus!: organs, viruses, medicines and treatments."""

from kibitz.games.virus.rules import Virus

__all__ = ["Virus"]
