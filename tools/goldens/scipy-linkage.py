"""Writes packages/core/src/algorithms/hierarchical/goldens/scipy-linkage.json: SciPy's answers for the seven linkages.

Run it at the root of the checkout, in an environment with the versions below, as

    python tools/goldens/scipy-linkage.py

Made with Python 3.11, NumPy 2.4.6 and SciPy 1.17.1. The points are drawn from fixed seeds and stored, so the file does not
depend on NumPy's generators. Numbers are written by repr: they read back as the same doubles.
"""

import json
import math
import pathlib

import numpy as np
import scipy
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist

LINKAGES = ["single", "complete", "average", "weighted", "ward", "centroid", "median"]
OUT = pathlib.Path("packages/core/src/algorithms/hierarchical/goldens/scipy-linkage.json")


def data_sets():
    for n in (2, 3, 5, 30, 60):
        rng = np.random.default_rng(n)
        yield f"random-{n}", np.round(rng.normal(size=(n, 3)), 6)
        yield f"grid-{n}", rng.integers(0, 4, size=(n, 2)).astype(float)
        yield f"equal-{n}", np.full((n, 2), 1.5)
        yield f"collinear-{n}", np.arange(n, dtype=float).reshape(n, 1)
    rng = np.random.default_rng(7)
    yield "square-36", np.array([[x, y] for x in range(6) for y in range(6)], dtype=float)
    yield "shuffled-line-60", rng.permutation(60).astype(float).reshape(60, 1)
    yield "binary-60", rng.integers(0, 2, size=(60, 6)).astype(float)
    # More than 64 clusters, so that columns are packed.
    yield "random-150", np.round(rng.normal(size=(150, 2)), 4)
    yield "grid-150", rng.integers(0, 7, size=(150, 2)).astype(float)
    yield "binary-150", rng.integers(0, 2, size=(150, 8)).astype(float)


def golden(points, method):
    z = linkage(pdist(points), method)
    assert np.isfinite(z).all()
    height = float(np.median(z[:, 2]))
    return {
        "merges": [[int(a), int(b), h, int(size)] for a, b, h, size in z.tolist()],
        "cut": {"height": height, "labels": fcluster(z, height, criterion="distance").tolist()},
    }


def main():
    sets = []
    for name, points in data_sets():
        answers = {method: golden(points, method) for method in LINKAGES}
        whole = [[int(v) if v == math.floor(v) else v for v in row] for row in points.tolist()]
        sets.append({"name": name, "points": whole, "linkages": answers})
    document = {"scipy": scipy.__version__, "numpy": np.__version__, "sets": sets}
    OUT.write_text(json.dumps(document, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
    print(f"{OUT}: {OUT.stat().st_size} bytes")


main()
