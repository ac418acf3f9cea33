"""Finds the flaws of a game, each with its evidence.

Two runs with recorded decisions are examined. In random play an option is chosen for no reason, so
the result is its effect; skilled play shows which of these effects remain when players choose
well. Bounds of 99 % intervals, not means, are compared with limits that the games of the library
keep, so that a sound game is rarely blamed.
"""

from __future__ import annotations

import enum
import fnmatch
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.statistics import widened, wilson_interval
from kibitz.core.wording import counted, listed
from kibitz.reports.numbers import percent, points
from kibitz.studies.curves import BY_SCORE
from kibitz.studies.dominance import Dominance
from kibitz.studies.measures.choices import Choice
from kibitz.studies.results import Playtest
from kibitz.studies.sentences import SURE
from kibitz.studies.values import CAUSE_WORDS, Performance

LEAST_GAIN = 0.05
"""Minimum loss of a trap against another option, exclusive, in shares of a win."""

STRONG_GAIN = 0.2
"""Minimum gain, in shares of a win, of an option that is too strong.

Without skilled play it is also the minimum loss of a trap."""

ALWAYS = 1 - 1e-9
"""Minimum win rate of an option that always wins, with allowance for rounding."""

SHUNNED = 0.25
"""Skilled players shun an option if they choose it less often than this factor times chance."""

EAGER = 0.9
"""Minimum share of decisions at which skilled players choose an option that is too strong."""

FEWEST_EXPECTED = 12
"""Minimum number of choices expected by chance for deciding whether an option is shunned."""

POWER = 0.3
"""Minimum worth of having a card that decides a game.

The worth is a share of what can be won, or lost, beyond a fair share of the win. In games of the
library it is at most 0.2."""

GROWTH = 0.35
"""Minimum growth of leads in the second half of a game whose leader runs away.

Some growth is usual, because players who play well go on doing so."""

KINGS = 0.1
"""Minimum share of the outcome that players who cannot win decide in a game with kingmakers."""

RARE = 0.1
"""Maximum share of a game's things that are never in an action, for each to be a flaw.

A larger share is probably intended."""

ENOUGH = 100
"""Minimum number of games after which a thing that never occurred in an action is a flaw."""

MANY = 0.01
"""Minimum share of games that break off in a game whose games do not end."""

FEWEST_BROKEN = 3
"""Minimum number of games that break off in a game whose games do not end."""


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
        subject: the seat, the pattern of the options, or the thing; empty for the whole game.
        sentence: the flaw and its evidence, in words for the designer.
        agents: labels of the agents in whose games the flaw shows.
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
    """The flaws that two runs of a game show, the gravest first.

    Args:
        chance: a playtest of random play.
        skilled: a playtest of an agent that searches.
        simple: the results of simple policies.
    """
    runs = [run for run in (skilled, chance) if run is not None]
    all_flaws = [
        *_endless(runs),
        *_seats(runs),
        *_dead(chance),
        *_options(chance, skilled),
        *_dominant(simple),
        *_runaway(runs),
        *_kingmaker(runs),
    ]
    return tuple(all_flaws)


def _who(run: Playtest) -> str:
    return listed([agent.agent or "" for agent in run.agents])


def _endless(runs: Sequence[Playtest]) -> Iterator[Flaw]:
    for run in runs:
        causes = [cause for cause in run.unfinished if cause.cause != "agent_error"]
        broken = sum(cause.games for cause in causes)
        if broken < max(FEWEST_BROKEN, MANY * run.games):
            continue
        words = listed([CAUSE_WORDS[cause.cause] for cause in causes])
        share = percent(broken / run.games, wilson_interval(broken, run.games))
        yield Flaw(
            FlawKind.ENDLESS, "", f"{share} of the games come to no end ({words}).", _who(run)
        )
        return


