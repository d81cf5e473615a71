"""Labelled data: precision, recall and F1 of pairs, nearprint beside its rivals.

    bench/run.sh labelled [--planted FOLDER] [--sets NAME,…] [--tools NAME,…]

Tables go to bench/work/labelled.csv and labelled.md. What rivals found is kept in bench/work/found, so that another run
redoes nearprint alone.
"""

import csv
import hashlib
import pickle
from collections import defaultdict
from pathlib import Path

from . import tools
from .corpora import arguments
from .folders import WORK
from .labelled_sets import SETS

# Rivals that would take an hour on these.
TOO_LARGE = {"en": {"datasketch", "simhash", "text-dedup"}, "zh": {"simhash", "text-dedup"}, "zh~simplified": {"simhash", "text-dedup"}}


def cached(tool, data):
    """What a rival finds, from bench/work/found where the same texts were given to it before."""
    digest = hashlib.blake2b(digest_size=8)
    for text in data.texts:
        digest.update(text.encode("utf8", "surrogatepass") + b"\0")
    digest.update(repr(tool.grid).encode())
    path = WORK / "found" / f"{data.name.split('~')[0]}.{tool.name}.{digest.hexdigest()}.pickle"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        answers = tool.answers(data.texts, data.language)
        path.write_bytes(pickle.dumps(answers))
    return pickle.loads(path.read_bytes())


def measure(tool, data, answers):
    """Two rows: at the usual threshold, and at the best."""
    counted = {t: data.count(found) for t, found in answers.items() if found is not None}
    grid = [t for t in tool.grid if t in counted]
    best = max(grid, key=lambda t: counted[t]["f1"]) if grid else None
    table = []
    for setting, threshold in (("usual", tool.usual), ("best", best)):
        if threshold in counted:
            by_label = defaultdict(lambda: [0, 0])
            for pair, label in data.labels.items():
                by_label[label][0] += pair in answers[threshold]
                by_label[label][1] += 1
            labels = "; ".join(f"{k}: {a}/{n}" for k, (a, n) in sorted(by_label.items()))
            table.append({"set": data.name, "tool": tool.name, "setting": setting, "threshold": threshold, **counted[threshold], "labels": labels})
    return table
COLUMNS = ["set", "tool", "setting", "threshold", "precision", "recall", "f1", "found", "truth", "labels"]


def write_tables(table):
    with open(WORK / "labelled.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(table)
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(str(row[c]) for c in COLUMNS) + " |" for row in table]
    (WORK / "labelled.md").write_text("\n".join(lines) + "\n")


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.add_argument("--planted", type=Path, help="folder of en20k.jsonl, en20k.truth.tsv and so on")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--tools", default="nearprint," + ",".join(t.name for t in tools.RIVALS))
    parser.add_argument("--flags", default="", help="further flags of nearprint dedup, with blanks between them")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chosen = [t for t in [tools.Nearprint(options.flags.split()), *tools.RIVALS] if t.name in options.tools.split(",")]
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
                answers = tool.answers(data.texts, data.language) if tool.name == "nearprint" else cached(tool, data)
            except Exception as problem:
                print(f"{name}: {tool.name} failed: {problem}", flush=True)
                continue
            for row in measure(tool, data, answers):
                table.append(row)
                print(" ".join(str(row[c]) for c in COLUMNS), flush=True)
        write_tables(table)


if __name__ == "__main__":
    main()
