"""Scores of small clusterings by scikit-learn, for the tests of packages/core/src/measures.

    python tools/goldens/sklearn-measures.py > packages/core/src/measures/goldens/sklearn-measures.json
"""

import json

import numpy as np
import sklearn
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score, rand_score
from sklearn.metrics.cluster import pair_confusion_matrix


def degenerate():
    yield "one row", [0], [0]
    yield "two rows together, together", [0, 0], [0, 0]
    yield "two rows together, apart", [0, 0], [0, 1]
    yield "two rows apart, together", [0, 1], [0, 0]
    yield "two rows apart, apart", [0, 1], [1, 0]
    yield "one cluster, one class", [0] * 6, [0] * 6
    yield "one cluster, two classes", [0] * 6, [0, 0, 0, 1, 1, 1]
    yield "two clusters, one class", [0, 0, 0, 1, 1, 1], [0] * 6
    yield "all alone, all alone", list(range(6)), list(range(6))
    yield "all alone, one class", list(range(6)), [0] * 6
    yield "all alone, two classes", list(range(6)), [0, 0, 0, 1, 1, 1]
    yield "equal but for names", [2, 2, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2]
    yield "independent", [0, 0, 1, 1], [0, 1, 0, 1]
    yield "worse than chance", [0, 0, 1, 1, 2, 2], [0, 1, 2, 0, 1, 2]
    yield "Rand's six points", [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 2]
    yield "numbers with gaps", [70, 70, 3, 900000, 3, 70], [5, 5, 5, 12, 12, 0]


def drawn():
    random = np.random.default_rng(20020708)
    for n, k, c in [(10, 2, 2), (30, 3, 4), (100, 5, 3), (100, 40, 50), (200, 7, 7)]:
        truth = random.integers(0, c, n)
        mixed = np.where(random.random(n) < 0.6, truth % k, random.integers(0, k, n))
        yield f"{n} rows, {k} clusters, {c} classes", mixed.tolist(), truth.tolist()


def scores(name, labels, truth):
    (_, clustering_only), (truth_only, both) = pair_confusion_matrix(truth, labels).tolist()
    pairs = 2 * both + clustering_only + truth_only
    return {
        "name": name,
        "labels": labels,
        "truth": truth,
        "rand": float(rand_score(truth, labels)),
        "adjustedRand": float(adjusted_rand_score(truth, labels)),
        "pairwiseF": 2 * both / pairs if pairs > 0 else 1.0,
        "normalizedMutualInformation": float(normalized_mutual_info_score(truth, labels)),
    }


cases = [scores(*case) for case in [*degenerate(), *drawn()]]
lines = ",\n".join("  " + json.dumps(case, separators=(",", ":")) for case in cases)
print(f'{{"source":"scikit-learn {sklearn.__version__}","cases":[\n{lines}\n]}}')
