"""nearprint beside other tools on corpora with planted copies: cost and quality.

    bench/run.sh peers --corpora FOLDER --peers FOLDER [--sets NAME,...] [--tools NAME,...]
    [--python FILE] [--core N] [--runs N]

A corpus is NAME.jsonl with NAME.truth.tsv; the first two letters of its name are its language. A
peer is a script of the folder (see peer_runs.py): `--tools "gaoya minhash,rensa"` takes run_gaoya.py
with the argument minhash, and run_rensa.py. All tools take turns on one core. The table has medians,
MB of text per CPU second, and the factor by which nearprint is faster. The time of a peer begins
when it has the texts in memory; the time of nearprint is that of the whole program. F1 is counted as
in `labelled`.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from .data import folder
from .folders import WORK
from .labelled_sets import planted
from .peer_runs import HEADER, Nearprint, Peer, alternating, lines, median
from .pages import markdown


def link(corpora: Path, name: str, work: Path) -> Path:
    """Links the corpus from the work folder, so that peers write there."""
    (work / f"{name}.jsonl").symlink_to(corpora / f"{name}.jsonl")
    return work / name


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--corpora",
        metavar="FOLDER",
        type=folder,
        required=True,
        help="NAME.jsonl and NAME.truth.tsv",
    )
    parser.add_argument(
        "--peers", metavar="FOLDER", type=folder, required=True, help="scripts run_NAME.py"
    )
    parser.add_argument("--sets", metavar="NAME,...", help="only these corpora")
    parser.add_argument(
        "--tools",
        metavar="NAME,...",
        default="gaoya minhash,rensa,datasketch",
        help="scripts with argument",
    )
    parser.add_argument(
        "--python",
        metavar="FILE",
        default=sys.executable,
        help="what runs the scripts, with their packages",
    )
    parser.add_argument("--core", metavar="N", type=int, default=0, help="the core for all runs")
    parser.add_argument("--runs", metavar="N", type=int, default=3, help="runs of each tool")
    options = parser.parse_args()
    names = sorted(
        path.name.removesuffix(".truth.tsv") for path in options.corpora.glob("*.truth.tsv")
    )
    names = options.sets.split(",") if options.sets else names
    tools = [
        Nearprint(),
        *(Peer(text, options.peers, options.python) for text in options.tools.split(",")),
    ]
    WORK.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK) as work:
        prefixes = {name: link(options.corpora, name, Path(work)) for name in names}
        pinned = ["taskset", "-c", str(options.core)]
        shown = []
        for name, prefix in prefixes.items():
            runs = alternating(tools, prefix, pinned, options.runs)
            data = planted(name)(argparse.Namespace(planted=options.corpora))
            counts = {
                tool.name: data.count(tool.pairs(runs[tool.name][-1].found, data.texts))
                for tool in tools
            }
            figures = {tool: (*median(made), counts[tool]["f1"]) for tool, made in runs.items()}
            shown += lines(name, data.texts, figures)
    print(markdown(HEADER, shown))


if __name__ == "__main__":
    main()
