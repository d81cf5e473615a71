"""run_dolma.py CORPUS.jsonl OUTPUT SHORTEST [spans]: dolma cuts the lines that it has seen before.

The commands `dolma dedupe` and `dolma mix`, with the settings of the dolma project for web text
(configs/dolma-v1_5/para_dedupe): a Bloom filter of all lines in reading order, a rate of false
alarms of one in a million, empty lines skipped. Lines of fewer than SHORTEST characters are neither
cut nor remembered. The second command cuts.

Writes kept.jsonl, the rows with what is left. With `spans` it only writes spans.jsonl, the ranges
of bytes that an earlier call cut.
"""

import json
import subprocess
import sys
from itertools import accumulate
from pathlib import Path

NAME = "lines"


def run(command: str, settings: dict, output: Path) -> None:
    path = output / f"{command}.json"
    path.write_text(json.dumps(settings), encoding="utf-8")
    dolma = [sys.executable, "-m", "dolma.cli", "--config", path, command]
    subprocess.run(dolma, check=True, cwd=output)


def folders(output: Path, command: str) -> dict:
    return {kind: str(output / "work" / command / kind) for kind in ("input", "output")}


def cut(corpus: Path, output: Path, shortest: int) -> None:
    documents = output / "documents"
    documents.mkdir()
    (documents / "corpus.jsonl").symlink_to(corpus.resolve())
    with open(corpus, "rb") as file:
        # Of fewer lines dolma makes far more hashes than it needs.
        lines = max(1_000_000, sum(line.count(b"\\n") + 1 for line in file))
    every = {"documents": [str(documents / "*.jsonl")], "processes": 1}
    run(
        "dedupe",
        {
            **every,
            "work_dir": folders(output, "dedupe"),
            "dedupe": {
                "name": NAME,
                "paragraphs": {"attribute_name": NAME},
                "skip_empty": True,
                "min_length": shortest,
            },
            "bloom_filter": {
                "file": str(output / "bloom.bin"),
                "read_only": False,
                "estimated_doc_count": lines,
                "desired_false_positive_rate": 1e-6,
            },
        },
        output,
    )
    cuts = {"span": f"$.attributes.{NAME}", "min_score": 0.5, "replacement": ""}
    run(
        "mix",
        {
            "streams": [
                {
                    "name": "kept",
                    "documents": every["documents"],
                    "output": {"path": str(output / "mixed"), "max_size_in_bytes": 1 << 40},
                    "compression": {"output": ""},
                    "attributes": [NAME],
                    "span_replacement": [cuts],
                }
            ],
            "work_dir": folders(output, "mix"),
            "processes": 1,
        },
        output,
    )
    (made,) = (output / "mixed").iterdir()
    made.rename(output / "kept.jsonl")


def of_bytes(text: str, spans: list) -> list[tuple[int, int]]:
    """The ranges of bytes of ranges of characters, which may end one after the text."""
    before = [0, *accumulate(len(letter.encode()) for letter in text)]
    return [(before[start], before[min(end, len(text))]) for start, end, _ in spans]


def write_spans(corpus: Path, output: Path) -> None:
    with (
        open(corpus, encoding="utf-8") as texts,
        open(output / "attributes" / NAME / "corpus.jsonl", encoding="utf-8") as attributes,
        open(output / "spans.jsonl", "w", encoding="utf-8") as out,
    ):
        for line, other in zip(texts, attributes, strict=True):
            row, found = json.loads(line), json.loads(other)
            if found["id"] != row["id"]:
                raise SystemExit(f"{row['id']}: dolma has {found['id']} in its place")
            spans = found["attributes"].get(NAME, [])
            for start, end in of_bytes(row["text"], spans) if spans else ():
                span = {"id": row["id"], "start_byte": start, "end_byte": end}
                out.write(json.dumps(span, ensure_ascii=False) + "\n")


def main():
    corpus, output = Path(sys.argv[1]), Path(sys.argv[2])
    if sys.argv[4:] == ["spans"]:
        write_spans(corpus, output)
    else:
        cut(corpus, output, int(sys.argv[3]))


if __name__ == "__main__":
    main()
