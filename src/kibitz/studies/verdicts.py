"""The verdicts of a study: five questions, each answered by a mark and one plain sentence.

A verdict is good, or something should be looked at, or there were not enough games to tell. It
speaks of the best play of the study, and of random play only where nothing better was played.
"""

from __future__ import annotations

from kibitz.core.statistics import Interval, wilson_interval
from kibitz.core.wording import counted, listed
from kibitz.reports.document import Mark, Verdict
from kibitz.reports.numbers import mean, number, percent, point
from kibitz.studies.flaws import LITTLE, TIES, FlawKind
from kibitz.studies.questions import (
    ALL_LUCK,
    FEW_GAMES,
    PART_WORDS,
    forced_share,
    no_origins,
    span_words,
    time_words,
)
from kibitz.studies.results import Playtest
from kibitz.studies.sentences import unseen_advantage
from kibitz.studies.study import Study

SEEN = 0.1
"""The largest advantage of a seat, in shares of a win, that may stay unseen in a fair game."""

FORCED = 0.5
"""The share of actions without a choice from which on they are worth a look."""

VAGUE = 0.5
"""Maximum width of the interval of the luck share for it to be reported."""


def verdicts(study: Study) -> tuple[Verdict, ...]:
    """The answers to the five questions; none where no game was finished."""
    if not study.random.finished:
        return ()
    return (
        Verdict("Fair?", *_fair(study)),
        Verdict("Length", *_length(study)),
        Verdict("Choice", *_choice(study)),
        Verdict("Skill", *_skill(study)),
        Verdict("Luck", *_luck(study)),
    )


def _games(playtest: Playtest) -> str:
    """In whose games, and how many."""
    agents = {agent.agent for agent in playtest.agents}
    play = "random play" if agents == {"random"} else "skilled play"
    return f"{counted(playtest.finished, 'game')} of {play}"


def _fair(study: Study) -> tuple[Mark, str]:
    best = study.best
    if not best.has_rivals:
        return _success(study)
    seats = [flaw for flaw in study.flaws if flaw.kind is FlawKind.SEAT]
    if seats:
        more = f" {counted(len(seats) - 1, 'other seat')} stand out, too." if seats[1:] else ""
        return Mark.LOOK, seats[0].sentence + more
    if best.tie_rate is not None and best.tie_rate > TIES:
        ties = percent(best.tie_rate, best.tie_interval)
        return Mark.LOOK, f"{ties} of the {_games(best)} end in a tie."
    side = "team" if best.has_teams else "seat"
    fairness = best.fairness
    if fairness is None or fairness.p_value is None:
        return Mark.UNKNOWN, f"{_games(best)} are too few to compare the {side}s."
    unseen = unseen_advantage(best, fairness.fair_share)
    if unseen > SEEN:
        return (
            Mark.UNKNOWN,
            f"In {_games(best)} an advantage of up to {point(unseen)} points could stay unseen.",
        )
    return Mark.GOOD, f"No {side} is ahead by more than {point(unseen)} points, by {_games(best)}."


def _success(study: Study) -> tuple[Mark, str]:
    """The verdict where no sides compete: how often the players win, or what they score."""
    best = study.best
    if best.is_only_scored:
        who = "player" if best.players == 1 else "group"
        return Mark.GOOD, f"No rivals: the {who} scores {_successes(study)}."
    always = best.finished in (round(_wins(best)), round(best.finished - _wins(best)))
    return Mark.LOOK if always else Mark.GOOD, f"No rivals: the game is won {_successes(study)}."


def _successes(study: Study) -> str:
    """How often each kind of players wins, or what it scores on average."""
    kinds = [("by skilled players", study.skilled), ("at random", study.random)]
    return listed(
        [
            f"{_result(playtest)} {words}"
            for words, playtest in kinds
            if playtest is not None and playtest.finished
        ]
    )


def _result(playtest: Playtest) -> str:
    if playtest.is_only_scored:
        return mean(playtest.seats[0].score)
    return f"in {percent(_success_rate(playtest), _success_interval(playtest))} of the games"


def _wins(playtest: Playtest) -> float:
    """The number of games that the group, or the only player, won."""
    return playtest.won_together if playtest.players > 1 else playtest.seats[0].wins


def _success_rate(playtest: Playtest) -> float:
    return _wins(playtest) / playtest.finished


def _success_interval(playtest: Playtest) -> Interval:
    return wilson_interval(_wins(playtest), playtest.finished)


