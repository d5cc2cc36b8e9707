"""Questions about rows: `for question in coterie.ask(df): question.answer("same")`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from ._base import _camel, _plain
from ._compat import seed_of
from ._constraints import Constraints, Pairs
from ._errors import CoterieError
from ._functions import Paths, constraint_fields, table_message
from ._process import Child, Progress, child, request


@dataclass(frozen=True)
class Question:
    """A question about two rows (same or different?) or three rows (which is the odd one: a, b or c?)."""

    #: From 1 on.
    number: int
    #: "pair" or "triplet".
    kind: str
    #: Row numbers, from 0.
    rows: tuple[int, ...]
    #: The ids of the rows; row numbers if the table has no ids.
    ids: tuple[Any, ...]
    #: Why this question is asked; empty unless the dialogue explains.
    why: str
    _dialogue: "Dialogue"

    def answer(self, answer: str, *, confidence: float | None = None, why: str | None = None) -> None:
        """
        answer: "same", "different" or "unsure"; for three rows the odd one, "a", "b" or "c", or "unsure".
        confidence: from 0 to 1, kept with the answer. why: a reason, kept with the answer.
        """
        self._dialogue._answer(self, answer, confidence, why)


@dataclass(frozen=True)
class Clusters:
    """The clusters under all answers so far."""

    labels_: npt.NDArray[np.int32]
    n_clusters_: int
    report_: dict[str, Any]
    constraints: Constraints


class Dialogue:
    """
    An open dialogue. It is an iterator of questions: each is answered before the next is asked; a question without an answer counts as
    "unsure". `close` it, or use it in a `with` statement, to free its memory.
    """

    def __init__(self, message: Mapping[str, Any], progress: Progress) -> None:
        self._progress = progress
        self._child: Child = child()
        self._state = request(dict(message), progress, self._child)
        self._session = self._state["session"]
        #: Sentences about the table and the constraints.
        self.notices: list[str] = self._state["notices"]
        self._open: Question | None = None
        self._last: Clusters | None = None

    def __iter__(self) -> Iterator[Question]:
        return self

    def __next__(self) -> Question:
        if self._open is not None:
            self._answer(self._open, "unsure", None, None)
        question = self.question
        if question is None:
            raise StopIteration
        self._open = question
        return question

    @property
    def question(self) -> Question | None:
        """The current question; None if the budget is spent or nothing is worth asking."""
        state = self._state["question"]
        if state is None:
            return None
        return Question(state["number"], state["kind"], tuple(state["rows"]), tuple(state["ids"]), state["why"], self)

    @property
    def ended_because(self) -> str | None:
        """Why there is no further question."""
        return self._state["why"]

    @property
    def answered(self) -> int:
        return self._state["answered"]

    def _send(self, message: dict[str, Any]) -> dict[str, Any]:
        return request({**message, "session": self._session}, self._progress, self._child)

    def _answer(self, question: Question, answer: str, confidence: float | None, why: str | None) -> None:
        current = self.question
        if current is None or current.number != question.number or current.rows != question.rows:
            raise CoterieError(f"Question {question.number} has been answered. Take it back first: dialogue.undo().", "answered")
        message: dict[str, Any] = {"type": "answer", "answer": answer}
        if confidence is not None:
            message["confidence"] = confidence
        if why is not None:
            message["why"] = why
        self._state = {**self._state, **self._send(message)}
        self._open = self._last = None

    def undo(self) -> None:
        """Takes the last answer back; its question is asked again."""
        self._state = {**self._state, **self._send({"type": "undo"})}
        self._open = self._last = None

    def clusters(self) -> Clusters:
        """The clusters under all answers so far."""
        if self._last is None:
            reply = self._send({"type": "clusters"})
            known = Constraints(*(_weighted(reply["constraints"][key], width) for key, width in _KINDS))
            self._last = Clusters(reply["labels"], reply["report"]["k"], reply["report"], known)
        return self._last

    @property
    def labels(self) -> npt.NDArray[np.int32]:
        """The cluster of each row under all answers so far."""
        return self.clusters().labels_

    @property
    def constraints(self) -> Constraints:
        """The given constraints and the answers, for `fit(X, **dialogue.constraints)`."""
        return self.clusters().constraints

    def close(self) -> None:
        if not self._child.over:
            self._send({"type": "close"})

    def __enter__(self) -> "Dialogue":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


_KINDS = (("mustLink", 3), ("cannotLink", 3), ("relative", 4))


def _weighted(tuples: list[list[int]], width: int) -> npt.NDArray[np.float64]:
    if not tuples:
        return np.empty((0, width))
    rows = np.asarray(tuples, dtype=np.float64)
    return np.column_stack([rows, np.ones(len(rows))])


def ask(
    X: Any,
    y: Any = None,
    *,
    n_clusters: int | None = None,
    budget: int = 50,
    strategy: str | None = None,
    options: Mapping[str, Any] | None = None,
    must_link: Pairs = None,
    cannot_link: Pairs = None,
    relative: Any = None,
    files: Paths = None,
    error_rate: float | str = 0,
    explain: bool = False,
    random_state: Any = None,
    reading: Mapping[str, Any] | None = None,
    answer_with: Callable[[Question], str] | None = None,
    progress: Progress = None,
) -> Dialogue:
    """
    Asks which rows belong together, and chooses each question by the answers so far, as `coterie ask` does.

    budget: most questions. strategy: what chooses them; `coterie.strategies()` lists all. error_rate: share of wrong answers to expect, or
    "learn". explain: questions come with a reason. answer_with: a function that answers every question, such as a language model.

    >>> dialogue = coterie.ask(df, n_clusters=3, budget=20)
    >>> for question in dialogue:
    ...     a, b = question.rows
    ...     question.answer("same" if df.kind[a] == df.kind[b] else "different")
    >>> dialogue.labels
    """
    fields, table = table_message(X, reading)
    message: dict[str, Any] = {
        "type": "ask",
        **fields,
        "constraints": constraint_fields(X, table, must_link, cannot_link, relative, y, files),
        "budget": int(budget),
        "options": {_camel(name): _plain(value) for name, value in dict(options or {}).items()},
        "errorRate": error_rate,
        "explain": bool(explain),
        "seed": seed_of(random_state),
    }
    if n_clusters is not None:
        message["k"] = int(n_clusters)
    if strategy is not None:
        message["strategy"] = strategy
    dialogue = Dialogue(message, progress)
    if answer_with is not None:
        for question in dialogue:
            question.answer(answer_with(question))
    return dialogue
