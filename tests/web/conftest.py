"""Fixtures of the tests of pages."""

from __future__ import annotations

import pytest

from kibitz.core.agent import Agent
from kibitz.web import kibitzer


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the kibitzer search by iterations, so that a busy machine changes no result."""

    def thinking(agent: Agent, milliseconds: int) -> Agent:
        values = agent.options.as_dict()
        return type(agent)(**{**values, "iterations": 30 * milliseconds})

    monkeypatch.setattr(kibitzer, "thinking", thinking)


@pytest.fixture
def whole(request: pytest.FixtureRequest) -> bool:
    """Whether games in the browser are played from their first move on."""
    return bool(request.config.getoption("whole"))
