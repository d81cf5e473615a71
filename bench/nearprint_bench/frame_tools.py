"""Runs one tool on one Polars frame: frame_tools.py TOOL CORPUS.jsonl FOUND.

The last line is JSON: the seconds and the memory of the run. Tools other than nearprint have the
settings of `peers`: shingles of three words, 128 hashes in 32 bands of 4, a threshold of 0.6, found
pairs kept at an estimate of at least 0.6.
"""

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars


def nearprint(frame: polars.DataFrame) -> Callable[[], list[tuple[int, int]]]:
    import nearprint as nr

    result = nr.dedup(frame, threads=1)
    assert len(result.kept) + len(result.removed) == len(frame)
    return lambda: all_pairs(result)


def all_pairs(result) -> list[tuple[int, int]]:
    """All duplicate pairs, for the F1: a run does not list pairs that remove no document."""
    # Each copy of an equal text has one pair, with the first copy; its other pairs follow from it.
    alike: dict[int, list[int]] = {}
    pairs = result.pairs.select("left", "right", "reason").rows()
    for left, right, reason in pairs:
        if reason == "exact":
            alike.setdefault(left, [left]).append(right)
    found = [
        (one, other)
        for left, right, reason in pairs
        if reason != "exact"
        for one in alike.get(left, [left])
        for other in alike.get(right, [right])
    ]
    return found + [
        (one, other)
        for family in alike.values()
        for one in family
        for other in family
        if one < other
    ]


def gaoya(frame: polars.DataFrame) -> list[tuple[int, int]]:
    from gaoya.minhash import MinHashStringIndex

    texts = frame["text"].to_list()
    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=0.6,
        num_bands=32,
        band_size=4,
        lowercase=True,
        analyzer="word",
        ngram_range=(3, 3),
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    return [
        (number, other)
        for number, found in enumerate(index.par_bulk_query(texts))
        for other in found
        if other != number
    ]


def rensa(frame: polars.DataFrame) -> list[tuple[int, int]]:
    from rensa import RMinHash, RMinHashLSH

    words = [re.findall(r"\w+", text.lower()) for text in frame["text"].to_list()]
    shingles = [
        list({" ".join(own[at : at + 3]) for at in range(max(1, len(own) - 2))}) for own in words
    ]
    hashes = RMinHash.from_token_sets(shingles, num_perm=128, seed=42)
    index = RMinHashLSH(threshold=0.6, num_perm=128, num_bands=32)
    index.insert_many(hashes)
    return [
        (number, other)
        for number, found in enumerate(index.query_all(hashes))
        for other in found
        if other > number and hashes[number].jaccard(hashes[other]) >= 0.6
    ]


def rensa_words(frame: polars.DataFrame) -> list[tuple[int, int]]:
    """The fastest call of rensa, on single words; it gives the kept documents and no pairs."""
    from rensa import RMinHashDeduplicator

    kept = RMinHashDeduplicator(threshold=0.8, num_perm=128, use_lsh=True).add_pairs(
        (str(number), text.split()) for number, text in enumerate(frame["text"])
    )
    frame.filter(polars.Series(kept))
    return []


def fingerprints(frame: polars.DataFrame) -> list[tuple[int, int]]:
    import nearprint as nr

    nr.Fingerprinter(threads=1).fingerprints(frame["text"])
    return []


def memory_mb(of: str) -> float:
    """A line of the process's status, in MB; 0 if the system has none."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return 0.0
    return int(re.search(rf"{of}:\s+(\d+)", status)[1]) * 1024 / 1e6


def main():
    tool, corpus, found = sys.argv[1:]
    frame = polars.read_ndjson(corpus, schema={"text": polars.String}).rechunk()
    __import__({"fingerprints": "nearprint", "rensa_words": "rensa"}.get(tool, tool))
    try:
        Path("/proc/self/clear_refs").write_text("5")  # Resets the peak memory.
    except OSError:
        pass
    before = memory_mb("VmRSS")
    begun, cpu = time.perf_counter(), time.process_time()
    found_pairs = globals()[tool](frame)
    took = {
        "wall": time.perf_counter() - begun,
        "cpu": time.process_time() - cpu,
        "memory_mb": memory_mb("VmHWM") - before,
    }
    pairs = found_pairs() if callable(found_pairs) else found_pairs
    with open(found, "w") as out:
        out.writelines(f"{left}\t{right}\n" for left, right in pairs)
    print(json.dumps(took))


if __name__ == "__main__":
    main()
