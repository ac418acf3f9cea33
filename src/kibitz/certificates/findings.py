"""The contents of a certificate: promises, leaks, information sets, and a report in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from kibitz.core.wording import Sentenced, counted

IN_FULL = 2
"""How many findings of a promise are told in full."""

SIGNIFICANT = 0.001
"""Samples with an adjusted p-value below this are not uniform."""


class Promise(Sentenced):
    """What a certificate certifies; ``sentence`` says it in full."""

    OBSERVATION = (
        "observation",
        "a sample looks to its observer like the true state",
    )
    OPTIONS = "options", "the legal actions, and their order, do not depend on what is hidden"
    BLIND = "samples", "a sample of a sample is that of the true state, byte for byte"
    CONSISTENT = "is_consistent", "every sample is accepted by the game's is_consistent"
    WORDS = "words", "the words of the legal actions do not depend on what is hidden"
    TEXT = "text", "the description of the table does not depend on what is hidden"
    FEATURES = "features", "the observation as numbers does not depend on what is hidden"
    PICTURE = "picture", "the picture, and what can be clicked, do not depend on what is hidden"
    HINTS = "hints", "an agent with the same seed chooses the same, whatever is hidden"
    EVENTS = "events", "of an action with the same visible outcome, a seat is told the same"
    SECRET = "secrets", "no open number reveals a hidden card, or tells a part at the set-up"
    WORLDS = "worlds", "options and samples are the same in all worlds of an information set"
    UNIFORM = "uniform", "worlds with the same chance are sampled equally often"
    MEMORY = "memory", "a sample contradicts nothing that was seen since the game began"


@dataclass(frozen=True)
class Leak:
    """A broken promise, and the position that shows it.

    Attributes:
        promise: what is broken.
        message: how, in words.
        seat: who learns too much, from 0; ``None``: everyone.
        spot: where it is: the numbers of the game, of actions before it, of the seat (from 1) and
            of the sample, which is its seed; empty where no single state shows it.
    """

    promise: Promise
    message: str
    seat: int | None = None
    spot: str = ""

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON types."""
        return {
            "promise": str(self.promise),
            "sentence": self.promise.sentence,
            "message": self.message,
            "seat": None if self.seat is None else self.seat + 1,
            "spot": self.spot,
        }


