"""``Certifier``: runs the tests of a certificate at a table."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import NamedTuple

from kibitz.checks.certificate import SIGNIFICANT, Certificate, InformationSet
from kibitz.checks.check import check_game, has_python_rules
from kibitz.checks.contents import slotted, uncertain
from kibitz.checks.disclosure import Disclosure
from kibitz.checks.explanations import content_differences, option_differences
from kibitz.checks.functions import dependences
from kibitz.checks.information import sample_laws
from kibitz.checks.laws import DEEP_LAWS, HIDING_LAWS, Law
from kibitz.checks.memory import Past, rows
from kibitz.checks.outputs import SeatOutputs
from kibitz.checks.positions import Games, Position
from kibitz.checks.secrets import SecretFinder
from kibitz.checks.setups import telling
from kibitz.checks.swaps import Swapper
from kibitz.checks.uniformity import adjusted, compare
from kibitz.checks.unused import unused_places
from kibitz.checks.worlds import (
    MOST_WORLDS,
    STREAM,
    WorldFinder,
    Worlds,
    deal_count,
    last_draw,
)
from kibitz.core.agent import Agent
from kibitz.core.errors import ParameterError
from kibitz.core.game import Table
from kibitz.core.parameters import text_given
from kibitz.core.progress import Progress
from kibitz.core.state import State, hidden_share
from kibitz.core.status import Status
from kibitz.core.wording import counted, listed
from kibitz.syntax.findings import Finding, Spot

RULES_GAMES = 2
RULES_ACTIONS = 400
"""The number of games in which rules in Python are checked, and of actions inspected singly."""

OPENINGS = 60
OPENING_LENGTH = 8
"""The number of games begun to find open numbers that reveal hidden ones, and their length."""

SAMPLES_TRIED = 6
"""The number of samples tried until one differs from the true state, and until the seat sees the
same happen in one as in truth."""

STATES_SEARCHED = 60
"""The number of states of a game, drawn from its whole length, in which an information set that
can be listed is sought."""

SAMPLES_RECALLED = 2
"""The number of samples of each state and seat that are compared with the past."""

WORLDS_COMPARED = 50
"""The number of worlds of an information set that the true state is compared with."""


def place_of(spot: str, players: int) -> tuple[int, int, int, int | None]:
    """The game, tick, seat and sample that the text of a spot names.

    Raises:
        ParameterError: it is no spot, or there is no such seat.
    """
    text_given("at", spot)
    match = re.fullmatch(r"(\d{1,9}):(\d{1,9}):(\d{1,9}):(\d{1,18}|worlds)", spot, re.ASCII)
    if match is None:
        raise ParameterError(
            f"{spot!r} is no spot of a certificate, such as 2:20:2:3 or 2:20:2:worlds: "
            "game, actions, seat and sample."
        )
    game, tick, seat = (int(match[i]) for i in (1, 2, 3))
    if not 1 <= seat <= players:
        raise ParameterError(f"{spot}: there is no seat {seat} among {players}.")
    return game, tick, seat - 1, None if match[4] == "worlds" else int(match[4])


class Extent(NamedTuple):
    """How much is tested; see ``certify``."""

    states: int
    swaps: int
    outputs: int
    sets: int


class Certifier:
    """Makes the certificate of a table.

    Attributes:
        certificate: the certificate so far.

    Args:
        table: the table to test.
        seed: the seed of the random games.
        agents: advisers whose hints are compared.
        progress: has the stages "states" and "information sets".
    """

    def __init__(
        self,
        table: Table,
        seed: int,
        agents: Sequence[Agent],
        progress: Progress | None,
    ) -> None:
        self.table = table
        self.certificate = Certificate(
            game=table.game.name,
            players=table.players,
            parameters=table.parameters.to_json(),
            seed=seed,
            source=table.game.origin.where or table.game.name,
            changed=table.parameters.changed(table.players),
        )
        self._progress = progress or (lambda *_: None)
        self._games = Games(table, seed)
        self._swapper = Swapper(table)
        self._outputs = SeatOutputs(table, agents)
        self._finder = WorldFinder(table)
        self._disclosure = Disclosure(table)
        self._seats = range(table.players)
        self._tested_again: list[Finding] = []

    def check_rules(self) -> bool:
        """Checks rules in Python in a few games; returns whether the other tests make sense.

        Rules in other languages are checked when a table is made.
        """
        kind = type(self.table.game)
        if not has_python_rules(kind):
            return True
        result = check_game(
            kind,
            games=RULES_GAMES,
            seed=self.certificate.seed,
            players=self.table.players,
            parameters=self.table.parameters.as_dict(),
            actions=RULES_ACTIONS,
            compiled=self.table.game.compiled,
        )
        self.certificate.rules = result.checked["actions looked at"]
        sound = HIDING_LAWS.issuperset(result.broken)
        for finding in result.findings:
            if sound and finding.law in DEEP_LAWS:
                self._tested_again.append(finding)
            else:
                self.certificate.add(finding)
        if not sound:
            self.certificate.not_tried.append(
                f"whether anything leaks. '{self.certificate.check_command()}' shows how to see "
                "the broken laws."
            )
        return sound

    def run(self, extent: Extent) -> None:
        """Runs all tests; their results are in the certificate."""
        certificate = self.certificate
        games: set[int] = set()
        for number, position in enumerate(self._games.sample(extent.states)):
            certificate.decisions += not position.state.is_terminal
            self._disclosure.note(position.state)
            self._swap(position, self._seats, 0, extent.swaps)
            if number < extent.outputs:
                self._compare_outputs(position, self._seats, range(SAMPLES_TRIED))
            if extent.sets:
                self._compare_past(position, self._seats, range(SAMPLES_RECALLED))
            games.add(position.game)
            certificate.states, certificate.games = number + 1, len(games)
            self._progress("states", certificate.states, extent.states)
        if extent.outputs:
            self._find_secrets()
        if certificate.hides and extent.sets:
            self._compare_sets(extent.sets)
        self._list_not_tried(extent)
        self._finish()

    def examine(self, game: int, tick: int, seat: int, sample: int | None) -> None:
        """Runs the tests of states for one state, seat and sample; ``None``: for all worlds.

        Raises:
            ParameterError: the game is not so long.
        """
        certificate, seats = self.certificate, [seat]
        end = self._games.position(game)
        if tick > end.tick:
            raise ParameterError(
                f"{game}:{tick}: game {game} with seed {certificate.seed} has "
                f"{counted(end.tick, 'action')} only."
            )
        position = end if tick == end.tick else self._games.before(end, tick)
        certificate.states = certificate.games = 1
        certificate.decisions = int(not position.state.is_terminal)
        self._disclosure.note(position.state)
        if sample is not None:
            self._swap(position, seats, sample, 1)
            self._compare_outputs(position, seats, [sample])
            self._compare_past(position, seats, [sample])
        elif certificate.decisions:
            path = self._games.path(position)
            worlds = self._finder.find(path, position.actions, seat)
            if worlds is not None:
                certificate.hides = len(worlds.keys) > 1
                self._note_sets([(self._compare_set(worlds, position, seat), position)])
        self._finish()

    def _finish(self) -> None:
        """Ends a run: what only the check of the rules has shown is added."""
        certificate = self.certificate
        broken = certificate.broken
        for finding in self._tested_again:
            if finding.law not in broken:
                certificate.add(finding)
        certificate.untested = self._untested()
        certificate.complete = True

    # -- states -----------------------------------------------------------------------------

    def _swap(self, position: Position, seats: Sequence[int], first: int, count: int) -> None:
        """Compares a state with samples of it for each seat, and counts the comparisons."""
        certificate, swapper = self.certificate, self._swapper
        consistent = bool(
            self.table.record["is_consistent"][0] or self.table.record["has_facts"][0]
        )
        for seat in seats:
            for finding in sample_laws(swapper, position.state, seat, first, count):
                certificate.add(finding, self._spot(position))
            certificate.swaps += swapper.done
            certificate.differed += swapper.differed
            certificate.hides |= swapper.differed > 0
            certificate.tried[Law.OBSERVATION] += swapper.differed
            certificate.tried[Law.BLIND] += swapper.differed
            certificate.tried[Law.OPTIONS] += swapper.compared
            certificate.tried[Law.CONSISTENT] += swapper.done if consistent else 0

    def _compare_outputs(
        self, position: Position, seats: Sequence[int], seeds: Sequence[int]
    ) -> None:
        """Compares everything a seat is shown in a state with a sample that differs from it."""
        state = position.state
        for seat in seats:
            samples = [
                (seed, sample)
                for seed in seeds
                if is_other(sample := state.determinize(seat, seed), state)
            ]
            for seed, sample in samples[:1]:
                for law, same in self._outputs.differences(state, sample, seat):
                    self.certificate.tried[law] += 1
                    if not same:
                        self._report(
                            law,
                            f"in the sample player {seat + 1} is given other {law}",
                            position,
                            seat,
                            seed,
                        )
            if position.following is not None:
                self._compare_events(position, position.following, seat, samples)

    def _compare_events(
        self,
        position: Position,
        action: int,
        seat: int,
        samples: Sequence[tuple[int, State]],
    ) -> None:
        """Compares the events of the next action with those in the first comparable sample."""
        for seed, sample in samples:
            alike = self._outputs.same_events(position.state, sample, action, seat)
            if alike is not None:
                self.certificate.tried[Law.EVENTS] += 1
                if not alike:
                    words = position.state.action_words(action)
                    message = f"in the sample player {seat + 1} has other events of {words!r}"
                    self._report(Law.EVENTS, message, position, seat, seed)
                return

    def _compare_past(
        self, position: Position, seats: Sequence[int], seeds: Sequence[int]
    ) -> None:
        """Compares samples of a state with what each seat has seen since the last draw.

        At the end of a game, where nobody decides any more, scores may reveal what was hidden.
        """
        certificate = self.certificate
        path = self._games.path(position)
        since = last_draw(path)
        if (
            position.state.is_terminal
            or since == position.tick
            or (since and self._finder.hides_without_deals)
        ):
            return
        contents = [rows(state) for state in path[since:]]
        for seat in seats:
            past = Past(self._finder, path[since:], contents, position.actions[since:], seat)
            for seed in seeds:
                sample = position.state.determinize(seat, seed)
                if not is_other(sample, position.state):
                    continue
                recall = past.recall(sample)
                if recall.possible is not None:
                    certificate.samples += 1
                    certificate.impossible += not recall.possible
                    certificate.tried[Law.MEMORY] += 1
                if recall.possible is False:
                    tick = since + recall.action
                    owner = path[tick].current_player
                    differing = content_differences(sample, position.state, owner)
                    message = (
                        f"sample {seed} contradicts action {tick + 1} of the game: "
                        f"{recall.reason}. In the sample {differing}"
                    )
                    self._report(Law.MEMORY, message, position, seat, seed)

    def _find_secrets(self) -> None:
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
                hidden = uncertain(state, state.tick % state.players)
                self.certificate.tried[Law.SECRET] += bool(hidden)
        tested, tellings = telling(table, self.certificate.seed)
        self.certificate.tried[Law.SECRET] += tested
        named = set()
        for finding in (*finder.findings(), *dependences(openings), *tellings):
            if finding.path not in named:
                named.add(finding.path)
                self.certificate.add(finding)

    # -- information sets -------------------------------------------------------------------

    def _compare_sets(self, most: int) -> None:
        """Lists information sets of games, and compares samples with them."""
        results: list[tuple[InformationSet, Position]] = []
        for number in range(2 * most):
            if len(results) >= most:
                break
            seat = number % self.table.players
            if listed_set := self._find_worlds(number, seat):
                results.append((self._compare_set(*listed_set, seat), listed_set[1]))
                self._progress("information sets", len(results), most)
        self._note_sets(results)

    def _compare_set(self, worlds: Worlds, position: Position, seat: int) -> InformationSet:
        """Compares options and samples with the worlds of an information set."""
        spot = f"{position.game}:{position.tick}:{seat + 1}"
        self._compare_worlds(worlds, position, seat)
        result = compare(self._finder, worlds, spot, self.certificate.seed)
        self.certificate.tried[Law.MEMORY] += result.samples
        if result.first_impossible is not None:
            sample = worlds.state.determinize(seat, result.first_impossible)
            nearest = State(self.table, worlds.nearest(bytes(sample)))
            differing = content_differences(sample, nearest, other_name="in the nearest of these")
            message = (
                f"{result.impossible:,} of {result.samples:,} samples are none of the "
                f"{counted(result.worlds, 'state')} that agree with what was seen. The first is "
                f"sample {result.first_impossible}, in which {differing}"
            )
            self._report(Law.MEMORY, message, position, seat, None)
        if result.equal:
            self.certificate.tried[Law.UNIFORM] += result.samples - result.impossible
        return result

    def _note_sets(self, results: Sequence[tuple[InformationSet, Position]]) -> None:
        """Puts information sets into the certificate, with their adjusted p-values."""
        self.certificate.sets = adjusted([result for result, _ in results])
        for result, (_, position) in zip(self.certificate.sets, results, strict=True):
            if result.adjusted_p is not None and result.adjusted_p < SIGNIFICANT:
                message = (
                    f"{counted(result.worlds, 'world')} should come up equally often in "
                    f"{result.samples - result.impossible:,} samples; chi-square "
                    f"{result.chi_square:.1f}, adjusted p = {result.adjusted_p:.2g}"
                )
                self._report(Law.UNIFORM, message, position, result.seat, None)

    def _find_worlds(self, game: int, seat: int) -> tuple[Worlds, Position] | None:
        """An information set of a seat from anywhere in a game, and its position."""
        end = self._games.position(game)
        path = self._games.path(end)
        if path[-1].status not in (Status.PLAYING, Status.FINISHED):
            return None
        rng = random.Random(f"{self.certificate.seed}/{game}/{seat}")
        for tick in rng.sample(range(end.tick), min(end.tick, STATES_SEARCHED)):
            if may_be_listed(path[tick], seat):
                worlds = self._finder.find(path[: tick + 1], end.actions[:tick], seat)
                if worlds is not None and len(worlds.keys) > 1:
                    return worlds, self._games.before(end, tick)
        return None

    def _compare_worlds(self, worlds: Worlds, position: Position, seat: int) -> None:
        """Compares options and samples in some of the worlds with those in the true state."""
        if worlds.odd is not None:
            message = f"the legal actions differ after {worlds.odd[1]} actions in another world"
            self._report(Law.WORLDS, message, position, seat, None)
        true = worlds.state
        sample = bytes(true.determinize(seat, 0))
        legal = true.legal_actions() if true.current_player == seat else None
        step = max(1, len(worlds.states) // WORLDS_COMPARED)
        for content in worlds.states[::step]:
            world = State(self.table, content)
            self.certificate.tried[Law.WORLDS] += 1
            if legal is not None and world.legal_actions() != legal:
                message = f"the legal actions differ in a world: {option_differences(world, true)}"
                self._report(Law.WORLDS, message, position, seat, None)
            if bytes(other := world.determinize(seat, 0)) != sample:
                differing = content_differences(
                    other, true.determinize(seat, 0), other_name="from the truth"
                )
                message = f"samples of a world and of the true state differ: {differing}"
                self._report(Law.WORLDS, message, position, seat, None)

    # -- findings ---------------------------------------------------------------------------

    def _report(
        self, law: Law, message: str, position: Position, seat: int, sample: int | None
    ) -> None:
        """Adds a finding that a state shows; without a sample, its information set does."""
        finding = Finding(law, message, spot=Spot(seat=seat, sample=sample))
        self.certificate.add(finding, self._spot(position))

    def _spot(self, position: Position) -> Spot:
        """The spot of a position of the certificate's games."""
        return Spot(
            self.table.players,
            self.certificate.parameters,
            self._games.seed_of(position.game),
            position.actions,
            position.game,
        )

    def _untested(self) -> str:
        """Why nothing was tested for leaks, in words; empty if something was."""
        certificate = self.certificate
        if not certificate.states:
            return "no state could be examined, since all games broke off at once"
        if not certificate.decisions:
            return "nobody decides anything in the states that were examined"
        if not certificate.hides and (hidden := self._disclosure.expected()):
            return (
                f"the game declares {listed(hidden)} as hidden, but in "
                f"{counted(certificate.states, 'state')} nothing hidden could be sampled anew"
            )
        return ""

    def _list_not_tried(self, extent: Extent) -> None:
        """Lists what was not tried."""
        certificate = self.certificate
        say = certificate.not_tried.append
        if certificate.states < extent.states:
            say(f"{extent.states - certificate.states:,} of the states: games are too short.")
        if self._games.broken_off:
            say(
                f"the course of {counted(self._games.broken_off, 'game')} that broke off; "
                "'kibitz check' says why."
            )
        if not certificate.hides:
            return
        for name in self._disclosure.always_seen():
            say(f"whether {name} leaks: in all states everyone saw what it held.")
        if not extent.outputs:
            say("texts, pictures, hints and events: --outputs 0.")
        elif extent.outputs < certificate.states:
            say(
                f"texts, pictures, hints and events in {certificate.states - extent.outputs:,} of "
                "the states."
            )
        if extent.outputs and not certificate.tried[Law.FEATURES]:
            say("observations as numbers: this table has no encoder.")
        if not certificate.sets:
            say(
                "whether samples are uniform, and agree with all that was seen: "
                + (
                    "--sets 0."
                    if not extent.sets
                    else "no information set could be listed, since there are too many deals or "
                    "hidden draws. Smaller tables (--set) may have some."
                )
            )
        unequal = sum(not result.equal for result in certificate.sets)
        if unequal:
            say(
                f"whether samples are uniform in {unequal} of the sets: they begin with a shuffle "
                "that left hidden cards where they were, so that worlds differ in their chance."
            )
        few = sum(result.p is None and result.equal for result in certificate.sets)
        if few:
            say(f"whether samples are uniform in {few} of the sets: too few were worlds.")
        say("other numbers of players and parameters than these.")


def is_other(sample: State, state: State) -> bool:
    """Whether a sample differs from the true state in more than the random stream."""
    return bytes(sample)[STREAM.stop :] != bytes(state)[STREAM.stop :]


def may_be_listed(state: State, seat: int) -> bool:
    """Whether the information set of a seat is probably small enough to be listed."""
    hidden = uncertain(state, seat)
    if not hidden:  # others may have chosen something unseen
        return 0 < state.tick < 6 and hidden_share(state, seat) > 0
    return deal_count(state, hidden) <= MOST_WORLDS
