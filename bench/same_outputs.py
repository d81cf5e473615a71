#!/usr/bin/env python3
"""Keeps the SHA-256 of all outputs of a nearprint binary for real corpora, and checks another one.

    bench/same_outputs.py record BINARY DATA RECORD.json    # DATA: a folder of .jsonl(.zst) files
    bench/same_outputs.py check BINARY DATA RECORD.json

Record before a change that must not change results, and check after it. The record has, for every
corpus, each preset and five mixed settings: the files of `dedup --pairs`, `fingerprint` in both
formats, and the JSON of `evaluate`, `compare` and `tune`.

The record leaves out values that differ between two runs of one binary (seconds, memory, versions),
and values that say how a result was made: settings, descriptions and names of recipes, sentences.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PRESETS = {
    name: ["--preset", name]
    for name in ("default", "paper", "simhash", "google", "md5-32", "exact")
}

# Each setting takes other branches: measures, clusters, policies, features, widths, distances
# chosen by a sample.
MIXED = {
    "jaccard-words": "--features words --weights tf --ngram 2 --verify jaccard --cluster components --keep longest",
    "containment-64": "--verify containment --bits 64 --min-similarity 0.7 --max-distance 16 --shingle 2",
    "cosine-entropy": "--features words --weights entropy --stop-words zh,en --bits 128 --verify cosine --min-features 10",
    "recall": "--recall 0.9 --min-similarity 0.7 --keep highest:chars",
    "minhash-position": "--features words --weights tfidf --position rank --verify minhash --complete-distance 16",
}

SETTINGS = PRESETS | {name: flags.split() for name, flags in MIXED.items()}

# Values that say how and when a result was made, and by which program.
VOLATILE = {
    "nearprint",
    "settings",
    "seconds",
    "peak_memory_bytes",
    "fingerprint",
    "recipe",
    "resumed",
    "similarity_in_words",
    "file",
    "notes",
    "inputs",
    "against",
}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def without_volatile(value, top=True):
    if isinstance(value, dict):
        drop = (
            VOLATILE | {"similarity", "estimate"}
            if top and "peak_memory_bytes" in value
            else VOLATILE
        )
        drop = drop if top else drop - {"fingerprint"}
        return {
            key: without_volatile(inner, False) for key, inner in value.items() if key not in drop
        }
    if isinstance(value, list):
        return [without_volatile(inner, False) for inner in value]
    return value


def of_json(data: bytes) -> str:
    value = without_volatile(json.loads(data))
    if "bytes" in value:
        value["bytes"].pop("output", None)
    return digest(json.dumps(value, sort_keys=True, ensure_ascii=False).encode())


def of_rows(data: bytes) -> str:
    """The digest of JSON Lines without the name of the recipe."""
    rows = (json.loads(line) for line in data.splitlines())
    kept = ({key: value for key, value in row.items() if key != "recipe"} for row in rows)
    return digest("\n".join(json.dumps(row, ensure_ascii=False) for row in kept).encode())


def of_parquet(path: Path) -> str:
    """The digest of a Parquet file's columns, without metadata, which say how they were made."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path).replace_schema_metadata(None)
    return digest(str(table.schema).encode() + json.dumps(table.to_pylist(), default=str).encode())


