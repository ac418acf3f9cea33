"""Virus!: organs, viruses, medicines and treatments."""

from kibitz.library.virus.rules import Virus

__all__ = ["Virus"]
