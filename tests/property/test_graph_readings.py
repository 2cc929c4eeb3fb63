"""What stands between two attributes of a graph equals brute force over all its simple paths."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.problems.graph import adjacent_attributes, declared_graph, separating_attributes, shortest_paths

NAMES = "abcdefg"
EDGES = st.lists(st.sampled_from(list(combinations(NAMES, 2))), max_size=12)


@settings(max_examples=500)
@given(EDGES)
def test_both_readings(edges: list[tuple[str, str]]) -> None:
    graph = declared_graph(NAMES, edges).graph
    paths = list(nx.all_simple_paths(graph, "a", "g"))
    inner = [set(path[1:-1]) for path in paths]
    assert separating_attributes(graph, "a", "g") == (sorted(set.intersection(*inner)) if inner else [])
    kept = shortest_paths(graph, "a", "g")
    assert adjacent_attributes(kept) == sorted({path[1] for path in paths if len(path) > 2})
    assert {path[1] for path in kept} == {path[1] for path in paths}
    for path in kept:
        assert len(path) == min(len(other) for other in paths if other[1] == path[1])
    assert len(kept) == len({path[1] for path in kept}) <= len(NAMES) - 1
