"""``python -m nearprint``: the command line."""

from __future__ import annotations

import sys

from nearprint._nearprint import run_command_line


def main() -> int:
    """Runs the command line with the arguments of the process, and returns its exit code."""
    return run_command_line(["nearprint", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
