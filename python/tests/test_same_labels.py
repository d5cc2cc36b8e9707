"""The labels of Python are those of the command line, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import labels_in, run_command

import coterie
from coterie import Coterie

#: Methods with options on both sides.
CHOICES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("kmeans", {}, []),
    ("auto", {}, []),
    ("cop-kmeans", {"restarts": 3}, ["--restarts", "3"]),
    ("pck-means", {"max_iterations": 7}, ["--max-iterations", "7"]),
    ("mpck-means", {"metrics": "multiple"}, ["--metrics", "multiple"]),
    ("ccl", {"linkage": "average"}, ["--linkage", "average"]),
    ("recon", {}, []),
    ("clusilc", {}, []),
    ("ward", {}, []),
    ("mixture", {}, []),
]


def random_problem(seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A table of numbers, texts and holes, and constraints that its classes keep."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    classes = rng.integers(0, 3, n)
    columns: dict[str, Any] = {f"v{j}": rng.normal(3 * classes * (j + 1), 1 + j, n) for j in range(int(rng.integers(1, 5)))}
    if seed % 2 == 0:
        columns["kind"] = [f"kind {c}" if rng.random() < 0.8 else "other" for c in classes]
    if seed % 3 == 0:
        columns["v0"][rng.integers(0, n, 3)] = np.nan
    if seed % 5 == 0:
        columns["count"] = rng.integers(0, 1000, n)
    pairs = rng.integers(0, n, (12, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return pd.DataFrame(columns), pairs[same], pairs[~same]


@pytest.mark.parametrize("seed", range(20))
def test_random_problem(seed: int, tmp_path: Path) -> None:
    frame, must, cannot = random_problem(seed)
    algorithm, options, flags = CHOICES[seed % len(CHOICES)]
    table, known, out = (tmp_path / name for name in ("table.csv", "known.csv", "labels.csv"))
    frame.to_csv(table, index=False)
    lines = [f"must-link,{a},{b}" for a, b in must] + [f"cannot-link,{a},{b}" for a, b in cannot]
    known.write_text("\n".join(["type,a,b", *lines]) + "\n")
    line = ["cluster", table, "-k", 3, "-a", algorithm, "-c", known, "--seed", seed, "-o", out, "--quiet", *flags]
    done = run_command(*line)
    assert done.returncode == 0, done.stderr
    model = Coterie(algorithm, 3, options=options, random_state=seed)
    labels = model.fit_predict(frame, must_link=must, cannot_link=cannot)
    assert labels.tolist() == labels_in(out).tolist()
    own = coterie._methods.METHODS[algorithm](3, random_state=seed, **options)  # type: ignore[attr-defined]
    assert own.fit_predict(frame, must_link=must, cannot_link=cannot).tolist() == labels.tolist()


def test_a_matrix_as_an_npy_file(tmp_path: Path, clouds: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = clouds
    for name, array in (("c", X), ("f", np.asfortranarray(X)), ("single", X.astype(np.float32)), ("ints", (100 * X).astype(int))):
        np.save(tmp_path / f"{name}.npy", array)
        done = run_command("cluster", tmp_path / f"{name}.npy", "-k", 3, "--id", "none", "--json", "--quiet")
        report = json.loads(done.stdout)
        model = Coterie("kmeans", 3).fit(array)
        assert model.labels_.tolist() == report["labels"], name
        assert model.cluster_centers_.tolist() == report["centres"], name


def test_parquet_and_arrow_of_the_wheel_as_the_frame(tmp_path: Path) -> None:
    frame, must, _ = random_problem(6)
    frame["when"] = pd.date_range("2024-01-01", periods=len(frame), freq="D")
    frame["yes"] = np.arange(len(frame)) % 2 == 0
    expected = Coterie("kmeans", 3).fit_predict(frame)
    frame.to_parquet(tmp_path / "table.parquet")
    frame.to_feather(tmp_path / "table.arrow")
    for name in ("table.parquet", "table.arrow"):
        done = run_command("cluster", tmp_path / name, "-k", 3, "--json", "--quiet")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["labels"] == expected.tolist(), name


def test_a_model_is_the_same_on_both_sides(tmp_path: Path, clouds: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = clouds
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = Coterie("mpck-means", 3).fit(frame, must_link=[(0, 1)])
    model.save_model(tmp_path / "model.json")
    frame.to_csv(tmp_path / "table.csv", index=False)
    done = run_command("predict", tmp_path / "model.json", tmp_path / "table.csv", "--json", "--quiet")
    assert json.loads(done.stdout)["labels"] == model.predict(frame).tolist()
