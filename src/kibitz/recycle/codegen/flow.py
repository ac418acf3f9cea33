"""Code for stages and choices: the function ``play``, which runs a game to the next decision.

``play`` takes an action and continues at the start of the game or at the clause that the action
chooses. It runs until the game reaches a choice or is over. At a choice it stores the choice
(``header.phase``) and the player who decides, and returns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TypeAlias

from kibitz.core.actions import ACTION_LIST, KIND_BITS
from kibitz.core.layout import CHANCE
from kibitz.core.status import Status
from kibitz.recycle import tree
from kibitz.recycle.codegen import actions, conclusions, loops, piles
from kibitz.recycle.codegen import collections as lists
from kibitz.recycle.codegen import expressions as ex
from kibitz.recycle.codegen.choices import PICKS_WRITTEN
from kibitz.recycle.codegen.function import Function, Value
from kibitz.recycle.codegen.module import Module
from kibitz.recycle.codegen.scope import (
    FIRST_PLAYER_AT,
    PHASE_AT,
    PLAYER_AT,
    STATUS_AT,
    TICK_AT,
    TURN_AT,
    TURN_OWNER_AT,
    PickNumbers,
    Scope,
)
from kibitz.recycle.dependence import has_common_score
from kibitz.recycle.options import PASS_KIND, Path, PickPoint
from kibitz.recycle.tree import Type

START = -1
"""The action that starts a game."""


Placed: TypeAlias = tuple[tree.Choice, int, int, bool]
"""A choice, the numbers of stages of players and of teams around it, and whether it belongs to a
simultaneous stage."""


def choices_with_depth(program: tree.Program) -> Iterator[Placed]:
    """All choices in the order of the source."""

    def below(
        items: tuple[tree.Item, ...], depth: int, team_depth: int, simultaneous: bool
    ) -> Iterator[Placed]:
        for item in items:
            if isinstance(item, tree.Choice):
                yield item, depth, team_depth, simultaneous
            elif isinstance(item, tree.Stage):
                team = item.kind == "team"
                yield from below(
                    item.items, depth + (not team), team_depth + team, item.simultaneous
                )

    yield from below(program.items, 0, 0, False)


def alternatives(end: tree.Expression) -> list[tree.Expression]:
    """The operands of an ``or``, in order, or the condition itself."""
    if isinstance(end, tree.Logic) and end.operator == "or":
        return [inner for operand in end.parts for inner in alternatives(operand)]
    return [end]


def ending_stage(program: tree.Program) -> tree.Stage | None:
    """The stage whose end conditions describe how games end; ``None`` without choices in stages.

    It is the last outermost stage with choices. In a match of several deals whose end is a single
    condition, it is the last stage of a deal, if the end of that is an ``or``.
    """
    outermost = _with_choices(program.items)
    if not outermost:
        return None
    last = outermost[-1]
    inner = _with_choices(last.items)
    if program.deals != "" and inner and len(alternatives(last.end)) == 1:
        return inner[-1] if len(alternatives(inner[-1].end)) > 1 else last
    return last


def _with_choices(items: tuple[tree.Item, ...]) -> list[tree.Stage]:
    """The stages among some items that contain choices."""
    stages = [item for item in items if isinstance(item, tree.Stage)]
    return [
        stage
        for stage in stages
        if any(isinstance(item, tree.Choice) for item in stage.items) or _with_choices(stage.items)
    ]


class Flow:
    """The writer of the function ``play``."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.places = module.places
        arguments = [("ptr noalias", "%state"), ("i64", "%action")]
        if module.traced:
            arguments.append(("ptr", "%log"))
        self.function = Function("play", "void", arguments)
        self.s = Scope(module, self.function)
        self.entries: list[str] = []
        """The label of each choice at which ``play`` continues with a chosen action."""
        self.after: list[str] = []
        """The label of each choice at which the game continues after the chosen action."""
        self.clauses: list[str] = []
        """The label of each clause."""
        self.endings: list[tree.Expression] = []
        """The alternative conditions that end ``ending_stage``."""
        self._last_stage = ending_stage(module.places.program)
        self._choices = len(list(choices_with_depth(module.places.program)))
        self._listed: Value | None = None
        """The memory for options that are listed again to decode a digest."""

    def write(self) -> str:
        """Writes the function; returns its text."""
        s, f = self.s, self.function
        program = self.places.program
        s.operands = f.slot()
        start, decided, wrong = f.label("start"), f.label("decided"), f.label("wrong")
        f.branch(f.test("eq", "%action", START), start, decided)
        f.place(start)
        self._deal()
        for item in program.items:
            self._item(item)
        self._finish()
        f.place(decided)
        f.store(f.get(f"lshr i64 %action, {KIND_BITS}"), s.operands)
        kind = f.both("%action", (1 << KIND_BITS) - 1)
        cases = [(path.kind, self.entries[path.choice]) for path in self.module.paths]
        if self.module.pass_when_stuck:
            stuck = f.label("stuck")
            f.switch(kind, [*cases, (PASS_KIND, stuck)], wrong)
            f.place(stuck)
            phase = f.load(f.at(s.state, PHASE_AT), "i32")
            f.switch(phase, list(enumerate(self.after)), wrong)
        else:
            f.switch(kind, cases, wrong)
        f.place(wrong)
        s.fail(self.module.site(program.items[0].span, "an action that is of no choice"))
        s.end_of_failures("void")
        return f.text()

    def _deal(self) -> None:
        """Emits code that puts the cards into their first locations and clears the queues."""
        f, s, places = self.function, self.s, self.places
        program = places.program
        for number in range(len(program.decks)):
            cards = [i for i, card in enumerate(program.cards) if card.place == number]
            if not cards:
                continue
            pile = s.pile(ex.place(s, program.decks[number]))
            shown = f.load(f.at(pile, places.pile_field["shown_to"]), "i16")

            def put(card: Value, pile: Value = pile, shown: Value = shown) -> None:
                piles.put(s, pile, f.load(pile, "i16"), card, shown)

            loops.count_up(s, str(cards[0]), str(cards[-1] + 1), put)
        for team, depth in ((False, places.depth), (True, places.team_depth)):
            for i in range(depth):
                f.store(-1, s.cycle(team, "queued", i), "i16")

    # -- items -----------------------------------------------------------------------------

    def _item(self, item: tree.Item) -> None:
        """Emits the code of a block, a choice or a stage."""
        match item:
            case tree.Block():
                self.s.begin_region()
                operands, self.s.operands = self.s.operands, None
                actions.execute(self.s, item.body)
                self.s.operands = operands
            case tree.Choice():
                self._choice(item)
            case tree.Stage(responders=None):
                self._stage(item)
            case tree.Stage():
                self._respond(item)

    def _choice(self, node: tree.Choice) -> None:
        """Emits code that waits for a decision, executes it and continues."""
        f = self.function
        number = len(self.entries)
        entry, after = f.label("choice"), f.label("after")
        self.entries.append(entry)
        self.after.append(after)
        self._wait(number)
        self._chosen(node, number, entry, after)

    def _chosen(self, node: tree.Choice, number: int, entry: str, after: str) -> None:
        """Emits the code that carries out the option of a choice that was chosen."""
        f = self.function
        f.place(entry)
        kind = f.both("%action", (1 << KIND_BITS) - 1)
        picks = self._room_for_picks(number)
        if picks is not None:
            self._recall(node, number, "%action", picks, 1)
        self._clauses(node, number, kind, after, picks)
        f.place(after)

    def _wait(self, choice: int, responds: bool = False) -> None:
        """Emits code that returns for a decision of the current player.

        A new turn begins unless the same player made the previous decision, or only `responds`.
        """
        f, s = self.function, self.s
        player = s.current_player()
        f.store(choice, f.at(s.state, PHASE_AT), "i32")
        f.store(player, f.at(s.state, PLAYER_AT), "i32")
        if responds:
            f.leave()
            return
        turn, owner = f.at(s.state, TURN_AT), f.at(s.state, TURN_OWNER_AT)
        turns = f.load(turn, "i32")
        first, passed = f.test("eq", turns, 0), f.test("ne", f.load(owner, "i32"), player)
        following = f.add(turns, 1)
        f.store(f.choose(first, following, f.choose(passed, following, turns)), turn, "i32")
        f.store(player, owner, "i32")
        f.leave()

    def _clauses(
        self, node: tree.Choice, choice: int, kind: Value, after: str, picks: Value | None
    ) -> None:
        """Emits code that executes the clause that an action chooses."""
        f, s = self.function, self.s
        first = len(self.clauses)
        labels = [f.label("clause") for _ in node.clauses]
        self.clauses += labels
        paths = self._paths(choice)
        f.switch(kind, [(path.kind, labels[path.clause - first]) for path in paths], after)
        with_digests = {path.clause - first for path in paths if not path.packed}
        for number, (clause, label) in enumerate(zip(node.clauses, labels, strict=True)):
            f.place(label)
            s.begin_region()
            if picks is not None and number in with_digests:
                s.picks = PickNumbers(picks, f.slot())
                f.store(0, s.picks.read)
            s.empty = self._empty_forks(kind, [p for p in paths if p.clause == first + number])
            actions.execute(s, clause)
            s.picks = s.empty = None
            if self.module.traced:
                f.store(f.load("%log"), f.at("%log", 8))
            f.jump(after)

    def _empty_forks(self, kind: Value, paths: list[Path]) -> Value | None:
        """A slot with ``Path.empty`` of a kind of action; ``None`` if it is 0 for all kinds."""
        if not any(path.empty for path in paths):
            return None
        f = self.function
        bits: Value = "0"
        for path in paths:
            if path.empty:
                bits = f.choose(f.test("eq", kind, path.kind), path.empty, bits)
        slot = f.slot()
        f.store(bits, slot)
        return slot

    def _paths(self, choice: int) -> list[Path]:
        """All paths through the clauses of a choice."""
        return [path for path in self.module.paths if path.choice == choice]

    # -- decoding digests ------------------------------------------------------------------

    def _room_for_picks(self, choice: int, players: int = 1) -> Value | None:
        """Memory for the picks of an option, if an action may not hold them all."""
        if all(path.packed for path in self._paths(choice)):
            return None
        return self.s.array("i64", players * self._picks_size(choice))

    def _picks_size(self, choice: int) -> int:
        """The number of 64-bit numbers that encode the picks of an option of a choice."""
        return max(path.room(loops.room(self.s)) for path in self._paths(choice))

    def _recall(
        self, node: tree.Choice, choice: int, action: Value, picks: Value, ago: Value | int
    ) -> None:
        """Emits code that recovers the picks of an action that was chosen `ago` actions ago.

        A digest is decoded by listing the options again. A packed action is decoded only if its
        clause has digests, too.
        """
        f, s = self.function, self.s
        paths = self._paths(choice)
        with_digests = {path.clause for path in paths if not path.packed}
        listing, end = f.label("listing"), f.label("recalled")
        packed = [path for path in paths if path.packed and path.clause in with_digests]
        labels = {path.kind: f.label("packed") for path in packed}
        labels |= {path.kind: listing for path in paths if not path.packed}
        f.switch(f.both(action, (1 << KIND_BITS) - 1), list(labels.items()), end)
        for path in packed:
            f.place(labels[path.kind])
            bits = KIND_BITS
            for number, fork in enumerate(path.forks, 1):
                pick = actions.operand_value(s, fork, f.get(f"lshr i64 {action}, {bits}"))
                f.store(pick, f.at(picks, 8 * number))
                bits += fork.bits or 0
            f.store(len(path.forks), picks)
            f.jump(end)
        f.place(listing)
        # random numbers in options depend on the number of actions played before
        tick_at = f.at(s.state, TICK_AT)
        tick = f.load(tick_at, "i32")
        f.store(f.sub(tick, ago), tick_at, "i32")
        if self._listed is None:
            self._listed = f.slot("i8", ACTION_LIST.itemsize)
        arguments = f"ptr {s.state}, ptr {self._listed}, i64 {action}, ptr {picks}"
        outcome = f.get(f"call i64 @options_{choice}({arguments})")
        f.store(tick, tick_at, "i32")
        missing = f.test("ne", outcome, PICKS_WRITTEN)
        s.fail_if(missing, node.span, "what was chosen is no option of this choice")
        f.place(end)

    def _stage(self, node: tree.Stage) -> None:
        """Emits the code of a stage: its cycle, the test of its end, and its items."""
        f, s, places = self.function, self.s, self.places
        team = node.kind == "team"
        if team:
            s.team_depth += 1
        else:
            s.depth += 1
        depth = s.team_depth if team else s.depth
        first = f.slot()
        test, body, leave = f.label("test"), f.label("body"), f.label("leave")
        current = s.cycle(team, "current", depth)
        queued = s.cycle(team, "queued", depth)
        f.store(f.load(s.cycle(team, "current", depth - 1), "i16"), current, "i16")
        f.store(-1, queued, "i16")
        f.store(1, first)
        if not team and places.eliminates:
            self._skip_if_out(current)
        f.place(test)
        s.count_step(node.span)
        s.begin_region()
        advance = f.label("advance")
        self._end(node, leave)
        f.branch(f.test("ne", f.load(first), 0), body, advance)
        f.place(advance)
        current = s.cycle(team, "current", depth)
        queued = s.cycle(team, "queued", depth)
        n = lists.size(s, tree.Teams(node.span)) if team else ""
        if team:
            after = f.get(f"urem i64 {f.add(f.load(current, 'i16'), 1)}, {n}")
        else:
            after = ex.seat_beside(s, f.load(current, "i16"), 1)
        next_up = f.load(queued, "i16")
        f.store(f.choose(f.test("sge", next_up, 0), next_up, after), current, "i16")
        f.store(-1, queued, "i16")
        f.place(body)
        if node.simultaneous:
            self._round(node)
        else:
            for item in node.items:
                self._item(item)
        f.store(0, first)
        f.jump(test)
        f.place(leave)
        # an ended stage is cleared, so that equal positions are equal states
        f.store(0, s.cycle(team, "current", depth), "i16")
        f.store(-1, s.cycle(team, "queued", depth), "i16")
        if team:
            s.team_depth -= 1
        else:
            s.depth -= 1

    def _skip_if_out(self, current: Value) -> None:
        """Emits code that makes the next player current if the current one is eliminated."""
        f, s = self.function, self.s
        out, on = f.label("out"), f.label("on")
        f.branch(ex.is_in(s, f.load(current, "i16")), on, out)
        f.place(out)
        f.store(ex.seat_beside(s, f.load(current, "i16"), 1), current, "i16")
        f.place(on)

    def _respond(self, node: tree.Stage) -> None:
        """Emits code that asks players who have an option whether they react."""
        f, s, n = self.function, self.s, self.places.players
        choice = node.items[0]
        assert isinstance(choice, tree.Choice)
        outer = s.depth
        s.depth += 1

        def current(depth: int = s.depth) -> Value:
            return s.cycle(False, "current", depth)

        following, ask, further, leave = (
            f.label(hint) for hint in ("following", "ask", "further", "leave")
        )
        f.store(f.load(current(outer), "i16"), current(), "i16")
        f.store(-1, s.cycle(False, "queued", s.depth), "i16")
        f.place(following)
        s.count_step(node.span)
        who = f.get(f"urem i64 {f.add(f.load(current(), 'i16'), 1)}, {n}")
        f.store(who, current(), "i16")
        self._if_responder(node, who, outer, further)
        number = len(self.entries)
        entry, after = f.label("choice"), f.label("after")
        self.entries.append(entry)
        self.after.append(after)
        if self._listed is None:
            self._listed = f.slot("i8", ACTION_LIST.itemsize)
        arguments = f"ptr {s.state}, ptr {self._listed}, i64 0, ptr null"
        count = f.get(f"call i64 @options_{number}({arguments})")
        f.branch(f.test("eq", count, 1), further, ask)
        f.place(ask)
        self._wait(number, responds=True)
        self._chosen(choice, number, entry, after)
        passed = self._paths(number)[-1].kind
        reacted = f.label("reacted")
        chosen = f.both("%action", (1 << KIND_BITS) - 1)
        f.branch(f.test("eq", chosen, passed), further, reacted)
        f.place(reacted)
        for item in node.items[1:]:
            self._item(item)
        f.jump(leave)
        f.place(further)
        asked, began = f.load(current(), "i16"), f.load(current(outer), "i16")
        f.branch(f.test("eq", asked, began), leave, following)
        f.place(leave)
        f.store(0, current(), "i16")
        f.store(-1, s.cycle(False, "queued", s.depth), "i16")
        s.depth = outer

    def _if_responder(self, node: tree.Stage, who: Value, outer: int, otherwise: str) -> None:
        """Emits a jump unless a player belongs to the responders of a stage.

        The responders are evaluated with the player current to whose action they respond.
        """
        f, s = self.function, self.s
        assert node.responders is not None
        s.begin_region()
        inner, s.depth = s.depth, outer
        s.span = node.responders.span
        asked, yes = ex.new_slot(s, 0), f.label("asked")

        def note(player: Value) -> None:
            same = f.get(f"zext i1 {f.test('eq', player, who)} to i64")
            f.store(f.either(f.load(asked), same), asked)

        actions.each_player(s, node.responders, note)
        s.depth = inner
        f.branch(f.test("ne", f.load(asked), 0), yes, otherwise)
        f.place(yes)

    def _end(self, node: tree.Stage, leave: str) -> None:
        """Emits code that leaves a stage if its end condition holds.

        For ``ending_stage`` it also stores in the phase which alternative of the end holds.
        """
        f, s = self.function, self.s
        s.span = node.end.span
        is_last = node is self._last_stage
        for condition in alternatives(node.end) if is_last else [node.end]:
            holds, go = f.label("end") if is_last else leave, f.label("go")
            f.branch(ex.condition(s, condition), holds, go)
            if is_last:
                f.place(holds)
                f.store(self._choices + len(self.endings), f.at(s.state, PHASE_AT), "i32")
                self.endings.append(condition)
                f.jump(leave)
            f.place(go)

    def _round(self, node: tree.Stage) -> None:
        """Emits a round of a simultaneous stage: all players commit, then all actions execute."""
        f, s, n = self.function, self.s, self.places.players
        choice = node.items[0]
        assert isinstance(choice, tree.Choice)
        number = len(self.entries)
        ask, committed, done = f.label("ask"), f.label("committed"), f.label("done")
        self.entries.append(committed)
        self.after.append(committed)
        began_at = f.at(s.state, FIRST_PLAYER_AT)
        f.store(s.current_player(), began_at, "i32")
        f.place(ask)
        self._wait(number)
        f.place(committed)
        self._commit(s.current_player())
        after = self._next_in_round()
        began = f.load(f.at(s.state, FIRST_PLAYER_AT), "i32")
        execute, turn = f.label("execute"), f.label("turn")
        player = f.slot()
        f.branch(f.test("eq", after, began), execute, ask)
        f.place(execute)
        room = self._room_for_picks(number, n)

        def picks_of(player: Value) -> Value | None:
            return (
                None if room is None else f.at(room, f.mul(player, 8 * self._picks_size(number)))
            )

        def resolve(turn: Value) -> None:
            who = f.get(f"urem i64 {f.add(began, turn)}, {n}")
            f.store(who, s.cycle(False, "current", s.depth), "i16")
            picks = picks_of(who)
            if picks is not None:
                made = f.load(commitment(s, who))
                self._recall(choice, number, made, picks, f.sub(n, turn))
            self._resolve_by_place(who, number, picks)

        loops.count_up(s, "0", str(n), resolve)
        f.store(began, player)
        f.place(turn)
        acting = f.load(player)
        f.store(acting, s.cycle(False, "current", s.depth), "i16")
        action = self._release(acting)
        f.store(f.get(f"lshr i64 {action}, {KIND_BITS}"), s.operands or "")
        kind = f.both(action, (1 << KIND_BITS) - 1)
        self._clauses(choice, number, kind, done, picks_of(acting))
        f.place(done)
        for item in node.items[1:]:
            self._item(item)
        began = f.load(f.at(s.state, FIRST_PLAYER_AT), "i32")
        following = f.get(f"urem i64 {f.add(f.load(player), 1)}, {n}")
        f.store(following, player)
        over = f.label("over")
        f.branch(f.test("eq", following, began), over, turn)
        f.place(over)
        f.store(0, f.at(s.state, FIRST_PLAYER_AT), "i32")

    def _next_in_round(self) -> Value:
        """Emits code that makes the next player current; returns that player."""
        f, s = self.function, self.s
        current = s.cycle(False, "current", s.depth)
        after = f.get(f"urem i64 {f.add(f.load(current, 'i16'), 1)}, {self.places.players}")
        f.store(after, current, "i16")
        return after

    def _commit(self, player: Value) -> None:
        """Emits code that stores the action as a player's commitment."""
        f, places = self.function, self.places
        address = commitment(self.s, player)
        f.store("%action", address)
        f.store(4, f.at(address, places.commitment_field["length"]), "i16")

    def _resolve_by_place(self, player: Value, choice: int, picks: Value | None) -> None:
        """Emits code that replaces picks of hidden cards by the cards at these places.

        This happens before the actions of the round, which could put other cards there.
        """
        f, s = self.function, self.s
        address = commitment(s, player)
        action = f.load(address)
        kind = f.both(action, (1 << KIND_BITS) - 1)
        end = f.label("settled")
        paths = self._paths(choice)
        with_digests = {path.clause for path in paths if not path.packed}
        affected = [path for path in paths if any(map(self._by_place, path.forks))]
        labels = [f.label("path") for _ in affected]
        cases = [(path.kind, label) for path, label in zip(affected, labels, strict=True)]
        f.switch(kind, cases, end)
        for path, label in zip(affected, labels, strict=True):
            f.place(label)
            if picks is not None and path.clause in with_digests:
                self._resolve_reported(path, picks)
                f.jump(end)
                continue
            settled, bits = action, KIND_BITS
            for fork in path.forks:
                assert fork.bits is not None
                if self._by_place(fork):
                    mask = (1 << fork.bits) - 1
                    operand = f.both(f.get(f"lshr i64 {action}, {bits}"), mask)
                    card = actions.card_of_operand(s, fork, operand, fork.binding.span)
                    remaining = f.both(settled, ~(mask << bits))
                    settled = f.either(remaining, f.shift(card, bits))
                bits += fork.bits
            f.store(settled, address)
            f.jump(end)
        f.place(end)

    def _resolve_reported(self, path: Path, numbers: Value) -> None:
        """Emits code that resolves picks of hidden cards that do not fit into an action."""
        f, s = self.function, self.s
        picks = PickNumbers(numbers, f.slot())
        f.store(0, picks.read)

        def resolve(fork: PickPoint, _: Value) -> None:
            token = actions.read_pick(s, picks, fork.binding.span)
            card = actions.card_of_operand(s, fork, token, fork.binding.span)
            f.store(card, f.at(numbers, f.shift(f.load(picks.read), 3)))

        for fork in path.forks:
            if fork.binding.type is Type.CARDS:
                size = actions.read_pick(s, picks, fork.binding.span)
                if self._by_place(fork):
                    loops.count_up(s, "0", size, functools.partial(resolve, fork))
                else:
                    f.increase(picks.read, size)
            elif self._by_place(fork):
                resolve(fork, "0")
            else:
                f.increase(picks.read)

    def _by_place(self, fork: PickPoint) -> bool:
        """Whether a pick may be a place whose card can be resolved before the option begins."""
        late = any(node.binding is fork.binding for node in self.module.late_forks)
        return fork.hidden and not late

    def _release(self, player: Value) -> Value:
        """Emits code that clears a player's commitment; returns the action."""
        f, places = self.function, self.places
        address = commitment(self.s, player)
        action = f.load(address)
        f.store(0, address)
        f.store(0, f.at(address, places.commitment_field["length"]), "i16")
        return action

    # -- the end ---------------------------------------------------------------------------

    def _finish(self) -> None:
        """Emits code that stores the scores and ends the game."""
        f, s, places = self.function, self.s, self.places
        actions.store_scores(s)
        status = f.load(f.at(s.state, STATUS_AT), "i32")
        end, broken = f.label("end"), f.label("broken")
        f.branch(f.test("eq", status, int(Status.PLAYING)), end, broken)
        f.place(end)
        lowest = "0" if places.program.highest_wins else "1"
        s.call("finish", s.state, lowest)
        f.place(broken)
        f.leave()


