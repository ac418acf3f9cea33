"""6 nimmt! and Coup: every rule on stacked decks, and known facts about their cards."""

from __future__ import annotations

import pytest
from tests.recycle.stacked import Stacked, hands, library_program

# --- 6 nimmt! -------------------------------------------------------------------------------


def numbers(*cards: int) -> list[str]:
    return [str(card) for card in cards]


class TestSixNimmt:
    def start(
        self, one: list[int], two: list[int], rows: list[int], *more: str, **values: int
    ) -> Stacked:
        """A deal for two players, with the cards that matter first in their hands."""
        used = {*one, *two, *rows}
        rest = [n for n in range(104, 0, -1) if n not in used]
        held = [[*cards, *(rest.pop() for _ in range(10 - len(cards)))] for cards in (one, two)]
        deal = hands(*(numbers(*cards) for cards in (*held, rows)))
        return Stacked.of("six-nimmt", deal, *more, players=2, **values)

    def lay(self, game: Stacked, *cards: str) -> None:
        """Both players choose a card, in whichever order they are asked."""
        for _ in cards:
            game.choose(cards[game.player])

    def row(self, game: Stacked, number: int) -> list[str]:
        return game.cards("game", "vloc", "ROW", number)

    def test_104_cards_have_171_bull_heads(self) -> None:
        """One head each; fives two, tens three, elevens five, and 55 seven."""
        heads = dict.fromkeys(range(1, 105), 1)
        heads |= dict.fromkeys(range(5, 105, 5), 2) | dict.fromkeys(range(10, 105, 10), 3)
        heads |= dict.fromkeys(range(11, 105, 11), 5) | {55: 7}
        assert sum(heads.values()) == 171
        for card in (2, 5, 10, 11, 54, 55, 66, 100, 104):
            game = self.start([1], [103], [card, 97, 98, 99])
            self.lay(game, "1", "103")
            assert game.player == 0  # the card is too low for all rows
            game.choose(0)
            assert game.number(0, "HEADS") == heads[card], card

    def test_all_cards_are_dealt_from_the_whole_deck_or_the_tactical_one(self) -> None:
        assert len(library_program("six-nimmt", 2).cards) == 104
        assert len(library_program("six-nimmt", 4, tactics=1).cards) == 44
        assert len(library_program("six-nimmt", 10, tactics=1).cards) == 104

    def test_cards_go_to_the_nearest_row_the_lowest_first(self) -> None:
        game = self.start([42], [41], [10, 40, 60, 80])
        game.choose("42", "41")
        assert self.row(game, 1) == ["40", "41", "42"]
        assert game.cards(0, "iloc", "HAND")
        assert game.number(0, "HEADS") == game.number(1, "HEADS") == 0

    def test_the_sixth_card_takes_the_row(self) -> None:
        game = self.start([41, 43, 45, 90], [42, 44, 91, 92], [10, 40, 60, 80])
        self.lay(game, "41", "42")
        self.lay(game, "43", "44")
        assert self.row(game, 1) == numbers(40, 41, 42, 43, 44)
        self.lay(game, "45", "91")
        assert self.row(game, 1) == ["45"]
        assert game.cards(0, "vloc", "TAKEN") == numbers(44, 43, 42, 41, 40)
        assert game.number(0, "HEADS") == 3 + 1 + 1 + 1 + 5

    def test_a_card_that_is_too_low_replaces_a_row_of_choice(self) -> None:
        game = self.start([2], [3], [10, 40, 60, 80])
        game.choose("2", "3")
        assert game.player == 0
        assert len(game.options()) == 4
        game.choose(3)
        assert self.row(game, 3) == ["2", "3"]  # the next card fits there
        assert game.number(0, "HEADS") == 3

    def test_choices_are_secret(self) -> None:
        game = self.start([42], [41], [10, 40, 60, 80])
        game.choose("42")
        assert game.player == 1
        assert self.row(game, 1) == ["40"]

    def test_deals_go_on_to_the_limit(self) -> None:
        game = Stacked.of("six-nimmt", players=3, heads=66)
        scores = game.finish()
        assert max(scores) >= 66
        assert game.number("game", "DEALS") > 1


# --- Coup -----------------------------------------------------------------------------------

INCOME, AID = "INCOME", "AID"
TAX, EXCHANGE = "#2", "#3"
ALLOW = "#-1"


