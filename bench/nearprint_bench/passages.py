"""Tools that cut passages that many documents share: what they cut, what they tear, what they cost.

    bench/run.sh passages [--data FOLDER --sets NAME,...] [--file FILE ...] [--exact-substrings FILE]
    [--tools NAME,...] [--python NAME=FILE ...] [--core N] [--runs N] [--keep FOLDER] [--sample N]

Corpora are NAME.jsonl.zst of the data folder and any files of JSON Lines with id and text. Each tool
reads JSON Lines and writes the documents with what is left of them, on one core with one thread;
tools take turns. MB/s count the bytes of the texts and the CPU seconds of all steps, memory is that
of the largest process, disk is all that lies in the output folder at one time, the output too.
`passages_places` defines what the cuts do to the text.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from .data import folder, rows, write_rows
from .folders import WORK
from .pages import markdown
from .passages_measure import HEADER, documents, measure, spans, texts_of, write_sample
from .passages_tools import Dolma, ExactSubstrings, ExactTokens, Nearprint, Trafilatura, Used

SETS = "en_reuters21578,en_tos,zh_lctt,zh_xwlb,en_webdup_gov2_pairs,zh_juejin"
COSTS = ["CPU seconds", "MB/s", "peak memory, MB", "peak disk, MB", "disk, times the text"]


def tools_of(program: Path | None) -> dict:
    """The tools by the names of --tools, those of the program only with it."""
    exact = {
        "exact-200": ExactSubstrings(program, 200),
        "exact-100": ExactSubstrings(program, 100),
        "exact-tokens": ExactTokens(program, 50),
    }
    own = {"nearprint": Nearprint(), "nearprint-none": Nearprint("--keep-copy", "none")}
    others = {"dolma": Dolma(), "dolma-100": Dolma(100), "trafilatura": Trafilatura()}
    return own | (exact if program else {}) | others


def stored(texts, path: Path) -> int:
    """Writes the texts, and gives their bytes."""
    size = 0

    def counted():
        nonlocal size
        for name, text in texts:
            size += len(text.encode())
            yield {"id": name, "text": text}

    write_rows(path, counted())
    return size


def costs(used: list[Used], size: int) -> list[str]:
    """The cells of `COSTS`, medians of runs on texts of so many bytes."""
    seconds = statistics.median(each.cost.cpu_seconds for each in used)
    memory = statistics.median(each.cost.memory_mb for each in used)
    most = statistics.median(each.disk_mb for each in used)
    return [
        f"{seconds:.2f}",
        f"{size / 1e6 / seconds:.1f}",
        f"{memory:.0f}",
        f"{most:.0f}",
        f"{most * 1e6 / size:.1f}",
    ]


def kept_folder(options, corpus: str, tool: str) -> Path | None:
    return (
        options.keep / corpus / tool.replace(", ", "-").replace(" ", "-") if options.keep else None
    )


def one_corpus(name: str, texts, tools: list, options, work: Path) -> None:
    """Prints a table for one corpus."""
    file = work / f"{name}.jsonl"
    size = stored(texts, file)
    used, shown = {tool.name: [] for tool in tools}, []
    for run in range(options.runs):
        for tool in tools:
            output = work / "output"
            shutil.rmtree(output, ignore_errors=True)
            output.mkdir()
            used[tool.name].append(tool.cut(file, output, ["taskset", "-c", str(options.core)]))
            print(f"{name}, {tool.name}: {used[tool.name][-1]}", file=sys.stderr, flush=True)
            if run + 1 < options.runs:
                continue
            found = tool.spans(file, output)
            result = measure(documents(file), spans(found), options.sample, lost=options.lost)
            shown.append([tool.name, *result.cells(), *costs(used[tool.name], size)])
            if kept := kept_folder(options, name, tool.name):
                kept.mkdir(parents=True, exist_ok=True)
                shutil.copy(found, kept)
                shutil.copy(output / "kept.jsonl", kept)
                if options.sample:
                    write_sample(kept / "sample.txt", result.sample)
    print(f"\n{name}: {size / 1e6:.1f} MB of text\n")
    print(markdown(["tool", *HEADER, *COSTS], shown), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--data", metavar="FOLDER", type=folder, help="folder with the .jsonl.zst files"
    )
    parser.add_argument("--sets", metavar="NAME,...", default=SETS, help="the corpora of --data")
    parser.add_argument(
        "--file",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="a further corpus, JSON Lines with id and text, plain or .zst; repeat it",
    )
    parser.add_argument(
        "--exact-substrings",
        metavar="FILE",
        type=Path,
        help="the program dedup_dataset of deduplicate-text-datasets [default: left out]",
    )
    parser.add_argument("--tools", metavar="NAME,...", help="only these [default: all]")
    parser.add_argument(
        "--python",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="a Python that has the packages of a tool: dolma, trafilatura, exact_substrings",
    )
    parser.add_argument("--core", metavar="N", type=int, default=0, help="the core for all runs")
    parser.add_argument("--runs", metavar="N", type=int, default=1, help="runs of each tool")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="keeps outputs and ranges here")
    parser.add_argument(
        "--sample", metavar="N", type=int, default=0, help="with --keep, places to be read"
    )
    parser.add_argument(
        "--lost", metavar="N", type=int, default=400, help="bytes drawn to see what is lost"
    )
    options = parser.parse_args()
    for name in ("exact_substrings", "keep"):
        if value := getattr(options, name):
            setattr(options, name, value.resolve())
    known = tools_of(options.exact_substrings)
    wanted = options.tools.split(",") if options.tools else list(known)
    if unknown := set(wanted) - set(known):
        parser.error(f"no tool {', '.join(sorted(unknown))}")
    tools = [known[name] for name in wanted]
    pythons = dict(each.split("=", 1) for each in options.python)
    WORK.mkdir(exist_ok=True)
    for tool in tools:
        tool.prepare(pythons.get(tool.package))
    corpora = [(file.name.split(".")[0], documents(file)) for file in options.file]
    if options.data:
        corpora += [(name, texts_of(rows(options.data, name))) for name in options.sets.split(",")]
    for name, texts in corpora:
        with tempfile.TemporaryDirectory(dir=WORK) as work:
            one_corpus(name, texts, tools, options, Path(work))
    print()
    print(
        markdown(
            ["tool", "version", "settings"],
            [[tool.name, tool.version(), tool.settings] for tool in tools],
        )
    )


if __name__ == "__main__":
    main()