def commitment(s: Scope, player: Value) -> Value:
    """The address of a player's commitment in a simultaneous stage."""
    f, places = s.function, s.places
    offset = f.add(places.offset["commitment"], f.mul(player, places.commitment_size))
    return f.at(s.state, offset)


# --- functions of the contract ------------------------------------------------------------


def exports(module: Module, choices: int) -> Iterator[Function]:
    """The functions of a module that Kibitz calls."""
    setup = Function("setup", "void", [("i64", "%context"), ("i64", "%at")], exported=True)
    _to_pointer(setup, "%state", "%at")
    setup.do(f"call void @play(ptr %state, i64 {START})")
    setup.leave()
    yield setup
    apply_action = Function(
        "apply_action",
        "void",
        [("i64", "%context"), ("i64", "%at"), ("i64", "%action")],
        exported=True,
    )
    _to_pointer(apply_action, "%state", "%at")
    apply_action.do("call void @play(ptr %state, i64 %action)")
    apply_action.leave()
    yield apply_action
    yield _legal_actions(choices)
    yield _picks(choices)
    yield _heuristic(module)
    yield _score_so_far()
    if module.places.samples:
        yield _redeterminize(module)
    if module.places.fact_places:
        yield _is_consistent(module)


def trace() -> Function:
    """The function ``trace`` of a traced module."""
    arguments = [("i64", "%context"), ("i64", "%at"), ("i64", "%action"), ("i64", "%out")]
    f = Function("trace", "void", arguments, exported=True)
    _to_pointer(f, "%state", "%at")
    _to_pointer(f, "%log", "%out")
    f.do("call void @play(ptr %state, i64 %action, ptr %log)")
    f.leave()
    return f


