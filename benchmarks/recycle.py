"""Card games described in RECYCLE, against what is promised: ``python -m benchmarks.recycle``.

Rates are per second of CPU time on one core. Six of the library's games are set beside the same
games hand-written in OpenSpiel's C++, in the same run: random games of ours, dealing included,
and its rollouts of a game that has been dealt already. Without OpenSpiel installed these are
left out, and the largest file is where the corpus of other people's files is not at hand.
Exits with 1 when a promise is not kept.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import kibitz
from benchmarks.measure import SHARED, Check, Work, pin_to_one_core, rates, verdict
from benchmarks.native import Bench
from benchmarks.speed import SIMULATIONS, process_seconds, search_work
from kibitz.core.agent import make_agents

LIBRARY = Path(kibitz.__file__).parent / "recycle" / "library"
CORPUS = SHARED / "corpus" / "recycle" / "current"
DEALS = 10
ROLLOUTS = 200


class Peer(NamedTuple):
    """A game of the library with the parameters that make it the same as one of OpenSpiel's."""

    name: str
    players: int
    parameters: dict[str, int]
    open_spiel: str
    chance: tuple[int, ...] = ()
    """OpenSpiel's first outcomes of chance, where ours are fixed by the parameters."""


PEERS = (
    # one deal, three cards passed to the left
    Peer("hearts", 4, {"rounds": 1, "pass": 1, "queen": 1}, "hearts", (1,)),
    # one deal; OpenSpiel forgets to note that spades are broken, so that its games have on average
    # one decision less
    Peer("spades", 4, {"rounds": 1, "nil": 1, "cap": 1}, "spades"),
    # OpenSpiel waits for one pass more until nobody goes on: its games are longer by four per cent
    Peer("crazy-eights", 5, {}, "crazy_eights"),
    Peer("go-fish", 2, {"next": 1, "all": 1}, "go_fish"),
    # OpenSpiel plays the last card of each player without asking
    Peer("gops", 2, {}, "goofspiel"),
    Peer("kuhn-poker", 2, {}, "kuhn_poker"),
)


def open_spiel_deals(peer: Peer) -> tuple[Any, list[Any]]:
    """OpenSpiel's game, and some first decisions in it."""
    import pyspiel

    game = pyspiel.load_game(peer.open_spiel)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    pick = random.Random(1)
    deals = []
    for _ in range(DEALS):
        state = game.new_initial_state()
        for outcome in peer.chance:
            state.apply_action(outcome)
        while state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(pick.choices(outcomes, weights)[0])
        deals.append(state)
    return game, deals


def open_spiel_rollouts(peer: Peer) -> Work:
    """Work: OpenSpiel's random games from first decisions, in C++."""
    import pyspiel

    game, deals = open_spiel_deals(peer)
    bot = pyspiel.MCTSBot(
        game, pyspiel.RandomRolloutEvaluator(ROLLOUTS, 7), 1.4, 1, 1000, False, 7, False
    )

    def work() -> int:
        for deal in deals:
            bot.mcts_search(deal)
        return ROLLOUTS * len(deals)

    return work


def open_spiel_search(peer: Peer) -> Work:
    """Work: one decision of OpenSpiel's ISMCTS, in C++."""
    import pyspiel

    game, deals = open_spiel_deals(peer)
    bot = pyspiel.ISMCTSBot(7, pyspiel.RandomRolloutEvaluator(1, 7), 1.4, SIMULATIONS, -1)

    def work() -> int:
        assert game is not None  # the bot needs it, and does not hold it
        bot.step(deals[0])
        return SIMULATIONS

    return work


def measured(works: dict[str, Work], seconds: float, repeats: int) -> dict[str, float]:
    """The median rate of each kind of work, printed as well."""
    found = rates(works, seconds, repeats)
    for name, rate in found.items():
        print(f"{name:<48}{rate}")
    return {name: rate.median for name, rate in found.items()}


def random_games(seconds: float, repeats: int) -> list[Check]:
    """Games of random players: as agents play them out, and as a playtest does."""

    def played(game: str) -> Work:
        table, agents = kibitz.load(game).table(4), make_agents(["random"], 4)

        def work() -> int:
            kibitz.play(table, agents, 20_000, workers=1)
            return 20_000

        return work

    works: dict[str, Work] = {}
    for game in ("agram", "pairs"):
        works[f"{game} 4p, random games"] = Bench(game, 4).playouts(5_000)
        works[f"{game} 4p, random games in the match loop"] = played(game)
    found = measured(works, seconds, repeats)
    return [
        Check("Agram 4p, random games/s", found["agram 4p, random games"], 200_000),
        Check("Pairs 4p, random games/s", found["pairs 4p, random games"], 300_000),
    ]


