"""Constraints: pairs and triples of row numbers, and classes of labelled rows."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._errors import BadInput
from ._process import request
from ._table import codes_of, table_of

Pairs = Any
"""Pairs of row numbers from 0: a list of (a, b) or (a, b, weight), or an array with two or three columns."""


@dataclass(frozen=True, eq=False)
class Constraints(Mapping[str, Any]):
    """
    Constraints on the rows of a table. It is a mapping, so that an estimator takes it as `fit(X, **known)`.

    Each array of pairs has three columns: two row numbers and a weight (infinity: hard). `relative` has four.
    """

    must_link: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 3)))
    cannot_link: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 3)))
    relative: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 4)))
    #: The class of each row, None for rows without a label; None if no row has one.
    y: npt.NDArray[np.object_] | None = None
    notices: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> Any:
        if key not in ("must_link", "cannot_link", "relative", "y"):
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(("must_link", "cannot_link", "relative") if self.y is None else ("must_link", "cannot_link", "relative", "y"))

    def __len__(self) -> int:
        return 3 if self.y is None else 4


def constraints_message(
    rows: int,
    must_link: Pairs = None,
    cannot_link: Pairs = None,
    relative: Any = None,
    y: Any = None,
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
) -> dict[str, Any]:
    """Constraints as the process takes them."""
    message: dict[str, Any] = {}
    given = (("mustLink", must_link, 2, "must_link"), ("cannotLink", cannot_link, 2, "cannot_link"), ("relative", relative, 3, "relative"))
    for key, value, width, name in given:
        if value is None:
            continue
        tuples, weights = _tuples(value, width, name)
        message[key] = tuples
        if weights is not None:
            message[f"{key}Weight"] = weights
    if y is not None:
        codes, names = codes_of(y, rows, "y", negative_is_none=True)
        labelled = np.flatnonzero(codes >= 0).astype(np.int32)
        if len(labelled) > 0:
            message["labels"] = {"rows": labelled, "codes": codes[labelled], "names": names}
    if files is not None:
        one = isinstance(files, (str, os.PathLike))
        message["files"] = [os.path.abspath(os.fspath(each)) for each in ([files] if one else files)]
    return message


def _tuples(value: Any, width: int, name: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None]:
    rows = value if isinstance(value, np.ndarray) else [tuple(each) for each in value]
    if len(rows) == 0:
        return np.empty((0, width), dtype=np.int32), None
    wanted = f"{name} must be a list of {width} row numbers each, with an optional weight"
    if not isinstance(rows, np.ndarray):
        lengths = {len(each) for each in rows}
        if not lengths <= {width, width + 1}:
            raise BadInput(f"{wanted}; one entry has {max(lengths - {width, width + 1})} numbers.", "bad-input")
        rows = [each if len(each) > width else (*each, 1.0) for each in rows]
    try:
        array = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{wanted}; some entries are not numbers. Rows are named by their positions, from 0.", "bad-input") from None
    if array.ndim != 2 or array.shape[1] not in (width, width + 1):
        raise BadInput(f"{wanted}; the array has the shape {array.shape}.", "bad-input")
    numbers = array[:, :width]
    if not np.all(np.isfinite(numbers) & (numbers == np.floor(numbers)) & (np.abs(numbers) < 2**31)):
        raise BadInput(f"{wanted}; some row numbers are not whole numbers.", "bad-input")
    weights = np.ascontiguousarray(array[:, width]) if array.shape[1] > width else None
    return np.ascontiguousarray(numbers.astype(np.int32)), None if weights is None or np.all(weights == 1) else weights


def read_constraints(path: str | os.PathLike[str], X: Any = None, *, ids: Sequence[str | int] | str | None = None) -> Constraints:
    """
    Reads a constraint file about the rows of X, as `coterie cluster --constraints` does.

    X: the table, which says how many rows there are. ids: the ids by which the file names rows, as a list, or as the name of a column
    of X. Without ids the file names rows by their numbers.

    >>> known = coterie.read_constraints("known.csv", df, ids="customer")
    >>> Coterie(n_clusters=5).fit(df, **known)
    """
    if X is None and (ids is None or isinstance(ids, str)):
        raise BadInput("Give the table, or the list of ids of its rows: read_constraints(path, X).", "bad-input")
    names = _ids_in(X, ids) if isinstance(ids, str) else None if ids is None else [_plain(each) for each in ids]
    message: dict[str, Any] = {"type": "readConstraints", "file": os.path.abspath(os.fspath(path))}
    if names is not None:
        message["ids"] = names
    rows = len(names) if names is not None else table_of(X).rows
    reply = request({**message, "n": rows})
    labels = reply["labels"]
    y = None
    if len(labels["rows"]) > 0:
        y = np.full(rows, None, dtype=object)
        y[labels["rows"]] = np.array(labels["names"], dtype=object)[labels["codes"]]
    columns = [np.column_stack([reply[key], reply[f"{key}Weight"]]).astype(np.float64) for key in ("mustLink", "cannotLink", "relative")]
    return Constraints(*columns, y=y, notices=tuple(reply["notices"]))


def _ids_in(X: Any, column: str) -> list[str | int]:
    try:
        cells = X[column]
    except (KeyError, IndexError, TypeError, ValueError):
        raise BadInput(f"There is no column {column!r} with ids in X.", "bad-input") from None
    return [_plain(each) for each in (cells.to_list() if hasattr(cells, "to_list") else cells.tolist() if hasattr(cells, "tolist") else cells)]


def _plain(each: Any) -> str | int:
    return int(each) if isinstance(each, (int, np.integer)) else str(each)
