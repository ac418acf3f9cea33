"""``kibitz games``, ``kibitz show`` and ``kibitz agents``: lists and descriptions."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import terminal
from kibitz.cli.options import GameName, JsonOnly, find_game, prepare_rules
from kibitz.core.errors import KibitzError
from kibitz.core.wording import by_players, printable

if TYPE_CHECKING:
    from rich.table import Table as Grid

    from kibitz.core.agent import Agent
    from kibitz.core.game import Game
    from kibitz.core.layout import Component, Layout
    from kibitz.core.parameters import GameParameters, Tunable

GAP = 2
"""Spaces between the columns of a table."""
LONGEST_HEADING = len("Default")
NARROWEST = 20
"""Minimum width of the column of explanations; on narrower terminals names are broken."""
WIDE = 140
"""Minimum width of the terminal, in columns, for a column of titles."""


# --- games --------------------------------------------------------------------------------


def games(
    word: Annotated[
        str,
        typer.Argument(
            metavar="WORD",
            show_default=False,
            help="Only games with this in their name, title, categories or mechanics.",
        ),
    ] = "",
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            "-p",
            metavar="N",
            show_default=False,
            help="Only games for this number of players.",
        ),
    ] = None,
    category: Annotated[
        str | None,
        typer.Option(metavar="WORD", show_default=False, help="Only games of this category."),
    ] = None,
    mechanic: Annotated[
        str | None,
        typer.Option(metavar="WORD", show_default=False, help="Only games with this mechanic."),
    ] = None,
    json: JsonOnly = False,
) -> None:
    """List the games.

    Examples:
      kibitz games
      kibitz games deduction
      kibitz games --players 5 --mechanic trick-taking
      kibitz games --json
    """
    from kibitz import loading

    matches = loading.games(
        word, players=players, category=category, mechanic=mechanic, left_out=_leave_out
    )
    if json:
        terminal.print_json([game_summary(game) for game in matches])
    elif not matches:
        asked = f"mentions {word!r}" if word else "matches"
        terminal.say(f"No game {asked}. 'kibitz games' lists all.")
    else:
        wide = terminal.width() >= WIDE
        grid = new_grid("Game", *["Title"] * wide, "Players", "Categories and mechanics")
        grid.columns[0].no_wrap = True  # a name is there to be copied
        for game in matches:
            tags = dict.fromkeys([*game.categories, *game.mechanics])
            title = [game.title] * wide
            grid.add_row(f"[bold]{game.name}[/]", *title, player_span(game), ", ".join(tags))
        terminal.out().print(grid)


def _leave_out(problem: KibitzError) -> None:
    """Says why something is not listed."""
    terminal.say(f"Left out: {problem}")


def game_summary(game: Game) -> dict[str, Any]:
    """A game's entry in the list, as JSON."""
    return {
        "name": game.name,
        "title": game.title,
        "players": list(game.players),
        "categories": list(game.categories),
        "mechanics": list(game.mechanics),
    }


def player_span(game: Game) -> str:
    """``2`` or ``2-4``."""
    low, high = game.players
    return str(low) if low == high else f"{low}-{high}"


# --- show ---------------------------------------------------------------------------------


def show(game: GameName, json: JsonOnly = False) -> None:
    """Describe a game and its parameters.

    Its source, players, parameters, components, kinds of actions, and the agents that can
    play it.

    Examples:
      kibitz show love-letter
      kibitz show love-letter --json
      kibitz show src/my_game/rules.py
    """
    document = game_document(prepare_rules(find_game(game)))
    if json:
        terminal.print_json(document)
    else:
        _show_game(document)


def game_document(game: Game) -> dict[str, Any]:
    """A complete description of a game, as JSON."""
    from kibitz.core.game import heuristic_names, usual_rules

    rules = usual_rules(game)
    return {
        **game_summary(game),
        "about": game.about(),
        "source": game.source,
        "max_ticks": game.max_ticks,
        "lowest_score_wins": rules.lowest_score_wins,
        "heuristics": list(heuristic_names(game)),
        "state_bytes": rules.layout.dtype.itemsize,
        "evaluation": game.evaluation,
        "parameters": parameter_documents(game.Parameters),
        "components": component_documents(rules.layout),
        "actions": [
            {"kind": kind.name.lower(), "words": kind.action.template, "number": kind.action.size}
            for kind in rules.actions
        ],
        "agents": agents_for(game),
        "default_agent": game.default_agent,
    }


