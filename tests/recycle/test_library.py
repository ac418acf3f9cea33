"""The library: its files are clean, its games play by their rules, however they are set up."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.recycle import native
from tests.recycle.stacked import RANKS, Stacked, hands, library_program, suit

from kibitz.core.status import Status
from kibitz.languages.recycle_trial import try_out
from kibitz.recycle import library
from kibitz.recycle.checker import diagnose, silenced
from kibitz.recycle.formatter import format_text
from kibitz.recycle.game import RecycleGame
from kibitz.recycle.parser import read_header
from kibitz.syntax.source import Severity, Source

SUITS = ("CLUBS", "DIAMONDS", "HEARTS", "SPADES")
FILES = sorted(library.FOLDER.glob("*.rcy"))
NAMES = [file.stem for file in FILES]


def test_there_are_all_games() -> None:
    of_the_paper = {"agram", "gops", "hearts", "lost-cities", "pairs", "recycle-uno", "spades"}
    of_the_paper |= {"war"}
    others = {"continuous-pairs", "crazy-eights", "cuckoo", "go-fish", "golf", "kuhn-poker"}
    others |= {"leduc-poker", "ninety-eight", "pairs-round", "president", "scopa"}
    others |= {"stealing-bundles", "whist", "coup", "six-nimmt", "schnapsen", "sushi-go"}
    others |= {"skull", "for-sale", "parade", "the-game", "cribbage", "red7", "skyjo"}
    others |= {"recycle-hanabi"}
    assert set(NAMES) == of_the_paper | others


@pytest.mark.parametrize("file", FILES, ids=NAMES)
def test_every_game_is_clean_for_strict_checks(file: Path) -> None:
    """Nothing is warned of, in the text or in games at all corners of its header."""
    source = Source.load(file)
    diagnostics = [*diagnose(source), *try_out(RecycleGame(source)).diagnostics]
    reported = [
        diagnostic
        for diagnostic in silenced(diagnostics, source)
        if diagnostic.severity is not Severity.REMARK
    ]
    assert reported == []


@pytest.mark.parametrize("file", FILES, ids=NAMES)
class TestFile:
    def test_says_what_it_is(self, file) -> None:
        header = read_header(Source.load(file))
        assert header.title
        assert header.about.endswith(".")
        assert header.url.startswith("https://")
        assert "Players:" in file.read_text()
        for parameter in header.parameters:
            assert parameter.doc, parameter.name
            assert parameter.low < parameter.high

    def test_is_formatted(self, file) -> None:
        text = file.read_text()
        assert format_text(text) == text
        assert max(map(len, text.splitlines())) <= 99

    def test_has_nothing_to_complain_about(self, file) -> None:
        assert diagnose(Source.load(file)) == []

    def test_comes_to_an_end(self, file) -> None:
        """At all numbers of players, with every card in one place; War may go on for ever."""
        game = RecycleGame(Source.load(file))
        ends = {Status.FINISHED, *([Status.LOOP, Status.LIMIT] if file.stem == "war" else [])}
        for players in {*game.players, game.usual_players}:
            played = native.play(game.table(players), 20)
            assert not played["misplaced"].any()
            assert set(played["status"].tolist()) <= ends


# --- Agram --------------------------------------------------------------------------------


class TestAgram:
    DEAL = hands(["THREE CLUBS", "A HEARTS"], ["TEN SPADES", "FOUR CLUBS"])

    def test_suit_must_be_followed_and_wins(self) -> None:
        game = Stacked.of("agram", self.DEAL, players=2, hand=2)
        game.choose("THREE CLUBS")
        assert game.offered() == ["FOUR CLUBS"]
        game.choose("FOUR CLUBS")
        assert game.player == 1  # leads, having won
        game.choose("TEN SPADES", "A HEARTS")
        assert game.scores == [0, 1]

    def test_other_suits_do_not_win(self) -> None:
        game = Stacked.of("agram", self.DEAL, players=2, hand=2)
        game.choose("A HEARTS")
        assert sorted(game.offered()) == ["FOUR CLUBS", "TEN SPADES"]
        game.choose("TEN SPADES")
        assert game.player == 0
        game.choose("THREE CLUBS", "FOUR CLUBS")
        assert game.scores == [0, 1]

    def test_another_trick_can_decide(self) -> None:
        game = Stacked.of("agram", self.DEAL, players=2, hand=2, decider=1)
        game.choose("A HEARTS", "TEN SPADES")
        assert game.scores == [1, 0]

    def test_the_pack(self) -> None:
        program = library_program("agram")
        assert len(program.cards) == 35
        assert {"RANK": "A", "SUIT": "SPADES"} not in [card.attributes for card in program.cards]


# --- GOPS ---------------------------------------------------------------------------------


class TestGops:
    PRIZES = ", ".join(suit("DIAMONDS", ["K", "TWO", "THREE"]))

    def test_the_higher_bid_wins_the_prize(self) -> None:
        game = Stacked.of("gops", self.PRIZES)
        game.choose("TEN CLUBS", "NINE SPADES", "TWO SPADES", "A CLUBS")
        assert game.cards(0, "vloc", "WON") == ["K DIAMONDS"]
        assert game.cards(1, "vloc", "WON") == ["TWO DIAMONDS"]

    @pytest.mark.parametrize(("carry", "won"), [(0, 2), (1, 15)])
    def test_equal_bids(self, carry: int, won: int) -> None:
        game = Stacked.of("gops", self.PRIZES, carry=carry)
        game.choose("TEN CLUBS", "TEN SPADES", "Q SPADES", "K CLUBS")
        assert len(game.cards("game", "vloc", "DISCARD")) == 1 - carry
        value = {"K DIAMONDS": 13, "TWO DIAMONDS": 2}
        assert sum(value[card] for card in game.cards(0, "vloc", "WON")) == won

    def test_a_bid_is_secret(self) -> None:
        game = Stacked.of("gops", self.PRIZES)
        game.choose("TEN CLUBS")
        bid = game.names.index("TEN CLUBS")
        assert game.knowers(bid) == {0}
        game.choose("NINE SPADES")
        assert game.knowers(bid) == {0, 1}


# --- Hearts -------------------------------------------------------------------------------


class TestHearts:
    ONE_SUIT_EACH = hands(suit("CLUBS"), suit("HEARTS"), suit("SPADES"), suit("DIAMONDS"))

    def test_the_moon(self) -> None:
        game = Stacked.of("hearts", self.ONE_SUIT_EACH, **{"pass": 0, "rounds": 1})
        assert game.finish() == [0, 26, 26, 26]

    def test_no_points_in_the_first_trick_if_possible(self) -> None:
        game = Stacked.of("hearts", self.ONE_SUIT_EACH, **{"pass": 0})
        assert game.offered() == []  # the lowest club, whether one likes it or not
        game.choose("#0")
        assert game.cards(0, "vloc", "TRICK") == ["TWO CLUBS"]
        assert sorted(game.offered()) == sorted(suit("HEARTS"))
        game.choose("A HEARTS")
        assert sorted(game.offered()) == sorted(set(suit("SPADES")) - {"Q SPADES"})

    def test_hearts_are_led_when_broken(self) -> None:
        deal = hands(
            ["TWO CLUBS", "A HEARTS", *suit("DIAMONDS")[:11]],
            ["A CLUBS", "K HEARTS", *suit("SPADES")[:11]],
            ["THREE CLUBS", *suit("HEARTS")[2:13], "THREE SPADES"],
            [*suit("CLUBS")[1:11], "TWO SPADES", "THREE DIAMONDS", "TWO DIAMONDS"],
        )
        game = Stacked.of("hearts", deal, **{"pass": 0})
        game.choose("#0", "A CLUBS", "THREE CLUBS", "K CLUBS")
        assert game.player == 1
        assert "K HEARTS" not in game.offered()
        game.choose("A SPADES", "THREE SPADES", "TWO SPADES", "A HEARTS")
        assert game.player == 1
        assert "K HEARTS" in game.offered()

    @pytest.mark.parametrize(("values", "broken"), [({}, 0), ({"queen": 1}, 1)])
    def test_the_queen_of_spades_does_not_break_hearts(
        self, values: dict[str, int], broken: int
    ) -> None:
        deal = hands(
            ["TWO CLUBS", "Q SPADES", *suit("DIAMONDS")[:11]],
            ["A CLUBS", "K HEARTS", "A SPADES", "K SPADES", *suit("CLUBS")[1:10]],
            ["FOUR CLUBS", "TWO SPADES", "A HEARTS", *suit("HEARTS")[2:12]],
            ["THREE CLUBS", "THREE SPADES"],
        )
        game = Stacked.of("hearts", deal, **{"pass": 0, **values})
        game.choose("#0", "A CLUBS", "FOUR CLUBS", "THREE CLUBS")
        game.choose("A SPADES", "TWO SPADES", "THREE SPADES", "Q SPADES")
        assert game.number("game", "BROKEN") == broken

    @pytest.mark.parametrize(
        ("deal", "target"), [(0, 1), (1, 3), (2, 2), (3, 0)], ids=["left", "right", "across", "-"]
    )
    def test_passing(self, deal: int, target: int) -> None:
        game = Stacked.of("hearts", points=500)
        while game.number("game", "DEALS") < deal:
            game.play(0)
        mine = game.cards(0, "iloc", "HAND")
        if target == 0:
            assert all(len(game.cards(player, "iloc", "HAND")) == 13 for player in range(4))
            assert len(game.options()) == 1  # the first card is led
            return
        while game.cards(0, "iloc", "PASSED") or game.cards(0, "iloc", "HAND") == mine:
            game.play(0)
            if len(game.cards(0, "iloc", "PASSED")) == 3:
                passed = game.cards(0, "iloc", "PASSED")
        assert set(passed) <= set(game.cards(target, "iloc", "HAND"))
        for card in passed:  # who passed a card knows where it is
            assert game.knowers(game.names.index(card)) == {0, target}

    @pytest.mark.parametrize(("players", "out"), [(3, 1), (4, 0), (5, 2)])
    def test_cards_that_stay_out(self, players: int, out: int) -> None:
        game = Stacked.of("hearts", players=players, **{"pass": 0})
        assert len(game.cards("game", "vloc", "OUT")) == out
        assert len(game.cards("game", "iloc", "STOCK")) == 0
        game.choose("#0")
        lowest = "THREE CLUBS" if players == 5 else "TWO CLUBS"
        assert any(game.cards(player, "vloc", "TRICK") == [lowest] for player in range(players))


# --- Spades -------------------------------------------------------------------------------


class TestSpades:
    DEAL = hands(suit("SPADES"), suit("HEARTS"), suit("CLUBS"), suit("DIAMONDS"))

    def play(self, bids: Sequence[int], **values: int) -> Stacked:
        """One hand in which the first player takes all tricks."""
        game = Stacked.of("spades", self.DEAL, rounds=1, **values)
        game.choose(*bids)
        game.finish()
        return game

    def test_contracts_and_bags(self) -> None:
        game = self.play([10, 1, 1, 2])
        assert game.scores == [112, -30, 112, -30]
        assert game.team_number(0, "BAGS") == 2

    def test_nil(self) -> None:
        assert self.play([10, 0, 0, 3]).scores == [203, 70, 203, 70]

    @pytest.mark.parametrize(("nil", "score", "bags"), [(0, -207, 3), (1, -169, 1)])
    def test_nil_that_fails(self, nil: int, score: int, bags: int) -> None:
        game = self.play([0, 1, 2, 1], nil=nil)
        assert game.scores[0] == score
        assert game.team_number(0, "BAGS") == bags

    @pytest.mark.parametrize(("cap", "most"), [(0, 13), (1, 4)])
    def test_partners_may_bid_more_than_13_together(self, cap: int, most: int) -> None:
        game = Stacked.of("spades", self.DEAL, cap=cap)
        game.choose(9, 0)
        assert [option.values for option in game.options()] == [(n,) for n in range(most + 1)]

    def test_partners_who_bid_more_than_13_lose_it_all(self) -> None:
        assert self.play([13, 1, 5, 1]).scores == [-180, -20, -180, -20]

    @pytest.mark.parametrize(("floor", "over"), [(259, True), (260, True), (261, False)])
    def test_a_side_that_falls_to_the_floor_has_lost(self, floor: int, over: bool) -> None:
        game = Stacked.of("spades", self.DEAL, floor=floor)
        game.choose(13, 1, 13, 1, *["#0"] * 52)
        assert game.team_number(0, "SCORE") == -260
        assert (game.status == "finished") == over

    def test_spades_are_led_when_broken(self) -> None:
        deal = hands(
            ["A SPADES", "A CLUBS", *suit("DIAMONDS")[:11]],
            ["K SPADES", *suit("HEARTS")[:12]],
            ["Q SPADES", *suit("CLUBS")[1:13]],
            ["TWO HEARTS", "THREE DIAMONDS", "TWO DIAMONDS", *suit("SPADES")[3:13]],
        )
        game = Stacked.of("spades", deal)
        game.choose(0, 0, 0, 0)
        assert "A SPADES" not in game.offered()
        game.choose("A CLUBS", "A HEARTS", "K CLUBS", "TWO HEARTS")
        assert "A SPADES" not in game.offered()
        game.choose("A DIAMONDS", "K SPADES")
        assert game.number("game", "BROKEN") == 1
        game.choose("Q CLUBS", "THREE DIAMONDS")
        assert game.player == 1  # a spade beats the ace

    def test_the_end(self) -> None:
        game = Stacked.of("spades", self.DEAL, self.DEAL, points=250)
        game.choose(13, 0, 0, 0, *["#0"] * 52)
        assert [game.team_number(team, "SCORE") for team in range(2)] == [230, 200]
        assert game.player == 1  # the deal passes
        game.choose(0, 0, 0, 13, *["#0"] * 52)
        assert game.scores == [460, 400, 460, 400]


# --- Whist --------------------------------------------------------------------------------


class TestWhist:
    DEAL = hands(suit("SPADES"), suit("HEARTS"), suit("CLUBS"), suit("DIAMONDS"))

    def test_the_last_card_makes_trumps(self) -> None:
        game = Stacked.of("whist", self.DEAL)
        assert game.state.texts["game", "TRUMPS"] == "DIAMONDS"
        shown = game.names.index("TWO DIAMONDS")
        assert game.knowers(shown) == {0, 1, 2, 3}
        assert "TWO DIAMONDS" in game.cards(3, "iloc", "HAND")
        game.choose("A SPADES", "A HEARTS", "A CLUBS", "TWO DIAMONDS")
        assert game.player == 3

    def test_tricks_above_six_count(self) -> None:
        game = Stacked.of("whist", self.DEAL)
        assert game.finish() == [0, 7, 0, 7]

    def test_the_deal_passes(self) -> None:
        game = Stacked.of("whist", self.DEAL, self.DEAL, points=8)
        while game.tick < 52:
            game.play(0)
        assert game.player == 1
        assert game.state.texts["game", "TRUMPS"] == "SPADES"


# --- Lost Cities --------------------------------------------------------------------------


COLORS = ["YELLOW", "BLUE", "WHITE", "GREEN", "RED"]
NUMBERS = ["TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"]


def expedition(ranks: Sequence[str]) -> int:
    """The score of an expedition according to the rules."""
    if not ranks:
        return 0
    investments = ranks.count("INVESTMENT")
    total = sum(NUMBERS.index(rank) + 2 for rank in ranks if rank != "INVESTMENT")
    return (total - 20) * (1 + investments) + (20 if len(ranks) >= 8 else 0)


class TestLostCities:
    DEAL = hands(
        [f"RED {rank}" for rank in ["FIVE", "SIX", "INVESTMENT", "INVESTMENT", "TEN", "TWO"]],
        ["BLUE TWO", "BLUE TEN"],
    )

    def start(self) -> Stacked:
        return Stacked.of("lost-cities", self.DEAL)

    def plays(self, game: Stacked) -> list[str]:
        """The cards with which an expedition can begin or go on: the first clause's."""
        first = game.options()[0].clause
        return [game.names[o.values[0]] for o in game.options() if o.clause == first]

    def test_expeditions_rise(self) -> None:
        game = self.start()
        assert len(self.plays(game)) == 8
        game.choose("RED INVESTMENT", "#0")  # and draws
        game.choose("#0", "#0")
        assert "RED INVESTMENT" in self.plays(game)
        game.choose("RED SIX", "#0", "#0", "#0")
        assert "RED TEN" in self.plays(game)
        assert not {"RED FIVE", "RED TWO", "RED INVESTMENT"} & set(self.plays(game))

    def test_what_was_just_discarded_stays(self) -> None:
        game = self.start()
        game.play(len(game.options()) - 1)  # the last card of the hand is discarded
        assert game.cards("game", "vloc", "BLUE") == ["BLUE TEN"]
        assert len(game.options()) == 1  # from the stock
        game.choose("#0", "#0")
        assert [o.values for o in game.options()] == [(), ("BLUE",)]

    @pytest.mark.parametrize("seed", range(8))
    def test_scores(self, seed: int) -> None:
        """In one round: the expeditions that lie there at the end are worth what they should."""
        game = Stacked(library_program("lost-cities", rounds=1))
        pick = random.Random(seed)
        rows: dict[tuple[int, str], list[str]] = {}
        while game.status == "playing":
            options = game.options()
            likely = [o for o in options if o.clause == options[0].clause]
            game.play(pick.choice(likely if pick.random() < 0.8 else options))
            if game.status == "playing":
                for player, color in itertools.product(range(2), COLORS):
                    cards = game.cards(player, "vloc", color)
                    rows[player, color] = [card.split()[1] for card in cards]
        assert game.scores == [sum(expedition(rows[p, c]) for c in COLORS) for p in range(2)]

    def test_worked_examples(self) -> None:
        assert expedition(["INVESTMENT"]) == -40
        assert expedition(["TWO", "THREE", "FOUR"]) == -11
        assert expedition(["INVESTMENT"] * 3 + NUMBERS) == 156

    def test_who_leads_begins(self) -> None:
        game = Stacked(library_program("lost-cities"))
        pick = random.Random(5)
        for round in range(1, 3):
            while game.number("game", "ROUND") < round:
                game.play(pick.randrange(len(game.options())))
            scores = [game.number(player, "SCORE") for player in range(2)]
            assert scores[game.player] == max(scores)


