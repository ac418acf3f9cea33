"""The laws that the rules of a game, and all that they show, have to keep."""

from __future__ import annotations

from kibitz.core.wording import Sentenced

QUICK, DEEP = 1, 2
BOTH = QUICK | DEEP


class Law(Sentenced):
    """A law; ``sentence`` is its full text.

    Attributes:
        quick: whether ``check_game`` tests it.
        deep: whether ``certify`` tests it with every seat's samples at one table.
    """

    def __init__(self, name: str, sentence: str, tests: int) -> None:
        self.quick, self.deep = bool(tests & QUICK), bool(tests & DEEP)

    DECLARATION = "declaration", "what the game declares fits together", QUICK
    EXCEPTION = "exception", "no rule raises an exception", QUICK
    ENDLESS = "endless rule", "every rule function comes to an end", QUICK
    CAPACITY = "capacity", "nothing is put where there is no room", QUICK
    DEAD_END = "dead end", "the player to move always has a legal action", QUICK
    ENDS = "ends", "a game ends within max_ticks actions", QUICK
    HEADER = "header", "the state's header stays in order", QUICK
    COMPONENT = (
        "component",
        "every component's contents are in range and nothing is left behind",
        QUICK,
    )
    CONSERVED = "conserved", "all cards stay in the game's decks from setup to end", QUICK
    VISIBILITY = "visibility", "who sees a deck knows its cards", QUICK
    PURE = "pure", "only setup, apply_action and redeterminize change the state", QUICK
    DISTINCT = "distinct", "no action is listed twice", QUICK
    LEGAL = "legal", "every legal action can be played", QUICK
    REFUSED = "refused", "an illegal action is refused and changes nothing", QUICK
    PARSE = "parse", "an action's words describe it and no other", QUICK
    INDEX = "index", "an action's place in a mask describes it and no other", QUICK
    CLONE = "clone", "a copy is equal and independent", QUICK
    REPLAY = "replay", "the same seed and actions give the same game", QUICK
    SERIALISE = "serialise", "a state survives being written and read", QUICK
    SHOWN = "shown", "every state can be shown to everyone: as text, JSON and numbers", QUICK
    HEURISTIC = "heuristic", "the heuristic is a number from -1 to 1", QUICK
    RESULTS = "results", "places and returns are set when the game ends, and not before", QUICK
    SCORES = "scores", "scores and sums of utilities at the end are as declared", QUICK
    VARIES = "varies", "samples differ where something is hidden", QUICK
    PLAYS_ON = "plays on", "a game can be played on from every sample", QUICK
    PARAMETER = "parameter", "every declared parameter is read by some rule", QUICK
    COMPILES = "compiles", "the rules compile to native code", QUICK
    SAME_COMPILED = "same compiled", "compiled and uncompiled rules do the same", QUICK
    OBSERVATION = "observation", "a sample looks to its observer like the true state", BOTH
    OPTIONS = (
        "options",
        "the legal actions, and their order, do not depend on what is hidden",
        BOTH,
    )
    BLIND = "samples", "a sample of a sample is that of the true state, byte for byte", BOTH
    CONSISTENT = "is_consistent", "is_consistent() accepts the truth, and every sample", BOTH
    WORDS = "words", "the words of the legal actions do not depend on what is hidden", DEEP
    TEXT = "text", "the description of the table does not depend on what is hidden", DEEP
    FEATURES = "features", "the observation as numbers does not depend on what is hidden", DEEP
    PICTURE = (
        "picture",
        "the picture, and what can be clicked, do not depend on what is hidden",
        DEEP,
    )
    HINTS = "hints", "an agent with the same seed chooses the same, whatever is hidden", DEEP
    EVENTS = (
        "events",
        "an action with the same visible outcome has the same events for a seat",
        DEEP,
    )
    SECRET = (
        "secrets",
        "no open number reveals a hidden card, or depends on one at the set-up",
        BOTH,
    )
    CHOICES = "choices", "no event tells a secret choice before it is revealed", QUICK
    COMMITMENTS = "commitments", "what is chosen in secret was legal, in samples, too", QUICK
    WORLDS = "worlds", "options and samples are the same in all worlds of an information set", DEEP
    UNIFORM = (
        "uniform",
        "deals with the same chance are sampled equally often, and so are choices in each",
        DEEP,
    )
    MEMORY = "memory", "a sample contradicts nothing that was seen since the game began", DEEP


QUICK_LAWS = tuple(law for law in Law if law.quick)
DEEP_LAWS = tuple(law for law in Law if law.deep)

HIDING_LAWS = frozenset(law for law in QUICK_LAWS if law.deep) | {Law.VARIES}
"""Laws of hidden information that ``check_game`` tests: where only these are broken, the tests of
``certify`` still make sense."""
