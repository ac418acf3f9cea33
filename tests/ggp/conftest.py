"""Fixtures of the tests of GGP."""

from __future__ import annotations

import pytest
from tests.fork_servers import kept_fork_servers

__all__ = ["kept_fork_servers"]


@pytest.fixture(scope="session", autouse=True)
def shared_processes(kept_fork_servers: None) -> None:
    """All services of the session share the processes that fork their workers."""
