"""Finds the flaws of a game, each with its evidence.

Two runs with recorded decisions are examined. In random play an option is chosen for no reason, so
the result is its effect; in skilled play a judge values all options of a decision, the one that is
chosen and the others. Bounds of intervals, not means, are compared with limits that the games of
the library keep. What is found in one run is a suspicion; it becomes a finding once other games,
with seeds of their own, show it again (``confirmed``).
"""

from __future__ import annotations

import enum
import fnmatch
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.statistics import SIGNIFICANT, widened, wilson_interval
from kibitz.core.wording import counted, listed
from kibitz.reports.numbers import percent, points
from kibitz.studies.curves import BY_SCORE
from kibitz.studies.dominance import Dominance
from kibitz.studies.measures.choices import Choice
from kibitz.studies.measures.option_values import OptionValue
from kibitz.studies.results import Playtest
from kibitz.studies.values import CAUSE_WORDS, Performance

LEAST_SEAT = 0.03
"""Minimum advantage of a seat in skilled play, in shares of a win."""

LEAST_RANDOM_SEAT = 0.1
"""Minimum advantage of a seat that shows in random play only."""

LEAST_GAIN = 0.05
"""Minimum loss of a trap against another option, exclusive, in shares of a win."""

POWER = 0.3
"""Minimum worth of a card in the hand that a player is dealt, for it to decide the game.

The worth is a share of what can be won, or lost, beyond a fair share of the win. In games of the
library it is at most 0.2."""

STANDS_OUT = 0.05
"""Minimum distance of an option that is too strong from the best other one of its kind."""

FEWEST_OTHERS = 4
"""Minimum number of other options of a kind among which one can stand out."""

STRONG_GAIN = 0.2
"""Minimum gain, in shares of a win, of an option that is too strong and always chosen.

Without skilled play it is also the minimum loss of a trap."""

ALWAYS = 1 - 1e-9
"""Minimum win rate of an option that always wins, with allowance for rounding."""

SHUNNED = 0.25
"""Skilled players shun an option if they choose it less often than this factor times chance."""

EAGER = 0.9
"""Minimum share of decisions at which skilled players choose an option that is too strong."""

FEWEST_EXPECTED = 12
"""Minimum number of choices expected by chance for deciding whether an option is shunned."""

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

TIES = 0.2
"""The share of ties above which a game has too many."""

LITTLE = 0.005
"""Gain of the best option, in shares of a win, below which choices do not matter."""

FEWEST_JUDGED = 50
"""Minimum number of judged games after which choices may be said not to matter."""

MANY = 0.002
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
    TIES = "many games end in a tie"
    POINTLESS = "choices do not matter"


@dataclass(frozen=True)
class Flaw:
    """A flaw of a game.

    Attributes:
        subject: the seat, the pattern of the options, or the thing; empty for the whole game.
        sentence: the flaw and its evidence, in words for the designer.
        agents: labels of the agents in whose games the flaw shows.
        size: how large it is, in shares of a win or of the games, 0 to 1.
    """

    kind: FlawKind
    subject: str
    sentence: str
    agents: str
    size: float = 0.0

    def is_same(self, other: Flaw) -> bool:
        """Whether another run shows the same flaw."""
        return self.kind is other.kind and (
            self.subject == other.subject or _is_reported(self.subject, [other.subject])
        )

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "flaw": self.kind.value,
            "subject": self.subject,
            "sentence": self.sentence,
            "agents": self.agents,
            "size": self.size,
        }


def flaws(
    chance: Playtest, skilled: Playtest | None = None, simple: Dominance | None = None
) -> tuple[Flaw, ...]:
    """The flaws that two runs of a game show: those of skilled play first, the largest first.

    Args:
        chance: a playtest of random play.
        skilled: a playtest of an agent that searches.
        simple: the results of simple policies.
    """
    runs = [run for run in (skilled, chance) if run is not None]
    all_flaws = [
        *_endless(runs),
        *_ties(runs),
        *_pointless(skilled),
        *_seats(chance, skilled),
        *_dead(chance),
        *_options(chance, skilled),
        *_dominant(simple),
        *_runaway(runs),
        *_kingmaker(runs),
    ]
    best = _who(runs[0])
    order = sorted(
        all_flaws,
        key=lambda flaw: (
            flaw.kind is not FlawKind.ENDLESS,
            flaw.agents == "random" and flaw.agents != best,
            -flaw.size,
        ),
    )
    return tuple(order)