def _to_pointer(f: Function, name: Value, number: Value) -> None:
    f.do(f"{name} = inttoptr i64 {number} to ptr")


def _options(f: Function, choices: int, asked: Value, picks: Value) -> Value:
    """The number of options of the current choice, which the code also lists."""
    count = f.slot()
    end = f.label("end")
    f.store(0, count)
    labels = [f.label("choice") for _ in range(choices)]
    phase = f.load(f.at("%state", PHASE_AT), "i32")
    f.switch(phase, list(enumerate(labels)), end)
    for i, label in enumerate(labels):
        f.place(label)
        arguments = f"ptr %state, ptr %actions, i64 {asked}, ptr {picks}"
        f.store(f.get(f"call i64 @options_{i}({arguments})"), count)
        f.jump(end)
    f.place(end)
    return f.load(count)


def _legal_actions(choices: int) -> Function:
    arguments = [("i64", "%context"), ("i64", "%at"), ("i64", "%list")]
    f = Function("legal_actions", "i64", arguments, exported=True)
    _to_pointer(f, "%state", "%at")
    _to_pointer(f, "%actions", "%list")
    count = _options(f, choices, "0", "null")
    f.store(count, "%actions")
    f.leave(f"i64 {count}")
    return f


def _picks(choices: int) -> Function:
    arguments = [("i64", "%context"), ("i64", "%at"), ("i64", "%action"), ("i64", "%out")]
    f = Function("picks", "i64", arguments, exported=True)
    _to_pointer(f, "%state", "%at")
    _to_pointer(f, "%picks", "%out")
    room = f.slot("i8", ACTION_LIST.itemsize)
    f.do(f"%actions = getelementptr i8, ptr {room}, i64 0")
    f.leave(f"i64 {_options(f, choices, '%action', '%picks')}")
    return f


