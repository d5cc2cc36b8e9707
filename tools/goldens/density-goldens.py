"""Labels of the package hdbscan on ten small sets, for packages/core/src/algorithms/hierarchical/density/goldens/hdbscan.json.

Run in an environment with hdbscan and scikit-learn: COTERIE_DATA=... python tools/goldens/density-goldens.py > hdbscan.json
The spanning tree is the exact one; `merges` is the package's tree, whose order among equal heights is that of an unstable sort. Rows are part of the file, so that the test needs no data.

Many edges have exactly the same length: all of a row's within its core distance. So there are several shortest spanning trees, and which one the package finds
hangs on the order of the rows. `others` are the labels that it gives to the same rows in 200 other orders, where they are not `labels`: for each, rows that differ and their labels.
"""
import csv
import json
import os
import sys

import hdbscan
import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons


def table(name, most=250):
    with open(os.path.join(os.environ["COTERIE_DATA"], name + ".csv")) as file:
        rows = [[value for key, value in row.items() if key != "class"] for row in csv.DictReader(file)]
    numbers = np.array([[float(value) for value in row] for row in rows if "" not in row and "?" not in row])
    step = max(1, len(numbers) // most)
    return numbers[::step][:most]


def fitted(points, size, samples):
    return hdbscan.HDBSCAN(min_cluster_size=size, min_samples=samples, approx_min_span_tree=False).fit(points)


def renamed(labels, like):
    """The same clusters, each under the name that most of its rows have in `like`; new names beyond those."""
    names = {-1: -1}
    for label in np.unique(labels[labels >= 0]):
        there = like[(labels == label) & (like >= 0)]
        name = int(np.bincount(there).argmax()) if len(there) else -1
        names[int(label)] = name if name >= 0 and name not in names.values() else int(max(like)) + 1 + int(label)
    return np.array([names[int(label)] for label in labels])


def in_other_orders(points, size, samples, labels, orders=200):
    seen = set()
    for seed in range(1, orders + 1):
        order = np.random.default_rng(seed).permutation(len(points))
        found = np.empty(len(points), int)
        found[order] = fitted(points[order], size, samples).labels_
        found = renamed(found, labels)
        apart = np.flatnonzero(found != labels)
        if len(apart):
            seen.add(tuple(int(value) for row in apart for value in (row, found[row])))
    return sorted(seen)


def scaled(points):
    return (points - points.mean(0)) / points.std(0)


def sets():
    rng = np.random.default_rng(7)
    yield "iris", scaled(table("iris-fisher")), 5, None
    yield "wine", scaled(table("wine")), 5, 3
    yield "seeds", scaled(table("seeds")), 8, 4
    yield "banknote", scaled(table("banknote")), 10, None
    yield "crabs", table("crabs"), 5, None
    yield "ecoli", table("ecoli"), 6, 2
    yield "moons", make_moons(200, noise=0.07, random_state=1)[0], 5, None
    yield "circles", make_circles(200, noise=0.04, factor=0.4, random_state=2)[0], 8, 3
    blobs = make_blobs(180, centers=5, n_features=3, random_state=3)[0]
    yield "blobs in noise", np.vstack([blobs, rng.uniform(-15, 15, (40, 3))]), 7, 5
    yield "uneven", np.vstack([rng.normal(0, 0.3, (80, 2)), rng.normal(4, 1.5, (80, 2)), rng.normal((9, -3), 0.6, (40, 2))]), 6, None


out = []
for name, points, size, samples in sets():
    # As they are written, so that both sides see the same numbers; a little noise keeps distances from being equal.
    points = np.round(points + np.random.default_rng(1).normal(0, 1e-3, points.shape) * points.std(0), 5)
    found = fitted(points, size, samples)
    out.append(
        {
            "name": name,
            "minClusterSize": size,
            **({} if samples is None else {"minSamples": samples}),
            "points": points.tolist(),
            "labels": found.labels_.tolist(),
            "others": in_other_orders(points, size, samples, found.labels_),
            "merges": [
                [int(left), int(right), float(f"{height:.8g}"), int(size)]
                for left, right, height, size in found.single_linkage_tree_._linkage
            ],
        }
    )
json.dump({"hdbscan": hdbscan.__version__ if hasattr(hdbscan, "__version__") else "0.8", "sets": out}, sys.stdout, separators=(",", ":"))