def first_paragraph(documented: Any) -> str:
    """The first paragraph of a docstring, as one line."""
    text = inspect.getdoc(documented) or ""
    return " ".join(text.split("\n\n")[0].split())


def parameter_documents(parameters: type[GameParameters]) -> list[dict[str, Any]]:
    """Parameters or options, and presets, as JSON."""
    presets = [
        {
            "name": name,
            "default": next(iter(preset.choices)),
            "allowed": preset.describe(),
            "doc": preset.doc,
        }
        for name, preset in parameters.presets.items()
    ]
    return presets + [
        {
            "name": name,
            "default": _default(tunable),
            "allowed": tunable.describe(),
            "doc": tunable.doc,
        }
        for name, tunable in parameters.tunables.items()
    ]


def _default(tunable: Tunable) -> Any:
    """The default, as an object by number of players if it depends on that."""
    if tunable.by_players is not None:
        return {str(players): value for players, value in tunable.by_players.items()}
    value = tunable.default
    return tunable.show(value) if isinstance(value, enum.IntEnum) else value


def component_documents(layout: Layout) -> list[dict[str, Any]]:
    """The game's components as JSON, those of each player once."""
    documents: dict[str, dict[str, Any]] = {}
    for instance in layout.instances:
        name = re.sub(r"\[\d+\]", "", instance.path)
        document: dict[str, Any] = {"name": name, "type": type(instance.component).__name__}
        document["per_player"] = instance.owner is not None
        document["seen_by"] = _seen_by(instance.component)
        if (capacity := getattr(instance.component, "capacity", None)) is not None:
            document["capacity"] = capacity
        documents.setdefault(name, document)
    return list(documents.values())


def _seen_by(component: Component) -> str:
    return component.visible_to.name.lower()


def agents_for(game: Game) -> list[str]:
    """The names of the agents that can play a game."""
    from kibitz import loading

    return [agent.name for agent in loading.agents(game=game, left_out=_leave_out)]


_SEEN = {
    "nobody": "face down for all",
    "owner": "seen by its owner",
    "everyone": "open",
    "others": "seen by all but its owner",
}


def _show_game(document: dict[str, Any]) -> None:
    console = terminal.out()
    console.print(f"[bold]{document['title']}[/] ({document['name']})")
    console.print(document["about"], markup=False)
    facts = new_grid("", "", header=False)
    for label, text in _facts(document):
        facts.add_row(label, text)
    console.print()
    console.print(facts)
    if document["parameters"]:
        _section("Parameters (--set name=value)", parameter_grid(document["parameters"]))
    components = new_grid("Name", "Kind", "Who sees it")
    for component in document["components"]:
        each = ", one each" if component["per_player"] else ""
        room = f", up to {component['capacity']}" if "capacity" in component else ""
        kind = component["type"].lower() + room + each
        components.add_row(component["name"], kind, _SEEN[component["seen_by"]])
    _section("Components", components)
    actions = new_grid("Words", "How many")
    for action in document["actions"]:
        actions.add_row(plain(action["words"]), f"{action['number']:,}")
    _section("Actions", actions)


