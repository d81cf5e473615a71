"""Whole configurations of nearprint: the quality of their answers and their cost.

    bench/run.sh finalists --data FOLDER --hard FOLDER --planted FOLDER [--only TEXT]
    [--also "NAME=FLAGS"]…

The table has, for each configuration, F1, recall and wrong merges on the hard cases, F1 on two
corpora with planted copies and on drafts and revisions, and the CPU seconds (user and system) of
each run on one thread. Runs do not measure their own recall. A configuration with other
fingerprints than the default has the distance at which `bench/run.sh candidates` finds as many
unrelated pairs as with the default.
"""

from pathlib import Path

from . import corpora, nearprint
from .candidates import ENTROPY, FEATURES, WEIGHTS, by_words
from .data import read_rows
from .hard_cases_rivals import score
from .labelled_sets import SETS
from .nearprint_tool import Nearprint
from .pages import markdown

# (name, features, weights, bits, largest distance): features and weights as in candidates.py.
CONFIGURATIONS = [
    ("words, 128 bits", "words", ENTROPY, 128, 36),
    ("words, 256 bits", "words", ENTROPY, 256, 80),
    ("word bigrams, log tf, 256 bits", "word bigrams", "log tf", 256, 96),
    ("character 4-grams, log tf, 256 bits", "character 4-grams", "log tf", 256, 90),
    ("character 4-grams, one, 256 bits", "character 4-grams", "one", 256, 90),
]
LETTERS = ("character n-grams", ["--features", "letters"])
LABELLED = ["en20k", "zh5k", "zh_lctt_revisions"]
ALWAYS = ["--threads", "1", "--recall-sample", "0"]


def configurations(also):
    """Names and flags, without character n-grams if the program cannot make them."""
    found = [("default", [])]
    for name, features, weights, bits, distance in CONFIGURATIONS:
        found.append(
            (
                name,
                [
                    *by_words(),
                    *FEATURES[features],
                    *WEIGHTS[weights],
                    "--bits",
                    bits,
                    "--max-distance",
                    distance,
                ],
            )
        )
    if nearprint.knows("--features"):
        found.append(LETTERS)
    else:
        print(f"{LETTERS[0]}: left out, this program does not know --features\n")
    return found + [(name, flags.split()) for name, flags in (text.split("=", 1) for text in also)]


def hard_cases(folder, flags):
    """The scores of a run on the hard cases, and its seconds."""
    answer = nearprint.dedup(folder / "corpus.jsonl", flags)
    found = {frozenset((row["left"], row["right"])) for row in answer.pairs}
    return score(found, read_rows(folder / "truth.jsonl")), answer.seconds


def main():
    parser = corpora.arguments(__doc__.split("\n")[0])
    parser.add_argument("--hard", type=Path, required=True, help="folder that hard_cases wrote")
    parser.add_argument(
        "--planted",
        type=Path,
        required=True,
        help="folder of en20k.jsonl, en20k.truth.tsv, zh5k.jsonl, zh5k.truth.tsv",
    )
    parser.add_argument(
        "--only", metavar="TEXT", help="only configurations whose name contains this"
    )
    parser.add_argument(
        "--also", metavar="NAME=FLAGS", action="append", default=[], help="one more configuration"
    )
    options = parser.parse_args()
    sets = [SETS[name](options) for name in LABELLED]
    rows = []
    for name, flags in configurations(options.also):
        if options.only and options.only not in name:
            continue
        flags = [*flags, *ALWAYS]
        scores, seconds = hard_cases(options.hard, flags)
        row = [
            name,
            f"{scores['f1']:.4f}",
            f"{scores['right'] / scores['expected']:.4f}",
            str(scores["wrong"] + scores["unlisted"]),
            f"{seconds:.1f}",
        ]
        for data in sets:
            found, seconds = Nearprint.run(data.texts, flags)
            row += [f"{data.count(set(found))['f1']:.4f}", f"{seconds:.1f}"]
        rows.append(row)
        print(" | ".join(row), flush=True)
    header = ["configuration", "hard cases: F1", "recall", "wrong merges", "CPU s"]
    for name in LABELLED:
        header += [f"{name}: F1", "CPU s"]
    print(f"\n{markdown(header, rows)}")


if __name__ == "__main__":
    main()
