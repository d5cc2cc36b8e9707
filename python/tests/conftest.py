"""What the tests share: a small problem, and the command line to compare with."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coterie._node import COMMAND, find_node


def run_command(*line: Any) -> subprocess.CompletedProcess[str]:
    """The command `coterie`, from the same wheel."""
    return subprocess.run([find_node(), str(COMMAND), *map(str, line)], capture_output=True, text=True, timeout=120)


def labels_in(path: Path) -> np.ndarray:
    with open(path, newline="") as file:
        return np.array([int(row["cluster"]) for row in csv.DictReader(file)])


def run_python(script: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, **more)


@pytest.fixture(scope="session")
def clouds() -> tuple[np.ndarray, np.ndarray]:
    """Three clouds of 50 points, and their classes."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(centre, 1, (50, 2)) for centre in ([0, 0], [6, 6], [0, 6])])
    return X, np.repeat([0, 1, 2], 50)
