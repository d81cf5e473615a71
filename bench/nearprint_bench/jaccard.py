"""Exact Jaccard similarity beside MinHash: the pairs of a corpus, missed and false ones, seconds.

    bench/run.sh jaccard --data FOLDER [--corpora NAME,NAME] [--threshold T] [--shingle N] [--cores N]

The true pairs are those of all pairs of sets of word n-grams, counted by the n-grams that they share.
MinHash has 128 permutations and the bands of datasketch for the threshold; its pairs are those that
share a band, without a comparison (query), or with one by their MinHash values (confirmed). Words are
runs of letters and digits in lower case, single characters in Chinese, the same for all.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import datasketch

from .data import add_data_argument, rows
from .pages import markdown

HEADER = ["corpus", "tool", "pairs", "found", "outside", "seconds"]
WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def sets_of(texts: list[str], shingle: int) -> list[frozenset[str]]:
    """The sets of word n-grams; of a shorter text, the whole of it."""
    found = []
    for text in texts:
        words = text.split(" ")
        length = min(shingle, len(words))
        runs = (words[start : start + length] for start in range(len(words) - length + 1))
        found.append(frozenset(" ".join(run) for run in runs))
    return found


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard similarity of two sets."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def true_pairs(sets: list[frozenset[str]], threshold: float) -> set[tuple[int, int]]:
    """All pairs of at least this similarity."""
    having: dict[str, list[int]] = defaultdict(list)
    pairs = set()
    for number, own in enumerate(sets):
        shared = Counter(other for ngram in own for other in having[ngram])
        for other, count in shared.items():
            if count / (len(own) + len(sets[other]) - count) >= threshold:
                pairs.add((other, number))
        for ngram in own:
            having[ngram].append(number)
    return pairs


def of_datasketch(sets: list[frozenset[str]], threshold: float, confirms: bool):
    """The pairs of datasketch."""
    minhashes = datasketch.MinHash.bulk(
        [[word.encode() for word in own] for own in sets], num_perm=128
    )
    lsh = datasketch.MinHashLSH(threshold=threshold, num_perm=128)
    pairs = set()
    for number, minhash in enumerate(minhashes):
        for other in lsh.query(minhash):
            if not confirms or minhash.jaccard(minhashes[other]) >= threshold:
                pairs.add((other, number))
        lsh.insert(number, minhash)
    return pairs


def of_nearprint(file: Path, threshold: float, shingle: int):
    """The pairs of nearprint, by its files."""
    output = file.parent / "out"
    command = [os.environ["NEARPRINT"], "dedup", file, "--output", output, "--force", "--pairs"]
    command += ["--preset", "jaccard", "--min-similarity", threshold, "--shingle", shingle]
    command += ["--just-missed", "off", "--quiet", "--threads", "1", "--normalize", "none"]
    subprocess.run([str(part) for part in command], check=True)
    with open(output / "pairs.jsonl", encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in lines]
    return {tuple(sorted((pair["left"], pair["right"]))) for pair in pairs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_argument(parser)
    parser.add_argument("--corpora", default="en_reuters21578,zh_reviews,zh_news")
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("--shingle", type=int, default=3)
    parser.add_argument("--cores", default="0")
    options = parser.parse_args()
    os.sched_setaffinity(0, {int(core) for core in options.cores.split(",")})
    table = []
    for corpus in options.corpora.split(","):
        texts = dict.fromkeys(
            " ".join(WORD.findall(row["text"].lower())) for row in rows(options.data, corpus)
        )
        # Equal texts are one document for all.
        texts = [text for text in texts if text]
        sets = sets_of(texts, options.shingle)
        true = true_pairs(sets, options.threshold)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "texts.jsonl"
            lines = (json.dumps({"id": number, "text": text}) for number, text in enumerate(texts))
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
            tools = {
                "nearprint, preset jaccard": lambda: of_nearprint(
                    file, options.threshold, options.shingle
                ),
                "datasketch, query": lambda: of_datasketch(sets, options.threshold, False),
                "datasketch, confirmed": lambda: of_datasketch(sets, options.threshold, True),
            }
            for tool, pairs_of in tools.items():
                start = time.perf_counter()
                pairs = pairs_of()
                seconds = time.perf_counter() - start
                found = len(pairs & true) / max(len(true), 1)
                outside = len(pairs - true)
                table.append(
                    [corpus, tool, str(len(true)), f"{found:.4f}", str(outside), f"{seconds:.2f}"]
                )
                print(table[-1], flush=True)
    print(markdown(HEADER, table))


if __name__ == "__main__":
    main()
