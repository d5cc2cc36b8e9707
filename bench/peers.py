"""The peers of the bench: reads one command a line as JSON, runs it, answers one line of JSON.

A command is a generator in three parts: it prepares, yields, does the work on the clock, yields, and at last yields its
answer. Arrays travel as raw little-endian files: points are read from those that the bench wrote, answers are written
into the folder named on the command line.
"""

import gc
import json
import os
import signal
import sys
import time

import fastcluster
import numpy as np
import pandas as pd
from scipy import optimize, sparse
from scipy.cluster import hierarchy
from scipy.spatial import distance
from sklearn import metrics
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

FOLDER = sys.argv[1]
COMMANDS = {}
KEPT = {}


def command(function):
    COMMANDS[function.__name__] = function
    return function


def kept(key, make):
    """What later rounds use again: inputs, and outputs whose pages are there already, as they are on our side."""
    if key not in KEPT:
        KEPT[key] = make()
    return KEPT[key]


def points(file, d):
    return kept(file, lambda: np.fromfile(file, dtype="<f8").reshape(-1, d))


def labels(file):
    return kept(file, lambda: np.fromfile(file, dtype="<i4"))


@command
def cdist(file, d, metric, sample):
    x = points(file, d)
    out = kept("matrix", lambda: np.empty((len(x), len(x))))
    yield
    distance.cdist(x, x, metric, out=out)
    yield
    yield {"sums": out.sum(axis=1), "sample": out.ravel()[sample]}


