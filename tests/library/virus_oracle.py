"""A simple second implementation of Virus!, on words, with which the rules are compared.

Cards are pairs of a name and whether it has been seen by all; bodies are dictionaries from an
organ's name to the names of what lies on it.
"""

from __future__ import annotations

import random
import re
from itertools import combinations
from typing import NamedTuple

ORGANS = ["Heart", "Stomach", "Brain", "Bone", "Wild organ"]
ORDER = [
    *ORGANS,
    *(f"{c} virus" for c in ("Heart", "Stomach", "Brain", "Bone", "Wild")),
    *(f"{c} medicine" for c in ("Heart", "Stomach", "Brain", "Bone", "Wild")),
    *("Transplant", "Organ Thief", "Contagion", "Latex Glove", "Medical Error"),
]


class Card(NamedTuple):
    name: str
    seen: bool = False


Body = dict[str, list[str]]


def is_virus(name: str) -> bool:
    return name.endswith("virus")


def colour(name: str) -> str:
    return name.split()[0]


def match(a: str, b: str) -> bool:
    return colour(a) == colour(b) or "Wild" in (colour(a), colour(b))


def is_healthy(laid: list[str]) -> bool:
    return not any(map(is_virus, laid))


class Oracle:
    """A game from the moment when the cards are dealt."""

    def __init__(self, hands: list[list[str]], deck: list[str], tag: bool = False) -> None:
        self.tag = tag
        self.hands = [[Card(name) for name in hand] for hand in hands]
        self.deck = [Card(name) for name in deck]  # the last is on top
        self.pile: list[Card] = []
        self.bodies: list[Body] = [{} for _ in hands]
        self.player = 0
        self.winner: int | None = None
        self.chosen: tuple[str, int] | None = None  # in a Transplant
        self.spreading = False

    @property
    def others(self) -> list[int]:
        n = len(self.hands)
        return [(self.player + i) % n for i in range(1, n)]

    # -- what can be done --

    def moves(self) -> set[str]:
        if self.chosen is not None:
            organ, owner = self.chosen
            pairs = self.exchanges()
            return {f"exchange it for the {b} of player {q + 1}" for a, p, b, q in pairs
                    if (a, p) == (organ, owner)}  # fmt: skip
        if self.spreading:
            return {f"spread {move}" for move in self.spreads()}
        names = sorted((card.name for card in self.hands[self.player]), key=ORDER.index)
        if not names:
            return {"draw a new hand"}
        moves = set()
        for name in set(names):
            moves |= self.plays(name)
        for number in (1, 2, 3):
            for chosen in combinations(names, number):
                *front, last = chosen
                moves.add("discard " + (f"{', '.join(front)} and {last}" if front else last))
        return moves

    def plays(self, name: str) -> set[str]:
        mine = self.bodies[self.player]
        if name in ORGANS:
            return set() if name in mine else {f"play {name}"}
        if is_virus(name) or name.endswith("medicine"):
            return self.remedies(name)
        if name == "Transplant":
            return {f"play Transplant on the {a} of player {p + 1}"
                    for a, p, _, _ in self.exchanges()}  # fmt: skip
        if name == "Organ Thief":
            return {
                f"play Organ Thief on the {organ} of player {p + 1}"
                for p in self.others
                for organ, laid in self.bodies[p].items()
                if organ not in mine and len(laid) < 2
            }
        if name == "Contagion":
            return {f"play Contagion {move}" for move in self.spreads()}
        if name == "Latex Glove":
            targets = [p for p in self.others if self.hands[p]]
            if targets and not self.tag:
                return {"play Latex Glove"}
        else:
            targets = [p for p in self.others if self.bodies[p] or mine]
        return {f"play {name} on player {p + 1}" for p in targets}

    def remedies(self, name: str) -> set[str]:
        bodies = list(self.others)
        if not is_virus(name):
            bodies = [self.player] if self.tag else [*bodies, self.player]
        return {
            f"play {name} on the {organ} of player {p + 1}"
            for p in bodies
            for organ, laid in self.bodies[p].items()
            if len(laid) < 2 and self.fits(name, organ, laid)
        }

    def fits(self, name: str, organ: str, laid: list[str]) -> bool:
        if self.tag:
            return match(name, organ) or any(colour(x) == "Wild" for x in laid)
        removed = [x for x in laid if is_virus(x) != is_virus(name)]
        return match(name, organ) and all(match(name, x) for x in removed)

    def exchanges(self) -> list[tuple[str, int, str, int]]:
        seats = [self.player, *self.others]
        exchanges = []
        for p, q in combinations(seats, 2):
            if self.tag and p != self.player:
                continue
            for a in self.bodies[p]:
                for b in self.bodies[q]:
                    immune = len(self.bodies[p][a]) == 2 or len(self.bodies[q][b]) == 2
                    twice = a != b and (a in self.bodies[q] or b in self.bodies[p])
                    if not immune and not twice:
                        exchanges.append((a, p, b, q))
        return exchanges

    def spreads(self) -> set[str]:
        return {
            f"from your {source} to the {organ} of player {p + 1}"
            for source, laid in self.bodies[self.player].items()
            if not is_healthy(laid)
            for p in self.others
            for organ, on in self.bodies[p].items()
            if not on and match(laid[0], organ)
        }

    # -- doing it --

    def play(self, words: str) -> None:
        before = self.player
        if words.startswith("discard "):
            names = re.split(", | and ", words.removeprefix("discard "))
            for name in names:
                self.discard_own(name)
        elif words != "draw a new hand":
            self.act(words)
        self.winner = next(
            (p for p, b in enumerate(self.bodies) if sum(map(is_healthy, b.values())) >= 4), None
        )
        if self.winner is not None:
            self.spreading = False
        if self.chosen is None and not self.spreading and self.winner is None:
            self.draw(before)
            self.player = self.others[0]

    def act(self, words: str) -> None:
        place = re.search(r"the ([\w ]+) of player (\d)$", words)
        organ, owner = (place[1], int(place[2]) - 1) if place else ("", -1)
        if words.startswith("exchange"):
            self.exchange(organ, owner)
        elif words.startswith("spread"):
            self.spread(words, organ, owner)
        elif words.startswith("play Transplant"):
            self.discard_own("Transplant")
            self.chosen = organ, owner
        elif words.startswith("play Organ Thief"):
            self.discard_own("Organ Thief")
            self.bodies[self.player][organ] = self.bodies[owner].pop(organ)
        elif words.startswith("play Contagion"):
            self.discard_own("Contagion")
            self.spread(words, organ, owner)
        elif words.startswith("play Latex Glove"):
            self.discard_own("Latex Glove")
            for p in self.others if words == "play Latex Glove" else [int(words[-1]) - 1]:
                self.pile += sorted((Card(c.name, True) for c in self.hands[p]), key=place_of)
                self.hands[p] = []
        elif words.startswith("play Medical Error"):
            self.discard_own("Medical Error")
            p, q = self.player, int(words[-1]) - 1
            self.bodies[p], self.bodies[q] = self.bodies[q], self.bodies[p]
        elif place:
            self.treat(words.removeprefix("play ").partition(" on the ")[0], organ, owner)
        else:
            self.take(words.removeprefix("play "))
            self.bodies[self.player][words.removeprefix("play ")] = []

    def treat(self, name: str, organ: str, owner: int) -> None:
        laid = self.bodies[owner][organ]
        self.take(name)
        if not laid or not (is_virus(name) or is_virus(laid[0])):
            laid.append(name)
            return
        if is_virus(name) and is_virus(laid[0]):
            self.pile += [Card(organ, True), Card(laid[0], True), Card(name, True)]
            del self.bodies[owner][organ]
        else:
            self.pile += [Card(laid.pop(), True), Card(name, True)]

    def exchange(self, organ: str, other: int) -> None:
        assert self.chosen is not None
        first, owner = self.chosen
        a, b = self.bodies[owner].pop(first), self.bodies[other].pop(organ)
        self.bodies[owner][organ], self.bodies[other][first] = b, a
        self.chosen = None

    def spread(self, words: str, organ: str, owner: int) -> None:
        source = re.search(r"from your ([\w ]+) to", words)
        assert source
        self.bodies[owner][organ].append(self.bodies[self.player][source[1]].pop())
        self.spreading = bool(self.spreads()) and not self.tag

    def take(self, name: str) -> None:
        """Removes a card from the hand; of equal cards, one that all have seen."""
        hand = self.hands[self.player]
        hand.remove(Card(name, True) if Card(name, True) in hand else Card(name))

    def discard_own(self, name: str) -> None:
        self.take(name)
        self.pile.append(Card(name, True))

    def draw(self, player: int) -> None:
        while len(self.hands[player]) < 3 and (self.deck or self.pile):
            if not self.deck:
                self.deck, self.pile = self.pile[::-1], []
            self.hands[player].append(self.deck.pop())