def _facts(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    low, high = document["players"]
    yield "Players", str(low) if low == high else f"{low} to {high}"
    for label in ("source", "categories", "mechanics"):
        value = document[label]
        if value:
            yield label.capitalize(), plain(value if isinstance(value, str) else ", ".join(value))
    if document["lowest_score_wins"]:
        yield "Winner", "the lowest score"
    yield "Length", f"up to {document['max_ticks']:,} actions; a longer game counts as unfinished"
    yield "State", f"{document['state_bytes']:,} bytes"
    if document["evaluation"]:
        yield "Evaluation", document["evaluation"]
    yield "Heuristics", f"{', '.join(document['heuristics'])} (--agents mcts:heuristic=NAME)"
    yield "Agents", ", ".join(document["agents"])
    yield "Default agent", f"{plain(document['default_agent'])} (plays with you, gives hints)"


def _section(title: str, grid: Grid) -> None:
    console = terminal.out()
    console.print()
    console.print(f"[bold]{title}[/]")
    console.print(grid)


# --- agents -------------------------------------------------------------------------------


def agents(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", show_default=False, help="Show only this agent, with its options."
        ),
    ] = "",
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME", show_default=False, help="Only agents that can play this game."
        ),
    ] = None,
    json: JsonOnly = False,
) -> None:
    """List the agents, or show one with its options.

    An agent is named together with its options: mcts:iterations=500,c=0.7

    Examples:
      kibitz agents
      kibitz agents mcts
      kibitz agents --game love-letter
      kibitz agents --json
    """
    from kibitz import loading
    from kibitz.core import agent

    if name:
        document = agent_document(agent.agent_class(name.partition(":")[0]))
        if json:
            terminal.print_json(document)
        else:
            _show_agent(document)
        return
    matches = loading.agents(game=game and find_game(game).name, left_out=_leave_out)
    documents = [agent_document(each) for each in matches]
    if json:
        terminal.print_json(documents)
        return
    grid = new_grid("Agent", "What it does")
    for document in documents:
        own = f" Plays {document['game']} only." if document["game"] else ""
        grid.add_row(f"[bold]{document['name']}[/]", plain(document["about"] + own))
    terminal.out().print(grid)
    terminal.print_lines("\n'kibitz agents NAME' shows an agent's options.")


def agent_document(agent: type[Agent]) -> dict[str, Any]:
    """A complete description of an agent, as JSON."""
    return {
        "name": agent.name,
        "about": first_paragraph(agent),
        "game": agent.game,
        "options": parameter_documents(agent.Options),
    }


def _show_agent(document: dict[str, Any]) -> None:
    console = terminal.out()
    console.print(f"[bold]{document['name']}[/]")
    console.print(document["about"], markup=False)
    if document["game"]:
        console.print(f"It plays {document['game']} only.")
    if not document["options"]:
        console.print("It has no options.")
        return
    name = document["options"][0]["name"]
    _section(f"Options ({document['name']}:{name}=...)", parameter_grid(document["options"]))


# --- tables on the screen -----------------------------------------------------------------


def new_grid(*headings: str, header: bool = True) -> Grid:
    """A table without lines."""
    from rich.table import Table as Grid

    grid = Grid(box=None, show_header=header, pad_edge=False, padding=(0, GAP, 0, 0))
    for heading in headings:
        grid.add_column(heading, header_style="dim", overflow="fold")
    return grid


def parameter_grid(documents: list[dict[str, Any]]) -> Grid:
    """Parameters or options as a table."""
    grid = new_grid("Name", "Default", "Allowed", "What it is")
    rows: list[tuple[str, str, str, str]] = []
    for document in documents:
        default = document["default"]
        if isinstance(default, dict):
            default = by_players({int(players): value for players, value in default.items()})
        allowed = re.sub(r"^a (whole )?number from ", "", document["allowed"])
        allowed = allowed.removeprefix("one of ")
        rows.append((document["name"], _word(default), allowed, document["doc"]))
    for row in rows:
        grid.add_row(*map(plain, row))
    for most in ((0, 40, 40), (0, 14, 20), (0, 0, 0)):
        widths = [_column_width([row[i] for row in rows], wide) for i, wide in enumerate(most)]
        if sum(widths) + 3 * GAP + NARROWEST <= terminal.width():
            for column, width in zip(grid.columns[:3], widths, strict=True):
                column.width = width
            break
    return grid


def _column_width(texts: list[str], most: int) -> int:
    """The width of the longest text up to `most`, and at least of the longest word."""
    words = [len(word) for text in texts for word in text.split()]
    return max(LONGEST_HEADING, *words, min(most, max(map(len, texts), default=0)))


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def plain(text: str) -> str:
    """The text for a cell of a table: what Rich would take for markup is escaped.

    What controls a terminal is replaced, so that Rich measures what is printed.
    """
    from rich.markup import escape

    return escape(printable(text))
