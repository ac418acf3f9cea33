"""The contents of a certificate: promises, leaks, information sets, and a report in words."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from kibitz.core.errors import ParameterError
from kibitz.core.wording import Sentenced, counted

IN_FULL = 2
"""The number of leaks of each promise that are shown; further ones are only counted."""

SIGNIFICANT = 0.001
"""Samples with an adjusted p-value below this are not uniform."""


class Promise(Sentenced):
    """What a certificate certifies; ``sentence`` says it in full."""

    RULES = "rules", "the rules keep the contract, as 'kibitz check' tests it"
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
    EVENTS = "events", "an action with the same visible outcome has the same events for a seat"
    SECRET = "secrets", "no open number reveals a hidden card, or tells a part at the set-up"
    WORLDS = "worlds", "options and samples are the same in all worlds of an information set"
    UNIFORM = "uniform", "worlds with the same chance are sampled equally often"
    MEMORY = "memory", "a sample contradicts nothing that was seen since the game began"


@dataclass(frozen=True)
class Spot:
    """A state of a certificate's games, with the seat and the sample that are compared.

    As text it is ``2:20:2:3``: game 2, after 20 actions, seat 2 (from 1), the sample with seed 3;
    or ``2:20:2:worlds``, if the whole information set is compared.
    """

    game: int
    tick: int
    seat: int
    sample: int | None

    @classmethod
    def parse(cls, text: str, players: int) -> Spot:
        """The spot that a text names.

        Raises:
            ParameterError: it is no spot, or there is no such seat.
        """
        match = re.fullmatch(r"(\d{1,9}):(\d{1,9}):(\d{1,9}):(\d{1,18}|worlds)", text, re.ASCII)
        if match is None:
            raise ParameterError(
                f"{text!r} is no spot of a certificate, such as 2:20:2:3 or 2:20:2:worlds: "
                "game, actions, seat and sample."
            )
        game, tick, seat = (int(match[i]) for i in (1, 2, 3))
        if not 1 <= seat <= players:
            raise ParameterError(f"{text}: there is no seat {seat} among {players}.")
        return cls(game, tick, seat - 1, None if match[4] == "worlds" else int(match[4]))

    def __str__(self) -> str:
        sample = "worlds" if self.sample is None else self.sample
        return f"{self.game}:{self.tick}:{self.seat + 1}:{sample}"


@dataclass(frozen=True)
class Leak:
    """A broken promise, and the position that shows it.

    Attributes:
        promise: the broken promise.
        message: how it is broken, in words.
        seat: the seat that learns too much, from 0; ``None``: everyone.
        spot: the state that shows it, as a ``Spot`` is written; empty where no single state does.
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
        seat: the seat that has it, from 0.
        worlds: the number of states that the seat cannot tell apart.
        samples: the number of samples drawn.
        impossible: the number of samples that are not among the worlds.
        first_impossible: the seed of the first of these, if there are any.
        missing: the number of worlds that were never sampled.
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
    first_impossible: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The set as JSON types."""
        return {
            "spot": self.spot,
            "seat": self.seat + 1,
            "worlds": self.worlds,
            "samples": self.samples,
            "impossible": self.impossible,
            "first_impossible": self.first_impossible,
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
        game: the name of the game.
        players, parameters, seed: of the table and of all games.
        source: what names the game on a command line; empty for a game of OpenSpiel.
        changed: the parameters that are not defaults, in words.
        hides: whether a sample of any seat was another state than the true one.
        games, states: how many were examined.
        decisions: the number of examined states in which somebody decides.
        swaps: the number of samples drawn to be compared with the true state.
        differed: the number of these that were another state than the true one.
        tried: the number of tests of each promise.
        leaks: the first few broken promises of each kind.
        further: the number of those left out, by promise.
        samples: the number of samples compared with what was seen since the game began.
        impossible: the number of these that contradict it.
        sets: the information sets that were listed.
        untested: why the certificate says nothing about leaks, in words; empty if it does.
        not_tried: what could not be tried, and why, in sentences.
        complete: whether all tests were run.
    """

    game: str
    players: int
    parameters: dict[str, Any]
    seed: int
    source: str = ""
    changed: dict[str, str] = field(default_factory=dict)
    hides: bool = False
    games: int = 0
    states: int = 0
    decisions: int = 0
    swaps: int = 0
    differed: int = 0
    tried: Counter[Promise] = field(default_factory=Counter)
    leaks: list[Leak] = field(default_factory=list)
    further: Counter[Promise] = field(default_factory=Counter)
    samples: int = 0
    impossible: int = 0
    sets: list[InformationSet] = field(default_factory=list)
    untested: str = ""
    not_tried: list[str] = field(default_factory=list)
    complete: bool = False

    @property
    def ok(self) -> bool:
        """Whether all tests were run, something was tested, and no promise is broken."""
        return self.complete and not self.untested and not self.leaks

    @property
    def broken(self) -> list[Promise]:
        """The broken promises, in order."""
        return [promise for promise in Promise if any(k.promise == promise for k in self.leaks)]

    @property
    def least_p(self) -> float | None:
        """The least adjusted p-value against uniform samples."""
        return min((s.adjusted for s in self.sets if s.adjusted is not None), default=None)

    def add(self, leak: Leak) -> None:
        """Adds a leak; after the first few of a promise, others are only counted."""
        if sum(known.promise == leak.promise for known in self.leaks) >= IN_FULL:
            self.further[leak.promise] += 1
        else:
            self.leaks.append(leak)

    def check_command(self) -> str:
        """The command that checks the rules."""
        return shlex.join(["kibitz", "check", self.source, "--players", str(self.players)])

    def command(self, spot: str) -> str:
        """The command that examines one spot again."""
        words = ["kibitz", "certify", self.source, "--players", str(self.players)]
        for name, value in self.changed.items():
            words += ["--set", f"{name}={value}"]
        return shlex.join([*words, "--seed", str(self.seed), "--at", spot])

    def to_json(self) -> dict[str, Any]:
        """The certificate as JSON types."""
        return {
            "game": self.game,
            "players": self.players,
            "parameters": self.parameters,
            "seed": self.seed,
            "ok": self.ok,
            "verdict": self.verdict,
            "complete": self.complete,
            "hides": self.hides,
            "games": self.games,
            "states": self.states,
            "decisions": self.decisions,
            "swaps": self.swaps,
            "differed": self.differed,
            "tried": {str(promise): self.tried[promise] for promise in Promise},
            "leaks": [
                leak.to_json()
                | ({"command": self.command(leak.spot)} if leak.spot and self.source else {})
                for leak in self.leaks
            ],
            "further": {str(promise): count for promise, count in self.further.items()},
            "samples": self.samples,
            "impossible": self.impossible,
            "least_adjusted_p": self.least_p,
            "information_sets": [result.to_json() for result in self.sets],
            "not_tried": list(self.not_tried),
        }

    def __str__(self) -> str:
        lines = [f"{self.game}, {counted(self.players, 'player')}: {self.verdict}", ""]
        lines.append(
            f"{counted(self.states, 'state')} of {counted(self.games, 'game')}, "
            f"{counted(self.swaps, 'swap')}, in {self.differed:,} of which something hidden "
            "changed."
        )
        lines += ["", *self._table()]
        for promise in self.broken:
            lines += ["", f"{promise}: {promise.sentence}. Broken:", *self._leak_lines(promise)]
        if self.not_tried:
            lines += ["", "Not tried:", *(f"  - {text}" for text in self.not_tried)]
        return "\n".join(lines)

    def _leak_lines(self, promise: Promise) -> Iterator[str]:
        """The leaks of a promise as the items of a list."""
        for leak in self.leaks:
            if leak.promise == promise:
                yield f"  - {leak.message}"
                if leak.spot:
                    yield f"    At {leak.spot}"
                if leak.spot and self.source:
                    yield f"    To see it alone: {self.command(leak.spot)}"
        if self.further[promise]:
            yield f"  ... and {self.further[promise]:,} more"

    @property
    def verdict(self) -> str:
        """The result in a sentence or two."""
        if self.leaks and not self.states:
            return (
                "not certified. Nothing was tested for leaks, since the rules break the contract: "
                "mend this first."
            )
        if self.broken == [Promise.MEMORY] and self.samples:
            return (
                "not certified. No leak was found, but samples contradict what was seen: "
                f"{self.impossible / self.samples:.1%} of {self.samples:,} could not be."
            )
        if self.leaks:
            return f"not certified. {counted(len(self.broken), 'promise')} broken."
        if not self.complete:
            return "not certified: stopped before the end. No leak was found so far."
        if self.untested:
            return f"not certified: {self.untested}."
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
