"""run_rensa.py CORPUS.jsonl LANGUAGE OUTPUT SIZE [groups]: runs RMinHashDeduplicator.

The settings are those of its documentation. SIZE is the length of word n-grams; the documentation
has 1. rjieba cuts Chinese. `groups`, for a further run that is not measured, also writes the kept
documents that a removed one is like.
"""

import json
import sys
from pathlib import Path

import rjieba
from rensa import RMinHashDeduplicator

THRESHOLD, PERMUTATIONS = 0.8, 128


def rows(corpus):
    with open(corpus, encoding="utf-8") as file:
        for line in file:
            yield line, json.loads(line)


def tokens(text, language, size):
    words = rjieba.cut(text) if language == "zh" else text.split()
    return (
        words
        if size == 1
        else [" ".join(words[i : i + size]) for i in range(max(1, len(words) - size + 1))]
    )


def main():
    corpus, language, output, size = sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])
    deduplicator = RMinHashDeduplicator(threshold=THRESHOLD, num_perm=PERMUTATIONS, use_lsh=True)
    keep = deduplicator.add_pairs(
        (row["id"], tokens(row["text"], language, size)) for _, row in rows(corpus)
    )
    with open(output / "kept.jsonl", "w", encoding="utf-8") as kept:
        kept.writelines(line for (line, _), stays in zip(rows(corpus), keep) if stays)
    if sys.argv[5:] == ["groups"]:
        removed = [row for (_, row), stays in zip(rows(corpus), keep) if not stays]
        found = deduplicator.get_duplicate_sets(
            [tokens(row["text"], language, size) for row in removed]
        )
        with open(output / "groups.jsonl", "w", encoding="utf-8") as groups:
            for row, others in zip(removed, found):
                groups.writelines(json.dumps([row["id"], other]) + "\n" for other in others)


if __name__ == "__main__":
    main()
