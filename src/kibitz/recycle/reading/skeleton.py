"""The reader of the frame of a game, which all dialects share: setup, items, stages, scoring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kibitz.recycle.reading.context import Broken, Mend, nothing
from kibitz.recycle.reading.functions import Functions
from kibitz.recycle.reading.setup import ITEMS, first_word
from kibitz.recycle.reading.several import is_condition, report_conditions
from kibitz.recycle.reading.wording import check_names, read_names
from kibitz.recycle.tree import (
    Block,
    Choice,
    Eliminate,
    Expression,
    Item,
    Program,
    SetNumber,
    Stage,
    Table,
    Text,
    everything,
)
from kibitz.recycle.words import (
    is_word,
    nearest,
)
from kibitz.syntax.sexpr import Atom, Form, Node
from kibitz.syntax.source import Span

_SINGLE = ("setup", "scoring", "declare", "define", "effects", "names")
"""The first words of forms that stand directly in the game."""


class Skeleton(Functions):
    """The reader of the frame of a game; subclasses read choices, steps and expressions."""

    # --- the whole ------------------------------------------------------------------------

    def game(self, forms: Sequence[Node]) -> Program | None:
        """The program of a text; ``None`` if there is an error."""
        root = self._root(forms)
        if root is None:
            return None
        behind = [form for form in forms if form.span.start > root.span.start]
        items = [*root.items[1:], *behind]
        by_head = {word: [form for form in items if first_word(form) == word] for word in ITEMS}
        self._find_players(by_head["setup"])
        self.note_depths(items)
        self.define([*by_head["define"], *by_head["effects"]])
        for form in by_head["declare"]:
            self._declare(form)
        self.constants = self.scope
        self._reject_unknown_values()
        self._setup(root, by_head["setup"])
        names: dict[str, tuple[str, str]] = {}
        for form in by_head["names"]:
            assert isinstance(form, Form)
            names |= read_names(self, form)
        body = [
            read for item in items if first_word(item) not in _SINGLE for read in self.items(item)
        ]
        highest, scoring = self._scoring(root, items, by_head["scoring"])
        self.warn_of_unused()
        if not body and not self.errors:
            self.error(
                root.items[0],
                "empty-game",
                "Nothing happens in this game.",
                "Between setup and scoring stand its stages: (stage player (end CONDITION) ...).",
            )
        if self.errors or not scoring:
            return None
        score, tie = (*scoring, None)[:2]
        assert score is not None
        program = Program(
            source=self.source,
            dialect=self.dialect,
            title=self.comment.title,
            about=self.comment.about,
            players=self.players,
            least_players=self.least_players,
            most_players=self.most_players,
            parameters=tuple(self.parameters),
            values=self.values,
            teams=self.teams,
            seats=self.seats,
            declared=tuple(self.declared),
            made=tuple(self.made),
            decks=tuple(self.decks),
            cards=tuple(self.cards_made),
            items=(*self.set_numbers(), *body),
            highest_wins=highest,
            score=score,
            tie=tie,
            bindings=tuple(self.bindings),
            functions=tuple(function.form for function in self.functions.values()),
            calls=self.called,
            deals=self.comment.deals,
            names=names,
        )
        for form in by_head["names"]:
            assert isinstance(form, Form)
            check_names(self, form, names, program)
        self._check_deals(program)
        self._check_eliminations(program)
        return None if self.errors else program

    def _check_deals(self, program: Program) -> None:
        """Reports a header that counts deals by a number that no rule changes."""
        counters = {
            node.target.name.value
            for node in everything(program)
            if isinstance(node, SetNumber)
            and isinstance(node.target.owner, Table)
            and isinstance(node.target.name, Text)
        }
        if program.deals == "" or program.deals in counters:
            return
        text = self.source.text
        start = text.index(program.deals, text.lower().index("deals:"))
        self.error(
            Span(start, start + len(program.deals)),
            "no-deals",
            f"The header counts the deals by (game sto {program.deals}), which no rule changes.",
            f"Add (inc (game sto {program.deals}) 1) at the end of a deal, or leave the line out.",
        )

    def _check_eliminations(self, program: Program) -> None:
        """Reports players who are eliminated in a game with simultaneous stages."""
        nodes = list(everything(program))
        if not any(isinstance(node, Stage) and node.simultaneous for node in nodes):
            return
        for node in nodes:
            if isinstance(node, Eliminate):
                self.error(
                    node.span,
                    "simultaneous",
                    "Nobody can be eliminated in a game with simultaneous stages, in which all"
                    " players choose.",
                    "Keep in a number of the player who is out, and give them a pass to choose.",
                )

    def _root(self, forms: Sequence[Node]) -> Form | None:
        """The form ``(game ...)``; other forms beside it are reported."""
        games = [form for form in forms if isinstance(form, Form) and form.head == "game"]
        if not games:
            first = forms[0] if forms else None
            if isinstance(first, Form) and nearest(first.head, ["game"]):
                self.error(first.items[0], "unknown-word", f"'{first.head}' should be 'game'.")
                return first
            self.error(
                forms[0] if forms else Span(0, 0),
                "no-game",
                "There is no game in this file." if forms else "This file is empty.",
                "A file holds one form: (game (setup ...) ... (scoring max NUMBER)).",
            )
            return None
        root = games[0]
        for form in games[1:]:
            self.error(form, "second-game", "There is a second game; a file holds one.")
        before = [form for form in forms if form.span.start < root.span.start]
        for node in before:
            self.error(node, "outside", f"'{self.show(node)}' stands before the game.")
        after = [form for form in forms if form.span.start > root.span.start and form not in games]
        if after:
            self.error(
                Span(root.span.end - 1, root.span.end),
                "unbalanced",
                "This ')' closes the game, but more follows: there is one ')' too many, here or"
                " before.",
                notes=[(after[0].span, "The first thing outside the game.")],
                mends=[Mend(root.span.end - 1, "remove")],
            )
        return root

    def item(self, node: Node) -> Item:
        """Reads an item of a game or a stage."""
        head = first_word(node)
        if head == "stage":
            assert isinstance(node, Form)
            return self.stage(node)
        if head == "choice":
            assert isinstance(node, Form)
            return self.choice(node)
        if head == "respond":
            assert isinstance(node, Form)
            return self.respond(node)
        if head in _SINGLE:
            self.misplaced(node, f"'{head}' stands directly in the game, once.")
            return Block(node.span, nothing(node.span))
        return self.block(node)

    # --- stages and the end ---------------------------------------------------------------

    def stage(self, form: Form) -> Item:
        """Reads a stage."""
        shape = "(stage player (end CONDITION) ...)"
        items = list(form.items[1:])
        kind: Literal["player", "team"] = "player"
        if items and is_word(items[0], "player", "team"):
            kind = "team" if is_word(items.pop(0), "team") else "player"
        else:
            at = items.pop(0) if items and isinstance(items[0], Atom) else form.items[0]
            self.error(
                at,
                "stage-kind",
                "A stage is for each 'player' or each 'team'.",
                f"It looks like this: {shape}.",
            )
        simultaneous = bool(items) and is_word(items[0], "simultaneous")
        if simultaneous:
            items.pop(0)
        elif len(items) > 1 and isinstance(items[0], Atom) and first_word(items[1]) == "end":
            word = items.pop(0)
            self.error(
                word,
                "unknown-word",
                f"'{self.show(word)}' is no kind of stage.",
                "Only 'simultaneous' can stand between 'player' and the end.",
            )
            simultaneous = True
        end: Expression = Broken(form.span)
        if items and first_word(items[0]) == "end":
            end = self._end(items.pop(0))
        else:
            self.error(
                items[0] if items else form.items[0],
                "no-end",
                "A stage says first when it ends.",
                f"It looks like this: {shape}.",
                mends=[Mend(items[0].span.start, "open")] if items else [],
            )
        inside: list[Item] = []
        for item in items:
            if first_word(item) == "end":
                self.misplaced(item, "A stage has one end, before everything else.")
            else:
                inside += self.items(item)
        if not items:
            self.error(form, "empty-stage", "Nothing happens in this stage.")
        if simultaneous:
            self._check_simultaneous(form, kind, inside)
        return Stage(form.span, kind, end, tuple(inside), simultaneous)

    def _check_simultaneous(self, form: Form, kind: str, items: Sequence[Item]) -> None:
        if kind != "player":
            self.error(form, "simultaneous", "Only a stage of players can be simultaneous.")
        elif not items or not isinstance(items[0], Choice):
            self.error(
                form.items[2],
                "simultaneous",
                "A simultaneous stage begins with the choice that all players make.",
            )
        for item in items[1:]:
            if not isinstance(item, Block):
                self.error(
                    item.span,
                    "simultaneous",
                    "In a simultaneous stage only automatic blocks follow the choice.",
                )

    def _end(self, node: Node) -> Expression:
        """Reads the end of a stage: ``(end CONDITION)``."""
        assert isinstance(node, Form)
        if len(node.items) == 2:
            return self.condition(node.items[1])
        if len(node.items) < 2:
            return self.unfit(node, "(end CONDITION)")
        end = self.condition(node.items[1])
        if all(is_condition(item) for item in node.items[1:]):
            report_conditions(self, node.items[1:], [Mend(node.items[1].span.end, "close")])
            return end
        self.error(
            Span(node.items[2].span.start, node.items[-1].span.end),
            "too-many-arguments",
            "This is too much for 'end'.",
            "It looks like this: (end CONDITION).",
            mends=[Mend(node.items[1].span.end, "close")],
        )
        return end

    def _scoring(
        self, root: Form, items: Sequence[Node], scorings: Sequence[Node]
    ) -> tuple[bool, list[Expression]]:
        """Whether the highest score wins, the score and what breaks ties; empty after an error."""
        shape = "(scoring max NUMBER)"
        if not scorings:
            near = [
                item
                for item in items
                if isinstance(item, Form) and nearest(item.head, ["scoring"])
            ]
            if not near:
                self.error(
                    root.items[0],
                    "no-scoring",
                    "The game does not say how it is scored.",
                    f"Its last form is {shape} or (scoring min NUMBER).",
                )
            return True, []
        for form in scorings[1:]:
            self.error(form, "second-scoring", "There is a second scoring.")
        form = scorings[0]
        assert isinstance(form, Form)
        if form is not items[-1] and len(scorings) == 1:
            behind = items[[item is form for item in items].index(True) + 1]
            self.error(behind, "after-scoring", "Nothing can follow the scoring.")
        if len(form.items) < 3 or not is_word(form.items[1], "max", "min"):
            self.unfit(form, shape)
            return True, []
        if len(form.items) > 4:
            self.error(
                form.items[4],
                "too-many-arguments",
                "This is too much for 'scoring'.",
                f"It looks like this: {shape}, with a second number for ties if you like.",
                mends=[Mend(form.items[3].span.end, "close")],
            )
        numbers = [self.number(item) for item in form.items[2:4]]
        known = [number for number in numbers if number is not None]
        return is_word(form.items[1], "max"), known if len(known) == len(numbers) else []
