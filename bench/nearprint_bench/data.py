"""Rows of the data folder: FOLDER/NAME.jsonl.zst, one JSON object a line."""

import argparse
import hashlib
import io
import json
from pathlib import Path

import zstandard

REPOSITORY = Path(__file__).resolve().parents[2]


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Adds --data FOLDER, which by default is ../shared/data beside the repository."""
    parser.add_argument("--data", metavar="FOLDER", type=folder, default=(REPOSITORY / "../shared/data").resolve(),
                        help="folder with the .jsonl.zst files [default: ../shared/data, from the repository's root]")


def folder(name: str) -> Path:
    """A folder that is there."""
    path = Path(name).resolve()
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"no folder {name}")
    return path


def rows(data: Path, name: str):
    """The rows of one file, as dictionaries."""
    with open(data / f"{name}.jsonl.zst", "rb") as compressed:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(compressed), encoding="utf-8"):
            yield json.loads(line)


def digest(data: Path, names: list[str]) -> str:
    """Tells one state of these files from another."""
    whole = hashlib.sha256()
    for name in names:
        whole.update((data / f"{name}.jsonl.zst").read_bytes())
    return whole.hexdigest()
