"""One interface to programs that deduplicate a file: run, kept documents, duplicate pairs.

A tool runs in an environment of its own, with the versions in bench/rivals/PACKAGE.txt.
bench/rivals/run_PACKAGE.py runs a library as its documentation does: read JSON Lines, deduplicate,
write the kept documents.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from . import nearprint
from .data import read_rows
from .folders import REPOSITORY, WORK
from .nearprint_tool import with_equal_texts

RIVALS = REPOSITORY / "bench" / "rivals"

# A small process starts the tool: the peak memory of a process begins with that of its parent. It
# adopts (PR_SET_CHILD_SUBREAPER) and waits for all processes that the tool leaves, so that their
# time counts.
MEASURE = """
import ctypes, json, os, resource, sys, time
ctypes.CDLL(None).prctl(36, 1)
out = os.open(os.devnull, os.O_WRONLY)
begun = time.perf_counter()
child = os.fork()
if not child:
    os.dup2(out, 1)
    os.execvp(sys.argv[1], sys.argv[1:])
status = os.waitpid(child, 0)[1]
wall = time.perf_counter() - begun
try:
    while True:
        os.wait()
except ChildProcessError:
    pass
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"status": status, "cpu": used.ru_utime + used.ru_stime, "wall": wall, "mb": used.ru_maxrss * 1024 / 1e6}))
"""

# One thread each, since more would only wait for each other on one core; and no calls to a model
# hub.
QUIET = {
    name: "1"
    for name in (
        "RAYON_NUM_THREADS",
        "POLARS_MAX_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "HF_HUB_OFFLINE",
        "HF_DATASETS_OFFLINE",
    )
}


@dataclass
class Cost:
    """The cost of one run. Memory is the peak of the largest process."""

    cpu_seconds: float
    wall_seconds: float
    memory_mb: float


def measured(*command, folder: Path) -> Cost:
    """Runs the command in this folder, and gives its cost."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    made = subprocess.run(
        [sys.executable, "-c", MEASURE, *map(str, command)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**environment, **QUIET, "HF_HOME": str(folder / "home")},
    )
    said = json.loads(made.stdout) if made.returncode == 0 else {"status": 1}
    if said["status"]:
        raise SystemExit(f"{' '.join(map(str, command))}: {made.stderr[-3000:]}")
    return Cost(said["cpu"], said["wall"], said["mb"])


def all_of(groups) -> set[tuple[int, int]]:
    """All pairs of documents within a group."""
    return {pair for group in groups for pair in combinations(sorted(group), 2)}


class Nearprint:
    """The program of this repository with its defaults."""

    name, package, settings = "nearprint", None, "as it comes, `--threads 1`"

    def __init__(self, flags=("--pairs",)):
        self.flags = flags

    def prepare(self, python: str | None) -> None:
        pass

    def version(self) -> str:
        return subprocess.run(
            [nearprint.binary(), "--version"], check=True, capture_output=True, text=True
        ).stdout.split()[-1]

    def run(self, corpus: Path, language: str, output: Path, pinned: list[str]) -> Cost:
        return measured(
            *pinned,
            nearprint.binary(),
            "dedup",
            corpus,
            "--output",
            output / "out",
            *self.flags,
            "--threads",
            1,
            "--quiet",
            folder=output,
        )

    def kept(self, output: Path) -> set[int]:
        return {
            int(row["id"])
            for file in (output / "out" / "kept").iterdir()
            for row in read_rows(file)
        }

    def pairs(self, output: Path, texts: list[str]) -> set[tuple[int, int]]:
        rows = read_rows(output / "out" / "pairs.jsonl")
        return set(
            with_equal_texts(
                texts,
                [{**row, "left": int(row["left"]), "right": int(row["right"])} for row in rows],
            )
        )


class Packaged:
    """A tool in an environment of its own."""

    name = package = settings = ""

    def prepare(self, python: str | None) -> None:
        """Makes the tool's environment with this Python, unless this Python has the package."""
        wanted = RIVALS / f"{self.package}.txt"
        self.python = Path(python or "python3")
        if (
            python
            and subprocess.run(
                [python, "-m", "pip", "show", "--quiet", self.package], capture_output=True
            ).returncode
            == 0
        ):
            return
        home = WORK / "rivals" / self.package
        made = home / "installed.txt"
        if not made.exists() or made.read_bytes() != wanted.read_bytes():
            subprocess.run([self.python, "-m", "venv", "--clear", home], check=True)
            subprocess.run(
                [
                    home / "bin" / "pip",
                    "install",
                    "--quiet",
                    "--disable-pip-version-check",
                    "-r",
                    wanted,
                ],
                check=True,
            )
            made.write_bytes(wanted.read_bytes())
        self.python = home / "bin" / "python"

    def version(self) -> str:
        show = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
        return subprocess.run(
            [self.python, "-c", show, self.package], check=True, capture_output=True, text=True
        ).stdout.strip()

    def arguments(self, corpus: Path, language: str, output: Path) -> list:
        """The arguments of the tool's script."""
        return [corpus, language, output]

    def run(self, corpus: Path, language: str, output: Path, pinned: list[str]) -> Cost:
        return measured(
            *pinned,
            self.python,
            "-P",
            RIVALS / f"run_{self.package}.py",
            *self.arguments(corpus, language, output),
            folder=output,
        )

    def kept(self, output: Path) -> set[int]:
        return {int(row["id"]) for row in read_rows(output / "kept.jsonl")}

    def pairs(self, output: Path, texts: list[str]) -> set[tuple[int, int]]:
        """The pairs of duplicates that the tool names, including all pairs within a group."""
        return all_of(map(int, group) for group in read_rows(output / "groups.jsonl"))