# --- Pairs --------------------------------------------------------------------------------


class TestPairs:
    BURNT = "TEN, TEN, NINE, NINE, EIGHT"

    def start(self, cards: str, name: str = "pairs", **values: int) -> Stacked:
        return Stacked.of(name, f"{self.BURNT}, {cards}", players=3, **values)

    def test_the_lowest_begins(self) -> None:
        assert self.start("SEVEN, TWO, THREE").player == 1

    def test_folding_takes_the_lowest_card(self) -> None:
        game = self.start("SEVEN, TWO, THREE, FOUR")
        game.choose("#1")  # a card
        assert game.player == 2
        game.choose("#0")  # folds
        assert game.cards(2, "vloc", "POINTS") == ["TWO"]
        discards = game.cards("game", "vloc", "DISCARD")
        assert sorted(discards) == ["FOUR", "SEVEN", "THREE"]

    def test_a_pair_costs_its_value(self) -> None:
        game = self.start("SEVEN, TWO, THREE, TWO")
        game.choose("#1")
        assert game.cards(1, "vloc", "POINTS") == ["TWO"]

    def test_a_tie_is_broken_by_another_card(self) -> None:
        game = self.start("SEVEN, TWO, TWO, FIVE, FOUR", ties=1)
        assert game.player == 2
        assert game.cards(1, "vloc", "HAND") == ["TWO", "FIVE"]
        assert game.cards(2, "vloc", "HAND") == ["TWO", "FOUR"]

    def test_a_pair_that_breaks_a_tie_is_thrown_away(self) -> None:
        game = self.start("SEVEN, THREE, THREE, FIVE, THREE", ties=1)
        assert game.player == 2
        assert game.cards(2, "vloc", "HAND") == ["THREE"]
        assert game.cards("game", "vloc", "DISCARD") == ["THREE"]

    def test_a_tie_that_lasts(self) -> None:
        game = self.start("SEVEN, THREE, THREE, FIVE, FIVE, NINE, SIX", ties=1)
        assert game.player == 2
        assert game.cards(1, "vloc", "HAND") == ["THREE", "FIVE", "NINE"]

    def test_a_tie_is_broken_by_lot(self) -> None:
        program = library_program("pairs", 3, ties=0)
        first = [0, 0, 0]
        for seed in range(60):
            game = Stacked(program, f"{self.BURNT}, SEVEN, TWO, TWO, FIVE, FOUR", seed=seed)
            first[game.player] += 1
            assert game.cards(1, "vloc", "HAND") == game.cards(2, "vloc", "HAND") == ["TWO"]
        assert first[0] == 0
        assert (first[1] - 30) ** 2 / 15 < 10.83  # chi-square: once in a thousand times

    def test_who_reaches_the_limit_loses(self) -> None:
        game = self.start("SEVEN, TWO, THREE")
        while game.status == "playing":
            assert all(game.number(player, "OVER") == 0 for player in range(3))
            game.choose("#1")
        assert max(game.scores) > 20
        assert sorted(game.scores)[1] <= 20

    def test_continuous(self) -> None:
        game = self.start("SEVEN, TWO, THREE, TWO", "continuous-pairs")
        game.choose("#1")
        assert game.cards(1, "vloc", "POINTS") == ["TWO"]
        assert game.cards(1, "vloc", "HAND") == []
        assert game.cards(0, "vloc", "HAND") == ["SEVEN"]
        assert game.player == 2
        game.choose("#0")  # folds, and takes the own three
        assert game.cards(2, "vloc", "POINTS") == ["THREE"]
        game.choose("#1")
        assert game.player == 1
        assert len(game.options()) == 1  # must take a card


