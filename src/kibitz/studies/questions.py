"""The answers of a study to a designer's questions about a game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kibitz.core.statistics import Interval
from kibitz.core.wording import capitalized, counted
from kibitz.reports.document import Sentence
from kibitz.reports.numbers import number, percent, point, points, short
from kibitz.studies.commands import record_command
from kibitz.studies.dominance import COMMON, Dominance
from kibitz.studies.flaws import (
    LEAST_GAIN,
    LEAST_SEAT,
    TIES,
    Flaw,
    option_names,
    option_values,
)
from kibitz.studies.ladder_report import sentences as ladder_sentences
from kibitz.studies.measures.examples import Example
from kibitz.studies.replay import FEWEST_DEALS, Origins
from kibitz.studies.results import Playtest
from kibitz.studies.sentences import fairness_sentences, share_sentences
from kibitz.studies.study import SEARCHING, Study
from kibitz.studies.values import CAUSE_WORDS

FEW_GAMES = 100
"""Number of games below which shares are uncertain by ten points or more."""

SECONDS_A_DECISION = 10
"""Assumed time that a person needs for a decision."""

MOST_RULES = 4
"""Maximum number of rules that end games in a sentence."""

ALL_LUCK = 0.9
"""The share of luck from which on choices hardly matter between equal players."""


@dataclass(frozen=True)
class Answer:
    """The answer to a question.

    Attributes:
        name: identifier of the question, for links.
        game: description of an example game and the command that shows it, if there is one.
    """

    name: str
    question: str
    sentences: tuple[Sentence, ...]
    game: tuple[str, str] | None = None


def answers(study: Study) -> list[Answer]:
    """The answers of a study; questions without an answer are left out."""
    best = study.best
    all_answers = [
        Answer("attention", "What needs attention?", tuple(_attention(study))),
        Answer("fair", "Is it fair?", tuple(_fair(study)), _look(study.random, "typical")),
        Answer(
            "length", "How long is it?", tuple(_length(study)), _look(best, "typical", "longest")
        ),
        Answer("end", "How does it end?", tuple(_end(study)), _look(best, "closest")),
        Answer(
            "choice",
            "Is there a choice, and does it matter?",
            tuple(_choice(study)),
            _look(best, "longest"),
        ),
        Answer(
            "skill",
            "Does skill pay, and how far up?",
            tuple(_skill(study)),
            _look(study.contest or best, "typical"),
        ),
        Answer("luck", "How much is luck?", tuple(_luck(study)), _look(best, "shortest")),
        Answer(
            "options",
            "Which options stand out?",
            tuple(_options(study)),
            _look(study.random, "clearest", "typical"),
        ),
        Answer("policy", "Does one simple policy do?", tuple(_policy(study))),
        Answer("course", "When is it decided?", tuple(_course(study)), _look(best, "clearest")),
        Answer("doubt", "What rests on little?", tuple(_doubts(study))),
    ]
    return [answer for answer in all_answers if answer.sentences]


def _parts(study: Study) -> Iterator[tuple[str, Playtest]]:
    """The kinds of play with their names, best first."""
    if study.skilled is not None and study.skilled.finished:
        yield "skilled play", study.skilled
    if study.random.finished:
        yield "random play", study.random


def _look(playtest: Playtest, *kinds: str) -> tuple[str, str] | None:
    """The first of these kinds that has an example, and the command that shows the game."""
    examples: dict[str, Example] = {example.kind: example for example in playtest["examples"]}
    for kind in kinds:
        if kind in examples:
            return f"The {kind} game", record_command(playtest, examples[kind])
    return None


# --- the questions ------------------------------------------------------------------------


def _attention(study: Study) -> Iterator[Sentence]:
    for flaw in study.flaws:
        yield Sentence(
            f"{flaw.kind.value.capitalize()}. {flaw.sentence} ({_play_of(study, flaw)})",
            urgent=True,
        )
    luck = None if study.origins is None else study.origins.luck
    if luck is not None and luck.interval[0] > ALL_LUCK:
        yield Sentence(
            "Luck decides nearly everything between equal players: "
            f"{percent(luck.share, luck.interval)}.",
            urgent=True,
        )
    if study.random.finished:
        yield Sentence(_power(study))
        yield from _extremes(study)


def _play_of(study: Study, flaw: Flaw) -> str:
    """In whose games a flaw shows."""
    if flaw.agents == study.agent:
        return "in skilled play"
    return "in random play" if flaw.agents == "random" else f"in games of {flaw.agents}"


def _power(study: Study) -> str:
    """What was looked for, and the smallest effects that would have been found."""
    best = study.best
    small: list[str] = []
    if best.has_rivals and best.fairness is not None and best.fairness.p_value is not None:
        seat = max(LEAST_SEAT, _largest_half(seat.win_interval for seat in best.rivals))
        side = "team" if best.has_teams else "seat"
        small.append(f"a {side} that wins {point(seat)} points more or less than its share")
    common = COMMON * study.random.options_per_decision.count
    half = _largest_half(
        choice.gain_interval for choice in study.random["choices"] if choice.offered >= common
    )
    if half:
        gain = point(LEAST_GAIN + half)
        small.append(f"an option that gains or loses {gain} points against the others")
    games = study.random.finished + (study.skilled.finished if study.skilled else 0)
    other = "Nothing else" if study.flaws else "Nothing"
    seen = f" They would show {' and '.join(small)}." if small else ""
    return f"{other} was found in {counted(games, 'game')}.{seen}"


def _largest_half(intervals: Iterable[Interval | None]) -> float:
    """Half the width of the widest interval; 0 if there is none."""
    return max((high - low for low, high in filter(None, intervals)), default=0.0) / 2


def _extremes(study: Study) -> Iterator[Sentence]:
    """The options that surely gain and lose most."""
    names = option_names(study.random)
    values = option_values(study.skilled)
    clauses: list[str] = []
    for sign, word in ((1, "gains"), (-1, "loses")):
        mine = [c for c in study.telling_choices if sign * (c.gain or 0.0) > 0]
        if mine and mine[0].gain_interval is not None:
            low, high = sorted(sign * bound for bound in mine[0].gain_interval)
            gain = points(sign * (mine[0].gain or 0.0), (low, high))
            value = values.get(mine[0].pattern)
            skilled = "" if value is None else f", {point(sign * value.gain)} in skilled play"
            clauses.append(f"'{names[mine[0].pattern]}' {word} most: {gain}{skilled}")
    if clauses:
        yield Sentence(f"Of all options {'; '.join(clauses)}, against others at the decision.")


def _options(study: Study) -> Iterator[Sentence]:
    telling = study.telling_choices
    if not telling:
        return
    for sign, word in ((1, "gains"), (-1, "loses")):
        mine = [choice for choice in telling if sign * (choice.gain or 0.0) > 0]
        if mine:
            largest = mine[0]
            low, high = sorted(sign * bound for bound in largest.gain_interval or (0.0, 0.0))
            gain = points(sign * (largest.gain or 0.0), (low, high))
            yield Sentence(
                f"In random play, '{largest.pattern}' {word} most: {gain} against another option."
            )


def _fair(study: Study) -> Iterator[Sentence]:
    for name, playtest in _parts(study):
        for text, urgent in (*share_sentences(playtest), *fairness_sentences(playtest)):
            yield Sentence(f"In {name}: {text}", urgent)


def _length(study: Study) -> Iterator[Sentence]:
    playtests = list(_parts(study))
    for name, playtest in playtests:
        decisions, turns = playtest.decisions_per_game, playtest.turns_per_game
        if not decisions.mean:
            yield Sentence(f"There is nothing to decide in {name}.", urgent=True)
            continue
        span = span_words(decisions.min, decisions.max)
        turning = f", in {_many(turns.mean, 'turn')}" if turns.mean else ""
        yield Sentence(
            f"A game of {name} takes {_many(decisions.mean, 'decision')}{span}{turning}: "
            f"{time_words(decisions.mean)}."
        )


def _many(mean: float, noun: str) -> str:
    return f"{number(mean)} {noun}{'' if mean == 1 else 's'}"


def time_words(decisions: float) -> str:
    """The time that people need for a number of decisions, in words."""
    minutes = short(decisions * SECONDS_A_DECISION / 60)
    return f"{minutes} minutes at {SECONDS_A_DECISION} seconds a decision"


def span_words(low: float | None, high: float | None) -> str:
    """The least and the most in brackets; empty if they are equal."""
    return f" ({number(low)} to {number(high)})" if low != high else ""


def _end(study: Study) -> Iterator[Sentence]:
    playtests = list(_parts(study)) or [("random play", study.random)]
    complete = [(name, playtest) for name, playtest in playtests if not playtest.unfinished]
    if complete:
        of = [f"{counted(playtest.games, 'game')} of {name}" for name, playtest in complete]
        yield Sentence(f"All {' and all '.join(of)} come to an end.")
    for name, playtest in playtests:
        for row in playtest.unfinished:
            share = percent(row.games / playtest.games)
            yield Sentence(
                f"{share} of {counted(playtest.games, 'game')} of {name} break off: "
                f"{CAUSE_WORDS[row.cause]}. To see one: {record_command(playtest, row)}",
                urgent=True,
            )
    sentences: dict[str, list[str]] = {}
    for name, playtest in _parts(study):
        for sentence in _ended_by(playtest):
            sentences.setdefault(sentence, []).append(name)
    for sentence, names in sentences.items():
        yield Sentence(f"In {' and '.join(names)} {sentence}")
    best = study.best
    if best.tie_rate and best.has_rivals:
        yield Sentence(
            f"{percent(best.tie_rate, best.tie_interval)} of the games end in a tie.",
            urgent=best.tie_rate > TIES,
        )


def _ended_by(playtest: Playtest) -> Iterator[str]:
    """Clauses on the rules that ended the games of a part, if the game declares them."""
    rules = playtest["ended_by"]
    met = [rule for rule in rules if rule.games]
    if len(met) == 1:
        yield _stopped(f"one rule ends every game: {met[0].rule}")
    elif met:
        shares = [
            f"{percent(rule.share, rule.interval)} by {rule.rule}" for rule in met[:MOST_RULES]
        ]
        others = sum(rule.games for rule in met[MOST_RULES:])
        if others:
            shares.append(f"{percent(others / playtest.finished)} by others")
        yield _stopped(f"games are ended: {'; '.join(shares)}")
    idle = [rule.rule for rule in rules if not rule.games]
    if met and idle and playtest.finished >= FEW_GAMES:
        yield _stopped(f"no game is ended by: {'; '.join(idle[:MOST_RULES])}")


def _stopped(sentence: str) -> str:
    """A sentence with a full stop, unless it ends with an ellipsis."""
    return sentence if sentence.endswith("…") else f"{sentence}."


def forced_share(playtest: Playtest) -> float:
    """The share of all actions that leave no choice."""
    decisions, ticks = playtest.decisions_per_game.mean, playtest.ticks_per_game.mean
    return 1 - (decisions or 0) / max(ticks or 1, 1e-9)


def _choice(study: Study) -> Iterator[Sentence]:
    best = study.best
    options = best.options_per_decision.mean
    if not options:
        return
    forced = percent(round(forced_share(best), 3))
    yield Sentence(
        f"A decision has {number(options)} options; {forced} of all actions leave no choice."
    )
    gain, interval = best["choice_gain"], best["choice_gain_interval"]
    if gain is None or interval is None:
        return
    more = points(gain, interval)
    if interval[0] > 0:
        yield Sentence(
            f"It matters: the best option wins {more} more than the average one. Over "
            f"a player's decisions in a game that makes {point(best['choice_gain_per_game'])}."
        )
    else:
        yield Sentence(
            f"It is not seen to matter: the best option wins {more} more than the average one.",
            urgent=best["judged_games"] >= FEW_GAMES,
        )


def _skill(study: Study) -> Iterator[Sentence]:
    contest, ladder = study.contest, study.ladder
    if not study.best.decisions_per_game.mean:
        return  # without decisions no player can be better than others
    if contest is not None and contest.finished and len(contest.agents) > 1:
        mine = contest.agents[0]
        fair = contest.fair_share
        interval = mine.win_interval or (0.0, 1.0)
        pays = interval[0] > fair
        yield Sentence(
            f"{'Skill pays' if pays else 'Skill is not seen to pay'}: one skilled player among "
            f"random ones wins {percent(mine.win_rate, interval)} of the games; "
            f"{percent(fair)} would be equal.",
            urgent=not pays,
        )
        coin = study.coin_share
        if coin is not None and pays:
            share, (low, high) = coin
            yield Sentence(
                f"That is as if a coin decided {percent(share, (low, high))} of the games, and "
                "skill all others."
            )
    if ladder is not None and ladder.rungs:
        for text, urgent in ladder_sentences(ladder):
            yield Sentence(text.removeprefix("Skill pays: "), urgent)


PART_WORDS = {
    "deal": "the deal",
    "chance": "chance after it",
    "choices": "choices",
    "both": "choices and chance together",
    "seat": "the seat",
}
"""The parts of what decides who wins, in words; the first two are luck."""


def no_origins(origins: Origins | None) -> str:
    """Why it is not known how much is luck, as a sentence."""
    if origins is None:
        return "The same deals were not played several times: a game is too long."
    if origins.deals >= FEWEST_DEALS:
        return "Every game ends alike for everybody: there is nothing to explain."
    return f"{counted(origins.deals, 'deal')}, each played four times, are too few to tell."


def _luck(study: Study) -> Iterator[Sentence]:
    if not study.has_chance:
        yield Sentence("Nothing is luck: the rules leave nothing to chance.")
        return
    rivals = study.random.has_rivals
    if rivals and not study.random.sides_are_alike:
        return
    origins = study.origins
    if origins is None or origins.luck is None:
        yield Sentence(no_origins(origins))
        return
    luck = origins.luck
    yield Sentence(
        f"Luck decides {percent(luck.share, luck.interval)} of "
        f"{'who wins between equal players' if rivals else 'how well the same players do'}: "
        f"{counted(origins.deals, 'deal')} were played four times each, by {origins.agent} in all "
        "seats, with the same and with other chance after the deal, and with the same and with "
        "other random choices."
    )
    for name, words in PART_WORDS.items():
        if name == "seat" and not rivals:
            continue
        part = origins[name]
        verb = "decide" if name in ("choices", "both") else "decides"
        yield Sentence(f"{capitalized(words)} {verb} {percent(part.share, part.interval)}.")


def _policy(study: Study) -> Iterator[Sentence]:
    dominance = study.policies
    if dominance is None or not dominance.policies or not study.best.decisions_per_game.mean:
        return
    first = dominance.policies[0]
    fair = percent(dominance.fair_share)
    sure = sum(
        policy.is_significant and policy.win_rate > dominance.fair_share
        for policy in dominance.policies
    )
    surely = {0: "None surely wins", 1: "Only that one surely wins"}.get(
        sure, f"{sure} of them surely win"
    )
    yield Sentence(
        f"Of {counted(len(dominance.policies), 'simple policy', 'simple policies')} the best at "
        f"random is '{first.words}': it wins {percent(first.win_rate, first.win_interval)} "
        f"against random players, where {fair} is fair, on the same deals in every seat. "
        f"{surely} more than that, even though several were tried; the best of several looks a "
        "little better than it is."
    )
    best = dominance.best
    if best is not None and dominance.win_rate is not None:
        wins = percent(dominance.win_rate, dominance.win_interval)
        yield Sentence(
            f"'{capitalized(best.words)}' wins {wins} against skilled players: "
            f"{_against(dominance)} {fair}.",
            urgent=dominance.dominates and study.budget.iterations >= SEARCHING,
        )


def _against(dominance: Dominance) -> str:
    """How the win rate of the best policy against skilled players compares with a fair share."""
    if dominance.dominates:
        return "more than"
    return "surely less than" if dominance.fails else "not surely more than"


def _course(study: Study) -> Iterator[Sentence]:
    best = study.best
    chances = best["winner_chance"]
    if chances:
        yield Sentence(
            f"Who wins has a chance of {percent(round(chances[0], 3))} at the start, "
            f"{percent(round(chances[5], 3))} half-way and {percent(round(chances[9], 3))} after "
            "nine tenths of the game."
        )
    decided = best["decided_at"]
    if decided.mean is not None:
        yield Sentence(
            f"By {best['course_by']}, the winner leads for good after "
            f"{percent(round(decided.mean, 3))} of the game, and the lead changes "
            f"{_many(best['lead_changes'].mean, 'time')}."
        )
    half = best["leader_at_half_wins"]
    if half is not None:
        yield Sentence(
            "Who leads at half-time wins "
            f"{percent(half, best['leader_at_half_interval'])} of the games; "
            f"{percent(best['comebacks'], best['comebacks_interval'])} are won by a player who "
            "was alone in last place at some time after the first quarter."
        )


def _doubts(study: Study) -> Iterator[Sentence]:
    if study.interrupted:
        yield Sentence("The study was stopped: what it had not come to is left out.", urgent=True)
    if study.skilled is None and study.random.finished:
        yield Sentence(
            "All of this rests on random play: a game is too long for a search in this time. "
            "Give it more: --time 120.",
            urgent=True,
        )
    for name, playtest in _parts(study):
        if playtest.games < FEW_GAMES:
            yield Sentence(
                f"There are only {counted(playtest.games, 'game')} of {name}: shares are "
                f"uncertain by up to {point(_doubt(playtest.games))} points."
            )
    if study.left_out:
        yield Sentence(study.left_out, urgent=True)
    if study.ladder is not None and study.ladder.games < FEW_GAMES:
        yield Sentence(f"Each rung of the ladder has only {counted(study.ladder.games, 'game')}.")
    skilled = study.skilled
    if skilled is not None and skilled["judge_error"] is not None:
        yield Sentence(
            f"The judge plays on at random, {study.budget.samples} times for each option: an "
            f"option's value is uncertain by {point(skilled['judge_error'])} points (standard "
            "error)."
        )
        if study.budget.deal:
            yield Sentence(
                "It plays on to the end of the deal only, and estimates by the scores what they "
                "are worth: the game is too long for more in this time."
            )


def _doubt(games: int) -> float:
    """Half the width of the 95 % interval of a share of one half, for a number of games."""
    return float(0.98 / games**0.5)
