"""One interface to a persistent index and two in memory: fill, query, measure.

Each part has wall-clock seconds, which include waits for the disk and for other processes, and CPU
seconds. The processes of the tools are pinned to a core; the process that watches them is not.
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

# A small process starts the tool: the peak memory of a process begins with that of its parent. It
# reads the tool's anonymous memory, which belongs to no file, five times a second.
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
    """The cost of one process. Its anonymous memory is None if it ends within 0.2 s."""

    seconds: float
    cpu_seconds: float
    memory_mb: float
    anonymous_mb: float | None


@dataclass
class Run:
    """One run of a tool. Memory is the peak of the querying process; missing figures are absent."""

    figures: dict[str, float]
    answers: list[dict]


def measured(*command, out: Path, pinned: list[str] = ()) -> Cost:
    """Runs the command with its standard output in a file, and gives its cost."""
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
    """The bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class Nearprint:
    """`nearprint index`: fingerprints, texts and tables on disk, a thousand documents per
    transaction, and all answers compared on the texts."""

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
    """The wall-clock and CPU seconds of a part."""
    return {part: cost.seconds, f"{part} cpu": cost.cpu_seconds}


def with_making(figures: dict[str, float], part: str, made: dict[str, float]) -> None:
    """Adds the seconds of a part from the texts on, the making of its input included."""
    for ending in ("", " cpu"):
        figures[f"{part} from texts{ending}"] = figures[f"{part}{ending}"] + made[ending]


class Rival:
    """An index in memory, filled and queried by one process."""

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
    """An index of FAISS on fingerprints that nearprint makes before on the same core."""

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
            # The first run makes the fingerprints for all settings.
            file, seconds = work / f"{name}.npy", work / f"{name}.json"
            if not file.exists():
                output = work / f"{name}.jsonl"
                output.unlink(missing_ok=True)
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
    """The fingerprints of a file of `nearprint fingerprint`, 32 bytes each, read row by row."""
    held = bytearray()
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            held += bytes.fromhex(json.loads(line)["fingerprint"])
    return numpy.frombuffer(bytes(held), numpy.uint8).reshape(-1, 32)


class Datasketch(Rival):
    """MinHashLSH of datasketch, whose answers share a band and are not compared further."""

    name, package, script = "datasketch MinHashLSH", "datasketch", "datasketch"
    settings = "128 permutations, threshold 0.7, n-grams of three words (Chinese by rjieba), `update_batch`; keeps nothing on the disk"

    def run(self, corpus: Path, work: Path, pinned: list[str]) -> Run:
        # Links save copies of the texts.
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
    """The tool of a name: nearprint, datasketch, flat, or NHASHxB:NFLIP."""
    named = {"nearprint": Nearprint, "datasketch": Datasketch, "flat": Faiss}
    if name in named:
        return named[name]()
    try:
        tables, rest = name.split("x")
        bits, flips = rest.split(":")
        return Faiss(int(tables), int(bits), int(flips))
    except ValueError:
        raise ArgumentTypeError(f"no tool {name}") from None
