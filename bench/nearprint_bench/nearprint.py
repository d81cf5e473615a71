"""The program under test, run as anyone would run it."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy


def binary() -> Path:
    """The binary that bench/run.sh built or was given."""
    return Path(os.environ["NEARPRINT"]).resolve()


def fingerprints(corpus: Path, flags: list[str]) -> dict[str, numpy.ndarray]:
    """The fingerprint of every document, by id, in words of 64 bits."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "fingerprints.jsonl"
        run("fingerprint", corpus, *flags, "--output", output)
        rows = [json.loads(line) for line in output.open(encoding="utf-8")]
    words = numpy.frombuffer(bytes.fromhex("".join(row["fingerprint"] for row in rows)), ">u8").astype(numpy.uint64)
    return dict(zip((row["id"] for row in rows), words.reshape(len(rows), -1)))


def pairs(corpus: Path, flags: list[str]) -> tuple[list[tuple[str, str, float]], dict]:
    """The confirmed pairs (left, right, similarity), and the settings of the run."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        run("dedup", corpus, *flags, "--pairs", "--dry-run", "--output", output)
        rows = [json.loads(line) for line in (output / "pairs.jsonl").open(encoding="utf-8")]
        summary = json.loads((output / "summary.json").read_text(encoding="utf-8"))
        # What `auto` came to.
        settings = summary["settings"] | {"max-distance": summary["max_distance"]}
    return [(row["left"], row["right"], row["similarity"]) for row in rows], settings


def run(*arguments) -> None:
    subprocess.run([binary(), *map(str, arguments), "--threads", "1", "--quiet"], check=True)
