"""The experiments of the RECYCLE paper.

Connor Bell and Mark Goadrich, "Automated Playtesting with RECYCLED CARDSTOCK", Game and Puzzle
Design 2 (1), 2016. Its figures are pictures; where its text gives no number, the reference is the
authors' engine of June 2016, measured again, with the number of games that were played there.
"""

from __future__ import annotations

from collections.abc import Callable

from kibitz import Playtest
from kibitz.core.statistics import Summary
from papers.bench import Bench
from papers.exhibit import (
    Exhibit,
    Figure,
    Layout,
    Reference,
    Unit,
    of_mean,
    of_share,
)

TITLE = "Bell and Goadrich: Automated Playtesting with RECYCLED CARDSTOCK (2016)"

PAPER, ENGINE = "paper", "its engine again"
GAMES = 1000
"""Number of games that the paper played for each configuration."""

PIPMC = "pimc:determinizations=20"


# --- Agram --------------------------------------------------------------------------------


def _figure_2(bench: Bench) -> Exhibit:
    """The number of cards from which leader and followers can choose."""
    played = bench.play("agram", 4)
    leaders, followers = [], []
    for trick, theirs in enumerate([2.47, 2.49, 2.36, 2.13, 1.67, 1.00]):
        leader = played.options_at[4 * trick]
        label = f"trick {trick + 1}"
        exact = Reference(PAPER, 6.0 - trick, 0.0)
        leaders.append(
            Figure.of(played, label, leader.mean, (leader.mean, leader.mean), "leader", (exact,))
        )
        follower_options = played.options_at[4 * trick + 1 : 4 * trick + 4]
        mean = sum(options.mean for options in follower_options) / 3
        sd = sum(options.sd or 0.0 for options in follower_options) / 3
        half = 1.96 * sd / (3 * played.finished) ** 0.5
        reference = of_mean(ENGINE, theirs, sd, 3 * GAMES, 2)
        followers.append(
            Figure.of(played, label, mean, (mean - half, mean + half), "followers", (reference,))
        )
    return Exhibit(
        "Figure 2",
        "Cards to choose from in Agram, four random players",
        "The number of options at each action of a game: the leader of a trick has all cards in "
        "hand, the other three must follow suit.",
        (*leaders, *followers),
        Unit.NUMBER,
        "",
        "options",
        notes=(
            'The paper says "approximately 2.5 card choices on average for the first three '
            'tricks".',
        ),
    )


def _figure_3(bench: Bench) -> Exhibit:
    """What a PIPMC player gains over random ones in Agram."""
    copied = {2: (0.151, 20_000), 3: (0.179, 20_000), 4: (0.179, 20_000), 5: (0.179, 20_000)}
    figures = []
    for players, (gain, games) in copied.items():
        played = bench.play("agram", players, [PIPMC, "random"], 5000, rotate=False)
        fair = 1 / players
        share = of_share(ENGINE, gain + fair, games, 3)
        references = (
            Reference(PAPER, 0.20, (0.015**2 + 0.025**2) ** 0.5),
            Reference(ENGINE, gain, share.error),
        )
        figures.append(_gain(played, f"{players} players", fair, references))
    return Exhibit(
        "Figure 3",
        "What one PIPMC player gains over random players in Agram",
        "The share of games won by a PIPMC player (perfect information Monte Carlo: 20 playouts "
        "of each option, as if all cards were open), who leads, above the share of equal players.",
        tuple(figures),
        Unit.GAIN,
        "",
        "points above a fair share",
        Layout.BARS,
        notes=(
            'The paper says "approximately 20 percentage points across all player sizes": we take '
            "that as 20 with a standard error of 3.",
            '"Its engine again": an exact copy of the player of its program, 20,000 games each.',
        ),
    )


def _figure_4(bench: Bench) -> Exhibit:
    """Fairness of Agram by the size of hands."""
    theirs = {1: None, 2: 0.732, 3: 0.602, 4: 0.540, 5: 0.520, 6: 0.495}
    figures = []
    for hand, share in theirs.items():
        played = bench.play("agram", 2, hand=hand)
        if share is None:  # the second player needs a higher card of the suit
            reference = Reference("exact", 1 - 136 / 1190, 0.0)
        else:
            reference = of_share(ENGINE, share, 5000, 3)
        figures.append(_first_seat(played, f"{hand}", reference))
    return Exhibit(
        "Figure 4",
        "Who begins has an edge in Agram with small hands",
        "The share of games won by the first of two random players, by the number of cards dealt.",
        tuple(figures),
        Unit.SHARE,
        "cards dealt",
        "games won by the first player",
        notes=(
            "The paper calls four, five and six cards fair; with four the first player wins 54 %, "
            "which its 1,000 games could just not tell from 50.",
        ),
    )