def _heuristic(module: Module) -> Function:
    """The function ``heuristic``: the lead over the best opponent, scaled to -1 .. 1.

    Without an opponent it is the score, scaled likewise.
    """
    arguments = [("i64", "%context"), ("i64", "%at"), ("i64", "%player")]
    f = Function("heuristic", "double", arguments, exported=True)
    _to_pointer(f, "%state", "%at")
    restore = _without_trace(f)
    highest = module.places.program.highest_wins
    together = has_common_score(module.places.program)
    is_partner = _partners(module, f) if any(module.places.assignments) else None
    own, best = f.slot(), f.slot()
    f.store(-(1 << 40), best)
    f.store(0, own)
    for player in range(module.places.players):
        score = f.get(f"call i64 @score(ptr %state, i64 {player})")
        if not highest:
            score = f.sub("0", score)
        mine = f.test("eq", "%player", player)
        f.store(f.choose(mine, score, f.load(own)), own)
        ours = mine
        if together:
            ours = "true"
        elif is_partner:
            ours = f.get(f"or i1 {mine}, {is_partner(player)}")
        old = f.load(best)
        better = f.choose(f.test("sgt", score, old), score, old)
        f.store(f.choose(ours, old, better), best)
    failed = restore()
    alone = f.test("sle", f.load(best), -(1 << 40))
    lead = f.sub(f.load(own), f.choose(alone, 0, f.load(best)))
    lead = f.choose(failed, 0, lead)
    size = f.choose(f.test("slt", lead, 0), f.sub("0", lead), lead)
    top = f.get(f"sitofp i64 {lead} to double")
    bottom = f.get(f"sitofp i64 {f.add(size, 1)} to double")
    f.leave(f"double {f.get(f'fdiv double {top}, {bottom}')}")
    return f


