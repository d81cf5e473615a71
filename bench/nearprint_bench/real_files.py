"""nearprint beside another program on real texts, from file to file: CPU time, memory, removals.

    bench/run.sh real_files --data FOLDER [--sets NAME,...] [--tool NAME] [--core N] [--runs N]
    [--python FILE] [--corpora FOLDER] [--flags="FLAG ..."]

Corpora are NAME.jsonl.zst of the data folder, and NAME.jsonl of --corpora. The first two letters of
a name are its language. Both programs take turns on one core; seconds are medians. Settings are
those of `rival_files`; nearprint lists no pairs and has the given flags.
"""

import argparse
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .data import add_data_argument, folder, read_rows, rows
from .folders import WORK
from .pages import markdown
from .real_lines import HEADER, line, total
from .rival_programs import TOOLS, Nearprint
from .rival_runs import alternating

SETS = "en_reuters21578,en_tos,en_code,en_advisories,zh_xwlb,zh_lctt,zh_laws,zh_juejin"


@dataclass
class Texts:
    """A corpus for `alternating`."""

    name: str
    language: str
    texts: list[str]

    @property
    def megabytes(self) -> float:
        return sum(len(text.encode()) for text in self.texts) / 1e6


def texts_of(name: str, data: Path, corpora: Path | None) -> Texts:
    planted = corpora / f"{name}.jsonl" if corpora else None
    found = read_rows(planted) if planted and planted.is_file() else rows(data, name)
    return Texts(name, name[:2], [row["text"] for row in found])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_data_argument(parser)
    parser.add_argument("--sets", metavar="NAME,...", default=SETS, help="the corpora")
    parser.add_argument(
        "--corpora", metavar="FOLDER", type=folder, help="a folder with further ones, NAME.jsonl"
    )
    parser.add_argument(
        "--tool", metavar="NAME", default="rensa", help="the other program, of those of rival_files"
    )
    parser.add_argument("--core", metavar="N", type=int, default=0, help="the core for all runs")
    parser.add_argument("--runs", metavar="N", type=int, default=5, help="runs of each program")
    parser.add_argument(
        "--python", metavar="FILE", help="a Python that has the packages of the other program"
    )
    parser.add_argument(
        "--flags",
        metavar="FLAGS",
        default="",
        help="for nearprint, such as --flags='--preset exact'",
    )
    options = parser.parse_args()
    other = next((tool for tool in TOOLS if tool.name == options.tool), None)
    if other is None:
        parser.error(f"no tool {options.tool}")
    tools = [Nearprint(flags=options.flags.split()), other]
    WORK.mkdir(exist_ok=True)
    other.prepare(options.python)
    measured = []
    for name in options.sets.split(","):
        corpus = texts_of(name, options.data, options.corpora)
        with tempfile.TemporaryDirectory(dir=WORK) as work:
            costs = alternating(
                tools, corpus, Path(work), ["taskset", "-c", str(options.core)], options.runs
            )
            figures = [
                (
                    statistics.median(cost.cpu_seconds for cost in costs[tool.name]),
                    max(cost.memory_mb for cost in costs[tool.name]),
                    len(corpus.texts) - len(tool.kept(Path(work) / tool.name)),
                )
                for tool in tools
            ]
        measured.append((name, len(corpus.texts), corpus.megabytes, figures))
    print(
        markdown(
            HEADER,
            [line(*each) for each in measured] + ([total(measured)] if len(measured) > 1 else []),
        )
    )
    print()
    print(
        markdown(
            ["program", "version", "settings"],
            [[tool.name, tool.version(), tool.settings] for tool in tools],
        )
    )


if __name__ == "__main__":
    main()