class TextDedup(Packaged):
    """text-dedup's MinHash command with the settings of its README.

    It writes a dataset of the package datasets.
    """

    name = package = "text-dedup"
    settings = (
        "`python -m text_dedup.minhash`: 240 permutations, 5 words, threshold 0.7, candidates checked by their Jaccard similarity, "
        "one process; the same for Chinese"
    )

    def run(self, corpus: Path, language: str, output: Path, pinned: list[str]) -> Cost:
        config = (RIVALS / "text-dedup.toml").read_text(encoding="utf-8")
        (output / "config.toml").write_text(config.replace("CORPUS", str(corpus)), encoding="utf-8")
        return measured(*pinned, self.python, "-m", "text_dedup.minhash", folder=output)

    def show(self, output: Path, what: str) -> list:
        """The value of a Python expression about the output, computed in the tool's environment."""
        script = f"import json, pickle, datasets; print(json.dumps({what}))"
        return json.loads(
            subprocess.run(
                [self.python, "-c", script], check=True, capture_output=True, text=True, cwd=output
            ).stdout
        )

    def kept(self, output: Path) -> set[int]:
        return set(map(int, self.show(output, "list(datasets.load_from_disk('out')['id'])")))

    def pairs(self, output: Path, texts: list[str]) -> set[tuple[int, int]]:
        groups = defaultdict(list)
        for place, parent in self.show(
            output, "list(pickle.load(open('out/clusters.pickle', 'rb')).items())"
        ):
            groups[parent].append(place)
        return all_of(groups.values())


class Datatrove(Packaged):
    """The four stages of datatrove's MinHash, on the local executor."""

    name = package = "datatrove"
    settings = (
        "its MinHash example: 14 buckets of 8 hashes of 64 bits, 5 words of its own tokenizer for the language; local executor, "
        "one worker; removed documents and numbers of clusters are written too"
    )

    def kept(self, output: Path) -> set[int]:
        return {int(row["id"]) for file in (output / "kept").iterdir() for row in read_rows(file)}

    def pairs(self, output: Path, texts: list[str]) -> set[tuple[int, int]]:
        groups = defaultdict(list)
        for file in [*output.glob("kept/*"), *output.glob("excluded/*")]:
            for row in read_rows(file):
                number = row.get("metadata", {}).get("minhash_cluster_id", -1)
                if number >= 0:
                    groups[number].append(int(row["id"]))
        return all_of(groups.values())


class Rensa(Packaged):
    """rensa's deduplicator, on words as in its documentation, or on word n-grams."""

    package = "rensa"

    def __init__(self, size: int):
        self.size = size
        self.name = "rensa" if size == 1 else f"rensa of {size} words"
        self.settings = (
            f"RMinHashDeduplicator: 128 permutations, threshold 0.8, {'words' if size == 1 else f'n-grams of {size} words'} "
            "(`split()`; Chinese by rjieba)"
        )

    def arguments(self, corpus: Path, language: str, output: Path) -> list:
        self.asked = [corpus, language, output, self.size]
        return self.asked

    def pairs(self, output: Path, texts: list[str]) -> set[tuple[int, int]]:
        subprocess.run(
            list(map(str, [self.python, "-P", RIVALS / "run_rensa.py", *self.asked, "groups"])),
            check=True,
        )
        return super().pairs(output, texts)


class SemHash(Packaged):
    """SemHash with its defaults, except for the model, which a package ships."""

    name, package = "SemHash with the model of wordllama", "semhash"
    settings = (
        "threshold 0.9, the first 512 tokens of a text, as by default; static vectors of WordLlama (English, 256 numbers), not the "
        "default model potion-base-8M, nor potion-multilingual-128M, which its documentation has for Chinese"
    )


TOOLS = [Nearprint(), TextDedup(), Datatrove(), Rensa(1), Rensa(3), SemHash()]
