"""Pairs of real texts that were judged by reading: how many of the true ones are found, how many of the false ones merged.

    bench/run.sh judged --data FOLDER [--wrong] [-- FLAGS OF nearprint dedup]

The pairs of bench/judged_pairs.jsonl by their halves, and those of FOLDER/judged_pairs.jsonl, where there is one, as `earlier`.
Each corpus that has judged pairs is deduplicated once, as a whole. A pair counts as merged where pairs.jsonl holds it.
"""

import argparse
import json
import tempfile
from pathlib import Path

from . import nearprint
from .data import add_data_argument, read_rows, rows, write_rows
from .folders import REPOSITORY

OURS = REPOSITORY / "bench" / "judged_pairs.jsonl"
GROUPS = ("choose", "tell", "earlier")

# Rows with two texts each; here every one is a document of its own, ID/a or ID/b.
OF_TWO_TEXTS = ("zh_short_pairs", "zh_lctt_revisions", "en_webdup_gov2_pairs")


def judged(data: Path) -> list[dict]:
    """The pairs with a label, those that remained in doubt left out."""
    found = read_rows(OURS)
    earlier = data / OURS.name
    if earlier.is_file():
        found += [{**row, "half": "earlier"} for row in read_rows(earlier)]
    return [row for row in found if row["label"] is not None]


def halves(texts):
    """Rows of two texts as rows of one."""
    for row in texts:
        for side in "ab":
            yield {"id": f"{row['id']}/{side}", "text": row[f"text_{side}"]}


def run(data: Path, corpus: str, flags: list[str]) -> list[dict]:
    """The confirmed pairs of one corpus."""
    if "--recall-sample" not in flags:
        flags = ["--recall-sample", "0", *flags]  # It does not change what is found.
    if corpus not in OF_TWO_TEXTS:
        return nearprint.dedup(data / f"{corpus}.jsonl.zst", flags).pairs
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{corpus}.jsonl"
        write_rows(file, halves(rows(data, corpus)))
        return nearprint.dedup(file, flags).pairs


class Merged:
    """Which pairs are merged, and with which similarity. Of equal texts one stands for all in the pairs with others."""

    def __init__(self, pairs: list[dict]):
        self.equal = {}
        for row in pairs:
            if row["reason"] == "exact":
                self.equal[self.first(row["right"])] = self.first(row["left"])
        self.similarities = {frozenset((self.first(row["left"]), self.first(row["right"]))): row["similarity"]
                             for row in pairs if row["reason"] != "exact"}

    def first(self, document: str) -> str:
        """The one that stands for this document and all equal ones."""
        while document in self.equal:
            document = self.equal[document]
        return document

    def similarity(self, left: str, right: str) -> float | None:
        """None where they are not merged."""
        pair = frozenset((self.first(left), self.first(right)))
        return 1.0 if len(pair) == 1 else self.similarities.get(pair)


def table(pairs: list[dict]) -> str:
    """By corpus and in all: for each group, true pairs found and false ones merged, each of how many."""
    def cells(name, chosen):
        line = [name]
        for group in GROUPS:
            for label in (1, 0):
                listed = [row for row in chosen if row["half"] == group and row["label"] == label]
                merged = sum(row["similarity"] is not None for row in listed)
                line.append(f"{merged} of {len(listed)}" if listed else "")
        return line

    header = ["corpus", *(f"{group}: {what}" for group in GROUPS for what in ("true found", "false merged"))]
    names = list(dict.fromkeys(row["corpus"] for row in pairs))
    lines = [cells(name, [row for row in pairs if row["corpus"] == name]) for name in names]
    lines = [header, ["---"] * len(header), *lines, cells("all", pairs)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def wrong(pairs: list[dict]) -> list[dict]:
    """True pairs that are missed, and false ones that are merged."""
    return [row for row in pairs if (row["similarity"] is not None) != bool(row["label"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_argument(parser)
    parser.add_argument("--wrong", action="store_true", help="list the pairs that are decided wrongly")
    options, flags = nearprint.options_and_flags(parser)
    pairs = judged(options.data)
    for corpus in dict.fromkeys(row["corpus"] for row in pairs):
        merged = Merged(run(options.data, corpus, flags))
        for row in pairs:
            if row["corpus"] == corpus:
                row["similarity"] = merged.similarity(row["id_a"], row["id_b"])
    print(table(pairs))
    if options.wrong:
        print()
        for row in wrong(pairs):
            print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
