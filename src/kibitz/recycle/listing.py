"""The intermediate form of a game as readable text, for ``kibitz translate``.

It lists the state, then the flow: the stages, the choices and the options. Each option shows its
kinds of actions with their operands. Every line of the flow begins with the line number of its
source.
"""

from __future__ import annotations

from collections.abc import Iterator

from kibitz.recycle import tree
from kibitz.recycle.codegen.compiler import Compiled
from kibitz.recycle.dependence import needs_trial
from kibitz.recycle.layout import Places
from kibitz.recycle.options import Path
from kibitz.recycle.tree import Type

_SEEN_BY = {
    "vloc": "all",
    "hloc": "nobody",
    "iloc": "its owner",
    "oloc": "all but its owner",
    "mem": "all (references)",
}


def listing(places: Places, compiled: Compiled) -> Iterator[str]:
    """The lines of the listing."""
    yield from _state(places)
    yield ""
    yield from _Flow(places, compiled).lines()


def _state(places: Places) -> Iterator[str]:
    """The lines about the players, the cards, the locations and the storages."""
    program = places.program
    values = ", ".join(f"{name} = {value}" for name, value in program.values.items())
    yield f"{program.title or program.source.name}: {program.players} players"
    if values:
        yield f"with {values}"
    attributes = ", ".join(places.attributes) or "none"
    yield f"{len(program.cards)} cards; their attributes: {attributes}"
    if len(program.teams) < program.players:
        teams = ("+".join(str(p + 1) for p in team) for team in program.teams)
        yield f"teams of players: {', '.join(teams)}"
    yield f"a state has {places.layout.dtype.itemsize:,} bytes"
    yield ""
    yield "places    location"
    for (sort, kind, name), count in sorted(
        places.indices.items(), key=lambda entry: places.place(*entry[0])
    ):
        first = places.place(sort, kind, name)
        last = first + count * (places.players if sort == "player" else 1) - 1
        span = str(first) if first == last else f"{first}-{last}"
        viewers = "nobody" if (sort, kind) == ("game", "iloc") else _SEEN_BY[kind]
        indices = f", {count} of them" if count > 1 else ""
        owner = "each player's" if sort == "player" else "the table's"
        yield f"{span:>6}    {owner} {name} ({kind}): seen by {viewers}{indices}"
    for key in places.storages:
        sort, kind, name = key
        owner = {"game": "the table's", "player": "each player's", "team": "each team's"}[sort]
        noun = {"sto": "number", "str": "name", "points": "point map"}[kind]
        yield f"{'':>6}    {owner} {name}: {noun}"


class _Flow:
    """The writer of the lines about the flow of a game."""

    def __init__(self, places: Places, compiled: Compiled) -> None:
        self.places = places
        self.paths = compiled.paths
        self.source = places.program.source
        self.choices = 0
        self.clauses = 0

    def lines(self) -> Iterator[str]:
        """All lines about the flow."""
        yield " line    flow"
        for item in self.places.program.items:
            yield from self.item(item, 0)
        program = self.places.program
        best = "highest" if program.highest_wins else "lowest"
        score, *tie = map(expression, program.scoring)
        text = f"end: the {best} score wins; each player's is {score}"
        text += "".join(f"; among equal scores the {best} {number}" for number in tie)
        yield self.line(program.score, 0, text)

    def line(self, node: tree.Node, depth: int, text: str) -> str:
        """A line with the line number of its source and its indentation."""
        number = self.source.position(node.span.start)[0]
        return f"{number:>5}    {'  ' * depth}{text}"

    def item(self, item: tree.Item, depth: int) -> Iterator[str]:
        """The lines of a block, a choice or a stage."""
        match item:
            case tree.Block():
                yield from self.statement(item.body, depth)
            case tree.Choice():
                yield from self.choice(item, depth)
            case tree.Stage():
                how = ", all at once" if item.simultaneous else ""
                text = f"stage: {item.kind}s in turn{how}, until {expression(item.end)}"
                if item.responders is not None:
                    who = expression(item.responders)
                    text = f"respond: {who}, in turn if they have an option, until one does"
                yield self.line(item, depth, text)
                for inner in item.items:
                    yield from self.item(inner, depth + 1)

    def choice(self, choice: tree.Choice, depth: int) -> Iterator[str]:
        """The lines of a choice."""
        number = self.choices
        self.choices += 1
        yield self.line(choice, depth, f"choice {number + 1}: the current player decides")
        for clause in choice.clauses:
            paths = [path for path in self.paths if path.clause == self.clauses]
            self.clauses += 1
            tried = ", tried out step by step" if needs_trial(clause) else ""
            kinds = "; ".join(map(self.path, paths)) or "never an option"
            yield self.line(clause, depth + 1, f"option {kinds}{tried}")
            yield from self.statement(clause, depth + 2)

    def path(self, path: Path) -> str:
        """A path as text: its kind and the operands of its actions."""
        operands = ", ".join(
            f"{fork.binding.name}: {fork.binding.type.value}"
            + (" or where it lies" if fork.hidden else "")
            + (f" in {fork.bits} bits" if path.packed else "")
            for fork in path.forks
        )
        if not path.packed:
            return f"{path.kind} (digest of {operands})"
        return f"{path.kind} ({operands})" if operands else str(path.kind)

    def statement(self, node: tree.Statement, depth: int) -> Iterator[str]:
        """The lines of a statement."""
        match node:
            case tree.Do():
                for step in node.steps:
                    yield from self.statement(step, depth)
                return
            case tree.When():
                head, body = f"if {expression(node.condition)}", node.body
            case tree.Cases():
                yield self.line(node, depth, f"by {expression(node.key)}")
                for case in node.cases:
                    yield self.line(case, depth + 1, f"if {case.value}")
                    yield from self.statement(case.body, depth + 2)
                return
            case tree.ForEach():
                head = f"for each {node.binding.name} of {expression(node.collection)}"
                body = node.body
            case tree.Fork():
                head = f"pick {node.binding.name} of {expression(node.collection)}"
                body = node.body
            case tree.Let():
                head, body = f"let {node.binding.name} = {expression(node.value)}", node.body
            case tree.Repeat():
                head, body = f"{expression(node.times)} times", node.body
            case _:
                yield self.line(node, depth, action(node))
                return
        yield self.line(node, depth, head)
        yield from self.statement(body, depth + 1)


