"""Certificates: sound games get one, planted leaks are found, worlds are those of the tree."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest
from tests.checks.broken_games import Sound

import kibitz
from kibitz.authoring import (
    Action,
    ActionKinds,
    Announcement,
    AnnouncementKinds,
    CardSet,
    CardType,
    Counter,
    Deck,
    Game,
    GameParameters,
    GameState,
    Note,
    Tunable,
    Visibility,
    announce,
    draw_card,
    end_turn,
    finish_by_score,
    hide_value,
    operand,
    per_player,
    put_copies,
    show_deck,
    show_value_to_all,
    shuffle_deck,
    start_round,
)
from kibitz.checks import certifier
from kibitz.checks.certifier import is_other
from kibitz.checks.certify import certify
from kibitz.checks.contents import uncertain
from kibitz.checks.laws import Law
from kibitz.checks.memory import Past, rows
from kibitz.checks.positions import Games
from kibitz.checks.setups import telling
from kibitz.checks.uniformity import compare
from kibitz.checks.unused import unused_places
from kibitz.checks.worlds import WorldFinder, arrangements, deals_anew, last_draw
from kibitz.core.actions import add, kind, pack
from kibitz.core.errors import ParameterError
from kibitz.core.table_wording import TableWording
from kibitz.library.loveletter import LoveLetter
from kibitz.recycle import conclusions
from kibitz.recycle.game import RecycleGame
from kibitz.studies.solving.tree import grow_tree
from kibitz.syntax.source import Source


class OptionsLeak(Sound):
    """Who could play may wait, but only if the other's first card is a high one."""

    name = "options-leak"

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        Sound.legal_actions(state, params, actions)
        other = state.hands[(state.player + 1) % state.players]
        if other.count > 0 and other.cards[0] > 2:
            add(actions, pack(Sound.Actions.WAIT))  # type: ignore[attr-defined]

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        if kind(action) == Sound.Actions.WAIT:  # type: ignore[attr-defined]
            end_turn(state)
        else:
            Sound.apply_action(state, params, action)


class LeakingWording(TableWording):
    def words(self, state: Any, action: int) -> str:
        return f"{super().words(state, action)} {state.view.deck.cards[0]}"


class WordsLeak(Sound):
    """The words of an action tell the top card of the deck."""

    name = "words-leak"
    Wording = LeakingWording


class LeakingAnnouncements(AnnouncementKinds):
    CARD = Announcement("the next player holds {card}", card=range(2048))


class EventsLeak(Sound):
    """What the rules announce to all tells the next hand."""

    name = "events-leak"
    Announcements = LeakingAnnouncements

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        announce(
            LeakingAnnouncements.CARD, state.hands[(state.player + 1) % state.players].cards[0]
        )
        Sound.apply_action(state, params, action)


class PartLeak(Sound):
    """An open number tells a part of what is hidden: whether the other's first card is a high one.

    Samples keep it, and deal as if it said nothing: they look like the truth.
    """

    name = "part-leak"

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        Sound.setup(state, params)
        state.note.values[1] = 1 if state.hands[1].cards[0] > 2 else 0


ROLES = CardSet("roles", [CardType("Servant", 2), CardType("Merlin", 1), CardType("Spy", 2)])


class SpiesState(GameState):
    roles = Deck(ROLES, Visibility.NOBODY, capacity=5)
    role = per_player(Deck(ROLES, Visibility.OWNER, capacity=1))
    knows = per_player(Note(5, Visibility.OWNER))


class SpiesMoves(ActionKinds):
    WAIT = Action("wait")


