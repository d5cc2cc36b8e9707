"""Makes packages/core/src/algorithms/partition/goldens/sklearn-kmeans.json: Lloyd's iterations as scikit-learn makes them.

Run:  python tools/goldens/sklearn-kmeans.py      (numpy 2.4.6, scikit-learn 1.9.1)

Each case holds rows, first centres and, for every number of iterations up to convergence, the labels, centres and inertia.
"""

import json
import pathlib
import warnings

import numpy as np
from sklearn.cluster import KMeans

warnings.filterwarnings("ignore")
rng = np.random.default_rng(20)


def iterations(x, centres):
    steps = []
    for limit in range(1, 60):
        fit = KMeans(len(centres), init=centres, n_init=1, max_iter=limit, tol=0, algorithm="lloyd").fit(x)
        steps.append(
            {
                "labels": fit.labels_.tolist(),
                "centres": fit.cluster_centers_.tolist(),
                "inertia": float(fit.inertia_),
                "iterations": int(fit.n_iter_),
            }
        )
        if fit.n_iter_ < limit:
            steps.pop()
            break
    return steps


def case(name, x, centres):
    x = np.asarray(x, float)
    centres = np.asarray(centres, float)
    return {"name": name, "rows": x.tolist(), "centres": centres.tolist(), "steps": iterations(x, centres)}


blobs = np.concatenate([rng.normal(m, 1.0, (30, 3)) for m in (0, 2, 4)]).round(4)
uniform = rng.random((80, 2)).round(4)
grid = np.array([[i, j] for i in range(6) for j in range(6)], float)
apart = np.concatenate([rng.normal(0, 1, (20, 2)), rng.normal(50, 1, (20, 2))]).round(4)
doubled = np.repeat(rng.integers(0, 4, (12, 2)).astype(float), 3, axis=0)

cases = [
    case("three overlapping groups", blobs, blobs[[0, 1, 2]]),
    case("no structure", uniform, uniform[[3, 14, 15, 9, 26]]),
    case("a grid with ties", grid, grid[[0, 1, 7, 30]] + 0.25),
    case("a centre that nothing is near", apart, [[0, 0], [50, 50], [1000, 1000]]),
    case("two such centres", apart, [[0, 0], [900, -900], [1000, 1000], [50, 50]]),
    case("rows that repeat", doubled, doubled[[0, 9, 20]] + 0.1),
    case("one cluster", uniform[:10], uniform[[4]]),
]
target = pathlib.Path(__file__).parents[2] / "packages/core/src/algorithms/partition/goldens/sklearn-kmeans.json"
target.write_text(json.dumps(cases) + "\n")
for item in cases:
    print(item["name"], len(item["steps"]), "iterations")
