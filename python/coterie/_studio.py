"""The studio in a notebook: `coterie.studio(df)` shows map, questions and method panel in a cell, and Python reads and sets its state."""

from __future__ import annotations

import atexit
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Mapping

import numpy as np
import numpy.typing as npt

from ._base import _camel, _plain
from ._constraints import Constraints, read_constraints
from ._errors import BadInput, CoterieError
from ._node import COMMAND, LEAST_FOR_STUDIO, find_node
from ._table import table_of

try:
    import anywidget
    import traitlets
except ImportError:  # pragma: no cover
    raise CoterieError("The widget needs anywidget: pip install 'coterie[widget]'.", "no-anywidget") from None

#: The frame is on the host by which the notebook was opened, so that both are the same site for the browser.
_PAGE = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  const place = () => {
    const host = ["localhost", "127.0.0.1"].includes(location.hostname) ? location.hostname : "127.0.0.1";
    frame.src = model.get("_address").replace("127.0.0.1", host);
    frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 1px solid #8884; border-radius: 6px; box-sizing: border-box`;
  };
  frame.title = "Coterie studio";
  frame.allow = "clipboard-write";
  place();
  const receive = ({ source, data }) => {
    if (source !== frame.contentWindow || data?.type !== "coterie-selection") return;
    model.set("selection", data.rows);
    model.save_changes();
  };
  addEventListener("message", receive);
  model.on("change:_address", place);
  model.on("change:height", place);
  el.append(frame);
  return () => removeEventListener("message", receive);
}
export default { render };
"""


_running: list[subprocess.Popen[str]] = []


class Studio(anywidget.AnyWidget):
    """
    The studio with one table. Constraints and runs are kept in `folder`, so they are there again after a restart of the kernel: the same
    table opens the same project.
    """

    _esm = _PAGE
    _address = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(640).tag(sync=True)
    #: Row numbers of the rows that are selected in the studio.
    selection = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(self, X: Any, *, name: str = "table", reading: Mapping[str, Any] | None = None, folder: Any = None, height: int = 640):
        self._rows = table_of(X).rows
        self._folder = Path(folder) if folder is not None else _home()
        path = _saved(X, name, self._folder / "tables")
        self._process, address = _started(path, self._folder / "projects", dict(reading or {}))
        found = urllib.parse.urlparse(address)
        query = urllib.parse.parse_qs(found.query or found.fragment.partition("?")[2])
        self._origin, self._token = f"{found.scheme}://{found.netloc}", query["token"][0]
        self._project: str = self._open_project()
        super().__init__(_address=f"{address}", height=height)

    def _open_project(self) -> str:
        return self._call("GET", "/api/projects")[0]["id"]

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self._origin + path, data, headers, method=method)) as reply:
                return json.loads(reply.read())
        except urllib.error.HTTPError as error:
            problem = json.loads(error.read()).get("error", {})
            raise BadInput(problem.get("message", str(error)), problem.get("code", "bad-input"), problem.get("facts")) from None
        except urllib.error.URLError as error:
            raise CoterieError(f"The studio does not answer ({error.reason}). Call coterie.studio again.", "studio-ended") from None

    def _at(self, path: str) -> str:
        return f"/api/projects/{self._project}{path}"

    @property
    def runs(self) -> list[dict[str, Any]]:
        """All runs of the project, in their order."""
        return self._call("GET", self._at("/runs"))

    @property
    def report(self) -> dict[str, Any] | None:
        """The report of the newest finished run; None if there is none."""
        done = [run["number"] for run in self.runs if run["state"] == "done"]
        return self._call("GET", self._at(f"/runs/{max(done)}"))["report"] if done else None

    @property
    def labels(self) -> npt.NDArray[np.int32] | None:
        """The labels of the newest finished run; -1 for rows in no cluster. None if there is no run."""
        report = self.report
        return None if report is None else np.array([-1 if each is None else each for each in report["labels"]], dtype=np.int32)

    @property
    def constraints(self) -> Constraints:
        """What people said in the studio, for `fit(X, **studio.constraints)`."""
        text = self._call("GET", self._at("/export/constraints"))["text"]
        ids = self._call("GET", self._at("/ids"))["ids"]
        path = self._folder / f"{self._project}.constraints.csv"
        path.write_text(text, encoding="utf-8")
        try:
            return read_constraints(path, ids=list(range(self._rows)) if ids is None else ids)
        finally:
            path.unlink()

    def run(self, algorithm: str = "auto", n_clusters: int | None = None, *, random_state: int = 0, **options: Any) -> npt.NDArray[np.int32]:
        """Clusters under all constraints of the studio, shows the run there, and returns its labels."""
        given = {_camel(name): _plain(value) for name, value in options.items()}
        if n_clusters is not None:
            given["k"] = int(n_clusters)
        number = self._call("POST", self._at("/runs"), {"algorithm": algorithm, "options": given, "seed": random_state})["number"]
        while True:
            found = self._call("GET", self._at(f"/runs/{number}"))
            state = found["run"]["state"]
            if state in ("failed", "cancelled"):
                raise BadInput(found["run"]["problem"] or f"The run was {state}.", "bad-input")
            if state == "done":
                return np.array([-1 if each is None else each for each in found["report"]["labels"]], dtype=np.int32)
            time.sleep(0.05)

    def close(self) -> None:
        """Ends the studio; everything is saved."""
        _end(self._process)
        super().close()


def studio(X: Any, **options: Any) -> Studio:
    """
    Shows the studio with the table X in a cell of a notebook.

    name: the name of the project. reading: `id`, `truth`, `features`, `ignore`, `nominal`, `scale`, `missing`. folder: where projects are
    kept. height: in pixels.

    >>> view = coterie.studio(df)
    >>> view                       # look, link rows, answer questions
    >>> view.run("mpck-means", 3)
    >>> view.labels, view.constraints, view.selection
    """
    return Studio(X, **options)


def _home() -> Path:
    data = os.environ.get("XDG_DATA_HOME")
    return Path(data if data else Path.home() / ".local" / "share") / "coterie" / "notebooks"


def _saved(X: Any, name: str, folder: Path) -> Path:
    """The table as a CSV file, which is named after its content: the same table is the same file, and so the same project."""
    import io

    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    for row in _lines(X):
        writer.writerow(row)
    content = text.getvalue().encode()
    key = hashlib.sha256(content).hexdigest()[:12]
    path = folder / key / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name) or 'table'}.csv"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(content)
        part.replace(path)
    return path


def _lines(X: Any) -> Any:
    table = table_of(X)
    columns: list[tuple[str, list[Any]]] = []
    if "rows" in table.message:
        columns = [(f"x{j}", table.message["rows"][:, j].tolist()) for j in range(table.columns)]
    for column in table.message["columns"]:
        if "numbers" in column:
            cells = column["numbers"].tolist()
        elif "levels" in column:
            cells = [column["levels"][code] if code >= 0 else "" for code in column["codes"].tolist()]
        else:
            cells = [json.dumps(vector) for vector in column["vectors"].tolist()]
        columns.append((column["name"], ["" if cell != cell else cell for cell in cells]))
    yield [name for name, _ in columns]
    yield from zip(*(cells for _, cells in columns))


def _started(path: Path, folder: Path, reading: dict[str, Any]) -> tuple[subprocess.Popen[str], str]:
    flags = []
    for name, value in reading.items():
        text = ",".join(str(each).replace(",", "\\,") for each in value) if isinstance(value, (list, tuple)) else "none" if value is None else str(value)
        flags += [f"--{name}", text]
    line = [find_node(LEAST_FOR_STUDIO), str(COMMAND), "studio", str(path), "--port", "0", "--no-open", "--framed", "--folder", str(folder), *flags]
    more: dict[str, Any] = {} if sys.platform == "win32" else {"start_new_session": True}
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    _running.append(process)
    atexit.register(_end, process)
    assert process.stdout is not None and process.stderr is not None
    address = re.search(r"http://\S+", process.stdout.readline())
    if address is None:
        raise BadInput(re.sub(r"^coterie: ", "", process.stderr.read().strip().split("\n")[-1]), "bad-input")
    return process, address[0]


def _forget() -> None:
    """In a forked process: closes the copies of the pipes, so that a studio ends with its own parent."""
    for process in _running:
        if process.stdin is not None:
            os.close(process.stdin.fileno())
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _end(process: subprocess.Popen[str]) -> None:
    if process in _running:
        _running.remove(process)
    process.terminate()
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
