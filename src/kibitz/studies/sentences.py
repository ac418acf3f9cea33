"""The results of a playtest in sentences: who wins, fairness, skill and length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import NormalDist

from kibitz.core.statistics import SIGNIFICANT, Z, widened, wilson_interval
from kibitz.core.wording import counted, listed
from kibitz.reports.document import Sentence
from kibitz.reports.numbers import mean, number, percent, short
from kibitz.studies.results import Playtest
from kibitz.studies.values import Performance

SURE = 0.01
"""Maximum p-value of the fairness test, exclusive, for an advantage of a seat to be sure."""


def sentences(playtest: Playtest) -> Iterator[Sentence]:
    """Sentences on the meaning of the numbers; urgent ones need attention."""
    if playtest.rules_changed:
        yield Sentence("The rules have changed since these games were played.", urgent=True)
    if playtest.interrupted:
        yield Sentence(
            f"Stopped after {playtest.games:,} of {counted(playtest.wanted, 'game')}.", urgent=True
        )
    if playtest.games and not playtest.finished:
        yield Sentence(
            "No game could be finished, so nothing else can be said; see why below.", urgent=True
        )
        return
    if not playtest.finished:
        return
    yield from share_sentences(playtest)
    yield from fairness_sentences(playtest)
    yield from _skill(playtest)
    yield Sentence(_length(playtest))
    if playtest.unfinished:
        lost = playtest.games - playtest.finished
        share = percent(lost / playtest.games, wilson_interval(lost, playtest.games))
        yield Sentence(
            f"{lost:,} of {counted(playtest.games, 'game')} could not be finished: {share}. "
            "All else here is about the others.",
            urgent=True,
        )
    else:
        every = "The game was" if playtest.games == 1 else f"All {playtest.games:,} games were"
        yield Sentence(f"{every} finished.")


def share_sentences(playtest: Playtest) -> Iterator[Sentence]:
    """Sentences on the results of a group or a single player; empty where sides compete."""
    if playtest.is_only_scored:
        who = "player" if playtest.players == 1 else "group"
        score = playtest.seats[0].score
        span = f"{number(score.min)} to {number(score.max)}"
        yield Sentence(f"The {who} scores {mean(score)} on average ({span}).")
    elif playtest.won_together or playtest.lost_together:
        won = playtest.won_together
        share = percent(won / playtest.finished, wilson_interval(won, playtest.finished))
        yield Sentence(f"The players win together in {share} of the games.")
    elif playtest.players == 1:
        only = playtest.seats[0]
        yield Sentence(
            f"The player wins {percent(only.win_rate, only.win_interval)} of the games."
        )


def fairness_sentences(playtest: Playtest) -> Iterator[Sentence]:
    """Sentences on the advantage of seats or teams, where all have the same agents."""
    fairness = playtest.fairness
    if fairness is None:
        return
    side = "team" if playtest.has_teams else "seat"
    if fairness.p_value is None:
        yield Sentence(
            f"{counted(playtest.finished, 'game')} are too few to tell whether a {side} has an "
            "advantage."
        )
    elif fairness.p_value >= SIGNIFICANT:
        hidden = unseen_advantage(playtest, fairness.fair_share)
        yield Sentence(
            f"{counted(playtest.finished, 'game')} show no {side} to have an advantage (one of up "
            f"to {short(100 * hidden)} points could still hide)."
        )
    else:
        is_sure = fairness.p_value < SURE
        doubt = "" if is_sure else " This may still be chance."
        yield Sentence(f"{_advantage(playtest, fairness.fair_share)}{doubt}", urgent=is_sure)


def unseen_advantage(playtest: Playtest, fair_share: float) -> float:
    """The largest advantage or disadvantage that an interval of a side's wins leaves possible."""
    bounds = [bound for seat in playtest.rivals for bound in seat.win_interval or ()]
    return max(abs(bound - fair_share) for bound in bounds)


def _advantage(playtest: Playtest, fair_share: float) -> str:
    """A sentence on the sides that win more than their share, and those that win less."""
    fair = percent(fair_share)
    seats = playtest.rivals
    better = [s for s in seats if s.win_interval and s.win_interval[0] > fair_share]
    worse = [s for s in seats if s.win_interval and s.win_interval[1] < fair_share]
    if better and len(seats) == 2:
        worse = []  # the same advantage, seen from the other seat
    sentences = []
    for group, word in ((better, "more"), (worse, "less")):
        if group:
            alone = len(group) == 1 and not playtest.has_teams
            their = "its" if alone else "their"
            sentences.append(f"{_wins(playtest, group)}: {word} than {their} fair {fair}.")
    if sentences:
        return " ".join(sentences)
    most = max(seats, key=lambda s: s.win_rate or 0.0)
    sides = "teams" if playtest.has_teams else "seats"
    wins = _wins(playtest, [most])
    return f"The {sides} do not win equally often: {wins} where {fair} would be fair."


def _wins(playtest: Playtest, sides: Sequence[Performance]) -> str:
    """``Seat 1 wins 40 % and seat 2 38 %``, with their intervals."""
    first, *others = [(playtest.side_of(s), percent(s.win_rate, s.win_interval)) for s in sides]
    verb = "win" if " and " in first[0] else "wins"
    shown = [f"{first[0]} {verb} {first[1]}", *(" ".join(other) for other in others)]
    return listed(shown).capitalize()


def _skill(playtest: Playtest) -> Iterator[Sentence]:
    """A sentence on whether the agents differ, if they compete."""
    agents = [a for a in playtest.agents if a.win_interval is not None]
    if len(agents) < 2 or not playtest.sides_are_alike:
        return
    if playtest.won_together or playtest.lost_together:
        return
    fair = playtest.fair_share
    agents = [_cautious(agent, len(agents)) for agent in agents]
    best = max(agents, key=lambda a: a.win_rate or 0.0)
    worst = min(agents, key=lambda a: a.win_rate or 0.0)
    if best.win_interval and best.win_interval[0] > fair:
        outlier, word = best, "wins"
    elif worst.win_interval and worst.win_interval[1] < fair:
        outlier, word = worst, "wins only"
    else:
        yield Sentence(
            "How one plays does not show: "
            f"{counted(playtest.finished, 'game')} tell no agent from another."
        )
        return
    doubt = "" if playtest.rotated else " But nobody changed seats: it may be the seat."
    shown = next(agent for agent in playtest.agents if agent.agent == outlier.agent)
    rate = percent(shown.win_rate, shown.win_interval)
    yield Sentence(
        f"How one plays matters: {outlier.agent} {word} {rate} "
        f"where equal players would win {percent(fair)}.{doubt}"
    )


def _cautious(agent: Performance, comparisons: int) -> Performance:
    """The agent with an interval that is corrected for several agents (Bonferroni)."""
    quantile = NormalDist().inv_cdf(1 - 0.025 / comparisons)
    interval = widened(agent.win_interval or (0.0, 1.0), agent.win_rate or 0.0, quantile / Z)
    return replace(agent, win_interval=interval)


def _length(playtest: Playtest) -> str:
    decisions, options = playtest.decisions_per_game, playtest.options_per_decision
    if options.mean is None or decisions.mean is None:
        return "There is nothing to decide in this game."
    span = ""
    if decisions.min != decisions.max:
        span = f" (from {number(decisions.min)} to {number(decisions.max)})"
    return (
        f"A game takes {number(decisions.mean)} decisions{span}, "
        f"with {number(options.mean)} options to choose from on average."
    )
