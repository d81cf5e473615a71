"""The answers of other tools to the hard cases, at every threshold of their grids.

    bench/run.sh hard_cases_rivals FOLDER [--tools NAME,NAME]

A tool runs on the Chinese documents and on the English ones separately. A row for each tool and
threshold has the numbers of merged pairs by label: to be merged, not to be merged, and not listed
in the truth, which is wrong, too; and the F1 of all. Answers of rivals are kept as in `labelled`.
"""

import argparse
from pathlib import Path

from . import tools
from .data import read_rows
from .found import kept
from .nearprint_tool import Nearprint

COLUMNS = ["tool", "threshold", "merged", "of", "wrongly", "of", "unlisted", "F1"]


def score(found, truth):
    """The numbers of right, wrong and unlisted pairs among found sets of two ids, and the F1."""
    listed = {frozenset((row["left"], row["right"])): row["label"] for row in truth}
    labels = [listed.get(pair, "unlisted") for pair in found]
    right, wrong, unlisted = (labels.count(label) for label in (1, 0, "unlisted"))
    expected = sum(label == 1 for label in listed.values())
    return {
        "right": right,
        "expected": expected,
        "wrong": wrong,
        "apart": sum(label == 0 for label in listed.values()),
        "unlisted": unlisted,
        "f1": 2 * right / (right + wrong + unlisted + expected),
    }


def answers(tool, documents, name):
    """Found pairs by threshold, as sets of two ids.

    A threshold is left out if one cluster has nearly all documents.
    """
    found, failed = {}, set()
    for language in ("zh", "en"):
        chosen = [row for row in documents if row["language"] == language]
        texts = [row["text"] for row in chosen]
        given = (
            tool.answers(texts, language)
            if tool.name == "nearprint"
            else kept(tool, f"{name}-{language}", texts, language)
        )
        for threshold, pairs in given.items():
            if pairs is None:
                failed.add(threshold)
            else:
                found.setdefault(threshold, set()).update(
                    frozenset((chosen[i]["id"], chosen[j]["id"])) for i, j in pairs
                )
    return {threshold: pairs for threshold, pairs in found.items() if threshold not in failed}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="folder that hard_cases wrote")
    parser.add_argument("--tools", default="nearprint," + ",".join(t.name for t in tools.RIVALS))
    options = parser.parse_args()
    documents, truth = (read_rows(options.folder / f"{name}.jsonl") for name in ("corpus", "truth"))
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS))
    for tool in [Nearprint(), *tools.RIVALS]:
        if tool.name not in options.tools.split(","):
            continue
        for threshold, found in answers(tool, documents, "hard-cases").items():
            counts = score(found, truth)
            shown = f"usual ({tool.usual})" if threshold == "usual" else threshold
            print(
                f"| {tool.name} | {shown} | {counts['right']} | {counts['expected']} | {counts['wrong']} | {counts['apart']} | "
                f"{counts['unlisted']} | {counts['f1']:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
