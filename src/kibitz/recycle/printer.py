"""The printer: the text of a tree, which a program may have changed.

``printed`` makes the forms of the tree and lays them out as ``formatter`` does. The reader gives
an equal tree for its text. Comments and blank lines of the source stand before the same forms as
there; those of forms that are gone move to the next one.

The definitions of functions stay, and so do the calls that have become parts of the tree. Where a
program has changed such a part, the rules stand in place of the call.

The forms with a fixed meaning are printed by the shapes that they are read by (``words.Made``).
The dialects B and C are printed; the words of dialect A cannot be said in them.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kibitz.recycle import tree
from kibitz.recycle.formatter import format_text
from kibitz.recycle.reading.dialect_b import ACTIONS
from kibitz.recycle.reading.expressions_b import EXPRESSIONS
from kibitz.recycle.reading.setup import is_number, numbered_by
from kibitz.recycle.tree import Program
from kibitz.recycle.words import LEXICON, Made, Shape, is_literal
from kibitz.syntax.sexpr import Atom, Form, Node, Token, tokenize
from kibitz.syntax.source import Source, Span

_NOWHERE = Span(-1, -1)
"""The span of a form that no node stands for, such as the list of the steps of a ``do``."""
_SHAPES: defaultdict[type, list[tuple[str, Shape, Made]]] = defaultdict(list)
"""The shapes by the class of their nodes, with the first word of each."""
for _word, _shapes in {**EXPRESSIONS, **ACTIONS}.items():
    for _shape in _shapes:
        if isinstance(_shape.build, Made):
            _SHAPES[_shape.build.cls].append((_word, _shape, _shape.build))


def printed(program: Program) -> str:
    """The text of a program, with the comments of its source.

    Raises:
        ValueError: The program was read from dialect A.
    """
    if program.dialect == "A":
        raise ValueError(f"{program.source.name} is in dialect A, which is only read.")
    form = _Printer(program).game()
    return format_text(_with_comments(program.source, form), program.source.name)


class _Printer:
    """The printer of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.declared = {f"'{made.name}": made.value for made in program.declared}
        self.calls = {nodes[0]: (nodes, form) for nodes, form in program.calls.items() if nodes}
        self.variables: dict[tree.Binding, str] = {}
        """The word for each variable that is visible."""
        self.effects: list[Form] = []
        """Definitions of effects that stand in place of calls."""
        self.numbered = {
            name
            for card in program.cards
            for name, value in card.attributes.items()
            if is_number(value)
        }

    def game(self) -> Form:
        """The form of the whole game."""
        program = self.program
        text = program.source.text
        setup = _form(
            _NOWHERE,
            "setup",
            _form(_NOWHERE, "create", "players", self.node(program.seats)),
            *self._teams(),
            *map(self._deck, program.made),
        )
        best = "max" if program.highest_wins else "min"
        scoring = _form(_NOWHERE, "scoring", best, *map(self.node, program.scoring))
        start = next((t.span for t in tokenize(program.source, LEXICON, 1)), _NOWHERE)
        items = self._items(item for item in program.items if not _sets_numbers(item))
        definitions = [self._as_written(definition) for definition in program.functions]
        return _form(
            Span(start.start, len(text.rstrip())),
            "game",
            *(
                _form(made.span, "declare", self.node(made.source), f"'{made.name}")
                for made in program.declared
            ),
            *definitions,
            *self.effects,
            *self._names(),
            setup,
            *items,
            scoring,
        )

    def _names(self) -> Iterator[Form]:
        """The words that the text gives to names."""
        if names := self.program.names:
            texts = (
                _form(_NOWHERE, name, *(f'"{text}"' for text in given if text))
                for name, given in names.items()
            )
            yield _form(_NOWHERE, "names", *texts)

    def _as_written(self, form: Form) -> Form:
        """A form of the source, with its commas."""
        items: list[Node] = []
        for item in form.items:
            if isinstance(item, Form):
                items.append(self._as_written(item))
                continue
            comma = self.program.source.text.startswith(",", item.span.end)
            items.append(Atom(item.text + "," * comma, item.span))
        return Form(tuple(items), form.span)

    def _called(self, node: tree.Node) -> tuple[tuple[tree.Node, ...], Form] | None:
        """The call that has become a node and perhaps the next ones; ``None`` if none has.

        In the scope of a variable with another word, a call might mean another variable.
        """
        if any(word != variable.name for variable, word in self.variables.items()):
            return None
        return self.calls.get(node)

    def _items(self, items: Iterable[tree.Item]) -> list[Node]:
        """The forms of items, and the calls that items have come from."""
        waiting = list(items)
        written: list[Node] = []
        while waiting:
            nodes, form = self._called(waiting[0]) or ((), None)
            if form is not None and nodes == tuple(waiting[: len(nodes)]):
                written.append(self._as_written(form))
                del waiting[: len(nodes)]
            else:
                written.append(self._written(waiting.pop(0)))
        return written

    def _teams(self) -> Iterator[Form]:
        if any(len(team) > 1 for team in self.program.teams):
            yield _teams(_NOWHERE, self.program.teams)

    def _deck(self, deck: tree.Deck) -> Node:
        copies = [str(deck.copies)] if deck.copies != 1 else []
        cards = _form(_NOWHERE, "deck", *copies, *map(_listed, deck.attributes))
        name = [deck.name] if deck.name else []
        form = _form(deck.span, "create", "deck", *name, self.node(deck.pile), cards)
        for times in reversed(deck.repeats):
            form = _form(_NOWHERE, "repeat", self.node(times), form)
        return form

    def node(self, node: tree.Node) -> Node:
        """The form of any node, or the call that it has come from."""
        if (call := self._called(node)) and len(call[0]) == 1:
            return self._as_written(call[1])
        return self._written(node)

    def _written(self, node: tree.Node) -> Node:
        """The form of a node that is no call."""
        span = node.span
        if isinstance(node, tree.Expression) and (word := self._constant(node)):
            return Atom(word, span)
        match node:
            case tree.Table():
                return Atom("game", span)
            case tree.Number():
                return Atom(f"'{node.parameter}" if node.parameter else str(node.value), span)
            case tree.Text():
                return Atom(node.value, span)
            case tree.Texts():
                return _words(span, node.values)
            case tree.Grid():
                return _form(span, "grid", str(node.rows), str(node.columns))
            case tree.Numbers():
                return self._numbers(node)
            case tree.Entry():
                return self._form(span, node.index, node.table)
            case tree.Variable():
                return Atom(f"'{self.variables[node.binding]}", span)
            case tree.Players(others=others) | tree.Teams(others=others):
                word = "player" if isinstance(node, tree.Players) else "team"
                return _form(span, "other", word) if others else Atom(word, span)
            case tree.CurrentPlayer() | tree.CurrentTeam():
                word = "player" if isinstance(node, tree.CurrentPlayer) else "team"
                return _form(span, node.which, word)
            case tree.Seat(number=number):
                return self._form(span, number, "player")
            case tree.Members(team=team) if team.span == span:
                return self.node(team)
            case tree.Members(team=team):
                return self._form(span, team, "player")
            case tree.TeamNumber(number=number):
                return self._form(span, number, "team")
            case tree.TeamOf(player=player):
                return self._form(span, "team", player)
            case tree.SeatNumber(player=player):
                return self._form(span, "pid", player)
            case tree.Score(card=card, points=points) if (name := numbered_by(points)) is not None:
                return self._form(span, *self._number(name), card)
            case tree.Points() if (name := numbered_by(node)) is not None:
                shown = self._number(name)
                return _form(span, *shown) if len(shown) > 1 else Atom(shown[0], span)
            case tree.Stored() | tree.StoredText() | tree.Points():
                words = {tree.Stored: "sto", tree.StoredText: "str", tree.Points: "points"}
                return self._form(span, node.owner, words[type(node)], node.name)
            case tree.Pile():
                index = () if node.index is None else (node.index,)
                return self._form(span, node.owner, node.kind, node.name, *index)
            case tree.Indexed():
                return self._form(span, "indexed", node.owner, node.kind, node.name)
            case tree.Arithmetic():
                return self._form(span, node.operator, *self._operands(node))
            case tree.Compare(operator="==" | "!="):
                return self._form(span, node.operator, node.left, node.right)
            case tree.Same():
                return self._form(span, "==" if node.equal else "!=", node.left, node.right)
            case tree.Quantified():
                return self._over("all" if node.every else "any", node)
            case tree.Total() | tree.Each():
                return self._over("all", node)
            case tree.Filter(
                collection=tree.Players() | tree.Teams(),
                binding=tree.Binding(name="OTHER"),
                body=tree.Same(right=excluded, left=tree.Variable(span=at)),
            ) if at == span:
                return self._form(span, "other", excluded)
            case tree.Filter():
                return self._over("filter", node)
            case tree.CardAt(which=which, cards=cards) | tree.Pick(which=which, sets=cards):
                return self._form(span, which, cards)
            case tree.Several():
                return self._form(span, node.which, node.count, node.cards)
            case tree.Partition():
                return self._form(span, "partition", node.attribute, *node.parts)
            case tree.Subsets():
                return self._form(span, "subsets", node.cards)
            case tree.Runs():
                how = "largest" if node.longest else "all"
                return self._form(span, "runs", how, node.least, node.cards, "using", node.points)
            case tree.Block(body=body):
                return self.node(body)
            case tree.Choice():
                return _form(span, "choice", self._clauses(node.worded))
            case tree.Stage(responders=tree.Expression() as responders):
                asked = self._clauses(node.responses)
                return self._form(span, "respond", responders, asked, *self._items(node.items[1:]))
            case tree.Stage():
                together = ("simultaneous",) if node.simultaneous else ()
                end = self._form(_NOWHERE, "end", node.end)
                items = self._items(node.items)
                return self._form(span, "stage", node.kind, *together, end, *items)
        return self._step(node)

    def _clauses(self, worded: Iterable[tuple[tree.Statement, str]]) -> Form:
        """The clauses of a choice, with their words."""
        return _form(
            _NOWHERE,
            *(
                self._form(_NOWHERE, "option", f'"{words}"', clause)
                if words
                else self.node(clause)
                for clause, words in worded
            ),
        )

    def _number(self, attribute: str) -> list[str]:
        """The words for the number on a card; the attribute is said if several have numbers."""
        return ["number", attribute] if len(self.numbered) > 1 else ["number"]

    def _numbers(self, node: tree.Numbers) -> Form:
        numbers = [
            str(value) if value >= 0 else _form(_NOWHERE, "-", "0", str(-value))
            for value in node.values
        ]
        *most, last = numbers
        return _form(node.span, *(f"{n}," if isinstance(n, str) else n for n in most), last)

    def _cases(self, node: tree.Cases) -> Form:
        """The call of new effects, whose parameters are the variables that they use."""
        assert isinstance(node.key.card, tree.Variable)
        used = {
            inner.binding: None
            for inner in tree.walk(node)
            if isinstance(inner, tree.Variable) and inner.binding in self.variables
        }
        variables = list({node.key.card.binding: None} | used)
        taken = self.program.source.text
        name = next(
            name
            for n in itertools.count(len(self.effects) + 1)
            if (name := f"effect-{n}") not in taken
        )
        outside = self.variables
        self.variables = {binding: f"V{n}" for n, binding in enumerate(variables)}
        head = _form(_NOWHERE, name, *(f"'{word}" for word in self.variables.values()))
        cases = [_form(_NOWHERE, case.value, self.node(case.body)) for case in node.cases]
        attribute = self.node(node.key.name)
        self.effects.append(_form(_NOWHERE, "effects", head, attribute, *cases))
        self.variables = outside
        return _form(node.span, name, *(f"'{outside[binding]}" for binding in variables))

    @contextmanager
    def _bound(self, binding: tree.Binding, body: tree.Node) -> Iterator[str]:
        """A context in which a variable is visible, with a word that hides no other one in it."""
        hidden = {
            self.variables[node.binding]
            for node in tree.walk(body)
            if isinstance(node, tree.Variable) and node.binding in self.variables
        }
        hidden |= {
            node.parameter
            for node in tree.walk(body)
            if isinstance(node, tree.Number) and node.parameter
        }
        word = binding.name
        for number in itertools.count(2):
            if word not in hidden:
                break
            word = f"{binding.name}_{number}"
        before = self.variables
        self.variables = {**before, binding: word}
        yield f"'{word}"
        self.variables = before

    def _step(self, node: tree.Node) -> Node:
        """The form of a step."""
        span = node.span
        match node:
            case tree.Do(steps=steps):
                return _form(span, "do", _form(_NOWHERE, *map(self.node, steps)))
            case tree.When():
                return self._form(span, node.condition, node.body)
            case tree.ForEach():
                return self._over("all", node)
            case tree.Fork():
                return self._over("any", node)
            case tree.Tell():
                return self._over("tell", node)
            case tree.TellAttribute():
                return self._form(span, "tell", node.name, node.card)
            case tree.Cases():
                return self._cases(node)
            case tree.Let():
                value = self.node(node.value)
                with self._bound(node.binding, node.body) as variable:
                    return self._form(span, "let", value, variable, node.body)
            case tree.Repeat(times=times, body=body):
                return self._form(span, "repeat", "all" if _empties(node) else times, body)
            case tree.Move(card=card, pile=pile) | tree.Remember(card=card, memory=pile):
                word = "move" if isinstance(node, tree.Move) else "remember"
                return self._form(span, word, card, self._form(_NOWHERE, node.where, pile))
            case tree.Forget():
                return self._form(span, "forget", self._form(_NOWHERE, node.which, node.memory))
            case tree.SetNumber(operator=word, target=target, value=value):
                number = () if word != "set" and value.span == span else (value,)
                return self._form(span, word, target, *number)
            case tree.SetText():
                return self._form(span, "set", node.target, node.value)
            case tree.SetPoints():
                awards = _form(_NOWHERE, *map(self._award, node.awards))
                return self._form(span, "set", node.target, awards)
            case tree.Cycle(which=which, player=tree.CurrentPlayer(which=seat)):
                return self._form(span, "cycle", which, seat)
            case tree.Cycle(which=which, player=player):
                return self._form(span, "cycle", which, player)
            case tree.Eliminate(players=players):
                return self._form(span, "eliminate", players)
            case tree.Announce(won=won, players=players):
                return self._form(span, "win" if won else "lose", players or "all")
            case tree.Swap():
                return self._form(span, "swap", node.first, node.second)
            case tree.MakeTeams(teams=teams):
                return _teams(span, teams)
        return self._shaped(node)

    def _constant(self, node: tree.Expression) -> str:
        """The declared name that stands in the source for a value; empty if there is none."""
        word = self.program.source.piece(node.span)
        value = self.declared.get(word)
        if value is None or word[1:] in self.variables.values():
            return ""
        return word if tree.equivalent(value, node) else ""

    def _shaped(self, node: tree.Node) -> Form:
        """The form of a node by the shape that it is read by."""
        for word, shape, made in _SHAPES[type(node)]:
            if (parts := made.parts(node)) is None:
                continue
            waiting = iter(parts)
            items: list[tree.Node | Node | str] = []
            for index in range(max(len(shape.parts), len(parts))):
                literal = is_literal(shape.part(index)) and "|" not in shape.part(index)
                items.append(shape.part(index) if literal else next(waiting))
            return self._form(node.span, word, *items)
        raise AssertionError(f"no form for {type(node).__name__}")

    def _form(self, span: Span, *items: tree.Node | Node | str) -> Form:
        return _form(
            span, *(self.node(item) if isinstance(item, tree.Node) else item for item in items)
        )

    def _over(
        self,
        word: str,
        node: tree.Quantified
        | tree.Total
        | tree.Each
        | tree.Filter
        | tree.ForEach
        | tree.Fork
        | tree.Tell,
    ) -> Form:
        collection = self.node(node.collection)
        with self._bound(node.binding, node.body) as variable:
            return self._form(node.span, word, collection, variable, node.body)

    def _operands(self, node: tree.Arithmetic) -> list[tree.Expression]:
        """The operands of an operation, more than two if one form has them all."""
        left = node.left
        if (
            isinstance(left, tree.Arithmetic)
            and (left.operator, left.span) == (node.operator, node.span)
            and not self._constant(left)
        ):
            return [*self._operands(left), node.right]
        return [left, node.right]

    def _award(self, award: tree.Award) -> Form:
        conditions = (self._form(_NOWHERE, name, ":", value) for name, value in award.conditions)
        return self._form(award.span, *conditions, award.value)


