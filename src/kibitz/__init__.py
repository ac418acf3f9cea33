"""Kibitz plays your tabletop game thousands of times and tells you what it saw.

::

    import kibitz

    game = kibitz.load("love-letter")
    state = game.new_state(players=3, seed=1)
    state.apply(state.legal_actions()[0])
    print(state.describe(player=1))

Names are imported when they are first used, so that ``import kibitz`` costs next to nothing.
Type checkers read ``__init__.pyi``.
"""

from __future__ import annotations

import importlib

_HOMES = {
    "kibitz.checks": ("check_game",),
    "kibitz.arena.perft": ("perft",),
    "kibitz.sessions.record": ("Record", "record_game", "replay"),
    "kibitz.sessions.session": ("Session",),
    "kibitz.core.agent": (
        "Advice",
        "Agent",
        "AgentOptions",
        "NativeAgent",
        "make_agent",
        "register_agent",
    ),
    "kibitz.core.errors": ("KibitzError",),
    "kibitz.core.game": ("Game", "Table"),
    "kibitz.core.parameters": ("GameParameters", "Tunable"),
    "kibitz.core.registry": ("register",),
    "kibitz.core.state": ("State",),
    "kibitz.core.status": ("Status",),
    "kibitz.loading": ("load",),
    "kibitz.studies": ("Playtest", "Variants", "playtest_game", "playtest_variants"),
    "kibitz.studies.comparison": ("Comparison", "compare"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Advice",
    "Agent",
    "AgentOptions",
    "Comparison",
    "Game",
    "GameParameters",
    "KibitzError",
    "NativeAgent",
    "Playtest",
    "Record",
    "Session",
    "State",
    "Status",
    "Table",
    "Tunable",
    "Variants",
    "__version__",
    "agents",
    "check_game",
    "compare",
    "errors",
    "games",
    "load",
    "make_agent",
    "perft",
    "playtest_game",
    "playtest_variants",
    "record_game",
    "register",
    "register_agent",
    "replay",
]


def __getattr__(name: str) -> object:
    """Imports a public name when it is first asked for."""
    if name == "__version__":
        value: object = _version()
    elif name == "errors":
        value = importlib.import_module("kibitz.core.errors")
    elif name in ("agents", "games"):  # packages that can be called
        value = importlib.import_module(f"kibitz.{name}")
    elif name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'kibitz' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    """The installed version."""
    from importlib import metadata

    try:
        return metadata.version("kibitz")
    except metadata.PackageNotFoundError:
        return "0+unknown"
