"""The report of a playtest for a designer: first the meaning, then the numbers.

Everything is sentences and tables of rich; it fits into 80 columns and needs no colour.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from kibitz.core import registry
from kibitz.core.wording import counted, listed
from kibitz.playtest.measures import Line, lines
from kibitz.playtest.measures.examples import Example
from kibitz.playtest.results import Playtest
from kibitz.playtest.statistics import SIGNIFICANT, Interval, Summary, Z, wilson_interval
from kibitz.playtest.values import Fault, Performance, Unfinished
from kibitz.playtest.variants import Variant, Variants

MOST_FAULTS = 5
"""So many of what went wrong for one cause are told."""

MOST_LINES = 24
"""So many lines of options at each action are shown; JSON has more."""

MOST_VARIED = 26
"""So many columns of text are left to what was varied."""

DASH = "\N{EN DASH}"

CAUSES = {
    "full_buffer": "full buffer: no room left",
    "rules_error": "rules error: the rules failed",
    "dead_end": "dead end: no legal action",
    "illegal_action": "illegal action by an agent",
    "limit": "limit: too many actions",
    "loop": "loop: went round in circles",
    "suspected_loop": "suspected loop: seems to circle",
    "endless": "endless: no next decision",
    "agent_error": "agent error: an agent failed",
}


@dataclass(frozen=True)
class Grid:
    """A table of texts: the first column in words, the others numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table for the console.

        Where it is too wide for the words of the first column, intervals have a line of their own.
        """
        lines = (self.columns, *self.rows)
        numbers = [max(map(cell_len, column)) for column in zip(*lines, strict=True)][1:]
        word = max(cell_len(word) for first, *_ in lines for word in first.split() or [""])
        is_wide = word + sum(numbers) + 2 * len(numbers) > options.max_width
        table = _table(*self.columns)
        for first, *cells in self.rows:
            table.add_row(
                Text(first),
                *(Text(cell.replace(" (", "\n(") if is_wide else cell) for cell in cells),
            )
        yield table

    def markdown(self) -> Iterator[str]:
        """The lines of the table in Markdown."""
        rule = ("---", *["---:"] * (len(self.columns) - 1))
        for cells in (self.columns, rule, *self.rows):
            yield f"| {' | '.join(cells)} |"


def render(playtest: Playtest, branching: bool = False) -> RenderableType:
    """The whole report, to be printed by a rich console.

    Args:
        playtest: what is reported.
        branching: whether it says how many options there are at each action of the game.
    """
    parts: list[RenderableType] = [Text(headline(playtest), style="bold")]
    parts += [Text(line, style="dim") for line in description(playtest)]
    parts += ["", verdict_list(sentences(playtest))]
    tables: list[RenderableType] = list(grids(playtest))
    if branching and playtest.options_at:
        tables.append(_options_at(playtest))
    if playtest.unfinished:
        tables.append(_unfinished(playtest))
    for table in tables:
        parts += ["", table]
    parts += _notes(playtest)
    parts += ["", *(Text(line, style="dim") for line in footer(playtest))]
    return Group(*parts)


def headline(playtest: Playtest) -> str:
    """The headline: the game, and how many games of how many players."""
    players = counted(playtest.players, "player")
    games = counted(playtest.games, "game")
    return f"{playtest.title}: {games} of {players}, seed {playtest.seed}"


def description(playtest: Playtest) -> Iterator[str]:
    """The agents, and the settings that are not defaults."""
    agents = listed([agent.agent or "" for agent in playtest.agents])
    if len(playtest.agents) == 1:
        yield f"Played by {agents}."
    else:
        turns = "changing seats" if playtest.rotated else "keeping their seats"
        yield f"Played by {agents}, {turns}."
    if playtest.duplicate:
        yield (
            "Each deal was played once for each seat; intervals take these games for independent."
        )
    if playtest.changed:
        values = ", ".join(f"{name}={value}" for name, value in playtest.changed.items())
        yield f"Changed parameters: {values}."
    if playtest.randomized:
        yield f"Each game drew from their ranges: {listed(playtest.randomized)}."


# --- what it means ------------------------------------------------------------------------


def verdict_list(said: Iterable[tuple[bool, str]]) -> RenderableType:
    """The sentences at the top; those that need attention are marked."""
    grid = Table.grid(padding=(0, 1))
    for urgent, sentence in said:
        mark = Text("!" if urgent else "•")
        grid.add_row(mark, Text(sentence), style="bold yellow" if urgent else "")
    return grid


def sentences(playtest: Playtest) -> Iterator[tuple[bool, str]]:
    """Sentences on the meaning of the numbers, each with whether it needs attention."""
    if playtest.rules_changed:
        yield True, "The rules have changed since these games were played."
    if playtest.interrupted:
        yield True, f"Stopped after {playtest.games:,} of {counted(playtest.wanted, 'game')}."
    if playtest.games and not playtest.finished:
        yield True, "No game could be finished, so nothing else can be said; see why below."
        return
    if not playtest.finished:
        return
    yield from share_sentences(playtest)
    yield from fairness_sentences(playtest)
    yield from _skill(playtest)
    yield False, _length(playtest)
    if playtest.unfinished:
        lost = playtest.games - playtest.finished
        share = percent(lost / playtest.games, wilson_interval(lost, playtest.games))
        yield (
            True,
            f"{lost:,} of {counted(playtest.games, 'game')} could not be finished: {share}. "
            "All else here is about the others.",
        )
    else:
        every = "The game was" if playtest.games == 1 else f"All {playtest.games:,} games were"
        yield False, f"{every} finished."


def share_sentences(playtest: Playtest) -> Iterator[tuple[bool, str]]:
    """Sentences on how often a team or a single player wins; empty for other games."""
    if playtest.won_together or playtest.lost_together:
        won = playtest.won_together
        share = percent(won / playtest.finished, wilson_interval(won, playtest.finished))
        yield False, f"The players win together in {share} of the games."
    elif playtest.players == 1:
        only = playtest.seats[0]
        yield False, f"The player wins {percent(only.win_rate, only.win_interval)} of the games."


def fairness_sentences(playtest: Playtest) -> Iterator[tuple[bool, str]]:
    """Sentences on the advantage of seats, where all seats have the same agents."""
    fairness = playtest.fairness
    if fairness is None:
        return
    if fairness.p_value is None:
        yield (
            False,
            f"{counted(playtest.finished, 'game')} are too few to tell whether a seat has an "
            "advantage.",
        )
    elif fairness.p_value >= SIGNIFICANT:
        bounds = [bound for seat in playtest.seats for bound in seat.win_interval or ()]
        hidden = 100 * max(abs(bound - fairness.fair_share) for bound in bounds)
        yield (
            False,
            f"{counted(playtest.finished, 'game')} show no seat to have an advantage (one of up "
            f"to {short(hidden)} points could still hide).",
        )
    else:
        yield True, _advantage(playtest.seats, fairness.fair_share)


def _advantage(seats: Sequence[Performance], fair_share: float) -> str:
    """Which seats win more than their share, and which less."""
    fair = percent(fair_share)
    better = [s for s in seats if s.win_interval and s.win_interval[0] > fair_share]
    worse = [s for s in seats if s.win_interval and s.win_interval[1] < fair_share]
    if better and len(seats) == 2:
        worse = []  # it says the same again
    said = []
    for group, word in ((better, "more"), (worse, "less")):
        if group:
            their = "its" if len(group) == 1 else "their"
            said.append(f"{_wins(group)}: {word} than {their} fair {fair}.")
    if said:
        return " ".join(said)
    most = max(seats, key=lambda s: s.win_rate or 0.0)
    return f"The seats do not win equally often: {_wins([most])} where {fair} would be fair."


def _wins(seats: Sequence[Performance]) -> str:
    """``Seat 1 wins 40 % and seat 2 38 %``, with their intervals."""
    shown = [f"seat {s.seat} wins {percent(s.win_rate, s.win_interval)}" for s in seats]
    shown[1:] = [words.replace(" wins", "", 1) for words in shown[1:]]
    return listed(shown).capitalize()


def _skill(playtest: Playtest) -> Iterator[tuple[bool, str]]:
    """Whether the agents differ, where they do not win or lose together."""
    agents = [a for a in playtest.agents if a.win_interval is not None]
    if len(agents) < 2 or playtest.won_together or playtest.lost_together:
        return
    fair = 1 / playtest.players
    agents = [_cautious(agent, len(agents)) for agent in agents]
    best = max(agents, key=lambda a: a.win_rate or 0.0)
    worst = min(agents, key=lambda a: a.win_rate or 0.0)
    if best.win_interval and best.win_interval[0] > fair:
        told, word = best, "wins"
    elif worst.win_interval and worst.win_interval[1] < fair:
        told, word = worst, "wins only"
    else:
        yield (
            False,
            "How one plays does not show: "
            f"{counted(playtest.finished, 'game')} tell no agent from another.",
        )
        return
    doubt = "" if playtest.rotated else " But nobody changed seats: it may be the seat."
    shown = next(agent for agent in playtest.agents if agent.agent == told.agent)
    rate = percent(shown.win_rate, shown.win_interval)
    yield (
        False,
        f"How one plays matters: {told.agent} {word} {rate} "
        f"where equal players would win {percent(fair)}.{doubt}",
    )


def _cautious(agent: Performance, comparisons: int) -> Performance:
    """The agent with a wider interval: with many, one stands out by chance (Bonferroni)."""
    quantile = NormalDist().inv_cdf(1 - 0.025 / comparisons)
    low, high = agent.win_interval or (0.0, 1.0)
    middle = agent.win_rate or 0.0
    wider = quantile / Z
    interval = (middle - (middle - low) * wider, middle + (high - middle) * wider)
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


# --- the numbers --------------------------------------------------------------------------


def grids(playtest: Playtest) -> Iterator[Grid]:
    """The tables about finished games, without repetitions."""
    if not playtest.finished:
        return
    if playtest.is_cooperative:
        yield _measures(playtest)
        return
    seats = playtest.players > 1 or len(playtest.agents) == 1
    one_seat_each = not playtest.rotated and len(playtest.agents) == playtest.players
    if len(playtest.agents) > 1 and not one_seat_each:
        yield _performances("agent", playtest.agents, playtest)
    if seats:
        yield _performances("seat", playtest.seats, playtest)
    yield _measures(playtest)


def _table(*columns: str) -> Table:
    """An empty table: the first column in words, the others numbers."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(columns[0], overflow="fold")
    for column in columns[1:]:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _performances(title: str, rows: Sequence[Performance], playtest: Playtest) -> Grid:
    """The results by agent or by seat, without empty columns."""
    ties = any(row.ties for row in rows)
    losses = playtest.players > 2
    scores = any(row.score.min or row.score.max for row in rows)
    columns = [title, "games", "win rate"]
    columns += ["shared"] * ties + ["not last"] * losses + ["score"] * scores
    lines = []
    for row in rows:
        cells = [_name(row, playtest), f"{row.games:,}", percent(row.win_rate, row.win_interval)]
        cells += [f"{row.ties:,}"] * ties
        cells += [percent(row.non_loss_rate, row.non_loss_interval)] * losses
        cells += [mean(row.score)] * scores
        lines.append(tuple(cells))
    return Grid(tuple(columns), tuple(lines))


