"""How often cards, kinds of action and places are offered and chosen, and with what result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kibitz.core.phrase import things_among
from kibitz.core.statistics import Interval
from kibitz.studies.measures.base import Measure
from kibitz.studies.measures.groups import Groups, pairs_of
from kibitz.studies.moments import (
    bounded_interval,
    effective_interval,
    ratio_half,
    residuals_of,
)
from kibitz.studies.sample import Array, RunMetadata, Sample
from kibitz.studies.values import pair

MOST_OFFERS = 1_000_000
"""Number of offered options after which ``Choices`` ignores further games."""

MOST_TOLD = 400
"""Maximum number of groups that are reported for an agent: those offered most often."""

FEWEST_GAMES = 20
"""Minimum number of games in which a group was offered for its gain to be reported."""

LEAST_LEVERAGE = 5.0
"""Minimum Σ (c - p)² of a group for its gain to be reported: with less it is all chance."""

_SUMS = (
    "met",  # games with a decision at which it could be chosen
    "games",  # games in which it was offered
    "chosen_in",  # games in which it was chosen
    "always",  # actions without any other option
    "offered",
    "expected",
    "chosen",
    "wins",
    "score",
    "moved",  # numerator of the gain: sum of (chosen - probability) (win - fair share)
    "leverage",  # denominator of the gain: sum of (chosen - probability)^2
    "offered_squared",
    "chosen_squared",
    "offered_chosen",
    "wins_squared",
    "chosen_wins",
    "score_squared",
    "chosen_score",
    "moved_squared",
    "leverage_squared",
    "moved_leverage",
    "held_in",  # games in which some player could choose it at the first decision
    "held",  # players who could choose it at their first decision, over all games
    "held_wins",  # the shares of the win of these players, added up
    "held_squared",
    "held_wins_squared",
    "held_crossed",
)


@dataclass(frozen=True)
class Choice:
    """The statistics of a group of actions for one agent.

    Attributes:
        pattern: the wording of the group, in which ``*`` stands for any letters.
        offered: number of decisions at which it and another option could be chosen.
        always: number of actions without any other option.
        chosen: how often it was chosen where there was another option.
        rate: ``chosen / offered``.
        expected: how often it would have been chosen at random, each option being equally likely.
        win_rate: mean share of the win of those who chose it, over choices.
        score: mean final score of those who chose it, over choices.
        gain: how much more of a win choosing it causes than another option, taken at random; known
            only for the random agent.
        held: number of players who could choose it at their first decision, over all games: such
            as those to whom a card was dealt.
        held_win_rate: mean share of the win of these players; ``None`` without any.
        named: whether it concerns something with a name, such as a card.
    """

    pattern: str
    agent: str
    offered: int
    always: int
    chosen: int
    rate: float | None
    rate_interval: Interval | None
    expected: float
    win_rate: float | None
    win_interval: Interval | None
    score: float | None
    score_interval: Interval | None
    gain: float | None
    gain_interval: Interval | None
    held: int
    held_win_rate: float | None
    held_win_interval: Interval | None
    named: bool

    @property
    def preference(self) -> float | None:
        """How many times as often as at random it is chosen; ``None`` if never expected."""
        return self.chosen / self.expected if self.expected else None

    def to_json(self) -> dict[str, Any]:
        """All fields by name, as JSON types."""
        return {
            "pattern": self.pattern,
            "agent": self.agent,
            "offered": self.offered,
            "always": self.always,
            "chosen": self.chosen,
            "rate": self.rate,
            "rate_interval": pair(self.rate_interval),
            "expected": self.expected,
            "preference": self.preference,
            "win_rate": self.win_rate,
            "win_interval": pair(self.win_interval),
            "score": self.score,
            "score_interval": pair(self.score_interval),
            "gain": self.gain,
            "gain_interval": pair(self.gain_interval),
            "held": self.held,
            "held_win_rate": self.held_win_rate,
            "held_win_interval": pair(self.held_win_interval),
        }


class Choices(Measure):
    """The choices among offered actions, by groups of actions.

    A group is a kind of action ("play Guard on * guessing *"), a value of an operand ("* SPADES to
    own TRICK"), or a single action, such as a place ("mark 1 1"). A decision counts for a group if
    both the group and another option can be chosen. Games are the sample of all intervals.

    The gain is Σ (c - p)(w - 1/n) / Σ (c - p)²: c is 1 where the group was chosen, else 0; p is
    the group's share of the options; w is the chooser's share of the win. In random play the
    players who chose it differ from the others by nothing else, so the gain is the effect of the
    choice, if play goes on at random.
    """

    needs = "decisions"
    members: ClassVar[dict[str, str]] = {
        "choices": "a list with an object for each agent and each group of actions, the most "
        f"often offered first, at most {MOST_TOLD} of an agent; of two groups with the same "
        "actions the narrower one. Empty unless decisions were recorded",
        "choices[].pattern": "the group: words in which `*` stands for any letters, as "
        "`restrict` takes them",
        "choices[].agent": "whose decisions these are",
        "choices[].offered": "how often it could be chosen, and something else, too",
        "choices[].always": "how often there was nothing else",
        "choices[].chosen": "how often it was chosen where there was something else",
        "choices[].rate": "`chosen` / `offered`",
        "choices[].rate_interval": "its interval",
        "choices[].expected": "how often chance would choose it, all options being equal",
        "choices[].preference": "`chosen` / `expected`",
        "choices[].win_rate": "the share of the win of those who chose it, the mean over choices",
        "choices[].win_interval": "its interval",
        "choices[].score": "their mean final score",
        "choices[].score_interval": "its interval",
        "choices[].gain": "how much more one wins by choosing it than by another option, taken at "
        "random; `null` unless the agent plays at random, and in fewer than "
        f"{FEWEST_GAMES} games or hardly ever: Σ (c - p)(w - 1/n) / Σ (c - p)², cut off at -1 "
        "and 1",
        "choices[].gain_interval": "its interval",
        "choices[].held": "how many players could choose it at their first decision of a game",
        "choices[].held_win_rate": "how much of the win these have: what it is worth to be dealt "
        "the card, whenever it is played; `null` without any",
        "choices[].held_win_interval": "its interval",
        "never_offered": "kinds of action, and things that actions can be about (cards, colours, "
        "places), that no player could ever choose; empty unless decisions were recorded",
        "things": "how many things the game declares that actions can be about",
    }
    unit = "decisions"
    formula = "chosen / offered; wins of those who chose / chosen"
    source = "games as the sample of a ratio: Cochran, Sampling Techniques, 1977"

    def __init__(self, metadata: RunMetadata) -> None:
        super().__init__(metadata)
        self._labels = list(dict.fromkeys(metadata.agents))
        self._groups = Groups(metadata.table)
        self._codes: set[int] = set()
        self._sums = np.zeros((len(_SUMS), len(self._labels), 0))
        self._offers = 0
        self._lowest, self._highest = np.inf, -np.inf  # of the final scores
        self._kinds: set[str] = set()
        self._things: set[str] = set()

    def add(self, sample: Sample) -> None:
        if self._offers >= MOST_OFFERS:
            return
        traces = sample.traces
        if not len(traces.offered):
            return
        self._count_forced(sample, traces.steps[~traces.is_choice])
        steps = traces.steps[traces.is_choice]
        totals = np.cumsum(steps["options"])
        last = int(np.searchsorted(totals, MOST_OFFERS))
        if last < len(steps):  # whole games only
            last = int(np.searchsorted(steps["game"], max(1, steps["game"][last])))
            steps = steps[:last]
        offered = traces.offered[: int(steps["options"].sum())]
        self._offers += len(offered)
        self._count(sample, steps, offered)

    def _count(self, sample: Sample, steps: Array, offered: Array) -> None:
        codes, position = np.unique(offered, return_inverse=True)
        self._note(codes)
        groups = self._groups.of(codes)
        decision = np.repeat(np.arange(len(steps)), steps["options"])
        wide = len(self._groups.patterns)
        pairs, number = pairs_of(decision, groups[position], wide)
        chosen, _ = pairs_of(
            np.arange(len(steps)), groups[np.searchsorted(codes, steps["code"])], wide
        )
        at, group = np.divmod(pairs, wide)
        games, seats = steps["game"][at], steps["seat"][at]
        options = steps["options"][at]
        real = number < options
        c = np.isin(pairs, chosen, assume_unique=True) & real
        p = np.where(real, number / options, 0.0)
        label = self._label(sample, games, seats)
        won = sample.wins[games, seats]
        scores = sample.finished["seats"]["score"].reshape(sample.places.shape)
        self._lowest = min(self._lowest, float(scores.min()))
        self._highest = max(self._highest, float(scores.max()))
        score = scores[games, seats]
        moved = (c - p) * (won - self.metadata.fair_share)
        key = (games.astype(np.int64) * len(self._labels) + label) * wide + group
        clusters, place = np.unique(key, return_inverse=True)

        def by_game(values: Array) -> Array:
            return np.bincount(place, values, len(clusters))

        n, x, w, s = (by_game(v) for v in (real, c, c * won, c * score))
        m, v = by_game(moved), by_game((c - p) ** 2)
        rows = [np.ones(len(clusters)), n > 0, x > 0, by_game(~real), n, by_game(p), x, w, s, m, v]
        rows += [n * n, x * x, n * x, w * w, x * w, s * s, x * s, m * m, v * v, m * v]
        first = np.zeros(len(steps), bool)  # decisions that are the first of a seat in a game
        place_of = steps["game"].astype(np.int64) * self.metadata.players + steps["seat"]
        first[np.unique(place_of, return_index=True)[1]] = True
        dealt = first[at]
        holders, whose = np.unique((key * self.metadata.players + seats)[dealt], return_index=True)
        whose = np.flatnonzero(dealt)[whose]
        held_by = np.searchsorted(clusters, holders // self.metadata.players)
        held = np.bincount(held_by, minlength=len(clusters)).astype(np.float64)
        gains = np.bincount(held_by, won[whose], len(clusters))
        rows += [held > 0, held, gains, held * held, gains * gains, held * gains]
        where = clusters % (len(self._labels) * wide)
        self._widen()
        for row, values in enumerate(rows):
            sums = np.bincount(where, values, len(self._labels) * wide)
            self._sums[row] += sums.reshape(len(self._labels), wide)

    def _count_forced(self, sample: Sample, steps: Array) -> None:
        """Counts actions without an alternative."""
        codes, position = np.unique(steps["code"], return_inverse=True)
        self._note(codes, forced=True)
        groups = self._groups.of(codes)[position]
        self._widen()
        label = self._label(sample, steps["game"], steps["seat"])
        always = self._sums[_SUMS.index("always")]
        for slot in groups.T:
            np.add.at(always, (label[slot >= 0], slot[slot >= 0]), 1)

    def _label(self, sample: Sample, games: Array, seats: Array) -> Array:
        """The number of the label of the agent in a seat of a finished game."""
        seated = sample.finished["seats"]["agent"].reshape(sample.places.shape)[games, seats]
        labels = [self._labels.index(agent) for agent in self.metadata.agents]
        return np.asarray(np.array(labels)[seated])

    def _note(self, codes: Array, forced: bool = False) -> None:
        """Notes the kinds of actions and, unless they were forced, the things in them."""
        table = self.metadata.table
        for code in set(codes.tolist()) - self._codes:
            phrase = table.wording.phrase(code)
            self._kinds.add(phrase.kind)
            if not forced:
                self._codes.add(code)
                self._things.update((phrase.words, *things_among(phrase.values)))

    def _widen(self) -> None:
        more = len(self._groups.patterns) - self._sums.shape[2]
        self._sums = np.pad(self._sums, ((0, 0), (0, 0), (0, more)))

    def finish(self) -> dict[str, Any]:
        choices: list[Choice] = []
        for label, sums in zip(self._labels, self._sums.transpose(1, 2, 0), strict=True):
            choices += self._of_agent(label, sums)
        never: tuple[str, ...] = ()
        missing: tuple[str, ...] = ()
        thing_count = 0
        if self._kinds:
            table = self.metadata.table
            declared = table.wording.vocabulary()
            kinds = sorted(declared.kinds - self._kinds)
            missing = tuple(sorted(declared.things - self._things))
            never = (*kinds, *missing)
            thing_count = len(declared.things)
        return {
            "choices": tuple(choices),
            "never_offered": never,
            "things": thing_count,
            "missing": missing,
        }

    def _of_agent(self, label: str, sums: Array) -> list[Choice]:
        names = list(self._groups.patterns)
        narrowest: dict[bytes, int] = {}
        met = _SUMS.index("met")
        for i, row in enumerate(sums):
            same = row.tobytes()
            if row[met] and (
                same not in narrowest or names[i].count("*") < names[narrowest[same]].count("*")
            ):
                narrowest[same] = i
        offered = _SUMS.index("offered")
        order = sorted(narrowest.values(), key=lambda i: (-sums[i][offered], names[i]))
        return [
            _choice(
                names[i],
                label,
                dict(zip(_SUMS, sums[i].tolist(), strict=True)),
                (self._lowest, self._highest),
                names[i] in self._groups.named,
            )
            for i in order[:MOST_TOLD]
        ]


def _choice(
    pattern: str, agent: str, sums: dict[str, float], scores: tuple[float, float], named: bool
) -> Choice:
    games, chosen_in = int(sums["games"]), int(sums["chosen_in"])
    offered, chosen = sums["offered"], sums["chosen"]
    rate = rate_interval = win_rate = win_interval = score = score_interval = None
    gain = gain_interval = None
    if offered:
        rate = chosen / offered
        residual = residuals_of(
            rate, sums["chosen_squared"], sums["offered_chosen"], sums["offered_squared"]
        )
        rate_interval = effective_interval(rate, offered, games, residual)
    if chosen:
        win_rate = sums["wins"] / chosen
        residual = residuals_of(
            win_rate, sums["wins_squared"], sums["chosen_wins"], sums["chosen_squared"]
        )
        win_interval = effective_interval(win_rate, chosen, chosen_in, residual)
        score = sums["score"] / chosen
        residual = residuals_of(
            score, sums["score_squared"], sums["chosen_score"], sums["chosen_squared"]
        )
        score_interval = bounded_interval(score, scores, chosen, chosen_in, residual)
    if agent == "random" and games >= FEWEST_GAMES and sums["leverage"] >= LEAST_LEVERAGE:
        gain = sums["moved"] / sums["leverage"]
        residual = residuals_of(
            gain, sums["moved_squared"], sums["moved_leverage"], sums["leverage_squared"]
        )
        half = ratio_half(residual, sums["leverage"], games)
        if half is not None:
            gain_interval = max(-1.0, gain - half), min(1.0, gain + half)
        gain = max(-1.0, min(1.0, gain))
    held = sums["held"]
    held_win_rate = held_win_interval = None
    if held:
        held_win_rate = sums["held_wins"] / held
        residual = residuals_of(
            held_win_rate, sums["held_wins_squared"], sums["held_crossed"], sums["held_squared"]
        )
        held_in = int(sums["held_in"])
        held_win_interval = effective_interval(held_win_rate, held, held_in, residual)
    return Choice(
        pattern,
        agent,
        int(offered),
        int(sums["always"]),
        int(chosen),
        rate,
        rate_interval,
        sums["expected"],
        win_rate,
        win_interval,
        score,
        score_interval,
        gain,
        gain_interval,
        int(sums["held"]),
        held_win_rate,
        held_win_interval,
        named,
    )
