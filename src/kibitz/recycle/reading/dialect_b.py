"""The reader of the dialects B (version 0.5.10) and C, which are in use today."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, cast

from kibitz.recycle.conclusions import is_public
from kibitz.recycle.reading.context import Broken, Mend, nothing
from kibitz.recycle.reading.expressions_b import EXPRESSIONS, ExpressionsB, names_of
from kibitz.recycle.reading.foreign import hint_for
from kibitz.recycle.reading.operators import which_seat
from kibitz.recycle.reading.several import (
    COMPARISONS,
    is_condition,
    is_step,
    report_bare,
    report_condition,
    report_conditions,
    report_list,
    report_steps,
)
from kibitz.recycle.reading.wording import OPTION_SHAPE, check_slots, read_text
from kibitz.recycle.tree import (
    Action,
    Announce,
    Award,
    Binding,
    Block,
    CardAt,
    Choice,
    CurrentPlayer,
    Cycle,
    Do,
    Eliminate,
    Expression,
    ForEach,
    Forget,
    Fork,
    Item,
    Let,
    Logic,
    MakeTeams,
    Move,
    Number,
    Pass,
    Pile,
    Remember,
    Repeat,
    Reveal,
    SetNumber,
    SetPoints,
    SetText,
    Shuffle,
    Size,
    Stage,
    Statement,
    Stored,
    StoredText,
    Swap,
    Tell,
    TellAttribute,
    Text,
    Type,
    When,
)
from kibitz.recycle.words import (
    KINDS,
    NUMBER,
    VARIABLE,
    WHICH,
    Made,
    Shape,
    is_word,
    most_items,
)
from kibitz.syntax.sexpr import Atom, Form, Node, forms
from kibitz.syntax.source import Span


def _is_name(node: Node) -> bool:
    """Whether a node is a variable, perhaps without its quote."""
    return isinstance(node, Atom) and bool(VARIABLE.fullmatch(f"'{node.text.lstrip(chr(39))}"))


ACTIONS: dict[str, Sequence[Shape]] = {
    "move": [
        Shape("(move CARD PLACE)", lambda span, card, place: Move(span, card, place[1], place[0]))
    ],
    "remember": [
        Shape(
            "(remember CARD MEMORY)",
            lambda span, card, place: Remember(span, card, place[1], place[0]),
        )
    ],
    "forget": [
        Shape("(forget MEMORY)", lambda span, place: Forget(span, place[1], place[0])),
    ],
    "shuffle": [
        Shape("(shuffle LOCATION)", Made(Shuffle, faro=False)),
        Shape("(shuffle faro LOCATION)", Made(Shuffle, faro=True)),
    ],
    "turn": [Shape("(turn pass)", Made(Pass))],
    "reveal": [
        Shape("(reveal CARD)", Made(Reveal, players=None)),
        Shape("(reveal CARD PLAYERS)", Made(Reveal)),
    ],
}
"""The shapes of actions with a fixed meaning, by the first word."""

_NO_NESTING = {
    "choice": "Let a second choice follow in the stage, or make one option of both decisions: (any"
    " COLLECTION 'A (any COLLECTION 'B ACTION)).",
    "stage": "Let the stage follow this one, or stand in the stage around it.",
    "respond": "Let it follow in the stage.",
}
"""Hints for a choice or a stage within a step, by its first word."""
_OPEN = (Type.INT, Type.STR, Type.PLAYER, Type.TEAM)
"""The types of variables in a condition that all players can test."""
_WORDS_C = ("indexed", "scoremax", "scoremin", "pid", "swap")
"""The first words of forms that only dialect C has."""


class DialectB(ExpressionsB):
    """The reader of the dialects B and C."""

    dialect: Literal["A", "B", "C"] = "B"
    words = tuple(
        sorted(
            {
                *EXPRESSIONS,
                *ACTIONS,
                *(
                    "game",
                    "setup",
                    "create",
                    "deck",
                    "declare",
                    "define",
                    "effects",
                    "names",
                    "stage",
                    "end",
                    "choice",
                    "do",
                ),
                "option",
                *("any", "all", "let", "filter", "top", "bottom", "other", "team", "player"),
                *(
                    "partition",
                    "subsets",
                    "indexed",
                    "pid",
                    "number",
                    "grid",
                    "swap",
                    "set",
                    "inc",
                    "dec",
                ),
                *("cycle", "repeat", "scoring", "==", "!=", "max", "min"),
                *("respond", "eliminate", "win", "lose", "tell"),
            }
        )
    )

    action_words = (
        *ACTIONS,
        *("set", "inc", "dec", "put", "cycle", "repeat", "swap", "create", "do", "let"),
        *("eliminate", "win", "lose", "tell"),
    )

    most: ClassVar[Mapping[str, int]] = {
        **most_items(EXPRESSIONS, ACTIONS),
        "==": 3,
        "!=": 3,
        "any": 4,
        "all": 4,
        "filter": 4,
        "let": 4,
        "top": 3,
        "bottom": 3,
        "subsets": 2,
        "indexed": 4,
        "pid": 2,
        "number": 3,
        "grid": 3,
        "set": 3,
        "inc": 3,
        "dec": 3,
        "cycle": 3,
        "repeat": 3,
        "swap": 3,
        "do": 2,
        "choice": 2,
        "end": 2,
        "declare": 3,
        "scoring": 4,
        "tell": 4,
    }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.forks = False
        """Whether the reader is within a choice, where ``any`` makes options."""
        self.roles |= {"PLACE": self.place, "MEMORY": self.memory}
        self.actions: Mapping[str, Callable[[Form], Statement]] = {
            "set": self._set,
            "inc": self._change,
            "dec": self._change,
            "put": self._put,
            "cycle": self._cycle,
            "repeat": self._repeat,
            "swap": self._swap,
            "create": self._create,
            "do": self._do,
            "any": self._each,
            "all": self._each,
            "let": self._let,
            "eliminate": self._eliminate,
            "win": self._announce,
            "lose": self._announce,
            "tell": self._tell,
        }

    # --- statements -----------------------------------------------------------------------

    def place(self, node: Node, memory: bool = False) -> Any:
        """Reads a position in a location or memory: an end or index, and the pile."""
        kind = "MEMORY" if memory else "LOCATION"
        if not isinstance(node, Form) or len(node.items) != 2 or node.head in KINDS:
            hint = f"It looks like this: (top {kind}) or (bottom {kind})."
            if isinstance(node, Form) and len(node.items) == 3:
                hint = f"Say where in it: (top {self.show(node)})."
            elif isinstance(node, Atom) and node.text[0] == "'":
                hint = f"Swapped? A card is moved there: (move {node.text} (top {kind}))."
            return self.error(
                node, "expected-place", f"'{self.show(node)}' does not say where to put it.", hint
            )
        first, second = node.items
        position: Any = first.text if is_word(first, "top", "bottom") else None  # type: ignore[union-attr]
        if position is None:
            if (
                isinstance(first, Atom)
                and not NUMBER.fullmatch(first.text)
                and first.text[0] != "'"
            ):
                return self.unknown(
                    first, "end of a location", ("top", "bottom"), "It is top, bottom or a number."
                )
            position = self.number(first)
        pile = self.pile(second)
        if isinstance(position, Broken) or isinstance(pile, Broken):
            return Broken(node.span)
        is_memory = isinstance(pile, Pile) and pile.kind == "mem"
        if is_memory and not memory:
            return self.error(
                second,
                "memory",
                "Cards cannot be moved into a memory.",
                "(remember CARD (top MEMORY)) puts a reference there.",
            )
        if memory and not is_memory:
            return self.error(
                second,
                "memory",
                "Here a memory is wanted.",
                "It looks like this: (game mem NAME).",
            )
        return position, pile

    def memory(self, node: Node) -> Any:
        """Reads a position in a memory."""
        return self.place(node, memory=True)

    def block(self, node: Node) -> Item:
        if isinstance(node, Form) and isinstance(node.items[0] if node.items else None, Atom):
            known = (
                *ACTIONS,
                *self.actions,
                *EXPRESSIONS,
                *self.special,
                "choice",
                "stage",
                "respond",
            )
            known += tuple(self.functions)
            if node.head not in known:
                self.unknown(cast(Atom, node.items[0]), "item of a game", known)
                return Block(node.span, nothing(node.span))
        return Block(node.span, self.statement(node))

    def choice(self, form: Form) -> Item:
        clauses = self._steps(form, "(choice (OPTION ...))")
        self.forks = True
        options = [self._option(clause) for clause in clauses]
        self.forks = False
        return Choice(
            form.span, tuple(o for o, _ in options), tuple(words for _, words in options)
        )

    def _option(self, node: Node) -> tuple[Statement, str]:
        """Reads a clause of a choice, with its words if it is ``(option "WORDS" STEP)``."""
        if not isinstance(node, Form) or node.head != "option":
            return self.statement(node), ""
        if len(node.items) != 3:
            self.unfit(node, OPTION_SHAPE)
            return nothing(node.span), ""
        words = read_text(self, node.items[1], OPTION_SHAPE)
        statement = self.statement(node.items[2])
        check_slots(self, node.items[1], words, statement)
        return statement, words

    def _steps(self, form: Form, shape: str) -> Sequence[Node]:
        """The steps in the inner parentheses of a ``do`` or ``choice``."""
        items = form.items[1:]
        if len(items) == 1 and isinstance(items[0], Form) and not self._is_step(items[0]):
            if not items[0].items:
                self.error(form, "empty-form", f"Nothing happens in this '{form.head}'.")
            return items[0].items
        if not items:
            self.error(form, "empty-form", f"Nothing happens in this '{form.head}'.", shape)
            return ()
        if not self._is_step(items[0]) and isinstance(items[0], Form):
            self.error(
                Span(items[1].span.start, items[-1].span.end),
                "too-many-arguments",
                f"This is too much for '{form.head}'.",
                f"It looks like this: {shape}.",
                mends=[Mend(items[0].span.end, "close"), Mend(items[0].span.end - 1, "remove")],
            )
            more = [
                step
                for item in items[1:]
                for step in (
                    (item,) if isinstance(item, Atom) or self._is_step(item) else item.items
                )
            ]
            return (*items[0].items, *more)
        report_bare(self, form)
        return items

    def _is_step(self, node: Node) -> bool:
        """Whether a form is a single step, not a list of steps."""
        if not isinstance(node, Form) or not node.items:
            return False
        first = node.items[0]
        if isinstance(first, Atom):
            return True
        # ((CONDITION) STEP)
        return (
            len(node.items) == 2
            and isinstance(first, Form)
            and first.head in (*COMPARISONS, "and", "or", "not")
        )

    def statement(self, node: Node) -> Statement:
        """Reads a statement."""
        if isinstance(node, Atom):
            self.error(
                node,
                "expected-step",
                f"Here something should be done; '{self.show(node)}' does nothing.",
                hint_for(node),
                mends=[Mend(node.span.start, "open")] if node.text in self.words else [],
            )
            return nothing(node.span)
        head = node.head
        if self.is_call(node):
            return self.step_of_call(node)
        if head in ACTIONS:
            return self._done(self.fit(node, ACTIONS[head], self.roles), node)
        if head in self.actions:
            return self.actions[head](node)
        if not node.items:
            self.error(node, "empty-form", "There is nothing in these parentheses.")
            return nothing(node.span)
        if self.report_infix(node, statement=True):
            return nothing(node.span)
        if isinstance(node.items[0], Form):
            return self._when(node)
        if head in ("choice", "stage", "respond"):
            where = f"A '{head}' stands directly in the game or in a stage."
            self.misplaced(node, where, _NO_NESTING[head])
            self.item(node)
        elif head in ("setup", "scoring", "end", "declare", "define", "effects", "names"):
            self.misplaced(node, "Here something should be done.")
        elif head == "option":
            self.misplaced(node, "An option with words is a clause of a choice, outermost.")
        elif head in EXPRESSIONS or head in self.special:
            self.error(
                node,
                "value-for-action",
                f"'{self.show(node)}' is a value; here something should be done.",
                "A condition stands with its body in parentheses: (CONDITION BODY).",
                mends=[Mend(node.span.start, "open")],
            )
        else:
            self.unknown(node.items[0], "thing that can be done", [*ACTIONS, *self.actions])
        return nothing(node.span)

    def _done(self, action: Any, form: Form) -> Statement:
        return nothing(form.span) if isinstance(action, Broken) else cast(Statement, action)

    def _when(self, form: Form) -> Statement:
        """Reads ``(CONDITION BODY)``."""
        if len(form.items) > 1 and is_step(form.items[0], self.action_words):
            report_list(self, form)
            return Do(form.span, tuple(self.statement(step) for step in form.items))
        condition = self.condition(form.items[0])
        steps = form.items[1:]
        if not steps:
            self.error(
                form,
                "no-body",
                "This condition has no body.",
                "It looks like this: (CONDITION BODY).",
                mends=[Mend(form.span.end - 1, "remove")],
            )
            return nothing(form.span)
        further = 0
        while further < len(steps) - 1 and is_condition(steps[further]):
            further += 1
        if further:
            report_conditions(self, form.items[: 1 + further])
            for step in steps[:further]:
                self.condition(step)
        about = (form.items[0].span, "They belong to this condition.")
        return When(form.span, condition, self._body(form, steps[further:], about))

    def _body(self, form: Form, steps: Sequence[Node], owner: tuple[Span, str]) -> Statement:
        """Reads the body of a form, for which one step is allowed.

        Args:
            form: The form with the body.
            steps: The steps in place of the body, at least one.
            owner: The span that a note about surplus steps points to, and the note.
        """
        if len(steps) == 2 and is_condition(steps[0]) and is_step(steps[1], self.action_words):
            report_condition(self, steps)
            return When(form.span, self.condition(steps[0]), self.statement(steps[1]))
        words = [step for step in steps if hint_for(step)]
        if len(steps) > 1 and not words:
            first = steps[0].span.end
            mends = [Mend(first, "close"), Mend(first - 1, "remove")]
            report_steps(self, steps, owner, mends)
        body = [self.statement(step) for step in steps]
        return body[0] if len(body) == 1 else Do(form.span, tuple(body))

    def _are_steps(self, nodes: Sequence[Node]) -> bool:
        """Whether nodes look like several steps in place of one."""
        return any(is_step(node, self.action_words) for node in nodes) and all(
            isinstance(node, Form) and not self._is_value(node) for node in nodes[1:]
        )

    def _is_value(self, form: Form) -> bool:
        return form.head in EXPRESSIONS or (
            form.head in self.special and not is_step(form, self.action_words)
        )

    def _do(self, form: Form) -> Statement:
        steps = self._steps(form, "(do (STEP ...))")
        return Do(form.span, tuple(self.statement(step) for step in steps))

    def _each(self, form: Form) -> Statement:
        shape = f"({form.head} COLLECTION 'NAME BODY)"
        if len(form.items) != 4 and not self._are_steps(form.items[3:]):
            self._misfit_over(form, shape)
            return nothing(form.span)
        with self.over(form, shape) as (collection, binding):
            body = self._body(form, form.items[3:], self._called(form))
        if binding is None or isinstance(collection, Broken):
            return nothing(form.span)
        if form.head == "any" and self.forks:
            return Fork(form.span, collection, binding, body)
        return ForEach(form.span, collection, binding, body)

    @staticmethod
    def _called(form: Form) -> tuple[Span, str]:
        """The span of the first word of a form, and a note that surplus steps belong to it."""
        return form.items[0].span, f"They belong to this '{form.head}'."

    def _let(self, form: Form) -> Statement:
        """Reads ``(let VALUE 'NAME BODY)`` as a statement."""
        shape = "(let VALUE 'NAME BODY)"
        pair = [item for item in form.items[1:] if not is_word(item, "=")][:2]
        if len(pair) == 2 and _is_name(pair[0]) and not _is_name(pair[1]):
            called, meant = (self.show(item) for item in pair)
            self.error(
                form,
                "expected-variable",
                "The value comes first, and then the variable that stands for it.",
                f"Write: (let {meant} '{called.lstrip(chr(39))} BODY).",
            )
            return nothing(form.span)
        if len(form.items) != 4 and not self._are_steps(form.items[3:]):
            self._misfit_over(form, shape)
            return nothing(form.span)
        value = form.items[1]
        expression = (
            self.collection(value) if is_word(value, "player", "team") else self.expression(value)
        )
        if not self.is_variable(form.items[2], shape):
            return nothing(form.span)
        name = cast(Atom, form.items[2])
        broken = isinstance(expression, Broken)
        type = Type.CARDS if expression.type is Type.PILE else expression.type
        values = (expression.value,) if isinstance(expression, Text) else names_of(expression)
        with self.bound(
            name.text.lstrip("'"), name.span, None if broken else type, values
        ) as binding:
            self.lets[binding] = expression
            body = self._body(form, form.items[3:], self._called(form))
        return nothing(form.span) if broken else Let(form.span, expression, binding, body)

    def _repeat(self, form: Form) -> Statement:
        """Reads ``(repeat NUMBER ACTION)`` or ``(repeat all ACTION)``."""
        if len(form.items) != 3 and not self._are_steps(form.items[2:]):
            self._misfit(form, [Shape("(repeat NUMBER ACTION)", nothing)])
            return nothing(form.span)
        times, action = form.items[1:3]
        if not is_word(times, "all"):
            number = self.number(times)
            if isinstance(action, Form) and action.head == "create":
                return self._create(action)
            body = self._body(form, form.items[2:], self._called(form))
            return (
                nothing(form.span)
                if isinstance(number, Broken)
                else Repeat(form.span, number, body)
            )
        body = self._body(form, form.items[2:], self._called(form))
        if isinstance(body, Forget):
            return Repeat(form.span, Size(times.span, body.memory), body)
        if isinstance(body, Move) and isinstance(body.card, CardAt):
            return Repeat(form.span, Size(times.span, body.card.cards), body)
        if isinstance(body, Action):
            self.error(
                action,
                "repeat-all",
                "'repeat all' empties a location, a card at a time.",
                "It looks like this: (repeat all (move (top LOCATION) PLACE)).",
            )
        elif len(form.items) == 3 and (not isinstance(body, Do) or body.steps):
            self.error(
                action,
                "repeat-all",
                "'repeat all' is followed by a move or a forget.",
                "It looks like this: (repeat all (move (top LOCATION) PLACE)).",
            )
        return nothing(form.span)

    def _set(self, form: Form) -> Statement:
        shape = "(set STORAGE VALUE)"
        if len(form.items) != 3:
            self._misfit(form, [Shape(shape, nothing)])
            return nothing(form.span)
        target, value = form.items[1:]
        if self._is_points(target):
            return self._set_points(form, target, value)
        storage = self.storage(target, form.head)
        if isinstance(storage, Stored):
            number = self.number(value)
            if not isinstance(number, Broken):
                return SetNumber(form.span, "set", storage, number)
        elif isinstance(storage, StoredText):
            name = self.name(value)
            if not isinstance(name, Broken):
                return SetText(form.span, storage, name)
        return nothing(form.span)

    @staticmethod
    def _is_points(node: Node) -> bool:
        return isinstance(node, Form) and len(node.items) == 3 and is_word(node.items[1], "points")

    def storage(self, node: Node, word: str) -> Expression:
        """Reads a storage for a number or a name."""
        storage = self.expression(node)
        if isinstance(storage, (Broken, Stored, StoredText)):
            return storage
        return self.error(
            node,
            "not-a-storage",
            f"'{word}' changes a storage; '{self.show(node)}' is none.",
            "It looks like this: (game sto NAME), ('P str NAME).",
        )

    def _set_points(self, form: Form, target: Node, value: Node) -> Statement:
        points = self.points(target)
        shape = "(set (game points NAME) (((ATTRIBUTE : VALUE) NUMBER) ...))"
        if not isinstance(value, Form):
            self.error(
                value,
                "expected-awards",
                "Here a list of awards should stand.",
                f"It looks like this: {shape}.",
            )
            return nothing(form.span)
        if value.items and isinstance(value.items[-1], Atom):
            self.error(
                value,
                "award",
                "The awards stand in parentheses, even a single one.",
                f"It looks like this: {shape}.",
                mends=[Mend(value.span.start, "wrap", value.span.end)],
            )
            return nothing(form.span)
        awards = [self.award(item) for item in value.items]
        if isinstance(points, Broken) or None in awards:
            return nothing(form.span)
        return SetPoints(form.span, points, tuple(award for award in awards if award))

    def award(self, node: Node) -> Award | None:
        """Reads an award: ``((ATTRIBUTE : VALUE) ... NUMBER)``."""
        shape = "((ATTRIBUTE : VALUE) NUMBER)"
        if not isinstance(node, Form) or len(node.items) < 2:
            self.error(
                node,
                "award",
                f"'{self.show(node)}' is no award.",
                f"It looks like this: {shape}.",
                mends=[Mend(node.span.start, "open")],
            )
            return None
        conditions = [self._award_condition(item, shape) for item in node.items[:-1]]
        value = self.number(node.items[-1])
        if isinstance(value, Broken) or None in conditions:
            return None
        return Award(node.span, tuple(condition for condition in conditions if condition), value)

    def _award_condition(self, node: Node, shape: str) -> tuple[Expression, Expression] | None:
        items = node.items if isinstance(node, Form) else ()
        if len(items) == 3 and is_word(items[1], ":"):
            attribute, value = self.name(items[0]), self._value_on_card(items[2])
        elif len(items) == 2 and isinstance(items[1], Form):  # the form before version 0.5.1
            inner = items[1].items
            attribute = self.name(items[0])
            value = self.name(inner[0] if len(inner) == 1 else items[1])
        else:
            self.error(
                node,
                "award",
                f"'{self.show(node)}' is no condition of an award.",
                f"An award looks like this: {shape}.",
                mends=[Mend(node.span.start, "open")],
            )
            return None
        self.check_attribute(items[0], attribute)
        if isinstance(attribute, Broken) or isinstance(value, Broken):
            return None
        return attribute, value

    def _value_on_card(self, node: Node) -> Expression:
        """Reads an expression for the value of an attribute; it may be a number."""
        if isinstance(node, Atom) and NUMBER.fullmatch(node.text):
            value = self.card_value(node)
            return Broken(node.span) if value is None else Text(node.span, value)
        return self.name(node)

    def _put(self, form: Form) -> Statement:
        """Reads ``(put points 'V (...))``, the form of version 0.4 for setting points."""
        if len(form.items) == 4 and is_word(form.items[1], "points"):
            return self._set_points(form, form.items[2], form.items[3])
        self.unfit(form, "(set (game points NAME) (((ATTRIBUTE : VALUE) NUMBER) ...))")
        return nothing(form.span)

    def _change(self, form: Form) -> Statement:
        """Reads ``inc`` or ``dec``."""
        word = cast(Literal["inc", "dec"], form.head)
        if not 2 <= len(form.items) <= 3:
            self._misfit(form, [Shape(f"({word} STORAGE NUMBER)", nothing)])
            return nothing(form.span)
        target = self.storage(form.items[1], word)
        value = self.number(form.items[2]) if len(form.items) == 3 else Number(form.span, 1)
        if isinstance(target, Broken) or isinstance(value, Broken):
            return nothing(form.span)
        if not isinstance(target, Stored):
            self.check(form.items[1], target, Type.INT)
            return nothing(form.span)
        return SetNumber(form.span, word, target, value)

    def _cycle(self, form: Form) -> Statement:
        shape = "(cycle next|current PLAYER)"
        if len(form.items) != 3 or not is_word(form.items[1], "next", "current"):
            self._misfit(form, [Shape(shape, nothing)])
            return nothing(form.span)
        who = form.items[2]
        player: Expression
        if is_word(who, *WHICH):
            player = CurrentPlayer(who.span, which_seat(cast(Atom, who).text))
        else:
            player = self.player(who)
        if isinstance(player, Broken):
            return nothing(form.span)
        return Cycle(form.span, cast(Any, form.items[1]).text, player)

    def _eliminate(self, form: Form) -> Statement:
        """Reads ``(eliminate PLAYERS)``."""
        if len(form.items) != 2:
            self._misfit(form, [Shape("(eliminate PLAYERS)", nothing)])
            return nothing(form.span)
        players = self.audience(form.items[1])
        return nothing(form.span) if isinstance(players, Broken) else Eliminate(form.span, players)

    def _tell(self, form: Form) -> Statement:
        """Reads ``(tell ATTRIBUTE CARD)`` or ``(tell CARDS 'NAME CONDITION)``."""
        shapes = ["(tell ATTRIBUTE CARD)", "(tell CARDS 'NAME CONDITION)"]
        if len(form.items) == 3:
            word, card = self.value(form.items[1]), self.card(form.items[2])
            if word is None or isinstance(card, Broken):
                return nothing(form.span)
            name = Text(form.items[1].span, word)
            self.check_attribute(form.items[1], name)
            return TellAttribute(form.span, name, card)
        if len(form.items) != 4:
            self._misfit(form, [Shape(shape, nothing) for shape in shapes])
            return nothing(form.span)
        open_to_all = {
            variable
            for variable in self.scope.values()
            if isinstance(variable, Binding) and variable.type in _OPEN
        }
        with self.over(form, shapes[1]) as (cards, binding):
            condition = self.condition(form.items[3])
        if binding is None or isinstance(cards, Broken) or isinstance(condition, Broken):
            return nothing(form.span)
        if cards.type not in (Type.PILE, Type.CARDS):
            self.check(form.items[1], cards, Type.CARDS)
            return nothing(form.span)
        if not is_public(condition, open_to_all | {binding}):
            self.error(
                form.items[3],
                "hidden-condition",
                "This depends on hidden cards, on chance, or on a card that was picked.",
                f"All players must be able to test it for any card '{binding.name}, by what they"
                " see.",
            )
        return Tell(form.span, cards, binding, condition)

    def _announce(self, form: Form) -> Statement:
        """Reads ``(win PLAYERS)``, ``(lose PLAYERS)`` or ``(lose all)``."""
        if len(form.items) != 2:
            shapes = [f"({form.head} PLAYERS)", f"({form.head} all)"]
            self._misfit(form, [Shape(shape, nothing) for shape in shapes])
            return nothing(form.span)
        if is_word(form.items[1], "all"):
            return Announce(form.span, form.head == "win", None)
        players = self.audience(form.items[1])
        if isinstance(players, Broken):
            return nothing(form.span)
        return Announce(form.span, form.head == "win", players)

    def respond(self, form: Form) -> Item:
        """Reads ``(respond PLAYERS (OPTION ...) ITEM ...)``."""
        if len(form.items) < 3 or not isinstance(form.items[2], Form):
            self.unfit(form, "(respond PLAYERS (OPTION ...) ITEM ...)")
            return Block(form.span, nothing(form.span))
        players, clauses, *items = form.items[1:]
        assert isinstance(clauses, Form)
        responders = self.audience(players)
        asked = self.choice(Form((Atom("choice", clauses.span), clauses), clauses.span))
        assert isinstance(asked, Choice)
        clauses_and_pass = (*asked.clauses, Pass(form.items[0].span))
        choice = Choice(asked.span, clauses_and_pass, (*asked.wordings, ""))
        inside = [inner for item in items for inner in self.items(item)]
        everybody = Logic(form.items[0].span, "and", ())
        return Stage(form.span, "player", everybody, (choice, *inside), responders=responders)

    def _swap(self, form: Form) -> Statement:
        if len(form.items) != 3:
            self._misfit(form, [Shape("(swap CARD CARD)", nothing)])
            return nothing(form.span)
        first = self.typed(form.items[1], Type.CARD, Type.PILE)
        if isinstance(first, Broken):
            self.typed(form.items[2], Type.CARD, Type.PILE)
            return nothing(form.span)
        second = self.typed(form.items[2], first.type)
        return nothing(form.span) if isinstance(second, Broken) else Swap(form.span, first, second)

    def _create(self, form: Form) -> Statement:
        if len(form.items) > 1 and is_word(form.items[1], "teams"):
            return MakeTeams(form.span, self.team_lists(form))
        if len(form.items) > 1 and is_word(form.items[1], "deck", "players"):
            noun = "Cards" if is_word(form.items[1], "deck") else "Players"
            self.error(
                form,
                "create-in-game",
                f"{noun} can be created only in the setup: during the game none are added.",
                "Create all of them in (setup ...), in a location where they wait.",
            )
            return nothing(form.span)
        self.unfit(form, "(create teams (0, 2) (1, 3))")
        return nothing(form.span)

    # --- the dialect ----------------------------------------------------------------------

    def prepare(self, nodes: Sequence[Node]) -> Sequence[Node] | None:
        """The forms as they are; ``dialect`` becomes C if one belongs to dialect C only."""
        for node in nodes:
            for form in forms(node):
                short = form.head in ("inc", "dec") and len(form.items) == 2
                variadic = form.head in ("+", "*", "-") and len(form.items) > 3
                place = len(form.items) == 4 and is_word(form.items[1], *KINDS)
                if form.head in _WORDS_C or short or variadic or place:
                    self.dialect = "C"
                    return nodes
        return nodes