def _name(row: Performance, playtest: Playtest) -> str:
    """A seat or an agent in its column."""
    agent = stacked(row.agent or "")
    if row.seat is None:
        return agent
    return f"{row.seat} {agent}" if len(playtest.agents) > 1 and agent else str(row.seat)


def stacked(agent: str) -> str:
    """An agent in a column: options stand below one another when they are long."""
    return agent.replace(":", ":\n").replace(",", ",\n") if len(agent) > 16 else agent


def _measures(playtest: Playtest) -> Grid:
    """Length, choice, hidden information and ties; of a team also the score."""
    rows = []
    found = lines(playtest.values())
    if playtest.is_cooperative:
        found.insert(0, Line("score", playtest.seats[0].score))
    for line in found:
        if line.summary is None:
            rows.append((line.title, percent(line.share, line.interval), "", "", ""))
        else:
            one = line.summary
            rows.append((line.title, mean(one), number(one.sd), number(one.min), number(one.max)))
    return Grid(("measure", "mean", "spread", "least", "most"), tuple(rows))


def _options_at(playtest: Playtest) -> Table:
    """How many options there are on average at the first action of a game, the second, ...

    A line has as many actions as there are players, or some times as many: where everybody
    acts in turn, what stands below one another belongs to the same place in the turn.
    """
    across = playtest.players * max(1, 6 // playtest.players)
    shown = playtest.options_at[: across * MOST_LINES]
    table = _table("options at action", *(f"+{i}" for i in range(across)))
    for start in range(0, len(shown), across):
        line = shown[start : start + across]
        table.add_row(str(line[0].action), *(number(options.mean) for options in line))
    if len(playtest.options_at) > len(shown):
        table.add_row("...")
    return table


def _unfinished(playtest: Playtest) -> Table:
    """The games that were broken off, by cause."""
    table = _table("unfinished", "games", "share", "seed of the first", "after")
    for row in playtest.unfinished:
        table.add_row(
            CAUSES[row.cause],
            f"{row.games:,}",
            percent(row.games / playtest.games),
            str(row.seed),
            counted(row.ticks, "action"),
        )
    return table


def _notes(playtest: Playtest) -> Iterator[Text]:
    """Notes on the first game of each cause, with the command that shows it."""
    for row in playtest.unfinished:
        name = row.cause.replace("_", " ")
        faults = [fault for fault in playtest.faults if fault.cause == row.cause]
        for fault in faults[:MOST_FAULTS]:
            some = f" in {counted(fault.games, 'game')}" if len(faults) > 1 else ""
            yield Text(f"{name}{some}: {fault.explanation}", "yellow")
            yield _command(playtest, fault)
        if len(faults) > MOST_FAULTS:
            more = f"and {len(faults) - MOST_FAULTS} more; --json FILE lists them all"
            yield Text(f"{name}: {more}", "yellow")
        if not faults:
            said = []
            if row.seat is not None:
                said.append(f"by {row.agents[row.seat - 1]} in seat {row.seat}")
            if row.error:
                said.append(row.error.partition("\n")[0])
            yield Text(f"{name}{': ' if said else ''}{'; '.join(said)}", "yellow")
            yield _command(playtest, row)
        if row.cause == "suspected_loop":
            said_of_it = f"The same state came {playtest.loops} times. To play on: --loops 0"
            yield Text(f"  {said_of_it}", "yellow")


def _command(playtest: Playtest, row: Unfinished | Fault) -> Text:
    """The command that shows a game: a line of its own however long it is, to be copied."""
    text = f"  {record_command(playtest, row)}"
    return Text(text, "yellow", no_wrap=True, overflow="ignore")


def record_command(playtest: Playtest, row: Unfinished | Fault | Example) -> str:
    """The command that tells a game move by move: an example, or the first that went wrong."""
    return _command_line(playtest, "record", row.agents, row.seed)


def playtest_command(playtest: Playtest) -> str:
    """The command that plays the same games again."""
    agents = list(playtest.lineup)
    while len(agents) > 1 and agents[-1] == agents[-2]:
        agents.pop()  # the last one fills the seats that are left
    words = ["--games", str(playtest.wanted), *([] if playtest.rotated else ["--no-rotate"])]
    return _command_line(playtest, "playtest", agents, playtest.seed, words)


def game_name(playtest: Playtest) -> str:
    """The name of the game on a command line."""
    known = playtest.game in registry.names()
    return playtest.where or (playtest.game if known else "GAME")


def _command_line(
    playtest: Playtest, command: str, who: Sequence[str], seed: int, more: Sequence[str] = ()
) -> str:
    agents = who if len(set(who)) > 1 else who[:1]
    words = ["kibitz", command, game_name(playtest), "--players", str(playtest.players)]
    words += ["--agents", " ".join(agents), "--seed", str(seed), *more]
    kept = playtest.parameters if playtest.randomized else playtest.changed
    for name, value in kept.items():
        if name not in playtest.randomized:
            words += ["--set", f"{name}={value}"]
    words += ["--randomize"] * bool(playtest.randomized)
    if playtest.loops != playtest.usual_loops:
        words += ["--loops", str(playtest.loops)]
    return shlex.join(words)


def render_variants(found: Variants) -> RenderableType:
    """The table of variants, a line each, to be printed by a rich console."""
    one = found.variants[0].playtest
    many = len(one.agents) > 1
    who = f"{(one.agents[0].agent or '').partition(':')[0]} wins" if many else "seat 1 wins"
    team = all(variant.playtest.is_cooperative for variant in found.variants)
    if team:
        who = "team wins"
    apart = _fit_apart(found)
    names = found.varied if apart else ["variant"]
    ties = ["tied"] * (not team)  # a team cannot tie with itself
    table = _table(*names, who, "actions", "options", *ties, "unfinished")
    for variant in found.variants:
        result = variant.playtest
        first = (result.agents if many else result.seats)[0]
        left = result.games - result.finished
        table.add_row(
            *(variant.shown.values() if apart else ["\n".join(_settings(variant))]),
            percent(first.win_rate, first.win_interval),
            number(result.ticks_per_game.mean),
            number(result.options_per_decision.mean),
            *([] if team else [percent(result.tie_rate)]),
            percent(left / result.games) if left else "0",
        )
    each = max(variant.playtest.wanted for variant in found.variants)
    title = f"{found.title}: {counted(found.wanted, 'variant')} of {counted(each, 'game')} each, "
    parts: list[RenderableType] = [Text(f"{title}seed {found.seed}", style="bold")]
    parts.append(Text(f"Played by {listed([agent.agent or '' for agent in one.agents])}.", "dim"))
    if found.interrupted:
        stopped = f"Stopped after {counted(found.games, 'game')} of {each * found.wanted:,}."
        parts.append(Text(f"! {stopped}", "bold yellow"))
    parts += ["", table, *_faulty(found), ""]
    parts += [
        Text(line, style="dim")
        for line in (
            "In brackets: where the true value lies, with 95 % confidence.",
            "Actions: the mean length of a game. Options: how many there are where there is a "
            "choice.",
        )
    ]
    return Group(*parts)


def _fit_apart(found: Variants) -> bool:
    """Whether there is room for a column for each varied parameter."""
    widths = [
        1 + max(len(name), *(len(variant.shown[name]) for variant in found.variants))
        for name in found.varied
    ]
    return sum(widths) <= MOST_VARIED or len(widths) == 1


def _settings(variant: Variant) -> list[str]:
    """The values of a variant, as ``--set`` takes them."""
    return [f"{name}={value}" for name, value in variant.shown.items()]


def _faulty(found: Variants) -> Iterator[Text]:
    """Notes on why games of variants could not be finished, with commands that show one."""
    for variant in found.variants:
        label = ", ".join(_settings(variant))
        for row in variant.playtest.unfinished:
            games = counted(row.games, "game")
            yield Text(f"{label}: {CAUSES[row.cause]} ({games})", "yellow")
            yield _command(variant.playtest, row)


def footer(playtest: Playtest) -> Iterator[str]:
    """The notes on how to read it, and the time it took."""
    if playtest.finished:
        yield (
            "In brackets and after ±: where the true value lies, with 95 % confidence. "
            "Spread: standard deviation."
        )
    if any(seat.ties for seat in playtest.seats):
        yield "Win rates count a first place shared by k players as 1/k."
    speed = float(f"{playtest.games_per_second:.2g}")
    yield (
        f"{counted(playtest.games, 'game')} in {duration(playtest.seconds)}: "
        f"about {number(speed)} a second."
    )
    for agent in playtest.agents:
        if agent.seconds_per_decision is not None:
            yield f"{agent.agent} thinks {duration(agent.seconds_per_decision)} for a decision."


# --- numbers in words ---------------------------------------------------------------------


def percent(share: float | None, interval: Interval | None = None) -> str:
    """A share, with its interval in brackets, if there is any doubt.

    >>> percent(0.5), percent(0.585)
    ('50 %', '58.5 %')
    >>> percent(0.1, (-0.02, 0.22)), percent(1.0, (1 - 1e-8, 1.0))
    ('10.0 % (-2.0 to 22.0)', '100 %')
    """
    if share is None:
        return DASH
    if interval is None or interval[1] - interval[0] < 1e-9:
        return f"{100 * share:.1f}".removesuffix(".0") + " %"
    digits = 2 if interval[1] - interval[0] < 0.0005 else 1
    middle, low, high = (
        f"{round(100 * value, digits) + 0.0:.{digits}f}"  # no -0.0
        for value in (share, *interval)
    )
    if low == middle == high:
        return percent(share)
    between = " to " if low.startswith("-") else DASH
    return f"{middle} % ({low}{between}{high})"


def point(share: float) -> str:
    """A share in points, with one digit behind the point where there are few.

    >>> point(0.143), point(-0.0211)
    ('14', '-2.1')
    """
    hundredths = round(100 * share, 1) + 0.0  # no -0.0
    return f"{hundredths:.0f}" if abs(hundredths) >= 10 else f"{hundredths:.1f}"


def points(share: float, interval: Interval) -> str:
    """A difference of shares in points, with its interval in brackets.

    >>> points(0.143, (-0.01, 0.296))
    '14 (-1.0 to 30) points'
    """
    low, high = map(point, interval)
    between = " to " if low.startswith("-") else DASH
    return f"{point(share)} ({low}{between}{high}) points"


def mean(summary: Summary) -> str:
    """A mean with half its interval: ``7.28 ±0.02``."""
    if summary.mean is None:
        return DASH
    if summary.interval is None:
        return number(summary.mean)
    half = (summary.interval[1] - summary.interval[0]) / 2
    if half == 0:
        return f"{number(summary.mean)} ±0"
    digits = 3 if half < 0.005 else 2 if half < 0.5 else 1 if half < 10 else 0
    return f"{summary.mean:,.{digits}f} ±{half:,.{digits}f}"


def number(value: float | None) -> str:
    """A number with as many digits as a person wants: ``7.28``, ``76.6``, ``1,200``."""
    if value is None:
        return DASH
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) < 10 else f"{value:,.1f}"


def short(value: float) -> str:
    """Two significant digits, or the whole number: ``0.073``, ``3.1``, ``15``."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def duration(seconds: float) -> str:
    """A short time: ``67 µs``, ``12 ms``, ``1.5 s``."""
    for factor, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 999.5:
            return f"{short(seconds * factor)} {unit}"
    return f"{short(seconds)} s"
