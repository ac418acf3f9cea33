"""Results of checks: diagnostics of a text, and findings from games that were played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from kibitz.core.wording import Sentenced, counted, listed, printable
from kibitz.syntax.source import Diagnostic, Severity, Source, render, to_json

if TYPE_CHECKING:
    from kibitz.core.game import Game
    from kibitz.core.state import State

IN_FULL = 3
"""The number of findings of each law that are reported in full; further ones are only counted."""


@dataclass(frozen=True)
class Spot:
    """A state of a random game, with the seat and the sample that are compared there.

    As text it is ``2:20:2:3``: game 2, after 20 actions, seat 2 (from 1), the sample with seed 3;
    ``2:20:2:worlds`` if the whole information set is compared, and ``2:20`` without a seat.

    Attributes:
        players, parameters, seed: of the game; ``None`` where no single game is to blame.
        actions: the actions that lead to the state.
        game: the number of the game among those of the check, if these are numbered.
        seat: the seat, from 0, to which the finding relates; ``None``: all.
        sample: the seed of the sample of what is hidden from the seat.
    """

    players: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    actions: tuple[int, ...] = ()
    game: int | None = None
    seat: int | None = None
    sample: int | None = None

    @property
    def tick(self) -> int | None:
        """The number of actions before the state; ``None`` where no single game is to blame."""
        return None if self.seed is None else len(self.actions)

    def joined(self, detail: Spot) -> Spot:
        """The spot with further actions, and with the seat and the sample of a detail."""
        return replace(
            self,
            actions=self.actions + detail.actions,
            seat=self.seat if detail.seat is None else detail.seat,
            sample=self.sample if detail.sample is None else detail.sample,
        )

    def __str__(self) -> str:
        if self.game is None:
            return ""
        place = f"{self.game}:{len(self.actions)}"
        if self.seat is None:
            return place
        return f"{place}:{self.seat + 1}:{'worlds' if self.sample is None else self.sample}"

    def words(self) -> str:
        """The spot in words."""
        parts = [f"game {self.game}", f"after {counted(len(self.actions), 'action')}"]
        if self.seat is not None:
            sample = "information set" if self.sample is None else f"sample {self.sample}"
            parts += [f"player {self.seat + 1}", sample]
        return ", ".join(parts)


NOWHERE = Spot()
"""The spot of a finding that no single state shows."""


@dataclass(frozen=True)
class Finding:
    """A broken law.

    Attributes:
        law: the broken law.
        message: how it is broken, in words.
        path: the component, parameter or action kind concerned, such as ``hands[2]``.
        cure: what is likely to help.
        spot: the state that shows it. A law that examines a state gives only what it adds to the
            spot of this state: further actions, a seat, a sample.
        fatal: whether the game must not be played on.
    """

    law: Sentenced
    message: str
    path: str = ""
    cure: str = ""
    spot: Spot = NOWHERE
    fatal: bool = False

    def replay(self, game: Game) -> State:
        """Plays to the state that shows the finding; the rules may raise an error on the way.

        Args:
            game: the game, best with ``compiled=False``.

        Raises:
            ValueError: no single game shows it.
        """
        spot = self.spot
        if spot.players is None or spot.seed is None:
            raise ValueError(f"no single game shows this problem: {self.message}")
        state: State = game.new_state(spot.players, spot.seed, spot.parameters)
        for action in spot.actions:
            state.apply(action)
        return state

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON types."""
        spot = self.spot
        return {
            "law": str(self.law),
            "sentence": self.law.sentence,
            "message": self.message,
            "path": self.path,
            "cure": self.cure,
            "players": spot.players,
            "parameters": dict(spot.parameters),
            "seed": spot.seed,
            "tick": spot.tick,
            "actions": list(spot.actions),
            "seat": None if spot.seat is None else spot.seat + 1,
            "sample": spot.sample,
            "spot": str(spot),
        }

    def text(self, command: str = "") -> str:
        """The finding in words, with the command, if there is one, that examines its spot."""
        lines = [f"{self.path}: {self.message}" if self.path else self.message]
        if self.cure:
            lines.append(f"Likely cure: {self.cure}")
        if str(self.spot):
            lines.append(f"At {self.spot}: {self.spot.words()}")
        if command or self.spot.seed is not None:
            lines.append(f"To see it: {command or self._call()}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def _call(self) -> str:
        """The calls that lead to the state."""
        spot, count = self.spot, len(self.spot.actions)
        settings = "".join(f", {name}={value!r}" for name, value in spot.parameters.items())
        calls = [f"game.new_state({spot.players}, seed={spot.seed}{settings})"]
        if count:
            calls.append(f"then its {counted(count, 'action')}; finding.replay(game) does both")
        if spot.sample is not None:
            calls.append(f"then state.determinize({spot.seat}, seed={spot.sample})")
        return ", ".join(calls)


@dataclass
class Findings:
    """The findings of a check.

    Attributes:
        game: the game or its file, by name.
        findings: the first few of each law.
        further: the number of further ones, by law.
        not_tried: what could not be tried, and why, in sentences.
        complete: whether the check was finished.
    """

    game: str
    findings: list[Finding] = field(default_factory=list)
    further: Counter[Sentenced] = field(default_factory=Counter)
    not_tried: list[str] = field(default_factory=list)
    complete: bool = False

    @property
    def broken(self) -> list[Sentenced]:
        """The broken laws, in the order in which they were found."""
        return list(dict.fromkeys(finding.law for finding in self.findings))

    def add(self, finding: Finding, spot: Spot = NOWHERE) -> None:
        """Adds a finding at a spot; with ``IN_FULL`` of a law, further ones are only counted."""
        if sum(known.law == finding.law for known in self.findings) >= IN_FULL:
            self.further[finding.law] += 1
        else:
            self.findings.append(replace(finding, spot=spot.joined(finding.spot)))

    def command(self, spot: Spot) -> str:
        """The command that examines a spot alone; empty if there is none."""
        return ""

    def findings_json(self) -> dict[str, Any]:
        """The findings, and the numbers of further ones, as JSON types."""
        documents = []
        for finding in self.findings:
            command = self.command(finding.spot)
            documents.append(finding.to_json() | ({"command": command} if command else {}))
        return {
            "findings": documents,
            "further": {str(law): count for law, count in self.further.items()},
        }

    def lines(self) -> Iterator[str]:
        """The findings as lines of text, by law."""
        for law in self.broken:
            yield from ("", f"{law}: {law.sentence}")
            for finding in self.findings:
                if finding.law == law:
                    text = finding.text(self.command(finding.spot))
                    yield "  - " + text.replace("\n", "\n    ")
            if self.further[law]:
                yield f"  ... and {self.further[law]:,} more"


@dataclass
class CheckResult(Findings):
    """The result of checking a game by reading its text, by playing it, or both.

    Attributes:
        source: the text, if the game is one.
        diagnostics: the errors, warnings and remarks of the text.
        laws: the number of laws that were tested in play.
        checked: how much was looked at: games, states, samples and so on.
        played: sentences about the games that were played; empty if none were.
        trial: the results of these games as JSON, for a text.
        seconds: how long it took to play.
    """

    source: Source | None = None
    diagnostics: Sequence[Diagnostic] = ()
    laws: int = 0
    checked: Counter[str] = field(default_factory=Counter)
    played: str = ""
    trial: Mapping[str, Any] | None = None
    seconds: float = 0.0

    @classmethod
    def of_text(
        cls,
        source: Source,
        diagnostics: Sequence[Diagnostic],
        played: str = "",
        trial: Mapping[str, Any] | None = None,
    ) -> CheckResult:
        """The result for a text of which everything was checked."""
        order = list(Severity)
        return cls(
            source.name,
            complete=True,
            source=source,
            diagnostics=sorted(diagnostics, key=lambda shown: order.index(shown.severity)),
            played=played,
            trial=trial,
        )

    @property
    def ok(self) -> bool:
        """Whether there is no error, and no law was found broken."""
        return self.is_right()

    def is_right(self, strict: bool = False) -> bool:
        """Whether there is no finding and no error and, if strict, no warning."""
        errors, warnings, _ = self._counts()
        return not (self.findings or errors or (strict and warnings))

    def to_json(self, strict: bool = False) -> dict[str, Any]:
        """The result as JSON types; if strict, warnings count as errors for ``ok``."""
        errors, warnings, remarks = self._counts()
        source = self.source
        return {
            "game": self.game,
            **({} if source is None else {"file": source.name}),
            "ok": self.is_right(strict),
            "complete": self.complete,
            "errors": errors,
            "warnings": warnings,
            "remarks": remarks,
            "diagnostics": [to_json(shown, source) for shown in self.diagnostics if source],
            **self.findings_json(),
            "checked": dict(self.checked),
            "not_tried": list(self.not_tried),
            "seconds": round(self.seconds, 3),
            **({} if self.trial is None else {"trial": dict(self.trial)}),
        }

    def render(self, color: bool = False) -> str:
        """The result as text for a terminal; the verdict comes last."""
        source = self.source
        lines = [render(shown, source, color=color) + "\n" for shown in self.diagnostics if source]
        lines += map(printable, self.played.splitlines())
        lines += [*self.not_tried, *self.lines()]
        if self.findings:
            lines.append("")
        return "\n".join([*lines, f"{printable(self.game)}: {self._verdict()}."])

    def __str__(self) -> str:
        return self.render()

    def _verdict(self) -> str:
        """The numbers of problems in words."""
        counts = [
            counted(number, noun)
            for number, noun in zip(self._counts(), ("error", "warning", "remark"), strict=True)
            if number
        ]
        if broken := len(self.broken):
            counts.append(f"{counted(broken, 'law')} {'is' if broken == 1 else 'are'} broken")
        if counts:
            return listed(counts)
        if not self.laws:
            return "no problems"
        return f"all {self.laws} laws hold" if self.complete else "no law was found broken so far"

    def _counts(self) -> list[int]:
        """The numbers of errors, warnings and remarks."""
        severities = [diagnostic.severity for diagnostic in self.diagnostics]
        return [severities.count(severity) for severity in Severity]