# --- War ----------------------------------------------------------------------------------


def war(piles: Sequence[list[str]], down: int, turns: int) -> list[int] | None:
    """Plays the game that the piles, top card last, decide; returns their sizes at its end, or
    ``None`` if it takes more than `turns` turns."""
    strength = RANKS[::-1]
    stake: list[str] = []
    for turn in range(turns):
        if not all(piles):
            return [len(pile) for pile in piles]
        cards = [pile.pop() for pile in piles]
        first, second = (strength.index(card.split()[0]) for card in cards)
        if first == second:
            stake += cards
            spare = max(0, min(down, *(len(pile) - 1 for pile in piles)))
            for player in (1, 0) if turn % 2 == 0 else (0, 1):
                stake += [piles[player].pop() for _ in range(spare)]
        else:
            winner = piles[0 if first > second else 1]
            winner[:0] = reversed([*reversed(stake), *cards])
            stake = []
    return None


class TestWar:
    @pytest.mark.parametrize("down", [1, 3, 5])
    def test_goes_as_it_must(self, down: int) -> None:
        ended = 0
        for seed in range(20):
            cards = [card for name in SUITS for card in suit(name)]
            random.Random(seed).shuffle(cards)
            sizes = war([cards[:26], cards[26:]], down, turns=800)
            if sizes is not None:
                ended += 1
                game = Stacked.of("war", ", ".join(cards), down=down)
                assert game.finish() == sizes
        assert ended

    def test_return_shuffled(self) -> None:
        tops = ["A CLUBS", "TWO CLUBS"]
        others = [card for name in SUITS for card in suit(name) if card not in tops]
        deal = [*others[:25], tops[0], *others[25:], tops[1]]
        game = Stacked.of("war", ", ".join(deal), shuffled=1)
        game.choose("#0")
        pile = game.cards(0, "hloc", "PILE")
        assert set(pile[:2]) == set(tops)
        assert pile[2:] == others[:25]


