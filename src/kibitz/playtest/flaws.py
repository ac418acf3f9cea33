"""Flaws of a game, which a designer wants to know first, each with its evidence.

Two runs are looked at, both with their decisions: one of random play, in which an option is
chosen for no reason, so that what follows is its doing; and one of skilled play, which shows what
survives good sense. Bounds of 99 % intervals are compared, not means, with limits that games of
the library keep: so a sound game is rarely blamed.
"""

from __future__ import annotations

import enum
import fnmatch
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.wording import counted, listed
from kibitz.playtest.curves import BY_SCORE
from kibitz.playtest.dominance import Dominance
from kibitz.playtest.measures.choices import Choice
from kibitz.playtest.results import Playtest
from kibitz.playtest.statistics import Interval, wilson_interval
from kibitz.playtest.values import CAUSE_WORDS, Performance
from kibitz.reports.numbers import percent, points

SURE = 0.01
"""The p-value below which seats are said to differ."""
SURELY = 2.576 / 1.96
"""How much wider a 99 % interval is than one of 95 %."""
LEAST_GAIN = 0.05
"""An option that loses less than such a share of a win is no trap."""
STRONG_GAIN = 0.2
"""One that gains less is not too strong."""
ALWAYS = 1 - 1e-9
"""Who wins such a share of the games always wins."""
SHUNNED = 0.25
"""Skilled players shun what they choose less often than so many times as chance does."""
EAGER = 0.9
"""They always choose what they choose in such a share of the decisions."""
FEWEST_EXPECTED = 12
"""Fewer choices by chance do not tell whether skilled players shun an option."""
POWER = 0.3
"""What it is worth to have a card, as a share of all that could be won or lost beyond a fair
share: in games of the library at most .2."""
GROWTH = 0.35
"""Leads that grow by less in the second half are usual: whoever plays well goes on doing so."""
KINGS = 0.1
"""What players who cannot win decide of the outcome in a game with kingmakers, at least."""
RARE = 0.1
"""So few of the things that actions are about may never turn up in one by mistake."""
ENOUGH = 100
"""In fewer games something may never have turned up by chance."""
MANY = 0.01
"""So many games may break off,"""
FEWEST_BROKEN = 3
"""and fewer than that in any case."""


class FlawKind(enum.Enum):
    """Kinds of flaws."""

    SEAT = "a seat has an advantage"
    TOO_STRONG = "an option is too strong"
    TOO_WEAK = "an option is too weak"
    TRAP = "an option is a trap"
    UNUSED = "an option is never used"
    DOMINANT = "one simple policy beats thinking"
    DEAD = "something can never be chosen"
    KINGMAKER = "a player who cannot win decides who does"
    RUNAWAY = "the leader runs away"
    ENDLESS = "games do not end"


@dataclass(frozen=True)
class Flaw:
    """A flaw of a game.

    Attributes:
        kind: what.
        subject: the seat, or the pattern of the options, or the thing; empty for the game.
        sentence: for the designer.
        agents: in whose games it shows.
    """

    kind: FlawKind
    subject: str
    sentence: str
    agents: str

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "flaw": self.kind.value,
            "subject": self.subject,
            "sentence": self.sentence,
            "agents": self.agents,
        }


def flaws(
    chance: Playtest, skilled: Playtest | None = None, simple: Dominance | None = None
) -> tuple[Flaw, ...]:
    """The flaws that two runs of a game show; the gravest first.

    Args:
        chance: of random play.
        skilled: of an agent that searches.
        simple: how simple policies fare.
    """
    runs = [run for run in (skilled, chance) if run is not None]
    found = [
        *_endless(runs),
        *_seats(runs),
        *_dead(chance),
        *_options(chance, skilled),
        *_dominant(simple),
        *_runaway(runs),
        *_kingmaker(runs),
    ]
    return tuple(found)


def _who(run: Playtest) -> str:
    return listed([agent.agent or "" for agent in run.agents])


def _wider(interval: Interval, middle: float) -> Interval:
    """A 95 % interval, made one of 99 %."""
    low, high = interval
    return middle - (middle - low) * SURELY, middle + (high - middle) * SURELY


def _endless(runs: Sequence[Playtest]) -> Iterator[Flaw]:
    for run in runs:
        causes = [one for one in run.unfinished if one.cause not in ("agent_error", "interrupted")]
        broken = sum(one.games for one in causes)
        if broken < max(FEWEST_BROKEN, MANY * run.games):
            continue
        words = listed([CAUSE_WORDS[one.cause] for one in causes])
        share = percent(broken / run.games, wilson_interval(broken, run.games))
        yield Flaw(
            FlawKind.ENDLESS, "", f"{share} of the games come to no end ({words}).", _who(run)
        )
        return


