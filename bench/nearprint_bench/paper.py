"""Repeats the experiments of Zhang Hang et al. 2020: bench/run.sh paper --data FOLDER [--seeds N].

Writes bench/experiments.md and, in bench/experiments, tables as CSV and plots as SVG. Results are
kept in bench/work/paper; a later run computes only results that a change of the program, of the
data or of this code affects.
"""

import argparse
import time
from pathlib import Path

from . import data, paper_plots, paper_report
from .folders import REPOSITORY
from .paper_algorithms import (
    ALL,
    FARTHEST,
    MINHASH,
    PACKAGE_CHARACTERS,
    PACKAGE_WORDS,
    SWEEP,
    VERIFIED,
    lines,
    scaled,
)
from .paper_corpus import ARTICLES, EDITED
from .paper_trials import DRAWN, FIXED, HARDEST, NEAR, SIMILAR, Trials
from .tables import Summary, summarize, write_csv


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench/run.sh paper", description=__doc__.split("\n")[0])
    data.add_data_argument(parser)
    parser.add_argument(
        "--seeds", metavar="N", type=int, default=10, help="corpora to draw [default: 10]"
    )
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        type=Path,
        default=REPOSITORY / "bench",
        help="where experiments.md and the folder experiments go [default: bench]",
    )
    arguments = parser.parse_args()
    begin = time.monotonic()

    def say(done: str) -> None:
        print(f"{time.monotonic() - begin:6.0f} s  {done}", flush=True)

    trials = Trials(arguments.data, say)
    settings = trials.settings()
    seeds = range(1, arguments.seeds + 1)
    results = {seed: trials.of(seed) for seed in seeds}
    bits = widths(results[seeds[0]])
    compared = lines(settings, bits)

    folder = arguments.output / "experiments"
    folder.mkdir(parents=True, exist_ok=True)
    summaries = {}
    for name, rows, keys in [
        ("distance", distance_rows(results, bits), ["algorithm", "bits", "distance"]),
        ("share", share_rows(results, compared), ["algorithm", "edits", "share"]),
        ("quality", quality_rows(results, compared), ["algorithm"]),
        ("similarity", similarity_rows(results, settings), ["algorithm", "similarity"]),
    ]:
        write_csv(folder / f"{name}.csv", rows)
        summary = summarize(rows, keys)
        write_csv(folder / f"{name}-summary.csv", summary)
        summaries[name] = Summary(summary, keys)
    paper_plots.draw(folder, summaries, compared, settings, bits)
    report = paper_report.report(summaries, compared, settings, bits, trials.about(), len(seeds))
    (arguments.output / "experiments.md").write_text(report, encoding="utf-8")
    say(
        f"{trials.cache.computed} results computed, the others kept from earlier; wrote {arguments.output / 'experiments.md'}"
    )


def widths(found: dict) -> dict[str, int]:
    """The bits of every fingerprint; its verdicts have as many bounds."""
    return {
        key: len(found[NEAR.name, key].bounds)
        for key in [*(one.key for one in ALL), PACKAGE_CHARACTERS, PACKAGE_WORDS]
    }


def distance_rows(results: dict, bits: dict[str, int]) -> list[dict]:
    """Experiment 1: every distance up to one share of the bits, for fingerprints of any width."""
    return [
        {
            "seed": seed,
            "algorithm": key,
            "bits": its,
            "distance": distance,
            **part(
                found[NEAR.name, key].at(distance, EDITED, ARTICLES),
                "recall",
                "rate",
                "heavy",
                "f1_all",
            ),
        }
        for seed, found in results.items()
        for key, its in bits.items()
        for distance in range(scaled(FARTHEST, its) + 1)
    ]


def share_rows(results: dict, compared: list) -> list[dict]:
    """Experiment 2: every share of edits.

    Copies edited by more than a fifth are like heavy versions, so they have no precision against
    these.
    """
    rows = []
    for seed, found in results.items():
        for line in compared:
            for scenario in DRAWN + FIXED:
                if (scenario.name, line.key) not in found:
                    continue
                scores = found[scenario.name, line.key].at(line.bound, EDITED, ARTICLES)
                if scenario.share > HARDEST.share:
                    scores["precision_all"] = float("nan")
                rows.append(
                    {
                        "seed": seed,
                        "algorithm": line.name,
                        "edits": "drawn" if scenario.drawn else "fixed",
                        "share": scenario.share,
                        **part(
                            scores, "recall", "rate", "heavy", "precision_others", "precision_all"
                        ),
                    }
                )
    return rows


def quality_rows(results: dict, compared: list) -> list[dict]:
    """Experiment 3: copies with exactly a tenth of the words edited."""
    return [
        {
            "seed": seed,
            "algorithm": line.name,
            **part(
                found[SIMILAR.name, line.key].at(line.bound, EDITED, ARTICLES),
                "precision_others",
                "f1_others",
                "recall",
                "precision_all",
                "f1_all",
            ),
        }
        for seed, found in results.items()
        for line in compared
    ]


def similarity_rows(results: dict, settings: dict) -> list[dict]:
    """The hardest scenario of experiment 2, at every least similarity."""
    bounds = sorted({*SWEEP, settings["min-similarity"]})
    return [
        {
            "seed": seed,
            "algorithm": key,
            "similarity": bound,
            **part(
                found[HARDEST.name, key].at(bound, EDITED, ARTICLES),
                "recall",
                "heavy",
                "precision_others",
                "precision_all",
                "f1_all",
            ),
        }
        for seed, found in results.items()
        for key in (VERIFIED, MINHASH)
        for bound in (bounds if key == VERIFIED else SWEEP)
    ]


def part(scores: dict, *names: str) -> dict:
    return {name: scores[name] for name in names}


if __name__ == "__main__":
    main()
