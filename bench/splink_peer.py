"""Duplicates by the package splink on DuckDB: the table of people, and the answers of a session as labels, in; adjusted Rand out, as JSON.

    python splink_peer.py people.csv answers.jsonl

What a user of splink would do: names as sorted words, blocking by single columns, u from random pairs, m by expectation maximisation, and from the
labels where there are any; one record of a source at most in a cluster. Of several thresholds the best one counts, which no user could know; time is
that of one threshold.
"""

import csv
import json
import logging
import re
import sys
import time

logging.disable(logging.WARNING)

import pandas as pd  # noqa: E402
from peer_scores import adjusted_rand  # noqa: E402
import splink.comparison_library as cl  # noqa: E402
from splink import DuckDBAPI, Linker, SettingsCreator, block_on  # noqa: E402

THRESHOLDS = [0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        words = sorted(re.findall(r"\w+", row["name"].lower()))
        row["words"] = " ".join(words)
        row["first_word"], row["last_word"] = words[0], words[-1]
        row["longest"] = max(words, key=len)
        for column in ("email", "city"):
            row[column] = row[column] or None
        row["unique_id"] = row["id"]
        row["source_dataset"] = row["source"].replace(" ", "_")
    return rows


def labels_of(path, source):
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    pairs = [(r["ask"], r["answer"]) for r in records if r.get("record") == "answer"]
    return [
        {
            "source_dataset_l": source[a],
            "unique_id_l": a,
            "source_dataset_r": source[b],
            "unique_id_r": b,
            "clerical_match_score": 1.0 if answer == "same" else 0.0,
        }
        for (a, b), answer in pairs
        if answer in ("same", "different")
    ]


def link(rows, labels):
    started = time.process_time()
    frame = pd.DataFrame(rows)[
        ["unique_id", "source_dataset", "words", "first_word", "last_word", "longest", "email", "city", "born"]
    ]
    database = DuckDBAPI()
    tables = [
        database.register(part.reset_index(drop=True), dataset_display_name=name.replace(" ", "_"))
        for name, part in frame.groupby("source_dataset")
    ]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[
            cl.JaroWinklerAtThresholds("words", [0.95, 0.88, 0.75]),
            cl.EmailComparison("email"),
            cl.ExactMatch("city"),
            cl.ExactMatch("born"),
        ],
        blocking_rules_to_generate_predictions=[
            block_on("email"),
            block_on("born"),
            block_on("longest"),
            block_on("first_word"),
            block_on("last_word"),
        ],
    )
    linker = Linker(tables, settings)
    linker.training.estimate_probability_two_random_records_match([block_on("words", "born"), block_on("email")], recall=0.8)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("born"))
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("longest"))
    if labels:
        table = database.register(pd.DataFrame(labels))
        linker.training.estimate_m_from_pairwise_labels(table)
    predicted = linker.inference.predict(threshold_match_probability=0.005)
    truth = {row["id"]: row["person"] for row in rows}
    sources = sorted({row["source_dataset"] for row in rows})
    fitted = time.process_time() - started
    best = None
    for threshold in THRESHOLDS:
        before = time.process_time()
        clustered = linker.clustering.cluster_using_single_best_links(
            predicted, duplicate_free_datasets=sources, threshold_match_probability=threshold
        ).as_pandas_dataframe()
        assert len(clustered) == len(rows), len(clustered)
        score = adjusted_rand(list(clustered["cluster_id"]), [truth[i] for i in clustered["unique_id"]])
        if best is None or score > best["adjustedRand"]:
            seconds = fitted + time.process_time() - before
            best = {"adjustedRand": score, "threshold": threshold, "seconds": seconds}
    return best


rows = read(sys.argv[1])
labels = labels_of(sys.argv[2], {row["id"]: row["source_dataset"] for row in rows})
print(json.dumps({"unlabelled": link(rows, []), "labelled": link(rows, labels), "labels": len(labels)}))
