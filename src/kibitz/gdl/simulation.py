"""The checks of ``kibitz check`` by random play: games end, roles can move, goals are unique.

A check that finds nothing proves nothing about games that were not played.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kibitz.core.game import Table
from kibitz.core.randomness import derive_seed, random_below, start_stream
from kibitz.core.state import State
from kibitz.gdl.domains import declared
from kibitz.gdl.game import GdlGame
from kibitz.gdl.grounder import ground
from kibitz.gdl.limits import CURE
from kibitz.gdl.native import GdlRules
from kibitz.gdl.network import build
from kibitz.gdl.rules import RANDOM, Description
from kibitz.gdl.splitting import GroundingError
from kibitz.gdl.steps import Steps
from kibitz.gdl.telling import remembers_rightly
from kibitz.syntax.source import Diagnostic, Severity, Source, Span

GAMES = 12
"""The default number of random games."""
MOST_STEPS = 1000
"""The default number of steps after which a game is taken not to end."""

_OBSERVED_GAMES = 4
"""The games of imperfect information in which the knowledge of players is checked."""
_SHOWN_MOVES = 12
"""The last joint moves that a diagnostic shows."""
_PLAIN_SECONDS = 3.0
"""The seconds after which no other game begins if the prover evaluates the rules."""
_UNDECLARED_GAMES = 3
"""The random games that look for facts and moves that are not declared."""
_MOST_UNDECLARED = 12
"""The number of findings at which these games stop."""


@dataclass(frozen=True)
class Finding:
    """A violated condition in a game.

    Attributes:
        moves: the joint moves from the start to the state of the violation.
    """

    code: str
    message: str
    moves: tuple[str, ...]
    severity: Severity = Severity.ERROR


def simulate(
    source: Source,
    games: int = GAMES,
    seed: int = 0,
    most_steps: int = MOST_STEPS,
    checked: Counter[str] | None = None,
) -> list[Diagnostic]:
    """Plays random games; reports each violated condition once for each role.

    Args:
        source: rules in which ``diagnose`` finds no errors.
        most_steps: the number of steps after which a game is taken not to end.
        checked: the numbers of games and steps played are added to it.
    """
    checked = Counter() if checked is None else checked
    try:
        game = GdlGame(source)
        findings = list(_broken(game, games, seed, most_steps, checked))
        if game.rules.proved is None:
            findings += _undeclared(game, seed, most_steps)
    except GroundingError as problem:
        return [Diagnostic(Severity.ERROR, "grounding", str(problem), problem.span)]
    first: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        first.setdefault((finding.code, finding.message), finding)
    diagnostics = [_diagnostic(finding, game.description) for finding in first.values()]
    if game.rules.refusal is None:
        return diagnostics
    slow = Diagnostic(
        Severity.WARNING,
        "grounding",
        "The rules are evaluated one by one, slowly: they have too many instances, most of them"
        " of this one.",
        game.rules.refusal.span,
        f"{CURE[0].upper()}{CURE[1:]}.",
    )
    return [slow, *diagnostics]


def _diagnostic(finding: Finding, description: Description) -> Diagnostic:
    """Makes a diagnostic of a finding, at the first rule of the relation that it concerns."""
    relation = {"no-move": "legal", "no-goal": "goal", "goals": "goal", "goal-value": "goal"}
    relation |= {"endless": "terminal", "undeclared-fact": "base", "undeclared-move": "input"}
    relation |= {"unknowable": "legal"}
    name = relation[finding.code]
    span = next((r.head_span for r in description.rules if r.head.name == name), Span(0, 0))
    moves = finding.moves
    shown = " ".join(moves[-_SHOWN_MOVES:])
    if len(moves) > _SHOWN_MOVES:
        shown = f"... {shown}"
    if not moves:
        hint = "So it is at the start."
    elif finding.code == "endless":
        hint = "Most games count their steps, and end with the last one."
    else:
        hint = f"After {len(moves)} steps: {shown}"
    return Diagnostic(finding.severity, finding.code, finding.message, span, hint)


def _broken(
    game: GdlGame, games: int, seed: int, most_steps: int, checked: Counter[str]
) -> Iterator[Finding]:
    """Yields the conditions that random games violate; counts games and steps in `checked`."""
    steps = Steps(game.table())
    names = steps.rules.actions.names
    roles = [game.description.spelling[role] for role in game.description.roles]
    rng = [0, 0, 0, 0]
    began = time.monotonic()
    for number in range(games):
        if game.rules.proved is not None and time.monotonic() - began > _PLAIN_SECONDS:
            return
        checked["games"] += 1
        start_stream(rng, derive_seed(rng, seed, number), 0)
        state = steps.initial()
        played: list[str] = []
        while not steps.terminal(state):
            if len(played) >= most_steps:
                yield Finding(
                    "endless",
                    f"A random game did not end within {most_steps:,} steps.",
                    tuple(played),
                    Severity.WARNING,
                )
                break
            legal = [steps.legal(state, role) for role in range(len(roles))]
            stuck = [role for role, moves in zip(roles, legal, strict=True) if not moves]
            for role in stuck:
                yield Finding(
                    "no-move",
                    f"The role {role} has no legal move in a state that is not terminal.",
                    tuple(played),
                )
            if stuck:
                break
            if game.rules.imperfect and game.rules.proved is None and number < _OBSERVED_GAMES:
                yield from _unknowable(steps, state, legal, roles, tuple(played))
            chosen = [sorted(moves)[random_below(rng, len(moves))] for moves in legal]
            played.append(f"({' '.join(names[move] for move in chosen)})")
            steps.play(state, chosen)
            checked["steps"] += 1
        else:
            yield from _goals(steps, state, roles, tuple(played))


def _unknowable(
    steps: Steps,
    state: State,
    legal: Sequence[Sequence[int]],
    roles: Sequence[str],
    played: tuple[str, ...],
) -> Iterator[Finding]:
    """Yields a finding for each role that cannot infer its legal moves from its percepts."""
    names = steps.rules.actions.names
    for number, role in enumerate(roles):
        if role.lower() == RANDOM:
            continue  # chance knows all that its moves depend on
        sample = state.determinize(number, len(played))
        moves = set(steps.legal(sample, number)) ^ set(legal[number])
        if moves and remembers_rightly(steps, sample, number):
            yield Finding(
                "unknowable",
                f"The role {role} cannot know whether it may {names[min(moves)]}: that depends on "
                "what it is not told.",
                played,
                Severity.WARNING,
            )


def _goals(
    steps: Steps, state: State, roles: Sequence[str], played: tuple[str, ...]
) -> Iterator[Finding]:
    """Yields the missing, ambiguous and unusual goal values in a terminal state."""
    for number, role in enumerate(roles):
        values = sorted(set(steps.goals(state, number)))
        if not values:
            yield Finding("no-goal", f"The role {role} has no goal value at the end.", played)
        elif len(values) > 1:
            listed = ", ".join(map(str, values))
            yield Finding(
                "goals", f"The role {role} has several goal values at the end: {listed}.", played
            )
        yield from (
            Finding(
                "goal-value",
                f"The role {role} has the goal value {value}, which is not from 0 to 100.",
                played,
                Severity.WARNING,
            )
            for value in values
            if not 0 <= value <= 100
        )


def _undeclared(game: GdlGame, seed: int, most_steps: int) -> list[Finding]:
    """Facts and moves that occur without being declared by ``base`` or ``input``.

    The result is empty if the rules cannot be grounded without these declarations.
    """
    description = game.description
    if not (description.defines("base") or description.defines("input")):
        return []
    free = replace(
        description,
        rules=tuple(
            replace(rule, head=replace(rule.head, name=f"declared {rule.head.name}"))
            if rule.head.name in ("base", "input")
            else rule
            for rule in description.rules
        ),
    )
    try:
        network = build(free, ground(free))
    except GroundingError:
        return []
    rules = GdlRules(free, network=network, imperfect=False)
    players = game.players[0]
    steps = Steps(Table(game, players, game.Parameters(players), rules))
    names, held = rules.actions.names, rules.facts.names
    bases, inputs = declared(description, "base"), declared(description, "input")
    facts = {
        text
        for term, text in zip(network.facts, held, strict=True)
        if bases is not None and (term,) not in bases
    }
    moves = {
        number
        for number, move in enumerate(network.moves)
        if inputs is not None and (description.roles[move.role], move.term) not in inputs
    }
    findings: list[Finding] = []
    rng = [0, 0, 0, 0]
    for number in range(_UNDECLARED_GAMES if facts or moves else 0):
        start_stream(rng, derive_seed(rng, seed, number), 0)
        state = steps.initial()
        played: list[str] = []
        while len(played) < most_steps and len(findings) < _MOST_UNDECLARED:
            so_far = tuple(played)
            for fact in rules.facts.true(state.view.facts):
                if fact in facts:
                    message = f"{fact} comes true, but no `base` declares it."
                    findings.append(Finding("undeclared-fact", message, so_far))
            if steps.terminal(state):
                break
            legal = [sorted(steps.legal(state, role)) for role in range(steps.roles)]
            for move in sorted(moves & {move for options in legal for move in options}):
                message = f"{names[move]} is legal, but no `input` declares it."
                findings.append(Finding("undeclared-move", message, so_far))
            if not all(legal):
                break
            chosen = [options[random_below(rng, len(options))] for options in legal]
            played.append(f"({' '.join(names[move] for move in chosen)})")
            steps.play(state, chosen)
    return findings
