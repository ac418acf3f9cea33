"""The network as JSON computes what the game does; in DOT every node is declared."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from kibitz.gdl import library, subroutines
from kibitz.gdl.diagrams import document, to_dot
from kibitz.gdl.game import GdlGame
from kibitz.syntax.source import Source

CYCLE = """
(role walker)
(init (at a)) (init (open a b))
(<= (base (at ?x)) (place ?x)) (<= (base (open ?x ?y)) (place ?x) (place ?y))
(place a) (place b) (place c)
(<= (edge ?x ?y) (true (open ?x ?y)))
(<= (reach ?x ?y) (edge ?x ?y))
(<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z))
(<= (lost ?x) (place ?x) (true (at ?y)) (not (reach ?y ?x)))
(<= (legal walker (dig ?x ?y)) (place ?x) (place ?y))
(<= (next (open ?x ?y)) (does walker (dig ?x ?y)))
(<= (next (open ?x ?y)) (true (open ?x ?y)))
(<= (next (at ?x)) (true (at ?x)))
(<= (goal walker 100) (not (lost c)))
(<= (goal walker 0) (lost c))
(<= terminal (not (lost c)) (not (lost a)))
"""
"""Rules with a recursive relation that is used negated, too."""


def holding(described: dict[str, Any], facts: set[str], made: set[tuple[str, str]]) -> list[bool]:
    """Whether each node holds, by iteration; negations are updated when nothing else changes."""
    nodes = described["nodes"]
    values = [False] * len(nodes)
    for _ in range(2 + sum(node["kind"] == "not" for node in nodes)):
        nots = [not values[node["inputs"][0]] if node["kind"] == "not" else None for node in nodes]
        values = [False] * len(nodes)
        changed = True
        while changed:
            before = list(values)
            for node, negated in zip(nodes, nots, strict=True):
                match node["kind"]:
                    case "base":
                        value = node["proposition"] in facts
                    case "input":
                        value = (node["role"], node["move"]) in made
                    case "constant":
                        value = node["value"]
                    case "and":
                        value = all(values[i] for i in node["inputs"])
                    case "or":
                        value = any(values[i] for i in node["inputs"])
                    case "not":
                        value = bool(negated)
                values[node["id"]] = value
            changed = values != before
        if nots == [not values[n["inputs"][0]] if n["kind"] == "not" else None for n in nodes]:
            return values
    raise AssertionError("the negations do not settle")


def agrees(game: GdlGame, seed: int, steps: int) -> None:
    described = document(game.rules.network)
    chooser = random.Random(seed)
    nodes = described["nodes"]
    state = subroutines.findinits(game)
    assert {nodes[i]["proposition"] for i in described["initial"]} == set(state)
    for _ in range(steps):
        values = holding(described, set(state), set())
        over = subroutines.findterminalp(state, game)
        assert values[described["terminal"]] == over
        for role in described["roles"]:
            legal = {x["move"] for x in described["legal"] if x["role"] == role}
            allowed = {
                x["move"] for x in described["legal"] if x["role"] == role and values[x["node"]]
            }
            assert allowed == set(subroutines.findlegals(role, state, game)) <= legal
        if over:
            for role in described["roles"]:
                [goal] = {
                    x["value"]
                    for x in described["goals"]
                    if x["role"] == role and values[x["node"]]
                }
                assert goal == subroutines.findreward(role, state, game)
            return
        roles = described["roles"]
        move = [chooser.choice(subroutines.findlegals(role, state, game)) for role in roles]
        values = holding(described, set(state), set(zip(roles, move, strict=True)))
        state = subroutines.findnext(roles, move, state, game)
        after = {
            nodes[step["base"]]["proposition"]
            for step in described["next"]
            if any(values[i] for i in step["nodes"])
        }
        assert after == set(state)


@pytest.mark.parametrize("name", ["gdl-tic-tac-toe", "nim", "light-cycles"])
def test_the_json_of_a_game_computes_its_states(name: str) -> None:
    agrees(library.game(name), seed=5, steps=12)


def test_the_json_of_a_cycle_means_its_least_fixpoint() -> None:
    game = GdlGame(Source("cycle.kif", CYCLE))
    assert game.rules.network.sccs
    for seed in range(5):
        agrees(game, seed, steps=8)


def test_dot_declares_every_node_that_it_connects() -> None:
    text = "\n".join(to_dot(library.game("nim").rules.network))
    declared = set(re.findall(r"^  (\w+) \[label", text, re.MULTILINE))
    used = {end for pair in re.findall(r"^  (\w+) -> (\w+)", text, re.MULTILINE) for end in pair}
    assert used <= declared
    assert 'label="does first (' in text
    assert text.splitlines()[0] == "digraph network {"
    assert text.splitlines()[-1] == "}"