def _sets_numbers(item: tree.Item) -> bool:
    """Whether an item sets a point map of numbers on cards, which the text does not say."""
    match item:
        case tree.Block(body=tree.SetPoints(target=target)):
            return numbered_by(target) is not None
    return False


def _form(span: Span, *items: Node | str) -> Form:
    """A form of nodes and words."""
    atoms = (Atom(item, _NOWHERE) if isinstance(item, str) else item for item in items)
    return Form(tuple(atoms), span)


def _words(span: Span, words: Iterable[str]) -> Form:
    """A list of words with commas between them."""
    *most, last = words
    return _form(span, *(f"{word}," for word in most), last)


def _listed(names: tree.Listed) -> Node:
    """The form of an attribute of a deck: commas stand between values, but not in a range."""
    if isinstance(names, str):
        return Atom(names, _NOWHERE)
    if ".." in names:
        return _nested(names)
    items: list[Node | str] = []
    for index, item in enumerate(names):
        listed = isinstance(item, str) and index + 1 < len(names)
        comma = listed and isinstance(names[index + 1], str)
        items.append(f"{item}," if comma else _listed(item))
    return _form(_NOWHERE, *items)


def _nested(names: tree.Listed) -> Node:
    """The form of words and forms without commas."""
    if isinstance(names, str):
        return Atom(names, _NOWHERE)
    return _form(_NOWHERE, *map(_nested, names))


