"""The tables and the figure of the TAG report.

Raluca D. Gaina, Martin Balla, Alexander Dockhorn, Raul Montoliu and Diego Perez-Liebana, "Design
and Implementation of TAG: A Tabletop Games Framework", version 1.0, 2020. The games are played by
TAG's rules of that time, as far as they are parameters here; other differences are noted at each
number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import kibitz
from kibitz import Playtest
from kibitz.core.statistics import Summary
from papers.bench import Bench
from papers.exhibit import Exhibit, Figure, Layout, Reference, Unit, Z, rounding
from papers.tag_rules import TAG_RULES

TITLE = "Gaina et al.: Design and Implementation of TAG: A Tabletop Games Framework (2020)"

PAPER, ENGINE = "paper", "TAG of 2020"
GAMES = 1000
"""Number of games for each number of players."""


@dataclass(frozen=True)
class Row:
    """A game of the two tables.

    Attributes:
        game: name of the game in Kibitz.
        title: name of the game in the paper.
        rules: parameters that make the rules those of TAG.
        numbers: the paper's numbers by measure.
        by_players: further parameters by the number of players.
    """

    game: str
    title: str
    numbers: Mapping[str, float]
    rules: Mapping[str, Any] = field(default_factory=dict)
    by_players: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)


MEASURES = ("mu1", "mu2", "mu3", "mu4", "decisions", "ticks", "rounds", "APT")

ROWS = (
    Row(
        "tic-tac-toe",
        "Tic-Tac-Toe",
        dict(zip(MEASURES, (5.69, 6.79, 1, 0.0, 7.24, 7.61, 3.17, 1), strict=True)),
    ),
    Row(
        "love-letter",
        "Love Letter",
        dict(zip(MEASURES, (4.74, 10.78, 24.0, 0.6296, 53.22, 109.48, 6.89, 1.96), strict=True)),
        by_players={2: {"tokens_to_win": 5}, 3: {"tokens_to_win": 4}},
    ),
    Row(
        "uno",
        "Uno",
        dict(zip(MEASURES, (1.88, 4.32, 116.0, 0.923, 193.51, 540.78, 6.07, 1), strict=True)),
        TAG_RULES["uno"],
    ),
    Row(
        "virus",
        "Virus!",
        dict(zip(MEASURES, (9.70, 11.03, 78.0, 0.891, 317.09, 319.56, 75.75, 1), strict=True)),
        TAG_RULES["virus"],
    ),
    Row(
        "exploding-kittens",
        "Exploding Kittens",
        dict(zip(MEASURES, (3.17, 4.99, 60.0, 0.845, 51.86, 73.23, 8.98, 1.07), strict=True)),
        TAG_RULES["exploding-kittens"],
        by_players={
            3: {"defuses_in_deck": 3},
            4: {"defuses_in_deck": 2},
            5: {"defuses_in_deck": 1},
        },
    ),
    Row(
        "colt-express",
        "Colt Express",
        dict(zip(MEASURES, (2.91, 5.46, 87.6, 0.8767, 91.71, 176.13, 5.0, 1.0), strict=True)),
        TAG_RULES["colt-express"],
    ),
    Row(
        "pandemic",
        "Pandemic",
        dict(
            zip(MEASURES, (11.15, 17.97, 138.0, 0.6497, 108.62, 173.94, 8.25, 5.58), strict=True)
        ),
        TAG_RULES["pandemic"],
    ),
)


# --- the measures of the two tables -------------------------------------------------------

Measured = Callable[[Playtest], Summary | None]


@dataclass(frozen=True)
class Column:
    """A measure of the two tables.

    Attributes:
        name: the key of its numbers in ``ROWS``.
        where: name of the table in the paper.
        title: description of the measure.
        about: how it was measured.
        of: reads the measure from the games of one table; ``None`` if the game does not have it.
        digits: number of decimal places in the paper.
        offset: difference due to TAG's way of counting.
        notes: notes on differences from the paper.
    """

    name: str
    where: str
    title: str
    about: str
    of: Measured
    digits: int
    offset: float = 0.0
    notes: tuple[str, ...] = ()


_POOLED = "Random games for every number of players; each number weighs the same."

COLUMNS = (
    Column(
        "mu1",
        "Table 1",
        "options at each action",
        f"The size of the action space, forced actions included. {_POOLED}",
        lambda played: played.options_per_action,
        2,
        notes=("TAG takes the mean of each game first, so that short games weigh more.",),
    ),
    Column(
        "mu2",
        "Table 1",
        "branching factor",
        "The number of options at each decision, and 1, since TAG counts the state itself among "
        f"the successors, and finds hardly any two of them alike. {_POOLED}",
        lambda played: played.options_per_decision,
        2,
        offset=1.0,
    ),
    Column(
        "decisions",
        "Table 2",
        "decisions in a game",
        f"How often a player had a choice. {_POOLED}",
        lambda played: played.decisions_per_game,
        2,
    ),
    Column(
        "ticks",
        "Table 2",
        "ticks in a game",
        f"The number of actions, forced ones included. {_POOLED}",
        lambda played: played.ticks_per_game,
        2,
    ),
    Column(
        "rounds",
        "Table 2",
        "rounds in a game",
        f"As far as the game counts rounds. {_POOLED}",
        lambda played: played.rounds_per_game if played.rounds_per_game.max else None,
        2,
        notes=("Our Tic-Tac-Toe and Exploding Kittens count no rounds.",),
    ),
)

_SEVERAL = (
    "some actions of TAG are several actions here, and in TAG steps of the rules are ticks, too"
)

REASONS = {
    ("love-letter", "mu1"): "in TAG to draw a card is a tick of its own, with one option",
    (
        "love-letter",
        "mu2",
    ): "in TAG a Guard may guess a Guard, and protected players can be chosen",
    ("love-letter", "ticks"): "in TAG to draw a card is a tick, too: twice ours is 110",
    ("love-letter", "rounds"): "TAG does not count the round in which a game ends",
    ("uno", "mu2"): "not explained",
    ("virus", "mu1"): "by a slip of TAG viruses and medicines multiply, which may explain it",
    ("virus", "mu2"): "by a slip of TAG viruses and medicines multiply, which may explain it",
    ("virus", "decisions"): "by a slip of TAG viruses and medicines multiply",
    ("virus", "ticks"): "by a slip of TAG viruses and medicines multiply",
    ("virus", "rounds"): "by a slip of TAG viruses and medicines multiply",
    ("exploding-kittens", "mu1"): "to order three cards is two decisions here, one in TAG",
    ("exploding-kittens", "mu2"): "to order three cards is two decisions here, one in TAG",
    ("exploding-kittens", "decisions"): "to order three cards is two decisions here, one in TAG",
    ("colt-express", "mu1"): "not explained: TAG has more forced actions",
    ("colt-express", "decisions"): "not explained",
    ("colt-express", "ticks"): "not explained: TAG has more forced actions",
    ("pandemic", "mu1"): _SEVERAL,
    ("pandemic", "mu2"): _SEVERAL,
    ("pandemic", "decisions"): _SEVERAL,
    ("pandemic", "ticks"): _SEVERAL,
    ("pandemic", "rounds"): _SEVERAL,
}
"""Reasons for differences, by game and measure."""


def play_row(bench: Bench, row: Row) -> list[Playtest]:
    """Random games for each number of players that the game allows."""
    least, most = kibitz.load(row.game).players
    return [
        bench.play(
            row.game,
            players,
            games=GAMES,
            **{**row.rules, **row.by_players.get(players, {})},
        )
        for players in range(least, most + 1)
    ]


def _column(column: Column) -> Callable[[Bench], Exhibit]:
    """The exhibit of a measure: a row for each game."""

    def make(bench: Bench) -> Exhibit:
        figures = []
        for row in ROWS:
            figure = _pooled(row, column, play_row(bench, row))
            if figure is not None:
                figures.append(figure)

        return Exhibit(
            f"{column.where}, {column.name}",
            column.title[0].upper() + column.title[1:],
            column.about,
            tuple(figures),
            Unit.NUMBER,
            "",
            column.title,
            Layout.TABLE,
            notes=column.notes,
        )

    return make


def _pooled(row: Row, column: Column, played: list[Playtest]) -> Figure | None:
    """The mean over the numbers of players; ``None`` where the game does not count it."""
    measured = map(column.of, played)
    known = [summary for summary in measured if summary is not None and summary.mean is not None]
    if not known:
        return None
    mean = sum(summary.mean or 0.0 for summary in known) / len(known) + column.offset
    halves = [
        (summary.interval[1] - summary.interval[0]) / 2 for summary in known if summary.interval
    ]
    half = math.hypot(*halves) / len(known)
    # theirs are as many games, with the same spread
    games = [summary.count for summary in known]
    error = half / Z * math.sqrt(sum(games) / (GAMES * len(known)))
    theirs = Reference(PAPER, row.numbers[column.name], math.hypot(error, rounding(column.digits)))
    figure = Figure.of(
        played[0], row.title, mean, (mean - half, mean + half), references=(theirs,)
    )
    reason = REASONS.get((row.game, column.name), "")
    return figure if figure.agrees(theirs) else replace(figure, reason=reason)


# --- what is measured in another way ------------------------------------------------------


def _state_size(bench: Bench) -> Exhibit:
    """The number of components."""
    figures = []
    for row in ROWS:
        pieces = [played["pieces"] for played in play_row(bench, row)]
        theirs = Reference(PAPER, row.numbers["mu3"], 0.0)
        figures.append(Figure(row.title, sum(pieces) / len(pieces), None, references=(theirs,)))
    return Exhibit(
        "Table 1, mu3",
        "State size",
        "The number of cards, tokens, cells and the like after set-up. Each number of players "
        "weighs the same.",
        tuple(figures),
        Unit.NUMBER,
        "",
        "components",
        Layout.TABLE,
        notes=(
            "TAG counts decks, hands and boards, too, each as one component, and a board of cells "
            "as one: so these numbers are not compared.",
        ),
    )


def _hidden(bench: Bench) -> Exhibit:
    """The share of components that are hidden."""
    figures = []
    for row in ROWS:
        shares = [played.hidden_share or 0.0 for played in play_row(bench, row)]
        theirs = Reference(PAPER, row.numbers["mu4"], 0.0)
        figures.append(Figure(row.title, sum(shares) / len(shares), None, references=(theirs,)))
    return Exhibit(
        "Table 1, mu4",
        "Hidden information",
        "The share of all pieces that the player to decide does not see, over all decisions.",
        tuple(figures),
        Unit.SHARE,
        "",
        "hidden",
        Layout.TABLE,
        notes=(
            "TAG looks once, after set-up, when most is hidden, and counts decks and hands as "
            "components; in Love Letter its test is inverted, so that the own hand counts as "
            "hidden. So these numbers are not compared.",
        ),
    )


def _figure_6(bench: Bench) -> Exhibit:
    """The options of Uno over the course of a game."""
    (row,) = (row for row in ROWS if row.game == "uno")
    figures = []
    for played in play_row(bench, row):
        if played.players % 2:
            continue
        for at in played.options_at[:501:40]:
            if at.games < max(2, played.finished // 10):
                break
            half = Z * (at.sd or 0.0) / math.sqrt(at.games)
            interval = (at.mean - half, at.mean + half)
            series = f"{played.players} players"
            figures.append(Figure.of(played, f"{at.action}", at.mean, interval, series))
    return Exhibit(
        "Figure 6",
        "Options in Uno over the course of a game",
        "The mean number of options at every fortieth action, forced actions included, with 2, 4, "
        "6, 8 and 10 random players, as long as a tenth of the games goes on.",
        tuple(figures),
        Unit.NUMBER,
        "action of the game",
        "options",
        notes=(
            "The paper shows lines without numbers, and says that options increase as a game goes "
            "on, and that games get shorter with more players. Here, too, games get shorter; "
            "options increase within the first round, and stay level over the rounds.",
        ),
    )


# --- agents -------------------------------------------------------------------------------

AGENTS = {
    "Random": "random",
    "OSLA": "osla",
    "RHEA": "rhea:calls=4000",
    "MCTS": "mcts:calls=4000",
}
"""Our agents by the names of TAG's agents, with TAG's default budget of that time."""

TABLES_OF_FOUR = {
    "love-letter": (40, (0.025, 0.175, 0.350, 0.450)),
    "exploding-kittens": (40, (0.100, 0.200, 0.375, 0.325)),
    "colt-express": (40, (0.325, 0.175, 0.275, 0.225)),
    "uno": (24, (0.292, 0.292, 0.208, 0.208)),
    "virus": (12, (0.000, 0.250, 0.417, 0.333)),
}
"""Games of TAG of 2020, and the win rate of each agent: measured, not published."""


def _agents(bench: Bench) -> Exhibit:
    """Four agents at one table."""
    figures = []
    for row in ROWS:
        if row.game not in TABLES_OF_FOUR:
            continue
        games, shares = TABLES_OF_FOUR[row.game]
        played = bench.play(row.game, 4, list(AGENTS.values()), 100, **row.rules)
        for name, one, share in zip(AGENTS, played.agents, shares, strict=True):
            assert one.win_rate is not None
            spread = max(share, 0.05) * (1 - max(share, 0.05))  # of a few games none says little
            theirs = Reference(ENGINE, share, math.sqrt(spread / games))
            figures.append(
                Figure.of(
                    played, name, one.win_rate, one.win_interval, row.title, references=(theirs,)
                )
            )
    return Exhibit(
        "Agents",
        "Four agents at one table",
        "The share of games won by each, in seats that rotate. The searches have 4,000 calls of "
        "the forward model for a decision.",
        tuple(figures),
        Unit.SHARE,
        "",
        "games won",
        Layout.TABLE,
        notes=(
            "In Love Letter TAG's agents see the cards of the others, by a slip; its heuristics "
            "of Colt Express and Uno are nearly constant, since they divide integers.",
            "Its MCTS keeps one sample of what is hidden, as ours does here; `ismcts` does not.",
        ),
    )


EXHIBITS: tuple[Callable[[Bench], Exhibit], ...] = (
    *(_column(column) for column in COLUMNS if column.where == "Table 1"),
    _state_size,
    _hidden,
    *(_column(column) for column in COLUMNS if column.where == "Table 2"),
    _figure_6,
    _agents,
)
"""The exhibits in the order of the report."""
