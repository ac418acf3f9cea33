"""What a conformance check reports: laws, problems with them, and the report as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kibitz.core.wording import Sentenced, counted

if TYPE_CHECKING:
    from kibitz.core.game import Game
    from kibitz.core.state import State

IN_FULL = 3
"""How many problems with one law are reported in full; further ones are counted."""


class Law(Sentenced):
    """A law of the contract; ``sentence`` says it in full."""

    DECLARATION = "declaration", "what the game declares fits together"
    EXCEPTION = "exception", "no rule raises an exception"
    ENDLESS = "endless rule", "every rule function comes to an end"
    CAPACITY = "capacity", "nothing is put where there is no room"
    DEAD_END = "dead end", "the player to move always has a legal action"
    ENDS = "ends", "a game ends within max_ticks actions"
    HEADER = "header", "the state's header stays in order"
    COMPONENT = "component", "every component's contents are in range and nothing is left behind"
    CONSERVED = "conserved", "all cards stay in the game's decks from setup to end"
    VISIBILITY = "visibility", "who sees a deck knows its cards"
    PURE = "pure", "only setup, apply_action and redeterminize change the state"
    DISTINCT = "distinct", "no action is listed twice"
    LEGAL = "legal", "every legal action can be played"
    REFUSED = "refused", "an illegal action is refused and changes nothing"
    WORDS = "words", "an action's words describe it and no other"
    INDEX = "index", "an action's place in a mask describes it and no other"
    CLONE = "clone", "a copy is equal and independent"
    REPLAY = "replay", "the same seed and actions give the same game"
    SERIALISE = "serialise", "a state survives being written and read"
    SHOWN = "shown", "every state can be shown to everyone: as text, JSON and numbers"
    HEURISTIC = "heuristic", "the heuristic is a number from -1 to 1"
    RESULTS = "results", "places and returns are set when the game ends, and not before"
    LOOKS_SAME = "looks the same", "a sample looks to its observer like the state itself"
    VARIES = "varies", "samples differ where something is hidden"
    BLIND = "blind", "a sample does not depend on what its observer cannot know"
    OWN_ACTIONS = "own actions", "a player's legal actions depend on what the player knows only"
    CONSISTENT = "is_consistent", "is_consistent() accepts the truth, and a deal that can be found"
    PLAYS_ON = "plays on", "a game can be played on from every sample"
    SECRET = "secret", "no open number reveals a hidden card"
    PARAMETER = "parameter", "every declared parameter is read by some rule"
    COMPILES = "compiles", "the rules compile to native code"
    SAME_COMPILED = "same compiled", "compiled and uncompiled rules do the same"


@dataclass(frozen=True)
class Finding:
    """A problem as a law reports it.

    Attributes:
        law: the broken law.
        message: how the law is broken, in words.
        path: the component, parameter or action kind concerned, such as ``hands[2]``.
        cure: what is likely to help.
        then: actions after those of the game that led to the state examined.
        fatal: whether the game must not be played on.
    """

    law: Law
    message: str
    path: str = ""
    cure: str = ""
    then: tuple[int, ...] = ()
    fatal: bool = False


@dataclass(frozen=True)
class Spot:
    """A state of a game, given by all that it takes to reach it again."""

    players: int | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    actions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Problem:
    """A broken law, with the game that shows it.

    Attributes:
        law: the broken law.
        message: how the law is broken, in words.
        path: the component, parameter or action kind concerned, such as ``hands[2]``.
        cure: what is likely to help.
        players, parameters, seed: of the game; ``None`` where no single game is to blame.
        tick: how many actions had been played, including the one that showed the problem.
        actions: the actions up to there.
    """

    law: Law
    message: str
    path: str = ""
    cure: str = ""
    players: int | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    tick: int | None = None
    actions: tuple[int, ...] = ()

    def replay(self, game: Game) -> State:
        """Plays to the state that shows the problem; the rules may raise an error on the way.

        Args:
            game: the game, best with ``compiled=False``.

        Raises:
            ValueError: no single game shows the problem.
        """
        if self.players is None or self.seed is None:
            raise ValueError(f"no single game shows this problem: {self.message}")
        state: State = game.new_state(self.players, self.seed, self.parameters)
        for action in self.actions:
            state.apply(action)
        return state

    def to_json(self) -> dict[str, Any]:
        """The problem as JSON types."""
        return {
            "law": str(self.law),
            "sentence": self.law.sentence,
            "message": self.message,
            "path": self.path,
            "cure": self.cure,
            "players": self.players,
            "parameters": self.parameters,
            "seed": self.seed,
            "tick": self.tick,
            "actions": list(self.actions),
        }

    def __str__(self) -> str:
        lines = [f"{self.path}: {self.message}" if self.path else self.message]
        if self.cure:
            lines.append(f"Likely cure: {self.cure}")
        if self.players is not None and self.seed is not None:
            settings = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
            count = len(self.actions)
            noun = "action" if count == 1 else "actions"
            lines.append(
                f"To see it: game.new_state({self.players}, seed={self.seed}{settings})"
                + (f", then its {count} {noun}; problem.replay(game) does both" if count else "")
            )
        return "\n".join(lines)


@dataclass
class Report:
    """The result of ``check_game``.

    Attributes:
        game: the name of the game.
        problems: the first few problems with each law.
        further: how many more there were, by law.
        checked: how much was looked at: games, states, samples and so on.
        remarks: what could not be checked, and why.
        seconds: how long it took.
        complete: whether the check was finished.
    """

    game: str
    problems: list[Problem] = field(default_factory=list)
    further: Counter[Law] = field(default_factory=Counter)
    checked: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    seconds: float = 0.0
    complete: bool = False

    @property
    def ok(self) -> bool:
        """Whether no broken law was found."""
        return not self.problems

    @property
    def broken(self) -> list[Law]:
        """The broken laws, in the order in which they were found."""
        return list(dict.fromkeys(problem.law for problem in self.problems))

    def add(self, finding: Finding, spot: Spot | None = None) -> None:
        """Adds a problem; with ``IN_FULL`` of a law reported, further ones are only counted."""
        spot = spot or Spot()
        if sum(problem.law == finding.law for problem in self.problems) >= IN_FULL:
            self.further[finding.law] += 1
            return
        actions = spot.actions + finding.then
        self.problems.append(
            Problem(
                law=finding.law,
                message=finding.message,
                path=finding.path,
                cure=finding.cure,
                players=spot.players,
                parameters=dict(spot.parameters),
                seed=spot.seed,
                tick=None if spot.seed is None else len(actions),
                actions=actions,
            )
        )

    def to_json(self) -> dict[str, Any]:
        """The report as JSON types."""
        return {
            "game": self.game,
            "ok": self.ok,
            "complete": self.complete,
            "problems": [problem.to_json() for problem in self.problems],
            "further": {str(law): count for law, count in self.further.items()},
            "checked": dict(self.checked),
            "remarks": list(self.remarks),
            "seconds": round(self.seconds, 3),
        }

    def __str__(self) -> str:
        lines = [f"{self.game}: {self._verdict()}.", self._coverage()]
        lines += self.remarks
        for law in self.broken:
            lines += ["", f"{law}: {law.sentence}"]
            lines += _indented(str(p) for p in self.problems if p.law == law)
            if self.further[law]:
                lines.append(f"  ... and {self.further[law]} more")
        return "\n".join(lines)

    def _verdict(self) -> str:
        """The result in words."""
        count = len(self.broken)
        if count:
            return f"{count} {'law is' if count == 1 else 'laws are'} broken"
        return f"all {len(Law)} laws hold" if self.complete else "no law was found broken so far"

    def _coverage(self) -> str:
        """How much was looked at, in sentences."""
        checked = self.checked
        games, in_full = checked["games"], checked["games looked at in full"]
        played = f"Played {counted(games, 'game')} of {counted(checked['actions'], 'action')}, "
        if in_full == games:
            played += "and looked at all of them one by one."
        else:
            played += (
                f"and looked at {checked['actions looked at']:,} of them one by one: all of "
                f"{counted(in_full, 'game')}, and of {games - in_full:,} beginning, end and parts "
                "between."
            )
        others = ", ".join(
            f"{number:,} {name}" for name, number in checked.items() if name not in _TOLD
        )
        return f"{played}\nAlso {others}, in {self.seconds:.1f} s."


_TOLD = ("games", "actions", "actions looked at", "games looked at in full")
"""The counts in the first sentence."""


def _indented(texts: Iterable[str]) -> list[str]:
    """Texts as the items of a list."""
    return ["  - " + text.replace("\n", "\n    ") for text in texts]
