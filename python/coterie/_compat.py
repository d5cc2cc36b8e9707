"""The base classes of scikit-learn, or small ones with the same methods where scikit-learn is not installed."""

from __future__ import annotations

import inspect
from typing import Any

try:
    from sklearn.base import BaseEstimator, ClusterMixin
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_random_state, validate_data

    HAS_SKLEARN = True
except ImportError:
    HAS_SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """The estimator is used before `fit`."""

    class ClusterMixin:  # type: ignore[no-redef]
        pass

    class BaseEstimator:  # type: ignore[no-redef]
        @classmethod
        def _get_param_names(cls) -> list[str]:
            return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in self._get_param_names()}

        def set_params(self, **params: Any) -> Any:
            for name, value in params.items():
                if name not in self._get_param_names():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {self._get_param_names()}.")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            presets = {name: each.default for name, each in inspect.signature(type(self).__init__).parameters.items()}
            changed = {name: value for name, value in self.get_params().items() if value is not presets[name]}
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def check_features(estimator: Any, X: Any, *, reset: bool) -> None:
    """Sets or checks `n_features_in_` and `feature_names_in_`, with the sentences of scikit-learn if it is there."""
    if HAS_SKLEARN:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return
    names = getattr(X, "columns", None)
    count = len(names) if names is not None else len(X[0]) if len(X) > 0 else 0
    if reset:
        estimator.n_features_in_ = count
    elif count != estimator.n_features_in_:
        raise ValueError(
            f"X has {count} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input."
        )


def seed_of(random_state: Any) -> int:
    """The seed for the process: 0 for None, as on the command line."""
    if random_state is None:
        return 0
    if isinstance(random_state, int) and not isinstance(random_state, bool):
        return random_state
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    if HAS_SKLEARN:
        return int(check_random_state(random_state).randint(2**31 - 1))
    return int(random_state)