@command
def pdist(file, d, metric, sample):
    x = points(file, d)
    n = len(x)
    out = kept("condensed", lambda: np.empty(n * (n - 1) // 2))
    yield
    distance.pdist(x, metric, out=out)
    yield
    square = distance.squareform(out)
    yield {"sums": square.sum(axis=1), "sample": square.ravel()[sample]}


@command
def euclidean_distances(file, d, sample):
    x = points(file, d)
    yield
    out = metrics.pairwise.euclidean_distances(x)
    yield
    yield {"sums": out.sum(axis=1), "sample": out.ravel()[sample]}


@command
def linkage(file, d, method, library):
    x = points(file, d)
    ready = kept("distances", lambda: distance.pdist(x))
    if library == "fastcluster":
        consumed = ready.copy()
        yield
        merges = fastcluster.linkage(consumed, method, preserve_input=False)
    else:
        yield
        merges = hierarchy.linkage(ready, method)
    yield
    yield {"heights": merges[:, 2], "sizes": merges[:, 3]}


@command
def constrained_link(file, d, k, members, starts, apart):
    """Klein et al. 2002, figures 5 and 6: must-links at 0, Floyd-Warshall through must-linked rows alone, cannot-links raised
    above all others by their components, complete linkage, cut at k."""
    x = points(file, d)
    rows = labels(members)
    begins = labels(starts)
    components = [rows[begins[i] : begins[i + 1]] for i in range(len(begins) - 1)]
    pairs = labels(apart).reshape(-1, 2)
    yield
    matrix = distance.squareform(distance.pdist(x))
    for component in components:
        matrix[np.ix_(component, component)] = 0
    detour = np.empty_like(matrix)
    for row in rows:
        np.add.outer(matrix[:, row], matrix[row], out=detour)
        np.minimum(matrix, detour, out=matrix)
    barred = matrix.max() + 1
    linked = {row: component for component in components for row in component.tolist()}
    for a, b in pairs.tolist():
        block = np.ix_(linked.get(a, [a]), linked.get(b, [b]))
        matrix[block] = np.where(matrix[block] < barred, matrix[block] + barred, matrix[block])
        matrix[block[::-1]] = matrix[block]
    merges = fastcluster.linkage(distance.squareform(matrix, checks=False), "complete", preserve_input=False)
    clusters = hierarchy.fcluster(merges, k, "maxclust")
    yield
    yield {"labels": clusters, "heights": merges[:, 2]}


@command
def kmeans(file, d, centres, tol, algorithm):
    x = points(file, d)
    first = points(centres, d)
    yield
    model = KMeans(len(first), init=first, n_init=1, max_iter=300, tol=tol, algorithm=algorithm).fit(x)
    yield
    yield {"iterations": model.n_iter_, "inertia": model.inertia_, "labels": model.labels_}


def singles(file, d):
    return kept(file + " in f32", lambda: points(file, d).astype(np.float32))


@command
def density(file, d, size):
    import hdbscan

    x = points(file, d)
    yield
    model = hdbscan.HDBSCAN(min_cluster_size=size, core_dist_n_jobs=1, approx_min_span_tree=False).fit(x)
    yield
    yield {"heights": model.single_linkage_tree_._linkage[:, 2]}


@command
def pairwise(file, d, single, sample):
    x = singles(file, d) if single else points(file, d)
    yield
    out = metrics.pairwise_distances(x)
    yield
    yield {"sample": out.ravel()[sample].astype(np.float64)}


@command
def linkage_of_points(file, d):
    x = points(file, d)
    yield
    distances = distance.squareform(metrics.pairwise_distances(x), checks=False)
    merges = fastcluster.linkage(distances, "complete", preserve_input=False)
    yield
    yield {"heights": merges[:, 2]}


def fitted(model, x):
    yield
    model.fit(x)
    yield
    yield {"iterations": model.n_iter_, "inertia": float(model.inertia_)}


@command
def seeded_kmeans(file, d, k):
    return fitted(KMeans(k, n_init=1, max_iter=300, tol=0, random_state=0), points(file, d))


@command
def single_kmeans(file, d, centres):
    first = singles(centres, d)
    return fitted(KMeans(len(first), init=first, n_init=1, max_iter=100, tol=0), singles(file, d))


@command
def faiss_kmeans(file, d, k, iterations):
    # Not everybody has it: only its own row fails without it.
    import faiss

    x = singles(file, d)
    faiss.omp_set_num_threads(1)
    model = faiss.Kmeans(d, k, niter=iterations, seed=0, max_points_per_centroid=len(x), min_points_per_centroid=1)
    yield
    model.train(x)
    yield
    yield {"iterations": iterations, "inertia": float(model.obj[-1])}


@command
def bounded_kmeans(file, d, k, smallest, largest, starts, seed):
    # Not everybody has it: only its own rows fail without it.
    from k_means_constrained import KMeansConstrained

    x = points(file, d)
    yield
    model = KMeansConstrained(k, size_min=smallest, size_max=largest, n_init=starts, random_state=seed, n_jobs=1).fit(x)
    yield
    yield {"inertia": model.inertia_, "iterations": model.n_iter_, "sizes": np.bincount(model.labels_, minlength=k)}


@command
def pair_scores(truth, clustering, rand):
    a = labels(truth)
    b = labels(clustering)
    yield
    score = metrics.rand_score(a, b) if rand else None
    table = metrics.pair_confusion_matrix(a, b)
    yield
    (neither, one), (other, both) = table.tolist()
    yield {
        "rand": (neither + both) / (neither + one + other + both) if score is None else score,
        "f": 2 * both / (2 * both + one + other),
    }


def maximal_independent_sets(n, edges):
    """All of them, by Bron and Kerbosch's search with a pivot in the complement; vertices are bits."""
    apart = [(1 << n) - 1 & ~(1 << v) for v in range(n)]
    for u, v in edges:
        apart[u] &= ~(1 << v)
        apart[v] &= ~(1 << u)
    found = []
    stack = [(0, (1 << n) - 1, 0)]
    while stack:
        chosen, open_, done = stack.pop()
        if not open_ and not done:
            found.append(chosen)
            continue
        pivot = max(bits(open_ | done), key=lambda v: (open_ & apart[v]).bit_count())
        for v in bits(open_ & ~apart[pivot]):
            stack.append((chosen | 1 << v, open_ & apart[v], done & apart[v]))
            open_ &= ~(1 << v)
            done |= 1 << v
    return found


def bits(mask):
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@command
def fractional_colouring(n, graphs):
    yield
    values = []
    count = 0
    for edges in graphs:
        sets = maximal_independent_sets(n, edges)
        count += len(sets)
        rows = [v for mask in sets for v in bits(mask)]
        columns = [j for j, mask in enumerate(sets) for _ in range(mask.bit_count())]
        cover = sparse.csc_array((np.ones(len(rows)), (rows, columns)), shape=(n, len(sets)))
        values.append(optimize.linprog(np.ones(len(sets)), A_ub=-cover, b_ub=-np.ones(n), method="highs").fun)
    yield
    yield {"values": np.array(values), "sets": count}


@command
def read_csv(file, rows_first):
    yield
    table = pd.read_csv(file)
    if rows_first:
        table = np.ascontiguousarray(table.to_numpy())
    yield
    yield {"rows": len(table), "sums": np.asarray(table).sum(axis=0)}


@command
def mpck(file, d, k, together, apart, folds, seed, max_iter, quick):
    """Labels for each of the given constraint sets, one row of labels each; and how many attempts failed."""
    import mpck_peer

    kind = mpck_peer.Quick if quick else mpck_peer.MPCKMeans
    x = points(file, d)
    sets = [
        [[tuple(pair) for pair in labels(f"{kind_of}-{fold}.i4").reshape(-1, 2).tolist()] for kind_of in (together, apart)]
        for fold in range(folds)
    ]
    yield
    answers = [mpck_peer.fit(kind, x, k, ml, cl, max_iter, seed + 1000 * f) for f, (ml, cl) in enumerate(sets)]
    yield
    yield {"labels": np.concatenate([found for found, _ in answers]), "failures": sum(failed for _, failed in answers)}


@command
def mpck_to_convergence(file, d, k, together, apart, seconds):
    """One clustering until the package calls it converged, or until it has had so much processor time."""
    import mpck_peer

    x = points(file, d)
    pairs = [[tuple(pair) for pair in kind] for kind in (together, apart)]
    np.random.seed(0)

    def stop(signum, frame):
        raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    yield
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        mpck_peer.MPCKMeans(k, max_iter=1000).fit(x, ml=pairs[0], cl=pairs[1])
        ended = "converged"
    except TimeoutError:
        ended = f"cut off after {seconds} s"
    except (mpck_peer.EmptyClustersException, FloatingPointError) as error:
        ended = f"ended in {type(error).__name__}"
    signal.setitimer(signal.ITIMER_PROF, 0)
    milliseconds = 1000 * (time.process_time() - start)
    yield
    yield {"ended": ended, "milliseconds": milliseconds}


@command
def build(file, leaves):
    # Not everybody has it: only its own rows fail without it.
    from tralda.supertree import Build

    triples = kept(file, lambda: [tuple(triple) for triple in np.fromfile(file, dtype="<i4").reshape(-1, 3).tolist()])
    names = set(range(leaves))
    yield
    tree = Build(triples, names).build_tree()
    yield
    yield {"leaves": sum(1 for _ in tree.leaves())}


@command
def forget():
    KEPT.clear()
    yield
    yield
    yield None


def portable(value, name):
    if isinstance(value, dict):
        return {key: portable(item, f"{name}-{key}") for key, item in value.items()}
    if isinstance(value, np.ndarray):
        kind = "i4" if value.dtype.kind == "i" else "f8"
        file = os.path.join(FOLDER, f"{name}.{kind}")
        value.astype(f"<{kind}").tofile(file)
        return {"file": file, "type": kind}
    return value.item() if isinstance(value, np.generic) else value


@command
def cobras(file, d, truth, budget, seed):
    from cobras_peer import ask

    x = points(file, d)
    classes = labels(truth)
    yield
    found, broken = ask(x, classes, budget, seed)
    yield
    yield {"labels": found, "broken": broken}


def perform(request):
    with threadpool_limits(limits=request["threads"]):
        steps = COMMANDS[request["command"]](**request["args"])
        next(steps)
        gc.collect()
        clock = time.process_time if request.get("clock") == "processor" else time.perf_counter
        start = clock()
        next(steps)
        seconds = clock() - start
        return {"milliseconds": 1000 * seconds, "answer": portable(next(steps), "answer")}


def main():
    replies = os.fdopen(os.dup(1), "w")
    sys.stdout = sys.stderr
    for line in sys.stdin:
        try:
            reply = perform(json.loads(line))
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        gc.collect()
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


main()
