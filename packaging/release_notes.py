"""Prints the section of one version of CHANGELOG.md, as the text of a release.

python3 packaging/release_notes.py 0.1.0
python3 packaging/release_notes.py Unreleased
"""

import sys
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def section(changelog: str, version: str) -> str:
    """What stands below the heading of the version, without the heading."""
    found, is_inside = [], False
    for line in changelog.splitlines():
        if line.startswith("## "):
            # `## [0.1.0] - 2026-12-01`, with or without brackets and date.
            is_inside = line[3:].split(" ")[0].strip("[]") == version
        elif is_inside and not (line.startswith("[") and "]: " in line):
            found.append(line)
    text = "\n".join(found).strip()
    if not text:
        raise ValueError(f"CHANGELOG.md has no section {version}, or nothing in it")
    return text


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        print(section(CHANGELOG.read_text(encoding="utf-8"), sys.argv[1].removeprefix("v")))
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
