"""What all tests share: how hypothesis works here, and where machine code is kept."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_configure(config: pytest.Config) -> None:
    """Keeps the machine code of test games out of the user's own cache."""
    os.environ.setdefault("KIBITZ_CACHE", str(config.rootpath / ".pytest_cache" / "kibitz"))
