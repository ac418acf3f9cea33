"""Games of the library with stacked decks, played by tests.

The rules themselves are acted out by the oracle, which the compiled games agree with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.recycle.oracle import Option, Oracle, PileKey

from kibitz.recycle import library
from kibitz.recycle.parser import program
from kibitz.recycle.tree import Program

RANKS = ["A", "K", "Q", "J", "TEN", "NINE", "EIGHT", "SEVEN", "SIX", "FIVE"]
RANKS += ["FOUR", "THREE", "TWO"]


def _spelt(attribute: tuple[str, str]) -> str:
    """A value of a card; the ranks of cards with numbers as in ``RANKS``."""
    name, value = attribute
    return RANKS[14 - int(value)] if name == "RANK" and value.isdigit() else value


def library_program(name: str, players: int | None = None, **values: int) -> Program:
    """A game of the library as a tree."""
    text = getattr(library, name.replace("-", "_")).text
    return program(text, players, values)


class Stacked(Oracle):
    """A game in which shuffles do what a test says.

    Cards are called by the values of their attributes, ``"Q SPADES"``, even if they show 12; of
    several that are the same card, the first that is not meant yet is meant.
    """

    def __init__(self, program: Program, *shuffles: str, seed: int = 1) -> None:
        """
        Args:
            shuffles: for each shuffle in turn, the cards that are dealt first, in order and
                separated by commas; the other cards follow at random.
        """
        self.names = [" ".join(map(_spelt, card.attributes.items())) for card in program.cards]
        self._shuffles = [text.split(", ") if text else [] for text in shuffles]
        super().__init__(program, seed)

    @classmethod
    def of(cls, name: str, *shuffles: str, players: int | None = None, **values: int) -> Stacked:
        """A game of the library."""
        return cls(library_program(name, players, **values), *shuffles)

    def _shuffle(self, pile: PileKey, faro: bool) -> None:
        super()._shuffle(pile, faro)
        lying = list(self._lying(pile))
        on_top = []
        for name in self._shuffles.pop(0) if self._shuffles else ():
            card = next(c for c in lying if self.names[c] == name)
            lying.remove(card)
            on_top.append(card)
        self.state.piles[pile] = (*lying, *reversed(on_top))

    # -- what lies where ------------------------------------------------------------------

    def cards(self, owner: int | str, kind: str, name: str, index: int = 0) -> list[str]:
        """The cards of a location, bottom first."""
        key = PileKey(owner if isinstance(owner, str) else ("player", owner), kind, name, index)
        return [self.names[card] for card in self.piles.get(key, [])]

    def number(self, owner: int | str, name: str) -> int:
        """A stored number."""
        key = owner if isinstance(owner, str) else ("player", owner)
        return self.state.numbers.get((key, name), 0)

    def team_number(self, team: int, name: str) -> int:
        """A stored number of a team."""
        return self.state.numbers.get((("team", team), name), 0)

    def arrange(self, *piles: tuple[int | str, str, str, Sequence[str]], **texts: str) -> None:
        """Puts cards into locations (owner, kind, name), and all others into the stock.

        Args:
            piles: the locations.
            texts: stored names of the table.
        """
        free = dict(enumerate(self.names))
        self.state.piles.clear()
        for owner, kind, name, cards in piles:
            key = PileKey(owner if isinstance(owner, str) else ("player", owner), kind, name, 0)
            picked = []
            for card in cards:
                picked.append(next(c for c in free if free[c] == card))
                del free[picked[-1]]
            self.state.piles[key] = tuple(picked)
        self.state.piles[PileKey("game", "iloc", "STOCK", 0)] = tuple(free)
        self.state.texts |= {("game", name): text for name, text in texts.items()}
        everybody = frozenset(range(self.program.players))
        self.state.knowers = dict.fromkeys(range(len(self.names)), everybody)
        self._list()

    # -- choosing -------------------------------------------------------------------------

    def offered(self) -> list[str]:
        """The cards among which the player can choose; other options are left out."""
        picks = [option.values[0] for option in self.options() if len(option.values) == 1]
        return [self.names[pick] for pick in picks if isinstance(pick, int)]

    def choose(self, *choices: Any) -> Stacked:
        """Plays options one after the other. Each is given by what it picks: a card by its name, a
        number, a name, or a tuple of several; or by its place, ``"#0"`` being the first."""
        for choice in choices:
            assert self.status == "playing", (choice, self.status, self.problem)
            if isinstance(choice, str) and choice.startswith("#"):
                self.play(int(choice[1:]))
                continue
            picks = choice if isinstance(choice, tuple) else (choice,)
            matching = [option for option in self.options() if self._picks(option, picks)]
            assert matching, f"player {self.player} cannot choose {choice}, but {self.offered()}"
            self.play(matching[0])
        return self

    def _picks(self, option: Option, picks: tuple[Any, ...]) -> bool:
        return len(option.values) == len(picks) and all(
            value == pick or (isinstance(pick, str) and self._is_card(value, pick))
            for value, pick in zip(option.values, picks, strict=True)
        )

    def _is_card(self, value: Any, name: str) -> bool:
        return isinstance(value, int) and value < len(self.names) and self.names[value] == name

    def finish(self) -> list[int]:
        """Plays the first option each time, to the end; returns the scores."""
        while self.status == "playing":
            self.play(0)
        assert self.status == "finished", self.problem
        return self.scores


def suit(name: str, ranks: Sequence[str] | None = None) -> list[str]:
    """Cards of a suit, ``"A HEARTS"`` first."""
    return [f"{rank} {name}" for rank in ranks or RANKS]


def hands(*held: Sequence[str]) -> str:
    """A shuffle that deals these hands, one player after the other."""
    return ", ".join(card for hand in held for card in hand)
