"""Runs the program under test as a user would. All experiments run it through this module."""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy

from .data import read_rows
from .folders import REPOSITORY


@dataclass
class Answer:
    """The output of `nearprint dedup --pairs`, and its CPU seconds (user and system)."""

    pairs: list[dict]
    removed: list[dict]
    clusters: list[dict]
    summary: dict
    seconds: float


@dataclass
class Fingerprints:
    """The ids, fingerprints (in words of 64 bits) and numbers of features of all documents, in the
    order of the corpus."""

    ids: list[str]
    words: numpy.ndarray
    features: numpy.ndarray


def options_and_flags(parser: argparse.ArgumentParser) -> tuple[argparse.Namespace, list[str]]:
    """The options of an experiment, and the flags of nearprint that follow them after `--`."""
    arguments, flags = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, flags = arguments[:at], arguments[at + 1 :]
    return parser.parse_args(arguments), flags


def binary() -> Path:
    """The binary that NEARPRINT names, else the release build of this repository."""
    path = Path(
        os.environ.get("NEARPRINT") or REPOSITORY / "target" / "release" / "nearprint"
    ).resolve()
    if not path.is_file():
        raise SystemExit(f"no program {path}: bench/run.sh builds it, or NEARPRINT names another")
    return path


def run(*arguments, under=()) -> float:
    """Runs the program with these arguments, and gives its CPU seconds.

    `under` is a command that runs it, such as one that limits its memory.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*under, binary(), *map(str, arguments), "--quiet"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def dedup(corpus: Path, flags: list[str]) -> Answer:
    """The answer of `nearprint dedup` to one corpus."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        seconds = run("dedup", corpus, *flags, "--pairs", "--dry-run", "--output", output)
        pairs, removed, clusters = (
            read_rows(output / f"{name}.jsonl") for name in ("pairs", "removed", "clusters")
        )
        summary = json.loads((output / "summary.json").read_text(encoding="utf-8"))
    return Answer(pairs, removed, clusters, summary, seconds)


def fingerprints(corpus: Path, flags: list[str]) -> Fingerprints:
    """The fingerprints of the documents of one corpus."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "fingerprints.jsonl"
        run("fingerprint", corpus, *flags, "--output", output)
        rows = read_rows(output)
    words = numpy.frombuffer(
        bytes.fromhex("".join(row["fingerprint"] for row in rows)), ">u8"
    ).astype(numpy.uint64)
    return Fingerprints(
        [row["id"] for row in rows],
        words.reshape(len(rows), -1),
        numpy.array([row["features"] for row in rows]),
    )


@cache
def knows(flag: str) -> bool:
    """True if the program has this flag of `dedup`."""
    shown = subprocess.run(
        [binary(), "dedup", "--help"], check=True, capture_output=True, text=True
    ).stdout
    return any(line.split()[:1] == [flag] or f", {flag} " in line for line in shown.splitlines())
