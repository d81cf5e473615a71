"""Kills runs (kill -9) at random moments and resumes them.

The output of a resumed run must be equal, byte for byte, to that of an undisturbed run, and no file
of the killed runs may stay. Each round takes other settings and formats.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet

SETTINGS = {
    "json lines": ["news.jsonl", "--pairs"],
    "parquet": ["news.parquet", "--annotate"],
    "against": ["news.jsonl", "--against", "test.jsonl", "--tmp-dir", "tmp"],
    "memory": ["news.jsonl", "--memory", "128M", "--features", "words", "--weights", "entropy"],
    "force": [
        "news.parquet",
        "more.jsonl.gz",
        "--verify",
        "jaccard",
        "--tmp-dir",
        "tmp",
        "--force",
    ],
    "recall": ["news.jsonl", "--recall", "0.9", "--threads", "1"],
}


def texts(numbers: random.Random, count: int, words: int) -> list[str]:
    """Random texts; a third of them are copies of earlier ones with some words changed."""
    letters = lambda: "".join(
        numbers.choices("abcdefghijklmnopqrstuvwxyz", k=numbers.randrange(3, 10))
    )
    han = lambda: "".join(
        chr(numbers.randrange(0x4E00, 0x9000)) for _ in range(numbers.randrange(1, 4))
    )
    word = lambda: han() if numbers.random() < 0.2 else letters()
    made: list[list[str]] = []
    for _ in range(count):
        if made and numbers.random() < 1 / 3:
            text = list(numbers.choice(made))
            for _ in range(numbers.randrange(1 + len(text) // 8)):
                text[numbers.randrange(len(text))] = word()
        else:
            text = [word() for _ in range(words // 2 + numbers.randrange(words))]
        made.append(text)
    return [" ".join(text) for text in made]


def write_input(folder: Path, numbers: random.Random, documents: int) -> None:
    """Writes the input files of all settings."""
    rows = lambda first, texts: "".join(
        json.dumps({"id": first + n, "text": t}) + "\n" for n, t in enumerate(texts)
    )
    news = texts(numbers, documents, 80)
    (folder / "news.jsonl").write_text(rows(0, news))
    (folder / "test.jsonl").write_text(rows(0, news[::9]))
    (folder / "more.jsonl").write_text(rows(10 * documents, texts(numbers, documents // 2, 80)))
    subprocess.run(["gzip", folder / "more.jsonl"], check=True)
    table = pyarrow.table({"id": range(documents), "text": texts(numbers, documents, 80)})
    pyarrow.parquet.write_table(table, folder / "news.parquet", row_group_size=1000)
    (folder / "tmp").mkdir()


def files(folder: Path) -> dict[str, bytes]:
    """All files of an output except the summary, which has seconds."""
    found = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.name != "summary.json"
    )
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


class Crashes:
    """A program and a folder with its input."""

    def __init__(self, nearprint: str, folder: Path, numbers: random.Random):
        self.nearprint, self.folder, self.numbers, self.output = (
            nearprint,
            folder,
            numbers,
            folder / "out",
        )
        self.before = self.names()
        self.whole: dict[str, tuple[dict[str, bytes], float]] = {}
        self.killed = self.resumed = 0

    def names(self) -> list[str]:
        """The names of all files beside the output, hidden ones included."""
        inside = [
            path for folder in (self.folder, self.folder / "tmp") for path in folder.iterdir()
        ]
        return sorted(str(path) for path in inside if path != self.output)

    def command(self, settings: str, *more: str) -> list[str]:
        return [
            self.nearprint,
            "dedup",
            "--output",
            "out",
            "--quiet",
            "--recall-sample",
            "16",
            *SETTINGS[settings],
            *more,
        ]

    def run(self, command: list[str]) -> None:
        """Runs a command that must succeed."""
        ended = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        assert ended.returncode == 0, f"{command}: {ended.returncode} {ended.stderr}"

    def expected(self, settings: str) -> tuple[dict[str, bytes], float]:
        """The files of an undisturbed run, and its seconds."""
        if settings not in self.whole:
            begun = time.monotonic()
            self.run(self.command(settings))
            self.whole[settings] = files(self.output), time.monotonic() - begun
            shutil.rmtree(self.output)
        return self.whole[settings]

    def is_done(self) -> bool:
        """True if the new output is in place rather than the one that it replaces."""
        return (self.output / "summary.json").exists() and not (
            self.output / "rejected.jsonl"
        ).exists()

    def round(self, settings: str) -> None:
        """Kills one to three runs, resumes the last one, and compares the outputs."""
        expected, seconds = self.expected(settings)
        if "--force" in SETTINGS[settings]:
            self.output.mkdir()
            (self.output / "rejected.jsonl").write_text("replaced")
            (self.output / "summary.json").write_text('{"nearprint": "0.1.0"}')
        more: list[str] = []
        for _ in range(self.numbers.randrange(1, 4)):
            child = subprocess.Popen(
                self.command(settings, *more), cwd=self.folder, stderr=subprocess.DEVNULL
            )
            time.sleep(self.numbers.random() * seconds)
            child.kill()
            self.killed += child.wait() < 0
            more = ["--resume"]
            if self.is_done():
                break
        if not self.is_done():
            self.run(self.command(settings, "--resume"))
            self.resumed += "resumed" in json.loads((self.output / "summary.json").read_text())
        found = files(self.output)
        assert found == expected, (
            f"{settings}: {sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))}"
        )
        shutil.rmtree(self.output)
        # A run that is killed with its output in place leaves files, which the next run removes.
        self.run(self.command(settings, "--dry-run"))
        shutil.rmtree(self.output)
        assert self.names() == self.before, (
            f"{settings}: {sorted(set(self.names()) - set(self.before))} is left"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--nearprint", default=os.environ.get("NEARPRINT", "nearprint"), help="the program"
    )
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--documents", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    numbers = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        write_input(Path(folder), numbers, arguments.documents)
        crashes = Crashes(str(shutil.which(arguments.nearprint)), Path(folder), numbers)
        for number in range(arguments.rounds):
            crashes.round(list(SETTINGS)[number % len(SETTINGS)])
            if (number + 1) % 20 == 0:
                print(
                    f"{number + 1} rounds, {crashes.killed} runs killed, {crashes.resumed} went on after a finished stage",
                    flush=True,
                )
    print(
        f"{arguments.rounds} rounds of equal bytes: {crashes.killed} runs were killed, {crashes.resumed} went on after a finished stage"
    )


if __name__ == "__main__":
    main()