class Spies(Game):
    """Merlin and the spies are told who the spies are."""

    name = "spies"
    title = "Spies"
    players = (5, 5)
    State = SpiesState
    Actions = SpiesMoves
    max_ticks = 20

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        put_copies(state, state.roles, 0, 2)
        put_copies(state, state.roles, 1, 1)
        put_copies(state, state.roles, 2, 2)
        shuffle_deck(state, state.roles)
        for p in range(5):
            draw_card(state, state.roles, state.role[p])
        for p in range(5):
            for q in range(5):
                state.knows[p].values[q] = spy_seen(state, p, q)
        start_round(state, 0)

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        add(actions, pack(SpiesMoves.WAIT))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        end_turn(state)
        if state.turn >= 10:
            finish_by_score(state)

    @staticmethod
    def is_consistent(state: Any, params: Any, player: int) -> bool:
        for q in range(5):
            if state.knows[player].values[q] != spy_seen(state, player, q):
                return False
        return True


def spy_seen(state: Any, player: int, other: int) -> int:
    """Whether a player is told that another one is a spy."""
    return int(state.role[player].cards[0] > 0 and state.role[other].cards[0] == 2)


class Clumsy(Sound):
    """Its describe fails."""

    name = "clumsy"

    def describe(self, state: Any, observer: int | None) -> str:
        return {}["nothing"]  # type: ignore[no-any-return]


class SecretState(GameState):
    choice = per_player(Counter(1, 3, visible_to=Visibility.OWNER))


class OpenState(GameState):
    choice = per_player(Counter(1, 3))


class SecretMoves(ActionKinds):
    CHOOSE = Action("choose {n}", n=range(4), secret=True)


class Secret(Game):
    """All choose a number in secret; the highest wins. A choice is open until it is made."""

    name = "secret"
    title = "Secret"
    players = (2, 3)
    State: type[GameState] = SecretState
    Actions = SecretMoves
    max_ticks = 50

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        for q in range(state.players):
            show_value_to_all(state.choice[q])
        start_round(state, 0)

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        for n in range(1, 4):
            add(actions, pack(SecretMoves.CHOOSE, n))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        p = state.player
        state.choice[p].value = operand(action, 0)
        hide_value(state.choice[p], p)
        if p + 1 < state.players:
            end_turn(state)
            return
        for q in range(state.players):
            show_value_to_all(state.choice[q])
            state.seat[q].score = state.choice[q].value
        finish_by_score(state)


class KeptState(GameState):
    cards = Deck(CardSet("kept", [CardType(name, 1) for name in "ABC"]), Visibility.NOBODY)


class KeptParameters(GameParameters):
    keeper = Tunable(1, range(2), "the seat that sees the cards")


class Kept(Game):
    """Three shuffled cards that one of two players sees and the other does not."""

    name = "kept"
    title = "Kept"
    players = (2, 2)
    State = KeptState
    Parameters = KeptParameters
    Actions = SpiesMoves
    max_ticks = 20

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        for card in range(3):
            put_copies(state, state.cards, card, 1)
        shuffle_deck(state, state.cards)
        show_deck(state.cards, params.keeper)
        start_round(state, 0)

    @staticmethod
    def legal_actions(state: Any, params: Any, actions: Any) -> None:
        add(actions, pack(SpiesMoves.WAIT))

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        end_turn(state)
        if state.turn >= 4:
            finish_by_score(state)


class HidesNothing(Secret):
    """The author hides a value that is declared open."""

    name = "hides-nothing"
    State = OpenState


class ShownAtOnce(Secret):
    """The choices are declared as hidden, and shown before the others choose."""

    name = "shown-at-once"

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        p = state.player
        Secret.apply_action(state, params, action)
        show_value_to_all(state.choice[p])


class OverAtOnce(Secret):
    """The game ends in its set-up."""

    name = "over-at-once"

    @staticmethod
    def setup(state: Any, params: Any) -> None:
        finish_by_score(state)


CASES = Path(__file__).parent / "cases"

SMALL = {"states": 16, "swaps": 20, "outputs": 6, "sets": 2}


