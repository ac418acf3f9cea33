"""Where other people's games and reference figures are: beside the checkout, if at all."""

from __future__ import annotations

from pathlib import Path

SHARED = Path(__file__).parents[2] / "shared"
"""Tests that need what is there are skipped where it is absent."""
