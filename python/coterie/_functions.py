"""Functions beside the estimators: diagnose, advise, explain, evaluate, and what there is."""

from __future__ import annotations

import os
from typing import Any, Mapping, Sequence

import numpy as np

from ._base import _camel, _plain
from ._compat import seed_of
from ._constraints import Pairs, constraints_message
from ._errors import BadInput
from ._process import Progress, request
from ._table import Table, codes_of, table_of

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None


def table_message(X: Any, reading: Mapping[str, Any] | None) -> tuple[dict[str, Any], Table | None]:
    """The fields `table` and `reading` of a request. X can be the path of a file, too."""
    given = {_camel(name): _plain(value) for name, value in dict(reading or {}).items()}
    if isinstance(X, (str, os.PathLike)):
        path = os.fspath(X)
        # A name without a file can be the name of a sample set.
        return {"table": {"path": os.path.abspath(path) if os.path.exists(path) else path}, "reading": given}, None
    table = table_of(X)
    preset: dict[str, Any] = {} if table.names is not None else {"id": None}
    return {"table": table.message, "reading": {**preset, **given}}, table


def constraint_fields(
    X: Any, table: Table | None, must_link: Pairs, cannot_link: Pairs, relative: Any, y: Any, files: Paths
) -> dict[str, Any]:
    if table is None and y is not None:
        raise BadInput("Labels (y) need a table in memory; give constraint files with a path.", "bad-input")
    return constraints_message(table.rows if table else 0, must_link, cannot_link, relative, y, files)


def diagnose(
    X: Any = None,
    y: Any = None,
    *,
    must_link: Pairs = None,
    cannot_link: Pairs = None,
    relative: Any = None,
    files: Paths = None,
    n_clusters: int | None = None,
    n_rows: int | None = None,
    effort: int | None = None,
    random_state: Any = None,
    reading: Mapping[str, Any] | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """
    Checks constraints: contradictions, whether n_clusters clusters can keep them, how hard that is, and what to drop.

    Without X, n_rows is the number of rows, or files name the rows.

    >>> coterie.diagnose(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)], n_clusters=3)["contradictions"]
    [{'cannotLink': [0, 2], 'path': [0, 1, 2]}]
    """
    message: dict[str, Any] = {"type": "diagnose", "seed": seed_of(random_state)}
    table = None
    if X is not None:
        fields, table = table_message(X, reading)
        message.update(fields)
    rows = table.rows if table else n_rows or (len(y) if y is not None else 0)
    message["constraints"] = constraints_message(rows, must_link, cannot_link, relative, y, files)
    if X is None and (n_rows is not None or y is not None):
        message["n"] = rows
    message.update(_present(k=n_clusters, effort=effort))
    return request(message, progress)["diagnosis"]


def advise(
    X: Any,
    y: Any = None,
    *,
    n_clusters: int,
    must_link: Pairs = None,
    cannot_link: Pairs = None,
    relative: Any = None,
    files: Paths = None,
    algorithms: Sequence[str] | None = None,
    random_state: Any = None,
    reading: Mapping[str, Any] | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """
    Recommends a method for a table and its constraints, with the score of each method on held-out constraints.

    >>> coterie.advise(X, must_link=links, n_clusters=3)["algorithm"]
    'mpck-means'
    """
    fields, table = table_message(X, reading)
    known = constraint_fields(X, table, must_link, cannot_link, relative, y, files)
    message = {"type": "advise", **fields, "constraints": known, "k": int(n_clusters), "seed": seed_of(random_state)}
    reply = request({**message, **_present(algorithms=None if algorithms is None else list(algorithms))}, progress)
    return {**reply["advice"], "notices": reply["notices"]}


def explain(
    X: Any,
    labels: Any,
    *,
    max_leaves: int | None = None,
    min_leaf: int | None = None,
    leaf_cost: float | None = None,
    columns: Sequence[str] | None = None,
    reading: Mapping[str, Any] | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """
    Describes clusters by rules over the columns, and says how well the rules fit. Label -1 is no cluster.

    >>> coterie.explain(df, model.labels_)["clusters"][0]["rule"]
    'petal length ≤ 2.45'
    """
    fields, table = table_message(X, reading)
    codes, names = _labels(labels, table)
    asked = _present(maxLeaves=max_leaves, minLeaf=min_leaf, leafCost=leaf_cost, describe=None if columns is None else list(columns))
    return request({"type": "explain", **fields, "labels": codes, "names": names, **asked}, progress)


def evaluate(
    X: Any,
    labels: Any,
    y: Any = None,
    *,
    must_link: Pairs = None,
    cannot_link: Pairs = None,
    relative: Any = None,
    files: Paths = None,
    reading: Mapping[str, Any] | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """
    Scores clusters: against known classes y (None and -1: unknown), by their shape alone, and by the constraints that they break.

    >>> coterie.evaluate(X, model.labels_, y)["scores"]["adjustedRand"]
    0.886
    """
    fields, table = table_message(X, reading)
    codes, _ = _labels(labels, table)
    known = constraint_fields(X, table, must_link, cannot_link, relative, None, files)
    message = {"type": "evaluate", **fields, "labels": codes, "constraints": known}
    if y is not None:
        message["truth"] = codes_of(y, len(codes), "y", negative_is_none=True)[0]
    return request(message, progress)


def methods() -> list[dict[str, Any]]:
    """All methods: name, title, summary, paper, and the schema of the options."""
    return request({"type": "hello"})["methods"]


def strategies() -> list[dict[str, Any]]:
    """The strategies that choose the questions of `ask`."""
    return request({"type": "hello"})["strategies"]


def _labels(labels: Any, table: Table | None) -> tuple[np.ndarray, list[str]]:
    values = np.asarray(labels.to_list() if hasattr(labels, "to_list") else labels)
    rows = table.rows if table else len(values)
    if values.dtype.kind in "iu" and len(values) == rows and values.size > 0 and -1 <= values.min() and values.max() < rows:
        return values.astype(np.int32), [str(code) for code in range(int(values.max()) + 1)]
    return codes_of(values, rows, "labels", negative_is_none=True)


def _present(**fields: Any) -> dict[str, Any]:
    return {name: _plain(value) for name, value in fields.items() if value is not None}
