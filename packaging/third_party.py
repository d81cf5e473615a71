"""The licenses of everything that is linked into the command and the Python package, as one file.

    python3 packaging/third_party.py            # writes it anew, after a change of dependencies
    python3 packaging/third_party.py --check    # fails if it is not as the dependencies have it

The file is crates/nearprint-python/THIRD-PARTY.txt: licenses ask for their text beside each copy of the program, so wheels,
archives and the container carry it. It has the dictionaries first, then the crates of every platform for which there
are binaries. Where a crate may be used under several licenses, its shortest text is taken. Crates of equal text share it.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "crates/nearprint-python/THIRD-PARTY.txt"
PROGRAMS = {"nearprint-cli", "nearprint-python"}
TARGETS = [
    "aarch64-apple-darwin",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
]
STARTS = ("LICEN", "COPYING", "UNLICENSE", "COPYRIGHT")
# Libraries in C that crates bring along, with the place of their license in the crate.
INSIDE = {
    "libsqlite3-sys": [("SQLite", "", "SQLite is in the public domain.")],
    "zstd-sys": [("Zstandard", "zstd/LICENSE", "")],
}
# Crates without a file of their license: MIT and BSD name who holds the rights.
MIT = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8").split("\n\n", 2)[2]
HEAD = """Licenses of what is part of nearprint

nearprint itself is licensed under MIT (LICENSE-MIT) or Apache-2.0 (LICENSE-APACHE), at your option.
This file has the licenses of the dictionaries and libraries that are inside the program. The standard library of Rust
is inside, too: copyright (c) the Rust Project contributors, MIT or Apache-2.0.
Made by packaging/third_party.py.
"""
DICTIONARIES = """Dictionaries

- The words of jieba and its hidden Markov model, as jieba-rs 0.11 has them: https://github.com/fxsjy/jieba and
  https://github.com/messense/jieba-rs. MIT, the text below.
- Traditional to Simplified Chinese of OpenCC, as ferrous-opencc 0.4 has it: https://github.com/BYVoid/OpenCC.
  Apache-2.0, the text of LICENSE-APACHE. Copyright (c) BYVoid and contributors. Changed: comments are left
  out, and of several forms all but the first.
"""
LINE = "=" * 100


def is_macro(package: dict) -> bool:
    """Whether it runs in the compiler alone."""
    return any("proc-macro" in target["kind"] for target in package["targets"])


def packages() -> list[dict]:
    """The crates from elsewhere that are linked into the programs, on any target."""
    found: dict[str, dict] = {}
    for target in TARGETS:
        command = [
            "cargo",
            "metadata",
            "--locked",
            "--format-version",
            "1",
            "--filter-platform",
            target,
        ]
        data = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
        nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
        by_id = {package["id"]: package for package in data["packages"]}
        open_ids = [key for key, package in by_id.items() if package["name"] in PROGRAMS]
        seen = set()
        while open_ids:
            key = open_ids.pop()
            # A macro runs in the compiler alone, and so does what it depends on.
            if key in seen or is_macro(by_id[key]):
                continue
            seen.add(key)
            for dependency in nodes[key]["deps"]:
                # Kind null is what is linked; the others are for builds and tests.
                if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                    open_ids.append(dependency["pkg"])
        found.update({key: by_id[key] for key in seen if by_id[key]["source"]})
    return sorted(found.values(), key=lambda package: (package["name"], package["version"]))


def tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\f", "").split("\n")]
    return "\n".join(lines).strip("\n")


def texts(package: dict) -> list[str]:
    """The texts of a crate's license: all of them if all hold, else the shortest."""
    folder = Path(package["manifest_path"]).parent
    files = [
        path
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name.upper().startswith(STARTS)
    ]
    found = [tidy(path.read_text(encoding="utf-8", errors="replace")) for path in files]
    # A file of a few lines only names the licenses.
    found = [text for text in found if len(text) > 500]
    if not found:
        names = package["license"].replace("/", " OR ")
        if "MIT" in names:
            holders = ", ".join(author.split(" <")[0] for author in package["authors"])
            return [
                f"MIT License\n\nCopyright (c) {holders or package['name'] + ' contributors'}\n\n{tidy(MIT)}"
            ]
        if "Apache-2.0" in names:
            return ["Apache License, Version 2.0: the text of LICENSE-APACHE."]
        if names == "BSD-3-Clause" and package["name"] == "alloc-stdlib":
            # Of the same repository.
            other = next(folder.parent.glob("alloc-no-stdlib-*/LICENSE"))
            return [tidy(other.read_text(encoding="utf-8"))]
        sys.exit(f"{package['name']} has no text of its license, {package['license']}")
    if " AND " in package["license"]:
        return sorted(set(found))
    return [min(found, key=lambda text: (len(text), text))]


def render() -> str:
    jieba = (ROOT / "crates/nearprint-core/data/LICENSE-jieba").read_text(encoding="utf-8")
    parts = [HEAD, f"{LINE}\n{DICTIONARIES}\n{tidy(jieba)}\n"]
    shared: dict[str, list[str]] = {}
    for package in packages():
        name = f"{package['name']} {package['version']} ({package['license']})"
        for text in texts(package):
            shared.setdefault(text, []).append(name)
        for library, place, text in INSIDE.get(package["name"], []):
            if place:
                text = tidy(
                    (Path(package["manifest_path"]).parent / place).read_text(encoding="utf-8")
                )
            shared.setdefault(text, []).append(
                f"{library}, in {package['name']} {package['version']}"
            )
    for text, names in sorted(shared.items(), key=lambda item: item[1]):
        parts.append(f"{LINE}\n" + "\n".join(names) + f"\n\n{text}\n")
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if the file is out of date"
    )
    text = render()
    if not parser.parse_args().check:
        FILE.write_text(text, encoding="utf-8")
    elif text != FILE.read_text(encoding="utf-8"):
        sys.exit(
            f"{FILE.relative_to(ROOT)} is out of date; python3 packaging/third_party.py writes it anew"
        )


if __name__ == "__main__":
    main()
