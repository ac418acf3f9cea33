"""The compiler of a program to the text of an LLVM module."""

from __future__ import annotations

from dataclasses import dataclass

from kibitz.recycle import dependence, tree
from kibitz.recycle.codegen import aggregates as aggregates  # registers expressions
from kibitz.recycle.codegen import choices, flow
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen.function import Function
from kibitz.recycle.codegen.module import Module
from kibitz.recycle.codegen.scope import Mode, Scope
from kibitz.recycle.layout import Places
from kibitz.recycle.options import Path
from kibitz.recycle.tree import Expression
from kibitz.syntax.source import Diagnostic, Severity, SourceError, Span

MOST_TEXT = 400_000
"""The maximum length of a module's text; the longest published games need a third of it."""

EXPORTS = {
    "setup": "vii",
    "legal_actions": "iiii",
    "apply_action": "viii",
    "heuristic": "fiii",
    "score_so_far": "fiii",
    "redeterminize": "viii",
    "is_consistent": "iiii",
    "picks": "iiiii",
}
"""The functions of a module and their signatures, in the notation of ``Export``."""

TRACED_EXPORTS = {"trace": "viiii"}
"""The functions of a traced module: ``trace(context, state, action, log)``."""


@dataclass(frozen=True)
class Compiled:
    """A program as an LLVM module, and the meaning of the numbers that the module uses.

    Attributes:
        text: The text of the LLVM module.
        paths: The path of each kind of action; the first is kind 1.
        sites: The span and the message of each place where a game may break off; the first is
            number 1.
        choices: The choices, by phase.
        endings: The alternative conditions that end ``flow.ending_stage``. When the one with index
            i ends it, the phase becomes ``len(choices)`` + i.
        traced: The actions by their numbers in a log; empty unless the module is traced.
    """

    text: str
    paths: tuple[Path, ...]
    sites: tuple[tuple[Span, str], ...]
    choices: tuple[tree.Choice, ...]
    endings: tuple[tree.Expression, ...] = ()
    traced: tuple[tree.Action, ...] = ()


def trace_program(places: Places, pass_when_stuck: bool = False) -> Compiled:
    """The module of a program that compiles, with ``trace`` as its only exported function.

    ``trace`` applies an action and keeps a log of 64-bit numbers, ``tracing.LOGGED`` to an entry.
    The first entry contains the number of further entries, and how many of them belong to the
    option itself; the others belong to the rules that follow. A further entry contains the number
    of an action, then:

    - for a card that was moved or shown: the card, the players who know it now, as bits, its
      former place and its new place;
    - for a number: its offset in the state, its old and its new value;
    - for a shuffle: the place.
    """
    return _compiled(Module(places, pass_when_stuck, traced=True))


def compile_program(places: Places, pass_when_stuck: bool = False) -> Compiled:
    """The module of a program.

    Raises:
        SourceError: The program contains a part that cannot be compiled, or is too long.
    """
    compiled = _compiled(Module(places, pass_when_stuck))
    if len(compiled.text) > MOST_TEXT:
        source = places.program.source
        message = (
            f"The rules are too long to be compiled in good time: {len(compiled.text):,} letters "
            f"of code, and at most {MOST_TEXT:,} are."
        )
        span = Span(0, len(source.text))
        raise SourceError(source, [Diagnostic(Severity.ERROR, "too-long", message, span)])
    return compiled


def _compiled(module: Module) -> Compiled:
    """Writes all functions of the game; returns the module.

    Raises:
        SourceError: The program contains a part that cannot be compiled.
    """
    program = module.places.program
    listed: list[tree.Choice] = []
    clause = 0
    for number, placed in enumerate(flow.choices_with_depth(program)):
        choice, depth, team_depth, _ = placed
        for clause_node in choice.clauses:
            module.late_forks |= dependence.late_forks(clause_node)
        f = choices.new_function(number)
        s = Scope(module, f, depth, team_depth, mode=Mode.LOOK)
        enumerator = choices.Enumerator(s, number, clause)
        enumerator.write(choice)
        s.end_of_failures("i64 -1")
        module.functions[f"options_{number}"] = f.text()
        module.paths += enumerator.paths
        clause += len(choice.clauses)
        listed.append(choice)
    program = module.places.program
    module.functions["score"] = _scoring(module, "score", program.score)
    if program.tie is not None:
        module.functions["tie"] = _scoring(module, "tie", program.tie)
    module.raise_problems()
    played = flow.Flow(module)
    module.functions["play"] = played.write()
    module.raise_problems()
    exports = [flow.trace()] if module.traced else flow.exports(module, len(listed))
    for index, f in enumerate(exports):
        module.functions[f"export {index}"] = f.text()
    return Compiled(
        module.text(),
        tuple(module.paths),
        tuple(module.sites),
        tuple(listed),
        tuple(played.endings),
        tuple(module.traced_actions),
    )


def _scoring(module: Module, name: str, number: Expression) -> str:
    f = Function(name, "i64", [("ptr noalias", "%state"), ("i64", "%player")])
    s = Scope(module, f, current="%player")
    s.begin_region()
    s.span = number.span
    f.leave(f"i64 {ex.number(s, number)}")
    s.end_of_failures("i64 0")
    return f.text()
