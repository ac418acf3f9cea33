"""The paths of optional corpora and reference figures, beside the checkout."""

from __future__ import annotations

from pathlib import Path

SHARED = Path(__file__).parents[2] / "shared"
"""A folder beside the checkout; tests that need its files are skipped where it is absent."""
