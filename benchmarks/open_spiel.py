"""The agent ``kibitz`` against OpenSpiel's bots, with about the same CPU time for a move.

``python -m benchmarks.open_spiel connect-four --games 60 --milliseconds 20``; ``--agent`` plays
another agent. In connect four and breakthrough the opponent is ``MCTSBot`` with its solver, in
Hearts (one deal, with passing) three of ``ISMCTSBot``, in Kuhn and Leduc poker one of them. Both
programs play the same game side by side, and both bots have the iterations that fit into the time,
as four games show. Each deal is played once with ours in each seat.

``ISMCTSBot`` draws its action in proportion to visits, unless ``--final-policy visits`` has it
take the most visited one. ``--exploration`` is the weight of exploration of the bots, on the scale
of the returns, which in Hearts go from 0 to 26.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import kibitz
from benchmarks.matches import with_options
from kibitz.core.agent import make_agent
from kibitz.core.game import Table
from kibitz.core.state import State
from kibitz.players.seat import AgentSeat
from kibitz.studies.moments import Moments
from kibitz.studies.solving.tree import Floats

EXPLORATION = 1.4
FINAL_POLICIES = {"draw": "NORMALIZED_VISIT_COUNT", "visits": "MAX_VISIT_COUNT"}
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
FOR_POINTS = ("hearts", *POKER)
"""Games whose returns are points or chips; in the others they say only who won."""


class Bot(NamedTuple):
    """How OpenSpiel's bot searches, and how it chooses when it has."""

    iterations: int
    exploration: float = EXPLORATION
    final_policy: str = "draw"


def table_of(game: str) -> Table:
    """Our table of a game."""
    if game == "hearts":
        return kibitz.load(game).table(4, {"rounds": 1, "pass": 2, "queen": 1})
    return kibitz.load(game).table()


def bot_of(game: str, theirs: Any, bot: Bot, seed: int) -> Any:
    """Their bot."""
    import pyspiel

    rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
    if game in FOR_POINTS:
        policy = getattr(pyspiel.ISMCTSFinalPolicyType, FINAL_POLICIES[bot.final_policy])
        return pyspiel.ISMCTSBot(seed, rollouts, bot.exploration, bot.iterations, -1, policy)
    return pyspiel.MCTSBot(
        theirs, rollouts, bot.exploration, bot.iterations, MEMORY, True, seed, False
    )


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


def their_action(game: str, ours: State, action: int, theirs: Any) -> int:
    """OpenSpiel's number of one of our actions."""
    words = ours.action_words(action)
    legal = theirs.legal_actions()
    if game == "hearts":
        number = card(words)
        return legal[0] if number is None else number  # ours leads the lowest club unnamed
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
        with self.running(who):
            action = decide()
        self.decisions[who] += 1
        return action

    @contextlib.contextmanager
    def running(self, who: int) -> Iterator[None]:
        """Counts the time of what is done meanwhile."""
        began = time.process_time()
        yield
        self.seconds[who] += time.process_time() - began

    def milliseconds(self, who: int) -> float:
        """For a decision, on average."""
        return 1000 * self.seconds[who] / max(1, self.decisions[who])


