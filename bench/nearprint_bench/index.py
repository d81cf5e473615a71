"""A persistent index beside FAISS and datasketch: the costs of adding and querying, and recall.

    bench/run.sh index --data FOLDER [--sizes N,...] [--tools nearprint,flat,12x20:1,...,datasketch]
    [--runs N] [--core N] [--work FOLDER]

Documents are windows of real texts, 85 % English and 15 % Chinese. Of 10,000 queries half are new
documents and half are copies with 5 to 15 % of the words replaced. `flat` is FAISS's
IndexBinaryFlat, and NHASHxB:NFLIP its IndexBinaryMultiHash. Tools take turns on one core with one
thread each. Corpora are kept in the work folder: a million documents take 2.1 GB, and a run takes 2
GB more.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from .data import add_data_argument, read_rows
from .folders import WORK
from .index_corpus import QUESTIONS, texts_of, write
from .index_lines import HEADER, found, line
from .index_tools import Run, tool_of
from .pages import markdown

# The documentation of FAISS (its wiki, "Binary hashing index benchmark") leaves nhash, b and nflip
# to a trial and cites the method's paper (Norouzi et al. 2012). By the paper a substring has log2
# of the number of documents: 20 bits for a million, hence 12 tables of 256 bits. Other settings
# were no better (README).
DEFAULT = "nearprint,flat,12x20:1,12x20:2,datasketch"


def tools_of(names: str) -> list:
    return [tool_of(name) for name in names.split(",")]


def corpus(options: argparse.Namespace, size: int) -> Path:
    """The folder of a corpus, which is made if it does not exist."""
    folder = options.work / f"corpus-{size}"
    about = folder / "made.json"
    said = json.dumps({"documents": size, "questions": options.questions, "seed": options.seed})
    if not about.exists() or about.read_text() != said:
        shutil.rmtree(folder, ignore_errors=True)
        write(folder, texts_of(options.data), size, options.questions, options.seed)
        about.write_text(said)
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_argument(parser)
    parser.add_argument(
        "--sizes", metavar="N,...", default="100000", help="documents [default: 100000]"
    )
    parser.add_argument(
        "--questions", metavar="N", type=int, default=QUESTIONS, help=f"[default: {QUESTIONS}]"
    )
    parser.add_argument(
        "--tools",
        metavar="NAME,...",
        type=tools_of,
        default=tools_of(DEFAULT),
        help=f"[default: {DEFAULT}]",
    )
    parser.add_argument(
        "--runs",
        metavar="N",
        type=int,
        default=3,
        help="runs of each tool, of which the medians count [default: 3]",
    )
    parser.add_argument(
        "--core", metavar="N", type=int, default=0, help="the core for all runs [default: 0]"
    )
    parser.add_argument(
        "--seed", metavar="N", type=int, default=1, help="of the corpora [default: 1]"
    )
    parser.add_argument(
        "--work",
        metavar="FOLDER",
        type=Path,
        default=WORK / "index",
        help="where corpora and indexes lie [default: bench/work/index]",
    )
    options = parser.parse_args()
    options.work = options.work.resolve()
    pinned, shown = ["taskset", "-c", str(options.core)], []
    for size in map(int, options.sizes.split(",")):
        folder = corpus(options, size)
        questions = read_rows(folder / "questions.jsonl")
        runs: dict[str, list[Run]] = {tool.name: [] for tool in options.tools}
        for number in range(options.runs):
            with tempfile.TemporaryDirectory(dir=options.work) as work:
                for tool in options.tools:
                    own = Path(work) / type(tool).__name__
                    own.mkdir(exist_ok=True)
                    run = tool.run(folder, own, pinned)
                    runs[tool.name].append(run)
                    told = {
                        name: round(value, 3)
                        for name, value in run.figures.items()
                        if value is not None
                    }
                    print(
                        f"{size}, run {number}, {tool.name}: {told}, found {found(questions, run.answers)}",
                        file=sys.stderr,
                        flush=True,
                    )
        shown += [line(size, tool, runs[tool.name], questions) for tool in options.tools]
    print(markdown(HEADER, shown))
    print()
    print(
        markdown(
            ["tool", "version", "settings"],
            [[tool.name, tool.version(), tool.settings] for tool in options.tools],
        )
    )


if __name__ == "__main__":
    main()
