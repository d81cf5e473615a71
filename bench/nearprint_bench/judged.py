"""The merged true and false pairs among real pairs that were judged by reading.

    bench/run.sh judged --data FOLDER [--wrong] [-- FLAGS OF nearprint dedup]

The pairs of bench/judged_pairs.jsonl and FOLDER/judged_pairs.jsonl are `known`: settings were
chosen while looking at them. The pairs of FOLDER/judged_pairs_2.jsonl came `later`, from corpora on
which no setting was chosen. Each corpus is deduplicated once, as a whole; a pair counts as merged
if pairs.jsonl has it. Other columns have exact Jaccard similarities, which MinHash tools estimate.
"""

import argparse
import json
import tempfile
from pathlib import Path

from . import nearprint
from .data import add_data_argument, read_rows, rows, write_rows
from .folders import REPOSITORY
from .words import words

OURS = REPOSITORY / "bench" / "judged_pairs.jsonl"
GROUPS = ("known", "later")

# Corpora with two texts a row; each text becomes a document, ID/a or ID/b.
OF_TWO_TEXTS = ("zh_short_pairs", "zh_lctt_revisions", "en_webdup_gov2_pairs")


def judged(data: Path) -> list[dict]:
    """The pairs with a label of 0 or 1; pairs in doubt are left out."""
    found = [{**row, "group": "known"} for row in read_rows(OURS)]
    for name, group in (("judged_pairs", "known"), ("judged_pairs_2", "later")):
        file = data / f"{name}.jsonl"
        found += [{**row, "group": group} for row in read_rows(file)] if file.is_file() else []
    return [row for row in found if row["label"] in (0, 1)]


def halves(texts):
    """Rows of one text each, from rows of two texts."""
    for row in texts:
        for side in "ab":
            yield {"id": f"{row['id']}/{side}", "text": row[f"text_{side}"]}


def run(data: Path, corpus: str, flags: list[str]) -> list[dict]:
    """The confirmed pairs of one corpus."""
    if "--recall-sample" not in flags:
        flags = ["--recall-sample", "0", *flags]  # does not change the found pairs
    if corpus not in OF_TWO_TEXTS:
        return nearprint.dedup(data / f"{corpus}.jsonl.zst", flags).pairs
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{corpus}.jsonl"
        write_rows(file, halves(rows(data, corpus)))
        return nearprint.dedup(file, flags).pairs


class Merged:
    """The merged pairs and their similarities; one of several equal texts stands for all."""

    def __init__(self, pairs: list[dict]):
        self.equal = {}
        for row in pairs:
            if row["reason"] == "exact":
                self.equal[self.first(row["right"])] = self.first(row["left"])
        self.similarities = {
            frozenset((self.first(row["left"]), self.first(row["right"]))): row["similarity"]
            for row in pairs
            if row["reason"] != "exact"
        }

    def first(self, document: str) -> str:
        """The document that stands for this one and all equal ones."""
        while document in self.equal:
            document = self.equal[document]
        return document

    def similarity(self, left: str, right: str) -> float | None:
        """The similarity of a merged pair, else None."""
        pair = frozenset((self.first(left), self.first(right)))
        return 1.0 if len(pair) == 1 else self.similarities.get(pair)


def texts(data: Path, corpus: str, ids: set[str]) -> dict[str, str]:
    """The texts of these documents of a corpus."""
    documents = rows(data, corpus)
    documents = halves(documents) if corpus in OF_TWO_TEXTS else documents
    return {row["id"]: row["text"] for row in documents if row["id"] in ids}


def resemblance(left: str, right: str, language: str, length: int) -> float:
    """The Jaccard similarity of the sets of LENGTH words in a row of two texts."""

    def ngrams(text):
        found = words(text, language)
        return {tuple(found[i : i + length]) for i in range(max(1, len(found) - length + 1))}

    left, right = ngrams(left), ngrams(right)
    return len(left & right) / len(left | right)


TOOLS = {
    "nearprint": lambda row: row["similarity"] is not None,
    "words .8": lambda row: row["words"] >= 0.8,
    "words .7": lambda row: row["words"] >= 0.7,
    "shingles .8": lambda row: row["shingles"] >= 0.8,
}


def table(pairs: list[dict]) -> str:
    """A table of the true and the false pairs that each tool merges, and the share of false ones.

    It has a line for each corpus and each group.
    """

    def cells(name, chosen):
        true, false = ([row for row in chosen if row["label"] == label] for label in (1, 0))
        line = [name, f"{len(true)}, {len(false)}"]
        for merges in TOOLS.values():
            right, wrong = sum(map(merges, true)), sum(map(merges, false))
            share = f"{100 * wrong / (right + wrong):.0f} %" if right + wrong else "-"
            line.append(f"{right}, {wrong}; {share}")
        return line

    lines = [["pairs", "true, false", *TOOLS]]
    lines.append(["---"] * len(lines[0]))
    for group in GROUPS:
        chosen = [row for row in pairs if row["group"] == group]
        for corpus in dict.fromkeys(row["corpus"] for row in chosen):
            lines.append(cells(corpus, [row for row in chosen if row["corpus"] == corpus]))
        if chosen:
            lines.append(cells(f"all {group}", chosen))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def wrong(pairs: list[dict]) -> list[dict]:
    """The missed true pairs, and the merged false ones."""
    return [row for row in pairs if (row["similarity"] is not None) != bool(row["label"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_argument(parser)
    parser.add_argument(
        "--wrong", action="store_true", help="list the pairs that are decided wrongly"
    )
    options, flags = nearprint.options_and_flags(parser)
    pairs = judged(options.data)
    for corpus in dict.fromkeys(row["corpus"] for row in pairs):
        merged = Merged(run(options.data, corpus, flags))
        chosen = [row for row in pairs if row["corpus"] == corpus]
        text = texts(
            options.data, corpus, {row[side] for row in chosen for side in ("id_a", "id_b")}
        )
        for row in chosen:
            both = (text[row["id_a"]], text[row["id_b"]], corpus[:2])
            row["similarity"] = merged.similarity(row["id_a"], row["id_b"])
            row["words"], row["shingles"] = resemblance(*both, 1), resemblance(*both, 3)
    print(table(pairs))
    if options.wrong:
        print()
        for row in wrong(pairs):
            print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
