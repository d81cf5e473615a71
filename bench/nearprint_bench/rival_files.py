"""nearprint beside other programs, from file to file at documented settings: cost and quality.

    bench/run.sh rival_files --corpora FOLDER [--sets NAME,...] [--tools NAME,...] [--core N]
    [--runs N] [--python NAME=FILE ...]

A corpus is NAME.jsonl with NAME.truth.tsv, as for `peers`; the first two letters of its name are
its language. Each tool reads JSON Lines and writes the kept documents in one process on one core;
its cost includes its start. Tools take turns. Each has an environment of its own in bench/work, with
the versions in bench/rivals. `rival_counts` defines the counts.
"""

import argparse
import tempfile
from pathlib import Path

import opencc

from .data import folder
from .folders import WORK
from .labelled_sets import planted
from .pages import markdown
from .rival_counts import Corpus
from .rival_programs import TOOLS
from .rival_runs import HEADER, alternating, line


def corpus_of(name: str, corpora: Path) -> Corpus:
    data = planted(name)(argparse.Namespace(planted=corpora))
    compared = (
        list(map(opencc.OpenCC("t2s").convert, data.texts)) if data.language == "zh" else data.texts
    )
    return Corpus(name, data.language, data.texts, compared, data.truth, data.count)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--corpora",
        metavar="FOLDER",
        type=folder,
        required=True,
        help="NAME.jsonl and NAME.truth.tsv",
    )
    parser.add_argument("--sets", metavar="NAME,...", default="en20k,zh5k", help="the corpora")
    parser.add_argument(
        "--tools",
        metavar="NAME,...",
        default=",".join(tool.name for tool in TOOLS),
        help="only these",
    )
    parser.add_argument("--core", metavar="N", type=int, default=0, help="the core for all runs")
    parser.add_argument("--runs", metavar="N", type=int, default=3, help="runs of each tool")
    parser.add_argument(
        "--python",
        metavar="NAME=FILE",
        action="append",
        default=[],
        help="a Python that has the packages of a tool, or that makes its environment where it has not",
    )
    options = parser.parse_args()
    unknown = set(options.tools.split(",")) - {tool.name for tool in TOOLS}
    if unknown:
        parser.error(f"no tool {', '.join(sorted(unknown))}")
    tools = [tool for tool in TOOLS if tool.name in options.tools.split(",")]
    pythons = dict(each.split("=", 1) for each in options.python)
    pinned = ["taskset", "-c", str(options.core)]
    WORK.mkdir(exist_ok=True)
    for tool in tools:
        tool.prepare(pythons.get(tool.package))
    shown = []
    for name in options.sets.split(","):
        corpus = corpus_of(name, options.corpora)
        with tempfile.TemporaryDirectory(dir=WORK) as work:
            costs = alternating(tools, corpus, Path(work), pinned, options.runs)
            shown += [
                line(corpus, tool, costs[tool.name], Path(work) / tool.name) for tool in tools
            ]
    print(markdown(HEADER, shown))
    print()
    print(
        markdown(
            ["tool", "version", "settings"],
            [[tool.name, tool.version(), tool.settings] for tool in tools],
        )
    )


if __name__ == "__main__":
    main()
