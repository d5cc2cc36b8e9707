"""MPCKMeans of active-semi-supervised-clustering, as it is and without its waiting times.

Its loops over pairs of rows are written in Python: a clustering of 351 rows takes a minute. For comparisons of quality, which
need hundreds of clusterings, `Quick` does the same with NumPy: the same first centres, the same draws from the same generator,
the same costs (the log determinant aside, which all clusters of a row share, and which the original cannot compute where it
leaves the range of floating-point numbers). Where sums are rounded otherwise, labels may differ in a tie; the command `mpck` of
peers.py runs either, by its argument `quick`.
"""

import numpy as np
from scipy.spatial.distance import cdist

# The package makes NumPy raise on every underflow, for the whole process, when it is imported.
_errors = np.geterr()
from active_semi_clustering.exceptions import EmptyClustersException
from active_semi_clustering.semi_supervised.pairwise_constraints import MPCKMeans

np.seterr(**_errors)


class Quick(MPCKMeans):
    def _find_farthest_pairs_of_points(self, X, A):
        self.squares = cdist(X * np.sqrt(np.diag(A)), X * np.sqrt(np.diag(A)), "sqeuclidean")
        below = np.tril(self.squares, -1)
        i, j = np.unravel_index(np.argmax(below), below.shape)
        return i, j, below[i, j]

    def _assign_clusters(self, X, y, cluster_centers, A, farthest, ml_graph, cl_graph, w):
        k = len(cluster_centers)
        root = np.sqrt(np.diag(A))
        distances = cdist(X * root, cluster_centers * root, "sqeuclidean")
        together, apart = lists(ml_graph), lists(cl_graph)
        labels = np.full(X.shape[0], fill_value=-1)
        index = list(range(X.shape[0]))
        np.random.shuffle(index)
        for i in index:
            cost = distances[i]
            if len(together[i]):
                others = together[i][labels[together[i]] >= 0]
                sums = np.bincount(labels[others], weights=self.squares[i, others], minlength=k)
                cost = cost + 2 * w * (sums.sum() - sums)
            if len(apart[i]):
                others = apart[i][labels[apart[i]] >= 0]
                cost = cost + 2 * w * np.bincount(labels[others], weights=farthest[2] - self.squares[i, others], minlength=k)
            labels[i] = np.argmin(cost)
        if len(np.unique(labels)) < self.n_clusters:
            raise EmptyClustersException
        return labels

    def _update_metrics(self, X, labels, cluster_centers, farthest, ml_graph, cl_graph, w):
        sums = ((X - cluster_centers[labels]) ** 2).sum(axis=0)
        a, b = pairs(ml_graph)
        broken = labels[a] != labels[b]
        sums += w / 2 * ((X[a[broken]] - X[b[broken]]) ** 2).sum(axis=0)
        a, b = pairs(cl_graph)
        broken = labels[a] == labels[b]
        far = (X[farthest[0]] - X[farthest[1]]) ** 2
        sums += w * np.maximum(far - (X[a[broken]] - X[b[broken]]) ** 2, 0).sum(axis=0)
        return np.diag(len(X) / np.maximum(sums, 1e-9))


def lists(graph):
    return [np.fromiter(graph[i], dtype=int, count=len(graph[i])) for i in range(len(graph))]


def pairs(graph):
    """Every pair both ways, as the package walks them."""
    both = [(i, j) for i in graph for j in graph[i]]
    a, b = zip(*both) if both else ((), ())
    return np.array(a, dtype=int), np.array(b, dtype=int)


def fit(kind, x, k, ml, cl, max_iter, seed, attempts=20):
    """Labels, and how many attempts ended in an exception before; a user would try again, and so does this."""
    for attempt in range(attempts):
        np.random.seed(seed + attempt)
        try:
            return kind(k, max_iter=max_iter).fit(x, ml=ml, cl=cl).labels_, attempt
        except (EmptyClustersException, FloatingPointError):
            continue
    return np.zeros(len(x), dtype=int), attempts
