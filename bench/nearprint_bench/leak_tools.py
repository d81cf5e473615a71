"""Tools that find test items inside of documents, each in a process of its own, and their costs."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from . import nearprint
from .data import read_rows, write_rows
from .leak_texts import Item

# A small process starts the tool: the peak memory of a process begins with that of its parent.
MEASURE = """
import json, os, sys
out = os.open(os.devnull, os.O_WRONLY)
child = os.fork()
if not child:
    os.dup2(out, 1)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, used = os.wait4(child, 0)
print(json.dumps({"status": status, "cpu": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss * 1024 / 1e6}))
"""


@dataclass(frozen=True)
class Found:
    """An item found in a document: both ids, and the passage."""

    document: int
    item: str
    passage: str


@dataclass
class Answer:
    """The items that a tool found, its CPU seconds and its peak memory."""

    found: list[Found]
    seconds: float
    megabytes: float


def measured(*command) -> tuple[float, float]:
    """Runs the command, and gives its CPU seconds and peak memory in MB."""
    made = subprocess.run(
        [sys.executable, "-c", MEASURE, *map(str, command)],
        check=True,
        capture_output=True,
        text=True,
    )
    said = json.loads(made.stdout)
    if said["status"]:
        raise SystemExit(f"{' '.join(map(str, command))}: {made.stderr}")
    return said["cpu"], said["mb"]


class Nearprint:
    """`nearprint dedup --against`, which lists leaks and removes nothing."""

    def __init__(self, *flags: str, fields: tuple[str, ...] = ("question",)):
        self.flags, self.fields = flags, fields
        self.name = "nearprint" if fields == ("question",) else "nearprint, question and answer"

    def find(self, train: Path, items: list[Item], language: str, work: Path) -> Answer:
        against, output = work / "nearprint-items.jsonl", work / "nearprint-output"
        write_rows(
            against,
            ({"id": item.id, "question": item.question, "answer": item.answer} for item in items),
        )
        fields = [flag for field in self.fields for flag in ("--against-text-field", field)]
        cost = measured(
            nearprint.binary(),
            "dedup",
            train,
            "--against",
            against,
            "--text-field",
            "text",
            *fields,
            "--leak-action",
            "list",
            "--dry-run",
            "--recall-sample",
            0,
            "--threads",
            1,
            "--force",
            "--quiet",
            "--output",
            output,
            *self.flags,
        )
        texts = {row["id"]: row["text"] for row in read_rows(train)}
        rows = read_rows(output / "leaks.jsonl")
        return Answer(
            [Found(row["id"], row["item"], self.passage(row, texts[row["id"]])) for row in rows],
            *cost,
        )

    @staticmethod
    def passage(row: dict, text: str) -> str:
        """The passage of a leak; the whole text if the document is a duplicate of the item."""
        return text if row["first"] is None else text[row["first"] : row["last"] + 1]


class Decon:
    """decon of the Allen Institute for AI, with its defaults and one thread."""

    def __init__(self, program: Path, answers: bool = False):
        self.program, self.answers = program, answers
        self.name = "decon, question and answer" if answers else "decon"

    def find(self, train: Path, items: list[Item], language: str, work: Path) -> Answer:
        evals, output = work / "decon-items", work / "decon-output"
        for folder in (evals, output):
            folder.mkdir(exist_ok=True)
            for file in folder.iterdir():
                file.unlink()
        write_rows(
            evals / "items.jsonl", (self.row(number, item) for number, item in enumerate(items))
        )
        cost = measured(
            self.program,
            "detect",
            "--training-dir",
            train.parent,
            "--evals-dir",
            evals,
            "--report-output-dir",
            output,
            "--worker-threads",
            1,
        )
        found = [
            Found(
                row["training_line"],
                items[row["eval_instance_index"]].id,
                row.get("training_overlap_text", ""),
            )
            for file in sorted(output.iterdir())
            for row in read_rows(file)
        ]
        return Answer(found, *cost)

    def row(self, number: int, item: Item) -> dict:
        """An item as decon reads it."""
        answer = {"answer": item.answer} if self.answers else {}
        return {
            "eval_key": item.group,
            "eval_instance_index": number,
            "split": "test",
            "question": item.question,
            **answer,
            "config": "all",
            "doc_id": number,
            "fingerprint": str(number),
        }


class Overlap:
    """The rule of 13 words in a row."""

    def __init__(self, both: bool = False):
        self.both = both
        self.name = "13 words in a row" + (", question and answer" if both else "")

    def find(self, train: Path, items: list[Item], language: str, work: Path) -> Answer:
        against, output = work / "overlap-items.jsonl", work / "overlap-output.jsonl"
        write_rows(
            against,
            ({"id": item.id, "text": item.both if self.both else item.question} for item in items),
        )
        cost = measured(
            sys.executable, "-m", "nearprint_bench.ngram_overlap", language, train, against, output
        )
        return Answer(
            [Found(row["id"], row["item"], row["passage"]) for row in read_rows(output)], *cost
        )