@pytest.mark.parametrize(
    ("game", "law"),
    [
        (OptionsLeak, Law.OPTIONS),
        (WordsLeak, Law.WORDS),
        (EventsLeak, Law.EVENTS),
        (PartLeak, Law.SECRET),
    ],
)
def test_a_planted_leak_is_found(
    game: type[Sound], law: Law, monkeypatch: pytest.MonkeyPatch
) -> None:
    if law != Law.SECRET:  # which alone the openings are played for
        monkeypatch.setattr(certifier, "OPENINGS", 2)
    found = certify(game(compiled=False), players=2, agents=["osla"], **SMALL)
    assert law in found.broken
    leak = next(leak for leak in found.findings if leak.law == law)
    assert len(str(leak.spot).split(":")) == 4 or law == Law.SECRET
    assert leak.message in str(found)
    if leak.spot.game is not None:
        assert leak.replay(game(compiled=False)).tick == leak.spot.tick


def test_rules_that_break_the_contract_are_not_certified() -> None:
    found = certify(HidesNothing(compiled=False), players=2, agents=[], **SMALL)
    assert not found.ok
    assert not found.to_json()["ok"]
    assert found.broken == [Law.EXCEPTION]
    assert "it is declared open, so it can be neither hidden nor shown" in str(found)
    assert "kibitz check hides-nothing --players 2" in str(found)
    assert found.verdict.startswith("not certified")
    assert found.swaps == 0


def test_a_mistake_in_describe_is_named_with_its_line() -> None:
    found = certify(Clumsy(compiled=False), players=2, agents=[], **SMALL)
    assert found.broken == [Law.SHOWN]
    leak = found.findings[0]
    assert re.search(r"KeyError: 'nothing' \(.*test_certify.py:\d+, in describe", leak.message)


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (ShownAtOnce, "the game declares choice as hidden"),
        (OverAtOnce, "nobody decides anything"),
    ],
)
def test_what_tests_nothing_is_not_certified(game: type[Secret], reason: str) -> None:
    found = certify(game(compiled=False), players=2, agents=[], **SMALL)
    assert not found.findings
    assert not found.ok
    assert reason in found.verdict
    assert found.to_json()["verdict"] == found.verdict


def test_a_secret_that_is_kept_is_certified() -> None:
    found = certify(Secret(compiled=False), players=2, agents=[], **SMALL)
    assert found.ok, str(found)
    assert found.hides


@pytest.mark.parametrize("keeper", [0, 1])
def test_a_seat_that_sees_all_counts_for_nothing_beside_one_that_does_not(keeper: int) -> None:
    table = Kept(compiled=False).table(2, {"keeper": keeper})
    found = certify(table, states=6, swaps=10, outputs=2, sets=2, agents=[])
    assert found.ok
    assert found.hides
    assert found.verdict == "no leak was found."
    other = [
        sum(is_other(position.state.determinize(seat, seed), position.state) for seed in range(10))
        for seat in range(2)
        for position in Games(table, 0).sample(6)
    ]
    assert other[6 * keeper :][:6] == [0] * 6
    assert found.swaps == 2 * 6 * 10
    assert found.differed == found.tried[Law.OBSERVATION] == sum(other)
    assert [(each.seat, each.worlds) for each in found.sets] == [(1 - keeper, 6)] * 2


@pytest.mark.parametrize("sample", ["2", "worlds"])
def test_a_spot_of_a_seat_that_sees_all_is_not_certified(sample: str) -> None:
    table = Kept(compiled=False).table(2)
    found = certify(table, at=f"0:1:2:{sample}", agents=[])
    assert not found.hides
    assert found.verdict == (
        "not certified: the game declares cards as hidden, but in 1 state nothing hidden could be "
        "sampled anew."
    )
    assert certify(table, at=f"0:1:1:{sample}", agents=[]).verdict == "no leak was found."


def test_where_nothing_is_declared_as_hidden_nothing_can_leak() -> None:
    found = certify("tic-tac-toe", states=4, swaps=2, outputs=1, sets=1)
    assert found.ok
    assert found.verdict == "nothing is hidden, so nothing can leak."
    assert not found.tried.total()
    assert found.rules > 0