class TestCoup:
    def start(self, roles: str, players: int = 3, **values: int) -> Stacked:
        return Stacked.of("coup", roles, players=players, **values)

    def allow(self, game: Stacked, *players: int) -> Stacked:
        """The players who are asked pass, one after the other."""
        for player in players:
            assert game.player == player
            game.play(len(game.options()) - 1)
        return game

    def react(self, game: Stacked, player: int, option: int = 0) -> Stacked:
        assert game.player == player
        game.play(option)
        return game

    def coins(self, game: Stacked) -> list[int]:
        return [game.number(player, "COINS") for player in range(game.program.players)]

    ROLES = "DUKE, CAPTAIN, ASSASSIN, CONTESSA, AMBASSADOR, CONTESSA"

    def test_fifteen_cards_two_for_each_and_two_coins(self) -> None:
        game = self.start(self.ROLES)
        assert sorted(game.names) == sorted(
            3 * ["DUKE", "ASSASSIN", "CAPTAIN", "AMBASSADOR", "CONTESSA"]
        )
        assert self.coins(game) == [2, 2, 2]
        assert game.cards(1, "iloc", "ROLES") == ["ASSASSIN", "CONTESSA"]
        assert self.coins(self.start("", players=2)) == [1, 2]

    def test_nobody_is_asked_about_income(self) -> None:
        game = self.start(self.ROLES).choose(INCOME)
        assert (game.player, self.coins(game)) == (1, [3, 2, 2])

    def test_tax_unchallenged(self) -> None:
        game = self.start(self.ROLES)
        self.react(game, 0, 2)
        self.allow(game, 1, 2)
        assert (game.player, self.coins(game)) == (1, [5, 2, 2])

    def test_a_true_claim_costs_the_challenger_a_role(self) -> None:
        game = self.start(self.ROLES)
        self.react(game, 0, 2)
        self.react(game, 1)
        assert game.player == 1
        game.choose("CONTESSA")
        assert game.cards(1, "vloc", "LOST") == ["CONTESSA"]
        assert self.coins(game) == [5, 2, 2]
        assert len(game.cards(0, "iloc", "ROLES")) == 2

    def test_a_bluff_costs_a_role_and_nothing_happens(self) -> None:
        game = self.start("CONTESSA, CAPTAIN, ASSASSIN, CONTESSA, AMBASSADOR, DUKE")
        self.react(game, 0, 2)
        self.allow(game, 1)
        self.react(game, 2)
        game.choose("CAPTAIN")
        assert self.coins(game) == [2, 2, 2]
        assert game.player == 1

    def test_aid_is_blocked_by_a_duke_and_the_block_is_challenged(self) -> None:
        game = self.start(self.ROLES).choose(AID)
        self.allow(game, 1)
        self.react(game, 2)  # claims a duke
        self.react(game, 0)  # challenges that
        assert game.player == 2
        game.choose("CONTESSA")
        assert self.coins(game) == [4, 2, 2]
        blocked = self.start(self.ROLES).choose(AID)
        self.react(blocked, 1)
        self.allow(blocked, 2, 0)
        assert self.coins(blocked) == [2, 2, 2]

    def test_stealing(self) -> None:
        game = self.start(self.ROLES)
        game.choose((1,))  # from player 1, claiming a captain
        self.allow(game, 1, 2)
        assert (game.player, len(game.options())) == (1, 3)  # captain, ambassador, allow
        self.allow(game, 1)
        assert self.coins(game) == [4, 0, 2]

    def test_assassination_costs_three_even_if_it_is_blocked(self) -> None:
        game = self.start(self.ROLES, coins=3)
        kill = [option for option in game.options() if option.values == (1,)][1]
        game.play(kill)
        self.allow(game, 1, 2)
        self.react(game, 1)  # a contessa
        self.allow(game, 2, 0)
        assert self.coins(game) == [0, 3, 3]
        assert len(game.cards(1, "iloc", "ROLES")) == 2

    def test_a_challenged_bluff_costs_no_coins(self) -> None:
        game = self.start(self.ROLES, coins=3)
        game.play([option for option in game.options() if option.values == (1,)][1])
        self.react(game, 1)
        game.choose("DUKE")
        assert self.coins(game) == [3, 3, 3]

    def test_who_has_ten_coins_must_coup(self) -> None:
        game = self.start(self.ROLES, coins=6)
        for _ in range(4):
            for _ in range(3):
                game.choose(INCOME)
        assert self.coins(game) == [10, 10, 10]
        assert [option.values for option in game.options()] == [(1,), (2,)]
        game.choose((2,))
        assert game.player == 2
        game.choose("CONTESSA")
        assert self.coins(game) == [3, 10, 10]

    def test_exchange(self) -> None:
        game = self.start(f"{self.ROLES}, DUKE, CAPTAIN")
        self.react(game, 0, 3)
        self.allow(game, 1, 2)
        assert sorted(game.offered()) == ["CAPTAIN", "CAPTAIN", "DUKE", "DUKE"]
        game.choose("CAPTAIN", "CAPTAIN")
        assert game.cards(0, "iloc", "ROLES") == ["DUKE", "DUKE"]
        assert game.player == 1

    @pytest.mark.parametrize("players", [2, 6])
    def test_the_last_one_with_a_role_wins(self, players: int) -> None:
        game = Stacked.of("coup", players=players)
        scores = game.finish()
        assert sorted(score > 0 for score in scores) == [False] * (players - 1) + [True]
