"""The agent ``kibitz`` against OpenSpiel's bots, with about the same CPU time for a move.

``python -m benchmarks.open_spiel connect-four --games 60 --milliseconds 20``; ``--agent`` plays
another agent. In connect four and breakthrough the opponent is ``MCTSBot`` with its solver, in
Hearts (one deal, with passing) three of ``ISMCTSBot``, in Kuhn and Leduc poker one of them. Both
programs play the same game side by side, and both bots have the iterations that fit into the time,
as four games show. Deals of Hearts in which a rule of the two programs differs are left out. Of
poker the chips won in a hand are told, too.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import kibitz
from benchmarks.matches import Outcome, with_options
from kibitz.agents.seat import AgentSeat
from kibitz.core.agent import make_agent
from kibitz.core.game import Table
from kibitz.core.state import State

EXPLORATION = 1.4
FIRST_ITERATIONS = 1000
MEMORY = 1000
RANKS = ("TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", *"JQKA")
SUITS = ("CLUBS", "DIAMONDS", "HEARTS", "SPADES")
THEIRS = {
    "connect-four": "connect_four",
    "breakthrough": "breakthrough(rows=8,columns=8)",
    "hearts": "hearts",
    "kuhn-poker": "kuhn_poker",
    "leduc-poker": "leduc_poker",
}
POKER = ("kuhn-poker", "leduc-poker")


def table_of(game: str) -> Table:
    """Our table of a game."""
    if game == "hearts":
        return kibitz.load(game).table(4, {"rounds": 1, "pass": 2, "queen": 1})
    return kibitz.load(game).table()


def bot_of(game: str, theirs: Any, iterations: int, seed: int) -> Any:
    """Their bot."""
    import pyspiel

    rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
    if game == "hearts" or game in POKER:
        return pyspiel.ISMCTSBot(seed, rollouts, EXPLORATION, iterations, -1)
    return pyspiel.MCTSBot(theirs, rollouts, EXPLORATION, iterations, MEMORY, True, seed, False)


def card(words: str) -> int | None:
    """The number that OpenSpiel gives a card; ``None`` where the words name none."""
    parts = words.replace(",", "").split()
    for rank, suit in itertools.pairwise(parts):
        if rank in RANKS and suit in SUITS:
            return RANKS.index(rank) * len(SUITS) + SUITS.index(suit)
    return None


def square(column: str, row: str) -> str:
    """A square of breakthrough, where the first player begins at the top."""
    return "abcdefgh"[int(column) - 1] + str(9 - int(row))


def poker_card(words: str) -> int:
    """The number that OpenSpiel gives a card: ``K`` in Kuhn poker, ``K SPADES`` in Leduc poker."""
    rank, *suit = words.split()
    return "JQK".index(rank) if not suit else 2 * "JQK".index(rank) + (suit[0] == "SPADES")


def poker_action(game: str, words: str) -> int:
    """OpenSpiel's number of an action: in Kuhn poker pass or bet, in Leduc fold, call or raise."""
    if game == "kuhn-poker":
        return int("BET" in words or "CALL" in words)
    return 0 if "FOLD" in words else 2 if "BET" in words or "RAISE" in words.split(",")[0] else 1


def their_action(game: str, ours: State, action: int, theirs: Any) -> int | None:
    """OpenSpiel's number of one of our actions; ``None`` if it has none."""
    words = ours.action_words(action)
    legal = theirs.legal_actions()
    if game == "hearts":
        number = card(words)
        return number if number in legal else legal[0] if number is None else None
    if game in POKER:
        return poker_action(game, words)
    parts = words.strip("()").split()
    if game == "connect-four":
        return int(parts[1]) - 1
    wanted = square(parts[1], parts[2]) + square(parts[3], parts[4])
    return next(a for a in legal if theirs.action_to_string(a).replace("*", "") == wanted)


def deal_poker(ours: State, theirs: Any) -> None:
    """Deals OpenSpiel's players of poker the cards of ours, or turns the same card up."""
    places = ours.to_json()["components"]
    hands = ["hand[0]", "hand[1]"] if not theirs.history() else ["board"]
    for place in hands:
        (words,) = places[place]
        theirs.apply_action(poker_card(words))


