#!/usr/bin/env python3
"""Names the near-duplicate documents of a git repository. The GitHub action and the hook for pre-commit run it.

    packaging/near_duplicates.py                                  # all tracked *.md, *.mdx, *.rst and *.adoc
    packaging/near_duplicates.py 'docs/*.md' ':!docs/archive/*'   # patterns are pathspecs of git
    packaging/near_duplicates.py --min-similarity 0.9 --fail-on exact

It hands the texts to `nearprint dedup --dry-run`, which must be on the path, and prints a line for each document that
duplicates another. The exit code is 1 if there are such documents of the kind that --fail-on names.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PATTERNS = ["*.md", "*.mdx", "*.rst", "*.adoc"]


def tracked(patterns: list[str]) -> list[str]:
    """The files of the index of git that the patterns name. A link is no copy."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns], check=True, stdout=subprocess.PIPE
    )
    names = listed.stdout.decode("utf-8", "surrogateescape").split("\0")
    return [name for name in names if name and Path(name).is_file() and not Path(name).is_symlink()]


def rows(names: list[str]) -> str:
    """The documents as JSON Lines. Bytes that are no UTF-8 are replaced: a part of a text is enough to compare it."""
    found = []
    for name in names:
        text = Path(name).read_text(encoding="utf-8-sig", errors="replace")
        found.append(json.dumps({"id": name.encode("utf-8", "replace").decode(), "text": text}))
    return "".join(f"{row}\n" for row in found)


def duplicates(names: list[str], min_similarity: str) -> list[dict]:
    """What nearprint would remove, each with the document that would stay."""
    program = shutil.which("nearprint")
    if program is None:
        sys.exit(
            "nearprint is not on the path: pip install nearprint, or cargo binstall nearprint-cli"
        )
    if not names:
        return []
    with tempfile.TemporaryDirectory() as place:
        output = Path(place, "found")
        command = [program, "dedup", "-", "--dry-run", "--quiet", "--just-missed", "off"]
        command += [
            "--recall-sample",
            "off",
            "--min-similarity",
            min_similarity,
            "--output",
            str(output),
        ]
        done = subprocess.run(
            command,
            check=False,
            input=rows(names),
            encoding="utf-8",
            stdout=subprocess.DEVNULL,
        )
        if done.returncode != 0:
            sys.exit(2)
        removed = output.joinpath("removed.jsonl").read_text(encoding="utf-8")
    return [json.loads(row) for row in removed.splitlines()]


def escaped(text: str, is_property: bool = False) -> str:
    """As commands of GitHub's runner want it."""
    signs = "%\r\n:," if is_property else "%\r\n"
    return "".join(f"%{ord(sign):02X}" if sign in signs else sign for sign in text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "patterns",
        nargs="*",
        help=f"pathspecs of git, also several by line (default: {' '.join(PATTERNS)})",
    )
    parser.add_argument(
        "--min-similarity",
        default="0.75",
        metavar="S",
        help="smallest similarity of duplicates, above 0 to 1 (default: 0.75)",
    )
    parser.add_argument(
        "--fail-on",
        choices=["near", "exact", "never"],
        default="near",
        help="near: any duplicate (default); exact: equal texts; never",
    )
    options = parser.parse_args()
    patterns = [
        line.strip() for given in options.patterns for line in given.splitlines() if line.strip()
    ]
    names = tracked(patterns or PATTERNS)
    found = duplicates(names, options.min_similarity)
    failing = 0
    for row in found:
        is_failure = options.fail_on == "near" or options.fail_on == row["reason"]
        failing += is_failure
        # Rounded down, so one below the bound is shown below it.
        similarity = f"{int(row['similarity'] * 1000) / 1000:.3f}"
        said = f"duplicates {row['keeper']} ({row['reason']}, similarity {similarity})"
        if os.environ.get("GITHUB_ACTIONS") == "true":
            level = "error" if is_failure else "warning"
            print(
                f"::{level} file={escaped(row['id'], True)},title=Near-duplicate::{escaped(said)}"
            )
        else:
            print(f"{row['id']} {said}")
    print(f"{len(found)} of {len(names)} documents duplicate another")
    if output := os.environ.get("GITHUB_OUTPUT"):
        with open(output, "a", encoding="utf-8") as file:
            print(f"count={len(found)}", file=file)
    sys.exit(1 if failing else 0)


if __name__ == "__main__":
    main()
