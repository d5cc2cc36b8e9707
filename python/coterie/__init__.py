"""
Coterie: clustering that listens. Constrained clustering of tables with estimators for scikit-learn.

>>> from coterie import Coterie
>>> Coterie(n_clusters=3).fit_predict(X, must_link=[(0, 5)], cannot_link=[(0, 9)])

The work is done by a Node program that lies in this package; the first call starts it, and it ends with Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import (
    BadInput,
    BadOption,
    Cancelled,
    Contradiction,
    CoterieError,
    GaveUp,
    Inconsistent,
    Infeasible,
    KTooLarge,
    NoNode,
    ProcessEnded,
    Unsatisfiable,
)
from ._version import __version__

if TYPE_CHECKING:
    from ._ask import Clusters, Dialogue, Question, ask
    from ._base import Coterie
    from ._constraints import Constraints, read_constraints
    from ._functions import advise, diagnose, evaluate, explain, methods, strategies
    from ._methods import *  # noqa: F403
    from ._studio import Studio, studio

#: Where each name is. Modules are loaded when a name is used, so that `import coterie` does not wait for scikit-learn.
_PLACES = {
    "_ask": ("Clusters", "Dialogue", "Question", "ask"),
    "_base": ("Coterie",),
    "_constraints": ("Constraints", "read_constraints"),
    "_studio": ("Studio", "studio"),
    "_functions": ("advise", "diagnose", "evaluate", "explain", "methods", "strategies"),
}
_HOME = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    if not name.startswith("_"):
        methods = import_module("._methods", __name__)
        if name in methods.__all__:
            return getattr(methods, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from ._methods import __all__ as of_methods

    return sorted({*globals(), *_HOME, *of_methods})


__all__ = [
    "BadInput",
    "BadOption",
    "Cancelled",
    "Contradiction",
    "CoterieError",
    "GaveUp",
    "Inconsistent",
    "Infeasible",
    "KTooLarge",
    "NoNode",
    "ProcessEnded",
    "Unsatisfiable",
    "__version__",
    *_HOME,
]
