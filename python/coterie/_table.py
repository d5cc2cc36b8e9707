"""Tables of Python as messages: NumPy matrices, and data frames of pandas, polars or Arrow with columns of any type."""

from __future__ import annotations

import datetime
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from ._errors import BadInput

#: From this size on, a double cannot represent every whole number.
_UNSAFE = 2**53


class Table(NamedTuple):
    """A table as the process takes it."""

    message: dict[str, Any]
    rows: int
    columns: int
    #: The names of the columns of a data frame; None for a matrix.
    names: list[str] | None

    def with_column(self, stem: str, column: dict[str, Any]) -> tuple["Table", str]:
        """The table with one more column, and the name of this column, which no other has."""
        taken = set(self.names or self.message.get("names", []))
        name = stem
        while name in taken:
            name += "_"
        columns = [*self.message["columns"], {"name": name, **column}]
        return self._replace(message={**self.message, "columns": columns}), name


def table_of(X: Any, *, least_rows: int = 1) -> Table:
    """The table of X: a path, a matrix, or a data frame. Refuses what cannot be clustered with one sentence."""
    if isinstance(X, Table):
        return X
    _refuse_sparse(X)
    frame = _as_frame(X)
    table = _of_matrix(X) if frame is None else _of_frame(frame)
    if table.rows < least_rows:
        raise BadInput(f"Found array with {table.rows} sample(s), while a minimum of {least_rows} is required.", "bad-input")
    if table.columns == 0:
        raise BadInput(
            f"0 feature(s) (shape=({table.rows}, 0)) while a minimum of 1 is required: the table has no columns.", "bad-input"
        )
    return table


def _refuse_sparse(X: Any) -> None:
    module = type(X).__module__ or ""
    if module.startswith("scipy.sparse") or hasattr(X, "tocsr"):
        raise BadInput(
            "Sparse data cannot be clustered: every method needs all values. Make the matrix dense (X.toarray()), "
            "or reduce it first, for example with TruncatedSVD.",
            "bad-input",
        )


def _as_frame(X: Any) -> Any:
    """The data frame of narwhals; None if X is no data frame."""
    if isinstance(X, np.ndarray) or isinstance(X, (list, tuple)):
        return None
    import narwhals.stable.v1 as nw

    found = nw.from_native(X, pass_through=True, eager_only=False, allow_series=False)
    if isinstance(found, nw.LazyFrame):
        return found.collect()
    return found if isinstance(found, nw.DataFrame) else None


def _of_matrix(X: Any) -> Table:
    array = np.asarray(X)
    if array.ndim != 2:
        what = {0: "scalar", 1: "1D"}.get(array.ndim, f"{array.ndim}D")
        raise BadInput(
            f"Expected 2D array, got {what} array instead. Reshape your data: rows × columns, "
            "with array.reshape(-1, 1) for one column or array.reshape(1, -1) for one row.",
            "bad-input",
        )
    rows, columns = array.shape
    kind = array.dtype.kind
    if kind == "c":
        raise BadInput("Complex data not supported: give real numbers.", "bad-input")
    if kind in "OUSTmM" or array.dtype.fields is not None:
        return _of_objects(array)
    if kind == "b":
        array = array.astype(np.uint8)
    if array.dtype.itemsize > 8 or array.dtype == np.float16:
        array = array.astype(np.float64 if array.dtype.itemsize > 8 else np.float32)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        array = _safe_integers(array)
    _refuse_infinite(array)
    if array.flags.f_contiguous and not array.flags.c_contiguous and columns > 1:
        # Columns that lie one after the other are sent as they lie.
        parts = [{"name": f"x{j}", "numbers": array[:, j]} for j in range(columns)]
        return Table({"name": "X", "columns": parts}, rows, columns, None)
    return Table({"name": "X", "rows": array, "columns": []}, rows, columns, None)


def _of_objects(array: np.ndarray) -> Table:
    rows, columns = array.shape
    if array.dtype.kind == "O":
        _refuse_structures(array)
        try:
            return _of_matrix(array.astype(np.float64))
        except (TypeError, ValueError):
            pass
    parts = [{"name": f"x{j}", **_column(array[:, j].tolist())} for j in range(columns)]
    return Table({"name": "X", "columns": parts}, rows, columns, None)


def _refuse_structures(array: np.ndarray) -> None:
    for each in array.ravel()[:10_000]:
        if isinstance(each, (dict, set)):
            raise TypeError(f"A cell holds a {type(each).__name__}: the argument must be a string or a number in every cell.")


def _safe_integers(array: np.ndarray) -> np.ndarray:
    """Wide integers as doubles, where doubles hold them exactly."""
    if array.size == 0 or (array.max() < _UNSAFE and array.min() > -_UNSAFE):
        return array.astype(np.float64)
    return array


def _refuse_infinite(array: np.ndarray) -> None:
    if array.dtype.kind != "f" or array.size == 0:
        return
    with np.errstate(all="ignore"):
        if np.isfinite(array.sum(dtype=np.float64)) or not np.isinf(array).any():
            return
    row, column = np.argwhere(np.isinf(array))[0]
    raise BadInput(
        f"Row {row} of column {column} is infinite (inf); every number must be finite, or NaN where it is missing.", "bad-input"
    )


