"""What all estimators share: the request of a fit, and the attributes that its reply becomes."""

from __future__ import annotations

from typing import Any, ClassVar, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ._compat import BaseEstimator, ClusterMixin, NotFittedError, check_features, seed_of
from ._constraints import Pairs, constraints_message
from ._errors import BadInput, BadOption
from ._process import request
from ._table import Table, codes_of, table_of, weights_of

#: The numbers of clusters to choose from, if none is given and the method cannot find it.
USUAL_RANGE = (2, 10)

#: Parameters of every estimator that say how the columns are read, with their names in messages.
READING = {"scale": "scale", "missing": "missing", "types": "types", "column_weights": "weights"}


class BaseClusterer(ClusterMixin, BaseEstimator):
    """Base of all estimators. Do not create it; use `Coterie` or the class of a method."""

    #: The name of the method in the catalogue.
    _algorithm: ClassVar[str]
    #: Whether the method needs the number of clusters.
    _needs_k: ClassVar[bool]
    #: The parameters that are options of the method, with the names of the options.
    _options: ClassVar[Mapping[str, str]]

    labels_: npt.NDArray[np.int32]
    n_clusters_: int
    n_features_in_: int
    report_: dict[str, Any]
    violations_: dict[str, Any]
    notices_: list[str]

    def _method(self) -> tuple[str | None, bool, bool]:
        """The name of the method, whether it needs k, whether it has a rule for new rows."""
        return self._algorithm, self._needs_k, isinstance(self, RuleForNewRows)

    def _method_options(self) -> dict[str, Any]:
        given = {option: getattr(self, name) for name, option in self._options.items()}
        return {option: _plain(value) for option, value in given.items() if value is not None}

    def _fit(
        self, X: Any, y: Any, must_link: Pairs, cannot_link: Pairs, relative: Any, groups: Any, sample_weight: Any
    ) -> Any:
        table = table_of(X)
        check_features(self, X, reset=True)
        algorithm, needs_k, has_rule = self._method()
        reading = self._reading(table)
        known = constraints_message(table.rows, must_link, cannot_link, relative, y)
        if groups is not None:
            codes, names = codes_of(groups, table.rows, "groups")
            table, column = table.with_column("groups", {"levels": names, "codes": codes})
            reading["exclusive"] = [column]
        if sample_weight is not None:
            table, column = table.with_column("sample_weight", {"numbers": weights_of(sample_weight, table.rows)})
            reading["rowWeight"] = column
        options = self._method_options()
        k = self._k(table.rows, known, needs_k)
        if k is not None:
            options["k"] = k
        message: dict[str, Any] = {
            "type": "cluster",
            "table": table.message,
            "reading": reading,
            "constraints": known,
            "options": options,
            "seed": seed_of(getattr(self, "random_state", None)),
            "internal": False,
            "model": has_rule,
        }
        if algorithm is not None:
            message["algorithm"] = algorithm
        if self.n_jobs is not None and self.n_jobs > 0:  # type: ignore[attr-defined]
            message["workers"] = int(self.n_jobs)  # type: ignore[attr-defined]
        self._take(request(message, self.progress))  # type: ignore[attr-defined]
        return self

    def _reading(self, table: Table) -> dict[str, Any]:
        # A matrix has no names by which a column could be recognised as ids.
        reading: dict[str, Any] = {} if table.names is not None else {"id": None}
        for name, key in READING.items():
            value = getattr(self, name)
            if value is not None:
                reading[key] = dict(value) if isinstance(value, Mapping) else value
        for name, value in dict(self.reading or {}).items():  # type: ignore[attr-defined]
            reading[_camel(name)] = _plain(value)
        return reading

    def _k(self, rows: int, known: Mapping[str, Any], needs_k: bool) -> Any:
        k = getattr(self, "n_clusters", None)
        if k is None:
            if not needs_k:
                return None
            classes = len(known["labels"]["names"]) if "labels" in known else 0
            least, most = (min(rows, max(each, classes)) for each in USUAL_RANGE)
            return least if least == most else [least, most]
        if isinstance(k, (int, np.integer)) and not isinstance(k, bool):
            return int(k)
        if isinstance(k, Sequence) and not isinstance(k, str) and len(k) == 2:
            return [int(each) for each in k]
        raise BadOption(f"n_clusters is {k!r}; it must be a whole number, a range such as (2, 10), or None.", "bad-option")

    def _take(self, reply: dict[str, Any]) -> None:
        report = reply["report"]
        for name in ("probabilities_", "cluster_centers_", "linkage_matrix_", "children_", "distances_", "model_"):
            self.__dict__.pop(name, None)
        self.labels_ = reply["labels"]
        self.n_clusters_ = report["k"]
        self.report_ = report
        self.violations_ = report["violations"]
        self.notices_ = report["notices"]
        if "probabilities" in reply:
            self.probabilities_ = reply["probabilities"]
        if "centres" in reply:
            self.cluster_centers_ = reply["centres"]
        if "merges" in reply:
            #: The hierarchy as SciPy's linkage matrix; heights of merges that a cannot-link forbids are infinite.
            self.linkage_matrix_ = np.nan_to_num(reply["merges"], nan=np.inf, posinf=np.inf).reshape(-1, 4)
            self.children_ = self.linkage_matrix_[:, :2].astype(np.intp)
            self.distances_ = self.linkage_matrix_[:, 2]
        if "model" in reply:
            self.model_ = reply["model"]

    def _predicted(self, X: Any, **more: Any) -> dict[str, Any]:
        if not hasattr(self, "labels_"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call fit first.")
        if not hasattr(self, "model_"):
            name = self.report_["algorithm"]
            raise BadInput(f"{name} has no rule for new rows: the cluster of a row depends on all rows. Use fit_predict.", "bad-input")
        table = table_of(X)
        check_features(self, X, reset=False)
        message = {"type": "predict", "table": _renamed(table, getattr(self, "feature_names_in_", None)), "model": self.model_}
        return request({**message, "reading": {"id": None}, **more}, getattr(self, "progress", None))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class RuleForNewRows(BaseClusterer):
    """Methods whose clusters have centres or rules, so that new rows can be assigned."""

    def predict(self, X: Any) -> npt.NDArray[np.int32]:
        """The cluster of each new row: that of the nearest centre under the learned metric, or of the leaf of the tree."""
        return self._predicted(X)["labels"]

    def save_model(self, path: Any) -> None:
        """Writes the model for `coterie predict`, on any machine and without Python."""
        if not hasattr(self, "model_"):
            raise NotFittedError("There is no model: call fit first, with a method that has a rule for new rows.")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.model_)