def action(node: tree.Action) -> str:
    """An action as text."""
    match node:
        case tree.Move():
            lenient = ", if there is one" if node.lenient else ""
            return f"move {expression(node.card)} to {_where(node.where, node.pile)}{lenient}"
        case tree.Remember():
            return f"remember {expression(node.card)} at {_where(node.where, node.memory)}"
        case tree.Forget():
            return f"forget {_where(node.which, node.memory)}"
        case tree.Shuffle():
            return f"{'riffle' if node.faro else 'shuffle'} {expression(node.pile)}"
        case tree.Pass():
            return "pass"
        case tree.SetNumber():
            sign = {"set": "=", "inc": "+=", "dec": "-="}[node.operator]
            return f"{expression(node.target)} {sign} {expression(node.value)}"
        case tree.SetText():
            return f"{expression(node.target)} = {expression(node.value)}"
        case tree.SetPoints():
            awards = ", ".join(map(_award, node.awards))
            return f"{_points(node.target)} = [{awards}]"
        case tree.Cycle():
            verb = "is next" if node.which == "next" else "becomes current"
            return f"{expression(node.player)} {verb}"
        case tree.Swap():
            return f"swap {expression(node.first)} and {expression(node.second)}"
        case tree.MakeTeams():
            return f"teams: {', '.join('+'.join(map(str, team)) for team in node.teams)}"
        case tree.Reveal():
            to = "all" if node.players is None else expression(node.players)
            return f"show {expression(node.card)} to {to}"
        case tree.Tell():
            coll = expression(node.collection)
            return f"tell of which {node.binding.name} of {coll}: {expression(node.body)}"
        case tree.TellAttribute():
            return f"tell {expression(node.name)} of {expression(node.card)}"
        case tree.Eliminate():
            return f"eliminate {expression(node.players)}"
        case tree.Announce():
            who = "all players" if node.players is None else expression(node.players)
            return f"the game ends: {who} {'win' if node.won else 'lose'}"
    raise AssertionError(node)


def _award(award: tree.Award) -> str:
    conditions = " and ".join(
        f"{expression(name)} {expression(value)}" for name, value in award.conditions
    )
    return f"{conditions}: {expression(award.value)}"


def _where(position: tree.Which, pile: tree.Expression) -> str:
    if isinstance(position, str):
        return f"the {position} of {expression(pile)}"
    return f"number {expression(position)} of {expression(pile)}"


def _points(points: tree.Points) -> str:
    return _of(points.name, points.owner)


def _of(name: tree.Expression, owner: tree.Owner) -> str:
    shown = expression(name)
    return shown if isinstance(owner, tree.Table) else f"{shown} of {expression(owner)}"


