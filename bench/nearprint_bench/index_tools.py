"""A persistent index beside two that are in memory, under one face: filled, asked, measured.

Seconds are those of the processor and, named so, those of the clock: an index that is durable waits
for the disk, but so does everything on a machine that others use. The processes of the tools are
pinned; what watches them is not.
"""

import json
import shutil
import subprocess
import sys
from argparse import ArgumentTypeError
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy

from . import nearprint
from .data import read_rows
from .rival_programs import QUIET

# A small process starts the tool, since the peak memory of a process begins with that of the one it
# was split off from. It looks five times a second at what of the memory belongs to no file.
MEASURE = """
import json, os, resource, sys, threading, time
out, errors, *command = sys.argv[1:]
begun = time.perf_counter()
child = os.fork()
if not child:
    for number, name in ((1, out), (2, errors)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), number)
    os.execvp(command[0], command)
most = 0
def look():
    global most
    while True:
        time.sleep(0.2)
        try:
            with open(f"/proc/{child}/smaps_rollup") as lines:
                most = max([most] + [int(line.split()[1]) for line in lines if line.startswith("Anonymous:")])
        except OSError:
            return
threading.Thread(target=look, daemon=True).start()
status = os.waitpid(child, 0)[1]
wall = time.perf_counter() - begun
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"status": status, "wall": wall, "cpu": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss * 1024 / 1e6,
                  "anonymous_mb": most * 1024 / 1e6 if most else None}))
"""


@dataclass
class Cost:
    """Of one process. What of its memory belongs to no file is not known of one that is over within 0.2 s."""

    seconds: float
    cpu_seconds: float
    memory_mb: float
    anonymous_mb: float | None


@dataclass
class Run:
    """One run of a tool. Figures that a tool has not are absent; memory is the largest of the
    process that asks."""

    figures: dict[str, float]
    answers: list[dict]


