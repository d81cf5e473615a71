"""nearprint with the interface of the rivals."""

import tempfile
import unicodedata
from collections import defaultdict
from pathlib import Path

from . import nearprint
from .data import write_rows
from .thresholds import GRID, at_each


class Nearprint:
    """The program at its default, and at every least similarity of the grid from 0.3 on.

    One run at 0.3 gives the answers of the grid.
    """

    name, usual = "nearprint", "default"
    grid = [threshold for threshold in GRID if threshold >= 0.3]

    def __init__(self, flags=()):
        self.flags = list(flags)

    def answers(self, texts, language, lowest=None):
        """The found pairs by threshold, from LOWEST on if it is given."""
        grid = [threshold for threshold in self.grid if threshold >= (lowest or 0)]
        # The measurement of recall takes long at a low similarity, and does not change the answers.
        low = self.run(
            texts, [*self.flags, "--min-similarity", str(grid[0]), "--recall-sample", "0"]
        )[0]
        return {"usual": set(self.run(texts, self.flags)[0]), **at_each(low, grid)}

    @staticmethod
    def run(texts, flags):
        """Pairs of places with their similarities, and the CPU seconds."""
        with tempfile.TemporaryDirectory() as folder:
            corpus = Path(folder) / "corpus.jsonl"
            write_rows(corpus, ({"id": place, "text": text} for place, text in enumerate(texts)))
            answer = nearprint.dedup(corpus, flags)
        return with_equal_texts(texts, answer.pairs), answer.seconds


def with_equal_texts(texts, rows):
    """All pairs, from rows in which one of several equal texts stands for all of them."""
    plain = [" ".join(unicodedata.normalize("NFKC", text).lower().split()) for text in texts]
    equal = [row for row in rows if plain[row["left"]] == plain[row["right"]]]
    rest = [row for row in rows if plain[row["left"]] != plain[row["right"]]]
    alike = defaultdict(set)
    for row in equal:
        group = alike[row["left"]] | alike[row["right"]] | {row["left"], row["right"]}
        for member in group:
            alike[member] = group
    found = {}
    for group in map(sorted, alike.values()):
        found.update(((a, b), 1.0) for place, a in enumerate(group) for b in group[place + 1 :])
    for row in rest:
        for a in alike.get(row["left"]) or [row["left"]]:
            for b in alike.get(row["right"]) or [row["right"]]:
                found[min(a, b), max(a, b)] = row["similarity"]
    return found
