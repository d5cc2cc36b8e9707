"""The studio for notebooks: what Python reads and sets, and what is left after a restart."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import coterie

pytest.importorskip("anywidget")

Problem = tuple[np.ndarray, np.ndarray]


def say_in_studio(view: coterie.Studio, kind: str, a: int, b: int) -> None:
    """What the page sends when somebody links two rows."""
    change = {"type": "add", "constraint": {"type": kind, "a": a, "b": b}}
    entry = {"id": f"entry-of-{a}-{b}", "by": "ann", "from": {"kind": "drawn"}, "change": change}
    view._call("POST", view._at("/entries"), {"entries": [entry]})


def test_runs_labels_and_constraints_survive_a_restart(tmp_path: Path, clouds: Problem) -> None:
    X, y = clouds
    frame = pd.DataFrame({"width": X[:, 0], "height": X[:, 1], "kind": np.array(["a", "b", None], dtype=object)[y]})
    view = coterie.studio(frame, name="my clouds", folder=tmp_path)
    try:
        assert view.labels is None and view.report is None and view.runs == []
        say_in_studio(view, "must-link", 0, 1)
        say_in_studio(view, "cannot-link", 0, 149)
        labels = view.run("mpck-means", 3, restarts=2)
        assert labels.shape == (150,) and labels[0] == labels[1] != labels[149]
        assert view.labels is not None and view.labels.tolist() == labels.tolist()
        with pytest.raises(coterie.BadInput, match="300"):
            view.run("kmeans", 300)
    finally:
        view.close()
    again = coterie.studio(frame, name="my clouds", folder=tmp_path)
    try:
        assert again.labels is not None and again.labels.tolist() == labels.tolist()
        known = again.constraints
        assert known.must_link.tolist() == [[0, 1, 1]] and known.cannot_link.tolist() == [[0, 149, 1]]
        assert coterie.Coterie("cop-kmeans", 3).fit(X, **known).violations_["mustLink"] == []
    finally:
        again.close()
    with pytest.raises(coterie.CoterieError, match="does not answer"):
        again.runs


def test_only_pages_of_this_machine_can_frame_it(tmp_path: Path, clouds: Problem) -> None:
    view = coterie.studio(clouds[0], folder=tmp_path)
    try:
        with urllib.request.urlopen(view._address) as reply:
            policy = reply.headers["content-security-policy"]
            assert "frame-ancestors http://localhost:* http://127.0.0.1:* vscode-webview:" in policy
            assert "x-frame-options" not in reply.headers
        assert view._origin.startswith("http://127.0.0.1:")
        assert json.loads(json.dumps(view.get_state()["_address"])) == view._address
    finally:
        view.close()


@pytest.mark.skipif(sys.platform != "linux", reason="processes are listed in /proc")
def test_the_studio_ends_when_its_kernel_is_killed(tmp_path: Path) -> None:
    from test_process import gone

    script = f"""
import numpy as np, coterie, os
view = coterie.studio(np.arange(60.0).reshape(30, 2), folder={str(tmp_path)!r})
print(view._process.pid, flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert gone(int(done.stdout))
