"""The growth of time and memory with the number of documents.

    bench/run.sh scale [--sizes N,N,...] [--memory SIZE] [--threads N] [--syllables]
    [--output FOLDER]

For each size examples/planted_corpus.rs makes a corpus with planted copies, `nearprint dedup` runs
on it, and the answer is scored against the copies. Prints the table and writes two plots, to
docs/results by default. The corpora are in bench/work during a run: a million documents take 2 GB,
and as much again for the contents and for the output. `--memory` goes to `dedup`. With
`--syllables`, words are made of two dozen syllables.
"""

import argparse
import json
import tempfile
from pathlib import Path

from . import nearprint, planted, scale_plots
from .data import read_rows
from .folders import REPOSITORY, WORK
from .pages import markdown
from .scale_rows import cells, row, sizes


def measure(documents: int, flags: list[str], syllables: bool) -> dict:
    """The row of one size."""
    WORK.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        corpus, truth, output = (
            Path(folder) / name for name in ("corpus.jsonl", "truth.tsv", "output")
        )
        planted.make(documents, corpus, truth, syllables)
        cpu_seconds = nearprint.run("dedup", corpus, "--output", output, *flags)
        summary = json.loads((output / "summary.json").read_text(encoding="utf-8"))
        recall, precision = planted.score(
            planted.read_truth(truth), read_rows(output / "removed.jsonl")
        )
    return row(summary, cpu_seconds, recall, precision)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--sizes",
        metavar="N,N,...",
        type=sizes,
        default=[10_000, 100_000, 1_000_000],
        help="documents",
    )
    parser.add_argument("--memory", metavar="SIZE", help="the most memory of a run, such as 4G")
    parser.add_argument(
        "--syllables",
        action="store_true",
        help="words of two dozen syllables, hard for fingerprints",
    )
    parser.add_argument("--threads", metavar="N", type=int, default=2, help="threads of a run")
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        type=Path,
        default=REPOSITORY / "docs" / "results",
        help="where the plots go [default: docs/results]",
    )
    options = parser.parse_args()
    flags = [
        "--threads",
        str(options.threads),
        *(["--memory", options.memory] if options.memory else []),
    ]
    rows = []
    for documents in options.sizes:
        rows.append(measure(documents, flags, options.syllables))
        print(rows[-1], flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    scale_plots.draw(options.output, rows)
    print(f"\n{markdown(*cells(rows))}")


if __name__ == "__main__":
    main()