# --- Kuhn poker ---------------------------------------------------------------------------


WINS = {"##": (1, -1), "#bf": (-1, -1), "#bc": (2, -2), "bf": (1, 1), "bc": (2, -2)}
"""The first player's win with the higher card and with the lower one, by the sequence of checks
(#), bets (b), calls (c) and folds (f)."""


class TestKuhnPoker:
    @pytest.mark.parametrize("cards", list(itertools.permutations("JQK", 2)))
    @pytest.mark.parametrize("moves", list(WINS))
    def test_stakes(self, cards: tuple[str, str], moves: str) -> None:
        game = Stacked.of("kuhn-poker", ", ".join(cards))
        for move in moves:
            game.choose({"#": "#0", "b": "#1", "c": "#0", "f": "#1"}[move])
        win = WINS[moves][0 if "JQK".index(cards[0]) > "JQK".index(cards[1]) else 1]
        assert game.scores == [win, -win]
        shown = game.cards(0, "vloc", "SHOWN") + game.cards(1, "vloc", "SHOWN")
        assert len(shown) == (0 if "f" in moves else 2)


# --- Leduc poker --------------------------------------------------------------------------


OFFERED = ("xb", "crf", "cf")
"""The options after no, one and two bets: x checks, b bets, c calls, r raises, f folds."""


class TestLeducPoker:
    @pytest.mark.parametrize(
        ("cards", "moves", "scores"),
        [
            ("J H, Q H, K H", "xxxx", (-1, 1)),
            ("J H, Q H, J S", "xxxx", (1, -1)),  # a pair beats the higher card
            ("J H, Q H, Q S", "xxxx", (-1, 1)),
            ("Q H, Q S, K H", "xxxx", (0, 0)),  # equal ranks share
            ("J H, Q H, K H", "bf", (1, -1)),
            ("J H, Q H, K H", "xbf", (-1, 1)),
            ("J H, Q H, K H", "brf", (-3, 3)),
            ("J H, Q H, K H", "bcxx", (-3, 3)),
            ("J H, Q H, K H", "brcxx", (-5, 5)),
            ("J H, Q H, J S", "brcbrc", (13, -13)),
            ("J H, Q H, J S", "xxbf", (1, -1)),
            ("J H, Q H, J S", "xxbrf", (-5, 5)),
        ],
    )
    def test_stakes(self, cards: str, moves: str, scores: tuple[int, int]) -> None:
        names = cards.replace(" H", " HEARTS").replace(" S", " SPADES")
        game = Stacked.of("leduc-poker", names)
        for move in moves:
            game.choose(f"#{OFFERED[game.number('game', 'BETS')].index(move)}")
        assert game.scores == list(scores)

    def test_at_most_one_raise(self) -> None:
        game = Stacked.of("leduc-poker", "J HEARTS, Q HEARTS, K HEARTS")
        for bets in range(3):
            assert game.number("game", "BETS") == bets
            assert len(game.options()) == len(OFFERED[bets])
            game.choose("#1")

    def test_the_first_player_begins_both_rounds(self) -> None:
        game = Stacked.of("leduc-poker", "J HEARTS, Q HEARTS, K HEARTS")
        for _ in range(2):
            assert game.player == 0
            game.choose("#0")
            assert game.player == 1
            game.choose("#0")


# --- Crazy Eights -------------------------------------------------------------------------


