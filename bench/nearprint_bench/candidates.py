"""The recall of candidates at equal numbers of chance candidates, for many kinds of fingerprints.

    bench/run.sh candidates --data FOLDER --hard FOLDER [--output FOLDER] [--only TEXT]

Candidates cause the cost, so every kind of fingerprint gets the same budgets: pairs of unrelated
documents per million. All pairs of unrelated articles give the distance that a budget allows. Two
sets of true pairs give the recall within that distance: drafts and published versions of Chinese
articles (`zh_lctt_revisions`, lev_sim of 0.8 or more), and the hard cases that are to be merged (of
`bench/run.sh hard_cases --out FOLDER`). Writes candidates.csv, to bench/work by default.
"""

import csv
import itertools
import tempfile
from pathlib import Path

import numpy

from . import corpora, nearprint
from .data import read_rows, write_rows
from .folders import WORK

BUDGETS = (1, 10, 100, 1000)
FEATURES = {
    "words": ["--ngram", "1"],
    "word bigrams": ["--ngram", "2"],
    "word trigrams": ["--ngram", "3"],
    "character bigrams": ["--segmenter", "characters", "--ngram", "2"],
    "character 4-grams": ["--segmenter", "characters", "--ngram", "4"],
}
WEIGHTS = {
    "one": ["--weights", "one"],
    "tf": ["--weights", "tf", "--tf", "raw"],
    "log tf": ["--weights", "tf", "--tf", "log"],
    "tf-idf": ["--weights", "tfidf", "--tf", "raw", "--least-idf", "0"],
    "log tf x idf": ["--weights", "tfidf", "--tf", "log", "--least-idf", "0"],
    "entropy, raw tf, floor 0": ["--weights", "entropy", "--tf", "raw", "--least-idf", "0"],
    "entropy, log tf, floor 0": ["--weights", "entropy", "--tf", "log", "--least-idf", "0"],
    "entropy, log tf, floor 0.5": ["--weights", "entropy", "--tf", "log", "--least-idf", "0.5"],
}
ENTROPY = "entropy, log tf, floor 0.5"
OTHERS = [
    ("words", f"{ENTROPY}, cap 4", 128, [*WEIGHTS[ENTROPY], "--weight-cap", "4"]),
    ("words", f"{ENTROPY}, rank", 128, [*WEIGHTS[ENTROPY], "--position", "rank"]),
    ("words", f"{ENTROPY}, bucket:4", 128, [*WEIGHTS[ENTROPY], "--position", "bucket:4"]),
    ("words, stop words left out", ENTROPY, 128, [*WEIGHTS[ENTROPY], "--stop-words", "zh,en"]),
    ("words", ENTROPY, 64, WEIGHTS[ENTROPY]),
    ("words", ENTROPY, 256, WEIGHTS[ENTROPY]),
    ("words", "log tf x idf", 64, WEIGHTS["log tf x idf"]),
    ("words", "log tf x idf", 256, WEIGHTS["log tf x idf"]),
    ("word bigrams", "log tf", 256, WEIGHTS["log tf"]),
    ("word bigrams", ENTROPY, 256, WEIGHTS[ENTROPY]),
    ("character 4-grams", "log tf", 256, WEIGHTS["log tf"]),
    ("character 4-grams", "one", 256, WEIGHTS["one"]),
]


def by_words():
    """The flags for features of words, where the program knows features of letters as well."""
    return ["--features", "words"] if nearprint.knows("--features") else []


def ways():
    """Every kind of fingerprint as (features, weights, bits, flags).

    The flags name every setting, because defaults may change.
    """
    listed = [(f, w, 128, flags) for f in FEATURES for w, flags in WEIGHTS.items()] + OTHERS
    found = [
        (f, w, bits, [*by_words(), *FEATURES[f.split(",")[0]], *flags, "--bits", str(bits)])
        for f, w, bits, flags in listed
    ]
    letters = [("character n-grams", "one", bits) for bits in (128, 256)]
    if nearprint.knows("--features"):
        return found + [
            (*way, ["--features", "letters", *WEIGHTS["one"], "--bits", str(way[2])])
            for way in letters
        ]
    print("character n-grams: left out, this program does not know --features")
    return found


