"""``certify``: looks for leaks at a table, and writes down what was tried."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kibitz.arena.conformance.contents import slotted, uncertain
from kibitz.arena.conformance.secrets import SecretFinder
from kibitz.certificates.findings import SIGNIFICANT, Certificate, InformationSet, Leak, Promise
from kibitz.certificates.functions import dependences
from kibitz.certificates.memory import Past, rows
from kibitz.certificates.outputs import SeatOutputs
from kibitz.certificates.positions import Games, Position
from kibitz.certificates.setups import telling
from kibitz.certificates.swaps import BLIND, CONSISTENT, LOOK, OPTIONS, Swapper
from kibitz.certificates.uniformity import adjusted, compare
from kibitz.certificates.unused import unused_places
from kibitz.certificates.worlds import MOST_WORLDS, WorldFinder, Worlds, deal_count, last_draw
from kibitz.core.agent import Agent, agents_in
from kibitz.core.game import Table
from kibitz.core.parameters import whole_number
from kibitz.core.randomness import check_seed
from kibitz.core.state import State
from kibitz.core.status import Status
from kibitz.core.wording import counted
from kibitz.loading import Playable, find_table

STATES = 100
SWAPS = 100
OUTPUTS = 40
SETS = 8
AGENTS = ("osla", "ismcts:iterations=30")
"""Who gives hints by default; all that matters is that the choice depends on nothing hidden."""

OPENINGS = 60
OPENING_LENGTH = 8
"""How many games are begun, and their length, to find open numbers that reveal hidden ones."""
EVENT_TRIES = 6
"""How many samples are tried until the seat sees the same happen in one as in truth."""
SEARCHED = 60
"""In how many states of a game, drawn from its whole length, an information set is sought that
can be listed."""
RECALLED = 2
"""How many samples of each state and seat are compared with what was seen before."""
WORLDS_ASKED = 50
"""With how many worlds of an information set the true state is compared."""

_CHECKS = {
    LOOK: (Promise.OBSERVATION, "what the seat sees differs"),
    OPTIONS: (Promise.OPTIONS, "the legal actions differ"),
    BLIND: (Promise.BLIND, "a further sample, with the same seed, differs"),
    CONSISTENT: (Promise.CONSISTENT, "no deal was found that is_consistent accepts"),
}


def certify(
    game: Playable,
    players: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    states: int = STATES,
    swaps: int = SWAPS,
    outputs: int = OUTPUTS,
    sets: int = SETS,
    agents: Sequence[Agent | str] = AGENTS,
    seed: int = 0,
    update: Callable[[Certificate], None] | None = None,
) -> Certificate:
    """Tests whether anything that a seat is given depends on what is hidden from it.

    >>> certify("kuhn-poker", states=20, swaps=10, outputs=4, sets=2).ok
    True

    Args:
        game: what is certified.
        players: at the table; by default the usual number.
        parameters: values by name; the rest keep their defaults.
        states: how many are looked at.
        swaps: how many samples are compared in each state for each seat.
        outputs: in how many of the states texts, pictures, hints and events are compared, too.
        sets: how many information sets are listed and compared with samples.
        agents: who gives hints.
        seed: of everything.
        update: is called with the certificate so far, after each state and information set.

    Returns:
        the certificate: ``certificate.ok``, ``print(certificate)``.

    Raises:
        UnknownGameError: there is no such game.
        ParameterError: the number of players or a parameter is not allowed, or a number is too
            small.
    """
    states, swaps = whole_number("states", states, 1), whole_number("swaps", swaps, 1)
    outputs, sets = whole_number("outputs", outputs), whole_number("sets", sets)
    table = find_table(game, players, parameters)
    check_seed(seed)
    certifier = Certifier(table, seed, agents_in(agents))
    certifier.run(states, swaps, outputs, sets, update or (lambda _: None))
    return certifier.certificate


class Certifier:
    """Makes the certificate of a table.

    Attributes:
        certificate: so far.
    """

    def __init__(self, table: Table, seed: int, agents: Sequence[Agent] = ()) -> None:
        self.table = table
        self.certificate = Certificate(
            table.game.name, table.players, table.parameters.to_json(), seed
        )
        self._games = Games(table, seed)
        self._swapper = Swapper(table)
        self._outputs = SeatOutputs(table, agents)
        self._finder = WorldFinder(table)

    def run(
        self,
        states: int,
        swaps: int,
        outputs: int,
        sets: int,
        update: Callable[[Certificate], None],
    ) -> None:
        """Tests everything; what was found so far is in the certificate."""
        certificate = self.certificate
        games: set[int] = set()
        for number, position in enumerate(self._games.sample(states)):
            self._swap(position, swaps)
            if number < outputs:
                self._look(position)
            if sets:
                self._recall(position)
            games.add(position.game)
            certificate.states, certificate.games = number + 1, len(games)
            update(certificate)
        if outputs:
            self._secrets()
        if certificate.hides and sets:
            self._count(sets, update)
        self._untried(states, outputs, sets)
        certificate.complete = True

    # -- states -----------------------------------------------------------------------------

    def _swap(self, position: Position, swaps: int) -> None:
        """Compares a state with samples of it for each seat, and counts what was compared."""
        certificate, swapper = self.certificate, self._swapper
        consistent = int(self.table.record["is_consistent"][0]) != 0
        for seat in range(self.table.players):
            before = swapper.done, swapper.differed, swapper.compared
            for check, at in swapper.swap(position.state, seat, 0, swaps):
                promise, message = _CHECKS[check]
                self._found(promise, message, position, seat, str(at))
            done, differed, compared = (
                now - then
                for now, then in zip(
                    (swapper.done, swapper.differed, swapper.compared), before, strict=True
                )
            )
            certificate.swaps += done
            certificate.differed += differed
            certificate.hides |= differed > 0
            certificate.tried[Promise.OBSERVATION] += done
            certificate.tried[Promise.BLIND] += done
            certificate.tried[Promise.OPTIONS] += compared
            certificate.tried[Promise.CONSISTENT] += done if consistent else 0

    def _look(self, position: Position) -> None:
        """Compares what seats are shown and told in a state and in a sample."""
        state = position.state
        for seat in range(self.table.players):
            sample = state.determinize(seat, 0)
            for promise, same in self._outputs.differences(state, sample, seat):
                self.certificate.tried[promise] += 1
                if not same:
                    message = f"other {promise}"
                    self._found(promise, message, position, seat, "0")
            if position.following is not None:
                self._listen(position, position.following, seat)

    def _listen(self, position: Position, action: int, seat: int) -> None:
        """Compares what a seat is told of the next action."""
        for at in range(EVENT_TRIES):
            sample = position.state.determinize(seat, at)
            alike = self._outputs.told_alike(position.state, sample, action, seat)
            if alike is not None:
                self.certificate.tried[Promise.EVENTS] += 1
                if not alike:
                    words = position.state.action_words(action)
                    message = f"what the seat is told of {words!r} differs"
                    self._found(Promise.EVENTS, message, position, seat, str(at))
                return

    def _recall(self, position: Position) -> None:
        """Compares samples of a state with what each seat has seen since the last draw.

        At the end of a game, where nobody decides any more, scores may tell what was hidden.
        """
        path = self._games.path(position)
        since = last_draw(path)
        if (
            position.state.is_terminal
            or since == position.tick
            or (since and self._finder.hides_without_deals)
        ):
            return
        contents = [rows(state) for state in path[since:]]
        for seat in range(self.table.players):
            past = Past(self._finder, path[since:], contents, position.actions[since:], seat)
            for at in range(RECALLED):
                possible, action = past.recall(position.state.determinize(seat, at))
                if possible is not None:
                    self._count_samples(1, int(not possible))
                if possible is False:
                    action += since
                    words = path[action].action_words(position.actions[action])
                    who = f"player {path[action].current_player + 1}"
                    message = f"the sample contradicts what was seen up to {words!r} of {who}"
                    self._found(Promise.MEMORY, message, position, seat, str(at))

    def _count_samples(self, samples: int, impossible: int) -> None:
        """Counts samples that were compared with what was seen."""
        self.certificate.samples += samples
        self.certificate.impossible += impossible
        self.certificate.tried[Promise.MEMORY] += samples

    def _secrets(self) -> None:
        """Looks for open numbers that reveal hidden ones, in the openings of many games."""
        table = self.table
        if not slotted(table.layout, table.players):
            return
        finder = SecretFinder(table.layout, table.players, unused_places(self._games))
        openings = [
            [
                state
                for state in self._games.path(self._games.position(number, OPENING_LENGTH))
                if state.status == Status.PLAYING
            ]
            for number in range(OPENINGS)
        ]
        for number, states in enumerate(openings):
            finder.begin()
            for state in states:
                finder.watch(state, number)
                self.certificate.tried[Promise.SECRET] += 1
        revealed = set()
        for finding in finder.findings():
            revealed.add(finding.path)
            self._add(Promise.SECRET, f"{finding.path}: {finding.message}", None, "")
        for found in dependences(openings):
            if found.path not in revealed:
                revealed.add(found.path)
                self._add(
                    Promise.SECRET,
                    f"{found.path}: in all states it is a function of {found.hidden}, hidden from "
                    f"player {found.seat + 1}; {found.wrong:.0%} of samples do not agree with it",
                    found.seat,
                    "",
                )
        tested, parts = telling(table, self.certificate.seed)
        self.certificate.tried[Promise.SECRET] += tested
        for told in parts:
            if told.path not in revealed:
                self._add(Promise.SECRET, f"{told.path}: {told.message}", told.seat, "")

    # -- information sets -------------------------------------------------------------------

    def _count(self, sets: int, update: Callable[[Certificate], None]) -> None:
        """Lists information sets, and compares samples with them."""
        certificate = self.certificate
        finder = self._finder
        found: list[InformationSet] = []
        for number in range(2 * sets):
            if len(found) >= sets:
                break
            seat = number % self.table.players
            worlds, position = self._worlds(finder, number, seat)
            if worlds is None or position is None:
                continue
            spot = f"{position.game}:{position.tick}:{seat + 1}"
            self._ask_worlds(worlds, position, seat)
            result = compare(finder, worlds, spot, certificate.seed)
            found.append(result)
            self._count_samples(result.samples, result.impossible)
            if result.impossible:
                message = (
                    f"{result.impossible:,} of {result.samples:,} samples are none of the "
                    f"{counted(result.worlds, 'state')} that agree with what was seen"
                )
                self._found(Promise.MEMORY, message, position, seat, "worlds")
            if result.equal:
                certificate.tried[Promise.UNIFORM] += result.samples - result.impossible
            update(certificate)
        certificate.sets = adjusted(found)
        for result in certificate.sets:
            if result.adjusted is not None and result.adjusted < SIGNIFICANT:
                self._add(
                    Promise.UNIFORM,
                    f"after {result.spot} (game:actions:seat) {counted(result.worlds, 'world')} "
                    f"should come up equally often in {result.samples - result.impossible:,} "
                    f"samples; chi-square {result.statistic:.1f}, adjusted p = "
                    f"{result.adjusted:.2g}",
                    result.seat,
                    f"{result.spot}:worlds",
                )

    def _worlds(
        self, finder: WorldFinder, game: int, seat: int
    ) -> tuple[Worlds | None, Position | None]:
        """An information set of a seat from anywhere in a game, and its state."""
        end = self._games.position(game)
        path = self._games.path(end)
        if path[-1].status not in (Status.PLAYING, Status.FINISHED):
            return None, None
        rng = random.Random(f"{self.certificate.seed}/{game}/{seat}")
        for tick in rng.sample(range(end.tick), min(end.tick, SEARCHED)):
            if self._may_be_listed(path[tick], seat, tick):
                worlds = finder.find(path[: tick + 1], end.actions[:tick], seat)
                if worlds is not None and len(worlds.keys) > 1:
                    return worlds, self._games.before(end, tick)
        return None, None

    def _may_be_listed(self, state: State, seat: int, tick: int) -> bool:
        hidden = uncertain(state, seat)
        if not hidden:  # others may have chosen something unseen
            return 0 < tick < 6 and state.hidden_share(seat) > 0
        return deal_count(state, hidden) <= MOST_WORLDS

    def _ask_worlds(self, worlds: Worlds, position: Position, seat: int) -> None:
        """Compares options and samples in worlds with those in truth."""
        if worlds.odd is not None:
            message = f"the legal actions differ after {worlds.odd[1]} actions in another world"
            self._found(Promise.WORLDS, message, position, seat, "worlds")
        true = worlds.state
        sample = bytes(true.determinize(seat, 0))
        legal = true.legal_actions() if true.current_player == seat else None
        step = max(1, len(worlds.states) // WORLDS_ASKED)
        for content in worlds.states[::step]:
            world = State(self.table, content)
            self.certificate.tried[Promise.WORLDS] += 1
            if legal is not None and world.legal_actions() != legal:
                message = "the legal actions differ in another world"
                self._found(Promise.WORLDS, message, position, seat, "worlds")
            if bytes(world.determinize(seat, 0)) != sample:
                message = "samples differ in another world"
                self._found(Promise.WORLDS, message, position, seat, "worlds")

    # -- findings ---------------------------------------------------------------------------

    def _found(
        self, promise: Promise, message: str, position: Position, seat: int, swap: str
    ) -> None:
        spot = f"{position.game}:{position.tick}:{seat + 1}:{swap}"
        where = f"player {seat + 1} after {counted(position.tick, 'action')}"
        self._add(promise, f"{where} of game {position.game}: {message}", seat, spot)

    def _add(self, promise: Promise, message: str, seat: int | None, spot: str) -> None:
        self.certificate.add(Leak(promise, message, seat, spot))

    def _untried(self, states: int, outputs: int, sets: int) -> None:
        """Says what was not tried."""
        certificate = self.certificate
        say = certificate.not_tried.append
        if certificate.states < states:
            say(f"{states - certificate.states:,} of the states: games broke off or were short.")
        if not certificate.hides:
            return
        if not outputs:
            say("texts, pictures, hints and events: --outputs 0.")
        elif outputs < certificate.states:
            say(
                f"texts, pictures, hints and events in {certificate.states - outputs:,} of the "
                "states."
            )
        if outputs and not certificate.tried[Promise.FEATURES]:
            say("observations as numbers: this table has no encoder.")
        if not certificate.sets:
            say(
                "whether samples are uniform, and agree with all that was seen: "
                + (
                    "--sets 0."
                    if not sets
                    else "no information set could be listed, since there are too many deals or "
                    "hidden draws. Smaller tables (--set) may have some."
                )
            )
        kept = sum(not found.equal for found in certificate.sets)
        if kept:
            say(
                f"whether samples are uniform in {kept} of the sets: they begin with a shuffle "
                "that left hidden cards where they were, so that worlds differ in their chance."
            )
        few = sum(found.p is None and found.equal for found in certificate.sets)
        if few:
            say(f"whether samples are uniform in {few} of the sets: too few were worlds.")
        say("other numbers of players and parameters than these.")
