"""The reader of dialect A, the one of the paper of 2016."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, cast

from kibitz.recycle.reading.context import Broken, Mend, nothing
from kibitz.recycle.reading.expressions_a import (
    CARDS,
    COMPARISONS,
    CONDITIONS,
    NUMBERS,
    TUPLES,
    ExpressionsA,
    Reference,
)
from kibitz.recycle.reading.foreign import HINTS_A, hint_for
from kibitz.recycle.reading.operators import which_seat
from kibitz.recycle.reading.several import (
    is_condition,
    is_step,
    report_condition,
    report_conditions,
    report_no_condition,
)
from kibitz.recycle.tree import (
    Award,
    Binding,
    Block,
    CardAt,
    Choice,
    CurrentPlayer,
    Cycle,
    Do,
    Expression,
    ForEach,
    Forget,
    Fork,
    Item,
    Let,
    MakeTeams,
    Move,
    Pass,
    Pile,
    Players,
    Remember,
    Repeat,
    Seat,
    SetNumber,
    SetPoints,
    Shuffle,
    Size,
    Statement,
    Stored,
    Truth,
    Type,
    Variable,
    When,
)
from kibitz.recycle.words import KINDS, NUMBER, WHICH, Shape, is_word, most_items, one_of
from kibitz.syntax.sexpr import Atom, Form, Node
from kibitz.syntax.source import Span


class DialectA(ExpressionsA):
    """The reader of dialect A."""

    dialect: Literal["A", "B", "C"] = "A"
    foreign = HINTS_A
    words = (
        *(*NUMBERS, *CONDITIONS, *CARDS, "tuples", "union", "cardatt", "owner", "sum"),
        *("move", "remember", "forget", "shuffle", "turn", "set", "inc", "dec", "cycle"),
        *("initialize", "create", "game", "setup", "deck", "stage", "end", "comp", "choice"),
        *("scoring", "top", "bottom", "any", "all", "none", "where", "each", "using"),
        *("==", "!=", "<", ">", "<=", ">=", *KINDS, "sto", *WHICH, "player", "team"),
    )

    action_words = (
        *("move", "remember", "forget", "shuffle", "turn"),
        *("set", "inc", "dec", "cycle", "initialize"),
    )

    most: ClassVar[Mapping[str, int]] = {
        **most_items(NUMBERS, CARDS, {"tuples": TUPLES}),
        "==": 3,
        "!=": 3,
        "<": 3,
        ">": 3,
        "<=": 3,
        ">=": 3,
        "not": 2,
        "top": 2,
        "bottom": 2,
        "set": 3,
        "inc": 3,
        "dec": 3,
        "cycle": 3,
        "cardatt": 3,
        "owner": 2,
        "shuffle": 2,
        "move": 4,
        "remember": 4,
        "forget": 3,
        "initialize": 4,
        "end": 2,
        "scoring": 3,
    }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.forks = False
        """Whether the reader is within a choice, where ``any`` makes options."""
        self.actions: Mapping[str, Callable[[Form], Statement]] = {
            "move": self._move,
            "remember": self._remember,
            "forget": self._forget,
            "shuffle": self._shuffle,
            "turn": self._turn,
            "set": self._change,
            "inc": self._change,
            "dec": self._change,
            "cycle": self._cycle,
            "initialize": self._initialize,
            "create": self._create,
        }

    # --- actions --------------------------------------------------------------------------

    def block(self, node: Node) -> Item:
        if isinstance(node, Form) and node.head == "comp":
            return Block(node.span, Do(node.span, self._clauses(node)))
        if isinstance(node, Form) and node.head in self.actions:
            self.error(
                node,
                "bare-action",
                f"'{node.head}' cannot stand by itself in a game or stage.",
                "It stands in a comp: (comp (() (ACTION ...) ...)).",
            )
        elif isinstance(node, Form) and node.head in COMPARISONS:
            self._bare_clause(node)
        elif isinstance(node, Form) and isinstance(node.items[0] if node.items else None, Atom):
            known = ("comp", "choice", "stage", "scoring")
            self.unknown(
                cast(Atom, node.items[0]), "item of a game", known, f"It is {one_of(known)}."
            )
        else:
            self.error(
                node,
                "unknown-item",
                f"'{self.show(node)}' is no item of a game.",
                "Items are (stage ...), (choice ...) and (comp ...).",
            )
        return Block(node.span, nothing(node.span))

    def choice(self, form: Form) -> Item:
        self.forks = True
        clauses = self._clauses(form)
        self.forks = False
        return Choice(form.span, clauses)

    def _clauses(self, form: Form) -> tuple[Statement, ...]:
        if len(form.items) == 1:
            self.error(
                form,
                "empty-form",
                f"Nothing happens in this '{form.head}'.",
                f"It looks like this: ({form.head} (CONDITION (ACTION ...) ...) ...).",
            )
        clauses: list[Statement] = []
        waiting = list(form.items[1:])
        while waiting:
            node = waiting.pop(0)
            if is_condition(node) and waiting and is_step(waiting[0], self.action_words):
                nodes = [node]
                while waiting and is_step(waiting[0], self.action_words):
                    nodes.append(waiting.pop(0))
                report_condition(self, nodes)
            else:
                clauses.append(self._clause(node))
        return tuple(clauses)

    def _clause(self, node: Node) -> Statement:
        """Reads a clause: ``(CONDITION ACTION ...)``."""
        shape = "(CONDITION (ACTION ...) ...), with () for a condition that always holds"
        if isinstance(node, Atom) or not node.items:
            mends = [] if isinstance(node, Atom) else [Mend(node.span.start, "open")]
            self.error(
                node,
                "clause",
                f"'{self.show(node)}' is no clause.",
                f"A clause looks like this: {shape}.",
                mends=mends,
            )
            return nothing(node.span)
        if node.head in ("stage", "choice", "comp", "scoring", "setup"):
            self.misplaced(node, "Here a clause should stand.")
            self.item(node)
            return nothing(node.span)
        if isinstance(node.items[0], Atom):
            self._bare_clause(node)
            return nothing(node.span)
        if is_step(node.items[0], self.action_words):
            report_no_condition(self, node)
            return Do(node.span, tuple(self.action(action) for action in node.items))
        condition = self.condition(node.items[0])
        further = 1
        while further < len(node.items) - 1 and is_condition(node.items[further]):
            self.condition(node.items[further])
            further += 1
        if further > 1:
            report_conditions(self, node.items[:further])
        if len(node.items) == 1:
            self.error(
                Span(node.span.end - 1, node.span.end),
                "empty-clause",
                "This ')' closes the clause before anything is done in it.",
                f"A clause looks like this: {shape}.",
                [(node.span, "The clause.")],
                [Mend(node.span.end - 1, "remove")],
            )
        body: list[Statement] = [self.action(action) for action in node.items[further:]]
        step = body[0] if len(body) == 1 else Do(node.span, tuple(body))
        if isinstance(condition, Truth):
            return step
        return When(node.span, condition, step)

    def _bare_clause(self, form: Form) -> None:
        """Reports a clause without its opening parenthesis, or an action outside of a clause."""
        shape = "(CONDITION (ACTION ...) ...)"
        if form.head in (*COMPARISONS, *CONDITIONS):
            self.error(
                form,
                "missing-parenthesis",
                "This is a condition; the clause that it belongs to should begin before it.",
                f"A clause looks like this: {shape}: put a '(' before the condition.",
                mends=[Mend(form.span.start, "open")],
            )
        elif form.head in self.actions:
            self.error(
                form,
                "missing-clause",
                f"'{form.head}' stands outside of a clause.",
                f"A clause looks like this: {shape}; what is always done: (() {self.show(form)})."
                " Or a ')' before this is too many.",
            )
            self.action(form)
        else:
            self.unknown(
                cast(Atom, form.items[0]),
                "beginning of a clause",
                self.words,
                f"A clause looks like this: {shape}.",
            )

    def most_items(self, form: Form) -> int | None:
        if len(form.items) > 3 and is_word(form.items[3], "where"):
            return 5
        if form.head == "any" and len(form.items) > 1 and isinstance(form.items[1], Form):
            # not the any of a where or an award
            inner = form.items[1].items
            return 2 if len(inner) > 1 and is_word(inner[1], *KINDS) else None
        return super().most_items(form)

    def action(self, node: Node) -> Statement:
        """Reads an action of a clause."""
        if isinstance(node, Form) and node.head in self.actions:
            fixed: list[tuple[Expression, Binding]] = []
            self.fixed = fixed
            statement = self.actions[node.head](node)
            self.fixed = None
            for value, binding in reversed(fixed):
                statement = Let(node.span, value, binding, statement)
            return statement
        head = node.head if isinstance(node, Form) else ""
        if head in ("stage", "choice", "comp", "scoring", "setup"):
            self.misplaced(node, "Here an action should stand.")
            self.item(node)
        elif isinstance(node, Form) and (head in self.words or not head):
            self.error(
                node,
                "value-for-action",
                f"'{self.show(node)}' does nothing; here an action should stand.",
                "Perhaps a clause begins here: (CONDITION (ACTION ...) ...). There is none inside"
                " of another: join their conditions by (and ...).",
                mends=[Mend(node.span.start, "close")],
            )
        elif isinstance(node, Form):
            self.unknown(cast(Atom, node.items[0]), "action", tuple(self.actions))
        else:
            self.error(
                node,
                "expected-step",
                f"Here an action should stand, not '{self.show(node)}'.",
                hint_for(node, self.foreign),
            )
        return nothing(node.span)

    def _loop(self, span: Span, references: Sequence[Reference], body: Statement) -> Statement:
        """A body within a loop over the collection of each many-valued reference."""
        for reference in reversed(references):
            loop = Fork if reference.word == "any" and self.forks else ForEach
            body = loop(span, reference.collection, reference.binding, body)
        return body

    def _count(self, node: Node | None) -> Any:
        """Reads how often an action is repeated: a number, ``all``, or ``None`` for once."""
        if node is None or is_word(node, "all"):
            return None if node is None else "all"
        return self.number(node)

    def _move(self, form: Form) -> Statement:
        shape = "(move CARD (top LOCATION)), with a number of cards or 'all' at the end"
        if not 3 <= len(form.items) <= 4:
            self._misfit(form, [Shape("(move CARD (top LOCATION) NUMBER)", nothing)])
            return nothing(form.span)
        with self.collecting() as sources:
            card = self.card(form.items[1])
        owners = [item for item in sources if isinstance(item.collection, Players)]
        with self.collecting() as targets:
            self.shared = owners[0] if owners else None
            place = self._place(form.items[2], "LOCATION")
        count = self._count(form.items[3] if len(form.items) == 4 else None)
        if any(isinstance(item, Broken) for item in (card, place, count)):
            return nothing(form.span)
        position, pile = place
        if isinstance(pile, Pile) and pile.kind == "mem":
            self.error(
                form.items[2],
                "memory",
                "Cards cannot be moved into a memory.",
                "(remember CARD (top (game mem NAME))) puts a reference there.",
            )
            return nothing(form.span)
        snapshot: Let | None = None
        if count == "all":
            if not isinstance(card, CardAt):
                self.error(
                    form.items[3],
                    "repeat-all",
                    "'all' empties a location; the card should be (top LOCATION).",
                    f"It looks like this: {shape}.",
                )
                return nothing(form.span)
            if card.cards.type is not Type.PILE:
                binding = Binding("CARDS", Type.CARDS, card.span)
                self.bindings.append(binding)
                snapshot = Let(form.span, card.cards, binding, nothing(form.span))
                card = CardAt(card.span, card.which, Variable(card.cards.span, binding))
            count = Size(form.items[3].span, card.cards)
        move = Move(form.span, card, pile, position, lenient=True)
        step = self._loop(form.span, targets, move)
        if count is not None:
            step = Repeat(form.span, count, step)
        if snapshot is not None:
            step = Let(form.span, snapshot.value, snapshot.binding, step)
        return self._loop(form.span, sources, step)

    def _place(self, node: Node, kind: str) -> Any:
        """Reads a position in a location: an end or index, and the pile."""
        shape = f"(top {kind}) or (bottom {kind})"
        if (
            not isinstance(node, Form)
            or len(node.items) != 2
            or not isinstance(node.items[0], Atom)
            or is_word(node.items[1], "player", "team")
        ):
            hint = f"It looks like this: {shape}."
            if isinstance(node, Atom) and node.text[0] == "'":
                hint = f"Swapped? A card is moved there: (move {node.text} (top {kind}))."
            return self.error(
                node, "expected-place", f"'{self.show(node)}' does not say where to put it.", hint
            )
        first = node.items[0]
        if not (first.text in ("top", "bottom") or NUMBER.fullmatch(first.text)):
            return self.unknown(
                first, "end of a location", ("top", "bottom"), f"It looks like this: {shape}."
            )
        position: Any = first.text if first.text in ("top", "bottom") else self.number(first)
        pile = self.check(node.items[1], self.expression(node.items[1]), Type.PILE)
        if isinstance(position, Broken) or isinstance(pile, Broken):
            return Broken(node.span)
        return position, pile

    def _memory(self, node: Node) -> Any:
        """Reads a position in a memory."""
        place = self._place(node, "MEMORY")
        if isinstance(place, Broken):
            return place
        position, pile = place
        if isinstance(pile, Pile) and pile.kind == "mem":
            return position, pile
        return self.error(
            node,
            "memory",
            "Here a memory is wanted.",
            "It looks like this: (top (game mem NAME)).",
        )

    def _remember(self, form: Form) -> Statement:
        if not 3 <= len(form.items) <= 4:
            self._misfit(form, [Shape("(remember CARD (top MEMORY))", nothing)])
            return nothing(form.span)
        with self.collecting() as references:
            card = self.card(form.items[1])
            place = self._memory(form.items[2])
        count = self._count(form.items[3] if len(form.items) == 4 else None)
        if any(isinstance(item, Broken) for item in (card, place, count)):
            return nothing(form.span)
        step: Statement = Remember(form.span, card, place[1], place[0])
        if count == "all":
            self.error(form.items[3], "repeat-all", "Only a move or a forget can be done for all.")
        elif count is not None:
            step = Repeat(form.span, count, step)
        return self._loop(form.span, references, step)

    def _forget(self, form: Form) -> Statement:
        if not 2 <= len(form.items) <= 3:
            self._misfit(form, [Shape("(forget (top MEMORY))", nothing)])
            return nothing(form.span)
        with self.collecting() as references:
            place = self._memory(form.items[1])
        count = self._count(form.items[2] if len(form.items) == 3 else None)
        if isinstance(place, Broken) or isinstance(count, Broken):
            return nothing(form.span)
        step: Statement = Forget(form.span, place[1], place[0])
        if count is not None:
            times = Size(form.span, place[1]) if count == "all" else count
            step = Repeat(form.span, times, step)
        return self._loop(form.span, references, step)

    def _shuffle(self, form: Form) -> Statement:
        if len(form.items) != 2:
            self._misfit(form, [Shape("(shuffle LOCATION)", nothing)])
            return nothing(form.span)
        with self.collecting() as references:
            pile = self.check(form.items[1], self.expression(form.items[1]), Type.PILE)
        if isinstance(pile, Broken):
            return nothing(form.span)
        return self._loop(form.span, references, Shuffle(form.span, pile))

    def _turn(self, form: Form) -> Statement:
        action = self.fit(form, [Shape("(turn pass)", Pass)], self.roles)
        return nothing(form.span) if isinstance(action, Broken) else cast(Pass, action)

    def _change(self, form: Form) -> Statement:
        """Reads ``set``, ``inc`` or ``dec``."""
        word = cast(Literal["set", "inc", "dec"], form.head)
        if len(form.items) != 3:
            self._misfit(form, [Shape(f"({word} (OWNER sto NAME) NUMBER)", nothing)])
            return nothing(form.span)
        with self.collecting() as references:
            target = self.expression(form.items[1])
        value = self.number(form.items[2])
        if not isinstance(target, (Stored, Broken)):
            self.error(
                form.items[1],
                "not-a-storage",
                f"'{word}' changes a storage; '{self.show(form.items[1])}' is none.",
                "It looks like this: (game sto NAME).",
            )
        if not isinstance(target, Stored) or isinstance(value, Broken):
            return nothing(form.span)
        return self._loop(form.span, references, SetNumber(form.span, word, target, value))

    def _cycle(self, form: Form) -> Statement:
        if len(form.items) != 3 or not is_word(form.items[1], "next", "current"):
            self._misfit(form, [Shape("(cycle next|current PLAYER)", nothing)])
            return nothing(form.span)
        who = form.items[2]
        player: Expression
        if is_word(who, *WHICH):
            player = CurrentPlayer(who.span, which_seat(cast(Atom, who).text))
        else:
            with self.collecting() as references:
                player = self.expression(who)
            player = self._one(who, self.check(who, player, Type.PLAYER, Type.INT), references)
            if player.type is Type.INT and not isinstance(player, Broken):
                player = Seat(who.span, player)
        if isinstance(player, Broken):
            return nothing(form.span)
        return Cycle(form.span, cast(Any, form.items[1]).text, player)

    def _initialize(self, form: Form) -> Statement:
        shape = "(initialize points NAME ((all (ATTRIBUTE (VALUE)) NUMBER) ...))"
        if (
            len(form.items) != 4
            or not is_word(form.items[1], "points")
            or not isinstance(form.items[3], Form)
        ):
            self.unfit(form, shape)
            return nothing(form.span)
        points = self.points(form.items[2])
        awards = [self._award(node) for node in form.items[3].items]
        if isinstance(points, Broken) or None in awards:
            return nothing(form.span)
        return SetPoints(form.span, points, tuple(award for award in awards if award))

    def _award(self, node: Node) -> Award | None:
        """Reads an award: ``(all (ATTRIBUTE (VALUE)) ... NUMBER)``, or the same with ``any``."""
        if not isinstance(node, Form) or len(node.items) < 3 or node.head not in ("all", "any"):
            self.error(
                node,
                "award",
                f"'{self.show(node)}' is no award.",
                "It looks like this: (all (ATTRIBUTE (VALUE)) NUMBER).",
                mends=[Mend(node.span.start, "open")],
            )
            return None
        conditions = [self._award_condition(item) for item in node.items[1:-1]]
        value = self.number(node.items[-1])
        if isinstance(value, Broken) or None in conditions:
            return None
        return Award(node.span, tuple(condition for condition in conditions if condition), value)

    def _award_condition(self, node: Node) -> tuple[Expression, Expression] | None:
        if not isinstance(node, Form) or len(node.items) != 2 or isinstance(node.items[1], Atom):
            self.error(
                node,
                "award",
                f"'{self.show(node)}' is no condition of an award.",
                "It looks like this: (ATTRIBUTE (VALUE)) or (ATTRIBUTE (cardatt NAME CARD)).",
                mends=[Mend(node.span.start, "open")],
            )
            return None
        attribute, inner = self.names(node.items[0]), node.items[1]
        self.check_attribute(node.items[0], attribute)
        with self.collecting() as references:
            value = self.names(inner.items[0] if len(inner.items) == 1 else inner)
        value = self._one(inner, value, references)
        if isinstance(attribute, Broken) or isinstance(value, Broken):
            return None
        return attribute, value

    def _create(self, form: Form) -> Statement:
        if len(form.items) > 1 and is_word(form.items[1], "teams"):
            return MakeTeams(form.span, self.team_lists(form))
        self.error(
            form,
            "create-in-game",
            "Cards and players can be created only in the setup: during the game none are added.",
        )
        return nothing(form.span)