def _partners(module: Module, f: Function) -> Callable[[int], Value]:
    """A function that emits the test of whether a player is now in the team of ``%player``."""
    s = Scope(module, f)
    team = ex.team_number(s, "%player")
    belongs = f.test("sge", team, 0)

    def is_partner(player: int) -> Value:
        same = f.test("eq", ex.team_number(s, str(player)), team)
        return f.get(f"and i1 {belongs}, {same}")

    return is_partner


def _score_so_far() -> Function:
    """The function ``score_so_far``: the current score of a player, or 0 if scoring fails."""
    arguments = [("i64", "%context"), ("i64", "%at"), ("i64", "%player")]
    f = Function("score_so_far", "double", arguments, exported=True)
    _to_pointer(f, "%state", "%at")
    restore = _without_trace(f)
    score = f.get("call i64 @score(ptr %state, i64 %player)")
    score = f.choose(restore(), 0, score)
    f.leave(f"double {f.get(f'sitofp i64 {score} to double')}")
    return f


def _without_trace(f: Function) -> Callable[[], Value]:
    """Emits code that saves the status, the phase and the state's chance before scoring.

    Returns:
        A function that emits code to restore them; it returns whether the scoring has failed.
    """
    size = CHANCE.stop
    saved = f.slot("i8", size)
    f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {saved}, ptr %state, i64 {size}, i1 false)")
    status_at, phase_at = f.at("%state", STATUS_AT), f.at("%state", PHASE_AT)
    status, phase = f.load(status_at, "i32"), f.load(phase_at, "i32")

    def restore() -> Value:
        failed = f.test("ne", f.load(status_at, "i32"), status)
        f.store(status, status_at, "i32")
        f.store(phase, phase_at, "i32")
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr %state, ptr {saved}, i64 {size}, i1 false)")
        return failed

    return restore