def distances(prints, left, right):
    return numpy.bitwise_count(prints[left] ^ prints[right]).sum(axis=-1)


def histogram(prints, chosen, bits):
    """The number of pairs of the chosen documents at each distance."""
    counts = numpy.zeros(bits + 1, dtype=numpy.int64)
    own = prints[chosen]
    for place in range(len(own) - 1):
        apart = numpy.bitwise_count(own[place + 1 :] ^ own[place]).sum(axis=1)
        counts += numpy.bincount(apart, minlength=bits + 1)
    return counts


def material(options, folder):
    """The corpus, and the places of its unrelated documents and of its sets of true pairs."""
    rows, unrelated, sets = [], [], {"revisions": [], "hard cases zh": [], "hard cases en": []}
    for row in itertools.islice(corpora.rows(options.data, "zh_lctt_revisions"), 1500):
        if row["lev_sim"] >= 0.8:
            sets["revisions"].append((len(rows), len(rows) + 1))
            unrelated.append(len(rows))
            rows += [
                {"id": len(rows), "text": row["text_a"]},
                {"id": len(rows) + 1, "text": row["text_b"]},
            ]
    place = {}
    for row in read_rows(options.hard / "corpus.jsonl"):
        place[row["id"]] = len(rows)
        if row["class"] == "background":
            unrelated.append(len(rows))
        rows.append({"id": len(rows), "text": row["text"]})
    for row in read_rows(options.hard / "truth.jsonl"):
        if row["label"] == 1:
            sets[f"hard cases {row['language']}"].append((place[row["left"]], place[row["right"]]))
    corpus = folder / "corpus.jsonl"
    write_rows(corpus, rows)
    return (
        corpus,
        numpy.array(unrelated),
        {name: numpy.array(pairs) for name, pairs in sets.items()},
    )


def main():
    parser = corpora.arguments(__doc__.split("\n")[0])
    parser.add_argument("--hard", type=Path, required=True, help="folder that hard_cases wrote")
    parser.add_argument("--output", type=Path, default=WORK)
    parser.add_argument(
        "--only", metavar="TEXT", help="only ways whose `features, weights, bits` contain this"
    )
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    chosen_ways = [
        way for way in ways() if not options.only or options.only in f"{way[0]}, {way[1]}, {way[2]}"
    ]
    with (
        tempfile.TemporaryDirectory() as folder,
        open(options.output / "candidates.csv", "w", newline="") as file,
    ):
        corpus, unrelated, sets = material(options, Path(folder))
        writer = csv.writer(file)
        writer.writerow(["features", "weights", "bits", "unrelated_per_million", "distance", *sets])
        for features, weights, bits, flags in chosen_ways:
            made = nearprint.fingerprints(corpus, flags)
            prints, counts = made.words, made.features
            chosen = unrelated[counts[unrelated] >= 16]
            share = (
                numpy.cumsum(histogram(prints, chosen, bits))
                / (len(chosen) * (len(chosen) - 1) / 2)
                * 1e6
            )
            for budget in BUDGETS:
                distance = int(numpy.searchsorted(share, budget, side="right")) - 1
                recalls = []
                for pairs in sets.values():
                    long = pairs[(counts[pairs] >= 16).all(axis=1)]
                    recalls.append(
                        round(
                            float((distances(prints, long[:, 0], long[:, 1]) <= distance).mean()), 4
                        )
                    )
                row = [features, weights, bits, budget, distance, *recalls]
                writer.writerow(row)
                print(*row, flush=True)


if __name__ == "__main__":
    main()