def _seats(runs: Sequence[Playtest]) -> Iterator[Flaw]:
    """Flaws of seats with an advantage or disadvantage; skilled play comes first.

    Once a seat is told, what the others win is compared with an equal part of what it leaves. Each
    is told once: what few games of skilled play say of one does not hide what many random ones say
    of another.
    """
    reported: set[int | None] = set()
    for run in runs:
        fairness = run.fairness
        if fairness is None or fairness.p_value is None or fairness.p_value >= SURE:
            continue
        while seat := _unequal(run, reported):
            reported.add(seat.seat)
            rate = seat.win_rate or 0.0
            more = "more" if rate > fairness.fair_share else "less"
            yield Flaw(
                FlawKind.SEAT,
                str(seat.seat),
                f"Seat {seat.seat} wins {percent(rate, seat.win_interval)}, {more} than its fair "
                f"{percent(fairness.fair_share)}.",
                _who(run),
            )
            if run.players == 2:
                return  # what one wins the other one loses


def _unequal(run: Playtest, reported: Collection[int | None]) -> Performance | None:
    """The seat not reported yet whose share of wins is farthest from equal, if surely unequal."""
    left = [seat for seat in run.seats if seat.seat not in reported]
    rates = [seat.win_rate or 0.0 for seat in left]
    if len(left) < 2:
        return None
    equal = sum(rates) / len(rates)
    if run.players == 2:
        seat = max(left, key=lambda seat: seat.win_rate or 0.0)
    else:
        seat = max(left, key=lambda seat: round(abs((seat.win_rate or 0.0) - equal), 9))
    interval = seat.win_interval or (0.0, 1.0)
    if reported:  # seats together may differ where no one surely does
        interval = _wider(interval, seat.win_rate or 0.0)
    return None if interval[0] <= equal <= interval[1] else seat


def _dead(run: Playtest) -> Iterator[Flaw]:
    """Flaws of cards and the like that no option ever names, where most are named."""
    if run.finished < ENOUGH:
        return
    missing = run["missing"]  # not the kinds: some are for other numbers of players
    if len(missing) <= RARE * run["things"]:
        for thing in missing:
            yield Flaw(
                FlawKind.DEAD,
                thing,
                f"{thing} could not be chosen once in {counted(run.finished, 'game')}.",
                _who(run),
            )


def _options(chance: Playtest, skilled: Playtest | None) -> Iterator[Flaw]:
    """Flaws of options and cards that are too strong or too weak, each reported once."""
    reported: list[str] = []
    if chance.players > 1 and not chance.won_together and not chance.lost_together:
        yield from _held(chance, reported)
    yield from _strong(chance, skilled, reported)
    yield from _traps(chance, skilled, reported)


def _held(run: Playtest, reported: list[str]) -> Iterator[Flaw]:
    """Cards and the like that decide the game for their holder, whenever they are played."""
    fair = 1 / run.players
    found: list[tuple[float, float, Choice]] = []
    for one in run["choices"]:
        if not one.named or one.held_win_rate is None or one.held_win_interval is None:
            continue
        low, high = _wider(one.held_win_interval, one.held_win_rate)
        power = max((low - fair) / (1 - fair), (fair - high) / fair)
        if power > POWER:
            found.append((power, one.held_win_rate, one))
    for _, rate, one in sorted(found, key=lambda each: (-each[0], each[2].pattern)):
        if _is_reported(one.pattern, reported):
            continue
        reported.append(one.pattern)
        strong = rate > fair
        wins = percent(rate, one.held_win_interval)
        yield Flaw(
            FlawKind.TOO_STRONG if strong else FlawKind.TOO_WEAK,
            one.pattern,
            f"Who can choose '{one.pattern}' wins {wins} of the games, "
            f"{'more' if strong else 'less'} than a fair {percent(fair)}.",
            _who(run),
        )


def _strong(chance: Playtest, skilled: Playtest | None, reported: list[str]) -> Iterator[Flaw]:
    """Options that gain much at random, and that the skilled take whenever they can.

    A move that always wins, such as a step onto the last row, is the aim of the game; a card that
    always wins is too strong.
    """
    taken = _by_pattern(skilled)
    found = [
        one
        for one in chance["choices"]
        if _surely(one, 1) > STRONG_GAIN and (one.named or (one.win_rate or 0.0) < ALWAYS)
    ]
    for one in sorted(found, key=lambda one: -_surely(one, 1)):
        skill = taken.get(one.pattern)
        if skilled is not None and not (skill and skill.rate and skill.rate >= EAGER):
            continue
        if _is_reported(one.pattern, reported):
            continue
        reported.append(one.pattern)
        always = f", and is chosen in {percent(skill.rate)} of the decisions" if skill else ""
        yield Flaw(
            FlawKind.TOO_STRONG,
            one.pattern,
            f"'{one.pattern}' wins {_gain(one, 1)} more than another option{always}.",
            _who(chance),
        )


