"""Frames: messages over a pipe, with arrays beside their JSON (docs/stdio.md describes the format)."""

from __future__ import annotations

import json
import os
import struct
import tempfile
from pathlib import Path
from typing import Any, Callable, Iterable

import numpy as np

#: Arrays with more bytes than this travel through a file.
MOST_IN_FRAME = 2**26

_TYPES = frozenset({"i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"})


class OutgoingFrame:
    """The bytes of a message. Arrays are not copied if their bytes are in row order. `close` deletes the files of large arrays."""

    def __init__(self, message: dict[str, Any]) -> None:
        self._arrays: list[dict[str, Any]] = []
        self._inline: list[memoryview] = []
        self._files: list[str] = []
        try:
            placed = self._placed(message)
            if self._arrays:
                placed["arrays"] = self._arrays
            text = json.dumps(placed, separators=(",", ":"), allow_nan=False).encode()
        except BaseException:
            self.close()
            raise
        self.parts: list[bytes | memoryview] = [struct.pack("<I", len(text)), text, *self._inline]

    def _placed(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._listed(value)
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, dict):
            return {key: self._placed(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            if all(type(each) in (str, int) for each in value):
                return value
            return [self._placed(each) for each in value]
        return value

    def _listed(self, given: np.ndarray) -> dict[str, int]:
        kind = given.dtype.newbyteorder("<")
        array = np.ascontiguousarray(given, dtype=kind).reshape(given.shape)
        name = kind.str[1:]
        if name not in _TYPES:
            raise TypeError(f"arrays of the type {given.dtype} cannot be sent")
        listed: dict[str, Any] = {"type": name, "shape": list(array.shape)}
        if array.nbytes > MOST_IN_FRAME:
            listed["file"] = self._file_with(array)
        elif array.nbytes > 0:
            self._inline.append(memoryview(array.reshape(-1)).cast("B"))
        self._arrays.append(listed)
        return {"$array": len(self._arrays) - 1}

    def _file_with(self, array: np.ndarray) -> str:
        handle, path = tempfile.mkstemp(prefix="coterie-array-", dir=_roomy_folder(array.nbytes))
        self._files.append(path)
        with os.fdopen(handle, "wb", buffering=0) as file:
            view = memoryview(array.reshape(-1)).cast("B")
            done = 0
            while done < len(view):
                done += file.write(view[done : done + 2**28])
        return path

    def close(self) -> None:
        for path in self._files:
            Path(path).unlink(missing_ok=True)
        self._files.clear()


def _roomy_folder(needed: int) -> str | None:
    """A folder in memory, if the system has one with room; None for the usual folder of temporary files."""
    if "TMPDIR" in os.environ:
        return None
    try:
        about = os.statvfs("/dev/shm")
        room = about.f_bavail * about.f_frsize
        return "/dev/shm" if room > 2 * needed and os.access("/dev/shm", os.W_OK) else None
    except (AttributeError, OSError):
        return None


def read_frames(read: Callable[[int], bytes]) -> Iterable[dict[str, Any]]:
    """The messages of a stream, until it ends. `read(n)` returns at most n bytes, and none at the end."""
    while True:
        head = _exactly(read, 4)
        if head is None:
            return
        text = _exactly(read, struct.unpack("<I", head)[0])
        if text is None:
            return
        message = json.loads(bytes(text))
        arrays = []
        for listed in message.pop("arrays", []):
            array = _array(read, listed)
            if array is None:
                return
            arrays.append(array)
        yield _with_arrays(message, arrays) if arrays else message


def _exactly(read: Callable[[int], bytes], count: int) -> bytearray | None:
    """`count` bytes; None if the stream ends before."""
    found = bytearray(count)
    view = memoryview(found)
    at = 0
    while at < count:
        piece = read(min(count - at, 2**20))
        if not piece:
            return None
        view[at : at + len(piece)] = piece
        at += len(piece)
    return found


def _array(read: Callable[[int], bytes], listed: dict[str, Any]) -> np.ndarray | None:
    kind = np.dtype("<" + listed["type"])
    shape = tuple(listed["shape"])
    if "file" in listed:
        return _from_file(listed["file"], kind, shape)
    data = _exactly(read, kind.itemsize * int(np.prod(shape, dtype=np.int64)))
    return None if data is None else np.frombuffer(data, dtype=kind).reshape(shape)


def _from_file(name: str, kind: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    path = Path(name)
    try:
        return np.fromfile(path, dtype=kind).reshape(shape)
    finally:
        path.unlink(missing_ok=True)
        path.parent.rmdir()


def _with_arrays(value: Any, arrays: list[np.ndarray]) -> Any:
    if isinstance(value, dict):
        if "$array" in value:
            return arrays[value["$array"]]
        return {key: _with_arrays(each, arrays) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_arrays(each, arrays) for each in value] if any(isinstance(e, (dict, list)) for e in value) else value
    return value
