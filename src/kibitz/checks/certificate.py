"""The contents of a certificate: findings, information sets, and a report in words."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from kibitz.checks.laws import DEEP_LAWS, Law
from kibitz.core.wording import counted, listed
from kibitz.syntax.findings import Findings, Spot

SIGNIFICANT = 0.001
"""Samples with an adjusted p-value below this are not uniform."""


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
        chi_square: the statistic of the samples that are worlds.
        p: its p-value against the uniform distribution; ``None`` if too few samples were worlds,
            or these are not ``equal``.
        equal: whether all worlds have the same chance (``Worlds.equal``).
        adjusted_p: the p-value, adjusted by Holm's method for the number of sets.
    """

    spot: str
    seat: int
    worlds: int
    samples: int
    impossible: int
    missing: int
    chi_square: float
    p: float | None
    equal: bool = True
    adjusted_p: float | None = None
    first_impossible: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The set as JSON types."""
        return {**asdict(self), "seat": self.seat + 1}


@dataclass(kw_only=True)
class Certificate(Findings):
    """What was tried at a table, and what was found.

    Attributes:
        players, parameters, seed: of the table and of all games.
        source: what names the game on a command line; empty for a game of OpenSpiel.
        changed: the parameters that are not defaults, in words.
        hides: whether a sample of any seat was another state than the true one.
        games, states: how many were examined.
        decisions: the number of examined states in which somebody decides.
        swaps: the number of samples drawn to be compared with the true state.
        differed: the number of these that were another state than the true one.
        rules: the number of actions in which the rules were checked.
        tried: the number of tests of each law.
        samples: the number of samples of the states that were compared with what was seen since
            the last random draw.
        impossible: the number of these that contradict it.
        sets: the information sets that were listed.
        untested: why the certificate says nothing about leaks, in words; empty if it does.
    """

    players: int
    parameters: Mapping[str, Any]
    seed: int
    source: str = ""
    changed: Mapping[str, str] = field(default_factory=dict)
    hides: bool = False
    games: int = 0
    states: int = 0
    decisions: int = 0
    swaps: int = 0
    differed: int = 0
    rules: int = 0
    tried: Counter[Law] = field(default_factory=Counter)
    samples: int = 0
    impossible: int = 0
    sets: list[InformationSet] = field(default_factory=list)
    untested: str = ""

    @property
    def ok(self) -> bool:
        """Whether all tests were run, something was tested, and no law is broken."""
        return self.complete and not self.untested and not self.findings

    @property
    def least_p(self) -> float | None:
        """The least adjusted p-value against uniform samples."""
        return min((s.adjusted_p for s in self.sets if s.adjusted_p is not None), default=None)

    def check_command(self) -> str:
        """The command that checks the rules."""
        return shlex.join(["kibitz", "check", self.source, "--players", str(self.players)])

    def command(self, spot: Spot) -> str:
        """The command that examines one spot again; empty if it is of no game of this table."""
        if not (self.source and str(spot)):
            return ""
        words = ["kibitz", "certify", self.source, "--players", str(self.players)]
        for name, value in self.changed.items():
            words += ["--set", f"{name}={value}"]
        return shlex.join([*words, "--seed", str(self.seed), "--at", str(spot)])

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
            "tried": {"rules": self.rules, **{str(law): self.tried[law] for law in DEEP_LAWS}},
            **self.findings_json(),
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
        lines += ["", *self._table(), *self.lines()]
        if self.not_tried:
            lines += ["", "Not tried:", *(f"  - {text}" for text in self.not_tried)]
        return "\n".join(lines)

    @property
    def verdict(self) -> str:
        """The result in a sentence or two."""
        broken = len(self.broken)
        if broken and not self.states:
            return (
                "not certified. Nothing was tested for leaks, since the rules break the contract: "
                "mend this first."
            )
        if self.broken == [Law.MEMORY]:
            return (
                "not certified. No leak was found, but samples contradict what was seen: "
                f"{self._shares_of_impossible()}."
            )
        if broken:
            are = "is" if broken == 1 else "are"
            return f"not certified. {counted(broken, 'law')} {are} broken."
        if not self.complete:
            return "not certified: stopped before the end. No leak was found so far."
        if self.untested:
            return f"not certified: {self.untested}."
        if not self.hides:
            return "nothing is hidden, so nothing can leak."
        return "no leak was found."

    def _shares_of_impossible(self) -> str:
        """The shares of contradictory samples: of the states, and of the information sets."""
        sets = [result for result in self.sets if result.impossible]
        shares = [(self.impossible, self.samples, "")]
        shares += [(s.impossible, s.samples, f" in an information set ({s.spot})") for s in sets]
        return listed([f"{n / max(1, of):.1%} of {of:,}{where}" for n, of, where in shares])

    def _table(self) -> list[str]:
        broken = set(self.broken)
        rows = [("rules", self.rules, "BROKEN" if broken - set(DEEP_LAWS) else "holds")]
        for law in DEEP_LAWS:
            result, least = "holds", self.least_p
            if law in broken:
                result = "BROKEN"
            elif law == Law.UNIFORM:
                result = "not tried" if least is None else f"least adjusted p = {least:.3g}"
            rows.append((str(law), self.tried[law], result))
        lines = [f"  {'law':<14}{'tests':>12}  result"]
        for name, tried, result in rows:
            shown = result if tried or "BROKEN" in result else "not tried"
            lines.append(f"  {name:<14}{tried:>12,}  {shown}")
        return lines