class Clusterer(BaseClusterer):
    def fit(
        self, X: Any, y: Any = None, *, must_link: Pairs = None, cannot_link: Pairs = None, relative: Any = None, groups: Any = None
    ) -> Any:
        """
        Clusters the rows of X.

        X: a matrix, or a data frame of pandas, polars or Arrow with columns of any type; NaN and null are missing cells.
        y: the known class of each row; -1, None and NaN for rows without a label.
        must_link, cannot_link: pairs of row numbers from 0, each (a, b) or (a, b, weight). An infinite weight is hard.
        relative: triples (a, b, c): a and b are closer to each other than either is to c.
        groups: rows with equal values must be in different clusters; None and NaN for rows without a group.
        """
        return self._fit(X, y, must_link, cannot_link, relative, groups, None)

    def fit_predict(
        self, X: Any, y: Any = None, *, must_link: Pairs = None, cannot_link: Pairs = None, relative: Any = None, groups: Any = None
    ) -> npt.NDArray[np.int32]:
        """Clusters the rows of X and returns `labels_`. The arguments are those of `fit`."""
        return self._fit(X, y, must_link, cannot_link, relative, groups, None).labels_


class WeighingClusterer(BaseClusterer):
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        must_link: Pairs = None,
        cannot_link: Pairs = None,
        relative: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """
        Clusters the rows of X.

        X: a matrix, or a data frame of pandas, polars or Arrow with columns of any type; NaN and null are missing cells.
        y: the known class of each row; -1, None and NaN for rows without a label.
        must_link, cannot_link: pairs of row numbers from 0, each (a, b) or (a, b, weight). An infinite weight is hard.
        relative: triples (a, b, c): a and b are closer to each other than either is to c.
        groups: rows with equal values must be in different clusters; None and NaN for rows without a group.
        sample_weight: the weight of each row, above 0.
        """
        return self._fit(X, y, must_link, cannot_link, relative, groups, sample_weight)

    def fit_predict(
        self,
        X: Any,
        y: Any = None,
        *,
        must_link: Pairs = None,
        cannot_link: Pairs = None,
        relative: Any = None,
        groups: Any = None,
        sample_weight: Any = None,
    ) -> npt.NDArray[np.int32]:
        """Clusters the rows of X and returns `labels_`. The arguments are those of `fit`."""
        return self._fit(X, y, must_link, cannot_link, relative, groups, sample_weight).labels_


class Coterie(RuleForNewRows, WeighingClusterer):
    """
    Constrained clustering by any method.

    algorithm: the name of a method, such as "mpck-means" or "ccl"; `coterie.methods()` lists them. "auto" tries methods and scales on
    held-out constraints, and clusters with the best.
    n_clusters: the number of clusters, or a range such as (2, 10). None: the method finds it, or it is chosen from 2 to 10.
    options: more options of the method, such as {"max_iterations": 50}.
    random_state: the seed; None is 0, so that results repeat.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer", "features": [...], "cyclic": {"hour": [24]}}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).

    >>> Coterie(n_clusters=3).fit_predict(X, must_link=[(0, 5)], cannot_link=[(0, 9)])
    """

    def __init__(
        self,
        algorithm: str = "auto",
        n_clusters: Any = None,
        *,
        options: Mapping[str, Any] | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.algorithm = algorithm
        self.n_clusters = n_clusters
        self.options = options
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress

    def _method(self) -> tuple[str | None, bool, bool]:
        from ._methods import METHODS

        name = self.algorithm
        found = METHODS.get(name)
        # A name that no method has is passed on, so that the process says which are near.
        return (name, found._needs_k, issubclass(found, RuleForNewRows)) if found is not None else (name, False, False)

    def _method_options(self) -> dict[str, Any]:
        return {_camel(name): _plain(value) for name, value in dict(self.options or {}).items()}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _plain(value: Any) -> Any:
    """NumPy numbers and arrays as plain data."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def _renamed(table: Table, fitted: Any) -> dict[str, Any]:
    """The table with the columns named as in `fit`: by the names of the data frame, or x0, x1, … for a matrix."""
    if table.names is not None and fitted is not None:
        return table.message
    names = [str(name) for name in fitted] if fitted is not None else [f"x{j}" for j in range(table.columns)]
    message = table.message
    if "rows" in message:
        return {**message, "names": names}
    return {**message, "columns": [{**column, "name": name} for column, name in zip(message["columns"], names)]}