class TestCrazyEights:
    HANDS = hands(
        ["TWO CLUBS", "EIGHT HEARTS", "A SPADES", "K DIAMONDS", "TWO SPADES"],
        ["A CLUBS", "THREE HEARTS", "FOUR HEARTS", "Q SPADES", "J DIAMONDS"],
        ["A DIAMONDS", "THREE CLUBS", "FOUR CLUBS", "Q CLUBS", "J CLUBS"],
    )

    def start(self, first: str = "TWO HEARTS", **values: int) -> Stacked:
        return Stacked.of("crazy-eights", f"{self.HANDS}, {first}", players=3, **values)

    def test_suit_or_rank(self) -> None:
        game = self.start()
        assert game.offered() == ["TWO CLUBS", "EIGHT HEARTS", "TWO SPADES"]

    def test_an_eight_names_the_suit(self) -> None:
        game = self.start()
        game.choose("EIGHT HEARTS")
        assert game.player == 0
        game.choose("SPADES")
        assert game.player == 1
        assert game.offered() == ["Q SPADES"]

    def test_an_eight_is_not_turned_up_first(self) -> None:
        game = self.start("EIGHT CLUBS")
        assert "EIGHT" not in game.cards("game", "vloc", "PILE")[0]

    def test_drawing_is_limited(self) -> None:
        game = self.start(draws=2)
        draw = f"#{len(game.options()) - 1}"
        game.choose(draw)
        assert game.player == 0
        game.play(len(game.options()) - 1)
        assert game.player == 0
        assert len(game.cards(0, "iloc", "HAND")) == 7
        game.play(len(game.options()) - 1)  # passes
        assert game.player == 1
        assert game.cards("game", "vloc", "PILE") == ["TWO HEARTS"]

    def test_it_ends_when_nobody_can_go_on(self) -> None:
        game = self.start()
        while game.cards("game", "iloc", "STOCK"):
            game.play(len(game.options()) - 1)  # draws, or passes after the fifth card
        for _ in range(3):
            assert game.status == "playing"
            game.play(len(game.options()) - 1)
        assert game.status == "finished"

    def test_cards_left_cost_points(self) -> None:
        game = self.start()
        game.choose("TWO SPADES", "Q SPADES", "Q CLUBS")
        game.choose("TWO CLUBS", "A CLUBS", "A DIAMONDS")
        game.choose("K DIAMONDS", "J DIAMONDS", "J CLUBS")
        game.choose("EIGHT HEARTS", "SPADES")
        while game.player != 0:
            game.play(len(game.options()) - 1)  # draws, or passes after the fifth card
        held = [game.cards(player, "iloc", "HAND") for player in (1, 2)]
        game.choose("A SPADES")
        worth = [sum(self.price(card) for card in cards) for cards in held]
        assert game.scores == [0, *worth]

    def price(self, card: str) -> int:
        rank = card.split()[0]
        if rank == "EIGHT":
            return 50
        ranks = ["A", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"]
        return ranks.index(rank) + 1 if rank in ranks else 10


# --- Go Fish ------------------------------------------------------------------------------


class TestGoFish:
    HANDS = hands(
        ["TWO CLUBS", "TWO HEARTS", "A SPADES", "K DIAMONDS", "THREE SPADES"],
        ["A CLUBS", "TWO SPADES", "TWO DIAMONDS", "Q SPADES", "J DIAMONDS"],
        ["A DIAMONDS", "THREE CLUBS", "FOUR CLUBS", "Q CLUBS", "J CLUBS"],
        ["A HEARTS", "NINE CLUBS", "NINE HEARTS", "NINE SPADES", "SIX CLUBS"],
    )

    def start(self, next_cards: str = "SEVEN CLUBS", **values: int) -> Stacked:
        return Stacked.of("go-fish", f"{self.HANDS}, {next_cards}", players=4, **values)

    def test_one_asks_for_what_one_has(self) -> None:
        game = self.start()
        ranks = {option.values for option in game.options()}
        assert ranks == set(itertools.product([1, 2, 3], ["A", "TWO", "THREE", "K"]))

    def test_cards_are_handed_over(self) -> None:
        game = self.start()
        game.choose((3, "A"))
        assert game.player == 0
        assert "A HEARTS" in game.cards(0, "iloc", "HAND")
        assert game.knowers(game.names.index("A HEARTS")) == {0, 1, 2, 3}
        assert game.knowers(game.names.index("A SPADES")) == {0}

    def test_a_book(self) -> None:
        game = self.start()
        game.choose((1, "TWO"))
        assert len(game.cards(0, "vloc", "BOOKS")) == 4
        assert game.player == 0

    @pytest.mark.parametrize(("following", "player"), [(0, 2), (1, 1)])
    def test_go_fish(self, following: int, player: int) -> None:
        """The turn goes to whoever said it, or as a variant to the left."""
        game = self.start(next=following)
        game.choose((2, "K"))
        assert "SEVEN CLUBS" in game.cards(0, "iloc", "HAND")
        assert game.knowers(game.names.index("SEVEN CLUBS")) == {0}
        assert game.player == player

    def test_a_catch(self) -> None:
        game = self.start("K CLUBS")
        game.choose((2, "K"))
        assert game.player == 0
        assert game.knowers(game.names.index("K CLUBS")) == {0, 1, 2, 3}

    def random_game(self, players: int, **values: int) -> Stacked:
        game = Stacked.of("go-fish", players=players, **values)
        pick = random.Random(players)
        while game.status == "playing":
            game.play(pick.randrange(len(game.options())))
        return game

    def held(self, game: Stacked) -> list[int]:
        return [len(game.cards(p, "iloc", "HAND")) for p in range(len(game.scores))]

    def test_play_ends_when_a_hand_or_the_stock_is_empty(self) -> None:
        ends = set()
        for players in range(2, 7):
            game = self.random_game(players)
            emptied = min(self.held(game)) == 0, not game.cards("game", "iloc", "STOCK")
            assert any(emptied)
            ends.add(emptied)
        assert (False, True) in ends

    def test_who_gives_the_last_card_away_ends_the_game(self) -> None:
        deal = hands(
            ["A CLUBS", "TWO CLUBS", "THREE CLUBS", "FOUR CLUBS", "FIVE CLUBS"],
            ["A HEARTS", "A SPADES", "TWO HEARTS", "TWO SPADES", "TWO DIAMONDS"],
            ["SIX CLUBS", "SEVEN CLUBS", "EIGHT CLUBS", "NINE CLUBS", "TEN CLUBS"],
        )
        game = Stacked.of("go-fish", deal, players=3)
        game.choose((1, "A"))
        assert game.status == "playing"
        game.choose((1, "TWO"))
        assert game.status == "finished"
        assert game.scores == [1, 0, 0]
        goes_on = Stacked.of("go-fish", deal, players=3, all=1)
        goes_on.choose((1, "A"), (1, "TWO"))
        assert (goes_on.status, goes_on.player) == ("playing", 0)

    def test_all_books_may_have_to_be_made(self) -> None:
        for players in range(2, 7):
            for following in (0, 1):
                game = self.random_game(players, all=1, next=following)
                assert sum(game.scores) == 13


# --- Ninety-Eight -------------------------------------------------------------------------


class TestNinetyEight:
    HANDS = hands(
        ["NINE CLUBS", "TEN CLUBS", "J CLUBS", "K CLUBS"],
        ["FIVE HEARTS", "TEN HEARTS", "Q HEARTS", "A HEARTS"],
    )

    def test_the_count(self) -> None:
        game = Stacked.of("ninety-eight", self.HANDS, players=2)
        counts = []
        for card in ["NINE CLUBS", "FIVE HEARTS", "J CLUBS", "TEN HEARTS", "K CLUBS"]:
            game.choose(card)
            counts.append(game.number("game", "COUNT"))
        assert counts == [9, 14, 14, 4, 98]
        assert len(game.cards(0, "iloc", "HAND")) == 4
        game.choose("A HEARTS")
        assert game.scores == [0, 1]

    def test_one_can_come_back_from_98(self) -> None:
        game = Stacked.of("ninety-eight", self.HANDS, players=2)
        game.choose("K CLUBS", "TEN HEARTS")
        assert game.number("game", "COUNT") == 88


# --- Stealing Bundles ---------------------------------------------------------------------


class TestStealingBundles:
    DEAL = "TWO CLUBS, TWO HEARTS, FIVE CLUBS, SEVEN CLUBS, " + hands(
        ["TWO SPADES", "THREE HEARTS", "FOUR HEARTS", "SIX HEARTS"],
        ["TWO DIAMONDS", "FIVE HEARTS", "NINE HEARTS", "TEN HEARTS"],
    )

    def test_what_a_card_catches(self) -> None:
        game = Stacked.of("stealing-bundles", self.DEAL, players=2)
        game.choose("TWO SPADES")
        assert game.cards(0, "vloc", "BUNDLE") == ["TWO HEARTS", "TWO CLUBS", "TWO SPADES"]
        game.choose("TWO DIAMONDS")
        assert game.cards(0, "vloc", "BUNDLE") == []
        assert len(game.cards(1, "vloc", "BUNDLE")) == 4
        assert game.cards(1, "vloc", "BUNDLE")[-1] == "TWO DIAMONDS"
        game.choose("THREE HEARTS")
        assert game.cards("game", "vloc", "TABLE") == ["FIVE CLUBS", "SEVEN CLUBS", "THREE HEARTS"]
        game.choose("FIVE HEARTS")
        assert game.cards(1, "vloc", "BUNDLE")[-1] == "FIVE HEARTS"


# --- Cuckoo -------------------------------------------------------------------------------


class TestCuckoo:
    def start(self, cards: str, *more: str, **values: int) -> Stacked:
        return Stacked.of("cuckoo", cards, *more, players=3, **{"lives": 1, **values})

    def test_exchange_with_the_next(self) -> None:
        game = self.start("TWO CLUBS, NINE CLUBS, A CLUBS, Q CLUBS")
        game.choose("#1")  # exchange
        assert game.cards(0, "iloc", "HAND") == ["NINE CLUBS"]
        assert game.cards(1, "iloc", "HAND") == ["TWO CLUBS"]
        assert game.knowers(game.names.index("TWO CLUBS")) == {0, 1}
        assert game.player == 1

    def test_a_king_stays(self) -> None:
        game = self.start("TWO CLUBS, K CLUBS, A CLUBS, Q CLUBS")
        game.choose("#1")
        assert game.cards(0, "iloc", "HAND") == ["TWO CLUBS"]
        assert game.cards(1, "vloc", "SHOWN") == ["K CLUBS"]
        assert game.player == 2

    @pytest.mark.parametrize(("drawn", "loser"), [("Q", 0), ("K", 2)])
    def test_the_dealer_and_the_pack(self, drawn: str, loser: int) -> None:
        game = self.start(f"TWO CLUBS, NINE CLUBS, A CLUBS, {drawn} CLUBS", "THREE CLUBS")
        game.choose("#0", "#0", "#1")
        assert [game.number(player, "LIVES") for player in range(3)] == [
            0 if player == loser else 1 for player in range(3)
        ]

    def test_all_of_the_lowest_lose(self) -> None:
        game = self.start("TWO CLUBS, NINE CLUBS, TWO HEARTS")
        game.choose("#0", "#0", "#0")
        assert game.scores == [0, 1, 0]

    def test_who_has_no_lives_is_passed_over(self) -> None:
        game = self.start("TWO CLUBS, NINE CLUBS, TEN CLUBS", "FOUR CLUBS, SIX CLUBS")
        game.choose("#0", "#0", "#0")
        assert [game.cards(player, "iloc", "HAND") for player in range(3)] == [
            [],
            ["FOUR CLUBS"],
            ["SIX CLUBS"],
        ]
        assert game.player == 1
        game.choose("#1")  # exchanges with the third player
        assert game.cards(1, "iloc", "HAND") == ["SIX CLUBS"]
        game.choose("#0")
        assert game.scores == [0, 2, 1]


# --- Golf ---------------------------------------------------------------------------------


class TestGolf:
    GRIDS = hands(
        ["A CLUBS", "TWO CLUBS", "K CLUBS", "A HEARTS", "THREE CLUBS", "J CLUBS"],
        ["FOUR CLUBS", "FIVE CLUBS", "A SPADES", "FOUR HEARTS", "FIVE HEARTS", "SEVEN CLUBS"],
    )

    def start(self) -> Stacked:
        game = Stacked.of("golf", f"{self.GRIDS}, NINE CLUBS, TEN CLUBS", players=2, holes=1)
        return game.choose(0, 1, 4, 5)

    def test_nobody_sees_what_lies_face_down(self) -> None:
        game = self.start()
        assert game.knowers(game.names.index("K CLUBS")) == set()
        assert game.knowers(game.names.index("A CLUBS")) == {0, 1}

    def test_a_card_replaces_another(self) -> None:
        game = self.start()
        game.choose("#0", 2)  # from the stock, in place of the king
        assert game.cards(0, "vloc", "GRID", 2) == ["TEN CLUBS"]
        assert game.cards("game", "vloc", "DISCARD") == ["NINE CLUBS", "K CLUBS"]
        assert game.player == 1
        game.choose("#1", 5)  # the king, in place of the seven
        assert game.cards(1, "vloc", "GRID", 5) == ["K CLUBS"]
        assert game.cards("game", "vloc", "DISCARD") == ["NINE CLUBS", "SEVEN CLUBS"]

    def test_what_comes_from_the_stock_may_go(self) -> None:
        game = self.start()
        game.choose("#0")
        assert len(game.options()) == 7
        game.play(6)
        assert game.cards("game", "vloc", "DISCARD") == ["NINE CLUBS", "TEN CLUBS"]
        game.choose("#1")
        assert len(game.options()) == 6

    def test_scores(self) -> None:
        """Always the last discard is taken."""
        game = self.start()
        for place in (2, 0, 4, 1, 5, 2, 3):
            assert game.status == "playing"
            game.choose("#1", place)
        # ace, two, nine over ace, four, five; king, three, jack over four, five, seven
        assert game.scores == [0 + 2 + 14, 4 + 8 + 17]


# --- Uno ----------------------------------------------------------------------------------


class TestUno:
    def start(self, *held: Sequence[str], first: str = "RED ONE", **values: int) -> Stacked:
        """Hands of three cards, the card turned up, and what is drawn then."""
        settings = {"players": len(held), "hand": 3, "points": 0, **values}
        return Stacked.of("recycle-uno", f"{hands(*held)}, {first}", **settings)

    A = ("RED TWO", "BLUE TWO", "WILD DRAWFOUR")
    B = ("BLUE FIVE", "GREEN SIX", "WILD WILD")
    C = ("RED SEVEN", "RED SKIP", "YELLOW REVERSE")

    def test_colour_symbol_or_wild(self) -> None:
        game = self.start(self.A, self.B, self.C)
        assert game.offered() == ["RED TWO"]  # hence no Wild Draw Four
        game.choose("RED TWO")
        assert game.offered() == ["WILD WILD"]
        game.choose("WILD WILD", "BLUE")
        assert game.player == 2
        assert game.offered() == []
        game.choose("#0", "#0")  # draws, and keeps it
        assert game.player == 0
        assert game.offered() == ["BLUE TWO"]

    def test_wild_draw_four(self) -> None:
        game = self.start(self.A, self.B, self.C, first="GREEN ONE")
        game.choose("WILD DRAWFOUR", "YELLOW")
        assert len(game.cards(1, "iloc", "HAND")) == 7
        assert game.player == 2
        assert game.offered() == ["YELLOW REVERSE"]

    @pytest.mark.parametrize(("draw", "options"), [(0, 1), (1, 2)])
    def test_drawing_although_one_can_play(self, draw: int, options: int) -> None:
        assert len(self.start(self.A, self.B, self.C, draw=draw).options()) == options

    def test_only_the_card_just_drawn_may_be_played(self) -> None:
        game = self.start(self.A, self.B, self.C, first="RED ONE, RED NINE", draw=1)
        game.choose("#1")
        assert game.offered() == ["RED NINE"]
        assert len(game.options()) == 2
        game.choose("#1")
        assert game.player == 1

    def test_skip(self) -> None:
        game = self.start(self.C, self.A, self.B)
        game.choose("RED SKIP")
        assert game.player == 2

    def test_reverse(self) -> None:
        game = self.start(self.C, self.A, self.B, first="YELLOW ONE")
        game.choose("YELLOW REVERSE")
        assert game.player == 2
        game.choose("WILD WILD", "GREEN")
        assert game.player == 1

    def test_reverse_of_two(self) -> None:
        game = self.start(self.C, self.A, first="YELLOW ONE")
        game.choose("YELLOW REVERSE")
        assert game.player == 0

    def test_draw_two(self) -> None:
        game = self.start(["RED DRAWTWO", "RED ONE", "RED TWO"], self.B, self.C)
        game.choose("RED DRAWTWO")
        assert game.player == 2
        assert len(game.cards(1, "iloc", "HAND")) == 5

    @pytest.mark.parametrize(
        ("first", "player", "drawn", "direction"),
        [
            ("RED ONE", 0, 0, 1),
            ("RED SKIP", 1, 0, 1),
            ("RED DRAWTWO", 1, 2, 1),
            ("RED REVERSE", 2, 0, -1),
        ],
    )
    def test_the_first_card(self, first: str, player: int, drawn: int, direction: int) -> None:
        game = self.start(self.A, self.B, ("BLUE SEVEN", "RED NINE", "RED NINE"), first=first)
        assert game.player == player
        assert len(game.cards(0, "iloc", "HAND")) == 3 + drawn
        assert game.number("game", "DIRECTION") == direction

    def test_a_wild_first(self) -> None:
        game = self.start(self.A, self.B, self.C, first="WILD WILD")
        assert game.player == 0
        game.choose("BLUE")
        assert game.player == 0
        assert game.offered() == ["BLUE TWO"]

    def test_a_wild_draw_four_is_never_first(self) -> None:
        game = self.start(self.A, self.B, self.C, first="WILD DRAWFOUR")
        assert game.cards("game", "vloc", "PILE") != ["WILD DRAWFOUR"]

    def test_scores(self) -> None:
        game = self.start(
            ("RED TWO", "GREEN TWO", "GREEN NINE"),
            ("GREEN FIVE", "GREEN SIX", "WILD WILD"),
            ("GREEN SEVEN", "GREEN SKIP", "YELLOW REVERSE"),
            first="RED ONE",
        )
        game.choose("RED TWO", "WILD WILD", "GREEN", "GREEN SEVEN")
        game.choose("GREEN TWO", "GREEN FIVE", "GREEN SKIP")
        # the first player is skipped, the second goes out instead
        assert game.player == 1
        game.choose("GREEN SIX")
        assert game.status == "finished"
        assert game.scores == [0, 29, 0]

    def test_who_is_hit_by_the_last_card_still_draws(self) -> None:
        game = self.start(
            ("RED TWO", "GREEN TWO", "GREEN DRAWTWO"),
            ("GREEN FIVE", "GREEN SIX", "BLUE TWO"),
            first="RED ONE, YELLOW NINE, WILD WILD",
        )
        game.choose("RED TWO", "BLUE TWO", "GREEN TWO", "GREEN FIVE", "GREEN DRAWTWO")
        assert game.scores == [6 + 9 + 50, 0]

    def test_the_pack(self) -> None:
        program = library_program("recycle-uno")
        assert len(program.cards) == 108

    def test_the_stock_is_renewed(self) -> None:
        game = Stacked.of("recycle-uno", players=2, hand=3, points=0, draw=1)
        for _ in range(400):
            # draw, and keep what was drawn
            game.play(len(game.options()) - 1)
            if game.status != "playing":
                break
        assert game.status == "playing"
        assert len(game.cards("game", "vloc", "PILE")) == 1
        assert sum(len(game.cards(p, "iloc", "HAND")) for p in range(2)) == 107


# --- Scopa --------------------------------------------------------------------------------


def caught(game: Stacked, player: int) -> list[str]:
    return sorted(game.cards(player, "vloc", "CAUGHT"))


class TestScopa:
    TABLE = ("FOUR CUPS", "THREE CUPS", "A SWORDS", "TWO SWORDS")
    FIRST = ("SEVEN COINS", "THREE COINS", "KING COINS")
    SECOND = ("TWO BATONS", "JACK CUPS", "SIX CUPS")
    DEAL = ", ".join([*TABLE, *FIRST, *SECOND])

    def names(self, game: Stacked, value: Any) -> Any:
        if isinstance(value, frozenset):
            return frozenset(game.names[card] for card in value)
        return game.names[value]

    def told(self, game: Stacked) -> set[tuple[Any, ...]]:
        return {tuple(self.names(game, v) for v in option.values) for option in game.options()}

    def pick(self, game: Stacked, *picks: Any) -> None:
        values = tuple(frozenset(pick) if isinstance(pick, list) else pick for pick in picks)
        (option,) = [
            option
            for option in game.options()
            if tuple(self.names(game, v) for v in option.values) == values
        ]
        game.play(option)

    def test_what_is_caught(self) -> None:
        """The seven all ways that add up; the three only the three; the king not all ten."""
        game = Stacked.of("scopa", self.DEAL)
        of_king = frozenset(self.TABLE)
        assert self.told(game) == {
            ("THREE COINS", "THREE CUPS"),
            ("SEVEN COINS", frozenset(["FOUR CUPS", "THREE CUPS"])),
            ("SEVEN COINS", frozenset(["FOUR CUPS", "A SWORDS", "TWO SWORDS"])),
            ("KING COINS", of_king),
        }

    def test_a_card_that_catches_nothing_stays(self) -> None:
        game = Stacked.of("scopa", self.DEAL)
        self.pick(game, "KING COINS", list(self.TABLE))
        assert caught(game, 0) == sorted([*self.TABLE, "KING COINS"])
        assert game.number(0, "SCORE") == 1  # a scopa
        assert self.told(game) == {(card,) for card in self.SECOND}
        self.pick(game, "SIX CUPS")
        assert game.cards("game", "vloc", "TABLE") == ["SIX CUPS"]
        assert game.number(1, "SCORE") == 0

    def test_three_kings_are_dealt_anew(self) -> None:
        kings = ", ".join(["KING COINS", "KING CUPS", "KING SWORDS", "A CUPS"])
        game = Stacked.of("scopa", kings, self.DEAL)
        assert game.cards("game", "vloc", "TABLE") == list(self.TABLE)

    def test_three_more_cards_each(self) -> None:
        game = Stacked.of("scopa", self.DEAL)
        for _ in range(6):
            game.play(0)
        assert [len(game.cards(p, "iloc", "HAND")) for p in range(2)] == [3, 3]
        assert len(game.cards("game", "iloc", "STOCK")) == 40 - 4 - 12

    def test_the_points_of_a_deal(self) -> None:
        """Counted by hand from who caught what at the end of the deal, for 2, 3 and 4 players."""
        for players in (2, 3, 4):
            sides = 3 if players == 3 else 2
            for seed in range(6):
                self.check_a_deal(Stacked(library_program("scopa", players), seed=seed), sides)

    def check_a_deal(self, game: Stacked, sides: int) -> None:
        players = game.program.players
        pick = random.Random(game.program.players)
        while True:
            held = sum(len(game.cards(p, "iloc", "HAND")) for p in range(players))
            on_table = [*game.cards("game", "vloc", "TABLE")]
            if held == 1 and not game.cards("game", "iloc", "STOCK"):
                break
            game.play(pick.randrange(len(game.options())))
        before = [game.number(p, "SCORE") for p in range(players)]
        sets = [set() for _ in range(sides)]
        for p in range(players):
            sets[p % sides] |= set(game.cards(p, "vloc", "CAUGHT"))
        option = game.options()[-1]
        (card,) = game.cards(game.player, "iloc", "HAND")
        last = game.player if len(option.values) == 2 else game.number("game", "LAST")
        sets[last % sides] |= {*on_table, card}
        game.play(len(game.options()) - 1)
        assert sum(map(len, sets)) == 40
        expected = [0] * sides
        for measure in (len, self.coins, self.prime):
            values = [measure(cards) for cards in sets]
            if values.count(max(values)) == 1:
                expected[values.index(max(values))] += 1
        for side, cards in enumerate(sets):
            expected[side] += "SEVEN COINS" in cards
        after = [game.number(p, "SCORE") for p in range(players)]
        assert [a - b for a, b in zip(after, before, strict=True)] == [
            expected[p % sides] for p in range(players)
        ]

    def coins(self, cards: set[str]) -> int:
        return sum(card.endswith("COINS") for card in cards)

    def prime(self, cards: set[str]) -> int:
        worth = {"SEVEN": 21, "SIX": 18, "A": 16, "FIVE": 15, "FOUR": 14, "THREE": 13, "TWO": 12}
        best: dict[str, int] = {}
        for card in cards:
            rank, suit_name = card.split()
            best[suit_name] = max(best.get(suit_name, 0), worth.get(rank, 10))
        return sum(best.values()) if len(best) == 4 else 0

    def test_the_end(self) -> None:
        """Eleven points and a lead; partners have the same score."""
        game = Stacked(library_program("scopa", 4), seed=3)
        pick = random.Random(1)
        while game.status == "playing":
            game.play(pick.randrange(len(game.options())))
        assert game.scores[:2] == game.scores[2:]
        assert max(game.scores) >= 11
        assert game.scores[0] != game.scores[1]


# --- President ----------------------------------------------------------------------------


class TestPresident:
    """Four players; each card in turn goes to the next player."""

    HANDS = (
        suit("CLUBS", ["TWO", "THREE", "FOUR"]) + suit("DIAMONDS", ["FOUR"]),
        suit("HEARTS", ["A", "K", "FIVE"]) + suit("SPADES", ["FIVE"]),
        suit("SPADES", ["A", "SIX", "SEVEN", "EIGHT"]),
        suit("SPADES", ["K", "Q", "J", "TEN"]),
    )

    def dealt(self, *held: Sequence[str]) -> str:
        """Hands that begin with these cards."""
        return ", ".join(itertools.chain(*zip(*held, strict=True)))

    def ranks(self, game: Stacked) -> list[list[str]]:
        """The ranks that can be played; nothing for a pass."""
        return [
            sorted(game.names[c].split()[0] for c in option.values[-1]) if option.values else []
            for option in game.options()
        ]

    def play(self, game: Stacked, rank: str, count: int) -> None:
        game.play(self.ranks(game).index([rank] * count))

    def test_leads_of_any_number(self) -> None:
        game = Stacked.of("president", self.dealt(*self.HANDS))
        hand = [card.split()[0] for card in game.cards(0, "iloc", "HAND")]
        expected = {(rank, n) for rank in hand for n in range(1, hand.count(rank) + 1)}
        offered = self.ranks(game)
        assert {(ranks[0], len(ranks)) for ranks in offered} == expected
        assert len(offered) == len(expected)

    def test_as_many_of_a_higher_rank(self) -> None:
        game = Stacked.of("president", self.dealt(*self.HANDS))
        self.play(game, "FOUR", 2)
        assert game.player == 1
        hand = [card.split()[0] for card in game.cards(1, "iloc", "HAND")]
        pairs = {rank for rank in hand if hand.count(rank) > 1} - {"THREE", "FOUR"}
        assert {"FIVE", "K"} <= pairs
        assert sorted(self.ranks(game)) == sorted([[], *([rank, rank] for rank in pairs)])
        self.play(game, "FIVE", 2)
        assert all(ranks != ["FIVE", "FIVE"] for ranks in self.ranks(game))

    def test_who_played_last_leads_again(self) -> None:
        game = Stacked.of("president", self.dealt(*self.HANDS))
        self.play(game, "TWO", 1)
        for player in (1, 2, 3):
            assert game.player == player
            game.play(self.ranks(game).index([]))
        assert game.player == 0
        assert [] not in self.ranks(game)
        [discarded] = game.cards("game", "vloc", "DISCARD")
        assert discarded.startswith("TWO ")

    def test_who_passed_may_play_again(self) -> None:
        game = Stacked.of("president", self.dealt(*self.HANDS))
        self.play(game, "THREE", 1)
        game.play(self.ranks(game).index([]))
        self.play(game, "SIX", 1)
        game.play(self.ranks(game).index([]))
        game.play(self.ranks(game).index([]))
        assert game.player == 1
        assert ["A"] in self.ranks(game)

    @pytest.mark.parametrize("players", [4, 5, 7])
    def test_places_scores_and_exchange(self, players: int) -> None:
        """Over whole games, with what is held counted before and after."""
        game = Stacked(library_program("president", players), seed=players)
        pick = random.Random(players)
        deals, out = 0, []
        order = {rank: i for i, rank in enumerate(reversed(["TWO", *RANKS[:-1]]))}
        while game.status == "playing":
            held = [len(game.cards(p, "iloc", "HAND")) for p in range(players)]
            assert held[game.player] > 0
            giving = game.number("game", "GIVEN")
            if deals and giving < 2:
                giver, taker = (out[0], out[-1]) if giving == 0 else (out[1], out[-2])
                assert game.player == giver
                sizes = {
                    len(v) if isinstance(v, frozenset) else 1
                    for o in game.options()
                    for v in o.values
                }
                assert sizes == {2 - giving}
                remaining = [order[c.split()[0]] for c in game.cards(taker, "iloc", "HAND")]
                own = [order[c.split()[0]] for c in game.cards(giver, "iloc", "HAND")]
                assert max(remaining) <= max(own)
                game.play(pick.randrange(len(game.options())))
                assert len(game.cards(taker, "iloc", "HAND")) == held[taker] + 2 - giving
                continue
            who = game.player
            before = game.number("game", "DEALS")
            scores = [game.number(p, "SCORE") for p in range(players)]
            if sum(map(bool, held)) == players:
                out = []
            game.play(pick.randrange(len(game.options())))
            if game.number("game", "DEALS") > before:
                out += [who, next(p for p in range(players) if held[p] and p not in (*out, who))]
                gained = [game.number(p, "SCORE") - scores[p] for p in range(players)]
                assert gained == [{0: 2, 1: 1}.get(out.index(p), 0) for p in range(players)]
                deals += 1
            elif not game.cards(who, "iloc", "HAND"):
                out.append(who)
        assert sum(game.scores) == 3 * deals  # two points and one
        assert max(game.scores) in (11, 12)

    def test_the_president_leads(self) -> None:
        game = Stacked(library_program("president", 4), seed=2)
        while game.number("game", "DEALS") == 0:
            game.play(0)
        president = next(p for p in range(4) if game.number(p, "SCORE") == 2)
        while game.number("game", "GIVEN") < 2:
            game.play(0)
        assert game.player == president