def beside_open_spiel(seconds: float, repeats: int) -> list[Check]:
    """The games that OpenSpiel has too, and ISMCTS on one of them."""
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        print("OpenSpiel is not installed (pip install 'kibitz[bench]'): no comparison.\n")
        return []
    works: dict[str, Work] = {}
    for peer in PEERS:
        bench = Bench(peer.name, peer.players, **peer.parameters)
        works[f"{peer.name}, random games"] = bench.playouts(1_000)
        works[f"OpenSpiel {peer.name}, C++ rollouts"] = open_spiel_rollouts(peer)
    hearts = PEERS[0]
    spec = f"ismcts:iterations={SIMULATIONS}"
    works["hearts, ISMCTS simulations"] = search_work(
        spec, hearts.players, hearts.name, **hearts.parameters
    )
    works["OpenSpiel hearts, C++ ISMCTS simulations"] = open_spiel_search(hearts)
    found = measured(works, seconds, repeats)
    checks = [
        Check(
            f"{peer.name}, random games, times OpenSpiel's C++ rollouts",
            found[f"{peer.name}, random games"] / found[f"OpenSpiel {peer.name}, C++ rollouts"],
            1.0,
        )
        for peer in PEERS
    ]
    checks.append(
        Check(
            "hearts, ISMCTS simulations, times OpenSpiel's C++ ISMCTSBot",
            found["hearts, ISMCTS simulations"]
            / found["OpenSpiel hearts, C++ ISMCTS simulations"],
            2.0,
        )
    )
    return checks


def changed(source: Path, folder: Path) -> Path:
    """A copy of a file such as there has never been: with a storage that nothing uses yet."""
    mark = f"EDIT{time.time_ns()}".translate(str.maketrans("0123456789", "ABCDEFGHIJ"))
    text = source.read_text(encoding="utf-8")
    end = text.rindex("(scoring")
    edit = f"(do ((set (game sto {mark}) 1)))\n"
    copy = folder / f"{source.stem}-{mark}.rcy"
    copy.write_text(text[:end] + edit + text[end:], encoding="utf-8")
    return copy


def start_up() -> list[Check]:
    """Whole processes, from Enter to the report: the fastest of three each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {**os.environ, "KIBITZ_CACHE": str(folder / "cache")}

        def seconds(game: str | Path) -> float:
            return process_seconds(environment, str(game))[0]

        seconds("agram")
        checks = [
            Check(
                "kibitz playtest agram, warm, seconds",
                min(seconds("agram") for _ in range(3)),
                2.0,
                at_least=False,
            )
        ]
        edited = [("a game the size of Hearts", LIBRARY / "hearts.rcy", 4.0)]
        if CORPUS.is_dir():
            files = sorted(CORPUS.glob("*.rcy"), key=lambda file: file.stat().st_size)
            edited.append(("the largest of the corpus", files[-1], 8.0))
        for what, file, limit in edited:
            fastest = min(seconds(changed(file, folder)) for _ in range(3))
            what = f"kibitz playtest, an edit never seen before of {what}, seconds"
            checks.append(Check(what, fastest, limit, at_least=False))
    return checks


def searching_player() -> Check:
    """A thousand games of Agram with one PIMC player."""
    table = kibitz.load("agram").table(4)
    agents = make_agents(["pimc:determinizations=20,by=rank", *["random"] * 3], 4)
    kibitz.play(table, agents, 10, workers=1)
    spent = []
    for seed in range(3):
        began = time.process_time()
        kibitz.play(table, agents, 1_000, seed=seed, workers=1)
        spent.append(time.process_time() - began)
    what = "1,000 games of Agram with one PIMC player, seconds of CPU"
    return Check(what, min(spent), 2.0, at_least=False)


def main() -> int:
    """Measures everything; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the time, less exact")
    quick = parser.parse_args().quick
    how = (0.2, 3) if quick else (1.0, 5)
    checks = start_up()
    pin_to_one_core()
    checks += [*random_games(*how), *beside_open_spiel(*how), searching_player()]
    return verdict(checks)


if __name__ == "__main__":
    sys.exit(main())