def _redeterminize(module: Module) -> Function:
    """The function ``redeterminize``: it deals by what all know, and samples commitments."""
    arguments = [("i64", "%context"), ("i64", "%at"), ("i64", "%observer")]
    f = Function("redeterminize", "void", arguments, exported=True)
    _to_pointer(f, "%state", "%at")
    s = Scope(module, f)
    if module.places.fact_places:
        described = f.number_of(conclusions.specification(module))
        s.call("deal_to_fit", s.state, "%observer", described)
    if module.places.simultaneous:
        _sample_commitments(s)
    f.leave()
    return f


def _is_consistent(module: Module) -> Function:
    """The function ``is_consistent``: whether the cards lie as all know."""
    arguments = [("i64", "%context"), ("i64", "%at"), ("i64", "%player")]
    f = Function("is_consistent", "i64", arguments, exported=True)
    _to_pointer(f, "%state", "%at")
    described = f.number_of(conclusions.specification(module))
    f.leave(f"i64 {Scope(module, f).call('fits_facts', '%state', described)}")
    return f


def _sample_commitments(s: Scope) -> None:
    """Emits code that samples the commitments of the opponents of ``%observer``."""
    f, places = s.function, s.places
    room = f.slot("i8", ACTION_LIST.itemsize)
    f.do(f"%actions = getelementptr i8, ptr {room}, i64 0")
    rounds = [
        (number, depth)
        for number, (_, depth, _, simultaneous) in enumerate(choices_with_depth(places.program))
        if simultaneous
    ]
    phase = f.load(f.at("%state", PHASE_AT), "i32")
    for number, depth in rounds:
        reached, on = f.label("here"), f.label("on")
        f.branch(f.test("eq", phase, number), reached, on)
        f.place(reached)
        current = s.cycle(False, "current", depth)
        was = f.load(current, "i16")
        tick_at = f.at("%state", TICK_AT)
        tick = f.load(tick_at, "i32")

        def redraw(
            player: Value,
            number: int = number,
            current: Value = current,
            was: Value = was,
            tick_at: Value = tick_at,
            tick: Value = tick,
        ) -> None:
            address = commitment(s, player)
            made = f.load(f.at(address, places.commitment_field["length"]), "i16")
            other = f.test("ne", player, "%observer")
            draw, skip, nonempty = f.label("draw"), f.label("next"), f.label("some")
            redraws = f.get(f"and i1 {other}, {f.test('ne', made, 0)}")
            f.branch(redraws, draw, skip)
            f.place(draw)
            f.store(player, current, "i16")
            f.store(0, address)
            # random numbers in options depend on the number of actions played before the choice
            since = f.get(
                f"urem i64 {f.add(f.sub(was, player), places.players)}, {places.players}"
            )
            f.store(f.sub(tick, since), tick_at, "i32")
            count = f.get(f"call i64 @options_{number}(ptr %state, ptr %actions, i64 0, ptr null)")
            f.store(tick, tick_at, "i32")
            f.branch(f.test("sgt", count, 0), nonempty, skip)
            f.place(nonempty)
            index = s.call("draw_below", s.state, count)
            action = f.load(f.at(f.at("%actions", 16), f.shift(index, 3)))
            f.store(action, address)
            f.place(skip)

        loops.count_up(s, "0", str(places.players), redraw)
        f.store(was, current, "i16")
        f.place(on)
