"""The command `coterie`, as a Python entry point: it becomes the Node program."""

from __future__ import annotations

import os
import subprocess
import sys

from ._errors import NoNode
from ._node import COMMAND, LEAST, LEAST_FOR_STUDIO, find_node


def main() -> int:
    arguments = sys.argv[1:]
    try:
        node = find_node(LEAST_FOR_STUDIO if arguments[:1] == ["studio"] else LEAST)
    except NoNode as error:
        print(f"coterie: {error}", file=sys.stderr)
        return 1
    line = [node, str(COMMAND), *arguments]
    if sys.platform != "win32":
        os.execv(node, line)
    # Windows cannot replace a process. Ctrl-C reaches the child, which decides when to end.
    process = subprocess.Popen(line)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


if __name__ == "__main__":
    sys.exit(main())