def _teams(span: Span, teams: tuple[tuple[int, ...], ...]) -> Form:
    lists = (_words(_NOWHERE, map(str, team)) for team in teams)
    return _form(span, "create", "teams", *lists)


def _empties(repeat: tree.Repeat) -> bool:
    """Whether a step is repeated by the number of cards that it takes one of."""
    match repeat:
        case tree.Repeat(times=tree.Size(collection=all), body=tree.Forget(memory=cards)):
            return all is cards
        case tree.Repeat(
            times=tree.Size(collection=all), body=tree.Move(card=tree.CardAt(cards=cards))
        ):
            return all is cards
    return False


# --- comments -----------------------------------------------------------------------------


_BETWEEN = re.compile(r";[^\r\n]*|(?:\r\n|\n|\r)[ \t]*(?=(?:\r\n|\n|\r))")
"""A comment, or the end of a line before an empty line."""


def _with_comments(source: Source, form: Form) -> str:
    """The text of a form, with the comments and blank lines of the source."""
    read = tokenize(source, LEXICON)
    written = list(_placed(form, read))
    known = sorted({start for _, start in written if start >= 0})
    notes: defaultdict[int, list[str]] = defaultdict(list)
    end, last = 0, len(source.text)
    for start, following in [*(token.span for token in read), (last, last)]:
        between = source.text[end:start]
        index = bisect.bisect_left(known, start)
        for match in _BETWEEN.finditer(between):
            note = match[0].strip()
            beside = note and end and not between[: match.start()].strip(" \t,")
            notes[known[index] if index < len(known) else last].append(" " * bool(beside) + note)
        end = following
    lines: list[str] = [""]
    for text, start in [*written, ("", last)]:
        for note in notes.pop(start, ()):
            if lines[-1] and not note.startswith(" "):
                lines.append("")
            lines[-1] += note
            lines.append("")
        lines[-1] += f"{text} "
    return "\n".join(lines)


def _placed(form: Form, read: list[Token]) -> Iterator[tuple[str, int]]:
    """The words and parentheses of a form, with their places in the source, -1 for none.

    Those that no node stands for are where the source has the same word.
    """
    indexes = {token.span.start: index for index, token in enumerate(read)}
    following = 0
    for text, start in _words_of(form):
        if start < 0 and following < len(read) and text.rstrip(",") == read[following].text:
            start = read[following].span.start
        following = indexes[start] + 1 if start in indexes else following
        yield text, start


def _words_of(node: Node) -> Iterator[tuple[str, int]]:
    """The words and parentheses of a form, with the places of those that nodes stand for."""
    if isinstance(node, Atom):
        yield node.text, node.span.start
        return
    yield "(", node.span.start
    for item in node.items:
        yield from _words_of(item)
    yield ")", node.span.end - 1 if node.span.end > 0 else -1