def place_of(card: Card) -> int:
    return ORDER.index(card.name)


class TagOracle(Oracle):
    """The game as TAG plays it, to see what its slip about the discard pile does to a game.

    There a virus or medicine that is played goes to the discard pile and stays on the body, and
    goes to the pile once more when it leaves the body: so they become ever more. Besides, the
    pile is shuffled, and equal cards in hand are options of their own.
    """

    def __init__(self, hands: list[list[str]], deck: list[str], rng: random.Random) -> None:
        super().__init__(hands, deck, tag=True)
        self.rng = rng

    def treat(self, name: str, organ: str, owner: int) -> None:
        pile = len(self.pile)
        super().treat(name, organ, owner)
        if len(self.pile) == pile:
            self.pile.append(Card(name, True))

    def draw(self, player: int) -> None:
        missing = 3 - len(self.hands[player])
        if missing > len(self.deck):
            self.rng.shuffle(self.pile)
            self.deck, self.pile = self.pile + self.deck, []
        super().draw(player)

    def options(self) -> list[list[str]]:
        """The options of TAG, each as the one or two actions that it takes here."""
        names = [card.name for card in self.hands[self.player]]
        if not names:
            return [["draw a new hand"]]
        listed = []
        for name in names:
            if name == "Transplant":
                listed += [
                    [
                        f"play Transplant on the {a} of player {p + 1}",
                        f"exchange it for the {b} of player {q + 1}",
                    ]
                    for a, p, b, q in self.exchanges()
                ]
            else:
                listed += [[words] for words in sorted(self.plays(name))]
        for number in (1, 2, 3):
            for *front, last in combinations(names, number):
                discarded = f"{', '.join(front)} and {last}" if front else last
                listed.append([f"discard {discarded}"])
        return listed
