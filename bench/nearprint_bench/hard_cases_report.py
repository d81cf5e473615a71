"""The answers of nearprint to the hard cases, class by class, beside the expected ones.

    bench/run.sh hard_cases_report FOLDER [--verify-containment] [--detail] [--misses]
    [-- FLAGS OF nearprint dedup]

A pair counts as merged if pairs.jsonl has it. `together` also counts pairs within one cluster.
"""

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path

from . import nearprint
from .data import read_rows
from .folders import WORK


def run(corpus, flags):
    """Pairs {(left, right): (distance, similarity)}, the keeper of each removed document, and the
    cluster of each member."""
    answer = nearprint.dedup(corpus, flags)
    pairs = {
        frozenset((row["left"], row["right"])): (row["distance"], row["similarity"])
        for row in answer.pairs
    }
    keepers = {row["id"]: row["keeper"] for row in answer.removed}
    clusters = {member: row["cluster"] for row in answer.clusters for member in row["members"]}
    return pairs, keepers, clusters


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def shown(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def broken_chains(folder, keepers, pairs):
    """The number of removed versions, and the broken ones with their keepers.

    A version is broken if its keeper is not kept, or neither next to it nor similar to it.
    """
    removed, broken = 0, []
    for row in read_rows(folder / "chains.jsonl"):
        place = {d: i for i, d in enumerate(row["chain"])}
        common = {frozenset(p[:2]): p[2] for p in row["common"]}
        for d in row["chain"]:
            if d not in keepers:
                continue
            removed += 1
            keeper = keepers[d]
            good = keeper not in keepers and keeper in place
            good = good and (
                abs(place[d] - place[keeper]) == 1 or common[frozenset((d, keeper))] >= 0.6
            )
            if not good:
                broken.append((d, keeper))
    return removed, broken


def report(folder, flags, containment=False, detail=False):
    """The rows of the table, and the lines below it."""
    pairs, keepers, clusters = run(folder / "corpus.jsonl", flags)
    documents = {d["id"]: d for d in read_rows(folder / "corpus.jsonl")}
    truth = {frozenset((t["left"], t["right"])): t for t in read_rows(folder / "truth.jsonl")}
    if containment:
        for row in read_rows(folder / "containment.jsonl"):
            truth[frozenset((row["left"], row["right"]))] = row
    groups = defaultdict(list)
    for pair, row in truth.items():
        how = (
            " ".join(
                str(row["detail"][k])
                for k in ("kind", "how", "whole", "synonyms")
                if k in row["detail"]
            )
            if detail
            else ""
        )
        groups[f"{row['class']} {how}".strip(), row["language"], row["label"]].append(pair)
    table = []
    for (name, language, label), listed in sorted(
        groups.items(), key=lambda g: (str(g[0][2]), g[0][0], g[0][1]), reverse=True
    ):
        found = [p for p in listed if p in pairs]
        together = sum(clusters.get(a, a) == clusters.get(b, b) for a, b in map(tuple, listed))
        table.append(
            {
                "label": label,
                "class": name,
                "language": language,
                "pairs": len(listed),
                "merged": len(found),
                "together": together,
                "recall": len(found) / len(listed) if label == 1 else None,
                "distance": mean(pairs[p][0] for p in found),
                "similarity": mean(pairs[p][1] for p in found),
            }
        )
    others = [p for p in pairs if p not in truth]
    wrong = Counter("+".join(sorted(documents[d]["class"] for d in p)) for p in others)
    return table, broken_chains(folder, keepers, pairs), others, wrong, pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=WORK / "hard-cases")
    parser.add_argument(
        "--verify-containment",
        action="store_true",
        help="run with --verify containment and expect what it finds",
    )
    parser.add_argument(
        "--misses",
        action="store_true",
        help="list the pairs that are wrong, with how they were made",
    )
    parser.add_argument(
        "--detail", action="store_true", help="split classes by how their cases were made"
    )
    options, flags = nearprint.options_and_flags(parser)
    if options.verify_containment:
        flags = ["--verify", "containment", *flags]
    table, (removed, broken), others, wrong, pairs = report(
        options.folder, flags, options.verify_containment, options.detail
    )
    print(
        "| expected | class | language | pairs | merged | in one cluster | recall | mean distance | mean similarity |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    expected = {1: "merge", 0: "not", None: "left out"}
    for row in table:
        cells = [row[k] for k in ("class", "language", "pairs", "merged", "together")]
        cells += [shown(row["recall"], 3), shown(row["distance"], 1), shown(row["similarity"])]
        print(f"| {expected[row['label']]} | " + " | ".join(map(str, cells)) + " |")
    total = [
        sum(r[k] for r in table if r["label"] == label)
        for label in (1, 0)
        for k in ("merged", "pairs")
    ]
    print(
        f"\nmerged {total[0]} of {total[1]} that are to be merged; wrongly {total[2]} of {total[3]}"
    )
    print(f"chains: {removed} versions removed, {len(broken)} against the rule")
    print(f"unlisted pairs merged: {len(others)}", dict(wrong.most_common(12)))
    if options.misses:
        for row in read_rows(options.folder / "truth.jsonl"):
            pair = frozenset((row["left"], row["right"]))
            if row["label"] is not None and (pair in pairs) != bool(row["label"]):
                print(json.dumps({**row, "found": pairs.get(pair)}, ensure_ascii=False))
        for pair in others:
            print(json.dumps({"unlisted": sorted(pair), "found": pairs[pair]}))


if __name__ == "__main__":
    main()