def confirmed(suspected: Iterable[Flaw], again: Collection[Flaw]) -> tuple[Flaw, ...]:
    """The suspected flaws that other games show again, with the evidence of those games alone.

    A suspicion picks the largest of many effects, which looks larger than it is; games that were
    not searched for it have no such bias.
    """
    found: list[Flaw] = []
    for flaw in suspected:
        same = [other for other in again if flaw.is_same(other) and other not in found]
        found += same[:1]
    return tuple(found)


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
            FlawKind.ENDLESS,
            "",
            f"{share} of the games come to no end ({words}).",
            _who(run),
            broken / run.games,
        )
        return


def _ties(runs: Sequence[Playtest]) -> Iterator[Flaw]:
    """The flaw that too many games end in a tie, in the best play with enough games."""
    for run in runs:
        if not run.has_rivals or run.tie_rate is None or run.tie_interval is None:
            continue
        if run.tie_interval[0] > TIES:
            share = percent(run.tie_rate, run.tie_interval)
            yield Flaw(
                FlawKind.TIES, "", f"{share} of the games end in a tie.", _who(run), run.tie_rate
            )
        return


def _pointless(skilled: Playtest | None) -> Iterator[Flaw]:
    """The flaw that no option is better than another one."""
    if skilled is None or (skilled["judged_games"] or 0) < FEWEST_JUDGED:
        return
    gain, interval = skilled["choice_gain"], skilled["choice_gain_interval"]
    if interval is not None and interval[1] < LITTLE:
        yield Flaw(
            FlawKind.POINTLESS,
            "",
            f"The best option wins {points(gain, interval)} more than the average one.",
            _who(skilled),
            1.0,
        )


def _seats(chance: Playtest, skilled: Playtest | None) -> Iterator[Flaw]:
    """Flaws of seats with an advantage or disadvantage: those of skilled play.

    A large effect in random play counts, too, where skilled play leaves it possible.
    """
    reported: set[int | None] = set()
    if skilled is not None:
        yield from _unequal_seats(skilled, reported, LEAST_SEAT)
    least = LEAST_SEAT if skilled is None else LEAST_RANDOM_SEAT
    for flaw in _unequal_seats(chance, set(reported), least):
        if not reported and (skilled is None or _is_possible(flaw, chance, skilled)):
            yield flaw


def _is_possible(flaw: Flaw, chance: Playtest, skilled: Playtest) -> bool:
    """Whether skilled games leave it possible that a seat wins as it does at random."""
    for at_random, seat in zip(chance.rivals, skilled.rivals, strict=True):
        if chance.side_of(at_random).partition(" ")[2] == flaw.subject and seat.win_interval:
            low, high = seat.win_interval
            return low <= (at_random.win_rate or 0.0) <= high
    return False