def _skill_alone(study: Study) -> tuple[Mark, str]:
    """The verdict on skill where no sides compete, from what skilled and random players reach."""
    skilled, chance = study.skilled, study.random
    if skilled is None or not skilled.finished:
        return Mark.UNKNOWN, "No skilled players played."
    if chance.is_only_scored:
        of_skilled, at_random = (
            run.seats[0].score.interval or (0, 0) for run in (skilled, chance)
        )
    else:
        of_skilled, at_random = _success_interval(skilled), _success_interval(chance)
    apart = of_skilled[0] > at_random[1] or of_skilled[1] < at_random[0]
    height = _height(study)
    if apart:
        return Mark.GOOD, f"It pays: {_successes(study)}.{height}"
    mark = Mark.UNKNOWN if skilled.finished < FEW_GAMES else Mark.LOOK
    return mark, f"It is not seen to pay: {_successes(study)}.{height}"


def _length(study: Study) -> tuple[Mark, str]:
    best = study.best
    for flaw in study.flaws:
        if flaw.kind is FlawKind.ENDLESS:
            return Mark.LOOK, flaw.sentence
    decisions = best.decisions_per_game
    if not decisions.mean:
        return Mark.LOOK, "There is nothing to decide."
    span = span_words(decisions.min, decisions.max)
    return Mark.GOOD, f"{number(decisions.mean)} decisions{span}, {time_words(decisions.mean)}."


def _choice(study: Study) -> tuple[Mark, str]:
    best = study.best
    options = best.options_per_decision.mean
    if not options:
        return Mark.LOOK, "There is nothing to decide."
    kinds = (FlawKind.DOMINANT, FlawKind.TOO_STRONG, FlawKind.TRAP)
    for flaw in study.flaws:
        if flaw.kind in kinds and flaw.agents == study.agent:
            return Mark.LOOK, flaw.sentence
    gain, interval = best["choice_gain"], best["choice_gain_interval"]
    many = f"{number(options)} options a decision"
    if gain is None or interval is None or best["judged_games"] < FEW_GAMES:
        judged = counted(best["judged_games"] or 0, "judged game")
        return Mark.UNKNOWN, f"{many}; {judged} are too few to tell whether it matters which."
    if interval[1] < LITTLE:
        return Mark.LOOK, f"{many}, and it does not matter which one is chosen."
    if interval[0] <= 0:
        most = point(interval[1])
        return (
            Mark.UNKNOWN,
            f"{many}; a gain by the best one, of up to {most} points, is not sure.",
        )
    forced = forced_share(best)
    text = f"{many}; the best one wins {point(gain)} points more than the average."
    if forced > FORCED:
        return Mark.LOOK, f"{percent(round(forced, 3))} of all actions leave no choice; {text}"
    return Mark.GOOD, text


def _skill(study: Study) -> tuple[Mark, str]:
    contest = study.contest
    if not study.random.has_rivals:
        return _skill_alone(study)
    if contest is None or not contest.finished or len(contest.agents) < 2:
        return Mark.UNKNOWN, "No skilled player played against random ones."
    mine, fair = contest.agents[0], contest.fair_share
    interval: Interval = mine.win_interval or (0.0, 1.0)
    wins = f"one skilled player among random ones wins {percent(mine.win_rate, interval)}"
    if interval[0] > fair:
        return Mark.GOOD, f"It pays: {wins}; {percent(fair)} would be equal.{_height(study)}"
    if contest.finished < FEW_GAMES:
        return Mark.UNKNOWN, f"{wins.capitalize()} of {counted(contest.finished, 'game')} only."
    return Mark.LOOK, f"It is not seen to pay: {wins}; {percent(fair)} would be equal."


def _height(study: Study) -> str:
    """How far up the ladder skill pays, as a sentence; empty if that is not known."""
    ladder = study.ladder
    if ladder is None or ladder.games < FEW_GAMES:
        return ""
    return f" {ladder.clear_rungs} of {counted(len(ladder.rungs), 'step')} up the ladder gain."


def _luck(study: Study) -> tuple[Mark, str]:
    if not study.has_chance:
        return Mark.GOOD, "None: the rules leave nothing to chance."
    rivals = study.random.has_rivals
    if rivals and not study.random.sides_are_alike:
        return Mark.UNKNOWN, "Not measured where nobody competes on equal terms."
    origins = study.origins
    if origins is None or not origins.parts:
        return Mark.UNKNOWN, no_origins(origins)
    luck = origins.luck
    if luck is None or luck.interval[1] - luck.interval[0] > VAGUE:
        return (
            Mark.UNKNOWN,
            f"{counted(origins.deals, 'deal')}, each played four times, are too few to tell.",
        )
    parts = listed(
        [
            f"{words} {percent(round(origins[name].share, 2))}"
            for name, words in PART_WORDS.items()
            if rivals or name != "seat"
        ]
    )
    what = "who wins between equal players" if rivals else "how well the same players do"
    text = f"{percent(luck.share, luck.interval)} of {what}: {parts}."
    return Mark.LOOK if luck.interval[0] > ALL_LUCK else Mark.GOOD, text
