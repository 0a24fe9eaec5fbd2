"""The program ``filch``: ``python -m filch`` does the same."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> int:
    """Does what the command line says, and returns the exit code."""
    # Python only takes notes of Ctrl-C, and reads them when the program has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.program(_native.__file__, ["filch", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
