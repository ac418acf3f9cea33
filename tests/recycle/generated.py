"""Generates small random programs that are valid and end, as texts.

A ``Writer`` makes one from a source of choices; ``programs`` is the strategy for hypothesis,
``program_of`` the program of a seed, for long runs without it. The programs use most of the
language, and are careful where they would nearly always break off: what may be empty is mostly
asked for its size first, numbers stay small, and every stage has a counter.

They leave to the engine what the definition leaves open: no two parts of one action draw random
numbers, and what a fork goes through is no matter of chance.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from hypothesis import strategies as st

Pick = Callable[[int], int]
"""Gives a number from 0, less than the one it is given."""

RANKS = ("A", "B", "C", "D")
SUITS = ("X", "Y")
GAME_PILES = ("vloc OPEN", "vloc TABLE", "iloc STOCK", "hloc DARK", "oloc BACK")
PLAYER_PILES = ("iloc HAND", "vloc SHOW", "hloc DEEP", "oloc BRIM")
OPERAND_BITS = 55
"""Bits of an action that hold operands; the picks of an option have to fit."""
FORK_BITS = {"card": 22, "set": 33, "int": 22}


class Writer:
    """Writes one program."""

    def __init__(self, pick: Pick) -> None:
        self.pick = pick
        self.budget = 0
        """Approximate number of forms that may still be added to the current item."""
        self.scope: dict[str, list[str]] = {}
        """The variables of each type."""
        self.names = 0
        self.counters = 0
        self.in_choice = False
        self.bits = 0
        """Bits that are left for the picks of this clause; 0 allows no forks."""
        self.players = 2 + pick(3)
        self.uses_c = self.chance(4)
        """Whether the additions of dialect C may be used."""
        self.has_teams = self.chance(3)
        self.eliminates = self.chance(5)
        """Whether players can be eliminated; then no stage is simultaneous."""

    # -- choosing --------------------------------------------------------------------------

    def chance(self, n: int) -> bool:
        """True with probability 1 in `n`."""
        return self.pick(n) == n - 1

    def one(self, *choices: str) -> str:
        return choices[self.pick(len(choices))]

    def of(self, *writers: Callable[[], str]) -> str:
        """The text of a random writer; of the first one when the program is long enough."""
        self.budget -= 1
        return writers[self.pick(len(writers)) if self.budget > 0 else 0]()

    @contextmanager
    def variable(self, kind: str) -> Iterator[str]:
        """A new variable in scope."""
        self.names += 1
        name = f"'{kind[0].upper()}{self.names}"
        self.scope.setdefault(kind, []).append(name)
        yield name
        self.scope[kind].remove(name)

    def element(self, kind: str) -> AbstractContextManager[str]:
        """A new variable for what is in a collection."""
        return self.variable("cards" if kind == "set" else kind)

    def known(self, kind: str) -> str | None:
        """A variable of that type, if there is one and chance wants it."""
        names = self.scope.get(kind, [])
        return names[self.pick(len(names))] if names and self.pick(3) else None

    # -- owners, names, numbers ------------------------------------------------------------

    def player(self) -> str:
        if name := self.known("player"):
            return name
        return self.one(
            "(current player)",
            "(next player)",
            "(previous player)",
            f"({self.pick(self.players)} player)",
        )

    def team(self) -> str:
        return self.known("team") or self.one(
            "(current team)", "(next team)", f"(team {self.player()})", "(0 team)"
        )

    def text(self) -> str:
        if name := self.known("name"):
            return name
        if (card := self.known("card")) and self.pick(2):
            return f"(cardatt {self.one('RANK', 'SUIT', 'COLOR')} {card})"
        if self.chance(8):
            return f"(cardatt RANK (top {self.pile()}))"
        return self.one("(game str W)", f"({self.player()} str V)", *RANKS, *SUITS)

    def pile(self) -> str:
        if name := self.known("pile"):
            return name
        if self.chance(12):
            return f"(game vloc {self.text_of_rank()})"
        if self.uses_c and self.chance(5):
            index = self.one("0", "1", "2", f"(% (size {self.pile()}) 3)")
            return f"(game vloc ROW {index})"
        if self.pick(2):
            return f"(game {self.one(*GAME_PILES)})"
        return f"({self.player()} {self.one(*PLAYER_PILES)})"

    def text_of_rank(self) -> str:
        card = self.known("card")
        return f"(cardatt RANK {card})" if card else self.one(*RANKS)

    def points(self) -> str:
        return self.one("(game points P)", "(game points Q)", f"({self.player()} points R)")

    def number(self) -> str:
        return self.of(
            lambda: self.known("int") or str(self.pick(5)),
            lambda: self.one("(game sto X)", "(game sto Y)"),
            lambda: f"({self.player()} sto N)",
            lambda: f"({self.team()} sto T)",
            lambda: f"(size {self.collection()})",
            lambda: f"(sum {self.cards()} using {self.points()})",
            lambda: self.score(),
            lambda: f"({self.one('+', '-')} {self.number()} {self.number()})",
            lambda: f"(* {self.number()} {self.pick(4)})",
            lambda: f"({self.one('//', '%')} {self.number()} {self.one('2', '3', '(- 0 2)')})",
            lambda: f"({self.one('tri', 'fib')} (% {self.number()} 7))",
            lambda: f"(^ {self.pick(4)} {self.pick(4)})",
            self.total,
            lambda: f"((% (size {self.pile()}) 3) (4, 0, 2))",
            lambda: f"(pid {self.player()})" if self.uses_c else str(self.pick(3)),
        )

    def small(self) -> str:
        """A number that does not grow when it is set from itself."""
        return f"(% {self.number()} 9)" if self.pick(2) else str(self.pick(4))

    def drawn(self) -> str:
        """A number that may be a matter of chance."""
        return f"(random {self.pick(3)} .. {3 + self.pick(4)})" if self.chance(4) else self.small()

    def score(self) -> str:
        card = self.known("card")
        if card:
            return f"(score {card} using {self.points()})"
        return f"(sum (top 1 {self.pile()}) using {self.points()})"

    def total(self) -> str:
        with self.variable("player") as name:
            return f"(all {self.one('player', '(other player)')} {name} {self.number()})"

    # -- conditions ------------------------------------------------------------------------

    def condition(self) -> str:
        return self.of(
            lambda: f"({self.compare()} (size {self.pile()}) {self.pick(4)})",
            lambda: f"({self.compare()} {self.number()} {self.number()})",
            lambda: f"({self.equal()} {self.text()} {self.text()})",
            lambda: f"({self.equal()} {self.player()} {self.player()})",
            lambda: f"({self.equal()} (team {self.player()}) {self.team()})",
            self.same_cards,
            lambda: f"(not {self.condition()})",
            lambda: f"({self.one('and', 'or')} {self.condition()} {self.condition()})",
            self.quantified,
        )

    def compare(self) -> str:
        return self.one(">", "<", "==", "!=", ">=", "<=")

    def equal(self) -> str:
        return self.one("==", "!=")

    def same_cards(self) -> str:
        first, second = self.known("card"), self.known("card")
        if first and second:
            return f"({self.equal()} {first} {second})"
        pile = self.pile()
        return f"(and (> (size {pile}) 1) ({self.equal()} (top {pile}) (0 {pile})))"

    def quantified(self) -> str:
        word = self.one("any", "all")
        kind, collection = self.elements()
        with self.element(kind) as name:
            return f"({word} {collection} {name} {self.condition()})"

    # -- collections -----------------------------------------------------------------------

    def elements(self) -> tuple[str, str]:
        """A collection, and the type of what is in it."""
        kind = self.one("card", "card", "card", "player", "int", "name", "set", "pile", "team")
        return kind, self.collection_of(kind)

    def collection(self) -> str:
        return self.elements()[1]

    def collection_of(self, kind: str) -> str:
        if kind != "card" and (name := self.known(kind + "s")):
            return name
        match kind:
            case "card":
                return self.cards()
            case "player":
                return self.player_list()
            case "team":
                return self.one("team", "(other team)")
            case "int":
                low = self.pick(3)
                high = f"(% {self.number()} 4)" if self.chance(3) else str(low + self.pick(3))
                return f"(range {low} .. {high})"
            case "name":
                return self.one("(A, B, C)", "(X, Y)", "(D, A)")
            case "pile":
                return self.pile_list()
        return self.sets()

    def player_list(self) -> str:
        if self.chance(5) and self.budget > 0:
            with self.variable("player") as name:
                return f"(filter player {name} {self.condition()})"
        return self.one("player", "player", "(other player)", f"(team {self.player()})")

    def pile_list(self) -> str:
        if self.uses_c and self.chance(3):
            return "(indexed game vloc ROW)"
        with self.variable("player") as name:
            players = self.one("player", "(other player)")
            return f"(all {players} {name} ({name} {self.one(*PLAYER_PILES)}))"

    def cards(self) -> str:
        return self.of(
            lambda: self.known("cards") or self.pile(),
            self.pile,
            self.filtered,
            lambda: f"(union {self.cards()} {self.cards()})",
            lambda: f"(union {self.pile_list()})",
            lambda: f"({self.one('intersect', 'disjunction')} {self.cards()} {self.cards()})",
            lambda: f"(sort {self.cards()} using {self.points()})",
            lambda: f"({self.end()} {self.one('1', '2', '3')} {self.cards()})",
            lambda: (
                f"(run {self.end()} {self.one('1', '2')} {self.cards()} using {self.points()})"
            ),
        )

    def filtered(self) -> str:
        cards = self.cards()
        with self.variable("card") as name:
            return f"(filter {cards} {name} {self.condition()})"

    def end(self) -> str:
        return self.one("top", "bottom")

    def few(self) -> str:
        """Few enough cards for all their subsets; without doubles."""
        return f"({self.end()} {self.one('2', '3')} {self.known('cards') or self.pile()})"

    def sets(self) -> str:
        return self.of(
            lambda: f"(partition {self.one('RANK', 'SUIT', 'COLOR')} {self.cards()})",
            lambda: f"(subsets {self.few()})",
            lambda: f"(tuples 2 {self.cards()} using {self.points()})",
            lambda: (
                f"(runs {self.one('largest', 'all')} {self.one('1', '2')} {self.few()}"
                f" using {self.points()})"
            ),
            self.filtered_sets,
        )

    def filtered_sets(self) -> str:
        sets = self.sets()
        with self.variable("cards") as name:
            return f"(filter {sets} {name} ({self.compare()} (size {name}) {self.pick(3)}))"

    # -- actions ---------------------------------------------------------------------------

    def target(self) -> str:
        pile = self.one(
            f"(game {self.one(*GAME_PILES)})", f"({self.player()} {self.one(*PLAYER_PILES)})"
        )
        if self.chance(6):
            pile = self.pile() if not self.scope.get("pile") else self.scope["pile"][-1]
        return f"({self.one('top', 'top', 'bottom', '0')} {pile})"

    def guarded(self, pile: str, action: str, least: int = 0) -> str:
        """An action on a pile that has to have cards, which is mostly made sure of."""
        return action if self.chance(16) else f"((> (size {pile}) {least}) {action})"

    def action(self) -> str:
        return self.of(
            lambda: f"(inc (game sto X) {self.drawn()})",
            self.move,
            self.move,
            self.move,
            self.move_card,
            lambda: f"(shuffle {self.pile()})",
            lambda: f"(shuffle faro {self.pile()})",
            lambda: f"(repeat all (move ({self.end()} {self.pile()}) {self.target()}))",
            lambda: f"(set {self.one('(game sto Y)', f'({self.player()} sto N)')} {self.drawn()})",
            lambda: f"({self.one('inc', 'dec')} ({self.player()} sto N) {self.drawn()})",
            lambda: f"(set ({self.team()} sto T) {self.small()})",
            lambda: f"(set {self.one('(game str W)', f'({self.player()} str V)')} {self.text()})",
            self.set_points,
            self.cycle,
            self.remember,
            self.swap,
            self.reveal,
            self.tell,
            lambda: "(turn pass)",
            self.make_teams,
            self.outcome,
        )

    def outcome(self) -> str:
        """A result that ends the game, which is rare, or the elimination of a player."""
        if self.eliminates and self.pick(2):
            return f"(eliminate {self.one(self.player(), '(next player)')})"
        if self.pick(4):
            return "(turn pass)"
        return f"({self.one('win', 'lose')} {self.one('all', self.player(), '(other player)')})"

    def move(self) -> str:
        pile = self.pile()
        card = self.one(
            f"(top {pile})",
            f"(top {pile})",
            f"(bottom {pile})",
            f"(0 {pile})",
            f"({self.one('max', 'min')} {pile} using {self.points()})",
        )
        return self.guarded(pile, f"(move {card} {self.target()})")

    def move_card(self) -> str:
        if card := self.known("card"):
            return f"(move {card} {self.target()})"
        if cards := self.known("cards"):
            return f"((> (size {cards}) 0) (move ({self.end()} {cards}) {self.target()}))"
        return self.move()

    def set_points(self) -> str:
        awards = []
        for _ in range(1 + self.pick(4)):
            conditions = f"(RANK : {self.one(*RANKS, '(game str W)')})"
            if self.chance(3):
                conditions += f" (SUIT : {self.one(*SUITS)})"
            points = self.small() if self.chance(3) else str(self.pick(5))
            awards.append(f"({conditions} {points})")
        return f"(set {self.points()} ({' '.join(awards)}))"

    def cycle(self) -> str:
        who = self.one("current", "next", "previous", self.player())
        return f"(cycle {self.one('next', 'current')} {who})"

    def remember(self) -> str:
        if self.chance(3):
            return "(forget (top (game mem M)))"
        pile = self.pile()
        return (
            f"((and (> (size {pile}) 0) (< (size (game mem M)) 2))"
            f" (remember (top {pile}) ({self.end()} (game mem M))))"
        )

    def swap(self) -> str:
        if not self.uses_c:
            return self.move()
        first, second = self.pile(), self.pile()
        if self.pick(2):
            return f"(swap {first} {second})"
        return (
            f"((and (> (size {first}) 0) (> (size {second}) 0))"
            f" (swap (top {first}) (bottom {second})))"
        )

    def reveal(self) -> str:
        pile = self.pile()
        return self.guarded(pile, f"(reveal (top {pile}){self.one('', ' ' + self.player())})")

    def tell(self) -> str:
        pile = self.pile()
        if self.pick(2):
            return self.guarded(pile, f"(tell {self.one('RANK', 'SUIT')} (top {pile}))")
        test = self.one(
            f"(== (cardatt RANK 'T) {self.one(*RANKS, '(game str W)')})",
            f"(> (score 'T using {self.points()}) 2)",
        )
        return f"(tell {pile} 'T {test})"

    def make_teams(self) -> str:
        if not self.has_teams:
            return "(turn pass)"
        return f"(create teams {self.team_lists()})"

    def team_lists(self) -> str:
        """Always as many teams as there are at the start."""
        seats = list(range(self.players))
        shift = self.pick(self.players)
        seats = seats[shift:] + seats[:shift]
        return f"({', '.join(map(str, seats[:-1]))}) ({seats[-1]})"

    # -- statements ------------------------------------------------------------------------

    def statement(self) -> str:
        return self.of(
            self.action,
            self.action,
            self.action,
            lambda: f"(do ({self.statement()} {self.statement()}))",
            lambda: f"({self.condition()} {self.statement()})",
            self.loop,
            self.let,
            self.repeat,
            self.fork,
        )

    @contextmanager
    def in_loop(self, times: int | None) -> Iterator[None]:
        """Forks are possible only in short loops, and each of them is as many."""
        before = self.bits
        self.bits = 0 if times is None else before // times
        least = self.bits
        yield
        self.bits = before - (times or 0) * (least - self.bits)

    def repeat(self) -> str:
        times = self.pick(3)
        with self.in_loop(times or None):
            text = f"(repeat {times} {self.statement()})"
        if self.in_choice or self.pick(2):
            return text
        return f"(repeat {self.drawn()} {self.statement()})"

    def loop(self) -> str:
        everybody = {} if self.eliminates else {"player": self.players}
        short = {**everybody, "(X, Y)": 2, "(D, A)": 2, "(range 0 .. 1)": 2}
        kind, collection = self.elements()
        word = "all" if self.in_choice else self.one("all", "all", "any")
        with self.element(kind) as name, self.in_loop(short.get(collection)):
            return f"({word} {collection} {name} {self.statement()})"

    def fork(self) -> str:
        kind, collection = self.elements()
        bits = FORK_BITS.get(kind, 11)
        if bits > self.bits:
            return self.loop() if self.pick(2) else self.action()
        self.bits -= bits
        with self.element(kind) as name:
            return f"(any {collection} {name} {self.statement()})"

    def let(self) -> str:
        kind = self.one("int", "name", "player", "cards", "card", "players", "sets", "piles")
        with_guard = ""
        match kind:
            case "int":
                value = self.number()
            case "name":
                value = self.text()
            case "player":
                value = self.player()
            case "cards":
                value = self.cards()
            case "players" | "sets" | "piles":
                value = self.collection_of(kind[:-1])
            case _:
                pile = self.pile()
                value = f"(top {pile})"
                with_guard = f"(> (size {pile}) 0)"
        with self.variable(kind) as name:
            text = f"(let {value} {name} {self.statement()})"
        return f"({with_guard} {text})" if with_guard else text

    # -- items -----------------------------------------------------------------------------

    def block(self, *first: str) -> str:
        self.budget = 40
        steps = [*first, *(self.statement() for _ in range(1 + self.pick(3)))]
        return f"(do ({' '.join(steps)}))"

    def choice(self) -> str:
        self.in_choice = True
        clauses = []
        for _ in range(1 + self.pick(3)):
            self.budget, self.bits = 30, OPERAND_BITS
            clauses.append(self.fork() if self.pick(2) else self.statement())
        self.in_choice, self.bits = False, 0
        if self.pick(12):
            clauses.append("(turn pass)")
        return f"(choice ({' '.join(clauses)}))"

    def stage(self, depth: int) -> str:
        self.counters += 1
        self.budget = 10
        counter = f"(game sto COUNT{self.counters})"
        end = f"(>= {counter} {2 + self.pick(5)})"
        if self.chance(8):
            end = f"(or {end} {self.condition()})"
        count = f"(inc {counter} 1)"
        kind = self.one("player", "player", "player", "team")
        items = [self.block(count), self.choice()]
        if kind == "player" and not self.eliminates and self.chance(5):
            kind = "player simultaneous"
            items = [self.choice(), self.block(count)]
        elif depth > 0 and self.chance(2):
            again = f"(do ((set (game sto COUNT{self.counters + 1}) 0)))"
            items += [again if self.pick(2) else "", self.stage(depth - 1)]
        if "simultaneous" not in kind and depth == 0 and self.chance(3):
            items.append(self.respond())
        if self.chance(3):
            items.append(self.block())
        return f"(stage {kind} (end {end}) {' '.join(items)})"

    def respond(self) -> str:
        """A question to players whether they react."""
        players = self.one("(other player)", "player", "(next player)", self.player())
        clauses = self.choice().removeprefix("(choice ").removesuffix(")")
        return f"(respond {players} {clauses} {self.block() if self.pick(2) else ''})"

    def program(self) -> str:
        """The whole text."""
        ranks = ", ".join(RANKS[: 2 + self.pick(3)])
        suits = self.one(
            f"(SUIT ({', '.join(SUITS)}))",
            "(COLOR (RED (SUIT (X))) (BLACK (SUIT (Y))))",
            "(SUIT (X))",
        )
        place = self.one("(game iloc STOCK)", "(game vloc OPEN)", "(game hloc DARK)")
        decks = f"(create deck {place} (deck (RANK ({ranks})) {suits}))"
        if self.chance(4):
            decks += " (repeat 2 (create deck BACK2 (game iloc STOCK) (deck (RANK (A)))))"
        teams = f"(create teams {self.team_lists()})" if self.has_teams else ""
        deal = f"(all player 'P (repeat 2 (move (top {place}) (top ('P iloc HAND)))))"
        start = [f"(shuffle {place})"] if self.pick(3) else []
        if "A, B, C, D" in ranks and "SUIT (X))" not in suits:
            start.append(deal)
        middle = [
            self.stage(1) if self.pick(3) else self.choice() for _ in range(1 + self.pick(3))
        ]
        body = "\n ".join([self.block(self.set_points(), *start), *middle, self.block()])
        tie = f" {self.number()}" if self.chance(4) else ""
        return (
            f"(game\n (setup (create players {self.players}) {teams} {decks})\n {body}\n"
            f" (scoring {self.one('max', 'min')} {self.number()}{tie}))\n"
        )


def program_of(seed: int) -> str:
    """The program of a seed."""
    return Writer(random.Random(seed).randrange).program()


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Programs."""
    return Writer(lambda n: draw(st.integers(0, n - 1))).program()