def expression(e: tree.Expression) -> str:
    """An expression as text."""
    match e:
        case tree.Number():
            return e.parameter or str(e.value)
        case tree.Text():
            return e.value or '""'
        case tree.Variable():
            return e.binding.name
        case tree.Stored() | tree.StoredText():
            return _of(e.name, e.owner)
        case tree.Pile():
            index = f" {expression(e.index)}" if e.index is not None else ""
            return _of(e.name, e.owner) + index
        case tree.Indexed():
            return f"all {_of(e.name, e.owner)}"
        case tree.CurrentPlayer() | tree.CurrentTeam():
            noun = "player" if e.type is Type.PLAYER else "team"
            return f"the {e.which} {noun}"
        case tree.Seat():
            return f"player number {expression(e.number)}"
        case tree.TeamNumber():
            return f"team number {expression(e.number)}"
        case tree.OwnerOf():
            return f"the owner of {expression(e.card)}"
        case tree.TeamOf():
            return f"the team of {expression(e.player)}"
        case tree.SeatNumber():
            return f"the number of {expression(e.player)}"
        case tree.Players() | tree.Teams():
            noun = "players" if e.type is Type.PLAYERS else "teams"
            return f"the other {noun}" if e.others else f"all {noun}"
        case tree.Members():
            return f"the players of {expression(e.team)}"
        case tree.Range():
            return f"{expression(e.low)}..{expression(e.high)}"
        case tree.Grid():
            return f"the grid of {e.rows} x {e.columns}"
        case tree.Along():
            return f"{e.relation} of {expression(e.place)} in {expression(e.grid)}"
        case tree.Texts() | tree.Numbers():
            return f"({', '.join(map(str, e.values))})"
        case tree.Entry():
            return f"number {expression(e.index)} of {expression(e.table)}"
        case tree.Size():
            return f"size({expression(e.collection)})"
        case tree.Total():
            body = expression(e.body)
            return f"sum({body} for {e.binding.name} of {expression(e.collection)})"
        case tree.Sum():
            return f"sum({expression(e.cards)} by {_points(e.points)})"
        case tree.Score():
            return f"score({expression(e.card)} by {_points(e.points)})"
        case tree.BestScore():
            word = "highest" if e.highest else "lowest"
            return f"{word} score({expression(e.cards)} by {_points(e.points)})"
        case tree.Best():
            word = "highest" if e.highest else "lowest"
            return f"{word}({expression(e.cards)} by {_points(e.points)})"
        case tree.Arithmetic() | tree.Compare():
            return f"({expression(e.left)} {e.operator} {expression(e.right)})"
        case tree.Triangular():
            return f"tri({expression(e.number)})"
        case tree.Fibonacci():
            return f"fib({expression(e.number)})"
        case tree.Random():
            return f"random({expression(e.low)}..{expression(e.high)})"
        case tree.Same():
            sign = "is" if e.equal else "is not"
            return f"({expression(e.left)} {sign} {expression(e.right)})"
        case tree.Logic():
            return f"({f' {e.operator} '.join(map(expression, e.parts))})"
        case tree.Not():
            return f"not {expression(e.condition)}"
        case tree.Quantified():
            word = "every" if e.every else "some"
            coll = expression(e.collection)
            return f"({word} {e.binding.name} of {coll}: {expression(e.body)})"
        case tree.Attribute():
            return f"{expression(e.name)} of {expression(e.card)}"
        case tree.Filter():
            coll = expression(e.collection)
            return f"({e.binding.name} of {coll} with {expression(e.body)})"
        case tree.Each():
            return f"({expression(e.body)} for {e.binding.name} of {expression(e.collection)})"
        case tree.Combined():
            return f"{e.how}({', '.join(map(expression, e.parts))})"
        case tree.Sorted():
            return f"sorted({expression(e.cards)} by {_points(e.points)})"
        case tree.Several():
            return f"{e.which} {expression(e.count)} of {expression(e.cards)}"
        case tree.RunAt():
            least, cards = expression(e.least), expression(e.cards)
            return f"run of {least} at the {e.which} of {cards} by {_points(e.points)}"
        case tree.Pick() | tree.CardAt():
            inner = e.sets if isinstance(e, tree.Pick) else e.cards
            if isinstance(e.which, str):
                return f"{e.which}({expression(inner)})"
            return f"number {expression(e.which)} of {expression(inner)}"
        case tree.Tuples():
            size, cards = expression(e.size), expression(e.cards)
            return f"tuples of {size} of {cards} by {_points(e.points)}"
        case tree.Partition():
            arguments = ", ".join(map(expression, e.parts))
            return f"partition({arguments} by {expression(e.attribute)})"
        case tree.Subsets():
            return f"subsets({expression(e.cards)})"
        case tree.Runs():
            word = "longest runs" if e.longest else "runs"
            least, cards = expression(e.least), expression(e.cards)
            return f"{word} of {least} or more of {cards} by {_points(e.points)}"
    raise AssertionError(e)
