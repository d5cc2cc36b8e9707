"""
The Coterie process: one warm child for each Python process, started by the first request.

Two threads serve the pipes, so that Ctrl-C, which only the main thread receives, never cuts a frame. The child is in a session of its own,
so Ctrl-C in a terminal does not end it. It ends when its standard input closes, and so also when this process is killed.

After a fork, the new process forgets the child of its parent, closes its copies of the pipes, and starts a child of its own when it needs one.
"""

from __future__ import annotations

import atexit
import itertools
import os
import queue
import signal
import subprocess
import sys
import threading
import weakref
from typing import Any, Callable, Union

from ._errors import CoterieError, ProcessEnded, error_from
from ._frames import OutgoingFrame, read_frames
from ._node import COMMAND, find_node

#: A function that receives the current phase, the steps done, and all steps (None if unknown); or True for a bar of tqdm.
Progress = Union[bool, Callable[[str, int, Union[int, None]], Any], None]

Message = dict[str, Any]

#: Seconds that a cancelled request has to stop. After that the child is ended.
PATIENCE = 5.0


class Child:
    """One child process and the requests that wait for its replies."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [find_node(), str(COMMAND), "serve", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if os.environ.get("COTERIE_QUIET") else None,
            bufsize=0,
            **_apart(),
        )
        self._lock = threading.Lock()
        self._waiting: dict[int, queue.SimpleQueue[Message]] = {}
        self._outgoing: queue.SimpleQueue[list[Any] | None] = queue.SimpleQueue()
        self._ids = itertools.count(1)
        self.over = False
        for work in (self._write, self._read):
            threading.Thread(target=work, name="coterie", daemon=True).start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def request(self, message: Message, progress: Callable[[Message], None] | None) -> Message:
        """The reply to a message. Ctrl-C while waiting cancels the request; the child stays usable."""
        number = next(self._ids)
        frame = OutgoingFrame({"id": number, **message})
        replies: queue.SimpleQueue[Message] = queue.SimpleQueue()
        with self._lock:
            if self.over:
                frame.close()
                raise self._ended()
            self._waiting[number] = replies
        try:
            self._outgoing.put(frame.parts)
            return self._reply(number, replies, progress)
        except BaseException:
            self._stop(number, replies)
            raise
        finally:
            with self._lock:
                self._waiting.pop(number, None)
            frame.close()

    def _reply(self, number: int, replies: queue.SimpleQueue[Message], progress: Callable[[Message], None] | None) -> Message:
        while True:
            message = _next_of(replies)
            if "reply" in message:
                return message["reply"]
            if "error" in message:
                self._waiting.pop(number, None)
                raise error_from(message["error"])
            if "ended" in message:
                raise self._ended()
            if progress is not None:
                progress(message["progress"])

    def _stop(self, number: int, replies: queue.SimpleQueue[Message]) -> None:
        """Cancels a request that still runs, and waits until it has stopped."""
        if self.over or number not in self._waiting:
            return
        self._outgoing.put(OutgoingFrame({"id": number, "type": "cancel"}).parts)
        try:
            while True:
                if "progress" not in replies.get(timeout=PATIENCE):
                    return
        except queue.Empty:
            self.end()

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            while (parts := self._outgoing.get()) is not None:
                for part in parts:
                    view = memoryview(part)
                    while len(view) > 0:
                        view = view[pipe.write(view) :]
        except OSError:
            pass  # The child has ended; the reading thread tells everybody.
        finally:
            _close(pipe)

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        try:
            for message in read_frames(pipe.read):
                with self._lock:
                    waiting = self._waiting.get(message.get("id"))  # type: ignore[arg-type]
                if waiting is not None:
                    waiting.put(message)
        except (OSError, ValueError, KeyError):
            pass
        with self._lock:
            self.over = True
            waiters = list(self._waiting.values())
        self._outgoing.put(None)
        try:
            self._process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for each in waiters:
            each.put({"ended": True})
        _close(pipe)

    def _ended(self) -> ProcessEnded:
        code = self._process.returncode
        if code is not None and code < 0:
            how = f"was killed by signal {-code} ({_signal_name(-code)})"
        else:
            how = f"ended with exit code {code}"
        memory = " A process that needs more memory than there is ends like this." if code in (-9, -6, 134, 137) else ""
        return ProcessEnded(f"The Coterie process {how}.{memory} The next call starts a new one.", "process-ended", {"code": code})

    def end(self) -> None:
        """Ends the child: its input closes, and it is killed if it does not end."""
        self._outgoing.put(None)
        try:
            self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def forget(self) -> None:
        """In a forked process: closes the copies of the pipes, so that the child ends with its own parent."""
        self.over = True
        for pipe in (self._process.stdin, self._process.stdout):
            _close(pipe)
        self._process.returncode = 0  # The child is not this process's to wait for.


def _next_of(replies: queue.SimpleQueue[Message]) -> Message:
    # On Windows a wait without a timeout cannot be interrupted by Ctrl-C.
    if sys.platform != "win32":
        return replies.get()
    while True:
        try:
            return replies.get(timeout=0.1)
        except queue.Empty:
            continue


def _apart() -> dict[str, Any]:
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def _close(pipe: Any) -> None:
    try:
        pipe.close()
    except OSError:
        pass


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


_lock = threading.Lock()
_child: Child | None = None
_children: weakref.WeakSet[Child] = weakref.WeakSet()


def child() -> Child:
    """The running child of this process; starts one if there is none."""
    global _child
    with _lock:
        if _child is None or _child.over:
            _child = Child()
            _children.add(_child)
        return _child


def request(message: Message, progress: Progress = None, on: Child | None = None) -> Message:
    """Sends a request and returns its reply. `on`: the child that holds the session of the request."""
    with _Shown(progress) as shown:
        return (on or child()).request(message, shown)


def end() -> None:
    """Ends the child, if there is one."""
    global _child
    with _lock:
        ended, _child = _child, None
    if ended is not None and not ended.over:
        ended.end()


def _after_fork() -> None:
    global _child, _lock
    _lock = threading.Lock()
    for each in list(_children):
        each.forget()
    _children.clear()
    _child = None


atexit.register(end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Shown:
    """Passes progress on to a function, or to a bar of tqdm."""

    def __init__(self, progress: Progress) -> None:
        self._function = progress if callable(progress) else None
        self._bar: Any = None
        self._bars: Any = None
        if progress is True:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                raise CoterieError("progress=True needs tqdm: pip install tqdm, or pass a function.", "no-tqdm") from None
            self._bars = tqdm

    def __enter__(self) -> Callable[[Message], None] | None:
        if self._function is None and self._bars is None:
            return None
        return self._show

    def _show(self, step: Message) -> None:
        phase, done, total = step["phase"], step["done"], step["total"]
        if self._function is not None:
            self._function(phase, done, total)
            return
        if self._bar is None or self._bar.desc != phase:
            self.__exit__()
            self._bar = self._bars(desc=phase, total=total, leave=False)
            self._bar.desc = phase
        self._bar.total = total
        self._bar.n = done
        self._bar.refresh()

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
