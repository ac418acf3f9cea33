"""A simple second implementation of Love Letter, with which the rules are compared.

It knows the true order of the deck, keeps plain lists and shares no code with the package.
"""

from __future__ import annotations

from dataclasses import dataclass, field

GUARD, PRIEST, BARON, HANDMAID, PRINCE, KING, COUNTESS, PRINCESS = range(8)
NAMES = ("Guard", "Priest", "Baron", "Handmaid", "Prince", "King", "Countess", "Princess")


@dataclass
class Oracle:
    """One round; cards are 0 .. 7, the deck's top is its last card, hands are lists."""

    hands: list[list[int]]
    deck: list[int]
    set_aside: list[int]
    discards: list[list[int]]
    player: int
    protected: set[int] = field(default_factory=set)
    out: set[int] = field(default_factory=set)
    over: bool = False

    def moves(self) -> set[str]:
        """The legal actions of the player, in words."""
        hand = self.hands[self.player]
        if COUNTESS in hand and (KING in hand or PRINCE in hand):
            return {"play Countess"}
        moves = set()
        for card in hand:
            others = [
                p
                for p in range(len(self.hands))
                if p != self.player and p not in self.out and p not in self.protected
            ]
            if card == PRINCE:
                others.append(self.player)
            if card in (HANDMAID, COUNTESS, PRINCESS) or not others:
                moves.add(f"play {NAMES[card]}")
            elif card == GUARD:
                moves |= {
                    f"play Guard on player {p + 1} guessing {name}"
                    for p in others
                    for name in NAMES[1:]
                }
            else:
                moves |= {f"play {NAMES[card]} on player {p + 1}" for p in others}
        return moves

    def play(self, words: str) -> None:
        """Plays one of the moves."""
        me = self.player
        card = NAMES.index(words.split()[1])
        target = int(words.split("player ")[1][0]) - 1 if "player" in words else None
        self.hands[me].remove(card)
        self.discards[me].append(card)
        if card == HANDMAID:
            self.protected.add(me)
        elif card == PRINCESS:
            self.lose(me)
        elif target is not None:
            mine, theirs = self.hands[me], self.hands[target]
            if card == GUARD and theirs == [NAMES.index(words.split()[-1])]:
                self.lose(target)
            elif card == BARON and mine[0] != theirs[0]:
                self.lose(me if mine[0] < theirs[0] else target)
            elif card == PRINCE:
                self.discard(target)
            elif card == KING:
                self.hands[me], self.hands[target] = theirs, mine
        self.end_turn()

    def lose(self, player: int) -> None:
        """The player lays down their hand and is out."""
        self.discards[player] += self.hands[player]
        self.hands[player] = []
        self.out.add(player)

    def discard(self, player: int) -> None:
        """Prince: discard and draw, or be out with the Princess."""
        if self.hands[player] == [PRINCESS]:
            self.lose(player)
            return
        self.discards[player] += self.hands[player]
        pile = self.deck or self.set_aside
        self.hands[player] = [pile.pop()] if pile else []

    def end_turn(self) -> None:
        """The round is over, or the next player draws."""
        if len(self.out) == len(self.hands) - 1 or not self.deck:
            self.over = True
            return
        while True:
            self.player = (self.player + 1) % len(self.hands)
            if self.player not in self.out:
                break
        self.protected.discard(self.player)
        self.hands[self.player].append(self.deck.pop())

    def winners(self, tie_by_discards: bool) -> set[int]:
        """The players who take a token at the end of the round."""
        active = [p for p in range(len(self.hands)) if p not in self.out]
        best = max(max(self.hands[p], default=-1) for p in active)
        tied = [p for p in active if max(self.hands[p], default=-1) == best]
        if tie_by_discards:
            totals = {p: sum(card + 1 for card in self.discards[p]) for p in tied}
            tied = [p for p in tied if totals[p] == max(totals.values())]
        return set(tied)
