"""Fills and queries another index, in a process that `index_tools` starts.

    python -m nearprint_bench.index_rivals flat FOLDER
    python -m nearprint_bench.index_rivals multihash FOLDER NHASH B NFLIP
    python -m nearprint_bench.index_rivals datasketch FOLDER

The last line is JSON: the wall-clock and CPU seconds of each part, and other figures. Answers are in
FOLDER/answers.jsonl, as `nearprint index query` writes them, without similarities.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy

from .words import words

BATCH = 1000
# nearprint compares documents whose fingerprints differ in at most 80 of 256 bits. The bound of
# FAISS is exclusive.
MOST_BITS = 80
PERMUTATIONS, THRESHOLD, SHINGLE = 128, 0.7, 3


class Clock:
    """Wall-clock and CPU seconds of the parts of a run, each summed over many pieces."""

    def __init__(self):
        self.seconds = {}

    def of(self, part: str, work):
        clock, processor = time.perf_counter(), time.process_time()
        made = work()
        for name, seconds in (
            (part, time.perf_counter() - clock),
            (f"{part} cpu", time.process_time() - processor),
        ):
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        return made


def rows_of(file: Path):
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def batches(rows):
    batch = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def write_answers(folder: Path, answers) -> None:
    with open(folder / "answers.jsonl", "w", encoding="utf-8") as file:
        for question, found in answers:
            file.write(
                json.dumps(
                    {"id": question, "matches": [{"id": int(one)} for one in found], "more": 0}
                )
                + "\n"
            )


def faiss_run(folder: Path, make) -> dict:
    """Fills an index of FAISS with fingerprints in batches, queries it within 80 bits, writes it to
    a file, and reads it."""
    import faiss

    faiss.omp_set_num_threads(1)
    clock, index = Clock(), make(faiss)
    documents, questions = (
        numpy.load(folder / "documents.npy", mmap_mode="r"),
        numpy.load(folder / "questions.npy"),
    )
    for start in range(0, len(documents), BATCH):
        batch = numpy.ascontiguousarray(documents[start : start + BATCH])
        clock.of("add", lambda: index.add(batch))
    limits, _, found = clock.of("ask", lambda: index.range_search(questions, MOST_BITS + 1))
    write_answers(
        folder,
        ((number, found[limits[number] : limits[number + 1]]) for number in range(len(questions))),
    )
    file = folder / "index.faiss"

    def save():
        faiss.write_index_binary(index, str(file))
        with open(file, "rb") as written:
            os.fsync(written.fileno())

    clock.of("write", save)
    index = None  # so that one index is in memory at a time
    clock.of("open", lambda: faiss.read_index_binary(str(file)))
    size = file.stat().st_size
    file.unlink()
    return {**clock.seconds, "bytes": size}


def multihash(faiss, tables: int, bits: int, flips: int):
    index = faiss.IndexBinaryMultiHash(256, tables, bits)
    index.nflip = flips
    return index


def datasketch_run(folder: Path) -> dict:
    """Runs MinHashLSH as its documentation does: on sets of word n-grams of three, in UTF-8."""
    from datasketch import MinHash, MinHashLSH

    clock, index = Clock(), MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS)

    def shingles(row: dict) -> list[bytes]:
        found = words(row["text"], row["lang"])
        return [
            " ".join(found[i : i + SHINGLE]).encode()
            for i in range(max(1, len(found) - SHINGLE + 1))
        ]

    def sketches(batch: list[dict]) -> list:
        made = []
        for row in batch:
            sketch = MinHash(num_perm=PERMUTATIONS)
            sketch.update_batch(set(shingles(row)))
            made.append(sketch)
        return made

    def insert(batch: list[dict], made: list) -> None:
        for row, sketch in zip(batch, made):
            index.insert(row["id"], sketch)

    parts = batches(rows_of(folder / "documents.jsonl"))
    while batch := clock.of("make", lambda: next(parts, None)):
        made = clock.of("make", lambda: sketches(batch))
        clock.of("add", lambda: insert(batch, made))
    answers = []
    parts = batches(rows_of(folder / "questions.jsonl"))
    while batch := clock.of("make questions", lambda: next(parts, None)):
        made = clock.of("make questions", lambda: sketches(batch))
        answers += zip(
            [row["id"] for row in batch],
            clock.of("ask", lambda: [index.query(sketch) for sketch in made]),
        )
    write_answers(folder, answers)
    return {**clock.seconds, "bands": f"{index.b} bands of {index.r}"}


def main():
    tool, folder, *numbers = sys.argv[1:]
    folder = Path(folder)
    if tool == "datasketch":
        said = datasketch_run(folder)
    elif tool == "flat":
        said = faiss_run(folder, lambda faiss: faiss.IndexBinaryFlat(256))
    else:
        said = faiss_run(folder, lambda faiss: multihash(faiss, *map(int, numbers)))
    print(json.dumps(said))


if __name__ == "__main__":
    main()
