"""Test items inside of training documents: recall, false alarms in clean documents, and cost.

    bench/run.sh leaks --items NAME=FILE [...] --clean FILE [...] [--decon FILE] [--only
    recall,clean,shortest,limits] [--flagged FILE]

Items are JSON Lines with id, question and answer; clean texts have a field text. nearprint and decon
(if its program is given), with all defaults, and the rule of 13 words in a row (Brown et al. 2020,
Appendix C) look for all questions of a set in the same documents. A planted item counts as found if
a tool finds it in its document.
"""

import argparse
import statistics
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from .data import read_rows, write_rows
from .folders import WORK
from .leak_counts import flagged_by_length, hits, listed, percent
from .leak_texts import (
    EDITS,
    Item,
    carriers,
    drawn,
    edited,
    figures,
    items_of,
    language_of,
    letters,
    planted,
    stretch,
    supply_of,
    with_other_figures,
)
from .leak_tools import Decon, Nearprint, Overlap
from .pages import markdown

RECALL = (60, 100, 200, 500)
SHORTEST = (20, 40, 60, 80, 100)
HEAVY = (0.15, 0.2, 0.3, 0.4)
OTHER_FIGURES = (0.25, 0.5, 0.75, 1)
FEWEST_FIGURES = 4  # the least number of figures of an item whose figures are replaced
WITHOUT_ANSWER = "question without its answer"
WITH_ANSWER = "question and answer, whole"


def named(text: str) -> tuple[str, Path]:
    """The name and the path of NAME=FILE."""
    name, equals, path = text.partition("=")
    if not equals or not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"{text}: give NAME=FILE, a file that is there")
    return name, Path(path)


def stored(texts: list[str], folder: Path) -> Path:
    """Writes the texts, with their numbers as ids, to a folder of their own, as decon requires."""
    folder.mkdir(exist_ok=True)
    write_rows(
        folder / "train.jsonl", ({"id": number, "text": text} for number, text in enumerate(texts))
    )
    return folder / "train.jsonl"