def _traps(chance: Playtest, skilled: Playtest | None, reported: list[str]) -> Iterator[Flaw]:
    """Options that lose at random and that the skilled shun; or that they shun without a loss."""
    taken = _by_pattern(skilled)
    for one in sorted(chance["choices"], key=lambda one: -_surely(one, -1)):
        loss = _surely(one, -1)
        skill = taken.get(one.pattern)
        if skilled is None:
            if loss < STRONG_GAIN:
                continue
        elif skill is None or not _shunned(skill):
            continue
        if _is_reported(one.pattern, reported):
            continue
        if loss > LEAST_GAIN:
            reported.append(one.pattern)
            rate = (
                ""
                if skill is None
                else (
                    f" Skilled players chose it {counted(skill.chosen, 'time')}; by chance it "
                    f"would have been {counted(round(skill.expected), 'time')}."
                )
            )
            yield Flaw(
                FlawKind.TRAP,
                one.pattern,
                f"'{one.pattern}' wins {_gain(one, -1)} less than another option.{rate}",
                _who(chance),
            )
        elif skill is not None and skill.chosen == 0:
            reported.append(one.pattern)
            yield Flaw(
                FlawKind.UNUSED,
                one.pattern,
                f"'{one.pattern}' is never chosen by skilled players, although it is offered "
                f"{counted(skill.offered, 'time')}.",
                "" if skilled is None else _who(skilled),
            )


def _dominant(simple: Dominance | None) -> Iterator[Flaw]:
    best = None if simple is None else simple.best
    if simple is not None and best is not None and simple.dominates:
        wins = percent(simple.win_rate, simple.win_interval)
        yield Flaw(
            FlawKind.DOMINANT,
            best.pattern or best.words,
            f"One policy is enough to win {wins} against {simple.skilled}, where equal players "
            f"would win {percent(simple.fair_share)}: {best.words}.",
            simple.skilled,
        )


def _runaway(runs: Sequence[Playtest]) -> Iterator[Flaw]:
    for run in runs:
        growth, interval = run["lead_growth"], run["lead_growth_interval"]
        if run["course_by"] != BY_SCORE or growth is None or interval is None:
            continue
        if _wider(interval, growth)[0] > GROWTH:
            wins = percent(run["leader_at_half_wins"], run["leader_at_half_interval"])
            yield Flaw(
                FlawKind.RUNAWAY,
                "",
                f"Leads at half-time grow by {percent(growth, interval)} "
                f"until the end, and who leads then wins {wins} of the games.",
                _who(run),
            )
            return


def _kingmaker(runs: Sequence[Playtest]) -> Iterator[Flaw]:
    for run in runs:
        share, interval = run["kingmaking"], run["kingmaking_interval"]
        if share is None or interval is None or _wider(interval, share)[0] <= KINGS:
            continue
        yield Flaw(
            FlawKind.KINGMAKER,
            "",
            f"Players who cannot win decide {percent(share, interval)} of who does.",
            _who(run),
        )
        return


def _by_pattern(run: Playtest | None) -> dict[str, Choice]:
    return {} if run is None else {one.pattern: one for one in run["choices"]}


def _surely(one: Choice, sign: int) -> float:
    """How much an option gains (1) or loses (-1) at least."""
    if one.gain is None or one.gain_interval is None:
        return -1.0
    low, high = _wider(one.gain_interval, one.gain)
    return low if sign > 0 else -high


def _gain(one: Choice, sign: int) -> str:
    """How much more (1) or less (-1) an option wins."""
    low, high = sorted(sign * bound for bound in one.gain_interval or (0.0, 0.0))
    return points(sign * (one.gain or 0.0), (low, high))


def _shunned(one: Choice) -> bool:
    """Whether skilled players choose it much less often than chance would."""
    if one.expected < FEWEST_EXPECTED or one.rate_interval is None or one.rate is None:
        return False
    by_chance = one.expected / one.offered
    return one.chosen < SHUNNED * one.expected and (
        _wider(one.rate_interval, one.rate)[1] < by_chance
    )


def _is_reported(pattern: str, reported: Sequence[str]) -> bool:
    """Whether a group contains, or is part of, one that was reported."""
    return any(
        fnmatch.fnmatchcase(pattern, other) or fnmatch.fnmatchcase(other, pattern)
        for other in reported
    )
