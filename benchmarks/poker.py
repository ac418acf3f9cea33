"""What can be won from OpenSpiel's ``ISMCTSBot`` in Kuhn and Leduc poker, without luck.

``python -m benchmarks.poker kuhn-poker --agent kibitz`` asks the bot and an agent of ours in every
information set, ``--answers`` times the bot and ``--samples`` times the agent. That gives the
strategies of both, and the whole tree what ours wins from the bot, on average over both seats:
chips in a hand, the share of hands, shared ones in part, and of matches of a hundred hands. Beside
it stands the most that anybody could win who knew the bot's strategy: a best response for chips,
and one for hands. ``--agent equilibrium`` plays that of CFR+.

These are the games for two players with something hidden that both programs have and that bot can
play: it needs ``ResampleFromInfostate``, which OpenSpiel's Crazy Eights, Go Fish, goofspiel and
phantom tic-tac-toe lack.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

import kibitz
from benchmarks.open_spiel import POKER, THEIRS, Bot, bot_of, deal_poker, poker_action
from kibitz.solving.play import agent_policy
from kibitz.solving.policies import best_response, equilibrium, expected_utilities
from kibitz.solving.tree import Floats, GameTree, grow_tree

EQUILIBRIUM = "equilibrium"
HANDS = 100
"""Of a match."""


def their_state(tree: GameTree, game: str, node: int) -> Any:
    """OpenSpiel's state at a node of our tree."""
    import pyspiel

    ours = tree.roots[tree.root[node]][1].clone()
    theirs = pyspiel.load_game(THEIRS[game]).new_initial_state()
    deal_poker(ours, theirs)
    for action in tree.path(node):
        theirs.apply_action(poker_action(game, ours.action_words(action)))
        ours.apply(action)
        if theirs.is_chance_node():
            deal_poker(ours, theirs)
    return theirs


def asked(tree: GameTree, game: str, answers: int, decide: Callable[[Any, int], int]) -> Floats:
    """The policy of one who decides in OpenSpiel's states, given a number for each answer."""
    counts = np.zeros(len(tree.sequence_action))
    for infoset, node in enumerate(map(int, tree.infoset_node)):
        theirs, ours = their_state(tree, game, node), tree.state(node)
        places = {
            poker_action(game, ours.action_words(int(tree.sequence_action[place]))): place
            for place in tree.sequences(infoset)
        }
        if sorted(places) != theirs.legal_actions():
            raise RuntimeError(f"{game}: the actions of the two programs differ.")
        for number in range(infoset * answers, (infoset + 1) * answers):
            counts[places[decide(theirs, number)]] += 1
    return tree.normalized(counts)


def won_from(tree: GameTree, theirs: Floats, ours: Floats) -> float:
    """What our policy wins from theirs in a hand, on average over the seats."""
    seat = tree.infoset_player[tree.sequence_infoset]
    return float(
        np.mean(
            [
                expected_utilities(tree, np.where(seat == player, ours, theirs))[player]
                for player in range(tree.table.players)
            ]
        )
    )


def ahead_after(tree: GameTree, theirs: Floats, ours: Floats, hands: int) -> float:
    """The chance that our policy is ahead of theirs after so many hands, as sums are normal."""
    mean = won_from(tree, theirs, ours)
    squares = won_from(dataclasses.replace(tree, utility=tree.utility**2), theirs, ours)
    deviation = math.sqrt((squares - mean**2) / hands)
    return statistics.NormalDist().cdf(mean / deviation)


def most_won_from(tree: GameTree, theirs: Floats) -> float:
    """What a best response wins from a policy, on average over the seats."""
    players = range(tree.table.players)
    return float(np.mean([best_response(tree, theirs, player)[0] for player in players]))


def main() -> None:
    """Asks, and prints what is won."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=POKER)
    parser.add_argument("--agent", default=EQUILIBRIUM)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=1000, help="of the bot")
    parser.add_argument("--answers", type=int, default=30, help="of the bot in a set")
    options = parser.parse_args()
    table = kibitz.load(options.game).table()
    chips, hands = grow_tree(table, "score"), grow_tree(table, "place")

    def bot(state: Any, number: int) -> int:
        return int(bot_of(options.game, None, Bot(options.iterations), number + 1).step(state))

    theirs = asked(chips, options.game, options.answers, bot)
    if options.agent == EQUILIBRIUM:
        ours = equilibrium(chips)
    else:
        ours = agent_policy(chips, [options.agent], options.samples)
    won, most = won_from(chips, theirs, ours), most_won_from(chips, theirs)
    share, most_share = (
        0.5 + value / 2 for value in (won_from(hands, theirs, ours), most_won_from(hands, theirs))
    )
    print(
        f"{options.agent} is ahead after {HANDS} hands in"
        f" {ahead_after(chips, theirs, ours, HANDS):.1%} of matches"
    )
    print(
        f"{options.game}: {options.agent} wins {won:+.3f} chips in a hand from ISMCTSBot and"
        f" {share:.1%} of the hands; best responses win {most:+.3f} chips, or {most_share:.1%}"
    )


if __name__ == "__main__":
    main()
