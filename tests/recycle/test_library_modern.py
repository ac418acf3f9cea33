"""Games in the second edition of the language: every rule on stacked decks, and known facts."""

from __future__ import annotations

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
        self.play(game, "JD JH" if "J HEARTS" in game.cards(0, "iloc", "HAND") else "JD AS")
        assert game.number("game", "DEALS") == 0

    def test_after_closing_suit_is_followed_and_the_trick_won(self) -> None:
        game = self.deal("KS QD JH TC KH", "AS TS AD TD QC", "A CLUBS").choose("#0")
        assert game.number(0, "CLOSED") == 1
        assert game.cards("game", "vloc", "CLOSED") == ["A CLUBS"]
        assert "#close" not in [option.values for option in game.options()]
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
    """Cards by letters: ``"AS TD"`` are the ace of spades and the ten of diamonds."""
    ranks = {"T": "TEN"}
    suits = {"C": "CLUBS", "D": "DIAMONDS", "H": "HEARTS", "S": "SPADES"}
    return [f"{ranks.get(card[0], card[0])} {suits[card[1]]}" for card in text.split()]
