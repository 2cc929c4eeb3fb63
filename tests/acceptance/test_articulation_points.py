"""Chandrakar and Hulipalled, "Articulation Point Based Quasi Identifier Detection": online retail and used cars."""

from __future__ import annotations

import csv
import gzip
from itertools import islice
from typing import TYPE_CHECKING

from streamqid.detecting import detect
from streamqid.problems.findings import Verdict
from streamqid.problems.graph import adjacent_attributes, declared_graph, separating_attributes, shortest_paths

if TYPE_CHECKING:
    from pathlib import Path

RETAIL = [
    *(("CustomerID", other) for other in ("InvoiceNo", "Country", "StockCode")),
    ("InvoiceNo", "InvoiceDate"),
    *(("StockCode", other) for other in ("Description", "UnitPrice", "Quantity")),
]


def test_online_retail_declared_graph(shared_data: Path) -> None:
    """Declared relations do not depend on the rows, so the first thousand are read."""
    with gzip.open(shared_data / "online_retail.csv.gz", "rt", newline="", encoding="utf-8") as file:
        rows = list(islice(csv.DictReader(file), 1000))
    answer = detect(
        rows,
        methods=["articulation"],
        identifiers=["CustomerID"],
        sensitive=["Description", "Quantity"],
        edges=RETAIL,
        seed=1,
    )
    (found,) = answer.findings
    assert found.graph is not None
    assert found.graph.articulation == found.graph.adjacent == ["StockCode"]
    assert [path.attributes for path in found.graph.paths] == [
        ["CustomerID", "StockCode", "Description"],
        ["CustomerID", "StockCode", "Quantity"],
    ]
    quasi = [judged.column for judged in found.columns if judged.verdict is Verdict.QUASI_IDENTIFIER]
    assert quasi == ["StockCode"]


def test_used_cars_are_next_to_the_identifier_but_no_articulation_points() -> None:
    """The paths 7-1-4 and 7-2-4 make 1 and 2 the paper's result, though removing either leaves a path."""
    graph = declared_graph("1234567", [("7", "1"), ("1", "4"), ("7", "2"), ("2", "4")]).graph
    paths = shortest_paths(graph, "7", "4")
    assert paths == [["7", "1", "4"], ["7", "2", "4"]]
    assert adjacent_attributes(paths) == ["1", "2"]
    assert separating_attributes(graph, "7", "4") == []
