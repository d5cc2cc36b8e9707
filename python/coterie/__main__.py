"""`python -m coterie` is the command `coterie`."""

import sys

from ._command import main

sys.exit(main())
