from kibitz.arena.perft import perft
from kibitz.checks import check_game
from kibitz.core import errors
from kibitz.core.agent import (
    Advice,
    Agent,
    AgentOptions,
    NativeAgent,
    make_agent,
    register_agent,
)
from kibitz.core.errors import KibitzError
from kibitz.core.game import Game, Table
from kibitz.core.parameters import GameParameters, Tunable
from kibitz.core.registry import register
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.loading import agents, games, load
from kibitz.sessions.record import Record, record_game, replay
from kibitz.sessions.session import Session
from kibitz.studies import Playtest, Variants, playtest_game, playtest_variants
from kibitz.studies.comparison import Comparison, compare

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

__version__: str
