"""umap-learn on the rows in a folder, and scikit-learn's measures of its map and of ours. Prints one line of JSON."""

import json
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
import umap
from sklearn.manifold import trustworthiness

# The measures compare all pairs of rows, so larger tables are measured on a sample. umap-learn alone is not run on more rows than these.
MOST_MEASURED = 10_000
MOST_MAPPED = 50_000


def measures(rows, at):
    some = np.arange(len(rows))
    if len(rows) > MOST_MEASURED:
        some = np.random.default_rng(0).choice(len(rows), MOST_MEASURED, replace=False)
    pair = (trustworthiness(rows[some], at[some], n_neighbors=15), trustworthiness(at[some], rows[some], n_neighbors=15))
    return [round(float(value), 4) for value in pair]


folder, n = sys.argv[1], int(sys.argv[2])
rows = np.fromfile(f"{folder}/rows.bin").reshape(n, -1)
ours = np.fromfile(f"{folder}/map.bin").reshape(n, 2)
answer = {"ours": measures(rows, ours), "theirs": ["-", "-"], "seconds": "-"}
if n <= MOST_MAPPED:
    # The first maps compile umap-learn's functions, for few rows and for many rows.
    umap.UMAP(random_state=1).fit_transform(rows[:500])
    umap.UMAP(random_state=1).fit_transform(np.random.default_rng(0).random((5_000, rows.shape[1])))
    before = time.process_time()
    theirs = umap.UMAP(random_state=1).fit_transform(rows)
    answer["seconds"] = round(time.process_time() - before, 1)
    answer["theirs"] = measures(rows, theirs)
print(json.dumps(answer))