def deal(ours: State, theirs: Any) -> None:
    """Deals OpenSpiel's players of Hearts the hands of ours."""
    lines = [line for line in str(ours).splitlines() if line.startswith("Player ")]
    texts = [line.split("hand: ")[1].split(";")[0] for line in lines]
    hands = [[card(words) for words in text.split(", ")] for text in texts]
    dealt = 0
    while theirs.is_chance_node():
        if "Pass" in theirs.action_to_string(theirs.legal_actions()[0]):
            theirs.apply_action(ours.to_json()["components"]["seats"])  # as many seats to the left
        else:
            theirs.apply_action(hands[dealt % 4][dealt // 4])
            dealt += 1


def as_first_to_pass(theirs: Any) -> Any:
    """The state with the players renumbered, so that the one who passes cards comes first.

    OpenSpiel 2.0.2 crashes when an ``ISMCTSBot`` is asked after others have passed.
    """
    player, history = theirs.current_player(), theirs.history()
    renumbered = theirs.get_game().new_initial_state()
    renumbered.apply_action(history[0])
    for dealt in range(52):
        renumbered.apply_action(history[1 + dealt // 4 * 4 + (dealt + player) % 4])
    for passed in history[53 + 3 * player :]:
        renumbered.apply_action(passed)
    return renumbered


def is_passing(game: str, theirs: Any) -> bool:
    """Whether cards are being passed in Hearts: twelve, after 52 were dealt."""
    return game == "hearts" and theirs.history()[0] != 0 and len(theirs.history()) < 65


class Clock:
    """CPU time of the decisions of both programs."""

    def __init__(self) -> None:
        self.seconds = [0.0, 0.0]
        self.decisions = [0, 0]

    def ask(self, who: int, decide: Callable[[], int]) -> int:
        """Asks for a decision, and counts its time."""
        began = time.process_time()
        action = decide()
        self.seconds[who] += time.process_time() - began
        self.decisions[who] += 1
        return action

    def milliseconds(self, who: int) -> float:
        """For a decision, on average."""
        return 1000 * self.seconds[who] / max(1, self.decisions[who])


def play_game(
    game: str, agent: str, iterations: int, mine: int, seed: int, clock: Clock
) -> list[float] | None:
    """Plays one game; all returns, or ``None`` where the rules differed."""
    import pyspiel

    table = table_of(game)
    other = pyspiel.load_game(THEIRS[game])
    seat = AgentSeat(make_agent(agent), table, mine)
    seat.begin(seed)
    bots = [bot_of(game, other, iterations, seed * 4 + p) for p in range(table.players)]
    ours, theirs = table.new_state(seed // table.players), other.new_initial_state()
    if game == "hearts":
        deal(ours, theirs)
    while not theirs.is_terminal():
        if theirs.is_chance_node():
            deal_poker(ours, theirs)
        if ours.is_terminal or ours.current_player != theirs.current_player():
            return None
        pairs = {a: their_action(game, ours, a, theirs) for a in ours.legal_actions()}
        pairs = {a: b for a, b in pairs.items() if b is not None}
        if not pairs:
            return None
        if len(pairs) == 1:
            action = next(iter(pairs))
        elif ours.current_player == mine:
            action = clock.ask(0, lambda: seat.decide(ours, list(pairs)))  # noqa: B023
        else:
            bot = bots[ours.current_player]
            asked = as_first_to_pass(theirs) if is_passing(game, theirs) else theirs
            chosen = clock.ask(1, lambda: bot.step(asked))  # noqa: B023
            action = next((a for a, b in pairs.items() if b == chosen), -1)
        if action not in pairs:
            return None
        theirs.apply_action(pairs[action])
        ours.apply(action)
        if game in ("connect-four", "breakthrough"):  # ours plays on where there is no choice
            while not theirs.is_terminal() and len(theirs.legal_actions()) == 1:
                theirs.apply_action(theirs.legal_actions()[0])
            while not ours.is_terminal and len(ours.legal_actions()) == 1:
                ours.apply(ours.legal_actions()[0])
    return list(theirs.returns())


def play_match(
    game: str, agent: str, iterations: tuple[int, int], games: int
) -> tuple[Outcome, list[float], Clock]:
    """Plays so many games, in each seat equally often: our share of the wins, and our returns."""
    clock = Clock()
    wins, gained = 0.0, []
    players = table_of(game).players
    for seed in range(games):
        limited = with_options(agent, iterations=iterations[0])
        mine = seed % players
        returns = play_game(game, limited, iterations[1], mine, seed, clock)
        if returns is not None:
            if returns[mine] == max(returns):
                wins += 1 / returns.count(returns[mine])
            gained.append(returns[mine])
    return Outcome(wins, len(gained)), gained, clock


def main() -> None:
    """Plays, and prints the share of wins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=list(THEIRS))
    parser.add_argument("--agent", default="kibitz")
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--milliseconds", type=float, default=20.0)
    options = parser.parse_args()
    first = (FIRST_ITERATIONS, FIRST_ITERATIONS)
    _, _, clock = play_match(options.game, options.agent, first, 4)
    iterations = (
        max(1, round(FIRST_ITERATIONS * options.milliseconds / clock.milliseconds(0))),
        max(1, round(FIRST_ITERATIONS * options.milliseconds / clock.milliseconds(1))),
    )
    outcome, gained, clock = play_match(options.game, options.agent, iterations, options.games)
    print(
        f"{options.game}: {options.agent} {outcome}; {iterations[0]:,} iterations in"
        f" {clock.milliseconds(0):.1f} ms against {iterations[1]:,} in"
        f" {clock.milliseconds(1):.1f} ms"
    )
    if options.game in POKER:
        error = 1.96 * statistics.stdev(gained) / math.sqrt(len(gained))
        print(f"chips won in a hand: {statistics.fmean(gained):+.3f} ± {error:.3f}")


if __name__ == "__main__":
    main()
