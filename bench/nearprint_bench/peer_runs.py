"""Runs tools on a corpus one after the other, each pinned to one core.

A peer is a script outside this repository, run_NAME.py PREFIX [ARGUMENT]. It reads PREFIX.jsonl and
writes pairs of numbers (`3<TAB>7`) or clusters (`C<TAB>3<TAB>7<TAB>9`) to PREFIX.TOOL.out. Its last
line is JSON with its name (`peer`), its CPU seconds (`total.cpu`) and its peak memory in MB
(`rss_mb`).
"""

import json
import os
import statistics
import subprocess
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from . import nearprint
from .data import read_rows
from .nearprint_tool import with_equal_texts

# A shell starts the scripts, since the peak memory of a process begins with that of its parent.
SHELL = ["sh", "-c", '"$@"; exit', "sh"]

HEADER = [
    "corpus",
    "tool",
    "CPU seconds",
    "MB/s",
    "peak memory, MB",
    "F1",
    "nearprint is as fast, times",
]


@dataclass
class Run:
    """The cost of one run of a tool, and the file of the pairs that it found."""

    cpu_seconds: float
    memory_mb: float
    found: Path


class Nearprint:
    """The whole program, including reading, confirming and writing."""

    name = "nearprint"

    def run(self, prefix: Path, pinned: list[str], number: int) -> Run:
        output = prefix.with_name(f"{prefix.name}.nearprint.{number}")
        seconds = nearprint.run(
            "dedup", f"{prefix}.jsonl", "--output", output, "--pairs", "--threads", 1, under=pinned
        )
        summary = json.loads((output / "summary.json").read_text(encoding="utf-8"))
        return Run(seconds, summary["peak_memory_bytes"] / 1e6, output / "pairs.jsonl")

    @staticmethod
    def pairs(path: Path, texts: list[str]) -> set[tuple[int, int]]:
        """The pairs, as numbers of rows, which are the ids in these corpora."""
        return set(with_equal_texts(texts, read_rows(path)))


class Peer:
    """A script of a peer."""

    def __init__(self, text: str, folder: Path, python: Path):
        name, *self.arguments = text.split()
        self.script, self.python, self.name = (
            folder / f"run_{name}.py",
            python,
            "-".join([name, *self.arguments]),
        )
        if not self.script.is_file():
            raise SystemExit(f"no script {self.script}")

    def run(self, prefix: Path, pinned: list[str], number: int) -> Run:
        # More threads would only wait for each other on one core.
        environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
        said = subprocess.run(
            [*SHELL, *pinned, self.python, self.script, prefix, *self.arguments],
            check=True,
            text=True,
            stdout=subprocess.PIPE,
            env=environment,
        ).stdout
        about = json.loads(said.splitlines()[-1])
        found = prefix.with_name(f"{prefix.name}.{about['peer']}.out")
        return Run(about["total"]["cpu"], about["rss_mb"], found)

    @staticmethod
    def pairs(path: Path, texts: list[str]) -> set[tuple[int, int]]:
        """The pairs, including all pairs of documents in a cluster."""
        pairs = set()
        for line in path.read_text(encoding="utf-8").splitlines():
            first, *rest = line.split("\t")
            pairs.update(
                combinations(sorted(map(int, rest if first == "C" else [first, *rest])), 2)
            )
        return pairs


def alternating(tools: list, prefix: Path, pinned: list[str], runs: int) -> dict[str, list[Run]]:
    """`runs` runs of each tool, in turns, so that other work on the machine slows all alike."""
    made = {tool.name: [] for tool in tools}
    for number in range(runs):
        for tool in tools:
            made[tool.name].append(tool.run(prefix, pinned, number))
    return made


def median(runs: list[Run]) -> tuple[float, float]:
    """The median CPU seconds and memory of runs."""
    return statistics.median(run.cpu_seconds for run in runs), statistics.median(
        run.memory_mb for run in runs
    )


def lines(
    name: str, texts: list[str], figures: dict[str, tuple[float, float, float]]
) -> list[list[str]]:
    """The lines of one corpus, from the CPU seconds, memory and F1 of each tool."""
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    own = figures[Nearprint.name][0]
    return [
        [
            f"{name}: {len(texts):,} documents, {megabytes:.1f} MB",
            tool,
            f"{seconds:.2f}",
            f"{megabytes / seconds:.1f}",
            f"{memory:.0f}",
            f"{f1:.4f}",
            f"{seconds / own:.2f}",
        ]
        for tool, (seconds, memory, f1) in figures.items()
    ]
