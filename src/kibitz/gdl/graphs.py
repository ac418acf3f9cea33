"""Strongly connected components of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence


def components(
    roots: Sequence[int], children: Callable[[int], Sequence[int]]
) -> Iterator[list[int]]:
    """Yields the strongly connected components reachable from `roots`, dependencies first.

    R. Tarjan, "Depth-first search and linear graph algorithms", 1972, without recursive calls.
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    for root in roots:
        if root in index:
            continue
        work = [(root, iter(children(root)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, unvisited = work[-1]
            for child in unvisited:
                if child not in index:
                    index[child] = low[child] = len(index)
                    stack.append(child)
                    on_stack.add(child)
                    work.append((child, iter(children(child))))
                    break
                if child in on_stack:
                    low[node] = min(low[node], index[child])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    group = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        group.append(member)
                        if member == node:
                            break
                    yield group
