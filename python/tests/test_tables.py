"""Tables of every kind, and what is said of those that cannot be clustered."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coterie
from coterie import BadInput, Coterie, Kmeans

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


def mixed_columns() -> dict[str, list[Any]]:
    rng = np.random.default_rng(1)
    return {
        "amount": [float(each) for each in rng.normal(size=40)],
        "count": [int(each) for each in rng.integers(0, 9, 40)],
        "colour": [["red", "blue", None][i % 3] for i in range(40)],
        "member": [i % 2 == 0 for i in range(40)],
        "since": [datetime.datetime(2024, 1, 1 + i % 28) for i in range(40)],
        "holed": [None if i % 7 == 0 else float(i) for i in range(40)],
    }


def test_data_frames_of_every_library_are_the_same_table() -> None:
    columns = mixed_columns()
    frames = [pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns), pl.LazyFrame(columns)]
    categories = pd.DataFrame(columns).astype({"colour": "category", "count": "Int64"})
    frames += [categories, pa.table({**columns, "colour": pa.array(columns["colour"]).dictionary_encode()})]
    models = [Kmeans(3).fit(frame) for frame in frames]
    assert models[0].report_["columns"] == [
        {"name": "amount", "kind": "number"},
        {"name": "count", "kind": "number"},
        {"name": "colour", "kind": "nominal"},
        {"name": "member", "kind": "nominal"},
        {"name": "since", "kind": "date"},
        {"name": "holed", "kind": "number"},
    ]
    for model in models[1:]:
        assert model.labels_.tolist() == models[0].labels_.tolist()
        assert model.notices_ == models[0].notices_


def test_vectors_texts_and_objects() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(30, 4)) + np.repeat([0, 9], 15)[:, None]
    frame = pd.DataFrame({"embedding": list(vectors), "text": [f"words of row {i}" for i in range(30)]})
    model = Kmeans(2, types={"text": "ignore"}).fit(frame)
    assert len(set(model.labels_[:15])) == len(set(model.labels_[15:])) == 1
    assert Kmeans(2).fit(pl.DataFrame({"embedding": vectors.tolist()})).labels_.tolist() == model.labels_.tolist()
    objects = np.array([[i % 2, "a" if i % 2 else "b"] for i in range(12)], dtype=object)
    assert Kmeans(2).fit(objects).labels_.tolist() == [0, 1] * 6
    assert Kmeans(2).fit([[0.0], [0.1], [9.0]]).labels_.tolist() == [0, 0, 1]


def test_ids_columns_weights_and_reading() -> None:
    frame = pd.DataFrame({"customer_id": range(100, 140), **mixed_columns()})
    model = Kmeans(3).fit(frame)
    assert "customer_id" not in model.report_["features"]
    assert any("has the ids of the rows" in notice for notice in model.notices_)
    chosen = Kmeans(3, reading={"features": ["amount", "count"], "cyclic": {"count": [9]}}, column_weights={"amount": 2}).fit(frame)
    assert chosen.report_["features"] == ["amount", "count (9, cosine)", "count (9, sine)"]
    with pytest.raises(BadInput, match='There is no column "amout"'):
        Kmeans(3, column_weights={"amout": 2}).fit(frame)
    reversed_columns = frame[list(frame.columns)]
    assert model.predict(reversed_columns).tolist() == model.labels_.tolist()


def test_missing_numbers() -> None:
    X = np.array([[0.0, 1.0], [0.1, np.nan], [9.0, 1.0], [9.1, 0.9]])
    assert Kmeans(2, scale="none").fit(X).labels_.tolist() == [0, 0, 1, 1]
    assert Kmeans(2, scale="none", missing="drop").fit(X).labels_.tolist() == [0, -1, 1, 1]
    with pytest.raises(BadInput, match="missing"):
        Kmeans(2, missing="error").fit(X)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: __import__("scipy.sparse").sparse.eye(5).tocsr(), "Sparse data cannot be clustered"),
        (lambda: np.array([1.0, 2.0]), "Expected 2D array, got 1D array instead"),
        (lambda: np.zeros((2, 2, 2)), "got 3D array"),
        (lambda: np.zeros((0, 2)), r"0 sample\(s\)"),
        (lambda: np.zeros((2, 0)), r"0 feature\(s\)"),
        (lambda: np.array([[1j, 2], [3, 4]]), "Complex data not supported"),
        (lambda: np.array([[1.0, np.inf], [3, 4]]), r"Row 0 of column 1 is infinite"),
        (lambda: pd.DataFrame({"a": [1.0, np.inf, 2]}), '"Infinity" in row 1'),
        (lambda: pd.DataFrame({"a": [1, "x", 3]}), 'Column "a" mixes numbers and text'),
        (lambda: np.array([[2**60], [1]]), "2\\^53"),
    ],
)
def test_what_cannot_be_clustered_gets_a_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        Kmeans(2).fit(make())


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"must_link": [(0, 99)]}, r"must_link\[0\]: There is no row 99. Rows are numbered from 0 to 2."),
        ({"must_link": [(0, 1), (0,)]}, "must_link must be a list of 2 row numbers each"),
        ({"must_link": [("a", "b")]}, "Rows are named by their positions"),
        ({"cannot_link": [(0, 0.5)]}, "not whole numbers"),
        ({"cannot_link": [(0, 1, -1)]}, r"cannot_link\[0\] has the weight -1"),
        ({"relative": [(0, 1)]}, "relative must be a list of 3 row numbers each"),
        ({"y": [1, 2]}, "y has 2 values, but X has 3 rows"),
        ({"groups": [1]}, "groups has 1 values, but X has 3 rows"),
        ({"sample_weight": [1, 2]}, "give one weight for each row"),
    ],
)
def test_constraints_that_do_not_fit_get_a_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        Coterie("kmeans", 2).fit(np.array([[0.0], [1.0], [5.0]]), **given)


def test_a_constraint_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"name": ["ann", "bob", "cem", "dan"], "x": [0.0, 0.1, 5, 5.1]})
    path = tmp_path / "known.csv"
    path.write_text("type,a,b,c,weight\nmust-link,ann,bob,,\ncannot-link,ann,cem,,inf\nrelative,ann,bob,dan,\nlabel,dan,old,,\n")
    known = coterie.read_constraints(path, frame, ids="name")
    assert known.must_link.tolist() == [[0, 1, 1]]
    assert known.cannot_link.tolist() == [[0, 2, np.inf]]
    assert known.relative.tolist() == [[0, 1, 3, 1]]
    assert known.y is not None and known.y.tolist() == [None, None, None, "old"]
    assert Coterie("mpck-means", 2).fit(frame, **known).labels_.tolist() == [0, 0, 1, 1]
    with pytest.raises(BadInput, match=r'No row has the id "ann"|"ann" is not a row number'):
        coterie.read_constraints(path, frame)
    with pytest.raises(BadInput, match="There is no such file"):
        coterie.read_constraints(tmp_path / "none.csv", frame)
