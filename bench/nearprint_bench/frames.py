"""The Python package beside other packages on the same Polars frame.

    bench/run.sh frames --corpora FOLDER --python FILE [--sets NAME,...] [--core N] [--runs N]
    [--rust FILE]

A corpus is NAME.jsonl, with NAME.truth.tsv as for `peers` if there is a truth. FILE is a Python
with the packages nearprint, polars, gaoya and rensa. Each tool is a process of its own, pinned to
one core; its time begins when the frame is in memory. Tools take turns, and the table has medians.
Memory is the peak of the process minus its memory with the frame. --rust takes the program of
`cargo build --release --example fingerprint_texts` and compares fingerprints through Python with
the library alone.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from .data import folder, read_rows
from .folders import WORK
from .labelled_sets import planted
from .pages import markdown

TOOLS = ["nearprint", "gaoya", "rensa", "rensa_words"]


def run(python, tool: str, corpus: Path, found: Path, pinned: list[str]) -> dict:
    """The figures of one run of a tool."""
    script = Path(__file__).with_name("frame_tools.py")
    environment = {**os.environ, "RAYON_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}
    # -P: imports the package nearprint rather than the module beside the script.
    said = subprocess.run(
        [*pinned, python, "-P", script, tool, corpus, found],
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        env=environment,
    ).stdout
    return json.loads(said.splitlines()[-1])


def pairs_of(path: Path) -> set[tuple[int, int]]:
    return {tuple(sorted(map(int, line.split()))) for line in path.read_text().splitlines()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--corpora", metavar="FOLDER", type=folder, required=True, help="NAME.jsonl, NAME.truth.tsv"
    )
    parser.add_argument(
        "--python",
        metavar="FILE",
        default=sys.executable,
        help="what runs the tools, with their packages",
    )
    parser.add_argument("--sets", metavar="NAME,...", default="en20k", help="the corpora")
    parser.add_argument("--core", metavar="N", type=int, default=0, help="the core for all runs")
    parser.add_argument("--runs", metavar="N", type=int, default=3, help="runs of each tool")
    parser.add_argument("--rust", metavar="FILE", help="the program fingerprint_texts")
    options = parser.parse_args()
    pinned = ["taskset", "-c", str(options.core)]
    WORK.mkdir(exist_ok=True)
    shown, fingerprints = [], []
    for name in options.sets.split(","):
        corpus = options.corpora / f"{name}.jsonl"
        has_truth = (options.corpora / f"{name}.truth.tsv").is_file()
        data = planted(name)(argparse.Namespace(planted=options.corpora)) if has_truth else None
        megabytes = sum(len(row["text"].encode()) for row in read_rows(corpus)) / 1e6
        with tempfile.TemporaryDirectory(dir=WORK) as work:
            found = {tool: Path(work) / tool for tool in TOOLS}
            made = {tool: [] for tool in TOOLS}
            for _ in range(options.runs):
                for tool in TOOLS:
                    made[tool].append(run(options.python, tool, corpus, found[tool], pinned))
            median = {
                tool: {of: statistics.median(each[of] for each in runs) for of in runs[0]}
                for tool, runs in made.items()
            }
            for tool in TOOLS:
                took = median[tool]
                f1 = (
                    f"{data.count(pairs_of(found[tool]))['f1']:.3f}"
                    if data and tool != "rensa_words"
                    else "-"
                )
                shown.append(
                    [
                        name,
                        tool,
                        f"{took['cpu']:.2f}",
                        f"{megabytes / took['cpu']:.1f}",
                        f"{took['memory_mb']:.0f}",
                        f1,
                        f"{took['cpu'] / median['nearprint']['cpu']:.1f}",
                    ]
                )
        if options.rust:
            through_python, alone = [], []
            for _ in range(options.runs):
                through_python.append(
                    run(options.python, "fingerprints", corpus, Path(os.devnull), pinned)["cpu"]
                )
                said = subprocess.run(
                    [*pinned, options.rust, corpus], check=True, text=True, stdout=subprocess.PIPE
                ).stdout
                alone.append(float(said))
            ours, theirs = statistics.median(through_python), statistics.median(alone)
            fingerprints.append([name, f"{ours:.3f}", f"{theirs:.3f}", f"{ours / theirs:.3f}"])
    print(
        markdown(
            [
                "corpus",
                "tool",
                "CPU seconds",
                "MB/s",
                "memory beside the frame, MB",
                "F1",
                "nearprint is as fast, times",
            ],
            shown,
        )
    )
    if fingerprints:
        print(
            markdown(
                ["corpus", "fingerprints in Python, CPU seconds", "the library alone", "ratio"],
                fingerprints,
            )
        )


if __name__ == "__main__":
    main()
