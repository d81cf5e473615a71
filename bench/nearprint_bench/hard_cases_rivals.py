"""What other tools answer to the hard cases, at every threshold of their grids.

    bench/run.sh hard_cases_rivals FOLDER [--tools NAME,NAME]

A tool's answer is what it finds in the Chinese documents and in the English ones, each by themselves. Prints a row for each
tool and threshold: pairs merged of those that are to be merged, and wrongly merged of those that are not.
"""

import argparse
from pathlib import Path

from . import tools
from .data import read_rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder that hard_cases wrote")
    parser.add_argument("--tools", default=",".join(t.name for t in tools.RIVALS))
    options = parser.parse_args()
    documents = read_rows(options.folder / "corpus.jsonl")
    truth = [row for row in read_rows(options.folder / "truth.jsonl") if row["label"] is not None]
    print("| tool | threshold | merged | of | wrongly | of |\n|---|---|---|---|---|---|")
    for tool in [tools.Nearprint(), *tools.RIVALS]:
        if tool.name not in options.tools.split(","):
            continue
        found = {}
        for language in ("zh", "en"):
            chosen = [row for row in documents if row["id"].startswith(language)]
            for threshold, pairs in tool.answers([row["text"] for row in chosen], language).items():
                if pairs is not None:
                    ids = found.setdefault(threshold, set())
                    ids.update(frozenset((chosen[i]["id"], chosen[j]["id"])) for i, j in pairs)
        for threshold, ids in found.items():
            counts = {0: [0, 0], 1: [0, 0]}
            for row in truth:
                counts[row["label"]][0] += frozenset((row["left"], row["right"])) in ids
                counts[row["label"]][1] += 1
            print(f"| {tool.name} | {threshold} | {counts[1][0]} | {counts[1][1]} | {counts[0][0]} | {counts[0][1]} |", flush=True)


if __name__ == "__main__":
    main()
