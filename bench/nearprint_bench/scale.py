"""How time and memory grow with the number of documents.

    bench/run.sh scale [--sizes N,N,...] [--memory SIZE] [--threads N] [--syllables] [--output FOLDER]

For each size a corpus with planted copies is made (examples/planted_corpus.rs), `nearprint dedup` runs on it, and its answer
is counted against the copies. Writes scale.md, scale.csv and three plots; the corpora lie in bench/work while they are
needed, a million documents in 2 GB, and as much again for the contents and for the output. `--memory` goes to `dedup`. With
`--syllables` words are made of two dozen syllables.
"""

import argparse
import json
import tempfile
from pathlib import Path

from . import nearprint, planted, scale_plots
from .data import read_rows
from .folders import REPOSITORY, WORK
from .scale_rows import cells, row, sizes
from .tables import markdown, refill, write_csv


def measure(documents: int, flags: list[str], syllables: bool) -> dict:
    """The row of one size."""
    WORK.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        corpus, truth, output = (Path(folder) / name for name in ("corpus.jsonl", "truth.tsv", "output"))
        planted.make(documents, corpus, truth, syllables)
        cpu_seconds = nearprint.run("dedup", corpus, "--output", output, *flags)
        summary = json.loads((output / "summary.json").read_text(encoding="utf-8"))
        recall, precision = planted.score(planted.read_truth(truth), read_rows(output / "removed.jsonl"))
    return row(summary, cpu_seconds, recall, precision)


def page(rows: list[dict], options) -> str:
    command = f"bench/run.sh scale --sizes {','.join(str(row['documents']) for row in rows)} --threads {options.threads}"
    bound = f" --memory {options.memory}" if options.memory else ""
    words = "two dozen syllables each" if options.syllables else "letters as frequent as in English"
    text = f"""
# How a run grows

Documents of some 300 words of {words} by Zipf's law, a tenth of them copies with 2 to 8 % of their words
replaced, deduplicated by default. Seconds of a stage are of the clock; MB are millions of bytes. Recall is the share of
planted copies in one cluster with their original, precision the share of removed documents that have the same original as
the one that stays. This page and its plots are written by one command:

    {command}{bound}{" --syllables" if options.syllables else ""}

{markdown(*cells(rows))}

![Time against documents](scale-time.svg)

![Memory against documents](scale-memory.svg)

![Shares of the stages](scale-stages.svg)
"""
    return refill(text.strip()) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", metavar="N,N,...", type=sizes, default=[10_000, 100_000, 1_000_000], help="documents")
    parser.add_argument("--memory", metavar="SIZE", help="the most memory of a run, such as 4G")
    parser.add_argument("--syllables", action="store_true", help="words of two dozen syllables, hard for fingerprints")
    parser.add_argument("--threads", metavar="N", type=int, default=2, help="threads of a run")
    parser.add_argument("--output", metavar="FOLDER", type=Path, default=REPOSITORY / "docs" / "performance")
    options = parser.parse_args()
    flags = ["--threads", str(options.threads), *(["--memory", options.memory] if options.memory else [])]
    rows = []
    for documents in options.sizes:
        rows.append(measure(documents, flags, options.syllables))
        print(rows[-1], flush=True)
    options.output.mkdir(parents=True, exist_ok=True)
    write_csv(options.output / "scale.csv", rows)
    (options.output / "scale.md").write_text(page(rows, options), encoding="utf-8")
    scale_plots.draw(options.output, rows)
    print(f"\n{markdown(*cells(rows))}")


if __name__ == "__main__":
    main()
