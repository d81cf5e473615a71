"""Rows of JSON Lines: of the data folder, FOLDER/NAME.jsonl.zst, and of plain .jsonl files."""

import argparse
import hashlib
import io
import json
from pathlib import Path

import zstandard


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """Adds --data FOLDER, without a default: the texts are not part of this repository."""
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        type=folder,
        required=True,
        help="folder with the .jsonl.zst files",
    )


def folder(name: str) -> Path:
    """The path of a folder that exists."""
    path = Path(name).resolve()
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"no folder {name}")
    return path


def rows(data: Path, name: str):
    """The rows of one compressed file, as dictionaries."""
    with open(data / f"{name}.jsonl.zst", "rb") as compressed:
        for line in io.TextIOWrapper(
            zstandard.ZstdDecompressor().stream_reader(compressed), encoding="utf-8"
        ):
            yield json.loads(line)


def read_rows(path: Path) -> list[dict]:
    """The rows of an uncompressed file, as dictionaries."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_rows(path: Path, values) -> None:
    """Writes one line for each value."""
    with open(path, "w", encoding="utf-8") as file:
        for value in values:
            file.write(json.dumps(value, ensure_ascii=False) + "\n")


def digest(data: Path, names: list[str]) -> str:
    """The SHA-256 of the contents of these files, one after the other."""
    whole = hashlib.sha256()
    for name in names:
        whole.update((data / f"{name}.jsonl.zst").read_bytes())
    return whole.hexdigest()
