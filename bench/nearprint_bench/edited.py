"""The recall of edited copies of real news, at edits of 5 to 20 % of the words.

    bench/run.sh edited --data FOLDER [--seeds N] [-- FLAGS OF nearprint dedup]

The articles have 800 characters or more and are unlike each other. Each has one copy in the corpus,
with exactly the given share of its words deleted, inserted, replaced or moved, in runs of one to
five words. Precision is the share of removed documents whose keeper is their original or their
copy.
"""

import argparse
import tempfile
from pathlib import Path
from random import Random

from . import nearprint, words
from .data import add_data_argument, rows, write_rows
from .edits import KINDS, edit
from .paper_corpus import unlike

SETS = {"Chinese": ("zh_news", "zh_xwlb"), "English": ("en_reuters21578",)}
LEAST_CHARACTERS = 800
ARTICLES = 1000
SHARES = (0.05, 0.10, 0.15, 0.20)


def articles(data: Path, names: tuple[str, ...]) -> list[str]:
    """The first texts that are long enough and unlike each other."""
    texts = [
        row["text"]
        for name in names
        for row in rows(data, name)
        if len(row["text"]) >= LEAST_CHARACTERS
    ]
    return [texts[number] for number in unlike(texts[: 2 * ARTICLES])][:ARTICLES]


def score(
    texts: list, supply: list[str], share: float, kinds, seed: int, flags: list[str]
) -> tuple[int, int]:
    """The number of copies found, and the number of removed documents."""
    random = Random(seed)
    copies = [words.join(*edit(*text, share, random, supply, kinds)) for text in texts]
    originals = [{"id": number, "text": words.join(*text)} for number, text in enumerate(texts)]
    both = originals + [
        {"id": len(texts) + number, "text": text} for number, text in enumerate(copies)
    ]
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        write_rows(corpus, both)
        removed = nearprint.dedup(corpus, ["--recall-sample", "0", *flags]).removed
    right = sum(row["id"] % len(texts) == row["keeper"] % len(texts) for row in removed)
    return right, len(removed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_argument(parser)
    parser.add_argument(
        "--seeds",
        metavar="N",
        type=int,
        default=3,
        help="copies of each article, one a run [default: 3]",
    )
    options, flags = nearprint.options_and_flags(parser)
    print(
        "| news | edits | "
        + " | ".join(f"{share:.0%}: precision; recall" for share in SHARES)
        + " |"
    )
    print("| --- | --- |" + " --- |" * len(SHARES))
    for language, names in SETS.items():
        texts = [words.cut(text) for text in articles(options.data, names)]
        supply = [word for own, _ in texts for word in own]
        for name, kinds in [("of all kinds", KINDS), ("moves and insertions", ("move", "insert"))]:
            cells = []
            for share in SHARES:
                found = [
                    score(texts, supply, share, kinds, seed, flags) for seed in range(options.seeds)
                ]
                right, removed = (sum(run[part] for run in found) for part in (0, 1))
                precision = f"{right / removed:.4f}" if removed else "-"
                cells.append(f"{precision}; {right / (len(texts) * options.seeds):.4f}")
            print(f"| {len(texts)} {language} | {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