@dataclass(frozen=True)
class InformationSet:
    """An information set, and how a game's samples compare with it.

    Attributes:
        spot: game, action and seat (from 1).
        seat: whose it is, from 0.
        worlds: how many states the seat cannot tell apart.
        samples: how many samples were drawn.
        impossible: how many of these are none of the worlds.
        missing: how many worlds did not come up.
        statistic: chi-square of the samples that are worlds.
        p: its p-value against the uniform distribution; ``None`` if too few samples were worlds,
            or these are not ``equal``.
        equal: whether all worlds have the same chance (``Worlds.equal``).
        adjusted: the p-value, adjusted by Holm's method for the number of sets.
    """

    spot: str
    seat: int
    worlds: int
    samples: int
    impossible: int
    missing: int
    statistic: float
    p: float | None
    equal: bool = True
    adjusted: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The set as JSON types."""
        return {
            "spot": self.spot,
            "seat": self.seat + 1,
            "worlds": self.worlds,
            "samples": self.samples,
            "impossible": self.impossible,
            "missing": self.missing,
            "chi_square": self.statistic,
            "p": self.p,
            "equal": self.equal,
            "adjusted_p": self.adjusted,
        }


@dataclass
class Certificate:
    """What was tried at a table, and what was found.

    Attributes:
        game: its name.
        players, parameters, seed: of the table and of all games.
        hides: whether any seat had something hidden from it in a state.
        games, states: how many were looked at.
        swaps: how many samples were compared with the true state.
        differed: in how many of them the sample was another state.
        tried: how often each promise was tested.
        leaks: what broke promises, the first few of each.
        further: how many more there were.
        samples: how many samples were compared with what was seen since the game began.
        impossible: how many of these contradict it.
        sets: the information sets that were counted.
        not_tried: what could not be tried, and why, in sentences.
        complete: whether everything planned was done.
    """

    game: str
    players: int
    parameters: dict[str, Any]
    seed: int
    hides: bool = False
    games: int = 0
    states: int = 0
    swaps: int = 0
    differed: int = 0
    tried: Counter[Promise] = field(default_factory=Counter)
    leaks: list[Leak] = field(default_factory=list)
    further: Counter[Promise] = field(default_factory=Counter)
    samples: int = 0
    impossible: int = 0
    sets: list[InformationSet] = field(default_factory=list)
    not_tried: list[str] = field(default_factory=list)
    complete: bool = False

    @property
    def ok(self) -> bool:
        """Whether no promise was found broken."""
        return not self.leaks

    @property
    def broken(self) -> list[Promise]:
        """The broken promises, in order."""
        return [promise for promise in Promise if any(k.promise == promise for k in self.leaks)]

    @property
    def least_p(self) -> float | None:
        """The least adjusted p-value against uniform samples."""
        return min((s.adjusted for s in self.sets if s.adjusted is not None), default=None)

    def add(self, leak: Leak) -> None:
        """Adds a finding; after the first few of a promise, others are only counted."""
        if sum(known.promise == leak.promise for known in self.leaks) >= IN_FULL:
            self.further[leak.promise] += 1
        else:
            self.leaks.append(leak)

    def to_json(self) -> dict[str, Any]:
        """The certificate as JSON types."""
        return {
            "game": self.game,
            "players": self.players,
            "parameters": self.parameters,
            "seed": self.seed,
            "ok": self.ok,
            "complete": self.complete,
            "hides": self.hides,
            "games": self.games,
            "states": self.states,
            "swaps": self.swaps,
            "differed": self.differed,
            "tried": {str(promise): self.tried[promise] for promise in Promise},
            "leaks": [leak.to_json() for leak in self.leaks],
            "further": {str(promise): count for promise, count in self.further.items()},
            "samples": self.samples,
            "impossible": self.impossible,
            "least_adjusted_p": self.least_p,
            "information_sets": [found.to_json() for found in self.sets],
            "not_tried": list(self.not_tried),
        }

    def __str__(self) -> str:
        lines = [f"{self.game}, {counted(self.players, 'player')}: {self._verdict()}", ""]
        lines.append(
            f"{counted(self.states, 'state')} of {counted(self.games, 'game')}, "
            f"{counted(self.swaps, 'swap')}, in {self.differed:,} of which something hidden "
            "changed."
        )
        lines += ["", *self._table()]
        for promise in self.broken:
            lines += ["", f"{promise}: {promise.sentence}. Broken:"]
            for leak in self.leaks:
                if leak.promise == promise:
                    lines.append(f"  - {leak.message}")
                    if leak.spot:
                        lines.append(f"    At {leak.spot} (game:actions:seat:sample).")
            if self.further[promise]:
                lines.append(f"  ... and {self.further[promise]:,} more")
        if self.not_tried:
            lines += ["", "Not tried:", *(f"  - {text}" for text in self.not_tried)]
        return "\n".join(lines)

    def _verdict(self) -> str:
        if self.broken == [Promise.MEMORY] and self.samples:
            return (
                "not certified. No leak was found, but samples contradict what was seen: "
                f"{self.impossible / self.samples:.1%} of {self.samples:,} could not be."
            )
        if self.leaks:
            return f"not certified. {counted(len(self.broken), 'promise')} broken."
        if not self.complete:
            return "no leak was found so far; it was stopped."
        if not self.swaps:
            return "nothing was tried."
        if not self.hides:
            return "nothing is hidden, so nothing can leak."
        return "no leak was found."

    def _table(self) -> list[str]:
        rows = []
        for promise in Promise:
            tried = self.tried[promise]
            if promise == Promise.MEMORY and self.impossible:
                result = f"BROKEN, {counted(self.impossible, 'contradiction')}"
            elif promise in self.broken:
                result = "BROKEN"
            elif not tried:
                result = "not tried"
            elif promise == Promise.UNIFORM:
                least = self.least_p
                result = f"least adjusted p = {least:.3g}" if least is not None else "not tried"
            else:
                result = "holds"
            rows.append(f"  {promise:<14}{tried:>12,}  {result}")
        return [f"  {'promise':<14}{'tests':>12}  result", *rows]
