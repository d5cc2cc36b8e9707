"""The child process: killed, forked, used by threads, interrupted, and gone with its parent."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from conftest import run_python

import coterie
from coterie import Coterie, Kmeans, ProcessEnded
from coterie import _process

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks of POSIX")


def is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pid: int, seconds: float = 5) -> bool:
    until = time.monotonic() + seconds
    while is_running(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def X(clouds: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return clouds[0]


LONG = "import numpy as np; B = np.random.default_rng(0).normal(size=(15_000, 8))"


def long_table() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(15_000, 8))


def test_one_child_serves_all_requests(X: np.ndarray) -> None:
    Kmeans(3).fit(X)
    pid = _process.child().pid
    for _ in range(3):
        Kmeans(3).fit(X)
    assert _process.child().pid == pid


@posix
def test_a_killed_child_is_an_error_and_the_next_call_starts_another(X: np.ndarray) -> None:
    Kmeans(3).fit(X)
    first = _process.child()
    threading.Timer(0.5, lambda: os.kill(first.pid, signal.SIGKILL)).start()
    begun = time.monotonic()
    with pytest.raises(ProcessEnded, match=r"was killed by signal 9 \(SIGKILL\).*The next call starts a new one\."):
        coterie.Kmeans(50, restarts=100_000).fit(long_table())
    assert time.monotonic() - begun < 10
    assert Kmeans(3).fit(X).labels_.shape == (150,)
    assert _process.child().pid != first.pid


@posix
def test_a_dialogue_of_a_killed_child_is_over(X: np.ndarray) -> None:
    dialogue = coterie.ask(X, n_clusters=3)
    os.kill(_process.child().pid, signal.SIGKILL)
    with pytest.raises(ProcessEnded):
        next(dialogue).answer("same")
    dialogue.close()
    assert coterie.ask(X, n_clusters=3, budget=1).question is not None


@posix
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="processes are listed in /proc")
def test_the_child_ends_when_its_parent_is_killed_even_while_it_works() -> None:
    script = f"""
import os, threading, coterie
from coterie import _process
{LONG}
print(_process.child().pid, flush=True)
coterie.Kmeans(50, restarts=100_000).fit(B)
"""
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    time.sleep(1.5)
    assert is_running(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert gone(pid)


@posix
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="processes are listed in /proc")
def test_the_child_ends_with_its_parent_although_a_fork_of_the_parent_lives_on() -> None:
    script = """
import os, time, coterie
from coterie import _process
coterie.methods()
if os.fork() == 0:
    time.sleep(30)
    os._exit(0)
print(_process.child().pid, flush=True)
os.kill(os.getpid(), 9)
"""
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.wait()
    try:
        assert gone(pid)
    finally:
        os.killpg(parent.pid, signal.SIGKILL)
        parent.stdout.close()


def fit_in_worker(X: np.ndarray) -> tuple[int, list[int]]:
    labels = Kmeans(3).fit_predict(X)
    return _process.child().pid, labels.tolist()


@posix
def test_forked_processes_have_children_of_their_own(X: np.ndarray) -> None:
    expected = Kmeans(3).fit_predict(X).tolist()
    own = _process.child().pid
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(fit_in_worker, [X] * 4)
    assert all(labels == expected for _, labels in found)
    assert own not in {pid for pid, _ in found}
    assert Kmeans(3).fit_predict(X).tolist() == expected
    assert _process.child().pid == own
    assert all(gone(pid) for pid, _ in found)


@posix
def test_a_fork_in_the_middle_of_a_request(X: np.ndarray) -> None:
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            Kmeans(3).fit(X)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(3):
            pid = os.fork()
            if pid == 0:
                try:
                    os._exit(0 if len(Kmeans(3).fit_predict(X)) == 150 else 1)
                finally:
                    os._exit(2)
            assert os.waitpid(pid, 0)[1] == 0
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


def test_fifty_threads(X: np.ndarray) -> None:
    expected = {k: Kmeans(k).fit_predict(X).tolist() for k in (2, 3, 4)}
    with ThreadPoolExecutor(50) as pool:
        found = list(pool.map(lambda i: (i, Kmeans(2 + i % 3).fit_predict(X).tolist()), range(100)))
    assert all(labels == expected[2 + i % 3] for i, labels in found)


def test_an_error_in_one_thread_stays_there(X: np.ndarray) -> None:
    def work(i: int) -> Any:
        try:
            return Kmeans(300 if i % 2 else 3).fit_predict(X).shape
        except coterie.KTooLarge as error:
            return str(error)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(20)))
    assert found[::2] == [(150,)] * 10
    assert all("only 150 rows" in each for each in found[1::2])


def test_two_interpreters_at_once() -> None:
    script = "import numpy as np, coterie; X = np.arange(60.0).reshape(30, 2); print(coterie.Kmeans(3).fit_predict(X).tolist())"
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(run_python, [script] * 2)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == second.stdout != ""


def test_joblib_and_pickle(X: np.ndarray) -> None:
    joblib = pytest.importorskip("joblib")
    model = Coterie("mpck-means", 3).fit(X, must_link=[(0, 1)])
    copy = pickle.loads(pickle.dumps(model))
    assert copy.predict(X).tolist() == model.predict(X).tolist()
    error = pickle.loads(pickle.dumps(coterie.KTooLarge("sentence", "k-too-large", {"k": 3})))
    assert (str(error), error.code, error.facts) == ("sentence", "k-too-large", {"k": 3})
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(fit_in_worker)(X) for _ in range(2))
    assert found[0][1] == found[1][1]


@posix
def test_ctrl_c_stops_a_run_within_a_second_and_the_child_stays() -> None:
    script = f"""