@pytest.mark.parametrize("spot", ["1:2:3", "1:2:0:0", "1:2:3:0", "1:2:1:-1", "0:99999:1:0"])
def test_spots_that_do_not_exist_are_refused(spot: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(spot.removesuffix(":1:0"))):
        certify("kuhn-poker", at=spot)


def test_an_open_number_that_tells_a_part_is_named() -> None:
    tested, (found,) = telling(PartLeak(compiled=False).table(2), 0)
    assert tested > 1
    assert (found.path, found.spot.seat) == ("note.values[1]", 0)
    assert "hands[1]" in found.message


def test_open_numbers_that_differ_by_chance_tell_nothing() -> None:
    """Colt Express draws from decks without order; Crazy Eights turns a card up."""
    for game in ("colt-express", "crazy-eights"):
        tested, found = telling(kibitz.load(game).table(), 1)
        assert tested > 50
        assert found == []


FORGETFUL: dict[str, dict[str, Any]] = {
    "coup": {"at": "0:24:1:0"},
    "cuckoo": {"at": "1:2:1:0"},
    "go-fish": {"at": "2:3:1:1"},
    "president": {"at": "2:79:3:worlds", "seed": 1},
    "recycle-uno": {"at": "0:406:2:1"},
    "schnapsen": {"at": "11:19:2:0"},
    "skull": {"at": "0:88:3:0"},
}
"""Games whose samples contradict play, as where somebody lacks a rank that they asked for, and for
each a spot that shows it."""

SHORT = {"uno": {"target": 0}}
"""Parameters of games that take thousands of actions otherwise: one round."""


@pytest.mark.parametrize("game", sorted(game.name for game in kibitz.games()))
def test_library_games_leak_nothing(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certifier, "OPENINGS", 20)  # enough for a number that tells a card
    small = {"states": 4, "swaps": 10, "outputs": 2, "sets": 1, "agents": ["osla"]}
    found = certify(game, parameters=SHORT.get(game, {}), **small)
    assert set(found.broken) <= ({Law.MEMORY} if game in FORGETFUL else set()), str(found)
    assert found.swaps > 0
    assert found.complete


@pytest.mark.parametrize("game", FORGETFUL)
def test_samples_of_some_library_games_forget(game: str) -> None:
    """A game that passes is to be taken off the list, and off that in docs/certificates.md."""
    assert certify(game, **FORGETFUL[game]).broken == [Law.MEMORY]


def test_worlds_are_the_nodes_of_the_tree() -> None:
    """Kuhn poker: as many worlds as its information set has nodes, and uniform samples."""
    table = kibitz.load("kuhn-poker").table()
    tree = grow_tree(table)
    sizes = {int((tree.infoset == i).sum()) for i in range(len(tree.infoset_player))}
    games, finder = Games(table, 0), WorldFinder(table)
    for number in range(4):
        end = games.position(number)
        path = games.path(end)
        worlds = finder.find(path[:2], end.actions[:1], path[1].current_player)
        assert worlds is not None
        assert {len(worlds.keys)} == sizes


def test_worlds_of_a_new_round_have_the_same_chance_but_not_those_of_a_renewed_stock() -> None:
    """In Uno hands are kept while discards are shuffled into the stock; a round deals all anew."""
    pack = {"cards_each": 3, "numbers": 2, "copies": 1, "wilds": 0, "wild_draw_fours": 2}
    pack |= {"skips": 0, "reverses": 0, "draw_twos": 0, "wild_draw_four": "free"}
    table = kibitz.load("uno").table(2, pack)
    games = Games(table, 0)
    renewed = dealt = 0
    for number in range(8):
        end = games.position(number, 120)
        path = games.path(end)
        for before, action, after in zip(path, end.actions, path[1:], strict=False):
            if after.is_terminal or after.view.round > before.view.round:
                dealt += not after.is_terminal
                assert after.is_terminal or deals_anew(before, action, 0)
            elif after.view.newest.value > before.view.newest.value and uncertain(after, 0):
                renewed += 1
                assert not deals_anew(before, action, 0)
    assert renewed > 10
    assert dealt > 5