def _of_frame(frame: Any) -> Table:
    names = [str(name) for name in frame.columns]
    columns = [{"name": name, **_series(series)} for name, series in zip(names, frame.iter_columns())]
    return Table({"name": "the table", "columns": columns}, len(frame), len(names), names)


def _series(series: Any) -> dict[str, Any]:
    import narwhals.stable.v1 as nw

    kind = series.dtype
    if kind == nw.Boolean:
        return _texts([None if each is None else "true" if each else "false" for each in series.to_list()])
    if kind.is_numeric():
        return _numbers(series)
    if isinstance(kind, (nw.List, nw.Array)):
        return _vectors(series.to_list(), series.name)
    return _column(series.to_list())


def _numbers(series: Any) -> dict[str, Any]:
    values = series.to_numpy()
    if values.dtype.kind == "O":
        values = np.array([np.nan if each is None else float(each) for each in series.to_list()])
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        values = _safe_integers(values)
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    return {"numbers": values}


def _column(cells: Sequence[Any]) -> dict[str, Any]:
    """A column of Python objects: vectors, numbers, or texts."""
    present = [each for each in cells if not _is_missing(each)]
    if present and all(isinstance(each, (list, tuple, np.ndarray)) for each in present):
        return _vectors(cells, "of lists")
    if present and all(isinstance(each, (int, float, np.number)) and not isinstance(each, (bool, np.bool_)) for each in present):
        numbers = np.array([np.nan if _is_missing(each) else each for each in cells], dtype=np.float64)
        return {"numbers": numbers}
    return _texts([None if _is_missing(each) else _text(each) for each in cells])


def _is_missing(cell: Any) -> bool:
    if cell is None:
        return True
    if isinstance(cell, (str, bytes, list, tuple, np.ndarray)):
        return False
    try:
        return bool(cell != cell)  # NaN and NaT
    except (TypeError, ValueError):
        return type(cell).__name__ == "NAType"


def _text(cell: Any) -> str:
    if isinstance(cell, (bool, np.bool_)):
        return "true" if cell else "false"
    if isinstance(cell, datetime.datetime):
        return str(cell.replace(tzinfo=None)) + ("" if cell.tzinfo is None else "+00" if cell.utcoffset() is None else _offset(cell))
    if isinstance(cell, bytes):
        return cell.decode()
    return str(cell)


def _offset(cell: datetime.datetime) -> str:
    seconds = int(cell.utcoffset().total_seconds())  # type: ignore[union-attr]
    sign = "-" if seconds < 0 else "+"
    hours, rest = divmod(abs(seconds) // 60, 60)
    return f"{sign}{hours:02d}" + (f":{rest:02d}" if rest else "")


def _texts(cells: Iterable[str | None]) -> dict[str, Any]:
    """Codes of texts, in the order in which they first appear; -1 for a missing text."""
    codes: dict[str, int] = {}
    found = [-1 if each is None else codes.setdefault(each, len(codes)) for each in cells]
    return {"levels": list(codes), "codes": np.array(found, dtype=np.int32)}


def _vectors(cells: Sequence[Any], name: str) -> dict[str, Any]:
    arrays = [None if each is None else np.asarray(each, dtype=np.float64).ravel() for each in cells]
    widths = {len(each) for each in arrays if each is not None}
    if len(widths) != 1:
        raise BadInput(f"The column {name} holds lists of {len(widths)} lengths; lists of numbers need one length.", "bad-input")
    missing = np.full(widths.pop(), np.nan)
    return {"vectors": np.stack([missing if each is None else each for each in arrays])}


def codes_of(values: Any, rows: int, what: str, *, negative_is_none: bool = False) -> tuple[npt.NDArray[np.int32], list[str]]:
    """One code per row, and the names of the codes in the order in which they first appear; -1 for None and NaN."""
    cells = values.to_list() if hasattr(values, "to_list") else list(np.asarray(values).tolist())
    if len(cells) != rows:
        raise BadInput(f"{what} has {len(cells)} values, but X has {rows} rows: inconsistent numbers of samples.", "bad-input")
    codes: dict[str, int] = {}
    found = np.full(rows, -1, dtype=np.int32)
    for row, cell in enumerate(cells):
        if _is_missing(cell) or (negative_is_none and isinstance(cell, (int, float)) and not isinstance(cell, bool) and cell == -1):
            continue
        text = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
        found[row] = codes.setdefault(text, len(codes))
    return found, list(codes)


def weights_of(values: Any, rows: int) -> npt.NDArray[np.float64]:
    weights = np.asarray(values, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise BadInput(f"sample_weight has the shape {weights.shape}, but X has {rows} rows; give one weight for each row.", "bad-input")
    if not np.all(weights > 0):
        row = int(np.argmin(weights > 0))
        what = "zero" if weights[row] == 0 else str(weights[row])
        raise BadInput(f"The weight of row {row} is {what}; every weight must be above zero. Leave rows without weight out.", "bad-input")
    return weights