def _unequal_seats(run: Playtest, reported: set[int | None], least: float) -> Iterator[Flaw]:
    """The seats of a run that surely win more or less than their share.

    Once a seat is reported, the others are compared with equal shares of the remaining wins.
    """
    fairness = run.fairness
    if fairness is None or fairness.p_value is None or fairness.p_value >= SIGNIFICANT:
        return
    fair = fairness.fair_share
    while seat := _unequal(run, reported):
        reported.add(seat.seat)
        rate = seat.win_rate or 0.0
        if abs(rate - fair) < least:
            continue
        more = "more" if rate > fair else "less"
        side = run.side_of(seat)
        won = percent(rate, seat.win_interval)
        wins, its = ("win", "their") if " and " in side else ("wins", "its")
        yield Flaw(
            FlawKind.SEAT,
            side.partition(" ")[2],
            f"{side.capitalize()} {wins} {won}, {more} than {its} fair {percent(fair)}.",
            _who(run),
            abs(rate - fair),
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
    """Flaws of options that are too strong or too weak, each reported once."""
    reported: list[str] = []
    if chance.sides_are_alike and not chance.won_together and not chance.lost_together:
        yield from _dealt(chance, reported)
    yield from _strong(chance, skilled, reported)
    yield from _outstanding(chance, skilled, reported)
    yield from _traps(chance, skilled, reported)


def _dealt(run: Playtest, reported: list[str]) -> Iterator[Flaw]:
    """Flaws of things, such as cards, that decide the game for a player to whom they are dealt.

    The deal is a random assignment: who has the thing at the first decision differs from the
    others by nothing else. Options that always come together describe a situation, not a thing.
    """
    fair, names = run.fair_share, option_names(run)
    dealt = [
        choice
        for choice in run["choices"]
        if choice.named and choice.held_win_rate is not None and choice.held_win_interval
    ]
    together = Counter((choice.held, choice.held_win_rate) for choice in dealt)
    powerful: list[tuple[float, Choice]] = []
    for choice in dealt:
        if together[choice.held, choice.held_win_rate] > 1:
            continue
        low, high = widened(choice.held_win_interval, choice.held_win_rate)
        power = max((low - fair) / (1 - fair), (fair - high) / fair)
        if power > POWER:
            powerful.append((power, choice))
    for power, choice in sorted(powerful, key=lambda each: (-each[0], each[1].pattern)):
        if _is_reported(choice.pattern, reported):
            continue
        reported.append(choice.pattern)
        strong = (choice.held_win_rate or 0.0) > fair
        wins = percent(choice.held_win_rate, choice.held_win_interval)
        yield Flaw(
            FlawKind.TOO_STRONG if strong else FlawKind.TOO_WEAK,
            choice.pattern,
            f"Who is dealt what it takes for '{names[choice.pattern]}' wins {wins} of the games, "
            f"{'more' if strong else 'less'} than a fair {percent(fair)}.",
            _who(run),
            power,
        )


def _strong(chance: Playtest, skilled: Playtest | None, reported: list[str]) -> Iterator[Flaw]:
    """Flaws of options that gain much at random and that skilled players almost always take.

    An action that always wins, such as a step onto the last row, is the aim of the game, unless
    it has a name: a card that always wins is too strong.
    """
    names, taken = option_names(chance), _by_pattern(skilled)
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
            f"'{names[choice.pattern]}' wins {_gain(choice, 1)} more than another option{always}.",
            _who(chance),
            choice.gain or 0.0,
        )


def _outstanding(
    chance: Playtest, skilled: Playtest | None, reported: list[str]
) -> Iterator[Flaw]:
    """Flaws of cards that gain far more than the next best one, also in skilled play."""
    names, values = option_names(chance), option_values(skilled)
    kinds: dict[str, list[Choice]] = {}
    for choice in chance["choices"]:
        if choice.named and choice.gain is not None and "*" not in choice.pattern:
            kinds.setdefault(_kind_of(choice.pattern, names), []).append(choice)
    for alike in kinds.values():
        first, *others = sorted(alike, key=lambda choice: -(choice.gain or 0.0))
        if len(others) < FEWEST_OTHERS or _is_reported(first.pattern, reported):
            continue
        next_best = others[0].gain or 0.0
        value = values.get(first.pattern)
        if _surely(first, 1) - max(0.0, next_best) < STANDS_OUT:
            continue
        if skilled is not None and (value is None or value.interval[0] <= 0):
            continue
        reported.append(first.pattern)
        judged = (
            ""
            if value is None
            else f"; among skilled players, by the judge, {points(value.gain, value.interval)}"
        )
        yield Flaw(
            FlawKind.TOO_STRONG,
            first.pattern,
            f"'{names[first.pattern]}' wins {_gain(first, 1)} more than another option{judged}. "
            f"Next comes '{names[others[0].pattern]}' with {_gain(others[0], 1)}.",
            _who(chance) if skilled is None else _who(skilled),
            (first.gain or 0.0) if value is None else value.gain,
        )