import os, signal, threading, time, coterie
from coterie import _process
{LONG}
coterie.methods()
pid = _process.child().pid
threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    coterie.Kmeans(50, restarts=100_000).fit(B)
    print("no interruption")
except KeyboardInterrupt:
    print(round(time.monotonic() - begun - 1.5, 2))
print(coterie.Kmeans(3).fit(B[:100]).labels_.shape, _process.child().pid == pid)
"""
    done = run_python(script)
    assert done.returncode == 0, done.stderr
    late, rest = done.stdout.strip().split("\n")
    assert float(late) < 1
    assert rest == "(100,) True"


def test_progress_comes_to_a_function_and_an_error_in_it_stops_the_run(X: np.ndarray) -> None:
    steps: list[tuple[str, int, int | None]] = []
    coterie.AverageLink(3, progress=lambda *step: steps.append(step)).fit(long_table()[:6_000])
    assert len(steps) > 0
    assert all(isinstance(phase, str) and done >= 0 for phase, done, _ in steps)

    def broken(*_: Any) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        coterie.AverageLink(3, progress=broken).fit(long_table()[:6_000])
    assert Kmeans(3).fit(X).labels_.shape == (150,)


def test_progress_as_a_bar(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    coterie.AverageLink(3, progress=True).fit(long_table()[:6_000])
    assert "it/s" in capfd.readouterr().err


def test_a_large_table_passes_through_a_file_that_is_deleted() -> None:
    X = np.random.default_rng(0).normal(size=(1_000_000, 16))
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        with pytest.raises(coterie.BadOption, match='algorithm is "none"'):
            _process.request({"type": "cluster", "algorithm": "none", "table": {"rows": X}})
        times.append(time.perf_counter() - begun)
    print("a million rows of 16 doubles passed in", [round(each, 3) for each in times])
    # Three times what it takes on a machine that does nothing else.
    assert min(times) < 0.9
    assert not [name for name in os.listdir("/dev/shm") if name.startswith("coterie-array-")] if os.path.isdir("/dev/shm") else True


def test_too_little_memory_is_an_error_and_no_hang(X: np.ndarray) -> None:
    rows = np.zeros((4, 2))
    with pytest.raises(coterie.CoterieError, match="memory|bytes"):
        request = {"type": "cluster", "options": {"k": 2}, "table": {"rows": {"$array": 0}}}
        _process.request({**request, "arrays": [{"type": "f8", "shape": [2**33, 1], "file": "/dev/null"}]})
    assert rows.shape == (4, 2)
    assert Kmeans(3).fit(X).labels_.shape == (150,)
