"""nearprint.datasketch beside the package that it replaces: the time of each part, equal answers.

    bench/run.sh datasketch_package --data FOLDER [--corpus NAME] [--count N] [--scheme SCHEME]
    [--threshold T] [--runs N] [--cores N,N]

The documents are passages of 300 to 1,000 characters, every fifth a copy of an earlier one with a
few words replaced, as three-word shingles. Times are medians of the runs, in which the two take
turns; CPU seconds are those of all threads. Python's garbage collector rests.
"""

import argparse
import gc
import os
import random
import statistics
import time

import datasketch
import nearprint.datasketch

from .data import add_data_argument, rows
from .pages import markdown
from .simhash_package import documents

HEADER = [
    "part",
    "datasketch, s",
    "CPU s",
    "nearprint, s",
    "CPU s",
    "times as fast",
    "by CPU",
    "same answers",
]


def shingles(text: str) -> list[bytes]:
    """The different word 3-grams of a text."""
    words = text.split()
    return list({" ".join(words[start : start + 3]).encode() for start in range(len(words) - 2)})


def timed(part):
    """The result of a part, its seconds, and its CPU seconds."""
    gc.collect()
    gc.disable()
    start = time.perf_counter(), time.process_time()
    given = part()
    seconds = time.perf_counter() - start[0], time.process_time() - start[1]
    gc.enable()
    return given, seconds


def each(method, arguments):
    """Calls a method with each tuple of arguments."""
    return [method(*given) for given in arguments]


def run(module, sets: list[list[bytes]], options):
    """The times of each part, and its results in a comparable form."""
    minhashes, making = timed(
        lambda: module.MinHash.bulk(sets, num_perm=128, scheme=options.scheme)
    )
    lsh, preparing = timed(lambda: module.MinHashLSH(threshold=options.threshold, num_perm=128))
    _, inserting = timed(lambda: each(lsh.insert, enumerate(minhashes)))
    found, asking = timed(lambda: each(lsh.query, ((minhash,) for minhash in minhashes)))
    seconds = {
        "MinHash.bulk": making,
        "MinHashLSH(threshold)": preparing,
        "insert, one by one": inserting,
        "query, one by one": asking,
    }
    answers = [sorted(keys) for keys in found]
    if module is nearprint.datasketch:
        other = module.MinHashLSH(params=(lsh.b, lsh.r), num_perm=128)
        _, seconds["insert_all"] = timed(lambda: other.insert_all(range(len(sets)), minhashes))
        again, seconds["query_all"] = timed(lambda: other.query_all(minhashes))
        assert [sorted(keys) for keys in again] == answers
    else:
        seconds["insert_all"], seconds["query_all"] = inserting, asking
    values = [minhash.hashvalues.tolist() for minhash in minhashes]
    same = {"MinHash.bulk": values, "MinHashLSH(threshold)": (lsh.b, lsh.r), "query": answers}
    return seconds, same


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_argument(parser)
    parser.add_argument(
        "--corpus", metavar="NAME", default="en_reuters21578", help="NAME.jsonl.zst of the folder"
    )
    parser.add_argument("--count", metavar="N", type=int, default=20_000, help="documents")
    parser.add_argument("--scheme", choices=["affine32", "affine64", "legacy"], default="affine32")
    parser.add_argument("--threshold", metavar="T", type=float, default=0.7, help="of the index")
    parser.add_argument("--runs", metavar="N", type=int, default=3)
    parser.add_argument("--cores", metavar="N,N", help="the cores for all of it")
    options = parser.parse_args()
    if options.cores:
        os.sched_setaffinity(0, map(int, options.cores.split(",")))
    draw = random.Random(1)
    texts = [row["text"] for row in rows(options.data, options.corpus)]
    sets = [shingles(text) for text in documents(texts, options.count, draw)]
    runs = [
        [run(module, sets, options) for module in (datasketch, nearprint.datasketch)]
        for _ in range(options.runs)
    ]
    same = all(theirs[1] == own[1] for theirs, own in runs)
    table = []
    for part in runs[0][0][0]:
        (theirs, their_cpu), (own, own_cpu) = (
            [statistics.median(pair[side][0][part][clock] for pair in runs) for clock in (0, 1)]
            for side in (0, 1)
        )
        seconds = [f"{theirs:.3f}", f"{their_cpu:.3f}", f"{own:.4f}", f"{own_cpu:.4f}"]
        times = [f"{theirs / own:.0f}", f"{their_cpu / own_cpu:.0f}"]
        table.append([part, *seconds, *times, "yes" if same else "no"])
    print(
        f"{options.corpus}: {len(sets):,} documents of {sum(map(len, sets)) / len(sets):.0f} "
        f"shingles, scheme {options.scheme}, threshold {options.threshold}, "
        f"{len(os.sched_getaffinity(0))} cores, {options.runs} runs\n"
    )
    print(markdown(HEADER, table))


if __name__ == "__main__":
    main()