def _seats(runs: Sequence[Playtest]) -> Iterator[Flaw]:
    """Flaws of seats with an advantage or disadvantage, those of skilled play first.

    Once a seat is reported, the others are compared with equal shares of the remaining wins. Each
    seat is reported once; random play may add seats to those that skilled play shows.
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
            side = run.side_of(seat)
            won = percent(rate, seat.win_interval)
            wins, its = ("win", "their") if " and " in side else ("wins", "its")
            yield Flaw(
                FlawKind.SEAT,
                side.partition(" ")[2],
                f"{side.capitalize()} {wins} {won}, {more} than {its} fair "
                f"{percent(fairness.fair_share)}.",
                _who(run),
            )
            if len(run.sides) == 2:
                return  # the other side's disadvantage is the same flaw


def _unequal(run: Playtest, reported: Collection[int | None]) -> Performance | None:
    """The side not reported yet whose share of wins is farthest from equal, if surely unequal."""
    unreported = [seat for seat in run.rivals if seat.seat not in reported]
    rates = [seat.win_rate or 0.0 for seat in unreported]
    if len(unreported) < 2:
        return None
    equal = sum(rates) / len(rates)
    if len(run.sides) == 2:
        seat = max(unreported, key=lambda seat: seat.win_rate or 0.0)
    else:
        seat = max(unreported, key=lambda seat: round(abs((seat.win_rate or 0.0) - equal), 9))
    interval = seat.win_interval or (0.0, 1.0)
    if reported:  # the fairness test does not cover the remaining seats
        interval = widened(interval, seat.win_rate or 0.0)
    return None if interval[0] <= equal <= interval[1] else seat


def _dead(run: Playtest) -> Iterator[Flaw]:
    """Flaws of things, such as cards, that no option names although most others are named."""
    if run.finished < ENOUGH:
        return
    missing = run["missing"]  # not the kinds: some are for other numbers of players
    if len(missing) <= RARE * run["things"]:
        for name in missing:
            yield Flaw(
                FlawKind.DEAD,
                name,
                f"{name} could not be chosen once in {counted(run.finished, 'game')}.",
                _who(run),
            )


def _options(chance: Playtest, skilled: Playtest | None) -> Iterator[Flaw]:
    """Flaws of options and cards that are too strong or too weak, each reported once."""
    reported: list[str] = []
    if chance.sides_are_alike and not chance.won_together and not chance.lost_together:
        yield from _held(chance, reported)
    yield from _strong(chance, skilled, reported)
    yield from _traps(chance, skilled, reported)


def _held(run: Playtest, reported: list[str]) -> Iterator[Flaw]:
    """Flaws of things, such as cards, that decide the game for a player who could play them."""
    fair = run.fair_share
    powerful: list[tuple[float, float, Choice]] = []
    for choice in run["choices"]:
        if not choice.named or choice.held_win_rate is None or choice.held_win_interval is None:
            continue
        low, high = widened(choice.held_win_interval, choice.held_win_rate)
        power = max((low - fair) / (1 - fair), (fair - high) / fair)
        if power > POWER:
            powerful.append((power, choice.held_win_rate, choice))
    for _, rate, choice in sorted(powerful, key=lambda each: (-each[0], each[2].pattern)):
        if _is_reported(choice.pattern, reported):
            continue
        reported.append(choice.pattern)
        strong = rate > fair
        wins = percent(rate, choice.held_win_interval)
        yield Flaw(
            FlawKind.TOO_STRONG if strong else FlawKind.TOO_WEAK,
            choice.pattern,
            f"Who can choose '{choice.pattern}' wins {wins} of the games, "
            f"{'more' if strong else 'less'} than a fair {percent(fair)}.",
            _who(run),
        )


def _strong(chance: Playtest, skilled: Playtest | None, reported: list[str]) -> Iterator[Flaw]:
    """Flaws of options that gain much at random and that skilled players almost always take.

    An action that always wins, such as a step onto the last row, is the aim of the game, unless
    it has a name: a card that always wins is too strong.
    """
    taken = _by_pattern(skilled)
    strong = [
        choice
        for choice in chance["choices"]
        if _surely(choice, 1) > STRONG_GAIN and (choice.named or (choice.win_rate or 0.0) < ALWAYS)
    ]
    for choice in sorted(strong, key=lambda choice: -_surely(choice, 1)):
        skill = taken.get(choice.pattern)
        if skilled is not None and not (skill and skill.rate and skill.rate >= EAGER):
            continue
        if _is_reported(choice.pattern, reported):
            continue
        reported.append(choice.pattern)
        always = f", and is chosen in {percent(skill.rate)} of the decisions" if skill else ""
        yield Flaw(
            FlawKind.TOO_STRONG,
            choice.pattern,
            f"'{choice.pattern}' wins {_gain(choice, 1)} more than another option{always}.",
            _who(chance),
        )


def _traps(chance: Playtest, skilled: Playtest | None, reported: list[str]) -> Iterator[Flaw]:
    """Flaws of options that skilled players shun: traps, and options that they never use."""
    taken = _by_pattern(skilled)
    for choice in sorted(chance["choices"], key=lambda choice: -_surely(choice, -1)):
        loss = _surely(choice, -1)
        skill = taken.get(choice.pattern)
        if skilled is None:
            if loss < STRONG_GAIN:
                continue
        elif skill is None or not _shunned(skill):
            continue
        if _is_reported(choice.pattern, reported):
            continue
        if loss > LEAST_GAIN:
            reported.append(choice.pattern)
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
                choice.pattern,
                f"'{choice.pattern}' wins {_gain(choice, -1)} less than another option.{rate}",
                _who(chance),
            )
        elif skill is not None and skill.chosen == 0:
            reported.append(choice.pattern)
            yield Flaw(
                FlawKind.UNUSED,
                choice.pattern,
                f"'{choice.pattern}' is never chosen by skilled players, although it is offered "
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
        if widened(interval, growth)[0] > GROWTH:
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
        if share is None or interval is None or widened(interval, share)[0] <= KINGS:
            continue
        yield Flaw(
            FlawKind.KINGMAKER,
            "",
            f"Players who cannot win decide {percent(share, interval)} of who does.",
            _who(run),
        )
        return


def _by_pattern(run: Playtest | None) -> dict[str, Choice]:
    return {} if run is None else {choice.pattern: choice for choice in run["choices"]}


def _surely(choice: Choice, sign: int) -> float:
    """The least gain (sign 1) or loss (sign -1) of an option by its 99 % interval."""
    if choice.gain is None or choice.gain_interval is None:
        return -1.0
    low, high = widened(choice.gain_interval, choice.gain)
    return low if sign > 0 else -high


def _gain(choice: Choice, sign: int) -> str:
    """The gain (sign 1) or loss (sign -1) of an option in words."""
    low, high = sorted(sign * bound for bound in choice.gain_interval or (0.0, 0.0))
    return points(sign * (choice.gain or 0.0), (low, high))


def _shunned(choice: Choice) -> bool:
    """Whether skilled players choose an option much less often than random ones."""
    if choice.expected < FEWEST_EXPECTED or choice.rate_interval is None or choice.rate is None:
        return False
    by_chance = choice.expected / choice.offered
    return choice.chosen < SHUNNED * choice.expected and (
        widened(choice.rate_interval, choice.rate)[1] < by_chance
    )


def _is_reported(pattern: str, reported: Sequence[str]) -> bool:
    """Whether a group of options contains, or is part of, one that was reported."""
    return any(
        fnmatch.fnmatchcase(pattern, other) or fnmatch.fnmatchcase(other, pattern)
        for other in reported
    )
