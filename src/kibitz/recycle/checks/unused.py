"""Warnings about unused variables, parameters and teams, and about players that do not exist."""

from __future__ import annotations

from collections import Counter

from kibitz.recycle import tree
from kibitz.recycle.checks.reachable import Knowledge
from kibitz.recycle.checks.report import Report
from kibitz.recycle.tree import Type
from kibitz.recycle.words import LEXICON
from kibitz.syntax.sexpr import Atom, Form, forms, read, words


def check(knowledge: Knowledge, report: Report) -> None:
    """Warns about unused variables, parameters and teams, and about players that do not exist."""
    _check_variables(knowledge, report)
    if knowledge.program.dialect != "A":
        _check_declarations(knowledge, report)
        _check_teams(knowledge, report)
    _check_numbers(knowledge, report)


def _check_variables(knowledge: Knowledge, report: Report) -> None:
    used = {
        visit.node.binding
        for visit in knowledge.of(tree.Variable)
        if isinstance(visit.node, tree.Variable)
    }
    for binding, source in knowledge.sources.items():
        if binding in used or not knowledge.program.source.piece(binding.span).startswith("'"):
            continue
        if isinstance(source, tree.Fork):
            continue  # the check of choices warns that all its options are the same
        if isinstance(source, (tree.ForEach, tree.Total)):
            if binding.type in (Type.INT, Type.PLAYER, Type.TEAM):
                continue  # a way to repeat something
            message = f"'{binding.name} is not used: the same is done for each element."
        elif isinstance(source, tree.Let):
            message = f"'{binding.name} is not used."
        else:
            message = f"'{binding.name} is not used: it is asked the same of each element."
        report.warn("unused-variable", binding.span, message, "Use it, or leave it out.")


def _check_declarations(knowledge: Knowledge, report: Report) -> None:
    """Warns about parameters that are declared and not used."""
    source = knowledge.program.source
    tops = read(source, LEXICON).forms
    counts = Counter(atom.text for top in tops for atom in words(top))
    for top in tops:
        for form in forms(top):
            if form.head != "declare" or len(form.items) != 3:
                continue
            name = form.items[2]
            if isinstance(name, Atom) and counts[name.text] == 1:
                report.warn(
                    "unused-parameter",
                    name.span,
                    f"{name.text} is declared and not used.",
                    "Use it where its value stands, or leave it out.",
                )


def _check_teams(knowledge: Knowledge, report: Report) -> None:
    """Warns about teams of several players that the rules do not use."""
    program = knowledge.program
    if all(len(team) < 2 for team in program.teams):
        return
    for visit in knowledge.visits:
        node = visit.node
        if isinstance(node, tree.Stage) and node.kind == "team":
            return
        if isinstance(
            node, (tree.CurrentTeam, tree.TeamNumber, tree.TeamOf, tree.Teams, tree.Members)
        ):
            return
    for top in read(program.source, LEXICON).forms:
        for form in forms(top):
            if form.head == "create" and _names_teams(form):
                report.warn(
                    "unused-teams",
                    form.span,
                    "The teams are made, and nothing has to do with a team.",
                    "(team PLAYER) is a player's team; (TEAM sto NAME) is a number it has.",
                )
                return


def _names_teams(form: Form) -> bool:
    return (
        len(form.items) > 1 and isinstance(form.items[1], Atom) and form.items[1].text == "teams"
    )


def _check_numbers(knowledge: Knowledge, report: Report) -> None:
    """Warns about numbers of players and teams that do not exist."""
    program = knowledge.program
    for visit in knowledge.of(tree.Seat, tree.TeamNumber):
        node = visit.node
        assert isinstance(node, (tree.Seat, tree.TeamNumber))
        owner, count = "player", program.players
        if isinstance(node, tree.TeamNumber):
            owner, count = "team", len(program.teams)
        low, high, _ = knowledge.interval(node.number)
        if low >= count or high < 0:
            report.warn(
                f"no-such-{owner}",
                node.span,
                f"There is no {owner} with this number: here are {count}.",
                "The first one has the number 0 (in newer files 1).",
            )