def _traps(chance: Playtest, skilled: Playtest | None, reported: list[str]) -> Iterator[Flaw]:
    """Flaws of options that skilled players shun: traps, and options that they never use."""
    names, taken = option_names(chance), _by_pattern(skilled)
    for choice in sorted(chance["choices"], key=lambda choice: -_surely(choice, -1)):
        loss = _surely(choice, -1)
        skill = taken.get(choice.pattern)
        is_large = loss >= STRONG_GAIN
        if skilled is None:
            if not is_large:
                continue
        elif skill is None or not _shunned(skill):
            continue
        if skill is not None and not is_large and _is_harmless(choice, skill):
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
                f"'{names[choice.pattern]}' wins {_gain(choice, -1)} less than another "
                f"option.{rate}",
                _who(chance),
                -(choice.gain or 0.0),
            )
        elif skill is not None and skill.chosen == 0:
            reported.append(choice.pattern)
            yield Flaw(
                FlawKind.UNUSED,
                choice.pattern,
                f"'{names[choice.pattern]}' is never chosen by skilled players, although it is "
                f"offered {counted(skill.offered, 'time')}.",
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
            (simple.win_rate or 0.0) - simple.fair_share,
        )


def _runaway(runs: Sequence[Playtest]) -> Iterator[Flaw]:
    for run in runs:
        growth, interval = run["lead_growth"], run["lead_growth_interval"]
        if run["course_by"] != BY_SCORE or growth is None or interval is None:
            continue
        if interval[0] > GROWTH:
            wins = percent(run["leader_at_half_wins"], run["leader_at_half_interval"])
            yield Flaw(
                FlawKind.RUNAWAY,
                "",
                f"Leads at half-time grow by {percent(growth, interval)} "
                f"until the end, and who leads then wins {wins} of the games.",
                _who(run),
                max(0.0, (run["leader_at_half_wins"] or 0.0) - run.fair_share),
            )
            return


def _kingmaker(runs: Sequence[Playtest]) -> Iterator[Flaw]:
    for run in runs:
        share, interval = run["kingmaking"], run["kingmaking_interval"]
        if share is None or interval is None or interval[0] <= KINGS:
            continue
        yield Flaw(
            FlawKind.KINGMAKER,
            "",
            f"Players who cannot win decide {percent(share, interval)} of who does.",
            _who(run),
            share,
        )
        return


def _by_pattern(run: Playtest | None) -> dict[str, Choice]:
    return {} if run is None else {choice.pattern: choice for choice in run["choices"]}


def option_values(run: Playtest | None) -> dict[str, OptionValue]:
    """What the judge thinks of options in a run, by their patterns."""
    return {} if run is None else {value.pattern: value for value in run["option_values"]}


def option_names(run: Playtest) -> dict[str, str]:
    """Short names of groups of options by their patterns: by the deed and the card.

    Where a card goes is left out if nothing else can be done with it.
    """
    patterns = [choice.pattern for choice in run["choices"]]
    heads = Counter(_head(pattern) for pattern in patterns)
    return {
        pattern: _head(pattern) if heads[_head(pattern)] == 1 else pattern for pattern in patterns
    }


def _head(pattern: str) -> str:
    """The words of a pattern up to where a card goes."""
    return pattern.partition(" to ")[0]


def _kind_of(pattern: str, patterns: Iterable[str]) -> str:
    """The pattern with the most letters open that contains another one, its own kind."""
    wider = [other for other in patterns if fnmatch.fnmatchcase(pattern, other)]
    return max(wider, key=lambda other: (other.count("*"), -len(other)))


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
    return choice.chosen < SHUNNED * choice.expected and choice.rate_interval[1] < by_chance


def _is_harmless(choice: Choice, skill: Choice) -> bool:
    """Whether nobody ever has to choose an option, so that it costs those who know it nothing.

    Such are the Princess of Love Letter and the highest of all bids, which have to be legal.
    """
    return choice.always == 0 and skill.always == 0


def _is_reported(pattern: str, reported: Sequence[str]) -> bool:
    """Whether a group of options contains, or is part of, one that was reported."""
    return any(
        fnmatch.fnmatchcase(pattern, other) or fnmatch.fnmatchcase(other, pattern)
        for other in reported
    )