def _figure_5(bench: Bench) -> Exhibit:
    """Fairness of Agram by the trick that decides it."""
    theirs = {1: 0.602, 2: 0.539, 3: 0.526, 4: 0.518, 5: 0.508, 6: 0.500}
    figures = []
    for trick, share in theirs.items():
        played = bench.play("agram", 2, decider=trick)
        figures.append(_first_seat(played, f"{trick}", of_share(ENGINE, share, 5000, 3)))
    return Exhibit(
        "Figure 5",
        "Which trick decides Agram",
        "The share of games won by the first of two random players with six cards, by the trick "
        "that decides and ends the game.",
        tuple(figures),
        Unit.SHARE,
        "deciding trick",
        "games won by the first player",
    )


# --- Pairs --------------------------------------------------------------------------------


def _figure_6(bench: Bench) -> Exhibit:
    """Fairness of one round of Pairs."""
    theirs = {
        "lowest card begins": (0, [1.74, 2.55, 2.01, 1.57]),
        "any card begins": (1, [2.70, 2.20, 1.65, 1.41]),
    }
    printed = {("any card begins", 1): 2.75, ("any card begins", 4): 1.37}
    figures = []
    for rule, (start, points) in theirs.items():
        played = bench.play("pairs-round", 4, start=start)
        for seat, mean in zip(played.seats, points, strict=True):
            sd = seat.score.sd
            number = seat.seat or 0
            references = [of_mean(ENGINE, mean, sd, GAMES, 2)]
            if (rule, number) in printed:
                references.insert(0, of_mean(PAPER, printed[rule, number], sd, GAMES, 2))
            figures.append(_mean(played, f"player {number}", seat.score, rule, tuple(references)))
    return Exhibit(
        "Figure 6",
        "Turn order in one round of Pairs",
        "The points that each of four players gets in a round that nobody can end by folding. "
        "Points are bad.",
        tuple(figures),
        Unit.NUMBER,
        "",
        "points",
        Layout.BARS,
    )


def _pairs_points(bench: Bench) -> Exhibit:
    """Points at the end of Pairs and of its continuous variant."""
    figures = []
    for game, label, points in (
        ("pairs", "Pairs", 9.25),
        ("continuous-pairs", "continuous", 11.5),
    ):
        played = bench.play(game, 4)
        for seat in played.seats:
            # the paper says "slightly over 9" and 11.5
            error = of_mean(PAPER, points, seat.score.sd, GAMES, 1).error
            reference = Reference(PAPER, points, error)
            figures.append(_mean(played, f"player {seat.seat}", seat.score, label, (reference,)))
    return Exhibit(
        "Section 6.2",
        "Points at the end of Pairs, four random players",
        "The final scores in the game as published, and in its continuous variant.",
        tuple(figures),
        Unit.NUMBER,
        "",
        "points",
        Layout.BARS,
        notes=('The paper says "slightly over 9 points": we take that as 9.25.',),
    )


def _figure_7(bench: Bench) -> Exhibit:
    """The length of Pairs by the number of players."""
    figures = []
    for players, mean in {2: 17.2, 3: 16.2, 4: 15.9, 5: 15.0}.items():
        played = bench.play("pairs", players)
        length = played.ticks_per_game
        reference = of_mean(ENGINE, mean, length.sd, GAMES, 1)
        figures.append(_mean(played, f"{players}", length, "", (reference,)))
    return Exhibit(
        "Figure 7",
        "How long Pairs is",
        "The number of calls of a choice block, whether or not there was a choice.",
        tuple(figures),
        Unit.NUMBER,
        "players",
        "actions in a game",
        notes=(
            "The paper calls this very consistent; it falls by an eighth from two players to "
            "five.",
        ),
    )


