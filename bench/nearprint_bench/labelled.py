"""Labelled data: precision, recall and F1 of pairs, nearprint beside its rivals.

    bench/run.sh labelled --data FOLDER [--planted FOLDER] [--sets NAME,…] [--tools NAME,…]

Tables go to bench/work/labelled.csv and labelled.md. Answers of rivals are kept in bench/work/found,
so that the next run repeats nearprint alone.
"""

import csv
from collections import defaultdict
from pathlib import Path

from . import tools
from .corpora import arguments
from .folders import WORK
from .found import kept
from .labelled_sets import SETS
from .nearprint_tool import Nearprint
from .thresholds import DISTANCES, GRID, RUNS

# Rivals that would take an hour on these sets.
TOO_LARGE = {
    "en": {"datasketch", "simhash", "text-dedup"},
    "zh": {"simhash", "text-dedup"},
    "zh~simplified": {"simhash", "text-dedup"},
}

# The least similarities of nearprint on short texts, which it compares with all others: a run takes
# longer at a lower one.
LOWEST = {"zh_short_pairs": 0.8, "zh_planted_short": 0.7, "en_planted_short": 0.7}


def measure(tool, data, answers):
    """A row for each setting: the usual threshold, the best of the tool's grid, and the best of the
    thresholds that all tools have."""
    counted = {t: data.count(found) for t, found in answers.items() if found is not None}
    table = []
    for setting, thresholds in (
        ("usual", ["usual"]),
        ("best", tool.grid),
        (f"best of {len(RUNS)}", RUNS),
    ):
        thresholds = [t for t in thresholds if t in counted]
        if thresholds:
            best = max(thresholds, key=lambda t: counted[t]["f1"])
            by_label = defaultdict(lambda: [0, 0])
            for pair, label in data.labels.items():
                by_label[label][0] += pair in answers[best]
                by_label[label][1] += 1
            labels = "; ".join(f"{k}: {a}/{n}" for k, (a, n) in sorted(by_label.items()))
            threshold = tool.usual if best == "usual" else best
            table.append(
                {
                    "set": data.name,
                    "tool": tool.name,
                    "setting": setting,
                    "threshold": threshold,
                    **counted[best],
                    "labels": labels,
                }
            )
    return table


NOTE = (
    f"Best: of the thresholds {', '.join(f'{t:g}' for t in GRID)}, nearprint from {Nearprint.grid[0]:g} on (from "
    f"{', '.join(f'{t:g} on {name}' for name, t in LOWEST.items())}, where lower ones take very long), on the very data that "
    f"is scored; simhash of the distances 0 to {DISTANCES[-1]} of 64 bits. With text-dedup each threshold needs a run of its own; it has "
    f"{', '.join(f'{t:g}' for t in RUNS)}, and `best of {len(RUNS)}` is the best of these for every tool. Its output is clusters, here all pairs of each."
)
COLUMNS = [
    "set",
    "tool",
    "setting",
    "threshold",
    "precision",
    "recall",
    "f1",
    "found",
    "truth",
    "labels",
]


def write_tables(table):
    with open(WORK / "labelled.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(table)
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(str(row[c]) for c in COLUMNS) + " |" for row in table]
    lines += ["", NOTE]
    (WORK / "labelled.md").write_text("\n".join(lines) + "\n")


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument(
        "--planted", type=Path, help="folder of en20k.jsonl, en20k.truth.tsv and so on"
    )
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--tools", default="nearprint," + ",".join(t.name for t in tools.RIVALS))
    parser.add_argument(
        "--flags", default="", help="further flags of nearprint dedup, with blanks between them"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chosen = [
        t
        for t in [Nearprint(options.flags.split()), *tools.RIVALS]
        if t.name in options.tools.split(",")
    ]
    WORK.mkdir(parents=True, exist_ok=True)
    table = []
    for name in options.sets.split(","):
        data = SETS[name](options)
        if data is None:
            print(f"{name}: left out, --planted says where it is", flush=True)
            continue
        (WORK / "sets").mkdir(exist_ok=True)
        data.write(WORK / "sets")
        for tool in chosen:
            if tool.name in TOO_LARGE.get(name, ()):
                continue
            try:
                answers = (
                    tool.answers(data.texts, data.language, LOWEST.get(name))
                    if tool.name == "nearprint"
                    else kept(tool, name.split("~")[0], data.texts, data.language)
                )
            except Exception as problem:
                print(f"{name}: {tool.name} failed: {problem}", flush=True)
                continue
            for row in measure(tool, data, answers):
                table.append(row)
                print(" ".join(str(row[c]) for c in COLUMNS), flush=True)
        write_tables(table)


if __name__ == "__main__":
    main()
