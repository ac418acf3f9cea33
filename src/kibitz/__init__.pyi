"""The public names of Kibitz, imported when they are first used. This is their only list."""

from ._version import __version__
from .arena.perft import perft
from .checks.certificate import Certificate
from .checks.certify import certify
from .core import errors
from .core.action_parts import ActionParts
from .core.agent import (
    Advice,
    Agent,
    AgentOptions,
    NativeAgent,
    make_agent,
    register_agent,
)
from .core.errors import KibitzError
from .core.game import Game, Table
from .core.parameters import GameParameters, Tunable
from .core.registry import register
from .core.state import State
from .core.status import Status
from .languages.checking import check
from .languages.rulebooks import rules
from .loading import agents, games, load
from .pictures.drawing import Picture, draw
from .rl.learning import Learning, learn
from .runs.batch import Batch, play
from .sessions.recording import record, replay
from .sessions.records import Record
from .sessions.session import Session
from .sessions.transcript import transcript
from .studies.comparison import Comparison, compare
from .studies.ladder import Ladder, ladder
from .studies.playing import playtest
from .studies.results import Playtest
from .studies.solving.exploitability import Exploitability, exploitability
from .studies.study import Study, study
from .studies.tournament.playing import tournament
from .studies.tournament.results import Tournament
from .studies.tuning.agents import AgentProblem
from .studies.tuning.games import GameProblem
from .studies.tuning.results import Tuning
from .studies.tuning.tuner import tune
from .studies.variants import Variants, playtest_variants
from .syntax.findings import CheckResult
from .syntax.rulebook import Rulebook

__all__ = [
    "ActionParts",
    "Advice",
    "Agent",
    "AgentOptions",
    "AgentProblem",
    "Batch",
    "Certificate",
    "CheckResult",
    "Comparison",
    "Exploitability",
    "Game",
    "GameParameters",
    "GameProblem",
    "KibitzError",
    "Ladder",
    "Learning",
    "NativeAgent",
    "Picture",
    "Playtest",
    "Record",
    "Rulebook",
    "Session",
    "State",
    "Status",
    "Study",
    "Table",
    "Tournament",
    "Tunable",
    "Tuning",
    "Variants",
    "__version__",
    "agents",
    "certify",
    "check",
    "compare",
    "draw",
    "errors",
    "exploitability",
    "games",
    "ladder",
    "learn",
    "load",
    "make_agent",
    "perft",
    "play",
    "playtest",
    "playtest_variants",
    "record",
    "register",
    "register_agent",
    "replay",
    "rules",
    "study",
    "tournament",
    "transcript",
    "tune",
]
