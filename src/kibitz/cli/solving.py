"""``kibitz exploitability``: compares agents with optimal play, in small games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import terminal
from kibitz.cli.options import (
    Agents,
    GameName,
    JsonOnly,
    ParameterOptions,
    PlayerCount,
    Seed,
    describe_table,
    find_game,
    split_agents,
)
from kibitz.core.wording import counted
from kibitz.solving.limits import MOST_NODES

if TYPE_CHECKING:
    from kibitz.solving.tree import Floats, GameTree


def exploitability(
    game: GameName,
    agents: Agents = None,
    samples: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="How often an agent is asked in each information set."
        ),
    ] = 100,
    iterations: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Iterations of CFR+ for the equilibrium."),
    ] = 1000,
    nodes: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Give up games whose tree has more nodes than this."
        ),
    ] = MOST_NODES,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="place|score",
            show_default=False,
            help="What players maximize: their place, -1 to 1, or their score.  "
            "[default: what the game is played for]",
        ),
    ] = None,
    players: PlayerCount = None,
    *,
    given: ParameterOptions,
    seed: Seed = 0,
    json: JsonOnly = False,
) -> None:
    """Compare agents with optimal play in small games.

    The whole tree of the game is searched, so it has to be small.

    Each agent plays in all seats. Its exploitability is the average gain of a player from a best
    response to it: 0 in an equilibrium. For two-player zero-sum games an equilibrium is computed,
    too (CFR+). Chance is allowed in the set-up only, as in a shuffled deck. Of an agent that draws
    its actions from a mix, as mccfr does, the mixes are averaged; of others choices are counted.

    Examples:
      kibitz exploitability kuhn-poker --agents "ismcts:iterations=1000 pimc"
      kibitz exploitability kuhn-poker --agents mccfr:iterations=10000
      kibitz exploitability gops --set cards=4 --agents random
    """
    from kibitz.core.agent import make_agent
    from kibitz.solving.play import agent_policy
    from kibitz.solving.policies import equilibrium
    from kibitz.solving.tree import grow_tree

    seated = [make_agent(label) for label in split_agents(agents)]
    table = given.table(find_game(game), players)
    with terminal.notice_if_slow("Enumerating the game's tree ..."):
        tree = grow_tree(table, by, nodes)
    rows: list[dict[str, Any]] = []
    if tree.is_zero_sum and table.players == 2:
        with terminal.progress("iterations") as progress:
            rows.append(_evaluated(tree, "equilibrium", equilibrium(tree, iterations, progress)))
    rows.append(_evaluated(tree, "uniform", tree.uniform()))
    for agent in seated:
        with terminal.progress("information sets") as progress:
            policy = agent_policy(tree, [agent], samples, seed, progress)
        rows.append(_evaluated(tree, agent.label, policy))
    if json:
        terminal.print_json(
            {
                "game": table.game.name,
                "players": table.players,
                "parameters": table.parameters.to_json(),
                "by": tree.by,
                "samples": samples,
                "seed": seed,
                "set_ups": len(tree.roots),
                "nodes": len(tree.parent),
                "information_sets": len(tree.infoset_player),
                "policies": rows,
            }
        )
        return
    _show(tree, rows)


def _evaluated(tree: GameTree, label: str, policy: Floats) -> dict[str, Any]:
    """The utilities and the exploitability of a policy, as JSON."""
    from kibitz.solving.policies import expected_utilities, gains

    found = gains(tree, policy)
    return {
        "policy": label,
        "utilities": [float(value) for value in expected_utilities(tree, policy)],
        "gains": found,
        "exploitability": sum(found) / len(found),
    }


def _show(tree: GameTree, rows: list[dict[str, Any]]) -> None:
    from kibitz.cli.catalogue import new_grid, plain

    size = [
        counted(len(tree.roots), "set-up"),
        counted(len(tree.parent), "node"),
        counted(len(tree.infoset_player), "information set"),
    ]
    terminal.print_text(f"{describe_table(tree.table)}: {', '.join(size)}.\n")
    seats = [f"player {p + 1}" for p in range(tree.table.players)]
    grid = new_grid("policy", *seats, "exploitability")
    for column in grid.columns[1:]:
        column.justify = "right"
    for row in rows:
        values = [f"{value:z.4f}" for value in row["utilities"]]
        grid.add_row(plain(row["policy"]), *values, f"{row['exploitability']:z.4f}")
    terminal.out().print(grid)
    unit = "as a place from -1 to 1" if tree.by == "place" else "in points"
    terminal.print_text(
        f"\nEach player's average utility if all play by the policy, {unit}; and the average "
        "gain of a player from a best response to it."
    )
    if rows[0]["policy"] != "equilibrium":
        terminal.print_text("An equilibrium is computed for two-player zero-sum games only.")
