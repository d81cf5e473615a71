"""nearprint.simhash beside the package that it replaces: the cost of each part, and equal answers.

    bench/run.sh simhash_package --data FOLDER [--corpus NAME] [--count N] [--k K] [--f F]
    [--core N]

The documents are passages of 300 to 1,000 characters of the corpus, from random places. Every fifth
is an earlier one with a few words replaced. Seconds are CPU seconds of one run of each part: the
Simhash of every document, an index of all, and the near documents of each.
"""

import argparse
import logging
import os
import random
import time

import nearprint.simhash
import simhash

from .data import add_data_argument, rows
from .pages import markdown

HEADER = ["part", "simhash, s", "nearprint, s", "times as fast", "same answers"]
SHORTEST, LONGEST = 300, 1000


def documents(texts: list[str], count: int, draw: random.Random) -> list[str]:
    """Passages of texts; every fifth is a copy of an earlier one with a few words replaced."""
    texts = [text for text in texts if len(text) >= SHORTEST]
    made: list[str] = []
    while len(made) < count:
        text = draw.choice(texts)
        start = draw.randrange(len(text) - SHORTEST + 1)
        passage = text[start : start + draw.randint(SHORTEST, LONGEST)]
        if len(made) % 5 == 4:
            passage = draw.choice(made)
            for _ in range(draw.randint(1, 3)):
                place = draw.randrange(len(passage) - 5)
                other = draw.randrange(len(text) - 5)
                passage = passage[:place] + text[other : other + 5] + passage[place + 5 :]
        made.append(passage)
    return made


def timed(part):
    """The result of a part, and its CPU seconds."""
    start = time.process_time()
    given = part()
    return given, time.process_time() - start


def run(module, texts: list[str], f: int, k: int):
    """The seconds of each part, and its results in a comparable form."""
    simhashes, making = timed(lambda: [module.Simhash(text, f=f) for text in texts])
    objs = [(str(number), one) for number, one in enumerate(simhashes)]
    index, indexing = timed(lambda: module.SimhashIndex(objs, f=f, k=k))
    size = index.bucket_size()
    near, asking = timed(lambda: [index.get_near_dups(one) for one in simhashes])
    return [making, indexing, asking], [
        [one.value for one in simhashes],
        size,
        [sorted(ids) for ids in near],
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_argument(parser)
    parser.add_argument(
        "--corpus", metavar="NAME", default="en_reuters21578", help="NAME.jsonl.zst of the folder"
    )
    parser.add_argument("--count", metavar="N", type=int, default=100_000, help="documents")
    parser.add_argument(
        "--k", metavar="K", type=int, default=3, help="bits that near ones may differ in"
    )
    parser.add_argument("--f", metavar="F", type=int, default=64, help="bits of a fingerprint")
    parser.add_argument("--core", metavar="N", type=int, default=0, help="the core for all of it")
    options = parser.parse_args()
    os.sched_setaffinity(0, {options.core})
    logging.getLogger("simhash").setLevel(logging.ERROR)
    texts = documents(
        [row["text"] for row in rows(options.data, options.corpus)], options.count, random.Random(1)
    )
    own, own_answers = run(nearprint.simhash, texts, options.f, options.k)
    theirs, their_answers = run(simhash, texts, options.f, options.k)
    same = [mine == other for mine, other in zip(own_answers, their_answers)]
    parts = zip(
        ["Simhash of each", "SimhashIndex of all", "get_near_dups of each"], theirs, own, same
    )
    parts = [*parts, ("all", sum(theirs), sum(own), all(same))]
    letters, found = sum(map(len, texts)), sum(map(len, own_answers[2])) - len(texts)
    print(
        f"{options.corpus}: {len(texts):,} documents of {letters / len(texts):.0f} characters; {found:,} answers but for the documents themselves\n"
    )
    print(
        markdown(
            HEADER,
            [
                [name, f"{a:.2f}", f"{b:.3f}", f"{a / b:.0f}", "yes" if equal else "no"]
                for name, a, b, equal in parts
            ],
        )
    )


if __name__ == "__main__":
    main()
