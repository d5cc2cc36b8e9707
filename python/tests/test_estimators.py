"""The estimators within scikit-learn: its own checks, pipelines, grid search, routing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import coterie
from coterie import BadInput, Ccl, Clusilc, Coterie, Density, Duplicates, Kmeans, Mixture, MpckMeans, Ward

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.metrics import adjusted_rand_score  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

#: Checks that an estimator does not pass, each with the reason.
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": "a weight of zero is refused with a sentence; leaving the row out says the same",
    "check_clustering": "duplicates are pairs of records that look alike, and the check's clouds of numbers have none",
    "check_fit2d_1sample": "one record has no duplicate: the sentence says so, and not that there is one sample",
}


def expected_failures(estimator: object) -> dict[str, str]:
    names = list(EXPECTED) if isinstance(estimator, Duplicates) else ["check_sample_weight_equivalence_on_dense_data"]
    return {name: EXPECTED[name] for name in names}


@parametrize_with_checks(
    [Coterie("kmeans", 3), Kmeans(3), MpckMeans(3, restarts=2), Mixture(3), Ccl(n_clusters=3), Ward(n_clusters=3), Density(), Duplicates(), Clusilc(3)],
    expected_failed_checks=expected_failures,
)
def test_the_checks_of_scikit_learn(estimator: object, check: object) -> None:
    check(estimator)  # type: ignore[operator]


Problem = tuple[np.ndarray, np.ndarray]


def test_attributes(clouds: Problem) -> None:
    X, y = clouds
    model = Coterie("mpck-means", 3).fit(X, must_link=[(0, 1)], cannot_link=[(0, 60), (0, 149)])
    assert model.labels_.shape == (150,) and model.n_clusters_ == 3
    assert model.cluster_centers_.shape == (3, 2)
    assert model.violations_["mustLink"] == [] == model.violations_["cannotLink"]
    assert adjusted_rand_score(y, model.labels_) > 0.9
    mixture = Mixture(3).fit(X)
    assert mixture.probabilities_.shape == (150, 3)
    assert np.allclose(mixture.probabilities_.sum(axis=1), 1)
    tree = Ward(n_clusters=3).fit(X)
    assert tree.children_.shape == (149, 2) and tree.linkage_matrix_.shape == (149, 4)
    scipy = pytest.importorskip("scipy.cluster.hierarchy")
    assert scipy.is_valid_linkage(tree.linkage_matrix_)
    assert adjusted_rand_score(scipy.fcluster(tree.linkage_matrix_, 3, "maxclust"), tree.labels_) == 1
    assert not hasattr(tree, "predict")
    with pytest.raises(BadInput, match="ward has no rule for new rows"):
        Coterie("ward", 3).fit(X).predict(X)


def test_broken_constraints_are_listed(clouds: Problem) -> None:
    X, _ = clouds
    model = Coterie("kmeans", 3).fit(X, must_link=[(0, 60)])
    assert model.violations_["mustLink"] == [[0, 60]]
    with pytest.raises(coterie.Contradiction) as caught:
        Coterie("cop-kmeans", 3).fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    assert caught.value.facts["contradictions"] == [{"cannotLink": [0, 2], "path": [0, 1, 2]}]
    with pytest.raises(coterie.Infeasible):
        Coterie("cop-kmeans", 2).fit(X, cannot_link=[(0, 1), (1, 2), (0, 2)])


@pytest.mark.parametrize("unknown", [-1, None, float("nan")])
def test_labels_of_some_rows(clouds: Problem, unknown: object) -> None:
    X, y = clouds
    known = np.array([each if i % 10 == 0 else unknown for i, each in enumerate(y.tolist())], dtype=object)
    model = Coterie("mpck-means", 3).fit(X, known)
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert model.report_["names"] == ["0", "1", "2"]
    texts = [f"class {each}" if i % 10 == 0 else None for i, each in enumerate(y)]
    assert MpckMeans(3).fit(X, pd.Series(texts)).labels_.tolist() == model.labels_.tolist()


def test_groups_keep_rows_apart_and_weights_pull(clouds: Problem) -> None:
    X, _ = clouds
    groups = [str(i // 3) for i in range(150)]
    model = Coterie("cop-kmeans", 3).fit(X, groups=groups)
    assert all(len(set(model.labels_[i : i + 3])) == 3 for i in range(0, 150, 3))
    weights = np.ones(150)
    weights[:3] = 1e6
    heavy = Kmeans(1, scale="none").fit(X, sample_weight=weights)
    assert np.allclose(heavy.cluster_centers_[0], X[:3].mean(axis=0), atol=0.01)
    with pytest.raises(BadInput, match="above zero"):
        Kmeans(3).fit(X, sample_weight=np.zeros(150))


def test_relative_constraints_and_weights(clouds: Problem) -> None:
    X, _ = clouds
    model = Coterie("recon", 3).fit(X, relative=[(0, 1, 60), (100, 101, 2)])
    assert model.violations_["relative"] == []
    soft = Coterie("pck-means", 3).fit(X, must_link=[(0, 60, 1e-9)])
    hard = Coterie("pck-means", 3).fit(X, must_link=np.array([[0, 60, np.inf]]))
    assert soft.labels_[0] != soft.labels_[60]
    assert hard.labels_[0] == hard.labels_[60]


def test_the_number_of_clusters_is_chosen(clouds: Problem) -> None:
    X, _ = clouds
    assert Kmeans().fit(X).n_clusters_ == 3
    model = Kmeans((2, 5)).fit(X)
    assert model.n_clusters_ == 3
    assert [each["k"] for each in model.report_["chosen"]["evidence"]] == [2, 3, 4, 5]
    with pytest.raises(coterie.BadOption, match="n_clusters is 'three'"):
        Kmeans("three").fit(X)


def test_pipeline_grid_search_and_routing(clouds: Problem) -> None:
    X, y = clouds
    pipeline = make_pipeline(StandardScaler(), MpckMeans(3))
    assert pipeline.fit(X, mpckmeans__must_link=[(0, 1)]).named_steps["mpckmeans"].labels_.shape == (150,)
    search = GridSearchCV(Kmeans(random_state=1), {"n_clusters": [2, 3, 4]}, scoring="adjusted_rand_score", cv=3)
    shuffled = np.random.default_rng(0).permutation(150)
    search.fit(X[shuffled], y[shuffled])
    assert search.best_params_ == {"n_clusters": 3}
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(StandardScaler(), Coterie("mpck-means", 3).set_fit_request(must_link=True, cannot_link=True))
        routed.fit(X, must_link=[(0, 1)], cannot_link=[(0, 60)])
    copy = clone(Coterie("ccl", 3, options={"linkage": "average"}))
    assert repr(copy) == "Coterie(algorithm='ccl', n_clusters=3, options={'linkage': 'average'})"


def test_results_repeat(clouds: Problem) -> None:
    X, _ = clouds
    first, second = (Kmeans(7, random_state=seed).fit(X).labels_.tolist() for seed in (3, 3))
    assert first == second
    drawn = Kmeans(7, random_state=np.random.RandomState(5)).fit(X).labels_.tolist()
    assert drawn == Kmeans(7, random_state=np.random.RandomState(5)).fit(X).labels_.tolist()


class Topics:
    """The calls that BERTopic makes of its `hdbscan_model`: fit, labels_, and predict where there is one."""

    def __init__(self, model: Coterie) -> None:
        self.model = model

    def fit_transform(self, reduced: np.ndarray, y: np.ndarray) -> np.ndarray:
        try:
            self.model.fit(reduced, y=y)
        except TypeError:
            self.model.fit(reduced)
        return self.model.labels_

    def transform(self, reduced: np.ndarray) -> np.ndarray:
        return self.model.predict(reduced)


def test_four_hundred_labelled_of_seven_thousand_documents_keep_their_topic() -> None:
    rng = np.random.default_rng(0)
    topics = 8
    truth = rng.integers(0, topics, 7_000)
    reduced = (rng.normal(size=(topics, 5))[truth] * 2 + rng.normal(size=(7_000, 5))).astype(np.float32)
    y = np.full(7_000, -1)
    known = rng.choice(7_000, 400, replace=False)
    y[known] = truth[known]
    topic = Topics(Coterie("cop-kmeans", topics, options={"restarts": 1}))
    found = topic.fit_transform(reduced, y)
    of_class = [set(found[known[truth[known] == c]].tolist()) for c in range(topics)]
    assert all(len(each) == 1 for each in of_class)
    assert len(set.union(*of_class)) == topics
    assert topic.transform(reduced[:10]).shape == (10,)


def test_without_scikit_learn() -> None:
    from conftest import run_python

    script = """
import sys
sys.modules["sklearn"] = sys.modules["sklearn.base"] = None
import numpy as np, coterie
model = coterie.Kmeans(3)
assert model.set_params(n_clusters=2).get_params()["n_clusters"] == 2
X = np.arange(20.0).reshape(10, 2)
print(model.fit(X).predict(X).tolist() == model.labels_.tolist(), model)
try:
    model.predict(X[:, :1])
except ValueError as error:
    print(error)
"""
    done = run_python(script)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "True Kmeans(n_clusters=2)",
        "X has 1 features, but Kmeans is expecting 2 features as input.",
    ]