class Runs:
    def __init__(self, binary: Path, corpus: Path, flags: list[str], folder: Path):
        self.binary, self.corpus, self.folder = binary, corpus, folder
        with corpus.open(encoding="utf-8") as rows:
            first = json.loads(next(rows))
        pairs = "text" not in first
        self.texts = ["text_a", "text_b"] if pairs else ["text"]
        self.flags = flags + (["--text-field", "text_a", "--text-field", "text_b"] if pairs else [])
        self.labelled = "cluster" in first

    def run(self, *arguments) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(self.binary), *map(str, arguments)], capture_output=True, check=False
        )

    def result(self, name: str, arguments: list, read) -> dict[str, str]:
        done = self.run(*arguments)
        return {name: read(done.stdout) if done.returncode == 0 else f"exit code {done.returncode}"}

    def dedup(self) -> dict[str, str]:
        out = self.folder / "out"
        done = self.run("dedup", self.corpus, "--output", out, "--pairs", "--quiet", *self.flags)
        if done.returncode:
            return {"dedup": f"exit code {done.returncode}: {done.stderr.decode()}"}
        found = {}
        for path in sorted(out.rglob("*")):
            if path.is_file():
                data = path.read_bytes()
                name = str(path.relative_to(out))
                found[f"dedup/{name}"] = of_json(data) if name == "summary.json" else digest(data)
        return found

    def fingerprint(self) -> dict[str, str]:
        found = self.result(
            "fingerprint.jsonl", ["fingerprint", self.corpus, "--quiet", *self.flags], of_rows
        )
        path = self.folder / "fingerprints.parquet"
        path.unlink(missing_ok=True)
        done = self.run("fingerprint", self.corpus, "--quiet", "--output", path, *self.flags)
        found["fingerprint.parquet"] = (
            of_parquet(path) if done.returncode == 0 else f"exit code {done.returncode}"
        )
        return found

    def evaluate(self) -> dict[str, str]:
        out = self.folder / "out"
        truth = self.corpus if self.labelled else out / "clusters.jsonl"
        found = out / ("pairs.jsonl" if self.labelled else "removed.jsonl")
        arguments = [
            "evaluate",
            found,
            truth,
            "--documents",
            self.corpus,
            "--bootstrap",
            "50",
            "--json",
            "--quiet",
        ]
        return self.result("evaluate", arguments + self.flags, of_json)

    def compare(self) -> dict[str, str]:
        """Compares the first rows, and the first removed documents with their keepers."""
        ids = {}
        with (self.folder / "out" / "removed.jsonl").open(encoding="utf-8") as rows:
            for row, _ in zip(rows, range(3)):
                removed = json.loads(row)
                ids[json.dumps(removed["id"])] = json.dumps(removed["keeper"])
        wanted, texts, first = set(ids) | set(ids.values()), {}, []
        with self.corpus.open(encoding="utf-8") as rows:
            for line in rows:
                row = json.loads(line)
                name = json.dumps(row.get("id"))
                if len(first) < 4:
                    first.append(name)
                elif name not in wanted:
                    continue
                # A comparison lists all differences, and the beginnings of books have enough.
                texts.setdefault(name, "\n".join(row[field] for field in self.texts)[:20_000])
        pairs = [(one, other) for one, other in ids.items() if one in texts and other in texts]
        pairs += [(first[0], other) for other in first[1:3]]
        found = {}
        for number, pair in enumerate(pairs):
            files = [self.folder / f"{side}.txt" for side in "lr"]
            for path, name in zip(files, pair):
                path.write_text(texts[name], encoding="utf-8")
            flags = [flag for flag in self.flags if flag not in ("--text-field", *self.texts)]
            if "--keep" in flags:
                place = flags.index("--keep")
                del flags[place : place + 2]
            found |= self.result(
                f"compare {number}", ["compare", *files, "--json", *flags], of_json
            )
        return found

    def tune(self) -> dict[str, str]:
        flags = [flag for flag in self.flags]
        for name in ("--max-distance", "--complete-distance"):
            if name in flags:
                place = flags.index(name)
                del flags[place : place + 2]
        arguments = ["tune", self.corpus, "--sample", "300", "--json", "--quiet", *flags]
        return self.result("tune", arguments, of_json)

    def all(self) -> dict[str, str]:
        found = self.dedup() | self.fingerprint() | self.tune()
        if (self.folder / "out").is_dir():
            found |= self.evaluate() | self.compare()
        return found


def corpora(data: Path, into: Path, only: list[str]) -> list[Path]:
    found = []
    for path in sorted([*data.glob("*.jsonl"), *data.glob("*.jsonl.zst")]):
        name = path.name.removesuffix(".zst")
        if name == "judged_pairs.jsonl" or only and not any(part in name for part in only):
            continue
        if path.suffix == ".zst":
            subprocess.run(
                ["zstd", "-q", "-d", "-f", str(path), "-o", str(into / name)], check=True
            )
            path = into / name
        found.append(path)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["record", "check"])
    parser.add_argument("binary", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("record", type=Path)
    parser.add_argument(
        "--only", action="append", default=[], help="corpora whose name contains this"
    )
    parser.add_argument("--settings", action="append", default=[], help="names of settings")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    known = json.loads(arguments.record.read_text()) if arguments.record.exists() else {}
    differences = []
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        names = arguments.settings or list(SETTINGS)
        tasks = [
            (corpus, name)
            for corpus in corpora(arguments.data, work, arguments.only)
            for name in names
        ]
        tasks = [
            task
            for task in tasks
            if arguments.action == "check" or f"{task[0].stem} {task[1]}" not in known
        ]

        def one(task):
            corpus, name = task
            folder = Path(tempfile.mkdtemp(dir=work))
            found = Runs(arguments.binary, corpus, SETTINGS[name], folder).all()
            shutil.rmtree(folder)
            return f"{corpus.stem} {name}", found

        with ThreadPoolExecutor(arguments.jobs) as pool:
            for key, found in pool.map(one, tasks):
                if arguments.action == "record":
                    known[key] = found
                    arguments.record.write_text(json.dumps(known, indent=1))
                    continue
                before = known.get(key)
                if before is None:
                    differences.append(f"{key}: not recorded")
                    continue
                for name in sorted(before.keys() | found.keys()):
                    if before.get(name) != found.get(name):
                        differences.append(
                            f"{key}: {name}: {before.get(name)} became {found.get(name)}"
                        )
                        print(differences[-1], flush=True)
    print(f"{len(tasks)} combinations of corpus and settings, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
