"""The rulebook of a game in RECYCLE: its rules in English, written from the tree.

It describes one table, with its number of players and values of parameters: conditions that are
decided there are left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from kibitz.core.wording import capitalized, counted, listed, the
from kibitz.recycle import tree
from kibitz.recycle.english import English, an
from kibitz.recycle.header import read_header
from kibitz.recycle.naming import plain
from kibitz.recycle.reading.setup import is_number, numbered_by
from kibitz.recycle.reading.wording import filled, without_marks
from kibitz.recycle.tree import Program, Type
from kibitz.syntax.rulebook import Chapter, Line, Rulebook
from kibitz.syntax.source import Span

_SEEN = {
    "vloc": "open to all",
    "iloc": "seen by its owner only",
    "hloc": "face down, seen by nobody",
    "oloc": "seen by all but its owner",
    "mem": "a note of cards that lie elsewhere, open to all",
}


def rulebook(program: Program) -> Rulebook:
    """The rules of a program in words."""
    header = read_header(program.source)
    writer = _Writer(program)
    chapters = [
        Chapter("Players", tuple(writer.players())),
        Chapter("Cards", tuple(writer.cards())),
        Chapter("Places and records", tuple(writer.places())),
        Chapter("Course of the game", tuple(writer.course())),
        Chapter("End and winner", tuple(writer.end())),
        Chapter("Variants", tuple(writer.variants())),
    ]
    kept = tuple(chapter for chapter in chapters if chapter.lines)
    return Rulebook(program.title, program.about, header.url, kept)


class _Writer:
    """The writer of the chapters of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.english = English(program)

    # --- before the game ------------------------------------------------------------------

    def players(self) -> Iterator[Line]:
        """Who plays, and with whom."""
        program = self.program
        least, most = program.least_players, program.most_players
        range_ = f"{least} to {most}" if least < most else str(least)
        noun = "player" if most == 1 else "players"
        here = f" These are the rules for {program.players}." if least < most else ""
        yield Line(0, f"The game is for {range_} {noun}.{here}")
        if program.players > 1:
            yield Line(
                0,
                "Player 1 is the first player; turns go to 1, 2, and so on, then 1 again.",
            )
        if any(isinstance(node, tree.SeatNumber) for node in tree.everything(program)):
            yield Line(0, "Seat numbers count from 0: player 1 has seat number 0.")
        if any(len(team) > 1 for team in program.teams):
            teams = (
                f"team {number + 1} is {listed([f'player {seat + 1}' for seat in team])}"
                for number, team in enumerate(program.teams)
            )
            yield Line(0, _sentence(f"There are teams: {'; '.join(teams)}"))

    def cards(self) -> Iterator[Line]:
        """The cards, by the deck that they are made of."""
        for number, deck in enumerate(self.program.decks):
            cards = [card.attributes for card in self.program.cards if card.place == number]
            if not cards:
                continue
            where = f"{counted(len(cards), 'card')} in {self.english.pile(deck)} at the start"
            yield Line(0, f"{where}: {_made_of(cards, self.english)}")

    def places(self) -> Iterator[Line]:
        """The locations and storages that the rules use."""
        nodes = list(tree.everything(self.program))
        seen: dict[str, None] = {}
        for node in nodes:
            if isinstance(node, tree.Pile | tree.Indexed):
                sort = tree.owner_sort(node.owner)
                each = {"game": "", "player": "each player's ", "team": "each team's "}[sort]
                look = _SEEN[node.kind]
                if sort == "game" and node.kind in ("iloc", "oloc"):
                    look = "face down, seen by nobody" if node.kind == "iloc" else "open to all"
                seen[f"{each or 'the '}{self._place(node)}: {look}"] = None
        for text in seen:
            yield Line(0, _sentence(text))
        stored: dict[str, None] = {}
        for node in nodes:
            if isinstance(node, tree.Stored | tree.StoredText) and isinstance(
                node.name, tree.Text
            ):
                sort = tree.owner_sort(node.owner)
                owner: tree.Owner = tree.Table(node.span)
                with self.english.named(_ANYBODY[sort], later=f"each {sort}"):
                    if sort != "game":
                        owner = tree.Variable(node.span, _ANYBODY[sort])
                    make = type(node)
                    stored[self.english.storage(make(node.span, owner, node.name))] = None
        if stored:
            kinds = "Numbers begin at 0, markers not set, and names empty."
            yield Line(0, f"Kept in mind or on paper: {listed(list(stored))}. {kinds}")

    def _place(self, node: tree.Pile | tree.Indexed) -> str:
        """The name of a location, or of a kind of locations with computed names."""
        match node.name:
            case tree.Attribute(name=tree.Text(value=attribute)):
                return f"pile for each {plain(attribute)}"
            case tree.Variable(binding=binding):
                return f"pile for each {self.english.noun(binding)}"
            case tree.Text():
                return self.english.place(node)
        return "pile for each name"

    # --- the course -----------------------------------------------------------------------

    def course(self) -> Iterator[Line]:
        """What happens, in order."""
        self.english.person = "the first player"
        yield Line(0, "“You” is always the player whose turn it is.")
        yield from self.items(self.program.items, 0)

    def items(self, items: Iterable[tree.Item], depth: int) -> Iterator[Line]:
        """The items of the game or of a stage."""
        for item in items:
            match item:
                case tree.Block(body=tree.SetPoints(target=target)) if numbered_by(target):
                    continue
                case tree.Block(body=body):
                    yield from self.steps(body, depth)
                case tree.Choice():
                    yield from self.choice(item, depth)
                case tree.Stage(responders=tree.Expression() as responders):
                    yield from self.responses(item, responders, depth)
                case tree.Stage():
                    yield from self.stage(item, depth)

    def stage(self, stage: tree.Stage, depth: int) -> Iterator[Line]:
        """A stage: how it is repeated, until when, and what happens in it."""
        english = self.english
        if english.known(stage.end) is True:
            return
        before = english.person, english.team
        first = english.team if stage.kind == "team" else english.person
        inner = any(isinstance(item, tree.Stage) for item in stage.items)
        if stage.kind == "team":
            english.team = (
                f"the {'starting ' * inner}team" if inner else "the team whose turn it is"
            )
        else:
            english.person = f"the {_STARTERS[min(self._level, 3)]}" if inner else "you"
        self._level += inner
        until = english.condition(stage.end) if english.known(stage.end) is None else ""
        end = f"until {until}" if until else "without end"
        who = english.team if stage.kind == "team" else english.person
        if stage.simultaneous:
            lead = (
                f"All players choose at the same time, and act in order, beginning with {first}."
                f" This is repeated {end}:"
            )
        elif inner:
            noun = "teams" if stage.kind == "team" else "players"
            lead = (
                f"The following is repeated {end}. The {noun} take turns at being {who},"
                f" beginning with {first}:"
            )
        else:
            noun = "Teams" if stage.kind == "team" else "Players"
            lead = f"{noun} take turns in order, beginning with {first}, {end}. In a turn:"
        if self.program.players == 1:
            lead = f"The following is repeated {end}:"
        yield Line(depth, lead)
        yield from self.items(stage.items, depth + 1)
        english.person, english.team = before
        self._level -= inner

    _level = 0

    def responses(
        self, stage: tree.Stage, responders: tree.Expression, depth: int
    ) -> Iterator[Line]:
        """A choice out of turn: who may respond, how, and what follows a response."""
        english = self.english
        items = stage.items[1:]
        who = english.value(responders)
        after = english.person
        before, english.person = after, "the responder"
        options = list(self.options(stage.responses))
        if options:
            yield Line(
                depth,
                f"These may respond, one after the other, beginning after {after}, until"
                f" somebody does (“the responder”): {who}. A response is one of these:",
            )
            for option in options:
                yield Line(depth + 1, _sentence(option))
            lines = list(self.items(items, depth + 1))
            if lines:
                yield Line(depth, "If somebody responded:")
                yield from lines
        english.person = before

    # --- steps ----------------------------------------------------------------------------

    def steps(self, step: tree.Statement, depth: int) -> Iterator[Line]:
        """A step and the steps within it, one in a line."""
        english = self.english
        match step:
            case tree.Do(steps=steps):
                for inner in steps:
                    yield from self.steps(inner, depth)
            case tree.When(condition=condition, body=body):
                if (known := english.known(condition)) is not None:
                    if known:
                        yield from self.steps(body, depth)
                    return
                yield from self._under(f"If {english.condition(condition)}", body, depth)
            case tree.Cases():
                for when in _whens(step):
                    yield from self.steps(when, depth)
            case tree.ForEach(collection=collection) if english.is_empty(collection):
                return
            case tree.ForEach(collection=collection, binding=binding, body=body):
                each = f"each {english.one_of(collection, binding)}"
                if _is_simple(body) and binding.type in (Type.CARD, Type.PLAYER, Type.TEAM):
                    with english.named(binding, first=each):
                        sentence = self.action(body)
                    if each in sentence:
                        yield Line(depth, _sentence(sentence))
                        return
                with english.named(binding):
                    name = english.words[binding][0]
                    called = "" if name.startswith("that") else f" (“{name}”)"
                    yield from self._under(f"For {each}{called}", body, depth)
            case tree.Let(value=value, binding=binding, body=body):
                shown = english.value(value)
                if isinstance(value, tree.OwnerOf) and isinstance(value.card, tree.Best):
                    name = "the holder"
                    yield Line(depth, _sentence(f"Find {shown} (“{name}”)"))
                    with english.named(binding, later=name):
                        yield from self.steps(body, depth)
                    return
                if binding.type is Type.PLAYER and _mentions(body, binding) == 1:
                    with english.named(binding, later=shown):
                        yield from self.steps(body, depth)
                    return
                name = f"“{plain(binding.name)}”"
                yield Line(depth, _sentence(f"Let {name} stand for {shown}"))
                with english.named(binding, later=name):
                    yield from self.steps(body, depth)
            case tree.Repeat(times=times) if english.constant(times) == 0:
                return
            case tree.Repeat(times=times, body=body) if not _is_simple(step):
                if english.constant(times) == 1:
                    yield from self.steps(body, depth)
                else:
                    yield Line(depth, f"Do this {_times(english, times)}:")
                    yield from self.steps(body, depth + 1)
            case tree.Fork():
                raise AssertionError("an option outside of a choice")
            case _:
                if text := self.action(step):
                    yield Line(depth, _sentence(text))

    def _under(self, lead: str, body: tree.Statement, depth: int) -> Iterator[Line]:
        """A step behind the words that say when or how often; several get lines of their own."""
        lines = list(self.steps(body, depth + 1))
        if len(lines) == 1:
            text = lines[0].text
            yield Line(depth, f"{lead}, {text[0].lower()}{text[1:]}")
        elif lines:
            yield Line(depth, f"{lead}:")
            yield from lines

    def action(self, step: tree.Statement) -> str:
        """An action, perhaps repeated, as an imperative clause."""
        english = self.english
        match step:
            case tree.Repeat(times=times, body=tree.Move() as move):
                return self._moves(times, move)
            case tree.Repeat(times=times, body=tree.Forget() as body):
                return f"{self.action(body)}, {_times(english, times)}"
            case tree.Move(card=card, pile=pile, where=where):
                also = ", if there is one" if step.lenient else ""
                return f"move {english.card(card)} to {self._where(where, pile)}{also}"
            case tree.Remember(card=card, memory=memory, where=where):
                return f"note {english.card(card)} in {self._where(where, memory)}"
            case tree.Forget(memory=memory, which=which):
                which_ = english.position(which)
                return f"strike {which_} card from {english.pile(memory)}"
            case tree.Shuffle(pile=pile, faro=faro):
                how = " by a perfect riffle of its halves" if faro else ""
                return f"shuffle {english.pile(pile)}{how}"
            case tree.Pass():
                return "pass"
            case tree.SetNumber(operator=operator, target=target, value=value):
                return self._change(operator, target, value)
            case tree.SetText(target=target, value=value):
                stored = english.value(target)
                if english.clears(target, value) and english.kept_attribute(target):
                    return f"there is no {stored.removeprefix('the ')} now"
                return f"{stored} becomes {english.name(value)}"
            case tree.SetPoints(target=target, awards=awards):
                return self._points(target, awards)
            case tree.Cycle(which=which, player=player):
                return self._cycle(which, player)
            case tree.Swap(first=first, second=second):
                return f"swap {english.value(first)} with {english.value(second)}"
            case tree.MakeTeams(teams=teams):
                shown = (listed([f"player {seat + 1}" for seat in team]) for team in teams)
                return f"the teams are now: {'; '.join(shown)}"
            case tree.Reveal(card=card, players=players):
                to = "all players" if players is None else english.value(players)
                return f"show {english.card(card)} to {to}"
            case tree.Tell(collection=collection, binding=binding, body=body):
                cards = english.plural(collection)
                with english.named(binding, later="the card"):
                    told = english.condition(body)
                return f"tell all players of which {cards} this is true: {told}"
            case tree.TellAttribute(name=name, card=card):
                return f"tell all players the {plain(english.label(name))} of {english.card(card)}"
            case tree.Eliminate(players=players):
                who = english.value(players)
                return f"{who} {_are(who)} out of the game"
            case tree.Announce(won=won, players=players):
                who = "all players" if players is None else english.value(players)
                result = "won" if won else "lost"
                return f"the game ends; {who} {'have' if _are(who) == 'are' else 'has'} {result}"
        raise AssertionError(f"no words for {type(step).__name__}")

    def _moves(self, times: tree.Expression, move: tree.Move) -> str:
        english = self.english
        match times, move.card:
            case tree.Size(collection=all), tree.CardAt(cards=cards) if tree.equivalent(
                all, cards
            ):
                whole = english.things(cards)
                whole = f"all cards of {whole}" if cards.type is Type.PILE else f"all {whole}"
                return f"move {whole} to {self._where(move.where, move.pile)}"
            case _, tree.CardAt(which="top", cards=tree.Pile() as source):
                number = english.constant(times)
                count = english.number(times) if number is None else str(number)
                noun = "card" if number == 1 else "cards"
                verb = "deal" if isinstance(source.owner, tree.Table) else "move"
                deal = f"{verb} {count} {noun} from {english.pile(source)}"
                return f"{deal} to {self._where(move.where, move.pile)}"
        once = english.constant(times) == 1
        return self.action(move) if once else f"{self.action(move)}, {_times(english, times)}"

    def _where(self, where: tree.Which, pile: tree.Expression) -> str:
        if where == "top":
            return self.english.pile(pile)
        return f"{self.english.position(where)} of {self.english.pile(pile)}"

    def _change(self, operator: str, target: tree.Stored, value: tree.Expression) -> str:
        english = self.english
        if operator != "set":
            verb, word = ("add", "to") if operator == "inc" else ("subtract", "from")
            return f"{verb} {english.number(value)} {word} {english.storage(target)}"
        if english.is_seat(target):
            return self._seat(target, value)
        if english.is_flag(target):
            return f"{'set' if english.constant(value) else 'clear'} {english.storage(target)}"
        return f"set {english.storage(target)} to {english.number(value)}"

    def _seat(self, target: tree.Stored, value: tree.Expression) -> str:
        """The change of a number that says which player is meant."""
        english = self.english
        who = english.storage(target)
        seat = english.constant(value)
        if seat is not None and seat >= self.program.players:
            return f"there is no {who.removeprefix('the ')} now"
        if seat is not None:
            return f"{who} is now player {seat + 1}"
        return f"{who} is now {english.person_at(value)}"

    def _points(self, target: tree.Points, awards: Sequence[tree.Award]) -> str:
        english = self.english
        shown = []
        for award in awards:
            conditions = (
                f"{plain(english.label(name))} {english.name(value)}"
                if isinstance(value, tree.Text) and not _is_alone(self.program, value.value)
                else english.name(value)
                for name, value in award.conditions
            )
            card = self._only_card(award)
            shown.append(f"{card or ' and '.join(conditions)} = {english.number(award.value)}")
        name = english.points(target)
        several = len({tuple(english.label(n) for n, _ in a.conditions) for a in awards}) > 1
        added = " (what applies to a card is added up)" if several else ""
        return f"the {name} of a card is{added}: {', '.join(shown)}; any other = 0"

    def _only_card(self, award: tree.Award) -> str:
        """The name of the cards that an award is for, if all have the same; else empty."""
        if len(award.conditions) < 2:
            return ""
        pairs = [
            (name.value, value.value)
            for name, value in award.conditions
            if isinstance(name, tree.Text) and isinstance(value, tree.Text)
        ]
        names = {
            text
            for text, card in zip(self.english.names.cards, self.program.cards, strict=True)
            if all(card.attributes.get(name) == value for name, value in pairs)
        }
        return the(names.pop()) if len(pairs) == len(award.conditions) and len(names) == 1 else ""

    def _cycle(self, which: str, player: tree.Expression) -> str:
        english = self.english
        who = english.player(player)
        are = "are" if who == "you" else "is"
        if which == "current":
            return (
                f"{who} {are} now {english.person}"
                if english.person != "you"
                else f"it is now the turn of {who}"
            )
        if english.person == "you":
            return "you take the next turn, too" if who == "you" else f"{who} takes the next turn"
        role = english.person.removeprefix("the ")
        return f"{who} {are} the next {role}"

    # --- choices --------------------------------------------------------------------------

    def choice(self, choice: tree.Choice, depth: int) -> Iterator[Line]:
        """A choice: its options with their conditions."""
        options = list(self.options(choice.worded))
        who = self.english.person
        do, verb = ("do", "choose") if who == "you" else ("does", "chooses")
        if len(options) == 1:
            yield Line(depth, _sentence(f"{who} {do} this: {options[0]}"))
            return
        yield Line(depth, f"{capitalized(who)} {verb} one of these that is possible:")
        for option in options:
            yield Line(depth + 1, _sentence(option))

    def options(self, worded: Iterable[tuple[tree.Statement, str]]) -> Iterator[str]:
        """The options of a choice as clauses, with the words that the text gives to them."""
        for clause, words in worded:
            picks = {
                node.binding.name: self._picked(node)
                for node in tree.walk(clause)
                if isinstance(node, tree.Fork)
            }
            lead = f"{without_marks(filled(words, picks))}: " if words else ""
            for text in self.option(clause, [], []):
                yield lead + text

    def _picked(self, fork: tree.Fork) -> str:
        """What an option picks, in the words of its text: "a player", "captain or ambassador"."""
        if isinstance(fork.collection, tree.Texts):
            names = self.english.names
            return listed([names.value(value) for value in fork.collection.values], "or")
        return an(self.english.noun(fork.binding))

    def option(
        self,
        step: tree.Statement,
        conditions: list[str],
        done: list[str],
    ) -> Iterator[str]:
        """The options of a clause as clauses of a sentence."""
        english = self.english
        match step:
            case tree.When(condition=condition, body=body):
                known = english.known(condition)
                if known is False:
                    return
                more = [] if known else [english.condition(condition)]
                if done:
                    done = [*done[:-1], " ".join((done[-1], *(f"(only if {t})" for t in more)))]
                    yield from self.option(body, conditions, done)
                else:
                    yield from self.option(body, [*conditions, *more], done)
            case tree.Cases():
                for when in _whens(step):
                    yield from self.option(when, conditions, done)
            case tree.Fork(collection=collection, binding=binding, body=body):
                if english.is_empty(collection):
                    return
                chosen = an(english.one_of(collection, binding, "from"))
                noun = english.noun(binding)
                number = sum(
                    words[-1].endswith(f"chosen {noun}") for words in english.words.values()
                )
                later = f"the {_CHOSEN[min(number, 3)]}chosen {noun}"
                with english.named(binding, later=later):
                    lead = f"choose {chosen}" + (f" (“{later}”)" if number else "")
                    first = _first(body)
                    if isinstance(first, tree.Move) and _is(first.card, binding):
                        english.words[binding].insert(0, chosen)
                        yield from self.option(body, conditions, done)
                    else:
                        yield from self.option(body, conditions, [*done, lead])
            case tree.Let(value=value, binding=binding, body=body):
                name = f"“{plain(binding.name)}”"
                note = f"let {name} stand for {english.value(value)}"
                with english.named(binding, later=name):
                    yield from self.option(body, conditions, [*done, note])
            case tree.Do(steps=(tree.When() | tree.Fork() | tree.Let() as only,)):
                yield from self.option(only, conditions, done)
            case _:
                if any(isinstance(node, tree.Fork) for node in tree.walk(step)):
                    done = [*done, *self._forked(step)]
                else:
                    done = [*done, *self._joined(step)]
                lead = f"if {' and '.join(conditions)}, " if conditions else ""
                yield lead + "; then ".join(done or ["do nothing"])

    def _joined(self, step: tree.Statement) -> Iterator[str]:
        """The steps of an option as clauses of one sentence."""
        lines = list(self.steps(step, 0))
        starts = [n for n, line in enumerate(lines) if line.depth == 0]
        for start, end in itertools.pairwise([*starts, len(lines)]):
            yield _clause(lines[start:end])

    def _forked(self, step: tree.Statement) -> Iterator[str]:
        """The steps of an option with choices between them."""
        steps = step.steps if isinstance(step, tree.Do) else (step,)
        for inner in steps:
            if any(isinstance(node, tree.Fork) for node in tree.walk(inner)):
                match inner:
                    case tree.Repeat(times=times, body=body):
                        within = "; then ".join(self._forked(body))
                        yield f"{_times(self.english, times)}: ({within})"
                    case tree.ForEach(collection=collection, binding=binding, body=body):
                        each = self.english.one_of(collection, binding)
                        with self.english.named(binding):
                            within = "; then ".join(self._forked(body))
                        yield f"for each {each}: ({within})"
                    case _:
                        yield from self.option(inner, [], [])
            else:
                yield from self._joined(inner)

    # --- the end --------------------------------------------------------------------------

    def end(self) -> Iterator[Line]:
        """How the game is scored."""
        english = self.english
        english.person, english.team = "the player", "the player's team"
        most = "highest" if self.program.highest_wins else "lowest"
        yield Line(0, "The game is over when everything above is done.")
        yield Line(0, _sentence(f"Each player's result is {english.number(self.program.score)}"))
        if self.program.tie is None:
            yield Line(0, f"The {most} result wins; equal results share the place.")
        else:
            tie = english.number(self.program.tie)
            yield Line(0, _sentence(f"The {most} result wins; of equal ones the {most} of {tie}"))
        if any(isinstance(node, tree.Announce) for node in tree.everything(self.program)):
            yield Line(0, "Where the rules say who has won or lost, no result is worked out.")

    def variants(self) -> Iterator[Line]:
        """The parameters, with their values at this table."""
        for parameter in self.program.parameters:
            value = self.program.values[parameter.name]
            here = "" if value == parameter.default else f"; here {value}"
            doc = f": {parameter.doc}" if parameter.doc else ""
            yield Line(
                0,
                f"{parameter.name.lower()}{doc} ({parameter.low} to {parameter.high}; usually"
                f" {parameter.default}{here}).",
            )


