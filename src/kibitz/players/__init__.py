"""Agents that play any game: random, one-step look-ahead, evolution, tree searches, people.

The package is callable, because a function has the same name: ``kibitz.agents()`` lists the
registered agents.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kibitz.core.agent import Agent


class _Callable(ModuleType):
    """A module that is a function as well."""

    def __call__(self, *arguments: Any, **options: Any) -> list[type[Agent]]:
        from kibitz.loading import agents

        return agents(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
