"""Documents and questions for the service, and the bodies of requests with them.

The documents are those of `index_corpus`: some 2,000 bytes, five windows of real texts, a tenth of
the words replaced; here half are English and half Chinese. `new-K.jsonl` has other such documents,
`copies-K.jsonl` documents of `documents-K.jsonl` with 5 to 15 % of their words replaced. Every part
K has a seed of its own and is made by a process of its own.
"""

import json
import multiprocessing
from itertools import islice
from pathlib import Path
from random import Random

from .index_corpus import drawn, texts_of

PARTS = 2
ENGLISH = 0.5
QUESTIONS = 25_000  # of a part, new and copies
_texts = {}  # before the fork, so that the parts share it


def corpus(data: Path, work: Path, count: int) -> Path:
    """The folder of a corpus of at least this many documents, which is made if it does not exist."""
    folder = work / f"corpus-{count}"
    if not (folder / "made").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _texts.update(texts_of(data))
        each = -(-count // PARTS)
        with multiprocessing.get_context("fork").Pool(PARTS) as pool:
            pool.starmap(write_part, [(folder, part, each) for part in range(PARTS)])
        (folder / "made").touch()
    return folder


def write_part(folder: Path, part: int, count: int) -> None:
    random = Random(f"service {part}")
    with open(folder / f"documents-{part}.jsonl", "w", encoding="utf-8") as file:
        for number in range(count):
            row = {"id": f"{part}-{number}", **drawn(_texts, random, ENGLISH)}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    random = Random(f"questions {part}")
    with open(folder / f"new-{part}.jsonl", "w", encoding="utf-8") as file:
        for _ in range(QUESTIONS):
            file.write(json.dumps(drawn(_texts, random, ENGLISH), ensure_ascii=False) + "\n")
    step = max(count // QUESTIONS, 1)
    with (
        open(folder / f"copies-{part}.jsonl", "w", encoding="utf-8") as file,
        open(folder / f"documents-{part}.jsonl", encoding="utf-8") as documents,
    ):
        for line in islice(documents, 0, None, step):
            row = json.loads(line)
            text = _texts[row["lang"]].copy(row["text"], random)
            file.write(json.dumps({"of": row["id"], "text": text}, ensure_ascii=False) + "\n")


def documents(folder: Path):
    """The documents of all parts as lines of JSON, taking turns between the parts."""
    files = [open(path, "rb") for path in sorted(folder.glob("documents-*.jsonl"))]
    try:
        for lines in zip(*files):
            yield from (line.rstrip(b"\n") for line in lines)
    finally:
        for file in files:
            file.close()


def rows(folder: Path, name: str) -> list[dict]:
    """The rows of all parts of `new` or `copies`, taking turns between the parts."""
    parts = [open(path, encoding="utf-8") for path in sorted(folder.glob(f"{name}-*.jsonl"))]
    lines = [line for lines in zip(*parts) for line in lines]
    for part in parts:
        part.close()
    return [json.loads(line) for line in lines]


def questions(texts: list[str], each: int = 1) -> list[str]:
    """Bodies of `POST /v1/check` with this many texts each, one on each line."""
    whole = range(0, len(texts) - each + 1, each)
    return [json.dumps({"texts": texts[at : at + each]}, ensure_ascii=False) for at in whole]


def batches(lines, each: int):
    """Bodies of `POST /v1/documents` with this many documents each, and the lines of them."""
    lines = iter(lines)
    while batch := list(islice(lines, each)):
        yield b'{"documents":[' + b",".join(batch) + b"]}", batch
