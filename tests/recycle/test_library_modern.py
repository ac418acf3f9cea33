"""Games in the second edition of the language: every rule on stacked decks, and known facts."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.recycle.stacked import Stacked, hands, library_program, suit

# --- Schnapsen ------------------------------------------------------------------------------

SCHNAPSEN = ["A", "TEN", "K", "Q", "J"]
EXCHANGE = ("J CLUBS", "A CLUBS")


class TestSchnapsen:
    def deal(self, one: str, two: str, turned: str = "A CLUBS", stock: str = "") -> Stacked:
        """Two hands such as ``"KS AD"``, the card turned up, and what is drawn."""
        return Stacked.of("schnapsen", hands(cards(one), cards(two), [turned], cards(stock)))

    def points(self, game: Stacked) -> tuple[int, int]:
        return game.number(0, "POINTS"), game.number(1, "POINTS")

    def play(self, game: Stacked, text: str) -> Stacked:
        """Plays cards; the last option with a card is the one without a marriage."""
        for card in cards(text):
            option = [
                o for o in game.options() if len(o.values) == 1 and game.names[o.values[0]] == card
            ][-1]
            game.play(option)
        return game

    def test_twenty_cards_count_120(self) -> None:
        program = library_program("schnapsen", 2)
        values = {"A": 11, "TEN": 10, "K": 4, "Q": 3, "J": 2}
        assert sum(values[card.attributes["RANK"]] for card in program.cards) == 120
        game = self.deal("AS TS KS QS JS", "AD TD KD QD JD")
        assert len(game.cards("game", "iloc", "STOCK")) == 9
        assert game.cards("game", "vloc", "TURNED") == ["A CLUBS"]

    def test_any_card_may_be_played_and_the_winner_draws_first(self) -> None:
        game = self.deal("AS TS KS QS JS", "AD TD KD QD JC", stock="TC KC")
        game.choose("A SPADES")
        assert len(game.options()) == 5
        game.choose("J CLUBS")  # a trump
        assert (game.player, self.points(game)) == (1, (0, 13))
        assert "TEN CLUBS" in game.cards(1, "iloc", "HAND")
        assert "K CLUBS" in game.cards(0, "iloc", "HAND")

    def test_a_card_of_another_suit_does_not_win(self) -> None:
        game = self.deal("JS TS KS QS AS", "AD TD KD QD JD")
        self.play(game, "JS AD")
        assert (game.player, self.points(game)) == (0, (13, 0))

    def test_the_jack_of_trumps_is_exchanged_by_who_leads(self) -> None:
        game = self.deal("JC TS KS QS AS", "AD TD KD QD JD").choose(EXCHANGE)
        assert game.player == 0
        assert "A CLUBS" in game.cards(0, "iloc", "HAND")
        assert game.cards("game", "vloc", "TURNED") == ["J CLUBS"]
        other = self.deal("JH TS KS QS AS", "AD TD KD QD JC").choose("J HEARTS")
        assert all(len(option.values) == 1 for option in other.options())

    def test_marriages_count_20_and_40_once_a_trick_is_won(self) -> None:
        game = self.deal("KS QS KC QC JS", "AD TD AH TH JD", "A CLUBS")
        assert sorted(game.offered()) == sorted(
            [*suit("SPADES", ["K", "K", "Q", "Q", "J"]), *suit("CLUBS", ["K", "K", "Q", "Q"])]
        )
        game.choose("K CLUBS")  # the first is the marriage
        assert self.points(game) == (40, 0)
        game.choose("J DIAMONDS")
        assert self.points(game) == (46, 0)
        game.choose("Q SPADES")
        assert (self.points(game), game.number(0, "SCORE")) == ((0, 0), 3)  # 66, and no trick

    def test_points_of_a_marriage_do_not_win_without_a_trick(self) -> None:
        game = self.deal("KC QC KS QS AS", "AD TD AC TH JD", "J CLUBS", "KD KH QD QH")
        game.choose("Q CLUBS", "A CLUBS")  # 40, but the trick is lost
        assert (self.points(game), game.status) == ((40, 14), "playing")

    def test_after_closing_suit_is_followed_and_the_trick_won(self) -> None:
        game = self.deal("KS QD JH TC KH", "AS TS AD TD QC", "A CLUBS").choose("#0")
        assert game.number(0, "CLOSED") == 1
        assert game.cards("game", "vloc", "CLOSED") == ["A CLUBS"]
        game.choose("K SPADES")
        assert sorted(game.offered()) == ["A SPADES", "TEN SPADES"]
        game.choose("TEN SPADES")
        assert len(game.cards(0, "iloc", "HAND")) == 4  # nothing is drawn
        game.choose("A SPADES")
        assert game.offered() == ["TEN CLUBS"]  # no spade is left: a trump
        game.choose("TEN CLUBS", "J HEARTS")
        assert game.offered() == ["Q CLUBS"]

    def test_who_cannot_win_follows_all_the_same(self) -> None:
        game = self.deal("AS QD JH TC KH", "TS KS AD TD QC", "A CLUBS").choose("#0", "A SPADES")
        assert sorted(game.offered()) == ["K SPADES", "TEN SPADES"]

    def test_who_closes_and_does_not_win_gives_away_three_if_there_was_no_trick(self) -> None:
        game = self.deal("JS JD JH QS QD", "AS TS AD TD AH").choose("#0")
        self.play(game, "JS TS AS QS AD JD TD QD AH JH")
        assert game.number("game", "DEALS") == 1
        assert (game.number(0, "SCORE"), game.number(1, "SCORE")) == (0, 3)

    def test_the_game_is_won_with_seven_points(self) -> None:
        game = Stacked.of("schnapsen", points=7)
        assert max(game.finish()) in (7, 8, 9)


def cards(text: str) -> list[str]:
    """Cards by letters: ``"AS TD 2C"`` are the ace of spades, ten of diamonds, two of clubs."""
    words = ["TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"]
    ranks = dict(zip("23456789T", words, strict=True))
    suits = {"C": "CLUBS", "D": "DIAMONDS", "H": "HEARTS", "S": "SPADES"}
    return [f"{ranks.get(card[0], card[0])} {suits[card[1]]}" for card in text.split()]


def numbers(*cards: int) -> list[str]:
    return [str(card) for card in cards]


# --- Sushi Go! ------------------------------------------------------------------------------


class TestSushiGo:
    def start(self, *held: str, players: int = 2, **values: int) -> Stacked:
        """A game whose first hands are those given, filled up with other cards."""
        program = library_program("sushi-go", players, **values)
        used: list[str] = ", ".join(held).split(", ")
        rest = [" ".join(card.attributes.values()) for card in program.cards]
        for card in used:
            rest.remove(card)
        dealt = []
        for hand in held:
            own = hand.split(", ")
            dealt.append([*own, *(rest.pop() for _ in range(12 - players - len(own)))])
        return Stacked(program, hands(*dealt))

    def table(self, game: Stacked, player: int) -> list[str]:
        return game.cards(player, "vloc", "TABLE")

    def score(self, *tables: str) -> list[int]:
        """The scores after one round in which each player has these cards in front of them."""
        game = Stacked.of("sushi-go", players=len(tables), rounds=1)
        while len(game.cards(0, "iloc", "HAND")) > 1:
            game.play(0)
        piles: list[tuple[int | str, str, str, list[str]]] = []
        for player, text in enumerate(tables):
            dishes = text.split(", ") if text else []
            puddings = [dish for dish in dishes if dish == "PUDDING"]
            others = [dish for dish in dishes if dish != "PUDDING"]
            piles += [(player, "vloc", "TABLE", others), (player, "vloc", "PUDDINGS", puddings)]
            piles.append((player, "iloc", "HAND", ["CHOPSTICKS"]))
        game.arrange(*piles)
        return game.finish()

    def test_108_cards(self) -> None:
        game = Stacked.of("sushi-go", players=2)
        count = Counter(game.names)
        assert count == {
            "TEMPURA": 14, "SASHIMI": 14, "DUMPLING": 14, "MAKI2": 12, "MAKI3": 8, "MAKI1": 6,
            "SALMON": 10, "SQUID": 5, "EGG": 5, "PUDDING": 10, "WASABI": 6, "CHOPSTICKS": 4,
        }  # fmt: skip
        assert count.total() == 108

    @pytest.mark.parametrize(("players", "held"), [(2, 10), (3, 9), (4, 8), (5, 7)])
    def test_hands(self, players: int, held: int) -> None:
        game = Stacked.of("sushi-go", players=players)
        assert [len(game.cards(p, "iloc", "HAND")) for p in range(players)] == [held] * players

    @pytest.mark.parametrize(
        ("cards_of", "points"),
        [
            ("TEMPURA", 0),
            ("TEMPURA, TEMPURA, TEMPURA", 5),
            ("SASHIMI, SASHIMI", 0),
            ("SASHIMI, SASHIMI, SASHIMI, SASHIMI", 10),
            ("DUMPLING", 1),
            ("DUMPLING, DUMPLING, DUMPLING", 6),
            (", ".join(["DUMPLING"] * 7), 15),
            ("SQUID, SALMON, EGG, WASABI, CHOPSTICKS", 6),
        ],
    )
    def test_sets(self, cards_of: str, points: int) -> None:
        assert self.score(cards_of, "")[0] == points

    @pytest.mark.parametrize(
        ("rolls", "points"),
        [
            (("MAKI3", "MAKI2", "MAKI1"), [6, 3, 0]),
            (("MAKI3", "MAKI3", "MAKI1"), [3, 3, 0]),
            (("MAKI3", "MAKI1", "MAKI1"), [6, 1, 1]),
            (("MAKI3", "", ""), [6, 0, 0]),
            (("", "", ""), [0, 0, 0]),
        ],
    )
    def test_maki_rolls(self, rolls: tuple[str, ...], points: list[int]) -> None:
        assert self.score(*rolls) == points

    @pytest.mark.parametrize(
        ("puddings", "points"),
        [
            ((2, 1, 0), [6, 0, -6]),
            ((2, 2, 0), [3, 3, -6]),
            ((2, 0, 0), [6, -3, -3]),
            ((1, 1, 1), [0, 0, 0]),
            ((2, 1), [6, 0]),
        ],
    )
    def test_puddings(self, puddings: tuple[int, ...], points: list[int]) -> None:
        assert self.score(*(", ".join(["PUDDING"] * n) for n in puddings)) == points

    def test_nigiri_on_wasabi_counts_three_times(self) -> None:
        game = self.start("WASABI, EGG", "WASABI, SQUID")
        game.choose("WASABI", "SQUID")  # the hands are exchanged
        game.choose("WASABI" if game.player == 0 else "EGG")
        game.choose("EGG" if game.player == 1 else "WASABI")
        # player 2 had no wasabi before the squid, and has none before the egg
        assert game.cards(0, "vloc", "DIPPED") == game.cards(1, "vloc", "DIPPED") == []
        assert sorted(self.table(game, 1)) == ["EGG", "SQUID"]

        game = self.start("WASABI, EGG", "SQUID, SALMON")
        game.choose("WASABI", "SALMON")
        game.choose("SQUID" if game.player == 0 else "EGG")
        game.choose("SQUID" if game.player == 0 else "EGG")
        assert game.cards(0, "vloc", "DIPPED") == ["SQUID"]
        assert game.cards(1, "vloc", "DIPPED") == []

    def test_chopsticks_take_two_and_go_back_into_the_hand(self) -> None:
        game = self.start("CHOPSTICKS, EGG", "SQUID, SALMON")
        game.choose("CHOPSTICKS", "SALMON")
        first = [("SQUID", "TEMPURA")] if "TEMPURA" in game.cards(0, "iloc", "HAND") else []
        pair = first[0] if first else ("SQUID", game.cards(0, "iloc", "HAND")[0])
        for _ in range(2):
            game.choose(pair if game.player == 0 else "EGG")
        assert len(self.table(game, 0)) + len(game.cards(0, "vloc", "PUDDINGS")) == 2
        assert "CHOPSTICKS" in game.cards(1, "iloc", "HAND")

    def test_hands_go_to_the_left_or_in_the_second_round_to_the_right(self) -> None:
        game = self.start("EGG, EGG", "SQUID, SQUID", "SALMON, SALMON", players=3, reverse=1)
        game.choose("EGG", "SQUID", "SALMON")
        assert [
            kind in game.cards(p, "iloc", "HAND")
            for p, kind in enumerate(("SALMON", "EGG", "SQUID"))
        ] == [True] * 3
        while game.number("game", "ROUND") == 1:
            game.play(0)
        before = [sorted(game.cards(p, "iloc", "HAND")) for p in range(3)]
        for _ in range(3):
            game.play(0)
        for p in range(3):
            after = game.cards(p, "iloc", "HAND")
            assert not Counter(after) - Counter(before[(p + 1) % 3])


# --- For Sale -------------------------------------------------------------------------------


class TestForSale:
    @pytest.mark.parametrize(
        ("players", "coins", "houses"), [(3, 18, 8), (4, 18, 7), (5, 14, 6), (6, 14, 5)]
    )
    def test_thirty_houses_thirty_cheques_and_coins(
        self, players: int, coins: int, houses: int
    ) -> None:
        game = Stacked.of("for-sale", players=players)
        kinds = Counter(name.split()[0] for name in game.names)
        assert kinds == {"HOUSE": 30, "CHEQUE": 30}
        assert sum(int(n.split()[1]) for n in game.names if n.startswith("CHEQUE")) == 238
        assert [game.number(p, "COINS") for p in range(players)] == [coins] * players
        while not game.cards("game", "vloc", "OFFER"):
            game.play(len(game.options()) - 1)
        assert [len(game.cards(p, "iloc", "HOUSES")) for p in range(players)] == [houses] * players

    def auction(self, **values: int) -> Stacked:
        market = "HOUSE 10, HOUSE 20, HOUSE 30"
        return Stacked.of("for-sale", market, players=3, **values)

    @pytest.mark.parametrize(("half", "back"), [(0, 2), (1, 3)])
    def test_who_passes_takes_the_cheapest_house_for_half_the_bid(
        self, half: int, back: int
    ) -> None:
        game = self.auction(half=half).choose(5, 6, 7)
        assert game.player == 0
        game.play(len(game.options()) - 1)  # passes
        assert game.cards(0, "iloc", "HOUSES") == ["HOUSE 10"]
        assert game.number(0, "COINS") == 13 + back
        game.choose(9)
        assert game.player == 2
        game.play(len(game.options()) - 1)
        assert game.cards(2, "iloc", "HOUSES") == ["HOUSE 20"]
        assert game.cards(1, "iloc", "HOUSES") == ["HOUSE 30"]
        assert [game.number(p, "COINS") for p in (1, 2)] == [9, 11 + 3 + half]
        assert game.player == 1  # begins the next auction

    def test_bids_rise_and_stay_within_the_coins(self) -> None:
        game = self.auction().choose(5)
        assert [o.values[0] for o in game.options() if o.values] == list(range(6, 19))
        game.choose(18)
        assert len(game.options()) == 1

    def test_better_houses_get_better_cheques(self) -> None:
        game = Stacked.of(
            "for-sale", "HOUSE 10, HOUSE 20, HOUSE 30", "CHEQUE 7, CHEQUE 15, CHEQUE 0", players=3
        )
        while not game.cards("game", "vloc", "OFFER"):
            game.play(len(game.options()) - 1)
        assert game.cards("game", "vloc", "OFFER") == ["CHEQUE 7", "CHEQUE 15", "CHEQUE 0"]
        sold: dict[int, int] = {}
        for _ in range(3):
            player = game.player
            sold[player] = int(game.offered()[0].split()[1])
            game.play(0)
        best = sorted(sold, key=lambda p: -sold[p])
        assert [game.cards(p, "vloc", "CHEQUES") for p in best] == [
            ["CHEQUE 15"], ["CHEQUE 7"], ["CHEQUE 0"]
        ]  # fmt: skip

    def test_money_is_what_the_game_began_with_less_what_was_paid(self) -> None:
        game = Stacked.of("for-sale", players=5)
        assert sum(game.finish()) <= 238 + 5 * 14


# --- Skull ----------------------------------------------------------------------------------


class TestSkull:
    def place(self, *discs: str, **values: int) -> Stacked:
        """A first round in which the players place these discs."""
        game = Stacked.of("skull", players=3, **values)
        for disc in discs:
            color = ("RED", "BLUE", "GREEN")[game.player]
            game.choose(f"{color} {disc}")
        return game

    def bid(self, game: Stacked, *bids: int) -> Stacked:
        """Numbers, which come behind the discs; 0 is a pass."""
        for bid in bids:
            option = [o for o in game.options() if o.values == ((bid,) if bid else ())][-1]
            game.play(option)
        return game

    def test_three_flowers_and_a_skull_each(self) -> None:
        game = self.place()
        for player, color in enumerate(("RED", "BLUE", "GREEN")):
            assert sorted(game.cards(player, "iloc", "HAND")) == sorted(
                [*[f"{color} FLOWER"] * 3, f"{color} SKULL"]
            )

    def test_a_disc_is_added_or_the_bidding_opened(self) -> None:
        game = self.place("FLOWER", "FLOWER", "FLOWER")
        assert len(game.options()) == 3 + 3
        game.choose("RED FLOWER")
        assert game.player == 1
        assert len(game.options()) == 3 + 4

    def test_who_finds_flowers_wins_a_point_and_two_the_game(self) -> None:
        game = self.place("FLOWER", "FLOWER", "SKULL")
        for points in (1, 2):
            self.bid(game, 2, 0, 0)
            assert game.player == 0
            game.choose((1,))  # turns over a disc of player 2
            assert game.number(0, "POINTS") == points
            if points == 1:
                for disc in ("RED FLOWER", "BLUE FLOWER", "GREEN FLOWER"):
                    game.choose(disc)
        assert game.status == "finished"
        assert game.winners == {0}

    def test_the_highest_bid_possible_ends_the_bidding(self) -> None:
        game = self.bid(self.place("FLOWER", "FLOWER", "FLOWER"), 1, 3)
        assert game.player == 1
        assert len(game.options()) == 2  # whose disc is turned over first

    def test_another_skull_costs_a_disc_by_lot(self) -> None:
        game = self.bid(self.place("FLOWER", "SKULL", "FLOWER"), 3).choose((1,))
        assert len(game.cards(0, "iloc", "LOST")) == 1
        assert len(game.cards(0, "iloc", "HAND")) == 3
        assert game.player == 0  # begins the next round

    def test_the_own_skull_costs_a_disc_of_choice(self) -> None:
        game = self.bid(self.place("SKULL", "FLOWER", "FLOWER"), 3)
        assert game.player == 0
        assert len(game.options()) == 4
        game.choose("RED SKULL")
        assert game.cards(0, "iloc", "LOST") == ["RED SKULL"]

    def lose_three(self) -> Stacked:
        """Player 1 bids on the own skull three times and loses the flowers."""
        game = self.place("SKULL", "FLOWER", "FLOWER")
        for _ in range(3):
            self.bid(game, 3).choose("RED FLOWER")
            for disc in ("RED SKULL", "BLUE FLOWER", "GREEN FLOWER"):
                game.choose(disc)
        return game

    def test_who_is_out_by_the_own_skull_says_who_begins(self) -> None:
        game = self.bid(self.lose_three(), 3).choose("RED SKULL")
        assert game.player == 0
        game.choose((2,))
        assert game.state.out == {0}
        assert game.player == 2
        game.choose("GREEN FLOWER")
        assert game.player == 1

    def test_who_is_out_by_another_skull_is_followed_by_its_owner(self) -> None:
        game = self.place("SKULL", "FLOWER", "FLOWER")
        self.bid(game, 3).choose("RED SKULL")
        for _ in range(2):
            for disc in ("RED FLOWER", "BLUE SKULL", "GREEN SKULL"):
                game.choose(disc)
            self.bid(game, 3).choose((1,))
        for disc in ("RED FLOWER", "BLUE FLOWER", "GREEN SKULL"):
            game.choose(disc)
        self.bid(game, 3).choose((2,))
        assert game.state.out == {0}
        assert game.player == 2

    def test_the_last_player_with_discs_wins(self) -> None:
        for seed in range(3):
            game = Stacked(library_program("skull", 3, points=3), seed=seed)
            while game.status == "playing":
                game.play(len(game.options()) // 2)
            assert game.winners is not None
            assert len(game.winners) == 1


# --- Parade ---------------------------------------------------------------------------------


class TestParade:
    def start(self, one: str, parade: str, players: int = 2) -> Stacked:
        """A first hand, and the parade in the order of play."""
        used = {*one.split(", "), *parade.split(", ")}
        names = [" ".join(c.attributes.values()) for c in library_program("parade", players).cards]
        rest = [name for name in names if name not in used]
        own = one.split(", ")
        first = [*own, *(rest.pop() for _ in range(5 - len(own)))]
        others = [[rest.pop() for _ in range(5)] for _ in range(players - 1)]
        return Stacked.of(
            "parade", hands(first, *others, parade.split(", ")[::-1]), players=players
        )

    def test_66_cards(self) -> None:
        game = Stacked.of("parade", players=6)
        assert len(set(game.names)) == 66
        assert len(game.cards("game", "vloc", "PARADE")) == 6

    PARADE = "RED 3, BLUE 8, GREEN 0, RED 10, BLACK 5, ORANGE 2"

    @pytest.mark.parametrize(
        ("card", "leaves"),
        [
            ("RED 6", []),  # all six cards are safe
            ("RED 5", ["RED 3"]),  # five are safe; the first is red
            ("PURPLE 2", ["GREEN 0"]),  # of the first four, those of at most 2
            ("PURPLE 4", ["RED 3"]),
            ("RED 0", ["RED 3", "GREEN 0", "RED 10"]),
            ("BLUE 3", ["RED 3", "BLUE 8", "GREEN 0"]),
        ],
    )
    def test_what_leaves_the_parade(self, card: str, leaves: list[str]) -> None:
        game = self.start(card, self.PARADE)
        assert game.cards("game", "vloc", "PARADE") == self.PARADE.split(", ")
        game.choose(card)
        assert game.cards(0, "vloc", "TAKEN") == leaves
        assert game.cards("game", "vloc", "PARADE")[-1] == card
        assert len(game.cards(0, "iloc", "HAND")) == 5

    def test_play_ends_with_four_cards_of_which_two_are_kept(self) -> None:
        game = Stacked.of("parade", players=3)
        while isinstance(game.options()[0].values[0], int):
            game.play(0)
        assert [len(game.cards(p, "iloc", "HAND")) for p in range(3)] == [4, 4, 4]
        assert len(game.options()) == 6
        game.finish()
        assert [len(game.cards(p, "iloc", "HAND")) for p in range(3)] == [2, 2, 2]

    def scores(self, *taken: str) -> list[int]:
        """The scores with these cards taken, by the expression of the rules."""
        game = Stacked.of("parade", players=len(taken))
        game.arrange(*((p, "vloc", "TAKEN", text.split(", ")) for p, text in enumerate(taken)))
        game._score()
        return game.scores

    def test_most_cards_of_a_colour_count_one_each(self) -> None:
        assert self.scores("RED 5, RED 9", "RED 7", "BLUE 3") == [2, 7, 1]
        assert self.scores("RED 5, BLUE 9", "RED 7", "BLUE 3") == [2, 1, 1]

    def test_of_two_players_it_has_to_be_two_more(self) -> None:
        assert self.scores("RED 5, RED 9", "RED 7") == [14, 7]
        assert self.scores("RED 5, RED 9, RED 10", "RED 7") == [3, 7]


# --- The Game -------------------------------------------------------------------------------


class TestTheGame:
    @pytest.mark.parametrize(("players", "held"), [(1, 8), (2, 7), (3, 6), (4, 6), (5, 6)])
    def test_98_cards_and_hands(self, players: int, held: int) -> None:
        game = Stacked.of("the-game", players=players)
        assert len(game.cards("game", "iloc", "STOCK")) == 98 - players * held
        fewer = Stacked.of("the-game", players=players, fewer=1)
        assert len(fewer.cards(0, "iloc", "HAND")) == held - 1

    def options(self, game: Stacked) -> set[tuple[str, str]]:
        """Cards and the rows on which they can be laid."""
        return {
            (game.names[o.values[0]], f"{o.values[1].name} {o.values[1].index}")
            for o in game.options()
            if o.values
        }

    def lay(self, game: Stacked, card: str, row: str) -> None:
        option = next(
            o
            for o in game.options()
            if o.values
            and game.names[o.values[0]] == card
            and f"{o.values[1].name} {o.values[1].index}" == row
        )
        game.play(option)

    def test_rows_rise_and_fall_with_steps_of_ten_back(self) -> None:
        held = numbers(50, 40, 39, 60, 61, 2, 99, 70)
        game = Stacked.of("the-game", hands(held), players=1)
        assert len(self.options(game)) == 8 * 4
        self.lay(game, "50", "UP 0")
        self.lay(game, "50" if "50" in game.cards(0, "iloc", "HAND") else "70", "DOWN 0")
        on_first = {card for card, row in self.options(game) if row == "UP 0"}
        assert on_first == {"40", "60", "61", "99"}
        on_falling = {card for card, row in self.options(game) if row == "DOWN 0"}
        assert on_falling == {"40", "39", "60", "61", "2"}  # no 80 for a step of ten

    def test_two_cards_at_least_then_the_hand_is_filled(self) -> None:
        game = Stacked.of("the-game", hands(numbers(2, 3, 4, 5, 6, 7, 8)), players=2)
        self.lay(game, "2", "UP 0")
        assert all(option.values for option in game.options())
        self.lay(game, "3", "UP 0")
        assert not game.options()[-1].values
        game.play(len(game.options()) - 1)
        assert game.player == 1
        assert len(game.cards(0, "iloc", "HAND")) == 7

    def test_who_cannot_lay_two_cards_ends_the_game(self) -> None:
        game = Stacked.of("the-game", players=1)
        scores = game.finish()
        left = len(game.cards("game", "iloc", "STOCK")) + len(game.cards(0, "iloc", "HAND"))
        assert scores == [left]

    def test_all_cards_can_be_laid(self) -> None:
        order = numbers(*range(2, 100))
        game = Stacked.of("the-game", hands(order), players=1)
        while game.status == "playing":
            lowest = min(game.cards(0, "iloc", "HAND"), key=int)
            self.lay(game, lowest, "UP 0")
        assert game.scores == [0]


# --- Cribbage -------------------------------------------------------------------------------


class TestCribbage:
    @pytest.mark.parametrize(
        ("held", "starter", "points"),
        [
            ("5H 5C 5D JS", "5S", 29),  # the best hand there is
            ("5H 5C 5D TS", "5S", 28),
            ("4H 5C 5D 6S", "6H", 24),
            ("4H 4C 5D 5S", "6H", 24),
            ("7H 7C 8D 8S", "9H", 24),
            ("5H 5C JD QS", "KH", 17),
            ("3H 4H 5H 6H", "7C", 4 + 5 + 4),  # two fifteens, a run of five, a flush
            ("2H 4H 6H 8H", "TH", 5),
            ("2H 4H 6H 8H", "TC", 4),
            ("2S 4H 6H 8D", "QS", 0),
            ("JH 2S 6D 8S", "QH", 1),
            ("AC AD 2H 3S", "KC", 6 + 2 + 4),  # a double run, a pair, two fifteens
        ],
    )
    def test_hands(self, held: str, starter: str, points: int) -> None:
        assert self.shown(held, starter)[0] == points

    def shown(self, held: str, starter: str, crib: str = "") -> list[int]:
        """What player 1's hand, and player 2's hand and crib, count at the show."""
        game = Stacked.of("cribbage", players=2)
        while sum(len(game.cards(p, "iloc", "HAND")) for p in range(2)) > 1:
            game.play(0)
        last = game.player
        meant = [*cards(held), *cards(starter), *cards(crib)]
        laid = [cards(held), cards(OTHER)]
        rest = [name for name in game.names if name not in (*meant, *laid[1])]
        hand = laid[last].pop()
        game.arrange(
            (last, "iloc", "HAND", [hand]),
            (0, "vloc", "LAID", laid[0]),
            (1, "vloc", "LAID", laid[1]),
            ("game", "vloc", "STARTER", cards(starter)),
            ("game", "iloc", "CRIB", cards(crib) or rest[:4]),
        )
        for player in range(2):
            game.state.numbers[("player", player), "POINTS"] = 0
        game.play(0)
        assert game.number("game", "DEALS") == 1
        return [game.number(p, "POINTS") - (p == last) for p in range(2)]

    @pytest.mark.parametrize(("starter", "points"), [("TH", 5), ("TC", 0)])
    def test_a_flush_in_the_crib_needs_five_cards(self, starter: str, points: int) -> None:
        assert self.shown("AC 3C 5S 7S", starter, "2H 4H 6H 8H")[1] == points

    def deal(self, one: str, two: str, starter: str = "6S", **values: int) -> Stacked:
        """A game for two in which both lay away their first two cards."""
        dealt = hands(cards(one), cards(two), cards(starter))
        return Stacked.of("cribbage", dealt, players=2, **values).choose("#0", "#0")

    def points(self, game: Stacked) -> tuple[int, int]:
        return game.number(0, "POINTS"), game.number(1, "POINTS")

    def play(self, game: Stacked, text: str) -> Stacked:
        return game.choose(*cards(text))

    def test_fifteen_thirty_one_and_runs_in_any_order(self) -> None:
        game = self.deal("2C 3C 7H 8H 9H KD", "2D 3D 8C 7C 9C KC")
        assert self.points(self.play(game, "7H 8C")) == (0, 2)
        assert self.points(self.play(game, "9H")) == (3, 2)
        assert self.points(self.play(game, "7C")) == (3, 2 + 2 + 3)
        assert self.points(self.play(game, "KD KC")) == (3, 9)
        assert self.points(self.play(game, "8H")) == (4, 9)  # nobody can go on
        assert game.player == 1

    def test_three_and_four_of_a_kind(self) -> None:
        game = self.deal("2C 3C 5H 5D KH KD", "2D 3D 5C 5S QC QS")
        assert self.points(self.play(game, "5H 5C")) == (0, 2)
        assert self.points(self.play(game, "5D")) == (6 + 2, 2)  # and fifteen
        assert self.points(self.play(game, "5S")) == (8, 2 + 12)

    def test_who_cannot_play_says_go(self) -> None:
        game = self.deal("2C 3C KH KD AH 4H", "2D 3D KC QC JC TC")
        self.play(game, "KH KC KD")
        assert game.player == 1
        assert [option.values for option in game.options()] == [()]
        game.play(0)
        assert game.offered() == ["A HEARTS"]
        assert self.points(self.play(game, "AH")) == (6 + 2, 2)
        assert game.player == 1

    def test_the_jack_as_the_starter_gives_the_dealer_two_and_may_win(self) -> None:
        game = self.deal("2C 3C KH KD AH 4H", "2D 3D KC QC JC TC", "JS")
        assert self.points(game) == (0, 2)
        won = self.deal("2C 3C KH KD AH 4H", "2D 3D KC QC JC TC", "JS", points=2)
        assert (won.status, won.scores) == ("finished", [0, 2])

    def test_three_players_have_five_cards_and_a_crib_of_four(self) -> None:
        game = Stacked.of("cribbage", players=3)
        assert [len(game.cards(p, "iloc", "HAND")) for p in range(3)] == [5, 5, 5]
        for _ in range(3):
            game.play(0)
        assert len(game.cards("game", "iloc", "CRIB")) == 4

    def test_the_first_with_121_points_wins(self) -> None:
        scores = Stacked.of("cribbage", players=2).finish()
        assert sorted(score >= 121 for score in scores) == [False, True]


OTHER = "KD QC 2C 4D"
"""A hand at cribbage without points beside a starter that is an even card."""


# --- Red7 -----------------------------------------------------------------------------------


class TestRed7:
    PLAY, DISCARD, BOTH, DROP = range(4)

    def position(self, rule: str, hand: str, mine: str, theirs: str, draw: int = 0) -> Stacked:
        """A position for two players, in which it is the turn of the first of these palettes."""
        game = Stacked.of("red7", players=2, draw=draw)
        me, other = game.player, 1 - game.player
        game.arrange(
            (me, "iloc", "HAND", hand.split(", ")),
            (me, "vloc", "PALETTE", mine.split(", ")),
            (other, "vloc", "PALETTE", theirs.split(", ")),
            (other, "iloc", "HAND", ["VIOLET 1"]),
            RULE=rule,
        )
        return game

    def kinds(self, game: Stacked) -> list[int]:
        return [option.clause for option in game.options()]

    def test_49_cards(self) -> None:
        assert len(set(Stacked.of("red7", players=2).names)) == 49

    def test_to_the_left_of_who_is_winning_play_begins(self) -> None:
        for seed in range(5):
            game = Stacked(library_program("red7", 3), seed=seed)
            tops = [game.cards(p, "vloc", "PALETTE")[0] for p in range(3)]
            order = ["VIOLET", "INDIGO", "BLUE", "GREEN", "YELLOW", "ORANGE", "RED"]
            best = max(range(3), key=lambda p: (tops[p][-1], order.index(tops[p].split()[0])))
            assert game.player == (best + 1) % 3

    @pytest.mark.parametrize(
        ("rule", "mine", "theirs", "wins"),
        [
            ("RED", "BLUE 7", "RED 6, RED 5", True),
            ("RED", "BLUE 7", "GREEN 7", False),
            ("ORANGE", "RED 3, BLUE 3", "RED 7, GREEN 6", True),
            ("ORANGE", "RED 3, BLUE 3", "GREEN 3, YELLOW 3", True),
            ("ORANGE", "RED 3, BLUE 3, RED 7", "GREEN 5, YELLOW 5", False),
            ("YELLOW", "BLUE 1, BLUE 4, RED 1", "GREEN 2, GREEN 3, RED 7", True),
            ("YELLOW", "BLUE 1, BLUE 2", "BLUE 7", True),
            ("GREEN", "RED 2, BLUE 4", "RED 6, RED 7", True),
            ("GREEN", "RED 2, BLUE 4", "ORANGE 6, RED 4", False),
            ("GREEN", "RED 2", "BLUE 7, BLUE 5", True),
            ("GREEN", "RED 7", "BLUE 5", False),  # nobody has an even card
            ("VIOLET", "RED 7", "BLUE 5", False),
            ("BLUE", "RED 1, BLUE 1, GREEN 1", "RED 7, RED 6, BLUE 7", True),
            ("BLUE", "RED 1, BLUE 1", "GREEN 2, GREEN 5, INDIGO 1", False),
            ("INDIGO", "RED 1, BLUE 2, GREEN 3", "RED 7, BLUE 6, RED 4", True),
            ("INDIGO", "RED 2, BLUE 2, GREEN 3", "RED 5, BLUE 6", False),
            ("INDIGO", "RED 1, BLUE 3", "GREEN 2", True),
            ("VIOLET", "RED 1, BLUE 3", "RED 7, RED 3", True),
            ("VIOLET", "RED 7, BLUE 3", "GREEN 3, RED 6", False),
        ],
    )
    def test_who_wins_under_which_rule(
        self, rule: str, mine: str, theirs: str, wins: bool
    ) -> None:
        used = f"{mine}, {theirs}".split(", ")
        card = next(f"{rule} {n}" for n in range(7, 0, -1) if f"{rule} {n}" not in used)
        game = self.position(rule, card, mine, theirs)
        assert (self.DISCARD in self.kinds(game)) == wins

    def test_a_turn_has_to_end_with_winning(self) -> None:
        game = self.position("RED", "RED 7, GREEN 4", "BLUE 1", "BLUE 6, BLUE 5")
        offered = [(o.clause, *(game.names[c] for c in o.values)) for o in game.options()]
        assert offered == [
            (self.PLAY, "RED 7"),
            (self.BOTH, "RED 7", "GREEN 4"),
            (self.DROP,),
        ] or offered == [(self.PLAY, "RED 7"), (self.DROP,)]

    def test_the_discard_makes_the_rule_after_the_card_is_played(self) -> None:
        game = self.position("RED", "GREEN 4, GREEN 1", "BLUE 2", "BLUE 6, BLUE 5")
        assert [o.clause for o in game.options()] == [self.BOTH, self.DROP]
        player = game.player
        game.play(0)
        assert game.cards(player, "vloc", "PALETTE") == ["BLUE 2", "GREEN 4"]
        assert game.state.texts["game", "RULE"] == "GREEN"

    @pytest.mark.parametrize(("draw", "held"), [(0, 0), (1, 1)])
    def test_a_high_discard_draws_a_card(self, draw: int, held: int) -> None:
        game = self.position("RED", "VIOLET 7", "BLUE 2", "BLUE 6, BLUE 5", draw)
        player = game.player
        game.play(next(o for o in game.options() if o.clause == self.DISCARD))
        assert len(game.cards(player, "iloc", "HAND")) == held

    def test_the_last_player_wins(self) -> None:
        game = self.position("RED", "BLUE 1", "BLUE 2", "BLUE 6, BLUE 5")
        other = 1 - game.player
        game.play(len(game.options()) - 1)
        assert (game.status, game.winners) == ("finished", {other})