def _figure_8(bench: Bench) -> Exhibit:
    """How seldom a PIPMC player loses Pairs."""
    figures = []
    for players, share in {2: 0.94, 3: 1.00, 4: 0.97, 5: 0.97}.items():
        played = bench.play("pairs", players, [PIPMC, "random"], 2000, rotate=False)
        seat = played.seats[0]
        assert seat.non_loss_rate is not None
        error = (0.05 * 0.95 / 100) ** 0.5  # its engine lost none or few of 100 games
        reference = Reference(ENGINE, share, error)
        figures.append(
            Figure.of(
                played,
                f"{players} players",
                seat.non_loss_rate,
                seat.non_loss_interval,
                references=(reference,),
            )
        )
    return Exhibit(
        "Figure 8",
        "How seldom one PIPMC player among random ones loses Pairs",
        "The share of games that the PIPMC player does not lose.",
        tuple(figures),
        Unit.SHARE,
        "",
        "games not lost",
        Layout.BARS,
        notes=('The paper says "quickly approaching a non-loss probability of 1".',),
    )


# --- War and the times --------------------------------------------------------------------


def _war(bench: Bench) -> Exhibit:
    """How often War goes on for ever."""
    figures = []
    for label, shuffled, references in (
        ("fixed order", 0, (of_share(PAPER, 0.168, GAMES, 3), of_share(ENGINE, 0.18, 200, 2))),
        ("shuffled", 1, (Reference(PAPER, 0.0, 0.0),)),
    ):
        played = bench.play("war", 2, games=5000, shuffled=shuffled)
        share = sum(one.games for one in played.unfinished if one.cause == "loop") / played.games
        half = 1.96 * (share * (1 - share) / played.games) ** 0.5
        figures.append(
            Figure.of(played, label, share, (share - half, share + half), references=references)
        )
    return Exhibit(
        "Section 6.3",
        "How often War goes on for ever",
        "The share of games that come back to a state which they have been in before, with cards "
        "returned in a fixed order or shuffled. Only certain loops count: since that state "
        "nothing was drawn, and nobody had a choice.",
        tuple(figures),
        Unit.SHARE,
        "",
        "games without end",
        Layout.BARS,
    )


def _table_1(bench: Bench) -> Exhibit:
    """Times of 1,000 games."""
    figures = []
    theirs_of = {"pairs": ("Pairs", 12, 14 * 60), "agram": ("Agram", 25, 75 * 60)}
    for game, (title, random, pipmc) in theirs_of.items():
        for label, agents, theirs in (
            ("random", ["random"], random),
            ("PIPMC in the first seat", [PIPMC, "random"], pipmc),
        ):
            played = bench.play(
                game, 4, agents, 20_000 if label == "random" else 2000, rotate=False
            )
            ours = played.seconds / played.games * GAMES
            reference = Reference(PAPER, float(theirs), 0.0)
            figures.append(
                Figure.of(played, f"{title}, {label}", ours, None, references=(reference,))
            )
    return Exhibit(
        "Table 1",
        "Seconds for 1,000 games of four players",
        "On all cores of this machine, with machine code that was compiled before.",
        tuple(figures),
        Unit.SECONDS,
        "",
        "seconds",
        Layout.TABLE,
        notes=("Times of different machines are not compared.",),
    )


def _gain(played: Playtest, label: str, fair: float, references: tuple[Reference, ...]) -> Figure:
    """The win rate of the first seat above a fair share."""
    seat = played.seats[0]
    assert seat.win_rate is not None
    assert seat.win_interval is not None
    low, high = seat.win_interval
    return Figure.of(
        played, label, seat.win_rate - fair, (low - fair, high - fair), references=references
    )


def _first_seat(played: Playtest, label: str, reference: Reference) -> Figure:
    """The win rate of the first seat."""
    seat = played.seats[0]
    assert seat.win_rate is not None
    return Figure.of(played, label, seat.win_rate, seat.win_interval, references=(reference,))


def _mean(
    played: Playtest, label: str, of: Summary, series: str, references: tuple[Reference, ...]
) -> Figure:
    """A mean of a playtest as a figure beside published ones."""
    assert of.mean is not None
    return Figure.of(played, label, of.mean, of.interval, series, references)


EXHIBITS: tuple[Callable[[Bench], Exhibit], ...] = (
    _figure_2, _figure_3, _figure_4, _figure_5, _figure_6, _pairs_points, _figure_7, _figure_8,
    _war, _table_1,
)  # fmt: skip
"""The exhibits in the order of the paper."""
