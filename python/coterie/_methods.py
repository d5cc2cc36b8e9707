"""One estimator for each method. `node tools/api-report.mjs` writes this file from the catalogue."""

from __future__ import annotations

from typing import Any, Mapping

from ._base import BaseClusterer, Clusterer, RuleForNewRows, WeighingClusterer


class Auto(RuleForNewRows, WeighingClusterer):
    """
    Automatic choice: tries methods and scales on held-out constraints, and clusters with the best.

    Van Craenendonck, Blockeel: Constraint-based Clustering Selection. 2017

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    candidates: methods to choose from (default: all that suit the table).
    error_rate: expected share of wrong constraints, from 0 to 0.5; with 0, every constraint that can be kept is kept.
    effort: limit on the search for clusters that keep all constraints, in nodes of the search tree.
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "auto"
    _needs_k = True
    _options = {"candidates": "candidates", "error_rate": "errorRate", "effort": "effort"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        candidates: Any = None,
        error_rate: float = 0,
        effort: float = 100000,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.candidates = candidates
        self.error_rate = error_rate
        self.effort = effort
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class Kmeans(RuleForNewRows, WeighingClusterer):
    """
    k-means: k groups around their means; ignores constraints.

    Lloyd: Least squares quantization in PCM. 1982

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    init: first centres: k-means++, random rows, or a file with k rows of the same columns.
    restarts: number of starts; the best is kept (1 with given centres); None: 10, and fewer above 50 clusters.
    max_iterations: maximum number of iterations per start.
    tolerance: stop when the sum of squared moves of the centres is at most this share of the mean variance of the columns (0: when no row changes its cluster).
    bounds: skip rows whose cluster cannot change; the result is the same.
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "kmeans"
    _needs_k = True
    _options = {"init": "init", "restarts": "restarts", "max_iterations": "maxIterations", "tolerance": "tolerance", "bounds": "bounds", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        init: Any = "k-means++",
        restarts: int | None = None,
        max_iterations: float = 300,
        tolerance: float = 0,
        bounds: bool = True,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.bounds = bounds
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class CopKmeans(RuleForNewRows, WeighingClusterer):
    """
    COP-k-means: k-means that satisfies every constraint, also within size bounds; fails if no clustering can.

    Wagstaff, Cardie, Rogers, Schroedl: Constrained K-means Clustering with Background Knowledge. 2001

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    init: first centres: k-means++, random rows, or a file with k rows of the same columns.
    restarts: number of starts; the best is kept (1 with given centres); None: 10, and fewer above 50 clusters.
    max_iterations: maximum number of iterations per start.
    tolerance: stop when the sum of squared moves of the centres is at most this share of the mean variance of the columns (0: when no row changes its cluster).
    faithful: place rows one by one, as in the paper, and fail if a row then has no allowed cluster.
    min_size: minimum number of rows in a cluster.
    max_size: maximum number of rows in a cluster.
    effort: limit on exact searches, in nodes of the search tree.
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "cop-kmeans"
    _needs_k = True
    _options = {"init": "init", "restarts": "restarts", "max_iterations": "maxIterations", "tolerance": "tolerance", "faithful": "faithful", "min_size": "minSize", "max_size": "maxSize", "effort": "effort", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        init: Any = "k-means++",
        restarts: int | None = None,
        max_iterations: float = 300,
        tolerance: float = 0,
        faithful: bool = False,
        min_size: float | None = None,
        max_size: float | None = None,
        effort: float = 100000,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.faithful = faithful
        self.min_size = min_size
        self.max_size = max_size
        self.effort = effort
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class PckMeans(RuleForNewRows, WeighingClusterer):
    """
    PCK-means: k-means with a penalty for every broken constraint.

    Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    costs: unit of constraint weights; relative: the mean squared distance of rows to the overall mean; unit: 1; ignored with a learned metric.
    init: first centres: means of must-linked neighbourhoods (every other start uses k-means++), the mean of all rows plus noise, k-means++, random rows, or a file with k rows of the same columns.
    restarts: number of starts, of which one is kept (1 with given centres); None: 10, and fewer above 50 clusters.
    max_iterations: maximum number of iterations per start.
    tolerance: stop when the objective changes by less than this share of itself (0: when nothing moves).
    search: maximum number of rounds per start that place all constrained rows anew before the iterations; the best round is kept.
    faithful: use the search of the paper: constrained rows only move one by one, without rounds before the iterations.
    distance: distance between rows; cosine scales each row to length 1, for many features of which only the direction matters.
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "pck-means"
    _needs_k = True
    _options = {"costs": "costs", "init": "init", "restarts": "restarts", "max_iterations": "maxIterations", "tolerance": "tolerance", "search": "search", "faithful": "faithful", "distance": "distance", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        costs: str = "relative",
        init: Any = "neighbourhoods",
        restarts: int | None = None,
        max_iterations: float = 100,
        tolerance: float = 0,
        search: float = 20,
        faithful: bool = False,
        distance: str = "euclidean",
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.costs = costs
        self.init = init
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.search = search
        self.faithful = faithful
        self.distance = distance
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class MkMeans(RuleForNewRows, WeighingClusterer):
    """
    MK-means: k-means with a metric that is learned from the constraints; constraints have no other effect.

    Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    metrics: one metric for all clusters, or one per cluster.
    matrix: form of a metric: a weight for each feature, or a full matrix.
    costs: unit of constraint weights; relative: the mean squared distance of rows to the overall mean; unit: 1; ignored with a learned metric.
    init: first centres: means of must-linked neighbourhoods (every other start uses k-means++), the mean of all rows plus noise, k-means++, random rows, or a file with k rows of the same columns.
    restarts: number of starts, of which one is kept (1 with given centres); None: 10, and fewer above 50 clusters.
    max_iterations: maximum number of iterations per start.
    tolerance: stop when the objective changes by less than this share of itself (0: when nothing moves).
    distance: distance between rows; cosine scales each row to length 1, for many features of which only the direction matters.
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "mk-means"
    _needs_k = True
    _options = {"metrics": "metrics", "matrix": "matrix", "costs": "costs", "init": "init", "restarts": "restarts", "max_iterations": "maxIterations", "tolerance": "tolerance", "distance": "distance"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        metrics: str = "single",
        matrix: str = "diagonal",
        costs: str = "relative",
        init: Any = "k-means++",
        restarts: int | None = None,
        max_iterations: float = 100,
        tolerance: float = 0,
        distance: str = "euclidean",
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metrics = metrics
        self.matrix = matrix
        self.costs = costs
        self.init = init
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.distance = distance
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class MpckMeans(RuleForNewRows, WeighingClusterer):
    """
    MPCK-means: k-means with a penalty for every broken constraint, and one learned metric or a metric for each cluster.

    Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    metrics: one metric for all clusters, or one per cluster.
    matrix: form of a metric: a weight for each feature, or a full matrix.
    costs: unit of constraint weights; relative: the mean squared distance of rows to the overall mean; unit: 1; ignored with a learned metric.
    init: first centres: means of must-linked neighbourhoods (every other start uses k-means++), the mean of all rows plus noise, k-means++, random rows, or a file with k rows of the same columns.
    restarts: number of starts, of which one is kept (1 with given centres); None: 10, and fewer above 50 clusters.
    max_iterations: maximum number of iterations per start.
    tolerance: stop when the objective changes by less than this share of itself (0: when nothing moves).
    search: maximum number of rounds per start that place all constrained rows anew before the iterations; the best round is kept.
    faithful: use the search of the paper: constrained rows only move one by one, without rounds before the iterations.
    keep: which start is kept; typical: of the starts within 10 of the lowest objective, the start that agrees most with the others; lowest: the start with the lowest objective.
    distance: distance between rows; cosine scales each row to length 1, for many features of which only the direction matters.
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "mpck-means"
    _needs_k = True
    _options = {"metrics": "metrics", "matrix": "matrix", "costs": "costs", "init": "init", "restarts": "restarts", "max_iterations": "maxIterations", "tolerance": "tolerance", "search": "search", "faithful": "faithful", "keep": "keep", "distance": "distance"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        metrics: str = "single",
        matrix: str = "diagonal",
        costs: str = "relative",
        init: Any = "neighbourhoods",
        restarts: int | None = None,
        max_iterations: float = 100,
        tolerance: float = 0,
        search: float = 20,
        faithful: bool = False,
        keep: str = "typical",
        distance: str = "euclidean",
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metrics = metrics
        self.matrix = matrix
        self.costs = costs
        self.init = init
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.search = search
        self.faithful = faithful
        self.keep = keep
        self.distance = distance
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class SupervisedMeans(RuleForNewRows, WeighingClusterer):
    """
    Supervised means: assigns each row, once, to the nearest centroid of must-linked rows.

    Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    distance: distance between rows; cosine scales each row to length 1, for many features of which only the direction matters.
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "supervised-means"
    _needs_k = True
    _options = {"distance": "distance", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        distance: str = "euclidean",
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.distance = distance
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class RcaKmeans(RuleForNewRows, WeighingClusterer):
    """
    RCA and k-means: k-means under a metric in which must-linked rows are close.

    Bar-Hillel, Hertz, Shental, Weinshall: Learning Distance Functions using Equivalence Relations. 2003; Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in Semi-Supervised Clustering. 2004

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    prior: weight of the covariance of all rows, which is added to the covariance of must-linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    init: first centres: means of must-linked neighbourhoods (every other start uses k-means++), the mean of all rows plus noise, k-means++, random rows, or a file with k rows of the same columns.
    restarts: number of starts, of which one is kept (1 with given centres); None: 10, and fewer above 50 clusters.
    max_iterations: maximum number of iterations per start.
    tolerance: stop when the objective changes by less than this share of itself (0: when nothing moves).
    distance: distance between rows; cosine scales each row to length 1, for many features of which only the direction matters.
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "rca-kmeans"
    _needs_k = True
    _options = {"prior": "prior", "init": "init", "restarts": "restarts", "max_iterations": "maxIterations", "tolerance": "tolerance", "distance": "distance"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        prior: float | None = None,
        init: Any = "neighbourhoods",
        restarts: int | None = None,
        max_iterations: float = 100,
        tolerance: float = 0,
        distance: str = "euclidean",
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.prior = prior
        self.init = init
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.distance = distance
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class SvmKmeans(RuleForNewRows, WeighingClusterer):
    """
    k-means with a metric from relative constraints: k-means with a weight for each column, learned from relative constraints.

    Schultz, Joachims: Learning a Distance Metric from Relative Comparisons. 2004

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    init: first centres: k-means++, random rows, or a file with k rows of the same columns.
    restarts: number of starts; the best is kept (1 with given centres); None: 10, and fewer above 50 clusters.
    max_iterations: maximum number of iterations per start.
    tolerance: stop when the sum of squared moves of the centres is at most this share of the mean variance of the columns (0: when no row changes its cluster).
    bounds: skip rows whose cluster cannot change; the result is the same.
    cost: penalty of a relative constraint that the learned metric breaks.
    cost_scale: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns.
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "svm-kmeans"
    _needs_k = True
    _options = {"init": "init", "restarts": "restarts", "max_iterations": "maxIterations", "tolerance": "tolerance", "bounds": "bounds", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        init: Any = "k-means++",
        restarts: int | None = None,
        max_iterations: float = 300,
        tolerance: float = 0,
        bounds: bool = True,
        cost: float = 1,
        cost_scale: str = "relative",
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.restarts = restarts
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.bounds = bounds
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class Mixture(RuleForNewRows, WeighingClusterer):
    """
    Gaussian mixture: each cluster has its own size, spread and direction; each row has a probability for each cluster.

    Shental, Bar-Hillel, Hertz, Weinshall: Computing Gaussian Mixture Models with EM Using Equivalence Constraints. 2003; Lu, Leen: Semi-supervised Learning with Penalized Probabilistic Clustering. 2004

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    covariance: shape of the clusters; full: each cluster has its own covariance matrix; diagonal: its own variance for each column; shared: one covariance matrix for all clusters; auto: full or shared, the one that explains constraints and rows better.
    error_rate: expected share of wrong constraints, from 0 to 0.5; with 0, every constraint that can be kept is kept.
    max_iterations: maximum number of iterations of EM per start.
    tolerance: stop when the log-likelihood changes by less than this share of itself.
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "mixture"
    _needs_k = True
    _options = {"covariance": "covariance", "error_rate": "errorRate", "max_iterations": "maxIterations", "tolerance": "tolerance"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        covariance: str = "auto",
        error_rate: float = 0.02,
        max_iterations: float = 25,
        tolerance: float = 0.0001,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.covariance = covariance
        self.error_rate = error_rate
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class Recon(Clusterer):
    """
    ReCon: builds a hierarchy that satisfies every relative constraint, and keeps all other constraints.

    Liu, Zhang, Wang: Clustering with Relative Constraints. 2011

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    height: cut at this merge height instead of into k clusters.
    min_cluster_size: minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups).
    linkage: distance between clusters (default: centroid; average for tables with missing cells and for distances other than euclidean, because clusters have no centroid then).
    distance: distance between rows (default: chosen by the types of the columns).
    storage: precision of the stored distances (default: f64 up to 16,000 rows).
    outliers: branches with fewer rows than this number, or than this share of the rows (such as 5%), do not become clusters; they join a cluster after the cut.
    outliers_join: which cluster the small branches of outliers join; keep: the nearest cluster in which they break no constraint; nearest: the nearest cluster, as in the paper, even if that breaks constraints.
    cut: where the hierarchy is cut; k or merges: undo the last merges until there are k clusters; largest: split the largest branch until there are k clusters; triplets: into the k branches that satisfy the most relative constraints; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without).
    inconsistent: what to do if relative constraints contradict each other; error: stop; largest: keep a large consistent part of them.
    effort: limit on the search for k clusters that keep all constraints, in nodes of the search tree.
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "recon"
    _needs_k = False
    _options = {"height": "height", "min_cluster_size": "minClusterSize", "linkage": "linkage", "distance": "distance", "storage": "storage", "outliers": "outliers", "outliers_join": "outliersJoin", "cut": "cut", "inconsistent": "inconsistent", "effort": "effort", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        height: float | None = None,
        min_cluster_size: float | None = None,
        linkage: str | None = None,
        distance: str | None = None,
        storage: str | None = None,
        outliers: Any = 0,
        outliers_join: str = "keep",
        cut: str | None = None,
        inconsistent: str = "error",
        effort: float = 200000,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.min_cluster_size = min_cluster_size
        self.linkage = linkage
        self.distance = distance
        self.storage = storage
        self.outliers = outliers
        self.outliers_join = outliers_join
        self.cut = cut
        self.inconsistent = inconsistent
        self.effort = effort
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class Ccl(Clusterer):
    """
    Constrained complete linkage: merges rows by distances that the constraints changed; keeps must-links, and cannot-links if k clusters can keep them.

    Klein, Kamvar, Manning: From Instance-level Constraints to Space-Level Constraints. 2002

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    height: cut at this merge height instead of into k clusters.
    cut: where the hierarchy is cut; k: into k clusters; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without).
    min_cluster_size: minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups).
    stop_before_violation: cut before the first merge that breaks a cannot-link, instead of at k.
    lookahead: run the linkage again with added constraints if it would break cannot-links at k (not in the paper).
    linkage: how the distance between clusters is measured; only with complete linkage, a cannot-link also affects the rows near its two rows.
    distance: distance between rows (default: chosen by the types of the columns).
    storage: precision of the stored distances (default: f64 up to 16,000 rows).
    effort: limit on the search for k clusters that keep every cannot-link, in nodes of the search tree.
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "ccl"
    _needs_k = False
    _options = {"height": "height", "cut": "cut", "min_cluster_size": "minClusterSize", "stop_before_violation": "stopBeforeViolation", "lookahead": "lookahead", "linkage": "linkage", "distance": "distance", "storage": "storage", "effort": "effort", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        height: float | None = None,
        cut: str | None = None,
        min_cluster_size: float | None = None,
        stop_before_violation: bool = False,
        lookahead: bool = True,
        linkage: str = "complete",
        distance: str | None = None,
        storage: str | None = None,
        effort: float = 200000,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.cut = cut
        self.min_cluster_size = min_cluster_size
        self.stop_before_violation = stop_before_violation
        self.lookahead = lookahead
        self.linkage = linkage
        self.distance = distance
        self.storage = storage
        self.effort = effort
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class Density(Clusterer):
    """
    HDBSCAN*: finds how many clusters there are by density; rows between them are noise; constraints choose the cut.

    Campello, Moulavi, Zimek, Sander: Hierarchical Density Estimates for Data Clustering. 2015

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    min_cluster_size: minimum number of rows in a cluster; rows outside all clusters are noise (default: 5; 1.5 √n on the map of neighbourhoods).
    min_samples: neighbours that must be near a row for it to count as dense; a higher number gives more noise (default: the minimum cluster size; 1 on the map of neighbourhoods).
    space: where density is measured: between the rows, or on a map of neighbourhoods, which suits rows of many columns (default: neighbourhoods for more than 30 columns of numbers, unless a height is given).
    height: cut at this merge height instead of into k clusters.
    cut: where the hierarchy is cut; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters; height: at the given height, where smaller groups are noise; k: into k groups at one height (default: best, also with -k).
    distance: distance between rows (default: chosen by the types of the columns).
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "density"
    _needs_k = False
    _options = {"min_cluster_size": "minClusterSize", "min_samples": "minSamples", "space": "space", "height": "height", "cut": "cut", "distance": "distance", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        min_cluster_size: float | None = None,
        min_samples: float | None = None,
        space: str | None = None,
        height: float | None = None,
        cut: str | None = None,
        distance: str | None = None,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_cluster_size = min_cluster_size
        self.min_samples = min_samples
        self.space = space
        self.height = height
        self.cut = cut
        self.distance = distance
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class Duplicates(Clusterer):
    """
    Duplicates: finds rows that describe the same thing, such as a person in several lists, and how many things there are.

    Fellegi, Sunter: A Theory for Record Linkage. 1969; Bansal, Blum, Chawla: Correlation Clustering. 2004

    threshold: smallest probability at which two rows count as a match; a higher threshold finds fewer and surer duplicates.
    candidates: number of most similar rows that each row is compared with.
    unscored: assumed probability of a match for two rows that are not compared or have no score; at most the threshold.
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "duplicates"
    _needs_k = False
    _options = {"threshold": "threshold", "candidates": "candidates", "unscored": "unscored"}

    def __init__(
        self,
        *,
        threshold: float = 0.5,
        candidates: float = 20,
        unscored: float = 0.25,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.threshold = threshold
        self.candidates = candidates
        self.unscored = unscored
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class CompleteLink(Clusterer):
    """
    Complete linkage: merges the two groups whose farthest rows are closest.

    Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    height: cut at this merge height instead of into k clusters.
    cut: where the hierarchy is cut; k: into k clusters; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without).
    min_cluster_size: minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups).
    distance: distance between rows (default: chosen by the types of the columns).
    storage: precision of the stored distances (default: f64 up to 16,000 rows).
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "complete-link"
    _needs_k = False
    _options = {"height": "height", "cut": "cut", "min_cluster_size": "minClusterSize", "distance": "distance", "storage": "storage", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        height: float | None = None,
        cut: str | None = None,
        min_cluster_size: float | None = None,
        distance: str | None = None,
        storage: str | None = None,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.cut = cut
        self.min_cluster_size = min_cluster_size
        self.distance = distance
        self.storage = storage
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class SingleLink(Clusterer):
    """
    Single linkage: merges the two groups whose nearest rows are closest.

    Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    height: cut at this merge height instead of into k clusters.
    cut: where the hierarchy is cut; k: into k clusters; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without).
    min_cluster_size: minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups).
    distance: distance between rows (default: chosen by the types of the columns).
    storage: precision of the stored distances (default: f64 up to 16,000 rows).
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "single-link"
    _needs_k = False
    _options = {"height": "height", "cut": "cut", "min_cluster_size": "minClusterSize", "distance": "distance", "storage": "storage", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        height: float | None = None,
        cut: str | None = None,
        min_cluster_size: float | None = None,
        distance: str | None = None,
        storage: str | None = None,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.cut = cut
        self.min_cluster_size = min_cluster_size
        self.distance = distance
        self.storage = storage
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class AverageLink(Clusterer):
    """
    Average linkage: merges the two groups with the least mean distance between their rows.

    Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    height: cut at this merge height instead of into k clusters.
    cut: where the hierarchy is cut; k: into k clusters; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without).
    min_cluster_size: minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups).
    distance: distance between rows (default: chosen by the types of the columns).
    storage: precision of the stored distances (default: f64 up to 16,000 rows).
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "average-link"
    _needs_k = False
    _options = {"height": "height", "cut": "cut", "min_cluster_size": "minClusterSize", "distance": "distance", "storage": "storage", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        height: float | None = None,
        cut: str | None = None,
        min_cluster_size: float | None = None,
        distance: str | None = None,
        storage: str | None = None,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.cut = cut
        self.min_cluster_size = min_cluster_size
        self.distance = distance
        self.storage = storage
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class WeightedLink(Clusterer):
    """
    Weighted linkage: like average-link, with equal weight for the two halves of a group.

    Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    height: cut at this merge height instead of into k clusters.
    cut: where the hierarchy is cut; k: into k clusters; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without).
    min_cluster_size: minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups).
    distance: distance between rows (default: chosen by the types of the columns).
    storage: precision of the stored distances (default: f64 up to 16,000 rows).
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "weighted-link"
    _needs_k = False
    _options = {"height": "height", "cut": "cut", "min_cluster_size": "minClusterSize", "distance": "distance", "storage": "storage", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        height: float | None = None,
        cut: str | None = None,
        min_cluster_size: float | None = None,
        distance: str | None = None,
        storage: str | None = None,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.cut = cut
        self.min_cluster_size = min_cluster_size
        self.distance = distance
        self.storage = storage
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class Ward(Clusterer):
    """
    Ward linkage: merges the two groups whose merge adds least to the variance within groups.

    Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    height: cut at this merge height instead of into k clusters.
    cut: where the hierarchy is cut; k: into k clusters; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without).
    min_cluster_size: minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups).
    distance: distance between rows (default: chosen by the types of the columns).
    storage: precision of the stored distances (default: f64 up to 16,000 rows).
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "ward"
    _needs_k = False
    _options = {"height": "height", "cut": "cut", "min_cluster_size": "minClusterSize", "distance": "distance", "storage": "storage", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        height: float | None = None,
        cut: str | None = None,
        min_cluster_size: float | None = None,
        distance: str | None = None,
        storage: str | None = None,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.cut = cut
        self.min_cluster_size = min_cluster_size
        self.distance = distance
        self.storage = storage
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class CentroidLink(Clusterer):
    """
    Centroid linkage: merges the two groups whose means are closest.

    Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    height: cut at this merge height instead of into k clusters.
    cut: where the hierarchy is cut; k: into k clusters; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without).
    min_cluster_size: minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups).
    distance: distance between rows (default: chosen by the types of the columns).
    storage: precision of the stored distances (default: f64 up to 16,000 rows).
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "centroid-link"
    _needs_k = False
    _options = {"height": "height", "cut": "cut", "min_cluster_size": "minClusterSize", "distance": "distance", "storage": "storage", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        height: float | None = None,
        cut: str | None = None,
        min_cluster_size: float | None = None,
        distance: str | None = None,
        storage: str | None = None,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.cut = cut
        self.min_cluster_size = min_cluster_size
        self.distance = distance
        self.storage = storage
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class MedianLink(Clusterer):
    """
    Median linkage: like centroid-link, with equal weight for the two halves of a group.

    Müllner: Modern hierarchical, agglomerative clustering algorithms. 2011

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    height: cut at this merge height instead of into k clusters.
    cut: where the hierarchy is cut; k: into k clusters; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without).
    min_cluster_size: minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups).
    distance: distance between rows (default: chosen by the types of the columns).
    storage: precision of the stored distances (default: f64 up to 16,000 rows).
    learned_metric: learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints.
    prior: rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0).
    cost: svm: penalty of a relative constraint that the metric breaks (default: 1).
    cost_scale: svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative).
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "median-link"
    _needs_k = False
    _options = {"height": "height", "cut": "cut", "min_cluster_size": "minClusterSize", "distance": "distance", "storage": "storage", "learned_metric": "learnedMetric", "prior": "prior", "cost": "cost", "cost_scale": "costScale"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        height: float | None = None,
        cut: str | None = None,
        min_cluster_size: float | None = None,
        distance: str | None = None,
        storage: str | None = None,
        learned_metric: str | None = None,
        prior: float | None = None,
        cost: float | None = None,
        cost_scale: str | None = None,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.height = height
        self.cut = cut
        self.min_cluster_size = min_cluster_size
        self.distance = distance
        self.storage = storage
        self.learned_metric = learned_metric
        self.prior = prior
        self.cost = cost
        self.cost_scale = cost_scale
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


class Clusilc(RuleForNewRows, WeighingClusterer):
    """
    ClusILC: grows a tree under constraints and describes each cluster by a rule.

    Struyf, Džeroski: Clustering Trees with Instance Level Constraints. 2007

    n_clusters: number of clusters, or a range such as (2, 10); None: the method finds it, or it is chosen from 2 to 10.
    gamma: weight of the constraints relative to the variance, from 0 to 1.
    min_leaf: minimum number of rows in a leaf.
    max_leaves: maximum number of leaves.
    beam: number of trees kept in the beam search (1: greedy search).
    label_rule: labels that a new leaf can take: linked = a new label, or the label of a leaf to which it has a must-link; any = any label.
    describe: columns that the tree can test, separated by commas (default: all).
    variance: columns whose variance counts in the objective, separated by commas (default: all).
    validation: share of the constraints held out in each round to choose the number of leaves (0: grow the full tree).
    leaf_cost: cost of each leaf, in units of the objective H; the tree is pruned to the smallest sum of H and leaf costs.
    random_state: seed of all random choices; None is 0.
    scale: how numbers are scaled: auto, none, zscore, minmax, robust, log, rank.
    missing: missing cells: auto, error, drop (label -1), impute, skip.
    types: types by column name: number, nominal, text, date, vector, ignore.
    column_weights: weights of columns in distances.
    reading: more options of reading, such as {"id": "customer"}.
    n_jobs: number of processor cores; None or -1 for all. The result does not depend on it.
    progress: True for a bar of tqdm, or a function of (phase, done, total).
    """

    _algorithm = "clusilc"
    _needs_k = True
    _options = {"gamma": "gamma", "min_leaf": "minLeaf", "max_leaves": "maxLeaves", "beam": "beam", "label_rule": "labelRule", "describe": "describe", "variance": "variance", "validation": "validation", "leaf_cost": "leafCost"}

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        gamma: float = 0.5,
        min_leaf: float = 2,
        max_leaves: float | None = None,
        beam: float = 1,
        label_rule: str = "linked",
        describe: Any = None,
        variance: Any = None,
        validation: float = 0,
        leaf_cost: float = 0,
        random_state: Any = None,
        scale: str = "auto",
        missing: str = "auto",
        types: Mapping[str, str] | None = None,
        column_weights: Mapping[str, float] | None = None,
        reading: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        progress: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.min_leaf = min_leaf
        self.max_leaves = max_leaves
        self.beam = beam
        self.label_rule = label_rule
        self.describe = describe
        self.variance = variance
        self.validation = validation
        self.leaf_cost = leaf_cost
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.types = types
        self.column_weights = column_weights
        self.reading = reading
        self.n_jobs = n_jobs
        self.progress = progress


METHODS: dict[str, type[BaseClusterer]] = {
    "auto": Auto,
    "kmeans": Kmeans,
    "cop-kmeans": CopKmeans,
    "pck-means": PckMeans,
    "mk-means": MkMeans,
    "mpck-means": MpckMeans,
    "supervised-means": SupervisedMeans,
    "rca-kmeans": RcaKmeans,
    "svm-kmeans": SvmKmeans,
    "mixture": Mixture,
    "recon": Recon,
    "ccl": Ccl,
    "density": Density,
    "duplicates": Duplicates,
    "complete-link": CompleteLink,
    "single-link": SingleLink,
    "average-link": AverageLink,
    "weighted-link": WeightedLink,
    "ward": Ward,
    "centroid-link": CentroidLink,
    "median-link": MedianLink,
    "clusilc": Clusilc,
}

__all__ = [
    "METHODS",
    "Auto",
    "Kmeans",
    "CopKmeans",
    "PckMeans",
    "MkMeans",
    "MpckMeans",
    "SupervisedMeans",
    "RcaKmeans",
    "SvmKmeans",
    "Mixture",
    "Recon",
    "Ccl",
    "Density",
    "Duplicates",
    "CompleteLink",
    "SingleLink",
    "AverageLink",
    "WeightedLink",
    "Ward",
    "CentroidLink",
    "MedianLink",
    "Clusilc",
]
