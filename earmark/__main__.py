"""`python -m earmark`; the working folder, which Python puts first on its path then, is not searched for modules."""

import os
import sys
from contextlib import suppress

with suppress(OSError):
    if sys.path[:1] == [os.getcwd()]:  # noqa: PTH109 - as Python wrote it
        del sys.path[0]

from earmark.cli import main

main()
