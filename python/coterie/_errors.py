"""Errors. Each carries the sentence that the command line prints, and the facts of the problem."""

from __future__ import annotations

from typing import Any, Mapping


class CoterieError(Exception):
    """Base of all errors of this package. `code`: the kind of problem. `facts`: its facts, as plain data."""

    code: str
    facts: Mapping[str, Any]

    def __init__(self, message: str, code: str = "error", facts: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.facts = dict(facts or {})

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.code, self.facts))


class BadInput(CoterieError, ValueError):
    """A table, constraint, label or file that cannot be used."""


class BadOption(BadInput):
    """An option with a value that its method does not take."""


class KTooLarge(BadInput):
    """More clusters than rows."""


class Unsatisfiable(CoterieError, ValueError):
    """Constraints that no clustering keeps. The subclasses say why; `facts` has the proof."""


class Contradiction(Unsatisfiable):
    """Must-links join rows that cannot-links separate. `facts["contradictions"]` has a chain for each."""


class Infeasible(Unsatisfiable):
    """No clustering with this number of clusters keeps the constraints. `facts["core"]` has groups of rows that prove it."""


class Inconsistent(Unsatisfiable):
    """Relative constraints that no hierarchy keeps together. `facts["conflict"]` names them."""


class GaveUp(CoterieError, ValueError):
    """A search that ended without an answer and without a proof."""


class Cancelled(CoterieError):
    """The request was cancelled."""


class ProcessEnded(CoterieError, RuntimeError):
    """The Coterie process ended while it worked. The next call starts a new one."""


class NoNode(CoterieError, RuntimeError):
    """There is no Node that is new enough."""


_KINDS: dict[str, type[CoterieError]] = {
    "bad-input": BadInput,
    "bad-request": BadInput,
    "bad-option": BadOption,
    "k-too-large": KTooLarge,
    "contradiction": Contradiction,
    "infeasible": Infeasible,
    "inconsistent": Inconsistent,
    "gave-up": GaveUp,
    "cancelled": Cancelled,
}


def error_from(problem: Mapping[str, Any]) -> CoterieError:
    """The exception for an error message of the process."""
    code = str(problem.get("code", "bug"))
    return _KINDS.get(code, CoterieError)(str(problem.get("message", code)), code, problem.get("facts"))