def test_what_is_no_promise_is_not_broken() -> None:
    """Worlds that differ in their chance have no p-value, and the certificate says so."""
    table = kibitz.load("uno").table()
    games, finder = Games(table, 0), WorldFinder(table)
    end = games.position(1)
    worlds = finder.find(games.path(end)[:3586], end.actions[:3585], 0)
    assert worlds is not None
    assert not worlds.equal
    assert worlds.since > 0
    found = compare(finder, worlds, "1:3585:1", 0)
    assert (found.worlds, found.impossible, found.p) == (3, 0, None)


@pytest.fixture
def forgetful_spades(monkeypatch: pytest.MonkeyPatch) -> RecycleGame:
    """Spades, in whose samples nothing is concluded from play."""
    monkeypatch.setattr(conclusions, "of", lambda program: conclusions.Conclusions())
    return RecycleGame(Source("spades.rcy", kibitz.load("spades").rules_text[1]), "spades")


def test_samples_that_forget_are_counted(forgetful_spades: RecycleGame) -> None:
    """Spades: a sample may give a card to who showed to have none of its suit."""
    found = certify(forgetful_spades, states=4, swaps=5, outputs=0, sets=2)
    assert not found.ok
    assert found.broken == [Law.MEMORY]
    assert 0 < found.impossible < found.samples
    assert "not certified. No leak was found, but samples contradict" in str(found)


def test_a_contradiction_names_the_action_and_the_cards(forgetful_spades: RecycleGame) -> None:
    """And the command that shows it alone."""
    found = certify(forgetful_spades, states=8, swaps=5, outputs=0, sets=1)
    leak = next(leak for leak in found.findings if str(leak.spot)[-1].isdigit())
    assert re.search(r"contradicts action \d+ of the game: player \d could not have", leak.message)
    assert re.search(r"In the sample hand\[\d\] has '.*', in truth '", leak.message)
    command = found.command(leak.spot)
    assert command == f"kibitz certify spades --players 4 --seed 0 --at {leak.spot}"
    assert command in str(found)
    assert certify(forgetful_spades, at=str(leak.spot)).findings == [leak]


def test_the_place_of_a_known_card_in_a_hand_contradicts_nothing() -> None:
    """Exploding Kittens: an Attack has left the hand, and a sample has two more of them."""
    table = kibitz.load("exploding-kittens").table()
    games = Games(table, 0)
    path = games.path(position := games.position(20, 13))
    since = last_draw(path)
    contents = [rows(state) for state in path[since:]]
    past = Past(WorldFinder(table), path[since:], contents, position.actions[since:], 0)
    assert past.recall(position.state.determinize(0, 1)).possible is None


class ForgetsTies(LoveLetter):
    """Deals after a tied duel as if nobody had seen it."""

    name = "forgets-ties"

    @staticmethod
    def redeterminize(state: Any, params: Any, player: int) -> None:
        state.ties.values[0] = 0

    @staticmethod
    def is_consistent(state: Any, params: Any, player: int) -> bool:
        return True


def contradictions(game: LoveLetter) -> tuple[int, int]:
    """Of samples for the third player soon after a tied duel: those told apart, and impossible."""
    table = game.table(3)
    finder, games = WorldFinder(table), Games(table, 0)
    decided = impossible = number = 0
    while decided < 40:
        path = games.path(end := games.position(number))
        number += 1
        for tick in range(1, end.tick):
            past = path[: tick + 1]
            since = last_draw(past)
            if since == tick or not past[-1].view.ties.values[0] or past[-1].is_terminal:
                continue
            tied = {past[-1].view.tied.values[side] - 1 for side in (0, 1)}
            for seat in {0, 1, 2} - tied:
                contents = [rows(state) for state in past[since:]]
                seen = Past(finder, past[since:], contents, end.actions[since:tick], seat)
                for seed in range(4):
                    possible = seen.recall(past[-1].determinize(seat, seed)).possible
                    decided += possible is not None
                    impossible += possible is False
    return decided, impossible