def play_game(game: str, agent: str, bot: Bot, mine: int, seed: int, clock: Clock) -> list[float]:
    """Plays one game; the returns of all seats.

    Raises:
        RuntimeError: the rules of the two programs differ.
    """
    import pyspiel

    table = table_of(game)
    other = pyspiel.load_game(THEIRS[game])
    seat = AgentSeat(make_agent(agent), table, mine)
    seat.begin(seed)
    bots = [bot_of(game, other, bot, seed * 4 + p) for p in range(table.players)]
    ours, theirs = table.new_state(seed // table.players), other.new_initial_state()
    seat.watch(ours)
    if game == "hearts":
        deal(ours, theirs)
    while not theirs.is_terminal():
        if theirs.is_chance_node():
            deal_poker(ours, theirs)
        pairs = {a: their_action(game, ours, a, theirs) for a in ours.legal_actions()}
        mover = theirs.current_player()
        if ours.current_player != mover or sorted(pairs.values()) != theirs.legal_actions():
            raise RuntimeError(f"{game}, seed {seed}: the rules differ at\n{ours}\n{theirs}")
        if len(pairs) == 1:
            action = next(iter(pairs))
        elif mover == mine:
            action = clock.ask(0, lambda: seat.decide(ours, list(pairs)))  # noqa: B023
        else:
            asked = as_first_to_pass(theirs) if is_passing(game, theirs) else theirs
            chosen = clock.ask(1, lambda: bots[mover].step(asked))  # noqa: B023
            action = next(a for a, b in pairs.items() if b == chosen)
        theirs.apply_action(pairs[action])
        ours.apply(action)
        if game in ("connect-four", "breakthrough"):  # ours plays on where there is no choice
            while not theirs.is_terminal() and len(theirs.legal_actions()) == 1:
                theirs.apply_action(theirs.legal_actions()[0])
            while not ours.is_terminal and len(ours.legal_actions()) == 1:
                ours.apply(ours.legal_actions()[0])
        with clock.running(0):
            seat.watch(ours)
    if not ours.is_terminal or winners(ours.returns()) != winners(theirs.returns()):
        raise RuntimeError(f"{game}, seed {seed}: the ends differ at\n{ours}\n{theirs}")
    return list(theirs.returns())


def winners(returns: Sequence[float]) -> list[int]:
    """The seats with the most."""
    return [seat for seat, value in enumerate(returns) if value == max(returns)]


class Match(NamedTuple):
    """What came of games in which ours had each seat once in each deal: a row for each deal."""

    wins: Floats
    """Of ours; shared wins count in part."""
    returns: Floats
    """Those of ours."""
    others: Floats
    """The mean returns of the other seats."""
    clock: Clock

    def __str__(self) -> str:
        """Our share of the wins. The games of a deal are not independent, so deals are counted."""
        deals, seats = self.wins.shape
        counts = Moments.of(self.wins.sum(axis=1), np.full(deals, seats))
        low, high = counts.clustered_interval() or (0.0, 1.0)
        share = f"{self.wins.mean():.1%} ({low:.1%} to {high:.1%})"
        return f"{share} of {self.wins.size:,} games, {deals:,} in each seat"


def play_match(game: str, agent: str, bot: Bot, games: int, seed: int) -> Match:
    """Plays about so many games, in each seat equally often, of deals from `seed` on."""
    clock = Clock()
    seats = table_of(game).players
    rows = []
    for number in range(seed, seed + math.ceil(games / seats)):
        for mine in range(seats):
            returns = play_game(game, agent, bot, mine, number * seats + mine, clock)
            first = winners(returns)
            won = (mine in first) / len(first)
            rows.append((won, returns[mine], (sum(returns) - returns[mine]) / (seats - 1)))
    wins, own, others = np.array(rows).reshape(-1, seats, 3).transpose(2, 0, 1)
    return Match(wins, own, others, clock)


def main() -> None:
    """Plays, and prints the share of wins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=list(THEIRS))
    parser.add_argument("--agent", default="kibitz")
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--seed", type=int, default=10, help="of the first deal")
    parser.add_argument("--milliseconds", type=float, default=20.0)
    parser.add_argument("--exploration", type=float, default=EXPLORATION)
    parser.add_argument("--final-policy", choices=list(FINAL_POLICIES), default="draw")
    options = parser.parse_args()
    if options.final_policy != "draw" and options.game not in FOR_POINTS:
        parser.error("--final-policy is one of ISMCTSBot; MCTSBot takes its best action.")
    bot = Bot(FIRST_ITERATIONS, options.exploration, options.final_policy)
    limited = with_options(options.agent, iterations=FIRST_ITERATIONS)
    clock = play_match(options.game, limited, bot, 4, 0).clock
    iterations, theirs = (
        max(1, round(FIRST_ITERATIONS * options.milliseconds / clock.milliseconds(who)))
        for who in (0, 1)
    )
    limited = with_options(options.agent, iterations=iterations)
    bot = bot._replace(iterations=theirs)
    match = play_match(options.game, limited, bot, options.games, options.seed)
    chooses = f", action by {bot.final_policy}" if options.game in FOR_POINTS else ""
    print(
        f"{options.game}: {options.agent} {match}; {iterations:,} iterations in"
        f" {match.clock.milliseconds(0):.1f} ms against {theirs:,} in"
        f" {match.clock.milliseconds(1):.1f} ms, exploration {bot.exploration:g}{chooses}"
    )
    if options.game in FOR_POINTS:
        interval = Moments.of(match.returns.mean(axis=1)).summary().interval
        low, high = interval or (math.nan, math.nan)
        print(
            f"returns {match.returns.mean():+.2f} ({low:+.2f} to {high:+.2f}),"
            f" of the others {match.others.mean():+.2f}"
        )


if __name__ == "__main__":
    main()
