"""Opinions as HTML: bars of chances, curves, estimates of options, grades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from kibitz.web.kibitzer import Assessment
from kibitz.web.luck_and_skill import LuckAndSkill
from kibitz.web.review import Decision, turning_points

MOST_OPINIONS = 12
COLOURS = 6
"""The colours of players, which repeat from the first on."""


def colour(player: int) -> str:
    """A player's colour in bars and curves."""
    return f"var(--c{player % COLOURS})"


def chances(assessment: Assessment, called: Sequence[str]) -> str:
    """Each player's chance as a bar."""
    rows = [
        f'<div class="chance"><span>{escape(name)}</span><div class="track" role="img" '
        f'aria-label="{chance:.0%}"><div class="fill" style="width:{100 * chance:.1f}%;'
        f'background:{colour(p)}"></div></div><span class="num">{chance:.0%}</span></div>'
        for p, (name, chance) in enumerate(zip(called, assessment.chances, strict=True))
    ]
    return f'<div class="chances">{"".join(rows)}</div>'


def _error_words(error: float) -> str:
    """An error in points of a chance; a small one is never rounded to none."""
    points = 100 * error
    return f"{points:.0f}" if points >= 0.95 else f"{points:.1f}"


def advice(assessment: Assessment) -> str:
    """The estimates of options, the best first."""
    if not assessment.options:
        return ""
    rows = []
    for item in assessment.options[:MOST_OPINIONS]:
        error = (
            ""
            if item.error is None
            else f"<span class='quiet'> ± {_error_words(item.error)}</span>"
        )
        rows.append(
            f"<tr><td>{escape(item.words)}</td>"
            f'<td class="num">{item.chance:.0%}{error}</td>'
            f'<td class="num">{item.share:.0%}</td></tr>'
        )
    more = len(assessment.options) - MOST_OPINIONS
    footer = f'<p class="quiet">and {more} more.</p>' if more > 0 else ""
    return (
        '<table class="advice"><thead><tr><th>Option</th><th class="num">Chance</th>'
        f'<th class="num">Search</th></tr></thead><tbody>{"".join(rows)}</tbody></table>{footer}'
    )


def line(assessment: Assessment, called: Sequence[str]) -> str:
    """The expected line of play, step by step."""
    if not assessment.line:
        return ""
    steps = "".join(
        f'<li><span class="who" style="color:{colour(player)}">{escape(called[player])}</span> '
        f"{escape(words)}</li>"
        for player, words in assessment.line
    )
    return f'<h3>Expected from here</h3><ol class="line">{steps}</ol>'


def curve(history: Mapping[int, Sequence[float]], called: Sequence[str], length: int) -> str:
    """Everybody's chance over the game, as lines."""
    if len(history) < 2:
        return ""
    wide, high = 400.0, 90.0
    last = max(length, *history)
    lines = []
    for p, name in enumerate(called):
        points = " ".join(
            f"{wide * tick / last:.1f},{high - 4 - (high - 8) * values[p]:.1f}"
            for tick, values in sorted(history.items())
        )
        lines.append(
            f'<polyline points="{points}" fill="none" stroke="{colour(p)}" stroke-width="2" '
            f'vector-effect="non-scaling-stroke"><title>{escape(name)}</title></polyline>'
        )
    middle = high / 2
    return (
        f'<svg class="curve" viewBox="0 0 {wide:.0f} {high:.0f}" preserveAspectRatio="none" '
        'role="img" aria-label="The chances over the game">'
        f'<line x1="0" x2="{wide:.0f}" y1="{middle}" y2="{middle}" stroke="var(--line)"/>'
        f"{''.join(lines)}</svg>"
    )


def turns(decisions: Sequence[Decision]) -> str:
    """The turning points as buttons, which lead to their positions."""
    rows = [
        f'<button type="button" class="btn small" data-act="{decision.number}" '
        f'title="{escape(decision.chosen)}">Move {decision.number} · '
        f"player {decision.player + 1}, costs {100 * decision.loss:.0f}</button>"
        for decision in turning_points(decisions)
    ]
    return f'<h3>Turning points</h3><div class="turns">{"".join(rows)}</div>' if rows else ""


def luck_table(split: LuckAndSkill | None, called: Sequence[str]) -> str:
    """The gains of each player by luck and by choices, as HTML."""
    if split is None:
        return ""
    heading = "<h3>Luck and skill, in points of the chance to win</h3>"
    error = f"± {_error_words(split.error)}"
    if not split.is_precise:
        return (
            f"{heading}<p class='quiet'>This game is too long to tell them apart here: the "
            f"numbers would be right to {error} only.</p>"
        )
    titles = ("Deal", "Draws", "Own", "Others")
    head = "".join(f"<th class='num'>{title}</th>" for title in titles)
    rows = "".join(
        f"<tr><td class='who' style='color:{colour(p)}'>{escape(name)}</td>"
        + "".join(
            f"<td class='num'>{_points(values[p])}</td>"
            for values in (split.deal, split.draws, split.own, split.others)
        )
        + "</tr>"
        for p, name in enumerate(called)
    )
    strokes = "".join(
        f"<button type='button' class='btn small' data-act='{event.number + 1}'>After move "
        f"{event.number} · player {event.player + 1} {_points(event.gain)}</button>"
        for event in split.chance_events
    )
    if strokes:
        strokes = f"<h3>Strokes of luck</h3><div class='turns'>{strokes}</div>"
    return (
        f"{heading}<div class='scrolls'><table class='advice luck'><thead><tr><th></th>{head}"
        f"</tr></thead><tbody>{rows}</tbody></table></div><p class='quiet'>{error}, by random "
        "playouts with open cards. Own and others' choices gain what they are worth more than "
        f"choices at random; draws gain nobody anything on average.</p>{strokes}"
    )


def _points(share: float) -> str:
    """Hundredths of a win with their sign."""
    return f"{100 * share:+.0f}".replace("-", "\N{MINUS SIGN}").replace("+0", "0")


def grades(decisions: Sequence[Decision]) -> str:
    """The decisions with their grades as buttons, which lead to their positions."""
    rows = []
    for decision in decisions:
        best = ""
        if decision.loss > 0:
            best = f"<br><span class='quiet'>best: {escape(decision.best)}</span>"
        cost = f" {100 * decision.loss:.0f}" if decision.loss > 0 else ""
        rows.append(
            f'<li><button type="button" class="option" data-act="{decision.number}">'
            f"<kbd>{decision.number}</kbd><span>Player {decision.player + 1}: "
            f'{escape(decision.chosen)}{best}</span><span class="grade {decision.grade}">'
            f"{decision.grade}{cost}</span></button></li>"
        )
    return f"<ol>{''.join(rows)}</ol>"