_CHOSEN = ("", "second ", "third ", "last ")
_STARTERS = ("starting player", "leading player", "player who begins", "first player")
_ANYBODY = {
    sort: tree.Binding(sort.upper(), type_, Span(0, 0))
    for sort, type_ in (("game", Type.STR), ("player", Type.PLAYER), ("team", Type.TEAM))
}
"""A variable for anybody who owns a storage."""


def _whens(cases: tree.Cases) -> Iterator[tree.When]:
    """The cases of effects as conditional steps."""
    for case in cases.cases:
        text = tree.Text(case.span, case.value)
        yield tree.When(case.span, tree.Same(case.span, True, cases.key, text), case.body)


def _are(who: str) -> str:
    """The verb behind words for people."""
    several = who in ("you", "all players", "the other players") or who.startswith("the players")
    return "are" if several else "is"


def _is_simple(step: tree.Statement) -> bool:
    """Whether a step is one action, perhaps repeated."""
    if isinstance(step, tree.Repeat):
        return isinstance(step.body, tree.Move | tree.Forget)
    return isinstance(step, tree.Action) and not isinstance(step, tree.Cycle)


def _mentions(step: tree.Statement, binding: tree.Binding) -> int:
    """How often a step names a variable."""
    return sum(_is(node, binding) for node in tree.walk(step))