def test_samples_agree_with_a_tied_baron() -> None:
    assert contradictions(LoveLetter())[1] == 0


def test_samples_that_forget_a_tied_baron_are_found() -> None:
    decided, impossible = contradictions(ForgetsTies())
    assert impossible > decided / 2


def test_the_true_state_never_contradicts_what_was_seen() -> None:
    """Where all cards are followed, and equal ones may be confused."""
    for name, players in (("love-letter", 4), ("spades", 4), ("gops", 2), ("uno", 2)):
        table = kibitz.load(name).table(players)
        finder, games = WorldFinder(table), Games(table, 1)
        for position in games.sample(6):
            path = games.path(position)
            since = last_draw(path)
            if 0 < position.tick - since < 300:
                contents = [rows(state) for state in path[since:]]
                for seat in range(players):
                    past = Past(finder, path[since:], contents, position.actions[since:], seat)
                    assert past.recall(position.state).possible is not False


class ScoreLeak(Sound):
    """After each action the score is the sum of two hidden cards."""

    name = "score-leak"

    @staticmethod
    def apply_action(state: Any, params: Any, action: int) -> None:
        player = state.player
        Sound.apply_action(state, params, action)
        hand = state.hands[player]
        if hand.count > 1:
            state.seat[player].score = hand.cards[0] + hand.cards[1]


def test_a_number_that_is_a_function_of_hidden_cards_is_named() -> None:
    found = certify(
        ScoreLeak(compiled=False), players=2, states=2, swaps=2, outputs=1, sets=0, agents=[]
    )
    messages = [str(leak) for leak in found.findings if leak.law == Law.SECRET]
    assert any(m.startswith("seat[0].score: in all states it is a function of") for m in messages)
    assert any("hands[0].cards" in message for message in messages)


def test_a_text_that_is_a_function_of_a_hidden_card_is_named() -> None:
    """The colour of the next card, in a game of the language."""
    game = kibitz.load(CASES / "leak-string.rcy")
    found = certify(game, states=2, swaps=2, outputs=1, sets=0, agents=[])
    assert found.broken == [Law.SECRET]
    (leak,) = found.findings
    assert leak.path == "seen.value"
    assert leak.message.startswith("in all states it is a function of stock.cards[-1]")


def test_unused_cards_are_no_secret() -> None:
    """Skull: the cards of absent players lie in the box, and all hands are alike."""
    games = Games(kibitz.load(CASES / "skull.rcy").table(4), 0)
    unused = unused_places(games)
    assert {f"box.cards[{i}]" for i in range(8)} <= unused
    assert not any(place.startswith("stack") for place in unused)


def test_cards_that_something_depends_on_are_not_unused() -> None:
    """Every game begins with the same cards in the same order, which are drawn."""
    assert unused_places(Games(kibitz.load("kuhn-poker").table(), 0)) == frozenset()


def test_what_was_told_in_private_excludes_deals() -> None:
    """A spy knows the other spy; who is Merlin among the others, the spy does not know."""
    table = Spies(compiled=False).table(5)
    games, finder = Games(table, 0), WorldFinder(table)
    sizes = set()
    for number in range(6):
        end = games.position(number, 1)
        path = games.path(end)
        for seat in range(5):
            worlds = finder.find(path[:1], (), seat)
            assert worlds is not None
            assert worlds.equal
            sizes.add((int(path[0].view.role[seat].cards[0]), len(worlds.keys)))
    assert sizes == {(0, 12), (1, 1), (2, 3)}


def test_the_page_prints_what_it_says() -> None:
    page = Path(__file__).parent.parent.parent / "docs" / "certificates.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert (result.attempted, result.failed) == (4, 0)


def test_arrangements_are_distinct() -> None:
    assert len(set(arrangements([2, 1, 1, 0]))) == len(list(arrangements([2, 1, 1, 0]))) == 12