class Trial:
    """The sets of items, the clean texts of both languages, and a work folder."""

    def __init__(self, options, work: Path):
        self.work, self.options = work, options
        self.sets = {name: items_of(name, path) for name, path in options.items}
        self.clean = {path: [row["text"] for row in read_rows(path)] for path in options.clean}
        self.language = {
            name: language_of([item.question for item in items])
            for name, items in self.sets.items()
        }
        self.of_file = {
            path: language_of(texts[:: max(1, len(texts) // 200)])
            for path, texts in self.clean.items()
        }

    def of(self, language: str) -> list[Item]:
        """All items of a language."""
        return [
            item
            for name, items in self.sets.items()
            if self.language[name] == language
            for item in items
        ]

    def documents(self, name: str, bounds: tuple[int, ...], seed: int):
        """Items of a set, a document for each, words for edits, and random numbers."""
        random, language = Random(f"{name} {seed}"), self.language[name]
        items = drawn(self.sets[name], bounds, self.options.count, random)
        texts = [
            text
            for path, texts in self.clean.items()
            if self.of_file[path] == language
            for text in texts
        ]
        parts = carriers(texts, language, len(items), random)
        return items, parts, supply_of(parts[:300]), random

    def ask(
        self, tool, name: str, items: list[Item], passages: list[str], parts: list
    ) -> list[bool]:
        language = self.language[name]
        train = stored(
            [planted(*both, language) for both in zip(passages, parts)], self.work / "planted"
        )
        return hits(tool.find(train, self.sets[name], language, self.work), items)


def tools(options) -> list:
    return [Nearprint(), *([Decon(options.decon)] if options.decon else []), Overlap()]


def with_answers(options) -> list:
    decon = [Decon(options.decon, answers=True)] if options.decon else []
    return [Nearprint(fields=("question", "answer")), *decon, Overlap(both=True)]


def recall(trial: Trial) -> None:
    """Prints the tables of planted items."""
    lengths = [stretch(low, RECALL) for low in RECALL]
    rows = []
    for name in trial.sets:
        made = {}
        for seed in range(trial.options.seeds):
            items, parts, supply, random = trial.documents(name, RECALL, seed)
            cases = [
                (
                    edit,
                    [edited(item.question, share, random, supply) for item in items],
                    tools(trial.options),
                )
                for edit, share in EDITS.items()
            ]
            questions = [item.question for item in items]
            cases.append(
                (WITHOUT_ANSWER, questions, tools(trial.options) + with_answers(trial.options))
            )
            cases.append((WITH_ANSWER, [item.both for item in items], with_answers(trial.options)))
            for edit, passages, asked in cases:
                for tool in asked:
                    flags = trial.ask(tool, name, items, passages, parts)
                    made.setdefault((edit, tool.name), []).extend(
                        (stretch(letters(item.question), RECALL), flag)
                        for item, flag in zip(items, flags)
                    )
        for (edit, tool), flags in made.items():
            cells = [
                percent([flag for length, flag in flags if length == wanted]) for wanted in lengths
            ]
            rows.append(
                [name, edit, tool, str(len(flags)), percent([flag for _, flag in flags]), *cells]
            )
    print("\nRecall in %, of all and by letters of the question\n")
    print(markdown(["set", "planted", "tool", "documents", "all", *lengths], rows), flush=True)


def clean(trial: Trial) -> None:
    """Prints the flagged clean documents and the costs, and writes the list of the flagged ones."""
    rows, rows_listed = [], []
    for path, texts in trial.clean.items():
        language = trial.of_file[path]
        items = [item for item in trial.of(language) if letters(item.question) >= RECALL[0]]
        if not items:
            continue
        known = {item.id: item for item in items}
        train, megabytes = (
            stored(texts, trial.work / "clean"),
            sum(len(text.encode()) for text in texts) / 1e6,
        )
        asked = tools(trial.options)
        runs = {tool.name: [] for tool in asked}
        for _ in range(trial.options.runs):
            for tool in asked:
                runs[tool.name].append(tool.find(train, items, language, trial.work))
        for tool, made in runs.items():
            flagged = {one.document for one in made[0].found}
            seconds, memory = (
                statistics.median(getattr(run, part) for run in made)
                for part in ("seconds", "megabytes")
            )
            rows.append(
                [
                    path.stem,
                    f"{len(texts):,}",
                    f"{megabytes:.0f}",
                    tool,
                    str(len(flagged)),
                    f"{1e6 * len(flagged) / len(texts):.0f}",
                    f"{seconds:.2f}",
                    f"{megabytes / seconds:.1f}",
                    f"{memory:.0f}",
                ]
            )
            rows_listed += listed(tool, path.stem, made[0].found, known)
    print("\nClean texts\n")
    print(
        markdown(
            [
                "texts",
                "documents",
                "MB",
                "tool",
                "flagged",
                "of a million",
                "CPU seconds",
                "MB/s",
                "peak memory, MB",
            ],
            rows,
        ),
        flush=True,
    )
    write_rows(trial.options.flagged, rows_listed)


def shortest(trial: Trial) -> None:
    """Prints the effect of shorter items: flagged clean documents, recall at 10 % edited words."""
    tool, lengths = (
        Nearprint("--min-leak-length", str(SHORTEST[0])),
        [stretch(low, SHORTEST) for low in SHORTEST],
    )
    alarms, documents, rows_listed = Counter(), Counter(), []
    for path, texts in trial.clean.items():
        language = trial.of_file[path]
        items = {item.id: item for item in trial.of(language)}
        documents[language] += len(texts)
        found = (
            tool.find(
                stored(texts, trial.work / "clean"), list(items.values()), language, trial.work
            ).found
            if items
            else []
        )
        for length, count in flagged_by_length(found, items, SHORTEST).items():
            alarms[language, length] += count
        rows_listed += listed(tool.name, path.stem, found, items)
    rows = [
        [
            f"{language}, clean: flagged documents",
            f"{documents[language]:,}",
            *(str(alarms[language, length]) for length in lengths),
        ]
        for language in documents
    ]
    rows += [
        [
            f"{language}: items",
            "",
            *(
                str(
                    sum(
                        stretch(letters(item.question), SHORTEST) == length
                        for item in trial.of(language)
                    )
                )
                for length in lengths
            ),
        ]
        for language in documents
    ]
    for name in trial.sets:
        made = []
        for seed in range(trial.options.seeds):
            items, parts, supply, random = trial.documents(name, SHORTEST, seed)
            passages = [edited(item.question, 0.1, random, supply) for item in items]
            made += zip(
                (stretch(letters(item.question), SHORTEST) for item in items),
                trial.ask(tool, name, items, passages, parts),
            )
        rows.append(
            [
                f"{name}, 10 % edited: recall in %",
                str(len(made)),
                *(
                    percent([flag for length, flag in made if length == wanted])
                    for wanted in lengths
                ),
            ]
        )
    print(f"\n--min-leak-length {SHORTEST[0]}, by letters of the item\n")
    print(markdown(["", "documents", *lengths], rows), flush=True)
    write_rows(trial.options.flagged.with_suffix(".shortest.jsonl"), rows_listed)


def limits(trial: Trial) -> None:
    """Prints nearprint's recall of heavily edited items, and of items with other figures."""
    rows = []
    for name in trial.sets:
        made = {}
        for seed in range(trial.options.seeds):
            items, parts, supply, random = trial.documents(name, RECALL, seed)
            for share in HEAVY:
                passages = [edited(item.question, share, random, supply) for item in items]
                made.setdefault(f"{100 * share:.0f} % edited", []).extend(
                    trial.ask(Nearprint(), name, items, passages, parts)
                )
            items, parts = zip(
                *[
                    (item, part)
                    for item, part in zip(items, parts)
                    if figures(item.question) >= FEWEST_FIGURES
                ]
            )
            for share in OTHER_FIGURES:
                passages = [with_other_figures(item.question, share, random) for item in items]
                made.setdefault(f"{100 * share:.0f} % of the figures other ones", []).extend(
                    trial.ask(Nearprint(), name, items, passages, parts)
                )
        rows += [[name, change, str(len(flags)), percent(flags)] for change, flags in made.items()]
    print("\nRecall in % of items that are edited much, or have other figures\n")
    print(markdown(["set", "planted", "documents", "nearprint"], rows), flush=True)


PARTS = {"recall": recall, "clean": clean, "shortest": shortest, "limits": limits}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--items",
        metavar="NAME=FILE",
        type=named,
        action="append",
        required=True,
        help="a test set; repeat it",
    )
    parser.add_argument(
        "--clean",
        metavar="FILE",
        type=Path,
        action="append",
        required=True,
        help="texts without items; repeat it",
    )
    parser.add_argument(
        "--decon", metavar="FILE", type=Path, help="the program decon [default: left out]"
    )
    parser.add_argument(
        "--only",
        metavar="PART,...",
        default=",".join(PARTS),
        help="recall, clean, shortest, limits [default: all]",
    )
    parser.add_argument(
        "--count",
        metavar="N",
        type=int,
        default=150,
        help="items of each length, at most [default: 150]",
    )
    parser.add_argument(
        "--seeds",
        metavar="N",
        type=int,
        default=3,
        help="draws of items, documents and edits [default: 3]",
    )
    parser.add_argument(
        "--runs", metavar="N", type=int, default=3, help="runs on clean texts [default: 3]"
    )
    parser.add_argument(
        "--flagged",
        metavar="FILE",
        type=Path,
        default=WORK / "flagged.jsonl",
        help="all that is flagged in clean text [default: bench/work/flagged.jsonl]",
    )
    options = parser.parse_args()
    WORK.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK) as work:
        trial = Trial(options, Path(work))
        for part in options.only.split(","):
            PARTS[part](trial)


if __name__ == "__main__":
    main()