def _is(e: tree.Node, binding: tree.Binding) -> bool:
    return isinstance(e, tree.Variable) and e.binding is binding


def _first(step: tree.Statement) -> tree.Statement:
    """The first action of a step."""
    while isinstance(step, tree.Do) and step.steps:
        step = step.steps[0]
    return step


def _times(english: English, times: tree.Expression) -> str:
    """How often: "twice", "3 times", "as many times as your score"."""
    number = english.constant(times)
    if number is None:
        return f"as many times as {english.number(times)}"
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _clause(lines: Sequence[Line]) -> str:
    """A sentence and those below it as a clause."""
    first, *others = (f"{line.text[0].lower()}{line.text[1:].rstrip('.')}" for line in lines)
    return f"{first} ({'; then '.join(others)})" if others else first


def _sentence(text: str) -> str:
    """A clause as a sentence."""
    return capitalized(text).rstrip(".") + "."


def _is_alone(program: Program, value: str) -> bool:
    """Whether only one attribute has a value."""
    names = {n for card in program.cards for n, v in card.attributes.items() if v == value}
    return len(names) == 1


def _made_of(cards: Sequence[dict[str, str]], english: English) -> str:
    """What cards are made of: their attributes with values, and how many of each."""
    kinds: dict[tuple[tuple[str, str], ...], int] = {}
    for card in cards:
        key = tuple(card.items())
        kinds[key] = kinds.get(key, 0) + 1
    names = tuple(name for name, _ in next(iter(kinds)))
    values = {name: list(dict.fromkeys(dict(kind).get(name) for kind in kinds)) for name in names}
    product = 1
    for listed_values in values.values():
        product *= len(listed_values)
    regular = len(set(kinds.values())) == 1 and product == len(kinds)
    if regular and all(tuple(n for n, _ in kind) == names for kind in kinds):
        shown = [_each(plain(n), [english.text(str(v)) for v in values[n]]) for n in names]
        copies = next(iter(kinds.values()))
        every = " of each" if len(kinds) > 1 else ""
        several = f", {copies} copies{every}" if copies > 1 else ""
        return f"{' with '.join(shown)}{several}."
    described = (
        f"{count} of {', '.join(f'{plain(n)} {english.text(v)}' for n, v in kind)}"
        for kind, count in kinds.items()
    )
    return f"{'; '.join(described)}."


def _each(attribute: str, values: Sequence[str]) -> str:
    """The values of an attribute that cards have."""
    if len(values) == 1:
        return f"{attribute} {values[0]}"
    if len(values) > 2 and all(map(is_number, values)):
        low, *_, high = sorted(map(int, values))
        if high - low == len(values) - 1:
            return f"each {attribute} ({low} to {high})"
    return f"each {attribute} ({listed(values)})"