def measured(*command, out: Path, pinned: list[str] = ()) -> Cost:
    """Runs the command; its standard output goes to a file."""
    errors = out.with_suffix(".errors")
    made = subprocess.run(
        [
            sys.executable,
            "-c",
            MEASURE,
            out,
            errors,
            *pinned,
            "env",
            *(f"{name}={value}" for name, value in QUIET.items()),
            *map(str, command),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    said = json.loads(made.stdout)
    if said["status"]:
        raise SystemExit(
            f"{' '.join(map(str, command))}: {errors.read_text(encoding='utf-8')[-3000:]}"
        )
    errors.unlink()
    return Cost(said["wall"], said["cpu"], said["mb"], said["anonymous_mb"])


def bytes_of(folder: Path) -> int:
    """Of all files in it."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class Nearprint:
    """`nearprint index`: fingerprints, texts and tables on the disk, a thousand documents in a
    transaction, all answers compared on the texts."""

    name, keeps = "nearprint index", True
    settings = "as it comes, `--threads 1`; adding is everything from the file on, a durable transaction for each 1,000 documents"

    def version(self) -> str:
        return subprocess.run(
            [nearprint.binary(), "--version"], check=True, capture_output=True, text=True
        ).stdout.split()[-1]

    def run(self, corpus: Path, work: Path, pinned: list[str]) -> Run:
        index, one = work / "index", work / "one.jsonl"
        shutil.rmtree(index, ignore_errors=True)

        def run(*command) -> Cost:
            return measured(
                nearprint.binary(),
                "index",
                *command,
                "--threads",
                1,
                "--quiet",
                out=work / "answers.jsonl",
                pinned=pinned,
            )

        added = run("create", index, corpus / "documents.jsonl")
        with open(corpus / "questions.jsonl", encoding="utf-8") as questions:
            one.write_text(next(questions), encoding="utf-8")
        opened = run("query", index, one)
        asked = run("query", index, corpus / "questions.jsonl")
        return Run(
            {
                **both("add from texts", added),
                **both("ask from texts", asked),
                **both("open", opened),
                "adding memory": added.memory_mb,
                "memory": asked.memory_mb,
                "anonymous": asked.anonymous_mb,
                "bytes": bytes_of(index),
            },
            read_rows(work / "answers.jsonl"),
        )


def both(part: str, cost: Cost) -> dict[str, float]:
    """Its seconds by the clock and of the processor."""
    return {part: cost.seconds, f"{part} cpu": cost.cpu_seconds}


def with_making(figures: dict[str, float], part: str, made: dict[str, float]) -> None:
    """Adds the seconds from the texts on: those of a part, and those of making what it takes."""
    for ending in ("", " cpu"):
        figures[f"{part} from texts{ending}"] = figures[f"{part}{ending}"] + made[ending]


class Rival:
    """One that is in memory, in a process that first fills it and then asks."""

    keeps = False
    arguments: list = []

    def version(self) -> str:
        return version(self.package)

    def process(self, folder: Path, pinned: list[str]) -> Run:
        said_in = folder / "said.json"
        cost = measured(
            sys.executable,
            "-m",
            "nearprint_bench.index_rivals",
            self.script,
            folder,
            *self.arguments,
            out=said_in,
            pinned=pinned,
        )
        said = json.loads(said_in.read_text(encoding="utf-8").splitlines()[-1])
        figures = {
            "memory": cost.memory_mb,
            "anonymous": cost.anonymous_mb,
            **{name: value for name, value in said.items() if name != "bands"},
        }
        return Run(figures, read_rows(folder / "answers.jsonl"))


class Faiss(Rival):
    """An index of FAISS on nearprint's fingerprints, which are made before, by nearprint on the
    same core."""

    package = "faiss-cpu"

    def __init__(self, *numbers: int):
        self.arguments = numbers
        self.script = "multihash" if numbers else "flat"
        if numbers:
            tables, bits, flips = numbers
            self.name = f"FAISS IndexBinaryMultiHash {tables}x{bits}, nflip {flips}"
            self.settings = f"nhash {tables}, b {bits}, nflip {flips}; range search to 80 bits; batches of 1,000; one thread"
        else:
            self.name = "FAISS IndexBinaryFlat"
            self.settings = "every fingerprint compared with every question; range search to 80 bits; one thread"

    def run(self, corpus: Path, work: Path, pinned: list[str]) -> Run:
        made = {}
        for name in ("documents", "questions"):
            # One run makes the fingerprints for all settings.
            file, seconds = work / f"{name}.npy", work / f"{name}.json"
            if not file.exists():
                output = work / f"{name}.jsonl"
                cost = measured(
                    nearprint.binary(),
                    "fingerprint",
                    corpus / f"{name}.jsonl",
                    "--output",
                    output,
                    "--threads",
                    1,
                    "--quiet",
                    out=work / "nothing",
                    pinned=pinned,
                )
                numpy.save(file, fingerprints(output))
                output.unlink()
                seconds.write_text(json.dumps(both("", cost)))
            made[name] = json.loads(seconds.read_text())
        run = self.process(work, pinned)
        with_making(run.figures, "add", made["documents"])
        with_making(run.figures, "ask", made["questions"])
        return run


def fingerprints(file: Path) -> numpy.ndarray:
    """Those of a file of `nearprint fingerprint`, 32 bytes each; a row at a time, for a million."""
    held = bytearray()
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            held += bytes.fromhex(json.loads(line)["fingerprint"])
    return numpy.frombuffer(bytes(held), numpy.uint8).reshape(-1, 32)


class Datasketch(Rival):
    """MinHashLSH of datasketch; what it finds is what its bands have in common, and is not
    compared."""

    name, package, script = "datasketch MinHashLSH", "datasketch", "datasketch"
    settings = "128 permutations, threshold 0.7, n-grams of three words (Chinese by rjieba), `update_batch`; keeps nothing on the disk"

    def run(self, corpus: Path, work: Path, pinned: list[str]) -> Run:
        # The texts are read where they are.
        for name in ("documents", "questions"):
            link = work / f"{name}.jsonl"
            link.unlink(missing_ok=True)
            link.symlink_to(corpus / f"{name}.jsonl")
        run = self.process(work, pinned)
        for part, making in (("add", "make"), ("ask", "make questions")):
            with_making(
                run.figures,
                part,
                {ending: run.figures[f"{making}{ending}"] for ending in ("", " cpu")},
            )
        return run


def tool_of(name: str):
    """nearprint, datasketch, flat, or NHASHxB:NFLIP."""
    named = {"nearprint": Nearprint, "datasketch": Datasketch, "flat": Faiss}
    if name in named:
        return named[name]()
    try:
        tables, rest = name.split("x")
        bits, flips = rest.split(":")
        return Faiss(int(tables), int(bits), int(flips))
    except ValueError:
        raise ArgumentTypeError(f"no tool {name}") from None
